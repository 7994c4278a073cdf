/* Sparse vectors beside dense ones, and matrices from dense to sparse and back. */
#include <string.h>

#include "libraries/cusparse/call.h"

/* --- vectors --- */

struct pair {
    struct cusparseSpVecDescr x;
    struct cusparseDnVecDescr y;
    struct scalar one, other;
    enum compute as;
    bool conjugated;
    void *result;
};

static enum compute widest(cudaDataType type)
{
    enum compute c = type_compute(type);
    return c != COMPUTES ? c : type_is_complex(type) ? COMPUTE_C32 : COMPUTE_F32;
}

static cusparseStatus_t put_pair(const char *function, cusparseHandle_t h, const struct pair *p, cudaError_t (*run)(void *), unsigned x, unsigned y, double flops)
{
    struct call c = {.function = function, .flops = flops * (type_is_complex(p->x.type) ? 4 : 1) * (double)p->x.nnz, .peak = compute_peak(p->as, p->x.type)};
    call_array(&c, "indices of x", p->x.indices, p->x.nnz * index_bytes(p->x.index), LIBRARY_READ);
    call_array(&c, "values of x", p->x.values, p->x.nnz * type_bytes(p->x.type), x);
    call_array(&c, "y", p->y.values, p->y.size * type_bytes(p->y.type), y);
    call_scalar(&c, "the first scalar", &p->one, p->as);
    call_scalar(&c, "the second scalar", &p->other, p->as);
    const bool on_host = p->result && h->mode == CUSPARSE_POINTER_MODE_HOST;
    if (p->result && !on_host)
        call_array(&c, "result", p->result, compute_bytes(p->as), LIBRARY_WRITE);
    return call_put(&c, h, run, p, sizeof *p, on_host);
}

/* Does it with both operands in the format that computes and the places of x's. */
static cudaError_t with_pair(const struct pair *p, void (*work)(const struct pair *p, const int64_t *at, void *x, void *y))
{
    struct scratch s = {.n = 0};
    int64_t *at;
    cudaError_t e = vector_places(&s, &p->x, &at);
    if (!e) {
        void *x = array_read(&s, p->x.values, p->x.type, p->as, p->x.nnz);
        void *y = array_read(&s, p->y.values, p->y.type, p->as, p->y.size);
        if (x && y)
            work(p, at, x, y);
        else
            e = cudaErrorMemoryAllocation;
    }
    scratch_release(&s);
    return e;
}

static void axpby(const struct pair *p, const int64_t *at, void *x, void *y)
{
    kernels_of[p->as].axpby(scalar_at(&p->one), x, at, p->x.nnz, scalar_at(&p->other), y, p->y.size);
    array_write(y, p->y.values, p->y.type, p->as, p->y.size);
}

static void rot(const struct pair *p, const int64_t *at, void *x, void *y)
{
    kernels_of[p->as].rot(scalar_at(&p->one), scalar_at(&p->other), x, at, p->x.nnz, y);
    array_write(x, p->x.values, p->x.type, p->as, p->x.nnz);
    array_write(y, p->y.values, p->y.type, p->as, p->y.size);
}

static void dot(const struct pair *p, const int64_t *at, void *x, void *y)
{
    kernels_of[p->as].dot(p->conjugated, x, at, p->x.nnz, y, library_host(p->result));
}

static cudaError_t run_axpby(void *data)
{
    return with_pair(data, axpby);
}

static cudaError_t run_rot(void *data)
{
    return with_pair(data, rot);
}

static cudaError_t run_dot(void *data)
{
    return with_pair(data, dot);
}

/* Copies numbers as they are: y[at] = x, or x = y[at] (gather). */
static cudaError_t move(const struct pair *p, bool gather)
{
    struct scratch s = {.n = 0};
    const size_t bytes = (size_t)type_bytes(p->x.type);
    char *x = library_host(p->x.values), *y = library_host(p->y.values);
    int64_t *at;
    cudaError_t e = vector_places(&s, &p->x, &at);
    for (int64_t i = 0; i < p->x.nnz && !e; i++) {
        char *dense = y + (size_t)at[i] * bytes, *sparse = x + (size_t)i * bytes;
        memcpy(gather ? sparse : dense, gather ? dense : sparse, bytes);
    }
    scratch_release(&s);
    return e;
}

static cudaError_t run_gather(void *data)
{
    return move(data, true);
}

