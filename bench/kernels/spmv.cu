// y = A x for a sparse A in compressed rows (matrix.h): a "thread" for each row, or a "warp" for each row.
#include <cuda_runtime.h>
#include "bench.h"
#include "matrix.h"

static int n;
static bool warps;
static int *first, *column;
static float *value, *x, *y;

__global__ void spmv_thread(int n, const int *first, const int *column, const float *value, const float *x, float *y)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < n) {
        float sum = 0;
        for (int i = first[row]; i < first[row + 1]; i++)
            sum += value[i] * x[column[i]];
        y[row] = sum;
    }
}

__global__ void spmv_warp(int n, const int *first, const int *column, const float *value, const float *x, float *y)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row < n) {
        float sum = 0;
        for (int i = first[row] + lane; i < first[row + 1]; i += 32)
            sum += value[i] * x[column[i]];
        for (int step = 16; step; step /= 2)
            sum += __shfl_down_sync(~0u, sum, step);
        if (lane == 0)
            y[row] = sum;
    }
}

static void bench_setup(const char *variant, int rows)
{
    n = rows;
    warps = !strcmp(variant, "warp");
    struct matrix m = matrix_make(n);
    first = to_device(m.first, n + 1);
    column = to_device(m.column, m.elements);
    value = to_device(m.value, m.elements);
    x = to_device(bench_floats(n, 2, 0, 1), n);
    y = device_room<float>(n);
}

static void bench_launch()
{
    if (warps)
        spmv_warp<<<(n + 7) / 8, 256>>>(n, first, column, value, x, y);
    else
        spmv_thread<<<(n + 255) / 256, 256>>>(n, first, column, value, x, y);
    finish();
}

static struct bench_result bench_result()
{
    return {to_host(y, n), (size_t)n, 0};
}
