// The discrete cosine transform of each 8 x 8 tile of an image of n x n: blocks of 8 x 8 multiply with the matrix of cosines from
// the left and with its transpose from the right, through shared memory. n is a multiple of 8.
#include <cuda_runtime.h>
#include "../kernels/bench.h"
#include "dct8x8.h"

static int n;
static float *in, *matrix, *out;

__global__ void dct8x8(const float *in, const float *matrix, float *out, int n)
{
    __shared__ float cosine[TILE][TILE + 1], tile[TILE][TILE], half[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y, at = (blockIdx.y * TILE + ty) * n + blockIdx.x * TILE + tx;
    cosine[ty][tx] = matrix[ty * TILE + tx];
    tile[ty][tx] = in[at];
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < TILE; k++)
        sum += cosine[ty][k] * tile[k][tx];
    half[ty][tx] = sum;
    __syncthreads();
    sum = 0;
    for (int k = 0; k < TILE; k++)
        sum += half[ty][k] * cosine[tx][k];
    out[at] = sum;
}

static void bench_setup(const char *variant, int size)
{
    (void)variant;
    n = size;
    size_t all = (size_t)n * n;
    in = to_device(bench_floats(all, 1, -128, 256), all);
    matrix = to_device(cosines(), TILE * TILE);
    out = device_room<float>(all);
}

static void bench_launch()
{
    dct8x8<<<dim3(n / TILE, n / TILE), dim3(TILE, TILE)>>>(in, matrix, out, n);
    finish();
}

static struct bench_result bench_result()
{
    size_t all = (size_t)n * n;
    return {to_host(out, all), all, 0};
}
