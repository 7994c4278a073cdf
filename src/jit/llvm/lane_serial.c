/* Lane-serial loops: regions that one lane goes through after the other, in scalar code.
 *
 * Which these are: serial_regions.c. There is no other code for their blocks in this form.
 *
 * Launches that count do the same with loops of blocks in a row (jit/chain.h): each lane leaves the addresses of its accesses,
 * turn by turn, and the model is asked when all have gone through, or have done TALLY_TURNS turns; those that have not left
 * by then are before the loop's head, and begin there anew. What they take along is put by until then: if one cannot go on,
 * nothing has been counted and all are handed over where they came in.
 *
 * Inside all registers are scalars of the lane: e->s and e->var are its own. What lanes bring and take along is in arrays of
 * 32. A lane that cannot go on, because of an address that is in no memory, or because the launch is to stop, goes back to
 * where it came in, and it and those behind it are handed over; those before it are at the join. */
#include "jit/llvm/emitter.h"

#include "base/alloc.h"
#include "interp/step.h"
#include "jit/chain.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { TURNS_BETWEEN_LOOKS = 4096, MOST_MISSES = 256 /* of a lane */ };

/* Behind it, and where lanes are handed over: for the whole warp (the first), and for lanes of regions around it. */
struct way {
    LLVMBasicBlockRef out, apart;
    struct way *next;
};

/* What is known of memory: a slot of frame.seen. */
struct lane_check {
    uint32_t slot;
    LLVMValueRef first, room;
    unsigned unit;  /* of accesses by an index, above one register; else 0 */
    int32_t base;
    int64_t offset;
    struct lane_check *next;
};

struct lane_serial {
    struct serial_region *of;
    struct region *r;      /* block, at, wait, apart, of all lanes */
    LLVMValueRef (*var)[MAX_PARTS]; /* [nregs] */
    LLVMValueRef *array;   /* [nregs]: of 32; of a predicate i32, bits */
    LLVMValueRef *later;   /* [nregs]: the same, what lanes take along until it is counted; `array` in launches that do not count */
    LLVMValueRef in, still, turn, rows; /* of these variables: lanes that began; those before the head again; the lane's turn;
                                           i64: where its addresses of this turn go */
    LLVMBasicBlockRef begin, known, miss, stop;
    LLVMValueRef missed[4]; /* a check that failed: slot, host's address, bytes, unit; in frame.lowest, so that no registers are
                               kept for them where checks do not fail */
    LLVMValueRef back, all, patience, again; /* variables, i32: number of the way; lanes that came; turns until the next look at
                                                whether to stop; how often a lane may begin anew */
    struct lane_check *checks;
    struct way *ways;
    int nways;
    struct lane_serial *next;
};

static void release_one(struct lane_serial *s)
{
    alloc_release(s->var);
    alloc_release(s->array);
    alloc_release(s->later);
    while (s->checks) {
        struct lane_check *l = s->checks;
        s->checks = l->next;
        alloc_release(l);
    }
    while (s->ways) {
        struct way *w = s->ways;
        s->ways = w->next;
        alloc_release(w);
    }
    alloc_release(s);
}

void lane_serial_release(struct emit *e)
{
    while (e->serials) {
        struct lane_serial *s = e->serials;
        e->serials = s->next;
        release_one(s);
    }
    serial_regions_release(e->serial_regions);
    e->serial_regions = NULL;
}

static struct lane_serial *lane_serial_with(const struct emit *e, int32_t block)
{
    for (struct lane_serial *s = e->serials; s && block >= 0; s = s->next)
        if (s->r->at[block] >= 0 && s->r->at[block] < s->r->n)
            return s;
    return NULL;
}

bool lane_serial_has(const struct emit *e, int32_t block)
{
    return lane_serial_with(e, block) != NULL;
}

static struct way *new_way(struct emit *e, struct lane_serial *s)
{
    struct way *w = alloc_zeroed(sizeof *w), **last = &s->ways;
    *w = (struct way){new_block(e, "through"), new_block(e, "apart"), NULL};
    while (*last)
        last = &(*last)->next;
    *last = w;
    s->nways++;
    return w;
}

static LLVMValueRef array_of(struct emit *e, LLVMTypeRef t, bool bits)
{
    LLVMValueRef v = LLVMBuildAlloca(e->b, bits ? e->i32 : LLVMArrayType2(t, SHAPE_LANES), "");
    LLVMSetAlignment(v, bits ? 4 : 64);
    return v;
}

