/* Floating-point arithmetic that the assembler does not leave to the kernel, or does once.
 *
 * In: a kernel in SSA. Out: the same kernel, in which
 * - add, sub, mul, sign operations and rounding to integers of constants are constants, selects by comparisons of
 *   constants moves (32-bit logic and sums between them included), and x * 1 and x * -1 moves and signs. fma, division and
 *   roots of constants stay: the assembler computes those on the GPU, too;
 * - an add, sub, mul, fma, sign, conversion or approximate function (single and double precision) whose operands are the
 *   same as those of an instruction that every way there passes is that instruction's result; products and sums also with
 *   their operands exchanged. Divisions and roots rounded to nearest are done again.
 * Source: one-operation kernels through ptxas 13.0 (V13.0.88) -arch=sm_90, disassembled 2026-11-21; math_float and
 * math_double of tests/truth/rules show the same on an H200 (pow_square, pow_negative, normcdf). */
#ifndef TARGET_FOLD_H
#define TARGET_FOLD_H

#include "ir/ir.h"

/* Constants are computed by k->lanes. */
void fold_arithmetic(struct ir_kernel *k);

#endif
