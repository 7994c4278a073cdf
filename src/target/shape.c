/* See shape.h. Regions grow from the innermost branch outwards; a loop is looked at when its body's branches are known. */
#include "target/shape.h"

#include "base/alloc.h"
#include "ir/facts.h"
#include "target/weight.h"
#include "target/window.h"

#include <math.h>

/* Instructions of a way that becomes predicated, its own branch included; of one that loads from global memory, or where
 * soon after the branch somebody does (advance.h), so that this load can begin before the way. A way that loads stays a branch where floats are compared for it, if
 * nothing behind it loads. Ways of 0 to 200 FFMA with loads and stores of each kind, conditions of each type, ptxas 13.0 (V13.0.88), sm_90, 2026-12-01. */
enum { WAY = 8, WAY_LOADING = 20, DEEP = 8 };
/* What a turn of a loop may weigh (weight.h) that is unrolled by ROUNDS: more where it waits for loads, of shared memory for each of them.
 * Loops of 1 to 99 FFMA with 0 to 24 loads, stores, atomics, barriers and ways, ptxas 13.0 (V13.0.88), sm_90, 2026-11-30. */
enum { ROUNDS = 4, TURN = 18, TURN_LOADING = 46, TURN_SHARED_LOAD = 5, TURN_MOST = 96 };
/* A loop of known length goes away if its n turns weigh at most WHOLE * n^WHOLE_POWER together, but not less than WHOLE_LEAST and not more
 * than WHOLE_MOST; else, if a turn weighs at most PART_TURN and has no branch, as many turns stand side by side as together with those that are left over
 * weigh at most PART. A loop that calls stays as it is. Loops of 1 to 92 FFMA and 8 to 1024 turns, as above; of the first rule 16 of 20
 * lengths are met, the others off by one FFMA. */
enum { WHOLE = 189, WHOLE_LEAST = 400, WHOLE_MOST = 3500, PART = 350, PART_TURN = 72, TURNS_MOST = 4096 };
static const double WHOLE_POWER = 0.43;

struct shaping {
    const struct code *selected;
    const struct lowered *l;
    const struct ir_kernel *k;
    struct shape *s;
    int32_t *last; /* [nblocks] of a region's head: its last block */
};

static const struct ir_inst *end_of(const struct ir_kernel *k, int32_t b)
{
    const struct ir_block *bl = &k->blocks[b];
    return bl->count ? &k->insts[bl->first + bl->count - 1] : NULL;
}

/* --- regions --- */

/* It comes from where loads take long. */
static bool is_long_load(const struct ir_inst *in)
{
    return ir_is(in, PTX_KIND_LOAD) && (in->space == PTX_GLOBAL || in->space == PTX_GENERIC || in->space == PTX_LOCAL);
}

static int region_size(const struct shaping *g, int32_t head, bool *loads)
{
    int size = 0;
    for (int32_t b = head; b >= 0; b = g->s->next[b]) {
        const struct ir_block *bl = &g->k->blocks[b];
        for (int32_t i = bl->first; i < bl->first + bl->count; i++) {
            const struct ir_inst *in = &g->k->insts[i];
            bool gone = g->s->converted[b] && i == bl->first + bl->count - 1;
            size += gone ? 0 : code_executed(g->selected, i);
            *loads |= is_long_load(in);
        }
    }
    return size;
}

/* Instructions on uniform registers have no predicate. */
static bool is_uniform(const struct lowered *l, const struct ir_inst *in)
{
    if (in->ndst && in->dst[0] != IR_NOREG && l->windows && l->windows->of_reg[in->dst[0]] >= 0)
        return l->k->insts[l->windows->of[l->windows->of_reg[in->dst[0]]].site].block == in->block && l->place[in->dst[0]] == PLACE_UNIFORM;
    return in->ndst && in->dst[0] != IR_NOREG && l->place[in->dst[0]] == PLACE_UNIFORM;
}

