/* Types, registers and their places (see emitter.h). */
#include "jit/llvm/form.h"

#include "base/alloc.h"
#include "ir/operands.h"

#include <stdio.h>
#include <string.h>

int bits_of_type(enum ptx_type t)
{
    return t == PTX_PRED ? 1 : ptx_type_info[t].bits;
}

LLVMTypeRef type_of_bits(const struct emit *e, int bits)
{
    return bits == 1 ? e->i1 : bits == 8 ? e->i8 : bits == 16 ? e->i16 : bits == 32 ? e->i32 : e->i64;
}

LLVMTypeRef type_of(const struct emit *e, enum ptx_type t)
{
    return t == PTX_F32 ? e->f32 : t == PTX_F64 ? e->f64 : type_of_bits(e, bits_of_type(t));
}

LLVMTypeRef vector_of(const struct emit *e, LLVMTypeRef t)
{
    return LLVMVectorType(t, (unsigned)e->width);
}

LLVMValueRef number(const struct emit *e, int bits, uint64_t v)
{
    return LLVMConstInt(type_of_bits(e, bits), v, false);
}

LLVMValueRef splat(struct emit *e, LLVMValueRef scalar)
{
    LLVMTypeRef v = vector_of(e, LLVMTypeOf(scalar));
    if (LLVMIsConstant(scalar)) {
        LLVMValueRef all[64];
        for (int i = 0; i < e->width; i++)
            all[i] = scalar;
        return LLVMConstVector(all, (unsigned)e->width);
    }
    LLVMValueRef one = LLVMBuildInsertElement(e->b, LLVMGetPoison(v), scalar, number(e, 32, 0), "");
    return LLVMBuildShuffleVector(e->b, one, LLVMGetPoison(v), LLVMConstNull(LLVMVectorType(e->i32, (unsigned)e->width)), "");
}

LLVMValueRef call_intrinsic(struct emit *e, const char *name, LLVMTypeRef overload, LLVMValueRef *args, unsigned n)
{
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMValueRef f = LLVMGetIntrinsicDeclaration(e->module, id, &overload, 1);
    return LLVMBuildCall2(e->b, LLVMIntrinsicGetType(e->cx, id, &overload, 1), f, args, n, "");
}

static LLVMValueRef at(struct emit *e, LLVMValueRef base, uint64_t offset)
{
    LLVMValueRef index = number(e, 64, offset);
    return LLVMBuildGEP2(e->b, e->i8, base, &index, 1, "");
}

LLVMValueRef frame_field(struct emit *e, size_t offset, LLVMTypeRef t)
{
    e->reads.local |= offset == offsetof(struct jit_frame, local);
    e->reads.tid |= offset == offsetof(struct jit_frame, tid);
    e->reads.warpid |= offset == offsetof(struct jit_frame, sreg) + 4 * PTX_SREG_WARPID;
    e->reads.budget |= offset == offsetof(struct jit_frame, budget);
    return LLVMBuildLoad2(e->b, t, at(e, e->frame, offset), "");
}

void frame_set(struct emit *e, size_t offset, LLVMValueRef v)
{
    LLVMBuildStore(e->b, v, at(e, e->frame, offset));
}

LLVMBasicBlockRef new_block(struct emit *e, const char *name)
{
    return LLVMAppendBasicBlockInContext(e->cx, e->fn, name);
}

void likely(struct emit *e, LLVMValueRef branch, bool taken)
{
    unsigned kind = LLVMGetMDKindIDInContext(e->cx, "prof", 4);
    LLVMMetadataRef m[3] = {LLVMMDStringInContext2(e->cx, "branch_weights", 14),
                            LLVMValueAsMetadata(number(e, 32, taken ? 1000 : 1)),
                            LLVMValueAsMetadata(number(e, 32, taken ? 1 : 1000))};
    LLVMSetMetadata(branch, kind, LLVMMetadataAsValue(e->cx, LLVMMDNodeInContext2(e->cx, m, 3)));
}

