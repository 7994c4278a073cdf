// Results that kernels write straight to pinned host memory, some of it made by malloc() and
// registered.
#include <cstdio>
#include <cstdlib>
#ifndef BUG
#define BUG 0
#endif
const int N = 256;

__global__ void results(int *out, int round)
{
    out[threadIdx.x] = threadIdx.x * round; // @kernel
}

int main()
{
    int *h, *own = (int *)malloc(N * sizeof(int)), *d, bad = 0;
    cudaEvent_t done;
    cudaEventCreate(&done);
    cudaHostAlloc((void **)&h, N * sizeof(int), cudaHostAllocMapped);
    cudaHostRegister(own, (N - (BUG == 4 ? 64 : 0)) * sizeof(int), cudaHostRegisterMapped);
    for (int r = 1; r < 4; r++) {
        if (BUG == 2)
            cudaEventRecord(done, 0);
        results<<<1, N>>>(h, r);
        if (BUG != 2)
            cudaEventRecord(done, 0);
        if (BUG != 1)
            cudaEventSynchronize(done);
        for (int i = 0; i < N; i++)
            bad += h[i] != i * r; // @check
    }
    cudaDeviceSynchronize();
    cudaHostGetDevicePointer((void **)&d, own, 0);
    results<<<1, N>>>(d, 9); // @launch_own
    if (BUG == 3) {
        cudaHostUnregister(own); // @unregister_early
        free(own);
    } else {
        cudaDeviceSynchronize();
        for (int i = 0; i < N; i++)
            bad += own[i] != i * 9;
        cudaHostUnregister(own);
        free(own);
    }
    puts(bad ? "FAILED" : "PASSED");
    cudaFreeHost(h);
}
