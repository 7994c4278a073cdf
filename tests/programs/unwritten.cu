// What a kernel reads and never wrote is zero: local memory (small arrays, large ones, those that become registers, a recursive
// function's), shared memory and registers; also behind kernels that fill them, and in blocks that come into used memory.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

static bool failed;

// Arrays whose elements the compiler cannot tell apart. n: how many words of it are written first.
template <int WORDS> __global__ void local(unsigned *out, int n, int k)
{
    unsigned a[WORDS];
    for (int i = 0; i < n; i++) a[(i + k) % WORDS] = 0xdeadbeefu;
    unsigned filled = 0;
    for (int i = n; i < WORDS; i++) filled += a[(i + k) % WORDS] != 0;
    out[blockIdx.x * blockDim.x + threadIdx.x] = filled;
}

__device__ __noinline__ unsigned deeper(int depth, int n, int k)
{
    unsigned a[8];
    for (int i = 0; i < n; i++) a[(i + k) % 8] = 0xdeadbeefu;
    unsigned filled = 0;
    for (int i = n; i < 8; i++) filled += a[(i + k) % 8] != 0;
    return depth ? filled + deeper(depth - 1, n, k + 1) : filled;
}

__global__ void recursive(unsigned *out, int n, int k)
{
    out[blockIdx.x * blockDim.x + threadIdx.x] = deeper(6, n, k);
}

__global__ void shared(unsigned *out, int n, int k)
{
    extern __shared__ unsigned s[];
    unsigned filled = 0;
    for (int i = threadIdx.x; i < 1024; i += blockDim.x) filled += s[i] != 0;
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) s[i] = 0xdeadbeefu + k;
    out[blockIdx.x * blockDim.x + threadIdx.x] = filled;
}

// Registers in PTX that nothing was written to, in all lanes.
__global__ void registers(unsigned *out, int n, int k)
{
    unsigned x, y, z;
    asm volatile("{ .reg .b32 a; .reg .b64 b; .reg .pred p; .reg .b32 l, h;\n"
                 "mov.b32 %0, a; mov.b64 {l, h}, b; or.b32 %1, l, h; selp.u32 %2, 1, 0, p; }" : "=r"(x), "=r"(y), "=r"(z));
    out[blockIdx.x * blockDim.x + threadIdx.x] = (x | y | z) != 0;
}

typedef void kernel(unsigned *, int, int);

static void look(const char *what, kernel *run, int words, int bytes)
{
    enum { BLOCKS = 40, THREADS = 96 };
    static unsigned *out;
    std::vector<unsigned> h(BLOCKS * THREADS);
    if (!out) cudaMalloc(&out, h.size() * sizeof *out);
    for (int times = 0; times < 3; times++) {
        run<<<BLOCKS, THREADS, bytes>>>(out, words, times);
        run<<<BLOCKS, THREADS, bytes>>>(out, 0, times);
        cudaError_t e = cudaMemcpy(h.data(), out, h.size() * sizeof *out, cudaMemcpyDeviceToHost);
        unsigned filled = 0;
        for (unsigned n : h) filled += n;
        if (e || filled) {
            printf("FAILED: %s: %s, %u words are not zero\n", what, cudaGetErrorName(e), filled);
            failed = true;
        }
    }
}

int main()
{
    look("registers", registers, 0, 0);
    look("local array of 4 words", local<4>, 4, 0);
    look("local array of 61 words", local<61>, 61, 0);
    look("local array of 5000 words", local<5000>, 5000, 0);
    look("recursive function", recursive, 0, 0); // what a call left is no longer its own: only a fresh stack is asked for
    look("shared memory", shared, 1024, 4096);
    look("registers", registers, 0, 0);
    look("local array of 4 words", local<4>, 0, 0);
    printf(failed ? "FAILED\n" : "PASSED\n");
    return failed;
}
