// One function each: which machine instructions a GPU executes for it. 4 blocks of 128 threads compute z[i] = f(x[i], y[i])
// of numbers in memory. A function with a slow path is launched three times: `normal` (ordinary arguments), `special`
// (every lane takes the slow path) and `mixed` (one lane of each warp does); the others once. `LAUNCH number name kind`
// stands before a launch, `RESULT` with a hash of the results behind it: two machines that agree print the same. Values are
// not checked here; the programs of ../rules check those of the same functions.
//
// `nvcc -DPART=n` builds one part alone: 1 float, 2 double, 3 intrinsics, 4 half and bfloat16, 5 integers, 6 conversions,
// 7 atomic operations, 8 warps, textures and the rest.
#include "../rules/harness.h"
#include <cassert>
#include <limits>
#include <type_traits>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#ifdef PART
#define WANTED(part) (PART == part)
#else
#define WANTED(part) 1
#endif

enum { BLOCKS = 4, THREADS = 128, N = BLOCKS * THREADS };

typedef signed char i8;
typedef unsigned char u8;
typedef short i16;
typedef unsigned short u16;
typedef int i32;
typedef unsigned u32;
typedef long long i64;
typedef unsigned long long u64;
typedef float f32;
typedef double f64;
typedef __half f16;
typedef __nv_bfloat16 bf16;
typedef __half2 f16x2;
typedef __nv_bfloat162 bf16x2;

template <class T> struct two {
  T x, y;
};

// A subnormal number, and one near the end of the range.
template <class T> inline double tiny() { return 3.0 * std::numeric_limits<T>::denorm_min(); }
template <> inline double tiny<f16>() { return 3 * 0x1p-24; }
template <> inline double tiny<bf16>() { return 3 * 0x1p-133; }
template <class T> inline double huge() { return 0.7 * std::numeric_limits<T>::max(); }

template <class T> struct from {
  static T of(double v) { return (T)v; }
};
template <> struct from<f16x2> {
  static f16x2 of(double v) { return f16x2((f16)v, (f16)(v / 2)); }
};
template <> struct from<bf16x2> {
  static bf16x2 of(double v) { return bf16x2((bf16)v, (bf16)(v / 2)); }
};

static void said(const void *device, size_t size)
{
  std::vector<u8> bytes = back((const u8 *)device, size);
  u64 hash = 14695981039346656037ull;
  for (u8 b : bytes) hash = (hash ^ b) * 1099511628211ull;
  printf("RESULT %016llx\n", hash);
}

template <class T, class R>
static void launch(void (*kernel)(const T *, const T *, R *), const std::vector<T> &x, const std::vector<T> &y)
{
  T *dx = sent(x), *dy = sent(y);
  R *dz = blank<R>(N);
  RUN(kernel<<<BLOCKS, THREADS>>>(dx, dy, dz));
  said(dz, N * sizeof(R));
  CK(cudaFree(dx));
  CK(cudaFree(dy));
  CK(cudaFree(dz));
}

// Ordinary arguments from two ranges, and those that all lanes or one lane of a warp get instead.
template <class T, class R>
static void one(const char *name, void (*kernel)(const T *, const T *, R *), double low, double high, double low2, double high2)
{
  if (!want("%s normal", name)) return;
  std::vector<T> x(N), y(N);
  for (auto &v : x) v = from<T>::of(uniform(low, high));
  for (auto &v : y) v = from<T>::of(uniform(low2, high2));
  launch(kernel, x, y);
}
template <class T, class R>
static void one(const char *name, void (*kernel)(const T *, const T *, R *), double low, double high, double low2, double high2,
                double special, double special2)
{
  one(name, kernel, low, high, low2, high2);
  for (int mixed = 0; mixed < 2; mixed++) {
    if (!want("%s %s", name, mixed ? "mixed" : "special")) continue;
    std::vector<T> x(N), y(N);
    for (int i = 0; i < N; i++) {
      bool ordinary = mixed && i % 32 != i / 32 * 7 % 32;
      double a = uniform(low, high), b = uniform(low2, high2);
      x[i] = from<T>::of(ordinary ? a : special);
      y[i] = from<T>::of(ordinary ? b : special2);
    }
    launch(kernel, x, y);
  }
}

// A row of a list: X(type, name, expression of a and b, ranges of a and b, special a and b where there are).
#define KERNEL(T, name, expression, ...)                                                                                \
  static __device__ __forceinline__ auto of_##T##_##name(T a, T b) -> std::decay_t<decltype(expression)>                \
  {                                                                                                                     \
    return expression;                                                                                                  \
  }                                                                                                                     \
  __global__ void T##_##name(const T *x, const T *y, decltype(of_##T##_##name(T(), T())) *z)                            \
  {                                                                                                                     \
    int i = blockIdx.x * blockDim.x + threadIdx.x;                                                                      \
    z[i] = of_##T##_##name(x[i], y[i]);                                                                                 \
  }
#define LAUNCH(T, name, expression, ...) one(#T "_" #name, T##_##name, __VA_ARGS__);

// ---- functions that float and double both have
template <class T> __device__ two<T> sine_and_cosine(T a)
{
  two<T> r;
  sincos(a, &r.x, &r.y);
  return r;
}
template <class T> __device__ two<T> parts_of(T a)
{
  two<T> r;
  r.x = modf(a, &r.y);
  return r;
}
template <class T> __device__ T mantissa(T a)
{
  int exponent;
  a = frexp(a, &exponent);
  return a + exponent;
}
__device__ inline f32 norm3(f32 a, f32 b) { return norm3df(a, b, a); }
__device__ inline f64 norm3(f64 a, f64 b) { return norm3d(a, b, a); }
__device__ inline f32 norm4(f32 a, f32 b) { return norm4df(a, b, a, b); }
__device__ inline f64 norm4(f64 a, f64 b) { return norm4d(a, b, a, b); }
__device__ inline f32 rhypot_(f32 a, f32 b) { return rhypotf(a, b); }
__device__ inline f64 rhypot_(f64 a, f64 b) { return rhypot(a, b); }