static bool may_be_predicated(const struct lowered *l, const struct ir_inst *in)
{
    if (ir_is_own(in))
        return in->op == IR_OP_DELETED;
    if (is_uniform(l, in) || facts_convergent(in))
        return false;
    switch (ptx_op_info[in->op].class) {
    case PTX_CLASS_ATOM:
    case PTX_CLASS_RED:
    case PTX_CLASS_SHUFFLE:
    case PTX_CLASS_VOTE:
    case PTX_CLASS_CALL:
    case PTX_CLASS_EXIT:
    case PTX_CLASS_BARRIER:
    case PTX_CLASS_FENCE:
        return false;
    default:
        return !ir_is(in, PTX_KIND_SWITCH);
    }
}

/* Ways part again in the region. The conditions become one where nothing but them is in front; else the first stays a branch. */
static bool parts_again(const struct shaping *g, int32_t head)
{
    bool parts = false, other = false;
    for (int32_t b = head; b >= 0; b = g->s->next[b]) {
        parts |= g->s->converted[b];
        for (int32_t i = g->k->blocks[b].first; i < g->k->blocks[b].first + g->k->blocks[b].count; i++)
            other |= g->s->guard[b] == IR_NOREG && !ir_is(&g->k->insts[i], PTX_KIND_COMPARE) && !ir_is_conditional(&g->k->insts[i]);
    }
    return parts && other;
}

/* Floats of 32 or 64 bits are compared for the predicate. */
static bool compares_floats(const struct shaping *g, int32_t predicate, int depth)
{
    const int32_t site = predicate == IR_NOREG ? -1 : g->l->only[predicate];
    const struct ir_inst *in = site < 0 ? NULL : &g->k->insts[site];
    if (!in || !depth || (!ir_is(in, PTX_KIND_COMPARE) && in->type != PTX_PRED))
        return false;
    if (ir_is(in, PTX_KIND_COMPARE) && (in->type == PTX_F32 || in->type == PTX_F64))
        return true;
    for (int s = 0; s < in->nsrc; s++)
        if (in->src[s].kind == IR_SRC_REG && g->k->reg_type[in->src[s].reg] == PTX_PRED && compares_floats(g, in->src[s].reg, depth - 1))
            return true;
    return false;
}

/* The region at `way` is only entered from block `from`, is short, and goes on to *join; *size: its instructions. */
static bool is_short_way(const struct shaping *g, int32_t from, int32_t way, int32_t *join, int *size)
{
    const struct ir_kernel *k = g->k;
    bool loads = false;
    if (way < 0 || g->s->head[way] != way || k->blocks[way].npred != 1 || k->blocks[way].loop != k->blocks[from].loop)
        return false;
    int32_t last = g->last[way];
    if (k->blocks[last].nsucc != 1 || k->blocks[last].succ[0] < 0)
        return false;
    *join = k->blocks[last].succ[0];
    for (int32_t b = way; b >= 0; b = g->s->next[b])
        for (int32_t i = k->blocks[b].first; i < k->blocks[b].first + k->blocks[b].count; i++)
            if (!may_be_predicated(g->l, &k->insts[i]))
                return false;
    if (parts_again(g, way))
        return false;
    *size = region_size(g, way, &loads);
    if (end_of(k, from)->loads_behind)
        return *size <= WAY_LOADING;
    if (loads && compares_floats(g, end_of(k, from)->guard, DEEP))
        return false;
    return *size <= (loads ? WAY_LOADING : WAY);
}

/* guard: of a way that becomes predicated, and whether that of lanes for which it is false. */
static void append(struct shaping *g, int32_t head, int32_t other, int32_t counted, int32_t guard, bool otherwise)
{
    g->s->next[g->last[head]] = other;
    g->last[head] = g->last[other];
    for (int32_t b = other; b >= 0; b = g->s->next[b]) {
        g->s->head[b] = head;
        if (counted >= 0)
            g->s->counted[b] = counted;
        if (g->s->guard[b] == IR_NOREG) {
            g->s->guard[b] = guard;
            g->s->otherwise[b] = otherwise;
        }
    }
}

