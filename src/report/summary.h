/* Summaries: launches of the same shape taken together (--print-summary). */
#ifndef REPORT_SUMMARY_H
#define REPORT_SUMMARY_H

#include <stdbool.h>

#include "report/report.h"

/* Groups launches by kernel, grid and block (per_gpu: and by device), and prints for each group and metric the
 * smallest, largest and average value. Metrics that are not computed are left out unless they were asked for. */
void report_summary(struct result *const *r, int n, const struct report_metrics *m, bool per_gpu, struct strbuf *out);

#endif
