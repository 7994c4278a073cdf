/* The turns that end behind barriers (see turn.h).
 *
 * From each barrier two stretches of the kernel are looked at. Near: what a warp does behind it before the next barrier and before
 * any loop that has no barrier. Far: all it may do before the next barrier. A broadcast is a load of the near stretch that all warps
 * do at an address that all share. A place of the near stretch is good if whole warps come to it, all of them or none, and if
 * a broadcast before it may read what is written in the far stretch from there on. */
#include "interp/turn.h"

#include "base/alloc.h"
#include "interp/code.h"
#include "ir/facts.h"
#include "target/definitions.h"
#include "target/uniform.h"

enum { MOST_DEPTH = 200, MOST_BROADCASTS = 64, MOST_PAIRS = 256, MOST_ASKED = 64 /* places of a barrier: each takes a walk */ };

/* Instructions [from, to) of a block. */
struct piece {
    int32_t block, from, to;
};

struct stretch {
    struct piece *piece; /* [nblocks + 1] */
    int32_t n;
    bool *met;           /* [nblocks]: taken from their first instruction on */
    int32_t last;        /* it goes no farther than this instruction; -1: only to barriers */
};

struct search {
    struct interp_code *c;
    const struct ir_kernel *k;
    struct ranges *ranges; /* of any launch */
    uint64_t *uniform;
    int32_t *only;         /* definitions_new */
    uint8_t *alike;        /* [nregs]: 0: not found yet, 1: in work, 2: lane by lane the same in all warps, 3: not */
    bool *uneven;          /* [nblocks]: only some warps may come to it */
    bool *parted;          /* [nblocks]: only some lanes or warps may */
    bool *free_loop;       /* [nblocks]: header of a loop without barriers */
    bool parting_found;    /* `uneven` and `parted` */
    struct stretch near, far, loops;
    int32_t broadcast[MOST_BROADCASTS]; /* of the barrier that is looked at */
    int nbroadcasts;
    struct turn_pair pair[MOST_PAIRS];  /* likewise: a broadcast and a store that may touch the same */
    int npairs;
};

/* --- stretches --- */

static void stretch_init(struct stretch *s, const struct ir_kernel *k)
{
    s->piece = alloc_zeroed(((size_t)k->nblocks + 1) * sizeof *s->piece);
    s->met = alloc_zeroed((size_t)k->nblocks + 1);
    s->n = 0;
    s->last = -1;
}

static void stretch_release(struct stretch *s)
{
    alloc_release(s->piece);
    alloc_release(s->met);
}

static void stretch_clear(struct stretch *s)
{
    while (s->n)
        s->met[s->piece[--s->n].block] = false;
}

static int32_t block_end(const struct ir_kernel *k, int32_t block)
{
    return k->blocks[block].first + k->blocks[block].count;
}

/* Up to the next barrier. */
static void add_piece(struct stretch *s, const struct ir_kernel *k, int32_t block, int32_t from)
{
    int32_t to = from;
    while (to < block_end(k, block) && !turns_waits(&k->insts[to]) && (to == from || to - 1 != s->last))
        to++;
    s->piece[s->n++] = (struct piece){block, from, to};
}

static void add_block(struct stretch *s, const struct ir_kernel *k, int32_t block)
{
    if (block < 0 || s->met[block])
        return;
    s->met[block] = true;
    add_piece(s, k, block, k->blocks[block].first);
}

/* Follows the pieces that are there, from `first` on; not to blocks of `except`, which may be NULL. */
static void follow(struct stretch *s, const struct ir_kernel *k, int32_t first, const bool *except)
{
    for (int32_t p = first; p < s->n; p++) {
        const struct ir_block *b = &k->blocks[s->piece[p].block];
        bool ends = s->piece[p].to < b->first + b->count || s->piece[p].to - 1 == s->last;
        for (int32_t i = 0; i < b->nsucc && !ends; i++)
            if (b->succ[i] >= 0 && (!except || !except[b->succ[i]]))
                add_block(s, k, b->succ[i]);
    }
}

/* What comes behind the instruction `site`, up to `last` or, if that is -1, to barriers only. */
static void stretch_from(struct stretch *s, const struct ir_kernel *k, int32_t site, int32_t last, const bool *except)
{
    stretch_clear(s);
    s->last = last;
    add_piece(s, k, k->insts[site].block, site + 1);
    follow(s, k, 0, except);
}

