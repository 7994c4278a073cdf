/* The text of sets.h, built for three levels of the host with SETS as the table's name.
 *
 * Which lanes have what a lower one has: a row of 32 numbers of 16 bits, the low bits of their addresses, is compared with
 * itself 1 to 16 lanes on, as a ring. Where lanes differ above these bits, 16 bits can still tell that all are different.
 * How many lanes are on each bank: a counter for each bank, 32 bytes, to which every lane adds a row with one 1. */
#include "memory/lanes.h"
#include "memory/sets.h"

#include <immintrin.h>

enum { LANES = 32, SECTOR_SHIFT = 5, NOBODY = 0xffff, ID_BITS = 15, ID_BITS_OF_GROUP = 13 /* and the number of the group above them */ };
#define ALL UINT32_MAX

static inline uint64_t lane_on(uint32_t mask, unsigned lane)
{
    return -(uint64_t)(mask >> lane & 1);
}

/* Bits in which the addresses of lanes that are on differ. */
static inline uint64_t differing(const uint64_t *addr, uint32_t mask)
{
#if defined __AVX512BW__
    __m512i one = _mm512_set1_epi64((long long)addr[lanes_first(mask)]), all = _mm512_setzero_si512();

    for (int i = 0; i < LANES / 8; i++) {
        __m512i a = _mm512_loadu_si512(addr + 8 * i);

        a = mask == ALL ? a : _mm512_mask_mov_epi64(one, (__mmask8)(mask >> 8 * i), a);
        all = _mm512_ternarylogic_epi64(all, a, one, 0xf6);
    }
    return (uint64_t)_mm512_reduce_or_epi64(all);
#else
    uint64_t first = addr[lanes_first(mask)], moved = 0;

    for (unsigned i = 0; i < LANES; i++)
        moved |= (addr[i] ^ first) & lane_on(mask, i);
    return moved;
#endif
}

/* The low halves of addresses: all that matters of those that do not differ in the others. */
static inline uint32_t low_half(const uint64_t *addr, unsigned lane)
{
    uint32_t half;

    memcpy(&half, addr + lane, sizeof half);
    return half;
}

#define RINGS RING(1) RING(2) RING(3) RING(4) RING(5) RING(6) RING(7) RING(8) RING(9) RING(10) RING(11) RING(12) RING(13) RING(14) RING(15)

/* A row of 32 numbers of 16 bits in `ROW` vectors, as a ring of four pieces of 8 lanes. row[p] begins with piece p: of 16
 * bytes it is that piece alone, of 32 bytes that and piece p + 2, of 64 bytes all from it on. So the same lanes of the ring 8
 * lanes on are in row[p - 1], and those in between in pairs of neighbours. */
#if defined __AVX512BW__
typedef __m512i row_vector;
enum { ROW = 1 };
#define TURNED(a, b, bytes) _mm512_alignr_epi8(a, b, bytes)
#elif defined __AVX2__
typedef __m256i row_vector;
enum { ROW = 2 };
#define TURNED(a, b, bytes) _mm256_alignr_epi8(a, b, bytes)
#else
typedef __m128i row_vector;
enum { ROW = 4 };
#define TURNED(a, b, bytes) _mm_alignr_epi8(a, b, bytes)
#endif

/* The numbers of lanes: `width` bits of their addresses from bit `shift` on, and above them the number of the group. Lanes that
 * are off are NOBODY. */
