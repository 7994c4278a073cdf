// C = A B of n x n, three ways: "naive" (a row and a column for each thread, blocks of 32 x 8) and tiles in shared memory,
// "16" or "32" wide. n is a multiple of 32.
#include <cuda_runtime.h>
#include "bench.h"

static int n;
static const char *way;
static float *A, *B, *C;

__global__ void naive(const float *A, const float *B, float *C, int n)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += A[row * n + k] * B[k * n + col];
    C[row * n + col] = sum;
}

template <int T> __global__ void tiled(const float *A, const float *B, float *C, int n)
{
    __shared__ float a[T][T], b[T][T];
    int x = threadIdx.x, y = threadIdx.y, col = blockIdx.x * T + x, row = blockIdx.y * T + y;
    float sum = 0;
    for (int k0 = 0; k0 < n; k0 += T) {
        a[y][x] = A[row * n + k0 + x];
        b[y][x] = B[(k0 + y) * n + col];
        __syncthreads();
        for (int k = 0; k < T; k++)
            sum += a[y][k] * b[k][x];
        __syncthreads();
    }
    C[row * n + col] = sum;
}

static void bench_setup(const char *variant, int size)
{
    n = size;
    way = variant;
    A = to_device(bench_floats((size_t)n * n, 1, 0, 1), (size_t)n * n);
    B = to_device(bench_floats((size_t)n * n, 2, 0, 1), (size_t)n * n);
    C = device_room<float>((size_t)n * n);
}

static void bench_launch()
{
    if (!strcmp(way, "16"))
        tiled<16><<<dim3(n / 16, n / 16), dim3(16, 16)>>>(A, B, C, n);
    else if (!strcmp(way, "32"))
        tiled<32><<<dim3(n / 32, n / 32), dim3(32, 32)>>>(A, B, C, n);
    else
        naive<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(A, B, C, n);
    finish();
}

static struct bench_result bench_result()
{
    return {to_host(C, (size_t)n * n), (size_t)n * n, 0};
}
