/* Modules (CUDA Driver API reference, "Module Management"): device code of one context. The code itself: runtime/module.h. */
#include "driver/module.h"

#include <string.h>

#include "base/alloc.h"
#include "base/strbuf.h"
#include "driver/image.h"
#include "runtime/module.h"
#include "runtime/pool.h"

struct module {
    bool alive; /* first: pool.h */
    bool shared; /* the code is a library's, which ends it */
    struct binary *code;
    const struct context *context;
    uint64_t context_id;
};

static struct pool modules = {.size = (sizeof(struct module) + 15) / 16 * 16}; /* guarded by runtime_lock */

static struct module *module_at(CUmodule handle)
{
    pthread_mutex_lock(&runtime_lock);
    bool live = pool_holds(&modules, handle);
    pthread_mutex_unlock(&runtime_lock);
    return live ? (struct module *)handle : NULL;
}

#define MODULE(m, handle)                                                                                              \
    struct module *m = module_at(handle);                                                                              \
    if (!m)                                                                                                            \
    return driver_leave(CUDA_ERROR_INVALID_HANDLE)

static CUmodule add(struct binary *code, const struct context *c, bool shared)
{
    pthread_mutex_lock(&runtime_lock);
    struct module *m = pool_take(&modules);
    m->code = code;
    m->context = c;
    m->context_id = c->id;
    m->shared = shared;
    pthread_mutex_unlock(&runtime_lock);
    return (CUmodule)m;
}

/* --- loading --- */

CUresult module_compile(struct binary *code, struct runtime_device *d, struct jit *j)
{
    struct strbuf said;
    strbuf_init(&said);
    cudaError_t e = module_load(code, d, &said);
    jit_finish(j, said.s);
    strbuf_release(&said);
    return driver_result(e);
}

static CUresult load(CUmodule *module, const char *name, const void *image, size_t bytes, struct jit *j, struct context *c,
                     struct runtime_device *d)
{
    struct image i;
    if (!module || !image)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult r = image_open(image, bytes, &i);
    r = r ? r : image_check(&i, d);
    if (r)
        return r;
    struct binary *code = module_open(name, i.ptx, i.bytes);
    r = module_compile(code, d, j);
    if (r)
        module_close(code);
    else
        *module = add(code, c, false);
    return r;
}

CUresult cuModuleLoad(CUmodule *module, const char *fname)
{
    CONTEXT(c, d);
    char *text;
    size_t bytes;
    struct jit j = {0};
    REQUIRE(module);
    CUresult r = image_read(fname, &text, &bytes);
    if (r)
        return driver_leave(r);
    const char *name = strrchr(fname, '/');
    r = load(module, name ? name + 1 : fname, text, bytes, &j, c, d);
    alloc_release(text);
    return driver_leave(r);
}

CUresult cuModuleLoadData(CUmodule *module, const void *image)
{
    CONTEXT(c, d);
    struct jit j = {0};
    return driver_leave(load(module, "device code given to cuModuleLoadData", image, 0, &j, c, d));
}

CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned int numOptions, CUjit_option *options,
                            void **optionValues)
{
    CONTEXT(c, d);
    struct jit j;
    CUresult r = jit_read(&j, numOptions, options, optionValues);
    return driver_leave(r ? r : load(module, "device code given to cuModuleLoadDataEx", image, 0, &j, c, d));
}

CUresult cuModuleLoadFatBinary(CUmodule *module, const void *fatCubin)
{
    CONTEXT(c, d);
    struct jit j = {0};
    return driver_leave(load(module, "device code given to cuModuleLoadFatBinary", fatCubin, 0, &j, c, d));
}

CUmodule module_for(struct binary *code, const struct context *c)
{
    CUmodule found = NULL;
    pthread_mutex_lock(&runtime_lock);
    for (struct module *m = pool_next(&modules, NULL); m && !found; m = pool_next(&modules, m))
        if (m->code == code && m->context_id == c->id)
            found = (CUmodule)m;
    pthread_mutex_unlock(&runtime_lock);
    return found ? found : add(code, c, true);
}

const struct context *module_context(CUfunction f)
{
    const struct binary *code = module_of(f);
    const struct context *c = NULL;
    pthread_mutex_lock(&runtime_lock);
    for (struct module *m = pool_next(&modules, NULL); m && code && !c; m = pool_next(&modules, m))
        if (m->code == code && !m->shared)
            c = m->context;
    pthread_mutex_unlock(&runtime_lock);
    return c;
}

