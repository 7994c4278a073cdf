/* Descriptors' memory for the loops (see matrix.h). */
#include "libraries/cusparse/matrix.h"

#include <stdlib.h>
#include <string.h>

/* --- memory of one call --- */

void *scratch_get(struct scratch *s, int64_t bytes)
{
    void *p = s->n < (int)(sizeof s->held / sizeof *s->held) ? calloc(1, bytes > 0 ? (size_t)bytes : 1) : NULL;
    if (p)
        s->held[s->n++] = p;
    return p;
}

void scratch_release(struct scratch *s)
{
    while (s->n)
        free(s->held[--s->n]);
}

/* --- indices --- */

int64_t index_at(const void *array, cusparseIndexType_t type, int64_t i)
{
    return type == CUSPARSE_INDEX_64I ? ((const int64_t *)array)[i] : ((const int32_t *)array)[i];
}

void index_put(void *array, cusparseIndexType_t type, int64_t i, int64_t value)
{
    if (type == CUSPARSE_INDEX_64I)
        ((int64_t *)array)[i] = value;
    else
        ((int32_t *)array)[i] = (int32_t)value;
}

static const char *at_batch(const void *array, cusparseIndexType_t type, int64_t elements)
{
    return (const char *)library_host(array) + elements * index_bytes(type);
}

static cudaError_t strays(const char *what, int64_t place, int64_t value, int base, int64_t below)
{
    return library_fault("%s %lld is %lld: it must be from %d to %lld", what, (long long)place, (long long)value, base, (long long)(below - 1 + base));
}

/* Offsets from 0 on, which must not fall, nor lead behind `values` values. */
static cudaError_t read_offsets(struct scratch *s, const char *array, cusparseIndexType_t type, int base, int64_t rows, int64_t values, int64_t **out)
{
    int64_t *o = scratch_get(s, (rows + 1) * (int64_t)sizeof *o);
    if (!o)
        return cudaErrorMemoryAllocation;
    for (int64_t i = 0; i <= rows; i++) {
        o[i] = index_at(array, type, i) - base;
        if (o[i] < (i ? o[i - 1] : 0) || o[i] > values)
            return library_fault("offset %lld is %lld: it must be from %lld to %lld", (long long)i, (long long)o[i] + base,
                                 (long long)(i ? o[i - 1] : 0) + base, (long long)values + base);
    }
    *out = o;
    return cudaSuccess;
}

/* Are all of them from base on and below base + below? In one pass without a branch: a distance from either end that is negative
 * leaves its sign. */
static bool within(const int32_t *index, int64_t n, int base, int64_t below)
{
    const uint32_t last = (uint32_t)(below - 1 < INT32_MAX ? below - 1 : INT32_MAX);
    uint32_t signs = 0;
    for (int64_t k = 0; k < n; k++) {
        const uint32_t v = (uint32_t)index[k] - (uint32_t)base;
        signs |= v | (last - v);
    }
    return !(signs >> 31);
}

/* Indices as int32_t, from *base on: the array itself, or a copy. */
static cudaError_t read_columns(struct scratch *s, const char *array, cusparseIndexType_t type, int *base, int64_t from, int64_t to, int64_t below,
                                const int32_t **out)
{
    *out = (const int32_t *)array;
    if (type == CUSPARSE_INDEX_32I && within(*out + from, to - from, *base, below))
        return cudaSuccess;
    int32_t *copy = scratch_get(s, to * (int64_t)sizeof *copy);
    if (!copy)
        return cudaErrorMemoryAllocation;
    for (int64_t k = from; k < to; k++) {
        const int64_t v = index_at(array, type, k) - *base;
        if (v < 0 || v >= below)
            return strays("index", k, v + *base, *base, below);
        copy[k] = (int32_t)v;
    }
    *out = copy;
    *base = 0;
    return cudaSuccess;
}

/* --- formats --- */

