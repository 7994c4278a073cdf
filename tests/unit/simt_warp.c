/* Splits, joins and barriers of a warp, driven by hand as an executor would drive them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/strbuf.h"
#include "simt/warp.h"

static struct ir_inst insts[100];
static struct ir_kernel kernel = {.insts = insts, .ninsts = 100};

struct fixture {
    struct launch launch;
    struct block *block;
    struct warp *w;
};

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    void *memory;
    f->launch = (struct launch){.stop_at = UINT64_MAX, .kernel = &kernel, .grid = {4, 3, 2}, .block_dim = {80, 1, 1}, .threads = 80,
                                .warps_per_block = 3, .shared_bytes = 100, .reg_bytes = 10};
    arena_init(&f->launch.arena);
    if (posix_memalign(&memory, 64, block_bytes(&f->launch)))
        return 1;
    block_open(&f->launch, memory);
    f->block = block_start(&f->launch, memory, 13, 0, NULL, NULL);
    block_begin(f->block);
    f->w = &f->block->warps[0];
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    arena_release(&f->launch.arena);
    free(f->block);
    free(f);
    return 0;
}

static void a_block_has_its_place_and_its_lanes(void **state)
{
    struct fixture *f = *state;
    /* block 13 of a 4 x 3 x 2 grid: z 1, and 13 - 12 = 1 in the layer */
    assert_int_equal(f->block->id[0], 1);
    assert_int_equal(f->block->id[1], 0);
    assert_int_equal(f->block->id[2], 1);
    assert_int_equal(f->block->warps[1].alive, 0xffffffff);
    assert_int_equal(f->block->warps[2].alive, 0xffff); /* 80 = 32 + 32 + 16 */
    assert_int_equal((uintptr_t)f->block->warps[1].regs % 64, 0);
}

static void an_if_else_meets_at_the_post_dominator(void **state)
{
    struct warp *w = ((struct fixture *)*state)->w;
    w->split[0].pc = 5;
    warp_diverge(w, 0xff, 10, 6, 20, NULL);
    assert_int_equal(w->nsplits, 2);
    assert_int_equal(w->split[w->current].mask, 0xffffff00);
    assert_int_equal(w->split[w->current].pc, 6);
    w->split[w->current].pc = 20;
    assert_false(warp_arrive(w)); /* waits for the 8 lanes */
    assert_true(warp_pick(w));
    assert_int_equal(w->split[w->current].mask, 0xff);
    assert_true(warp_arrive(w)); /* at 10: not there yet */
    w->split[w->current].pc = 20;
    assert_true(warp_arrive(w)); /* the last: all go on as one */
    assert_int_equal(w->nsplits, 1);
    assert_int_equal(w->split[w->current].mask, 0xffffffff);
    assert_int_equal(w->split[w->current].join, -1);
}

static void lanes_leaving_a_loop_one_by_one_share_a_join(void **state)
{
    struct warp *w = ((struct fixture *)*state)->w;
    for (int i = 0; i < 31; i++) { /* lane i leaves in turn i: to 9, the rest goes on at 1 */
        w->split[w->current].pc = 8;
        warp_diverge(w, w->split[w->current].mask & ~(1u << i), 1, 9, 9, NULL);
        assert_false(warp_arrive(w));
        assert_true(warp_pick(w));
        int used = 0;
        for (int j = 0; j < WARP_MAX_JOINS; j++)
            used += warp_join_used(w, j);
        assert_int_equal(used, 1);
    }
    w->split[w->current].pc = 9;
    assert_true(warp_arrive(w));
    assert_int_equal(w->split[w->current].mask, 0xffffffff);
}

static void exited_lanes_are_not_waited_for(void **state)
{
    struct fixture *f = *state;
    struct warp *w = f->w;
    warp_diverge(w, 0x1, 10, 6, 20, NULL);
    w->split[w->current].pc = 20;
    assert_false(warp_arrive(w));
    assert_true(warp_pick(w)); /* lane 0 */
    assert_false(warp_exit(w, 0x1));
    assert_int_equal(f->block->threads_alive, 79);
    assert_true(warp_pick(w));
    assert_int_equal(w->split[w->current].mask, 0xfffffffe);
    assert_int_equal(w->split[w->current].pc, 20);
}

