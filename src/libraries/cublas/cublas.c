/* cuBLAS: handles and their settings, statuses, logging. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "libraries/cublas/answers.h"
#include "libraries/cublas/handle.h"

enum { HANDLE_MARK = 0x626c6173 };

/* --- logging --- */

static struct {
    pthread_mutex_t lock;
    bool on, to_stdout, to_stderr;
    FILE *file;
    cublasLogCallback callback;
} logger = {.lock = PTHREAD_MUTEX_INITIALIZER};

void handle_log(const char *function, cublasStatus_t s)
{
    char line[256];
    if (!__atomic_load_n(&logger.on, __ATOMIC_RELAXED))
        return;
    snprintf(line, sizeof line, "[cublas][%s] %s\n", function, cublasGetStatusName(s));
    pthread_mutex_lock(&logger.lock);
    if (logger.to_stdout)
        fputs(line, stdout);
    if (logger.to_stderr)
        fputs(line, stderr);
    if (logger.file) {
        fputs(line, logger.file);
        fflush(logger.file);
    }
    cublasLogCallback callback = logger.callback;
    pthread_mutex_unlock(&logger.lock);
    if (callback)
        callback(line);
}

cublasStatus_t cublasLoggerConfigure(int logIsOn, int logToStdOut, int logToStdErr, const char *logFileName)
{
    FILE *f = logFileName && *logFileName ? fopen(logFileName, "a") : NULL;
    pthread_mutex_lock(&logger.lock);
    if (logger.file)
        fclose(logger.file);
    logger.file = f;
    logger.to_stdout = logToStdOut;
    logger.to_stderr = logToStdErr;
    __atomic_store_n(&logger.on, logIsOn, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&logger.lock);
    return logFileName && *logFileName && !f ? CUBLAS_STATUS_INVALID_VALUE : CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetLoggerCallback(cublasLogCallback userCallback)
{
    pthread_mutex_lock(&logger.lock);
    logger.callback = userCallback;
    pthread_mutex_unlock(&logger.lock);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasGetLoggerCallback(cublasLogCallback *userCallback)
{
    if (!userCallback)
        return CUBLAS_STATUS_INVALID_VALUE;
    *userCallback = logger.callback;
    return CUBLAS_STATUS_SUCCESS;
}

/* --- handles --- */

bool handle_is_one(cublasHandle_t h)
{
    return h && h->mark == HANDLE_MARK;
}

cublasStatus_t cublasCreate_v2(cublasHandle_t *handle)
{
    if (!handle)
        return CUBLAS_STATUS_INVALID_VALUE;
    *handle = NULL;
    if (cudaFree(NULL) || !host_blas("cuBLAS", false)) /* opens the device */
        return CUBLAS_STATUS_NOT_INITIALIZED;
    struct cublasContext *h = calloc(1, sizeof *h);
    if (!h)
        return CUBLAS_STATUS_ALLOC_FAILED;
    h->mark = HANDLE_MARK;
    *handle = h;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasDestroy_v2(cublasHandle_t handle)
{
    if (!handle_is_one(handle))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    cudaDeviceSynchronize();
    handle->mark = 0;
    free(handle);
    return CUBLAS_STATUS_SUCCESS;
}

static cublasStatus_t status_of(enum linear_status s)
{
    switch (s) {
    case LINEAR_DONE:
        return CUBLAS_STATUS_SUCCESS;
    case LINEAR_INVALID:
        return CUBLAS_STATUS_INVALID_VALUE;
    case LINEAR_UNSUPPORTED:
        return CUBLAS_STATUS_NOT_SUPPORTED;
    case LINEAR_NO_LIBRARY:
        return CUBLAS_STATUS_NOT_INITIALIZED;
    case LINEAR_FAILED:
        break;
    }
    return CUBLAS_STATUS_EXECUTION_FAILED;
}

cublasStatus_t handle_call(cublasHandle_t h, const struct linear_routine *r, const struct linear_argument *a, int n)
{
    if (!handle_is_one(h))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    const struct linear_context c = {"cuBLAS", h->stream, h->pointers == CUBLAS_POINTER_MODE_DEVICE, check_tf32(h->math, a, n)};
    cublasStatus_t s = check_call(r, a, n);
    s = s ? s : status_of(linear_call(&c, r, a, n));
    handle_log(r->function, s);
    return s;
}

cublasStatus_t cublasGetVersion_v2(cublasHandle_t handle, int *version)
{
    (void)handle;
    if (!version)
        return CUBLAS_STATUS_INVALID_VALUE;
    *version = CUBLAS_VERSION;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasGetProperty(libraryPropertyType type, int *value)
{
    return answers_version(type, value);
}

size_t cublasGetCudartVersion(void)
{
    int version = 0;
    cudaRuntimeGetVersion(&version);
    return (size_t)version;
}

/* The workspace is kept for nobody: what computes here has its own. */
cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void *workspace, size_t workspaceSizeInBytes)
{
    if (!handle_is_one(handle))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if ((uintptr_t)workspace % 256)
        return CUBLAS_STATUS_INVALID_VALUE;
    handle->workspace = workspace;
    handle->workspace_bytes = workspaceSizeInBytes;
    return CUBLAS_STATUS_SUCCESS;
}

/* A setting of the handle: what is asked for, and what may be set. */
#define GETTER(function, type, field)                                                              \
    cublasStatus_t function(cublasHandle_t handle, type *value)                                    \
    {                                                                                              \
        if (!handle_is_one(handle))                                                                \
            return CUBLAS_STATUS_NOT_INITIALIZED;                                                  \
        if (!value)                                                                                \
            return CUBLAS_STATUS_INVALID_VALUE;                                                    \
        *value = handle->field;                                                                    \
        return CUBLAS_STATUS_SUCCESS;                                                              \
    }
#define SETTER(function, type, field, good)                                                        \
    cublasStatus_t function(cublasHandle_t handle, type value)                                     \
    {                                                                                              \
        if (!handle_is_one(handle))                                                                \
            return CUBLAS_STATUS_NOT_INITIALIZED;                                                  \
        if (!(good))                                                                               \
            return CUBLAS_STATUS_INVALID_VALUE;                                                    \
        handle->field = value;                                                                     \
        return CUBLAS_STATUS_SUCCESS;                                                              \
    }
SETTER(cublasSetStream_v2, cudaStream_t, stream, true)
GETTER(cublasGetStream_v2, cudaStream_t, stream)
SETTER(cublasSetPointerMode_v2, cublasPointerMode_t, pointers, (unsigned)value <= CUBLAS_POINTER_MODE_DEVICE)
GETTER(cublasGetPointerMode_v2, cublasPointerMode_t, pointers)
SETTER(cublasSetAtomicsMode, cublasAtomicsMode_t, atomics, (unsigned)value <= CUBLAS_ATOMICS_ALLOWED)
GETTER(cublasGetAtomicsMode, cublasAtomicsMode_t, atomics)
SETTER(cublasSetMathMode, cublasMath_t, math, (unsigned)value < 32)
GETTER(cublasGetMathMode, cublasMath_t, math)
SETTER(cublasSetSmCountTarget, int, sm_count, value >= 0)
GETTER(cublasGetSmCountTarget, int, sm_count)

/* --- statuses --- */

const char *cublasGetStatusName(cublasStatus_t status)
{
    return answers_name(status);
}

const char *cublasGetStatusString(cublasStatus_t status)
{
    return answers_text(status);
}

void cublasXerbla(const char *srName, int info)
{
    fprintf(stderr, "heddle: %s: parameter %d had an illegal value\n", srName ? srName : "?", info);
}
