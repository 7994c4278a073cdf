/* Shared memory: from the offsets of a warp to wavefronts, the passes through 32 banks of 4 bytes.
 *
 * Rules for compute capability 7.0 to 9.0. A pass reads or writes at most one 4-byte word of each bank; lanes that
 * want the same word share it (CUDA programming guide, "shared memory" of compute capability 5.x: broadcast and
 * multicast). What the guide leaves open was measured on an NVIDIA H200 (driver 580.159.04, ncu 2025.3.1,
 * smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_{ld,st}, 2026-11-20), 48 accesses of random, strided and
 * grouped offsets with full and partial masks each (tests/data/h200_patterns.txt):
 *   8, 16, 32 bits  the warp as a whole: the largest number of distinct words in a bank. 48 of 48 equal.
 *   64 bits         each half of the warp by itself. 48 of 48 (stores).
 *   128 bits        each quarter by itself. 48 of 48 (stores).
 *   loads of 64 (128) bits: two neighbouring halves (quarters) share one pass when together they need no more than
 *                   one, and the addresses are shared pairwise: every active lane i has the address of lane i ^ 1, or
 *                   every one that of lane i ^ 2, inactive lanes aside. 48 of 48; 128 bits 46 of 48 (the other two
 *                   have sparse masks and random addresses; their rule is not known).
 * So unit-stride 64-bit accesses cost 2 passes, 128-bit ones 4, a 128-bit broadcast 2. */
#include "memory/lanes.h"
#include "memory/memory.h"

enum { BANKS = 32, WORDS_MAX = 32 * 9 };

/* Words by bank, each once. */
struct banks {
    uint16_t head[BANKS]; /* 1 + index of the newest word of the bank, 0: none */
    uint8_t depth[BANKS]; /* distinct words */
    uint16_t next[WORDS_MAX];
    uint64_t word[WORDS_MAX];
    unsigned n, deepest;
};

static void banks_clear(struct banks *b)
{
    memset(b->head, 0, sizeof b->head);
    memset(b->depth, 0, sizeof b->depth);
    b->n = b->deepest = 0;
}

static void banks_add(struct banks *b, uint64_t word)
{
    unsigned bank = word % BANKS;

    for (unsigned i = b->head[bank]; i; i = b->next[i - 1])
        if (b->word[i - 1] == word)
            return;
    b->word[b->n] = word;
    b->next[b->n] = b->head[bank];
    b->head[bank] = (uint16_t)++b->n;
    if (++b->depth[bank] > b->deepest)
        b->deepest = b->depth[bank];
}

/* Passes that the lanes of a mask need as one group: 0 for none. */
static unsigned group_passes(const struct record *r, uint32_t mask)
{
    struct banks b;

    if (!mask)
        return 0;
    banks_clear(&b);
    LANES_EACH(lane, mask) {
        uint64_t at = record_address(r, (int)lane), last = (at + r->bytes - 1) / 4;

        for (uint64_t word = at / 4; word <= last; word++)
            banks_add(&b, word);
    }
    return b.deepest;
}

/* Every active lane has the address of its partner, inactive partners aside. */
static bool shared_pairwise(const struct record *r, unsigned flip)
{
    LANES_EACH(lane, r->mask)
        if ((r->mask >> (lane ^ flip) & 1) &&
            record_address(r, (int)lane) != record_address(r, (int)(lane ^ flip)))
            return false;
    return true;
}

/* 64 and 128 bits: groups of `lanes` lanes, neighbouring ones merged where the rule allows. */
static unsigned wide(const struct record *r, int lanes)
{
    uint32_t group = lanes == 16 ? 0xffff : 0xff;
    bool mergeable = r->op == RECORD_LOAD && (shared_pairwise(r, 1) || shared_pairwise(r, 2));
    unsigned n = 0;

    for (int at = 0; at < 32; at += 2 * lanes) {
        uint32_t a = r->mask & group << at, b = r->mask & group << (at + lanes);
        unsigned apart = group_passes(r, a) + group_passes(r, b);

        if (mergeable && apart > 1 && group_passes(r, a | b) == 1)
            apart = 1;
        n += apart;
    }
    return n;
}

/* One address for all lanes, not wider than 16 bytes: as many passes as there are groups that can not be merged. */
static unsigned broadcast(const struct record *r)
{
    int lanes = r->bytes <= 4 ? 32 : r->bytes <= 8 ? 16 : 8;
    unsigned n = 0;

    if (r->op == RECORD_LOAD && lanes < 32)
        lanes *= 2;
    for (int at = 0; at < 32; at += lanes)
        n += (lanes == 32 ? r->mask : r->mask >> at & ((1u << lanes) - 1)) != 0;
    return n;
}

/* 32-bit words a whole number of words apart: lanes fall on 32 / g banks, g = gcd(stride, 32), no two on one word. */
static unsigned strided_words(const struct record *r)
{
    uint32_t stride = (uint32_t)(r->stride / 4), g = stride & -stride;
    uint8_t depth[BANKS] = {0};
    unsigned deepest = 0;

    if (g > BANKS)
        g = BANKS;
    if (g == 1)
        return 1;
    if (r->mask == UINT32_MAX || g == BANKS)
        return r->mask == UINT32_MAX ? g : lanes_count(r->mask);
    LANES_EACH(lane, r->mask) {
        uint8_t d = ++depth[lane * stride % BANKS];

        deepest = d > deepest ? d : deepest;
    }
    return deepest;
}

/* 64 and 128-bit loads and stores of a full warp, side by side. */
static bool unit_stride(const struct record *r)
{
    return r->mask == UINT32_MAX && (r->stride == r->bytes || r->stride == -(int)r->bytes) && r->addr[0] % r->bytes == 0;
}

unsigned shared_wavefronts(const struct record *r)
{
    bool affine = r->shape == RECORD_AFFINE;
    bool aligned = r->addr[0] % (r->bytes ? r->bytes : 1) == 0;

    if ((r->shape == RECORD_UNIFORM || (affine && r->stride == 0)) && aligned && r->bytes <= 16)
        return broadcast(r);
    if (affine && r->bytes == 4 && aligned && r->stride % 4 == 0)
        return strided_words(r);
    if (affine && (r->bytes == 8 || r->bytes == 16) && unit_stride(r))
        return r->bytes / 4;
    if (r->bytes <= 4)
        return group_passes(r, r->mask);
    return wide(r, r->bytes <= 8 ? 16 : 8);
}
