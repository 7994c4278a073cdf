/* The memory model: by hand, against the plain oracle, against single accesses and whole launches of an H200. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "memory/memory.h"
#include "memory/sets.h"
#include "memory_oracle.h"
#include "ptx/ptx.h"

static struct record affine(int op, int space, int bytes, uint64_t base, int stride)
{
    struct record r = {.mask = UINT32_MAX, .op = (uint8_t)op, .space = (uint8_t)space, .shape = RECORD_AFFINE,
                       .bytes = (uint8_t)bytes, .elem = (uint8_t)bytes, .stride = stride, .type = PTX_U32,
                       .atomic = PTX_ATOMIC_ADD};

    r.addr[0] = base;
    return r;
}

static void sectors_by_hand(void **state)
{
    struct record r = affine(RECORD_LOAD, PTX_GLOBAL, 4, 4096, 4);

    (void)state;
    assert_int_equal(coalescer_sectors(&r), 4); /* 128 bytes */
    r.addr[0] += 4;
    assert_int_equal(coalescer_sectors(&r), 5);
    r = affine(RECORD_LOAD, PTX_GLOBAL, 16, 4096, 16);
    assert_int_equal(coalescer_sectors(&r), 16);
    r = affine(RECORD_LOAD, PTX_GLOBAL, 1, 4096, 1);
    assert_int_equal(coalescer_sectors(&r), 1);
    r = affine(RECORD_LOAD, PTX_GLOBAL, 4, 4096 + 124, -4);
    assert_int_equal(coalescer_sectors(&r), 4);
    r = affine(RECORD_LOAD, PTX_GLOBAL, 4, 4096, 24); /* 31 * 24 + 4 = 748 bytes: 24 sectors */
    assert_int_equal(coalescer_sectors(&r), 24);
    r.mask = 0x11; /* lanes 0 and 4: bytes 0 and 96 */
    assert_int_equal(coalescer_sectors(&r), 2);
    r.shape = RECORD_UNIFORM;
    assert_int_equal(coalescer_sectors(&r), 1);
}

static void wavefronts_by_hand(void **state)
{
    struct record r = affine(RECORD_LOAD, PTX_SHARED, 4, 0, 4);

    (void)state;
    assert_int_equal(shared_passes(&r).wavefronts, 1);
    r.stride = 8;
    assert_int_equal(shared_passes(&r).wavefronts, 2);
    r.stride = 128;
    assert_int_equal(shared_passes(&r).wavefronts, 32);
    r.mask = 0xff;
    assert_int_equal(shared_passes(&r).wavefronts, 8);
    r = affine(RECORD_LOAD, PTX_SHARED, 8, 0, 8);
    assert_int_equal(shared_passes(&r).wavefronts, 2);
    r = affine(RECORD_LOAD, PTX_SHARED, 16, 0, 16);
    assert_int_equal(shared_passes(&r).wavefronts, 4);
    r.stride = 0;
    assert_int_equal(shared_passes(&r).wavefronts, 2);
    r.op = RECORD_STORE;
    assert_int_equal(shared_passes(&r).wavefronts, 4);
    r = affine(RECORD_LOAD, PTX_SHARED, 1, 0, 1);
    assert_int_equal(shared_passes(&r).wavefronts, 1);
}

/* Lane i loads 16 bytes of row i % 2, rows 512 bytes apart: lanes i and i ^ 2 share, so the hardware has two quarters go together, each pair
 * with two passes through the same banks. The profiler's own count leaves them apart, as they need more than one pass. Rows of matrices are
 * never together. H200, tests/truth/rules: modulo_spread=2. */
static void quarters_that_share(void **state)
{
    struct record r = affine(RECORD_LOAD, PTX_SHARED, 16, 0, 0);

    (void)state;
    r.shape = RECORD_EXPLICIT;
    for (int i = 0; i < 32; i++)
        r.addr[i] = (uint64_t)(i % 2) * 512;
    assert_int_equal(shared_passes(&r).wavefronts, 4);
    assert_int_equal(shared_passes(&r).sass, 8);
    assert_int_equal(shared_passes(&r).ideal, 2);
    r.matrix = 1;
    assert_int_equal(shared_passes(&r).wavefronts, 8);
    assert_int_equal(shared_passes(&r).ideal, 4);
}

