/* Rules of GPUs before compute capability 7.0: which device has which, each worked out by hand, and that they only look at
 * addresses modulo what they promise. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/diag.h"
#include "memory/memory.h"
#include "ptx/ptx.h"

enum { BASE = 4096 };

static struct record affine(int op, int space, unsigned bytes, uint64_t base, int stride)
{
    struct record r = {.mask = UINT32_MAX, .op = (uint8_t)op, .space = (uint8_t)space, .shape = RECORD_AFFINE,
                       .bytes = (uint8_t)bytes, .elem = (uint8_t)bytes, .stride = stride, .type = PTX_U32};

    r.addr[0] = base;
    return r;
}

/* A load of global memory. */
static struct record load(unsigned bytes, uint64_t base, int stride)
{
    return affine(RECORD_LOAD, PTX_GLOBAL, bytes, base, stride);
}

static struct record explicitly(struct record r)
{
    for (int i = 31; i >= 0; i--)
        r.addr[i] = record_address(&r, i);
    r.shape = RECORD_EXPLICIT;
    return r;
}

/* Neighbours swapped. */
static struct record swapped(struct record r)
{
    struct record s = explicitly(r);

    r = s;
    for (int i = 0; i < 32; i++)
        r.addr[i] = s.addr[i ^ 1];
    return r;
}

static void load_device(struct device *d, const char *name)
{
    struct diag_list diags;

    diag_init(&diags);
    assert_true(device_load(d, name, &diags));
    diag_release(&diags);
}

/* What a record adds on a device. */
static struct counters counted(const char *device, bool wide, const struct record *r)
{
    struct counters c;
    struct device d;
    struct memory m;

    load_device(&d, device);
    const struct rules rules = rules_of(&d, wide);
    memset(&c, 0, sizeof c);
    memory_init(&m, &c, 1);
    memory_set_rules(&m, &rules);
    memory_access(&m, r);
    return c;
}

/* --- global memory --- */

static void expect(const char *device, struct record r, unsigned of_32, unsigned of_64, unsigned of_128)
{
    static const int first[] = {[RECORD_LOAD] = COUNTER_GLOBAL_LD_OF_32, [RECORD_STORE] = COUNTER_GLOBAL_ST_OF_32};
    struct counters c = counted(device, false, &r);
    const uint64_t *v = c.v + first[r.op];

    if (v[0] != of_32 || v[1] != of_64 || v[2] != of_128)
        fail_msg("%s: %d x 32, %d x 64, %d x 128 instead of %u, %u, %u", device, (int)v[0], (int)v[1], (int)v[2], of_32, of_64,
                 of_128);
}

static void in_order_or_one_by_one(void **state)
{
    struct record r = load(4, BASE, 4);

    (void)state;
    expect("g80", r, 0, 2, 0);
    expect("g80", load(4, BASE + 4, 4), 32, 0, 0); /* not at a segment's begin */
    expect("g80", load(4, BASE + 64, 4), 0, 2, 0);
    expect("g80", swapped(r), 32, 0, 0);
    expect("g80", load(4, BASE, 8), 32, 0, 0);
    expect("g80", load(4, BASE, 0), 32, 0, 0); /* one address, too */
    r.mask = 0x5555;                            /* lanes may be off; the second half has none on */
    expect("g80", r, 0, 1, 0);
    r = swapped(load(4, BASE, 4));
    for (int i = 16; i < 32; i++)
        r.addr[i] = BASE + 4 * (uint64_t)i;
    expect("g80", r, 16, 1, 0); /* each half by itself */
    expect("g80", load(8, BASE, 8), 0, 0, 2);
    expect("g80", load(8, BASE + 64, 8), 32, 0, 0);
    expect("g80", load(16, BASE, 16), 0, 0, 4);
    expect("g80", load(16, BASE + 128, 16), 0, 0, 4);
    expect("g80", load(16, BASE + 16, 16), 32, 0, 0);
    expect("g80", load(1, BASE, 1), 32, 0, 0);
    expect("g80", load(2, BASE, 2), 32, 0, 0);
    expect("g80", load(1, BASE, 7), 32, 0, 0); /* a byte of a 7-byte structure */
    expect("g80", affine(RECORD_STORE, PTX_GLOBAL, 4, BASE, 4), 0, 2, 0);
    expect("g80", affine(RECORD_STORE, PTX_GLOBAL, 4, BASE + 4, 4), 32, 0, 0);
}

