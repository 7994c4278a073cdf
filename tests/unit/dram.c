/* DRAM: places of addresses, rows, banks, the order of accesses, and the time of the bus, with numbers computed by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/diag.h"
#include "memory/dram.h"

enum { LINE = 128, ALL = 0xf };

/* One channel, lines of one burst each so to say: a line is 4 bursts of 250 ps. Rows of 256 bytes: two lines. */
static struct dram_spec small(uint32_t banks)
{
    return (struct dram_spec){.channels = 1, .banks = banks, .groups = 1, .row_bytes = 256, .burst_bytes = 32, .interleave = 128,
                              .wait = 1 << 30, .burst = 250, .rcd = 5000, .rp = 11000, .ras = 10000, .rc = 21000};
}

struct run {
    struct dram *d;
    struct counters site[2];
    struct dram_stats stats;
};

static void begin(struct run *r, struct dram_spec s)
{
    memset(r, 0, sizeof *r);
    r->d = dram_new(&s);
}

static void at(struct run *r, uint64_t address, unsigned sectors, bool write, uint32_t site, uint64_t time)
{
    struct dram_asker by = {r->site, site, time};
    const struct dram_place place = dram_place_of(r->d, address / LINE);
    dram_access(r->d, &place, sectors, write, &by);
}

static void end(struct run *r)
{
    dram_finish(r->d, r->site);
    dram_stats_of(r->d, &r->stats);
    dram_free(r->d);
}

static uint64_t n(const struct run *r, enum counter c)
{
    return r->site[0].v[c] + r->site[1].v[c];
}

/* --- places --- */

/* 6 channels, 2 groups of 2 banks, rows of 512 bytes (2 pieces): piece k of a channel is in group k % 2; pieces 0, 2 are row 0
 * of bank 0, pieces 1, 3 of bank 1, pieces 4, 6 of bank 2, and piece 8 is row 1 of bank 0. */
static void one_after_the_other(void **state)
{
    struct dram_spec s = {.channels = 6, .banks = 4, .groups = 2, .row_bytes = 512, .interleave = 256};
    static const struct { uint32_t piece, bank, row; } want[] = {{0, 0, 0}, {1, 1, 0}, {2, 0, 0}, {3, 1, 0}, {4, 2, 0}, {5, 3, 0},
                                                                 {6, 2, 0}, {8, 0, 1}, {15, 3, 1}};
    (void)state;
    for (uint32_t channel = 0; channel < 6; channel++)
        for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
            struct dram_place p = dram_place(&s, (want[i].piece * 6 + channel) * 256 + 255);
            assert_int_equal(p.channel, channel);
            assert_int_equal(p.bank, want[i].bank);
            assert_int_equal(p.row, want[i].row);
        }
}

/* Hashed: still every channel once in each turn, no two addresses in one place, and a stride that is one channel without the hash
 * meets nearly all: of 188 channels, 1,000 accesses a turn apart leave some 188 * exp(-1000 / 188) = 1 out. */
static void hashed(void **state)
{
    struct dram_spec s = {.channels = 188, .banks = 16, .groups = 4, .row_bytes = 1024, .interleave = 256, .hashed = true};
    static uint8_t seen[188 * 16 * 4 * 4]; /* channel, bank, row below 4: pieces */
    unsigned met = 0;
    bool channel[188] = {false};
    (void)state;
    for (uint32_t i = 0; i < sizeof seen; i++) {
        struct dram_place p = dram_place(&s, (uint64_t)i * 256);
        assert_in_range(p.channel, 0, 187);
        assert_in_range(p.bank, 0, 15);
        assert_in_range(p.row, 0, 3);
        if (i % 188 == 0)
            memset(channel, 0, sizeof channel);
        assert_false(channel[p.channel]);
        channel[p.channel] = true;
        seen[(p.channel * 16 + p.bank) * 4 + p.row]++;
    }
    for (size_t i = 0; i < sizeof seen / 4; i++)
        assert_int_equal(seen[i], 4); /* pieces of a row */
    memset(channel, 0, sizeof channel);
    for (uint64_t i = 0; i < 1000; i++) {
        struct dram_place p = dram_place(&s, i * 188 * 256);
        met += !channel[p.channel];
        channel[p.channel] = true;
    }
    assert_in_range(met, 180, 188);
}

/* --- rows --- */

