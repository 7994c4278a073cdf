/* Which registers have one value in all lanes of a warp, as far as the assembler sees it.
 *
 * In: an analysed kernel. A value is uniform when its operation does not depend on the lane (ir/facts.h) and everything it
 * is computed from is uniform: parameters, constants, the block's index and sizes, %warpid. What lanes exchange need not be:
 * votes, reductions, a shuffle of the whole warp from one lane are uniform if their member mask is. The thread's index is not,
 * nor are results of atomics, addresses of local memory, and shuffles inside segments; `tid >> 5` is not either. A register with several
 * definitions is uniform when no branch whose lanes may part decides between them, one that is set where lanes are parted when it
 * is not used behind the place where they meet. Found with one-purpose kernels of PTX through ptxas 13.0 (docs/target.md) and by
 * the counts of an H200 (tests/truth/rules/uniform_sources, 2026-11-23). Counters of loops that lanes leave at different turns, by their
 * counter, by data or by a way out of the middle, alone, in ways of branches and in other loops: ptxas 13.0, sm_90, 2026-11-29. */
#ifndef TARGET_UNIFORM_H
#define TARGET_UNIFORM_H

#include "ir/ir.h"

/* Bit set over registers; alloc_release it. */
uint64_t *uniform_registers(const struct ir_kernel *k);

/* The same, but lanes that have parted may have values of their own: those that come to a branch together go one way of it if this is so of
 * its predicate. A loop in one way of an if: its counter is the same in all lanes that are there. */
uint64_t *uniform_together(const struct ir_kernel *k);

/* Blocks of the ways of branches at which lanes part, and of the loops that lanes leave at different turns: bit sets over blocks. */
struct uniform_blocks {
    uint64_t *ways, *loops;
};

/* The same again, as the assembler keeps values in uniform registers: not what such a loop gives a new value each turn. Fills in *parted,
 * whose sets the caller releases. */
uint64_t *uniform_kept(const struct ir_kernel *k, struct uniform_blocks *parted);

/* An operand: an immediate is uniform. */
bool uniform_source(const uint64_t *uniform, const struct ir_src *s);

#endif
