/* Copies and fills (CUDA Runtime API reference, chapter "Memory Management").
 *
 * Every variant becomes one command over rows of bytes. Checks come first, in the caller's thread: the kind must be one
 * (cudaErrorInvalidMemcpyDirection), the pointers must fit it, and what lies on a device must lie within one allocation
 * (cudaErrorInvalidValue). What is asynchronous for the host: the ...Async calls unless pageable host memory takes part
 * (which the caller may reuse at once), copies within devices, and fills of device memory (API reference, "API
 * synchronization behavior"). */
#include "runtime/copy.h"

#include "runtime/array.h"
#include "runtime/pointer.h"
#include "runtime/queue.h"
#include "runtime/runtime.h"

#include "device/device.h"
#include "runtime/module.h"
#include "runtime/peer.h"

struct shape {
    size_t width, height, depth; /* bytes, rows, slices */
};

static const struct shape *rows(size_t count, struct shape *s)
{
    *s = (struct shape){count, 1, 1};
    return s;
}

/* One side of a copy: looks at its pointer. */
static bool side(struct place *p, struct pointer *at, const void *pointer, size_t pitch, size_t slice,
                 const struct shape *s)
{
    *at = pointer_look(pointer);
    bool on_device = at->kind == POINTER_DEVICE || (at->kind == POINTER_MANAGED && at->device);
    *p = (struct place){on_device, at->address, pitch, slice,
                        at->device};
    size_t span = s->width;
    if (__builtin_add_overflow(span, (s->height - 1) * pitch, &span) ||
        __builtin_add_overflow(span, (s->depth - 1) * slice, &span))
        return false;
    return pointer && at->kind != POINTER_NOTHING && pointer_spans(at, span);
}

/* Where the memory is decides; a kind is wrong only when it says of pageable memory that it is the device's. So an H200
 * does it (driver 580.159.04, CUDA 13.0, 2026-11-21: tests/truth/errors). */
static cudaError_t check_kind(const struct pointer *to, const struct pointer *from, enum cudaMemcpyKind kind)
{
    bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
    bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
    bool wrong = (to_device && !pointer_for_device(to)) || (from_device && !pointer_for_device(from));
    return wrong ? cudaErrorInvalidValue : cudaSuccess;
}

/* Rows without gaps are one long row. */
static void join(struct command *c)
{
    size_t width = c->copy.width, height = c->copy.height;
    if (height > 1 && c->copy.to.pitch == width && c->copy.from.pitch == width) {
        c->copy.width = width * height;
        c->copy.height = 1;
    }
}

static cudaError_t finish(struct stream *s, struct command *c, bool wait)
{
    if (!wait) {
        queue_put_async(s, c);
        return cudaSuccess;
    }
    queue_wait(queue_put(s, c));
    return queue_verdict(s->device);
}

struct copy {
    void *to;
    size_t to_pitch, to_slice;
    const void *from;
    size_t from_pitch, from_slice;
};

