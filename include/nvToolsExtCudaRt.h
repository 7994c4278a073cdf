/* NVTX: names for objects of the CUDA runtime. They are accepted and forgotten. */
#ifndef NVTOOLSEXT_CUDART_H_
#define NVTOOLSEXT_CUDART_H_

#include "nvToolsExt.h"
#include "driver_types.h"

#define NVTX_RESOURCE_CLASS_CUDART 5

typedef enum nvtxResourceCUDARTType_t {
    NVTX_RESOURCE_TYPE_CUDART_DEVICE = NVTX_RESOURCE_MAKE_TYPE(CUDART, 0),
    NVTX_RESOURCE_TYPE_CUDART_STREAM = NVTX_RESOURCE_MAKE_TYPE(CUDART, 1),
    NVTX_RESOURCE_TYPE_CUDART_EVENT = NVTX_RESOURCE_MAKE_TYPE(CUDART, 2)
} nvtxResourceCUDARTType_t;

#ifdef __cplusplus
extern "C" {
#endif

HEDDLE_NVTX void nvtxNameCudaDeviceA(int it, const char *s) { (void)it, (void)s; }
HEDDLE_NVTX void nvtxNameCudaDeviceW(int it, const wchar_t *s) { (void)it, (void)s; }
HEDDLE_NVTX void nvtxNameCudaStreamA(cudaStream_t it, const char *s) { (void)it, (void)s; }
HEDDLE_NVTX void nvtxNameCudaStreamW(cudaStream_t it, const wchar_t *s) { (void)it, (void)s; }
HEDDLE_NVTX void nvtxNameCudaEventA(cudaEvent_t it, const char *s) { (void)it, (void)s; }
HEDDLE_NVTX void nvtxNameCudaEventW(cudaEvent_t it, const wchar_t *s) { (void)it, (void)s; }

#ifdef __cplusplus
}
#endif

#ifdef UNICODE
#define nvtxNameCudaDevice nvtxNameCudaDeviceW
#define nvtxNameCudaStream nvtxNameCudaStreamW
#define nvtxNameCudaEvent nvtxNameCudaEventW
#else
#define nvtxNameCudaDevice nvtxNameCudaDeviceA
#define nvtxNameCudaStream nvtxNameCudaStreamA
#define nvtxNameCudaEvent nvtxNameCudaEventA
#endif

#endif
