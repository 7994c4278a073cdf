/* Grouping of memory accesses: see group.h. Three passes over a block: mark repeated loads, gather the rest's elements
 * by line and decide each line, gather stores run by run and decide each run. The result is a plan, the block itself
 * is not touched. */
#include "target/group.h"
#include "base/alloc.h"
#include "ir/edit.h"
#include "ir/facts.h"
#include "target/moves.h"

#include <string.h>

enum { SLOTS = 4, NONE = -1 };

/* One element of an access. */
struct element {
    int32_t inst;   /* in the block */
    int part;       /* of the vector */
    int32_t reg;    /* load: destination */
    int64_t at;     /* bytes from the root */
    bool moved;     /* part of a group, or a repeated load: its instruction need not make it */
};

/* A line that elements are gathered for. */
struct line {
    int space, size, region, cache, key; /* key: type that a merged load may have; 0 for stores */
    bool nc;
    int32_t root;
    int64_t start;         /* bytes from the root */
    int slots;
    int32_t slot[SLOTS];   /* elements, or NONE */
    bool closed;           /* stores: nothing is added any more */
};

struct grouping {
    struct ir_kernel *k;
    const struct ir_block *b;
    struct address *where; /* [count] */
    struct group_plan *plan;
    struct element *elements;
    int32_t nelements, elements_cap;
    struct line *lines;
    int32_t nlines, lines_cap;
    int32_t *first_element; /* [count] or NONE; the elements of an instruction are consecutive */
    int region[PTX_PARAM + 2], constant_region;
};

static const struct ir_inst *inst_at(const struct grouping *g, int32_t i)
{
    return &g->k->insts[g->b->first + i];
}

static int size_of(const struct ir_inst *in)
{
    return ptx_type_info[in->type].bits / 8;
}

/* Others are operands, or loaded into uniform registers. */
static bool is_indexed_constant(const struct ir_inst *in)
{
    return in->space == PTX_CONST && ir_is(in, PTX_KIND_LOAD) && in->src[0].kind == IR_SRC_REG;
}

static bool is_grouped_space(const struct ir_inst *in)
{
    return in->space == PTX_GLOBAL || in->space == PTX_SHARED || in->space == PTX_LOCAL || in->space == PTX_GENERIC || is_indexed_constant(in);
}

/* An access that may be changed at all. Bytes are left alone: the assembler merges and narrows none of them. */
static bool is_open(const struct ir_inst *in)
{
    int size = size_of(in);
    return (ir_is(in, PTX_KIND_LOAD) || ir_is(in, PTX_KIND_STORE)) && is_grouped_space(in) && in->guard == IR_NOREG && !in->frame &&
           in->mods->order == PTX_WEAK && (size == 2 || size == 4 || size == 8) && in->vec <= SLOTS;
}

/* --- where elements are from --- */

static const struct ir_origin *origin_of(const struct ir_inst *in, int part)
{
    return in->parts ? in->parts[part] : in->from;
}

/* The merged access keeps where its elements are from, if that is not one place or not all are read. */
static void set_parts(struct grouping *g, struct ir_inst *merged, const struct ir_origin *const from[])
{
    bool same = true;
    for (int p = 0; p < merged->vec; p++)
        same &= from[p] == merged->from && (p >= merged->ndst || merged->dst[p] != IR_NOREG);
    const struct ir_origin **parts = same ? NULL : ARENA_ARRAY(&g->k->arena, const struct ir_origin *, merged->vec);
    for (int p = 0; p < merged->vec && parts; p++)
        parts[p] = from[p];
    merged->parts = parts;
}

/* --- what ends a group --- */

static bool aliases(int a, int b)
{
    return a == b || a == PTX_GENERIC || b == PTX_GENERIC;
}

static void new_regions(struct grouping *g, const struct ir_inst *in)
{
    bool all = facts_wall(in);
    bool access = ir_is_memory(in) && is_grouped_space(in) && (!ir_is(in, PTX_KIND_LOAD) || in->mods->order != PTX_WEAK);
    for (int s = 0; s <= PTX_PARAM; s++)
        if (all || (access && aliases(s, in->space)))
            g->region[s]++;
    g->constant_region += all;
}

