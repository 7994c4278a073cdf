/* The report's first sentence, by hand: which unit bounds a launch, or what keeps all of them waiting. Two multiprocessors of four
 * schedulers at 1 GHz; the launch has 10,000 cycles and takes 10 us unless said. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "base/strbuf.h"
#include "report/report.h"
#include "report/time_text.h"

static struct result *launch(void)
{
    struct result *r = result_new(0);

    r->kernel = "k";
    r->device_name = "none";
    r->launch = (struct launch_facts){.collected = COUNTERS_ALL, .blocks = 4, .multiprocessors = 2, .schedulers = 4, .max_warps = 64, .sm_clock_khz = 1000000,
                                      .cycles = 10000, .duration_ps = 10000000, .active_cycles = 20000, .warp_cycles = 640000};
    r->rates = (struct device_rates){.issue = 8, .int32_add = 128, .int32_mul = 128, .fp32 = 512, .fp64 = 128, .fp16 = 1024, .sfu = 32, .lsu = 64,
                                     .shared_wavefronts = 2, .shared_bandwidth = 256, .l1_bandwidth = 256, .l2_bandwidth = 1000, .dram_bandwidth = 4000};
    return r;
}

static void says(struct result *r, const char *want)
{
    struct strbuf b;

    strbuf_init(&b);
    time_sentence(r, &b);
    assert_string_equal(b.s, want);
    if (strstr(want, "bound by latency"))
        assert_string_equal(time_bound(r), "latency");
    else if (strstr(want, "bound by"))
        assert_memory_equal(strstr(want, "bound by") + strlen("bound by "), time_bound(r), strlen(time_bound(r)));
    else
        assert_string_equal(time_bound(r), "nothing");
    r->launch.collected = COUNTERS_EXACT;
    assert_string_equal(time_bound(r), "n/a");
    strbuf_release(&b);
    result_free(r);
}

static void bounds(void **state)
{
    struct result *r = launch();

    (void)state;
    says(r, "    Takes 10.0 us: nothing was counted that keeps a unit of the device busy (modelled).\n");
    r = launch();
    r->total.v[COUNTER_DRAM_READ_SECTORS] = 1000000; /* 32 MB of 40 */
    r->total.v[COUNTER_L2_READ_SECTORS] = 100000;
    says(r, "    Takes 10.0 us: bound by DRAM at 80.0% of the peak (modelled).\n");
    r = launch();
    r->total.v[COUNTER_DRAM_READ_SECTORS] = 1000000;
    r->total.v[COUNTER_GLOBAL_LD_SECTORS] = 8;
    r->total.v[COUNTER_GLOBAL_LD_IDEAL] = 2;
    says(r, "    Takes 10.0 us: bound by DRAM at 80.0% of the peak; 75% of the sectors of global memory would not be needed (modelled).\n");
    r = launch();
    r->total.v[COUNTER_SHARED_LD_WAVEFRONTS] = 18000; /* of 20,000; L1's banks have them and 64 bytes */
    r->total.v[COUNTER_SHARED_LD_IDEAL] = 9000;
    r->total.v[COUNTER_GLOBAL_LD_SECTORS] = r->total.v[COUNTER_GLOBAL_LD_IDEAL] = 2;
    says(r, "    Takes 10.0 us: bound by shared memory at 90.0% of the peak; 50% of its wavefronts are bank conflicts (modelled).\n");
    r = launch();
    r->rates.constant_words = 1; /* two cycles a word, two multiprocessors */
    r->total.v[COUNTER_CONST_REQUESTS] = 500;
    r->total.v[COUNTER_CONST_ADDRESSES] = 8000;
    says(r, "    Takes 10.0 us: bound by the constant cache at 80.0% of the peak; 16.0 distinct addresses a load, one after the other (modelled).\n");
    r = launch();
    r->total.v[COUNTER_INST] = r->total.v[COUNTER_PIPE_ALU] = 36000; /* two a cycle and multiprocessor */
    r->total.v[COUNTER_THREAD_INST] = 8 * 36000;
    says(r, "    Takes 10.0 us: bound by integer units (ALU) at 90.0% of the peak; 8.0 of 32 lanes are active (modelled).\n");
}

