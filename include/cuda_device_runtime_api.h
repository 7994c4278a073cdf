/* CUDA's runtime interface for kernels: what device code may call to launch, copy, set and ask (CUDA C++ Programming Guide,
 * "CUDA Dynamic Parallelism", and CUDA Runtime API reference, where a function is marked __device__).
 *
 * Declarations only. A kernel in whose code a call remains is not launched as long as nobody defines the function: the
 * message names it. Without -rdc=true nvcc has the six below answer cudaErrorUnknown, so that templates for both sides
 * compile; so do they here. */
#ifndef __CUDA_DEVICE_RUNTIME_API_H__
#define __CUDA_DEVICE_RUNTIME_API_H__

#include "driver_types.h"
#include "host_defines.h"

#define cudaStreamGraphTailLaunch             ((cudaStream_t)0x0100000000000000)
#define cudaStreamGraphFireAndForget          ((cudaStream_t)0x0200000000000000)
#define cudaStreamGraphFireAndForgetAsSibling ((cudaStream_t)0x0300000000000000)
#define cudaStreamTailLaunch                  ((cudaStream_t)0x3)
#define cudaStreamFireAndForget               ((cudaStream_t)0x4)

#if defined(__cplusplus) && defined(__CUDA__) && defined(__clang__)
extern "C" {
#pragma push_macro("FN")

/* ---- asking ---- */
#if defined(__CUDACC_RDC__)
#define FN(declaration) __device__ cudaError_t declaration;
#else
#define FN(declaration) static __inline__ __device__ __attribute__((unused)) cudaError_t declaration { return cudaErrorUnknown; }
#endif
FN(cudaMalloc(void **, size_t))
FN(cudaGetDevice(int *))
FN(cudaDeviceGetAttribute(int *, enum cudaDeviceAttr, int))
FN(cudaFuncGetAttributes(struct cudaFuncAttributes *, const void *))
FN(cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *, const void *, int, size_t))
FN(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *, const void *, int, size_t, unsigned int))
#undef FN
#define FN(declaration) __device__ cudaError_t declaration;
FN(cudaFree(void *))
FN(cudaGetDeviceCount(int *))
FN(cudaDeviceGetLimit(size_t *, enum cudaLimit))
FN(cudaDeviceGetCacheConfig(enum cudaFuncCache *))
FN(cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *))
FN(cudaRuntimeGetVersion(int *))
FN(cudaGetLastError(void))
FN(cudaPeekAtLastError(void))
__device__ const char *cudaGetErrorString(cudaError_t);
__device__ const char *cudaGetErrorName(cudaError_t);

/* ---- streams and events ---- */
FN(cudaDeviceSynchronize(void))
FN(__cudaDeviceSynchronizeDeprecationAvoidance(void)) /* the same, without a warning of nvcc */
FN(cudaStreamCreateWithFlags(cudaStream_t *, unsigned int))
FN(cudaStreamDestroy(cudaStream_t))
FN(cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned int))
FN(cudaEventCreateWithFlags(cudaEvent_t *, unsigned int))
FN(cudaEventRecord(cudaEvent_t, cudaStream_t))
FN(cudaEventRecordWithFlags(cudaEvent_t, cudaStream_t, unsigned int))
FN(cudaEventDestroy(cudaEvent_t))

/* ---- copies ---- */
FN(cudaMemcpyAsync(void *, const void *, size_t, enum cudaMemcpyKind, cudaStream_t))
FN(cudaMemcpy2DAsync(void *, size_t, const void *, size_t, size_t, size_t, enum cudaMemcpyKind, cudaStream_t))
FN(cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *, cudaStream_t))
FN(cudaMemsetAsync(void *, int, size_t, cudaStream_t))
FN(cudaMemset2DAsync(void *, size_t, int, size_t, size_t, cudaStream_t))
FN(cudaMemset3DAsync(struct cudaPitchedPtr, int, struct cudaExtent, cudaStream_t))

/* ---- launches ---- */
__device__ void *cudaGetParameterBuffer(size_t alignment, size_t size);
__device__ void *cudaGetParameterBufferV2(void *function, dim3 grid, dim3 block, unsigned int shared);
FN(cudaLaunchDevice(void *function, void *parameters, dim3 grid, dim3 block, unsigned int shared, cudaStream_t))
FN(cudaLaunchDeviceV2(void *parameters, cudaStream_t))
FN(cudaGraphLaunch(cudaGraphExec_t, cudaStream_t))
__device__ void cudaGraphSetConditional(cudaGraphConditionalHandle, unsigned int);

#undef FN
#pragma pop_macro("FN")
}
#endif

#endif
