/* Loads and stores at affine addresses: one check for all lanes, then vectors (PTX ISA 9.7.9).
 *
 * All addresses are a base + a constant for each lane, with a base for each group of lanes (jit/lane_shape.h). If the first and
 * the last byte of each group lie in granules that were granted together (or inside the block's shared memory) and are
 * aligned, the access is done here; else the interpreter goes on at this instruction, lane by lane, and knows what fault it
 * is. One bounds check serves all accesses of a basic block above the same base. A generic address may be shared memory's as
 * well: there the interpreter's access function is called, and machine code goes on behind it. Lanes that are neighbours in
 * memory are one vector. */
#include "jit/llvm/form.h"

#include "ir/facts.h"
#include "ir/operands.h"

#include <stdlib.h>
#include <string.h>

/* What one group of lanes accesses. */
struct stretch {
    int64_t lowest;    /* the lowest lane's address above the base */
    uint64_t span;     /* bytes from the first lane that is accessed to behind the last; 0: none is */
    uint64_t skip;     /* bytes from the lowest lane to the first that is accessed */
    LLVMValueRef base; /* the address register's base */
    LLVMValueRef low;  /* lowest address, i64 */
    LLVMValueRef host; /* the same as the host sees it */
};

struct reach {
    int halved;               /* groups of lanes */
    struct stretch of[SHAPE_GROUPS];
    int64_t rel[SHAPE_LANES]; /* bytes above the lowest address in the lane's group */
    unsigned bytes;           /* of one element */
    uint32_t on;              /* lanes that are accessed, where it is known that they are few; else all */
};

enum { FEW = 4, ALL = -1 };

static unsigned element_bytes(const struct ir_inst *in)
{
    return (unsigned)bits_of_type(in->type) / 8;
}

static LLVMValueRef pointer(struct emit *e, LLVMValueRef base, uint64_t offset)
{
    LLVMValueRef index = number(e, 64, offset);
    return LLVMBuildGEP2(e->b, e->i8, base, &index, 1, "");
}

/* --- lanes [from, from + n) of one element as a vector of n, n a power of two (n = 1: a scalar) --- */

static bool stepped_run(const struct reach *r, int from, int n, int64_t step)
{
    for (int i = 1; i < n; i++)
        if (r->rel[from + i] != r->rel[from] + i * step)
            return false;
    return shape_group_of(from, r->halved) == shape_group_of(from + n - 1, r->halved);
}

static bool uniform_run(const struct reach *r, int from, int n)
{
    return stepped_run(r, from, n, 0);
}

static bool dense_run(const struct reach *r, int from, int n, int64_t step)
{
    return stepped_run(r, from, n, step);
}

static LLVMValueRef pointer_of(struct emit *e, const struct reach *r, int lane, unsigned element)
{
    const struct stretch *of = &r->of[shape_group_of(lane, r->halved)];
    return pointer(e, of->host, (uint64_t)r->rel[lane] + element * r->bytes);
}

static LLVMValueRef load_as(struct emit *e, LLVMTypeRef t, const struct reach *r, int lane, unsigned element)
{
    LLVMValueRef p = pointer_of(e, r, lane, element);
    LLVMValueRef v = LLVMBuildLoad2(e->b, t, p, "");
    LLVMSetAlignment(v, r->bytes);
    LLVMSetVolatile(v, e->in->mods->order != PTX_WEAK);
    return v;
}

LLVMValueRef memory_joined(struct emit *e, LLVMValueRef a, LLVMValueRef b, int n)
{
    LLVMValueRef index[64];
    for (int i = 0; i < 2 * n; i++)
        index[i] = number(e, 32, (uint64_t)i);
    if (n > 1)
        return LLVMBuildShuffleVector(e->b, a, b, LLVMConstVector(index, (unsigned)(2 * n)), "");
    LLVMValueRef v = LLVMGetPoison(LLVMVectorType(LLVMTypeOf(a), 2));
    v = LLVMBuildInsertElement(e->b, v, a, index[0], "");
    return LLVMBuildInsertElement(e->b, v, b, index[1], "");
}

static LLVMValueRef broadcast(struct emit *e, LLVMValueRef scalar, int n)
{
    LLVMTypeRef t = LLVMVectorType(LLVMTypeOf(scalar), (unsigned)n);
    LLVMValueRef v = LLVMBuildInsertElement(e->b, LLVMGetPoison(t), scalar, number(e, 32, 0), "");
    return LLVMBuildShuffleVector(e->b, v, LLVMGetPoison(t), LLVMConstNull(LLVMVectorType(e->i32, (unsigned)n)), "");
}

/* Every so manieth element, 2 to MOST_APART of them or going down: so many vectors that lie behind each other, the last one ending with
 * the last lane's element, each giving the lanes that are in it. NULL: lanes lie otherwise. */
static LLVMValueRef load_apart(struct emit *e, LLVMTypeRef t, const struct reach *r, int from, int n)
{
    int64_t step = (r->rel[from + 1] - r->rel[from]) / (int64_t)r->bytes;
    int apart = (int)(step < 0 ? -step : step), last = (n - 1) * apart;
    if (n < 4 || step == 0 || step == 1 || apart > MOST_APART || e->in->mods->order != PTX_WEAK || !stepped_run(r, from, n, step * (int64_t)r->bytes))
        return NULL;
    LLVMValueRef all = NULL, lowest = pointer_of(e, r, step < 0 ? from + n - 1 : from, 0);
    for (int j = 0; j < apart; j++) {
        int at = j * n < last + 1 - n ? j * n : last + 1 - n;
        LLVMValueRef index[64], v = LLVMBuildLoad2(e->b, LLVMVectorType(t, (unsigned)n), pointer(e, lowest, (uint64_t)at * r->bytes), "");
        LLVMSetAlignment(v, r->bytes);
        for (int i = 0; i < n; i++) {
            int word = (step < 0 ? n - 1 - i : i) * apart;
            index[i] = word < j * n ? number(e, 32, (uint64_t)i) : word < at + n ? number(e, 32, (uint64_t)(n + word - at)) : LLVMGetPoison(e->i32);
        }
        all = LLVMBuildShuffleVector(e->b, all ? all : v, v, LLVMConstVector(index, (unsigned)n), "");
    }
    return all;
}

