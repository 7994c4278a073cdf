/* One lattice-Boltzmann step (19 velocities, one relaxation time) over n x n x n cells, stored velocity by velocity. Each cell
 * pulls from its neighbours; an obstacle sends back what came. The surface stays as it is. */
#include "../kernels/bench.h"
#include "lbm.h"

static int n;
static float *in, *out;
static unsigned char *solid;

static void lbm(const float *restrict in, float *restrict out, const unsigned char *restrict solid, int n)
{
    int cells = n * n * n;
#pragma omp parallel for collapse(2)
    for (int z = 1; z < n - 1; z++)
        for (int y = 1; y < n - 1; y++)
#pragma omp simd
            for (int x = 1; x < n - 1; x++) {
                int i = (z * n + y) * n + x;
#define PULL(q, cx, cy, cz, back, weight, along) float f##q = in[q * cells + i - (cz * n + cy) * n - cx];
                VELOCITIES(PULL)
                float density = f0 + f1 + f2 + f3 + f4 + f5 + f6 + f7 + f8 + f9 + f10 + f11 + f12 + f13 + f14 + f15 + f16 + f17 + f18;
                float ux = (f1 - f2 + f7 - f8 + f9 - f10 + f11 - f12 + f13 - f14) / density;
                float uy = (f3 - f4 + f7 - f8 - f9 + f10 + f15 - f16 + f17 - f18) / density;
                float uz = (f5 - f6 + f11 - f12 - f13 + f14 + f15 - f16 - f17 + f18) / density;
                float rest = 1 - 1.5f * (ux * ux + uy * uy + uz * uz);
                int wall = solid[i];
#define COLLIDE(q, cx, cy, cz, back, weight, along)                                                          \
    {                                                                                                        \
        float u = along, even = weight * density * (rest + 3 * u + 4.5f * u * u);                            \
        out[q * cells + i] = wall ? f##back : f##q + OMEGA * (even - f##q);                                  \
    }
                VELOCITIES(COLLIDE)
            }
}

static void bench_setup(const char *variant, int size)
{
    (void)variant;
    n = size;
    size_t cells = (size_t)n * (size_t)n * (size_t)n;
    in = bench_floats(19 * cells, 1, 0.02f, 0.06f);
    out = bench_room(19 * cells * sizeof *out);
    memcpy(out, in, 19 * cells * sizeof *out);
    solid = obstacle(n);
}

static void bench_launch(void)
{
    lbm(in, out, solid, n);
}

static struct bench_result bench_result(void)
{
    return (struct bench_result){out, 19 * (size_t)n * (size_t)n * (size_t)n, 0};
}