/* Rows of two lines, one bank. Lines 0, 1 (row 0), 2 (row 1), 3 (row 1), 0 again. The first access's latency is not counted.
 * Data of 1,000 ps a line: 0 to 2,000; row 1 can be opened when row 0 was closed (11,000) after the last access: line 1's command
 * at 1,000 (no tCL) and its last burst at once (no tCCD): closed from 1,000, open at 12,000, data at 17,000 to 19,000. Row 0
 * again: row 1 stays open for 10,000, to 22,000, closing takes 11,000, opening 5,000: data at 38,000 to 39,000. But a window of
 * 64 sees all five at once: the last access goes behind line 1, its row is still open. */
static void hits_and_conflicts(void **state)
{
    struct run r;
    (void)state;
    for (int in_order = 0; in_order < 2; in_order++) {
        struct dram_spec s = small(1);
        s.wait = in_order ? 0 : 1000;
        begin(&r, s);
        static const uint64_t line[] = {0, 1, 2, 3, 0};
        for (int i = 0; i < 5; i++)
            at(&r, line[i] * LINE, ALL, false, i == 4, 100 * (uint64_t)i);
        end(&r);
        assert_int_equal(n(&r, COUNTER_DRAM_ROW_CLOSED), 1);
        assert_int_equal(n(&r, COUNTER_DRAM_ROW_CONFLICTS), in_order ? 2 : 1);
        assert_int_equal(n(&r, COUNTER_DRAM_ROW_HITS), in_order ? 2 : 3);
        assert_int_equal(r.site[1].v[COUNTER_DRAM_ROW_HITS], !in_order); /* the last one's */
        assert_int_equal(n(&r, COUNTER_DRAM_DATA_PS), 5000);
        assert_int_equal(n(&r, COUNTER_DRAM_BUSY_PS), in_order ? 39000 : 20000);
        assert_int_equal(r.stats.busiest_ps, n(&r, COUNTER_DRAM_BUSY_PS));
        assert_int_equal(r.stats.bytes[0], 5 * LINE);
        assert_int_equal(r.stats.bank_accesses, 5);
        dram_stats_release(&r.stats);
    }
}

/* The seed's figure. Getting data out of the cells takes 20 times as long as moving them over the bus: a bank is busy for
 * 21,000 ps with each access of another row, of which the bus is busy for 1,000. Each of `banks` banks in turn, `rounds` times: a
 * further round takes 21,000 ps, or 1,000 a bank if that is more: the bus is full from 21 banks on, with fewer it is banks / 21. */
static uint64_t bank_rounds(uint32_t banks, int rounds)
{
    struct run r;
    begin(&r, small(banks));
    for (int i = 0; i < rounds; i++)
        for (uint32_t b = 0; b < banks; b++)
            at(&r, ((uint64_t)i * banks + b) * 256, ALL, false, 0, 0);
    end(&r);
    assert_int_equal(n(&r, COUNTER_DRAM_ROW_CLOSED), banks);
    assert_int_equal(n(&r, COUNTER_DRAM_ROW_CONFLICTS), banks * (uint32_t)(rounds - 1));
    assert_int_equal(n(&r, COUNTER_DRAM_DATA_PS), banks * (uint64_t)rounds * 1000);
    assert_int_equal(r.stats.bank_accesses, rounds);
    uint64_t took = r.stats.busiest_ps;
    dram_stats_release(&r.stats);
    return took;
}

static void banks_that_fill_the_bus(void **state)
{
    (void)state;
    for (uint32_t banks = 1; banks <= 32; banks++) {
        uint64_t more = bank_rounds(banks, 120) - bank_rounds(banks, 20);
        assert_int_equal(more, 100 * 1000 * (banks < 21 ? 21 : banks));
    }
}

/* Two groups of two banks, one row each; 4 bursts of 250 ps are 1,000 on the bus, and 2,000 for their group (tCCD 500). All in one
 * group: the bus is half full. In two: full. Every bank's row is open from the first access on. */
static void bank_groups(void **state)
{
    (void)state;
    for (uint32_t step = 1; step <= 2; step++) { /* pieces of a row: of groups 0 and 1 in turn, or of 0 only */
        struct run r;
        struct dram_spec s = small(4);
        s.groups = 2;
        s.ccd_l = 500;
        s.row_bytes = 1 << 16;
        begin(&r, s);
        for (uint64_t i = 0; i < 100; i++)
            at(&r, i * step * LINE, ALL, false, 0, 0);
        end(&r);
        assert_int_equal(n(&r, COUNTER_DRAM_ROW_HITS), 100 - 2 / step);
        assert_int_equal(r.stats.busiest_ps, step == 1 ? 100000 : 99 * 2000 + 1000);
        dram_stats_release(&r.stats);
    }
}

