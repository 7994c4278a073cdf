/* Exchanges between lanes (PTX ISA 9.7.13), calls of the engine, and where machine code leaves an instruction to the interpreter. */
#include "jit/llvm/emitter.h"

#include "interp/step.h"

#include <stdio.h>
#include <string.h>

void flow_go_on_if(struct emit *e, LLVMValueRef ok, LLVMBasicBlockRef no)
{
    LLVMBasicBlockRef on = new_block(e, "on");
    likely(e, LLVMBuildCondBr(e->b, ok, on, no), true);
    LLVMPositionBuilderAtEnd(e->b, on);
}

void flow_leave_unless(struct emit *e, LLVMValueRef ok, enum jit_stop why)
{
    if (LLVMIsConstant(ok) && LLVMIsAConstantInt(ok) && LLVMConstIntGetZExtValue(ok))
        return;
    LLVMBasicBlockRef on = new_block(e, "on"), off = new_block(e, "leave");
    likely(e, LLVMBuildCondBr(e->b, ok, on, off), true);
    LLVMPositionBuilderAtEnd(e->b, off);
    form_code_leave(e, why);
    LLVMPositionBuilderAtEnd(e->b, on);
}

/* --- calls --- */

LLVMValueRef op_function(struct emit *e, size_t op)
{
    LLVMValueRef ops = frame_field(e, offsetof(struct jit_frame, ops), e->ptr), index = number(e, 64, op);
    return LLVMBuildLoad2(e->b, e->ptr, LLVMBuildGEP2(e->b, e->i8, ops, &index, 1, ""), "");
}

LLVMValueRef op_tell_of(struct emit *e, size_t op, int32_t site, LLVMValueRef arg)
{
    LLVMTypeRef params[3] = {e->ptr, e->i32, e->i32}, type = LLVMFunctionType(e->i32, params, 3, false);
    LLVMValueRef f = op_function(e, op);
    LLVMValueRef args[3] = {e->frame, number(e, 32, (uint32_t)site), arg};
    return LLVMBuildCall2(e->b, type, f, args, 3, "");
}

LLVMValueRef op_tell(struct emit *e, size_t op, LLVMValueRef arg)
{
    return op_tell_of(e, op, kernel_site(e, e->site), arg);
}

LLVMValueRef op_ask(struct emit *e, size_t op, LLVMValueRef arg)
{
    if (e->job->unrolled > 1)
        snprintf(e->problem, sizeof e->problem, "an instruction that several warps do not do at once");
    return op_tell(e, op, arg);
}

void op_call(struct emit *e, size_t op, LLVMValueRef arg)
{
    LLVMValueRef r = op_ask(e, op, arg);
    LLVMBasicBlockRef on = new_block(e, "done"), off = new_block(e, "fault");
    likely(e, LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntEQ, r, number(e, 32, 0), ""), on, off), true);
    LLVMPositionBuilderAtEnd(e->b, off);
    form_code_stop(e, JIT_FAULT, kernel_site(e, e->site));
    LLVMPositionBuilderAtEnd(e->b, on);
}

void step_call(struct emit *e, LLVMValueRef mask)
{
    op_call(e, offsetof(struct jit_ops, step), mask);
}

LLVMValueRef flow_guard_bits(struct emit *e)
{
    LLVMValueRef bits = reg_bits(e, e->in->guard);
    return e->in->guard_negated ? LLVMBuildNot(e->b, bits, "") : bits;
}

LLVMValueRef flow_lanes_on(struct emit *e)
{
    LLVMValueRef guard = e->in->guard == IR_NOREG ? NULL : flow_guard_bits(e);
    return !e->mask ? guard : guard ? LLVMBuildAnd(e->b, guard, e->mask, "") : e->mask;
}

void flow_source_to_place(struct emit *e, int i)
{
    if (e->in->src[i].kind == IR_SRC_REG)
        place_store(e, e->in->src[i].reg);
}

/* Operands in their places for the step. What lanes keep that a guard leaves out belongs there too; then it lies apart from
 * the operands. Without a guard a result may share an operand's place. */
static void to_places(struct emit *e)
{
    const struct ir_inst *in = e->in;
    for (int i = 0; i < in->nsrc; i++)
        flow_source_to_place(e, i);
    for (int d = 0; d < in->ndst && in->guard != IR_NOREG; d++)
        if (in->dst[d] != IR_NOREG)
            place_store(e, in->dst[d]);
}

void step_into(struct emit *e, LLVMValueRef lanes, struct value *results)
{
    to_places(e);
    step_call(e, lanes ? lanes : number(e, 32, UINT32_MAX));
    for (int d = 0; d < e->in->ndst; d++)
        if (e->in->dst[d] != IR_NOREG)
            results[d] = place_load(e, e->in->dst[d]);
}

void emit_step(struct emit *e, LLVMValueRef mask)
{
    const struct ir_inst *in = e->in;
    LLVMBasicBlockRef next = NULL;
    to_places(e);
    if (in->guard != IR_NOREG) {
        LLVMBasicBlockRef some = new_block(e, "some");
        next = new_block(e, "stepped");
        LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntNE, mask, number(e, 32, 0), ""), some, next);
        LLVMPositionBuilderAtEnd(e->b, some);
    }
    step_call(e, mask ? mask : number(e, 32, UINT32_MAX));
    if (next) {
        LLVMBuildBr(e->b, next);
        LLVMPositionBuilderAtEnd(e->b, next);
    }
    for (int d = 0; d < in->ndst; d++)
        if (in->dst[d] != IR_NOREG)
            reg_set(e, in->dst[d], place_load(e, in->dst[d]));
}

