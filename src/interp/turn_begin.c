/* The turn that ends before a kernel's first loop (see turn.h). */
#include "interp/turn.h"

#include "base/alloc.h"
#include "interp/code.h"
#include "ir/facts.h"
#include "space/space.h"
#include "target/uniform.h"

#include <string.h>

enum { MOST_CANDIDATES = 16 }; /* blocks before the loop that are asked about, from it upwards: each takes a walk over the kernel */

/* A walk over blocks: each is taken once. */
struct walk {
    const struct ir_kernel *k;
    int32_t *list; /* [nblocks]: those that were met, in order */
    int32_t n, next;
    bool *met;     /* [nblocks] */
};

static struct walk walk_new(const struct ir_kernel *k)
{
    return (struct walk){k, alloc_zeroed(sizeof(int32_t) * ((size_t)k->nblocks + 1)), 0, 0, alloc_zeroed((size_t)k->nblocks + 1)};
}

static void walk_release(struct walk *w)
{
    alloc_release(w->list);
    alloc_release(w->met);
}

static void walk_restart(struct walk *w)
{
    while (w->n)
        w->met[w->list[--w->n]] = false;
    w->next = 0;
}

static void walk_to(struct walk *w, int32_t block)
{
    if (block >= 0 && !w->met[block]) {
        w->met[block] = true;
        w->list[w->n++] = block;
    }
}

static int32_t walk_next(struct walk *w)
{
    return w->next < w->n ? w->list[w->next++] : -1;
}

static int32_t first_loop(const struct ir_kernel *k)
{
    int32_t header = -1;
    for (int32_t i = 0; i < k->nloops; i++)
        if (k->loops[i].depth == 1 && (header < 0 || k->loops[i].header < header))
            header = k->loops[i].header;
    return header;
}

static bool touches_memory(const struct ir_kernel *k, int32_t block)
{
    const struct ir_block *b = &k->blocks[block];
    for (int32_t i = b->first; i < b->first + b->count; i++)
        if ((facts_reads(&k->insts[i]) | facts_writes(&k->insts[i])) & (FACT_GLOBAL | FACT_SHARED | FACT_LOCAL))
            return true;
    return false;
}

/* Lanes of a warp may go different ways at the block's end. */
static bool parts(const struct ir_kernel *k, const uint64_t *uniform, int32_t block)
{
    const struct ir_block *b = &k->blocks[block];
    const struct ir_inst *last = &k->insts[b->first + b->count - 1];
    return b->nsucc > 1 && (last->guard == IR_NOREG || !ir_bit(uniform, last->guard));
}

/* Of lanes that part before the block, those that never come to it access no memory from there on. */
static bool comes_whole(struct walk *before, struct walk *past, const uint64_t *uniform, int32_t block)
{
    const struct ir_kernel *k = before->k;
    walk_restart(before);
    walk_restart(past);
    walk_to(before, block);
    for (int32_t b = walk_next(before); b >= 0; b = walk_next(before))
        for (int32_t i = 0; i < k->blocks[b].npred; i++)
            walk_to(before, k->blocks[b].pred[i]);
    for (int32_t n = 1; n < before->n; n++) /* but the block itself */
        for (int32_t i = 0; i < k->blocks[before->list[n]].nsucc && parts(k, uniform, before->list[n]); i++)
            walk_to(past, k->blocks[before->list[n]].succ[i]);
    for (int32_t b = walk_next(past); b >= 0; b = walk_next(past)) {
        if (!before->met[b] && touches_memory(k, b))
            return false;
        for (int32_t i = 0; i < k->blocks[b].nsucc && b != block; i++)
            walk_to(past, k->blocks[b].succ[i]);
    }
    return true;
}

/* --- where addresses come from --- */

struct roots {
    const struct ir_kernel *k;
    struct turn_places *t;
    int n;
    uint64_t *of; /* [nregs] */
};

static const uint64_t ANYWHERE = UINT64_C(1) << TURN_ANYWHERE;

static uint64_t add_root(struct roots *r, bool param, uint64_t at)
{
    for (int i = 0; i < r->n; i++)
        if (r->t->root[i].param == param && r->t->root[i].at == at)
            return UINT64_C(1) << i;
    if (r->n == TURN_ROOTS)
        return ANYWHERE;
    r->t->root[r->n] = (struct turn_root){param, at};
    return UINT64_C(1) << r->n++;
}

static bool is_wide(const struct roots *r, int32_t reg)
{
    return ptx_type_info[r->k->reg_type[reg]].bits == 64;
}

/* A source of 64 bits; numbers below 2^32 are no addresses. */
static uint64_t of_source(struct roots *r, const struct ir_src *s)
{
    if (s->kind == IR_SRC_REG)
        return is_wide(r, s->reg) ? r->of[s->reg] : 0;
    return s->kind == IR_SRC_IMM && s->imm >> 32 ? add_root(r, false, s->imm) : 0;
}

/* Of the result d, which has 64 bits. */
static uint64_t of_result(struct roots *r, const struct ir_inst *in, int d)
{
    uint64_t from = 0;
    if (ir_is(in, PTX_KIND_LOAD) && in->space == PTX_PARAM && in->src[0].kind == IR_SRC_IMM) {
        uint64_t at = in->src[0].imm + (uint64_t)in->offset + 8 * (uint64_t)d;
        return ptx_type_info[in->type].bits < 64 ? 0 : at + 8 > r->k->param_bytes ? ANYWHERE : add_root(r, true, at);
    }
    for (int i = 0; i < in->nsrc; i++)
        from |= of_source(r, &in->src[i]);
    bool packed = ir_is(in, PTX_KIND_COPY) && in->nsrc > in->ndst;
    return facts_pure(in) && !packed ? from : ANYWHERE;
}

