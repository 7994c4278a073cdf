/* Rows of a trace (see trace_rows.h). */
#include "report/trace_rows.h"

#include <stdlib.h>
#include <string.h>

#include "report/filter.h"

/* Which row an event is in. */
struct key {
    int64_t pid;
    int kind; /* 0 calls, 1 ranges, 2 commands: their order */
    int64_t thread;
    int device, stream;
};

static struct key key_of(const struct trace_event *e)
{
    const bool call = e->kind == TRACE_CALL, range = e->kind == TRACE_RANGE;
    return (struct key){e->pid, call ? 0 : range ? 1 : 2, call || range ? e->thread : 0, call || range ? 0 : e->device,
                        call || range ? 0 : report_stream(e->stream)};
}

static bool same(const struct key *a, const struct key *b)
{
    return a->pid == b->pid && a->kind == b->kind && a->thread == b->thread && a->device == b->device && a->stream == b->stream;
}

struct building {
    struct key key;
    struct trace_row row;
    int first; /* event */
};

/* By process in the order of beginning, then by kind, device and stream; threads by their first call. */
static int by_place(const void *a, const void *b)
{
    const struct building *x = a, *y = b;
#define BY(field) \
    if (x->field != y->field) \
        return x->field < y->field ? -1 : 1;
    BY(key.pid)
    BY(key.kind)
    BY(key.device)
    BY(key.stream)
    BY(first)
#undef BY
    return 0;
}

static const char *base_name(const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL;
    return slash ? slash + 1 : path ? path : "";
}

static void name_row(struct building *b, const struct trace_event *e, struct arena *a)
{
    struct trace_row *r = &b->row;
    r->host = b->key.kind < 2;
    r->nests = b->key.kind == 1;
    r->pid = e->pid;
    r->device = e->device;
    r->stream = r->host ? 0 : b->key.stream;
    r->group = r->host ? arena_strdup(a, base_name(e->process)) : arena_printf(a, "%s (%d)", e->device_name ? e->device_name : "device", e->device);
    if (r->host)
        r->label = arena_printf(a, "%s %d", b->key.kind ? "NVTX, thread" : "host thread", r->thread);
    else
        r->label = arena_printf(a, "stream %d%s", r->stream, e->stream ? "" : " (default)");
}

/* The number of a thread: as it came first among the threads of its process. */
static int number_of(const struct building *b, int n, const struct key *k)
{
    int number = 1;
    for (int i = 0; i < n; i++) {
        bool counted = false; /* its ranges and its calls are one thread */
        if (b[i].key.pid != k->pid || b[i].key.kind == 2)
            continue;
        if (b[i].key.thread == k->thread)
            return b[i].row.thread;
        for (int j = 0; j < i; j++)
            counted |= b[j].key.pid == k->pid && b[j].key.kind != 2 && b[j].key.thread == b[i].key.thread;
        number += !counted;
    }
    return number;
}

int trace_rows(const struct trace *t, struct arena *a, struct trace_row **rows)
{
    struct building *b = ARENA_ARRAY(a, struct building, t->n + 1);
    int *of = ARENA_ARRAY(a, int, t->n + 1), n = 0;

    for (int i = 0; i < t->n; i++) {
        const struct key k = key_of(&t->event[i]);
        int r = 0;
        while (r < n && !same(&b[r].key, &k))
            r++;
        if (r == n) {
            b[n] = (struct building){.key = k, .first = i};
            b[n].row.thread = k.kind < 2 ? number_of(b, n, &k) : 0;
            name_row(&b[n], &t->event[i], a);
            n++;
        }
        b[r].row.n++;
        of[i] = r;
    }
    for (int r = 0; r < n; r++) {
        b[r].row.event = ARENA_ARRAY(a, int, b[r].row.n);
        b[r].row.n = 0;
    }
    for (int i = 0; i < t->n; i++) {
        struct trace_row *row = &b[of[i]].row;
        row->event[row->n++] = i;
    }
    qsort(b, (size_t)n, sizeof *b, by_place);
    *rows = ARENA_ARRAY(a, struct trace_row, n + 1);
    for (int r = 0; r < n; r++)
        (*rows)[r] = b[r].row;
    return n;
}
