/* Device time in the program (see device_time.h). */
#include "runtime/device_time.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "device/device.h"
#include "report/result.h"
#include "report/trace.h"
#include "runtime/queue.h"
#include "runtime/runtime.h"
#include "runtime/timeline.h"
#include "runtime/trace.h"

static struct timeline *line;
static struct timeline_costs costs[TIMELINE_DEVICES]; /* of open devices */

bool device_time_on(void)
{
    static int on; /* atomic; 1: no, 2: yes */
    int is = __atomic_load_n(&on, __ATOMIC_RELAXED);
    if (!is) {
        const char *value = getenv("HEDDLE_TIMED");
        is = value && !strcmp(value, "1") ? 2 : 1;
        __atomic_store_n(&on, is, __ATOMIC_RELAXED);
    }
    return is == 2;
}

void device_time_device(const struct runtime_device *d)
{
    if (!device_time_on())
        return;
    pthread_mutex_lock(&runtime_lock);
    line = line ? line : timeline_new();
    timeline_costs_of(&costs[d->index], d->spec);
    timeline_device(line, d->index, &costs[d->index]);
    pthread_mutex_unlock(&runtime_lock);
}

/* --- the host's clocks --- */

/* Of a thread of the program. */
struct clock {
    int64_t now; /* ps; atomic: others ask */
    struct clock *next;
};

static pthread_mutex_t clocks_lock = PTHREAD_MUTEX_INITIALIZER; /* may be taken under runtime_lock */
static struct clock *clocks, *first;
static int64_t first_now; /* the first thread's, when that has ended */
static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static _Thread_local struct clock *own;

static int64_t now_of(const struct clock *c)
{
    return __atomic_load_n(&c->now, __ATOMIC_RELAXED);
}

static void thread_ends(void *clock)
{
    pthread_mutex_lock(&clocks_lock);
    struct clock **at = &clocks;
    while (*at != clock)
        at = &(*at)->next;
    *at = (*at)->next;
    if (clock == first) {
        first_now = now_of(first);
        first = NULL;
    }
    alloc_release(clock);
    pthread_mutex_unlock(&clocks_lock);
}

static void make_key(void)
{
    pthread_key_create(&key, thread_ends);
}

static struct clock *own_clock(void)
{
    static bool begun;
    if (own)
        return own;
    pthread_once(&once, make_key);
    own = alloc_zeroed(sizeof *own);
    pthread_setspecific(key, own);
    pthread_mutex_lock(&clocks_lock);
    own->now = first ? now_of(first) : first_now;
    first = begun ? first : own;
    begun = true;
    own->next = clocks;
    clocks = own;
    pthread_mutex_unlock(&clocks_lock);
    return own;
}

int64_t device_time_now(void)
{
    return own_clock()->now;
}

/* The clock that stands behind all others. */
static int64_t earliest(void)
{
    int64_t least = INT64_MAX;
    pthread_mutex_lock(&clocks_lock);
    for (const struct clock *c = clocks; c; c = c->next)
        least = now_of(c) < least ? now_of(c) : least;
    pthread_mutex_unlock(&clocks_lock);
    return least;
}

static void advance(int64_t to)
{
    struct clock *c = own_clock();
    if (to > c->now)
        __atomic_store_n(&c->now, to, __ATOMIC_RELAXED);
}

static int64_t cost_of(const struct timeline_costs *of, const char *name)
{
#define CALL(begin, field) \
    if (!strncmp(name, begin, sizeof(begin) - 1)) \
        return of->field;
#include "runtime/call_costs.def"
#undef CALL
    return 0;
}

/* Before a device is open there is no figure to take. */
void device_time_call(const char *function)
{
    const struct runtime_device *d = runtime_device_if_open(runtime_current());
    if (d)
        advance(device_time_now() + cost_of(&costs[d->index], function + (strncmp(function, "cuda", 4) ? 2 : 4)));
}

/* --- the trace --- */

struct told {
    uint64_t number;
    struct trace_event event;
};
static struct told *told; /* in the order of their numbers, from `written` on */
static int ntold, told_cap, written;
static _Thread_local struct trace_event *telling; /* of the command that the thread runs */

