/* What sites and blocks cost: instructions and floating-point operations, read off the machine code, and registers.
 *
 * In: an analysed, rewritten kernel. Out: target_tables. */
#include "target/target.h"
#include "base/alloc.h"
#include "target/arch.h"
#include "target/balance.h"
#include "target/earlier.h"
#include "target/fit.h"
#include "target/flops.h"
#include "target/layout.h"
#include "target/pace.h"
#include "target/selection.h"
#include "target/spill.h"
#include "target/ways.h"

#include <string.h>

/* --- instructions of the GPU --- */

/* What one call executes of a function behind the kernel: all of it, or of one with branches this share. */
enum { BRANCHING_SHARE = 2, SIXTEENTHS = 16 };

/* Bit set over enum target_flow. */
static unsigned flow_of(enum machine_op op)
{
    static const uint8_t flows[OPS] = {
#define FLOW(op, target) [OP_##op] = 1 << FLOW_BRANCH | (target) << FLOW_TARGET,
#include "target/flow.def"
#undef FLOW
    };
    return flows[op];
}

static void add(struct target_tables *t, int32_t site, enum target_turn turn, int arch, const struct machine_inst *in)
{
    uint16_t *n = &t->turns[site][turn][code_pipe(arch, in)];
    unsigned flows = flow_of((enum machine_op)in->op);
    *n += *n < UINT16_MAX;
    for (int flow = 0; flow < TARGET_FLOWS; flow++)
        t->flow[site][turn][flow] += (flows >> flow & 1) && t->flow[site][turn][flow] < UINT16_MAX;
}

/* A call executes the function with it. */
static void add_function(struct target_tables *t, const struct code *c, int32_t site, int32_t function, enum target_turn turn)
{
    for (int32_t b = 0; b < c->nblocks; b++) {
        const struct machine_block *bl = &c->blocks[b];
        int share = 1;
        if (bl->times != TIMES_CALLED || bl->of != function)
            continue;
        for (int32_t i = bl->first; i < bl->first + bl->count; i++)
            if (c->insts[i].op == OP_BRA)
                share = BRANCHING_SHARE;
        for (int32_t i = bl->first; i < bl->first + bl->count; i += share) {
            add(t, site, turn, c->arch, &c->insts[i]);
            t->held[site][turn]++;
        }
    }
}

/* The part of an unrolled loop with so many turns. */
static enum target_turn turn_of_rest(int rounds, const struct target_loop *loop)
{
    return rounds == loop->rounds ? TURN_SOME : rounds == 2 ? TURN_TWO : TURN_ONE;
}

static enum target_turn turn_of(const struct machine_block *bl, const struct target_loop *loop)
{
    if (bl->times == TIMES_BLOCK)
        return TURN_BLOCK;
    if (bl->times == TIMES_ROUNDS)
        return TURN_ROUND;
    return !bl->rounds || loop->turns || bl->predicated ? TURN_VISIT : turn_of_rest(bl->rounds, loop);
}

/* Instructions that are counted by what their site does, whatever loop it is in. */
static enum target_turn turn_of_own(const struct ir_kernel *k, const struct machine_inst *in)
{
    if (in->way == WAY_LONG)
        return TURN_LONG;
    return ways_counts(&k->insts[in->site]) ? TURN_LANES : in->taken == TAKEN_AGAIN ? TURN_AGAIN : in->taken == TAKEN_SHARED ? TURN_SHARED : TURN_BLOCK;
}

/* By what a site does (turn_of_own), and what goes with that. */
static const enum target_turn own_turns[] = {TURN_LANES, TURN_AGAIN, TURN_SHARED, TURN_LONG, TURN_PASSED, TURN_PARTED};
enum { OWN_TURNS = sizeof own_turns / sizeof *own_turns };

static bool is_own(enum target_turn turn)
{
    int o = 0;
    while (o < OWN_TURNS && own_turns[o] != turn)
        o++;
    return o < OWN_TURNS;
}

