/* cuSOLVER's sparse part: handles, orders, and systems solved in one call. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libraries/cusolver/solver.h"
#include "libraries/cusolver/sparse.h"
#include "libraries/linear/elements.h"
#include "runtime/library.h"

enum { HANDLE_MARK = 0x73707273 };

struct cusolverSpContext {
    struct solver_handle shared;
};

bool sparse_is_handle(cusolverSpHandle_t h)
{
    return solver_is((const struct solver_handle *)h, HANDLE_MARK);
}

cusolverStatus_t cusolverSpCreate(cusolverSpHandle_t *handle)
{
    return solver_open(HANDLE_MARK, sizeof **handle, (void **)handle);
}

cusolverStatus_t cusolverSpDestroy(cusolverSpHandle_t handle)
{
    if (!sparse_is_handle(handle))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    solver_close(&handle->shared);
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverSpSetStream(cusolverSpHandle_t handle, cudaStream_t streamId)
{
    if (!sparse_is_handle(handle))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    handle->shared.stream = streamId;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverSpGetStream(cusolverSpHandle_t handle, cudaStream_t *streamId)
{
    if (!sparse_is_handle(handle))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (!streamId)
        return CUSOLVER_STATUS_INVALID_VALUE;
    *streamId = handle->shared.stream;
    return CUSOLVER_STATUS_SUCCESS;
}

/* --- arguments --- */

