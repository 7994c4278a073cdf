/* Reading and writing traces, and sums over them (see trace.h). */
#define _GNU_SOURCE /* getline */
#include "report/trace.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/diag.h"
#include "base/json.h"
#include "base/table.h"
#include "report/names.h"
#include "report/result.h"

/* --- writing --- */

static const char *const kinds[] = {"call", "kernel", "copy", "fill", "range"};
static const char *const memories[] = {"Pageable", "Pinned", "Managed", "Device"};

const char *trace_memory_name(enum trace_memory m)
{
    return memories[m];
}

static json_t *three(const uint32_t v[3])
{
    return json_pack("[I,I,I]", (json_int_t)v[0], (json_int_t)v[1], (json_int_t)v[2]);
}

static void set_text(json_t *j, const char *key, const char *text)
{
    json_t *s = json_string(text ? text : "");
    json_object_set_new(j, key, s ? s : json_string("?")); /* not UTF-8 */
}

static json_t *to_json(const struct trace_event *e)
{
    json_t *j = json_pack("{s:i,s:s,s:I,s:I,s:I,s:I}", "heddle_trace", TRACE_VERSION, "kind", kinds[e->kind], "pid", (json_int_t)e->pid,
                          "begin", (json_int_t)e->begin, "end", (json_int_t)e->end, "call", (json_int_t)e->call);

    set_text(j, "process", e->process);
    if (e->modelled)
        json_object_set_new(j, "modelled", json_true());
    if (e->name)
        set_text(j, "name", e->name);
    if (e->kind == TRACE_CALL || e->kind == TRACE_RANGE) {
        json_object_update_new(j, json_pack("{s:I,s:i,s:b}", "thread", (json_int_t)e->thread, "answer", e->answer, "pushed", e->pushed));
        return j;
    }
    set_text(j, "device_name", e->device_name);
    json_object_update_new(j, json_pack("{s:i,s:i}", "stream", e->stream, "device", e->device));
    if (e->library)
        set_text(j, "library", e->library);
    if (e->kind == TRACE_KERNEL)
        json_object_update_new(j, json_pack("{s:o,s:o,s:I,s:I,s:I}", "grid", three(e->grid), "block", three(e->block), "registers",
                                            (json_int_t)e->registers, "shared_static", (json_int_t)e->shared_static,
                                            "shared_dynamic", (json_int_t)e->shared_dynamic));
    else
        json_object_update_new(j, json_pack("{s:s,s:s,s:I}", "from", memories[e->from], "to", memories[e->to], "bytes",
                                            (json_int_t)e->bytes));
    return j;
}

bool trace_write(const struct trace_event *e, FILE *f)
{
    json_t *j = to_json(e);
    bool ok = json_dumpf(j, f, JSON_COMPACT) == 0 && fputc('\n', f) != EOF && fflush(f) == 0;

    json_decref(j);
    return ok;
}

/* --- reading --- */

static int word_of(const json_t *j, const char *key, const char *const *words, int n)
{
    const char *s = json_string_value(json_object_get(j, key));

    for (int i = 0; s && i < n; i++)
        if (!strcmp(s, words[i]))
            return i;
    return -1;
}

static int64_t number_of(const json_t *j, const char *key)
{
    return json_integer_value(json_object_get(j, key));
}

static const char *text_of(const json_t *j, const char *key, struct arena *a)
{
    const char *s = json_string_value(json_object_get(j, key));

    return s ? arena_strdup(a, s) : NULL;
}

static bool from_json(struct trace_event *e, const json_t *j, struct arena *a)
{
    int kind = word_of(j, "kind", kinds, 5), from = word_of(j, "from", memories, 4), to = word_of(j, "to", memories, 4);

    *e = (struct trace_event){
        .kind = kind < 0 ? TRACE_CALL : (enum trace_kind)kind, .process = text_of(j, "process", a), .name = text_of(j, "name", a),
        .device_name = text_of(j, "device_name", a), .library = text_of(j, "library", a), .pid = number_of(j, "pid"), .thread = number_of(j, "thread"),
        .begin = number_of(j, "begin"), .end = number_of(j, "end"), .call = (uint64_t)number_of(j, "call"),
        .answer = (int)number_of(j, "answer"), .stream = (int)number_of(j, "stream"), .device = (int)number_of(j, "device"),
        .registers = number_of(j, "registers"), .shared_static = number_of(j, "shared_static"),
        .shared_dynamic = number_of(j, "shared_dynamic"), .from = from < 0 ? TRACE_PAGEABLE : (enum trace_memory)from,
        .to = to < 0 ? TRACE_PAGEABLE : (enum trace_memory)to, .bytes = number_of(j, "bytes"),
        .modelled = json_is_true(json_object_get(j, "modelled")), .pushed = json_is_true(json_object_get(j, "pushed"))};
    for (size_t i = 0; i < 3; i++) {
        e->grid[i] = (uint32_t)json_integer_value(json_array_get(json_object_get(j, "grid"), i));
        e->block[i] = (uint32_t)json_integer_value(json_array_get(json_object_get(j, "block"), i));
    }
    return kind >= 0 && number_of(j, "heddle_trace") == TRACE_VERSION &&
           (kind != TRACE_COPY || (from >= 0 && to >= 0)) && (kind == TRACE_COPY || kind == TRACE_FILL || e->name);
}

static int by_begin(const void *a, const void *b)
{
    const struct trace_event *x = a, *y = b;

    return x->begin < y->begin ? -1 : x->begin > y->begin;
}

