/* See layout.h. */
#include "target/layout.h"

#include "base/alloc.h"
#include "ir/cfg.h"
#include "target/long_ways.h"
#include "target/target.h"

#include <string.h>

struct laying {
    const struct lowered *l;
    const struct ir_kernel *k;
    const struct shape *s;
    const struct code *from;
    struct code *to;
    int32_t *parts; /* [nblocks] how many branches part lanes in front of the block's end */
    int32_t *meets; /* [nblocks] how many of those meet at its begin */
    bool *apart;    /* [nblocks] lanes that come there have parted from others */
    bool *waits;    /* [nblocks] lanes meet there at a barrier, which they come to together: WARPSYNC */
    bool exchanges; /* lanes exchange values somewhere in the kernel */
    bool *done;     /* [nblocks] it is there */
    bool *synced;    /* [sites] a branch: its lanes meet at a BSYNC */
    int32_t *loaded; /* [registers] the head of the region that has loaded it from the constant bank, + 1 */
};

static struct operand predicate(int32_t reg, bool negated)
{
    return (struct operand){.file = FILE_PREDICATE, .number = reg, .negated = negated};
}

static struct machine_inst *add(struct laying *g, enum machine_op op, const char *form, int32_t site)
{
    return code_add(g->to, &(struct machine_inst){.op = (uint16_t)op, .form = form, .site = site});
}

static int32_t common_dominator(const struct ir_kernel *k, int32_t a, int32_t b)
{
    while (a >= 0 && !ir_dominates(k, a, b))
        a = k->blocks[a].idom;
    return a;
}

static bool is_barrier(const struct ir_inst *in)
{
    return ir_is(in, PTX_KIND_BARRIER) && in->mods->variant != PTX_BAR_WARP;
}

static bool has_barrier(const struct ir_kernel *k, int32_t b)
{
    for (int32_t i = k->blocks[b].first; i < k->blocks[b].first + k->blocks[b].count; i++)
        if (is_barrier(&k->insts[i]))
            return true;
    return false;
}

/* Blocks on the ways from a to b. */
static void mark_apart(struct laying *g, int32_t a, int32_t b)
{
    const struct ir_block *bl = &g->k->blocks[a];
    for (int32_t s = 0; s < bl->nsucc; s++)
        if (bl->succ[s] >= 0 && bl->succ[s] != b && !g->apart[bl->succ[s]]) {
            g->apart[bl->succ[s]] = true;
            mark_apart(g, bl->succ[s], b);
        }
}

static bool is_shuffle(const struct ir_inst *in)
{
    return in->op == PTX_OP_SHFL || in->op == PTX_OP_VOTE;
}

static int32_t first_shuffle(const struct ir_kernel *k, int32_t b)
{
    for (int32_t i = k->blocks[b].first; i < k->blocks[b].first + k->blocks[b].count; i++)
        if (is_shuffle(&k->insts[i]))
            return i;
    return -1;
}

static bool has_shuffle(const struct ir_kernel *k)
{
    for (int32_t b = 0; b < k->nblocks; b++)
        if (first_shuffle(k, b) >= 0)
            return true;
    return false;
}

/* A block that does nothing but go elsewhere or end the kernel, and that no block runs into: those that branch there go there
 * themselves. A conditional branch around it to the block behind it becomes its opposite. */
static bool is_left_out(const struct laying *g, int32_t b)
{
    const struct ir_kernel *k = g->k;
    const struct ir_block *bl = &k->blocks[b];
    bool jump = bl->count == 1 && ir_is(&k->insts[bl->first], PTX_KIND_BRANCH) && k->insts[bl->first].guard == IR_NOREG;
    if (!bl->npred && b > 0)
        return true; /* nobody comes there */
    if (!bl->count || !b || (!jump && !shape_leaves(k, b)))
        return false;
    for (int32_t p = 0; p < bl->npred; p++) {
        const struct ir_block *before = &k->blocks[bl->pred[p]];
        const struct ir_inst *end = before->count ? &k->insts[before->first + before->count - 1] : NULL;
        if (!end || !ir_is(end, PTX_KIND_BRANCH))
            return false;
        if (end->target != b && end->guard != IR_NOREG && bl->pred[p] + 1 == b && !(jump && end->target == b + 1))
            return false;
    }
    return true;
}

