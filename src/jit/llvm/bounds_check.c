/* Where lanes go whose addresses differ in any way: may each of them access its memory?
 *
 * One bounds check serves all lanes. Each kind of memory is a range of addresses: shared and local memory by its size, and of
 * global memory the granules that were granted together (space.h) in which the instruction found its lanes last
 * (frame.seen). Every lane that is on has to be inside, and aligned. Lanes that are off are taken to the range's begin.
 * Accesses of a basic block through the same register, a few bytes apart, share a check.
 * An address that is a scalar and a small multiple of a number of 32 bits is checked by that number: half as many
 * vectors. */
#include "jit/llvm/emitter.h"

#include "interp/step.h"
#include "ir/operands.h"

#include <stddef.h>
#include <string.h>

enum { MOST_SPAN = 64 /* bytes of accesses that share a check */ };

LLVMTypeRef lanes_of_bits(struct emit *e, int bits)
{
    return vector_of(e, type_of_bits(e, bits));
}

LLVMValueRef at_byte(struct emit *e, LLVMValueRef base, LLVMValueRef offset)
{
    return LLVMBuildGEP2(e->b, e->i8, base, &offset, 1, "");
}

static bool of_32_bits(const struct ir_inst *in)
{
    return in->space == PTX_SHARED || in->space == PTX_LOCAL || in->space == IR_SCRATCH;
}

LLVMValueRef first_lane(struct emit *e, LLVMValueRef lanes)
{
    LLVMValueRef args[2] = {lanes, number(e, 1, 1)};
    return call_intrinsic(e, "llvm.cttz", e->i32, args, 2);
}

/* The instruction's own struct jit_seen: the range's first address, and in `room` its bytes. */
uint32_t bounds_check_slot(const struct emit *e)
{
    return 2 * JIT_CHECKS_EACH * (uint32_t)e->job->naccesses + (uint32_t)e->job->access[e->site];
}

static LLVMValueRef find_run(struct emit *e, LLVMValueRef *bytes)
{
    LLVMValueRef seen = frame_field(e, offsetof(struct jit_frame, seen), e->ptr);
    uint64_t at = bounds_check_slot(e) * sizeof(struct jit_seen);
    *bytes = LLVMBuildLoad2(e->b, e->i64, at_byte(e, seen, number(e, 64, at + offsetof(struct jit_seen, room))), "");
    return LLVMBuildLoad2(e->b, e->i64, at_byte(e, seen, number(e, 64, at + offsetof(struct jit_seen, first))), "");
}

/* The bytes of a space of 32-bit addresses, i32, and where it is. */
static LLVMValueRef find_small(struct emit *e, struct many *g)
{
    if (e->in->space == PTX_SHARED) {
        g->base = e->shared;
        return LLVMBuildTrunc(e->b, e->shared_bytes, e->i32, "");
    }
    LLVMValueRef size = frame_field(e, offsetof(struct jit_frame, local_size), e->i32);
    g->base = frame_field(e, offsetof(struct jit_frame, local), e->ptr);
    g->stride = frame_field(e, offsetof(struct jit_frame, local_bytes), e->i32);
    if (e->in->space == PTX_LOCAL)
        return size;
    LLVMValueRef behind = LLVMBuildAnd(e->b, LLVMBuildAdd(e->b, size, number(e, 32, 15), ""), number(e, 32, ~UINT64_C(15)), "");
    g->base = at_byte(e, g->base, LLVMBuildZExt(e->b, behind, e->i64, ""));
    return number(e, 32, e->k->scratch_bytes);
}

/* Local memory lies thread behind thread. */
static void add_threads(struct emit *e, struct many *g)
{
    LLVMValueRef index[64];
    for (int p = 0; p < e->parts; p++) {
        for (int i = 0; i < e->width; i++)
            index[i] = number(e, 32, (uint64_t)(p * e->width + i));
        LLVMValueRef threads = LLVMBuildMul(e->b, splat(e, g->stride), LLVMConstVector(index, (unsigned)e->width), "");
        g->at[p] = LLVMBuildAdd(e->b, g->at[p], threads, "");
    }
}

