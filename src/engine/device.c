/* Errors, devices and device memory of the public interface. */
#define _GNU_SOURCE
#include "engine/private.h"
#include "engine.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/diag.h"
#include "check/check.h"
#include "device/mechanisms.h"
#include "interp/claim_check.h"
#include "jit/jit.h"
#include "step/step.h"
#include "target/target.h"
#include "space/machine.h"
#include "space/place.h"

/* --- errors: the calling thread's last --- */

static _Thread_local struct strbuf error_text;

heddle_status engine_fail(heddle_status s, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    strbuf_clear(&error_text);
    strbuf_addv(&error_text, fmt, ap);
    va_end(ap);
    return s;
}

heddle_status engine_fail_diags(heddle_status s, struct diag_list *diags)
{
    strbuf_clear(&error_text);
    diag_format_all(diags, &error_text);
    diag_release(diags);
    return s;
}

const char *heddle_error_text(void)
{
    return error_text.s ? error_text.s : "";
}

const char *heddle_version(void)
{
    return HEDDLE_VERSION;
}

const char *heddle_status_text(heddle_status s)
{
    switch (s) {
#define HEDDLE_STATUS(id, number, cuda, text)                                                                          \
    case HEDDLE_##id:                                                                                                  \
        return text;
#include "heddle_status.def"
#undef HEDDLE_STATUS
    }
    return "unknown status";
}

/* --- devices --- */

enum { MAX_THREADS = 1024 };

/* Host threads a launch may use: HEDDLE_THREADS, else the machine's processors. 0: HEDDLE_THREADS is no such number. *asked: it is set. */
static int host_threads(bool *asked)
{
    const char *e = getenv("HEDDLE_THREADS");
    char *end = NULL;
    long n = e && *e ? strtol(e, &end, 10) : sysconf(_SC_NPROCESSORS_ONLN);
    *asked = end;
    if (end)
        return *end || n < 1 || n > MAX_THREADS ? 0 : (int)n;
    return n < 1 ? 1 : n > MAX_THREADS ? MAX_THREADS : (int)n;
}

/* Launches that count model the caches, too, unless HEDDLE_CACHES says 0. */
static bool models_caches(void)
{
    const char *e = getenv("HEDDLE_CACHES");
    return !e || strcmp(e, "0") != 0;
}

/* The device as it is modelled, without the mechanisms that HEDDLE_WITHOUT names. */
static heddle_status make_model(heddle_device *d)
{
    const char *names = getenv("HEDDLE_WITHOUT");
    mechanism_set off = 0;
    struct strbuf why;
    heddle_status s = HEDDLE_OK;
    strbuf_init(&why);
    if (names && !mechanisms_read(names, &off, &why))
        s = engine_fail(HEDDLE_INVALID_VALUE, "HEDDLE_WITHOUT is '%s': %s", names, why.s);
    d->model = d->spec;
    mechanisms_leave(&d->model, off);
    strbuf_release(&why);
    return s;
}

