/* Triangular systems: op(A) y = alpha x (SpSV), and with several right-hand sides (SpSM).
 *
 * The analysis has nothing to find out for loops in row order: it checks and is remembered. Values are read at each solution. */
#include <stdio.h>
#include <stdlib.h>

#include "libraries/cusparse/call.h"

struct cusparseSpSVDescr {
    bool analysed;
};

struct cusparseSpSMDescr {
    bool analysed;
};

struct system {
    struct cusparseSpMatDescr a;
    struct cusparseDnMatDescr x, y; /* a vector: one column */
    cusparseOperation_t opa, opx;
    enum compute as;
    struct scalar alpha;
};

static bool turns(cusparseOperation_t op)
{
    return op != CUSPARSE_OPERATION_NON_TRANSPOSE;
}

static cudaError_t run(void *data)
{
    const struct system *p = data;
    const struct kernels *k = &kernels_of[p->as];
    const bool conjugated = p->opx == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE;
    struct scratch s = {.n = 0};
    struct csr rows;
    struct dense x = {0}, y = {0};
    char *column = NULL;
    cudaError_t e = matrix_rows(&s, &p->a, 0, p->as, true, &rows);
    if (!e) {
        column = scratch_get(&s, p->a.rows * compute_bytes(p->as));
        e = column && dense_read(&s, &p->x, 0, p->as, &x) && dense_read(&s, &p->y, 0, p->as, &y) ? cudaSuccess : cudaErrorMemoryAllocation;
    }
    const struct way way = {turns(p->opa), p->opa == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE};
    const struct triangle triangle = {p->a.fill == CUSPARSE_FILL_MODE_UPPER, p->a.diagonal == CUSPARSE_DIAG_TYPE_UNIT};
    x = turns(p->opx) ? dense_turned(x) : x;
    for (int64_t j = 0; j < p->y.cols && !e; j++) {
        const int width = compute_bytes(p->as);
        k->scale(scalar_at(&p->alpha), (const char *)x.values + j * x.col * width, x.row, conjugated, column, 1, p->a.rows);
        k->trsv(&rows, way, triangle, column);
        k->scale(scalar_one(p->as), column, 1, false, (char *)y.values + j * y.col * width, y.row, p->a.rows);
    }
    if (!e)
        dense_write(&y, &p->y, 0, p->as);
    scratch_release(&s);
    return e;
}

static void shape(const void *data, char *text, size_t size)
{
    const struct system *p = data;
    const int at = call_shape(&p->a, text, size);
    if (at > 0 && (size_t)at < size && p->y.cols != 1)
        snprintf(text + at, size - (size_t)at, ", n %lld", (long long)p->y.cols);
}

static bool is_operation(cusparseOperation_t op, cudaDataType type)
{
    return op == CUSPARSE_OPERATION_NON_TRANSPOSE || op == CUSPARSE_OPERATION_TRANSPOSE || (op == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE && type_is_complex(type));
}

static cusparseStatus_t check(cusparseHandle_t h, cusparseOperation_t opa, cusparseOperation_t opx, const void *alpha, cusparseConstSpMatDescr_t a,
                              const struct cusparseDnMatDescr *x, const struct cusparseDnMatDescr *y, cudaDataType compute, bool algorithm)
{
    NEED(h && alpha && a && algorithm && is_operation(opa, a->type) && is_operation(opx, x->type) && a->rows == a->cols, INVALID_VALUE);
    NEED(y->rows == a->rows && (turns(opx) ? x->cols : x->rows) == a->rows && (turns(opx) ? x->rows : x->cols) == y->cols, INVALID_VALUE);
    NEED(a->format == CUSPARSE_FORMAT_CSR || a->format == CUSPARSE_FORMAT_COO, NOT_SUPPORTED);
    NEED(a->type == compute && x->type == compute && y->type == compute && type_compute(compute) < COMPUTE_I32, NOT_SUPPORTED);
    return CUSPARSE_STATUS_SUCCESS;
}

static cusparseStatus_t put(const char *function, cusparseHandle_t h, cusparseOperation_t opa, cusparseOperation_t opx, const void *alpha,
                            cusparseConstSpMatDescr_t a, const struct cusparseDnMatDescr *x, const struct cusparseDnMatDescr *y)
{
    const enum compute as = type_compute(a->type);
    struct system p = {*a, *x, *y, opa, opx, as, scalar_of(h, alpha, as)};
    struct call c = {.function = function, .flops = (type_is_complex(a->type) ? 8 : 2) * (double)a->nnz * (double)y->cols, .peak = compute_peak(as, a->type), .shape = shape};
    call_matrix(&c, a, LIBRARY_READ, true);
    call_dense(&c, "x", x, LIBRARY_READ);
    call_dense(&c, "y", y, LIBRARY_WRITE);
    call_scalar(&c, "alpha", &p.alpha, as);
    return call_put(&c, h, run, &p, sizeof p, false);
}

/* --- one right-hand side --- */

static struct cusparseDnMatDescr as_column(cusparseConstDnVecDescr_t v)
{
    return (struct cusparseDnMatDescr){.rows = v->size, .cols = 1, .ld = v->size, .values = v->values, .type = v->type, .order = CUSPARSE_ORDER_COL, .batches = 1};
}

