/* cuBLAS as the manual of CUDA 12 describes it: types, and all functions under the names that the library exports.
 *
 * Programs include cublas_v2.h, which adds the names without _v2. The functions for each element type, with 32- and 64-bit sizes, are
 * declared from heddle/cublas_routines.def, the others below. docs/libraries.md says what is there. */
#ifndef CUBLAS_API_H_
#define CUBLAS_API_H_

#include <stddef.h>
#include <stdint.h>

#include "cuComplex.h"
#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "cuda_runtime_api.h"
#include "driver_types.h"
#include "library_types.h"

#ifndef CUBLASWINAPI
#define CUBLASWINAPI
#endif
#ifndef CUBLASAPI
#define CUBLASAPI
#endif

#define CUBLAS_VER_MAJOR 12
#define CUBLAS_VER_MINOR 9
#define CUBLAS_VER_PATCH 1
#define CUBLAS_VER_BUILD 0
#define CUBLAS_VERSION (CUBLAS_VER_MAJOR * 10000 + CUBLAS_VER_MINOR * 100 + CUBLAS_VER_PATCH)

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
#define CUBLAS_STATUS(name, value, text) name = value,
#include "heddle/cublas_statuses.def"
#undef CUBLAS_STATUS
} cublasStatus_t;

typedef enum {
    CUBLAS_FILL_MODE_LOWER = 0,
    CUBLAS_FILL_MODE_UPPER = 1,
    CUBLAS_FILL_MODE_FULL = 2
} cublasFillMode_t;

typedef enum {
    CUBLAS_DIAG_NON_UNIT = 0,
    CUBLAS_DIAG_UNIT = 1
} cublasDiagType_t;

typedef enum {
    CUBLAS_SIDE_LEFT = 0,
    CUBLAS_SIDE_RIGHT = 1
} cublasSideMode_t;

typedef enum {
    CUBLAS_OP_N = 0,
    CUBLAS_OP_T = 1,
    CUBLAS_OP_C = 2,
    CUBLAS_OP_HERMITAN = 2,
    CUBLAS_OP_CONJG = 3 /* no routine takes it */
} cublasOperation_t;

typedef enum {
    CUBLAS_POINTER_MODE_HOST = 0,
    CUBLAS_POINTER_MODE_DEVICE = 1
} cublasPointerMode_t;

typedef enum {
    CUBLAS_ATOMICS_NOT_ALLOWED = 0,
    CUBLAS_ATOMICS_ALLOWED = 1
} cublasAtomicsMode_t;

/* Which kernel computes a product: there is one way here, so any will do. */
typedef enum {
    CUBLAS_GEMM_DFALT = -1,
    CUBLAS_GEMM_DEFAULT = -1,
    CUBLAS_GEMM_ALGO0 = 0, CUBLAS_GEMM_ALGO1, CUBLAS_GEMM_ALGO2, CUBLAS_GEMM_ALGO3, CUBLAS_GEMM_ALGO4, CUBLAS_GEMM_ALGO5, CUBLAS_GEMM_ALGO6,
    CUBLAS_GEMM_ALGO7, CUBLAS_GEMM_ALGO8, CUBLAS_GEMM_ALGO9, CUBLAS_GEMM_ALGO10, CUBLAS_GEMM_ALGO11, CUBLAS_GEMM_ALGO12, CUBLAS_GEMM_ALGO13,
    CUBLAS_GEMM_ALGO14, CUBLAS_GEMM_ALGO15, CUBLAS_GEMM_ALGO16, CUBLAS_GEMM_ALGO17, CUBLAS_GEMM_ALGO18, CUBLAS_GEMM_ALGO19, CUBLAS_GEMM_ALGO20,
    CUBLAS_GEMM_ALGO21, CUBLAS_GEMM_ALGO22, CUBLAS_GEMM_ALGO23,
    CUBLAS_GEMM_DEFAULT_TENSOR_OP = 99,
    CUBLAS_GEMM_DFALT_TENSOR_OP = 99,
    CUBLAS_GEMM_ALGO0_TENSOR_OP = 100, CUBLAS_GEMM_ALGO1_TENSOR_OP, CUBLAS_GEMM_ALGO2_TENSOR_OP, CUBLAS_GEMM_ALGO3_TENSOR_OP,
    CUBLAS_GEMM_ALGO4_TENSOR_OP, CUBLAS_GEMM_ALGO5_TENSOR_OP, CUBLAS_GEMM_ALGO6_TENSOR_OP, CUBLAS_GEMM_ALGO7_TENSOR_OP,
    CUBLAS_GEMM_ALGO8_TENSOR_OP, CUBLAS_GEMM_ALGO9_TENSOR_OP, CUBLAS_GEMM_ALGO10_TENSOR_OP, CUBLAS_GEMM_ALGO11_TENSOR_OP,
    CUBLAS_GEMM_ALGO12_TENSOR_OP, CUBLAS_GEMM_ALGO13_TENSOR_OP, CUBLAS_GEMM_ALGO14_TENSOR_OP, CUBLAS_GEMM_ALGO15_TENSOR_OP,
    CUBLAS_GEMM_AUTOTUNE = 999
} cublasGemmAlgo_t;