heddle_status heddle_device_open(const char *name, heddle_device **out)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    struct diag_list diags;
    bool asked;
    int threads = host_threads(&asked);
    if (!threads)
        return engine_fail(HEDDLE_INVALID_VALUE, "HEDDLE_THREADS is '%s': a number from 1 to %d is needed",
                           getenv("HEDDLE_THREADS"), MAX_THREADS);
    if (!claim_check_known())
        return engine_fail(HEDDLE_INVALID_VALUE, "HEDDLE_VERIFY is '%s': 1 or 0 is needed", getenv("HEDDLE_VERIFY"));
    if (!jit_mode_known() && !step_demanded())
        return engine_fail(HEDDLE_INVALID_VALUE, "HEDDLE_EXEC is '%s': auto, jit, jit-first, interp or step is needed", getenv("HEDDLE_EXEC"));
    if (target_mode() == TARGET_UNKNOWN)
        return engine_fail(HEDDLE_INVALID_VALUE, "HEDDLE_TARGET is '%s': assembler, none or forward is needed", getenv("HEDDLE_TARGET"));
    heddle_device *d = alloc_zeroed(sizeof *d);
    diag_init(&diags);
    if (!device_load(&d->spec, name, &diags)) {
        alloc_release(d);
        return engine_fail_diags(HEDDLE_NO_DEVICE, &diags);
    }
    diag_release(&diags);
    const heddle_status modelled = make_model(d);
    if (modelled) {
        alloc_release(d);
        return modelled;
    }
    d->described = d->spec.memory_bytes;
    /* A quarter is for pinned host memory; device memory lies in twice its size, with what a context holds (space/place.h). */
    const uint64_t around = (PLACE_CHUNK + PLACE_BELOW + 1 + PLACE_ABOVE + PLACE_WINDOW) * SPACE_GRANULE;
    uint64_t room = machine_room() / 4 * 3;
    room = room > around ? (room - around) / 2 : 0;
    if (room < SPACE_GRANULE) {
        alloc_release(d);
        return engine_fail(HEDDLE_OUT_OF_MEMORY, "the limits of this process (ulimit -v, -f) leave no room for device memory");
    }
    room = room < SPACE_MOST ? room : SPACE_MOST;
    if (room < (uint64_t)d->spec.memory_bytes)
        d->spec.memory_bytes = (int64_t)room;
    enum space_status s = SPACE_NO_RANGE;
    const char *why = "all address ranges are in use";
    pthread_mutex_lock(&lock);
    for (int i = 0; i < SPACE_DEVICES && s != SPACE_OK; i++)
        if (space_open(&d->space, i, (uint64_t)d->spec.memory_bytes, &why) == SPACE_OK) {
            d->index = i;
            s = SPACE_OK;
        }
    pthread_mutex_unlock(&lock);
    if (s != SPACE_OK) {
        alloc_release(d);
        return engine_fail(HEDDLE_OUT_OF_MEMORY, "no address range for device memory: %s", why);
    }
    d->threads = threads;
    d->threads_asked = asked;
    d->collected = models_caches() ? COUNTERS_ALL : COUNTERS_EXACT;
    d->most_pending = 2048; /* cudaLimitDevRuntimePendingLaunchCount at first, on an H200 */
    d->heap_bytes = 8 << 20; /* cudaLimitMallocHeapSize at first: CUDA C++ programming guide */
    d->stack_bytes = 1024;   /* cudaLimitStackSize at first: what an H200 answers */
    pthread_mutex_init(&d->heap_lock, NULL);
    pthread_mutex_init(&d->kept_lock, NULL);
    *out = d;
    return HEDDLE_OK;
}

void heddle_device_close(heddle_device *d)
{
    if (!d)
        return;
    check_close(d->check);
    heap_close(&d->heap, &d->space);
    pthread_mutex_destroy(&d->heap_lock);
    pthread_mutex_destroy(&d->kept_lock);
    l2_kept_free(d->kept);
    alloc_release(d->guesses);
    space_close(&d->space);
    alloc_release(d);
}

void engine_collect(heddle_device *d, counter_groups groups)
{
    d->collected = models_caches() ? groups : groups & COUNTERS_EXACT;
}

void engine_collect_blocks(heddle_device *d, uint64_t most)
{
    d->collects_blocks = most;
}

void engine_begins(heddle_device *d, uint64_t ns)
{
    d->begins = ns;
}

void engine_collect_code(heddle_device *d, bool code)
{
    d->collects_code = code;
}

heddle_status heddle_device_describe(heddle_device *d, heddle_device_info *info)
{
    if (!d || !info)
        return engine_fail(HEDDLE_INVALID_VALUE, "no device, or no place for its description");
    *info = (heddle_device_info){
        .id = d->spec.id,
        .name = d->spec.name,
        .cc_major = (int)d->spec.cc_major,
        .cc_minor = (int)d->spec.cc_minor,
        .arch = device_code_arch(&d->spec),
        .multiprocessors = (int)d->spec.multiprocessors,
        .memory_bytes = (uint64_t)d->spec.memory_bytes,
    };
    return HEDDLE_OK;
}

