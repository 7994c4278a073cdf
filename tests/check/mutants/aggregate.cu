// One atomic a warp and key: the lanes of a key elect a leader, which adds for all and hands out
// places.
#include <cstdio>
#include <cooperative_groups.h>
#ifndef BUG
#define BUG 0
#endif
namespace cg = cooperative_groups;
const int THREADS = 128, KEYS = 4, N = 118;

__global__ void place(const int *key, int *count, int *where)
{
    int t = threadIdx.x, lane = t % 32;
    __shared__ int base_of[THREADS];
    unsigned inside = BUG == 1 ? 0xffffffff : __ballot_sync(0xffffffff, t < N);
    if (t >= N)
        return;
    int k = key[t];
    unsigned same = __match_any_sync(inside, k); // @match
    int leader = __ffs(same) - 1, base = 0;
    if (lane == leader) {
        base = atomicAdd(&count[k], __popc(same));
        if (BUG == 2)
            base = __shfl_sync(same, base, leader); // @shfl_leader
        base_of[t] = base;                          // @base
    }
    if (BUG == 3) {
        base = base_of[t - lane + leader]; // @read
    } else if (BUG == 4) {
        base = __shfl_sync(0xffffffff, base, leader); // @shfl_full
    } else if (BUG != 2) {
        base = __shfl_sync(same, base, leader);
    } else {
        __syncwarp(same);
        base = base_of[t - lane + leader];
    }
    where[t] = base + __popc(same & ((1u << lane) - 1));
    cg::coalesced_group now = cg::coalesced_threads();
    if (BUG == 5) {
        if (k == 1)
            now.sync(); // @group
    } else {
        now.sync();
    }
}

int main()
{
    int h[N], got[N], c[KEYS], wanted[KEYS] = {}, *key, *count, *where, bad = 0;
    static bool taken[KEYS][N];
    for (int i = 0; i < N; i++)
        wanted[h[i] = i * 7 % 13 % KEYS]++;
    cudaMalloc(&key, sizeof h);
    cudaMalloc(&where, sizeof h);
    cudaMalloc(&count, sizeof c);
    cudaMemset(count, 0, sizeof c);
    cudaMemcpy(key, h, sizeof h, cudaMemcpyHostToDevice);
    place<<<1, THREADS>>>(key, count, where);
    cudaMemcpy(got, where, sizeof h, cudaMemcpyDeviceToHost);
    cudaMemcpy(c, count, sizeof c, cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++) {
        bool ok = got[i] >= 0 && got[i] < wanted[h[i]] && !taken[h[i]][got[i]];
        bad += !ok;
        if (ok)
            taken[h[i]][got[i]] = true;
    }
    for (int k = 0; k < KEYS; k++)
        bad += c[k] != wanted[k];
    puts(bad ? "FAILED" : "PASSED");
    cudaFree(key);
    cudaFree(where);
    cudaFree(count);
}