static LLVMValueRef load_run(struct emit *e, LLVMTypeRef t, const struct reach *r, int from, int n, unsigned element, unsigned vec)
{
    if (n == 1)
        return load_as(e, t, r, from, element);
    if (uniform_run(r, from, n))
        return broadcast(e, load_as(e, t, r, from, element), n);
    if (vec == 1 && dense_run(r, from, n, r->bytes))
        return load_as(e, LLVMVectorType(t, (unsigned)n), r, from, element);
    if (vec > 1 && n > 2 && dense_run(r, from, n, r->bytes * vec)) { /* every vec-th of what lies there */
        LLVMValueRef all = load_as(e, LLVMVectorType(t, (unsigned)n * vec), r, from, 0), index[64];
        for (int i = 0; i < n; i++)
            index[i] = number(e, 32, (uint64_t)i * vec + element);
        return LLVMBuildShuffleVector(e->b, all, LLVMGetPoison(LLVMTypeOf(all)), LLVMConstVector(index, (unsigned)n), "");
    }
    LLVMValueRef apart = vec == 1 ? load_apart(e, t, r, from, n) : NULL;
    if (apart)
        return apart;
    LLVMValueRef a = load_run(e, t, r, from, n / 2, element, vec);
    return memory_joined(e, a, load_run(e, t, r, from + n / 2, n / 2, element, vec), n / 2);
}

/* --- the check --- */

/* A group without a lane that is on accesses nothing. It is checked where one with such a lane is. */
static void move_idle(struct emit *e, struct reach *r)
{
    LLVMValueRef low = r->of[0].low, zero = number(e, 32, 0);
    for (int g = 1; g < 1 << r->halved; g++)
        low =
            LLVMBuildSelect(e->b, LLVMBuildICmp(e->b, LLVMIntNE, split_group_on(e, g, r->halved), zero, ""), r->of[g].low, low, "");
    for (int g = 0; g < 1 << r->halved; g++)
        r->of[g].low =
            LLVMBuildSelect(e->b, LLVMBuildICmp(e->b, LLVMIntNE, split_group_on(e, g, r->halved), zero, ""), r->of[g].low, low, "");
}

/* Of lanes that are known to be few, each is accessed for itself. */
static void find_few(const struct emit *e, struct reach *r)
{
    uint64_t least[SHAPE_GROUPS], most[SHAPE_GROUPS] = {0};
    r->on = e->mask && LLVMIsAConstantInt(e->mask) ? (uint32_t)LLVMConstIntGetZExtValue(e->mask) : (uint32_t)ALL;
    if (__builtin_popcount(r->on) > FEW) {
        r->on = (uint32_t)ALL;
        return;
    }
    memset(least, 0xff, sizeof least);
    for (uint32_t left = r->on; left; left &= left - 1) {
        int lane = __builtin_ctz(left), g = shape_group_of(lane, r->halved);
        uint64_t at = (uint64_t)r->rel[lane], end = at + r->bytes * e->in->vec;
        least[g] = at < least[g] ? at : least[g];
        most[g] = end > most[g] ? end : most[g];
    }
    for (int g = 0; g < 1 << r->halved; g++) {
        r->of[g].skip = most[g] ? least[g] : 0;
        r->of[g].span = most[g] - r->of[g].skip;
    }
}

static bool find_reach(struct emit *e, struct reach *r)
{
    const struct ir_inst *in = e->in;
    struct shape_reach s;
    if (!shape_reach(e->k, e->s, e->job->dim, in, &s))
        return false;
    bool wide = in->src[0].kind != IR_SRC_REG || bits_of_type(e->k->reg_type[in->src[0].reg]) == 64;
    r->halved = s.halved;
    r->bytes = element_bytes(in);
    memcpy(r->rel, s.above, sizeof r->rel);
    for (int g = 0; g < 1 << s.halved; g++) {
        struct stretch *of = &r->of[g];
        of->span = s.span[g];
        of->skip = 0;
        of->lowest = s.lowest[g];
        of->base = in->src[0].kind == IR_SRC_IMM ? number(e, 64, 0) : source(e, 0, wide ? PTX_U64 : PTX_U32, piece_of_group(g, s.halved));
        /* above the first warp's base, so that one check is for all */
        if (in->src[0].kind == IR_SRC_REG && unroll_jam_shared(e, in->src[0].reg)) {
            of->base = unroll_jam_first_source(e, 0, wide ? PTX_U64 : PTX_U32, piece_of_group(g, s.halved));
            of->lowest += unroll_jam_step(e, in->src[0].reg) * e->warp;
        }
        of->low = LLVMBuildAdd(e->b, of->base, number(e, wide ? 64 : 32, (uint64_t)of->lowest), "");
        if (in->space == PTX_SHARED && wide)
            of->low = LLVMBuildAnd(e->b, of->low, number(e, 64, UINT32_MAX), "");
        if (!wide)
            of->low = LLVMBuildZExt(e->b, of->low, e->i64, "");
    }
    find_few(e, r);
    if (e->mask && s.halved && r->on == (uint32_t)ALL)
        move_idle(e, r);
    return true;
}

int memory_lowest_addresses(struct emit *e, LLVMValueRef *lowest)
{
    struct reach r;
    if (e->in->space == PTX_LOCAL || !find_reach(e, &r))
        return -1;
    for (int g = 0; g < 1 << r.halved; g++)
        lowest[g] = r.of[g].low;
    return r.halved;
}

/* Where the host finds what is at `low`. */
static LLVMValueRef host_of(struct emit *e, LLVMValueRef low)
{
    if (e->in->space == PTX_SHARED)
        return LLVMBuildGEP2(e->b, e->i8, e->shared, &low, 1, "");
    LLVMValueRef host = LLVMBuildAdd(e->b, low, number(e, 64, SPACE_DELTA), "");
    return LLVMBuildIntToPtr(e->b, host, e->ptr, "");
}

LLVMValueRef memory_seen_field(struct emit *e, uint32_t slot, int which)
{
    LLVMValueRef seen = frame_field(e, offsetof(struct jit_frame, seen), e->ptr);
    return LLVMBuildLoad2(e->b, e->i64, pointer(e, seen, slot * sizeof(struct jit_seen) + 8 * (uint64_t)which), "");
}

LLVMValueRef memory_rotated(struct emit *e, LLVMValueRef v, unsigned unit)
{
    LLVMValueRef args[3] = {v, v, number(e, 64, (uint64_t)__builtin_ctz(unit))};
    return unit > 1 ? call_intrinsic(e, "llvm.fshr", e->i64, args, 3) : v;
}

LLVMValueRef memory_ask_check(struct emit *e, LLVMValueRef slot, LLVMValueRef host, LLVMValueRef span, LLVMValueRef unit)
{
    LLVMTypeRef params[5] = {e->ptr, e->i32, e->i64, e->i32, e->i32}, type = LLVMFunctionType(e->i32, params, 5, false);
    LLVMValueRef args[5] = {e->frame, slot, host, span, unit};
    LLVMValueRef yes = LLVMBuildCall2(e->b, type, op_function(e, offsetof(struct jit_ops, check)), args, 5, "");
    return LLVMBuildICmp(e->b, LLVMIntNE, yes, number(e, 32, 0), "");
}

/* Goes on if `span` bytes from `low` may be accessed and low is a multiple of `unit`, else at `no`. Both are one comparison:
 * bits that a multiple would not have are the highest ones of the rotated number. */
