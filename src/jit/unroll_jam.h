/* What is the same in the warps of a block, or goes up by a known number from one to the next, and how many of them the host's
 * registers have room for at once (unroll-and-jam; llvm/form.h).
 *
 * Warps that go one way together share what does not depend on which warp it is (loop counters, loads at such addresses),
 * and have independent chains of arithmetic. Private to jit. */
#ifndef JIT_UNROLL_JAM_H
#define JIT_UNROLL_JAM_H

#include "jit/lane_shape.h"

enum { UNROLL_JAM_MOST = 8 };

/* Registers of which each warp of a block has what the one before it has and a number more, lane by lane, as long as all have
 * gone the same way; 0: the same. Others than 0 are of integers of affine shape: then it is the bases that go up. */
struct unroll_jam_steps {
    uint64_t *known; /* bit set over registers */
    int64_t *by;     /* [nregs], sign-extended from the register's width */
};

/* Of `warps` warps. Where a value of 32 bits goes up and is widened, its wrap has to be looked at for all of them if
 * shape_guarded_source says so. */
struct unroll_jam_steps *unroll_jam_find(const struct ir_kernel *k, const struct shapes *s, const uint32_t dim[3], int warps);
/* The same when nothing is known of some registers (bit set, or NULL), and (blocks) of warps of several blocks of a row: then what is the
 * same is the same in these. */
struct unroll_jam_steps *unroll_jam_find_without(const struct ir_kernel *k, const struct shapes *s, const uint32_t dim[3], int warps,
                                                 bool blocks, const uint64_t *unknown);
/* The same from a block to the next one of its row, for what is no more than a guess: wraps are not looked at. */
struct unroll_jam_steps *unroll_jam_find_blocks(const struct ir_kernel *k, const struct shapes *s, const uint32_t dim[3]);
void unroll_jam_steps_release(struct unroll_jam_steps *s);

/* How many of a block's warps the host's vector registers have room for at once: a power of two that divides them. */
int unroll_jam_room(const struct ir_kernel *k, const struct shapes *s, const struct unroll_jam_steps *steps, const char *level, int warps);

#endif
