/* One iteration of speckle reducing anisotropic diffusion over n x n, neighbours clamped at the edges. */
#include "../kernels/bench.h"

static int n;
static float *in, *coefficient, *out;

static inline float coefficient_of(float here, float north, float south, float west, float east, float q0)
{
    north -= here, south -= here, west -= here, east -= here;
    float gradient = (north * north + south * south + west * west + east * east) / (here * here);
    float laplacian = (north + south + west + east) / here;
    float part = 1 + 0.25f * laplacian;
    float q = (0.5f * gradient - 0.0625f * laplacian * laplacian) / (part * part);
    return fminf(fmaxf(1 / (1 + (q - q0) / (q0 * (1 + q0))), 0), 1);
}

static void srad(const float *restrict in, float *restrict coefficient, float *restrict out, int n, float q0, float lambda)
{
#pragma omp parallel for
    for (int y = 0; y < n; y++) {
        const float *here = in + y * n, *above = y > 0 ? here - n : here, *below = y < n - 1 ? here + n : here;
        float *c = coefficient + y * n;
        int e = n - 1;
        c[0] = coefficient_of(here[0], above[0], below[0], here[0], here[1], q0);
        for (int x = 1; x < e; x++)
            c[x] = coefficient_of(here[x], above[x], below[x], here[x - 1], here[x + 1], q0);
        c[e] = coefficient_of(here[e], above[e], below[e], here[e - 1], here[e], q0);
    }
#pragma omp parallel for
    for (int y = 0; y < n; y++) {
        const float *here = in + y * n, *above = y > 0 ? here - n : here, *below = y < n - 1 ? here + n : here;
        const float *c = coefficient + y * n, *c_below = y < n - 1 ? c + n : c;
        float *to = out + y * n, step = 0.25f * lambda;
        int e = n - 1;
        to[0] = here[0] + step * (c[0] * (above[0] - here[0]) + c_below[0] * (below[0] - here[0]) + c[1] * (here[1] - here[0]));
        for (int x = 1; x < e; x++)
            to[x] = here[x] + step * (c[x] * (above[x] + here[x - 1] - 2 * here[x]) + c_below[x] * (below[x] - here[x]) +
                                      c[x + 1] * (here[x + 1] - here[x]));
        to[e] = here[e] + step * (c[e] * (above[e] + here[e - 1] - 2 * here[e]) + c_below[e] * (below[e] - here[e]));
    }
}

static void bench_setup(const char *variant, int size)
{
    (void)variant;
    n = size;
    size_t all = (size_t)n * (size_t)n;
    in = bench_floats(all, 1, 1, 1.5f);
    coefficient = bench_room(all * sizeof *coefficient);
    out = bench_room(all * sizeof *out);
}

static void bench_launch(void)
{
    srad(in, coefficient, out, n, 0.05f, 0.5f);
}

static struct bench_result bench_result(void)
{
    return (struct bench_result){out, (size_t)n * (size_t)n, 0};
}
