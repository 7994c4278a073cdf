// A graph made of nodes: two branches fill an array each, a third kernel adds them up, then a copy
// to the host.
#include <cstdio>
#ifndef BUG
#define BUG 0
#endif
const int N = 256;

__global__ void fill(int *a, int value)
{
    a[threadIdx.x] = value; // @fill
}

__global__ void add(const int *a, const int *b, int *c)
{
    c[threadIdx.x] += a[threadIdx.x] + b[threadIdx.x]; // @add
}

int main()
{
    int *a, *b, *c, *h, bad = 0;
    cudaStream_t s, t;
    cudaEvent_t forked, joined;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaStreamCreate(&s);
    cudaStreamCreate(&t);
    cudaEventCreate(&forked);
    cudaEventCreate(&joined);
    cudaMalloc(&a, N * sizeof(int));
    cudaMalloc(&b, N * sizeof(int));
    cudaMalloc(&c, N * sizeof(int));
    cudaMallocHost(&h, N * sizeof(int));
    cudaMemset(c, 0, N * sizeof(int));
    cudaMemset(b, 0, N * sizeof(int));
    cudaDeviceSynchronize();
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    cudaEventRecord(forked, s);
    cudaStreamWaitEvent(t, forked, 0);
    fill<<<1, N, 0, s>>>(a, 1);
    if (BUG == 1)
        cudaEventRecord(joined, t);
    fill<<<1, N, 0, t>>>(BUG == 4 ? a : b, 2);
    if (BUG != 1)
        cudaEventRecord(joined, t);
    if (BUG != 2)
        cudaStreamWaitEvent(s, joined, 0);
    add<<<1, N, 0, s>>>(a, b, c);
    if (BUG == 2)
        cudaStreamWaitEvent(s, joined, 0);
    cudaMemcpyAsync(h, c, N * sizeof(int), cudaMemcpyDeviceToHost, s); // @copy
    if (BUG == 1) {
        cudaEventRecord(joined, t);
        cudaStreamWaitEvent(s, joined, 0);
    }
    cudaStreamEndCapture(s, &graph);
    cudaGraphInstantiateWithFlags(&exec, graph, 0);
    for (int r = 1; r <= 3; r++) {
        cudaGraphLaunch(exec, s); // @launch
        if (BUG == 5)
            fill<<<1, N, 0, t>>>(b, 3); // @refill
        if (BUG != 3)
            cudaStreamSynchronize(s);
        for (int i = 0; i < N; i++)
            bad += h[i] != 3 * r; // @check
    }
    cudaDeviceSynchronize();
    bad += h[0] != 9;
    puts(bad ? "FAILED" : "PASSED");
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(graph);
    cudaFree(a);
    cudaFree(b);
    cudaFree(c);
    cudaFreeHost(h);
}
