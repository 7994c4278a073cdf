// Two warps make rows, two use them, with a named barrier for "full" and one for "empty".
#include <cstdio>
#ifndef BUG
#define BUG 0
#endif
const int ROUNDS = 6, HALF = 64;

__device__ void arrive(int barrier, int threads)
{
    asm volatile("barrier.cta.arrive %0, %1;" ::"r"(barrier), "r"(threads) : "memory"); // @arrive
}

__device__ void wait(int barrier, int threads)
{
    asm volatile("barrier.cta.sync %0, %1;" ::"r"(barrier), "r"(threads) : "memory"); // @wait
}

__global__ void run(int *out)
{
    __shared__ int row[HALF];
    int t = threadIdx.x % HALF;
    if (threadIdx.x < HALF) {
        for (int r = 0; r < ROUNDS; r++) {
            if (r > 0 && BUG != 1)
                wait(2, 2 * HALF);
            row[t] = r * 1000 + t; // @make
            if (BUG == 2)
                arrive(1, 2 * HALF - 32);
            else
                arrive(BUG == 3 ? 3 : 1, 2 * HALF);
        }
    } else {
        for (int r = 0; r < ROUNDS; r++) {
            if (BUG == 4)
                wait(1, HALF);
            else
                wait(1, 2 * HALF);
            out[r * HALF + t] = row[HALF - 1 - t]; // @use
            if (r < ROUNDS - 1 && BUG != 1)
                arrive(2, 2 * HALF);
        }
    }
}

int main()
{
    int h[ROUNDS * HALF], *out, bad = 0;
    cudaMalloc(&out, sizeof h);
    run<<<1, 2 * HALF>>>(out);
    cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
    for (int i = 0; i < ROUNDS * HALF; i++)
        bad += h[i] != i / HALF * 1000 + HALF - 1 - i % HALF;
    puts(bad ? "FAILED" : "PASSED");
    cudaFree(out);
}
