/* The cache of precompiled headers and executables (see cache.h). */
#include "compile/cache.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/strbuf.h"
#include "base/table.h"
#include "compile/files.h"
#include "compile/words.h"

#define FORMAT "heddle-cache-1"

const char *cache_open(struct arena *a, struct diag_list *diags)
{
    struct strbuf folder;
    strbuf_init(&folder);
    const char *dir = file_cache_folder(&folder) ? arena_strdup(a, folder.s) : NULL;
    strbuf_release(&folder);
    if (!dir) {
        diag_add(diags, DIAG_ERROR, NULL, 0,
                 "no place for the cache of compiled programs: set HEDDLE_CACHE or HOME");
        return NULL;
    }
    static const char *const below[] = {"pch", "program", "exe"};
    for (size_t i = 0; i < sizeof below / sizeof *below; i++) {
        if (file_make_dirs(arena_printf(a, "%s/%s", dir, below[i])))
            continue;
        diag_add(diags, DIAG_ERROR, NULL, 0,
                 "cannot make the cache directory '%s/%s': %s; set HEDDLE_CACHE to another", dir,
                 below[i], strerror(errno));
        return NULL;
    }
    return dir;
}

static uint64_t hash_file_identity(uint64_t h, const char *path)
{
    struct stat st;
    h = hash_bytes(h, path, strlen(path) + 1);
    if (stat(path, &st) == 0) {
        h = hash_bytes(h, &st.st_size, sizeof st.st_size);
        h = hash_bytes(h, &st.st_mtim, sizeof st.st_mtim);
    }
    return h;
}

uint64_t cache_key(const struct toolchain *t, const struct words *w)
{
    uint64_t h = hash_bytes(HASH_START, FORMAT, sizeof FORMAT);
    h = hash_file_identity(h, t->clang);
    h = hash_file_identity(h, t->self);
    if (t->plugin)
        h = hash_file_identity(h, t->plugin);
    h = hash_bytes(h, t->lib, strlen(t->lib) + 1);
    for (int i = 0; i < w->n; i++)
        h = hash_bytes(h, w->v[i], strlen(w->v[i]) + 1);
    return h;
}

/* ---- executables ---- */

/* A list file: first line the path it is about, then the files it depends on, then "end", which tells that it is
 * whole and is not part of what is returned. */
static const char *read_list(struct arena *a, const char *path, const char **subject)
{
    struct strbuf b;
    strbuf_init(&b);
    const char *deps = NULL;
    if (file_read(path, &b) && b.len > 4 && strcmp(b.s + b.len - 4, "end\n") == 0) {
        char *text = arena_strndup(a, b.s, b.len - 4), *line_end = strchr(text, '\n');
        if (line_end) {
            *line_end = '\0';
            *subject = text;
            deps = line_end + 1;
        }
    }
    strbuf_release(&b);
    return deps;
}

static bool write_list(const char *path, const char *subject, const char *deps)
{
    struct strbuf b;
    strbuf_init(&b);
    strbuf_addf(&b, "%s\n%send\n", subject, deps);
    bool ok = file_write(path, b.s, b.len);
    strbuf_release(&b);
    return ok;
}

static const char *program_list(struct arena *a, const char *dir, uint64_t key)
{
    return arena_printf(a, "%s/program/%016" PRIx64, dir, key);
}

const char *cache_find_program(struct arena *a, const char *dir, uint64_t key)
{
    const char *exe, *deps = read_list(a, program_list(a, dir, key), &exe);
    if (!deps || !deps_unchanged(deps) || access(exe, X_OK) != 0)
        return NULL;
    return exe;
}

const char *cache_program_path(struct arena *a, const char *dir, uint64_t key, const char *deps,
                               const char *name)
{
    uint64_t hash = deps_hash(deps, key);
    const char *place = arena_printf(a, "%s/exe/%016" PRIx64, dir, hash);
    return file_make_dirs(place) ? arena_printf(a, "%s/%s", place, name) : NULL;
}

bool cache_enter_program(const char *dir, uint64_t key, const char *deps, const char *exe)
{
    struct arena a;
    arena_init(&a);
    bool ok = write_list(program_list(&a, dir, key), exe, deps);
    arena_release(&a);
    return ok;
}

/* ---- precompiled headers ---- */

void cache_find_pch(const struct toolchain *t, const char *dir, const struct words *pass_flags,
                    struct arena *a, struct pch *p)
{
    memset(p, 0, sizeof *p);
    uint64_t key = cache_key(t, pass_flags);
    p->list = arena_printf(a, "%s/pch/%016" PRIx64 ".list", dir, key);
    p->deps = read_list(a, p->list, &p->path);
    if (p->deps && deps_unchanged(p->deps) && access(p->path, R_OK) == 0)
        return;
    p->path = NULL;
    p->temporary = arena_printf(a, "%s/pch/%016" PRIx64 ".%ld.tmp", dir, key, (long)getpid());
    p->rule = arena_printf(a, "%s.d", p->temporary);
    words_append(a, &p->command, pass_flags);
    words_addv(a, &p->command, "-c", "-emit-llvm", "-Xclang", "-emit-pch", "-MD", "-MF", p->rule, NULL);
    words_addf(a, &p->command, "%s/heddle/precompiled.cu", t->include);
    words_addv(a, &p->command, "-o", p->temporary, NULL);
}

bool cache_enter_pch(struct arena *a, const char *dir, struct pch *p)
{
    struct strbuf deps;
    strbuf_init(&deps);
    bool ok = deps_add_rule(&deps, p->rule, dir);
    unlink(p->rule);
    if (ok) {
        /* the name tells the contents, so a process that has just read the old list finds the old file */
        uint64_t hash = hash_bytes(HASH_START, deps.s, deps.len);
        const char *stem = arena_strndup(a, p->list, strlen(p->list) - strlen(".list"));
        p->path = arena_printf(a, "%s-%016" PRIx64 ".pch", stem, hash);
        p->deps = arena_strndup(a, deps.s, deps.len);
        ok = rename(p->temporary, p->path) == 0 && write_list(p->list, p->path, p->deps);
    }
    if (!ok)
        unlink(p->temporary);
    strbuf_release(&deps);
    return ok;
}
