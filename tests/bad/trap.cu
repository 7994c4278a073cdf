// A kernel that stops itself.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void stop(int n) { if (threadIdx.x == n) __trap(); }

int main()
{
    stop<<<3, 64>>>(40);
    cudaError_t e = cudaDeviceSynchronize();
    printf("%d %s\n", e, cudaGetErrorName(e));
    return 1;
}
