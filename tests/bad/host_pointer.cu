// A kernel gets a pointer of malloc.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

__global__ void fill(int *a) { a[threadIdx.x] = threadIdx.x; }

int main()
{
    int *a = (int *)malloc(256 * sizeof *a);
    fill<<<1, 256>>>(a);
    cudaError_t e = cudaDeviceSynchronize();
    printf("%d %s\n", e, cudaGetErrorName(e));
    free(a);
    return e != cudaSuccess;
}
