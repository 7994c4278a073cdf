/* L2 that keeps its lines from launch to launch: what launches, copies, fills and frees leave in it, by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "counters/counters.h"
#include "memory/caches.h"
#include "memory/l2_kept.h"

#define BASE UINT64_C(0x200000000)

enum { LINE = 128, ALL = 15, WAYS = 16, MIB = 1 << 20 };

struct model {
    struct caches_config c;
    struct counters site; /* of the launch that runs, or of the last one */
    struct l2 *l2;
    struct l2_queue queue[2];
    uint64_t now;
};

/* SM 0 is in half 0, SM 1 in half 1. */
static void open_model(struct model *m, uint64_t l2_bytes, uint32_t parts)
{
    *m = (struct model){.c = {.sms = 2, .l2_bytes = l2_bytes, .l2_parts = parts, .gpcs = 2, .sms_per_tpc = 1, .dram_bytes = 64, .l2_latency = 300,
                              .join_requests = 4, .link_cycles = 80, .pair_cycles = 100, .dirty_share = 4375, .partial_share = 1250, .lost_bytes = 16 * MIB}};
    m->c.kept = l2_kept_new(&m->c);
    assert_non_null(m->c.kept);
}

static void close_model(struct model *m)
{
    for (int i = 0; i < 2; i++)
        l2_queue_release(&m->queue[i]);
    l2_kept_free(m->c.kept);
}

static void begin(struct model *m)
{
    m->l2 = l2_new(&m->c);
    assert_non_null(m->l2);
    memset(&m->site, 0, sizeof m->site);
    m->now = 0;
}

static void end(struct model *m)
{
    struct dram_stats stats;
    l2_finish(m->l2, &m->site, &stats);
    dram_stats_release(&stats);
    l2_free(m->l2);
}

/* Sectors of the i-th line, 2000 cycles after what was asked before. */
static void ask(struct model *m, int sm, enum l2_op op, uint64_t i, unsigned sectors)
{
    const struct l2_request r = {.line = BASE / LINE + i, .time = m->now, .waiter = L2_NOBODY, .fill = L2_NOWHERE, .sectors = (uint8_t)sectors, .op = (uint8_t)op};
    l2_queue_add(&m->queue[sm], &r, NULL);
    l2_serve(m->l2, m->queue, 2, NULL, UINT64_MAX, &m->site);
    m->now += 2000;
}

static void launch(struct model *m, enum l2_op op, uint64_t first, uint64_t lines)
{
    begin(m);
    for (uint64_t i = 0; i < lines; i++)
        ask(m, 0, op, first + i, ALL);
    end(m);
}

static uint64_t n(const struct model *m, enum counter c)
{
    return m->site.v[c];
}

/* 1 MiB in an L2 of 4 MiB: the second launch finds all of it. */
static void second_launch(void **state)
{
    struct model m;
    (void)state;
    open_model(&m, 4 * MIB, 1);
    launch(&m, L2_READ, 0, MIB / LINE);
    assert_int_equal(n(&m, COUNTER_L2_READ_HIT), 0);
    assert_int_equal(n(&m, COUNTER_DRAM_READ_SECTORS), MIB / 32);
    launch(&m, L2_READ, 0, MIB / LINE);
    assert_int_equal(n(&m, COUNTER_L2_READ_SECTORS), MIB / 32);
    assert_int_equal(n(&m, COUNTER_L2_READ_HIT), MIB / 32);
    assert_int_equal(n(&m, COUNTER_DRAM_READ_SECTORS), 0);
    close_model(&m);
}

/* Twenty lines through one set of sixteen: the last sixteen stay. Backwards they are found, and four are not; these four and the twelve
 * with the highest numbers that were left stay then. Forwards in turn none is found. */
