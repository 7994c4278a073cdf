// Two barriers that wait for each other: half of the threads at one, half at the other.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void wait(int *out)
{
    if (threadIdx.x < 64)
        asm volatile("bar.sync 1;");
    else
        asm volatile("bar.sync 2;");
    *out = 1;
}

int main()
{
    int *out;
    cudaMalloc(&out, sizeof *out);
    wait<<<2, 128>>>(out);
    cudaError_t e = cudaDeviceSynchronize();
    printf("%d %s\n", e, cudaGetErrorName(e));
    return 1;
}
