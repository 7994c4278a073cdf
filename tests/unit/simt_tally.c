/* Tallies of accesses: what the model is given for accesses that were told by numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "simt/tally.h"

static struct {
    struct record record;
    uint64_t times;
} taken[8];
static int ntaken;

static void take(void *taker, const struct record *r, uint64_t times)
{
    assert_ptr_equal(taker, &ntaken);
    assert_true(ntaken < 8);
    taken[ntaken].record = *r;
    taken[ntaken++].times = times;
}

/* The address of a lane above the place, a multiple of 64 KiB, that tallies count from. */
static int64_t at(int i, int lane)
{
    return (int64_t)(taken[i].record.addr[lane] % 65536);
}

/* Two instructions: words side by side, and the same of two halves of the warp. */
static struct exec_counts fresh(void)
{
    struct exec_counts c = {.take = take, .taker = &ntaken, .tally = tally_new(2, true)};
    ntaken = 0;
    for (int i = 0; i < WARP_LANES; i++) {
        c.tally->site[0].above[i] = 4 * (uint64_t)i;
        c.tally->site[1].above[i] = 4 * (uint64_t)(i % 16);
    }
    c.tally->site[0].record.site = 7;
    c.tally->site[1].record.site = 9;
    c.tally->site[1].halved = 1;
    return c;
}

static void whole_warps_by_their_remainder(void **state)
{
    (void)state;
    struct exec_counts c = fresh();
    c.tally->slots[0].times[32] = 5;
    c.tally->slots[0].times[124] = 1;
    tally_end(&c);
    assert_null(c.tally);
    assert_int_equal(ntaken, 2);
    assert_int_equal(taken[0].times, 5);
    assert_int_equal(taken[0].record.site, 7);
    assert_int_equal(taken[0].record.mask, UINT32_MAX);
    assert_int_equal(taken[0].record.shape, RECORD_EXPLICIT);
    assert_int_equal(at(0, 0), 32);
    assert_int_equal(at(0, 31), 32 + 124);
    assert_int_equal(taken[1].times, 1);
    assert_int_equal(at(1, 0), 124);
}

/* As machine code does: a number, if it is of such accesses; else by a call. */
static void access_at(struct exec_counts *c, int i, uint32_t lanes, uint64_t low, uint64_t second)
{
    struct tally_pattern *p = &c->tally->pattern[i * TALLY_PATTERNS + (int)tally_pattern_of(lanes, low % TALLY_SLOTS)];
    struct tally_slots *s = &c->tally->slots[i];
    uint64_t lowest[2] = {low, second}, apart = c->tally->site[i].halved ? second - low : 0;
    if (lanes == UINT32_MAX && s->apart[0] == apart)
        s->times[low % TALLY_SLOTS]++;
    else if (lanes != UINT32_MAX && p->key == ((uint64_t)lanes << 32 | low % TALLY_SLOTS) && p->apart[0] == apart)
        p->times++;
    else
        tally_shape(c, i, lanes, lowest, 1);
}

static void others_by_their_pattern(void **state)
{
    (void)state;
    struct exec_counts c = fresh();
    for (int n = 0; n < 3; n++)
        access_at(&c, 0, 0xff, 4096 + 128 * (uint64_t)n, 0);
    for (int n = 0; n < 2; n++)
        access_at(&c, 1, 0xffff00ff, 8192 + 64, 12288);
    assert_int_equal(ntaken, 0);
    access_at(&c, 1, 0xffff00ff, 8192 + 64, 8192); /* other halves in the same place: what was there is kept elsewhere */
    assert_int_equal(ntaken, 0);
    assert_int_equal(c.tally->nmet, 1);
    tally_end(&c);
    assert_int_equal(ntaken, 3);
    assert_int_equal(taken[0].record.site, 9);
    assert_int_equal(taken[0].times, 2);
    assert_int_equal(at(0, 0), 64);
    assert_int_equal(at(0, 15), 64 + 60);
    assert_int_equal(at(0, 16), 64 + 4032);
    assert_int_equal(at(0, 31), 64 + 4032 + 60);
    assert_int_equal(taken[1].record.site, 7);
    assert_int_equal(taken[1].times, 3);
    assert_int_equal(taken[1].record.mask, 0xff);
    assert_int_equal(at(1, 7), 28);
    assert_int_equal(taken[2].times, 1);
    assert_int_equal(at(2, 16), 0);
}

/* Groups of a whole warp 4032 bytes apart have slots, until there have been 8 others, which have patterns up to then. */
static void whole_warps_of_groups(void **state)
{
    (void)state;
    struct exec_counts c = fresh();
    for (int n = 0; n < 5; n++)
        access_at(&c, 1, UINT32_MAX, 64, 4096);
    assert_int_equal(c.tally->slots[1].times[64], 5);
    for (int n = 0; n < 9; n++)
        access_at(&c, 1, UINT32_MAX, 64, 8192);
    assert_int_equal(c.tally->nmet, 1);
    assert_int_equal(c.tally->slots[1].times[64], 2);
    tally_shape(&c, 1, UINT32_MAX, (uint64_t[]){0, 64}, 4);
    tally_end(&c);
    assert_int_equal(ntaken, 4);
    const uint64_t times[] = {5, 2, 4, 7}, second[] = {64 + 4032, 64 + 8128, 64, 64 + 8128};
    for (int n = 0; n < 4; n++) {
        assert_int_equal(taken[n].record.mask, UINT32_MAX);
        assert_int_equal(taken[n].times, times[n]);
        assert_int_equal(at(n, 16), second[n]);
    }
}

