// Reads memory that nobody has written.
#include <cuda_runtime.h>

__global__ void copy(const int *from, int *to)
{
    to[threadIdx.x] = from[threadIdx.x];
}

int main()
{
    int *p;
    cudaMalloc(&p, 256);
    copy<<<1, 32>>>(p, p + 32);
    cudaDeviceSynchronize();
    cudaFree(p);
    return 0;
}
