/* A 7 x 7 filter over n x n points, from an image with a margin of 3 on each side. Row by row: a
 * row of sums stays in the first cache. */
#include "bench.h"

static int n;
static float *in, *out, *filter;

static void convolution(const float *restrict in, const float *restrict filter, float *restrict out, int n)
{
    int pitch = n + 6;
#pragma omp parallel for
    for (int y = 0; y < n; y++) {
        memset(out + y * n, 0, sizeof *out * (size_t)n);
        for (int dy = 0; dy < 7; dy++)
            for (int dx = 0; dx < 7; dx++)
                for (int x = 0; x < n; x++)
                    out[y * n + x] += filter[dy * 7 + dx] * in[(y + dy) * pitch + x + dx];
    }
}

static void bench_setup(const char *variant, int size)
{
    (void)variant;
    n = size;
    filter = bench_floats(49, 2, -0.5f, 1);
    in = bench_floats((size_t)(n + 6) * (size_t)(n + 6), 1, 0, 1);
    out = bench_room(sizeof *out * (size_t)n * (size_t)n);
}

static void bench_launch(void)
{
    convolution(in, filter, out, n);
}

static struct bench_result bench_result(void)
{
    return (struct bench_result){out, (size_t)n * n, 0};
}
