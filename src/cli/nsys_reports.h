/* The reports of `nsys stats` (nsys_reports.def), in the columns that nsys gives them. */
#ifndef CLI_NSYS_REPORTS_H
#define CLI_NSYS_REPORTS_H

#include "report/trace.h"

struct strbuf;

struct nsys_report {
    const char *name, *older, *title;
    bool listed; /* in the default list */
};

enum nsys_format { NSYS_COLUMN, NSYS_TABLE, NSYS_CSV, NSYS_TSV };

/* The i-th, NULL past the last; by one of its names (before a ':'), NULL: there is none. */
const struct nsys_report *nsys_report_at(int i);
const struct nsys_report *nsys_report_find(const char *name);

/* Adds its text. `names`: the form of kernels' names. False, and nothing added: the trace holds nothing of the kind. */
bool nsys_report_add(const struct nsys_report *r, const struct trace *t, enum trace_names names, enum nsys_format format,
                     struct strbuf *out);

#endif