LLVMValueRef lanes_any(struct emit *e, LLVMValueRef lanes)
{
    return LLVMBuildICmp(e->b, LLVMIntNE, lanes, LLVMConstNull(LLVMTypeOf(lanes)), "");
}

/* --- registers --- */

static LLVMTypeRef reg_type(const struct emit *e, int32_t reg)
{
    return type_of(e, e->k->reg_type[reg]);
}

static LLVMTypeRef part_type(const struct emit *e, int32_t reg);

bool reg_scalar(const struct emit *e, int32_t reg)
{
    return e->s->reg[reg].kind != SHAPE_VARYING;
}

int first_piece(const struct emit *e, int32_t reg)
{
    int groups = shape_groups(&e->s->reg[reg]);
    return reg_scalar(e, reg) ? 1 - 2 * groups : 0;
}

int last_piece(const struct emit *e, int32_t reg)
{
    return reg_scalar(e, reg) ? -shape_groups(&e->s->reg[reg]) : e->parts - 1;
}

bool reg_packed(const struct emit *e, int32_t reg)
{
    return e->k->reg_type[reg] == PTX_PRED && !reg_scalar(e, reg);
}

int var_parts(const struct emit *e, int32_t reg)
{
    return reg_scalar(e, reg) ? shape_groups(&e->s->reg[reg]) : reg_packed(e, reg) ? 1 : e->parts;
}

LLVMTypeRef var_type(const struct emit *e, int32_t reg)
{
    return reg_packed(e, reg) ? e->i32 : part_type(e, reg);
}

static LLVMTypeRef part_type(const struct emit *e, int32_t reg)
{
    return reg_scalar(e, reg) ? reg_type(e, reg) : vector_of(e, reg_type(e, reg));
}

/* An assembly text that makes a value of one type what it was; LLVM, which sees no further, may move it anywhere. */
static LLVMValueRef same(struct emit *e, LLVMValueRef v, const char *constraints)
{
    LLVMTypeRef type = LLVMTypeOf(v), function = LLVMFunctionType(type, &type, 1, false);
    LLVMValueRef text = LLVMGetInlineAsm(function, "", 0, constraints, strlen(constraints), false, false, LLVMInlineAsmDialectATT, false);
    LLVMValueRef call = LLVMBuildCall2(e->b, function, text, &v, 1, "");
    unsigned memory = LLVMGetEnumAttributeKindForName("memory", strlen("memory"));
    LLVMAddCallSiteAttribute(call, LLVMAttributeFunctionIndex, LLVMCreateEnumAttribute(e->cx, memory, 0)); /* it reads and writes none */
    return call;
}

LLVMValueRef unfolded(struct emit *e, LLVMValueRef v)
{
    LLVMTypeRef type = LLVMTypeOf(v);
    bool vector = LLVMGetTypeKind(type) == LLVMVectorTypeKind;
    if (!LLVMIsConstant(v) || (vector ? LLVMGetElementType(type) : type) != e->f64)
        return v;
    LLVMValueRef zero = same(e, number(e, 64, 0), "=r,0"), bits = LLVMBuildBitCast(e->b, v, vector ? vector_of(e, e->i64) : e->i64, "");
    return LLVMBuildBitCast(e->b, LLVMBuildXor(e->b, bits, vector ? splat(e, zero) : zero, ""), type, "");
}

struct value reg_get(struct emit *e, int32_t reg)
{
    if (unroll_jam_shared(e, reg))
        return unroll_jam_stepped(e, reg, e->of_warp[0].now[reg]);
    if (e->have[reg])
        return e->now[reg];
    struct value v = {.scalar = reg_scalar(e, reg)}; /* never written */
    for (int i = 0; i < var_parts(e, reg); i++)
        v.v[i] = unfolded(e, LLVMConstNull(var_type(e, reg)));
    if (reg_packed(e, reg))
        v.bits = v.v[0];
    return v;
}

