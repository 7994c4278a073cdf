/* Shuffles whose lanes are known only at run time, and reductions over a warp (PTX ISA 9.7.9.6, 9.7.13.12); all 32 lanes
 * are here. */
#include "jit/llvm/emitter.h"

#include <string.h>

static LLVMValueRef lane_numbers(struct emit *e, int p)
{
    LLVMValueRef v[64];
    for (int i = 0; i < e->width; i++)
        v[i] = number(e, 32, (uint64_t)(p * e->width + i));
    return LLVMConstVector(v, (unsigned)e->width);
}

/* Which lane each lane of a part reads, and whether it may read the one that it asks for: interp/code.h, shuffle_source. */
static LLVMValueRef sources(struct emit *e, int p, LLVMValueRef *valid)
{
    LLVMBuilderRef B = e->b;
    LLVMValueRef lane = lane_numbers(e, p), all = arith_whole(e, 32, 31, p);
    LLVMValueRef at = LLVMBuildAnd(B, source(e, 1, PTX_B32, p), all, ""), c = source(e, 2, PTX_B32, p);
    LLVMValueRef segment = LLVMBuildAnd(B, LLVMBuildLShr(B, c, arith_whole(e, 32, 8, p), ""), all, "");
    LLVMValueRef inside = LLVMBuildNot(B, segment, ""), min = LLVMBuildAnd(B, lane, segment, ""), j;
    LLVMValueRef max = LLVMBuildOr(B, min, LLVMBuildAnd(B, LLVMBuildAnd(B, c, all, ""), inside, ""), "");
    int kind = e->in->mods->variant;
    switch (kind) {
    case PTX_SHFL_UP: j = LLVMBuildSub(B, lane, at, ""); break;
    case PTX_SHFL_DOWN: j = LLVMBuildAdd(B, lane, at, ""); break;
    case PTX_SHFL_BFLY: j = LLVMBuildXor(B, lane, at, ""); break;
    default: j = LLVMBuildOr(B, min, LLVMBuildAnd(B, at, inside, ""), "");
    }
    *valid = LLVMBuildICmp(B, kind == PTX_SHFL_UP ? LLVMIntSGE : LLVMIntSLE, j, max, "");
    return LLVMBuildSelect(B, *valid, j, lane, "");
}

/* Lanes of all parts by number, i32: with the host's permutation of 8, or out of memory. */
static LLVMValueRef picked(struct emit *e, const LLVMValueRef *parts, LLVMValueRef from)
{
    LLVMBuilderRef B = e->b;
    LLVMValueRef r = NULL;
    if (e->width == 8) {
        const char *name = "llvm.x86.avx2.permd";
        unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
        LLVMValueRef f = LLVMGetIntrinsicDeclaration(e->module, id, NULL, 0),
                     part = LLVMBuildLShr(B, from, arith_whole(e, 32, 3, 0), "");
        for (int q = 0; q < e->parts; q++) {
            LLVMValueRef args[2] = {parts[q], from};
            LLVMValueRef v = LLVMBuildCall2(B, LLVMIntrinsicGetType(e->cx, id, NULL, 0), f, args, 2, "");
            LLVMValueRef mine = LLVMBuildICmp(B, LLVMIntEQ, part, arith_whole(e, 32, (uint64_t)q, 0), "");
            r = r ? LLVMBuildSelect(B, mine, v, r, "") : v;
        }
        return r;
    }
    r = LLVMGetPoison(vector_of(e, e->i32));
    for (int i = 0; i < e->width; i++) {
        LLVMValueRef n = number(e, 32, (uint64_t)i), lane = LLVMBuildExtractElement(B, from, n, "");
        r = LLVMBuildInsertElement(B, r, scratch_load(e, 0, lane, e->i32), n, "");
    }
    return r;
}

bool shuffles_any(struct emit *e)
{
    const struct ir_inst *in = e->in;
    LLVMValueRef parts[MAX_PARTS], from[MAX_PARTS], valid[MAX_PARTS];
    bool some = in->dst[0] != IR_NOREG, told = in->ndst > 1 && in->dst[1] != IR_NOREG;
    for (int i = 0; i < 3; i++)
        if (in->src[i].kind == IR_SRC_SREG || (in->src[i].kind == IR_SRC_REG && bits_of_type(e->k->reg_type[in->src[i].reg]) != 32))
            return false;
    if ((some && (bits_of_type(e->k->reg_type[in->dst[0]]) != 32 || reg_scalar(e, in->dst[0]))) || (told && reg_scalar(e, in->dst[1])))
        return false;
    for (int p = 0; p < e->parts; p++) {
        parts[p] = source_exact(e, 0, PTX_B32, p);
        from[p] = sources(e, p, &valid[p]);
    }
    if (e->width != 8)
        scratch_store(e, 0, parts, 4);
    struct value v = {.scalar = false}, truth = {.scalar = false};
    for (int p = 0; p < e->parts && some; p++)
        v.v[p] = LLVMBuildBitCast(e->b, picked(e, parts, from[p]), vector_of(e, type_of(e, e->k->reg_type[in->dst[0]])), "");
    truth.bits = packed(e, valid);
    if (some)
        reg_set(e, in->dst[0], v);
    if (told)
        reg_set(e, in->dst[1], truth);
    return true;
}

bool shuffles_reduce(struct emit *e)
{
    const struct ir_inst *in = e->in;
    if ((in->type != PTX_U32 && in->type != PTX_S32 && in->type != PTX_B32) || in->dst[0] == IR_NOREG || reg_scalar(e, in->dst[0]) ||
        bits_of_type(e->k->reg_type[in->dst[0]]) != 32 || in->src[0].kind != IR_SRC_REG || bits_of_type(e->k->reg_type[in->src[0].reg]) != 32)
        return false;
    LLVMValueRef parts[MAX_PARTS];
    for (int p = 0; p < e->parts; p++)
        parts[p] = source_exact(e, 0, PTX_B32, p);
    LLVMValueRef r = splat(e, atomic_reduced(e, parts));
    struct value v = {.scalar = false};
    for (int p = 0; p < e->parts; p++)
        v.v[p] = LLVMBuildBitCast(e->b, r, vector_of(e, type_of(e, e->k->reg_type[in->dst[0]])), "");
    reg_set(e, in->dst[0], v);
    return true;
}
