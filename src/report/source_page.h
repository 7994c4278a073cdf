/* The source page: every line of the files that a launch's code comes from, with what it did. */
#ifndef REPORT_SOURCE_PAGE_H
#define REPORT_SOURCE_PAGE_H

#include <stdbool.h>

#include "report/result.h"

struct strbuf;

/* Warp instructions, lanes a warp instruction, global and local sectors a request, shared bank conflicts, divergent
 * branches, and the line's share of all sectors; lines that nothing was executed for have only their text. A file that
 * cannot be read is shown by its executed lines. With `colour` the lines that have a tenth of the traffic or of the
 * instructions stand out (terminal escapes). */
/* The same as CSV: the kernel's name, a header, and a line for each executed source line, or with `instructions` for each PTX instruction,
 * at an address that it might have. An empty line behind. */
void report_source_csv(const struct result *r, bool instructions, struct strbuf *out);

void report_source(const struct result *r, bool colour, struct strbuf *out);

#endif