/* The block that comes next of those that are there. */
static int32_t goes_on_at(const struct laying *g, int32_t b)
{
    for (b++; b < g->k->nblocks && is_left_out(g, b); b++)
        continue;
    return b;
}

static bool ends_block(const struct ir_kernel *k, int32_t site)
{
    const struct ir_block *b = &k->blocks[k->insts[site].block];
    return site == b->first + b->count - 1;
}

/* A branch that is no instruction: its ways are predicated, or it goes on in the same region. */
static bool is_gone(const struct laying *g, int32_t site)
{
    const struct ir_inst *in = &g->k->insts[site];
    return ir_is(in, PTX_KIND_BRANCH) && ends_block(g->k, site) &&
           (g->s->converted[in->block] || (in->guard == IR_NOREG && (g->s->next[in->block] >= 0 || goes_on_at(g, in->block) == in->target)));
}

static void add_bssy(struct laying *g, int32_t site)
{
    if (g->to->arch < 80)
        add(g, OP_BMOV, "32.CLEAR", site);
    add(g, OP_BSSY, "", site);
}

/* Lanes part behind the block's other instructions and before its branch. */
static void add_parting(struct laying *g, int32_t b, int32_t site)
{
    for (int32_t n = g->parts[b]; n > 0; n--)
        add_bssy(g, site);
}

static int unrolled_at(const struct laying *g, int32_t b)
{
    for (int32_t loop = g->k->blocks[b].loop; loop >= 0; loop = g->k->loops[loop].parent)
        if (g->s->rounds[loop] > 1)
            return loop;
    return -1;
}

static void add_site(struct laying *g, int32_t site)
{
    int32_t b = g->k->insts[site].block;
    for (int32_t i = g->from->first[site]; i < g->from->first[site + 1]; i++) {
        const struct machine_inst *from = &g->from->insts[i];
        const bool way = g->s->guard[b] != IR_NOREG && from->op != OP_ULDC; /* instructions of the whole warp have no predicate */
        const bool load = (from->op == OP_LDC || from->op == OP_ULDC) && from->source[0].file == FILE_BANK && !from->is_value && !way;
        if (load && g->loaded[from->result[0].number] == g->s->head[b] + 1)
            continue;
        if (load)
            g->loaded[from->result[0].number] = g->s->head[b] + 1;
        struct machine_inst *in = code_add(g->to, from);
        if (way && !in->guard.file)
            in->guard = predicate(g->s->guard[b], g->s->otherwise[b]);
    }
}

/* Before the first exchange in a block whose lanes may have parted: are they all here? */
static void add_divergence(struct laying *g, int32_t site)
{
    if (g->to->arch < 80)
        return;
    add(g, OP_UMOV, "", site);
    add(g, OP_BRA, "DIV", site);
}

/* Behind the kernel, what the block does from its first exchange to its last, for lanes that are not all here. */
static void add_collective(struct laying *g, int32_t b)
{
    const struct ir_block *bl = &g->k->blocks[b];
    int32_t first = first_shuffle(g->k, b), last = first;
    if (!g->apart[b] || first < 0 || g->to->arch < 80)
        return;
    for (int32_t i = first; i < bl->first + bl->count; i++)
        if (is_shuffle(&g->k->insts[i]))
            last = i;
    code_begin_block(g->to, TIMES_REST, g->k->blocks[b].loop, -1, -1);
    for (int32_t i = first; i <= last; i++) {
        bool exchanges = is_shuffle(&g->k->insts[i]);
        for (int n = 0; exchanges && n < 3; n++)
            add(g, OP_IMAD, "MOV.U32", i);
        if (exchanges && g->to->arch >= 90)
            add(g, OP_WARPSYNC, "COLLECTIVE", i);
        add_site(g, i);
        if (exchanges && g->to->arch >= 90)
            add(g, OP_ENDCOLLECTIVE, "", i);
    }
    add(g, OP_BRA, "", last);
    for (int32_t i = g->to->blocks[g->to->nblocks - 1].first; i < g->to->ninsts; i++)
        g->to->insts[i].taken = TAKEN_NEVER;
}

