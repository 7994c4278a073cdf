/* Finding device descriptions: the search path, the names on it, and the file of a name. describe.c reads the file, names.c
 * knows what else a GPU is called. */
#include "device/device.h"
#include "device/describe.h"
#include "device/names.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/diag.h"
#include "base/file.h"
#include "base/strbuf.h"

#define DEVICE_DEFAULT "h200"

enum { DEVICE_FILE_LIMIT = 1 << 20 }; /* bytes; a description has about 30 thousand */

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
    static const char *const below[] = {"../devices", "heddle/devices"}; /* of a build, an installation's program; of its libraries */
    char *folder = file_folder_of(&device_load);
    struct strbuf b;

    strbuf_init(&b);
    for (size_t i = 0; folder && i < sizeof below / sizeof below[0]; i++) {
        strbuf_clear(&b);
        strbuf_addf(&b, "%s/%s", folder, below[i]);
        places_add(p, b.s, b.len);
    }
    strbuf_release(&b);
    alloc_release(folder);
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

/* --- files --- */

char *describe_file(const char *path, size_t *len)
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
    char *text = describe_file(path, &len);
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

/* The path of the description of this name. */
static bool find_file(const struct places *p, const char *name, struct strbuf *path)
{
    for (int i = 0; i < p->n && !strchr(name, '/'); i++) {
        FILE *f;

        strbuf_clear(path);
        strbuf_addf(path, "%s/%s.json", p->dir[i], name);
        f = fopen(path->s, "rb");
        if (f) {
            fclose(f);
            return true;
        }
    }
    return false;
}

/* What stands behind an architecture and a dash: "c2050" of "fermi-c2050"; NULL: no architecture stands there. */
static const char *behind_architecture(const char *name, enum device_word *architecture)
{
    for (int i = 0; device_word_of("architecture", i, architecture); i++) {
        size_t n = strlen(device_word(*architecture));

        if (!strncmp(name, device_word(*architecture), n) && name[n] == '-')
            return name + n + 1;
    }
    return NULL;
}

bool describe_find(const char *name, struct strbuf *path)
{
    struct places p;
    bool found;

    places_find(&p);
    found = find_file(&p, name, path);
    places_release(&p);
    return found;
}

/* "fermi-c2050": the description behind the architecture, which must be its own. */
static bool load_behind(struct device *d, const char *name, const char *rest, enum device_word architecture, const char *path,
                        struct diag_list *diags)
{
    if (!load_file(d, rest, path, diags))
        return false;
    if (d->architecture == (int)architecture)
        return true;
    diag_add(diags, DIAG_ERROR, NULL, 0, "no device description '%s': '%s' is of the architecture %s", name, rest,
             device_word((enum device_word)d->architecture));
    return false;
}

bool device_load(struct device *d, const char *name, struct diag_list *diags)
{
    const char *rest;
    enum device_word architecture;
    struct strbuf path, id;
    bool ok = false;
    size_t n;

    if (!name)
        name = getenv("HEDDLE_DEVICE");
    if (!name || !*name)
        name = DEVICE_DEFAULT;
    n = strlen(name);
    if (n > 5 && !strcmp(name + n - 5, ".json"))
        return load_path(d, name, diags);
    strbuf_init(&path);
    strbuf_init(&id);
    if (describe_find(name, &path))
        ok = load_file(d, name, path.s, diags);
    else if ((rest = behind_architecture(name, &architecture)) && describe_find(rest, &path))
        ok = load_behind(d, name, rest, architecture, path.s, diags);
    else if (names_meaning(name, &id) && describe_find(id.s, &path))
        ok = load_file(d, id.s, path.s, diags);
    else
        names_refuse(name, diags);
    strbuf_release(&id);
    strbuf_release(&path);
    return ok;
}

int device_code_arch(const struct device *d)
{
    static const int made[] = {DEVICE_CODE_OLDEST, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 89, DEVICE_CODE_NEWEST};
    int wanted = (int)(d->cc_major * 10 + d->cc_minor), arch = DEVICE_CODE_OLDEST;

    for (size_t i = 0; i < sizeof made / sizeof *made; i++)
        if (made[i] <= wanted)
            arch = made[i];
    return arch;
}

void device_code_text(int cc_major, int cc_minor, int arch, struct strbuf *out)
{
    strbuf_addf(out, "device code for sm_%d", arch);
    if (arch == DEVICE_CODE_NEWEST && cc_major * 10 + cc_minor > arch)
        strbuf_adds(out, ", the newest that clang 19 makes");
    else if (arch == DEVICE_CODE_OLDEST && cc_major * 10 + cc_minor < arch)
        strbuf_adds(out, ", the oldest that clang 19 makes");
}
