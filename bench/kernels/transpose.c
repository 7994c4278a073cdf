/* The transpose of n x n, in blocks of 16 x 16. n is a multiple of 32. */
#include "bench.h"

static int n;
static float *in, *out;

static void transpose(const float *restrict in, float *restrict out, int n)
{
    enum { BLOCK = 16 };
#pragma omp parallel for
    for (int y0 = 0; y0 < n; y0 += BLOCK)
        for (int x0 = 0; x0 < n; x0 += BLOCK)
            for (int y = y0; y < y0 + BLOCK; y++)
                for (int x = x0; x < x0 + BLOCK; x++)
                    out[y * n + x] = in[x * n + y];
}

static void bench_setup(const char *variant, int size)
{
    (void)variant;
    n = size;
    in = bench_floats((size_t)n * n, 1, 0, 1);
    out = bench_room(sizeof *out * (size_t)n * (size_t)n);
}

static void bench_launch(void)
{
    transpose(in, out, n);
}

static struct bench_result bench_result(void)
{
    return (struct bench_result){out, (size_t)n * n, 0};
}
