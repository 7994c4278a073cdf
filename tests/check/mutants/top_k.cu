// Each thread keeps the largest four numbers of its column in a local array, beside an array of
// where they were.
#include <cstdio>
#ifndef BUG
#define BUG 0
#endif
const int THREADS = 64, ROWS = 20, K = 4;

__global__ void top(const int *a, int *best, int *where)
{
    int value[K], row[K], t = threadIdx.x;
    for (int k = 0; k < K - (BUG == 2); k++) {
        value[k] = -1;
        row[k] = -1;
    }
    for (int r = 0; r < ROWS; r++) {
        int x = a[r * THREADS + t], k = BUG == 1 ? K : K - 1;
        if (x <= value[K - 1]) // @least
            continue;
        for (; k > 0 && value[k - 1] < x; k--) {
            value[k] = value[k - 1]; // @shift
            row[k] = row[k - 1];     // @shift_row
        }
        value[k] = x;
        row[k] = r;
    }
    for (int k = 0; k < K; k++) {
        best[k * THREADS + t] = value[BUG == 3 ? k + 1 : k]; // @best
        where[k * THREADS + t] = row[k];                     // @where
    }
}

int main()
{
    static int h[ROWS * THREADS];
    int got[K * THREADS], at[K * THREADS], *a, *best, *where, bad = 0;
    for (int i = 0; i < ROWS * THREADS; i++)
        h[i] = i * 7919 % 1009;
    cudaMalloc(&a, sizeof h);
    cudaMalloc(&best, sizeof got);
    cudaMalloc(&where, sizeof at);
    cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice);
    top<<<1, THREADS>>>(a, best, where);
    cudaMemcpy(got, best, sizeof got, cudaMemcpyDeviceToHost);
    cudaMemcpy(at, where, sizeof at, cudaMemcpyDeviceToHost);
    for (int t = 0; t < THREADS; t++)
        for (int k = 0; k < K; k++) {
            int larger = 0, value = got[k * THREADS + t], r = at[k * THREADS + t];
            for (int i = 0; i < ROWS; i++)
                larger += h[i * THREADS + t] > value;
            bad += larger != k || r < 0 || r >= ROWS || h[r * THREADS + t] != value;
        }
    puts(bad ? "FAILED" : "PASSED");
    cudaFree(a);
    cudaFree(best);
    cudaFree(where);
}
