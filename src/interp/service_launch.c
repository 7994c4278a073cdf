/* The device's runtime, as kernels call it: launches, copies, streams, events, errors and questions (CUDA C++ programming guide 12,
 * 9.3 "Programming Interface" of dynamic parallelism). What is asked for is noted (simt/children.h); the engine does it when
 * the grid has ended.
 *
 * Error codes and what a thread's last error is: as on an H200 (tests/truth/launches), where every call but the questions sets it.
 * A call of several lanes serves them in ascending order. */
#include "interp/service.h"

#include <string.h>

#include "base/alloc.h"
#include "base/strbuf.h"
#include "simt/children.h"
#include "space/heap.h"

#include "heddle.h"

#define LANE_LOOP(m) for (uint32_t left_ = (m), i; left_ && (i = (uint32_t)__builtin_ctz(left_), 1); left_ &= left_ - 1)

enum { /* of cudaError_t */
    SUCCESS = 0, INVALID_VALUE = 1, MEMORY_ALLOCATION = 2, INVALID_DIRECTION = 21
};
enum { STREAM_TAIL = 3, STREAM_FORGET = 4 }; /* cudaStreamTailLaunch, cudaStreamFireAndForget */
enum { NON_BLOCKING = 1, DISABLE_TIMING = 2 }; /* cudaStreamNonBlocking, cudaEventDisableTiming */
enum { RUNTIME_VERSION = 12040 };

/* One lane's call. */
struct call {
    const struct interp_code *c;
    struct warp *w;
    const struct step *st;
    int lane;
};

static struct children *children_of(const struct call *a)
{
    return a->w->block->launch->children;
}

static uint64_t argument(const struct call *a, int i)
{
    return step_value(a->c, a->w, a->st, i, a->lane);
}

static uint32_t thread_of(const struct call *a)
{
    return (uint32_t)(a->w->index * WARP_LANES + a->lane);
}

/* Where the program wants an answer of `n` bytes; NULL: it may not have it there. */
static void *answer(const struct call *a, int i, unsigned n)
{
    return (void *)(uintptr_t)service_bytes(a->w, a->lane, argument(a, i), n);
}

/* A lane's answer, a cudaError_t, which becomes the thread's last error. */
static void answer_error(const struct call *a, int error)
{
    int e = children_fail(children_of(a), a->w->block->index, thread_of(a), error);
    if (a->st->in->ndst && a->st->d[0] != PLACE_NONE)
        step_write(a->c, a->w, a->st, 0, a->lane, (uint64_t)(uint32_t)e);
}

/* Calls `one` for each lane. */
static bool each(const struct interp_code *c, struct warp *w, const struct step *st, uint32_t m, int (*one)(const struct call *a))
{
    LANE_LOOP(m)
    {
        struct call a = {c, w, st, (int)i};
        answer_error(&a, one(&a));
    }
    return true;
}

#define SERVICE_OF(name, one)                                                                      \
    bool name(const struct interp_code *c, struct warp *w, const struct step *st, uint32_t m)      \
    {                                                                                              \
        return each(c, w, st, m, one);                                                             \
    }

/* --- launches --- */

/* plugin_launches.cpp's. */
struct launch_record {
    uint32_t grid[3], block[3];
    uint64_t shared, stream, unused;
};

static int add_launch(const struct call *a, uint64_t function, const struct launch_record *r, const char *parameters, uint32_t bytes)
{
    struct children *k = children_of(a);
    struct child child = {.kind = CHILD_LAUNCH, .tail = r->stream == STREAM_TAIL, .block = a->w->block->index};
    child.launch.function = function;
    memcpy(child.launch.grid, r->grid, sizeof r->grid);
    memcpy(child.launch.block, r->block, sizeof r->block);
    child.launch.shared = r->shared;
    child.launch.bytes = bytes;
    int e = k->questions->launch(k->user, &child);
    if (e)
        return e;
    child.launch.parameters = alloc_zeroed(bytes + 16);
    memcpy(child.launch.parameters, parameters, bytes);
    return children_add(k, &child);
}

