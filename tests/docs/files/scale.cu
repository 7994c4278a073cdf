#include <cstdio>

// What docs/check.md shows: a float too many.
__global__ void scale(float *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n) a[i] = 2.0f * i;
}
int main() {
    float *a; cudaMalloc(&a, 1024 * sizeof *a);
    scale<<<5, 256>>>(a, 1024);
    cudaDeviceSynchronize(); cudaFree(a);
}
