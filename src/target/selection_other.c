/* Operations between lanes, textures, matrices, calls of what the driver provides, shared memory's window, pointers of the warp and the stack pointer (see selecting.h). */
#include "target/ahead.h"
#include "target/library.h"
#include "target/operands.h"
#include "target/selecting.h"
#include "target/window.h"

/* --- barriers and what orders accesses --- */

/* Lanes that a mask in a register names: Ampere and Ada look whether these are all lanes that are here, and wait by a function if not. */
static void put_warp_barrier(struct selecting *s, struct operand mask)
{
    if (s->arch >= 90 || s->arch < 75) {
        selecting_append(s, OP_WARPSYNC, "");
        return;
    }
    if (s->arch >= 80) {
        struct operand here = selecting_uniform(s, 1), same = selecting_register(s, 1), all = selecting_register(s, 1);
        struct operand off = {.file = FILE_PREDICATE, .number = s->c->nregs++};
        selecting_put(s, OP_VOTE, "", here, none, none, none);
        selecting_put(s, OP_MATCH, "ANY", same, mask, none, none);
        selecting_put(s, OP_REDUX, "OR", all, mask, none, none);
        selecting_put(s, OP_LOP3, "LUT", off, same, all, here);
        selecting_append(s, OP_BRA, "")->guard = off;
        selecting_append(s, OP_MOV, "")->taken = TAKEN_NEVER;
        struct machine_inst *call = selecting_append(s, OP_CALL, "REL.NOINC");
        call->source[call->nsources++] = (struct operand){.file = FILE_FUNCTION, .number = FUNCTION_warpsync};
        call->taken = TAKEN_NEVER;
        s->c->called |= UINT64_C(1) << FUNCTION_warpsync;
    }
    selecting_append(s, OP_NOP, "");
}

void selecting_barrier(struct selecting *s, const struct ir_inst *in)
{
    if (in->mods->variant == PTX_BAR_WARP) {
        const bool whole = in->nsrc && in->src[0].kind == IR_SRC_IMM && (uint32_t)in->src[0].imm == UINT32_MAX;
        if (whole || !in->nsrc || in->src[0].kind == IR_SRC_IMM)
            selecting_append(s, whole ? OP_NOP : OP_WARPSYNC, "");
        else
            put_warp_barrier(s, selecting_use(s, &in->src[0]));
        return;
    }
    selecting_append(s, OP_BAR, "SYNC.DEFER_BLOCKING");
    if (in->ndst && in->dst[0] != IR_NOREG)
        selecting_put(s, OP_B2R, "RESULT", selecting_result(s, in, 0), none, none, none);
}

void selecting_release(struct selecting *s, const struct ir_inst *in)
{
    const int order = in->mods->order;
    if (s->arch < 70 || (order != PTX_RELEASE && order != PTX_ACQ_REL && order != PTX_SC))
        return;
    selecting_append(s, OP_MEMBAR, in->mods->scope == PTX_SCOPE_CTA ? "ALL.CTA" : in->mods->scope == PTX_SCOPE_SYS ? "ALL.SYS" : "ALL.GPU");
    if (in->mods->scope == PTX_SCOPE_CTA)
        return;
    selecting_append(s, OP_ERRBAR, "");
    if (s->arch >= 90)
        selecting_append(s, OP_CGAERRBAR, "");
}

void selecting_acquire(struct selecting *s, const struct ir_inst *in)
{
    const int order = in->mods->order;
    if (s->arch < 70 || (order != PTX_ACQUIRE && order != PTX_ACQ_REL && order != PTX_SC))
        return;
    selecting_append(s, in->mods->scope == PTX_SCOPE_CTA ? OP_NOP : OP_CCTL, in->mods->scope == PTX_SCOPE_CTA ? "" : "IVALL");
}

/* --- textures and surfaces --- */

static void put_results(struct selecting *s, const struct ir_inst *in, struct machine_inst *m)
{
    for (int d = 0; d < in->ndst && m->nresults < CODE_RESULTS; d++)
        if (in->dst[d] != IR_NOREG)
            m->result[m->nresults++] = selecting_result(s, in, d);
}

/* The layer of an array is limited to those that are there; a cube's side is that of the greatest coordinate, by which the others are
 * divided. */