static int launch(const struct call *a)
{
    struct launch_record r;
    uint32_t bytes = (uint32_t)argument(a, 2);
    const char *from = service_bytes(a->w, a->lane, argument(a, 1), (unsigned)sizeof r + bytes);
    if (!from)
        return INVALID_VALUE;
    memcpy(&r, from, sizeof r);
    return add_launch(a, argument(a, 0), &r, from + sizeof r, bytes);
}
SERVICE_OF(service_launch_kernel, launch)

/* In front of a parameter buffer, on the device's heap: what is to be launched. */
struct buffer_head {
    uint32_t magic, bytes; /* BUFFER; of parameters */
    uint64_t function;
    struct launch_record record;
};
_Static_assert(sizeof(struct buffer_head) == 64, "parameters are aligned to 64 bytes");

enum { BUFFER = 0x70627566 };

/* cudaGetParameterBufferV2(function, grid, block, shared); 0: no kernel, or no memory. */
static uint64_t make_buffer(const struct call *a)
{
    struct children *k = children_of(a);
    struct buffer_head h = {.magic = BUFFER, .function = argument(a, 0), .record = {.shared = (uint32_t)argument(a, 7)}};
    if (k->questions->parameters(k->user, h.function, &h.bytes))
        return 0;
    for (int i = 0; i < 3; i++) {
        h.record.grid[i] = (uint32_t)argument(a, 1 + i);
        h.record.block[i] = (uint32_t)argument(a, 4 + i);
    }
    uint64_t p = heap_alloc(a->w->block->launch->heap, sizeof h + h.bytes);
    char *to = p ? (char *)(uintptr_t)service_bytes(a->w, a->lane, p, (unsigned)sizeof h) : NULL;
    if (!to)
        return 0;
    memcpy(to, &h, sizeof h);
    return p + sizeof h;
}

bool service_parameter_buffer(const struct interp_code *c, struct warp *w, const struct step *st, uint32_t m)
{
    LANE_LOOP(m)
    {
        struct call a = {c, w, st, (int)i};
        uint64_t p = make_buffer(&a);
        if (st->in->ndst && st->d[0] != PLACE_NONE)
            step_write(c, w, st, 0, a.lane, p);
    }
    return true;
}

/* cudaLaunchDeviceV2(buffer, stream), which ends the buffer. */
static int launch_buffer(const struct call *a)
{
    struct buffer_head h;
    uint64_t at = argument(a, 0) - sizeof h;
    const char *from = argument(a, 0) ? service_bytes(a->w, a->lane, at, (unsigned)sizeof h) : NULL;
    if (!from)
        return INVALID_VALUE;
    memcpy(&h, from, sizeof h);
    from = h.magic == BUFFER ? service_bytes(a->w, a->lane, at, (unsigned)sizeof h + h.bytes) : NULL;
    if (!from)
        return INVALID_VALUE;
    h.record.stream = argument(a, 1);
    int e = add_launch(a, h.function, &h.record, from + sizeof h, h.bytes);
    heap_free(a->w->block->launch->heap, at);
    return e;
}
SERVICE_OF(service_launch_device, launch_buffer)

/* --- errors: these two leave the last error as it is, or forget it --- */

static bool last_error(const struct interp_code *c, struct warp *w, const struct step *st, uint32_t m, bool forget)
{
    LANE_LOOP(m)
    {
        struct call a = {c, w, st, (int)i};
        int e = children_last_error(children_of(&a), w->block->index, thread_of(&a), forget);
        if (st->in->ndst && st->d[0] != PLACE_NONE)
            step_write(c, w, st, 0, a.lane, (uint64_t)(uint32_t)e);
    }
    return true;
}

bool service_last_error(const struct interp_code *c, struct warp *w, const struct step *st, uint32_t m)
{
    return last_error(c, w, st, m, true);
}

bool service_peek_error(const struct interp_code *c, struct warp *w, const struct step *st, uint32_t m)
{
    return last_error(c, w, st, m, false);
}

/* --- streams and events: the order that they ask for is there --- */