/* i1: no sign in `a`, the offsets of all lanes or-ed together, nor in `left`, what is left behind them; and no low bit in
 * a, which would be a misaligned lane. */
static LLVMValueRef no_sign(struct emit *e, LLVMValueRef a, LLVMValueRef left, unsigned unit)
{
    LLVMTypeRef t = LLVMTypeOf(a);
    bool vector = LLVMGetTypeKind(t) == LLVMVectorTypeKind;
    int bits = (int)LLVMGetIntTypeWidth(vector ? LLVMGetElementType(t) : t);
    LLVMValueRef sign = number(e, bits, UINT64_C(1) << (bits - 1)), both = number(e, bits, UINT64_C(1) << (bits - 1) | (unit - 1));
    a = LLVMBuildAnd(e->b, a, vector ? splat(e, both) : both, "");
    a = LLVMBuildOr(e->b, a, LLVMBuildAnd(e->b, left, vector ? splat(e, sign) : sign, ""), "");
    if (vector)
        a = call_intrinsic(e, "llvm.vector.reduce.or", t, &a, 1);
    return LLVMBuildICmp(e->b, LLVMIntEQ, a, number(e, bits, 0), "");
}

/* i1: no lane begins before 0 or behind `most`, which is below 2^63, or 2^31, or negative. */
static LLVMValueRef all_inside(struct emit *e, const struct many *g, LLVMValueRef most)
{
    LLVMValueRef a = NULL, b = NULL;
    if (g->one)
        return no_sign(e, g->one, LLVMBuildSub(e->b, most, g->one, ""), g->multiple);
    most = splat(e, most);
    for (int p = 0; p < e->parts; p++) {
        LLVMValueRef left = LLVMBuildSub(e->b, most, g->at[p], "");
        a = a ? LLVMBuildOr(e->b, a, g->at[p], "") : g->at[p];
        b = b ? LLVMBuildOr(e->b, b, left, "") : left;
    }
    return no_sign(e, a, b, g->multiple);
}

/* Lanes that are off are at the range's begin. */
static void settle_off(struct emit *e, struct many *g)
{
    for (int p = 0; p < e->parts && g->lanes && !g->one; p++)
        g->at[p] = only_lanes(e, g->at[p], g->lanes, p);
}

static LLVMValueRef host_pointer(struct emit *e, LLVMValueRef address)
{
    return LLVMBuildIntToPtr(e->b, LLVMBuildAdd(e->b, address, number(e, 64, SPACE_DELTA), ""), e->ptr, "");
}

/* --- addresses that are a scalar and a multiple of a number of 32 bits --- */

/* What makes a register in this block before instruction `site`, if it still has that value there. */
static const struct ir_inst *maker(const struct emit *e, int32_t reg, int32_t site)
{
    const struct ir_block *b = &e->k->blocks[e->k->insts[site].block];
    for (int32_t i = site - 1; i >= b->first && e->job->resume[i + 1] < 0; i--) {
        const struct ir_inst *in = &e->k->insts[i];
        if (ir_defines(in, reg))
            return in->guard == IR_NOREG && in->ndst == 1 ? in : NULL;
    }
    return NULL;
}

/* A register that `in` reads has the same value before this instruction. */
static bool still(const struct emit *e, const struct ir_inst *in, int32_t reg)
{
    for (int32_t i = (int32_t)(in - e->k->insts); i < e->site; i++)
        if (ir_defines(&e->k->insts[i], reg))
            return false;
    return true;
}

static bool lanes_differ(const struct emit *e, const struct ir_src *s, int bits)
{
    return s->kind == IR_SRC_REG && e->job->shapes->reg[s->reg].kind == SHAPE_VARYING && bits_of_type(e->k->reg_type[s->reg]) == bits;
}

