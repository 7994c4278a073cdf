/* Constant memory: one address at a time.
 *
 * Rule (CUDA programming guide, "constant memory"): a request is split into as many requests as there are different
 * addresses among its lanes. Checked against idc__requests of constant_index on an H200 (2026-11-20): 2, 4, 8, 32
 * distinct indices cost 2, 4, 8, 32 times the one.
 * Compute capability 1.x: each half-warp by itself (CUDA C Programming Guide 4.2, section 5.3.2.4). */
#include "memory/lanes.h"
#include "memory/memory.h"
#include "memory/rules.h"
#include "memory/sets.h"

unsigned constant_addresses(const struct record *r)
{
    uint64_t own[32];

    if (r->shape == RECORD_UNIFORM)
        return 1;
    return lanes_count(sets_now()->fresh(lanes_addresses(r, own), r->mask, 0, 32));
}

unsigned constant_by_halves(const struct record *r)
{
    uint64_t own[32];

    return lanes_count(sets_now()->fresh(lanes_addresses(r, own), r->mask, 0, 16));
}
