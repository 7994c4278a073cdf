/* Several kernels on one device: which of their blocks begin when on which multiprocessors, and how fast they go beside each
 * other. Data in, data out, like timeline.h, which uses it: times are ps, `number` is the timeline's.
 *
 * Rules (NVIDIA H200, 2026-11-30, tests/truth/time: share.tsv; the names are of its rows):
 * - Blocks are given out kernel by kernel: that of the highest priority first, then the one that came first. As long as a kernel
 *   has blocks that have no place, none behind it gets one, even if its blocks would fit; nor does one beyond
 *   max_resident_grids. (low_10 and come_132 of one priority. Amert, Otterness, Yang, Anderson, Smith, "GPU Scheduling on the
 *   NVIDIA TX2: Hidden Details Revealed", RTSS 2017.)
 * - A block goes to the multiprocessor that has room for most of its kind: threads, registers, shared memory, block slots.
 *   (fma and fma_66; SMs of both. Gilman, Ogden, Guo, Walls, "Demystifying the Placement Policies of the NVIDIA GPU Thread Block
 *   Scheduler for Concurrent Kernels", 2020.)
 * - A block that has begun stays until it ends. All blocks of a kernel take the same time when it is alone: its time over its
 *   waves. With fewer beside them on a multiprocessor they are no faster.
 * - What a multiprocessor has goes to the older kernel first; younger ones have what is left. (xu, alu, fp64, shared, each
 *   beside its like: the first takes as long as alone, the second as long as both one after the other.)
 * - Integer, multiply-add, half and double units have no queue: while they are busy the scheduler is, too. (alu and xu, beside xu
 *   and shared.)
 * - A kernel that always has a warp to issue is an exception, as the scheduler stays with a warp that it has: it comes before all
 *   others, whoever is older, and leaves them nothing. Several of them share as the work of their blocks is. (fma beside fma,
 *   xu, l2, chase, hog; fma_66 and fma_waves.)
 * - L2 and DRAM serve requests as they come, so all wait as long: a kernel's rate is that of its loads, whose latency grows by
 *   what they wait in the queue. That is as long as the most loaded kernel has it alone, or longer, until all together want no
 *   more than there is. (Little's law. read beside read_66 and read_8, which have a half and a sixteenth of its loads on their
 *   way and get a third and a seventeenth of DRAM.)
 *
 * Multiprocessors whose blocks are the same, and as far, are one group, and a kernel's blocks on them a cohort; a cohort takes
 * several blocks one behind the other where nobody waits, so that long grids take few steps. */
#ifndef RUNTIME_SHARING_H
#define RUNTIME_SHARING_H

#include <stdint.h>

enum { SHARING_WHOLE = 1 << 20 /* parts of a multiprocessor's room, or of what a unit can do */ };

enum sharing_room {
    SHARING_THREADS,
    SHARING_REGISTERS,
    SHARING_SHARED,
    SHARING_BLOCKS,
    SHARING_ROOMS
};

enum sharing_unit {
#define UNIT(id, of, metric, purpose) SHARING_##id,
#include "runtime/sharing_units.def"
#undef UNIT
    SHARING_UNITS
};

/* What a kernel needs and takes. */
struct sharing_need {
    uint64_t blocks, fit; /* its blocks; how many of them the device holds at once: at least one a
                             multiprocessor */
    int room[SHARING_ROOMS]; /* parts of WHOLE of a multiprocessor's that a block needs; all 0: what
                                `fit` says */
    int use[SHARING_UNITS]; /* parts of WHOLE of the device's that the kernel uses when it is alone,
                               on average */
    int waits; /* parts of WHOLE of its warps' time, in which they wait for loads from L2 or DRAM,
                  or for stores to go there */
    int far;   /* parts of WHOLE of what it reads that come from DRAM */
    int64_t latency; /* of a load, when the kernel is alone; 0: it has none, and is held up as the
                        longest loads of others are */
    int64_t queue;   /* of that, or of a store, what it waits for others of the kernel */
};

/* Of what takes all multiprocessors and competes for nothing. */
static inline struct sharing_need sharing_all(int sms)
{
    return (struct sharing_need){.blocks = (uint64_t)sms, .fit = (uint64_t)sms};
}

struct sharing {
    int sms, grids; /* multiprocessors; kernels at once */
    uint64_t came;  /* kernels */
    struct sharing_group *group;
    int ngroups, group_cap;
    struct sharing_kernel *kernel; /* by rank */
    int nkernels, kernel_cap;
};

/* Without anything on it. */
void sharing_init(struct sharing *s, int sms, int grids);
void sharing_release(struct sharing *s);
void sharing_copy(struct sharing *to, const struct sharing *from); /* `to` is not initialised */

/* A kernel wants room. work: what it takes when it is alone. */
void sharing_come(struct sharing *s, uint64_t number, int priority, int64_t work,
                  const struct sharing_need *need);

/* Gives blocks what room there is. Answers kernels that have got their first place by this, one a
 * call; 0: no more. */
uint64_t sharing_begin(struct sharing *s);

/* Ps until a block ends, with all as it is now; INT64_MAX: none runs. */
int64_t sharing_next(struct sharing *s);

/* Time goes on, no further than the next end. */
void sharing_pass(struct sharing *s, int64_t ps);

/* Kernels whose last block has ended leave, one a call; 0: no more. */
uint64_t sharing_end(struct sharing *s);

#endif
