/* See ways.h. */
#include "target/ways.h"
#include "base/alloc.h"
#include "ir/edit.h"

#include <string.h>

static const struct function {
    const char *name, *tell;
    int arguments; /* that the way depends on */
    int ways;
} functions[] = {
#define EXTERN_WAYS(name, args, ways, way) {#name, #name WAYS_TELL, sizeof #args - 1, ways},
#include "target/extern_ways.def"
};

static const struct function *function_of(const struct ir_inst *in)
{
    if (in->op != IR_OP_EXTERN || in->guard != IR_NOREG || in->ndst != 1)
        return NULL;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (strcmp(functions[i].name, in->callee) == 0)
            return &functions[i];
    return NULL;
}

/* The instructions that stand for the call: which way, then for each way a comparison and what is counted, then the call. */
static int32_t insts_of(const struct function *f)
{
    return 2 + 2 * f->ways;
}

/* way == number */
static struct ir_inst comparison(struct ir_kernel *k, const struct ir_inst *call, int32_t way, int number, int32_t predicate)
{
    struct ptx_mods *mods = ARENA_NEW(&k->arena, struct ptx_mods);
    struct ir_inst in = *call;
    mods->type[0] = PTX_S32;
    mods->ntypes = 1;
    mods->cmp = PTX_EQ;
    in.op = PTX_OP_SETP;
    in.type = in.type2 = PTX_S32;
    in.mods = mods;
    in.callee = NULL;
    IR_SET_RESULTS(k, &in, predicate);
    IR_SET_SOURCES(k, &in, ir_of_reg(way), ir_of_value((uint64_t)number));
    return in;
}

/* `next` is the first of 1 + ways new registers. */
static void part(struct ir_kernel *k, const struct ir_inst *call, const struct function *f, int32_t next, struct ir_inst *out)
{
    struct ir_inst *tell = out++;
    *tell = *call;
    tell->callee = f->tell;
    tell->type = tell->type2 = PTX_S32;
    IR_SET_RESULTS(k, tell, next);
    tell->nsrc = (uint16_t)f->arguments;
    tell->product_fused = false;
    for (int i = 0; i < f->ways; i++) {
        *out++ = comparison(k, call, next, i, next + 1 + i);
        *out = *call;
        out->guard = next + 1 + i;
        IR_SET_RESULTS(k, out, IR_NOREG);
        out->old = out->dst; /* no result, and nothing else */
        out->way = (uint8_t)i;
        out++;
    }
    *out = *call;
    out->way = WAYS_PARTED;
}

void ways_part(struct ir_kernel *k)
{
    int32_t regs = 0, insts = 0, n = 0, reg = k->nregs;
    for (int32_t i = 0; i < k->ninsts; i++) {
        const struct function *f = function_of(&k->insts[i]);
        regs += f ? 1 + f->ways : 0;
        insts += f ? insts_of(f) - 1 : 0;
    }
    if (!insts)
        return;
    uint8_t *types = alloc_zeroed((size_t)(k->nregs + regs));
    struct ir_inst *after = alloc_zeroed((size_t)(k->ninsts + insts) * sizeof *after);
    memcpy(types, k->reg_type, (size_t)k->nregs);
    for (int32_t b = 0; b < k->nblocks; b++) {
        struct ir_block *bl = &k->blocks[b];
        int32_t first = n;
        for (int32_t i = bl->first; i < bl->first + bl->count; i++) {
            const struct function *f = function_of(&k->insts[i]);
            if (!f) {
                after[n++] = k->insts[i];
                continue;
            }
            part(k, &k->insts[i], f, reg, &after[n]);
            types[reg] = PTX_S32;
            memset(&types[reg + 1], PTX_PRED, (size_t)f->ways);
            reg += 1 + f->ways;
            n += insts_of(f);
        }
        bl->first = first;
        bl->count = n - first;
    }
    alloc_release(k->insts);
    k->insts = after;
    k->ninsts = n;
    alloc_release(k->reg_type);
    k->reg_type = types;
    k->nregs = reg;
}
