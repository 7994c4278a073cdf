/* Names and lines of the host's frames (see host_frames.h). addr2line runs once for each file, over all its addresses. */
#include "cli/host_frames.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "base/diag.h"
#include "base/strbuf.h"
#include "base/table.h"
#include "base/process.h"
#include "compile/words.h"
#include "report/findings.h"

struct module {
    const char *path;
    struct words argv; /* addr2line's */
};

struct resolving {
    struct arena arena;
    struct module *modules;
    size_t n, cap;
    struct table frames; /* "path+0xoffset" -> its lines */
};

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* Splits "path+0xoffset". The return address is behind the call, which may be the last of its line: one back. */
static bool split(struct arena *a, const char *frame, size_t n, const char **path, unsigned long long *offset)
{
    const char *text = arena_strndup(a, frame, n), *plus = strrchr(text, '+');

    if (!plus)
        return false;
    *path = arena_strndup(a, text, (size_t)(plus - text));
    *offset = strtoull(plus + 1, NULL, 16);
    return true;
}

static struct module *module(struct resolving *r, const char *path)
{
    struct module *m;

    for (size_t i = 0; i < r->n; i++)
        if (!strcmp(r->modules[i].path, path))
            return &r->modules[i];
    ALLOC_GROW(r->modules, r->n, r->cap);
    m = &r->modules[r->n++];
    *m = (struct module){.path = path};
    words_addv(&r->arena, &m->argv, "addr2line", "-a", "-i", "-f", "-C", "-e", path, NULL);
    return m;
}

static void collect(struct resolving *r, const char *frames)
{
    for (const char *at = frames; at && *at;) {
        size_t n = strcspn(at, "\n");
        const char *path;
        unsigned long long offset;

        if (!table_getn(&r->frames, at, n) && split(&r->arena, at, n, &path, &offset)) {
            table_setn(&r->frames, arena_strndup(&r->arena, at, n), n,
                       arena_printf(&r->arena, "[0x%llx] in %s\n", offset, base_name(path)));
            words_addf(&r->arena, &module(r, path)->argv, "0x%llx", offset - 1);
        }
        at += at[n] ? n + 1 : n;
    }
}

static const char *line_of(struct strbuf *text, size_t *at)
{
    char *line = text->s + *at;
    size_t n = strcspn(line, "\n");

    *at += n + (line[n] != 0);
    line[n] = 0;
    return line;
}

/* One frame, or more where calls were inlined: pairs of lines, a function and its place. */
static void add_frame(struct strbuf *out, const char *function, const char *place,
                      unsigned long long offset, const char *path)
{
    static const char stub[] = "__device_stub__"; /* what clang calls the host's side of a kernel */
    size_t n = strcspn(place, " "); /* behind it: (discriminator 2) */
    const char *colon = memchr(place, ':', n), *named = strstr(function, stub);

    if (strstr(place, "/include/heddle/")) /* the wrappers of our own headers: cudaMalloc of a typed pointer */
        return;
    if (strcmp(function, "??"))
        strbuf_addf(out, "%.*s%s", (int)(named ? named - function : 0), function, named ? named + strlen(stub) : function);
    if (colon && place[0] != '?' && colon[1] != '0' && colon[1] != '?')
        strbuf_addf(out, " in %.*s", (int)(n - (size_t)(diag_file(place) - place)), diag_file(place));
    strbuf_addf(out, "%s[0x%llx] in %s\n", out->len && out->s[out->len - 1] != '\n' ? " " : "", offset, base_name(path));
}

static void name(struct resolving *r, struct module *m)
{
    struct process p;
    struct strbuf text, lines;
    size_t at = 0;

    strbuf_init(&text);
    strbuf_init(&lines);
    if (process_start(&p, &(struct process_start){.argv = m->argv.v}) && process_wait(&p, &text) == 0 && text.s)
        while (at < text.len && text.s[at] == '0') {
            unsigned long long offset = strtoull(line_of(&text, &at), NULL, 16) + 1;
            const char *key;

            strbuf_clear(&lines);
            while (at < text.len && strncmp(text.s + at, "0x", 2)) {
                const char *function = line_of(&text, &at);

                add_frame(&lines, function, line_of(&text, &at), offset, m->path);
            }
            key = arena_printf(&r->arena, "%s+0x%llx", m->path, offset);
            table_set(&r->frames, key, arena_strdup(&r->arena, lines.s ? lines.s : ""));
        }
    strbuf_release(&lines);
    strbuf_release(&text);
}

/* From the innermost frame to main; all of them on a thread of its own. */
static const char *replaced(struct resolving *r, struct arena *a, const char *frames)
{
    struct strbuf out;
    const char *s;
    bool done = false;

    if (!frames)
        return NULL;
    strbuf_init(&out);
    for (const char *at = frames; *at && !done;) {
        size_t n = strcspn(at, "\n");
        const char *lines = table_getn(&r->frames, at, n);

        if (lines)
            strbuf_adds(&out, lines);
        done = lines && (!strncmp(lines, "main ", 5) || strstr(lines, "\nmain "));
        at += at[n] ? n + 1 : n;
    }
    s = out.s ? arena_strdup(a, out.s) : NULL;
    strbuf_release(&out);
    return s;
}

void host_frames_resolve(struct findings *fs)
{
    struct resolving r = {0};

    arena_init(&r.arena);
    table_init(&r.frames);
    for (int i = 0; i < fs->n; i++) {
        collect(&r, fs->finding[i]->backtrace);
        collect(&r, fs->finding[i]->made_backtrace);
        collect(&r, fs->finding[i]->freed_backtrace);
    }
    for (size_t i = 0; i < r.n; i++)
        name(&r, &r.modules[i]);
    for (int i = 0; i < fs->n; i++) {
        struct finding *f = fs->finding[i];

        f->backtrace = replaced(&r, &f->arena, f->backtrace);
        f->made_backtrace = replaced(&r, &f->arena, f->made_backtrace);
        f->freed_backtrace = replaced(&r, &f->arena, f->freed_backtrace);
    }
    alloc_release(r.modules);
    table_release(&r.frames);
    arena_release(&r.arena);
}