/* --- the plan --- */

static struct ir_inst *place(struct grouping *g, int32_t at)
{
    struct group_plan *p = g->plan;
    ALLOC_GROW(p->list, p->n, p->cap);
    p->list[p->n].next = NONE;
    int32_t *end = &p->first[at];
    while (*end != NONE)
        end = &p->list[*end].next;
    *end = p->n;
    return &p->list[p->n++].inst;
}

/* The type a loaded element has when it no longer stands alone: bits, unless the load also widens it. */
static int load_key(const struct grouping *g, const struct ir_inst *in, int32_t reg)
{
    static const uint8_t bits_of[] = {[2] = PTX_B16, [4] = PTX_B32, [8] = PTX_B64};
    bool widens = ptx_type_info[g->k->reg_type[reg]].bits != ptx_type_info[in->type].bits;
    return widens ? in->type : bits_of[size_of(in)];
}

static int line_bytes(const struct ir_inst *in)
{
    return size_of(in) == 2 || in->space == PTX_CONST ? 8 : 16;
}

/* Bytes of the line that an access can be placed in, and where its first element lies in it; 0: none. */
static int line_of(const struct grouping *g, int32_t i, int *offset)
{
    const struct ir_inst *in = inst_at(g, i);
    struct congruence a = g->where[i].low;
    int size = size_of(in), vector = size * in->vec, bytes = line_bytes(in);
    if (in->vec > 1 && a.known < __builtin_ctz((unsigned)vector)) {
        a.known = __builtin_ctz((unsigned)vector); /* or the access would fault */
        a.low = 0;
    }
    while (bytes > size && a.known < __builtin_ctz((unsigned)bytes))
        bytes /= 2;
    *offset = (int)(a.low & (unsigned)(bytes - 1));
    return bytes <= size || *offset % size ? 0 : bytes;
}

/* --- loads --- */

static void add_element(struct grouping *g, int32_t i, int part, int32_t reg)
{
    ALLOC_GROW(g->elements, g->nelements, g->elements_cap);
    int64_t at = g->where[i].sum.add + (int64_t)part * size_of(inst_at(g, i));
    g->elements[g->nelements++] = (struct element){i, part, reg, at, false};
}

static bool line_takes(const struct line *l, const struct line *want)
{
    return l->space == want->space && l->size == want->size && l->region == want->region && l->cache == want->cache &&
           l->key == want->key && l->nc == want->nc && l->root == want->root && l->start == want->start &&
           l->slots == want->slots && !l->closed;
}

static struct line *find_line(struct grouping *g, const struct line *want)
{
    for (int32_t i = g->nlines - 1; i >= 0; i--)
        if (line_takes(&g->lines[i], want))
            return &g->lines[i];
    ALLOC_GROW(g->lines, g->nlines, g->lines_cap);
    g->lines[g->nlines] = *want;
    return &g->lines[g->nlines++];
}

static struct line empty_line(const struct grouping *g, const struct ir_inst *in, int32_t i, int key)
{
    struct line l = {.space = in->space, .size = size_of(in), .cache = in->mods->cache, .nc = in->mods->nc,
                     .root = g->where[i].sum.root, .key = key, .slot = {NONE, NONE, NONE, NONE}};
    l.region = in->mods->nc ? g->constant_region : g->region[in->space];
    return l;
}

/* The element that an earlier load of the same region brought, for `e`, or NONE. */
static int32_t earlier_load(const struct grouping *g, const struct element *e, const int *regions)
{
    const struct ir_inst *in = inst_at(g, e->inst);
    for (int32_t i = g->nelements - 2; i >= 0; i--) {
        const struct element *o = &g->elements[i];
        const struct ir_inst *was = inst_at(g, o->inst);
        if (o->inst == e->inst || o->moved)
            continue;
        if (was->space != in->space || was->type != in->type || was->mods->nc != in->mods->nc ||
            was->mods->cache != in->mods->cache || o->at != e->at || regions[o->inst] != regions[e->inst] ||
            g->where[o->inst].sum.root != g->where[e->inst].sum.root)
            continue;
        if (g->k->reg_type[o->reg] == g->k->reg_type[e->reg])
            return i;
    }
    return NONE;
}

