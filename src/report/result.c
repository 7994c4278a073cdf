/* Results to and from lines of JSON. docs/results.md describes the format; both directions walk the same tables, so a
 * counter or launch fact cannot be written and not read. */
#define _GNU_SOURCE /* getline */
#include "report/result.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <jansson.h>

#include "base/alloc.h"
#include "base/diag.h"
#include "base/strbuf.h"
#include "report/library.h"

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
    const struct metric_input in = {.c = &r->total, .l = &r->launch, .d = &r->rates};

    return metric_value(name, &in, value);
}

/* --- writing --- */

/* A line has some thousand pieces: those that there is room for are put in their place here. */
static inline void put(struct strbuf *out, const char *piece, size_t n)
{
    if (out->cap - out->len <= n) {
        strbuf_add(out, piece, n);
        return;
    }
    memcpy(out->s + out->len, piece, n);
    out->len += n;
    out->s[out->len] = 0;
}

/* The name of a field, behind what there is. A line is made as text: a tree of values takes as long as a small launch. */
static void key(struct strbuf *out, const char *name)
{
    if (out->s[out->len - 1] != '{')
        put(out, ",", 1);
    put(out, "\"", 1);
    put(out, name, strlen(name));
    put(out, "\":", 2);
}

static void add_number(struct strbuf *out, int64_t n)
{
    char digits[24], *at = digits + sizeof digits;
    uint64_t left = n < 0 ? -(uint64_t)n : (uint64_t)n;

    do
        *--at = (char)('0' + left % 10);
    while (left /= 10);
    if (n < 0)
        *--at = '-';
    put(out, at, (size_t)(digits + sizeof digits - at));
}

/* JSON is UTF-8: in names that are not, foreign bytes become '?'. */
static bool is_utf8(const char *s)
{
    json_t *j = json_string(s);

    json_decref(j);
    return j;
}

static void add_text(struct strbuf *out, const char *s)
{
    static const char hex[] = "0123456789abcdef";
    bool foreign = false;

    if (!s) {
        put(out, "null", 4);
        return;
    }
    for (const char *c = s; *c && !foreign; c++)
        foreign = *c & 0x80;
    foreign = foreign && !is_utf8(s);
    put(out, "\"", 1);
    for (const char *from = s;; s++) {
        unsigned char c = (unsigned char)*s;

        if (c >= ' ' && c != '"' && c != '\\' && !(foreign && c & 0x80))
            continue;
        put(out, from, (size_t)(s - from));
        from = s + 1;
        if (!c)
            break;
        if (c & 0x80)
            put(out, "?", 1);
        else
            put(out, (const char[]){'\\', 'u', '0', '0', hex[c >> 4], hex[c & 15]}, 6);
    }
    put(out, "\"", 1);
}

static void add_three(struct strbuf *out, const uint32_t v[3])
{
    for (int i = 0; i < 3; i++) {
        put(out, i ? "," : "[", 1);
        add_number(out, v[i]);
    }
    put(out, "]", 1);
}

static void add_list(struct strbuf *out, const uint64_t *v, int64_t n)
{
    put(out, "[", 1);
    for (int64_t i = 0; i < n; i++) {
        if (i)
            put(out, ",", 1);
        add_number(out, (int64_t)v[i]);
    }
    put(out, "]", 1);
}

static void add_counters(struct strbuf *out, const struct counters *c)
{
    put(out, "{", 1);
    for (int i = 0; i < COUNTER_COUNT; i++)
        if (c->v[i]) {
            key(out, counter_info[i].id);
            add_number(out, (int64_t)c->v[i]);
        }
    put(out, "}", 1);
}

#define NUMBER(field) (key(out, #field), add_number(out, from->field));
#define STRING(field) (key(out, #field), add_text(out, from->field));

static void add_groups(struct strbuf *out, counter_groups g)
{
    const char *before = "[";

    for (int i = 0; i < GROUP_COUNT; i++)
        if (g >> i & 1) {
            strbuf_addf(out, "%s\"%s\"", before, group_info[i].name);
            before = ",";
        }
    strbuf_adds(out, *before == '[' ? "[]" : "]");
}

static void add_launch(struct strbuf *out, const struct launch_facts *from)
{
    put(out, "{", 1);
    key(out, "grid");
    add_three(out, from->grid);
    key(out, "block");
    add_three(out, from->block);
    key(out, "collected");
    add_groups(out, from->collected);
#define FACT(id, unit, group, help) NUMBER(id)
#include "counters/launch.def"
#undef FACT
    put(out, "}", 1);
}

