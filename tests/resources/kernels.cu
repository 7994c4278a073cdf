// Two kernels whose resources are listed: shared memory and a barrier, local memory; and what cudaFuncGetAttributes says.
#include <cstdio>

__device__ int counters[3];

__global__ void shared_one(float *p)
{
    __shared__ float s[64];
    s[threadIdx.x] = p[threadIdx.x];
    __syncthreads();
    p[threadIdx.x] = s[63 - threadIdx.x];
}

__global__ void local_one(int *p, int n)
{
    int a[64];
#pragma unroll 1
    for (int i = 0; i < n; i++)
        a[i & 63] = p[i] + n;
    p[threadIdx.x] = a[p[threadIdx.x + 64] & 63];
    counters[0] = 1;
}

int main()
{
    cudaFuncAttributes a;
    if (cudaFuncGetAttributes(&a, shared_one) != cudaSuccess)
        return 1;
    printf("registers %d\n", a.numRegs);
    return 0;
}
