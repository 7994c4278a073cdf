/* Libraries and their kernels (CUDA Driver API reference, "Library Management"): device code that is loaded on a device when
 * it is first used there. A CUkernel is a kernel on whichever device is current, which a CUfunction is here, too. */
#include <string.h>

#include "base/alloc.h"
#include "base/strbuf.h"
#include "driver/driver.h"
#include "driver/image.h"
#include "driver/module.h"
#include "runtime/module.h"
#include "runtime/pool.h"

struct library {
    bool alive; /* first: pool.h */
    struct binary *code;
};

static struct pool libraries = {.size = (sizeof(struct library) + 15) / 16 * 16}; /* guarded by runtime_lock */

static struct library *library_at(CUlibrary handle)
{
    pthread_mutex_lock(&runtime_lock);
    bool live = pool_holds(&libraries, handle);
    pthread_mutex_unlock(&runtime_lock);
    return live ? (struct library *)handle : NULL;
}

#define LIBRARY(l, handle)                                                                                             \
    struct library *l = library_at(handle);                                                                            \
    if (!l)                                                                                                            \
    return driver_leave(CUDA_ERROR_INVALID_HANDLE)

/* The device to look at a library's contents on: the current context's, or the first. */
static CUresult some_device(struct runtime_device **d)
{
    bool gone;
    const struct context *c = context_current(&gone);
    return driver_device(c && !gone ? c->device : 0, d);
}

struct given {
    const char *name;
    const void *code;
    size_t bytes;
    unsigned njit, noptions;
    CUjit_option *jit;
    void **jit_values;
    CUlibraryOption *options;
};

/* The code is checked at once, on one device. */
static CUresult load(CUlibrary *library, const struct given *g)
{
    struct jit j;
    struct image i;
    struct runtime_device *d;
    CUresult r = jit_read(&j, g->njit, g->jit, g->jit_values);
    if (r || !library || !g->code || (g->noptions && !g->options))
        return r ? r : CUDA_ERROR_INVALID_VALUE;
    r = image_open(g->code, g->bytes, &i);
    r = r ? r : some_device(&d);
    r = r ? r : image_check(&i, d);
    if (r)
        return r;
    struct binary *code = module_open(g->name, i.ptx, i.bytes);
    r = module_compile(code, d, &j);
    if (r) {
        module_close(code);
        return r;
    }
    pthread_mutex_lock(&runtime_lock);
    struct library *l = pool_take(&libraries);
    l->code = code;
    pthread_mutex_unlock(&runtime_lock);
    *library = (CUlibrary)l;
    return CUDA_SUCCESS;
}

CUresult cuLibraryLoadData(CUlibrary *library, const void *code, CUjit_option *jitOptions, void **jitOptionsValues,
                           unsigned int numJitOptions, CUlibraryOption *libraryOptions, void **libraryOptionValues,
                           unsigned int numLibraryOptions)
{
    INITIALISED;
    (void)libraryOptionValues;
    const struct given g = {"device code given to cuLibraryLoadData", code, 0, numJitOptions, numLibraryOptions,
                            jitOptions, jitOptionsValues, libraryOptions};
    return driver_leave(load(library, &g));
}

CUresult cuLibraryLoadFromFile(CUlibrary *library, const char *fileName, CUjit_option *jitOptions, void **jitOptionsValues,
                               unsigned int numJitOptions, CUlibraryOption *libraryOptions, void **libraryOptionValues,
                               unsigned int numLibraryOptions)
{
    INITIALISED;
    char *text;
    size_t bytes;
    (void)libraryOptionValues;
    CUresult r = image_read(fileName, &text, &bytes);
    if (r)
        return driver_leave(r);
    const char *name = strrchr(fileName, '/');
    const struct given g = {name ? name + 1 : fileName, text, bytes, numJitOptions, numLibraryOptions,
                            jitOptions, jitOptionsValues, libraryOptions};
    r = load(library, &g);
    alloc_release(text);
    return driver_leave(r);
}

CUresult cuLibraryUnload(CUlibrary library)
{
    INITIALISED;
    LIBRARY(l, library);
    module_forget(l->code);
    module_close(l->code);
    pthread_mutex_lock(&runtime_lock);
    pool_give(&libraries, l);
    pthread_mutex_unlock(&runtime_lock);
    return CUDA_SUCCESS;
}

CUresult cuLibraryGetKernel(CUkernel *pKernel, CUlibrary library, const char *name)
{
    INITIALISED;
    REQUIRE(pKernel && name);
    LIBRARY(l, library);
    struct runtime_device *d;
    const void *stub = NULL;
    CUresult r = some_device(&d);
    r = r ? r : driver_result(module_function(l->code, d, name, &stub));
    if (!r)
        *pKernel = (CUkernel)(uintptr_t)stub;
    return driver_leave(r);
}

CUresult cuLibraryGetKernelCount(unsigned int *count, CUlibrary lib)
{
    INITIALISED;
    REQUIRE(count);
    LIBRARY(l, lib);
    struct runtime_device *d;
    CUresult r = some_device(&d);
    return driver_leave(r ? r : module_count(l->code, d, count));
}

CUresult cuLibraryEnumerateKernels(CUkernel *kernels, unsigned int numKernels, CUlibrary lib)
{
    INITIALISED;
    REQUIRE(kernels && numKernels);
    LIBRARY(l, lib);
    struct runtime_device *d;
    CUresult r = some_device(&d);
    return driver_leave(r ? r : module_list(l->code, d, numKernels, (const void **)kernels));
}

