/* Which unit does what several could: moves, sums of two and shifts.
 *
 * In: code in its order. A move is MOV (alu), IMAD.MOV (fma) or, of a constant, HFMA2 (Ampere's and Hopper's fma); a sum of two
 * IADD3 or IMAD.IADD; a shift to the left SHF or IMAD.SHL. The assembler gives each to the unit that has less to do in the whole
 * kernel, alu where both have the same: what only one of them can do counts from the start, what could be done by either from where it
 * stands. Of constants for which alu has not more to do every second one is HFMA2, which counts for neither.
 * Source: 158 kernels of tests/truth/ptx and 1,048 operations (tests/truth/machine) through ptxas 13.0 (V13.0.88), 2026-11-29: counts of
 * kernels differ by 13.6, 11.5, 10.9 and 14.4 % on 7.5, 8.0, 8.6 and 9.0, by 15.8, 14.4, 14.2 and 16.1 % if each takes the unit that the
 * instruction before does not. Balanced block by block: 16.2, 13.7 and 16.1 % on 7.5, 8.6 and 9.0. */
#ifndef TARGET_BALANCE_H
#define TARGET_BALANCE_H

#include "target/code.h"

void balance(struct code *c);

#endif
