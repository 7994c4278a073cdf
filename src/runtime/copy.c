/* Copies and fills (CUDA Runtime API reference, chapter "Memory Management").
 *
 * Every variant becomes one command over rows of bytes. Checks come first, in the caller's thread: the kind must be one
 * (cudaErrorInvalidMemcpyDirection), the pointers must fit it, and what lies on a device must lie within one allocation
 * (cudaErrorInvalidValue). What is asynchronous for the host: the ...Async calls unless pageable host memory takes part
 * (which the caller may reuse at once), copies within devices, and fills of device memory (API reference, "API
 * synchronization behavior"). */
#include "runtime/copy.h"

#include "runtime/array.h"
#include "runtime/capture.h"
#include "runtime/command.h"
#include "runtime/device_time.h"
#include "runtime/pointer.h"
#include "runtime/queue.h"
#include "runtime/runtime.h"

#include "device/device.h"
#include "runtime/module.h"
#include "runtime/peer.h"

struct shape {
    size_t width, height, depth; /* bytes, rows, slices */
};

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

/* from_pageable: it is a copy from there to the device. */
static cudaError_t finish(struct stream *s, struct command *c, bool wait, bool from_pageable)
{
    if (!wait) {
        queue_put_async(s, c);
        return cudaSuccess;
    }
    uint64_t staged = from_pageable ? c->copy.width * c->copy.height * c->copy.depth : 0; /* before c is done */
    if (from_pageable && device_time_stages(s->device->index, staged))
        queue_wait_staged(queue_put(s, c), staged);
    else
        queue_wait(queue_put(s, c));
    return queue_verdict(s->device);
}

/* A copy as it was looked at: its two sides, and how much. */
struct looked {
    struct place to_place, from_place;
    struct pointer to, from;
    struct shape shape;
};

/* The byte where a box begins: its position's x is in bytes, y in rows, z in slices of ysize rows. */
static char *corner(const struct cudaPitchedPtr *p, const struct cudaPos *at)
{
    return (char *)p->ptr + at->z * p->pitch * p->ysize + at->y * p->pitch + at->x;
}

static cudaError_t look_sides(struct looked *l, const void *to, const struct cudaPitchedPtr *to_rows, const void *from,
                              const struct cudaPitchedPtr *from_rows, enum cudaMemcpyKind kind)
{
    const struct shape *shape = &l->shape;
    bool to_fits = side(&l->to_place, &l->to, to, to_rows->pitch, to_rows->pitch * to_rows->ysize, shape);
    bool from_fits = side(&l->from_place, &l->from, from, from_rows->pitch, from_rows->pitch * from_rows->ysize, shape);
    cudaError_t e = to_fits && from_fits ? check_kind(&l->to, &l->from, kind) : cudaErrorInvalidValue;
    if (e) {
        size_t bytes = shape->width * shape->height * shape->depth;
        if (!to_fits || from_fits)
            pointer_why(&l->to, "the destination", bytes);
        if (!from_fits || to_fits)
            pointer_why(&l->from, "the source", bytes);
    }
    return e;
}