/* Of all registers, whatever the order: until nothing is added. */
static void find_roots(struct roots *r)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (int32_t i = 0; i < r->k->ninsts; i++)
            for (int d = 0; d < r->k->insts[i].ndst; d++) {
                int32_t reg = r->k->insts[i].dst[d];
                uint64_t from = reg == IR_NOREG || !is_wide(r, reg) ? 0 : of_result(r, &r->k->insts[i], d);
                if (from) {
                    changed |= (from & ~r->of[reg]) != 0;
                    r->of[reg] |= from;
                }
            }
    }
}

static uint64_t of_address(struct roots *r, const struct ir_inst *in)
{
    uint64_t from = ir_is_memory(in) ? of_source(r, &in->src[0]) : 0;
    return from ? from : ANYWHERE;
}

/* --- what is read and written --- */

/* From the instruction `site` backwards, no farther than to barriers. */
static uint64_t reads_before(struct walk *w, struct roots *r, int32_t site)
{
    const struct ir_kernel *k = w->k;
    uint64_t from = 0;
    walk_restart(w);
    walk_to(w, k->insts[site].block);
    for (int32_t b = walk_next(w); b >= 0; b = walk_next(w)) {
        int32_t i = b == k->insts[site].block ? site : k->blocks[b].first + k->blocks[b].count - 1;
        for (; i >= k->blocks[b].first && !turns_waits(&k->insts[i]); i--)
            if ((facts_reads(&k->insts[i]) & FACT_GLOBAL) && !k->insts[i].mods->nc)
                from |= of_address(r, &k->insts[i]);
        for (int32_t p = 0; p < k->blocks[b].npred && i < k->blocks[b].first; p++)
            walk_to(w, k->blocks[b].pred[p]);
    }
    return from;
}

/* From the instruction `site` on, likewise. */
static uint64_t writes_behind(struct walk *w, struct roots *r, int32_t site)
{
    const struct ir_kernel *k = w->k;
    uint64_t from = 0;
    walk_restart(w);
    walk_to(w, k->insts[site].block);
    for (int32_t b = walk_next(w); b >= 0; b = walk_next(w)) {
        int32_t i = b == k->insts[site].block ? site : k->blocks[b].first, end = k->blocks[b].first + k->blocks[b].count;
        for (; i < end && !turns_waits(&k->insts[i]); i++)
            if (facts_writes(&k->insts[i]) & FACT_GLOBAL)
                from |= of_address(r, &k->insts[i]);
        for (int32_t n = 0; n < k->blocks[b].nsucc && i == end; n++)
            walk_to(w, k->blocks[b].succ[n]);
    }
    return from;
}

void turns_add_begin(struct interp_code *c)
{
    const struct ir_kernel *k = c->kernel;
    struct turn t = {.site = -1};
    int32_t header = first_loop(k), candidates = 0;
    if (header < 0)
        return;
    struct walk before = walk_new(k), past = walk_new(k);
    uint64_t *uniform = uniform_registers(k);
    for (int32_t b = k->blocks[header].idom; b >= 0 && t.site < 0 && candidates < MOST_CANDIDATES; b = k->blocks[b].idom, candidates++) {
        t.site = turns_last_plain(c, k->blocks[b].first, k->blocks[b].first + k->blocks[b].count);
        if (t.site >= 0 && !comes_whole(&before, &past, uniform, b))
            t.site = -1;
    }
    if (t.site >= 0 && t.site + 1 < k->ninsts) {
        struct roots r = {k, &c->turns, 0, alloc_zeroed(((size_t)k->nregs + 1) * sizeof(uint64_t))};
        find_roots(&r);
        t.reads = reads_before(&before, &r, t.site);
        t.writes = writes_behind(&before, &r, t.site + 1);
        alloc_release(r.of);
    }
    if (t.reads && t.writes)
        c->turns.at[c->turns.n++] = t;
    alloc_release(uniform);
    walk_release(&before);
    walk_release(&past);
}

/* Begins of the allocations that a set's roots lie in: [TURN_ROOTS]; returns how many. */
static int find_allocations(const struct turn_places *t, uint64_t set, const struct space *s, const char *params, uint64_t *begin)
{
    int n = 0;
    for (uint64_t m = set & ~ANYWHERE; m; m &= m - 1) {
        const struct turn_root *root = &t->root[__builtin_ctzll(m)];
        uint64_t address = root->at;
        if (root->param)
            memcpy(&address, params + root->at, sizeof address);
        struct space_run run = space_run_at(space_reach(s, address), address);
        if (run.bytes)
            begin[n++] = run.first;
    }
    return n;
}

bool turn_begin_matters(const struct turn_places *t, const struct turn *end, const struct space *s, const char *params)
{
    uint64_t read[TURN_ROOTS], written[TURN_ROOTS];
    if ((end->reads | end->writes) & ANYWHERE)
        return true;
    int reads = find_allocations(t, end->reads, s, params, read), writes = find_allocations(t, end->writes, s, params, written);
    for (int i = 0; i < reads; i++)
        for (int j = 0; j < writes; j++)
            if (read[i] == written[j])
                return true;
    return false;
}
