/* See arch.h. */
#include "target/arch.h"

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

enum machine_op arch_op_here(int arch, enum machine_op op)
{
    if (arch_op(arch, op))
        return op;
    return op == OP_VIADD ? OP_IADD3 : op == OP_VIMNMX || op == OP_VIADDMNMX ? OP_IMNMX : op == OP_I2FP ? OP_I2F : op == OP_RED ? OP_REDG : op;
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
