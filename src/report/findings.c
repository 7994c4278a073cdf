/* Findings to and from lines of JSON; both directions walk the same lists of fields. */
#define _GNU_SOURCE /* getline */
#include "report/findings.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <jansson.h>

#include "base/alloc.h"
#include "base/diag.h"
#include "base/table.h"
#include "check/check.h"

#define NUMBERS(X) X(pid) X(launch) X(id) X(near_serial) X(bytes) X(count) X(distance) X(near_address) X(near_bytes) X(limit)
#define STRINGS(X) X(process) X(tool) X(kind) X(severity) X(kernel) X(access) X(by_access) X(space) X(place) X(near_label) \
    X(message) X(text) X(backtrace) X(made_backtrace) X(freed_backtrace)

struct finding *finding_new(void)
{
    struct finding *f = alloc_zeroed(sizeof *f);

    arena_init(&f->arena);
    f->launch = -1;
    return f;
}

void finding_free(struct finding *f)
{
    if (!f)
        return;
    arena_release(&f->arena);
    alloc_release(f);
}

/* --- writing --- */

static json_t *string_or_null(const char *s)
{
    json_t *j = s ? json_string(s) : NULL;

    return j ? j : json_null();
}

static json_t *place_to_json(const struct finding_place *p)
{
    json_t *o;

    if (!p->line && !p->ptx_line)
        return json_null();
    o = json_object();
    json_object_set_new(o, "file", string_or_null(p->file));
    json_object_set_new(o, "line", json_integer(p->line));
    json_object_set_new(o, "ptx_line", json_integer(p->ptx_line));
    json_object_set_new(o, "function", string_or_null(p->function));
    json_object_set_new(o, "inlined_at", string_or_null(p->inlined_at));
    return o;
}

static json_t *three_to_json(const uint32_t v[3])
{
    return json_pack("[I,I,I]", (json_int_t)v[0], (json_int_t)v[1], (json_int_t)v[2]);
}

static json_t *cases_to_json(const struct finding *f)
{
    json_t *list = json_array();

    for (int64_t i = 0; i < f->ncases; i++) {
        const struct finding_case *c = &f->cases[i];
        json_t *o = json_object();

        json_object_set_new(o, "block", three_to_json(c->block));
        json_object_set_new(o, "thread", three_to_json(c->thread));
        json_object_set_new(o, "by_thread", three_to_json(c->by_thread));
        json_object_set_new(o, "address", json_integer((json_int_t)c->address));
        json_object_set_new(o, "now", json_integer((json_int_t)c->now));
        json_object_set_new(o, "then", json_integer((json_int_t)c->then));
        json_array_append_new(list, o);
    }
    return list;
}

bool finding_write(const struct finding *f, FILE *file)
{
    json_t *o = json_object();
    bool ok;

    json_object_set_new(o, "heddle_finding", json_integer(FINDINGS_VERSION));
#define NUMBER(field) json_object_set_new(o, #field, json_integer(f->field));
    NUMBERS(NUMBER)
#undef NUMBER
#define STRING(field) json_object_set_new(o, #field, string_or_null(f->field));
    STRINGS(STRING)
#undef STRING
    json_object_set_new(o, "async", json_boolean(f->async));
    json_object_set_new(o, "at", place_to_json(&f->at));
    json_object_set_new(o, "by", place_to_json(&f->by));
    json_object_set_new(o, "cases", cases_to_json(f));
    ok = json_dumpf(o, file, JSON_COMPACT) == 0 && fputc('\n', file) != EOF && fflush(file) == 0;
    json_decref(o);
    return ok;
}

/* --- reading --- */

struct reading {
    struct finding *f;
    const char *wrong; /* the first key whose value is none, or NULL */
};

static int64_t number(struct reading *in, const json_t *o, const char *key)
{
    json_t *v = json_object_get(o, key);

    if (!json_is_integer(v) && !in->wrong)
        in->wrong = key;
    return json_integer_value(v);
}

