// Never frees what it allocated.
#include <cuda_runtime.h>

int main()
{
    int *p;
    cudaMalloc(&p, 64);
    cudaDeviceSynchronize();
    return 0;
}
