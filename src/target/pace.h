/* What the order of the machine code says of time: how long a block takes a warp that has the multiprocessor for itself, when its
 * accesses to memory begin in it, and when what they bring is needed.
 *
 * In: scheduled code and its flow. Out: struct target_pace. Instructions are issued in their order, one a cycle at
 * most and as far apart as spacing.h says; each waits for its operands, which are there so many cycles after the instruction that makes them was
 * issued (latencies.def, operations.def; loads of shared memory of several words a lane or several matrices some cycles later: latency_wide2,
 * latency_wide4, latency_wavefront). What comes from global, local or
 * constant memory by address, from textures and from atomics takes as long as the memory model says: here it is there at once, and who is
 * the first to need it is kept. A block that follows itself is looked at while it does. What is not known: which way a branch goes, so a
 * block begins with the operands that the block in front of it leaves; what a called function waits for, so each of its instructions needs the
 * one before it; nor do those of a long way (long_ways.h), of which the time is that of its parts, and is taken by warps that go it. */
#ifndef TARGET_PACE_H
#define TARGET_PACE_H

#include "ir/ir.h"
#include "target/long_ways.h"

struct code;
struct flow;
struct device;

/* In the cycles of a block: never. */
enum { PACE_NEVER = UINT16_MAX, PACE_TICKS = 16 /* of a cycle */ };

/* Of a run of a block of the IR; of an unrolled loop what a turn has of a round. */
struct pace_block {
    uint32_t span;   /* ticks: from its first instruction to the one behind it */
    uint32_t wait, scoreboard, branch; /* of these, ticks in which the warp waits as many cycles as the code itself says, for results that come when they come
                         (but memory's), and for where a branch goes */
    uint32_t lines;   /* of 128 bytes that its instructions take, its own and those of ways that are part of it */
    int32_t owner;    /* the block of the IR whose machine code this one's is part of */
    uint16_t rounds;  /* of the unrolled loop whose head the owner is: turns side by side; else 1 */
};

struct pace_access {
    uint16_t at;   /* cycles from the begin of the machine code's block to its issue */
    uint16_t used; /* to the issue of the first instruction that waits for what it brings; PACE_NEVER: none in the block */
};

struct target_pace {
    struct pace_block *block;   /* [nblocks] */
    int32_t *first;             /* [ninsts] of sites that access memory, of barriers of the block, fences of the device, groups of copies and reads of a clock: the first of its accesses, one for each turn side by side;
                                   else -1 */
    struct pace_access *access;
    int32_t naccesses;
    struct pace_block (*part)[LONG_PARTS]; /* [LONG_WAYS] of the kernel's long ways: span, wait, scoreboard and branch of a part; NULL: there are none */
};

/* Arrays belong to the heap (pace_release). d: whose latencies it goes by; what its description does not have, or NULL: those of operations.def. */
void pace_find(const struct ir_kernel *k, const struct code *c, const struct flow *f, const struct device *d, struct target_pace *p);
void pace_release(struct target_pace *p);

#endif
