/* Warp functions without _sync, which CUDA 9 deprecated: __shfl, __shfl_up, __shfl_down, __shfl_xor, __all, __any,
 * __ballot.
 *
 * PTX for compute capability 7.0 and later has only the forms with a mask, so these take the lanes that are active at
 * the call, which is what the old ones meant. */
#ifndef HEDDLE_DEVICE_WARP_H
#define HEDDLE_DEVICE_WARP_H

#pragma push_macro("FN")
#define FN static __device__ __inline__ __attribute__((always_inline))

#define SHUFFLE(name, L)                                                                           \
    template <class T> FN T name(T v, L lane, int width = warpSize)                                \
    {                                                                                              \
        return name##_sync(__activemask(), v, lane, width);                                        \
    }
SHUFFLE(__shfl, int)
SHUFFLE(__shfl_up, unsigned int)
SHUFFLE(__shfl_down, unsigned int)
SHUFFLE(__shfl_xor, int)
#undef SHUFFLE
FN int __all(int p) { return __all_sync(__activemask(), p); }
FN int __any(int p) { return __any_sync(__activemask(), p); }
FN unsigned int __ballot(int p) { return __ballot_sync(__activemask(), p); }

/* Reductions over the lanes of a mask (compute capability 8.0 on). clang 19 has the operands the wrong way round. */
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
#define REDUCE(T, name, ptx)                                                                       \
    FN T __reduce_##name##_sync(unsigned int mask, T v)                                            \
    {                                                                                              \
        T r;                                                                                       \
        __asm__ __volatile__("redux.sync." ptx " %0, %1, %2;" : "=r"(r) : "r"(v), "r"(mask));      \
        return r;                                                                                  \
    }
REDUCE(unsigned int, add, "add.u32")
REDUCE(unsigned int, min, "min.u32")
REDUCE(unsigned int, max, "max.u32")
REDUCE(int, add, "add.s32")
REDUCE(int, min, "min.s32")
REDUCE(int, max, "max.s32")
REDUCE(unsigned int, and, "and.b32")
REDUCE(unsigned int, or, "or.b32")
REDUCE(unsigned int, xor, "xor.b32")
#undef REDUCE
#endif

/* The offset-th set bit of mask from bit `base` upwards (offset < 0: downwards), ~0 when there is none (PTX ISA, fns). */
FN unsigned int __fns(unsigned int mask, unsigned int base, int offset)
{
    unsigned int at;
    __asm__("fns.b32 %0, %1, %2, %3;" : "=r"(at) : "r"(mask), "r"(base), "r"(offset));
    return at;
}

#pragma pop_macro("FN")

#endif