/* Bits of cublasSetMathMode. */
typedef enum {
    CUBLAS_DEFAULT_MATH = 0,
    CUBLAS_TENSOR_OP_MATH = 1,
    CUBLAS_PEDANTIC_MATH = 2,
    CUBLAS_TF32_TENSOR_OP_MATH = 3,
    CUBLAS_FP32_EMULATED_BF16X9_MATH = 4,
    CUBLAS_FP64_EMULATED_FIXEDPOINT_MATH = 8,
    CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION = 16
} cublasMath_t;

typedef cudaDataType cublasDataType_t;

/* What a product is computed in. */
typedef enum {
    CUBLAS_COMPUTE_16F = 64,
    CUBLAS_COMPUTE_16F_PEDANTIC = 65,
    CUBLAS_COMPUTE_32F = 68,
    CUBLAS_COMPUTE_32F_PEDANTIC = 69,
    CUBLAS_COMPUTE_64F = 70,
    CUBLAS_COMPUTE_64F_PEDANTIC = 71,
    CUBLAS_COMPUTE_32I = 72,
    CUBLAS_COMPUTE_32I_PEDANTIC = 73,
    CUBLAS_COMPUTE_32F_FAST_16F = 74,
    CUBLAS_COMPUTE_32F_FAST_16BF = 75,
    CUBLAS_COMPUTE_32F_FAST_TF32 = 77,
    CUBLAS_COMPUTE_32F_EMULATED_16BFX9 = 78,
    CUBLAS_COMPUTE_64F_EMULATED_FIXEDPOINT = 79
} cublasComputeType_t;

typedef enum {
    CUBLAS_EMULATION_STRATEGY_DEFAULT = 0,
    CUBLAS_EMULATION_STRATEGY_PERFORMANT = 1,
    CUBLAS_EMULATION_STRATEGY_EAGER = 2
} cublasEmulationStrategy_t;

struct cublasContext;
typedef struct cublasContext *cublasHandle_t;
typedef void (*cublasLogCallback)(const char *msg);

/* --- handles --- */
cublasStatus_t cublasCreate_v2(cublasHandle_t *handle);
cublasStatus_t cublasDestroy_v2(cublasHandle_t handle);
cublasStatus_t cublasGetVersion_v2(cublasHandle_t handle, int *version);
cublasStatus_t cublasGetProperty(libraryPropertyType type, int *value);
size_t cublasGetCudartVersion(void);
cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void *workspace, size_t workspaceSizeInBytes);
cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t streamId);
cublasStatus_t cublasGetStream_v2(cublasHandle_t handle, cudaStream_t *streamId);
cublasStatus_t cublasGetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t *mode);
cublasStatus_t cublasSetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t mode);
cublasStatus_t cublasGetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t *mode);
cublasStatus_t cublasSetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t mode);
cublasStatus_t cublasGetMathMode(cublasHandle_t handle, cublasMath_t *mode);
cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode);
cublasStatus_t cublasGetSmCountTarget(cublasHandle_t handle, int *smCountTarget);
cublasStatus_t cublasSetSmCountTarget(cublasHandle_t handle, int smCountTarget);
const char *cublasGetStatusName(cublasStatus_t status);
const char *cublasGetStatusString(cublasStatus_t status);
cublasStatus_t cublasLoggerConfigure(int logIsOn, int logToStdOut, int logToStdErr, const char *logFileName);
cublasStatus_t cublasSetLoggerCallback(cublasLogCallback userCallback);
cublasStatus_t cublasGetLoggerCallback(cublasLogCallback *userCallback);
void cublasXerbla(const char *srName, int info);

