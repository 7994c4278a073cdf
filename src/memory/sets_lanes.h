/* The text of sets.h, built for three levels of the host with SETS as the table's name.
 *
 * Every lane is compared with all lower ones, and for banks with all others: 31 comparisons of a row of lanes with the same
 * row some places on. Lanes are numbers of 8 or 16 bits then, so that a row is one or two vectors of the host: the low bits
 * of their addresses. Where lanes differ above these, 16 bits can still tell that all are different. */
#include "memory/lanes.h"
#include "memory/sets.h"

#ifdef __AVX2__
enum { VECTOR = 32 };
#else
enum { VECTOR = 16 };
#endif
typedef uint8_t bytes __attribute__((vector_size(VECTOR)));
typedef uint8_t bytes_anywhere __attribute__((vector_size(VECTOR), aligned(1), may_alias));
typedef char host_bytes __attribute__((vector_size(VECTOR), may_alias));
typedef uint16_t halves __attribute__((vector_size(VECTOR), may_alias));
typedef uint16_t halves_anywhere __attribute__((vector_size(VECTOR), aligned(2), may_alias));

typedef int16_t signed_halves __attribute__((vector_size(VECTOR), may_alias));
#ifdef __AVX2__
static const halves one_before = {15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30};
#else
static const halves one_before = {7, 8, 9, 10, 11, 12, 13, 14};
#endif

enum { LANES = 32, SECTOR_SHIFT = 5, NOBODY = 0xffff, ID_BITS = 15, ID_BITS_OF_GROUP = 13 /* and the number of the group above them */ };
#define ALL UINT32_MAX

static inline uint64_t lane_on(uint32_t mask, unsigned lane)
{
    return -(uint64_t)(mask >> lane & 1);
}

/* Bits in which the addresses of lanes that are on differ. */
static inline uint64_t differing(const uint64_t *addr, uint32_t mask)
{
    uint64_t first = addr[lanes_first(mask)], moved = 0;

    for (unsigned i = 0; i < LANES; i++)
        moved |= (addr[i] ^ first) & lane_on(mask, i);
    return moved;
}

/* The low halves of addresses: all that matters of those that do not differ in the others. */
static inline uint32_t low_half(const uint64_t *addr, unsigned lane)
{
    uint32_t half;

    memcpy(&half, addr + lane, sizeof half);
    return half;
}

/* The highest bit of each of 32 bytes. */
static inline uint32_t top_bits(const uint8_t *v)
{
#ifdef __AVX2__
    return (uint32_t)__builtin_ia32_pmovmskb256(*(const host_bytes *)v);
#else
    return (uint32_t)__builtin_ia32_pmovmskb128(*(const host_bytes *)v) |
           (uint32_t)__builtin_ia32_pmovmskb128(*(const host_bytes *)(v + VECTOR)) << VECTOR;
#endif
}

/* What `fresh` says, one lane after the other. */
static __attribute__((noinline)) uint32_t fresh_anywhere(const uint64_t *addr, uint32_t mask, int shift, int group)
{
    uint32_t bits = 0;
    struct numbers seen;

    for (int at = 0; at < LANES; at += group) {
        numbers_clear(&seen);
        LANES_EACH(lane, mask & (uint32_t)(((UINT64_C(1) << group) - 1) << at))
            bits |= (uint32_t)numbers_add(&seen, addr[lane] >> shift) << lane;
    }
    return bits;
}

/* Lanes that have the number of a lower one, or NOBODY. In front of `id` lie as many numbers that are nobody's. */
static inline uint32_t repeats(const uint16_t *id)
{
    uint16_t again[LANES] __attribute__((aligned(64)));
    uint8_t tops[LANES] __attribute__((aligned(64)));

#pragma GCC unroll 4
    for (int at = 0; at < LANES; at += VECTOR / 2) {
        halves x = *(const halves *)(id + at), same = (halves)(x == NOBODY);

#pragma GCC unroll 31
        for (int r = 1; r < at + VECTOR / 2; r++)
            same |= (halves)(x == *(const halves_anywhere *)(id + at - r));
        *(halves *)(again + at) = same;
    }
    for (unsigned i = 0; i < LANES; i++)
        tops[i] = (uint8_t)(again[i] >> 8);
    return top_bits(tops);
}

/* Numbers of lanes: the low bits of their addresses, and above them of their groups. */
static inline void number_lanes(uint16_t *row, const uint64_t *addr, uint32_t mask, int shift, int group)
{
    const int width = group < LANES ? ID_BITS_OF_GROUP : ID_BITS;

    for (unsigned i = 0; i < LANES; i++)
        row[i] = NOBODY;
    for (unsigned i = 0; i < LANES; i++)
        row[LANES + i] = (uint16_t)((low_half(addr, i) >> shift & ((1u << width) - 1)) | i / (unsigned)group << width | ~lane_on(mask, i));
}

/* moved: bits in which addresses differ. */
static inline uint32_t fresh_of(const uint64_t *addr, uint32_t mask, int shift, int group, uint64_t moved)
{
    uint16_t row[2 * LANES] __attribute__((aligned(64)));
    const int width = group < LANES ? ID_BITS_OF_GROUP : ID_BITS;

    number_lanes(row, addr, mask, shift, group);
    uint32_t again = repeats(row + LANES) & mask;
    return moved >> shift >> width && again ? fresh_anywhere(addr, mask, shift, group) : mask & ~again;
}

static uint32_t fresh(const uint64_t *addr, uint32_t mask, int shift, int group)
{
    uint64_t moved = differing(addr, mask);

    if (group < LANES)
        return fresh_of(addr, mask, shift, group, moved);
    return mask == ALL ? fresh_of(addr, ALL, shift, LANES, moved) : fresh_of(addr, mask, shift, LANES, moved);
}

