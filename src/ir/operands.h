/* The operands that an instruction has, and the type of each: from the form of its row in ptx_ops.def, and operands.def. */
#ifndef IR_OPERANDS_H
#define IR_OPERANDS_H

#include "ir/ir.h"

struct ir_operand {
    uint8_t type;  /* enum ptx_type; an address: U64, though a register of 32 bits may hold it */
    bool wider;    /* a register may be wider than the type */
    bool address;
    bool predicate_too; /* may be a predicate instead */
};

struct ir_operands {
    struct ir_operand of[IR_OPERANDS + 1];
    int least, most; /* how many there are */
};

/* What the instruction has as results, or as sources; false: its operation or variant has no row. */
bool ir_operands(const struct ir_inst *in, bool results, struct ir_operands *out);

/* The type in which source `i` is read: for immediates, and for executors that lay values out by width. */
enum ptx_type ir_src_type(const struct ir_inst *in, int i);

/* mul.wide and mad.wide: the type of twice the width. */
enum ptx_type ir_wide_type(enum ptx_type t);

/* b8, b16, b32, b64, b128 by number of bits; PRED for 1. */
enum ptx_type ir_bits_type(int bits);

#endif
