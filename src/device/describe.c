/* Reading one device description.
 *
 * In: JSON as docs/devices.md describes it, and that of the relatives it names. Out: a checked struct device, or messages
 * that name file, line and figure; and where each figure comes from. Loops over the table of device_figures.def read all figures, so none can be
 * forgotten; a key or a member that is not known is an error too, because it is most likely a misspelling. */
#include "device/describe.h"
#include "device/device.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <jansson.h>

#include "base/alloc.h"
#include "base/diag.h"
#include "base/near.h"
#include "base/strbuf.h"

#define DEVICE_FORMAT 2

/* --- the table --- */

#define KNOWN false
#define OPEN  true

static const struct device_field fields[] = {
#define SECTION(title) {DEVICE_SECTION, DEVICE_OF_OWN, NULL, NULL, false, 0, 0, 0, 0, 0, 0, title},
#define TEXT(id, of, size, help) \
    {DEVICE_TEXT, DEVICE_OF_##of, #id, NULL, false, 0, 0, 0, offsetof(struct device, id), size, 0, help},
#define FIGURE(id, of, unit, need, min, max, help) \
    {DEVICE_FIGURE, DEVICE_OF_##of, #id, unit, need, min, max, 0, offsetof(struct device, id), 0, 0, help},
#define CHOICE(id, of, need, help) \
    {DEVICE_CHOICE, DEVICE_OF_##of, #id, NULL, need, 0, 0, 0, offsetof(struct device, id), 0, 0, help},
#define LIST(id, of, unit, min, max, least, help) \
    {DEVICE_LIST, DEVICE_OF_##of, #id, unit, false, min, max, least, offsetof(struct device, id), 0, \
     offsetof(struct device, n##id), help},
#include "device/device_figures.def"
#undef SECTION
#undef TEXT
#undef FIGURE
#undef CHOICE
#undef LIST
};

enum { FIELDS = sizeof fields / sizeof *fields };

static const struct {
    const char *figure, *word, *help;
} words[] = {
#define WORD(figure, name, word, help) {#figure, word, help},
#include "device/device_words.def"
#undef WORD
};

bool device_taken_of(const char *id, int64_t *value, const char **whose)
{
    static const struct {
        const char *id, *whose;
        int64_t value;
    } taken[] = {
#define TAKEN(id, value, whose) {#id, whose, value},
#include "device/device_taken.def"
#undef TAKEN
    };
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
        if (!strcmp(taken[i].id, id)) {
            *value = taken[i].value;
            *whose = taken[i].whose;
            return true;
        }
    return false;
}

const struct device_field *device_fields(int *n)
{
    *n = FIELDS;
    return fields;
}

const char *device_word(enum device_word w)
{
    return words[w].word;
}

const char *device_word_help(enum device_word w)
{
    return words[w].help;
}

bool device_word_of(const char *figure, int i, enum device_word *w)
{
    for (int k = 0; k < DEVICE_WORDS; k++) {
        if (strcmp(words[k].figure, figure) || i-- > 0)
            continue;
        *w = (enum device_word)k;
        return true;
    }
    return false;
}

static void *at(const struct device *d, size_t offset)
{
    return (char *)(uintptr_t)d + offset;
}

void device_value(const struct device *d, const struct device_field *f, struct strbuf *out)
{
    const int64_t *v = at(d, f->offset);
    const int *word = at(d, f->offset);

    switch (f->kind) {
    case DEVICE_SECTION:
        break;
    case DEVICE_TEXT:
        strbuf_adds(out, at(d, f->offset));
        break;
    case DEVICE_CHOICE:
        strbuf_adds(out, *word == DEVICE_UNKNOWN ? "unknown" : device_word((enum device_word)*word));
        break;
    case DEVICE_FIGURE:
        if (*v == DEVICE_UNKNOWN)
            strbuf_adds(out, "unknown");
        else
            strbuf_addf(out, "%" PRId64, *v);
        break;
    case DEVICE_LIST:
        for (int i = 0; i < *(int *)at(d, f->count_offset); i++)
            strbuf_addf(out, "%s%" PRId64, i ? ", " : "", v[i]);
        if (*(int *)at(d, f->count_offset) == 0)
            strbuf_adds(out, "none");
        break;
    }
}

/* --- messages --- */

/* The line of a key, for messages: jansson keeps none. A key stands before a colon; other strings may be equal. */
static int line_of_key(const char *text, size_t len, const char *key)
{
    size_t n = strlen(key);
    int line = 1;

    for (size_t i = 0; i + n + 2 <= len; i++) {
        line += text[i] == '\n';
        if (text[i] == '"' && !memcmp(text + i + 1, key, n) && text[i + 1 + n] == '"') {
            size_t after = i + n + 2;

            while (after < len && (text[after] == ' ' || text[after] == '\t' || text[after] == '\r' || text[after] == '\n'))
                after++;
            if (after < len && text[after] == ':')
                return line;
        }
    }
    return 0;
}

struct reading {
    struct device *d;
    const char *file, *text;
    size_t len;
    struct diag_list *diags;
    json_t *root, *sources;
    const char *relative; /* whose figures are in `d` already; NULL: there is none, all must be here */
};

static void complain(const struct reading *r, const char *key, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

static void complain(const struct reading *r, const char *key, const char *fmt, ...)
{
    struct strbuf b;
    va_list ap;

    strbuf_init(&b);
    va_start(ap, fmt);
    strbuf_addv(&b, fmt, ap);
    va_end(ap);
    diag_add(r->diags, DIAG_ERROR, r->file, line_of_key(r->text, r->len, key), "%s", b.s);
    strbuf_release(&b);
}

/* "; did you mean 'x'?", or nothing. `each` gives one candidate after the other, NULL at the end. */
static void add_near(struct strbuf *b, const char *wrong, const char *(*each)(const void *of, int i), const void *of)
{
    const char *best = NULL, *candidate;
    unsigned nearest = near_limit(wrong);

    for (int i = 0; (candidate = each(of, i)); i++) {
        unsigned far = near_distance(wrong, candidate, nearest);

        if (far < nearest) {
            nearest = far;
            best = candidate;
        }
    }
    if (best)
        strbuf_addf(b, "; did you mean '%s'?", best);
}

static const char *each_field(const void *of, int i)
{
    (void)of;
    for (int k = 0; k < FIELDS; k++)
        if (fields[k].id && i-- == 0)
            return fields[k].id;
    return NULL;
}

static const char *each_key(const void *of, int i)
{
    void *it = json_object_iter((json_t *)(uintptr_t)of);

    while (it && i-- > 0)
        it = json_object_iter_next((json_t *)(uintptr_t)of, it);
    return it ? json_object_iter_key(it) : NULL;
}

static const char *each_word(const void *of, int i)
{
    enum device_word w;

    return device_word_of(of, i, &w) ? device_word(w) : NULL;
}

/* --- origins: "source": "KEY" or "KEY: where in it", "assumed": "why", or "unknown": "why" with a value of null --- */

enum { KEY_MAX = 64 };

static bool is_text(const json_t *t)
{
    return json_is_string(t) && *json_string_value(t);
}

/* The part of a source before the first ':'; false: too long for a key. */
static bool source_key(const char *source, char key[KEY_MAX])
{
    size_t n = strcspn(source, ":");

    if (n >= KEY_MAX)
        return false;
    memcpy(key, source, n);
    key[n] = 0;
    return true;
}

static bool check_source(const struct reading *r, const char *id, const char *source)
{
    char key[KEY_MAX];
    struct strbuf b;

    if (source_key(source, key) && json_object_get(r->sources, key))
        return true;
    strbuf_init(&b);
    strbuf_addf(&b, "figure '%s' names the source '%.*s', which \"sources\" does not have", id,
                (int)strcspn(source, ":"), source);
    if (source_key(source, key))
        add_near(&b, key, each_key, r->sources);
    complain(r, id, "%s", b.s);
    strbuf_release(&b);
    return false;
}

/* Exactly one of the three, and "unknown" just where the value is null. */
static bool check_origin(const struct reading *r, const char *id, const json_t *entry, const json_t *value, bool open)
{
    const json_t *source = json_object_get(entry, "source"), *assumed = json_object_get(entry, "assumed"),
                 *unknown = json_object_get(entry, "unknown");

    if (!!source + !!assumed + !!unknown > 1) {
        complain(r, id, "figure '%s' has more than one of \"source\", \"assumed\" and \"unknown\"", id);
        return false;
    }
    if (json_is_null(value)) {
        if (!open)
            complain(r, id, "figure '%s' must have a value: it cannot be null", id);
        else if (!is_text(unknown))
            complain(r, id, "figure '%s' is null: say why in \"unknown\"", id);
        return open && is_text(unknown);
    }
    if (unknown) {
        complain(r, id, "figure '%s' has a value and is \"unknown\": its value must be null", id);
        return false;
    }
    if (!is_text(source) && !is_text(assumed)) {
        complain(r, id, "figure '%s' has no \"source\": say where the value comes from, or in \"assumed\" why it is so", id);
        return false;
    }
    return !source || check_source(r, id, json_string_value(source));
}

static void check_sources(const struct reading *r)
{
    const char *key;
    json_t *value;

    json_object_foreach(r->sources, key, value) {
        bool used = false;

        if (!is_text(value) || strlen(key) >= KEY_MAX || strchr(key, ':'))
            complain(r, key, "source '%s' must have a name without ':' of fewer than %d bytes, and a text", key, KEY_MAX);
        for (int i = 0; i < FIELDS && !used; i++) {
            const json_t *source = fields[i].id ? json_object_get(json_object_get(r->root, fields[i].id), "source") : NULL;
            char of[KEY_MAX];

            used = source && is_text(source) && source_key(json_string_value(source), of) && !strcmp(of, key);
        }
        if (!used)
            complain(r, key, "source '%s' is used by no figure", key);
    }
}

/* --- values --- */

static void read_text(const struct reading *r, const struct device_field *f, const json_t *value)
{
    const char *text = json_string_value(value);

    if (!is_text(value) || strlen(text) >= f->size)
        complain(r, f->id, "figure '%s' must be a text of 1 to %zu bytes", f->id, f->size - 1);
    else
        strcpy(at(r->d, f->offset), text);
}

static void read_choice(const struct reading *r, const struct device_field *f, const json_t *value)
{
    enum device_word w;
    struct strbuf b;

    for (int i = 0; is_text(value) && device_word_of(f->id, i, &w); i++)
        if (!strcmp(json_string_value(value), device_word(w))) {
            *(int *)at(r->d, f->offset) = (int)w;
            return;
        }
    strbuf_init(&b);
    strbuf_addf(&b, "figure '%s' is none of", f->id);
    for (int i = 0; device_word_of(f->id, i, &w); i++)
        strbuf_addf(&b, " \"%s\"", device_word(w));
    if (is_text(value))
        add_near(&b, json_string_value(value), each_word, f->id);
    complain(r, f->id, "%s", b.s);
    strbuf_release(&b);
}

static void read_number(const struct reading *r, const struct device_field *f, const json_t *value)
{
    int64_t v = json_integer_value(value);

    if (!json_is_integer(value))
        complain(r, f->id, "figure '%s' is not a whole number", f->id);
    else if (v < f->min || v > f->max)
        complain(r, f->id, "figure '%s' is %" PRId64 ", outside of %" PRId64 " to %" PRId64, f->id, v, f->min, f->max);
    else
        memcpy(at(r->d, f->offset), &v, sizeof v);
}

static void read_list(const struct reading *r, const struct device_field *f, const json_t *value)
{
    int64_t *v = at(r->d, f->offset);
    size_t n = json_array_size(value);

    if (!json_is_array(value) || n < (size_t)f->least || n > DEVICE_LIST_MAX) {
        complain(r, f->id, "figure '%s' must be a list of %d to %d numbers", f->id, f->least, DEVICE_LIST_MAX);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        const json_t *one = json_array_get(value, i);

        v[i] = json_integer_value(one);
        if (!json_is_integer(one) || v[i] < f->min || v[i] > f->max || (i && v[i] <= v[i - 1])) {
            complain(r, f->id, "figure '%s' must list increasing whole numbers from %" PRId64 " to %" PRId64, f->id,
                     f->min, f->max);
            return;
        }
    }
    *(int *)at(r->d, f->count_offset) = (int)n;
}

static void set_unknown(const struct reading *r, const struct device_field *f)
{
    if (f->kind == DEVICE_CHOICE)
        *(int *)at(r->d, f->offset) = DEVICE_UNKNOWN;
    else
        *(int64_t *)at(r->d, f->offset) = DEVICE_UNKNOWN;
}

static void read_field(const struct reading *r, const struct device_field *f)
{
    const json_t *entry = json_object_get(r->root, f->id), *value, *unit;

    if (!entry && r->relative && f->of != DEVICE_OF_OWN)
        return;
    if (!entry) {
        diag_add(r->diags, DIAG_ERROR, r->file, 0, "figure '%s' is missing%s: %s", f->id,
                 r->relative ? ", and a relative's cannot stand for it" : "", f->help);
        return;
    }
    value = json_object_get(entry, "value");
    unit = json_object_get(entry, "unit");
    if (!json_is_object(entry) || !value) {
        complain(r, f->id, "figure '%s' has no \"value\"", f->id);
        return;
    }
    if (f->unit && (!json_is_string(unit) || strcmp(json_string_value(unit), f->unit))) {
        complain(r, f->id, "figure '%s' has the wrong \"unit\": it must be \"%s\"", f->id, f->unit);
        return;
    }
    if (!check_origin(r, f->id, entry, value, f->open))
        return;
    if (json_is_null(value))
        set_unknown(r, f);
    else if (f->kind == DEVICE_TEXT)
        read_text(r, f, value);
    else if (f->kind == DEVICE_CHOICE)
        read_choice(r, f, value);
    else if (f->kind == DEVICE_LIST)
        read_list(r, f, value);
    else
        read_number(r, f, value);
}

/* --- the whole --- */

static void refuse_unknown_members(const struct reading *r, const char *id, const json_t *entry)
{
    static const char *const members[] = {"value", "unit", "source", "assumed", "unknown"};
    const char *member;
    json_t *value;

    json_object_foreach((json_t *)(uintptr_t)entry, member, value) {
        bool found = false;

        for (size_t i = 0; i < sizeof members / sizeof *members; i++)
            found |= !strcmp(member, members[i]);
        if (!found)
            complain(r, id, "figure '%s' has an unknown member \"%s\"", id, member);
    }
}

static void refuse_unknown_keys(const struct reading *r)
{
    const char *key;
    json_t *value;

    json_object_foreach(r->root, key, value) {
        bool found = !strcmp(key, "heddle_device") || !strcmp(key, "sources") || !strcmp(key, "from");
        struct strbuf b;

        for (int i = 0; i < FIELDS && !found; i++)
            if (fields[i].id && !strcmp(fields[i].id, key)) {
                refuse_unknown_members(r, key, value);
                found = true;
            }
        if (found)
            continue;
        strbuf_init(&b);
        strbuf_addf(&b, "unknown figure '%s'", key);
        add_near(&b, key, each_field, NULL);
        complain(r, key, "%s", b.s);
        strbuf_release(&b);
    }
}

static void check_together(const struct reading *r)
{
    const struct device *d = r->d;

#define RELATION(key, holds, message) \
    if (!(holds))                     \
        complain(r, #key, "%s", "figures contradict each other: " message);
#include "device/device_relations.def"
#undef RELATION
}

/* --- relatives: "from" names the description whose figures stand where a file has none of its own --- */

enum { RELATIVES_MAX = 8 };

/* The relative that a description names; NULL: it names none. */
static const char *relative_of(const json_t *root)
{
    return json_string_value(json_object_get(root, "from"));
}

static bool read_text_of(struct device *d, const char *file, const char *text, size_t len, struct diag_list *diags, int depth);

static const char *each_name(const void *of, int i)
{
    return ((char *const *)of)[i];
}

static void no_relative(const struct reading *r, const char *name)
{
    char **names;
    int n = device_names(&names);
    struct strbuf b;

    strbuf_init(&b);
    strbuf_addf(&b, "there is no description '%s' to be \"from\"", name);
    names = alloc_resize(names, (size_t)(n + 1) * sizeof *names);
    names[n] = NULL;
    add_near(&b, name, each_name, names);
    complain(r, "from", "%s", b.s);
    strbuf_release(&b);
    device_names_release(names, n);
}

/* The figures of the relative, and of its own, and so on: the oldest first, so that each hides those of its relative. */
static bool read_relative(struct reading *r, int depth)
{
    const json_t *from = json_object_get(r->root, "from");
    struct strbuf path;
    size_t len;
    char *text;
    bool found, ok;

    if (!from)
        return true;
    if (!is_text(from) || strlen(json_string_value(from)) >= sizeof r->d->from) {
        complain(r, "from", "\"from\" must be the name of a description");
        return false;
    }
    if (depth == RELATIVES_MAX) {
        complain(r, "from", "'%s' is one relative too many: no more than %d, and not in a circle", json_string_value(from),
                 RELATIVES_MAX);
        return false;
    }
    r->relative = json_string_value(from);
    strbuf_init(&path);
    found = describe_find(r->relative, &path);
    text = found ? describe_file(path.s, &len) : NULL;
    if (!found)
        no_relative(r, r->relative);
    else if (!text)
        complain(r, "from", "cannot read '%s': %s", path.s, strerror(errno));
    ok = text && read_text_of(r->d, path.s, text, len, r->diags, depth + 1);
    snprintf(r->d->from, sizeof r->d->from, "%s", r->relative);
    alloc_release(text);
    strbuf_release(&path);
    return ok;
}

static void read_figures(struct reading *r, int depth)
{
    int errors = r->diags->errors;

    if (!read_relative(r, depth))
        return;
    for (int i = 0; i < FIELDS; i++)
        if (fields[i].id)
            read_field(r, &fields[i]);
    refuse_unknown_keys(r);
    check_sources(r);
    if (r->diags->errors == errors)
        check_together(r);
}

static bool read_text_of(struct device *d, const char *file, const char *text, size_t len, struct diag_list *diags, int depth)
{
    struct reading r = {.d = d, .file = file, .text = text, .len = len, .diags = diags};
    int errors = diags->errors;
    json_error_t error;

    r.root = json_loadb(text, len, JSON_REJECT_DUPLICATES, &error);
    if (!r.root) {
        diag_add(diags, DIAG_ERROR, file, error.line > 0 ? error.line : 0, "not JSON: %s", error.text);
        return false;
    }
    r.sources = json_object_get(r.root, "sources");
    if (json_integer_value(json_object_get(r.root, "heddle_device")) != DEVICE_FORMAT)
        diag_add(diags, DIAG_ERROR, file, 0, "not a device description: \"heddle_device\": %d is missing", DEVICE_FORMAT);
    else if (!json_is_object(r.sources))
        diag_add(diags, DIAG_ERROR, file, 0, "\"sources\" is missing: an object of a name and a text for each source");
    else
        read_figures(&r, depth);
    json_decref(r.root);
    return diags->errors == errors;
}

bool device_parse(struct device *d, const char *file, const char *text, size_t len, struct diag_list *diags)
{
    memset(d, 0, sizeof *d);
    return read_text_of(d, file, text, len, diags, 0);
}

bool describe_name(const char *path, struct strbuf *name)
{
    size_t len;
    char *text = describe_file(path, &len);
    json_t *root = text ? json_loadb(text, len, 0, NULL) : NULL;
    const char *value = json_string_value(json_object_get(json_object_get(root, "name"), "value"));

    if (value)
        strbuf_adds(name, value);
    json_decref(root);
    alloc_release(text);
    return value;
}

/* --- origins, told one by one --- */

/* A description and its relatives, the own one first; sound, as device_parse has found. */
struct family {
    json_t *root[RELATIVES_MAX + 1];
    const char *name[RELATIVES_MAX + 1]; /* in the text of the one before; [0]: NULL */
    int n;
};

static bool family_read(struct family *all, const char *file)
{
    struct strbuf path;
    const char *next = file;

    memset(all, 0, sizeof *all);
    strbuf_init(&path);
    strbuf_adds(&path, file);
    while (next && all->n <= RELATIVES_MAX) {
        size_t len;
        char *text = all->n && !describe_find(next, &path) ? NULL : describe_file(path.s, &len);
        json_t *root = text ? json_loadb(text, len, 0, NULL) : NULL;

        alloc_release(text);
        if (!root)
            break;
        all->name[all->n] = all->n ? next : NULL;
        all->root[all->n++] = root;
        next = relative_of(root);
    }
    strbuf_release(&path);
    return all->n > 0 && !relative_of(all->root[all->n - 1]);
}

static void family_release(struct family *all)
{
    while (all->n)
        json_decref(all->root[--all->n]);
}

/* Who of the family, from the i-th on, has the figure itself. */
static int family_owner(const struct family *all, int i, const char *figure)
{
    while (i < all->n - 1 && !json_object_get(all->root[i], figure))
        i++;
    return i;
}

static const json_t *family_value(const struct family *all, int i, const char *figure)
{
    return json_object_get(json_object_get(all->root[family_owner(all, i, figure)], figure), "value");
}

/* Whether what the figure belongs to is the same for the own description and the i-th, so that the figure is, too. */
static bool family_shares(const struct family *all, int i, enum device_owner of)
{
    bool same_chip = json_equal(family_value(all, 0, "chip"), family_value(all, i, "chip"));
    bool same_capability = json_equal(family_value(all, 0, "cc_major"), family_value(all, i, "cc_major")) &&
                           json_equal(family_value(all, 0, "cc_minor"), family_value(all, i, "cc_minor"));

    return i == 0 || (of == DEVICE_OF_CHIP && same_chip) || (of == DEVICE_OF_CAPABILITY && same_capability);
}

static enum device_origin_kind origin_text(const json_t *root, const json_t *entry, struct strbuf *b)
{
    const char *source = json_string_value(json_object_get(entry, "source")),
               *assumed = json_string_value(json_object_get(entry, "assumed"));
    char key[KEY_MAX];

    if (source && source_key(source, key)) {
        strbuf_addf(b, "%s%s", json_string_value(json_object_get(json_object_get(root, "sources"), key)), source + strlen(key));
        return DEVICE_SOURCED;
    }
    strbuf_adds(b, assumed ? assumed : json_string_value(json_object_get(entry, "unknown")));
    return assumed ? DEVICE_ASSUMED : DEVICE_NOT_KNOWN;
}

static void tell(const struct family *all, const struct device_field *f,
                 void (*see)(const struct device_field *f, const struct device_origin *o, void *user), void *user)
{
    int owner = family_owner(all, 0, f->id);
    const json_t *entry = json_object_get(all->root[owner], f->id);
    struct device_origin o = {0};
    struct strbuf b;

    strbuf_init(&b);
    if (!family_shares(all, owner, f->of))
        strbuf_addf(&b, "%s: ", all->name[owner]);
    o.kind = origin_text(all->root[owner], entry, &b);
    if (!family_shares(all, owner, f->of) && o.kind != DEVICE_NOT_KNOWN)
        o.kind = DEVICE_RELATIVE;
    o.text = b.s;
    see(f, &o, user);
    strbuf_release(&b);
}

bool device_origins(const struct device *d,
                    void (*see)(const struct device_field *f, const struct device_origin *o, void *user), void *user)
{
    struct diag_list diags;
    struct device again;
    struct family all = {0};
    size_t len;
    char *text = describe_file(d->path, &len);
    bool ok;

    if (!text)
        return false;
    diag_init(&diags);
    ok = device_parse(&again, d->path, text, len, &diags) && family_read(&all, d->path);
    diag_release(&diags);
    alloc_release(text);
    for (int i = 0; ok && i < FIELDS; i++)
        if (fields[i].id)
            tell(&all, &fields[i], see, user);
    family_release(&all);
    return ok;
}