static void inside(struct emit *e, LLVMValueRef low, uint64_t span, unsigned unit, LLVMBasicBlockRef no)
{
    LLVMBuilderRef B = e->b;
    if (e->in->space == PTX_SHARED) {
        if (unit > 1)
            flow_go_on_if(e, LLVMBuildICmp(B, LLVMIntEQ, LLVMBuildAnd(B, low, number(e, 64, unit - 1), ""), number(e, 64, 0), ""),
                          no);
        LLVMValueRef last = LLVMBuildAdd(B, low, number(e, 64, span), "");
        flow_go_on_if(e, LLVMBuildICmp(B, LLVMIntULE, last, e->shared_bytes, ""), no);
        return;
    }
    uint32_t n = (uint32_t)e->job->naccesses, slots = JIT_CHECKS_EACH * n, slot = e->of_block ? memory_first_slot(e->job, true) : e->lanes ? slots : 0;
    slot += e->check_slots;
    slots *= e->of_warp ? 2 : 1;
    LLVMValueRef host = LLVMBuildAdd(B, low, number(e, 64, SPACE_DELTA), "");
    LLVMBasicBlockRef miss = new_block(e, "check"), on = new_block(e, "seen");
    if (e->check_slots++ < slots) {
        LLVMValueRef first = memory_seen_field(e, slot, 0), room = memory_seen_field(e, slot, 1);
        LLVMValueRef at = memory_rotated(e, LLVMBuildSub(B, low, first, ""), unit);
        likely(e, LLVMBuildCondBr(B, LLVMBuildICmp(B, LLVMIntULT, at, room, ""), on, miss), true);
    } else {
        slot = UINT32_MAX;
        LLVMBuildBr(B, miss);
    }
    LLVMPositionBuilderAtEnd(B, miss);
    LLVMBuildCondBr(B, memory_ask_check(e, number(e, 32, slot), host, number(e, 32, span), number(e, 32, unit)), on, no);
    LLVMPositionBuilderAtEnd(B, on);
}

/* --- one bounds check for several accesses --- */

static const struct checked *covered(const struct emit *e, const struct stretch *r, unsigned unit)
{
    for (int i = 0; i < e->nchecked; i++) {
        const struct checked *c = &e->checked[i];
        if (c->base == r->base && c->space == e->in->space && r->lowest >= c->from && r->lowest + (int64_t)r->span <= c->to &&
            c->unit % unit == 0 && (r->lowest - c->rest) % unit == 0)
            return c;
    }
    return NULL;
}

/* Above the same base: the same register, or both a number. */
static bool same_base(const struct ir_inst *a, const struct ir_inst *b)
{
    return a->src[0].kind == b->src[0].kind && (a->src[0].kind == IR_SRC_IMM || a->src[0].reg == b->src[0].reg);
}

/* The range that this access and those behind it above the same base take, as far as they fit one check. */
static struct checked widest(struct emit *e, const struct stretch *r, unsigned unit)
{
    const struct ir_inst *in = e->in;
    const struct ir_block *b = &e->k->blocks[in->block];
    struct checked c = {r->base, in->space, r->lowest, r->lowest + (int64_t)r->span, unit, r->lowest, NULL};
    bool fixed = in->src[0].kind == IR_SRC_IMM;
    if (!fixed && ir_defines(in, in->src[0].reg))
        return c;
    for (int32_t i = e->site + 1; i < b->first + b->count; i++) {
        const struct ir_inst *next = &e->k->insts[i];
        bool access = (next->op == PTX_OP_LD || next->op == PTX_OP_LDU || next->op == PTX_OP_ST) && next->guard == IR_NOREG &&
                      next->space == in->space && same_base(in, next) && next->mods->order == PTX_WEAK;
        if (e->job->resume[i] >= 0 && emit_entered_before(e, i))
            break;
        if (access) {
            unsigned bytes = element_bytes(next), wants = bytes * next->vec;
            int64_t moved = fixed ? (int64_t)(next->src[0].imm - in->src[0].imm) : 0;
            int64_t from = r->lowest + next->offset - in->offset + moved, to = from + (int64_t)(r->span - element_bytes(in) * in->vec + wants);
            int64_t low = from < c.from ? from : c.from, high = to > c.to ? to : c.to;
            unsigned more = wants > c.unit ? wants : c.unit;
            if ((from - c.rest) % (int64_t)wants == 0 && (wants <= c.unit || (c.from - from) % (int64_t)c.unit == 0) && high - low <= 1 << 16) {
                if (wants > c.unit)
                    c.rest = from;
                c.unit = more;
                c.from = low;
                c.to = high;
            }
        }
        if (!fixed && ir_defines(next, in->src[0].reg))
            break;
    }
    int64_t all = fixed ? 0 : unroll_jam_step(e, in->src[0].reg) * (e->job->unrolled - 1), low = all < 0 ? c.from + all : c.from,
            high = all > 0 ? c.to + all : c.to;
    if (all && !e->warp && all % (int64_t)c.unit == 0 && high - low <= 1 << 16) { /* the other warps' accesses */
        c.from = low;
        c.to = high;
    }
    return c;
}

/* Goes on if what this group's accesses take may be accessed. Lowest addresses of 32 bits wrap; 64-bit ones do, too, but a
 * wrapped one is in nobody's memory. */
static void check_stretch(struct emit *e, struct stretch *r, unsigned unit, LLVMBasicBlockRef no)
{
    const struct checked *known = covered(e, r, unit);
    if (known) {
        r->host = pointer(e, known->host, (uint64_t)(r->lowest - known->from));
        return;
    }
    struct checked c = widest(e, r, unit);
    LLVMValueRef low = LLVMBuildAdd(e->b, r->low, number(e, 64, (uint64_t)(c.from - r->lowest)), "");
    bool multiple = (c.rest - c.from) % (int64_t)c.unit == 0; /* then so is the lowest address */
    if (!multiple) {
        LLVMValueRef at = LLVMBuildAdd(e->b, r->low, number(e, 64, (uint64_t)(c.rest - r->lowest)), "");
        LLVMValueRef rest = LLVMBuildAnd(e->b, at, number(e, 64, c.unit - 1), "");
        flow_go_on_if(e, LLVMBuildICmp(e->b, LLVMIntEQ, rest, number(e, 64, 0), ""), no);
    }
    inside(e, low, (uint64_t)(c.to - c.from), multiple ? c.unit : 1, no);
    c.host = host_of(e, low);
    r->host = pointer(e, c.host, (uint64_t)(r->lowest - c.from));
    if (e->nchecked < MAX_CHECKED)
        e->checked[e->nchecked++] = c;
}

static void check_reach(struct emit *e, struct reach *r)
{
    LLVMBasicBlockRef no = new_block(e, "leave");
    for (int g = 0; g < 1 << r->halved; g++)
        check_stretch(e, &r->of[g], r->bytes * e->in->vec, no);
    LLVMBasicBlockRef on = LLVMGetInsertBlock(e->b);
    LLVMPositionBuilderAtEnd(e->b, no);
    form_code_leave(e, JIT_LEAVE);
    LLVMPositionBuilderAtEnd(e->b, on);
}

