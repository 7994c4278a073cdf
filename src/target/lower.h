/* Where the assembler keeps each value.
 *
 * In: an analysed, rewritten kernel. Out: for each register a place. Registers of PTX that the assembler does not make (a converted
 * index, a product that becomes part of a sum, a constant, a parameter) are read where their readers read them: lowered_reads()
 * names the registers that an instruction needs. The rules are those of docs/target.md, "Instructions of the GPU". */
#ifndef TARGET_LOWER_H
#define TARGET_LOWER_H

#include "ir/ir.h"
#include "target/uniform.h"

enum place {
    PLACE_NOWHERE,   /* nobody reads it */
    PLACE_REGISTER,  /* one or two words of the thread's registers */
    PLACE_PREDICATE, /* predicate registers are a file of their own */
    PLACE_UNIFORM,   /* uniform registers and predicates, likewise */
    PLACE_BANK,      /* parameters and sizes of the launch: the constant bank, read near the instruction that needs it */
    PLACE_READER     /* made by the instructions that read it */
};

struct lowered {
    const struct ir_kernel *k;
    int arch;
    int32_t *only;    /* definitions.h */
    uint8_t *place;   /* [nregs] enum place */
    uint8_t *words;   /* [nregs] */
    bool *held;       /* [nregs] PLACE_BANK: loaded into registers, not uniform ones */
    int32_t *pair;    /* [nregs] the word of the constant bank that is loaded together with this one, or IR_NOREG (slots.h) */
    int32_t *readers; /* [nregs + 1] begin of each register's readers in `reader` */
    int32_t *reader;  /* sites */
    uint64_t *uniform; /* sets of registers: the same for all lanes, as the assembler knows, */
    uint64_t *together; /* the same for lanes that are at one place together: branches by it part nobody */
    uint64_t *placed;  /* and kept in uniform registers */
    struct uniform_blocks parted; /* as these are known */
    struct windows *windows; /* window.h; NULL before Hopper */
    const bool *predicated; /* [nblocks] ways whose instructions are under a predicate, which those on uniform registers have not; or NULL */
};

enum { LOWERED_READS = 64, LOWERED_WRITES = 8 }; /* registers of an instruction that are looked at */

/* arch: see arch.h. predicated: kept; blocks that become predicated, or NULL. */
struct lowered *lowered_new(const struct ir_kernel *k, int arch, const bool *predicated);
void lowered_free(struct lowered *l);

/* A choice between 1 and 0, both float, by a comparison of floats in its block, is FSET: the comparison; or NULL. */
const struct ir_inst *lowered_compared(const struct lowered *l, const struct ir_inst *in);

/* A logic operation on predicates that is part of a comparison, which takes one in. */
bool lowered_joins_comparison(const struct lowered *l, const struct ir_inst *in);

/* The registers (PLACE_REGISTER, and PLACE_BANK where it takes a register) that an instruction reads. At most LOWERED_READS. */
int lowered_reads(const struct lowered *l, int32_t site, int32_t *regs);

static inline bool lowered_is_predicated(const struct lowered *l, int32_t block)
{
    return l->predicated && l->predicated[block];
}

/* The register is one of the whole warp, or is loaded from the bank of constants into such a one. */
bool lowered_is_uniform(const struct lowered *l, int32_t reg);

/* Of a copy into a uniform register of what the constant bank holds, such as where a loop begins with a parameter: what reads the bank. It is
 * loaded there, whatever other readers want. Else NULL. */
const struct ir_inst *lowered_copies_bank(const struct lowered *l, const struct ir_inst *in);

/* A product of one word by a power of two: by how many bits it shifts, so that a sum takes it in by LEA; else -1. */
int lowered_scale(const struct lowered *l, const struct ir_inst *in);

/* A 64-bit value whose upper half is the sign or zeros of a 32-bit one. */
bool lowered_is_widened(const struct lowered *l, const struct ir_src *s);

/* Of 64 bits one word, which is the lower word of the result, with zeros above it (x & 0xffffffff, x >> 32 without a sign): that word is what
 * readers name, no instruction. 0 or 1; -1: it is something else. Kernels of one operation through ptxas 13.0 (V13.0.88), sm_90, 2026-11-30. */
int lowered_word(const struct ir_inst *in);

/* The operand (0 or 1) of a sum that an access of shared memory, on Turing one of global memory, adds as a uniform register: [R5+UR4];
 * or -1. */
int lowered_uniform_part(const struct lowered *l, const struct ir_inst *sum);

/* Block b, or the one in front of the outermost loop around it: where constant bank values that b reads are loaded. */
int32_t lowered_outside_loops(const struct ir_kernel *k, int32_t b);

/* Block b, or the one in front of the loops of which every round comes through it. */
int32_t lowered_before_loops(const struct ir_kernel *k, int32_t b);

#endif
