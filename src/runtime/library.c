/* Calls of libraries as commands of streams (see library.h). */
#include "runtime/library_work.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "base/alloc.h"
#include "base/strbuf.h"
#include "check/check.h"
#include "engine.h"
#include "runtime/capture.h"
#include "report/library.h"
#include "report/result.h"
#include "runtime/checking.h"
#include "runtime/collect.h"
#include "runtime/command.h"
#include "runtime/device_time.h"
#include "runtime/frames.h"
#include "runtime/pointer.h"
#include "space/space.h"

static _Thread_local const struct library_call *running;

/* --- calls --- */

static void *copy_of(const void *from, size_t bytes)
{
    void *to = alloc_zeroed(bytes ? bytes : 1);
    if (bytes)
        memcpy(to, from, bytes);
    return to;
}

static struct library_work *new_work(const struct library_call *call)
{
    struct library_work *w = alloc_zeroed(sizeof *w);
    w->refs = 1;
    w->call = *call;
    w->call.operand = copy_of(call->operand, (size_t)call->operands * sizeof *call->operand);
    w->call.data = copy_of(call->data, call->data_bytes);
    return w;
}

struct library_work *library_work_share(struct library_work *w)
{
    __atomic_add_fetch(&w->refs, 1, __ATOMIC_RELAXED);
    return w;
}

void library_work_release(struct library_work *w)
{
    if (__atomic_sub_fetch(&w->refs, 1, __ATOMIC_ACQ_REL))
        return;
    if (w->call.release)
        w->call.release((void *)w->call.data);
    alloc_release((void *)w->call.operand);
    alloc_release((void *)w->call.data);
    alloc_release(w);
}

cudaError_t library_call(cudaStream_t stream, const struct library_call *call, bool wait)
{
    TRACED;
    struct runtime_device *d;
    struct library_work *w = new_work(call);
    cudaError_t e = runtime_enter(&d);
    struct stream *s = e ? NULL : stream_of(stream);
    bool captures = false;
    e = e ? e : s ? capture_admit(s, &captures) : cudaErrorInvalidResourceHandle;
    if (!e && wait)
        e = capture_refuse(s, cudaErrorStreamCaptureUnsupported);
    if (!e && captures)
        return runtime_leave(capture_library(s, w));
    if (e) {
        library_work_release(w);
        return runtime_leave(e);
    }
    if (runtime_checking())
        frames_ours((const void *)call->run);
    struct command *c = command_new(COMMAND_LIBRARY);
    c->library = w;
    if (!wait) {
        queue_put_async(s, c);
        return runtime_leave(cudaSuccess);
    }
    queue_wait(queue_put(s, c));
    return runtime_leave(queue_verdict(d));
}

/* --- at its turn --- */

bool library_work_ready(const struct library_work *w)
{
    return !w->call.ready || w->call.ready((void *)w->call.data);
}

static const char *access_word(const struct library_operand *o)
{
    return o->access == LIBRARY_WRITE ? "write" : o->access == LIBRARY_READ ? "read" : "read and write";
}

/* "operand 'A' (read): a row of 32 bytes at 0x..., the 3rd", and what is there. */
static void describe(const struct library_operand *o, const struct library_stray *s, const struct command *c, struct strbuf *out)
{
    strbuf_addf(out, "  %s of operand '%s': %" PRIu64 " bytes from 0x%" PRIx64 " on", access_word(o), o->name, s->bytes, s->row);
    if (o->height > 1)
        strbuf_addf(out, ", of %zu times %zu bytes that begin %zu bytes apart", o->height, o->width, o->pitch);
    strbuf_adds(out, "\n");
    const struct runtime_device *d = pointer_device(s->address);
    engine_tell_address(d ? d->engine : c->stream->device->engine, s->address, "the library", out);
}

/* A launch with bad accesses fails under memcheck, unless it is to go on; none of its bad accesses is carried out. */
static cudaError_t refuse_checked(const struct library_operand *o, const struct library_stray *s, const struct command *c)
{
    struct strbuf text;
    strbuf_init(&text);
    describe(o, s, c, &text);
    checking_operand_lies(c, o, s, text.s);
    strbuf_release(&text);
    return runtime_error(HEDDLE_CHECK_FAILED);
}

static cudaError_t refuse(const struct library_operand *o, const struct library_stray *s, const struct command *c)
{
    const struct library_call *call = &c->library->call;
    struct strbuf text;
    if (checking_settings()->tools & CHECK_MEMCHECK)
        return refuse_checked(o, s, c);
    strbuf_init(&text);
    if (s->mapped)
        strbuf_addf(&text, "%s (%s) goes on, as on a GPU, after an access outside of its operand's allocation:\n", call->function, call->library);
    else
        strbuf_addf(&text, "%s (%s): illegal address (CUDA error %d)\n", call->function, call->library, (int)cudaErrorIllegalAddress);
    describe(o, s, c, &text);
    if (s->mapped) {
        strbuf_adds(&text, "  `heddle check` tells of each such access\n");
        command_say_stray(text.s);
    } else {
        command_say_failure(text.s);
    }
    strbuf_release(&text);
    return s->mapped ? cudaSuccess : cudaErrorIllegalAddress;
}

static cudaError_t look(const struct command *c, const struct library_operand *o, int n)
{
    const bool all = checking_settings()->tools & CHECK_MEMCHECK; /* who checks wants to know of each */
    cudaError_t e = cudaSuccess;
    for (int i = 0; i < n && (!e || all); i++) {
        struct library_stray s;
        if (!library_operand_lies(&o[i], &s))
            e = refuse(&o[i], &s, c);
        else if (runtime_checking())
            checking_operand_read(c, &o[i]);
    }
    return e;
}