static void put_coordinates(struct selecting *s, const struct ir_inst *in)
{
    const int variant = in->mods->variant;
    const struct operand a = selecting_use(s, &in->src[1]);
    if (ptx_is_layered(variant)) {
        struct operand beyond = {.file = FILE_PREDICATE, .number = s->c->nregs++};
        selecting_put(s, OP_ISETP, "", beyond, a, none, none);
        selecting_put(s, OP_SEL, "", selecting_register(s, 1), a, none, none);
    }
    if (variant != PTX_TEX_CUBE && variant != PTX_TEX_ACUBE)
        return;
    struct operand most = selecting_register(s, 1), over = selecting_register(s, 1);
    selecting_put(s, OP_FMNMX, "", most, a, none, none);
    selecting_put(s, OP_FMNMX, "", most, most, none, none);
    selecting_put(s, OP_MUFU, "RCP", over, most, none, none);
    for (int i = 0; i < 3; i++)
        selecting_put(s, OP_FMUL, "", selecting_register(s, 1), over, none, none);
}

static void select_texture(struct selecting *s, const struct ir_inst *in)
{
    const bool level = in->mods->lod, plain = in->op == PTX_OP_TEX && in->type2 == PTX_F32;
    struct operand handle = selecting_use(s, &in->src[0]), of[CODE_SOURCES - 1];
    int n = 0;
    if (s->arch >= 90) /* bindless: the handle's pair of uniform registers */
        selecting_put(s, OP_MOV, "", selecting_uniform(s, 1), (struct operand){.file = FILE_ZERO}, none, none);
    put_coordinates(s, in);
    for (int i = 1; i < in->nsrc && n < CODE_SOURCES - 1; i++)
        of[n++] = selecting_in_register(s, &in->src[i]);
    /* the mip level 0, and the second coordinate that a line does not have */
    for (int more = (plain && !level) + (plain && in->mods->variant == PTX_TEX_1D); more > 0; more--)
        selecting_put(s, OP_MOV, "", selecting_register(s, 1), (struct operand){.file = FILE_ZERO}, none, none);
    struct machine_inst *m = selecting_append(s, in->op == PTX_OP_TLD4 ? OP_TLD4 : plain ? OP_TEX : OP_TLD, "");
    put_results(s, in, m);
    for (int i = 0; i < n; i++)
        m->source[m->nsources++] = of[i];
    m->source[m->nsources++] = handle;
}

static void select_surface(struct selecting *s, const struct ir_inst *in)
{
    struct operand handle = selecting_use(s, &in->src[0]), of[CODE_SOURCES - 1];
    int n = 0;
    for (int i = 1; i < in->nsrc && n < CODE_SOURCES - 1; i++)
        of[n++] = selecting_in_register(s, &in->src[i]);
    struct machine_inst *m = selecting_append(s, in->op == PTX_OP_SULD ? OP_SULD : OP_SUST, "");
    put_results(s, in, m);
    for (int i = 0; i < n; i++)
        m->source[m->nsources++] = of[i];
    m->source[m->nsources++] = handle;
    if (in->op == PTX_OP_SULD && ptx_type_info[in->type].bits == 8)
        selecting_put(s, OP_LOP3, "LUT", selecting_result(s, in, 0), selecting_result(s, in, 0), none, none);
}

/* --- calls of what the driver provides --- */

/* Addresses of variables are those above this; smaller words are numbers. */
enum { LEAST_ADDRESS = 0x10000 };

/* The address of local memory that the source is, behind copies. */
static bool is_local_address(const struct selecting *s, const struct ir_src *src)
{
    while (src->kind == IR_SRC_REG && s->l->only[src->reg] >= 0) {
        const struct ir_inst *m = &s->k->insts[s->l->only[src->reg]];
        if (ir_is(m, PTX_KIND_ADDRESS))
            return m->space == PTX_LOCAL;
        if (!ir_is_copy(m))
            return false;
        src = &m->src[0];
    }
    return false;
}

