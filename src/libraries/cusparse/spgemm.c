/* Sparse matrix by sparse matrix: C = alpha A B, in the phases of the interface.
 *
 * The product is computed, row by row with its columns in order, when the program asks for its size (cusparseSpGEMM_compute,
 * cusparseSpGEMMreuse_nnz): those calls wait. It is kept in the descriptor, and copied when the program has memory for it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libraries/cusparse/call.h"

struct cusparseSpGEMMDescr {
    int64_t rows, nnz, products;
    int64_t *offset; /* rows + 1; NULL: nothing is known yet */
    int32_t *column;
    void *values; /* of the format that computes; NULL: the structure alone */
};

cusparseStatus_t cusparseSpGEMM_createDescr(cusparseSpGEMMDescr_t *d)
{
    NEED(d, INVALID_VALUE);
    *d = calloc(1, sizeof **d);
    return *d ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_ALLOC_FAILED;
}

static void forget(cusparseSpGEMMDescr_t d)
{
    free(d->offset);
    free(d->column);
    free(d->values);
    *d = (struct cusparseSpGEMMDescr){0};
}

cusparseStatus_t cusparseSpGEMM_destroyDescr(cusparseSpGEMMDescr_t d)
{
    if (d)
        forget(d);
    free(d);
    return CUSPARSE_STATUS_SUCCESS;
}

struct product {
    struct cusparseSpMatDescr a, b, c;
    struct scalar alpha, beta;
    enum compute as;
    bool structure, values; /* which of them is wanted */
    cusparseSpGEMMDescr_t d;
};

