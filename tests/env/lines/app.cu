// The program that most command lines of lines.tsv are run with: copies, a fill, three kernels, the last between
// cudaProfilerStart and cudaProfilerStop and in an NVTX range. Its arguments mean nothing.
#include <cstdio>
#include <cuda_profiler_api.h>
#include <cuda_runtime.h>
#include <nvToolsExt.h>

__global__ void vector_add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}

template <int T> __global__ void matmul_tiled(const float *a, const float *b, float *c, int n)
{
    __shared__ float ta[T][T], tb[T][T];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * T + y, column = blockIdx.x * T + x;
    float sum = 0;
    for (int t = 0; t < n; t += T) {
        ta[y][x] = a[row * n + t + x];
        tb[y][x] = b[(t + y) * n + column];
        __syncthreads();
        for (int k = 0; k < T; k++)
            sum += ta[y][k] * tb[k][x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}

__global__ void count_positive(const float *a, int *count, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && a[i] > 0)
        atomicAdd(count, 1);
}

int main()
{
    const int side = 64, n = side * side;
    static float a[n], b[n], c[n];
    float *da, *db, *dc;
    int *dcount, count = 0;
    for (int i = 0; i < n; i++) {
        a[i] = i % 7;
        b[i] = 1;
    }
    cudaMalloc(&da, sizeof a);
    cudaMalloc(&db, sizeof b);
    cudaMalloc(&dc, sizeof c);
    cudaMalloc(&dcount, sizeof count);
    cudaMemcpy(da, a, sizeof a, cudaMemcpyHostToDevice);
    cudaMemcpy(db, b, sizeof b, cudaMemcpyHostToDevice);
    cudaMemset(dcount, 0, sizeof count);
    vector_add<<<n / 256, 256>>>(da, db, dc, n);
    count_positive<<<n / 256, 256>>>(da, dcount, n);
    cudaProfilerStart();
    nvtxRangePushA("work");
    nvtxRangePushA("start");
    matmul_tiled<16><<<dim3(side / 16, side / 16), dim3(16, 16)>>>(da, db, dc, side);
    vector_add<<<n / 256, 256>>>(da, db, da, n);
    cudaDeviceSynchronize();
    nvtxRangePop();
    nvtxRangePop();
    cudaProfilerStop();
    cudaMemcpy(c, dc, sizeof c, cudaMemcpyDeviceToHost);
    cudaMemcpy(&count, dcount, sizeof count, cudaMemcpyDeviceToHost);
    float sum = 0;
    for (int k = 0; k < side; k++)
        sum += a[k];
    printf("%s\n", c[0] == sum && count == n - (n + 6) / 7 ? "PASSED" : "FAILED");
    cudaFree(da);
    cudaFree(db);
    cudaFree(dc);
    cudaFree(dcount);
    return 0;
}
