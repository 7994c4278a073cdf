/* Products and sums that become fused multiply-adds, which round once: the assembler's part of contraction.
 *
 * In: a kernel in SSA, so that a register of PTX that is written several times is as many values. Out: the same kernel, in which an add or sub without a rounding modifier is an fma if
 * one of its operands is a product without one (looking through moves and signs) and
 * - both are in one basic block, with no fence between them, of one type, and agree in .ftz; the product has no guard and does
 *   not saturate;
 * - the product has no other reader, or all its readers are such sums. Sums of two products take the one without other readers,
 *   of two such ones the first; the other is rounded and added.
 * A product by a constant (a number, a kernel parameter, constant memory at a fixed address), f32 or f64, may also stand in another
 * block or before a fence, if every way to the sum passes it: the assembler moves it to its sums.
 * Sums are looked at in order, first for products with one reader, then for the rest, so that a product that is the addend of
 * a fused one keeps its own place. Multiplications by 1 and -1 and of constants are no products: they are folded (fold.h).
 * Approximate quotients (div.approx, div.full, rcp.approx) and some functions of the math library end in such a product (EXTERN_PRODUCT of
 * extern_ways.def): a sum of their result is an fma of it and 1, which rounds as the sum does, and counts as what the
 * assembler makes. That the assembler's quotient is not rounded before the sum is within div.approx's error (9.7.3.8).
 * A module made for debugging (.target ..., debug) is left as it is.
 *
 * It decides what kernels compute, not just what is counted: HEDDLE_TARGET=none leaves it in.
 * Source: PTX ISA 8.4, 9.7.3.3 and 9.7.3.5 (without a modifier, mul and add may be contracted; .rn forbids it), and the kernels of
 * tests/ptx/target/contraction.ptx through ptxas 13.0 (V13.0.88) -arch=sm_90; which product is taken from the registers
 * of the machine code; FFMA, FMUL and FADD of eight of them counted on an H200,
 * 2026-11-23, where tests/device/contraction.cu passes, too. */
#ifndef TARGET_CONTRACT_H
#define TARGET_CONTRACT_H

#include "ir/ir.h"

void contract_products(struct ir_kernel *k);

#endif
