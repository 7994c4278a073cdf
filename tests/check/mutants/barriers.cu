// Barriers of a block in loops and branches: every thread has to come to each.
#include <cstdio>
#include <cooperative_groups.h>
#ifndef BUG
#define BUG 0
#endif
namespace cg = cooperative_groups;
const int THREADS = 96, N = 300;

__global__ void sum(const int *a, int n, int *out, int *total)
{
    __shared__ int part[THREADS];
    int t = threadIdx.x, rounds = (n + THREADS - 1) / THREADS, mine = 0;
    if (BUG == 1) {
        for (int i = t; i < n; i += THREADS) {
            mine += a[i];
            part[t] = mine;
            __syncthreads(); // @loop
        }
    } else {
        for (int r = 0; r < rounds; r++) {
            int i = r * THREADS + t;
            if (BUG == 2 && i >= n)
                break;
            mine += i < n ? a[i] : 0;
            part[t] = mine;
            __syncthreads(); // @round
        }
    }
    if (BUG == 3 && t < 40)
        __syncthreads(); // @some
    if (BUG == 4 && t / 32 == 2)
        while (__syncthreads_or(t == 0) == 0) // @or
            ;
    __syncthreads(); // @after
    if (t == 0)
        for (int i = 0; i < THREADS; i++)
            atomicAdd(out, part[i]);
    if (BUG == 5 && blockIdx.x == 1)
        cg::this_grid().sync(); // @grid_one
    if (BUG != 5)
        cg::this_grid().sync(); // @grid
    if (t == 0)
        atomicAdd(total, 1);
}

int main()
{
    int h[N], *a, *out, *total, n = N, got = 0, blocks = 0, bad = 0, wanted = 0;
    for (int i = 0; i < N; i++)
        wanted += h[i] = i;
    cudaMalloc(&a, sizeof h);
    cudaMalloc(&out, sizeof(int));
    cudaMalloc(&total, sizeof(int));
    cudaMemset(out, 0, sizeof(int));
    cudaMemset(total, 0, sizeof(int));
    cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice);
    void *args[] = {&a, &n, &out, &total};
    cudaLaunchCooperativeKernel((const void *)sum, BUG == 5 ? 2 : 1, THREADS, args, 0, 0);
    bad += cudaDeviceSynchronize() != cudaSuccess;
    cudaMemcpy(&got, out, sizeof got, cudaMemcpyDeviceToHost);
    cudaMemcpy(&blocks, total, sizeof got, cudaMemcpyDeviceToHost);
    bad += got != wanted || blocks != 1;
    puts(bad ? "FAILED" : "PASSED");
    cudaFree(a);
    cudaFree(out);
    cudaFree(total);
}
