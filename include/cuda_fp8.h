/* CUDA's 8-bit floating point: __nv_fp8_e4m3, __nv_fp8_e5m2, __nv_fp8_e8m0, their pairs and fours, and conversions (CUDA Math
 * API, "FP8 Intrinsics").
 *
 * e4m3 and e5m2 have a sign, 4 and 5 bits of exponent (bias 7 and 15), 3 and 2 of mantissa. e4m3 has no infinity and one NaN
 * (0x7f); e5m2 is the upper byte of a half. e8m0 is a power of two, 2^(code - 127), and 0xff is NaN. There is no arithmetic:
 * programs compute in half or float. Conversions to e4m3 and e5m2 round to nearest even, once; with __NV_SATFINITE, which the
 * constructors use, what is too large becomes the largest number, with __NV_NOSAT infinity (e5m2) or NaN (e4m3). A NaN loses
 * sign and payload, but for one of type double.
 *
 * On GPUs from compute capability 8.9 on, conversions that saturate, and those to half, are instructions (PTX ISA, cvt); the
 * others are computed. The test device.fp8 compares all with values of an H200. */
#ifndef __CUDA_FP8_H__
#define __CUDA_FP8_H__

#include "cuda_runtime.h"
#include "cuda_fp16.h"
#include "cuda_bf16.h"

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t; /* the first in the low byte */
typedef unsigned int __nv_fp8x4_storage_t;

typedef enum __nv_saturation_t {
    __NV_NOSAT,
    __NV_SATFINITE
} __nv_saturation_t;

typedef enum __nv_fp8_interpretation_t {
    __NV_E4M3,
    __NV_E5M2
} __nv_fp8_interpretation_t;

#if defined(__cplusplus) && defined(__CUDA__)
#define __CUDA_FP8_TYPES_EXIST__
#define __HEDDLE_BOTH static __host__ __device__ __inline__ __attribute__((always_inline, unused))
#define __HEDDLE_MEMBER __host__ __device__ __inline__ __attribute__((always_inline))
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 890
#define __HEDDLE_FP8_INSTRUCTIONS 1
#endif

/* ---- e4m3 and e5m2: from wider numbers ---- */

__HEDDLE_BOTH __nv_fp8_storage_t __nv_cvt_double_to_fp8(double x, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind)
{
    unsigned long long u;
    __builtin_memcpy(&u, &x, 8);
    const bool e4m3 = kind == __NV_E4M3;
    const int fraction = e4m3 ? 3 : 2, bias = e4m3 ? 7 : 15;
    const unsigned int most = e4m3 ? 0x7e : 0x7b, above = e4m3 ? 0x7f : 0x7c, sign = (unsigned int)(u >> 56) & 0x80;
    const unsigned long long rest = u & 0x7fffffffffffffff;
    if (rest > 0x7ff0000000000000)
        return (__nv_fp8_storage_t)(sign | (e4m3 ? 0x7f : 0x7e | ((unsigned int)(rest >> 50) & 3)));
    const int exponent = (int)(rest >> 52) - 1023 + bias; /* of the result, biased; below 1: it is subnormal */
    const int cut = 52 - fraction + (exponent < 1 ? 1 - exponent : 0);
    if (cut > 53)
        return (__nv_fp8_storage_t)sign;
    const unsigned long long significand = (rest & 0xfffffffffffff) | 0x10000000000000;
    const unsigned long long lost = significand & ((1ull << cut) - 1), half = 1ull << (cut - 1);
    unsigned int r = (unsigned int)(significand >> cut) + (exponent > 1 ? (unsigned int)(exponent - 1) << fraction : 0);
    r += lost > half || (lost == half && (r & 1));
    return (__nv_fp8_storage_t)(sign | (r <= most ? r : saturate == __NV_SATFINITE ? most : above));
}

#if defined(__HEDDLE_FP8_INSTRUCTIONS)
#define __HEDDLE_FP8_SATURATED(kind, from, ...)                                                    \
    if (saturate == __NV_SATFINITE) {                                                              \
        __nv_fp8x2_storage_t both;                                                                 \
        if (kind == __NV_E5M2)                                                                     \
            __asm__("cvt.rn.satfinite.e5m2x2." from : "=h"(both) : __VA_ARGS__);                   \
        else                                                                                       \
            __asm__("cvt.rn.satfinite.e4m3x2." from : "=h"(both) : __VA_ARGS__);                   \
        return both;                                                                               \
    }
