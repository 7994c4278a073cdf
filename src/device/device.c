/* Reading device descriptions.
 *
 * In: JSON as docs/devices.md describes it. Out: a checked struct device. One loop over device_figures.def reads all
 * figures, so a figure cannot be forgotten; an unknown key is an error too, because it is most likely a misspelling. */
#define _GNU_SOURCE /* dladdr */
#include "device/device.h"

#include <dlfcn.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <jansson.h>

#include "base/alloc.h"
#include "base/diag.h"
#include "base/near.h"
#include "base/strbuf.h"

#define DEVICE_DEFAULT "h200"
#define DEVICE_FORMAT  1

enum { DEVICE_FILE_LIMIT = 1 << 20 }; /* bytes; a description has about 12 thousand */

struct figure {
    const char *id, *unit;
    int64_t min, max;
    size_t offset;
};

static const struct figure figures[] = {
#define FIGURE(id, unit, min, max, help) {#id, unit, min, max, offsetof(struct device, id)},
#include "device/device_figures.def"
#undef FIGURE
};

enum { FIGURES = sizeof figures / sizeof figures[0] };

/* --- the search path --- */

enum { PLACES_MAX = 32 };

struct places {
    char *dir[PLACES_MAX];
    int n;
};

static void places_add(struct places *p, const char *dir, size_t len)
{
    if (p->n == PLACES_MAX || !len)
        return;
    p->dir[p->n] = alloc_zeroed(len + 1);
    memcpy(p->dir[p->n++], dir, len);
}

static void places_add_beside(struct places *p)
{
    static const char *const below[] = {"../devices", "../share/heddle/devices", "devices"};
    Dl_info info;
    char real[PATH_MAX];
    struct strbuf b;
    char *slash;

    if (!dladdr((void *)(uintptr_t)&device_load, &info) || !info.dli_fname ||
        !realpath(strchr(info.dli_fname, '/') ? info.dli_fname : "/proc/self/exe", real))
        return;
    slash = strrchr(real, '/');
    strbuf_init(&b);
    for (size_t i = 0; slash && i < sizeof below / sizeof below[0]; i++) {
        strbuf_clear(&b);
        strbuf_addf(&b, "%.*s/%s", (int)(slash - real), real, below[i]);
        places_add(p, b.s, b.len);
    }
    strbuf_release(&b);
}

static void places_find(struct places *p)
{
    const char *env = getenv("HEDDLE_DEVICES"), *home = getenv("HOME");
    struct strbuf b;

    p->n = 0;
    while (env && *env) {
        size_t n = strcspn(env, ":");

        places_add(p, env, n);
        env += n + (env[n] == ':');
    }
    places_add_beside(p);
    if (home && *home) {
        strbuf_init(&b);
        strbuf_addf(&b, "%s/.config/heddle/devices", home);
        places_add(p, b.s, b.len);
        strbuf_release(&b);
    }
}

static void places_release(struct places *p)
{
    while (p->n)
        alloc_release(p->dir[--p->n]);
}

/* --- names --- */