void reg_set(struct emit *e, int32_t reg, struct value v)
{
    e->have[reg] = 1;
    e->now[reg] = v;
    if (e->k->reg_type[reg] == PTX_F64)
        for (int i = 0; i < var_parts(e, reg); i++)
            e->now[reg].v[i] = unfolded(e, v.v[i]);
}

void regs_open(struct emit *e)
{
    size_t regs = (size_t)e->k->nregs + 1;
    e->now = alloc_zeroed(regs * sizeof *e->now);
    e->have = alloc_zeroed(regs);
    e->head = alloc_zeroed(((size_t)e->k->nblocks + 1) * sizeof *e->head);
}

void regs_release(struct emit *e)
{
    alloc_release(e->now);
    alloc_release(e->have);
    alloc_release(e->head);
}

/* Constants of a part's lanes. */
static LLVMValueRef offsets(struct emit *e, const struct shape *s, int bits, int part)
{
    LLVMValueRef v[64];
    for (int i = 0; i < e->width; i++)
        v[i] = number(e, bits, (uint64_t)s->offset[part * e->width + i]);
    return LLVMConstVector(v, (unsigned)e->width);
}

static bool zero_part(const struct emit *e, const struct shape *s, int part)
{
    for (int i = 0; i < e->width; i++)
        if (s->offset[part * e->width + i])
            return false;
    return true;
}

/* Lanes of `a` before lane `from`, of `b` from there on. */
static LLVMValueRef blend(struct emit *e, LLVMValueRef a, LLVMValueRef b, int from)
{
    LLVMValueRef index[64];
    for (int i = 0; i < e->width; i++)
        index[i] = number(e, 32, (uint64_t)(i < from ? i : e->width + i));
    return LLVMBuildShuffleVector(e->b, a, b, LLVMConstVector(index, (unsigned)e->width), "");
}

static LLVMValueRef expand(struct emit *e, const LLVMValueRef *base, const struct shape *s, int part)
{
    int lane = part * e->width, group = shape_group_of(lane, s->halved);
    LLVMValueRef v = splat(e, base[group]);
    while (group < shape_group_of(lane + e->width - 1, s->halved)) {
        group++;
        v = blend(e, v, splat(e, base[group]), shape_first_lane(group, s->halved) - lane);
    }
    if (zero_part(e, s, part))
        return v;
    int bits = (int)LLVMGetIntTypeWidth(LLVMTypeOf(base[0]));
    return LLVMBuildAdd(e->b, v, offsets(e, s, bits, part), "");
}

void set_mask(struct emit *e, LLVMValueRef mask)
{
    LLVMTypeRef v = vector_of(e, e->i32);
    memset(e->wide_mask, 0, sizeof e->wide_mask);
    e->mask = mask;
    for (int p = 0; p < e->parts && mask && e->width < 16; p++) {
        LLVMValueRef on = LLVMBuildSExt(e->b, unpacked(e, mask, p), v, "");
        e->wide_mask[p] = same(e, on, "=x,0");
    }
}

LLVMValueRef only_lanes(struct emit *e, LLVMValueRef v, LLVMValueRef lanes, int part)
{
    if (lanes != e->mask || !e->wide_mask[part])
        return LLVMBuildSelect(e->b, unpacked(e, lanes, part), v, LLVMConstNull(LLVMTypeOf(v)), "");
    LLVMValueRef on = e->wide_mask[part];
    if (LLVMTypeOf(v) != LLVMTypeOf(on))
        on = LLVMBuildSExt(e->b, on, LLVMTypeOf(v), "");
    return LLVMBuildAnd(e->b, v, on, "");
}

LLVMValueRef unpacked(struct emit *e, LLVMValueRef bits, int part)
{
    if (bits == e->mask && e->wide_mask[part])
        return LLVMBuildICmp(e->b, LLVMIntSLT, e->wide_mask[part], LLVMConstNull(vector_of(e, e->i32)), "");
    LLVMTypeRef narrow = LLVMIntTypeInContext(e->cx, (unsigned)e->width);
    LLVMValueRef x = part ? LLVMBuildLShr(e->b, bits, number(e, 32, (uint64_t)(part * e->width)), "") : bits;
    return LLVMBuildBitCast(e->b, LLVMBuildTrunc(e->b, x, narrow, ""), vector_of(e, e->i1), "");
}

