// What double-precision operations and functions become: one kernel each, ordinary arguments, as in math_float.cu.
#include "harness.h"

enum { N = 256 };

// name; what the device computes of a and b; the reference; ranges of a and b; tolerance
#define CASES(X)                                                                                       \
  X(add, a + b, a + b, -4, 4, -4, 4, 0)                                                                \
  X(mul, a *b, a *b, -4, 4, -4, 4, 0)                                                                  \
  X(mul_add, a *b + 1.5, a *b + 1.5, -4, 4, -4, 4, 1e-14)                                              \
  X(fma, fma(a, b, a), fma(a, b, a), -4, 4, -4, 4, 0)                                                  \
  X(neg_abs, -fabs(a), -fabs(a), -4, 4, 0, 1, 0)                                                       \
  X(div, a / b, a / b, -4, 4, 1, 2, 0)                                                                 \
  X(div_constant, a / 3.0, a / 3.0, -4, 4, 0, 1, 0)                                                    \
  X(div_rz, __ddiv_rz(a, b), a / b, -4, 4, 1, 2, 1e-15)                                                \
  X(reciprocal, 1.0 / a, 1 / a, 1, 4, 0, 1, 0)                                                         \
  X(rcp_rz, __drcp_rz(a), 1 / a, 1, 4, 0, 1, 1e-15)                                                    \
  X(sqrt, sqrt(a), sqrt(a), 1, 9, 0, 1, 0)                                                             \
  X(sqrt_rz, __dsqrt_rz(a), sqrt(a), 1, 9, 0, 1, 1e-15)                                                \
  X(rsqrt, rsqrt(a), 1 / sqrt(a), 1, 9, 0, 1, 1e-15)                                                   \
  X(one_by_sqrt, 1.0 / sqrt(a), 1 / sqrt(a), 1, 9, 0, 1, 1e-15)                                        \
  X(cbrt, cbrt(a), cbrt(a), 1, 9, 0, 1, 1e-14)                                                         \
  X(hypot, hypot(a, b), hypot(a, b), 1, 9, 1, 9, 1e-14)                                                \
  X(rhypot, rhypot(a, b), 1 / hypot(a, b), 1, 9, 1, 9, 1e-14)                                          \
  X(norm3d, norm3d(a, b, a), sqrt(a *a *2 + b * b), 1, 9, 1, 9, 1e-14)                                 \
  X(exp, exp(a), exp(a), -4, 4, 0, 1, 1e-14)                                                           \
  X(exp2, exp2(a), exp2(a), -4, 4, 0, 1, 1e-14)                                                        \
  X(exp10, exp10(a), pow(10, a), -4, 4, 0, 1, 1e-13)                                                   \
  X(expm1, expm1(a), expm1(a), -4, 4, 0, 1, 1e-14)                                                     \
  X(log, log(a), log(a), 1.5, 9, 0, 1, 1e-14)                                                          \
  X(log2, log2(a), log2(a), 1.5, 9, 0, 1, 1e-14)                                                       \
  X(log10, log10(a), log10(a), 1.5, 9, 0, 1, 1e-14)                                                    \
  X(log1p, log1p(a), log1p(a), 0.5, 9, 0, 1, 1e-14)                                                    \
  X(pow, pow(a, b), pow(a, b), 0.5, 4, -2.5, 2.5, 1e-13)                                               \
  X(pow_square, pow(a, 2.0), pow(a, 2), -4, 4, 0, 1, 1e-13)                                            \
  X(pow_integer, pow(a, (int)b), pow(a, (int)b), 0.5, 4, 2, 6, 1e-13)                                  \
  X(sin, sin(a), sin(a), -8, 8, 0, 1, 1e-14)                                                           \
  X(cos, cos(a), cos(a), -8, 8, 0, 1, 1e-14)                                                           \
  X(tan, tan(a), tan(a), -1.3, 1.3, 0, 1, 1e-13)                                                       \
  X(sincos, both(a), sin(a) + 2 * cos(a), -8, 8, 0, 1, 1e-14)                                          \
  X(sin_huge, sin(a), sin(a), 1e11, 1e12, 0, 1, 1e-14)                                                 \
  X(sinpi, sinpi(a), sin(M_PI *a), -0.9, 0.9, 0, 1, 1e-13)                                             \
  X(cospi, cospi(a), cos(M_PI *a), -0.9, 0.9, 0, 1, 1e-13)                                             \
  X(asin_small, asin(a), asin(a), -0.5, 0.5, 0, 1, 1e-14)                                              \
  X(acos_small, acos(a), acos(a), -0.5, 0.5, 0, 1, 1e-14)                                              \
  X(atan_small, atan(a), atan(a), -0.9, 0.9, 0, 1, 1e-14)                                              \
  X(atan_large, atan(a), atan(a), 1.1, 9, 0, 1, 1e-14)                                                 \
  X(atan2, atan2(a, b), atan2(a, b), -4, 4, 1, 4, 1e-14)                                               \
  X(sinh_small, sinh(a), sinh(a), -0.9, 0.9, 0, 1, 1e-13)                                              \
  X(sinh_large, sinh(a), sinh(a), 1.1, 6, 0, 1, 1e-13)                                                 \
  X(cosh, cosh(a), cosh(a), -6, 6, 0, 1, 1e-13)                                                        \
  X(tanh_small, tanh(a), tanh(a), -0.5, 0.5, 0, 1, 1e-13)                                              \
  X(tanh_large, tanh(a), tanh(a), 0.7, 6, 0, 1, 1e-13)                                                 \
  X(asinh, asinh(a), asinh(a), 0.1, 9, 0, 1, 1e-13)                                                    \
  X(acosh, acosh(a), acosh(a), 1.1, 9, 0, 1, 1e-13)                                                    \
  X(atanh, atanh(a), atanh(a), 0.1, 0.9, 0, 1, 1e-13)                                                  \
  X(erf_small, erf(a), erf(a), -0.9, 0.9, 0, 1, 1e-13)                                                 \
  X(erf_large, erf(a), erf(a), 1.1, 3, 0, 1, 1e-13)                                                    \
  X(erfc, erfc(a), erfc(a), -2, 5, 0, 1, 1e-13)                                                        \
  X(normcdf, normcdf(a), 0.5 * erfc(-a / sqrt(2.0)), -3, 3, 0, 1, 1e-13)                               \
  X(tgamma, tgamma(a), tgamma(a), 1, 9, 0, 1, 1e-12)                                                   \
  X(lgamma, lgamma(a), lgamma(a), 8, 20, 0, 1, 1e-12)                                                  \
  X(j0_small, j0(a), j0(a), 0.5, 3, 0, 1, 1e-12)                                                       \
  X(fmod_near, fmod(a, b), fmod(a, b), 8, 9, 2, 3, 0)                                                  \
  X(fmod_far, fmod(a, 0.75), fmod(a, 0.75), 1e12, 4e12, 2, 3, 0)                                       \
  X(remainder_near, remainder(a, b), remainder(a, b), 8, 9, 2, 3, 0)                                   \
  X(fdim, fdim(a, b), fdim(a, b), -4, 4, -4, 4, 0)                                                     \
  X(fmin, fmin(a, b), fmin(a, b), -4, 4, -4, 4, 0)                                                     \
  X(floor, floor(a), floor(a), -9, 9, 0, 1, 0)                                                         \
  X(rint, rint(a), rint(a), -9, 9, 0, 1, 0)                                                            \
  X(round, round(a), round(a), -9, 9, 0, 1, 0)                                                         \
  X(ldexp, ldexp(a, (int)b), ldexp(a, (int)b), 1, 9, 1, 9, 0)                                          \
  X(to_int, (double)(int)a, (int)a, -9, 9, 0, 1, 0)                                                    \
  X(to_int64, (double)(long long)a, (int)a, -9, 9, 0, 1, 0)                                            \
  X(to_float, (double)((float)a + 1.0f), a + 1, -9, 9, 0, 1, 1e-6)

