/* CUDA arrays, texture and surface objects (CUDA Runtime API reference, "Memory Management", "Texture Object Management",
 * "Surface Object Management").
 *
 * An array is rows of texels in device memory; copies into it are copies of rows (copy.c). A texture object is a
 * description in the device's space (space/texture.h), under the handle that kernels get; so is a surface object. Layers
 * and the faces of cube maps lie one behind the other as slices do. What is not there says so by name: mipmapped arrays,
 * resource views, sRGB, seamless cube maps. */
#include <pthread.h>
#include <string.h>

#include "base/alloc.h"
#include "device/device.h"
#include "runtime/array.h"
#include "runtime/pointer.h"
#include "runtime/runtime.h"
#include "space/space.h"
#include "space/texture.h"

enum { ARRAY_ALIVE = 0x41525259, PITCH_ALIGN = 32 /* of memory that is not an array's */ };

struct cudaArray {
    uint32_t alive; /* ARRAY_ALIVE */
    struct runtime_device *device;
    uint64_t address;
    struct cudaExtent extent; /* as given: 0 where there is no such dimension */
    size_t pitch, slice;
    unsigned flags;
    struct cudaChannelFormatDesc desc;
};

/* What texture objects were made from, for those who ask. */
struct object {
    cudaTextureObject_t handle; /* 0: free */
    struct runtime_device *device;
    struct cudaResourceDesc resource;
    struct cudaTextureDesc texture;
    bool surface; /* it has no texture description */
};

static pthread_mutex_t textures_lock = PTHREAD_MUTEX_INITIALIZER; /* guards all below */
static struct object *objects;
static int nobjects, objects_cap;

/* The object of a handle on a device, or NULL. */
static struct object *object_of(const struct runtime_device *d, cudaTextureObject_t handle)
{
    for (int i = 0; i < nobjects; i++)
        if (objects[i].handle == handle && (!handle || objects[i].device == d))
            return &objects[i];
    return NULL;
}

static void remember(const struct object *o)
{
    struct object *place = object_of(NULL, 0);
    if (!place) {
        ALLOC_GROW(objects, nobjects, objects_cap);
        place = &objects[nobjects++];
    }
    *place = *o;
}

struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, enum cudaChannelFormatKind f)
{
    return (struct cudaChannelFormatDesc){x, y, z, w, f};
}

/* Bytes of a texel, or 0: not a format that textures have (one, two or four equal components of 8, 16 or 32 bits). */
static size_t texel_bytes(const struct cudaChannelFormatDesc *d)
{
    int n = d->w ? 4 : d->z ? 3 : d->y ? 2 : 1, parts[4] = {d->x, d->y, d->z, d->w};
    bool width = d->x == 8 || d->x == 16 || d->x == 32;
    if (!width || n == 3 || (unsigned)d->f > cudaChannelFormatKindFloat || (d->f == cudaChannelFormatKindFloat && d->x == 8))
        return 0;
    for (int i = 1; i < n; i++)
        if (parts[i] != d->x)
            return 0;
    return (size_t)n * (size_t)d->x / 8;
}

/* --- arrays --- */

