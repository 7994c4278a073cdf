/* Running one command on the engine (see command.h). */
#include "runtime/command.h"

#include <stdatomic.h>
#include <string.h>

#include "base/alloc.h"
#include "base/host_time.h"
#include "base/status.h"
#include "base/table.h"
#include "engine.h"
#include "runtime/checking.h"
#include "runtime/collect.h"
#include "runtime/device_time.h"
#include "runtime/library_work.h"
#include "runtime/output.h"
#include "runtime/pointer.h"
#include "runtime/signals.h"

/* --- launches --- */

/* The same text is not printed twice in a row: a program may launch in a loop. */
void command_say_failure(const char *text)
{
    static _Atomic uint64_t last;
    output_flush_assertions();
    uint64_t hash = hash_bytes(HASH_START, text, strlen(text));
    if (atomic_exchange(&last, hash) != hash)
        runtime_say("%s", text);
}

/* Prints why a launch failed. */
static void say_failure(heddle_status s, cudaError_t e)
{
    const heddle_fault *fault = runtime_is_sticky(e) ? heddle_last_fault() : NULL;
    const char *text = fault && fault->text ? fault->text : heddle_error_text();
    command_say_failure(text && *text ? text : heddle_status_text(s));
}

/* Once in a process: a program that has one such access often has it in every launch. */
void command_say_stray(const char *text)
{
    static _Atomic bool said;
    if (text && !atomic_exchange(&said, true))
        runtime_say("%s", text);
}

static heddle_status run_child(const struct engine_child *g, struct children **children, void *user);

/* One grid, without the children that it does not wait for. */
static heddle_status run_grid(const struct command *c, const struct engine_child *g, struct children **children)
{
    heddle_result *result = NULL;
    int64_t id = runtime_next_launch();
    runtime_launch_begins(id);
    checking_launch(g->kernel, id, c->launch.newest, c->frames);
    heddle_kernel_info info;
    bool known = runtime_collecting() && !heddle_kernel_describe(g->kernel, &info);
    bool wanted = !c->unseen && runtime_collects(known ? info.name : NULL, c->shown);
    const struct engine_family family = {run_child, (void *)c, id, g->depth};
    if (device_time_on() && engine_times(g->kernel) & ENGINE_GLOBALTIMER)
        engine_begins(c->stream->device->engine, (uint64_t)device_time_of_launch(c));
    heddle_status s = engine_launch(g->kernel, g->config, g->args, wanted || device_time_on() ? &result : NULL, &family, children);
    status_clear(); /* the program may print now */
    if (result && device_time_on())
        device_time_launch(c->stream->device->index, engine_result(result));
    if (result && !wanted)
        heddle_result_free(result);
    else if (result)
        runtime_collect(result, id, c->shown, c->stream->device->index, g->parent, g->tag);
    runtime_launch_ended(id);
    return s;
}

static heddle_status run_child(const struct engine_child *g, struct children **children, void *user)
{
    heddle_status s = run_grid(user, g, children);
    checking_resume(g->tag); /* the parent may have waited */
    return s;
}

static cudaError_t run_launch(struct command *c)
{
    struct children *children;
    heddle_status s = run_grid(c, &(struct engine_child){c->launch.kernel, &c->launch.config, c->launch.args, NULL, 0, 0}, &children);
    if (children)
        s = engine_run_children(c->stream->device->engine, children);
    cudaError_t e = runtime_error(s);
    command_say_stray(heddle_last_stray());
    if (s && s != HEDDLE_CHECK_FAILED) /* which the report tells */
        say_failure(s, e);
    if (s == HEDDLE_INTERRUPTED)
        signals_end_by_interrupt();
    return e;
}

/* --- copies and fills --- */

/* From one device to another, through the host. */
static heddle_status copy_across(const struct place *to, uint64_t to_at, const struct place *from, uint64_t from_at,
                                 size_t bytes)
{
    enum { STEP = 1 << 20 };
    heddle_status s = HEDDLE_OK;
    char *buffer = alloc_zeroed(bytes < STEP ? bytes : STEP);
    for (size_t done = 0; done < bytes && !s; done += STEP) {
        size_t n = bytes - done < STEP ? bytes - done : STEP;
        s = heddle_copy_out(from->device->engine, buffer, from_at + done, n);
        s = s ? s : heddle_copy_in(to->device->engine, to_at + done, buffer, n);
    }
    alloc_release(buffer);
    return s;
}

