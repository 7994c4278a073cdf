/* A communicator on its way: what ncclCommInitRank and ncclCommSplit begin, and ncclGroupEnd ends. */
#ifndef NCCL_MAKING_H
#define NCCL_MAKING_H

#include "libraries/nccl/group.h"

enum { MAKING_STEPS = 5 };

struct making {
    ncclComm_t *out, comm; /* comm: NULL for a rank without a colour */
    ncclUniqueId id;
    int nranks, rank;
    ncclComm_t parent;     /* of a split, or NULL */
    int color, key, leader; /* leader: the parent's rank that makes the id */
    uint32_t number;       /* of the split, from 1 */
};

/* One step, from 0 to MAKING_STEPS - 1. */
ncclResult_t making_step(struct making *m, int step);

/* It will not come. */
void making_fail(struct making *m);

/* Now, or at the end of the thread's group of calls (calls.c). */
ncclResult_t making_begin(const struct making *m);

#endif