/* Which of the instructions that control an unrolled loop are there. */
enum controlled { CONTROL_NONE, CONTROL_STEPS /* what goes up in each turn */, CONTROL_ALL };

static bool is_there(const struct laying *g, int32_t site, enum controlled control)
{
    const int32_t loop = g->k->blocks[g->k->insts[site].block].loop;
    if (!g->s->control[site] || control == CONTROL_ALL)
        return true;
    return control == CONTROL_STEPS && !ir_is(&g->k->insts[site], PTX_KIND_BRANCH) && site != g->s->counter[loop].compare;
}

static void add_block(struct laying *g, int32_t b, enum controlled control)
{
    const struct ir_block *bl = &g->k->blocks[b];
    int32_t last = bl->first + bl->count - 1, shuffle = g->apart[b] ? first_shuffle(g->k, b) : -1;
    for (int32_t n = g->meets[b]; n > 0; n--)
        add(g, OP_BSYNC, "", bl->first)->meets = true;
    for (int32_t i = bl->first; i <= last; i++) {
        if (i == last && cfg_ends_block(&g->k->insts[i]))
            add_parting(g, b, i);
        if (is_gone(g, i) || !is_there(g, i, control))
            continue;
        if (is_barrier(&g->k->insts[i]) && (g->waits[b] || (g->apart[b] && g->exchanges)))
            add(g, OP_WARPSYNC, "ALL", i);
        if (i == shuffle)
            add_divergence(g, i);
        add_site(g, i);
    }
    if (bl->count && !cfg_ends_block(&g->k->insts[last]))
        add_parting(g, b, last);
}

/* Rounds of a loop side by side; what controls it once. */
static void add_rounds(struct laying *g, int32_t loop, int rounds, enum controlled control)
{
    for (int r = 0; r < rounds; r++)
        for (int32_t b = 0; b < g->k->nblocks; b++)
            if (ir_bit(g->k->loops[loop].blocks, b)) {
                add_block(g, b, r == rounds - 1 ? control : CONTROL_NONE);
                g->done[b] = true;
            }
}

/* Turns that are left over are under a predicate instead of behind a branch, if they are so few instructions: more, where BSSY and BSYNC
 * are saved; none that loads from global memory. Loops of 1 to 12 FFMA, of shared loads and additions, of stores, whose turns are the
 * same in all lanes or not, 2026-11-29. */
enum { REST_UNIFORM = 6, REST_LANES = 8 };
/* The same of the turn in front of a loop with an unsigned counter; if it loads from global memory. Loops of 1 to 18 FFMA, 2026-11-29. */
enum { FIRST = 8, FIRST_LOADING = 20 };

/* The turns that are left over, if there are so many or more. */
static void add_rest(struct laying *g, int32_t loop, int rounds)
{
    const bool again = rounds == 1 && g->s->counter[loop].trips.goes_on == PTX_NE;
    add_rounds(g, loop, rounds, again ? CONTROL_ALL : rounds > 1 ? CONTROL_STEPS : CONTROL_NONE);
    if (rounds > 1)
        add(g, OP_PLOP3, "LUT", g->k->blocks[g->k->loops[loop].header].first);
}