static void counters_by_hand(void **state)
{
    struct counters site[2];
    struct memory m;
    struct record r = affine(RECORD_LOAD, PTX_GLOBAL, 4, 4096, 8);

    (void)state;
    memset(site, 0, sizeof site);
    memory_init(&m, site, 2);
    r.site = 1;
    r.mask = 0xffff;
    memory_access(&m, &r); /* 16 lanes * 4 bytes over 124 bytes: 4 sectors, ideally 2 */
    assert_int_equal(site[1].v[COUNTER_GLOBAL_LD_REQUESTS], 1);
    assert_int_equal(site[1].v[COUNTER_GLOBAL_LD_SECTORS], 4);
    assert_int_equal(site[1].v[COUNTER_GLOBAL_LD_IDEAL], 2);
    assert_int_equal(site[1].v[COUNTER_GLOBAL_LD_BYTES], 64);
    r.op = RECORD_ATOM;
    r.stride = 0;
    memory_access(&m, &r); /* 16 collisions */
    assert_int_equal(site[1].v[COUNTER_GLOBAL_ATOM_SECTORS], 16);
    r.space = PTX_SHARED;
    memory_access(&m, &r);
    assert_int_equal(site[1].v[COUNTER_SHARED_ATOM_WAVEFRONTS], 16);
    assert_int_equal(site[1].v[COUNTER_SHARED_ATOM_IDEAL], 1);
    r.op = RECORD_LOAD;
    r.bytes = 8;
    r.stride = 16;
    memory_access(&m, &r); /* 16 lanes, 16 bytes apart: words on banks 4i, 4i+1, two lanes each */
    assert_int_equal(site[1].v[COUNTER_SHARED_LD_WAVEFRONTS], 2);
    assert_int_equal(site[1].v[COUNTER_SHARED_LD_IDEAL], 1);
    r.space = PTX_CONST;
    r.bytes = 4;
    memory_access(&m, &r);
    assert_int_equal(site[1].v[COUNTER_CONST_ADDRESSES], 16);
    for (int c = 0; c < COUNTER_COUNT; c++)
        assert_int_equal(site[0].v[c], 0);
}

/* --- against the oracle --- */

static uint32_t random_state = 2463534242u;

static uint32_t random_32(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 17;
    random_state ^= random_state << 5;
    return random_state;
}

static uint32_t random_mask(void)
{
    uint32_t m = UINT32_MAX;

    switch (random_32() % 5) {
    case 0:
        return m;
    case 1:
        return m >> random_32() % 32 << random_32() % 4 ? m >> random_32() % 32 : m;
    case 2:
        m = random_32() | random_32();
        break;
    case 3:
        m = random_32() & random_32() & random_32();
        break;
    default:
        m = random_32();
    }
    return m ? m : 1;
}

static struct record random_record(void)
{
    static const int widths[] = {1, 2, 4, 8, 16, 32};
    int bytes = widths[random_32() % 6];
    struct record r = affine(random_32() & 1 ? RECORD_LOAD : RECORD_STORE, PTX_GLOBAL, bytes, 0, 0);
    uint32_t window = 1u << random_32() % 12, spread = random_32() % 3 ? 0 : 20;

    r.shape = (uint8_t)(random_32() % 3);
    r.mask = random_mask();
    r.stride = bytes * ((int)(random_32() % 71) - 35);
    for (int i = 0; i < 32; i++)
        r.addr[i] = 65536 + (random_32() % window + ((uint64_t)(random_32() % window) << spread)) * (unsigned)bytes;
    return r;
}

static void equals_the_oracle(void **state)
{
    (void)state;
    for (int i = 0; i < 8000; i++) {
        struct record r = random_record(), e = r;
        unsigned rounds;

        if (r.shape == RECORD_EXPLICIT)
            for (int lane = 0; lane < 32; lane++)
                if (!(r.mask >> lane & 1))
                    r.addr[lane] = UINT64_MAX; /* lanes that take no part must not matter */
        assert_int_equal(coalescer_sectors(&r), oracle_sectors(&r, r.mask));
        assert_int_equal(atomics_sectors(&r, &rounds), oracle_atomic_sectors(&r));
        assert_int_equal(shared_passes(&r).sass, oracle_wavefronts(&r));
        assert_int_equal(local_sectors(&r), oracle_local_sectors(&r));
        /* The same addresses in explicit form cost the same. */
        e.shape = RECORD_EXPLICIT;
        for (int lane = 0; lane < 32; lane++)
            e.addr[lane] = record_address(&r, lane);
        assert_int_equal(coalescer_sectors(&e), coalescer_sectors(&r));
        assert_int_equal(shared_passes(&e).wavefronts, shared_passes(&r).wavefronts);
        assert_int_equal(shared_passes(&e).sass, shared_passes(&r).sass);
        assert_int_equal(constant_addresses(&e), constant_addresses(&r));
        assert_int_equal(atomics_shared_wavefronts(&e), atomics_shared_wavefronts(&r));
    }
}