static void segments_shrink(void **state)
{
    struct record r = load(4, BASE, 4);

    (void)state;
    expect("gt200", r, 0, 2, 0); /* each half of the warp one half of the segment */
    expect("gt200", swapped(r), 0, 2, 0);
    /* Bytes 4 to 67: 128. Bytes 68 to 127 of the second half: the upper 64; its last word in the next segment: 32. */
    expect("gt200", load(4, BASE + 4, 4), 1, 1, 1);
    expect("gt200", load(4, BASE, 8), 0, 0, 2);
    expect("gt200", load(4, BASE, 128), 32, 0, 0);
    expect("gt200", load(4, BASE, 0), 2, 0, 0);
    r.mask = 1u << 5;
    expect("gt200", r, 1, 0, 0);
    r.mask = 0x8001; /* bytes 0 to 3 and 60 to 63 */
    expect("gt200", r, 0, 1, 0);
    expect("gt200", load(1, BASE, 1), 2, 0, 0);  /* segments of 32 bytes */
    expect("gt200", load(1, BASE, 7), 8, 0, 0);  /* bytes 0 to 105 and 112 to 217: 4 each */
    expect("gt200", load(2, BASE, 2), 2, 0, 0);  /* of 64, half of each used */
    expect("gt200", load(2, BASE, 4), 0, 2, 0);
    expect("gt200", load(8, BASE, 8), 0, 0, 2);
    expect("gt200", load(16, BASE, 16), 0, 0, 4);
    expect("gt200", load(16, BASE + 16, 16), 2, 0, 4); /* a half's last word lies in a third segment */
    expect("gt200", affine(RECORD_STORE, PTX_GLOBAL, 4, BASE + 4, 4), 1, 1, 1);
}

/* The same record with a cache operator. */
static struct record by(struct record r, int cache)
{
    r.cache = (uint8_t)cache;
    return r;
}

static void lines_through_l1_or_32_bytes_past_it(void **state)
{
    static const struct {
        unsigned bytes, from;
        int stride;
        unsigned lines, segments;
    } cases[] = {
        {4, 0, 4, 1, 4},     {4, 4, 4, 2, 5},   {4, 0, 8, 2, 8},   {4, 0, 128, 32, 32}, {4, 0, 0, 1, 1}, {4, 124, -4, 1, 4},
        {8, 0, 8, 2, 8},     {8, 8, 8, 4, 10}, /* each half-warp by itself: 8 to 135, 136 to 263 */
        {16, 0, 16, 4, 16},  {16, 16, 16, 8, 20}, {1, 0, 1, 1, 1},  {1, 0, 7, 2, 7},     {2, 0, 2, 1, 2},
        {32, 0, 32, 16, 64}, /* twice 16 bytes: quarters over 256 bytes, half of each 32 used */
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct record r = load(cases[i].bytes, BASE + cases[i].from, cases[i].stride), s = r;

        s.op = RECORD_STORE;
        expect("c2050", r, 0, 0, cases[i].lines);
        expect("c2050", by(r, PTX_CACHE_CG), cases[i].segments, 0, 0);
        expect("c2050", s, cases[i].segments, 0, 0); /* stores are L2's */
        expect("k40", r, cases[i].segments, 0, 0);   /* L1 only if asked */
        expect("k40", by(r, PTX_CACHE_CA), 0, 0, cases[i].lines);
        r.cache = PTX_CACHE_CG;
        assert_int_equal(counted("c2050", false, &r).v[COUNTER_GLOBAL_LD_LINES], cases[i].lines);
        assert_int_equal(counted("c2050", false, &s).v[COUNTER_GLOBAL_ST_LINES], cases[i].lines);
    }
    expect("c2050", swapped(load(4, BASE, 4)), 0, 0, 1);
}