static bool is_predicated(struct laying *g, int32_t loop, int rounds, bool lanes)
{
    const size_t bytes = ((size_t)g->from->nregs + 1) * sizeof *g->loaded;
    int32_t begin = g->to->ninsts, *loaded = alloc_zeroed(bytes);
    bool loads = rounds == 1 && g->s->counter[loop].trips.goes_on == PTX_NE; /* a loop that does one turn */
    memcpy(loaded, g->loaded, bytes);
    add_rest(g, loop, rounds);
    for (int32_t i = begin; i < g->to->ninsts; i++)
        loads |= g->to->insts[i].op == OP_LDG || g->to->insts[i].op == OP_LD;
    int size = g->to->ninsts - begin;
    g->to->ninsts = begin; /* only to see how many they are */
    g->to->blocks[g->to->nblocks - 1].count -= size;
    memcpy(g->loaded, loaded, bytes);
    alloc_release(loaded);
    return !loads && size <= (lanes ? REST_LANES : REST_UNIFORM);
}

/* The branch back of an unrolled loop: behind the rounds, and behind two turns left over, lanes meet at once; the last turn is under a
 * predicate, so that none is passed by. */
static bool comes_round_alone(struct laying *g, int32_t site)
{
    const int32_t loop = unrolled_at(g, g->k->insts[site].block);
    return loop >= 0 && !g->s->known[loop] && site == g->s->counter[loop].branch && is_predicated(g, loop, 1, true);
}

/* Branches that the assembler cannot know to be the same for the whole warp: all that meet at one block part in front of the
 * first of them. In a kernel in which lanes exchange values, those that meet at a barrier wait there instead. */
static void find_meetings(struct laying *g)
{
    const struct ir_kernel *k = g->k;
    int32_t *from = alloc_zeroed(((size_t)k->nblocks + 1) * sizeof *from);
    for (int32_t i = 0; i < k->ninsts; i++) {
        const struct ir_inst *in = &k->insts[i];
        if (!ir_is_conditional(in) || ir_bit(g->l->together, in->guard) || g->s->converted[in->block])
            continue;
        int32_t at = in->block, meet = in->join;
        if (meet < 0 || shape_leaves(k, meet))
            continue;
        mark_apart(g, at, meet);
        if (comes_round_alone(g, i))
            continue;
        for (int32_t loop = k->blocks[at].loop; loop >= 0 && !ir_bit(k->loops[loop].blocks, meet); loop = k->loops[loop].parent)
            at = k->blocks[k->loops[loop].header].idom;
        if (at < 0)
            continue;
        at = from[meet] ? common_dominator(k, from[meet] - 1, at) : at;
        from[meet] = at + 1;
        g->synced[i] = !(g->exchanges && has_barrier(k, meet));
    }
    for (int32_t meet = 0; meet < k->nblocks; meet++)
        if (from[meet] > 0 && g->exchanges && has_barrier(k, meet)) {
            g->waits[meet] = true;
        } else if (from[meet] > 0) {
            g->parts[from[meet] - 1]++;
            g->meets[meet]++;
        }
    alloc_release(from);
}

static void begin_rest(struct laying *g, int32_t loop, int rounds, int skips)
{
    code_begin_block(g->to, TIMES_REST, loop, rounds, g->k->loops[loop].header);
    g->to->blocks[g->to->nblocks - 1].skips = skips;
}

/* Where the rest of so many turns begins: it may be passed by. */
static void add_rest_part(struct laying *g, int32_t loop, int rounds, bool predicated)
{
    begin_rest(g, loop, rounds, 0);
    g->to->blocks[g->to->nblocks - 1].predicated = predicated;
    add_rest(g, loop, rounds);
}

/* Of a counter of 64 bits each takes two. */
static void add_each(struct laying *g, enum machine_op op, const char *form, int32_t site, int words)
{
    for (int i = 0; i < words; i++)
        add(g, op, form, site);
}

