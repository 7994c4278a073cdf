/* Device functions that clang's CUDA headers lack: cache-hint loads and stores, warp functions without _sync,
 * min and max, dot products, address spaces, printf, assert.
 *
 * Sources: CUDA C++ Programming Guide ("Load Functions Using Cache Hints", "Warp Shuffle Functions" ...), CUDA Math
 * API. Included after clang's headers, before __clang_cuda_intrinsics.h where marked. */
#ifndef HEDDLE_DEVICE_INTRINSICS_H
#define HEDDLE_DEVICE_INTRINSICS_H

#pragma push_macro("FN")
#define FN static __device__ __inline__ __attribute__((always_inline))

/* The hardware's tangens hyperbolicus; the host's C library has a function of its own by that name. */
static __device__ __inline__ __attribute__((always_inline)) float __tanhf(float x)
{
    return __nv_fast_tanhf(x);
}

/* ---- min and max ----
 * clang gives the device int, float and double (min, max, fminf ...); here are the other types and the mixed ones,
 * and all of them for the host. A mixed pair is compared in the type that C++ arithmetic gives it. */
#define FN_HOST   static __host__ __inline__ __attribute__((always_inline, unused))
#define FN_BOTH   static __host__ __device__ __inline__ __attribute__((always_inline, unused))
#define INTEGER(fn, A, B, R)                                                                       \
    fn R min(A a, B b) { return (R)a < (R)b ? (R)a : (R)b; }                                       \
    fn R max(A a, B b) { return (R)a > (R)b ? (R)a : (R)b; }