heddle_status heddle_collect(heddle_device *d, const char *metrics)
{
    counter_groups groups = metrics ? 0 : COUNTERS_ALL;
    struct arena a;
    heddle_status s = d ? HEDDLE_OK : engine_fail(HEDDLE_INVALID_VALUE, "no device");
    arena_init(&a);
    for (const char *at = metrics; at && *at && !s; at += *at == ',') {
        size_t n = strcspn(at, ",");
        const char *name = arena_strndup(&a, at, n);
        const struct metric *m = metric_find(name);
        if (m)
            groups |= metric_groups(m);
        else
            s = engine_metric_told(METRIC_UNKNOWN, name);
        at += n;
    }
    arena_release(&a);
    if (!s)
        engine_collect(d, groups);
    return s;
}

heddle_status heddle_device_threads(heddle_device *d, int threads)
{
    if (!d || threads < 1)
        return engine_fail(HEDDLE_INVALID_VALUE, "%d host threads: at least 1", threads);
    d->threads = threads;
    d->threads_asked = true;
    return HEDDLE_OK;
}

void heddle_device_interrupt(heddle_device *d)
{
    __atomic_store_n(&d->interrupt, 1, __ATOMIC_RELAXED);
}

heddle_status heddle_observe(heddle_device *d, void (*see)(const heddle_access *a, void *user), void *user)
{
    if (!d)
        return engine_fail(HEDDLE_INVALID_VALUE, "no device");
    d->see = see;
    d->see_user = user;
    return HEDDLE_OK;
}

heddle_status heddle_output(heddle_device *d, void (*write)(int stream, const char *text, size_t n, void *user), void *user)
{
    if (!d)
        return engine_fail(HEDDLE_INVALID_VALUE, "no device");
    d->output = write;
    d->output_user = user;
    return HEDDLE_OK;
}

heddle_status heddle_heap_size(heddle_device *d, size_t bytes)
{
    if (!d || !bytes)
        return engine_fail(HEDDLE_INVALID_VALUE, "a device heap of %zu bytes", bytes);
    pthread_mutex_lock(&d->heap_lock);
    bool open = d->heap.bytes != 0;
    if (!open)
        d->heap_bytes = bytes;
    pthread_mutex_unlock(&d->heap_lock);
    return open ? engine_fail(HEDDLE_INVALID_VALUE, "the device heap is in use: its size stays") : HEDDLE_OK;
}

heddle_status heddle_stack_size(heddle_device *d, size_t bytes)
{
    if (!d || bytes > (size_t)d->spec.max_local_bytes)
        return engine_fail(HEDDLE_INVALID_VALUE, "a stack of %zu bytes: a thread may have %lld", bytes,
                           d ? (long long)d->spec.max_local_bytes : 0);
    d->stack_bytes = (bytes + 15) / 16 * 16;
    return HEDDLE_OK;
}

const struct device *engine_device_spec(const heddle_device *d)
{
    return &d->spec;
}

int64_t engine_described_memory(const heddle_device *d)
{
    return d->described;
}

int engine_threads(const heddle_device *d)
{
    return d->threads;
}

struct space *engine_space(heddle_device *d)
{
    return &d->space;
}

/* --- device memory --- */

heddle_status heddle_alloc(heddle_device *d, size_t bytes, heddle_ptr *out)
{
    if (!d || !out || !bytes)
        return engine_fail(HEDDLE_INVALID_VALUE, "an allocation of %zu bytes", bytes);
    if (space_alloc(&d->space, bytes, SPACE_PROGRAM, NULL, out) != SPACE_OK)
        return engine_fail(HEDDLE_OUT_OF_MEMORY, "no %zu bytes of device memory are free", bytes);
    if (d->check)
        check_allocated(d->check, *out, bytes);
    return HEDDLE_OK;
}

