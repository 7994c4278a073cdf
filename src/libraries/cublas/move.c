/* cuBLAS: vectors and matrices from the host to the device and back, as copies of rows. */
#include <limits.h>

#include "libraries/cublas/handle.h"

/* n elements, or columns, that lie so many elements apart on either side: a vector's elements are rows of one element. */
static cublasStatus_t move(int64_t rows, int64_t count, int64_t size, const void *from, int64_t from_step, void *to, int64_t to_step, bool async,
                           enum cudaMemcpyKind kind, cudaStream_t stream)
{
    if (size <= 0 || from_step < 1 || to_step < 1)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (rows < 0 || count < 0)
        return CUBLAS_STATUS_MAPPING_ERROR;
    if (!rows || !count)
        return CUBLAS_STATUS_SUCCESS;
    size_t bytes = (size_t)size, width = (size_t)rows * bytes, height = (size_t)count;
    if (from_step == rows && to_step == rows) {
        width *= height;
        height = 1;
    }
    size_t to_pitch = height == 1 ? width : (size_t)to_step * bytes, from_pitch = height == 1 ? width : (size_t)from_step * bytes;
    cudaError_t e = async ? cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, width, height, kind, stream)
                          : cudaMemcpy2D(to, to_pitch, from, from_pitch, width, height, kind);
    return e ? CUBLAS_STATUS_MAPPING_ERROR : CUBLAS_STATUS_SUCCESS;
}

static cublasStatus_t move_matrix(int64_t rows, int64_t cols, int64_t size, const void *from, int64_t lda, void *to, int64_t ldb, bool async,
                                  enum cudaMemcpyKind kind, cudaStream_t stream)
{
    if (lda < rows || ldb < rows)
        return CUBLAS_STATUS_MAPPING_ERROR; /* as from the copy that it is on a GPU */
    return move(rows, cols, size, from, lda, to, ldb, async, kind, stream);
}

#define MOVES(N, wide)                                                                                                                        \
    cublasStatus_t cublasSetVector##wide(N n, N elemSize, const void *x, N incx, void *devicePtr, N incy)                                     \
    {                                                                                                                                         \
        return move(1, n, elemSize, x, incx, devicePtr, incy, false, cudaMemcpyHostToDevice, NULL);                                           \
    }                                                                                                                                         \
    cublasStatus_t cublasGetVector##wide(N n, N elemSize, const void *x, N incx, void *y, N incy)                                             \
    {                                                                                                                                         \
        return move(1, n, elemSize, x, incx, y, incy, false, cudaMemcpyDeviceToHost, NULL);                                                   \
    }                                                                                                                                         \
    cublasStatus_t cublasSetMatrix##wide(N rows, N cols, N elemSize, const void *A, N lda, void *B, N ldb)                                    \
    {                                                                                                                                         \
        return move_matrix(rows, cols, elemSize, A, lda, B, ldb, false, cudaMemcpyHostToDevice, NULL);                                        \
    }                                                                                                                                         \
    cublasStatus_t cublasGetMatrix##wide(N rows, N cols, N elemSize, const void *A, N lda, void *B, N ldb)                                    \
    {                                                                                                                                         \
        return move_matrix(rows, cols, elemSize, A, lda, B, ldb, false, cudaMemcpyDeviceToHost, NULL);                                        \
    }                                                                                                                                         \
    cublasStatus_t cublasSetVectorAsync##wide(N n, N elemSize, const void *hostPtr, N incx, void *devicePtr, N incy, cudaStream_t stream)     \
    {                                                                                                                                         \
        return move(1, n, elemSize, hostPtr, incx, devicePtr, incy, true, cudaMemcpyHostToDevice, stream);                                    \
    }                                                                                                                                         \
    cublasStatus_t cublasGetVectorAsync##wide(N n, N elemSize, const void *devicePtr, N incx, void *hostPtr, N incy, cudaStream_t stream)     \
    {                                                                                                                                         \
        return move(1, n, elemSize, devicePtr, incx, hostPtr, incy, true, cudaMemcpyDeviceToHost, stream);                                    \
    }                                                                                                                                         \
    cublasStatus_t cublasSetMatrixAsync##wide(N rows, N cols, N elemSize, const void *A, N lda, void *B, N ldb, cudaStream_t stream)          \
    {                                                                                                                                         \
        return move_matrix(rows, cols, elemSize, A, lda, B, ldb, true, cudaMemcpyHostToDevice, stream);                                       \
    }                                                                                                                                         \
    cublasStatus_t cublasGetMatrixAsync##wide(N rows, N cols, N elemSize, const void *A, N lda, void *B, N ldb, cudaStream_t stream)          \
    {                                                                                                                                         \
        return move_matrix(rows, cols, elemSize, A, lda, B, ldb, true, cudaMemcpyDeviceToHost, stream);                                       \
    }
MOVES(int, )
MOVES(int64_t, _64)
