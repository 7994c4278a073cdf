// The words that the programs of tests/opinion are written in: types, and functions that mean on the device what CUDA's
// function or conversion does, and on the host what the documents say it does (CUDA Math API; PTX ISA, "cvt" and "prmt"),
// written down here once more and without Heddle's headers. Every word is defined for all arguments.
//
//   WORD(result, name, (parameters), on the device, on the host)
//
// NaN: which one an operation gives is left open by both sides, so bits() and keep() let only one be seen, and the words that
// would show a NaN's sign (copysign, signbit) do not.
#ifndef OPINION_WORDS_H
#define OPINION_WORDS_H

#include <cfenv>
#include <cmath>
#include <cstring>

#if defined(__CUDACC__)
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#define HD static __host__ __device__ inline
#define NOINLINE static __host__ __device__ __attribute__((noinline))
#else
#define HD static inline
#define NOINLINE static __attribute__((noinline))
#endif
#if defined(__CUDA_ARCH__)
#define WORD(result, name, parameters, device, ...) HD result name parameters { return device; }
#define TABLE(type, name, n) static __constant__ const type name[n]
#else
#define WORD(result, name, parameters, device, ...) HD result name parameters { return __VA_ARGS__; }
#define TABLE(type, name, n) static const type name[n]
#endif

typedef signed char i8;
typedef unsigned char u8;
typedef short i16;
typedef unsigned short u16;
typedef int i32;
typedef unsigned int u32;
typedef long long i64;
typedef unsigned long long u64;
typedef float f32;
typedef double f64;
#if defined(__CUDA_ARCH__)
typedef __half f16;
typedef __nv_bfloat16 b16;
#else
struct alignas(2) f16 { u16 x; };
struct alignas(2) b16 { u16 x; };
#endif

// ---- the host's arithmetic with a direction: 'n' nearest even, 'z' towards zero, 'u' up, 'd' down ----
#if !defined(__CUDA_ARCH__)
static inline int mode_of(char mode)
{
    return mode == 'n' ? FE_TONEAREST : mode == 'z' ? FE_TOWARDZERO : mode == 'u' ? FE_UPWARD : FE_DOWNWARD;
}
// One operation between two volatile accesses, so that no compiler moves or folds it.
#define DIRECTED(name, T, operation)                                                              \
    static __attribute__((noinline)) T name(char mode, T a_, T b_, T c_)                          \
    {                                                                                             \
        volatile T a = a_, b = b_, c = c_;                                                        \
        fesetround(mode_of(mode));                                                                \
        volatile T r = operation;                                                                 \
        fesetround(FE_TONEAREST);                                                                 \
        (void)b, (void)c;                                                                         \
        return r;                                                                                 \
    }
DIRECTED(host_add_f32, f32, a + b)
DIRECTED(host_sub_f32, f32, a - b)
DIRECTED(host_mul_f32, f32, a * b)
DIRECTED(host_div_f32, f32, a / b)
DIRECTED(host_fma_f32, f32, fmaf(a, b, c))
DIRECTED(host_sqrt_f32, f32, sqrtf(a))
DIRECTED(host_add_f64, f64, a + b)
DIRECTED(host_sub_f64, f64, a - b)
DIRECTED(host_mul_f64, f64, a * b)
DIRECTED(host_div_f64, f64, a / b)
DIRECTED(host_fma_f64, f64, fma(a, b, c))
DIRECTED(host_sqrt_f64, f64, sqrt(a))
// A value that long double has exactly, as T.
template <class T> static __attribute__((noinline)) T host_float(char mode, long double v_)
{
    volatile long double v = v_;
    fesetround(mode_of(mode));
    volatile T r = (T)v;
    fesetround(FE_TONEAREST);
    return r;
}

static inline long double host_whole(char mode, long double v)
{
    return mode == 'n' ? nearbyintl(v) : mode == 'z' ? truncl(v) : mode == 'u' ? ceill(v) : floorl(v);
}
// PTX ISA, cvt: too large or too small gives the nearest there is; NaN gives zero, or, from .f64 or to 64 bits, the highest bit.
template <class I> static I host_int(char mode, long double v, bool from_f64)
{
    const bool negative = (I)-1 < 0;
    const int width = 8 * sizeof(I);
    const I lowest = negative ? (I)((u64)1 << (width - 1)) : 0, highest = (I)~lowest;
    if (v != v)
        return from_f64 || width == 64 ? (I)((u64)1 << (width - 1)) : 0;
    v = host_whole(mode, v);
    return v <= (long double)lowest ? lowest : v >= (long double)highest ? highest : (I)v;
}