#define MATH(X, T)                                                                                                      \
  X(T, copy, a, 1, 9, 1, 9)                                                                                             \
  X(T, add, a + b, -4, 4, -4, 4)                                                                                        \
  X(T, sub, a - b, -4, 4, -4, 4)                                                                                        \
  X(T, mul, a *b, -4, 4, -4, 4)                                                                                         \
  X(T, fma, fma(a, b, a), -4, 4, -4, 4)                                                                                 \
  X(T, div, a / b, 1, 9, 1, 9, 1, tiny<T>())                                                                            \
  X(T, div_zero, a / b, 1, 9, 1, 9, 1, 0)                                                                               \
  X(T, div_huge, a / b, 1, 9, 1, 9, huge<T>(), huge<T>())                                                               \
  X(T, div_3, a / 3, 1, 9, 0, 1, tiny<T>(), 0)                                                                          \
  X(T, div_8, a / 8, 1, 9, 0, 1)                                                                                        \
  X(T, rcp, 1 / a, 1, 9, 0, 1, tiny<T>(), 0)                                                                            \
  X(T, rcp_zero, 1 / a, 1, 9, 0, 1, 0, 0)                                                                               \
  X(T, sqrt, sqrt(a), 1, 9, 0, 1, tiny<T>(), 0)                                                                         \
  X(T, sqrt_negative, sqrt(a), 1, 9, 0, 1, -1, 0)                                                                       \
  X(T, rsqrt, rsqrt(a), 1, 9, 0, 1, tiny<T>(), 0)                                                                       \
  X(T, one_by_sqrt, 1 / sqrt(a), 1, 9, 0, 1, tiny<T>(), 0)                                                              \
  X(T, cbrt, cbrt(a), 1, 9, 0, 1, tiny<T>(), 0)                                                                         \
  X(T, rcbrt, (T)rcbrt(a), 1, 9, 0, 1, tiny<T>(), 0)                                                                    \
  X(T, hypot, hypot(a, b), 1, 9, 1, 9, huge<T>(), 1)                                                                    \
  X(T, rhypot, rhypot_(a, b), 1, 9, 1, 9, huge<T>(), 1)                                                                 \
  X(T, norm3d, norm3(a, b), 1, 9, 1, 9, huge<T>(), 1)                                                                   \
  X(T, norm4d, norm4(a, b), 1, 9, 1, 9, huge<T>(), 1)                                                                   \
  X(T, fmod, fmod(a, b), 8, 9, 2, 3, huge<T>(), 3)                                                                      \
  X(T, fmod_zero, fmod(a, b), 8, 9, 2, 3, 1, 0)                                                                         \
  X(T, remainder, remainder(a, b), 8, 9, 2, 3, huge<T>(), 3)                                                            \
  X(T, sin, sin(a), -8, 8, 0, 1, 1e20, 0)                                                                               \
  X(T, cos, cos(a), -8, 8, 0, 1, 1e20, 0)                                                                               \
  X(T, tan, tan(a), -1.3, 1.3, 0, 1, 1e20, 0)                                                                           \
  X(T, sincos, sine_and_cosine(a), -8, 8, 0, 1, 1e20, 0)                                                                \
  X(T, sinpi, sinpi(a), -0.9, 0.9, 0, 1, huge<T>(), 0)                                                                  \
  X(T, cospi, cospi(a), -0.9, 0.9, 0, 1, huge<T>(), 0)                                                                  \
  X(T, asin, asin(a), -0.4, 0.4, 0, 1, 0.9, 0)                                                                          \
  X(T, acos, acos(a), -0.4, 0.4, 0, 1, 0.9, 0)                                                                          \
  X(T, atan, atan(a), -0.9, 0.9, 0, 1, 1e20, 0)                                                                         \
  X(T, atan2, atan2(a, b), -4, 4, 1, 4, 0, 0)                                                                           \
  X(T, sinh, sinh(a), -0.9, 0.9, 0, 1, 9, 0)                                                                            \
  X(T, cosh, cosh(a), -4, 4, 0, 1, 1e4, 0)                                                                              \
  X(T, tanh, tanh(a), -0.5, 0.5, 0, 1, 3, 0)                                                                            \
  X(T, asinh, asinh(a), 0.1, 9, 0, 1, huge<T>(), 0)                                                                     \
  X(T, acosh, acosh(a), 1.1, 9, 0, 1, huge<T>(), 0)                                                                     \
  X(T, atanh, atanh(a), 0.1, 0.45, 0, 1, 1, 0)                                                                          \
  X(T, exp, exp(a), -4, 4, 0, 1, 1e4, 0)                                                                                \
  X(T, exp2, exp2(a), -4, 4, 0, 1, 1e4, 0)                                                                              \
  X(T, exp10, (T)exp10(a), -4, 4, 0, 1, 1e4, 0)                                                                         \
  X(T, expm1, expm1(a), -4, 4, 0, 1, 1e4, 0)                                                                            \
  X(T, log, log(a), 1.5, 9, 0, 1, tiny<T>(), 0)                                                                         \
  X(T, log_zero, log(a), 1.5, 9, 0, 1, 0, 0)                                                                            \
  X(T, log2, log2(a), 1.5, 9, 0, 1, tiny<T>(), 0)                                                                       \
  X(T, log10, log10(a), 1.5, 9, 0, 1, tiny<T>(), 0)                                                                     \
  X(T, log1p, log1p(a), 0.5, 9, 0, 1, -1, 0)                                                                            \
  X(T, pow, pow(a, b), 0.5, 4, -2.5, 2.5, -2, 3)                                                                        \
  X(T, pow_zero, pow(a, b), 0.5, 4, -2.5, 2.5, 0, 3)                                                                    \
  X(T, pow_2, pow(a, (T)2), -4, 4, 0, 1)                                                                                \
  X(T, pow_3, pow(a, (T)3), -4, 4, 0, 1)                                                                                \
  X(T, pow_int, pow(a, (int)b), 0.5, 4, 2, 6)                                                                           \
  X(T, erf, erf(a), -0.9, 0.9, 0, 1, 3, 0)                                                                              \
  X(T, erfc, erfc(a), -0.9, 0.9, 0, 1, 12, 0)                                                                           \
  X(T, erfcx, erfcx(a), 0.1, 4, 0, 1, -5, 0)                                                                            \
  X(T, erfinv, erfinv(a), -0.9, 0.9, 0, 1, 0.9999, 0)                                                                   \
  X(T, erfcinv, erfcinv(a), 0.1, 1.9, 0, 1, 1e-10, 0)                                                                   \
  X(T, normcdf, normcdf(a), -3, 3, 0, 1, -20, 0)                                                                        \
  X(T, normcdfinv, normcdfinv(a), 0.1, 0.9, 0, 1, 1e-10, 0)                                                             \
  X(T, lgamma, lgamma(a), 0.5, 2.9, 0, 1, -2.5, 0)                                                                      \
  X(T, tgamma, tgamma(a), 1, 9, 0, 1, -2.5, 0)                                                                          \
  X(T, j0, j0(a), 0.5, 7, 0, 1, 50, 0)                                                                                  \
  X(T, j1, j1(a), 0.5, 7, 0, 1, 50, 0)                                                                                  \
  X(T, jn, jn(2, a), 3, 7, 0, 1)                                                                                        \
  X(T, y0, y0(a), 1, 7, 0, 1, 50, 0)                                                                                    \
  X(T, y1, y1(a), 1, 7, 0, 1, 50, 0)                                                                                    \
  X(T, i0, cyl_bessel_i0(a), 0.5, 7, 0, 1, 50, 0)                                                                       \
  X(T, i1, cyl_bessel_i1(a), 0.5, 7, 0, 1, 50, 0)                                                                       \
  X(T, ldexp, ldexp(a, (int)b), 1, 9, 1, 9, 1, 2000)                                                                    \
  X(T, scalbn, scalbn(a, (int)b), 1, 9, 1, 9, 1, -2000)                                                                 \
  X(T, frexp, mantissa(a), 1, 9, 0, 1, tiny<T>(), 0)                                                                    \
  X(T, modf, parts_of(a), 1, 9, 0, 1, huge<T>(), 0)                                                                     \
  X(T, logb, logb(a), 1, 9, 0, 1, tiny<T>(), 0)                                                                         \
  X(T, ilogb, ilogb(a), 1, 9, 0, 1, tiny<T>(), 0)                                                                       \
  X(T, nextafter, nextafter(a, b), 1, 2, 3, 4, 0, 1)                                                                    \
  X(T, floor, floor(a), -9, 9, 0, 1)                                                                                    \
  X(T, ceil, ceil(a), -9, 9, 0, 1)                                                                                      \
  X(T, trunc, trunc(a), -9, 9, 0, 1)                                                                                    \
  X(T, round, round(a), -9, 9, 0, 1)                                                                                    \
  X(T, rint, rint(a), -9, 9, 0, 1)                                                                                      \
  X(T, nearbyint, nearbyint(a), -9, 9, 0, 1)                                                                            \
  X(T, lrint, lrint(a), -9, 9, 0, 1)                                                                                    \
  X(T, llrint, llrint(a), -9, 9, 0, 1)                                                                                  \
  X(T, lround, lround(a), -9, 9, 0, 1)                                                                                  \
  X(T, fmin, fmin(a, b), -4, 4, -4, 4)                                                                                  \
  X(T, fmax, fmax(a, b), -4, 4, -4, 4)                                                                                  \
  X(T, fdim, fdim(a, b), -4, 4, -4, 4)                                                                                  \
  X(T, fabs, fabs(a), -4, 4, 0, 1)                                                                                      \
  X(T, neg, -a, -4, 4, 0, 1)                                                                                            \
  X(T, copysign, copysign(a, b), -4, 4, -4, 4)                                                                          \
  X(T, isnan, isnan(a), -4, 4, 0, 1)                                                                                    \
  X(T, isinf, isinf(a), -4, 4, 0, 1)                                                                                    \
  X(T, isfinite, isfinite(a), -4, 4, 0, 1)                                                                              \
  X(T, signbit, signbit(a), -4, 4, 0, 1)                                                                                \
  X(T, less, a < b, -4, 4, -4, 4)                                                                                       \
  X(T, select, a > b ? a : b * 2, -4, 4, -4, 4)

