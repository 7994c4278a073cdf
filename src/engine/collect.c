/* From counts to results: what blocks and sites were counted for becomes counters; metrics of results. */
#include "engine/private.h"
#include "engine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/strbuf.h"
#include "counters/launch.h"
#include "counters/metrics.h"
#include "device/guesses.h"
#include "device/mechanisms.h"
#include "clock/clock.h"
#include "memory/caches.h"
#include "memory/dram.h"
#include "memory/rules.h"
#include "report/library.h"
#include "report/result.h"
#include "simt/long_way.h"
#include "simt/trips.h"
#include "target/driver.h"
#include "target/pace.h"

/* A product of matrices: which instruction of the GPU it is, what it works on, and into how many of them it comes apart. H200,
 * 2026-11-23: of each kind of mma the same counts; ptxas takes 4-bit integers apart from compute capability 9.0 on. */
static void collect_product(struct counters *c, const struct device *d, const struct ir_inst *in, uint64_t runs)
{
    static const struct {
        enum counter pipe, ops;
    } of[PTX_ELEMENT_COUNT] = {
        [PTX_ELEMENT_F16] = {COUNTER_TENSOR_HMMA, COUNTER_TENSOR_FP16_OPS}, [PTX_ELEMENT_BF16] = {COUNTER_TENSOR_HMMA, COUNTER_TENSOR_BF16_OPS},
        [PTX_ELEMENT_TF32] = {COUNTER_TENSOR_HMMA, COUNTER_TENSOR_TF32_OPS}, [PTX_ELEMENT_F64] = {COUNTER_TENSOR_DMMA, COUNTER_TENSOR_FP64_OPS},
        [PTX_ELEMENT_E4M3] = {COUNTER_TENSOR_HMMA, COUNTER_TENSOR_FP8_OPS}, [PTX_ELEMENT_E5M2] = {COUNTER_TENSOR_HMMA, COUNTER_TENSOR_FP8_OPS},
        [PTX_ELEMENT_S8] = {COUNTER_TENSOR_IMMA, COUNTER_TENSOR_INT8_OPS}, [PTX_ELEMENT_U8] = {COUNTER_TENSOR_IMMA, COUNTER_TENSOR_INT8_OPS},
        [PTX_ELEMENT_S4] = {COUNTER_TENSOR_IMMA, COUNTER_TENSOR_INT4_OPS}, [PTX_ELEMENT_U4] = {COUNTER_TENSOR_IMMA, COUNTER_TENSOR_INT4_OPS},
        [PTX_ELEMENT_B1] = {COUNTER_TENSOR_IMMA, COUNTER_TENSOR_INT1_OPS},
    };
    const struct ptx_shape_info *s = &ptx_shape_info[in->mods->shape];
    enum ptx_element e = in->mods->element[0];
    enum counter ops = of[e].ops;
    bool halves = ops == COUNTER_TENSOR_FP8_OPS && !d->matrix_fp8_bits, bytes = ops == COUNTER_TENSOR_INT4_OPS && d->cc_major >= 9;
    c->v[of[e].pipe] += runs * (halves || bytes ? 2 : 1);
    c->v[halves ? COUNTER_TENSOR_FP16_OPS : bytes ? COUNTER_TENSOR_INT8_OPS : ops] += runs * 2 * (uint64_t)(s->m * s->n * s->k);
}

/* Which counters count a unit's instructions: integer products are the heavy half's of fma; the cores of a device before 7.0, whose
 * profilers have no such counters, count as fma. */
static const struct {
    enum pipe pipe;
    enum counter counter;
} of_pipe[] = {
    {PIPE_ALU, COUNTER_PIPE_ALU}, {PIPE_FMA, COUNTER_PIPE_FMA}, {PIPE_FMAHEAVY, COUNTER_PIPE_FMA}, {PIPE_CORE, COUNTER_PIPE_FMA}, {PIPE_FP16, COUNTER_PIPE_FP16},
    {PIPE_FP64, COUNTER_PIPE_FP64}, {PIPE_XU, COUNTER_PIPE_XU}, {PIPE_LSU, COUNTER_PIPE_LSU}, {PIPE_TEX, COUNTER_PIPE_TEX},
    {PIPE_ADU, COUNTER_PIPE_ADU}, {PIPE_CBU, COUNTER_PIPE_CBU}, {PIPE_UNIFORM, COUNTER_PIPE_UNIFORM}, {PIPE_TENSOR, COUNTER_PIPE_TENSOR},
};

