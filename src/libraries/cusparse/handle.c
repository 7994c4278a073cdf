/* cuSPARSE's handle, version and statuses. */
#include <stdlib.h>

#include "libraries/cusparse/descriptors.h"

cusparseStatus_t cusparseCreate(cusparseHandle_t *handle)
{
    NEED(handle, INVALID_VALUE);
    *handle = calloc(1, sizeof **handle);
    return *handle ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_ALLOC_FAILED;
}

cusparseStatus_t cusparseDestroy(cusparseHandle_t handle)
{
    free(handle);
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseGetVersion(cusparseHandle_t handle, int *version)
{
    NEED(handle, INVALID_VALUE);
    NEED(version, INVALID_VALUE);
    *version = CUSPARSE_VERSION;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseGetProperty(libraryPropertyType type, int *value)
{
    static const int parts[] = {[MAJOR_VERSION] = CUSPARSE_VER_MAJOR, [MINOR_VERSION] = CUSPARSE_VER_MINOR, [PATCH_LEVEL] = CUSPARSE_VER_PATCH};
    NEED(value && (type == MAJOR_VERSION || type == MINOR_VERSION || type == PATCH_LEVEL), INVALID_VALUE);
    *value = parts[type];
    return CUSPARSE_STATUS_SUCCESS;
}

static const struct {
    const char *name, *text;
} statuses[] = {
#define CUSPARSE_STATUS_ROW(name, value, text) [value] = {#name, text},
#include "heddle/sparse_statuses.def"
#undef CUSPARSE_STATUS_ROW
};

const char *cusparseGetErrorName(cusparseStatus_t status)
{
    return (size_t)status < sizeof statuses / sizeof *statuses ? statuses[status].name : "unrecognized error code";
}

const char *cusparseGetErrorString(cusparseStatus_t status)
{
    return (size_t)status < sizeof statuses / sizeof *statuses ? statuses[status].text : "unrecognized error code";
}

cusparseStatus_t cusparseSetStream(cusparseHandle_t handle, cudaStream_t stream)
{
    NEED(handle, INVALID_VALUE);
    handle->stream = stream;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseGetStream(cusparseHandle_t handle, cudaStream_t *stream)
{
    NEED(handle, INVALID_VALUE);
    NEED(stream, INVALID_VALUE);
    *stream = handle->stream;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseGetPointerMode(cusparseHandle_t handle, cusparsePointerMode_t *mode)
{
    NEED(handle, INVALID_VALUE);
    NEED(mode, INVALID_VALUE);
    *mode = handle->mode;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSetPointerMode(cusparseHandle_t handle, cusparsePointerMode_t mode)
{
    NEED(handle, INVALID_VALUE);
    NEED(mode == CUSPARSE_POINTER_MODE_HOST || mode == CUSPARSE_POINTER_MODE_DEVICE, INVALID_VALUE);
    handle->mode = mode;
    return CUSPARSE_STATUS_SUCCESS;
}
