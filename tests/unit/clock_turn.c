/* The accesses of a warp's turn: their order, when they are issued, what they wait for (clock/turn.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "clock/turn.h"

#include <string.h>

enum { LOAD, STORE, OTHER, FAR, SITES };

/* A block of four accesses: as the machine code has them a load at cycle 2 whose data are used at 10, another at 3, used at 30, a third at 12, and a
 * store at 31. */
static struct pace_access access_of[SITES] = {[LOAD] = {2, 10}, [OTHER] = {3, 30}, [FAR] = {12, PACE_NEVER}, [STORE] = {31, PACE_NEVER}};
static int32_t first[SITES] = {[LOAD] = 0, [STORE] = 1, [OTHER] = 2, [FAR] = 3};
static struct pace_block blocks[1] = {{.span = 40 * PACE_TICKS, .owner = 0, .rounds = 1}};
static const struct target_pace pace = {.block = blocks, .first = first, .access = access_of, .naccesses = SITES};
static struct ir_inst insts[SITES];
static const struct ir_kernel kernel = {.insts = insts, .ninsts = SITES};
static struct l2_waiter waiter[TURN_WAITED];
static struct turn_pool memory;

/* Records as the executor leaves them: in the order of the PTX. */
static struct turn turn_of(void)
{
    static const uint8_t ops[SITES] = {[LOAD] = RECORD_LOAD, [STORE] = RECORD_STORE, [OTHER] = RECORD_LOAD, [FAR] = RECORD_LOAD};
    struct record records[SITES];
    struct turn t = {.rest = {.block = -1}};
    memset(records, 0, sizeof records);
    memset(waiter, 0, sizeof waiter);
    turn_pool_begin(&memory, SITES);
    for (uint32_t i = 0; i < SITES; i++)
        records[i] = (struct record){.site = i, .op = ops[i], .space = PTX_GLOBAL, .mask = UINT32_MAX};
    turn_begin(&t, 1000 * PACE_TICKS);
    turn_add(&t, &memory, &kernel, &pace, records, SITES, 0);
    turn_order(&t, &pace, 0, 40 * PACE_TICKS);
    return t;
}

static uint64_t cycle(uint64_t ticks)
{
    assert_int_equal(ticks % PACE_TICKS, 0);
    return ticks / PACE_TICKS;
}

/* The next access is this one, is issued at this cycle, and its data come at another one. */
static void goes(struct turn *t, uint32_t site, uint64_t issue, uint64_t there)
{
    assert_true(turn_wait_next(t));
    assert_int_equal(turn_next(t)->site, site);
    assert_int_equal(cycle(turn_issue(t)), issue);
    turn_went(t, there * PACE_TICKS, &waiter[turn_place(t)]);
}

/* What comes in time moves nothing: the third load, whose data nobody needs in the block, has them before its end. */
static void in_time(void **state)
{
    (void)state;
    struct turn t = turn_of();
    goes(&t, LOAD, 1002, 1010);
    goes(&t, OTHER, 1003, 1030);
    goes(&t, FAR, 1012, 1040);
    goes(&t, STORE, 1031, 0);
    assert_true(turn_wait_all(&t));
    assert_int_equal(cycle(t.end), 1040);
    turn_pool_release(&memory);
}

/* The first load is 25 cycles late: so is everything behind cycle 10. The second one comes within these. The third is 7 cycles late at the end. */
static void late(void **state)
{
    (void)state;
    struct turn t = turn_of();
    goes(&t, LOAD, 1002, 1035);
    goes(&t, OTHER, 1003, 1050);
    goes(&t, FAR, 1037, 1072);
    goes(&t, STORE, 1056, 0);
    assert_true(turn_wait_all(&t));
    assert_int_equal(cycle(t.end), 1072);
    turn_pool_release(&memory);
}

/* What L2 brings is not known before it says so, and only those wait that come behind its use. */
static void from_l2(void **state)
{
    (void)state;
    struct turn t = turn_of();
    assert_true(turn_wait_next(&t));
    waiter[turn_place(&t)].pending = 1;
    turn_went(&t, 1002 * PACE_TICKS, &waiter[0]);
    goes(&t, OTHER, 1003, 1020);
    assert_false(turn_wait_next(&t));
    waiter[0] = (struct l2_waiter){.ready = 1300, .pending = 0};
    turn_told(&t, 0, &waiter[0]);
    goes(&t, FAR, 1302, 1310);
    goes(&t, STORE, 1321, 0);
    assert_true(turn_wait_all(&t));
    assert_int_equal(cycle(t.end), 1330);
    assert_int_equal(waiter[0].ready, 0); /* for the next turn */
    turn_pool_release(&memory);
}

