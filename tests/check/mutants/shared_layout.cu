// Several arrays in shared memory side by side, some declared, some carved out of the dynamic part.
#include <cstdio>
#ifndef BUG
#define BUG 0
#endif
const int THREADS = 64, HALO = 1;

__global__ void blur(const int *a, int *out, int n)
{
    __shared__ int row[THREADS + 2 * HALO];
    __shared__ int weight[3];
    extern __shared__ int dynamic[];
    int *left = dynamic, *right = dynamic + THREADS - (BUG == 4), t = threadIdx.x;
    int i = blockIdx.x * THREADS + t;
    if (t < 3 + (BUG == 2))
        weight[t] = t == 1 ? 2 : 1; // @weight
    row[t + HALO] = a[i];
    if (t == 0)
        row[0] = i > 0 ? a[i - 1] : 0;
    if (t == THREADS - 1)
        row[BUG == 1 ? THREADS + 2 * HALO : THREADS + HALO] = i < n - 1 ? a[i + 1] : 0; // @halo
    __syncthreads();
    left[t] = row[BUG == 3 ? t - 1 : t] * weight[0]; // @left
    right[t] = row[t + 2] * weight[2];               // @right
    out[i] = left[t] + row[t + HALO] * weight[1] + right[t];
}

int main()
{
    static int h[4 * THREADS], got[4 * THREADS];
    int n = 4 * THREADS, *a, *out, bad = 0;
    for (int i = 0; i < n; i++)
        h[i] = i * i % 50;
    cudaMalloc(&a, sizeof h);
    cudaMalloc(&out, sizeof h);
    cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice);
    blur<<<4, THREADS, (BUG == 5 ? 2 * THREADS - 1 : 2 * THREADS) * sizeof(int)>>>(a, out, n);
    cudaMemcpy(got, out, sizeof h, cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++)
        bad += got[i] != (i ? h[i - 1] : 0) + 2 * h[i] + (i < n - 1 ? h[i + 1] : 0);
    puts(bad ? "FAILED" : "PASSED");
    cudaFree(a);
    cudaFree(out);
}
