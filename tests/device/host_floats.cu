// What the program sets for its own arithmetic (traps, rounding, subnormals) is nothing to kernels, and stays as it is.
#include <cfenv>
#include <cstdio>
#include <cstring>
#include <xmmintrin.h>

__global__ void compute(const float *in, float *out)
{
    out[0] = in[0] / in[0];         // 0 / 0
    out[1] = in[1] / in[0];         // 1 / 0
    out[2] = in[2] * in[2];         // too large
    out[3] = in[1] + in[3];         // 1 + 2^-30
    out[4] = in[4] * 0.5f;          // half of the smallest normal number
    out[5] = fmaf(in[4], in[1], 0); // itself
    double d = (double)in[1] / 3;
    memcpy(&out[6], &d, 8);
}

int main()
{
    const float in[5] = {0, 1, 3e38f, 0x1p-30f, 0x1p-126f};
    const unsigned expected[8] = {0x7fffffff, 0x7f800000, 0x7f800000, 0x3f800000, 0x00400000, 0x00800000, 0x55555555, 0x3fd55555};
    float *from, *to;
    unsigned found[8];
    cudaMalloc(&from, sizeof in);
    cudaMalloc(&to, sizeof found);
    cudaMemcpy(from, in, sizeof in, cudaMemcpyHostToDevice);
    feenableexcept(FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW);
    fesetround(FE_UPWARD);
    _mm_setcsr(_mm_getcsr() | 0x8040); // subnormal results and sources are zero
    unsigned set = _mm_getcsr() & ~0x3f;
    compute<<<1, 1>>>(from, to);
    cudaError_t e = cudaDeviceSynchronize();
    bool kept = (_mm_getcsr() & ~0x3f) == set && fegetround() == FE_UPWARD;
    fesetenv(FE_DFL_ENV);
    e = e ? e : cudaMemcpy(found, to, sizeof found, cudaMemcpyDeviceToHost);
    int wrong = !kept;
    for (int i = 0; i < 8; i++)
        if (found[i] != expected[i] && ++wrong)
            printf("value %d: %08x and not %08x\n", i, found[i], expected[i]);
    printf(e || wrong ? "FAILED: %s, kept %d\n" : "PASSED\n", cudaGetErrorString(e), kept);
    return e || wrong;
}
