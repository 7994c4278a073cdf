/* Groups of asynchronous copies: what a warp waits for, and until when. Worked by hand; cycles of L2, ticks elsewhere. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "clock/copies.h"

enum { APART = 3, WARP = 1 /* of APART warps */, PLACE = 2 /* of its turn, that waits */ };

static struct l2_waiter all[COPY_PLACES * APART];
static struct l2_waiter *const l2 = &all[WARP];

/* A copy of the open group, of which L2 brings something: at a cycle, or (0) it has not said. */
static void copy(struct copies *c, uint64_t cycle)
{
    struct l2_waiter *w = &l2[copies_place(c) * APART];
    copies_add(c, 0);
    if (cycle)
        w->ready = later(w->ready, cycle);
    else
        w->pending++;
}

static struct copies new_copies(void)
{
    struct copies c;
    memset(all, 0, sizeof all);
    copies_begin(&c);
    return c;
}

/* Three groups, there at 500, 900 and 700: all but two are there at 500, all but one at 900; all closed ones, too. */
static void known(void **state)
{
    (void)state;
    struct copies c = new_copies();
    static const uint64_t comes[] = {500, 900, 700};
    for (int g = 0; g < 3; g++) {
        copy(&c, comes[g]);
        copies_commit(&c, l2, APART);
    }
    static const uint64_t until[] = {900, 900, 500, 0, 0};
    for (uint32_t keep = 0; keep < 5; keep++) {
        uint64_t there = 0;
        assert_true(copies_wait(&c, keep, false, PLACE, l2, APART, &there));
        assert_int_equal(there, until[keep] * PACE_TICKS);
    }
    copy(&c, 1200); /* of the group that is open: only wait_all waits for it */
    uint64_t closed = 0, open = 0;
    assert_true(copies_wait(&c, 0, false, PLACE, l2, APART, &closed));
    assert_true(copies_wait(&c, 0, true, PLACE, l2, APART, &open));
    assert_int_equal(closed, 900 * PACE_TICKS);
    assert_int_equal(open, 1200 * PACE_TICKS);
}

/* What L1 has needs no L2. */
static void from_l1(void **state)
{
    (void)state;
    struct copies c = new_copies();
    uint64_t there = 0;
    copies_add(&c, 40 * PACE_TICKS + 3);
    copies_add(&c, 30 * PACE_TICKS);
    copies_commit(&c, l2, APART);
    assert_true(copies_wait(&c, 0, false, PLACE, l2, APART, &there));
    assert_int_equal(there, 40 * PACE_TICKS + 3);
}

/* L2 says later when the first of two groups comes: who waits for that one knows then, whatever the second does. */
static void told(void **state)
{
    (void)state;
    struct copies c = new_copies();
    uint64_t there = 0;
    uint32_t place = 0;
    copy(&c, 0);
    struct l2_waiter *first = &l2[copies_place(&c) * APART];
    copies_commit(&c, l2, APART);
    copy(&c, 0);
    copies_commit(&c, l2, APART);
    assert_false(copies_wait(&c, 1, false, PLACE, l2, APART, &there));
    assert_int_equal(l2[PLACE * APART].pending, 1);
    assert_false(copies_told(&c, l2, APART, &place)); /* not yet */
    first->pending = 0;
    first->ready = 800;
    assert_true(copies_told(&c, l2, APART, &place));
    assert_int_equal(place, PLACE);
    assert_int_equal(l2[PLACE * APART].pending, 0);
    assert_int_equal(l2[PLACE * APART].ready, 800);
    assert_false(copies_told(&c, l2, APART, &place)); /* nobody waits any more */
}

/* Places are used again: what an old group brought is forgotten, and groups whose place another one has are not asked for. */
static void again(void **state)
{
    (void)state;
    struct copies c = new_copies();
    uint64_t there = 0;
    for (uint32_t g = 0; g < 3 * COPY_GROUPS; g++) {
        copy(&c, 100 + g);
        copies_commit(&c, l2, APART);
    }
    assert_true(copies_wait(&c, 2, false, PLACE, l2, APART, &there));
    assert_int_equal(there, (100 + 3 * COPY_GROUPS - 3) * PACE_TICKS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(known), cmocka_unit_test(from_l1), cmocka_unit_test(told), cmocka_unit_test(again)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