static bool stretch_has(const struct stretch *s, int32_t site)
{
    for (int32_t p = 0; p < s->n; p++)
        if (site >= s->piece[p].from && site < s->piece[p].to)
            return true;
    return false;
}

/* --- what warps share --- */

static bool is_alike(struct search *s, int32_t reg, int depth);

static bool source_alike(struct search *s, const struct ir_src *src, int depth)
{
    return src->kind == IR_SRC_REG ? is_alike(s, src->reg, depth + 1) : facts_alike_in_warps(src);
}

/* tid.x times 2 to some power, of which only the lowest 5 bits of tid.x are left: the lane's number. */
static bool is_lane(const struct search *s, const struct ir_inst *in)
{
    uint64_t mask, by = 0;
    const struct ir_inst *from = ir_is(in, PTX_KIND_AND) ? definitions_maker(s->k, s->only, &in->src[0]) : NULL;
    if (!from || !definitions_constant(s->k, s->only, &in->src[1], &mask))
        return false;
    if (ir_is(from, PTX_KIND_SHL) && definitions_constant(s->k, s->only, &from->src[1], &by))
        from = definitions_maker(s->k, s->only, &from->src[0]);
    bool thread = from && ir_is(from, PTX_KIND_COPY) && from->src[0].kind == IR_SRC_SREG && from->src[0].sreg == PTX_SREG_TID_X;
    return thread && by < 32 && (uint32_t)mask < (uint64_t)WARP_LANES << by;
}

static bool result_alike(struct search *s, const struct ir_inst *in, int depth)
{
    if (is_lane(s, in))
        return true;
    if ((facts_result(in) & FACT_STATE) || facts_writes(in) || (facts_carry(in) & FACT_CARRY_IN) || (facts_reads(in) & (FACT_LOCAL | FACT_SCRATCH)))
        return false;
    for (int i = 0; i < in->nsrc; i++)
        if (!source_alike(s, &in->src[i], depth))
            return false;
    return true;
}

/* A register that is written in several places is not. */
static bool is_alike(struct search *s, int32_t reg, int depth)
{
    if (s->only[reg] < 0 || s->alike[reg] == 1 || depth > MOST_DEPTH)
        return false;
    if (!s->alike[reg]) {
        s->alike[reg] = 1;
        s->alike[reg] = result_alike(s, &s->k->insts[s->only[reg]], depth) ? 2 : 3;
    }
    return s->alike[reg] == 2;
}

/* The ways from a branch to where all meet again, in s->far. False: there is a barrier on them, so all warps go alike. */
static bool ways_apart(struct search *s, int32_t block)
{
    const struct ir_block *b = &s->k->blocks[block];
    stretch_clear(&s->far);
    s->far.last = -1;
    for (int32_t i = 0; i < b->nsucc; i++)
        if (b->succ[i] != b->ipdom)
            add_block(&s->far, s->k, b->succ[i]);
    for (int32_t p = 0; p < s->far.n; p++) {
        const struct ir_block *way = &s->k->blocks[s->far.piece[p].block];
        if (s->far.piece[p].to < way->first + way->count)
            return false;
        for (int32_t i = 0; i < way->nsucc; i++)
            if (way->succ[i] != b->ipdom)
                add_block(&s->far, s->k, way->succ[i]);
    }
    return true;
}

/* Of the branch at the block's end: may lanes of a warp part there, and may warps? */
static void find_parting(struct search *s, int32_t block)
{
    const struct ir_inst *last = &s->k->insts[block_end(s->k, block) - 1];
    bool plain = ir_is_conditional(last) && !last->after_call;
    bool alike = plain && is_alike(s, last->guard, 0), together = alike && ir_bit(s->uniform, last->guard);
    if (together || !ways_apart(s, block))
        return;
    for (int32_t p = 0; p < s->far.n; p++) {
        s->parted[s->far.piece[p].block] = true;
        s->uneven[s->far.piece[p].block] |= !alike;
    }
}

static void find_all_parting(struct search *s)
{
    for (int32_t b = 0; b < s->k->nblocks && !s->parting_found; b++)
        if (s->k->blocks[b].nsucc > 1)
            find_parting(s, b);
    s->parting_found = true;
}