/* Each lane that comes to the loop does as many turns. */
static void ran_known(const struct exec_counts *e, const struct target_loop *l, struct ran *r)
{
    double turns = (double)l->turns, rounds = (double)(l->turns / l->rounds);
    r->warps[TURN_VISIT] = r->warps[TURN_SOME] = (double)e->block_runs[l->header] / turns;
    r->lanes[TURN_VISIT] = r->lanes[TURN_SOME] = (double)e->block_lanes[l->header] / turns;
    r->warps[TURN_ROUND] = r->warps[TURN_VISIT] * rounds;
    r->lanes[TURN_ROUND] = r->lanes[TURN_VISIT] * rounds;
}

/* What of all turns is not left over is done in rounds. */
static void ran_counted(const struct exec_counts *e, const struct target_loop *l, struct ran *r)
{
    const uint64_t *n = &e->trips[l->trips * TRIPS_NUMBERS];
    static const struct {
        enum target_turn turn;
        enum trips_number number;
    } of[] = {{TURN_VISIT, TRIPS_VISITS}, {TURN_SOME, TRIPS_SOME}, {TURN_TWO, TRIPS_TWO}, {TURN_ONE, TRIPS_ONE}};
    r->warps[TURN_SOME_APART] = (double)n[TRIPS_SOME_APART];
    r->warps[TURN_TWO_APART] = (double)n[TRIPS_TWO_APART];
    r->warps[TURN_ONE_APART] = (double)n[TRIPS_ONE_APART];
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        r->warps[of[i].turn] = (double)n[of[i].number];
        r->lanes[of[i].turn] = (double)n[of[i].number + 1];
    }
    double turns = (double)e->block_runs[l->header] - (double)n[TRIPS_LEFT];
    double of_lanes = (double)e->block_lanes[l->header] - 2 * (double)n[TRIPS_TWO_LANES] - (double)n[TRIPS_ONE_LANES];
    r->warps[TURN_ROUND] = fmax(turns, 0) / l->rounds; /* a launch that a fault ended may have done fewer */
    r->lanes[TURN_ROUND] = fmax(of_lanes, 0) / l->rounds;
}

/* False: the site is in no unrolled loop. */
static bool ran_of_loop(const heddle_kernel *k, const struct exec_counts *e, int32_t site, struct ran *r)
{
    const struct target_tables *t = k->tables;
    if (t->loop[site] < 0)
        return false;
    const struct target_loop *l = &t->loops[t->loop[site]];
    (l->turns ? ran_known : ran_counted)(e, l, r);
    return true;
}

/* How often they came to a block where lanes meet: those that parted at a branch arrive one part after the other. Lanes that leave an
 * unrolled loop at different turns have met at the ends of its parts, and come from the last turn and from in front of it. */
static double arrivals(const heddle_kernel *k, const struct exec_counts *e, int32_t block)
{
    const struct target_tables *t = k->tables;
    double all = (double)e->block_runs[t->blocks[block].counted];
    for (int32_t i = 0; i < k->ir->ninsts; i++) {
        const struct ir_inst *in = &k->ir->insts[i];
        struct ran r = {.warps = {0}};
        if (!ir_is_conditional(in) || in->join != block || (!t->flow[i][TURN_BLOCK][FLOW_TARGET] && !t->unrolled[i]))
            continue;
        if (t->unrolled[i] && in->back_edge && ran_of_loop(k, e, i, &r))
            all += t->loops[t->loop[i]].ends_apart ? r.warps[TURN_ONE_APART] : 0;
        else
            all += (double)e->divergent[i];
    }
    return all;
}

/* Rounds of the loop that an atomic is (memory/atomics.c): each is an access, and but for 16 bits only shared memory has loops. */
static double atomic_rounds(const struct ir_inst *in, const struct counters *c)
{
    if (ptx_type_info[in->type].bits == 16)
        return (double)(c->v[COUNTER_GLOBAL_ATOM_REQUESTS] + c->v[COUNTER_SHARED_ATOM_REQUESTS]);
    return (double)c->v[COUNTER_SHARED_LD_REQUESTS];
}

