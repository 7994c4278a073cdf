// Asks for more memory than the device has, then until nothing is left, and goes on.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void set(int *a) { *a = 42; }

int main()
{
    void *p, *last = nullptr;
    cudaError_t e = cudaMalloc(&p, 1ull << 40);
    printf("1 TiB: %d %s\n", e, cudaGetErrorString(e));
    int n = 0;
    while ((e = cudaMalloc(&p, 64u << 20)) == cudaSuccess && n < 100000) last = p, n++;
    printf("until it fails: %d, after more than one: %d\n", e, n > 1);
    printf("last error %d, then %d\n", cudaGetLastError(), cudaGetLastError());
    cudaFree(last);
    int *a, h = 0;
    printf("after a free: %d\n", cudaMalloc(&a, sizeof *a));
    set<<<1, 1>>>(a);
    printf("copy: %d\n", cudaMemcpy(&h, a, sizeof h, cudaMemcpyDeviceToHost));
    printf("a = %d\n", h);
    return h != 42;
}
