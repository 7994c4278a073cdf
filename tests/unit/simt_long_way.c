/* Long ways of quotients and roots: of which operands, which instructions, and what is counted of a warp. Numbers by hand, from ptxas's
 * code and the times of `long_way.cu` on an H200 (tests/truth/README.md says where the limits are). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "simt/long_way.h"
#include "target/arch.h"

static uint64_t single(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, 4);
    return bits;
}

static uint64_t twice(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, 8);
    return bits;
}

/* Instructions of the function that a lane executes. */
static int executed(enum long_way way, uint64_t a, uint64_t b)
{
    const uint32_t parts = long_way_parts(way, a, b);
    int all = 0;
    for (int p = 0; long_way_text(way, p); p++) {
        const char *text = long_way_text(way, p);
        enum machine_op op;
        int times;
        char bracket;
        while (arch_ops_next(&text, &op, &times, &bracket))
            all += parts >> p & 1 ? times : 0;
    }
    return all;
}

static void limits(void **state)
{
    (void)state;
    /* FCHK: exponents 25 to 254, 2 to 251, their difference -124 to 126 */
    for (uint32_t x = 0; x < 256; x++)
        for (uint32_t y = 0; y < 256; y++) {
            const int apart = (int)x - (int)y;
            const bool short_ = x >= 25 && x <= 254 && y >= 2 && y <= 251 && apart >= -124 && apart <= 126;
            assert_int_equal(long_way_parts(LONG_div_rn_f32, x << 23 | 0x200000, y << 23 | 0x300000) == 0, short_);
            assert_int_equal(long_way_parts(LONG_div_rn_f32, x << 23, y << 23 | UINT32_C(0x80700000)) == 0, short_);
        }
    for (uint32_t x = 0; x < 256; x++) {
        assert_int_equal(long_way_parts(LONG_rcp_rn_f32, x << 23 | 1, 0) == 0, x >= 1 && x <= 252);
        assert_int_equal(long_way_parts(LONG_sqrt_rn_f32, x << 23 | 1, 0) == 0, x >= 26 && x <= 254);
        assert_int_not_equal(long_way_parts(LONG_sqrt_rn_f32, UINT32_C(0x80000000) | x << 23, 0), 0);
    }
    assert_int_equal(long_way_parts(LONG_div_rn_f64, UINT64_C(0x0360000000000000), twice(1.25)), 0);
    assert_int_not_equal(long_way_parts(LONG_div_rn_f64, UINT64_C(0x035fffffffffffff), twice(1.25)), 0);
    assert_int_equal(long_way_parts(LONG_div_rn_f64, twice(1), UINT64_C(0x0010000000000000) << 8), 0);
    assert_int_equal(long_way_parts(LONG_div_rn_f64, twice(0x1p1016), twice(1)), 0); /* upper word 0x7f700000 */
    assert_int_equal(long_way_parts(LONG_div_rn_f64, twice(0x1p1017), twice(1)), 0);
    assert_int_not_equal(long_way_parts(LONG_div_rn_f64, twice(0x1.8p1017), twice(1)), 0);
    assert_int_equal(long_way_parts(LONG_div_rn_f64, twice(0x1p-500), twice(0x1p521)), 0); /* 0x00200000 */
    assert_int_not_equal(long_way_parts(LONG_div_rn_f64, twice(0x1p-500), twice(0x1p522)), 0);
    assert_int_not_equal(long_way_parts(LONG_sqrt_rn_f64, UINT64_C(0x034fffffffffffff), 0), 0);
    assert_int_equal(long_way_parts(LONG_sqrt_rn_f64, UINT64_C(0x0350000000000000), 0), 0);
    assert_int_equal(long_way_parts(LONG_rsqrt_f64, UINT64_C(0x0010000000000000), 0), 0);
    assert_int_not_equal(long_way_parts(LONG_rsqrt_f64, twice(-1), 0), 0);
}

