/* A command's table of flags, for the one file that is the command: included after FLAG_ROWS names the table (a .def file of
 * FLAG(id, full, brief, value, help) rows). Gives FLAG_id for each row, the rows themselves as `flags`, and their number, FLAGS. */
#ifndef CLI_FLAG_ROWS_H
#define CLI_FLAG_ROWS_H

#include "cli/flags.h"

enum which_flag {
#define FLAG(id, full, brief, value, help) FLAG_##id,
#include FLAG_ROWS
#undef FLAG
};

static const struct flag flags[] = {
#define FLAG(id, full, brief, value, help) {full, brief, value, help},
#include FLAG_ROWS
#undef FLAG
};

enum { FLAGS = sizeof flags / sizeof flags[0] };

#endif