static cudaError_t make_array(cudaArray_t *out, const struct cudaChannelFormatDesc *desc, struct cudaExtent e, unsigned flags)
{
    ENTER(d);
    size_t texel = desc ? texel_bytes(desc) : 0, bytes;
    bool layered = flags & cudaArrayLayered, cube = flags & cudaArrayCubemap;
    if (!out || !desc || !e.width || (e.depth && !e.height && !layered) || (layered && !e.depth))
        return runtime_leave(cudaErrorInvalidValue);
    if (cube && (e.width != e.height || (layered ? e.depth % 6 : e.depth != 6)))
        return runtime_leave(cudaErrorInvalidValue);
    if (!texel)
        return runtime_leave(cudaErrorInvalidChannelDescriptor);
    if (flags & (cudaArraySparse | cudaArrayDeferredMapping))
        return runtime_leave(runtime_not_supported("a sparse array, or one whose memory is mapped later"));
    size_t height = e.height ? e.height : 1, depth = e.depth ? e.depth : 1;
    if (e.width > UINT32_MAX / 32 || height > UINT32_MAX || depth > UINT32_MAX)
        return runtime_leave(cudaErrorInvalidValue);
    bool tiled = height > 1;
    size_t pitch = (e.width * texel + TEXTURE_TILE_BYTES - 1) / TEXTURE_TILE_BYTES * TEXTURE_TILE_BYTES;
    size_t rows = tiled ? (height + TEXTURE_TILE_ROWS - 1) / TEXTURE_TILE_ROWS * TEXTURE_TILE_ROWS : height;
    if (__builtin_mul_overflow(pitch, rows, &bytes) || __builtin_mul_overflow(bytes, depth, &bytes))
        return runtime_leave(cudaErrorMemoryAllocation);
    uint64_t address;
    if (space_alloc(d->space, bytes, SPACE_PROGRAM, NULL, &address))
        return runtime_leave(cudaErrorMemoryAllocation);
    struct cudaArray *a = alloc_zeroed(sizeof *a);
    *a = (struct cudaArray){ARRAY_ALIVE, d, address, e, pitch, pitch * rows, flags, *desc};
    *out = a;
    return cudaSuccess;
}

cudaError_t cudaMallocArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc, size_t width, size_t height,
                            unsigned int flags)
{
    TRACED;
    return make_array(array, desc, (struct cudaExtent){width, height, 0}, flags);
}

cudaError_t cudaMalloc3DArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc, struct cudaExtent extent,
                              unsigned int flags)
{
    TRACED;
    return make_array(array, desc, extent, flags);
}

cudaError_t cudaFreeArray(cudaArray_t array)
{
    ENTER(d);
    if (!array)
        return cudaSuccess;
    if (array->alive != ARRAY_ALIVE)
        return runtime_leave(cudaErrorInvalidValue);
    cudaError_t e = cudaDeviceSynchronize(); /* kernels may still read it */
    space_free(array->device->space, array->address);
    array->alive = 0;
    alloc_release(array);
    return e;
}

cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *desc, struct cudaExtent *extent, unsigned int *flags,
                             cudaArray_t array)
{
    if (!array || array->alive != ARRAY_ALIVE)
        return runtime_leave(cudaErrorInvalidResourceHandle);
    if (desc)
        *desc = array->desc;
    if (extent)
        *extent = array->extent;
    if (flags)
        *flags = array->flags;
    return cudaSuccess;
}

cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *desc, cudaArray_const_t array)
{
    if (!array || array->alive != ARRAY_ALIVE || !desc)
        return runtime_leave(cudaErrorInvalidResourceHandle);
    *desc = array->desc;
    return cudaSuccess;
}

bool array_rows(cudaArray_const_t a, struct cudaPitchedPtr *rows, size_t *texel)
{
    if (!a || a->alive != ARRAY_ALIVE)
        return false;
    *rows = (struct cudaPitchedPtr){(void *)(uintptr_t)a->address, a->pitch, a->extent.width, a->slice / a->pitch};
    *texel = texel_bytes(&a->desc);
    return true;
}

static bool inside(size_t at, size_t n, size_t size)
{
    return at <= size && n <= size - at;
}

bool array_holds(cudaArray_const_t a, struct cudaPos at, struct cudaExtent box)
{
    return inside(at.x, box.width, a->extent.width) && inside(at.y, box.height, a->extent.height ? a->extent.height : 1) &&
           inside(at.z, box.depth, a->extent.depth ? a->extent.depth : 1);
}

/* --- copies; wOffset and width in bytes, hOffset and height in rows --- */

/* Where a part of the array begins, or NULL: no array, or the part is not inside it. */
static char *part(cudaArray_const_t a, size_t x, size_t y, size_t width, size_t height)
{
    size_t row, rows;
    if (!a || a->alive != ARRAY_ALIVE)
        return NULL;
    row = a->extent.width * texel_bytes(&a->desc);
    rows = a->extent.height ? a->extent.height : 1;
    if (x > row || width > row - x || y > rows || height > rows - y)
        return NULL;
    return (char *)(uintptr_t)(a->address + y * a->pitch + x);
}

/* Of a single row the pitch says nothing, and may be 0. */
static size_t rows_pitch(size_t pitch, size_t width, size_t height)
{
    return pitch || height > 1 ? pitch : width;
}

