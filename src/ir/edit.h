/* Changing an instruction's operands.
 *
 * Results and sources are lists of any length (up to IR_OPERANDS), in the kernel's arena. A list is not changed once it is
 * made, which its type says: a change makes a new one. So `*a = *b` is a whole copy of an instruction, and what is done to
 * one copy is not seen in the other. */
#ifndef IR_EDIT_H
#define IR_EDIT_H

#include "ir/ir.h"

void ir_set_results(struct ir_kernel *k, struct ir_inst *in, int n, const int32_t reg[]);
void ir_set_sources(struct ir_kernel *k, struct ir_inst *in, int n, const struct ir_src src[]);
/* The same with the operands one by one: IR_SET_SOURCES(k, in, a, b). */
#define IR_SET_RESULTS(k, in, ...) ir_set_results(k, in, IR_COUNT_(int32_t, __VA_ARGS__), (const int32_t[]){__VA_ARGS__})
#define IR_SET_SOURCES(k, in, ...) ir_set_sources(k, in, IR_COUNT_(struct ir_src, __VA_ARGS__), (const struct ir_src[]){__VA_ARGS__})
#define IR_COUNT_(type, ...) ((int)(sizeof((const type[]){__VA_ARGS__}) / sizeof(type)))

/* One of them, which must be there; or one more, behind the others. */
void ir_set_result(struct ir_kernel *k, struct ir_inst *in, int i, int32_t reg);
void ir_set_source(struct ir_kernel *k, struct ir_inst *in, int i, struct ir_src src);
void ir_add_source(struct ir_kernel *k, struct ir_inst *in, struct ir_src src);

/* Adds `by` to reads[r] for each operand that reads register r, guards and what results are else among them. */
void ir_count_reads(const struct ir_inst *in, int32_t *reads, int by);

/* Every read of a register, guards and what results are else with them, becomes one of name(user, register). And every result. */
void ir_rename_reads(struct ir_kernel *k, int32_t (*name)(const void *user, int32_t reg), const void *user);
void ir_rename_results(struct ir_kernel *k, int32_t (*name)(const void *user, int32_t reg), const void *user);

/* Of a statement of a frame's function, or of none (-1); and the same place with another source line. In the kernel's arena. */
const struct ir_origin *ir_origin_of(struct ir_kernel *k, int32_t frame, int32_t statement);
const struct ir_origin *ir_origin_at(struct ir_kernel *k, const struct ir_origin *from, const struct ptx_loc *loc);

/* [nregs] of a kernel in SSA: the instruction that makes each register, or -1. To be released. */
int32_t *ir_makers(const struct ir_kernel *k);

/* A register of the same type. `cap`: for how many reg_type has room. */
int32_t ir_new_register(struct ir_kernel *k, int32_t like, int32_t *cap);

/* A move that nothing counts, of a whole register, in the block that `beside` is in and from where that is from. */
struct ir_inst ir_move_beside(struct ir_kernel *k, const struct ir_inst *beside, int32_t to, struct ir_src from);

/* Its place stays (IR_OP_DELETED), without operands and guard. */
void ir_delete(struct ir_inst *in);

/* The result is a register whole, of the same type, in all lanes. */
static inline bool ir_is_whole_move(const struct ir_kernel *k, const struct ir_inst *in)
{
    return ir_is(in, PTX_KIND_COPY) && in->guard == IR_NOREG && in->ndst == 1 && in->nsrc == 1 && in->dst[0] != IR_NOREG &&
           in->src[0].kind == IR_SRC_REG && !in->src[0].negated && k->reg_type[in->dst[0]] == k->reg_type[in->src[0].reg] &&
           ptx_type_info[in->type].bits == ptx_type_info[k->reg_type[in->dst[0]]].bits;
}

static inline struct ir_src ir_of_reg(int32_t reg)
{
    return (struct ir_src){.kind = IR_SRC_REG, .reg = reg};
}

/* `bits` in the type that the instruction reads */
static inline struct ir_src ir_of_value(uint64_t bits)
{
    return (struct ir_src){.kind = IR_SRC_IMM, .imm = bits};
}

#endif