static int ascending(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

/* The columns of one row of A B, in order, behind the n that are known; `seen` holds the last row + 1 that had a column. */
static int64_t row_columns(cusparseSpGEMMDescr_t d, const struct csr *a, const struct csr *b, int64_t row, int64_t *seen, int64_t *room)
{
    int64_t n = d->offset[row];
    for (int64_t k = a->offset[row]; k < a->offset[row + 1]; k++) {
        const int64_t i = a->column[k] - a->base;
        for (int64_t l = b->offset[i]; l < b->offset[i + 1]; l++) {
            const int32_t j = b->column[l] - b->base;
            d->products++;
            if (seen[j] == row + 1)
                continue;
            seen[j] = row + 1;
            if (n == *room) {
                int32_t *more = realloc(d->column, (size_t)(*room = 2 * *room + 1024) * sizeof *more);
                if (!more)
                    return -1;
                d->column = more;
            }
            d->column[n++] = j;
        }
    }
    if (n > d->offset[row])
        qsort(d->column + d->offset[row], (size_t)(n - d->offset[row]), sizeof *d->column, ascending);
    return n;
}

static bool find_structure(cusparseSpGEMMDescr_t d, const struct csr *a, const struct csr *b)
{
    int64_t room = 0, *seen = calloc((size_t)b->cols + 1, sizeof *seen);
    forget(d);
    d->rows = a->rows;
    d->offset = calloc((size_t)a->rows + 1, sizeof *d->offset);
    bool good = seen && d->offset;
    for (int64_t i = 0; i < a->rows && good; i++) {
        d->offset[i + 1] = row_columns(d, a, b, i, seen, &room);
        good = d->offset[i + 1] >= 0;
    }
    free(seen);
    d->nnz = good ? d->offset[a->rows] : 0;
    return good;
}

/* out = alpha A B + beta out, in the structure of d. */
static bool find_values(cusparseSpGEMMDescr_t d, const struct csr *a, const struct csr *b, enum compute as, const void *alpha, const void *beta, void *out)
{
    const struct kernels *k = &kernels_of[as];
    char *sum = calloc((size_t)b->cols + 1, (size_t)compute_bytes(as));
    for (int64_t i = 0; i < a->rows && sum; i++) {
        k->spgemm_row(a, b, i, sum);
        k->take(sum, d->column + d->offset[i], d->offset[i + 1] - d->offset[i], alpha, beta, (char *)out + d->offset[i] * compute_bytes(as));
    }
    free(sum);
    return sum;
}

static cudaError_t run_product(void *data)
{
    const struct product *p = data;
    struct scratch s = {.n = 0};
    struct csr a, b;
    cudaError_t e = matrix_rows(&s, &p->a, 0, p->as, p->values, &a);
    e = e ? e : matrix_rows(&s, &p->b, 0, p->as, p->values, &b);
    if (!e && p->structure && !find_structure(p->d, &a, &b))
        e = cudaErrorMemoryAllocation;
    if (!e && p->values && p->structure) {
        p->d->values = calloc((size_t)p->d->nnz + 1, (size_t)compute_bytes(p->as));
        bool good = p->d->values && find_values(p->d, &a, &b, p->as, scalar_at(&p->alpha), scalar_zero(p->as), p->d->values);
        e = good ? cudaSuccess : cudaErrorMemoryAllocation;
    } else if (!e && p->values) {
        void *out = array_read(&s, p->c.values, p->c.type, p->as, p->c.nnz);
        bool good = out && find_values(p->d, &a, &b, p->as, scalar_at(&p->alpha), scalar_at(&p->beta), out);
        if (good)
            array_write(out, p->c.values, p->c.type, p->as, p->c.nnz);
        e = good ? cudaSuccess : cudaErrorMemoryAllocation;
    }
    scratch_release(&s);
    return e;
}

/* Copies what is kept into C's arrays. */
static cudaError_t run_copy(void *data)
{
    const struct product *p = data;
    const cusparseSpGEMMDescr_t d = p->d;
    void *offset = library_host(p->c.first), *column = library_host(p->c.second);
    for (int64_t i = 0; i <= d->rows; i++)
        index_put(offset, p->c.first_type, i, d->offset[i] + p->c.base);
    for (int64_t i = 0; i < d->nnz; i++)
        index_put(column, p->c.second_type, i, d->column[i] + p->c.base);
    if (p->values)
        array_write(d->values, p->c.values, p->c.type, p->as, d->nnz);
    return cudaSuccess;
}

static cusparseStatus_t check(cusparseHandle_t h, cusparseOperation_t opa, cusparseOperation_t opb, cusparseConstSpMatDescr_t a, cusparseConstSpMatDescr_t b,
                              cusparseConstSpMatDescr_t c, cudaDataType compute, cusparseSpGEMMAlg_t alg, cusparseSpGEMMDescr_t d)
{
    NEED(h && a && b && c && d && a->cols == b->rows && a->rows == c->rows && b->cols == c->cols, INVALID_VALUE);
    NEED(alg >= CUSPARSE_SPGEMM_DEFAULT && alg <= CUSPARSE_SPGEMM_ALG3, INVALID_VALUE);
    NEED(opa == CUSPARSE_OPERATION_NON_TRANSPOSE && opb == CUSPARSE_OPERATION_NON_TRANSPOSE, NOT_SUPPORTED);
    NEED(a->format == CUSPARSE_FORMAT_CSR && b->format == CUSPARSE_FORMAT_CSR && c->format == CUSPARSE_FORMAT_CSR, NOT_SUPPORTED);
    NEED(a->type == b->type && a->type == c->type, NOT_SUPPORTED);
    NEED(type_compute(compute) != COMPUTES ? type_widens(a->type, type_compute(compute)) : compute == a->type, NOT_SUPPORTED);
    return CUSPARSE_STATUS_SUCCESS;
}

/* 16-bit values may name themselves as the compute type (CUDA 12): sums are floats. */
static enum compute computes(cudaDataType compute)
{
    enum compute c = type_compute(compute);
    return c != COMPUTES ? c : type_is_complex(compute) ? COMPUTE_C32 : COMPUTE_F32;
}

/* alpha or beta where its format is 16 bits wide. */
static struct scalar narrow_scalar(cusparseHandle_t h, const void *p, cudaDataType compute)
{
    const enum compute as = computes(compute);
    struct scalar s = {0};
    if (type_is(compute, as) || !p)
        return scalar_of(h, p, as);
    type_widen(compute, as, library_host(p), s.value, 1);
    return s;
}

static void shape(const void *data, char *text, size_t size)
{
    const struct product *p = data;
    snprintf(text, size, "m %lld, n %lld, k %lld, %lld and %lld values", (long long)p->a.rows, (long long)p->b.cols, (long long)p->a.cols, (long long)p->a.nnz,
             (long long)p->b.nnz);
}

static cusparseStatus_t put_product(cusparseHandle_t h, const char *function, const struct product *p)
{
    struct call c = {.function = function, .peak = compute_peak(p->as, p->a.type), .shape = shape};
    if (p->values && p->d->products)
        c.flops = (p->as == COMPUTE_C32 || p->as == COMPUTE_C64 ? 8 : 2) * (double)p->d->products;
    call_matrix(&c, &p->a, p->values ? LIBRARY_READ : 0, true);
    call_matrix(&c, &p->b, p->values ? LIBRARY_READ : 0, true);
    call_scalar(&c, "alpha", &p->alpha, p->as);
    call_scalar(&c, "beta", &p->beta, p->as);
    if (!p->structure)
        call_array(&c, "C's values", p->c.values, p->d->nnz * type_bytes(p->c.type), LIBRARY_WRITE | (scalar_is_zero(&p->beta, p->as) ? 0 : LIBRARY_READ));
    return call_put(&c, h, run_product, p, sizeof *p, true); /* the descriptor may go right behind the call */
}

/* What is kept goes when the program destroys the descriptor: this waits. */
static cusparseStatus_t put_copy(cusparseHandle_t h, const char *function, const struct product *p)
{
    struct call c = {.function = function, .peak = compute_peak(p->as, p->a.type), .shape = shape};
    call_array(&c, "C's row offsets", p->c.first, (p->d->rows + 1) * index_bytes(p->c.first_type), LIBRARY_WRITE);
    call_array(&c, "C's column indices", p->c.second, p->d->nnz * index_bytes(p->c.second_type), LIBRARY_WRITE);
    if (p->values)
        call_array(&c, "C's values", p->c.values, p->d->nnz * type_bytes(p->c.type), LIBRARY_WRITE);
    return call_put(&c, h, run_copy, p, sizeof *p, true);
}

/* A phase that is only asked for its buffer. */
static bool asks(size_t *bytes, const void *buffer)
{
    if (!buffer)
        *bytes = BUFFER;
    return !buffer;
}

/* --- in one go --- */

cusparseStatus_t cusparseSpGEMM_workEstimation(cusparseHandle_t h, cusparseOperation_t opa, cusparseOperation_t opb, const void *alpha,
                                               cusparseConstSpMatDescr_t a, cusparseConstSpMatDescr_t b, const void *beta, cusparseSpMatDescr_t c,
                                               cudaDataType compute, cusparseSpGEMMAlg_t alg, cusparseSpGEMMDescr_t d, size_t *bytes, void *buffer)
{
    NEED(alpha && beta && bytes, INVALID_VALUE);
    cusparseStatus_t e = check(h, opa, opb, a, b, c, compute, alg, d);
    if (e || asks(bytes, buffer))
        return e;
    struct product p = {.a = *a, .b = *b, .c = *c, .as = computes(compute), .structure = true, .d = d};
    return put_product(h, "cusparseSpGEMM_workEstimation", &p);
}

cusparseStatus_t cusparseSpGEMM_getNumProducts(cusparseSpGEMMDescr_t d, int64_t *products)
{
    NEED(d && products, INVALID_VALUE);
    *products = d->products;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSpGEMM_estimateMemory(cusparseHandle_t h, cusparseOperation_t opa, cusparseOperation_t opb, const void *alpha,
                                               cusparseConstSpMatDescr_t a, cusparseConstSpMatDescr_t b, const void *beta, cusparseSpMatDescr_t c,
                                               cudaDataType compute, cusparseSpGEMMAlg_t alg, cusparseSpGEMMDescr_t d, float fraction, size_t *bytes3,
                                               void *buffer3, size_t *bytes2)
{
    NEED(alpha && beta && bytes3 && fraction > 0 && fraction <= 1, INVALID_VALUE);
    NEED(alg == CUSPARSE_SPGEMM_ALG2 || alg == CUSPARSE_SPGEMM_ALG3, INVALID_VALUE);
    cusparseStatus_t e = check(h, opa, opb, a, b, c, compute, alg, d);
    if (e || asks(bytes3, buffer3))
        return e;
    NEED(bytes2, INVALID_VALUE);
    *bytes2 = BUFFER;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSpGEMM_compute(cusparseHandle_t h, cusparseOperation_t opa, cusparseOperation_t opb, const void *alpha, cusparseConstSpMatDescr_t a,
                                        cusparseConstSpMatDescr_t b, const void *beta, cusparseSpMatDescr_t c, cudaDataType compute,
                                        cusparseSpGEMMAlg_t alg, cusparseSpGEMMDescr_t d, size_t *bytes, void *buffer)
{
    NEED(alpha && beta && bytes, INVALID_VALUE);
    cusparseStatus_t e = check(h, opa, opb, a, b, c, compute, alg, d);
    if (e || asks(bytes, buffer))
        return e;
    struct product p = {.a = *a, .b = *b, .c = *c, .as = computes(compute), .alpha = narrow_scalar(h, alpha, compute), .structure = true, .values = true, .d = d};
    e = put_product(h, "cusparseSpGEMM_compute", &p);
    if (!e)
        c->nnz = d->nnz;
    return e;
}

cusparseStatus_t cusparseSpGEMM_copy(cusparseHandle_t h, cusparseOperation_t opa, cusparseOperation_t opb, const void *alpha, cusparseConstSpMatDescr_t a,
                                     cusparseConstSpMatDescr_t b, const void *beta, cusparseSpMatDescr_t c, cudaDataType compute, cusparseSpGEMMAlg_t alg,
                                     cusparseSpGEMMDescr_t d)
{
    NEED(alpha && beta, INVALID_VALUE);
    cusparseStatus_t e = check(h, opa, opb, a, b, c, compute, alg, d);
    if (e)
        return e;
    NEED(d->values, NOT_INITIALIZED);
    struct product p = {.a = *a, .b = *b, .c = *c, .as = computes(compute), .values = true, .d = d};
    return put_copy(h, "cusparseSpGEMM_copy", &p);
}

/* --- the structure once, values again and again --- */

cusparseStatus_t cusparseSpGEMMreuse_workEstimation(cusparseHandle_t h, cusparseOperation_t opa, cusparseOperation_t opb, cusparseConstSpMatDescr_t a,
                                                    cusparseConstSpMatDescr_t b, cusparseSpMatDescr_t c, cusparseSpGEMMAlg_t alg, cusparseSpGEMMDescr_t d,
                                                    size_t *bytes, void *buffer)
{
    NEED(bytes && c, INVALID_VALUE);
    cusparseStatus_t e = check(h, opa, opb, a, b, c, c->type, alg, d);
    if (!e)
        asks(bytes, buffer);
    return e;
}

cusparseStatus_t cusparseSpGEMMreuse_nnz(cusparseHandle_t h, cusparseOperation_t opa, cusparseOperation_t opb, cusparseConstSpMatDescr_t a,
                                         cusparseConstSpMatDescr_t b, cusparseSpMatDescr_t c, cusparseSpGEMMAlg_t alg, cusparseSpGEMMDescr_t d, size_t *bytes2,
                                         void *buffer2, size_t *bytes3, void *buffer3, size_t *bytes4, void *buffer4)
{
    NEED(bytes2 && bytes3 && bytes4 && c, INVALID_VALUE);
    cusparseStatus_t e = check(h, opa, opb, a, b, c, c->type, alg, d);
    if (e)
        return e;
    const bool asked2 = asks(bytes2, buffer2), asked3 = asks(bytes3, buffer3), asked4 = asks(bytes4, buffer4);
    if (asked2 || asked3 || asked4)
        return CUSPARSE_STATUS_SUCCESS;
    struct product p = {.a = *a, .b = *b, .c = *c, .as = computes(c->type), .structure = true, .d = d};
    e = put_product(h, "cusparseSpGEMMreuse_nnz", &p);
    if (!e)
        c->nnz = d->nnz;
    return e;
}

cusparseStatus_t cusparseSpGEMMreuse_copy(cusparseHandle_t h, cusparseOperation_t opa, cusparseOperation_t opb, cusparseConstSpMatDescr_t a,
                                          cusparseConstSpMatDescr_t b, cusparseSpMatDescr_t c, cusparseSpGEMMAlg_t alg, cusparseSpGEMMDescr_t d, size_t *bytes,
                                          void *buffer)
{
    NEED(bytes && c, INVALID_VALUE);
    cusparseStatus_t e = check(h, opa, opb, a, b, c, c->type, alg, d);
    if (e || asks(bytes, buffer))
        return e;
    NEED(d->offset, NOT_INITIALIZED);
    struct product p = {.a = *a, .b = *b, .c = *c, .as = computes(c->type), .d = d};
    return put_copy(h, "cusparseSpGEMMreuse_copy", &p);
}

cusparseStatus_t cusparseSpGEMMreuse_compute(cusparseHandle_t h, cusparseOperation_t opa, cusparseOperation_t opb, const void *alpha,
                                             cusparseConstSpMatDescr_t a, cusparseConstSpMatDescr_t b, const void *beta, cusparseSpMatDescr_t c,
                                             cudaDataType compute, cusparseSpGEMMAlg_t alg, cusparseSpGEMMDescr_t d)
{
    NEED(alpha && beta, INVALID_VALUE);
    cusparseStatus_t e = check(h, opa, opb, a, b, c, compute, alg, d);
    if (e)
        return e;
    NEED(d->offset, NOT_INITIALIZED);
    struct product p = {.a = *a, .b = *b, .c = *c, .as = computes(compute), .alpha = narrow_scalar(h, alpha, compute), .beta = narrow_scalar(h, beta, compute),
                        .values = true, .d = d};
    return put_product(h, "cusparseSpGEMMreuse_compute", &p);
}
