// Functions of half and bfloat16 for every argument there is: within one unit of the last place of the exact value, which
// the GPU's are too, and NaN exactly where it should be.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#define FUNCTIONS(X)                                                                                  \
    X(hsqrt, sqrt(x)) X(hrsqrt, 1 / sqrt(x)) X(hrcp, 1 / x) X(hexp, exp(x)) X(hexp2, exp2(x)) X(hexp10, pow(10, x)) \
    X(hlog, log(x)) X(hlog2, log2(x)) X(hlog10, log10(x)) X(hsin, sin(x)) X(hcos, cos(x)) X(htanh, tanh(x))        \
    X(less_one, x - 1) X(quotient, 1.625 / x) X(third, x / 3)

template<class H> __device__ H less_one(H a) { return a - H(1.0f); }
template<class H> __device__ H quotient(H a) { return H(1.625f) / a; }
template<class H> __device__ H third(H a) { return a / H(3.0f); }

template<class H> __global__ void compute(unsigned short *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, row = 0;
    H a, r;
    a.__x = (unsigned short)i;
#define COMPUTE(name, value) r = name(a), out[65536 * row++ + i] = r.__x;
    FUNCTIONS(COMPUTE)
}

static int bad;

// Bits without sign; all NaN are one.
static int order(unsigned short bits, int infinity) { return (bits & 0x7fff) > infinity ? 0x10000 : bits & 0x7fff; }

template<class H> static void compare(const char *type, const char *name, const unsigned short *got, double (*exact)(double), int infinity)
{
    for (int i = 0; i < 65536; i++) {
        H a, want;
        a.__x = (unsigned short)i;
        want = H((float)exact((float)a));
        int w = order(want.__x, infinity), g = order(got[i], infinity);
        bool sign = w == 0x10000 || w == 0 || !((want.__x ^ got[i]) & 0x8000);
        if ((abs(w - g) > 1 || !sign) && bad++ < 20)
            printf("%s %s of %04x: %04x instead of %04x\n", type, name, i, got[i], want.__x);
    }
}

template<class H> static void all(const char *type, int infinity)
{
    std::vector<unsigned short> got(15 * 65536);
    unsigned short *device;
    int row = 0;
    cudaMalloc(&device, got.size() * 2);
    compute<H><<<256, 256>>>(device);
    cudaMemcpy(got.data(), device, got.size() * 2, cudaMemcpyDeviceToHost);
    cudaFree(device);
#define COMPARE(name, value)                                                                          \
    compare<H>(type, #name, &got[65536 * row++], [](double x) -> double { return value; }, infinity);
    FUNCTIONS(COMPARE)
}

int main()
{
    all<__half>("half", 0x7c00);
    all<__nv_bfloat16>("bfloat16", 0x7f80);
    if (cudaGetLastError() != cudaSuccess)
        bad++;
    printf(bad ? "%d values are off\n" : "PASSED\n", bad);
    return bad != 0;
}