// The format with `digits` binary digits (the hidden one counted) whose smallest number is 2^low and whose largest finite
// number is `most`: sign and magnitude in 16 bits.
static u16 host_narrow(char mode, long double v, int digits, int low, long double most)
{
    const u16 infinite = digits == 11 ? 0x7c00 : 0x7f80, sign = std::signbit(v) ? 0x8000 : 0;
    if (v != v)
        return 0x7fff;
    if (std::isinf(v))
        return sign | infinite;
    if (v == 0)
        return sign;
    int exponent = ilogbl(v) - (digits - 1);
    if (exponent < low)
        exponent = low;
    v = fabsl(ldexpl(host_whole(mode, ldexpl(v, -exponent)), exponent));
    if (v > most)
        return sign | (mode == 'n' || (mode == 'u' && !sign) || (mode == 'd' && sign) ? infinite : infinite - 1);
    if (v == 0)
        return sign;
    exponent = ilogbl(v) - (digits - 1);
    if (exponent < low)
        exponent = low;
    // a subnormal has no hidden digit: its steps are counted from zero, as are the next exponent's
    return sign | (u16)(((u32)(exponent - low) << (digits - 1)) + (u32)ldexpl(v, -exponent));
}
static inline u16 host_f16(char mode, long double v) { return host_narrow(mode, v, 11, -24, 65504.0L); }
static inline u16 host_b16(char mode, long double v) { return host_narrow(mode, v, 8, -133, 0x1.fep127L); }
static f64 host_wide(u16 h, int digits, int low)
{
    const u32 field = (h & 0x7fffu) >> (digits - 1), fraction = h & ((1u << (digits - 1)) - 1);
    f64 v;
    if (field == (digits == 11 ? 31u : 255u))
        v = fraction ? NAN : INFINITY;
    else
        v = field ? ldexp((f64)(fraction | 1u << (digits - 1)), (int)field - 1 + low) : ldexp((f64)fraction, low);
    return h & 0x8000 ? -v : v;
}
static inline f64 wide(f16 h) { return host_wide(h.x, 11, -24); }
static inline f64 wide(b16 h) { return host_wide(h.x, 8, -133); }
static inline f16 make_f16(u16 x) { f16 h; h.x = x; return h; }
static inline b16 make_b16(u16 x) { b16 h; h.x = x; return h; }
// a * b + c of short numbers: the product is exact; the sum goes to the odd neighbour where it is not (so that rounding it once
// more rounds rightly: it has more than two digits to spare).
static f64 host_fma_odd(f64 a, f64 b, f64 c)
{
    const f64 p = a * b, s = p + c;
    if (s != s || std::isinf(s))
        return s;
    const f64 back = s - p, error = (p - (s - back)) + (c - back);
    u64 u;
    memcpy(&u, &s, 8);
    return error != 0 && !(u & 1) ? nextafter(s, error > 0 ? INFINITY : -INFINITY) : s;
}
#endif

// ---- the bits of a number, of every NaN the same ----
HD u32 raw(f32 f) { u32 u; memcpy(&u, &f, 4); return u; }
HD u64 raw(f64 f) { u64 u; memcpy(&u, &f, 8); return u; }
WORD(f32, f32_of, (u32 u), __uint_as_float(u), [&] { f32 f; memcpy(&f, &u, 4); return f; }())
WORD(f64, f64_of, (u64 u), __longlong_as_double((i64)u), [&] { f64 f; memcpy(&f, &u, 8); return f; }())
WORD(f16, f16_of, (u16 u), __ushort_as_half(u), make_f16(u))
WORD(b16, b16_of, (u16 u), __ushort_as_bfloat16(u), make_b16(u))
WORD(u16, raw, (f16 h), __half_as_ushort(h), h.x)
WORD(u16, raw, (b16 h), __bfloat16_as_ushort(h), h.x)
HD u32 bits(f32 f) { return f != f ? 0x7fc00000u : raw(f); }
HD u64 bits(f64 f) { return f != f ? 0x7ff8000000000000ull : raw(f); }
HD u16 bits(f16 h) { const u16 u = raw(h); return (u & 0x7fff) > 0x7c00 ? (u16)0x7fff : u; }
HD u16 bits(b16 h) { const u16 u = raw(h); return (u & 0x7fff) > 0x7f80 ? (u16)0x7fff : u; }
HD f32 keep(f32 f) { return f != f ? f32_of(0x7fc00000u) : f; }
HD f64 keep(f64 f) { return f != f ? f64_of(0x7ff8000000000000ull) : f; }
HD f16 keep(f16 h) { return f16_of(bits(h)); }
HD b16 keep(b16 h) { return b16_of(bits(h)); }
HD i8 keep(i8 v) { return v; }
HD u8 keep(u8 v) { return v; }
HD i16 keep(i16 v) { return v; }
HD u16 keep(u16 v) { return v; }
HD i32 keep(i32 v) { return v; }
#if defined(PLANTED_BIT) && defined(__CUDA_ARCH__) // a fault that selftest.py wants to be found
HD u32 keep(u32 v) { return v ^ 1; }
#elif defined(PLANTED_TRAP) && defined(__CUDA_ARCH__) // another one: the program does not come to its end
HD u32 keep(u32 v)
{
    asm volatile("trap;");
    return v;
}
#else
HD u32 keep(u32 v) { return v; }
#endif
HD i64 keep(i64 v) { return v; }
HD u64 keep(u64 v) { return v; }

