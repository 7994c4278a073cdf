/* Hints: sentences about what the figures say; one line each, "    OPT   Rule: ...". */
#ifndef REPORT_HINTS_H
#define REPORT_HINTS_H

#include "report/lines.h"

struct strbuf;

void hints_add(const struct result *r, const struct line *lines, int nlines, struct strbuf *out);

#endif