static void find_free_loops(struct search *s)
{
    for (int32_t i = 0; i < s->k->nloops; i++)
        s->free_loop[s->k->loops[i].header] = true;
    for (int32_t at = 0; at < s->k->ninsts; at++)
        for (int32_t l = turns_waits(&s->k->insts[at]) ? s->k->blocks[s->k->insts[at].block].loop : -1; l >= 0; l = s->k->loops[l].parent)
            s->free_loop[s->k->loops[l].header] = false;
}

/* --- accesses --- */

static bool is_broadcast(struct search *s, const struct ir_inst *in)
{
    return (ir_is(in, PTX_KIND_LOAD) || ir_is(in, PTX_KIND_LOADU)) && (facts_reads(in) & (FACT_GLOBAL | FACT_SHARED)) && !in->mods->nc &&
           in->space != PTX_PARAM && (in->guard == IR_NOREG || is_alike(s, in->guard, 0)) &&
           source_alike(s, &in->src[0], 0);
}

static bool is_store(const struct ir_inst *in)
{
    return (ir_is_memory(in) || ir_is(in, PTX_KIND_ASYNC)) && (facts_writes(in) & (FACT_GLOBAL | FACT_SHARED));
}

/* The parameter that an address begins at, or NULL: the instruction that loads it. */
static const struct ir_inst *pointer_of(const struct search *s, const struct ir_src *src, int depth)
{
    const struct ir_inst *in = definitions_maker(s->k, s->only, src), *found = NULL;
    if (!in || depth > MOST_DEPTH || ptx_type_info[in->type].bits < 64)
        return NULL;
    if (ir_is(in, PTX_KIND_LOAD) && in->space == PTX_PARAM)
        return in;
    for (int i = 0; i < in->nsrc && facts_pure(in) && !found; i++)
        found = in->src[i].kind == IR_SRC_REG ? pointer_of(s, &in->src[i], depth + 1) : NULL;
    return found;
}

/* Global memory is the same only through one parameter: two are hardly ever given the same array. */
static bool may_touch(struct search *s, const struct ir_inst *read, const struct ir_inst *write)
{
    unsigned both = facts_reads(read) & facts_writes(write);
    if (!ranges_meet(ranges_touched(s->ranges, read), ranges_touched(s->ranges, write)))
        return false;
    if (both & FACT_SHARED)
        return true;
    const struct ir_inst *from = pointer_of(s, &read->src[0], 0), *to = pointer_of(s, &write->src[0], 0);
    return (both & FACT_GLOBAL) && from && to && from->src[0].imm + (uint64_t)from->offset == to->src[0].imm + (uint64_t)to->offset;
}

/* --- places --- */

/* Near: not in loops without barriers, nor behind them. */
static bool is_near(const struct search *s, int32_t p)
{
    return !p || !s->loops.met[s->near.piece[p].block];
}

static void find_near(struct search *s, int32_t barrier)
{
    const struct ir_kernel *k = s->k;
    stretch_from(&s->near, k, barrier, -1, s->free_loop);
    stretch_clear(&s->loops);
    for (int32_t p = 0; p < s->near.n; p++) {
        const struct ir_block *b = &k->blocks[s->near.piece[p].block];
        for (int32_t i = 0; i < b->nsucc && s->near.piece[p].to == b->first + b->count; i++)
            if (b->succ[i] >= 0 && s->free_loop[b->succ[i]])
                add_block(&s->loops, k, b->succ[i]);
    }
    follow(&s->loops, k, 0, NULL);
}

static void find_broadcasts(struct search *s)
{
    s->nbroadcasts = 0;
    for (int32_t p = 0; p < s->near.n; p++)
        for (int32_t i = s->near.piece[p].from; i < s->near.piece[p].to && is_near(s, p) && s->nbroadcasts < MOST_BROADCASTS; i++)
            if (is_broadcast(s, &s->k->insts[i]))
                s->broadcast[s->nbroadcasts++] = i;
}

/* With the stores of the far stretch. */
static void find_pairs(struct search *s)
{
    const struct ir_inst *insts = s->k->insts;
    s->npairs = 0;
    for (int32_t p = 0; p < s->far.n; p++)
        for (int32_t i = s->far.piece[p].from; i < s->far.piece[p].to; i++)
            for (int r = 0; r < s->nbroadcasts && is_store(&insts[i]) && s->npairs < MOST_PAIRS; r++)
                if (may_touch(s, &insts[s->broadcast[r]], &insts[i]))
                    s->pair[s->npairs++] = (struct turn_pair){.read = s->broadcast[r], .write = i};
}