#if WANTED(1)
MATH(KERNEL, f32)
#endif
#if WANTED(2)
MATH(KERNEL, f64)
#endif

// ---- intrinsics
#define INTRINSICS(X)                                                                                                   \
  X(f32, sin_fast, __sinf(a), -3, 3, 0, 1)                                                                              \
  X(f32, cos_fast, __cosf(a), -3, 3, 0, 1)                                                                              \
  X(f32, tan_fast, __tanf(a), -1.3, 1.3, 0, 1)                                                                          \
  X(f32, exp_fast, __expf(a), -4, 4, 0, 1, -95, 0)                                                                      \
  X(f32, exp10_fast, __exp10f(a), -4, 4, 0, 1, -40, 0)                                                                  \
  X(f32, log_fast, __logf(a), 1.5, 9, 0, 1, tiny<f32>(), 0)                                                             \
  X(f32, log2_fast, __log2f(a), 1.5, 9, 0, 1, tiny<f32>(), 0)                                                           \
  X(f32, log10_fast, __log10f(a), 1.5, 9, 0, 1, tiny<f32>(), 0)                                                         \
  X(f32, pow_fast, __powf(a, b), 0.5, 4, -2.5, 2.5, tiny<f32>(), 2)                                                     \
  X(f32, div_fast, __fdividef(a, b), 1, 9, 1, 9, 1, 0x1p127)                                                            \
  X(f32, div_rn, __fdiv_rn(a, b), 1, 9, 1, 9, 1, tiny<f32>())                                                           \
  X(f32, div_rz, __fdiv_rz(a, b), 1, 9, 1, 9, 1, tiny<f32>())                                                           \
  X(f32, rcp_rn, __frcp_rn(a), 1, 9, 0, 1, tiny<f32>(), 0)                                                              \
  X(f32, rcp_rz, __frcp_rz(a), 1, 9, 0, 1, tiny<f32>(), 0)                                                              \
  X(f32, sqrt_rn, __fsqrt_rn(a), 1, 9, 0, 1, tiny<f32>(), 0)                                                            \
  X(f32, sqrt_rz, __fsqrt_rz(a), 1, 9, 0, 1, tiny<f32>(), 0)                                                            \
  X(f32, rsqrt_rn, __frsqrt_rn(a), 1, 9, 0, 1, tiny<f32>(), 0)                                                          \
  X(f32, add_rz, __fadd_rz(a, b), 1, 9, 1, 9)                                                                           \
  X(f32, mul_ru, __fmul_ru(a, b), 1, 9, 1, 9)                                                                           \
  X(f32, fma_rd, __fmaf_rd(a, b, a), 1, 9, 1, 9)                                                                        \
  X(f16, add_sat, __hadd_sat(a, b), -4, 4, -4, 4)                                                                       \
  X(f32, saturate, __saturatef(a), -4, 4, 0, 1)                                                                         \
  X(f64, div_rn, __ddiv_rn(a, b), 1, 9, 1, 9, 1, tiny<f64>())                                                           \
  X(f64, div_rz, __ddiv_rz(a, b), 1, 9, 1, 9, 1, tiny<f64>())                                                           \
  X(f64, rcp_rn, __drcp_rn(a), 1, 9, 0, 1, tiny<f64>(), 0)                                                              \
  X(f64, sqrt_rn, __dsqrt_rn(a), 1, 9, 0, 1, tiny<f64>(), 0)                                                            \
  X(f64, add_rz, __dadd_rz(a, b), 1, 9, 1, 9)                                                                           \
  X(f64, fma_rd, __fma_rd(a, b, a), 1, 9, 1, 9)
