// Kernels that launch kernels: what a launch may look like, in two files and a header. PASSED at the end.
// heddle build -rdc=true main.cu other.cu
#include <cstdio>
#include "shared.cuh"

static __global__ void add(int *p, int v) { atomicAdd(p, v); } // the other file has one of this name, too
namespace {
__global__ void twice(int *p) { *p *= 2; }
}
namespace names {
template <class T, int n> __global__ void fill(T *p, T v)
{
    if (threadIdx.x < n)
        p[threadIdx.x] = v;
}
template <class T> __global__ void deduced(T *p, T v) { *p = v; }
}
struct large {
    char c;
    double d[40];
    short s;
};
__global__ void takes(large l, bool yes, char c, double d, int *out)
{
    double sum = 0;
    for (double x : l.d)
        sum += x;
    *out = (int)sum + l.c + l.s + yes + c + (int)d;
}
__global__ void __launch_bounds__(64) reads(const int *from, int *to) { to[threadIdx.x] = from[threadIdx.x] + 1; }
__global__ void shares(int *out)
{
    extern __shared__ int memory[];
    memory[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0)
        *out = memory[blockDim.x - 1];
}
#define LAUNCH(kernel, ...) kernel<<<1, 1>>>(__VA_ARGS__)
template <class T> __device__ void from_template(T *p) { names::deduced<<<1, 1>>>(p + 40, (T)44); }
struct functor {
    int *p;
    __device__ void operator()(int v) const { add<<<1, 1, 0, nullptr>>>(p + 41, v); }
};

__global__ void parent(int *p, int *scratch)
{
    if (threadIdx.x || blockIdx.x)
        return;
    add<<<1, 32>>>(p, 2);
    twice<<<1, 1>>>(p);                                     // 128
    names::fill<int, 4><<<dim3(1), dim3(8, 1, 1)>>>(p + 1, 7); // 1 to 4
    names::deduced<<<1, 1>>>(p + 5, 9);
    large l = {1, {}, 3};
    for (int i = 0; i < 40; i++)
        l.d[i] = i;
    takes<<<1, 1>>>(l, true, 'a', 5.5, p + 6); // 780 + 1 + 3 + 1 + 97 + 5
    scratch[0] = 5;
    scratch[1] = 6;
    reads<<<1, 2>>>(scratch, p + 7); // what the parent wrote before
    shares<<<1, 16, 16 * sizeof(int)>>>(p + 9);
    LAUNCH(add, p + 10, 11);
    for (int i = 0; i < 3; i++) // in a loop, and behind a condition
        if (i != 1)
            add<<<1, 1>>>(p + 11, i + 1);
    other_file<<<1, 1>>>(p + 12);
    from_header<<<1, 1>>>(p + 13);
    from_template(p);
    functor{p}(5);
    add<<<2 > 1 ? 2 : 1, (8 >> 1)>>>(p + 42, 1);
    cudaStream_t s;
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    add<<<1, 1, 0, s>>>(p + 43, 1);
    cudaStreamDestroy(s);
    twice<<<1, 1, 0, cudaStreamTailLaunch>>>(p + 43); // behind the next one, too
    add<<<1, 1, 0, cudaStreamFireAndForget>>>(p + 43, 2);
}

// A grid of 64 threads each of which launches, and whose children launch: 64 * (1 + 3).
__global__ void grandparent(int *p, int depth)
{
    atomicAdd(p, 1);
    if (depth)
        grandparent<<<1, 3>>>(p, depth - 1);
}

static int failed;
static void expect(const int *h, int at, int v)
{
    if (h[at] != v) {
        printf("FAILED: [%d] is %d, not %d\n", at, h[at], v);
        failed = 1;
    }
}

int main()
{
    int *p, *scratch, h[64];
    cudaMalloc(&p, sizeof h);
    cudaMalloc(&scratch, sizeof h);
    cudaMemset(p, 0, sizeof h);
    parent<<<2, 32>>>(p, scratch);
    add<<<1, 1>>>(p + 50, 1); // from the host, too
    grandparent<<<2, 32>>>(p + 51, 1);
    cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost);
    const int expected[] = {128, 7, 7, 7, 7, 9, 887, 6, 7, 15, 11, 4, 100, 1000};
    for (int i = 0; i < 14; i++)
        expect(h, i, expected[i]);
    expect(h, 40, 44);
    expect(h, 41, 5);
    expect(h, 42, 8);
    expect(h, 43, 6);
    expect(h, 50, 1);
    expect(h, 51, 256);
    if (cudaError_t e = cudaDeviceSynchronize()) {
        printf("FAILED: %s\n", cudaGetErrorName(e));
        failed = 1;
    }
    puts(failed ? "FAILED" : "PASSED");
    return failed;
}
