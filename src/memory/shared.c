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
 *   loads of 64 (128) bits: two neighbouring halves (quarters) go together when the addresses are shared pairwise: every
 *                   active lane i has the address of lane i ^ 1, or every one that of lane i ^ 2, inactive lanes aside.
 *                   So the hardware's counters say (l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld and
 *                   l1tex__data_bank_conflicts_..., one warp a launch: 1119 of 1119, tests/truth/rules, 2026-11-23).
 *                   The profiler's own count, smsp__sass_..., has them go together only when they then need a single
 *                   pass: 48 of 48; 128 bits 46 of 48 (the other two have sparse masks and random addresses).
 *   matrices        ldmatrix and stmatrix: the 8 rows of each matrix by themselves, whatever their addresses (413 of 413,
 *                   2026-11-23: matrix_access of tests/truth/rules).
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

/* How many groups of so many lanes have active ones. */
static unsigned groups_in(uint32_t mask, int lanes)
{
    unsigned n = 0;

    for (int at = 0; at < 32; at += lanes)
        n += (lanes == 32 ? mask : mask >> at & ((1u << lanes) - 1)) != 0;
    return n;
}

/* The profiler's own count of groups that may go together: they do where a single pass is enough. */
static unsigned passes_of_pairs(const uint64_t *addr, const struct record *r, int shift, int group)
{
    const struct lane_sets *sets = sets_now();
    unsigned n = 0;

    for (int at = 0; at < 32; at += 2 * group) {
        uint32_t pair = r->mask & (uint32_t)(((UINT64_C(1) << 2 * group) - 1) << at);

        if (pair)
            n += sets->passes(addr, pair, shift, 2 * group) == 1 ? 1 : sets->passes(addr, pair, shift, group);
    }
    return n;
}

struct shared_passes shared_passes(const struct record *r)
{
    uint64_t own[32];
    const bool one = r->shape == RECORD_UNIFORM;
    const uint64_t *addr = one ? NULL : lanes_addresses(r, own);
    int group = r->bytes <= 4 ? 32 : r->bytes <= 8 ? 16 : 8, shift = r->bytes <= 4 ? 2 : __builtin_ctz(r->bytes);
    bool merges = group < 32 && r->op == RECORD_LOAD && !r->matrix &&
                  (one || shared_pairwise(addr, r->mask, 1) || shared_pairwise(addr, r->mask, 2));
    unsigned ideal = groups_in(r->mask, merges ? 2 * group : group);
    unsigned passes = one ? ideal : sets_now()->passes(addr, r->mask, shift, merges ? 2 * group : group);

    return (struct shared_passes){passes, ideal, merges && !one ? passes_of_pairs(addr, r, shift, group) : passes};
}