static inline void row_make(row_vector v[4], const uint64_t *addr, uint32_t mask, int shift, int group, int width)
{
    static const uint16_t groups[3][LANES] __attribute__((aligned(64))) = {
        {[8] = 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3},
        {[16] = 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1},
    };
    const uint16_t *above = groups[group / 16];
#if defined __AVX512BW__
    __m128i by = _mm_cvtsi32_si128(shift);
    __m256i part[4];

    for (int i = 0; i < 4; i++)
        part[i] = _mm512_cvtepi64_epi32(_mm512_srl_epi64(_mm512_loadu_si512(addr + 8 * i), by));
    __m512i low = _mm512_inserti64x4(_mm512_castsi256_si512(part[0]), part[1], 1), high = _mm512_inserti64x4(_mm512_castsi256_si512(part[2]), part[3], 1);
    __m512i x = _mm512_inserti64x4(_mm512_castsi256_si512(_mm512_cvtepi32_epi16(low)), _mm512_cvtepi32_epi16(high), 1);
    x = _mm512_and_si512(x, _mm512_set1_epi16((short)((1u << width) - 1)));
    if (group < LANES)
        x = _mm512_or_si512(x, _mm512_slli_epi16(_mm512_load_si512(above), width));
    v[0] = mask == ALL ? x : _mm512_mask_mov_epi16(_mm512_set1_epi16(-1), mask, x);
    v[1] = _mm512_shuffle_i64x2(v[0], v[0], 0x39);
    v[2] = _mm512_shuffle_i64x2(v[0], v[0], 0x4e);
    v[3] = _mm512_shuffle_i64x2(v[0], v[0], 0x93);
#elif defined __AVX2__
    __m128i by = _mm_cvtsi32_si128(shift);
    __m256i part[8], keep = _mm256_set1_epi32((1 << width) - 1);

    for (int i = 0; i < 8; i++) /* two lanes of the row's lower half, and two of its upper */
        part[i] = _mm256_loadu2_m128i((const __m128i *)(addr + 16 + 2 * i), (const __m128i *)(addr + 2 * i));
    for (int i = 0; i < 8; i += 2) {
        __m256i four = _mm256_castps_si256(_mm256_shuffle_ps(_mm256_castsi256_ps(part[i]), _mm256_castsi256_ps(part[i + 1]), 0x88));

        part[i] = _mm256_and_si256(_mm256_srl_epi32(four, by), keep);
    }
    for (int p = 0; p < 2; p++) {
        __m256i x = _mm256_packus_epi32(part[4 * p], part[4 * p + 2]);

        if (group < LANES)
            x = _mm256_or_si256(x, _mm256_slli_epi16(_mm256_loadu2_m128i((const __m128i *)(above + 16 + 8 * p), (const __m128i *)(above + 8 * p)), width));
        if (mask != ALL) {
            __m256i on = _mm256_set_m128i(_mm_set1_epi16((short)(mask >> 16)), _mm_set1_epi16((short)mask));
            __m256i bit = _mm256_slli_epi16(_mm256_setr_epi16(1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128), 8 * p);

            x = _mm256_or_si256(x, _mm256_cmpeq_epi16(_mm256_and_si256(on, bit), _mm256_setzero_si256()));
        }
        v[p] = x;
        v[p + 2] = _mm256_permute4x64_epi64(x, 0x4e);
    }
#else
    uint16_t row[LANES] __attribute__((aligned(64)));

    for (unsigned i = 0; i < LANES; i++)
        row[i] = (uint16_t)((low_half(addr, i) >> shift & ((1u << width) - 1)) | (uint32_t)above[i] << width | ~lane_on(mask, i));
    for (int p = 0; p < 4; p++)
        v[p] = _mm_load_si128((const __m128i *)(row + 8 * p));
#endif
}

/* A bit for each lane in which two rows are equal, or the one is above the other. */
#if defined __AVX512BW__
static inline uint32_t row_equal(const row_vector *a, const row_vector *b)
{
    return _mm512_cmpeq_epi16_mask(a[0], b[0]);
}

static inline uint32_t row_above(const row_vector *a, const row_vector *b)
{
    return _mm512_cmpgt_epi16_mask(a[0], b[0]);
}
#elif defined __AVX2__
static inline uint32_t row_bits(__m256i first, __m256i second)
{
    return (uint32_t)_mm256_movemask_epi8(_mm256_packs_epi16(first, second));
}

static inline uint32_t row_equal(const row_vector *a, const row_vector *b)
{
    return row_bits(_mm256_cmpeq_epi16(a[0], b[0]), _mm256_cmpeq_epi16(a[1], b[1]));
}

static inline uint32_t row_above(const row_vector *a, const row_vector *b)
{
    return row_bits(_mm256_cmpgt_epi16(a[0], b[0]), _mm256_cmpgt_epi16(a[1], b[1]));
}
#else
static inline uint32_t row_bits(__m128i first, __m128i second)
{
    return (uint32_t)_mm_movemask_epi8(_mm_packs_epi16(first, second));
}

static inline uint32_t row_equal(const row_vector *a, const row_vector *b)
{
    return row_bits(_mm_cmpeq_epi16(a[0], b[0]), _mm_cmpeq_epi16(a[1], b[1])) |
           row_bits(_mm_cmpeq_epi16(a[2], b[2]), _mm_cmpeq_epi16(a[3], b[3])) << 16;
}