/* --- ending --- */

static void end(struct module *m)
{
    if (!m->shared)
        module_close(m->code);
    pthread_mutex_lock(&runtime_lock);
    pool_give(&modules, m);
    pthread_mutex_unlock(&runtime_lock);
}

CUresult cuModuleUnload(CUmodule hmod)
{
    INITIALISED;
    MODULE(m, hmod);
    struct context *c;
    struct runtime_device *d;
    CUresult r = driver_enter(&c, &d);
    if (r || m->shared) /* a library's goes with the library */
        return driver_leave(r ? r : CUDA_ERROR_NOT_PERMITTED);
    end(m);
    return CUDA_SUCCESS;
}

static struct module *one_of(const struct context *c, const struct binary *code)
{
    struct module *found = NULL;
    pthread_mutex_lock(&runtime_lock);
    for (struct module *m = pool_next(&modules, NULL); m && !found; m = pool_next(&modules, m))
        if ((c && m->context_id == c->id) || m->code == code)
            found = m;
    pthread_mutex_unlock(&runtime_lock);
    return found;
}

void driver_modules_end(const struct context *c)
{
    for (struct module *m; (m = one_of(c, NULL));)
        end(m);
}

void module_forget(const struct binary *code)
{
    for (struct module *m; (m = one_of(NULL, code));)
        end(m);
}

/* --- what is in it --- */

CUresult cuModuleGetFunction(CUfunction *hfunc, CUmodule hmod, const char *name)
{
    CONTEXT(c, d);
    REQUIRE(hfunc && name && *name);
    MODULE(m, hmod);
    const void *stub;
    cudaError_t e = module_function(m->code, d, name, &stub);
    if (!e)
        *hfunc = (CUfunction)(uintptr_t)stub;
    return driver_return(e);
}

CUresult cuModuleGetFunctionCount(unsigned int *count, CUmodule hmod)
{
    CONTEXT(c, d);
    REQUIRE(count);
    MODULE(m, hmod);
    return driver_leave(module_count(m->code, d, count));
}

CUresult cuModuleEnumerateFunctions(CUfunction *functions, unsigned int numFunctions, CUmodule mod)
{
    CONTEXT(c, d);
    REQUIRE(functions && numFunctions);
    MODULE(m, mod);
    return driver_leave(module_list(m->code, d, numFunctions, (const void **)functions));
}

CUresult module_count(struct binary *code, struct runtime_device *d, unsigned *count)
{
    const void *stub;
    cudaError_t e = cudaSuccess;
    for (*count = 0; !e; *count += !e)
        e = module_nth(code, d, (int)*count, &stub);
    return e == cudaErrorSymbolNotFound ? CUDA_SUCCESS : driver_result(e);
}

CUresult module_list(struct binary *code, struct runtime_device *d, unsigned n, const void **stubs)
{
    cudaError_t e = cudaSuccess;
    for (unsigned i = 0; !e && i < n; i++)
        e = module_nth(code, d, (int)i, &stubs[i]);
    return e == cudaErrorSymbolNotFound ? CUDA_SUCCESS : driver_result(e);
}

CUresult cuModuleGetGlobal_v2(CUdeviceptr *dptr, size_t *bytes, CUmodule hmod, const char *name)
{
    CONTEXT(c, d);
    REQUIRE(name && (dptr || bytes));
    MODULE(m, hmod);
    uint64_t address;
    size_t size;
    bool managed;
    const void *stub;
    cudaError_t e = module_symbol(m->code, d, name, &address, &size, &managed);
    if (e == cudaErrorSymbolNotFound && !module_function(m->code, d, name, &stub))
        return driver_leave(CUDA_ERROR_INVALID_VALUE); /* there is one of the name, but it is a kernel */
    if (!e && dptr)
        *dptr = address;
    if (!e && bytes)
        *bytes = size;
    return driver_return(e);
}

/* Code of a program is loaded when it is used first. */
CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode *mode)
{
    INITIALISED;
    REQUIRE(mode);
    *mode = CU_MODULE_LAZY_LOADING;
    return CUDA_SUCCESS;
}
