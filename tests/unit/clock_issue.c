/* The queue before the unit of loads and stores, with room for two: when it has some, and who issues (clock/issue.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "clock/issue.h"

enum { WARPS = 3, MOST = 2 };

static struct turn turn[WARPS];
static uint32_t places[WARPS], age[WARPS] = {7, 5, 6};

static struct issue_queue queue_of(uint64_t a, uint64_t b, uint64_t c)
{
    struct issue_queue q = {.place = places};
    turn[0].since = a;
    turn[1].since = b;
    turn[2].since = c;
    for (uint32_t i = 0; i < WARPS; i++)
        issue_add(&q, i);
    return q;
}

static uint32_t chosen(struct issue_queue *q, uint64_t now)
{
    issue_choose(q, turn, age, MOST, now);
    return q->place[q->chosen - 1];
}

/* Accesses leave at 100, 130 and 160: the third is issued at 100, the fourth at 130. */
static void has_room(void **state)
{
    (void)state;
    struct issue_queue q = {.place = places};
    assert_int_equal(issue_room(&q, MOST), 0);
    issue_gone(&q, 100, true);
    assert_int_equal(issue_room(&q, MOST), 0);
    issue_gone(&q, 130, true);
    assert_int_equal(issue_room(&q, MOST), 100);
    assert_true(issue_all_global(&q, MOST));
    issue_gone(&q, 160, false);
    assert_int_equal(issue_room(&q, MOST), 130);
    assert_false(issue_all_global(&q, MOST));
}

/* Without a queue the first that wants to issues, and of the same time the oldest. */
static void first_comes_first(void **state)
{
    (void)state;
    struct issue_queue q = queue_of(40, 50, 45);
    assert_int_equal(issue_first(&q, turn, MOST), 40);
    assert_int_equal(chosen(&q, 60), 0);
    q = queue_of(50, 50, 50);
    assert_int_equal(chosen(&q, 60), 1);
}

/* The queue has room at 100: of those that came by then the oldest issues, not the first; one that came later does not. */
static void oldest_issues(void **state)
{
    (void)state;
    struct issue_queue q = queue_of(40, 120, 90);
    issue_gone(&q, 100, true);
    issue_gone(&q, 130, true);
    assert_int_equal(issue_first(&q, turn, MOST), 100);
    assert_int_equal(chosen(&q, 125), 2);
    issue_drop(&q, q.chosen - 1);
    assert_int_equal(q.n, 2);
    assert_int_equal(chosen(&q, 125), 0);
}

/* Who gave way issues behind the others, once; alone it goes on. */
static void gives_way(void **state)
{
    (void)state;
    struct issue_queue q = queue_of(10, 10, 10);
    q.last = 1 + 1;
    assert_int_equal(chosen(&q, 10), 2);
    issue_drop(&q, q.chosen - 1);
    assert_int_equal(chosen(&q, 10), 1);
    q = queue_of(99, 10, 99);
    q.last = 1 + 1;
    assert_int_equal(chosen(&q, 10), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(has_room), cmocka_unit_test(first_comes_first), cmocka_unit_test(oldest_issues),
                                       cmocka_unit_test(gives_way)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
