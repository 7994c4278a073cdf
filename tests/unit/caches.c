/* The modelled caches: lines of an access, an L1, L2 and DRAM, with numbers computed by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "memory/caches.h"
#include "memory/memory.h"
#include "memory/rules.h"
#include "memory/ways.h"
#include "ptx/ptx.h"
#include "space/texture.h"

enum { BASE = 1 << 20 };

static struct pages memory; /* of all caches but L2 */

static struct record affine(uint64_t first, int32_t stride, unsigned bytes, uint8_t op)
{
    struct record r = {.site = 0, .mask = UINT32_MAX, .op = op, .space = PTX_GLOBAL, .shape = stride ? RECORD_AFFINE : RECORD_UNIFORM,
                       .bytes = (uint8_t)bytes, .elem = (uint8_t)bytes, .stride = stride};
    r.addr[0] = first;
    return r;
}

static struct record explicit_of(const struct record *a)
{
    struct record r = *a;
    r.shape = RECORD_EXPLICIT;
    for (int i = 0; i < 32; i++)
        r.addr[i] = record_address(a, i);
    return r;
}

/* --- lines --- */

static void a_row_of_floats(void **state)
{
    struct lines l;
    struct record r = affine(BASE + 4, 4, 4, RECORD_STORE); /* bytes 4 to 131: five sectors of two lines */
    (void)state;
    lines_global(&r, true, &l);
    assert_int_equal(l.n, 2);
    assert_int_equal(l.line[0], BASE / 128);
    assert_int_equal(l.sectors[0], 0xf);
    assert_int_equal(l.full[0], 0xe); /* the first sector lacks its first word */
    assert_int_equal(l.byte[0][0], 0xfffffff0u);
    assert_int_equal(l.sectors[1], 1);
    assert_int_equal(l.full[1], 0);
    assert_int_equal(l.byte[1][0], 0xfu);
    assert_int_equal(lines_sectors(&l), 5);
}

/* Known shapes and lists of addresses give the same lines. */
static void shapes_agree(void **state)
{
    static struct lines a, b;
    (void)state;
    for (int stride = -70; stride <= 70; stride++)
        for (unsigned bytes = 1; bytes <= 16; bytes *= 2)
            for (unsigned at = 0; at < 160; at += bytes) {
                if (stride % (int)bytes)
                    continue;
                struct record r = affine(BASE + at, stride, bytes, RECORD_STORE), e = explicit_of(&r);
                lines_global(&r, true, &a);
                lines_global(&e, true, &b);
                assert_int_equal(a.n, b.n);
                for (int i = 0; i < a.n; i++) {
                    int j = 0;
                    while (j < b.n && b.line[j] != a.line[i])
                        j++;
                    assert_int_not_equal(j, b.n);
                    assert_int_equal(a.sectors[i], b.sectors[j]);
                    assert_int_equal(a.full[i], b.full[j]);
                    for (int s = 0; s < LINE_SECTORS; s++)
                        if ((a.sectors[i] & ~a.full[i]) >> s & 1)
                            assert_int_equal(a.byte[i][s], b.byte[j][s]);
                }
                assert_int_equal(lines_sectors(&a), coalescer_sectors(&r));
            }
}

/* Lines come in the order of their first lanes, whether they rise from lane to lane, come back or not. */
static void lines_in_order(void **state)
{
    static struct lines l;
    uint32_t lot = 1;
    (void)state;
    for (int rising = 0; rising <= 32; rising++)
        for (int lists = 0; lists < 20; lists++) {
            struct record r = explicit_of(&(struct record){.op = RECORD_STORE, .space = PTX_GLOBAL, .bytes = 4, .mask = UINT32_MAX, .shape = RECORD_UNIFORM});
            uint64_t want[32];
            int n = 0;
            for (int lane = 0; lane < 32; lane++) {
                lot = lot * 1664525 + 1013904223;
                const uint64_t line = lane < rising ? (uint64_t)lane * 3 / 2 : lot >> 27;
                r.addr[lane] = BASE + line * 128 + (lot >> 20 & 31) * 4;
                int at = 0;
                while (at < n && want[at] != r.addr[lane] / 128)
                    at++;
                want[at] = r.addr[lane] / 128;
                n = at < n ? n : at + 1;
            }
            lines_global(&r, true, &l);
            assert_int_equal(l.n, n);
            for (int i = 0; i < n; i++) {
                unsigned sectors = 0;
                assert_int_equal(l.line[i], want[i]);
                for (int lane = 0; lane < 32; lane++)
                    sectors |= r.addr[lane] / 128 == want[i] ? 1u << r.addr[lane] / 32 % 4 : 0;
                assert_int_equal(l.sectors[i], sectors);
            }
        }
}

/* What L1 can keep of a store where L2 has no room. */
static void lines_held(void **state)
{
    struct lines l;
    struct record r = affine(BASE, 128, 4, RECORD_STORE);
    (void)state;
    lines_global(&r, true, &l);
    assert_int_equal(l1_lines_held(&l), 32);
    r = affine(BASE, 4, 4, RECORD_STORE); /* whole sectors */
    lines_global(&r, true, &l);
    assert_int_equal(l1_lines_held(&l), L1_HOLDS_NONE);
}

/* 64 bits at one offset: words 2 and 3 of every lane, two lines. */
static void local_words(void **state)
{
    struct lines l;
    struct record r = affine(8, 0, 8, RECORD_LOAD);
    (void)state;
    r.space = PTX_LOCAL;
    lines_local(&r, 1 << 14, false, &l);
    assert_int_equal(l.n, 2);
    assert_int_equal(l.line[0], (1 << 14) / 128 + 2);
    assert_int_equal(l.line[1], (1 << 14) / 128 + 3);
    assert_int_equal(l.sectors[0] & l.sectors[1], 0xf);
    assert_int_equal(lines_sectors(&l), local_sectors(&r));
}