/* 5.0 and later: no transactions but sectors. */
static void sectors_later(void **state)
{
    static const char *const devices[] = {"gtx980", "p100", "v100", "h200"};
    struct record r = load(4, BASE + 4, 4);

    (void)state;
    for (size_t i = 0; i < sizeof devices / sizeof devices[0]; i++) {
        struct counters c = counted(devices[i], false, &r);

        expect(devices[i], r, 0, 0, 0);
        assert_int_equal(c.v[COUNTER_GLOBAL_LD_SECTORS], 5);
        assert_int_equal(c.v[COUNTER_GLOBAL_LD_REQUESTS], 1);
    }
    for (int i = 0; i < 4; i++) /* and everywhere beside them */
        assert_int_equal(counted((const char *[]){"g80", "gt200", "c2050", "k40"}[i], false, &r).v[COUNTER_GLOBAL_LD_SECTORS], 5);
}

static void readonly_loads(void **state)
{
    struct record r = load(4, BASE + 4, 4);

    (void)state;
    r.nc = 1;
    struct counters c = counted("k40", false, &r); /* by way of the texture cache, 32 bytes at a time */
    assert_int_equal(c.v[COUNTER_READONLY_REQUESTS], 1);
    assert_int_equal(c.v[COUNTER_READONLY_SECTORS], 5);
    assert_int_equal(c.v[COUNTER_READONLY_IDEAL], 4);
    assert_int_equal(c.v[COUNTER_READONLY_BYTES], 128);
    assert_int_equal(c.v[COUNTER_GLOBAL_LD_REQUESTS], 0);
    c = counted("p100", false, &r); /* one cache, but told of */
    assert_int_equal(c.v[COUNTER_READONLY_SECTORS], 5);
    assert_int_equal(c.v[COUNTER_GLOBAL_LD_SECTORS], 5);
    c = counted("c2050", false, &r); /* no such path */
    assert_int_equal(c.v[COUNTER_READONLY_REQUESTS], 0);
    assert_int_equal(c.v[COUNTER_GLOBAL_LD_OF_128], 2);
    c = counted("h200", false, &r);
    assert_int_equal(c.v[COUNTER_READONLY_REQUESTS], 0);
    assert_int_equal(c.v[COUNTER_GLOBAL_LD_SECTORS], 5);
}

static void local_words(void **state)
{
    static const struct {
        const char *device;
        unsigned one, two, scattered; /* a word, two words, a word of each lane's own */
    } cases[] = {{"g80", 2, 4, 32}, {"gt200", 2, 4, 32}, {"c2050", 1, 2, 32}, {"k40", 1, 2, 32}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct record r = affine(RECORD_LOAD, PTX_LOCAL, 4, 16, 0);

        assert_int_equal(counted(cases[i].device, false, &r).v[COUNTER_LOCAL_LD_TRANSACTIONS], cases[i].one);
        r.bytes = 8;
        r.op = RECORD_STORE;
        assert_int_equal(counted(cases[i].device, false, &r).v[COUNTER_LOCAL_ST_TRANSACTIONS], cases[i].two);
        r.bytes = 4;
        r.stride = 4;
        assert_int_equal(counted(cases[i].device, false, &r).v[COUNTER_LOCAL_ST_TRANSACTIONS], cases[i].scattered);
        assert_int_equal(counted(cases[i].device, false, &r).v[COUNTER_LOCAL_ST_SECTORS], 32);
    }
}

/* --- shared and constant memory --- */

static void expect_banks(const char *device, bool wide, struct record r, unsigned passes, unsigned ideal)
{
    struct counters c = counted(device, wide, &r);
    const uint64_t *v = c.v + (r.op == RECORD_LOAD ? COUNTER_SHARED_LD_REQUESTS : COUNTER_SHARED_ST_REQUESTS);

    assert_int_equal(v[0], 1);
    if (v[1] != passes || v[2] != ideal)
        fail_msg("%s: %d passes, ideally %d, instead of %u and %u", device, (int)v[1], (int)v[2], passes, ideal);
}