/* Can the lanes that are on be loaded or stored by masked instructions of the host? */
static bool maskable(const struct emit *e, const struct reach *r)
{
    if (e->in->vec != 1 || r->bytes < 4 || !strcmp(e->job->level, "x86-64-v2"))
        return false;
    for (int p = 0; p < e->parts; p++)
        if (!dense_run(r, p * e->width, e->width, r->bytes))
            return false;
    return true;
}

/* Lanes that are neighbours in shared memory, of which only those that are on are checked: the others are often beside a
 * short array. */
static bool some_in_shared(const struct emit *e, const struct reach *r)
{
    return e->mask && r->on == (uint32_t)ALL && e->in->space == PTX_SHARED && maskable(e, r) && stepped_run(r, 0, SHAPE_LANES, r->bytes);
}

/* Goes on if the lanes that are on may access shared memory. Addresses wrap at 32 bits. */
static void check_some(struct emit *e, struct reach *r, LLVMBasicBlockRef no)
{
    LLVMBuilderRef B = e->b;
    LLVMValueRef args[2] = {e->mask, number(e, 1, 1)}, unit = number(e, 64, r->bytes);
    LLVMValueRef first = LLVMBuildZExt(B, first_lane(e, e->mask), e->i64, "");
    LLVMValueRef last = LLVMBuildXor(B, call_intrinsic(e, "llvm.ctlz", e->i32, args, 2), number(e, 32, SHAPE_LANES - 1), "");
    first = LLVMBuildMul(B, first, unit, "");
    last = LLVMBuildMul(B, LLVMBuildZExt(B, last, e->i64, ""), unit, "");
    LLVMValueRef from = LLVMBuildAnd(B, LLVMBuildAdd(B, r->of[0].low, first, ""), number(e, 64, UINT32_MAX), "");
    LLVMValueRef low = LLVMBuildSub(B, from, first, ""), to = LLVMBuildAdd(B, LLVMBuildAdd(B, low, last, ""), unit, "");
    LLVMValueRef rest = LLVMBuildAnd(B, from, number(e, 64, r->bytes - 1), "");
    flow_go_on_if(e, LLVMBuildICmp(B, LLVMIntULE, to, e->shared_bytes, ""), no);
    flow_go_on_if(e, LLVMBuildICmp(B, LLVMIntEQ, rest, number(e, 64, 0), ""), no);
    r->of[0].host = host_of(e, low);
}

/* Goes on if all groups' accesses may be done here. */
static void check_all(struct emit *e, struct reach *r, LLVMBasicBlockRef no)
{
    if (some_in_shared(e, r)) {
        check_some(e, r, no);
        return;
    }
    for (int g = 0; g < 1 << r->halved; g++) {
        struct stretch *of = &r->of[g];
        LLVMValueRef low = of->skip ? LLVMBuildAdd(e->b, of->low, number(e, 64, of->skip), "") : of->low;
        if (of->span)
            inside(e, low, of->span, r->bytes * e->in->vec, no);
        of->host = host_of(e, of->low);
    }
}

/* --- loads --- */

/* An element as its register keeps it: extended by its own sign, or the same bits. */
LLVMValueRef memory_widened(struct emit *e, LLVMValueRef v, int32_t reg, bool scalar)
{
    const struct ir_inst *in = e->in;
    enum ptx_type rt = e->k->reg_type[reg];
    LLVMTypeRef to = scalar ? type_of(e, rt) : vector_of(e, type_of(e, rt));
    int have = bits_of_type(in->type), want = bits_of_type(rt);
    if (have == want)
        return LLVMBuildBitCast(e->b, v, to, "");
    bool sign = in->type >= PTX_S8 && in->type <= PTX_S64;
    return sign ? LLVMBuildSExt(e->b, v, to, "") : LLVMBuildZExt(e->b, v, to, "");
}

LLVMValueRef memory_load_lanes(struct emit *e, LLVMTypeRef t, LLVMValueRef from, unsigned bytes, LLVMValueRef on)
{
    LLVMTypeRef types[2] = {vector_of(e, t), e->ptr};
    if (!on) {
        LLVMValueRef v = LLVMBuildLoad2(e->b, types[0], from, "");
        LLVMSetAlignment(v, bytes);
        return v;
    }
    unsigned id = LLVMLookupIntrinsicID("llvm.masked.load", 16);
    LLVMValueRef f = LLVMGetIntrinsicDeclaration(e->module, id, types, 2), args[4] = {from, number(e, 32, bytes), on, LLVMConstNull(types[0])};
    return LLVMBuildCall2(e->b, LLVMIntrinsicGetType(e->cx, id, types, 2), f, args, 4, "");
}

static LLVMValueRef load_masked(struct emit *e, LLVMTypeRef t, const struct reach *r, int p)
{
    return memory_load_lanes(e, t, pointer_of(e, r, p * e->width, 0), r->bytes, unpacked(e, e->mask, p));
}

/* The lanes of one part that are on; 0 in others. */
static LLVMValueRef load_few(struct emit *e, LLVMTypeRef t, const struct reach *r, int p, unsigned element)
{
    LLVMValueRef v = LLVMConstNull(vector_of(e, t));
    for (int i = 0; i < e->width; i++)
        if (r->on >> (p * e->width + i) & 1)
            v = LLVMBuildInsertElement(e->b, v, load_as(e, t, r, p * e->width + i, element), number(e, 32, (uint64_t)i), "");
    return v;
}

/* What is the same in all lanes of each group, from the first that is on. */
static void load_scalars(struct emit *e, LLVMTypeRef t, const struct reach *r, int element, struct value *v)
{
    int32_t reg = e->in->dst[element];
    int halved = e->s->reg[reg].halved;
    for (int g = 0; g < 1 << halved; g++) {
        int lane = shape_first_lane(g, halved);
        while (lane < SHAPE_LANES && shape_group_of(lane, halved) == g && !(r->on >> lane & 1))
            lane++;
        bool any = lane < SHAPE_LANES && shape_group_of(lane, halved) == g;
        v->v[g] = memory_widened(e, any ? load_as(e, t, r, lane, (unsigned)element) : LLVMConstNull(t), reg, true);
    }
}

