/* Code for some of a warp's lanes, of which others wait elsewhere: registers in their places, and what of the split form's
 * instructions no other form has (split_form.c).
 *
 * All 32 lanes are computed; what is off is garbage and goes nowhere. Of a place only these lanes are read and written: other lanes
 * of it may be another register of theirs. A register of affine shape is its base here too, from the first lane that is on. */
#include "jit/llvm/form.h"

#include <stddef.h>

/* --- lanes and registers --- */

static LLVMValueRef place_of(struct emit *e, int32_t reg, LLVMValueRef lane, unsigned bytes, uint64_t offset)
{
    LLVMValueRef index = number(e, 64, e->job->code->of_reg[reg] + offset);
    if (lane) {
        LLVMValueRef by = LLVMBuildMul(e->b, LLVMBuildZExt(e->b, lane, e->i64, ""), number(e, 64, bytes), "");
        index = LLVMBuildAdd(e->b, index, by, "");
    }
    return LLVMBuildGEP2(e->b, e->i8, e->regs, &index, 1, "");
}

/* What lane `lane` has above the base of an affine shape. */
static LLVMValueRef offset_of_lane(struct emit *e, const struct shape *s, LLVMValueRef lane, int bits)
{
    LLVMValueRef all[SHAPE_LANES], index[2] = {number(e, 32, 0), lane};
    for (int i = 0; i < SHAPE_LANES; i++)
        all[i] = number(e, bits, (uint64_t)s->offset[i]);
    LLVMTypeRef type = LLVMArrayType2(type_of_bits(e, bits), SHAPE_LANES);
    LLVMValueRef table = LLVMAddGlobal(e->module, type, "offsets");
    LLVMSetInitializer(table, LLVMConstArray2(type_of_bits(e, bits), all, SHAPE_LANES));
    LLVMSetGlobalConstant(table, true);
    LLVMSetLinkage(table, LLVMPrivateLinkage);
    return LLVMBuildLoad2(e->b, type_of_bits(e, bits), LLVMBuildInBoundsGEP2(e->b, type, table, index, 2, ""), "");
}

LLVMValueRef split_group_on(struct emit *e, int group, int halved)
{
    uint32_t run = (uint32_t)(((UINT64_C(1) << (SHAPE_LANES >> halved)) - 1) << shape_first_lane(group, halved));
    return LLVMBuildAnd(e->b, e->mask, number(e, 32, run), "");
}

/* A lane that is on to take a group's base from. One without such a lane takes another's, whose addresses are good ones. */
static LLVMValueRef lane_of_group(struct emit *e, int group, int halved)
{
    if (!halved)
        return e->mask == e->lanes ? e->first : first_lane(e, e->mask);
    LLVMValueRef on = split_group_on(e, group, halved);
    LLVMValueRef some = LLVMBuildICmp(e->b, LLVMIntNE, on, number(e, 32, 0), "");
    return first_lane(e, LLVMBuildSelect(e->b, some, on, e->mask, ""));
}

struct value split_load(struct emit *e, int32_t reg)
{
    enum ptx_type t = e->k->reg_type[reg];
    const struct shape *s = &e->s->reg[reg];
    struct value v = {.scalar = reg_scalar(e, reg)};
    unsigned bytes = (unsigned)bits_of_type(t) / 8;
    if (t == PTX_PRED) {
        v.bits = LLVMBuildLoad2(e->b, e->i32, place_of(e, reg, NULL, 0, 0), "");
        if (v.scalar) {
            v.v[0] = LLVMBuildICmp(e->b, LLVMIntNE, LLVMBuildAnd(e->b, v.bits, e->mask, ""), number(e, 32, 0), "");
            v.bits = NULL;
        }
        return v;
    }
    for (int g = 0; g < shape_groups(s) && v.scalar; g++) {
        LLVMValueRef lane = lane_of_group(e, g, s->halved);
        v.v[g] = LLVMBuildLoad2(e->b, type_of(e, t), place_of(e, reg, lane, bytes, 0), "");
        if (s->kind == SHAPE_AFFINE && shape_flat(s, s->halved) != s->halved)
            v.v[g] = LLVMBuildSub(e->b, v.v[g], offset_of_lane(e, s, lane, (int)bytes * 8), "");
    }
    if (v.scalar)
        return v;
    unsigned all = bytes * (unsigned)e->width;
    for (int p = 0; p < e->parts; p++) {
        v.v[p] = LLVMBuildLoad2(e->b, vector_of(e, type_of(e, t)), place_of(e, reg, NULL, 0, (uint64_t)all * (uint64_t)p), "");
        LLVMSetAlignment(v.v[p], all < 64 ? all : 64);
    }
    return v;
}