/* The frame's address and where the window of local memory begins: c[0][0x20]. */
static void put_local_address(struct selecting *s)
{
    struct operand low = selecting_register(s, 1), high = selecting_register(s, 1), window = {.file = FILE_BANK, .bits = 0x20, .words = 1};
    if (s->arch >= 90) {
        struct operand u = selecting_uniform(s, 1), v = selecting_uniform(s, 1);
        selecting_put(s, OP_LDC, "", u, window, none, none);
        selecting_put(s, OP_LDC, "", v, window, none, none);
        window = u;
    }
    selecting_put(s, OP_IADD3, "P1", low, low, window, none);
    selecting_put(s, OP_IADD3, "X", high, (struct operand){.file = FILE_ZERO}, window, none);
}

static void put_argument(struct selecting *s, const struct ir_src *src, int words)
{
    if (is_local_address(s, src)) {
        put_local_address(s);
        return;
    }
    const struct operand a = selecting_use(s, src);
    if (a.file == FILE_REGISTER)
        return; /* it is made where the function wants it */
    if (words == 2 && a.file == FILE_ZERO) {
        selecting_put(s, OP_CS2R, "", selecting_register(s, 2), a, none, none);
        return;
    }
    struct operand from = a;
    if (words == 2 && a.file == FILE_IMMEDIATE && a.bits >= LEAST_ADDRESS) { /* of the bank that the loader fills */
        from = (struct operand){.file = FILE_BANK, .number = 4, .words = 2};
        if (s->arch >= 90) {
            struct operand u = selecting_uniform(s, 2);
            selecting_put(s, OP_LDC, "64", u, from, none, none);
            from = u;
        }
    }
    for (int i = 0; i < words; i++)
        selecting_put(s, OP_MOV, "", selecting_register(s, 1), from, none, none);
}

/* The function's address is in the constant bank; before Hopper the caller makes the address to come back to. */
static void select_call(struct selecting *s, const struct ir_inst *in)
{
    for (int i = 0; i < in->nsrc; i++)
        put_argument(s, &in->src[i], in->src[i].kind == IR_SRC_REG ? ptx_type_info[s->k->reg_type[in->src[i].reg]].bits > 32 ? 2 : 1 : in->src[i].imm >> 32 ? 2 : 1);
    struct operand number = selecting_register(s, 1), at = selecting_register(s, 2);
    selecting_put(s, OP_MOV, "", number, (struct operand){.file = FILE_IMMEDIATE, .bits = 1}, none, none);
    selecting_put(s, OP_LDC, "64", at, number, none, none);
    if (s->arch >= 70)
        selecting_append(s, OP_LEPC, "");
    if (s->arch >= 70 && s->arch < 90) {
        for (int i = 0; i < 4; i++)
            selecting_put(s, OP_MOV, "32I", selecting_register(s, 1), (struct operand){.file = FILE_IMMEDIATE, .bits = 1}, none, none);
        selecting_put(s, OP_IADD3, "P0", number, number, number, none);
        selecting_put(s, OP_IADD3, "X", number, number, number, none);
    }
    struct machine_inst *call = selecting_append(s, OP_CALL, "ABS.NOINC");
    call->source[call->nsources++] = at;
    if (in->ndst && in->dst[0] != IR_NOREG)
        call->result[call->nresults++] = selecting_result(s, in, 0);
}

/* --- matrices --- */

/* On Hopper a function makes bytes of integers of 4 bits. Each register of 8 of them becomes two; ptxas 13.0 (V13.0.88) has the same for
 * s4 and u4 in all shapes, 2026-11-29. */
static void select_nibbles(struct selecting *s, const struct ir_inst *in)
{
    static const struct {
        enum machine_op op;
        int of_signed, of_unsigned;
    } widen[] = {{OP_LOP3, 15, 2}, {OP_SHF, 8, 1}, {OP_IMAD, 7, 0}};
    const struct ptx_shape_info *shape = &ptx_shape_info[in->mods->shape];
    const struct operand t = selecting_register(s, 1);
    selecting_put(s, OP_MOV, "", t, zero(), none, none); /* where to come back to */
    selecting_put(s, OP_CALL, "REL.NOINC", none, t, none, none);
    for (int matrix = 0; matrix < 2; matrix++) {
        const int registers = (matrix ? shape->n : shape->m) * shape->k / 256;
        for (size_t i = 0; i < sizeof widen / sizeof *widen; i++)
            for (int times = registers * (in->mods->element[matrix] == PTX_ELEMENT_S4 ? widen[i].of_signed : widen[i].of_unsigned); times > 0; times--)
                selecting_put(s, widen[i].op, "", t, t, t, t);
    }
    selecting_put(s, OP_IMMA, "", t, t, t, t);
    selecting_put(s, OP_IMMA, "", t, t, t, t);
    for (int d = 0; d < in->ndst; d++)
        selecting_put(s, OP_IADD3, "", selecting_result(s, in, d), t, t, t);
    selecting_put(s, OP_RET, "REL.NODEC", none, t, none, none);
}

