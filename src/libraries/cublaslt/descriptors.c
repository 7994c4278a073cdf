/* cublasLt: handles, descriptors and their attributes, versions, statuses. */
#include "libraries/cublaslt/descriptors.h"

#include <stdlib.h>
#include <string.h>

#include "libraries/cublas/answers.h"
#include "libraries/linear/host.h"

_Static_assert(sizeof(struct layout) <= sizeof(cublasLtMatrixLayoutOpaque_t), "a layout fits");
_Static_assert(sizeof(struct matmul) <= sizeof(cublasLtMatmulDescOpaque_t), "a product's descriptor fits");
_Static_assert(sizeof(struct transform) <= sizeof(cublasLtMatrixTransformDescOpaque_t), "a transform's descriptor fits");
_Static_assert(sizeof(struct preference) <= sizeof(cublasLtMatmulPreferenceOpaque_t), "a preference fits");

struct layout *layout_of(cublasLtMatrixLayout_t l)
{
    return (struct layout *)(void *)l;
}

struct matmul *matmul_of(cublasLtMatmulDesc_t d)
{
    return (struct matmul *)(void *)d;
}

struct transform *transform_of(cublasLtMatrixTransformDesc_t d)
{
    return (struct transform *)(void *)d;
}

/* --- handles --- */

struct cublasLtContext {
    uint32_t mark;
};
enum { HANDLE_MARK = 0x6c74626c };

bool lt_is_one(cublasLtHandle_t h)
{
    return h && h->mark == HANDLE_MARK;
}

