/* See ways.h. */
#include "target/ways.h"
#include "base/alloc.h"

#include <string.h>

static const struct way {
    const char *name;
    uint8_t type;
    double least;
} ways[] = {
#define EXTERN_WAY(name, type, least, fadd, fmul, ffma, dadd, dmul, dfma) {#name, PTX_##type, least},
#include "target/extern_flops.def"
};

static const struct way *way_of(const struct ir_inst *in)
{
    if (in->op != IR_OP_EXTERN || in->guard != IR_NOREG || in->ndst != 1 || in->nsrc < 1 || in->src[0].kind != IR_SRC_REG)
        return NULL;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if (strcmp(ways[i].name, in->callee) == 0)
            return &ways[i];
    return NULL;
}

static uint64_t bits_of(const struct way *w)
{
    float f = (float)w->least;
    uint32_t low;
    uint64_t bits;
    memcpy(&low, &f, 4);
    memcpy(&bits, &w->least, 8);
    return w->type == PTX_F32 ? low : bits;
}

static struct ir_inst made(struct ir_kernel *k, const struct ir_inst *call, int op, uint8_t type, int32_t dst, struct ir_src src)
{
    struct ptx_mods *mods = ARENA_NEW(&k->arena, struct ptx_mods);
    struct ir_inst in = *call;
    mods->type[0] = type;
    mods->ntypes = 1;
    in.op = (uint16_t)op;
    in.type = in.type2 = type;
    in.mods = mods;
    in.callee = NULL;
    in.dst[0] = dst;
    in.nsrc = 1;
    in.src[0] = src;
    return in;
}

/* |x|, the comparison, and the call twice: four instructions. `next` is the first of two new registers. */
static void part(struct ir_kernel *k, const struct ir_inst *call, const struct way *w, int32_t next, struct ir_inst *out)
{
    struct ir_src size = {.kind = IR_SRC_REG, .reg = next}, limit = {.kind = IR_SRC_IMM, .imm = bits_of(w)};
    out[0] = made(k, call, PTX_OP_FABS, w->type, next, call->src[0]);
    out[1] = made(k, call, PTX_OP_SETP, w->type, next + 1, size);
    struct ptx_mods *mods = ARENA_NEW(&k->arena, struct ptx_mods);
    *mods = *out[1].mods;
    mods->cmp = PTX_GE;
    out[1].mods = mods;
    out[1].nsrc = 2;
    out[1].src[1] = limit;
    out[2] = out[3] = *call;
    out[2].guard = out[3].guard = next + 1;
    out[2].guard_negated = true;
    out[3].way = 1;
}

void ways_part(struct ir_kernel *k)
{
    enum { INSTS = 4, REGS = 2 };
    int32_t calls = 0, n = 0, reg = k->nregs;
    for (int32_t i = 0; i < k->ninsts; i++)
        calls += way_of(&k->insts[i]) != NULL;
    if (!calls)
        return;
    uint8_t *types = alloc_zeroed((size_t)(k->nregs + calls * REGS));
    struct ir_inst *insts = alloc_zeroed((size_t)(k->ninsts + calls * (INSTS - 1)) * sizeof *insts);
    memcpy(types, k->reg_type, (size_t)k->nregs);
    for (int32_t b = 0; b < k->nblocks; b++) {
        struct ir_block *bl = &k->blocks[b];
        int32_t first = n;
        for (int32_t i = bl->first; i < bl->first + bl->count; i++) {
            const struct way *w = way_of(&k->insts[i]);
            if (!w) {
                insts[n++] = k->insts[i];
                continue;
            }
            part(k, &k->insts[i], w, reg, &insts[n]);
            types[reg] = w->type;
            types[reg + 1] = PTX_PRED;
            reg += REGS;
            n += INSTS;
        }
        bl->first = first;
        bl->count = n - first;
    }
    alloc_release(k->insts);
    k->insts = insts;
    k->ninsts = n;
    alloc_release(k->reg_type);
    k->reg_type = types;
    k->nregs = reg;
}
