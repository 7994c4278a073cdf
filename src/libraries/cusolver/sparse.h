/* cuSOLVER's sparse part: matrices by rows, orders that make their band narrow, and LAPACK's band solvers on what they make.
 *
 * A system A x = b of n rows is solved with P A P^T, P a reverse Cuthill-McKee order, stored as a band: LU with pivots (gbtrf), or
 * Cholesky (pbtrf), whose input is the lower triangle of A. All pointers here are the host's. */
#ifndef CUSOLVER_SPARSE_H
#define CUSOLVER_SPARSE_H

#include <stdbool.h>
#include <stddef.h>

#include "cusolverSp.h"

/* The structure of a matrix: row i has the entries row[i] - base up to end[i] - base of column[]. */
struct sparse {
    int rows, cols, nnz, base;
    const int *row, *end, *column;
};

/* Do rows and columns stay inside of the matrix and its arrays? */
bool sparse_is_good(const struct sparse *a);

/* Has each entry (i, j) one at (j, i)? 1 or 0; -1: no memory. */
int sparse_is_symmetric(const struct sparse *a);

/* --- orders (order.c): order[k] is the row that comes k-th, from 0 on --- */

/* Reverse Cuthill-McKee, of the structure of A + A^T, from pseudo-peripheral rows (A. George, J. Liu: Computer Solution of Large Sparse Positive
 * Definite Systems, 1981, chapter 4). false: no memory. */
bool order_narrow(const struct sparse *a, int *order);

/* Rows so that as many entries as possible stand on the diagonal of A(order, :), by augmenting paths; how many do. `zero` tells which
 * entries are 0. -1: no memory. */
int order_diagonal(const struct sparse *a, bool (*zero)(const void *values, int entry), const void *values, int *order);

/* B = A(p, q) in place: row[rows + 1], column[nnz], columns ascending; map[k] becomes what it was at the entry that is B's k-th. */
cusolverStatus_t order_apply(const struct sparse *a, int *row, int *column, const int *p, const int *q, int *map);

/* --- bands (band.c) --- */

struct band {
    bool cholesky;
    int n, below, above;   /* diagonals on either side */
    int *order, *place;    /* place: the inverse of order; both NULL: A's own order */
    cudaDataType type;     /* of what follows */
    void *values;          /* as LAPACK wants it; NULL: not filled */
    int *pivots;
    int stopped;           /* the row at which the factors ended, -1: they are complete */
};

/* Chooses the order with the narrower band, or A's own. Frees nothing. */
cusolverStatus_t band_plan(struct band *b, const struct sparse *a, bool cholesky, bool own_order);
size_t band_bytes(const struct band *b, cudaDataType type);

/* A - shift I into the band. CUSOLVER_STATUS_ALLOC_FAILED: larger than BAND_MOST bytes, or than memory. */
enum { BAND_MOST_SHIFT = 33 };
cusolverStatus_t band_fill(struct band *b, const struct sparse *a, cudaDataType type, const void *values, const double shift[2]);
void band_factor(struct band *b);

/* x = A^-1 b, NaN where the factors ended early; the two may be the same. */
cusolverStatus_t band_solve(const struct band *b, const void *right, void *x);

/* The first row whose diagonal element of U or L is at most tol, or at which the factors ended; -1: none. In A's own order, for which the matrix is factored
 * again if it has another one, and if that band has at most OWN_ORDER_MOST bytes: else the row of A that stands there. */
enum { OWN_ORDER_MOST = 1 << 28 };
cusolverStatus_t band_zero_pivot(const struct band *b, const struct sparse *a, const void *values, const double shift[2], double tol, int *row);

/* Element (k, k) of the factor, its magnitude. */
double band_diagonal(const struct band *b, int k);
void band_release(struct band *b);

/* --- calls (sparse.c) --- */

/* What a call of either form works on: pointers as the program gave them, to be taken through library_host. */
struct sparse_call {
    const char *function; /* a static text */
    bool on_device;
    struct sparse a;
    cudaDataType type;
    int batches;
    const void *values, *right;
    void *x;
    double shift[2], tolerance;
    bool cholesky;
    int *singularity;
    struct factors *factors;
    bool structure; /* a.row and a.column are read */
    cusolverStatus_t (*run)(const struct sparse_call *c);
};

/* Is the handle one, and are the arguments that tell of the structure good? */
cusolverStatus_t sparse_describe(cusolverSpHandle_t h, int n, int nnz, cusparseMatDescr_t d, const int *row, const int *column, struct sparse *a);
bool sparse_is_handle(cusolverSpHandle_t h);

/* Runs it: on host memory at once; on device memory as a command of the handle's stream, for which it waits. */
cusolverStatus_t sparse_run(cusolverSpHandle_t h, const struct sparse_call *c);

/* The structure where the host finds it. CUSOLVER_STATUS_INVALID_VALUE: it leads out of the matrix. */
cusolverStatus_t sparse_found(const struct sparse *a, struct sparse *found);

#endif