/* A rate that is not known is null. The program's locale may have another decimal point. */
static void add_real(struct strbuf *out, double v)
{
    char digits[40];

    snprintf(digits, sizeof digits, isnan(v) ? "null" : "%.17g", v);
    for (char *at = digits; !isnan(v) && *at; at++)
        if (!strchr("0123456789+-e", *at))
            *at = '.';
    strbuf_adds(out, digits);
}

static void print_rates(struct strbuf *out, const struct device_rates *from)
{
    put(out, "{", 1);
#define RATE(id, unit, value, help) (key(out, #id), add_real(out, from->id));
#include "device/device_rates.def"
#undef RATE
    put(out, "}", 1);
}

/* A device's stay the same, and printing them takes a fifth of a small launch's line: a thread keeps the text of the last ones. */
static void add_rates(struct strbuf *out, const struct device_rates *from)
{
    static _Thread_local struct {
        struct device_rates of;
        size_t length;
        char text[2048];
    } last;

    if (!last.length || memcmp(&last.of, from, sizeof last.of)) {
        size_t at = out->len;

        print_rates(out, from);
        last.length = out->len - at < sizeof last.text ? out->len - at : 0;
        last.of = *from;
        memcpy(last.text, out->s + at, last.length);
        return;
    }
    put(out, last.text, last.length);
}

static bool is_empty(const struct counters *c)
{
    for (int i = 0; i < COUNTER_COUNT; i++)
        if (c->v[i])
            return false;
    return true;
}

static void add_sites(struct strbuf *out, const struct result *r)
{
    char before = '[';

    for (uint32_t i = 0; i < r->nsites; i++) {
        const struct result_site *from = &r->sites[i];

        if (is_empty(&from->counters))
            continue;
        put(out, &before, 1);
        before = ',';
        put(out, "{", 1);
        NUMBER(site)
        STRING(file)
        NUMBER(line)
        NUMBER(column)
        STRING(function)
        STRING(inlined_at)
        NUMBER(ptx_line)
        STRING(text)
        if (from->unrolled)
            NUMBER(unrolled)
        key(out, "counters");
        add_counters(out, &from->counters);
        put(out, "}", 1);
    }
    strbuf_adds(out, before == '[' ? "[]" : "]");
}

#define INST_NUMBERS(X) X(site) X(inst) X(thread_inst) X(thread_inst_on)

static void add_insts(struct strbuf *out, const struct result *r)
{
    for (uint32_t i = 0; i < r->ninsts; i++) {
        const struct result_inst *from = &r->insts[i];

        put(out, i ? ",{" : "[{", 2);
        INST_NUMBERS(NUMBER)
        if (from->head)
            STRING(head)
        STRING(text)
        put(out, "}", 1);
    }
    strbuf_adds(out, r->ninsts ? "]" : "[]");
}

static void add_blocks(struct strbuf *out, const struct result *r)
{
    for (uint32_t i = 0; i < r->nblocks; i++) {
        const uint64_t b[3] = {r->blocks[i].begin, r->blocks[i].end, r->blocks[i].sm};

        put(out, i ? "," : "[", 1);
        add_list(out, b, 3);
    }
    strbuf_adds(out, r->nblocks ? "]" : "[]");
}

static void add_library(struct strbuf *out, const struct result_library *from)
{
    put(out, "{", 1);
    STRING(name)
    STRING(shape)
    NUMBER(bytes_read)
    NUMBER(bytes_written)
    NUMBER(peak)
    key(out, "flops");
    add_real(out, from->flops);
    put(out, "}", 1);
}

/* The fields that are plain numbers and plain strings, in the order they are written. */
#define NUMBERS(X) X(id) X(pid) X(context) X(stream) X(device) X(cc_major) X(cc_minor) X(arch)
#define STRINGS(X) X(process) X(kernel) X(kernel_name) X(device_id) X(device_name) X(fault)

