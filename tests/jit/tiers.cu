// A kernel whose warps stay whole and one whose lanes part, each for as long as it is told: what is compiled when.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

__global__ void whole(unsigned *p, int turns)
{
    unsigned v = p[blockIdx.x * blockDim.x + threadIdx.x];
    for (int i = 0; i < turns; i++)
        v = v * 1664525 + 1013904223 + i;
    p[blockIdx.x * blockDim.x + threadIdx.x] = v;
}

__global__ void apart(unsigned *p, int turns)
{
    unsigned v = p[blockIdx.x * blockDim.x + threadIdx.x];
    for (int i = 0; i < turns; i++) {
        if (v >> 9 & 1)
            v = __shfl_xor_sync(__activemask(), v, 0) * 3 + threadIdx.x;
        v = v * 1664525 + 1013904223 + i;
    }
    p[blockIdx.x * blockDim.x + threadIdx.x] = v;
}

int main(int, char **argv)
{
    int launches = atoi(argv[1]), turns = atoi(argv[2]);
    const int n = 64 * 96;
    static unsigned host[n];
    unsigned *p, sum = 0;
    for (int i = 0; i < n; i++)
        host[i] = i * 2654435761u;
    cudaMalloc(&p, sizeof host);
    cudaMemcpy(p, host, sizeof host, cudaMemcpyHostToDevice);
    for (int i = 0; i < launches; i++) {
        whole<<<96, 64>>>(p, turns);
        apart<<<96, 64>>>(p, turns / 128);
    }
    cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++)
        sum = sum * 31 + host[i];
    printf("%u\n", sum);
}
