/* Precompiled headers and executables in the cache (see cache.h). */
#include "compile/cache.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/diag.h"
#include "base/store.h"
#include "base/strbuf.h"
#include "compile/files.h"
#include "compile/words.h"

#define FORMAT "heddle-cache-2"

bool cache_open(struct store *s, struct diag_list *diags)
{
    struct strbuf note;
    strbuf_init(&note);
    bool ok = store_open(s, true, &note);
    if (note.len)
        diag_add(diags, ok ? DIAG_WARNING : DIAG_ERROR, NULL, 0, "%s", note.s);
    strbuf_release(&note);
    return ok;
}

static void mix_file_identity(struct hash128 *h, const char *path)
{
    struct stat st;
    hash128_text(h, path);
    if (stat(path, &st) == 0) {
        HASH128_MIX(h, st.st_size);
        HASH128_MIX(h, st.st_mtim);
    }
}

struct hash128 cache_key(const struct toolchain *t, const struct words *w)
{
    struct hash128 h = HASH128_START;
    hash128_text(&h, FORMAT);
    mix_file_identity(&h, t->clang);
    mix_file_identity(&h, t->self);
    if (t->plugin)
        mix_file_identity(&h, t->plugin);
    hash128_text(&h, t->lib);
    for (int i = 0; i < w->n; i++)
        hash128_text(&h, w->v[i]);
    return h;
}

/* An entry is a hash as it lies in memory, the file's name, a newline, then the lines of what it depends on. */
static bool find(struct arena *a, const struct store *s, enum store_part part, const struct hash128 *key, const char **path,
                 const char **deps)
{
    struct strbuf entry, file;
    struct hash128 content;
    char *line_end;
    strbuf_init(&entry);
    strbuf_init(&file);
    bool found = store_get(s, part, key, &entry) && entry.len > sizeof content &&
                 (line_end = strchr(entry.s + sizeof content, '\n'));
    if (found) {
        *line_end = '\0';
        memcpy(&content, entry.s, sizeof content);
        found = (part == STORE_PCH ? deps_untouched : deps_unchanged)(line_end + 1) &&
                store_find_file(s, part, &content, entry.s + sizeof content, &file);
    }
    if (found) {
        *path = arena_strdup(a, file.s);
        *deps = arena_strdup(a, line_end + 1);
    }
    strbuf_release(&entry);
    strbuf_release(&file);
    return found;
}

/* Puts the file there; with `deps`, also the entry. */
static const char *add(struct arena *a, struct store *s, enum store_part part, const struct hash128 *key, const char *deps,
                       const char *from, const char *name)
{
    struct strbuf entry, path;
    struct hash128 content;
    strbuf_init(&entry);
    strbuf_init(&path);
    bool ok = store_put_file(s, part, from, name, &content);
    if (ok && deps) {
        strbuf_add(&entry, (const char *)&content, sizeof content);
        strbuf_addf(&entry, "%s\n", name);
        deps_add_once(&entry, deps);
        ok = store_put(s, part, key, entry.s, entry.len);
    }
    ok = ok && store_find_file(s, part, &content, name, &path);
    const char *kept = ok ? arena_strdup(a, path.s) : NULL;
    strbuf_release(&entry);
    strbuf_release(&path);
    return kept;
}

const char *cache_find_program(struct arena *a, const struct store *s, const struct hash128 *key)
{
    const char *exe, *deps;
    return find(a, s, STORE_EXE, key, &exe, &deps) ? exe : NULL;
}

const char *cache_add_program(struct arena *a, struct store *s, const struct hash128 *key, const char *deps, const char *from,
                              const char *name)
{
    return add(a, s, STORE_EXE, key, deps, from, name);
}

void cache_find_pch(const struct toolchain *t, const struct store *s, const struct words *pass_flags, const char *temporary,
                    struct arena *a, struct pch *p)
{
    memset(p, 0, sizeof *p);
    p->key = cache_key(t, pass_flags);
    if (find(a, s, STORE_PCH, &p->key, &p->path, &p->deps))
        return;
    p->temporary = temporary;
    p->rule = arena_printf(a, "%s.d", temporary);
    words_append(a, &p->command, pass_flags);
    words_addv(a, &p->command, "-c", "-emit-llvm", "-Xclang", "-emit-pch", "-MD", "-MF", p->rule, NULL);
    words_addf(a, &p->command, "%s/heddle/precompiled.cu", t->include);
    words_addv(a, &p->command, "-o", p->temporary, NULL);
}

bool cache_add_pch(struct arena *a, struct store *s, struct pch *p)
{
    struct strbuf deps;
    strbuf_init(&deps);
    bool ok = deps_add_rule(&deps, p->rule, s->path);
    if (ok) {
        p->deps = arena_strdup(a, deps.s);
        p->path = add(a, s, STORE_PCH, &p->key, p->deps, p->temporary, "precompiled.pch");
    }
    strbuf_release(&deps);
    return ok && p->path;
}