static void gather_elements(struct grouping *g)
{
    int *regions = alloc_zeroed(((size_t)g->b->count + 1) * sizeof *regions);
    for (int32_t i = 0; i < g->b->count; i++) {
        const struct ir_inst *in = inst_at(g, i);
        g->first_element[i] = NONE;
        new_regions(g, in);
        if (!ir_is(in, PTX_KIND_LOAD) || !is_open(in))
            continue;
        regions[i] = in->mods->nc ? g->constant_region : g->region[in->space];
        g->first_element[i] = g->nelements;
        for (int p = 0; p < in->ndst; p++) {
            if (in->dst[p] == IR_NOREG)
                continue;
            add_element(g, i, p, in->dst[p]);
            struct element *e = &g->elements[g->nelements - 1];
            int32_t from = in->vec == 1 ? earlier_load(g, e, regions) : NONE;
            if (from != NONE) {
                struct ir_inst *move = place(g, i);
                *move = *in;
                move_become(g->k, move, (struct ir_src){.kind = IR_SRC_REG, .reg = g->elements[from].reg});
                g->plan->replaced[i] = true;
                e->moved = true;
            }
        }
    }
    alloc_release(regions);
}

static void gather_load_lines(struct grouping *g)
{
    memset(g->region, 0, sizeof g->region);
    g->constant_region = 0;
    for (int32_t i = 0; i < g->b->count; i++) {
        const struct ir_inst *in = inst_at(g, i);
        int offset;
        new_regions(g, in);
        if (g->first_element[i] == NONE || g->plan->replaced[i])
            continue;
        int bytes = line_of(g, i, &offset);
        for (int32_t e = g->first_element[i]; bytes && e < g->nelements && g->elements[e].inst == i; e++) {
            struct line want = empty_line(g, in, i, load_key(g, in, g->elements[e].reg));
            int in_line = (offset + g->elements[e].part * want.size) & (bytes - 1);
            want.start = g->elements[e].at - in_line;
            want.slots = bytes / want.size;
            struct line *l = find_line(g, &want);
            if (l->slot[in_line / want.size] == NONE)
                l->slot[in_line / want.size] = e;
        }
    }
}

/* An element of the line that nobody reads: where the vector is from that asks for it, or NULL. */
static const struct ir_origin *asked_by(const struct grouping *g, const struct line *l, int slot)
{
    const struct ir_origin *from = NULL;
    for (int s = 0; s < l->slots && !from; s++) {
        if (l->slot[s] == NONE)
            continue;
        const struct element *e = &g->elements[l->slot[s]];
        const struct ir_inst *in = inst_at(g, e->inst);
        int part = e->part + slot - s;
        from = part >= 0 && part < in->vec ? origin_of(in, part) : NULL;
    }
    return from;
}

/* Elements first .. first+n-1 of the line become one load, at the place of the first of them. */
static void merge_loads(struct grouping *g, const struct line *l, int first, int n)
{
    int32_t at = INT32_MAX;
    for (int s = first; s < first + n; s++)
        if (l->slot[s] != NONE && g->elements[l->slot[s]].inst < at)
            at = g->elements[l->slot[s]].inst;
    const struct ir_inst *base = inst_at(g, at);
    struct ir_inst *merged = place(g, at);
    uint8_t type = base->type;
    *merged = *base;
    merged->vec = (uint8_t)n;
    merged->offset += l->start + first * l->size - g->where[at].sum.add;
    int32_t reg[SLOTS];
    const struct ir_origin *from[SLOTS] = {NULL};
    for (int d = 0; d < n; d++) {
        int32_t slot = l->slot[first + d];
        reg[d] = slot == NONE ? IR_NOREG : g->elements[slot].reg;
        if (slot == NONE) {
            from[d] = asked_by(g, l, first + d);
            continue;
        }
        const struct element *e = &g->elements[slot];
        from[d] = origin_of(inst_at(g, e->inst), e->part);
        g->elements[slot].moved = true;
        if (inst_at(g, e->inst)->type != type)
            merged->type = (uint8_t)l->key;
    }
    ir_set_results(g->k, merged, n, reg);
    set_parts(g, merged, from);
}