static struct record shared(int op, unsigned bytes, uint64_t base, int stride)
{
    return affine(op, PTX_SHARED, bytes, base, stride);
}

static void sixteen_banks(void **state)
{
    struct record r = shared(RECORD_LOAD, 4, 0, 4);

    (void)state;
    expect_banks("g80", false, r, 2, 2); /* two half-warps */
    expect_banks("gt200", false, r, 2, 2);
    expect_banks("g80", false, shared(RECORD_LOAD, 4, 0, 8), 4, 2);
    expect_banks("g80", false, shared(RECORD_LOAD, 4, 0, 12), 2, 2); /* an odd stride */
    expect_banks("g80", false, shared(RECORD_LOAD, 4, 0, 64), 32, 2);
    expect_banks("g80", false, shared(RECORD_STORE, 4, 0, 64), 32, 2);
    expect_banks("g80", false, shared(RECORD_LOAD, 4, 0, 0), 2, 2);  /* broadcast */
    expect_banks("g80", false, shared(RECORD_STORE, 4, 0, 0), 2, 2); /* one lane writes */
    expect_banks("g80", false, shared(RECORD_LOAD, 1, 0, 1), 8, 2);  /* four lanes a word: the guide's example */
    expect_banks("g80", false, shared(RECORD_STORE, 1, 0, 1), 8, 2);
    expect_banks("g80", false, shared(RECORD_LOAD, 1, 0, 4), 2, 2);
    expect_banks("g80", false, shared(RECORD_LOAD, 8, 0, 8), 8, 4); /* two accesses with a stride of two words */
    r = explicitly(r);
    for (int i = 0; i < 32; i++)
        r.addr[i] = (i & 8) / 2; /* eight lanes on word 0, eight on word 1: one word is broadcast in a step */
    expect_banks("g80", false, r, 4, 2);
    r.mask = 0xff;
    expect_banks("g80", false, r, 1, 1);
}

static void thirty_two_banks(void **state)
{
    (void)state;
    expect_banks("c2050", false, shared(RECORD_LOAD, 4, 0, 4), 1, 1);
    expect_banks("c2050", false, shared(RECORD_LOAD, 4, 0, 8), 2, 1);
    expect_banks("c2050", false, shared(RECORD_LOAD, 4, 0, 12), 1, 1);
    expect_banks("c2050", false, shared(RECORD_LOAD, 4, 0, 128), 32, 1);
    expect_banks("c2050", false, shared(RECORD_LOAD, 4, 0, 132), 1, 1); /* [32][33] */
    expect_banks("c2050", false, shared(RECORD_LOAD, 1, 0, 1), 1, 1);
    expect_banks("c2050", false, shared(RECORD_STORE, 1, 0, 1), 1, 1);
    expect_banks("c2050", false, shared(RECORD_LOAD, 8, 0, 8), 2, 2);
    expect_banks("c2050", false, shared(RECORD_LOAD, 8, 0, 16), 4, 2); /* 2 * (2 - 1) conflicts, as CUPTI says */
    expect_banks("c2050", false, shared(RECORD_LOAD, 16, 0, 16), 8, 4); /* "one must add 1" a quarter */
    struct record r = explicitly(shared(RECORD_LOAD, 4, 0, 4));
    for (int i = 0; i < 32; i++)
        r.addr[i] = (i & 16) / 4; /* several words are broadcast in a pass */
    expect_banks("c2050", false, r, 1, 1);
}

