/* The older interface's products (bsrmv, bsrmm, gemvi), sums (csrgeam2) and solutions of bands (gtsv2, gpsv).
 *
 * Bands are solved by elimination with pivots, those that promise to do without, too: results differ in rounding only. */
#include <string.h>

#include "libraries/cusparse/products.h"

/* --- blocks --- */

struct bsr {
    cusparseDirection_t direction;
    int rows, cols, nnz, block;
    const void *values;
    const int *offsets, *columns;
    const struct cusparseMatDescr *d;
    cudaDataType type;
};

static struct cusparseSpMatDescr bsr_matrix(const struct bsr *b)
{
    return (struct cusparseSpMatDescr){.format = CUSPARSE_FORMAT_BSR, .rows = b->rows, .cols = b->cols, .nnz = b->nnz, .first = (void *)b->offsets,
                                       .second = (void *)b->columns, .values = (void *)b->values, .first_type = CUSPARSE_INDEX_32I,
                                       .second_type = CUSPARSE_INDEX_32I, .base = b->d->base, .type = b->type, .batches = 1, .block_rows = b->block,
                                       .block_cols = b->block, .block_order = b->direction == CUSPARSE_DIRECTION_ROW ? CUSPARSE_ORDER_ROW : CUSPARSE_ORDER_COL};
}

/* op(A) is A, as the interface has it. */
static cusparseStatus_t check_bsr(cusparseHandle_t h, const struct bsr *b, cusparseOperation_t op, const void *alpha, const void *beta)
{
    NEED(h && b->d && alpha && beta && b->rows >= 0 && b->cols >= 0 && b->nnz >= 0 && b->block > 0 && b->direction <= CUSPARSE_DIRECTION_COLUMN, INVALID_VALUE);
    if (b->d->type != CUSPARSE_MATRIX_TYPE_GENERAL)
        return CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED;
    return op == CUSPARSE_OPERATION_NON_TRANSPOSE ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_NOT_SUPPORTED;
}

static cusparseStatus_t bsrmv(const char *function, cusparseHandle_t h, const struct bsr *b, cusparseOperation_t op, const void *alpha, const void *x,
                              const void *beta, void *y)
{
    cusparseStatus_t e = check_bsr(h, b, op, alpha, beta);
    if (e)
        return e;
    const struct cusparseSpMatDescr a = bsr_matrix(b);
    const struct cusparseDnVecDescr in = {(int64_t)b->cols * b->block, (void *)x, b->type}, out = {(int64_t)b->rows * b->block, y, b->type};
    return products_spmv(function, h, op, alpha, &a, &in, beta, &out, type_compute(b->type));
}

static cusparseStatus_t bsrmm(const char *function, cusparseHandle_t h, const struct bsr *b, cusparseOperation_t opa, cusparseOperation_t opb, int n,
                              const void *alpha, const void *in, int ldb, const void *beta, void *out, int ldc)
{
    cusparseStatus_t e = check_bsr(h, b, opa, alpha, beta);
    if (e)
        return e;
    const int64_t k = (int64_t)b->cols * b->block, m = (int64_t)b->rows * b->block;
    const bool turned = opb != CUSPARSE_OPERATION_NON_TRANSPOSE;
    NEED(n >= 0 && ldb >= (turned ? n : k) && ldc >= m && opb <= CUSPARSE_OPERATION_TRANSPOSE, INVALID_VALUE);
    const struct cusparseSpMatDescr a = bsr_matrix(b);
    const struct cusparseDnMatDescr from = {turned ? n : k, turned ? k : n, ldb, (void *)in, b->type, CUSPARSE_ORDER_COL, 1, 0};
    const struct cusparseDnMatDescr to = {m, n, ldc, out, b->type, CUSPARSE_ORDER_COL, 1, 0};
    return products_spmm(function, h, opa, opb, alpha, &a, &from, beta, &to, type_compute(b->type));
}

/* --- dense matrix by sparse vector --- */

struct gemvi {
    struct cusparseSpVecDescr x;
    struct cusparseDnMatDescr a;
    struct cusparseDnVecDescr y;
    cusparseOperation_t op;
    struct scalar alpha, beta;
};

