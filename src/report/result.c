/* Results to and from lines of JSON. docs/results.md describes the format; both directions walk the same tables, so a
 * counter or launch fact cannot be written and not read. */
#define _GNU_SOURCE /* getline */
#include "report/result.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <jansson.h>

#include "base/alloc.h"
#include "base/diag.h"

struct result *result_new(uint32_t nsites)
{
    struct result *r = alloc_zeroed(sizeof *r);

    arena_init(&r->arena);
    r->nsites = nsites;
    r->sites = ARENA_ARRAY(&r->arena, struct result_site, nsites ? nsites : 1);
    return r;
}

void result_free(struct result *r)
{
    if (!r)
        return;
    arena_release(&r->arena);
    alloc_release(r);
}

void result_sum(struct result *r)
{
    memset(&r->total, 0, sizeof r->total);
    for (uint32_t i = 0; i < r->nsites; i++)
        counters_add(&r->total, &r->sites[i].counters, 1);
    r->total.v[COUNTER_BLOCKS] = (uint64_t)r->launch.blocks;
    r->total.v[COUNTER_WARPS] = (uint64_t)(r->launch.blocks * r->launch.warps_per_block);
}

enum metric_status result_metric(const struct result *r, const char *name, double *value)
{
    struct metric_input in = {&r->total, &r->launch};

    return metric_value(name, &in, value);
}

/* --- writing --- */

/* A string for JSON, which must be UTF-8: in names that are not, foreign bytes become '?'. */
static json_t *text_or_null(const char *s)
{
    json_t *j = s ? json_string(s) : json_null();
    char *plain;

    if (j)
        return j;
    plain = alloc_zeroed(strlen(s) + 1);
    for (size_t i = 0; s[i]; i++)
        plain[i] = s[i] & 0x80 ? '?' : s[i];
    j = json_string(plain);
    alloc_release(plain);
    return j;
}

static json_t *three(const uint32_t v[3])
{
    return json_pack("[I,I,I]", (json_int_t)v[0], (json_int_t)v[1], (json_int_t)v[2]);
}

static json_t *counters_to_json(const struct counters *c)
{
    json_t *o = json_object();

    for (int i = 0; i < COUNTER_COUNT; i++)
        if (c->v[i])
            json_object_set_new(o, counter_info[i].id, json_integer((json_int_t)c->v[i]));
    return o;
}

static json_t *launch_to_json(const struct launch_facts *l)
{
    json_t *o = json_object();

    json_object_set_new(o, "grid", three(l->grid));
    json_object_set_new(o, "block", three(l->block));
#define FACT(id, unit, help) json_object_set_new(o, #id, json_integer(l->id));
#include "counters/launch.def"
#undef FACT
    return o;
}

static bool is_empty(const struct counters *c)
{
    for (int i = 0; i < COUNTER_COUNT; i++)
        if (c->v[i])
            return false;
    return true;
}

static json_t *sites_to_json(const struct result *r)
{
    json_t *list = json_array();

    for (uint32_t i = 0; i < r->nsites; i++) {
        const struct result_site *s = &r->sites[i];
        json_t *o;

        if (is_empty(&s->counters))
            continue;
        o = json_object();
        json_object_set_new(o, "site", json_integer(s->site));
        json_object_set_new(o, "file", text_or_null(s->file));
        json_object_set_new(o, "line", json_integer(s->line));
        json_object_set_new(o, "column", json_integer(s->column));
        json_object_set_new(o, "function", text_or_null(s->function));
        json_object_set_new(o, "inlined_at", text_or_null(s->inlined_at));
        json_object_set_new(o, "ptx_line", json_integer(s->ptx_line));
        json_object_set_new(o, "text", text_or_null(s->text));
        json_object_set_new(o, "counters", counters_to_json(&s->counters));
        json_array_append_new(list, o);
    }
    return list;
}

/* The fields that are plain numbers and plain strings, in the order they are written. */
#define NUMBERS(X) X(id) X(pid) X(context) X(stream) X(device) X(cc_major) X(cc_minor) X(arch)
#define STRINGS(X) X(process) X(kernel) X(kernel_name) X(device_id) X(device_name) X(fault)

bool result_write(const struct result *r, FILE *f)
{
    json_t *o = json_object();
    bool ok;

    json_object_set_new(o, "heddle_result", json_integer(RESULT_VERSION));
#define NUMBER(field) json_object_set_new(o, #field, json_integer(r->field));
    NUMBERS(NUMBER)
#undef NUMBER
#define STRING(field) json_object_set_new(o, #field, text_or_null(r->field));
    STRINGS(STRING)
#undef STRING
    json_object_set_new(o, "launch", launch_to_json(&r->launch));
    json_object_set_new(o, "total", counters_to_json(&r->total));
    json_object_set_new(o, "sites", sites_to_json(r));
    ok = json_dumpf(o, f, JSON_COMPACT) == 0 && fputc('\n', f) != EOF && fflush(f) == 0;
    json_decref(o);
    return ok;
}

/* --- reading --- */

struct reading {
    struct result *r;
    const char *problem; /* the first thing wrong, or NULL */
    const char *where;   /* its key */
};

static void wrong(struct reading *in, const char *where, const char *problem)
{
    if (in->problem)
        return;
    in->problem = problem;
    in->where = arena_strdup(&in->r->arena, where);
}

static int64_t number(struct reading *in, const json_t *o, const char *key)
{
    json_t *v = json_object_get(o, key);

    if (!json_is_integer(v))
        wrong(in, key, "is not a whole number");
    return json_integer_value(v);
}

