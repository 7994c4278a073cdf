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

/* Along what they go up. */
enum unroll_jam_axis {
    UNROLL_JAM_WARPS,     /* of a block */
    UNROLL_JAM_ROW_WARPS, /* of several blocks of a row: what is the same is the same in these */
    UNROLL_JAM_ROW        /* from a block to the next one, for what is no more than a guess: wraps are not looked at */
};

/* Of `warps` warps, when nothing is known of some registers (bit set, or NULL). Where a value of 32 bits goes up and is widened, its wrap
 * has to be looked at for all of them if shape_guarded_source says so. */
struct unroll_jam_steps *unroll_jam_find(const struct ir_kernel *k, const struct shapes *s, const uint32_t dim[3], enum unroll_jam_axis axis,
                                         int warps, const uint64_t *unknown);
void unroll_jam_steps_release(struct unroll_jam_steps *s);

/* How many of a block's warps the host's vector registers have room for at once: a power of two that divides them. */
int unroll_jam_room(const struct ir_kernel *k, const struct shapes *s, const struct unroll_jam_steps *steps, const char *level, int warps);

#endif
