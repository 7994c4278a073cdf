/* PTX instructions that become several machine instructions: the rows of sequences.def. */
#ifndef TARGET_SEQUENCES_H
#define TARGET_SEQUENCES_H

#include "ir/ir.h"

/* The text of the row that is of the instruction on this compute capability (90), or NULL. only: definitions.h. */
const char *sequence_text(const struct ir_kernel *k, const int32_t *only, const struct ir_inst *in, int arch);

/* The row of functions.def that these n letters name, or -1. */
int sequence_function(const char *name, size_t n);

#endif
