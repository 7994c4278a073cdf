/* Atomics that become several instructions: loops around a compare-and-swap, one lane for the warp, generic addresses.
 *
 * In: an atomic of the rewritten kernel (atomics.h). Out: its instructions, each with who executes it (enum taken). The rows are
 * atomic_sequences.def. */
#ifndef TARGET_ATOMIC_SEQUENCES_H
#define TARGET_ATOMIC_SEQUENCES_H

#include "target/code.h"

/* The text of the row that fits, or NULL: the atomic is one instruction. `uniform`: registers that all lanes share. */
const char *atomic_text(const struct ir_inst *in, const uint64_t *uniform, int arch);

/* An atomic's operands, as its own instruction has them. */
struct atomic_operands {
    enum machine_op op; /* the atomic itself */
    int32_t site;
    const char *form;   /* its width */
    struct operand address, value, result, guard;
    int32_t offset;
    bool leaves;        /* the kernel ends behind it */
    struct arena *arena; /* for words of the text */
};

/* Adds the text's instructions to the code: a chain, in which each reads what stands before it, or memory. */
void atomic_put(struct code *c, const char *text, const struct atomic_operands *o);

/* Whether nothing but the kernel's end stands behind the instruction. */
bool atomic_leaves(const struct ir_kernel *k, const struct ir_inst *in);

#endif