/* One line; false, with a message, when it is none of ours. The last one may be cut off. */
static bool add_line(struct trace *t, int *room, const char *line, int number, bool whole, const char *path, struct diag_list *diags)
{
    json_t *j = json_loads(line, 0, NULL);

    if (t->n == *room)
        t->event = alloc_resize(t->event, (size_t)(*room = 2 * *room + 64) * sizeof *t->event);
    bool ok = j && from_json(&t->event[t->n], j, &t->arena);
    t->n += ok;
    if (!ok && whole)
        diag_add(diags, DIAG_ERROR, path, number, "not a trace of Heddle's (docs/trace.md): NVIDIA's tools write another format");
    else if (!ok)
        diag_add(diags, DIAG_WARNING, path, number, "the last line is cut off and left out");
    json_decref(j);
    return ok || !whole;
}

bool trace_read(struct trace *t, const char *path, struct diag_list *diags)
{
    FILE *f = fopen(path, "re");
    char *line = NULL;
    size_t size = 0;
    int room = 0, number = 0;
    bool ok = f != NULL;

    memset(t, 0, sizeof *t);
    arena_init(&t->arena);
    if (!f)
        diag_add(diags, DIAG_ERROR, path, 0, "cannot read it: %s", strerror(errno));
    for (ssize_t n; ok && (n = getline(&line, &size, f)) > 0;)
        if (*line != '#') /* what our reports say of themselves */
            ok = add_line(t, &room, line, ++number, line[n - 1] == '\n', path, diags);
    free(line);
    if (f)
        fclose(f);
    if (t->n)
        qsort(t->event, (size_t)t->n, sizeof *t->event, by_begin);
    t->origin = t->n ? t->event[0].begin : 0;
    t->modelled = t->n > 0;
    for (int i = 0; i < t->n; i++)
        t->modelled &= t->event[i].modelled;
    return ok;
}

void trace_release(struct trace *t)
{
    alloc_release(t->event);
    arena_release(&t->arena);
}

/* --- names --- */

static const char *copy_name(const struct trace_event *e, bool nsys, struct arena *a)
{
    bool to = e->to == TRACE_DEVICE, from = e->from == TRACE_DEVICE;

    if (nsys)
        return arena_printf(a, "[CUDA memcpy %s-to-%s]", from ? "Device" : "Host", to ? "Device" : "Host");
    return arena_printf(a, "[CUDA memcpy %cto%c]", from ? 'D' : 'H', to ? 'D' : 'H');
}

const char *trace_name(const struct trace_event *e, enum trace_names how, struct arena *a)
{
    switch (e->kind) {
    case TRACE_COPY:
        return copy_name(e, how != TRACE_NAMES_NVPROF, a);
    case TRACE_FILL:
        return "[CUDA memset]";
    case TRACE_RANGE:
        return arena_printf(a, ":%s", e->name);
    case TRACE_KERNEL:
        if (e->library)
            return arena_printf(a, "%s [%s]", e->name, e->library);
        if (how == TRACE_NAMES_MANGLED)
            return e->name;
        return how == TRACE_NAMES_BASE ? name_form(NAME_FUNCTION, result_demangle(a, e->name), e->name, a) : result_demangle(a, e->name);
    case TRACE_CALL:
        break;
    }
    return e->name;
}

/* --- sums --- */

struct value {
    int group;
    double v;
};

static int by_group(const void *a, const void *b)
{
    const struct value *x = a, *y = b;

    return x->group != y->group ? x->group - y->group : x->v < y->v ? -1 : x->v > y->v;
}

static int by_total(const void *a, const void *b)
{
    const struct trace_sum *x = a, *y = b;

    return x->total > y->total ? -1 : x->total < y->total ? 1 : strcmp(x->name, y->name);
}

/* From its sorted values. The deviation is that of a sample, 0 of a single one. */
static void sum_up(struct trace_sum *s, const struct value *v, int n)
{
    double mean, squares = 0;

    s->n = n;
    for (int i = 0; i < n; i++)
        s->total += v[i].v;
    mean = s->total / n;
    for (int i = 0; i < n; i++)
        squares += (v[i].v - mean) * (v[i].v - mean);
    s->least = v[0].v;
    s->most = v[n - 1].v;
    s->median = (v[(n - 1) / 2].v + v[n / 2].v) / 2;
    s->deviation = n > 1 ? sqrt(squares / (n - 1)) : 0;
}

int trace_sums(const struct trace *t, const char *(*of)(const struct trace_event *e, void *user, double *value), void *user,
               struct arena *a, struct trace_sum **sums)
{
    struct value *values = ARENA_ARRAY(a, struct value, t->n ? t->n : 1);
    struct table groups;
    int n = 0, used = 0;

    *sums = ARENA_ARRAY(a, struct trace_sum, t->n ? t->n : 1);
    table_init(&groups);
    for (int i = 0; i < t->n; i++) {
        double v;
        const char *name = of(&t->event[i], user, &v);
        intptr_t g = name ? (intptr_t)table_get(&groups, name) : 0;

        if (!name)
            continue;
        if (!g) {
            (*sums)[n] = (struct trace_sum){.name = name, .kind = t->event[i].kind, .pushed = t->event[i].pushed};
            table_set(&groups, name, (void *)(g = ++n));
        }
        values[used++] = (struct value){(int)g - 1, v};
    }
    table_release(&groups);
    qsort(values, (size_t)used, sizeof *values, by_group);
    for (int i = 0, end; i < used; i = end) {
        for (end = i; end < used && values[end].group == values[i].group; end++)
            ;
        sum_up(&(*sums)[values[i].group], values + i, end - i);
    }
    qsort(*sums, (size_t)n, sizeof **sums, by_total);
    return n;
}