static void waiting_lanes_can_be_let_go(void **state)
{
    struct warp *w = ((struct fixture *)*state)->w;
    /* lane 0 got the lock and left the loop (to 9); the others spin at 1 */
    warp_diverge(w, 0xfffffffe, 1, 9, 9, NULL);
    assert_false(warp_arrive(w));
    assert_true(warp_pick(w));
    assert_int_equal(warp_release_joins(w, false), 1);
    assert_int_equal(w->nsplits, 2);
    assert_true(warp_pick(w));
    assert_int_equal(w->split[w->current].mask, 0x1);
    assert_int_equal(w->split[w->current].pc, 9);
    assert_int_equal(w->split[w->current].join, -1);
    assert_true(warp_pick(w));
    w->split[w->current].pc = 9;
    assert_true(warp_arrive(w)); /* nobody else is expected any more */
    assert_int_equal(w->split[w->current].mask, 0xfffffffe);
}

static void many_one_sided_exits_do_not_use_up_joins(void **state)
{
    struct fixture *f = *state;
    struct warp *w = f->w;
    for (int i = 0; i < 31; i++) { /* each time a lane enters a branch with its own join and exits in it */
        warp_diverge(w, 1u << i, 10, 6, 100 + i, NULL);
        assert_true(warp_pick(w));
        assert_int_equal(w->split[w->current].mask, 1u << i);
        assert_false(warp_exit(w, 1u << i));
        assert_true(warp_pick(w));
    }
    int used = 0;
    for (int j = 0; j < WARP_MAX_JOINS; j++)
        used += warp_join_used(w, j);
    assert_in_range(used, 0, 1);
}

/* Blocks of 10 instructions: 1 parts the lanes; those that come to 3 meet there, block 4 is past it; all meet at 5. */
static struct ir_reconvergence *a_reconvergence(void)
{
    static uint64_t inside = 1 << 1 | 1 << 2 | 1 << 3;
    static struct ir_reconvergence point = {3, &inside};
    static struct ir_block blocks[10];
    for (int i = 0; i < 100; i++)
        insts[i].block = i / 10;
    for (int i = 0; i < 10; i++)
        blocks[i].first = 10 * i;
    kernel.blocks = blocks;
    return &point;
}

static void lanes_meet_though_some_leave(void **state)
{
    struct warp *w = ((struct fixture *)*state)->w;
    w->split[0].pc = 15;
    warp_diverge(w, 0xff, 20, 30, 50, a_reconvergence());
    assert_false(warp_arrive(w)); /* lanes 8 to 31 wait at 30 */
    assert_true(warp_pick(w));
    assert_int_equal(w->split[w->current].mask, 0xff);
    w->split[w->current].pc = 25; /* of the others lanes 0 to 3 go past it */
    warp_diverge(w, 0xf, 40, 26, 50, a_reconvergence());
    warp_leave(w);
    assert_int_equal(w->nsplits, 2);
    assert_int_equal(w->split[w->current].mask, 0xf0);
    w->split[w->current].pc = 30;
    assert_true(warp_arrive(w)); /* the last that was expected: 28 lanes go on */
    assert_int_equal(w->split[w->current].mask, 0xfffffff0);
    w->split[w->current].pc = 50;
    assert_false(warp_arrive(w));
    assert_true(warp_pick(w));
    assert_int_equal(w->split[w->current].mask, 0xf);
    w->split[w->current].pc = 50;
    assert_true(warp_arrive(w));
    assert_int_equal(w->split[w->current].mask, 0xffffffff);
    assert_int_equal(w->split[w->current].join, -1);
    for (int j = 0; j < WARP_MAX_JOINS; j++)
        assert_false(warp_join_used(w, j));
}

static void who_waits_goes_on_when_the_last_leaves(void **state)
{
    struct warp *w = ((struct fixture *)*state)->w;
    w->split[0].pc = 15;
    warp_diverge(w, 1, 20, 30, 50, a_reconvergence());
    assert_false(warp_arrive(w));
    assert_true(warp_pick(w)); /* lane 0 */
    w->split[w->current].pc = 40;
    warp_leave(w);
    assert_int_equal(w->nsplits, 2);
    assert_true(warp_pick(w));
    assert_int_equal(w->split[w->current].mask, 0xfffffffe);
    assert_int_equal(w->split[w->current].pc, 30);
    w->split[w->current].pc = 50;
    assert_false(warp_arrive(w)); /* lane 0 is still expected here */
}