#else
#define __HEDDLE_FP8_SATURATED(kind, from, ...)
#endif

__HEDDLE_BOTH __nv_fp8x2_storage_t __nv_cvt_double2_to_fp8x2(double2 x, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind)
{
    return (__nv_fp8x2_storage_t)(__nv_cvt_double_to_fp8(x.y, saturate, kind) << 8 | __nv_cvt_double_to_fp8(x.x, saturate, kind));
}

/* a float as a double, all NaNs alike */
__HEDDLE_BOTH double __heddle_fp8_widened(float x)
{
    return x == x ? (double)x : (double)__builtin_bit_cast(float, 0x7fffffff);
}

__HEDDLE_BOTH __nv_fp8x2_storage_t __nv_cvt_float2_to_fp8x2(float2 x, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind)
{
    __HEDDLE_FP8_SATURATED(kind, "f32 %0, %2, %1;", "f"(x.x), "f"(x.y))
    return __nv_cvt_double2_to_fp8x2(make_double2(__heddle_fp8_widened(x.x), __heddle_fp8_widened(x.y)), saturate, kind);
}

__HEDDLE_BOTH __nv_fp8_storage_t __nv_cvt_float_to_fp8(float x, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind)
{
    __HEDDLE_FP8_SATURATED(kind, "f32 %0, %2, %1;", "f"(x), "f"(0.0f))
    return __nv_cvt_double_to_fp8(__heddle_fp8_widened(x), saturate, kind);
}

__HEDDLE_BOTH __nv_fp8x2_storage_t __nv_cvt_halfraw2_to_fp8x2(__half2_raw x, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind)
{
    __HEDDLE_FP8_SATURATED(kind, "f16x2 %0, %1;", "r"((unsigned int)x.y << 16 | x.x))
    return __nv_cvt_float2_to_fp8x2(make_float2(__heddle_f16_value(x.x), __heddle_f16_value(x.y)), saturate, kind);
}

__HEDDLE_BOTH __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(__half_raw x, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind)
{
    __HEDDLE_FP8_SATURATED(kind, "f16x2 %0, %1;", "r"((unsigned int)x.x))
    return __nv_cvt_float_to_fp8(__heddle_f16_value(x.x), saturate, kind);
}

__HEDDLE_BOTH __nv_fp8x2_storage_t __nv_cvt_bfloat16raw2_to_fp8x2(__nv_bfloat162_raw x, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind)
{
    return __nv_cvt_float2_to_fp8x2(make_float2(__heddle_bf16_value(x.x), __heddle_bf16_value(x.y)), saturate, kind);
}

__HEDDLE_BOTH __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw x, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind)
{
    return __nv_cvt_float_to_fp8(__heddle_bf16_value(x.x), saturate, kind);
}
#undef __HEDDLE_FP8_SATURATED

/* ---- e4m3 and e5m2: to half, which has all their numbers ---- */

__HEDDLE_BOTH unsigned short __heddle_fp8_half(unsigned int code, __nv_fp8_interpretation_t kind)
{
    const unsigned int sign = (code & 0x80) << 8, rest = code & 0x7f;
    if (kind == __NV_E5M2 ? rest > 0x7c : rest == 0x7f)
        return 0x7fff;
    if (kind == __NV_E5M2)
        return (unsigned short)(sign | rest << 8);
    if (rest >= 8)
        return (unsigned short)(sign | ((rest << 7) + (8 << 10))); /* the biases are 7 and 15 */
    if (!rest)
        return (unsigned short)sign;
    const int top = 31 - __builtin_clz(rest); /* a subnormal e4m3, rest * 2^-9, is a normal half */
    return (unsigned short)(sign | (unsigned int)(top + 6) << 10 | (rest << (10 - top) & 0x3ff));
}

