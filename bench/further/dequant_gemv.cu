// A matrix of n x n in 4-bit integers, with a scale for each 32, times a vector. A warp for each row in blocks of 128; each lane
// unpacks 8 numbers from a word. n is a multiple of 32.
#include <cuda_runtime.h>
#include "../kernels/bench.h"
#include "dequant_gemv.h"

#define THREADS 128

static int n;
static uint32_t *matrix;
static float *scale, *x, *y;

__global__ void dequant_gemv(const uint32_t *matrix, const float *scale, const float *x, float *y, int n)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= n)
        return;
    const uint32_t *words = matrix + (size_t)row * (n / 8);
    const float *scales = scale + (size_t)row * (n / GROUP);
    float sum = 0;
    for (int i = lane; i < n / 8; i += 32) {
        uint32_t word = words[i];
        float part = 0;
#pragma unroll
        for (int k = 0; k < 8; k++)
            part += (float)((int)(word >> 4 * k & 15) - 8) * x[8 * i + k];
        sum += part * scales[i / (GROUP / 8)];
    }
    for (int step = 16; step > 0; step /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, step);
    if (lane == 0)
        y[row] = sum;
}

static void bench_setup(const char *variant, int size)
{
    (void)variant;
    n = size;
    size_t all = (size_t)n * n;
    matrix = to_device(words(all / 8), all / 8);
    scale = to_device(bench_floats(all / GROUP, 1, 0.01f, 0.1f), all / GROUP);
    x = to_device(bench_floats(n, 2, -1, 2), n);
    y = device_room<float>(n);
}

static void bench_launch()
{
    dequant_gemv<<<(n * 32 + THREADS - 1) / THREADS, THREADS>>>(matrix, scale, x, y, n);
    finish();
}

static struct bench_result bench_result()
{
    return {to_host(y, n), (size_t)n, 0};
}
