// A producer's stream and a consumer's, which an event orders; then the producer overwrites what
// was consumed.
#include <cstdio>
#ifndef BUG
#define BUG 0
#endif
const int N = 1024, ROUNDS = 4;

__global__ void produce(int *a, int round)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    a[i] = i + round; // @produce
}

__global__ void consume(const int *a, int *sum)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    sum[i] += a[i]; // @consume
}

int main()
{
    static int got[N];
    int *a, *sum, bad = 0;
    cudaStream_t p, c;
    cudaEvent_t made, used;
    cudaStreamCreateWithFlags(&p, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&c, cudaStreamNonBlocking);
    cudaEventCreate(&made);
    cudaEventCreate(&used);
    cudaMalloc(&a, sizeof got);
    cudaMalloc(&sum, sizeof got);
    cudaMemsetAsync(sum, 0, sizeof got, BUG == 5 ? 0 : c); // @clear
    for (int r = 0; r < ROUNDS; r++) {
        if (BUG == 2)
            cudaEventRecord(made, p);
        produce<<<4, 256, 0, p>>>(a, r);
        if (BUG != 2)
            cudaEventRecord(made, p);
        if (BUG != 1)
            cudaStreamWaitEvent(BUG == 3 ? p : c, made, 0);
        consume<<<4, 256, 0, c>>>(a, sum);
        cudaEventRecord(used, c);
        if (BUG != 4)
            cudaStreamWaitEvent(p, used, 0);
    }
    cudaMemcpyAsync(got, sum, sizeof got, cudaMemcpyDeviceToHost, c);
    cudaDeviceSynchronize();
    for (int i = 0; i < N; i++)
        bad += got[i] != ROUNDS * i + ROUNDS * (ROUNDS - 1) / 2;
    puts(bad ? "FAILED" : "PASSED");
    cudaFree(a);
    cudaFree(sum);
}