/* As a product of matrices: the vector is a matrix of one row, y its product with the matrix turned. */
static cudaError_t run_gemvi(void *data)
{
    const struct gemvi *p = data;
    const enum compute as = type_compute(p->x.type);
    const bool turned = p->op != CUSPARSE_OPERATION_NON_TRANSPOSE;
    struct scratch s = {.n = 0};
    int64_t *at, offset[2] = {0, p->x.nnz};
    cudaError_t e = vector_places(&s, &p->x, &at);
    if (!e) {
        const struct csr row = {.rows = 1, .cols = p->x.size, .offset = offset, .column = library_host(p->x.indices), .base = (int)p->x.base,
                                .values = library_host(p->x.values)};
        const struct dense a = {library_host(p->a.values), turned ? 1 : p->a.ld, turned ? p->a.ld : 1}, y = {library_host(p->y.values), p->y.size, 1};
        kernels_of[as].spmm(&row, (struct way){false, false}, scalar_at(&p->alpha), &a, p->op == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE, scalar_at(&p->beta), &y,
                            p->y.size);
    }
    scratch_release(&s);
    return e;
}

static cusparseStatus_t gemvi(const char *function, cusparseHandle_t h, cusparseOperation_t op, int m, int n, const void *alpha, const void *a, int lda, int nnz,
                              const void *x, const int *indices, const void *beta, void *y, cusparseIndexBase_t base, cudaDataType type)
{
    NEED(h && alpha && beta && m >= 0 && n >= 0 && lda >= m && nnz >= 0 && op <= CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE && base <= CUSPARSE_INDEX_BASE_ONE, INVALID_VALUE);
    const enum compute as = type_compute(type);
    const bool turned = op != CUSPARSE_OPERATION_NON_TRANSPOSE;
    struct gemvi p = {{turned ? m : n, nnz, (void *)indices, (void *)x, CUSPARSE_INDEX_32I, base, type}, {m, n, lda, (void *)a, type, CUSPARSE_ORDER_COL, 1, 0},
                      {turned ? n : m, y, type}, op, scalar_of(h, alpha, as), scalar_of(h, beta, as)};
    struct call c = {.function = function, .flops = (type_is_complex(type) ? 8.0 : 2.0) * nnz * (turned ? n : m), .peak = compute_peak(as, type)};
    call_dense(&c, "A", &p.a, LIBRARY_READ);
    call_array(&c, "indices of x", indices, (int64_t)nnz * 4, LIBRARY_READ);
    call_array(&c, "values of x", x, (int64_t)nnz * type_bytes(type), LIBRARY_READ);
    call_array(&c, "y", y, p.y.size * type_bytes(type), LIBRARY_WRITE | (scalar_is_zero(&p.beta, as) ? 0 : LIBRARY_READ));
    call_scalar(&c, "alpha", &p.alpha, as);
    call_scalar(&c, "beta", &p.beta, as);
    return call_put(&c, h, run_gemvi, &p, sizeof p, false);
}

/* --- sums of matrices --- */

struct side {
    const struct cusparseMatDescr *d;
    int nnz;
    const void *values;
    const int *offsets, *columns;
};

struct sum {
    struct cusparseSpMatDescr a, b;
    struct scalar alpha, beta;
    cusparseIndexBase_t base;
    int *offsets, *columns, *total;
    void *values;
    bool count; /* the structure's size alone */
};

static struct cusparseSpMatDescr side_matrix(const struct side *s, int m, int n, cudaDataType type)
{
    return (struct cusparseSpMatDescr){.format = CUSPARSE_FORMAT_CSR, .rows = m, .cols = n, .nnz = s->nnz, .first = (void *)s->offsets, .second = (void *)s->columns,
                                       .values = (void *)s->values, .first_type = CUSPARSE_INDEX_32I, .second_type = CUSPARSE_INDEX_32I, .base = s->d->base,
                                       .type = type, .batches = 1};
}

/* The columns that either row has, in order (those of a row are in order, as the interface wants it); their number. */
static int64_t merge(const struct csr *a, const struct csr *b, int64_t row, int32_t *out)
{
    int64_t i = a->offset[row], j = b->offset[row], n = 0;
    while (i < a->offset[row + 1] || j < b->offset[row + 1]) {
        const int64_t x = i < a->offset[row + 1] ? a->column[i] - a->base : INT64_MAX, y = j < b->offset[row + 1] ? b->column[j] - b->base : INT64_MAX;
        if (out)
            out[n] = (int32_t)(x < y ? x : y);
        n++;
        i += x <= y;
        j += y <= x;
    }
    return n;
}