#if WANTED(3)
INTRINSICS(KERNEL)
#endif

// ---- half precision: one value, and two at once
#define HALF(X, T)                                                                                                      \
  X(T, copy, a, 1, 9, 1, 9)                                                                                             \
  X(T, add, __hadd(a, b), -4, 4, -4, 4)                                                                                 \
  X(T, sub, __hsub(a, b), -4, 4, -4, 4)                                                                                 \
  X(T, mul, __hmul(a, b), -4, 4, -4, 4)                                                                                 \
  X(T, fma, __hfma(a, b, a), -4, 4, -4, 4)                                                                              \
  X(T, fma_relu, __hfma_relu(a, b, a), -4, 4, -4, 4)                                                                    \
  X(T, div, __hdiv(a, b), 1, 9, 1, 9, 1, tiny<T>())                                                                     \
  X(T, rcp, hrcp(a), 1, 9, 1, 9, tiny<T>(), 0)                                                                          \
  X(T, sqrt, hsqrt(a), 1, 9, 1, 9, tiny<T>(), 0)                                                                        \
  X(T, rsqrt, hrsqrt(a), 1, 9, 1, 9, tiny<T>(), 0)                                                                      \
  X(T, exp, hexp(a), -4, 4, 0, 1)                                                                                       \
  X(T, exp2, hexp2(a), -4, 4, 0, 1)                                                                                     \
  X(T, exp10, hexp10(a), -4, 4, 0, 1)                                                                                   \
  X(T, log, hlog(a), 1.5, 9, 0, 1)                                                                                      \
  X(T, log2, hlog2(a), 1.5, 9, 0, 1)                                                                                    \
  X(T, log10, hlog10(a), 1.5, 9, 0, 1)                                                                                  \
  X(T, sin, hsin(a), -4, 4, 0, 1)                                                                                       \
  X(T, cos, hcos(a), -4, 4, 0, 1)                                                                                       \
  X(T, floor, hfloor(a), -4, 4, 0, 1)                                                                                   \
  X(T, rint, hrint(a), -4, 4, 0, 1)                                                                                     \
  X(T, min, __hmin(a, b), -4, 4, -4, 4)                                                                                 \
  X(T, abs, __habs(a), -4, 4, 0, 1)                                                                                     \
  X(T, neg, __hneg(a), -4, 4, 0, 1)                                                                                     \
  X(T, less, __hlt(a, b), -4, 4, -4, 4)
