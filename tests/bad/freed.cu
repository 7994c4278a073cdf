// A kernel reads memory that was freed; another one a null pointer.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void sum(const float *in, float *out) { atomicAdd(out, in[threadIdx.x]); }

int main(int argc, char **)
{
    float *in, *out;
    cudaMalloc(&in, 8 << 20);
    cudaMalloc(&out, sizeof *out);
    cudaFree(in);
    sum<<<1, 32>>>(argc > 1 ? nullptr : in, out);
    printf("%d\n", cudaDeviceSynchronize());
    return 0;
}
