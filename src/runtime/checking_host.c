/* What the host does wrong, and where it made and freed its memory (see checking.h).
 *
 * A finding is what one place of the program (the same stack) does wrong in one way; it is kept, counted, and written
 * when there is one and again whenever its count has grown much, so that a program that is killed leaves its report. */
#include "runtime/checking.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "base/alloc.h"
#include "base/strbuf.h"
#include "base/table.h"
#include "check/check.h"
#include "engine.h"
#include "report/findings.h"
#include "runtime/command.h"
#include "runtime/frames.h"
#include "runtime/library_work.h"
#include "runtime/pointer.h"
#include "runtime/queue.h"
#include "space/space.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards everything below */

/* --- findings --- */

struct counted {
    struct key {
        const struct frames *frames;
        uint64_t kind, what;
    } key;
    struct finding *finding;
    int64_t told; /* its count when it was written last */
};

static struct table by_key;
static struct counted **all;
static size_t nall, all_cap;

static void tell(struct counted *c)
{
    c->told = c->finding->count;
    checking_write(c->finding);
}

static struct counted *new_counted(const struct key *key)
{
    struct counted *c = alloc_zeroed(sizeof *c);
    struct finding *f = finding_new();
    enum check_kind kind = (enum check_kind)key->kind;

    c->key = *key;
    c->finding = f;
    f->id = (int64_t)nall;
    f->tool = check_tool_name(check_kind_tool(kind));
    f->kind = check_kind_name(kind);
    f->severity = check_kind_severity(kind) == CHECK_ERROR ? "error" : "warning";
    f->cases = ARENA_ARRAY(&f->arena, struct finding_case, CHECK_KEPT);
    memset(f->cases, 0, CHECK_KEPT * sizeof *f->cases);
    ALLOC_GROW(all, nall, all_cap);
    all[nall++] = c;
    table_setn(&by_key, (const char *)&c->key, sizeof c->key, c);
    return c;
}

/* One more of it: the finding, which is new when its count is 1. To be called with the lock, and followed by told. */
static struct counted *count(enum check_kind kind, const struct frames *frames, uint64_t what, uint64_t address)
{
    struct key key = {frames, kind, what};
    struct counted *c = table_getn(&by_key, (const char *)&key, sizeof key);

    c = c ? c : new_counted(&key);
    if (c->finding->ncases < CHECK_KEPT)
        c->finding->cases[c->finding->ncases++].address = address;
    c->finding->count++;
    return c;
}

static void counted(struct counted *c)
{
    enum { GROWN = 8 };

    if (c->finding->count >= GROWN * c->told)
        tell(c);
}

void checking_flush(void)
{
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < nall; i++)
        if (all[i]->told != all[i]->finding->count)
            tell(all[i]);
    pthread_mutex_unlock(&lock);
}

/* --- allocations --- */

/* Where an allocation was made and freed: for each that there ever was, by its device and serial. */
struct history {
    const struct frames *made, *freed;
};

static struct {
    struct history *of;
    uint64_t n;
} histories[RUNTIME_DEVICES];

static struct history *history(uint64_t address, uint64_t serial)
{
    uint64_t device = (address - SPACE_BASE) / SPACE_STRIDE;

    return device < RUNTIME_DEVICES && serial < histories[device].n ? &histories[device].of[serial] : NULL;
}

static bool of_the_program(const struct space_allocation *a)
{
    return a->kind == SPACE_PROGRAM || a->kind == SPACE_MANAGED || a->kind == SPACE_HOST;
}

static void tell_unused(struct runtime_device *d, const struct space_allocation *a, const struct frames *made);

static void see(const struct space_allocation *a, bool was_freed, void *user)
{
    struct runtime_device *d = user;
    struct history *h;

    if (!of_the_program(a))
        return;
    pthread_mutex_lock(&lock);
    while (a->serial >= histories[d->index].n) {
        uint64_t n = histories[d->index].n ? 2 * histories[d->index].n : 64;

        histories[d->index].of = alloc_resize(histories[d->index].of, n * sizeof *histories[d->index].of);
        memset(histories[d->index].of + histories[d->index].n, 0,
               (n - histories[d->index].n) * sizeof *histories[d->index].of);
        histories[d->index].n = n;
    }
    h = history(a->address, a->serial);
    *(was_freed ? &h->freed : &h->made) = frames_here();
    if (was_freed)
        tell_unused(d, a, h->made);
    pthread_mutex_unlock(&lock);
}

void checking_watch(struct runtime_device *d)
{
    space_watch(d->space, see, d);
}

void checking_allocation(struct finding *f)
{
    struct history *h;

    pthread_mutex_lock(&lock);
    h = f->near_serial ? history((uint64_t)f->near_address, (uint64_t)f->near_serial) : NULL;
    if (h) {
        f->made_backtrace = checking_backtrace(&f->arena, h->made);
        f->freed_backtrace = checking_backtrace(&f->arena, h->freed);
    }
    pthread_mutex_unlock(&lock);
}

/* --- calls --- */

static _Thread_local struct strbuf why;