/* Lanes of a group that are the first with their number. */
static uint32_t plain_fresh(const uint64_t *addr, uint32_t mask, int shift, int group)
{
    uint32_t bits = 0;

    for (int i = 0; i < 32; i++) {
        bool first = mask >> i & 1;

        for (int j = i / group * group; j < i; j++)
            first &= !(mask >> j & 1) || addr[i] >> shift != addr[j] >> shift;
        bits |= (uint32_t)first << i;
    }
    return bits;
}

static unsigned plain_crowd(const uint64_t *addr, uint32_t mask, int shift, int group)
{
    unsigned sum = 0;

    for (int at = 0; at < 32; at += group) {
        unsigned depth[32] = {0}, most = 0;

        for (int i = at; i < at + group; i++)
            if (mask >> i & 1) {
                unsigned d = ++depth[(addr[i] >> shift) % (128u >> shift)];

                most = d > most ? d : most;
            }
        sum += most;
    }
    return sum;
}

/* Rows of every kind: side by side, far apart, rising, falling, a few numbers, any numbers. */
static void random_row(uint64_t *addr)
{
    uint64_t base = random_32() % 4 ? UINT64_C(0x7f0000000000) + random_32() : random_32() % 65536;
    uint64_t stride = 1u << random_32() % 24, window = 1 + random_32() % (1u << random_32() % 31);
    uint32_t kind = random_32() % 6;

    for (unsigned i = 0; i < 32; i++) {
        uint64_t any = random_32() % window;

        addr[i] = kind == 0 ? base + i * stride : kind == 1 ? base - i * stride : kind == 2 ? base + any
                : kind == 3 ? base + any * stride : kind == 4 ? base : base + any % 5 * stride + any / 7 % 3 * 4;
    }
}

static void every_level_answers_alike(void **state)
{
    static const int groups[] = {8, 16, 32};
    int levels = 0;

    (void)state;
    for (int level = 0; level < 3; level++) {
        const struct lane_sets *sets = sets_of(level);

        levels += sets != NULL;
        for (int i = 0; sets && i < 20000; i++) {
            uint64_t addr[32];
            uint32_t mask = random_mask();
            int shift = (int)(random_32() % 6), group = groups[random_32() % 3];
            int word = 2 + (int)(random_32() % 4);

            random_row(addr);
            assert_int_equal(sets->fresh(addr, mask, shift, group), plain_fresh(addr, mask, shift, group));
            assert_int_equal(sets->sectors(addr, mask), __builtin_popcount(plain_fresh(addr, mask, 5, 32)));
            assert_int_equal(sets->crowd(addr, mask, word, group), plain_crowd(addr, mask, word, group));
            assert_int_equal(sets->passes(addr, mask, word, group), plain_crowd(addr, plain_fresh(addr, mask, word, group), word, group));
        }
    }
    assert_true(levels >= 1);
}

/* --- against single accesses of an H200 --- */

struct kind {
    const char *name;
    int op, space, bytes, atomic, type;
    int differ; /* accesses known to differ, as the rule's file says */
};

