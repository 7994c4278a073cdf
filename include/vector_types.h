/* CUDA's vector types (char1 ... double4), dim3 and uint3, with the sizes and alignments of the CUDA C++ Programming
 * Guide, "Built-in Vector Types", table of alignment requirements. Usable from C and C++. */
#ifndef __VECTOR_TYPES_H__
#define __VECTOR_TYPES_H__

#include "host_defines.h"

/* T: the element, N: the CUDA name without its width, a2/a4: alignment in bytes of the two- and four-element types
 * (one and three elements are aligned like one element). */
#define HEDDLE_VECTOR_TYPES(T, N, a2, a4)                                                          \
    struct N##1 { T x; };                                                                          \
    struct __align__(a2) N##2 { T x, y; };                                                         \
    struct N##3 { T x, y, z; };                                                                    \
    struct __align__(a4) N##4 { T x, y, z, w; };                                                   \
    typedef struct N##1 N##1;                                                                      \
    typedef struct N##2 N##2;                                                                      \
    typedef struct N##3 N##3;                                                                      \
    typedef struct N##4 N##4;

HEDDLE_VECTOR_TYPES(signed char,        char,      2,  4)
HEDDLE_VECTOR_TYPES(unsigned char,      uchar,     2,  4)
HEDDLE_VECTOR_TYPES(short,              short,     4,  8)
HEDDLE_VECTOR_TYPES(unsigned short,     ushort,    4,  8)
HEDDLE_VECTOR_TYPES(int,                int,       8, 16)
HEDDLE_VECTOR_TYPES(unsigned int,       uint,      8, 16)
HEDDLE_VECTOR_TYPES(long,               long,     16, 16)
HEDDLE_VECTOR_TYPES(unsigned long,      ulong,    16, 16)
HEDDLE_VECTOR_TYPES(long long,          longlong, 16, 16)
HEDDLE_VECTOR_TYPES(unsigned long long, ulonglong, 16, 16)
HEDDLE_VECTOR_TYPES(float,              float,     8, 16)
HEDDLE_VECTOR_TYPES(double,             double,   16, 16)
#undef HEDDLE_VECTOR_TYPES

/* CUDA 13's names for the four-element types of 64 bits by their alignment */
#define HEDDLE_ALIGNED_TYPES(T, N)                                                                 \
    struct __align__(16) N##4_16a { T x, y, z, w; };                                               \
    struct __align__(32) N##4_32a { T x, y, z, w; };                                               \
    typedef struct N##4_16a N##4_16a;                                                              \
    typedef struct N##4_32a N##4_32a;
HEDDLE_ALIGNED_TYPES(long, long)
HEDDLE_ALIGNED_TYPES(unsigned long, ulong)
HEDDLE_ALIGNED_TYPES(long long, longlong)
HEDDLE_ALIGNED_TYPES(unsigned long long, ulonglong)
HEDDLE_ALIGNED_TYPES(double, double)
#undef HEDDLE_ALIGNED_TYPES

struct dim3 {
    unsigned int x, y, z;
#if defined(__cplusplus)
#if __cplusplus >= 201103L
    __host__ __device__ constexpr dim3(unsigned int vx = 1, unsigned int vy = 1, unsigned int vz = 1)
        : x(vx), y(vy), z(vz) {}
    __host__ __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    __host__ __device__ constexpr operator uint3() const { return uint3{x, y, z}; }
#else
    __host__ __device__ dim3(unsigned int vx = 1, unsigned int vy = 1, unsigned int vz = 1)
        : x(vx), y(vy), z(vz) {}
    __host__ __device__ dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    __host__ __device__ operator uint3() const { uint3 t = {x, y, z}; return t; }
#endif
#endif
};
typedef struct dim3 dim3;

#endif