static cudaError_t count_sum(const struct sum *p, const struct csr *a, const struct csr *b)
{
    int *offsets = library_host(p->offsets);
    int64_t n = 0;
    for (int64_t i = 0; i <= a->rows; i++) {
        offsets[i] = (int)(n + p->base);
        n += i < a->rows ? merge(a, b, i, NULL) : 0;
    }
    *(int *)library_host(p->total) = (int)n;
    return cudaSuccess;
}

static cudaError_t fill_sum(struct scratch *s, const struct sum *p, const struct csr *a, const struct csr *b)
{
    const enum compute as = type_compute(p->a.type);
    const struct kernels *k = &kernels_of[as];
    const int *offsets = library_host(p->offsets);
    int *columns = library_host(p->columns);
    void *sum = scratch_get(s, a->cols * compute_bytes(as));
    int32_t *row = scratch_get(s, a->cols * (int64_t)sizeof *row);
    if (!sum || !row)
        return cudaErrorMemoryAllocation;
    for (int64_t i = 0; i < a->rows; i++) {
        const int64_t n = merge(a, b, i, row), at = offsets[i] - (int)p->base;
        if (offsets[i + 1] - offsets[i] != n)
            return library_fault("row %lld of C has room for %d values and needs %lld", (long long)i, offsets[i + 1] - offsets[i], (long long)n);
        k->add_row(a, i, scalar_at(&p->alpha), sum);
        k->add_row(b, i, scalar_at(&p->beta), sum);
        k->take(sum, row, n, scalar_one(as), scalar_zero(as), (char *)library_host(p->values) + at * compute_bytes(as));
        for (int64_t l = 0; l < n; l++)
            columns[at + l] = row[l] + (int)p->base;
    }
    return cudaSuccess;
}

static cudaError_t run_sum(void *data)
{
    const struct sum *p = data;
    const enum compute as = type_compute(p->a.type);
    struct scratch s = {.n = 0};
    struct csr a, b;
    cudaError_t e = matrix_rows(&s, &p->a, 0, as, !p->count, &a);
    e = e ? e : matrix_rows(&s, &p->b, 0, as, !p->count, &b);
    e = e ? e : p->count ? count_sum(p, &a, &b) : fill_sum(&s, p, &a, &b);
    scratch_release(&s);
    return e;
}

/* What C has room for is in its last offset. */
static void more_sum(void *data, struct library_more *m)
{
    const struct sum *p = data;
    const int *offsets = library_host(p->offsets);
    const int64_t n = offsets[p->a.rows] - (int64_t)p->base;
    const size_t room = n > 0 ? (size_t)n : 0;
    library_more(m, &(struct library_operand){.name = "C's column indices", .at = p->columns, .width = room * 4, .access = LIBRARY_WRITE});
    library_more(m, &(struct library_operand){.name = "C's values", .at = p->values, .width = room * (size_t)type_bytes(p->a.type), .access = LIBRARY_WRITE});
}

static bool sides_are(cusparseHandle_t h, int m, int n, const struct side *a, const struct side *b, const struct cusparseMatDescr *c)
{
    return h && m >= 0 && n >= 0 && a->d && b->d && c && a->nnz >= 0 && b->nnz >= 0;
}

cusparseStatus_t cusparseXcsrgeam2Nnz(cusparseHandle_t h, int m, int n, const cusparseMatDescr_t da, int nnz_a, const int *offsets_a, const int *columns_a,
                                      const cusparseMatDescr_t db, int nnz_b, const int *offsets_b, const int *columns_b, const cusparseMatDescr_t dc,
                                      int *offsets_c, int *total, void *workspace)
{
    const struct side a = {da, nnz_a, NULL, offsets_a, columns_a}, b = {db, nnz_b, NULL, offsets_b, columns_b};
    (void)workspace;
    NEED(sides_are(h, m, n, &a, &b, dc) && total, INVALID_VALUE);
    struct sum p = {.a = side_matrix(&a, m, n, CUDA_R_32F), .b = side_matrix(&b, m, n, CUDA_R_32F), .base = dc->base, .offsets = offsets_c, .total = total, .count = true};
    struct call c = {.function = "cusparseXcsrgeam2Nnz", .peak = LIBRARY_SINGLE};
    call_matrix(&c, &p.a, 0, true);
    call_matrix(&c, &p.b, 0, true);
    call_array(&c, "C's row offsets", offsets_c, ((int64_t)m + 1) * 4, LIBRARY_WRITE);
    if (h->mode == CUSPARSE_POINTER_MODE_DEVICE)
        call_array(&c, "the total", total, 4, LIBRARY_WRITE);
    return call_put(&c, h, run_sum, &p, sizeof p, h->mode == CUSPARSE_POINTER_MODE_HOST);
}