// ---- plain C that is the same on both sides ----
template <class T> HD bool divides(T a, T b) { return b != 0 && !((T)-1 < 0 && b == (T)-1 && a == (T)((u64)1 << (8 * sizeof(T) - 1))); }
template <class T> HD T quot(T a, T b) { return divides(a, b) ? (T)(a / b) : a; }
template <class T> HD T rest(T a, T b) { return divides(a, b) ? (T)(a % b) : b; }
template <class T, class F> HD T cut(F f) // a conversion in C, where it is defined
{
    const f64 half = (f64)((u64)1 << (8 * sizeof(T) - 1)), low = (T)-1 < 0 ? -half : 0, high = (T)-1 < 0 ? half : 2 * half;
    return f >= (F)low && f < (F)high ? (T)f : (T)77;
}
template <class T> HD T least(T a, T b) { return b < a ? b : a; }
template <class T> HD T most(T a, T b) { return a < b ? b : a; }
HD i32 magnitude(i32 a) { return a < 0 ? (i32)(0 - (u32)a) : a; }
HD i64 magnitude(i64 a) { return a < 0 ? (i64)(0 - (u64)a) : a; }
HD u32 rotl(u32 a, u32 n) { return a << (n & 31) | a >> (-n & 31); }
HD u64 rotr(u64 a, u32 n) { return a >> (n & 63) | a << (-n & 63); }
HD u64 wide_mul(u32 a, u32 b) { return (u64)a * b; }
HD i64 wide_mul_s(i32 a, i32 b) { return (i64)a * b; }
HD bool is_nan(f32 f) { return f != f; }
HD bool is_nan(f64 f) { return f != f; }