cudaError_t cudaMemcpy2DToArray(cudaArray_t dst, size_t wOffset, size_t hOffset, const void *src, size_t spitch,
                                size_t width, size_t height, enum cudaMemcpyKind kind)
{
    char *to = part(dst, wOffset, hOffset, width, height);
    return to ? cudaMemcpy2D(to, dst->pitch, src, rows_pitch(spitch, width, height), width, height, kind) : runtime_leave(cudaErrorInvalidValue);
}

cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t dst, size_t wOffset, size_t hOffset, const void *src, size_t spitch,
                                     size_t width, size_t height, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    char *to = part(dst, wOffset, hOffset, width, height);
    return to ? cudaMemcpy2DAsync(to, dst->pitch, src, rows_pitch(spitch, width, height), width, height, kind, stream)
              : runtime_leave(cudaErrorInvalidValue);
}

cudaError_t cudaMemcpy2DFromArray(void *dst, size_t dpitch, cudaArray_const_t src, size_t wOffset, size_t hOffset,
                                  size_t width, size_t height, enum cudaMemcpyKind kind)
{
    char *from = part(src, wOffset, hOffset, width, height);
    return from ? cudaMemcpy2D(dst, rows_pitch(dpitch, width, height), from, src->pitch, width, height, kind) : runtime_leave(cudaErrorInvalidValue);
}

cudaError_t cudaMemcpy2DFromArrayAsync(void *dst, size_t dpitch, cudaArray_const_t src, size_t wOffset, size_t hOffset,
                                       size_t width, size_t height, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    char *from = part(src, wOffset, hOffset, width, height);
    return from ? cudaMemcpy2DAsync(dst, rows_pitch(dpitch, width, height), from, src->pitch, width, height, kind, stream)
                : runtime_leave(cudaErrorInvalidValue);
}

static bool within_devices(enum cudaMemcpyKind kind)
{
    return kind == cudaMemcpyDeviceToDevice || kind == cudaMemcpyDefault;
}

cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t dst, size_t wOffsetDst, size_t hOffsetDst, cudaArray_const_t src,
                                     size_t wOffsetSrc, size_t hOffsetSrc, size_t width, size_t height,
                                     enum cudaMemcpyKind kind)
{
    char *to = part(dst, wOffsetDst, hOffsetDst, width, height), *from = part(src, wOffsetSrc, hOffsetSrc, width, height);
    if (!within_devices(kind))
        return runtime_leave(cudaErrorInvalidMemcpyDirection);
    return to && from ? cudaMemcpy2D(to, dst->pitch, from, src->pitch, width, height, kind)
                      : runtime_leave(cudaErrorInvalidValue);
}

/* A place in an array where a run of bytes goes on, in the next row where one ends. */
struct run {
    cudaArray_const_t array; /* NULL: ordinary memory at `at` */
    size_t x, y;
    char *at;
};

/* How much of `count` lies in one piece, and where; 0: outside. */
static size_t piece(struct run *r, size_t count)
{
    if (!r->array)
        return count;
    size_t row = r->array->alive == ARRAY_ALIVE ? r->array->extent.width * texel_bytes(&r->array->desc) : 0;
    if (r->x == row && row) {
        r->x = 0;
        r->y++;
    }
    size_t left = r->x < row ? row - r->x : 0, width = count < left ? count : left;
    r->at = width ? part(r->array, r->x, r->y, width, 1) : NULL;
    return r->at ? width : 0;
}

static void advance(struct run *r, size_t width)
{
    r->x += width;
    r->at += r->array ? 0 : width;
}

static cudaError_t copy_run(struct run to, struct run from, size_t count, enum cudaMemcpyKind kind, bool async,
                            cudaStream_t stream)
{
    while (count) {
        size_t a = piece(&to, count), b = piece(&from, count), width = a < b ? a : b;
        if (!width)
            return runtime_leave(cudaErrorInvalidValue);
        cudaError_t e = async ? cudaMemcpyAsync(to.at, from.at, width, kind, stream) : cudaMemcpy(to.at, from.at, width, kind);
        if (e)
            return e;
        advance(&to, width);
        advance(&from, width);
        count -= width;
    }
    return cudaSuccess;
}

