/* The linker's own command line. clang knows how programs of this system are linked: which linker, with which start files, in
 * which folders. It takes 0.14 s of CPU time to start, so what it asked of the linker is kept in the cache, and the next program
 * that is linked with the same words is linked without it. */
#ifndef COMPILE_LINK_LINE_H
#define COMPILE_LINK_LINE_H

#include <stdbool.h>

#include "compile/clang.h"

struct store;

/* One link. */
struct link_line {
    const struct words *command; /* clang's, as clang_link makes it */
    const char *temp;            /* the folder of what is compiled for it, another one each time; or NULL */
    const char *output;
};

/* The linker's command, of the cache. False: it is not known, or a file that clang chose has changed. */
bool link_line_find(const struct toolchain *t, const struct store *s, const struct link_line *l, struct arena *a, struct words *linker);

/* Keeps the linker's command that clang -v told in `said`; none if clang ran more than the linker, or reads a file of
 * configuration. Returns `said` without what -v adds. */
const char *link_line_learn(const struct toolchain *t, struct store *s, const struct link_line *l, struct arena *a, const char *said,
                            bool linked);

#endif
