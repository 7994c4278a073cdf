// One step of a 9-point stencil over n x n points inside a margin of 1: blocks of 16 x 16 read their points and a margin
// through shared memory. n is a multiple of 16.
#include <cuda_runtime.h>
#include "../kernels/bench.h"

#define TILE 16

static int n;
static float *in, *out;

__global__ void stencil2d(const float *in, float *out, int pitch, float centre, float edge, float corner)
{
    __shared__ float tile[TILE + 2][TILE + 2];
    int left = blockIdx.x * TILE, top = blockIdx.y * TILE;
    for (int y = threadIdx.y; y < TILE + 2; y += TILE)
        for (int x = threadIdx.x; x < TILE + 2; x += TILE)
            tile[y][x] = in[(top + y) * pitch + left + x];
    __syncthreads();
    int x = threadIdx.x + 1, y = threadIdx.y + 1;
    float edges = tile[y - 1][x] + tile[y + 1][x] + tile[y][x - 1] + tile[y][x + 1];
    float corners = tile[y - 1][x - 1] + tile[y - 1][x + 1] + tile[y + 1][x - 1] + tile[y + 1][x + 1];
    out[(top + y) * pitch + left + x] = centre * tile[y][x] + edge * edges + corner * corners;
}

static void bench_setup(const char *variant, int size)
{
    (void)variant;
    n = size;
    size_t all = (size_t)(n + 2) * (n + 2);
    in = to_device(bench_floats(all, 1, 0, 1), all);
    out = device_room<float>(all);
    CHECK(cudaMemcpy(out, in, all * sizeof *out, cudaMemcpyDeviceToDevice));
}

static void bench_launch()
{
    stencil2d<<<dim3(n / TILE, n / TILE), dim3(TILE, TILE)>>>(in, out, n + 2, 0.25f, 0.15f, 0.0375f);
    finish();
}

static struct bench_result bench_result()
{
    size_t all = (size_t)(n + 2) * (n + 2);
    return {to_host(out, all), all, 0};
}