/* For which lanes the instruction's predicate holds. */
static void add_lanes(struct target_tables *t, const struct ir_kernel *k, const struct machine_block *bl, const struct machine_inst *in,
                      enum target_turn turn, int32_t loop)
{
    int16_t *held = t->held[in->site];
    if (in->taken == TAKEN_OFF)
        return;
    if (in->op == OP_BRA && bl->times == TIMES_REST && bl->skips) {
        held[TURN_VISIT]++;
        held[turn_of_rest(bl->skips, &t->loops[loop])]--;
    } else if (in->op == OP_BRA && loop >= 0 && k->insts[in->site].back_edge) {
        held[TURN_ROUND] += turn == TURN_ROUND; /* lanes with turns for one more round */
        held[TURN_SOME] -= turn == TURN_ROUND;
    } else if (in->guard.file == FILE_PREDICATE) {
        t->guarded[in->site][turn]++;
    } else {
        held[bl->predicated ? turn_of_rest(bl->rounds, &t->loops[loop]) : turn]++;
    }
}

/* The row of an unrolled loop of the IR, or -1. */
static int32_t row_of(const struct target_tables *t, int32_t header)
{
    int32_t row = t->nloops - 1;
    while (row >= 0 && t->loops[row].header != header)
        row--;
    return row;
}

enum target_turn target_turn(const struct target_tables *t, const struct ir_kernel *k, const struct machine_block *bl, const struct machine_inst *in,
                             int32_t *loop)
{
    const bool in_loop = bl->times == TIMES_ROUNDS || bl->times == TIMES_REST;
    *loop = in_loop && bl->rounds >= 0 ? row_of(t, k->loops[bl->of].header) : -1;
    if (bl->times == TIMES_CALLED || (in_loop && *loop < 0) || (in->taken == TAKEN_NEVER && in->way != WAY_LONG) || in->site < 0)
        return TARGET_TURNS;
    const enum target_turn turn = turn_of(bl, *loop >= 0 ? &t->loops[*loop] : NULL);
    const enum target_turn own = turn_of_own(k, in);
    if (own != TURN_BLOCK)
        return turn == TURN_BLOCK || turn == TURN_ROUND ? own : TARGET_TURNS;
    return in->op == OP_BSYNC && in->meets && turn == TURN_BLOCK ? TURN_MEET : turn;
}

static void add_block(struct target_tables *t, const struct ir_kernel *k, const struct code *c, const struct machine_block *bl)
{
    for (int32_t i = bl->first; i < bl->first + bl->count; i++) {
        const struct machine_inst *in = &c->insts[i];
        int32_t loop;
        const enum target_turn turn = target_turn(t, k, bl, in, &loop);
        if (turn == TARGET_TURNS || in->op == OP_NONE)
            continue;
        if (loop >= 0) {
            t->loop[in->site] = loop;
            t->loops[loop].ends_apart |= turn == TURN_ONE && !bl->predicated;
        }
        add(t, in->site, turn, c->arch, in);
        if (is_own(turn))
            continue;
        if (in->way && (turn == TURN_BLOCK || turn == TURN_ROUND))
            add(t, in->site, in->way == WAY_SHORT ? TURN_PASSED : TURN_PARTED, c->arch, in);
        add_lanes(t, k, bl, in, turn, loop);
        if (in->apart)
            add(t, in->site, (enum target_turn)in->apart, c->arch, &(struct machine_inst){.op = OP_BSYNC});
        if (in->op == OP_CALL && in->source[0].file == FILE_FUNCTION)
            add_function(t, c, in->site, in->source[0].number, turn);
    }
}

static void find_loops(struct target_tables *t, const struct ir_kernel *k, const struct shape *s, struct arena *arena)
{
    int32_t trips = 0;
    t->loops = ARENA_ARRAY(arena, struct target_loop, k->nloops + 1);
    t->nloops = 0;
    for (int32_t i = 0; i < k->nloops; i++) {
        const struct counter *c = &s->counter[i];
        if (s->rounds[i] < 2)
            continue;
        t->loops[t->nloops] = (struct target_loop){.header = k->loops[i].header, .rounds = s->rounds[i], .turns = s->known[i] ? c->turns : 0,
                                                   .trips = s->known[i] ? -1 : trips++, .counter = c->trips, .reg = c->reg, .bound = c->bound, .type = c->type};
        t->nloops++;
        for (int32_t site = 0; site < k->ninsts; site++)
            if (ir_bit(k->loops[i].blocks, k->insts[site].block))
                t->unrolled[site] = s->rounds[i];
    }
}

