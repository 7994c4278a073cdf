/* Claims: what analyses found out about a kernel, written down so that a run can ask whether it is so.
 *
 * An analysis that rewrites the kernel, counts for it or makes machine code of it believes things about registers and
 * instructions. With HEDDLE_VERIFY it publishes them here, with its own name, and the interpreter checks each of them
 * whenever it can (interp/claim_check.h). Without it ir_kernel.claims is NULL and nothing is kept.
 * Instructions move and are copied while a kernel is rewritten: a claim about one names its `id`, which copies keep. */
#ifndef IR_CLAIMS_H
#define IR_CLAIMS_H

#include "ir/ir.h"

enum claim_kind {
#define CLAIM(id, word, meaning) CLAIM_##id,
#include "ir/claims.def"
#undef CLAIM
    CLAIM_KINDS
};

extern const char *const claim_words[CLAIM_KINDS];    /* "uniform" */
extern const char *const claim_meanings[CLAIM_KINDS];

enum { CLAIM_LANES = 32 };

/* SHAPE: lane i holds base[i * 2^halved / 32] + offset[i] in the register's width. */
struct claim_shape {
    uint8_t halved;
    uint8_t zeros;   /* so many low bits of each base are 0 */
    bool known;      /* the base is `base` */
    bool bounded;    /* each base, read as signed, is in [low, high] */
    uint64_t base;
    int64_t low, high;
    int64_t offset[CLAIM_LANES];
};

struct ir_claim {
    uint8_t kind;    /* enum claim_kind */
    const char *who; /* "target/uniform" */
    int32_t reg;     /* or IR_NOREG: about an instruction */
    int32_t id;      /* ir_inst.id of the instruction, if it is about one; of a kernel that is rewritten no more: -1 - site */
    union {
        const struct claim_shape *shape;        /* SHAPE */
        struct { int known; uint64_t low; } congruent; /* value == low (mod 2^known) */
        struct { int64_t by; int warps; } step; /* in groups of so many warps of a block, from its first on */
    };
};

struct ir_claims {
    struct arena arena;
    struct ir_claim *list;
    int32_t n, cap;
    uint64_t *asked; /* of a launch: bit set over instructions, in the arena, or NULL. Machine code asks at run time whether these
                        give a result of the claimed SHAPE and STEP; a warp for which one does not is left to the interpreter, and
                        nothing of the two kinds is claimed of it from there on */
};

struct ir_claims *claims_new(void);
void claims_free(struct ir_claims *c); /* NULL is no list */

/* Adds a claim, unless the same was made before. `c` NULL: nobody asks, nothing happens. A shape is copied. */
void claims_add(struct ir_claims *c, const struct ir_claim *claim);

#endif
