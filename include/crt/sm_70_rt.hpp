/* Asked for by clang's __clang_cuda_intrinsics.h: __match_any_sync and __match_all_sync for every 32 and 64-bit type
 * (compute capability 7.0 on). float and double match by their bits. */
#pragma push_macro("FN")
#define FN static __device__ __inline__ __attribute__((always_inline))
#define MATCH(T, bits, cast)                                                                       \
    FN unsigned int __match_any_sync(unsigned int mask, T v)                                       \
    {                                                                                              \
        return __match##bits##_any_sync(mask, cast(v));                                            \
    }                                                                                              \
    FN unsigned int __match_all_sync(unsigned int mask, T v, int *pred)                            \
    {                                                                                              \
        return __match##bits##_all_sync(mask, cast(v), pred);                                      \
    }
MATCH(int, 32, (unsigned int))
MATCH(unsigned int, 32, )
MATCH(float, 32, __float_as_uint)
MATCH(long, 64, (unsigned long long))
MATCH(unsigned long, 64, (unsigned long long))
MATCH(long long, 64, (unsigned long long))
MATCH(unsigned long long, 64, )
MATCH(double, 64, (unsigned long long)__double_as_longlong)
#undef MATCH
#pragma pop_macro("FN")