/* --- tables --- */

static void order_of_ways(void **state)
{
    uint64_t order = ways_order(5);
    (void)state;
    assert_int_equal(order, 0x01234); /* the one used last is on the right */
    order = ways_use(order, 2);
    assert_int_equal(order, 0x01342);
    order = ways_use(order, 0);
    assert_int_equal(order, 0x13420);
    assert_int_equal(ways_use(order, 0), 0x13420);
    assert_int_equal(ways_last(order, 5, 4), 0x41320);
    assert_int_equal(ways_last(order, 5, 0), 0x01342);
    assert_int_equal(ways_last(order, 5, 1), 0x13420);
    assert_int_equal(ways_nth(order, 0), 0);
    assert_int_equal(ways_nth(order, 4), 1);
    assert_int_equal(ways_use(ways_order(16), 0), 0x123456789abcdef0);
    assert_int_equal(ways_last(ways_order(16), 16, 15), 0xf0123456789abcde);
}

static void quotients_and_times(void **state)
{
    static const uint32_t by[] = {1, 2, 3, 297, 12800, 65535, 65536};
    static const uint64_t n[] = {0, 1, 296, 297, 12799, 12800, 4294967295, 4294967296, 140737488355327 /* 2^47 - 1 */};
    (void)state;
    for (size_t i = 0; i < sizeof by / sizeof *by; i++)
        for (size_t k = 0; k < sizeof n / sizeof *n; k++)
            assert_int_equal(divide(n[k], divisor_of(by[i])), n[k] / by[i]);
    assert_int_equal(ways_later(1010, 1000), 1010);
    assert_int_equal(ways_later(990, 1000), 1000);
    assert_int_equal(ways_later(5, 4294967290), 4294967301); /* the low half of 2^32 + 5, 11 later */
    assert_int_equal(ways_later(1, 4294967290 - WAYS_AHEAD), 4294967290 - WAYS_AHEAD); /* too far ahead to be meant */
}

/* --- L1 and L2 --- */

/* 7 and 2 of 16 ways. */
#define H200_L2 .join_requests = 4, .link_cycles = 80, .pair_cycles = 100, .way_apart = 32, .dirty_share = 4375, .partial_share = 1250, .merge_cycles = 28, .merge_lines = 32

struct model {
    struct caches_config c;
    struct counters site;
    struct l1 *l1[2];
    struct l2 *l2;
    struct l2_queue queue[2];
    struct l2_waiter waiter[2]; /* one warp an SM */
    uint64_t until;             /* what l1_access said last */
};

static void open_model(struct model *m, uint32_t l1_bytes, uint64_t l2_bytes, uint32_t parts)
{
    memset(m, 0, sizeof *m);
    m->c = (struct caches_config){.sms = 2, .l1_bytes = l1_bytes, .l1_global = DEVICE_L1_GLOBAL_ALWAYS, .l1_local = true, .l2_bytes = l2_bytes, .l2_parts = parts,
                                  .gpcs = 2, .sms_per_tpc = 1, .dram_bytes = 64, .l1_latency = 30, .l2_latency = 300, H200_L2};
    for (int i = 0; i < 2; i++) {
        m->l1[i] = l1_new(&m->c, &memory);
        m->queue[i].waiter = &m->waiter[i];
        m->queue[i].l1 = m->l1[i];
    }
    m->l2 = l2_new(&m->c);
}

static void close_model(struct model *m)
{
    for (int i = 0; i < 2; i++)
        l2_queue_release(&m->queue[i]);
    l2_free(m->l2);
}

static unsigned ask(struct model *m, int sm, struct record r, uint64_t time)
{
    unsigned sectors;
    m->until = 0;
    struct lines lines;
    l1_lines(m->l1[sm], &r, 0, &lines);
    return l1_access(m->l1[sm], &r, &lines, 0, time, 0, &m->site, &m->queue[sm], &sectors, &m->until);
}

static void settle(struct model *m)
{
    for (int i = 0; i < 2; i++)
        l1_drain(m->l1[i], UINT64_MAX, &m->queue[i]);
    l2_serve(m->l2, m->queue, 2, NULL, UINT64_MAX, &m->site);
}

static uint64_t n(const struct model *m, enum counter c)
{
    return m->site.v[c];
}

/* A warp reads 128 bytes, then the same ones shifted by a word: four of five sectors are there. */
static void reuse_of_a_neighbour(void **state)
{
    struct model m;
    (void)state;
    open_model(&m, 64 << 10, 1 << 20, 1);
    assert_int_equal(ask(&m, 0, affine(BASE, 4, 4, RECORD_LOAD), 0), 4);
    assert_int_equal(ask(&m, 0, affine(BASE + 4, 4, 4, RECORD_LOAD), 10), 1);
    settle(&m);
    assert_int_equal(n(&m, COUNTER_L1_GLOBAL_LD_HIT), 4);
    assert_int_equal(n(&m, COUNTER_L2_READ_SECTORS), 5);
    assert_int_equal(n(&m, COUNTER_DRAM_READ_SECTORS), 6); /* the fifth brings its neighbour */
    close_model(&m);
}

/* An L1 of 64 KiB: 88 sets of 5 lines. 440 lines are there when their turn comes again; of 529 in turn no set has its own,
 * least recently used. */