// ---- integers ----
WORD(i32, clz, (u32 a), __clz((i32)a), a ? __builtin_clz(a) : 32)
WORD(i32, clz64, (u64 a), __clzll((i64)a), a ? __builtin_clzll(a) : 64)
WORD(i32, popc, (u32 a), __popc(a), __builtin_popcount(a))
WORD(i32, popc64, (u64 a), __popcll(a), __builtin_popcountll(a))
WORD(i32, ffs1, (u32 a), __ffs((i32)a), a ? __builtin_ctz(a) + 1 : 0)
WORD(i32, ffs64, (u64 a), __ffsll((i64)a), a ? __builtin_ctzll(a) + 1 : 0)
#if !defined(__CUDA_ARCH__)
static u64 host_reverse(u64 a, int width)
{
    u64 r = 0;
    for (int i = 0; i < width; i++)
        r |= (a >> i & 1) << (width - 1 - i);
    return r;
}
static u32 host_perm(u32 a, u32 b, u32 s) // CUDA Math API: the three low bits of each nibble select
{
    const u64 bytes = (u64)b << 32 | a;
    u32 r = 0;
    for (int i = 0; i < 4; i++)
        r |= (u32)(bytes >> 8 * (s >> 4 * i & 7) & 255) << 8 * i;
    return r;
}
#define FUNNEL(hi, lo) ((u64)(hi) << 32 | (lo))
static inline u32 least32(u32 n) { return n < 32 ? n : 32; }
// f(lane of a, lane of b) for each of the lanes of `width` bits
template <class F> static u32 host_lanes(int width, bool negative, u32 a, u32 b, F f)
{
    u32 r = 0;
    const u32 mask = width == 8 ? 255 : 65535;
    for (int i = 0; i < 32; i += width) {
        const u32 x = a >> i & mask, y = b >> i & mask;
        const i64 p = !negative ? (i64)x : width == 8 ? (i64)(i8)x : (i64)(i16)x;
        const i64 q = !negative ? (i64)y : width == 8 ? (i64)(i8)y : (i64)(i16)y;
        r |= ((u32)f(p, q) & mask) << i;
    }
    return r;
}
static inline i64 clamp(i64 v, i64 low, i64 high) { return v < low ? low : v > high ? high : v; }
template <class A, class B> static i32 host_dot(i32 n, A a, B b, u32 c) // the sum of n products of bytes or halfwords
{
    u32 r = c;
    for (i32 i = 0; i < n; i++)
        r += (u32)((i32)a[i] * (i32)b[i]);
    return (i32)r;
}
template <class T> struct parts {
    T v[4];
    parts(u32 w, int n) { for (int i = 0; i < n; i++) v[i] = (T)(w >> i * 8 * sizeof(T)); }
};
#endif
WORD(u32, brev, (u32 a), __brev(a), (u32)host_reverse(a, 32))
WORD(u64, brev64, (u64 a), __brevll(a), host_reverse(a, 64))
WORD(u32, byte_perm, (u32 a, u32 b, u32 s), __byte_perm(a, b, s), host_perm(a, b, s))
WORD(u32, funnel_l, (u32 lo, u32 hi, u32 n), __funnelshift_l(lo, hi, n), (u32)(FUNNEL(hi, lo) << (n & 31) >> 32))
WORD(u32, funnel_r, (u32 lo, u32 hi, u32 n), __funnelshift_r(lo, hi, n), (u32)(FUNNEL(hi, lo) >> (n & 31)))
WORD(u32, funnel_lc, (u32 lo, u32 hi, u32 n), __funnelshift_lc(lo, hi, n), (u32)(FUNNEL(hi, lo) << least32(n) >> 32))
WORD(u32, funnel_rc, (u32 lo, u32 hi, u32 n), __funnelshift_rc(lo, hi, n), (u32)(FUNNEL(hi, lo) >> least32(n)))
WORD(i32, mul24, (i32 a, i32 b), __mul24(a, b), (i32)((u32)((i32)((u32)a << 8) >> 8) * (u32)((i32)((u32)b << 8) >> 8)))
WORD(u32, umul24, (u32 a, u32 b), __umul24(a, b), (a & 0xffffff) * (b & 0xffffff))
WORD(i32, mulhi, (i32 a, i32 b), __mulhi(a, b), (i32)((i64)a * b >> 32))
WORD(u32, umulhi, (u32 a, u32 b), __umulhi(a, b), (u32)((u64)a * b >> 32))
WORD(i64, mul64hi, (i64 a, i64 b), __mul64hi(a, b), (i64)((__int128)a * b >> 64))
WORD(u64, umul64hi, (u64 a, u64 b), __umul64hi(a, b), (u64)((unsigned __int128)a * b >> 64))
WORD(u32, sad, (i32 a, i32 b, u32 c), __sad(a, b, c), (a < b ? (u32)b - (u32)a : (u32)a - (u32)b) + c)
WORD(u32, usad, (u32 a, u32 b, u32 c), __usad(a, b, c), (a < b ? b - a : a - b) + c)
WORD(i32, half_add, (i32 a, i32 b), __hadd(a, b), (i32)(((i64)a + b) >> 1))
WORD(i32, rhalf_add, (i32 a, i32 b), __rhadd(a, b), (i32)(((i64)a + b + 1) >> 1))
WORD(u32, uhalf_add, (u32 a, u32 b), __uhadd(a, b), (u32)(((u64)a + b) >> 1))
WORD(u32, urhalf_add, (u32 a, u32 b), __urhadd(a, b), (u32)(((u64)a + b + 1) >> 1))
WORD(i32, min_i32, (i32 a, i32 b), min(a, b), a < b ? a : b)
WORD(u32, max_u32, (u32 a, u32 b), max(a, b), a < b ? b : a)
WORD(i64, max_i64, (i64 a, i64 b), max(a, b), a < b ? b : a)
WORD(u64, min_u64, (u64 a, u64 b), min(a, b), a < b ? a : b)
WORD(i32, dot4, (i32 a, i32 b, i32 c), __dp4a(a, b, c), host_dot(4, parts<i8>((u32)a, 4).v, parts<i8>((u32)b, 4).v, (u32)c))
WORD(u32, udot4, (u32 a, u32 b, u32 c), __dp4a(a, b, c), (u32)host_dot(4, parts<u8>(a, 4).v, parts<u8>(b, 4).v, c))
WORD(i32, dot2_lo, (i32 a, i32 b, i32 c), __dp2a_lo(a, b, c), host_dot(2, parts<i16>((u32)a, 2).v, parts<i8>((u32)b, 4).v, (u32)c))
WORD(u32, udot2_hi, (u32 a, u32 b, u32 c), __dp2a_hi(a, b, c), (u32)host_dot(2, parts<u16>(a, 2).v, parts<u8>(b, 4).v + 2, c))
#define LANES(width, negative, expression) host_lanes(width, negative, a, b, [](i64 x, i64 y) { (void)y; return expression; })
WORD(u32, vadd4, (u32 a, u32 b), __vadd4(a, b), LANES(8, false, x + y))
WORD(u32, vsub2, (u32 a, u32 b), __vsub2(a, b), LANES(16, false, x - y))
WORD(u32, vaddss4, (u32 a, u32 b), __vaddss4(a, b), LANES(8, true, clamp(x + y, -128, 127)))
WORD(u32, vsubus4, (u32 a, u32 b), __vsubus4(a, b), LANES(8, false, clamp(x - y, 0, 255)))
WORD(u32, vsubss2, (u32 a, u32 b), __vsubss2(a, b), LANES(16, true, clamp(x - y, -32768, 32767)))
WORD(u32, vaddus2, (u32 a, u32 b), __vaddus2(a, b), LANES(16, false, clamp(x + y, 0, 65535)))
WORD(u32, vabsdiffu4, (u32 a, u32 b), __vabsdiffu4(a, b), LANES(8, false, x < y ? y - x : x - y))
WORD(u32, vabsdiffs2, (u32 a, u32 b), __vabsdiffs2(a, b), LANES(16, true, x < y ? y - x : x - y))
WORD(u32, vavgu4, (u32 a, u32 b), __vavgu4(a, b), LANES(8, false, (x + y + 1) >> 1))
WORD(u32, vmaxs4, (u32 a, u32 b), __vmaxs4(a, b), LANES(8, true, x < y ? y : x))
WORD(u32, vminu2, (u32 a, u32 b), __vminu2(a, b), LANES(16, false, x < y ? x : y))
WORD(u32, vcmpgts4, (u32 a, u32 b), __vcmpgts4(a, b), LANES(8, true, x > y ? -1 : 0))
WORD(u32, vcmpleu2, (u32 a, u32 b), __vcmpleu2(a, b), LANES(16, false, x <= y ? -1 : 0))
WORD(u32, vseteq4, (u32 a, u32 b), __vseteq4(a, b), LANES(8, false, x == y))
WORD(u32, vsetltu2, (u32 a, u32 b), __vsetltu2(a, b), LANES(16, false, x < y))
WORD(u32, vabsss4, (u32 a), __vabsss4(a), host_lanes(8, true, a, 0, [](i64 x, i64) { return x == -128 ? (i64)127 : x < 0 ? -x : x; }))
WORD(u32, vneg2, (u32 a), __vneg2(a), host_lanes(16, true, a, 0, [](i64 x, i64) { return -x; }))
WORD(i32, max3, (i32 a, i32 b, i32 c), __vimax3_s32(a, b, c), a < b ? (b < c ? c : b) : (a < c ? c : a))
WORD(u32, min3, (u32 a, u32 b, u32 c), __vimin3_u32(a, b, c), a < b ? (c < a ? c : a) : (c < b ? c : b))
WORD(i32, max_relu, (i32 a, i32 b), __vimax_s32_relu(a, b), a < b ? (b < 0 ? 0 : b) : (a < 0 ? 0 : a))

