/* How long fetches of textures keep the texture unit (unit.h): two of four lanes a cycle. Times by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "clock/unit.h"

enum { T = PACE_TICKS, FLOAT = 4, FLOAT4 = 16, LINE = 128, LATENCY = 100, TEXEL = 80 };

static const struct caches_config config = {.texture_lanes = 4, .texture_latency = LATENCY, .texel_latency = TEXEL, .l1_miss_cycles = 1};

/* A fetch by all lanes, `apart` bytes from each other; from cycle 0 on, by a unit that is idle. */
static struct record fetch(uint8_t texels, uint8_t bytes, uint64_t apart)
{
    struct record r = {.mask = UINT32_MAX, .op = RECORD_TEXTURE, .shape = RECORD_EXPLICIT, .bytes = bytes, .elem = bytes, .texels = texels};
    for (uint64_t i = 0; i < 32; i++)
        r.addr[i] = i * apart;
    return r;
}

static uint64_t takes(uint8_t texels, uint8_t bytes, uint64_t apart)
{
    struct sm s = {0};
    uint64_t there;
    const struct record r = fetch(texels, bytes, apart);
    assert_int_equal(unit_fetch_cycles(&config, &s, &r, 1, false, 0, &there), 1);
    return s.texture_port;
}

static void together(void **state)
{
    (void)state;
    assert_int_equal(takes(1, FLOAT, 4), 8);      /* point: four lanes a cycle */
    assert_int_equal(takes(4, FLOAT, 4), 8);      /* a filter costs nothing */
    assert_int_equal(takes(8, FLOAT, 4), 16);     /* but for that of three dimensions */
    assert_int_equal(takes(0, FLOAT, 4), 4);      /* by number: eight lanes */
    assert_int_equal(takes(0, FLOAT4, 16), 8);
    assert_int_equal(takes(1, FLOAT4, 16), 16);
    assert_int_equal(takes(4, FLOAT4, 16), 32);
    assert_int_equal(takes(1, 8, 8), 8);
}

static void apart(void **state)
{
    (void)state;
    assert_int_equal(takes(1, FLOAT, LINE), 4 * 4);      /* eight lanes have eight lines: two a cycle */
    assert_int_equal(takes(0, FLOAT, LINE), 4 * 8);      /* of linear memory: all in one bank */
    assert_int_equal(takes(0, FLOAT, LINE + 4), 4 * 4);
    assert_int_equal(takes(0, FLOAT, 0), 4);             /* one word */
    struct sm s = {0};
    uint64_t there;
    struct record r = fetch(1, FLOAT, LINE);
    r.mask = 0xff;                                       /* the others wait for nothing */
    unit_fetch_cycles(&config, &s, &r, 8, false, 0, &there);
    assert_int_equal(s.texture_port, 8);
    unit_fetch_cycles(&config, &s, &r, 20, true, 0, &there); /* 20 lines that L1 does not have */
    assert_int_equal(s.texture_port, 8 + 20);
}

static void one_behind_the_other(void **state)
{
    (void)state;
    struct sm s = {0};
    uint64_t there;
    struct record r = fetch(4, FLOAT, 4);
    unit_fetch_cycles(&config, &s, &r, 1, false, 10, &there);
    assert_int_equal(there, (10 + LATENCY) * T);
    unit_fetch_cycles(&config, &s, &r, 1, false, 11, &there);
    assert_int_equal(there, (18 + LATENCY) * T);
    r = fetch(0, FLOAT, LINE + 4);
    unit_fetch_cycles(&config, &s, &r, 32, false, 12, &there);
    assert_int_equal(there, (26 + TEXEL + 16 - 4) * T);
    unit_fetch_cycles(&config, &s, &r, 32, false, 100, &there);
    assert_int_equal(s.texture_port, 100 + 16);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(together), cmocka_unit_test(apart), cmocka_unit_test(one_behind_the_other)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
