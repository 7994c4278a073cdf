/* Device time, with moments worked out by hand. Times of these devices are small whole numbers of ps, so that sums can be read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/diag.h"
#include "device/device.h"
#include "runtime/timeline.h"

/* A command begins 100 after it was asked for, 10 behind the one before it, 20 behind one of another stream. */
static const struct timeline_costs plain = {.begin = 100, .next = 10, .wait = 20, .engines = 2, .grids = 128, .sms = 1,
                                            .in_least = 1000, .out_least = 2000, .pageable_in_least = 3000, .pageable_out_least = 4000, .device_least = 5000, .fill_least = 5000,
                                            .row = 500, .pinned_in = 2000, .pinned_out = 1000, .pageable_in = 500, .pageable_far = 100, .near_bytes = 6000,
                                            .pageable_out = 250, .device_copy = 4000, .peer = 2000, .fill = 8000};

static struct timeline *begin(const struct timeline_costs *c)
{
    struct timeline *t = timeline_new();
    timeline_device(t, 0, c);
    return t;
}

static uint64_t kernel(struct timeline *t, int64_t queued, uint64_t previous, int64_t work, uint64_t blocks, uint64_t fit)
{
    return timeline_add(t, &(struct timeline_command){.kind = TIMELINE_KERNEL, .queued = queued, .previous = previous, .work = work, .need = {.blocks = blocks, .fit = fit}});
}

static uint64_t copy(struct timeline *t, int64_t queued, uint64_t previous, int64_t work, int engine)
{
    return timeline_add(t, &(struct timeline_command){.kind = TIMELINE_COPY, .queued = queued, .previous = previous, .work = work, .engine = engine});
}

static void check(struct timeline *t, uint64_t number, int64_t begin, int64_t end, int line)
{
    int64_t b, e;
    timeline_when(t, number, &b, &e);
    if (b != begin || e != end)
        print_error("line %d: command %d is from %lld to %lld, expected %lld to %lld\n", line, (int)number, (long long)b, (long long)e, (long long)begin, (long long)end);
    assert_int_equal(b, begin);
    assert_int_equal(e, end);
}
#define IS(t, number, begin, end) check(t, number, begin, end, __LINE__)

/* One stream: one behind the other. The first begins 100 after it was asked for; the third is asked for late. */
static void a_stream(void **state)
{
    struct timeline *t = begin(&plain);
    (void)state;
    uint64_t a = kernel(t, 0, 0, 1000, 8, 8), b = kernel(t, 50, a, 500, 8, 8), c = copy(t, 5000, b, 40, 1);
    IS(t, a, 100, 1100);
    IS(t, b, 1110, 1610);
    IS(t, c, 5100, 5140);
    timeline_free(t);
}

/* A mark takes its own time, and a pause before it only behind a kernel of its stream; what stands behind it pauses. */
static void marks(void **state)
{
    struct timeline *t = begin(&plain);
    (void)state;
    uint64_t a = kernel(t, 0, 0, 1000, 8, 8);
    uint64_t m = timeline_add(t, &(struct timeline_command){.kind = TIMELINE_MARK, .queued = 1, .work = 5, .previous = a});
    uint64_t w = timeline_add(t, &(struct timeline_command){.kind = TIMELINE_MARK, .queued = 2, .after = &m, .nafter = 1}); /* another stream waits */
    uint64_t b = kernel(t, 3, m, 10, 8, 8), c = copy(t, 3, w, 7, 0);
    uint64_t d = timeline_add(t, &(struct timeline_command){.kind = TIMELINE_COPY, .queued = 3, .work = 7, .engine = 1, .after = &a, .nafter = 1});
    IS(t, m, 1110, 1115);
    IS(t, w, 1115, 1115);
    IS(t, b, 1125, 1135);
    IS(t, c, 1125, 1132);
    IS(t, d, 1120, 1127);
    timeline_free(t);
}

