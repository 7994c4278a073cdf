/* What launches count of a loop that lanes went through one after the other: as if those that did the same turn had done it
 * together. Private to jit. */
#ifndef JIT_TURNS_H
#define JIT_TURNS_H

#include "jit/chain.h"

/* The model takes what counts->tally->turns says that `lanes` did in the loop, from its head on; rows: jit_job.row. Blocks,
 * guards and branches are counted, too. */
void turns_count(const struct ir_kernel *k, const int32_t *row, const struct chain *c, uint32_t lanes, struct exec_counts *counts);

#endif
