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

#pragma pop_macro("FN")

#endif
