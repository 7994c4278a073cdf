/* Texture and surface references (CUDA Runtime API reference of CUDA 11, "Texture Reference Management", "Surface Reference
 * Management").
 *
 * On the device a reference is a variable of 8 bytes that holds the handle of the texture object it is bound to, 0: none.
 * So binding makes an object of the resource and of what the reference says at that moment, and writes its handle there.
 * Kernels that use the old binding are waited for. */
#include <pthread.h>
#include <string.h>

#include "base/alloc.h"
#include "device/device.h"
#include "runtime/module.h"
#include "runtime/pointer.h"
#include "runtime/runtime.h"

struct binding {
    const void *reference; /* struct textureReference or surfaceReference; NULL: free */
    struct runtime_device *device;
    cudaTextureObject_t object;
    size_t offset; /* bytes from the aligned address that is bound to the one that was given */
};

static pthread_mutex_t bindings_lock = PTHREAD_MUTEX_INITIALIZER; /* guards what follows */
static struct binding *bindings;
static int nbindings, bindings_cap;

static struct binding *binding_of(const struct runtime_device *d, const void *r)
{
    for (int i = 0; i < nbindings; i++)
        if (bindings[i].reference == r && (!r || bindings[i].device == d))
            return &bindings[i];
    return NULL;
}

/* Writes the handle that kernels find. */
static cudaError_t point_to(struct runtime_device *d, const void *r, cudaTextureObject_t object)
{
    uint64_t at, handle = object;
    size_t bytes;
    cudaError_t e = module_variable(d, r, &at, &bytes);
    return e ? e : runtime_error(heddle_copy_in(d->engine, at, &handle, sizeof handle));
}

/* Forgets a binding. The lock is not held. */
static cudaTextureObject_t take_binding(const struct runtime_device *d, const void *r)
{
    cudaTextureObject_t object = 0;
    pthread_mutex_lock(&bindings_lock);
    struct binding *b = binding_of(d, r);
    if (b) {
        object = b->object;
        b->reference = NULL;
    }
    pthread_mutex_unlock(&bindings_lock);
    return object;
}

static void add_binding(const struct binding *b)
{
    pthread_mutex_lock(&bindings_lock);
    struct binding *place = binding_of(NULL, NULL);
    if (!place) {
        ALLOC_GROW(bindings, nbindings, bindings_cap);
        place = &bindings[nbindings++];
    }
    *place = *b;
    pthread_mutex_unlock(&bindings_lock);
}

static cudaError_t unbind(struct runtime_device *d, const struct textureReference *r)
{
    cudaTextureObject_t old = take_binding(d, r);
    cudaError_t e = old ? point_to(d, r, 0) : cudaSuccess;
    return e ? e : cudaDestroyTextureObject(old); /* waits for kernels */
}

static cudaError_t bind(struct runtime_device *d, const struct textureReference *r, const struct cudaResourceDesc *resource,
                        size_t offset)
{
    struct binding b = {r, d, 0, offset};
    bool fractions;
    if (!r || !module_texture(r, &fractions))
        return cudaErrorInvalidTexture;
    struct cudaTextureDesc t = {.filterMode = r->filterMode, .sRGB = r->sRGB, .normalizedCoords = r->normalized,
                                .readMode = fractions ? cudaReadModeNormalizedFloat : cudaReadModeElementType};
    memcpy(t.addressMode, r->addressMode, sizeof t.addressMode);
    cudaError_t e = cudaDeviceSynchronize();
    e = e ? e : unbind(d, r);
    e = e ? e : cudaCreateTextureObject(&b.object, resource, &t, NULL);
    e = e ? e : point_to(d, r, b.object);
    if (!e)
        add_binding(&b);
    return e;
}

/* Objects begin at aligned addresses; what is left the program must add to its coordinates, or it is an error. */
static cudaError_t align(const struct runtime_device *d, const void *p, size_t *offset, uint64_t *base)
{
    uint64_t at = (uint64_t)(uintptr_t)p, past = at % (uint64_t)d->spec->texture_alignment;
    if (!p || (past && !offset))
        return cudaErrorInvalidValue;
    if (offset)
        *offset = past;
    *base = at - past;
    return cudaSuccess;
}