/* Registers as a lane has them: variables of its own, but those that are the same for all and stay so. */
static void open_one(struct emit *e, struct lane_serial *s)
{
    LLVMBasicBlockRef here = LLVMGetInsertBlock(e->b);
    LLVMPositionBuilderBefore(e->b, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(e->fn)));
    for (int32_t reg = 0; reg < e->k->nregs; reg++) {
        bool alive = false, bits = e->k->reg_type[reg] == PTX_PRED;
        LLVMTypeRef t = type_of(e, e->k->reg_type[reg]);
        for (int nth = 0; nth < s->r->n; nth++)
            alive |= ir_bit(serial_region_block(e, s->r, nth)->live_in, reg) || ir_bit(serial_region_block(e, s->r, nth)->live_out, reg);
        if (shape_uniform(&e->s->reg[reg]) && !ir_bit(s->of->defined, reg))
            s->var[reg][0] = e->var[reg][0];
        else if (alive)
            s->var[reg][0] = LLVMBuildAlloca(e->b, t, "");
        if (!ir_bit(s->of->brought, reg) && !ir_bit(s->of->taken, reg))
            continue;
        s->later[reg] = s->array[reg] = array_of(e, t, bits);
        if (e->job->counting && ir_bit(s->of->defined, reg))
            s->later[reg] = array_of(e, t, bits);
    }
    LLVMPositionBuilderAtEnd(e->b, here);
    s->r->wait = alloc_zeroed(((size_t)s->r->n + 1) * sizeof *s->r->wait);
    for (int nth = 0; nth < s->r->n; nth++)
        s->r->wait[nth] = lanes_new(e);
    s->back = lanes_new(e);
    s->all = lanes_new(e);
    s->patience = lanes_new(e);
    s->again = lanes_new(e);
    s->in = lanes_new(e);
    s->still = lanes_new(e);
    s->turn = lanes_new(e);
    s->begin = new_block(e, "lane_serial");
    s->known = new_block(e, "known");
    s->miss = new_block(e, "miss");
    s->stop = new_block(e, "stop");
    new_way(e, s);
    s->next = e->serials;
    e->serials = s;
}

void lane_serial_find(struct emit *e)
{
    size_t regs = (size_t)e->k->nregs + 1;
    serial_regions_find(e);
    for (struct serial_region *of = e->serial_regions; of; of = of->next) {
        struct lane_serial *s = alloc_zeroed(sizeof *s);
        s->of = of;
        s->r = of->r;
        s->var = alloc_zeroed(regs * sizeof *s->var);
        s->array = alloc_zeroed(regs * sizeof *s->array);
        s->later = alloc_zeroed(regs * sizeof *s->later);
        open_one(e, s);
    }
}

/* --- into it --- */

static LLVMValueRef element(struct emit *e, LLVMValueRef array, int32_t reg, LLVMValueRef lane)
{
    LLVMValueRef i = LLVMBuildZExt(e->b, lane, e->i64, "");
    return LLVMBuildGEP2(e->b, type_of(e, e->k->reg_type[reg]), array, &i, 1, "");
}

static LLVMValueRef part_place(struct emit *e, LLVMValueRef array, int32_t reg, int p)
{
    return element(e, array, reg, number(e, 32, (uint64_t)(p * e->width)));
}

/* All lanes' value to the array. */
static void bring_all(struct emit *e, const struct lane_serial *s, int32_t reg)
{
    if (e->k->reg_type[reg] == PTX_PRED)
        LLVMBuildStore(e->b, reg_bits(e, reg), s->array[reg]);
    else
        for (int p = 0; p < e->parts; p++)
            LLVMBuildStore(e->b, reg_part(e, reg, p), part_place(e, s->array[reg], reg, p));
}

/* And back, as vectors, or bits. */
static struct value recalled(struct emit *e, const struct lane_serial *s, int32_t reg)
{
    struct value v = {0};
    LLVMTypeRef t = vector_of(e, type_of(e, e->k->reg_type[reg]));
    if (e->k->reg_type[reg] == PTX_PRED)
        v.bits = LLVMBuildLoad2(e->b, e->i32, s->array[reg], "");
    for (int p = 0; p < e->parts && !v.bits; p++)
        v.v[p] = LLVMBuildLoad2(e->b, t, part_place(e, s->array[reg], reg, p), "");
    return v;
}

/* What lanes took along to its variables. */
static void empty(struct emit *e, const struct lane_serial *s)
{
    for (int32_t reg = 0; reg < e->k->nregs; reg++) {
        if (!ir_bit(s->of->taken, reg))
            continue;
        struct value v = recalled(e, s, reg);
        for (int p = 0; p < var_parts(e, reg); p++)
            LLVMBuildStore(e->b, v.bits ? v.bits : v.v[p], e->var[reg][p]);
    }
}

/* Lanes wait at `block`, or (-1) at its entries that are `from`: what is alive there goes to the arrays, and what they take
 * along, of which other lanes keep what they have. */
