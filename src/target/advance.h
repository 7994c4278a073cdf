/* Loads behind a short cut that are done before its branch.
 *
 * In: a kernel in SSA. Out: the same kernel, in which a load behind `if (...) { way }` that does not depend on the way is done before the
 * branch, with the arithmetic of its address: so that the way is gone while the load is on its way. Where several such ways follow each other, loads pass all
 * of them. Every lane that comes to the branch comes to the place behind it, so each load is asked for by the same lanes as before.
 *
 * The way is one run of instructions that nobody else enters and in which nobody synchronises or leaves, nor goes ways within an operation (quotients, roots, calls of
 * the math library); it may be of any length. A load passes no store
 * to memory that it may read, no barrier and no fence. Loads under a guard, volatile and ordered ones, and those of waiting loops stay. Where both
 * outcomes have a way of their own, nothing moves (arms.h).
 * Source: ways of 0 to 200 FFMA with loads of each space, stores and barriers before and behind, through ptxas 13.0 (V13.0.88) for sm_90, disassembled
 * 2026-12-01. Branches behind which it found a load among the first 19 instructions are marked (ir_inst.loads_behind): it takes longer ways for
 * predicated ones there (shape.h), and looks for that before it moves anything. It moves arithmetic, roots and stores likewise; these stay here, as nothing that is counted depends on them. */
#ifndef TARGET_ADVANCE_H
#define TARGET_ADVANCE_H

#include "ir/ir.h"

void advance_loads(struct ir_kernel *k);

#endif
