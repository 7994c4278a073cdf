// Device code that calls itself without end.
#include <cstdio>
#include <cuda_runtime.h>

__device__ __noinline__ int depth(volatile int *p, int n)
{
    if (p[0] == 12345) return n;
    int r = depth(p, n + 1);
    p[n & 63] = r;
    return r + 1;
}

__global__ void dive(int *p) { p[0] = depth(p, 1); }

int main()
{
    int *p;
    cudaMalloc(&p, 64 * sizeof *p);
    dive<<<1, 32>>>(p);
    cudaError_t e = cudaGetLastError();
    if (!e) e = cudaDeviceSynchronize();
    printf("%d %s\n", e, cudaGetErrorName(e));
    return 1;
}
