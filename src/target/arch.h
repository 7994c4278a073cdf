/* What the machine code of an architecture has: its operations and the units that execute them.
 *
 * An architecture is its compute capability times ten: 10 ... 75, 80, 86, 89, 90. Its operations are the rows of operations.def that
 * have it between `from` and `to`. From 7.5 on counts were compared with what NVIDIA's assembler makes; older architectures are
 * modelled only. */
#ifndef TARGET_ARCH_H
#define TARGET_ARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ARCH_USUAL = 90 /* where no device is named */, ARCH_FIRST = 10, ARCH_LAST = 90 /* that are described */ };

static inline bool arch_is_known(int arch)
{
    return arch >= ARCH_FIRST && arch <= ARCH_LAST;
}

enum generation_name {
#define GENERATION(name, ...) GENERATION_##name,
#include "target/generations.def"
#undef GENERATION
    GENERATIONS
};

/* A row of generations.def. */
struct generation {
    enum generation_name name;
    int from, to;
    bool verified;
    int core;                                        /* cycles */
    int code_bytes, code_insts;                      /* so many bytes hold so many instructions */
    uint64_t sizes, grid, stack_bank, stack, parameters; /* bytes; stack_bank a number */
};

/* The last one whose first architecture is not later. */
const struct generation *arch_generation(int arch);

/* Its machine code was compared with the assembler's. */
static inline bool arch_is_verified(int arch)
{
    return arch_generation(arch)->verified;
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

/* Its unit there, and the cycles until its result can be read: before 7.0 the cores do what alu and fma do, and branches,
 * barriers and special registers have no unit that is known. */
enum pipe arch_op_pipe(int arch, enum machine_op op);
int arch_op_cycles(int arch, enum machine_op op);

/* The operation that the architecture has in its place: IADD3 of VIADD, IMNMX of VIMNMX, REDG of RED. */
enum machine_op arch_op_here(int arch, enum machine_op op);

/* The same of registers of the whole warp: UIADD3 of IADD3; an operation that has none is itself. */
enum machine_op arch_op_uniform(enum machine_op op);

/* A size of the block or the grid (enum ptx_sreg): where the constant bank has it; Tesla in 16 bits. */
bool arch_size_at(int arch, int sreg, uint64_t *at);

/* "IMAD" */
const char *arch_op_name(enum machine_op op);

/* The operation of that name (the first `n` letters), or OP_NONE. */
enum machine_op arch_op_named(const char *name, size_t n);

/* A text of operations, "IMAD*31 [FADD*2] RET": takes its first word off; which operation, how often, and the bracket around it, or 0.
 * False: there is none left. */
bool arch_ops_next(const char **text, enum machine_op *op, int *times, char *bracket);

/* A parameter or constant can be an operand of most instructions, not only of loads. */
static inline bool arch_has_bank_operands(int arch)
{
    return arch < 90;
}

/* Registers that a thread can have, and those of a multiprocessor (CUDA C programming guide, technical specifications per compute
 * capability; of 1.x the occupancy calculator's 124, where the guide says 128). */
static inline int arch_registers(int arch)
{
    return arch < 20 ? 124 : arch <= 30 ? 63 : 255;
}

/* A lower limit than this is this one: "adjusting per thread register count of 16 to lower bound of 24" (ptxas 13.0 (V13.0.88), -maxrregcount
 * and .maxnreg, sm_75 to sm_100, 2026-11-30). Of those before Volta it is not known: none. */
static inline uint32_t arch_registers_limit(int arch)
{
    return arch >= 70 ? 24 : 0;
}

static inline int arch_register_file(int arch)
{
    return arch < 12 ? 8192 : arch < 20 ? 16384 : arch < 30 ? 32768 : 65536;
}

/* Warps of a multiprocessor (the same table: resident warps per SM). */
static inline int arch_warps(int arch)
{
    return arch < 12 ? 24 : arch < 20 || arch == 75 ? 32 : arch < 30 || arch == 86 || arch == 89 ? 48 : 64;
}

/* The most registers a thread with which a multiprocessor has room for so many warps; they are given out in units. */
static inline int arch_registers_for(int arch, int warps)
{
    const int unit = arch < 20 ? 4 : arch < 30 ? 2 : 8, n = arch_register_file(arch) / (32 * warps) / unit * unit;
    return n < arch_registers(arch) ? n : arch_registers(arch);
}

/* Banks of a thread's registers (a register's number, modulo these), and how many words of one an instruction can read at once; 0: not looked at.
 * Since Volta two banks of two ports: three source registers in the same bank cost a cycle (Jia et al., Dissecting the NVIDIA Volta GPU
 * Architecture via Microbenchmarking, 2018, register banks; the same of Turing, 2019). Maxwell and Pascal have four of one port (Gray, maxas, 2014). */
enum { ARCH_BANKS = 4 };
static inline int arch_banks(int arch)
{
    return arch >= 70 ? 2 : arch >= 50 ? 4 : 0;
}

static inline int arch_bank_ports(int arch)
{
    return arch >= 70 ? 2 : 1;
}

/* There are registers of the whole warp: since Turing (CUDA Binary Utilities 11.1, "Turing Instruction Set": uniform datapath). */
static inline bool arch_has_uniform(int arch)
{
    return arch >= 75;
}

/* Accesses of global memory add a uniform register to the lane's address, [R2.64+UR4]: on Turing; later ones have a descriptor in its place.
 * Kernels of one access through ptxas 13.0 (V13.0.88) for sm_75 and sm_80, 2026-11-30. */
static inline bool arch_adds_uniform_address(int arch)
{
    return arch >= 75 && arch < 80;
}

/* An address of global memory is one word in machine code: Tesla's g[] spaces have 32 bits (envytools, "Tesla CUDA ISA"). */
static inline bool arch_has_narrow_addresses(int arch)
{
    return arch < 20;
}

/* One instruction does any logic of three: LOP3, since Maxwell. */
static inline bool arch_has_logic_of_three(int arch)
{
    return arch >= 50;
}

/* An address of shared memory may have a shifted index in it: [R5.X4], R2A A1, R5, 0x2. */
static inline bool arch_scales_shared(int arch)
{
    return (arch >= 70 && arch < 90) || arch < 20;
}

/* One instruction adds a scaled index to an address: not on Tesla, Maxwell and Pascal, whose code shifts once for all such sums. */
static inline bool arch_adds_scaled_index(int arch)
{
    return arch >= 70 || (arch >= 20 && arch < 50);
}

#endif
