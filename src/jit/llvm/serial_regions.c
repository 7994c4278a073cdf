/* Lane-serial loops: which regions are done so.
 *
 * Where most of what a loop does is to load from memory, each lane from another place, and lanes leave it at different turns,
 * vectors bring nothing: the loads are done lane by lane anyway, lanes that have left cost what the others do, and the host
 * sees as many streams of memory as there are lanes. A lane that goes through all of the loop by itself is what a C
 * programmer writes: the row of a sparse matrix.
 *
 * A region (region_blocks.c) is done so if it only reads memory; if its loops load at addresses without a shape at every fourth
 * instruction or more; if what was loaded decides neither how often they turn nor where a later turn loads (a list, which
 * vectors follow for all lanes at a time), and is no pointer. Then nobody can tell the order of the lanes, and no loop waits
 * for others. There is no other code for its blocks: the whole warp, and regions around it, go through it as well.
 *
 * Launches that count do the same with loops of blocks in a row (jit/chain.h). */
#include "jit/llvm/emitter.h"

#include "base/alloc.h"
#include "interp/step.h"

#include <stdlib.h>
#include <string.h>

enum { LOADS_OF = 4, NEIGHBOURS_FROM = 8 };

bool serial_region_loads(const struct ir_inst *in)
{
    return (in->op == PTX_OP_LD || in->op == PTX_OP_LDU) && in->space != PTX_PARAM;
}

static bool can_load(const struct emit *e, const struct ir_inst *in)
{
    bool space = in->space == PTX_GLOBAL || in->space == PTX_SHARED || in->space == PTX_CONST;
    if (in->guard != IR_NOREG || in->mods->order != PTX_WEAK || bits_of_type(in->type) > 64)
        return false;
    if (in->space == PTX_PARAM)
        return in->src[0].kind == IR_SRC_IMM;
    for (int d = 0; d < in->ndst; d++) {
        enum ptx_type t = in->dst[d] == IR_NOREG ? in->type : e->k->reg_type[in->dst[d]];
        if (t == PTX_PRED || bits_of_type(t) < bits_of_type(in->type) ||
            (type_is_float(t) && bits_of_type(t) != bits_of_type(in->type)))
            return false;
    }
    return space && in->src[0].kind == IR_SRC_REG;
}

/* It has scalar code and is nobody else's business. */
static bool can_do(const struct emit *e, int32_t site)
{
    const struct ir_inst *in = &e->k->insts[site];
    const struct step *st = &e->job->code->step[site];
    for (int i = 0; i < in->nsrc; i++)
        if (in->src[i].kind == IR_SRC_SREG)
            return false;
    if (st->kind == STEP_NOP || (st->kind == STEP_COUNTED && !e->job->runs) || (st->kind == STEP_BRANCH && in->op == PTX_OP_BRA))
        return true;
    if (st->kind == STEP_LOAD)
        return (in->op == PTX_OP_LD || in->op == PTX_OP_LDU) && can_load(e, in);
    if (st->kind == STEP_CVTA)
        return bits_of_type(in->type) == 64;
    if (st->kind != STEP_LANES || in->op >= PTX_OP_COUNT || in->mods->cc)
        return false;
    switch (in->op) {
    case PTX_OP_ADDC:
    case PTX_OP_SUBC:
    case PTX_OP_MADC_LO:
    case PTX_OP_MADC_HI: return false;
    default: break;
    }
    switch (ptx_op_info[in->op].class) {
    case PTX_CLASS_INT:
    case PTX_CLASS_LOGIC:
    case PTX_CLASS_CMP:
    case PTX_CLASS_FCMP:
    case PTX_CLASS_MOVE:
    case PTX_CLASS_FMOV:
    case PTX_CLASS_CONVERT:
    case PTX_CLASS_FADD:
    case PTX_CLASS_FMUL:
    case PTX_CLASS_FFMA: return true;
    default: return false;
    }
}

