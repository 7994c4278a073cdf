/* A trace in the form of Perfetto (see trace_rows.h).
 *
 * The wire format of protocol buffers: a field is its number times 8 plus 0 (a number, seven bits a byte, low ones first), 1 (eight bytes) or
 * 2 (a length, then so many bytes). Numbers of fields are those of Perfetto's public messages: trace.proto, trace_packet.proto,
 * track_descriptor.proto, process_descriptor.proto, thread_descriptor.proto, track_event.proto, debug_annotation.proto. */
#include "report/trace_rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"

enum { TRACE_PACKET = 1 };
enum { PACKET_TIMESTAMP = 8, PACKET_SEQUENCE = 10, PACKET_EVENT = 11, PACKET_SEQUENCE_FLAGS = 13, PACKET_TRACK = 60 };
enum { TRACK_UUID = 1, TRACK_NAME = 2, TRACK_PROCESS = 3, TRACK_THREAD = 4, TRACK_PARENT = 5 };
enum { PROCESS_PID = 1, PROCESS_NAME = 6 };
enum { THREAD_PID = 1, THREAD_TID = 2, THREAD_NAME = 5 };
enum { EVENT_ANNOTATION = 4, EVENT_TYPE = 9, EVENT_TRACK = 11, EVENT_CATEGORY = 22, EVENT_NAME = 23, EVENT_FLOW = 47 };
enum { ANNOTATION_INT = 4, ANNOTATION_STRING = 6, ANNOTATION_NAME = 10 };
enum { SLICE_BEGIN = 1, SLICE_END = 2, STATE_CLEARED = 1 };

static void varint(struct strbuf *out, uint64_t v)
{
    for (; v >= 0x80; v >>= 7)
        strbuf_add(out, &(char){(char)(v | 0x80)}, 1);
    strbuf_add(out, &(char){(char)v}, 1);
}

static void number(struct strbuf *out, int field, uint64_t v)
{
    varint(out, (uint64_t)field << 3);
    varint(out, v);
}

static void fixed(struct strbuf *out, int field, uint64_t v)
{
    varint(out, (uint64_t)field << 3 | 1);
    for (int i = 0; i < 8; i++)
        strbuf_add(out, &(char){(char)(v >> 8 * i)}, 1);
}

static void bytes(struct strbuf *out, int field, const char *s, size_t n)
{
    varint(out, (uint64_t)field << 3 | 2);
    varint(out, n);
    strbuf_add(out, s, n);
}

static void text(struct strbuf *out, int field, const char *s)
{
    bytes(out, field, s, strlen(s));
}

/* A message within another: emptied for the next one. */
static void message(struct strbuf *out, int field, struct strbuf *m)
{
    bytes(out, field, m->s ? m->s : "", m->len);
    m->len = 0;
}

struct writer {
    struct strbuf *out, packet, inner, innermost;
    bool begun;
};

static void end_packet(struct writer *w)
{
    number(&w->packet, PACKET_SEQUENCE, 1);
    if (!w->begun)
        number(&w->packet, PACKET_SEQUENCE_FLAGS, STATE_CLEARED);
    w->begun = true;
    message(w->out, TRACE_PACKET, &w->packet);
}

/* Devices are processes of their own, so that each is a group: their numbers lie above all processes'. */
static int64_t pid_of(const struct trace_row *r)
{
    return r->host ? r->pid : (INT64_C(1) << 30) + r->device;
}

static void put_process(struct writer *w, const struct trace_row *r, uint64_t uuid, const char *name)
{
    number(&w->inner, TRACK_UUID, uuid);
    number(&w->innermost, PROCESS_PID, (uint64_t)pid_of(r));
    text(&w->innermost, PROCESS_NAME, name);
    message(&w->inner, TRACK_PROCESS, &w->innermost);
    message(&w->packet, PACKET_TRACK, &w->inner);
    end_packet(w);
}

static void put_track(struct writer *w, const struct trace_row *r, uint64_t uuid, uint64_t parent)
{
    number(&w->inner, TRACK_UUID, uuid);
    number(&w->inner, TRACK_PARENT, parent);
    text(&w->inner, TRACK_NAME, r->label);
    message(&w->packet, PACKET_TRACK, &w->inner);
    end_packet(w);
}

static void annotate_number(struct writer *w, const char *name, int64_t v)
{
    number(&w->innermost, ANNOTATION_INT, (uint64_t)v);
    text(&w->innermost, ANNOTATION_NAME, name);
    message(&w->inner, EVENT_ANNOTATION, &w->innermost);
}

static void annotate(struct writer *w, const char *name, const char *v)
{
    text(&w->innermost, ANNOTATION_STRING, v);
    text(&w->innermost, ANNOTATION_NAME, name);
    message(&w->inner, EVENT_ANNOTATION, &w->innermost);
}

