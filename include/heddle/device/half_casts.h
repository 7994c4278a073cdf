/* __half from __nv_bfloat16 and the other way round, by way of float as CUDA's: static_cast alone, no silent conversion.
 * Included by the second of cuda_fp16.h and cuda_bf16.h. */
#ifndef HEDDLE_HALF_CASTS_H
#define HEDDLE_HALF_CASTS_H

__host__ __device__ __inline__ __half::__half(const __nv_bfloat16 &h) : __half((float)h) {}
__host__ __device__ __inline__ __nv_bfloat16::__nv_bfloat16(const __half &h) : __nv_bfloat16((float)h) {}

#endif
