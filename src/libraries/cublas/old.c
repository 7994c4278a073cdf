/* cuBLAS's old interface: the routines of the new one, with a handle for the process. What they answer is kept for cublasGetError. */
#include "cublas.h"

#include <pthread.h>

#include "libraries/cublas/handle.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static cublasHandle_t ours;
static cublasStatus_t kept; /* atomic: the first that was no success */

/* NULL: there is no BLAS; the routine then says what it says of a missing handle. */
static cublasHandle_t handle_of_process(void)
{
    pthread_mutex_lock(&lock);
    if (!ours)
        cublasCreate_v2(&ours);
    cublasHandle_t h = ours;
    pthread_mutex_unlock(&lock);
    return h;
}

static void keep(cublasStatus_t s)
{
    cublasStatus_t none = CUBLAS_STATUS_SUCCESS;
    if (s)
        __atomic_compare_exchange_n(&kept, &none, s, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

cublasStatus_t cublasInit(void)
{
    return handle_of_process() ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_INITIALIZED;
}

cublasStatus_t cublasShutdown(void)
{
    pthread_mutex_lock(&lock);
    cublasStatus_t s = ours ? cublasDestroy_v2(ours) : CUBLAS_STATUS_NOT_INITIALIZED;
    ours = NULL;
    pthread_mutex_unlock(&lock);
    return s;
}

cublasStatus_t cublasGetError(void)
{
    return __atomic_exchange_n(&kept, CUBLAS_STATUS_SUCCESS, __ATOMIC_RELAXED);
}

cublasStatus_t cublasGetVersion(int *version)
{
    return cublasGetVersion_v2(handle_of_process(), version);
}

cublasStatus_t cublasSetKernelStream(cudaStream_t stream)
{
    return cublasSetStream_v2(handle_of_process(), stream);
}

cublasStatus_t cublasAlloc(int n, int elemSize, void **devicePtr)
{
    if (n <= 0 || elemSize <= 0 || !devicePtr)
        return CUBLAS_STATUS_INVALID_VALUE;
    return cudaMalloc(devicePtr, (size_t)n * (size_t)elemSize) ? CUBLAS_STATUS_ALLOC_FAILED : CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasFree(void *devicePtr)
{
    return cudaFree(devicePtr) ? CUBLAS_STATUS_INTERNAL_ERROR : CUBLAS_STATUS_SUCCESS;
}

/* The place of a letter, large or small, among those that mean something; past the last: none of them. */
static int place(char letter, const char *letters)
{
    int i = 0;
    for (; letters[i] && (letter & ~0x20) != letters[i]; i++)
        ;
    return i;
}

#define OP_OF(letter)   (cublasOperation_t)(place(letter, "NTC") < 3 ? place(letter, "NTC") : 9)
#define FILL_OF(letter) (cublasFillMode_t)(place(letter, "LU") < 2 ? place(letter, "LU") : 9)
#define SIDE_OF(letter) (cublasSideMode_t)place(letter, "LR")
#define DIAG_OF(letter) (cublasDiagType_t)place(letter, "NU")

/* An argument of the new function for each parameter of the old one. */
#define PASS_op(name)                     , OP_OF(name)
#define PASS_uplo(name)                   , FILL_OF(name)
#define PASS_side(name)                   , SIDE_OF(name)
#define PASS_diag(name)                   , DIAG_OF(name)
#define PASS_size(name)                   , name
#define PASS_factor(name)                 , &name
#define PASS_real_factor(name)            , &name
#define PASS_factors(name, n)             , name
#define PASS_scalar(name)                 , name
#define PASS_real_scalar(name)            , name
#define PASS_result(name)                 , &answer_
#define PASS_real_result(name)            , &answer_
#define PASS_index(name)                  , &answer_
#define PASS_vector(access, name, inc, n) , name, inc
#define PASS_matrix(access, name, ld, rows, cols, ...) , name, ld
#define PASS_packed(access, name, n)      , name
#define PASS(kind, ...)                   PASS_##kind(__VA_ARGS__)

#define BODY_plain(type, call)   {keep(call);}
#define BODY_by_real(type, call) {keep(call);}
#define BODY_with(type, call)                                                                      \
    {                                                                                              \
        type answer_ = {0};                                                                        \
        keep(call);                                                                                \
        return answer_;                                                                            \
    }
#define BODY_function BODY_with
#define BODY_index    BODY_with
#define BODY_norm     BODY_with

#define HEDDLE_CUBLAS_WIDTH
#define HEDDLE_OLD__v2(naming, name, ...)                                                          \
    HEDDLE_OLD_RETURNS_##naming HEDDLE_NAME_##naming(name) HEDDLE_OLD_PARAMETERS(__VA_ARGS__)      \
    BODY_##naming(HEDDLE_OLD_RETURNS_##naming, HEDDLE_CUBLAS_SYMBOL(naming, name, _v2)(handle_of_process() HEDDLE_MAP(PASS, __VA_ARGS__)))
#define HEDDLE_OLD_apart(...)
#define HEDDLE_OLD_added(...)
#define ROUTINE(naming, name, suffix, routine, multiplications, additions, ...) HEDDLE_OLD_##suffix(naming, name, __VA_ARGS__)
#define HEDDLE_ROUTINES "heddle/cublas_routines.def"
#define HEDDLE_N int
#include "heddle/cublas_each.h"

#define TRMM(letter, T)                                                                                                                \
    void cublas##letter##trmm(char side, char uplo, char transa, char diag, int m, int n, T alpha, const T *A, int lda, T *B, int ldb) \
    {                                                                                                                                  \
        keep(cublas##letter##trmm_v2(handle_of_process(), SIDE_OF(side), FILL_OF(uplo), OP_OF(transa), DIAG_OF(diag), m, n, &alpha, A, \
                                     lda, B, ldb, B, ldb));                                                                            \
    }
TRMM(S, float)
TRMM(D, double)
TRMM(C, cuComplex)
TRMM(Z, cuDoubleComplex)

void cublasSrotmg(float *sd1, float *sd2, float *sx1, const float *sy1, float *sparam)
{
    keep(cublasSrotmg_v2(handle_of_process(), sd1, sd2, sx1, sy1, sparam));
}

void cublasDrotmg(double *sd1, double *sd2, double *sx1, const double *sy1, double *sparam)
{
    keep(cublasDrotmg_v2(handle_of_process(), sd1, sd2, sx1, sy1, sparam));
}
