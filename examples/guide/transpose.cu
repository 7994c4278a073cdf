// A transpose through shared memory, with bank conflicts: docs/guide/recipes.md mends it.
#include <cstdio>
#include <vector>

__global__ void transpose(const float *in, float *out, int n)
{
    __shared__ float tile[32][32];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;

    tile[threadIdx.y][threadIdx.x] = in[y * n + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    out[y * n + x] = tile[threadIdx.x][threadIdx.y];
}

int main()
{
    const int n = 256;
    const size_t bytes = n * n * sizeof(float);
    std::vector<float> in(n * n), out(n * n);
    float *din, *dout;
    int wrong = 0;

    for (int i = 0; i < n * n; i++)
        in[i] = float(i);
    cudaMalloc(&din, bytes);
    cudaMalloc(&dout, bytes);
    cudaMemcpy(din, in.data(), bytes, cudaMemcpyHostToDevice);
    transpose<<<dim3(n / 32, n / 32), dim3(32, 32)>>>(din, dout, n);
    cudaMemcpy(out.data(), dout, bytes, cudaMemcpyDeviceToHost);
    for (int i = 0; i < n * n; i++)
        wrong += out[i] != in[i % n * n + i / n];
    printf("transpose: %d wrong\n", wrong);
    cudaFree(din);
    cudaFree(dout);
    return wrong != 0;
}
