// A vector in managed memory that host and kernels use in turn.
#include <cstdio>
#ifndef BUG
#define BUG 0
#endif
const int N = 512;

__global__ void scale(int *a, int by)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    a[i] *= by; // @kernel
}

int main()
{
    int *a, *by, bad = 0;
    cudaMallocManaged(&a, N * sizeof(int));
    cudaMallocManaged(&by, sizeof(int));
    for (int i = 0; i < N - (BUG == 3); i++)
        a[i] = i;
    *by = 3;
    scale<<<2, N / 2>>>(a, *by);
    if (BUG == 2)
        a[0] = 7; // @during
    if (BUG != 1)
        cudaDeviceSynchronize();
    for (int i = 0; i < N - (BUG == 3); i++)
        bad += a[i] != 3 * i; // @check
    if (BUG == 4)
        cudaFree(a);           // @free
    scale<<<2, N / 2>>>(a, 2); // @again
    cudaStream_t s;
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    if (BUG == 5)
        cudaStreamSynchronize(s);
    else
        bad += cudaDeviceSynchronize() != cudaSuccess;
    if (BUG != 4) {
        for (int i = 0; i < N - (BUG == 3); i++)
            bad += a[i] != 6 * i; // @check_again
        cudaDeviceSynchronize();
        cudaFree(a);
    }
    puts(bad ? "FAILED" : "PASSED");
    cudaFree(by);
}