static void more_than_fits(void **state)
{
    struct model m;
    (void)state;
    open_model(&m, WAYS * LINE, 1);
    launch(&m, L2_READ, 0, 20);
    begin(&m);
    for (uint64_t i = 20; i-- > 0;)
        ask(&m, 0, L2_READ, i, ALL);
    end(&m);
    assert_int_equal(n(&m, COUNTER_L2_READ_HIT), 16 * 4);
    assert_int_equal(n(&m, COUNTER_DRAM_READ_SECTORS), 4 * 4);
    launch(&m, L2_READ, 0, 16); /* 0 to 15 are there, 16 to 19 went */
    assert_int_equal(n(&m, COUNTER_L2_READ_HIT), 16 * 4);
    launch(&m, L2_READ, 16, 4);
    assert_int_equal(n(&m, COUNTER_L2_READ_HIT), 0);
    launch(&m, L2_READ, 0, 20);
    assert_int_equal(n(&m, COUNTER_L2_READ_HIT), 0); /* 0 to 3 had gone for 16 to 19, and each takes the place of the next */
    close_model(&m);
}

/* Lines that one launch has written are written to DRAM in the launch that wants their places. */
static void dirty_lines(void **state)
{
    struct model m;
    (void)state;
    open_model(&m, WAYS * LINE, 1);
    launch(&m, L2_WRITE, 0, 4);
    assert_int_equal(n(&m, COUNTER_DRAM_WRITE_SECTORS), 0);
    launch(&m, L2_READ, 100, 12);
    assert_int_equal(n(&m, COUNTER_DRAM_WRITE_SECTORS), 0);
    launch(&m, L2_READ, 200, 3);
    assert_int_equal(n(&m, COUNTER_DRAM_WRITE_SECTORS), 3 * 4);
    close_model(&m);
}

/* A sector that came along with another counts as there in the next launch, whose time begins anew. */
static void what_was_on_its_way(void **state)
{
    struct model m;
    (void)state;
    open_model(&m, 4 * MIB, 1);
    for (uint64_t i = 0; i < 8; i++) { /* in half of the lines it is there at once anyhow */
        begin(&m);
        m.now = 1000000;
        ask(&m, 0, L2_READ, i, 1);
        end(&m);
        begin(&m);
        ask(&m, 0, L2_READ, i, 2);
        assert_int_equal(n(&m, COUNTER_L2_READ_HIT), 1);
        end(&m);
    }
    close_model(&m);
}

static void touch(struct model *m, enum l2_touch how, uint64_t first, uint64_t lines)
{
    l2_kept_touch(m->c.kept, how, BASE + first * LINE, lines * LINE);
}

/* One set: sixteen lines of a fill or a copy within the device, one of a copy with the host. */
static void copies(void **state)
{
    static const struct {
        enum l2_touch how;
        unsigned stay;
    } of[] = {{L2_TOUCH_FILL, 16}, {L2_TOUCH_COPY, 16}, {L2_TOUCH_FROM_HOST, 1}, {L2_TOUCH_TO_HOST, 1}};
    (void)state;
    for (size_t k = 0; k < sizeof of / sizeof *of; k++) {
        struct model m;
        open_model(&m, WAYS * LINE, 1);
        touch(&m, of[k].how, 0, 20);
        launch(&m, L2_READ, 19, 1);
        assert_int_equal(n(&m, COUNTER_L2_READ_HIT), 4);
        launch(&m, L2_READ, 20 - of[k].stay, of[k].stay);
        assert_int_equal(n(&m, COUNTER_L2_READ_HIT), 4 * of[k].stay);
        launch(&m, L2_READ, 19 - of[k].stay, 1);
        assert_int_equal(n(&m, COUNTER_L2_READ_HIT), 0);
        close_model(&m);
    }
}

/* What L2 has already, a copy from the host changes in place, and it stays. */
static void copied_in_place(void **state)
{
    struct model m;
    (void)state;
    open_model(&m, WAYS * LINE, 1);
    launch(&m, L2_READ, 0, 16);
    touch(&m, L2_TOUCH_FROM_HOST, 0, 16);
    touch(&m, L2_TOUCH_TO_HOST, 0, 16);
    launch(&m, L2_READ, 0, 16);
    assert_int_equal(n(&m, COUNTER_L2_READ_HIT), 16 * 4);
    close_model(&m);
}