__HEDDLE_BOTH __half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t x, __nv_fp8_interpretation_t kind)
{
#if defined(__HEDDLE_FP8_INSTRUCTIONS)
    unsigned int both;
    if (kind == __NV_E5M2)
        __asm__("cvt.rn.f16x2.e5m2x2 %0, %1;" : "=r"(both) : "h"(x));
    else
        __asm__("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(both) : "h"(x));
    return __half2_raw{(unsigned short)both, (unsigned short)(both >> 16)};
#else
    return __half2_raw{__heddle_fp8_half(x & 0xffu, kind), __heddle_fp8_half((unsigned int)x >> 8, kind)};
#endif
}

__HEDDLE_BOTH __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t x, __nv_fp8_interpretation_t kind)
{
    return __half_raw{__nv_cvt_fp8x2_to_halfraw2(x, kind).x};
}

/* ---- e8m0: the sign is dropped; towards zero or up (cudaRoundZero, cudaRoundPosInf) ---- */

__HEDDLE_BOTH __nv_fp8_storage_t __nv_cvt_float_to_e8m0(float x, __nv_saturation_t saturate, enum cudaRoundMode rounding)
{
    const unsigned int u = __builtin_bit_cast(unsigned int, x) & 0x7fffffff;
    if (u > 0x7f800000)
        return 0xff;
    /* 2^-127, the least, is a subnormal float: half of what the lowest exponent can say */
    const bool more = u >> 23 ? (u & 0x7fffff) != 0 : u > 0x400000;
    const unsigned int r = (u >> 23) + (rounding == cudaRoundPosInf && more);
    return (__nv_fp8_storage_t)(r == 0xff && saturate == __NV_SATFINITE ? 0xfe : r);
}

__HEDDLE_BOTH __nv_fp8_storage_t __nv_cvt_double_to_e8m0(double x, __nv_saturation_t saturate, enum cudaRoundMode rounding)
{
    const unsigned long long u = __builtin_bit_cast(unsigned long long, x) & 0x7fffffffffffffff;
    if (u > 0x7ff0000000000000)
        return 0xff;
    const int exponent = (int)(u >> 52) - 1023 + 127;
    const bool more = exponent >= 0 && (u & 0xfffffffffffff) != 0 && rounding == cudaRoundPosInf;
    int r = (exponent < 0 ? 0 : exponent) + more;
    if (exponent > 0xfe) /* towards zero, finite numbers stay finite */
        r = rounding == cudaRoundZero && u < 0x7ff0000000000000 ? 0xfe : 0xff;
    return (__nv_fp8_storage_t)(r == 0xff && saturate == __NV_SATFINITE ? 0xfe : r);
}

__HEDDLE_BOTH __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_e8m0(__nv_bfloat16_raw x, __nv_saturation_t saturate, enum cudaRoundMode rounding)
{
    return __nv_cvt_float_to_e8m0(__heddle_bf16_value(x.x), saturate, rounding);
}

#define __HEDDLE_PAIR(name, one, T, first, second)                                                 \
    __HEDDLE_BOTH __nv_fp8x2_storage_t name(T x, __nv_saturation_t saturate, enum cudaRoundMode rounding) \
    {                                                                                              \
        return (__nv_fp8x2_storage_t)(one(second, saturate, rounding) << 8 | one(first, saturate, rounding)); \
    }
__HEDDLE_PAIR(__nv_cvt_float2_to_e8m0x2, __nv_cvt_float_to_e8m0, float2, x.x, x.y)
__HEDDLE_PAIR(__nv_cvt_double2_to_e8m0x2, __nv_cvt_double_to_e8m0, double2, x.x, x.y)
__HEDDLE_PAIR(__nv_cvt_bfloat162raw_to_e8m0x2, __nv_cvt_bfloat16raw_to_e8m0, __nv_bfloat162_raw, __nv_bfloat16_raw{x.x}, __nv_bfloat16_raw{x.y})
#undef __HEDDLE_PAIR

__HEDDLE_BOTH __nv_bfloat16_raw __nv_cvt_e8m0_to_bf16raw(__nv_fp8_storage_t x)
{
    return __nv_bfloat16_raw{(unsigned short)(x == 0xff ? 0x7fff : x ? x << 7 : 0x40)};
}

__HEDDLE_BOTH __nv_bfloat162_raw __nv_cvt_e8m0x2_to_bf162raw(__nv_fp8x2_storage_t x)
{
    return __nv_bfloat162_raw{__nv_cvt_e8m0_to_bf16raw((__nv_fp8_storage_t)x).x, __nv_cvt_e8m0_to_bf16raw((__nv_fp8_storage_t)(x >> 8)).x};
}

/* ---- the types ---- */

