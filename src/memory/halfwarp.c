/* Global accesses of compute capability 1.x: each half-warp by itself, loads and stores alike, no cache.
 *
 * Rules: CUDA C Programming Guide 4.2, section F.3.2.
 * 1.0 and 1.1 (F.3.2.1): words of 4, 8 or 16 bytes, the k-th lane on the k-th word of a segment (of 64 bytes, of 128, of
 * 128 and the next 128) are one transaction of 64 bytes, one of 128 or two of 128, whichever lanes are off. Everything else
 * is a transaction of 32 bytes for each lane. The guide says 16 of these; we take one for each lane that is on.
 * 1.2 and 1.3 (F.3.2.2): the lowest waiting lane chooses a segment of 32 bytes (words of 1 byte), 64 (2 bytes) or 128; all
 * lanes in it are served; the transaction shrinks to the half that is used, 128 to 64, 64 to 32.
 * An access of 32 bytes is two of 16. */
#include "memory/lanes.h"
#include "memory/rules.h"

enum { HALF = 16, WIDEST = 16 };

/* Calls `rule` for each half of the warp, and for each 16 bytes of what a lane accesses. */
static void halves(const struct record *r, void (*rule)(const uint64_t *addr, uint32_t mask, unsigned bytes, struct transactions *t),
                   struct transactions *t)
{
    uint64_t own[32], addr[HALF];
    const uint64_t *all = lanes_addresses(r, own);

    for (unsigned from = 0; from < r->bytes; from += WIDEST)
        for (unsigned at = 0; at < 32; at += HALF) {
            uint32_t mask = r->mask >> at & 0xffff;

            for (unsigned i = 0; i < HALF; i++)
                addr[i] = all[at + i] + from;
            if (mask)
                rule(addr, mask, r->bytes < WIDEST ? r->bytes : WIDEST, t);
        }
}

static void add(struct transactions *t, uint64_t addr, unsigned bytes)
{
    if (bytes == 128)
        t->of_128++;
    else if (bytes == 64)
        t->of_64++;
    else
        t->of_32++;
    if (t->each)
        t->each[t->n++] = (struct transaction){addr, bytes};
}

static bool in_order(const uint64_t *addr, uint32_t mask, unsigned bytes)
{
    unsigned first = (unsigned)lanes_first(mask);
    uint64_t base = addr[first] - first * bytes;

    if (bytes < 4 || base % (bytes == 4 ? 64 : 128))
        return false;
    LANES_EACH(lane, mask)
        if (addr[lane] != base + lane * bytes)
            return false;
    return true;
}

static void by_order(const uint64_t *addr, uint32_t mask, unsigned bytes, struct transactions *t)
{
    unsigned first = (unsigned)lanes_first(mask);

    if (in_order(addr, mask, bytes)) {
        for (unsigned at = 0; at < HALF * bytes; at += bytes == 4 ? 64 : 128)
            add(t, addr[first] - first * bytes + at, bytes == 4 ? 64 : 128);
        return;
    }
    LANES_EACH(lane, mask)
        add(t, addr[lane] & ~UINT64_C(31), 32);
}

static void by_segments(const uint64_t *addr, uint32_t mask, unsigned bytes, struct transactions *t)
{
    const unsigned largest = bytes == 1 ? 32 : bytes == 2 ? 64 : 128;

    for (uint32_t left = mask; left;) {
        uint64_t segment = addr[lanes_first(left)] / largest;
        unsigned size = largest, low = largest, high = 0; /* bytes of the segment that are used: low to high - 1 */

        LANES_EACH(lane, left)
            if (addr[lane] / largest == segment) {
                unsigned at = (unsigned)(addr[lane] % largest);

                low = at < low ? at : low;
                high = at + bytes > high ? at + bytes : high;
                left &= ~(1u << lane);
            }
        uint64_t at = segment * largest;

        for (; size > 32 && (high <= size / 2 || low >= size / 2); size /= 2)
            if (low >= size / 2) {
                low -= size / 2;
                high -= size / 2;
                at += size / 2;
            }
        add(t, at, size);
    }
}

void halfwarp_in_order(const struct record *r, bool cached, struct transactions *t)
{
    (void)cached;
    halves(r, by_order, t);
}

void halfwarp_segments(const struct record *r, bool cached, struct transactions *t)
{
    (void)cached;
    halves(r, by_segments, t);
}
