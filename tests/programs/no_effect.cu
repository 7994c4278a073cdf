// Kernels whose stores the compiler took away, or that have none, beside one that stores: what is said of each, once.
#include <cstdio>

__global__ void never(float *o, int n)
{
    float s = 0;
    for (int i = 0; i < n; i++)
        s += o[i];
    if (s < -1 && s > 1)
        o[0] = s;
}
__global__ void nothing() {}
__global__ void stores(float *o) { o[threadIdx.x] = 1; }
__global__ void adds(int *o) { atomicAdd(o, 1); }
__global__ void prints() { printf("printed\n"); }
__global__ void traps(int n) { if (n) __trap(); }

int main()
{
    float *o;
    cudaMalloc(&o, 400);
    cudaMemset(o, 0, 400);
    for (int i = 0; i < 2; i++)
        never<<<1, 32>>>(o, 100);
    nothing<<<1, 1>>>();
    stores<<<1, 32>>>(o);
    adds<<<1, 32>>>((int *)o + 50);
    prints<<<1, 1>>>();
    traps<<<1, 1>>>(0);
    printf(cudaDeviceSynchronize() ? "FAILED\n" : "PASSED\n");
    cudaFree(o);
}
