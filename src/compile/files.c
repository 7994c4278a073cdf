/* Files and lists of dependencies (see files.h). */
#include "compile/files.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/strbuf.h"
#include "base/table.h"

bool file_hash(const char *path, uint64_t *hash)
{
    struct strbuf b;
    strbuf_init(&b);
    bool ok = file_read(path, &b);
    if (ok)
        *hash = hash_bytes(HASH_START, b.s, b.len);
    strbuf_release(&b);
    return ok;
}

const char *file_extension(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *dot = strrchr(slash ? slash : path, '.');
    return dot ? dot : "";
}

const char *file_stem(struct arena *a, const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    size_t n = strlen(name), x = strlen(file_extension(path));
    return arena_strndup(a, name, x < n ? n - x : n);
}

/* ---- lists of dependencies ---- */

static int64_t nanoseconds(struct timespec t)
{
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

bool deps_add(struct strbuf *out, const char *path)
{
    struct stat st;
    uint64_t hash;
    if (stat(path, &st) != 0 || !file_hash(path, &hash))
        return false;
    strbuf_addf(out, "%016" PRIx64 " %lld %" PRId64 " %" PRId64 " %llu %s\n", hash,
                (long long)st.st_size, nanoseconds(st.st_mtim), nanoseconds(st.st_ctim),
                (unsigned long long)st.st_ino, path);
    return true;
}

bool deps_add_rule(struct strbuf *out, const char *rule_file, const char *except)
{
    struct strbuf text, name;
    strbuf_init(&text);
    strbuf_init(&name);
    bool ok = file_read(rule_file, &text) && text.s;
    const char *p = ok ? strstr(text.s, ": ") : NULL;
    for (p = p ? p + 1 : NULL; ok && p && *p;) {
        p += strspn(p, " \t\r\n");
        if (p[0] == '\\' && (p[1] == '\n' || p[1] == '\r')) {
            p += 2;
            continue;
        }
        strbuf_clear(&name);
        for (; *p && !strchr(" \t\r\n", *p); p++) {
            if (p[0] == '\\' && (p[1] == ' ' || p[1] == '#'))
                p++;
            else if (p[0] == '$' && p[1] == '$')
                p++;
            strbuf_add(&name, p, 1);
        }
        if (name.len && strncmp(name.s, except, strlen(except)) != 0)
            ok = deps_add(out, name.s);
    }
    strbuf_release(&text);
    strbuf_release(&name);
    return ok;
}

void deps_add_once(struct strbuf *out, const char *list)
{
    struct table seen;
    table_init(&seen);
    for (size_t n; *list; list += n) {
        n = strcspn(list, "\n");
        n += list[n] == '\n';
        if (table_getn(&seen, list, n))
            continue;
        table_setn(&seen, list, n, out);
        strbuf_add(out, list, n);
    }
    table_release(&seen);
}

/* One line of a list. */
struct dep {
    uint64_t hash;
    long long size;
    int64_t mtime, ctim; /* ns */
    unsigned long long inode;
    char *path;
};

/* Reads the line at *list and moves on; false at the end of the list or if the line is damaged (*damaged). */
static bool next_dep(const char **list, struct dep *d, bool *damaged)
{
    int at = 0;
    *damaged = false;
    if (!**list)
        return false;
    *damaged = sscanf(*list, "%" SCNx64 " %lld %" SCNd64 " %" SCNd64 " %llu %n", &d->hash, &d->size,
                      &d->mtime, &d->ctim, &d->inode, &at) != 5 || !at;
    if (*damaged)
        return false;
    const char *path = *list + at;
    size_t n = strcspn(path, "\n");
    d->path = alloc_strndup(path, n);
    *list = path + n + (path[n] == '\n');
    return true;
}

static bool dep_unchanged(const struct dep *d, bool untouched)
{
    struct stat st;
    uint64_t hash;
    if (stat(d->path, &st) != 0 || (untouched && nanoseconds(st.st_mtim) != d->mtime))
        return false;
    if (st.st_size == d->size && nanoseconds(st.st_mtim) == d->mtime &&
        nanoseconds(st.st_ctim) == d->ctim && st.st_ino == d->inode)
        return true;
    return file_hash(d->path, &hash) && hash == d->hash;
}

static bool all_unchanged(const char *list, bool untouched)
{
    struct dep d;
    bool damaged, same = true;
    while (same && next_dep(&list, &d, &damaged)) {
        same = dep_unchanged(&d, untouched);
        alloc_release(d.path);
    }
    return same && !damaged;
}

bool deps_unchanged(const char *list)
{
    return all_unchanged(list, false);
}

bool deps_untouched(const char *list)
{
    return all_unchanged(list, true);
}

bool deps_written_since(const char *list, int64_t time)
{
    struct dep d;
    bool damaged, written = false;
    while (next_dep(&list, &d, &damaged)) {
        written = written || d.ctim > time;
        alloc_release(d.path);
    }
    return written;
}
