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

#pragma pop_macro("INLINE")
#endif
