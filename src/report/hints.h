/* Hints: sentences about what the figures say; one line each, "    OPT   Rule: ...". Those that
 * are about figures of a section that is not wanted are left out. */
#ifndef REPORT_HINTS_H
#define REPORT_HINTS_H

#include "report/lines.h"
#include "report/sections.h"

struct strbuf;

void hints_add(const struct result *r, const struct line *lines, int nlines, section_set wanted, struct strbuf *out);

#endif