#define HALF2(X, T)                                                                                                     \
  X(T, copy, a, 1, 9, 1, 9)                                                                                             \
  X(T, add, __hadd2(a, b), -4, 4, -4, 4)                                                                                \
  X(T, sub, __hsub2(a, b), -4, 4, -4, 4)                                                                                \
  X(T, mul, __hmul2(a, b), -4, 4, -4, 4)                                                                                \
  X(T, fma, __hfma2(a, b, a), -4, 4, -4, 4)                                                                             \
  X(T, div, __h2div(a, b), 1, 9, 2, 9)                                                                                  \
  X(T, rcp, h2rcp(a), 2, 9, 1, 9)                                                                                       \
  X(T, sqrt, h2sqrt(a), 2, 9, 1, 9)                                                                                     \
  X(T, exp, h2exp(a), -4, 4, 0, 1)                                                                                      \
  X(T, log, h2log(a), 4, 9, 0, 1)                                                                                       \
  X(T, sin, h2sin(a), -4, 4, 0, 1)                                                                                      \
  X(T, cos, h2cos(a), -4, 4, 0, 1)                                                                                      \
  X(T, min, __hmin2(a, b), -4, 4, -4, 4)                                                                                \
  X(T, abs, __habs2(a), -4, 4, 0, 1)                                                                                    \
  X(T, less, __hlt2(a, b), -4, 4, -4, 4)                                                                                \
  X(T, swap, __lowhigh2highlow(a), -4, 4, 0, 1)                                                                         \
  X(T, pack, __lows2##T(a, b), -4, 4, -4, 4)                                                                            \
  X(T, low, __low2float(a), -4, 4, 0, 1)
#define __lows2f16x2 __lows2half2
#define __lows2bf16x2 __lows2bfloat162
#if WANTED(4)
HALF(KERNEL, f16)
HALF(KERNEL, bf16)
HALF2(KERNEL, f16x2)
HALF2(KERNEL, bf16x2)
#endif

// ---- integers
#define INTEGER(X, T)                                                                                                   \
  X(T, copy, a, 1, 9, 1, 9)                                                                                             \
  X(T, add, a + b, 1, 1e9, 1, 1e3)                                                                                      \
  X(T, sub, a - b, 1, 1e9, 1, 1e3)                                                                                      \
  X(T, mul, a *b, 1, 1e6, 1, 1e3)                                                                                       \
  X(T, mad, a *b + a, 1, 1e6, 1, 1e3)                                                                                   \
  X(T, div, a / b, 1, 1e9, 3, 1e3, 2e9, 1)                                                                              \
  X(T, rem, a % b, 1, 1e9, 3, 1e3, 2e9, 1)                                                                              \
  X(T, div_rem, a / b * 3 + a % b, 1, 1e9, 3, 1e3)                                                                      \
  X(T, div_3, a / 3, 1, 1e9, 0, 1)                                                                                      \
  X(T, div_7, a / 7, 1, 1e9, 0, 1)                                                                                      \
  X(T, div_10, a / 10, 1, 1e9, 0, 1)                                                                                    \
  X(T, div_16, a / 16, 1, 1e9, 0, 1)                                                                                    \
  X(T, rem_3, a % 3, 1, 1e9, 0, 1)                                                                                      \
  X(T, rem_7, a % 7, 1, 1e9, 0, 1)                                                                                      \
  X(T, rem_10, a % 10, 1, 1e9, 0, 1)                                                                                    \
  X(T, rem_16, a % 16, 1, 1e9, 0, 1)                                                                                    \
  X(T, min, min(a, b), 1, 1e3, 1, 1e3)                                                                                  \
  X(T, max, max(a, b), 1, 1e3, 1, 1e3)                                                                                  \
  X(T, less, a < b, 1, 1e3, 1, 1e3)                                                                                     \
  X(T, select, a < b ? a : b + 5, 1, 1e3, 1, 1e3)                                                                       \
  X(T, shl, a << b, 1, 1e3, 1, 31)                                                                                      \
  X(T, shr, a >> b, 1, 1e9, 1, 31)                                                                                      \
  X(T, shl_5, a << 5, 1, 1e3, 1, 31)                                                                                    \
  X(T, shr_5, a >> 5, 1, 1e9, 1, 31)                                                                                    \
  X(T, field, (a >> 5) & 255, 1, 1e9, 0, 1)                                                                             \
  X(T, logic, (a & b) ^ (a | 12345), 1, 1e9, 1, 1e9)
#define SIGNED(X, T)                                                                                                    \
  X(T, abs, abs(a), -1e6, 1e6, 0, 1)                                                                                    \
  X(T, div_negative, a / b, -1e9, 1e9, -1e3, -3)                                                                        \
  X(T, neg, -a, -1e6, 1e6, 0, 1)
#define WIDE(X, T)                                                                                                      \
  X(T, div_large, a / b, 1, 1e9, 3, 1e3, 3e18, 7e11)                                                                    \
  X(T, rem_large, a % b, 1, 1e9, 3, 1e3, 3e18, 7e11)
#define BITS(X)                                                                                                         \
  X(i32, mulhi, __mulhi(a, b), 1, 1e9, 1, 1e9)                                                                          \
  X(u32, mulhi, __umulhi(a, b), 1, 1e9, 1, 1e9)                                                                         \
  X(i64, mulhi, __mul64hi(a, b), 1, 1e18, 1, 1e18)                                                                      \
  X(u64, mulhi, __umul64hi(a, b), 1, 1e18, 1, 1e18)                                                                     \
  X(i32, mul24, __mul24(a, b), 1, 1e6, 1, 1e6)                                                                          \
  X(i32, mul_wide, (i64)a *b, 1, 1e9, 1, 1e9)                                                                           \
  X(u32, mul_wide, (u64)a *b, 1, 1e9, 1, 1e9)                                                                           \
  X(u32, popc, __popc(a), 1, 1e9, 0, 1)                                                                                 \
  X(u64, popc, __popcll(a), 1, 1e18, 0, 1)                                                                              \
  X(i32, clz, __clz(a), 1, 1e9, 0, 1)                                                                                   \
  X(i64, clz, __clzll(a), 1, 1e18, 0, 1)                                                                                \
  X(i32, ffs, __ffs(a), 1, 1e9, 0, 1)                                                                                   \
  X(i64, ffs, __ffsll(a), 1, 1e18, 0, 1)                                                                                \
  X(u32, brev, __brev(a), 1, 1e9, 0, 1)                                                                                 \
  X(u64, brev, __brevll(a), 1, 1e18, 0, 1)                                                                              \
  X(u32, byte_perm, __byte_perm(a, b, 0x5140), 1, 1e9, 1, 1e9)                                                          \
  X(u32, byte_perm_by, __byte_perm(a, a, b), 1, 1e9, 1, 1e4)                                                            \
  X(u32, funnel_l, __funnelshift_l(a, a + 1, b), 1, 1e9, 1, 31)                                                         \
  X(u32, funnel_r, __funnelshift_r(a, a + 1, b), 1, 1e9, 1, 31)                                                         \
  X(u32, funnel_lc, __funnelshift_lc(a, a + 1, b), 1, 1e9, 1, 31)                                                       \
  X(u32, rotate, (a << 7) | (a >> 25), 1, 1e9, 1, 31)                                                                   \
  X(i32, sad, __sad(a, b, 7u), 1, 1e9, 1, 1e9)                                                                          \
  X(u32, sad, __usad(a, b, 7u), 1, 1e9, 1, 1e9)                                                                         \
  X(i32, hadd, __hadd(a, b), 1, 1e9, 1, 1e9)                                                                            \
  X(i32, rhadd, __rhadd(a, b), 1, 1e9, 1, 1e9)                                                                          \
  X(i32, dp4a, __dp4a(a, b, 7), 1, 1e9, 1, 1e9)                                                                         \
  X(u32, dp4a, __dp4a(a, b, 7u), 1, 1e9, 1, 1e9)                                                                        \
  X(i32, dp2a, __dp2a_lo(a, b, 7), 1, 1e9, 1, 1e9)                                                                      \
  X(u32, vadd4, __vadd4(a, b), 1, 1e9, 1, 1e9)                                                                          \
  X(u32, vsub4, __vsub4(a, b), 1, 1e9, 1, 1e9)                                                                          \
  X(u32, vadd2, __vadd2(a, b), 1, 1e9, 1, 1e9)                                                                          \
  X(u32, vaddus4, __vaddus4(a, b), 1, 1e9, 1, 1e9)                                                                      \
  X(u32, vavgu4, __vavgu4(a, b), 1, 1e9, 1, 1e9)                                                                        \
  X(u32, vabsdiffu4, __vabsdiffu4(a, b), 1, 1e9, 1, 1e9)                                                                \
  X(u32, vsadu4, __vsadu4(a, b), 1, 1e9, 1, 1e9)                                                                        \
  X(u32, vmaxs4, __vmaxs4(a, b), 1, 1e9, 1, 1e9)                                                                        \
  X(u32, vminu2, __vminu2(a, b), 1, 1e9, 1, 1e9)                                                                        \
  X(u32, vcmpgtu4, __vcmpgtu4(a, b), 1, 1e9, 1, 1e9)                                                                    \
  X(u32, vseteq2, __vseteq2(a, b), 1, 1e9, 1, 1e9)                                                                      \
  X(i32, viaddmax, __viaddmax_s32(a, b, 7), 1, 1e9, 1, 1e9)                                                             \
  X(i32, vimax3, __vimax3_s32(a, b, 7), 1, 1e9, 1, 1e9)                                                                 \
  X(i32, min3, min(min(a, b), a ^ 77), 1, 1e9, 1, 1e9)                                                                  \
  X(u32, lop3, (a & b) | (~a & 0x1234567), 1, 1e9, 1, 1e9)                                                              \
  X(u64, add_3, a + b + (a ^ 77), 1, 1e18, 1, 1e18)
#if WANTED(5)
INTEGER(KERNEL, i32)
INTEGER(KERNEL, u32)
INTEGER(KERNEL, i64)
INTEGER(KERNEL, u64)
SIGNED(KERNEL, i32)
SIGNED(KERNEL, i64)
WIDE(KERNEL, i64)
WIDE(KERNEL, u64)
BITS(KERNEL)
#endif

// ---- conversions
#define CONVERT(X, T, INTERMEDIATE)                                                                                     \
  X(T, to_i8, (i8)(INTERMEDIATE)a, 1, 100, 0, 1)                                                                        \
  X(T, to_u8, (u8)(INTERMEDIATE)a, 1, 100, 0, 1)                                                                        \
  X(T, to_i16, (i16)(INTERMEDIATE)a, 1, 100, 0, 1)                                                                      \
  X(T, to_u16, (u16)(INTERMEDIATE)a, 1, 100, 0, 1)                                                                      \
  X(T, to_i32, (i32)(INTERMEDIATE)a, 1, 100, 0, 1)                                                                      \
  X(T, to_u32, (u32)(INTERMEDIATE)a, 1, 100, 0, 1)                                                                      \
  X(T, to_i64, (i64)(INTERMEDIATE)a, 1, 100, 0, 1)                                                                      \
  X(T, to_u64, (u64)(INTERMEDIATE)a, 1, 100, 0, 1)                                                                      \
  X(T, to_f32, (f32)a, 1, 100, 0, 1)                                                                                    \
  X(T, to_f64, (f64)(INTERMEDIATE)a, 1, 100, 0, 1)                                                                      \
  X(T, to_f16, (f16)(INTERMEDIATE)a, 1, 100, 0, 1)                                                                      \
  X(T, to_bf16, (bf16)(INTERMEDIATE)a, 1, 100, 0, 1)
#define ROUNDED(X)                                                                                                      \
  X(f32, to_i32_rn, __float2int_rn(a), 1, 100, 0, 1)                                                                    \
  X(f32, to_i32_ru, __float2int_ru(a), 1, 100, 0, 1)                                                                    \
  X(f32, to_u64_rd, __float2ull_rd(a), 1, 100, 0, 1)                                                                    \
  X(f32, to_f16_rz, __float2half_rz(a), 1, 100, 0, 1)                                                                   \
  X(f32, to_f16x2, __floats2half2_rn(a, b), 1, 100, 1, 100)                                                             \
  X(f32, to_bf16x2, __floats2bfloat162_rn(a, b), 1, 100, 1, 100)                                                        \
  X(f64, to_f32_rz, __double2float_rz(a), 1, 100, 0, 1)                                                                 \
  X(f64, to_i32_rn, __double2int_rn(a), 1, 100, 0, 1)                                                                   \
  X(f64, high, __double2hiint(a), 1, 100, 0, 1)                                                                         \
  X(f64, bits, __double_as_longlong(a), 1, 100, 0, 1)                                                                   \
  X(f32, bits, __float_as_int(a), 1, 100, 0, 1)                                                                         \
  X(i32, to_f32_rz, __int2float_rz(a), 1, 100, 0, 1)                                                                    \
  X(i64, to_f64_ru, __ll2double_ru(a), 1, 100, 0, 1)                                                                    \
  X(i32, from_halves, __hiloint2double(a, b), 1, 100, 1, 100)
#if WANTED(6)
CONVERT(KERNEL, i8, i8)
CONVERT(KERNEL, u8, u8)
CONVERT(KERNEL, i16, i16)
CONVERT(KERNEL, u16, u16)
CONVERT(KERNEL, i32, i32)
CONVERT(KERNEL, u32, u32)
CONVERT(KERNEL, i64, i64)
CONVERT(KERNEL, u64, u64)
CONVERT(KERNEL, f32, f32)
CONVERT(KERNEL, f64, f64)
CONVERT(KERNEL, f16, f32)
CONVERT(KERNEL, bf16, f32)
ROUNDED(KERNEL)
#endif

// ---- atomic operations: on words in global or shared memory; each lane on its own or all on one; the old value used or not
#define ATOMICS(X)                                                                                                      \
  X(i32, add, atomicAdd(p, a))                                                                                          \
  X(i32, sub, atomicSub(p, a))                                                                                          \
  X(i32, inc_1, atomicAdd(p, 1))                                                                                        \
  X(i32, min, atomicMin(p, a))                                                                                          \
  X(i32, max, atomicMax(p, a))                                                                                          \
  X(i32, and, atomicAnd(p, a))                                                                                          \
  X(i32, or, atomicOr(p, a))                                                                                            \
  X(i32, xor, atomicXor(p, a))                                                                                          \
  X(i32, exch, atomicExch(p, a))                                                                                        \
  X(i32, cas, atomicCAS(p, 0, a))                                                                                       \
  X(u32, add, atomicAdd(p, a))                                                                                          \
  X(u32, inc, atomicInc(p, a))                                                                                          \
  X(u32, dec, atomicDec(p, a))                                                                                          \
  X(u32, min, atomicMin(p, a))                                                                                          \
  X(u32, max, atomicMax(p, a))                                                                                          \
  X(i64, min, atomicMin(p, a))                                                                                          \
  X(i64, max, atomicMax(p, a))                                                                                          \
  X(u64, add, atomicAdd(p, a))                                                                                          \
  X(u64, min, atomicMin(p, a))                                                                                          \
  X(u64, max, atomicMax(p, a))                                                                                          \
  X(u64, and, atomicAnd(p, a))                                                                                          \
  X(u64, or, atomicOr(p, a))                                                                                            \
  X(u64, xor, atomicXor(p, a))                                                                                          \
  X(u64, exch, atomicExch(p, a))                                                                                        \
  X(u64, cas, atomicCAS(p, 0ull, a))                                                                                    \
  X(f32, add, atomicAdd(p, a))                                                                                          \
  X(f32, exch, atomicExch(p, a))                                                                                        \
  X(f32, max_by_cas, max_by_cas(p, a))                                                                                  \
  X(f64, add, atomicAdd(p, a))                                                                                          \
  X(f16, add, atomicAdd(p, a))                                                                                          \
  X(f16x2, add, atomicAdd(p, a))                                                                                        \
  X(bf16x2, add, atomicAdd(p, a))
#if WANTED(7)
enum place { GLOBAL, SHARED };
enum target { OWN, SAME };
enum old { UNUSED, USED };

__device__ f32 max_by_cas(f32 *p, f32 a)
{
  int old = *(volatile int *)p, seen;
  do {
    seen = old;
    if (__int_as_float(seen) >= a) break;
    old = atomicCAS((int *)p, seen, __float_as_int(a));
  } while (old != seen);
  return __int_as_float(old);
}
#define OPERATION(T, name, expression)                                                                                  \
  struct T##_##name {                                                                                                   \
    typedef T type;                                                                                                     \
    static __device__ __forceinline__ T of(T *p, T a) { return expression; }                                            \
  };
