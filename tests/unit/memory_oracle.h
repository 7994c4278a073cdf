/* The rules of memory/ said in the slowest and plainest way: the unit test's oracle and the benchmark's yardstick. */
#ifndef MEMORY_ORACLE_H
#define MEMORY_ORACLE_H

#include <stdbool.h>
#include <stdint.h>

#include "simt/record.h"

/* Distinct values among n. */
static inline unsigned oracle_distinct(const uint64_t *v, unsigned n)
{
    unsigned distinct = 0;

    for (unsigned i = 0; i < n; i++) {
        unsigned j = 0;

        while (j < i && v[j] != v[i])
            j++;
        distinct += j == i;
    }
    return distinct;
}

static inline unsigned oracle_sectors(const struct record *r, uint32_t mask)
{
    uint64_t touched[1024];
    unsigned n = 0;

    for (int lane = 0; lane < 32; lane++)
        for (unsigned b = 0; b < r->bytes && (mask >> lane & 1); b++)
            touched[n++] = (record_address(r, lane) + b) / 32;
    return oracle_distinct(touched, n);
}

/* Each round serves one lane of every element that is still waiting. */
static inline unsigned oracle_atomic_sectors(const struct record *r)
{
    uint32_t waiting = r->mask;
    unsigned n = 0;

    while (waiting) {
        uint32_t round = 0;

        for (int lane = 0; lane < 32; lane++) {
            bool taken = false;

            for (int other = 0; other < lane; other++)
                taken |= (round >> other & 1) && record_address(r, other) == record_address(r, lane);
            if ((waiting >> lane & 1) && !taken)
                round |= 1u << lane;
        }
        n += oracle_sectors(r, round);
        waiting &= ~round;
    }
    return n;
}

static inline unsigned oracle_passes(const struct record *r, uint32_t mask)
{
    unsigned most = 0;

    for (unsigned bank = 0; bank < 32; bank++) {
        uint64_t words[1024];
        unsigned n = 0;

        for (int lane = 0; lane < 32; lane++)
            for (unsigned b = 0; b < r->bytes && (mask >> lane & 1); b++)
                if ((record_address(r, lane) + b) / 4 % 32 == bank)
                    words[n++] = (record_address(r, lane) + b) / 4;
        n = oracle_distinct(words, n);
        most = n > most ? n : most;
    }
    return most;
}

static inline bool oracle_pairwise(const struct record *r, int flip)
{
    for (int i = 0; i < 32; i++)
        if ((r->mask >> i & 1) && (r->mask >> (i ^ flip) & 1) && record_address(r, i) != record_address(r, i ^ flip))
            return false;
    return true;
}

static inline unsigned oracle_wavefronts(const struct record *r)
{
    int lanes = r->bytes <= 4 ? 32 : r->bytes <= 8 ? 16 : 8;
    bool merge = r->op == RECORD_LOAD && (oracle_pairwise(r, 1) || oracle_pairwise(r, 2));
    unsigned n = 0;

    if (lanes == 32)
        return oracle_passes(r, r->mask);
    for (int at = 0; at < 32; at += 2 * lanes) {
        uint32_t group = (1u << lanes) - 1;
        uint32_t a = r->mask & group << at, b = r->mask & group << (at + lanes);

        n += merge && oracle_passes(r, a | b) == 1 ? 1 : oracle_passes(r, a) + oracle_passes(r, b);
    }
    return n;
}

/* (word, lane) placed at word * 128 + lane * 4. */
static inline unsigned oracle_local_sectors(const struct record *r)
{
    uint64_t touched[1024];
    unsigned n = 0;

    for (int lane = 0; lane < 32; lane++)
        for (unsigned b = 0; b < r->bytes && (r->mask >> lane & 1); b++)
            touched[n++] = ((record_address(r, lane) + b) / 4 * 128 + (unsigned)lane * 4) / 32;
    return oracle_distinct(touched, n);
}

#endif
