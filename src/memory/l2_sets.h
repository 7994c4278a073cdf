/* The places of L2: sets of lines, how a line finds its place, what is known of it. */
#ifndef MEMORY_L2_SETS_H
#define MEMORY_L2_SETS_H

#include <emmintrin.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "memory/lanes.h"
#include "memory/lines.h"
#include "memory/ways.h"

enum { WAYS = 16, PARTS = 2, MIX = 11, SECTORS = (1 << LINE_SECTORS) - 1 };

/* A set of lines, as the host's caches like it: what is looked at for every request in the first two lines of 64 bytes, when
 * a way's sectors come in one of the others. */
struct set {
    uint32_t tag[WAYS];  /* what is left of a line's number, low half */
    uint64_t order;      /* of ways (ways.h) */
    uint16_t dirty, partial, persists; /* bits of ways: those with such sectors; those that persist */
    uint8_t taken;       /* ways: those from there on were never used */
    uint8_t high[WAYS];  /* of tags */
    uint8_t valid[WAYS]; /* bits of sectors; above them: those that are on their way and do not count as there before `ready` */
    uint8_t dirt[WAYS];  /* bits of dirty sectors; above them: those that are partial, too: not all bytes are there */
    uint8_t launch;      /* number of the launch that has used it last: for another one it is empty */
    struct set_times {
        uint32_t ready;  /* when sectors on their way count as there; times are low halves (ways.h) */
        uint32_t there;  /* when they are */
    } times[WAYS];
} __attribute__((aligned(64)));

_Static_assert(sizeof(struct set) == 256 && offsetof(struct set, times) == 128, "");

/* A line's place. */
struct place {
    struct set *set;
    unsigned way;
    uint32_t number; /* of the set */
};

/* One half. */
struct part {
    struct set *set;
    uint32_t (*byte)[LINE_SECTORS]; /* [sets * WAYS]: of partial sectors, bytes that were written */
};

/* --- places --- */

static inline uint32_t l2_home(uint32_t nparts, uint64_t hash)
{
    return nparts > 1 ? (uint32_t)(hash >> 61) & 1 : 0;
}

/* Neighbours are in neighbouring sets, so all are filled alike. *tag: what is left of the line. */
static inline uint32_t l2_set(struct divisor sets, uint64_t line, uint64_t *tag)
{
    uint64_t mixed = line + (line >> MIX);
    *tag = divide(mixed, sets);
    return (uint32_t)(mixed - *tag * sets.by);
}

static inline uint64_t l2_line(struct divisor sets, struct place p)
{
    uint64_t mixed = (p.set->tag[p.way] | (uint64_t)p.set->high[p.way] << 32) * sets.by + p.number;
    return mixed - mixed / ((1 << MIX) + 1); /* of 2^MIX a + b, b less than 2^MIX, the mixed number is (2^MIX + 1) a + b */
}

static inline int find(const struct set *s, uint64_t tag)
{
    const __m128i want = _mm_set1_epi32((int)(uint32_t)tag), *at = (const __m128i *)s->tag;
    __m128i low = _mm_packs_epi32(_mm_cmpeq_epi32(at[0], want), _mm_cmpeq_epi32(at[1], want));
    __m128i up = _mm_packs_epi32(_mm_cmpeq_epi32(at[2], want), _mm_cmpeq_epi32(at[3], want));
    unsigned same = (unsigned)_mm_movemask_epi8(_mm_packs_epi16(low, up));
    LANES_EACH(way, same)
        if (way < s->taken && s->high[way] == (uint8_t)(tag >> 32))
            return (int)way;
    return -1;
}

/* Persisting lines stay as long as there are other ones. */
static inline unsigned victim(const struct set *s)
{
    if (s->taken < WAYS)
        return s->taken;
    for (unsigned i = WAYS; i-- > 0;)
        if (!(s->persists >> ways_nth(s->order, i) & 1))
            return ways_nth(s->order, i);
    return 0;
}

/* Of some ways the one that has been idle longest. */
static inline unsigned oldest(const struct set *s, unsigned ways)
{
    unsigned i = WAYS - 1;
    while (!(ways >> ways_nth(s->order, i) & 1))
        i--;
    return ways_nth(s->order, i);
}

/* Sets of each part. */
static inline struct divisor sets_of(uint64_t l2_bytes, uint32_t nparts)
{
    const uint64_t sets = (l2_bytes >> LINE_SHIFT) / nparts / WAYS;
    return divisor_of(sets ? (uint32_t)sets : 1);
}

/* Empty ones, of launch 0. False: there is no memory for all of them; what there is has to be closed. */
bool parts_open(struct part *part, uint32_t nparts, struct divisor sets);
void parts_close(struct part *part, uint32_t nparts, struct divisor sets);

/* The same for a launch that nothing is kept from: those that the last one gave back, if it had as many, since clearing all of them takes longer than
 * small launches do. *launch: its number. */
bool parts_take(struct part *part, uint32_t nparts, struct divisor sets, uint8_t *launch);
void parts_give(const struct part *part, uint32_t nparts, struct divisor sets, uint8_t launch);

static inline void set_empty(struct set *s, uint8_t launch)
{
    s->order = ways_order(WAYS);
    s->dirty = s->partial = s->persists = 0;
    s->taken = 0;
    memset(s->dirt, 0, sizeof s->dirt);
    s->launch = launch;
}

/* Of a set, at most, for a share of L2 in 1/10000. */
static inline uint32_t ways_of_share(uint32_t share)
{
    enum { ALL = 10000 };
    return (share * WAYS + ALL / 2) / ALL;
}

/* --- what is there --- */

static inline unsigned valid(struct place p)
{
    return p.set->valid[p.way] & SECTORS;
}

/* Sectors that do not count as there yet. */
static inline unsigned coming(struct place p)
{
    return p.set->valid[p.way] >> LINE_SECTORS;
}

static inline unsigned dirty(struct place p)
{
    return p.set->dirt[p.way] & SECTORS;
}

/* Dirty sectors of which not all bytes are there. */
static inline unsigned partial(struct place p)
{
    return p.set->dirt[p.way] >> LINE_SECTORS;
}

static inline void set_valid(struct place p, unsigned valid, unsigned coming)
{
    p.set->valid[p.way] = (uint8_t)(valid | coming << LINE_SECTORS);
}

static inline void set_dirt(struct place p, unsigned dirty, unsigned partial)
{
    unsigned bit = 1u << p.way;
    p.set->dirt[p.way] = (uint8_t)(dirty | partial << LINE_SECTORS);
    p.set->dirty = (uint16_t)(dirty ? p.set->dirty | bit : p.set->dirty & ~bit);
    p.set->partial = (uint16_t)(partial ? p.set->partial | bit : p.set->partial & ~bit);
}

#endif