static cudaError_t read_values(struct scratch *s, const struct cusparseSpMatDescr *m, int batch, enum compute as, const void **out)
{
    const char *values = (const char *)m->values + (int64_t)batch * m->value_stride * type_bytes(m->type);
    *out = array_read(s, values, m->type, as, matrix_values(m));
    return *out ? cudaSuccess : cudaErrorMemoryAllocation;
}

static cudaError_t compressed(struct scratch *s, const struct cusparseSpMatDescr *m, int batch, struct csr *c)
{
    int64_t *offset;
    c->transposed = m->format == CUSPARSE_FORMAT_CSC;
    c->rows = c->transposed ? m->cols : m->rows;
    c->cols = c->transposed ? m->rows : m->cols;
    c->base = (int)m->base;
    cudaError_t e = read_offsets(s, at_batch(m->first, m->first_type, batch * m->first_stride), m->first_type, c->base, c->rows, m->nnz, &offset);
    if (e)
        return e;
    c->offset = offset;
    return read_columns(s, at_batch(m->second, m->second_type, batch * m->second_stride), m->second_type, &c->base, offset[0], offset[c->rows], c->cols,
                        &c->column);
}

/* Entries row by row; those of one row stay in their order. */
static cudaError_t sort_rows(struct scratch *s, const struct cusparseSpMatDescr *m, const int32_t *row, int64_t *offset, enum compute as, struct csr *c)
{
    const int64_t width = c->values ? compute_bytes(as) : 0;
    int32_t *column = scratch_get(s, m->nnz * (int64_t)sizeof *column);
    char *values = scratch_get(s, m->nnz * width);
    int64_t *next = scratch_get(s, (c->rows + 1) * (int64_t)sizeof *next);
    if (!column || !values || !next)
        return cudaErrorMemoryAllocation;
    memcpy(next, offset, (size_t)(c->rows + 1) * sizeof *next);
    for (int64_t k = 0; k < m->nnz; k++) {
        const int64_t to = next[row[k]]++;
        column[to] = c->column[k];
        if (width)
            memcpy(values + to * width, (const char *)c->values + k * width, (size_t)width);
    }
    c->column = column;
    c->values = c->values ? values : NULL;
    return cudaSuccess;
}

static cudaError_t coordinates(struct scratch *s, const struct cusparseSpMatDescr *m, int batch, enum compute as, struct csr *c)
{
    const char *rows = at_batch(m->first, m->first_type, batch * m->first_stride);
    int32_t *row = scratch_get(s, m->nnz * (int64_t)sizeof *row);
    int64_t *offset = scratch_get(s, (m->rows + 1) * (int64_t)sizeof *offset);
    bool sorted = true;
    if (!row || !offset)
        return cudaErrorMemoryAllocation;
    c->rows = m->rows;
    c->cols = m->cols;
    c->base = (int)m->base;
    c->offset = offset;
    for (int64_t k = 0; k < m->nnz; k++) {
        const int64_t r = index_at(rows, m->first_type, k) - m->base;
        if (r < 0 || r >= m->rows)
            return strays("row index", k, r + m->base, (int)m->base, m->rows);
        row[k] = (int32_t)r;
        offset[r + 1]++;
        sorted = sorted && (!k || row[k - 1] <= r);
    }
    for (int64_t i = 0; i < m->rows; i++)
        offset[i + 1] += offset[i];
    cudaError_t e = read_columns(s, at_batch(m->second, m->second_type, batch * m->second_stride), m->second_type, &c->base, 0, m->nnz, m->cols, &c->column);
    return e || sorted ? e : sort_rows(s, m, row, offset, as, c);
}

/* Blocks, each of them given by its place and its first value: entries row by row. */
struct blocks {
    int64_t rows, height, width; /* of blocks; of a block */
    const int64_t *offset;       /* blocks of a row of blocks */
    const int32_t *column;       /* below 0: an empty place of a blocked ELL matrix */
    int base;
    int64_t block_step, row_step, col_step; /* values: from block to block; in a block */
    int64_t row_of_blocks_step;             /* from one row of blocks to the next, where not every block counts on (blocked ELL) */
};

