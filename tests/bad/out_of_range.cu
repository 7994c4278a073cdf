// A kernel without the bounds check: the second thread writes far past the array. Error 700, and every later call too.
#include <cstdio>
#include <cuda_runtime.h>

__device__ void put(int *a, long i) { a[i] = 1; }

__global__ void fill(int *a, long stride)
{
    long i = blockIdx.x * blockDim.x + threadIdx.x;
    put(a, i * stride);
}

int main()
{
    int *a, *b;
    printf("malloc %d\n", cudaMalloc(&a, 1000 * sizeof *a));
    fill<<<4, 256>>>(a, 1 << 25);
    printf("launch %d\n", cudaGetLastError());
    cudaError_t e = cudaDeviceSynchronize();
    printf("synchronize %d %s\n", e, cudaGetErrorString(e));
    printf("malloc %d\n", cudaMalloc(&b, 4));
    fill<<<1, 32>>>(a, 1);
    printf("launch %d\n", cudaGetLastError());
    printf("last %d\n", cudaGetLastError());
    printf("free %d\n", cudaFree(a));
    printf("reset %d\n", cudaDeviceReset());
    return 7;
}
