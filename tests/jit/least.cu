// min and max of what arithmetic has made: zeros of both signs, NaNs of all kinds, infinities, in all pairs. Prints PASSED.
#include <cmath>
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

static const int N = 32;

__global__ void least(const float *p, float one, float *out)
{
    int x = threadIdx.x, y = blockIdx.x;
    float a = p[x] * one, b = p[y] * one;
    float *to = out + (y * N + x) * 6;
    to[0] = fminf(a, b);
    to[1] = fmaxf(a, b);
    to[2] = fminf(fmaxf(-a, b), fabsf(b));
    to[3] = fmaxf(a, 0.0f);
    to[4] = fminf(p[x], b); // p[x] may be a signalling NaN
    to[5] = fmaxf(p[x], p[y]);
}

static unsigned bits(float x)
{
    unsigned u;
    memcpy(&u, &x, sizeof u);
    return x != x ? 0x7fffffff : u;
}

// PTX ISA, min and max: -0 is less than +0, one NaN loses, two are the canonical one.
static float least_of(float a, float b, bool max)
{
    if (a != a || b != b)
        return a != a ? b : a;
    if (a == b)
        return std::signbit(a) != max ? a : b;
    return (a < b) != max ? a : b;
}

int main()
{
    static const unsigned edges[N] = {0, 0x80000000, 1, 0x80000001, 0x007fffff, 0x807fffff, 0x00800000, 0x80800000, 0x3f800000, 0xbf800000, 0x3f800001, 0x40000000,
                                      0xc0000000, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00000, 0x7f800001, 0xff800001, 0x7fbfffff,
                                      0xffbfffff, 0x7fffffff, 0xffffffff, 0x42280000, 0xc2280000, 0x33800000, 0xb3800000, 0x7fa00000, 0x7e800000, 0xfe800000};
    static float x[N], out[N * N * 6];
    memcpy(x, edges, sizeof x);
    float *p, *q;
    cudaMalloc(&p, sizeof x);
    cudaMalloc(&q, sizeof out);
    cudaMemcpy(p, x, sizeof x, cudaMemcpyHostToDevice);
    least<<<N, N>>>(p, 1.0f, q);
    if (cudaMemcpy(out, q, sizeof out, cudaMemcpyDeviceToHost))
        return 1;
    int failed = 0;
    for (int b = 0; b < N; b++)
        for (int a = 0; a < N; a++) {
            float want[6] = {least_of(x[a], x[b], false), least_of(x[a], x[b], true), least_of(least_of(-x[a], x[b], true), fabsf(x[b]), false),
                             least_of(x[a], 0, true), least_of(x[a], x[b], false), least_of(x[a], x[b], true)};
            for (int k = 0; k < 6; k++)
                if (bits(out[(b * N + a) * 6 + k]) != bits(want[k]) && failed++ < 10)
                    printf("FAILED: %d of %08x and %08x: %08x instead of %08x\n", k, edges[a], edges[b], bits(out[(b * N + a) * 6 + k]), bits(want[k]));
        }
    puts(failed ? "FAILED" : "PASSED");
    return failed != 0;
}