static void add_results(const struct ir_inst *in, uint64_t *regs)
{
    for (int d = 0; d < in->ndst; d++)
        if (in->dst[d] != IR_NOREG)
            ir_bit_set(regs, in->dst[d]);
}

enum loads { NO_LOADS, ALL_LOADS, POINTERS /* as far as they are not multiplied */ };

/* Adds what loops' instructions make of `regs`, and of what such loads bring. False: a load's address is made of them. */
static bool follow(const struct emit *e, const struct region *r, uint64_t *regs, enum loads loads)
{
    bool ok = true;
    for (int round = 0; round <= r->n; round++) /* what is further round about is found by as many */
        for (int nth = 0; nth < r->n; nth++)
            for (int32_t i = 0; region_loops(r, nth) && i < serial_region_block(e, r, nth)->count; i++) {
                const struct ir_inst *in = &e->k->insts[serial_region_block(e, r, nth)->first + i];
                bool reads = ir_reads(in, regs);
                ok &= !reads || !serial_region_loads(in);
                bool index = loads == POINTERS && (ir_is(in, PTX_KIND_SHL) || ir_is(in, PTX_KIND_MUL));
                if ((reads && !index) || (loads && serial_region_loads(in) && (loads == ALL_LOADS || bits_of_type(in->type) == 64)))
                    add_results(in, regs);
            }
    return ok;
}

/* What loops load decides neither how often they turn nor where a later turn loads, and is no pointer: each load of a lane
 * goes to one range of memory. */
static bool turns_alone(const struct emit *e, const struct region *r)
{
    uint64_t *made = alloc_zeroed(e->words * 8), *later = alloc_zeroed(e->words * 8);
    bool ok = true;
    follow(e, r, made, ALL_LOADS);
    for (int nth = 0; nth < r->n; nth++) {
        const struct ir_block *b = serial_region_block(e, r, nth);
        const struct ir_inst *last = &e->k->insts[b->first + b->count - 1];
        if (region_loops(r, nth) && last->op == PTX_OP_BRA && last->guard != IR_NOREG)
            ok &= !ir_bit(made, last->guard);
        for (size_t w = 0; w < e->words && r->end[nth] >= 0; w++)
            later[w] |= made[w] & b->live_in[w];
    }
    ok = ok && follow(e, r, later, NO_LOADS);
    memset(made, 0, e->words * 8);
    ok = ok && follow(e, r, made, POINTERS);
    alloc_release(made);
    alloc_release(later);
    return ok;
}

/* A lane's loads through this register are so far apart from turn to turn that neighbours' lie between: of a pointer that goes up by a
 * row of the warp's threads. Vectors load these together. */
static bool is_neighbours(const struct emit *e, const struct region *r, int32_t address)
{
    uint64_t bytes = 0, step = 0;
    for (int nth = 0; nth < r->n; nth++)
        for (int32_t i = 0; region_loops(r, nth) && i < serial_region_block(e, r, nth)->count; i++) {
            const struct ir_inst *in = &e->k->insts[serial_region_block(e, r, nth)->first + i];
            if (serial_region_loads(in) && in->src[0].reg == address)
                bytes += (uint64_t)in->vec * (unsigned)bits_of_type(in->type) / 8;
            if (ir_is(in, PTX_KIND_ADD) && in->dst[0] == address && in->src[0].kind == IR_SRC_REG && in->src[0].reg == address && in->src[1].kind == IR_SRC_IMM)
                step += (uint64_t)llabs(bits_of_type(in->type) == 64 ? (int64_t)in->src[1].imm : (int32_t)in->src[1].imm);
        }
    return step >= NEIGHBOURS_FROM * bytes;
}

static bool loads_enough(const struct emit *e, const struct region *r)
{
    int instructions = 0, loads = 0;
    for (int nth = 0; nth < r->n; nth++)
        for (int32_t i = 0; region_loops(r, nth) && i < serial_region_block(e, r, nth)->count; i++) {
            const struct ir_inst *in = &e->k->insts[serial_region_block(e, r, nth)->first + i];
            instructions++;
            loads += serial_region_loads(in) && !reg_scalar(e, in->src[0].reg) && !is_neighbours(e, r, in->src[0].reg);
        }
    return loads && loads * LOADS_OF >= instructions;
}

