// A pipeline of two stages between warps, with mbarriers as PTX has them: full[s] and empty[s].
#include <cstdio>
#include <cstdint>
#ifndef BUG
#define BUG 0
#endif
const int STAGES = 2, ROUNDS = 8, WARP = 32;

__device__ unsigned address(const void *p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}

__device__ void set(uint64_t *m, int count)
{
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(address(m)), "r"(count)
                 : "memory"); // @set
}

__device__ void arrive(uint64_t *m)
{
    asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(address(m)) : "memory"); // @arrive
}

__device__ void wait(uint64_t *m, int parity)
{
    int done = 0;
    while (!done)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2;\n"
                     "selp.s32 %0, 1, 0, p; }" // @try
                     : "=r"(done)
                     : "r"(address(m)), "r"(parity)
                     : "memory");
}

__global__ void run(const int *a, int *out)
{
    __shared__ uint64_t full[STAGES], empty[STAGES];
    __shared__ int stage[STAGES][WARP];
    int lane = threadIdx.x % WARP;
    if (threadIdx.x == 0 && BUG != 1)
        for (int s = 0; s < STAGES; s++) {
            set(&full[s], BUG == 3 ? WARP + 1 : WARP);
            set(&empty[s], WARP); // @init
        }
    if (BUG != 2)
        __syncthreads();
    for (int r = 0; r < ROUNDS; r++) {
        int s = r % STAGES, phase = r / STAGES % 2;
        if (threadIdx.x < WARP) {
            if (r >= STAGES && BUG != 5)
                wait(&empty[s], phase ^ 1);      // @wait_empty
            stage[s][lane] = a[r * WARP + lane]; // @fill
            arrive(&full[s]);                    // @arrive_full
        } else {
            wait(&full[s], BUG == 4 ? phase ^ 1 : phase);     // @wait_full
            out[r * WARP + lane] = stage[s][WARP - 1 - lane]; // @drain
            if (BUG != 6 || lane > 0)
                arrive(&empty[s]);
        }
    }
}

int main()
{
    int h[ROUNDS * WARP], got[ROUNDS * WARP], *a, *out, bad = 0;
    for (int i = 0; i < ROUNDS * WARP; i++)
        h[i] = i * 3;
    cudaMalloc(&a, sizeof h);
    cudaMalloc(&out, sizeof h);
    cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice);
    run<<<1, 2 * WARP>>>(a, out);
    cudaMemcpy(got, out, sizeof h, cudaMemcpyDeviceToHost);
    for (int i = 0; i < ROUNDS * WARP; i++)
        bad += got[i] != h[i / WARP * WARP + WARP - 1 - i % WARP];
    puts(bad ? "FAILED" : "PASSED");
    cudaFree(a);
    cudaFree(out);
}
