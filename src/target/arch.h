/* What the machine code of an architecture has: its operations and the units that execute them.
 *
 * An architecture is its compute capability times ten: 75, 80, 86, 89, 90. Its operations are the rows of operations.def that
 * have it between `from` and `to`. */
#ifndef TARGET_ARCH_H
#define TARGET_ARCH_H

#include <stdbool.h>
#include <stddef.h>

enum { ARCH_USUAL = 90 /* where no device is named */, ARCH_FIRST = 75, ARCH_LAST = 90 /* that are described */ };

static inline bool arch_is_known(int arch)
{
    return arch >= ARCH_FIRST && arch <= ARCH_LAST;
}

/* Units that execute instructions. */
enum pipe {
#define PIPE(id, word, purpose) PIPE_##id,
#include "target/pipes.def"
#undef PIPE
    PIPES
};
extern const char *const pipe_words[PIPES]; /* "fmaheavy" */
extern const char *const pipe_purposes[PIPES];

enum machine_op {
    OP_NONE,
#define OPERATION(name, from, to, pipe, wait, cycles, purpose) OP_##name,
#include "target/operations.def"
    OPS
};

enum wait { WAIT_FIXED, WAIT_SCOREBOARD };

struct machine_op_info {
    const char *name; /* "IMAD" */
    int from, to;     /* architectures that have it */
    enum pipe pipe;
    enum wait wait;
    int cycles; /* until its result can be read; 0: it has none */
    const char *purpose;
};

/* The row that holds on the architecture: its pipe, wait and cycles. NULL: the architecture does not have the operation. */
const struct machine_op_info *arch_op(int arch, enum machine_op op);

/* The operation that the architecture has in its place: IADD3 of VIADD, IMNMX of VIMNMX, REDG of RED. */
enum machine_op arch_op_here(int arch, enum machine_op op);

/* "IMAD" */
const char *arch_op_name(enum machine_op op);

/* The operation of that name (the first `n` letters), or OP_NONE. */
enum machine_op arch_op_named(const char *name, size_t n);

/* A parameter or constant can be an operand of most instructions, not only of loads. */
static inline bool arch_has_bank_operands(int arch)
{
    return arch < 90;
}

#endif