static struct value load_element(struct emit *e, const struct reach *r, int element)
{
    const struct ir_inst *in = e->in;
    int32_t reg = in->dst[element];
    enum ptx_type rt = e->k->reg_type[reg];
    bool same = bits_of_type(rt) == bits_of_type(in->type);
    LLVMTypeRef t = same ? type_of(e, rt) : type_of_bits(e, bits_of_type(in->type));
    struct value v = {.scalar = reg_scalar(e, reg)};
    if (v.scalar)
        load_scalars(e, t, r, element, &v);
    for (int p = 0; p < e->parts && !v.scalar && r->on != (uint32_t)ALL; p++)
        v.v[p] = memory_widened(e, load_few(e, t, r, p, (unsigned)element), reg, false);
    for (int p = 0; p < e->parts && !v.scalar && some_in_shared(e, r); p++)
        v.v[p] = memory_widened(e, load_masked(e, t, r, p), reg, false);
    for (int p = 0; p < e->parts && !v.scalar && !v.v[p]; p++)
        v.v[p] = memory_widened(e, load_run(e, t, r, p * e->width, e->width, (unsigned)element, in->vec), reg, false);
    return v;
}

static bool loadable(struct emit *e)
{
    const struct ir_inst *in = e->in;
    for (int d = 0; d < in->ndst; d++) {
        if (in->dst[d] == IR_NOREG)
            continue;
        enum ptx_type rt = e->k->reg_type[in->dst[d]];
        if (rt == PTX_PRED || bits_of_type(rt) > 64 || bits_of_type(rt) < bits_of_type(in->type) ||
            ((rt == PTX_F32 || rt == PTX_F64) && bits_of_type(rt) != bits_of_type(in->type)))
            return false;
    }
    return true;
}

struct value memory_either(struct emit *e, const struct value *a, LLVMBasicBlockRef from_a, const struct value *b,
                           LLVMBasicBlockRef from_b)
{
    struct value v = {.scalar = a->scalar};
    for (int p = 0; p < MAX_PARTS && a->v[p]; p++) {
        LLVMValueRef values[2] = {a->v[p], b->v[p]};
        LLVMBasicBlockRef blocks[2] = {from_a, from_b};
        v.v[p] = LLVMBuildPhi(e->b, LLVMTypeOf(a->v[p]), "");
        LLVMAddIncoming(v.v[p], values, blocks, 2);
    }
    return v;
}

static void slow_way(struct emit *e)
{
    const struct ir_inst *in = e->in;
    bool expanded = in->src[0].kind == IR_SRC_REG && !e->lanes; /* else a place is another register's in other lanes */
    LLVMValueRef lanes = e->mask ? e->mask : number(e, 32, UINT32_MAX);
    for (int i = expanded; i < in->nsrc; i++)
        if (in->src[i].kind == IR_SRC_REG)
            place_store(e, in->src[i].reg);
    if (!expanded) {
        step_call(e, lanes);
        return;
    }
    place_keep(e, in->src[0].reg);
    frame_set(e, offsetof(struct jit_frame, mask), lanes);
    op_call(e, offsetof(struct jit_ops, affine), number(e, 32, (uint64_t)kernel_register(e, in->src[0].reg)));
}

/* --- what will be wanted --- */

enum { AHEAD = 4096 /* bytes at least */, MOST_AHEAD = 16 /* blocks at most */, TURNS_AHEAD = 4, FORESEEN = 1024 /* bytes a turn */, LINE = 64 };
enum cache { NEAREST = 3, SECOND = 2 }; /* llvm.prefetch's locality */

static void prefetch(struct emit *e, LLVMValueRef at, enum cache cache)
{
    const uint64_t reads = 0, data = 1;
    LLVMValueRef args[4] = {at, number(e, 32, reads), number(e, 32, cache), number(e, 32, data)};
    call_intrinsic(e, "llvm.prefetch", e->ptr, args, 4);
}

/* Some lane's address is in the line that is so many bytes behind the lowest one of its group. */
static bool is_in_line(const struct reach *r, int g, uint64_t line)
{
    bool some = false;
    for (int i = 0; i < SHAPE_LANES && !some; i++)
        some = shape_group_of(i, r->halved) == g && (uint64_t)r->rel[i] / LINE == line / LINE;
    return some;
}

/* The lines of this access, `by` bytes further. */
static void prefetch_lines(struct emit *e, const struct reach *r, LLVMValueRef by, enum cache cache)
{
    for (int g = 0; g < 1 << r->halved; g++)
        for (uint64_t line = 0; line < r->of[g].span; line += LINE)
            if (is_in_line(r, g, line))
                prefetch(e, pointer(e, at_byte(e, r->of[g].host, by), line), cache);
}

/* Of this load, if it is done once in a block by all lanes: the lines that a block some way behind will take in its place. The host foresees
 * loads only within a block: each begins elsewhere, and they are on the way only for as long as the host looks ahead, which a block's
 * other instructions fill. To the nearest cache there are too few lines on the way at once. */
static void prefetch_block(struct emit *e, const struct reach *r)
{
    const struct ir_inst *in = e->in;
    if (!e->form->block_steps || e->mask || in->space != PTX_GLOBAL || in->src[0].kind != IR_SRC_REG ||
        e->form_of->blocks[e->form_of->insts[in->site].block].loop >= 0)
        return;
    const struct unroll_jam_steps *steps = e->form->block_steps;
    int32_t reg = kernel_register(e, in->src[0].reg);
    int64_t by = reg < e->form_of->nregs && ir_bit(steps->known, reg) ? steps->by[reg] : 0, size = by < 0 ? -by : by;
    int64_t blocks = size ? (AHEAD + size - 1) / size : 0;
    if (blocks && blocks <= MOST_AHEAD)
        prefetch_lines(e, r, number(e, 64, (uint64_t)(blocks * by)), SECOND);
}

/* Of an interchanged loop: a load before this one in its block has the same address, but for some bytes. */
static bool is_foreseen(const struct emit *e)
{
    const struct ir_kernel *k = e->k;
    for (int32_t i = k->blocks[e->in->block].first; e->form->turn && i < e->site; i++)
        if (k->insts[i].op == e->in->op && k->insts[i].src[0].kind == IR_SRC_REG && k->insts[i].src[0].reg == e->in->src[0].reg &&
            llabs(k->insts[i].offset - e->in->offset) < LINE)
            return true;
    return false;
}

/* Of this load in a loop: what it will take some turns later, if it goes on by more than the host foresees, or by a number that is not known
 * here. */
static void prefetch_turn(struct emit *e, const struct reach *r)
{
    struct turn_step step;
    if (e->mask || e->in->space != PTX_GLOBAL || e->in->src[0].kind != IR_SRC_REG || is_foreseen(e) || !turn_step(e->form, e->in, &step))
        return;
    bool fixed = step.by.kind == IR_SRC_IMM;
    if (fixed ? (uint64_t)((int64_t)step.by.imm * step.times) + FORESEEN < 2 * FORESEEN : step.by.kind != IR_SRC_REG || !reg_scalar(e, step.by.reg))
        return;
    LLVMValueRef by = fixed ? number(e, 64, step.by.imm) : LLVMBuildSExtOrBitCast(e->b, reg_get(e, step.by.reg).v[0], e->i64, "");
    prefetch_lines(e, r, LLVMBuildMul(e->b, by, number(e, 64, (uint64_t)(step.times * (e->form->turn ? 1 : TURNS_AHEAD))), ""), NEAREST);
}

