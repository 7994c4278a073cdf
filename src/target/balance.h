/* Which unit does what several could: moves, sums of two, shifts, and shifts with a sum.
 *
 * In: code in its order. A move is MOV (alu), IMAD.MOV (fma) or, of a constant, HFMA2 (Ampere's and Hopper's fma); a sum of two registers
 * IADD3 or IMAD.IADD, of their upper halves IADD3.X or IMAD.X; on Hopper that of a register and a constant or uniform register IADD3 or
 * VIADD (fma); a shift to the left SHF or IMAD.SHL; with a sum LEA or IMAD. Of a kernel's E instructions that either unit could do the
 * assembler gives fma a share of 1/2 + (A - F) / 2E, at least 0 and at most 1, where A and F can be done by alu and by fma alone: if it can
 * be, both have as much to do. The share is the same for each kind and from a kernel's begin to its end. Of constants
 * the first is HFMA2.MMA, and of the others that are left to alu every second one, in kernels without products of matrices, whose unit it is
 * done by; none of which a half is a NaN. Where the window of shared memory lies is always a MOV.
 * Source: 349 kernels of 107 programs through ptxas 13.0 (V13.0.88, sm_90; the same of sm_75 and sm_80), 2026-11-29; constants: 158 of them,
 * 2026-12-01 (every second one of all constants, not of those left to alu: as good in the mean, worse by kernel). By (A - F) / E the share of 2,500 sums with a constant, 2,400 of two registers and 2,500 moves (expected: 0, 0.25, 0.5, 0.75, 1):
 *   -1 and less: 0, 0, 0; -0.5: 0.22, 0.18, 0.21; 0: 0.47, 0.35, 0.41; 0.5: 0.67, 0.72, 0.71; 1 and more: 0.97, 1.00, 1.00. */
#ifndef TARGET_BALANCE_H
#define TARGET_BALANCE_H

#include "target/code.h"

void balance(struct code *c);

#endif