/* a number towards zero to an integer type, the nearest that there is; NaN gives 0 */
template <class T> __HEDDLE_BOTH T __heddle_fp8_byte(float f)
{
    const float least = (T)-1 < (T)0 ? -128.0f : 0.0f, most = (T)-1 < (T)0 ? 127.0f : 255.0f;
    return f != f ? (T)0 : f > most ? (T)most : f < least ? (T)least : (T)f;
}

#define __HEDDLE_FROM(T, value) explicit __HEDDLE_MEMBER __HEDDLE_FP8(T v) : __x(value) {}
#define __HEDDLE_TO(T, value) explicit __HEDDLE_MEMBER operator T() const { return value; }
/* X(type, the part of its name in conversions of half_type.h) */
#define __HEDDLE_FP8_INTEGERS(X)                                                                   \
    X(unsigned short, ushort) X(unsigned int, uint) X(unsigned long, ull) X(unsigned long long, ull) \
    X(short, short) X(int, int) X(long, ll) X(long long, ll)

/* One number of e4m3 or e5m2. */
#define __HEDDLE_FROM_INTEGER(T, name) __HEDDLE_FROM(T, __nv_cvt_float_to_fp8((float)v, __NV_SATFINITE, __HEDDLE_KIND))
#define __HEDDLE_TO_INTEGER(T, name)   __HEDDLE_TO(T, (T)__half2##name##_rz(__half(*this)))
#define __HEDDLE_ONE                                                                               \
    struct __align__(1) __HEDDLE_FP8 {                                                             \
        __nv_fp8_storage_t __x;                                                                    \
        __HEDDLE_FP8() = default;                                                                  \
        __HEDDLE_FROM(__half, __nv_cvt_halfraw_to_fp8(v, __NV_SATFINITE, __HEDDLE_KIND))           \
        __HEDDLE_FROM(__nv_bfloat16, __nv_cvt_bfloat16raw_to_fp8(v, __NV_SATFINITE, __HEDDLE_KIND)) \
        __HEDDLE_FROM(float, __nv_cvt_float_to_fp8(v, __NV_SATFINITE, __HEDDLE_KIND))              \
        __HEDDLE_FROM(double, __nv_cvt_double_to_fp8(v, __NV_SATFINITE, __HEDDLE_KIND))            \
        __HEDDLE_FP8_INTEGERS(__HEDDLE_FROM_INTEGER)                                               \
        __HEDDLE_TO(__half, __half(__nv_cvt_fp8_to_halfraw(__x, __HEDDLE_KIND)))                   \
        __HEDDLE_TO(float, __heddle_f16_value(__nv_cvt_fp8_to_halfraw(__x, __HEDDLE_KIND).x))      \
        __HEDDLE_TO(__nv_bfloat16, __float2bfloat16_rz(float(*this)))                              \
        __HEDDLE_TO(double, (double)float(*this))                                                  \
        __HEDDLE_TO(unsigned char, __heddle_fp8_byte<unsigned char>(float(*this)))                 \
        __HEDDLE_TO(signed char, __heddle_fp8_byte<signed char>(float(*this)))                     \
        __HEDDLE_TO(char, __heddle_fp8_byte<char>(float(*this)))                                   \
        __HEDDLE_FP8_INTEGERS(__HEDDLE_TO_INTEGER)                                                 \
        __HEDDLE_TO(bool, (__x & 0x7f) != 0)                                                       \
    };
/* Two of them. */
#define __HEDDLE_TWO                                                                               \
    struct __align__(2) __HEDDLE_FP8 {                                                             \
        __nv_fp8x2_storage_t __x;                                                                  \
        __HEDDLE_FP8() = default;                                                                  \
        __HEDDLE_FROM(__half2, __nv_cvt_halfraw2_to_fp8x2(v, __NV_SATFINITE, __HEDDLE_KIND))       \
        __HEDDLE_FROM(__nv_bfloat162, __nv_cvt_bfloat16raw2_to_fp8x2(v, __NV_SATFINITE, __HEDDLE_KIND)) \
        __HEDDLE_FROM(float2, __nv_cvt_float2_to_fp8x2(v, __NV_SATFINITE, __HEDDLE_KIND))          \
        __HEDDLE_FROM(double2, __nv_cvt_double2_to_fp8x2(v, __NV_SATFINITE, __HEDDLE_KIND))        \
        __HEDDLE_TO(__half2, __half2(__nv_cvt_fp8x2_to_halfraw2(__x, __HEDDLE_KIND)))              \
        __HEDDLE_TO(float2, __half22float2(__half2(*this)))                                        \
    };