static inline uint32_t row_above(const row_vector *a, const row_vector *b)
{
    return row_bits(_mm_cmpgt_epi16(a[0], b[0]), _mm_cmpgt_epi16(a[1], b[1])) |
           row_bits(_mm_cmpgt_epi16(a[2], b[2]), _mm_cmpgt_epi16(a[3], b[3])) << 16;
}
#endif

/* The row `lanes` higher, up to 8; NOBODY comes in below. Of numbers as signed ones, NOBODY is below all. */
#if defined __AVX512BW__
#define ROW_UP(to, v, lanes)                                                                                           \
    do {                                                                                                               \
        __m512i below = _mm512_mask_shuffle_i64x2(_mm512_set1_epi16(-1), 0xfc, (v)[0], (v)[0], 0x90);                  \
        (to)[0] = (lanes) == 8 ? below : _mm512_alignr_epi8((v)[0], below, 16 - 2 * ((lanes) % 8));                    \
    } while (0)
#define VECTOR_MAX _mm512_max_epi16
#elif defined __AVX2__
#define ROW_UP(to, v, lanes)                                                                                           \
    do {                                                                                                               \
        __m256i low = (v)[0], below = _mm256_permute2x128_si256((v)[1], _mm256_set1_epi16(-1), 0x02);                  \
        (to)[1] = (lanes) == 8 ? low : _mm256_alignr_epi8((v)[1], low, 16 - 2 * ((lanes) % 8));                        \
        (to)[0] = (lanes) == 8 ? below : _mm256_alignr_epi8(low, below, 16 - 2 * ((lanes) % 8));                       \
    } while (0)
#define VECTOR_MAX _mm256_max_epi16
#else
#define ROW_UP(to, v, lanes)                                                                                           \
    for (int p = 3; p >= 0; p--) {                                                                                     \
        __m128i below = p ? (v)[p - 1] : _mm_set1_epi16(-1);                                                           \
        (to)[p] = (lanes) == 8 ? below : _mm_alignr_epi8((v)[p], below, 16 - 2 * ((lanes) % 8));                       \
    }
#define VECTOR_MAX _mm_max_epi16
#endif