/* --- all others --- */

void selecting_other(struct selecting *s, const struct ir_inst *in)
{
    if (in->op == IR_OP_EXTERN) {
        select_call(s, in);
        return;
    }
    if (in->op == PTX_OP_TEX || in->op == PTX_OP_TLD4) {
        select_texture(s, in);
        return;
    }
    if (in->op == PTX_OP_SULD || in->op == PTX_OP_SUST) {
        select_surface(s, in);
        return;
    }
    if (in->op == PTX_OP_MMA && s->arch >= 90 && (in->mods->element[0] == PTX_ELEMENT_S4 || in->mods->element[0] == PTX_ELEMENT_U4)) {
        select_nibbles(s, in);
        return;
    }
    struct operand d = in->ndst ? selecting_result(s, in, 0) : none;
    struct operand a = in->nsrc > 0 ? selecting_use(s, &in->src[0]) : none, b = in->nsrc > 1 ? selecting_use(s, &in->src[1]) : none,
                   c = in->nsrc > 2 ? selecting_use(s, &in->src[2]) : none;
    enum machine_op op = OP_NONE;
    switch (in->op) {
    case PTX_OP_SHFL:
        op = OP_SHFL;
        break;
    case PTX_OP_VOTE:
    case PTX_OP_ACTIVEMASK:
        op = OP_VOTE;
        break;
    case PTX_OP_MATCH:
        op = OP_MATCH;
        break;
    case PTX_OP_REDUX:
        op = OP_REDUX;
        break;
    case PTX_OP_ABS:
        op = OP_IABS;
        break;
    case PTX_OP_POPC:
        op = OP_POPC;
        break;
    case PTX_OP_BREV:
        op = OP_BREV;
        break;
    case PTX_OP_BFIND:
        op = OP_FLO;
        break;
    case PTX_OP_PRMT:
        op = OP_PRMT;
        break;
    case PTX_OP_SHF_L:
    case PTX_OP_SHF_R:
        op = OP_SHF;
        break;
    case PTX_OP_LOP3:
        op = OP_LOP3;
        break;
    case PTX_OP_NEG:
        op = OP_IADD3;
        a.negated = true;
        break;
    case PTX_OP_MUL_HI:
        op = OP_IMAD;
        break;
    case PTX_OP_MUL24_LO:
    case PTX_OP_MAD24_LO:
    case PTX_OP_ADDC:
    case PTX_OP_SUBC:
        op = in->op == PTX_OP_ADDC || in->op == PTX_OP_SUBC ? OP_IADD3 : OP_IMAD;
        break;
    case PTX_OP_DP4A:
    case PTX_OP_DP2A:
        op = OP_IDP;
        break;
    case PTX_OP_TANH:
        op = OP_MUFU;
        break;
    case PTX_OP_MMA:
        op = in->mods->element[0] == PTX_ELEMENT_F64 ? OP_DMMA : ptx_type_info[in->type].kind == 'S' ? OP_IMMA : OP_HMMA;
        break;
    case PTX_OP_LDMATRIX:
        op = OP_LDSM;
        break;
    case PTX_OP_STMATRIX:
        op = OP_STSM;
        break;
    case PTX_OP_MOVMATRIX:
        op = OP_MOVM;
        break;
    case PTX_OP_MBARRIER:
        op = OP_SYNCS;
        break;
    case PTX_OP_NANOSLEEP:
        op = OP_NANOSLEEP;
        break;
    case PTX_OP_CP_COMMIT:
        op = OP_LDGDEPBAR;
        break;
    case PTX_OP_CP_WAIT:
        op = OP_DEPBAR;
        break;
    case PTX_OP_SAD:
        op = OP_VABSDIFF;
        break;
    default:
        op = OP_MOV;
        break;
    }
    selecting_put(s, op, "", d, a, b, c);
}