static const char *text_of(const char *s)
{
    char *c = s ? alloc_zeroed(strlen(s) + 1) : NULL;
    return c ? strcpy(c, s) : NULL;
}

void device_time_trace(const struct trace_event *e)
{
    telling = alloc_zeroed(sizeof *telling);
    *telling = *e;
    telling->name = text_of(e->name);
    telling->library = text_of(e->library);
    telling->modelled = true;
}

static void tell(uint64_t number)
{
    if (!telling)
        return;
    ALLOC_GROW(told, ntold, told_cap);
    told[ntold++] = (struct told){number, *telling};
    alloc_release(telling);
    telling = NULL;
}

/* ps to ns. */
static int64_t ns(int64_t ps)
{
    return (ps + 500) / 1000;
}

static void write_told(void)
{
    for (; written < ntold && timeline_is_settled(line, told[written].number); written++) {
        struct trace_event *e = &told[written].event;
        timeline_when(line, told[written].number, &e->begin, &e->end);
        e->begin = ns(e->begin);
        e->end = ns(e->end);
        trace_add(e);
        alloc_release((char *)e->name);
        alloc_release((char *)e->library);
    }
    if (written == ntold)
        written = ntold = 0;
}

/* --- commands --- */

/* What the thread's command has had, and what it is for the model. */
static _Thread_local struct {
    int64_t ps; /* of launches */
    int launches;
    struct timeline_command is;
} had;

void device_time_begins(void)
{
    memset(&had, 0, sizeof had);
}

/* Part of a whole, for the model. */
static int part_of(double amount, double whole)
{
    double part = whole > 0 ? amount / whole : 0;
    return part >= 1 ? SHARING_WHOLE : part > 0 ? (int)(part * SHARING_WHOLE) : 0;
}

enum { LINE_SECTORS = 4 };

/* What DRAM takes for so many sectors, which turns between reading and writing (memory/rates.c). */
static double dram_seconds(const struct device *d, const struct result *r, double read, double wrote)
{
    const double each = 32 / (r->rates.dram_bandwidth * 1e9) * 1e4, all = read + wrote, part = all > 0 ? wrote / all : 0; /* each: at 1/10000 of the bandwidth */
    const double reads = 1 / (double)DEVICE_TAKEN(d, dram_read_share), writes = 1 / (double)DEVICE_TAKEN(d, dram_write_share);
    const double turns = 1 / (double)DEVICE_TAKEN(d, dram_copy_share) - (reads + writes) / 2;
    return each * (read * reads + wrote * writes + all * 4 * part * (1 - part) * (turns > 0 ? turns : 0));
}

/* How warps wait for L2 and DRAM. */
static void add_waits(struct sharing_need *need, const struct device *d, const struct result *r, int64_t ps, int far)
{
    const uint64_t *v = r->total.v;
    const double cycle = 1e9 / (double)d->sm_clock_khz, near = d->latency_l2 > 0 ? (double)d->latency_l2 : 0, dram = d->latency_dram > 0 ? (double)d->latency_dram : near;
    const double waited = (double)(v[COUNTER_STALL_LONG_SCOREBOARD] + v[COUNTER_STALL_LG_THROTTLE] + v[COUNTER_STALL_DRAIN]);
    need->waits = part_of(waited, (double)r->launch.warp_cycles);
    need->far = far;
    need->latency = (int64_t)(r->access_cycles * cycle);
    if (need->latency) {
        need->queue = need->latency - (int64_t)((near + (dram - near) * (double)far / SHARING_WHOLE) * cycle);
    } else if (v[COUNTER_L2_WRITE_SECTORS]) { /* as many stores are on their way as may be */
        const double stores = (double)v[COUNTER_L2_WRITE_SECTORS] / LINE_SECTORS / (double)ps, sms = (double)(need->blocks < (uint64_t)r->launch.multiprocessors ? (int64_t)need->blocks : r->launch.multiprocessors);
        need->queue = (int64_t)((double)DEVICE_TAKEN(d, stores_waiting) * sms / stores - near * cycle);
    }
    need->queue = need->queue > 0 ? need->queue : 0;
}

