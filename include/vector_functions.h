/* make_char1 ... make_double4: the constructors of CUDA's vector types. */
#ifndef __VECTOR_FUNCTIONS_H__
#define __VECTOR_FUNCTIONS_H__

#include "vector_types.h"

#pragma push_macro("FN")
#define FN static __inline__ __host__ __device__ __attribute__((always_inline, unused))
#define MAKE(T, N)                                                                                 \
    FN N##1 make_##N##1(T x) { N##1 v = {x}; return v; }                                           \
    FN N##2 make_##N##2(T x, T y) { N##2 v = {x, y}; return v; }                                   \
    FN N##3 make_##N##3(T x, T y, T z) { N##3 v = {x, y, z}; return v; }                           \
    FN N##4 make_##N##4(T x, T y, T z, T w) { N##4 v = {x, y, z, w}; return v; }
MAKE(signed char, char)
MAKE(unsigned char, uchar)
MAKE(short, short)
MAKE(unsigned short, ushort)
MAKE(int, int)
MAKE(unsigned int, uint)
MAKE(long, long)
MAKE(unsigned long, ulong)
MAKE(long long, longlong)
MAKE(unsigned long long, ulonglong)
MAKE(float, float)
MAKE(double, double)
#undef MAKE
#define MAKE_ALIGNED(T, N)                                                                         \
    FN N##4_16a make_##N##4_16a(T x, T y, T z, T w) { N##4_16a v = {x, y, z, w}; return v; }       \
    FN N##4_32a make_##N##4_32a(T x, T y, T z, T w) { N##4_32a v = {x, y, z, w}; return v; }
MAKE_ALIGNED(long, long)
MAKE_ALIGNED(unsigned long, ulong)
MAKE_ALIGNED(long long, longlong)
MAKE_ALIGNED(unsigned long long, ulonglong)
MAKE_ALIGNED(double, double)
#undef MAKE_ALIGNED
#pragma pop_macro("FN")

#endif
