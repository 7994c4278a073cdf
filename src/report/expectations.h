/* Expectations: what a program's figures must be, launch by launch.
 *
 * In: texts like "gld_efficiency >= 90", from a flag or a file, and launches. Out: a verdict for each expectation and kernel,
 * which names the value that is furthest from it, the launch, and the line of the source without which it would be best.
 * A metric goes by any name of its (metrics_aliases.def: ncu's and nvprof's). docs/ci.md has the form of a file. */
#ifndef REPORT_EXPECTATIONS_H
#define REPORT_EXPECTATIONS_H

#include <stdbool.h>

#include "report/names.h"
#include "report/result.h"

struct diag_list;
struct verdicts;

enum expectation_operator {
#define OPERATOR(name, sign, holds, better) EXPECT_##name,
#include "report/expectation_operators.def"
#undef OPERATOR
    EXPECTATION_OPERATORS
};

struct expectation {
    const char *text;   /* as the user wrote it */
    const char *metric; /* the name in it */
    enum expectation_operator operator;
    double bound;
    struct name_rules kernels; /* none: every kernel */
    const char *section;       /* what chose the kernels, or NULL */
    const char *file;          /* NULL: a flag */
    int line;
};

struct expectations {
    struct arena arena;
    struct expectation *each;
    int n, cap;
};

void expectations_init(struct expectations *e);
void expectations_release(struct expectations *e);

/* One from a flag; or all of a file. False: errors, which name the text and where it stands. */
bool expectations_add(struct expectations *e, const char *text, struct diag_list *diags);
bool expectations_read(struct expectations *e, const char *path, struct diag_list *diags);

/* The same from text, `file` standing in messages. */
bool expectations_parse(struct expectations *e, const char *file, const char *text, size_t len, struct diag_list *diags);

/* What launches have to collect for them. */
counter_groups expectations_groups(const struct expectations *e);

/* A launch that has nothing of what a metric measures (the efficiency of loads, and no loads) says nothing about it. An
 * expectation that no launch says anything about is not met. */
void expectations_judge(const struct expectations *e, struct result *const *launch, int n, struct verdicts *out);

#endif