static int32_t long_way_at(const heddle_kernel *k, int32_t site)
{
    int32_t row = k->ir->nlong_ways - 1; /* 0 where nobody looks at operands */
    while (row >= 0 && k->tables->long_ways[row].site != site)
        row--;
    return row;
}

/* Lanes that go both ways come to where they meet in two groups. */
static void ran_long_way(const uint64_t n[LONG_NUMBERS], struct ran *r)
{
    r->warps[TURN_LONG] = (double)n[LONG_SOME];
    r->lanes[TURN_LONG] = (double)n[LONG_SOME_LANES];
    r->warps[TURN_PASSED] = -(double)n[LONG_ONLY];
    r->lanes[TURN_PASSED] = -(double)n[LONG_SOME_LANES];
    r->warps[TURN_PARTED] = (double)(n[LONG_SOME] - n[LONG_ONLY]);
}

void collect_ran(const heddle_kernel *k, const struct counters *c, const struct exec_counts *e, int32_t site, struct ran *r)
{
    const struct target_tables *t = k->tables;
    const int32_t block = k->ir->insts[site].block, counted = t->blocks[block].counted;
    *r = (struct ran){.warps = {[TURN_BLOCK] = (double)e->block_runs[counted], [TURN_LANES] = (double)e->site_runs[site]},
                      .lanes = {[TURN_BLOCK] = (double)e->block_lanes[counted], [TURN_LANES] = (double)e->site_lanes[site]}};
    if (t->flow[site][TURN_MEET][FLOW_BRANCH]) {
        r->warps[TURN_MEET] = arrivals(k, e, block);
        r->lanes[TURN_MEET] = (double)e->block_lanes[counted]; /* each lane comes once */
    }
    ran_of_loop(k, e, site, r);
    r->long_way = long_way_at(k, site);
    if (r->long_way >= 0)
        ran_long_way(&e->long_ways[r->long_way * LONG_NUMBERS], r);
    if (c && (ir_is(&k->ir->insts[site], PTX_KIND_ATOMIC) || ir_is(&k->ir->insts[site], PTX_KIND_REDUCE))) {
        r->warps[TURN_AGAIN] = atomic_rounds(&k->ir->insts[site], c);
        r->warps[TURN_SHARED] = fmin((double)c->v[COUNTER_SHARED_LD_REQUESTS], r->warps[TURN_BLOCK]);
        const double each = r->warps[TURN_BLOCK] > 0 ? r->lanes[TURN_BLOCK] / r->warps[TURN_BLOCK] : 0;
        r->lanes[TURN_AGAIN] = r->warps[TURN_AGAIN] * each;
        r->lanes[TURN_SHARED] = r->warps[TURN_SHARED] * each;
    }
}

/* Instructions of the GPU that were executed for a site: by warps, by unit too, and of these branches; by lanes; and by lanes whose predicate
 * held. */
struct executed {
    double pipe[PIPES], warps, flow[TARGET_FLOWS], lanes, on;
};

/* Of instructions under the predicate of the site, or of the way that it is on. In an unrolled loop each turn of a lane is in one of
 * the copies. */
static double guarded_on(const heddle_kernel *k, const struct exec_counts *e, int32_t site)
{
    const struct target_tables *t = k->tables;
    const struct ir_inst *in = &k->ir->insts[site];
    const uint16_t *n = t->guarded[site];
    double lanes = (double)(in->guard == IR_NOREG ? e->block_lanes[in->block] : e->site_lanes[site]);
    return lanes * (n[TURN_BLOCK] + (t->loop[site] < 0 ? 0 : (double)n[TURN_ROUND] / t->loops[t->loop[site]].rounds));
}

/* What the driver's function executes; `lanes` of all do nearly all of it. */
static void add_printed(struct executed *x, const uint64_t printed[PRINTED_NUMBERS])
{
    double all = 0;
    for (int pipe = 0; pipe < PIPES; pipe++) {
        double n = 0;
        for (int i = 0; i < PRINTED_NUMBERS; i++)
            n += (double)printed[i] * driver_printf[i][pipe];
        n = fmax(n, 0); /* arguments that fill more than the buffer that is cleared */
        x->pipe[pipe] += n;
        all += n;
    }
    const double lanes = printed[PRINTED_CALLS] ? (double)printed[PRINTED_LANES] / (double)printed[PRINTED_CALLS] : 0;
    x->warps += all;
    x->lanes += all * lanes;
    x->on += all * lanes;
}

