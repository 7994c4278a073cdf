/* Atomics: global ones in sectors, shared ones in wavefronts.
 *
 * Global: lanes that hit the same element collide and are served one after another, so the request is counted as
 * rounds: round k holds, for each element, its k-th lane, and costs the distinct sectors of its elements. 32 lanes on
 * one element cost 32, 32 neighbouring 4-byte elements 4, 8-byte ones 8; ATOM, RED and CAS alike.
 * Measured on an NVIDIA H200 (driver 580.159.04, ncu 2025.3.1, 2026-11-20): equal for all shifts of atomics.cu and
 * in 189 of 192 random, strided and grouped accesses (tests/data/h200_patterns.txt). In the other three, and by 0.9 to
 * 1.7 % in histograms over 256 random bins, the GPU counts up to a few sectors more: with lanes spread at random over
 * many lines it splits some sectors once more; the rule behind that is not known.
 *
 * Shared: passes are the largest number of lanes on one bank, same word or not; 64 bits each half of the warp by itself;
 * compare-and-swap takes twice that. An addition of 1 without result is ATOMS.POPC.INC, which sums lanes on the same
 * word by itself, so only distinct words count. What ATOMS does not have (floating point; 64 bits but exch and cas) is a
 * loop: each round loads, computes and tries to swap, for the lanes that are left. In a round one lane a bank gets
 * through, for 64 bits in each half of the warp, and none whose element changed in the other half; a round costs two
 * passes, 64 bits two for each half with lanes. All equal on an H200 in 461 launches of shared_atomics (2026-11-21), but
 * where a lane swaps in the value that was there (adding 0), or several warps want one element at once. */
#include "memory/lanes.h"
#include "memory/memory.h"
#include "ptx/ptx.h"

/* For each active lane how many lower lanes hit the same element; returns the largest. */
static unsigned ranks(const struct record *r, uint8_t rank[32])
{
    struct numbers seen;
    uint8_t count[64] = {0};
    unsigned most = 0;

    numbers_clear(&seen);
    LANES_EACH(lane, r->mask) {
        uint64_t at = record_address(r, (int)lane);
        unsigned i;

        numbers_add(&seen, at);
        for (i = 0; seen.v[i] != at; i++)
            ;
        rank[lane] = count[i]++;
        most = rank[lane] > most ? rank[lane] : most;
    }
    return most;
}

unsigned atomics_sectors(const struct record *r)
{
    uint8_t rank[32];
    unsigned most, n = 0;
    struct record round;

    if (r->shape == RECORD_UNIFORM || (r->shape == RECORD_AFFINE && r->stride == 0))
        return lanes_count(r->mask);
    if (r->shape == RECORD_AFFINE && (r->stride >= r->bytes || r->stride <= -(int)r->bytes))
        return coalescer_sectors(r);
    most = ranks(r, rank);
    if (!most)
        return coalescer_sectors(r);
    round = *r;
    for (unsigned k = 0; k <= most; k++) {
        round.mask = 0;
        LANES_EACH(lane, r->mask)
            round.mask |= (uint32_t)(rank[lane] == k) << lane;
        n += coalescer_sectors(&round);
    }
    return n;
}

/* The largest number of lanes that start on one bank. */
static unsigned lanes_on_a_bank(const struct record *r)
{
    uint8_t depth[32] = {0};
    unsigned deepest = 0;

    LANES_EACH(lane, r->mask) {
        uint8_t d = ++depth[record_address(r, (int)lane) / 4 % 32];

        deepest = d > deepest ? d : deepest;
    }
    return deepest;
}

/* ATOMS.POPC.INC: distinct words in a bank. */
static unsigned counted_wavefronts(const struct record *r)
{
    struct record load = *r;

    load.op = RECORD_LOAD;
    return shared_wavefronts(&load);
}

enum { HALF = 0xffff };

/* 64 bits: elements of one pair of banks, each half of the warp by itself. */
static unsigned wide_wavefronts(const struct record *r)
{
    unsigned n = 0;

    for (int at = 0; at < 32; at += 16) {
        uint8_t depth[16] = {0};
        unsigned deepest = 0;

        LANES_EACH(lane, r->mask & (uint32_t)HALF << at) {
            uint8_t d = ++depth[record_address(r, (int)lane) / 8 % 16];

            deepest = d > deepest ? d : deepest;
        }
        n += deepest;
    }
    return r->atomic == PTX_ATOMIC_CAS ? 2 * n : n;
}

bool atomics_shared_loops(const struct record *r)
{
    bool swap = r->atomic == PTX_ATOMIC_EXCH || r->atomic == PTX_ATOMIC_CAS;

    return !swap && (r->bytes > 4 || r->type == PTX_F32);
}

struct atomics_round atomics_shared_round(const struct record *r, uint32_t mask)
{
    struct atomics_round round = {0};
    unsigned lanes = r->bytes > 4 ? 16 : 32, banks = r->bytes > 4 ? 16 : 32;
    struct numbers changed;

    numbers_clear(&changed);
    for (unsigned at = 0; at < 32; at += lanes) {
        uint32_t taken = 0, group = mask & (lanes == 32 ? ~0u : (uint32_t)HALF << at);

        round.wavefronts += group ? 2 : 0;
        LANES_EACH(lane, group) {
            uint64_t address = record_address(r, (int)lane);
            uint32_t bank = 1u << address / (r->bytes > 4 ? 8 : 4) % banks;

            if (!(taken & bank) && numbers_add(&changed, address))
                round.done |= 1u << lane;
            taken |= bank;
        }
    }
    return round;
}

unsigned atomics_shared_wavefronts(const struct record *r)
{
    if (r->counted)
        return counted_wavefronts(r);
    if (r->bytes > 4)
        return wide_wavefronts(r);
    return lanes_on_a_bank(r) * (r->atomic == PTX_ATOMIC_CAS ? 2 : 1);
}
