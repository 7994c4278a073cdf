// Calls of the math library. math_calls.py says how many the PTX of each kernel has, and how many of those in a loop: what nvcc 13.0.88
// leaves of the functions' code (instructions of exp(x) once, of log(x) once, and so on).
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#define KERNEL extern "C" __global__ void

KERNEL merged_behind_branch(double *o, double x, int m)
{
    o[0] = exp(x) + 1;
    if (m > (int)threadIdx.x) {
        o[1] = 2 * exp(x) + 3;
        __threadfence();
    }
}
KERNEL merged_in_one_block(float *o, float x) { o[0] = logf(x), o[1] = logf(x) + 1; }
KERNEL hoisted(float *o, float x, int m)
{
    for (int i = 0; i < m; i++)
        o[i * 7] = powf(x, 1.5f) + i;
}
KERNEL hoisted_through_a_function(double *o, double x, int m)
{
    auto f = [](double t) { return log(t) * exp(-1 / t); };
    for (int i = 0; i < m; i++)
        o[i * 7] = f(x) + i;
}
KERNEL base_hoisted(float *o, float x, int m)
{
#pragma unroll 1
    for (int i = 0; i < m; i++)
        o[i * 7] = powf(x, o[i * 7]) + i;
}
KERNEL base_merged(float *o, float x, float y) { o[0] = powf(x, 1.5f), o[1] = powf(x, y); }
KERNEL power_of_two(float *o, float x) { o[0] = powf(2, x); }
// sinf keeps words of large arguments in local memory, so nvcc computes it again
KERNEL kept_in_loop(float *o, float x, int m)
{
    for (int i = 0; i < m; i++)
        o[i * 7] = sinf(x) + i;
}
KERNEL kept_behind_branch(float *o, float x, int m)
{
    o[0] = cosf(x);
    if (m > (int)threadIdx.x) {
        o[1] = 2 * cosf(x) + 3;
        __threadfence();
    }
}

static __device__ float turn(float degrees) { return cosf(degrees * 3.14159265f / 180) * tanf(0.5f) + powf(1.5f, 2.5f) * expf(-degrees); }
KERNEL of_constants(float *o) { o[threadIdx.x] = turn(30) + sinf(0.7f) + atan2f(1, 2) + fmodf(7, 3) + log10f(20); }
KERNEL of_constants_double(double *o) { o[threadIdx.x] = cosh(0.3) + log(2.0) + pow(2.5, 0.3) + asin(0.3) + exp2(0.3); }
KERNEL of_constants_unrolled(float *o)
{
    float s = 0;
#pragma unroll
    for (int i = 0; i < 4; i++)
        s += expf(0.5f * i) * o[i];
    o[threadIdx.x] = s;
}
// nvcc knows the results of none of these: erff, log1pf, cospi; nor of what overflows
KERNEL of_constants_not_known(float *o) { o[threadIdx.x] = erff(0.5f) + log1pf(0.25f) + (float)cospi(0.3) + (float)exp(1000.0); }

// Halves are compared and rounded to whole numbers as they are, pairs in one instruction.
KERNEL half_compared(__half *h) { h[0] = __hlt(h[1], h[2]) && h[3] != h[4] && !__hisnan(h[5]) ? h[6] : h[7]; }
KERNEL half_pairs_compared(__half2 *h, unsigned *o)
{
    h[0] = __hgeu2(h[1], h[2]);
    o[0] = __heq2_mask(h[3], h[4]) + __hltu2_mask(h[3], h[5]) + __hble2(h[3], h[6]);
}
KERNEL half_whole(__half2 *h) { h[0] = h2floor(h[1]), h[2].x = hrint(hceil(h[3].x)); }
KERNEL bfloat16_compared(__nv_bfloat16 *h) { h[0] = __hgtu(h[1], h[2]) ? htrunc(h[3]) : h[4]; }

// What stands beside such a call behind a branch stays there.
KERNEL beside_a_call(float *o, const float *x, float t, int at)
{
    int i = threadIdx.x;
    float e = x[i];
    if (i == at)
        e += expf(-(t - 5.0f) * (t - 3.0f)) * sinf(2.0f * t);
    o[i] = e;
}

// A number times a result that is chosen, and a sum of it.
KERNEL of_chosen(float *o, const float *a) { o[threadIdx.x] = 1.5f * logf(a[threadIdx.x]) + a[threadIdx.x + 64]; }
KERNEL of_chosen_double(double *o, const double *a) { o[threadIdx.x] = 1.5 * pow(a[threadIdx.x], -0.6) + a[threadIdx.x + 64]; }
KERNEL of_chosen_read_again(float *o, const float *a) { float l = logf(a[threadIdx.x]); o[threadIdx.x] = 1.5f * l + a[threadIdx.x + 64]; o[threadIdx.x + 64] = l; }
KERNEL of_chosen_by_a_variable(float *o, const float *a) { o[threadIdx.x] = a[threadIdx.x + 9] * logf(a[threadIdx.x]) + a[threadIdx.x + 64]; }
KERNEL of_not_chosen(float *o, const float *a) { o[threadIdx.x] = 1.5f * atanf(a[threadIdx.x]) + a[threadIdx.x + 64]; }
KERNEL of_chosen_by_two(float *o, const float *a) { o[threadIdx.x] = 2 * logf(a[threadIdx.x]) + a[threadIdx.x + 64]; }
