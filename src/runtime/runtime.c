/* The process: its devices, their opening, and what stands at the beginning and the end of every entry point. */
#define _DEFAULT_SOURCE /* on_exit */
#include "runtime/runtime.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine.h"
#include "base/strbuf.h"
#include "device/device.h"
#include "heddle_cuda.h"
#include "runtime/checking.h"
#include "runtime/collect.h"
#include "runtime/context.h"
#include "runtime/device_time.h"
#include "runtime/output.h"
#include "runtime/progress.h"
#include "runtime/queue.h"
#include "runtime/signals.h"
#include "space/space.h"

pthread_mutex_t runtime_lock = PTHREAD_MUTEX_INITIALIZER;

static pthread_mutex_t open_lock = PTHREAD_MUTEX_INITIALIZER;
static struct runtime_device devices[RUNTIME_DEVICES];
static cudaError_t open_error[RUNTIME_DEVICES];
static _Thread_local int current;
static bool forked;

static void in_child(void)
{
    forked = true;
}

bool runtime_forked(void)
{
    return forked;
}

void runtime_say(const char *fmt, ...)
{
    const char *quiet = getenv("HEDDLE_QUIET");
    if (quiet && strcmp(quiet, "1") == 0)
        return;
    struct strbuf text;
    va_list ap;
    strbuf_init(&text);
    va_start(ap, fmt);
    strbuf_addv(&text, fmt, ap);
    va_end(ap);
    while (text.len > 0 && text.s[text.len - 1] == '\n')
        text.s[--text.len] = 0;
    if (!ftrylockfile(stdout)) { /* a program's own lines stand before the message when both go to one file */
        fflush(stdout);
        funlockfile(stdout);
    }
    fprintf(stderr, "heddle: %s\n", text.len ? text.s : "");
    strbuf_release(&text);
}

/* True the first time for each text; they are static. */
static bool is_fresh(const char *what)
{
    static const char *said[1024];
    static int n;
    bool fresh = true;
    pthread_mutex_lock(&open_lock);
    for (int i = 0; i < n; i++)
        fresh = fresh && said[i] != what;
    if (fresh && n < 1024)
        said[n++] = what;
    pthread_mutex_unlock(&open_lock);
    return fresh;
}

cudaError_t runtime_not_supported(const char *what)
{
    if (is_fresh(what))
        runtime_say("%s is not there yet", what);
    return cudaErrorNotSupported;
}

cudaError_t runtime_refused(const char *what, const char *why)
{
    if (is_fresh(what))
        runtime_say("%s is not there: %s", what, why);
    return cudaErrorNotSupported;
}

/* --- devices --- */

/* The index-th of the comma-separated names in HEDDLE_DEVICE. */
static void device_name(int index, char *name, size_t size)
{
    const char *at = getenv("HEDDLE_DEVICE");
    for (at = at && *at ? at : "h200"; index > 0; index--)
        at = strchr(at, ',') + 1;
    snprintf(name, size, "%.*s", (int)strcspn(at, ","), at);
}

int runtime_device_count(void)
{
    const char *names = getenv("HEDDLE_DEVICE");
    int n = 1;
    for (; names && (names = strchr(names, ',')); names++)
        n++;
    return n < RUNTIME_DEVICES ? n : RUNTIME_DEVICES;
}

/* Limits of the device runtime as a fresh context has them (CUDA C++ programming guide 12, "Dynamic global memory
 * allocation" for the heap, "Formatted output" for printf's buffer; the stack's is what cudaDeviceGetLimit answers on
 * devices of compute capability 7.0 and later). */
static void initial_limits(struct runtime_device *d)
{
    d->limit[cudaLimitStackSize] = 1024;
    d->limit[cudaLimitPrintfFifoSize] = 1 << 20;
    d->limit[cudaLimitMallocHeapSize] = 8 << 20;
    d->limit[cudaLimitMaxL2FetchGranularity] = 128;
    d->limit[cudaLimitDevRuntimePendingLaunchCount] = 2048; /* as an H200 answers */
    d->limit[cudaLimitDevRuntimeSyncDepth] = 2; /* CUDA C++ programming guide 12, 9.6 */
}

