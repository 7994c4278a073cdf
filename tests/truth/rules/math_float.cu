// What single-precision operations and functions become: divisions, roots, exponentials, trigonometry, conversions.
// One kernel each; every lane computes one value of ordinary arguments, so counts are those of one evaluation.
#include "harness.h"

enum { N = 256 };
static double phi_inverse(double p)
{
  double low = -40, high = 40;
  for (int k = 0; k < 200; k++) {
    double m = (low + high) / 2;
    (0.5 * erfc(-m / sqrt(2.0)) < p ? low : high) = m;
  }
  return low;
}
static double bessel_i(int n, double x)
{
  double term = n ? x / 2 : 1, sum = term;
  for (int k = 1; k < 200; k++) sum += term *= x * x / 4 / (k * (double)(k + n));
  return sum;
}

// name; what the device computes of a and b; the reference in double; ranges of a and b; tolerance
#define CASES(X)                                                                                       \
  X(add, a + b, a + b, -4, 4, -4, 4, 1e-6)                                                             \
  X(sub, a - b, a - b, -4, 4, -4, 4, 1e-6)                                                             \
  X(mul, a *b, a *b, -4, 4, -4, 4, 1e-6)                                                               \
  X(mul_add, a *b + 1.5f, a *b + 1.5, -4, 4, -4, 4, 1e-6)                                              \
  X(fma, fmaf(a, b, a), a *b + a, -4, 4, -4, 4, 1e-6)                                                  \
  X(neg_abs, -fabsf(a), -fabs(a), -4, 4, 0, 1, 0)                                                      \
  X(div, a / b, a / b, -4, 4, 1, 2, 1e-6)                                                              \
  X(div_constant, a / 3.0f, a / 3, -4, 4, 0, 1, 1e-6)                                                  \
  X(div_power, a / 8.0f, a / 8, -4, 4, 0, 1, 1e-6)                                                     \
  X(div_rn, __fdiv_rn(a, b), a / b, -4, 4, 1, 2, 1e-6)                                                 \
  X(div_rz, __fdiv_rz(a, b), a / b, -4, 4, 1, 2, 1e-6)                                                 \
  X(div_ru, __fdiv_ru(a, b), a / b, -4, 4, 1, 2, 1e-6)                                                 \
  X(div_rd, __fdiv_rd(a, b), a / b, -4, 4, 1, 2, 1e-6)                                                 \
  X(div_fast, __fdividef(a, b), a / b, -4, 4, 1, 2, 1e-6)                                              \
  X(reciprocal, 1.0f / a, 1 / a, 1, 4, 0, 1, 1e-6)                                                     \
  X(rcp_rn, __frcp_rn(a), 1 / a, 1, 4, 0, 1, 1e-6)                                                     \
  X(rcp_rz, __frcp_rz(a), 1 / a, 1, 4, 0, 1, 1e-6)                                                     \
  X(rcp_ru, __frcp_ru(a), 1 / a, 1, 4, 0, 1, 1e-6)                                                     \
  X(sqrt, sqrtf(a), sqrt(a), 1, 9, 0, 1, 1e-6)                                                         \
  X(sqrt_rz, __fsqrt_rz(a), sqrt(a), 1, 9, 0, 1, 1e-6)                                                 \
  X(sqrt_ru, __fsqrt_ru(a), sqrt(a), 1, 9, 0, 1, 1e-6)                                                 \
  X(rsqrt, rsqrtf(a), 1 / sqrt(a), 1, 9, 0, 1, 1e-6)                                                   \
  X(rsqrt_rn, __frsqrt_rn(a), 1 / sqrt(a), 1, 9, 0, 1, 1e-6)                                           \
  X(one_by_sqrt, 1.0f / sqrtf(a), 1 / sqrt(a), 1, 9, 0, 1, 1e-6)                                       \
  X(cbrt, cbrtf(a), cbrt(a), 1, 9, 0, 1, 1e-6)                                                         \
  X(rcbrt, rcbrtf(a), 1 / cbrt(a), 1, 9, 0, 1, 1e-6)                                                   \
  X(hypot, hypotf(a, b), hypot(a, b), 1, 9, 1, 9, 1e-6)                                                \
  X(rhypot, rhypotf(a, b), 1 / hypot(a, b), 1, 9, 1, 9, 1e-6)                                          \
  X(norm3d, norm3df(a, b, a), sqrt(a *a *2 + b * b), 1, 9, 1, 9, 1e-6)                                 \
  X(norm4d, norm4df(a, b, a, b), sqrt(a *a *2 + b * b * 2), 1, 9, 1, 9, 1e-6)                          \
  X(rnorm3d, rnorm3df(a, b, a), 1 / sqrt(a * a * 2 + b * b), 1, 9, 1, 9, 1e-6)                         \
  X(rnorm4d, rnorm4df(a, b, a, b), 1 / sqrt(a * a * 2 + b * b * 2), 1, 9, 1, 9, 1e-6)                  \
  X(exp, expf(a), exp(a), -4, 4, 0, 1, 1e-6)                                                           \
  X(exp2, exp2f(a), exp2(a), -4, 4, 0, 1, 1e-6)                                                        \
  X(exp10, exp10f(a), pow(10, a), -4, 4, 0, 1, 1e-6)                                                   \
  X(expm1, expm1f(a), expm1(a), -4, 4, 0, 1, 1e-6)                                                     \
  X(exp_fast, __expf(a), exp(a), -4, 4, 0, 1, 1e-5)                                                    \
  X(exp10_fast, __exp10f(a), pow(10, a), -4, 4, 0, 1, 1e-5)                                            \
  X(log, logf(a), log(a), 1.5, 9, 0, 1, 1e-6)                                                          \
  X(log2, log2f(a), log2(a), 1.5, 9, 0, 1, 1e-6)                                                       \
  X(log10, log10f(a), log10(a), 1.5, 9, 0, 1, 1e-6)                                                    \
  X(log1p, log1pf(a), log1p(a), 0.5, 9, 0, 1, 1e-6)                                                    \
  X(log_fast, __logf(a), log(a), 1.5, 9, 0, 1, 1e-5)                                                   \
  X(log2_fast, __log2f(a), log2(a), 1.5, 9, 0, 1, 1e-5)                                                \
  X(log10_fast, __log10f(a), log10(a), 1.5, 9, 0, 1, 1e-5)                                             \
  X(pow, powf(a, b), pow(a, b), 0.5, 4, -2.5, 2.5, 1e-5)                                               \
  X(pow_negative, powf(a, 3.0f), pow(a, 3), -4, -0.5, 0, 1, 1e-5)                                      \
  X(pow_square, powf(a, 2.0f), pow(a, 2), -4, 4, 0, 1, 1e-5)                                           \
  X(pow_integer, powf(a, (int)b), pow(a, (int)b), 0.5, 4, 2, 6, 1e-5)                                  \
  X(pow_fast, __powf(a, b), pow(a, b), 0.5, 4, -2.5, 2.5, 1e-4)                                        \
  X(sin, sinf(a), sin(a), -8, 8, 0, 1, 1e-6)                                                           \
  X(cos, cosf(a), cos(a), -8, 8, 0, 1, 1e-6)                                                           \
  X(tan, tanf(a), tan(a), -1.3, 1.3, 0, 1, 1e-5)                                                       \
  X(sincos, both(a), sin(a) + 2 * cos(a), -8, 8, 0, 1, 1e-6)                                           \
  X(sin_huge, sinf(a), sin(a), 2e5, 9e6, 0, 1, 1e-6)                                                   \
  X(cos_huge, cosf(a), cos(a), 2e5, 9e6, 0, 1, 1e-6)                                                   \
  X(sin_some_huge, sinf(a *b), sin((double)(float)(a *b)), -8, 8, -1e5, 1e5, 1e-6)                     \
  X(sinpi, sinpif(a), sin(M_PI *a), -0.9, 0.9, 0, 1, 1e-6)                                             \
  X(cospi, cospif(a), cos(M_PI *a), -0.9, 0.9, 0, 1, 1e-6)                                             \
  X(sin_fast, __sinf(a), sin(a), -3, 3, 0, 1, 1e-5)                                                    \
  X(cos_fast, __cosf(a), cos(a), -3, 3, 0, 1, 1e-5)                                                    \
  X(tan_fast, __tanf(a), tan(a), -1.3, 1.3, 0, 1, 1e-4)                                                \
  X(asin_small, asinf(a), asin(a), -0.5, 0.5, 0, 1, 1e-6)                                              \
  X(asin_large, asinf(a), asin(a), 0.6, 0.99, 0, 1, 1e-6)                                              \
  X(acos_small, acosf(a), acos(a), -0.5, 0.5, 0, 1, 1e-6)                                              \
  X(acos_large, acosf(a), acos(a), 0.6, 0.99, 0, 1, 1e-6)                                              \
  X(atan_small, atanf(a), atan(a), -0.9, 0.9, 0, 1, 1e-6)                                              \
  X(atan_large, atanf(a), atan(a), 1.1, 9, 0, 1, 1e-6)                                                 \
  X(atan2, atan2f(a, b), atan2(a, b), -4, 4, 1, 4, 1e-6)                                               \
  X(sinh_small, sinhf(a), sinh(a), -0.9, 0.9, 0, 1, 1e-6)                                              \
  X(sinh_large, sinhf(a), sinh(a), 1.1, 6, 0, 1, 1e-6)                                                 \
  X(cosh, coshf(a), cosh(a), -6, 6, 0, 1, 1e-6)                                                        \
  X(tanh_small, tanhf(a), tanh(a), -0.5, 0.5, 0, 1, 1e-6)                                              \
  X(tanh_large, tanhf(a), tanh(a), 0.7, 6, 0, 1, 1e-6)                                                 \
  X(asinh, asinhf(a), asinh(a), 0.1, 9, 0, 1, 1e-6)                                                    \
  X(acosh, acoshf(a), acosh(a), 1.1, 9, 0, 1, 1e-6)                                                    \
  X(atanh, atanhf(a), atanh(a), 0.1, 0.9, 0, 1, 1e-6)                                                  \
  X(erf_small, erff(a), erf(a), -0.9, 0.9, 0, 1, 1e-6)                                                 \
  X(erf_large, erff(a), erf(a), 1.1, 3, 0, 1, 1e-6)                                                    \
  X(erfc, erfcf(a), erfc(a), -2, 5, 0, 1, 1e-6)                                                        \
  X(erfinv, erfinvf(a), phi_inverse((a + 1) / 2) / sqrt(2.0), -0.9, 0.9, 0, 1, 1e-5)                   \
  X(erfcinv, erfcinvf(a), -phi_inverse(a / 2) / sqrt(2.0), 0.1, 1.9, 0, 1, 1e-5)                       \
  X(erfcx, erfcxf(a), exp(a *a) * erfc(a), 0.1, 4, 0, 1, 1e-5)                                         \
  X(normcdf, normcdff(a), 0.5 * erfc(-a / sqrt(2.0)), -3, 3, 0, 1, 1e-6)                               \
  X(normcdfinv, normcdfinvf(a), phi_inverse(a), 0.1, 0.9, 0, 1, 1e-5)                                  \
  X(tgamma, tgammaf(a), tgamma(a), 1, 9, 0, 1, 1e-5)                                                   \
  X(lgamma_small, lgammaf(a), lgamma(a), 0.5, 2.9, 0, 1, 1e-5)                                         \
  X(lgamma_large, lgammaf(a), lgamma(a), 8, 20, 0, 1, 1e-5)                                            \
  X(j0_small, j0f(a), j0(a), 0.5, 7, 0, 1, 1e-5)                                                       \
  X(j0_large, j0f(a), j0(a), 9, 20, 0, 1, 1e-5)                                                        \
  X(j1_small, j1f(a), j1(a), 0.5, 7, 0, 1, 1e-5)                                                       \
  X(y0_small, y0f(a), y0(a), 1, 7, 0, 1, 1e-5)                                                         \
  X(y1_small, y1f(a), y1(a), 1, 7, 0, 1, 1e-5)                                                         \
  X(jn, jnf(2, a), jn(2, a), 3, 7, 0, 1, 1e-5)                                                         \
  X(i0, cyl_bessel_i0f(a), bessel_i(0, a), 0.5, 7, 0, 1, 1e-5)                                         \
  X(i1, cyl_bessel_i1f(a), bessel_i(1, a), 0.5, 7, 0, 1, 1e-5)                                         \
  X(fmod_near, fmodf(a, b), fmod(a, b), 8, 9, 2, 3, 1e-5)                                              \
  X(fmod_far, fmodf(a, 0.75f), fmod(a, 0.75), 1e6, 4e6, 2, 3, 1e-5)                                    \
  X(remainder_near, remainderf(a, b), remainder(a, b), 8, 9, 2, 3, 1e-5)                               \
  X(fdim, fdimf(a, b), fdim(a, b), -4, 4, -4, 4, 1e-6)                                                 \
  X(fmin, fminf(a, b), fmin(a, b), -4, 4, -4, 4, 0)                                                    \
  X(floor, floorf(a), floor(a), -9, 9, 0, 1, 0)                                                        \
  X(ceil, ceilf(a), ceil(a), -9, 9, 0, 1, 0)                                                           \
  X(trunc, truncf(a), trunc(a), -9, 9, 0, 1, 0)                                                        \
  X(rint, rintf(a), rint(a), -9, 9, 0, 1, 0)                                                           \
  X(round, roundf(a), round(a), -9, 9, 0, 1, 0)                                                        \
  X(logb, logbf(a), logb(a), 1, 9, 0, 1, 0)                                                            \
  X(ilogb, (float)ilogbf(a), ilogb(a), 1, 9, 0, 1, 0)                                                  \
  X(ldexp, ldexpf(a, (int)b), ldexp(a, (int)b), 1, 9, 1, 9, 0)                                         \
  X(scalbn, scalbnf(a, (int)b), ldexp(a, (int)b), 1, 9, 1, 9, 0)                                       \
  X(nextafter, nextafterf(a, b), a, 1, 2, 3, 4, 1e-6)                                                  \
  X(copysign, copysignf(a, b), copysign(a, b), -4, 4, -4, 4, 0)                                        \
  X(saturate, __saturatef(a), fmin(fmax(a, 0), 1), -4, 4, 0, 1, 0)                                     \
  X(to_int, (float)(int)a, (int)a, -9, 9, 0, 1, 0)                                                     \
  X(to_unsigned, (float)(unsigned)a, (int)a, 0, 9, 0, 1, 0)                                            \
  X(to_int64, (float)(long long)a, (int)a, -9, 9, 0, 1, 0)                                             \
  X(to_char, (float)(signed char)a, (int)a, -9, 9, 0, 1, 0)                                            \
  X(to_double, (float)((double)a + 1.0), a + 1, -9, 9, 0, 1, 1e-6)                                     \
  X(select, a > b ? a : b * 2, a > b ? a : b * 2, -4, 4, -4, 4, 0)