static cusparseStatus_t csrgeam2(const char *function, cusparseHandle_t h, int m, int n, const void *alpha, const struct side *a, const void *beta,
                                 const struct side *b, const struct cusparseMatDescr *dc, void *values, int *offsets, int *columns, cudaDataType type)
{
    NEED(sides_are(h, m, n, a, b, dc) && alpha && beta, INVALID_VALUE);
    const enum compute as = type_compute(type);
    struct sum p = {side_matrix(a, m, n, type), side_matrix(b, m, n, type), scalar_of(h, alpha, as), scalar_of(h, beta, as), dc->base, offsets, columns, NULL, values, false};
    struct call c = {.function = function, .flops = (type_is_complex(type) ? 8.0 : 2.0) * ((double)a->nnz + b->nnz), .peak = compute_peak(as, type), .more = more_sum};
    call_matrix(&c, &p.a, LIBRARY_READ, true);
    call_matrix(&c, &p.b, LIBRARY_READ, true);
    call_array(&c, "C's row offsets", offsets, ((int64_t)m + 1) * 4, LIBRARY_READ);
    call_scalar(&c, "alpha", &p.alpha, as);
    call_scalar(&c, "beta", &p.beta, as);
    return call_put(&c, h, run_sum, &p, sizeof p, false);
}

/* --- bands --- */

struct band {
    const void *diagonal[5];
    int diagonals; /* 3 or 5 */
    void *x;
    int64_t m, step, diagonal_batch, x_step, x_batch; /* elements; a batch is a system, or a right-hand side */
    int batches;
    cudaDataType type;
};

static cudaError_t run_band(void *data)
{
    const struct band *p = data;
    const enum compute as = type_compute(p->type);
    const int width = compute_bytes(as), side = p->diagonals / 2;
    struct scratch s = {.n = 0};
    void *work = scratch_get(&s, p->m * (3 * side + 1) * width);
    for (int b = 0; b < p->batches && work; b++) {
        const void *diagonal[5];
        for (int i = 0; i < p->diagonals; i++)
            diagonal[i] = (const char *)library_host(p->diagonal[i]) + b * p->diagonal_batch * width;
        kernels_of[as].band(p->m, side, side, diagonal, p->step, (char *)library_host(p->x) + b * p->x_batch * width, p->x_step, work);
    }
    scratch_release(&s);
    return work ? cudaSuccess : cudaErrorMemoryAllocation;
}

static cusparseStatus_t put_band(const char *function, cusparseHandle_t h, const struct band *p)
{
    static const char *const names[2][5] = {{"dl", "d", "du"}, {"ds", "dl", "d", "du", "dw"}};
    const int width = type_bytes(p->type);
    NEED(h && p->m >= 3 && p->batches >= 0, INVALID_VALUE);
    struct call c = {.function = function, .peak = compute_peak(type_compute(p->type), p->type)};
    c.flops = (type_is_complex(p->type) ? 4.0 : 1.0) * (p->diagonals == 3 ? 8.0 : 19.0) * (double)p->m * p->batches; /* elimination without pivots */
    for (int i = 0; i < p->diagonals; i++)
        call_array(&c, names[p->diagonals == 5][i], p->diagonal[i], ((p->m - 1) * p->step + 1 + (p->batches - 1) * p->diagonal_batch) * width, LIBRARY_READ);
    call_array(&c, "x", p->x, ((p->m - 1) * p->x_step + 1 + (p->batches - 1) * p->x_batch) * width, LIBRARY_READ | LIBRARY_WRITE);
    return call_put(&c, h, run_band, p, sizeof *p, false);
}

static cusparseStatus_t band_room(cusparseHandle_t h, bool good, size_t *bytes)
{
    NEED(h && good && bytes, INVALID_VALUE);
    *bytes = BUFFER;
    return CUSPARSE_STATUS_SUCCESS;
}

/* --- entries --- */

