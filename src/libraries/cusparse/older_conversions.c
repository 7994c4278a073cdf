/* The older interface's conversions: between CSR, CSC, COO and blocks, sorts of indices, and the count of what is not 0. */
#include <stdlib.h>
#include <string.h>

#include "libraries/cusparse/call.h"

static struct cusparseSpMatDescr matrix_of(int m, int n, int nnz, const void *values, const int *offsets, const int *columns, cusparseIndexBase_t base,
                                           cudaDataType type)
{
    return (struct cusparseSpMatDescr){.format = CUSPARSE_FORMAT_CSR, .rows = m, .cols = n, .nnz = nnz, .first = (void *)offsets, .second = (void *)columns,
                                       .values = (void *)values, .first_type = CUSPARSE_INDEX_32I, .second_type = CUSPARSE_INDEX_32I, .base = base,
                                       .type = type, .batches = 1};
}

/* --- offsets and row indices --- */

struct rows {
    const int *in;
    int *out;
    int nnz, m, base;
};

static cudaError_t run_coo2csr(void *data)
{
    const struct rows *p = data;
    const int *row = library_host(p->in);
    int *offset = library_host(p->out), at = 0;
    for (int i = 0; i <= p->m; i++) {
        while (at < p->nnz && row[at] - p->base < i)
            at++;
        offset[i] = at + p->base;
    }
    return cudaSuccess;
}

static cudaError_t run_csr2coo(void *data)
{
    const struct rows *p = data;
    const int *offset = library_host(p->in);
    int *row = library_host(p->out);
    for (int i = 0; i < p->m; i++) {
        const int from = offset[i] - p->base, to = offset[i + 1] - p->base;
        if (from < 0 || to < from || to > p->nnz)
            return library_fault("row %d has the values from %d on up to %d, of %d", i, from, to, p->nnz);
        for (int k = from; k < to; k++)
            row[k] = i + p->base;
    }
    return cudaSuccess;
}

cusparseStatus_t cusparseXcoo2csr(cusparseHandle_t h, const int *row, int nnz, int m, int *offsets, cusparseIndexBase_t base)
{
    NEED(h && nnz >= 0 && m >= 0 && base <= CUSPARSE_INDEX_BASE_ONE, INVALID_VALUE);
    struct rows p = {row, offsets, nnz, m, (int)base};
    struct call c = {.function = "cusparseXcoo2csr", .peak = LIBRARY_SINGLE};
    call_array(&c, "row indices", row, (int64_t)nnz * 4, LIBRARY_READ);
    call_array(&c, "row offsets", offsets, ((int64_t)m + 1) * 4, LIBRARY_WRITE);
    return call_put(&c, h, run_coo2csr, &p, sizeof p, false);
}

cusparseStatus_t cusparseXcsr2coo(cusparseHandle_t h, const int *offsets, int nnz, int m, int *row, cusparseIndexBase_t base)
{
    NEED(h && nnz >= 0 && m >= 0 && base <= CUSPARSE_INDEX_BASE_ONE, INVALID_VALUE);
    struct rows p = {offsets, row, nnz, m, (int)base};
    struct call c = {.function = "cusparseXcsr2coo", .peak = LIBRARY_SINGLE};
    call_array(&c, "row offsets", offsets, ((int64_t)m + 1) * 4, LIBRARY_READ);
    call_array(&c, "row indices", row, (int64_t)nnz * 4, LIBRARY_WRITE);
    return call_put(&c, h, run_csr2coo, &p, sizeof p, false);
}

/* --- rows to columns --- */

struct turned {
    struct cusparseSpMatDescr a;
    void *values;
    int *offsets, *rows;
};

