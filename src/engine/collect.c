/* From counts to results: what blocks and sites were counted for becomes counters; metrics of results. */
#include "engine/private.h"
#include "engine.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "counters/launch.h"
#include "counters/metrics.h"
#include "memory/dram.h"
#include "memory/rules.h"
#include "report/library.h"
#include "report/result.h"

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
    {PIPE_ADU, COUNTER_PIPE_ADU}, {PIPE_CBU, COUNTER_PIPE_CBU}, {PIPE_UNIFORM, COUNTER_PIPE_UNIFORM},
};

/* How often the parts of an unrolled loop ran: by visits of warps, of which each has as many turns as the mean, rounded down or up. Lanes
 * with different numbers of turns leave both one and two turns over. */
static void loop_turns(const heddle_kernel *k, const struct exec_counts *e, const struct target_loop *l, double runs[TARGET_TURNS])
{
    uint64_t lanes = e->block_lanes[l->header], before = e->block_lanes[l->before < 0 ? l->header : l->before];
    int32_t latch = l->branch < 0 ? l->header : k->ir->insts[l->branch].block;
    uint64_t taken = l->branch < 0 ? 0 : e->site_lanes[l->branch];
    uint64_t back = l->back_is_taken ? taken : e->block_lanes[latch] - taken;
    double warps = before ? (double)e->block_runs[l->before < 0 ? l->header : l->before] / (double)before : 1;
    double visits = (double)(lanes - back) * warps, turns = visits > 0 ? (double)e->block_runs[l->header] / visits : 0;
    bool apart = l->branch >= 0 && e->divergent[l->branch] > 0;
    double least = floor(turns + 1e-9), more = turns - least;
    for (int i = 0; i < 2; i++) {
        double n = least + i, part = visits * (i ? more : 1 - more), left = fmod(n, l->rounds);
        if (part <= 0)
            continue;
        runs[TURN_VISIT] += part;
        runs[TURN_SOME] += n >= l->rounds ? part : 0;
        runs[TURN_ROUND] += part * floor(n / l->rounds);
        runs[TURN_TWO] += left >= 2 || (apart && n >= 2) ? part : 0;
        runs[TURN_ONE] += fmod(left, 2) >= 1 || apart ? part : 0;
    }
}

/* Rounds of the loop that an atomic is (memory/atomics.c): each is an access, and but for 16 bits only shared memory has loops. */
static double atomic_rounds(const struct ir_inst *in, const struct counters *c)
{
    if (ptx_type_info[in->type].bits == 16)
        return (double)(c->v[COUNTER_GLOBAL_ATOM_REQUESTS] + c->v[COUNTER_SHARED_ATOM_REQUESTS]);
    return (double)c->v[COUNTER_SHARED_LD_REQUESTS];
}

/* Instructions of the GPU that were executed for the site, by unit, and all. */
static double executed(const heddle_kernel *k, const struct counters *c, const struct exec_counts *e, int32_t site, double pipes[PIPES])
{
    const struct target_tables *t = k->tables;
    const int32_t counted = t->blocks[k->ir->insts[site].block].counted;
    double runs[TARGET_TURNS] = {[TURN_BLOCK] = (double)e->block_runs[counted], [TURN_LANES] = (double)e->site_runs[site]}, all = 0;
    if (t->loop[site] >= 0)
        loop_turns(k, e, &t->loops[t->loop[site]], runs);
    if (ir_is(&k->ir->insts[site], PTX_KIND_ATOMIC) || ir_is(&k->ir->insts[site], PTX_KIND_REDUCE)) {
        runs[TURN_AGAIN] = atomic_rounds(&k->ir->insts[site], c);
        runs[TURN_SHARED] = fmin((double)c->v[COUNTER_SHARED_LD_REQUESTS], runs[TURN_BLOCK]);
    }
    for (int pipe = 0; pipe < PIPES; pipe++) {
        pipes[pipe] = 0;
        for (int turn = 0; turn < TARGET_TURNS; turn++)
            pipes[pipe] += runs[turn] * t->turns[site][turn][pipe];
        all += pipes[pipe];
    }
    return all;
}

static uint64_t rounded(double x)
{
    return (uint64_t)(x + 0.5);
}

static void collect_site(struct counters *c, const heddle_kernel *k, const struct exec_counts *e, int32_t site)
{
    const struct ir_inst *in = &k->ir->insts[site];
    const struct target_flops *f = &k->tables->flops[site];
    const int32_t counted = k->tables->blocks[in->block].counted;
    bool guarded = in->guard != IR_NOREG;
    uint64_t lanes = e->block_lanes[in->block], runs = e->block_runs[in->block];
    double pipes[PIPES], all = executed(k, c, e, site, pipes), each = e->block_runs[counted] ? all / (double)e->block_runs[counted] : 0;
    c->v[COUNTER_INST] += rounded(all);
    c->v[COUNTER_THREAD_INST] += rounded((double)e->block_lanes[counted] * each);
    for (size_t i = 0; i < sizeof of_pipe / sizeof *of_pipe; i++)
        c->v[of_pipe[i].counter] += rounded(pipes[of_pipe[i].pipe]);
    c->v[COUNTER_THREAD_INST_ON] += guarded ? e->site_lanes[site] : lanes;
    if (ir_is(in, PTX_KIND_BRANCH) || ir_is(in, PTX_KIND_SWITCH)) {
        c->v[COUNTER_BRANCH] += runs;
        c->v[COUNTER_BRANCH_DIVERGENT] += e->divergent[site];
        c->v[COUNTER_BRANCH_TARGETS] += runs + e->divergent[site];
    }
    if (ir_class(in) == PTX_CLASS_MATRIX)
        collect_product(c, &k->module->device->spec, in, guarded ? e->site_runs[site] : runs);
    const unsigned weight[] = {f->fadd, f->fmul, f->ffma, f->dadd, f->dmul, f->dfma, f->hadd, f->hmul, f->hfma};
    for (int i = 0; i < 9; i++)
        counters_weigh(c, COUNTER_FADD + i, weight[i]);
    c->v[COUNTER_THREAD_INST_ON] = rounded((double)c->v[COUNTER_THREAD_INST_ON] * each);
    if (ir_is_memory(in) && in->space == PTX_GENERIC)
        c->v[ir_is(in, PTX_KIND_LOAD) ? COUNTER_GENERIC_LD : ir_is(in, PTX_KIND_STORE) ? COUNTER_GENERIC_ST : COUNTER_GENERIC_ATOM] +=
            guarded ? e->site_runs[site] : runs;
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

struct result *collect(heddle_kernel *k, const heddle_launch_config *cfg, const struct rules *rules, counter_groups groups,
                       const struct counters *sites, const struct exec_counts *e, const struct dram_stats *dram, const char *fault)
{
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
    launch_facts_init(&r->launch, d, cfg->grid, cfg->block, &need, ir->local_bytes);
    r->launch.collected = dram->channels ? groups : groups & ~COUNTERS_OF(DRAM);
    collect_dram(r, dram);
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
        collect_site(&s->counters, k, e, i);
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