static void instructions(void **state)
{
    (void)state;
    assert_int_equal(executed(LONG_div_rn_f32, single(1.5f), single(1.25f)), 0);
    assert_int_equal(executed(LONG_div_rn_f32, single(0), single(3)), 31); /* 16, 4 2 4 3, 2 */
    assert_int_equal(executed(LONG_div_rn_f32, single(NAN), single(3)), 16 + 4 + 1);
    assert_int_equal(executed(LONG_div_rn_f32, single(1e-37f), single(3)), 16 + 24 + 1);
    assert_int_equal(executed(LONG_div_rn_f32, single(1e-30f), single(1e10f)), 16 + 24 + 2 + 5 + 22);
    assert_int_equal(executed(LONG_div_rn_f32, single(1e-30f), single(1e30f)), 16 + 24 + 2 + 5); /* below 2^-150 */
    assert_int_equal(executed(LONG_div_rn_ftz_f32, single(1e-40f), single(3)), 14 + 5 + 5 + 5 + 3 + 2); /* as 0 / 3 */
    assert_int_equal(executed(LONG_div_rn_f64, twice(0), twice(3)), 43 + 2 + 2 + 4 + 8);
    assert_int_equal(executed(LONG_div_rn_f64, twice(1e-310), twice(3)), 43 + 11 + 6 + 10);
    assert_int_equal(executed(LONG_div_rn_f64, twice(1e-310), twice(2)), 43 + 11 + 6); /* half of it has as many digits */
    assert_int_equal(executed(LONG_div_rn_f64_by, twice(0), twice(3)), 35 + 2 + 4 + 9);
    assert_int_equal(executed(LONG_div_rn_f64_by, twice(1e-310), twice(3)), 35 + 9 + 7 + 10);
    assert_int_equal(executed(LONG_div_rn_f32_by, single(0), single(3)), 12 + 3 + 7 + 2);
    assert_int_equal(executed(LONG_div_rn_f32_by, single(1e-40f), single(3)), 12 + 3 + 7 + 5 + 4 + 24 + 2 + 5 + 22);
    assert_int_equal(executed(LONG_rcp_rn_f64, twice(1e-310), 0), 8 + 6 + 2 + 10);
    assert_int_equal(executed(LONG_rcp_rn_f64, twice(1.7e308), 0), 8 + 6 + 2 + 13);
    assert_int_equal(executed(LONG_sqrt_rn_f64, twice(-1), 0), 9 + 2 + 4);
    assert_int_equal(executed(LONG_rsqrt_f64, twice(INFINITY), 0), 8 + 2 + 4 + 3);
}

/* Lanes 0 and 1 have 0 / 3, lane 2 a NaN, lane 3 something ordinary. */
static void warp(void **state)
{
    (void)state;
    uint64_t n[LONG_NUMBERS] = {0}, a[WARP_LANES] = {twice(0), twice(0), twice(NAN), twice(1.5)}, b[WARP_LANES];
    for (int i = 0; i < WARP_LANES; i++)
        b[i] = twice(3);
    assert_int_equal(long_way_count(n, LONG_div_rn_f64, a, b, 8), 0);
    for (int i = 0; i < LONG_NUMBERS; i++)
        assert_int_equal(n[i], 0);
    assert_int_equal(long_way_count(n, LONG_div_rn_f64, a, b, 0xf), 0x371); /* those of `expected` that are not 0 */
    assert_int_equal(n[LONG_SOME], 1);
    assert_int_equal(n[LONG_SOME_LANES], 3);
    assert_int_equal(n[LONG_ONLY], 0);
    long_way_count(n, LONG_div_rn_f64, a, b, 0x7);
    assert_int_equal(n[LONG_ONLY], 1);
    assert_int_equal(n[LONG_ONLY_LANES], 3);
    /* of both warps: what all come to; what finite numbers do; DSETP BRA; what a NaN of a does; DSETP BRA; what a NaN of b does */
    static const int expected[][2] = {{2, 6}, {0, 0}, {0, 0}, {0, 0}, {2, 6}, {2, 2}, {2, 4}, {0, 0}, {2, 4}, {2, 4}};
    for (size_t p = 0; p < sizeof expected / sizeof *expected; p++) {
        assert_int_equal(n[LONG_PART_FIRST + 2 * p], expected[p][0]);
        assert_int_equal(n[LONG_PART_FIRST + 2 * p + 1], expected[p][1]);
    }
}

/* Parts 0 and 2 take 100 and 30 cycles, and the issue of 20 and 5 instructions; where no clock asks, nothing. */
static void time_of(void **state)
{
    (void)state;
    struct exec_pace pace[LONG_WAYS * LONG_PARTS] = {0};
    struct exec_counts counts = {0};
    struct warp w = {0};
    pace[LONG_rcp_rn_f32 * LONG_PARTS] = (struct exec_pace){20, 100, 3};
    pace[LONG_rcp_rn_f32 * LONG_PARTS + 2] = (struct exec_pace){5, 30, 0};
    long_way_take(&w, &counts, LONG_rcp_rn_f32, 5);
    assert_int_equal(w.span, 0);
    counts.long_part = pace;
    long_way_take(&w, &counts, LONG_rcp_rn_f32, 5);
    long_way_take(&w, &counts, LONG_rcp_rn_f32, 1);
    long_way_take(&w, &counts, LONG_rcp_rn_f32, 0);
    assert_int_equal(w.span, 230);
    assert_int_equal(w.busy, 45);
    assert_int_equal(w.units, 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(limits), cmocka_unit_test(instructions), cmocka_unit_test(warp), cmocka_unit_test(time_of)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
