/* The beginning and the end of the driver's entry points, initialisation, version, errors (see driver.h). */
#include "driver/driver.h"

#include "runtime/checking.h"

static bool initialised; /* atomic */

struct driver_silence driver_silence_begin(void)
{
    runtime_silence(1);
    return (struct driver_silence){1};
}

void driver_silence_end(struct driver_silence *s)
{
    (void)s;
    runtime_silence(-1);
}

/* Statuses below 100 that only the runtime has; all others have the same value. */
CUresult driver_result(cudaError_t e)
{
    switch (e) {
    case cudaErrorInvalidConfiguration:
    case cudaErrorInvalidPitchValue:
    case cudaErrorInvalidHostPointer:
    case cudaErrorInvalidDevicePointer:
    case cudaErrorInvalidTexture:
    case cudaErrorInvalidTextureBinding:
    case cudaErrorInvalidChannelDescriptor:
    case cudaErrorInvalidMemcpyDirection:
    case cudaErrorInvalidFilterSetting:
    case cudaErrorInvalidNormSetting:
    case cudaErrorInvalidSurface:
        return CUDA_ERROR_INVALID_VALUE;
    case cudaErrorInvalidSymbol:
        return CUDA_ERROR_NOT_FOUND;
    case cudaErrorInvalidDeviceFunction:
        return CUDA_ERROR_INVALID_HANDLE;
    default:
        return (CUresult)e;
    }
}

static const struct word {
    int value;
    const char *name, *text;
} words[] = {
#define DRIVER_ERROR_ROW(name, value, text) {value, #name, text},
#include "heddle/driver_errors.def"
#undef DRIVER_ERROR_ROW
};

/* What a status is called, or NULL. */
static const struct word *word_of(CUresult r)
{
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (words[i].value == (int)r)
            return &words[i];
    return NULL;
}

CUresult driver_leave(CUresult r)
{
    if (!r || runtime_silence(0) > 1) /* an entry inside another answers only that one */
        return r;
    trace_answer((int)r);
    const struct word *w = word_of(r);
    if (runtime_checking())
        checking_call((int)r, w ? w->name : "an error", w ? w->text : "unrecognized error code");
    return r;
}

CUresult driver_return(cudaError_t e)
{
    return driver_leave(driver_result(e));
}

CUresult driver_not_supported(const char *what)
{
    return driver_result(runtime_not_supported(what));
}

/* A runtime that has a device has initialised the driver, too. */
CUresult driver_initialised(void)
{
    if (runtime_forked())
        return CUDA_ERROR_NOT_INITIALIZED;
    bool gone;
    return __atomic_load_n(&initialised, __ATOMIC_ACQUIRE) || context_current(&gone) ? CUDA_SUCCESS
                                                                                     : CUDA_ERROR_NOT_INITIALIZED;
}

CUresult driver_enter(struct context **c, struct runtime_device **d)
{
    bool gone;
    CUresult r = driver_initialised();
    *c = r ? NULL : context_current(&gone);
    if (!*c)
        return r ? r : CUDA_ERROR_INVALID_CONTEXT;
    if (gone || ((*c)->primary && !(*c)->active))
        return CUDA_ERROR_CONTEXT_IS_DESTROYED;
    return driver_result(runtime_enter(d));
}

CUresult driver_device(CUdevice dev, struct runtime_device **d)
{
    cudaError_t e;
    *d = runtime_device(dev, &e);
    return driver_result(e);
}

CUresult cuInit(unsigned int Flags)
{
    CALL;
    cudaError_t e;
    if (Flags)
        return driver_leave(CUDA_ERROR_INVALID_VALUE);
    if (!runtime_device(0, &e))
        return driver_return(e);
    __atomic_store_n(&initialised, true, __ATOMIC_RELEASE);
    return CUDA_SUCCESS;
}

CUresult cuDriverGetVersion(int *driverVersion)
{
    CALL;
    return driver_return(cudaDriverGetVersion(driverVersion));
}

CUresult cuGetErrorName(CUresult error, const char **pStr)
{
    CALL;
    REQUIRE(pStr);
    const struct word *w = word_of(error);
    *pStr = w ? w->name : NULL;
    return driver_leave(*pStr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
}

CUresult cuGetErrorString(CUresult error, const char **pStr)
{
    CALL;
    REQUIRE(pStr);
    const struct word *w = word_of(error);
    *pStr = w ? w->text : NULL;
    return driver_leave(*pStr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
}

CUresult cuProfilerStart(void)
{
    CONTEXT(c, d);
    return driver_return(cudaProfilerStart());
}

CUresult cuProfilerStop(void)
{
    CONTEXT(c, d);
    return driver_return(cudaProfilerStop());
}
