// Lines with known figures, for `heddle profile --page source`: 4 warps.
#include <cstdio>

__global__ void lines(const float *in, float *out)
{
    int i = threadIdx.x;
    float x = in[i];
    float y = in[8 * i];
    __shared__ float s[64];
    if (i % 32 < 16)
        s[4 * (i % 32)] = x;
    __syncthreads();
    out[i] = y + s[i % 64];
}

int main()
{
    float *in, *out;
    cudaMalloc(&in, 1024 * sizeof(float));
    cudaMalloc(&out, 128 * sizeof(float));
    lines<<<1, 128>>>(in, out);
    return cudaDeviceSynchronize() != cudaSuccess;
}
