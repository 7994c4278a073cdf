// One iteration of speckle reducing anisotropic diffusion over n x n: a kernel for the coefficients and one for the update,
// blocks of 16 x 16, neighbours clamped at the edges.
#include <cuda_runtime.h>
#include "../kernels/bench.h"

#define TILE 16

static int n;
static float *in, *coefficient, *out;

__global__ void coefficients(const float *in, float *coefficient, int n, float q0)
{
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    if (x >= n || y >= n)
        return;
    float here = in[y * n + x];
    float north = in[max(y - 1, 0) * n + x] - here, south = in[min(y + 1, n - 1) * n + x] - here;
    float west = in[y * n + max(x - 1, 0)] - here, east = in[y * n + min(x + 1, n - 1)] - here;
    float gradient = (north * north + south * south + west * west + east * east) / (here * here);
    float laplacian = (north + south + west + east) / here;
    float part = 1 + 0.25f * laplacian;
    float q = (0.5f * gradient - 0.0625f * laplacian * laplacian) / (part * part);
    float c = 1 / (1 + (q - q0) / (q0 * (1 + q0)));
    coefficient[y * n + x] = fminf(fmaxf(c, 0.0f), 1.0f);
}

__global__ void update(const float *in, const float *coefficient, float *out, int n, float lambda)
{
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    if (x >= n || y >= n)
        return;
    int above = max(y - 1, 0), below = min(y + 1, n - 1), left = max(x - 1, 0), right = min(x + 1, n - 1);
    float here = in[y * n + x], c = coefficient[y * n + x];
    float divergence = c * (in[above * n + x] - here) + coefficient[below * n + x] * (in[below * n + x] - here) +
                       c * (in[y * n + left] - here) + coefficient[y * n + right] * (in[y * n + right] - here);
    out[y * n + x] = here + 0.25f * lambda * divergence;
}

static void bench_setup(const char *variant, int size)
{
    (void)variant;
    n = size;
    size_t all = (size_t)n * n;
    in = to_device(bench_floats(all, 1, 1, 1.5f), all);
    coefficient = device_room<float>(all);
    out = device_room<float>(all);
}

static void bench_launch()
{
    dim3 grid((n + TILE - 1) / TILE, (n + TILE - 1) / TILE), block(TILE, TILE);
    coefficients<<<grid, block>>>(in, coefficient, n, 0.05f);
    update<<<grid, block>>>(in, coefficient, out, n, 0.5f);
    finish();
}

static struct bench_result bench_result()
{
    size_t all = (size_t)n * n;
    return {to_host(out, all), all, 0};
}