static cudaError_t run_csr2csc(void *data)
{
    const struct turned *p = data;
    const size_t bytes = p->values ? (size_t)type_bytes(p->a.type) : 0;
    const char *from = library_host(p->a.values);
    char *to = library_host(p->values);
    int *offset = library_host(p->offsets), *row = library_host(p->rows);
    struct scratch s = {.n = 0};
    struct csr a;
    cudaError_t e = matrix_rows(&s, &p->a, 0, COMPUTE_F32, false, &a);
    int64_t *next = e ? NULL : scratch_get(&s, (a.cols + 1) * (int64_t)sizeof *next);
    if (!e && !next)
        e = cudaErrorMemoryAllocation;
    for (int64_t k = e ? 0 : a.offset[0]; !e && k < a.offset[a.rows]; k++)
        next[a.column[k] - a.base + 1]++;
    for (int64_t j = 0; !e && j <= a.cols; j++) {
        next[j] += j ? next[j - 1] : 0;
        offset[j] = (int)(next[j] + p->a.base);
    }
    for (int64_t i = 0; !e && i < a.rows; i++)
        for (int64_t k = a.offset[i]; k < a.offset[i + 1]; k++) {
            const int64_t at = next[a.column[k] - a.base]++;
            row[at] = (int)(i + p->a.base);
            memcpy(to + (size_t)at * bytes, from + (size_t)k * bytes, bytes);
        }
    scratch_release(&s);
    return e;
}