static int make(const struct call *a)
{
    void *to = answer(a, 0, 8);
    if (!to)
        return INVALID_VALUE;
    uint64_t handle = children_handle(children_of(a));
    memcpy(to, &handle, sizeof handle);
    return SUCCESS;
}

static int stream_create(const struct call *a)
{
    return argument(a, 1) & ~(uint64_t)NON_BLOCKING ? INVALID_VALUE : make(a);
}
SERVICE_OF(service_stream_create, stream_create)

static int event_create(const struct call *a)
{
    return (argument(a, 1) & 0xffffffffu) != DISABLE_TIMING ? INVALID_VALUE : make(a);
}
SERVICE_OF(service_event_create, event_create)

static int destroy(const struct call *a)
{
    return argument(a, 0) <= STREAM_FORGET ? INVALID_VALUE : SUCCESS;
}
SERVICE_OF(service_destroy, destroy)

/* cudaStreamWaitEvent(stream, event, flags), cudaEventRecord(event, stream): not with the two special streams. */
static int ordered(const struct call *a, int stream)
{
    uint64_t s = argument(a, stream);
    return s == STREAM_TAIL || s == STREAM_FORGET || argument(a, !stream) <= STREAM_FORGET ? INVALID_VALUE : SUCCESS;
}

static int wait_event(const struct call *a)
{
    return ordered(a, 0);
}
SERVICE_OF(service_wait_event, wait_event)

static int record_event(const struct call *a)
{
    return ordered(a, 1);
}
SERVICE_OF(service_record_event, record_event)

/* What the block has asked for is done now, before any lane goes on. Devices of compute capability 9.0 do not have parents that wait. */
static int wait(const struct call *a)
{
    struct children *k = children_of(a);
    struct strbuf why = {0};
    int n, e = k->questions->may_wait(k->user);
    struct child *work = e ? NULL : children_take(k, a->w->block->index, &n);
    int status = 0;
    if (work) { /* another lane may have had it done */
        strbuf_adds(&why, "at cudaDeviceSynchronize: ");
        status = k->wait(k->user, work, n, &why);
    }
    if (e < 0)
        service_fault(a->c, a->w, a->st, HEDDLE_NOT_IMPLEMENTED, a->lane, 0,
                      "cudaDeviceSynchronize in a kernel: devices before compute capability 9.0 have it (--device a100); on this one a tail "
                      "launch runs behind its siblings");
    if (status)
        service_fault(a->c, a->w, a->st, status, -1, 0, why.s);
    strbuf_release(&why);
    return status ? -1 : e;
}

bool service_device_synchronize(const struct interp_code *c, struct warp *w, const struct step *st, uint32_t m)
{
    LANE_LOOP(m)
    {
        struct call a = {c, w, st, (int)i};
        int e = wait(&a);
        if (e < 0)
            return false;
        answer_error(&a, e);
    }
    return true;
}

/* --- memory --- */

static int allocate(const struct call *a)
{
    uint64_t bytes = argument(a, 1), p = 0;
    void *to = answer(a, 0, 8);
    if (!to || !bytes)
        return INVALID_VALUE;
    p = heap_alloc(a->w->block->launch->heap, bytes);
    if (!p)
        return MEMORY_ALLOCATION;
    memcpy(to, &p, sizeof p);
    return SUCCESS;
}
SERVICE_OF(service_cuda_malloc, allocate)

static int release(const struct call *a)
{
    uint64_t p = argument(a, 0);
    return !p || heap_free(a->w->block->launch->heap, p) ? SUCCESS : INVALID_VALUE;
}
SERVICE_OF(service_cuda_free, release)

static int add_copy(const struct call *a, struct child *c, uint64_t kind, uint64_t stream)
{
    enum { DEVICE_TO_DEVICE = 3, DEFAULT = 4 };
    if ((uint32_t)kind != DEVICE_TO_DEVICE && (uint32_t)kind != DEFAULT)
        return INVALID_DIRECTION;
    c->kind = CHILD_COPY;
    c->tail = stream == STREAM_TAIL;
    c->block = a->w->block->index;
    return c->copy.width && c->copy.height ? children_add(children_of(a), c) : SUCCESS;
}