static struct run in_memory(const void *p)
{
    return (struct run){.at = (char *)(uintptr_t)p};
}

/* The array's place, or an error when there is no array. */
#define IN_ARRAY(r, array, x, y)                                                                       if (!(array))                                                                                          return runtime_leave(cudaErrorInvalidValue);                                                   struct run r = {(array), (x), (y), NULL}

cudaError_t cudaMemcpyToArray(cudaArray_t dst, size_t wOffset, size_t hOffset, const void *src, size_t count,
                              enum cudaMemcpyKind kind)
{
    IN_ARRAY(to, dst, wOffset, hOffset);
    return copy_run(to, in_memory(src), count, kind, false, NULL);
}

cudaError_t cudaMemcpyToArrayAsync(cudaArray_t dst, size_t wOffset, size_t hOffset, const void *src, size_t count,
                                   enum cudaMemcpyKind kind, cudaStream_t stream)
{
    IN_ARRAY(to, dst, wOffset, hOffset);
    return copy_run(to, in_memory(src), count, kind, true, stream);
}

cudaError_t cudaMemcpyFromArray(void *dst, cudaArray_const_t src, size_t wOffset, size_t hOffset, size_t count,
                                enum cudaMemcpyKind kind)
{
    IN_ARRAY(from, src, wOffset, hOffset);
    return copy_run(in_memory(dst), from, count, kind, false, NULL);
}

cudaError_t cudaMemcpyFromArrayAsync(void *dst, cudaArray_const_t src, size_t wOffset, size_t hOffset, size_t count,
                                     enum cudaMemcpyKind kind, cudaStream_t stream)
{
    IN_ARRAY(from, src, wOffset, hOffset);
    return copy_run(in_memory(dst), from, count, kind, true, stream);
}

cudaError_t cudaMemcpyArrayToArray(cudaArray_t dst, size_t wOffsetDst, size_t hOffsetDst, cudaArray_const_t src,
                                   size_t wOffsetSrc, size_t hOffsetSrc, size_t count, enum cudaMemcpyKind kind)
{
    IN_ARRAY(to, dst, wOffsetDst, hOffsetDst);
    IN_ARRAY(from, src, wOffsetSrc, hOffsetSrc);
    if (!within_devices(kind))
        return runtime_leave(cudaErrorInvalidMemcpyDirection);
    return copy_run(to, from, count, kind, false, NULL);
}

/* --- texture objects --- */

static cudaError_t set_format(struct texture *t, const struct cudaChannelFormatDesc *d)
{
    size_t texel = texel_bytes(d);
    if (!texel)
        return cudaErrorInvalidChannelDescriptor;
    t->bytes = (uint8_t)(d->x / 8);
    t->components = (uint8_t)(texel / t->bytes);
    t->kind = d->f == cudaChannelFormatKindSigned ? TEXEL_SIGNED : d->f == cudaChannelFormatKindFloat ? TEXEL_FLOAT : TEXEL_UNSIGNED;
    return cudaSuccess;
}

/* Memory given by pointer: must be the device's, and all of it one allocation. */
static cudaError_t check_memory(void *p, size_t bytes)
{
    struct pointer at = pointer_look(p);
    if (at.kind == POINTER_REGISTERED)
        return runtime_not_supported("a texture over memory of cudaHostRegister");
    return p && bytes && at.device && pointer_spans(&at, bytes) ? cudaSuccess : cudaErrorInvalidValue;
}

/* Linear memory: only its alignment is looked at, not what is there. So answers an H200 (tests/programs/texture_linear.cu). */
static cudaError_t set_linear(struct texture *t, const struct runtime_device *d, const struct cudaResourceDesc *r)
{
    void *p = r->res.linear.devPtr;
    cudaError_t e = set_format(t, &r->res.linear.desc);
    if (e)
        return e;
    size_t n = r->res.linear.sizeInBytes / ((size_t)t->components * t->bytes);
    if (!p || (uintptr_t)p % (uint64_t)d->spec->texture_alignment || n > UINT32_MAX)
        return cudaErrorInvalidValue;
    if (pointer_look(p).kind == POINTER_REGISTERED)
        return runtime_not_supported("a texture over memory of cudaHostRegister");
    t->address = (uint64_t)(uintptr_t)p;
    t->size[0] = (uint32_t)n;
    t->open = true;
    return cudaSuccess;
}