cusolverStatus_t sparse_describe(cusolverSpHandle_t h, int n, int nnz, cusparseMatDescr_t d, const int *row, const int *column, struct sparse *a)
{
    if (!sparse_is_handle(h))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (n <= 0 || nnz <= 0 || !d || !row || !column)
        return CUSOLVER_STATUS_INVALID_VALUE;
    if (cusparseGetMatType(d) != CUSPARSE_MATRIX_TYPE_GENERAL)
        return CUSOLVER_STATUS_MATRIX_TYPE_NOT_SUPPORTED;
    *a = (struct sparse){.rows = n, .cols = n, .nnz = nnz, .base = cusparseGetMatIndexBase(d) == CUSPARSE_INDEX_BASE_ONE, .row = row, .end = row + 1, .column = column};
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t sparse_found(const struct sparse *a, struct sparse *found)
{
    *found = *a;
    found->row = library_host(a->row);
    found->end = found->row + 1;
    found->column = library_host(a->column);
    return sparse_is_good(found) ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_INVALID_VALUE;
}

/* --- commands --- */

struct turn {
    const struct sparse_call *call;
    cusolverStatus_t status;
};

static cudaError_t run(void *data)
{
    struct turn *t = *(struct turn **)data;
    t->status = t->call->run(t->call);
    return t->status == CUSOLVER_STATUS_INVALID_VALUE ? library_fault("%s: a row offset or a column index leads out of the matrix", t->call->function) : cudaSuccess;
}

static void shape(const void *data, char *text, size_t size)
{
    const struct sparse_call *c = (*(struct turn *const *)data)->call;
    snprintf(text, size, "n %d, %d entries%s", c->a.rows, c->a.nnz, c->cholesky ? ", Cholesky" : "");
}

static int operands(const struct sparse_call *c, struct library_operand *o)
{
    size_t size = element_bytes(c->type), rows = (size_t)c->a.rows, batches = (size_t)c->batches;
    int n = 0;
    if (c->structure) {
        o[n++] = (struct library_operand){.name = "row offsets", .at = c->a.row, .width = (rows + 1) * sizeof(int), .access = LIBRARY_READ};
        o[n++] = (struct library_operand){.name = "column indices", .at = c->a.column, .width = (size_t)c->a.nnz * sizeof(int), .access = LIBRARY_READ};
    }
    if (c->values)
        o[n++] = (struct library_operand){.name = "values", .at = c->values, .width = (size_t)c->a.nnz * size * batches, .access = LIBRARY_READ};
    if (c->right)
        o[n++] = (struct library_operand){.name = "b", .at = c->right, .width = rows * size * batches, .access = LIBRARY_READ};
    if (c->x)
        o[n++] = (struct library_operand){.name = "x", .at = c->x, .width = rows * size * batches, .access = LIBRARY_WRITE};
    return n;
}

/* Operations are not counted: they depend on the order and the fill-in, which are not a GPU's. */
cusolverStatus_t sparse_run(cusolverSpHandle_t h, const struct sparse_call *c)
{
    if (!c->on_device)
        return c->run(c);
    struct turn turn = {.call = c, .status = CUSOLVER_STATUS_EXECUTION_FAILED}, *at = &turn;
    struct library_operand o[5];
    const struct library_call call = {.library = "cuSOLVER", .function = c->function, .flops = NAN, .peak = c->type == CUDA_R_64F || c->type == CUDA_C_64F ? LIBRARY_DOUBLE : LIBRARY_SINGLE,
                                      .operand = o, .operands = operands(c, o), .data = &at, .data_bytes = sizeof at, .run = run, .shape = shape};
    return library_call(h->shared.stream, &call, true) ? CUSOLVER_STATUS_EXECUTION_FAILED : turn.status;
}

/* --- A x = b in one call --- */

static cusolverStatus_t solve(const struct sparse_call *c)
{
    static const double none[2] = {0, 0};
    struct sparse a;
    struct band b;
    const void *values = library_host(c->values);
    cusolverStatus_t s = sparse_found(&c->a, &a);
    if (s)
        return s;
    s = band_plan(&b, &a, c->cholesky, false);
    if (!s)
        s = band_fill(&b, &a, c->type, values, none);
    if (!s) {
        band_factor(&b);
        s = band_solve(&b, library_host(c->right), library_host(c->x));
    }
    if (!s)
        s = band_zero_pivot(&b, &a, values, none, c->tolerance, c->singularity);
    band_release(&b);
    return s;
}

static cusolverStatus_t solve_call(cusolverSpHandle_t h, struct sparse_call *c, int n, int nnz, cusparseMatDescr_t d, const int *row, const int *column)
{
    cusolverStatus_t s = sparse_describe(h, n, nnz, d, row, column, &c->a);
    if (s)
        return s;
    if (!c->values || !c->right || !c->x || !c->singularity)
        return CUSOLVER_STATUS_INVALID_VALUE;
    c->batches = 1;
    c->structure = true;
    c->run = solve;
    return sparse_run(h, c);
}

/* `reorder` changes nothing: the narrower band is taken in any case. */
#define SOLVER(name, T, R, type_, is_cholesky, device)                                                                                    \
    cusolverStatus_t name(cusolverSpHandle_t handle, int m, int nnz, const cusparseMatDescr_t descrA, const T *csrVal, const int *csrRowPtr, \
                          const int *csrColInd, const T *b, R tol, int reorder, T *x, int *singularity)                                   \
    {                                                                                                                                     \
        struct sparse_call c = {.function = #name, .on_device = device, .type = type_, .values = csrVal, .right = b, .x = x,              \
                                .tolerance = tol, .cholesky = is_cholesky, .singularity = singularity};                                   \
        (void)reorder;                                                                                                                    \
        return solve_call(handle, &c, m, nnz, descrA, csrRowPtr, csrColInd);                                                              \
    }
#define SOLVERS(S, T, R, type)                                       \
    SOLVER(cusolverSp##S##csrlsvluHost, T, R, type, false, false)    \
    SOLVER(cusolverSp##S##csrlsvqrHost, T, R, type, false, false)    \
    SOLVER(cusolverSp##S##csrlsvqr, T, R, type, false, true)         \
    SOLVER(cusolverSp##S##csrlsvcholHost, T, R, type, true, false)   \
    SOLVER(cusolverSp##S##csrlsvchol, T, R, type, true, true)
SOLVERS(S, float, float, CUDA_R_32F)
SOLVERS(D, double, double, CUDA_R_64F)
SOLVERS(C, cuComplex, float, CUDA_C_32F)
SOLVERS(Z, cuDoubleComplex, double, CUDA_C_64F)

/* --- structure, on the host --- */

cusolverStatus_t cusolverSpXcsrissymHost(cusolverSpHandle_t handle, int m, int nnzA, const cusparseMatDescr_t descrA, const int *csrRowPtrA, const int *csrEndPtrA,
                                         const int *csrColIndA, int *issym)
{
    struct sparse a;
    cusolverStatus_t s = sparse_describe(handle, m, nnzA, descrA, csrRowPtrA, csrColIndA, &a);
    if (s)
        return s;
    a.end = csrEndPtrA;
    if (!csrEndPtrA || !issym || !sparse_is_good(&a))
        return CUSOLVER_STATUS_INVALID_VALUE;
    int same = sparse_is_symmetric(&a);
    if (same < 0)
        return CUSOLVER_STATUS_ALLOC_FAILED;
    *issym = same;
    return CUSOLVER_STATUS_SUCCESS;
}

static cusolverStatus_t narrow(cusolverSpHandle_t h, int n, int nnz, cusparseMatDescr_t d, const int *row, const int *column, int *p)
{
    struct sparse a;
    cusolverStatus_t s = sparse_describe(h, n, nnz, d, row, column, &a);
    if (s)
        return s;
    if (!p || !sparse_is_good(&a))
        return CUSOLVER_STATUS_INVALID_VALUE;
    return order_narrow(&a, p) ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_ALLOC_FAILED;
}

#define ORDER(name)                                                                                                                         \
    cusolverStatus_t name(cusolverSpHandle_t handle, int n, int nnzA, const cusparseMatDescr_t descrA, const int *csrRowPtrA, const int *csrColIndA, int *p) \
    {                                                                                                                                       \
        return narrow(handle, n, nnzA, descrA, csrRowPtrA, csrColIndA, p);                                                                  \
    }
ORDER(cusolverSpXcsrsymrcmHost)
ORDER(cusolverSpXcsrsymmdqHost)
ORDER(cusolverSpXcsrsymamdHost)

cusolverStatus_t cusolverSpXcsrmetisndHost(cusolverSpHandle_t handle, int n, int nnzA, const cusparseMatDescr_t descrA, const int *csrRowPtrA, const int *csrColIndA,
                                           const int64_t *options, int *p)
{
    (void)options;
    return narrow(handle, n, nnzA, descrA, csrRowPtrA, csrColIndA, p);
}

/* --- permutations --- */

static cusolverStatus_t rectangle(cusolverSpHandle_t h, int m, int n, int nnz, cusparseMatDescr_t d, const int *row, const int *column, struct sparse *a)
{
    cusolverStatus_t s = sparse_describe(h, m, nnz, d, row, column, a);
    if (s)
        return s;
    a->cols = n;
    return n > 0 && sparse_is_good(a) ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_INVALID_VALUE;
}

cusolverStatus_t cusolverSpXcsrperm_bufferSizeHost(cusolverSpHandle_t handle, int m, int n, int nnzA, const cusparseMatDescr_t descrA, const int *csrRowPtrA,
                                                   const int *csrColIndA, const int *p, const int *q, size_t *bufferSizeInBytes)
{
    struct sparse a;
    cusolverStatus_t s = rectangle(handle, m, n, nnzA, descrA, csrRowPtrA, csrColIndA, &a);
    if (s)
        return s;
    if (!p || !q || !bufferSizeInBytes)
        return CUSOLVER_STATUS_INVALID_VALUE;
    *bufferSizeInBytes = ((size_t)m + (size_t)n + 2 * (size_t)nnzA) * sizeof(int);
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverSpXcsrpermHost(cusolverSpHandle_t handle, int m, int n, int nnzA, const cusparseMatDescr_t descrA, int *csrRowPtrA, int *csrColIndA,
                                        const int *p, const int *q, int *map, void *pBuffer)
{
    struct sparse a;
    cusolverStatus_t s = rectangle(handle, m, n, nnzA, descrA, csrRowPtrA, csrColIndA, &a);
    if (s)
        return s;
    if (!p || !q || !map || !pBuffer)
        return CUSOLVER_STATUS_INVALID_VALUE;
    return order_apply(&a, csrRowPtrA, csrColIndA, p, q, map);
}

#define DIAGONAL(S, T, type)                                                                                                                    \
    static bool is_zero_##S(const void *values, int entry)                                                                                      \
    {                                                                                                                                           \
        double part[2] = {0, 0};                                                                                                                \
        element_load(type, (const T *)values + entry, part);                                                                                    \
        return part[0] == 0 && part[1] == 0;                                                                                                    \
    }                                                                                                                                           \
    cusolverStatus_t cusolverSp##S##csrzfdHost(cusolverSpHandle_t handle, int n, int nnz, const cusparseMatDescr_t descrA, const T *csrValA,    \
                                               const int *csrRowPtrA, const int *csrColIndA, int *P, int *numnz)                               \
    {                                                                                                                                           \
        struct sparse a;                                                                                                                        \
        cusolverStatus_t s = rectangle(handle, n, n, nnz, descrA, csrRowPtrA, csrColIndA, &a);                                                  \
        if (s)                                                                                                                                  \
            return s;                                                                                                                           \
        if (!csrValA || !P || !numnz)                                                                                                           \
            return CUSOLVER_STATUS_INVALID_VALUE;                                                                                               \
        int found = order_diagonal(&a, is_zero_##S, csrValA, P);                                                                                \
        if (found < 0)                                                                                                                          \
            return CUSOLVER_STATUS_ALLOC_FAILED;                                                                                                \
        *numnz = found;                                                                                                                         \
        return CUSOLVER_STATUS_SUCCESS;                                                                                                         \
    }
DIAGONAL(S, float, CUDA_R_32F)
DIAGONAL(D, double, CUDA_R_64F)
DIAGONAL(C, cuComplex, CUDA_C_32F)
DIAGONAL(Z, cuDoubleComplex, CUDA_C_64F)
