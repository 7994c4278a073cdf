// expect: read-after-write 9 32
// 32 threads begin a copy each and read what it brings without waiting for it.
#include <cuda_pipeline.h>
__global__ void k(const int *in, int *out)
{
    __shared__ int s[32];
    __pipeline_memcpy_async(&s[threadIdx.x], &in[threadIdx.x], 4);
    __pipeline_commit();
    out[threadIdx.x] = s[threadIdx.x];
    __pipeline_wait_prior(0);
}
int main()
{
    int *in, *out;
    cudaMalloc(&in, 128);
    cudaMalloc(&out, 128);
    cudaMemset(in, 1, 128);
    k<<<1, 32>>>(in, out);
    return cudaDeviceSynchronize() != cudaSuccess;
}
