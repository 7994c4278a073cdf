/* What type each operand of an instruction is read in. */
#ifndef IR_OPERANDS_H
#define IR_OPERANDS_H

#include "ir/ir.h"

/* The type in which source `i` is read: for immediates, and for executors that lay values out by width. Addresses
 * (src[0] of memory instructions) are U64, though a register of 32 bits may hold one. */
enum ptx_type ir_src_type(const struct ir_inst *in, int i);

/* mul.wide and mad.wide: the type of twice the width. */
enum ptx_type ir_wide_type(enum ptx_type t);

/* b8, b16, b32, b64, b128 by number of bits; PRED for 1. */
enum ptx_type ir_bits_type(int bits);

#endif