/* Every way to the block comes from the region. */
static bool only_from(const struct shaping *g, int32_t head, int32_t block)
{
    for (int32_t p = 0; p < g->k->blocks[block].npred; p++)
        if (g->s->head[g->k->blocks[block].pred[p]] != head)
            return false;
    return true;
}

bool shape_leaves(const struct ir_kernel *k, int32_t b)
{
    for (int32_t i = k->blocks[b].first; i < k->blocks[b].first + k->blocks[b].count; i++)
        if (!ir_is_end(&k->insts[i]))
            return false;
    return true;
}

bool *shape_ways(const struct ir_kernel *k)
{
    bool *ways = alloc_zeroed((size_t)k->nblocks + 1);
    for (int32_t b = 0; b < k->nblocks; b++) {
        const int32_t from = k->blocks[b].idom;
        int32_t join = from < 0 ? -1 : k->blocks[from].ipdom;
        while (join >= 0 && join != b)
            join = k->blocks[join].ipdom;
        ways[b] = from >= 0 && join != b && k->blocks[from].loop == k->blocks[b].loop; /* not all that come to `from` come here */
    }
    return ways;
}

static bool grow(struct shaping *g, int32_t head)
{
    const struct ir_kernel *k = g->k;
    int32_t e = g->last[head], join = -1, other = -1;
    int size = 0, more = 0;
    const struct ir_block *bl = &k->blocks[e];
    const struct ir_inst *branch = end_of(k, e);
    if (bl->nsucc == 1 && bl->succ[0] >= 0) {
        int32_t j = bl->succ[0];
        if (j == head || g->s->head[j] != j || !only_from(g, head, j) || k->blocks[j].loop != k->blocks[head].loop || shape_leaves(k, j))
            return false;
        append(g, head, j, -1, IR_NOREG, false);
        return true;
    }
    if (!branch || !ir_is_conditional(branch) || bl->nsucc != 2 || g->s->converted[e])
        return false;
    for (int w = 0; w < 2; w++) {
        int32_t way = bl->succ[w], across = bl->succ[1 - w];
        if (!is_short_way(g, e, way, &join, &size) || way == head || shape_leaves(k, join)) /* those that leave do so at once */
            continue;
        if (join == across) {
            append(g, head, way, head, branch->guard, (branch->target == way) == branch->guard_negated);
        } else if (is_short_way(g, e, across, &other, &more) && other == join && across != head && (size + more <= WAY_LOADING || !branch->loads_behind)) {
            append(g, head, way, head, branch->guard, (branch->target == way) == branch->guard_negated);
            append(g, head, across, head, branch->guard, (branch->target == across) == branch->guard_negated);
        } else {
            continue;
        }
        g->s->converted[e] = true;
        return true;
    }
    return false;
}

/* Behind converted ways the region ends in the last way; where it goes on is that block's successor, which `grow` takes in
 * when every way to it comes from the region. */
static void find_regions(struct shaping *g)
{
    for (int32_t b = 0; b < g->k->nblocks; b++) {
        g->s->head[b] = g->s->counted[b] = g->last[b] = b;
        g->s->next[b] = -1;
        g->s->guard[b] = IR_NOREG;
    }
    if (g->k->recursive)
        return;
    for (bool changed = true; changed;) {
        changed = false;
        for (int32_t b = g->k->nblocks - 1; b >= 0; b--)
            while (g->s->head[b] == b && grow(g, b))
                changed = true;
    }
}

/* --- loops --- */

static bool is_innermost(const struct ir_kernel *k, int32_t loop)
{
    for (int32_t o = 0; o < k->nloops; o++)
        if (k->loops[o].parent == loop)
            return false;
    return true;
}

