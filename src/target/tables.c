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
#include "target/fit.h"
#include "target/forms.h"
#include "target/layout.h"
#include "target/selection.h"
#include "target/signs.h"
#include "target/spill.h"
#include "target/ways.h"

#include <string.h>

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

/* --- instructions of the GPU --- */

/* What one call executes of a function behind the kernel: all of it, or of one with branches this share. */
enum { BRANCHING_SHARE = 2, SIXTEENTHS = 16 };

static void add(struct target_tables *t, int32_t site, enum target_turn turn, enum pipe pipe)
{
    uint16_t *n = &t->turns[site][turn][pipe];
    *n += *n < UINT16_MAX;
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
        for (int32_t i = bl->first; i < bl->first + bl->count; i += share)
            add(t, site, turn, code_pipe(c->arch, &c->insts[i]));
    }
}

static enum target_turn turn_of(const struct machine_block *bl, const struct target_loop *loop)
{
    if (bl->times == TIMES_BLOCK)
        return TURN_BLOCK;
    if (bl->times == TIMES_ROUNDS)
        return TURN_ROUND;
    if (!bl->rounds || loop->known)
        return TURN_VISIT;
    return bl->rounds == loop->rounds ? TURN_SOME : bl->rounds == 2 ? TURN_TWO : TURN_ONE;
}

static void add_block(struct target_tables *t, const struct ir_kernel *k, const struct code *c, const struct machine_block *bl, const int32_t *row)
{
    const bool in_loop = bl->times == TIMES_ROUNDS || bl->times == TIMES_REST;
    const int32_t loop = in_loop && bl->rounds >= 0 ? row[bl->of] : -1;
    if (bl->times == TIMES_CALLED || (in_loop && loop < 0))
        return;
    const enum target_turn turn = turn_of(bl, loop >= 0 ? &t->loops[loop] : NULL);
    for (int32_t i = bl->first; i < bl->first + bl->count; i++) {
        const struct machine_inst *in = &c->insts[i];
        if (in->taken == TAKEN_NEVER || in->site < 0 || in->op == OP_NONE)
            continue;
        if (loop >= 0)
            t->loop[in->site] = loop;
        if (ways_counts(&k->insts[in->site])) {
            if (turn == TURN_BLOCK || turn == TURN_ROUND)
                add(t, in->site, TURN_LANES, code_pipe(c->arch, in));
            continue;
        }
        add(t, in->site, turn, code_pipe(c->arch, in));
        if (in->op == OP_CALL && in->source[0].file == FILE_FUNCTION)
            add_function(t, c, in->site, in->source[0].number, turn);
    }
}

/* The unrolled loops; row[] of a loop: which of them it is, or -1. */
static void find_loops(struct target_tables *t, const struct ir_kernel *k, const struct shape *s, int32_t *row, struct arena *arena)
{
    t->loops = ARENA_ARRAY(arena, struct target_loop, k->nloops + 1);
    t->nloops = 0;
    for (int32_t i = 0; i < k->nloops; i++) {
        const struct ir_loop *l = &k->loops[i];
        row[i] = -1;
        if (s->rounds[i] < 2)
            continue;
        struct target_loop *of = &t->loops[t->nloops];
        *of = (struct target_loop){.header = l->header, .before = k->blocks[l->header].idom, .branch = -1, .rounds = s->rounds[i], .known = s->known[i]};
        for (int32_t p = 0; p < k->blocks[l->header].npred; p++) {
            int32_t b = k->blocks[l->header].pred[p], end = k->blocks[b].first + k->blocks[b].count - 1;
            if (!ir_bit(l->blocks, b) || !k->blocks[b].count || !ir_is_conditional(&k->insts[end]))
                continue;
            of->branch = end;
            of->back_is_taken = k->insts[end].target == l->header;
        }
        row[i] = t->nloops++;
    }
}

/* Of a loop that turns often. */
static uint16_t sixteenths_of(const struct target_tables *t, int32_t site)
{
    uint32_t rounds = t->loop[site] < 0 ? 1 : (uint32_t)t->loops[t->loop[site]].rounds, all = 0;
    for (int pipe = 0; pipe < PIPES; pipe++)
        all += SIXTEENTHS * t->turns[site][TURN_BLOCK][pipe] + SIXTEENTHS * t->turns[site][TURN_ROUND][pipe] / rounds;
    return (uint16_t)(all < UINT16_MAX ? all : UINT16_MAX);
}

