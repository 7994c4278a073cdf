/* What a profiled program is to collect: groups of counters, and of which launches.
 *
 * The command that profiles writes it into the environment (HEDDLE_COLLECT) of the program, whose library reads it: launches
 * that nobody asked for run as plain ones, and of the others only what is wanted is counted. Absent: everything, of all. */
#ifndef REPORT_COLLECTION_H
#define REPORT_COLLECTION_H

#include "base/across.h"
#include "counters/counters.h"
#include "report/filter.h"

struct strbuf;

struct collection {
    counter_groups groups;
    struct launch_filter filter;
    uint64_t blocks; /* when each block began and ended, of launches of at most so many */
    bool keeps; /* L2 from launch to launch: --cache-control none */
    bool code; /* the machine code, with how often each instruction was executed */
};

/* Adds the text of HEDDLE_COLLECT: an object of JSON (docs/results.md). */
void collection_write(const struct collection *c, struct strbuf *out);

/* False, with an error: it is no such text. Strings are in the diagnostics' arena. */
bool collection_read(struct collection *c, const char *text, struct diag_list *diags) ACROSS(collection_read);

#endif