struct place_found {
    int32_t site;
    int npairs;
    struct turn_pair pair[TURN_PAIRS];
};

/* Which pairs a turn's end at `site` parts: their store is not come to without it. It is taken if they are no fewer than those of
 * the best place before it. */
static void ask(struct search *s, int32_t barrier, int32_t site, struct place_found *best)
{
    struct place_found f = {.site = site};
    stretch_from(&s->far, s->k, barrier, site, NULL);
    for (int i = 0; i < s->npairs && f.npairs < TURN_PAIRS; i++)
        if (!s->uneven[s->k->insts[s->pair[i].read].block] && stretch_has(&s->far, s->pair[i].read) && !stretch_has(&s->far, s->pair[i].write))
            f.pair[f.npairs++] = s->pair[i];
    if (f.npairs && f.npairs >= best->npairs)
        *best = f;
}

static bool is_paired(const struct search *s, int32_t site)
{
    for (int i = 0; i < s->npairs; i++)
        if (s->pair[i].write == site)
            return true;
    return false;
}

/* Of a piece: its last place, and the last before each store of a pair. */
static void ask_piece(struct search *s, int32_t barrier, const struct piece *p, int *asked, struct place_found *best)
{
    for (int32_t to = p->from; to <= p->to; to++) {
        int32_t site = to == p->to || is_paired(s, to) ? turns_last_plain(s->c, p->from, to) : -1;
        if (site >= 0 && site + 1 < s->k->ninsts && ++*asked <= MOST_ASKED)
            ask(s, barrier, site, best);
    }
}

static void add_place(struct turn_places *t, const struct place_found *f)
{
    int at = 0;
    while (at < t->n && t->at[at].site != f->site)
        at++;
    if (at == TURN_PLACES)
        return;
    t->at[at].site = f->site;
    t->n += at == t->n;
    for (int i = 0; i < f->npairs; i++) {
        ALLOC_GROW(t->pair, t->npairs, t->pairs_cap);
        t->pair[t->npairs] = f->pair[i];
        t->pair[t->npairs++].turn = at;
    }
}

static void look_behind(struct search *s, int32_t barrier)
{
    struct place_found best = {.site = -1};
    int asked = 0;
    find_near(s, barrier);
    find_broadcasts(s);
    if (!s->nbroadcasts)
        return;
    stretch_from(&s->far, s->k, barrier, -1, NULL);
    find_pairs(s);
    if (!s->npairs)
        return;
    find_all_parting(s);
    for (int32_t p = 0; p < s->near.n; p++)
        if (is_near(s, p) && !s->parted[s->near.piece[p].block])
            ask_piece(s, barrier, &s->near.piece[p], &asked, &best);
    if (best.npairs)
        add_place(&s->c->turns, &best);
}

void turns_add_barriers(struct interp_code *c)
{
    const struct ir_kernel *k = c->kernel;
    struct search s = {.c = c, .k = k};
    if (!k->has_barrier)
        return;
    s.ranges = ranges_new(k, &(struct range_launch){0});
    s.uniform = uniform_registers(k);
    s.only = definitions_new(k);
    s.alike = alloc_zeroed((size_t)k->nregs + 1);
    s.uneven = alloc_zeroed((size_t)k->nblocks + 1);
    s.parted = alloc_zeroed((size_t)k->nblocks + 1);
    s.free_loop = alloc_zeroed((size_t)k->nblocks + 1);
    stretch_init(&s.near, k);
    stretch_init(&s.far, k);
    stretch_init(&s.loops, k);
    find_free_loops(&s);
    for (int32_t i = 0; i + 1 < k->ninsts; i++)
        if (turns_waits(&k->insts[i]) && k->insts[i].guard == IR_NOREG)
            look_behind(&s, i);
    stretch_release(&s.near);
    stretch_release(&s.far);
    stretch_release(&s.loops);
    ranges_free(s.ranges);
    alloc_release(s.uniform);
    alloc_release(s.only);
    alloc_release(s.alike);
    alloc_release(s.uneven);
    alloc_release(s.parted);
    alloc_release(s.free_loop);
}
