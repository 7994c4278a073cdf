// Buffers from a pool, in the order of streams: made in one, used in another, given back when both
// are done.
#include <cstdio>
#ifndef BUG
#define BUG 0
#endif
const int N = 1024;

__global__ void fill(int *a, int value)
{
    a[blockIdx.x * blockDim.x + threadIdx.x] = value; // @fill
}

__global__ void add(const int *a, int *sum)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    sum[i] += a[i]; // @add
}

int main()
{
    static int got[N];
    int *a, *b, *sum, bad = 0;
    cudaStream_t s, t;
    cudaEvent_t made, used;
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking);
    cudaEventCreate(&made);
    cudaEventCreate(&used);
    cudaMalloc(&sum, sizeof got);
    cudaMemset(sum, 0, sizeof got);
    cudaDeviceSynchronize();
    cudaMallocAsync((void **)&a, sizeof got, s); // @malloc
    if (BUG != 1) {
        cudaEventRecord(made, s);
        cudaStreamWaitEvent(t, made, 0);
    }
    fill<<<4, 256, 0, t>>>(a, 5); // @launch_fill
    if (BUG == 2)
        cudaFreeAsync(a, s);       // @free_early
    add<<<4, 256, 0, t>>>(a, sum); // @launch_add
    if (BUG != 3) {
        cudaEventRecord(used, t);
        cudaStreamWaitEvent(s, used, 0);
    }
    if (BUG != 2)
        cudaFreeAsync(a, s); // @free
    if (BUG == 4)
        add<<<4, 256, 0, s>>>(a, sum); // @after_free
    if (BUG == 5)
        cudaFreeAsync(a, s);                     // @free_again
    cudaMallocAsync((void **)&b, sizeof got, s); // may be the memory that was a's
    fill<<<4, 256, 0, s>>>(b, 2);
    add<<<4, 256, 0, s>>>(b, sum);      // @second
    cudaFreeAsync(b, BUG == 6 ? t : s); // @free_in_t
    cudaMemcpyAsync(got, sum, sizeof got, cudaMemcpyDeviceToHost, s);
    cudaDeviceSynchronize();
    for (int i = 0; i < N; i++)
        bad += got[i] != 7;
    puts(bad ? "FAILED" : "PASSED");
    cudaFree(sum);
}
