/* What generated code and the code around it agree on.
 *
 * A kernel becomes a function `jit_code(frame, resume)`: it runs one warp of 32 lanes, all together, from the resume
 * point (0: the kernel's start) until it has to stop, and answers why. Registers are SSA values inside; wherever it
 * stops, those that are alive are in their places of the interpreter's layout (interp/code.h), so that the interpreter
 * can go on from there, and machine code can go on where the interpreter has been.
 *
 * Where lanes part often there is a second one, the split form: it runs one split of a warp after the other (simt/warp.h)
 * from a position. Registers are in the interpreter's places at the ends of every basic block, in its form, so that each
 * lane has its own, and the interpreter can go on at any instruction as well. Where splits part, meet and end it calls the
 * functions of the interpreter that do that.
 *
 * The third, the block form, runs all warps of a block from the start to the end (jit/llvm/form.h). It answers JIT_EXIT
 * when all have ended; JIT_TURN: the launch is to stop; else warp frame.block_warp is where frame.site, or frame.waiting, says, those
 * before it where block_end and those behind it where block_start says, but for those that have exited, frame.block_gone, or
 * have been set aside, frame.block_aside. */
#ifndef JIT_ABI_H
#define JIT_ABI_H

#include "interp/code.h"
#include "simt/tally.h"

enum jit_stop {
    JIT_EXIT,    /* at frame.site, all lanes exit */
    JIT_BARRIER, /* at frame.site, a block barrier that all lanes wait at */
    JIT_LEAVE,   /* before frame.site: the interpreter is to go on there */
    JIT_GIVE_UP, /* the same, to the warp's end: an address wraps where machine code was made for one that does not */
    JIT_TURN,    /* before frame.site, a resume point: frame.budget back-edges have been taken */
    JIT_RING,    /* the same, because the ring has records enough */
    JIT_FAULT,   /* a fault was recorded */
    JIT_APART,   /* lanes wait before several instructions, frame.waiting; frame.why: JIT_TURN or JIT_GIVE_UP */
    JIT_TOGETHER, /* split form: all 32 lanes are before frame.site, a resume point of the other */
    JIT_INTERPRET, /* split form: the interpreter is to go on, as the warp's splits say */
    JIT_ENDED,   /* split form: all lanes have exited */
    JIT_ASIDE    /* block form: all warps have exited but those of frame.block_aside */
};

/* Back-edges of a warp of a fleet until it is the next one's turn, so that they find in the host's caches what their
 * neighbours read. */
enum { SHARED_TURNS = 16 };

/* Where a warp stopped, and why, in one number. */
enum { JIT_WHY_BITS = 4 };
#define JIT_STOPPED(why, site) ((uint32_t)(site) << JIT_WHY_BITS | (uint32_t)(why))

/* Lanes before the first instruction of a block. */
struct jit_waiting {
    int32_t block;
    uint32_t lanes;
};

enum { JIT_MOST_WAITING = 49, JIT_MOST_TOGETHER = 32 /* warps of blocks that go through parts together: bits of a number */ };

struct jit_code;
struct jit_frame;
struct fleet;

/* Functions that generated code calls, by their place in this table. */
struct jit_ops {
    /* Does the plain step or exchange at `site` for the lanes of `mask`. Not 0: a fault was recorded. */
    uint32_t (*step)(struct jit_frame *f, uint32_t site, uint32_t mask);
    /* The same for a memory access by the lanes of frame.mask; its address register `reg` is in machine code's own form
     * (jit_code.h). */
    uint32_t (*affine)(struct jit_frame *f, uint32_t site, uint32_t reg);

    /* May `bytes` from the host's address `host` on, which is to be a multiple of `unit`, be accessed? Not 0: yes, and
     * frame.seen[slot] (if there is such a slot) tells it of others like it. */
    uint32_t (*check)(struct jit_frame *f, uint32_t slot, uint64_t host, uint32_t bytes, uint32_t unit);
    /* Notes the range of memory that the instruction's first lane of frame.mask goes to in frame.seen[slot]: its first address,
     * and in `room` its bytes. The address register is in its place, in the interpreter's form. 0: there is none. */
    uint32_t (*find_run)(struct jit_frame *f, uint32_t site, uint32_t slot);
    /* Loops that lanes leave one by one have turned frame.patience times, which is set anew. Not 0: the warp is to stop.
     * `only_stop`, of loops that wait for nobody: is the launch to stop? */
    uint32_t (*long_turns)(struct jit_frame *f, uint32_t site, uint32_t only_stop);

