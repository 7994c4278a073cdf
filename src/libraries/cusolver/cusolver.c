/* cuSOLVER: handles, parameters of the dense part, versions. */
#include <stdlib.h>
#include <string.h>

#include "libraries/cusolver/solver.h"

enum { HANDLE_MARK = 0x736f6c76 };

struct cusolverDnContext {
    struct solver_handle shared;
    cusolverDeterministicMode_t determinism;
};
struct cusolverDnParams {
    cusolverAlgMode_t algorithm[2];
};

/* Parameters of the Jacobi methods: kept, for LAPACK has no use for them. */
struct syevjInfo {
    double tolerance;
    int sweeps, sort;
};
struct gesvdjInfo {
    double tolerance;
    int sweeps, sort;
};

/* --- handles --- */

cusolverStatus_t solver_open(uint32_t mark, size_t bytes, void **handle)
{
    if (!handle)
        return CUSOLVER_STATUS_INVALID_VALUE;
    *handle = NULL;
    if (cudaFree(NULL) || !host_blas("cuSOLVER", true)) /* opens the device */
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    struct solver_handle *h = calloc(1, bytes);
    if (!h)
        return CUSOLVER_STATUS_ALLOC_FAILED;
    h->mark = mark;
    *handle = h;
    return CUSOLVER_STATUS_SUCCESS;
}

bool solver_is(const struct solver_handle *h, uint32_t mark)
{
    return h && h->mark == mark;
}

void solver_close(struct solver_handle *h)
{
    h->mark = 0;
    free(h);
}

static bool is_one(cusolverDnHandle_t h)
{
    return solver_is((const struct solver_handle *)h, HANDLE_MARK);
}

cusolverStatus_t cusolverDnCreate(cusolverDnHandle_t *handle)
{
    cusolverStatus_t s = solver_open(HANDLE_MARK, sizeof **handle, (void **)handle);
    if (!s)
        (*handle)->determinism = CUSOLVER_DETERMINISTIC_RESULTS;
    return s;
}

cusolverStatus_t cusolverDnDestroy(cusolverDnHandle_t handle)
{
    if (!is_one(handle))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    solver_close(&handle->shared);
    return CUSOLVER_STATUS_SUCCESS;
}

#define GETTER(function, type, field)                                                              \
    cusolverStatus_t function(cusolverDnHandle_t handle, type *value)                              \
    {                                                                                              \
        if (!is_one(handle))                                                                       \
            return CUSOLVER_STATUS_NOT_INITIALIZED;                                                \
        if (!value)                                                                                \
            return CUSOLVER_STATUS_INVALID_VALUE;                                                  \
        *value = handle->field;                                                                    \
        return CUSOLVER_STATUS_SUCCESS;                                                            \
    }
#define SETTER(function, type, field)                                                              \
    cusolverStatus_t function(cusolverDnHandle_t handle, type value)                               \
    {                                                                                              \
        if (!is_one(handle))                                                                       \
            return CUSOLVER_STATUS_NOT_INITIALIZED;                                                \
        handle->field = value;                                                                     \
        return CUSOLVER_STATUS_SUCCESS;                                                            \
    }
SETTER(cusolverDnSetStream, cudaStream_t, shared.stream)
GETTER(cusolverDnGetStream, cudaStream_t, shared.stream)
SETTER(cusolverDnSetDeterministicMode, cusolverDeterministicMode_t, determinism)
GETTER(cusolverDnGetDeterministicMode, cusolverDeterministicMode_t, determinism)

/* --- parameters --- */

#define MADE(function, type)                                                                       \
    cusolverStatus_t function(type *out)                                                           \
    {                                                                                              \
        if (!out)                                                                                  \
            return CUSOLVER_STATUS_INVALID_VALUE;                                                  \
        *out = calloc(1, sizeof **out);                                                            \
        return *out ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_ALLOC_FAILED;                      \
    }
#define DESTROYED(function, type)                                                                  \
    cusolverStatus_t function(type made)                                                           \
    {                                                                                              \
        free(made);                                                                                \
        return CUSOLVER_STATUS_SUCCESS;                                                            \
    }
#define KEPT(function, type, value_type, field)                                                    \
    cusolverStatus_t function(type info, value_type value)                                         \
    {                                                                                              \
        if (!info)                                                                                 \
            return CUSOLVER_STATUS_INVALID_VALUE;                                                  \
        info->field = value;                                                                       \
        return CUSOLVER_STATUS_SUCCESS;                                                            \
    }
#define NONE(function, type, value_type)                                                           \
    cusolverStatus_t function(cusolverDnHandle_t handle, type info, value_type *value)             \
    {                                                                                              \
        if (!is_one(handle))                                                                       \
            return CUSOLVER_STATUS_NOT_INITIALIZED;                                                \
        if (!info || !value)                                                                       \
            return CUSOLVER_STATUS_INVALID_VALUE;                                                  \
        *value = 0;                                                                                \
        return CUSOLVER_STATUS_SUCCESS;                                                            \
    }