cudaError_t cudaBindTexture(size_t *offset, const struct textureReference *texture, const void *devPtr,
                            const struct cudaChannelFormatDesc *desc, size_t bytes)
{
    ENTER(d);
    uint64_t base;
    struct pointer at = pointer_look(devPtr);
    cudaError_t e = desc ? align(d, devPtr, offset, &base) : cudaErrorInvalidValue;
    if (e)
        return runtime_leave(e);
    if (!pointer_for_device(&at) || !at.device)
        return runtime_leave(cudaErrorInvalidValue);
    size_t past = (size_t)(at.address - base), left = at.bytes - (size_t)(at.address - at.base);
    struct cudaResourceDesc r = {.resType = cudaResourceTypeLinear};
    r.res.linear.devPtr = (void *)(uintptr_t)base;
    r.res.linear.desc = *desc;
    r.res.linear.sizeInBytes = past + (bytes < left ? bytes : left); /* UINT_MAX: all of it */
    return runtime_leave(bind(d, texture, &r, past));
}

cudaError_t cudaBindTexture2D(size_t *offset, const struct textureReference *texture, const void *devPtr,
                              const struct cudaChannelFormatDesc *desc, size_t width, size_t height, size_t pitch)
{
    ENTER(d);
    uint64_t base;
    cudaError_t e = desc ? align(d, devPtr, offset, &base) : cudaErrorInvalidValue;
    if (e)
        return runtime_leave(e);
    struct cudaResourceDesc r = {.resType = cudaResourceTypePitch2D};
    r.res.pitch2D.devPtr = (void *)(uintptr_t)base;
    r.res.pitch2D.desc = *desc;
    r.res.pitch2D.width = width;
    r.res.pitch2D.height = height;
    r.res.pitch2D.pitchInBytes = pitch;
    return runtime_leave(bind(d, texture, &r, (size_t)((uint64_t)(uintptr_t)devPtr - base)));
}

cudaError_t cudaBindTextureToArray(const struct textureReference *texture, cudaArray_const_t array,
                                   const struct cudaChannelFormatDesc *desc)
{
    ENTER(d);
    struct cudaResourceDesc r = {.resType = cudaResourceTypeArray};
    r.res.array.array = (cudaArray_t)(uintptr_t)array;
    return runtime_leave(desc ? bind(d, texture, &r, 0) : cudaErrorInvalidValue);
}

cudaError_t cudaUnbindTexture(const struct textureReference *texture)
{
    ENTER(d);
    bool fractions;
    if (!texture || !module_texture(texture, &fractions))
        return runtime_leave(cudaErrorInvalidTexture);
    return runtime_leave(unbind(d, texture));
}

cudaError_t cudaGetTextureAlignmentOffset(size_t *offset, const struct textureReference *texture)
{
    ENTER(d);
    bool fractions;
    if (!offset || !texture || !module_texture(texture, &fractions))
        return runtime_leave(offset ? cudaErrorInvalidTexture : cudaErrorInvalidValue);
    pthread_mutex_lock(&bindings_lock);
    const struct binding *b = binding_of(d, texture);
    if (b)
        *offset = b->offset;
    pthread_mutex_unlock(&bindings_lock);
    return runtime_leave(b ? cudaSuccess : cudaErrorInvalidTextureBinding);
}

cudaError_t cudaGetTextureReference(const struct textureReference **texture, const void *symbol)
{
    ENTER(d);
    bool fractions;
    if (!texture || !module_texture(symbol, &fractions))
        return runtime_leave(texture ? cudaErrorInvalidTexture : cudaErrorInvalidValue);
    *texture = symbol;
    return cudaSuccess;
}

/* --- surfaces --- */

cudaError_t cudaBindSurfaceToArray(const struct surfaceReference *surface, cudaArray_const_t array,
                                   const struct cudaChannelFormatDesc *desc)
{
    ENTER(d);
    struct binding b = {surface, d, 0, 0};
    struct cudaResourceDesc r = {.resType = cudaResourceTypeArray};
    if (!desc || !surface || !module_surface(surface))
        return runtime_leave(desc ? cudaErrorInvalidSurface : cudaErrorInvalidValue);
    r.res.array.array = (cudaArray_t)(uintptr_t)array;
    cudaError_t e = cudaDeviceSynchronize();
    cudaTextureObject_t old = take_binding(d, surface);
    e = e ? e : cudaDestroySurfaceObject(old);
    e = e ? e : cudaCreateSurfaceObject(&b.object, &r);
    e = e ? e : point_to(d, surface, b.object);
    if (!e)
        add_binding(&b);
    return runtime_leave(e);
}

cudaError_t cudaGetSurfaceReference(const struct surfaceReference **surface, const void *symbol)
{
    ENTER(d);
    if (!surface || !module_surface(symbol))
        return runtime_leave(surface ? cudaErrorInvalidSurface : cudaErrorInvalidValue);
    *surface = symbol;
    return cudaSuccess;
}
