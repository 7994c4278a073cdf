/* Loops whose blocks lie one behind the other, each with a way to the next or out: what the lanes of a warp did in one, one
 * after the other, is told by how often each went round, so launches that count have a lane-serial form of them, too
 * (llvm/serial_form.c; turns.h). Private to jit. */
#ifndef JIT_CHAIN_H
#define JIT_CHAIN_H

#include "jit/abi.h"

enum { CHAIN_BLOCKS = 8 };

/* An instruction of the loop that has a row in the tally. */
struct chain_load {
    int32_t site;
    bool strided;  /* its address register goes up by `step` in each turn, and is `ahead` above what it was at the head */
    int64_t step, ahead; /* bytes */
};

struct chain {
    int32_t block[CHAIN_BLOCKS]; /* the first is the loop's head; behind the last comes the head */
    int n;
    int32_t join;                /* where every way out leads */
    struct chain_load load[TALLY_TURN_LOADS]; /* as they come */
    int nloads;
};

/* The loop with this head. False: it is not such a loop, or more than TALLY_TURN_LOADS of its instructions have a row in the
 * tally (rows: jit_job.row), or another than a branch has a guard. */
bool chain_at(const struct ir_kernel *k, const int32_t *row, int32_t head, struct chain *c);

/* The instruction's number among the loads. */
int chain_load(const struct chain *c, int32_t site);

#endif