static bool is_doable(const struct emit *e, const struct region *r)
{
    for (int nth = 0; nth < r->n; nth++)
        for (int32_t i = 0; i < serial_region_block(e, r, nth)->count; i++)
            if (!can_do(e, serial_region_block(e, r, nth)->first + i) || emit_ends_turn(e, serial_region_block(e, r, nth)->first + i))
                return false;
    return loads_enough(e, r) && turns_alone(e, r);
}

/* In launches that count: it is a loop of blocks in a row, and lanes come in at its head. */
static bool is_countable(const struct emit *e, struct serial_region *s)
{
    const struct region *r = s->r;
    bool ok = e->job->tallies && !e->job->cached && chain_at(e->k, e->job->row, r->block[0], &s->chain) && s->chain.n == r->n && s->chain.join == r->join;
    for (int nth = 0; nth < r->n && ok; nth++)
        ok = s->chain.block[nth] == r->block[nth] && (!nth || !s->entry[nth]);
    return ok;
}

/* --- its registers --- */

static void find_registers(const struct emit *e, struct serial_region *s)
{
    const struct region *r = s->r;
    const uint64_t *join = e->k->blocks[r->join].live_in;
    for (int nth = 0; nth < r->n; nth++) {
        const struct ir_block *b = serial_region_block(e, r, nth);
        for (int32_t i = 0; i < b->count; i++)
            add_results(&e->k->insts[b->first + i], s->defined);
        for (int32_t i = 0; i < b->npred; i++)
            s->entry[nth] |= r->at[b->pred[i]] < 0 || r->at[b->pred[i]] == r->n ? SERIAL_FROM_OUTSIDE : 0;
        s->entry[nth] |= e->job->resume[b->first] >= 0 ? SERIAL_FROM_RESUME : 0;
    }
    for (int32_t reg = 0; reg < e->k->nregs; reg++) {
        struct shape *own = &s->shapes.reg[reg];
        *own = e->s->reg[reg];
        bool one = shape_uniform(own) && !ir_bit(s->defined, reg);
        if (!one)
            *own = (struct shape){.kind = SHAPE_AFFINE};
        if (ir_bit(s->defined, reg) && ir_bit(join, reg))
            ir_bit_set(s->taken, reg);
        for (int nth = 0; nth < r->n; nth++)
            if (s->entry[nth] && !one && ir_bit(serial_region_block(e, r, nth)->live_in, reg))
                ir_bit_set(s->brought, reg);
    }
}

/* What lanes take along is a value of each; and every load is one of scalar code. */
static bool registers_fit(const struct emit *e, const struct serial_region *s)
{
    struct shape_reach reach;
    for (int32_t reg = 0; reg < e->k->nregs; reg++)
        if (ir_bit(s->taken, reg) && reg_scalar(e, reg))
            return false;
    for (int nth = 0; nth < s->r->n; nth++)
        for (int32_t i = 0; i < serial_region_block(e, s->r, nth)->count; i++) {
            const struct ir_inst *in = &e->k->insts[serial_region_block(e, s->r, nth)->first + i];
            if (serial_region_loads(in) && !shape_reach(e->k, &s->shapes, e->job->dim, in, &reach))
                return false;
        }
    return true;
}

void serial_regions_release(struct serial_region *all)
{
    while (all) {
        struct serial_region *s = all;
        all = s->next;
        region_release(s->r);
        alloc_release(s->entry);
        alloc_release(s->shapes.reg);
        alloc_release(s->defined);
        alloc_release(s->brought);
        alloc_release(s->taken);
        alloc_release(s);
    }
}