    /* Count the accesses that wait (tally.h), or frame.times of known shape by `lanes`, with the groups' lowest addresses in
     * frame.lowest. Always 0. */
    uint32_t (*count_waiting)(struct jit_frame *f, uint32_t site, uint32_t zero);
    uint32_t (*count_shape)(struct jit_frame *f, uint32_t site, uint32_t lanes);
    /* Lanes come to an unrolled loop, of which each does as many turns as frame.turns_of says. Always 0. */
    uint32_t (*count_trips)(struct jit_frame *f, uint32_t site, uint32_t lanes);
    /* Lanes come to a quotient or root with the operands frame.operands, some of which may be special. Always 0. */
    uint32_t (*count_long_way)(struct jit_frame *f, uint32_t site, uint32_t lanes);
    /* Counts what the lanes of frame.mask did in the loop whose head begins at `site`, as tally.turns says. Not 0: the launch is
     * to stop. */
    uint32_t (*count_turns)(struct jit_frame *f, uint32_t site, uint32_t lanes);
    /* Leave a record of an access by `lanes` in the warp's ring instead: at the addresses in the instruction's record (tally.h), or
     * of known shape as above. Always 0. */
    uint32_t (*record_lanes)(struct jit_frame *f, uint32_t site, uint32_t lanes);
    uint32_t (*record_shape)(struct jit_frame *f, uint32_t site, uint32_t lanes);
    /* Tells that `lanes` enter the block of the site, frame.times times (tally_enter). Always 0. */
    uint32_t (*enter)(struct jit_frame *f, uint32_t site, uint32_t lanes);

    /* Of the split form, for the split that runs. They answer the position where it goes on, or another split, with
     * frame.mask and frame.join_pc set; or -1: frame.why says why it stops. `lanes`: those of them that the guard holds
     * for. */
    int32_t (*branch)(struct jit_frame *f, uint32_t site, uint32_t lanes);
    int32_t (*arrive)(struct jit_frame *f, uint32_t site, uint32_t lanes); /* it is where it meets others */
    int32_t (*exit)(struct jit_frame *f, uint32_t site, uint32_t lanes);
    int32_t (*barrier)(struct jit_frame *f, uint32_t site, uint32_t lanes); /* jit_waits: always -1 */
    /* Does an exchange if the lanes it is for are here. Not 0: the interpreter is to do it. */
    uint32_t (*exchange)(struct jit_frame *f, uint32_t site, uint32_t lanes);
};

/* Where the last access of a place in the code found memory: one at `low` may be done, and is a multiple of its unit, if
 * low - first, rotated by the unit's bits to the right, is less than `room`. */
struct jit_seen {
    uint64_t first, room;
};

/* A fleet's first warp: jit_frame's fields of these names. */
struct jit_first {
    char *regs, *local;
    const uint32_t *tid;
    const int32_t *next;
    uint32_t *stopped;
    uint32_t left, budget;
};

