/* What L2, the ways to it and DRAM do at a time (memory/rates.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "memory/rates.h"

enum { CYCLE = 256 };

/* One slice of two that takes 2 cycles a sector read and 3 a sector written; ports of 1, 4 and 2 cycles a sector; DRAM: 10 cycles a unit read, 20 written,
 * and 8 more where both are mixed evenly. */
static const struct caches_config config = {
    .sms = 2, .gpcs = 1, .l2_slices = 1, .l2_slice_cycles = 2 * CYCLE, .l2_write_cycles = 3 * CYCLE, .l2_request_cycles = CYCLE, .sm_read_cycles = 4 * CYCLE,
    .gpc_read_cycles = CYCLE, .gpc_write_cycles = 2 * CYCLE, .store_again = 11 * CYCLE, .atomic_word = 5 * CYCLE, .atomic_word_float = 9 * CYCLE, .atomic_sector = 2 * CYCLE,
    .atomic_sector_slow = 7 * CYCLE, .store_sector_cycles = 1, .store_part_cycles = 1, .red_line_cycles = 1, .dram_channels = 1, .dram_channel_cycles = 10 * CYCLE,
    .dram_write_cycles = 20 * CYCLE, .dram_turn_cycles = 8 * CYCLE};

/* L2 is done with a request that has come at `time`. */
static uint64_t at_slice(struct rates *r, const struct l2_request *of, uint64_t time)
{
    uint64_t chained;
    const uint64_t done = rates_slice(r, of, rates_slice_of(r, of), rates_chain(r, of, time, &chained));
    return done > chained ? done : chained;
}

static void slices(void **state)
{
    (void)state;
    struct rates *r = rates_new(&config);
    assert_int_equal(at_slice(r, &(struct l2_request){.line = 7, .sectors = 0xf}, 100), 108);
    assert_int_equal(at_slice(r, &(struct l2_request){.line = 8, .sectors = 0x1}, 100), 110); /* behind it */
    struct l2_request q = {.line = 9, .sectors = 0x3, .op = L2_WRITE};
    assert_int_equal(at_slice(r, &q, 200), 206);
    q.bytes = 1; /* does not fill its sectors: one of 3 cycles, and 11 until the next one to the same */
    q.sectors = 0x1;
    assert_int_equal(at_slice(r, &q, 300), 303);
    assert_int_equal(at_slice(r, &q, 300), 314);
    assert_int_equal(at_slice(r, &q, 300), 325);
    rates_free(r);
}

static uint64_t atomic(unsigned sectors, unsigned lanes, unsigned same, unsigned kind)
{
    struct rates *r = rates_new(&config);
    const struct l2_request q = {.sectors = (uint8_t)sectors, .lanes = (uint8_t)lanes, .same = (uint8_t)same, .op = L2_ATOMIC, .atomic = (uint8_t)kind};
    const uint64_t at = at_slice(r, &q, 1000);
    rates_free(r);
    return at - 1000;
}

static void atomics(void **state)
{
    (void)state;
    assert_int_equal(atomic(1, 1, 1, 0), 5);
    assert_int_equal(atomic(0xf, 4, 1, 0), 5 + 3 * 2);            /* words of each sector: the others follow faster */
    assert_int_equal(atomic(0xf, 4, 1, L2_ATOMIC_SLOW), 4 * 7);   /* doubles */
    assert_int_equal(atomic(1, 32, 32, 0), 32 * 5);                /* all for one word */
    assert_int_equal(atomic(1, 32, 32, L2_ATOMIC_FLOAT), 32 * 9);
    assert_int_equal(atomic(0xf, 32, 8, L2_ATOMIC_FLOAT), 5 + 3 * 2 + 28 * 5); /* 8 sums of a word, one after the other, take less */
}

/* Sums of floats in a word wait for each other, those in other words of its slice do not wait for them. */
static void chains(void **state)
{
    (void)state;
    struct rates *r = rates_new(&config);
    struct l2_request q = {.sectors = 1, .lanes = 10, .same = 10, .op = L2_ATOMIC, .atomic = L2_ATOMIC_FLOAT};
    assert_int_equal(at_slice(r, &q, 0), 10 * 9);  /* the slice: until 10 * 5 */
    q.word = 3;
    assert_int_equal(at_slice(r, &q, 0), 100);     /* the slice: from 50 on; the word: until 90 */
    q.word = 0;
    assert_int_equal(at_slice(r, &q, 0), 2 * 10 * 9);
    rates_free(r);
}

/* Of two slices: what all of L2 has to do for a sum, and its own slice does not, the other one does meanwhile. Here 5 cycles and 3 (with an answer 7) more. */
static void halves(void **state)
{
    (void)state;
    struct caches_config two = config;
    two.l2_slices = 2;
    two.red_sector_cycles = 8 * CYCLE;
    two.atom_sector_cycles = 12 * CYCLE;
    two.red_word_cycles = 6 * CYCLE;
    struct rates *r = rates_new(&two);
    const struct l2_request sum = {.sectors = 1, .lanes = 1, .op = L2_ATOMIC}, value = {.sectors = 1, .lanes = 1, .op = L2_ATOMIC, .atomic = L2_ATOMIC_ANSWERS};
    const struct l2_request ten = {.sectors = 1, .lanes = 10, .op = L2_ATOMIC};
    assert_int_equal(rates_slices_of(r, 0), rates_slices_of(r, 1));
    assert_int_equal(rates_slice(r, &sum, 0, 0), 5);
    assert_int_equal(rates_slice(r, &sum, 0, 0), 10);
    assert_int_equal(rates_slice(r, &sum, 1, 0), 10 + 3); /* its own: 2 * 3 + 5, behind what the two have left there */
    assert_int_equal(rates_slice(r, &value, 0, 0), 13 + 5); /* the other one: 11 + 7 */
    assert_int_equal(rates_slice(r, &ten, 0, 18), 18 + 10 * 5); /* the other one: 12 */
    rates_free(r);
}