/* Every copy is one of boxes. A shape without bytes: nothing is to be done, whatever the pointers are. */
static cudaError_t look(struct looked *l, const struct cudaMemcpy3DParms *p)
{
    /* with an array on a side, widths and that side's x are in texels */
    struct cudaPitchedPtr to = p->dstPtr, from = p->srcPtr;
    struct cudaPos to_at = p->dstPos, from_at = p->srcPos;
    size_t texel = 1;
    if ((unsigned)p->kind > cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    if ((p->dstArray && !array_rows(p->dstArray, &to, &texel)) || (p->srcArray && !array_rows(p->srcArray, &from, &texel)))
        return cudaErrorInvalidResourceHandle;
    to_at.x *= p->dstArray ? texel : 1;
    from_at.x *= p->srcArray ? texel : 1;
    if ((p->dstArray && !array_holds(p->dstArray, p->dstPos, p->extent)) ||
        (p->srcArray && !array_holds(p->srcArray, p->srcPos, p->extent)))
        return cudaErrorInvalidValue;
    l->shape = (struct shape){p->extent.width * texel, p->extent.height, p->extent.depth};
    if (!l->shape.width || !l->shape.height || !l->shape.depth) {
        l->shape = (struct shape){0, 0, 0};
        return cudaSuccess;
    }
    if (!from.ptr || !to.ptr)
        return cudaErrorInvalidValue;
    bool rows = l->shape.height > 1 || l->shape.depth > 1;
    if ((l->shape.width > from.pitch && (rows || from.pitch)) || (l->shape.width > to.pitch && (rows || to.pitch)))
        return cudaErrorInvalidPitchValue;
    return look_sides(l, corner(&to, &to_at), &to, corner(&from, &from_at), &from, p->kind);
}

static struct command *make_copy(const struct looked *l)
{
    struct command *c = command_new(COMMAND_COPY);
    c->copy.to = l->to_place;
    c->copy.from = l->from_place;
    c->copy.width = l->shape.width;
    c->copy.height = l->shape.height;
    c->copy.depth = l->shape.depth;
    join(c);
    return c;
}

cudaError_t copy_command(const struct cudaMemcpy3DParms *p, struct command **out)
{
    struct looked l;
    cudaError_t e = look(&l, p);
    *out = e || !l.shape.width ? NULL : make_copy(&l);
    return e;
}

static cudaError_t copy(const struct cudaMemcpy3DParms *p, cudaStream_t stream, bool async)
{
    struct stream *s = stream_of(stream);
    struct looked l;
    bool captures;
    if (!s)
        return cudaErrorInvalidResourceHandle;
    cudaError_t e = capture_admit(s, &captures);
    e = e ? e : look(&l, p);
    if (e || !l.shape.width)
        return e;
    if (captures)
        return capture_add(s, &(struct node_work){.type = cudaGraphNodeTypeMemcpy, .device = s->device, .copy = node_copy(p)});
    bool pageable = l.to.kind == POINTER_HOST || l.from.kind == POINTER_HOST;
    bool inside = l.to.kind == POINTER_DEVICE && l.from.kind == POINTER_DEVICE;
    struct command *c = make_copy(&l);
    peer_copy_begins(s, &l.to, &l.from);
    e = finish(s, c, async ? pageable : !inside, l.from.kind == POINTER_HOST && l.to.kind == POINTER_DEVICE);
    peer_copy_queued(s, &l.to, &l.from);
    return e;
}

struct cudaMemcpy3DParms copy_of_bytes(void *dst, const void *src, size_t count, enum cudaMemcpyKind kind)
{
    return (struct cudaMemcpy3DParms){.dstPtr = {dst, count, count, 1}, .srcPtr = {(void *)(uintptr_t)src, count, count, 1},
                                      .extent = {count, 1, 1}, .kind = kind};
}

static cudaError_t copy_1d(void *dst, const void *src, size_t count, enum cudaMemcpyKind kind, cudaStream_t stream,
                           bool async)
{
    struct cudaMemcpy3DParms p = copy_of_bytes(dst, src, count, kind);
    return copy(&p, stream, async);
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

/* --- batches --- */

/* The attributes' copies: the first entry is for copy 0 and those behind it, each further one for copies further on. */
static bool attributes_fit(const struct cudaMemcpyAttributes *attrs, const size_t *first, size_t n, size_t count)
{
    if (!attrs || !first || !n || n > count || first[0])
        return false;
    for (size_t i = 0; i < n; i++)
        if (attrs[i].srcAccessOrder < cudaMemcpySrcAccessOrderStream || attrs[i].srcAccessOrder > cudaMemcpySrcAccessOrderAny ||
            attrs[i].flags & ~(unsigned)cudaMemcpyFlagPreferOverlapWithCompute || (i && first[i] <= first[i - 1]) || first[i] >= count)
            return false;
    return true;
}

/* Copies one after the other, in the stream's order: the interface promises none among them, and lets sources be read earlier. Where one
 * may only be read during the call, the call waits for it. */
cudaError_t cudaMemcpyBatchAsync(void **dsts, void **srcs, size_t *sizes, size_t count, struct cudaMemcpyAttributes *attrs,
                                 size_t *attrsIdxs, size_t numAttrs, size_t *failIdx, cudaStream_t hStream)
{
    ENTER(d);
    bool wait = false;
    cudaError_t e = cudaSuccess;
    if (failIdx)
        *failIdx = SIZE_MAX; /* of no single copy */
    if (!dsts || !srcs || !sizes || !attributes_fit(attrs, attrsIdxs, numAttrs, count) || !hStream || hStream == cudaStreamLegacy)
        return runtime_leave(cudaErrorInvalidValue);
    for (size_t i = 0; !e && i < count; i++) {
        e = copy_1d(dsts[i], srcs[i], sizes[i], cudaMemcpyDefault, hStream, true);
        if (e && failIdx)
            *failIdx = i;
    }
    for (size_t i = 0; i < numAttrs; i++)
        wait |= attrs[i].srcAccessOrder == cudaMemcpySrcAccessOrderDuringApiCall;
    return wait && !e ? cudaStreamSynchronize(hStream) : runtime_leave(e);
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
    struct cudaMemcpy3DParms p = {.dstPtr = {dst, dpitch, width, height}, .srcPtr = {(void *)(uintptr_t)src, spitch, width, height},
                                  .extent = {width, height, 1}, .kind = kind};
    if (width > dpitch || width > spitch)
        return cudaErrorInvalidPitchValue;
    return copy(&p, stream, async);
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

static cudaError_t copy_3d(const struct cudaMemcpy3DParms *p, cudaStream_t stream, bool async)
{
    bool both = p && (p->srcArray || p->srcPtr.ptr) && (p->dstArray || p->dstPtr.ptr);
    return both ? copy(p, stream, async) : cudaErrorInvalidValue;
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

/* Rows of elements of 1, 2 or 4 bytes in slices. */
struct fill {
    struct cudaMemsetParams rows;
    size_t slice, depth;
};

static bool fits_elements(const struct cudaMemsetParams *p)
{
    unsigned e = p->elementSize;
    return (e == 1 || e == 2 || e == 4) && p->width <= SIZE_MAX / e && !((uintptr_t)p->dst % e) && !(p->height > 1 && p->pitch % e);
}

/* *at: the memory's pointer; *out: NULL when there is nothing to fill. */
static cudaError_t look_fill(const struct fill *f, struct pointer *at, struct command **out)
{
    const struct cudaMemsetParams *p = &f->rows;
    struct place place;
    *out = NULL;
    if (!fits_elements(p))
        return cudaErrorInvalidValue;
    struct shape shape = {p->width * p->elementSize, p->height, f->depth};
    if (!shape.width || !shape.height || !shape.depth)
        return cudaSuccess;
    if ((shape.height > 1 || shape.depth > 1) && shape.width > p->pitch)
        return cudaErrorInvalidPitchValue;
    if (!side(&place, at, p->dst, p->pitch, f->slice, &shape) || !pointer_for_device(at)) {
        pointer_why(at, "the pointer", shape.width * shape.height * shape.depth);
        return cudaErrorInvalidValue;
    }
    struct command *c = *out = command_new(COMMAND_FILL);
    c->fill.to = place;
    c->fill.width = p->width;
    c->fill.height = p->height;
    c->fill.depth = f->depth;
    c->fill.value = p->value;
    c->fill.element = p->elementSize;
    return cudaSuccess;
}

cudaError_t fill_command(const struct cudaMemsetParams *p, struct command **out)
{
    struct pointer at;
    return look_fill(&(struct fill){*p, 0, 1}, &at, out);
}

/* A node of a graph fills rows: one for each slice. */
static cudaError_t capture_fill(struct stream *s, const struct fill *f)
{
    struct node_work w = {.type = cudaGraphNodeTypeMemset, .device = s->device, .fill = node_fill(&f->rows)};
    cudaError_t e = cudaSuccess;
    for (size_t z = 0; z < f->depth && !e; z++) {
        w.fill.dst = (char *)f->rows.dst + z * f->slice;
        e = capture_add(s, &w);
    }
    return e;
}

static cudaError_t fill(const struct fill *f, cudaStream_t stream)
{
    struct stream *s = stream_of(stream);
    struct pointer at;
    struct command *c;
    bool captures;
    if (!s)
        return cudaErrorInvalidResourceHandle;
    cudaError_t e = capture_admit(s, &captures);
    e = e ? e : look_fill(f, &at, &c);
    if (e || !c)
        return e;
    if (!captures)
        return finish(s, c, at.kind != POINTER_DEVICE, false);
    command_release(c);
    return capture_fill(s, f);
}

static cudaError_t fill_rows(void *ptr, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream)
{
    return fill(&(struct fill){{ptr, pitch, (uint8_t)value, 1, width, height}, 0, 1}, stream);
}

cudaError_t copy_fill(void *ptr, size_t pitch, uint32_t value, unsigned unit, size_t width, size_t height, cudaStream_t stream)
{
    return fill(&(struct fill){{ptr, pitch, value, unit, width, height}, 0, 1}, stream);
}

static cudaError_t fill_3d(const struct cudaPitchedPtr *p, int value, struct cudaExtent extent, cudaStream_t stream)
{
    struct fill f = {{p->ptr, p->pitch, (uint8_t)value, 1, extent.width, extent.height}, p->pitch * p->ysize, extent.depth};
    return fill(&f, stream);
}

cudaError_t cudaMemset(void *devPtr, int value, size_t count)
{
    ENTER(d);
    return runtime_leave(fill_rows(devPtr, count, value, count, 1, NULL));
}

cudaError_t cudaMemsetAsync(void *devPtr, int value, size_t count, cudaStream_t stream)
{
    ENTER(d);
    return runtime_leave(fill_rows(devPtr, count, value, count, 1, stream));
}

cudaError_t cudaMemset2D(void *devPtr, size_t pitch, int value, size_t width, size_t height)
{
    ENTER(d);
    return runtime_leave(fill_rows(devPtr, pitch, value, width, height, NULL));
}

cudaError_t cudaMemset2DAsync(void *devPtr, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream)
{
    ENTER(d);
    return runtime_leave(fill_rows(devPtr, pitch, value, width, height, stream));
}

cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr pitchedDevPtr, int value, struct cudaExtent extent,
                              cudaStream_t stream)
{
    ENTER(d);
    return runtime_leave(fill_3d(&pitchedDevPtr, value, extent, stream));
}

cudaError_t cudaMemset3D(struct cudaPitchedPtr pitchedDevPtr, int value, struct cudaExtent extent)
{
    ENTER(d);
    return runtime_leave(fill_3d(&pitchedDevPtr, value, extent, NULL));
}

/* --- symbols --- */

/* The part [offset, offset + count) of a variable. */
cudaError_t copy_symbol_part(struct runtime_device *d, const void *symbol, size_t count, size_t offset, void **at)
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
    cudaError_t e = copy_symbol_part(d, symbol, count, offset, &at);
    if (!e && (kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyHostToHost))
        e = cudaErrorInvalidMemcpyDirection;
    return runtime_leave(e ? e : copy_1d(at, src, count, kind, stream, async));
}

static cudaError_t from_symbol(void *dst, const void *symbol, size_t count, size_t offset, enum cudaMemcpyKind kind,
                               cudaStream_t stream, bool async)
{
    ENTER(d);
    void *at;
    cudaError_t e = copy_symbol_part(d, symbol, count, offset, &at);
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
    return runtime_leave(copy_symbol_part(d, symbol, 0, 0, devPtr));
}

cudaError_t cudaGetSymbolSize(size_t *size, const void *symbol)
{
    ENTER(d);
    uint64_t address;
    if (!size)
        return runtime_leave(cudaErrorInvalidValue);
    return runtime_leave(module_variable(d, symbol, &address, size));
}
