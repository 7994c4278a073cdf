/* Device time (see timeline.h): a calendar of commands, advanced from one moment at which something begins or ends to the next. */
#include "runtime/timeline.h"

#include <string.h>

#include "base/alloc.h"
#include "device/device.h"

/* --- costs --- */

/* GB/s to bytes a microsecond; `share` in 1/10000. */
static int64_t part(double gbs, int64_t share)
{
    int64_t rate = (int64_t)(gbs * 1e3 * (double)share / 1e4);
    return rate > 0 ? rate : 1;
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* What a copy takes of its own: its start was measured from the end of the event before it. */
static int64_t behind(const struct timeline_costs *c, int64_t start)
{
    return start > c->next ? start - c->next : 0;
}

void timeline_costs_of(struct timeline_costs *c, const struct device *d)
{
    struct device_rates r;
    bool bus = d->pcie_lanes > 0 && !d->integrated; /* else host and device share one memory, which is read and written */
    device_rates(d, &r);
    *c = (struct timeline_costs){
        .begin = DEVICE_TAKEN(d, command_begin_ps), .next = DEVICE_TAKEN(d, command_next_ps), .wait = DEVICE_TAKEN(d, command_wait_ps),
        .profiled = DEVICE_TAKEN(d, launch_profiled_ps) - least(DEVICE_TAKEN(d, launch_profiled_ps), DEVICE_TAKEN(d, launch_traced_ps)), .event = DEVICE_TAKEN(d, event_ps), .host_function = DEVICE_TAKEN(d, host_function_ps),
        .call_launch = DEVICE_TAKEN(d, host_launch_ps), .call_copy = DEVICE_TAKEN(d, host_copy_ps), .call_event = DEVICE_TAKEN(d, host_event_ps),
        .call_other = DEVICE_TAKEN(d, host_call_ps), .call_return = DEVICE_TAKEN(d, host_return_ps),
        .row = DEVICE_TAKEN(d, copy_row_ps), .near_bytes = DEVICE_TAKEN(d, copy_pageable_near_bytes), .staged_bytes = DEVICE_TAKEN(d, copy_staged_bytes),
        .device_copy = part(r.dram_bandwidth / 2, DEVICE_TAKEN(d, dram_copy_share)), .fill = part(r.dram_bandwidth, DEVICE_TAKEN(d, dram_write_share)),
        .engines = (int)least(d->async_engines, TIMELINE_ENGINES), .grids = d->concurrent_kernels ? (int)d->max_resident_grids : 1, .sms = (int)d->multiprocessors};
    c->pinned_in = !bus ? c->device_copy : d->copy_bytes_per_us > 0 ? d->copy_bytes_per_us : part(r.pcie_bandwidth, DEVICE_TAKEN(d, copy_bus_share));
    c->pinned_out = !bus ? c->device_copy : d->copy_back_bytes_per_us > 0 ? d->copy_back_bytes_per_us : part(r.pcie_bandwidth, DEVICE_TAKEN(d, copy_bus_share));
    c->pageable_in = least(c->pinned_in, DEVICE_TAKEN(d, copy_pageable_bytes_per_us));
    c->pageable_out = least(c->pinned_out, DEVICE_TAKEN(d, copy_back_pageable_bytes_per_us));
    c->pageable_far = least(c->pinned_in, DEVICE_TAKEN(d, copy_pageable_far_bytes_per_us));
    c->peer = r.nvlink_bandwidth > 0 ? part(r.nvlink_bandwidth, DEVICE_TAKEN(d, copy_bus_share)) : c->pinned_in;
    c->in_least = behind(c, DEVICE_TAKEN(d, copy_start_ps));
    c->out_least = behind(c, DEVICE_TAKEN(d, copy_back_start_ps));
    c->pageable_in_least = behind(c, DEVICE_TAKEN(d, copy_pageable_start_ps));
    c->pageable_out_least = behind(c, DEVICE_TAKEN(d, copy_back_pageable_start_ps));
    c->device_least = behind(c, DEVICE_TAKEN(d, copy_device_start_ps));
    c->fill_least = behind(c, DEVICE_TAKEN(d, fill_start_ps));
}

static int64_t bytes_ps(uint64_t bytes, int64_t rate)
{
    return (int64_t)(((unsigned __int128)bytes * 1000000 + (uint64_t)rate - 1) / (uint64_t)rate);
}

/* Rows that are short take longer than their bytes. */
static int64_t rows_ps(const struct timeline_costs *c, int64_t first, uint64_t width, uint64_t rows, int64_t rate)
{
    int64_t row = bytes_ps(width, rate);
    if (rows <= 1 || row >= c->row)
        return first + bytes_ps(width * rows, rate);
    return first + (int64_t)rows * c->row;
}

/* Bytes a microsecond that the host copies from memory of its own. */
static int64_t host_rate(const struct timeline_costs *c, uint64_t bytes)
{
    return bytes <= (uint64_t)c->near_bytes ? c->pageable_in : c->pageable_far;
}

int64_t timeline_staged_ps(const struct timeline_costs *c, uint64_t bytes)
{
    return bytes_ps(bytes, c->pageable_in);
}

int64_t timeline_copy_ps(const struct timeline_costs *c, enum timeline_memory to, enum timeline_memory from, uint64_t width, uint64_t rows)
{
    if (to == TIMELINE_DEVICE && from == TIMELINE_DEVICE)
        return rows_ps(c, c->device_least, width, rows, c->device_copy);
    if (to == TIMELINE_DEVICE)
        return from == TIMELINE_PINNED ? rows_ps(c, c->in_least, width, rows, c->pinned_in)
                                       : rows_ps(c, c->pageable_in_least, width, rows, host_rate(c, width * rows));
    if (from == TIMELINE_DEVICE)
        return to == TIMELINE_PINNED ? rows_ps(c, c->out_least, width, rows, c->pinned_out)
                                     : rows_ps(c, c->pageable_out_least, width, rows, c->pageable_out);
    return rows_ps(c, 0, width, rows, host_rate(c, width * rows));
}

int64_t timeline_peer_ps(const struct timeline_costs *c, uint64_t width, uint64_t rows)
{
    return rows_ps(c, c->device_least, width, rows, c->peer);
}

int64_t timeline_fill_ps(const struct timeline_costs *c, enum timeline_memory to, uint64_t width, uint64_t rows)
{
    if (to == TIMELINE_DEVICE)
        return rows_ps(c, c->fill_least, width, rows, c->fill);
    return rows_ps(c, 0, width, rows, to == TIMELINE_PINNED ? c->pinned_out : host_rate(c, width * rows));
}

/* --- commands --- */

#define NEVER INT64_MAX

enum state { WAITS, WANTS /* a kernel: room */, RUNS, ENDED };

struct item {
    enum timeline_kind kind, asked; /* as what it is done; as what it was asked for */
    enum state state;
    int device, engine, priority, unmet; /* unmet: commands that it waits for and that have not ended */
    int64_t ready;      /* the earliest moment at which it may begin, as far as is known */
    int64_t begin, end;
    int64_t work;
    struct sharing_need need;
    int first_edge;     /* of those that wait for it; -1: none */
};

/* `item` waits for the item that the edge belongs to. */
struct edge {
    uint64_t item; /* number */
    int next;
    bool other; /* they are of different streams */
};

struct timeline {
    struct timeline_costs costs[TIMELINE_DEVICES];
    struct sharing sharing[TIMELINE_DEVICES];
    int64_t now;
    uint64_t base;  /* number of item[0] */
    struct item *item;
    int n, cap;
    struct edge *edge;
    int edges, edge_cap, free_edge;
    int *live;      /* indices of items that wait for nobody or run, in the order of numbers */
    int nlive, live_cap;
    int *over;      /* those that have just ended */
    int over_cap;
    int64_t (*past)[2]; /* begin and end of the items before base, from number 1 on */
    int past_cap;
    int64_t last[TIMELINE_DEVICES]; /* end of a device's last command so far */
};

void timeline_device(struct timeline *t, int device, const struct timeline_costs *c)
{
    t->costs[device] = *c;
    if (t->sharing[device].nkernels)
        return; /* it is opened once more, and is what it was */
    sharing_release(&t->sharing[device]);
    sharing_init(&t->sharing[device], c->sms, c->grids);
}

struct timeline *timeline_new(void)
{
    struct timeline *t = alloc_zeroed(sizeof *t);
    t->base = 1;
    t->free_edge = -1;
    for (int i = 0; i < TIMELINE_DEVICES; i++)
        timeline_device(t, i, &(struct timeline_costs){.engines = 1, .grids = 1, .sms = 1});
    return t;
}

void timeline_free(struct timeline *t)
{
    if (!t)
        return;
    for (int d = 0; d < TIMELINE_DEVICES; d++)
        sharing_release(&t->sharing[d]);
    alloc_release(t->item);
    alloc_release(t->edge);
    alloc_release(t->live);
    alloc_release(t->over);
    alloc_release(t->past);
    alloc_release(t);
}

static int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* How long after the end of one command, of a kind, another may begin. */
static int64_t pause_of(const struct timeline *t, enum timeline_kind after, const struct item *it, bool other)
{
    const struct timeline_costs *c = &t->costs[it->device];
    const bool at_once = it->kind == TIMELINE_MARK && (other || after != TIMELINE_KERNEL);
    return at_once ? 0 : other ? c->wait : c->next;
}

static void join(struct timeline *t, int index)
{
    int at = t->nlive;
    ALLOC_GROW(t->live, t->nlive, t->live_cap);
    for (; at > 0 && t->live[at - 1] > index; at--)
        t->live[at] = t->live[at - 1];
    t->live[at] = index;
    t->nlive++;
}

static int new_edge(struct timeline *t)
{
    int e = t->free_edge;
    if (e >= 0) {
        t->free_edge = t->edge[e].next;
        return e;
    }
    ALLOC_GROW(t->edge, t->edges, t->edge_cap);
    return t->edges++;
}

/* The newest item waits for command `number`. */
static void depend(struct timeline *t, uint64_t number, bool other)
{
    struct item *it = &t->item[t->n - 1];
    if (!number)
        return;
    if (number < t->base) {
        it->ready = later(it->ready, t->past[number - 1][1] + pause_of(t, TIMELINE_MARK, it, other));
        return;
    }
    struct item *on = &t->item[number - t->base];
    if (on->state == ENDED) {
        it->ready = later(it->ready, on->end + pause_of(t, on->asked, it, other));
        return;
    }
    int e = new_edge(t);
    t->edge[e] = (struct edge){t->base + (uint64_t)t->n - 1, on->first_edge, other};
    on->first_edge = e;
    it->unmet++;
}

uint64_t timeline_add(struct timeline *t, const struct timeline_command *c)
{
    const struct timeline_costs *costs = &t->costs[c->device];
    ALLOC_GROW(t->item, t->n, t->cap);
    struct item *it = &t->item[t->n++];
    *it = (struct item){.kind = c->kind, .asked = c->kind, .device = c->device, .priority = c->priority, .work = c->work, .need = c->need, .first_edge = -1};
    it->ready = later(c->queued, t->now) + costs->begin;
    if (c->kind == TIMELINE_MOVE || (c->kind == TIMELINE_COPY && !costs->engines)) {
        it->kind = TIMELINE_KERNEL;
        it->need = sharing_all(costs->sms);
    } else if (c->kind == TIMELINE_COPY) {
        it->engine = c->engine % costs->engines;
    }
    depend(t, c->previous, false);
    for (int i = 0; i < c->nafter; i++)
        depend(t, c->after[i], true);
    if (!it->unmet)
        join(t, t->n - 1);
    return t->base + (uint64_t)t->n - 1;
}

/* --- time goes on --- */

static void start(struct timeline *t, struct item *it)
{
    it->state = RUNS;
    it->begin = t->now;
    it->end = it->kind == TIMELINE_KERNEL ? NEVER : t->now + it->work;
}

static void end(struct timeline *t, struct item *it)
{
    it->state = ENDED;
    it->end = t->now;
    t->last[it->device] = t->now;
    for (int e = it->first_edge, next; e >= 0; e = next) {
        struct item *w = &t->item[t->edge[e].item - t->base];
        next = t->edge[e].next;
        w->ready = later(w->ready, t->now + pause_of(t, it->asked, w, t->edge[e].other));
        if (!--w->unmet)
            join(t, (int)(w - t->item));
        t->edge[e].next = t->free_edge;
        t->free_edge = e;
    }
    it->first_edge = -1;
}

/* Does `a` come before `b` when both want the same? Items stand in the order of their numbers. */
static bool before(const struct item *a, const struct item *b)
{
    return a->priority != b->priority ? a->priority < b->priority : a->ready < b->ready;
}

static void begin_marks(struct timeline *t)
{
    for (int i = 0; i < t->nlive; i++) {
        struct item *it = &t->item[t->live[i]];
        if (it->kind == TIMELINE_MARK && it->state == WAITS && it->ready <= t->now)
            start(t, it);
    }
}

static void begin_copies(struct timeline *t)
{
    struct item *best[TIMELINE_DEVICES][TIMELINE_ENGINES] = {0};
    bool busy[TIMELINE_DEVICES][TIMELINE_ENGINES] = {0};
    for (int i = 0; i < t->nlive; i++) {
        struct item *it = &t->item[t->live[i]], **b = &best[it->device][it->engine];
        if (it->kind != TIMELINE_COPY)
            continue;
        if (it->state == RUNS)
            busy[it->device][it->engine] = true;
        else if (it->ready <= t->now && (!*b || before(it, *b)))
            *b = it;
    }
    for (int d = 0; d < TIMELINE_DEVICES; d++)
        for (int e = 0; e < TIMELINE_ENGINES; e++)
            if (best[d][e] && !busy[d][e])
                start(t, best[d][e]);
}

static struct item *item_of(struct timeline *t, uint64_t number)
{
    return &t->item[number - t->base];
}

/* Kernels that may begin ask for room, in the order in which they could; then they get what there is. */
static void begin_kernels(struct timeline *t)
{
    for (;;) {
        struct item *first = NULL;
        for (int i = 0; i < t->nlive; i++) {
            struct item *it = &t->item[t->live[i]];
            if (it->kind == TIMELINE_KERNEL && it->state == WAITS && it->ready <= t->now && (!first || it->ready < first->ready))
                first = it;
        }
        if (!first)
            break;
        first->state = WANTS;
        sharing_come(&t->sharing[first->device], t->base + (uint64_t)(first - t->item), first->priority, first->work, &first->need);
    }
    for (int d = 0; d < TIMELINE_DEVICES; d++)
        for (uint64_t n; t->sharing[d].nkernels && (n = sharing_begin(&t->sharing[d])) != 0;)
            start(t, item_of(t, n));
}

/* The next moment at which something begins or ends. */
static int64_t next_moment(struct timeline *t)
{
    int64_t next = NEVER;
    for (int i = 0; i < t->nlive; i++) {
        const struct item *it = &t->item[t->live[i]];
        int64_t at = NEVER;
        if (it->state == WAITS)
            at = it->ready > t->now ? it->ready : NEVER; /* else it waits for what somebody else has */
        else if (it->kind != TIMELINE_KERNEL)
            at = it->end;
        next = least(next, at);
    }
    for (int d = 0; d < TIMELINE_DEVICES; d++) {
        const int64_t ps = t->sharing[d].nkernels ? sharing_next(&t->sharing[d]) : NEVER;
        next = ps == NEVER ? next : least(next, t->now + ps);
    }
    return next;
}

/* Kernels have done what they do until the moment. */
static void work_until(struct timeline *t, int64_t moment)
{
    for (int d = 0; d < TIMELINE_DEVICES; d++)
        if (t->sharing[d].nkernels)
            sharing_pass(&t->sharing[d], moment - t->now);
    t->now = moment;
    for (int d = 0; d < TIMELINE_DEVICES; d++)
        for (uint64_t n; t->sharing[d].nkernels && (n = sharing_end(&t->sharing[d])) != 0;)
            item_of(t, n)->end = moment;
}

/* What is over leaves; then those that waited for it come in. */
static bool end_some(struct timeline *t)
{
    int left = 0, n = 0;
    for (int i = 0; i < t->nlive; i++) {
        struct item *it = &t->item[t->live[i]];
        if (it->state == RUNS && it->end <= t->now) {
            ALLOC_GROW(t->over, n, t->over_cap);
            t->over[n++] = t->live[i];
        } else {
            t->live[left++] = t->live[i];
        }
    }
    t->nlive = left;
    for (int i = 0; i < n; i++)
        end(t, &t->item[t->over[i]]);
    return n > 0;
}

/* Advances to `until`, or until a command has ended. */
static void advance(struct timeline *t, int64_t until, uint64_t number)
{
    for (;;) {
        do {
            begin_marks(t);
            begin_copies(t);
            begin_kernels(t);
        } while (end_some(t));
        int64_t next = next_moment(t);
        if (next > until || next == NEVER || (number && t->item[number - t->base].state == ENDED))
            break;
        work_until(t, next);
        end_some(t);
    }
    if (until != NEVER && until > t->now)
        work_until(t, until);
}

/* Items before the first that has not ended become numbers. */
static void forget(struct timeline *t)
{
    int n = 0;
    while (n < t->n && t->item[n].state == ENDED)
        n++;
    if (!n || (n < t->n && n < 64))
        return;
    int need = (int)t->base - 1 + n;
    if (need > t->past_cap) {
        t->past_cap = 2 * need + 64;
        t->past = alloc_resize(t->past, (size_t)t->past_cap * sizeof *t->past);
    }
    for (int i = 0; i < n; i++) {
        t->past[t->base - 1 + (uint64_t)i][0] = t->item[i].begin;
        t->past[t->base - 1 + (uint64_t)i][1] = t->item[i].end;
    }
    memmove(t->item, t->item + n, (size_t)(t->n - n) * sizeof *t->item);
    t->n -= n;
    t->base += (uint64_t)n;
    for (int i = 0; i < t->nlive; i++)
        t->live[i] -= n;
}

void timeline_settle(struct timeline *t, int64_t until)
{
    if (until <= t->now)
        return;
    advance(t, until, 0);
    forget(t);
}

int64_t timeline_settled(const struct timeline *t)
{
    return t->now;
}

static void *copy_of(const void *p, size_t bytes)
{
    void *c = alloc_zeroed(bytes ? bytes : 1);
    if (bytes)
        memcpy(c, p, bytes);
    return c;
}

bool timeline_is_settled(const struct timeline *t, uint64_t number)
{
    return number < t->base || t->item[number - t->base].state == ENDED;
}

/* What would be is found out with a copy. */
static void look_ahead(const struct timeline *t, struct timeline *ahead)
{
    *ahead = *t;
    for (int d = 0; d < TIMELINE_DEVICES; d++)
        sharing_copy(&ahead->sharing[d], &t->sharing[d]);
    ahead->item = copy_of(t->item, (size_t)t->n * sizeof *t->item);
    ahead->edge = copy_of(t->edge, (size_t)t->edges * sizeof *t->edge);
    ahead->live = copy_of(t->live, (size_t)t->nlive * sizeof *t->live);
    ahead->cap = t->n;
    ahead->edge_cap = t->edges;
    ahead->live_cap = t->nlive;
    ahead->over = NULL;
    ahead->over_cap = 0;
}

static void look_back(struct timeline *ahead)
{
    for (int d = 0; d < TIMELINE_DEVICES; d++)
        sharing_release(&ahead->sharing[d]);
    alloc_release(ahead->item);
    alloc_release(ahead->edge);
    alloc_release(ahead->live);
    alloc_release(ahead->over);
}

static void when(struct timeline *t, uint64_t number, int64_t *begin, int64_t *end)
{
    advance(t, NEVER, number);
    *begin = t->item[number - t->base].begin;
    *end = t->item[number - t->base].end;
}

void timeline_when(struct timeline *t, uint64_t number, int64_t *begin, int64_t *end)
{
    struct timeline ahead;
    if (number < t->base) {
        *begin = t->past[number - 1][0];
        *end = t->past[number - 1][1];
    } else if (t->item[number - t->base].state == ENDED) {
        *begin = t->item[number - t->base].begin;
        *end = t->item[number - t->base].end;
    } else {
        look_ahead(t, &ahead);
        when(&ahead, number, begin, end);
        look_back(&ahead);
    }
}

void timeline_would(struct timeline *t, const struct timeline_command *c, int64_t *begin, int64_t *end)
{
    struct timeline ahead;
    look_ahead(t, &ahead);
    when(&ahead, timeline_add(&ahead, c), begin, end);
    look_back(&ahead);
}

int64_t timeline_last(struct timeline *t, int device)
{
    struct timeline ahead;
    int64_t last = 0;
    for (int d = 0; d < TIMELINE_DEVICES; d++)
        last = device < 0 || d == device ? later(last, t->last[d]) : last;
    if (!timeline_open(t))
        return last;
    look_ahead(t, &ahead);
    advance(&ahead, NEVER, 0);
    for (int d = 0; d < TIMELINE_DEVICES; d++)
        last = device < 0 || d == device ? later(last, ahead.last[d]) : last;
    look_back(&ahead);
    return last;
}

int timeline_open(const struct timeline *t)
{
    int n = 0;
    for (int i = 0; i < t->n; i++)
        n += t->item[i].state != ENDED;
    return n;
}
