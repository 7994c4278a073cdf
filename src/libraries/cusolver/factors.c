/* cuSOLVER's sparse part in steps (cusolverSp_LOWLEVEL_PREVIEW.h): analysis, factors, systems solved with them; and QR of batches.
 *
 * The factors of QR are LU with pivots: of a square matrix they solve the same systems. What is analysed is kept, and the values that are factored, too. */
#include <stdlib.h>
#include <string.h>

#include "cusolverSp_LOWLEVEL_PREVIEW.h"
#include "libraries/cusolver/sparse.h"
#include "libraries/linear/elements.h"
#include "runtime/library.h"

struct factors {
    enum { EMPTY, ANALYSED, SET, FACTORED } stage;
    struct sparse a; /* into `structure` */
    int *structure;
    void *values;
    double shift[2];
    struct band band;
};
struct csrqrInfo {
    struct factors f;
};
struct csrqrInfoHost {
    struct factors f;
};
struct csrluInfoHost {
    struct factors f;
};
struct csrcholInfo {
    struct factors f;
};
struct csrcholInfoHost {
    struct factors f;
};

static void release(struct factors *f)
{
    band_release(&f->band);
    free(f->structure);
    free(f->values);
    *f = (struct factors){.stage = EMPTY};
}

#define INFO(name, type)                                                                           \
    cusolverStatus_t cusolverSpCreate##name(type##_t *info)                                        \
    {                                                                                              \
        if (!info)                                                                                 \
            return CUSOLVER_STATUS_INVALID_VALUE;                                                  \
        *info = calloc(1, sizeof **info);                                                          \
        return *info ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_ALLOC_FAILED;                     \
    }                                                                                              \
    cusolverStatus_t cusolverSpDestroy##name(type##_t info)                                        \
    {                                                                                              \
        if (info)                                                                                  \
            release(&info->f);                                                                     \
        free(info);                                                                                \
        return CUSOLVER_STATUS_SUCCESS;                                                            \
    }
INFO(CsrluInfoHost, csrluInfoHost)
INFO(CsrqrInfo, csrqrInfo)
INFO(CsrqrInfoHost, csrqrInfoHost)
INFO(CsrcholInfo, csrcholInfo)
INFO(CsrcholInfoHost, csrcholInfoHost)

/* --- what runs at a call's turn --- */

static cusolverStatus_t keep_structure(struct factors *f, const struct sparse *a)
{
    size_t rows = (size_t)a->rows + 1, nnz = (size_t)a->nnz;
    f->structure = malloc((rows + nnz) * sizeof *f->structure);
    if (!f->structure)
        return CUSOLVER_STATUS_ALLOC_FAILED;
    memcpy(f->structure, a->row, rows * sizeof(int));
    memcpy(f->structure + rows, a->column, nnz * sizeof(int));
    f->a = *a;
    f->a.row = f->structure;
    f->a.end = f->structure + 1;
    f->a.column = f->structure + rows;
    return CUSOLVER_STATUS_SUCCESS;
}

static cusolverStatus_t analyse(const struct sparse_call *c)
{
    struct factors *f = c->factors;
    struct sparse a;
    cusolverStatus_t s = sparse_found(&c->a, &a);
    if (s)
        return s;
    release(f);
    s = keep_structure(f, &a);
    if (!s)
        s = band_plan(&f->band, &f->a, c->cholesky, false);
    f->stage = s ? EMPTY : ANALYSED;
    return s;
}

static cusolverStatus_t set(const struct sparse_call *c)
{
    struct factors *f = c->factors;
    size_t bytes = (size_t)f->a.nnz * element_bytes(c->type);
    free(f->values);
    f->stage = ANALYSED;
    f->values = malloc(bytes);
    if (!f->values)
        return CUSOLVER_STATUS_ALLOC_FAILED;
    memcpy(f->values, library_host(c->values), bytes);
    memcpy(f->shift, c->shift, sizeof f->shift);
    cusolverStatus_t s = band_fill(&f->band, &f->a, c->type, f->values, f->shift);
    f->stage = s ? ANALYSED : SET;
    return s;
}

