/* The coalescer: from the addresses of a warp to 32-byte sectors.
 *
 * Rule (compute capability 5.x and later; CUDA programming guide, "global memory" of each capability: transactions of
 * 32 bytes): a request costs as many sectors as its active lanes touch distinct 32-byte pieces of memory, whatever
 * the width (8 to 128 bits), the order of lanes and the number of lanes that share a sector. Checked on an NVIDIA
 * H200 (driver 580.159.04, ncu 2025.3.1, 2026-11-20) with 240 accesses of random, strided, grouped and partly masked
 * addresses of 32, 64 and 128 bits, loads and stores: all equal (tests/data/h200_patterns.txt). */
#include "memory/lanes.h"
#include "memory/memory.h"

enum { SECTOR_SHIFT = 5 };

static unsigned span(uint64_t first, uint64_t last_byte)
{
    return (unsigned)((last_byte >> SECTOR_SHIFT) - (first >> SECTOR_SHIFT)) + 1;
}

/* Addresses rise by `stride` (not negative) from lane to lane, so a sector seen before can only be the last one. */
static unsigned rising(uint64_t base, uint64_t stride, uint32_t mask, unsigned bytes)
{
    uint64_t end = 0; /* one behind the last sector counted */
    unsigned n = 0;

    LANES_EACH(lane, mask) {
        uint64_t at = base + lane * stride;
        uint64_t first = at >> SECTOR_SHIFT, last = (at + bytes - 1) >> SECTOR_SHIFT;

        if (first < end)
            first = end;
        if (last >= first)
            n += (unsigned)(last - first) + 1;
        end = last + 1 > end ? last + 1 : end;
    }
    return n;
}

static unsigned affine(const struct record *r)
{
    uint32_t mask = r->mask;
    int64_t stride = r->stride;
    int first = lanes_first(mask), last = lanes_last(mask);
    uint64_t base = r->addr[0] + (uint64_t)(first * stride);
    uint64_t top = r->addr[0] + (uint64_t)(last * stride);

    /* Without gaps of a whole sector every sector in between is touched. */
    if (lanes_run(mask) && stride >= -32 && stride <= 32)
        return stride >= 0 ? span(base, top + r->bytes - 1) : span(top, base + r->bytes - 1);
    if (stride % 32 == 0 && (stride < 0 ? -stride : stride) >= 32 && (base & 31) + r->bytes <= 32)
        return lanes_count(mask);
    if (stride >= 0)
        return rising(r->addr[0], (uint64_t)stride, mask, r->bytes);
    /* The mirror image: lane 31 - i of the rising row. */
    uint32_t mirrored = 0;
    LANES_EACH(lane, mask)
        mirrored |= 1u << (31 - lane);
    return rising(r->addr[0] + (uint64_t)(31 * stride), (uint64_t)-stride, mirrored, r->bytes);
}

/* Any addresses: the row is followed while it rises; what falls back goes through a set. */
static unsigned scattered(const struct record *r)
{
    struct numbers seen;
    uint64_t low = UINT64_MAX, high = 0;
    uint64_t bits[8] = {0};
    unsigned n = 0;

    LANES_EACH(lane, r->mask) {
        uint64_t first = r->addr[lane] >> SECTOR_SHIFT, last = (r->addr[lane] + r->bytes - 1) >> SECTOR_SHIFT;

        low = first < low ? first : low;
        high = last > high ? last : high;
    }
    if (high - low < 512) { /* 16 KiB: one bit a sector */
        LANES_EACH(lane, r->mask) {
            uint64_t first = (r->addr[lane] >> SECTOR_SHIFT) - low;
            uint64_t last = ((r->addr[lane] + r->bytes - 1) >> SECTOR_SHIFT) - low;

            bits[first / 64] |= UINT64_C(1) << first % 64;
            bits[last / 64] |= UINT64_C(1) << last % 64;
        }
        for (int i = 0; i < 8; i++)
            n += (unsigned)__builtin_popcountll(bits[i]);
        return n;
    }
    numbers_clear(&seen);
    LANES_EACH(lane, r->mask) {
        numbers_add(&seen, r->addr[lane] >> SECTOR_SHIFT);
        numbers_add(&seen, (r->addr[lane] + r->bytes - 1) >> SECTOR_SHIFT);
    }
    return seen.n;
}

unsigned coalescer_sectors(const struct record *r)
{
    switch (r->shape) {
    case RECORD_UNIFORM:
        return span(r->addr[0], r->addr[0] + r->bytes - 1);
    case RECORD_AFFINE:
        return affine(r);
    default:
        return scattered(r);
    }
}
