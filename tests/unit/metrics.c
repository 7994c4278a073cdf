/* Metrics: formulas by hand, names, and that docs/reference/metrics.md is up to date. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/diag.h"
#include "base/strbuf.h"
#include "counters/metrics.h"
#include "simt/record.h"

static struct counters c;
static struct launch_facts l = {.collected = COUNTERS_ALL};

static double value(const char *name)
{
    struct metric_input in = {.c = &c, .l = &l};
    double v = -1;

    assert_int_equal(metric_value(name, &in, &v), METRIC_OK);
    return v;
}

/* aos,one_field of an H200: 32768 requests, 786432 sectors, 4 bytes a lane: 4 Mi bytes. */
static void formulas_by_hand(void **state)
{
    (void)state;
    c.v[COUNTER_GLOBAL_LD_REQUESTS] = 32768;
    c.v[COUNTER_GLOBAL_LD_SECTORS] = 786432;
    c.v[COUNTER_GLOBAL_LD_BYTES] = 4194304;
    c.v[COUNTER_GLOBAL_LD_IDEAL] = 131072;
    c.v[COUNTER_GLOBAL_ST_SECTORS] = c.v[COUNTER_GLOBAL_ST_IDEAL] = 131072;
    c.v[COUNTER_SHARED_LD_REQUESTS] = 100;
    c.v[COUNTER_SHARED_LD_WAVEFRONTS] = 3200;
    c.v[COUNTER_SHARED_LD_IDEAL] = 100;
    c.v[COUNTER_FLOW_TARGETS] = 261888;
    c.v[COUNTER_FLOW_DIVERGENT] = 8448;
    c.v[COUNTER_INST] = 10;
    c.v[COUNTER_THREAD_INST] = 240;
    c.v[COUNTER_FADD] = 1;
    c.v[COUNTER_FMUL] = 2;
    c.v[COUNTER_FFMA] = 4;
    assert_float_equal(value("gld_transactions_per_request"), 24, 1e-9);
    assert_float_equal(value("gld_efficiency"), 16.6667, 1e-3); /* 4 of 24 bytes */
    assert_float_equal(value("smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.ratio"), 5.3333, 1e-3);
    assert_float_equal(value("derived__memory_l2_theoretical_sectors_global_excessive"), 655360, 1e-9);
    assert_float_equal(value("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"), 3100, 1e-9);
    assert_float_equal(value("derived__memory_l1_conflicts_shared_nway"), 32, 1e-9);
    l.multiprocessors = 132; /* of 4 schedulers: 528 */
    l.schedulers = 4;
    assert_float_equal(value("smsp__sass_branch_targets_threads_divergent.avg"), 16, 1e-9);
    assert_float_equal(value("branch_efficiency"), 96.7742, 1e-3); /* measured: 96.77 */
    assert_float_equal(value("warp_execution_efficiency"), 75, 1e-9);
    assert_float_equal(value("flop_count_sp"), 11, 1e-9);
    assert_float_equal(value("gst_efficiency"), 0, 1e-9); /* no store asked for a byte */
    assert_float_equal(value("l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_st.ratio"), 0, 1e-9);
}