struct jit_frame {
    char *regs;            /* places of the warp's registers */
    char *shared;          /* the block's shared memory */
    const char *params;
    struct jit_seen *seen; /* [JIT_CHECKS * jit_job.naccesses] */
    uint8_t *missed;       /* [the same]: one asked for what is not in one allocation */
    const struct space *space;
    char *local;           /* the warp's local memory, thread after thread */
    const struct jit_ops *ops;
    const struct lanes_math *math; /* lanes_math() */
    struct warp *warp;
    const struct jit_code *code;
    struct tally *tally;           /* tally.h; only where machine code counts accesses */
    struct tally_site *tally_site;
    struct tally_turns *tally_turns;
    struct tally_slots *tally_slots;
    struct tally_pattern *tally_pattern;
    uint64_t lowest[TALLY_GROUPS], times; /* of an access whose shape is told; of an entry */
    uint64_t turns_of[32]; /* of each lane, in an unrolled loop (simt/trips.h) */
    uint64_t operands[2][32]; /* of each lane: bits of what it divides (simt/long_way.h) */
    uint64_t *numbers;     /* exec_counts.whole and what follows it, or NULL: not counting */
    uint32_t checks;       /* of `seen` */
    uint32_t shared_bytes;
    uint32_t local_size, local_bytes; /* a thread: its local memory; with what lies behind it */
    uint32_t budget;       /* back-edges until it gives way; at least 1 */
    uint32_t turns;        /* launch.turns */
    uint32_t patience;     /* turns of loops that lanes leave one by one, until it asks whether to stop; at least 1 */
    uint32_t turned;       /* back-edges that the warp has taken since it came */
    uint32_t room;         /* records in the ring from which it stops to have them fetched */
    int32_t site;          /* where it stopped */
    uint32_t mask;         /* lanes of the split that runs; for jit_ops.affine, those that it is called for */
    int32_t join_pc;       /* where it meets others, or -1 */
    uint32_t why;          /* enum jit_stop */
    struct exec_counts *counts; /* or NULL: not counting */
    struct fleet *fleet;   /* jit_run.c: not NULL while the block is not begun */
    uint32_t calls;        /* jit_run.c: of machine code while it may become better */
    const struct ir_kernel *volatile running; /* jit_run.c: its code is what the thread is in, for a handler of signals; or NULL */
    int32_t block_credit;    /* jit_run.c: above 0, or blocks do without the block form */
    const uint32_t *tid;   /* [3], of lane 0; behind it those of the next warp */
    /* Warps of a fleet go on one after the other without a return in between: when one exits, waits or has had its turn and
     * `left` is not 0, machine code notes that and takes up the next. Of what differs from warp to warp it then sets only `regs`
     * and what the kernel's code reads; the rest follows from `stopped` (jit_run.c, settle). */
    uint32_t left;           /* warps behind this one */
    const int32_t *next;     /* resume point of the one behind it */
    uint32_t *stopped;       /* where JIT_STOPPED of this one is noted if there is one behind it */
    uint32_t others;         /* not 0: of those before, some have stopped otherwise than by JIT_EXIT */
    /* Where all warps of a block exit in one go, and blocks_left is not 0, machine code goes on with the next block of the row
     * in the same memory: %ctaid.x goes up, blocks_left down; the block form clears shared memory for it. */
    uint32_t blocks_left;
    struct jit_first first;
    struct block *block;     /* whose warps those are */
    uint32_t block_warp;     /* block form: the warp that runs */
    uint32_t block_start;    /* block form, when it stops: the instruction before which the part begins that the warp is in, */
    uint32_t block_end;      /* and JIT_STOPPED of where it ends */
    uint32_t block_gone;     /* bits: its warps that have exited while others had not come to a barrier yet */
    uint32_t block_jam;      /* and so many warps are there, from that one on */
    bool in_block;           /* jit_run.c: the block form runs */
    /* Blocks of a row that the block form may take through a part together (form.h): memory is there for block_room of them. It says how
     * many it would take at most, how many it has taken, and how many warps these have; a warp's number is that of its block times
     * the warps of one, and its own. */
    uint32_t block_room, block_most, block_count, block_warps;
    char *warp_regs[JIT_MOST_TOGETHER]; /* of each of these warps */
    uint32_t warp_lanes[JIT_MOST_TOGETHER]; /* lanes of each that have not exited */
    uint32_t block_aside;                /* bits: those that have been set aside (among block_gone), before the instruction */
    int32_t aside_site[JIT_MOST_TOGETHER];
    struct block_flight *flight;         /* jit_run.c: these blocks but the first, */
    uint32_t block_begun;                /* and bits: those whose warps are in use */
    uint64_t stride;         /* bytes from a warp's registers to the next one's, and likewise for local memory */
    uint32_t nwaiting;       /* JIT_APART: blocks where lanes may wait; the last is where all meet */
    struct jit_waiting waiting[JIT_MOST_WAITING];
    uint32_t sreg[PTX_SREG_COUNT]; /* uniform ones of 32 bits, by number */
    uint64_t gridid;
    uint64_t executed;     /* instructions: added to */
    const struct tally_pace *block_pace; /* [nblocks] or NULL: added to pace for each run of a block, where records are left; */
    struct tally_pace pace;              /* `passes` where all lanes do it */
};