/* Of a loop that turns often: instructions of a unit in a run of the site's block. */
uint32_t target_sixteenths(const struct target_tables *t, int32_t site, enum pipe pipe)
{
    const uint32_t rounds = t->loop[site] < 0 ? 1 : (uint32_t)t->loops[t->loop[site]].rounds;
    const uint16_t(*turns)[PIPES] = t->turns[site];
    return SIXTEENTHS * (uint32_t)(turns[TURN_BLOCK][pipe] + turns[TURN_MEET][pipe] + turns[TURN_AGAIN][pipe]) + SIXTEENTHS * turns[TURN_ROUND][pipe] / rounds;
}

static uint16_t sixteenths_of(const struct target_tables *t, int32_t site)
{
    uint32_t all = 0;
    for (int pipe = 0; pipe < PIPES; pipe++)
        all += target_sixteenths(t, site, (enum pipe)pipe);
    return (uint16_t)(all < UINT16_MAX ? all : UINT16_MAX);
}

static void add_instructions(struct target_tables *t, const struct ir_kernel *k, const struct code *c, const struct shape *s, struct arena *arena)
{
    t->sixteenths = ARENA_ARRAY(arena, uint16_t, k->ninsts);
    t->turns = arena_alloc(arena, ((size_t)k->ninsts + 1) * sizeof *t->turns);
    t->guarded = arena_alloc(arena, ((size_t)k->ninsts + 1) * sizeof *t->guarded);
    t->held = arena_alloc(arena, ((size_t)k->ninsts + 1) * sizeof *t->held);
    t->loop = ARENA_ARRAY(arena, int32_t, k->ninsts + 1);
    t->flow = arena_alloc(arena, ((size_t)k->ninsts + 1) * sizeof *t->flow);
    t->unrolled = ARENA_ARRAY(arena, uint16_t, k->ninsts + 1);
    memset(t->flow, 0, ((size_t)k->ninsts + 1) * sizeof *t->flow);
    memset(t->guarded, 0, ((size_t)k->ninsts + 1) * sizeof *t->guarded);
    memset(t->held, 0, ((size_t)k->ninsts + 1) * sizeof *t->held);
    memset(t->turns, 0, ((size_t)k->ninsts + 1) * sizeof *t->turns);
    memset(t->loop, -1, ((size_t)k->ninsts + 1) * sizeof *t->loop);
    find_loops(t, k, s, arena);
    for (int32_t b = 0; b < c->nblocks; b++)
        add_block(t, k, c, &c->blocks[b]);
    for (int32_t i = 0; i < k->ninsts; i++) { /* of the copies in an unrolled loop one counts each time */
        for (int o = 0; t->loop[i] >= 0 && o < OWN_TURNS; o++) {
            const uint16_t rounds = (uint16_t)t->loops[t->loop[i]].rounds;
            for (int pipe = 0; pipe < PIPES; pipe++)
                t->turns[i][own_turns[o]][pipe] /= rounds;
            for (int flow = 0; flow < TARGET_FLOWS; flow++)
                t->flow[i][own_turns[o]][flow] /= rounds;
        }
    }
    for (int32_t i = 0; i < k->ninsts; i++)
        for (int pipe = 0; pipe < PIPES; pipe++)
            for (int o = 0; o < OWN_TURNS; o++)
                t->held[i][own_turns[o]] += (int16_t)t->turns[i][own_turns[o]][pipe];
    for (int32_t i = 0; i < k->ninsts; i++)
        t->sixteenths[i] = sixteenths_of(t, i);
    for (int32_t b = 0; b < k->nblocks; b++) {
        uint32_t sum = 0;
        for (int32_t i = k->blocks[b].first; i < k->blocks[b].first + k->blocks[b].count; i++)
            sum += t->sixteenths[i];
        t->blocks[b].instructions = (sum + 8) / SIXTEENTHS;
    }
}

