/* Launches as they were before CUDA 4 (CUDA Driver API reference, "Execution Control [DEPRECATED]"): a function is told its block,
 * its dynamic shared memory and its parameter block, and launched with what it was told last. */
#include <string.h>

#include "base/alloc.h"
#include "base/table.h"
#include "driver/driver.h"
#include "runtime/module.h"

enum { MOST = 4096 /* bytes of parameters (CUDA C++ programming guide 12, "Function Parameters") */ };

struct told {
    CUfunction function; /* the key */
    unsigned block[3], shared, size;
    char parameters[MOST];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct table all; /* by the bytes of the handle; guarded by the lock */

/* What a function was told; NULL: no function. The lock is held. */
static struct told *told_of(CUfunction f)
{
    struct told *t = table_getn(&all, (const char *)&f, sizeof f);
    if (!t && module_of(f)) {
        t = alloc_zeroed(sizeof *t);
        t->function = f;
        t->block[0] = t->block[1] = t->block[2] = 1;
        table_setn(&all, (const char *)&t->function, sizeof t->function, t);
    }
    return t;
}

#define TOLD(t, f)                                                                                                     \
    pthread_mutex_lock(&lock);                                                                                         \
    struct told *t = told_of(f);                                                                                       \
    if (!t) {                                                                                                          \
        pthread_mutex_unlock(&lock);                                                                                   \
        return driver_leave(CUDA_ERROR_INVALID_HANDLE);                                                                \
    }

CUresult cuFuncSetBlockShape(CUfunction hfunc, int x, int y, int z)
{
    CONTEXT(c, d);
    REQUIRE(x > 0 && y > 0 && z > 0);
    TOLD(t, hfunc);
    t->block[0] = (unsigned)x;
    t->block[1] = (unsigned)y;
    t->block[2] = (unsigned)z;
    pthread_mutex_unlock(&lock);
    return CUDA_SUCCESS;
}

CUresult cuFuncSetSharedSize(CUfunction hfunc, unsigned int bytes)
{
    CONTEXT(c, d);
    TOLD(t, hfunc);
    t->shared = bytes;
    pthread_mutex_unlock(&lock);
    return CUDA_SUCCESS;
}

CUresult cuParamSetSize(CUfunction hfunc, unsigned int numbytes)
{
    CONTEXT(c, d);
    REQUIRE(numbytes <= MOST);
    TOLD(t, hfunc);
    t->size = numbytes;
    pthread_mutex_unlock(&lock);
    return CUDA_SUCCESS;
}

static CUresult set(CUfunction f, int offset, const void *value, unsigned bytes)
{
    if (offset < 0 || offset > MOST || bytes > (unsigned)(MOST - offset) || (!value && bytes))
        return driver_leave(CUDA_ERROR_INVALID_VALUE);
    TOLD(t, f);
    if (bytes)
        memcpy(t->parameters + offset, value, bytes);
    pthread_mutex_unlock(&lock);
    return CUDA_SUCCESS;
}

CUresult cuParamSetv(CUfunction hfunc, int offset, void *ptr, unsigned int numbytes)
{
    CONTEXT(c, d);
    return set(hfunc, offset, ptr, numbytes);
}

CUresult cuParamSeti(CUfunction hfunc, int offset, unsigned int value)
{
    CONTEXT(c, d);
    return set(hfunc, offset, &value, sizeof value);
}

CUresult cuParamSetf(CUfunction hfunc, int offset, float value)
{
    CONTEXT(c, d);
    return set(hfunc, offset, &value, sizeof value);
}

/* The launch copies the parameters. */
static CUresult launch(CUfunction f, int width, int height, CUstream stream)
{
    if (width <= 0 || height <= 0)
        return driver_leave(CUDA_ERROR_INVALID_VALUE);
    TOLD(t, f);
    const struct told now = *t;
    pthread_mutex_unlock(&lock);
    size_t size = now.size;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, (void *)(uintptr_t)now.parameters, CU_LAUNCH_PARAM_BUFFER_SIZE, &size,
                     CU_LAUNCH_PARAM_END};
    return driver_leave(cuLaunchKernel(f, (unsigned)width, (unsigned)height, 1, now.block[0], now.block[1], now.block[2],
                                       now.shared, stream, NULL, extra));
}

CUresult cuLaunch(CUfunction f)
{
    CONTEXT(c, d);
    return launch(f, 1, 1, NULL);
}

CUresult cuLaunchGrid(CUfunction f, int grid_width, int grid_height)
{
    CONTEXT(c, d);
    return launch(f, grid_width, grid_height, NULL);
}

CUresult cuLaunchGridAsync(CUfunction f, int grid_width, int grid_height, CUstream hStream)
{
    CONTEXT(c, d);
    return launch(f, grid_width, grid_height, hStream);
}
