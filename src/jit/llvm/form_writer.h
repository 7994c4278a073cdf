/* Writes a form of a kernel (form.h): instruction by instruction, branches that part lanes as predicated regions. Private to
 * jit/llvm. */
#ifndef JIT_LLVM_FORM_WRITER_H
#define JIT_LLVM_FORM_WRITER_H

#include "jit/llvm/form.h"

/* A row of masked blocks of the code that is being written. */
struct form_row {
    struct region *r;
    int32_t number;    /* form.row */
    int32_t *wait;     /* [r->n] predicates: lanes that wait for the block */
    int32_t begin;     /* labels: of the first block, */
    int32_t *behind;   /* [r->n] and behind each */
    bool written;
    struct form_row *next;
};

/* The code of a lane-serial loop for the whole warp. */
struct form_serial {
    const struct serial_region *s;
    int32_t number;    /* form.row: blocks where lanes may come in */
    int32_t *wait;     /* [s->r->n] predicates: lanes that wait for the block */
    int32_t begin;     /* label */
    bool written;
    struct form_serial *next;
};

struct form_writer {
    struct emit *e;
    struct form *out;
    const struct ir_kernel *k;
    struct ir_kernel *f;
    int32_t cap, cap_type;
    bool *own;           /* [the same] in the place of one of the kernel's, but its shape is its own */
    bool *uniform;       /* [f->nregs] of new registers: one value in the warp; room as f->reg_type has */
    int32_t warps;
    bool *cut;           /* [nblocks] a part begins there */
    const bool *interchanged; /* [nblocks] headers of loops that all warps of the block go through together; or NULL */
    bool stays;          /* interchanged, and some of a warp's lanes may exit while the others go on: */
    int32_t staying;     /* these, a predicate, */
    bool masked;         /* in the code that is being written; which has labels of its own: */
    int32_t *at_masked;  /* [ninsts + 1] */
    int32_t many;        /* how many warps there are, of several blocks: a register */
    uint8_t *between;    /* [ninsts] the branch is between parts */
    const uint64_t *alike; /* registers that are the same in all warps */
    struct unroll_jam_steps *steps;
    bool jams;             /* several warps are to go through the part at once, */
    bool in_order, loops;  /* but they have to come one after the other; and it has a loop */
    int jam;               /* so many warps have room in the host's registers */
    bool whole;            /* they are all of the block, and all parts are for all of them: nothing is kept from part to part */
    int32_t *base;         /* [nregs] a register with known steps, of the first warp, between parts: or -1 */
    int32_t cap_place;
    int32_t *before;       /* [nregs] the same as the part began, */
    int32_t *begun, nbefore; /* of these registers */
    int32_t *label;      /* instruction of each label, or -1 */
    int32_t nlabels, cap_labels;
    int32_t *part_label; /* [ninsts + 1] of the part that begins at a site, or -1 */
    int32_t *todo, ntodo; /* sites where parts begin that are to be written */
    int32_t *at;         /* [ninsts + 1] label of the code for the warp from this site on, or -1 */
    int32_t *left, nleft; /* sites whose code is to be written; of masked code -1 - site */
    int32_t index;       /* predicates and numbers: the warp's */
    int32_t end_label;
    struct block_part *part;
    bool ended;          /* part->end is known */
    bool gone;           /* warps may exit before others come to a barrier */
    int32_t next_label;  /* behind what a warp does in the part */
    int32_t exit_label, exit; /* of the part's warps that exit, and the instruction; -1: none does */
    struct {
        int32_t site;      /* of the first branch that a warp comes to in the part, or -1; */
        int32_t jump[2];   /* the form's jumps for warps all of whose lanes go to its target, or on behind it */
    } first_branch;
    struct form_row *rows;
    struct form_serial *serials;
    const struct ir_origin *from;
    size_t words;
};

/* Of e's kernel; `warp`: the warp form. The writer is closed by form_finish. */
void form_begin(struct form_writer *m, struct emit *e, bool warp);
/* Into SSA, if nothing is in the way; answers the form. */
struct form *form_finish(struct form_writer *m);

/* There is no form; the first reason counts. */
void form_refuse(struct form_writer *m, const char *why);

