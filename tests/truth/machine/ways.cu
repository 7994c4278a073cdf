// Which machine instructions a GPU executes for a function of the math library, way by way (src/target/extern_ways.def: which
// way nvcc's code goes depends on the argument). Like ones.cu, but all lanes of a launch go the same way; which one, the host
// checks with the very conditions of that table. `LAUNCH number function way signature` stands before a launch. The launches
// `copy SIGNATURE` are kernels without the function: what loads, addresses and the store cost (and LOP3, which reads the
// arguments that a copy has no use for). What the launches say is in library.tsv; ../../../tools/library_code.py reads it.
#include "../rules/harness.h"
#include <string>
#include "../../../src/interp/lanes_ways.h"

enum { BLOCKS = 4, THREADS = 128, N = BLOCKS * THREADS };

typedef float f32;
typedef double f64;
typedef int i32;
typedef long long i64;

template <class T, class U> struct two {
  T x;
  U y;
};

__device__ inline unsigned bits(f32 a) { return __float_as_uint(a); }
__device__ inline unsigned bits(i32 a) { return a; }
__device__ inline i64 bits(f64 a) { return __double_as_longlong(a); }
__device__ inline i64 bits(i64 a) { return a; }
__device__ inline i32 folded(i64 a) { return (i32)(a ^ a >> 32); }
__device__ inline f32 as_f32(unsigned a) { return __uint_as_float(a); }
__device__ inline f64 as_f64(i64 a) { return __longlong_as_double(a); }

// Letters as in lanes_extern.def: arguments, result. S(signature, type of a c e, type of b, result, a result that needs all)
#define SIGNATURES(S)                                                                                                   \
  S(f_f, f32, f32, f32, a)                                                                                              \
  S(f_i, f32, f32, i32, bits(a))                                                                                        \
  S(ff_f, f32, f32, f32, as_f32(bits(a) ^ bits(b)))                                                                     \
  S(fff_f, f32, f32, f32, as_f32(bits(a) ^ bits(b) ^ bits(c)))                                                          \
  S(ffff_f, f32, f32, f32, as_f32(bits(a) ^ bits(b) ^ bits(c) ^ bits(e)))                                               \
  S(fi_f, f32, i32, f32, as_f32(bits(a) ^ bits(b)))                                                                     \
  S(f_ff, f32, f32, pair_f, (pair_f{a, as_f32(~bits(a))}))                                                              \
  S(d_d, f64, f64, f64, a)                                                                                              \
  S(d_i, f64, f64, i32, folded(bits(a)))                                                                                \
  S(dd_d, f64, f64, f64, as_f64(bits(a) ^ bits(b)))                                                                     \
  S(ddd_d, f64, f64, f64, as_f64(bits(a) ^ bits(b) ^ bits(c)))                                                          \
  S(dddd_d, f64, f64, f64, as_f64(bits(a) ^ bits(b) ^ bits(c) ^ bits(e)))                                               \
  S(di_d, f64, i32, f64, as_f64(bits(a) ^ bits(b)))                                                                     \
  S(d_dd, f64, f64, pair_d, (pair_d{a, as_f64(~bits(a))}))                                                              \
  S(dd_di, f64, f64, pair_di, (pair_di{a, folded(bits(b))}))                                                            \
  S(i_i, i32, i32, i32, a)                                                                                              \
  S(ii_i, i32, i32, i32, a ^ b)                                                                                         \
  S(l_l, i64, i64, i64, a)                                                                                              \
  S(ll_l, i64, i64, i64, a ^ b)                                                                                         \
  S(l_i, i64, i64, i32, folded(a))
typedef two<f32, f32> pair_f;
typedef two<f64, f64> pair_d;
typedef two<f64, i32> pair_di;

