// A sum in one launch: each block stores a partial sum, and the block that comes last adds them up.
#include <cstdio>
#ifndef BUG
#define BUG 0
#endif
const int BLOCKS = 8, THREADS = 64, N = 4096;
#if BUG == 4 || BUG == 5
typedef volatile int cell;
#else
typedef int cell;
#endif
__device__ unsigned int arrived;

// The sum of a block's values, in thread 0.
__device__ int block_sum(int value)
{
    __shared__ int part[THREADS];
    int t = threadIdx.x;
    part[t] = value;
    for (int d = THREADS / 2; d > 0; d /= 2) {
        __syncthreads();
        if (t < d)
            part[t] += part[t + d];
    }
    return part[t];
}

__global__ void sum(const int *a, cell *partial, int *out)
{
    __shared__ bool last;
    int value = 0, t = threadIdx.x;
    for (int i = blockIdx.x * THREADS + t; i < N; i += BLOCKS * THREADS)
        value += a[i];
    value = block_sum(value);
    if (t == 0) {
        partial[blockIdx.x] = value; // @partial
        if (BUG == 2)
            __threadfence_block();
        else if (BUG != 1 && BUG != 4)
            __threadfence();
        last = atomicAdd(&arrived, 1) == BLOCKS - 1; // @set
        if (BUG != 5)
            __threadfence();
    }
    if (BUG != 3)
        __syncthreads();
    if (last) {                              // @last
        int p = t < BLOCKS ? partial[t] : 0; // @total
        value = block_sum(p);
        if (t == 0)
            *out = value;
    }
}

int main()
{
    static int h[N];
    int *a, *partial, *out, result = 0, wanted = 0;
    for (int i = 0; i < N; i++)
        wanted += h[i] = i % 37;
    cudaMalloc(&a, sizeof h);
    cudaMalloc(&partial, BLOCKS * sizeof(int));
    cudaMalloc(&out, sizeof(int));
    cudaMemset(out, 0, sizeof(int));
    cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice);
    sum<<<BLOCKS, THREADS>>>(a, partial, out);
    cudaMemcpy(&result, out, sizeof(int), cudaMemcpyDeviceToHost);
    puts(result == wanted ? "PASSED" : "FAILED");
    cudaFree(a);
    cudaFree(partial);
    cudaFree(out);
}