static void go_in(struct emit *e, const struct lane_serial *s, int way, int32_t block, uint8_t from)
{
    regs_forget(e);
    for (int32_t reg = 0; reg < e->k->nregs; reg++) {
        bool wanted = ir_bit(s->of->taken, reg) && ir_bit(e->k->blocks[s->r->join].live_in, reg) && from == SERIAL_FROM_OUTSIDE;
        for (int nth = 0; nth < s->r->n; nth++)
            wanted |= (block < 0 ? (s->of->entry[nth] & from) != 0 : s->r->block[nth] == block) && ir_bit(serial_region_block(e, s->r, nth)->live_in, reg);
        if (wanted && s->array[reg])
            bring_all(e, s, reg);
    }
    regs_forget(e);
    LLVMBuildStore(e->b, number(e, 32, (uint64_t)way), s->back);
    LLVMBuildBr(e->b, s->begin);
}

static void clear_waits(struct emit *e, const struct lane_serial *s)
{
    for (int nth = 0; nth < s->r->n; nth++)
        LLVMBuildStore(e->b, number(e, 32, 0), s->r->wait[nth]);
}

bool lane_serial_branch(struct emit *e)
{
    const struct ir_inst *in = e->in;
    int32_t next = region_block_behind(e, in->block);
    struct lane_serial *s = lane_serial_with(e, in->target);
    s = s ? s : lane_serial_with(e, next);
    if (!s || next < 0 || s->r->at[in->target] < 0 || s->r->at[next] < 0)
        return false;
    LLVMValueRef lanes = flow_guard_bits(e);
    region_count_branch(e, lanes, number(e, 32, UINT32_MAX));
    regs_flush(e, e->k->blocks[in->block].live_out);
    clear_waits(e, s);
    region_add_lanes(e, s->r, in->target, lanes);
    region_add_lanes(e, s->r, next, LLVMBuildNot(e->b, lanes, ""));
    go_in(e, s, 0, -1, SERIAL_FROM_OUTSIDE);
    return true;
}

void lane_serial_begin(struct emit *e, int32_t block)
{
    struct lane_serial *s = lane_serial_with(e, block);
    clear_waits(e, s);
    region_add_lanes(e, s->r, block, number(e, 32, UINT32_MAX));
    go_in(e, s, 0, block, SERIAL_FROM_RESUME);
}

void lane_serial_pass(struct emit *e, const struct serial_region *of, const struct region *r)
{
    struct lane_serial *s = lane_serial_with(e, of->r->block[0]);
    LLVMValueRef left = number(e, 32, 0);
    struct way *w = new_way(e, s);
    for (int nth = 0; nth < s->r->n; nth++) {
        LLVMValueRef *wait = &r->wait[r->at[s->r->block[nth]]];
        LLVMBuildStore(e->b, LLVMBuildLoad2(e->b, e->i32, *wait, ""), s->r->wait[nth]);
        LLVMBuildStore(e->b, number(e, 32, 0), *wait);
    }
    go_in(e, s, s->nways - 1, -1, SERIAL_FROM_OUTSIDE);
    LLVMPositionBuilderAtEnd(e->b, w->apart);
    empty(e, s);
    for (int nth = 0; nth < s->r->n; nth++) {
        region_add_lanes(e, r, s->r->block[nth], region_lanes_at(e, s->r, nth));
        left = LLVMBuildOr(e->b, left, region_lanes_at(e, s->r, nth), "");
    }
    LLVMValueRef all = LLVMBuildLoad2(e->b, e->i32, s->all, "");
    region_add_lanes(e, r, s->r->join, LLVMBuildAnd(e->b, all, LLVMBuildNot(e->b, left, ""), ""));
    LLVMBuildBr(e->b, r->apart);
    LLVMPositionBuilderAtEnd(e->b, w->out);
    empty(e, s);
    region_add_lanes(e, r, s->r->join, LLVMBuildLoad2(e->b, e->i32, s->all, ""));
}

/* --- its code --- */

static void bring(struct emit *e, const struct lane_serial *s, LLVMValueRef lane)
{
    for (int32_t reg = 0; reg < e->k->nregs; reg++) {
        if (!ir_bit(s->of->brought, reg) || !s->var[reg][0])
            continue;
        LLVMTypeRef t = type_of(e, e->k->reg_type[reg]);
        LLVMValueRef v;
        if (e->k->reg_type[reg] == PTX_PRED)
            v = LLVMBuildTrunc(e->b, LLVMBuildLShr(e->b, LLVMBuildLoad2(e->b, e->i32, s->array[reg], ""), lane, ""), e->i1, "");
        else
            v = LLVMBuildLoad2(e->b, t, element(e, s->array[reg], reg, lane), "");
        LLVMBuildStore(e->b, v, s->var[reg][0]);
    }
}