// X(function, signature, value of a b c e, {way, {{a, b, c, e} of one lane, of the next, ...}}, ...)
#define ONE_ARGUMENT(X)                                                                                                 \
  X(acos, d_d, acos(a), {0, {{.1}, {.3}, {-.4}}}, {1, {{.7}, {.8}, {.9}}}, {2, {{-.7}, {-.8}, {-.9}}})                  \
  X(acosf, f_f, acosf(a), {0, {{.1}, {.3}, {-.4}}}, {1, {{.7}, {.8}, {.9}}}, {2, {{-.7}, {-.8}, {-.9}}})                \
  X(acosh, d_d, acosh(a), {0, {{1.5}, {3}, {8}}}, {1, {{1.05}, {1.08}, {1.1}}})                                         \
  X(acoshf, f_f, acoshf(a), {0, {{1.5}, {3}, {8}}})                                                                     \
  X(asin, d_d, asin(a), {0, {{.1}, {.3}, {-.4}}}, {1, {{.7}, {.8}, {-.9}}})                                             \
  X(asinf, f_f, asinf(a), {0, {{.1}, {.3}, {-.4}}}, {1, {{.7}, {.8}, {-.9}}})                                           \
  X(asinh, d_d, asinh(a), {0, {{1.5}, {3}, {-8}}}, {1, {{.1}, {.3}, {-.4}}})                                            \
  X(asinhf, f_f, asinhf(a), {0, {{1.5}, {3}, {-8}}})                                                                    \
  X(atan, d_d, atan(a), {0, {{.1}, {.3}, {-.8}}}, {1, {{1.5}, {3}, {-8}}})                                              \
  X(atanf, f_f, atanf(a), {0, {{.1}, {.3}, {-.8}}}, {1, {{1.5}, {3}, {-8}}})                                            \
  X(atanh, d_d, atanh(a), {0, {{.3}, {.5}, {-.8}}}, {1, {{.1}, {.2}, {-.15}}})                                          \
  X(atanhf, f_f, atanhf(a), {0, {{.3}, {.5}, {-.8}}})                                                                   \
  X(cbrt, d_d, cbrt(a), {0, {{1.5}, {3}, {-8}}})                                                                        \
  X(cbrtf, f_f, cbrtf(a), {0, {{1.5}, {3}, {-8}}})                                                                      \
  X(ceil, d_d, ceil(a), {0, {{1.5}, {3.2}, {-8.1}}})                                                                    \
  X(ceilf, f_f, ceilf(a), {0, {{1.5}, {3.2}, {-8.1}}})                                                                  \
  X(cos, d_d, cos(a), {0, {{4.5}, {4.7}, {4.9}}}, {1, {{.1}, {.3}, {-.5}}}, {2, {{3}, {3.2}, {3.3}}})                   \
  X(cosf, f_f, cosf(a), {0, {{4.5}, {4.7}, {4.9}}}, {1, {{.1}, {.3}, {-.5}}}, {2, {{3}, {3.2}, {3.3}}})                 \
  X(cosh, d_d, cosh(a), {0, {{.5}, {1.5}, {-3}}})                                                                       \
  X(coshf, f_f, coshf(a), {0, {{.5}, {1.5}, {-3}}})                                                                     \
  X(cospi, d_d, cospi(a), {0, {{1.4}, {1.45}, {1.6}}}, {1, {{.1}, {.2}, {-.15}}}, {2, {{.9}, {.95}, {1.1}}})            \
  X(cospif, f_f, cospif(a), {0, {{.1}, {.2}, {-.15}}}, {1, {{.4}, {.45}, {.6}}}, {2, {{.9}, {.95}, {1.1}}},             \
    {3, {{1.4}, {1.45}, {1.6}}})                                                                                        \
  X(cyl_bessel_i0, d_d, cyl_bessel_i0(a), {0, {{.5}, {3}, {7}}}, {1, {{12}, {15}, {20}}})                               \
  X(cyl_bessel_i0f, f_f, cyl_bessel_i0f(a), {0, {{.5}, {3}, {7}}}, {1, {{12}, {15}, {20}}})                             \
  X(cyl_bessel_i1, d_d, cyl_bessel_i1(a), {0, {{.5}, {3}, {7}}}, {1, {{12}, {15}, {20}}})                               \
  X(cyl_bessel_i1f, f_f, cyl_bessel_i1f(a), {0, {{.5}, {3}, {7}}}, {1, {{12}, {15}, {20}}})                             \
  X(erf, d_d, erf(a), {0, {{.3}, {.8}, {-.5}}})                                                                         \
  X(erfc, d_d, erfc(a), {0, {{.3}, {.8}, {-.5}}})                                                                       \
  X(erfcf, f_f, erfcf(a), {0, {{.3}, {.8}, {2}}}, {1, {{-.3}, {-.8}, {-2}}})                                            \
  X(erfcinv, d_d, erfcinv(a), {0, {{.3}, {.8}, {1.7}}}, {1, {{.0001}, {.0003}, {1.9995}}})                              \
  X(erfcinvf, f_f, erfcinvf(a), {0, {{.3}, {.8}, {1.7}}}, {1, {{.0001}, {.001}, {1.999}}})                              \
  X(erfcx, d_d, erfcx(a), {0, {{.3}, {3}, {8}}}, {1, {{-.3}, {-.8}, {-2}}}, {2, {{40}, {50}, {70}}})                    \
  X(erfcxf, f_f, erfcxf(a), {0, {{.3}, {3}, {8}}}, {1, {{-.3}, {-.8}, {-2}}}, {2, {{40}, {50}, {70}}})                  \
  X(erff, f_f, erff(a), {0, {{.3}, {.8}, {-.5}}}, {1, {{1.5}, {2}, {-3}}})                                              \
  X(erfinv, d_d, erfinv(a), {0, {{.3}, {.8}, {-.5}}}, {1, {{.9995}, {.9997}, {-.9999}}})                                \
  X(erfinvf, f_f, erfinvf(a), {0, {{.3}, {.8}, {-.5}}})                                                                 \
  X(exp, d_d, exp(a), {0, {{.5}, {3}, {-2}}}, {1, {{709}, {-715}, {-730}}}, {2, {{750}, {800}, {-760}}})                \
  X(exp10, d_d, exp10(a), {0, {{.5}, {3}, {-2}}})                                                                       \
  X(exp10f, f_f, exp10f(a), {0, {{.5}, {3}, {-2}}})                                                                     \
  X(exp2, d_d, exp2(a), {0, {{.5}, {3}, {-2}}})                                                                         \
  X(exp2f, f_f, exp2f(a), {0, {{.5}, {3}, {-2}}})                                                                       \
  X(expf, f_f, expf(a), {0, {{.5}, {3}, {-2}}})                                                                         \
  X(expm1, d_d, expm1(a), {0, {{.5}, {3}, {-2}}})                                                                       \
  X(expm1f, f_f, expm1f(a), {0, {{.5}, {3}, {-2}}})                                                                     \
  X(fabs, d_d, fabs(a), {0, {{.5}, {3}, {-2}}})                                                                         \
  X(fabsf, f_f, fabsf(a), {0, {{.5}, {3}, {-2}}})                                                                       \
  X(floor, d_d, floor(a), {0, {{1.5}, {3.2}, {-8.1}}})                                                                  \
  X(floorf, f_f, floorf(a), {0, {{1.5}, {3.2}, {-8.1}}})                                                                \
  X(frsqrt_rn, f_f, __frsqrt_rn(a), {0, {{1.5}, {3}, {8}}})                                                             \
  X(ilogb, d_i, ilogb(a), {0, {{1.5}, {3}, {-8}}})                                                                      \
  X(ilogbf, f_i, ilogbf(a), {0, {{1.5}, {3}, {-8}}})                                                                    \
  X(j0, d_d, j0(a), {0, {{4}, {5}, {6}}}, {1, {{12}, {15}, {20}}})                                                      \
  X(j0f, f_f, j0f(a), {0, {{4}, {5}, {6}}}, {1, {{12}, {15}, {20}}})                                                    \
  X(j1, d_d, j1(a), {0, {{.5}, {1}, {2}}}, {1, {{3}, {4}, {5}}}, {2, {{12}, {15}, {20}}})                               \
  X(j1f, f_f, j1f(a), {0, {{4}, {5}, {6}}}, {1, {{12}, {15}, {20}}})                                                    \
  X(lgamma, d_d, lgamma(a), {0, {{9}, {12}, {20}}}, {1, {{.3}, {.5}, {.6}}}, {2, {{.8}, {1.2}, {1.4}}},                 \
    {3, {{1.7}, {2.2}, {2.8}}}, {4, {{3.5}, {5}, {7}}})                                                                 \
  X(lgammaf, f_f, lgammaf(a), {0, {{9}, {12}, {20}}}, {1, {{.3}, {.5}, {.6}}}, {2, {{.8}, {1.2}, {1.4}}},               \
    {3, {{1.7}, {2.2}, {2.8}}}, {4, {{3.5}, {5}, {7}}})                                                                 \
  X(log, d_d, log(a), {0, {{1.5}, {3}, {.2}}}, {1, {{-1.5}, {-3}, {-.2}}})                                              \
  X(log10, d_d, log10(a), {0, {{1.5}, {3}, {.2}}}, {1, {{-1.5}, {-3}, {-.2}}})                                          \
  X(log10f, f_f, log10f(a), {0, {{1.5}, {3}, {.2}}}, {1, {{1e-40}, {3e-40}, {2e-39}}}, {2, {{-1.5}, {-3}, {-.2}}})      \
  X(log1p, d_d, log1p(a), {0, {{1.5}, {3}, {-.6}}}, {1, {{.1}, {.5}, {-.2}}})                                           \
  X(log1pf, f_f, log1pf(a), {0, {{1.5}, {3}, {.2}}})                                                                    \
  X(log2, d_d, log2(a), {0, {{1.5}, {3}, {.2}}}, {1, {{-1.5}, {-3}, {-.2}}})                                            \
  X(log2f, f_f, log2f(a), {0, {{1.5}, {3}, {.2}}}, {1, {{1e-40}, {3e-40}, {2e-39}}}, {2, {{-1.5}, {-3}, {-.2}}})        \
  X(logb, d_d, logb(a), {0, {{1.5}, {3}, {-8}}})                                                                        \
  X(logbf, f_f, logbf(a), {0, {{1.5}, {3}, {-8}}})                                                                      \
  X(logf, f_f, logf(a), {0, {{1.5}, {3}, {.2}}}, {1, {{1e-40}, {3e-40}, {2e-39}}}, {2, {{-1.5}, {-3}, {-.2}}})          \
  X(nearbyint, d_d, nearbyint(a), {0, {{1.5}, {3.2}, {-8.1}}})                                                          \
  X(nearbyintf, f_f, nearbyintf(a), {0, {{1.5}, {3.2}, {-8.1}}})                                                        \
  X(normcdf, d_d, normcdf(a), {0, {{.3}, {.8}, {2}}}, {1, {{-1.5}, {-2}, {-3}}})                                        \
  X(normcdff, f_f, normcdff(a), {0, {{.3}, {.8}, {2}}}, {1, {{-.3}, {-.5}, {-.8}}}, {2, {{-1.5}, {-2}, {-3}}})          \
  X(normcdfinv, d_d, normcdfinv(a), {0, {{.3}, {.6}, {.8}}}, {1, {{.0001}, {.0003}, {.9999}}})                          \
  X(normcdfinvf, f_f, normcdfinvf(a), {0, {{.3}, {.6}, {.8}}}, {1, {{.0001}, {.001}, {.999}}})                          \
  X(rcbrt, d_d, rcbrt(a), {0, {{1.5}, {3}, {-8}}})                                                                      \
  X(rcbrtf, f_f, rcbrtf(a), {0, {{1.5}, {3}, {-8}}})                                                                    \
  X(rint, d_d, rint(a), {0, {{1.5}, {3.2}, {-8.1}}})                                                                    \
  X(rintf, f_f, rintf(a), {0, {{1.5}, {3.2}, {-8.1}}})                                                                  \
  X(round, d_d, round(a), {0, {{1.5}, {3.2}, {-8.1}}})                                                                  \
  X(roundf, f_f, roundf(a), {0, {{1.5}, {3.2}, {-8.1}}})                                                                \
  X(rsqrt, d_d, rsqrt(a), {0, {{1.5}, {3}, {8}}})                                                                       \
  X(rsqrtf, f_f, rsqrtf(a), {0, {{1.5}, {3}, {8}}})                                                                     \
  X(saturatef, f_f, __saturatef(a), {0, {{1.5}, {.3}, {-8}}})                                                           \
  X(sin, d_d, sin(a), {0, {{.1}, {.3}, {-.5}}}, {1, {{1.4}, {1.6}, {1.7}}}, {2, {{4.5}, {4.7}, {4.9}}})                 \
  X(sinf, f_f, sinf(a), {0, {{.1}, {.3}, {-.5}}}, {1, {{1.4}, {1.6}, {1.7}}}, {2, {{4.5}, {4.7}, {4.9}}})               \
  X(sinh, d_d, sinh(a), {0, {{.1}, {.3}, {-.5}}}, {1, {{1.5}, {3}, {-8}}})                                              \
  X(sinhf, f_f, sinhf(a), {0, {{.1}, {.3}, {-.5}}}, {1, {{1.5}, {3}, {-8}}})                                            \
  X(sinpi, d_d, sinpi(a), {0, {{.1}, {.2}, {-.15}}}, {1, {{.4}, {.45}, {.6}}}, {2, {{1.4}, {1.45}, {1.6}}},             \
    {3, {{0}, {2}, {4}}}, {4, {{1}, {3}, {-1}}})                                                                        \
  X(sinpif, f_f, sinpif(a), {0, {{.1}, {.2}, {-.15}}}, {1, {{.4}, {.45}, {.6}}}, {2, {{.9}, {.95}, {1.1}}},             \
    {3, {{1.4}, {1.45}, {1.6}}}, {4, {{0}, {2}, {4}}}, {5, {{1}, {3}, {-1}}})                                           \
  X(sqrt, d_d, sqrt(a), {0, {{1.5}, {3}, {8}}})                                                                         \
  X(sqrtf, f_f, sqrtf(a), {0, {{1.5}, {3}, {8}}})                                                                       \
  X(tan, d_d, tan(a), {0, {{.1}, {.3}, {-.5}}}, {1, {{1.4}, {1.6}, {1.7}}})                                             \
  X(tanf, f_f, tanf(a), {0, {{.1}, {.3}, {-.5}}})                                                                       \
  X(tanh, d_d, tanh(a), {0, {{.1}, {.3}, {-.5}}}, {1, {{1.5}, {3}, {-8}}})                                              \
  X(tanhf, f_f, tanhf(a), {0, {{.1}, {.3}, {-.5}}}, {1, {{1.5}, {3}, {-8}}})                                            \
  X(tgamma, d_d, tgamma(a), {0, {{4.5}, {6}, {8}}}, {1, {{.6}, {1.1}, {1.3}}}, {2, {{1.7}, {2}, {2.3}}},                \
    {3, {{2.7}, {3}, {3.3}}}, {4, {{3.6}, {3.7}, {3.9}}})                                                               \
  X(tgammaf, f_f, tgammaf(a), {0, {{2.5}, {4}, {8}}}, {1, {{.6}, {.9}, {1.3}}}, {2, {{.1}, {.2}, {.4}}})                \
  X(trunc, d_d, trunc(a), {0, {{1.5}, {3.2}, {-8.1}}})                                                                  \
  X(truncf, f_f, truncf(a), {0, {{1.5}, {3.2}, {-8.1}}})                                                                \
  X(y0, d_d, y0(a), {0, {{3}, {4}, {5}}}, {1, {{.1}, {.3}, {.6}}}, {2, {{6}, {7}, {8}}}, {3, {{12}, {15}, {20}}})       \
  X(y0f, f_f, y0f(a), {0, {{2.5}, {4}, {5}}}, {1, {{.1}, {.2}, {.4}}}, {2, {{.6}, {1}, {1.5}}}, {3, {{6}, {7}, {8}}},   \
    {4, {{12}, {15}, {20}}})                                                                                            \
  X(y1, d_d, y1(a), {0, {{1.5}, {2}, {3}}}, {1, {{.1}, {.3}, {1}}}, {2, {{4}, {5}, {6}}}, {3, {{7.5}, {8}, {9}}},       \
    {4, {{12}, {15}, {20}}})                                                                                            \
  X(y1f, f_f, y1f(a), {0, {{4}, {5}, {6}}}, {1, {{.1}, {.3}, {1}}}, {2, {{7.5}, {8}, {9}}}, {3, {{12}, {15}, {20}}})