/* The first lane's value in the group that piece p is. */
static LLVMValueRef group_value(struct emit *e, const LLVMValueRef *base, const struct shape *s, int p)
{
    int lane = shape_first_lane(index_of_piece(p), halved_of_piece(p));
    LLVMValueRef v = base[shape_group_of(lane, s->halved)];
    if (!s->offset[lane])
        return v;
    return LLVMBuildAdd(e->b, v, LLVMConstInt(LLVMTypeOf(v), (uint64_t)s->offset[lane], false), "");
}

/* One value is asked for of a register that each lane has its own of: the shapes contradict each other, and there is no code. */
static LLVMValueRef no_value(struct emit *e, int32_t reg)
{
    snprintf(e->problem, sizeof e->problem, "a fault of Heddle: lanes differ in r%" PRId32 ", and not in what is made of it", reg);
    return LLVMGetPoison(reg_type(e, reg));
}

LLVMValueRef reg_part(struct emit *e, int32_t reg, int p)
{
    struct value v = reg_get(e, reg);
    if (p < 0 && !v.scalar)
        return no_value(e, reg);
    if (v.bits)
        return unpacked(e, v.bits, p);
    return !v.scalar ? v.v[p] : p < 0 ? group_value(e, v.v, &e->s->reg[reg], p) : expand(e, v.v, &e->s->reg[reg], p);
}

struct value uniform_value(struct emit *e, int32_t reg, LLVMValueRef scalar)
{
    struct value v = {.scalar = true};
    for (int i = 0; i < var_parts(e, reg); i++)
        v.v[i] = scalar;
    return v;
}

/* Which lanes are on is known: LLVM's builder makes no number of a constant vector by itself. */
static bool known_bits(const struct emit *e, const LLVMValueRef *parts, uint32_t *bits)
{
    *bits = 0;
    for (int lane = 0; lane < e->parts * e->width; lane++) {
        LLVMValueRef part = parts[lane / e->width];
        LLVMValueRef bit = LLVMIsConstant(part) ? LLVMGetAggregateElement(part, (unsigned)(lane % e->width)) : NULL;
        if (!bit || !LLVMIsAConstantInt(bit))
            return false;
        *bits |= (uint32_t)LLVMConstIntGetZExtValue(bit) << lane;
    }
    return true;
}

LLVMValueRef packed(struct emit *e, const LLVMValueRef *parts)
{
    uint32_t bits;
    if (known_bits(e, parts, &bits))
        return number(e, 32, bits);
    LLVMTypeRef narrow = LLVMIntTypeInContext(e->cx, (unsigned)e->width);
    LLVMValueRef all = NULL;
    for (int p = 0; p < e->parts; p++) {
        LLVMValueRef x = LLVMBuildZExt(e->b, LLVMBuildBitCast(e->b, parts[p], narrow, ""), e->i32, "");
        if (p)
            x = LLVMBuildShl(e->b, x, number(e, 32, (uint64_t)(p * e->width)), "");
        all = all ? LLVMBuildOr(e->b, all, x, "") : x;
    }
    return all;
}

LLVMValueRef reg_bits(struct emit *e, int32_t reg)
{
    struct value v = reg_get(e, reg);
    return v.scalar ? LLVMBuildSExt(e->b, v.v[0], e->i32, "") : v.bits ? v.bits : packed(e, v.v);
}

LLVMValueRef exact_nan(struct emit *e, LLVMValueRef v)
{
    LLVMTypeRef t = LLVMTypeOf(v);
    bool vector = LLVMGetTypeKind(t) == LLVMVectorTypeKind;
    LLVMValueRef nan = LLVMConstBitCast(number(e, 32, 0x7fffffff), e->f32);
    if (vector)
        nan = splat(e, nan);
    return LLVMBuildSelect(e->b, LLVMBuildFCmp(e->b, LLVMRealUNO, v, v, ""), nan, v, "");
}

