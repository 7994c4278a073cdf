/* What sites and blocks cost: floating-point instructions (expansions.def, extern_flops.def, signs.h), PTX instruction
 * counts, registers.
 *
 * In: an analysed, rewritten kernel. Out: target_tables. The flops of a site are those of the instructions that the
 * assembler makes of it for ordinary inputs. Registers are the largest number of 32-bit registers live at once plus
 * REGISTERS_EXTRA, an estimate: docs/target.md gives its error against 158 kernels. */
#include "target/target.h"
#include "base/alloc.h"
#include "target/arch.h"
#include "target/balance.h"
#include "target/definitions.h"
#include "target/earlier.h"
#include "target/forms.h"
#include "target/layout.h"
#include "target/registers.h"
#include "target/selection.h"
#include "target/signs.h"
#include "target/waits.h"
#include "target/ways.h"

#include <string.h>

enum { REGISTERS_MOST = 255 };

struct expansion {
    uint16_t op, type;
    enum form form;
    struct target_flops flops;
};

static const struct expansion expansions[] = {
#define SCALED(op, type, form, operands)
#define EXPANSION(op, type, form, fadd, fmul, ffma, dadd, dmul, dfma, hadd, hmul, hfma) \
    {PTX_OP_##op, PTX_##type, form, {fadd, fmul, ffma, dadd, dmul, dfma, hadd, hmul, hfma}},
#include "target/expansions.def"
#undef SCALED
#undef EXPANSION
};

static const struct scaled {
    uint16_t op, type;
    enum form form;
    int operands;
} scaled[] = {
#define SCALED(op, type, form, operands) {PTX_OP_##op, PTX_##type, form, operands},
#define EXPANSION(op, type, form, fadd, fmul, ffma, dadd, dmul, dfma, hadd, hmul, hfma)
#include "target/expansions.def"
#undef SCALED
#undef EXPANSION
};

static const struct call {
    const char *name;
    bool constant; /* the argument is one */
    int way;
    struct target_flops flops;
} calls[] = {
#define EXTERN_CONSTANT(name, fadd, fmul, ffma, dadd, dmul, dfma) \
    {#name, true, 0, {fadd, fmul, ffma, dadd, dmul, dfma, 0, 0, 0}},
#define EXTERN_WAY(name, way, fadd, fmul, ffma, dadd, dmul, dfma) \
    {#name, false, way, {fadd, fmul, ffma, dadd, dmul, dfma, 0, 0, 0}},
#define EXTERN_FLOPS(name, fadd, fmul, ffma, dadd, dmul, dfma) \
    {#name, false, 0, {fadd, fmul, ffma, dadd, dmul, dfma, 0, 0, 0}},
#include "target/extern_flops.def"
};

static const struct shared {
    const char *name, *other;
    struct target_flops saved;
} shared[] = {
#define EXTERN_SHARED(name, other, fadd, fmul, ffma, dadd, dmul, dfma) \
    {#name, #other, {fadd, fmul, ffma, dadd, dmul, dfma, 0, 0, 0}},
#include "target/extern_flops.def"
};

/* A call of that function before this one in its block, of the same value. */
static bool is_called_before(const struct ir_kernel *k, const int32_t *only, const struct ir_inst *in, const char *name)
{
    const struct ir_inst *maker = definitions_maker(k, only, &in->src[0]);
    for (const struct ir_inst *other = in - 1; maker && other >= &k->insts[k->blocks[in->block].first]; other--)
        if (other->op == IR_OP_EXTERN && strcmp(other->callee, name) == 0 &&
            definitions_maker(k, only, &other->src[0]) == maker)
            return true;
    return false;
}

static bool is_such_call(const struct ir_kernel *k, const int32_t *only, const struct ir_inst *in, const struct call *c)
{
    uint64_t bits;
    return strcmp(c->name, in->callee) == 0 && c->way == in->way &&
           (!c->constant || definitions_constant(k, only, &in->src[0], &bits));
}

/* Without what a call before it has done. */
static struct target_flops flops_of_call(const struct ir_kernel *k, const int32_t *only, const struct call *c,
                                         const struct ir_inst *in)
{
    struct target_flops f = c->flops;
    for (size_t i = 0; i < sizeof shared / sizeof *shared; i++)
        if (strcmp(shared[i].name, in->callee) == 0 && is_called_before(k, only, in, shared[i].other)) {
            uint16_t *left = &f.fadd;
            const uint16_t *saved = &shared[i].saved.fadd;
            for (size_t n = 0; n < sizeof f / sizeof f.fadd; n++)
                left[n] -= saved[n] < left[n] ? saved[n] : left[n];
            break;
        }
    return f;
}

static struct target_flops flops_alone(const struct ir_kernel *k, const int32_t *only, const struct ir_inst *in)
{
    for (size_t i = 0; in->op == IR_OP_EXTERN && i < sizeof calls / sizeof *calls; i++)
        if (is_such_call(k, only, in, &calls[i]))
            return flops_of_call(k, only, &calls[i], in);
    for (size_t i = 0; i < sizeof expansions / sizeof *expansions; i++)
        if (expansions[i].op == in->op && expansions[i].type == in->type && form_fits(k, in, expansions[i].form))
            return expansions[i].flops;
    return (struct target_flops){0};
}

/* Without the product that is part of the sums behind it. */
static struct target_flops flops_of(const struct ir_kernel *k, const int32_t *only, const struct ir_inst *in)
{
    struct target_flops f = flops_alone(k, only, in);
    f.fmul -= in->product_fused && f.fmul;
    f.dmul -= in->product_fused && f.dmul;
    return f;
}

/* --- operands scaled into a register of their own --- */

static int operands_scaled(const struct ir_kernel *k, const struct ir_inst *in)
{
    for (size_t i = 0; i < sizeof scaled / sizeof *scaled; i++)
        if (scaled[i].op == in->op && scaled[i].type == in->type && form_fits(k, in, scaled[i].form))
            return scaled[i].operands;
    return 0;
}

/* -x or |x|: the register behind it holds x. */
static bool is_made_of_another(const struct ir_kernel *k, const int32_t *only, const struct ir_inst *in, int s)
{
    const struct ir_inst *maker = definitions_maker(k, only, &in->src[s]);
    return maker && signs_changes(maker);
}

static bool is_never_negative(const struct ir_kernel *k, const int32_t *only, const struct ir_inst *in)
{
    const struct ir_inst *maker = definitions_maker(k, only, &in->src[0]);
    return maker && (ir_is(maker, PTX_KIND_FABS) ||
                     (ir_is(maker, PTX_KIND_FMUL) && form_same_register(&maker->src[0], &maker->src[1])));
}

static bool is_read_again(const struct ir_inst *in, int s, const uint64_t *live_after)
{
    return in->src[s].kind == IR_SRC_REG && in->dst[0] != in->src[s].reg && ir_bit(live_after, in->src[s].reg);
}

static int multiplications(const struct ir_kernel *k, const int32_t *only, const struct ir_inst *in,
                           const uint64_t *live_after)
{
    uint64_t bits;
    int n = operands_scaled(k, in), count = 0;
    if (n == 0 || (in->op == PTX_OP_EX2 && is_never_negative(k, only, in)) ||
        (ir_is(in, PTX_KIND_FDIV) && definitions_constant(k, only, &in->src[1], &bits)))
        return 0;
    for (int s = 0; s < n; s++)
        count += !definitions_constant(k, only, &in->src[s], &bits) &&
                 (is_made_of_another(k, only, in, s) || is_read_again(in, s, live_after));
    return count;
}

static void add_scaling(const struct ir_kernel *k, const int32_t *only, struct target_flops *flops)
{
    size_t words = (size_t)k->nregs / 64 + 1;
    uint64_t *live = alloc_zeroed(words * sizeof *live);
    for (int32_t b = 0; b < k->nblocks; b++) {
        const struct ir_block *bl = &k->blocks[b];
        int32_t first = bl->first;
        while (first < bl->first + bl->count && operands_scaled(k, &k->insts[first]) == 0)
            first++;
        memcpy(live, bl->live_out, words * sizeof *live);
        for (int32_t i = bl->first + bl->count - 1; i >= first; i--) {
            flops[i].fmul += (uint16_t)multiplications(k, only, &k->insts[i], live);
            ir_live_before(&k->insts[i], live);
        }
    }
    alloc_release(live);
}

static void add_signs(const struct ir_kernel *k, const int32_t *only, struct target_flops *flops)
{
    int32_t *at = signs_new(k, only);
    for (int32_t i = 0; i < k->ninsts; i++) {
        if (at[i] == SIGNS_FREE)
            continue;
        struct target_flops sign = flops_of(k, only, &k->insts[i]);
        flops[at[i]].fadd += sign.fadd;
        flops[at[i]].dadd += sign.dadd;
    }
    alloc_release(at);
}

/* --- registers --- */

/* What the launch bounds leave a thread: 65536 registers an SM since compute capability 3.0 (CUDA C++ programming
 * guide, technical specifications), given out in eights; .minnctapersm without .maxntid says nothing. */
static int launch_bound(const struct ptx_function *f)
{
    const uint32_t *n = f->reqntid[0] ? f->reqntid : f->maxntid;
    uint64_t threads = (uint64_t)n[0] * (n[1] ? n[1] : 1) * (n[2] ? n[2] : 1);
    if (f->maxnreg)
        return (int)f->maxnreg;
    if (!threads)
        return REGISTERS_MOST;
    uint64_t most = 65536 / (threads * (f->minnctapersm ? f->minnctapersm : 1)) / 8 * 8;
    return most < REGISTERS_MOST ? (int)most : REGISTERS_MOST;
}

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
    return ways_counts(&k->insts[in->site]) ? TURN_LANES : in->taken == TAKEN_AGAIN ? TURN_AGAIN : in->taken == TAKEN_SHARED ? TURN_SHARED : TURN_BLOCK;
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
    if (bl->times == TIMES_CALLED || (in_loop && *loop < 0) || in->taken == TAKEN_NEVER || in->site < 0)
        return TARGET_TURNS;
    const enum target_turn turn = turn_of(bl, *loop >= 0 ? &t->loops[*loop] : NULL);
    const enum target_turn own = turn_of_own(k, in);
    if (own != TURN_BLOCK)
        return turn == TURN_BLOCK || turn == TURN_ROUND ? own : TARGET_TURNS;
    return in->op == OP_BSYNC && turn == TURN_BLOCK ? TURN_MEET : turn;
}

static void add_block(struct target_tables *t, const struct ir_kernel *k, const struct code *c, const struct machine_block *bl)
{
    for (int32_t i = bl->first; i < bl->first + bl->count; i++) {
        const struct machine_inst *in = &c->insts[i];
        int32_t loop;
        const enum target_turn turn = target_turn(t, k, bl, in, &loop);
        if (turn == TARGET_TURNS)
            continue;
        if (loop >= 0)
            t->loop[in->site] = loop;
        add(t, in->site, turn, c->arch, in);
        if (turn == TURN_LANES || turn == TURN_AGAIN || turn == TURN_SHARED)
            continue;
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

/* Of a loop that turns often. */
static uint16_t sixteenths_of(const struct target_tables *t, int32_t site)
{
    uint32_t rounds = t->loop[site] < 0 ? 1 : (uint32_t)t->loops[t->loop[site]].rounds, all = 0;
    for (int pipe = 0; pipe < PIPES; pipe++)
        all += SIXTEENTHS * (uint32_t)(t->turns[site][TURN_BLOCK][pipe] + t->turns[site][TURN_MEET][pipe] + t->turns[site][TURN_AGAIN][pipe]) + SIXTEENTHS * t->turns[site][TURN_ROUND][pipe] / rounds;
    return (uint16_t)(all < UINT16_MAX ? all : UINT16_MAX);
}

static void add_instructions(struct target_tables *t, const struct ir_kernel *k, const struct code *c, const struct shape *s, struct arena *arena)
{
    static const enum target_turn own[] = {TURN_LANES, TURN_AGAIN, TURN_SHARED}; /* by what a site does (turn_of_own) */
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
        for (size_t o = 0; t->loop[i] >= 0 && o < sizeof own / sizeof *own; o++) {
            const uint16_t rounds = (uint16_t)t->loops[t->loop[i]].rounds;
            for (int pipe = 0; pipe < PIPES; pipe++)
                t->turns[i][own[o]][pipe] /= rounds;
            for (int flow = 0; flow < TARGET_FLOWS; flow++)
                t->flow[i][own[o]][flow] /= rounds;
        }
    }
    for (int32_t i = 0; i < k->ninsts; i++)
        for (int pipe = 0; pipe < PIPES; pipe++)
            for (size_t o = 0; o < sizeof own / sizeof *own; o++)
                t->held[i][own[o]] += (int16_t)t->turns[i][own[o]][pipe];
    for (int32_t i = 0; i < k->ninsts; i++)
        t->sixteenths[i] = sixteenths_of(t, i);
    for (int32_t b = 0; b < k->nblocks; b++) {
        uint32_t sum = 0;
        for (int32_t i = k->blocks[b].first; i < k->blocks[b].first + k->blocks[b].count; i++)
            sum += t->sixteenths[i];
        t->blocks[b].instructions = (sum + 8) / SIXTEENTHS;
    }
}

/* What stands between a kernel and its machine code. */
struct made {
    struct lowered *l;
    struct code *selected, *code;
    struct shape *s;
};

static struct made make(const struct ir_kernel *k, int arch)
{
    struct made m = {.l = lowered_new(k, arch)};
    m.selected = selection_new(m.l, arch);
    earlier(m.selected, k);
    m.s = shape_new(m.l, m.selected);
    m.code = layout_new(m.l, m.s, m.selected);
    earlier(m.code, k); /* what layout added */
    balance(m.code);
    return m;
}

static void drop(struct made *m)
{
    shape_free(m->s);
    code_free(m->selected);
    lowered_free(m->l);
}

struct code *target_code(const struct ir_kernel *k, int arch)
{
    struct made m = make(k, arch);
    drop(&m);
    return m.code;
}

struct target_tables *target_tables(const struct ir_kernel *k, struct arena *arena, int arch)
{
    struct target_tables *t = ARENA_NEW(arena, struct target_tables);
    struct made m = make(k, arch_is_known(arch) ? arch : ARCH_USUAL);
    t->flops = ARENA_ARRAY(arena, struct target_flops, k->ninsts);
    t->blocks = ARENA_ARRAY(arena, struct target_block, k->nblocks);
    for (int32_t i = 0; i < k->ninsts; i++)
        if (!signs_changes(&k->insts[i]))
            t->flops[i] = flops_of(k, m.l->only, &k->insts[i]);
    add_signs(k, m.l->only, t->flops);
    add_scaling(k, m.l->only, t->flops);
    add_instructions(t, k, m.code, m.s, arena);
    for (int32_t b = 0; b < k->nblocks; b++)
        t->blocks[b].counted = m.s->counted[b];
    t->registers = registers_estimate(m.l, m.s, m.selected, k->function ? launch_bound(k->function) : REGISTERS_MOST);
    t->waits = waits_find(k, arena);
    drop(&m);
    code_free(m.code);
    return t;
}
