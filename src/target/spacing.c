/* See spacing.h. */
#include "target/spacing.h"

/* Cycles until the unit takes the warp's next instruction; 0: nobody knows. */
static int32_t again(int arch, enum machine_op op, enum pipe unit)
{
#define AGAIN_OP(operation, from, to, cycles) if (op == OP_##operation && arch >= (from) && arch <= (to)) return cycles;
#include "target/spacing.def"
#define AGAIN(unit_, from, to, cycles) if (unit == PIPE_##unit_ && arch >= (from) && arch <= (to)) return cycles;
#include "target/spacing.def"
    return 0;
}

/* Cycles until the warp issues anything. */
static int32_t behind(int arch, enum machine_op op)
{
#define BEHIND(operation, from, to, cycles) if (op == OP_##operation && arch >= (from) && arch <= (to)) return cycles;
#include "target/spacing.def"
    return 1;
}

static int32_t guard_cycles(int arch, enum machine_op op)
{
#define GUARD_OP(operation, from, to, cycles) if (op == OP_##operation && arch >= (from) && arch <= (to)) return cycles;
#include "target/spacing.def"
#define GUARD(from, to, cycles) if (arch >= (from) && arch <= (to)) return cycles;
#include "target/spacing.def"
    return 0;
}

static int32_t elsewhere_more(int arch, enum pipe unit)
{
#define ELSEWHERE_FROM(name, from, to, cycles) if (unit == PIPE_##name && arch >= (from) && arch <= (to)) return cycles;
#include "target/spacing.def"
#define ELSEWHERE_MORE(from, to, cycles) if (arch >= (from) && arch <= (to)) return cycles;
#include "target/spacing.def"
    return 0;
}

/* Units whose results need not go far to each other: both halves of fma are one. */
static enum pipe beside(enum pipe p)
{
    return p == PIPE_FMAHEAVY ? PIPE_FMA : p;
}

int32_t spacing_begin(const struct spacing *s, int arch, const struct machine_inst *in, int32_t at)
{
    const enum pipe unit = code_pipe(arch, in);
    const int32_t free = again(arch, (enum machine_op)in->op, unit) ? s->unit[unit] : 0, least = s->next > free ? s->next : free;
    return least > at ? least : at;
}

void spacing_issue(struct spacing *s, int arch, const struct machine_inst *in, int32_t cycle)
{
    const enum pipe unit = code_pipe(arch, in);
    s->unit[unit] = cycle + again(arch, (enum machine_op)in->op, unit);
    s->next = cycle + behind(arch, (enum machine_op)in->op);
}

bool spacing_guards(const struct flow *f, const struct machine_inst *in, int32_t value)
{
    if (f->file[value] != FILE_PREDICATE && f->file[value] != FILE_UNIFORM_PREDICATE)
        return false;
    for (int s = 0; s < in->nsources; s++)
        if (in->source[s].file == FILE_PREDICATE || in->source[s].file == FILE_UNIFORM_PREDICATE)
            return false;
    return true;
}

int32_t spacing_result(int arch, enum machine_op op, int32_t cycles, enum machine_op reader, bool guards)
{
    const struct machine_op_info *info = arch_op(arch, op);
    if (!cycles || !info || info->wait != WAIT_FIXED)
        return cycles;
    if (guards && guard_cycles(arch, op))
        return guard_cycles(arch, op);
    const enum pipe from = arch_op_pipe(arch, op), to = arch_op_pipe(arch, reader);
    return from != PIPE_UNIFORM && from != PIPE_NONE && beside(from) != beside(to) ? cycles + elsewhere_more(arch, from) : cycles;
}
