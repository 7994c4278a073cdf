/* Which source line is named for a metric's value.
 *
 * In: a result with sites. Out: the line without which the value would be best, or the kernel's first. */
#ifndef REPORT_BLAME_H
#define REPORT_BLAME_H

#include "report/lines.h"

enum better { BETTER_LESS, BETTER_MORE, BETTER_NEAR /* a wanted value */ };

/* The kernel's first line that was executed; NULL: no source is known. */
const struct line *blame_first(const struct result *r, struct arena *a);

/* The line that a metric's value is most owed to: without it the value would be best. NULL: no line makes it worse (a limit of
 * the launch), or no source is known. */
const struct line *blame_line(const struct result *r, const char *metric, enum better better, double wanted, struct arena *a);

#endif
