/* Servers that are booked in any order (memory/booked.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "memory/booked.h"

enum { SPAN = 1 << BOOKED_SHIFT };

static void in_order(void **state)
{
    (void)state;
    struct booked *b = alloc_zeroed(sizeof *b);
    assert_int_equal(booked_take(b, 100, 50), 150);
    assert_int_equal(booked_take(b, 120, 50), 200);             /* right behind it */
    assert_int_equal(booked_take(b, 1000, 10), 1010);           /* idle before */
    assert_int_equal(booked_take(b, 1010, 2 * SPAN), 1010 + 2 * SPAN); /* over spans */
    assert_int_equal(booked_take(b, 1010, 1), 1011 + 2 * SPAN);
    alloc_release(b);
}

/* What is asked for later and for an earlier time does not wait for what is booked for a later one. */
static void before_others(void **state)
{
    (void)state;
    struct booked *b = alloc_zeroed(sizeof *b);
    assert_int_equal(booked_take(b, 10 * SPAN, SPAN), 11 * SPAN);
    assert_int_equal(booked_take(b, 100, 50), 150);
    assert_int_equal(booked_take(b, 9 * SPAN + 10, 2 * SPAN), 12 * SPAN + 10); /* around it */
    assert_int_equal(booked_take(b, 9 * SPAN, 1), 12 * SPAN + 11);
    alloc_release(b);
}

/* Full spans are passed at once, wherever they begin; those over are forgotten. */
static void full(void **state)
{
    (void)state;
    struct booked *b = alloc_zeroed(sizeof *b);
    for (uint64_t i = 0; i < 300; i++)
        assert_int_equal(booked_take(b, 5 * SPAN, SPAN), (6 + i) * SPAN);
    assert_int_equal(booked_take(b, 6 * SPAN, 1), 305 * SPAN + 1);
    assert_int_equal(booked_take(b, 0, 1), 1);
    booked_now(b, 100 * SPAN);
    assert_int_equal(booked_take(b, 100 * SPAN, 1), 305 * SPAN + 2);
    assert_int_equal(b->full, 305);
    assert_int_equal(booked_take(b, 5000 * SPAN, 3), 5000 * SPAN + 3);
    assert_int_equal(booked_take(b, 305 * SPAN, 3), 305 * SPAN + 5);
    alloc_release(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(in_order), cmocka_unit_test(before_others), cmocka_unit_test(full)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