/* An unsigned counter on the wrong side of its bound does one turn, in front of the others: no lane, for ordinary numbers. */
static void add_first(struct laying *g, int32_t loop, bool lanes, int words)
{
    const int32_t site = g->k->blocks[g->k->loops[loop].header].first;
    add_each(g, OP_ISETP, "", site, words);
    int32_t begin = g->to->ninsts, size = 0;
    bool loads = false;
    add_rounds(g, loop, 1, CONTROL_STEPS);
    for (int32_t i = begin; i < g->to->ninsts; i++, size++)
        loads |= g->to->insts[i].op == OP_LDG || g->to->insts[i].op == OP_LD;
    const bool predicated = size <= (loads ? FIRST_LOADING : FIRST);
    for (int32_t i = begin; i < g->to->ninsts; i++)
        g->to->insts[i].taken = predicated ? TAKEN_OFF : TAKEN_NEVER;
    if (predicated)
        return;
    if (lanes)
        add_bssy(g, site);
    add(g, OP_PLOP3, "LUT", site);
    add(g, OP_BRA, "", site);
    if (lanes)
        add(g, OP_BSYNC, "", site);
}

/* if (left > 3) do four rounds while (left > 3); if (left > 1) two rounds; if (left > 0) one. Of a counter that is compared for equality the
 * last one is a loop, where a counter on the wrong side of its bound goes at once. */
static void add_unrolled(struct laying *g, int32_t loop)
{
    const struct counter *c = &g->s->counter[loop];
    const int rounds = g->s->rounds[loop];
    const int32_t site = g->k->blocks[g->k->loops[loop].header].first;
    if (g->s->known[loop]) {
        code_begin_block(g->to, TIMES_ROUNDS, loop, rounds, g->k->loops[loop].header);
        add_rounds(g, loop, rounds, g->s->whole[loop] ? CONTROL_NONE : CONTROL_ALL);
        code_begin_block(g->to, TIMES_REST, loop, g->s->rest[loop], g->k->loops[loop].header);
        add_rounds(g, loop, g->s->rest[loop], CONTROL_NONE);
        return;
    }
    const bool lanes = c->parts;
    const bool fixed = c->bound.kind == IR_SRC_IMM, counts = !fixed || c->bound.imm; /* else what is left is the counter itself */
    const int words = ptx_type_info[c->type].bits / 32;
    const bool wraps = ptx_type_info[c->type].kind == 'U' && c->trips.goes_on != PTX_NE; /* bound - 3 may: one comparison more */
    if (c->trips.goes_on == PTX_NE) {
        begin_rest(g, loop, 0, 0);
        add_each(g, OP_ISETP, "", site, words);
        add(g, OP_BRA, "", site)->taken = TAKEN_OFF;
    } else if (wraps) {
        begin_rest(g, loop, 0, 0);
        add_first(g, loop, lanes, words);
    }
    begin_rest(g, loop, 0, rounds);
    if (lanes)
        add_bssy(g, site);
    add(g, OP_PLOP3, "LUT", site);
    add_each(g, OP_IADD3, "", site, counts ? words : 0);
    add_each(g, OP_ISETP, "GT.AND", site, wraps ? 2 * words : words);
    add(g, OP_BRA, "", site)->apart = lanes ? TURN_SOME_APART : 0;
    begin_rest(g, loop, rounds, 0);
    add(g, OP_PLOP3, "LUT", site);
    add_each(g, lanes || g->to->arch < 75 || words > 1 ? OP_IADD3 : OP_UIADD3, "", site, fixed ? 0 : words);
    code_begin_block(g->to, TIMES_ROUNDS, loop, rounds, g->k->loops[loop].header);
    add_rounds(g, loop, rounds, CONTROL_ALL);
    const bool two = is_predicated(g, loop, 2, lanes), one = is_predicated(g, loop, 1, lanes);
    begin_rest(g, loop, 0, 2);
    if (lanes)
        add(g, OP_BSYNC, "", site);
    add_each(g, OP_IADD3, "", site, counts ? words : 0);
    if (lanes && !two)
        add_bssy(g, site);
    add_each(g, OP_ISETP, "GT.AND", site, wraps ? 2 * words : words);
    if (!two)
        add(g, OP_BRA, "", site)->apart = lanes ? TURN_TWO_APART : 0;
    add_rest_part(g, loop, 2, two);
    begin_rest(g, loop, 0, 1);
    if (lanes && !two)
        add(g, OP_BSYNC, "", site);
    add_each(g, OP_ISETP, "", site, words);
    if (!one)
        add(g, OP_BRA, "", site);
    add_rest_part(g, loop, 1, one);
}

