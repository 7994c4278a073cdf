/* Which launches a command is about: ncu's filters over kernel names, order and streams. */
#ifndef CLI_LAUNCHES_H
#define CLI_LAUNCHES_H

#include <stdbool.h>

#include "base/table.h"
#include "report/names.h"

struct arena;
struct diag_list;
struct result;

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

/* Reads the value of --kernel-id; an error, and no change, when it is malformed. */
void launch_filter_id(struct launch_filter *f, const char *value, struct diag_list *diags);

/* What the filter has seen so far. */
struct launch_choice {
    const struct launch_filter *filter;
    struct arena *arena;
    struct name_filter kernel, id;
    struct table invocations; /* of a context, stream and name: how many */
    long seen, matched, shown;
};

/* False, with an error, when a name is no valid expression. The filter and the diagnostics' arena must outlive it. */
bool launch_choice_init(struct launch_choice *c, const struct launch_filter *f, struct diag_list *diags);
void launch_choice_release(struct launch_choice *c);

/* Is this launch, the next in order, among them? */
bool launch_choice_takes(struct launch_choice *c, const struct result *r);

#endif