static void load_all(struct emit *e, const struct reach *r)
{
    struct value v[IR_VECTOR];
    for (int d = 0; d < e->in->ndst; d++)
        if (e->in->dst[d] != IR_NOREG)
            v[d] = load_element(e, r, d);
    for (int d = 0; d < e->in->ndst; d++)
        if (e->in->dst[d] != IR_NOREG)
            reg_set(e, e->in->dst[d], v[d]);
    prefetch_block(e, r);
    prefetch_turn(e, r);
}

/* What the model counts of it is the same wherever it lies: one word, or neighbours in shared memory, whose banks go round. (A
 * model whose banks have 8 bytes is not told by tallies.) */
static bool counts_alike(const struct emit *e, const struct reach *r)
{
    if (r->halved || e->mask || e->in->space == PTX_GENERIC)
        return false;
    return uniform_run(r, 0, SHAPE_LANES) || (e->in->space == PTX_SHARED && dense_run(r, 0, SHAPE_LANES, r->bytes * e->in->vec));
}

static void count(struct emit *e, const struct reach *r)
{
    LLVMValueRef lowest[SHAPE_GROUPS];
    if (counts_alike(e, r) && count_anywhere(e))
        return;
    for (int g = 0; g < 1 << r->halved; g++)
        lowest[g] = r->of[g].low;
    count_shape(e, lowest, r->halved, e->mask);
}

static void generic_load(struct emit *e, struct reach *r)
{
    const struct ir_inst *in = e->in;
    LLVMBasicBlockRef slow = new_block(e, "slow"), next = new_block(e, "loaded");
    struct value a[IR_VECTOR], b[IR_VECTOR];
    check_all(e, r, slow);
    count(e, r);
    for (int d = 0; d < in->ndst; d++)
        if (in->dst[d] != IR_NOREG)
            a[d] = load_element(e, r, d);
    LLVMBuildBr(e->b, next);
    LLVMBasicBlockRef fast = LLVMGetInsertBlock(e->b);

    LLVMPositionBuilderAtEnd(e->b, slow);
    slow_way(e);
    for (int d = 0; d < in->ndst; d++)
        if (in->dst[d] != IR_NOREG)
            b[d] = place_load(e, in->dst[d]);
    LLVMBuildBr(e->b, next);
    slow = LLVMGetInsertBlock(e->b);

    LLVMPositionBuilderAtEnd(e->b, next);
    for (int d = 0; d < in->ndst; d++)
        if (in->dst[d] != IR_NOREG)
            a[d] = memory_either(e, &a[d], fast, &b[d], slow);
    for (int d = 0; d < in->ndst; d++)
        if (in->dst[d] != IR_NOREG)
            reg_set(e, in->dst[d], a[d]);
}

/* Parameters: at a known place of the parameter block. */
static bool emit_parameter(struct emit *e)
{
    const struct ir_inst *in = e->in;
    struct shape s = source_shape(e, 0);
    struct reach r = {.bytes = element_bytes(in), .on = (uint32_t)ALL};
    uint64_t at = s.base + (uint64_t)in->offset;
    unsigned unit = r.bytes * in->vec;
    if (s.kind != SHAPE_AFFINE || !s.known || !shape_uniform(&s) || at + unit > e->k->param_bytes || at % unit)
        return false;
    r.of[0].host = pointer(e, e->params, at);
    for (int d = 0; d < in->ndst; d++)
        if (in->dst[d] != IR_NOREG)
            reg_set(e, in->dst[d], load_element(e, &r, d));
    return true;
}

/* --- stores --- */

LLVMValueRef memory_stored_part(struct emit *e, int element, int p)
{
    enum ptx_type t = e->in->type;
    enum ptx_type rt = e->in->src[1 + element].kind == IR_SRC_REG ? e->k->reg_type[e->in->src[1 + element].reg] : t;
    if (bits_of_type(rt) == bits_of_type(t))
        t = rt;
    return source_exact(e, 1 + element, t, p);
}

int memory_store_turn(const struct ir_inst *in, int n, int piece)
{
    int group = (int)store_group((unsigned)bits_of_type(in->type) / 8 * in->vec);
    return group <= piece ? 0 : (group < n ? group : n) / piece - 1;
}

static void store_as(struct emit *e, LLVMValueRef v, const struct reach *r, int lane, unsigned element)
{
    LLVMValueRef p = pointer_of(e, r, lane, element);
    LLVMValueRef s = LLVMBuildStore(e->b, v, p);
    LLVMSetAlignment(s, r->bytes);
    LLVMSetVolatile(s, e->in->mods->order != PTX_WEAK);
}

/* The elements of `n` lanes in the order of memory: a.x b.x c.x .. and a.y b.y c.y .. become a.x a.y b.x b.y .. */
static LLVMValueRef interleaved(struct emit *e, LLVMValueRef *v, unsigned vec, int n)
{
    LLVMValueRef index[64], all = memory_joined(e, v[0], v[1], n);
    if (vec == 4)
        all = memory_joined(e, all, memory_joined(e, v[2], v[3], n), 2 * n);
    for (int i = 0; i < n * (int)vec; i++)
        index[i] = number(e, 32, (uint64_t)(i % (int)vec * n + i / (int)vec));
    return LLVMBuildShuffleVector(e->b, all, LLVMGetPoison(LLVMTypeOf(all)), LLVMConstVector(index, (unsigned)n * vec), "");
}

void memory_store_lanes(struct emit *e, LLVMValueRef v, LLVMValueRef to, unsigned bytes, LLVMValueRef on)
{
    LLVMTypeRef types[2] = {LLVMTypeOf(v), e->ptr};
    if (!on) {
        LLVMSetAlignment(LLVMBuildStore(e->b, v, to), bytes);
        return;
    }
    unsigned id = LLVMLookupIntrinsicID("llvm.masked.store", 17);
    LLVMValueRef f = LLVMGetIntrinsicDeclaration(e->module, id, types, 2), args[4] = {v, to, number(e, 32, bytes), on};
    LLVMBuildCall2(e->b, LLVMIntrinsicGetType(e->cx, id, types, 2), f, args, 4, "");
}

static void store_masked(struct emit *e, LLVMValueRef v, const struct reach *r, int p)
{
    memory_store_lanes(e, v, pointer_of(e, r, p * e->width, 0), r->bytes, unpacked(e, e->mask, p));
}

static LLVMValueRef lanes_half(struct emit *e, LLVMValueRef v, int n, bool second)
{
    LLVMValueRef index[64];
    for (int i = 0; i < n / 2; i++)
        index[i] = number(e, 32, (uint64_t)(i + (second ? n / 2 : 0)));
    return LLVMBuildShuffleVector(e->b, v, LLVMGetPoison(LLVMTypeOf(v)), LLVMConstVector(index, (unsigned)n / 2), "");
}