/* The lane's registers of the set to `later`. */
static void take(struct emit *e, const struct lane_serial *s, const uint64_t *regs, LLVMValueRef lane)
{
    for (int32_t reg = 0; reg < e->k->nregs; reg++) {
        if (!ir_bit(regs, reg) || !ir_bit(s->of->defined, reg) || !s->var[reg][0])
            continue;
        LLVMValueRef v = LLVMBuildLoad2(e->b, type_of(e, e->k->reg_type[reg]), s->var[reg][0], ""), later = s->later[reg];
        if (e->k->reg_type[reg] != PTX_PRED) {
            LLVMBuildStore(e->b, v, element(e, later, reg, lane));
            continue;
        }
        LLVMValueRef one = LLVMBuildShl(e->b, number(e, 32, 1), lane, ""), old = LLVMBuildLoad2(e->b, e->i32, later, "");
        v = LLVMBuildShl(e->b, LLVMBuildZExt(e->b, v, e->i32, ""), lane, "");
        LLVMBuildStore(e->b, LLVMBuildOr(e->b, LLVMBuildAnd(e->b, old, LLVMBuildNot(e->b, one, ""), ""), v, ""), later);
    }
}

/* --- launches that count --- */

/* All lanes' registers that it writes from the one set of arrays to the other. */
static void copy_all(struct emit *e, const struct lane_serial *s, LLVMValueRef *to, LLVMValueRef *from)
{
    for (int32_t reg = 0; reg < e->k->nregs; reg++) {
        LLVMTypeRef t = vector_of(e, type_of(e, e->k->reg_type[reg]));
        bool bits = e->k->reg_type[reg] == PTX_PRED;
        if (!s->array[reg] || s->later[reg] == s->array[reg])
            continue;
        if (bits)
            LLVMBuildStore(e->b, LLVMBuildLoad2(e->b, e->i32, from[reg], ""), to[reg]);
        for (int p = 0; p < e->parts && !bits; p++)
            LLVMBuildStore(e->b, LLVMBuildLoad2(e->b, t, part_place(e, from[reg], reg, p), ""), part_place(e, to[reg], reg, p));
    }
}

static LLVMValueRef turns_field(struct emit *e, size_t offset, LLVMValueRef lane, size_t bytes)
{
    LLVMValueRef at = LLVMBuildMul(e->b, LLVMBuildZExt(e->b, lane, e->i64, ""), number(e, 64, bytes), "");
    at = LLVMBuildAdd(e->b, at, number(e, 64, offset), "");
    return at_byte(e, frame_field(e, offsetof(struct jit_frame, tally_turns), e->ptr), at);
}

/* The lane has done so many whole turns, and `last` blocks of another one. */
static void note_turns(struct emit *e, LLVMValueRef lane, LLVMValueRef full, int last)
{
    LLVMBuildStore(e->b, full, turns_field(e, offsetof(struct tally_turns, full), lane, 4));
    LLVMBuildStore(e->b, number(e, 32, (uint64_t)last), turns_field(e, offsetof(struct tally_turns, last), lane, 4));
}

/* Where its address in the lane's first turn goes, and behind that those of others. */
static LLVMValueRef row_of(struct emit *e, const struct lane_serial *s, int nth)
{
    return at_byte(e, s->rows, number(e, 64, (uint64_t)nth * TALLY_TURNS * sizeof(struct tally_access)));
}

/* Addresses that are known of all turns when the lane begins. */
static void note_strided(struct emit *e, const struct lane_serial *s)
{
    for (int i = 0; i < s->of->chain.nloads; i++) {
        const struct chain_load *l = &s->of->chain.load[i];
        const struct ir_inst *in = &e->k->insts[l->site];
        if (!l->strided)
            continue;
        LLVMValueRef at = LLVMBuildLoad2(e->b, e->i64, s->var[in->src[0].reg][0], "");
        LLVMBuildStore(e->b, LLVMBuildAdd(e->b, at, number(e, 64, (uint64_t)(l->ahead + in->offset)), ""), row_of(e, s, i));
    }
}

void lane_serial_count(struct emit *e, LLVMValueRef address)
{
    const struct lane_serial *s = e->serial;
    int nth = chain_load(&s->of->chain, e->site);
    if (s->of->chain.load[nth].strided)
        return;
    LLVMValueRef turn = LLVMBuildZExt(e->b, LLVMBuildLoad2(e->b, e->i32, s->turn, ""), e->i64, "");
    LLVMValueRef at = LLVMBuildMul(e->b, turn, number(e, 64, sizeof(struct tally_access)), "");
    LLVMBuildStore(e->b, address, at_byte(e, row_of(e, s, nth), at));
}

