/* HEDDLE_COLLECT as text (see collection.h). Both directions walk the same list of numbers. */
#include "report/collection.h"

#include <string.h>

#include "base/diag.h"
#include "base/json.h"
#include "base/strbuf.h"

/* Numbers of a filter, and of its kernel id. */
#define FILTER_NUMBERS(X) X(skip) X(count) X(skip_all)
#define ID_NUMBERS(X)     X(context) X(stream) X(invocation)

static const char *const bases[] = {[NAME_FUNCTION] = "function", [NAME_DEMANGLED] = "demangled", [NAME_MANGLED] = "mangled"};
enum { BASES = sizeof bases / sizeof *bases };

/* Names that are not UTF-8 have no place in JSON: they are NULL, which takes every launch. */
static json_t *text_or_null(const char *s)
{
    json_t *v = s ? json_string(s) : NULL;

    return v ? v : json_null();
}

static json_t *id_json(const struct kernel_id *id)
{
    json_t *o = json_object();

#define NUMBER(field) json_object_set_new(o, #field, json_integer(id->field));
    ID_NUMBERS(NUMBER)
#undef NUMBER
    json_object_set_new(o, "name", text_or_null(id->name));
    return o;
}

void collection_write(const struct collection *c, struct strbuf *out)
{
    const struct launch_filter *f = &c->filter;
    json_t *o = json_object(), *groups = json_array();

    for (int i = 0; i < GROUP_COUNT; i++)
        if (c->groups >> i & 1)
            json_array_append_new(groups, json_string(group_info[i].name));
    json_object_set_new(o, "collect", groups);
#define NUMBER(field) json_object_set_new(o, #field, json_integer(f->field));
    FILTER_NUMBERS(NUMBER)
#undef NUMBER
    json_object_set_new(o, "kernel", text_or_null(f->kernel));
    json_object_set_new(o, "base", json_string(bases[f->base]));
    if (c->blocks)
        json_object_set_new(o, "blocks", json_integer((json_int_t)c->blocks));
    if (c->keeps)
        json_object_set_new(o, "keeps", json_true());
    if (c->code)
        json_object_set_new(o, "code", json_true());
    if (f->id.given)
        json_object_set_new(o, "id", id_json(&f->id));
    json_print(out, o);
}

/* --- reading --- */

struct reading {
    struct diag_list *diags;
    const char *wrong; /* the first key with a bad value, or NULL */
};

static void number(struct reading *in, const json_t *o, const char *key, long *to)
{
    const json_t *v = json_object_get(o, key);

    if (v && !json_is_integer(v) && !in->wrong)
        in->wrong = key;
    if (json_is_integer(v))
        *to = (long)json_integer_value(v);
}

static const char *string(struct reading *in, const json_t *o, const char *key)
{
    const json_t *v = json_object_get(o, key);

    if (v && !json_is_string(v) && !json_is_null(v) && !in->wrong)
        in->wrong = key;
    return json_is_string(v) ? arena_strdup(&in->diags->arena, json_string_value(v)) : NULL;
}

static void read_groups(struct reading *in, const json_t *list, struct collection *c)
{
    if (!json_is_array(list)) {
        in->wrong = "collect";
        return;
    }
    c->groups = 0;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *name = json_string_value(json_array_get(list, i));
        enum counter_group g = name ? counters_find_group(name) : GROUP_COUNT;

        if (g == GROUP_COUNT)
            in->wrong = "collect";
        else
            c->groups |= (counter_groups)1 << g;
    }
}

static void read_base(struct reading *in, const json_t *o, struct launch_filter *f)
{
    const char *base = string(in, o, "base");
    int i = 0;

    while (base && i < BASES && strcmp(base, bases[i]))
        i++;
    if (i == BASES)
        in->wrong = "base";
    else
        f->base = (enum name_base)i;
}

static void read_id(struct reading *in, const json_t *o, struct kernel_id *id)
{
    *id = (struct kernel_id){true, -1, -1, -1, string(in, o, "name")};
#define NUMBER(field) number(in, o, #field, &id->field);
    ID_NUMBERS(NUMBER)
#undef NUMBER
}

bool collection_read(struct collection *c, const char *text, struct diag_list *diags)
{
    json_t *o = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    const json_t *groups = json_object_get(o, "collect"), *id = json_object_get(o, "id"), *code = json_object_get(o, "code"), *keeps = json_object_get(o, "keeps"), *blocks = json_object_get(o, "blocks");
    struct reading in = {diags, json_is_object(o) ? NULL : ""};

    *c = (struct collection){.groups = COUNTERS_ALL, .filter = LAUNCH_FILTER_ALL, .code = json_is_true(code), .keeps = json_is_true(keeps)};
    if (blocks && (!json_is_integer(blocks) || json_integer_value(blocks) < 0))
        in.wrong = "blocks";
    else if (blocks)
        c->blocks = (uint64_t)json_integer_value(blocks);
    if (code && !json_is_boolean(code))
        in.wrong = "code";
    if (keeps && !json_is_boolean(keeps))
        in.wrong = "keeps";
    if (groups)
        read_groups(&in, groups, c);
#define NUMBER(field) number(&in, o, #field, &c->filter.field);
    FILTER_NUMBERS(NUMBER)
#undef NUMBER
    c->filter.kernel = string(&in, o, "kernel");
    read_base(&in, o, &c->filter);
    if (id)
        read_id(&in, id, &c->filter.id);
    json_decref(o);
    if (in.wrong)
        diag_add(diags, DIAG_ERROR, NULL, 0, *in.wrong ? "HEDDLE_COLLECT: '%s' has a value that means nothing" : "HEDDLE_COLLECT is no object of JSON%s", in.wrong);
    return !in.wrong;
}
