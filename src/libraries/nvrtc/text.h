/* Text that grows, and lists of texts. A failed allocation is kept in `failed`, and nothing is added any more. */
#ifndef NVRTC_TEXT_H
#define NVRTC_TEXT_H

#include <stdbool.h>
#include <stddef.h>

struct text {
    char *s; /* ended by NUL; NULL: nothing yet */
    size_t len, cap;
    bool failed;
};

void text_add(struct text *t, const char *s, size_t n);
void text_addf(struct text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void text_release(struct text *t);

/* A whole file; false: it cannot be read. */
bool text_read(struct text *t, const char *path);
bool text_write(const struct text *t, const char *path);

struct list {
    char **v; /* v[n] is NULL */
    int n, cap;
    bool failed;
};

void list_add(struct list *l, const char *s);
void list_release(struct list *l);

#endif