cublasStatus_t cublasLtCreate(cublasLtHandle_t *lightHandle)
{
    if (!lightHandle)
        return CUBLAS_STATUS_INVALID_VALUE;
    *lightHandle = NULL;
    if (cudaFree(NULL) || !host_blas("cublasLt", false)) /* opens the device */
        return CUBLAS_STATUS_NOT_INITIALIZED;
    *lightHandle = calloc(1, sizeof **lightHandle);
    if (!*lightHandle)
        return CUBLAS_STATUS_ALLOC_FAILED;
    (*lightHandle)->mark = HANDLE_MARK;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtDestroy(cublasLtHandle_t lightHandle)
{
    if (!lt_is_one(lightHandle))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    lightHandle->mark = 0;
    free(lightHandle);
    return CUBLAS_STATUS_SUCCESS;
}

/* --- making descriptors --- */

#define CREATED(type)                                                                              \
    type made = calloc(1, sizeof *made);                                                           \
    if (!out || !made) {                                                                           \
        free(made);                                                                                \
        return out ? CUBLAS_STATUS_ALLOC_FAILED : CUBLAS_STATUS_INVALID_VALUE;                     \
    }                                                                                              \
    *out = made;

cublasStatus_t cublasLtMatrixLayoutInit_internal(cublasLtMatrixLayout_t out, size_t size, cudaDataType type, uint64_t rows, uint64_t cols, int64_t ld)
{
    if (!out || size < sizeof(struct layout))
        return CUBLAS_STATUS_INVALID_VALUE;
    memset(out, 0, sizeof(struct layout));
    *layout_of(out) = (struct layout){.element = (uint32_t)type, .rows = rows, .cols = cols, .ld = ld, .batches = 1};
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t *out, cudaDataType type, uint64_t rows, uint64_t cols, int64_t ld)
{
    CREATED(cublasLtMatrixLayout_t)
    return cublasLtMatrixLayoutInit_internal(made, sizeof *made, type, rows, cols, ld);
}

/* -1: what is stored has no type of its own yet; it is that of D. */
cublasStatus_t cublasLtMatmulDescInit_internal(cublasLtMatmulDesc_t out, size_t size, cublasComputeType_t computeType, cudaDataType_t scaleType)
{
    if (!out || size < sizeof(struct matmul))
        return CUBLAS_STATUS_INVALID_VALUE;
    memset(out, 0, sizeof(struct matmul));
    *matmul_of(out) = (struct matmul){.compute = (int32_t)computeType, .scale = (int32_t)scaleType, .fill = CUBLAS_FILL_MODE_FULL,
                                      .epilogue = CUBLASLT_EPILOGUE_DEFAULT, .aux_type = -1, .bias_type = -1};
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t *out, cublasComputeType_t computeType, cudaDataType_t scaleType)
{
    CREATED(cublasLtMatmulDesc_t)
    return cublasLtMatmulDescInit_internal(made, sizeof *made, computeType, scaleType);
}

cublasStatus_t cublasLtMatrixTransformDescInit_internal(cublasLtMatrixTransformDesc_t out, size_t size, cudaDataType scaleType)
{
    if (!out || size < sizeof(struct transform))
        return CUBLAS_STATUS_INVALID_VALUE;
    memset(out, 0, sizeof(struct transform));
    transform_of(out)->scale = (int32_t)scaleType;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatrixTransformDescCreate(cublasLtMatrixTransformDesc_t *out, cudaDataType scaleType)
{
    CREATED(cublasLtMatrixTransformDesc_t)
    return cublasLtMatrixTransformDescInit_internal(made, sizeof *made, scaleType);
}

cublasStatus_t cublasLtMatmulPreferenceInit_internal(cublasLtMatmulPreference_t out, size_t size)
{
    struct preference p = {.reductions = CUBLASLT_REDUCTION_SCHEME_MASK, .a_alignment = 256, .b_alignment = 256, .c_alignment = 256, .d_alignment = 256,
                           .implementations = ~(uint64_t)0};
    if (!out || size < sizeof p)
        return CUBLAS_STATUS_INVALID_VALUE;
    memcpy(out, &p, sizeof p);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t *out)
{
    CREATED(cublasLtMatmulPreference_t)
    return cublasLtMatmulPreferenceInit_internal(made, sizeof *made);
}

#define DESTROYED(function, type)                                                                  \
    cublasStatus_t function(type d)                                                                \
    {                                                                                              \
        free(d);                                                                                   \
        return CUBLAS_STATUS_SUCCESS;                                                              \
    }
DESTROYED(cublasLtMatrixLayoutDestroy, cublasLtMatrixLayout_t)
DESTROYED(cublasLtMatmulDescDestroy, cublasLtMatmulDesc_t)
DESTROYED(cublasLtMatrixTransformDescDestroy, cublasLtMatrixTransformDesc_t)
DESTROYED(cublasLtMatmulPreferenceDestroy, cublasLtMatmulPreference_t)

/* --- attributes --- */

static cublasStatus_t set(void *field, size_t bytes, const void *buf, size_t size)
{
    if (!buf || size != bytes)
        return CUBLAS_STATUS_INVALID_VALUE;
    memcpy(field, buf, bytes);
    return CUBLAS_STATUS_SUCCESS;
}

/* With size 0 only how many bytes there are. */
static cublasStatus_t get(const void *field, size_t bytes, void *buf, size_t size, size_t *written)
{
    if (written)
        *written = bytes;
    if (!size && written)
        return CUBLAS_STATUS_SUCCESS;
    if (!buf || size < bytes)
        return CUBLAS_STATUS_INVALID_VALUE;
    memcpy(buf, field, bytes);
    return CUBLAS_STATUS_SUCCESS;
}

#define SET(name, value, type, field)                                                              \
    case name:                                                                                     \
        return set(&d->field, sizeof d->field, buf, sizeInBytes);
#define GET(name, value, type, field)                                                              \
    case name:                                                                                     \
        return get(&d->field, sizeof d->field, buf, sizeInBytes, sizeWritten);

cublasStatus_t cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t handle, cublasLtMatrixLayoutAttribute_t attr, const void *buf, size_t sizeInBytes)
{
    struct layout *d = layout_of(handle);
    switch (d ? (int)attr : -1) {
#define ATTRIBUTE_LAYOUT SET
#include "heddle/cublaslt_attributes.def"
    }
    return CUBLAS_STATUS_INVALID_VALUE;
}

cublasStatus_t cublasLtMatrixLayoutGetAttribute(cublasLtMatrixLayout_t handle, cublasLtMatrixLayoutAttribute_t attr, void *buf, size_t sizeInBytes, size_t *sizeWritten)
{
    const struct layout *d = layout_of(handle);
    switch (d ? (int)attr : -1) {
#define ATTRIBUTE_LAYOUT GET
#include "heddle/cublaslt_attributes.def"
    }
    return CUBLAS_STATUS_INVALID_VALUE;
}

cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t handle, cublasLtMatmulDescAttributes_t attr, const void *buf, size_t sizeInBytes)
{
    struct matmul *d = matmul_of(handle);
    switch (d ? (int)attr : -1) {
#define ATTRIBUTE_MATMUL SET
#include "heddle/cublaslt_attributes.def"
    }
    return CUBLAS_STATUS_INVALID_VALUE;
}

cublasStatus_t cublasLtMatmulDescGetAttribute(cublasLtMatmulDesc_t handle, cublasLtMatmulDescAttributes_t attr, void *buf, size_t sizeInBytes, size_t *sizeWritten)
{
    const struct matmul *d = matmul_of(handle);
    switch (d ? (int)attr : -1) {
#define ATTRIBUTE_MATMUL GET
#include "heddle/cublaslt_attributes.def"
    }
    return CUBLAS_STATUS_INVALID_VALUE;
}

cublasStatus_t cublasLtMatrixTransformDescSetAttribute(cublasLtMatrixTransformDesc_t handle, cublasLtMatrixTransformDescAttributes_t attr, const void *buf,
                                                       size_t sizeInBytes)
{
    struct transform *d = transform_of(handle);
    switch (d ? (int)attr : -1) {
#define ATTRIBUTE_TRANSFORM SET
#include "heddle/cublaslt_attributes.def"
    }
    return CUBLAS_STATUS_INVALID_VALUE;
}

cublasStatus_t cublasLtMatrixTransformDescGetAttribute(cublasLtMatrixTransformDesc_t handle, cublasLtMatrixTransformDescAttributes_t attr, void *buf,
                                                       size_t sizeInBytes, size_t *sizeWritten)
{
    const struct transform *d = transform_of(handle);
    switch (d ? (int)attr : -1) {
#define ATTRIBUTE_TRANSFORM GET
#include "heddle/cublaslt_attributes.def"
    }
    return CUBLAS_STATUS_INVALID_VALUE;
}

cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t handle, cublasLtMatmulPreferenceAttributes_t attr, const void *buf, size_t sizeInBytes)
{
    struct preference *d = (struct preference *)(void *)handle;
    switch (d ? (int)attr : -1) {
#define ATTRIBUTE_PREFERENCE SET
#include "heddle/cublaslt_attributes.def"
    }
    return CUBLAS_STATUS_INVALID_VALUE;
}

cublasStatus_t cublasLtMatmulPreferenceGetAttribute(cublasLtMatmulPreference_t handle, cublasLtMatmulPreferenceAttributes_t attr, void *buf, size_t sizeInBytes,
                                                    size_t *sizeWritten)
{
    const struct preference *d = (const struct preference *)(const void *)handle;
    switch (d ? (int)attr : -1) {
#define ATTRIBUTE_PREFERENCE GET
#include "heddle/cublaslt_attributes.def"
    }
    return CUBLAS_STATUS_INVALID_VALUE;
}

/* --- the one algorithm: it has nothing to choose, and needs no workspace --- */

cublasStatus_t cublasLtMatmulAlgoConfigSetAttribute(cublasLtMatmulAlgo_t *algo, cublasLtMatmulAlgoConfigAttributes_t attr, const void *buf, size_t sizeInBytes)
{
    if (!algo || !buf || (unsigned)attr > CUBLASLT_ALGO_CONFIG_CLUSTER_SHAPE_ID || !sizeInBytes || sizeInBytes > sizeof(uint32_t))
        return CUBLAS_STATUS_INVALID_VALUE;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulAlgoConfigGetAttribute(const cublasLtMatmulAlgo_t *algo, cublasLtMatmulAlgoConfigAttributes_t attr, void *buf, size_t sizeInBytes,
                                                    size_t *sizeWritten)
{
    static const uint32_t none;
    if (!algo || (unsigned)attr > CUBLASLT_ALGO_CONFIG_CLUSTER_SHAPE_ID)
        return CUBLAS_STATUS_INVALID_VALUE;
    return get(&none, sizeof none, buf, sizeInBytes, sizeWritten);
}

cublasStatus_t cublasLtMatmulAlgoCapGetAttribute(const cublasLtMatmulAlgo_t *algo, cublasLtMatmulAlgoCapAttributes_t attr, void *buf, size_t sizeInBytes,
                                                 size_t *sizeWritten)
{
    const uint32_t value = attr == CUBLASLT_ALGO_CAP_STRIDED_BATCH_SUPPORT || attr == CUBLASLT_ALGO_CAP_OUT_OF_PLACE_RESULT_SUPPORT;
    if (!algo || (unsigned)attr > CUBLASLT_ALGO_CAP_STAGES_IDS)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (attr == CUBLASLT_ALGO_CAP_TILE_IDS || attr == CUBLASLT_ALGO_CAP_STAGES_IDS)
        return get(&value, 0, buf, sizeInBytes, sizeWritten);
    return get(&value, sizeof value, buf, sizeInBytes, sizeWritten);
}

/* --- versions, statuses, logging --- */

size_t cublasLtGetVersion(void)
{
    return CUBLAS_VERSION;
}

size_t cublasLtGetCudartVersion(void)
{
    int version = 0;
    cudaRuntimeGetVersion(&version);
    return (size_t)version;
}

cublasStatus_t cublasLtGetProperty(libraryPropertyType type, int *value)
{
    return answers_version(type, value);
}

const char *cublasLtGetStatusName(cublasStatus_t status)
{
    return answers_name(status);
}

const char *cublasLtGetStatusString(cublasStatus_t status)
{
    return answers_text(status);
}

static size_t cache_capacity = 8192; /* entries; there is nothing to keep */

cublasStatus_t cublasLtHeuristicsCacheGetCapacity(size_t *capacity)
{
    if (!capacity)
        return CUBLAS_STATUS_INVALID_VALUE;
    *capacity = cache_capacity;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtHeuristicsCacheSetCapacity(size_t capacity)
{
    cache_capacity = capacity;
    return CUBLAS_STATUS_SUCCESS;
}

unsigned cublasLtDisableCpuInstructionsSetMask(unsigned mask)
{
    (void)mask;
    return 0;
}

/* Loggers are accepted; this library tells them nothing. */
#define LOGGER(function, ...)                                                                      \
    cublasStatus_t function(__VA_ARGS__)                                                           \
    {                                                                                              \
        return CUBLAS_STATUS_SUCCESS;                                                              \
    }
#pragma GCC diagnostic ignored "-Wunused-parameter"
LOGGER(cublasLtLoggerSetCallback, cublasLtLoggerCallback_t callback)
LOGGER(cublasLtLoggerSetFile, FILE *file)
LOGGER(cublasLtLoggerOpenFile, const char *logFile)
LOGGER(cublasLtLoggerSetLevel, int level)
LOGGER(cublasLtLoggerSetMask, int mask)
LOGGER(cublasLtLoggerForceDisable, void)
