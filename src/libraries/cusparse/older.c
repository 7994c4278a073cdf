/* The older interface's descriptors of matrices, and incomplete factors with the position of a pivot that is 0.
 *
 * Factors: of the matrix by rows, in its own structure, without fill-in: LU (csrilu02: unit lower, upper) and Cholesky (csric02: lower
 * triangle, of a symmetric or Hermitian matrix). The calls wait, so that the position is known. */
#include <stdlib.h>

#include "libraries/cusparse/call.h"

/* --- matrix descriptors --- */

cusparseStatus_t cusparseCreateMatDescr(cusparseMatDescr_t *d)
{
    NEED(d, INVALID_VALUE);
    *d = calloc(1, sizeof **d);
    return *d ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_ALLOC_FAILED;
}

cusparseStatus_t cusparseDestroyMatDescr(cusparseMatDescr_t d)
{
    free(d);
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSetMatType(cusparseMatDescr_t d, cusparseMatrixType_t type)
{
    NEED(d && type <= CUSPARSE_MATRIX_TYPE_TRIANGULAR, INVALID_VALUE);
    d->type = type;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseMatrixType_t cusparseGetMatType(const cusparseMatDescr_t d)
{
    return d->type;
}

cusparseStatus_t cusparseSetMatFillMode(cusparseMatDescr_t d, cusparseFillMode_t fill)
{
    NEED(d && fill <= CUSPARSE_FILL_MODE_UPPER, INVALID_VALUE);
    d->fill = fill;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseFillMode_t cusparseGetMatFillMode(const cusparseMatDescr_t d)
{
    return d->fill;
}

cusparseStatus_t cusparseSetMatDiagType(cusparseMatDescr_t d, cusparseDiagType_t diagonal)
{
    NEED(d && diagonal <= CUSPARSE_DIAG_TYPE_UNIT, INVALID_VALUE);
    d->diagonal = diagonal;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseDiagType_t cusparseGetMatDiagType(const cusparseMatDescr_t d)
{
    return d->diagonal;
}

cusparseStatus_t cusparseSetMatIndexBase(cusparseMatDescr_t d, cusparseIndexBase_t base)
{
    NEED(d && base <= CUSPARSE_INDEX_BASE_ONE, INVALID_VALUE);
    d->base = base;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseIndexBase_t cusparseGetMatIndexBase(const cusparseMatDescr_t d)
{
    return d->base;
}

/* --- incomplete factors --- */

struct pivot {
    bool analysed;
    int64_t missing, zero; /* the first diagonal that is not there, that is 0 after the factorisation; -1: none */
    int base;
};

struct csrilu02Info {
    struct pivot pivot;
};

struct csric02Info {
    struct pivot pivot;
};

struct factor {
    struct cusparseSpMatDescr a;
    struct pivot *pivot;
    bool cholesky;
};

cusparseStatus_t cusparseCreateCsrilu02Info(csrilu02Info_t *info)
{
    NEED(info, INVALID_VALUE);
    *info = calloc(1, sizeof **info);
    return *info ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_ALLOC_FAILED;
}

cusparseStatus_t cusparseDestroyCsrilu02Info(csrilu02Info_t info)
{
    free(info);
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseCreateCsric02Info(csric02Info_t *info)
{
    NEED(info, INVALID_VALUE);
    *info = calloc(1, sizeof **info);
    return *info ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_ALLOC_FAILED;
}

cusparseStatus_t cusparseDestroyCsric02Info(csric02Info_t info)
{
    free(info);
    return CUSPARSE_STATUS_SUCCESS;
}

/* The first row without a diagonal. */
static int64_t missing_diagonal(const struct csr *a)
{
    for (int64_t i = 0; i < a->rows; i++) {
        bool there = false;
        for (int64_t k = a->offset[i]; k < a->offset[i + 1] && !there; k++)
            there = a->column[k] - a->base == i;
        if (!there)
            return i;
    }
    return -1;
}

static cudaError_t run_analysis(void *data)
{
    const struct factor *p = data;
    struct scratch s = {.n = 0};
    struct csr rows;
    cudaError_t e = matrix_rows(&s, &p->a, 0, type_compute(p->a.type), false, &rows);
    if (!e)
        *p->pivot = (struct pivot){true, missing_diagonal(&rows), -1, (int)p->a.base};
    scratch_release(&s);
    return e;
}

static cudaError_t run_factor(void *data)
{
    const struct factor *p = data;
    const struct kernels *k = &kernels_of[type_compute(p->a.type)];
    struct scratch s = {.n = 0};
    struct csr rows;
    cudaError_t e = matrix_rows(&s, &p->a, 0, type_compute(p->a.type), true, &rows);
    int64_t *place = e ? NULL : scratch_get(&s, rows.rows * (int64_t)sizeof *place);
    if (!e && !place)
        e = cudaErrorMemoryAllocation;
    if (!e)
        p->pivot->zero = (p->cholesky ? k->ic0 : k->ilu0)(&rows, (void *)rows.values, place);
    scratch_release(&s);
    return e;
}

static struct cusparseSpMatDescr square(int m, int nnz, const struct cusparseMatDescr *d, const void *values, const int *offsets, const int *columns,
                                        cudaDataType type)
{
    return (struct cusparseSpMatDescr){.format = CUSPARSE_FORMAT_CSR, .rows = m, .cols = m, .nnz = nnz, .first = (void *)offsets, .second = (void *)columns,
                                       .values = (void *)values, .first_type = CUSPARSE_INDEX_32I, .second_type = CUSPARSE_INDEX_32I, .base = d->base,
                                       .type = type, .batches = 1};
}

static cusparseStatus_t put_factor(const char *function, cusparseHandle_t h, int m, int nnz, cusparseMatDescr_t d, const void *values, const int *offsets,
                                   const int *columns, cudaDataType type, struct pivot *pivot, bool analysis, bool cholesky)
{
    NEED(h && m >= 0 && nnz >= 0 && d && pivot && (analysis || pivot->analysed), INVALID_VALUE);
    if (d->type != CUSPARSE_MATRIX_TYPE_GENERAL)
        return CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED;
    struct factor p = {square(m, nnz, d, values, offsets, columns, type), pivot, cholesky};
    struct call c = {.function = function, .peak = compute_peak(type_compute(type), type)};
    call_matrix(&c, &p.a, analysis ? 0 : LIBRARY_READ | LIBRARY_WRITE, true);
    return call_put(&c, h, analysis ? run_analysis : run_factor, &p, sizeof p, true);
}

/* The first of both positions, or -1. */
static cusparseStatus_t zero_pivot(cusparseHandle_t h, const struct pivot *p, int *position)
{
    NEED(h && p && position, INVALID_VALUE);
    const int64_t at = p->missing >= 0 && (p->zero < 0 || p->missing < p->zero) ? p->missing : p->zero;
    const int answer = p->analysed && at >= 0 ? (int)at + p->base : -1;
    if (h->mode == CUSPARSE_POINTER_MODE_HOST)
        *position = answer;
    else if (cudaMemcpy(position, &answer, sizeof answer, cudaMemcpyHostToDevice) != cudaSuccess)
        return CUSPARSE_STATUS_EXECUTION_FAILED;
    return answer < 0 ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_ZERO_PIVOT;
}

cusparseStatus_t cusparseXcsrilu02_zeroPivot(cusparseHandle_t h, csrilu02Info_t info, int *position)
{
    return zero_pivot(h, info ? &info->pivot : NULL, position);
}

cusparseStatus_t cusparseXcsric02_zeroPivot(cusparseHandle_t h, csric02Info_t info, int *position)
{
    return zero_pivot(h, info ? &info->pivot : NULL, position);
}

#define FACTOR(S, E, type, name, cholesky)                                                                                                        \
    cusparseStatus_t cusparse##S##name##_bufferSize(cusparseHandle_t h, int m, int nnz, const cusparseMatDescr_t d, E *values, const int *offsets, \
                                                    const int *columns, name##Info_t info, int *bytes)                                           \
    {                                                                                                                                            \
        (void)values, (void)offsets, (void)columns;                                                                                              \
        NEED(h && m >= 0 && nnz >= 0 && d && info && bytes, INVALID_VALUE);                                                                                     \
        *bytes = 8;                                                                                                                              \
        return CUSPARSE_STATUS_SUCCESS;                                                                                                          \
    }                                                                                                                                            \
    cusparseStatus_t cusparse##S##name##_analysis(cusparseHandle_t h, int m, int nnz, const cusparseMatDescr_t d, const E *values,               \
                                                  const int *offsets, const int *columns, name##Info_t info, cusparseSolvePolicy_t policy,       \
                                                  void *buffer)                                                                                  \
    {                                                                                                                                            \
        (void)policy, (void)buffer;                                                                                                              \
        return put_factor("cusparse" #S #name "_analysis", h, m, nnz, d, values, offsets, columns, type, info ? &info->pivot : NULL, true,       \
                          cholesky);                                                                                                             \
    }                                                                                                                                            \
    cusparseStatus_t cusparse##S##name(cusparseHandle_t h, int m, int nnz, const cusparseMatDescr_t d, E *values, const int *offsets,            \
                                       const int *columns, name##Info_t info, cusparseSolvePolicy_t policy, void *buffer)                        \
    {                                                                                                                                            \
        (void)policy, (void)buffer;                                                                                                              \
        return put_factor("cusparse" #S #name, h, m, nnz, d, values, offsets, columns, type, info ? &info->pivot : NULL, false, cholesky);       \
    }
#define BOTH(S, E, type)               \
    FACTOR(S, E, type, csrilu02, false) \
    FACTOR(S, E, type, csric02, true)
BOTH(S, float, CUDA_R_32F)
BOTH(D, double, CUDA_R_64F)
BOTH(C, cuComplex, CUDA_C_32F)
BOTH(Z, cuDoubleComplex, CUDA_C_64F)
