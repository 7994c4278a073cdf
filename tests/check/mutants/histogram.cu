// A histogram: counted in shared memory, block by block, then added to the one in global memory.
#include <cstdio>
#ifndef BUG
#define BUG 0
#endif
const int BINS = 64, BLOCKS = 4, THREADS = 128, N = 4096;

__global__ void count(const unsigned char *a, int *bins)
{
    __shared__ int mine[BINS];
    int t = threadIdx.x;
    if (t < BINS)
        mine[t] = 0; // @clear
    if (BUG != 1)
        __syncthreads();
    for (int i = blockIdx.x * THREADS + t; i < N; i += BLOCKS * THREADS) {
        int b = a[i] % BINS;
        if (BUG == 2)
            mine[b]++; // @plain
        else
            atomicAdd(&mine[b], 1); // @count
    }
    if (BUG != 3)
        __syncthreads();
    if (t < BINS) {
        int m = mine[t]; // @merge
        if (BUG == 4)
            bins[t] += m; // @global
        else if (BUG == 5)
            atomicAdd_block(&bins[t], m); // @block
        else
            atomicAdd(&bins[t], m);
    }
}

int main()
{
    static unsigned char h[N];
    int wanted[BINS] = {}, got[BINS], *bins, bad = 0;
    unsigned char *a;
    for (int i = 0; i < N; i++)
        wanted[(h[i] = i * i % 251) % BINS]++;
    cudaMalloc(&a, N);
    cudaMalloc(&bins, sizeof got);
    cudaMemcpy(a, h, N, cudaMemcpyHostToDevice);
    cudaMemset(bins, 0, sizeof got);
    count<<<BLOCKS, THREADS>>>(a, bins);
    cudaMemcpy(got, bins, sizeof got, cudaMemcpyDeviceToHost);
    for (int i = 0; i < BINS; i++)
        bad += got[i] != wanted[i];
    puts(bad ? "FAILED" : "PASSED");
    cudaFree(a);
    cudaFree(bins);
}
