/* y = a x + y. */
#include "bench.h"

static int n;
static float *x, *y;

static void saxpy(int n, float a, const float *restrict x, float *restrict y)
{
#pragma omp parallel for simd
    for (int i = 0; i < n; i++)
        y[i] = a * x[i] + y[i];
}

static void bench_setup(const char *variant, int count)
{
    (void)variant;
    n = count;
    x = bench_floats((size_t)n, 1, 0, 1);
    y = bench_floats((size_t)n, 2, 0, 1);
}

static void bench_launch(void)
{
    saxpy(n, 0.5f, x, y);
}

static struct bench_result bench_result(void)
{
    return (struct bench_result){y, (size_t)n, 0};
}