static void capacity_of_l1(void **state)
{
    struct model m;
    (void)state;
    for (int lines = 440; lines <= 529; lines += 89) {
        open_model(&m, 64 << 10, 1 << 20, 1);
        for (int turn = 0; turn < 2; turn++)
            for (int i = 0; i < lines; i++)
                ask(&m, 0, affine(BASE + (uint64_t)i * 128, 4, 4, RECORD_LOAD), 0);
        assert_int_equal(n(&m, COUNTER_L1_GLOBAL_LD_HIT), lines == 440 ? 4 * 440 : 0);
        close_model(&m);
    }
}

/* Loads that do not look into L1, and what two SMs share in L2. */
static void past_l1(void **state)
{
    struct model m;
    struct record r = affine(BASE, 4, 4, RECORD_LOAD);
    (void)state;
    open_model(&m, 64 << 10, 1 << 20, 1);
    r.cache = PTX_CACHE_CG;
    ask(&m, 0, r, 0);
    ask(&m, 0, r, 2000);
    ask(&m, 1, r, 4000);
    settle(&m);
    assert_int_equal(n(&m, COUNTER_L1_GLOBAL_LD_HIT), 0);
    assert_int_equal(n(&m, COUNTER_L2_READ_SECTORS), 12);
    assert_int_equal(n(&m, COUNTER_L2_READ_HIT), 8);
    assert_int_equal(n(&m, COUNTER_DRAM_READ_SECTORS), 4);
    close_model(&m);
}

/* Loads past L1 by two SMs of one GPC, then of two, in one half of an L2 that answers hits after 56 cycles, DRAM after 400: which
 * are one request for L2. */
static void one_request(void **state)
{
    static const struct { uint64_t time; int sm, lanes; } asked[] = {
        {0, 0, 32}, {399, 1, 32}, {500, 1, 32}, /* a miss: until the data are there; 4 sectors and 4 */
        {2000, 0, 32}, {2050, 1, 32}, {2060, 1, 32}, /* a hit: 56 cycles */
        {3000, 0, 32}, {3001, 1, 32}, {3002, 0, 32}, {3003, 1, 32}, {3004, 0, 32}, {3005, 1, 32}, /* four and two */
        {4000, 0, 32}, {4010, 1, 8}, {4020, 1, 32}, {4030, 0, 32}, /* other sectors (one) end the first; the third begins anew */
    };
    /* What L2 is asked by the end of each. With two GPCs each asks for itself, but still ends what the other one began. */
    static const unsigned sectors[2][sizeof asked / sizeof *asked] = {
        {4, 4, 8, 12, 12, 16, 20, 20, 20, 20, 24, 24, 28, 29, 33, 33},
        {4, 8, 12, 16, 20, 24, 28, 32, 32, 32, 32, 32, 36, 37, 41, 45}};
    (void)state;
    for (uint32_t gpcs = 1; gpcs <= 2; gpcs++) {
        struct model m;
        open_model(&m, 64 << 10, 1 << 20, 1);
        l2_free(m.l2);
        m.c.gpcs = gpcs;
        m.c.coalesce_cycles = 56;
        m.c.dram_latency = 400;
        m.l2 = l2_new(&m.c);
        for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
            struct record r = affine(BASE, 4, 4, RECORD_LOAD);
            r.cache = PTX_CACHE_CG;
            r.mask = asked[i].lanes == 32 ? UINT32_MAX : (1u << asked[i].lanes) - 1;
            ask(&m, asked[i].sm, r, asked[i].time);
            l2_serve(m.l2, m.queue, 2, NULL, asked[i].time + 1, &m.site);
            assert_int_equal(n(&m, COUNTER_L2_READ_SECTORS), sectors[gpcs - 1][i]);
        }
        close_model(&m);
    }
}

/* One sector of a line waits behind another one of the slice: a request takes it a cycle of its own, two sectors as well. */
static void requests_of_a_slice(void **state)
{
    (void)state;
    for (uint32_t sectors = 1; sectors <= 4; sectors += 3) {
        struct model m;
        uint64_t first;
        open_model(&m, 64 << 10, 1 << 20, 1);
        l2_free(m.l2);
        m.c.l2_slices = 1;
        m.c.l2_slice_cycles = 50 * 256;
        m.c.l2_request_cycles = 100 * 256;
        m.l2 = l2_new(&m.c);
        for (uint64_t i = 0; i < 8; i++) {
            struct record r = affine(BASE + i * 128, 4, 4, RECORD_LOAD);
            r.mask = sectors == 4 ? UINT32_MAX : 255;
            ask(&m, 0, r, 0);
        }
        settle(&m);
        first = sectors == 4 ? 8 * 200 : 8 * 100;
        assert_in_range(m.waiter[0].ready, first + 225, first + 373);
        close_model(&m);
    }
}

static const struct rule_set *rules_at_cc(int cc)
{
    int i = 0;
    while (rules_at(i)->last < cc)
        i++;
    return rules_at(i);
}

/* No cache at all, 1.x: transactions are what DRAM is asked for. 32 floats from byte 4 on. 1.0: 32 bytes a lane. 1.3: the
 * first half-warp, bytes 4 to 67: 128 bytes; the second, 68 to 131: 64 and 32. Stores alike, and nothing is read for them. */