void lane_serial_leave(struct emit *e, enum jit_stop why)
{
    (void)why; /* whatever it is, the interpreter finds it */
    frame_set(e, offsetof(struct jit_frame, why), number(e, 32, JIT_GIVE_UP));
    LLVMBuildBr(e->b, e->serial->stop);
}

/* --- bounds checks --- */

/* What is known of memory is read when the first lane begins, and again when more is known: lanes do not change it. */
static struct lane_check *new_check(struct emit *e, struct lane_serial *s)
{
    LLVMBasicBlockRef here = LLVMGetInsertBlock(e->b);
    struct lane_check *l = alloc_zeroed(sizeof *l);
    LLVMPositionBuilderBefore(e->b, LLVMGetBasicBlockTerminator(s->known));
    l->slot = e->check_slots++;
    l->first = memory_seen_field(e, l->slot, 0);
    l->room = memory_seen_field(e, l->slot, 1);
    l->next = s->checks;
    LLVMPositionBuilderAtEnd(e->b, here);
    return s->checks = l;
}

/* Goes on if `ok`; else looks for memory and takes the lane from its begin. */
static void go_on_or_miss(struct emit *e, const struct lane_check *l, LLVMValueRef ok, LLVMValueRef host, uint64_t span, unsigned unit)
{
    LLVMBasicBlockRef on = new_block(e, "seen"), lost = new_block(e, "lost");
    const struct lane_serial *s = e->serial;
    LLVMValueRef args[4] = {number(e, 32, l->slot), host, number(e, 32, span), number(e, 32, unit)};
    likely(e, LLVMBuildCondBr(e->b, ok, on, lost), true);
    LLVMPositionBuilderAtEnd(e->b, lost);
    for (int i = 0; i < 4; i++)
        frame_set(e, offsetof(struct jit_frame, lowest) + 8 * (size_t)i, args[i]);
    LLVMBuildBr(e->b, s->miss);
    LLVMPositionBuilderAtEnd(e->b, on);
}

bool lane_serial_check(struct emit *e, LLVMValueRef host, uint64_t span, unsigned unit, uint32_t slots)
{
    if (e->check_slots >= slots)
        return false;
    const struct lane_check *l = new_check(e, e->serial);
    LLVMValueRef first = LLVMBuildAdd(e->b, l->first, number(e, 64, SPACE_DELTA), "");
    LLVMValueRef at = memory_rotated(e, LLVMBuildSub(e->b, host, first, ""), unit);
    go_on_or_miss(e, l, LLVMBuildICmp(e->b, LLVMIntULT, at, l->room, ""), host, span, unit);
    return true;
}

/* The range of memory has as many indices as `room`, from (first - base) / unit on. */
LLVMValueRef lane_serial_indexed(struct emit *e, unsigned unit, uint32_t slots)
{
    LLVMBuilderRef B = e->b;
    struct lane_serial *s = e->serial;
    struct indexed x;
    struct lane_check *l = s->checks;
    if (e->in->space != PTX_GLOBAL || !bounds_check_find_index(e, &x) || x.scale != unit || !serial_region_keeps(e, s->of, x.base))
        return NULL;
    while (l && (!l->unit || l->base != x.base || l->offset != e->in->offset || l->unit != unit))
        l = l->next;
    if (!l && e->check_slots >= slots)
        return NULL;
    if (!l) {
        l = new_check(e, s);
        l->base = x.base;
        l->offset = e->in->offset;
        l->unit = unit;
    }
    LLVMValueRef index = LLVMBuildCast(B, x.sign ? LLVMSExt : LLVMZExt, reg_get(e, x.index).v[0], e->i64, "");
    LLVMValueRef base = LLVMBuildAdd(B, reg_get(e, x.base).v[0], number(e, 64, (uint64_t)l->offset), "");
    LLVMValueRef least = LLVMBuildAShr(B, LLVMBuildSub(B, l->first, base, ""), number(e, 64, (uint64_t)__builtin_ctz(unit)), "");
    LLVMValueRef at = LLVMBuildSub(B, index, least, "");
    LLVMValueRef first = LLVMBuildAdd(B, l->first, number(e, 64, SPACE_DELTA), "");
    LLVMValueRef host = LLVMBuildAdd(B, first, LLVMBuildMul(B, at, number(e, 64, unit), ""), "");
    go_on_or_miss(e, l, LLVMBuildICmp(B, LLVMIntULT, at, l->room, ""), host, unit, unit);
    return LLVMBuildGEP2(B, type_of_bits(e, (int)unit * 8), LLVMBuildIntToPtr(B, first, e->ptr, ""), &at, 1, "");
}

