/* cublasXt (include/cublasXt.h): a product goes to the first device that was selected, whole, by cuBLAS, and comes back before the call
 * ends. Matrices may be in host memory or on a device. What is not there is made from include/heddle/cublasxt_functions.def. */
#include "cublasXt.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "runtime/library.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"

enum { BLOCK_DIM = 2048 }; /* until the program sets one */

struct cublasXtContext {
    cublasHandle_t cublas; /* NULL: no device was selected */
    int device, block;
    cublasXtPinnedMemMode_t pinning;
};

/* --- handles and settings --- */

cublasStatus_t cublasXtCreate(cublasXtHandle_t *handle)
{
    if (!handle)
        return CUBLAS_STATUS_INVALID_VALUE;
    *handle = calloc(1, sizeof **handle);
    if (!*handle)
        return CUBLAS_STATUS_ALLOC_FAILED;
    (*handle)->block = BLOCK_DIM;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasXtDestroy(cublasXtHandle_t handle)
{
    if (!handle)
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (handle->cublas)
        cublasDestroy(handle->cublas);
    free(handle);
    return CUBLAS_STATUS_SUCCESS;
}

static bool are_devices(int n, const int *device)
{
    int count = 0;
    if (n < 1 || !device || cudaGetDeviceCount(&count))
        return false;
    for (int i = 0; i < n; i++)
        if (device[i] < 0 || device[i] >= count)
            return false;
    return true;
}

/* No board has two devices. */
cublasStatus_t cublasXtGetNumBoards(int nbDevices, int deviceId[], int *nbBoards)
{
    if (!nbBoards || !are_devices(nbDevices, deviceId))
        return CUBLAS_STATUS_INVALID_VALUE;
    *nbBoards = nbDevices;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasXtMaxBoards(int *nbGpuBoards)
{
    return nbGpuBoards && !cudaGetDeviceCount(nbGpuBoards) ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}

cublasStatus_t cublasXtDeviceSelect(cublasXtHandle_t handle, int nbDevices, int deviceId[])
{
    int before;
    if (!handle)
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (!are_devices(nbDevices, deviceId) || handle->cublas)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (cudaGetDevice(&before) || cudaSetDevice(deviceId[0]))
        return CUBLAS_STATUS_INTERNAL_ERROR;
    cublasStatus_t s = cublasCreate(&handle->cublas);
    handle->device = deviceId[0];
    cudaSetDevice(before);
    return s;
}

cublasStatus_t cublasXtSetBlockDim(cublasXtHandle_t handle, int blockDim)
{
    if (!handle)
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (blockDim <= 0)
        return CUBLAS_STATUS_INVALID_VALUE;
    handle->block = blockDim;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasXtGetBlockDim(cublasXtHandle_t handle, int *blockDim)
{
    if (!handle || !blockDim)
        return handle ? CUBLAS_STATUS_INVALID_VALUE : CUBLAS_STATUS_NOT_INITIALIZED;
    *blockDim = handle->block;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasXtGetPinningMemMode(cublasXtHandle_t handle, cublasXtPinnedMemMode_t *mode)
{
    if (!handle || !mode)
        return handle ? CUBLAS_STATUS_INVALID_VALUE : CUBLAS_STATUS_NOT_INITIALIZED;
    *mode = handle->pinning;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasXtSetPinningMemMode(cublasXtHandle_t handle, cublasXtPinnedMemMode_t mode)
{
    if (!handle || (unsigned)mode > CUBLASXT_PINNING_ENABLED)
        return handle ? CUBLAS_STATUS_INVALID_VALUE : CUBLAS_STATUS_NOT_INITIALIZED;
    handle->pinning = mode;
    return CUBLAS_STATUS_SUCCESS;
}

/* --- products --- */

/* A matrix by columns and its copy on the device, whose columns are close together. */
struct matrix {
    void *at;
    size_t rows, columns, ld, element;
    void *copy;
};

static bool fetch(struct matrix *m)
{
    size_t bytes = m->rows * m->element;
    if (!bytes || !m->columns)
        return true;
    return !cudaMalloc(&m->copy, bytes * m->columns) &&
           !cudaMemcpy2D(m->copy, bytes, m->at, m->ld * m->element, bytes, m->columns, cudaMemcpyDefault);
}

static bool put_back(const struct matrix *m)
{
    size_t bytes = m->rows * m->element;
    return !cudaMemcpy2D(m->at, m->ld * m->element, m->copy, bytes, bytes, m->columns, cudaMemcpyDefault);
}

static bool is_bad(const struct matrix *m)
{
    return m->ld < (m->rows ? m->rows : 1) || (m->rows && m->columns && !m->at);
}

/* On the handle's device; `product` is cuBLAS's routine for the copies. */
static cublasStatus_t multiply(cublasXtHandle_t h, struct matrix x[3], cublasStatus_t (*product)(cublasHandle_t, const struct matrix *, const void *),
                               const void *numbers)
{
    int before;
    if (!h || !h->cublas)
        return CUBLAS_STATUS_NOT_INITIALIZED;
    for (int i = 0; i < 3; i++)
        if (is_bad(&x[i]))
            return CUBLAS_STATUS_INVALID_VALUE;
    if (!x[2].rows || !x[2].columns)
        return CUBLAS_STATUS_SUCCESS;
    if (cudaGetDevice(&before) || cudaSetDevice(h->device))
        return CUBLAS_STATUS_INTERNAL_ERROR;
    bool there = fetch(&x[0]) && fetch(&x[1]) && fetch(&x[2]);
    cublasStatus_t s = there ? product(h->cublas, x, numbers) : CUBLAS_STATUS_ALLOC_FAILED;
    if (!s && (cudaDeviceSynchronize() || !put_back(&x[2])))
        s = CUBLAS_STATUS_EXECUTION_FAILED;
    for (int i = 0; i < 3; i++)
        cudaFree(x[i].copy);
    cudaSetDevice(before);
    return s;
}

#define XT_GEMM(letter, type)                                                                                                              \
    struct numbers_##letter {                                                                                                              \
        cublasOperation_t a, b;                                                                                                            \
        int64_t k;                                                                                                                         \
        const type *alpha, *beta;                                                                                                          \
    };                                                                                                                                     \
    static cublasStatus_t product_##letter(cublasHandle_t h, const struct matrix *x, const void *numbers)                                  \
    {                                                                                                                                      \
        const struct numbers_##letter *p = numbers;                                                                                        \
        return cublas##letter##gemm_64(h, p->a, p->b, (int64_t)x[2].rows, (int64_t)x[2].columns, p->k, p->alpha, x[0].copy,                \
                                       x[0].rows ? (int64_t)x[0].rows : 1, x[1].copy, x[1].rows ? (int64_t)x[1].rows : 1, p->beta,         \
                                       x[2].copy, (int64_t)x[2].rows);                                                                     \
    }                                                                                                                                      \
    cublasStatus_t cublasXt##letter##gemm(cublasXtHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, size_t m, size_t n, \
                                          size_t k, const type *alpha, const type *A, size_t lda, const type *B, size_t ldb,               \
                                          const type *beta, type *C, size_t ldc)                                                           \
    {                                                                                                                                      \
        const struct numbers_##letter numbers = {transa, transb, (int64_t)k, alpha, beta};                                                 \
        bool a = transa != CUBLAS_OP_N, b = transb != CUBLAS_OP_N;                                                                         \
        struct matrix x[3] = {{(void *)(uintptr_t)A, a ? k : m, a ? m : k, lda, sizeof(type), NULL},                                       \
                              {(void *)(uintptr_t)B, b ? n : k, b ? k : n, ldb, sizeof(type), NULL},                                       \
                              {C, m, n, ldc, sizeof(type), NULL}};                                                                         \
        return alpha && beta ? multiply(handle, x, product_##letter, &numbers) : CUBLAS_STATUS_INVALID_VALUE;                              \
    }
XT_GEMM(S, float)
XT_GEMM(D, double)
XT_GEMM(C, cuComplex)
XT_GEMM(Z, cuDoubleComplex)

/* --- what is not there --- */

#define CUBLASXT_NOT_THERE(name, params)    \
    cublasStatus_t name params              \
    {                                       \
        library_refuse(#name);              \
        return CUBLAS_STATUS_NOT_SUPPORTED; \
    }
#include "heddle/cublasxt_functions.def"
