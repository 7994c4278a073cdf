/* Local memory: private to a thread, but laid out so that lanes with the same offset share sectors.
 *
 * In: the byte offset in each lane's local memory. Rule: 4-byte word w of lane i lies at byte w * 128 + i * 4 of the
 * warp's local memory (CUDA programming guide, "local memory": consecutive 32-bit words by consecutive thread ids), so
 * 32 lanes at one word cost 4 sectors, 32 lanes at 32 words cost 32; 64 and 128-bit accesses cost the sum over their
 * words. A sector holds one word of eight neighbouring lanes: the count is the number of distinct pairs (word, lane /
 * 8). Checked against local_array on an H200 (2026-11-20): uniform index 4 sectors a request, index v mod 16 by lane
 * 25.8, v mod 64 30.3, both equal to the launch's total.
 * Before compute capability 5.0 each word of a lane is a request like a global one, to where the word lies. */
#include "memory/lanes.h"
#include "memory/memory.h"
#include "memory/rules.h"
#include "memory/sets.h"

unsigned local_sectors(const struct record *r)
{
    unsigned words = r->bytes > 4 ? r->bytes / 4u : 1, n = 0;
    uint64_t own[32];

    if (r->shape != RECORD_UNIFORM)
        return words * lanes_count(sets_now()->fresh(lanes_addresses(r, own), r->mask, 2 + __builtin_ctz(words), 8));
    for (int eight = 0; eight < 32; eight += 8)
        n += (r->mask >> eight & 0xff) ? words : 0;
    return n;
}

void local_transactions(const struct rule_set *set, const struct record *r, bool cached, struct transactions *t)
{
    enum { ROW = 128 }; /* bytes that one word of each lane takes */
    struct record word = *r;

    word.shape = RECORD_EXPLICIT;
    word.bytes = r->bytes < 4 ? r->bytes : 4;
    for (unsigned from = 0; from < r->bytes; from += 4) {
        for (unsigned lane = 0; lane < 32; lane++) {
            uint64_t offset = record_address(r, (int)lane) + from;

            word.addr[lane] = offset / 4 * ROW + lane * 4 + offset % 4;
        }
        set->global(&word, cached, t);
    }
}
