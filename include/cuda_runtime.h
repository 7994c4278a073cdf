/* CUDA's main header. Force-included before every .cu file, as nvcc does; may be included by .cpp and .c files too.
 *
 * In a CUDA compilation it brings the device side (heddle/device/), in C++ the typed overloads of the runtime
 * interface, in C the interface alone. */
#ifndef __CUDA_RUNTIME_H__
#define __CUDA_RUNTIME_H__

#if defined(__CUDA__) && defined(__clang__)
#include "heddle/device/device.h"
#endif

#include "host_defines.h"
#include "vector_types.h"
#include "vector_functions.h"
#include "device_types.h"
#include "driver_types.h"
#include "cuda_runtime_api.h"
#include "cuda_device_runtime_api.h"
#include "driver_functions.h"
#include "device_launch_parameters.h"

#if defined(__CUDA__) && defined(__clang__)
#include "heddle/device/texture.h"
#include "heddle/device/launches.h"
#endif

#if defined(__cplusplus)
#include "heddle/runtime_templates.h"
#endif

/* Relocatable device code (-rdc=true): clang's host pass registers a file's device code only where it has a kernel or a
 * variable, but another file may need its functions. */
#if defined(__CUDA__) && defined(__clang__) && defined(__CUDACC_RDC__) && !defined(__CUDA_ARCH__)
static __device__ __attribute__((used)) char __heddle_part;
#endif

#endif
