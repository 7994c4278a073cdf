// A grid of 300 blocks of 256 threads that all do the same: for blocks.py.
#include <cstdio>

__global__ void work(float *p, int n)
{
    float x = p[threadIdx.x];
    for (int i = 0; i < n; i++)
        x = x * 0.5f + 1.0f;
    p[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

int main()
{
    float *p, x;
    cudaMalloc(&p, 300 * 256 * sizeof *p);
    cudaMemset(p, 0, 300 * 256 * sizeof *p);
    work<<<300, 256>>>(p, 200);
    cudaMemcpy(&x, p + 300 * 256 - 1, sizeof x, cudaMemcpyDeviceToHost);
    printf("%g\n", x);
}
