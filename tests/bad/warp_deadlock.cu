// Half of a warp waits for the other half, which waits at a barrier of the block.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void meet(int *out)
{
    if (threadIdx.x % 32 < 16)
        out[threadIdx.x] = __shfl_xor_sync(0xffffffff, out[threadIdx.x], 16);
    else
        __syncthreads();
    out[threadIdx.x]++;
}

int main()
{
    int *out;
    cudaMalloc(&out, 64 * sizeof *out);
    meet<<<1, 64>>>(out);
    cudaError_t e = cudaDeviceSynchronize();
    printf("%d %s\n", e, cudaGetErrorName(e));
    return 1;
}