static heddle_status copy_row(const struct place *to, uint64_t to_at, const struct place *from, uint64_t from_at,
                              size_t bytes)
{
    if (to->on_device && from->on_device && to->device != from->device)
        return copy_across(to, to_at, from, from_at, bytes);
    if (to->on_device && from->on_device)
        return heddle_copy(to->device->engine, to_at, from_at, bytes);
    if (to->on_device)
        return heddle_copy_in(to->device->engine, to_at, (const void *)(uintptr_t)from_at, bytes);
    if (from->on_device)
        return heddle_copy_out(from->device->engine, (void *)(uintptr_t)to_at, from_at, bytes);
    memmove((void *)(uintptr_t)to_at, (const void *)(uintptr_t)from_at, bytes);
    return HEDDLE_OK;
}

static cudaError_t run_copy(const struct command *c)
{
    const struct place *to = &c->copy.to, *from = &c->copy.from;
    if (runtime_checking())
        checking_copy(c);
    for (size_t z = 0; z < c->copy.depth; z++) {
        for (size_t y = 0; y < c->copy.height; y++) {
            heddle_status s = copy_row(to, to->at + z * to->slice + y * to->pitch, from,
                                       from->at + z * from->slice + y * from->pitch, c->copy.width);
            if (s)
                return runtime_error(s);
        }
    }
    return cudaSuccess;
}

static void fill_host(char *to, uint32_t value, unsigned element, size_t count)
{
    if (element == 1)
        memset(to, (int)value, count);
    for (size_t i = 0; element > 1 && i < count; i++)
        memcpy(to + i * element, &value, element);
}

static cudaError_t run_fill(const struct command *c)
{
    const struct place *to = &c->fill.to;
    for (size_t z = 0; z < c->fill.depth; z++) {
        for (size_t y = 0; y < c->fill.height; y++) {
            uint64_t at = to->at + z * to->slice + y * to->pitch;
            heddle_status s = HEDDLE_OK;
            if (to->on_device)
                s = heddle_fill(to->device->engine, at, c->fill.value, c->fill.element, c->fill.width);
            else
                fill_host((char *)(uintptr_t)at, c->fill.value, c->fill.element, c->fill.width);
            if (s)
                return runtime_error(s);
        }
    }
    return cudaSuccess;
}

/* --- host functions --- */

static void run_host(const struct command *c, cudaError_t status)
{
    if (c->host.callback)
        c->host.callback(c->host.handle, status, c->host.user);
    else if (!status) /* "The host function will not be called in the event of an error in the CUDA context." */
        c->host.function(c->host.user);
}

static cudaError_t run_work(struct command *c)
{
    switch (c->kind) {
    case COMMAND_LAUNCH:
        return run_launch(c);
    case COMMAND_COPY:
        return run_copy(c);
    case COMMAND_FILL:
        return run_fill(c);
    case COMMAND_LIBRARY:
        return library_work_run(c);
    case COMMAND_FREE:
        return runtime_error(heddle_free(pointer_device(c->free)->engine, c->free));
    case COMMAND_RECORD:
    case COMMAND_HOST:
    case COMMAND_CALL:
        break;
    }
    return cudaSuccess;
}

cudaError_t command_run(struct command *c, cudaError_t status)
{
    if (c->kind == COMMAND_HOST)
        run_host(c, status);
    if (c->kind == COMMAND_CALL)
        return c->call_back.function(c, status);
    if (status)
        return cudaSuccess; /* dropped: the device has an error already */
    int64_t begin = trace_on() ? host_time() : 0;
    cudaError_t e = run_work(c);
    if (trace_on() && !c->unseen)
        trace_command(c, begin, host_time());
    return e;
}

void command_release(struct command *c)
{
    if (c->kind == COMMAND_LAUNCH)
        alloc_release(c->launch.args);
    if (c->kind == COMMAND_LIBRARY)
        library_work_release(c->library);
    alloc_release(c);
}