static cudaError_t set_resource(struct texture *t, const struct runtime_device *d, const struct cudaResourceDesc *r)
{
    cudaError_t e;
    t->size[0] = t->size[1] = t->size[2] = 1;
    if (r->resType == cudaResourceTypeArray) {
        const struct cudaArray *a = r->res.array.array;
        if (!a || a->alive != ARRAY_ALIVE)
            return cudaErrorInvalidResourceHandle;
        t->address = a->address;
        t->size[0] = (uint32_t)a->extent.width;
        t->size[1] = a->extent.height ? (uint32_t)a->extent.height : 1;
        t->size[2] = a->extent.depth ? (uint32_t)a->extent.depth : 1;
        t->pitch = a->pitch;
        t->slice = a->slice;
        t->tiled = a->device->spec->cc_major >= 2 && t->size[1] > 1;
        t->cube = a->flags & cudaArrayCubemap;
        if (t->cube || a->flags & cudaArrayLayered) {
            t->layers = t->size[2];
            t->size[2] = 1;
        }
        return set_format(t, &a->desc);
    }
    if (r->resType == cudaResourceTypeLinear)
        return set_linear(t, d, r);
    if (r->resType != cudaResourceTypePitch2D)
        return runtime_not_supported("a texture of a mipmapped array");
    if ((e = set_format(t, &r->res.pitch2D.desc)))
        return e;
    size_t row = r->res.pitch2D.width * t->components * t->bytes, height = r->res.pitch2D.height;
    if (!row || !height || row > r->res.pitch2D.pitchInBytes || row > UINT32_MAX || height > UINT32_MAX ||
        r->res.pitch2D.pitchInBytes % PITCH_ALIGN)
        return cudaErrorInvalidValue;
    if ((e = check_memory(r->res.pitch2D.devPtr, (height - 1) * r->res.pitch2D.pitchInBytes + row)))
        return e;
    t->address = (uint64_t)(uintptr_t)r->res.pitch2D.devPtr;
    t->size[0] = (uint32_t)r->res.pitch2D.width;
    t->size[1] = (uint32_t)height;
    t->pitch = r->res.pitch2D.pitchInBytes;
    return cudaSuccess;
}

static cudaError_t set_modes(struct texture *t, const struct cudaTextureDesc *d)
{
    static const uint8_t mode[] = {TEXTURE_WRAP, TEXTURE_CLAMP, TEXTURE_MIRROR, TEXTURE_BORDER};
    if ((unsigned)d->filterMode > cudaFilterModeLinear || (unsigned)d->readMode > cudaReadModeNormalizedFloat)
        return cudaErrorInvalidValue;
    if (d->sRGB)
        return runtime_not_supported("an sRGB texture");
    if (d->seamlessCubemap && t->cube)
        return runtime_not_supported("a seamless cube map");
    for (int i = 0; i < 3; i++) {
        if ((unsigned)d->addressMode[i] > cudaAddressModeBorder)
            return cudaErrorInvalidValue;
        t->mode[i] = mode[d->addressMode[i]];
        if (!d->normalizedCoords && (t->mode[i] == TEXTURE_WRAP || t->mode[i] == TEXTURE_MIRROR))
            t->mode[i] = TEXTURE_CLAMP; /* programming guide, 3.2.14.1: these two need normalized coordinates */
    }
    t->normalized = d->normalizedCoords || t->cube; /* a direction chooses a place from 0 to 1 */
    for (int i = 0; i < 3 && t->cube; i++)
        t->mode[i] = TEXTURE_CLAMP; /* "the addressing mode is ignored" */
    t->linear = d->filterMode == cudaFilterModeLinear;
    t->as_float = d->readMode == cudaReadModeNormalizedFloat;
    memcpy(t->border, d->borderColor, sizeof t->border);
    if (t->as_float && t->kind != TEXEL_FLOAT && t->bytes == 4)
        return cudaErrorInvalidNormSetting;
    return t->linear && t->kind != TEXEL_FLOAT && !t->as_float ? cudaErrorInvalidFilterSetting : cudaSuccess;
}