ATOMICS(OPERATION)

// In global memory z itself holds the words; the old values go to z, too, behind them.
template <class Op, place where, target which, old result>
__global__ void atomic(const typename Op::type *x, const typename Op::type *, typename Op::type *z)
{
  typedef typename Op::type T;
  __shared__ T words[THREADS];
  int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x;
  T a = x[i];
  T *p = where == GLOBAL ? which == SAME ? z : z + i : which == SAME ? words : words + t;
  if (where == SHARED) {
    words[t] = a;
    __syncthreads();
  }
  T value = Op::of(p, a);
  if (where == SHARED) {
    __syncthreads();
    if (result == UNUSED) value = words[t];
  }
  if (where == SHARED || result == USED) z[where == GLOBAL ? N + i : i] = value;
}
template <class Op> static void atomics(const char *name)
{
  typedef typename Op::type T;
  void (*kernels[])(const T *, const T *, T *) = {
      atomic<Op, GLOBAL, OWN, UNUSED>,  atomic<Op, GLOBAL, OWN, USED>,  atomic<Op, GLOBAL, SAME, UNUSED>,
      atomic<Op, GLOBAL, SAME, USED>,   atomic<Op, SHARED, OWN, UNUSED>, atomic<Op, SHARED, OWN, USED>,
      atomic<Op, SHARED, SAME, UNUSED>, atomic<Op, SHARED, SAME, USED>};
  for (int k = 0; k < 8; k++) {
    const char *memory = k & 4 ? "shared" : "global", *target = k & 2 ? "same" : "own", *old = k & 1 ? "used" : "unused";
    if (!want("%s_%s_%s_%s normal", name, memory, target, old)) continue;
    std::vector<T> x(N);
    for (auto &v : x) v = from<T>::of(uniform(1, 9));
    T *dx = sent(x), *dz = blank<T>(2 * N);
    RUN(kernels[k]<<<BLOCKS, THREADS>>>(dx, dx, dz));
    said(dz, 2 * N * sizeof(T));
    CK(cudaFree(dx));
    CK(cudaFree(dz));
  }
}
#define ATOMIC(T, name, expression) atomics<T##_##name>(#T "_" #name);
#endif