static cudaError_t expand(struct scratch *s, const struct blocks *b, enum compute as, struct csr *c)
{
    const int64_t all = b->offset[b->rows] * b->height * b->width, width = compute_bytes(as);
    int64_t *offset = scratch_get(s, (b->rows * b->height + 1) * (int64_t)sizeof *offset);
    int32_t *column = scratch_get(s, all * (int64_t)sizeof *column);
    char *values = scratch_get(s, c->values ? all * width : 0);
    int64_t n = 0;
    if (!offset || !column || !values)
        return cudaErrorMemoryAllocation;
    for (int64_t i = 0; i < b->rows; i++)
        for (int64_t r = 0; r < b->height; r++) {
            for (int64_t k = b->offset[i]; k < b->offset[i + 1]; k++)
                for (int64_t j = 0; b->column[k] >= b->base && j < b->width; j++, n++) {
                    const int64_t block = b->row_of_blocks_step ? i * b->row_of_blocks_step + (k - b->offset[i]) * b->block_step : k * b->block_step;
                    column[n] = (int32_t)((b->column[k] - b->base) * b->width + j);
                    if (c->values)
                        memcpy(values + n * width, (const char *)c->values + (block + r * b->row_step + j * b->col_step) * width, (size_t)width);
                }
            offset[i * b->height + r + 1] = n;
        }
    c->offset = offset;
    c->column = column;
    c->values = c->values ? values : NULL;
    c->base = 0;
    return cudaSuccess;
}

static cudaError_t block_rows(struct scratch *s, const struct cusparseSpMatDescr *m, int batch, enum compute as, struct csr *c)
{
    struct blocks b = {.rows = m->rows, .height = m->block_rows, .width = m->block_cols, .base = (int)m->base, .block_step = m->block_rows * m->block_cols};
    int64_t *offset;
    const bool by_row = m->block_order == CUSPARSE_ORDER_ROW;
    b.row_step = by_row ? m->block_cols : 1;
    b.col_step = by_row ? 1 : m->block_rows;
    c->rows = m->rows * m->block_rows;
    c->cols = m->cols * m->block_cols;
    cudaError_t e = read_offsets(s, at_batch(m->first, m->first_type, batch * m->first_stride), m->first_type, b.base, m->rows, m->nnz, &offset);
    if (!e)
        e = read_columns(s, at_batch(m->second, m->second_type, batch * m->second_stride), m->second_type, &b.base, offset[0], offset[m->rows], m->cols, &b.column);
    if (e)
        return e;
    b.offset = offset;
    return expand(s, &b, as, c);
}

static cudaError_t blocked_ell(struct scratch *s, const struct cusparseSpMatDescr *m, enum compute as, struct csr *c)
{
    const int64_t each = m->ell_cols / m->block_cols, rows = m->rows / m->block_rows;
    struct blocks b = {.rows = rows, .height = m->block_rows, .width = m->block_cols};
    int64_t *offset = scratch_get(s, (rows + 1) * (int64_t)sizeof *offset);
    int32_t *column = scratch_get(s, rows * each * (int64_t)sizeof *column);
    if (!offset || !column)
        return cudaErrorMemoryAllocation;
    for (int64_t k = 0; k < rows * each; k++) {
        const int64_t v = index_at(library_host(m->second), m->second_type, k);
        column[k] = v == -1 ? -1 : (int32_t)(v - m->base);
        if (v != -1 && (v < m->base || v - m->base >= m->cols / m->block_cols))
            return strays("block index", k, v, (int)m->base, m->cols / m->block_cols);
    }
    for (int64_t i = 0; i <= rows; i++)
        offset[i] = i * each;
    b.offset = offset;
    b.column = column;
    b.row_of_blocks_step = m->block_rows * m->ell_cols;
    b.block_step = m->block_cols;
    b.row_step = m->ell_cols;
    b.col_step = 1;
    c->rows = m->rows;
    c->cols = m->cols;
    return expand(s, &b, as, c);
}