/* A shifted load of a GT280's warp: 128, 64 and 32 bytes for 128; a read-only load of 5 sectors. */
static void transactions_by_hand(void **state)
{
    struct counters mine = {{0}};
    struct launch_facts launch = {.collected = COUNTERS_ALL, .by_size = 1};
    struct metric_input in = {.c = &mine, .l = &launch};
    static const struct {
        const char *name;
        double value;
    } cases[] = {
        {"gld_transactions", 3}, {"gld_transactions_per_request", 3}, {"gld_efficiency", 57.142857}, {"gld_32b", 1},
        {"gld_64b", 1}, {"gld_128b", 1}, {"gst_transactions", 0}, {"gst_efficiency", 0}, {"local_load_transactions", 2}, {"local_load_transactions_per_request", 2},
        {"nc_gld_efficiency", 80}, {"readonly_load_transactions", 5}, {"l1_shared_bank_conflict", 6}, {"shared_load_replay", 7},
    }, sectors[] = {{"gld_transactions", 5}, {"gld_efficiency", 80}, {"local_load_transactions", 4},
         {"local_load_transactions_per_request", 4}, {"l1tex__average_t_sectors_per_request_pipe_lsu_mem_local_op_ld.ratio", 4},
         {"local_store_transactions_per_request", 0}, {"l1tex__average_t_sectors_per_request_pipe_lsu_mem_local_op_st.ratio", 0}};
    double v;

    (void)state;
    mine.v[COUNTER_GLOBAL_LD_REQUESTS] = 1;
    mine.v[COUNTER_GLOBAL_LD_BYTES] = mine.v[COUNTER_READONLY_BYTES] = 128;
    mine.v[COUNTER_GLOBAL_LD_SECTORS] = mine.v[COUNTER_READONLY_SECTORS] = 5;
    mine.v[COUNTER_GLOBAL_LD_OF_32] = mine.v[COUNTER_GLOBAL_LD_OF_64] = mine.v[COUNTER_GLOBAL_LD_OF_128] = 1;
    mine.v[COUNTER_LOCAL_LD_REQUESTS] = 1; /* a word a lane: 4 sectors, no store */
    mine.v[COUNTER_LOCAL_LD_TRANSACTIONS] = 2;
    mine.v[COUNTER_LOCAL_LD_SECTORS] = 4;
    mine.v[COUNTER_SHARED_LD_REQUESTS] = 1;
    mine.v[COUNTER_SHARED_LD_WAVEFRONTS] = 8;
    mine.v[COUNTER_SHARED_LD_IDEAL] = 2;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(metric_value(cases[i].name, &in, &v), METRIC_OK);
        assert_float_equal(v, cases[i].value, 1e-6);
    }
    launch.by_size = 0; /* a later device: sectors */
    for (size_t i = 0; i < sizeof sectors / sizeof sectors[0]; i++) {
        assert_int_equal(metric_value(sectors[i].name, &in, &v), METRIC_OK);
        assert_float_equal(v, sectors[i].value, 1e-6);
    }
}

/* 40 warp instructions: 20 of alu, 10 of fma, 4 of lsu, 1 of cbu, 5 of no unit. */
static void units_by_hand(void **state)
{
    struct counters mine = {{0}};
    struct launch_facts launch = {.collected = COUNTERS_ALL};
    struct metric_input in = {.c = &mine, .l = &launch};
    static const struct {
        const char *name;
        double value;
    } cases[] = {
        {"smsp__inst_executed_pipe_alu.sum", 20}, {"sm__inst_executed_pipe_fma.sum", 10}, {"derived__inst_executed_pipe_none.sum", 5},
        {"derived__inst_executed_pipe_alu.pct", 50}, {"derived__inst_executed_pipe_fma.pct", 25}, {"derived__inst_executed_pipe_lsu.pct", 10},
        {"derived__inst_executed_pipe_cbu.pct", 2.5}, {"derived__inst_executed_pipe_none.pct", 12.5}, {"derived__inst_executed_pipe_xu.pct", 0},
    };
    double v;

    (void)state;
    mine.v[COUNTER_INST] = 40;
    mine.v[COUNTER_PIPE_ALU] = 20;
    mine.v[COUNTER_PIPE_FMA] = 10;
    mine.v[COUNTER_PIPE_LSU] = 4;
    mine.v[COUNTER_PIPE_CBU] = 1;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(metric_value(cases[i].name, &in, &v), METRIC_OK);
        assert_float_equal(v, cases[i].value, 1e-9);
    }
}

