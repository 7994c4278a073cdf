// What docs/compare.md compares, with a stride of 1.
#include <cstdlib>

static const int stride = 1;

__global__ void one(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i * stride];
}

__global__ void two(const float *in, float *out, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[i] = in[i * stride];
}

int main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 1024;
    float *in, *out;

    cudaMalloc(&in, 2 * n * sizeof *in);
    cudaMalloc(&out, n * sizeof *out);
    cudaMemset(in, 0, 2 * n * sizeof *in);
    one<<<(n + 255) / 256, 256>>>(in, out, n);
    two<<<4, 64>>>(in, out, n);
    return cudaDeviceSynchronize() != cudaSuccess;
}
