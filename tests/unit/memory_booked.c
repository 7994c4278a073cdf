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
    struct booked *b = alloc_aligned(64, sizeof *b);
    assert_int_equal(booked_take(b, 0, 100, 50), 150);
    assert_int_equal(booked_take(b, 0, 120, 50), 200);             /* right behind it */
    assert_int_equal(booked_take(b, 0, 1000, 10), 1010);           /* idle before */
    assert_int_equal(booked_take(b, 0, 1010, 2 * SPAN), 1010 + 2 * SPAN); /* over spans */
    assert_int_equal(booked_take(b, 0, 1010, 1), 1011 + 2 * SPAN);
    alloc_release(b);
}

/* What is asked for later and for an earlier time does not wait for what is booked for a later one. */
static void before_others(void **state)
{
    (void)state;
    struct booked *b = alloc_aligned(64, sizeof *b);
    assert_int_equal(booked_take(b, 0, 10 * SPAN, SPAN), 11 * SPAN);
    assert_int_equal(booked_take(b, 0, 100, 50), 150);
    assert_int_equal(booked_take(b, 0, 9 * SPAN + 10, 2 * SPAN), 12 * SPAN + 10); /* around it */
    assert_int_equal(booked_take(b, 0, 9 * SPAN, 1), 12 * SPAN + 11);
    alloc_release(b);
}

/* Full spans are passed at once, wherever they begin; those over are forgotten. */
static void full(void **state)
{
    (void)state;
    struct booked *b = alloc_aligned(64, sizeof *b);
    for (uint64_t i = 0; i < 300; i++)
        assert_int_equal(booked_take(b, 0, 5 * SPAN, SPAN), (6 + i) * SPAN);
    assert_int_equal(booked_take(b, 0, 6 * SPAN, 1), 305 * SPAN + 1);
    assert_int_equal(booked_take(b, 0, 0, 1), 1);
    assert_int_equal(booked_take(b, 100 * SPAN, 100 * SPAN, 1), 305 * SPAN + 2);
    assert_int_equal(b->full, 305);
    assert_int_equal(booked_take(b, 0, 5000 * SPAN, 3), 5000 * SPAN + 3);
    assert_int_equal(booked_take(b, 0, 305 * SPAN, 3), 305 * SPAN + 5);
    alloc_release(b);
}

/* The same as a table of whole numbers says, for requests at random, near and far, some of which are late, with the time going on by little and by much. */
static void as_whole_numbers(void **state)
{
    static struct { uint64_t number, taken; } span[BOOKED_ROOM];
    struct booked *b = alloc_aligned(64, sizeof *b);
    uint64_t now = 0, full = 0, lot = 1;
    (void)state;
    for (int i = 0; i < 400000; i++) {
        lot = lot * 6364136223846793005u + 1442695040888963407u;
        const uint64_t far = lot >> 60 ? 1 : 40, is = now > 9 * SPAN && lot % 32 == 0 ? now - 9 * SPAN : now, time = is + (lot >> 33) % (far * 64 * SPAN), units = 1 + (lot >> 20) % (lot >> 58 ? 300 : 3 * SPAN);
        full = is / SPAN > full ? is / SPAN : full;
        uint64_t at = time / SPAN > full ? time / SPAN : full, left = units, done = 0;
        for (; !done; at++) {
            if (span[at % BOOKED_ROOM].number > at)
                continue;
            if (span[at % BOOKED_ROOM].number < at) {
                span[at % BOOKED_ROOM].number = at;
                span[at % BOOKED_ROOM].taken = 0;
            }
            uint64_t *taken = &span[at % BOOKED_ROOM].taken, from = time > at * SPAN + *taken ? time - at * SPAN : *taken;
            if (left <= SPAN - from)
                done = at * SPAN + (*taken = from + left);
            else {
                left -= SPAN - from;
                *taken = SPAN;
            }
        }
        assert_int_equal(booked_take(b, is, time, units), done);
        now += i % 50000 == 0 ? (uint64_t)SPAN << (20 + i / 50000) : (lot >> 40) % (i / 25000 % 2 ? 2000 : 100);
    }
    alloc_release(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(in_order), cmocka_unit_test(before_others), cmocka_unit_test(full), cmocka_unit_test(as_whole_numbers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