/* .pragma "nounroll" stands between the block before the loop and its first instruction. */
static bool is_kept_rolled(const struct ir_kernel *k, int32_t loop)
{
    int32_t h = k->loops[loop].header;
    int from = 0, to = k->insts[k->blocks[h].first].from->ptx_line;
    for (int32_t i = 0; i < k->ninsts; i++)
        if (k->insts[i].from->ptx_line < to && k->insts[i].from->ptx_line > from && k->insts[i].block != h)
            from = k->insts[i].from->ptx_line;
    for (int i = 0; k->module && i < k->module->nrolled; i++)
        if (k->module->rolled[i] > from && k->module->rolled[i] < to)
            return true;
    return false;
}

static bool is_made_in(const struct shaping *g, int32_t loop, int32_t reg)
{
    for (int32_t i = 0; i < g->k->ninsts; i++)
        for (int d = 0; d < g->k->insts[i].ndst; d++)
            if (g->k->insts[i].dst[d] == reg && ir_bit(g->k->loops[loop].blocks, g->k->insts[i].block))
                return true;
    return false;
}

/* r = r + constant, or through a move (n = r + constant; ...; r = n). */
static bool is_step(const struct shaping *g, const struct ir_inst *in)
{
    if ((!ir_is(in, PTX_KIND_ADD) && !ir_is(in, PTX_KIND_SUB)) || in->nsrc != 2 || in->src[1].kind != IR_SRC_IMM ||
        in->src[0].kind != IR_SRC_REG || in->dst[0] == IR_NOREG || in->guard != IR_NOREG)
        return false;
    int32_t r = in->src[0].reg;
    if (r == in->dst[0])
        return true;
    for (int32_t i = g->l->readers[in->dst[0]]; i < g->l->readers[in->dst[0] + 1]; i++) {
        const struct ir_inst *m = &g->k->insts[g->l->reader[i]];
        if (ir_is(m, PTX_KIND_COPY) && m->ndst == 1 && m->dst[0] == r && m->block > -1 &&
            g->k->blocks[m->block].loop == g->k->blocks[in->block].loop)
            return true;
    }
    return false;
}

/* The register is written in the loop by this instruction and by no other. */
static bool is_only_change(const struct shaping *g, int32_t loop, int32_t reg, int32_t site)
{
    for (int32_t i = 0; i < g->k->ninsts; i++)
        if (i != site && ir_defines(&g->k->insts[i], reg) && ir_bit(g->k->loops[loop].blocks, g->k->insts[i].block))
            return false;
    return true;
}

/* Where the loop gives the register that lanes bring along its next value: the sum itself, or a move of it; -1: not in one place. */
static int32_t changes_at(const struct shaping *g, int32_t loop, const struct ir_inst *add)
{
    const struct ir_kernel *k = g->k;
    int32_t r = add->src[0].reg, at = -1;
    for (int32_t i = 0; i < k->ninsts; i++)
        if (ir_bit(k->loops[loop].blocks, k->insts[i].block) && ir_defines(&k->insts[i], r))
            at = i;
    return at >= 0 && is_only_change(g, loop, r, at) && is_only_change(g, loop, add->dst[0], (int32_t)(add - k->insts)) ? at : -1;
}

/* In a turn `a` comes before `b`. */
static bool comes_before(const struct ir_kernel *k, int32_t a, int32_t b)
{
    int32_t at = k->insts[a].block, of = k->insts[b].block;
    return at == of ? a < b : ir_dominates(k, at, of);
}

/* What a comparison of the counter with the bound says where lanes go on. */
static enum ptx_cmp going_on(const struct ir_inst *cmp, bool exchanged, bool opposite)
{
    static const uint8_t other_way[] = {[PTX_EQ] = PTX_EQ, [PTX_NE] = PTX_NE, [PTX_LT] = PTX_GT, [PTX_LE] = PTX_GE, [PTX_GT] = PTX_LT, [PTX_GE] = PTX_LE};
    static const uint8_t not[] = {[PTX_EQ] = PTX_NE, [PTX_NE] = PTX_EQ, [PTX_LT] = PTX_GE, [PTX_LE] = PTX_GT, [PTX_GT] = PTX_LE, [PTX_GE] = PTX_LT};
    if (cmp->mods->cmp < PTX_EQ || cmp->mods->cmp > PTX_GE)
        return PTX_CMP_NONE;
    uint8_t how = exchanged ? other_way[cmp->mods->cmp] : (uint8_t)cmp->mods->cmp;
    return opposite ? not[how] : how;
}

