/* Which launches are meant: ncu's filters over kernel names, order and streams. */
#ifndef REPORT_FILTER_H
#define REPORT_FILTER_H

#include <stdbool.h>

#include "base/across.h"
#include "base/table.h"
#include "report/names.h"

struct diag_list;
struct result;

/* The number ncu prints for a stream: 7 is the default stream, those that a program creates begin at 13. */
int report_stream(int stream);

/* context:stream:name:invocation; a part that is empty matches everything. */
struct kernel_id {
    bool given;
    long context, stream, invocation; /* -1: any; stream as the report shows it, invocation from 1 */
    const char *name;                 /* as --kernel-name, or NULL */
};

struct launch_filter {
    const char *kernel;  /* --kernel-name: exact, or "regex:..."; NULL: every one */
    enum name_base base; /* which form of the name that is compared with */
    struct kernel_id id; /* --kernel-id */
    long skip, count;    /* of launches whose kernel matches; count -1: all */
    long skip_all;       /* --launch-skip-before-match: of all launches */
};

/* Takes every launch. */
#define LAUNCH_FILTER_ALL ((struct launch_filter){.count = -1})
bool launch_filter_takes_all(const struct launch_filter *f) ACROSS(launch_filter_takes_all);

/* What the filter has seen so far. */
struct launch_choice {
    const struct launch_filter *filter;
    struct arena arena;
    struct name_filter kernel, id;
    struct table invocations; /* of a context, stream and name: how many */
    long seen, matched, shown;
};

/* False, with an error, when a name is no valid expression. The filter must outlive it. */
bool launch_choice_init(struct launch_choice *c, const struct launch_filter *f, struct diag_list *diags) ACROSS(launch_choice_init);
void launch_choice_release(struct launch_choice *c);

/* What a filter looks at. */
struct launch_id {
    const char *kernel_name, *kernel; /* demangled, and as in the PTX */
    int context, stream;              /* as in struct result */
};

/* Is this launch, the next in order, among them? */
bool launch_choice_takes(struct launch_choice *c, const struct launch_id *id) ACROSS(launch_choice_takes);
struct launch_id launch_id_of(const struct result *r);

#endif