static cudaError_t open_device(struct runtime_device *d, int index)
{
    char name[256];
    heddle_device *engine;
    static bool registered;
    device_name(index, name, sizeof name);
    heddle_status s = heddle_device_open(name, &engine);
    if (s) {
        runtime_say("%s", *heddle_error_text() ? heddle_error_text() : heddle_status_text(s));
        return runtime_error(s);
    }
    int64_t memory = engine_device_spec(engine)->memory_bytes, described = engine_described_memory(engine);
    if (memory < described)
        runtime_say("%s %lld MiB of device memory of the %lld MiB that '%s' has",
                    memory < (int64_t)SPACE_MOST ? "the limits of this process (ulimit -v, -f) leave" : "a device's range of addresses leaves",
                    (long long)memory >> 20, (long long)described >> 20, name);
    if (!registered) {
        registered = true;
        pthread_atfork(NULL, NULL, in_child);
        signals_install();
    }
    d->index = index;
    d->spec = engine_device_spec(engine);
    d->space = engine_space(engine);
    initial_limits(d);
    heddle_output(engine, output_keep, NULL);
    device_answers_kernels(engine);
    engine_stuck(engine, queue_stuck, NULL);
    checking_device(d, engine);
    runtime_collect_device(engine);
    device_time_device(d);
    progress_begin();
    __atomic_store_n(&d->engine, engine, __ATOMIC_RELEASE);
    return cudaSuccess;
}

struct runtime_device *runtime_device(int index, cudaError_t *error)
{
    *error = forked ? cudaErrorInitializationError
                    : index < 0 || index >= runtime_device_count() ? cudaErrorInvalidDevice : cudaSuccess;
    if (*error)
        return NULL;
    struct runtime_device *d = &devices[index];
    if (__atomic_load_n(&d->engine, __ATOMIC_ACQUIRE))
        return d;
    pthread_mutex_lock(&open_lock);
    if (!d->engine && !open_error[index])
        open_error[index] = open_device(d, index);
    *error = open_error[index];
    pthread_mutex_unlock(&open_lock);
    return *error ? NULL : d;
}

struct runtime_device *runtime_device_if_open(int index)
{
    struct runtime_device *d = index >= 0 && index < RUNTIME_DEVICES ? &devices[index] : NULL;
    return d && __atomic_load_n(&d->engine, __ATOMIC_ACQUIRE) ? d : NULL;
}

heddle_status heddle_cuda_device(int index, heddle_device **out)
{
    cudaError_t error;
    struct runtime_device *d = runtime_device(index, &error);
    if (!d)
        return HEDDLE_NO_DEVICE;
    *out = d->engine;
    return HEDDLE_OK;
}

int runtime_current(void)
{
    bool gone;
    const struct context *c = context_current(&gone);
    return c ? c->device : current;
}

void runtime_set_current(int index)
{
    current = index;
    struct context *c = context_primary(index);
    c->active = c->runtime = true;
    context_set(c);
}

cudaError_t runtime_enter(struct runtime_device **d)
{
    cudaError_t error = cudaErrorNotPermitted;
    int index = runtime_current();
    *d = queue_inside() ? NULL : runtime_device(index, &error);
    if (!*d)
        return error;
    bool gone;
    if (!runtime_silence(0) || context_current(&gone)) /* the driver interface makes no context current */
        error = context_bind(index);
    return error ? error : __atomic_load_n(&(*d)->sticky, __ATOMIC_ACQUIRE);
}

/* --- the end of the process --- */

static bool failed; /* atomic */
static int exit_status;

void runtime_failed(void)
{
    __atomic_store_n(&failed, true, __ATOMIC_RELAXED);
}

static void keep_status(int status, void *unused)
{
    (void)unused;
    exit_status = status;
}

__attribute__((constructor)) static void begin(void)
{
    on_exit(keep_status, NULL);
}

/* Commands that were queued but never waited for still run: their faults are printed, their results written. */
__attribute__((destructor)) static void finish(void)
{
    if (forked)
        return;
    queue_drain();
    device_time_finish();
    for (int i = 0; i < RUNTIME_DEVICES && runtime_checking(); i++)
        if (runtime_device_if_open(i))
            checking_end(&devices[i], false);
    checking_flush();
    if (runtime_was_short())
        runtime_failed();
    if (__atomic_load_n(&failed, __ATOMIC_RELAXED) && !exit_status) {
        fflush(NULL);
        _exit(EXIT_FAILURE);
    }
}
