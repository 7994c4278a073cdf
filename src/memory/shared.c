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
#include "memory/sets.h"

/* Every active lane has the address of its partner, inactive partners aside. */
static bool shared_pairwise(const uint64_t *addr, uint32_t mask, unsigned flip)
{
    LANES_EACH(lane, mask)
        if ((mask >> (lane ^ flip) & 1) && addr[lane] != addr[lane ^ flip])
            return false;
    return true;
}

/* 64 bits and more: groups of lanes, neighbouring ones merged where the rule allows. */
static unsigned wide(const uint64_t *addr, const struct record *r, int group)
{
    const struct lane_sets *sets = sets_now();
    int shift = __builtin_ctz(r->bytes);
    uint32_t lanes = group == 16 ? 0xffff : 0xff;
    unsigned n = 0;

    if (r->op != RECORD_LOAD || !(shared_pairwise(addr, r->mask, 1) || shared_pairwise(addr, r->mask, 2)))
        return sets->passes(addr, r->mask, shift, group);
    for (int at = 0; at < 32; at += 2 * group) {
        uint32_t both = r->mask & (lanes | lanes << group) << at;
        unsigned apart = both ? sets->passes(addr, both, shift, group) : 0;

        n += apart > 1 && sets->passes(addr, both, shift, 32) == 1 ? 1 : apart;
    }
    return n;
}

/* One address for all lanes: as many passes as there are groups that can not be merged. */
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

unsigned shared_wavefronts(const struct record *r)
{
    uint64_t own[32];

    if (r->shape == RECORD_UNIFORM)
        return broadcast(r);
    const uint64_t *addr = lanes_addresses(r, own);
    if (r->bytes <= 4)
        return sets_now()->passes(addr, r->mask, 2, 32);
    return wide(addr, r, r->bytes <= 8 ? 16 : 8);
}