static cusparseStatus_t check_vector(cusparseHandle_t h, cusparseOperation_t op, const void *alpha, cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t x,
                                     cusparseConstDnVecDescr_t y, cudaDataType compute, cusparseSpSVAlg_t alg, cusparseSpSVDescr_t d)
{
    NEED(x && y && d, INVALID_VALUE);
    const struct cusparseDnMatDescr from = as_column(x), to = as_column(y);
    return check(h, op, CUSPARSE_OPERATION_NON_TRANSPOSE, alpha, a, &from, &to, compute, alg == CUSPARSE_SPSV_ALG_DEFAULT);
}

cusparseStatus_t cusparseSpSV_createDescr(cusparseSpSVDescr_t *d)
{
    NEED(d, INVALID_VALUE);
    *d = calloc(1, sizeof **d);
    return *d ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_ALLOC_FAILED;
}

cusparseStatus_t cusparseSpSV_destroyDescr(cusparseSpSVDescr_t d)
{
    free(d);
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSpSV_bufferSize(cusparseHandle_t h, cusparseOperation_t op, const void *alpha, cusparseConstSpMatDescr_t a,
                                         cusparseConstDnVecDescr_t x, cusparseDnVecDescr_t y, cudaDataType compute, cusparseSpSVAlg_t alg,
                                         cusparseSpSVDescr_t d, size_t *bytes)
{
    NEED(bytes, INVALID_VALUE);
    cusparseStatus_t e = check_vector(h, op, alpha, a, x, y, compute, alg, d);
    if (!e)
        *bytes = BUFFER;
    return e;
}

cusparseStatus_t cusparseSpSV_analysis(cusparseHandle_t h, cusparseOperation_t op, const void *alpha, cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t x,
                                       cusparseDnVecDescr_t y, cudaDataType compute, cusparseSpSVAlg_t alg, cusparseSpSVDescr_t d, void *buffer)
{
    cusparseStatus_t e = check_vector(h, op, alpha, a, x, y, compute, alg, d);
    (void)buffer;
    if (!e)
        d->analysed = true;
    return e;
}

cusparseStatus_t cusparseSpSV_solve(cusparseHandle_t h, cusparseOperation_t op, const void *alpha, cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t x,
                                    cusparseDnVecDescr_t y, cudaDataType compute, cusparseSpSVAlg_t alg, cusparseSpSVDescr_t d)
{
    cusparseStatus_t e = check_vector(h, op, alpha, a, x, y, compute, alg, d);
    if (e)
        return e;
    NEED(d->analysed, NOT_INITIALIZED);
    const struct cusparseDnMatDescr from = as_column(x), to = as_column(y);
    return put("cusparseSpSV_solve", h, op, CUSPARSE_OPERATION_NON_TRANSPOSE, alpha, a, &from, &to);
}

/* --- several --- */

static cusparseStatus_t check_matrix(cusparseHandle_t h, cusparseOperation_t opa, cusparseOperation_t opb, const void *alpha, cusparseConstSpMatDescr_t a,
                                     cusparseConstDnMatDescr_t b, cusparseConstDnMatDescr_t c, cudaDataType compute, cusparseSpSMAlg_t alg, cusparseSpSMDescr_t d)
{
    NEED(b && c && d, INVALID_VALUE);
    return check(h, opa, opb, alpha, a, b, c, compute, alg == CUSPARSE_SPSM_ALG_DEFAULT);
}

cusparseStatus_t cusparseSpSM_createDescr(cusparseSpSMDescr_t *d)
{
    NEED(d, INVALID_VALUE);
    *d = calloc(1, sizeof **d);
    return *d ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_ALLOC_FAILED;
}

cusparseStatus_t cusparseSpSM_destroyDescr(cusparseSpSMDescr_t d)
{
    free(d);
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSpSM_bufferSize(cusparseHandle_t h, cusparseOperation_t opa, cusparseOperation_t opb, const void *alpha, cusparseConstSpMatDescr_t a,
                                         cusparseConstDnMatDescr_t b, cusparseDnMatDescr_t c, cudaDataType compute, cusparseSpSMAlg_t alg,
                                         cusparseSpSMDescr_t d, size_t *bytes)
{
    NEED(bytes, INVALID_VALUE);
    cusparseStatus_t e = check_matrix(h, opa, opb, alpha, a, b, c, compute, alg, d);
    if (!e)
        *bytes = BUFFER;
    return e;
}

cusparseStatus_t cusparseSpSM_analysis(cusparseHandle_t h, cusparseOperation_t opa, cusparseOperation_t opb, const void *alpha, cusparseConstSpMatDescr_t a,
                                       cusparseConstDnMatDescr_t b, cusparseDnMatDescr_t c, cudaDataType compute, cusparseSpSMAlg_t alg, cusparseSpSMDescr_t d,
                                       void *buffer)
{
    cusparseStatus_t e = check_matrix(h, opa, opb, alpha, a, b, c, compute, alg, d);
    (void)buffer;
    if (!e)
        d->analysed = true;
    return e;
}

cusparseStatus_t cusparseSpSM_solve(cusparseHandle_t h, cusparseOperation_t opa, cusparseOperation_t opb, const void *alpha, cusparseConstSpMatDescr_t a,
                                    cusparseConstDnMatDescr_t b, cusparseDnMatDescr_t c, cudaDataType compute, cusparseSpSMAlg_t alg, cusparseSpSMDescr_t d)
{
    cusparseStatus_t e = check_matrix(h, opa, opb, alpha, a, b, c, compute, alg, d);
    if (e)
        return e;
    NEED(d->analysed, NOT_INITIALIZED);
    return put("cusparseSpSM_solve", h, opa, opb, alpha, a, b, c);
}
