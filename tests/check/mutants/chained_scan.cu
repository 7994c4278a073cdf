// An inclusive scan in one pass: a block waits for the sum of all before it, adds its own and
// passes it on. Blocks take their number when they start, so that none waits for one that has not.
#include <cstdio>
#ifndef BUG
#define BUG 0
#endif
const int BLOCKS = 8, THREADS = 64, N = BLOCKS * THREADS;
__device__ int started, passed[BLOCKS + 1], prefix[BLOCKS + 1];

__global__ void scan(const int *a, int *out)
{
    __shared__ int tile[THREADS], number, before;
    int t = threadIdx.x;
    if (t == 0)
        number = BUG == 5 ? started++ : atomicAdd(&started, 1); // @number
    if (BUG != 4)
        __syncthreads();
    int block = number; // @block
    tile[t] = a[block * THREADS + t];
    for (int d = 1; d < THREADS; d *= 2) {
        __syncthreads();
        int other = t >= d ? tile[t - d] : 0; // @other
        if (BUG != 1)
            __syncthreads();
        tile[t] += other; // @add
    }
    __syncthreads();
    if (t == 0) {
        if (block > 0)
            while (atomicAdd(&passed[block], 0) == 0)
                ;
        if (BUG != 3)
            __threadfence();
        before = block > 0 ? prefix[block] : 0;         // @get
        prefix[block + 1] = before + tile[THREADS - 1]; // @pass
        if (BUG != 2)
            __threadfence();
        atomicExch(&passed[block + 1], 1);
    }
    if (BUG != 6)
        __syncthreads();
    out[block * THREADS + t] = before + tile[t]; // @out
}

int main()
{
    static int h[N], got[N];
    int *a, *out, sum = 0, bad = 0;
    for (int i = 0; i < N; i++)
        h[i] = i % 5;
    cudaMalloc(&a, sizeof h);
    cudaMalloc(&out, sizeof h);
    cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice);
    scan<<<BLOCKS, THREADS>>>(a, out);
    cudaMemcpy(got, out, sizeof h, cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++)
        bad += got[i] != (sum += h[i]);
    puts(bad ? "FAILED" : "PASSED");
    cudaFree(a);
    cudaFree(out);
}