/* The elements v of n lanes from lane `from` on. */
static void store_run(struct emit *e, LLVMValueRef *v, const struct reach *r, int from, int n)
{
    const struct ir_inst *in = e->in;
    if (in->vec == 1 && dense_run(r, from, n, r->bytes)) {
        store_as(e, v[0], r, from, 0);
        return;
    }
    if ((in->vec == 2 || in->vec == 4) && dense_run(r, from, n, r->bytes * in->vec)) {
        store_as(e, interleaved(e, v, in->vec, n), r, from, 0);
        return;
    }
    bool apart = n > 4 && dense_run(r, from, n / 2, r->bytes * in->vec) && dense_run(r, from + n / 2, n / 2, r->bytes * in->vec);
    for (int h = 0; h < 2 && apart; h++) {
        LLVMValueRef half[4];
        int side = h ^ memory_store_turn(in, n, n / 2);
        for (int d = 0; d < in->vec; d++)
            half[d] = lanes_half(e, v[d], n, side);
        store_run(e, half, r, from + side * n / 2, n / 2);
    }
    for (int k = 0; k < n && !apart; k++) {
        int i = k ^ memory_store_turn(in, n, 1); /* if the lane before stores there as well, and later, it is this one's place */
        bool stays = i == 0 || i % store_group(r->bytes * in->vec) == 0 || !uniform_run(r, from + i - 1, 2);
        for (int d = 0; d < in->vec && stays; d++)
            store_as(e, LLVMBuildExtractElement(e->b, v[d], number(e, 32, (uint64_t)i), ""), r, from + i, (unsigned)d);
    }
}

static void store_part(struct emit *e, const struct reach *r, int p)
{
    LLVMValueRef v[4];
    for (int i = 0; i < e->in->vec; i++)
        v[i] = memory_stored_part(e, i, p);
    if (e->mask)
        store_masked(e, v[0], r, p);
    else
        store_run(e, v, r, p * e->width, e->width);
}

/* Lanes that are known to be few, one after the other. */
static void store_few(struct emit *e, const struct reach *r)
{
    for (int k = 0; k < SHAPE_LANES; k++) {
        int lane = k ^ memory_store_turn(e->in, SHAPE_LANES, 1);
        LLVMValueRef at = number(e, 32, (uint64_t)(lane % e->width));
        for (int d = 0; d < e->in->vec && r->on >> lane & 1; d++)
            store_as(e, LLVMBuildExtractElement(e->b, memory_stored_part(e, d, lane / e->width), at, ""), r, lane, (unsigned)d);
    }
}

static bool storable(struct emit *e)
{
    const struct ir_inst *in = e->in;
    for (int i = 1; i < in->nsrc; i++) {
        if (in->src[i].kind == IR_SRC_SREG)
            return false;
        if (in->src[i].kind != IR_SRC_REG)
            continue;
        enum ptx_type rt = e->k->reg_type[in->src[i].reg];
        if (rt == PTX_PRED || bits_of_type(rt) > 64 || bits_of_type(rt) < bits_of_type(in->type))
            return false;
    }
    return in->nsrc == in->vec + 1;
}

/* --- stores that fill what lies between each other's lanes --- */

/* It may stand between two of them: it neither goes anywhere nor looks at memory. */
static bool passes_by(const struct emit *e, const struct ir_inst *in)
{
    int64_t lo[SHAPE_GROUPS], hi[SHAPE_GROUPS];
    if (in->op == IR_OP_STATE)
        return true;
    return facts_pure(in) && !facts_carry(in) && in->op < PTX_OP_COUNT && !ir_is_memory(in) && in->guard == IR_NOREG &&
           shape_guarded_source(e->k, e->s, e->job->dim, in, lo, hi) < 0;
}

static bool is_beside(const struct emit *e, const struct ir_inst *in, int apart)
{
    int64_t by = in->offset - e->in->offset, bytes = element_bytes(e->in);
    return in->op == PTX_OP_ST && in->guard == IR_NOREG && in->space == e->in->space && in->vec == 1 && in->mods->order == PTX_WEAK &&
           same_base(e->in, in) && element_bytes(in) == bytes && by % bytes == 0 && by > -apart * bytes && by < apart * bytes;
}

/* How many elements lie between a lane's and the next one's, those with it; 0: it is not the same everywhere, or too many. */
static int elements_apart(const struct emit *e, const struct reach *r)
{
    int64_t step = r->rel[1] - r->rel[0];
    bool same = step % r->bytes == 0 && step >= 2 * r->bytes && step <= MOST_APART * (int64_t)r->bytes;
    for (int p = 0; p < e->parts && same; p++)
        same = stepped_run(r, p * e->width, e->width, step);
    return same ? (int)(step / r->bytes) : 0;
}

/* This store is the first of those that fill what lies between its lanes. */
static void find_beside(struct emit *e, const struct reach *r)
{
    struct beside *of = &e->beside;
    const struct ir_block *b = &e->k->blocks[e->in->block];
    int apart = e->in->vec == 1 && e->in->mods->order == PTX_WEAK && e->in->src[0].kind == IR_SRC_REG ? elements_apart(e, r) : 0, n = 0;
    int64_t least = e->in->offset;
    of->n = 0;
    of->begin = e->site;
    for (int32_t i = e->site; i < b->first + b->count && apart && n < apart; i++) {
        const struct ir_inst *in = &e->k->insts[i];
        if (is_beside(e, in, apart))
            of->site[n++] = of->last = i;
        else if (!passes_by(e, in) || ir_defines(in, e->in->src[0].reg))
            return;
        least = in->op == PTX_OP_ST && in->offset < least ? in->offset : least;
    }
    if (!apart || n < apart)
        return;
    int32_t found[MOST_APART];
    memcpy(found, of->site, sizeof found);
    memset(of->site, 0xff, sizeof of->site);
    for (int k = 0; k < n; k++) {
        int64_t at = (e->k->insts[found[k]].offset - least) / r->bytes;
        if (at >= n || of->site[at] >= 0)
            return;
        of->site[at] = found[k];
    }
    of->n = n;
}

/* Once this store may be done, so may the others. */
static bool all_covered(const struct emit *e, const struct reach *r)
{
    bool all = true;
    for (int k = 0; k < e->beside.n; k++)
        for (int g = 0; g < 1 << r->halved; g++) {
            struct stretch other = r->of[g];
            other.lowest += e->k->insts[e->beside.site[k]].offset - e->in->offset;
            all = all && covered(e, &other, r->bytes);
        }
    return all;
}

static LLVMValueRef mixed(struct emit *e, LLVMValueRef a, LLVMValueRef b, const int *of)
{
    LLVMValueRef index[64];
    for (int i = 0; i < e->width; i++)
        index[i] = of[i] < 0 ? LLVMGetPoison(e->i32) : number(e, 32, (uint64_t)of[i]);
    return LLVMBuildShuffleVector(e->b, a, b, LLVMConstVector(index, (unsigned)e->width), "");
}

