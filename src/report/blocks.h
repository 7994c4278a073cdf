/* A launch's blocks as a picture: a row for each multiprocessor, a bar for each block from its begin to its end, beside those that were resident
 * with it. It shows waves, the tail of the last one, and multiprocessors that have nothing to do. Modelled (clock/clock.h). */
#ifndef REPORT_BLOCKS_H
#define REPORT_BLOCKS_H

#include <stdbool.h>

struct diag_list;
struct result;
struct strbuf;

/* r->blocks is there. False, with a message: no block has ended. */
bool blocks_svg(const struct result *r, struct strbuf *out, struct diag_list *diags);

#endif
