/* The runtime interface in device code: what cuda_device_runtime_api.h declares and code here can do alone. The rest are functions
 * of the executor (src/interp/services.def). */
#ifndef HEDDLE_DEVICE_LAUNCHES_H
#define HEDDLE_DEVICE_LAUNCHES_H

#include "cuda_device_runtime_api.h"

#pragma push_macro("INLINE")
#define INLINE extern "C" __device__ inline __attribute__((always_inline))

/* A handle is the address of its value (src/runtime/graph_condition.c). */
INLINE void cudaGraphSetConditional(cudaGraphConditionalHandle handle, unsigned int value)
{
    *(volatile unsigned int *)handle = value;
}

extern "C" __device__ inline const char *cudaGetErrorName(cudaError_t error)
{
    switch ((int)error) {
#define CUDA_ERROR_ROW(name, value, text)                                                          \
    case value:                                                                                    \
        return #name;
#include "heddle/cuda_errors.def"
#undef CUDA_ERROR_ROW
    }
    return "unrecognized error code";
}

extern "C" __device__ inline const char *cudaGetErrorString(cudaError_t error)
{
    switch ((int)error) {
#define CUDA_ERROR_ROW(name, value, text)                                                          \
    case value:                                                                                    \
        return text;
#include "heddle/cuda_errors.def"
#undef CUDA_ERROR_ROW
    }
    return "unrecognized error code";
}

#pragma pop_macro("INLINE")

/* The function itself is given. */
#if defined(__CUDACC_RDC__)
template <class T> static inline __device__ cudaError_t cudaMalloc(T **p, size_t bytes) { return ::cudaMalloc((void **)p, bytes); }
template <class T> static inline __device__ cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, T *function)
{
    return ::cudaFuncGetAttributes(attributes, (const void *)function);
}
template <class T>
static inline __device__ cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, T function, int threads, size_t shared)
{
    return ::cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, (const void *)function, threads, shared);
}
template <class T>
static inline __device__ cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, T function, int threads,
                                                                                            size_t shared, unsigned int flags)
{
    return ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, (const void *)function, threads, shared, flags);
}
#endif
#endif
