/* cuSPARSE's descriptors: made, asked, changed. They hold pointers to device memory and never look at it: a NULL among them is the
 * fault of the call that reads it, as on an H200. */
#include "libraries/cusparse/descriptors.h"

#include <stdlib.h>

#include "libraries/cusparse/types.h"

int index_bytes(cusparseIndexType_t type)
{
    return type == CUSPARSE_INDEX_32I ? 4 : type == CUSPARSE_INDEX_64I ? 8 : 0;
}

static bool is_index(cusparseIndexType_t type)
{
    return type == CUSPARSE_INDEX_16U || index_bytes(type);
}

static bool is_base(cusparseIndexBase_t base)
{
    return base == CUSPARSE_INDEX_BASE_ZERO || base == CUSPARSE_INDEX_BASE_ONE;
}

/* A copy that the caller owns. */
#define NEW(out, type, ...)                                    \
    do {                                                       \
        struct type *made = malloc(sizeof *made);              \
        if (!made)                                             \
            return CUSPARSE_STATUS_ALLOC_FAILED;               \
        *made = (struct type){__VA_ARGS__};                    \
        *(out) = made;                                         \
        return CUSPARSE_STATUS_SUCCESS;                        \
    } while (0)

/* Each answers what it is asked through pointers; all must be there. */
#define SET(to, value) \
    NEED(to, INVALID_VALUE);          \
    *(to) = (value)

/* --- vectors --- */

cusparseStatus_t cusparseCreateSpVec(cusparseSpVecDescr_t *d, int64_t size, int64_t nnz, void *indices, void *values, cusparseIndexType_t index,
                                     cusparseIndexBase_t base, cudaDataType type)
{
    NEED(d && size >= 0 && nnz >= 0 && nnz <= size && index_bytes(index) && is_base(base) && type_bytes(type), INVALID_VALUE);
    NEW(d, cusparseSpVecDescr, size, nnz, indices, values, index, base, type);
}

cusparseStatus_t cusparseCreateConstSpVec(cusparseConstSpVecDescr_t *d, int64_t size, int64_t nnz, const void *indices, const void *values,
                                          cusparseIndexType_t index, cusparseIndexBase_t base, cudaDataType type)
{
    return cusparseCreateSpVec((cusparseSpVecDescr_t *)d, size, nnz, (void *)indices, (void *)values, index, base, type);
}