void checking_why(const char *fmt, ...)
{
    va_list ap;

    if (!runtime_checking())
        return;
    va_start(ap, fmt);
    strbuf_addv(&why, fmt, ap);
    va_end(ap);
    strbuf_adds(&why, "\n");
}

/* "Not yet" is an answer, no error, unless somebody wants to see all. */
static bool is_reported(int error)
{
    const struct checking_settings *s = checking_settings();

    return s->tools & CHECK_MEMCHECK && s->api != CHECKING_API_NO && (s->api == CHECKING_API_ALL || error != cudaErrorNotReady);
}

void checking_call(int error, const char *name, const char *text)
{
    const struct frames *frames;
    struct counted *c;
    struct finding *f;

    if (!is_reported(error)) {
        strbuf_clear(&why);
        return;
    }
    frames = frames_here();
    pthread_mutex_lock(&lock);
    c = count(CHECK_API_ERROR, frames, (uint64_t)error, 0);
    f = c->finding;
    if (f->count == 1) {
        f->launch = -1;
        f->message = arena_printf(&f->arena, "Program hit %s (error %d) due to \"%s\" on CUDA API call to %s.",
                                  name, error, text, frames->entry ? frames->entry : "?");
        f->text = why.len ? arena_strdup(&f->arena, why.s) : NULL;
        f->backtrace = checking_backtrace(&f->arena, frames);
    }
    counted(c);
    pthread_mutex_unlock(&lock);
    strbuf_clear(&why);
}

/* --- copies --- */

static bool from_cuda_malloc(const struct place *p)
{
    struct space_allocation a;

    return p->on_device && space_find(p->device->space, p->at, &a) && a.kind == SPACE_PROGRAM;
}

void checking_copy(const struct command *c)
{
    const struct place *from = &c->copy.from;
    uint64_t unwritten = 0, first = 0, at;
    struct counted *k;
    struct finding *f;

    if (!(checking_settings()->tools & CHECK_INITCHECK) || c->copy.to.on_device || !from_cuda_malloc(from))
        return;
    for (size_t z = 0; z < c->copy.depth; z++)
        for (size_t y = 0; y < c->copy.height; y++) {
            uint64_t n =
                engine_unwritten(from->device->engine, from->at + z * from->slice + y * from->pitch,
                                 c->copy.width, &at);

            first = unwritten ? first : at;
            unwritten += n;
        }
    if (!unwritten)
        return;
    pthread_mutex_lock(&lock);
    k = count(CHECK_UNWRITTEN_COPY, c->frames, 0, first);
    f = k->finding;
    if (f->count == 1) {
        const char *entry = c->frames && c->frames->entry ? c->frames->entry : "a copy";

        f->space = "global";
        f->access = "read";
        f->bytes = (int64_t)(c->copy.width * c->copy.height * c->copy.depth);
        f->message = arena_printf(&f->arena, "Host API uninitialized memory access: %s of %" PRId64 " bytes from 0x%" PRIx64
                                             " to the host", entry, f->bytes, from->at);
        f->text = arena_printf(&f->arena, "Uninitialized access at 0x%" PRIx64 " on access by %s source: %" PRIu64
                                          " of the bytes were never written", first, entry, unwritten);
        f->backtrace = checking_backtrace(&f->arena, c->frames);
    }
    counted(k);
    pthread_mutex_unlock(&lock);
}

/* --- operands of library calls --- */

/* The finding of one operand of a call from one place; new when its count is 1. */
static struct counted *of_operand(enum check_kind kind, const struct command *c, const struct library_operand *o, uint64_t address)
{
    struct counted *k = count(kind, c->frames, (uint64_t)(uintptr_t)o->name, address);
    struct finding *f = k->finding;

    if (f->count == 1) {
        f->launch = -1;
        f->kernel = arena_strdup(&f->arena, c->library->call.function);
        f->space = "global";
        f->access = o->access & LIBRARY_READ ? "read" : "write";
        f->backtrace = checking_backtrace(&f->arena, c->frames);
    }
    return k;
}

static void add_nearest(struct finding *f, uint64_t address)
{
    const struct runtime_device *d = pointer_device(address);
    struct space_allocation a = {0};
    struct history *h;
    bool inside = d && space_find(d->space, address, &a), freed = d && !inside && space_find_freed(d->space, address, &a);
    bool before = address < a.address;

    if (!a.bytes) {
        f->place = "nowhere";
        return;
    }
    f->place = freed ? "freed" : inside ? "inside" : before ? "before" : "after";
    f->distance = (int64_t)(before ? a.address - address : freed || inside ? address - a.address : address - a.address - a.bytes + 1);
    f->near_address = (int64_t)a.address;
    f->near_bytes = (int64_t)a.bytes;
    h = history(a.address, a.serial);
    f->made_backtrace = h ? checking_backtrace(&f->arena, h->made) : NULL;
    f->freed_backtrace = h && freed ? checking_backtrace(&f->arena, h->freed) : NULL;
}

