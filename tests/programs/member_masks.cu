// Lanes that are not in their own member mask. The programming guide leaves open what happens; an H200 (driver 13000, nvcc 13.0,
// 2026-11-23) lets all lanes take part where the mask is a constant, and says illegal instruction where each lane has one of its own.
// It says so of parted lanes, too (WARPSYNC in both), and of shuffles and __syncwarp.
#include <cstdio>

const unsigned bits = 0xb6d3a59c;

__global__ void half(unsigned *out) { out[threadIdx.x] = __ballot_sync(0xffff, bits >> threadIdx.x & 1); }
__global__ void below_own(unsigned *out) { out[threadIdx.x] = __ballot_sync((1u << threadIdx.x) - 1, bits >> threadIdx.x & 1); }
__global__ void shuffle_below(unsigned *out) { out[threadIdx.x] = __shfl_up_sync((1u << threadIdx.x) - 1, bits, 1); }
__global__ void wait_below(unsigned *out)
{
    __syncwarp((1u << threadIdx.x) - 1);
    out[threadIdx.x] = 0;
}
__global__ void parted(unsigned *out)
{
    if (threadIdx.x < 16)
        out[threadIdx.x] = __ballot_sync(0xffff0000, bits >> threadIdx.x & 1);
    else
        out[threadIdx.x] = __any_sync(0xffff, bits >> threadIdx.x & 1);
}

int failed;

template <typename F> void test(const char *name, void (*k)(unsigned *), cudaError_t h200, F value)
{
    unsigned *out;
    int wrong = 0;
    cudaMallocManaged(&out, 32 * sizeof *out);
    k<<<1, 32>>>(out);
    cudaError_t e = cudaDeviceSynchronize();
    for (unsigned i = 0; i < 32 && !e; i++)
        wrong += out[i] != value(i);
    printf("%s: %s, %d wrong%s\n", name, cudaGetErrorName(e), wrong, e == h200 ? "" : ", unlike the H200");
    failed += wrong || e != h200;
    cudaDeviceReset();
}

int main()
{
    auto none = [](unsigned) { return 0u; };
    test("half", half, cudaSuccess, [](unsigned) { return bits; });
    test("below_own", below_own, cudaErrorIllegalInstruction, none);
    test("shuffle_below", shuffle_below, cudaErrorIllegalInstruction, none);
    test("wait_below", wait_below, cudaErrorIllegalInstruction, none);
    test("parted", parted, cudaErrorIllegalInstruction, none);
    puts(failed ? "FAILED" : "PASSED");
    return failed != 0;
}
