/* Sites summed by source line. */
#ifndef REPORT_LINES_H
#define REPORT_LINES_H

#include "report/result.h"

struct line {
    const char *file; /* NULL: no source known, ptx_line counts */
    int line, ptx_line;
    const char *ptx_text; /* the PTX instruction, for lines without source */
    struct counters counters;
    double cost; /* warp instructions and passes through memory: what the order goes by */
};

/* All lines that were executed, hottest first, ties in order of file and line; in the arena. Returns how many. */
int lines_collect(const struct result *r, struct arena *a, struct line **lines);

/* The line's text without leading blanks, from the source file if it can be read, or the PTX; in the arena. */
const char *lines_text(const struct line *l, struct arena *a);

/* Is it one of the compiler's own headers? */
bool lines_is_compilers(const char *file);

#endif
