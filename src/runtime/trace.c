/* Tracing (see trace.h). */
#define _GNU_SOURCE
#include "runtime/trace.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/host_time.h"
#include "device/device.h"
#include "report/trace.h"
#include "runtime/device_time.h"
#include "runtime/library_work.h"
#include "runtime/pointer.h"
#include "runtime/queue.h"
#include "runtime/range.h"
#include "runtime/records.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* one line at a time */
static uint64_t calls;                                   /* atomic */
static _Thread_local int depth;                          /* of calls */
static _Thread_local uint64_t number;
static _Thread_local int answer; /* cudaError_t or CUresult */

bool trace_on(void)
{
    static int on; /* atomic; 1: no, 2: yes */
    int known = __atomic_load_n(&on, __ATOMIC_RELAXED);
    if (!known) {
        const char *path = getenv("HEDDLE_TRACE");
        known = path && *path ? 2 : 1;
        __atomic_store_n(&on, known, __ATOMIC_RELAXED);
    }
    return known == 2;
}

static bool write_event(const void *event, FILE *f)
{
    return trace_write(event, f);
}

int64_t trace_time(void)
{
    return device_time_on() ? device_time_now() / 1000 : host_time();
}

void trace_add(struct trace_event *e)
{
    static struct records file = {.variable = "HEDDLE_TRACE", .what = "a trace"};
    e->pid = getpid();
    e->process = program_invocation_name;
    pthread_mutex_lock(&lock);
    records_add(&file, write_event, e);
    pthread_mutex_unlock(&lock);
}

/* --- calls --- */

/* cudaMalloc, cuMemAlloc_v2; not copy_1d or cut. */
static bool is_call(const char *function)
{
    return !strncmp(function, "cuda", 4) || (!strncmp(function, "cu", 2) && function[2] >= 'A' && function[2] <= 'Z');
}

struct trace_call trace_call_begin(const char *function)
{
    struct trace_call c = {0};
    if (!trace_on() && !device_time_on())
        return c;
    if (depth++ == 0 && is_call(function)) {
        c = (struct trace_call){trace_on() && range_open() ? function : NULL, trace_time(), __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED)};
        number = c.number;
        answer = 0;
        if (device_time_on())
            device_time_call(function);
    }
    return c;
}

void trace_call_end(struct trace_call *c)
{
    if (!trace_on() && !device_time_on())
        return;
    if (--depth == 0)
        number = 0;
    if (c->name)
        trace_add(&(struct trace_event){.kind = TRACE_CALL, .name = c->name, .begin = c->begin, .end = trace_time(), .call = c->number,
                                        .thread = gettid(), .answer = answer, .modelled = device_time_on()});
}

void trace_answer(int error)
{
    answer = error;
}

uint64_t trace_call_number(void)
{
    return number;
}

/* --- commands --- */

enum trace_memory trace_memory_of(const struct place *p)
{
    struct pointer at;
    if (p->on_device)
        return TRACE_DEVICE;
    at = pointer_look((const void *)(uintptr_t)p->at);
    return at.kind == POINTER_PINNED || at.kind == POINTER_REGISTERED ? TRACE_PINNED
           : at.kind == POINTER_MANAGED                               ? TRACE_MANAGED
                                                                      : TRACE_PAGEABLE;
}

/* With device time a command's line waits until that is known. */
static void add_command(struct trace_event *e)
{
    if (device_time_on())
        device_time_trace(e);
    else
        trace_add(e);
}

static void add_launch(struct trace_event *e, const struct command *c)
{
    heddle_kernel_info info = {0};
    const heddle_launch_config *l = &c->launch.config;
    e->kind = TRACE_KERNEL;
    if (!heddle_kernel_describe(c->launch.kernel, &info))
        e->name = info.name;
    memcpy(e->grid, l->grid, sizeof e->grid);
    memcpy(e->block, l->block, sizeof e->block);
    e->registers = info.registers;
    e->shared_static = (int64_t)info.static_shared;
    e->shared_dynamic = (int64_t)l->shared_bytes;
    add_command(e);
}

static void add_library(struct trace_event *e, const struct command *c)
{
    e->kind = TRACE_KERNEL;
    e->name = c->library->call.function;
    e->library = c->library->call.library;
    add_command(e);
}

static void add_copy(struct trace_event *e, const struct command *c)
{
    e->kind = TRACE_COPY;
    e->from = trace_memory_of(&c->copy.from);
    e->to = trace_memory_of(&c->copy.to);
    e->bytes = (int64_t)(c->copy.width * c->copy.height * c->copy.depth);
    add_command(e);
}

static void add_fill(struct trace_event *e, const struct command *c)
{
    e->kind = TRACE_FILL;
    e->from = e->to = trace_memory_of(&c->fill.to);
    e->bytes = (int64_t)(c->fill.width * c->fill.element * c->fill.height * c->fill.depth);
    add_command(e);
}

void trace_command(const struct command *c, int64_t begin, int64_t end)
{
    struct trace_event e = {.begin = begin, .end = end, .call = c->call, .stream = c->shown, .device = c->stream->device->index,
                            .device_name = c->stream->device->spec->name};
    if (c->kind == COMMAND_LAUNCH)
        add_launch(&e, c);
    else if (c->kind == COMMAND_LIBRARY)
        add_library(&e, c);
    else if (c->kind == COMMAND_COPY)
        add_copy(&e, c);
    else if (c->kind == COMMAND_FILL)
        add_fill(&e, c);
}

void trace_range(const char *name, bool pushed, int64_t begin, int64_t end)
{
    if (trace_on() && range_open())
        trace_add(&(struct trace_event){.modelled = device_time_on(), .kind = TRACE_RANGE, .name = name, .begin = begin, .end = end, .thread = gettid(), .pushed = pushed});
}