/* --- operands --- */

struct shape source_shape(struct emit *e, int i)
{
    return shape_of_source(e->k, e->s, e->job->dim, e->in, i);
}

bool source_scalar(struct emit *e, int i)
{
    const struct ir_src *s = &e->in->src[i];
    return s->kind != IR_SRC_REG || reg_scalar(e, s->reg);
}

static LLVMTypeRef with_width(struct emit *e, LLVMTypeRef t, int p)
{
    return p < 0 ? t : vector_of(e, t);
}

/* From the type a register is kept in to the one that the instruction reads. */
static LLVMValueRef reinterpret(struct emit *e, LLVMValueRef v, enum ptx_type have, enum ptx_type want, bool look, int p)
{
    LLVMTypeRef to = type_of(e, want);
    int hb = bits_of_type(have), wb = bits_of_type(want);
    if (have == want)
        return v;
    if (have == PTX_F32 && (want != PTX_F32) && look)
        v = exact_nan(e, v);
    if (hb == wb)
        return LLVMBuildBitCast(e->b, v, with_width(e, to, p), "");
    if (have == PTX_F32 || have == PTX_F64)
        v = LLVMBuildBitCast(e->b, v, with_width(e, type_of_bits(e, hb), p), "");
    LLVMTypeRef ints = with_width(e, type_of_bits(e, wb), p);
    v = hb > wb ? LLVMBuildTrunc(e->b, v, ints, "") : LLVMBuildZExt(e->b, v, ints, "");
    return want == PTX_F32 || want == PTX_F64 ? LLVMBuildBitCast(e->b, v, with_width(e, to, p), "") : v;
}

static LLVMValueRef index_of_warp(struct emit *e)
{
    return e->warp ? LLVMBuildAdd(e->b, e->index, number(e, 32, (uint64_t)e->warp), "") : e->index;
}

static uint64_t warps_of_block(const struct emit *e)
{
    return (uint64_t)e->job->dim[0] * e->job->dim[1] * e->job->dim[2] / SHAPE_LANES;
}

/* %warpid, in the block form: several blocks may be there (form.h). */
static LLVMValueRef number_in_block(struct emit *e)
{
    LLVMValueRef index = index_of_warp(e);
    return e->form->blocks > 1 ? LLVMBuildURem(e->b, index, number(e, 32, warps_of_block(e)), "") : index;
}

/* %tid of the warp's first lane, in the block form. */
static LLVMValueRef tid_of_warp(struct emit *e, int axis)
{
    const uint32_t *dim = e->job->dim;
    uint32_t below = axis == 0 ? 1 : axis == 1 ? dim[0] : dim[0] * dim[1];
    LLVMValueRef first = LLVMBuildMul(e->b, number_in_block(e), number(e, 32, SHAPE_LANES), "");
    LLVMValueRef v = LLVMBuildUDiv(e->b, first, number(e, 32, below), "");
    return axis == 2 || (uint64_t)below * dim[axis] == (uint64_t)dim[0] * dim[1] * dim[2] ? v : LLVMBuildURem(e->b, v, number(e, 32, dim[axis]), "");
}

static LLVMValueRef sreg_scalar(struct emit *e, uint32_t sreg)
{
    if (e->of_block && sreg <= PTX_SREG_TID_Z)
        return tid_of_warp(e, (int)sreg);
    if (e->of_block && sreg == PTX_SREG_WARPID)
        return number_in_block(e);
    if (sreg <= PTX_SREG_TID_Z)
        return LLVMBuildLoad2(e->b, e->i32, at(e, frame_field(e, offsetof(struct jit_frame, tid), e->ptr), 4 * sreg + 12 * (uint32_t)e->warp), "");
    if (sreg == PTX_SREG_GRIDID)
        return frame_field(e, offsetof(struct jit_frame, gridid), e->i64);
    LLVMValueRef v = frame_field(e, offsetof(struct jit_frame, sreg) + 4 * sreg, e->i32);
    if (e->of_block && e->form->blocks > 1 && sreg == PTX_SREG_CTAID_X)
        return LLVMBuildAdd(e->b, v, LLVMBuildUDiv(e->b, index_of_warp(e), number(e, 32, warps_of_block(e)), ""), "");
    return sreg == PTX_SREG_WARPID ? LLVMBuildAdd(e->b, v, number(e, 32, (uint64_t)e->warp), "") : v;
}

