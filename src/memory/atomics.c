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
 * 16 bits: a load of the words, then rounds of a compare-and-swap of words, one lane of each word a round, more if a lane
 * leaves its word as it was; a compare-and-swap whose half-word another lane has changed ends with the round. Through a
 * generic address an atomic of halves also asks whether the address is shared memory's, and the GPU counts that in the
 * shared path: 2 wavefronts a round, and 1 for a pair of halves, which is an instruction. All equal in the 25 launches of
 * add_half, add_half2 and cas_u16 of global_atomics, but for sectors of random addresses.
 *
 * Shared: passes are the largest number of lanes on one bank, same word or not; 64 bits each half of the warp by itself;
 * compare-and-swap takes twice that. An addition of 1 without result is ATOMS.POPC.INC, which sums lanes on the same
 * word by itself, so only distinct words count. What ATOMS does not have (floating point; 64 bits but exch and cas) is a
 * loop: each round loads, computes and tries to swap, for the lanes that are left. In a round one lane a bank gets
 * through, for 64 bits in each half of the warp, and none whose element changed in the other half; a round costs two
 * passes, 64 bits two for each half with lanes. A lane that swaps in what was there (adding 0) does not count as a
 * change; one that sees that its minimum or maximum changes nothing does not try. All equal on an H200 in 461 launches of
 * shared_atomics (2026-11-21), but where several warps want one element at once: a round in which another warp gets through counts for
 * all of them there, and four warps that add to one word make four times as many rounds each (2026-11-29). Pairs of halves are such a
 * loop, 16 bits one around the word that holds them, as in global memory. */
#include "memory/lanes.h"
#include "memory/memory.h"
#include "memory/sets.h"
#include "ptx/ptx.h"

unsigned atomics_sectors(const struct record *r, unsigned *rounds)
{
    const struct lane_sets *sets = sets_now();
    uint64_t own[32];
    unsigned n = 0;

    *rounds = 0;
    if (r->shape == RECORD_UNIFORM)
        return *rounds = lanes_count(r->mask);
    const uint64_t *addr = lanes_addresses(r, own);
    for (uint32_t left = r->mask; left; (*rounds)++) {
        uint32_t round = sets->fresh(addr, left, 0, 32);

        n += sets->sectors(addr, round);
        left &= ~round;
    }
    return n;
}

/* 16 bits in global memory: no instruction has them (a compare-and-swap, an addition of f16 or bf16), so the assembler
 * makes a loop over the word that holds the half-word: load it once, then swap the word in until nothing came between. */
bool atomics_global_loops(const struct record *r)
{
    return r->bytes == 2;
}

void atomics_word_record(const struct record *r, struct record *words)
{
    *words = *r;
    words->shape = RECORD_EXPLICIT;
    words->bytes = words->elem = 4;
    LANES_EACH(lane, r->mask)
        words->addr[lane] = record_address(r, (int)lane) & ~UINT64_C(3);
}

struct atomics_round atomics_global_round(const struct record *r, uint32_t mask)
{
    struct atomics_round round = {0};
    struct numbers words, elements; /* changed in this round */
    struct record swap;

    atomics_word_record(r, &swap);
    swap.mask = mask;
    unsigned rounds;
    round.sectors = atomics_sectors(&swap, &rounds);
    numbers_clear(&words);
    numbers_clear(&elements);
    LANES_EACH(lane, mask) {
        uint64_t element = record_address(r, (int)lane);
        bool same = r->unchanged >> lane & 1;

        if (!numbers_have(&words, swap.addr[lane])) {
            round.done |= 1u << lane;
            if (!same) {
                numbers_add(&words, swap.addr[lane]);
                numbers_add(&elements, element);
            }
        } else if (r->atomic == PTX_ATOMIC_CAS && same && numbers_have(&elements, element)) {
            round.done |= 1u << lane; /* sees that its comparison fails now */
        }
    }
    return round;
}

bool atomics_shared_loops(const struct record *r)
{
    bool swap = r->atomic == PTX_ATOMIC_EXCH || r->atomic == PTX_ATOMIC_CAS;

    return !swap && (r->bytes > 4 || r->type == PTX_F32 || (r->bytes == 4 && (r->type == PTX_F16X2 || r->type == PTX_BF16X2)));
}

struct atomics_round atomics_shared_round(const struct record *r, uint32_t mask)
{
    struct atomics_round round = {0};
    unsigned lanes = r->bytes > 4 ? 16 : 32, banks = r->bytes > 4 ? 16 : 32;
    struct numbers changed, before; /* elements: in this round, to be changed by a lower lane */

    numbers_clear(&changed);
    numbers_clear(&before);
    for (unsigned at = 0; at < 32; at += lanes) {
        uint32_t taken = 0, group = mask & (lanes == 32 ? ~0u : UINT32_C(0xffff) << at);

        round.wavefronts += group ? 2 : 0;
        LANES_EACH(lane, group) {
            uint64_t address = record_address(r, (int)lane);
            uint32_t bank = 1u << address / (r->bytes > 4 ? 8 : 4) % banks;
            bool same = r->unchanged >> lane & 1;

            if (same && (r->atomic == PTX_ATOMIC_MIN || r->atomic == PTX_ATOMIC_MAX) && !numbers_have(&before, address)) {
                round.done |= 1u << lane; /* sees that there is nothing to do */
                continue;
            }
            if (!same)
                numbers_add(&before, address);

            if (!(taken & bank) && !numbers_have(&changed, address)) {
                round.done |= 1u << lane;
                if (!same)
                    numbers_add(&changed, address);
            }
            taken |= bank;
        }
    }
    return round;
}

unsigned atomics_shared_wavefronts(const struct record *r)
{
    const struct lane_sets *sets = sets_now();
    uint64_t own[32];

    const uint64_t *addr = lanes_addresses(r, own);
    if (r->counted) /* ATOMS.POPC.INC, of 32 bits */
        return sets->passes(addr, r->mask, 2, 32);
    unsigned n = r->bytes > 4 ? sets->crowd(addr, r->mask, 3, 16) : sets->crowd(addr, r->mask, 2, 32);
    return r->atomic == PTX_ATOMIC_CAS ? 2 * n : n;
}