static cudaError_t copy(const struct copy *w, const struct shape *shape, enum cudaMemcpyKind kind, cudaStream_t stream,
                        bool async)
{
    struct stream *s = stream_of(stream);
    struct pointer to, from;
    struct place to_place, from_place;
    if (!s)
        return cudaErrorInvalidResourceHandle;
    if ((unsigned)kind > cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    if (!shape->width || !shape->height || !shape->depth)
        return cudaSuccess;
    bool to_fits = side(&to_place, &to, w->to, w->to_pitch, w->to_slice, shape);
    bool from_fits = side(&from_place, &from, w->from, w->from_pitch, w->from_slice, shape);
    cudaError_t e = to_fits && from_fits ? check_kind(&to, &from, kind) : cudaErrorInvalidValue;
    if (e) {
        size_t bytes = shape->width * shape->height * shape->depth;
        if (!to_fits || from_fits)
            pointer_why(&to, "the destination", bytes);
        if (!from_fits || to_fits)
            pointer_why(&from, "the source", bytes);
        return e;
    }
    struct command *c = command_new(COMMAND_COPY);
    c->copy.to = to_place;
    c->copy.from = from_place;
    c->copy.width = shape->width;
    c->copy.height = shape->height;
    c->copy.depth = shape->depth;
    join(c);
    bool pageable = to.kind == POINTER_HOST || from.kind == POINTER_HOST;
    bool inside = to.kind == POINTER_DEVICE && from.kind == POINTER_DEVICE;
    peer_copy_begins(s, &to, &from);
    cudaError_t done = finish(s, c, async ? pageable : !inside);
    peer_copy_queued(s, &to, &from);
    return done;
}

static cudaError_t copy_1d(void *dst, const void *src, size_t count, enum cudaMemcpyKind kind, cudaStream_t stream,
                           bool async)
{
    struct shape s;
    struct copy w = {dst, count, count, src, count, count};
    return copy(&w, rows(count, &s), kind, stream, async);
}

cudaError_t cudaMemcpy(void *dst, const void *src, size_t count, enum cudaMemcpyKind kind)
{
    ENTER(d);
    return runtime_leave(copy_1d(dst, src, count, kind, NULL, false));
}

cudaError_t cudaMemcpyAsync(void *dst, const void *src, size_t count, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    ENTER(d);
    return runtime_leave(copy_1d(dst, src, count, kind, stream, true));
}

/* --- between devices --- */

static cudaError_t copy_peer(void *dst, int to, const void *src, int from, size_t count, cudaStream_t stream,
                             bool async)
{
    cudaError_t e;
    struct pointer a, b;
    if (!runtime_device(to, &e) || !runtime_device(from, &e))
        return e;
    a = pointer_look(dst);
    b = pointer_look(src);
    if (count && (!a.device || a.device->index != to || !b.device || b.device->index != from))
        return cudaErrorInvalidValue;
    return copy_1d(dst, src, count, cudaMemcpyDefault, stream, async);
}

cudaError_t cudaMemcpyPeer(void *dst, int dstDevice, const void *src, int srcDevice, size_t count)
{
    ENTER(d);
    return runtime_leave(copy_peer(dst, dstDevice, src, srcDevice, count, NULL, false));
}

cudaError_t cudaMemcpyPeerAsync(void *dst, int dstDevice, const void *src, int srcDevice, size_t count,
                                cudaStream_t stream)
{
    ENTER(d);
    return runtime_leave(copy_peer(dst, dstDevice, src, srcDevice, count, stream, true));
}

/* --- rows and slices --- */

static cudaError_t copy_2d(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height,
                           enum cudaMemcpyKind kind, cudaStream_t stream, bool async)
{
    struct shape s = {width, height, 1};
    struct copy w = {dst, dpitch, 0, src, spitch, 0};
    if (width > dpitch || width > spitch)
        return cudaErrorInvalidPitchValue;
    return copy(&w, &s, kind, stream, async);
}

cudaError_t cudaMemcpy2D(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height,
                         enum cudaMemcpyKind kind)
{
    ENTER(d);
    return runtime_leave(copy_2d(dst, dpitch, src, spitch, width, height, kind, NULL, false));
}

cudaError_t cudaMemcpy2DAsync(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height,
                              enum cudaMemcpyKind kind, cudaStream_t stream)
{
    ENTER(d);
    return runtime_leave(copy_2d(dst, dpitch, src, spitch, width, height, kind, stream, true));
}

/* The byte where a box begins: its position's x is in bytes, y in rows, z in slices of ysize rows. */
static char *corner(const struct cudaPitchedPtr *p, const struct cudaPos *at)
{
    return (char *)p->ptr + at->z * p->pitch * p->ysize + at->y * p->pitch + at->x;
}

static cudaError_t copy_3d(const struct cudaMemcpy3DParms *p, cudaStream_t stream, bool async)
{
    if (!p)
        return cudaErrorInvalidValue;
    /* with an array on a side, widths and that side's x are in texels */
    struct cudaPitchedPtr to = p->dstPtr, from = p->srcPtr;
    struct cudaPos to_at = p->dstPos, from_at = p->srcPos;
    size_t texel = 1;
    if ((p->dstArray && !array_rows(p->dstArray, &to, &texel)) || (p->srcArray && !array_rows(p->srcArray, &from, &texel)))
        return cudaErrorInvalidResourceHandle;
    to_at.x *= p->dstArray ? texel : 1;
    from_at.x *= p->srcArray ? texel : 1;
    if (!from.ptr || !to.ptr || (p->dstArray && !array_holds(p->dstArray, p->dstPos, p->extent)) ||
        (p->srcArray && !array_holds(p->srcArray, p->srcPos, p->extent)))
        return cudaErrorInvalidValue;
    struct shape s = {p->extent.width * texel, p->extent.height, p->extent.depth};
    if (s.width > from.pitch || s.width > to.pitch)
        return cudaErrorInvalidPitchValue;
    struct copy w = {corner(&to, &to_at), to.pitch, to.pitch * to.ysize,
                     corner(&from, &from_at), from.pitch, from.pitch * from.ysize};
    return copy(&w, &s, p->kind, stream, async);
}

cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *p)
{
    ENTER(d);
    return runtime_leave(copy_3d(p, NULL, false));
}

cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *p, cudaStream_t stream)
{
    ENTER(d);
    return runtime_leave(copy_3d(p, stream, true));
}

/* Between devices: arrays and pointers tell themselves where they are, and must be where it is said. */
static cudaError_t copy_3d_peer(const struct cudaMemcpy3DPeerParms *p, cudaStream_t stream, bool async)
{
    cudaError_t e;
    struct cudaPitchedPtr to, from;
    size_t texel;
    if (!p)
        return cudaErrorInvalidValue;
    struct cudaMemcpy3DParms q = {p->srcArray, p->srcPos, p->srcPtr, p->dstArray, p->dstPos, p->dstPtr, p->extent,
                                  cudaMemcpyDefault};
    if (!runtime_device(p->dstDevice, &e) || !runtime_device(p->srcDevice, &e))
        return e;
    to = p->dstPtr;
    from = p->srcPtr;
    if ((p->dstArray && !array_rows(p->dstArray, &to, &texel)) || (p->srcArray && !array_rows(p->srcArray, &from, &texel)))
        return cudaErrorInvalidResourceHandle;
    struct pointer a = pointer_look(to.ptr), b = pointer_look(from.ptr);
    if (!a.device || a.device->index != p->dstDevice || !b.device || b.device->index != p->srcDevice)
        return cudaErrorInvalidValue;
    return copy_3d(&q, stream, async);
}

cudaError_t cudaMemcpy3DPeer(const struct cudaMemcpy3DPeerParms *p)
{
    ENTER(d);
    return runtime_leave(copy_3d_peer(p, NULL, false));
}

cudaError_t cudaMemcpy3DPeerAsync(const struct cudaMemcpy3DPeerParms *p, cudaStream_t stream)
{
    ENTER(d);
    return runtime_leave(copy_3d_peer(p, stream, true));
}

/* --- fills --- */

static cudaError_t fill_units(void *ptr, size_t pitch, size_t slice, uint32_t value, unsigned unit,
                              const struct shape *shape, cudaStream_t stream)
{
    struct stream *s = stream_of(stream);
    struct pointer at;
    struct place place;
    if (!s)
        return cudaErrorInvalidResourceHandle;
    if (!shape->width || !shape->height || !shape->depth)
        return cudaSuccess;
    if ((shape->height > 1 || shape->depth > 1) && shape->width > pitch)
        return cudaErrorInvalidPitchValue;
    if (!side(&place, &at, ptr, pitch, slice, shape) || !pointer_for_device(&at)) {
        pointer_why(&at, "the pointer", shape->width * shape->height * shape->depth);
        return cudaErrorInvalidValue;
    }
    struct command *c = command_new(COMMAND_FILL);
    c->fill.to = place;
    c->fill.width = shape->width;
    c->fill.height = shape->height;
    c->fill.depth = shape->depth;
    c->fill.value = value;
    c->fill.unit = unit;
    return finish(s, c, at.kind != POINTER_DEVICE);
}

static cudaError_t fill(void *ptr, size_t pitch, size_t slice, int value, const struct shape *shape,
                        cudaStream_t stream)
{
    return fill_units(ptr, pitch, slice, (uint8_t)value, 1, shape, stream);
}

cudaError_t copy_fill(void *ptr, size_t pitch, uint32_t value, unsigned unit, size_t width, size_t height,
                      cudaStream_t stream)
{
    struct shape s = {width * unit, height, 1};
    if ((uintptr_t)ptr % unit || (height > 1 && pitch % unit) || width > SIZE_MAX / unit)
        return cudaErrorInvalidValue;
    return fill_units(ptr, pitch, 0, value, unit, &s, stream);
}

cudaError_t cudaMemset(void *devPtr, int value, size_t count)
{
    ENTER(d);
    struct shape s;
    return runtime_leave(fill(devPtr, count, count, value, rows(count, &s), NULL));
}

