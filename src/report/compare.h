/* Launches side by side: what changed between programs, kernels or devices.
 *
 * In: columns, each the launches of one kernel, program or device in their order. Out: pages, each one launch of every
 * column that belong together, and for each page a table: a row a figure, a column a launch, with its ratio to the first.
 * Rows: compare.def. */
#ifndef REPORT_COMPARE_H
#define REPORT_COMPARE_H

#include <stdbool.h>

#include "report/report.h"

enum { COMPARE_MOST = 8 }; /* columns */

struct compare_column {
    const char *program; /* as the user named it */
    const char *kernel;  /* what chose the kernels of this column, as the user wrote it; NULL: nothing */
    struct result **launch;
    int n;
};

struct compare_page {
    const struct result *launch[COMPARE_MOST];
};

struct compare {
    const struct compare_column *column;
    int columns;
    struct compare_page *page;
    int pages;
};

/* Finds the launches that belong together. Where a kernel was chosen for each column apart (`in_order`): the first of each,
 * the second of each, and so on. Else the n-th launch of a name (without template arguments and parameters) with the n-th
 * of that name in the other columns; where each column is one launch, these two. Launches that have nothing beside them
 * are named in warnings. False, with an error, when nothing belongs together. The pages lie in the arena. */
bool compare_init(struct compare *c, const struct compare_column *column, int columns, bool in_order, struct arena *a,
                  struct diag_list *diags);

struct compare_options {
    const struct report_metrics *metrics; /* n not 0: these in the place of the rows of compare.def */
    bool all;                             /* also rows that are equal in all columns */
};

/* A verdict for each figure of each page and column behind the first: has it changed for the worse (compare.def) by more than so
 * many percent of the first column's? */
struct verdicts;
void compare_judge(const struct compare *c, const struct compare_options *o, double percent, struct verdicts *out);

void compare_text(const struct compare *c, const struct compare_options *o, struct strbuf *out);
void compare_csv(const struct compare *c, const struct compare_options *o, struct strbuf *out);
void compare_json(const struct compare *c, const struct compare_options *o, struct strbuf *out);

#endif
