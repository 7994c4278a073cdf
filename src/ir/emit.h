/* What builds a kernel's instructions, for those who make several instructions of one of PTX (build.c). */
#ifndef IR_EMIT_H
#define IR_EMIT_H

#include "ir/ir.h"

struct build;
struct frame;

/* A new instruction at the kernel's end, made of `from`, without operands. Its address holds until the next one. */
struct ir_inst *emit_new(struct build *b, const struct ptx_inst *from, uint16_t op);
int32_t emit_reg(struct build *b, uint8_t type);
struct ir_src emit_source(struct build *b, const struct frame *fr, const struct ptx_inst *in, const struct ptx_operand *o, enum ptx_type want);
int32_t emit_dest(const struct frame *fr, const struct ptx_operand *o); /* or IR_NOREG */
void emit_guard(struct ir_inst *out, const struct frame *fr, const struct ptx_inst *in);
struct ir_inst *emit_last(struct build *b);
const struct ptx_function *emit_function_of(const struct frame *fr);
struct ir_kernel *emit_kernel(struct build *b);
enum ptx_type emit_reg_type(const struct build *b, int32_t reg);

#endif
