/* Forms of a kernel: programs in SSA in which no branch parts anything, each branch has a uniform guard (abi.h says who runs them).
 *
 * The warp form runs one warp of 32 lanes, from one of the resume points (jit/plan.h) until it stops. `enter` goes to the one that
 * the caller names; there `kept` takes what is alive from the registers' places. Where the warp stops (`stop`, `yield`, `end_turn`,
 * `ring`), or the interpreter has to go on (`leave`, or an access that may not be done here), the `state` before says what
 * is to be in the places. `count_block`, `count_guard` and `count_branch` are what launches that count do beside.
 *
 * The split form runs some lanes of a warp, from one of its positions on, until no lanes can go on in it. `enter` goes to the position
 * that the caller names, for the lanes `lanes_on`. From position to position each lane has its registers in its places (`kept`, `keep`),
 * and between them `lanes` says whose registers they are: no instruction touches other lanes'. Where lanes part, `meets` says that
 * they meet others, or they end or wait, an `event` has a function of jit_ops (jit/abi.h) say where the code is to go on and for
 * which lanes, and goes back to `enter`; or to `return`, when no lanes can go on. An `exchange` is done by such a function, too.
 *
 * The block form runs all warps of a block from the start to the end. What follows is of it, but for regions and states.
 *
 * In: a kernel out of SSA, the shapes of its registers and a size of block in whole warps.
 *
 * - Parts. Barriers cut the program, and so do the branches that lead to one and the blocks where their ways begin and meet. (Where warps
 *   end turns, see interp/turn.h, it does not run.)
 *   What lies between cuts is a *part*: a loop over the block's warps around code of one warp. What a warp has alive from part
 *   to part is in its registers' places, put there by `keep` and taken from there by `kept`; but what goes up from warp to warp by a
 *   known number is kept once, as the first warp has it: `stepped` makes a warp's of it, `unstepped` the other way round; and what it does not
 *   have is 0 (`clear`). A branch between parts is taken
 *   by the block, so all warps must agree on it: its guard has one value in them (jit/unroll_jam.h), or there is no block form.
 *   Warps of a part run one after the other, which is the interpreter's order. In a part with loops in which all warps take the
 *   same way, several do each instruction one after the other (unroll-and-jam): what is the same in all of them, or goes up by a
 *   number that is known, is computed once.
 * - Predicated regions. Where a branch's lanes differ, the blocks until its join follow once more in a row
 *   (region_blocks.c), each under the mask of the lanes that wait for it, which is a predicate like any other; `any` asks
 *   whether there are some. Instructions with effects have the mask as their guard, others only where lanes that wait need what
 *   they write. As long as lanes agree they take the code without masks.
 * - `state` names the registers that the interpreter needs if the warp cannot go on at the instruction behind it (in a row: in the
 *   block that begins there). The block's other warps are before the part or behind it; ir_inst.ntargets sources are the warp's own,
 *   those up to ir_inst.targets[0] what all had before the part, the rest what they have behind it.
 *
 * ir_inst.site tells which instruction of the kernel each one does. Private to jit/llvm. */
#ifndef JIT_LLVM_FORM_H
#define JIT_LLVM_FORM_H

#include "jit/llvm/emitter.h"

struct block_part {
    int32_t start;     /* its warps begin before this instruction of the kernel */
    int32_t end;       /* and end at this one: */
    enum jit_stop why; /* JIT_BARRIER: they wait at it; JIT_TURN: they are before it; JIT_EXIT: they exit */
    int32_t first;     /* its first block in the form */
    int jam;           /* so many warps go through it at once */
};

/* A `state` in a row: what is handed over is which lanes wait where. Its first `n` sources are the masks of the row's blocks. */
struct block_row {
    int n;
    int32_t *block; /* [n] of the kernel */
    int32_t join;
};

/* An address goes up by times * by in each turn of the innermost loop that the access is in; `by`: a number, or a register that the loop does
 * not change (turn_steps.c). */
struct turn_step {
    int64_t times;
    struct ir_src by;
};

struct form {
    struct ir_kernel *k;      /* in SSA; ir_variable is the kernel's register, if it is one of those */
    struct shapes shapes;     /* of its registers */
    struct unroll_jam_steps *steps; /* likewise, as long as warps go the same way */
    struct unroll_jam_steps *block_steps; /* of the kernel's registers, from block to block; NULL: blocks are not done in a row */
    int32_t *maker;           /* [registers] the instruction that writes it, or -1 */
    bool gone;                /* warps may exit before others come to a barrier */
    bool aside;               /* or be set aside */
    bool warp;                /* of one warp: the warp form, */
    bool split;               /* or the split form */
    int jam;                  /* the most of any part */
    struct turn_step *turn;   /* [kernel's ninsts], or NULL: of accesses in loops that are interchanged, by the kernel's registers; times 0: not known */
    bool interchanged;        /* all warps do a turn of some loops before any goes on to the next turn */
    int blocks;               /* so many blocks of a row may go through it together; 1: each alone */
    bool whole;               /* of all parts, and all of the block's warps: registers go from part to part as they are */
    int32_t *place, nplaces;  /* of new registers, by number: the kernel's register in whose place they are kept, or -1 */
    struct block_part *part;
    int nparts;
    struct block_row *row;    /* by number: ir_inst.target of a `state`, or -1 */
    int nrows;
    uint32_t checks;          /* so many slots of frame.seen have been given out */
    int nserials;             /* lane-serial loops */
    const char *why_not;      /* NULL: it is there */
};

/* e->k, e->s and e->job are the kernel's. jam: several warps may go through a part at once. */
struct form *block_form_make(struct emit *e, bool jam);
struct form *warp_form_make(struct emit *e);
struct form *split_form_make(struct emit *e);
void form_release(struct form *b);

struct strbuf;
void form_print(const struct form *f, struct strbuf *out);

/* With HEDDLE_VERIFY=1: is it whole? The form is then what was read back of its text, but for what it has beside its instructions
 * (shapes, steps, places, parts and rows, by number). False: e->problem. */
bool form_verify(struct emit *e, struct form *f);

/* False: it is not known by how much. In a loop that is interchanged `turn` has it. */
bool turn_step(const struct form *form, const struct ir_inst *access, struct turn_step *step);

/* Does nothing but %ctaid.x tell a block of this kernel from the next one in its row? */
bool form_blocks_in_row(const struct emit *e, const struct ir_kernel *of);

/* The kernel's register in whose place one of the form is kept, or -1. */
int32_t form_place(const struct form *b, const struct ir_kernel *of, int32_t reg);

#endif