/* Four, of any of the three formats, out of two pairs. */
#define __HEDDLE_FROM_FOUR(T, T2)                                                                  \
    explicit __HEDDLE_MEMBER __HEDDLE_FP8(T v)                                                     \
        : __x(__HEDDLE_TWOS(T2{v.x, v.y}).__x | (__nv_fp8x4_storage_t)__HEDDLE_TWOS(T2{v.z, v.w}).__x << 16) {}
#define __HEDDLE_FROM_TWO(T2)                                                                      \
    explicit __HEDDLE_MEMBER __HEDDLE_FP8(T2 low, T2 high)                                         \
        : __x(__HEDDLE_TWOS(low).__x | (__nv_fp8x4_storage_t)__HEDDLE_TWOS(high).__x << 16) {}
#define __HEDDLE_FOUR                                                                              \
    struct __align__(4) __HEDDLE_FP8 {                                                             \
        __nv_fp8x4_storage_t __x;                                                                  \
        __HEDDLE_FP8() = default;                                                                  \
        __HEDDLE_FROM_TWO(__half2)                                                                 \
        __HEDDLE_FROM_TWO(__nv_bfloat162)                                                          \
        __HEDDLE_FROM_FOUR(float4, float2)                                                         \
        __HEDDLE_FROM_FOUR(double4, double2)                                                       \
        __HEDDLE_FROM_FOUR(double4_16a, double2)                                                   \
        __HEDDLE_FROM_FOUR(double4_32a, double2)                                                   \
        explicit __HEDDLE_MEMBER operator float4() const                                           \
        {                                                                                          \
            __HEDDLE_TWOS two;                                                                     \
            two.__x = (__nv_fp8x2_storage_t)__x;                                                   \
            const float2 low = float2(two);                                                        \
            two.__x = (__nv_fp8x2_storage_t)(__x >> 16);                                           \
            const float2 high = float2(two);                                                       \
            return make_float4(low.x, low.y, high.x, high.y);                                      \
        }                                                                                          \
    };

#define __HEDDLE_KIND __NV_E4M3
#define __HEDDLE_FP8 __nv_fp8_e4m3
__HEDDLE_ONE
#undef __HEDDLE_FP8
#define __HEDDLE_FP8 __nv_fp8x2_e4m3
__HEDDLE_TWO
#undef __HEDDLE_FP8
#define __HEDDLE_FP8 __nv_fp8x4_e4m3
#define __HEDDLE_TWOS __nv_fp8x2_e4m3
__HEDDLE_FOUR
#undef __HEDDLE_TWOS
#undef __HEDDLE_FP8
#undef __HEDDLE_KIND

#define __HEDDLE_KIND __NV_E5M2
#define __HEDDLE_FP8 __nv_fp8_e5m2
__HEDDLE_ONE
#undef __HEDDLE_FP8
#define __HEDDLE_FP8 __nv_fp8x2_e5m2
__HEDDLE_TWO
#undef __HEDDLE_FP8
#define __HEDDLE_FP8 __nv_fp8x4_e5m2
#define __HEDDLE_TWOS __nv_fp8x2_e5m2
__HEDDLE_FOUR
#undef __HEDDLE_TWOS
#undef __HEDDLE_FP8
#undef __HEDDLE_KIND
#undef __HEDDLE_FROM_INTEGER
#undef __HEDDLE_TO_INTEGER

