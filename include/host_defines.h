/* Attributes of CUDA's function and variable qualifiers.
 *
 * Clang knows them as __attribute__((device)) etc. when it compiles CUDA; in plain C and C++ they are empty, so that a
 * header with __host__ __device__ functions can be used from .c and .cpp files too. */
#ifndef __HOST_DEFINES_H__
#define __HOST_DEFINES_H__

#if defined(__CUDA__) && defined(__clang__)
#define __host__      __attribute__((host))
#define __device__    __attribute__((device))
#define __global__    __attribute__((global))
#define __shared__    __attribute__((shared))
#define __constant__  __attribute__((constant))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
/* Not there yet: an error that says so, at the line of the program, instead of two copies that differ in silence. */
#define __managed__   __attribute__((device)) \
                      __attribute__((aligned(managed_variables_are_not_implemented__use_cudaMallocManaged)))
#define __grid_constant__ /* clang-19 has no such attribute; a const parameter means the same to us */
#else
#define __host__
#define __device__
#define __global__
#define __shared__
#define __constant__
#define __managed__
#define __launch_bounds__(...)
#define __grid_constant__
#endif

#define __forceinline__ __inline__ __attribute__((always_inline))
/* __noinline__ is a keyword of clang in CUDA; elsewhere libstdc++ uses the word as an attribute name. */
#define __align__(n)    __attribute__((aligned(n)))
#define __thread__      __thread
#define __cluster_dims__(...)
#define __device_builtin__
#define __device_builtin_texture_type__
#define __device_builtin_surface_type__
#define __cudart_builtin__
#define __builtin_align__(n) __align__(n)
#define __import__
#define __export__
#define CUDARTAPI
#define CUDARTAPI_CDECL
#define CUDART_CB
#ifndef CUDA_CB
#define CUDA_CB
#endif
#ifndef __nv_pure__
#define __nv_pure__ __attribute__((pure))
#endif

#endif