/* Numbers that do not fall from a lane that is on to the next one: lanes that have the number of the one before. */
static inline bool rising(const row_vector v[4], uint32_t mask, uint32_t *again)
{
    row_vector most[ROW], up[ROW]; /* of the lanes up to each */

    memcpy(most, v, sizeof most);
#define JOIN(...)                                                                                                      \
    __VA_ARGS__;                                                                                                       \
    for (int p = 0; p < ROW; p++)                                                                                      \
        most[p] = VECTOR_MAX(most[p], up[p])
    JOIN(ROW_UP(up, most, 1));
    JOIN(ROW_UP(up, most, 2));
    JOIN(ROW_UP(up, most, 4));
    JOIN(ROW_UP(up, most, 8));
    JOIN(ROW_UP(up, most, 8); ROW_UP(up, up, 8));
#undef JOIN
    ROW_UP(up, most, 1);
    *again = row_equal(v, up);
    return !(row_above(up, v) & mask);
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

/* Lanes that have the number of a lower one, or NOBODY. The row is compared with itself `r` lanes on, as a ring: of two
 * lanes r apart, and of two that are 32 - r apart, the higher one is noted. */
static inline uint32_t repeats(const row_vector v[4], uint32_t mask)
{
    row_vector on[ROW];
    uint32_t again, same;

    if (rising(v, mask, &again))
        return again;
    again = 0;
#define RING(r)                                                                                                         \
    for (int p = 0; p < ROW; p++)                                                                                       \
        on[p] = (r) % 8 ? TURNED(v[(p + 4 - (r) / 8) % 4], v[(p + 3 - (r) / 8) % 4], 16 - 2 * ((r) % 8)) : v[(p + 4 - (r) / 8) % 4]; \
    same = row_equal(v, on);                                                                                            \
    again |= (same & UINT32_MAX << (r)) | same << (32 - (r));
    RINGS RING(16)
#undef RING
    return again;
}

/* moved: bits in which addresses differ. */
static inline __attribute__((always_inline)) uint32_t fresh_of(const uint64_t *addr, uint32_t mask, int shift, int group, uint64_t moved)
{
    const int width = group < LANES ? ID_BITS_OF_GROUP : ID_BITS;
    row_vector row[4];

    row_make(row, addr, mask, shift, group, width);
    uint32_t again = repeats(row, mask) & mask;
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

static unsigned sectors(const uint64_t *addr, uint32_t mask)
{
    uint64_t moved = mask == ALL ? differing(addr, ALL) : differing(addr, mask), bits = 0;

    if (moved >> SECTOR_SHIFT >> 6)
        return lanes_count(mask == ALL ? fresh_of(addr, ALL, SECTOR_SHIFT, LANES, moved) : fresh_of(addr, mask, SECTOR_SHIFT, LANES, moved));
    for (unsigned i = 0; i < LANES; i++) /* all in one row of 64 */
        bits |= (uint64_t)(mask >> i & 1) << (addr[i] >> SECTOR_SHIFT & 63);
    return (unsigned)__builtin_popcountll(bits);
}

/* --- banks --- */

typedef uint8_t bank_bytes __attribute__((vector_size(32), aligned(1), may_alias));

/* Of 32 bytes, one for each bank, read from the place 32 - b of a row on: bank b has the row's bit, the others none. */
enum { BANK_ROWS = 8, ROW_SHIFT = 7 /* of addresses: 128 bytes */ };
static const uint8_t bit_at[BANK_ROWS][2 * LANES] __attribute__((aligned(64))) = {
    {[LANES] = 1}, {[LANES] = 2}, {[LANES] = 4}, {[LANES] = 8}, {[LANES] = 16}, {[LANES] = 32}, {[LANES] = 64}, {[LANES] = 128},
};

/* Bytes to the number of bits in them. */
static inline void count_bits(bank_bytes *v)
{
    bank_bytes pairs = *v - (*v >> 1 & 0x55), fours = (pairs & 0x33) + (pairs >> 2 & 0x33);

    *v = (fours + (fours >> 4)) & 0xf;
}

static inline uint8_t largest(const bank_bytes *n)
{
    __m128i v[2];

    memcpy(v, n, sizeof v);
    __m128i less = _mm_xor_si128(_mm_max_epu8(v[0], v[1]), _mm_set1_epi8(-1));
    less = _mm_min_epu8(less, _mm_srli_epi16(less, 8));
    return (uint8_t)~_mm_cvtsi128_si32(_mm_minpos_epu16(less));
}

/* For each group the largest number of lanes on one bank, and of these the sum; or, for lanes in BANK_ROWS rows at an address
 * that is a multiple of so many, of words on one bank: each has a bit of its own. */
static inline __attribute__((always_inline)) unsigned banks_of(const uint64_t *addr, uint32_t mask, int shift, const int group, const bool words)
{
    uint32_t from[LANES] __attribute__((aligned(64)));
    unsigned sum = 0;

    for (unsigned i = 0; i < LANES; i++) {
        uint32_t on = -(mask >> i & 1), a = low_half(addr, i), row = words ? a >> ROW_SHIFT & (BANK_ROWS - 1) : 0;

        from[i] = (row * 2 * LANES + LANES - (a >> shift & ((128u >> shift) - 1))) & on; /* at 0 there is nothing */
    }
#pragma GCC unroll 4
    for (int at = 0; at < LANES; at += group) {
        bank_bytes even = {0}, odd = {0};

#pragma GCC unroll 16
        for (int i = at; i < at + group; i += 2) {
            bank_bytes one = *(const bank_bytes *)(bit_at[0] + from[i]), other = *(const bank_bytes *)(bit_at[0] + from[i + 1]);

            if (words) {
                even |= one;
                odd |= other;
            } else {
                even += one;
                odd += other;
            }
        }
        if (words) {
            even |= odd;
            count_bits(&even);
        } else {
            even += odd;
        }
        sum += largest(&even);
    }
    return sum;
}

static inline unsigned crowd_of(const uint64_t *addr, uint32_t mask, int shift, const int group)
{
    return mask == ALL ? banks_of(addr, ALL, shift, group, false) : banks_of(addr, mask, shift, group, false);
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
    uint64_t moved = differing(addr, mask);
    if (!(moved >> shift))
        return least;
    if (!(moved >> ROW_SHIFT >> __builtin_ctz(BANK_ROWS)))
        return banks_of(addr, mask, shift, group, true);
    if (128 >> shift == group && all_apart(addr, mask, shift, (unsigned)group))
        return least;
    return crowd_of(addr, fresh(addr, mask, shift, group), shift, group);
}

static unsigned passes(const uint64_t *addr, uint32_t mask, int shift, int group)
{
    return group == 8 ? passes_of(addr, mask, shift, 8) : group == 16 ? passes_of(addr, mask, shift, 16) : passes_of(addr, mask, shift, 32);
}

const struct lane_sets SETS = {sectors, fresh, crowd, passes};