/* Two streams that copy in, compute and copy out, asked for one stream after the other: on two engines the second stream's copy begins
 * when the first one's has ended, and so on. Copies 300, kernels of the whole device 200. */
static void staged_copies(void **state)
{
    struct timeline *t = begin(&plain);
    uint64_t at[2][3];
    (void)state;
    for (int i = 0; i < 2; i++) {
        at[i][0] = copy(t, 0, 0, 300, 0);
        at[i][1] = kernel(t, 0, at[i][0], 200, 8, 8);
        at[i][2] = copy(t, 0, at[i][1], 300, 1);
    }
    IS(t, at[0][0], 100, 400);
    IS(t, at[0][1], 410, 610);
    IS(t, at[0][2], 620, 920);
    IS(t, at[1][0], 400, 700);
    IS(t, at[1][1], 710, 910);
    IS(t, at[1][2], 920, 1220);
    timeline_free(t);
}

/* One engine: the second stream's copy in could begin at 100 and the first one's copy out at 620, so the copy in is first: 400 to 700. Then the copy out. */
static void one_engine(void **state)
{
    struct timeline_costs c = plain;
    c.engines = 1;
    struct timeline *t = begin(&c);
    uint64_t at[2][3];
    (void)state;
    for (int i = 0; i < 2; i++) {
        at[i][0] = copy(t, 0, 0, 300, 0);
        at[i][1] = kernel(t, 0, at[i][0], 200, 8, 8);
        at[i][2] = copy(t, 0, at[i][1], 300, 1);
    }
    IS(t, at[0][2], 700, 1000);
    IS(t, at[1][0], 400, 700);
    IS(t, at[1][2], 1000, 1300);
    timeline_free(t);
}

/* No engine: a copy keeps kernels away. */
static void no_engine(void **state)
{
    struct timeline_costs c = plain;
    c.engines = 0;
    struct timeline *t = begin(&c);
    (void)state;
    uint64_t a = copy(t, 0, 0, 300, 0), b = kernel(t, 0, 0, 200, 1, 8);
    IS(t, a, 100, 400);
    IS(t, b, 400, 600);
    timeline_free(t);
}

/* Copies within the device and fills have all multiprocessors: the second one waits for the first, and a kernel of one block for both. A mark follows at once. */
static void moves(void **state)
{
    struct timeline *t = begin(&plain);
    struct timeline_command c = {.kind = TIMELINE_MOVE, .work = 300};
    (void)state;
    uint64_t a = timeline_add(t, &c), b = timeline_add(t, &c), k = kernel(t, 0, 0, 50, 1, 8);
    uint64_t m = timeline_add(t, &(struct timeline_command){.kind = TIMELINE_MARK, .work = 5, .previous = a});
    IS(t, a, 100, 400);
    IS(t, b, 400, 700);
    IS(t, k, 700, 750);
    IS(t, m, 400, 405);
    timeline_free(t);
}

/* 3 of 8 blocks and 5 of 8: both fit. A third kernel of 4 blocks gets no room for a block until the first ends at 1100; then three of its blocks have
 * their 600, the fourth one when the second kernel has ended. */
static void kernels_side_by_side(void **state)
{
    struct timeline *t = begin(&plain);
    (void)state;
    uint64_t a = kernel(t, 0, 0, 1000, 3, 8), b = kernel(t, 0, 0, 1500, 5, 8), c = kernel(t, 0, 0, 600, 4, 8);
    IS(t, a, 100, 1100);
    IS(t, b, 100, 1600);
    IS(t, c, 1100, 2200);
    timeline_free(t);
}

/* 20 blocks where 8 fit: three waves of 300, the last one of 4 blocks. Another kernel of 4 blocks fits beside the last wave. */
static void the_last_wave_leaves_room(void **state)
{
    struct timeline *t = begin(&plain);
    (void)state;
    uint64_t a = kernel(t, 0, 0, 900, 20, 8), b = kernel(t, 0, 0, 200, 4, 8);
    IS(t, a, 100, 1000);
    IS(t, b, 700, 900);
    timeline_free(t);
}

