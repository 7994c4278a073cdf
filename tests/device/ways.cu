// What some of a warp's lanes do while the others wait: calls of functions that machine code leaves to the interpreter, whose
// operand is the same in all lanes and dead behind them, so that the result takes its place. Powers of two, which the
// approximate functions get exactly.
#include <cstdio>

enum { LANES = 64 };

// A result that only the lanes on the way have.
__global__ void fresh(float a, float *out)
{
    if (threadIdx.x == 5)
        *out = __powf(a, 3.0f);
}

// The others keep what they had.
__global__ void kept(const float *a, float *out, int n)
{
    float x = threadIdx.x;
    if (threadIdx.x >= n)
        x = __log2f(a[n]) + exp2f(a[n + 1]);
    out[threadIdx.x] = x;
}

// In both ways, and in one within.
__global__ void both(const float *a, float *out, int n)
{
    float x = threadIdx.x;
    if (threadIdx.x % 2) {
        x = __log2f(a[0]);
        if (threadIdx.x > n)
            x += __log2f(a[1]);
    } else {
        x += exp2f(a[2]);
    }
    out[threadIdx.x] = x;
}

// A guarded instruction on a way: lanes that it leaves out keep their own.
__global__ void guarded(const float *a, float *out, int n)
{
    float x = threadIdx.x;
    if (threadIdx.x % 4)
        asm volatile("{.reg .pred p; setp.gt.s32 p, %2, %3; @p lg2.approx.f32 %0, %1;}" : "+f"(x) : "f"(a[0]), "r"((int)threadIdx.x), "r"(n));
    out[threadIdx.x] = x;
}

static int failed;

static void expect(const char *what, int lane, float is, float should)
{
    if (is != should && failed++ < 20)
        printf("FAILED: %s, lane %d: %g, not %g\n", what, lane, is, should);
}

int main()
{
    const int n = 7;
    float in[LANES] = {}, host[LANES], *a, *out;
    in[0] = 32, in[1] = 4, in[2] = 6;
    in[n] = 1024, in[n + 1] = 3;
    if (cudaMalloc(&a, sizeof in) || cudaMalloc(&out, sizeof in) || cudaMemcpy(a, in, sizeof in, cudaMemcpyHostToDevice))
        return 1;
    fresh<<<1, LANES>>>(4, out);
    cudaMemcpy(host, out, 4, cudaMemcpyDeviceToHost);
    expect("fresh", 5, host[0], 64);
    kept<<<1, LANES>>>(a, out, n);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    for (int i = 0; i < LANES; i++)
        expect("kept", i, host[i], i >= n ? 10 + 8 : i);
    both<<<1, LANES>>>(a, out, n);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    for (int i = 0; i < LANES; i++)
        expect("both", i, host[i], i % 2 ? i > n ? 7 : 5 : i + 64);
    guarded<<<1, LANES>>>(a, out, n);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    for (int i = 0; i < LANES; i++)
        expect("guarded", i, host[i], i % 4 && i > n ? 5 : i);
    if (cudaGetLastError() != cudaSuccess)
        return 1;
    printf(failed ? "FAILED\n" : "PASSED\n");
    return failed != 0;
}
