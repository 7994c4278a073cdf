/* Products: sparse matrix by vector (SpMV), by dense matrix (SpMM), and dense by dense at a sparse matrix's places (SDDMM).
 *
 * The algorithms of the interface differ in their order of sums on a GPU; here they are one. Statuses are an H200's
 * (tests/truth/libraries/cusparse.tsv). */
#include "libraries/cusparse/products.h"

#include <stdio.h>

/* An operation that the values allow: a conjugate only of complex ones. */
static bool is_operation(cusparseOperation_t op, cudaDataType type)
{
    return op == CUSPARSE_OPERATION_NON_TRANSPOSE || op == CUSPARSE_OPERATION_TRANSPOSE || (op == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE && type_is_complex(type));
}

static bool turns(cusparseOperation_t op)
{
    return op != CUSPARSE_OPERATION_NON_TRANSPOSE;
}

static struct way way_of(cusparseOperation_t op, const struct csr *rows)
{
    return (struct way){turns(op) != rows->transposed, op == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE};
}

/* Floating-point operations of a product and its sum. */
static double multiply_adds(enum compute as)
{
    return as == COMPUTE_C32 || as == COMPUTE_C64 ? 8 : 2;
}

/* Elements of a matrix: BSR counts in blocks. */
static int64_t height(const struct cusparseSpMatDescr *m)
{
    return m->rows * (m->format == CUSPARSE_FORMAT_BSR ? m->block_rows : 1);
}

static int64_t width(const struct cusparseSpMatDescr *m)
{
    return m->cols * (m->format == CUSPARSE_FORMAT_BSR ? m->block_cols : 1);
}

/* Input and output formats that go with a compute type (cuSPARSE API reference, cusparseSpMV): inputs of one format, the output of the
 * same one or of the compute type; mixed ones widen the matrix alone. */
static bool goes_with(cudaDataType matrix, cudaDataType in, cudaDataType out, cudaDataType compute)
{
    enum compute c = type_compute(compute);
    if (c == COMPUTES || !type_widens(matrix, c) || !type_widens(in, c))
        return false;
    if (type_is(in, c))
        return out == in && (matrix == in || (!type_is(matrix, c) && type_bytes(matrix) >= 4));
    return matrix == in && type_bytes(in) < 4 + 4 * type_is_complex(in) && (out == compute || (out == in && c != COMPUTE_I32 && in != CUDA_R_8I));
}

/* --- SpMV --- */

struct spmv {
    struct cusparseSpMatDescr a;
    struct cusparseDnVecDescr x, y;
    cusparseOperation_t op;
    enum compute as;
    struct scalar alpha, beta;
};

static cudaError_t run_spmv(void *data)
{
    const struct spmv *p = data;
    struct scratch s = {.n = 0};
    struct csr rows;
    cudaError_t e = matrix_rows(&s, &p->a, 0, p->as, true, &rows);
    if (!e) {
        const void *x = array_read(&s, p->x.values, p->x.type, p->as, p->x.size);
        void *y = array_read(&s, p->y.values, p->y.type, p->as, p->y.size);
        e = x && y ? cudaSuccess : cudaErrorMemoryAllocation;
        if (!e) {
            kernels_of[p->as].spmv(&rows, way_of(p->op, &rows), scalar_at(&p->alpha), x, scalar_at(&p->beta), y);
            array_write(y, p->y.values, p->y.type, p->as, p->y.size);
        }
    }
    scratch_release(&s);
    return e;
}

static void shape_spmv(const void *data, char *text, size_t size)
{
    call_shape(&((const struct spmv *)data)->a, text, size);
}

static bool spmv_algorithm(cusparseFormat_t format, cusparseSpMVAlg_t alg)
{
    switch (alg) {
    case CUSPARSE_SPMV_ALG_DEFAULT:
        return true;
    case CUSPARSE_SPMV_COO_ALG1:
    case CUSPARSE_SPMV_COO_ALG2:
        return format == CUSPARSE_FORMAT_COO;
    case CUSPARSE_SPMV_CSR_ALG1:
    case CUSPARSE_SPMV_CSR_ALG2:
        return format == CUSPARSE_FORMAT_CSR || format == CUSPARSE_FORMAT_CSC;
    case CUSPARSE_SPMV_BSR_ALG1:
        return format == CUSPARSE_FORMAT_BSR;
    default:
        return false;
    }
}