static const char *string(struct reading *in, const json_t *o, const char *key)
{
    json_t *v = json_object_get(o, key);

    if (!json_is_string(v) && !json_is_null(v) && !in->wrong)
        in->wrong = key;
    return json_is_string(v) ? arena_strdup(&in->f->arena, json_string_value(v)) : NULL;
}

static void three(struct reading *in, const json_t *o, const char *key, uint32_t v[3])
{
    json_t *list = json_object_get(o, key);

    if (json_array_size(list) != 3 && !in->wrong)
        in->wrong = key;
    for (size_t i = 0; i < 3; i++)
        v[i] = (uint32_t)json_integer_value(json_array_get(list, i));
}

static void place(struct reading *in, const json_t *o, const char *key, struct finding_place *p)
{
    const json_t *v = json_object_get(o, key);

    if (json_is_null(v))
        return;
    p->file = string(in, v, "file");
    p->line = (int)number(in, v, "line");
    p->ptx_line = (int)number(in, v, "ptx_line");
    p->function = string(in, v, "function");
    p->inlined_at = string(in, v, "inlined_at");
}

static void cases(struct reading *in, const json_t *o)
{
    const json_t *list = json_object_get(o, "cases");
    struct finding *f = in->f;

    f->ncases = (int64_t)json_array_size(list);
    f->cases = ARENA_ARRAY(&f->arena, struct finding_case, f->ncases + 1);
    for (int64_t i = 0; i < f->ncases; i++) {
        const json_t *v = json_array_get(list, (size_t)i);
        struct finding_case *c = &f->cases[i];

        three(in, v, "block", c->block);
        three(in, v, "thread", c->thread);
        three(in, v, "by_thread", c->by_thread);
        c->address = (uint64_t)number(in, v, "address");
        c->now = (uint64_t)number(in, v, "now");
        c->then = (uint64_t)number(in, v, "then");
    }
}

/* Takes the place of an earlier line about the same finding, or stands at the end. */
static void keep(struct findings *fs, struct table *places, struct finding *f)
{
    const char *key = arena_printf(&f->arena, "%" PRId64 " %" PRId64 " %" PRId64, f->pid, f->launch, f->id);
    intptr_t place = (intptr_t)table_get(places, key);

    if (!place) {
        fs->finding = alloc_resize(fs->finding, (size_t)(fs->n + 1) * sizeof *fs->finding);
        fs->finding[fs->n] = NULL;
        place = ++fs->n;
    }
    table_set(places, key, (void *)place); /* with the newer finding's key */
    finding_free(fs->finding[place - 1]);
    fs->finding[place - 1] = f;
}

/* Is there such a kind, of this tool? */
static bool kind_is_known(const struct finding *f)
{
    for (int k = 0; k < CHECK_KINDS; k++)
        if (!strcmp(f->kind, check_kind_name((enum check_kind)k)))
            return !strcmp(f->tool, check_tool_name(check_kind_tool((enum check_kind)k)));
    return false;
}

/* The first key that is not there though the text of such a finding names it, or NULL. */
static const char *missing(const struct finding *f)
{
    bool race, access;

    if (!f->tool || !f->kind || !f->severity || !kind_is_known(f))
        return "kind";
    if (!f->process)
        return "process";
    race = !strcmp(f->tool, "racecheck");
    access = !strcmp(f->kind, "out-of-bounds") || !strcmp(f->kind, "misaligned") || !strcmp(f->kind, "uninitialised");
    if (!f->message && access && !f->access)
        return "access";
    if (!f->space && (f->limit || (!f->message && (race || access))))
        return "space";
    return NULL;
}

/* NULL with `*wrong`: which key. */
static struct finding *finding_read(const json_t *o, const char **wrong)
{
    struct reading in = {finding_new(), NULL};
    struct finding *f = in.f;

