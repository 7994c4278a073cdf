/* A string that grows. `s` is always NUL-terminated once something was added; NULL before. */
#ifndef BASE_STRBUF_H
#define BASE_STRBUF_H

#include <stdarg.h>
#include <stddef.h>

struct strbuf {
    char *s;
    size_t len; /* bytes, without the NUL */
    size_t cap;
};

void strbuf_init(struct strbuf *b);
void strbuf_release(struct strbuf *b);
void strbuf_clear(struct strbuf *b);
void strbuf_add(struct strbuf *b, const char *data, size_t n);
void strbuf_adds(struct strbuf *b, const char *s);
void strbuf_addf(struct strbuf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void strbuf_addv(struct strbuf *b, const char *fmt, va_list ap);

#endif
