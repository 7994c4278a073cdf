/* Accesses of spills (see spills.h). */
#include "clock/spills.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "ir/facts.h"

/* What the instruction brings from memory other than the block's own comes late. */
static bool brings_late(const struct ir_inst *in)
{
    return in->op != IR_OP_EXTERN && facts_reads(in) && in->space != PTX_SHARED && in->space != PTX_PARAM;
}

static int in_order(const void *a, const void *b)
{
    const struct spill *x = a, *y = b;
    if (x->site != y->site)
        return x->site < y->site ? -1 : 1;
    if (x->store != y->store)
        return x->store ? 1 : -1;
    return x->address < y->address ? -1 : x->address > y->address;
}

struct spill_list *spills_of(const struct ir_kernel *k, const struct target_tables *t, struct arena *arena)
{
    if (!t->nspills)
        return NULL;
    struct spill_list *s = ARENA_NEW(arena, struct spill_list);
    uint8_t *entered = ARENA_ARRAY(arena, uint8_t, k->nblocks + 1);
    memset(entered, 0, (size_t)k->nblocks + 1);
    *s = (struct spill_list){.kernel = k, .spill = ARENA_ARRAY(arena, struct spill, t->nspills), .first = ARENA_ARRAY(arena, int32_t, k->nblocks + 1),
                         .entered = entered, .bytes = (uint32_t)t->spill_bytes};
    for (int32_t i = 0; i < t->nspills; i++) {
        const struct target_spill *from = &t->spills[i];
        const struct ir_inst *in = &k->insts[from->site];
        s->spill[i] = (struct spill){(uint32_t)from->site, (uint32_t)from->slot, from->words, from->store, from->store && brings_late(in)};
        entered[in->block] = 1;
    }
    qsort(s->spill, (size_t)t->nspills, sizeof *s->spill, in_order);
    for (int32_t b = 0, i = 0; b <= k->nblocks; b++) { /* a block's instructions stand together, blocks in their order */
        while (b < k->nblocks && i < t->nspills && (int32_t)s->spill[i].site < k->blocks[b].first)
            i++;
        s->first[b] = b < k->nblocks ? i : t->nspills;
    }
    return s;
}

static void record_of(const struct spill_list *s, int32_t i, uint32_t lanes, struct record *r)
{
    const struct spill *p = &s->spill[i];
    *r = (struct record){.addr = {s->base + p->address}, .site = p->site, .mask = lanes, .op = p->store ? RECORD_STORE : RECORD_LOAD,
                         .space = PTX_LOCAL, .shape = RECORD_UNIFORM, .bytes = (uint8_t)(4 * p->words), .elem = 4, .type = PTX_B32,
                         .spill = p->waits ? SPILL_WAITS : SPILL};
}

/* --- by number --- */

static void take(const struct spill_list *s, int32_t block, uint32_t lanes, uint64_t times, struct memory *m)
{
    struct record r;
    for (int32_t i = s->first[block]; i < s->first[block + 1]; i++) {
        record_of(s, i, lanes, &r);
        memory_accesses(m, &r, times);
    }
}

void spills_begin(struct spill_entries *e, const struct spill_list *s, struct memory *m)
{
    *e = (struct spill_entries){s, alloc_zeroed(((size_t)s->kernel->nblocks + 1) * sizeof *e->pattern), m};
}

void spills_enter(struct spill_entries *e, int32_t block, uint32_t lanes, uint64_t times)
{
    struct spill_pattern *p = &e->pattern[block][(lanes * UINT32_C(0x9e3779b1)) >> 29];
    if (p->lanes != lanes) {
        if (p->times)
            take(e->spills, block, p->lanes, p->times, e->memory);
        *p = (struct spill_pattern){lanes, 0};
    }
    p->times += times;
}

void spills_end(struct spill_entries *e)
{
    for (int32_t b = 0; b < e->spills->kernel->nblocks; b++)
        for (int i = 0; i < SPILL_PATTERNS; i++)
            if (e->pattern[b][i].times)
                take(e->spills, b, e->pattern[b][i].lanes, e->pattern[b][i].times, e->memory);
    alloc_release(e->pattern);
}

void spills_take_whole(const struct spill_list *s, const struct exec_counts *c, struct memory *m)
{
    for (int32_t b = 0; b < s->kernel->nblocks; b++)
        if (s->entered[b] && c->whole[b])
            take(s, b, UINT32_MAX, c->whole[b], m);
}

/* --- in order --- */

static struct record *next_record(struct spill_records *out)
{
    if (out->n == out->room) {
        out->room = 2 * out->room + 64;
        out->v = alloc_resize(out->v, (size_t)out->room * sizeof *out->v);
    }
    return &out->v[out->n++];
}

/* The block's spills up to this one, of which loads (`stores`: and stores) are meant. */
static void add_up_to(const struct spill_list *s, struct spill_place *p, uint32_t site, bool stores, struct spill_records *out)
{
    for (; p->next < s->first[p->block + 1]; p->next++) {
        const struct spill *at = &s->spill[p->next];
        if (at->site > site || (at->site == site && at->store && !stores))
            break;
        record_of(s, p->next, p->lanes, next_record(out));
    }
}

static void end_block(const struct spill_list *s, struct spill_place *p, struct spill_records *out)
{
    if (p->lanes)
        add_up_to(s, p, UINT32_MAX, true, out);
    p->lanes = 0;
}

/* Its lanes stand in the midst of the block: before which instruction; or they have ended it: -1. */
static int32_t stands_at(const struct spill_list *s, const struct spill_place *p, const struct warp *w)
{
    const struct ir_block *b = &s->kernel->blocks[p->block];
    for (int i = 0; i < w->nsplits; i++)
        if (w->split[i].mask == p->lanes && w->split[i].pc > b->first && w->split[i].pc < b->first + b->count)
            return w->split[i].pc;
    return -1;
}

void spills_merge(const struct spill_list *s, struct spill_place *p, const struct warp *w, struct spill_records *out)
{
    const struct ir_inst *insts = s->kernel->insts;
    out->n = 0;
    for (int i = 0; i < w->nrecords; i++) {
        const struct record *r = &w->ring[i];
        int32_t block = insts[r->site].block;
        if (r->op == RECORD_ENTER) {
            end_block(s, p, out);
            *p = (struct spill_place){block, s->first[block], r->mask};
            continue;
        }
        if (p->lanes && p->block == block)
            add_up_to(s, p, r->site, false, out);
        struct record *to = next_record(out);
        memcpy(to, r, sizeof *to);
    }
    int32_t at = p->lanes ? stands_at(s, p, w) : -1;
    if (at > 0)
        add_up_to(s, p, (uint32_t)at - 1, true, out);
    else
        end_block(s, p, out);
}