/* What is executed of a long way's function. */
static void add_parts(const struct target_part parts[LONG_PARTS], const uint64_t n[LONG_NUMBERS], struct executed *x)
{
    for (int p = 0; p < LONG_PARTS; p++) {
        const double warps = (double)n[LONG_PART_FIRST + 2 * p], lanes = (double)n[LONG_PART_FIRST + 2 * p + 1];
        for (int pipe = 0; pipe < PIPES; pipe++) {
            x->pipe[pipe] += warps * parts[p].pipes[pipe];
            x->warps += warps * parts[p].pipes[pipe];
            x->lanes += lanes * parts[p].pipes[pipe];
            x->on += lanes * parts[p].pipes[pipe];
        }
        for (int flow = 0; flow < TARGET_FLOWS; flow++)
            x->flow[flow] += warps * parts[p].flow[flow];
    }
}

static struct executed executed(const heddle_kernel *k, const struct exec_counts *e, int32_t site, const struct ran *ran)
{
    const struct target_tables *t = k->tables;
    struct executed x = {0};
    for (int turn = 0; turn < TARGET_TURNS; turn++) {
        unsigned all = 0;
        for (int pipe = 0; pipe < PIPES; pipe++) {
            x.pipe[pipe] += ran->warps[turn] * t->turns[site][turn][pipe];
            all += t->turns[site][turn][pipe];
        }
        x.warps += ran->warps[turn] * all;
        for (int flow = 0; flow < TARGET_FLOWS; flow++)
            x.flow[flow] += ran->warps[turn] * t->flow[site][turn][flow];
        x.lanes += ran->lanes[turn] * all;
        x.on += ran->lanes[turn] * t->held[site][turn];
    }
    x.on = fmax(x.on + guarded_on(k, e, site), 0);
    if (e->printed)
        add_printed(&x, &e->printed[(size_t)site * PRINTED_NUMBERS]);
    if (ran->long_way >= 0)
        add_parts(t->parts[t->long_ways[ran->long_way].way], &e->long_ways[ran->long_way * LONG_NUMBERS], &x);
    return x;
}

static uint64_t rounded(double x)
{
    return (uint64_t)(x + 0.5);
}

/* What the site did as PTX has it, and the branches of its machine code. */
static void collect_flow(struct counters *c, const heddle_kernel *k, const struct exec_counts *e, int32_t site, const struct executed *x)
{
    const struct ir_inst *in = &k->ir->insts[site];
    const struct target_tables *t = k->tables;
    const uint64_t came = e->block_runs[in->block], divergent = e->divergent[site], targets = rounded(x->flow[FLOW_TARGET]);
    c->v[COUNTER_FLOW_INST] += rounded(x->flow[FLOW_BRANCH]);
    c->v[COUNTER_FLOW_TARGETS] += targets;
    if (ir_is_own(in))
        return;
    c->v[COUNTER_PTX_INST] += came;
    c->v[COUNTER_PTX_THREAD_INST] += e->block_lanes[in->block];
    if (!ir_is_conditional(in) && !ir_is(in, PTX_KIND_SWITCH))
        return;
    c->v[COUNTER_BRANCH] += came;
    c->v[COUNTER_BRANCH_DIVERGENT] += divergent;
    c->v[COUNTER_BRANCH_TARGETS] += came + divergent;
    c->v[COUNTER_BRANCH_PREDICATED] += !targets && !(t->unrolled[site] && in->back_edge) ? came : 0;
    c->v[COUNTER_FLOW_DIVERGENT] += divergent < targets ? divergent : targets;
}

static void add_flops(struct counters *c, const struct target_flops *f, int64_t lanes)
{
    const unsigned weight[] = {f->fadd, f->fmul, f->ffma, f->dadd, f->dmul, f->dfma, f->hadd, f->hmul, f->hfma};
    for (int i = 0; i < 9; i++)
        c->v[COUNTER_FADD + i] += (uint64_t)(lanes * weight[i]);
}