/* The warp does not wait for its first turn's load, of which L2 has said that it comes in cycle 1300: the next turn's first load waits for that. */
static void left_open(void **state)
{
    (void)state;
    struct turn t = turn_of(), *next = &t;
    struct record r = {.site = LOAD, .op = RECORD_LOAD, .space = PTX_GLOBAL, .mask = 1};
    waiter[0].pending = 1;
    turn_went(&t, 1002 * PACE_TICKS, &waiter[0]);
    assert_false(turn_wait_all(&t));
    waiter[0] = (struct l2_waiter){.ready = 1300, .pending = 0};
    turn_told(&t, 0, &waiter[0]);
    assert_int_equal(waiter[0].ready, 0);
    turn_leave(&t, waiter, 1);
    turn_begin(next, 1100 * PACE_TICKS);
    turn_add(next, &memory, &kernel, &pace, &r, 1, 0);
    turn_order(next, &pace, 0, 40 * PACE_TICKS);
    goes(next, LOAD, 1102, 1105);
    assert_true(turn_wait_all(next));
    assert_int_equal(cycle(next->end), 1330); /* needed at 10 of 40 cycles */
    turn_pool_release(&memory);
}

/* The turn goes on behind a barrier at cycle 11 of the block. */
static void behind_a_barrier(void **state)
{
    (void)state;
    struct record r = {.site = FAR, .op = RECORD_LOAD, .space = PTX_GLOBAL, .mask = 1};
    struct turn t = {.rest = {.block = 0, .passed = 11}};
    memset(waiter, 0, sizeof waiter);
    turn_pool_begin(&memory, SITES);
    turn_begin(&t, 2000 * PACE_TICKS);
    turn_add(&t, &memory, &kernel, &pace, &r, 1, 0);
    turn_order(&t, &pace, 0, 29 * PACE_TICKS);
    goes(&t, FAR, 2001, 2029);
    assert_true(turn_wait_all(&t));
    assert_int_equal(cycle(t.end), 2029);
    turn_pool_release(&memory);
}

/* What comes out is what went in: lists of lanes near each other, the same again, of lanes that are not near, a row; more of them than there was
 * room for, and more than become common. */
static void addresses(void **state)
{
    enum { N = 40, WIDE = 6, EDGE = 5, ROW = 8 };
    (void)state;
    static struct record r[N];
    struct record out;
    struct turn t = {.rest = {.block = -1}};
    for (uint32_t i = 0; i < N; i++) {
        r[i] = (struct record){.site = FAR, .op = RECORD_LOAD, .space = PTX_GLOBAL, .mask = UINT32_MAX - 1, .shape = i == ROW ? RECORD_AFFINE : RECORD_EXPLICIT,
                               .bytes = 4, .stride = 4 + (int32_t)i};
        for (uint32_t lane = 0; lane < 32; lane++)
            r[i].addr[lane] = UINT64_C(0x700000000) + i * 4096 - lane * (12 + i / 2) + (i == EDGE && lane == 31 ? UINT64_C(1) << 31 : 0) +
                              (i == WIDE && lane == 3 ? UINT64_C(1) << 32 : 0);
    }
    turn_pool_begin(&memory, SITES);
    turn_begin(&t, 0);
    turn_add(&t, &memory, &kernel, &pace, r, 5, 0);
    turn_add(&t, &memory, &kernel, &pace, r + 5, N - 5, 0);
    turn_order(&t, &pace, 0, 40 * PACE_TICKS);
    assert_true(t.access[1].common && t.access[1].list == t.access[0].list);
    assert_false(t.access[N - 1].common);
    for (uint32_t i = 0; i < N; i++) {
        turn_record(&t, &memory, &out);
        assert_int_equal(out.stride, 4 + i);
        assert_int_equal(out.mask, r[i].mask);
        if (i == ROW)
            assert_int_equal(out.addr[0], r[i].addr[0]);
        for (uint32_t lane = 1; lane < 32 && i != ROW; lane++) /* lane 0 takes no part */
            assert_int_equal(out.addr[lane], r[i].addr[lane]);
        turn_went(&t, 0, &waiter[turn_place(&t)]);
    }
    turn_pool_release(&memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(in_time), cmocka_unit_test(late), cmocka_unit_test(from_l2), cmocka_unit_test(behind_a_barrier),
                                       cmocka_unit_test(left_open), cmocka_unit_test(addresses)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