/* A kernel without room keeps those behind it away, even where they would fit, until all of its blocks have begun. */
static void who_comes_first_goes_first(void **state)
{
    struct timeline *t = begin(&plain);
    (void)state;
    uint64_t a = kernel(t, 0, 0, 1000, 6, 8), b = kernel(t, 0, 0, 300, 4, 4), c = kernel(t, 0, 0, 50, 1, 8);
    IS(t, a, 100, 1100);
    IS(t, b, 100, 1300); /* one of its blocks at a time; the last one begins at 1000 */
    IS(t, c, 1100, 1150);
    timeline_free(t);
}

/* Of the same room a kernel that comes later at a higher priority gets it when blocks end. In the midst of a wave of 1000 that is at its end, at 1100; of ten waves of 100,
 * of which the fifth runs at 550, at 600, and the other five wait for it. */
static void priorities(void **state)
{
    (void)state;
    for (uint64_t waves = 1; waves <= 10; waves += 9) {
        struct timeline *t = begin(&plain);
        uint64_t low = kernel(t, 0, 0, 1000, 8 * waves, 8);
        uint64_t high = timeline_add(t, &(struct timeline_command){.kind = TIMELINE_KERNEL, .queued = 450, .priority = -1, .work = 200, .need = {.blocks = 8, .fit = 8}});
        IS(t, high, waves == 1 ? 1100 : 600, waves == 1 ? 1300 : 800);
        IS(t, low, 100, waves == 1 ? 1100 : 1300);
        timeline_free(t);
    }
}

/* 3 of 8 places are enough for it: the other five go on. Blocks of 100 end at 200 ... 600; at 600 three places are the new kernel's until 800, so of the 40 blocks behind that the five other places
 * do ten, then eight do 30 in four waves. */
static void a_few_places(void **state)
{
    struct timeline *t = begin(&plain);
    (void)state;
    uint64_t low = kernel(t, 0, 0, 1000, 80, 8);
    uint64_t high = timeline_add(t, &(struct timeline_command){.kind = TIMELINE_KERNEL, .queued = 450, .priority = -1, .work = 200, .need = {.blocks = 3, .fit = 8}});
    IS(t, high, 600, 800);
    IS(t, low, 100, 1200);
    timeline_free(t);
}

/* Copies that could begin: the one of the stream with the highest priority is first. */
static void priorities_of_copies(void **state)
{
    struct timeline *t = begin(&plain);
    (void)state;
    uint64_t a = copy(t, 0, 0, 500, 0), b = copy(t, 10, 0, 50, 0);
    uint64_t c = timeline_add(t, &(struct timeline_command){.kind = TIMELINE_COPY, .queued = 20, .priority = -3, .work = 50});
    IS(t, a, 100, 600);
    IS(t, c, 600, 650);
    IS(t, b, 650, 700);
    timeline_free(t);
}

/* Devices that run one kernel at a time. */
static void one_kernel_at_a_time(void **state)
{
    struct timeline_costs c = plain;
    c.grids = 1;
    struct timeline *t = begin(&c);
    (void)state;
    uint64_t a = kernel(t, 0, 0, 1000, 1, 8), b = kernel(t, 0, 0, 1000, 1, 8);
    IS(t, a, 100, 1100);
    IS(t, b, 1100, 2100);
    timeline_free(t);
}

static struct timeline_command using(uint64_t blocks, uint64_t fit, int64_t work, enum sharing_unit unit, int use)
{
    struct timeline_command c = {.kind = TIMELINE_KERNEL, .work = work, .need = {.blocks = blocks, .fit = fit}};
    c.need.use[unit] = use;
    return c;
}