/* Back to an earlier block. */
static LLVMBasicBlockRef turn(struct emit *e, const struct lane_serial *s, LLVMBasicBlockRef to)
{
    LLVMBasicBlockRef here = LLVMGetInsertBlock(e->b), back = new_block(e, "back"), look = new_block(e, "look"), stop = new_block(e, "stop");
    LLVMPositionBuilderAtEnd(e->b, back);
    LLVMValueRef left = LLVMBuildSub(e->b, LLVMBuildLoad2(e->b, e->i32, s->patience, ""), number(e, 32, 1), "");
    LLVMBuildStore(e->b, left, s->patience);
    likely(e, LLVMBuildCondBr(e->b, lanes_any(e, left), to, look), true);
    LLVMPositionBuilderAtEnd(e->b, look);
    LLVMBuildStore(e->b, number(e, 32, TURNS_BETWEEN_LOOKS), s->patience);
    LLVMBuildCondBr(e->b, lanes_any(e, op_ask(e, offsetof(struct jit_ops, long_turns), number(e, 32, 1))), stop, to);
    LLVMPositionBuilderAtEnd(e->b, stop);
    frame_set(e, offsetof(struct jit_frame, why), number(e, 32, JIT_TURN));
    LLVMBuildBr(e->b, s->stop);
    LLVMPositionBuilderAtEnd(e->b, here);
    return back;
}

struct code {
    const struct lane_serial *s;
    LLVMBasicBlockRef *body, end, suspended;
    LLVMValueRef lane;
};

/* The same in launches that count: after the last turn that there is room for the lane waits before the head. */
static LLVMBasicBlockRef counted_turn(struct emit *e, const struct code *c)
{
    LLVMBasicBlockRef here = LLVMGetInsertBlock(e->b), back = new_block(e, "back");
    LLVMPositionBuilderAtEnd(e->b, back);
    LLVMValueRef turn = LLVMBuildAdd(e->b, LLVMBuildLoad2(e->b, e->i32, c->s->turn, ""), number(e, 32, 1), "");
    LLVMBuildStore(e->b, turn, c->s->turn);
    likely(e, LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntEQ, turn, number(e, 32, TALLY_TURNS), ""), c->suspended, c->body[0]), false);
    LLVMPositionBuilderAtEnd(e->b, here);
    return back;
}

/* Out of the loop behind its n-th block. */
static LLVMBasicBlockRef counted_end(struct emit *e, const struct code *c, int nth)
{
    LLVMBasicBlockRef here = LLVMGetInsertBlock(e->b), out = new_block(e, "left");
    LLVMPositionBuilderAtEnd(e->b, out);
    note_turns(e, c->lane, LLVMBuildLoad2(e->b, e->i32, c->s->turn, ""), nth + 1);
    LLVMBuildBr(e->b, c->end);
    LLVMPositionBuilderAtEnd(e->b, here);
    return out;
}

static LLVMBasicBlockRef way_to(struct emit *e, const struct code *c, int nth, int32_t block)
{
    int at = c->s->r->at[block];
    if (e->job->counting && at <= nth)
        return counted_turn(e, c);
    if (e->job->counting && at == c->s->r->n)
        return counted_end(e, c, nth);
    return at == c->s->r->n ? c->end : at <= nth ? turn(e, c->s, c->body[at]) : c->body[at];
}

static void do_block(struct emit *e, const struct code *c, int nth)
{
    const struct ir_block *b = serial_region_block(e, c->s->r, nth);
    int32_t block = c->s->r->block[nth];
    struct ends d = region_ends_of(e, block);
    LLVMValueRef cond = NULL;
    LLVMPositionBuilderAtEnd(e->b, c->body[nth]);
    emit_find_live(e, b);
    regs_forget(e);
    for (int32_t i = b->first; i < b->first + b->count; i++) {
        e->site = i;
        e->in = &e->k->insts[i];
        lines_at(e, i);
        if (e->in->op != PTX_OP_BRA)
            emit_inst(e);
        else if (e->in->guard != IR_NOREG)
            cond = reg_get(e, e->in->guard).v[0];
    }
    bool negated = cond && e->in->guard_negated;
    regs_flush(e, b->live_out);
    if (!cond) {
        LLVMBuildBr(e->b, way_to(e, c, nth, d.target >= 0 ? d.target : d.next));
    } else {
        LLVMBasicBlockRef yes = way_to(e, c, nth, d.target), no = way_to(e, c, nth, d.next);
        LLVMBuildCondBr(e->b, cond, negated ? no : yes, negated ? yes : no);
    }
    regs_forget(e);
}

