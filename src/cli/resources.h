/* What a kernel takes of the GPU: the lines of `-Xptxas -v`, and where registers come from (`--registers`). */
#ifndef CLI_RESOURCES_H
#define CLI_RESOURCES_H

#include <stdbool.h>
#include <stddef.h>

struct compile_options;
struct diag_list;

/* With -Xptxas -v, each file's kernels are listed on stderr in the form that ptxas has, marked as an estimate. */
void resources_watch(struct compile_options *o);

/* --registers WHERE for the program that is run: "estimate" (target/registers.h), or "ptxas": NVIDIA's assembler on PATH is
 * asked. Sets HEDDLE_REGISTERS. A wrong word, and a ptxas that is not there, are errors in `diags`. */
void resources_choose(const char *where, struct diag_list *diags);

#endif
