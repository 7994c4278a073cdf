// Registers: each value that a thread keeps takes one, and all threads of a multiprocessor share 65,536. (Row 23.)
//
// The lesson. A thread that does a tile of N x N elements of a product keeps N x N sums, and N values of each side at a time. Larger
// tiles load less (2 N values for N x N multiply-adds) and take more registers, so fewer threads fit on a multiprocessor.
// `__launch_bounds__(256, 4)` tells the compiler that 4 blocks of 256 threads are wanted at once: it stays within 65,536 / (4 x 256)
// = 64 registers. The sums alone are 64, so the rest goes to local memory and back: spills. ptxas 13.0 stores 216 bytes a
// thread for an H200 (`ptxas -v`). Heddle knows the bound, not the spills: its report has no local access here. How many registers a
// kernel takes only the vendor's assembler knows; the report's number is an estimate, and says so.
//   heddle profile --section LaunchStats --section Occupancy examples/registers.cu
//   heddle occupancy --brief examples/registers.cu                                  what limits each kernel
//   heddle profile --registers ptxas ... examples/registers.cu                      asks NVIDIA's assembler, if it is installed
//
// The figures: 2 blocks of 256 threads, 16 warps, 32 turns; 2 N loads a turn and warp.
//   tile<1> 1: global_load_requests = 1,024, flop_count_sp_fma = 16,384
//   tile<2> 1: global_load_requests = 2,048, flop_count_sp_fma = 65,536
//   tile<4> 1: global_load_requests = 4,096, flop_count_sp_fma = 262,144
//   tile<8> 1: global_load_requests = 8,192, flop_count_sp_fma = 1,048,576
//   tile_bounded 1: global_load_requests = 8,192
// N x N sums and 2 N values are 3, 8, 24 and 80 registers at least, unless bounded: tests/examples/registers.py finds as many in the
// estimate and, where it is installed, in the assembler's answer, more with each N, and at most 64 where they are bounded.
#include "example.h"

const int BLOCK = 256, BLOCKS = 2, TURNS = 32;

// Thread t of all adds up N x N products: out[(row * N + column) * threads + t] of rows a[(k * N + row) * threads + t] and columns b[...].
template <int N> __device__ void tile_of(const float *a, const float *b, float *out)
{
    int threads = gridDim.x * blockDim.x, t = blockIdx.x * blockDim.x + threadIdx.x;
    float sum[N][N] = {};
#pragma unroll 1
    for (int k = 0; k < TURNS; k++) {
        float row[N], column[N];
#pragma unroll
        for (int i = 0; i < N; i++) {
            row[i] = a[(k * N + i) * threads + t];
            column[i] = b[(k * N + i) * threads + t];
        }
#pragma unroll
        for (int i = 0; i < N; i++)
#pragma unroll
            for (int j = 0; j < N; j++)
                sum[i][j] += row[i] * column[j];
    }
#pragma unroll
    for (int i = 0; i < N; i++)
#pragma unroll
        for (int j = 0; j < N; j++)
            out[(i * N + j) * threads + t] = sum[i][j];
}

template <int N> __global__ void tile(const float *a, const float *b, float *out)
{
    tile_of<N>(a, b, out);
}

__global__ void __launch_bounds__(256, 4) tile_bounded(const float *a, const float *b, float *out)
{
    tile_of<8>(a, b, out);
}

static void run(void (*kernel)(const float *, const float *, float *), int n, const char *name)
{
    const size_t threads = BLOCK * BLOCKS;
    std::vector<float> a = numbers(threads * TURNS * n, 3), b = numbers(threads * TURNS * n, 4), wanted(threads * n * n);
    for (size_t t = 0; t < threads; t++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                double sum = 0.0;
                for (int k = 0; k < TURNS; k++)
                    sum += (double)a[(k * n + i) * threads + t] * b[(k * n + j) * threads + t];
                wanted[(i * n + j) * threads + t] = (float)sum;
            }
    float *out;
    CHECK(cudaMalloc(&out, wanted.size() * sizeof(float)));
    kernel<<<BLOCKS, BLOCK>>>(to_device(a), to_device(b), out);
    expect(near(to_host(out, wanted.size()), wanted, 1e-4f), name);
}

int main()
{
    run(tile<1>, 1, "1 x 1");
    run(tile<2>, 2, "2 x 2");
    run(tile<4>, 4, "4 x 4");
    run(tile<8>, 8, "8 x 8");
    run(tile_bounded, 8, "8 x 8, 4 blocks at once");
    return verdict();
}