static bool one_value(const struct emit *e, const struct ir_src *s)
{
    return s->kind == IR_SRC_REG && bits_of_type(e->k->reg_type[s->reg]) == 64 && shape_uniform(&e->job->shapes->reg[s->reg]);
}

/* The product, of 64 bits: a number of 32 bits, widened, times a power of two up to 8, the most that a gather of x86 scales by
 * (LLVM 19 takes 8 where a vector of pointers goes up by 16). */
static bool find_product(const struct emit *e, const struct ir_inst *in, struct indexed *x)
{
    uint64_t scale = in->nsrc > 1 && in->src[1].kind == IR_SRC_IMM ? in->src[1].imm : 0;
    if (ir_is(in, PTX_KIND_SHL) && in->src[0].kind == IR_SRC_REG && scale && scale < 4) {
        scale = UINT64_C(1) << scale;
        const struct ir_inst *from = maker(e, in->src[0].reg, (int32_t)(in - e->k->insts));
        if (!from || !ir_is(from, PTX_KIND_CONVERT) || bits_of_type(from->type) != 64 || bits_of_type(from->type2) != 32 ||
            !type_is_integer(from->type) || !type_is_integer(from->type2) || !lanes_differ(e, &from->src[0], 32))
            return false;
        *x = (struct indexed){.index = from->src[0].reg, .sign = type_is_signed(from->type2), .scale = (unsigned)scale};
        return still(e, from, x->index);
    }
    if ((!ir_is(in, PTX_KIND_MUL_WIDE) && !ir_is(in, PTX_KIND_MAD_WIDE)) || bits_of_type(in->type) != 32 || !scale || scale > 8 ||
        (scale & (scale - 1)) || !lanes_differ(e, &in->src[0], 32))
        return false;
    *x = (struct indexed){.index = in->src[0].reg, .sign = type_is_signed(in->type), .scale = (unsigned)scale};
    return still(e, in, x->index);
}

bool bounds_check_find_index(const struct emit *e, struct indexed *x)
{
    const struct ir_inst *access = e->in, *sum, *product = NULL;
    const struct ir_src *base = NULL;
    if (access->src[0].kind != IR_SRC_REG || !(sum = maker(e, access->src[0].reg, e->site)))
        return false;
    if (ir_is(sum, PTX_KIND_MAD_WIDE)) {
        base = &sum->src[2];
        product = sum;
    }
    for (int i = 0; i < 2 && ir_is(sum, PTX_KIND_ADD) && bits_of_type(sum->type) == 64 && !product; i++)
        if (one_value(e, &sum->src[i]) && lanes_differ(e, &sum->src[!i], 64)) {
            base = &sum->src[i];
            product = maker(e, sum->src[!i].reg, (int32_t)(sum - e->k->insts));
        }
    if (!product || !one_value(e, base) || sum->mods->cc || product->mods->cc || !find_product(e, product, x) ||
        (ir_is(product, PTX_KIND_MAD_WIDE) && product != sum))
        return false;
    x->base = base->reg;
    return still(e, sum, x->base);
}

static LLVMValueRef bounded(struct emit *e, const char *name, LLVMValueRef v, LLVMValueRef by)
{
    LLVMValueRef args[2] = {v, by};
    return call_intrinsic(e, name, LLVMTypeOf(v), args, 2);
}

