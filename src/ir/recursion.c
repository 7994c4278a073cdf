/* Frames of recursive calls (see recursion.h).
 *
 * What a call saves follows from liveness within functions: edges go from a call to the instruction behind it, not
 * through the body, so that what another call needs is not taken for needed here. What a call moves to the body's
 * parameters and to the number of the return does not end a live range: the call itself puts back what was there. */
#include "ir/recursion.h"
#include "ir/cfg.h"
#include "base/alloc.h"
#include "ir/edit.h"

#include <string.h>

enum { FRAME_ALIGN = 16 };

static uint32_t aligned(uint32_t n)
{
    return (n + FRAME_ALIGN - 1) / FRAME_ALIGN * FRAME_ALIGN;
}

/* One call's part of a frame. */
struct saved {
    int32_t *reg;
    int nregs, cap;
    uint32_t bytes; /* of registers; scratch memory is behind them */
};

struct lowering {
    struct ir_kernel *k;
    struct recursion *r;
    struct saved *saved; /* [nsites] */
    uint32_t *frame;     /* [nbodies]: the largest */
    struct ir_inst *out;
    int32_t n, cap;
};

static unsigned width(const struct ir_kernel *k, int32_t reg)
{
    int bits = ptx_type_info[k->reg_type[reg]].bits;
    return k->reg_type[reg] == PTX_PRED ? 4 : bits <= 8 ? 1 : (unsigned)bits / 8;
}

/* Registers that bodies of the group write. */
static uint64_t *written_by(const struct lowering *l, int32_t group)
{
    uint64_t *set = alloc_zeroed(((size_t)l->k->nregs / 64 + 1) * 8);
    for (int32_t b = 0; b < l->r->nbodies; b++) {
        const struct ir_body *body = &l->r->body[b];
        for (int32_t i = body->first; body->group == group && i < body->end; i++)
            for (int d = 0; d < l->k->insts[i].ndst; d++)
                if (l->k->insts[i].dst[d] != IR_NOREG)
                    ir_bit_set(set, l->k->insts[i].dst[d]);
    }
    return set;
}

static void choose(struct lowering *l, int32_t site)
{
    const struct ir_call_site *s = &l->r->site[site];
    const struct ir_block *behind = &l->k->blocks[l->k->insts[s->restore].block];
    struct saved *v = &l->saved[site];
    if (s->caller < 0 || l->r->body[s->caller].group != l->r->body[s->callee].group)
        return; /* the callee does not run the caller again */
    uint64_t *written = written_by(l, l->r->body[s->callee].group);
    for (unsigned w = 16; w; w /= 2) /* widest first, so that all are aligned */
        for (int32_t reg = 0; reg < l->k->nregs; reg++)
            if (width(l->k, reg) == w && ir_bit(behind->live_in, reg) && ir_bit(written, reg) && reg != l->r->sp &&
                !ir_bit(l->r->results, reg)) {
                ALLOC_GROW(v->reg, v->nregs, v->cap);
                v->reg[v->nregs++] = reg;
                v->bytes += w;
            }
    alloc_release(written);
}

static uint32_t scratch_bytes(const struct ir_body *b)
{
    return b->scratch[0].to - b->scratch[0].from + b->scratch[1].to - b->scratch[1].from;
}

/* Bytes from the caller's frame to the callee's. */
static uint32_t frame_of(const struct lowering *l, int32_t site)
{
    const struct ir_call_site *s = &l->r->site[site];
    const struct ir_body *b = &l->r->body[s->caller];
    bool saves = b->group == l->r->body[s->callee].group;
    return aligned(aligned(b->local_bytes) + l->saved[site].bytes + (saves ? 8 + scratch_bytes(b) : 0));
}

/* --- what takes the places of the deleted instructions --- */

static struct ir_inst *put(struct lowering *l, const struct ir_inst *from, uint16_t op)
{
    static const struct ptx_mods none;
    ALLOC_GROW(l->out, l->n, l->cap);
    struct ir_inst *in = &l->out[l->n++];
    *in = (struct ir_inst){.op = op, .guard = IR_NOREG, .mods = &none, .vec = 1, .target = -1, .join = -1, .from = from->from};
    return in;
}

static int32_t fresh(struct lowering *l, uint8_t type)
{
    l->k->reg_type = alloc_resize(l->k->reg_type, (size_t)l->k->nregs + 1);
    l->k->reg_type[l->k->nregs] = type;
    return l->k->nregs++;
}

static uint8_t bits_type(unsigned bytes)
{
    return bytes == 1 ? PTX_B8 : bytes == 2 ? PTX_B16 : bytes == 4 ? PTX_B32 : PTX_B64;
}