static void ports(void **state)
{
    (void)state;
    struct rates *r = rates_new(&config);
    const struct l2_request whole = {.time = 100, .sectors = 0xf, .op = L2_WRITE}, part = {.time = 100, .sectors = 0x1, .op = L2_WRITE, .bytes = 1};
    const struct l2_request one = {.time = 50, .sectors = 0x1}, two = {.time = 50, .sectors = 0x3};
    assert_int_equal(rates_return(r, 0, &two, 50), 50 + 2);
    assert_int_equal(rates_return(r, 0, &one, 50), 50 + 3); /* behind it at the GPC's port */
    assert_int_equal(rates_answer(r, 0, &two, 52), 52 + 8);
    assert_int_equal(rates_answer(r, 1, &one, 52), 52 + 4); /* another multiprocessor: the same data go to both at once */
    assert_int_equal(rates_send(r, 0, 0, &whole), 100 + 4 + 8);
    assert_int_equal(rates_send(r, 0, 0, &part), 100 + 12 + 2); /* ready at 106 */
    rates_free(r);
}

static void dram(void **state)
{
    (void)state;
    struct rates *r = rates_new(&config);
    assert_int_equal(rates_dram(r, rates_channel_of(r, 1), 1, 3, DRAM_READ, 0, 0), 30);
    uint64_t at = 0;
    for (int i = 0; i < 400; i++)
        at = rates_dram(r, rates_channel_of(r, 1), 1, 1, i % 2 ? DRAM_WRITE : DRAM_READ, 0, 0);
    const uint64_t before = at;
    for (int i = 0; i < 400; i++)
        at = rates_dram(r, rates_channel_of(r, 1), 1, 1, i % 2 ? DRAM_WRITE : DRAM_READ, 0, 0);
    assert_true(at - before > 200 * (10 + 20 + 2 * 7) && at - before <= 200 * (10 + 20 + 2 * 8)); /* half of them are writes */
    rates_free(r);
}

/* A visit of a piece of two lines takes 25 cycles at least (of one that is written 40), and a unit 10 (20); one channel. */
static void visits(void **state)
{
    (void)state;
    struct caches_config rows = config;
    rows.dram_channels = 1;
    rows.dram_turn_cycles = 0;
    rows.dram_piece_lines = 2;
    rows.dram_visit_cycles = 25 * 256;
    rows.dram_visit_write_cycles = 40 * 256;
    struct rates *r = rates_new(&rows);
    assert_int_equal(rates_channel_of(r, 6), rates_channel_of(r, 7));
    assert_int_equal(rates_dram(r, 0, 6, 1, DRAM_READ, 0, 0), 25);
    assert_int_equal(rates_dram(r, 0, 7, 1, DRAM_READ, 0, 0), 25);      /* the other line, in the time of the visit */
    assert_int_equal(rates_dram(r, 0, 7, 1, DRAM_READ, 0, 0), 25 + 5);  /* three units take longer than that */
    assert_int_equal(rates_dram(r, 0, 6, 1, DRAM_READ, 0, 0), 25 + 15);
    assert_int_equal(rates_dram(r, 0, 6, 1, DRAM_WRITE, 0, 0), 40 + 40);  /* written: a visit of its own */
    assert_int_equal(rates_dram(r, 0, 8, 4, DRAM_READ, 0, 0), 80 + 40); /* as long as its bytes take */
    assert_int_equal(rates_dram(r, 0, 10, 1, DRAM_READ, 0, 0), 120 + 25);
    assert_int_equal(rates_dram(r, 0, 12, 1, DRAM_FILL, 0, 0), 145 + 25);
    assert_int_equal(rates_dram(r, 0, 12, 1, DRAM_WRITE, 0, 0), 170 + 40);
    assert_int_equal(rates_dram(r, 0, 13, 1, DRAM_FILL, 0, 0), 210 + 10); /* was read with the other line */
    assert_int_equal(rates_dram(r, 0, 14, 4, DRAM_WRITE, 0, 0), 220 + 80);
    uint64_t at = 300;
    for (uint64_t piece = 10; piece < 1010; piece++)
        at = rates_dram(r, 0, 2 * piece, 1, DRAM_READ, 0, 0);
    assert_int_equal(at, 300 + 1000 * 25);
    assert_int_equal(rates_dram(r, 0, 6, 1, DRAM_READ, 0, 0), at + 25); /* long ago */
    rates_free(r);
}

/* Of 64 channels each gets its share of successive lines, wherever they begin: the last one is done when all are. */
static void channels(void **state)
{
    (void)state;
    struct caches_config many = config;
    many.dram_channels = 64;
    for (uint64_t first = 0; first < 100000; first += 33333) {
        struct rates *r = rates_new(&many);
        uint64_t last = 0;
        for (uint64_t line = first; line < first + 10240; line++) {
            const uint64_t at = rates_dram(r, rates_channel_of(r, line), line, 1, DRAM_READ, 0, 0);
            last = at > last ? at : last;
        }
        assert_in_range(last, 10240 / 64 * 10, (10240 / 64 + 4) * 10);
        rates_free(r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(slices), cmocka_unit_test(atomics), cmocka_unit_test(chains), cmocka_unit_test(halves), cmocka_unit_test(ports), cmocka_unit_test(dram),
        cmocka_unit_test(visits), cmocka_unit_test(channels)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