// ---- floats: exact functions, and one operation rounded each way ----
#define FLOATS(T, F, I, D, suffix)                                                                                      \
    WORD(T, min_##suffix, (T a, T b), fmin##F(a, b), a != a ? b : b != b ? a : a < b || (a == b && std::signbit(a)) ? a : b)  \
    WORD(T, max_##suffix, (T a, T b), fmax##F(a, b), a != a ? b : b != b ? a : a > b || (a == b && !std::signbit(a)) ? a : b) \
    WORD(T, floor_##suffix, (T a), floor##F(a), (T)floorl(a))                                                           \
    WORD(T, ceil_##suffix, (T a), ceil##F(a), (T)ceill(a))                                                              \
    WORD(T, trunc_##suffix, (T a), trunc##F(a), (T)truncl(a))                                                           \
    WORD(T, rint_##suffix, (T a), rint##F(a), (T)nearbyintl(a))                                                         \
    WORD(T, round_##suffix, (T a), round##F(a), (T)roundl(a))                                                           \
    WORD(T, abs_##suffix, (T a), fabs##F(a), a < 0 || (a == 0 && std::signbit(a)) ? -a : a)                             \
    WORD(T, sqrt_##suffix, (T a), sqrt##F(a), sqrt##F(a))                                                               \
    WORD(T, fma_##suffix, (T a, T b, T c), fma##F(a, b, c), fma##F(a, b, c))                                            \
    WORD(T, fmod_##suffix, (T a, T b), fmod##F(a, b), fmod##F(a, b))                                                    \
    WORD(T, remainder_##suffix, (T a, T b), remainder##F(a, b), remainder##F(a, b))                                     \
    WORD(T, fdim_##suffix, (T a, T b), fdim##F(a, b), a != a || b != b ? a + b : a > b ? a - b : (T)0)                  \
    WORD(T, logb_##suffix, (T a), logb##F(a), logb##F(a))                                                               \
    WORD(i32, ilogb_##suffix, (T a), ilogb##F(a), a == 0 || a != a ? (i32)0x80000000u : std::isinf(a) ? 0x7fffffff : (i32)logb(a)) \
    WORD(T, next_##suffix, (T a, T b), nextafter##F(a, b), nextafter##F(a, b))                                          \
    WORD(T, ldexp_##suffix, (T a, i32 n), ldexp##F(a, n), (T)ldexpl(a, (int)clamp(n, -5000, 5000)))                     \
    HD T sign_##suffix(T a, T b) { return b != b ? a : copysign##F(a, b); }                                             \
    HD bool minus_##suffix(T a) { return a == a && signbit(a); }                                                        \
    HD T fraction_##suffix(T a) { int e; return a - a == 0 ? frexp##F(a, &e) : a; }                                     \
    HD i32 exponent_##suffix(T a) { int e = 7; if (a - a == 0) (void)frexp##F(a, &e); return e; }                       \
    HD T whole_##suffix(T a) { T w; const T part = modf##F(a, &w); return part + w; }
using std::signbit;
FLOATS(f32, f, u32, f, f32)
FLOATS(f64, , u64, d, f64)
WORD(f32, saturate, (f32 a), __saturatef(a), a > 0 ? (a < 1 ? a : 1) : 0)

#define WAYS(X, ...) X(rn, 'n', __VA_ARGS__) X(rz, 'z', __VA_ARGS__) X(ru, 'u', __VA_ARGS__) X(rd, 'd', __VA_ARGS__)
#define ROUNDED(way, mode, T, D)                                                                                        \
    WORD(T, T##_add_##way, (T a, T b), __##D##add_##way(a, b), host_add_##T(mode, a, b, 0))                             \
    WORD(T, T##_sub_##way, (T a, T b), __##D##sub_##way(a, b), host_sub_##T(mode, a, b, 0))                             \
    WORD(T, T##_mul_##way, (T a, T b), __##D##mul_##way(a, b), host_mul_##T(mode, a, b, 0))                             \
    WORD(T, T##_div_##way, (T a, T b), __##D##div_##way(a, b), host_div_##T(mode, a, b, 0))                             \
    WORD(T, T##_rcp_##way, (T a), __##D##rcp_##way(a), host_div_##T(mode, 1, a, 0))                                     \
    WORD(T, T##_sqrt_##way, (T a), __##D##sqrt_##way(a), host_sqrt_##T(mode, a, 0, 0))
WAYS(ROUNDED, f32, f)
WAYS(ROUNDED, f64, d)
#define FUSED(way, mode, ...)                                                                                           \
    WORD(f32, f32_fma_##way, (f32 a, f32 b, f32 c), __fmaf_##way(a, b, c), host_fma_f32(mode, a, b, c))                 \
    WORD(f64, f64_fma_##way, (f64 a, f64 b, f64 c), __fma_##way(a, b, c), host_fma_f64(mode, a, b, c))
WAYS(FUSED, 0)

// ---- conversions between numbers, every one that CUDA names, rounded each way ----
#define TO_INT(way, mode, F, I, cuda) WORD(I, F##_##I##_##way, (F a), cuda##_##way(a), host_int<I>(mode, a, sizeof(F) == 8))
WAYS(TO_INT, f32, i32, __float2int)
WAYS(TO_INT, f32, u32, __float2uint)
WAYS(TO_INT, f32, i64, __float2ll)
WAYS(TO_INT, f32, u64, __float2ull)
WAYS(TO_INT, f64, i32, __double2int)
WAYS(TO_INT, f64, u32, __double2uint)
WAYS(TO_INT, f64, i64, __double2ll)
WAYS(TO_INT, f64, u64, __double2ull)
#define TO_FLOAT(way, mode, F, I, cuda) WORD(F, I##_##F##_##way, (I a), cuda##_##way(a), host_float<F>(mode, a))
WAYS(TO_FLOAT, f32, i32, __int2float)
WAYS(TO_FLOAT, f32, u32, __uint2float)
WAYS(TO_FLOAT, f32, i64, __ll2float)
WAYS(TO_FLOAT, f32, u64, __ull2float)
WAYS(TO_FLOAT, f64, i64, __ll2double)
WAYS(TO_FLOAT, f64, u64, __ull2double)
WAYS(TO_FLOAT, f32, f64, __double2float)
WORD(f64, i32_f64_rn, (i32 a), __int2double_rn(a), (f64)a)
WORD(f64, u32_f64_rn, (u32 a), __uint2double_rn(a), (f64)a)

#define SHORT_TO_INT(way, mode, H, I, cuda) WORD(I, H##_##I##_##way, (H a), cuda##_##way(a), host_int<I>(mode, wide(a), false))
WAYS(SHORT_TO_INT, f16, i16, __half2short)
WAYS(SHORT_TO_INT, f16, u16, __half2ushort)
WAYS(SHORT_TO_INT, f16, i32, __half2int)
WAYS(SHORT_TO_INT, f16, u32, __half2uint)
WAYS(SHORT_TO_INT, f16, i64, __half2ll)
WAYS(SHORT_TO_INT, f16, u64, __half2ull)
WAYS(SHORT_TO_INT, b16, i16, __bfloat162short)
WAYS(SHORT_TO_INT, b16, u16, __bfloat162ushort)
WAYS(SHORT_TO_INT, b16, i32, __bfloat162int)
WAYS(SHORT_TO_INT, b16, u32, __bfloat162uint)
WAYS(SHORT_TO_INT, b16, i64, __bfloat162ll)
WAYS(SHORT_TO_INT, b16, u64, __bfloat162ull)
#define SHORT_OF(way, mode, H, I, cuda) WORD(H, I##_##H##_##way, (I a), cuda##_##way(a), make_##H(host_##H(mode, (long double)a)))
WAYS(SHORT_OF, f16, i16, __short2half)
WAYS(SHORT_OF, f16, u16, __ushort2half)
WAYS(SHORT_OF, f16, i32, __int2half)
WAYS(SHORT_OF, f16, u32, __uint2half)
WAYS(SHORT_OF, f16, i64, __ll2half)
WAYS(SHORT_OF, f16, u64, __ull2half)
WAYS(SHORT_OF, f16, f32, __float2half)
WAYS(SHORT_OF, b16, i16, __short2bfloat16)
WAYS(SHORT_OF, b16, u16, __ushort2bfloat16)
WAYS(SHORT_OF, b16, i32, __int2bfloat16)
WAYS(SHORT_OF, b16, u32, __uint2bfloat16)
WAYS(SHORT_OF, b16, i64, __ll2bfloat16)
WAYS(SHORT_OF, b16, u64, __ull2bfloat16)
WAYS(SHORT_OF, b16, f32, __float2bfloat16)
WORD(f16, f64_f16, (f64 a), __double2half(a), make_f16(host_f16('n', a)))
WORD(b16, f64_b16, (f64 a), __double2bfloat16(a), make_b16(host_b16('n', a)))
WORD(f32, widen, (f16 a), __half2float(a), (f32)wide(a))
WORD(f32, widen, (b16 a), __bfloat162float(a), (f32)wide(a))

// ---- half and bfloat16 ----
#if !defined(__CUDA_ARCH__)
static inline u16 narrow(f16, f64 v) { return host_f16('n', v); }
static inline u16 narrow(b16, f64 v) { return host_b16('n', v); }
template <class H> static H host_short(f64 v) { H h; h.x = 0; h.x = narrow(h, v); return h; }
template <class H> static H host_least(H a_, H b_, bool smaller)
{
    const f64 a = wide(a_), b = wide(b_);
    return a != a ? b_ : b != b ? a_ : (a < b || (a == b && std::signbit(a))) == smaller ? a_ : b_;
}
template <class H> static H host_sat(H h) { const f64 v = wide(h); return v > 1 ? host_short<H>(1) : v > 0 ? h : host_short<H>(0); }
template <class H> static H host_relu(H h) { const f64 v = wide(h); return v != v || v > 0 ? h : host_short<H>(0); }
#endif
#define SHORTS(H, pair)                                                                                                 \
    WORD(H, add, (H a, H b), __hadd(a, b), host_short<H>(wide(a) + wide(b)))                                            \
    WORD(H, sub, (H a, H b), a - b, host_short<H>(wide(a) - wide(b)))                                                   \
    WORD(H, mul, (H a, H b), __hmul(a, b), host_short<H>(wide(a) * wide(b)))                                            \
    WORD(H, over, (H a, H b), __hdiv(a, b), host_short<H>(wide(a) / wide(b)))                                           \
    WORD(H, fuse, (H a, H b, H c), __hfma(a, b, c), host_short<H>(host_fma_odd(wide(a), wide(b), wide(c))))             \
    WORD(H, fuse_relu, (H a, H b, H c), __hfma_relu(a, b, c), host_relu(host_short<H>(host_fma_odd(wide(a), wide(b), wide(c))))) \
    WORD(H, minus, (H a), __hneg(a), [&] { H h = a; h.x ^= 0x8000; return h; }())                                       \
    WORD(H, size, (H a), __habs(a), [&] { H h = a; h.x &= 0x7fff; return h; }())                                        \
    WORD(H, lower, (H a, H b), __hmin(a, b), host_least(a, b, true))                                                    \
    WORD(H, higher, (H a, H b), __hmax(a, b), host_least(a, b, false))                                                  \
    WORD(H, root, (H a), hsqrt(a), host_short<H>(sqrt(wide(a))))                                                        \
    WORD(H, to_even, (H a), hrint(a), host_short<H>(nearbyint(wide(a))))                                                \
    WORD(H, to_floor, (H a), hfloor(a), host_short<H>(floor(wide(a))))                                                  \
    WORD(H, to_ceil, (H a), hceil(a), host_short<H>(ceil(wide(a))))                                                     \
    WORD(H, to_zero, (H a), htrunc(a), host_short<H>(trunc(wide(a))))                                                   \
    WORD(bool, less, (H a, H b), __hlt(a, b), wide(a) < wide(b))                                                        \
    WORD(bool, less_or, (H a, H b), __hleu(a, b), !(wide(a) > wide(b)))                                                 \
    WORD(bool, alike, (H a, H b), a == b, wide(a) == wide(b))                                                           \
    WORD(bool, is_nan, (H a), __hisnan(a), wide(a) != wide(a))                                                          \
    WORD(H, add_high, (H a, H b, H c, H d), __high2##pair(__hadd2(__halves2##pair##2(a, b), __halves2##pair##2(c, d))), add(b, d)) \
    WORD(H, mul_low, (H a, H b, H c, H d), __low2##pair(__hmul2(__halves2##pair##2(a, b), __halves2##pair##2(c, d))), mul(a, c))   \
    WORD(H, fuse_high, (H a, H b, H c), __high2##pair(__hfma2(__halves2##pair##2(c, a), __halves2##pair##2(a, b), __halves2##pair##2(b, c))), fuse(a, b, c))
SHORTS(f16, half)
SHORTS(b16, bfloat16)
#undef SHORTS
WORD(f16, add_sat, (f16 a, f16 b), __hadd_sat(a, b), host_sat(host_short<f16>(wide(a) + wide(b))))
WORD(f16, fuse_sat, (f16 a, f16 b, f16 c), __hfma_sat(a, b, c), host_sat(fuse(a, b, c)))

#endif