#define MORE_ARGUMENTS(X)                                                                                               \
  X(atan2, dd_d, atan2(a, b), {0, {{1, 2}, {-1, 3}, {2, 5}}})                                                           \
  X(atan2f, ff_f, atan2f(a, b), {0, {{1, 2}, {-1, 3}, {2, 5}}}, {1, {{2, 1}, {3, 1.5}, {5, 2}}})                        \
  X(copysign, dd_d, copysign(a, b), {0, {{1, 2}, {-1, 3}, {2, -5}}})                                                    \
  X(copysignf, ff_f, copysignf(a, b), {0, {{1, 2}, {-1, 3}, {2, -5}}})                                                  \
  X(fdim, dd_d, fdim(a, b), {0, {{1, 2}, {-1, -3}, {2, 5}}})                                                            \
  X(fdimf, ff_f, fdimf(a, b), {0, {{1, 2}, {-1, -3}, {2, 5}}})                                                          \
  X(fma, ddd_d, fma(a, b, c), {0, {{1, 2, 3}, {-1, 3, 2}, {2, 5, 1}}})                                                  \
  X(fmaf, fff_f, fmaf(a, b, c), {0, {{1, 2, 3}, {-1, 3, 2}, {2, 5, 1}}})                                                \
  X(fmax, dd_d, fmax(a, b), {0, {{1, 2}, {-1, -3}, {2, 5}}})                                                            \
  X(fmaxf, ff_f, fmaxf(a, b), {0, {{1, 2}, {-1, -3}, {2, 5}}})                                                          \
  X(fmin, dd_d, fmin(a, b), {0, {{1, 2}, {-1, -3}, {2, 5}}})                                                            \
  X(fminf, ff_f, fminf(a, b), {0, {{1, 2}, {-1, -3}, {2, 5}}})                                                          \
  X(fmod, dd_d, fmod(a, b), {0, {{8.5, 2.5}, {9.1, 3}, {8.1, 2.6}}}, {1, {{1, 2}, {-1, 3}, {2, 5}}})                    \
  X(fmodf, ff_f, fmodf(a, b), {0, {{8.5, 2.5}, {9.1, 3}, {8.1, 2.6}}}, {1, {{1, 2}, {-1, 3}, {2, 5}}},                  \
    {2, {{1e9, 2.5}, {1.1e9, 2.6}, {1.2e9, 2.7}}})                                                                      \
  X(hypot, dd_d, hypot(a, b), {0, {{1, 2}, {-1, 3}, {2, 5}}})                                                           \
  X(hypotf, ff_f, hypotf(a, b), {0, {{1, 2}, {-1, 3}, {2, 5}}}, {1, {{0, 2}, {0, 3}, {2, 0}}})                          \
  X(jn, di_d, jn(b, a), {0, {{4, 2}, {4.5, 2}, {5, 2}}})                                                                \
  X(jnf, fi_f, jnf(b, a), {0, {{4, 2}, {4.5, 2}, {5, 2}}})                                                              \
  X(ldexp, di_d, ldexp(a, b), {0, {{1.5, 1}, {3, 4}, {8, 7}}})                                                          \
  X(ldexpf, fi_f, ldexpf(a, b), {0, {{1.5, 1}, {3, 4}, {8, 7}}})                                                        \
  X(nextafter, dd_d, nextafter(a, b), {0, {{1, 2}, {1.5, 3}, {2, 5}}})                                                  \
  X(nextafterf, ff_f, nextafterf(a, b), {0, {{1, 2}, {1.5, 3}, {2, 5}}})                                                \
  X(norm3d, ddd_d, norm3d(a, b, c), {0, {{1, 2, 3}, {-1, 3, 2}, {2, 5, 1}}})                                            \
  X(norm3df, fff_f, norm3df(a, b, c), {0, {{1, 2, 3}, {-1, 3, 2}, {2, 5, 1}}})                                          \
  X(norm4d, dddd_d, norm4d(a, b, c, e), {0, {{1, 2, 3, 4}, {-1, 3, 2, 5}, {2, 5, 1, 6}}})                               \
  X(norm4df, ffff_f, norm4df(a, b, c, e), {0, {{1, 2, 3, 4}, {-1, 3, 2, 5}, {2, 5, 1, 6}}})                             \
  X(pow, dd_d, pow(a, b), {0, {{1.5, 2.2}, {.7, -1.3}, {3, 1.7}}})                                                      \
  X(powf, ff_f, powf(a, b), {0, {{1.5, 2.2}, {.7, -1.3}, {3, 1.7}}}, {1, {{10, 60}, {20, -50}, {30, 40}}},              \
    {2, {{0, .5}, {0, .7}, {0, .9}}}, {3, {{0, 2}, {0, 2.5}, {0, 3}}})                                                  \
  X(powi, di_d, pow(a, b), {0, {{1.5, 2}, {.7, 3}, {3, 5}}})                                                            \
  X(powif, fi_f, powf(a, b), {0, {{1.5, 2}, {.7, 3}, {3, 5}}})                                                          \
  X(remainder, dd_d, remainder(a, b), {0, {{8.5, 2.5}, {9.1, 3}, {8.1, 2.6}}}, {1, {{1, 3}, {-1, 3}, {2, 5}}},          \
    {2, {{8.5, 3}, {8.4, 2.9}, {-8, 3}}}, {3, {{2, 3}, {-2, 2.5}, {4, 5}}})                                             \
  X(remainderf, ff_f, remainderf(a, b), {0, {{8.5, 2.5}, {9.1, 3}, {8.1, 2.6}}}, {1, {{1, 3}, {-1, 3}, {2, 5}}},        \
    {2, {{8.5, 3}, {8.4, 2.9}, {-8, 3}}}, {3, {{2, 3}, {-2, 2.5}, {4, 5}}})                                             \
  X(rhypot, dd_d, rhypot(a, b), {0, {{1, 2}, {-1, 3}, {2, 5}}})                                                         \
  X(rhypotf, ff_f, rhypotf(a, b), {0, {{1, 2}, {-1, 3}, {2, 5}}})                                                       \
  X(rnorm3d, ddd_d, rnorm3d(a, b, c), {0, {{1, 2, 3}, {-1, 3, 2}, {2, 5, 1}}})                                          \
  X(rnorm3df, fff_f, rnorm3df(a, b, c), {0, {{1, 2, 3}, {-1, 3, 2}, {2, 5, 1}}})                                        \
  X(rnorm4d, dddd_d, rnorm4d(a, b, c, e), {0, {{1, 2, 3, 4}, {-1, 3, 2, 5}, {2, 5, 1, 6}}})                             \
  X(rnorm4df, ffff_f, rnorm4df(a, b, c, e), {0, {{1, 2, 3, 4}, {-1, 3, 2, 5}, {2, 5, 1, 6}}})                           \
  X(scalbn, di_d, scalbn(a, b), {0, {{1.5, 1}, {3, 4}, {8, 7}}})                                                        \
  X(scalbnf, fi_f, scalbnf(a, b), {0, {{1.5, 1}, {3, 4}, {8, 7}}})                                                      \
  X(yn, di_d, yn(b, a), {0, {{4, 2}, {4.5, 2}, {5, 2}}})                                                                \
  X(ynf, fi_f, ynf(b, a), {0, {{4, 2}, {4.5, 2}, {5, 2}}})
