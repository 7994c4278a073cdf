/* Summaries: launches of the same shape taken together (--print-summary). */
#ifndef REPORT_SUMMARY_H
#define REPORT_SUMMARY_H

#include <stdbool.h>

#include "report/report.h"

struct summary_style {
    bool per_gpu;         /* launches on different devices are told apart */
    bool csv;             /* a header, and a line for each metric of each group */
    section_set sections; /* without metrics: the rows of these (section_rows.def); 0: all metrics */
};

/* Groups launches by kernel, grid and block (per_gpu: and by device), and prints for each group and metric the
 * smallest, largest and average value. Metrics that are not computed are left out unless they were asked for. */
void report_summary(struct result *const *r, int n, const struct report_metrics *m, const struct summary_style *style, struct strbuf *out);

#endif
