/* Verdicts: what a command found to be so or not, as hosts of continuous integration take it.
 *
 * In: verdicts, one a test case. Out, as text: messages in a compiler's form, JUnit's XML (the form that GitLab, Jenkins and
 * others read), and the lines by which a host shows a message beside the source (annotation_hosts.def). */
#ifndef REPORT_VERDICTS_H
#define REPORT_VERDICTS_H

#include "base/arena.h"

struct strbuf;

enum verdict_outcome { VERDICT_PASSED, VERDICT_WARNED, VERDICT_FAILED };

struct verdict {
    enum verdict_outcome outcome;
    const char *group;   /* whose test case: a kernel, a tool */
    const char *name;    /* of the test case: "gld_efficiency >= 90" */
    const char *file;    /* the place in the user's source, or NULL */
    int line;            /* 0: not known */
    const char *message; /* one line; NULL: it passed */
    const char *details; /* more lines, or NULL */
};

struct verdicts {
    struct arena arena;
    struct verdict *list;
    int n, cap;
};

void verdicts_init(struct verdicts *v);
void verdicts_release(struct verdicts *v);

/* Takes copies of the texts. */
void verdicts_add(struct verdicts *v, const struct verdict *one);

int verdicts_count(const struct verdicts *v, enum verdict_outcome outcome);

/* "f.cu:12: error: message", a line for each that did not pass. */
void verdicts_text(const struct verdicts *v, struct strbuf *out);

/* A suite of this name with a case for each verdict (the JUnit XML that Apache Ant's junitreport reads, with `file` and
 * `line`, as GitLab has them). */
void verdicts_junit(const struct verdicts *v, const char *suite, struct strbuf *out);

enum annotation_host {
#define ANNOTATION_HOST(name, word, form) ANNOTATE_##name,
#include "report/annotation_hosts.def"
#undef ANNOTATION_HOST
    ANNOTATION_HOSTS
};

/* "github"; NULL past the last. */
const char *annotation_host_word(int i);

/* A line for each that did not pass, in the host's form. */
void verdicts_annotations(const struct verdicts *v, enum annotation_host host, struct strbuf *out);

#endif