/* With values it sets them first; with b and x it solves, too. */
static cusolverStatus_t factor(const struct sparse_call *c)
{
    struct factors *f = c->factors;
    cusolverStatus_t s = CUSOLVER_STATUS_SUCCESS;
    if (c->values)
        s = set(c);
    else if (f->stage == FACTORED) /* the band holds factors: the values again */
        s = band_fill(&f->band, &f->a, c->type, f->values, f->shift);
    if (s)
        return s;
    band_factor(&f->band);
    f->stage = FACTORED;
    return c->right && c->x ? band_solve(&f->band, library_host(c->right), library_host(c->x)) : CUSOLVER_STATUS_SUCCESS;
}

static cusolverStatus_t solve(const struct sparse_call *c)
{
    return band_solve(&c->factors->band, library_host(c->right), library_host(c->x));
}

static cusolverStatus_t solve_batches(const struct sparse_call *c)
{
    struct factors *f = c->factors;
    size_t size = element_bytes(c->type), rows = (size_t)f->a.rows, nnz = (size_t)f->a.nnz;
    const char *values = library_host(c->values), *right = library_host(c->right);
    char *x = library_host(c->x);
    cusolverStatus_t s = CUSOLVER_STATUS_SUCCESS;
    for (size_t i = 0; i < (size_t)c->batches && !s; i++) {
        s = band_fill(&f->band, &f->a, c->type, values + i * nnz * size, c->shift);
        if (s)
            break;
        band_factor(&f->band);
        s = band_solve(&f->band, right + i * rows * size, x + i * rows * size);
    }
    return s;
}

static cusolverStatus_t diagonal(const struct sparse_call *c)
{
    char *to = library_host(c->x);
    for (int k = 0; k < c->factors->a.rows; k++) {
        const double part[2] = {band_diagonal(&c->factors->band, k), 0};
        element_store(c->type, to + (size_t)k * element_bytes(c->type), part);
    }
    return CUSOLVER_STATUS_SUCCESS;
}

/* --- what each call asks of its arguments --- */

/* Systems with more rows than columns are not there. */
static cusolverStatus_t square(int m, int n)
{
    return m < n || n <= 0 ? CUSOLVER_STATUS_INVALID_VALUE : m == n ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_NOT_SUPPORTED;
}

static cusolverStatus_t call_analysis(cusolverSpHandle_t h, struct sparse_call c, int m, int n, int nnz, cusparseMatDescr_t d, const int *row, const int *column)
{
    cusolverStatus_t s = sparse_describe(h, n, nnz, d, row, column, &c.a);
    if (!s)
        s = square(m, n);
    if (s)
        return s;
    c.structure = true;
    c.type = CUDA_R_64F;
    c.run = analyse;
    return c.factors ? sparse_run(h, &c) : CUSOLVER_STATUS_INVALID_VALUE;
}

/* Is it of that size, and did what comes before happen? */
static cusolverStatus_t ready(cusolverSpHandle_t h, const struct factors *f, int stage, int n, int nnz)
{
    if (!sparse_is_handle(h))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    return f && (int)f->stage >= stage && f->a.rows == n && (nnz < 0 || f->a.nnz == nnz) ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_INVALID_VALUE;
}

static cusolverStatus_t call_sizes(cusolverSpHandle_t h, const struct factors *f, cudaDataType type, int n, int nnz, size_t *internal, size_t *workspace)
{
    cusolverStatus_t s = ready(h, f, ANALYSED, n, nnz);
    if (s)
        return s;
    if (!internal || !workspace)
        return CUSOLVER_STATUS_INVALID_VALUE;
    *internal = band_bytes(&f->band, type);
    *workspace = (size_t)n * element_bytes(type);
    return *internal >> BAND_MOST_SHIFT ? CUSOLVER_STATUS_ALLOC_FAILED : CUSOLVER_STATUS_SUCCESS;
}

/* Each of the next four: the call's arguments are c's, and what is missing in them is a bad value. */
static cusolverStatus_t call_values(cusolverSpHandle_t h, struct sparse_call c, int n, int nnz, cusolverStatus_t (*f)(const struct sparse_call *))
{
    cusolverStatus_t s = ready(h, c.factors, ANALYSED, n, nnz);
    if (s)
        return s;
    c.a = c.factors->a;
    c.run = f;
    return c.values ? sparse_run(h, &c) : CUSOLVER_STATUS_INVALID_VALUE;
}

