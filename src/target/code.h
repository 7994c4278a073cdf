/* The machine code of a kernel: instructions of one architecture, each with the site of the IR that it was made for.
 *
 * Registers are virtual: a value of the IR has its register's number, what selection adds has numbers from ir_kernel.nregs on.
 * A value of 64 bits is two words; an operand names one word, or both. */
#ifndef TARGET_CODE_H
#define TARGET_CODE_H

#include "ir/ir.h"
#include "target/arch.h"

enum file {
    FILE_NONE,
    FILE_REGISTER,          /* R */
    FILE_PREDICATE,         /* P */
    FILE_UNIFORM,           /* UR: one for the whole warp */
    FILE_UNIFORM_PREDICATE, /* UP */
    FILE_ZERO,              /* RZ */
    FILE_TRUE,              /* PT */
    FILE_IMMEDIATE,         /* bits */
    FILE_BANK,              /* c[number][bits]: parameters, sizes of the launch */
    FILE_WINDOW,            /* Tesla: the same in shared memory, g[bits / 4], of 16 bits g[bits / 2].U16 */
    FILE_CONDITION,         /* Tesla: C, which predicates are there */
    FILE_ADDRESS,           /* Tesla: A, addresses of shared memory */
    FILE_CARRY,             /* before Volta: the carry, written behind the result: R2.CC */
    FILE_SPECIAL,           /* number: enum ptx_sreg */
    FILE_BLOCK,             /* number: a block of the IR */
    FILE_FUNCTION           /* number: a row of functions.def */
};

/* Functions that the assembler puts behind a kernel. */
enum code_function {
#define FUNCTION(name, symbol, text) FUNCTION_##name,
#include "target/functions.def"
#undef FUNCTION
    FUNCTIONS
};
extern const char *const code_function_names[FUNCTIONS], *const code_function_texts[FUNCTIONS]; /* as functions.def has them; "": see long_ways.h */

/* Who executes an instruction of those that come to it. */
enum taken {
    TAKEN_ALL,  /* every warp; lanes as its guard says */
    TAKEN_OFF,  /* every warp, but no lane for ordinary operands: it is predicated off */
    TAKEN_NEVER, /* no warp for ordinary operands: it stands on the long way */
    TAKEN_AGAIN, /* every warp, once for each round of an atomic's loop */
    TAKEN_SHARED /* a generic atomic: warps with an address in shared memory */
};

/* Of an operation with a long way (long_ways.h): which warps execute an instruction. */
enum code_way {
    WAY_ALL,
    WAY_LONG,  /* those of which a lane goes the long way; taken is TAKEN_NEVER */
    WAY_SHORT, /* those of which a lane does not */
    WAY_MEET   /* all, and where lanes go both, each group of them */
};

struct operand {
    uint8_t file;    /* enum file */
    uint8_t words;   /* of registers, from `word` on */
    uint8_t word;
    uint8_t halfword; /* enum halfword */
    bool negated;    /* -a, !p, ~a */
    bool absolute;   /* |a| */
    int32_t number;  /* of the register */
    uint64_t bits;
};

/* Which 16 bits of a word, as Tesla writes them (R0L, R0H) and Maxwell (R0.H1). */
enum halfword { HALFWORD_NONE, HALFWORD_LOW, HALFWORD_HIGH, HALFWORD_H1 };

enum { CODE_RESULTS = 2, CODE_SOURCES = 5 };

/* OP_NONE is a copy that is no instruction of the GPU: result and source are to be one register. It counts nowhere and is not printed. */

/* When the instruction begins and what it tells others (scoreboard.h). */
struct control {
    uint8_t wait;       /* bit set of barriers that it waits for */
    int8_t write, read; /* barriers that it sets: until its result is there, until it has read its operands; -1: none */
    uint8_t stall;      /* cycles to the next instruction; 0: not known */
};

