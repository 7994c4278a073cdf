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
/* clang-19 has no such attribute: our pass in clang reads this one. */
#define __maxnreg__(n) __attribute__((annotate("heddle registers", n)))
/* A device variable whose place is the host's one of the same name: our pass in clang says so in the PTX, and where
 * files share variables it gives the host's one its name in the object. Without the pass there would be two. */
#if defined(__HEDDLE_NO_PASS__)
#define __managed__   __attribute__((device)) __attribute__((aligned(managed_variables_need_heddles_pass_in_clang_19)))
#elif defined(__CUDACC_RDC__)
#define __managed__   __attribute__((device)) __attribute__((annotate("heddle managed, of all files")))
#else
#define __managed__   __attribute__((device)) __attribute__((annotate("heddle managed")))
#endif
/* clang-19 has no such attribute: our pass in clang reads this one, and copies other struct parameters as nvcc does. */
#define __grid_constant__ __attribute__((annotate("heddle grid constant")))
#else
#define __host__
#define __device__
#define __global__
#define __shared__
#define __constant__
#define __managed__
#define __launch_bounds__(...)
#define __maxnreg__(n)
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