/* A kernel that uses half of the special function units has them first; a second one that wants all of them gets the other half, 300 of its 1000 until 700. A third one that
 * does not use them goes as if alone. */
static void the_older_one_has_the_unit(void **state)
{
    struct timeline *t = begin(&plain);
    (void)state;
    struct timeline_command c = using(4, 16, 600, SHARING_XU, SHARING_WHOLE / 2);
    uint64_t a = timeline_add(t, &c);
    c = using(4, 16, 1000, SHARING_XU, SHARING_WHOLE);
    uint64_t b = timeline_add(t, &c), n = kernel(t, 0, 0, 1000, 4, 16);
    IS(t, a, 100, 700);
    IS(t, b, 100, 1400);
    IS(t, n, 100, 1100);
    timeline_free(t);
}

/* Two kernels that use all issue slots share as the work of their warps is, 600 to 300, so both end when all is done. One that came before them and wants an eighth of the
 * slots has nothing until then, and then its 100. */
static void issue_slots_go_to_who_issues(void **state)
{
    struct timeline *t = begin(&plain);
    (void)state;
    struct timeline_command slow = using(4, 16, 100, SHARING_XU, SHARING_WHOLE / 2), c = using(4, 16, 600, SHARING_ISSUE, SHARING_WHOLE);
    slow.need.use[SHARING_ISSUE] = SHARING_WHOLE / 8;
    uint64_t n = timeline_add(t, &slow), a = timeline_add(t, &c);
    c.work = 300;
    uint64_t b = timeline_add(t, &c);
    const uint64_t number[] = {a, b, n};
    for (int i = 0; i < 3; i++) { /* rates are rounded */
        int64_t from, to;
        timeline_when(t, number[i], &from, &to);
        assert_int_equal(from, 100);
        assert_in_range(to, i < 2 ? 1000 : 1099, i < 2 ? 1001 : 1102);
    }
    timeline_free(t);
}

/* Multiprocessors: the second kernel's blocks go where the first one has none, so nobody is slowed. */
static void on_other_multiprocessors(void **state)
{
    struct timeline_costs c = plain;
    c.sms = 4;
    struct timeline *t = begin(&c);
    (void)state;
    struct timeline_command k = using(2, 8, 600, SHARING_XU, SHARING_WHOLE / 2);
    uint64_t a = timeline_add(t, &k), b = timeline_add(t, &k), n = timeline_add(t, &k);
    IS(t, a, 100, 700);
    IS(t, b, 100, 700);
    IS(t, n, 100, 1300); /* beside them, where it gets nothing until they end */
    timeline_free(t);
}

/* A kernel's two blocks leave room for two of another kind on two of four multiprocessors, and for four on each of the others: twelve of these are one wave, and a third
 * kernel has no room beside them. */
static void most_room(void **state)
{
    struct timeline_costs c = plain;
    c.sms = 4;
    struct timeline *t = begin(&c);
    (void)state;
    uint64_t a = kernel(t, 0, 0, 1000, 2, 8);
    struct timeline_command k = using(12, 16, 600, SHARING_XU, 0);
    uint64_t b = timeline_add(t, &k), n = kernel(t, 0, 0, 100, 1, 16);
    IS(t, a, 100, 1100);
    IS(t, b, 100, 700);
    IS(t, n, 700, 800);
    timeline_free(t);
}

/* DRAM: of two kernels alike, with as many loads on their way, each has the half. One whose few loads take 100 ns alone, where the first one's take 400 as they are many, waits four
 * times as long beside it. */
