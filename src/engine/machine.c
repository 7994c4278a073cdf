/* The machine code of a launch's kernel with how often each instruction was executed: what the profiler's view of machine code shows.
 *
 * In: the counts of a launch, and the tables that say by what an instruction is executed (target.h). Out: result_inst. An instruction is
 * executed once each time that its block runs, or as often as the parts of an unrolled loop do; one of a function as often as the
 * function is called, half as often where it has branches (what `tables.c` takes of it). */
#include "engine/private.h"

#include "base/alloc.h"
#include "base/strbuf.h"
#include "report/result.h"
#include "simt/long_way.h"
#include "target/code.h"

static uint64_t rounded(double x)
{
    return (uint64_t)(x + 0.5);
}

/* Warps, lanes, and lanes whose predicate is true. */
static void count(struct result_inst *to, const heddle_kernel *k, const struct counters *sites, const struct exec_counts *e, const struct machine_block *b, const struct machine_inst *in)
{
    struct ran ran;
    int32_t loop;
    const enum target_turn turn = target_turn(k->tables, k->ir, b, in, &loop);
    if (turn == TARGET_TURNS || in->op == OP_NONE)
        return;
    const struct ir_inst *site = &k->ir->insts[in->site];
    const double came_lanes = (double)e->block_lanes[k->tables->blocks[site->block].counted];
    const bool guarded = site->guard != IR_NOREG;
    collect_ran(k, sites ? &sites[in->site] : NULL, e, in->site, &ran);
    const int rounds = loop >= 0 ? k->tables->loops[loop].rounds : 1, of = turn == TURN_LANES || turn == TURN_LONG ? rounds : 1;
    const enum target_turn with = in->way == WAY_SHORT ? TURN_PASSED : TURN_PARTED;
    const bool has_both = (in->way == WAY_SHORT || in->way == WAY_MEET) && (turn == TURN_BLOCK || turn == TURN_ROUND);
    const double times = ran.warps[turn] / of + (has_both ? ran.warps[with] / rounds : 0);
    const double lanes = ran.lanes[turn] / of + (has_both ? ran.lanes[with] / rounds : 0);
    const double on = came_lanes > 0 ? lanes * (double)(guarded ? e->site_lanes[in->site] : e->block_lanes[site->block]) / came_lanes : 0;
    to->inst = rounded(times);
    to->thread_inst = rounded(lanes);
    to->thread_inst_on = rounded(in->guard.file && in->taken == TAKEN_OFF ? 0 : in->guard.file ? on : lanes);
}

/* Of functions with parts: by how often each was executed. */
static void count_parts(const heddle_kernel *k, const struct code *c, const struct exec_counts *e, struct result_inst *insts)
{
    uint64_t all[LONG_WAYS][LONG_NUMBERS] = {{0}};
    for (int32_t row = 0; row < k->ir->nlong_ways; row++)
        for (int n = 0; n < LONG_NUMBERS; n++)
            all[k->tables->long_ways[row].way][n] += e->long_ways[row * LONG_NUMBERS + n];
    for (int32_t b = 0; b < c->nblocks; b++) {
        const struct machine_block *bl = &c->blocks[b];
        const int way = bl->times == TIMES_CALLED ? long_way_of(bl->of) : -1;
        for (int32_t i = bl->first; way >= 0 && i < bl->first + bl->count; i++) {
            const uint64_t *part = &all[way][LONG_PART_FIRST + 2 * c->insts[i].part];
            insts[i].inst = part[0];
            insts[i].thread_inst = insts[i].thread_inst_on = part[1];
        }
    }
}

/* Of other functions: by calls. */
static void count_calls(const struct code *c, struct result_inst *insts)
{
    struct result_inst calls[FUNCTIONS] = {{0}};
    for (int32_t i = 0; i < c->ninsts; i++)
        if (c->insts[i].op == OP_CALL && c->insts[i].source[0].file == FILE_FUNCTION) {
            struct result_inst *to = &calls[c->insts[i].source[0].number];
            to->inst += insts[i].inst;
            to->thread_inst += insts[i].thread_inst;
            to->thread_inst_on += insts[i].thread_inst_on;
        }
    for (int32_t b = 0; b < c->nblocks; b++) {
        const struct machine_block *bl = &c->blocks[b];
        uint64_t share = 1;
        if (bl->times != TIMES_CALLED || long_way_of(bl->of) >= 0)
            continue;
        for (int32_t i = bl->first; i < bl->first + bl->count; i++)
            share = c->insts[i].op == OP_BRA ? 2 : share;
        for (int32_t i = bl->first; i < bl->first + bl->count; i++) {
            insts[i].inst = calls[bl->of].inst / share;
            insts[i].thread_inst = calls[bl->of].thread_inst / share;
            insts[i].thread_inst_on = calls[bl->of].thread_inst_on / share;
        }
    }
}

void collect_code(struct result *r, const heddle_kernel *k, const struct counters *sites, const struct exec_counts *e)
{
    const int arch = device_arch(&k->module->device->spec);
    struct code *c = target_code(k->ir, arch_is_known(arch) ? arch : ARCH_USUAL, TARGET_ALLOCATED);
    struct arena *a = &r->arena;
    struct strbuf text;
    strbuf_init(&text);
    r->insts = ARENA_ARRAY(a, struct result_inst, c->ninsts + 1);
    r->ninsts = (uint32_t)c->ninsts;
    for (int32_t b = 0; b < c->nblocks; b++) {
        const struct machine_block *bl = &c->blocks[b];
        for (int32_t i = bl->first; i < bl->first + bl->count; i++) {
            struct result_inst *to = &r->insts[i];
            to->site = c->insts[i].site;
            if (i == bl->first) {
                strbuf_clear(&text);
                code_print_head(k->ir, bl, &text);
                to->head = arena_strdup(a, text.s);
            }
            strbuf_clear(&text);
            code_print(&c->insts[i], &text);
            to->text = arena_strdup(a, text.s);
            count(to, k, sites, e, bl, &c->insts[i]);
        }
    }
    count_calls(c, r->insts);
    count_parts(k, c, e, r->insts);
    strbuf_release(&text);
    code_free(c);
}