// The way of sincospif: that of sincospi_sinf and twice that of sincospi_cosf.
#define IN_PARTS(X)                                                                                                     \
  X(sincos, d_dd, both(sincos), {0, {{.3}, {1.6}, {3.1}}})                                                              \
  X(sincosf, f_ff, both(sincosf), {0, {{.3}, {1.6}, {3.1}}})                                                            \
  X(sincospi, d_dd, both(sincospi), {0, {{.1}, {.6}, {.9}}}, {1, {{0}, {1}, {2}}})                                      \
  X(sincospif, f_ff, both(sincospif), {0, {{.1}, {.2}, {-.15}}}, {1, {{0}, {2}, {4}}}, {2, {{.4}, {.6}, {.9}}},         \
    {3, {{1}, {3}, {-1}}})                                                                                              \
  X(powf_twice, ffff_f, powf(a, b) + powf(c, e), {0, {{1.5, 2.2, 2.5, 1.2}, {.7, -1.3, .6, -2}, {3, 1.7, 2, 1.5}}})     \
  X(powf_same_base, fff_f, powf(a, b) + powf(a, c), {0, {{1.5, 2.2, 1.2}, {.7, -1.3, -2}, {3, 1.7, 1.5}}})              \
  X(powf_same_exponent, fff_f, powf(a, b) + powf(c, b), {0, {{1.5, 2.2, 2.5}, {.7, -1.3, .6}, {3, 1.7, 2}}})            \
  X(remquo, dd_di, quotient(a, b), {0, {{8.5, 2.5}, {9.1, 3}, {8.1, 2.6}}})
