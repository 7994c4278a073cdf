/* What clang's CUDA headers call __nv_*: the functions under CUDA's device math library.
 *
 * Two kinds. Those that one or two PTX instructions do are defined here, inline, so that sqrt.rn, fma.rn, min.s32,
 * cvt, popc ... come out as instructions. The others (sin, exp, pow, fmod ...) stay calls of an external function
 * with that name in PTX: the executors implement them. The external ones are declared before clang's header so that
 * they carry `const` (no memory, no side effect), which the optimiser needs to move and merge the calls.
 *
 * Meanings: CUDA Math API reference and PTX ISA. -ftz, -prec-div and -prec-sqrt reach these definitions as the macros
 * __CUDA_FTZ, __CUDA_PREC_DIV and __CUDA_PREC_SQRT, as in nvcc. */
#ifndef HEDDLE_DEVICE_LIBM_H
#define HEDDLE_DEVICE_LIBM_H

extern "C" {

/* ---- external functions ---- */
#define F1(name)                                                                                   \
    __device__ __attribute__((const)) double __nv_##name(double);                                  \
    __device__ __attribute__((const)) float __nv_##name##f(float);
#define F2(name)                                                                                   \
    __device__ __attribute__((const)) double __nv_##name(double, double);                          \
    __device__ __attribute__((const)) float __nv_##name##f(float, float);
F1(acos) F1(acosh) F1(asin) F1(asinh) F1(atan) F1(atanh) F1(cbrt) F1(cosh)
F1(cyl_bessel_i0) F1(cyl_bessel_i1) F1(erf) F1(erfc) F1(erfcinv) F1(erfcx) F1(erfinv) F1(exp2)
F1(expm1) F1(j0) F1(j1) F1(lgamma) F1(log1p) F1(logb) F1(normcdf) F1(normcdfinv) F1(rcbrt)
F1(sinh) F1(tgamma) F1(y0) F1(y1)
F2(atan2) F2(fdim) F2(fmod) F2(hypot) F2(nextafter) F2(remainder) F2(rhypot)
#undef F1
#undef F2
__device__ __attribute__((const)) float __nv_frsqrt_rn(float);
__device__ __attribute__((const)) int __nv_ilogb(double);
__device__ __attribute__((const)) int __nv_ilogbf(float);
__device__ __attribute__((const)) double __nv_ldexp(double, int);
__device__ __attribute__((const)) float __nv_ldexpf(float, int);
__device__ __attribute__((const)) double __nv_scalbn(double, int);
__device__ __attribute__((const)) float __nv_scalbnf(float, int);
__device__ __attribute__((const)) double __nv_powi(double, int);
__device__ __attribute__((const)) float __nv_powif(float, int);
__device__ __attribute__((const)) float __nv_sinpif(float);
__device__ __attribute__((const)) float __nv_cospif(float);

#pragma push_macro("FN")
#define FN static __device__ __inline__ __attribute__((always_inline, const))

/* ---- integers ---- */
FN int __nv_abs(int a) { return (int)(a < 0 ? 0 - (unsigned int)a : a); } /* of the least number: itself */
FN long long __nv_llabs(long long a) { return (long long)(a < 0 ? 0 - (unsigned long long)a : a); }
FN int __nv_min(int a, int b) { return a < b ? a : b; }
FN int __nv_max(int a, int b) { return a > b ? a : b; }
FN unsigned int __nv_umin(unsigned int a, unsigned int b) { return a < b ? a : b; }
FN unsigned int __nv_umax(unsigned int a, unsigned int b) { return a > b ? a : b; }
FN long long __nv_llmin(long long a, long long b) { return a < b ? a : b; }
FN long long __nv_llmax(long long a, long long b) { return a > b ? a : b; }
FN unsigned long long __nv_ullmin(unsigned long long a, unsigned long long b)
{
    return a < b ? a : b;
}
FN unsigned long long __nv_ullmax(unsigned long long a, unsigned long long b)
{
    return a > b ? a : b;
}
FN int __nv_mulhi(int a, int b) { return __nvvm_mulhi_i(a, b); }
FN unsigned int __nv_umulhi(unsigned int a, unsigned int b) { return __nvvm_mulhi_ui(a, b); }
FN long long __nv_mul64hi(long long a, long long b) { return __nvvm_mulhi_ll(a, b); }
FN unsigned long long __nv_umul64hi(unsigned long long a, unsigned long long b)
{
    return __nvvm_mulhi_ull(a, b);
}
FN int __nv_mul24(int a, int b) { return __nvvm_mul24_i(a, b); }
FN unsigned int __nv_umul24(unsigned int a, unsigned int b) { return __nvvm_mul24_ui(a, b); }
FN int __nv_sad(int a, int b, int c)
{
    int d;
    __asm__("sad.s32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
    return d;
}
FN unsigned int __nv_usad(unsigned int a, unsigned int b, unsigned int c)
{
    unsigned int d;
    __asm__("sad.u32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
    return d;
}
FN int __nv_popc(unsigned int a) { return __builtin_popcount(a); }
FN int __nv_popcll(unsigned long long a) { return __builtin_popcountll(a); }
FN int __nv_clz(int a) { return a ? __builtin_clz((unsigned int)a) : 32; }
FN int __nv_clzll(long long a) { return a ? __builtin_clzll((unsigned long long)a) : 64; }
FN int __nv_ffs(int a) { return __builtin_ffs(a); }
FN int __nv_ffsll(long long a) { return __builtin_ffsll(a); }
FN int __nv_brev(int a) { return (int)__builtin_bitreverse32((unsigned int)a); }
FN long long __nv_brevll(long long a)
{
    return (long long)__builtin_bitreverse64((unsigned long long)a);
}
/* a nibble of the selector is the number of a byte; its fourth bit, which the instruction takes as "the sign", is not looked at */
FN int __nv_byte_perm(int a, int b, int c) { return __nvvm_prmt(a, b, c & 0x7777); }
/* averages without overflow: down, and up for the r forms */
FN int __nv_hadd(int a, int b) { return (a & b) + ((a ^ b) >> 1); }
FN int __nv_rhadd(int a, int b) { return (a | b) - ((a ^ b) >> 1); }
FN int __nv_uhadd(unsigned int a, unsigned int b) { return (int)((a & b) + ((a ^ b) >> 1)); }
FN unsigned int __nv_urhadd(unsigned int a, unsigned int b) { return (a | b) - ((a ^ b) >> 1); }

/* ---- bit patterns ---- */
FN int __nv_float_as_int(float a) { return __builtin_bit_cast(int, a); }
FN unsigned int __nv_float_as_uint(float a) { return __builtin_bit_cast(unsigned int, a); }
FN float __nv_int_as_float(int a) { return __builtin_bit_cast(float, a); }
FN float __nv_uint_as_float(unsigned int a) { return __builtin_bit_cast(float, a); }
FN unsigned long long __nv_double_as_longlong(double a)
{
    return __builtin_bit_cast(unsigned long long, a);
}
FN double __nv_longlong_as_double(long long a) { return __builtin_bit_cast(double, a); }
FN int __nv_double2hiint(double a) { return (int)(__builtin_bit_cast(unsigned long long, a) >> 32); }
FN int __nv_double2loint(double a) { return (int)__builtin_bit_cast(unsigned long long, a); }
FN double __nv_hiloint2double(int hi, int lo)
{
    return __builtin_bit_cast(double, (unsigned long long)(unsigned int)hi << 32 |
                                          (unsigned int)lo);
}

/* ---- classes of floats ---- */
FN int __nv_signbitf(float a) { return (int)(__builtin_bit_cast(unsigned int, a) >> 31); }
FN int __nv_signbitd(double a) { return (int)(__builtin_bit_cast(unsigned long long, a) >> 63); }
FN int __nv_isnanf(float a) { return a != a; }
FN int __nv_isnand(double a) { return a != a; }
FN int __nv_isinff(float a) { return __builtin_fabsf(a) == __builtin_inff(); }
FN int __nv_isinfd(double a) { return __builtin_fabs(a) == __builtin_inf(); }
FN int __nv_finitef(float a) { return __builtin_fabsf(a) < __builtin_inff(); }
FN int __nv_isfinited(double a) { return __builtin_fabs(a) < __builtin_inf(); }

/* ---- arithmetic of one instruction ---- */
FN float __nv_fabsf(float a) { return __builtin_fabsf(a); }
FN double __nv_fabs(double a) { return __builtin_fabs(a); }
FN float __nv_fmaf(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
FN double __nv_fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
FN float __nv_fminf(float a, float b) { return __builtin_fminf(a, b); }
FN float __nv_fmaxf(float a, float b) { return __builtin_fmaxf(a, b); }
FN double __nv_fmin(double a, double b) { return __builtin_fmin(a, b); }
FN double __nv_fmax(double a, double b) { return __builtin_fmax(a, b); }
FN float __nv_copysignf(float a, float b) /* of the bits, as in nvcc's code: PTX has no such operation in what clang makes of it */
{
    unsigned int x = __builtin_bit_cast(unsigned int, a), y = __builtin_bit_cast(unsigned int, b);
    return __builtin_bit_cast(float, (x & ~(1u << 31)) | (y & 1u << 31));
}
FN double __nv_copysign(double a, double b)
{
    unsigned long long x = __builtin_bit_cast(unsigned long long, a), y = __builtin_bit_cast(unsigned long long, b);
    return __builtin_bit_cast(double, (x & ~(1ull << 63)) | (y & 1ull << 63));
}
FN float __nv_floorf(float a) { return __builtin_floorf(a); }
FN double __nv_floor(double a) { return __builtin_floor(a); }
FN float __nv_ceilf(float a) { return __builtin_ceilf(a); }
FN double __nv_ceil(double a) { return __builtin_ceil(a); }
FN float __nv_truncf(float a) { return __builtin_truncf(a); }
FN double __nv_trunc(double a) { return __builtin_trunc(a); }
FN float __nv_rintf(float a) { return __builtin_rintf(a); }
FN double __nv_rint(double a) { return __builtin_rint(a); }
FN float __nv_nearbyintf(float a) { return __builtin_rintf(a); }
FN double __nv_nearbyint(double a) { return __builtin_rint(a); }
/* one FADD, one DADD */
FN float __nv_roundf(float a) { return __builtin_truncf(__nvvm_add_rz_f(a, __nv_copysignf(0.5f, a))); }
FN double __nv_round(double a) { return __builtin_trunc(__nvvm_add_rz_d(a, __nv_copysign(0.5, a))); }
FN long long __nv_llrintf(float a) { return __nvvm_f2ll_rn(a); }
FN long long __nv_llrint(double a) { return __nvvm_d2ll_rn(a); }
FN long long __nv_llroundf(float a) { return __nvvm_f2ll_rz(__builtin_roundf(a)); }
FN long long __nv_llround(double a) { return __nvvm_d2ll_rz(__nv_round(a)); }

#if defined(__CUDA_FTZ) && __CUDA_FTZ
#define HEDDLE_FTZ(name) name##_ftz_f
#else
#define HEDDLE_FTZ(name) name##_f
#endif
#if defined(__CUDA_PREC_SQRT) && !__CUDA_PREC_SQRT
FN float __nv_sqrtf(float a) { return HEDDLE_FTZ(__nvvm_sqrt_approx)(a); }
#else
FN float __nv_sqrtf(float a) { return HEDDLE_FTZ(__nvvm_sqrt_rn)(a); }
#endif
FN double __nv_sqrt(double a) { return __nvvm_sqrt_rn_d(a); }
FN float __nv_rsqrtf(float a) { return HEDDLE_FTZ(__nvvm_rsqrt_approx)(a); }
FN double __nv_rsqrt(double a) { return __nvvm_rsqrt_approx_d(a); }
FN float __nv_saturatef(float a) { return HEDDLE_FTZ(__nvvm_saturate)(a); }

/* Fast forms: the hardware's base-2 functions and a multiplication (CUDA C++ Programming Guide, "Intrinsic
 * Functions"). 1.4426950 = log2(e), 3.3219281 = log2(10), 0.6931472 = ln(2), 0.3010300 = log10(2). */
FN float __nv_fast_sinf(float a) { return HEDDLE_FTZ(__nvvm_sin_approx)(a); }
FN float __nv_fast_cosf(float a) { return HEDDLE_FTZ(__nvvm_cos_approx)(a); }
FN float __nv_fast_fdividef(float a, float b) { return HEDDLE_FTZ(__nvvm_div_approx)(a, b); }
FN float __nv_fast_tanf(float a)
{
    return HEDDLE_FTZ(__nvvm_div_approx)(__nv_fast_sinf(a), __nv_fast_cosf(a));
}
FN float __nv_fast_expf(float a) { return HEDDLE_FTZ(__nvvm_ex2_approx)(a * 1.4426950408889634f); }
FN float __nv_fast_exp10f(float a) { return HEDDLE_FTZ(__nvvm_ex2_approx)(a * 3.3219280948873623f); }
FN float __nv_fast_log2f(float a) { return HEDDLE_FTZ(__nvvm_lg2_approx)(a); }
FN float __nv_fast_logf(float a) { return HEDDLE_FTZ(__nvvm_lg2_approx)(a) * 0.6931471805599453f; }
FN float __nv_fast_log10f(float a) { return HEDDLE_FTZ(__nvvm_lg2_approx)(a) * 0.3010299956639812f; }
FN float __nv_fast_tanhf(float a)
{
    float r;
    __asm__("tanh.approx.f32 %0, %1;" : "=f"(r) : "f"(a));
    return r;
}
FN float __nv_fast_powf(float a, float b)
{
    return HEDDLE_FTZ(__nvvm_ex2_approx)(b * HEDDLE_FTZ(__nvvm_lg2_approx)(a));
}
static __device__ __inline__ __attribute__((always_inline)) void
__nv_fast_sincosf(float a, float *s, float *c)
{
    *s = __nv_fast_sinf(a);
    *c = __nv_fast_cosf(a);
}
/* ---- functions that --use_fast_math replaces in single precision (NVCC manual, --use_fast_math) ---- */
#if defined(__USE_FAST_MATH__)
#define FASTER1(name) FN float __nv_##name##f(float a) { return __nv_fast_##name##f(a); }
#define FASTER2(name) FN float __nv_##name##f(float a, float b) { return __nv_fast_##name##f(a, b); }
#else
#define FASTER1(name) __device__ __attribute__((const)) float __nv_##name##f(float);
#define FASTER2(name) __device__ __attribute__((const)) float __nv_##name##f(float, float);
#endif
#define F1(name) FASTER1(name) __device__ __attribute__((const)) double __nv_##name(double);
F1(exp) F1(exp10) F1(log) F1(log10) F1(log2) F1(tan)
FASTER1(cos) FASTER1(sin)
__device__ __attribute__((const)) double __nv_pow(double, double);
#if defined(__USE_FAST_MATH__)
FASTER2(pow)
#endif
#if __CUDA_ARCH__ < 750 && defined(__USE_FAST_MATH__) /* the hardware has it from there on: PTX ISA, "tanh" */
#undef FASTER1
#define FASTER1(name) __device__ __attribute__((const)) float __nv_##name##f(float);
#endif
F1(tanh)
#undef F1
#undef FASTER1
#undef FASTER2

/* ---- arithmetic with a rounding mode: rn nearest even, rz to zero, rd down (PTX rm), ru up (PTX rp) ---- */
#define ROUNDED(rd, ptx)                                                                           \
    FN float __nv_fadd_##rd(float a, float b) { return HEDDLE_FTZ(__nvvm_add_##ptx)(a, b); }               \
    FN float __nv_fsub_##rd(float a, float b) { return HEDDLE_FTZ(__nvvm_add_##ptx)(a, -b); }              \
    FN float __nv_fmul_##rd(float a, float b) { return HEDDLE_FTZ(__nvvm_mul_##ptx)(a, b); }               \
    FN float __nv_fdiv_##rd(float a, float b) { return HEDDLE_FTZ(__nvvm_div_##ptx)(a, b); }               \
    FN float __nv_frcp_##rd(float a) { return HEDDLE_FTZ(__nvvm_rcp_##ptx)(a); }                           \
    FN float __nv_fsqrt_##rd(float a) { return HEDDLE_FTZ(__nvvm_sqrt_##ptx)(a); }                         \
    FN float __nv_fmaf_##rd(float a, float b, float c) { return HEDDLE_FTZ(__nvvm_fma_##ptx)(a, b, c); }   \
    FN float __nv_fmaf_ieee_##rd(float a, float b, float c)                                        \
    {                                                                                              \
        return HEDDLE_FTZ(__nvvm_fma_##ptx)(a, b, c);                                                      \
    }                                                                                              \
    FN double __nv_dadd_##rd(double a, double b) { return __nvvm_add_##ptx##_d(a, b); }            \
    FN double __nv_dsub_##rd(double a, double b) { return __nvvm_add_##ptx##_d(a, -b); }           \
    FN double __nv_dmul_##rd(double a, double b) { return __nvvm_mul_##ptx##_d(a, b); }            \
    FN double __nv_ddiv_##rd(double a, double b) { return __nvvm_div_##ptx##_d(a, b); }            \
    FN double __nv_drcp_##rd(double a) { return __nvvm_rcp_##ptx##_d(a); }                         \
    FN double __nv_dsqrt_##rd(double a) { return __nvvm_sqrt_##ptx##_d(a); }                       \
    FN double __nv_fma_##rd(double a, double b, double c) { return __nvvm_fma_##ptx##_d(a, b, c); }
ROUNDED(rn, rn)
ROUNDED(rz, rz)
ROUNDED(rd, rm)
ROUNDED(ru, rp)
#undef ROUNDED
#undef HEDDLE_FTZ
#if defined(__CUDA_FTZ) && __CUDA_FTZ
#define HEDDLE_FTZ(name) name##_ftz
#else
#define HEDDLE_FTZ(name) name
#endif

/* ---- conversions with a rounding mode ----
 * From integers by inline PTX: LLVM 19 takes the .rz builtins for conversions to nearest. */
#define FROM(T, name, rd, R, to, S, Q, from, ptx)                                                  \
    FN T __nv_##name##_##rd(S a)                                                                   \
    {                                                                                              \
        T r;                                                                                       \
        __asm__("cvt." #ptx "." to "." from " %0, %1;" : R(r) : Q(a));                             \
        return r;                                                                                  \
    }
#define CONVERTED(rd, ptx)                                                                         \
    FN int __nv_float2int_##rd(float a) { return HEDDLE_FTZ(__nvvm_f2i_##ptx)(a); }                \
    FN unsigned int __nv_float2uint_##rd(float a) { return HEDDLE_FTZ(__nvvm_f2ui_##ptx)(a); }     \
    FN long long __nv_float2ll_##rd(float a) { return HEDDLE_FTZ(__nvvm_f2ll_##ptx)(a); }          \
    FN unsigned long long __nv_float2ull_##rd(float a) { return HEDDLE_FTZ(__nvvm_f2ull_##ptx)(a); } \
    FN int __nv_double2int_##rd(double a) { return __nvvm_d2i_##ptx(a); }                          \
    FN unsigned int __nv_double2uint_##rd(double a) { return __nvvm_d2ui_##ptx(a); }               \
    FN long long __nv_double2ll_##rd(double a) { return __nvvm_d2ll_##ptx(a); }                    \
    FN unsigned long long __nv_double2ull_##rd(double a) { return __nvvm_d2ull_##ptx(a); }         \
    FN float __nv_double2float_##rd(double a) { return HEDDLE_FTZ(__nvvm_d2f_##ptx)(a); }          \
    FROM(float, int2float, rd, "=f", "f32", int, "r", "s32", ptx)                                  \
    FROM(float, uint2float, rd, "=f", "f32", unsigned int, "r", "u32", ptx)                        \
    FROM(float, ll2float, rd, "=f", "f32", long long, "l", "s64", ptx)                             \
    FROM(float, ull2float, rd, "=f", "f32", unsigned long long, "l", "u64", ptx)                   \
    FROM(double, ll2double, rd, "=d", "f64", long long, "l", "s64", ptx)                           \
    FROM(double, ull2double, rd, "=d", "f64", unsigned long long, "l", "u64", ptx)
CONVERTED(rn, rn)
CONVERTED(rz, rz)
CONVERTED(rd, rm)
CONVERTED(ru, rp)
#undef CONVERTED
#undef FROM
#undef HEDDLE_FTZ
FN double __nv_int2double_rn(int a) { return a; }
FN double __nv_uint2double_rn(unsigned int a) { return a; }
FN unsigned short __nv_float2half_rn(float a) { return __nvvm_f2h_rn(a); }
FN float __nv_half2float(unsigned short a)
{
    float r;
    __asm__("cvt.f32.f16 %0, %1;" : "=f"(r) : "h"(a));
    return r;
}


/* ---- functions of which nvcc's code has parts that a program can see ----
 * powf: what depends on the base or the exponent alone is done once for several calls, or before a loop. Both parts hand
 * on their argument. */
#if !defined(__USE_FAST_MATH__)
__device__ __attribute__((const)) float __nv_pow_basef(float);
__device__ __attribute__((const)) float __nv_pow_exponentf(float);
__device__ __attribute__((const)) float __nv_pow_restf(float, float);
FN float __nv_powf(float a, float b) { return __nv_pow_restf(__nv_pow_basef(a), __nv_pow_exponentf(b)); }
#endif

/* sin, cos, sinpi, cospi of double: a polynomial for sine or for cosine, as the argument's quarter of a turn is even or odd;
 * six coefficients of it are loaded from a table (nvcc 13.0: three ld.global.nc.v2.f64 64 bytes apart, aligned to 16). The
 * table here has those of the Taylor series; the executor computes without them. Without const, which would be .const. */
static __device__ double __heddle_series[16] __attribute__((aligned(16))) = {
    0x1.6124613a86d09p-33, -0x1.ae64567f544e4p-26, 0x1.71de3a556c734p-19, -0x1.a01a01a01a01ap-13, 0x1.1111111111111p-7,
    -0x1.5555555555555p-3, 0, 0,
    -0x1.93974a8c07c9dp-37, 0x1.1eed8eff8d898p-29, -0x1.27e4fb7789f5cp-22, 0x1.a01a01a01a01ap-16, -0x1.6c16c16c16c17p-10,
    0x1.5555555555555p-5, 0, 0};
typedef double __heddle_terms __attribute__((vector_size(16)));
#define SERIES(name, quarter, turned)                                                              \
    __device__ __attribute__((const)) int quarter(double);                                         \
    __device__ __attribute__((const)) double __nv_##name##_by(double, int, double, double, double, double, double, double); \
    FN double __nv_##name(double a)                                                                \
    {                                                                                              \
        int q = quarter(a) + turned;                                                               \
        const __heddle_terms *by = (const __heddle_terms *)(__heddle_series + 8 * (q & 1));          \
        __heddle_terms x = by[0], y = by[1], z = by[2];                                             \
        return __nv_##name##_by(a, q, x[0], x[1], y[0], y[1], z[0], z[1]);                         \
    }
SERIES(sin, __nv_quarter, 0)
SERIES(cos, __nv_quarter, 1)
SERIES(sinpi, __nv_quarter_pi, 0)
SERIES(cospi, __nv_quarter_pi, 1)
#undef SERIES

/* both of one argument: neither loads, and the second costs less */
#define BOTH(pi)                                                                                   \
    __device__ __attribute__((const)) double __nv_sincos##pi##_sin(double);                        \
    __device__ __attribute__((const)) double __nv_sincos##pi##_cos(double);                        \
    __device__ __attribute__((const)) float __nv_sincos##pi##_sinf(float);                         \
    __device__ __attribute__((const)) float __nv_sincos##pi##_cosf(float);
BOTH()
BOTH(pi)
#undef BOTH

/* ---- results through pointers: stores of the caller's, values from the functions above ---- */
/* the quotient's sign and low three bits, as remquo of the C standard */
__device__ __attribute__((const)) int __heddle_remquo(double, double);
__device__ __attribute__((const)) double __nv_remainder(double, double);
__device__ __attribute__((const)) float __nv_remainderf(float, float);
#define OUT static __device__ __inline__ __attribute__((always_inline))
#define POINTERS(T, f)                                                                             \
    OUT void __nv_sincospi##f(T a, T *s, T *c)                                                     \
    {                                                                                              \
        *s = __nv_sincospi_sin##f(a);                                                              \
        *c = __nv_sincospi_cos##f(a);                                                              \
    }                                                                                              \
    OUT T __nv_modf##f(T a, T *whole)                                                              \
    {                                                                                              \
        *whole = __builtin_trunc##f(a);                                                            \
        T rest = __builtin_fabs##f(a) == __builtin_inf##f() ? 0 : a - *whole;                      \
        return __nv_copysign##f(rest, a);                                                     \
    }                                                                                              \
    OUT T __nv_remquo##f(T a, T b, int *quotient)                                                  \
    {                                                                                              \
        *quotient = __heddle_remquo(a, b);                                                         \
        return __nv_remainder##f(a, b);                                                            \
    }
POINTERS(double, )
POINTERS(float, f)
#undef POINTERS
OUT void __nv_sincos(double a, double *s, double *c)
{
    *s = __nv_sincos_sin(a);
    *c = __nv_sincos_cos(a);
}
OUT void __nv_sincosf(float a, float *s, float *c)
{
#if defined(__USE_FAST_MATH__)
    __nv_fast_sincosf(a, s, c);
#else
    *s = __nv_sincos_sinf(a);
    *c = __nv_sincos_cosf(a);
#endif
}

/* frexp by the bits: significant digits in [1/2, 1) and the exponent; 0, infinity and NaN as they are, with exponent 0 */
OUT float __nv_frexpf(float a, int *e)
{
    float b = __builtin_fabsf(a) < 0x1p-126f ? a * 0x1p24f : a;
    unsigned int bits = __builtin_bit_cast(unsigned int, b);
    int at = (int)(bits >> 23 & 255);
    if (at == 0 || at == 255) {
        *e = 0;
        return a + a;
    }
    *e = at - 126 - (b != a ? 24 : 0);
    return __builtin_bit_cast(float, (bits & 0x807fffffu) | 126u << 23);
}
OUT double __nv_frexp(double a, int *e)
{
    double b = __builtin_fabs(a) < 0x1p-1022 ? a * 0x1p54 : a;
    unsigned long long bits = __builtin_bit_cast(unsigned long long, b);
    int at = (int)(bits >> 52 & 2047);
    if (at == 0 || at == 2047) {
        *e = 0;
        return a + a;
    }
    *e = at - 1022 - (b != a ? 54 : 0);
    return __builtin_bit_cast(double, (bits & 0x800fffffffffffffull) | 1022ull << 52);
}

/* Euclidean length of n numbers. A float's square is exact in double and cannot overflow there; doubles are scaled by a
 * power of two so that the largest is near 1. An infinite component wins over NaN. */
OUT double __heddle_norm(int n, const double *p, int *scale)
{
    double top = 0, sum = 0;
    for (int i = 0; i < n; i++)
        top = __builtin_fabs(p[i]) > top ? __builtin_fabs(p[i]) : top;
    *scale = 0;
    if (top == __builtin_inf())
        return top;
    if (top > 0) {
        (void)__nv_frexp(top, scale);
    }
    for (int i = 0; i < n; i++) {
        double x = __nv_ldexp(p[i], -*scale);
        sum = __builtin_fma(x, x, sum);
    }
    return __nvvm_sqrt_rn_d(sum);
}
OUT double __nv_norm(int n, const double *p)
{
    int scale;
    double r = __heddle_norm(n, p, &scale);
    return __nv_ldexp(r, scale);
}
OUT double __nv_rnorm(int n, const double *p)
{
    int scale;
    double r = __heddle_norm(n, p, &scale);
    return __nv_ldexp(1 / r, -scale);
}
OUT double __heddle_normf(int n, const float *p)
{
    double sum = 0;
    bool infinite = false;
    for (int i = 0; i < n; i++) {
        infinite |= __builtin_fabsf(p[i]) == __builtin_inff();
        sum = __builtin_fma((double)p[i], (double)p[i], sum);
    }
    return infinite ? __builtin_inf() : __nvvm_sqrt_rn_d(sum);
}
OUT float __nv_normf(int n, const float *p) { return (float)__heddle_normf(n, p); }
OUT float __nv_rnormf(int n, const float *p) { return (float)(1 / __heddle_normf(n, p)); }
#undef OUT

#pragma pop_macro("FN")
} /* extern "C" */

#endif