cudaError_t matrix_rows(struct scratch *s, const struct cusparseSpMatDescr *m, int batch, enum compute as, bool with_values, struct csr *out)
{
    *out = (struct csr){0};
    cudaError_t e = with_values ? read_values(s, m, batch, as, &out->values) : cudaSuccess;
    if (e)
        return e;
    switch (m->format) {
    case CUSPARSE_FORMAT_COO:
        return coordinates(s, m, batch, as, out);
    case CUSPARSE_FORMAT_BSR:
        return block_rows(s, m, batch, as, out);
    case CUSPARSE_FORMAT_BLOCKED_ELL:
        return blocked_ell(s, m, as, out);
    default:
        return compressed(s, m, batch, out);
    }
}

/* --- arrays --- */

void *array_read(struct scratch *s, const void *values, cudaDataType type, enum compute as, int64_t n)
{
    void *at = library_host(values);
    if (type_is(type, as))
        return n ? at : scratch_get(s, 0);
    void *copy = scratch_get(s, n * compute_bytes(as));
    if (copy)
        type_widen(type, as, at, copy, n);
    return copy;
}

void array_write(void *computed, void *values, cudaDataType type, enum compute as, int64_t n)
{
    void *at = library_host(values);
    if (computed != at)
        type_narrow(type, as, computed, at, n);
}

/* Lines of a dense matrix: what lies without gaps. */
static void lines(const struct cusparseDnMatDescr *d, int64_t *n, int64_t *length)
{
    const bool by_row = d->order == CUSPARSE_ORDER_ROW;
    *n = by_row ? d->rows : d->cols;
    *length = by_row ? d->cols : d->rows;
}

static char *batch_of(const struct cusparseDnMatDescr *d, int batch)
{
    return (char *)library_host(d->values) + batch * d->batch_stride * type_bytes(d->type);
}

bool dense_read(struct scratch *s, const struct cusparseDnMatDescr *d, int batch, enum compute as, struct dense *out)
{
    int64_t n, length, ld = d->ld;
    lines(d, &n, &length);
    out->values = batch_of(d, batch);
    if (!type_is(d->type, as)) {
        char *from = out->values, *to = out->values = scratch_get(s, n * length * compute_bytes(as));
        if (!to)
            return false;
        for (int64_t i = 0; i < n; i++)
            type_widen(d->type, as, from + i * d->ld * type_bytes(d->type), to + i * length * compute_bytes(as), length);
        ld = length;
    }
    out->row = d->order == CUSPARSE_ORDER_ROW ? ld : 1;
    out->col = d->order == CUSPARSE_ORDER_ROW ? 1 : ld;
    return true;
}

void dense_write(const struct dense *computed, const struct cusparseDnMatDescr *d, int batch, enum compute as)
{
    int64_t n, length;
    char *to = batch_of(d, batch);
    lines(d, &n, &length);
    if (computed->values == to)
        return;
    for (int64_t i = 0; i < n; i++)
        type_narrow(d->type, as, (const char *)computed->values + i * length * compute_bytes(as), to + i * d->ld * type_bytes(d->type), length);
}

struct dense dense_turned(struct dense d)
{
    return (struct dense){d.values, d.col, d.row};
}

cudaError_t vector_places(struct scratch *s, const struct cusparseSpVecDescr *v, int64_t **at)
{
    const void *indices = library_host(v->indices);
    *at = scratch_get(s, v->nnz * (int64_t)sizeof **at);
    if (!*at)
        return cudaErrorMemoryAllocation;
    for (int64_t k = 0; k < v->nnz; k++) {
        (*at)[k] = index_at(indices, v->index, k) - v->base;
        if ((*at)[k] < 0 || (*at)[k] >= v->size)
            return strays("index", k, (*at)[k] + v->base, (int)v->base, v->size);
    }
    return cudaSuccess;
}