static void eight_byte_banks(void **state)
{
    (void)state;
    expect_banks("k40", false, shared(RECORD_LOAD, 4, 0, 4), 1, 1);
    expect_banks("k40", false, shared(RECORD_LOAD, 4, 0, 8), 1, 1); /* words i and i + 32 of one row of 64 */
    expect_banks("k40", false, shared(RECORD_LOAD, 4, 128, 8), 2, 1); /* of two rows */
    expect_banks("k40", false, shared(RECORD_LOAD, 4, 0, 16), 2, 1);
    expect_banks("k40", false, shared(RECORD_LOAD, 4, 0, 128), 16, 1);
    expect_banks("k40", false, shared(RECORD_LOAD, 4, 0, 132), 1, 1);
    expect_banks("k40", false, shared(RECORD_LOAD, 8, 0, 8), 1, 1);
    expect_banks("k40", false, shared(RECORD_LOAD, 8, 0, 16), 2, 1);
    expect_banks("k40", false, shared(RECORD_LOAD, 16, 0, 16), 2, 2);
    expect_banks("k40", true, shared(RECORD_LOAD, 4, 0, 4), 1, 1);
    expect_banks("k40", true, shared(RECORD_LOAD, 4, 128, 8), 1, 1); /* any row of 8-byte words */
    expect_banks("k40", true, shared(RECORD_LOAD, 4, 0, 128), 16, 1);
    expect_banks("k40", true, shared(RECORD_LOAD, 4, 0, 256), 32, 1);
    expect_banks("k40", true, shared(RECORD_LOAD, 8, 0, 8), 1, 1);
    expect_banks("k40", true, shared(RECORD_LOAD, 8, 0, 16), 2, 1);
    expect_banks("c2050", true, shared(RECORD_LOAD, 4, 0, 8), 2, 1); /* cannot be chosen there */
}

static void constants_by_halves(void **state)
{
    struct record r = affine(RECORD_LOAD, PTX_CONST, 4, 0, 0);

    (void)state;
    assert_int_equal(counted("g80", false, &r).v[COUNTER_CONST_ADDRESSES], 2);
    assert_int_equal(counted("c2050", false, &r).v[COUNTER_CONST_ADDRESSES], 1);
    r.stride = 4;
    assert_int_equal(counted("gt200", false, &r).v[COUNTER_CONST_ADDRESSES], 32);
    assert_int_equal(counted("gt200", false, &r).v[COUNTER_CONST_REQUESTS], 1);
}

/* --- which rules, and what they look at --- */

static void every_device_has_its_rules(void **state)
{
    static const struct {
        const char *device, *rules;
        unsigned shared_residue;
        bool readonly, apart;
    } cases[] = {
        {"g80", "IN_ORDER", 128, false, false},  {"gt200", "SEGMENTS", 128, false, false},
        {"c2050", "LINES", 128, false, false},   {"k40", "WIDE_BANKS", 256, true, true},
        {"gtx980", "SECTORS_TEXTURE", 128, true, false}, {"p100", "SECTORS_TEXTURE", 128, true, false},
        {"v100", "SECTORS", 128, false, false},  {"h200", "SECTORS", 128, false, false},
    };
    int before = 0;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct device d;

        load_device(&d, cases[i].device);
        struct rules rules = rules_of(&d, false);
        assert_string_equal(rules.set->id, cases[i].rules);
        assert_int_equal(rules.shared_residue, cases[i].shared_residue);
        assert_int_equal(rules.readonly, cases[i].readonly);
        assert_int_equal(rules.readonly && rules.readonly_apart, cases[i].apart);
        assert_int_equal(rules_of(&d, true).shared_residue, 128);
    }
    for (int i = 0; rules_at(i); i++) { /* rows in order, none over another */
        assert_true(rules_at(i)->first > before && rules_at(i)->last >= rules_at(i)->first);
        before = rules_at(i)->last;
    }
    assert_null(rules_at(-1));
}

static uint32_t random_state = 88172645;

static uint32_t random_32(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 17;
    random_state ^= random_state << 5;
    return random_state;
}