/* The only number that lanes bring along in the register. */
static bool find_start(const struct ir_kernel *k, int32_t loop, int32_t reg, int64_t *start)
{
    int32_t starts = 0;
    for (int32_t i = 0; i < k->ninsts; i++) {
        const struct ir_inst *m = &k->insts[i];
        if (m->ndst != 1 || m->dst[0] != reg || ir_bit(k->loops[loop].blocks, m->block))
            continue;
        if (starts++ || !ir_is(m, PTX_KIND_COPY) || m->src[0].kind != IR_SRC_IMM)
            return false;
        *start = ir_signed(m->src[0].imm, ptx_type_info[m->type].bits);
    }
    return starts == 1;
}

/* Turns of a lane that brings `start`, or 0: it goes on the wrong way, and ends when the counter has wrapped. */
static int64_t turns_from(const struct counter *c, int64_t start)
{
    int64_t first = start + c->trips.step, bound = ir_signed(c->bound.imm, ptx_type_info[c->type].bits);
    int64_t by = c->trips.step < 0 ? -c->trips.step : c->trips.step, left = c->trips.step < 0 ? first - bound : bound - first;
    bool strict = c->trips.goes_on == PTX_LT || c->trips.goes_on == PTX_GT;
    if (c->trips.goes_on == PTX_NE)
        return left >= 0 && left % by == 0 ? left / by + 1 : 0;
    return left < strict ? 1 : (left - strict) / by + 2;
}

/* What makes the condition of the block's branch: in the block, or nowhere else; or -1. */
static int32_t condition_of(const struct shaping *g, int32_t b)
{
    int32_t p = end_of(g->k, b)->guard, i = g->k->blocks[b].first + g->k->blocks[b].count - 1;
    while (i >= g->k->blocks[b].first && !ir_defines(&g->k->insts[i], p))
        i--;
    return i < g->k->blocks[b].first ? g->l->only[p] : g->k->insts[i].guard == IR_NOREG ? i : -1;
}

/* The loop's only branch back, its comparison, and the counter that it compares with something that does not change. The counter is
 * compared when it has gone up, and lanes leave when it has come to the bound or past it: only then does the assembler know before the
 * loop how many turns they do (loops of FFMA that compare, then add, stay rolled, 2026-11-29). */
static bool find_counter(const struct shaping *g, int32_t loop, int32_t latch, struct counter *c)
{
    const struct ir_kernel *k = g->k;
    const struct ir_inst *branch = end_of(k, latch);
    if (!branch || !ir_is_conditional(branch) || (c->compare = condition_of(g, latch)) < 0)
        return false;
    const struct ir_inst *cmp = &k->insts[c->compare];
    if (!ir_is(cmp, PTX_KIND_COMPARE) || !ir_bit(k->loops[loop].blocks, cmp->block) || cmp->nsrc != 2)
        return false;
    for (int s = 0; s < 2; s++) {
        const struct ir_src *a = &cmp->src[s], *b = &cmp->src[1 - s];
        if (a->kind != IR_SRC_REG || (b->kind == IR_SRC_REG && is_made_in(g, loop, b->reg)))
            continue;
        for (int32_t i = 0; i < k->ninsts; i++) {
            const struct ir_inst *in = &k->insts[i];
            if (!ir_bit(k->loops[loop].blocks, in->block) || !is_step(g, in) ||
                (in->dst[0] != a->reg && in->src[0].reg != a->reg))
                continue;
            int bits = ptx_type_info[in->type].bits;
            int32_t changes = changes_at(g, loop, in), read = a->reg == in->src[0].reg ? changes : i;
            int64_t step = ir_signed(in->src[1].imm, bits), start;
            step = ir_is(in, PTX_KIND_SUB) ? -step : step;
            bool goes_back = branch->target == k->loops[loop].header;
            enum ptx_cmp on = going_on(cmp, s == 1, goes_back == branch->guard_negated);
            bool up = on == PTX_LT || on == PTX_LE, down = on == PTX_GT || on == PTX_GE;
            if (changes < 0 || !step || !comes_before(k, read, c->compare) || (!up && !down && on != PTX_NE) || (up && step < 0) || (down && step > 0) ||
                (bits != 32 && bits != 64) || ptx_type_info[cmp->type].bits != bits || !ptx_is_integer(cmp->type))
                return false;
            *c = (struct counter){.branch = (int32_t)(branch - k->insts), .compare = c->compare, .add = i, .reg = in->src[0].reg, .bound = *b, .type = cmp->type,
                                  .trips = {.step = step, .goes_on = (uint8_t)on}};
            c->turns = b->kind == IR_SRC_IMM && find_start(k, loop, c->reg, &start) ? turns_from(c, start) : 0;
            return true;
        }
    }
    return false;
}