static void add_flops_of_parts(struct counters *c, const struct target_tables *t, int32_t row, const uint64_t n[LONG_NUMBERS])
{
    const struct target_long_way *w = &t->long_ways[row];
    add_flops(c, &w->passed, -(int64_t)n[LONG_SOME_LANES]);
    for (int p = 0; p < LONG_PARTS; p++)
        add_flops(c, &t->parts[w->way][p].flops, (int64_t)n[LONG_PART_FIRST + 2 * p + 1]);
}

static void collect_stalls_of(struct counters *c, const struct pace_block *pace, uint64_t times)
{
    c->v[COUNTER_STALL_WAIT] += times * pace->wait / PACE_TICKS;
    c->v[COUNTER_STALL_SHORT_SCOREBOARD] += times * pace->scoreboard / PACE_TICKS;
    c->v[COUNTER_STALL_BRANCH_RESOLVING] += times * pace->branch / PACE_TICKS;
}

/* Those of a long way, where the clock has asked for its time. */
static void collect_stalls_of_parts(struct counters *c, const struct target_tables *t, const struct exec_counts *e, int32_t row)
{
    for (int p = 0; e->long_part && p < LONG_PARTS; p++)
        collect_stalls_of(c, &t->pace->part[t->long_ways[row].way][p], e->long_ways[row * LONG_NUMBERS + LONG_PART_FIRST + 2 * p]);
}

static void collect_site(struct counters *c, const heddle_kernel *k, const struct exec_counts *e, int32_t site)
{
    const struct ir_inst *in = &k->ir->insts[site];
    const struct target_flops *f = &k->tables->flops[site];
    bool guarded = in->guard != IR_NOREG;
    uint64_t came = e->block_runs[in->block];
    struct ran ran;
    collect_ran(k, c, e, site, &ran);
    const struct executed x = executed(k, e, site, &ran);
    collect_flow(c, k, e, site, &x);
    if (ir_class(in) == PTX_CLASS_MATRIX)
        collect_product(c, &k->module->device->spec, in, guarded ? e->site_runs[site] : came);
    c->v[COUNTER_THREAD_INST_ON] += guarded ? e->site_lanes[site] : e->block_lanes[in->block]; /* what flops are weighed by */
    add_flops(c, f, (int64_t)c->v[COUNTER_THREAD_INST_ON]);
    if (ran.long_way >= 0) {
        add_flops_of_parts(c, k->tables, ran.long_way, &e->long_ways[ran.long_way * LONG_NUMBERS]);
        collect_stalls_of_parts(c, k->tables, e, ran.long_way);
    }
    c->v[COUNTER_INST] += rounded(x.warps);
    c->v[COUNTER_THREAD_INST] += rounded(x.lanes);
    c->v[COUNTER_THREAD_INST_ON] = rounded(x.on);
    for (size_t i = 0; i < sizeof of_pipe / sizeof *of_pipe; i++)
        c->v[of_pipe[i].counter] += rounded(x.pipe[of_pipe[i].pipe]);
    if (ir_is_memory(in) && in->space == PTX_GENERIC)
        c->v[ir_is(in, PTX_KIND_LOAD) ? COUNTER_GENERIC_LD : ir_is(in, PTX_KIND_STORE) ? COUNTER_GENERIC_ST : COUNTER_GENERIC_ATOM] +=
            guarded ? e->site_runs[site] : came;
}

/* Cycles in which warps issue, and in which they wait for what the machine code's order says (target/pace.h), told with the block's first site. */
static void collect_stalls(struct counters *c, const heddle_kernel *k, const struct exec_counts *e, int32_t site)
{
    const int32_t b = k->ir->insts[site].block;
    const struct pace_block *pace = &k->tables->pace->block[b];
    c->v[COUNTER_STALL_SELECTED] += c->v[COUNTER_INST];
    if (site != k->ir->blocks[b].first)
        return;
    if (e->pace && e->pace[b].span > pace->span)
        c->v[e->pace[b].units >> 32 ? COUNTER_STALL_MIO_THROTTLE : COUNTER_STALL_MATH_PIPE_THROTTLE] += e->block_runs[b] * (e->pace[b].span - pace->span) / PACE_TICKS;
    collect_stalls_of(c, pace, e->block_runs[b]);
}

const char *engine_inlining_chain(struct arena *a, const struct ptx_loc *loc)
{
    const char *chain = NULL;
    for (const struct ptx_loc *c = loc ? loc->inlined_at : NULL; c; c = c->inlined_at)
        chain = chain ? arena_printf(a, "%s < %s:%d", chain, c->file, c->line) : arena_printf(a, "%s:%d", c->file, c->line);
    return chain;
}