__device__ float both(float a)
{
  float s, c;
  sincosf(a, &s, &c);
  return s + 2 * c;
}
#define KERNEL(name, device, host, l, h, l2, h2, t)                                                    \
  __global__ void f_##name(const float *x, const float *y, float *out)                                 \
  {                                                                                                    \
    int i = blockIdx.x * blockDim.x + threadIdx.x;                                                     \
    float a = x[i], b = y[i];                                                                          \
    (void)b;                                                                                           \
    out[i] = device;                                                                                   \
  }
CASES(KERNEL)

int main(int argc, char **argv)
{
  init(argc, argv);
  float *out = blank<float>(N);
  std::vector<float> x(N), y(N);
  std::vector<double> ref(N);
#define LAUNCH(name, device, host, l, h, l2, h2, t)                                                    \
  if (want(#name)) {                                                                                   \
    for (int i = 0; i < N; i++) {                                                                      \
      double a = x[i] = (float)uniform(l, h), b = y[i] = (float)uniform(l2, h2);                       \
      (void)b;                                                                                         \
      ref[i] = host;                                                                                   \
    }                                                                                                  \
    float *dx = sent(x), *dy = sent(y);                                                                \
    RUN(f_##name<<<N / 64, 64>>>(dx, dy, out));                                                        \
    check(back(out, N), ref, t);                                                                       \
  }
  CASES(LAUNCH)
  return finish();
}