static const char *string(struct reading *in, const json_t *o, const char *key)
{
    json_t *v = json_object_get(o, key);

    if (!json_is_string(v) && !json_is_null(v))
        wrong(in, key, "is neither a text nor null");
    return json_is_string(v) ? arena_strdup(&in->r->arena, json_string_value(v)) : NULL;
}

static void read_three(struct reading *in, const json_t *o, const char *key, uint32_t v[3])
{
    json_t *list = json_object_get(o, key);

    if (json_array_size(list) != 3)
        wrong(in, key, "is not a list of three numbers");
    for (size_t i = 0; i < 3; i++) {
        json_int_t n = json_integer_value(json_array_get(list, i));

        if (n < 1 || n > UINT32_MAX)
            wrong(in, key, "has a number out of range");
        v[i] = (uint32_t)n;
    }
}

static void read_counters(struct reading *in, const json_t *o, const char *key, struct counters *c)
{
    json_t *list = json_object_get(o, key), *value;
    const char *id;

    if (!json_is_object(list))
        wrong(in, key, "is not an object");
    json_object_foreach(list, id, value) {
        enum counter which = counters_find(id);

        if (which == COUNTER_COUNT)
            wrong(in, id, "is no counter of this version");
        else if (!json_is_integer(value) || json_integer_value(value) < 0)
            wrong(in, id, "is not a count");
        else
            c->v[which] = (uint64_t)json_integer_value(value);
    }
}

static void read_launch(struct reading *in, const json_t *root)
{
    json_t *o = json_object_get(root, "launch");
    struct launch_facts *l = &in->r->launch;

    if (!json_is_object(o)) {
        wrong(in, "launch", "is not an object");
        return;
    }
    read_three(in, o, "grid", l->grid);
    read_three(in, o, "block", l->block);
#define FACT(id, unit, help) l->id = number(in, o, #id);
#include "counters/launch.def"
#undef FACT
}

static void read_site(struct reading *in, const json_t *o, struct result_site *s)
{
    s->site = (uint32_t)number(in, o, "site");
    s->file = string(in, o, "file");
    s->line = (int)number(in, o, "line");
    s->column = (int)number(in, o, "column");
    s->function = string(in, o, "function");
    s->inlined_at = string(in, o, "inlined_at");
    s->ptx_line = (int)number(in, o, "ptx_line");
    s->text = string(in, o, "text");
    read_counters(in, o, "counters", &s->counters);
}

static void read_fields(struct reading *in, const json_t *root, const json_t *sites)
{
    struct result *r = in->r;

#define NUMBER(field) r->field = (__typeof__(r->field))number(in, root, #field);
    NUMBERS(NUMBER)
#undef NUMBER
#define STRING(field) r->field = string(in, root, #field);
    STRINGS(STRING)
#undef STRING
    if (!r->kernel)
        wrong(in, "kernel", "is missing");
    if (r->kernel && !r->kernel_name)
        r->kernel_name = result_demangle(&r->arena, r->kernel);
    read_launch(in, root);
    read_counters(in, root, "total", &r->total);
    for (uint32_t i = 0; i < r->nsites; i++)
        read_site(in, json_array_get(sites, i), &r->sites[i]);
}

/* One line to one result; NULL with *why in words (in `scratch`). */
static struct result *read_line(const char *line, size_t len, struct arena *scratch, const char **why)
{
    json_error_t error;
    json_t *root = json_loadb(line, len, JSON_REJECT_DUPLICATES, &error), *sites;
    struct reading in = {0};
    json_int_t version;

    if (!root) {
        *why = arena_printf(scratch, "not JSON: %s", error.text);
        return NULL;
    }
    version = json_integer_value(json_object_get(root, "heddle_result"));
    sites = json_object_get(root, "sites");
    if (version != RESULT_VERSION) {
        *why = version ? arena_printf(scratch, "a result of version %" JSON_INTEGER_FORMAT ", this heddle reads %d",
                                      version, RESULT_VERSION)
                       : "not a result of heddle";
    } else if (!json_is_array(sites)) {
        *why = "'sites' is not a list";
    } else {
        in.r = result_new((uint32_t)json_array_size(sites));
        read_fields(&in, root, sites);
        if (in.problem) {
            *why = arena_printf(scratch, "'%s' %s", in.where, in.problem);
            result_free(in.r);
            in.r = NULL;
        }
    }
    json_decref(root);
    return in.r;
}

bool results_read(struct results *rs, const char *path, struct diag_list *diags)
{
    FILE *f = fopen(path, "re");
    char *line = NULL;
    size_t size = 0;
    ssize_t len;
    int cap = 0, at = 0, errors = diags->errors;

    rs->result = NULL;
    rs->n = 0;
    if (!f) {
        diag_add(diags, DIAG_ERROR, NULL, 0, "cannot read results from '%s': %s", path, strerror(errno));
        return false;
    }
    while ((len = getline(&line, &size, f)) > 0) {
        const char *why = NULL;
        struct result *r = read_line(line, (size_t)len, &diags->arena, &why);
        bool cut_off = line[len - 1] != '\n';

        at++;
        if (r) {
            ALLOC_GROW(rs->result, rs->n, cap);
            rs->result[rs->n++] = r;
        } else if (cut_off) {
            diag_add(diags, DIAG_WARNING, path, at, "the last result was cut off: the program ended while writing it");
        } else {
            diag_add(diags, DIAG_ERROR, path, at, "%s", why);
        }
    }
    free(line);
    fclose(f);
    return diags->errors == errors;
}

void results_release(struct results *rs)
{
    for (int i = 0; i < rs->n; i++)
        result_free(rs->result[i]);
    alloc_release(rs->result);
    rs->result = NULL;
    rs->n = 0;
}
