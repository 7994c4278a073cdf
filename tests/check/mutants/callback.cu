// A host function in a stream digests each result; the next launch must not overwrite it before.
#include <cstdio>
#ifndef BUG
#define BUG 0
#endif
const int N = 128, ROUNDS = 4;
struct digest {
    int *from;
    int sum;
};

static void CUDART_CB add_up(void *p)
{
    digest *d = (digest *)p;
    for (int i = 0; i < N; i++)
        d->sum += d->from[i]; // @digest
}

__global__ void make(int *a, int round)
{
    a[threadIdx.x] = round; // @make
}

int main()
{
    int *a, *h;
    cudaStream_t s, t;
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking);
    cudaMalloc(&a, N * sizeof(int));
    cudaMallocHost(&h, N * sizeof(int));
    digest d = {h, 0};
    for (int r = 0; r < ROUNDS; r++) {
        make<<<1, N, 0, s>>>(a, r);
        cudaMemcpyAsync(h, a, N * sizeof(int), cudaMemcpyDeviceToHost, BUG == 2 ? t : s); // @copy
        if (BUG == 1 && r > 0)
            cudaLaunchHostFunc(t, add_up, &d);
        else
            cudaLaunchHostFunc(s, add_up, &d); // @call
    }
    if (BUG == 3)
        d.sum += h[0] < 0; // @meddle
    if (BUG != 4)
        cudaDeviceSynchronize();
    puts(d.sum == N * ROUNDS * (ROUNDS - 1) / 2 ? "PASSED" : "FAILED"); // @sum
    cudaDeviceSynchronize();
    cudaFree(a);
    cudaFreeHost(h);
}