static int within(int n, int least, int most)
{
    return n < least ? least : n > most ? most : n;
}

/* Of known length: all rounds, or the most that with those left over are not too many. */
static bool unroll_known(struct shape *s, int32_t loop, int64_t n, int size, bool branches)
{
    s->known[loop] = true;
    if (n < TURNS_MOST && n * size <= within((int)(WHOLE * pow((double)n, WHOLE_POWER)), WHOLE_LEAST, WHOLE_MOST)) {
        s->rounds[loop] = (uint16_t)n;
        s->whole[loop] = true;
        return true;
    }
    int64_t rounds = branches || size > PART_TURN ? 1 : n < PART / size ? n : PART / size;
    while (rounds > 1 && (rounds + n % rounds) * size > PART)
        rounds--;
    s->rounds[loop] = (uint16_t)rounds;
    s->rest[loop] = (uint16_t)(n % rounds);
    return rounds > 1;
}

/* All branches in the loop have become predicates, and none of stores. */
static bool is_one_region(const struct shaping *g, int32_t loop)
{
    const struct ir_kernel *k = g->k;
    for (int32_t b = 0; b < k->nblocks; b++) {
        if (!ir_bit(k->loops[loop].blocks, b))
            continue;
        if (g->s->head[b] != g->s->head[k->loops[loop].header])
            return false;
        for (int32_t i = k->blocks[b].first; g->s->guard[b] != IR_NOREG && i < k->blocks[b].first + k->blocks[b].count; i++)
            if (ir_is(&k->insts[i], PTX_KIND_STORE))
                return false;
    }
    return true;
}

/* Quotients and roots call functions of the assembler, some operations have branches of their own, a fence keeps what is around it. */
static bool stays_rolled(const struct shaping *g, int32_t loop)
{
    for (int32_t i = 0; i < g->k->ninsts; i++) {
        const struct ir_inst *in = &g->k->insts[i];
        if (!ir_bit(g->k->loops[loop].blocks, in->block) || ir_is(in, PTX_KIND_BRANCH) || ir_is(in, PTX_KIND_ATOMIC) || ir_is(in, PTX_KIND_REDUCE))
            continue;
        if (ir_class(in) == PTX_CLASS_FENCE)
            return true;
        for (int32_t m = g->selected->first[i]; m < g->selected->first[i + 1]; m++)
            if (g->selected->insts[m].op == OP_CALL || g->selected->insts[m].op == OP_BRA)
                return true;
    }
    return false;
}