/* 1024 blocks of 256 threads and 32 registers on an H200: 8 resident blocks, 1024 / (8 * 132) = 0.97 waves. */
static void launch_by_hand(void **state)
{
    const uint32_t grid[3] = {32, 32, 1}, block[3] = {16, 16, 1};
    struct diag_list diags;
    struct device d;

    (void)state;
    diag_init(&diags);
    assert_true(device_load(&d, "h200", &diags));
    diag_release(&diags);
    launch_facts_init(&l, &d, grid, block, &(struct device_need){.registers = 32, .shared_static = 2048}, 0);
    l.collected = COUNTERS_ALL;
    assert_float_equal(value("launch__waves_per_multiprocessor"), 0.9697, 1e-4);
    assert_float_equal(value("sm__maximum_warps_per_active_cycle_pct"), 100, 1e-9);
    assert_float_equal(value("launch__occupancy_limit_shared_mem"), 21, 1e-9); /* 64 KiB / 3 KiB */
    assert_float_equal(value("launch__thread_count"), 262144, 1e-9);
    assert_float_equal(value("launch__block_size"), 256, 1e-9);
    assert_float_equal(value("launch__block_dim_y"), 16, 1e-9);
}

static void names(void **state)
{
    struct metric_input in = {.c = &c, .l = &l};
    double v = 7;

    (void)state;
    l.collected = COUNTERS_EXACT;
    assert_int_equal(metric_value("dram__bytes_read.sum", &in, &v), METRIC_NOT_COMPUTED);
    l.collected = COUNTERS_ALL;
    assert_int_equal(metric_value("gld_eficiency", &in, &v), METRIC_UNKNOWN);
    assert_float_equal(v, 7, 0);
    assert_string_equal(metric_near("gld_eficiency"), "gld_efficiency");
    assert_string_equal(metric_near("l1tex__t_sectors_pipe_lsu_mem_global_op_ld"),
                        "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum");
    assert_null(metric_near("no such thing at all"));
    assert_string_equal(metric_find("global_store_requests")->name, "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum");
    assert_string_equal(metric_find("dram__bytes_read.sum")->unit, "byte");
}

/* Of 4 channels the busiest moved 96 of 160 bytes: 96 / 40. 8 banks a channel; the busiest of each channel had 3 of 6 accesses
 * in all: 3 / (6 / 8). 5 sectors were read, of which lanes loaded 40 bytes. */
static void dram(void **state)
{
    struct launch_facts facts = {.collected = COUNTERS_ALL, .dram_channels = 4, .dram_banks = 8, .dram_channel_bytes = 96, .dram_bank_accesses = 3, .dram_busiest_ps = 12500};
    struct counters counts = {.v = {[COUNTER_DRAM_READ_SECTORS] = 5, [COUNTER_DRAM_ROW_HITS] = 3, [COUNTER_DRAM_ROW_CLOSED] = 1,
                                    [COUNTER_DRAM_ROW_CONFLICTS] = 2, [COUNTER_DRAM_DATA_PS] = 300, [COUNTER_DRAM_BUSY_PS] = 400,
                                    [COUNTER_GLOBAL_LD_BYTES] = 40}};
    static const struct { const char *name; double value; } want[] = {
        {"derived__dram_accesses.sum", 6}, {"derived__dram_row_hit_rate.pct", 50}, {"derived__dram_read_use.pct", 25},
        {"derived__dram_channel_busiest_to_mean.ratio", 2.4}, {"derived__dram_bank_busiest_to_mean.ratio", 4},
        {"derived__dram_bus_efficiency.pct", 75}, {"derived__dram_least_time", 12.5}};
    struct metric_input in = {.c = &counts, .l = &facts};
    double v;

    (void)state;
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        assert_int_equal(metric_value(want[i].name, &in, &v), METRIC_OK);
        assert_float_equal(v, want[i].value, 1e-9);
    }
    facts.collected &= ~COUNTERS_OF(DRAM); /* banks or times are not known, or nobody asked */
    for (size_t i = 0; i < sizeof want / sizeof *want; i++)
        assert_int_equal(metric_value(want[i].name, &in, &v), strstr(want[i].name, "read_use") ? METRIC_OK : METRIC_NOT_COMPUTED);
    facts.collected &= ~COUNTERS_OF(CACHES);
    for (size_t i = 0; i < sizeof want / sizeof *want; i++)
        assert_int_equal(metric_value(want[i].name, &in, &v), METRIC_NOT_COMPUTED);
}