#define EACH(S, E, type)                                                                                                                              \
    cusparseStatus_t cusparse##S##bsrmv(cusparseHandle_t h, cusparseDirection_t direction, cusparseOperation_t op, int mb, int nb, int nnzb,         \
                                        const E *alpha, const cusparseMatDescr_t d, const E *values, const int *offsets, const int *columns,         \
                                        int block, const E *x, const E *beta, E *y)                                                                  \
    {                                                                                                                                                \
        const struct bsr b = {direction, mb, nb, nnzb, block, values, offsets, columns, d, type};                                                    \
        return bsrmv("cusparse" #S "bsrmv", h, &b, op, alpha, x, beta, y);                                                                           \
    }                                                                                                                                                \
    cusparseStatus_t cusparse##S##bsrmm(cusparseHandle_t h, cusparseDirection_t direction, cusparseOperation_t opa, cusparseOperation_t opb, int mb, \
                                        int n, int kb, int nnzb, const E *alpha, const cusparseMatDescr_t d, const E *values,                        \
                                        const int *offsets, const int *columns, const int block, const E *in, const int ldb, const E *beta,          \
                                        E *out, int ldc)                                                                                             \
    {                                                                                                                                                \
        const struct bsr b = {direction, mb, kb, nnzb, block, values, offsets, columns, d, type};                                                    \
        return bsrmm("cusparse" #S "bsrmm", h, &b, opa, opb, n, alpha, in, ldb, beta, out, ldc);                                                     \
    }                                                                                                                                                \
    cusparseStatus_t cusparse##S##gemvi_bufferSize(cusparseHandle_t h, cusparseOperation_t op, int m, int n, int nnz, int *bytes)                    \
    {                                                                                                                                                \
        NEED(h && op <= CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE && m >= 0 && n >= 0 && nnz >= 0 && bytes, INVALID_VALUE);                                            \
        *bytes = BUFFER;                                                                                                                             \
        return CUSPARSE_STATUS_SUCCESS;                                                                                                              \
    }                                                                                                                                                \
    cusparseStatus_t cusparse##S##gemvi(cusparseHandle_t h, cusparseOperation_t op, int m, int n, const E *alpha, const E *a, int lda, int nnz,      \
                                        const E *x, const int *indices, const E *beta, E *y, cusparseIndexBase_t base, void *buffer)                 \
    {                                                                                                                                                \
        (void)buffer;                                                                                                                                \
        return gemvi("cusparse" #S "gemvi", h, op, m, n, alpha, a, lda, nnz, x, indices, beta, y, base, type);                                       \
    }                                                                                                                                                \
    cusparseStatus_t cusparse##S##csrgeam2_bufferSizeExt(                                                                                            \
        cusparseHandle_t h, int m, int n, const E *alpha, const cusparseMatDescr_t da, int nnz_a, const E *values_a, const int *offsets_a,           \
        const int *columns_a, const E *beta, const cusparseMatDescr_t db, int nnz_b, const E *values_b, const int *offsets_b,                        \
        const int *columns_b, const cusparseMatDescr_t dc, const E *values_c, const int *offsets_c, const int *columns_c, size_t *bytes)             \
    {                                                                                                                                                \
        const struct side a = {da, nnz_a, values_a, offsets_a, columns_a}, b = {db, nnz_b, values_b, offsets_b, columns_b};                          \
        (void)values_c, (void)offsets_c, (void)columns_c;                                                                                            \
        return band_room(h, sides_are(h, m, n, &a, &b, dc) && alpha && beta, bytes);                                                                 \
    }                                                                                                                                                \
    cusparseStatus_t cusparse##S##csrgeam2(cusparseHandle_t h, int m, int n, const E *alpha, const cusparseMatDescr_t da, int nnz_a,                 \
                                           const E *values_a, const int *offsets_a, const int *columns_a, const E *beta,                             \
                                           const cusparseMatDescr_t db, int nnz_b, const E *values_b, const int *offsets_b,                          \
                                           const int *columns_b, const cusparseMatDescr_t dc, E *values_c, int *offsets_c, int *columns_c,           \
                                           void *buffer)                                                                                             \
    {                                                                                                                                                \
        const struct side a = {da, nnz_a, values_a, offsets_a, columns_a}, b = {db, nnz_b, values_b, offsets_b, columns_b};                          \
        (void)buffer;                                                                                                                                \
        return csrgeam2("cusparse" #S "csrgeam2", h, m, n, alpha, &a, beta, &b, dc, values_c, offsets_c, columns_c, type);                           \
    }                                                                                                                                                \
    THREE(S, E, type, gtsv2)                                                                                                                         \
    THREE(S, E, type, gtsv2_nopivot)                                                                                                                 \
    cusparseStatus_t cusparse##S##gtsv2StridedBatch_bufferSizeExt(cusparseHandle_t h, int m, const E *dl, const E *d, const E *du, const E *x,       \
                                                                  int batches, int stride, size_t *bytes)                                            \
    {                                                                                                                                                \
        (void)dl, (void)d, (void)du, (void)x;                                                                                                        \
        return band_room(h, m >= 3 && batches >= 0 && stride >= m, bytes);                                                                           \
    }                                                                                                                                                \
    cusparseStatus_t cusparse##S##gtsv2StridedBatch(cusparseHandle_t h, int m, const E *dl, const E *d, const E *du, E *x, int batches, int stride,  \
                                                    void *buffer)                                                                                    \
    {                                                                                                                                                \
        (void)buffer;                                                                                                                                \
        NEED(stride >= m, INVALID_VALUE);                                                                                                                           \
        return put_band("cusparse" #S "gtsv2StridedBatch", h, &(struct band){{dl, d, du}, 3, x, m, 1, stride, 1, stride, batches, type});            \
    }                                                                                                                                                \
    cusparseStatus_t cusparse##S##gtsvInterleavedBatch_bufferSizeExt(cusparseHandle_t h, int algo, int m, const E *dl, const E *d, const E *du,      \
                                                                     const E *x, int batches, size_t *bytes)                                         \
    {                                                                                                                                                \
        (void)dl, (void)d, (void)du, (void)x;                                                                                                        \
        return band_room(h, m >= 3 && batches >= 0 && algo >= 0 && algo <= 2, bytes);                                                                \
    }                                                                                                                                                \
    cusparseStatus_t cusparse##S##gtsvInterleavedBatch(cusparseHandle_t h, int algo, int m, E *dl, E *d, E *du, E *x, int batches, void *buffer)     \
    {                                                                                                                                                \
        (void)buffer;                                                                                                                                \
        NEED(algo >= 0 && algo <= 2, INVALID_VALUE);                                                                                                                \
        return put_band("cusparse" #S "gtsvInterleavedBatch", h, &(struct band){{dl, d, du}, 3, x, m, batches, 1, batches, 1, batches, type});       \
    }                                                                                                                                                \
    cusparseStatus_t cusparse##S##gpsvInterleavedBatch_bufferSizeExt(cusparseHandle_t h, int algo, int m, const E *ds, const E *dl, const E *d,      \
                                                                     const E *du, const E *dw, const E *x, int batches, size_t *bytes)               \
    {                                                                                                                                                \
        (void)ds, (void)dl, (void)d, (void)du, (void)dw, (void)x;                                                                                    \
        return band_room(h, m >= 3 && batches >= 0 && algo == 0, bytes);                                                                             \
    }                                                                                                                                                \
    cusparseStatus_t cusparse##S##gpsvInterleavedBatch(cusparseHandle_t h, int algo, int m, E *ds, E *dl, E *d, E *du, E *dw, E *x, int batches,     \
                                                       void *buffer)                                                                                 \
    {                                                                                                                                                \
        (void)buffer;                                                                                                                                \
        NEED(algo == 0, INVALID_VALUE);                                                                                                                             \
        return put_band("cusparse" #S "gpsvInterleavedBatch", h,                                                                                     \
                        &(struct band){{ds, dl, d, du, dw}, 5, x, m, batches, 1, batches, 1, batches, type});                                        \
    }