static void past_all_caches(void **state)
{
    static const struct { int cc; unsigned sectors; } cases[] = {{10, 32}, {13, 4 + 2 + 1}};
    (void)state;
    for (int i = 0; i < 2; i++)
        for (int stores = 0; stores < 2; stores++) {
            struct model m;
            open_model(&m, 0, 0, 0);
            m.c.direct = rules_at_cc(cases[i].cc);
            m.l1[0] = l1_new(&m.c, &memory);
            for (int turn = 0; turn < 2; turn++) /* again: nothing was kept */
                assert_int_equal(ask(&m, 0, affine(BASE + 4, 4, 4, stores ? RECORD_STORE : RECORD_LOAD), 0), cases[i].sectors);
            settle(&m);
            assert_int_equal(n(&m, COUNTER_DRAM_READ_SECTORS), stores ? 0 : 2 * cases[i].sectors);
            assert_int_equal(n(&m, COUNTER_DRAM_WRITE_SECTORS), stores ? 2 * cases[i].sectors : 0);
            assert_int_equal(n(&m, COUNTER_L2_READ_SECTORS) + n(&m, COUNTER_L2_WRITE_SECTORS), 0);
            close_model(&m);
        }
}

/* 2.x: a miss brings the line, and a store takes it out again. 3.x: loads go through L1 only where .ca asks for it. */
static void early_l1(void **state)
{
    struct model m;
    struct record r = affine(BASE, 0, 4, RECORD_LOAD);
    (void)state;
    for (int asked = 0; asked < 3; asked++) { /* 0: 2.x; 1: 3.x; 2: 3.x with .ca */
        open_model(&m, 16 << 10, 1 << 20, 1);
        m.c.l1_whole = m.c.l1_evicts = true;
        m.c.l1_global = asked ? DEVICE_WORD_l1_global_ASKED : DEVICE_L1_GLOBAL_ALWAYS;
        m.c.dram_bytes = 32;
        m.l1[0] = l1_new(&m.c, &memory);
        r.cache = asked == 2 ? PTX_CACHE_CA : PTX_CACHE_DEFAULT;
        assert_int_equal(ask(&m, 0, r, 0), asked == 1 ? 1 : 4);
        r.addr[0] = BASE + 96; /* the last sector of the line */
        assert_int_equal(ask(&m, 0, r, 0), asked == 1 ? 1 : 0);
        ask(&m, 0, affine(BASE, 4, 4, RECORD_STORE), 0);
        assert_int_equal(ask(&m, 0, r, 0), asked == 1 ? 1 : 4);
        assert_int_equal(n(&m, COUNTER_L1_GLOBAL_LD_HIT), asked == 1 ? 0 : 1);
        close_model(&m);
    }
}

/* Two halves, asked at nearly the same time: each misses once, and DRAM is read once. */
static void halves_of_l2(void **state)
{
    struct model m;
    (void)state;
    open_model(&m, 64 << 10, 1 << 20, 2);
    for (int sm = 0; sm < 2; sm++)
        ask(&m, sm, affine(BASE, 4, 4, RECORD_LOAD), 50 * (uint64_t)sm);
    settle(&m);
    assert_int_equal(n(&m, COUNTER_L2_READ_SECTORS), 8);
    assert_int_equal(n(&m, COUNTER_L2_READ_HIT), 0);
    assert_int_equal(n(&m, COUNTER_L2_FABRIC_SECTORS), 4);
    assert_int_equal(n(&m, COUNTER_DRAM_READ_SECTORS), 4);
    close_model(&m);
}

/* One lane reads a sector of each of 64 lines: its neighbour of 32 bytes comes along, and is there once it has come; of some
 * lines at once. */
static void pairs_from_dram(void **state)
{
    struct model m;
    (void)state;
    for (int late = 0; late < 2; late++) {
        open_model(&m, 64 << 10, 1 << 20, 1);
        for (int i = 0; i < 64; i++) {
            ask(&m, 0, affine(BASE + (uint64_t)i * 128, 0, 4, RECORD_LOAD), 0);
            ask(&m, 0, affine(BASE + (uint64_t)i * 128 + 32, 0, 4, RECORD_LOAD), late ? 101 : 50);
        }
        settle(&m);
        assert_in_range(n(&m, COUNTER_L2_READ_HIT), late ? 64 : 20, late ? 64 : 44);
        assert_int_equal(n(&m, COUNTER_DRAM_READ_SECTORS), 2 * 64);
        close_model(&m);
    }
}

/* Stores close in time reach L2 as one; later ones do not. */
static void stores_that_meet(void **state)
{
    struct model m;
    (void)state;
    for (int late = 0; late < 2; late++) {
        open_model(&m, 64 << 10, 1 << 20, 1);
        ask(&m, 0, affine(BASE, 8, 4, RECORD_STORE), 0); /* even words: 8 sectors of 2 lines, half of each */
        ask(&m, 0, affine(BASE + 4, 8, 4, RECORD_STORE), late ? 1000 : 1);
        settle(&m);
        assert_int_equal(n(&m, COUNTER_L2_WRITE_SECTORS), late ? 16 : 8);
        assert_int_equal(n(&m, COUNTER_DRAM_READ_SECTORS), 0); /* all bytes were written in the end */
        close_model(&m);
    }
}

/* 28 cycles count from the last store: a word each 20 cycles is one sector in L2, each 30 cycles it is one store after the other. */
static void stores_keep_a_sector(void **state)
{
    struct model m;
    (void)state;
    for (int late = 0; late < 2; late++) {
        open_model(&m, 64 << 10, 1 << 20, 1);
        for (int i = 0; i < 7; i++)
            ask(&m, 0, affine(BASE + (uint64_t)i * 4, 0, 4, RECORD_STORE), (uint64_t)i * (late ? 30 : 20));
        settle(&m);
        assert_int_equal(n(&m, COUNTER_L2_WRITE_SECTORS), late ? 7 : 1);
        close_model(&m);
    }
}

