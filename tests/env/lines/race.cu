// Two warps write and read shared memory with no barrier between.
#include <cuda_runtime.h>

__global__ void exchange(int *p)
{
    __shared__ int s[64];
    s[threadIdx.x] = threadIdx.x;
    p[threadIdx.x] = s[63 - threadIdx.x];
}

int main()
{
    int *p;
    cudaMalloc(&p, 256);
    exchange<<<1, 64>>>(p);
    cudaDeviceSynchronize();
    cudaFree(p);
    return 0;
}