/* A vector of four halves with elements of both words in use keeps its width: the assembler thinks in words. */
static bool keeps_words(const struct grouping *g, const struct line *l)
{
    if (l->size != 2 || l->slots != SLOTS)
        return false;
    bool low = l->slot[0] != NONE || l->slot[1] != NONE, high = l->slot[2] != NONE || l->slot[3] != NONE;
    for (int s = 0; s < SLOTS; s++)
        if (l->slot[s] != NONE && inst_at(g, g->elements[l->slot[s]].inst)->vec != SLOTS)
            return false;
    return low && high;
}

static void decide_load_line(struct grouping *g, const struct line *l)
{
    int used = 0;
    bool pair[2] = {false, false};
    for (int s = 0; s < l->slots; s++)
        used += l->slot[s] != NONE;
    for (int p = 0; p < l->slots / 2; p++)
        pair[p] = l->slot[2 * p] != NONE && l->slot[2 * p + 1] != NONE;
    if (l->slots == SLOTS && (((pair[0] || pair[1]) && used >= 3) || keeps_words(g, l))) {
        merge_loads(g, l, 0, SLOTS);
        return;
    }
    for (int p = 0; p < l->slots / 2; p++)
        if (pair[p])
            merge_loads(g, l, 2 * p, 2);
}

/* What is left of a load whose elements went elsewhere, or of a vector with elements that nobody reads. */
static void place_rest(struct grouping *g, int32_t i)
{
    const struct ir_inst *in = inst_at(g, i);
    int left = 0, moved = 0;
    for (int32_t e = g->first_element[i]; e < g->nelements && g->elements[e].inst == i; e++) {
        left += !g->elements[e].moved;
        moved += g->elements[e].moved;
    }
    if (g->plan->replaced[i] || (!moved && left == in->vec) || (!moved && left == 0))
        return;
    g->plan->replaced[i] = true;
    for (int32_t e = g->first_element[i]; e < g->nelements && g->elements[e].inst == i; e++) {
        if (g->elements[e].moved)
            continue;
        struct ir_inst *single = place(g, i);
        *single = *in;
        single->vec = 1;
        single->from = origin_of(in, g->elements[e].part);
        single->parts = NULL;
        IR_SET_RESULTS(g->k, single, g->elements[e].reg);
        single->offset += (int64_t)g->elements[e].part * size_of(in);
    }
}

static void group_loads(struct grouping *g)
{
    gather_elements(g);
    gather_load_lines(g);
    for (int32_t l = 0; l < g->nlines; l++)
        decide_load_line(g, &g->lines[l]);
    for (int32_t i = 0; i < g->b->count; i++)
        if (g->first_element[i] != NONE)
            place_rest(g, i);
}

/* --- stores --- */

/* Elements of a run are instructions here: slot[] holds the instruction that writes the slot. */
static bool merge_stores(struct grouping *g, const struct line *l, int first, int n)
{
    int32_t at = NONE, members[SLOTS], nmembers = 0;
    for (int s = first; s < first + n; s++) {
        at = l->slot[s] > at ? l->slot[s] : at;
        if (s == first || l->slot[s] != l->slot[s - 1])
            members[nmembers++] = l->slot[s];
    }
    if (nmembers < 2)
        return false;
    const struct ir_inst *base = inst_at(g, at);
    struct ir_inst *merged = place(g, at);
    *merged = *base;
    merged->vec = (uint8_t)n;
    IR_SET_SOURCES(g->k, merged, base->src[0]);
    merged->offset += l->start + first * l->size - g->where[at].sum.add;
    const struct ir_origin *from[SLOTS] = {NULL};
    for (int m = 0, part = 0; m < nmembers; m++) {
        const struct ir_inst *in = inst_at(g, members[m]);
        for (int s = 1; s < in->nsrc; s++) {
            ir_add_source(g->k, merged, in->src[s]);
            from[part++] = origin_of(in, s - 1);
        }
        if (in->type != base->type)
            merged->type = l->size == 2 ? PTX_B16 : l->size == 4 ? PTX_B32 : PTX_B64;
        g->plan->replaced[members[m]] = true;
    }
    set_parts(g, merged, from);
    return true;
}