static bool is_unrolled(const struct shaping *g, int32_t loop, struct counter *c)
{
    const struct ir_kernel *k = g->k;
    int32_t latch = -1, exits = 0;
    if (!is_innermost(k, loop) || k->loops[loop].waiting || is_kept_rolled(k, loop))
        return false;
    for (int32_t b = 0; b < k->nblocks; b++) {
        if (!ir_bit(k->loops[loop].blocks, b))
            continue;
        for (int32_t s = 0; s < k->blocks[b].nsucc; s++) {
            int32_t to = k->blocks[b].succ[s];
            exits += to < 0 || !ir_bit(k->loops[loop].blocks, to);
            if (to == k->loops[loop].header) {
                if (latch >= 0)
                    return false;
                latch = b;
            }
        }
    }
    if (exits != 1 || latch < 0 || !is_one_region(g, loop) || stays_rolled(g, loop) || !find_counter(g, loop, latch, c))
        return false;
    const struct weight w = weight_of_turn(g->l, g->selected, loop, c);
    const int shared = within(TURN + TURN_SHARED_LOAD * w.shared, 0, TURN_MOST);
    if (c->turns)
        return unroll_known(g->s, loop, c->turns, w.size ? w.size : 1, latch != k->loops[loop].header);
    g->s->rounds[loop] = ROUNDS;
    return w.size <= (w.loads && shared < TURN_LOADING ? TURN_LOADING : shared);
}

static void find_loops(struct shaping *g)
{
    const struct ir_kernel *k = g->k;
    for (int32_t loop = 0; loop < k->nloops; loop++) {
        struct counter c;
        g->s->rounds[loop] = 1;
        if (k->recursive || !is_unrolled(g, loop, &c) || g->s->rounds[loop] < 2) {
            g->s->rounds[loop] = 1;
            g->s->known[loop] = g->s->whole[loop] = false;
            continue;
        }
        c.parts = !ir_bit(g->l->together, k->insts[c.compare].dst[0]);
        g->s->counter[loop] = c;
        g->s->counter[loop].trips.rounds = g->s->rounds[loop];
        for (int32_t i = 0; i < k->ninsts; i++) {
            const struct ir_inst *in = &k->insts[i];
            if (!ir_bit(k->loops[loop].blocks, in->block))
                continue;
            if (i == c.compare || is_step(g, in) || (ir_is(in, PTX_KIND_BRANCH) && in->back_edge))
                g->s->control[i] = true;
        }
    }
}

struct shape *shape_new(const struct lowered *l, const struct code *selected)
{
    const struct ir_kernel *k = l->k;
    struct shape *s = alloc_zeroed(sizeof *s);
    size_t n = (size_t)k->nblocks + 1;
    struct shaping g = {.selected = selected, .l = l, .k = k, .s = s};
    s->head = alloc_zeroed(n * 4);
    s->next = alloc_zeroed(n * 4);
    s->guard = alloc_zeroed(n * 4);
    s->otherwise = alloc_zeroed(n);
    s->counted = alloc_zeroed(n * 4);
    g.last = alloc_zeroed(n * 4);
    s->converted = alloc_zeroed(n);
    s->rounds = alloc_zeroed(((size_t)k->nloops + 1) * sizeof *s->rounds);
    s->rest = alloc_zeroed(((size_t)k->nloops + 1) * sizeof *s->rest);
    s->known = alloc_zeroed((size_t)k->nloops + 1);
    s->whole = alloc_zeroed((size_t)k->nloops + 1);
    s->counter = alloc_zeroed(((size_t)k->nloops + 1) * sizeof *s->counter);
    s->control = alloc_zeroed((size_t)k->ninsts + 1);
    find_regions(&g);
    find_loops(&g);
    alloc_release(g.last);
    return s;
}

void shape_free(struct shape *s)
{
    if (!s)
        return;
    alloc_release(s->head);
    alloc_release(s->next);
    alloc_release(s->guard);
    alloc_release(s->otherwise);
    alloc_release(s->counted);
    alloc_release(s->converted);
    alloc_release(s->rounds);
    alloc_release(s->rest);
    alloc_release(s->known);
    alloc_release(s->whole);
    alloc_release(s->counter);
    alloc_release(s->control);
    alloc_release(s);
}