/* To where the lane waits. */
static void start(struct emit *e, const struct code *c, LLVMValueRef lane)
{
    LLVMValueRef bit = LLVMBuildShl(e->b, number(e, 32, 1), lane, "");
    int last = -1;
    for (int nth = 0; nth < c->s->r->n; nth++) {
        if (!c->s->of->entry[nth])
            continue;
        if (last >= 0) {
            LLVMBasicBlockRef other = new_block(e, "other");
            LLVMValueRef waits = LLVMBuildAnd(e->b, region_lanes_at(e, c->s->r, last), bit, "");
            LLVMBuildCondBr(e->b, lanes_any(e, waits), c->body[last], other);
            LLVMPositionBuilderAtEnd(e->b, other);
        }
        last = nth;
    }
    LLVMBuildBr(e->b, c->body[last]);
}

/* On by the way that the lanes came. */
static void go_out(struct emit *e, const struct lane_serial *s, bool apart)
{
    LLVMValueRef back = LLVMBuildLoad2(e->b, e->i32, s->back, "");
    const struct way *w = s->ways;
    LLVMValueRef to = LLVMBuildSwitch(e->b, back, apart ? w->apart : w->out, (unsigned)s->nways);
    for (int i = 1; (w = w->next); i++)
        LLVMAddCase(to, number(e, 32, (uint64_t)i), apart ? w->apart : w->out);
}

/* Where checks fail: the lane, the first of `left`, begins anew, when memory was found. */
static void open_miss(struct emit *e, struct lane_serial *s, LLVMValueRef left, LLVMValueRef rest_of)
{
    LLVMTypeRef types[4] = {e->i32, e->i64, e->i32, e->i32};
    LLVMBasicBlockRef some = new_block(e, "some"), found = new_block(e, "found"), no = new_block(e, "no");
    LLVMPositionBuilderAtEnd(e->b, s->miss);
    for (int i = 0; i < 4; i++)
        s->missed[i] = frame_field(e, offsetof(struct jit_frame, lowest) + 8 * (size_t)i, types[i]);
    LLVMValueRef again = LLVMBuildSub(e->b, LLVMBuildLoad2(e->b, e->i32, s->again, ""), number(e, 32, 1), "");
    LLVMBuildStore(e->b, again, s->again);
    LLVMBuildCondBr(e->b, lanes_any(e, again), some, no);
    LLVMPositionBuilderAtEnd(e->b, some);
    LLVMBuildCondBr(e->b, memory_ask_check(e, s->missed[0], s->missed[1], s->missed[2], s->missed[3]), found, no);
    LLVMPositionBuilderAtEnd(e->b, found);
    LLVMAddIncoming(rest_of, &left, &found, 1);
    LLVMBuildBr(e->b, s->known);
    LLVMPositionBuilderAtEnd(e->b, no);
    lane_serial_leave(e, JIT_LEAVE);
}

/* The lane waits before the loop's head. */
static void suspend(struct emit *e, const struct code *c, LLVMBasicBlockRef next)
{
    const struct lane_serial *s = c->s;
    LLVMPositionBuilderAtEnd(e->b, c->suspended);
    note_turns(e, c->lane, number(e, 32, TALLY_TURNS), 0);
    take(e, s, s->of->brought, c->lane);
    LLVMValueRef one = LLVMBuildShl(e->b, number(e, 32, 1), c->lane, "");
    LLVMBuildStore(e->b, LLVMBuildOr(e->b, LLVMBuildLoad2(e->b, e->i32, s->still, ""), one, ""), s->still);
    LLVMBuildBr(e->b, next);
}

/* What all have done is counted and theirs; those before the head begin anew, or are handed over if the launch is to stop. Goes
 * on when there are none. */
static void count_all(struct emit *e, struct lane_serial *s, LLVMValueRef rest_of)
{
    LLVMBasicBlockRef some = new_block(e, "some"), again = new_block(e, "again"), none = new_block(e, "none");
    LLVMValueRef in = LLVMBuildLoad2(e->b, e->i32, s->in, ""), still = LLVMBuildLoad2(e->b, e->i32, s->still, "");
    e->site = e->k->blocks[s->r->block[0]].first;
    LLVMValueRef stop = op_ask(e, offsetof(struct jit_ops, count_turns), in);
    copy_all(e, s, s->array, s->later);
    LLVMBuildStore(e->b, still, s->r->wait[0]);
    LLVMBuildStore(e->b, still, s->in);
    LLVMBuildStore(e->b, number(e, 32, 0), s->still);
    LLVMBuildCondBr(e->b, lanes_any(e, still), some, none);
    LLVMPositionBuilderAtEnd(e->b, some);
    frame_set(e, offsetof(struct jit_frame, why), number(e, 32, JIT_TURN));
    LLVMBuildCondBr(e->b, lanes_any(e, stop), s->stop, again);
    LLVMPositionBuilderAtEnd(e->b, again);
    LLVMAddIncoming(rest_of, &still, &again, 1);
    LLVMBuildBr(e->b, s->known);
    LLVMPositionBuilderAtEnd(e->b, none);
}