/* A matrix of three diagonals, n right-hand sides. */
#define THREE(S, E, type, name)                                                                                                                       \
    cusparseStatus_t cusparse##S##name##_bufferSizeExt(cusparseHandle_t h, int m, int n, const E *dl, const E *d, const E *du, const E *x, int ldb,   \
                                                       size_t *bytes)                                                                                 \
    {                                                                                                                                                 \
        (void)dl, (void)d, (void)du, (void)x;                                                                                                         \
        return band_room(h, m >= 3 && n >= 0 && ldb >= m, bytes);                                                                                     \
    }                                                                                                                                                 \
    cusparseStatus_t cusparse##S##name(cusparseHandle_t h, int m, int n, const E *dl, const E *d, const E *du, E *x, int ldb, void *buffer)           \
    {                                                                                                                                                 \
        (void)buffer;                                                                                                                                 \
        NEED(ldb >= m, INVALID_VALUE);                                                                                                                               \
        return put_band("cusparse" #S #name, h, &(struct band){{dl, d, du}, 3, x, m, 1, 0, 1, ldb, n, type});                                         \
    }

EACH(S, float, CUDA_R_32F)
EACH(D, double, CUDA_R_64F)
EACH(C, cuComplex, CUDA_C_32F)
EACH(Z, cuDoubleComplex, CUDA_C_64F)
