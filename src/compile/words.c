/* Lists of command-line words (see words.h). */
#include "compile/words.h"

#include <stdarg.h>
#include <string.h>

#include "base/strbuf.h"

static void add(struct arena *a, struct words *w, const char *owned)
{
    if (w->n + 2 > w->cap) {
        int cap = w->cap ? w->cap * 2 : 16;
        const char **v = ARENA_ARRAY(a, const char *, cap);
        if (w->n)
            memcpy(v, w->v, sizeof *v * (size_t)w->n);
        w->v = v;
        w->cap = cap;
    }
    w->v[w->n++] = owned;
    w->v[w->n] = NULL;
}

void words_add(struct arena *a, struct words *w, const char *word)
{
    add(a, w, arena_strdup(a, word));
}

void words_addf(struct arena *a, struct words *w, const char *fmt, ...)
{
    struct strbuf b;
    va_list ap;
    strbuf_init(&b);
    va_start(ap, fmt);
    strbuf_addv(&b, fmt, ap);
    va_end(ap);
    words_add(a, w, b.s ? b.s : "");
    strbuf_release(&b);
}

void words_addv(struct arena *a, struct words *w, ...)
{
    va_list ap;
    va_start(ap, w);
    for (const char *s; (s = va_arg(ap, const char *));)
        words_add(a, w, s);
    va_end(ap);
}

void words_append(struct arena *a, struct words *w, const struct words *more)
{
    for (int i = 0; i < more->n; i++)
        add(a, w, more->v[i]);
}

void words_split(struct arena *a, struct words *w, const char *list)
{
    while (*list) {
        size_t n = strcspn(list, ",");
        if (n)
            add(a, w, arena_strndup(a, list, n));
        list += n + (list[n] == ',');
    }
}

const char *words_join(struct arena *a, const struct words *w)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "-_=+./,:@%";
    struct strbuf b;
    strbuf_init(&b);
    for (int i = 0; i < w->n; i++) {
        const char *s = w->v[i];
        if (i)
            strbuf_adds(&b, " ");
        if (*s && s[strspn(s, plain)] == '\0') {
            strbuf_adds(&b, s);
            continue;
        }
        strbuf_adds(&b, "'");
        for (; *s; s++)
            strbuf_add(&b, *s == '\'' ? "'\\''" : s, *s == '\'' ? 4 : 1);
        strbuf_adds(&b, "'");
    }
    const char *joined = arena_strdup(a, b.s ? b.s : "");
    strbuf_release(&b);
    return joined;
}