/* A place in the text, which branches name before it is known. */
int32_t form_label(struct form_writer *m);
void form_set_label(struct form_writer *m, int32_t label);

/* A new instruction without operands; its address holds until the next one. */
struct ir_inst *form_put(struct form_writer *m, uint16_t op);
void form_put_result(struct form_writer *m, uint16_t op, uint8_t type, int32_t dst, int n, const struct ir_src *src);
int32_t form_reg(struct form_writer *m, uint8_t type, bool uniform);
void form_jump(struct form_writer *m, int32_t label);
void form_jump_if(struct form_writer *m, int32_t guard, bool negated, int32_t label);

void form_put_pred(struct form_writer *m, uint16_t op, int32_t dst, int32_t a, int32_t b); /* of one or (b not IR_NOREG) two others */
int32_t form_ask(struct form_writer *m, uint16_t op, int32_t pred); /* IR_OP_ANY, IR_OP_ALL: whether it holds for some lane, for all */
int32_t form_turned(struct form_writer *m, int32_t pred, bool negated); /* a predicate, or what it is not */
int32_t form_both(struct form_writer *m, int32_t a, int32_t b);
/* Names what the interpreter needs before `site`: lanes of masks, registers of `live`, and what warps had before the part. */
void form_put_state(struct form_writer *m, int32_t site, int32_t row, int n, const int32_t *masks, const uint64_t *live);
/* Where launches count: what a guard that is no branch's, or one whose lanes go one way, says, and that a block begins. `mask`: for
 * these lanes, or (IR_NOREG) for all; in so many warps. */
enum { FORM_ALL_WARPS = -1 }; /* of several blocks: as many as there are */
void form_put_guard_count(struct form_writer *m, int32_t site, int32_t mask, int32_t warps);
void form_put_block_count(struct form_writer *m, int32_t site, int32_t mask, int32_t warps);
struct ir_inst *form_copy(struct form_writer *m, int32_t site);

/* Registers of the kernel that are alive before, or behind, an instruction: [words]. */
void form_alive_before(const struct form_writer *m, int32_t site, uint64_t *live);
void form_alive_behind(const struct form_writer *m, int32_t site, uint64_t *live);

bool form_scalar(const struct form_writer *m, int32_t reg); /* one value in the warp */
bool form_at_head(const struct form_writer *m, int32_t site);
bool form_may_record(const struct form_writer *m, const struct ir_block *b);
bool form_is_branch(const struct ir_inst *in);              /* under a guard */

/* The label of the warp's code from this site on, which form_write_code writes. */
int32_t form_code_at(struct form_writer *m, int32_t site);
void form_write_code(struct form_writer *m, uint64_t *live);
/* Names what the interpreter needs before `site`: lanes of `n` masks, if there are any, in a row (else -1), registers of `live` and
 * what warps had before the part; as[r] (NULL: r) is what has the kernel's register r. */
void form_put_state_as(struct form_writer *m, int32_t site, int32_t row, int n, const int32_t *masks, const uint64_t *live, const int32_t *as);
/* A new register in the place of the kernel's: of the same shape; or of one of its own, one value or one for each lane. */
int32_t form_reg_like(struct form_writer *m, int32_t reg);
int32_t form_reg_own(struct form_writer *m, int32_t reg, bool uniform);
/* On to a block where lanes have met. */
void form_join(struct form_writer *m, int32_t block);
void form_release_rows(struct form_writer *m);

/* --- serial_form.c: lane-serial loops --- */
/* The branch's ways lead into one, or by it; its code, if so, when it is taken by `lanes`. The code ends there. */
bool serial_form_leads_in(const struct form_writer *m, int32_t site);
void serial_form_branch(struct form_writer *m, int32_t site, int32_t lanes);
/* All lanes are before this site: its code, if it is a block of one. */
bool serial_form_begin(struct form_writer *m, int32_t site);
/* Its code for the lanes that wait for its blocks in a row; goes on when they are at its join. Answers which lanes. */
int32_t serial_form_pass(struct form_writer *m, const struct serial_region *s, const struct form_row *row);
void serial_form_release(struct form_writer *m);

#endif
