/* Which unit does what several could: moves, sums of two and shifts.
 *
 * In: code in its order. A move is MOV (alu), IMAD.MOV (fma) or, of a constant, HFMA2 (Ampere's and Hopper's fma); a sum of two
 * IADD3 or IMAD.IADD; a shift to the left SHF or IMAD.SHL. The assembler takes the unit that the instruction before does not.
 * Source: which one stands behind which, in the 158 kernels of tests/truth/ptx through ptxas 13.0 (V13.0.88), 2026-11-29; it is
 * so of 60 to 80 of 100. */
#ifndef TARGET_BALANCE_H
#define TARGET_BALANCE_H

#include "target/code.h"

void balance(struct code *c);

#endif