static void collect_dram(struct result *r, const struct dram_stats *dram)
{
    r->channel_bytes = ARENA_ARRAY(&r->arena, uint64_t, dram->channels ? dram->channels : 1);
    r->launch.dram_channels = dram->channels;
    r->launch.dram_banks = dram->banks;
    r->launch.dram_bank_accesses = (int64_t)dram->bank_accesses;
    r->launch.dram_busiest_ps = (int64_t)dram->busiest_ps;
    for (uint32_t i = 0; i < dram->channels; i++) {
        r->channel_bytes[i] = dram->bytes[i];
        if ((int64_t)dram->bytes[i] > r->launch.dram_channel_bytes)
            r->launch.dram_channel_bytes = (int64_t)dram->bytes[i];
    }
}

static void collect_time(struct result *r, const struct device *d, const struct clock_run *run)
{
    const struct clock_time *t = &run->time;
    const int64_t cycles = (int64_t)t->cycles;
    r->launch.cycles = cycles;
    r->launch.launch_cycles = run->caches ? (int64_t)run->caches->launch : 0;
    r->launch.duration_ps = (int64_t)((double)cycles * 1e9 / (double)d->sm_clock_khz);
    r->launch.active_cycles = (int64_t)t->active;
    r->launch.warp_cycles = (int64_t)t->warps;
    r->access_cycles = t->accesses ? (double)t->waited / (double)t->accesses : 0;
}

/* What of the time is a guess. The description is read for it once. */
static void collect_guesses(struct result *r, heddle_device *dev)
{
    pthread_mutex_lock(&dev->heap_lock);
    if (!dev->guesses) {
        struct strbuf names;
        strbuf_init(&names);
        if (device_guesses(&dev->spec, &names)) {
            dev->guesses = alloc_zeroed(names.len + 1);
            memcpy(dev->guesses, names.s ? names.s : "", names.len);
        }
        strbuf_release(&names);
    }
    pthread_mutex_unlock(&dev->heap_lock);
    if (!dev->guesses)
        return;
    r->timed = device_timed(&dev->spec);
    r->guesses = arena_strdup(&r->arena, dev->guesses);
}

static const char *names_of_mechanisms(struct arena *a, mechanism_set set)
{
    struct strbuf names;
    strbuf_init(&names);
    mechanisms_write(set, &names);
    const char *kept = arena_strdup(a, names.s);
    strbuf_release(&names);
    return kept;
}

struct result *collect(heddle_kernel *k, const heddle_launch_config *cfg, const struct rules *rules, counter_groups groups,
                       const struct counters *sites, const struct exec_counts *e, const struct clock_run *run, const char *fault)
{
    const struct dram_stats *dram = &run->dram;
    const struct ir_kernel *ir = k->ir;
    const struct device *d = &k->module->device->spec;
    struct result *r = result_new((uint32_t)ir->ninsts);
    struct arena *a = &r->arena;
    r->kernel = arena_strdup(a, ir->name);
    r->kernel_name = result_demangle(a, ir->name);
    r->device_id = arena_strdup(a, d->id);
    r->device_name = arena_strdup(a, d->name);
    r->cc_major = (int)d->cc_major;
    r->cc_minor = (int)d->cc_minor;
    r->arch = k->module->ptx->arch;
    r->compiler = k->module->ptx->compiler ? arena_strdup(a, k->module->ptx->compiler) : NULL;
    r->fault = fault && *fault ? arena_strdup(a, fault) : NULL;
    struct device_need need = kernel_need(k, 0, cfg->shared_bytes);
    launch_facts_init(&r->launch, d, cfg->grid, cfg->block, &need, kernel_local_bytes(k));
    r->launch.collected = dram->channels ? groups : groups & ~COUNTERS_OF(DRAM);
    collect_dram(r, dram);
    collect_time(r, d, run);
    if (run->caches)
        r->cache_control = run->caches->kept ? "none" : "all";
    if (r->launch.collected & COUNTERS_OF(TIME))
        collect_guesses(r, k->module->device);
    if (run->caches && k->module->device->model.without)
        r->without = names_of_mechanisms(a, k->module->device->model.without);
    r->launch.by_size = rules_by_size(rules);
    r->launch.readonly = rules->readonly ? 1 + rules->readonly_apart : 0;
    device_rates(d, &r->rates);
    for (int32_t i = 0; i < ir->ninsts; i++) {
        const struct ir_inst *in = &ir->insts[i];
        struct result_site *s = &r->sites[i];
        s->site = (uint32_t)i;
        s->ptx_line = in->from->ptx_line;
        s->text = in->from->text ? arena_strndup(a, in->from->text, (size_t)in->from->text_len) : NULL;
        if (in->from->loc && in->from->loc->line) {
            s->file = arena_strdup(a, in->from->loc->file);
            s->line = in->from->loc->line;
            s->column = in->from->loc->column;
            s->function = in->from->loc->function ? arena_strdup(a, in->from->loc->function) : NULL;
            s->inlined_at = engine_inlining_chain(a, in->from->loc);
        }
        if (!sites)
            continue;
        s->counters = sites[i];
        s->unrolled = k->tables->unrolled[i];
        collect_site(&s->counters, k, e, i);
        collect_stalls(&s->counters, k, e, i);
        counters_keep(&s->counters, 1, groups);
    }
    result_sum(r);
    return r;
}

