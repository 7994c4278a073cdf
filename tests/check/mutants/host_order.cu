// Steps in two streams. Each bug passes where work is done in the order in which the host asks for
// it.
#include <cstdio>
#ifndef BUG
#define BUG 0
#endif
const int N = 4096;

__global__ void step(int *a, int add)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    a[i] = a[i] * 2 + add; // @step
}

__global__ void gather(const int *a, int *b)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    b[i] = a[N - 1 - i]; // @gather
}

int main()
{
    int *h, *a, *b, bad = 0;
    cudaStream_t s, t;
    cudaEvent_t e;
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking);
    cudaEventCreate(&e);
    cudaMallocHost(&h, N * sizeof(int));
    cudaMalloc(&a, N * sizeof(int));
    cudaMalloc(&b, N * sizeof(int));
    for (int i = 0; i < N; i++)
        h[i] = i;
    cudaMemcpyAsync(a, h, N * sizeof(int), cudaMemcpyHostToDevice, s); // @in
    step<<<N / 256, 256, 0, BUG == 1 ? t : s>>>(a, 1);                 // @first
    step<<<N / 256, 256, 0, s>>>(a, 2);
    cudaEventRecord(e, s);
    if (BUG == 2)
        cudaEventQuery(e);
    else
        cudaStreamWaitEvent(t, e, 0);
    gather<<<N / 256, 256, 0, t>>>(a, b);
    if (BUG == 3)
        step<<<N / 256, 256, 0, s>>>(a, 3); // @ahead
    if (BUG == 4)
        cudaMemcpyAsync(h, b, N * sizeof(int), cudaMemcpyDeviceToHost, s); // @out_s
    else
        cudaMemcpyAsync(h, b, N * sizeof(int), cudaMemcpyDeviceToHost, t); // @out
    cudaStreamSynchronize(BUG == 5 ? s : t);
    cudaStreamSynchronize(BUG == 4 ? s : 0);
    for (int i = 0; i < N; i++)
        bad += h[i] != (N - 1 - i) * 4 + 4; // @check
    cudaDeviceSynchronize();
    puts(bad ? "FAILED" : "PASSED");
    cudaFreeHost(h);
    cudaFree(a);
    cudaFree(b);
}
