/* Sparse systems as bands, solved by LAPACK (see sparse.h). */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "libraries/cusolver/sparse.h"
#include "libraries/linear/elements.h"
#include "libraries/linear/host.h"

static int place_of(const struct band *b, int i)
{
    return b->place ? b->place[i] : i;
}

static int most(int a, int b)
{
    return a > b ? a : b;
}

/* Diagonals that the matrix has in b's order. */
static void measure(struct band *b, const struct sparse *a)
{
    b->below = b->above = 0;
    for (int i = 0; i < a->rows; i++)
        for (int k = a->row[i] - a->base; k < a->end[i] - a->base; k++) {
            int j = a->column[k] - a->base, down = place_of(b, i) - place_of(b, j);
            if (b->cholesky && j > i)
                continue;
            b->below = most(b->below, b->cholesky ? abs(down) : down);
            b->above = b->cholesky ? 0 : most(b->above, -down);
        }
}

static int rows_of(const struct band *b)
{
    return b->cholesky ? b->below + 1 : 2 * b->below + b->above + 1;
}

cusolverStatus_t band_plan(struct band *b, const struct sparse *a, bool cholesky, bool own_order)
{
    *b = (struct band){.cholesky = cholesky, .n = a->rows, .stopped = -1};
    measure(b, a);
    if (own_order || !b->n)
        return CUSOLVER_STATUS_SUCCESS;
    struct band other = *b;
    other.order = malloc((size_t)b->n * sizeof *other.order);
    other.place = malloc((size_t)b->n * sizeof *other.place);
    if (!other.order || !other.place || !order_narrow(a, other.order)) {
        band_release(&other);
        return CUSOLVER_STATUS_ALLOC_FAILED;
    }
    for (int i = 0; i < b->n; i++)
        other.place[other.order[i]] = i;
    measure(&other, a);
    if (rows_of(&other) < rows_of(b))
        *b = other;
    else
        band_release(&other);
    return CUSOLVER_STATUS_SUCCESS;
}

size_t band_bytes(const struct band *b, cudaDataType type)
{
    return (size_t)rows_of(b) * (size_t)b->n * element_bytes(type);
}

static char *element_at(const struct band *b, int row, int col)
{
    size_t down = (size_t)((b->cholesky ? 0 : b->below + b->above) + row - col);
    return (char *)b->values + (down + (size_t)col * (size_t)rows_of(b)) * element_bytes(b->type);
}

static void add(const struct band *b, int row, int col, const double part[2], double sign)
{
    double sum[2] = {0, 0};
    char *at = element_at(b, row, col);
    element_load(b->type, at, sum);
    sum[0] += part[0];
    sum[1] += sign * part[1];
    element_store(b->type, at, sum);
}

static void enter(const struct band *b, const struct sparse *a, const void *values)
{
    for (int i = 0; i < a->rows; i++)
        for (int k = a->row[i] - a->base; k < a->end[i] - a->base; k++) {
            double part[2] = {0, 0};
            int j = a->column[k] - a->base, row = place_of(b, i), col = place_of(b, j);
            if (b->cholesky && j > i)
                continue;
            element_load(b->type, (const char *)values + (size_t)k * element_bytes(b->type), part);
            if (b->cholesky && row < col) /* conjugated, for the order turned it over the diagonal */
                add(b, col, row, part, -1);
            else
                add(b, row, col, part, 1);
        }
}

cusolverStatus_t band_fill(struct band *b, const struct sparse *a, cudaDataType type, const void *values, const double shift[2])
{
    size_t bytes = band_bytes(b, type);
    free(b->values);
    free(b->pivots);
    b->type = type;
    b->stopped = -1;
    b->pivots = NULL;
    b->values = bytes >> BAND_MOST_SHIFT ? NULL : calloc(bytes + 1, 1);
    if (b->values)
        b->pivots = malloc(((size_t)b->n + 1) * sizeof *b->pivots);
    if (!b->pivots)
        return CUSOLVER_STATUS_ALLOC_FAILED;
    enter(b, a, values);
    const double minus[2] = {-shift[0], -shift[1]};
    for (int i = 0; i < b->n && (shift[0] != 0 || shift[1] != 0); i++)
        add(b, i, i, minus, 1);
    return CUSOLVER_STATUS_SUCCESS;
}

static char letter_of(const struct band *b)
{
    return b->type == CUDA_R_32F ? 's' : b->type == CUDA_R_64F ? 'd' : b->type == CUDA_C_32F ? 'c' : 'z';
}

void band_factor(struct band *b)
{
    int info = 0, rows = rows_of(b);
    if (!b->n)
        return;
    if (b->cholesky)
        host_do(letter_of(b), "pbtrf", "L", &b->n, &b->below, b->values, &rows, &info);
    else
        host_do(letter_of(b), "gbtrf", &b->n, &b->n, &b->below, &b->above, b->values, &rows, b->pivots, &info);
    b->stopped = info > 0 ? info - 1 : -1;
}

cusolverStatus_t band_solve(const struct band *b, const void *right, void *x)
{
    size_t size = element_bytes(b->type);
    int one = 1, info = 0, rows = rows_of(b);
    if (!b->n)
        return CUSOLVER_STATUS_SUCCESS;
    if (b->stopped >= 0) { /* NaN */
        memset(x, 0xff, (size_t)b->n * size);
        return CUSOLVER_STATUS_SUCCESS;
    }
    char *t = malloc((size_t)b->n * size);
    if (!t)
        return CUSOLVER_STATUS_ALLOC_FAILED;
    for (int i = 0; i < b->n; i++)
        memcpy(t + (size_t)place_of(b, i) * size, (const char *)right + (size_t)i * size, size);
    if (b->cholesky)
        host_do(letter_of(b), "pbtrs", "L", &b->n, &b->below, &one, b->values, &rows, t, &b->n, &info);
    else
        host_do(letter_of(b), "gbtrs", "N", &b->n, &b->below, &b->above, &one, b->values, &rows, b->pivots, t, &b->n, &info);
    for (int i = 0; i < b->n; i++)
        memcpy((char *)x + (size_t)i * size, t + (size_t)place_of(b, i) * size, size);
    free(t);
    return CUSOLVER_STATUS_SUCCESS;
}

double band_diagonal(const struct band *b, int k)
{
    double part[2] = {0, 0};
    element_load(b->type, element_at(b, k, k), part);
    return hypot(part[0], part[1]);
}

/* In b's order. */
static int first_zero(const struct band *b, double tol)
{
    int end = b->stopped < 0 ? b->n : b->stopped;
    for (int k = 0; k < end; k++)
        if (!(band_diagonal(b, k) > tol))
            return k;
    return b->stopped;
}

cusolverStatus_t band_zero_pivot(const struct band *b, const struct sparse *a, const void *values, const double shift[2], double tol, int *row)
{
    struct band own;
    tol = tol > 0 ? tol : 0;
    int k = first_zero(b, tol);
    *row = k >= 0 && b->order ? b->order[k] : k;
    if (k < 0 || !b->order)
        return CUSOLVER_STATUS_SUCCESS;
    cusolverStatus_t s = band_plan(&own, a, b->cholesky, true);
    if (!s && band_bytes(&own, b->type) <= OWN_ORDER_MOST && !band_fill(&own, a, b->type, values, shift)) {
        band_factor(&own);
        k = first_zero(&own, tol);
        *row = k >= 0 ? k : *row;
    }
    band_release(&own);
    return s;
}

void band_release(struct band *b)
{
    free(b->order);
    free(b->place);
    free(b->values);
    free(b->pivots);
    b->order = b->place = b->pivots = NULL;
    b->values = NULL;
}
