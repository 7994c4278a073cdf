// Kernels that read and write the host's page-locked memory in place, for zero_copy.py: lines "what bytes ns", as tests/truth/time/host.cu has them.
#include <cstdio>
#include <cstdlib>

__global__ void read_all(const uint4 *p, size_t n, unsigned *out)
{
    unsigned sum = 0;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
        uint4 v = p[i];
        sum ^= v.x ^ v.y ^ v.z ^ v.w;
    }
    if (sum == 12345)
        *out = sum;
}

__global__ void write_all(uint4 *p, size_t n)
{
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
        p[i] = make_uint4((unsigned)i, 1, 2, 3);
}

int main()
{
    const size_t BYTES = 16 << 20, N = BYTES / sizeof(uint4);
    uint4 *p;
    unsigned *out;
    cudaEvent_t a, b;
    float ms;
    cudaMallocHost(&p, BYTES);
    cudaMalloc(&out, 4);
    cudaEventCreate(&a);
    cudaEventCreate(&b);
    for (int blocks : {1, 8, 132}) {
        cudaEventRecord(a);
        read_all<<<blocks, 256>>>(p, N, out);
        cudaEventRecord(b);
        cudaEventSynchronize(b);
        cudaEventElapsedTime(&ms, a, b);
        printf("read by %d blocks\t%zu\t%.0f\n", blocks, BYTES, ms * 1e6);
        cudaEventRecord(a);
        write_all<<<blocks, 256>>>(p, N);
        cudaEventRecord(b);
        cudaEventSynchronize(b);
        cudaEventElapsedTime(&ms, a, b);
        printf("write by %d blocks\t%zu\t%.0f\n", blocks, BYTES, ms * 1e6);
    }
    return cudaGetLastError() != cudaSuccess;
}