static void emit_one(struct emit *e, struct lane_serial *s)
{
    struct code c = {s, alloc_zeroed(((size_t)s->r->n + 1) * sizeof *c.body), new_block(e, "end"), NULL, NULL};
    LLVMBasicBlockRef next = new_block(e, "lane"), rest_next = new_block(e, "rest"), out = new_block(e, "out");
    LLVMValueRef all = number(e, 32, 0);
    for (int nth = 0; nth < s->r->n; nth++)
        c.body[nth] = new_block(e, "alone");
    LLVMPositionBuilderAtEnd(e->b, s->begin);
    regs_forget(e);
    for (int nth = 0; nth < s->r->n; nth++)
        all = LLVMBuildOr(e->b, all, region_lanes_at(e, s->r, nth), "");
    LLVMBuildStore(e->b, all, s->all);
    LLVMBuildStore(e->b, number(e, 32, TURNS_BETWEEN_LOOKS), s->patience);
    LLVMBuildStore(e->b, number(e, 32, MOST_MISSES), s->again);
    LLVMBuildStore(e->b, all, s->in);
    LLVMBuildStore(e->b, number(e, 32, 0), s->still);
    if (e->job->counting)
        copy_all(e, s, s->later, s->array);
    LLVMBuildCondBr(e->b, lanes_any(e, all), s->known, out);
    LLVMPositionBuilderAtEnd(e->b, s->known);
    LLVMValueRef rest_of = LLVMBuildPhi(e->b, e->i32, "");
    LLVMAddIncoming(rest_of, &all, &s->begin, 1);
    LLVMBuildBr(e->b, next);

    LLVMPositionBuilderAtEnd(e->b, next);
    LLVMValueRef left = LLVMBuildPhi(e->b, e->i32, ""), lane = first_lane(e, left);
    LLVMAddIncoming(left, &rest_of, &s->known, 1);
    bring(e, s, lane);
    if (e->job->counting) {
        c.lane = lane;
        c.suspended = new_block(e, "suspended");
        LLVMBuildStore(e->b, number(e, 32, 0), s->turn);
        s->rows = turns_field(e, offsetof(struct tally_turns, row), lane, sizeof(uint64_t));
        note_strided(e, s);
    }
    start(e, &c, lane);
    struct shapes *shapes = e->s;
    LLVMValueRef (*var)[MAX_PARTS] = e->var;
    e->s = &s->of->shapes;
    e->var = s->var;
    e->serial = s;
    open_miss(e, s, left, rest_of);
    for (int nth = 0; nth < s->r->n; nth++)
        do_block(e, &c, nth);
    e->s = shapes;
    e->var = var;
    e->serial = NULL;

    LLVMPositionBuilderAtEnd(e->b, c.end);
    take(e, s, s->of->taken, lane);
    LLVMBuildBr(e->b, rest_next);
    if (e->job->counting)
        suspend(e, &c, rest_next);
    LLVMPositionBuilderAtEnd(e->b, rest_next);
    LLVMBuildStore(e->b, number(e, 32, MOST_MISSES), s->again);
    LLVMValueRef rest = LLVMBuildAnd(e->b, left, LLVMBuildSub(e->b, left, number(e, 32, 1), ""), "");
    LLVMAddIncoming(left, &rest, &rest_next, 1);
    LLVMBuildCondBr(e->b, lanes_any(e, rest), next, out);
    LLVMPositionBuilderAtEnd(e->b, out);
    if (e->job->counting)
        count_all(e, s, rest_of);
    go_out(e, s, false);

    LLVMPositionBuilderAtEnd(e->b, s->stop);
    LLVMValueRef handed = e->job->counting ? LLVMBuildLoad2(e->b, e->i32, s->in, "") : left;
    for (int nth = 0; nth < s->r->n; nth++)
        LLVMBuildStore(e->b, LLVMBuildAnd(e->b, region_lanes_at(e, s->r, nth), handed, ""), s->r->wait[nth]);
    go_out(e, s, true);

    LLVMPositionBuilderAtEnd(e->b, s->ways->out);
    regs_forget(e);
    empty(e, s);
    region_join(e, s->r);
    LLVMPositionBuilderAtEnd(e->b, s->ways->apart);
    for (int32_t reg = 0; reg < e->k->nregs; reg++)
        if (s->array[reg]) { /* each lane's own */
            s->of->shapes.reg[reg] = (struct shape){.kind = SHAPE_VARYING};
            reg_set(e, reg, recalled(e, s, reg));
        }
    e->s = &s->of->shapes;
    region_hand_over(e, s->r);
    e->s = shapes;
    alloc_release(c.body);
}

void lane_serial_emit(struct emit *e)
{
    for (struct lane_serial *s = e->serials; s; s = s->next)
        emit_one(e, s);
}
