// Two kernels, one of them with two sizes of block, and one that is always interpreted: what HEDDLE_JIT_LOG tells of it.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void twice(int *p)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    p[i] = 2 * p[i] + 1;
}

__global__ void negate(int *p)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    p[i] = -p[i];
}

__global__ void wait(volatile int *p)
{
    if (threadIdx.x == 32)
        p[0] = 1;
    while (p[0] != 1)
        ;
}

int main()
{
    int *p, last;
    cudaMalloc(&p, 128 * sizeof *p);
    cudaMemset(p, 0, 128 * sizeof *p);
    twice<<<2, 64>>>(p);
    twice<<<1, 128>>>(p);
    negate<<<1, 128>>>(p);
    twice<<<2, 64>>>(p);
    wait<<<1, 64>>>(p);
    cudaMemcpy(&last, p + 127, sizeof last, cudaMemcpyDeviceToHost);
    printf("%d\n", last); // -(2 * 1 + 1) * 2 + 1
    return last != -5;
}
