// Neighbours exchange values in rounds; a cuda::barrier splits each round into arrive and wait.
#include <cstdio>
#include <utility>
#include <cuda/barrier>
#ifndef BUG
#define BUG 0
#endif
const int THREADS = 64, ROUNDS = 5;
typedef cuda::barrier<cuda::thread_scope_block> block_barrier;

__global__ void exchange(int *out)
{
    __shared__ block_barrier barrier;
    __shared__ int value[2][THREADS];
    int t = threadIdx.x, mine = t;
    if (t == 0)
        init(&barrier, BUG == 1 ? THREADS + 1 : THREADS); // @init
    if (BUG != 2)
        __syncthreads();
    for (int r = 0; r < ROUNDS; r++) {
        int s = BUG == 5 ? 0 : r % 2;
        if (BUG == 4 && t == THREADS - 1 && r == ROUNDS - 1)
            break;
        value[s][t] = mine;                                    // @store
        block_barrier::arrival_token token = barrier.arrive(); // @arrive
        int own = mine * 2;
        if (BUG == 3 && r > 0)
            (void)token;
        else
            barrier.wait(std::move(token));       // @wait
        mine = own + value[s][(t + 1) % THREADS]; // @load
    }
    out[t] = mine;
}

int main()
{
    int h[THREADS], want[THREADS], next[THREADS], *out, bad = 0;
    for (int t = 0; t < THREADS; t++)
        want[t] = t;
    for (int r = 0; r < ROUNDS; r++) {
        for (int t = 0; t < THREADS; t++)
            next[t] = want[t] * 2 + want[(t + 1) % THREADS];
        std::swap(want, next);
    }
    cudaMalloc(&out, sizeof h);
    exchange<<<1, THREADS>>>(out);
    cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
    for (int t = 0; t < THREADS; t++)
        bad += h[t] != want[t];
    puts(bad ? "FAILED" : "PASSED");
    cudaFree(out);
}
