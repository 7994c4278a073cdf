// A kernel whose shared array is larger than a block may have without opting in, and one larger than any block may have.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void huge(int *out)
{
    __shared__ int s[100000];
    s[threadIdx.x * 99] = threadIdx.x;
    __syncthreads();
    *out = s[0];
}

int main()
{
    int *out;
    cudaMalloc(&out, sizeof *out);
    huge<<<1, 32>>>(out);
    cudaError_t e = cudaGetLastError();
    printf("%d %s\n", e, cudaGetErrorName(e));
    printf("after: %d\n", cudaDeviceSynchronize());
    return 1;
}