static const struct kind kinds[] = {
    {"ld8", RECORD_LOAD, PTX_SHARED, 1, 0, PTX_U8, 0},
    {"ld32", RECORD_LOAD, PTX_SHARED, 4, 0, PTX_U32, 0},
    {"ld64", RECORD_LOAD, PTX_SHARED, 8, 0, PTX_U32, 0},
    {"ld128", RECORD_LOAD, PTX_SHARED, 16, 0, PTX_U32, 2},
    {"st8", RECORD_STORE, PTX_SHARED, 1, 0, PTX_U8, 0},
    {"st32", RECORD_STORE, PTX_SHARED, 4, 0, PTX_U32, 0},
    {"st64", RECORD_STORE, PTX_SHARED, 8, 0, PTX_U32, 0},
    {"st128", RECORD_STORE, PTX_SHARED, 16, 0, PTX_U32, 0},
    {"gld32", RECORD_LOAD, PTX_GLOBAL, 4, 0, PTX_U32, 0},
    {"gld64", RECORD_LOAD, PTX_GLOBAL, 8, 0, PTX_U32, 0},
    {"gld128", RECORD_LOAD, PTX_GLOBAL, 16, 0, PTX_U32, 0},
    {"gst64", RECORD_STORE, PTX_GLOBAL, 8, 0, PTX_U32, 0},
    {"gst128", RECORD_STORE, PTX_GLOBAL, 16, 0, PTX_U32, 0},
    {"red32", RECORD_RED, PTX_GLOBAL, 4, PTX_ATOMIC_ADD, PTX_U32, 1},
    {"atom32", RECORD_ATOM, PTX_GLOBAL, 4, PTX_ATOMIC_ADD, PTX_U32, 1},
    {"red64", RECORD_RED, PTX_GLOBAL, 8, PTX_ATOMIC_ADD, PTX_U64, 1},
    {"cas64", RECORD_ATOM, PTX_GLOBAL, 8, PTX_ATOMIC_CAS, PTX_B64, 0},
    {"satom", RECORD_ATOM, PTX_SHARED, 4, PTX_ATOMIC_ADD, PTX_U32, 0},
    {"sred", RECORD_RED, PTX_SHARED, 4, PTX_ATOMIC_ADD, PTX_U32, 0},
    {"scas", RECORD_ATOM, PTX_SHARED, 4, PTX_ATOMIC_CAS, PTX_B32, 0},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

static unsigned cost(const struct record *r)
{
    bool atomic = r->op == RECORD_ATOM || r->op == RECORD_RED;
    unsigned rounds;

    if (r->space == PTX_SHARED)
        return atomic ? atomics_shared_wavefronts(r) : shared_passes(r).sass;
    return atomic ? atomics_sectors(r, &rounds) : coalescer_sectors(r);
}

static void equals_an_h200(void **state)
{
    FILE *f = fopen(DATA "/h200_patterns.txt", "r");
    int seen[KINDS] = {0}, differ[KINDS] = {0};
    char line[1024];

    (void)state;
    assert_non_null(f);
    while (fgets(line, sizeof line, f)) {
        char *at = line, *name = strtok_r(line, " ", &at);
        int k = 0;
        unsigned long mask, want;
        struct record r;

        if (name[0] == '#')
            continue;
        while (k < KINDS && strcmp(kinds[k].name, name))
            k++;
        assert_true(k < KINDS);
        mask = strtoul(at, &at, 16);
        want = strtoul(at, &at, 10);
        r = affine(kinds[k].op, kinds[k].space, kinds[k].bytes, 0, 0);
        r.mask = (uint32_t)mask;
        r.shape = RECORD_EXPLICIT;
        r.atomic = (uint8_t)kinds[k].atomic;
        r.type = (uint8_t)kinds[k].type;
        r.counted = strcmp(name, "sred") == 0; /* red.add of 1 */
        for (int i = 0; i < 32; i++)
            r.addr[i] = strtoul(at, &at, 10);
        seen[k]++;
        differ[k] += cost(&r) != want;
    }
    fclose(f);
    for (int k = 0; k < KINDS; k++) {
        assert_int_equal(seen[k], 48);
        assert_int_equal(differ[k], kinds[k].differ);
    }
}

/* --- whole launches of an H200, replayed from their source (2026-11-20, driver 580.159.04, ncu 2025.3.1) --- */

static struct counters site;
static struct memory model;

static void start(void)
{
    memset(&site, 0, sizeof site);
    memory_init(&model, &site, 1);
}

/* shared_atomics of truth/rules, red,add_f32: rounds, and lanes left in each. 2026-11-21. */
static void shared_atomics_loop(void **state)
{
    static const struct {
        int stride, group; /* lane i takes element i / group * stride */
        unsigned rounds, fadd, wavefronts;
    } launch[] = {{1, 1, 1, 32, 2}, {0, 1, 32, 528, 64}, {2, 1, 2, 48, 4}, {1, 4, 4, 80, 8}};

    (void)state;
    for (size_t k = 0; k < sizeof launch / sizeof launch[0]; k++) {
        struct record r = affine(RECORD_ATOM, PTX_SHARED, 4, 0, 0);

        r.shape = RECORD_EXPLICIT;
        r.atomic = PTX_ATOMIC_ADD;
        r.type = PTX_F32;
        for (int i = 0; i < 32; i++)
            r.addr[i] = (uint64_t)(i / launch[k].group * launch[k].stride * 4);
        start();
        memory_access(&model, &r);
        assert_int_equal(site.v[COUNTER_SHARED_ATOM_REQUESTS], launch[k].rounds);
        assert_int_equal(site.v[COUNTER_SHARED_LD_REQUESTS], launch[k].rounds);
        assert_int_equal(site.v[COUNTER_FADD], launch[k].fadd);
        assert_int_equal(site.v[COUNTER_SHARED_ATOM_WAVEFRONTS], launch[k].wavefronts);
    }
}

/* A word of a lane is a request: 128 bits are 4, one instruction. */
static void local_requests(void **state)
{
    static const int bytes[] = {1, 2, 4, 8, 16}, requests[] = {1, 1, 1, 2, 4};

    (void)state;
    for (int i = 0; i < 5; i++) {
        struct record r = affine(RECORD_LOAD, PTX_LOCAL, bytes[i], 0, 0);

        start();
        memory_access(&model, &r);
        assert_int_equal(site.v[COUNTER_LOCAL_LD_REQUESTS], requests[i]);
        assert_int_equal(site.v[COUNTER_LOCAL_LD_INST], 1);
    }
}

/* copy_offset, copy_stride: 32768 warps of 4-byte accesses. */
static void replay_copies(void **state)
{
    static const struct {
        int offset, stride;
        unsigned sectors;
    } launch[] = {{0, 1, 131072}, {1, 1, 163840},  {2, 1, 163840}, {4, 1, 163840},  {7, 1, 163840},  {8, 1, 131072},
                  {16, 1, 131072}, {31, 1, 163840}, {32, 1, 131072}, {0, 2, 262144}, {0, 4, 524288}, {0, 8, 1048576},
                  {0, 16, 1048576}, {0, 32, 1048576}, {1, 6, 786432} /* aos,one_field */};

    (void)state;
    for (size_t i = 0; i < sizeof launch / sizeof launch[0]; i++) {
        start();
        for (uint64_t warp = 0; warp < 32768; warp++) {
            struct record r = affine(RECORD_STORE, PTX_GLOBAL, 4, 0x200000000000u, 4 * launch[i].stride);

            r.addr[0] += 4 * ((uint64_t)launch[i].offset + warp * 32 * (unsigned)launch[i].stride);
            memory_access(&model, &r);
        }
        assert_int_equal(site.v[COUNTER_GLOBAL_ST_REQUESTS], 32768);
        assert_int_equal(site.v[COUNTER_GLOBAL_ST_SECTORS], launch[i].sectors);
    }
}

/* shared_stride read: 528 blocks of 8 warps, 64 reads each of s[(lane * stride + w * 32 + k * 32) & 8191]. */
static void replay_shared_stride(void **state)
{
    static const struct {
        int stride;
        unsigned wavefronts;
    } launch[] = {{0, 270336}, {1, 270336}, {2, 540672}, {3, 270336}, {4, 1081344}, {5, 270336}, {8, 2162688},
                  {16, 4325376}, {32, 8650752}};

    (void)state;
    for (size_t i = 0; i < sizeof launch / sizeof launch[0]; i++) {
        start();
        for (int w = 0; w < 8; w++)
            for (int k = 0; k < 64; k++) {
                struct record r = affine(RECORD_LOAD, PTX_SHARED, 4, 0, 0);

                r.shape = RECORD_EXPLICIT;
                for (int lane = 0; lane < 32; lane++)
                    r.addr[lane] = 4 * (uint64_t)((lane * launch[i].stride + w * 32 + k * 32) & 8191);
                memory_access(&model, &r);
            }
        assert_int_equal(site.v[COUNTER_SHARED_LD_REQUESTS] * 528, 270336);
        assert_int_equal(site.v[COUNTER_SHARED_LD_WAVEFRONTS] * 528, launch[i].wavefronts);
    }
}

/* shared_width: 528 blocks of 8 warps, 64 reads each of s[(lane * stride + w + k * 32) % n], n elements in 8 KiB / 4. */
static void replay_shared_width(void **state)
{
    static const struct {
        int bytes, stride;
        unsigned wavefronts;
    } launch[] = {{8, 1, 540672},  {16, 1, 1081344}, {8, 2, 1081344}, {16, 2, 2162688}, {8, 4, 2162688},
                  {16, 4, 4325376}, {16, 0, 540672},  {1, 1, 270336},  {1, 4, 270336},   {2, 1, 270336}};

    (void)state;
    for (size_t i = 0; i < sizeof launch / sizeof launch[0]; i++) {
        int n = 32768 / 4 / launch[i].bytes;

        start();
        for (int w = 0; w < 8; w++)
            for (int k = 0; k < 64; k++) {
                struct record r = affine(RECORD_LOAD, PTX_SHARED, launch[i].bytes, 0, 0);

                r.shape = RECORD_EXPLICIT;
                for (int lane = 0; lane < 32; lane++)
                    r.addr[lane] = (uint64_t)((lane * launch[i].stride + w + k * 32) % n * launch[i].bytes);
                memory_access(&model, &r);
            }
        assert_int_equal(site.v[COUNTER_SHARED_LD_WAVEFRONTS] * 528, launch[i].wavefronts);
    }
}

/* transpose: a warp reads column threadIdx.y + j of t[32][32 + pad]: stride 32 + pad words. 131072 requests. */
static void replay_transpose(void **state)
{
    static const unsigned wavefronts[] = {4194304, 131072, 262144};

    (void)state;
    for (int pad = 0; pad < 3; pad++) {
        start();
        for (uint64_t column = 0; column < 32; column++) {
            struct record r = affine(RECORD_LOAD, PTX_SHARED, 4, column * 4, 4 * (32 + pad));

            memory_access(&model, &r);
        }
        assert_int_equal(site.v[COUNTER_SHARED_LD_WAVEFRONTS] * 4096, wavefronts[pad]);
    }
}

/* reduction, red_conflict: 8192 blocks; the first step reads s[2t], s[2t + 1] as one 64-bit load (see COMPILERS.md). */
static void replay_reduction(void **state)
{
    (void)state;
    start();
    for (unsigned d = 1; d < 256; d *= 2)
        for (unsigned warp = 0; warp < 8; warp++) {
            struct record r = affine(RECORD_LOAD, PTX_SHARED, d == 1 ? 8 : 4, 4 * 2 * d * 32 * warp, (int)(4 * 2 * d));

            r.mask = 0;
            for (unsigned lane = 0; lane < 32; lane++)
                r.mask |= (uint32_t)(2 * d * (32 * warp + lane) < 256) << lane;
            if (!r.mask)
                continue;
            memory_access(&model, &r);
            r.addr[0] += 4 * d;
            if (d > 1)
                memory_access(&model, &r);
        }
    struct record last = affine(RECORD_LOAD, PTX_SHARED, 4, 0, 4);
    last.mask = 1;
    memory_access(&model, &last);
    assert_int_equal(site.v[COUNTER_SHARED_LD_REQUESTS] * 8192, 172032);
    assert_int_equal(site.v[COUNTER_SHARED_LD_WAVEFRONTS] * 8192, 712704);
}

/* matmul_tiled<16>: a warp holds two rows; a[ty][k..k+3] is one 128-bit load, b[k][tx] a 32-bit one. 262144 tiles. */
static void replay_matmul(void **state)
{
    (void)state;
    start();
    for (int k = 0; k < 16; k++) {
        struct record r = affine(RECORD_LOAD, PTX_SHARED, 4, 0, 0);

        r.shape = RECORD_EXPLICIT;
        for (int lane = 0; lane < 32; lane++)
            r.addr[lane] = 4 * (uint64_t)(k * 16 + lane % 16);
        memory_access(&model, &r);
        r.bytes = 16;
        for (int lane = 0; lane < 32; lane++)
            r.addr[lane] = 4 * (uint64_t)(lane / 16 * 16 + k);
        if (k % 4 == 0)
            memory_access(&model, &r);
    }
    assert_int_equal(site.v[COUNTER_SHARED_LD_REQUESTS] * 262144, 5242880);
    assert_int_equal(site.v[COUNTER_SHARED_LD_WAVEFRONTS] * 262144, 6291456);
}

/* atomics: p[i >> shift], 16384 warps. */
static void replay_atomics(void **state)
{
    static const struct {
        int shift, bytes;
        unsigned sectors;
    } launch[] = {{0, 4, 65536}, {2, 4, 65536}, {5, 4, 524288}, {8, 4, 524288}, {19, 4, 524288}, {0, 8, 131072}, {5, 8, 524288}};

    (void)state;
    for (size_t i = 0; i < sizeof launch / sizeof launch[0]; i++) {
        start();
        for (unsigned warp = 0; warp < 16384; warp++) {
            struct record r = affine(RECORD_RED, PTX_GLOBAL, launch[i].bytes, 0, 0);

            r.shape = RECORD_EXPLICIT;
            for (unsigned lane = 0; lane < 32; lane++)
                r.addr[lane] = 4096 + (uint64_t)((warp * 32 + lane) >> launch[i].shift) * (unsigned)launch[i].bytes;
            memory_access(&model, &r);
        }
        if (launch[i].shift == 2) /* 8 elements of 4 lanes: 4 rounds of one sector */
            assert_int_equal(site.v[COUNTER_GLOBAL_RED_SECTORS], 16384 * 4);
        assert_int_equal(site.v[COUNTER_GLOBAL_RED_SECTORS], launch[i].sectors);
    }
}

/* histogram, hist_global: 2 Mi random bytes. The GPU splits some sectors once more (atomics.c): within 2 %. */
static void replay_histogram(void **state)
{
    static const double measured[] = {1481476, 1534527};

    (void)state;
    for (uint32_t skew = 0; skew < 2; skew++) {
        double off;

        start();
        random_state = 4242 + skew;
        for (int warp = 0; warp < 65536; warp++) {
            struct record r = affine(RECORD_RED, PTX_GLOBAL, 4, 0, 0);

            r.shape = RECORD_EXPLICIT;
            for (int lane = 0; lane < 32; lane++) {
                uint32_t x = random_32();

                r.addr[lane] = 4 * (uint64_t)(skew ? (x & 255) & (x >> 8 & 255) & (x >> 16 & 255) : x & 255);
            }
            memory_access(&model, &r);
        }
        off = ((double)site.v[COUNTER_GLOBAL_RED_SECTORS] - measured[skew]) / measured[skew];
        assert_true(off < 0 && off > -0.02);
    }
}

/* local_array, arr_dynamic<W>: index starts at v mod W of each lane and steps by 5; v random. */
static void replay_local_array(void **state)
{
    static const struct {
        unsigned words, sectors;
    } launch[] = {{16, 3385520}, {64, 15888832}};
    static uint16_t v[1 << 18];

    (void)state;
    random_state = 2463534242u;
    for (int i = 0; i < 1 << 18; i++)
        v[i] = (uint16_t)random_32();
    for (int l = 0; l < 2; l++) {
        start();
        for (unsigned warp = 0; warp < 8192; warp++)
            for (unsigned k = 0; k < launch[l].words; k++) {
                struct record r = affine(RECORD_LOAD, PTX_LOCAL, 4, 0, 0);

                r.shape = RECORD_EXPLICIT;
                for (unsigned lane = 0; lane < 32; lane++)
                    r.addr[lane] = 4 * (uint64_t)((v[warp * 32 + lane] + 5 * k) % launch[l].words);
                memory_access(&model, &r);
                r.shape = RECORD_UNIFORM;
                r.op = RECORD_STORE;
                memory_access(&model, &r);
            }
        assert_int_equal(site.v[COUNTER_LOCAL_LD_SECTORS], launch[l].sectors);
        assert_int_equal(site.v[COUNTER_LOCAL_ST_SECTORS], site.v[COUNTER_LOCAL_ST_REQUESTS] * 4);
    }
}

/* constant_index: tab[(lane & mask) * 64 + k]: 67584 warps-times-iterations more for each further address. */
static void replay_constant(void **state)
{
    (void)state;
    for (unsigned mask = 0; mask < 32; mask = mask * 2 + 1) {
        struct record r = affine(RECORD_LOAD, PTX_CONST, 4, 0, 0);

        r.shape = RECORD_EXPLICIT;
        for (unsigned lane = 0; lane < 32; lane++)
            r.addr[lane] = (lane & mask) * 256;
        assert_int_equal(constant_addresses(&r), mask + 1);
    }
}

/* What one record adds to the counters of its site. */
static struct counters counted(const struct record *r)
{
    struct counters c;
    struct memory m;
    memset(&c, 0, sizeof c);
    memory_init(&m, &c, 1);
    memory_access(&m, r);
    return c;
}

static void atomics_of_16_bits_are_loops(void **state)
{
    (void)state;
    struct record r = affine(RECORD_RED, PTX_GLOBAL, 2, 4096, 0);
    r.type = PTX_F16;
    r.atomic = PTX_ATOMIC_ADD;
    struct counters c = counted(&r); /* one half-word: a lane a round, 32 + 31 + ... sectors */
    assert_int_equal(c.v[COUNTER_GLOBAL_LD_REQUESTS], 1);
    assert_int_equal(c.v[COUNTER_GLOBAL_LD_SECTORS], 1);
    assert_int_equal(c.v[COUNTER_GLOBAL_ATOM_REQUESTS], 32);
    assert_int_equal(c.v[COUNTER_GLOBAL_ATOM_SECTORS], 528);
    assert_int_equal(c.v[COUNTER_HADD], 528);
    assert_int_equal(c.v[COUNTER_SHARED_ATOM_WAVEFRONTS], 0);
    r.unchanged = 1; /* lane 0 adds nothing: lane 1 gets through with it */
    r.generic = 1;
    c = counted(&r);
    assert_int_equal(c.v[COUNTER_GLOBAL_ATOM_REQUESTS], 31);
    assert_int_equal(c.v[COUNTER_GLOBAL_ATOM_SECTORS], 497);
    assert_int_equal(c.v[COUNTER_SHARED_ATOM_WAVEFRONTS], 62);
    r = affine(RECORD_ATOM, PTX_GLOBAL, 2, 4096, 2); /* neighbours: two lanes a word, 2 sectors twice, then 2 */
    r.type = PTX_B16;
    r.atomic = PTX_ATOMIC_CAS;
    c = counted(&r);
    assert_int_equal(c.v[COUNTER_GLOBAL_LD_SECTORS], 2);
    assert_int_equal(c.v[COUNTER_GLOBAL_ATOM_REQUESTS], 2);
    assert_int_equal(c.v[COUNTER_GLOBAL_ATOM_SECTORS], 6);
    r.stride = 0; /* all but the first see that their comparison fails */
    r.unchanged = ~1u;
    c = counted(&r);
    assert_int_equal(c.v[COUNTER_GLOBAL_ATOM_REQUESTS], 1);
    assert_int_equal(c.v[COUNTER_GLOBAL_ATOM_SECTORS], 32);
    r = affine(RECORD_ATOM, PTX_GLOBAL, 4, 4096, 4); /* a pair of halves is an instruction */
    r.type = PTX_F16X2;
    r.atomic = PTX_ATOMIC_ADD;
    r.generic = 1;
    c = counted(&r);
    assert_int_equal(c.v[COUNTER_GLOBAL_LD_REQUESTS], 0);
    assert_int_equal(c.v[COUNTER_GLOBAL_ATOM_REQUESTS], 1);
    assert_int_equal(c.v[COUNTER_SHARED_ATOM_WAVEFRONTS], 1);
}

static void lanes_that_change_nothing_in_a_shared_loop(void **state)
{
    (void)state;
    struct record r = affine(RECORD_RED, PTX_SHARED, 8, 0, 0);
    r.type = PTX_F64;
    r.atomic = PTX_ATOMIC_ADD;
    struct counters c = counted(&r); /* 16 rounds of both halves, 16 of the upper one, 2 passes each */
    assert_int_equal(c.v[COUNTER_SHARED_ATOM_REQUESTS], 32);
    assert_int_equal(c.v[COUNTER_SHARED_ATOM_WAVEFRONTS], 96);
    r.unchanged = 1; /* lane 16 gets through beside lane 0; then 15 rounds of both, 15 of the upper half */
    c = counted(&r);
    assert_int_equal(c.v[COUNTER_SHARED_ATOM_REQUESTS], 31);
    assert_int_equal(c.v[COUNTER_SHARED_ATOM_WAVEFRONTS], 94);
    r.atomic = PTX_ATOMIC_MAX; /* lane 0 does not try, lane 1 gets through: 15 rounds of both, 16 of the upper half */
    r.type = PTX_U64;
    c = counted(&r);
    assert_int_equal(c.v[COUNTER_SHARED_ATOM_REQUESTS], 31);
    assert_int_equal(c.v[COUNTER_SHARED_ATOM_WAVEFRONTS], 92);
    r.unchanged = ~1u; /* lane 0 gets through, all others see it then */
    c = counted(&r);
    assert_int_equal(c.v[COUNTER_SHARED_ATOM_REQUESTS], 2);
    r.unchanged = ~0u;
    c = counted(&r);
    assert_int_equal(c.v[COUNTER_SHARED_ATOM_REQUESTS], 1);
}

static void halves_in_shared_memory(void **state)
{
    (void)state;
    struct record r = affine(RECORD_ATOM, PTX_SHARED, 4, 0, 0); /* a pair: a loop like that of an f32 */
    r.type = PTX_F16X2;
    r.atomic = PTX_ATOMIC_ADD;
    struct counters c = counted(&r);
    assert_int_equal(c.v[COUNTER_SHARED_LD_REQUESTS], 32);
    assert_int_equal(c.v[COUNTER_SHARED_ATOM_REQUESTS], 32);
    assert_int_equal(c.v[COUNTER_HFMA], 528); /* 32 + 31 + ... */
    r = affine(RECORD_ATOM, PTX_SHARED, 2, 0, 2); /* two lanes a word: a load, then 32 and 16 lanes; H200: 768 additions of 16 warps */
    r.type = PTX_F16;
    r.atomic = PTX_ATOMIC_ADD;
    c = counted(&r);
    assert_int_equal(c.v[COUNTER_SHARED_LD_REQUESTS], 1);
    assert_int_equal(c.v[COUNTER_SHARED_ATOM_REQUESTS], 2);
    assert_int_equal(c.v[COUNTER_HADD], 48);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(atomics_of_16_bits_are_loops),
        cmocka_unit_test(lanes_that_change_nothing_in_a_shared_loop),
        cmocka_unit_test(halves_in_shared_memory),
        cmocka_unit_test(sectors_by_hand),     cmocka_unit_test(wavefronts_by_hand),
        cmocka_unit_test(quarters_that_share),
        cmocka_unit_test(counters_by_hand),    cmocka_unit_test(equals_the_oracle),
        cmocka_unit_test(every_level_answers_alike),
        cmocka_unit_test(equals_an_h200),
        cmocka_unit_test(shared_atomics_loop),
        cmocka_unit_test(local_requests),      cmocka_unit_test(replay_copies),
        cmocka_unit_test(replay_shared_stride), cmocka_unit_test(replay_shared_width),
        cmocka_unit_test(replay_transpose),    cmocka_unit_test(replay_reduction),
        cmocka_unit_test(replay_matmul),       cmocka_unit_test(replay_atomics),
        cmocka_unit_test(replay_histogram),    cmocka_unit_test(replay_local_array),
        cmocka_unit_test(replay_constant),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