static void put_access(struct lowering *l, const struct ir_inst *from, bool store, uint8_t space, struct ir_src base,
                       int64_t offset, int32_t reg, unsigned bytes)
{
    struct ir_inst *in = put(l, from, store ? PTX_OP_ST : PTX_OP_LD);
    in->type = bits_type(bytes);
    in->space = space;
    in->frame = true;
    in->offset = offset;
    IR_SET_SOURCES(l->k, in, base);
    if (store)
        ir_add_source(l->k, in, ir_of_reg(reg));
    else
        IR_SET_RESULTS(l->k, in, reg);
}

/* A predicate is kept as a word. */
static void put_predicate(struct lowering *l, const struct ir_inst *from, bool store, int64_t offset, int32_t reg)
{
    static const struct ptx_mods not_equal = {.type = {PTX_U32}, .ntypes = 1, .cmp = PTX_NE};
    int32_t word = fresh(l, PTX_B32);
    if (store) {
        struct ir_inst *in = put(l, from, PTX_OP_SELP);
        in->type = PTX_B32;
        IR_SET_RESULTS(l->k, in, word);
        IR_SET_SOURCES(l->k, in, ir_of_value(1), ir_of_value(0), ir_of_reg(reg));
    }
    put_access(l, from, store, PTX_LOCAL, ir_of_reg(l->r->sp), offset, word, 4);
    if (store)
        return;
    struct ir_inst *in = put(l, from, PTX_OP_SETP);
    in->mods = &not_equal;
    in->type = PTX_U32;
    IR_SET_RESULTS(l->k, in, reg);
    IR_SET_SOURCES(l->k, in, ir_of_reg(word), ir_of_value(0));
}

static void put_registers(struct lowering *l, const struct ir_inst *from, int32_t site, bool store)
{
    const struct saved *v = &l->saved[site];
    uint32_t at = aligned(l->r->body[l->r->site[site].caller].local_bytes);
    for (int i = 0; i < v->nregs; i++) {
        unsigned bytes = width(l->k, v->reg[i]);
        if (l->k->reg_type[v->reg[i]] == PTX_PRED)
            put_predicate(l, from, store, at, v->reg[i]);
        else
            put_access(l, from, store, PTX_LOCAL, ir_of_reg(l->r->sp), at, v->reg[i], bytes);
        at += bytes;
    }
}

static void put_scratch(struct lowering *l, const struct ir_inst *from, int32_t site, bool store)
{
    const struct ir_body *b = &l->r->body[l->r->site[site].caller];
    uint32_t at = (aligned(b->local_bytes) + l->saved[site].bytes + 7) / 8 * 8;
    for (int part = 0; part < 2; part++) /* both begin and end at multiples of 8 */
        for (uint32_t s = b->scratch[part].from; s < b->scratch[part].to; s += 8, at += 8) {
            int32_t reg = fresh(l, PTX_B64);
            struct ir_src scratch = ir_of_value(s), frame = ir_of_reg(l->r->sp);
            if (store) {
                put_access(l, from, false, IR_SCRATCH, scratch, 0, reg, 8);
                put_access(l, from, true, PTX_LOCAL, frame, at, reg, 8);
            } else {
                put_access(l, from, false, PTX_LOCAL, frame, at, reg, 8);
                put_access(l, from, true, IR_SCRATCH, scratch, 0, reg, 8);
            }
        }
}

static void put_save(struct lowering *l, const struct ir_inst *from, int32_t site)
{
    const struct ir_call_site *s = &l->r->site[site];
    if (s->caller < 0 || l->r->body[s->caller].group != l->r->body[s->callee].group)
        return;
    put_registers(l, from, site, true);
    put_scratch(l, from, site, true);
}

static void put_restore(struct lowering *l, const struct ir_inst *from, int32_t site)
{
    const struct ir_call_site *s = &l->r->site[site];
    if (s->caller < 0)
        return;
    struct ir_inst *pop = put(l, from, PTX_OP_ADD);
    pop->type = PTX_U64;
    IR_SET_RESULTS(l->k, pop, l->r->sp);
    IR_SET_SOURCES(l->k, pop, ir_of_reg(l->r->sp), ir_of_value(UINT64_C(0) - frame_of(l, site)));
    if (l->r->body[s->caller].group != l->r->body[s->callee].group)
        return;
    put_registers(l, from, site, false);
    put_scratch(l, from, site, false);
}

/* --- */

