// One step of a 7-point stencil over n x n x n points; the surface stays as it is. A thread for each column along z.
#include <cuda_runtime.h>
#include "bench.h"

static int n;
static float *in, *out;

__global__ void stencil(const float *in, float *out, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, layer = n * n;
    if (x == 0 || y == 0 || x >= n - 1 || y >= n - 1)
        return;
    for (int z = 1, i = layer + y * n + x; z < n - 1; z++, i += layer)
        out[i] = 0.4f * in[i] + 0.1f * (in[i - 1] + in[i + 1] + in[i - n] + in[i + n] + in[i - layer] + in[i + layer]);
}

static void bench_setup(const char *variant, int size)
{
    (void)variant;
    n = size;
    size_t all = (size_t)n * n * n;
    in = to_device(bench_floats(all, 1, 0, 1), all);
    out = device_room<float>(all);
    CHECK(cudaMemcpy(out, in, all * sizeof *out, cudaMemcpyDeviceToDevice));
}

static void bench_launch()
{
    stencil<<<dim3((n + 31) / 32, (n + 7) / 8), dim3(32, 8)>>>(in, out, n);
    finish();
}

static struct bench_result bench_result()
{
    size_t all = (size_t)n * n * n;
    return {to_host(out, all), all, 0};
}