cudaError_t cudaMemsetAsync(void *devPtr, int value, size_t count, cudaStream_t stream)
{
    ENTER(d);
    struct shape s;
    return runtime_leave(fill(devPtr, count, count, value, rows(count, &s), stream));
}

cudaError_t cudaMemset2D(void *devPtr, size_t pitch, int value, size_t width, size_t height)
{
    ENTER(d);
    struct shape s = {width, height, 1};
    return runtime_leave(fill(devPtr, pitch, 0, value, &s, NULL));
}

cudaError_t cudaMemset2DAsync(void *devPtr, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream)
{
    ENTER(d);
    struct shape s = {width, height, 1};
    return runtime_leave(fill(devPtr, pitch, 0, value, &s, stream));
}

cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr pitchedDevPtr, int value, struct cudaExtent extent,
                              cudaStream_t stream)
{
    ENTER(d);
    struct shape s = {extent.width, extent.height, extent.depth};
    return runtime_leave(
        fill(pitchedDevPtr.ptr, pitchedDevPtr.pitch, pitchedDevPtr.pitch * pitchedDevPtr.ysize, value, &s, stream));
}

cudaError_t cudaMemset3D(struct cudaPitchedPtr pitchedDevPtr, int value, struct cudaExtent extent)
{
    return cudaMemset3DAsync(pitchedDevPtr, value, extent, NULL);
}

/* --- symbols --- */

/* The part [offset, offset + count) of a variable. */
static cudaError_t symbol_part(struct runtime_device *d, const void *symbol, size_t count, size_t offset, void **at)
{
    uint64_t address;
    size_t bytes;
    cudaError_t e = module_variable(d, symbol, &address, &bytes);
    if (e)
        return e;
    if (offset > bytes || count > bytes - offset)
        return cudaErrorInvalidValue;
    *at = (void *)(uintptr_t)(address + offset);
    return cudaSuccess;
}

static cudaError_t to_symbol(const void *symbol, const void *src, size_t count, size_t offset,
                             enum cudaMemcpyKind kind, cudaStream_t stream, bool async)
{
    ENTER(d);
    void *at;
    cudaError_t e = symbol_part(d, symbol, count, offset, &at);
    if (!e && (kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyHostToHost))
        e = cudaErrorInvalidMemcpyDirection;
    return runtime_leave(e ? e : copy_1d(at, src, count, kind, stream, async));
}

static cudaError_t from_symbol(void *dst, const void *symbol, size_t count, size_t offset, enum cudaMemcpyKind kind,
                               cudaStream_t stream, bool async)
{
    ENTER(d);
    void *at;
    cudaError_t e = symbol_part(d, symbol, count, offset, &at);
    if (!e && (kind == cudaMemcpyHostToDevice || kind == cudaMemcpyHostToHost))
        e = cudaErrorInvalidMemcpyDirection;
    return runtime_leave(e ? e : copy_1d(dst, at, count, kind, stream, async));
}

cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *src, size_t count, size_t offset,
                               enum cudaMemcpyKind kind)
{
    TRACED;
    return to_symbol(symbol, src, count, offset, kind, NULL, false);
}

cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *src, size_t count, size_t offset,
                                    enum cudaMemcpyKind kind, cudaStream_t stream)
{
    TRACED;
    return to_symbol(symbol, src, count, offset, kind, stream, true);
}

cudaError_t cudaMemcpyFromSymbol(void *dst, const void *symbol, size_t count, size_t offset, enum cudaMemcpyKind kind)
{
    TRACED;
    return from_symbol(dst, symbol, count, offset, kind, NULL, false);
}

cudaError_t cudaMemcpyFromSymbolAsync(void *dst, const void *symbol, size_t count, size_t offset,
                                      enum cudaMemcpyKind kind, cudaStream_t stream)
{
    TRACED;
    return from_symbol(dst, symbol, count, offset, kind, stream, true);
}

cudaError_t cudaGetSymbolAddress(void **devPtr, const void *symbol)
{
    ENTER(d);
    if (!devPtr)
        return runtime_leave(cudaErrorInvalidValue);
    return runtime_leave(symbol_part(d, symbol, 0, 0, devPtr));
}

cudaError_t cudaGetSymbolSize(size_t *size, const void *symbol)
{
    ENTER(d);
    uint64_t address;
    if (!size)
        return runtime_leave(cudaErrorInvalidValue);
    return runtime_leave(module_variable(d, symbol, &address, size));
}
