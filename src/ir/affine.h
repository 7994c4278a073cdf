/* What an operation makes of integers that go up by known numbers.
 *
 * Many operations on integers add their sources up, each times a number: add, sub, shl, mad, moves, conversions, arithmetic on
 * addresses. What their sources go up by along some axis adds up in the same way, modulo 2^bits of the result. The axis is the
 * caller's: the lanes of a warp (jit/lane_shape.h), warps of a block or blocks of a row (jit/unroll_jam.h), turns of a loop
 * (jit/llvm/turn_steps.c); or there is none, and the values themselves are added up (target/values.h).
 *
 * A value that is widened goes up in the result by what it goes up by only if it does not wrap on the way: who asks has to know
 * that. A conversion to fewer bits needs nothing. Numbers are integers, read as the operation reads them. */
#ifndef IR_AFFINE_H
#define IR_AFFINE_H

#include "ir/ir.h"

enum { AFFINE_SOURCES = 3 };

struct affine {
    int n;        /* sources */
    int bits;     /* of the result */
    bool product; /* the first two are multiplied, and neither is a number: with `times` 0 they only stand for it */
    struct {
        int64_t times; /* it is in the sum so many times; 0: it is the number that another is taken times */
        int bits;      /* it is read in so many; it is widened if the result has more */
    } of[AFFINE_SOURCES];
};

/* Is source i a number that is known? Its bits. */
typedef bool affine_number(const void *known, const struct ir_inst *in, int i, uint64_t *bits);

/* For callers that know immediates alone; `known` is NULL. */
bool affine_immediate(const void *known, const struct ir_inst *in, int i, uint64_t *bits);

/* False: it is no such operation, or its modifiers make something else of the sum. What a guard does is not asked. */
bool affine_of(const struct ir_inst *in, affine_number *number, const void *known, struct affine *a);

/* The result goes up by *sum, sign-extended from its bits, when source i goes up by by[i]. False: by no known number. */
bool affine_step(const struct affine *a, const int64_t by[], int64_t *sum);

#endif