static struct serial_region *find_one(struct emit *e, const struct ir_inst *branch)
{
    struct region *r = region_row(e, branch);
    if (!r)
        return NULL;
    size_t regs = (size_t)e->k->nregs + 1;
    struct serial_region *s = alloc_zeroed(sizeof *s);
    s->r = r;
    s->entry = alloc_zeroed((size_t)r->n + 1);
    s->shapes = (struct shapes){alloc_zeroed(regs * sizeof *s->shapes.reg), e->s->parting, e->s->lazy};
    s->defined = alloc_zeroed(e->words * 8);
    s->brought = alloc_zeroed(e->words * 8);
    s->taken = alloc_zeroed(e->words * 8);
    if (is_doable(e, r)) {
        find_registers(e, s);
        if (registers_fit(e, s) && (!e->job->counting || is_countable(e, s)))
            return s;
    }
    serial_regions_release(s);
    return NULL;
}

struct serial_region *serial_region_with(const struct emit *e, int32_t block)
{
    for (struct serial_region *s = e->serial_regions; s && block >= 0; s = s->next)
        if (s->r->at[block] >= 0 && s->r->at[block] < s->r->n)
            return s;
    return NULL;
}

static bool overlaps(const struct emit *e, const struct serial_region *s)
{
    for (int nth = 0; nth < s->r->n; nth++)
        if (serial_region_with(e, s->r->block[nth]))
            return true;
    return false;
}

void serial_regions_find(struct emit *e)
{
    e->nserials = 0;
    if (e->job->split || e->of_warp || e->tells_time)
        return;
    for (bool some = true; some;) { /* the largest first: those inside go with it */
        struct serial_region *best = NULL;
        for (int32_t i = 0; i < e->k->ninsts; i++) {
            const struct ir_inst *in = &e->k->insts[i];
            bool parts = in->op == PTX_OP_BRA && in->guard != IR_NOREG && !reg_scalar(e, in->guard);
            struct serial_region *s = parts ? find_one(e, in) : NULL;
            bool better = s && !overlaps(e, s) && (!best || s->r->n > best->r->n);
            struct serial_region *worse = better ? best : s;
            if (better)
                best = s;
            serial_regions_release(worse);
        }
        some = best != NULL;
        if (some) {
            best->next = e->serial_regions;
            e->serial_regions = best;
            e->nserials++;
        }
    }
}

/* It may begin at the first of its places: lanes come from blocks before that, and up to its join there is nothing else. */
struct serial_region *serial_region_in(const struct emit *e, const struct region *r, int nth)
{
    struct serial_region *s = serial_region_with(e, r->block[nth]);
    int first = s ? r->at[s->r->block[0]] : -1, join = s ? r->at[s->r->join] : -1;
    if (first < 0 || join < first)
        return NULL;
    for (int i = first; i < join; i++)
        if (serial_region_with(e, r->block[i]) != s)
            return NULL;
    for (int i = 0; i < s->r->n; i++) {
        const struct ir_block *b = serial_region_block(e, s->r, i);
        for (int32_t j = 0; j < b->npred; j++) {
            int from = b->pred[j];
            if (r->at[from] >= first && serial_region_with(e, from) != s)
                return NULL;
        }
        if (r->at[s->r->block[i]] < first)
            return NULL;
    }
    return s;
}

bool serial_region_waits(const struct serial_region *s, int32_t block)
{
    return s->entry[s->r->at[block]] & SERIAL_FROM_OUTSIDE;
}

bool serial_region_begins(const struct serial_region *s, const struct region *r, int nth)
{
    return r->block[nth] == s->r->block[0];
}

/* The register has one value for all lanes as long as they go through. */
bool serial_region_keeps(const struct emit *e, const struct serial_region *s, int32_t reg)
{
    int written = 0;
    for (int nth = 0; nth < s->r->n && ir_bit(s->defined, reg); nth++)
        for (int32_t i = 0; i < serial_region_block(e, s->r, nth)->count; i++) {
            const struct ir_inst *in = &e->k->insts[serial_region_block(e, s->r, nth)->first + i];
            if (ir_defines(in, reg))
                written += region_loops(s->r, nth) || in->guard != IR_NOREG ? 2 : 1;
        }
    return written < 2;
}
