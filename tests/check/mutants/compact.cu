// Each warp keeps the odd numbers of its part, in order, through a buffer in shared memory.
#include <cstdio>
#ifndef BUG
#define BUG 0
#endif
const int THREADS = 64, ROUNDS = 4, N = THREADS * ROUNDS - 10, WARP = 32;

__global__ void compact(const int *a, int *out, int *count)
{
    __shared__ int buffer[THREADS / WARP][WARP];
    int warp = threadIdx.x / WARP, lane = threadIdx.x % WARP, kept = 0;
    int begin = warp * ROUNDS * WARP, *mine = buffer[warp];
    for (int r = 0; r < ROUNDS; r++) {
        int i = begin + r * WARP + lane;
        if (BUG == 1 && i >= N)
            break;
        int x = i < N ? a[i] : 0;
        unsigned odd = __ballot_sync(0xffffffff, x % 2); // @ballot
        unsigned below = BUG == 2 ? odd & ((2u << lane) - 1) : odd & ((1u << lane) - 1);
        if (x % 2)
            mine[__popc(below)] = x; // @put
        if (BUG == 4)
            __syncwarp(odd); // @syncwarp
        else if (BUG != 3)
            __syncwarp();
        if (BUG == 5 || lane < __popc(odd))
            out[begin + kept + lane] = mine[lane]; // @get
        kept += __popc(odd);
        __syncwarp();
    }
    if (lane == 0)
        count[warp] = kept;
}

int main()
{
    static int h[N], got[N];
    int count[THREADS / WARP], *a, *out, *c, bad = 0;
    for (int i = 0; i < N; i++)
        h[i] = i * i % 53 + i % 3;
    cudaMalloc(&a, sizeof h);
    cudaMalloc(&out, sizeof h);
    cudaMalloc(&c, sizeof count);
    cudaMemset(out, 0, sizeof h);
    cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice);
    compact<<<1, THREADS>>>(a, out, c);
    cudaMemcpy(got, out, sizeof h, cudaMemcpyDeviceToHost);
    cudaMemcpy(count, c, sizeof count, cudaMemcpyDeviceToHost);
    for (int w = 0; w < THREADS / WARP; w++) {
        int k = w * ROUNDS * WARP;
        for (int i = k; i < N && i < (w + 1) * ROUNDS * WARP; i++)
            if (h[i] % 2)
                bad += got[k++] != h[i];
        bad += count[w] != k - w * ROUNDS * WARP;
    }
    puts(bad ? "FAILED" : "PASSED");
    cudaFree(a);
    cudaFree(out);
    cudaFree(c);
}
