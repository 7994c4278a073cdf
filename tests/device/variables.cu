// threadIdx and its kind as nvcc has them: copied, deduced, converted, captured.
#include <cstdio>
#include <mma.h>

template <typename T> __device__ unsigned sum(T t) { return t.x + t.y + t.z; }
template <typename T> __device__ unsigned hundred(const T &t) { return t.x * 100; }
__device__ uint3 same(uint3 a) { return a; }
__device__ unsigned product(dim3 a) { return a.x * a.y * a.z; }
struct at {
    uint3 thread;
    dim3 block;
    __device__ at() : thread(threadIdx), block(blockDim) {}
};

__global__ void kernel(unsigned *out)
{
    const auto t = threadIdx;
    auto b = blockIdx, c = b;
    auto d = blockDim;
    auto g = gridDim;
    uint3 u = threadIdx;
    dim3 v = blockDim;
    const uint3 &r = blockIdx;
    decltype(threadIdx) again = threadIdx;
    auto captured = [=]() { return t.x; };
    unsigned value = sum(threadIdx) + hundred(blockIdx) + d.x * 1000 + g.x * 10000;
    value += u.x + v.y + r.x + same(threadIdx).x + product(blockDim) + at().thread.x + at().block.x;
    out[c.x * d.x + t.x] = value + captured() + again.x + warpSize;
}

int main()
{
    unsigned *p, h[64], bad = 0;
    cudaMalloc(&p, sizeof h);
    kernel<<<2, 32>>>(p);
    cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost);
    // six times the thread, 101 times the block, 1000 * 32 + 10000 * 2 + 1 + 32 + 32 + 32
    for (unsigned i = 0; i < 64; i++)
        bad += h[i] != 6 * (i % 32) + 101 * (i / 32) + 52097;
    printf(bad ? "%u FAILED\n" : "PASSED\n", bad);
    return bad != 0;
}
