// A kernel calls a device function that is only declared: it says so at its launch, another kernel runs.
#include <cstdio>
#include <cuda_runtime.h>

extern __device__ int elsewhere(int n);

__global__ void calls(int *out) { *out = elsewhere(2); }
__global__ void quiet(int *out) { *out = 5; }

int main()
{
    int *out, h = 0;
    cudaMalloc(&out, sizeof *out);
    calls<<<1, 2>>>(out);
    cudaError_t e = cudaGetLastError();
    printf("calls: %d %s\n", e, cudaGetErrorName(e));
    quiet<<<1, 1>>>(out);
    cudaMemcpy(&h, out, sizeof h, cudaMemcpyDeviceToHost);
    printf("quiet: %d\n", h);
    return h != 5;
}
