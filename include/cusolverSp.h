/* cuSOLVER's sparse part as the manual of CUDA 12 describes it; docs/cusolver.md says what is there. Functions in "Host" work on the host's memory, the others on
 * the device's. */
#ifndef CUSOLVERSP_H_
#define CUSOLVERSP_H_

#include <stddef.h>
#include <stdint.h>

#include "cublas_v2.h"
#include "cusolver_common.h"
#include "cusparse.h"
#include "heddle/cusolver_missing.h"

struct cusolverSpContext;
typedef struct cusolverSpContext *cusolverSpHandle_t;
struct csrqrInfo;
typedef struct csrqrInfo *csrqrInfo_t;

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

cusolverStatus_t cusolverSpCreate(cusolverSpHandle_t *handle);
cusolverStatus_t cusolverSpDestroy(cusolverSpHandle_t handle);
cusolverStatus_t cusolverSpSetStream(cusolverSpHandle_t handle, cudaStream_t streamId);
cusolverStatus_t cusolverSpGetStream(cusolverSpHandle_t handle, cudaStream_t *streamId);
cusolverStatus_t cusolverSpXcsrissymHost(cusolverSpHandle_t handle, int m, int nnzA, const cusparseMatDescr_t descrA, const int *csrRowPtrA,
    const int *csrEndPtrA, const int *csrColIndA, int *issym);
cusolverStatus_t cusolverSpXcsrsymrcmHost(cusolverSpHandle_t handle, int n, int nnzA, const cusparseMatDescr_t descrA, const int *csrRowPtrA,
    const int *csrColIndA, int *p);
cusolverStatus_t cusolverSpXcsrsymmdqHost(cusolverSpHandle_t handle, int n, int nnzA, const cusparseMatDescr_t descrA, const int *csrRowPtrA,
    const int *csrColIndA, int *p);
cusolverStatus_t cusolverSpXcsrsymamdHost(cusolverSpHandle_t handle, int n, int nnzA, const cusparseMatDescr_t descrA, const int *csrRowPtrA,
    const int *csrColIndA, int *p);
cusolverStatus_t cusolverSpXcsrmetisndHost(cusolverSpHandle_t handle, int n, int nnzA, const cusparseMatDescr_t descrA, const int *csrRowPtrA,
    const int *csrColIndA, const int64_t *options, int *p);
cusolverStatus_t cusolverSpXcsrperm_bufferSizeHost(cusolverSpHandle_t handle, int m, int n, int nnzA, const cusparseMatDescr_t descrA,
    const int *csrRowPtrA, const int *csrColIndA, const int *p, const int *q, size_t *bufferSizeInBytes);
cusolverStatus_t cusolverSpXcsrpermHost(cusolverSpHandle_t handle, int m, int n, int nnzA, const cusparseMatDescr_t descrA, int *csrRowPtrA,
    int *csrColIndA, const int *p, const int *q, int *map, void *pBuffer);
cusolverStatus_t cusolverSpCreateCsrqrInfo(csrqrInfo_t *info);
cusolverStatus_t cusolverSpDestroyCsrqrInfo(csrqrInfo_t info);
cusolverStatus_t cusolverSpXcsrqrAnalysisBatched(cusolverSpHandle_t handle, int m, int n, int nnzA, const cusparseMatDescr_t descrA,
    const int *csrRowPtrA, const int *csrColIndA, csrqrInfo_t info);

/* S: letter of the type; T: the type; R: its real one */
#define HEDDLE_CUSOLVERSP_EACH(S, T, R)                                                                                                      \
    cusolverStatus_t cusolverSp##S##csrlsvluHost(cusolverSpHandle_t handle, int m, int nnz, const cusparseMatDescr_t descrA,                 \
        const T *csrVal, const int *csrRowPtr, const int *csrColInd, const T *b, R tol, int reorder, T *x, int *singularity);                \
    cusolverStatus_t cusolverSp##S##csrlsvqrHost(cusolverSpHandle_t handle, int m, int nnz, const cusparseMatDescr_t descrA,                 \
        const T *csrVal, const int *csrRowPtr, const int *csrColInd, const T *b, R tol, int reorder, T *x, int *singularity);                \
    cusolverStatus_t cusolverSp##S##csrlsvqr(cusolverSpHandle_t handle, int m, int nnz, const cusparseMatDescr_t descrA, const T *csrVal,    \
        const int *csrRowPtr, const int *csrColInd, const T *b, R tol, int reorder, T *x, int *singularity);                                 \
    cusolverStatus_t cusolverSp##S##csrlsvcholHost(cusolverSpHandle_t handle, int m, int nnz, const cusparseMatDescr_t descrA,               \
        const T *csrVal, const int *csrRowPtr, const int *csrColInd, const T *b, R tol, int reorder, T *x, int *singularity);                \
    cusolverStatus_t cusolverSp##S##csrlsvchol(cusolverSpHandle_t handle, int m, int nnz, const cusparseMatDescr_t descrA, const T *csrVal,  \
        const int *csrRowPtr, const int *csrColInd, const T *b, R tol, int reorder, T *x, int *singularity);                                 \
    cusolverStatus_t cusolverSp##S##csrzfdHost(cusolverSpHandle_t handle, int n, int nnz, const cusparseMatDescr_t descrA, const T *csrValA, \
        const int *csrRowPtrA, const int *csrColIndA, int *P, int *numnz);                                                                   \
    cusolverStatus_t cusolverSp##S##csrqrBufferInfoBatched(cusolverSpHandle_t handle, int m, int n, int nnz,                                 \
        const cusparseMatDescr_t descrA, const T *csrValA, const int *csrRowPtrA, const int *csrColIndA, int batchSize, csrqrInfo_t info,    \
        size_t *internalDataInBytes, size_t *workspaceInBytes);                                                                              \
    cusolverStatus_t cusolverSp##S##csrqrsvBatched(cusolverSpHandle_t handle, int m, int n, int nnz, const cusparseMatDescr_t descrA,        \
        const T *csrValA, const int *csrRowPtrA, const int *csrColIndA, const T *b, T *x, int batchSize, csrqrInfo_t info, void *pBuffer);
HEDDLE_CUSOLVERSP_EACH(S, float, float)
HEDDLE_CUSOLVERSP_EACH(D, double, double)
HEDDLE_CUSOLVERSP_EACH(C, cuComplex, float)
HEDDLE_CUSOLVERSP_EACH(Z, cuDoubleComplex, double)
#undef HEDDLE_CUSOLVERSP_EACH

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
