/* The coalescer: from the addresses of a warp to 32-byte sectors.
 *
 * Rule (compute capability 5.x and later; CUDA programming guide, "global memory" of each capability: transactions of
 * 32 bytes): a request costs as many sectors as its active lanes touch distinct 32-byte pieces of memory, whatever
 * the width (8 to 128 bits), the order of lanes and the number of lanes that share a sector. Checked on an NVIDIA
 * H200 (driver 580.159.04, ncu 2025.3.1, 2026-11-20) with 240 accesses of random, strided, grouped and partly masked
 * addresses of 32, 64 and 128 bits, loads and stores: all equal (tests/data/h200_patterns.txt). */
#include "memory/lanes.h"
#include "memory/memory.h"
#include "memory/sets.h"

unsigned coalescer_sectors(const struct record *r)
{
    uint64_t own[32];

    if (r->shape == RECORD_UNIFORM)
        return 1;
    return sets_now()->sectors(lanes_addresses(r, own), r->mask);
}