/* L2 takes 300 cycles, 75 to 124 % of them, DRAM 400 more, and a channel 100 cycles for 64 bytes. Two lines of 128 bytes of one
 * channel: the first is there 200 cycles later than DRAM's latency says, the second 400. Who asks L1 for what is on its way
 * waits for the same; then it is in L1. */
static void answers(void **state)
{
    struct model m;
    uint64_t first;
    (void)state;
    memset(&m, 0, sizeof m);
    open_model(&m, 64 << 10, 1 << 20, 1);
    l2_free(m.l2);
    m.c.dram_latency = 400;
    m.c.dram_channels = 1;
    m.c.dram_channel_cycles = 50 * 256 /* a sector */;
    m.l2 = l2_new(&m.c);
    ask(&m, 0, affine(BASE, 4, 4, RECORD_LOAD), 0);
    assert_int_equal(m.waiter[0].pending, 1);
    assert_int_equal(ask(&m, 0, affine(BASE, 4, 4, RECORD_LOAD), 10), 0); /* joins */
    assert_int_equal(m.waiter[0].pending, 2);
    l2_serve(m.l2, m.queue, 2, NULL, 100, &m.site);
    assert_int_equal(m.waiter[0].pending, 0);
    first = m.waiter[0].ready;
    assert_in_range(first, 200 + 400 + 225, 200 + 400 + 373);
    ask(&m, 0, affine(BASE, 4, 4, RECORD_LOAD), 200);
    assert_int_equal(m.waiter[0].pending, 0);
    assert_int_equal(m.until, first);
    ask(&m, 1, affine(BASE + 128, 4, 4, RECORD_LOAD), 50);
    l2_serve(m.l2, m.queue, 2, NULL, 300, &m.site);
    assert_in_range(m.waiter[1].ready, 400 + 400 + 225, 400 + 400 + 373);
    ask(&m, 1, affine(BASE, 4, 4, RECORD_LOAD), 2000); /* L2 has it */
    l2_serve(m.l2, m.queue, 2, NULL, 3000, &m.site);
    assert_in_range(m.waiter[1].ready, 2000 + 225, 2000 + 373);
    assert_int_equal(n(&m, COUNTER_L1_GLOBAL_LD_HIT), 8);
    assert_int_equal(n(&m, COUNTER_L2_READ_HIT), 4);
    close_model(&m);
}

/* The H200's 132 SMs in 8 clusters: 16 of the first are these, the last two have 18. */
static void clusters(void **state)
{
    struct caches_config c = {.sms = 132, .gpcs = 8, .sms_per_tpc = 2, .late_tpcs = 4};
    uint32_t size[8] = {0};
    (void)state;
    for (uint32_t i = 0; i < c.sms; i++) {
        uint32_t gpc = caches_gpc(&c, i);
        size[gpc]++;
        assert_int_equal(gpc == 0, i >= 124 || (i < 64 && i % 16 < 2));
    }
    for (int i = 0; i < 8; i++)
        assert_int_equal(size[i], i < 6 ? 16 : 18);
    assert_int_equal(caches_gpc(&c, 64), 1);
    assert_int_equal(caches_gpc(&c, 120), 6);
    assert_int_equal(caches_gpc(&c, 123), 7);
}

/* 1,024 lines of which every other word is written, an L2 of 32 sets: two lines of a set may be so, the others are written to
 * DRAM, and read first since half of them is missing. */
static void written_in_part(void **state)
{
    struct model m;
    (void)state;
    open_model(&m, 64 << 10, 64 << 10, 1);
    for (int i = 0; i < 512; i++)
        ask(&m, 0, affine(BASE + (uint64_t)i * 256, 8, 4, RECORD_STORE), 1000 * (uint64_t)i);
    settle(&m);
    assert_int_equal(n(&m, COUNTER_L2_WRITE_SECTORS), 4096);
    assert_int_equal(n(&m, COUNTER_DRAM_WRITE_SECTORS), 4096 - 256);
    assert_int_equal(n(&m, COUNTER_DRAM_READ_SECTORS), 4096 - 256);
    close_model(&m);
}

/* 32 lanes add to one word: 32 operations in L2, of which the first misses. */
static void atomics_in_l2(void **state)
{
    struct model m;
    struct record r = affine(BASE, 0, 4, RECORD_RED);
    (void)state;
    r.atomic = PTX_ATOMIC_ADD;
    r.type = PTX_U32;
    open_model(&m, 64 << 10, 1 << 20, 1);
    ask(&m, 0, r, 0);
    settle(&m);
    assert_int_equal(n(&m, COUNTER_L2_ATOMIC_SECTORS), 32);
    assert_int_equal(n(&m, COUNTER_L2_ATOMIC_HIT), 31);
    close_model(&m);
}

/* A persisting window of a quarter of L2: its lines are there after a stream of twice the L2's size, others are not. */
static void persisting_window(void **state)
{
    struct model m;
    (void)state;
    for (int on = 0; on < 2; on++) {
        memset(&m, 0, sizeof m);
        open_model(&m, 0, 1 << 20, 1);
        l2_free(m.l2);
        m.c.l1_global = false;
        m.c.window_first = BASE;
        m.c.window_bytes = on ? 128 << 10 : 0;
        m.c.persisting_bytes = 256 << 10;
        m.c.window_ratio = 1;
        m.l2 = l2_new(&m.c);
        for (int turn = 0; turn < 2; turn++) {
            for (int i = 0; i < 1024; i++)
                ask(&m, 0, affine(BASE + (uint64_t)i * 128, 4, 4, RECORD_LOAD), 0);
            for (int i = 0; i < 16384 && !turn; i++)
                ask(&m, 0, affine((UINT64_C(1) << 30) + (uint64_t)i * 128, 4, 4, RECORD_LOAD), 0);
        }
        settle(&m);
        assert_int_equal(n(&m, COUNTER_L2_READ_HIT), on ? 4096 : 0);
        close_model(&m);
    }
}