static void loads_wait_in_one_queue(void **state)
{
    (void)state;
    struct timeline_command full = using(4, 16, 400, SHARING_DRAM, SHARING_WHOLE), few = using(4, 16, 100, SHARING_DRAM, SHARING_WHOLE / 1024);
    full.need.waits = full.need.far = few.need.waits = few.need.far = SHARING_WHOLE;
    full.need.latency = 400000;
    full.need.queue = 300000;
    few.need.latency = 100000;
    struct timeline *t = begin(&plain);
    uint64_t a = timeline_add(t, &full), b = timeline_add(t, &full);
    IS(t, a, 100, 900);
    IS(t, b, 100, 900);
    timeline_free(t);
    t = begin(&plain);
    a = timeline_add(t, &full);
    b = timeline_add(t, &few);
    int64_t from, to;
    timeline_when(t, b, &from, &to);
    assert_in_range(to, 499, 502); /* 100 ps, four times as long */
    timeline_when(t, a, &from, &to);
    assert_in_range(to, 500, 501); /* hardly slowed */
    timeline_free(t);
}

static unsigned drawn(unsigned *state, unsigned below)
{
    *state = *state * 1664525u + 1013904223u;
    return (*state >> 8) % below;
}

/* Whatever kernels need and use, each ends, and is no shorter than alone. */
static void all_kinds(void **state)
{
    (void)state;
    for (unsigned seed = 1; seed <= 12; seed++) {
        enum { COMMANDS = 40, STREAMS = 8 };
        struct timeline_costs costs = plain;
        unsigned s = seed;
        uint64_t number[COMMANDS], last[STREAMS] = {0};
        int64_t work[COMMANDS], from, to;
        costs.sms = 1 + (int)drawn(&s, 40);
        struct timeline *t = begin(&costs);
        for (int i = 0; i < COMMANDS; i++) {
            const unsigned stream = drawn(&s, STREAMS), fit = 1 + drawn(&s, 32);
            struct timeline_command c = {.kind = TIMELINE_KERNEL, .queued = drawn(&s, 100000), .priority = -(int)drawn(&s, 3), .previous = last[stream]};
            c.work = work[i] = 1 + drawn(&s, 1000000);
            c.need.fit = (uint64_t)costs.sms * fit;
            c.need.blocks = 1 + drawn(&s, drawn(&s, 3) ? 100 : 10000);
            for (int r = 0; r < SHARING_ROOMS && stream % 2; r++)
                c.need.room[r] = 1 + (int)drawn(&s, SHARING_WHOLE / fit);
            for (int u = 0; u < SHARING_UNITS; u++)
                c.need.use[u] = drawn(&s, 3) ? 0 : (int)drawn(&s, SHARING_WHOLE + 1);
            c.need.waits = (int)drawn(&s, SHARING_WHOLE + 1);
            c.need.far = (int)drawn(&s, SHARING_WHOLE + 1);
            c.need.latency = drawn(&s, 4) ? 100000 + drawn(&s, 2000000) : 0;
            c.need.queue = c.need.latency / 2;
            number[i] = last[stream] = timeline_add(t, &c);
        }
        for (int i = 0; i < COMMANDS; i++) {
            timeline_when(t, number[i], &from, &to);
            assert_true(from >= 100 && to - from >= work[i] - work[i] / 64 && to < INT64_C(1) << 40);
        }
        timeline_free(t);
    }
}

/* A kernel that was added before, and could begin only later, goes behind one that could begin at once. */
static void what_can_begin_begins(void **state)
{
    struct timeline *t = begin(&plain);
    (void)state;
    uint64_t in = copy(t, 0, 0, 300, 0), a = kernel(t, 0, in, 200, 8, 8), b = kernel(t, 0, 0, 1000, 8, 8);
    IS(t, b, 100, 1100);
    IS(t, a, 1100, 1300);
    timeline_free(t);
}