static void decide_store_line(struct grouping *g, const struct line *l)
{
    int used = 0, scalars = 0, first = NONE;
    for (int s = 0; s < l->slots; s++)
        if (l->slot[s] != NONE) {
            used++;
            scalars += inst_at(g, l->slot[s])->vec == 1;
            if (first == NONE || l->slot[s] < first)
                first = l->slot[s];
        }
    if (!used || (scalars && inst_at(g, first)->vec > 1))
        return; /* a vector, then scalars: left as they are */
    if (l->slots == SLOTS && used == SLOTS && merge_stores(g, l, 0, SLOTS))
        return;
    for (int p = 0; p < l->slots; p += 2)
        if (l->slot[p] != NONE && l->slot[p + 1] != NONE)
            merge_stores(g, l, p, 2);
}

static void close_run(struct grouping *g, struct line *run)
{
    if (run->slots)
        decide_store_line(g, run);
    run->slots = 0;
}

static bool run_takes(const struct line *run, const struct line *want, int slot, int vec)
{
    struct line probe = *want;
    probe.region = run->region;
    if (!run->slots || !line_takes(run, &probe))
        return false;
    for (int s = slot; s < slot + vec; s++)
        if (run->slot[s] != NONE)
            return false;
    return true;
}

static void group_stores(struct grouping *g)
{
    struct line run[PTX_PARAM + 1];
    memset(run, 0, sizeof run);
    for (int32_t i = 0; i < g->b->count; i++) {
        const struct ir_inst *in = inst_at(g, i);
        bool access = ir_is_memory(in) && is_grouped_space(in);
        bool open = ir_is(in, PTX_KIND_STORE) && is_open(in);
        int offset = 0, bytes = open ? line_of(g, i, &offset) : 0;
        struct line want = open ? empty_line(g, in, i, 0) : (struct line){0};
        int slot = open ? offset / want.size : 0;
        want.start = g->where[i].sum.add - offset;
        want.slots = open ? bytes / want.size : 0;
        for (int s = 0; s <= PTX_PARAM; s++) {
            bool same_run = bytes && s == in->space && run_takes(&run[s], &want, slot, in->vec);
            if ((facts_wall(in) || (access && aliases(s, in->space))) && !same_run)
                close_run(g, &run[s]);
        }
        if (!bytes)
            continue;
        struct line *l = &run[in->space];
        if (!l->slots)
            *l = want;
        for (int p = 0; p < in->vec; p++)
            l->slot[slot + p] = i;
    }
    for (int s = 0; s <= PTX_PARAM; s++)
        close_run(g, &run[s]);
}

/* --- */

void group_block(struct ir_kernel *k, struct values *v, int32_t b, struct group_plan *plan)
{
    struct grouping g = {.k = k, .b = &k->blocks[b], .plan = plan};
    size_t n = (size_t)g.b->count + 1;
    *plan = (struct group_plan){0};
    plan->replaced = alloc_zeroed(n * sizeof *plan->replaced);
    plan->first = alloc_zeroed(n * sizeof *plan->first);
    g.where = alloc_zeroed(n * sizeof *g.where);
    g.first_element = alloc_zeroed(n * sizeof *g.first_element);
    for (size_t i = 0; i < n; i++)
        plan->first[i] = NONE;
    for (int32_t i = 0; i < g.b->count; i++)
        if (ir_is_memory(inst_at(&g, i)))
            g.where[i] = values_address(v, inst_at(&g, i));
    group_loads(&g);
    group_stores(&g);
    alloc_release(g.where);
    alloc_release(g.first_element);
    alloc_release(g.elements);
    alloc_release(g.lines);
}

void group_plan_release(struct group_plan *plan)
{
    alloc_release(plan->replaced);
    alloc_release(plan->first);
    alloc_release(plan->list);
}
