// What integer operations become: division and remainder of 16, 32 and 64 bits by variables and constants, products,
// bits, conversions from integers. 16-bit division goes through single precision, so it counts multiplications.
#include "harness.h"

enum { N = 256 };
typedef short s16;
typedef unsigned short u16;
typedef int s32;
typedef unsigned u32;
typedef long long s64;
typedef unsigned long long u64;

#define DIVISIONS(X, T)                                                                                \
  X(T, div, a / b)                                                                                     \
  X(T, rem, a % b)                                                                                     \
  X(T, div_rem, (T)(a / b + a % b))                                                                    \
  X(T, div_3, a / (T)3)                                                                                \
  X(T, div_10, a / (T)10)                                                                              \
  X(T, div_641, a / (T)641)                                                                            \
  X(T, div_16, a / (T)16)                                                                              \
  X(T, rem_7, a % (T)7)                                                                                \
  X(T, rem_1000, a % (T)1000)                                                                          \
  X(T, rem_64, a % (T)64)
#define OTHERS(X)                                                                                      \
  X(u32, small_div, (a & 1023) / ((b & 31) + 1))                                                       \
  X(u32, small_rem, (a & 255) % ((b & 15) + 1))                                                        \
  X(s32, mul, (u32)a *b)                                                                               \
  X(s64, mul, (u64)a *b)                                                                               \
  X(s32, mul_high, high(a, b))                                                                         \
  X(u64, mul_high, high(a, b))                                                                         \
  X(s32, mul_wide, (s32)((s64)a * b >> 7))                                                             \
  X(s32, min_max, less(a, b) * 3u + more(a, b))                                                         \
  X(s32, shift, ((u32)a << (b & 7)) ^ (a >> (b & 15)))                                                 \
  X(u64, shift, (a << (b & 7)) ^ (a >> (b & 15)))                                                      \
  X(u32, popc, ones(a) + ones(b))                                                                      \
  X(u64, popc, ones(a) + ones(b))                                                                      \
  X(s32, to_float, (s32)((float)(a & 4095) * 0.5f))                                                    \
  X(u32, to_float, (u32)((float)(a & 4095) * 0.5f))                                                    \
  X(s64, to_float, (s64)((float)(a & 4095) * 0.5f))                                                    \
  X(u16, to_float, (u16)((float)(a & 4095) * 0.5f))                                                    \
  X(s32, to_double, (s32)((double)a * 0.5))                                                            \
  X(s64, to_double, (s64)((double)(a & 0xffffffff) * 0.5))

// The device's instructions, and the same on the host.
#ifdef __CUDA_ARCH__
#define EITHER(device, host) device
#else
#define EITHER(device, host) host
#endif
#define BOTH static __host__ __device__ inline
BOTH s32 high(s32 a, s32 b) { return EITHER(__mulhi(a, b), (s32)((s64)a * b >> 32)); }
BOTH u64 high(u64 a, u64 b) { return EITHER(__umul64hi(a, b), (u64)((unsigned __int128)a * b >> 64)); }
BOTH int ones(u32 a) { return EITHER(__popc(a), __builtin_popcount(a)); }
BOTH int ones(u64 a) { return EITHER(__popcll(a), __builtin_popcountll(a)); }
BOTH s32 less(s32 a, s32 b) { return EITHER(min(a, b), std::min(a, b)); }
BOTH s32 more(s32 a, s32 b) { return EITHER(max(a, b), std::max(a, b)); }

#define KERNEL(T, name, expression)                                                                    \
  __global__ void T##_##name(const T *x, const T *y, T *out)                                           \
  {                                                                                                    \
    int i = blockIdx.x * blockDim.x + threadIdx.x;                                                     \
    T a = x[i], b = y[i];                                                                              \
    (void)b;                                                                                           \
    out[i] = (T)(expression);                                                                          \
  }
DIVISIONS(KERNEL, s16) DIVISIONS(KERNEL, u16) DIVISIONS(KERNEL, s32)
DIVISIONS(KERNEL, u32) DIVISIONS(KERNEL, s64) DIVISIONS(KERNEL, u64)
OTHERS(KERNEL)
__global__ void u64_div_small(const u64 *x, const u64 *y, u64 *out)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = x[i] / y[i];
}

template <class T> static void numbers(std::vector<T> &x, std::vector<T> &y)
{
  for (int i = 0; i < N; i++) {
    x[i] = (T)((u64)rnd() << 32 | rnd());
    y[i] = (T)((u64)rnd() << 32 | rnd());
    if (sizeof(T) == 8) y[i] |= (T)1 << 40; // so that no quotient of 64 bits takes the way of 32
    if (!y[i]) y[i] = 3;
    if ((T)-1 < (T)0 && x[i] == (T)((T)1 << (8 * sizeof(T) - 1))) x[i] = 5;
    if ((T)-1 < (T)0 && y[i] == (T)-1) y[i] = 3;
  }
}

int main(int argc, char **argv)
{
  init(argc, argv);
#define LAUNCH(T, name, expression)                                                                    \
  if (want(#T "_" #name)) {                                                                            \
    std::vector<T> x(N), y(N), ref(N);                                                                 \
    numbers(x, y);                                                                                     \
    for (int i = 0; i < N; i++) {                                                                      \
      T a = x[i], b = y[i];                                                                            \
      (void)b;                                                                                         \
      ref[i] = (T)(expression);                                                                        \
    }                                                                                                  \
    T *dx = sent(x), *dy = sent(y), *out = blank<T>(N);                                                \
    RUN(T##_##name<<<N / 64, 64>>>(dx, dy, out));                                                      \
    verdict(back(out, N) == ref);                                                                      \
  }
  DIVISIONS(LAUNCH, s16) DIVISIONS(LAUNCH, u16) DIVISIONS(LAUNCH, s32)
  DIVISIONS(LAUNCH, u32) DIVISIONS(LAUNCH, s64) DIVISIONS(LAUNCH, u64)
  OTHERS(LAUNCH)
  if (want("u64_div_small")) { // both operands fit 32 bits: the compilers branch to the short division
    std::vector<u64> x(N), y(N), ref(N);
    for (int i = 0; i < N; i++) x[i] = rnd(), y[i] = rnd() % 1000 + 1, ref[i] = x[i] / y[i];
    u64 *dx = sent(x), *dy = sent(y), *out = blank<u64>(N);
    RUN(u64_div_small<<<N / 64, 64>>>(dx, dy, out));
    verdict(back(out, N) == ref);
  }
  return finish();
}
