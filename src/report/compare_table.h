/* The table of a page of a comparison: figures as numbers or words, before anything is formatted. */
#ifndef REPORT_COMPARE_TABLE_H
#define REPORT_COMPARE_TABLE_H

#include "report/compare.h"

/* ANY: a metric that was asked for, of which nothing is known; NOTHING: a figure that says not how good a launch is. */
enum compare_worse { COMPARE_WORSE_NOTHING, COMPARE_WORSE_MORE, COMPARE_WORSE_LESS, COMPARE_WORSE_ANY };

struct compare_row {
    const char *group, *label, *unit;
    const char *metric;               /* or NULL */
    enum trust trust;
    enum compare_worse worse;
    const char *word[COMPARE_MOST];   /* of rows that are words, else NULL */
    double value[COMPARE_MOST];       /* NAN: n/a */
    double ratio[COMPARE_MOST];       /* to the first column; NAN: none */
};

/* The rows of a page that are to be shown, in the arena; returns how many. */
int compare_rows(const struct compare *c, const struct compare_page *p, const struct compare_options *o, struct arena *a,
                 struct compare_row **rows);

#endif
