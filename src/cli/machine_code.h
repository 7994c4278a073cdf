/* The machine code of a kernel as text: a listing, or a table of what it has. */
#ifndef CLI_MACHINE_CODE_H
#define CLI_MACHINE_CODE_H

#include "device/device.h"
#include "ir/ir.h"

enum { MACHINE_DEVICES = 8 }; /* side by side */

/* There is a description of this device's machine code (target/arch.h). */
bool machine_code_known(const struct device *d);

/* A line for each instruction, its source lines between; kernels: the kernel as it is rewritten for each device; of several devices one listing behind the other. `notes.source` adds a
 * source line's text, as for ir_print_notes. after: enum target_step. */
void machine_code_list(struct ir_kernel *const *kernels, const struct device *devices, int n, int after, const struct ir_notes *notes, struct strbuf *out);

/* A line for each operation that there is, with its unit on the first device that has it and how many there are on each device; then
 * one for each unit, and one for each device that lacks operations: it cannot run the kernel. */
void machine_code_count(struct ir_kernel *const *kernels, const struct device *devices, int n, struct strbuf *out);

#endif
