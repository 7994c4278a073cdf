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
 * Shared: passes are the largest number of lanes on one bank, same word or not; compare-and-swap takes twice that (48
 * of 48 each). A reduction (no result used) by atomicAdd of 1 becomes ATOMS.POPC.INC, which sums lanes on the same
 * word by itself, so only distinct words count (48 of 48); all additions without result are taken for that. */
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

unsigned atomics_shared_wavefronts(const struct record *r)
{
    bool counts = r->op == RECORD_RED && r->atomic == PTX_ATOMIC_ADD && r->bytes == 4 && r->type != PTX_F32;

    if (counts)
        return shared_wavefronts(r);
    return lanes_on_a_bank(r) * (r->atomic == PTX_ATOMIC_CAS ? 2 : 1);
}
