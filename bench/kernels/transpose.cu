// The transpose of n x n through a padded tile of 32 x 32, four rows for each thread. n is a multiple of 32.
#include <cuda_runtime.h>
#include "bench.h"

static int n;
static float *in, *out;

__global__ void transpose(const float *in, float *out, int n)
{
    __shared__ float tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int i = 0; i < 32; i += 8)
        tile[threadIdx.y + i][threadIdx.x] = in[(y + i) * n + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int i = 0; i < 32; i += 8)
        out[(y + i) * n + x] = tile[threadIdx.x][threadIdx.y + i];
}

static void bench_setup(const char *variant, int size)
{
    (void)variant;
    n = size;
    in = to_device(bench_floats((size_t)n * n, 1, 0, 1), (size_t)n * n);
    out = device_room<float>((size_t)n * n);
}

static void bench_launch()
{
    transpose<<<dim3(n / 32, n / 32), dim3(32, 8)>>>(in, out, n);
    finish();
}

static struct bench_result bench_result()
{
    return {to_host(out, (size_t)n * n), (size_t)n * n, 0};
}
