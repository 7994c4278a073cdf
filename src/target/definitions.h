/* Which instruction makes a register's value. PTX's registers are written once almost always, but not always. */
#ifndef TARGET_DEFINITIONS_H
#define TARGET_DEFINITIONS_H

#include "ir/ir.h"

enum { DEFINITIONS_NONE = -1, DEFINITIONS_MANY = -2 };

/* [nregs] the only, unguarded instruction that writes the register, or one of the above. To be released. */
int32_t *definitions_new(const struct ir_kernel *k);

/* The instruction whose result this operand is, looking through moves, or NULL if several may have made it. */
const struct ir_inst *definitions_maker(const struct ir_kernel *k, const int32_t *only, const struct ir_src *s);

/* Whether the operand is a constant of the instruction that reads it, or a register that holds one; *bits is its value. */
bool definitions_constant(const struct ir_kernel *k, const int32_t *only, const struct ir_src *s, uint64_t *bits);

/* Arithmetic: an instruction that only computes its destinations, from its sources alone. */
bool definitions_arithmetic(const struct ir_inst *in);

/* The same operation of the same types, whatever its operands are. */
bool definitions_same_operation(const struct ir_inst *a, const struct ir_inst *b);

#endif