/* Bytes 40 to 103 of a line: sectors 1, 2 and 3. */
static void parts_of_lines(void **state)
{
    struct model m;
    (void)state;
    open_model(&m, 4 * MIB, 1);
    l2_kept_touch(m.c.kept, L2_TOUCH_FILL, BASE + 40, 64);
    begin(&m);
    ask(&m, 0, L2_READ, 0, ALL);
    assert_int_equal(n(&m, COUNTER_L2_READ_HIT), 3);
    end(&m);
    close_model(&m);
}

/* A line that both halves have: the other half's copy is old once the host has written. */
static void halves(void **state)
{
    struct model m;
    (void)state;
    open_model(&m, 4 * MIB, 2);
    for (int turn = 0; turn < 3; turn++) {
        begin(&m);
        for (int sm = 0; sm < 2; sm++)
            ask(&m, sm, L2_READ, 7, ALL);
        end(&m);
        /* one of the two asks the other half: at first, since it has no copy; then it has; then it is old. */
        assert_int_equal(n(&m, COUNTER_L2_FABRIC_SECTORS), turn == 1 ? 0 : 4);
        assert_int_equal(n(&m, COUNTER_DRAM_READ_SECTORS), turn ? 0 : 4);
        if (turn == 1)
            touch(&m, L2_TOUCH_FROM_HOST, 7, 1);
    }
    close_model(&m);
}

/* Memory that is freed: 8 MiB stay, 24 MiB do not. */
static void frees(void **state)
{
    struct model m;
    (void)state;
    open_model(&m, 32 * MIB, 1);
    touch(&m, L2_TOUCH_FILL, 0, 24 * MIB / LINE);
    touch(&m, L2_TOUCH_FREE, 0, 8 * MIB / LINE);
    launch(&m, L2_READ, 0, 64);
    assert_int_equal(n(&m, COUNTER_L2_READ_HIT), 64 * 4);
    touch(&m, L2_TOUCH_FREE, 0, 24 * MIB / LINE);
    launch(&m, L2_READ, 0, 64);
    assert_int_equal(n(&m, COUNTER_L2_READ_HIT), 0);
    close_model(&m);
}

/* Half of the set is set aside. Eight lines of the window persist while others go through, also in later launches without a window; once they
 * are reset they go as others do. */
static void persisting(void **state)
{
    struct model m;
    (void)state;
    open_model(&m, WAYS * LINE, 1);
    m.c.window_first = BASE;
    m.c.window_bytes = 8 * LINE;
    m.c.persisting_bytes = 8 * LINE;
    m.c.window_ratio = 1;
    launch(&m, L2_READ, 0, 8);
    m.c.window_bytes = 0;
    launch(&m, L2_READ, 100, 50);
    launch(&m, L2_READ, 0, 8);
    assert_int_equal(n(&m, COUNTER_L2_READ_HIT), 8 * 4);
    l2_kept_reset(m.c.kept);
    launch(&m, L2_READ, 100, 50);
    launch(&m, L2_READ, 0, 8);
    assert_int_equal(n(&m, COUNTER_L2_READ_HIT), 0);
    close_model(&m);
}

/* Lines of a window that were there before it was set persist, too. */
static void persisting_later(void **state)
{
    struct model m;
    (void)state;
    open_model(&m, WAYS * LINE, 1);
    launch(&m, L2_READ, 0, 8);
    m.c.window_first = BASE;
    m.c.window_bytes = 8 * LINE;
    m.c.persisting_bytes = 8 * LINE;
    m.c.window_ratio = 1;
    launch(&m, L2_READ, 100, 50);
    launch(&m, L2_READ, 0, 8);
    assert_int_equal(n(&m, COUNTER_L2_READ_HIT), 8 * 4);
    close_model(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(second_launch), cmocka_unit_test(more_than_fits), cmocka_unit_test(dirty_lines), cmocka_unit_test(what_was_on_its_way),
        cmocka_unit_test(copies), cmocka_unit_test(copied_in_place), cmocka_unit_test(parts_of_lines), cmocka_unit_test(halves), cmocka_unit_test(frees),
        cmocka_unit_test(persisting), cmocka_unit_test(persisting_later),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