static int name_compare(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void names_in(const char *dir, char ***names, int *n, int *cap)
{
    DIR *d = opendir(dir);
    struct dirent *e;

    while (d && (e = readdir(d))) {
        size_t len = strlen(e->d_name);

        if (len <= 5 || strcmp(e->d_name + len - 5, ".json"))
            continue;
        ALLOC_GROW(*names, *n, *cap);
        (*names)[*n] = alloc_zeroed(len);
        memcpy((*names)[(*n)++], e->d_name, len - 5);
    }
    if (d)
        closedir(d);
}

int device_names(char ***names)
{
    struct places p;
    int n = 0, cap = 0, kept = 0;

    *names = NULL;
    places_find(&p);
    for (int i = 0; i < p.n; i++)
        names_in(p.dir[i], names, &n, &cap);
    places_release(&p);
    if (n)
        qsort(*names, (size_t)n, sizeof **names, name_compare);
    for (int i = 0; i < n; i++) {
        if (kept && !strcmp((*names)[i], (*names)[kept - 1]))
            alloc_release((*names)[i]);
        else
            (*names)[kept++] = (*names)[i];
    }
    return kept;
}

void device_names_release(char **names, int n)
{
    while (n)
        alloc_release(names[--n]);
    alloc_release(names);
}

static void unknown_name(const char *name, struct diag_list *diags)
{
    char **names;
    int n = device_names(&names);
    struct strbuf b;
    int near = 0;

    strbuf_init(&b);
    for (int i = 0; i < n; i++)
        if (near_distance(name, names[i], near_limit(name)) < near_limit(name))
            strbuf_addf(&b, "%s'%s'", near++ ? " or " : "; did you mean ", names[i]);
    if (near)
        strbuf_adds(&b, "?");
    if (!near && n) {
        strbuf_adds(&b, "; there are:");
        for (int i = 0; i < n; i++)
            strbuf_addf(&b, " %s", names[i]);
    }
    if (!n)
        strbuf_adds(&b, "; there are no descriptions at all: set HEDDLE_DEVICES to the folder that has them");
    diag_add(diags, DIAG_ERROR, NULL, 0, "no device description '%s'%s", name, b.s);
    strbuf_release(&b);
    device_names_release(names, n);
}

/* --- one description --- */

/* The line of a key, for messages: jansson keeps none. */
static int line_of_key(const char *text, size_t len, const char *key)
{
    size_t n = strlen(key);
    int line = 1;

    for (size_t i = 0; i + n + 2 <= len; i++) {
        line += text[i] == '\n';
        if (text[i] == '"' && !memcmp(text + i + 1, key, n) && text[i + 1 + n] == '"')
            return line;
    }
    return 0;
}

struct reading {
    struct device *d;
    const char *file, *text;
    size_t len;
    struct diag_list *diags;
    json_t *root;
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

/* The "value" of an entry that has its unit and its source; else NULL and a message. */
static json_t *entry_value(const struct reading *r, const char *key, const char *unit)
{
    json_t *entry = json_object_get(r->root, key), *value, *source, *have;

    if (!entry) {
        diag_add(r->diags, DIAG_ERROR, r->file, 0, "figure '%s' is missing", key);
        return NULL;
    }
    value = json_object_get(entry, "value");
    source = json_object_get(entry, "source");
    have = json_object_get(entry, "unit");
    if (!json_is_object(entry) || !value) {
        complain(r, key, "figure '%s' has no \"value\"", key);
        return NULL;
    }
    if (!json_is_string(source) || !*json_string_value(source)) {
        complain(r, key, "figure '%s' has no \"source\": say where the value comes from", key);
        return NULL;
    }
    if (unit && (!json_is_string(have) || strcmp(json_string_value(have), unit))) {
        complain(r, key, "figure '%s' has the wrong \"unit\": it must be \"%s\"", key, unit);
        return NULL;
    }
    return value;
}

static void read_figure(const struct reading *r, const struct figure *f)
{
    json_t *value = entry_value(r, f->id, f->unit);
    int64_t v;

    if (!value)
        return;
    if (!json_is_integer(value)) {
        complain(r, f->id, "figure '%s' is not a whole number", f->id);
        return;
    }
    v = json_integer_value(value);
    if (v < f->min || v > f->max) {
        complain(r, f->id, "figure '%s' is %" PRId64 ", outside of %" PRId64 " to %" PRId64, f->id, v, f->min, f->max);
        return;
    }
    memcpy((char *)r->d + f->offset, &v, sizeof v);
}

static void read_configs(const struct reading *r)
{
    json_t *value = entry_value(r, "shared_configs", "byte");
    size_t n = value ? json_array_size(value) : 0;
    struct device *d = r->d;

    if (!value)
        return;
    if (n < 1 || n > DEVICE_CONFIGS_MAX) {
        complain(r, "shared_configs", "figure 'shared_configs' must be a list of 1 to %d sizes", DEVICE_CONFIGS_MAX);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        json_t *size = json_array_get(value, i);

        d->shared_configs[i] = json_integer_value(size);
        if (!json_is_integer(size) || d->shared_configs[i] < 0 ||
            (i && d->shared_configs[i] <= d->shared_configs[i - 1])) {
            complain(r, "shared_configs", "figure 'shared_configs' must list increasing sizes in bytes");
            return;
        }
    }
    d->nshared_configs = (int)n;
}

static void read_name(const struct reading *r)
{
    json_t *value = entry_value(r, "name", NULL);

    if (!value)
        return;
    if (!json_is_string(value) || !*json_string_value(value) || strlen(json_string_value(value)) >= sizeof r->d->name)
        complain(r, "name", "figure 'name' must be a text of 1 to %zu bytes", sizeof r->d->name - 1);
    else
        strcpy(r->d->name, json_string_value(value));
}

static bool is_figure(const char *key)
{
    for (int i = 0; i < FIGURES; i++)
        if (!strcmp(figures[i].id, key))
            return true;
    return !strcmp(key, "heddle_device") || !strcmp(key, "name") || !strcmp(key, "shared_configs");
}

static void refuse_unknown_keys(const struct reading *r)
{
    const char *key;
    json_t *value;

    json_object_foreach(r->root, key, value) {
        const char *best = NULL;
        unsigned nearest = near_limit(key);

        if (is_figure(key))
            continue;
        for (int i = 0; i < FIGURES; i++) {
            unsigned far = near_distance(key, figures[i].id, nearest);

            if (far < nearest) {
                nearest = far;
                best = figures[i].id;
            }
        }
        if (best)
            complain(r, key, "unknown figure '%s'; did you mean '%s'?", key, best);
        else
            complain(r, key, "unknown figure '%s'", key);
    }
}

/* Figures that contradict each other. */
static void check_together(const struct reading *r)
{
    const struct device *d = r->d;

    if (d->max_warps_per_sm * d->warp_size != d->max_threads_per_sm)
        complain(r, "max_warps_per_sm", "figure 'max_warps_per_sm' times 'warp_size' is not 'max_threads_per_sm'");
    if (d->max_threads_per_block > d->max_threads_per_sm)
        complain(r, "max_threads_per_block", "figure 'max_threads_per_block' is above 'max_threads_per_sm'");
    if (d->max_shared_per_block > d->max_shared_per_block_optin)
        complain(r, "max_shared_per_block", "figure 'max_shared_per_block' is above 'max_shared_per_block_optin'");
    if (d->max_shared_per_block_optin + d->shared_reserved > d->shared_per_sm)
        complain(r, "max_shared_per_block_optin",
                 "figure 'max_shared_per_block_optin' and 'shared_reserved' together are above 'shared_per_sm'");
    if (d->shared_configs[d->nshared_configs - 1] != d->shared_per_sm)
        complain(r, "shared_configs", "the last of 'shared_configs' is not 'shared_per_sm'");
}

bool device_parse(struct device *d, const char *file, const char *text, size_t len, struct diag_list *diags)
{
    struct reading r = {d, file, text, len, diags, NULL};
    int errors = diags->errors;
    json_error_t error;

    memset(d, 0, sizeof *d);
    r.root = json_loadb(text, len, JSON_REJECT_DUPLICATES, &error);
    if (!r.root) {
        diag_add(diags, DIAG_ERROR, file, error.line > 0 ? error.line : 0, "not JSON: %s", error.text);
        return false;
    }
    if (json_integer_value(json_object_get(r.root, "heddle_device")) != DEVICE_FORMAT) {
        diag_add(diags, DIAG_ERROR, file, 0, "not a device description: \"heddle_device\": %d is missing", DEVICE_FORMAT);
    } else {
        read_name(&r);
        read_configs(&r);
        for (int i = 0; i < FIGURES; i++)
            read_figure(&r, &figures[i]);
        refuse_unknown_keys(&r);
        if (diags->errors == errors)
            check_together(&r);
    }
    json_decref(r.root);
    return diags->errors == errors;
}

/* A whole file; NULL and errno when it cannot be read. */
static char *read_file(const char *path, size_t *len)
{
    FILE *f = fopen(path, "rb");
    char *text;

    if (!f)
        return NULL;
    text = alloc_zeroed(DEVICE_FILE_LIMIT);
    *len = fread(text, 1, DEVICE_FILE_LIMIT, f);
    if (ferror(f) || *len == DEVICE_FILE_LIMIT) {
        errno = ferror(f) ? errno : EFBIG;
        alloc_release(text);
        text = NULL;
    }
    fclose(f);
    return text;
}

static bool load_file(struct device *d, const char *id, const char *path, struct diag_list *diags)
{
    size_t len;
    char *text = read_file(path, &len);
    bool ok;

    if (!text) {
        diag_add(diags, DIAG_ERROR, NULL, 0, "cannot read '%s': %s", path, strerror(errno));
        return false;
    }
    ok = device_parse(d, path, text, len, diags);
    alloc_release(text);
    snprintf(d->id, sizeof d->id, "%s", id);
    snprintf(d->path, sizeof d->path, "%s", path);
    return ok;
}

/* `dir/name.json` and its length without ".json"; used for names given as paths too. */
static bool load_path(struct device *d, const char *path, struct diag_list *diags)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    char id[sizeof d->id];

    snprintf(id, sizeof id, "%.*s", (int)(strlen(base) - 5), base);
    return load_file(d, id, path, diags);
}

bool device_load(struct device *d, const char *name, struct diag_list *diags)
{
    struct places p;
    struct strbuf b;
    bool found = false, ok = false;
    size_t n;

    if (!name)
        name = getenv("HEDDLE_DEVICE");
    if (!name || !*name)
        name = DEVICE_DEFAULT;
    n = strlen(name);
    if (n > 5 && !strcmp(name + n - 5, ".json"))
        return load_path(d, name, diags);
    places_find(&p);
    strbuf_init(&b);
    for (int i = 0; i < p.n && !found && !strchr(name, '/'); i++) {
        FILE *f;

        strbuf_clear(&b);
        strbuf_addf(&b, "%s/%s.json", p.dir[i], name);
        f = fopen(b.s, "rb");
        if (!f)
            continue;
        fclose(f);
        found = true;
        ok = load_file(d, name, b.s, diags);
    }
    if (!found)
        unknown_name(name, diags);
    strbuf_release(&b);
    places_release(&p);
    return ok;
}
