// Each thread sorts four numbers of its own, reached by generic pointers, and the block shares
// where the smallest lies.
#include <cstdio>
#ifndef BUG
#define BUG 0
#endif
const int THREADS = 64, EACH = 4;

__device__ __noinline__ void sort(int *p)
{
    for (int i = 1; i < EACH; i++)
        for (int j = i; j > 0 && p[j - 1] > p[j]; j--) { // @compare
            int x = p[j];
            p[j] = p[j - 1]; // @swap
            p[j - 1] = x;
        }
}

__global__ void smallest(const int *a, int *out)
{
    __shared__ int row[THREADS][EACH];
    __shared__ int *first[THREADS];
    int own[EACH], t = threadIdx.x;
    int *p = t % 2 ? own : row[BUG == 1 ? t / 4 * 2 : t];
    for (int i = 0; i < EACH; i++)
        p[i] = a[t * EACH + i]; // @copy
    sort(p);
    if (BUG == 2) {
        first[t] = p;
    } else {
        for (int i = 0; i < EACH; i++)
            row[t][i] = p[i]; // @row
        first[t] = row[t];    // @first
    }
    if (BUG != 3)
        __syncthreads();
    out[t] = *first[(t + 1) % THREADS]; // @other
    if (BUG == 2)
        __syncthreads();
}

int main()
{
    int h[THREADS * EACH], got[THREADS], *a, *out, bad = 0;
    for (int i = 0; i < THREADS * EACH; i++)
        h[i] = i * 37 % 256 + 1;
    cudaMalloc(&a, sizeof h);
    cudaMalloc(&out, sizeof got);
    cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice);
    smallest<<<1, THREADS>>>(a, out);
    cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost);
    for (int t = 0; t < THREADS; t++) {
        int *p = h + (t + 1) % THREADS * EACH, low = p[0];
        for (int i = 1; i < EACH; i++)
            low = p[i] < low ? p[i] : low;
        bad += got[t] != low;
    }
    puts(bad ? "FAILED" : "PASSED");
    cudaFree(a);
    cudaFree(out);
}
