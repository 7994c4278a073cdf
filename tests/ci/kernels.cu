// Kernels for tests/ci/expectations.py: one that is launched with two strides, one that loads nothing, a template.
#include <cstdio>

__global__ void copy(const float *from, float *to, int stride)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    to[i] = from[i * stride];
}

__global__ void fill(float *to)
{
    to[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}

template <int N> __global__ void banks(float *to)
{
    __shared__ float tile[32 * 32];
    tile[threadIdx.x * N] = (float)threadIdx.x;
    __syncthreads();
    to[threadIdx.x] = tile[threadIdx.x * N];
}

int main()
{
    float *a, *b;
    cudaMalloc(&a, 1 << 20);
    cudaMalloc(&b, 1 << 20);
    cudaMemset(a, 0, 1 << 20);
    fill<<<4, 256>>>(b);
    copy<<<4, 256>>>(a, b, 1);
    copy<<<4, 256>>>(a, b, 8);
    copy<<<4, 256>>>(a, b, 2);
    banks<1><<<1, 32>>>(b);
    banks<32><<<1, 32>>>(b);
    if (cudaDeviceSynchronize() == cudaSuccess)
        printf("PASSED\n");
}