__device__ double both(double a)
{
  double s, c;
  sincos(a, &s, &c);
  return s + 2 * c;
}
#define KERNEL(name, device, host, l, h, l2, h2, t)                                                    \
  __global__ void d_##name(const double *x, const double *y, double *out)                              \
  {                                                                                                    \
    int i = blockIdx.x * blockDim.x + threadIdx.x;                                                     \
    double a = x[i], b = y[i];                                                                         \
    (void)b;                                                                                           \
    out[i] = device;                                                                                   \
  }
CASES(KERNEL)

int main(int argc, char **argv)
{
  init(argc, argv);
  double *out = blank<double>(N);
  std::vector<double> x(N), y(N), ref(N);
#define LAUNCH(name, device, host, l, h, l2, h2, t)                                                    \
  if (want(#name)) {                                                                                   \
    for (int i = 0; i < N; i++) {                                                                      \
      double a = x[i] = uniform(l, h), b = y[i] = uniform(l2, h2);                                     \
      (void)b;                                                                                         \
      ref[i] = host;                                                                                   \
    }                                                                                                  \
    double *dx = sent(x), *dy = sent(y);                                                               \
    RUN(d_##name<<<N / 64, 64>>>(dx, dy, out));                                                        \
    check(back(out, N), ref, t);                                                                       \
  }
  CASES(LAUNCH)
  return finish();
}