/* As check_all, by the lanes' indices: in the range are those from `low` to `high`. */
static LLVMValueRef check_by_index(struct emit *e, struct many *g, const struct indexed *x)
{
    LLVMBuilderRef B = e->b;
    int shift = __builtin_ctz(x->scale);
    LLVMValueRef bytes, first = find_run(e, &bytes), all = NULL, k = number(e, 64, (uint64_t)shift);
    LLVMValueRef base = LLVMBuildAdd(B, reg_part(e, x->base, -1), number(e, 64, (uint64_t)g->from), "");
    LLVMValueRef distance = LLVMBuildSub(B, first, base, "");
    LLVMValueRef low = LLVMBuildAShr(B, LLVMBuildAdd(B, distance, number(e, 64, x->scale - 1), ""), k, "");
    LLVMValueRef high = LLVMBuildAdd(B, distance, LLVMBuildSub(B, bytes, number(e, 64, g->span), ""), "");
    high = LLVMBuildAShr(B, high, k, "");
    low = bounded(e, "llvm.smax", low, number(e, 64, x->sign ? (uint64_t)INT32_MIN : 0));
    high = bounded(e, "llvm.smin", high, number(e, 64, x->sign ? INT32_MAX : UINT32_MAX));
    high = bounded(e, "llvm.smin", high, LLVMBuildAdd(B, low, number(e, 64, INT32_MAX), ""));
    LLVMValueRef ok = LLVMBuildICmp(B, LLVMIntSLE, low, high, "");
    LLVMValueRef rest = LLVMBuildAnd(B, distance, number(e, 64, g->multiple - 1), "");
    ok = LLVMBuildAnd(B, ok, LLVMBuildICmp(B, LLVMIntEQ, rest, number(e, 64, 0), ""), "");
    LLVMValueRef from = splat(e, LLVMBuildTrunc(B, low, e->i32, ""));
    for (int p = 0; p < e->parts; p++)
        g->at[p] = LLVMBuildSub(B, LLVMBuildBitCast(B, reg_part(e, x->index, p), vector_of(e, e->i32), ""), from, "");
    settle_off(e, g);
    for (int p = 0; p < e->parts; p++)
        all = all ? bounded(e, "llvm.umax", all, g->at[p]) : g->at[p];
    LLVMValueRef most = splat(e, LLVMBuildTrunc(B, LLVMBuildSub(B, high, low, ""), e->i32, ""));
    LLVMTypeRef bits = LLVMIntTypeInContext(e->cx, (unsigned)e->width);
    LLVMValueRef in = LLVMBuildBitCast(B, LLVMBuildICmp(B, LLVMIntULE, all, most, ""), bits, "");
    g->narrow = true;
    g->scale = x->scale;
    g->base = host_pointer(e, LLVMBuildAdd(B, base, LLVMBuildShl(B, low, k, ""), ""));
    return LLVMBuildAnd(B, ok, LLVMBuildICmp(B, LLVMIntEQ, in, LLVMConstAllOnes(bits), ""), "");
}

/* --- accesses through one register --- */

static bool orders(const struct step *st)
{
    return st->kind != STEP_LANES && st->kind != STEP_LOAD && st->kind != STEP_SREG && st->kind != STEP_CVTA && st->kind != STEP_COUNTED && st->kind != STEP_NOP;
}

/* It may share this access's check: the same lanes, at the same register. */
static bool is_like(const struct ir_inst *in, const struct ir_inst *other)
{
    return (other->op == PTX_OP_LD || other->op == PTX_OP_LDU || other->op == PTX_OP_ST) && other->guard == IR_NOREG &&
           other->space == in->space && other->src[0].kind == IR_SRC_REG && other->src[0].reg == in->src[0].reg &&
           other->mods->order == PTX_WEAK && bits_of_type(other->type) <= 64;
}

/* Its check may be shared: all lanes do it that are on in the block. (Of a form's instruction `in` is without its guard.) */
static bool shares(const struct emit *e)
{
    const struct ir_inst *own = &e->k->insts[e->site];
    return is_like(own, own);
}

static bool loads_word(const struct emit *e, const struct ir_inst *in)
{
    return in->op != PTX_OP_ST && in->vec == 1 && bits_of_type(in->type) == 32 && in->dst[0] != IR_NOREG &&
           !reg_scalar(e, in->dst[0]);
}

static bool is_ahead(const struct emit *e, int32_t site)
{
    for (int i = 0; i < e->nahead; i++)
        if (e->ahead[i].site == site)
            return true;
    return false;
}