/* What a block needs of a multiprocessor, and how much of each unit the launch uses in these ps. */
static struct sharing_need need_of(const struct device *d, const struct result *r, int64_t ps)
{
    static const char *const metric[SHARING_UNITS] = {
#define UNIT(id, of, metric, purpose) metric,
#include "runtime/sharing_units.def"
#undef UNIT
    };
    const struct launch_facts *l = &r->launch;
    const uint64_t *v = r->total.v;
    const double seconds = (double)ps / 1e12, cycles = seconds * (double)d->sm_clock_khz * 1e3, elapsed = (double)l->cycles / (double)(l->sm_clock_khz > 0 ? l->sm_clock_khz : 1) / 1e3;
    const double reads = d->l2_read_all > 0 ? (double)d->l2_read_all : r->rates.l2_bandwidth * 1e9 / ((double)d->sm_clock_khz * 1e3), writes = d->l2_write_all > 0 ? (double)d->l2_write_all : reads;
    struct sharing_need need = {.blocks = (uint64_t)l->blocks, .fit = (uint64_t)(l->resident_blocks * l->multiprocessors)};
    need.room[SHARING_THREADS] = part_of(1, (double)l->limit_warps);
    need.room[SHARING_REGISTERS] = part_of(1, (double)l->limit_registers);
    need.room[SHARING_SHARED] = part_of((double)(l->shared_static + l->shared_dynamic + l->shared_driver), (double)d->shared_per_sm);
    need.room[SHARING_BLOCKS] = part_of(1, (double)l->limit_blocks);
    for (int u = 0; u < SHARING_UNITS; u++) {
        double percent = 0;
        if (metric[u] && result_metric(r, metric[u], &percent) == METRIC_OK && percent > 0)
            need.use[u] = part_of(percent / 100 * elapsed, seconds);
    }
    const double read = (double)v[COUNTER_DRAM_READ_SECTORS], wrote = (double)v[COUNTER_DRAM_WRITE_SECTORS], loaded = (double)v[COUNTER_L2_READ_SECTORS] - (double)v[COUNTER_L2_JOINED_SECTORS];
    need.use[SHARING_L2] = part_of(32 * (loaded / reads + (double)(v[COUNTER_L2_WRITE_SECTORS] + v[COUNTER_L2_ATOMIC_SECTORS]) / writes), cycles);
    need.use[SHARING_DRAM] = part_of(dram_seconds(d, r, read, wrote), seconds);
    add_waits(&need, d, r, ps, part_of(read, loaded));
    return need;
}

/* Several launches of one command (children, a graph's condition) are one behind the other and take the whole device. */
void device_time_launch(int device, const struct result *r)
{
    const int64_t ps = r->launch.duration_ps - costs[device].profiled;
    bool one = had.launches++ == 0 && r->launch.blocks > 0 && r->launch.resident_blocks > 0;
    had.ps += ps > 0 ? ps : 0;
    had.is.need = one ? need_of(runtime_device_if_open(device)->spec, r, ps > 0 ? ps : 1) : sharing_all(costs[device].sms);
}

void device_time_library(int device, double ps)
{
    had.launches++;
    had.ps += ps > 0 ? (int64_t)ps : 0;
    had.is.need = sharing_all(costs[device].sms);
}

static enum timeline_memory memory_of(const struct place *p)
{
    const enum trace_memory m = trace_memory_of(p);
    return m == TRACE_DEVICE || m == TRACE_MANAGED ? TIMELINE_DEVICE : m == TRACE_PINNED ? TIMELINE_PINNED : TIMELINE_PAGEABLE;
}

static void shape_copy(struct timeline_command *t, const struct command *c, const struct timeline_costs *of)
{
    const struct place *to = &c->copy.to, *from = &c->copy.from;
    uint64_t rows = c->copy.height * c->copy.depth;
    const bool within = to->on_device && from->on_device, peers = within && to->device != from->device;
    t->kind = within && !peers ? TIMELINE_MOVE : to->on_device || from->on_device ? TIMELINE_COPY : TIMELINE_MARK; /* else the host copies */
    t->engine = within ? 2 : to->on_device ? 0 : 1;
    t->work = peers ? timeline_peer_ps(of, c->copy.width, rows) : timeline_copy_ps(of, memory_of(to), memory_of(from), c->copy.width, rows);
}

