/* Registers of the machine code: which physical register each value is in.
 *
 * In: scheduled code and its flow. Out: the same code, whose operands name physical registers. A value is in one place for as long as it
 * is alive; pairs are aligned, elements of a vector stand side by side where they can, R1 is the stack pointer. Predicates and
 * registers of the warp are files of their own, whose sizes are not looked at: what is too much of them is numbered on. */
#ifndef TARGET_ALLOCATE_H
#define TARGET_ALLOCATE_H

#include "target/flow.h"

struct places;

/* Where each value of the code is. */
struct places *places_new(const struct lowered *l, const struct code *c, const struct flow *f);
void places_free(struct places *p);

/* Registers a thread takes, as ptxas reports them. */
int places_used(const struct places *p);

/* Places are final: values go to registers of other banks where an instruction would read too much of one (banks.h). */
void places_part(struct places *p);

/* Names the registers in the operands of the code. */
void places_give(const struct places *p, struct code *c);

#endif
