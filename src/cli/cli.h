/* The subcommands of `heddle`, one file each. A function gets the words after its name and returns the exit status. */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include <stdbool.h>

struct diag_list;

#define COMMAND(name, function, line) int function(int argc, char **argv);
#include "cli/commands.def"
#undef COMMAND

/* The same for tools.def: `heddle` called by the name of one of NVIDIA's tools. */
int cli_nvcc(int argc, char **argv);
int cli_ncu(int argc, char **argv);
int cli_nvprof(int argc, char **argv);
int cli_nsys(int argc, char **argv);
int cli_smi(int argc, char **argv);
int cli_cuobjdump(int argc, char **argv);
int cli_sanitizer(int argc, char **argv);
int cli_memcheck(int argc, char **argv);

/* What a build ends with; after -run the program's status. */
struct compile_options;
int cli_built(struct compile_options *o, bool failed);

/* Prints the diagnostics on stderr and empties the list. Returns true if there was an error among them. */
bool cli_print(struct diag_list *diags);

/* False, and a message on stderr, when memory was short (base/alloc.h): asked before a program is started, and at the end. */
bool cli_memory_sufficed(void);

/* Before a program of the user's is executed: signals as we found them. */
void cli_restore_signals(void);

/* Is the next word a request for help? */
bool cli_wants_help(int argc, char **argv);

/* Exit statuses of our own; `heddle run` returns the program's. UNMET: the command did what it was asked to, and what it was asked
 * to hold (profile --expect, compare --fail-above) does not. */
enum { CLI_OK = 0, CLI_FAILED = 1, CLI_USAGE = 2, CLI_UNMET = 3 };

#endif