void checking_operand_lies(const struct command *c, const struct library_operand *o, const struct library_stray *s, const char *text)
{
    struct counted *k;
    struct finding *f;

    pthread_mutex_lock(&lock);
    k = of_operand(CHECK_OUT_OF_BOUNDS, c, o, s->address);
    f = k->finding;
    if (f->count == 1) {
        f->bytes = (int64_t)s->bytes;
        f->message = arena_printf(&f->arena, "Invalid __global__ %s by %s: operand '%s' leaves its allocation", f->access, f->kernel, o->name);
        f->text = arena_strdup(&f->arena, text);
        add_nearest(f, s->address);
    }
    counted(k);
    pthread_mutex_unlock(&lock);
}

void checking_operand_read(const struct command *c, const struct library_operand *o)
{
    const struct pointer p = pointer_look(o->at);
    uint64_t unwritten = 0, first = 0, at;
    struct library_rows r;
    struct counted *k;
    struct finding *f;

    if (!(checking_settings()->tools & CHECK_INITCHECK) || !(o->access & LIBRARY_READ) || p.kind != POINTER_DEVICE || p.variable)
        return;
    library_rows_begin(&r, o);
    while (library_rows_next(&r)) {
        uint64_t n = engine_unwritten(p.device->engine, r.at, r.bytes, &at);

        first = unwritten ? first : at;
        unwritten += n;
    }
    if (!unwritten)
        return;
    pthread_mutex_lock(&lock);
    k = of_operand(CHECK_UNINITIALISED, c, o, first);
    f = k->finding;
    if (f->count == 1) {
        f->bytes = (int64_t)library_operand_bytes(o);
        f->message = arena_printf(&f->arena, "Uninitialized __global__ memory read by %s: operand '%s'", f->kernel, o->name);
        f->text = arena_printf(&f->arena, "%" PRIu64 " of its %" PRId64 " bytes were never written, the first at 0x%" PRIx64, unwritten, f->bytes, first);
    }
    counted(k);
    pthread_mutex_unlock(&lock);
}

/* --- what is left at the end --- */

static void tell_leak(const struct space_allocation *a)
{
    struct history *h;
    struct counted *c;
    struct finding *f;

    if (!of_the_program(a))
        return;
    h = history(a->address, a->serial);
    c = count(CHECK_LEAK, h ? h->made : NULL, a->bytes, a->address);
    f = c->finding;
    if (f->count == 1) {
        f->bytes = (int64_t)a->bytes;
        f->near_label = a->kind == SPACE_MANAGED ? "managed memory" : a->kind == SPACE_HOST ? "pinned host memory" : NULL;
        f->made_backtrace = h ? checking_backtrace(&f->arena, h->made) : NULL;
    }
}

/* Memory of cudaMalloc that no kernel, copy or fill has written. */
static void tell_unused(struct runtime_device *d, const struct space_allocation *a, const struct frames *made)
{
    uint64_t first, n;
    struct counted *c;
    struct finding *f;

    if (!checking_settings()->unused || a->kind != SPACE_PROGRAM)
        return;
    n = engine_unwritten(d->engine, a->address, a->bytes, &first);
    if (!n)
        return;
    c = count(CHECK_UNUSED, made, a->bytes, a->address);
    f = c->finding;
    if (f->count == 1) {
        f->bytes = (int64_t)a->bytes;
        f->message = arena_printf(&f->arena,
                                  "Unused __global__ memory in allocation 0x%" PRIx64
                                  " of size %" PRIu64 " bytes",
                                  a->address, a->bytes);
        f->text = arena_printf(&f->arena,
                               "Not written %" PRIu64 " bytes, the first at offset 0x%" PRIx64
                               " (0x%" PRIx64 ")\n"
                               "%g%% of allocation were unused.",
                               n, first - a->address, first, 100.0 * (double)n / (double)a->bytes);
        f->made_backtrace = checking_backtrace(&f->arena, made);
    }
    counted(c);
}

struct left {
    struct space_allocation *a;
    size_t n, cap;
};

static void keep(const struct space_allocation *a, void *user)
{
    struct left *l = user;

    ALLOC_GROW(l->a, l->n, l->cap);
    l->a[l->n++] = *a;
}

static void heap_leak(uint64_t address, uint64_t bytes, void *user)
{
    struct finding *f = count(CHECK_LEAK, NULL, bytes, address)->finding;

    (void)user;
    f->bytes = (int64_t)bytes;
    f->near_label = "the device heap";
}

void checking_end(struct runtime_device *d, bool reset)
{
    const struct checking_settings *s = checking_settings();
    struct left left = {0};

    if (!s->leaks && !s->unused)
        return;
    space_each(d->space, keep, &left);
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < left.n; i++) {
        struct history *h = history(left.a[i].address, left.a[i].serial);

        if (s->unused && !reset)
            tell_unused(d, &left.a[i], h ? h->made : NULL);
        if (s->leaks && s->tools & CHECK_MEMCHECK)
            tell_leak(&left.a[i]);
    }
    if (s->leaks && s->tools & CHECK_MEMCHECK)
        engine_each_of_heap(d->engine, heap_leak, NULL);
    pthread_mutex_unlock(&lock);
    alloc_release(left.a);
    checking_flush();
}