/* --- long ways --- */

/* The long way that the site's code calls the function of, or -1. */
static int long_way_at(const struct code *selected, int32_t site)
{
    for (int32_t i = selected->first[site]; i < selected->first[site + 1]; i++) {
        const struct machine_inst *in = &selected->insts[i];
        if (in->op == OP_CALL && in->way == WAY_LONG && long_way_of(in->source[0].number) >= 0)
            return long_way_of(in->source[0].number);
    }
    return -1;
}

static struct target_flops flops_passed(const struct code *selected, int32_t site)
{
    struct target_flops f = {0};
    for (int32_t i = selected->first[site]; i < selected->first[site + 1]; i++)
        if (selected->insts[i].way == WAY_SHORT)
            flops_add(&f, selected->insts[i].op, 1);
    return f;
}

static void add_part(struct target_tables *t, const struct code *c, int way, const struct machine_inst *in)
{
    struct target_part *part = &t->parts[way][in->part];
    const unsigned flows = flow_of((enum machine_op)in->op);
    part->pipes[code_pipe(c->arch, in)]++;
    for (int flow = 0; flow < TARGET_FLOWS; flow++)
        part->flow[flow] += flows >> flow & 1;
    flops_add(&part->flops, in->op, 1);
}

static void add_long_ways(struct target_tables *t, const struct ir_kernel *k, const struct code *selected, const struct code *c, struct arena *arena)
{
    t->nlong_ways = 0;
    for (int32_t site = 0; site < k->ninsts; site++)
        t->nlong_ways += long_way_at(selected, site) >= 0;
    if (!t->nlong_ways)
        return;
    t->long_ways = ARENA_ARRAY(arena, struct target_long_way, t->nlong_ways);
    t->parts = arena_alloc(arena, LONG_WAYS * sizeof *t->parts);
    memset(t->parts, 0, LONG_WAYS * sizeof *t->parts);
    for (int32_t site = 0, n = 0; site < k->ninsts; site++) {
        const int way = long_way_at(selected, site);
        if (way >= 0)
            t->long_ways[n++] = (struct target_long_way){.site = site, .way = (uint8_t)way, .passed = flops_passed(selected, site)};
    }
    for (int32_t b = 0; b < c->nblocks; b++) {
        const struct machine_block *bl = &c->blocks[b];
        const int way = bl->times == TIMES_CALLED ? long_way_of(bl->of) : -1;
        for (int32_t i = bl->first; way >= 0 && i < bl->first + bl->count; i++)
            add_part(t, c, way, &c->insts[i]);
    }
}

/* What stands between a kernel and its machine code. */
struct made {
    bool *predicated; /* [nblocks] */
    struct lowered *l;
    struct code *selected, *code;
    struct shape *s;
    struct spills spills;
    bool *early;
    struct target_pace pace;
    int registers;
};

const char *const target_step_names[TARGET_STEPS] = {"selected", "laid-out", "scheduled", "allocated"};

static struct made make(const struct ir_kernel *k, int arch, enum target_step after, bool paced, const struct device *d)
{
    struct made m = {.predicated = shape_ways(k), .early = alloc_zeroed((size_t)k->ninsts + 1)};
    for (bool known = false, again = true; again;) { /* first all ways as if they became predicated, then those that do */
        m.l = lowered_new(k, arch, m.predicated);
        m.selected = selection_new(m.l, arch);
        earlier(m.selected, k);
        m.s = shape_new(m.l, m.selected);
        again = false;
        for (int32_t b = 0; !known && arch_has_uniform(arch) && b < k->nblocks; b++)
            if (m.predicated[b] && m.s->guard[b] == IR_NOREG) {
                m.predicated[b] = false;
                again = true;
            }
        known = true;
        if (again) {
            shape_free(m.s);
            code_free(m.selected);
            lowered_free(m.l);
        }
    }
    m.code = layout_new(m.l, m.s, m.selected);
    earlier(m.code, k); /* what layout added */
    balance(m.code);
    if (after >= TARGET_SCHEDULED)
        m.registers = fit(m.l, m.s, m.code, k->function ? fit_most(k->function, arch) : arch_registers(arch), after == TARGET_ALLOCATED, &m.spills, m.early,
                          paced ? &m.pace : NULL, d);
    return m;
}

