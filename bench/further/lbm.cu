// One lattice-Boltzmann step (19 velocities, one relaxation time) over n x n x n cells, stored velocity by velocity: a thread
// for each cell, a block for each row. Each cell pulls from its neighbours; an obstacle sends back what came. The surface
// stays as it is.
#include <cuda_runtime.h>
#include "../kernels/bench.h"
#include "lbm.h"

static int n;
static float *in, *out;
static unsigned char *solid;

__global__ void lbm(const float *in, float *out, const unsigned char *solid, int n)
{
    int x = threadIdx.x, y = blockIdx.x + 1, z = blockIdx.y + 1, cells = n * n * n, i = (z * n + y) * n + x;
    if (x == 0 || x == n - 1)
        return;
#define PULL(q, cx, cy, cz, back, weight, along) float f##q = in[q * cells + i - (cz * n + cy) * n - cx];
    VELOCITIES(PULL)
    if (solid[i]) {
#define BOUNCE(q, cx, cy, cz, back, weight, along) out[q * cells + i] = f##back;
        VELOCITIES(BOUNCE)
        return;
    }
    float density = f0 + f1 + f2 + f3 + f4 + f5 + f6 + f7 + f8 + f9 + f10 + f11 + f12 + f13 + f14 + f15 + f16 + f17 + f18;
    float ux = (f1 - f2 + f7 - f8 + f9 - f10 + f11 - f12 + f13 - f14) / density;
    float uy = (f3 - f4 + f7 - f8 - f9 + f10 + f15 - f16 + f17 - f18) / density;
    float uz = (f5 - f6 + f11 - f12 - f13 + f14 + f15 - f16 - f17 + f18) / density;
    float rest = 1 - 1.5f * (ux * ux + uy * uy + uz * uz);
#define COLLIDE(q, cx, cy, cz, back, weight, along)                                                          \
    {                                                                                                        \
        float u = along, even = weight * density * (rest + 3 * u + 4.5f * u * u);                            \
        out[q * cells + i] = f##q + OMEGA * (even - f##q);                                                   \
    }
    VELOCITIES(COLLIDE)
}

static void bench_setup(const char *variant, int size)
{
    (void)variant;
    n = size;
    size_t cells = (size_t)n * n * n;
    in = to_device(bench_floats(19 * cells, 1, 0.02f, 0.06f), 19 * cells);
    out = device_room<float>(19 * cells);
    CHECK(cudaMemcpy(out, in, 19 * cells * sizeof *out, cudaMemcpyDeviceToDevice));
    solid = to_device(obstacle(n), cells);
}

static void bench_launch()
{
    lbm<<<dim3(n - 2, n - 2), n>>>(in, out, solid, n);
    finish();
}

static struct bench_result bench_result()
{
    size_t all = 19 * (size_t)n * n * n;
    return {to_host(out, all), all, 0};
}
