// Where tensor cores of a generation cut off what they add: a row of eight equal products and 1, with sums of float and of half.
// Expected: 23, 24 and 25 bits below the largest addend, 4, 8 and 16 halves at once on compute capabilities 7.5, 8.0 and 9.0
// (src/interp/matrix.h, struct grid); each value below follows from that by hand.
#include <cstdio>
#include <cstring>
#include <cuda_fp16.h>

// D of row 0, column 0: c + 8 a b. Only elements of the first lanes matter, and all have the same.
__global__ void sums(float a, float b, float c, float *out)
{
    __half2 halves_a = __floats2half2_rn(a, a), halves_b = __floats2half2_rn(b, b), halves_c = __floats2half2_rn(c, c), narrow[2];
    unsigned bits_a, bits_b, bits_c, low, high;
    float d[4];
    memcpy(&bits_a, &halves_a, 4);
    memcpy(&bits_b, &halves_b, 4);
    memcpy(&bits_c, &halves_c, 4);
    asm("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%4}, {%5}, {%6,%6,%6,%6};"
        : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3]) : "r"(bits_a), "r"(bits_b), "f"(c));
    asm("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%2}, {%3}, {%4,%4};"
        : "=r"(low), "=r"(high) : "r"(bits_a), "r"(bits_b), "r"(bits_c));
    memcpy(narrow, &low, 4);
    if (threadIdx.x == 0) {
        out[0] = d[0];
        out[1] = __low2float(narrow[0]);
    }
}

int main()
{
    const float e23 = 1.f / (1 << 23), e24 = e23 / 2, e25 = e24 / 2, e26 = e25 / 2;
    struct {
        float a, b, c, t4, a100, h200;
    } cases[] = {
        {1, e23, 1, 1 + 8 * e23, 1 + 8 * e23, 1 + 8 * e23},
        {1, e24, 1, 1, 1 + 8 * e24, 1 + 8 * e24},           // each is cut off where 23 bits are kept
        {.5f, e24, 1, 1, 1, 1 + 8 * e25},
        {.25f, e24, 1, 1, 1, 1},
        {-1, e24, 1, 1, 1 - 8 * e24, 1 - 8 * e24},
        {-.5f, e24, 1, 1, 1, 1 - 8 * e25},
        {1, 1, e24, 8, 8, 8},                               // the addend that is cut off may be C
        {1, 2, 3, 19, 19, 19},
        {0, 1, e26, e26, e26, e26},                         // what is nothing has no power of two
    };
    cudaDeviceProp p;
    float *out;
    int bad = 0;
    cudaGetDeviceProperties(&p, 0);
    cudaMallocManaged(&out, 2 * sizeof *out);
    for (auto &x : cases) {
        float want = p.major == 7 ? x.t4 : p.major == 8 ? x.a100 : x.h200;
        sums<<<1, 32>>>(x.a, x.b, x.c, out);
        if (cudaDeviceSynchronize() || out[0] != want || (x.c != e26 && out[1] != __half2float(__float2half_rn(want)))) {
            printf("%g * %g * 8 + %g: %.9g and %.9g, not %.9g\n", x.a, x.b, x.c, out[0], out[1], want);
            bad = 1;
        }
    }
    puts(bad ? "FAILED" : "PASSED");
    return bad;
}