// ---- what lanes of a warp do together, and what a thread does beside arithmetic
#define EVERY 0xffffffffu
#define WARPS(X)                                                                                                        \
  X(i32, shfl, __shfl_sync(EVERY, a, b), 1, 99, 0, 31)                                                                  \
  X(i32, shfl_5, __shfl_sync(EVERY, a, 5), 1, 99, 0, 31)                                                                \
  X(i32, shfl_up, __shfl_up_sync(EVERY, a, 1), 1, 99, 0, 31)                                                            \
  X(i32, shfl_down, __shfl_down_sync(EVERY, a, 1), 1, 99, 0, 31)                                                        \
  X(i32, shfl_xor, __shfl_xor_sync(EVERY, a, 1), 1, 99, 0, 31)                                                          \
  X(i32, shfl_width, __shfl_down_sync(EVERY, a, 4, 8), 1, 99, 0, 31)                                                    \
  X(f64, shfl_down, __shfl_down_sync(EVERY, a, 1), 1, 99, 0, 31)                                                        \
  X(i64, shfl_xor, __shfl_xor_sync(EVERY, a, 1), 1, 99, 0, 31)                                                          \
  X(f16x2, shfl_xor, __shfl_xor_sync(EVERY, a, 1), 1, 99, 0, 31)                                                        \
  X(i32, ballot, __ballot_sync(EVERY, a > b), 1, 99, 1, 99)                                                             \
  X(i32, any, __any_sync(EVERY, a > b), 1, 99, 1, 99)                                                                   \
  X(i32, all, __all_sync(EVERY, a > b), 1, 99, 1, 99)                                                                   \
  X(i32, rank, __popc(__ballot_sync(EVERY, a > b) & ((1u << (threadIdx.x & 31)) - 1)), 1, 99, 1, 99)                    \
  X(i32, match_any, __match_any_sync(EVERY, a), 1, 9, 0, 1, 1, 1)                                                       \
  X(i64, match_any, __match_any_sync(EVERY, a), 1, 9, 0, 1, 1, 1)                                                       \
  X(i32, match_all, all_equal(a), 1, 9, 0, 1, 1, 1)                                                                     \
  X(u32, reduce_add, __reduce_add_sync(EVERY, a), 1, 99, 0, 1)                                                          \
  X(i32, reduce_min, __reduce_min_sync(EVERY, a), 1, 99, 0, 1)                                                          \
  X(u32, reduce_max, __reduce_max_sync(EVERY, a), 1, 99, 0, 1)                                                          \
  X(u32, reduce_and, __reduce_and_sync(EVERY, a), 1, 99, 0, 1)                                                          \
  X(u32, reduce_or, __reduce_or_sync(EVERY, a), 1, 99, 0, 1)                                                            \
  X(u32, reduce_xor, __reduce_xor_sync(EVERY, a), 1, 99, 0, 1)                                                          \
  X(u32, activemask, __activemask(), 1, 99, 0, 1)                                                                       \
  X(u32, syncwarp, (__syncwarp(), a), 1, 99, 0, 1)                                                                      \
  X(u32, syncthreads, (__syncthreads(), a), 1, 99, 0, 1)                                                                \
  X(u32, syncthreads_count, __syncthreads_count(a > b), 1, 99, 1, 99)                                                   \
  X(u32, syncthreads_or, __syncthreads_or(a > b), 1, 99, 1, 99)                                                         \
  X(u32, threadfence, (__threadfence(), a), 1, 99, 0, 1)                                                                \
  X(u32, threadfence_block, (__threadfence_block(), a), 1, 99, 0, 1)                                                    \
  X(u32, threadfence_system, (__threadfence_system(), a), 1, 99, 0, 1)                                                  \
  X(u32, nanosleep, (__nanosleep(0), a), 1, 99, 0, 1)                                                                   \
  X(u32, printf, printed(a), 1, 99, 0, 1)                                                                               \
  X(u32, assert, asserted(a), 1, 99, 0, 1)                                                                              \
  X(u32, branch, branched(a, b), 1, 9, 90, 99, 99, 1)                                                                   \
  X(u32, loop, summed(a), 5, 5.5, 0, 1, 9, 1)                                                                           \
  X(u32, call, called(a), 1, 99, 0, 1)                                                                                  \
  X(u32, shared, by_shared_memory(a), 1, 99, 0, 1)
#define CLOCKS(X)                                                                                                       \
  X(u32, clock, clock() - (clock_t)a, 1, 99, 0, 1)                                                                      \
  X(u32, clock64, clock64() - (i64)a, 1, 99, 0, 1)                                                                      \
  X(u32, activity, where_it_runs(), 1, 99, 0, 1)
