// The largest number and where it stands, and a few flags that several threads set.
#include <cstdio>
#ifndef BUG
#define BUG 0
#endif
const int BLOCKS = 4, THREADS = 64, N = BLOCKS * THREADS;

__global__ void find(const int *a, unsigned long long *best, int *where, int *value, int *any)
{
    int i = blockIdx.x * THREADS + threadIdx.x;
    unsigned long long key = (unsigned long long)a[i] << 32 | (N - 1 - i);
    if (BUG == 1) {
        if (atomicMax(value, a[i]) < a[i])
            *where = i; // @where
    } else {
        atomicMax(best, key);
        if (BUG != 2 || a[i] > *value) // @peek
            atomicMax(value, a[i]);    // @max
    }
    if (a[i] > 90) {
        if (BUG == 3)
            *any = 1; // @any
        else if (BUG == 4)
            any[threadIdx.x % 2] = a[i]; // @differing
        else
            atomicOr(any, 1);
    }
    if (i < 4 || BUG == 5)
        ((char *)(any + 1))[i % 4] = 1; // @bytes
}

int main()
{
    int h[N], at = 0, w = 0, *a, *where, *value, *any, bad = 0, flag[2];
    unsigned long long *best, key;
    for (int i = 0; i < N; i++)
        h[i] = i * 89 % 97;
    for (int i = 0; i < N; i++)
        at = h[i] > h[at] ? i : at;
    cudaMalloc(&a, sizeof h);
    cudaMalloc(&best, 8);
    cudaMalloc(&where, 4);
    cudaMalloc(&value, 4);
    cudaMalloc(&any, 8);
    cudaMemset(best, 0, 8);
    cudaMemset(where, 0, 4);
    cudaMemset(value, 0, 4);
    cudaMemset(any, 0, 8);
    cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice);
    find<<<BLOCKS, THREADS>>>(a, best, where, value, any);
    cudaMemcpy(&key, best, 8, cudaMemcpyDeviceToHost);
    cudaMemcpy(&w, where, 4, cudaMemcpyDeviceToHost);
    cudaMemcpy(flag, any, 8, cudaMemcpyDeviceToHost);
    if (BUG == 1)
        bad += h[w] != h[at];
    else
        bad += N - 1 - (int)(key & 0xffffffff) != at;
    bad += !flag[0];
    puts(bad ? "FAILED" : "PASSED");
    cudaFree(a);
    cudaFree(best);
    cudaFree(where);
    cudaFree(value);
    cudaFree(any);
}
