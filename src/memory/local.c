/* Local memory: private to a thread, but laid out so that lanes with the same offset share sectors.
 *
 * In: the byte offset in each lane's local memory. Rule: 4-byte word w of lane i lies at byte w * 128 + i * 4 of the
 * warp's local memory (CUDA programming guide, "local memory": consecutive 32-bit words by consecutive thread ids), so
 * 32 lanes at one word cost 4 sectors, 32 lanes at 32 words cost 32; 64 and 128-bit accesses cost the sum over their
 * words. A sector holds one word of eight neighbouring lanes: the count is the number of distinct pairs (word, lane /
 * 8). Checked against local_array on an H200 (2026-11-20): uniform index 4 sectors a request, index v mod 16 by lane
 * 25.8, v mod 64 30.3, both equal to the launch's total. */
#include "memory/lanes.h"
#include "memory/memory.h"

/* Distinct words of up to eight lanes. */
static unsigned distinct_words(const struct record *r, uint32_t mask)
{
    uint64_t seen[8 * 9]; /* 32 bytes touch at most 9 words */
    unsigned n = 0;

    LANES_EACH(lane, mask) {
        uint64_t at = record_address(r, (int)lane), last = (at + r->bytes - 1) / 4;

        for (uint64_t word = at / 4; word <= last; word++) {
            unsigned i = 0;

            while (i < n && seen[i] != word)
                i++;
            if (i == n)
                seen[n++] = word;
        }
    }
    return n;
}

unsigned local_sectors(const struct record *r)
{
    unsigned n = 0;

    if (r->shape == RECORD_UNIFORM || (r->shape == RECORD_AFFINE && r->stride == 0)) {
        unsigned words = (unsigned)((r->addr[0] + r->bytes - 1) / 4 - r->addr[0] / 4) + 1;

        for (int eight = 0; eight < 32; eight += 8)
            n += (r->mask >> eight & 0xff) ? words : 0;
        return n;
    }
    for (int eight = 0; eight < 32; eight += 8)
        n += distinct_words(r, r->mask & 0xffu << eight);
    return n;
}