static void add_operations(struct laying *g, const char *text, int part)
{
    enum machine_op op;
    int times;
    char bracket;
    while (arch_ops_next(&text, &op, &times, &bracket))
        for (; times > 0; times--) {
            if (op == OP_BSSY && g->to->arch < 80)
                add(g, OP_BMOV, "32.CLEAR", -1)->part = (uint8_t)part;
            add(g, arch_op_here(g->to->arch, op), "", -1)->part = (uint8_t)part;
        }
}

static void add_function(struct laying *g, int f)
{
    const int way = long_way_of(f);
    code_begin_block(g->to, TIMES_CALLED, f, 0, -1);
    if (way < 0)
        add_operations(g, code_function_texts[f], 0);
    for (int part = 0; way >= 0 && long_way_text((enum long_way)way, part); part++)
        add_operations(g, long_way_text((enum long_way)way, part), part);
}

struct code *layout_new(const struct lowered *l, const struct shape *s, const struct code *selected)
{
    const struct ir_kernel *k = l->k;
    size_t n = (size_t)k->nblocks + 1;
    struct code *to = alloc_zeroed(sizeof *to);
    struct laying g = {.l = l, .k = k, .s = s, .from = selected, .to = to};
    to->arch = selected->arch;
    to->nregs = selected->nregs;
    to->called = selected->called;
    to->stack = selected->stack;
    g.parts = alloc_zeroed(n * sizeof *g.parts);
    g.meets = alloc_zeroed(n * sizeof *g.meets);
    g.apart = alloc_zeroed(n);
    g.waits = alloc_zeroed(n);
    g.done = alloc_zeroed(n);
    g.synced = alloc_zeroed((size_t)k->ninsts + 1);
    g.loaded = alloc_zeroed(((size_t)selected->nregs + 1) * sizeof *g.loaded);
    g.exchanges = has_shuffle(k);
    code_begin_block(to, TIMES_BLOCK, 0, 1, 0);
    find_meetings(&g);
    to->nblocks = 0; /* that was only to see how long turns are */
    memset(g.done, 0, n);
    for (int32_t b = 0; b < k->nblocks; b++) {
        int32_t loop = unrolled_at(&g, b);
        if (g.done[b] || is_left_out(&g, b))
            continue;
        if (loop >= 0) {
            add_unrolled(&g, loop);
            continue;
        }
        if (!to->nblocks || to->blocks[to->nblocks - 1].times != TIMES_BLOCK || s->head[to->blocks[to->nblocks - 1].ir] != s->head[b])
            code_begin_block(to, TIMES_BLOCK, s->counted[b], 1, b);
        add_block(&g, b, CONTROL_ALL);
        g.done[b] = true;
    }
    for (int32_t b = 0; b < k->nblocks; b++)
        add_collective(&g, b);
    for (int f = 0; f < FUNCTIONS; f++)
        if (to->called >> f & 1)
            add_function(&g, f);
    alloc_release(g.parts);
    alloc_release(g.meets);
    alloc_release(g.apart);
    alloc_release(g.waits);
    alloc_release(g.done);
    alloc_release(g.synced);
    alloc_release(g.loaded);
    return to;
}
