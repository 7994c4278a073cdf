// With parts_other.cu: device code of two files, joined when the program starts, for parts.gdb.
#include <cstdio>

extern __device__ int scale;
__device__ int other(int *values, int i);
static __device__ int own(int i)
{
    __shared__ int mine[4];
    mine[i] = i + 1;
    return mine[i];
}
__global__ void first(int *out)
{
    __shared__ int both[4];
    int i = threadIdx.x;
    both[i] = 10 * own(i);
    out[i] = other(both, i) * scale;
}
int main()
{
    int *p, h[4];
    cudaMalloc(&p, sizeof h);
    first<<<1, 4>>>(p);
    cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost);
    printf("%d %d %d %d\n", h[0], h[1], h[2], h[3]);
}