/* The nth vector of what the lanes of `v` are in memory: a.x b.x c.x .. and a.y b.y c.y .. become a.x a.y b.x b.y .. */
static LLVMValueRef in_memory_order(struct emit *e, LLVMValueRef *v, int n, int nth)
{
    int low[64], high[64], both[64];
    for (int i = 0; i < e->width; i++) {
        int element = (nth * e->width + i) % n, lane = (nth * e->width + i) / n;
        low[i] = element < 2 ? element * e->width + lane : -1;
        high[i] = element < 2 ? -1 : (element - 2) * e->width + lane;
        both[i] = element < 2 ? i : e->width + (n == 3 ? lane : i);
    }
    LLVMValueRef first = mixed(e, v[0], v[1], low);
    return n == 2 ? first : mixed(e, first, n == 3 ? v[2] : mixed(e, v[2], v[3], high), both);
}

static void store_beside(struct emit *e, const struct reach *r)
{
    const struct beside *of = &e->beside;
    uint64_t back = (uint64_t)(e->k->insts[of->site[0]].offset - e->in->offset);
    for (int p = 0; p < e->parts; p++) {
        LLVMValueRef v[MOST_APART], to = pointer(e, pointer_of(e, r, p * e->width, 0), back);
        for (int k = 0; k < of->n; k++)
            v[k] = LLVMBuildBitCast(e->b, of->v[e->warp][k][p], vector_of(e, type_of_bits(e, (int)r->bytes * 8)), "");
        for (int nth = 0; nth < of->n; nth++) {
            LLVMValueRef at = pointer(e, to, (uint64_t)nth * (uint64_t)e->width * r->bytes);
            LLVMSetAlignment(LLVMBuildStore(e->b, in_memory_order(e, v, of->n, nth), at), r->bytes);
        }
    }
}

/* True: it is stored, or will be with the last of them. */
static bool stores_beside(struct emit *e, const struct reach *r)
{
    struct beside *of = &e->beside;
    if (e->mask || e->warp >= MOST_WARPS)
        return false;
    if (!of->n || e->site > of->last)
        find_beside(e, r);
    int own = 0;
    while (own < of->n && of->site[own] != e->site)
        own++;
    if (own == of->n)
        return false;
    if (e->site == of->begin)
        of->of_warp[e->warp] = all_covered(e, r);
    if (!of->of_warp[e->warp])
        return false;
    for (int p = 0; p < e->parts; p++)
        of->v[e->warp][own][p] = memory_stored_part(e, 0, p);
    if (e->site == of->last)
        store_beside(e, r);
    return true;
}

static void store_all(struct emit *e, const struct reach *r)
{
    if (stores_beside(e, r))
        return;
    if (r->on != (uint32_t)ALL) {
        store_few(e, r);
    } else if (uniform_run(r, 0, SHAPE_LANES)) {
        int stays = (SHAPE_LANES - 1) ^ memory_store_turn(e->in, SHAPE_LANES, 1);
        LLVMValueRef at = number(e, 32, (uint64_t)(stays % e->width));
        for (int d = 0; d < e->in->vec; d++)
            store_as(e, LLVMBuildExtractElement(e->b, memory_stored_part(e, d, stays / e->width), at, ""), r, 0, (unsigned)d);
    } else {
        for (int p = 0; p < e->parts; p++)
            store_part(e, r, p ^ memory_store_turn(e->in, SHAPE_LANES, e->width));
    }
}

static void generic_store(struct emit *e, struct reach *r)
{
    LLVMBasicBlockRef slow = new_block(e, "slow"), next = new_block(e, "stored");
    check_all(e, r, slow);
    count(e, r);
    store_all(e, r);
    LLVMBuildBr(e->b, next);
    LLVMPositionBuilderAtEnd(e->b, slow);
    slow_way(e);
    LLVMBuildBr(e->b, next);
    LLVMPositionBuilderAtEnd(e->b, next);
}

/* Of the host's memory, at one address, which may be accessed. */
static bool emit_host_access(struct emit *e)
{
    struct reach r = {.bytes = element_bytes(e->in), .on = (uint32_t)ALL};
    r.of[0].host = pointer(e, LLVMBuildIntToPtr(e->b, source(e, 0, PTX_U64, -1), e->ptr, ""), (uint64_t)e->in->offset);
    if (e->in->op == PTX_OP_ST)
        store_as(e, source(e, 1, (enum ptx_type)e->in->type, -1), &r, 0, 0);
    else
        load_all(e, &r);
    return true;
}

/* Every load of x86-64 is an acquire and every store a release, so that order is kept when the compiler keeps it. */
static bool in_order(struct emit *e, bool (*emit)(struct emit *e))
{
    LLVMBuildFence(e->b, LLVMAtomicOrderingSequentiallyConsistent, true, "");
    bool done = emit(e);
    LLVMBuildFence(e->b, LLVMAtomicOrderingSequentiallyConsistent, true, "");
    return done;
}

static bool emit_access(struct emit *e)
{
    const struct ir_inst *in = e->in;
    struct reach r;
    bool load = in->op == PTX_OP_LD || in->op == PTX_OP_LDU;
    if (in->op == PTX_OP_ATOM || in->op == PTX_OP_RED)
        return emit_atomic(e);
    if ((!load && in->op != PTX_OP_ST) || bits_of_type(in->type) > 64 || (load ? !loadable(e) : !storable(e)))
        return false;
    if (in->space == PTX_PARAM)
        return load && in->guard == IR_NOREG && emit_parameter(e);
    if (in->space == IR_HOST)
        return emit_host_access(e);
    if (e->job->counting && !e->job->tallies) /* the interpreter's leave records */
        return false;
    if (in->space == PTX_LOCAL || in->space == IR_SCRATCH || in->guard != IR_NOREG || !find_reach(e, &r) ||
        (e->mask && !load && r.on == (uint32_t)ALL && !maskable(e, &r)))
        return emit_gather(e);
    if (in->space == PTX_GENERIC || e->mask) {
        load ? generic_load(e, &r) : generic_store(e, &r);
        return true;
    }
    check_reach(e, &r);
    count(e, &r);
    load ? load_all(e, &r) : store_all(e, &r);
    return true;
}

void memory_check_ahead(struct emit *e)
{
    const struct ir_inst *in = e->in;
    struct reach r;
    bool plain = (in->op == PTX_OP_LD || in->op == PTX_OP_LDU || in->op == PTX_OP_ST) && bits_of_type(in->type) <= 64;
    if (plain && in->guard == IR_NOREG && (in->space == PTX_SHARED || in->space == PTX_GLOBAL || in->space == PTX_CONST) && find_reach(e, &r))
        check_reach(e, &r);
}

bool emit_memory(struct emit *e)
{
    return e->in->mods->order == PTX_WEAK ? emit_access(e) : in_order(e, emit_access);
}
