/* The sum of n numbers. */
#include "bench.h"

static int n;
static float *in, out;

static float sum(const float *in, int n)
{
    float sum = 0;
#pragma omp parallel for simd reduction(+ : sum)
    for (int i = 0; i < n; i++)
        sum += in[i];
    return sum;
}

static void bench_setup(const char *variant, int count)
{
    (void)variant;
    n = count;
    in = bench_floats((size_t)n, 1, 0, 1);
}

static void bench_launch(void)
{
    out = sum(in, n);
}

static struct bench_result bench_result(void)
{
    return (struct bench_result){&out, 1, 0};
}