CUresult cuLibraryGetModule(CUmodule *pMod, CUlibrary library)
{
    CONTEXT(c, d);
    REQUIRE(pMod);
    LIBRARY(l, library);
    *pMod = module_for(l->code, c);
    return CUDA_SUCCESS;
}

/* A variable of the current device's copy of the library, or a managed one, which there is once. */
static CUresult variable(CUdeviceptr *dptr, size_t *bytes, CUlibrary library, const char *name, bool wants_managed,
                         struct runtime_device *d)
{
    struct library *l = library_at(library);
    uint64_t address;
    size_t size;
    bool managed;
    if (!l)
        return CUDA_ERROR_INVALID_HANDLE;
    if (!name || (!dptr && !bytes))
        return CUDA_ERROR_INVALID_VALUE;
    CUresult r = driver_result(module_symbol(l->code, d, name, &address, &size, &managed));
    if (!r && wants_managed && !managed)
        return CUDA_ERROR_NOT_FOUND;
    if (!r && dptr)
        *dptr = address;
    if (!r && bytes)
        *bytes = size;
    return r;
}

CUresult cuLibraryGetGlobal(CUdeviceptr *dptr, size_t *bytes, CUlibrary library, const char *name)
{
    CONTEXT(c, d);
    return driver_leave(variable(dptr, bytes, library, name, false, d));
}

CUresult cuLibraryGetManaged(CUdeviceptr *dptr, size_t *bytes, CUlibrary library, const char *name)
{
    INITIALISED;
    struct runtime_device *d;
    CUresult r = some_device(&d);
    return driver_leave(r ? r : variable(dptr, bytes, library, name, true, d));
}

/* --- kernels: what is asked of one is asked of the function that it is on a device --- */

CUresult cuKernelGetFunction(CUfunction *pFunc, CUkernel kernel)
{
    CONTEXT(c, d);
    struct runtime_kernel *k;
    REQUIRE(pFunc);
    cudaError_t e = module_kernel(d, kernel, &k);
    if (e == cudaErrorInvalidDeviceFunction)
        return driver_leave(CUDA_ERROR_INVALID_HANDLE);
    *pFunc = (CUfunction)kernel;
    return CUDA_SUCCESS;
}

CUresult cuKernelGetLibrary(CUlibrary *pLib, CUkernel kernel)
{
    INITIALISED;
    REQUIRE(pLib);
    const struct binary *code = module_of(kernel);
    struct library *found = NULL;
    pthread_mutex_lock(&runtime_lock);
    for (struct library *l = pool_next(&libraries, NULL); code && l && !found; l = pool_next(&libraries, l))
        found = l->code == code ? l : NULL;
    pthread_mutex_unlock(&runtime_lock);
    *pLib = (CUlibrary)found;
    return driver_leave(found ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE);
}

CUresult cuKernelGetName(const char **name, CUkernel hfunc)
{
    return cuFuncGetName(name, (CUfunction)hfunc);
}

CUresult cuKernelGetParamInfo(CUkernel kernel, size_t paramIndex, size_t *paramOffset, size_t *paramSize)
{
    return cuFuncGetParamInfo((CUfunction)kernel, paramIndex, paramOffset, paramSize);
}

/* Asks with the primary context of the device that is named. */
static CUresult on_device(CUdevice dev, CUresult (*ask)(void *), void *what)
{
    struct runtime_device *d;
    struct context *c = NULL;
    CUresult r = driver_device(dev, &d);
    if (r)
        return r;
    c = context_primary(dev);
    bool active = c->active;
    c->active = true;
    context_push(c);
    r = ask(what);
    context_pop(&c);
    c->active = active;
    return r;
}

struct attribute {
    int *read, written;
    CUfunction_attribute which;
    CUfunction function;
};

static CUresult get_attribute(void *a)
{
    struct attribute *w = a;
    return cuFuncGetAttribute(w->read, w->which, w->function);
}

static CUresult set_attribute(void *a)
{
    struct attribute *w = a;
    return cuFuncSetAttribute(w->function, w->which, w->written);
}

CUresult cuKernelGetAttribute(int *pi, CUfunction_attribute attrib, CUkernel kernel, CUdevice dev)
{
    INITIALISED;
    struct attribute a = {pi, 0, attrib, (CUfunction)kernel};
    return driver_leave(on_device(dev, get_attribute, &a));
}

CUresult cuKernelSetAttribute(CUfunction_attribute attrib, int val, CUkernel kernel, CUdevice dev)
{
    INITIALISED;
    struct attribute a = {NULL, val, attrib, (CUfunction)kernel};
    return driver_leave(on_device(dev, set_attribute, &a));
}

/* A hint, as the runtime's is. */
CUresult cuKernelSetCacheConfig(CUkernel kernel, CUfunc_cache config, CUdevice dev)
{
    INITIALISED;
    struct runtime_device *d;
    struct runtime_kernel *k;
    CUresult r = driver_device(dev, &d);
    REQUIRE((unsigned)config <= CU_FUNC_CACHE_PREFER_EQUAL);
    return r ? driver_leave(r) : driver_return(module_kernel(d, kernel, &k));
}
