// What docs/verify.md runs: y = a * x + y, and whether it is.
#include <cstdio>
#include <vector>

__global__ void saxpy(int n, float a, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}

int main()
{
    const int n = 1000, bytes = n * sizeof(float);
    std::vector<float> x(n), y(n, 1.0f);
    float *dx, *dy;
    for (int i = 0; i < n; i++)
        x[i] = float(i);
    cudaMalloc(&dx, bytes);
    cudaMalloc(&dy, bytes);
    cudaMemcpy(dx, x.data(), bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(dy, y.data(), bytes, cudaMemcpyHostToDevice);
    saxpy<<<(n + 255) / 256, 256>>>(n, 2, dx, dy);
    int bad = cudaMemcpy(y.data(), dy, bytes, cudaMemcpyDeviceToHost) != cudaSuccess;
    for (int i = 0; i < n; i++)
        bad += y[i] != 2 * x[i] + 1;
    puts(bad ? "FAILED" : "PASSED");
    return bad != 0;
}