static void drop(struct made *m)
{
    shape_free(m->s);
    alloc_release(m->spills.spill);
    alloc_release(m->early);
    pace_release(&m->pace);
    code_free(m->selected);
    lowered_free(m->l);
    alloc_release(m->predicated);
}

struct code *target_code(const struct ir_kernel *k, int arch, enum target_step after)
{
    struct made m = make(k, arch, after, false, NULL);
    struct code *c = after == TARGET_SELECTED ? m.selected : m.code;
    if (after == TARGET_SELECTED)
        code_free(m.code);
    m.selected = after == TARGET_SELECTED ? NULL : m.selected;
    drop(&m);
    return c;
}

/* In `arena`. */
static struct target_pace *copy_pace(const struct target_pace *p, const struct ir_kernel *k, struct arena *arena)
{
    struct target_pace *to = ARENA_NEW(arena, struct target_pace);
    *to = (struct target_pace){.block = ARENA_ARRAY(arena, struct pace_block, k->nblocks + 1), .first = ARENA_ARRAY(arena, int32_t, k->ninsts + 1),
                               .access = ARENA_ARRAY(arena, struct pace_access, p->naccesses + 1), .naccesses = p->naccesses};
    memcpy(to->block, p->block, (size_t)k->nblocks * sizeof *to->block);
    memcpy(to->first, p->first, (size_t)k->ninsts * sizeof *to->first);
    memcpy(to->access, p->access, (size_t)p->naccesses * sizeof *to->access);
    if (p->part) {
        to->part = arena_alloc(arena, LONG_WAYS * sizeof *to->part);
        memcpy(to->part, p->part, LONG_WAYS * sizeof *to->part);
    }
    return to;
}

struct target_tables *target_tables(const struct ir_kernel *k, struct arena *arena, int arch, const struct device *d)
{
    struct target_tables *t = ARENA_NEW(arena, struct target_tables);
    struct made m = make(k, arch_is_known(arch) ? arch : ARCH_USUAL, TARGET_ALLOCATED, true, d);
    t->flops = ARENA_ARRAY(arena, struct target_flops, k->ninsts);
    t->blocks = ARENA_ARRAY(arena, struct target_block, k->nblocks);
    flops_read(k, m.selected, t->flops);
    add_instructions(t, k, m.code, m.s, arena);
    add_long_ways(t, k, m.selected, m.code, arena);
    for (int32_t b = 0; b < k->nblocks; b++)
        t->blocks[b].counted = m.s->counted[b];
    t->pace = copy_pace(&m.pace, k, arena);
    t->work = arena_alloc(arena, ((size_t)k->nblocks + 1) * sizeof *t->work);
    memset(t->work, 0, ((size_t)k->nblocks + 1) * sizeof *t->work);
    for (int32_t i = 0; i < k->ninsts; i++)
        for (int pipe = 0; pipe < PIPES; pipe++)
            t->work[t->blocks[k->insts[i].block].counted][pipe] += target_sixteenths(t, i, (enum pipe)pipe);
    t->registers = m.registers;
    t->early = ARENA_ARRAY(arena, bool, k->ninsts + 1);
    memcpy(t->early, m.early, (size_t)k->ninsts);
    t->nspills = m.spills.n;
    t->spill_bytes = m.spills.bytes;
    t->spill_stores = m.spills.stored;
    t->spill_loads = m.spills.loaded;
    t->spills = ARENA_ARRAY(arena, struct target_spill, t->nspills + 1);
    if (t->nspills)
        memcpy(t->spills, m.spills.spill, (size_t)t->nspills * sizeof *t->spills);
    drop(&m);
    code_free(m.code);
    return t;
}
