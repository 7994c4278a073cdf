// Host code that reads device memory as if it were its own.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void fill(int *a) { a[threadIdx.x] = threadIdx.x; }

int main()
{
    int *a;
    cudaMalloc(&a, 256 * sizeof *a);
    fill<<<1, 256>>>(a);
    cudaDeviceSynchronize();
    puts("now the sum");
    fflush(stdout);
    int sum = 0;
    for (int i = 2; i < 256; i++) sum += a[i];
    printf("%d\n", sum);
    return 0;
}
