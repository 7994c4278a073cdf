/* Fences of a multiprocessor (clock/fence.h): latency 265, one every 9 cycles, 145 more until a store is known to be done. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "clock/fence.h"

static const struct caches_config config = {.fence_latency = 265, .fence_cycles = 9, .store_latency = 145};
static struct l2_waiter waiters[4];
static struct l2_queue q;
static struct fences f;

static int begin(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++)
        waiters[i] = (struct l2_waiter){0};
    q = (struct l2_queue){.waiter = waiters};
    fences_clear(&f);
    return 0;
}

/* The waiter whose fence has its end by `now`, or -1. */
static int ended(uint64_t now)
{
    uint32_t waiter;
    return fences_end(&f, &q, &config, now, &waiter) ? (int)waiter : -1;
}

/* Nothing is on its way: 100 + 265, and the next one 9 later, though it came at the same time. */
static void alone(void **state)
{
    (void)state;
    fences_add(&f, &q, &config, 100, 2);
    fences_add(&f, &q, &config, 100, 3);
    assert_int_equal(waiters[2].pending, 1);
    assert_int_equal(ended(200), 2);
    assert_int_equal(waiters[2].pending, 0);
    assert_int_equal(waiters[2].ready, 365);
    assert_int_equal(ended(200), 3);
    assert_int_equal(waiters[3].ready, 374);
    assert_int_equal(ended(200), -1);
    assert_false(fences_forget(&f, 364));
    assert_true(fences_forget(&f, 365));
    assert_false(fences_forget(&f, 373));
    assert_true(fences_forget(&f, 500));
    assert_false(fences_forget(&f, 1000));
}

/* L2 has done a store at 120: known at 265, 265 more. A fence that comes meanwhile begins its wait at 265, for a store that was done at 300 by then:
 * 300 + 145 + 265. It is not known before L2 has served all up to 265. */
static void behind_stores(void **state)
{
    (void)state;
    q.stores.last = 120;
    fences_add(&f, &q, &config, 100, 0);
    fences_add(&f, &q, &config, 150, 1);
    assert_int_equal(ended(200), 0);
    assert_int_equal(waiters[0].ready, 120 + 145 + 265);
    assert_int_equal(ended(264), -1);
    q.stores.last = 300;
    assert_int_equal(ended(280), 1);
    assert_int_equal(waiters[1].ready, 300 + 145 + 265);
}

/* Reductions are known to be done at once; what has been loaded is waited for. */
static void behind_others(void **state)
{
    (void)state;
    q.reductions.last = 400;
    fences_add(&f, &q, &config, 100, 0);
    assert_int_equal(ended(200), 0);
    assert_int_equal(waiters[0].ready, 400 + 265);
    q.answered = 900;
    fences_add(&f, &q, &config, 500, 1);
    assert_int_equal(ended(600), 1);
    assert_int_equal(waiters[1].ready, 900 + 265);
}

/* Its waiter waits for something else, too: that tells it. */
static void not_the_last(void **state)
{
    (void)state;
    waiters[0].pending = 1;
    fences_add(&f, &q, &config, 100, 0);
    assert_int_equal(ended(200), -1);
    assert_int_equal(waiters[0].pending, 1);
    assert_int_equal(waiters[0].ready, 365);
}

static int end(void **state)
{
    (void)state;
    fences_release(&f);
    f = (struct fences){0};
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(alone, begin, end), cmocka_unit_test_setup_teardown(behind_stores, begin, end),
                                       cmocka_unit_test_setup_teardown(behind_others, begin, end), cmocka_unit_test_setup_teardown(not_the_last, begin, end)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