static cusolverStatus_t call_factor(cusolverSpHandle_t h, struct sparse_call c, int n, int nnz)
{
    cusolverStatus_t s = ready(h, c.factors, SET, n, nnz);
    if (s)
        return s;
    if (c.factors->band.type != c.type)
        return CUSOLVER_STATUS_INVALID_VALUE;
    c.a = c.factors->a;
    c.run = factor;
    return sparse_run(h, &c);
}

static cusolverStatus_t call_solve(cusolverSpHandle_t h, struct sparse_call c, int n)
{
    cusolverStatus_t s = ready(h, c.factors, FACTORED, n, -1);
    if (s)
        return s;
    c.a = c.factors->a;
    c.run = solve;
    return c.right && c.x && c.factors->band.type == c.type ? sparse_run(h, &c) : CUSOLVER_STATUS_INVALID_VALUE;
}

static cusolverStatus_t call_batches(cusolverSpHandle_t h, struct sparse_call c, int m, int n, int nnz)
{
    cusolverStatus_t s = square(m, n);
    if (!s && (!c.right || !c.x || c.batches <= 0))
        s = CUSOLVER_STATUS_INVALID_VALUE;
    return s ? s : call_values(h, c, n, nnz, solve_batches);
}

static cusolverStatus_t call_zero_pivot(cusolverSpHandle_t h, const struct factors *f, cudaDataType type, double tol, int *position)
{
    if (!sparse_is_handle(h))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (!f || f->stage != FACTORED || f->band.type != type || !position)
        return CUSOLVER_STATUS_INVALID_VALUE;
    return band_zero_pivot(&f->band, &f->a, f->values, f->shift, tol, position);
}

static cusolverStatus_t call_diagonal(cusolverSpHandle_t h, struct sparse_call c, cudaDataType type)
{
    if (!sparse_is_handle(h))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (!c.factors || c.factors->stage != FACTORED || c.factors->band.type != type || !c.x)
        return CUSOLVER_STATUS_INVALID_VALUE;
    c.a = c.factors->a;
    c.run = diagonal;
    return sparse_run(h, &c);
}

/* --- the functions --- */

#define STRUCTURE const cusparseMatDescr_t descrA, const int *csrRowPtrA, const int *csrColIndA
#define MATRIX(T) const cusparseMatDescr_t descrA, const T *csrValA, const int *csrRowPtrA, const int *csrColIndA
#define UNUSED    (void)descrA, (void)csrRowPtrA, (void)csrColIndA
#define CALL(name, device, ...) ((struct sparse_call){.function = #name, .on_device = device, .factors = info ? &info->f : NULL, .batches = 1, __VA_ARGS__})

#define ANALYSIS(name, info_type, device, is_cholesky)                                                                                           \
    cusolverStatus_t name(cusolverSpHandle_t handle, int n, int nnzA, STRUCTURE, info_type info)                                                 \
    {                                                                                                                                            \
        return call_analysis(handle, CALL(name, device, .cholesky = is_cholesky), n, n, nnzA, descrA, csrRowPtrA, csrColIndA);                   \
    }
#define QR_ANALYSIS(name, info_type, device)                                                                                                     \
    cusolverStatus_t name(cusolverSpHandle_t handle, int m, int n, int nnzA, STRUCTURE, info_type info)                                          \
    {                                                                                                                                            \
        return call_analysis(handle, CALL(name, device), m, n, nnzA, descrA, csrRowPtrA, csrColIndA);                                            \
    }
ANALYSIS(cusolverSpXcsrluAnalysisHost, csrluInfoHost_t, false, false)
ANALYSIS(cusolverSpXcsrcholAnalysisHost, csrcholInfoHost_t, false, true)
ANALYSIS(cusolverSpXcsrcholAnalysis, csrcholInfo_t, true, true)
QR_ANALYSIS(cusolverSpXcsrqrAnalysisHost, csrqrInfoHost_t, false)
QR_ANALYSIS(cusolverSpXcsrqrAnalysis, csrqrInfo_t, true)
QR_ANALYSIS(cusolverSpXcsrqrAnalysisBatched, csrqrInfo_t, true)

#define ZERO_PIVOT(name, info_type, R, type)                                                                                                     \
    cusolverStatus_t name(cusolverSpHandle_t handle, info_type info, R tol, int *position)                                                       \
    {                                                                                                                                            \
        return call_zero_pivot(handle, info ? &info->f : NULL, type, tol, position);                                                             \
    }