#define INTEGERS(X)                                                                                                     \
  X(abs, i_i, abs(a), {0, {{1}, {3}, {-8}}})                                                                            \
  X(clz, i_i, __clz(a), {0, {{1}, {3}, {8}}})                                                                           \
  X(clzll, l_i, __clzll(a), {0, {{1}, {3}, {8}}})                                                                       \
  X(ffs, i_i, __ffs(a), {0, {{1}, {3}, {8}}})                                                                           \
  X(ffsll, l_i, __ffsll(a), {0, {{1}, {3}, {8}}})                                                                       \
  X(llabs, l_l, llabs(a), {0, {{1}, {3}, {-8}}})                                                                        \
  X(llmax, ll_l, llmax(a, b), {0, {{1, 2}, {-1, 3}, {5, 2}}})                                                           \
  X(llmin, ll_l, llmin(a, b), {0, {{1, 2}, {-1, 3}, {5, 2}}})                                                           \
  X(max, ii_i, max(a, b), {0, {{1, 2}, {-1, 3}, {5, 2}}})                                                               \
  X(min, ii_i, min(a, b), {0, {{1, 2}, {-1, 3}, {5, 2}}})                                                               \
  X(mulhi, ii_i, __mulhi(a, b), {0, {{1e9, 2e9}, {-1e9, 3e8}, {5e8, 2e9}}})                                             \
  X(popc, i_i, __popc(a), {0, {{1}, {3}, {8}}})                                                                         \
  X(popcll, l_i, __popcll(a), {0, {{1}, {3}, {8}}})                                                                     \
  X(ullmax, ll_l, ullmax(a, b), {0, {{1, 2}, {1, 3}, {5, 2}}})                                                          \
  X(ullmin, ll_l, ullmin(a, b), {0, {{1, 2}, {1, 3}, {5, 2}}})                                                          \
  X(umax, ii_i, umax(a, b), {0, {{1, 2}, {1, 3}, {5, 2}}})                                                              \
  X(umin, ii_i, umin(a, b), {0, {{1, 2}, {1, 3}, {5, 2}}})                                                              \
  X(umulhi, ii_i, __umulhi(a, b), {0, {{1e9, 2e9}, {2e9, 3e8}, {5e8, 2e9}}})

