/* A kernel's machine code for one size of block. Private to jit. */
#ifndef JIT_JIT_CODE_H
#define JIT_JIT_CODE_H

#include "jit/abi.h"
#include "jit/chain.h"
#include "jit/jit.h"
#include "jit/link.h"
#include "jit/plan.h"

/* The forms of abi.h. */
enum form { TOGETHER, SPLIT, BLOCK, FORMS };

/* A kernel's code for one size of block, from the first launch on that might want it. */
struct jit_code {
    struct jit *owner;
    const struct interp_code *interp;
    struct shapes *shapes;
    struct plan plan;
    int32_t *spill_slot;    /* [nregs]: plan_spill_slots */
    struct chain *chains; /* [nloops]: chain_at; n is 0 where a loop is none */
    uint8_t *barrier; /* [ninsts]: barriers that machine code waits at itself */
    struct jit_expand **expanded; /* [ninsts]: made when the interpreter first goes on there */
    jit_function *function; /* atomic: NULL until it is made; of the first tier, then of the full one */
    jit_function *split;    /* atomic: the split form, or NULL */
    jit_function *in_blocks;  /* atomic: the block form, or NULL */
    uint32_t blocks_together; /* atomic: so many of a row it would take through a part together; 0: not known yet */
    uint64_t ran[FORMS];    /* atomic: how long a form has run, ns of processor time */
    uint64_t long_ran[FORMS]; /* atomic: from which on it is made in the full tier; UINT64_MAX: it is not, or that is done */
    bool may_change;        /* atomic: one of these is not UINT64_MAX */
    bool block_claimed;     /* atomic: a thread makes the block form, or has tried */
    uint64_t work;          /* atomic: instructions that the interpreter has done for launches of this kind */
    uint64_t enough;        /* from which on it is compiled, if LLVM is loaded */
    bool claimed, split_claimed; /* atomic: a thread compiles it, or has */
    uint64_t split_work;    /* atomic: instructions that the interpreter has done since there is a function */
    struct link_code linked[FORMS][JIT_TIERS];
    uint32_t dim[3];
    bool counting, tallies, cached, runs; /* jit_job */
    unsigned accesses;      /* the same */
    enum jit_mode mode;     /* what this code is for */
    bool looked;            /* whether an earlier run left code has been looked at */
    char problem[256]; /* not empty: there is no code, and why */
    struct jit_code *next;
};

/* Has the compiler's module, loaded when it is first asked for, do a job. False: o->problem. */
bool jit_emit(const struct jit_job *job, struct jit_object *o);

/* Makes the code; what is wrong is in `problem`. Called once; so is the other, for the split form. */
void jit_make(struct jit_code *c);
void jit_make_split(struct jit_code *c);

/* Has the interpreter done so many instructions that code in the first tier pays? */
bool jit_is_worth_it(const struct jit_code *c, uint64_t work);

/* The form has run for so many ns more. Makes code of the full tier when that is enough. */
void jit_has_run(struct jit_code *c, enum form form, uint64_t ns);

/* --- splits.c --- */

/* The split form's position where the warp goes on, with the frame set; `running`: the current split does, else the next
 * that is ready. -1: none, frame.why says why. */
int32_t jit_position(struct jit_frame *f, bool running);

/* The functions of abi.h for the split form. */
int32_t jit_split_branch(struct jit_frame *f, uint32_t site, uint32_t lanes);
int32_t jit_split_arrive(struct jit_frame *f, uint32_t site, uint32_t lanes);
int32_t jit_split_exit(struct jit_frame *f, uint32_t site, uint32_t lanes);
int32_t jit_split_barrier(struct jit_frame *f, uint32_t site, uint32_t lanes);
uint32_t jit_split_exchange(struct jit_frame *f, uint32_t site, uint32_t lanes);

/* The splits and joins of lanes that wait where frame.waiting says. Their registers are in the interpreter's places and its
 * form. */
void jit_apart(struct jit_frame *f);

/* Registers that machine code leaves in a form of its own where it stops: what the interpreter wants of them. */
struct jit_expand {
    int n;
    int32_t reg[];
};

/* All lanes of these in their places, from the bases in their spill slots and the offsets; NaN as the GPU's. `site`: alive before
 * it. And the other way round. */
void jit_expand(const struct jit_code *c, struct warp *w, int32_t site);
void jit_collect(const struct jit_code *c, struct warp *w, int32_t site);
/* The same for one register, from the first lane of each group in its place. */
void jit_expand_register(const struct jit_code *c, const struct warp *w, int32_t reg);
void jit_expand_release(struct jit_code *c);

#endif