/* What is settled stays; what is asked for earlier than that counts as asked for then. */
static void settled(void **state)
{
    struct timeline *t = begin(&plain);
    (void)state;
    uint64_t a = kernel(t, 0, 0, 1000, 8, 8), b = kernel(t, 0, a, 1000, 8, 8);
    timeline_settle(t, 1500);
    assert_true(timeline_is_settled(t, a));
    assert_false(timeline_is_settled(t, b));
    assert_int_equal(timeline_open(t), 1);
    uint64_t c = kernel(t, 0, a, 10, 8, 8); /* behind a, in the room that b has until 2110 */
    IS(t, a, 100, 1100);
    IS(t, b, 1110, 2110);
    IS(t, c, 2110, 2120);
    timeline_settle(t, 10000);
    assert_int_equal(timeline_open(t), 0);
    uint64_t d = kernel(t, 12000, c, 10, 8, 8);
    IS(t, c, 2110, 2120);
    IS(t, d, 12100, 12110);
    timeline_free(t);
}

/* What would be with a command that is not added; and the end of all. */
static void what_would_be(void **state)
{
    struct timeline *t = begin(&plain);
    const struct timeline_command c = {.kind = TIMELINE_KERNEL, .work = 10, .need = {.blocks = 8, .fit = 8}};
    int64_t b, e;
    (void)state;
    timeline_would(t, &c, &b, &e);
    assert_int_equal(b, 100);
    assert_int_equal(e, 110);
    assert_int_equal(timeline_last(t, -1), 0);
    uint64_t a = kernel(t, 0, 0, 1000, 8, 8);
    timeline_would(t, &c, &b, &e);
    assert_int_equal(b, 1100);
    IS(t, a, 100, 1100);
    assert_int_equal(timeline_last(t, 0), 1100);
    assert_int_equal(timeline_last(t, 1), 0);
    timeline_settle(t, 2000);
    assert_int_equal(timeline_last(t, 0), 1100);
    timeline_free(t);
}

/* Two devices know nothing of each other but by waiting. */
static void devices(void **state)
{
    struct timeline *t = begin(&plain);
    (void)state;
    timeline_device(t, 1, &plain);
    uint64_t a = kernel(t, 0, 0, 1000, 8, 8);
    uint64_t b = timeline_add(t, &(struct timeline_command){.kind = TIMELINE_KERNEL, .device = 1, .work = 1000, .need = {.blocks = 8, .fit = 8}});
    uint64_t c = timeline_add(t, &(struct timeline_command){.kind = TIMELINE_KERNEL, .device = 1, .work = 10, .need = {.blocks = 8, .fit = 8}, .previous = b, .after = &a, .nafter = 1});
    IS(t, a, 100, 1100);
    IS(t, b, 100, 1100);
    IS(t, c, 1120, 1130);
    timeline_free(t);
}

/* Many commands: nothing is lost when the first ones are forgotten, and edges are used again. */
static void many(void **state)
{
    struct timeline *t = begin(&plain);
    uint64_t last[4] = {0};
    (void)state;
    for (int i = 0; i < 4000; i++) {
        last[i % 4] = kernel(t, 0, last[i % 4], 100, 2, 8);
        if (i % 1000 == 999)
            timeline_settle(t, 110 * (i / 4) - 50);
    }
    for (int s = 0; s < 4; s++) /* side by side: each 999 pauses and 1000 kernels behind the begin */
        IS(t, last[s], 100 + 999 * 110, 100 + 999 * 110 + 100);
    IS(t, 1, 100, 200);
    timeline_free(t);
}

/* 6000 bytes at 2000, 1000, 500, 250 and 4000 bytes a microsecond are 3, 6, 12, 24 and 1.5 us; what each way takes at least comes with it. From
 * 6001 bytes on pageable memory has its lower rate, 100. A row of 2 bytes takes 1000 ps at 2000 bytes a microsecond; at 8000 it would take 250 ps,
 * less than the 500 ps of a row. */
