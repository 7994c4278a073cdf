/* One step of a 7-point stencil over n x n x n points; the surface stays as it is. */
#include "bench.h"

static int n;
static float *in, *out;

static void stencil(const float *restrict in, float *restrict out, int n)
{
    int layer = n * n;
#pragma omp parallel for
    for (int z = 1; z < n - 1; z++)
        for (int y = 1; y < n - 1; y++)
            for (int x = 1; x < n - 1; x++) {
                int i = z * layer + y * n + x;
                out[i] = 0.4f * in[i] + 0.1f * (in[i - 1] + in[i + 1] + in[i - n] + in[i + n] + in[i - layer] + in[i + layer]);
            }
}

static void bench_setup(const char *variant, int size)
{
    (void)variant;
    n = size;
    size_t all = (size_t)n * (size_t)n * (size_t)n;
    in = bench_floats(all, 1, 0, 1);
    out = bench_room(all * sizeof *out);
    memcpy(out, in, all * sizeof *out);
}

static void bench_launch(void)
{
    stencil(in, out, n);
}

static struct bench_result bench_result(void)
{
    return (struct bench_result){out, (size_t)n * n * n, 0};
}