/* --- sectors --- */

/* Numbers that do not fall from lane to lane: how many there are; 0: some falls. */
static inline unsigned rising(const uint16_t *id)
{
    uint16_t falls[LANES] __attribute__((aligned(64))), stays[LANES] __attribute__((aligned(64)));
    uint8_t tops[LANES] __attribute__((aligned(64)));
    halves before = (halves){0} - 1; /* in its last place: below the first lane's number */

#pragma GCC unroll 4
    for (int at = 0; at < LANES; at += VECTOR / 2) {
        halves x = *(const halves *)(id + at), last = __builtin_shuffle(before, x, one_before);

        *(halves *)(falls + at) = (halves)((signed_halves)x < (signed_halves)last);
        *(halves *)(stays + at) = (halves)(x == last);
        before = x;
    }
    for (int i = 0; i < LANES; i++)
        tops[i] = (uint8_t)(falls[i] >> 8);
    if (top_bits(tops))
        return 0;
    for (int i = 0; i < LANES; i++)
        tops[i] = (uint8_t)(stays[i] >> 8);
    return LANES - lanes_count(top_bits(tops));
}

/* Whole warps whose lanes go so near that the numbers have their order. */
static inline unsigned sectors_near(const uint64_t *addr)
{
    uint16_t row[2 * LANES] __attribute__((aligned(64)));

    number_lanes(row, addr, ALL, SECTOR_SHIFT, LANES);
    unsigned n = rising(row + LANES);
    return n ? n : lanes_count(~repeats(row + LANES));
}

static unsigned sectors(const uint64_t *addr, uint32_t mask)
{
    uint64_t moved = mask == ALL ? differing(addr, ALL) : differing(addr, mask), bits = 0;

    if (moved >> SECTOR_SHIFT >> 6 && mask == ALL && !(moved >> SECTOR_SHIFT >> ID_BITS))
        return sectors_near(addr);
    if (moved >> SECTOR_SHIFT >> 6)
        return lanes_count(fresh_of(addr, mask, SECTOR_SHIFT, LANES, moved));
    for (unsigned i = 0; i < LANES; i++) /* all in one row of 64 */
        bits |= (uint64_t)(mask >> i & 1) << (addr[i] >> SECTOR_SHIFT & 63);
    return (unsigned)__builtin_popcountll(bits);
}

/* --- banks --- */

static inline unsigned crowd_of(const uint64_t *addr, uint32_t mask, int shift, const int group)
{
    uint8_t row[2 * LANES] __attribute__((aligned(64))), others[LANES] __attribute__((aligned(64)));
    unsigned sum = 0;

    for (unsigned i = 0; i < LANES; i++) /* a group has banks of its own */
        row[i] = (uint8_t)((low_half(addr, i) >> shift & ((128u >> shift) - 1)) | i / (unsigned)group << 5);
    for (unsigned i = 0; mask != ALL && i < LANES; i++) /* and so has a lane that is off */
        row[i] = mask >> i & 1 ? row[i] : (uint8_t)(128 + i);
    memcpy(row + LANES, row, LANES);
#pragma GCC unroll 2
    for (int at = 0; at < LANES; at += VECTOR) {
        bytes x = *(const bytes *)(row + at), n = {0};

#pragma GCC unroll 31
        for (int r = 1; r < LANES; r++)
            n -= (bytes)(x == *(const bytes_anywhere *)(row + at + r));
        *(bytes *)(others + at) = n;
    }
#pragma GCC unroll 4
    for (int at = 0; at < LANES; at += group) {
        uint8_t most = 0;

        for (int i = at; i < at + group; i++)
            most = others[i] > most ? others[i] : most;
        sum += mask & (uint32_t)(((UINT64_C(1) << group) - 1) << at) ? most + 1u : 0;
    }
    return sum;
}

static unsigned crowd(const uint64_t *addr, uint32_t mask, int shift, int group)
{
    return group == 8 ? crowd_of(addr, mask, shift, 8) : group == 16 ? crowd_of(addr, mask, shift, 16) : crowd_of(addr, mask, shift, 32);
}

/* Every lane that is on has a bank of its own in its group; of banks that are 32 for all groups together. */
static inline bool all_apart(const uint64_t *addr, uint32_t mask, int shift, const unsigned group)
{
    uint32_t place[LANES], used = 0;

    for (unsigned i = 0; i < LANES; i++)
        place[i] = (low_half(addr, i) >> shift & (group - 1)) | (i & ~(group - 1));
    for (unsigned i = 0; i < LANES; i++)
        used |= (mask >> i & 1) << place[i];
    return lanes_count(used) == lanes_count(mask);
}

static inline unsigned passes_of(const uint64_t *addr, uint32_t mask, int shift, const int group)
{
    unsigned least = 0;

    for (int at = 0; at < LANES; at += group)
        least += (mask & (uint32_t)(((UINT64_C(1) << group) - 1) << at)) != 0;
    if ((128 >> shift == group && all_apart(addr, mask, shift, (unsigned)group)) || !(differing(addr, mask) >> shift))
        return least;
    return crowd_of(addr, fresh(addr, mask, shift, group), shift, group);
}

static unsigned passes(const uint64_t *addr, uint32_t mask, int shift, int group)
{
    return group == 8 ? passes_of(addr, mask, shift, 8) : group == 16 ? passes_of(addr, mask, shift, 16) : passes_of(addr, mask, shift, 32);
}

const struct lane_sets SETS = {sectors, fresh, crowd, passes};
