/* What commands leave for continuous integration: the flags --junit and --annotate, and what they write.
 *
 * In: verdicts (report/verdicts.h). Out: JUnit's XML in a file, annotations on stderr, and for commands that judge on request
 * (profile --expect, compare --fail-above) a message for each verdict that is bad. docs/ci.md. */
#ifndef CLI_CI_H
#define CLI_CI_H

#include <stdbool.h>

#include "report/verdicts.h"

struct diag_list;
struct flag;

struct ci {
    const char *junit; /* the file, or NULL */
    bool annotate;
    enum annotation_host host;
};

/* The value of --junit or --annotate, as `row` says. */
void ci_flag(struct ci *ci, const struct flag *row, const char *value, struct diag_list *diags);

/* `suite`: the name of the test suite. A file that cannot be written is an error. */
void ci_write(const struct ci *ci, const struct verdicts *v, const char *suite, struct diag_list *diags);

/* The bad verdicts as messages on stderr, unless they are there as annotations, and how many of all there are:
 * "heddle: 5 of 6 WHAT". */
void ci_tell(const struct ci *ci, const struct verdicts *v, const char *what);

#endif