static cusparseStatus_t check_spmv(cusparseHandle_t h, cusparseOperation_t op, const void *alpha, cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t x,
                                   const void *beta, cusparseConstDnVecDescr_t y, cudaDataType compute, cusparseSpMVAlg_t alg)
{
    NEED(h && alpha && a && x && beta && y && is_operation(op, a->type) && spmv_algorithm(a->format, alg), INVALID_VALUE);
    NEED(x->size == (turns(op) ? height(a) : width(a)) && y->size == (turns(op) ? width(a) : height(a)), INVALID_VALUE);
    NEED(a->format != CUSPARSE_FORMAT_BLOCKED_ELL && a->batches == 1 && goes_with(a->type, x->type, y->type, compute), NOT_SUPPORTED);
    NEED(a->format != CUSPARSE_FORMAT_BSR || !turns(op), NOT_SUPPORTED);
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSpMV_bufferSize(cusparseHandle_t h, cusparseOperation_t op, const void *alpha, cusparseConstSpMatDescr_t a,
                                         cusparseConstDnVecDescr_t x, const void *beta, cusparseDnVecDescr_t y, cudaDataType compute,
                                         cusparseSpMVAlg_t alg, size_t *bytes)
{
    NEED(bytes, INVALID_VALUE);
    cusparseStatus_t e = check_spmv(h, op, alpha, a, x, beta, y, compute, alg);
    if (!e)
        *bytes = BUFFER;
    return e;
}

cusparseStatus_t cusparseSpMV_preprocess(cusparseHandle_t h, cusparseOperation_t op, const void *alpha, cusparseConstSpMatDescr_t a,
                                         cusparseConstDnVecDescr_t x, const void *beta, cusparseDnVecDescr_t y, cudaDataType compute,
                                         cusparseSpMVAlg_t alg, void *buffer)
{
    (void)buffer;
    return check_spmv(h, op, alpha, a, x, beta, y, compute, alg);
}

cusparseStatus_t products_spmv(const char *function, cusparseHandle_t h, cusparseOperation_t op, const void *alpha, cusparseConstSpMatDescr_t a,
                               cusparseConstDnVecDescr_t x, const void *beta, cusparseConstDnVecDescr_t y, enum compute as)
{
    struct spmv p = {*a, *x, *y, op, as, scalar_of(h, alpha, as), scalar_of(h, beta, as)};
    struct call c = {.function = function, .flops = multiply_adds(as) * (double)matrix_values(a), .peak = compute_peak(as, a->type), .shape = shape_spmv};
    call_matrix(&c, a, LIBRARY_READ, true);
    call_array(&c, "x", x->values, x->size * type_bytes(x->type), LIBRARY_READ);
    call_array(&c, "y", y->values, y->size * type_bytes(y->type), LIBRARY_WRITE | (scalar_is_zero(&p.beta, as) ? 0 : LIBRARY_READ));
    call_scalar(&c, "alpha", &p.alpha, as);
    call_scalar(&c, "beta", &p.beta, as);
    return call_put(&c, h, run_spmv, &p, sizeof p, false);
}

cusparseStatus_t cusparseSpMV(cusparseHandle_t h, cusparseOperation_t op, const void *alpha, cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t x,
                              const void *beta, cusparseDnVecDescr_t y, cudaDataType compute, cusparseSpMVAlg_t alg, void *buffer)
{
    cusparseStatus_t e = check_spmv(h, op, alpha, a, x, beta, y, compute, alg);
    (void)buffer;
    return e ? e : products_spmv("cusparseSpMV", h, op, alpha, a, x, beta, y, type_compute(compute));
}

/* --- SpMM --- */

struct spmm {
    struct cusparseSpMatDescr a;
    struct cusparseDnMatDescr b, c;
    cusparseOperation_t opa, opb;
    enum compute as;
    struct scalar alpha, beta;
};

static cudaError_t spmm_batch(const struct spmm *p, int batch)
{
    struct scratch s = {.n = 0};
    struct csr rows;
    struct dense b, c;
    cudaError_t e = matrix_rows(&s, &p->a, p->a.batches > 1 ? batch : 0, p->as, true, &rows);
    if (!e && !(dense_read(&s, &p->b, p->b.batches > 1 ? batch : 0, p->as, &b) && dense_read(&s, &p->c, batch, p->as, &c)))
        e = cudaErrorMemoryAllocation;
    if (!e) {
        b = turns(p->opb) ? dense_turned(b) : b;
        kernels_of[p->as].spmm(&rows, way_of(p->opa, &rows), scalar_at(&p->alpha), &b, p->opb == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE, scalar_at(&p->beta),
                               &c, p->c.cols);
        dense_write(&c, &p->c, batch, p->as);
    }
    scratch_release(&s);
    return e;
}

static cudaError_t run_spmm(void *data)
{
    const struct spmm *p = data;
    cudaError_t e = cudaSuccess;
    for (int i = 0; i < p->c.batches && !e; i++)
        e = spmm_batch(p, i);
    return e;
}

static void shape_spmm(const void *data, char *text, size_t size)
{
    const struct spmm *p = data;
    const int at = call_shape(&p->a, text, size);
    if (at > 0 && (size_t)at < size)
        snprintf(text + at, size - (size_t)at, ", n %lld%s", (long long)p->c.cols, p->c.batches > 1 ? ", batches" : "");
}

static bool spmm_algorithm(cusparseFormat_t format, cusparseSpMMAlg_t alg)
{
    switch (alg) {
    case CUSPARSE_SPMM_ALG_DEFAULT:
        return true;
    case CUSPARSE_SPMM_COO_ALG1:
    case CUSPARSE_SPMM_COO_ALG2:
    case CUSPARSE_SPMM_COO_ALG3:
    case CUSPARSE_SPMM_COO_ALG4:
        return format == CUSPARSE_FORMAT_COO;
    case CUSPARSE_SPMM_CSR_ALG1:
    case CUSPARSE_SPMM_CSR_ALG2:
    case CUSPARSE_SPMM_CSR_ALG3:
        return format == CUSPARSE_FORMAT_CSR || format == CUSPARSE_FORMAT_CSC;
    case CUSPARSE_SPMM_BLOCKED_ELL_ALG1:
        return format == CUSPARSE_FORMAT_BLOCKED_ELL;
    case CUSPARSE_SPMM_BSR_ALG1:
        return format == CUSPARSE_FORMAT_BSR;
    default:
        return false;
    }
}

static bool batches_agree(int one, int all)
{
    return one == 1 || one == all;
}

static cusparseStatus_t check_spmm(cusparseHandle_t h, cusparseOperation_t opa, cusparseOperation_t opb, const void *alpha, cusparseConstSpMatDescr_t a,
                                   cusparseConstDnMatDescr_t b, const void *beta, cusparseConstDnMatDescr_t c, cudaDataType compute, cusparseSpMMAlg_t alg)
{
    NEED(h && alpha && a && b && beta && c && is_operation(opa, a->type) && is_operation(opb, b->type) && spmm_algorithm(a->format, alg), INVALID_VALUE);
    const int64_t m = turns(opa) ? width(a) : height(a), k = turns(opa) ? height(a) : width(a);
    NEED(m == c->rows && k == (turns(opb) ? b->cols : b->rows) && c->cols == (turns(opb) ? b->rows : b->cols), INVALID_VALUE);
    NEED(batches_agree(a->batches, c->batches) && batches_agree(b->batches, c->batches), INVALID_VALUE);
    NEED(goes_with(a->type, b->type, c->type, compute), NOT_SUPPORTED);
    NEED((a->format != CUSPARSE_FORMAT_BSR && a->format != CUSPARSE_FORMAT_BLOCKED_ELL) || !turns(opa), NOT_SUPPORTED);
    NEED(a->format != CUSPARSE_FORMAT_BSR || a->block_order == CUSPARSE_ORDER_ROW, NOT_SUPPORTED);
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSpMM_bufferSize(cusparseHandle_t h, cusparseOperation_t opa, cusparseOperation_t opb, const void *alpha, cusparseConstSpMatDescr_t a,
                                         cusparseConstDnMatDescr_t b, const void *beta, cusparseDnMatDescr_t c, cudaDataType compute, cusparseSpMMAlg_t alg,
                                         size_t *bytes)
{
    NEED(bytes, INVALID_VALUE);
    cusparseStatus_t e = check_spmm(h, opa, opb, alpha, a, b, beta, c, compute, alg);
    if (!e)
        *bytes = BUFFER;
    return e;
}

cusparseStatus_t cusparseSpMM_preprocess(cusparseHandle_t h, cusparseOperation_t opa, cusparseOperation_t opb, const void *alpha, cusparseConstSpMatDescr_t a,
                                         cusparseConstDnMatDescr_t b, const void *beta, cusparseDnMatDescr_t c, cudaDataType compute, cusparseSpMMAlg_t alg,
                                         void *buffer)
{
    (void)buffer;
    return check_spmm(h, opa, opb, alpha, a, b, beta, c, compute, alg);
}

cusparseStatus_t products_spmm(const char *function, cusparseHandle_t h, cusparseOperation_t opa, cusparseOperation_t opb, const void *alpha,
                               cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b, const void *beta, cusparseConstDnMatDescr_t d, enum compute as)
{
    struct spmm p = {*a, *b, *d, opa, opb, as, scalar_of(h, alpha, as), scalar_of(h, beta, as)};
    struct call c = {.function = function, .peak = compute_peak(as, a->type), .shape = shape_spmm};
    c.flops = multiply_adds(as) * (double)matrix_values(a) * (double)d->cols * d->batches;
    call_matrix(&c, a, LIBRARY_READ, true);
    call_dense(&c, "B", b, LIBRARY_READ);
    call_dense(&c, "C", d, LIBRARY_WRITE | (scalar_is_zero(&p.beta, as) ? 0 : LIBRARY_READ));
    call_scalar(&c, "alpha", &p.alpha, as);
    call_scalar(&c, "beta", &p.beta, as);
    return call_put(&c, h, run_spmm, &p, sizeof p, false);
}

cusparseStatus_t cusparseSpMM(cusparseHandle_t h, cusparseOperation_t opa, cusparseOperation_t opb, const void *alpha, cusparseConstSpMatDescr_t a,
                              cusparseConstDnMatDescr_t b, const void *beta, cusparseDnMatDescr_t c, cudaDataType compute, cusparseSpMMAlg_t alg, void *buffer)
{
    cusparseStatus_t e = check_spmm(h, opa, opb, alpha, a, b, beta, c, compute, alg);
    (void)buffer;
    return e ? e : products_spmm("cusparseSpMM", h, opa, opb, alpha, a, b, beta, c, type_compute(compute));
}

/* --- SDDMM --- */

struct sddmm {
    struct cusparseSpMatDescr c;
    struct cusparseDnMatDescr a, b;
    cusparseOperation_t opa, opb;
    enum compute as;
    struct scalar alpha, beta;
};

static cudaError_t sddmm_batch(const struct sddmm *p, int batch)
{
    struct scratch s = {.n = 0};
    struct csr rows;
    struct dense a, b;
    void *at = (char *)p->c.values + batch * p->c.value_stride * type_bytes(p->c.type), *values = NULL;
    cudaError_t e = matrix_rows(&s, &p->c, batch, p->as, false, &rows);
    if (!e) {
        values = array_read(&s, at, p->c.type, p->as, p->c.nnz);
        bool good = values && dense_read(&s, &p->a, p->a.batches > 1 ? batch : 0, p->as, &a) && dense_read(&s, &p->b, p->b.batches > 1 ? batch : 0, p->as, &b);
        e = good ? cudaSuccess : cudaErrorMemoryAllocation;
    }
    if (!e) {
        const int64_t k = turns(p->opa) ? p->a.rows : p->a.cols;
        a = turns(p->opa) ? dense_turned(a) : a;
        b = turns(p->opb) ? dense_turned(b) : b;
        kernels_of[p->as].sddmm(&rows, values, scalar_at(&p->alpha), &a, &b, k, scalar_at(&p->beta));
        array_write(values, at, p->c.type, p->as, p->c.nnz);
    }
    scratch_release(&s);
    return e;
}

static cudaError_t run_sddmm(void *data)
{
    const struct sddmm *p = data;
    cudaError_t e = cudaSuccess;
    for (int i = 0; i < p->c.batches && !e; i++)
        e = sddmm_batch(p, i);
    return e;
}

static void shape_sddmm(const void *data, char *text, size_t size)
{
    const struct sddmm *p = data;
    const int at = call_shape(&p->c, text, size);
    if (at > 0 && (size_t)at < size)
        snprintf(text + at, size - (size_t)at, ", k %lld", (long long)(turns(p->opa) ? p->a.rows : p->a.cols));
}

static cusparseStatus_t check_sddmm(cusparseHandle_t h, cusparseOperation_t opa, cusparseOperation_t opb, const void *alpha, cusparseConstDnMatDescr_t a,
                                    cusparseConstDnMatDescr_t b, const void *beta, cusparseConstSpMatDescr_t c, cudaDataType compute, cusparseSDDMMAlg_t alg)
{
    NEED(h && alpha && a && b && beta && c && alg == CUSPARSE_SDDMM_ALG_DEFAULT, INVALID_VALUE);
    NEED(opa <= CUSPARSE_OPERATION_TRANSPOSE && opb <= CUSPARSE_OPERATION_TRANSPOSE, INVALID_VALUE);
    const int64_t k = turns(opa) ? a->rows : a->cols;
    NEED((turns(opa) ? a->cols : a->rows) == c->rows && k == (turns(opb) ? b->cols : b->rows) && (turns(opb) ? b->rows : b->cols) == c->cols, INVALID_VALUE);
    NEED(batches_agree(a->batches, c->batches) && batches_agree(b->batches, c->batches), INVALID_VALUE);
    NEED(c->format == CUSPARSE_FORMAT_CSR && a->type == b->type && goes_with(a->type, b->type, c->type, compute), NOT_SUPPORTED);
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSDDMM_bufferSize(cusparseHandle_t h, cusparseOperation_t opa, cusparseOperation_t opb, const void *alpha, cusparseConstDnMatDescr_t a,
                                          cusparseConstDnMatDescr_t b, const void *beta, cusparseSpMatDescr_t c, cudaDataType compute, cusparseSDDMMAlg_t alg,
                                          size_t *bytes)
{
    NEED(bytes, INVALID_VALUE);
    cusparseStatus_t e = check_sddmm(h, opa, opb, alpha, a, b, beta, c, compute, alg);
    if (!e)
        *bytes = BUFFER;
    return e;
}

cusparseStatus_t cusparseSDDMM_preprocess(cusparseHandle_t h, cusparseOperation_t opa, cusparseOperation_t opb, const void *alpha, cusparseConstDnMatDescr_t a,
                                          cusparseConstDnMatDescr_t b, const void *beta, cusparseSpMatDescr_t c, cudaDataType compute, cusparseSDDMMAlg_t alg,
                                          void *buffer)
{
    (void)buffer;
    return check_sddmm(h, opa, opb, alpha, a, b, beta, c, compute, alg);
}

cusparseStatus_t cusparseSDDMM(cusparseHandle_t h, cusparseOperation_t opa, cusparseOperation_t opb, const void *alpha, cusparseConstDnMatDescr_t a,
                               cusparseConstDnMatDescr_t b, const void *beta, cusparseSpMatDescr_t d, cudaDataType compute, cusparseSDDMMAlg_t alg,
                               void *buffer)
{
    cusparseStatus_t e = check_sddmm(h, opa, opb, alpha, a, b, beta, d, compute, alg);
    (void)buffer;
    if (e)
        return e;
    const enum compute as = type_compute(compute);
    struct sddmm p = {*d, *a, *b, opa, opb, as, scalar_of(h, alpha, as), scalar_of(h, beta, as)};
    struct call c = {.function = "cusparseSDDMM", .peak = compute_peak(as, a->type), .shape = shape_sddmm};
    c.flops = multiply_adds(as) * (double)d->nnz * (double)(turns(opa) ? a->rows : a->cols) * d->batches;
    call_dense(&c, "A", a, LIBRARY_READ);
    call_dense(&c, "B", b, LIBRARY_READ);
    call_matrix(&c, d, LIBRARY_WRITE | (scalar_is_zero(&p.beta, as) ? 0 : LIBRARY_READ), true);
    call_scalar(&c, "alpha", &p.alpha, as);
    call_scalar(&c, "beta", &p.beta, as);
    return call_put(&c, h, run_sddmm, &p, sizeof p, false);
}
