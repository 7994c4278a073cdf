/* cuBLAS's old interface, without handles: one for the process. The routines are declared from heddle/cublas_routines.def. */
#ifndef CUBLAS_H_
#define CUBLAS_H_

#ifdef CUBLAS_V2_H_
#error "cublas_v2.h is included already: a source file takes one of the two interfaces of cuBLAS"
#endif

#include "cublas_api.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

typedef cublasStatus_t cublasStatus;

cublasStatus_t cublasInit(void);
cublasStatus_t cublasShutdown(void);
cublasStatus_t cublasGetError(void); /* of the calls since the last time it was asked */
cublasStatus_t cublasGetVersion(int *version);
cublasStatus_t cublasAlloc(int n, int elemSize, void **devicePtr);
cublasStatus_t cublasFree(void *devicePtr);
cublasStatus_t cublasSetKernelStream(cudaStream_t stream);

#pragma push_macro("ROUTINE")
#undef ROUTINE
#include "heddle/cublas_old.h"
#define HEDDLE_OLD__v2(naming, name, ...) HEDDLE_OLD_RETURNS_##naming HEDDLE_NAME_##naming(name) HEDDLE_OLD_PARAMETERS(__VA_ARGS__);
#define HEDDLE_OLD_apart(...)
#define HEDDLE_OLD_added(...)
#define ROUTINE(naming, name, suffix, routine, multiplications, additions, ...) HEDDLE_OLD_##suffix(naming, name, __VA_ARGS__)
#define HEDDLE_ROUTINES "heddle/cublas_routines.def"
#define HEDDLE_N int
#include "heddle/cublas_each.h"
#undef HEDDLE_N
#undef HEDDLE_ROUTINES
#undef HEDDLE_OLD__v2
#undef HEDDLE_OLD_apart
#undef HEDDLE_OLD_added
#undef ROUTINE
#pragma pop_macro("ROUTINE")

/* What has other parameters than in the new interface: trmm multiplies in place. */
#define HEDDLE_OLD_TRMM(letter, T) \
    void cublas##letter##trmm(char side, char uplo, char transa, char diag, int m, int n, T alpha, const T *A, int lda, T *B, int ldb);
HEDDLE_OLD_TRMM(S, float)
HEDDLE_OLD_TRMM(D, double)
HEDDLE_OLD_TRMM(C, cuComplex)
HEDDLE_OLD_TRMM(Z, cuDoubleComplex)
#undef HEDDLE_OLD_TRMM
void cublasSrotmg(float *sd1, float *sd2, float *sx1, const float *sy1, float *sparam);
void cublasDrotmg(double *sd1, double *sd2, double *sx1, const double *sy1, double *sparam);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
