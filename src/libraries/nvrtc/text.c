/* Text that grows (see text.h). */
#include "text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool room(struct text *t, size_t n)
{
    if (!t->failed && t->len + n + 1 > t->cap) {
        size_t cap = (t->len + n + 1) * 2;
        char *s = realloc(t->s, cap);
        t->failed = !s;
        if (s) {
            t->s = s;
            t->cap = cap;
        }
    }
    return !t->failed;
}

void text_add(struct text *t, const char *s, size_t n)
{
    if (!room(t, n))
        return;
    memcpy(t->s + t->len, s, n);
    t->len += n;
    t->s[t->len] = 0;
}

void text_addf(struct text *t, const char *fmt, ...)
{
    va_list ap, again;
    va_start(ap, fmt);
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, fmt, ap);
    if (n >= 0 && room(t, (size_t)n)) {
        vsnprintf(t->s + t->len, (size_t)n + 1, fmt, again);
        t->len += (size_t)n;
    }
    va_end(again);
    va_end(ap);
}

void text_release(struct text *t)
{
    free(t->s);
    *t = (struct text){0};
}

bool text_read(struct text *t, const char *path)
{
    char part[1 << 14];
    FILE *f = fopen(path, "rbe");
    if (!f)
        return false;
    for (size_t n; (n = fread(part, 1, sizeof part, f)) > 0;)
        text_add(t, part, n);
    bool ok = !ferror(f) && !t->failed;
    fclose(f);
    return ok;
}

bool text_write(const struct text *t, const char *path)
{
    FILE *f = fopen(path, "wbe");
    if (!f)
        return false;
    bool ok = fwrite(t->s ? t->s : "", 1, t->len, f) == t->len;
    return fclose(f) == 0 && ok;
}

void list_add(struct list *l, const char *s)
{
    if (l->n + 2 > l->cap && !l->failed) {
        char **v = realloc(l->v, (size_t)(l->cap + 16) * sizeof *v);
        l->failed = !v;
        if (v) {
            l->v = v;
            l->cap += 16;
        }
    }
    char *copy = l->failed ? NULL : strdup(s);
    l->failed = !copy;
    if (copy) {
        l->v[l->n++] = copy;
        l->v[l->n] = NULL;
    }
}

void list_release(struct list *l)
{
    for (int i = 0; i < l->n; i++)
        free(l->v[i]);
    free(l->v);
    *l = (struct list){0};
}