struct machine_inst {
    uint16_t op;      /* enum machine_op */
    uint8_t nresults, nsources, taken;
    bool early;       /* it stands before what the site itself becomes */
    bool is_value;    /* LDC, ULDC: of a load of the program's, not of a parameter that others read */
    uint8_t apart;    /* a branch: enum target_turn of lanes that part there and meet at a BSYNC, which each group of them executes; or 0 */
    bool meets;       /* BSYNC: of lanes that have parted at branches and meet in front of a block */
    uint8_t way;      /* enum code_way */
    uint8_t part;     /* of a function with parts: which one it is in (long_ways.h) */
    bool stays;       /* no other unit does it instead (balance.h) */
    bool native;      /* before Volta: it is one of its architecture (earlier.h) */
    int32_t site;     /* of the IR: what it is made for */
    const char *form; /* what stands behind the name, "WIDE.U32", or "" */
    struct operand guard; /* FILE_NONE: none */
    struct operand result[CODE_RESULTS], source[CODE_SOURCES];
    int32_t offset;   /* memory: bytes added to source[0] */
    struct control control;
};

/* How often a block of the machine code is executed. */
enum times {
    TIMES_BLOCK,  /* as often as a block of the IR */
    TIMES_ROUNDS, /* an unrolled loop: once for `rounds` of its turns, */
    TIMES_REST,   /* and once for the turns left over, if they are as many as this or more */
    TIMES_CALLED  /* a function: by who calls it */
};

struct machine_block {
    int32_t first, count; /* instructions */
    enum times times;
    int32_t of;           /* the block of the IR, the loop, or the function */
    int rounds;           /* TIMES_ROUNDS, TIMES_REST: turns side by side */
    bool predicated;      /* TIMES_REST: it is executed at each visit, under a predicate that holds where these turns are left over */
    int skips;            /* TIMES_REST without turns: its branch is taken by lanes that pass by the part with so many turns; 0: none has */
    int32_t ir;           /* the first block of the IR that it is made of, or -1 */
};

struct code {
    int arch;
    struct machine_inst *insts;
    int32_t ninsts, capacity;
    int32_t *first;               /* [sites + 1], as selection leaves it: where each site's instructions begin; then NULL */
    struct machine_block *blocks; /* as layout makes them */
    int32_t nblocks, block_capacity;
    int32_t nregs;                /* virtual registers */
    int32_t stack;                /* the register of the stack pointer, or -1 */
    int registers;                /* a thread, once values have their places; else 0 */
    uint64_t called;              /* bit set over enum code_function */
};

struct machine_inst *code_add(struct code *c, const struct machine_inst *in);
void code_begin_block(struct code *c, enum times times, int32_t of, int rounds, int32_t ir);
/* Puts what was made for another site where that one is, and fills in first[sites + 1]. */
void code_sort(struct code *c, int32_t sites);
void code_begin_like(struct code *c, const struct machine_block *other); /* all of it but its instructions */
struct code *code_copy(const struct code *c); /* without `first` */
void code_take(struct code *c, struct code *from); /* its instructions and blocks; `from` has none any more */
void code_free(struct code *c);

/* Instructions of a site that ordinary operands execute; of code that still has `first`. */
int code_executed(const struct code *c, int32_t site);

/* The same, but what is under a predicate counts twice: so the assembler weighs a loop's round. */
int code_weight(const struct code *c, int32_t site);

/* Operations in the code that its architecture does not have, each once: a device of it cannot run the kernel. Returns how many. */
int code_missing(const struct code *c, enum machine_op missing[OPS]);

/* Instructions, copies aside. */
int32_t code_size(const struct code *c);

/* How many instructions there are of each operation and for each unit. */
void code_count(const struct code *c, int32_t counts[OPS], int32_t pipes[PIPES]);

/* The unit that executes it: S2R of a thread's index goes through lsu, HFMA2.MMA through the tensor cores. */
enum pipe code_pipe(int arch, const struct machine_inst *in);

struct strbuf;

/* "[B0-2---:R-:W3:S04]"; nothing where it is not known. */
void code_print_control(const struct machine_inst *in, struct strbuf *out);

/* "@P0 IMAD.WIDE R2, R5, 0x4, R8", without a line's end. */
void code_print(const struct machine_inst *in, struct strbuf *out);

/* ".b3:", ".b5: # 4 turns of the loop", without a line's end. */
void code_print_head(const struct ir_kernel *k, const struct machine_block *b, struct strbuf *out);

#endif