/* Of numbers and this one the instruction makes no NaN. */
static bool makes_no_nan(const struct ir_inst *in, uint64_t f64)
{
    enum { EXPONENTS = 0x7ff };
    uint64_t exponent = f64 >> 52 & EXPONENTS;
    switch (ir_kind(in)) {
    case PTX_KIND_FADD: case PTX_KIND_FSUB: case PTX_KIND_FMUL: case PTX_KIND_FMAD: case PTX_KIND_FDIV:
        return exponent && exponent != EXPONENTS; /* not zero, not infinite */
    default:
        return ir_is(in, PTX_KIND_COMPARE) || ir_is(in, PTX_KIND_STORE);
    }
}

static LLVMValueRef immediate(struct emit *e, uint64_t imm, enum ptx_type t, int p)
{
    LLVMValueRef n = number(e, bits_of_type(t), imm);
    if (t == PTX_F32 || t == PTX_F64)
        n = LLVMConstBitCast(n, type_of(e, t));
    if (t == PTX_F64 && !makes_no_nan(e->in, imm))
        n = unfolded(e, n);
    return p < 0 ? n : splat(e, n);
}

LLVMValueRef source(struct emit *e, int i, enum ptx_type t, int p)
{
    const struct ir_src *s = &e->in->src[i];
    if (s->kind == IR_SRC_IMM)
        return immediate(e, s->imm, t, p);
    if (s->kind == IR_SRC_SREG) {
        struct shape sh = source_shape(e, i);
        LLVMValueRef base = sh.known ? number(e, s->sreg == PTX_SREG_GRIDID ? 64 : 32, sh.base) : sreg_scalar(e, s->sreg);
        return p < 0 ? group_value(e, &base, &sh, p) : expand(e, &base, &sh, p);
    }
    enum ptx_type have = e->k->reg_type[s->reg];
    return unfolded(e, reinterpret(e, reg_part(e, s->reg, p), have, t, e->s->lazy[s->reg], p));
}

LLVMValueRef source_exact(struct emit *e, int i, enum ptx_type t, int p)
{
    const struct ir_src *s = &e->in->src[i];
    LLVMValueRef v = source(e, i, t, p);
    return t == PTX_F32 && s->kind == IR_SRC_REG && e->s->lazy[s->reg] ? exact_nan(e, v) : v;
}

/* --- places --- */

static LLVMValueRef place_pointer(struct emit *e, int32_t reg, uint64_t offset)
{
    return at(e, e->regs, e->job->code->of_reg[reg] + offset);
}

static unsigned place_bytes(const struct emit *e, int32_t reg)
{
    return e->k->reg_type[reg] == PTX_PRED ? 4 : (unsigned)bits_of_type(e->k->reg_type[reg]) / 8 * SHAPE_LANES;
}

bool places_overlap(const struct emit *e, int32_t a, int32_t b)
{
    uint64_t at_a = e->job->code->of_reg[a], at_b = e->job->code->of_reg[b];
    return at_a < at_b + place_bytes(e, b) && at_b < at_a + place_bytes(e, a);
}

void place_store_bits(struct emit *e, int32_t reg, LLVMValueRef bits)
{
    LLVMBuildStore(e->b, bits, place_pointer(e, reg, 0));
}

/* Of a group's first lane. */
static LLVMValueRef group_place(struct emit *e, int32_t reg, int group)
{
    int lane = shape_first_lane(group, e->s->reg[reg].halved);
    return place_pointer(e, reg, (uint64_t)lane * (uint64_t)bits_of_type(e->k->reg_type[reg]) / 8);
}