static void store_bits(struct emit *e, int32_t reg, LLVMValueRef lanes)
{
    LLVMBuilderRef B = e->b;
    LLVMValueRef p = place_of(e, reg, NULL, 0, 0), old = LLVMBuildLoad2(B, e->i32, p, "");
    LLVMValueRef on = LLVMBuildAnd(B, reg_bits(e, reg), lanes, ""), off = LLVMBuildAnd(B, old, LLVMBuildNot(B, lanes, ""), "");
    LLVMBuildStore(B, LLVMBuildOr(B, on, off, ""), p);
}

void split_store(struct emit *e, int32_t reg, LLVMValueRef lanes)
{
    enum ptx_type t = e->k->reg_type[reg];
    if (t == PTX_PRED) {
        store_bits(e, reg, lanes);
        return;
    }
    unsigned all = (unsigned)bits_of_type(t) / 8 * (unsigned)e->width;
    for (int i = 0; i < e->parts; i++) {
        LLVMValueRef v = reg_part(e, reg, i), p = place_of(e, reg, NULL, 0, (uint64_t)all * (uint64_t)i);
        if (e->s->lazy[reg])
            v = exact_nan(e, v);
        LLVMValueRef old = LLVMBuildLoad2(e->b, LLVMTypeOf(v), p, "");
        LLVMSetAlignment(old, all < 64 ? all : 64);
        LLVMValueRef s = LLVMBuildStore(e->b, LLVMBuildSelect(e->b, unpacked(e, lanes, i), v, old, ""), p);
        LLVMSetAlignment(s, all < 64 ? all : 64);
    }
}

/* --- instructions --- */

static void meets(struct emit *e)
{
    LLVMValueRef join = frame_field(e, offsetof(struct jit_frame, join_pc), e->i32);
    LLVMValueRef r = LLVMBuildICmp(e->b, LLVMIntEQ, join, number(e, 32, (uint32_t)e->in->site), "");
    reg_set(e, e->in->dst[0], (struct value){.scalar = true, .v = {r}});
}

static void exchange(struct emit *e)
{
    LLVMValueRef r = op_ask(e, offsetof(struct jit_ops, exchange), reg_bits(e, e->in->src[0].reg));
    flow_leave_unless(e, LLVMBuildICmp(e->b, LLVMIntEQ, r, number(e, 32, 0), ""), JIT_LEAVE);
}

bool split_code_inst(struct emit *e)
{
    const struct ir_inst *in = e->in;
    switch (in->op) {
    case IR_OP_LANES_ON:
        reg_set(e, in->dst[0], (struct value){.bits = frame_field(e, offsetof(struct jit_frame, mask), e->i32)});
        return true;
    case IR_OP_LANES:
        set_mask(e, reg_bits(e, in->src[0].reg));
        e->lanes = e->mask;
        e->first = first_lane(e, e->mask);
        return true;
    case IR_OP_MEETS:
        meets(e);
        return true;
    case IR_OP_EXCHANGE:
        exchange(e);
        return true;
    case IR_OP_EVENT:
        LLVMBuildStore(e->b, op_ask(e, (size_t)in->offset, reg_bits(e, in->src[0].reg)), e->resume_var);
        LLVMBuildBr(e->b, e->head[in->targets[0]]);
        return true;
    case IR_OP_RETURN:
        LLVMBuildRet(e->b, frame_field(e, offsetof(struct jit_frame, why), e->i32));
        return true;
    default:
        return false;
    }
}