struct figure {
    const char *name;
    double value;
};

static void figures_are(const struct metric_input *in, const struct figure *f, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        double v = -1;

        assert_int_equal(metric_value(f[i].name, in, &v), METRIC_OK);
        if (!(fabs(v - f[i].value) <= 1e-9 * fmax(1, fabs(f[i].value))))
            fail_msg("%s is %g, not %g", f[i].name, v, f[i].value);
    }
}
#define FIGURES_ARE(in, f) figures_are((in), (f), sizeof(f) / sizeof(f)[0])

/* Two multiprocessors of four schedulers at 1 GHz, which have a block for 1,600 of 2 x 1,000 cycles; the launch takes 2 us. Of 3,200 warp
 * instructions 1,600 are of alu (64 lanes: two a cycle), 1,600 of fma (128 lanes, all of them floats) and 400 of xu (16 lanes). */
static void time_by_hand(void **state)
{
    struct counters mine = {{0}};
    struct launch_facts launch = {.collected = COUNTERS_ALL, .multiprocessors = 2, .schedulers = 4, .max_warps = 64, .sm_clock_khz = 1000000,
                                  .cycles = 1000, .duration_ps = 2000000, .active_cycles = 1600, .warp_cycles = 51200};
    const struct device_rates rates = {.issue = 8, .int32_add = 128, .int32_mul = 128, .fp32 = 512, .fp64 = 128, .fp16 = 1024, .sfu = 32, .lsu = 64,
                                       .shared_wavefronts = 2, .shared_bandwidth = 256, .l1_bandwidth = 256, .l2_bandwidth = 1000, .dram_bandwidth = 4000};
    struct metric_input in = {.c = &mine, .l = &launch, .d = &rates};
    static const struct figure cases[] = {
        {"gpu__time_duration.sum", 2000}, {"gpc__cycles_elapsed.avg.per_second", 1e9}, {"sm_efficiency", 80}, {"achieved_occupancy", 0.5},
        {"sm__warps_active.avg.pct_of_peak_sustained_active", 50}, {"ipc", 2}, {"sm__inst_executed.avg.per_cycle_elapsed", 1.6},
        {"smsp__inst_executed.avg.per_cycle_active", 0.5}, {"issue_slot_utilization", 50}, {"smsp__issue_inst0.avg.pct_of_peak_sustained_active", 50},
        {"sm__inst_executed_pipe_alu.avg.pct_of_peak_sustained_active", 50}, {"sm__inst_executed_pipe_fma.avg.pct_of_peak_sustained_active", 25},
        {"sm__inst_executed_pipe_xu.avg.pct_of_peak_sustained_active", 50}, {"sm__inst_executed_pipe_fp64.avg.pct_of_peak_sustained_active", 0},
        {"sm__throughput.avg.pct_of_peak_sustained_active", 50}, {"sm__throughput.avg.pct_of_peak_sustained_elapsed", 40},
        {"dram__throughput.avg.pct_of_peak_sustained_elapsed", 25}, {"gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed", 25},
        {"dram_read_throughput", 1e12}, {"dram__bytes.sum.per_second", 1e12}, {"lts__throughput.avg.pct_of_peak_sustained_elapsed", 16},
        {"gld_throughput", 5e11}, {"gld_requested_throughput", 2.5e11}, {"gst_throughput", 0},
        /* 1,000,000 bytes of sectors are more than L1's 256 GB/s can move in 1 us, which no launch would be told: 390 %. 128 wavefronts: 6.4 */
        {"l1tex__throughput.avg.pct_of_peak_sustained_elapsed", 397.025}, {"shared_load_throughput", 8.192e9},
        {"gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed", 397.025}, {"flop_sp_efficiency", 10}, {"dram_utilization", 2.5}, {"special_fu_utilization", 4},
        {"smsp__warps_eligible.avg.per_cycle_active", 1.5}, {"smsp__average_warp_latency_per_inst_issued.ratio", 16},
        {"smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio", 9}, {"smsp__average_warps_issue_stalled_selected_per_issue_active.ratio", 1},
        {"smsp__warp_issue_stalled_long_scoreboard_per_warp_active.pct", 56.25}, {"stall_memory_dependency", 60}, {"derived__warp_cycles_wait.sum", 12800},
        {"derived__warp_cycles_stalled.sum", 48000},
    }, products[] = {{"sm__inst_executed_pipe_fma.avg.pct_of_peak_sustained_active", 50}},
       by_size[] = {{"gld_throughput", 6.4e7}};
    double v;

    (void)state;
    mine.v[COUNTER_INST] = 3200;
    mine.v[COUNTER_THREAD_INST_ON] = 3200 * 32;
    mine.v[COUNTER_PIPE_ALU] = mine.v[COUNTER_PIPE_FMA] = 1600;
    mine.v[COUNTER_FFMA] = 1600 * 32;
    mine.v[COUNTER_PIPE_XU] = 400;
    mine.v[COUNTER_DRAM_READ_SECTORS] = 62500; /* 2 MB */
    mine.v[COUNTER_L2_READ_SECTORS] = 10000;
    mine.v[COUNTER_GLOBAL_LD_SECTORS] = 31250; /* 1 MB */
    mine.v[COUNTER_GLOBAL_LD_BYTES] = 500000;
    mine.v[COUNTER_GLOBAL_LD_OF_128] = 1;
    mine.v[COUNTER_SHARED_LD_WAVEFRONTS] = 128;
    mine.v[COUNTER_STALL_SELECTED] = 3200;
    mine.v[COUNTER_STALL_LONG_SCOREBOARD] = 28800;
    mine.v[COUNTER_STALL_WAIT] = 12800;
    mine.v[COUNTER_STALL_NOT_SELECTED] = 6400;
    FIGURES_ARE(&in, cases);
    mine.v[COUNTER_FFMA] = 0; /* integer products: 64 lanes */
    FIGURES_ARE(&in, products);
    launch.by_size = 1; /* a transaction of 128 bytes */
    FIGURES_ARE(&in, by_size);
    mine.v[COUNTER_STALL_SELECTED] = 0; /* the clock tells no states */
    assert_int_equal(metric_value("smsp__warps_eligible.avg.per_cycle_active", &in, &v), METRIC_NOT_COMPUTED);
    in.d = NULL; /* nor anybody the peaks */
    assert_int_equal(metric_value("dram__throughput.avg.pct_of_peak_sustained_elapsed", &in, &v), METRIC_NOT_COMPUTED);
    assert_int_equal(metric_value("dram_read_throughput", &in, &v), METRIC_OK);
    launch.collected = COUNTERS_EXACT;
    assert_int_equal(metric_value("ipc", &in, &v), METRIC_NOT_COMPUTED);
    assert_false(metric_of_lines(metric_find("flop_sp_efficiency")));
    assert_true(metric_of_lines(metric_find("smsp__average_warps_issue_stalled_wait_per_issue_active.ratio")));
}