/* --- constants --- */

static struct caches_config small_constants(void)
{
    return (struct caches_config){.sms = 1, .l2_bytes = 1 << 20, .l2_parts = 1, .gpcs = 1, .sms_per_tpc = 1, .dram_bytes = 32, H200_L2,
                                  .l1_latency = 30, .l2_latency = 300, .constant_bytes = {2048, 8192}, .constant_line = 64,
                                  .constant_latency = 8, .constant_lanes = 32, .constant_hit_cycles = 2, .constant_miss_cycles = 6, .constant_next_cycles = 11,
                                  .constant_behind_cycles = 70, .constant_pending = 16};
}

/* 32 lanes on 32 words are 32 look-ups of two lines; the first of each misses, and 15 more of it while the line comes. */
static void lines_of_constants(void **state)
{
    struct caches_config c = small_constants();
    struct constants *k = constants_new(&c, &memory);
    struct l2_queue to = {0};
    struct counters site = {0};
    struct record r = affine(BASE, 4, 4, RECORD_LOAD);
    unsigned busy;
    (void)state;
    r.space = PTX_CONST;
    /* The second line is asked for after 16 addresses, 11 cycles each, and comes 300 cycles later. */
    assert_int_equal(constants_access(k, &r, 1000, &site, &to, &busy), 1000 + 16 * 11 + 300 + 8);
    assert_int_equal(site.v[COUNTER_CONST_HIT], 0);
    assert_int_equal(busy, 32 * 6);
    assert_int_equal(to.n, 2); /* 64 bytes each, two halves of one line of L2 */
    assert_int_equal(to.v[0].line, BASE / 128);
    assert_int_equal(to.v[0].sectors, 3);
    assert_int_equal(to.v[1].sectors, 12);
    assert_int_equal(constants_access(k, &r, 1010, &site, &to, &busy), 1000 + 16 * 11 + 300 + 8); /* no look-up counts as a miss a 17th time */
    assert_int_equal(site.v[COUNTER_CONST_HIT], 32);
    assert_int_equal(constants_access(k, &r, 5000, &site, &to, &busy), 5000 + 31 * 11 + 8);
    assert_int_equal(busy, 32 * 2);
    assert_int_equal(to.n, 2);
    r.shape = RECORD_UNIFORM;
    constants_access(k, &r, 6000, &site, &to, &busy);
    assert_int_equal(busy, 2);
    assert_int_equal(site.v[COUNTER_CONST_HIT], 65);
    l2_queue_release(&to);
}

/* A line of 256 bytes is two of L2. */
static void long_lines_of_constants(void **state)
{
    struct caches_config c = small_constants();
    struct l2_queue to = {0};
    struct counters site = {0};
    struct record r = affine(BASE + 128, 0, 4, RECORD_LOAD);
    unsigned busy;
    (void)state;
    c.constant_line = 256;
    struct constants *k = constants_new(&c, &memory);
    r.space = PTX_CONST;
    constants_access(k, &r, 1000, &site, &to, &busy);
    assert_int_equal(to.n, 2);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(to.v[i].line, BASE / 128 + i);
        assert_int_equal(to.v[i].sectors, 15);
    }
    l2_queue_release(&to);
}

/* 2 KB are 8 sets of 4 lines: lines 256 bytes apart lie in two sets, so 8 of them stay and 10 push each other out;
 * the second level (8 KB: 32 sets) has them. */
static void sets_of_constants(void **state)
{
    (void)state;
    for (int lines = 8; lines <= 10; lines += 2) {
        struct caches_config c = small_constants();
        struct constants *k = constants_new(&c, &memory);
        struct l2_queue to = {0};
        struct counters site = {0};
        struct record r = affine(BASE, 0, 4, RECORD_LOAD);
        unsigned busy;
        uint64_t time = 0;
        r.space = PTX_CONST;
        for (int turn = 0; turn < 3; turn++)
            for (int i = 0; i < lines; i++) {
                r.addr[0] = BASE + (uint64_t)i * 256;
                time = constants_access(k, &r, time, &site, &to, &busy);
            }
        assert_int_equal(site.v[COUNTER_CONST_HIT], lines == 8 ? 16 : 0);
        assert_int_equal(to.n, lines);
        assert_int_equal(time, lines == 8 ? 8 * 308 + 16 * 8 : 10 * 308 + 20 * 78);
        l2_queue_release(&to);
    }
}

/* Compute capability 1.x: half-warps by themselves. */
static void constants_by_halves(void **state)
{
    struct caches_config c = small_constants();
    struct l2_queue to = {0};
    struct counters site = {0};
    struct record r = affine(BASE, 0, 4, RECORD_LOAD);
    unsigned busy;
    (void)state;
    c.constant_lanes = 16;
    struct constants *k = constants_new(&c, &memory);
    r.space = PTX_CONST;
    constants_access(k, &r, 0, &site, &to, &busy);
    constants_access(k, &r, 1000, &site, &to, &busy);
    assert_int_equal(busy, 4);
    assert_int_equal(site.v[COUNTER_CONST_HIT], constant_by_halves(&r));
    l2_queue_release(&to);
}

