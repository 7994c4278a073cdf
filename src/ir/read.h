/* The IR's text form, read back. */
#ifndef IR_READ_H
#define IR_READ_H

#include "ir/ir.h"

struct diag_list;

/* The kernel that ir_print has written as `text`, analysed, or NULL and a message with line and column. `m`: the module that it was built
 * from. The text is taken at its word: ir_verify asks whether the kernel is what IR has to be. */
struct ir_kernel *ir_read(const struct ptx_module *m, const char *text, struct diag_list *diags);

#endif
