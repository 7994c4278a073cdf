/* cublasXt: products of matrices in host memory or on a device (docs/cublas.md). A part of libcublas.so.12.
 *
 * Names, values and signatures: cuBLAS documentation (CUDA 12). heddle/cublasxt_functions.def lists the functions with their state. */
#ifndef CUBLAS_XT_H_
#define CUBLAS_XT_H_

#include "cublas_v2.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

typedef struct cublasXtContext *cublasXtHandle_t;
typedef enum { CUBLASXT_PINNING_DISABLED = 0, CUBLASXT_PINNING_ENABLED = 1 } cublasXtPinnedMemMode_t;
typedef enum { CUBLASXT_FLOAT = 0, CUBLASXT_DOUBLE = 1, CUBLASXT_COMPLEX = 2, CUBLASXT_DOUBLECOMPLEX = 3 } cublasXtOpType_t;
typedef enum {
    CUBLASXT_GEMM = 0, CUBLASXT_SYRK = 1, CUBLASXT_HERK = 2, CUBLASXT_SYMM = 3, CUBLASXT_HEMM = 4, CUBLASXT_TRSM = 5,
    CUBLASXT_SYR2K = 6, CUBLASXT_HER2K = 7, CUBLASXT_SPMM = 8, CUBLASXT_SYRKX = 9, CUBLASXT_HERKX = 10, CUBLASXT_TRMM = 11,
    CUBLASXT_ROUTINE_MAX = 12
} cublasXtBlasOp_t;

cublasStatus_t cublasXtCreate(cublasXtHandle_t *handle);
cublasStatus_t cublasXtDestroy(cublasXtHandle_t handle);
cublasStatus_t cublasXtGetNumBoards(int nbDevices, int deviceId[], int *nbBoards);
cublasStatus_t cublasXtMaxBoards(int *nbGpuBoards);
cublasStatus_t cublasXtDeviceSelect(cublasXtHandle_t handle, int nbDevices, int deviceId[]);
cublasStatus_t cublasXtSetBlockDim(cublasXtHandle_t handle, int blockDim);
cublasStatus_t cublasXtGetBlockDim(cublasXtHandle_t handle, int *blockDim);
cublasStatus_t cublasXtGetPinningMemMode(cublasXtHandle_t handle, cublasXtPinnedMemMode_t *mode);
cublasStatus_t cublasXtSetPinningMemMode(cublasXtHandle_t handle, cublasXtPinnedMemMode_t mode);

#define HEDDLE_XT_GEMM(S, type)                                                                                              \
    cublasStatus_t cublasXt##S##gemm(cublasXtHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, size_t m,  \
                                          size_t n, size_t k, const type *alpha, const type *A, size_t lda, const type *B,        \
                                          size_t ldb, const type *beta, type *C, size_t ldc);
HEDDLE_XT_GEMM(S, float)
HEDDLE_XT_GEMM(D, double)
HEDDLE_XT_GEMM(C, cuComplex)
HEDDLE_XT_GEMM(Z, cuDoubleComplex)
#undef HEDDLE_XT_GEMM

#define CUBLASXT_NOT_THERE(name, params) cublasStatus_t name params;
#include "heddle/cublasxt_functions.def"

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
