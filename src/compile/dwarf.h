/* Debug information of PTX, made that of the host's code beside it (compile/stepping.h).
 *
 * In: the sections .debug_info and .debug_abbrev as clang-19 prints them for NVPTX: one unit of DWARF 2, numbers as data
 * directives. Out: assembly text of the same unit for x86-64. What changes: addresses are those of the twins; a variable of
 * the function's depot lies at the address in its frame (base/steps.h), one of shared memory at its place of the context's
 * table, one of global or constant memory where the runtime says; there are threadIdx, blockIdx, blockDim, gridDim and warpSize.
 * A variable that lies elsewhere (a register) loses its location, so a debugger says that it is optimised out.
 * DWARF Debugging Information Format, version 4, chapter 7; NVIDIA's address classes: PTX Writer's Guide to Interoperability,
 * chapter 7 "Debug Information". */
#ifndef COMPILE_DWARF_H
#define COMPILE_DWARF_H

#include <stdbool.h>
#include <stddef.h>

#include "compile/compile.h"

struct strbuf;

/* Variables that debug information names, in the order of their places in the tables of struct steps. */
struct dwarf_variables {
    struct arena *arena;
    struct words shared, globals;
    struct words dynamic; /* in: arrays of shared memory without a size, which clang's debug information leaves out */
};

/* Adds the sections to `out`. `ranges`: the label of the unit's entries in .debug_ranges; `label`: what a label of the PTX
 * is called in the assembly text, "" for one that is not there. False: the text has none that can be read. */
bool dwarf_translate(const char *ptx, size_t len, const char *ranges, const char *(*label)(const char *name, void *user), void *user,
                     struct dwarf_variables *variables, struct strbuf *out);

#endif