static void latencies(void **state)
{
    struct result *r = launch();

    (void)state;
    r->total.v[COUNTER_INST] = 8000; /* of 80,000 slots */
    r->total.v[COUNTER_STALL_SELECTED] = 8000;
    r->total.v[COUNTER_STALL_NOT_SELECTED] = 500000; /* no reason to wait */
    r->total.v[COUNTER_STALL_BARRIER] = 132000;
    says(r, "    Takes 10.0 us: bound by latency, with issue slots busiest at 10.0% of the peak; in 21% of their cycles warps wait at a barrier (modelled).\n");
    r = launch(); /* the same without states */
    r->total.v[COUNTER_INST] = 8000;
    says(r, "    Takes 10.0 us: bound by latency, with issue slots busiest at 10.0% of the peak (modelled).\n");
    r = launch();
    r->total.v[COUNTER_INST] = 8000;
    r->launch.warp_cycles = 30000; /* 1.5 of 64 warps */
    says(r, "    Takes 10.0 us: bound by latency, with issue slots busiest at 10.0% of the peak; a multiprocessor has 1.5 of 64 warps (modelled).\n");
    r = launch();
    r->total.v[COUNTER_INST] = 8000;
    r->launch.active_cycles = 10000;
    says(r, "    Takes 10.0 us: bound by latency, with issue slots busiest at 10.0% of the peak; multiprocessors have a block in 50% of the cycles (modelled).\n");
    r = launch();
    r->total.v[COUNTER_INST] = 8000;
    r->launch.active_cycles = 10000;
    r->launch.blocks = 1;
    says(r, "    Takes 10.0 us: bound by latency, with issue slots busiest at 10.0% of the peak; multiprocessors have a block in 50% of the cycles: the grid "
            "has 1 block for 2 (modelled).\n");
    r = launch();
    r->total.v[COUNTER_INST] = 8000;
    r->launch.active_cycles = 10500;
    r->launch.blocks = 3; /* one of the two has two */
    says(r, "    Takes 10.0 us: bound by latency, with issue slots busiest at 10.0% of the peak; multiprocessors have a block in 52% of the cycles: the "
            "busiest has 2 blocks, the average 1.50 (modelled).\n");
    r = launch();
    r->total.v[COUNTER_INST] = 8000;
    r->launch.active_cycles = 10000; /* idle for half of the time, of which the launch is 60 % */
    r->launch.launch_cycles = 3000;
    says(r, "    Takes 10.0 us: bound by latency, with issue slots busiest at 10.0% of the peak; 3.00 us are the launch itself (modelled).\n");
}

/* L1 90 %, of that shared memory 80; L2 50. */
static void gains(void **state)
{
    struct result *r = launch();
    const struct time_relief conflicts = {"Shared Memory", 0.5}, half = {"L1", 0.5}, all = {"L1", 1}, other = {"DRAM", 1};

    (void)state;
    r->total.v[COUNTER_SHARED_LD_WAVEFRONTS] = 16000;
    r->total.v[COUNTER_SHARED_LD_IDEAL] = 8000;
    r->total.v[COUNTER_GLOBAL_LD_SECTORS] = r->total.v[COUNTER_GLOBAL_LD_IDEAL] = 8000;
    r->total.v[COUNTER_L2_READ_SECTORS] = 156250; /* 5 MB of 10 */
    assert_float_equal(time_less(r, &conflicts, 1), 44.4444, 1e-3); /* L1 50, L2 50 */
    assert_float_equal(time_less(r, &half, 1), 11.1111, 1e-3); /* shared memory's 80 stay */
    assert_float_equal(time_less(r, &all, 1), 11.1111, 1e-3);
    assert_float_equal(time_less(r, &other, 1), 0, 1e-9);
    r->launch.cycles *= 2;
    r->launch.duration_ps *= 2; /* 45 %: latency */
    assert_float_equal(time_less(r, &conflicts, 1), 0, 1e-9);
    result_free(r);
}

/* A state's row belongs to the counter of its metric. */
static void states(void **state)
{
    const struct section_row *row;
    int n = 0;

    (void)state;
    for (int i = 0; (row = section_row_at(i)); i++)
        if (!strcmp(row->title, "Warp States"))
            assert_int_equal(time_state_counter(row), COUNTER_STALL_BARRIER + n++);
    assert_int_equal(n, 18);
}

static void guesses_are(const char *names, const char *want)
{
    struct result *r = launch();
    struct strbuf b;

    strbuf_init(&b);
    r->timed = 58;
    r->guesses = names;
    r->device_id = "none";
    r->total.v[COUNTER_DRAM_READ_SECTORS] = 1000000; /* 32 MB in 10 us, 80 % of the peak */
    assert_string_equal(time_bound(r), "DRAM");
    time_guesses(r, &b);
    assert_string_equal(b.s ? b.s : "", want);
    strbuf_release(&b);
    result_free(r);
}

/* Three are named: those for what bounds the launch (here DRAM), then the others, in the order of device_timed.def. */
static void guesses(void **state)
{
    (void)state;
    guesses_are(NULL, "");
    guesses_are("", "");
    guesses_are("latency_l2", "    1 of the 58 figures of the GPU that this time rests on is a guess: latency_l2 (heddle devices none --guesses).\n");
    guesses_are("latency_l2 dram_write_share l2_dirty_share",
                "    3 of the 58 figures of the GPU that this time rests on are guesses: dram_write_share, l2_dirty_share, latency_l2 (heddle devices none --guesses).\n");
    guesses_are("dram_copy_share latency_l2 latency_l1 l2_read_all l2_dirty_share",
                "    5 of the 58 figures of the GPU that this time rests on are guesses: dram_copy_share, l2_dirty_share, latency_l2, ... (heddle devices none --guesses).\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(bounds), cmocka_unit_test(guesses), cmocka_unit_test(latencies), cmocka_unit_test(gains), cmocka_unit_test(states)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