static void number_returns(struct lowering *l)
{
    for (int32_t b = 0; b < l->r->nbodies; b++) {
        struct ir_inst *ret = &l->k->insts[l->r->body[b].end - 1];
        int32_t n = 0;
        ret->targets = ARENA_ARRAY(&l->k->arena, int32_t, l->r->nsites);
        for (int32_t s = 0; s < l->r->nsites; s++)
            if (l->r->site[s].callee == b) {
                IR_SET_SOURCES(l->k, &l->k->insts[l->r->site[s].number], ir_of_value((uint64_t)n));
                l->k->insts[l->r->site[s].jump].target = l->r->body[b].first;
                ret->targets[n++] = l->r->site[s].restore;
            }
        ret->ntargets = n;
    }
}

static void size_frames(struct lowering *l)
{
    uint32_t base = aligned(l->k->local_bytes);
    for (int32_t s = 0; s < l->r->nsites; s++) {
        const struct ir_call_site *site = &l->r->site[s];
        if (site->caller >= 0 && frame_of(l, s) > l->frame[site->caller])
            l->frame[site->caller] = frame_of(l, s);
    }
    for (int32_t s = 0; s < l->r->nsites; s++) {
        const struct ir_call_site *site = &l->r->site[s];
        struct ir_inst *push = &l->k->insts[site->push];
        uint32_t own = aligned(l->r->body[site->callee].local_bytes);
        ir_set_source(l->k, push, push->nsrc - 1, ir_of_value(site->caller < 0 ? base : frame_of(l, s)));
        ir_set_source(l->k, &l->k->insts[site->top], 1, ir_of_value(l->frame[site->callee] > own ? l->frame[site->callee] : own));
    }
}

/* Copies the blocks with the calls in full. */
static void rebuild(struct lowering *l)
{
    struct ir_kernel *k = l->k;
    int32_t *first = alloc_zeroed(sizeof *first * (size_t)(k->nblocks + 1));
    int32_t *site_at = alloc_zeroed(sizeof *site_at * (size_t)(k->ninsts + 1)); /* number + 1; restores negative */
    for (int32_t s = 0; s < l->r->nsites; s++) {
        site_at[l->r->site[s].save] = s + 1;
        site_at[l->r->site[s].restore] = -(s + 1);
    }
    for (int32_t b = 0; b < k->nblocks; b++) {
        first[b] = l->n;
        for (int32_t i = k->blocks[b].first; i < k->blocks[b].first + k->blocks[b].count; i++) {
            if (site_at[i] > 0)
                put_save(l, &k->insts[i], site_at[i] - 1);
            else if (site_at[i] < 0)
                put_restore(l, &k->insts[i], -site_at[i] - 1);
            ALLOC_GROW(l->out, l->n, l->cap);
            l->out[l->n++] = k->insts[i];
        }
    }
    for (int32_t i = 0; i < l->n; i++)
        cfg_rename_targets(&l->out[i], first);
    alloc_release(site_at);
    alloc_release(first);
    alloc_release(k->insts);
    k->insts = l->out;
    k->ninsts = l->n;
}

/* Hides (or shows again) that calls write the body's registers. */
static void hide_moves(struct lowering *l, bool hide)
{
    for (int32_t s = 0; s < l->r->nsites; s++)
        for (int32_t i = l->r->site[s].save; i < l->r->site[s].jump; i++)
            if (ir_is(&l->k->insts[i], PTX_KIND_COPY))
                l->k->insts[i].ndst = !hide;
}

const char *recursion_lower(struct ir_kernel *k, struct recursion *r)
{
    struct lowering l = {.k = k, .r = r, .saved = alloc_zeroed(sizeof *l.saved * (size_t)(r->nsites + 1)),
                         .frame = alloc_zeroed(sizeof *l.frame * (size_t)(r->nbodies + 1))};
    const char *problem = NULL;
    number_returns(&l);
    cfg_make_blocks(k);
    cfg_make_edges(k, true);
    hide_moves(&l, true);
    liveness_analyse(k);
    hide_moves(&l, false);
    for (int32_t s = 0; s < r->nsites; s++)
        choose(&l, s);
    for (int32_t s = 0; s < r->nsites; s++)
        for (int i = 0; i < l.saved[s].nregs; i++)
            if (width(k, l.saved[s].reg[i]) > 8)
                problem = "a recursive call across which a value of 128 bits is needed is not implemented";
    size_frames(&l);
    if (!problem)
        rebuild(&l);
    for (int32_t s = 0; s < r->nsites; s++)
        alloc_release(l.saved[s].reg);
    alloc_release(l.saved);
    alloc_release(l.frame);
    return problem;
}