// Each function is a type with the signature's types and its value.
#define SIGNATURE(name, A, B, R, copied)                                                                                \
  struct name {                                                                                                         \
    typedef A type;                                                                                                     \
    typedef B other;                                                                                                    \
    typedef R result;                                                                                                   \
  };                                                                                                                    \
  struct copy_##name : name {                                                                                           \
    static __device__ __forceinline__ R of(A a, B b, A c, A e) { return copied; }                                       \
  };
SIGNATURES(SIGNATURE)

#define both(function) [a] { result r; function(a, &r.x, &r.y); return r; }()
__device__ inline pair_di quotient(f64 a, f64 b)
{
  pair_di r;
  r.x = remquo(a, b, &r.y);
  return r;
}
#define FUNCTION(name, signature, value, ...)                                                                           \
  struct name##_of : signature {                                                                                        \
    static __device__ __forceinline__ result of(type a, other b, type c, type e) { return value; }                      \
  };
ONE_ARGUMENT(FUNCTION)
MORE_ARGUMENTS(FUNCTION)
IN_PARTS(FUNCTION)
INTEGERS(FUNCTION)

template <class F, class A, class B, class R>
__global__ void function(const A *a, const B *b, const A *c, const A *e, R *z)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  z[i] = F::of(a[i], b[i], c[i], e[i]);
}

