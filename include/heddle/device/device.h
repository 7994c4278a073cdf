/* The device side of cuda_runtime.h: clang's own CUDA headers in the order they need, and ours between them.
 *
 * In: a CUDA compilation by clang, device or host pass, before any standard header. Out: built-in variables, math,
 * atomics, warp functions, device printf, and the standard headers that nvcc includes for every program.
 * clang's headers (Apache-2.0 WITH LLVM-exception) are used where the machine has them, as part of the compiler. */
#ifndef HEDDLE_DEVICE_H
#define HEDDLE_DEVICE_H

/* Device overloads must be known before <cmath> pulls the global names into std. Clang's pow(float, int) is a float, C++'s and nvcc's a
 * double, as all of pow but that of two floats: clang's are out of the way, ours below. */
#define pow __heddle_unused_pow
#include <__clang_cuda_math_forward_declares.h>
#undef pow
static __inline__ __attribute__((always_inline, device)) double pow(double, double);
static __inline__ __attribute__((always_inline, device)) float pow(float, float);
namespace std {
using ::pow;
}

/* libstdc++ avoids __float128 under this name; and it is what programs ask for. */
#define __CUDACC__ 1
#define __CUDACC_VER_MAJOR__ 12
#define __CUDACC_VER_MINOR__ 4
#define __CUDACC_VER_BUILD__ 0

#include "host_defines.h"

/* Device malloc and free must be known before <new>, which C++20's <cmath> already includes. */
extern "C" {
__device__ void *malloc(__SIZE_TYPE__) __attribute((nothrow)) __attribute__((malloc));
__device__ void free(void *) __attribute((nothrow));
}

#include <cmath>
#include <cstdlib>
#include <ctype.h>
#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Of cuda.h, which programs include themselves, what clang's headers ask for. */
#ifndef CUDA_VERSION
#define CUDA_VERSION 12040
#endif
typedef unsigned int cuuint32_t;
#include "driver_types.h"
#include "vector_types.h"
#include "vector_functions.h"

/* The host pass parses device functions too: let it see the largest set. */
#pragma push_macro("__CUDA_ARCH__")
#ifndef __CUDA_ARCH__
#define __CUDA_ARCH__ 9999
#endif

/* What these headers inline counts for the line of the program that calls it: no locations of their own. */
#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))

#include "heddle/device/builtin_vars.h"
#define warpSize 32 /* in these headers it is known, as in nvcc's */

#include "heddle/device/libm.h"
#include <__clang_cuda_libdevice_declares.h>

/* Out of the way: the forms without _sync, see warp.h. */
#define __all    __heddle_unused_all
#define __any    __heddle_unused_any
#define __ballot __heddle_unused_ballot
#include "heddle/device/simd_names.h"
#include <__clang_cuda_device_functions.h>
#define HEDDLE_SIMD_SHOW
#include "heddle/device/simd_names.h"
#undef HEDDLE_SIMD_SHOW
#include "heddle/device/simd.h"
#undef __all
#undef __any
#undef __ballot
#include <__clang_cuda_math.h>

#include "heddle/device/atomics.h"
#include "heddle/device/intrinsics.h"
#include "heddle/device/dpx.h"

#define DIM_OF(var)                                                                                \
    __device__ inline __cuda_builtin_##var##_t::operator dim3() const { return dim3(x, y, z); }    \
    __device__ inline __cuda_builtin_##var##_t::operator uint3() const { return {x, y, z}; }
DIM_OF(threadIdx)
DIM_OF(blockIdx)
DIM_OF(blockDim)
DIM_OF(gridDim)
#undef DIM_OF

#define pow __heddle_unused_pow
#include <__clang_cuda_cmath.h>
#undef pow
static __device__ __inline__ __attribute__((always_inline)) float pow(float a, float b) { return ::powf(a, b); }
template <typename A, typename B>
static __device__ __inline__ __attribute__((always_inline))
typename __clang_cuda_enable_if<std::numeric_limits<A>::is_specialized && std::numeric_limits<B>::is_specialized, double>::type
pow(A a, B b)
{
    return ::pow((double)a, (double)b);
}
namespace std {
using ::pow;
}
#define __shfl      __heddle_unused_shfl
#define __fns       __heddle_unused_fns
#define __reduce_add_sync __heddle_unused_reduce_add
#define __reduce_min_sync __heddle_unused_reduce_min
#define __reduce_max_sync __heddle_unused_reduce_max
#define __reduce_and_sync __heddle_unused_reduce_and
#define __reduce_or_sync __heddle_unused_reduce_or
#define __reduce_xor_sync __heddle_unused_reduce_xor
#define __shfl_up   __heddle_unused_shfl_up
#define __shfl_down __heddle_unused_shfl_down
#define __shfl_xor  __heddle_unused_shfl_xor
#include <__clang_cuda_intrinsics.h>
#undef __shfl
#undef __fns
#undef __reduce_add_sync
#undef __reduce_min_sync
#undef __reduce_max_sync
#undef __reduce_and_sync
#undef __reduce_or_sync
#undef __reduce_xor_sync
#undef __shfl_up
#undef __shfl_down
#undef __shfl_xor
#include "heddle/device/warp.h"
#include <__clang_cuda_complex_builtins.h>
#undef warpSize

#pragma clang attribute pop

#pragma pop_macro("__CUDA_ARCH__")

#include <assert.h>
#include <math.h> /* brings isnan and its like out of std for host code */
#include <new>
#include <stdio.h>
#include <utility>

using std::nullptr_t; /* as g++'s stddef.h, which clang's is not */

/* nvcc takes `__shared__ alignas(16) float x[4]`; clang wants alignas before other attributes, but takes GNU's anywhere. */
namespace heddle {
template <class T> constexpr __SIZE_TYPE__ alignment() { return alignof(T); }
template <__SIZE_TYPE__ N> constexpr __SIZE_TYPE__ alignment() { return N; }
}
#define alignas(...) __attribute__((aligned(::heddle::alignment<__VA_ARGS__>())))

#endif
