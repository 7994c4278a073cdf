/* What a kernel takes of the GPU: the lines of `-Xptxas -v`, and where registers come from (`--registers`). */
#ifndef CLI_RESOURCES_H
#define CLI_RESOURCES_H

#include <stdbool.h>
#include <stddef.h>

struct compile_options;
struct diag_list;

/* With -Xptxas -v, each file's kernels are listed on stderr in the form that ptxas has, marked as an estimate. */
void resources_watch(struct compile_options *o);

/* --registers WHERE for the program that is run: "estimate" (target/fit.h), or "ptxas": NVIDIA's assembler on PATH is
 * asked. Sets HEDDLE_REGISTERS. A wrong word, and a ptxas that is not there, are errors in `diags`. */
void resources_choose(const char *where, struct diag_list *diags);

/* What a kernel takes. False: it cannot be said, for the reason `why`. */
struct ptx_module;
struct ptx_function;
struct kernel_resources {
    int registers, barriers; /* registers: an estimate */
    unsigned stack, shared, constant; /* bytes: of local memory a thread, of static shared memory a block, of the first bank of constants */
    unsigned spill_stores, spill_loads; /* bytes a thread: estimates, too */
    char why[256];
};
bool resources_of(const struct ptx_module *m, const struct ptx_function *f, int arch, struct kernel_resources *r);

#endif
