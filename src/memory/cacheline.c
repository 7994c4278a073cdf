/* Global accesses of compute capability 2.x and 3.x: lines of 128 bytes through L1, segments of 32 past it.
 *
 * Rules: CUDA C Programming Guide 4.2, sections F.4.2 and F.5.2 (3.0 as 2.x). A warp's request is first split: words of 8
 * bytes into one for each half-warp, of 16 bytes into one for each quarter. Each request costs the lines that its lanes
 * touch, in any order. A line that goes through L1 is a transaction of 128 bytes; past L1 (-Xptxas -dlcm=cg, stores, and
 * loads of a 3.x that was not asked to use L1) L2 is read and written by 32 bytes.
 * CUPTI's events uncached_global_load_transaction and global_store_transaction count a line's segments as one ("Transaction
 * can be 32/64/96/128B"): that number is `lines`. An access of 32 bytes is two of 16. */
#include "memory/lanes.h"
#include "memory/rules.h"
#include "memory/sets.h"

enum { WIDEST = 16, LINE_SHIFT = 7, SEGMENT_SHIFT = 5 };

void cacheline_transactions(const struct record *r, bool cached, struct transactions *t)
{
    uint64_t own[32], addr[32];
    const uint64_t *all = lanes_addresses(r, own);
    int group = r->bytes <= 4 ? 32 : r->bytes <= 8 ? 16 : 8;

    for (unsigned from = 0; from < r->bytes; from += WIDEST) {
        for (int i = 0; i < 32; i++)
            addr[i] = all[i] + from;
        unsigned lines = lanes_count(sets_now()->fresh(addr, r->mask, LINE_SHIFT, group));

        t->lines += lines;
        if (cached)
            t->of_128 += lines;
        else
            t->of_32 += lanes_count(sets_now()->fresh(addr, r->mask, SEGMENT_SHIFT, group));
    }
}
