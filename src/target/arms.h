/* Loads that both ways of a short branch do.
 *
 * In: a kernel in SSA. Out: the same kernel, in which a load that both ways of a branch do, of one address, is done
 * before the branch, so that lanes of both ways are one request. The assembler does so where it turns the branch into
 * predicated instructions: both ways are a block of at most 20 instructions (5 where it loads only from shared memory) that
 * meet at once, and nothing before the load in its block stores or synchronises. In longer ones each way loads for itself.
 * Source: tests/ptx/target/arms.ptx through ptxas 13.0 (V13.0.88) -arch=sm_90, disassembled 2026-11-21; the same on an
 * H200: `alternating` of branches in tests/truth/rules. */
#ifndef TARGET_ARMS_H
#define TARGET_ARMS_H

#include "ir/ir.h"

void arms_share_loads(struct ir_kernel *k);

#endif
