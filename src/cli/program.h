/* The program that a command watches: found, compiled when it is a .cu file, and run as a child.
 *
 * The child's stdin and stdout are untouched. What the library in it is to do is said by environment variables
 * (docs/runtime.md, "Environment"). */
#ifndef CLI_PROGRAM_H
#define CLI_PROGRAM_H

#include <stdbool.h>
#include <stdio.h>

struct arena;
struct compile_options;
struct diag_list;

struct program_variable {
    const char *name, *value; /* value NULL: left as it is */
};

/* The path to execute: `word` is a .cu file (compiled into the cache as by `heddle run`, for the device's architecture
 * unless -arch was given) or an executable built by Heddle. device: its name, or NULL for the default one. NULL, or
 * errors in the list, when there is none. */
const char *program_find(struct compile_options *compile, const char *device, const char *word, struct diag_list *diags);

/* The same for the tools that stand for NVIDIA's: any executable, found on PATH as a shell does; what it starts may be ours. */
const char *program_find_any(struct compile_options *compile, const char *device, const char *word, struct diag_list *diags);

/* The executable of that name on PATH, in the arena, or NULL. */
const char *program_on_path(struct arena *a, const char *name);

/* Runs it to its end, with the variables up to a row whose name is NULL; `output`: the descriptor that its stdout goes to,
 * or 0 for stdout itself. SIGINT, SIGTERM and SIGHUP that reach us alone
 * are handed on to it, and when we are killed, so is it. Returns its status as waitpid gives it, -1 with a message when it could not be run. */
int program_run(const char *exe, char **argv, const struct program_variable *variables, int output, struct diag_list *diags);

/* The first of the devices that a list names (separated by commas; NULL: HEDDLE_DEVICE), which code is made for. False, with a
 * message: one of them is not there. */
struct device;
bool program_device(struct device *first, const char *list, struct diag_list *diags);

/* Programs that this process becomes or starts may give MPI device memory (libraries/mpi): when `command` is an MPI launcher, or, with
 * NULL, when an MPI launcher has started this process. Another command may come to start Open MPI's launcher (make, a script), which is
 * told to hand it on (Open MPI's parameter mca_base_env_list, unless it is set already). */
void program_with_mpi(const char *command);

/* What the command that ran it ends with: its exit status, 128 + n if signal n ended it. */
int program_exit(int status);

/* Runs it with a file that the library in it writes to and that has no name of its own (base/file.h): `variable` gets a path
 * by which it is found, `what` is a word for what is in it. Afterwards `report` gets that path; where it answers false, what is
 * in the file is kept in one with a name in TMPDIR, and a note says so: the run may have been long. Returns what the command ends
 * with, CLI_FAILED with a message when the program could not be run. */
struct program_watch {
    const char *what, *variable;
    const struct program_variable *more; /* as for program_run */
    bool (*report)(void *user, const char *path); /* false: what it reports could not be written */
    void *user;
    int output; /* as for program_run */
    const char *again; /* how to read a kept file, or NULL */
};
int program_watch(const struct program_watch *w, const char *exe, char **argv, struct diag_list *diags);

/* A file name with the escapes of NVIDIA's tools: %p this process, %h the host, %q{NAME} an environment variable, %% a percent
 * sign. NULL stays NULL. */
const char *program_file_name(struct arena *a, const char *name);

/* Writes a report to `file`, or to `own` when that is NULL. False, with a message, when it cannot be written. */
struct strbuf;
bool program_write_report(const struct strbuf *text, const char *file, FILE *own, struct diag_list *diags);

#endif
