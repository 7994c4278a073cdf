/* The glue: load, compile, launch, collect. This page reads as the way of the data (docs/tour.md).
 *
 *     text -ptx_parse-> module -ir_build-> IR -target_rewrite-> IR -interp_compile-> code      (engine/kernel.c)
 *     code + arguments -launch_prepare-> launch -clock_run-> counts -collect-> result          (here) */
#include "engine/private.h"
#include "engine/running.h"

#include "base/alloc.h"
#include "check/check.h"
#include "clock/clock.h"
#include "clock/pace.h"
#include "clock/spills.h"
#include "device/mechanisms.h"
#include "interp/claim_check.h"
#include "jit/jit.h"
#include "memory/rules.h"
#include "report/result.h"
#include "simt/output.h"
#include "simt/tally.h"
#include "step/step.h"
#include "target/driver.h"

#include <stdlib.h>
#include <string.h>

static void observe(const struct record *r, const struct record_values *values, const struct block *b, void *user)
{
    (void)values;
    heddle_device *d = user;
    const struct ir_kernel *k = b->launch->kernel;
    const struct ir_inst *in = &k->insts[r->site];
    heddle_access a = {.kernel = k->name, .file = in->from->loc ? in->from->loc->file : NULL, .line = in->from->loc ? in->from->loc->line : 0,
                       .ptx_line = in->from->ptx_line, .block = {b->id[0], b->id[1], b->id[2]}, .warp = r->warp,
                       .mask = r->mask, .op = "lsar"[r->op < RECORD_LDGSTS ? r->op : r->space == PTX_SHARED || r->op == RECORD_SUST ? RECORD_STORE : RECORD_LOAD], .space = " gslc"[r->space], .bytes = r->bytes,
                       .address = r->addr};
    d->see(&a, d->see_user);
}

/* Counters of a launch that counts: of memory by site, and how often blocks and guarded instructions ran. */
static void count(struct clock_run *run, const struct ir_kernel *k, struct exec_counts *counts)
{
    run->sites = alloc_zeroed(sizeof *run->sites * (size_t)k->ninsts);
    exec_counts_init(counts, k);
    run->counts = counts;
}

/* Room for what the kernel prints, of kernels that do. */
static uint64_t *printed_room(struct launch *l, const struct ir_kernel *k)
{
    bool prints = false;
    for (int32_t i = 0; i < k->ninsts && !prints; i++)
        prints = k->insts[i].op == IR_OP_EXTERN && strcmp(k->insts[i].callee, "vprintf") == 0;
    if (!prints)
        return NULL;
    const size_t n = (size_t)k->ninsts * PRINTED_NUMBERS;
    return memset(ARENA_ARRAY(&l->arena, uint64_t, n), 0, n * sizeof(uint64_t));
}

/* HEDDLE_VERIFY: the claims of the kernel and of who looks at this launch are checked. */
static void verify_begin(const heddle_kernel *k, struct launch *l)
{
    enum jit_mode mode = jit_mode();
    bool code = mode == JIT_ALWAYS || mode == JIT_ALWAYS_FIRST; /* whose forms are looked at instead */
    if (!k->ir->claims || !claim_check_wanted() || k->step || code)
        return;
    l->verify = claim_check_new(k->ir, k->code);
    jit_claim(k->ir, l->block_dim, claim_check_claims(l->verify));
}

/* A launch whose preparation or run took memory of the reserve fails: its caller is the first that can tell. */
static heddle_status memory_sufficed(const heddle_kernel *k)
{
    size_t bytes = alloc_shortage();
    if (!bytes)
        return HEDDLE_OK;
    struct arena a;
    arena_init(&a);
    heddle_status s = engine_fail(HEDDLE_OUT_OF_MEMORY, "kernel '%s': out of host memory (%zu bytes)", result_demangle(&a, k->function->name), bytes);
    arena_release(&a);
    return s;
}

/* One thread at a time; a debugger may write to device memory meanwhile. */
static void run_stepped(const heddle_kernel *k, struct clock_run *run)
{
    struct space *space = &k->module->device->space;
    bool debugged = step_debugged();
    run->threads = 1;
    run->run = step_run;
    step_begin(k->step, run->launch);
    if (debugged)
        space_expose(space, true);
    clock_run(run);
    step_end(run->launch);
    if (debugged)
        space_expose(space, false);
}