void device_time_ran(const struct command *c)
{
    const struct timeline_costs *of = &costs[c->stream->device->index];
    struct timeline_command *t = &had.is;
    t->kind = TIMELINE_MARK;
    if (had.launches) {
        t->kind = TIMELINE_KERNEL;
        t->work = had.ps;
    } else if (c->kind == COMMAND_COPY) {
        shape_copy(t, c, of);
    } else if (c->kind == COMMAND_FILL) {
        t->kind = c->fill.to.on_device ? TIMELINE_MOVE : TIMELINE_MARK;
        t->work = timeline_fill_ps(of, memory_of(&c->fill.to), c->fill.width * c->fill.element, c->fill.height * c->fill.depth);
    } else if (c->kind == COMMAND_HOST) {
        t->work = of->host_function;
    } else if (c->kind == COMMAND_RECORD && !c->only_waits) {
        t->work = of->event;
    }
}

/* Where the command stands; `after` is to be released. */
static void place(struct timeline_command *t, const struct command *c)
{
    uint64_t *after = alloc_zeroed((size_t)(c->nafter + 1) * sizeof *after);
    for (int i = 0; i < c->nafter; i++)
        after[i] = c->after[i]->number;
    t->device = c->stream->device->index;
    t->priority = c->stream->priority;
    t->queued = c->queued;
    t->previous = c->stream->before;
    t->after = after;
    t->nafter = c->nafter;
}

void device_time_add(struct command *c)
{
    place(&had.is, c);
    c->ticket->number = c->stream->before = timeline_add(line, &had.is);
    alloc_release((uint64_t *)had.is.after);
    tell(c->ticket->number);
}

int64_t device_time_of_launch(const struct command *c)
{
    struct timeline_command t = {.kind = TIMELINE_KERNEL, .need = sharing_all(costs[c->stream->device->index].sms)};
    int64_t begin, end;
    pthread_mutex_lock(&runtime_lock);
    place(&t, c);
    timeline_would(line, &t, &begin, &end);
    alloc_release((uint64_t *)t.after);
    pthread_mutex_unlock(&runtime_lock);
    return ns(begin);
}

/* --- waiting and asking --- */

int64_t device_time_end(const struct ticket *t)
{
    int64_t begin, end = 0;
    if (t->number)
        timeline_when(line, t->number, &begin, &end);
    return end;
}

static void return_after(int64_t end, int device)
{
    int64_t now = device_time_now();
    advance((end > now ? end : now) + costs[device].call_return);
}

void device_time_waited(const struct ticket *t)
{
    if (t)
        return_after(device_time_end(t), t->device);
}

bool device_time_stages(int device, uint64_t bytes)
{
    return device_time_on() && bytes <= (uint64_t)costs[device].staged_bytes;
}

void device_time_staged(const struct ticket *t, uint64_t bytes)
{
    advance(device_time_now() + timeline_staged_ps(&costs[t->device], bytes));
}

void device_time_waited_all(const struct runtime_device *d)
{
    if (line)
        return_after(timeline_last(line, d ? d->index : -1), d ? d->index : 0);
}

bool device_time_past(const struct ticket *t)
{
    return device_time_end(t) <= device_time_now();
}

void device_time_settle(int64_t unfinished)
{
    enum { OPEN_MOST = 1024 }; /* where a thread has stopped calling, the others do not wait for it for ever */
    int64_t until = earliest();
    if (timeline_open(line) > OPEN_MOST && until < device_time_now())
        until = device_time_now();
    until = unfinished < until ? unfinished : until;
    if (until != INT64_MAX)
        timeline_settle(line, until);
    write_told();
}

void device_time_finish(void)
{
    if (!line)
        return;
    timeline_settle(line, INT64_MAX);
    write_told();
}