/* LU and Cholesky. The pivots of LU are the largest elements, whatever the threshold. */
#define SIZES(name, info_type, T, type_)                                                                                                             \
    cusolverStatus_t name(cusolverSpHandle_t handle, int n, int nnzA, MATRIX(T), info_type info, size_t *internalDataInBytes,                        \
                          size_t *workspaceInBytes)                                                                                                  \
    {                                                                                                                                                \
        UNUSED, (void)csrValA;                                                                                                                       \
        return call_sizes(handle, info ? &info->f : NULL, type_, n, nnzA, internalDataInBytes, workspaceInBytes);                                    \
    }
#define SOLVE(name, info_type, T, type_, device, is_cholesky)                                                                                        \
    cusolverStatus_t name(cusolverSpHandle_t handle, int n, const T *b, T *x, info_type info, void *pBuffer)                                         \
    {                                                                                                                                                \
        (void)pBuffer;                                                                                                                               \
        return call_solve(handle, CALL(name, device, .cholesky = is_cholesky, .type = type_, .right = b, .x = x), n);                                \
    }
#define CHOL(sizes, factor_, pivot, solve_, info_type, T, R, type_, device)                                                                          \
    SIZES(sizes, info_type, T, type_)                                                                                                                \
    cusolverStatus_t factor_(cusolverSpHandle_t handle, int n, int nnzA, MATRIX(T), info_type info, void *pBuffer)                                   \
    {                                                                                                                                                \
        UNUSED, (void)pBuffer;                                                                                                                       \
        return call_values(handle, CALL(factor_, device, .cholesky = true, .type = type_, .values = csrValA), n, nnzA, factor);                      \
    }                                                                                                                                                \
    ZERO_PIVOT(pivot, info_type, R, type_)                                                                                                           \
    SOLVE(solve_, info_type, T, type_, device, true)
#define LU(sizes, factor_, pivot, solve_, T, R, type_)                                                                                               \
    SIZES(sizes, csrluInfoHost_t, T, type_)                                                                                                          \
    cusolverStatus_t factor_(cusolverSpHandle_t handle, int n, int nnzA, MATRIX(T), csrluInfoHost_t info, R pivot_threshold, void *pBuffer)          \
    {                                                                                                                                                \
        UNUSED, (void)pBuffer, (void)pivot_threshold;                                                                                                \
        return call_values(handle, CALL(factor_, false, .type = type_, .values = csrValA), n, nnzA, factor);                                         \
    }                                                                                                                                                \
    ZERO_PIVOT(pivot, csrluInfoHost_t, R, type_)                                                                                                     \
    SOLVE(solve_, csrluInfoHost_t, T, type_, false, false)

#define PARTS_R(x) {x, 0}
#define PARTS_C(z) {(z).x, (z).y}
#define QR(sizes, setup, factor_, pivot, solve_, info_type, T, R, type_, device, PARTS)                                                          \
    cusolverStatus_t sizes(cusolverSpHandle_t handle, int m, int n, int nnzA, MATRIX(T), info_type info, size_t *internalDataInBytes,            \
                           size_t *workspaceInBytes)                                                                                             \
    {                                                                                                                                            \
        cusolverStatus_t s = square(m, n);                                                                                                       \
        UNUSED, (void)csrValA;                                                                                                                   \
        return s ? s : call_sizes(handle, info ? &info->f : NULL, type_, n, nnzA, internalDataInBytes, workspaceInBytes);                        \
    }                                                                                                                                            \
    cusolverStatus_t setup(cusolverSpHandle_t handle, int m, int n, int nnzA, MATRIX(T), T mu, info_type info)                                   \
    {                                                                                                                                            \
        cusolverStatus_t s = square(m, n);                                                                                                       \
        UNUSED;                                                                                                                                  \
        return s ? s : call_values(handle, CALL(setup, device, .type = type_, .values = csrValA, .shift = PARTS(mu)), n, nnzA, set);             \
    }                                                                                                                                            \
    cusolverStatus_t factor_(cusolverSpHandle_t handle, int m, int n, int nnzA, T *b, T *x, info_type info, void *pBuffer)                       \
    {                                                                                                                                            \
        cusolverStatus_t s = square(m, n);                                                                                                       \
        (void)pBuffer;                                                                                                                           \
        return s ? s : call_factor(handle, CALL(factor_, device, .type = type_, .right = x ? b : NULL, .x = b ? x : NULL), n, nnzA);             \
    }                                                                                                                                            \
    ZERO_PIVOT(pivot, info_type, R, type_)                                                                                                       \
    cusolverStatus_t solve_(cusolverSpHandle_t handle, int m, int n, T *b, T *x, info_type info, void *pBuffer)                                  \
    {                                                                                                                                            \
        cusolverStatus_t s = square(m, n);                                                                                                       \
        (void)pBuffer;                                                                                                                           \
        return s ? s : call_solve(handle, CALL(solve_, device, .type = type_, .right = b, .x = x), n);                                           \
    }

