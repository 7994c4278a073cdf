/* cuSOLVER's sparse factors in steps: analysis, factors, what they solve (docs/cusolver.md). */
#ifndef CUSOLVERSP_LOWLEVEL_PREVIEW_H_
#define CUSOLVERSP_LOWLEVEL_PREVIEW_H_

#include "cusolverSp.h"

struct csrluInfoHost;
typedef struct csrluInfoHost *csrluInfoHost_t;
struct csrqrInfoHost;
typedef struct csrqrInfoHost *csrqrInfoHost_t;
struct csrcholInfoHost;
typedef struct csrcholInfoHost *csrcholInfoHost_t;
struct csrcholInfo;
typedef struct csrcholInfo *csrcholInfo_t;

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

cusolverStatus_t cusolverSpCreateCsrluInfoHost(csrluInfoHost_t *info);
cusolverStatus_t cusolverSpDestroyCsrluInfoHost(csrluInfoHost_t info);
cusolverStatus_t cusolverSpXcsrluAnalysisHost(cusolverSpHandle_t handle, int n, int nnzA, const cusparseMatDescr_t descrA, const int *csrRowPtrA,
    const int *csrColIndA, csrluInfoHost_t info);
cusolverStatus_t cusolverSpCreateCsrcholInfoHost(csrcholInfoHost_t *info);
cusolverStatus_t cusolverSpDestroyCsrcholInfoHost(csrcholInfoHost_t info);
cusolverStatus_t cusolverSpXcsrcholAnalysisHost(cusolverSpHandle_t handle, int n, int nnzA, const cusparseMatDescr_t descrA, const int *csrRowPtrA,
    const int *csrColIndA, csrcholInfoHost_t info);
cusolverStatus_t cusolverSpCreateCsrqrInfoHost(csrqrInfoHost_t *info);
cusolverStatus_t cusolverSpDestroyCsrqrInfoHost(csrqrInfoHost_t info);
cusolverStatus_t cusolverSpXcsrqrAnalysisHost(cusolverSpHandle_t handle, int m, int n, int nnzA, const cusparseMatDescr_t descrA,
    const int *csrRowPtrA, const int *csrColIndA, csrqrInfoHost_t info);
cusolverStatus_t cusolverSpCreateCsrcholInfo(csrcholInfo_t *info);
cusolverStatus_t cusolverSpDestroyCsrcholInfo(csrcholInfo_t info);
cusolverStatus_t cusolverSpXcsrcholAnalysis(cusolverSpHandle_t handle, int n, int nnzA, const cusparseMatDescr_t descrA, const int *csrRowPtrA,
    const int *csrColIndA, csrcholInfo_t info);
cusolverStatus_t cusolverSpXcsrqrAnalysis(cusolverSpHandle_t handle, int m, int n, int nnzA, const cusparseMatDescr_t descrA, const int *csrRowPtrA,
    const int *csrColIndA, csrqrInfo_t info);

