/* See flops.h. */
#include "target/flops.h"

#include "target/library.h"

void flops_add(struct target_flops *f, enum machine_op op, int times)
{
    uint16_t *n = NULL;
    switch (op) {
    case OP_FADD:
        n = &f->fadd;
        break;
    case OP_FMUL:
        n = &f->fmul;
        break;
    case OP_FFMA:
    case OP_FMAD:
        n = &f->ffma;
        break;
    case OP_DADD:
        n = &f->dadd;
        break;
    case OP_DMUL:
        n = &f->dmul;
        break;
    case OP_DFMA:
        n = &f->dfma;
        break;
    case OP_HADD2:
        n = &f->hadd;
        break;
    case OP_HMUL2:
        n = &f->hmul;
        break;
    case OP_HFMA2:
        n = &f->hfma;
        break;
    default:
        return;
    }
    *n += (uint16_t)times;
}

/* What a call executes of a function behind the kernel. */
static void add_function(struct target_flops *f, int function)
{
    const char *text = code_function_texts[function];
    enum machine_op op;
    int times;
    char bracket;
    while (arch_ops_next(&text, &op, &times, &bracket))
        if (!bracket)
            flops_add(f, op, times);
}

/* What lanes that go this way of a library call take of the call's instructions. */
static void add_taken(struct target_flops *f, const struct ir_inst *way)
{
    uint16_t ops[LIBRARY_OPS];
    int n = library_taken(way, ops);
    for (int i = 0; i < n; i++)
        flops_add(f, ops[i], 1);
}

void flops_read(const struct ir_kernel *k, const struct code *selected, struct target_flops *flops)
{
    for (int32_t site = 0; site < k->ninsts; site++) {
        flops[site] = (struct target_flops){0};
        for (int32_t i = selected->first[site]; i < selected->first[site + 1]; i++) {
            const struct machine_inst *in = &selected->insts[i];
            if (in->taken != TAKEN_ALL)
                continue;
            if (in->op == OP_CALL && in->nsources && in->source[0].file == FILE_FUNCTION)
                add_function(&flops[site], in->source[0].number);
            else
                flops_add(&flops[site], in->op, 1);
        }
        if (k->insts[site].op == IR_OP_EXTERN)
            add_taken(&flops[site], &k->insts[site]);
    }
}
