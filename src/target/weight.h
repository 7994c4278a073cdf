/* What the assembler takes the instructions of a loop's turn for when it decides whether to unroll it.
 *
 * It does so early: products and sums are not yet fused, integers of 64 bits not yet two words, accesses not merged, an access's offset is a
 * sum of its own, and quotients of 32 bits stand in the loop whole. What is under a predicate weighs 2. Source: 300 loops of PTX that differ
 * in one instruction, with as many FFMA beside it as ptxas 13.0 (V13.0.88) for sm_90 unrolls, 2026-11-30. */
#ifndef TARGET_WEIGHT_H
#define TARGET_WEIGHT_H

#include "target/code.h"
#include "target/lower.h"
#include "target/shape.h"

struct weight {
    int size;
    int loads, shared; /* accesses to global memory that load, and to shared memory */
};

/* selected: the code as selection leaves it. c: the loop's counter, whose step, comparison and branch weigh nothing. */
struct weight weight_of_turn(const struct lowered *l, const struct code *selected, int32_t loop, const struct counter *c);

#endif
