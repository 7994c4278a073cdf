"""CUDA source that several tests use."""
SAXPY = """
__global__ void saxpy(int n, float a, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}
"""
PROGRAM = SAXPY + """
#include <cstdio>
#include <cstdlib>
int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 256;
    float *x;
    cudaMalloc(&x, 1024);
    cudaMemset(x, 0, 1024);
    saxpy<<<1, 256>>>(n, 2, x, x);
    cudaDeviceSynchronize();
    printf("ran %d\\n", n);
    return argc > 2 ? atoi(argv[2]) : 0;
}
"""