static void copies(void **state)
{
    (void)state;
    assert_int_equal(timeline_copy_ps(&plain, TIMELINE_DEVICE, TIMELINE_PINNED, 6000, 1), 3001000);
    assert_int_equal(timeline_copy_ps(&plain, TIMELINE_PINNED, TIMELINE_DEVICE, 6000, 1), 6002000);
    assert_int_equal(timeline_copy_ps(&plain, TIMELINE_DEVICE, TIMELINE_PAGEABLE, 6000, 1), 12003000);
    assert_int_equal(timeline_copy_ps(&plain, TIMELINE_DEVICE, TIMELINE_PAGEABLE, 6001, 1), 60013000);
    assert_int_equal(timeline_copy_ps(&plain, TIMELINE_PAGEABLE, TIMELINE_DEVICE, 6000, 1), 24004000);
    assert_int_equal(timeline_copy_ps(&plain, TIMELINE_DEVICE, TIMELINE_DEVICE, 6000, 1), 1505000);
    assert_int_equal(timeline_copy_ps(&plain, TIMELINE_PINNED, TIMELINE_PAGEABLE, 6000, 1), 12000000);
    assert_int_equal(timeline_peer_ps(&plain, 6000, 1), 3005000);
    assert_int_equal(timeline_copy_ps(&plain, TIMELINE_DEVICE, TIMELINE_PINNED, 2, 10), 1000 + 10 * 1000);
    assert_int_equal(timeline_fill_ps(&plain, TIMELINE_DEVICE, 2, 10), 5000 + 10 * 500);
    assert_int_equal(timeline_fill_ps(&plain, TIMELINE_DEVICE, 8000, 1), 1005000);
    assert_int_equal(timeline_staged_ps(&plain, 500), 1000000);
}

/* An H200: PCI Express 5 with 16 lanes. A board without such a link copies within the one memory. */
static void of_descriptions(void **state)
{
    struct diag_list diags;
    struct device d;
    struct timeline_costs c;
    (void)state;
    diag_init(&diags);
    assert_true(device_load(&d, "h200", &diags));
    timeline_costs_of(&c, &d);
    assert_int_equal(c.pinned_in, d.copy_bytes_per_us);
    assert_true(c.pageable_in < c.pinned_in && c.pinned_in < c.device_copy && c.device_copy < c.fill);
    assert_int_equal(c.engines, 3);
    assert_int_equal(c.grids, 128);
    assert_true(device_load(&d, "jetson-nano", &diags));
    timeline_costs_of(&c, &d);
    assert_int_equal(c.pinned_in, c.device_copy);
    assert_int_equal(c.engines, 1);
    assert_true(device_load(&d, "g80", &diags));
    timeline_costs_of(&c, &d);
    assert_int_equal(c.engines, 0);
    assert_int_equal(c.grids, 1);
    diag_release(&diags);
}

int main(void)
{
    setenv("HEDDLE_DEVICES", DEVICES, 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stream),
        cmocka_unit_test(marks),
        cmocka_unit_test(staged_copies),
        cmocka_unit_test(one_engine),
        cmocka_unit_test(no_engine),
        cmocka_unit_test(moves),
        cmocka_unit_test(kernels_side_by_side),
        cmocka_unit_test(the_last_wave_leaves_room),
        cmocka_unit_test(who_comes_first_goes_first),
        cmocka_unit_test(priorities),
        cmocka_unit_test(a_few_places),
        cmocka_unit_test(priorities_of_copies),
        cmocka_unit_test(one_kernel_at_a_time),
        cmocka_unit_test(the_older_one_has_the_unit),
        cmocka_unit_test(issue_slots_go_to_who_issues),
        cmocka_unit_test(on_other_multiprocessors),
        cmocka_unit_test(most_room),
        cmocka_unit_test(loads_wait_in_one_queue),
        cmocka_unit_test(all_kinds),
        cmocka_unit_test(what_can_begin_begins),
        cmocka_unit_test(settled),
        cmocka_unit_test(what_would_be),
        cmocka_unit_test(devices),
        cmocka_unit_test(many),
        cmocka_unit_test(copies),
        cmocka_unit_test(of_descriptions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
