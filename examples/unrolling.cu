// Unrolling: a loop pays for its counting and its branch in every turn; unrolled, several turns pay once. (Row 32.)
//
// The lesson. A dot product loads a value and does a multiply-add a turn; the loop adds a counter, a comparison and a
// branch. `#pragma unroll` lets the compiler write the turns one behind the other, and with a constant number of turns
// nothing of the loop is left. Where the number is not known, strip mining does it by hand: the outer loop takes steps
// of 4, the inner one, of 4 turns, is unrolled. `#pragma unroll 4` has the compiler do the same, and whatever turns remain.
// Memory sees the same in all four: unrolling saves instructions, not traffic, and takes registers.
// `heddle compare examples/unrolling.cu -k rolled -k by_four -k unrolled` shows both, by unit: ALU, which counts and
// compares, goes; FMA stays.
//
// The figures: 4 blocks of 64 threads, 8 warps, 64 values a thread.
//   rolled 1: global_load_requests = 512 (8 x 64), gld_transactions = 2,048 (4 each), flop_count_sp_fma = 16,384 (256
//     threads x 64), branch = 520 (8 x (64 + 1): each turn, and whether there is one at all). (The compiler leaves small loops
//     alone only if told so: `#pragma unroll 1`.)
//   stripped 1: the same; branch = 136 (8 x (64 / 4 + 1): each strip, and whether there is a turn at all)
//   by_four 1: the same; branch = 152 (8 x 19: are there any turns, are there 4, once for each of the 16 strips, does one remain)
//   unrolled 1: the same; branch = 0
#include "example.h"

const int THREADS = 256, BLOCK = 64, TURNS = 64, STRIP = 4;
__constant__ float weights[TURNS];

// Neighbouring threads read neighbouring values: value k of thread i is in[k * THREADS + i].
__global__ void rolled(const float *in, float *out, int turns)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
#pragma unroll 1
    for (int k = 0; k < turns; k++)
        sum += weights[k] * in[k * THREADS + i];
    out[i] = sum;
}

__global__ void stripped(const float *in, float *out, int turns)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
#pragma unroll 1
    for (int first = 0; first < turns; first += STRIP)
#pragma unroll
        for (int k = first; k < first + STRIP; k++)
            sum += weights[k] * in[k * THREADS + i];
    out[i] = sum;
}

__global__ void by_four(const float *in, float *out, int turns)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
#pragma unroll 4
    for (int k = 0; k < turns; k++)
        sum += weights[k] * in[k * THREADS + i];
    out[i] = sum;
}

__global__ void unrolled(const float *in, float *out, int)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
#pragma unroll
    for (int k = 0; k < TURNS; k++)
        sum += weights[k] * in[k * THREADS + i];
    out[i] = sum;
}

int main()
{
    std::vector<float> in = numbers(THREADS * TURNS, 1), w = numbers(TURNS, 2), wanted(THREADS);
    for (int i = 0; i < THREADS; i++) {
        double sum = 0.0;
        for (int k = 0; k < TURNS; k++)
            sum += (double)w[k] * in[k * THREADS + i];
        wanted[i] = (float)sum;
    }
    float *device_in = to_device(in), *out;
    CHECK(cudaMemcpyToSymbol(weights, w.data(), sizeof weights));
    CHECK(cudaMalloc(&out, THREADS * sizeof(float)));
    void (*kernels[])(const float *, float *, int) = {rolled, stripped, by_four, unrolled};
    const char *names[] = {"a turn at a time", "in strips of 4", "unrolled by 4", "all turns written out"};
    for (int k = 0; k < 4; k++) {
        CHECK(cudaMemset(out, 0xff, THREADS * sizeof(float)));
        kernels[k]<<<THREADS / BLOCK, BLOCK>>>(device_in, out, TURNS);
        expect(near(to_host(out, THREADS), wanted, 1e-4f), names[k]);
    }
    return verdict();
}
