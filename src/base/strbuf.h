/* A string that grows. `s` is always NUL-terminated once something was added; NULL before. */
#ifndef BASE_STRBUF_H
#define BASE_STRBUF_H

#include <stdarg.h>
#include <stddef.h>

#include "base/across.h"

struct strbuf {
    char *s;
    size_t len; /* bytes, without the NUL */
    size_t cap;
};

void strbuf_init(struct strbuf *b) ACROSS(strbuf_init);
void strbuf_release(struct strbuf *b) ACROSS(strbuf_release);
void strbuf_clear(struct strbuf *b) ACROSS(strbuf_clear);
void strbuf_add(struct strbuf *b, const char *data, size_t n) ACROSS(strbuf_add);
void strbuf_adds(struct strbuf *b, const char *s) ACROSS(strbuf_adds);
void strbuf_addf(struct strbuf *b, const char *fmt, ...) ACROSS(strbuf_addf) __attribute__((format(printf, 2, 3)));
void strbuf_addv(struct strbuf *b, const char *fmt, va_list ap) ACROSS(strbuf_addv);

#endif
