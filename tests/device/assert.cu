// Failed assertions: every thread of the block says so, the launch ends with error 710.
#include <cassert>
#include <cstdio>

__global__ void check(int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    printf("thread %d\n", i);
    __syncthreads();
    assert(i % 64 < n);
}

int main()
{
    check<<<1, 64>>>(64);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    check<<<1, 64>>>(31);
    cudaError_t e = cudaDeviceSynchronize();
    printf("%d %s %s\n", e, cudaGetErrorName(e), cudaGetErrorString(e));
    printf("%s\n", cudaGetErrorName(cudaMalloc((void **)&e, 4)));
}
