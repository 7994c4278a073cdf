/* Lists of command-line words, in an arena. */
#ifndef COMPILE_WORDS_H
#define COMPILE_WORDS_H

#include "compile/compile.h"

void words_add(struct arena *a, struct words *w, const char *word); /* the word is copied */
void words_addf(struct arena *a, struct words *w, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* Adds fixed words up to a NULL. */
void words_addv(struct arena *a, struct words *w, ...) __attribute__((sentinel));
void words_append(struct arena *a, struct words *w, const struct words *more);

/* Adds the parts of "a,b,c" as words of their own (nvcc's -Xcompiler -Wall,-Wextra). */
void words_split(struct arena *a, struct words *w, const char *list);

/* The words with spaces between them, quoted for a shell where needed. */
const char *words_join(struct arena *a, const struct words *w);

#endif
