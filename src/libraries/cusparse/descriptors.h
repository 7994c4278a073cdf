/* What cuSPARSE's handles and descriptors hold. */
#ifndef CUSPARSE_DESCRIPTORS_H
#define CUSPARSE_DESCRIPTORS_H

#include <stdbool.h>
#include <stdint.h>

#include "cusparse.h"

/* What a call asks of its arguments: it ends with CUSPARSE_STATUS_`status` otherwise. */
#define NEED(is, status) \
    if (!(is))           \
        return CUSPARSE_STATUS_##status

/* Bytes of working memory that are asked for: no call uses them, but programs expect a buffer, and phases tell a question from a
 * call by the buffer's being there. */
enum { BUFFER = 8 };

struct cusparseContext {
    cudaStream_t stream;
    cusparsePointerMode_t mode;
};

struct cusparseSpVecDescr {
    int64_t size, nnz;
    void *indices, *values;
    cusparseIndexType_t index;
    cusparseIndexBase_t base;
    cudaDataType type;
};

struct cusparseDnVecDescr {
    int64_t size;
    void *values;
    cudaDataType type;
};

struct cusparseDnMatDescr {
    int64_t rows, cols, ld;
    void *values;
    cudaDataType type;
    cusparseOrder_t order;
    int batches;
    int64_t batch_stride; /* elements */
};

struct cusparseSpMatDescr {
    cusparseFormat_t format;
    int64_t rows, cols;         /* elements; of BSR: blocks */
    int64_t nnz;                /* values; of BSR: blocks; of blocked ELL: rows x ell_cols */
    void *first;                /* offsets of rows (CSR, BSR) or columns (CSC); row indices (COO); NULL (blocked ELL) */
    void *second;               /* column indices, of CSC row indices */
    void *values;
    cusparseIndexType_t first_type, second_type;
    cusparseIndexBase_t base;
    cudaDataType type;
    cusparseFillMode_t fill;
    cusparseDiagType_t diagonal;
    int batches;
    int64_t first_stride, second_stride, value_stride; /* elements from batch to batch */
    int64_t block_rows, block_cols, ell_cols;          /* BSR, blocked ELL */
    cusparseOrder_t block_order;
};

struct cusparseMatDescr {
    cusparseMatrixType_t type;
    cusparseFillMode_t fill;
    cusparseDiagType_t diagonal;
    cusparseIndexBase_t base;
};

/* Bytes of an index; 0: there is no such type. */
int index_bytes(cusparseIndexType_t type);

/* Entries of a matrix's arrays. */
int64_t matrix_firsts(const struct cusparseSpMatDescr *m);
int64_t matrix_seconds(const struct cusparseSpMatDescr *m);
int64_t matrix_values(const struct cusparseSpMatDescr *m);

#endif