/* What formulas need, by hand: through macros, on either side of a condition, and as launch facts. */
static void groups(void **state)
{
    static const struct { const char *name; counter_groups needs; } want[] = {
        {"launch__grid_dim_x", 0},
        {"launch__waves_per_multiprocessor", 0},
        {"smsp__inst_executed.sum", COUNTERS_OF(EXECUTED)},
        {"flop_count_sp", COUNTERS_OF(OPERATIONS)},
        {"gld_efficiency", COUNTERS_OF(GLOBAL_LD)},
        {"gst_transactions", COUNTERS_OF(GLOBAL_ST)},
        {"local_load_transactions", COUNTERS_OF(LOCAL)},
        {"memory_l2_theoretical_sectors_global", COUNTERS_OF(GLOBAL_LD) | COUNTERS_OF(GLOBAL_ST) | COUNTERS_OF(GLOBAL_ATOM)},
        {"memory_l1_wavefronts_shared", COUNTERS_OF(SHARED) | COUNTERS_OF(SHARED_ATOM)},
        {"idc__request_hit_rate.pct", COUNTERS_OF(CONST) | COUNTERS_OF(CACHES)},
        {"dram__bytes.sum", COUNTERS_OF(CACHES)},
        {"derived__dram_least_time", COUNTERS_OF(DRAM)},
        {"derived__dram_row_hit_rate.pct", COUNTERS_OF(DRAM)},
        {"gpu__time_duration.sum", COUNTERS_OF(TIME)},
        {"dram_read_throughput", COUNTERS_OF(TIME) | COUNTERS_OF(CACHES)},
        {"smsp__average_warp_latency_per_inst_issued.ratio", COUNTERS_OF(TIME)},
    };

    (void)state;
    for (size_t i = 0; i < sizeof want / sizeof *want; i++)
        assert_int_equal(metric_groups(metric_find(want[i].name)), want[i].needs | COUNTERS_OF(LAUNCH));
    assert_int_equal(counters_with(COUNTERS_OF(CACHES)), COUNTERS_EXACT | COUNTERS_OF(CACHES));
    assert_int_equal(counters_with(COUNTERS_OF(DRAM)), COUNTERS_EXACT | COUNTERS_OF(CACHES) | COUNTERS_OF(DRAM));
    assert_int_equal(counters_with(COUNTERS_OF(TIME)), COUNTERS_EXACT | COUNTERS_OF(CACHES) | COUNTERS_OF(TIME));
    assert_int_equal(counters_with(COUNTERS_OF(SHARED)), COUNTERS_OF(SHARED) | COUNTERS_OF(LAUNCH));
    assert_int_equal(counters_need_accesses(COUNTERS_OF(EXECUTED)), ACCESS_ATOM_LOOP); /* their rounds are instructions */
    assert_true(counters_need_runs(COUNTERS_OF(EXECUTED)));
    assert_false(counters_need_runs(COUNTERS_OF(GLOBAL_LD) | COUNTERS_OF(LAUNCH)));
    assert_int_equal(counters_find_group("global-loads"), GROUP_GLOBAL_LD);
    assert_int_equal(counters_find_group("none"), GROUP_COUNT);
}

