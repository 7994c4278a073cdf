/* NVTX: names for objects of the driver interface. They are accepted and forgotten. */
#ifndef NVTOOLSEXT_CUDA_H_
#define NVTOOLSEXT_CUDA_H_

#include "nvToolsExt.h"
#include "cuda.h"

#define NVTX_RESOURCE_CLASS_CUDA 4

typedef enum nvtxResourceCUDAType_t {
    NVTX_RESOURCE_TYPE_CUDA_DEVICE = NVTX_RESOURCE_MAKE_TYPE(CUDA, 1),
    NVTX_RESOURCE_TYPE_CUDA_CONTEXT = NVTX_RESOURCE_MAKE_TYPE(CUDA, 2),
    NVTX_RESOURCE_TYPE_CUDA_STREAM = NVTX_RESOURCE_MAKE_TYPE(CUDA, 3),
    NVTX_RESOURCE_TYPE_CUDA_EVENT = NVTX_RESOURCE_MAKE_TYPE(CUDA, 4)
} nvtxResourceCUDAType_t;

#ifdef __cplusplus
extern "C" {
#endif

HEDDLE_NVTX void nvtxNameCuDeviceA(CUdevice it, const char *s) { (void)it, (void)s; }
HEDDLE_NVTX void nvtxNameCuDeviceW(CUdevice it, const wchar_t *s) { (void)it, (void)s; }
HEDDLE_NVTX void nvtxNameCuContextA(CUcontext it, const char *s) { (void)it, (void)s; }
HEDDLE_NVTX void nvtxNameCuContextW(CUcontext it, const wchar_t *s) { (void)it, (void)s; }
HEDDLE_NVTX void nvtxNameCuStreamA(CUstream it, const char *s) { (void)it, (void)s; }
HEDDLE_NVTX void nvtxNameCuStreamW(CUstream it, const wchar_t *s) { (void)it, (void)s; }
HEDDLE_NVTX void nvtxNameCuEventA(CUevent it, const char *s) { (void)it, (void)s; }
HEDDLE_NVTX void nvtxNameCuEventW(CUevent it, const wchar_t *s) { (void)it, (void)s; }

#ifdef __cplusplus
}
#endif

#ifdef UNICODE
#define nvtxNameCuDevice nvtxNameCuDeviceW
#define nvtxNameCuContext nvtxNameCuContextW
#define nvtxNameCuStream nvtxNameCuStreamW
#define nvtxNameCuEvent nvtxNameCuEventW
#else
#define nvtxNameCuDevice nvtxNameCuDeviceA
#define nvtxNameCuContext nvtxNameCuContextA
#define nvtxNameCuStream nvtxNameCuStreamA
#define nvtxNameCuEvent nvtxNameCuEventA
#endif

#endif