static void add_instructions(struct target_tables *t, const struct ir_kernel *k, const struct code *c, const struct shape *s, struct arena *arena)
{
    int32_t *row = alloc_zeroed(((size_t)k->nloops + 1) * sizeof *row);
    t->sixteenths = ARENA_ARRAY(arena, uint16_t, k->ninsts);
    t->turns = arena_alloc(arena, ((size_t)k->ninsts + 1) * sizeof *t->turns);
    t->loop = ARENA_ARRAY(arena, int32_t, k->ninsts + 1);
    memset(t->turns, 0, ((size_t)k->ninsts + 1) * sizeof *t->turns);
    memset(t->loop, -1, ((size_t)k->ninsts + 1) * sizeof *t->loop);
    find_loops(t, k, s, row, arena);
    for (int32_t b = 0; b < c->nblocks; b++)
        add_block(t, k, c, &c->blocks[b], row);
    for (int32_t i = 0; i < k->ninsts; i++) /* of the copies in an unrolled loop one counts each time */
        for (int pipe = 0; t->loop[i] >= 0 && pipe < PIPES; pipe++)
            t->turns[i][TURN_LANES][pipe] /= (uint16_t)t->loops[t->loop[i]].rounds;
    for (int32_t i = 0; i < k->ninsts; i++)
        t->sixteenths[i] = sixteenths_of(t, i);
    for (int32_t b = 0; b < k->nblocks; b++) {
        uint32_t sum = 0;
        for (int32_t i = k->blocks[b].first; i < k->blocks[b].first + k->blocks[b].count; i++)
            sum += t->sixteenths[i];
        t->blocks[b].instructions = (sum + 8) / SIXTEENTHS;
    }
    alloc_release(row);
}

/* What stands between a kernel and its machine code. */
struct made {
    struct lowered *l;
    struct code *selected, *code;
    struct shape *s;
    struct spills spills;
    uint8_t *waits;
    int registers;
};

const char *const target_step_names[TARGET_STEPS] = {"selected", "laid-out", "scheduled", "allocated"};

static struct made make(const struct ir_kernel *k, int arch, enum target_step after)
{
    struct made m = {.l = lowered_new(k, arch), .waits = alloc_zeroed((size_t)k->ninsts + 1)};
    m.selected = selection_new(m.l, arch);
    earlier(m.selected, k);
    m.s = shape_new(m.l, m.selected);
    m.code = layout_new(m.l, m.s, m.selected);
    earlier(m.code, k); /* what layout added */
    balance(m.code);
    if (after >= TARGET_SCHEDULED)
        m.registers = fit(m.l, m.s, m.code, k->function ? fit_most(k->function, arch) : arch_registers(arch), after == TARGET_ALLOCATED, &m.spills, m.waits);
    return m;
}

static void drop(struct made *m)
{
    shape_free(m->s);
    alloc_release(m->spills.spill);
    alloc_release(m->waits);
    code_free(m->selected);
    lowered_free(m->l);
}

struct code *target_code(const struct ir_kernel *k, int arch, enum target_step after)
{
    struct made m = make(k, arch, after);
    struct code *c = after == TARGET_SELECTED ? m.selected : m.code;
    if (after == TARGET_SELECTED)
        code_free(m.code);
    m.selected = after == TARGET_SELECTED ? NULL : m.selected;
    drop(&m);
    return c;
}

struct target_tables *target_tables(const struct ir_kernel *k, struct arena *arena, int arch)
{
    struct target_tables *t = ARENA_NEW(arena, struct target_tables);
    struct made m = make(k, arch_is_known(arch) ? arch : ARCH_USUAL, TARGET_ALLOCATED);
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
    t->registers = m.registers;
    t->waits = ARENA_ARRAY(arena, uint8_t, k->ninsts + 1);
    memcpy(t->waits, m.waits, (size_t)k->ninsts);
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
