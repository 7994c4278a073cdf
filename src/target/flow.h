/* How values flow through the machine code: what each instruction reads and writes, which blocks follow which, and what is alive
 * between them.
 *
 * A value is a virtual register of code.h, of one or two words; a carry (before Volta) is the value behind the last register. Operands
 * say most of it; what a site of the IR reads and writes beyond the operands of its instructions (the elements of a vector, the
 * matrices of a product) is added to the last of them. */
#ifndef TARGET_FLOW_H
#define TARGET_FLOW_H

#include "target/code.h"
#include "target/lower.h"
#include "target/shape.h"

struct touch {
    int32_t value;
    uint8_t words; /* bit set: of its words */
    bool writes;
    bool begins; /* a write that what was there before is not needed for: the value is another one from here on */
};

struct flow {
    int32_t nvalues;
    uint8_t *file;   /* [nvalues] enum file; FILE_NONE: nobody names it */
    uint8_t *words;  /* [nvalues] of registers */
    int32_t *first;  /* [ninsts + 1] begin of an instruction's touches */
    struct touch *touches; /* reads before writes */
    int32_t *succ_first, *succ; /* [nblocks + 1]: blocks that may follow */
    size_t set;      /* words of a set of values */
    uint64_t *in, *out; /* [nblocks] sets of values: alive at the begin and at the end */
};

/* Gives values of the code names of their own where a block begins them anew and nobody behind it reads them (turns side by side of a loop).
 * Values of predicates and uniform registers are in it, too. Functions behind the kernel, and blocks that ordinary warps never come to,
 * touch nothing. */
struct flow *flow_new(const struct lowered *l, const struct shape *s, struct code *c);
struct flow *flow_copy(const struct flow *f, const struct code *c);
void flow_free(struct flow *f);

/* The values alive at block b's begin or end. */
static inline uint64_t *flow_in(const struct flow *f, int32_t b)
{
    return f->in + (size_t)b * f->set;
}

static inline uint64_t *flow_out(const struct flow *f, int32_t b)
{
    return f->out + (size_t)b * f->set;
}

/* The block is executed by warps of the kernel itself. */
static inline bool flow_is_of_kernel(const struct machine_block *b)
{
    return b->times != TIMES_CALLED && b->rounds >= 0;
}

/* `n` more values, which no instruction names yet. */
void flow_add_values(struct flow *f, struct code *c, int32_t n);

/* The two instructions are made of one site, neither for another. */
static inline bool flow_is_of_site(const struct machine_inst *a, const struct machine_inst *b)
{
    return a->site == b->site && !a->early && !b->early;
}

/* The words of a value that an operand names. */
static inline uint8_t flow_words(const struct operand *o)
{
    return (uint8_t)(o->words > 1 ? 3 : 1 << o->word);
}

/* The name of a value while a site makes it anew word by word: an operand whose words are not made yet is what was there before. */
struct flow_names {
    int32_t *now;    /* [values] */
    int32_t *before; /* [values] */
    int32_t *since;  /* [values] the run of a site's instructions that makes it, + 1 */
    uint8_t *made;   /* [values] words */
    int32_t run;
};

static inline int32_t flow_name(const struct flow_names *n, int32_t value, uint8_t words)
{
    return n->since[value] == n->run + 1 && !(words & n->made[value]) ? n->before[value] : n->now[value];
}

/* The value is another one from here on. */
static inline void flow_begin(struct flow_names *n, int32_t value, int32_t name)
{
    n->before[value] = n->now[value];
    n->now[value] = name;
    n->since[value] = n->run + 1;
    n->made[value] = 0;
}

struct flow_names flow_names_new(int32_t values);
void flow_names_release(struct flow_names *n);

/* Values alive before an instruction of these touches, from those alive behind it. */
void flow_step_back(const struct flow *f, int32_t inst, uint64_t *live);

#endif