heddle_result *engine_library_result(heddle_device *dev, const char *function, const struct result_library *l)
{
    struct result *r = result_new(0);
    struct arena *a = &r->arena;
    struct result_library *library = ARENA_ARRAY(a, struct result_library, 1);
    const struct device *d = &dev->spec;
    *library = *l;
    library->name = arena_strdup(a, l->name);
    library->shape = l->shape ? arena_strdup(a, l->shape) : NULL;
    r->library = library;
    r->kernel = r->kernel_name = arena_strdup(a, function);
    r->device_id = arena_strdup(a, d->id);
    r->device_name = arena_strdup(a, d->name);
    r->cc_major = (int)d->cc_major;
    r->cc_minor = (int)d->cc_minor;
    device_rates(d, &r->rates);
    r->channel_bytes = ARENA_ARRAY(a, uint64_t, 1);
    return engine_wrap(r, 0);
}

/* --- results --- */

heddle_result *engine_wrap(struct result *r, int64_t id)
{
    heddle_result *w = alloc_zeroed(sizeof *w);
    w->r = r;
    r->id = id;
    return w;
}

struct result *engine_result(heddle_result *r)
{
    return r->r;
}

void heddle_result_free(heddle_result *r)
{
    if (!r)
        return;
    free(r->json);
    result_free(r->r);
    alloc_release(r);
}

heddle_status engine_metric_told(enum metric_status s, const char *name)
{
    switch (s) {
    case METRIC_OK:
        return HEDDLE_OK;
    case METRIC_NOT_COMPUTED:
        return engine_fail(HEDDLE_NOT_IMPLEMENTED, "metric '%s' is not computed, or what it needs was not collected", name);
    default:
        return engine_fail(HEDDLE_NOT_FOUND, "no metric '%s'%s%s", name ? name : "", name && metric_near(name) ? "; near: " : "",
                    name && metric_near(name) ? metric_near(name) : "");
    }
}

heddle_status heddle_result_metric(const heddle_result *r, const char *name, double *value)
{
    return engine_metric_told(r && name ? result_metric(r->r, name, value) : METRIC_UNKNOWN, name);
}

const char *heddle_metric_name(int i)
{
    const struct metric *m = i < 0 ? NULL : metric_at(i);
    return m ? m->name : NULL;
}

const char *heddle_metric_unit(const char *name)
{
    const struct metric *m = metric_find(name);
    return m ? m->unit : NULL;
}

const char *heddle_metric_trust(const char *name)
{
    const struct metric *m = metric_find(name);
    return m ? trust_text(m->trust) : NULL;
}

const char *heddle_metric_help(const char *name)
{
    const struct metric *m = metric_find(name);
    return m ? m->help : NULL;
}

void collect_blocks(struct result *r, const struct clock_block *b, uint64_t n)
{
    r->nblocks = (uint32_t)n;
    r->blocks = ARENA_ARRAY(&r->arena, struct result_block, n + 1);
    for (uint64_t i = 0; i < n; i++)
        r->blocks[i] = (struct result_block){b[i].begin, b[i].end, b[i].sm};
}
