/* What the assembler makes of atomics: reductions, one lane for a whole warp, counted additions.
 *
 * In: an analysed kernel whose unread results are gone. Rules, from one-purpose kernels through ptxas 13.0
 * (docs/target.md) and the programs global_atomics and shared_atomics of tests/truth/rules on an H200:
 *   global ATOM without result          RED, every operation but exch and cas, relaxed only
 *   uniform address, no result          one lane does it for the warp: 32-bit add min max and or xor, 64-bit add of a
 *                                       uniform value. Not inc, dec, floating point, other 64-bit operations
 *   uniform address, result read        likewise for 32-bit add, and 64-bit add of a uniform value
 *   shared add of 1, no result          ATOMS.POPC.INC, whatever the address: lanes on one word are summed first */
#ifndef TARGET_ATOMICS_H
#define TARGET_ATOMICS_H

#include "ir/ir.h"

void atomics_rewrite(struct ir_kernel *k);

#endif