/* Rows are opened no faster than one in tRRD, and four in tFAW: 2 ns after each other, or 4 with a tFAW of 16. Each access is another
 * row of one of 64 banks, its data 1,000 ps. */
static void rate_of_openings(void **state)
{
    (void)state;
    for (int faw = 0; faw < 2; faw++) {
        uint64_t took[2];
        for (int i = 0; i < 2; i++) {
            struct run r;
            struct dram_spec s = small(64);
            s.rrd = 2000;
            s.faw = faw ? 16000 : 0;
            begin(&r, s);
            for (uint64_t k = 0; k < 1000 * (uint64_t)(i + 1); k++)
                at(&r, k * 256, ALL, false, 0, 0);
            end(&r);
            took[i] = r.stats.busiest_ps;
            dram_stats_release(&r.stats);
        }
        assert_int_equal(took[1] - took[0], 1000 * (faw ? 4000 : 2000));
    }
}

/* --- writes --- */

/* One bank, one row. 56 writes among reads start the writing, 8 are left and done at the end: the bus turns to writing, back (the
 * reads that wait) and to writing again. A turn to writing takes 700 ps, back tWTR + tCL = 3,000 + 2,000. */
static void writes_in_batches(void **state)
{
    struct run r;
    struct dram_spec s = small(1);
    (void)state;
    s.row_bytes = 1 << 20;
    s.cl = 2000;
    s.cwl = 2000;
    s.wtr = 3000;
    s.turn = 700;
    begin(&r, s);
    for (uint64_t i = 0; i < 64 + 1; i++) /* the 65th read makes the first one go: the bus has been reading */
        at(&r, i * LINE, ALL, false, 0, 0);
    for (uint64_t i = 0; i < 56; i++)
        at(&r, i * LINE, ALL, true, 1, 0);
    end(&r);
    assert_int_equal(r.site[1].v[COUNTER_DRAM_ROW_HITS], 56);
    assert_int_equal(r.site[0].v[COUNTER_DRAM_ROW_HITS], 64);
    assert_int_equal(r.site[1].v[COUNTER_DRAM_TURNS], 2);
    assert_int_equal(r.site[0].v[COUNTER_DRAM_TURNS], 1);
    assert_int_equal(r.site[1].v[COUNTER_DRAM_BUSY_PS], 56000 + 2 * 700);
    assert_int_equal(r.site[0].v[COUNTER_DRAM_BUSY_PS], 65000 + 5000);
    dram_stats_release(&r.stats);
}

/* A sector of 32 bytes is one burst of 250 ps, two of bursts of 16 bytes. */
static void parts_of_a_line(void **state)
{
    (void)state;
    for (uint32_t bytes = 16; bytes <= 32; bytes += 16) {
        struct run r;
        struct dram_spec s = small(1);
        s.burst_bytes = bytes;
        begin(&r, s);
        at(&r, 0, 4, false, 0, 0);
        at(&r, 0, 3, false, 0, 0);
        end(&r);
        assert_int_equal(r.stats.bytes[0], 96);
        assert_int_equal(n(&r, COUNTER_DRAM_DATA_PS), 96 / bytes * 250);
        dram_stats_release(&r.stats);
    }
}

/* --- devices --- */

static void of_devices(void **state)
{
    struct diag_list diags;
    struct device d;
    struct dram_spec s;
    (void)state;
    diag_init(&diags);
    assert_true(device_load(&d, "v100", &diags));
    assert_true(dram_spec_of(&d, &s));
    assert_int_equal(s.channels, 64);
    assert_int_equal(s.burst_bytes, 32); /* 4 transfers of 64 bits */
    assert_int_equal(s.burst, 2280);     /* 4 / (2 * 0.877 GHz) */
    assert_int_equal(s.turn, 2280);      /* 2 / 0.877 GHz */
    assert_true(s.hashed);
    assert_true(device_load(&d, "g80", &diags));
    assert_true(dram_spec_of(&d, &s));
    assert_int_equal(s.burst_bytes, 16);
    assert_false(s.hashed);
    d.dram_banks = DEVICE_UNKNOWN;
    assert_false(dram_spec_of(&d, &s));
    assert_int_equal(s.channels, 0);
    diag_release(&diags);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_after_the_other), cmocka_unit_test(hashed), cmocka_unit_test(hits_and_conflicts),
        cmocka_unit_test(banks_that_fill_the_bus), cmocka_unit_test(bank_groups), cmocka_unit_test(rate_of_openings),
        cmocka_unit_test(writes_in_batches), cmocka_unit_test(parts_of_a_line), cmocka_unit_test(of_devices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