static int copy(const struct call *a)
{
    struct child c = {.copy = {argument(a, 0), argument(a, 1), 0, 0, argument(a, 2), 1}};
    return add_copy(a, &c, argument(a, 3), argument(a, 4));
}
SERVICE_OF(service_copy, copy)

static int copy_2d(const struct call *a)
{
    struct child c = {.copy = {argument(a, 0), argument(a, 2), argument(a, 1), argument(a, 3), argument(a, 4), argument(a, 5)}};
    if (c.copy.width > c.copy.to_pitch || c.copy.width > c.copy.from_pitch)
        return INVALID_VALUE;
    return add_copy(a, &c, argument(a, 6), argument(a, 7));
}
SERVICE_OF(service_copy_2d, copy_2d)

static int add_fill(const struct call *a, struct child *c, uint64_t stream)
{
    c->kind = CHILD_FILL;
    c->tail = stream == STREAM_TAIL;
    c->block = a->w->block->index;
    return c->fill.width && c->fill.height ? children_add(children_of(a), c) : SUCCESS;
}

static int fill(const struct call *a)
{
    struct child c = {.fill = {argument(a, 0), 0, argument(a, 2), 1, (uint8_t)argument(a, 1)}};
    return add_fill(a, &c, argument(a, 3));
}
SERVICE_OF(service_fill, fill)

static int fill_2d(const struct call *a)
{
    struct child c = {.fill = {argument(a, 0), argument(a, 1), argument(a, 3), argument(a, 4), (uint8_t)argument(a, 2)}};
    return c.fill.width > c.fill.pitch ? INVALID_VALUE : add_fill(a, &c, argument(a, 5));
}
SERVICE_OF(service_fill_2d, fill_2d)

/* --- questions --- */

static int answer_int(const struct call *a, int i, int value)
{
    void *to = answer(a, i, sizeof value);
    if (!to)
        return INVALID_VALUE;
    memcpy(to, &value, sizeof value);
    return SUCCESS;
}

static int device_number(const struct call *a)
{
    return answer_int(a, 0, children_of(a)->device);
}
SERVICE_OF(service_get_device, device_number)

static int device_count(const struct call *a)
{
    return answer_int(a, 0, 1); /* a kernel sees its own */
}
SERVICE_OF(service_device_count, device_count)

static int runtime_version(const struct call *a)
{
    return answer_int(a, 0, RUNTIME_VERSION);
}
SERVICE_OF(service_runtime_version, runtime_version)

static int attribute(const struct call *a)
{
    struct children *k = children_of(a);
    int value = 0, e = k->questions->attribute(k->user, (int)argument(a, 1), (int)argument(a, 2), &value);
    return e ? e : answer_int(a, 0, value);
}
SERVICE_OF(service_device_attribute, attribute)

static int limit(const struct call *a)
{
    struct children *k = children_of(a);
    uint64_t value = 0;
    void *to = answer(a, 0, sizeof value);
    int e = to ? k->questions->limit(k->user, (int)argument(a, 1), &value) : INVALID_VALUE;
    if (!e)
        memcpy(to, &value, sizeof value);
    return e;
}
SERVICE_OF(service_device_limit, limit)

static int function(const struct call *a)
{
    struct children *k = children_of(a);
    struct child_function f = {0};
    void *to = answer(a, 0, sizeof f);
    int e = to ? k->questions->function(k->user, argument(a, 1), &f) : INVALID_VALUE;
    if (!e)
        memcpy(to, &f, sizeof f);
    return e;
}
SERVICE_OF(service_function, function)

static int occupancy(const struct call *a)
{
    struct children *k = children_of(a);
    int blocks = 0, e = k->questions->occupancy(k->user, argument(a, 1), (int)argument(a, 2), argument(a, 3), &blocks);
    return e ? e : answer_int(a, 0, blocks);
}
SERVICE_OF(service_occupancy, occupancy)