/* --- vectors and matrices between host and device; HEDDLE_N is int, and int64_t for the functions in _64 --- */
#define HEDDLE_CUBLAS_MOVE(N, wide)                                                                                                            \
    cublasStatus_t cublasSetVector##wide(N n, N elemSize, const void *x, N incx, void *devicePtr, N incy);                                     \
    cublasStatus_t cublasGetVector##wide(N n, N elemSize, const void *x, N incx, void *y, N incy);                                             \
    cublasStatus_t cublasSetMatrix##wide(N rows, N cols, N elemSize, const void *A, N lda, void *B, N ldb);                                    \
    cublasStatus_t cublasGetMatrix##wide(N rows, N cols, N elemSize, const void *A, N lda, void *B, N ldb);                                    \
    cublasStatus_t cublasSetVectorAsync##wide(N n, N elemSize, const void *hostPtr, N incx, void *devicePtr, N incy, cudaStream_t stream);     \
    cublasStatus_t cublasGetVectorAsync##wide(N n, N elemSize, const void *devicePtr, N incx, void *hostPtr, N incy, cudaStream_t stream);     \
    cublasStatus_t cublasSetMatrixAsync##wide(N rows, N cols, N elemSize, const void *A, N lda, void *B, N ldb, cudaStream_t stream);          \
    cublasStatus_t cublasGetMatrixAsync##wide(N rows, N cols, N elemSize, const void *A, N lda, void *B, N ldb, cudaStream_t stream);
HEDDLE_CUBLAS_MOVE(int, )
HEDDLE_CUBLAS_MOVE(int64_t, _64)
#undef HEDDLE_CUBLAS_MOVE

/* --- groups of batches: arrays of sizes and factors on the host, of pointers in device memory --- */
#define HEDDLE_CUBLAS_GROUPED(N, wide)                                                                                                                     \
    cublasStatus_t cublasSgemmGroupedBatched##wide(                                                                                                        \
        cublasHandle_t handle, const cublasOperation_t transa_array[], const cublasOperation_t transb_array[], const N m_array[], const N n_array[],       \
        const N k_array[], const float alpha_array[], const float *const Aarray[], const N lda_array[], const float *const Barray[], const N ldb_array[],  \
        const float beta_array[], float *const Carray[], const N ldc_array[], N group_count, const N group_size[]);                                        \
    cublasStatus_t cublasDgemmGroupedBatched##wide(                                                                                                        \
        cublasHandle_t handle, const cublasOperation_t transa_array[], const cublasOperation_t transb_array[], const N m_array[], const N n_array[],       \
        const N k_array[], const double alpha_array[], const double *const Aarray[], const N lda_array[], const double *const Barray[],                    \
        const N ldb_array[], const double beta_array[], double *const Carray[], const N ldc_array[], N group_count, const N group_size[]);                 \
    cublasStatus_t cublasGemmGroupedBatchedEx##wide(                                                                                                       \
        cublasHandle_t handle, const cublasOperation_t transa_array[], const cublasOperation_t transb_array[], const N m_array[], const N n_array[],       \
        const N k_array[], const void *alpha_array, const void *const Aarray[], cudaDataType_t Atype, const N lda_array[], const void *const Barray[],     \
        cudaDataType_t Btype, const N ldb_array[], const void *beta_array, void *const Carray[], cudaDataType_t Ctype, const N ldc_array[], N group_count, \
        const N group_size[], cublasComputeType_t computeType);
HEDDLE_CUBLAS_GROUPED(int, )
HEDDLE_CUBLAS_GROUPED(int64_t, _64)
#undef HEDDLE_CUBLAS_GROUPED

/* --- what is not there --- */
#define CUBLAS_NOT_THERE(name, params) cublasStatus_t name params;
#include "heddle/cublas_functions.def"

/* --- routines --- */
#pragma push_macro("ROUTINE")
#undef ROUTINE
#include "heddle/cublas_parameters.h"
#define ROUTINE(naming, name, suffix, routine, multiplications, additions, ...) \
    cublasStatus_t HEDDLE_CUBLAS_SYMBOL(naming, name, suffix)(cublasHandle_t handle HEDDLE_PARAMETERS(__VA_ARGS__));
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
#undef ROUTINE
#pragma pop_macro("ROUTINE")

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