#define EACH(S, T, R, type_, real_type, PARTS)                                                                                                   \
    LU(cusolverSp##S##csrluBufferInfoHost, cusolverSp##S##csrluFactorHost, cusolverSp##S##csrluZeroPivotHost, cusolverSp##S##csrluSolveHost,       \
       T, R, type_)                                                                                                                              \
    CHOL(cusolverSp##S##csrcholBufferInfoHost, cusolverSp##S##csrcholFactorHost, cusolverSp##S##csrcholZeroPivotHost,                            \
         cusolverSp##S##csrcholSolveHost, csrcholInfoHost_t, T, R, type_, false)                                                                 \
    CHOL(cusolverSp##S##csrcholBufferInfo, cusolverSp##S##csrcholFactor, cusolverSp##S##csrcholZeroPivot, cusolverSp##S##csrcholSolve,           \
         csrcholInfo_t, T, R, type_, true)                                                                                                       \
    QR(cusolverSp##S##csrqrBufferInfoHost, cusolverSp##S##csrqrSetupHost, cusolverSp##S##csrqrFactorHost, cusolverSp##S##csrqrZeroPivotHost,     \
       cusolverSp##S##csrqrSolveHost, csrqrInfoHost_t, T, R, type_, false, PARTS)                                                                \
    QR(cusolverSp##S##csrqrBufferInfo, cusolverSp##S##csrqrSetup, cusolverSp##S##csrqrFactor, cusolverSp##S##csrqrZeroPivot,                     \
       cusolverSp##S##csrqrSolve, csrqrInfo_t, T, R, type_, true, PARTS)                                                                         \
    cusolverStatus_t cusolverSp##S##csrcholDiag(cusolverSpHandle_t handle, csrcholInfo_t info, R *diag)                                          \
    {                                                                                                                                            \
        return call_diagonal(handle, CALL(cusolverSp##S##csrcholDiag, true, .cholesky = true, .type = real_type, .x = diag), type_);             \
    }                                                                                                                                            \
    cusolverStatus_t cusolverSp##S##csrqrBufferInfoBatched(cusolverSpHandle_t handle, int m, int n, int nnz, MATRIX(T), int batchSize,           \
                                                           csrqrInfo_t info, size_t *internalDataInBytes, size_t *workspaceInBytes)              \
    {                                                                                                                                            \
        cusolverStatus_t s = batchSize > 0 ? square(m, n) : CUSOLVER_STATUS_INVALID_VALUE;                                                       \
        UNUSED, (void)csrValA;                                                                                                                   \
        return s ? s : call_sizes(handle, info ? &info->f : NULL, type_, n, nnz, internalDataInBytes, workspaceInBytes);                         \
    }                                                                                                                                            \
    cusolverStatus_t cusolverSp##S##csrqrsvBatched(cusolverSpHandle_t handle, int m, int n, int nnz, MATRIX(T), const T *b, T *x, int batchSize, \
                                                   csrqrInfo_t info, void *pBuffer)                                                              \
    {                                                                                                                                            \
        UNUSED, (void)pBuffer;                                                                                                                   \
        struct sparse_call c = CALL(cusolverSp##S##csrqrsvBatched, true, .type = type_, .values = csrValA, .right = b, .x = x);                  \
        c.batches = batchSize;                                                                                                                   \
        return call_batches(handle, c, m, n, nnz);                                                                                               \
    }
EACH(S, float, float, CUDA_R_32F, CUDA_R_32F, PARTS_R)
EACH(D, double, double, CUDA_R_64F, CUDA_R_64F, PARTS_R)
EACH(C, cuComplex, float, CUDA_C_32F, CUDA_R_32F, PARTS_C)
EACH(Z, cuDoubleComplex, double, CUDA_C_64F, CUDA_R_64F, PARTS_C)
