/* What sites and blocks cost: floating-point instructions (expansions.def, extern_flops.def), PTX instruction counts, registers.
 *
 * In: an analysed, rewritten kernel. Out: target_tables. The flops of a site are those of the instructions that the
 * assembler makes of it for ordinary inputs. Registers are the largest number of 32-bit registers live at once plus
 * REGISTERS_EXTRA, an estimate: docs/target.md gives its error against 158 kernels. */
#include "target/target.h"
#include "base/alloc.h"

#include <string.h>

/* Fitted to the 2 x 158 kernels under tests/truth (docs/target.md). */
enum { REGISTERS_EXTRA = 4, REGISTERS_LEAST = 8, REGISTERS_MOST = 255 };

enum form { ANY, APPROX, APPROX_FTZ, FULL, NEAREST, UPWARD, ALONE, SATURATE, FROM_HALF, CONSTANT };

struct expansion {
    uint16_t op, type;
    enum form form;
    struct target_flops flops;
};

static const struct expansion expansions[] = {
#define EXPANSION(op, type, form, fadd, fmul, ffma, dadd, dmul, dfma, hadd, hmul, hfma) \
    {PTX_OP_##op, PTX_##type, form, {fadd, fmul, ffma, dadd, dmul, dfma, hadd, hmul, hfma}},
#include "target/expansions.def"
#undef EXPANSION
};

/* `alone`: somebody who cannot take a sign or magnitude with the operand reads the result. */
static bool has_form(const struct ir_inst *in, enum form form, bool alone)
{
    const struct ptx_mods *m = in->mods;
    switch (form) {
    case ANY:
        return true;
    case APPROX:
        return m->approx;
    case APPROX_FTZ:
        return m->approx && m->ftz;
    case FULL:
        return m->full;
    case NEAREST:
        return m->round == PTX_RN;
    case UPWARD:
        return m->round == PTX_RP;
    case ALONE:
        return alone;
    case SATURATE:
        return m->sat && in->type2 == PTX_F32;
    case FROM_HALF:
        return in->type2 == PTX_F16;
    case CONSTANT:
        return in->nsrc > 1 && in->src[1].kind == IR_SRC_IMM;
    }
    return false;
}

static const struct {
    const char *name;
    struct target_flops flops;
} calls[] = {
#define EXTERN_FLOPS(name, fadd, fmul, ffma, dadd, dmul, dfma) {#name, {fadd, fmul, ffma, dadd, dmul, dfma, 0, 0, 0}},
#include "target/extern_flops.def"
#undef EXTERN_FLOPS
};

static struct target_flops flops_of(const struct ir_inst *in, bool alone)
{
    for (size_t i = 0; in->op == IR_OP_EXTERN && i < sizeof calls / sizeof *calls; i++)
        if (strcmp(calls[i].name, in->callee) == 0)
            return calls[i].flops;
    for (size_t i = 0; i < sizeof expansions / sizeof *expansions; i++)
        if (expansions[i].op == in->op && expansions[i].type == in->type && has_form(in, expansions[i].form, alone))
            return expansions[i].flops;
    return (struct target_flops){0};
}

/* Floating-point instructions read -a and |a| for nothing. */
static bool takes_sign(const struct ir_inst *in)
{
    if (in->op >= PTX_OP_COUNT)
        return false;
    const struct ptx_op_info *op = &ptx_op_info[in->op];
    bool floating = ptx_type_info[in->type].kind == 'F' || ptx_type_info[in->type2].kind == 'F';
    switch (op->class) {
    case PTX_CLASS_FADD:
    case PTX_CLASS_FMUL:
    case PTX_CLASS_FFMA:
    case PTX_CLASS_FDIV:
    case PTX_CLASS_FSQRT:
    case PTX_CLASS_FCMP:
    case PTX_CLASS_FMOV:
    case PTX_CLASS_MUFU:
        return true;
    case PTX_CLASS_CMP:
    case PTX_CLASS_CONVERT:
        return floating;
    default:
        return in->op == PTX_OP_SELP && floating;
    }
}

static uint64_t *find_alone(const struct ir_kernel *k)
{
    uint64_t *alone = alloc_zeroed(((size_t)k->nregs / 64 + 1) * sizeof *alone);
    for (int32_t i = 0; i < k->ninsts; i++) {
        const struct ir_inst *in = &k->insts[i];
        for (int s = 0; !takes_sign(in) && s < in->nsrc; s++)
            if (in->src[s].kind == IR_SRC_REG)
                ir_bit_set(alone, in->src[s].reg);
    }
    return alone;
}

/* --- registers --- */

static int width(const struct ir_kernel *k, int32_t reg)
{
    int bits = ptx_type_info[k->reg_type[reg]].bits;
    return bits == 1 ? 0 : bits <= 32 ? 1 : bits / 32; /* predicates have a file of their own */
}

/* live = (live - defined) + read; returns the change of the total width. */
static int step(const struct ir_kernel *k, const struct ir_inst *in, uint64_t *live)
{
    int change = 0;
    for (int d = 0; d < in->ndst; d++)
        if (in->dst[d] != IR_NOREG && in->guard == IR_NOREG && ir_bit(live, in->dst[d])) {
            live[in->dst[d] >> 6] &= ~(UINT64_C(1) << (in->dst[d] & 63));
            change -= width(k, in->dst[d]);
        }
    for (int s = 0; s < in->nsrc; s++)
        if (in->src[s].kind == IR_SRC_REG && !ir_bit(live, in->src[s].reg)) {
            ir_bit_set(live, in->src[s].reg);
            change += width(k, in->src[s].reg);
        }
    return change;
}

static int most_live(const struct ir_kernel *k)
{
    size_t words = (size_t)k->nregs / 64 + 1;
    uint64_t *live = alloc_zeroed(words * sizeof *live);
    int most = 0;
    for (int32_t b = 0; b < k->nblocks; b++) {
        const struct ir_block *bl = &k->blocks[b];
        int now = 0;
        memcpy(live, bl->live_out, words * sizeof *live);
        for (int32_t r = 0; r < k->nregs; r++)
            now += ir_bit(live, r) ? width(k, r) : 0;
        most = now > most ? now : most;
        for (int32_t i = bl->first + bl->count - 1; i >= bl->first; i--) {
            now += step(k, &k->insts[i], live);
            most = now > most ? now : most;
        }
    }
    alloc_release(live);
    return most;
}

/* What the launch bounds leave a thread: 65536 registers an SM since compute capability 3.0 (CUDA C++ programming
 * guide, technical specifications), given out in eights; .minnctapersm without .maxntid says nothing. */
static int launch_bound(const struct ptx_function *f)
{
    const uint32_t *n = f->reqntid[0] ? f->reqntid : f->maxntid;
    uint64_t threads = (uint64_t)n[0] * (n[1] ? n[1] : 1) * (n[2] ? n[2] : 1);
    if (f->maxnreg)
        return (int)f->maxnreg;
    if (!threads)
        return REGISTERS_MOST;
    uint64_t most = 65536 / (threads * (f->minnctapersm ? f->minnctapersm : 1)) / 8 * 8;
    return most < REGISTERS_MOST ? (int)most : REGISTERS_MOST;
}

static int estimate_registers(const struct ir_kernel *k)
{
    int n = most_live(k) + REGISTERS_EXTRA, most = k->function ? launch_bound(k->function) : REGISTERS_MOST;
    n = n > most ? most : n;
    return n < REGISTERS_LEAST ? REGISTERS_LEAST : n;
}

struct target_tables *target_tables(const struct ir_kernel *k, struct arena *arena)
{
    struct target_tables *t = ARENA_NEW(arena, struct target_tables);
    uint64_t *alone = find_alone(k);
    t->flops = ARENA_ARRAY(arena, struct target_flops, k->ninsts);
    t->blocks = ARENA_ARRAY(arena, struct target_block, k->nblocks);
    for (int32_t i = 0; i < k->ninsts; i++) {
        const struct ir_inst *in = &k->insts[i];
        bool shown = in->ndst == 1 && in->dst[0] != IR_NOREG && ir_bit(alone, in->dst[0]);
        t->flops[i] = flops_of(in, shown);
    }
    for (int32_t b = 0; b < k->nblocks; b++)
        t->blocks[b].instructions = (uint32_t)k->blocks[b].count;
    t->registers = estimate_registers(k);
    alloc_release(alone);
    return t;
}