struct arguments {
  double a, b, c, e;
};
struct way {
  int number;
  std::vector<arguments> lanes;
};

// The way that src/target/extern_ways.def says, or -1.
static int way_by_table(const char *name, double x, double y)
{
#define TYPES_f float a = (float)x
#define TYPES_ff float a = (float)x, b = (float)y
#define TYPES_d double a = x
#define TYPES_dd double a = x, b = y
#define TYPES_di double a = x; int b = (int)y
#define EXTERN_WAYS(name_, args, ways, way)                                                                             \
  if (!strcmp(name, #name_)) {                                                                                          \
    TYPES_##args;                                                                                                       \
    return way;                                                                                                         \
  }
#include "../../../src/target/extern_ways.def"
#undef EXTERN_WAYS
  return -1;
}

// The part of a function that has ways, and its second argument (include/heddle/device/libm.h), when the function is in parts.
static int way_of(const char *name, double x, double y)
{
  std::string f = name;
  if (f == "sin" || f == "cos") return way_by_table(("__nv_" + f + "_by").c_str(), x, quarter(TWO_OVER_PI * x) + (f == "cos"));
  if (f == "sinpi" || f == "cospi") return way_by_table(("__nv_" + f + "_by").c_str(), x, quarter(2 * x) + (f == "cospi"));
  if (f == "powf") return way_by_table("__nv_pow_restf", x, y);
  if (f == "sincospi") return way_by_table("__nv_sincospi_sin", x, y);
  if (f == "sincospif") return way_by_table("__nv_sincospi_sinf", x, y) + 2 * way_by_table("__nv_sincospi_cosf", x, y);
  return way_by_table(("__nv_" + f).c_str(), x, y);
}

template <class F> static void launch(const std::vector<arguments> &lanes)
{
  typedef typename F::type A;
  typedef typename F::other B;
  std::vector<A> a(N), c(N), e(N);
  std::vector<B> b(N);
  for (int i = 0; i < N; i++) {
    const arguments &lane = lanes[i % lanes.size()];
    a[i] = (A)lane.a, b[i] = (B)lane.b, c[i] = (A)lane.c, e[i] = (A)lane.e;
  }
  A *da = sent(a), *dc = sent(c), *de = sent(e);
  B *db = sent(b);
  typename F::result *dz = blank<typename F::result>(N);
  RUN(function<F, A, B, typename F::result><<<BLOCKS, THREADS>>>(da, db, dc, de, dz));
  CK(cudaFree(da));
  CK(cudaFree(db));
  CK(cudaFree(dc));
  CK(cudaFree(de));
  CK(cudaFree(dz));
}

// `ARGUMENTS` with what the lanes get stands before `LAUNCH`.
template <class F> static void function_of(const char *name, const char *signature, const std::vector<way> &ways)
{
  for (const way &w : ways) {
    if (!want("%s %d %s", name, w.number, signature)) continue;
    printf("ARGUMENTS %s %d", name, w.number);
    for (const arguments &lane : w.lanes) {
      int is = way_of(name, lane.a, lane.b);
      verdict(is < 0 ? ways.size() == 1 : is == w.number, "another way");
      printf(" (%g %g %g %g)", lane.a, lane.b, lane.c, lane.e);
    }
    puts("");
    launch<F>(w.lanes);
  }
}
#define COPY(name, ...)                                                                                                 \
  if (want("copy 0 %s", #name)) launch<copy_##name>({{1, 2, 3, 4}});
#define LAUNCH(name, signature, value, ...) function_of<name##_of>(#name, #signature, {__VA_ARGS__});

int main(int argc, char **argv)
{
  init(argc, argv);
  SIGNATURES(COPY)
  ONE_ARGUMENT(LAUNCH)
  MORE_ARGUMENTS(LAUNCH)
  IN_PARTS(LAUNCH)
  INTEGERS(LAUNCH)
  return finish();
}
