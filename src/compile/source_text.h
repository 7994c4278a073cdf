/* Scanning the text of a CUDA source, before the preprocessor: what launches.c and device_launches.c share. */
#ifndef COMPILE_SOURCE_TEXT_H
#define COMPILE_SOURCE_TEXT_H

#include <stdbool.h>

struct source_text {
    const char *begin, *end;
};

/* Behind a comment, string or character constant that begins at p; p if there is none. */
const char *source_over_opaque(const struct source_text *t, const char *p);

/* The end of three `sign`s at p, with blanks between them or not; NULL: they are not there. A fourth, or an '=', makes
 * something else of them. */
const char *source_three(const struct source_text *t, const char *p, char sign, bool *apart);

/* The `>>>` of the launch whose configuration begins at p, outside of all brackets; NULL: none in this statement. */
const char *source_closing(const struct source_text *t, const char *p, const char **end, bool *apart);

#endif
