/* Growing strings (see strbuf.h). */
#include "base/strbuf.h"
#include "base/alloc.h"

#include <stdio.h>
#include <string.h>

void strbuf_init(struct strbuf *b)
{
    memset(b, 0, sizeof *b);
}

void strbuf_release(struct strbuf *b)
{
    alloc_release(b->s);
    strbuf_init(b);
}

void strbuf_clear(struct strbuf *b)
{
    b->len = 0;
    if (b->s)
        b->s[0] = 0;
}

static void room(struct strbuf *b, size_t n)
{
    if (b->len + n + 1 > b->cap) {
        b->cap = (b->len + n + 1) * 2;
        b->s = alloc_resize(b->s, b->cap);
    }
}

void strbuf_add(struct strbuf *b, const char *data, size_t n)
{
    room(b, n);
    memcpy(b->s + b->len, data, n);
    b->len += n;
    b->s[b->len] = 0;
}

void strbuf_adds(struct strbuf *b, const char *s)
{
    strbuf_add(b, s, strlen(s));
}

void strbuf_addv(struct strbuf *b, const char *fmt, va_list ap)
{
    va_list again;
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, fmt, ap);
    room(b, (size_t)n);
    vsnprintf(b->s + b->len, (size_t)n + 1, fmt, again);
    va_end(again);
    b->len += (size_t)n;
}

void strbuf_addf(struct strbuf *b, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    strbuf_addv(b, fmt, ap);
    va_end(ap);
}