heddle_status engine_launch(heddle_kernel *k, const heddle_launch_config *cfg, void *const *args, heddle_result **result,
                            const struct engine_family *family, struct children **children)
{
    if (result)
        *result = NULL;
    *children = NULL;
    heddle_status s = kernel_compile(k);
    if (!s)
        s = kernel_to_step(k, result != NULL, &k);
    if (!s && (!cfg || (k->ir->nparams && !args)))
        s = engine_fail(HEDDLE_INVALID_VALUE, "no launch configuration or no arguments");
    if (!s)
        s = launch_check(k, cfg);
    if (!s)
        s = launch_heap(k);
    if (!s)
        s = memory_sufficed(k);
    if (s)
        return s;

    heddle_device *d = k->module->device;
    struct launch l;
    struct exec_counts counts;
    launch_prepare(&l, k, cfg, args);
    *children = l.children = launch_children(k, family);
    verify_begin(k, &l);
    struct clock_run run = {.launch = &l, .threads = l.verify ? 1 : d->threads, .threads_asked = d->threads_asked, .run = interp_run};
    if (d->see) {
        run.observe = observe;
        run.observe_user = d;
    }
    struct check_launch *checked = check_launch_begin(k, &l);
    if (checked) {
        run.observe = check_observe;
        run.observe_user = checked;
    }
    const struct rules rules = rules_of(&d->spec, cfg->eight_byte_banks);
    run.rules = &rules;
    struct caches_config caches;
    const counter_groups groups = result ? counters_with(d->see || checked ? d->collected & COUNTERS_EXACT : d->collected) : 0;
    if (groups & COUNTERS_OF(CACHES)) {
        launch_caches(k, cfg, &rules, &caches);
        caches.kept = kept_take(d);
        if (!(groups & COUNTERS_OF(DRAM)))
            caches.dram = (struct dram_spec){0};
        run.caches = &caches;
        run.slots = (uint32_t)d->spec.subpartitions;
        run.block_pace = pace_of(k->ir, k->tables, &d->model, &l.arena);
        run.long_pace = pace_of_long_ways(k->tables, &d->model, &l.arena);
        run.pace = k->tables->pace;
        run.early = k->tables->early;
        if (l.nblocks <= d->collects_blocks) {
            run.blocks = ARENA_ARRAY(&l.arena, struct clock_block, l.nblocks);
            memset(run.blocks, 0, l.nblocks * sizeof *run.blocks);
        }
        l.turn_records = 1;
        l.turns = 0;
    }
    /* Machine code tallies accesses by their address modulo TALLY_SLOTS; where rules ask for more, the interpreter counts. */
    bool tallied = !l.shared_bytes || rules.shared_residue <= TALLY_SLOTS, counting = d->see || groups & ~COUNTERS_OF(LAUNCH);
    const struct jit_counts counted = {.records = d->see ? JIT_ALL_RECORDS : run.caches ? JIT_CACHED : JIT_NO_RECORDS,
                                       .runs = counters_need_runs(groups), .accesses = counters_need_accesses(groups)};
    const char *no_code = !l.verify && !k->step && (tallied || !counting)
                              ? jit_prepare(k->jit, &l, counting ? &counted : NULL)
                              : NULL;
    if (no_code) {
        s = engine_fail(HEDDLE_NOT_IMPLEMENTED, "HEDDLE_EXEC is '%s', but kernel '%s' has no machine code: %s", getenv("HEDDLE_EXEC"), k->function->name, no_code);
        launch_children_drop(children);
        kept_give(d, run.caches ? caches.kept : NULL);
        arena_release(&l.arena);
        return s;
    }
    if (l.jit) {
        run.run = jit_run;
        run.run_block = run.caches ? NULL : jit_run_block;
        run.flight_wanted = jit_flight_wanted;
    }
    struct spill_list spills;
    if (counting) {
        count(&run, k->ir, &counts);
        counts.printed = l.printed = printed_room(&l, k->ir);
    }
    if (counting && k->spills && (!run.caches || mechanisms_has(&d->model, MECHANISM_spills))) {
        spills = *k->spills;
        spills.base = (l.local_size + 15) / 16 * 16;
        run.spills = &spills;
    }
    struct running running;
    running_begin(&running, k, &l, checked ? "checking" : run.caches ? "profiling with caches" : counting ? "profiling" : "");
    if (k->step)
        run_stepped(k, &run);
    else if (!k->idle || counting || checked)
        clock_run(&run);
    running_end(&running);
    if (run.sites)
        exec_counts_settle(&counts, k->ir);
    if (checked)
        check_launch_end(checked, k, &l);
    output_finish(&l, d->output, d->output_user);
    s = fault_finish(d, &l);
    if (!s)
        s = memory_sufficed(k);
    if (result) {
        struct result *r = collect(k, cfg, &rules, groups, run.sites, &counts, &run, s ? heddle_error_text() : NULL);
        if (d->collects_code && run.sites && groups & COUNTERS_OF(EXECUTED))
            collect_code(r, k, run.sites, &counts);
        if (run.blocks)
            collect_blocks(r, run.blocks, l.nblocks);
        *result = engine_wrap(r, (int64_t)l.grid_serial - 1);
    }
    if (run.sites) {
        exec_counts_release(&counts);
        alloc_release(run.sites);
    }
    kept_give(d, run.caches ? caches.kept : NULL);
    dram_stats_release(&run.dram);
    claim_check_free(l.verify);
    if (s)
        launch_children_drop(children);
    arena_release(&l.arena);
    return s;
}
