// Quotients and remainders of 32 bits by one number for all lanes, which machine code makes products of (jit/llvm/divide.c), beside the
// host's division: numbers around every multiple that may round the wrong way. Prints PASSED.
#include <cstdint>
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void by_one(const uint32_t *x, uint32_t *out, int n, uint32_t y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    uint32_t v = x[i];
    out[4 * i] = v / y;
    out[4 * i + 1] = v % y;
    out[4 * i + 2] = (uint32_t)((int32_t)v / (int32_t)y);
    out[4 * i + 3] = (uint32_t)((int32_t)v % (int32_t)y);
}

static uint32_t next(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    return *state ^= *state << 5;
}

static int look(uint32_t y, const std::vector<uint32_t> &x, uint32_t *in, uint32_t *out, std::vector<uint32_t> &have)
{
    int n = (int)x.size();
    cudaMemcpy(in, x.data(), n * 4, cudaMemcpyHostToDevice);
    by_one<<<(n + 127) / 128, 128>>>(in, out, n, y);
    if (cudaMemcpy(have.data(), out, n * 16, cudaMemcpyDeviceToHost))
        return 1;
    for (int i = 0; i < n; i++) {
        bool wraps = x[i] == 0x80000000u && y == 0xffffffffu;
        int32_t q = wraps ? (int32_t)x[i] : (int32_t)x[i] / (int32_t)y, r = wraps ? 0 : (int32_t)x[i] % (int32_t)y;
        uint32_t want[4] = {x[i] / y, x[i] % y, (uint32_t)q, (uint32_t)r};
        for (int k = 0; k < 4; k++)
            if (have[4 * i + k] != want[k]) {
                printf("FAILED: %u by %u, %d: %u instead of %u\n", x[i], y, k, have[4 * i + k], want[k]);
                return 1;
            }
    }
    return 0;
}

int main()
{
    const int N = 4096;
    uint32_t state = 2463534242u, *in, *out;
    std::vector<uint32_t> x(N), have(4 * N), ys = {1, 2, 3, 5, 7, 10, 641, 65535, 65536, 65537, 0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe, 0xffffffff};
    if (cudaMalloc(&in, N * 4) || cudaMalloc(&out, N * 16))
        return 1;
    for (int i = 0; i < 100; i++)
        ys.push_back(next(&state) >> next(&state) % 32 | 1u << next(&state) % 32);
    int failed = 0;
    for (uint32_t y : ys) {
        for (int i = 0; i < N; i++) { // multiples and their neighbours, the greatest numbers, and any
            uint32_t most = UINT32_MAX / y, k = i % 3 ? next(&state) % (most + (most != UINT32_MAX)) : most - (uint32_t)i % 16;
            x[i] = i % 8 == 7 ? next(&state) : i % 8 == 6 ? UINT32_MAX - (uint32_t)i : k * y + (uint32_t)(i % 4) - 1;
        }
        x[0] = 0x80000000u;
        x[1] = 0;
        failed += look(y, x, in, out, have);
    }
    puts(failed ? "FAILED" : "PASSED");
    return failed;
}
