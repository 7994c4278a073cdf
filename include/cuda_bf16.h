/* CUDA's bfloat16: __nv_bfloat16, __nv_bfloat162 and their functions (CUDA Math API, "Bfloat16 Precision Intrinsics").
 * The same notes as in cuda_fp16.h. */
#ifndef __CUDA_BF16_H__
#define __CUDA_BF16_H__

#include "cuda_runtime.h"

typedef struct {
    unsigned short x;
} __nv_bfloat16_raw;
typedef struct {
    unsigned short x, y;
} __nv_bfloat162_raw;

#if defined(__cplusplus) && defined(__CUDA__)
#define __HEDDLE_BOTH static __host__ __device__ __inline__ __attribute__((always_inline, unused))

__HEDDLE_BOTH unsigned short __heddle_bf16_bits(float f)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    if (!__builtin_constant_p(f)) {
        unsigned short r;
        __asm__("cvt.rn.bf16.f32 %0, %1;" : "=h"(r) : "f"(f));
        return r;
    }
#endif
    unsigned int u;
    __builtin_memcpy(&u, &f, 4);
    return f != f ? 0x7fff : (unsigned short)((u + 0x7fff + (u >> 16 & 1)) >> 16);
}

/* towards zero ('z'), up ('u') or down ('d') */
__HEDDLE_BOTH unsigned short __heddle_bf16_directed(float f, char mode)
{
    unsigned int u;
    __builtin_memcpy(&u, &f, 4);
    const bool negative = u >> 31;
    if (f != f)
        return 0x7fff;
    return (unsigned short)((u >> 16) + ((mode == 'u' ? !negative : mode == 'd' ? negative : false) && (u & 0xffff)));
}

__HEDDLE_BOTH float __heddle_bf16_value(unsigned short h)
{
    const unsigned int u = (unsigned int)h << 16;
    float f;
    __builtin_memcpy(&f, &u, 4);
    return f;
}

#define H               __nv_bfloat16
#define HOTHER          __half
#define H2              __nv_bfloat162
#define HRAW            __nv_bfloat16_raw
#define H2RAW           __nv_bfloat162_raw
#define PT              "bf16"
#define HBITS(f)        __heddle_bf16_bits(f)
#define HVALUE(u)       __heddle_bf16_value(u)
#define HROUND(f, mode) ((mode) == 'n' ? __heddle_bf16_bits(f) : __heddle_bf16_directed(f, mode))
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define HCVT            1
#endif
#define N2(x)           x##bfloat16
#define NPAIR(x)        x##bfloat162
#define NTO(i, mode)    __bfloat162##i##mode
#define NFROM(i, mode)  __##i##2bfloat16##mode
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
#undef N2
#undef NPAIR
#undef NTO
#undef NFROM

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

__HEDDLE_BOTH __nv_bfloat16 __ushort_as_bfloat16(unsigned short u) { return __nv_bfloat16(__nv_bfloat16_raw{u}); }
__HEDDLE_BOTH __nv_bfloat16 __short_as_bfloat16(short s) { return __nv_bfloat16(__nv_bfloat16_raw{(unsigned short)s}); }
__HEDDLE_BOTH unsigned short __bfloat16_as_ushort(__nv_bfloat16 h) { return h.__x; }
__HEDDLE_BOTH short __bfloat16_as_short(__nv_bfloat16 h) { return (short)h.__x; }
__HEDDLE_BOTH __nv_bfloat16 __float2bfloat16(float f) { return __nv_bfloat16(f); }
__HEDDLE_BOTH __nv_bfloat16 __float2bfloat16_rn(float f) { return __nv_bfloat16(f); }
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define __HEDDLE_DIRECTED(ptx, mode) unsigned short r; __asm__("cvt." ptx ".bf16.f32 %0, %1;" : "=h"(r) : "f"(f)); return __ushort_as_bfloat16(r);
#else
#define __HEDDLE_DIRECTED(ptx, mode) return __ushort_as_bfloat16(__heddle_bf16_directed(f, mode));
#endif
__HEDDLE_BOTH __nv_bfloat16 __float2bfloat16_rz(float f) { __HEDDLE_DIRECTED("rz", 'z') }
__HEDDLE_BOTH __nv_bfloat16 __float2bfloat16_ru(float f) { __HEDDLE_DIRECTED("rp", 'u') }
__HEDDLE_BOTH __nv_bfloat16 __float2bfloat16_rd(float f) { __HEDDLE_DIRECTED("rm", 'd') }
#undef __HEDDLE_DIRECTED
__HEDDLE_BOTH __nv_bfloat16 __double2bfloat16(double d) { return __nv_bfloat16(d); }
__HEDDLE_BOTH float __bfloat162float(__nv_bfloat16 h) { return h; }
__HEDDLE_BOTH __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 a) { return __nv_bfloat162(a, a); }
__HEDDLE_BOTH __nv_bfloat162 make_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat162(a, b); }
__HEDDLE_BOTH __nv_bfloat162 __float2bfloat162_rn(float f) { return __bfloat162bfloat162(__nv_bfloat16(f)); }
__HEDDLE_BOTH __nv_bfloat162 __floats2bfloat162_rn(float a, float b) { return __nv_bfloat162(__nv_bfloat16(a), __nv_bfloat16(b)); }
__HEDDLE_BOTH __nv_bfloat162 __float22bfloat162_rn(float2 f) { return __nv_bfloat162(__nv_bfloat16(f.x), __nv_bfloat16(f.y)); }
__HEDDLE_BOTH float2 __bfloat1622float2(__nv_bfloat162 a) { return make_float2(a.x, a.y); }
#undef __HEDDLE_BOTH
#ifdef __CUDA_FP16_H__
#include "heddle/device/half_casts.h"
#endif
#else /* for other compilers than that of device code: numbers as bits */
typedef __nv_bfloat16_raw __nv_bfloat16;
typedef __nv_bfloat162_raw __nv_bfloat162;
#endif

#endif
