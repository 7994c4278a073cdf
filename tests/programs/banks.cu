// Every other word of shared memory, from a row's begin and from its middle, with words of 4 and of 8 bytes in successive
// banks. A Tesla K40 takes words i and i + 32 of an aligned row of 64 in one pass: the first load 1, the second 2; after
// cudaDeviceSetSharedMemConfig 1. The kernel for itself goes back to 4 bytes by cudaFuncSetSharedMemConfig.
#include <cstdio>

__global__ void row(float *out, int from)
{
    __shared__ float words[128];
    for (int i = threadIdx.x; i < 128; i += 32)
        words[i] = i;
    __syncthreads();
    out[threadIdx.x] = words[from + 2 * threadIdx.x];
}

int main()
{
    cudaSharedMemConfig config;
    float *out, last;
    cudaMalloc(&out, 32 * sizeof *out);
    row<<<1, 32>>>(out, 0);
    row<<<1, 32>>>(out, 32);
    cudaDeviceSetSharedMemConfig(cudaSharedMemBankSizeEightByte);
    row<<<1, 32>>>(out, 32);
    cudaFuncSetSharedMemConfig(row, cudaSharedMemBankSizeFourByte);
    row<<<1, 32>>>(out, 32);
    cudaMemcpy(&last, out + 31, sizeof last, cudaMemcpyDeviceToHost);
    cudaDeviceGetSharedMemConfig(&config);
    printf("%g, banks %d\n", last, (int)config);
}