static void add_result(struct strbuf *out, const struct result *from)
{
    put(out, "{", 1);
    key(out, "heddle_result");
    add_number(out, RESULT_VERSION);
    NUMBERS(NUMBER)
    STRINGS(STRING)
    STRING(compiler)
    if (from->cache_control)
        STRING(cache_control)
    if (from->guesses) {
        NUMBER(timed)
        STRING(guesses)
    }
    if (from->without)
        STRING(without)
    if (from->library) {
        key(out, "library");
        add_library(out, from->library);
    }
    if (from->parent)
        STRING(parent)
    key(out, "launch");
    add_launch(out, &from->launch);
    key(out, "rates");
    add_rates(out, &from->rates);
    key(out, "channel_bytes");
    add_list(out, from->channel_bytes, from->launch.dram_channels);
    key(out, "total");
    add_counters(out, &from->total);
    key(out, "sites");
    add_sites(out, from);
    if (from->insts) {
        key(out, "code");
        add_insts(out, from);
    }
    if (from->blocks) {
        key(out, "blocks");
        add_blocks(out, from);
    }
    put(out, "}\n", 2);
}
#undef NUMBER
#undef STRING

bool result_write(const struct result *r, FILE *f)
{
    struct strbuf line;
    bool ok;

    strbuf_init(&line);
    add_result(&line, r);
    ok = fwrite(line.s, 1, line.len, f) == line.len && fflush(f) == 0;
    strbuf_release(&line);
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

/* A call of a library has no grid. */
static void read_three(struct reading *in, const json_t *o, const char *key, uint32_t v[3])
{
    json_t *list = json_object_get(o, key);

    if (json_array_size(list) != 3)
        wrong(in, key, "is not a list of three numbers");
    for (size_t i = 0; i < 3; i++) {
        json_int_t n = json_integer_value(json_array_get(list, i));

        if (n < (in->r->library ? 0 : 1) || n > UINT32_MAX)
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

static counter_groups read_groups(struct reading *in, const json_t *o, const char *key)
{
    json_t *list = json_object_get(o, key);
    counter_groups g = 0;

    if (!json_is_array(list))
        wrong(in, key, "is not a list");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *name = json_string_value(json_array_get(list, i));
        enum counter_group which = name ? counters_find_group(name) : GROUP_COUNT;

        if (which == GROUP_COUNT)
            wrong(in, name ? name : key, "is no group of counters of this version");
        else
            g |= (counter_groups)1 << which;
    }
    return g;
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
    l->collected = read_groups(in, o, "collected");
    /* Of a group that was not collected facts may be missing: reports from before there was such a group have none. */
#define FACT(id, unit, group, help) l->id = l->collected & COUNTERS_OF(group) || json_object_get(o, #id) ? number(in, o, #id) : 0;
#include "counters/launch.def"
#undef FACT
}

static double rate(struct reading *in, const json_t *o, const char *key)
{
    json_t *v = json_object_get(o, key);

    if (v && !json_is_number(v) && !json_is_null(v)) /* missing: a report from before there was such a rate */
        wrong(in, key, "is neither a number nor null");
    return json_is_number(v) ? json_number_value(v) : NAN;
}

static void read_rates(struct reading *in, const json_t *root)
{
    json_t *o = json_object_get(root, "rates");
    struct device_rates *to = &in->r->rates;

    if (!json_is_object(o)) {
        wrong(in, "rates", "is not an object");
        return;
    }
#define RATE(id, unit, value, help) to->id = rate(in, o, #id);
#include "device/device_rates.def"
#undef RATE
}

static void read_library(struct reading *in, const json_t *root)
{
    json_t *o = json_object_get(root, "library");
    struct result_library *to;

    if (!o || json_is_null(o))
        return;
    in->r->library = to = ARENA_ARRAY(&in->r->arena, struct result_library, 1);
    *to = (struct result_library){.name = string(in, o, "name"), .shape = string(in, o, "shape"), .flops = rate(in, o, "flops"),
                                  .bytes_read = number(in, o, "bytes_read"), .bytes_written = number(in, o, "bytes_written"),
                                  .peak = (int)number(in, o, "peak")};
    if (to->peak < 0 || to->peak >= RESULT_PEAKS)
        wrong(in, "peak", "is no rate of this version");
    if (to->peak < 0 || to->peak >= RESULT_PEAKS)
        to->peak = 0;
}

static void read_channels(struct reading *in, const json_t *root)
{
    json_t *list = json_object_get(root, "channel_bytes");
    struct result *r = in->r;
    size_t n = json_array_size(list);

    if (!json_is_array(list) || (int64_t)n != r->launch.dram_channels) {
        wrong(in, "channel_bytes", "is not a list of as many numbers as there are channels");
        return;
    }
    r->channel_bytes = ARENA_ARRAY(&r->arena, uint64_t, n ? n : 1);
    for (size_t i = 0; i < n; i++)
        r->channel_bytes[i] = (uint64_t)json_integer_value(json_array_get(list, i));
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
    s->unrolled = json_object_get(o, "unrolled") ? (int)number(in, o, "unrolled") : 0;
    read_counters(in, o, "counters", &s->counters);
}

static void read_insts(struct reading *in, const json_t *list)
{
    struct result *r = in->r;

    if (!list)
        return;
    if (!json_is_array(list)) {
        wrong(in, "code", "is not a list");
        return;
    }
    r->ninsts = (uint32_t)json_array_size(list);
    r->insts = ARENA_ARRAY(&r->arena, struct result_inst, r->ninsts + 1);
    for (uint32_t i = 0; i < r->ninsts; i++) {
        const json_t *o = json_array_get(list, i);
        struct result_inst *to = &r->insts[i];

#define NUMBER(field) to->field = (__typeof__(to->field))number(in, o, #field);
        INST_NUMBERS(NUMBER)
#undef NUMBER
        to->head = json_object_get(o, "head") ? string(in, o, "head") : NULL;
        to->text = string(in, o, "text");
        if (!to->text)
            wrong(in, "code", "has an instruction without text");
        if ((int64_t)(to->inst | to->thread_inst | to->thread_inst_on) < 0)
            wrong(in, "code", "has an instruction whose number is no count");
    }
}

static void read_blocks(struct reading *in, const json_t *list)
{
    struct result *r = in->r;

    if (!list)
        return;
    if (!json_is_array(list)) {
        wrong(in, "blocks", "is not a list");
        return;
    }
    r->nblocks = (uint32_t)json_array_size(list);
    r->blocks = ARENA_ARRAY(&r->arena, struct result_block, r->nblocks + 1);
    for (uint32_t i = 0; i < r->nblocks; i++) {
        json_int_t b[3];

        for (size_t k = 0; k < 3; k++) {
            const json_t *n = json_array_get(json_array_get(list, i), k);
            b[k] = json_is_integer(n) ? json_integer_value(n) : -1;
        }
        if (b[0] < 0 || b[1] < b[0] || b[2] < 0 || b[2] > UINT32_MAX) {
            wrong(in, "blocks", "has an entry that is not a begin, an end and a multiprocessor");
            return;
        }
        r->blocks[i] = (struct result_block){(uint64_t)b[0], (uint64_t)b[1], (uint32_t)b[2]};
    }
}

static void read_fields(struct reading *in, const json_t *root, const json_t *sites)
{
    struct result *r = in->r;

#define NUMBER(field) r->field = (__typeof__(r->field))number(in, root, #field);
    NUMBERS(NUMBER)
#undef NUMBER
#define STRING(field) r->field = string(in, root, #field);
    STRINGS(STRING)
    if (json_object_get(root, "compiler")) /* reports from before it was written have none */
        STRING(compiler)
    if (json_object_get(root, "cache_control"))
        STRING(cache_control)
    if (json_object_get(root, "guesses")) { /* nor these */
        r->timed = (int)number(in, root, "timed");
        STRING(guesses)
    }
    if (json_object_get(root, "without")) /* others are modelled with all mechanisms */
        STRING(without)
    if (json_object_get(root, "parent")) /* others the host launched */
        STRING(parent)
#undef STRING
    if (!r->kernel)
        wrong(in, "kernel", "is missing");
    if (r->kernel && !r->kernel_name)
        r->kernel_name = result_demangle(&r->arena, r->kernel);
    read_library(in, root);
    read_launch(in, root);
    read_rates(in, root);
    read_channels(in, root);
    read_counters(in, root, "total", &r->total);
    for (uint32_t i = 0; i < r->nsites; i++)
        read_site(in, json_array_get(sites, i), &r->sites[i]);
    read_insts(in, json_object_get(root, "code"));
    read_blocks(in, json_object_get(root, "blocks"));
}

struct result *result_read(const char *line, size_t len, struct arena *scratch, const char **why)
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

        at++;
        if (*line == '#') /* what a file says of itself */
            continue;
        struct result *r = result_read(line, (size_t)len, &diags->arena, &why);
        bool cut_off = line[len - 1] != '\n';
        if (r) {
            ALLOC_GROW(rs->result, rs->n, cap);
            rs->result[rs->n++] = r;
        } else if (cut_off) {
            diag_add(diags, DIAG_WARNING, path, at, "the last result was cut off: the program ended while writing it");
        } else {
            diag_add(diags, DIAG_ERROR, path, at, "%s", why);
        }
    }
    if (!feof(f))
        diag_add(diags, DIAG_ERROR, path, at + 1, "cannot read results: %s", strerror(errno));
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