/* --- the window of shared memory --- */

/* Kept beside constants, under a key that none of them has. */
struct operand selecting_of_warp(struct selecting *s, struct operand o)
{
    const uint64_t key = UINT64_C(1) << 62 | o.bits;
    const int32_t here = s->k->insts[s->site].block, block = lowered_outside_loops(s->k, here), elsewhere = s->elsewhere;
    if (o.file != FILE_BANK)
        return o;
    for (int i = 0; i < s->nkept; i++)
        if (s->kept[i].file == FILE_UNIFORM && s->kept[i].bits == key && ir_dominates(s->k, s->kept[i].block, block))
            return of_register(FILE_UNIFORM, s->kept[i].reg, o.words);
    const struct operand d = selecting_uniform(s, o.words);
    s->elsewhere = block != here ? ahead_last_of(s->k, block) : elsewhere;
    selecting_put(s, OP_LDC, o.words > 1 ? "64" : "", d, o, none, none);
    s->elsewhere = elsewhere;
    if (s->nkept < SELECTING_KEPT)
        s->kept[s->nkept++] = (struct selecting_constant){block, FILE_UNIFORM, key, d.number};
    return d;
}

struct operand selecting_window(const struct selecting *s, int32_t w)
{
    const struct windows *all = s->l->windows;
    return of_register(all->of[all->of[w].base].lanes ? FILE_REGISTER : FILE_UNIFORM, s->k->nregs + SELECTING_WINDOW * w, 1);
}

/* Where a variable lies in the window of shared memory. What others share is computed with the first. */
void selecting_put_window(struct selecting *s, int32_t w)
{
    const struct window *window = &s->l->windows->of[w];
    const struct operand d = selecting_window(s, w), base = selecting_window(s, window->base);
    struct operand begin = base, rank = base, at;
    begin.number += 1;
    rank.number += 2;
    if (window->base == w) {
        selecting_put(s, OP_MOV, "", begin, immediate(0x400), none, none);
        s->c->insts[s->c->ninsts - 1].stays = true;
        selecting_put(s, OP_S2R, "", rank, (struct operand){.file = FILE_SPECIAL, .number = PTX_SREG_CTAID_X}, none, none);
    }
    at = begin;
    if (window->offset) {
        at = d;
        selecting_put(s, OP_IADD3, "", at, begin, immediate(window->offset), zero());
    }
    selecting_put(s, OP_LEA, "", d, rank, at, immediate(24));
}

/* --- the stack pointer --- */

/* A kernel that calls what the driver provides takes its local memory off the stack. */
static bool has_frame(const struct ir_kernel *k)
{
    bool calls = false, local = false;
    for (int32_t i = 0; i < k->ninsts; i++) {
        calls |= k->insts[i].op == IR_OP_EXTERN && !library_has(&k->insts[i]);
        local |= ir_is_memory(&k->insts[i]) && k->insts[i].space == PTX_LOCAL;
    }
    return calls && local;
}

/* Volta's code begins with an exchange that no lane takes part in, Tesla's has no stack pointer. */
void selecting_put_stack_pointer(struct selecting *s)
{
    const struct generation *g = arch_generation(s->arch);
    struct operand at = bank(g->stack);
    at.number = (int32_t)g->stack_bank;
    if (g->name == GENERATION_TESLA)
        return;
    struct operand stack = selecting_register(s, 1);
    s->c->stack = stack.number;
    selecting_put(s, arch_has_bank_operands(s->arch) ? OP_MOV : OP_LDC, "", stack, at, none, none);
    if (has_frame(s->k))
        selecting_put(s, s->arch >= 90 ? OP_VIADD : OP_IADD3, "", stack, stack, immediate(-(uint64_t)s->k->local_bytes), s->arch >= 90 ? none : zero());
    if (g->name != GENERATION_VOLTA)
        return;
    struct machine_inst *in = selecting_append(s, OP_SHFL, "IDX");
    in->guard = always();
    in->guard.negated = true;
    in->taken = TAKEN_OFF;
    in->result[in->nresults++] = always();
    for (int i = 0; i < 4; i++)
        in->source[in->nsources++] = zero();
}
