/* One step of a 9-point stencil over n x n points inside a margin of 1. */
#include "../kernels/bench.h"

static int n;
static float *in, *out;

static void stencil2d(const float *restrict in, float *restrict out, int n, float centre, float edge, float corner)
{
    int pitch = n + 2;
#pragma omp parallel for
    for (int y = 1; y <= n; y++) {
        const float *above = in + (y - 1) * pitch, *here = above + pitch, *below = here + pitch;
        for (int x = 1; x <= n; x++)
            out[y * pitch + x] = centre * here[x] + edge * (above[x] + below[x] + here[x - 1] + here[x + 1]) +
                                 corner * (above[x - 1] + above[x + 1] + below[x - 1] + below[x + 1]);
    }
}

static void bench_setup(const char *variant, int size)
{
    (void)variant;
    n = size;
    size_t all = (size_t)(n + 2) * (size_t)(n + 2);
    in = bench_floats(all, 1, 0, 1);
    out = bench_room(all * sizeof *out);
    memcpy(out, in, all * sizeof *out);
}

static void bench_launch(void)
{
    stencil2d(in, out, n, 0.25f, 0.15f, 0.0375f);
}

static struct bench_result bench_result(void)
{
    return (struct bench_result){out, (size_t)(n + 2) * (size_t)(n + 2), 0};
}
