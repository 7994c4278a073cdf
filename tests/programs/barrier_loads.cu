// What all warps of a block read at one place right behind a barrier they have before one of them overwrites it further on, though
// no barrier is between. Each kernel sums a row in two rounds through the same shared memory, or through the same word of global
// memory, and wants what a block whose warps go on at the same time gets. An H200 prints PASSED (driver 580.159.04, nvcc 13.0 -O3, 2026-11-23).
#include <cstdio>

const int columns = 512, most_warps = 32;

__device__ int warp_sum(int v)
{
    for (int step = 16; step; step /= 2)
        v += __shfl_xor_sync(~0u, v, step);
    return v;
}

// Thread 0 sums what the warps left and puts it into s[0], which all read behind the second barrier.
__device__ int sum_by_one(int *s, int v)
{
    v = warp_sum(v);
    if (threadIdx.x % 32 == 0)
        s[threadIdx.x / 32] = v;
    __syncthreads();
    if (threadIdx.x == 0) {
        int all = 0;
        for (unsigned w = 0; w < blockDim.x / 32; w++)
            all += s[w];
        s[0] = all;
    }
    __syncthreads();
    return s[0];
}

// Each warp sums what the warps left.
__device__ int sum_by_each(int *s, int v)
{
    v = warp_sum(v);
    if (threadIdx.x % 32 == 0)
        s[threadIdx.x / 32] = v;
    __syncthreads();
    return warp_sum(threadIdx.x % 32 < blockDim.x / 32 ? s[threadIdx.x % 32] : 0);
}

// A loop lies between the read of s[0] and the store to it: llm.c's softmax_forward_kernel4.
__global__ void behind_loop(const int *x, int *out)
{
    extern __shared__ int s[];
    const int *row = x + blockIdx.x * columns;
    int v = 0, w = 0;
    for (int i = threadIdx.x; i < columns; i += blockDim.x)
        v += row[i];
    int first = sum_by_one(s, v);
    for (int i = threadIdx.x; i < columns; i += blockDim.x)
        w += row[i] * (first & 15);
    out[blockIdx.x * blockDim.x + threadIdx.x] = first + sum_by_one(s, w);
}

// No loop lies between: the second sum's stores come some instructions behind the first one's reads.
__global__ void at_once(const int *x, int *out)
{
    __shared__ int s[most_warps];
    int i = blockIdx.x * blockDim.x + threadIdx.x, v = x[i], first = sum_by_each(s, v);
    out[i] = first + sum_by_each(s, v * (first & 15));
}

// The next turn of a loop overwrites it.
__global__ void in_turns(const int *x, int *out, int turns)
{
    __shared__ int s[most_warps];
    int i = blockIdx.x * blockDim.x + threadIdx.x, v = x[i];
    for (int t = 0; t < turns; t++) {
        int all = sum_by_each(s, v);
        for (int j = 0; j < (all & 3) + 1; j++)
            v = (v ^ all) + j & 255;
    }
    out[i] = v;
}

// The same with a word of global memory.
__global__ void global_word(const int *x, int *out, int *word)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, v = 0;
    for (int j = threadIdx.x; j < columns; j += blockDim.x)
        v += x[j];
    if (threadIdx.x == 0)
        word[blockIdx.x] = 5;
    __syncthreads();
    int first = word[blockIdx.x];
    for (int j = 0; j < first + columns % 7; j++)
        v = v * 3 + j & 1023;
    if (threadIdx.x == 0)
        word[blockIdx.x] = v;
    __syncthreads();
    out[i] = v + word[blockIdx.x];
}

int failed;

template <typename F> void test(const char *name, int threads, const int *out, F expected)
{
    cudaError_t e = cudaDeviceSynchronize();
    int wrong = 0;
    for (int i = 0; i < 2 * threads; i++)
        wrong += out[i] != expected(i);
    printf("%s, %d warps: %d of %d wrong\n", name, threads / 32, wrong, 2 * threads);
    failed += wrong || e != cudaSuccess;
}

int main()
{
    int *x, *out, *word, after[2 * 1024];
    cudaMallocManaged(&x, 2 * 1024 * sizeof *x);
    cudaMallocManaged(&out, 2 * 1024 * sizeof *out);
    cudaMallocManaged(&word, 2 * sizeof *word);
    for (int i = 0; i < 2 * 1024; i++)
        x[i] = i * 7 % 23;
    auto sum = [&](const int *v, int from, int n, int by) {
        int all = 0;
        for (int i = from; i < from + n; i++)
            all += v[i] * by;
        return all;
    };
    for (int threads : {64, 96, 256, 1024}) {
        behind_loop<<<2, threads, threads / 32 * sizeof(int)>>>(x, out);
        test("behind_loop", threads, out, [&](int i) {
            int row = i / threads * columns, first = sum(x, row, columns, 1);
            return first + sum(x, row, columns, first & 15);
        });
        at_once<<<2, threads>>>(x, out);
        test("at_once", threads, out, [&](int i) {
            int from = i / threads * threads, first = sum(x, from, threads, 1);
            return first + sum(x, from, threads, first & 15);
        });
        in_turns<<<2, threads>>>(x, out, 6);
        cudaDeviceSynchronize();
        for (int i = 0; i < 2 * threads; i++)
            after[i] = x[i];
        for (int t = 0; t < 6; t++)
            for (int b = 0; b < 2; b++) {
                int all = sum(after, b * threads, threads, 1);
                for (int i = b * threads; i < (b + 1) * threads; i++)
                    for (int j = 0; j < (all & 3) + 1; j++)
                        after[i] = (after[i] ^ all) + j & 255;
            }
        test("in_turns", threads, out, [&](int i) { return after[i]; });
        global_word<<<2, threads>>>(x, out, word);
        auto turned = [&](int i) {
            int v = 0;
            for (int j = i % threads; j < columns; j += threads)
                v += x[j];
            for (int j = 0; j < 5 + columns % 7; j++)
                v = v * 3 + j & 1023;
            return v;
        };
        test("global_word", threads, out, [&](int i) { return turned(i) + turned(i / threads * threads); });
    }
    puts(failed ? "FAILED" : "PASSED");
    return failed != 0;
}
