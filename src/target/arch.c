/* See arch.h. */
#include "target/arch.h"

#include "ptx/ptx.h"

#include <stdlib.h>
#include <string.h>

const char *const pipe_words[PIPES] = {
#define PIPE(id, word, purpose) word,
#include "target/pipes.def"
#undef PIPE
};

const char *const pipe_purposes[PIPES] = {
#define PIPE(id, word, purpose) purpose,
#include "target/pipes.def"
#undef PIPE
};

static const struct generation generations[GENERATIONS] = {
#define GENERATION(name, from, to, verified, core, code_bytes, code_insts, sizes, grid, stack_bank, stack, parameters) \
    {GENERATION_##name, from, to, verified, core, code_bytes, code_insts, sizes, grid, stack_bank, stack, parameters},
#include "target/generations.def"
#undef GENERATION
};

const struct generation *arch_generation(int arch)
{
    int g = GENERATIONS - 1;
    while (g > 0 && generations[g].from > arch)
        g--;
    return &generations[g];
}

static const struct machine_op_info ops[OPS] = {
#define OPERATION(name, from, to, pipe, wait, cycles, purpose) [OP_##name] = {#name, from, to, PIPE_##pipe, WAIT_##wait, cycles, purpose},
#include "target/operations.def"
};

static const struct elsewhere {
    enum machine_op op;
    struct machine_op_info info;
} elsewhere[] = {
    {OP_NONE, {0}}, /* so that there is one */
#define ELSEWHERE(name, from, to, pipe, wait, cycles) {OP_##name, {#name, from, to, PIPE_##pipe, WAIT_##wait, cycles, ""}},
#include "target/operations.def"
};

const struct machine_op_info *arch_op(int arch, enum machine_op op)
{
    const size_t n = sizeof elsewhere / sizeof *elsewhere;
    for (size_t i = 1; i < n; i++)
        if (elsewhere[i].op == op && arch >= elsewhere[i].info.from && arch <= elsewhere[i].info.to)
            return &elsewhere[i].info;
    int from = op < OPS ? ops[op].from : 0;
    return from && arch >= from && arch <= ops[op].to ? &ops[op] : NULL;
}

static bool is_cores(enum pipe p)
{
    return p == PIPE_ALU || p == PIPE_FMA || p == PIPE_FMAHEAVY;
}

enum pipe arch_op_pipe(int arch, enum machine_op op)
{
    const struct machine_op_info *info = arch_op(arch, op);
    if (!info)
        return PIPE_NONE;
    if (arch >= 70)
        return info->pipe;
    return is_cores(info->pipe) ? PIPE_CORE : info->pipe == PIPE_CBU || info->pipe == PIPE_ADU ? PIPE_NONE : info->pipe;
}

int arch_op_cycles(int arch, enum machine_op op)
{
    const struct machine_op_info *info = arch_op(arch, op);
    return !info ? 0 : info->cycles && arch_op_pipe(arch, op) == PIPE_CORE ? arch_generation(arch)->core : info->cycles;
}

enum machine_op arch_op_here(int arch, enum machine_op op)
{
    if (arch_op(arch, op))
        return op;
    return op == OP_VIADD ? OP_IADD3 : op == OP_VIMNMX || op == OP_VIADDMNMX ? OP_IMNMX : op == OP_I2FP ? OP_I2F : op == OP_RED && arch >= 90 ? OP_REDG : op;
}

enum machine_op arch_op_uniform(enum machine_op op)
{
    switch (op) {
    case OP_IADD3:
    case OP_VIADD:
        return OP_UIADD3;
    case OP_IMAD:
        return OP_UIMAD;
    case OP_LEA:
        return OP_ULEA;
    case OP_LOP3:
        return OP_ULOP3;
    case OP_SHF:
        return OP_USHF;
    case OP_ISETP:
        return OP_UISETP;
    case OP_SEL:
        return OP_USEL;
    case OP_MOV:
        return OP_UMOV;
    case OP_PRMT:
        return OP_UPRMT;
    case OP_SGXT:
        return OP_USGXT;
    case OP_BMSK:
        return OP_UBMSK;
    case OP_BREV:
        return OP_UBREV;
    case OP_FLO:
        return OP_UFLO;
    case OP_POPC:
        return OP_UPOPC;
    case OP_LDC:
        return OP_ULDC;
    case OP_S2R:
        return OP_S2UR;
    case OP_PLOP3:
        return OP_UPLOP3;
    default:
        return op;
    }
}

const char *arch_op_name(enum machine_op op)
{
    return ops[op].name;
}

enum machine_op arch_op_named(const char *name, size_t n)
{
    for (int op = OP_NONE + 1; op < OPS; op++)
        if (strncmp(ops[op].name, name, n) == 0 && !ops[op].name[n])
            return (enum machine_op)op;
    return OP_NONE;
}

bool arch_ops_next(const char **text, enum machine_op *op, int *times, char *bracket)
{
    size_t word = strcspn(*text, " ");
    if (!word)
        return false;
    *bracket = strchr("[({", **text) ? **text : 0;
    const char *name = *text + (*bracket != 0);
    size_t letters = strcspn(name, " *])}");
    *op = arch_op_named(name, letters);
    *times = name[letters] == '*' ? atoi(name + letters + 1) : 1;
    *text += word;
    *text += strspn(*text, " ");
    return true;
}

bool arch_size_at(int arch, int sreg, uint64_t *at)
{
    const struct generation *g = arch_generation(arch);
    uint64_t bytes = g->name == GENERATION_TESLA ? 2 : 4;
    switch (sreg) {
    case PTX_SREG_NTID_X:
    case PTX_SREG_NTID_Y:
    case PTX_SREG_NTID_Z:
        *at = g->sizes + bytes * (uint64_t)(sreg - PTX_SREG_NTID_X);
        return true;
    case PTX_SREG_NCTAID_X:
    case PTX_SREG_NCTAID_Y:
    case PTX_SREG_NCTAID_Z:
        *at = g->grid + bytes * (uint64_t)(sreg - PTX_SREG_NCTAID_X);
        return true;
    default:
        return false;
    }
}
