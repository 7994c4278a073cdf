/* The operands that an instruction has, and the type of each: from the form of its row in ptx_ops.def, and operands.def. */
#ifndef IR_OPERANDS_H
#define IR_OPERANDS_H

#include "ir/ir.h"

#include <string.h>

struct ir_operand {
    uint8_t type;  /* enum ptx_type; an address: U64, though a register of 32 bits may hold it */
    bool wider;    /* a register may be wider than the type */
    bool address;
    bool predicate_too; /* may be a predicate instead */
    bool any;           /* of any type */
};

struct ir_operands {
    struct ir_operand of[IR_OPERANDS + 1];
    int least, most; /* how many there are */
    bool on;         /* there may be more, all like the last one */
};

/* What the instruction has as results, or as sources; false: its operation or variant has no row. */
bool ir_operands(const struct ir_inst *in, bool results, struct ir_operands *out);

/* What ir_inst.target is of an operation that PTX does not have, and the word for it in texts. */
enum ir_number { IR_NOTHING, IR_PART /* of the form */, IR_ROW /* or -1 */, IR_ARRAY /* of lanes */, IR_STOP /* why the code stops */, IR_TRIPS /* of the kernel */, IR_LONG_WAY /* likewise */ };

struct ir_own_op {
    const char *word, *results, *sources; /* a row of ir_ops.def */
    enum ir_number number;
};
extern const struct ir_own_op ir_own_ops[IR_OP_END - PTX_OP_COUNT];
extern const char *const ir_number_words[];

static inline const struct ir_own_op *ir_own_op(const struct ir_inst *in)
{
    return &ir_own_ops[in->op - PTX_OP_COUNT];
}

/* Its operands depend on ir_inst.type. */
static inline bool ir_own_typed(const struct ir_own_op *o)
{
    return strchr(o->results, 'T') || strchr(o->sources, 'T');
}

static inline const struct ir_operand *ir_operand(const struct ir_operands *o, int i)
{
    return &o->of[i < o->most ? i : o->most - 1];
}

/* The type in which source `i` is read: for immediates, and for executors that lay values out by width. */
enum ptx_type ir_src_type(const struct ir_inst *in, int i);

/* mul.wide and mad.wide: the type of twice the width. */
enum ptx_type ir_wide_type(enum ptx_type t);

/* b8, b16, b32, b64, b128 by number of bits; PRED for 1. */
enum ptx_type ir_bits_type(int bits);

#endif
