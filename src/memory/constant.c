/* Constant memory: one address at a time.
 *
 * Rule (CUDA programming guide, "constant memory"): a request is split into as many requests as there are different
 * addresses among its lanes. Checked against idc__requests of constant_index on an H200 (2026-11-20): 2, 4, 8, 32
 * distinct indices cost 2, 4, 8, 32 times the one. */
#include "memory/lanes.h"
#include "memory/memory.h"

unsigned constant_addresses(const struct record *r)
{
    struct numbers seen;

    if (r->shape == RECORD_UNIFORM)
        return 1;
    if (r->shape == RECORD_AFFINE)
        return r->stride == 0 ? 1 : lanes_count(r->mask);
    numbers_clear(&seen);
    LANES_EACH(lane, r->mask)
        numbers_add(&seen, r->addr[lane]);
    return seen.n;
}
