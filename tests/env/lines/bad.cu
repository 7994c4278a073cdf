// Writes one element past the end.
#include <cuda_runtime.h>

__global__ void write_past(int *p, int n)
{
    p[n] = 1;
}

int main()
{
    int *p;
    cudaMalloc(&p, 40);
    write_past<<<1, 1>>>(p, 10);
    cudaDeviceSynchronize();
    cudaFree(p);
    return 0;
}