static inline bool jit_is_cached(int space)
{
    return space == PTX_GLOBAL || space == PTX_GENERIC || space == PTX_LOCAL || space == PTX_CONST;
}

typedef uint32_t jit_function(struct jit_frame *f, uint32_t resume);

/* struct jit_seen of an access: at affine addresses of up to four groups, with and without a mask, in the form for whole
 * warps and in the split form; behind those one of any access for lanes that go anywhere; and in the block form as many for several
 * warps at once. */
enum { JIT_CHECKS_EACH = 4 * 2, JIT_CHECKS = 4 * JIT_CHECKS_EACH + 1 };

/* A barrier of the whole block without a result: machine code waits there itself. */
static inline bool jit_waits(const struct ir_inst *in)
{
    return (in->op == PTX_OP_BAR || in->op == PTX_OP_BARRIER) && in->mods->variant == PTX_BAR_SYNC &&
           in->guard == IR_NOREG && in->src[0].kind == IR_SRC_IMM && in->src[0].imm < BLOCK_BARRIERS &&
           (in->nsrc < 2 || (in->src[1].kind == IR_SRC_IMM && !in->src[1].imm));
}

/* How much is done for the code's speed. Code of both tiers computes, counts and stops in the same way. */
enum jit_tier { JIT_FIRST /* made soon */, JIT_FULL /* for what runs on */, JIT_TIERS };

/* What the emitter is asked for: code, or a text of it (jit/show.h): LLVM's before and after its passes, the host's. */
enum jit_form { JIT_OBJECT, JIT_WRITTEN /* the IR of the form (jit/llvm/form.h) */, JIT_EMITTED, JIT_OPTIMISED, JIT_ASSEMBLY };

struct form_facts; /* jit/form_look.h */
typedef struct ir_kernel *form_look_fn(const struct form_facts *f, char *problem, size_t room);

struct shapes;
struct unroll_jam_steps;
struct jit_job {
    const struct ir_kernel *kernel;
    const struct interp_code *code;
    struct shapes *shapes;
    uint32_t dim[3];
    const char *level; /* "x86-64-v2", "x86-64-v3", "x86-64-v4" */
    bool counting;     /* a record of every access */
    bool runs;         /* and block and guard counts */
    bool tallies;      /* but accesses are counted here (simt/tally.h) */
    bool cached;       /* and all leave records instead but those to shared memory by all lanes of a warp, of known shape in one group */
    unsigned accesses; /* enum access_kind: those of other kinds are not counted */
    const uint8_t *entered; /* ir_kernel.entered where the launch wants to know, or NULL */
    const int32_t *row; /* [ninsts]: number of a memory instruction in the tally, or -1 */
    const int32_t *access; /* [ninsts]: number of a memory instruction, or -1; so many are there: */
    int naccesses;
    bool split;            /* the split form */
    bool block;            /* the block form */
    int unrolled;          /* code for so many warps at once (jit/llvm/form.h) */
    const struct unroll_jam_steps *steps; /* of their registers */
    uint32_t turns;        /* bits: the places where turns may end (interp/turn.h); the block form is for launches where none does */
    const int32_t *resume; /* [ninsts]: number of the resume point (split form: position) before this instruction, or -1 */
    int nresume;
    const int32_t *together; /* split form: the other form's resume points */
    const int32_t *spill_slot;     /* [nregs]: plan_spill_slots */
    enum jit_tier tier;
    enum jit_form form;
    form_look_fn *look;    /* HEDDLE_VERIFY: looks at the form; else NULL */
};

/* What it answers: an object file in memory (or a text, with a NUL behind it), or why not. Nothing else is kept of code for
 * later runs (jit/code_cache.h). */
struct jit_object {
    char *bytes;
    size_t size;
    char problem[256];
    bool internal;   /* which is a fault of Heddle's own */
    int lane_serial; /* lane-serial loops; not kept */
    void (*release)(struct jit_object *o);
};

/* The one function of the compiler's module, libheddle-jit.so; its memory is the library's (alloc_join). False: o->problem. heddle_jit_build: the sources that the
 * module was made of; they have to be this library's. */
struct alloc_state;
typedef bool jit_emit_fn(const struct jit_job *job, struct alloc_state *memory, struct jit_object *o);
jit_emit_fn heddle_jit_emit;
extern const char heddle_jit_build[];

#endif