/* A formula's counters and facts, all that it names: what nobody collects is 0, so a metric may change with no other group. */
static void groups_suffice(void **state)
{
    const struct metric *m;
    struct device_rates peaks;

    (void)state;
    for (size_t i = 0; i < sizeof peaks / sizeof(double); i++)
        ((double *)&peaks)[i] = (double)i + 1;
    for (int i = 0; (m = metric_at(i)) && m->compute; i++) {
        struct counters some, all;
        struct launch_facts facts = {.blocks = 3, .threads = 96, .multiprocessors = 2, .resident_blocks = 1, .warps_per_block = 1, .max_warps = 4,
                                     .sm_clock_khz = 1000, .cycles = 10, .duration_ps = 11, .active_cycles = 12, .warp_cycles = 13};

        for (int by_size = 0; by_size < 2; by_size++)
            for (int readonly = 0; readonly < 3; readonly++) {
                facts.by_size = by_size;
                facts.readonly = readonly;
                for (int k = 0; k < COUNTER_COUNT; k++)
                    some.v[k] = all.v[k] = (uint64_t)(k * k + 7);
                counters_keep(&some, 1, metric_groups(m));
                assert_float_equal(m->compute(&(struct metric_input){.c = &some, .l = &facts, .d = &peaks}),
                                   m->compute(&(struct metric_input){.c = &all, .l = &facts, .d = &peaks}), 0);
            }
    }
}