INTEGER(FN_HOST, int, int, int)
INTEGER(FN_BOTH, unsigned int, unsigned int, unsigned int)
INTEGER(FN_BOTH, int, unsigned int, unsigned int)
INTEGER(FN_BOTH, unsigned int, int, unsigned int)
INTEGER(FN_BOTH, long, long, long)
INTEGER(FN_BOTH, unsigned long, unsigned long, unsigned long)
INTEGER(FN_BOTH, long, unsigned long, unsigned long)
INTEGER(FN_BOTH, unsigned long, long, unsigned long)
INTEGER(FN_BOTH, long long, long long, long long)
INTEGER(FN_BOTH, unsigned long long, unsigned long long, unsigned long long)
INTEGER(FN_BOTH, long long, unsigned long long, unsigned long long)
INTEGER(FN_BOTH, unsigned long long, long long, unsigned long long)
#undef INTEGER
#define FLOATING(A, B, R, f)                                                                       \
    FN_BOTH R min(A a, B b) { return __builtin_fmin##f(a, b); }                                    \
    FN_BOTH R max(A a, B b) { return __builtin_fmax##f(a, b); }
FLOATING(float, float, float, f)
FLOATING(double, double, double, )
FLOATING(float, double, double, )
FLOATING(double, float, double, )
#undef FLOATING

/* ---- host twins of functions that only CUDA has ---- */
FN_HOST float rsqrtf(float a) { return 1.0f / __builtin_sqrtf(a); }
FN_HOST double rsqrt(double a) { return 1.0 / __builtin_sqrt(a); }
FN_BOTH float rsqrt(float a) { return rsqrtf(a); }
FN_HOST float rcbrtf(float a) { return 1.0f / ::cbrtf(a); }
FN_HOST double rcbrt(double a) { return 1.0 / ::cbrt(a); }
FN_BOTH float rcbrt(float a) { return rcbrtf(a); }
FN_HOST float exp10(float a) { return ::exp10f(a); }
FN_BOTH float j0(float a) { return j0f(a); }
FN_BOTH float j1(float a) { return j1f(a); }
FN_BOTH float jn(int n, float a) { return jnf(n, a); }
FN_BOTH float y0(float a) { return y0f(a); }
FN_BOTH float y1(float a) { return y1f(a); }
FN_BOTH float yn(int n, float a) { return ynf(n, a); }
FN_HOST float __int_as_float(int a) { return __builtin_bit_cast(float, a); }
FN_HOST int __float_as_int(float a) { return __builtin_bit_cast(int, a); }
FN_HOST float __uint_as_float(unsigned int a) { return __builtin_bit_cast(float, a); }
FN_HOST unsigned int __float_as_uint(float a) { return __builtin_bit_cast(unsigned int, a); }
FN float nanf(const char *) { return __builtin_nanf(""); }
FN double nan(const char *) { return __builtin_nan(""); }
/* single-precision overloads that clang's headers declare but give to std alone */
#define FLOAT1(name) FN float name(float a) { return name##f(a); }
#define FLOAT2(name) FN float name(float a, float b) { return name##f(a, b); }
FLOAT1(acosh) FLOAT1(asinh) FLOAT1(atanh) FLOAT1(cbrt) FLOAT1(erf) FLOAT1(erfc) FLOAT1(exp2) FLOAT1(expm1)
FLOAT1(lgamma) FLOAT1(log1p) FLOAT1(log2) FLOAT1(logb) FLOAT1(nearbyint) FLOAT1(rint) FLOAT1(round)
FLOAT1(tgamma) FLOAT1(trunc) FLOAT1(cyl_bessel_i0) FLOAT1(cyl_bessel_i1)
FLOAT2(copysign) FLOAT2(fdim) FLOAT2(fmax) FLOAT2(fmin) FLOAT2(hypot) FLOAT2(nextafter) FLOAT2(remainder)
#undef FLOAT1
#undef FLOAT2
FN float fma(float a, float b, float c) { return fmaf(a, b, c); }
FN int ilogb(float a) { return ilogbf(a); }
FN long lrint(float a) { return lrintf(a); }
FN long lround(float a) { return lroundf(a); }
FN long long llrint(float a) { return llrintf(a); }
FN long long llround(float a) { return llroundf(a); }
FN float scalbln(float a, long n) { return scalblnf(a, n); }
FN float scalbn(float a, int n) { return scalbnf(a, n); }
FN float remquo(float a, float b, int *q) { return remquof(a, b, q); }
FN float sinpi(float a) { return sinpif(a); }
FN float cospi(float a) { return cospif(a); }
FN float exp10(float a) { return exp10f(a); }
FN float erfcinv(float a) { return erfcinvf(a); }
FN float erfinv(float a) { return erfinvf(a); }
FN float erfcx(float a) { return erfcxf(a); }
FN float normcdf(float a) { return normcdff(a); }
FN float normcdfinv(float a) { return normcdfinvf(a); }
FN void sincos(float a, float *s, float *c) { sincosf(a, s, c); }
FN void sincospi(float a, float *s, float *c) { sincospif(a, s, c); }

/* ---- address spaces ---- */
#define FN_CONST static __device__ __inline__ __attribute__((always_inline, const))
FN_CONST unsigned int __isGlobal(const void *p) { return __nvvm_isspacep_global(p); }
FN_CONST unsigned int __isShared(const void *p) { return __nvvm_isspacep_shared(p); }
FN_CONST unsigned int __isConstant(const void *p) { return __nvvm_isspacep_const(p); }
FN_CONST unsigned int __isLocal(const void *p) { return __nvvm_isspacep_local(p); }
FN_CONST size_t __cvta_generic_to_global(const void *p)
{
    return (size_t)(void __attribute__((address_space(1))) *)p;
}
FN_CONST size_t __cvta_generic_to_shared(const void *p)
{
    return (size_t)(void __attribute__((address_space(3))) *)p;
}
FN_CONST size_t __cvta_generic_to_constant(const void *p)
{
    return (size_t)(void __attribute__((address_space(4))) *)p;
}
FN_CONST size_t __cvta_generic_to_local(const void *p)
{
    return (size_t)(void __attribute__((address_space(5))) *)p;
}
FN_CONST void *__cvta_global_to_generic(size_t p)
{
    return (void *)(void __attribute__((address_space(1))) *)p;
}
FN_CONST void *__cvta_shared_to_generic(size_t p)
{
    return (void *)(void __attribute__((address_space(3))) *)p;
}
FN_CONST void *__cvta_constant_to_generic(size_t p)
{
    return (void *)(void __attribute__((address_space(4))) *)p;
}
FN_CONST void *__cvta_local_to_generic(size_t p)
{
    return (void *)(void __attribute__((address_space(5))) *)p;
}
#undef FN_CONST

/* ---- waiting ---- */
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
FN void __nanosleep(unsigned int ns) { __asm__ __volatile__("nanosleep.u32 %0;" : : "r"(ns)); }
#endif

/* ---- programmatic dependent launches: launches run one after the other, so there is nothing to wait for ---- */
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
FN void cudaTriggerProgrammaticLaunchCompletion(void) { __asm__ __volatile__("griddepcontrol.launch_dependents;"); }
FN void cudaGridDependencySynchronize(void) { __asm__ __volatile__("griddepcontrol.wait;" : : : "memory"); }
#endif

/* ---- dot products of bytes and half-words, added to c ---- */
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 610
#define DOT(T, A, B, C, name, ptx)                                                                 \
    FN T name(A a, B b, C c)                                                                       \
    {                                                                                              \
        T d;                                                                                       \
        __asm__(ptx " %0, %1, %2, %3;"                                                             \
                : "=r"(d)                                                                          \
                : "r"(__builtin_bit_cast(int, a)), "r"(__builtin_bit_cast(int, b)), "r"(c));       \
        return d;                                                                                  \
    }
DOT(int, int, int, int, __dp4a, "dp4a.s32.s32")
DOT(unsigned int, unsigned int, unsigned int, unsigned int, __dp4a, "dp4a.u32.u32")
DOT(int, char4, char4, int, __dp4a, "dp4a.s32.s32")
DOT(unsigned int, uchar4, uchar4, unsigned int, __dp4a, "dp4a.u32.u32")
DOT(int, int, int, int, __dp2a_lo, "dp2a.lo.s32.s32")
DOT(int, int, int, int, __dp2a_hi, "dp2a.hi.s32.s32")
DOT(unsigned int, unsigned int, unsigned int, unsigned int, __dp2a_lo, "dp2a.lo.u32.u32")
DOT(unsigned int, unsigned int, unsigned int, unsigned int, __dp2a_hi, "dp2a.hi.u32.u32")
#undef DOT
/* the forms that take vectors: two 16-bit times two of four 8-bit integers */
#define DOT(T, A, B, name, ptx)                                                                    \
    FN T name(A a, B b, T c)                                                                       \
    {                                                                                              \
        T d;                                                                                       \
        __asm__(ptx " %0, %1, %2, %3;"                                                             \
                : "=r"(d)                                                                          \
                : "r"(__builtin_bit_cast(int, a)), "r"(__builtin_bit_cast(int, b)), "r"(c));       \
        return d;                                                                                  \
    }
DOT(int, short2, char4, __dp2a_lo, "dp2a.lo.s32.s32")
DOT(int, short2, char4, __dp2a_hi, "dp2a.hi.s32.s32")
DOT(unsigned int, ushort2, uchar4, __dp2a_lo, "dp2a.lo.u32.u32")
DOT(unsigned int, ushort2, uchar4, __dp2a_hi, "dp2a.hi.u32.u32")
#undef DOT
#endif

/* ---- loads and stores with a cache hint ----
 * T: the type, R: the register constraint, ptx: the PTX type, C: the type of the register. */
#define LOAD1(fn, hint, vol, T, C, R, ptx)                                                         \
    FN T fn(const T *p)                                                                            \
    {                                                                                              \
        C v;                                                                                       \
        __asm__ vol("ld.global." hint "." ptx " %0, [%1];" : "=" R(v) : "l"(p) : "memory");        \
        return (T)v;                                                                               \
    }
#define LOAD2(fn, hint, vol, T, C, R, ptx)                                                         \
    FN T fn(const T *p)                                                                            \
    {                                                                                              \
        C x, y;                                                                                    \
        __asm__ vol("ld.global." hint ".v2." ptx " {%0,%1}, [%2];"                                \
                    : "=" R(x), "=" R(y) : "l"(p) : "memory");                                     \
        T v;                                                                                       \
        v.x = x; v.y = y;                                                                          \
        return v;                                                                                  \
    }
#define LOAD4(fn, hint, vol, T, C, R, ptx)                                                         \
    FN T fn(const T *p)                                                                            \
    {                                                                                              \
        C x, y, z, w;                                                                              \
        __asm__ vol("ld.global." hint ".v4." ptx " {%0,%1,%2,%3}, [%4];"                        \
                    : "=" R(x), "=" R(y), "=" R(z), "=" R(w) : "l"(p) : "memory");                 \
        T v;                                                                                       \
        v.x = x; v.y = y; v.z = z; v.w = w;                                                        \
        return v;                                                                                  \
    }
#define STORE1(fn, hint, T, C, R, ptx)                                                             \
    FN void fn(T *p, T v)                                                                          \
    {                                                                                              \
        __asm__ __volatile__("st.global." hint "." ptx " [%0], %1;"                                \
                             : : "l"(p), R((C)v) : "memory");                                      \
    }
#define STORE2(fn, hint, T, C, R, ptx)                                                             \
    FN void fn(T *p, T v)                                                                          \
    {                                                                                              \
        __asm__ __volatile__("st.global." hint ".v2." ptx " [%0], {%1,%2};"                       \
                             : : "l"(p), R((C)v.x), R((C)v.y) : "memory");                         \
    }
#define STORE4(fn, hint, T, C, R, ptx)                                                             \
    FN void fn(T *p, T v)                                                                          \
    {                                                                                              \
        __asm__ __volatile__("st.global." hint ".v4." ptx " [%0], {%1,%2,%3,%4};"               \
                             : : "l"(p), R((C)v.x), R((C)v.y), R((C)v.z), R((C)v.w) : "memory");   \
    }
/* one and the same list of types for every hint: X(shape, T, C, R, ptx) */
#define ACCESS_TYPES(X)                                                                            \
    X(1, char, short, "h", "s8") X(1, signed char, short, "h", "s8")                               \
    X(1, unsigned char, unsigned short, "h", "u8") X(1, short, short, "h", "s16")                  \
    X(1, unsigned short, unsigned short, "h", "u16") X(1, int, int, "r", "s32")                    \
    X(1, unsigned int, unsigned int, "r", "u32") X(1, long, long, "l", "s64")                      \
    X(1, unsigned long, unsigned long, "l", "u64") X(1, long long, long long, "l", "s64")          \
    X(1, unsigned long long, unsigned long long, "l", "u64") X(1, float, float, "f", "f32")        \
    X(1, double, double, "d", "f64") X(2, char2, short, "h", "s8")                                 \
    X(2, uchar2, unsigned short, "h", "u8") X(2, short2, short, "h", "s16")                        \
    X(2, ushort2, unsigned short, "h", "u16") X(2, int2, int, "r", "s32")                          \
    X(2, uint2, unsigned int, "r", "u32") X(2, longlong2, long long, "l", "s64")                   \
    X(2, ulonglong2, unsigned long long, "l", "u64") X(2, float2, float, "f", "f32")               \
    X(2, double2, double, "d", "f64") X(4, char4, short, "h", "s8")                                \
    X(4, uchar4, unsigned short, "h", "u8") X(4, short4, short, "h", "s16")                        \
    X(4, ushort4, unsigned short, "h", "u16") X(4, int4, int, "r", "s32")                          \
    X(4, uint4, unsigned int, "r", "u32") X(4, float4, float, "f", "f32")
#define ONE(n, T, C, R, ptx)                                                                       \
    LOAD##n(__ldcg, "cg", , T, C, R, ptx) LOAD##n(__ldca, "ca", , T, C, R, ptx)                    \
    LOAD##n(__ldcs, "cs", , T, C, R, ptx) LOAD##n(__ldlu, "lu", __volatile__, T, C, R, ptx)        \
    LOAD##n(__ldcv, "cv", __volatile__, T, C, R, ptx)                                              \
    STORE##n(__stwb, "wb", T, C, R, ptx) STORE##n(__stcg, "cg", T, C, R, ptx)                      \
    STORE##n(__stcs, "cs", T, C, R, ptx) STORE##n(__stwt, "wt", T, C, R, ptx)
ACCESS_TYPES(ONE)
#undef ONE
#undef ACCESS_TYPES
#undef LOAD1
#undef LOAD2
#undef LOAD4
#undef STORE1
#undef STORE2
#undef STORE4

/* ---- printf, malloc, assert ---- */
extern "C" {
__device__ int vprintf(const char *, const char *);
/* Not noreturn: the executor stops the kernel. */
__device__ void __assertfail(const char *message, const char *file, unsigned int line,
                             const char *function, size_t charSize);
FN void __assert_fail(const char *message, const char *file, unsigned int line,
                      const char *function)
{
    __assertfail(message, file, line, function, sizeof(char));
}
__device__ int printf(const char *, ...); /* clang turns the call into vprintf */
}

#undef FN_HOST
#undef FN_BOTH
#pragma pop_macro("FN")

#endif
