// rsqrt.approx.f32 is 1 / sqrt(x) in double, rounded, however machine code computes it: for all numbers from 1 to 4 (other exponents
// scale by 4), and for numbers of every exponent, subnormal ones, zeros, infinities and NaN.
#include <cstdio>

typedef unsigned int u32;

__device__ bool same(float x, float y)
{
    return __float_as_uint(x) == __float_as_uint(y) || (x != x && y != y);
}

__global__ void compare(u32 first, u32 by, int *wrong)
{
    u32 bits = first + (blockIdx.x * blockDim.x + threadIdx.x) * by;
    float x = __uint_as_float(bits), flushed = fabsf(x) < 0x1p-126f ? copysignf(0, x) : x, y, z;
    asm("rsqrt.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(z) : "f"(x));
    if (!same(y, (float)(1 / sqrt((double)x))) || !same(z, (float)(1 / sqrt((double)flushed))))
        atomicAdd(wrong, 1);
}

int main()
{
    int *wrong;
    cudaMallocManaged(&wrong, sizeof *wrong);
    *wrong = 0;
    compare<<<1 << 16, 256>>>(0x3f800000, 1, wrong);
    compare<<<1 << 14, 256>>>(0, 1021, wrong); // the last one is 0xff3ffc03
    compare<<<1 << 10, 256>>>(0, 1, wrong);
    for (u32 at : {0x7f7fff80u, 0x7fffff80u, 0xff7fff80u, 0xffffff80u})
        compare<<<1, 256>>>(at, 1, wrong);
    bool ok = cudaDeviceSynchronize() == cudaSuccess && *wrong == 0;
    printf("%d wrong\n%s\n", *wrong, ok ? "PASSED" : "FAILED");
}
