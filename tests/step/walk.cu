// What the cases beside this file (*.gdb) stop in; they name lines of it.
#include <cassert>
#include <cstdio>

struct pair {
    float x, y;
    __device__ float square() const
    {
        return x * x + y * y;
    }
};
struct mixed {
    long n;
    double d;
};
__device__ int bias = 5;
__constant__ float weights[4] = {1, 2, 3, 4};

__device__ float twice(float v)
{
    float w = v * 2;
    return w;
}
template <typename T> __global__ void sums(int n, T a, const T *x, T *y)
{
    __shared__ T tile[32];
    extern __shared__ int order[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    pair p = {a, (float)i};
    tile[threadIdx.x] = x[i];
    order[threadIdx.x] = i;
    __syncthreads();
    if (i < n) {
        T s = twice(tile[31 - threadIdx.x]);
        s += p.square() + weights[i & 3];
        s += __shfl_xor_sync(~0u, s, 1);
        y[i] = a * s + bias;
    }
}
__device__ int factorial(int n)
{
    if (n < 2)
        return 1;
    int below = factorial(n - 1);
    return n * below;
}
__device__ mixed both(int n)
{
    mixed m = {n, n / 2.0};
    return m;
}
__global__ void calls(int *to)
{
    int me = threadIdx.y * blockDim.x + threadIdx.x;
    int f = factorial(me + 3);
    mixed m = both(f);
    to[me] = f + (int)m.n;
}
__device__ void store(int *to, int i)
{
    to[i] = i;
}
__global__ void wild(int *to)
{
    int *at = threadIdx.x == 3 ? (int *)16 : to;
    store(at, threadIdx.x);
}
__global__ void asserts(int n)
{
    int k = n + threadIdx.x;
    assert(k != 11);
}
static __attribute__((noinline)) int twice_on_host(int n)
{
    return n * 2;
}
int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    float *x, *y, h[64];
    int *n, m[4];
    cudaMalloc(&x, sizeof h);
    cudaMalloc(&y, sizeof h);
    cudaMalloc(&n, sizeof m);
    for (int i = 0; i < 64; i++)
        h[i] = twice_on_host(i) / 2;
    cudaMemcpy(x, h, sizeof h, cudaMemcpyHostToDevice);
    sums<float><<<2, 32, 32 * sizeof(int)>>>(64, 2.f, x, y);
    cudaMemcpy(h, y, sizeof h, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 64; i++)
        printf("%g ", h[i]);
    calls<<<1, dim3(2, 2)>>>(n);
    cudaMemcpy(m, n, sizeof m, cudaMemcpyDeviceToHost);
    printf("%d %d %d %d\n", m[0], m[1], m[2], m[3]);
    if (*what == 'w')
        wild<<<2, 8>>>(n);
    if (*what == 'a')
        asserts<<<1, 8>>>(9);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
