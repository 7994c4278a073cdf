// An index past the end of a shared array, and one past the end of a thread's own array.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void shared(int *out, int at)
{
    __shared__ int s[64];
    s[threadIdx.x + at] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x];
}

__global__ void local(int *out, int at)
{
    int a[16];
    for (int i = 0; i < 16; i++) a[(i * at) % 16] = i;
    out[threadIdx.x] = a[at * threadIdx.x];
}

int main(int argc, char **)
{
    int *out;
    cudaMalloc(&out, 4096);
    if (argc > 1) local<<<1, 64>>>(out, 5);
    else shared<<<1, 64>>>(out, 1 << 18);
    cudaError_t e = cudaDeviceSynchronize();
    printf("%d %s\n", e, cudaGetErrorName(e));
    return 1;
}