    if (number(&in, o, "heddle_finding") != FINDINGS_VERSION && !in.wrong)
        in.wrong = "heddle_finding";
#define NUMBER(field) f->field = number(&in, o, #field);
    NUMBERS(NUMBER)
#undef NUMBER
#define STRING(field) f->field = string(&in, o, #field);
    STRINGS(STRING)
#undef STRING
    f->async = json_is_true(json_object_get(o, "async"));
    place(&in, o, "at", &f->at);
    place(&in, o, "by", &f->by);
    cases(&in, o);
    if (!in.wrong)
        in.wrong = missing(f);
    *wrong = in.wrong;
    if (!in.wrong)
        return f;
    finding_free(f);
    return NULL;
}

bool findings_read(struct findings *fs, const char *path, struct diag_list *diags)
{
    FILE *file = fopen(path, "re");
    char *line = NULL;
    size_t size = 0;
    int number = 0;
    ssize_t n;
    bool ok = true;
    struct table places;

    *fs = (struct findings){0};
    if (!file) {
        diag_add(diags, DIAG_ERROR, path, 0, "cannot read: %s", strerror(errno));
        return false;
    }
    table_init(&places);
    while (ok && (n = getline(&line, &size, file)) > 0) {
        json_error_t e;
        json_t *o = json_loadb(line, (size_t)n, 0, &e);
        const char *wrong = NULL;
        struct finding *f = o ? finding_read(o, &wrong) : NULL;

        number++;
        json_decref(o);
        if (f) {
            keep(fs, &places, f);
        } else if (line[n - 1] != '\n') {
            diag_add(diags, DIAG_WARNING, path, number, "the last line was cut off");
        } else {
            ok = false;
            diag_add(diags, DIAG_ERROR, path, number, "not a finding: %s", wrong ? wrong : e.text);
        }
    }
    if (ok && !feof(file)) {
        ok = false;
        diag_add(diags, DIAG_ERROR, path, number + 1, "cannot read: %s", strerror(errno));
    }
    table_release(&places);
    free(line);
    fclose(file);
    return ok;
}

void findings_release(struct findings *fs)
{
    for (int i = 0; i < fs->n; i++)
        finding_free(fs->finding[i]);
    alloc_release(fs->finding);
    *fs = (struct findings){0};
}

/* --- joining --- */

static const char *place_key(struct arena *a, const struct finding_place *p)
{
    return arena_printf(a, "%s:%d:%d %s", p->file ? p->file : "", p->line, p->ptx_line, p->inlined_at ? p->inlined_at : "");
}

/* What findings of one mistake have in common. */
static const char *join_key(struct arena *a, const struct finding *f)
{
    const char *const words[] = {f->process, f->kind,  f->kernel,  f->access, f->by_access,
                                 f->space,   f->place, f->message, f->text,   f->backtrace};
    const char *key = arena_printf(a, "%" PRId64 " %" PRId64 " %" PRId64 "\n%s\n%s", f->pid, f->bytes, f->near_address,
                                   place_key(a, &f->at), place_key(a, &f->by));

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        key = arena_printf(a, "%s\n%s", key, words[i] ? words[i] : "");
    return key;
}

static void join(struct finding *to, const struct finding *f)
{
    enum { MOST = 128 };
    int64_t more = to->ncases + f->ncases <= MOST ? f->ncases : to->ncases < MOST ? MOST - to->ncases : 0;
    struct finding_case *cases = to->cases;

    to->count += f->count;
    if (!more)
        return;
    to->cases = ARENA_ARRAY(&to->arena, struct finding_case, to->ncases + more);
    memcpy(to->cases, cases, (size_t)to->ncases * sizeof *cases);
    memcpy(to->cases + to->ncases, f->cases, (size_t)more * sizeof *cases);
    to->ncases += more;
}

void findings_join(struct findings *fs)
{
    struct table first;
    struct arena keys;
    int n = 0;

    table_init(&first);
    arena_init(&keys);
    for (int i = 0; i < fs->n; i++) {
        struct finding *f = fs->finding[i], *same;
        const char *key = join_key(&keys, f);

        same = f->launch >= 0 ? table_get(&first, key) : NULL;
        if (same) {
            join(same, f);
            finding_free(f);
            continue;
        }
        table_set(&first, key, f);
        fs->finding[n++] = f;
    }
    fs->n = n;
    table_release(&first);
    arena_release(&keys);
}
