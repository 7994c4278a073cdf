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
static const struct timeline_costs plain = {.begin = 100, .next = 10, .wait = 20, .engines = 2, .grids = 128,
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
    return timeline_add(t, &(struct timeline_command){.kind = TIMELINE_KERNEL, .queued = queued, .previous = previous, .work = work, .blocks = blocks, .fit = fit});
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

/* 3 of 8 blocks and 5 of 8: both fit. A third kernel of 4 blocks gets no room for a block until the first ends at 1100; then it gets
 * 3 of the 4 and has 3/4 of its rate until the second ends at 1600: 375 of its 600 are done, the rest takes 225. */
static void kernels_side_by_side(void **state)
{
    struct timeline *t = begin(&plain);
    (void)state;
    uint64_t a = kernel(t, 0, 0, 1000, 3, 8), b = kernel(t, 0, 0, 1500, 5, 8), c = kernel(t, 0, 0, 600, 4, 8);
    IS(t, a, 100, 1100);
    IS(t, b, 100, 1600);
    IS(t, c, 1100, 1825);
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

/* A kernel of the same room that comes later at a higher priority gets it at once; the first one goes on behind it. */
static void priorities(void **state)
{
    struct timeline *t = begin(&plain);
    (void)state;
    uint64_t low = kernel(t, 0, 0, 1000, 8, 8);
    uint64_t high = timeline_add(t, &(struct timeline_command){.kind = TIMELINE_KERNEL, .queued = 400, .priority = -1, .work = 200, .blocks = 8, .fit = 8});
    IS(t, high, 500, 700);
    IS(t, low, 100, 1300);
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

/* Two kernels of half the room that use 3/4 of the issue slots each want 3/2 of them: they take 3/2 as long side by side, until the shorter one
 * has ended at 100 + 900; then the longer one, of which 600 of 1000 are done, has its whole rate. Of DRAM the same. One that uses neither is not slowed. */
static void kernels_compete(void **state)
{
    (void)state;
    for (int dram = 0; dram < 2; dram++) {
        struct timeline *t = begin(&plain);
        struct timeline_command c = {.kind = TIMELINE_KERNEL, .work = 600, .blocks = 4, .fit = 16};
        *(dram ? &c.dram : &c.issue) = TIMELINE_WHOLE / 4 * 3;
        uint64_t a = timeline_add(t, &c);
        c.work = 1000;
        uint64_t b = timeline_add(t, &c), n = kernel(t, 0, 0, 1000, 4, 16);
        IS(t, a, 100, 1000);
        IS(t, b, 100, 1400);
        IS(t, n, 100, 1100);
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
    const struct timeline_command c = {.kind = TIMELINE_KERNEL, .work = 10, .blocks = 8, .fit = 8};
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
    uint64_t b = timeline_add(t, &(struct timeline_command){.kind = TIMELINE_KERNEL, .device = 1, .work = 1000, .blocks = 8, .fit = 8});
    uint64_t c = timeline_add(t, &(struct timeline_command){.kind = TIMELINE_KERNEL, .device = 1, .work = 10, .blocks = 8, .fit = 8, .previous = b, .after = &a, .nafter = 1});
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
        cmocka_unit_test(kernels_side_by_side),
        cmocka_unit_test(the_last_wave_leaves_room),
        cmocka_unit_test(priorities),
        cmocka_unit_test(priorities_of_copies),
        cmocka_unit_test(one_kernel_at_a_time),
        cmocka_unit_test(kernels_compete),
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