/* The load of a word that many bytes behind this one's, with nothing in between that loads may not pass; or -1. */
static int32_t find_word(const struct emit *e, int64_t behind)
{
    const struct ir_inst *in = e->in;
    const struct ir_block *b = &e->k->blocks[in->block];
    for (int32_t i = e->site + 1; i < b->first + b->count && e->job->resume[i] < 0; i++) {
        const struct ir_inst *other = &e->k->insts[i];
        if (is_like(in, other) && loads_word(e, other) && other->offset == in->offset + behind && !is_ahead(e, i))
            return i;
        if (orders(&e->job->code->step[i]) || ir_defines(other, in->src[0].reg))
            break;
    }
    return -1;
}

/* The three loads of words next to this one's in memory that can be done with it. */
static void find_quad(struct emit *e, struct many *g)
{
    const struct ir_inst *in = e->in;
    if (!shares(e) || !loads_word(e, in) || ir_defines(in, in->src[0].reg) || is_ahead(e, e->site) || e->nahead + 3 > MAX_AHEAD)
        return;
    for (g->own = 0; g->own < 4; g->own++) {
        int64_t first = in->offset - 4 * g->own;
        g->quad = first >= g->from && first + 16 <= g->from + g->span;
        for (int i = 0; i < 4 && g->quad; i++)
            g->quad = i == g->own || (g->sites[i] = find_word(e, 4 * (i - g->own))) >= 0;
        if (g->quad)
            return;
    }
}

/* Takes what accesses behind this one through the same register need into its check, as far as that is near. */
static void find_others(struct emit *e, struct many *g)
{
    const struct ir_inst *in = e->in;
    const struct ir_block *b = &e->k->blocks[in->block];
    int64_t to = in->offset + g->unit;
    if (!shares(e) || ir_defines(in, in->src[0].reg))
        return;
    for (int32_t i = e->site + 1; i < b->first + b->count && e->job->resume[i] < 0; i++) {
        const struct ir_inst *other = &e->k->insts[i];
        if (is_like(in, other)) {
            int64_t bytes = (int64_t)bits_of_type(other->type) / 8 * other->vec, end = other->offset + bytes;
            int64_t low = other->offset < g->from ? other->offset : g->from, high = end > to ? end : to;
            bool fits = g->multiple % bytes == 0 && (other->offset - g->from) % bytes == 0 && (g->from - low) % (int64_t)g->multiple == 0;
            if (fits && high - low <= MOST_SPAN) {
                g->from = low;
                to = high;
            }
        }
        if (ir_defines(other, in->src[0].reg))
            break;
    }
    g->span = (unsigned)(to - g->from);
}

/* What the access does of what has been checked from g->from on. */
static void take_own(struct emit *e, struct many *g)
{
    g->bytes = (unsigned)bits_of_type(e->in->type) / 8;
    g->unit = g->bytes * e->in->vec;
    g->quad = false;
    find_quad(e, g);
    if (e->in->offset != g->from)
        g->base = at_byte(e, g->base, number(e, 64, (uint64_t)(e->in->offset - g->from)));
}

LLVMValueRef bounds_check_shared(struct emit *e, struct many *g)
{
    const struct ir_inst *in = e->in;
    int64_t bytes = (int64_t)bits_of_type(in->type) / 8 * in->vec;
    for (int i = 0; i < e->nshared_checks && shares(e); i++) {
        const struct shared_check *l = &e->shared_checks[i];
        struct value address = reg_get(e, in->src[0].reg);
        bool same = l->space == in->space && !memcmp(&l->address, &address, sizeof address);
        bool within = in->offset >= l->g.from && in->offset + bytes <= l->g.from + l->g.span;
        bool aligned = l->g.multiple % bytes == 0 && (in->offset - l->g.from) % bytes == 0;
        if (!same || !within || !aligned || (in->op == PTX_OP_ST && l->g.scale > 1))
            continue;
        *g = l->g;
        take_own(e, g);
        return l->ok;
    }
    return NULL;
}

bool bounds_check_has_range(const struct emit *e)
{
    return !of_32_bits(e->in);
}

