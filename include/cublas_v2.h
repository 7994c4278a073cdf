/* cuBLAS, the interface that programs use: the names without _v2. cublasSgemm is the symbol cublasSgemm_v2, as with NVIDIA's header; there it is
 * a macro, here a declaration of its own. */
#ifndef CUBLAS_V2_H_
#define CUBLAS_V2_H_

#ifdef CUBLAS_H_
#error "cublas.h, the old interface of cuBLAS, is included already: a source file takes one of the two"
#endif

#include "cublas_api.h"

#ifdef __cplusplus
extern "C" {
#endif

#define HEDDLE_CUBLAS_V2(name, parameters) cublasStatus_t name parameters __asm__(#name "_v2");
HEDDLE_CUBLAS_V2(cublasCreate, (cublasHandle_t *handle))
HEDDLE_CUBLAS_V2(cublasDestroy, (cublasHandle_t handle))
HEDDLE_CUBLAS_V2(cublasGetVersion, (cublasHandle_t handle, int *version))
HEDDLE_CUBLAS_V2(cublasSetWorkspace, (cublasHandle_t handle, void *workspace, size_t workspaceSizeInBytes))
HEDDLE_CUBLAS_V2(cublasSetStream, (cublasHandle_t handle, cudaStream_t streamId))
HEDDLE_CUBLAS_V2(cublasGetStream, (cublasHandle_t handle, cudaStream_t *streamId))
HEDDLE_CUBLAS_V2(cublasGetPointerMode, (cublasHandle_t handle, cublasPointerMode_t *mode))
HEDDLE_CUBLAS_V2(cublasSetPointerMode, (cublasHandle_t handle, cublasPointerMode_t mode))
#undef HEDDLE_CUBLAS_V2

#pragma push_macro("ROUTINE")
#undef ROUTINE
#include "heddle/cublas_parameters.h"
#define HEDDLE_TEXT(name)  HEDDLE_TEXT_(name)
#define HEDDLE_TEXT_(name) #name
#define HEDDLE_V2__v2(naming, name, ...) \
    cublasStatus_t HEDDLE_CUBLAS_PLAIN(naming, name)(cublasHandle_t handle HEDDLE_PARAMETERS(__VA_ARGS__)) __asm__(HEDDLE_TEXT(HEDDLE_CUBLAS_SYMBOL(naming, name, _v2)));
#define HEDDLE_V2_apart HEDDLE_V2__v2
#define HEDDLE_V2_added(...)
#define ROUTINE(naming, name, suffix, routine, multiplications, additions, ...) HEDDLE_V2_##suffix(naming, name, __VA_ARGS__)
#define HEDDLE_ROUTINES "heddle/cublas_routines.def"
#define HEDDLE_N int
#define HEDDLE_CUBLAS_WIDTH
#include "heddle/cublas_each.h"
#undef HEDDLE_N
#undef HEDDLE_CUBLAS_WIDTH
#define HEDDLE_N int64_t
#define HEDDLE_CUBLAS_WIDTH _64
#define HEDDLE_CUBLAS_WIDE
#include "heddle/cublas_each.h"
#undef HEDDLE_N
#undef HEDDLE_CUBLAS_WIDTH
#undef HEDDLE_CUBLAS_WIDE
#undef HEDDLE_ROUTINES
#undef HEDDLE_V2__v2
#undef HEDDLE_V2_apart
#undef HEDDLE_V2_added
#undef HEDDLE_TEXT
#undef HEDDLE_TEXT_
#undef ROUTINE
#pragma pop_macro("ROUTINE")

#ifdef __cplusplus
}
#endif

#endif