static void a_barrier_opens_for_the_last_arrival(void **state)
{
    struct fixture *f = *state;
    struct block *b = f->block;
    assert_false(block_barrier(&b->warps[0], 0, 0, PTX_BAR_SYNC, 0));
    assert_int_equal(b->warps[0].split[0].state, SPLIT_BARRIER);
    assert_false(block_barrier(&b->warps[1], 0, 0, PTX_BAR_SYNC, 0));
    assert_int_equal(b->barrier[0].arrived, 64);
    assert_true(block_barrier(&b->warps[2], 0, 0, PTX_BAR_SYNC, 0));
    block_wake(&b->warps[0]);
    assert_int_equal(b->warps[0].split[0].state, SPLIT_READY);
    assert_true(b->warps[0].split[0].passed);
    assert_int_equal(b->barrier[0].generation, 1);
}

static void exited_threads_count_as_arrived(void **state)
{
    struct fixture *f = *state;
    struct block *b = f->block;
    assert_false(block_barrier(&b->warps[0], 0, 0, PTX_BAR_SYNC, 0));
    assert_false(warp_exit(&b->warps[1], 0xffffffff));
    assert_int_equal(b->barrier[0].generation, 0);
    assert_false(warp_exit(&b->warps[2], 0xffff));
    assert_int_equal(b->barrier[0].generation, 1);
}

static void a_counted_barrier_counts_whole_warps_and_arrive_does_not_wait(void **state)
{
    struct block *b = ((struct fixture *)*state)->block;
    assert_true(block_barrier(&b->warps[2], 3, 64, PTX_BAR_ARRIVE, 0)); /* 16 lanes, but a warp: 32 */
    assert_int_equal(b->barrier[3].arrived, 32);
    assert_true(block_barrier(&b->warps[0], 3, 64, PTX_BAR_SYNC, 0));
    assert_int_equal(b->barrier[3].generation, 1);
}

static void a_reduction_sums_over_warps(void **state)
{
    struct block *b = ((struct fixture *)*state)->block;
    block_barrier(&b->warps[0], 0, 0, PTX_BAR_RED_POPC, 0xf);
    block_barrier(&b->warps[1], 0, 0, PTX_BAR_RED_POPC, 0xffffffff);
    assert_true(block_barrier(&b->warps[2], 0, 0, PTX_BAR_RED_POPC, 0x1));
    assert_int_equal(b->barrier[0].result_popc, 4 + 32 + 1);
    assert_true(b->barrier[0].result_or);
    assert_false(b->barrier[0].result_and);
}

static void who_waits_where_is_told(void **state)
{
    struct block *b = ((struct fixture *)*state)->block;
    static const struct ptx_loc loc = {.file = "f.cu", .line = 7};
    static const struct ir_origin from = {.loc = &loc, .ptx_line = 40, .statement = -1};
    insts[4].from = &from;
    b->warps[0].split[0].pc = 4;
    block_barrier(&b->warps[0], 0, 0, PTX_BAR_SYNC, 0);
    struct strbuf s;
    strbuf_init(&s);
    block_describe_wait(b, &s);
    assert_non_null(strstr(s.s, "block (1,0,1), 80 of 80 threads alive:\n"
                                "    warp 0, all 32 lanes: wait at barrier 0, which has 32 of 80 threads, at f.cu:7 "
                                "(PTX line 40)\n"
                                "    warp 1, all 32 lanes: are running\n"
                                "    warp 2, all 16 lanes: are running\n"));
    strbuf_clear(&s);
    b->warps[1].split[0].pc = 4;
    block_barrier(&b->warps[1], 0, 0, PTX_BAR_SYNC, 0);
    block_describe_wait(b, &s);
    assert_non_null(strstr(s.s, "    warps 0 to 1, all 32 lanes each: wait at barrier 0, which has 64 of 80 threads, at f.cu:7"));
    strbuf_release(&s);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    static const struct ir_origin nowhere = {.statement = -1};
    for (int i = 0; i < 100; i++)
        insts[i].from = &nowhere;
    const struct CMUnitTest tests[] = {
        TEST(a_block_has_its_place_and_its_lanes),
        TEST(an_if_else_meets_at_the_post_dominator),
        TEST(lanes_leaving_a_loop_one_by_one_share_a_join),
        TEST(exited_lanes_are_not_waited_for),
        TEST(waiting_lanes_can_be_let_go),
        TEST(many_one_sided_exits_do_not_use_up_joins),
        TEST(lanes_meet_though_some_leave),
        TEST(who_waits_goes_on_when_the_last_leaves),
        TEST(a_barrier_opens_for_the_last_arrival),
        TEST(exited_threads_count_as_arrived),
        TEST(a_counted_barrier_counts_whole_warps_and_arrive_does_not_wait),
        TEST(a_reduction_sums_over_warps),
        TEST(who_waits_where_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
