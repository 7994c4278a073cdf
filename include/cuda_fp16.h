/* CUDA's half precision: __half, __half2 and their functions (CUDA Math API, "Half Precision Intrinsics").
 *
 * What differs from CUDA's: h-functions of mathematics are rounded from float and may differ in the last bit. Surface and
 * wmma functions are not there. */
#ifndef __CUDA_FP16_H__
#define __CUDA_FP16_H__

#include "cuda_runtime.h"

typedef struct {
    unsigned short x;
} __half_raw;
typedef struct {
    unsigned short x, y;
} __half2_raw;

#if defined(__cplusplus) && defined(__CUDA__)
#define __HEDDLE_BOTH static __host__ __device__ __inline__ __attribute__((always_inline, unused))

/* f32 to f16 by shifting: to nearest even, or towards zero and up or down (mode 'n', 'z', 'u', 'd') */
__HEDDLE_BOTH unsigned short __heddle_f32_to_f16(float f, char mode)
{
    unsigned int u;
    __builtin_memcpy(&u, &f, 4);
    const unsigned int sign = u >> 16 & 0x8000, rest = u & 0x7fffffff;
    const bool away = mode == 'u' ? !sign : mode == 'd' ? sign != 0 : false;
    if (rest > 0x7f800000)
        return 0x7fff;
    if (rest >= 0x47800000) /* 65536 and more */
        return sign | (rest == 0x7f800000 || mode == 'n' || away ? 0x7c00 : 0x7bff);
    const int exponent = (int)(rest >> 23) - 112; /* biased, of f16 */
    const unsigned int significand = (rest & 0x7fffff) | (rest >> 23 ? 0x800000 : 0);
    const int cut = exponent > 0 ? 13 : 14 - exponent;
    if (cut > 25)
        return sign | (away && rest ? 1 : 0);
    const unsigned int lost = significand & ((1u << cut) - 1), half = 1u << (cut - 1);
    unsigned int r = (significand >> cut) + (exponent > 0 ? (unsigned int)(exponent - 1) << 10 : 0);
    r += mode == 'n' ? lost > half || (lost == half && (r & 1)) : away && lost;
    return (unsigned short)(sign | r);
}

__HEDDLE_BOTH unsigned short __heddle_f16_bits(float f)
{
#if defined(__CUDA_ARCH__)
    unsigned short r;
    __asm__("cvt.rn.f16.f32 %0, %1;" : "=h"(r) : "f"(f));
    return r;
#else
    return __heddle_f32_to_f16(f, 'n');
#endif
}

__HEDDLE_BOTH float __heddle_f16_value(unsigned short h)
{
#if defined(__CUDA_ARCH__)
    float r;
    __asm__("cvt.f32.f16 %0, %1;" : "=f"(r) : "h"(h));
    return r;
#else
    const unsigned int sign = (unsigned int)(h & 0x8000) << 16, rest = h & 0x7fff;
    unsigned int u = rest > 0x7c00 ? 0x7fffffff : rest == 0x7c00 ? 0x7f800000 : (rest << 13) + 0x38000000;
    float f;
    if (rest < 0x400) {
        f = (float)rest * 0x1p-24f;
        return sign ? -f : f;
    }
    u |= rest > 0x7c00 ? 0 : sign; /* a NaN has neither sign nor payload, as from the instruction */
    __builtin_memcpy(&f, &u, 4);
    return f;
#endif
}

#define H               __half
#define HOTHER          __nv_bfloat16
#define H2              __half2
#define HRAW            __half_raw
#define H2RAW           __half2_raw
#define PT              "f16"
#define HBITS(f)        __heddle_f16_bits(f)
#define HVALUE(u)       __heddle_f16_value(u)
#define HROUND(f, mode) __heddle_f32_to_f16(f, mode)
#define HCVT            1
#define HAS_SAT         1
#define N2(x)           x##half
#define NPAIR(x)        x##half2
#define NTO(i, mode)    __half2##i##mode
#define NFROM(i, mode)  __##i##2half##mode
#include "heddle/device/half_type.h"
#undef H
#undef HOTHER
#undef H2
#undef HRAW
#undef H2RAW
#undef PT
#undef HBITS
#undef HVALUE
#undef HROUND
#undef HCVT
#undef HAS_SAT
#undef N2
#undef NPAIR
#undef NTO
#undef NFROM

typedef __half half;
typedef __half2 half2;
typedef __half nv_half;
typedef __half2 nv_half2;

__HEDDLE_BOTH __half __ushort_as_half(unsigned short u) { return __half(__half_raw{u}); }
__HEDDLE_BOTH __half __short_as_half(short s) { return __half(__half_raw{(unsigned short)s}); }
__HEDDLE_BOTH unsigned short __half_as_ushort(__half h) { return h.__x; }
__HEDDLE_BOTH short __half_as_short(__half h) { return (short)h.__x; }
__HEDDLE_BOTH __half __float2half(float f) { return __half(f); }
__HEDDLE_BOTH __half __float2half_rn(float f) { return __half(f); }
#if defined(__CUDA_ARCH__)
#define __HEDDLE_DIRECTED(ptx, mode) unsigned short r; __asm__("cvt." ptx ".f16.f32 %0, %1;" : "=h"(r) : "f"(f)); return __ushort_as_half(r);
#else
#define __HEDDLE_DIRECTED(ptx, mode) return __ushort_as_half(__heddle_f32_to_f16(f, mode));
#endif
__HEDDLE_BOTH __half __float2half_rz(float f) { __HEDDLE_DIRECTED("rz", 'z') }
__HEDDLE_BOTH __half __float2half_ru(float f) { __HEDDLE_DIRECTED("rp", 'u') }
__HEDDLE_BOTH __half __float2half_rd(float f) { __HEDDLE_DIRECTED("rm", 'd') }
#undef __HEDDLE_DIRECTED
__HEDDLE_BOTH __half __double2half(double d) { return __half(d); }
__HEDDLE_BOTH float __half2float(__half h) { return h; }
__HEDDLE_BOTH __half2 __half2half2(__half a) { return __half2(a, a); }
__HEDDLE_BOTH __half2 make_half2(__half a, __half b) { return __half2(a, b); }
__HEDDLE_BOTH __half2 __float2half2_rn(float f) { return __half2half2(__half(f)); }
__HEDDLE_BOTH __half2 __floats2half2_rn(float a, float b) { return __half2(__half(a), __half(b)); }
__HEDDLE_BOTH __half2 __float22half2_rn(float2 f) { return __half2(__half(f.x), __half(f.y)); }
__HEDDLE_BOTH float2 __half22float2(__half2 a) { return make_float2(a.x, a.y); }
#undef __HEDDLE_BOTH
#ifdef __CUDA_BF16_H__
#include "heddle/device/half_casts.h"
#endif
#else /* for other compilers than that of device code: numbers as bits */
typedef __half_raw __half;
typedef __half2_raw __half2;
#endif

#endif