/* A narrow address of a scalar and a multiple of a number of 32 bits, without what 64 bits would be for. */
static bool find_short_addresses(struct emit *e, struct many *g)
{
    const struct ir_src *at = &e->in->src[0];
    struct indexed x;
    if (at->kind != IR_SRC_REG || bits_of_type(e->k->reg_type[at->reg]) != 64 || !bounds_check_find_index(e, &x))
        return false;
    LLVMValueRef base = LLVMBuildTrunc(e->b, reg_part(e, x.base, -1), e->i32, "");
    base = LLVMBuildAdd(e->b, base, number(e, 32, (uint64_t)g->from), "");
    LLVMValueRef shift = splat(e, number(e, 32, (uint64_t)__builtin_ctz(x.scale)));
    for (int p = 0; p < e->parts; p++) {
        LLVMValueRef index = LLVMBuildBitCast(e->b, reg_part(e, x.index, p), vector_of(e, e->i32), "");
        g->at[p] = LLVMBuildAdd(e->b, LLVMBuildShl(e->b, index, shift, ""), splat(e, base), "");
    }
    return true;
}

/* Addresses in their space: i32 for those of 32 bits, else i64. */
static void find_addresses(struct emit *e, struct many *g)
{
    enum ptx_type t = g->narrow ? PTX_U32 : PTX_U64;
    LLVMValueRef offset = number(e, g->narrow ? 32 : 64, (uint64_t)g->from);
    struct shape s = source_shape(e, 0);
    if (g->narrow && !shape_uniform(&s) && find_short_addresses(e, g))
        return;
    if (shape_uniform(&s))
        g->one = LLVMBuildAdd(e->b, source(e, 0, t, -1), offset, "");
    for (int p = 0; p < e->parts; p++)
        g->at[p] = g->one ? splat(e, g->one) : LLVMBuildAdd(e->b, source(e, 0, t, p), splat(e, offset), "");
}

static LLVMValueRef check_all(struct emit *e, struct many *g)
{
    const struct ir_inst *in = e->in;
    find_addresses(e, g);
    if (g->narrow) {
        LLVMValueRef most = LLVMBuildSub(e->b, find_small(e, g), number(e, 32, g->span), "");
        settle_off(e, g);
        LLVMValueRef ok = all_inside(e, g, most);
        if (in->space != PTX_SHARED)
            add_threads(e, g);
        return ok;
    }
    LLVMValueRef bytes, from = find_run(e, &bytes);
    g->base = host_pointer(e, from);
    for (int p = 0; p < e->parts; p++)
        g->at[p] = LLVMBuildSub(e->b, g->at[p], splat(e, from), "");
    if (g->one)
        g->one = LLVMBuildSub(e->b, g->one, from, "");
    settle_off(e, g);
    return all_inside(e, g, LLVMBuildSub(e->b, bytes, number(e, 64, g->span), ""));
}

LLVMValueRef bounds_check_lanes(struct emit *e, struct many *g)
{
    const struct ir_inst *in = e->in;
    struct indexed x;
    g->bytes = (unsigned)bits_of_type(in->type) / 8;
    g->unit = g->span = g->multiple = g->bytes * in->vec;
    g->from = in->offset;
    g->narrow = of_32_bits(in);
    g->scale = 1;
    for (int p = 0; p < e->parts && g->lanes; p++)
        g->on[p] = unpacked(e, g->lanes, p);
    find_others(e, g);
    bool load = in->op == PTX_OP_LD || in->op == PTX_OP_LDU;
    bool indexed = load && !g->narrow && bounds_check_find_index(e, &x) && x.scale % g->multiple == 0;
    LLVMValueRef ok = indexed ? check_by_index(e, g, &x) : check_all(e, g);
    if (g->span > g->unit && e->nshared_checks < MAX_SHARED_CHECKS)
        e->shared_checks[e->nshared_checks++] = (struct shared_check){reg_get(e, in->src[0].reg), ok, in->space, *g};
    take_own(e, g);
    return ok;
}
