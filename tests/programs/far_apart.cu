// What a miss brings: a float of each 128 bytes, read by lanes side by side, then the same written; then floats side by side.
#include <cstdio>

__global__ void read_far(const float *a, float *out)
{
    float x = a[32 * (blockIdx.x * blockDim.x + threadIdx.x)];
    if (x != 0)
        *out = x;
}

__global__ void write_far(float *a)
{
    a[32 * (blockIdx.x * blockDim.x + threadIdx.x)] = 1;
}

__global__ void read_near(const float *a, float *out)
{
    float x = a[blockIdx.x * blockDim.x + threadIdx.x];
    if (x != 0)
        *out = x;
}

int main()
{
    const int n = 16384;
    float *a;
    cudaMalloc(&a, 32 * n * sizeof *a);
    cudaMemset(a, 0, 32 * n * sizeof *a);
    read_far<<<n / 256, 256>>>(a, a);
    read_near<<<n / 256, 256>>>(a, a);
    read_near<<<n / 256, 256>>>(a + 1, a);
    write_far<<<n / 256, 256>>>(a);
    float last = 0;
    cudaMemcpy(&last, a + 32 * (n - 1), sizeof last, cudaMemcpyDeviceToHost);
    printf("%s\n", last == 1 ? "PASSED" : "FAILED");
    return last != 1;
}
