// A tensor of n x n x n times a matrix of n x n along its last side. A thread for each output in blocks of 32 x 8, a layer of
// the grid for each first index.
#include <cuda_runtime.h>
#include "../kernels/bench.h"

static int n;
static float *tensor, *matrix, *out;

__global__ void doitgen(const float *tensor, const float *matrix, float *out, int n)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x, q = blockIdx.y * blockDim.y + threadIdx.y, r = blockIdx.z;
    if (p >= n || q >= n)
        return;
    const float *row = tensor + ((size_t)r * n + q) * n;
    float sum = 0;
    for (int s = 0; s < n; s++)
        sum += row[s] * matrix[s * n + p];
    out[((size_t)r * n + q) * n + p] = sum;
}

static void bench_setup(const char *variant, int size)
{
    (void)variant;
    n = size;
    size_t all = (size_t)n * n * n;
    tensor = to_device(bench_floats(all, 1, 0, 1), all);
    matrix = to_device(bench_floats((size_t)n * n, 2, 0, 1), (size_t)n * n);
    out = device_room<float>(all);
}

static void bench_launch()
{
    doitgen<<<dim3((n + 31) / 32, (n + 7) / 8, n), dim3(32, 8)>>>(tensor, matrix, out, n);
    finish();
}

static struct bench_result bench_result()
{
    size_t all = (size_t)n * n * n;
    return {to_host(out, all), all, 0};
}