#if WANTED(8)
__device__ inline u32 all_equal(i32 a)
{
  int equal;
  return __match_all_sync(EVERY, a, &equal) + equal;
}
__device__ inline u32 printed(u32 a)
{
  if (threadIdx.x == 0 && blockIdx.x == 0) printf("one lane\n");
  return a;
}
__device__ inline u32 asserted(u32 a)
{
  assert(a < 1000);
  return a;
}
__device__ inline u32 branched(u32 a, u32 b)
{
  if (a < b) return __umulhi(a, 12345) + __brev(b) + __popc(a ^ b);
  for (u32 k = 0; k < b; k++) a = a * 3 + __brev(a);
  return a;
}
__device__ inline u32 summed(u32 a)
{
  u32 sum = 0;
#pragma unroll 1
  for (u32 k = 0; k < a; k++) sum = sum * 5 + (sum ^ k);
  return sum;
}
__device__ __noinline__ u32 called(u32 a) { return a * 3 + __brev(a); }
__device__ inline u32 by_shared_memory(u32 a)
{
  __shared__ u32 words[THREADS];
  words[threadIdx.x] = a;
  __syncthreads();
  return words[threadIdx.x ^ 1];
}
__device__ inline u32 where_it_runs()
{
  u32 sm, lane;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
  return sm * 32 + lane;
}
WARPS(KERNEL)
CLOCKS(KERNEL)

__global__ void empty() {}

// ---- textures and surfaces of 32-bit floats
enum { SIDE = 32, LAYERS = 2 };
#define INDEX int i = blockIdx.x * blockDim.x + threadIdx.x
__global__ void tex_1d_fetch(cudaTextureObject_t t, float *z)
{
  INDEX;
  z[i] = tex1Dfetch<float>(t, i);
}
__global__ void tex_2d(cudaTextureObject_t t, float *z)
{
  INDEX;
  z[i] = tex2D<float>(t, i % SIDE + 0.5f, i / SIDE + 0.5f);
}
__global__ void tex_2d_layered(cudaTextureObject_t t, float *z)
{
  INDEX;
  z[i] = tex2DLayered<float>(t, i % SIDE + 0.5f, i / SIDE + 0.5f, i % LAYERS);
}
__global__ void surf_2d_read(cudaSurfaceObject_t s, float *z)
{
  INDEX;
  z[i] = surf2Dread<float>(s, i % SIDE * 4, i / SIDE);
}
__global__ void surf_2d_write(cudaSurfaceObject_t s, float *z)
{
  INDEX;
  surf2Dwrite(z[i], s, i % SIDE * 4, i / SIDE);
}
static void textures()
{
  std::vector<float> texels(SIDE * SIDE * LAYERS, 1.5f);
  float *linear = sent(texels), *z = blank<float>(N);
  cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaTextureDesc how = {};
  cudaResourceDesc flat = {}, plain = {}, layered = {};
  cudaTextureObject_t of_memory, of_array, of_array_linear, of_layers;
  cudaSurfaceObject_t surface;
  flat.resType = cudaResourceTypeLinear;
  flat.res.linear.devPtr = linear;
  flat.res.linear.desc = format;
  flat.res.linear.sizeInBytes = N * sizeof(float);
  plain.resType = layered.resType = cudaResourceTypeArray;
  CK(cudaMallocArray(&plain.res.array.array, &format, SIDE, SIDE, cudaArraySurfaceLoadStore));
  CK(cudaMemcpy2DToArray(plain.res.array.array, 0, 0, linear, SIDE * 4, SIDE * 4, SIDE, cudaMemcpyDeviceToDevice));
  CK(cudaMalloc3DArray(&layered.res.array.array, &format, make_cudaExtent(SIDE, SIDE, LAYERS), cudaArrayLayered));
  how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
  CK(cudaCreateTextureObject(&of_memory, &flat, &how, nullptr));
  CK(cudaCreateTextureObject(&of_array, &plain, &how, nullptr));
  CK(cudaCreateTextureObject(&of_layers, &layered, &how, nullptr));
  how.filterMode = cudaFilterModeLinear;
  CK(cudaCreateTextureObject(&of_array_linear, &plain, &how, nullptr));
  CK(cudaCreateSurfaceObject(&surface, &plain));
  if (want("tex_1d_fetch normal")) RUN(tex_1d_fetch<<<BLOCKS, THREADS>>>(of_memory, z));
  if (want("tex_2d normal")) RUN(tex_2d<<<BLOCKS, THREADS>>>(of_array, z));
  if (want("tex_2d_linear normal")) RUN(tex_2d<<<BLOCKS, THREADS>>>(of_array_linear, z));
  if (want("tex_2d_layered normal")) RUN(tex_2d_layered<<<BLOCKS, THREADS>>>(of_layers, z));
  if (want("surf_2d_read normal")) RUN(surf_2d_read<<<BLOCKS, THREADS>>>(surface, z));
  if (want("surf_2d_write normal")) RUN(surf_2d_write<<<BLOCKS, THREADS>>>(surface, z));
}
#endif

int main(int argc, char **argv)
{
  init(argc, argv);
#if WANTED(1)
  MATH(LAUNCH, f32)
#endif
#if WANTED(2)
  MATH(LAUNCH, f64)
#endif
#if WANTED(3)
  INTRINSICS(LAUNCH)
#endif
#if WANTED(4)
  HALF(LAUNCH, f16)
  HALF(LAUNCH, bf16)
  HALF2(LAUNCH, f16x2)
  HALF2(LAUNCH, bf16x2)
#endif
#if WANTED(5)
  INTEGER(LAUNCH, i32)
  INTEGER(LAUNCH, u32)
  INTEGER(LAUNCH, i64)
  INTEGER(LAUNCH, u64)
  SIGNED(LAUNCH, i32)
  SIGNED(LAUNCH, i64)
  WIDE(LAUNCH, i64)
  WIDE(LAUNCH, u64)
  BITS(LAUNCH)
#endif
#if WANTED(6)
  CONVERT(LAUNCH, i8, )
  CONVERT(LAUNCH, u8, )
  CONVERT(LAUNCH, i16, )
  CONVERT(LAUNCH, u16, )
  CONVERT(LAUNCH, i32, )
  CONVERT(LAUNCH, u32, )
  CONVERT(LAUNCH, i64, )
  CONVERT(LAUNCH, u64, )
  CONVERT(LAUNCH, f32, )
  CONVERT(LAUNCH, f64, )
  CONVERT(LAUNCH, f16, )
  CONVERT(LAUNCH, bf16, )
  ROUNDED(LAUNCH)
#endif
#if WANTED(7)
  ATOMICS(ATOMIC)
#endif
#if WANTED(8)
  if (want("empty normal")) RUN(empty<<<BLOCKS, THREADS>>>());
  WARPS(LAUNCH)
  CLOCKS(LAUNCH)
  textures();
#endif
  return finish();
}