void library_more(struct library_more *m, const struct library_operand *o)
{
    m->operand = alloc_resize(m->operand, (size_t)(m->n + 1) * sizeof *o);
    m->operand[m->n++] = *o;
}

/* What the call has written counts as written. */
static void note_written(const struct library_operand *o, int n)
{
    for (int i = 0; i < n && runtime_checking(); i++) {
        const struct runtime_device *d = pointer_device((uint64_t)(uintptr_t)o[i].at);
        struct library_rows r;
        library_rows_begin(&r, &o[i]);
        while (d && o[i].access & LIBRARY_WRITE && library_rows_next(&r))
            engine_written(d->engine, r.at, r.bytes);
    }
}

static cudaError_t run(struct library_work *w)
{
    running = &w->call;
    cudaError_t e = w->call.run((void *)w->call.data);
    running = NULL;
    return e;
}

/* Bytes of operands, each once. */
static void count_bytes(struct library_work *w, const struct library_operand *o, int n)
{
    for (int i = 0; i < n; i++) {
        uint64_t bytes = library_operand_bytes(&o[i]);
        w->read += o[i].access & LIBRARY_READ ? bytes : 0;
        w->written += o[i].access & LIBRARY_WRITE ? bytes : 0;
    }
}

/* What the call takes with device time: its bound. Where that is not known, nothing. */
static void take_time(const struct result *r)
{
    struct library_bound b;
    library_bound(r, &b);
    device_time_library(r->device, 1e6 * fmax(isnan(b.compute_us) ? 0 : b.compute_us, isnan(b.memory_us) ? 0 : b.memory_us));
}

/* The entry of the profile, if that is wanted. */
static void collect(const struct command *c, bool wanted)
{
    const struct library_work *w = c->library;
    const struct library_call *call = &w->call;
    char shape[256] = "";
    if (call->shape)
        call->shape(call->data, shape, sizeof shape);
    const struct result_library l = {.name = call->library, .shape = *shape ? shape : NULL, .flops = call->flops, .bytes_read = (int64_t)w->read,
                                     .bytes_written = (int64_t)w->written, .peak = (int)call->peak};
    heddle_result *r = engine_library_result(c->stream->device->engine, call->function, &l);
    if (device_time_on())
        take_time(engine_result(r));
    if (wanted)
        runtime_collect(r, w->id, c->shown, c->stream->device->index, NULL, 0);
    else
        heddle_result_free(r);
    runtime_launch_ended(w->id); /* which writes it */
}

cudaError_t library_work_run(const struct command *c)
{
    struct library_work *w = c->library;
    struct library_more more = {NULL, 0};
    w->id = runtime_next_launch();
    bool wanted = !c->unseen && runtime_collects(w->call.function, c->shown);
    cudaError_t e = look(c, w->call.operand, w->call.operands);
    if (!e && w->call.more) {
        w->call.more((void *)w->call.data, &more);
        e = look(c, more.operand, more.n);
    }
    if (!e)
        e = run(w);
    if (wanted || device_time_on()) {
        count_bytes(w, w->call.operand, w->call.operands);
        count_bytes(w, more.operand, more.n);
        collect(c, wanted);
    }
    note_written(w->call.operand, w->call.operands);
    note_written(more.operand, more.n);
    alloc_release(more.operand);
    return e == runtime_error(HEDDLE_CHECK_FAILED) && checking_settings()->go_on ? cudaSuccess : e;
}

cudaError_t library_fault(const char *fmt, ...)
{
    struct strbuf text;
    va_list ap;
    strbuf_init(&text);
    strbuf_addf(&text, "%s (%s): illegal address (CUDA error %d)\n  ", running->function, running->library, (int)cudaErrorIllegalAddress);
    va_start(ap, fmt);
    strbuf_addv(&text, fmt, ap);
    va_end(ap);
    command_say_failure(text.s);
    strbuf_release(&text);
    return cudaErrorIllegalAddress;
}

/* --- pointers --- */

void *library_host(const void *p)
{
    return space_is_device_address((uint64_t)(uintptr_t)p) ? space_host((uint64_t)(uintptr_t)p) : (void *)(uintptr_t)p;
}

bool library_on_device(const void *p)
{
    struct pointer at = pointer_look(p);
    return pointer_for_device(&at);
}

void library_written(const void *p, size_t bytes)
{
    const struct pointer at = pointer_look(p);
    if (!runtime_checking() || at.kind != POINTER_DEVICE)
        return;
    uint64_t left = at.bytes - (at.address - at.base);
    engine_written(at.device->engine, at.address, bytes < left ? bytes : left);
}

/* --- what is not there --- */

/* True the first time for each text; they are static. */
static bool fresh(const char *what)
{
    static const char *said[256];
    static int n;
    bool is = n < 256;
    pthread_mutex_lock(&runtime_lock);
    for (int i = 0; i < n && is; i++)
        is = said[i] != what;
    if (is)
        said[n++] = what;
    pthread_mutex_unlock(&runtime_lock);
    return is;
}

void *library_open(const char *what, const char *const *sonames, const char *packages)
{
    void *library = NULL;
    for (; *sonames && !library; sonames++)
        library = dlopen(*sonames, RTLD_NOW | RTLD_LOCAL);
    if (!library && fresh(what))
        runtime_say("%s needs a library that is not installed here: Debian's package %s has it", what, packages);
    return library;
}

void library_refuse(const char *what)
{
    runtime_not_supported(what);
}
