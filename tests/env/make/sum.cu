#include "sum.h"
#ifndef __NVCC__
#error "this is not compiled by what calls itself nvcc"
#endif

__global__ void add_all(const int *numbers, int n, int *result)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(result, numbers[i]);
}

cudaError_t sum(const int *numbers, int n, int *result)
{
    int *d;
    cudaError_t e = cudaMalloc(&d, (n + 1) * sizeof(int));
    if (e != cudaSuccess)
        return e;
    cudaMemcpy(d, numbers, n * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemset(d + n, 0, sizeof(int));
    add_all<<<(n + 63) / 64, 64>>>(d, n, d + n);
    e = cudaMemcpy(result, d + n, sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(d);
    return e;
}