MADE(cusolverDnCreateParams, cusolverDnParams_t)
DESTROYED(cusolverDnDestroyParams, cusolverDnParams_t)
MADE(cusolverDnCreateSyevjInfo, syevjInfo_t)
DESTROYED(cusolverDnDestroySyevjInfo, syevjInfo_t)
KEPT(cusolverDnXsyevjSetTolerance, syevjInfo_t, double, tolerance)
KEPT(cusolverDnXsyevjSetMaxSweeps, syevjInfo_t, int, sweeps)
KEPT(cusolverDnXsyevjSetSortEig, syevjInfo_t, int, sort)
NONE(cusolverDnXsyevjGetResidual, syevjInfo_t, double)
NONE(cusolverDnXsyevjGetSweeps, syevjInfo_t, int)
MADE(cusolverDnCreateGesvdjInfo, gesvdjInfo_t)
DESTROYED(cusolverDnDestroyGesvdjInfo, gesvdjInfo_t)
KEPT(cusolverDnXgesvdjSetTolerance, gesvdjInfo_t, double, tolerance)
KEPT(cusolverDnXgesvdjSetMaxSweeps, gesvdjInfo_t, int, sweeps)
KEPT(cusolverDnXgesvdjSetSortEig, gesvdjInfo_t, int, sort)
NONE(cusolverDnXgesvdjGetResidual, gesvdjInfo_t, double)
NONE(cusolverDnXgesvdjGetSweeps, gesvdjInfo_t, int)

cusolverStatus_t cusolverDnSetAdvOptions(cusolverDnParams_t params, cusolverDnFunction_t function, cusolverAlgMode_t algo)
{
    if (!params || (unsigned)function > CUSOLVERDN_POTRF)
        return CUSOLVER_STATUS_INVALID_VALUE;
    params->algorithm[function] = algo;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverGetVersion(int *version)
{
    if (!version)
        return CUSOLVER_STATUS_INVALID_VALUE;
    *version = CUSOLVER_VERSION;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverGetProperty(libraryPropertyType type, int *value)
{
    static const int versions[] = {CUSOLVER_VER_MAJOR, CUSOLVER_VER_MINOR, CUSOLVER_VER_PATCH};
    if (!value || (unsigned)type > PATCH_LEVEL)
        return CUSOLVER_STATUS_INVALID_VALUE;
    *value = versions[type];
    return CUSOLVER_STATUS_SUCCESS;
}

/* --- routines --- */

/* Elements, or bytes, that a program is asked for: LAPACK's own memory is not it, but programs may expect more than nothing. */
static void answer_room(const struct linear_argument *a, int n)
{
    enum { BLOCK = 64 };
    int64_t room = BLOCK;
    for (int i = 0; i < n; i++)
        if (a[i].kind == LINEAR_SIZE)
            room += BLOCK * a[i].value;
    for (int i = 0; i < n; i++)
        if (a[i].kind == LINEAR_ROOM && a[i].value == sizeof(int))
            *(int *)a[i].at = (int)room;
        else if (a[i].kind == LINEAR_ROOM)
            *(size_t *)a[i].at = (size_t)room;
}

/* gesvd wants at least as many rows as columns. */
static bool is_wide(const struct linear_argument *a, int n)
{
    int64_t m = -1, columns = -1;
    for (int i = 0; i < n; i++) {
        m = !strcmp(a[i].name, "m") ? a[i].value : m;
        columns = !strcmp(a[i].name, "n") ? a[i].value : columns;
    }
    return m < columns;
}

cusolverStatus_t solver_call(cusolverDnHandle_t h, const struct linear_routine *r, const struct linear_argument *a, int n)
{
    if (!is_one(h))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    const struct linear_context c = {.library = "cuSOLVER", .stream = h->shared.stream};
    bool asks = !strcmp(r->name, "room");
    if (!strcmp(r->name, "gesvdx") && is_wide(a, n))
        return CUSOLVER_STATUS_INVALID_VALUE;
    enum linear_status s = asks ? linear_check(&c, r, a, n) : linear_call(&c, r, a, n);
    if (asks && !s)
        answer_room(a, n);
    switch (s) {
    case LINEAR_DONE:
        return CUSOLVER_STATUS_SUCCESS;
    case LINEAR_INVALID:
        return CUSOLVER_STATUS_INVALID_VALUE;
    case LINEAR_UNSUPPORTED:
        return CUSOLVER_STATUS_NOT_SUPPORTED;
    case LINEAR_NO_LIBRARY:
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    case LINEAR_FAILED:
        break;
    }
    return CUSOLVER_STATUS_EXECUTION_FAILED;
}
