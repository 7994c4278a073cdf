// Sums of warps by shuffles; the last warp has lanes without an element.
#include <cstdio>
#ifndef BUG
#define BUG 0
#endif
const int THREADS = 96, N = 84, WARP = 32;

__device__ int sum_of(unsigned mask, int v)
{
    for (int d = WARP / 2; d > 0; d /= 2)
        v += __shfl_down_sync(mask, v, d); // @down
    return v;
}

__global__ void sum(const int *a, int *out, int *top)
{
    int t = threadIdx.x, lane = t % WARP, v = 0;
    if (BUG == 4 && t >= N)
        return;
    unsigned all = BUG == 2 ? __activemask() : 0xffffffff;
    if (BUG == 1 || BUG == 2) {
        if (t < N)
            v = sum_of(all, a[t]); // @branch
    } else {
        v = sum_of(all, t < N ? a[t] : 0); // @sum
    }
    if (lane == 0)
        atomicAdd(out, v);
    int mine = t < N ? a[t] : 0, last;
    if (BUG == 3) {
        if (lane < 16)
            last = __shfl_sync(0xffffffff, mine, 15); // @low
        else
            last = __shfl_sync(0xffffffff, mine, 31); // @high
    } else {
        last = __shfl_sync(0xffffffff, mine, lane < 16 ? 15 : 31); // @last
    }
    if (lane < 16) {
        int x = __shfl_sync(BUG == 5 ? 0xff : 0xffff, mine, BUG == 6 ? 31 : 15); // @half
        last += x - mine;                                                        // @use
    }
    top[t] = last; // @top
}

int main()
{
    int h[N], got[THREADS], sum_got = 0, wanted = 0, *a, *out, *top, bad = 0;
    for (int i = 0; i < N; i++)
        wanted += h[i] = i * i % 41;
    cudaMalloc(&a, sizeof h);
    cudaMalloc(&out, sizeof(int));
    cudaMalloc(&top, sizeof got);
    cudaMemset(out, 0, sizeof(int));
    cudaMemset(top, 0, sizeof got);
    cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice);
    sum<<<1, THREADS>>>(a, out, top);
    cudaMemcpy(&sum_got, out, sizeof(int), cudaMemcpyDeviceToHost);
    cudaMemcpy(got, top, sizeof got, cudaMemcpyDeviceToHost);
    for (int t = 0; t < N; t++) {
        int from = t / WARP * WARP + (t % WARP < 16 ? 15 : 31), last = from < N ? h[from] : 0;
        bad += got[t] != last + (t % WARP < 16 ? last - h[t] : 0);
    }
    puts(bad || sum_got != wanted ? "FAILED" : "PASSED");
    cudaFree(a);
    cudaFree(out);
    cudaFree(top);
}
