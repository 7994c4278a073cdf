/* What the files of selection share: the state, and how an instruction is put behind the others. For those files alone. */
#ifndef TARGET_SELECTING_H
#define TARGET_SELECTING_H

#include "target/code.h"
#include "target/lower.h"

/* KEPT: constants that a block has in registers. WINDOW: registers of a window: where the variable lies, and what of it others share. */
enum { SELECTING_KEPT = 32, SELECTING_WINDOW = 3 };

struct selecting_constant {
    int32_t block;
    uint8_t file;
    uint64_t bits;
    int32_t reg;
};

struct selecting {
    const struct lowered *l;
    const struct ir_kernel *k;
    int arch;
    struct code *c;
    int32_t site;
    struct selecting_constant kept[SELECTING_KEPT];
    int nkept;
    int pairs; /* operations on two halves */
    int32_t elements; /* registers of a local array that is in registers (arrays.h): the first, or 0 */
    struct selecting_compared {
        int32_t block, base, predicate;
        int64_t value;
    } compared[SELECTING_KEPT]; /* registers that were compared with an element's place */
    int ncompared;
    const bool *parted; /* [sites] quotients whose first part stands elsewhere */
    int32_t *reciprocal; /* [registers and sites] of a divisor (quotients.h): the register that its first part left, or -1 */
    const uint8_t *scaled;  /* [sites] scaling.h */
    const int32_t *sign_at; /* [sites] signs.h */
    bool takes_sign;   /* what is made now reads -x and |x| for nothing */
    int32_t elsewhere; /* what is made now stands in front of this site, or -1 */
    bool in_uniform; /* what is made now is the same for the warp */
};

/* What the operand is to its reader: a register, a constant, a place in the constant bank. */
struct operand selecting_use(struct selecting *s, const struct ir_src *src);

/* Where the instruction's d-th result goes. */
struct operand selecting_result(const struct selecting *s, const struct ir_inst *in, int d);

/* The same in a register of the thread's. */
struct operand selecting_in_register(struct selecting *s, const struct ir_src *src);

struct operand selecting_register(struct selecting *s, int words);
struct operand selecting_uniform(struct selecting *s, int words);

/* What the constant bank holds, in a uniform register: loaded once for the blocks behind, in front of loops. Other operands as they are. */
struct operand selecting_of_warp(struct selecting *s, struct operand o);

/* Of a 64-bit operation that takes a pair: a word with zeros above it is made one. */
struct operand selecting_pair(struct selecting *s, struct operand o);

/* What is made now stands in front of all loops around the site: the block where that is. The caller puts `elsewhere` back. */
int32_t selecting_before_loops(struct selecting *s);

/* An instruction behind the others; operands of file FILE_NONE are not there. */
void selecting_put(struct selecting *s, enum machine_op op, const char *form, struct operand d, struct operand a, struct operand b, struct operand c);
struct machine_inst *selecting_append(struct selecting *s, enum machine_op op, const char *form);

/* Where a variable of shared memory lies (window.h), and the instructions that compute it. */
struct operand selecting_window(const struct selecting *s, int32_t w);
void selecting_put_window(struct selecting *s, int32_t w);

/* What a kernel begins with. */
void selecting_put_stack_pointer(struct selecting *s);

/* The operations that stand in no group of selection.c: between lanes, textures, matrices, calls of what the driver provides. */
void selecting_other(struct selecting *s, const struct ir_inst *in);
void selecting_product(struct selecting *s, const struct ir_inst *in);
void selecting_shift(struct selecting *s, const struct ir_inst *in);
void selecting_barrier(struct selecting *s, const struct ir_inst *in);

/* What an ordered access waits for: before it, and behind it. */
void selecting_release(struct selecting *s, const struct ir_inst *in);
void selecting_acquire(struct selecting *s, const struct ir_inst *in);

#endif
