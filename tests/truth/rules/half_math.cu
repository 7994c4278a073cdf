// Half precision: operations on one number and on pairs, conversions. One kernel each.
#include <cuda_fp16.h>
#include "harness.h"

enum { N = 256 };
// name; what the device computes of a and b (halves) or p and q (pairs); the reference for the low half; ranges; tolerance
#define SINGLE(X)                                                                                      \
  X(add, __hadd(a, b), a + b, -2, 2, -2, 2, 2e-3)                                                      \
  X(sub, __hsub(a, b), a - b, -2, 2, -2, 2, 2e-3)                                                      \
  X(mul, __hmul(a, b), a *b, -2, 2, -2, 2, 2e-3)                                                       \
  X(fma, __hfma(a, b, a), a *b + a, -2, 2, -2, 2, 2e-3)                                                \
  X(mul_add, __hadd(__hmul(a, b), a), a *b + a, -2, 2, -2, 2, 4e-3)                                    \
  X(add_sat, __hadd_sat(a, b), fmin(fmax(a + b, 0), 1), -2, 2, -2, 2, 2e-3)                            \
  X(neg, __hneg(a), -a, -2, 2, 0, 1, 0)                                                                \
  X(abs, __habs(a), fabs(a), -2, 2, 0, 1, 0)                                                           \
  X(div, __hdiv(a, b), a / b, -2, 2, 1, 2, 2e-3)                                                       \
  X(max, __hmax(a, b), fmax(a, b), -2, 2, -2, 2, 0)                                                    \
  X(sqrt, hsqrt(a), sqrt(a), 1, 2, 0, 1, 2e-3)                                                         \
  X(rsqrt, hrsqrt(a), 1 / sqrt(a), 1, 2, 0, 1, 2e-3)                                                   \
  X(rcp, hrcp(a), 1 / a, 1, 2, 0, 1, 2e-3)                                                             \
  X(exp, hexp(a), exp(a), -2, 2, 0, 1, 4e-3)                                                           \
  X(exp2, hexp2(a), exp2(a), -2, 2, 0, 1, 4e-3)                                                        \
  X(log, hlog(a), log(a), 1, 2, 0, 1, 2e-3)                                                            \
  X(log2, hlog2(a), log2(a), 1, 2, 0, 1, 2e-3)                                                         \
  X(sin, hsin(a), sin(a), -2, 2, 0, 1, 2e-3)                                                           \
  X(cos, hcos(a), cos(a), -2, 2, 0, 1, 2e-3)                                                           \
  X(floor, hfloor(a), floor(a), -9, 9, 0, 1, 0)                                                        \
  X(rint, hrint(a), rint(a), -9, 9, 0, 1, 0)                                                           \
  X(less, __hlt(a, b) ? a : b, fmin(a, b), -2, 2, -2, 2, 0)                                            \
  X(to_float, __float2half(__half2float(a) * 1.5f), a * 1.5, -2, 2, 0, 1, 2e-3)                        \
  X(to_int, __int2half_rn(__half2int_rz(a)), trunc(a), -9, 9, 0, 1, 0)
#define PAIRS(X)                                                                                       \
  X(add2, __hadd2(p, q), a + b, -2, 2, -2, 2, 2e-3)                                                    \
  X(sub2, __hsub2(p, q), a - b, -2, 2, -2, 2, 2e-3)                                                    \
  X(mul2, __hmul2(p, q), a *b, -2, 2, -2, 2, 2e-3)                                                     \
  X(fma2, __hfma2(p, q, p), a *b + a, -2, 2, -2, 2, 2e-3)                                              \
  X(mul_add2, __hadd2(__hmul2(p, q), p), a *b + a, -2, 2, -2, 2, 4e-3)                                 \
  X(fma2_sat, __hfma2_sat(p, q, p), fmin(fmax(a *b + a, 0), 1), -2, 2, -2, 2, 2e-3)                    \
  X(fma2_relu, __hfma2_relu(p, q, p), fmax(a *b + a, 0), -2, 2, -2, 2, 2e-3)                           \
  X(neg2, __hneg2(p), -a, -2, 2, 0, 1, 0)                                                              \
  X(abs2, __habs2(p), fabs(a), -2, 2, 0, 1, 0)                                                         \
  X(div2, __h2div(p, q), a / b, -2, 2, 1, 2, 2e-3)                                                     \
  X(max2, __hmax2(p, q), fmax(a, b), -2, 2, -2, 2, 0)                                                  \
  X(sqrt2, h2sqrt(p), sqrt(a), 1, 2, 0, 1, 2e-3)                                                       \
  X(exp_2, h2exp(p), exp(a), -2, 2, 0, 1, 4e-3)                                                        \
  X(less2, __hlt2(p, q), a < b, -2, 2, -2, 2, 0)                                                       \
  X(swap2, __lowhigh2highlow(__lowhigh2highlow(p)), a, -2, 2, 0, 1, 0)                                 \
  X(to_float2, twice(p), a * 2, -2, 2, 0, 1, 2e-3)

__device__ __half2 twice(__half2 p)
{
  float2 f = __half22float2(p);
  return __floats2half2_rn(f.x * 2, f.y * 2);
}
#define KERNEL1(name, device, host, l, h, l2, h2, t)                                                   \
  __global__ void h_##name(const __half *x, const __half *y, __half *out)                              \
  {                                                                                                    \
    int i = blockIdx.x * blockDim.x + threadIdx.x;                                                     \
    __half a = x[2 * i], b = y[2 * i];                                                                 \
    (void)b;                                                                                           \
    out[2 * i] = device;                                                                               \
  }
#define KERNEL2(name, device, host, l, h, l2, h2, t)                                                   \
  __global__ void h_##name(const __half *x, const __half *y, __half *out)                              \
  {                                                                                                    \
    int i = blockIdx.x * blockDim.x + threadIdx.x;                                                     \
    __half2 p = ((const __half2 *)x)[i], q = ((const __half2 *)y)[i];                                  \
    (void)q;                                                                                           \
    ((__half2 *)out)[i] = device;                                                                      \
  }
SINGLE(KERNEL1) PAIRS(KERNEL2)

int main(int argc, char **argv)
{
  init(argc, argv);
  __half *out = blank<__half>(2 * N);
  std::vector<__half> x(2 * N), y(2 * N);
  std::vector<double> ref(N);
#define LAUNCH(name, device, host, l, h, l2, h2, t)                                                    \
  if (want(#name)) {                                                                                   \
    for (int i = 0; i < 2 * N; i++) {                                                                  \
      x[i] = __float2half((float)uniform(l, h));                                                       \
      y[i] = __float2half((float)uniform(l2, h2));                                                     \
      double a = __half2float(x[i]), b = __half2float(y[i]);                                           \
      (void)b;                                                                                         \
      if (!(i & 1)) ref[i / 2] = host;                                                                 \
    }                                                                                                  \
    __half *dx = sent(x), *dy = sent(y);                                                               \
    RUN(h_##name<<<N / 64, 64>>>(dx, dy, out));                                                        \
    auto got = back(out, 2 * N);                                                                       \
    std::vector<double> low(N);                                                                        \
    for (int i = 0; i < N; i++) low[i] = __half2float(got[2 * i]);                                     \
    check(low, ref, t);                                                                                \
  }
  SINGLE(LAUNCH) PAIRS(LAUNCH)
  return finish();
}
