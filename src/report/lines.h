/* Sites summed by source line. */
#ifndef REPORT_LINES_H
#define REPORT_LINES_H

#include "report/result.h"

struct line {
    const char *file; /* NULL: no source known, ptx_line counts */
    int line, ptx_line;
    const char *ptx_text; /* the PTX instruction, for lines without source */
    struct counters counters;
    uint64_t passes, lanes; /* as PTX has it: how often warps, or parts of them, came to its most executed instruction; lanes in them */
    uint64_t guarded, guarded_lanes, guarded_on; /* warp instructions of the machine code under predicates that some lanes have off, but
                                                    for branches; lanes that came to them, and those that are on */
    int unrolled;           /* so many turns of its loop stand side by side in the machine code; 0: it is in no such loop */
    double cost; /* warp instructions and passes through memory: what the order goes by */
};

/* All lines that were executed, hottest first, ties in order of file and line; in the arena. Returns how many. */
int lines_collect(const struct result *r, struct arena *a, struct line **lines);

/* The line's text without leading blanks, from the source file if it can be read, or the PTX; in the arena. */
const char *lines_text(const struct line *l, struct arena *a);

/* The site that says which source line the i-th belongs to: itself, or for the compiler's headers the nearest one before (else behind)
 * that lies in another file. */
const struct result_site *lines_speaks_for(const struct result *r, uint32_t i);

/* Is it one of the compiler's own headers? */
bool lines_is_compilers(const char *file);

#endif
