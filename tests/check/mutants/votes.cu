// Lanes that iterate until all agree, then add up what they found.
#include <cstdio>
#ifndef BUG
#define BUG 0
#endif
const int N = 64;

__global__ void collatz(int *steps, unsigned *total, unsigned *even)
{
    int t = threadIdx.x, lane = t % 32, n = 0;
    unsigned x = t + 1;
    bool done = x == 1;
    if (BUG == 1) {
        while (!done) {
            x = x % 2 ? 3 * x + 1 : x / 2;
            n++;
            done = x == 1;
            if (__all_sync(0xffffffff, done)) // @all
                break;
        }
    } else {
        while (!__all_sync(0xffffffff, done)) {
            if (!done) {
                x = x % 2 ? 3 * x + 1 : x / 2;
                n++;
            }
            done = x == 1;
        }
    }
    steps[t] = n;
    unsigned half = lane < 16 ? 0xffff : 0xffff0000;
    unsigned sum = __reduce_add_sync(BUG == 2 ? 0xffff : half, n); // @reduce
    if (lane % 16 == 0)
        atomicAdd(total, sum);
    if (BUG == 3)
        __syncwarp(lane < 8 ? 0xff : 0xffffffff); // @masks
    unsigned e = 0;
    if (BUG == 4) {
        if (lane < 16)
            e = __ballot_sync(0xffffffff, n % 2 == 0); // @ballot
        else
            __syncwarp(); // @pair
    } else {
        e = __ballot_sync(0xffffffff, n % 2 == 0);
    }
    if (BUG == 5 && lane == 31)
        return;
    __syncwarp(); // @last
    if (lane == 0)
        even[t / 32] = e & 0xffff;
}

int main()
{
    int got[N], *steps, bad = 0;
    unsigned *total, *even, sum, wanted = 0, e[2], ballot = 0;
    cudaMalloc(&steps, sizeof got);
    cudaMalloc(&total, sizeof sum);
    cudaMalloc(&even, sizeof e);
    cudaMemset(total, 0, sizeof sum);
    collatz<<<1, N>>>(steps, total, even);
    cudaMemcpy(got, steps, sizeof got, cudaMemcpyDeviceToHost);
    cudaMemcpy(&sum, total, sizeof sum, cudaMemcpyDeviceToHost);
    cudaMemcpy(e, even, sizeof e, cudaMemcpyDeviceToHost);
    for (int t = 0; t < N; t++) {
        int n = 0;
        for (unsigned x = t + 1; x != 1; n++)
            x = x % 2 ? 3 * x + 1 : x / 2;
        bad += got[t] != n;
        wanted += n;
        if (t < 16 && n % 2 == 0)
            ballot |= 1u << t;
    }
    puts(bad || sum != wanted || e[0] != ballot ? "FAILED" : "PASSED");
    cudaFree(steps);
    cudaFree(total);
    cudaFree(even);
}