void place_store(struct emit *e, int32_t reg)
{
    enum ptx_type t = e->k->reg_type[reg];
    if (e->lanes) {
        if (!e->in_place[reg])
            split_store(e, reg, e->lanes);
        return;
    }
    if (t == PTX_PRED) {
        place_store_bits(e, reg, reg_bits(e, reg));
        return;
    }
    uint64_t bytes = (uint64_t)bits_of_type(t) / 8 * (uint64_t)e->width;
    for (int p = 0; p < e->parts; p++) {
        LLVMValueRef v = reg_part(e, reg, p);
        if (e->s->lazy[reg])
            v = exact_nan(e, v);
        LLVMSetAlignment(LLVMBuildStore(e->b, v, place_pointer(e, reg, bytes * (uint64_t)p)), (unsigned)(bytes < 64 ? bytes : 64));
    }
}

struct value place_load(struct emit *e, int32_t reg)
{
    if (e->mask)
        return split_load(e, reg);
    enum ptx_type t = e->k->reg_type[reg];
    struct value v = {.scalar = reg_scalar(e, reg)};
    const struct shape *s = &e->s->reg[reg];
    if (t == PTX_PRED) {
        v.bits = LLVMBuildLoad2(e->b, e->i32, place_pointer(e, reg, 0), "");
        if (v.scalar) {
            v.v[0] = LLVMBuildTrunc(e->b, v.bits, e->i1, "");
            v.bits = NULL;
        }
        return v;
    }
    for (int i = 0; i < shape_groups(s) && v.scalar; i++)
        v.v[i] = LLVMBuildLoad2(e->b, type_of(e, t), group_place(e, reg, i), "");
    if (v.scalar)
        return v;
    uint64_t bytes = (uint64_t)bits_of_type(t) / 8 * (uint64_t)e->width;
    for (int p = 0; p < e->parts; p++) {
        v.v[p] = LLVMBuildLoad2(e->b, part_type(e, reg), place_pointer(e, reg, bytes * (uint64_t)p), "");
        LLVMSetAlignment(v.v[p], (unsigned)(bytes < 64 ? bytes : 64));
    }
    return v;
}

/* As machine code needs it: of an affine register each group's first lane, and a NaN may be any NaN. For the interpreter jit_run.c
 * expands them (jit_expand). */
void place_keep(struct emit *e, int32_t reg)
{
    enum ptx_type t = e->k->reg_type[reg];
    if (t == PTX_PRED) {
        place_store(e, reg);
        return;
    }
    struct value v = reg_get(e, reg);
    uint64_t bytes = (uint64_t)bits_of_type(t) / 8 * (uint64_t)e->width;
    for (int p = 0; p < var_parts(e, reg); p++) {
        LLVMValueRef at = v.scalar ? group_place(e, reg, p) : place_pointer(e, reg, bytes * (uint64_t)p);
        LLVMValueRef s = LLVMBuildStore(e->b, v.v[p], at);
        LLVMSetAlignment(s, v.scalar ? 1 : (unsigned)(bytes < 64 ? bytes : 64));
    }
}

/* Bytes from the begin of a register's spill slot to the base of a group. */
static LLVMValueRef spill_place(struct emit *e, int32_t reg, int group)
{
    return at(e, e->regs, (uint64_t)e->job->spill_slot[reg] + (uint64_t)group * (uint64_t)bits_of_type(e->k->reg_type[reg]) / 8);
}

LLVMValueRef spill_load(struct emit *e, int32_t reg, int group)
{
    return LLVMBuildLoad2(e->b, var_type(e, reg), spill_place(e, reg, group), "");
}

void spill_store(struct emit *e, int32_t reg)
{
    struct value v = reg_get(e, reg);
    for (int g = 0; g < var_parts(e, reg); g++)
        LLVMBuildStore(e->b, v.v[g], spill_place(e, reg, g));
}

