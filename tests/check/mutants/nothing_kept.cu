// Stores and loads that a compiler may drop: overwritten at once, written back unchanged, never
// used.
#include <cstdio>
#ifndef BUG
#define BUG 0
#endif
const int N = 256;

__global__ void reset(int *a)
{
    int i = threadIdx.x;
    int trace[4];
    trace[BUG == 1 ? i % 5 : i % 4] = i; // @dead
    a[i] = 1;
}

__global__ void warm(const int *a, int n)
{
    int sum = 0;
    for (int i = threadIdx.x; i < n + (BUG == 2 ? N : 0); i += blockDim.x)
        sum += a[i]; // @warm
}

__global__ void touch(int *a)
{
    int i = threadIdx.x;
    if (BUG == 3)
        a[i / 2] = a[i / 2]; // @same
    if (BUG == 4)
        *a = i < N ? *a : i; // @null_copy
}

__global__ void last(int *a, int *flag)
{
    __shared__ int scratch[N];
    int i = threadIdx.x;
    scratch[i] = a[i];
    __syncthreads();
    if (BUG == 5)
        scratch[i / 2] = i; // @again
    if (i == 0)
        *flag = scratch[0]; // @flag
}

int main()
{
    int h[N], *a, *flag, f = 0, bad = 0;
    cudaMalloc(&a, N * sizeof(int));
    cudaMalloc(&flag, sizeof(int));
    reset<<<1, N>>>(a);
    warm<<<1, 64>>>(a, N);
    touch<<<1, N>>>(a);
    last<<<1, N>>>(a, flag);
    cudaMemcpy(h, a, sizeof h, cudaMemcpyDeviceToHost);
    cudaMemcpy(&f, flag, sizeof f, cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++)
        bad += h[i] != 1;
    puts(bad || (BUG != 5 && f != 1) ? "FAILED" : "PASSED");
    cudaFree(a);
    cudaFree(flag);
}