/* --- where lanes wait or look at each other --- */

static bool all_members(const struct ir_inst *in)
{
    bool warp = in->op == PTX_OP_BAR || in->op == PTX_OP_BARRIER;
    if (in->mods->shape || (!warp && !in->mods->sync))
        return true;
    const struct ir_src *s = &in->src[warp ? 0 : in->nsrc - 1];
    return in->nsrc && s->kind == IR_SRC_IMM && (uint32_t)s->imm == UINT32_MAX;
}

static LLVMValueRef as_i32(struct emit *e, int i, int p)
{
    return source_exact(e, i, PTX_B32, p);
}

static bool shuffle(struct emit *e)
{
    const struct ir_inst *in = e->in;
    LLVMValueRef all[SHAPE_LANES], lanes[MAX_PARTS];
    uint32_t truth = 0;
    if (in->src[1].kind != IR_SRC_IMM || in->src[2].kind != IR_SRC_IMM || in->src[0].kind == IR_SRC_SREG)
        return false;
    for (int i = 0; i < SHAPE_LANES; i++) {
        int32_t valid;
        int from = shuffle_source(in->mods->variant, i, (uint32_t)in->src[1].imm, (uint32_t)in->src[2].imm, &valid);
        all[i] = number(e, 32, (uint64_t)from);
        truth |= (uint32_t)valid << i;
    }
    if (in->dst[0] != IR_NOREG) {
        if (bits_of_type(e->k->reg_type[in->dst[0]]) != 32 || reg_scalar(e, in->dst[0]))
            return false;
        for (int p = 0; p < e->parts; p++) /* a NaN goes from one register that may hold any to another as it is */
            lanes[p] = e->s->lazy[in->dst[0]] ? LLVMBuildBitCast(e->b, source(e, 0, PTX_F32, p), vector_of(e, e->i32), "") : as_i32(e, 0, p);
        struct value v = {.scalar = false};
        for (int p = 0; p < e->parts; p++) { /* each part comes out of one or two others as a rule */
            int source_part = (int)LLVMConstIntGetZExtValue(all[p * e->width]) / e->width, second = source_part;
            for (int i = 0; i < e->width; i++) {
                int q = (int)LLVMConstIntGetZExtValue(all[p * e->width + i]) / e->width;
                second = q != source_part ? q : second;
            }
            LLVMValueRef index[64];
            for (int i = 0; i < e->width; i++) {
                int from = (int)LLVMConstIntGetZExtValue(all[p * e->width + i]), q = from / e->width;
                if (q != source_part && q != second)
                    return false;
                index[i] = number(e, 32, (uint64_t)(from % e->width + (q == source_part ? 0 : e->width)));
            }
            v.v[p] = LLVMBuildShuffleVector(e->b, lanes[source_part], lanes[second], LLVMConstVector(index, (unsigned)e->width), "");
            v.v[p] = LLVMBuildBitCast(e->b, v.v[p], vector_of(e, type_of(e, e->k->reg_type[in->dst[0]])), "");
        }
        reg_set(e, in->dst[0], v);
    }
    if (in->ndst > 1 && in->dst[1] != IR_NOREG) {
        if (reg_scalar(e, in->dst[1]))
            return false;
        struct value v = {.bits = number(e, 32, truth)};
        reg_set(e, in->dst[1], v);
    }
    return true;
}

static bool vote(struct emit *e)
{
    const struct ir_inst *in = e->in;
    int kind = in->mods->variant;
    if (in->src[0].kind != IR_SRC_REG || !reg_scalar(e, in->dst[0]) || in->ndst != 1)
        return false;
    LLVMValueRef bits = reg_bits(e, in->src[0].reg), r;
    bits = in->src[0].negated ? LLVMBuildNot(e->b, bits, "") : bits;
    LLVMValueRef all = LLVMBuildICmp(e->b, LLVMIntEQ, bits, number(e, 32, UINT32_MAX), "");
    LLVMValueRef none = LLVMBuildICmp(e->b, LLVMIntEQ, bits, number(e, 32, 0), "");
    r = kind == PTX_VOTE_BALLOT ? bits : kind == PTX_VOTE_ALL ? all : kind == PTX_VOTE_ANY ? LLVMBuildNot(e->b, none, "")
                                                                                  : LLVMBuildOr(e->b, all, none, "");
    reg_set(e, in->dst[0], uniform_value(e, in->dst[0], r));
    return true;
}

static bool exchange(struct emit *e)
{
    const struct ir_inst *in = e->in;
    if (in->guard != IR_NOREG || !all_members(in))
        return false;
    if (in->op == PTX_OP_BAR || in->op == PTX_OP_BARRIER)
        return true; /* __syncwarp: they are together */
    if ((in->op == PTX_OP_SHFL && (shuffle(e) || shuffles_any(e))) || (in->op == PTX_OP_REDUX && shuffles_reduce(e)) ||
        (in->op == PTX_OP_VOTE && in->dst[0] != IR_NOREG && vote(e)))
        return true;
    emit_step(e, NULL);
    return true;
}

bool emit_flow(struct emit *e)
{
    const struct step *st = &e->job->code->step[e->site];
    if (step_is_plain(st))
        return false;
    if (!step_is_exchange(st) || !exchange(e))
        form_code_leave(e, JIT_LEAVE);
    return true;
}