static cudaError_t run_scatter(void *data)
{
    return move(data, false);
}

static cusparseStatus_t check_pair(cusparseHandle_t h, cusparseConstSpVecDescr_t x, cusparseConstDnVecDescr_t y)
{
    NEED(h && x && y && x->size == y->size, INVALID_VALUE);
    NEED(x->type == y->type, NOT_SUPPORTED);
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseAxpby(cusparseHandle_t h, const void *alpha, cusparseConstSpVecDescr_t x, const void *beta, cusparseDnVecDescr_t y)
{
    cusparseStatus_t e = check_pair(h, x, y);
    if (e)
        return e;
    NEED(alpha && beta, INVALID_VALUE);
    const enum compute as = widest(x->type);
    struct pair p = {*x, *y, scalar_of(h, alpha, as), scalar_of(h, beta, as), as, false, NULL};
    return put_pair("cusparseAxpby", h, &p, run_axpby, LIBRARY_READ, LIBRARY_READ | LIBRARY_WRITE, 2);
}

cusparseStatus_t cusparseRot(cusparseHandle_t h, const void *c, const void *s, cusparseSpVecDescr_t x, cusparseDnVecDescr_t y)
{
    cusparseStatus_t e = check_pair(h, x, y);
    if (e)
        return e;
    NEED(c && s, INVALID_VALUE);
    const enum compute as = widest(x->type);
    struct pair p = {*x, *y, scalar_of(h, c, as), scalar_of(h, s, as), as, false, NULL};
    return put_pair("cusparseRot", h, &p, run_rot, LIBRARY_READ | LIBRARY_WRITE, LIBRARY_READ | LIBRARY_WRITE, 6);
}

cusparseStatus_t cusparseGather(cusparseHandle_t h, cusparseConstDnVecDescr_t y, cusparseSpVecDescr_t x)
{
    cusparseStatus_t e = check_pair(h, x, y);
    struct pair p = {.as = COMPUTE_F32};
    if (e)
        return e;
    p.x = *x;
    p.y = *y;
    return put_pair("cusparseGather", h, &p, run_gather, LIBRARY_WRITE, LIBRARY_READ, 0);
}

cusparseStatus_t cusparseScatter(cusparseHandle_t h, cusparseConstSpVecDescr_t x, cusparseDnVecDescr_t y)
{
    cusparseStatus_t e = check_pair(h, x, y);
    struct pair p = {.as = COMPUTE_F32};
    if (e)
        return e;
    p.x = *x;
    p.y = *y;
    return put_pair("cusparseScatter", h, &p, run_scatter, LIBRARY_READ, LIBRARY_WRITE, 0); /* all of y: which of it is in the indices */
}

static cusparseStatus_t check_dot(cusparseHandle_t h, cusparseOperation_t op, cusparseConstSpVecDescr_t x, cusparseConstDnVecDescr_t y, const void *result,
                                  cudaDataType compute)
{
    NEED(h && x && y && result && x->size == y->size, INVALID_VALUE);
    NEED(x->type == y->type && type_compute(compute) != COMPUTES && type_widens(x->type, type_compute(compute)), NOT_SUPPORTED);
    NEED(op == CUSPARSE_OPERATION_NON_TRANSPOSE || (op == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE && type_is_complex(x->type)), INVALID_VALUE);
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSpVV_bufferSize(cusparseHandle_t h, cusparseOperation_t op, cusparseConstSpVecDescr_t x, cusparseConstDnVecDescr_t y,
                                         const void *result, cudaDataType compute, size_t *bytes)
{
    NEED(bytes, INVALID_VALUE);
    cusparseStatus_t e = check_dot(h, op, x, y, result, compute);
    if (!e)
        *bytes = BUFFER;
    return e;
}

cusparseStatus_t cusparseSpVV(cusparseHandle_t h, cusparseOperation_t op, cusparseConstSpVecDescr_t x, cusparseConstDnVecDescr_t y, void *result,
                              cudaDataType compute, void *buffer)
{
    cusparseStatus_t e = check_dot(h, op, x, y, result, compute);
    (void)buffer;
    if (e)
        return e;
    struct pair p = {.x = *x, .y = *y, .as = type_compute(compute), .conjugated = op == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE, .result = result};
    return put_pair("cusparseSpVV", h, &p, run_dot, LIBRARY_READ, LIBRARY_READ, 2);
}

/* --- dense and sparse matrices --- */

struct conversion {
    struct cusparseSpMatDescr a;
    struct cusparseDnMatDescr b;
    int64_t *nnz; /* host: where the analysis answers */
};

/* Numbers are copied as they are: rows without values, whose k-th entry is the k-th value of the arrays, unless rows were sorted. */
static cudaError_t run_to_dense(void *data)
{
    const struct conversion *p = data;
    struct scratch s = {.n = 0};
    struct csr rows;
    const enum compute as = widest(p->a.type);
    const int64_t bytes = type_bytes(p->b.type), by_row = p->b.order == CUSPARSE_ORDER_ROW;
    const int64_t n = by_row ? p->b.rows : p->b.cols, length = by_row ? p->b.cols : p->b.rows;
    char *to = library_host(p->b.values);
    cudaError_t e = matrix_rows(&s, &p->a, 0, as, true, &rows);
    for (int64_t i = 0; i < n && !e; i++)
        memset(to + i * p->b.ld * bytes, 0, (size_t)(length * bytes));
    for (int64_t i = 0; i < rows.rows && !e; i++)
        for (int64_t k = rows.offset[i]; k < rows.offset[i + 1]; k++) {
            const int64_t other = rows.column[k] - rows.base, r = rows.transposed ? other : i, c = rows.transposed ? i : other;
            type_narrow(p->b.type, as, (const char *)rows.values + k * compute_bytes(as), to + (by_row ? r * p->b.ld + c : c * p->b.ld + r) * bytes, 1);
        }
    scratch_release(&s);
    return e;
}

static cusparseStatus_t check_conversion(cusparseHandle_t h, cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b, bool algorithm)
{
    NEED(h && a && b && algorithm && a->type == b->type, INVALID_VALUE);
    const int64_t rows = a->rows * (a->format == CUSPARSE_FORMAT_BSR ? a->block_rows : 1), cols = a->cols * (a->format == CUSPARSE_FORMAT_BSR ? a->block_cols : 1);
    NEED(rows == b->rows && cols == b->cols, INVALID_VALUE);
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSparseToDense_bufferSize(cusparseHandle_t h, cusparseConstSpMatDescr_t a, cusparseDnMatDescr_t b, cusparseSparseToDenseAlg_t alg,
                                                  size_t *bytes)
{
    NEED(bytes, INVALID_VALUE);
    cusparseStatus_t e = check_conversion(h, a, b, alg == CUSPARSE_SPARSETODENSE_ALG_DEFAULT);
    if (!e)
        *bytes = BUFFER;
    return e;
}

cusparseStatus_t cusparseSparseToDense(cusparseHandle_t h, cusparseConstSpMatDescr_t a, cusparseDnMatDescr_t b, cusparseSparseToDenseAlg_t alg, void *buffer)
{
    cusparseStatus_t e = check_conversion(h, a, b, alg == CUSPARSE_SPARSETODENSE_ALG_DEFAULT);
    (void)buffer;
    if (e)
        return e;
    struct conversion p = {*a, *b, NULL};
    struct call c = {.function = "cusparseSparseToDense", .peak = compute_peak(widest(a->type), a->type)};
    call_matrix(&c, a, LIBRARY_READ, true);
    call_dense(&c, "B", b, LIBRARY_WRITE);
    return call_put(&c, h, run_to_dense, &p, sizeof p, false);
}

/* What a walk over the dense matrix does with each number that is not 0, in the order of the sparse format. */
struct walk {
    const struct conversion *p;
    int64_t n;
    bool fill; /* into the arrays, or count only */
    void *first, *second;
    char *values;
};

static void walk_line(struct walk *w, int64_t line, int64_t length, bool by_row)
{
    const struct conversion *p = w->p;
    const int64_t bytes = type_bytes(p->b.type);
    const char *from = library_host(p->b.values);
    for (int64_t i = 0; i < length; i++) {
        const int64_t r = by_row ? line : i, c = by_row ? i : line;
        const char *number = from + (p->b.order == CUSPARSE_ORDER_ROW ? r * p->b.ld + c : c * p->b.ld + r) * bytes;
        if (type_is_zero(p->b.type, number))
            continue;
        if (w->fill && w->n < p->a.nnz) {
            if (p->a.format == CUSPARSE_FORMAT_COO)
                index_put(w->first, p->a.first_type, w->n, line + p->a.base);
            index_put(w->second, p->a.second_type, w->n, i + p->a.base);
            memcpy(w->values + w->n * bytes, number, (size_t)bytes);
        }
        w->n++;
    }
}

/* Offsets are written by the analysis; indices and values by the conversion. */
static cudaError_t walk(const struct conversion *p, bool fill)
{
    const bool by_row = p->a.format != CUSPARSE_FORMAT_CSC, offsets = p->a.format != CUSPARSE_FORMAT_COO;
    const int64_t lines = by_row ? p->b.rows : p->b.cols, length = by_row ? p->b.cols : p->b.rows;
    struct walk w = {.p = p, .fill = fill, .first = library_host(p->a.first), .second = library_host(p->a.second), .values = library_host(p->a.values)};
    for (int64_t i = 0; i < lines; i++) {
        if (offsets)
            index_put(w.first, p->a.first_type, i, w.n + p->a.base);
        walk_line(&w, i, length, by_row);
        if (fill && w.n > p->a.nnz)
            return library_fault("the matrix has more than the %lld values that the analysis counted", (long long)p->a.nnz);
    }
    if (offsets)
        index_put(w.first, p->a.first_type, lines, w.n + p->a.base);
    if (p->nnz)
        *p->nnz = w.n;
    return cudaSuccess;
}

static cudaError_t run_count(void *data)
{
    return walk(data, false);
}

static cudaError_t run_to_sparse(void *data)
{
    return walk(data, true);
}

static cusparseStatus_t check_to_sparse(cusparseHandle_t h, cusparseConstDnMatDescr_t b, cusparseConstSpMatDescr_t a, cusparseDenseToSparseAlg_t alg)
{
    cusparseStatus_t e = check_conversion(h, a, b, alg == CUSPARSE_DENSETOSPARSE_ALG_DEFAULT);
    if (e)
        return e;
    NEED(a->format == CUSPARSE_FORMAT_CSR || a->format == CUSPARSE_FORMAT_CSC || a->format == CUSPARSE_FORMAT_COO, NOT_SUPPORTED);
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseDenseToSparse_bufferSize(cusparseHandle_t h, cusparseConstDnMatDescr_t b, cusparseSpMatDescr_t a, cusparseDenseToSparseAlg_t alg,
                                                  size_t *bytes)
{
    NEED(bytes, INVALID_VALUE);
    cusparseStatus_t e = check_to_sparse(h, b, a, alg);
    if (!e)
        *bytes = BUFFER;
    return e;
}

cusparseStatus_t cusparseDenseToSparse_analysis(cusparseHandle_t h, cusparseConstDnMatDescr_t b, cusparseSpMatDescr_t a, cusparseDenseToSparseAlg_t alg,
                                                void *buffer)
{
    cusparseStatus_t e = check_to_sparse(h, b, a, alg);
    (void)buffer;
    if (e)
        return e;
    int64_t nnz = 0;
    struct conversion p = {*a, *b, &nnz};
    struct call c = {.function = "cusparseDenseToSparse_analysis", .peak = compute_peak(widest(a->type), a->type)};
    call_dense(&c, "A", b, LIBRARY_READ);
    if (a->format != CUSPARSE_FORMAT_COO)
        call_array(&c, "offsets", a->first, matrix_firsts(a) * index_bytes(a->first_type), LIBRARY_WRITE);
    e = call_put(&c, h, run_count, &p, sizeof p, true);
    if (!e)
        a->nnz = nnz;
    return e;
}

cusparseStatus_t cusparseDenseToSparse_convert(cusparseHandle_t h, cusparseConstDnMatDescr_t b, cusparseSpMatDescr_t a, cusparseDenseToSparseAlg_t alg,
                                               void *buffer)
{
    cusparseStatus_t e = check_to_sparse(h, b, a, alg);
    (void)buffer;
    if (e)
        return e;
    struct conversion p = {*a, *b, NULL};
    struct call c = {.function = "cusparseDenseToSparse_convert", .peak = compute_peak(widest(a->type), a->type)};
    call_dense(&c, "A", b, LIBRARY_READ);
    call_array(&c, "offsets or row indices", a->first, matrix_firsts(a) * index_bytes(a->first_type), LIBRARY_WRITE);
    call_array(&c, "indices", a->second, a->nnz * index_bytes(a->second_type), LIBRARY_WRITE);
    call_array(&c, "values", a->values, a->nnz * type_bytes(a->type), LIBRARY_WRITE);
    return call_put(&c, h, run_to_sparse, &p, sizeof p, false);
}