/* Every name once, every alias means something that is computed, computed ones first. */
static void tables_are_sound(void **state)
{
    static const char *const alias[][2] = {
#define ALIAS(name, means) {name, means},
#include "counters/metric_aliases.def"
#undef ALIAS
    };
    bool known = false;

    (void)state;
    for (int i = 0; metric_at(i); i++) {
        for (int j = 0; j < i; j++)
            assert_string_not_equal(metric_at(i)->name, metric_at(j)->name);
        assert_false(known && metric_at(i)->compute);
        known |= !metric_at(i)->compute;
        assert_ptr_equal(metric_find(metric_at(i)->name), metric_at(i));
    }
    assert_null(metric_at(-1));
    for (size_t i = 0; i < sizeof alias / sizeof alias[0]; i++) {
        assert_non_null(metric_find(alias[i][1]));
        assert_string_equal(metric_find(alias[i][0])->name, alias[i][1]);
        assert_non_null(metric_find(alias[i][0])->compute);
    }
}

/* A metric is at most as far to be trusted as the counters that it is made of. */
static void trust_of_counters(void **state)
{
    const struct metric *m;

    (void)state;
    for (int i = 0; (m = metric_at(i)) && m->compute; i++)
        for (const char *at = m->expanded; (at = strstr(at, "COUNTER_"));) {
            char id[64];
            assert_int_equal(sscanf(at, "COUNTER_%63[A-Z0-9_]", id), 1);
            const enum counter of = counters_find(id);
            assert_true(of < COUNTER_COUNT);
            if (counter_info[of].trust > m->trust)
                fail_msg("%s is '%s', but %s is '%s'", m->name, trust_text(m->trust), id, trust_text(counter_info[of].trust));
            at += strlen(id);
        }
    assert_int_equal(metric_find("flop_count_sp")->trust, TRUST_MODELLED); /* what the machine code executes */
    assert_int_equal(metric_find("ptx__inst_executed.sum")->trust, TRUST_CODE);
    assert_int_equal(metric_find("gld_transactions")->trust, TRUST_EXACT);
}

static void counters_add_up(void **state)
{
    struct counters a[2], b[2], sum;

    (void)state;
    memset(a, 0, sizeof a);
    memset(b, 0, sizeof b);
    a[0].v[COUNTER_INST] = 1;
    b[0].v[COUNTER_INST] = 2;
    b[1].v[COUNTER_FFMA] = 60;
    counters_add(a, b, 2);
    sum = counters_sum(a, 2);
    assert_int_equal(sum.v[COUNTER_INST], 3);
    assert_int_equal(sum.v[COUNTER_FFMA], 60);
    assert_int_equal(counters_find("FFMA"), COUNTER_FFMA);
    assert_int_equal(counters_find("NONE"), COUNTER_COUNT);
}

static void documentation_is_up_to_date(void **state)
{
    const char *path = DATA "/../../docs/reference/metrics.md";
    struct strbuf want;
    char *have = calloc(1, 1 << 20);
    FILE *f;

    (void)state;
    strbuf_init(&want);
    metrics_document(&want);
    if (getenv("HEDDLE_WRITE_DOCS")) {
        f = fopen(path, "w");
        assert_non_null(f);
        fputs(want.s, f);
        fclose(f);
    }
    f = fopen(path, "r");
    assert_non_null(f);
    assert_true(fread(have, 1, (1 << 20) - 1, f) > 0);
    fclose(f);
    assert_true(!strcmp(have, want.s)); /* else: HEDDLE_WRITE_DOCS=1 ctest -R unit.metrics */
    strbuf_release(&want);
    free(have);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formulas_by_hand), cmocka_unit_test(transactions_by_hand),       cmocka_unit_test(units_by_hand), cmocka_unit_test(launch_by_hand),
        cmocka_unit_test(names), cmocka_unit_test(dram), cmocka_unit_test(groups), cmocka_unit_test(time_by_hand), cmocka_unit_test(groups_suffice), cmocka_unit_test(tables_are_sound),
        cmocka_unit_test(trust_of_counters), cmocka_unit_test(counters_add_up), cmocka_unit_test(documentation_is_up_to_date),
    };

    setenv("HEDDLE_DEVICES", DEVICES, 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
