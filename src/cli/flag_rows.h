/* A command's table of flags, for the one file that is the command: included after FLAG_ROWS names the table, a .def file of
 * FLAG(id, full, brief, value, help) rows, and behind them IDLE(full, brief, value, why): taken without effect, which a note
 * tells. Gives FLAG_id for each of the former, all rows as `flags`, and their number, FLAGS. */
#ifndef CLI_FLAG_ROWS_H
#define CLI_FLAG_ROWS_H

#include "cli/flags.h"

enum which_flag {
#define FLAG(id, full, brief, value, help) FLAG_##id,
#define IDLE(full, brief, value, why)
#include FLAG_ROWS
#undef FLAG
#undef IDLE
};

static const struct flag flags[] = {
#define FLAG(id, full, brief, value, help) {full, brief, value, help, NULL},
#define IDLE(full, brief, value, why) {full, brief, value, NULL, why},
#include FLAG_ROWS
#undef FLAG
#undef IDLE
};

enum { FLAGS = sizeof flags / sizeof flags[0] };

#endif
