/* How far behind one another instructions of a warp begin, as NVIDIA's assembler writes it into their words of control (spacing.def).
 *
 * In: instructions of the machine code, in their order. Out: cycles. */
#ifndef TARGET_SPACING_H
#define TARGET_SPACING_H

#include "target/flow.h"

/* Of the walk through a block: when each unit takes an instruction of the warp, and anything can be issued. */
struct spacing {
    int32_t unit[PIPES]; /* cycles */
    int32_t next;
};

/* The first cycle, `at` or later, in which the warp can issue the instruction, as far as units go. */
int32_t spacing_begin(const struct spacing *s, int arch, const struct machine_inst *in, int32_t at);
/* The warp issues it in this cycle. */
void spacing_issue(struct spacing *s, int arch, const struct machine_inst *in, int32_t cycle);

/* The instruction reads the value, and the value decides whether it is executed, or where it goes. */
bool spacing_guards(const struct flow *f, const struct machine_inst *in, int32_t value);

/* Cycles from the operation, whose result takes `cycles` in its own unit, to one of `reader` that reads it; guards: as the predicate that decides
 * whether it is executed, or where it goes. */
int32_t spacing_result(int arch, enum machine_op op, int32_t cycles, enum machine_op reader, bool guards);

#endif
