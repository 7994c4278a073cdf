// A 7 x 7 filter over n x n points, from an image with a margin of 3 on each side; the filter is in constant memory.
// n is a multiple of 16.
#include <cuda_runtime.h>
#include "bench.h"

static int n;
static float *in, *out;
__constant__ float filter[49];

__global__ void convolution(const float *in, float *out, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, pitch = n + 6;
    float sum = 0;
    for (int dy = 0; dy < 7; dy++)
        for (int dx = 0; dx < 7; dx++)
            sum += filter[dy * 7 + dx] * in[(y + dy) * pitch + x + dx];
    out[y * n + x] = sum;
}

static void bench_setup(const char *variant, int size)
{
    (void)variant;
    n = size;
    size_t all = (size_t)(n + 6) * (n + 6);
    float *f = bench_floats(49, 2, -0.5f, 1);
    CHECK(cudaMemcpyToSymbol(filter, f, 49 * sizeof *f));
    in = to_device(bench_floats(all, 1, 0, 1), all);
    out = device_room<float>((size_t)n * n);
}

static void bench_launch()
{
    convolution<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(in, out, n);
    finish();
}

static struct bench_result bench_result()
{
    return {to_host(out, (size_t)n * n), (size_t)n * n, 0};
}
