/* Reports: results as people and scripts read them.
 *
 * In: results (report/result.h). Out: text in a strbuf; nothing here prints. Text follows the layout of NVIDIA's ncu, with
 * a fourth column: how far each figure can be trusted. Hints are computed from the same figures. */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include "report/result.h"
#include "report/sections.h"

struct strbuf;

/* Which metrics a raw page or table shows; n 0: all that are computed. Names as the user wrote them. */
struct report_metrics {
    const char *const *name;
    int n;
    bool lenient; /* names that are not known stay, with a warning: n/a, as in ncu */
    bool scaled; /* the raw page as text: bytes as Kbyte, Mbyte, Gbyte (powers of 1000, as in ncu) */
};

/* Reads "a,b,regex:^sm__" into names (in the arena). An unknown name is an error with its near match (a warning when m->lenient), an
 * expression stands for every name it matches anywhere, computed or not, and "dram__bytes" for all computed names dram__bytes.*. */
bool report_metrics_parse(struct report_metrics *m, const char *list, struct arena *a, struct diag_list *diags);

/* What launches have to collect for these metrics. */
counter_groups report_groups(const struct report_metrics *m);

/* The metric of a name; one without unit that is not computed when there is none: never NULL. */
const struct metric *report_metric(const char *name);

/* A row of the details page that shows one metric (section_rows.def): the i-th, NULL past the last; whether the launch has it. */
struct section_row {
    enum section section;
    const char *title, *label, *metric;
};
const struct section_row *section_row_at(int i);
bool section_row_there(const struct section_row *at, const struct result *r);

/* The details page as CSV: a header, then a line for each row and for each hint; with metrics given, one for each of them. */
void report_details_csv_header(const struct report_metrics *m, struct strbuf *out);
void report_details_csv(const struct result *r, int64_t id, const struct report_metrics *m, section_set wanted, struct strbuf *out);

/* The details page of one launch: sections, hottest source lines, hints; with metrics given, only those. */
void report_text(const struct result *r, const struct report_metrics *m, struct strbuf *out);

/* The same with some of its sections. */
void report_details(const struct result *r, const struct report_metrics *m, section_set wanted, struct strbuf *out);

/* The raw page as text: one line a metric. */
void report_raw(const struct result *r, const struct report_metrics *m, struct strbuf *out);

/* The raw page as CSV: header and units, then one line a launch. `id` numbers the launches of a report. */
void report_csv_header(const struct report_metrics *m, struct strbuf *out);
void report_csv_line(const struct result *r, int64_t id, const struct report_metrics *m, struct strbuf *out);

/* "name (gx, gy, gz)x(bx, by, bz), Context 1, Stream 7, Device 0, CC 9.0" */
void report_launch_line(const struct result *r, struct strbuf *out);

/* A metric's value in digits: whole numbers without a point, others with up to six significant decimals; "n/a". */
void report_value(const struct result *r, const char *metric, char *out, size_t size);

/* The same of a number. */
void report_number(double v, char *out, size_t size);

#endif
