// Running totals over blocks, by three launches. Each bug relies on blocks that run one after the
// other.
#include <cstdio>
#ifndef BUG
#define BUG 0
#endif
const int BLOCKS = 8, THREADS = 64, N = BLOCKS * THREADS;

__global__ void sums(const int *a, int *sum, int *start, int *count, int *scale, int *out)
{
    __shared__ int mine;
    int t = threadIdx.x, b = blockIdx.x;
    if (t == 0)
        mine = 0;
    __syncthreads();
    atomicAdd(&mine, a[b * THREADS + t]);
    __syncthreads();
    if (t != 0)
        return;
    sum[b] = mine; // @sum
    if (BUG == 1)
        start[b + 1] = start[b] + mine; // @chain
    if (BUG == 2 && b == BLOCKS - 1)
        for (int i = 0; i < BLOCKS; i++)
            start[i + 1] = start[i] + sum[i]; // @last
    if (BUG == 3 && b == 0)
        *count = 0; // @clear
    if (BUG == 5)
        *count += 1; // @plain
    else
        atomicAdd(count, 1); // @count
    if (BUG == 4) {
        if (b == 0)
            *scale = 3;            // @scale
        out[b * THREADS] = *scale; // @scaled
    }
}

__global__ void starts(const int *sum, int *start, int *scale)
{
    *scale = 3;
    if (BUG != 1 && BUG != 2)
        for (int i = 0; i < BLOCKS; i++)
            start[i + 1] = start[i] + sum[i];
}

__global__ void spread(const int *start, const int *scale, int *out)
{
    if (threadIdx.x > 0 || BUG != 4)
        out[blockIdx.x * THREADS + threadIdx.x] = *scale;
    out[blockIdx.x * THREADS + threadIdx.x] *= start[blockIdx.x];
}

int main()
{
    static int h[N], got[N];
    int *a, *sum, *start, *count, *scale, *out, n, total = 0, bad = 0;
    for (int i = 0; i < N; i++)
        h[i] = i % 9;
    cudaMalloc(&a, sizeof h);
    cudaMalloc(&sum, BLOCKS * sizeof(int));
    cudaMalloc(&start, (BLOCKS + 1) * sizeof(int));
    cudaMalloc(&count, sizeof(int));
    cudaMalloc(&scale, sizeof(int));
    cudaMalloc(&out, sizeof h);
    cudaMemset(start, 0, (BLOCKS + 1) * sizeof(int));
    cudaMemset(scale, 0, sizeof(int));
    cudaMemset(count, BUG == 3 ? 1 : 0, sizeof(int));
    cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice);
    sums<<<BLOCKS, THREADS>>>(a, sum, start, count, scale, out);
    starts<<<1, 1>>>(sum, start, scale);
    spread<<<BLOCKS, THREADS>>>(start, scale, out);
    cudaMemcpy(&n, count, sizeof n, cudaMemcpyDeviceToHost);
    cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++) {
        bad += got[i] != 3 * total;
        for (int k = i - THREADS + 1; (i + 1) % THREADS == 0 && k <= i; k++)
            total += h[k];
    }
    puts(bad || n != BLOCKS ? "FAILED" : "PASSED");
    cudaFree(a);
    cudaFree(sum);
    cudaFree(start);
    cudaFree(count);
    cudaFree(scale);
    cudaFree(out);
}
