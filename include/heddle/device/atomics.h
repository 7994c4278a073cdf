/* Atomic functions, as the CUDA C++ Programming Guide ("Atomic Functions") names them, over the builtins that clang
 * names by type. Each comes in three scopes: device (no suffix), _block and _system (compute capability 6.0 on). */
#ifndef HEDDLE_DEVICE_ATOMICS_H
#define HEDDLE_DEVICE_ATOMICS_H

#pragma push_macro("FN")
#define FN static __device__ __inline__ __attribute__((always_inline))

#define BINARY(T, name, suffix, builtin)                                                           \
    FN T atomic##name##suffix(T *p, T v) { return builtin##suffix(p, v); }
#define SCOPE(s)                                                                                   \
    BINARY(int, Add, s, __iAtomicAdd)                                                              \
    BINARY(unsigned int, Add, s, __uAtomicAdd)                                                     \
    BINARY(unsigned long long, Add, s, __ullAtomicAdd)                                             \
    BINARY(float, Add, s, __fAtomicAdd)                                                            \
    FN int atomicSub##s(int *p, int v) { return __iAtomicAdd##s(p, (int)(0u - (unsigned int)v)); } \
    FN unsigned int atomicSub##s(unsigned int *p, unsigned int v)                                  \
    {                                                                                              \
        return __uAtomicAdd##s(p, 0u - v);                                                         \
    }                                                                                              \
    BINARY(int, Exch, s, __iAtomicExch)                                                            \
    BINARY(unsigned int, Exch, s, __uAtomicExch)                                                   \
    BINARY(unsigned long long, Exch, s, __ullAtomicExch)                                           \
    BINARY(float, Exch, s, __fAtomicExch)                                                          \
    BINARY(int, Min, s, __iAtomicMin)                                                              \
    BINARY(long long, Min, s, __illAtomicMin)                                                      \
    BINARY(int, Max, s, __iAtomicMax)                                                              \
    BINARY(long long, Max, s, __illAtomicMax)                                                      \
    BINARY(unsigned int, Inc, s, __uAtomicInc)                                                     \
    BINARY(unsigned int, Dec, s, __uAtomicDec)                                                     \
    BINARY(int, And, s, __iAtomicAnd)                                                              \
    BINARY(unsigned int, And, s, __uAtomicAnd)                                                     \
    BINARY(long long, And, s, __llAtomicAnd)                                                       \
    BINARY(unsigned long long, And, s, __ullAtomicAnd)                                             \
    BINARY(int, Or, s, __iAtomicOr)                                                                \
    BINARY(unsigned int, Or, s, __uAtomicOr)                                                       \
    BINARY(long long, Or, s, __llAtomicOr)                                                         \
    BINARY(unsigned long long, Or, s, __ullAtomicOr)                                               \
    BINARY(int, Xor, s, __iAtomicXor)                                                              \
    BINARY(unsigned int, Xor, s, __uAtomicXor)                                                     \
    BINARY(long long, Xor, s, __llAtomicXor)                                                       \
    BINARY(unsigned long long, Xor, s, __ullAtomicXor)                                             \
    FN int atomicCAS##s(int *p, int c, int v) { return __iAtomicCAS##s(p, c, v); }                 \
    FN unsigned int atomicCAS##s(unsigned int *p, unsigned int c, unsigned int v)                  \
    {                                                                                              \
        return __uAtomicCAS##s(p, c, v);                                                           \
    }                                                                                              \
    FN unsigned long long atomicCAS##s(unsigned long long *p, unsigned long long c,                \
                                       unsigned long long v)                                       \
    {                                                                                              \
        return __ullAtomicCAS##s(p, c, v);                                                         \
    }

/* Unsigned minimum and maximum by inline PTX in the other scopes: clang 19 takes the signed ones there. */
#define UNSIGNED(T, R, name, suffix, ptx)                                                          \
    FN T atomic##name##suffix(T *p, T v)                                                           \
    {                                                                                              \
        T old;                                                                                     \
        __asm__ __volatile__("atom." ptx " %0, [%1], %2;"                                          \
                             : "=" R(old) : "l"(p), R(v) : "memory");                              \
        return old;                                                                                \
    }
#define UNSIGNED_SCOPE(suffix, scope)                                                              \
    UNSIGNED(unsigned int, "r", Min, suffix, scope ".min.u32")                                     \
    UNSIGNED(unsigned int, "r", Max, suffix, scope ".max.u32")                                     \
    UNSIGNED(unsigned long long, "l", Min, suffix, scope ".min.u64")                               \
    UNSIGNED(unsigned long long, "l", Max, suffix, scope ".max.u64")

SCOPE()
BINARY(unsigned int, Min, , __uAtomicMin)
BINARY(unsigned int, Max, , __uAtomicMax)
BINARY(unsigned long long, Min, , __ullAtomicMin)
BINARY(unsigned long long, Max, , __ullAtomicMax)
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 600
SCOPE(_block)
SCOPE(_system)
UNSIGNED_SCOPE(_block, "cta")
UNSIGNED_SCOPE(_system, "sys")
BINARY(double, Add, , __dAtomicAdd)
BINARY(double, Add, _block, __dAtomicAdd)
BINARY(double, Add, _system, __dAtomicAdd)
#endif
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
FN unsigned short atomicCAS(unsigned short *p, unsigned short c, unsigned short v)
{
    unsigned short old;
    __asm__ __volatile__("atom.cas.b16 %0, [%1], %2, %3;"
                         : "=h"(old) : "l"(p), "h"(c), "h"(v) : "memory");
    return old;
}
#endif

#undef SCOPE
#undef UNSIGNED
#undef UNSIGNED_SCOPE
#undef BINARY
#pragma pop_macro("FN")

#endif
