/* Multiprocessors that are kept from launch to launch are as new (clock/sm.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "clock/sm.h"

#include <string.h>

enum { SMS = 2, SLOTS = 4, PLACES = 8, BLOCKS = 3 };

static struct caches_config config(uint32_t l1_bytes)
{
    struct caches_config c;
    memset(&c, 0, sizeof c);
    c.sms = SMS;
    c.l1_bytes = l1_bytes;
    c.l1_global = DEVICE_L1_GLOBAL_ALWAYS;
    c.constant_bytes[0] = c.constant_bytes[1] = 4096;
    c.constant_line = 64;
    c.constant_lanes = 32;
    return c;
}

/* Sectors of a line that the SM's L1 does not have. */
static unsigned missed(struct sms *of, uint32_t sm)
{
    static struct counters site;
    struct record r = {.op = RECORD_LOAD, .space = PTX_GLOBAL, .shape = RECORD_AFFINE, .stride = 4, .bytes = 4, .elem = 4, .mask = UINT32_MAX, .addr = {4096}};
    struct lines lines;
    unsigned n;
    uint64_t until = 0;
    l1_lines(of->sm[sm].l1, &r, 0, &lines);
    return l1_access(of->sm[sm].l1, &r, &lines, 0, 100, L2_NOBODY, &site, &of->queue[sm], &n, &until);
}

static void kept_ones_are_as_new(void **state)
{
    const struct caches_config c = config(16384), other = config(8192);
    struct sms first, again;
    (void)state;
    sms_take(&first, SMS, SLOTS, &c);
    sm_begin(&first, 1, PLACES, BLOCKS);
    assert_int_equal(first.sm[1].ready[PLACES - 1], SM_NEVER);
    assert_int_equal(missed(&first, 1), 4);
    assert_int_equal(missed(&first, 1), 0);
    first.sm[1].now = first.sm[1].code[2] = 5;
    first.sm[1].ready[3] = 7;
    first.sm[1].turn[3].n = 2;
    sms_give(&first);
    sms_take(&again, SMS, SLOTS, &c);
    assert_ptr_equal(again.sm, first.sm);
    sm_begin(&again, 1, 2 * PLACES, BLOCKS); /* with more room */
    assert_int_equal(again.sm[1].now, 0);
    assert_int_equal(again.sm[1].code[2], 0);
    assert_int_equal(again.sm[1].ready[3], SM_NEVER);
    assert_int_equal(again.sm[1].ready[2 * PLACES - 1], SM_NEVER);
    assert_int_equal(again.sm[1].turn[3].n, 0);
    assert_int_equal(again.queue[1].n, 0);
    assert_int_equal(missed(&again, 1), 4);
    sms_give(&again);
    sms_take(&again, SMS, SLOTS, &other); /* another L1 */
    sm_begin(&again, 1, PLACES, BLOCKS);
    assert_int_equal(missed(&again, 1), 4);
    sms_give(&again);
}

/* Two launches at a time have each its own. */
static void one_launch_has_them(void **state)
{
    const struct caches_config c = config(16384);
    struct sms one, two;
    (void)state;
    sms_take(&one, SMS, SLOTS, &c);
    sms_take(&two, SMS, SLOTS, &c);
    assert_ptr_not_equal(one.sm, two.sm);
    for (uint32_t i = 0; i < SMS; i++) {
        sm_begin(&one, i, PLACES, BLOCKS);
        sm_begin(&two, i, PLACES, BLOCKS);
    }
    sms_give(&one);
    sms_give(&two);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(kept_ones_are_as_new), cmocka_unit_test(one_launch_has_them)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