/* --- textures --- */

/* Four neighbouring lanes are a request: 32 floats in a row of memory are 8 requests of one sector each, of which four are there,
 * since two lie in one. */
static void quads_of_textures(void **state)
{
    struct model m;
    (void)state;
    open_model(&m, 64 << 10, 1 << 20, 1);
    assert_int_equal(ask(&m, 0, affine(BASE, 4, 4, RECORD_TEXTURE), 0), 4);
    assert_int_equal(n(&m, COUNTER_L1_TEXTURE_SECTORS), 8);
    assert_int_equal(n(&m, COUNTER_L1_TEXTURE_HIT), 4);
    assert_int_equal(ask(&m, 0, affine(BASE, 16, 4, RECORD_TEXTURE), 0), 12); /* two sectors a request, 16 in all */
    assert_int_equal(n(&m, COUNTER_L1_TEXTURE_SECTORS), 8 + 16);
    assert_int_equal(n(&m, COUNTER_L1_TEXTURE_HIT), 4 + 4);
    close_model(&m);
}

/* Tiles of 64 bytes x 8 rows in a pitch of 4,096 bytes, and four lanes of a warp in a row, a column and on a diagonal of floats:
 * a sector is 4 floats x 2 rows. */
static void tiles_of_arrays(void **state)
{
    static const unsigned want[] = {8, 16, 20};
    (void)state;
    assert_int_equal(texture_place(BASE, 4096, 15, 1), BASE + 31);
    assert_int_equal(texture_place(BASE, 4096, 16, 0), BASE + 32);
    assert_int_equal(texture_place(BASE, 4096, 0, 2), BASE + 64);
    assert_int_equal(texture_place(BASE, 4096, 32, 0), BASE + 256);
    assert_int_equal(texture_place(BASE, 4096, 63, 7), BASE + 511);
    assert_int_equal(texture_place(BASE, 4096, 64, 0), BASE + 512);
    assert_int_equal(texture_place(BASE, 4096, 0, 8), BASE + 8 * 4096);
    for (int way = 0; way < 3; way++) {
        struct record r = affine(BASE, 0, 4, RECORD_TEXTURE);
        struct lines l;
        unsigned n = 0;
        r.shape = RECORD_EXPLICIT;
        for (uint64_t step = 0; step < 2; step++) { /* a diagonal begins on even and on odd rows: 2 and 3 sectors a request */
            for (uint64_t i = 0; i < 32; i++)
                r.addr[i] = texture_place(BASE, 4096, way == 1 ? 0 : 4 * (i + (way == 2 ? step : 0)), way == 0 ? 0 : i + step);
            n += lines_texture(&r, &l);
        }
        assert_int_equal(n, way == 1 ? 16 + 8 * 3 : 2 * want[way]); /* a column from an odd row: 3 a request */
    }
}

/* A cache of 5 KB: 8 sets of 20 lines of 32 bytes. 160 sectors stay; of 168 no set keeps its own. */
static void texture_cache_apart(void **state)
{
    (void)state;
    for (int sectors = 160; sectors <= 168; sectors += 8) {
        struct caches_config c = {.texture_bytes = 5120, .texture_line = 32};
        struct readonly *t = textures_new(&c, &memory);
        struct l2_queue to = {0};
        struct counters site = {0};
        struct record r = affine(BASE, 0, 4, RECORD_TEXTURE);
        unsigned lines;
        for (int turn = 0; turn < 2; turn++)
            for (int i = 0; i < sectors; i++) {
                r.addr[0] = BASE + (uint64_t)i * 32;
                textures_access(t, &r, 0, L2_NOBODY, &site, &to, &lines);
            }
        assert_int_equal(site.v[COUNTER_L1_TEXTURE_SECTORS], 2 * sectors * 8); /* all eight requests of the warp are for it */
        assert_int_equal(site.v[COUNTER_L1_TEXTURE_HIT], 2 * sectors * 8 - to.n);
        assert_int_equal(to.n, sectors == 160 ? 160 : 336);
        assert_int_equal(to.v[0].op, L2_TEXTURE);
        l2_queue_release(&to);
    }
}

/* A second level for textures alone, 4 KB: what it has is not read from DRAM again. */
static void texture_l2(void **state)
{
    struct caches_config c = {.sms = 1, .l2_parts = 1, .gpcs = 1, .sms_per_tpc = 1, .dram_bytes = 64, H200_L2, .texture_l2_bytes = 4096};
    struct l2 *l = l2_new(&c);
    struct l2_queue to = {0};
    struct counters site = {0};
    (void)state;
    for (int turn = 0; turn < 2; turn++) {
        struct l2_request ask = {.line = BASE / 128, .sectors = 3, .op = L2_TEXTURE, .waiter = L2_NOBODY, .fill = L2_NOWHERE};
        l2_queue_add(&to, &ask, NULL);
    }
    l2_serve(l, &to, 1, NULL, UINT64_MAX, &site);
    assert_int_equal(site.v[COUNTER_L2_READ_SECTORS], 4);
    assert_int_equal(site.v[COUNTER_L2_READ_HIT], 2);
    assert_int_equal(site.v[COUNTER_DRAM_READ_SECTORS], 2);
    l2_queue_release(&to);
    l2_free(l);
}