cusparseStatus_t cusparseCsr2cscEx2_bufferSize(cusparseHandle_t h, int m, int n, int nnz, const void *csr_values, const int *csr_offsets, const int *csr_columns,
                                               void *csc_values, int *csc_offsets, int *csc_rows, cudaDataType type, cusparseAction_t action,
                                               cusparseIndexBase_t base, cusparseCsr2CscAlg_t alg, size_t *bytes)
{
    (void)csr_values, (void)csr_offsets, (void)csr_columns, (void)csc_values, (void)csc_offsets, (void)csc_rows, (void)alg;
    NEED(h && m >= 0 && n >= 0 && nnz >= 0 && type_bytes(type) && action <= CUSPARSE_ACTION_NUMERIC && base <= CUSPARSE_INDEX_BASE_ONE && bytes, INVALID_VALUE);
    *bytes = BUFFER;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseCsr2cscEx2(cusparseHandle_t h, int m, int n, int nnz, const void *csr_values, const int *csr_offsets, const int *csr_columns,
                                    void *csc_values, int *csc_offsets, int *csc_rows, cudaDataType type, cusparseAction_t action, cusparseIndexBase_t base,
                                    cusparseCsr2CscAlg_t alg, void *buffer)
{
    (void)alg, (void)buffer;
    NEED(h && m >= 0 && n >= 0 && nnz >= 0 && type_bytes(type) && action <= CUSPARSE_ACTION_NUMERIC && base <= CUSPARSE_INDEX_BASE_ONE, INVALID_VALUE);
    const bool values = action == CUSPARSE_ACTION_NUMERIC;
    struct turned p = {matrix_of(m, n, nnz, csr_values, csr_offsets, csr_columns, base, type), values ? csc_values : NULL, csc_offsets, csc_rows};
    struct call c = {.function = "cusparseCsr2cscEx2", .peak = LIBRARY_SINGLE};
    call_matrix(&c, &p.a, values ? LIBRARY_READ : 0, true);
    call_array(&c, "column offsets", csc_offsets, ((int64_t)n + 1) * 4, LIBRARY_WRITE);
    call_array(&c, "row indices of the columns", csc_rows, (int64_t)nnz * 4, LIBRARY_WRITE);
    call_array(&c, "values of the columns", p.values, (int64_t)nnz * type_bytes(type), LIBRARY_WRITE);
    return call_put(&c, h, run_csr2csc, &p, sizeof p, false);
}

/* --- sorts --- */

/* Entries by `major`, then by `minor`; those that are equal stay in their order. P goes along. */
struct sort {
    const int *offsets; /* or NULL: the entries' majors are in major */
    int *major, *minor, *p;
    int nnz, m, base;
};

struct entry {
    int major, minor, p, at;
};

static int by_place(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    return x->major != y->major ? (x->major > y->major) - (x->major < y->major)
           : x->minor != y->minor ? (x->minor > y->minor) - (x->minor < y->minor) : x->at - y->at;
}

static cudaError_t run_sort(void *data)
{
    const struct sort *p = data;
    const int *offset = library_host(p->offsets);
    int *major = library_host(p->major), *minor = library_host(p->minor), *permutation = library_host(p->p), row = 0;
    struct entry *all = calloc((size_t)p->nnz + 1, sizeof *all);
    if (!all)
        return cudaErrorMemoryAllocation;
    for (int i = 0; i < p->nnz; i++) {
        while (p->offsets && row < p->m && offset[row + 1] - p->base <= i)
            row++;
        all[i] = (struct entry){p->offsets ? row : major[i], minor[i], p->p ? permutation[i] : 0, i};
    }
    qsort(all, (size_t)p->nnz, sizeof *all, by_place);
    for (int i = 0; i < p->nnz; i++) {
        if (p->major)
            major[i] = all[i].major;
        minor[i] = all[i].minor;
        if (p->p)
            permutation[i] = all[i].p;
    }
    free(all);
    return cudaSuccess;
}

static cusparseStatus_t put_sort(const char *function, cusparseHandle_t h, int m, int n, int nnz, const int *offsets, int *major, int *minor, int *permutation,
                                 int base)
{
    NEED(h && m >= 0 && n >= 0 && nnz >= 0, INVALID_VALUE);
    struct sort p = {offsets, major, minor, permutation, nnz, m, base};
    struct call c = {.function = function, .peak = LIBRARY_SINGLE};
    if (offsets)
        call_array(&c, "offsets", offsets, ((int64_t)m + 1) * 4, LIBRARY_READ);
    else
        call_array(&c, "the first indices", major, (int64_t)nnz * 4, LIBRARY_READ | LIBRARY_WRITE);
    call_array(&c, "the second indices", minor, (int64_t)nnz * 4, LIBRARY_READ | LIBRARY_WRITE);
    call_array(&c, "P", permutation, permutation ? (int64_t)nnz * 4 : 0, LIBRARY_READ | LIBRARY_WRITE);
    return call_put(&c, h, run_sort, &p, sizeof p, false);
}

static cusparseStatus_t sort_room(cusparseHandle_t h, int m, int n, int nnz, size_t *bytes)
{
    NEED(h && m >= 0 && n >= 0 && nnz >= 0 && bytes, INVALID_VALUE);
    *bytes = BUFFER;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseXcoosort_bufferSizeExt(cusparseHandle_t h, int m, int n, int nnz, const int *row, const int *column, size_t *bytes)
{
    (void)row, (void)column;
    return sort_room(h, m, n, nnz, bytes);
}

cusparseStatus_t cusparseXcsrsort_bufferSizeExt(cusparseHandle_t h, int m, int n, int nnz, const int *offsets, const int *column, size_t *bytes)
{
    (void)offsets, (void)column;
    return sort_room(h, m, n, nnz, bytes);
}

cusparseStatus_t cusparseXcscsort_bufferSizeExt(cusparseHandle_t h, int m, int n, int nnz, const int *offsets, const int *row, size_t *bytes)
{
    (void)offsets, (void)row;
    return sort_room(h, m, n, nnz, bytes);
}

cusparseStatus_t cusparseXcoosortByRow(cusparseHandle_t h, int m, int n, int nnz, int *row, int *column, int *p, void *buffer)
{
    (void)buffer;
    return put_sort("cusparseXcoosortByRow", h, m, n, nnz, NULL, row, column, p, 0);
}

cusparseStatus_t cusparseXcoosortByColumn(cusparseHandle_t h, int m, int n, int nnz, int *row, int *column, int *p, void *buffer)
{
    (void)buffer;
    return put_sort("cusparseXcoosortByColumn", h, m, n, nnz, NULL, column, row, p, 0);
}

cusparseStatus_t cusparseXcsrsort(cusparseHandle_t h, int m, int n, int nnz, const cusparseMatDescr_t d, const int *offsets, int *column, int *p, void *buffer)
{
    (void)buffer;
    NEED(d, INVALID_VALUE);
    return put_sort("cusparseXcsrsort", h, m, n, nnz, offsets, NULL, column, p, (int)d->base);
}

cusparseStatus_t cusparseXcscsort(cusparseHandle_t h, int m, int n, int nnz, const cusparseMatDescr_t d, const int *offsets, int *row, int *p, void *buffer)
{
    (void)buffer;
    NEED(d, INVALID_VALUE);
    return put_sort("cusparseXcscsort", h, n, m, nnz, offsets, NULL, row, p, (int)d->base);
}

static cudaError_t run_identity(void *data)
{
    const struct rows *p = data;
    int *out = library_host(p->out);
    for (int i = 0; i < p->nnz; i++)
        out[i] = i;
    return cudaSuccess;
}

cusparseStatus_t cusparseCreateIdentityPermutation(cusparseHandle_t h, int n, int *permutation)
{
    NEED(h && n >= 0, INVALID_VALUE);
    struct rows p = {NULL, permutation, n, 0, 0};
    struct call c = {.function = "cusparseCreateIdentityPermutation", .peak = LIBRARY_SINGLE};
    call_array(&c, "p", permutation, (int64_t)n * 4, LIBRARY_WRITE);
    return call_put(&c, h, run_identity, &p, sizeof p, false);
}

/* --- blocks --- */

struct blocked {
    struct cusparseSpMatDescr a; /* by rows */
    int height, width, base;     /* of a block; of the blocks' indices */
    bool by_column, count;       /* inside of a block; the offsets and the total alone */
    int *offsets, *columns, *total;
    void *values;
    int64_t room; /* blocks, by the offsets */
};

/* The blocks of a row of blocks, in the order of columns: seen[column] is the number of the block + 1. Their number. */
static int64_t blocks_of_row(const struct csr *a, const struct blocked *p, int64_t block_row, int64_t first, int64_t *seen)
{
    const int64_t cols = (a->cols + p->width - 1) / p->width;
    int64_t n = 0;
    memset(seen, 0, (size_t)cols * sizeof *seen);
    for (int64_t i = block_row * p->height; i < (block_row + 1) * p->height && i < a->rows; i++)
        for (int64_t k = a->offset[i]; k < a->offset[i + 1]; k++)
            seen[(a->column[k] - a->base) / p->width] = 1;
    for (int64_t j = 0; j < cols; j++)
        if (seen[j])
            seen[j] = first + ++n;
    return n;
}

static void fill_row(const struct csr *a, const struct blocked *p, int64_t block_row, int64_t first, int64_t n, const int64_t *seen)
{
    const size_t bytes = (size_t)type_bytes(p->a.type), block_bytes = (size_t)(p->height * p->width) * bytes;
    const char *from = library_host(p->a.values);
    char *to = library_host(p->values);
    int *columns = library_host(p->columns);
    memset(to + (size_t)first * block_bytes, 0, (size_t)n * block_bytes);
    for (int64_t j = 0; j < (a->cols + p->width - 1) / p->width; j++)
        if (seen[j])
            columns[seen[j] - 1] = (int)(j + p->base);
    for (int64_t i = block_row * p->height; i < (block_row + 1) * p->height && i < a->rows; i++)
        for (int64_t k = a->offset[i]; k < a->offset[i + 1]; k++) {
            const int64_t column = a->column[k] - a->base, r = i % p->height, c = column % p->width, block = seen[column / p->width] - 1;
            const int64_t at = block * p->height * p->width + (p->by_column ? c * p->height + r : r * p->width + c);
            memcpy(to + (size_t)at * bytes, from + (size_t)k * bytes, bytes);
        }
}

static cudaError_t run_to_blocks(void *data)
{
    const struct blocked *p = data;
    struct scratch s = {.n = 0};
    struct csr a;
    cudaError_t e = matrix_rows(&s, &p->a, 0, COMPUTE_F32, false, &a);
    const int64_t rows = e ? 0 : (a.rows + p->height - 1) / p->height;
    int64_t *seen = e ? NULL : scratch_get(&s, (a.cols / p->width + 1) * (int64_t)sizeof *seen), first = 0;
    int *offsets = library_host(p->offsets);
    if (!e && !seen)
        e = cudaErrorMemoryAllocation;
    for (int64_t i = 0; i < rows && !e; i++) {
        if (p->count)
            offsets[i] = (int)first + p->base;
        const int64_t n = blocks_of_row(&a, p, i, first, seen);
        if (!p->count && first + n > p->room)
            e = library_fault("row of blocks %lld needs more than the %lld blocks that the offsets have", (long long)i, (long long)p->room);
        else if (!p->count)
            fill_row(&a, p, i, first, n, seen);
        first += n;
    }
    if (!e && p->count) {
        offsets[rows] = (int)first + p->base;
        *(int *)library_host(p->total) = (int)first;
    }
    scratch_release(&s);
    return e;
}

/* How many values a CSR matrix has is in its last offset, on the device: the array's length is not known before the call's turn. */
static void more_rows(void *data, struct library_more *m)
{
    struct blocked *p = data;
    const int *offset = library_host(p->a.first);
    const int nnz = offset[p->a.rows] - (int)p->a.base;
    p->a.nnz = nnz > 0 ? nnz : 0;
    library_more(m, &(struct library_operand){.name = "column indices", .at = p->a.second, .width = (size_t)p->a.nnz * 4, .access = LIBRARY_READ});
    if (p->count)
        return;
    const int *blocks = library_host(p->offsets);
    const int64_t rows = (p->a.rows + p->height - 1) / p->height, bytes = type_bytes(p->a.type);
    p->room = blocks[rows] - p->base > 0 ? blocks[rows] - p->base : 0;
    library_more(m, &(struct library_operand){.name = "values", .at = p->a.values, .width = (size_t)(p->a.nnz * bytes), .access = LIBRARY_READ});
    library_more(m, &(struct library_operand){.name = "block columns", .at = p->columns, .width = (size_t)p->room * 4, .access = LIBRARY_WRITE});
    library_more(m, &(struct library_operand){.name = "values of blocks", .at = p->values, .width = (size_t)(p->room * p->height * p->width * bytes), .access = LIBRARY_WRITE});
}

static cusparseStatus_t put_blocks(const char *function, cusparseHandle_t h, cusparseDirection_t direction, struct blocked *p, const struct cusparseMatDescr *da,
                                   const struct cusparseMatDescr *dc)
{
    NEED(h && da && dc && p->a.rows >= 0 && p->a.cols >= 0 && p->height > 0 && p->width > 0 && direction <= CUSPARSE_DIRECTION_COLUMN && (!p->count || p->total), INVALID_VALUE);
    const int64_t rows = (p->a.rows + p->height - 1) / p->height;
    p->a.base = da->base;
    p->base = (int)dc->base;
    p->by_column = direction == CUSPARSE_DIRECTION_COLUMN;
    struct call c = {.function = function, .peak = LIBRARY_SINGLE};
    call_array(&c, "row offsets", p->a.first, (p->a.rows + 1) * 4, LIBRARY_READ);
    call_array(&c, "block row offsets", p->offsets, (rows + 1) * 4, p->count ? LIBRARY_WRITE : LIBRARY_READ);
    const bool on_device = p->count && h->mode == CUSPARSE_POINTER_MODE_DEVICE;
    if (on_device)
        call_array(&c, "the total", p->total, 4, LIBRARY_WRITE);
    c.more = more_rows;
    return call_put(&c, h, run_to_blocks, p, sizeof *p, p->count && !on_device);
}

cusparseStatus_t cusparseXcsr2bsrNnz(cusparseHandle_t h, cusparseDirection_t direction, int m, int n, const cusparseMatDescr_t da, const int *offsets,
                                     const int *columns, int block, const cusparseMatDescr_t dc, int *block_offsets, int *total)
{
    struct blocked p = {.a = matrix_of(m, n, 0, NULL, offsets, columns, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F), .height = block, .width = block, .count = true,
                        .offsets = block_offsets, .total = total};
    return put_blocks("cusparseXcsr2bsrNnz", h, direction, &p, da, dc);
}

cusparseStatus_t cusparseXcsr2gebsrNnz(cusparseHandle_t h, cusparseDirection_t direction, int m, int n, const cusparseMatDescr_t da, const int *offsets,
                                       const int *columns, const cusparseMatDescr_t dc, int *block_offsets, int height, int width, int *total, void *buffer)
{
    struct blocked p = {.a = matrix_of(m, n, 0, NULL, offsets, columns, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F), .height = height, .width = width, .count = true,
                        .offsets = block_offsets, .total = total};
    (void)buffer;
    return put_blocks("cusparseXcsr2gebsrNnz", h, direction, &p, da, dc);
}

/* All numbers of all blocks, those that are 0 too, row by row. */
struct unblocked {
    struct cusparseSpMatDescr a;
    int *offsets, *columns, base;
    void *values;
};

static cudaError_t run_from_blocks(void *data)
{
    const struct unblocked *p = data;
    const enum compute as = type_compute(p->a.type);
    struct scratch s = {.n = 0};
    struct csr a;
    cudaError_t e = matrix_rows(&s, &p->a, 0, as, true, &a);
    int *offset = library_host(p->offsets), *column = library_host(p->columns);
    for (int64_t i = 0; !e && i <= a.rows; i++)
        offset[i] = (int)a.offset[i] + p->base;
    for (int64_t k = 0; !e && k < a.offset[a.rows]; k++)
        column[k] = a.column[k] - a.base + p->base;
    if (!e)
        memcpy(library_host(p->values), a.values, (size_t)a.offset[a.rows] * (size_t)compute_bytes(as));
    scratch_release(&s);
    return e;
}

static void more_blocks(void *data, struct library_more *m)
{
    struct unblocked *p = data;
    const int *offset = library_host(p->a.first);
    const int nnz = offset[p->a.rows] - (int)p->a.base;
    p->a.nnz = nnz > 0 ? nnz : 0;
    const size_t all = (size_t)matrix_values(&p->a), bytes = (size_t)type_bytes(p->a.type);
    library_more(m, &(struct library_operand){.name = "block columns", .at = p->a.second, .width = (size_t)p->a.nnz * 4, .access = LIBRARY_READ});
    library_more(m, &(struct library_operand){.name = "values of blocks", .at = p->a.values, .width = all * bytes, .access = LIBRARY_READ});
    library_more(m, &(struct library_operand){.name = "column indices", .at = p->columns, .width = all * 4, .access = LIBRARY_WRITE});
    library_more(m, &(struct library_operand){.name = "values", .at = p->values, .width = all * bytes, .access = LIBRARY_WRITE});
}

static cusparseStatus_t bsr2csr(const char *function, cusparseHandle_t h, cusparseDirection_t direction, int mb, int nb, const struct cusparseMatDescr *da,
                                const void *values, const int *offsets, const int *columns, int block, const struct cusparseMatDescr *dc, void *to_values,
                                int *to_offsets, int *to_columns, cudaDataType type)
{
    NEED(h && da && dc && mb >= 0 && nb >= 0 && block > 0 && direction <= CUSPARSE_DIRECTION_COLUMN, INVALID_VALUE);
    struct unblocked p = {matrix_of(mb, nb, 0, values, offsets, columns, da->base, type), to_offsets, to_columns, (int)dc->base, to_values};
    p.a.format = CUSPARSE_FORMAT_BSR;
    p.a.block_rows = p.a.block_cols = block;
    p.a.block_order = direction == CUSPARSE_DIRECTION_ROW ? CUSPARSE_ORDER_ROW : CUSPARSE_ORDER_COL;
    struct call c = {.function = function, .peak = LIBRARY_SINGLE, .more = more_blocks};
    call_array(&c, "block row offsets", offsets, ((int64_t)mb + 1) * 4, LIBRARY_READ);
    call_array(&c, "row offsets", to_offsets, ((int64_t)mb * block + 1) * 4, LIBRARY_WRITE);
    return call_put(&c, h, run_from_blocks, &p, sizeof p, false);
}

/* --- what is not 0 --- */

struct count {
    struct cusparseDnMatDescr a;
    int *each, *total;
    bool by_row;
};

static cudaError_t run_count(void *data)
{
    const struct count *p = data;
    const int64_t bytes = type_bytes(p->a.type);
    const char *from = library_host(p->a.values);
    const int64_t n = p->by_row ? p->a.rows : p->a.cols;
    int *each = library_host(p->each), total = 0;
    memset(each, 0, (size_t)n * sizeof *each);
    for (int64_t j = 0; j < p->a.cols; j++)
        for (int64_t i = 0; i < p->a.rows; i++)
            if (!type_is_zero(p->a.type, from + (j * p->a.ld + i) * bytes)) {
                each[p->by_row ? i : j]++;
                total++;
            }
    *(int *)library_host(p->total) = total;
    return cudaSuccess;
}

static cusparseStatus_t nnz(const char *function, cusparseHandle_t h, cusparseDirection_t direction, int m, int n, const struct cusparseMatDescr *d, const void *a,
                            int lda, int *each, int *total, cudaDataType type)
{
    NEED(h && d && m >= 0 && n >= 0 && lda >= m && total && direction <= CUSPARSE_DIRECTION_COLUMN, INVALID_VALUE);
    struct count p = {{m, n, lda, (void *)a, type, CUSPARSE_ORDER_COL, 1, 0}, each, total, direction == CUSPARSE_DIRECTION_ROW};
    struct call c = {.function = function, .peak = compute_peak(type_compute(type), type)};
    call_dense(&c, "A", &p.a, LIBRARY_READ);
    call_array(&c, "the counts", each, (p.by_row ? m : n) * (int64_t)4, LIBRARY_WRITE);
    const bool on_device = h->mode == CUSPARSE_POINTER_MODE_DEVICE;
    if (on_device)
        call_array(&c, "the total", total, 4, LIBRARY_WRITE);
    return call_put(&c, h, run_count, &p, sizeof p, !on_device);
}

/* --- entries --- */

#define EACH(S, E, type)                                                                                                                              \
    cusparseStatus_t cusparse##S##nnz(cusparseHandle_t h, cusparseDirection_t direction, int m, int n, const cusparseMatDescr_t d, const E *a, int lda, \
                                      int *each, int *total)                                                                                          \
    {                                                                                                                                                 \
        return nnz("cusparse" #S "nnz", h, direction, m, n, d, a, lda, each, total, type);                                                            \
    }                                                                                                                                                 \
    cusparseStatus_t cusparse##S##csr2bsr(cusparseHandle_t h, cusparseDirection_t direction, int m, int n, const cusparseMatDescr_t da,               \
                                          const E *values, const int *offsets, const int *columns, int block, const cusparseMatDescr_t dc,            \
                                          E *block_values, int *block_offsets, int *block_columns)                                                    \
    {                                                                                                                                                 \
        struct blocked p = {.a = matrix_of(m, n, 0, values, offsets, columns, CUSPARSE_INDEX_BASE_ZERO, type), .height = block, .width = block,       \
                            .offsets = block_offsets, .columns = block_columns, .values = block_values};                                              \
        return put_blocks("cusparse" #S "csr2bsr", h, direction, &p, da, dc);                                                                         \
    }                                                                                                                                                 \
    cusparseStatus_t cusparse##S##csr2gebsr_bufferSize(cusparseHandle_t h, cusparseDirection_t direction, int m, int n, const cusparseMatDescr_t d,   \
                                                       const E *values, const int *offsets, const int *columns, int height, int width, int *bytes)    \
    {                                                                                                                                                 \
        (void)values, (void)offsets, (void)columns;                                                                                                   \
        NEED(h && d && m >= 0 && n >= 0 && height > 0 && width > 0 && bytes && direction <= CUSPARSE_DIRECTION_COLUMN, INVALID_VALUE);                               \
        *bytes = BUFFER;                                                                                                                              \
        return CUSPARSE_STATUS_SUCCESS;                                                                                                               \
    }                                                                                                                                                 \
    cusparseStatus_t cusparse##S##csr2gebsr(cusparseHandle_t h, cusparseDirection_t direction, int m, int n, const cusparseMatDescr_t da,             \
                                            const E *values, const int *offsets, const int *columns, const cusparseMatDescr_t dc,                     \
                                            E *block_values, int *block_offsets, int *block_columns, int height, int width, void *buffer)             \
    {                                                                                                                                                 \
        struct blocked p = {.a = matrix_of(m, n, 0, values, offsets, columns, CUSPARSE_INDEX_BASE_ZERO, type), .height = height, .width = width,      \
                            .offsets = block_offsets, .columns = block_columns, .values = block_values};                                              \
        (void)buffer;                                                                                                                                 \
        return put_blocks("cusparse" #S "csr2gebsr", h, direction, &p, da, dc);                                                                       \
    }                                                                                                                                                 \
    cusparseStatus_t cusparse##S##bsr2csr(cusparseHandle_t h, cusparseDirection_t direction, int mb, int nb, const cusparseMatDescr_t da,             \
                                          const E *values, const int *offsets, const int *columns, int block, const cusparseMatDescr_t dc,            \
                                          E *to_values, int *to_offsets, int *to_columns)                                                             \
    {                                                                                                                                                 \
        return bsr2csr("cusparse" #S "bsr2csr", h, direction, mb, nb, da, values, offsets, columns, block, dc, to_values, to_offsets, to_columns,     \
                       type);                                                                                                                         \
    }
EACH(S, float, CUDA_R_32F)
EACH(D, double, CUDA_R_64F)
EACH(C, cuComplex, CUDA_C_32F)
EACH(Z, cuDoubleComplex, CUDA_C_64F)
