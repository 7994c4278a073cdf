/* Which launches a command is about, from its flags. */
#ifndef CLI_LAUNCHES_H
#define CLI_LAUNCHES_H

#include "report/filter.h"

struct diag_list;

/* Reads the value of --kernel-id; an error, and no change, when it is malformed. */
void launch_filter_id(struct launch_filter *f, const char *value, struct diag_list *diags);

#endif
