// Ways to end a program early: on the device and on the host.
#include <cassert>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <vector>
#ifndef BUG
#define BUG 0
#endif
const int N = 64;

__global__ void gather(const int *a, const int *at, int *out)
{
    int i = at[threadIdx.x];
    assert(i < (BUG == 1 ? N - 1 : N)); // @assert
    if (BUG == 2 && i == N - 1)
        __trap(); // @trap
    if (BUG == 3 && i == 7)
        asm volatile("brkpt;"); // @brkpt
    out[threadIdx.x] = a[i];
}

int main()
{
    std::vector<int> h(N), got(N);
    int *a, *at, *out, bad = 0;
    for (int i = 0; i < N; i++)
        h[i] = N - 1 - i;
    cudaMalloc(&a, N * sizeof(int));
    cudaMalloc(&at, N * sizeof(int));
    cudaMalloc(&out, N * sizeof(int));
    cudaMemcpy(a, h.data(), N * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(at, h.data(), N * sizeof(int), cudaMemcpyHostToDevice);
    if (BUG == 4)
        bad += a[0]; // @host_read
    if (BUG == 5)
        at[N - 1] = 0; // @host_write
    gather<<<1, N>>>(a, at, out);
    bad += cudaDeviceSynchronize() != cudaSuccess;
    cudaMemcpy(got.data(), out, N * sizeof(int), cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++)
        bad += got[i] != i;
    if (BUG == 6) {
        volatile int *missing = (volatile int *)malloc(~0ul / 2);
        missing[0] = got[0]; // @null
    }
    if (BUG == 7)
        bad += h.at(N + got[0]) != 0; // @thrown
    if (BUG == 8 && got[N - 1] > 0)
        abort(); // @abort
    puts(bad ? "FAILED" : "PASSED");
    cudaFree(a);
    cudaFree(at);
    cudaFree(out);
}
