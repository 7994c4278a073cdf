// A float4 read from an address that is no multiple of 16.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void copy(const float *in, float *out)
{
    float4 v = *(const float4 *)(in + 4 * threadIdx.x + 1);
    out[threadIdx.x] = v.x + v.y + v.z + v.w;
}

int main()
{
    float *in, *out;
    cudaMalloc(&in, 4096);
    cudaMalloc(&out, 4096);
    copy<<<1, 64>>>(in, out);
    cudaError_t e = cudaDeviceSynchronize();
    printf("%d %s\n", e, cudaGetErrorName(e));
    return 1;
}