static void put_facts(struct writer *w, const struct trace_event *e, struct arena *a)
{
    if (e->kind == TRACE_KERNEL && !e->library) {
        annotate(w, "grid", arena_printf(a, "%u, %u, %u", e->grid[0], e->grid[1], e->grid[2]));
        annotate(w, "block", arena_printf(a, "%u, %u, %u", e->block[0], e->block[1], e->block[2]));
        annotate_number(w, "registers per thread", e->registers);
        annotate_number(w, "shared memory per block (bytes)", e->shared_static + e->shared_dynamic);
    } else if (e->kind == TRACE_COPY || e->kind == TRACE_FILL) {
        annotate_number(w, "bytes", e->bytes);
        annotate(w, "to", trace_memory_name(e->to));
        if (e->kind == TRACE_COPY)
            annotate(w, "from", trace_memory_name(e->from));
    } else if (e->kind == TRACE_CALL) {
        annotate_number(w, "answer", e->answer);
    }
    annotate(w, "time", e->modelled ? "modelled" : "the host's");
}

struct point {
    int64_t at;
    int64_t length; /* of the slice */
    bool end;
    int row, event;
};

/* At one moment: what ends, then what takes no time, then what begins. */
static int rank(const struct point *p)
{
    return !p->length ? 1 : p->end ? 0 : 2;
}

/* By time; of those that begin together the longest first, of those that end together the shortest. */
static int by_time(const void *a, const void *b)
{
    const struct point *x = a, *y = b;
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    if (rank(x) != rank(y))
        return rank(x) - rank(y);
    if (x->length != y->length)
        return (x->length < y->length) == x->end ? -1 : 1;
    if (x->event != y->event) /* within one another: the one that began first ends last */
        return (x->event < y->event) != (x->end && x->length) ? -1 : 1;
    return x->end - y->end;
}

static void put_point(struct writer *w, const struct trace *t, const struct point *p, uint64_t track, struct arena *a)
{
    static const char *const categories[] = {"api", "kernel", "memcpy", "memset", "nvtx"};
    const struct trace_event *e = &t->event[p->event];

    number(&w->packet, PACKET_TIMESTAMP, (uint64_t)(p->at - t->origin));
    number(&w->inner, EVENT_TYPE, p->end ? SLICE_END : SLICE_BEGIN);
    number(&w->inner, EVENT_TRACK, track);
    if (!p->end) {
        text(&w->inner, EVENT_CATEGORY, categories[e->kind]);
        text(&w->inner, EVENT_NAME, trace_name(e, TRACE_NAMES_BASE, a) + (e->kind == TRACE_RANGE)); /* without its colon */
        if (e->call && e->kind != TRACE_RANGE) /* an arrow from the call to what it asked for */
            fixed(&w->inner, EVENT_FLOW, (uint64_t)e->pid << 32 | e->call);
        put_facts(w, e, a);
    }
    message(&w->packet, PACKET_EVENT, &w->inner);
    end_packet(w);
}

void trace_perfetto(const struct trace *t, struct strbuf *out)
{
    struct writer w = {.out = out};
    struct arena a;
    struct trace_row *row;
    struct point *point;
    int n, points = 0;

    arena_init(&a);
    strbuf_init(&w.packet);
    strbuf_init(&w.inner);
    strbuf_init(&w.innermost);
    n = trace_rows(t, &a, &row);
    uint64_t *parent = ARENA_ARRAY(&a, uint64_t, n + 1);
    point = ARENA_ARRAY(&a, struct point, 2 * t->n + 1);
    for (int r = 0; r < n; r++) {
        parent[r] = 0;
        for (int s = 0; s < r && !parent[r]; s++)
            parent[r] = pid_of(&row[s]) == pid_of(&row[r]) ? parent[s] : 0;
        if (!parent[r]) {
            parent[r] = (uint64_t)(2 * r + 1);
            put_process(&w, &row[r], parent[r], arena_printf(&a, "%s%s", row[r].group, row[r].host || !t->modelled ? "" : ", modelled"));
        }
        put_track(&w, &row[r], (uint64_t)(2 * r + 2), parent[r]);
        for (int i = 0; i < row[r].n; i++) {
            const struct trace_event *e = &t->event[row[r].event[i]];
            point[points++] = (struct point){e->begin, e->end - e->begin, false, r, row[r].event[i]};
            point[points++] = (struct point){e->end, e->end - e->begin, true, r, row[r].event[i]};
        }
    }
    qsort(point, (size_t)points, sizeof *point, by_time);
    for (int i = 0; i < points; i++)
        put_point(&w, t, &point[i], (uint64_t)(2 * point[i].row + 2), &a);
    strbuf_release(&w.packet);
    strbuf_release(&w.inner);
    strbuf_release(&w.innermost);
    arena_release(&a);
}