/* Moved by 128 bytes, in shared memory by the residue, an access costs the same; moved by half of it under rules of 256, some do not. */
static void residues(void **state)
{
    static const char *const devices[] = {"g80", "gt200", "c2050", "k40", "gtx980", "h200"};
    static const int spaces[] = {PTX_GLOBAL, PTX_SHARED};
    bool half_differs = false;

    (void)state;
    for (size_t i = 0; i < sizeof devices / sizeof devices[0]; i++) {
        struct device d;

        load_device(&d, devices[i]);
        for (int n = 0; n < 4000; n++) {
            const bool wide = n & 1;
            const struct rules rules = rules_of(&d, wide);
            unsigned bytes = 1u << random_32() % 5, window = 32u << random_32() % 7;
            struct record r = affine(n & 2 ? RECORD_STORE : RECORD_LOAD, spaces[random_32() % 2], bytes, 0, 0);
            struct counters c[3];
            unsigned step;

            r.shape = RECORD_EXPLICIT;
            r.mask = random_32() | 1;
            r.cache = random_32() % 2 ? PTX_CACHE_CA : PTX_CACHE_DEFAULT;
            for (unsigned lane = 0; lane < 32; lane++)
                r.addr[lane] = (random_32() % 2 ? random_32() % window : lane * bytes * 2) / bytes * bytes;
            step = r.space == PTX_SHARED ? rules.shared_residue : 128;
            memset(c, 0, sizeof c);
            for (int k = 0; k < 3; k++) {
                struct record moved = r;
                struct memory m;

                for (int lane = 0; lane < 32; lane++)
                    moved.addr[lane] += (uint64_t[]){0, step, step / 2}[k];
                memory_init(&m, &c[k], 1);
                memory_set_rules(&m, &rules);
                memory_access(&m, &moved);
            }
            assert_memory_equal(&c[0], &c[1], sizeof c[0]);
            half_differs |= step > 128 && memcmp(&c[0], &c[2], sizeof c[0]);
        }
    }
    assert_true(half_differs);
}

/* 1.3: 16 doubles from byte 8 of a segment of 128 on, bytes 8 to 135: a whole segment, and 32 bytes of the next; the second
 * half-warp, bytes 136 to 263: the same one further. 1.0, in order: two of 128; not in order: 32 bytes around each lane. */
static void transactions_and_where(void **state)
{
    struct transaction each[TRANSACTIONS_MAX];
    struct record r = {.mask = UINT32_MAX, .op = RECORD_LOAD, .space = PTX_GLOBAL, .shape = RECORD_AFFINE, .bytes = 8, .stride = 8};

    (void)state;
    r.addr[0] = 1024 + 8;
    struct transactions t = {.each = each};
    halfwarp_segments(&r, false, &t);
    assert_int_equal(t.n, 4);
    static const struct transaction want[] = {{1024, 128}, {1152, 32}, {1152, 128}, {1280, 32}};
    for (int i = 0; i < 4; i++) {
        assert_int_equal(each[i].addr, want[i].addr);
        assert_int_equal(each[i].bytes, want[i].bytes);
    }
    t = (struct transactions){.each = each};
    halfwarp_in_order(&r, false, &t);
    assert_int_equal(t.n, 32);
    assert_int_equal(each[31].addr, 1024 + 256); /* lane 31: bytes 256 to 263 */
    assert_int_equal(each[31].bytes, 32);
    r.addr[0] = 1024;
    t = (struct transactions){.each = each};
    halfwarp_in_order(&r, false, &t);
    assert_int_equal(t.n, 2);
    assert_int_equal(each[1].addr, 1024 + 128);
    assert_int_equal(each[1].bytes, 128);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_order_or_one_by_one),
        cmocka_unit_test(segments_shrink),
        cmocka_unit_test(lines_through_l1_or_32_bytes_past_it),
        cmocka_unit_test(sectors_later),
        cmocka_unit_test(readonly_loads),
        cmocka_unit_test(local_words),
        cmocka_unit_test(sixteen_banks),
        cmocka_unit_test(thirty_two_banks),
        cmocka_unit_test(eight_byte_banks),
        cmocka_unit_test(transactions_and_where),
        cmocka_unit_test(constants_by_halves),
        cmocka_unit_test(every_device_has_its_rules),
        cmocka_unit_test(residues),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
