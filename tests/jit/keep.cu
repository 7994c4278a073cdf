// Kernels of three kinds for tests/jit/keep.py: one that waits at barriers, one whose threads go different ways, one that
// reaches a variable. Prints what they computed, and whether the compiler was loaded.
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

__device__ int bias = 5;

__global__ void turn(int *p)
{
    __shared__ int s[64];
    s[threadIdx.x] = p[blockIdx.x * 64 + threadIdx.x];
    __syncthreads();
    p[blockIdx.x * 64 + threadIdx.x] = s[63 - threadIdx.x] + bias;
}

__global__ void apart(int *p)
{
    int v = p[threadIdx.x];
    for (int i = 0; i < threadIdx.x % 7; i++)
        v = v * 3 + i;
    p[threadIdx.x] = v;
}

int main()
{
    int host[128], *p;
    unsigned sum = 0;
    for (int i = 0; i < 128; i++)
        host[i] = i * i;
    cudaMalloc(&p, sizeof host);
    cudaMemcpy(p, host, sizeof host, cudaMemcpyHostToDevice);
    turn<<<2, 64>>>(p);
    apart<<<1, 128>>>(p);
    apart<<<1, 45>>>(p);
    cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 128; i++)
        sum = sum * 31 + host[i];

    char line[1000];
    bool loaded = false;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (fgets(line, sizeof line, maps))
        loaded |= strstr(line, "libheddle-jit") != nullptr;
    printf("%u %s\n", sum, loaded ? "loaded" : "not loaded");
}