cusparseStatus_t cusparseDestroySpVec(cusparseConstSpVecDescr_t d)
{
    free((void *)d);
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseConstSpVecGet(cusparseConstSpVecDescr_t d, int64_t *size, int64_t *nnz, const void **indices, const void **values,
                                       cusparseIndexType_t *index, cusparseIndexBase_t *base, cudaDataType *type)
{
    NEED(d, INVALID_VALUE);
    SET(size, d->size);
    SET(nnz, d->nnz);
    SET(indices, d->indices);
    SET(values, d->values);
    SET(index, d->index);
    SET(base, d->base);
    SET(type, d->type);
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSpVecGet(cusparseSpVecDescr_t d, int64_t *size, int64_t *nnz, void **indices, void **values, cusparseIndexType_t *index,
                                  cusparseIndexBase_t *base, cudaDataType *type)
{
    return cusparseConstSpVecGet(d, size, nnz, (const void **)indices, (const void **)values, index, base, type);
}

cusparseStatus_t cusparseSpVecGetIndexBase(cusparseConstSpVecDescr_t d, cusparseIndexBase_t *base)
{
    NEED(d, INVALID_VALUE);
    SET(base, d->base);
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseConstSpVecGetValues(cusparseConstSpVecDescr_t d, const void **values)
{
    NEED(d, INVALID_VALUE);
    SET(values, d->values);
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSpVecGetValues(cusparseSpVecDescr_t d, void **values)
{
    return cusparseConstSpVecGetValues(d, (const void **)values);
}

cusparseStatus_t cusparseSpVecSetValues(cusparseSpVecDescr_t d, void *values)
{
    NEED(d && values, INVALID_VALUE);
    d->values = values;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseCreateDnVec(cusparseDnVecDescr_t *d, int64_t size, void *values, cudaDataType type)
{
    NEED(d && size >= 0 && type_bytes(type), INVALID_VALUE);
    NEW(d, cusparseDnVecDescr, size, values, type);
}

cusparseStatus_t cusparseCreateConstDnVec(cusparseConstDnVecDescr_t *d, int64_t size, const void *values, cudaDataType type)
{
    return cusparseCreateDnVec((cusparseDnVecDescr_t *)d, size, (void *)values, type);
}

cusparseStatus_t cusparseDestroyDnVec(cusparseConstDnVecDescr_t d)
{
    free((void *)d);
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseConstDnVecGet(cusparseConstDnVecDescr_t d, int64_t *size, const void **values, cudaDataType *type)
{
    NEED(d, INVALID_VALUE);
    SET(size, d->size);
    SET(values, d->values);
    SET(type, d->type);
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseDnVecGet(cusparseDnVecDescr_t d, int64_t *size, void **values, cudaDataType *type)
{
    return cusparseConstDnVecGet(d, size, (const void **)values, type);
}

cusparseStatus_t cusparseConstDnVecGetValues(cusparseConstDnVecDescr_t d, const void **values)
{
    NEED(d, INVALID_VALUE);
    SET(values, d->values);
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseDnVecGetValues(cusparseDnVecDescr_t d, void **values)
{
    return cusparseConstDnVecGetValues(d, (const void **)values);
}

cusparseStatus_t cusparseDnVecSetValues(cusparseDnVecDescr_t d, void *values)
{
    NEED(d && values, INVALID_VALUE);
    d->values = values;
    return CUSPARSE_STATUS_SUCCESS;
}

/* --- dense matrices --- */

cusparseStatus_t cusparseCreateDnMat(cusparseDnMatDescr_t *d, int64_t rows, int64_t cols, int64_t ld, void *values, cudaDataType type, cusparseOrder_t order)
{
    NEED(order == CUSPARSE_ORDER_COL || order == CUSPARSE_ORDER_ROW, INVALID_VALUE);
    NEED(d && rows >= 0 && cols >= 0 && ld >= (order == CUSPARSE_ORDER_ROW ? cols : rows) && type_bytes(type), INVALID_VALUE);
    NEW(d, cusparseDnMatDescr, rows, cols, ld, values, type, order, 1, 0);
}

cusparseStatus_t cusparseCreateConstDnMat(cusparseConstDnMatDescr_t *d, int64_t rows, int64_t cols, int64_t ld, const void *values, cudaDataType type,
                                          cusparseOrder_t order)
{
    return cusparseCreateDnMat((cusparseDnMatDescr_t *)d, rows, cols, ld, (void *)values, type, order);
}

cusparseStatus_t cusparseDestroyDnMat(cusparseConstDnMatDescr_t d)
{
    free((void *)d);
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseConstDnMatGet(cusparseConstDnMatDescr_t d, int64_t *rows, int64_t *cols, int64_t *ld, const void **values, cudaDataType *type,
                                       cusparseOrder_t *order)
{
    NEED(d, INVALID_VALUE);
    SET(rows, d->rows);
    SET(cols, d->cols);
    SET(ld, d->ld);
    SET(values, d->values);
    SET(type, d->type);
    SET(order, d->order);
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseDnMatGet(cusparseDnMatDescr_t d, int64_t *rows, int64_t *cols, int64_t *ld, void **values, cudaDataType *type, cusparseOrder_t *order)
{
    return cusparseConstDnMatGet(d, rows, cols, ld, (const void **)values, type, order);
}

cusparseStatus_t cusparseConstDnMatGetValues(cusparseConstDnMatDescr_t d, const void **values)
{
    NEED(d, INVALID_VALUE);
    SET(values, d->values);
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseDnMatGetValues(cusparseDnMatDescr_t d, void **values)
{
    return cusparseConstDnMatGetValues(d, (const void **)values);
}

cusparseStatus_t cusparseDnMatSetValues(cusparseDnMatDescr_t d, void *values)
{
    NEED(d && values, INVALID_VALUE);
    d->values = values;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseDnMatSetStridedBatch(cusparseDnMatDescr_t d, int batches, int64_t stride)
{
    NEED(d && batches > 0 && (batches == 1 || stride == 0 || stride >= (d->order == CUSPARSE_ORDER_ROW ? d->rows : d->cols) * d->ld), INVALID_VALUE);
    d->batches = batches;
    d->batch_stride = stride;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseDnMatGetStridedBatch(cusparseConstDnMatDescr_t d, int *batches, int64_t *stride)
{
    NEED(d, INVALID_VALUE);
    SET(batches, d->batches);
    SET(stride, d->batch_stride);
    return CUSPARSE_STATUS_SUCCESS;
}

/* --- sparse matrices --- */

int64_t matrix_firsts(const struct cusparseSpMatDescr *m)
{
    switch (m->format) {
    case CUSPARSE_FORMAT_COO:
        return m->nnz;
    case CUSPARSE_FORMAT_BLOCKED_ELL:
        return 0;
    default:
        return (m->format == CUSPARSE_FORMAT_CSC ? m->cols : m->rows) + 1;
    }
}

int64_t matrix_seconds(const struct cusparseSpMatDescr *m)
{
    return m->format == CUSPARSE_FORMAT_BLOCKED_ELL ? m->nnz / (m->block_rows * m->block_cols) : m->nnz;
}

int64_t matrix_values(const struct cusparseSpMatDescr *m)
{
    return m->format == CUSPARSE_FORMAT_BSR ? m->nnz * m->block_rows * m->block_cols : m->nnz;
}

/* What all formats have: `want` comes with the rest. */
static cusparseStatus_t create(cusparseSpMatDescr_t *d, const struct cusparseSpMatDescr *want)
{
    NEED(d && want->rows >= 0 && want->cols >= 0 && want->nnz >= 0, INVALID_VALUE);
    NEED(want->format == CUSPARSE_FORMAT_BSR || want->rows == 0 || want->cols == 0 || (double)want->nnz <= (double)want->rows * (double)want->cols, INVALID_VALUE);
    NEED(is_base(want->base) && type_bytes(want->type) && is_index(want->first_type) && is_index(want->second_type), INVALID_VALUE);
    if (want->first_type != want->second_type || !index_bytes(want->first_type))
        return CUSPARSE_STATUS_NOT_SUPPORTED;
    NEW(d, cusparseSpMatDescr, .format = want->format, .rows = want->rows, .cols = want->cols, .nnz = want->nnz, .first = want->first,
        .second = want->second, .values = want->values, .first_type = want->first_type, .second_type = want->second_type, .base = want->base,
        .type = want->type, .batches = 1, .block_rows = want->block_rows, .block_cols = want->block_cols, .ell_cols = want->ell_cols,
        .block_order = want->block_order);
}

cusparseStatus_t cusparseCreateCsr(cusparseSpMatDescr_t *d, int64_t rows, int64_t cols, int64_t nnz, void *offsets, void *columns, void *values,
                                   cusparseIndexType_t offset_type, cusparseIndexType_t column_type, cusparseIndexBase_t base, cudaDataType type)
{
    return create(d, &(struct cusparseSpMatDescr){.format = CUSPARSE_FORMAT_CSR, .rows = rows, .cols = cols, .nnz = nnz, .first = offsets, .second = columns,
                                                  .values = values, .first_type = offset_type, .second_type = column_type, .base = base, .type = type});
}

cusparseStatus_t cusparseCreateConstCsr(cusparseConstSpMatDescr_t *d, int64_t rows, int64_t cols, int64_t nnz, const void *offsets, const void *columns,
                                        const void *values, cusparseIndexType_t offset_type, cusparseIndexType_t column_type, cusparseIndexBase_t base,
                                        cudaDataType type)
{
    return cusparseCreateCsr((cusparseSpMatDescr_t *)d, rows, cols, nnz, (void *)offsets, (void *)columns, (void *)values, offset_type, column_type, base, type);
}

cusparseStatus_t cusparseCreateCsc(cusparseSpMatDescr_t *d, int64_t rows, int64_t cols, int64_t nnz, void *offsets, void *row_indices, void *values,
                                   cusparseIndexType_t offset_type, cusparseIndexType_t row_type, cusparseIndexBase_t base, cudaDataType type)
{
    return create(d, &(struct cusparseSpMatDescr){.format = CUSPARSE_FORMAT_CSC, .rows = rows, .cols = cols, .nnz = nnz, .first = offsets, .second = row_indices,
                                                  .values = values, .first_type = offset_type, .second_type = row_type, .base = base, .type = type});
}

cusparseStatus_t cusparseCreateConstCsc(cusparseConstSpMatDescr_t *d, int64_t rows, int64_t cols, int64_t nnz, const void *offsets, const void *row_indices,
                                        const void *values, cusparseIndexType_t offset_type, cusparseIndexType_t row_type, cusparseIndexBase_t base,
                                        cudaDataType type)
{
    return cusparseCreateCsc((cusparseSpMatDescr_t *)d, rows, cols, nnz, (void *)offsets, (void *)row_indices, (void *)values, offset_type, row_type, base, type);
}

cusparseStatus_t cusparseCreateCoo(cusparseSpMatDescr_t *d, int64_t rows, int64_t cols, int64_t nnz, void *row_indices, void *columns, void *values,
                                   cusparseIndexType_t index, cusparseIndexBase_t base, cudaDataType type)
{
    return create(d, &(struct cusparseSpMatDescr){.format = CUSPARSE_FORMAT_COO, .rows = rows, .cols = cols, .nnz = nnz, .first = row_indices, .second = columns,
                                                  .values = values, .first_type = index, .second_type = index, .base = base, .type = type});
}

cusparseStatus_t cusparseCreateConstCoo(cusparseConstSpMatDescr_t *d, int64_t rows, int64_t cols, int64_t nnz, const void *row_indices, const void *columns,
                                        const void *values, cusparseIndexType_t index, cusparseIndexBase_t base, cudaDataType type)
{
    return cusparseCreateCoo((cusparseSpMatDescr_t *)d, rows, cols, nnz, (void *)row_indices, (void *)columns, (void *)values, index, base, type);
}

cusparseStatus_t cusparseCreateBsr(cusparseSpMatDescr_t *d, int64_t rows, int64_t cols, int64_t nnz, int64_t height, int64_t width, void *offsets,
                                   void *columns, void *values, cusparseIndexType_t offset_type, cusparseIndexType_t column_type,
                                   cusparseIndexBase_t base, cudaDataType type, cusparseOrder_t order)
{
    NEED(height > 0 && width > 0 && (order == CUSPARSE_ORDER_ROW || order == CUSPARSE_ORDER_COL), INVALID_VALUE);
    return create(d, &(struct cusparseSpMatDescr){.format = CUSPARSE_FORMAT_BSR, .rows = rows, .cols = cols, .nnz = nnz, .first = offsets, .second = columns,
                                                  .values = values, .first_type = offset_type, .second_type = column_type, .base = base, .type = type,
                                                  .block_rows = height, .block_cols = width, .block_order = order});
}

cusparseStatus_t cusparseCreateConstBsr(cusparseConstSpMatDescr_t *d, int64_t rows, int64_t cols, int64_t nnz, int64_t height, int64_t width,
                                        const void *offsets, const void *columns, const void *values, cusparseIndexType_t offset_type,
                                        cusparseIndexType_t column_type, cusparseIndexBase_t base, cudaDataType type, cusparseOrder_t order)
{
    return cusparseCreateBsr((cusparseSpMatDescr_t *)d, rows, cols, nnz, height, width, (void *)offsets, (void *)columns, (void *)values, offset_type,
                             column_type, base, type, order);
}

cusparseStatus_t cusparseCreateBlockedEll(cusparseSpMatDescr_t *d, int64_t rows, int64_t cols, int64_t block, int64_t ell_cols, void *columns, void *values,
                                          cusparseIndexType_t index, cusparseIndexBase_t base, cudaDataType type)
{
    NEED(block > 0 && ell_cols >= 0 && ell_cols <= cols && rows >= 0 && rows % block == 0 && cols % block == 0 && ell_cols % block == 0, INVALID_VALUE);
    return create(d, &(struct cusparseSpMatDescr){.format = CUSPARSE_FORMAT_BLOCKED_ELL, .rows = rows, .cols = cols, .nnz = rows * ell_cols, .second = columns,
                                                  .values = values, .first_type = index, .second_type = index, .base = base, .type = type,
                                                  .block_rows = block, .block_cols = block, .ell_cols = ell_cols});
}

cusparseStatus_t cusparseCreateConstBlockedEll(cusparseConstSpMatDescr_t *d, int64_t rows, int64_t cols, int64_t block, int64_t ell_cols,
                                               const void *columns, const void *values, cusparseIndexType_t index, cusparseIndexBase_t base,
                                               cudaDataType type)
{
    return cusparseCreateBlockedEll((cusparseSpMatDescr_t *)d, rows, cols, block, ell_cols, (void *)columns, (void *)values, index, base, type);
}

cusparseStatus_t cusparseDestroySpMat(cusparseConstSpMatDescr_t d)
{
    free((void *)d);
    return CUSPARSE_STATUS_SUCCESS;
}

static cusparseStatus_t get(const struct cusparseSpMatDescr *d, cusparseFormat_t format, int64_t *rows, int64_t *cols, int64_t *nnz, const void **first,
                            const void **second, const void **values, cusparseIndexType_t *first_type, cusparseIndexType_t *second_type,
                            cusparseIndexBase_t *base, cudaDataType *type)
{
    NEED(d && d->format == format, INVALID_VALUE);
    SET(rows, d->rows);
    SET(cols, d->cols);
    SET(nnz, d->nnz);
    SET(first, d->first);
    SET(second, d->second);
    SET(values, d->values);
    SET(first_type, d->first_type);
    SET(second_type, d->second_type);
    SET(base, d->base);
    SET(type, d->type);
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseConstCsrGet(cusparseConstSpMatDescr_t d, int64_t *rows, int64_t *cols, int64_t *nnz, const void **offsets, const void **columns,
                                     const void **values, cusparseIndexType_t *offset_type, cusparseIndexType_t *column_type, cusparseIndexBase_t *base,
                                     cudaDataType *type)
{
    return get(d, CUSPARSE_FORMAT_CSR, rows, cols, nnz, offsets, columns, values, offset_type, column_type, base, type);
}

cusparseStatus_t cusparseCsrGet(cusparseSpMatDescr_t d, int64_t *rows, int64_t *cols, int64_t *nnz, void **offsets, void **columns, void **values,
                                cusparseIndexType_t *offset_type, cusparseIndexType_t *column_type, cusparseIndexBase_t *base, cudaDataType *type)
{
    return get(d, CUSPARSE_FORMAT_CSR, rows, cols, nnz, (const void **)offsets, (const void **)columns, (const void **)values, offset_type, column_type, base, type);
}

cusparseStatus_t cusparseConstCscGet(cusparseConstSpMatDescr_t d, int64_t *rows, int64_t *cols, int64_t *nnz, const void **offsets, const void **row_indices,
                                     const void **values, cusparseIndexType_t *offset_type, cusparseIndexType_t *row_type, cusparseIndexBase_t *base,
                                     cudaDataType *type)
{
    return get(d, CUSPARSE_FORMAT_CSC, rows, cols, nnz, offsets, row_indices, values, offset_type, row_type, base, type);
}

cusparseStatus_t cusparseCscGet(cusparseSpMatDescr_t d, int64_t *rows, int64_t *cols, int64_t *nnz, void **offsets, void **row_indices, void **values,
                                cusparseIndexType_t *offset_type, cusparseIndexType_t *row_type, cusparseIndexBase_t *base, cudaDataType *type)
{
    return get(d, CUSPARSE_FORMAT_CSC, rows, cols, nnz, (const void **)offsets, (const void **)row_indices, (const void **)values, offset_type, row_type, base, type);
}

cusparseStatus_t cusparseConstCooGet(cusparseConstSpMatDescr_t d, int64_t *rows, int64_t *cols, int64_t *nnz, const void **row_indices, const void **columns,
                                     const void **values, cusparseIndexType_t *index, cusparseIndexBase_t *base, cudaDataType *type)
{
    return get(d, CUSPARSE_FORMAT_COO, rows, cols, nnz, row_indices, columns, values, index, index, base, type);
}

cusparseStatus_t cusparseCooGet(cusparseSpMatDescr_t d, int64_t *rows, int64_t *cols, int64_t *nnz, void **row_indices, void **columns, void **values,
                                cusparseIndexType_t *index, cusparseIndexBase_t *base, cudaDataType *type)
{
    return get(d, CUSPARSE_FORMAT_COO, rows, cols, nnz, (const void **)row_indices, (const void **)columns, (const void **)values, index, index, base, type);
}

cusparseStatus_t cusparseConstBlockedEllGet(cusparseConstSpMatDescr_t d, int64_t *rows, int64_t *cols, int64_t *block, int64_t *ell_cols,
                                            const void **columns, const void **values, cusparseIndexType_t *index, cusparseIndexBase_t *base,
                                            cudaDataType *type)
{
    const void *none;
    int64_t nnz;
    cusparseStatus_t e = get(d, CUSPARSE_FORMAT_BLOCKED_ELL, rows, cols, &nnz, &none, columns, values, index, index, base, type);
    if (e)
        return e;
    SET(block, d->block_rows);
    SET(ell_cols, d->ell_cols);
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseBlockedEllGet(cusparseSpMatDescr_t d, int64_t *rows, int64_t *cols, int64_t *block, int64_t *ell_cols, void **columns, void **values,
                                       cusparseIndexType_t *index, cusparseIndexBase_t *base, cudaDataType *type)
{
    return cusparseConstBlockedEllGet(d, rows, cols, block, ell_cols, (const void **)columns, (const void **)values, index, base, type);
}

cusparseStatus_t cusparseSpMatGetFormat(cusparseConstSpMatDescr_t d, cusparseFormat_t *format)
{
    NEED(d, INVALID_VALUE);
    SET(format, d->format);
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSpMatGetIndexBase(cusparseConstSpMatDescr_t d, cusparseIndexBase_t *base)
{
    NEED(d, INVALID_VALUE);
    SET(base, d->base);
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseConstSpMatGetValues(cusparseConstSpMatDescr_t d, const void **values)
{
    NEED(d, INVALID_VALUE);
    SET(values, d->values);
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSpMatGetValues(cusparseSpMatDescr_t d, void **values)
{
    return cusparseConstSpMatGetValues(d, (const void **)values);
}

cusparseStatus_t cusparseSpMatSetValues(cusparseSpMatDescr_t d, void *values)
{
    NEED(d && values, INVALID_VALUE);
    d->values = values;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSpMatGetSize(cusparseConstSpMatDescr_t d, int64_t *rows, int64_t *cols, int64_t *nnz)
{
    NEED(d, INVALID_VALUE);
    SET(rows, d->rows);
    SET(cols, d->cols);
    SET(nnz, d->nnz);
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSpMatGetStridedBatch(cusparseConstSpMatDescr_t d, int *batches)
{
    NEED(d, INVALID_VALUE);
    SET(batches, d->batches);
    return CUSPARSE_STATUS_SUCCESS;
}

static cusparseStatus_t set_batches(cusparseSpMatDescr_t d, cusparseFormat_t format, int batches, int64_t first, int64_t second, int64_t values)
{
    NEED(d && d->format == format && batches > 0 && first >= 0 && second >= 0 && values >= 0, INVALID_VALUE);
    d->batches = batches;
    d->first_stride = first;
    d->second_stride = second;
    d->value_stride = values;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseCooSetStridedBatch(cusparseSpMatDescr_t d, int batches, int64_t stride)
{
    return set_batches(d, CUSPARSE_FORMAT_COO, batches, stride, stride, stride);
}

cusparseStatus_t cusparseCsrSetStridedBatch(cusparseSpMatDescr_t d, int batches, int64_t offsets, int64_t columns_values)
{
    return set_batches(d, CUSPARSE_FORMAT_CSR, batches, offsets, columns_values, columns_values);
}

cusparseStatus_t cusparseBsrSetStridedBatch(cusparseSpMatDescr_t d, int batches, int64_t offsets, int64_t columns, int64_t values)
{
    return set_batches(d, CUSPARSE_FORMAT_BSR, batches, offsets, columns, values);
}

cusparseStatus_t cusparseSpMatGetAttribute(cusparseConstSpMatDescr_t d, cusparseSpMatAttribute_t attribute, void *data, size_t size)
{
    NEED(d && data && size == sizeof(int), INVALID_VALUE);
    NEED(attribute == CUSPARSE_SPMAT_FILL_MODE || attribute == CUSPARSE_SPMAT_DIAG_TYPE, INVALID_VALUE);
    *(int *)data = attribute == CUSPARSE_SPMAT_FILL_MODE ? (int)d->fill : (int)d->diagonal;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSpMatSetAttribute(cusparseSpMatDescr_t d, cusparseSpMatAttribute_t attribute, void *data, size_t size)
{
    NEED(d && data && size == sizeof(int), INVALID_VALUE);
    NEED(attribute == CUSPARSE_SPMAT_FILL_MODE || attribute == CUSPARSE_SPMAT_DIAG_TYPE, INVALID_VALUE);
    const int value = *(const int *)data;
    NEED(value == 0 || value == 1, INVALID_VALUE);
    if (attribute == CUSPARSE_SPMAT_FILL_MODE)
        d->fill = (cusparseFillMode_t)value;
    else
        d->diagonal = (cusparseDiagType_t)value;
    return CUSPARSE_STATUS_SUCCESS;
}

static cusparseStatus_t set_pointers(cusparseSpMatDescr_t d, cusparseFormat_t format, void *first, void *second, void *values)
{
    NEED(d && d->format == format, INVALID_VALUE);
    d->first = first;
    d->second = second;
    d->values = values;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseCsrSetPointers(cusparseSpMatDescr_t d, void *offsets, void *columns, void *values)
{
    return set_pointers(d, CUSPARSE_FORMAT_CSR, offsets, columns, values);
}

cusparseStatus_t cusparseCscSetPointers(cusparseSpMatDescr_t d, void *offsets, void *row_indices, void *values)
{
    return set_pointers(d, CUSPARSE_FORMAT_CSC, offsets, row_indices, values);
}

cusparseStatus_t cusparseCooSetPointers(cusparseSpMatDescr_t d, void *row_indices, void *columns, void *values)
{
    return set_pointers(d, CUSPARSE_FORMAT_COO, row_indices, columns, values);
}
