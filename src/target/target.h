/* What PTX is not: between PTX and what a GPU executes stands the vendor's assembler.
 *
 * Two halves. target_rewrite changes the IR the way the assembler changes memory accesses; both executors then run
 * the rewritten IR, so exact counters are exact. target_tables says, per site and per block, what the code costs on
 * the modelled GPU; executors only count how often blocks ran and with how many lanes, counters multiply.
 * Sources: the H200 measurements of 2026-11-20 kept under tests/truth (which accesses the assembler merges, which
 * vector elements it drops, which operations it expands). Figures that are not measured are PTX counts, and labelled so. */
#ifndef TARGET_TARGET_H
#define TARGET_TARGET_H

#include "ir/ir.h"
#include "target/arch.h"
#include "target/long_ways.h"

/* What HEDDLE_TARGET asks for; not set or empty: TARGET_ASSEMBLER. */
enum target_mode {
    TARGET_NONE,      /* "none": nothing but contraction is done, kernels run as their PTX says */
    TARGET_ASSEMBLER, /* "assembler" */
    TARGET_FORWARD,   /* "forward": as "none", but reads of a copy read what was copied: a test of the way out of SSA (ir/ssa.h) */
    TARGET_UNKNOWN    /* another word; target_rewrite takes it for "assembler" */
};
enum target_mode target_mode(void);

/* Fuses products and sums (contract.h), merges neighbouring shared accesses that are provably aligned into 64 and 128-bit ones, drops elements of vector
 * loads that nobody reads (a v4 load with two used becomes two scalar loads), moves arithmetic behind a branch out of
 * the kernel where only that way uses it, and leaves a kernel that ir_analyse has been run on. Only accesses of one
 * block, with no store, barrier, fence or atomic to the same space between them, are merged. With TARGET_NONE
 * the kernel stays as it is but for fused sums: results are the same, what is counted is not. Afterwards ir_verify looks at the kernel (with HEDDLE_VERIFY=1
 * behind each pass); where it is broken, k->problems says so, and the kernel is good for nothing.
 * `lanes`: the interpreter's lanes_find. What is constant is computed by the functions that compute it in a launch. `arch`: compute
 * capability times ten; one whose machine code is not described (arch.h) is rewritten as ARCH_USUAL. */
void target_rewrite(struct ir_kernel *k, lanes_find_fn *lanes, int arch);

/* The passes that it is made of, in their order. Each takes a kernel and leaves one; what it deletes is there until the next analysis. */
struct target_pass {
    const char *name;    /* one word */
    const char *purpose; /* a line */
    void (*run)(struct ir_kernel *k);
    uint8_t modes; /* bit set over enum target_mode: in which it is done */
};
enum { TARGET_PASSES = 16 };
extern const struct target_pass target_passes[TARGET_PASSES];

/* Whether HEDDLE_TARGET has it done. */
bool target_does(int pass);

/* The first `passes` of them, for a look at what is between; adds what each took to seconds[], unless that is NULL. */
void target_rewrite_some(struct ir_kernel *k, lanes_find_fn *lanes, int arch, int passes, double *seconds);

/* Floating-point operations that one execution of a site counts as, in thread instructions of the machine code. */
struct target_flops {
    uint16_t fadd, fmul, ffma; /* single precision */
    uint16_t dadd, dmul, dfma; /* double */
    uint16_t hadd, hmul, hfma; /* half, pairs count once */
};

struct target_block {
    uint32_t instructions; /* of the GPU, an estimate */
    int32_t counted;       /* block that runs when this one's instructions are executed: itself, or the one whose branch has
                              become a predicate */
};

/* How often an instruction of the machine code is executed. */
enum target_turn {
    TURN_BLOCK, /* each time its block runs: blocks[].counted */
    TURN_VISIT, /* of an unrolled loop: each time that it is come to, */
    TURN_SOME,  /* if there are turns enough for one round of those side by side, */
    TURN_ROUND, /* for each of these rounds, */
    TURN_TWO,   /* for two turns of those left over, */
    TURN_ONE,   /* and for the last one */
    TURN_LANES, /* each time that lanes go this way of a call (ways.h) */
    TURN_MEET,  /* each time that some of a warp's lanes come to where they meet, at the begin of the block */
    TURN_SOME_APART, /* each time that lanes leave the rounds of an unrolled loop before others, for those that come later to where they meet, */
    TURN_TWO_APART,  /* where some pass by the two turns, */
    TURN_ONE_APART,  /* and where some pass by the last one */
    TURN_AGAIN, /* each round of an atomic's loop */
    TURN_SHARED, /* each time that a generic atomic finds an address in shared memory */
    TURN_LONG,   /* each time that lanes go the long way of a quotient or root (long_ways.h), */
    TURN_PASSED, /* less each time that no lane goes the short one, */
    TURN_PARTED, /* and each time that lanes go both, once more */
    TARGET_TURNS
};

/* What NVIDIA's counters make of an instruction (flow.def). */
enum target_flow {
    FLOW_BRANCH, /* it counts as a branch: ends of lanes and where they meet do, too */
    FLOW_TARGET, /* it goes to another instruction */
    TARGET_FLOWS
};

