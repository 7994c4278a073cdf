/* Products of groups of batches: each group is a batch of its own sizes, whose pointers lie behind those of the groups before it. */
#include "libraries/cublas/handle.h"
#include "libraries/linear/elements.h"

/* Bytes of a factor of this compute type and kind of numbers. */
static size_t factor_bytes(cublasComputeType_t t, cudaDataType c)
{
    bool is_complex = element_is_complex(c);
    switch (t) {
    case CUBLAS_COMPUTE_16F:
    case CUBLAS_COMPUTE_16F_PEDANTIC:
        return 2;
    case CUBLAS_COMPUTE_64F:
    case CUBLAS_COMPUTE_64F_PEDANTIC:
    case CUBLAS_COMPUTE_64F_EMULATED_FIXEDPOINT:
        return is_complex ? 16 : 8;
    default:
        return is_complex ? 8 : 4;
    }
}

#define GROUPED(N, wide)                                                                                                                                   \
    cublasStatus_t cublasGemmGroupedBatchedEx##wide(                                                                                                       \
        cublasHandle_t handle, const cublasOperation_t transa_array[], const cublasOperation_t transb_array[], const N m_array[], const N n_array[],       \
        const N k_array[], const void *alpha_array, const void *const Aarray[], cudaDataType_t Atype, const N lda_array[], const void *const Barray[],     \
        cudaDataType_t Btype, const N ldb_array[], const void *beta_array, void *const Carray[], cudaDataType_t Ctype, const N ldc_array[], N group_count, \
        const N group_size[], cublasComputeType_t computeType)                                                                                             \
    {                                                                                                                                                      \
        size_t bytes = factor_bytes(computeType, Ctype);                                                                                                   \
        cublasStatus_t s = handle_is_one(handle) ? group_count < 0 ? CUBLAS_STATUS_INVALID_VALUE : CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_INITIALIZED;  \
        for (N i = 0, first = 0; i < group_count && !s; first += group_size[i++])                                                                          \
            s = cublasGemmBatchedEx##wide(handle, transa_array[i], transb_array[i], m_array[i], n_array[i], k_array[i],                                    \
                                          (const char *)alpha_array + (size_t)i * bytes, Aarray + first, Atype, lda_array[i], Barray + first, Btype,       \
                                          ldb_array[i], (const char *)beta_array + (size_t)i * bytes, Carray + first, Ctype, ldc_array[i], group_size[i],  \
                                          computeType, CUBLAS_GEMM_DEFAULT);                                                                               \
        return s;                                                                                                                                          \
    }
GROUPED(int, )
GROUPED(int64_t, _64)

#define TYPED(N, wide, letter, T, type, compute)                                                                                                             \
    cublasStatus_t cublas##letter##gemmGroupedBatched##wide(                                                                                                 \
        cublasHandle_t handle, const cublasOperation_t transa_array[], const cublasOperation_t transb_array[], const N m_array[], const N n_array[],         \
        const N k_array[], const T alpha_array[], const T *const Aarray[], const N lda_array[], const T *const Barray[], const N ldb_array[],                \
        const T beta_array[], T *const Carray[], const N ldc_array[], N group_count, const N group_size[])                                                   \
    {                                                                                                                                                        \
        return cublasGemmGroupedBatchedEx##wide(handle, transa_array, transb_array, m_array, n_array, k_array, alpha_array, (const void *const *)Aarray,     \
                                                type, lda_array, (const void *const *)Barray, type, ldb_array, beta_array, (void *const *)Carray, type, \
                                                ldc_array, group_count, group_size, compute);                                                                \
    }
TYPED(int, , S, float, CUDA_R_32F, CUBLAS_COMPUTE_32F)
TYPED(int, , D, double, CUDA_R_64F, CUBLAS_COMPUTE_64F)
TYPED(int64_t, _64, S, float, CUDA_R_32F, CUBLAS_COMPUTE_32F)
TYPED(int64_t, _64, D, double, CUDA_R_64F, CUBLAS_COMPUTE_64F)
