/* The roofline and the bound of launches (counters/roofline.h), for people. */
#ifndef REPORT_ROOFLINE_H
#define REPORT_ROOFLINE_H

#include <stdbool.h>

#include "counters/roofline.h"
#include "report/result.h"
#include "report/sections.h"

struct diag_list;
struct strbuf;

void result_roofline(const struct result *r, struct roofline *out);

/* The sections of the details page: what each resource needs, and for each precision the levels of memory. */
void roofline_sections(const struct result *r, section_set wanted, struct strbuf *out);

/* A picture of the launches: SVG 1.1 that stands alone, one chart with logarithmic axes. Across: operations a byte; up:
 * GFLOP/s. Roofs by level and precision; for each launch a line as high as its bound allows, with a mark at the intensity
 * of each level. A mark on its level's roof says that this level is the bound. Launches without floating-point operations
 * are listed below. An error when the launches are of more than one device, whose roofs differ. */
bool roofline_svg(struct result *const *r, int n, struct strbuf *out, struct diag_list *diags);

#endif
