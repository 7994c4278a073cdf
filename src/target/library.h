/* Machine instructions that a call of the math library becomes: the rows of library.def. `only`: definitions.h. */
#ifndef TARGET_LIBRARY_H
#define TARGET_LIBRARY_H

#include "ir/ir.h"

enum { LIBRARY_OPS = 1024 /* of one call at most */ };

/* The call's function has rows. */
bool library_has(const struct ir_inst *in);

struct library_op {
    uint16_t op; /* enum machine_op */
    bool off;    /* a warp executes it, but none of its lanes */
};

/* What a warp executes for the call, in the rows' order, in ops[LIBRARY_OPS]; how many. A call that was parted by ways (ways.h) is what
 * all ways have in common, of which its lanes may take less, and beside it stand the ways; one that was not goes its first way. The
 * product at its end is left out if sums have it (contract.h), and what a call before it has done, and what is known of a constant. */
int library_ops(const struct ir_kernel *k, const int32_t *only, const struct ir_inst *in, struct library_op *ops);

/* Of a way of a parted call: what its lanes take of the instructions that the call has `off`; enum machine_op in ops[LIBRARY_OPS]. */
int library_taken(const struct ir_inst *in, uint16_t *ops);

#endif