/* S: letter of the type; T: the type; R: its real one */
#define HEDDLE_CUSOLVERSP_EACH(S, T, R)                                                                                                     \
    cusolverStatus_t cusolverSp##S##csrluBufferInfoHost(cusolverSpHandle_t handle, int n, int nnzA, const cusparseMatDescr_t descrA,        \
        const T *csrValA, const int *csrRowPtrA, const int *csrColIndA, csrluInfoHost_t info, size_t *internalDataInBytes,                  \
        size_t *workspaceInBytes);                                                                                                          \
    cusolverStatus_t cusolverSp##S##csrluFactorHost(cusolverSpHandle_t handle, int n, int nnzA, const cusparseMatDescr_t descrA,            \
        const T *csrValA, const int *csrRowPtrA, const int *csrColIndA, csrluInfoHost_t info, R pivot_threshold, void *pBuffer);            \
    cusolverStatus_t cusolverSp##S##csrluZeroPivotHost(cusolverSpHandle_t handle, csrluInfoHost_t info, R tol, int *position);              \
    cusolverStatus_t cusolverSp##S##csrluSolveHost(cusolverSpHandle_t handle, int n, const T *b, T *x, csrluInfoHost_t info,                \
        void *pBuffer);                                                                                                                     \
    cusolverStatus_t cusolverSp##S##csrcholBufferInfoHost(cusolverSpHandle_t handle, int n, int nnzA, const cusparseMatDescr_t descrA,      \
        const T *csrValA, const int *csrRowPtrA, const int *csrColIndA, csrcholInfoHost_t info, size_t *internalDataInBytes,                \
        size_t *workspaceInBytes);                                                                                                          \
    cusolverStatus_t cusolverSp##S##csrcholFactorHost(cusolverSpHandle_t handle, int n, int nnzA, const cusparseMatDescr_t descrA,          \
        const T *csrValA, const int *csrRowPtrA, const int *csrColIndA, csrcholInfoHost_t info, void *pBuffer);                             \
    cusolverStatus_t cusolverSp##S##csrcholZeroPivotHost(cusolverSpHandle_t handle, csrcholInfoHost_t info, R tol, int *position);          \
    cusolverStatus_t cusolverSp##S##csrcholSolveHost(cusolverSpHandle_t handle, int n, const T *b, T *x, csrcholInfoHost_t info,            \
        void *pBuffer);                                                                                                                     \
    cusolverStatus_t cusolverSp##S##csrqrBufferInfoHost(cusolverSpHandle_t handle, int m, int n, int nnzA, const cusparseMatDescr_t descrA, \
        const T *csrValA, const int *csrRowPtrA, const int *csrColIndA, csrqrInfoHost_t info, size_t *internalDataInBytes,                  \
        size_t *workspaceInBytes);                                                                                                          \
    cusolverStatus_t cusolverSp##S##csrqrSetupHost(cusolverSpHandle_t handle, int m, int n, int nnzA, const cusparseMatDescr_t descrA,      \
        const T *csrValA, const int *csrRowPtrA, const int *csrColIndA, T mu, csrqrInfoHost_t info);                                        \
    cusolverStatus_t cusolverSp##S##csrqrFactorHost(cusolverSpHandle_t handle, int m, int n, int nnzA, T *b, T *x, csrqrInfoHost_t info,    \
        void *pBuffer);                                                                                                                     \
    cusolverStatus_t cusolverSp##S##csrqrZeroPivotHost(cusolverSpHandle_t handle, csrqrInfoHost_t info, R tol, int *position);              \
    cusolverStatus_t cusolverSp##S##csrqrSolveHost(cusolverSpHandle_t handle, int m, int n, T *b, T *x, csrqrInfoHost_t info,               \
        void *pBuffer);                                                                                                                     \
    cusolverStatus_t cusolverSp##S##csrcholBufferInfo(cusolverSpHandle_t handle, int n, int nnzA, const cusparseMatDescr_t descrA,          \
        const T *csrValA, const int *csrRowPtrA, const int *csrColIndA, csrcholInfo_t info, size_t *internalDataInBytes,                    \
        size_t *workspaceInBytes);                                                                                                          \
    cusolverStatus_t cusolverSp##S##csrcholFactor(cusolverSpHandle_t handle, int n, int nnzA, const cusparseMatDescr_t descrA,              \
        const T *csrValA, const int *csrRowPtrA, const int *csrColIndA, csrcholInfo_t info, void *pBuffer);                                 \
    cusolverStatus_t cusolverSp##S##csrcholZeroPivot(cusolverSpHandle_t handle, csrcholInfo_t info, R tol, int *position);                  \
    cusolverStatus_t cusolverSp##S##csrcholSolve(cusolverSpHandle_t handle, int n, const T *b, T *x, csrcholInfo_t info, void *pBuffer);    \
    cusolverStatus_t cusolverSp##S##csrqrBufferInfo(cusolverSpHandle_t handle, int m, int n, int nnzA, const cusparseMatDescr_t descrA,     \
        const T *csrValA, const int *csrRowPtrA, const int *csrColIndA, csrqrInfo_t info, size_t *internalDataInBytes,                      \
        size_t *workspaceInBytes);                                                                                                          \
    cusolverStatus_t cusolverSp##S##csrqrSetup(cusolverSpHandle_t handle, int m, int n, int nnzA, const cusparseMatDescr_t descrA,          \
        const T *csrValA, const int *csrRowPtrA, const int *csrColIndA, T mu, csrqrInfo_t info);                                            \
    cusolverStatus_t cusolverSp##S##csrqrFactor(cusolverSpHandle_t handle, int m, int n, int nnzA, T *b, T *x, csrqrInfo_t info,            \
        void *pBuffer);                                                                                                                     \
    cusolverStatus_t cusolverSp##S##csrqrZeroPivot(cusolverSpHandle_t handle, csrqrInfo_t info, R tol, int *position);                      \
    cusolverStatus_t cusolverSp##S##csrqrSolve(cusolverSpHandle_t handle, int m, int n, T *b, T *x, csrqrInfo_t info, void *pBuffer);       \
    cusolverStatus_t cusolverSp##S##csrcholDiag(cusolverSpHandle_t handle, csrcholInfo_t info, R *diag);
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