/* Words by the first lanes have numbers of their own, whatever else is met in between; others have patterns. */
static void words_by_the_first_lanes(void **state)
{
    (void)state;
    struct exec_counts c = fresh();
    for (int n = 0; n < 3; n++) {
        tally_shape(&c, 0, 0x1f, (uint64_t[]){4096 + 68}, 2);
        tally_shape(&c, 0, 0x7ff, (uint64_t[]){4096 + 68}, 1);
        tally_shape(&c, 0, 0x1f, (uint64_t[]){4096 + 70}, 1); /* not at a word */
        tally_shape(&c, 0, UINT32_MAX, (uint64_t[]){4096}, 1);
    }
    assert_int_equal(c.tally->nmet, 0);
    assert_int_equal(c.tally->slots[0].first[5][17], 6);
    tally_end(&c);
    assert_int_equal(ntaken, 4);
    const uint32_t masks[] = {0x1f, 0x7ff, UINT32_MAX, 0x1f};
    const uint64_t times[] = {6, 3, 3, 3}, lowest[] = {68, 68, 0, 70};
    for (int n = 0; n < 4; n++) {
        assert_int_equal(taken[n].record.mask, masks[n]);
        assert_int_equal(taken[n].times, times[n]);
        assert_int_equal(at(n, 0), lowest[n]);
    }
}

static uint64_t times_of[1 << 16]; /* by lanes */

static void add_up(void *taker, const struct record *r, uint64_t times)
{
    (void)taker;
    assert_int_equal(r->site, 7);
    times_of[r->mask] += times;
}

/* More patterns than the table of displaced ones holds, in turns: each is taken as often as it was met. */
static void displaced_patterns(void **state)
{
    enum { PATTERNS = 3 << (TALLY_MET_BITS - 1), ROUNDS = 3 };
    (void)state;
    struct exec_counts c = fresh();
    c.take = add_up;
    for (int round = 0; round < ROUNDS; round++)
        for (uint32_t lanes = 1; lanes <= PATTERNS; lanes++)
            for (uint32_t i = 0; i <= lanes % 2; i++)
                access_at(&c, 0, lanes, 4096, 0);
    tally_end(&c);
    for (uint32_t lanes = 1; lanes <= PATTERNS; lanes++)
        assert_int_equal(times_of[lanes], ROUNDS * (1 + lanes % 2));
}

static void any_when_the_row_is_taken(void **state)
{
    (void)state;
    struct exec_counts c = fresh();
    c.tally->site[1].record.bytes = 4;
    for (uint32_t i = 0; i < 2; i++) {
        struct record *r = &c.tally->access[c.tally->waiting++].record;
        r->site = i; /* of the tally */
        r->mask = 8 + i;
        r->shape = RECORD_EXPLICIT;
        r->unchanged = 3 * i;
        r->addr[3] = 77 + i;
    }
    assert_int_equal(ntaken, 0);
    tally_take_waiting(&c);
    assert_int_equal(c.tally->waiting, 0);
    assert_int_equal(ntaken, 2);
    assert_int_equal(taken[0].times, 1);
    assert_int_equal(taken[0].record.site, 7);
    assert_int_equal(taken[0].record.mask, 8);
    assert_int_equal(taken[0].record.addr[3], 77);
    assert_int_equal(taken[1].record.site, 9);
    assert_int_equal(taken[1].record.mask, 9);
    assert_int_equal(taken[1].record.addr[3], 78);
    assert_int_equal(taken[1].record.bytes, 4);
    assert_int_equal(taken[1].record.unchanged, 3);
    assert_int_equal(taken[1].record.shape, RECORD_EXPLICIT);
    struct record *last = &c.tally->access[c.tally->waiting++].record;
    *last = (struct record){.site = 0, .mask = 1, .shape = RECORD_UNIFORM, .addr = {5}};
    tally_end(&c); /* takes what waits */
    assert_int_equal(ntaken, 3);
    assert_int_equal(taken[2].record.site, 7);
    assert_int_equal(taken[2].record.shape, RECORD_UNIFORM);
    assert_int_equal(taken[2].record.addr[0], 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_warps_by_their_remainder),
        cmocka_unit_test(others_by_their_pattern), cmocka_unit_test(whole_warps_of_groups), cmocka_unit_test(words_by_the_first_lanes),
        cmocka_unit_test(displaced_patterns),
        cmocka_unit_test(any_when_the_row_is_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
