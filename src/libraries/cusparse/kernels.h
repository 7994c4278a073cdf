/* The loops that compute, one set for each format (kernels_each.h): they see host memory only, and matrices as rows (struct csr).
 *
 * Sums run in the order of rows and, inside of a row, of its entries, in one thread: results repeat. */
#ifndef CUSPARSE_KERNELS_H
#define CUSPARSE_KERNELS_H

#include <stdbool.h>
#include <stdint.h>

#include "libraries/cusparse/types.h"

/* A sparse matrix by rows. `transposed`: the rows are the matrix's columns. */
struct csr {
    int64_t rows, cols; /* of the arrays: exchanged where transposed */
    const int64_t *offset; /* rows + 1, from 0 on */
    const int32_t *column;
    int base; /* of column */
    const void *values;
    bool transposed;
};

/* A dense matrix: element (i, j) at i * row + j * col. */
struct dense {
    void *values;
    int64_t row, col;
};

/* How a matrix takes part: the rows of its arrays are the rows of the operand, or its columns. */
struct way {
    bool transposed, conjugated;
};

struct triangle {
    bool upper, unit;
};

struct kernels {
    /* y = alpha op(A) x + beta y. y is not read where beta is 0, in no function of these. */
    void (*spmv)(const struct csr *a, struct way w, const void *alpha, const void *x, const void *beta, void *y);
    /* C = alpha op(A) op(B) + beta C; b is op(B) already, but for the conjugation. C has n columns. */
    void (*spmm)(const struct csr *a, struct way w, const void *alpha, const struct dense *b, bool conjugate_b, const void *beta,
                 const struct dense *c, int64_t n);
    /* values of C = alpha (A B) at C's places + beta C; sums of k products */
    void (*sddmm)(const struct csr *c, void *values, const void *alpha, const struct dense *a, const struct dense *b, int64_t k,
                  const void *beta);
    /* One row of alpha A B into sum[cols of B], whose places are told by spgemm_symbolic. */
    void (*spgemm_row)(const struct csr *a, const struct csr *b, int64_t row, void *sum);
    /* out[i] = alpha sum[at[i]] + beta out[i], and clears sum there */
    void (*take)(void *sum, const int32_t *at, int64_t n, const void *alpha, const void *beta, void *out);
    /* x: solves op(A) x = x. */
    void (*trsv)(const struct csr *a, struct way w, struct triangle t, void *x);
    /* to = alpha from, n numbers with their strides in elements */
    void (*scale)(const void *alpha, const void *from, int64_t from_step, bool conjugated, void *to, int64_t to_step, int64_t n);
    bool (*is_zero)(const void *number);
    /* Sparse vectors: x has nnz values, at places `at` of y. */
    void (*axpby)(const void *alpha, const void *x, const int64_t *at, int64_t nnz, const void *beta, void *y, int64_t n);
    void (*rot)(const void *c, const void *s, void *x, const int64_t *at, int64_t nnz, void *y);
    void (*dot)(bool conjugated, const void *x, const int64_t *at, int64_t nnz, const void *y, void *result);
    /* Incomplete factors of a square matrix, in place; place: as many zeros as it has rows. The first pivot that is 0, or -1. */
    int64_t (*ilu0)(const struct csr *a, void *values, int64_t *place);
    int64_t (*ic0)(const struct csr *a, void *values, int64_t *place);
    /* sum[column] += alpha times the row's values */
    void (*add_row)(const struct csr *a, int64_t row, const void *alpha, void *sum);
    /* Solves a band of `below` + 1 + `above` diagonals, the lowest first; entry i of each belongs to row i. work: m * (2 * below + above
     * + 1) numbers. */
    void (*band)(int64_t m, int below, int above, const void *const *diagonals, int64_t step, void *x, int64_t x_step, void *work);
};

extern const struct kernels kernels_of[COMPUTES];

#endif