#define __HEDDLE_FP8 __nv_fp8_e8m0
#define __HEDDLE_UP(convert, value) convert(value, __NV_SATFINITE, cudaRoundPosInf)
#define __HEDDLE_FROM_INTEGER(T, name) __HEDDLE_FROM(T, __HEDDLE_UP(__nv_cvt_float_to_e8m0, __heddle_fp8_odd(v)))
#define __HEDDLE_TO_INTEGER(T, name)   __HEDDLE_TO(T, (T)__bfloat162##name##_rz(__nv_bfloat16(*this)))
__HEDDLE_BOTH float __heddle_fp8_odd(long long i) { return __heddle_odd(i); }
__HEDDLE_BOTH float __heddle_fp8_odd(unsigned long long i) { return __heddle_odd(i); }
__HEDDLE_BOTH float __heddle_fp8_odd(long i) { return __heddle_odd((long long)i); }
__HEDDLE_BOTH float __heddle_fp8_odd(unsigned long i) { return __heddle_odd((unsigned long long)i); }
__HEDDLE_BOTH float __heddle_fp8_odd(int i) { return __heddle_odd(i); }
__HEDDLE_BOTH float __heddle_fp8_odd(unsigned int i) { return __heddle_odd(i); }
struct __align__(1) __nv_fp8_e8m0 {
    __nv_fp8_storage_t __x;
    __nv_fp8_e8m0() = default;
    __HEDDLE_FROM(__half, __HEDDLE_UP(__nv_cvt_float_to_e8m0, __half2float(v)))
    __HEDDLE_FROM(__nv_bfloat16, __HEDDLE_UP(__nv_cvt_bfloat16raw_to_e8m0, v))
    __HEDDLE_FROM(float, __HEDDLE_UP(__nv_cvt_float_to_e8m0, v))
    __HEDDLE_FROM(double, __HEDDLE_UP(__nv_cvt_double_to_e8m0, v))
    __HEDDLE_FP8_INTEGERS(__HEDDLE_FROM_INTEGER)
    __HEDDLE_TO(float, __heddle_bf16_value(__nv_cvt_e8m0_to_bf16raw(__x).x))
    __HEDDLE_TO(__nv_bfloat16, __nv_bfloat16(__nv_cvt_e8m0_to_bf16raw(__x)))
    __HEDDLE_TO(double, (double)float(*this))
    __HEDDLE_TO(__half, __float2half_rn(float(*this)))
    __HEDDLE_TO(unsigned char, __heddle_fp8_byte<unsigned char>(float(*this)))
    __HEDDLE_TO(signed char, __heddle_fp8_byte<signed char>(float(*this)))
    __HEDDLE_TO(char, __heddle_fp8_byte<char>(float(*this)))
    __HEDDLE_FP8_INTEGERS(__HEDDLE_TO_INTEGER)
    __HEDDLE_TO(bool, true) /* no code is zero */
};
#undef __HEDDLE_FP8
#define __HEDDLE_FP8 __nv_fp8x2_e8m0
struct __align__(2) __nv_fp8x2_e8m0 {
    __nv_fp8x2_storage_t __x;
    __nv_fp8x2_e8m0() = default;
    __HEDDLE_FROM(__half2, __HEDDLE_UP(__nv_cvt_float2_to_e8m0x2, __half22float2(v)))
    __HEDDLE_FROM(__nv_bfloat162, __HEDDLE_UP(__nv_cvt_bfloat162raw_to_e8m0x2, v))
    __HEDDLE_FROM(float2, __HEDDLE_UP(__nv_cvt_float2_to_e8m0x2, v))
    __HEDDLE_FROM(double2, __HEDDLE_UP(__nv_cvt_double2_to_e8m0x2, v))
    __HEDDLE_TO(__nv_bfloat162, __nv_bfloat162(__nv_cvt_e8m0x2_to_bf162raw(__x)))
    __HEDDLE_TO(float2, __bfloat1622float2(__nv_bfloat162(*this)))
    __HEDDLE_TO(__half2, __float22half2_rn(float2(*this)))
};
#undef __HEDDLE_FP8
#define __HEDDLE_FP8 __nv_fp8x4_e8m0
#define __HEDDLE_TWOS __nv_fp8x2_e8m0
__HEDDLE_FOUR
#undef __HEDDLE_TWOS
#undef __HEDDLE_FP8
#undef __HEDDLE_UP

#undef __HEDDLE_FROM_INTEGER
#undef __HEDDLE_TO_INTEGER
#undef __HEDDLE_FP8_INTEGERS
#undef __HEDDLE_FROM
#undef __HEDDLE_TO
#undef __HEDDLE_FROM_TWO
#undef __HEDDLE_FROM_FOUR
#undef __HEDDLE_ONE
#undef __HEDDLE_TWO
#undef __HEDDLE_FOUR
#undef __HEDDLE_FP8_INSTRUCTIONS
#undef __HEDDLE_MEMBER
#undef __HEDDLE_BOTH
#endif

#endif