/* An unrolled loop. */
struct target_loop {
    int32_t header;          /* a block */
    int rounds;              /* turns side by side; */
    int64_t turns;           /* known before the kernel runs, of each lane that comes: none are left over; or 0: */
    int32_t trips;           /* by its number in ir_kernel.trips (visits.h); -1: the number is known */
    struct ir_trips counter; /* what ends the loop: this register, as lanes come to it, goes up to this bound */
    int32_t reg;
    struct ir_src bound;
    uint8_t type;            /* enum ptx_type */
    bool ends_apart;         /* the last turn is behind a branch: lanes that pass it by come later to where they meet */
};

/* A quotient or root with a long way. */
struct target_long_way {
    int32_t site;
    uint8_t way;                /* enum long_way */
    struct target_flops passed; /* of what lanes do not execute that go it */
};

/* What a warp executes of a part of a long way's function (long_ways.h). */
struct target_part {
    uint16_t pipes[PIPES];
    uint16_t flow[TARGET_FLOWS];
    struct target_flops flops;
};

/* An access to local memory that keeps a value for which there was no register. Executed with this site: loads in front of it, stores behind. */
struct target_spill {
    int32_t site;
    int32_t slot; /* bytes into the thread's spill area */
    uint8_t words; /* 1, 2 or 4 */
    bool store;
};

struct target_pace;
struct device;

struct target_tables {
    struct target_flops *flops;  /* [ninsts] */
    uint16_t *sixteenths;        /* [ninsts] of an instruction of the GPU that one run of blocks[].counted executes, where loops turn often */
    uint16_t (*turns)[TARGET_TURNS][PIPES]; /* [ninsts] instructions by how often they are executed, and by unit */
    /* Lanes whose predicate holds where these are executed: */
    uint16_t (*guarded)[TARGET_TURNS]; /* [ninsts] so many are under the predicate of the site, or of the way that it is on; */
    int16_t (*held)[TARGET_TURNS];     /* [ninsts] so many others are done by all lanes that come to such a part; below 0: not by those */
    int32_t *loop;               /* [ninsts] the row of `loops` that a site's turns are of, or -1 */
    uint16_t (*flow)[TARGET_TURNS][TARGET_FLOWS]; /* [ninsts] of the instructions in `turns`, those that are branches */
    uint16_t *unrolled;           /* [ninsts] turns of the site's loop that stand side by side, or 0: it is in no unrolled loop */
    struct target_loop *loops;
    int32_t nloops;
    struct target_long_way *long_ways; /* by site */
    int32_t nlong_ways;
    struct target_part (*parts)[LONG_PARTS]; /* [LONG_WAYS], of those that are among them */
    struct target_block *blocks; /* [nblocks] */
    bool *early;                 /* [ninsts] a load that stands in front of stores which precede it in PTX (waits.h) */
    struct target_pace *pace;    /* pace.h */
    uint32_t (*work)[PIPES];     /* [nblocks]: instructions of a run of the block by unit, in 1/16 of one */
    struct target_spill *spills; /* by site */
    int32_t nspills;
    int32_t spill_bytes;         /* a thread's spill area */
    int32_t spill_stores, spill_loads; /* bytes a thread, of the instructions of the code, each once: as ptxas reports them */
    int registers;               /* a thread, as ptxas reports them: an estimate (fit.h) */
};

/* The steps from the analysed kernel to its machine code. */
enum target_step {
    TARGET_SELECTED,  /* what each site becomes, in virtual registers */
    TARGET_LAID_OUT,  /* blocks, unrolled loops */
    TARGET_SCHEDULED, /* in the order in which it is executed */
    TARGET_ALLOCATED, /* in physical registers */
    TARGET_STEPS
};
extern const char *const target_step_names[TARGET_STEPS]; /* "selected" */

/* The machine code that an architecture has for the analysed kernel (code.h; arch: compute capability times ten, arch.h), an
 * estimate, as a step leaves it. To be freed with code_free. */
struct code *target_code(const struct ir_kernel *k, int arch, enum target_step after);

struct machine_block;
struct machine_inst;

/* By what an instruction of a block of the kernel's machine code is executed; TARGET_TURNS: by what ordinary operands do not come to, or by
 * calls (of a block of a function). *loop: the row of t->loops whose turns those are, or -1. */
enum target_turn target_turn(const struct target_tables *t, const struct ir_kernel *k, const struct machine_block *b, const struct machine_inst *in,
                             int32_t *loop);

/* Instructions of a unit that a site has in a run of its block, in 1/16 of one, where loops turn often: what `work` is the sum of. */
uint32_t target_sixteenths(const struct target_tables *t, int32_t site, enum pipe pipe);

/* Tables in `arena`, for the analysed kernel. An architecture whose machine code is not described (arch.h) gets those of ARCH_USUAL. d: whose
 * latencies `pace` goes by; NULL: those of operations.def. */
struct target_tables *target_tables(const struct ir_kernel *k, struct arena *arena, int arch, const struct device *d);

#endif
