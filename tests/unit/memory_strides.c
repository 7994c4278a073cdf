/* Loads of rows, turn by turn: by hand, and against the same accesses one by one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "memory/memory.h"
#include "ptx/ptx.h"

enum { TURNS = 32 };

static struct record load(uint8_t bytes)
{
    return (struct record){.op = RECORD_LOAD, .space = PTX_GLOBAL, .shape = RECORD_EXPLICIT, .bytes = bytes, .elem = bytes, .mask = UINT32_MAX};
}

/* Lanes 0, 1 and 2 at 0, 4 and 64, words, 4 bytes a turn: the first two share a sector in turns 0 to 6 and again from 8 on. */
static void by_hand(void **state)
{
    (void)state;
    struct counters c = {0};
    struct memory m;
    struct record r = load(4);
    uint32_t on[9] = {7, 7, 7, 7, 3, 3, 3, 3, 3};
    memory_init(&m, &c, 1);
    r.addr[1] = 4;
    r.addr[2] = 64;
    assert_true(memory_strides(&m, &r, 4, on, 9));
    assert_int_equal(c.v[COUNTER_GLOBAL_LD_REQUESTS], 9);
    assert_int_equal(c.v[COUNTER_GLOBAL_LD_SECTORS], 4 * 2 + 5 + 1); /* turn 7: 28 and 32 */
    assert_int_equal(c.v[COUNTER_GLOBAL_LD_IDEAL], 9);
    assert_int_equal(c.v[COUNTER_GLOBAL_LD_BYTES], 4 * (4 * 3 + 5 * 2));

    on[0] = 7; /* lane 1 is off from turn 1 on: lane 2 at 12 has lane 0 for its neighbour then */
    on[1] = 5;
    r.addr[2] = 12;
    memset(&c, 0, sizeof c);
    assert_true(memory_strides(&m, &r, 8, on, 2));
    assert_int_equal(c.v[COUNTER_GLOBAL_LD_SECTORS], 2);
}

static void not_of_this_kind(void **state)
{
    (void)state;
    struct counters c = {0};
    struct memory m;
    struct record r = load(4);
    const uint32_t on[1] = {3};
    memory_init(&m, &c, 1);
    assert_false(memory_strides(&m, &r, 4, on, 1)); /* both at 0 */
    r.addr[1] = 4;
    assert_false(memory_strides(&m, &r, 12, on, 1));
    assert_false(memory_strides(&m, &r, -4, on, 1));
    r.space = PTX_SHARED;
    assert_false(memory_strides(&m, &r, 4, on, 1));
    assert_int_equal(c.v[COUNTER_GLOBAL_LD_REQUESTS], 0);
}

static void like_one_by_one(void **state)
{
    (void)state;
    static const int64_t steps[] = {1, 2, 4, 8, 16, 32, 64, 4096};
    int counted = 0;
    srand(1);
    for (int round = 0; round < 20000; round++) {
        struct counters have = {0}, want = {0};
        struct memory m;
        uint8_t bytes = (uint8_t)(1 << rand() % 5);
        int64_t step = steps[rand() % 8];
        struct record r = load(bytes);
        uint32_t on[TURNS] = {0}, most = 1 + (uint32_t)rand() % 6 * 8;
        int n = 0;
        if (step < bytes)
            step = bytes;
        for (int lane = 0; lane < 32; lane++) {
            int turns = rand() % (TURNS + 1);
            r.addr[lane] = (lane ? r.addr[lane - 1] : 1 << 20) + bytes * (uint64_t)(rand() % most + (rand() % 200 != 0));
            for (int t = 0; t < turns; t++)
                on[t] |= 1u << lane;
            n = turns > n ? turns : n;
        }
        memory_init(&m, &have, 1);
        if (!memory_strides(&m, &r, step, on, n))
            continue;
        counted++;
        memory_init(&m, &want, 1);
        for (int t = 0; t < n; t++) {
            r.mask = on[t];
            memory_access(&m, &r);
            for (int lane = 0; lane < 32; lane++)
                r.addr[lane] += (uint64_t)step;
        }
        assert_memory_equal(&have, &want, sizeof have);
    }
    assert_true(counted > 10000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(by_hand), cmocka_unit_test(not_of_this_kind), cmocka_unit_test(like_one_by_one)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