cudaError_t cudaCreateTextureObject(cudaTextureObject_t *object, const struct cudaResourceDesc *resource,
                                    const struct cudaTextureDesc *texture, const struct cudaResourceViewDesc *view)
{
    ENTER(d);
    struct texture t = {0};
    if (!object || !resource || !texture)
        return runtime_leave(cudaErrorInvalidValue);
    if (view)
        return runtime_leave(runtime_not_supported("a resource view of a texture"));
    cudaError_t e = set_resource(&t, d, resource);
    e = e ? e : set_modes(&t, texture);
    if (e)
        return runtime_leave(e);
    pthread_mutex_lock(&textures_lock);
    *object = texture_add(d->space, &t);
    if (*object)
        remember(&(struct object){*object, d, *resource, *texture, false});
    pthread_mutex_unlock(&textures_lock);
    return runtime_leave(*object ? cudaSuccess : cudaErrorMemoryAllocation);
}

static cudaError_t destroy(cudaTextureObject_t object, bool surface)
{
    ENTER(d);
    if (!object)
        return cudaSuccess;
    cudaError_t e = cudaDeviceSynchronize(); /* kernels may still use it */
    pthread_mutex_lock(&textures_lock);
    struct object *o = object_of(d, object);
    bool gone = o && o->surface == surface && texture_remove(d->space, object);
    if (gone)
        o->handle = 0;
    pthread_mutex_unlock(&textures_lock);
    return e ? e : runtime_leave(gone ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object)
{
    TRACED;
    return destroy(object, false);
}

/* --- surface objects --- */

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *object, const struct cudaResourceDesc *resource)
{
    ENTER(d);
    struct texture t = {.surface = true};
    if (!object || !resource || resource->resType != cudaResourceTypeArray)
        return runtime_leave(cudaErrorInvalidValue);
    cudaError_t e = set_resource(&t, d, resource);
    if (!e && !(resource->res.array.array->flags & cudaArraySurfaceLoadStore))
        e = cudaErrorInvalidValue;
    if (e)
        return runtime_leave(e);
    pthread_mutex_lock(&textures_lock);
    *object = texture_add(d->space, &t);
    if (*object)
        remember(&(struct object){.handle = *object, .device = d, .resource = *resource, .surface = true});
    pthread_mutex_unlock(&textures_lock);
    return runtime_leave(*object ? cudaSuccess : cudaErrorMemoryAllocation);
}

cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t object)
{
    TRACED;
    return destroy(object, true);
}

/* --- what objects were made from --- */

/* One of the two is NULL. */
static cudaError_t describe(cudaTextureObject_t handle, struct cudaResourceDesc *resource,
                            struct cudaTextureDesc *texture, bool surface)
{
    ENTER(d);
    if (!resource && !texture)
        return runtime_leave(cudaErrorInvalidValue);
    pthread_mutex_lock(&textures_lock);
    const struct object *o = handle ? object_of(d, handle) : NULL;
    if (o && o->surface != surface)
        o = NULL;
    if (o && resource)
        *resource = o->resource;
    if (o && texture)
        *texture = o->texture;
    pthread_mutex_unlock(&textures_lock);
    return runtime_leave(o ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaGetTextureObjectResourceDesc(struct cudaResourceDesc *desc, cudaTextureObject_t object)
{
    TRACED;
    return describe(object, desc, NULL, false);
}

cudaError_t cudaGetTextureObjectTextureDesc(struct cudaTextureDesc *desc, cudaTextureObject_t object)
{
    TRACED;
    return describe(object, NULL, desc, false);
}

cudaError_t cudaGetSurfaceObjectResourceDesc(struct cudaResourceDesc *desc, cudaSurfaceObject_t object)
{
    TRACED;
    return describe(object, desc, NULL, true);
}

/* No object has a view: "cudaErrorInvalidValue if no resource view description was specified for texObject". */
cudaError_t cudaGetTextureObjectResourceViewDesc(struct cudaResourceViewDesc *desc, cudaTextureObject_t object)
{
    (void)desc, (void)object;
    return runtime_leave(cudaErrorInvalidValue);
}