/* Both tables of both partitions may be too large for the host: then there is no L2. Everything else is small. */
static void no_l2_without_memory(void **state)
{
    struct caches_config c = {.sms = 2, .l2_parts = 2, .l2_bytes = 1 << 20, .gpcs = 1, .sms_per_tpc = 1, .dram_bytes = 64, H200_L2};
    int none = 0;
    (void)state;
    for (int n = 1; n < 20; n++) {
        c.l2_bytes += 1 << 16; /* another size: places of the last one are kept */
        alloc_fail_after(n, false);
        struct l2 *l = l2_new(&c);
        none += !l;
        l2_free(l);
    }
    alloc_fail_after(0, false);
    alloc_shortage();
    assert_int_equal(none, 4);
}

/* Places that a launch has left are empty for the next one, also after as many launches as have numbers. */
static void places_again(void **state)
{
    (void)state;
    for (int launch = 0; launch < 600; launch++) {
        struct model m;
        open_model(&m, 0, 16 * 128, 1);
        for (int i = 0; i < 3; i++)
            ask(&m, 0, affine(BASE + 128 * i, 4, 4, i == launch % 3 ? RECORD_STORE : RECORD_LOAD), 0);
        settle(&m);
        assert_int_equal(m.site.v[COUNTER_L2_READ_HIT], 0);
        assert_int_equal(m.site.v[COUNTER_DRAM_READ_SECTORS], 8);
        assert_int_equal(m.site.v[COUNTER_DRAM_WRITE_SECTORS], 0);
        close_model(&m);
    }
}

/* An L2 of one set of 16 lines: ten lines are stored to, and what may not be dirty is written back; ten lines in part, of which
 * those that may not be so are read first, a sector and its neighbour. Shares of 7/16 and 2/16, then of 2/16 and 1/16. */
static void shares_of_l2(void **state)
{
    static const struct { uint32_t dirty, partial; unsigned ways, ways_in_part; } cases[] = {{4375, 1250, 7, 2}, {1250, 625, 2, 1}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int part = 0; part < 2; part++) {
            struct model m;
            open_model(&m, 64 << 10, 16 * 128, 1);
            l2_free(m.l2);
            m.c.dirty_share = cases[i].dirty;
            m.c.partial_share = cases[i].partial;
            m.l2 = l2_new(&m.c);
            for (int line = 0; line < 10; line++) {
                struct record r = affine(BASE + (uint64_t)line * 128, 4, 4, RECORD_STORE);
                r.mask = part ? 1 : r.mask; /* 4 bytes */
                ask(&m, 0, r, (uint64_t)line * 1000);
            }
            settle(&m);
            unsigned cleaned = 10 - (part ? cases[i].ways_in_part : cases[i].ways);
            assert_int_equal(n(&m, COUNTER_DRAM_WRITE_SECTORS), part ? cleaned : 4 * cleaned);
            assert_int_equal(n(&m, COUNTER_DRAM_READ_SECTORS), part ? cleaned : 0);
            close_model(&m);
        }
}

/* Lines that have their home in the far half, and only these, take the link's cycles longer. */
static void way_to_the_far_half(void **state)
{
    enum { LINES = 64, LINK = 500, APART = 10000 };
    uint64_t ready[2][LINES];
    unsigned far = 0;
    (void)state;
    for (unsigned link = 0; link < 2; link++) {
        struct model m;
        open_model(&m, 64 << 10, 1 << 20, 2);
        l2_free(m.l2);
        m.c.link_cycles = link * LINK;
        m.l2 = l2_new(&m.c);
        for (unsigned i = 0; i < LINES; i++) {
            m.waiter[0] = (struct l2_waiter){0};
            ask(&m, 0, affine(BASE + (uint64_t)i * 128, 4, 4, RECORD_LOAD), (uint64_t)i * APART);
            settle(&m);
            ready[link][i] = m.waiter[0].ready;
        }
        close_model(&m);
    }
    for (unsigned i = 0; i < LINES; i++) {
        assert_true(ready[1][i] == ready[0][i] || ready[1][i] == ready[0][i] + LINK);
        far += ready[1][i] != ready[0][i];
    }
    assert_in_range(far, LINES / 4, LINES * 3 / 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_row_of_floats), cmocka_unit_test(shapes_agree), cmocka_unit_test(lines_in_order), cmocka_unit_test(lines_held), cmocka_unit_test(local_words),
        cmocka_unit_test(reuse_of_a_neighbour), cmocka_unit_test(capacity_of_l1), cmocka_unit_test(past_l1), cmocka_unit_test(one_request), cmocka_unit_test(requests_of_a_slice),
        cmocka_unit_test(past_all_caches), cmocka_unit_test(early_l1), cmocka_unit_test(halves_of_l2), cmocka_unit_test(pairs_from_dram), cmocka_unit_test(stores_that_meet),
        cmocka_unit_test(stores_keep_a_sector), cmocka_unit_test(answers), cmocka_unit_test(clusters), cmocka_unit_test(shares_of_l2), cmocka_unit_test(way_to_the_far_half),
        cmocka_unit_test(written_in_part), cmocka_unit_test(atomics_in_l2), cmocka_unit_test(persisting_window),
        cmocka_unit_test(order_of_ways), cmocka_unit_test(quotients_and_times),
        cmocka_unit_test(lines_of_constants), cmocka_unit_test(long_lines_of_constants), cmocka_unit_test(sets_of_constants), cmocka_unit_test(constants_by_halves),
        cmocka_unit_test(quads_of_textures), cmocka_unit_test(tiles_of_arrays),
        cmocka_unit_test(texture_cache_apart), cmocka_unit_test(texture_l2), cmocka_unit_test(no_l2_without_memory), cmocka_unit_test(places_again),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    pages_release(&memory);
    return failed;
}
