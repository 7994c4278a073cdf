/* Into SSA form and out of it.
 *
 * In SSA (ir_kernel.ssa) each register has one definition, every way to a read leads through it, and so:
 * - IR_OP_PHI stand first in a block. src[i] is the value that lanes bring which come from block targets[i]. All phis of a block
 *   are done at once, by the lanes that take the edge, whatever other lanes of the warp do. They are no sites: nothing counts them.
 * - A result under a guard is, in lanes that the guard leaves out, what `old` names; IR_NOREG: nobody reads it there.
 * - A register that may be read before it is written keeps its number for what it then holds, which is 0: it has no definition,
 *   and no pass makes use of its being undefined.
 * Between the two calls edges stay as they are and ir_analyse is not called; instructions may change, be deleted (ir_delete) or be
 * put into their blocks, behind the phis; new registers are numbered on from nregs.
 *
 * Out of SSA the versions of a register become one again where no two of them are alive at once, which is so for all if nothing
 * was changed: then the kernel is the one that went in. Others get registers of their own, and copies where a phi or a guard joins
 * them (Boissinot, Darte, Rastello, Dupont de Dinechin, Guillon: Revisiting Out-of-SSA Translation, CGO 2009, sections II and III):
 * a phi's at the ends of the blocks before it, into a register of its own, and from there at the head of its block, so that swaps,
 * and values that are read behind a loop that has gone on, come out right; then copies whose ends are never alive at once are
 * taken away. Copies are moves (id 0), from where the instruction beside them is from. */
#ifndef IR_SSA_H
#define IR_SSA_H

#include "ir/ir.h"

/* In: an analysed kernel, out of SSA. Edges and dominators stay valid. */
void ir_into_ssa(struct ir_kernel *k);

/* In: a kernel in SSA. Deleted instructions keep their places; liveness is found anew. */
void ir_out_of_ssa(struct ir_kernel *k);

/* A phi, or where one was: behind these a block's instructions begin. */
static inline bool ir_at_head(const struct ir_inst *in)
{
    return in->op == IR_OP_PHI || in->op == IR_OP_DELETED;
}

/* The register of before of which this one is a version, or itself. */
static inline int32_t ir_variable(const struct ir_kernel *k, int32_t reg)
{
    return reg < k->nvariable ? k->variable[reg] : reg;
}

/* How many registers there were before. */
static inline int32_t ir_before_ssa(const struct ir_kernel *k)
{
    int32_t n = 0;
    while (n < k->nvariable && k->variable[n] == n)
        n++;
    return n;
}

#endif
