/* Turns of unrolled loops: how many a lane does, and what is counted of a visit. Numbers by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "simt/trips.h"

static uint64_t of(enum ptx_cmp goes_on, int64_t step, int bits, bool signed_, int64_t start, int64_t bound)
{
    struct ir_trips t = {.step = step, .goes_on = (uint8_t)goes_on, .rounds = 4};
    return trips_of(&t, bits, signed_, (uint64_t)start, (uint64_t)bound);
}

static void lane(void **state)
{
    (void)state;
    assert_int_equal(of(PTX_LT, 1, 32, true, 0, 10), 10);
    assert_int_equal(of(PTX_LT, 1, 32, true, 5, 3), 1); /* it is compared at the end of the first turn */
    assert_int_equal(of(PTX_LT, 1, 32, true, 9, 10), 1);
    assert_int_equal(of(PTX_LT, 3, 32, true, 0, 10), 4); /* 3 6 9 12 */
    assert_int_equal(of(PTX_LT, 3, 32, true, 0, 9), 3);
    assert_int_equal(of(PTX_LE, 3, 32, true, 0, 9), 4);
    assert_int_equal(of(PTX_LT, 1, 32, true, -5, 2), 7);
    assert_int_equal(of(PTX_LT, 1, 32, false, -5, 2), 1); /* 4294967292 is not below 2 */
    assert_int_equal(of(PTX_LT, 1, 32, true, -2147483647 - 1, 2147483647), UINT64_C(4294967295));
    assert_int_equal(of(PTX_GT, -1, 32, true, 7, 0), 7);
    assert_int_equal(of(PTX_GT, -4, 32, true, 7, 0), 2); /* 3 -1 */
    assert_int_equal(of(PTX_GE, -4, 32, true, 8, 0), 3); /* 4 0 -4 */
    assert_int_equal(of(PTX_GT, -1, 32, true, 0, 0), 1);
    assert_int_equal(of(PTX_NE, -1, 32, true, 7, 0), 7);
    assert_int_equal(of(PTX_NE, 4, 32, false, -16, 0), 4); /* round past 0 */
    assert_int_equal(of(PTX_LT, 1, 64, true, 0, INT64_C(1) << 40), UINT64_C(1) << 40);
}

static void expect(const uint64_t *n, const uint64_t *expected)
{
    for (int i = 0; i < TRIPS_NUMBERS; i++)
        assert_int_equal(n[i], expected[i]);
}

static void visit(void **state)
{
    (void)state;
    const struct ir_trips t = {.step = 1, .goes_on = PTX_LT, .rounds = 4};
    uint64_t n[TRIPS_NUMBERS] = {0}, turns[WARP_LANES];
    for (int i = 0; i < WARP_LANES; i++)
        turns[i] = 6;
    trips_count(n, &t, turns, UINT32_MAX); /* one round, two turns left over */
    expect(n, (const uint64_t[]){1, 32, 1, 32, 1, 32, 0, 0, 2, 0, 0, 0});

    memset(n, 0, sizeof n);
    turns[0] = 1, turns[1] = 2, turns[2] = 4, turns[3] = 9;
    /* rounds 0 0 1 2; two of lane 1; one of lanes 0 and 3; the longest lane has 9 % 4 = 1 left; they leave the rounds in three groups */
    trips_count(n, &t, turns, 0xf);
    expect(n, (const uint64_t[]){1, 4, 1, 2, 1, 1, 1, 2, 1, 2, 1, 1});

    memset(n, 0, sizeof n);
    turns[0] = 400, turns[1] = 401, turns[2] = 40, turns[3] = 1200; /* rounds 100 100 10 300 */
    trips_count(n, &t, turns, 0xf);
    expect(n, (const uint64_t[]){1, 4, 1, 4, 0, 0, 1, 1, 0, 2, 0, 1});

    memset(n, 0, sizeof n);
    trips_count(n, &t, turns, 0); /* nobody */
    expect(n, (const uint64_t[TRIPS_NUMBERS]){0});
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(lane), cmocka_unit_test(visit)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