heddle_status heddle_free(heddle_device *d, heddle_ptr p)
{
    struct space_allocation a;
    if (d && d->keeps_l2 && space_find(&d->space, p, &a) && a.address == p)
        kept_touch(d, L2_TOUCH_FREE, p, a.bytes);
    if (!d || space_free(&d->space, p) != SPACE_OK)
        return engine_fail(HEDDLE_INVALID_VALUE, "0x%llx is not the start of an allocation", (unsigned long long)p);
    return HEDDLE_OK;
}

/* Device memory [p, p + bytes) of one live allocation. */
static bool inside(heddle_device *d, heddle_ptr p, size_t bytes)
{
    struct space_allocation a;
    if (d && (!bytes || (space_find(&d->space, p, &a) && bytes <= a.address + a.bytes - p)))
        return true;
    engine_fail(HEDDLE_INVALID_VALUE, "0x%llx: %zu bytes from there are not inside one allocation", (unsigned long long)p, bytes);
    return false;
}

/* A copy of one value is one access: a kernel that waits for it sees all of it, and what was copied before. */
static void copy_bytes(void *to, const void *from, size_t bytes)
{
    if (!(((uintptr_t)to | (uintptr_t)from) & (bytes - 1))) {
        if (bytes == 4) {
            __atomic_store_n((uint32_t *)to, __atomic_load_n((const uint32_t *)from, __ATOMIC_ACQUIRE), __ATOMIC_RELEASE);
            return;
        }
        if (bytes == 8) {
            __atomic_store_n((uint64_t *)to, __atomic_load_n((const uint64_t *)from, __ATOMIC_ACQUIRE), __ATOMIC_RELEASE);
            return;
        }
    }
    memmove(to, from, bytes);
}

heddle_status heddle_copy_in(heddle_device *d, heddle_ptr to, const void *from, size_t bytes)
{
    if (!inside(d, to, bytes))
        return HEDDLE_INVALID_VALUE;
    copy_bytes(space_host(to), from, bytes);
    kept_touch(d, L2_TOUCH_FROM_HOST, to, bytes);
    if (d->check)
        check_written(d->check, to, bytes);
    return HEDDLE_OK;
}

heddle_status heddle_copy_out(heddle_device *d, void *to, heddle_ptr from, size_t bytes)
{
    if (!inside(d, from, bytes))
        return HEDDLE_INVALID_VALUE;
    copy_bytes(to, space_host(from), bytes);
    kept_touch(d, L2_TOUCH_TO_HOST, from, bytes);
    return HEDDLE_OK;
}

heddle_status heddle_copy(heddle_device *d, heddle_ptr to, heddle_ptr from, size_t bytes)
{
    if (!inside(d, to, bytes) || !inside(d, from, bytes))
        return HEDDLE_INVALID_VALUE;
    copy_bytes(space_host(to), space_host(from), bytes);
    kept_touch(d, L2_TOUCH_COPY, from, bytes);
    kept_touch(d, L2_TOUCH_FILL, to, bytes);
    if (d->check)
        check_copied(d->check, to, from, bytes);
    return HEDDLE_OK;
}

heddle_status heddle_fill(heddle_device *d, heddle_ptr to, uint32_t value, unsigned width, size_t count)
{
    if (width != 1 && width != 2 && width != 4)
        return engine_fail(HEDDLE_INVALID_VALUE, "a fill of elements of %u bytes: 1, 2 or 4", width);
    if (count > SIZE_MAX / width || !inside(d, to, count * width))
        return HEDDLE_INVALID_VALUE;
    char *p = space_host(to);
    if (width == 1)
        memset(p, (int)value, count);
    for (size_t i = 0; width > 1 && i < count; i++)
        memcpy(p + i * width, &value, width);
    kept_touch(d, L2_TOUCH_FILL, to, width * count);
    if (d->check)
        check_written(d->check, to, width * count);
    return HEDDLE_OK;
}
