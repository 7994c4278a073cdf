/* The type checker: do operands and modifiers fit their instruction? (PTX ISA 8.4, sections 9.2 to 9.7)
 *
 * Operands have the size of the instruction's type; .bN goes with every type of that size, signed goes with unsigned,
 * floating only with floating (9.4). ld, st and cvt take wider registers. In: a parsed instruction. Out: the same with
 * floating constants converted to the operand's type and the space of a named address filled in, or an error, or a
 * problem where the ISA allows what the engine does not have. */
#include "ptx/parser.h"

#include <string.h>

/* What may stand as an operand, besides a register. */
enum {
    DST = 1 << 0,   /* a result: nothing but a register */
    SINK = 1 << 1,  /* _ */
    IMM = 1 << 2,   /* a constant */
    SREG = 1 << 3,  /* a special register */
    ADDR = 1 << 4,  /* the address of a variable or function */
    WIDER = 1 << 5, /* registers wider than the type */
    NEG = 1 << 6    /* !p */
};

static const char *spelling(int type)
{
    return ptx_type_info[type].spelling;
}

static enum parsed fail(struct parser *p, const struct token *at, const char *text)
{
    ptx_error(p, at, "%s '%s'", text, ptx_opcode_text(p));
    return PARSED_ERROR;
}

bool ptx_type_fits(int want, int have, bool wider)
{
    const struct ptx_type_info *w = &ptx_type_info[want], *h = &ptx_type_info[have];
    if (want == PTX_PRED || have == PTX_PRED)
        return want == have;
    bool wf = w->kind == 'F', hf = h->kind == 'F';
    bool wb = w->kind == 'B' || w->kind == 'H', hb = h->kind == 'B' || h->kind == 'H';
    if (w->bits == h->bits)
        return wb || hb || wf == hf;
    return wider && h->bits > w->bits && !wf && (!hf || wb);
}

static enum parsed mismatch(struct parser *p, const struct token *at, const char *name, int have,
                            int want)
{
    ptx_error(p, at, "'%s' is .%s where '%s' wants .%s", name, spelling(have), ptx_opcode_text(p),
              spelling(want));
    return PARSED_ERROR;
}

static enum parsed check_constant(struct parser *p, struct ptx_operand *o, const struct token *at,
                                  int want)
{
    const struct ptx_type_info *w = &ptx_type_info[want];
    bool is_float = o->imm_type == PTX_F32 || o->imm_type == PTX_F64;
    if (w->kind == 'F' && is_float) {
        struct constant c = {.is_float = true, .type = o->imm_type, .bits = o->imm};
        ptx_convert_float(&c, (enum ptx_type)want, &o->imm);
        o->imm_type = (uint8_t)want;
        return PARSED_OK;
    }
    if (w->kind == 'F')
        ptx_error(p, at, "an integer constant where '%s' wants .%s: write %s", ptx_opcode_text(p),
                  w->spelling, w->bits == 32 ? "1.0 or 0f3F800000" : "1.0 or 0d3FF0000000000000");
    else if (is_float && !(w->kind == 'B' && ptx_type_info[o->imm_type].bits == w->bits))
        ptx_error(p, at, "a floating constant where '%s' wants .%s", ptx_opcode_text(p), w->spelling);
    else
        return PARSED_OK;
    return PARSED_ERROR;
}

static enum parsed check_value(struct parser *p, struct ptx_operand *o, const struct token *at,
                               int want, int allowed)
{
    if (o->negated && !(allowed & NEG))
        return fail(p, at, "'!' is not allowed here in");
    switch ((enum ptx_operand_kind)o->kind) {
    case PTX_OPERAND_REG: {
        const struct ptx_reg *r = &p->body.regs[o->reg];
        return ptx_type_fits(want, r->type, allowed & WIDER) ? PARSED_OK
                                                    : mismatch(p, at, r->name, r->type, want);
    }
    case PTX_OPERAND_IMM:
        if (allowed & IMM)
            return check_constant(p, o, at, want);
        break;
    case PTX_OPERAND_SREG: {
        const struct ptx_sreg_info *s = &ptx_sreg_info[o->sreg];
        if (!(allowed & SREG))
            return fail(p, at, "a special register is not allowed in");
        bool narrower = allowed & WIDER || ptx_type_info[want].bits >= s->least;
        return ptx_type_fits(want, s->type, narrower) ? PARSED_OK : mismatch(p, at, s->spelling, s->type, want);
    }
    case PTX_OPERAND_VAR:
    case PTX_OPERAND_FUNC:
        if (!(allowed & ADDR))
            break;
        if (strchr("FHP", ptx_type_info[want].kind) || ptx_type_info[want].bits < 32)
            return fail(p, at, "an address has 32 or 64 bits, unlike the operand of");
        if (o->kind == PTX_OPERAND_FUNC && ptx_type_info[want].bits != 64)
            return ptx_problem(p, "a function's address in 32 bits");
        return PARSED_OK;
    case PTX_OPERAND_SINK:
        if (allowed & SINK)
            return PARSED_OK;
        break;
    default:
        break;
    }
    return fail(p, at, allowed & DST ? "the result must be a register in"
                                     : "this operand is not allowed in");
}

static enum parsed operand(struct parser *p, struct ptx_inst *in, int i, int want, int allowed)
{
    return check_value(p, &in->operand[i], p->operand_at[i], want, allowed);
}

static enum parsed count(struct parser *p, const struct ptx_inst *in, int least, int most)
{
    if (in->noperands >= least && in->noperands <= most)
        return PARSED_OK;
    if (least == most)
        ptx_error(p, p->opcode, "'%s' takes %d operand%s, here %s %d", ptx_opcode_text(p), most,
                  most == 1 ? "" : "s", in->noperands == 1 ? "is" : "are", in->noperands);
    else
        ptx_error(p, p->opcode, "'%s' takes %d to %d operands, here %s %d", ptx_opcode_text(p), least,
                  most, in->noperands == 1 ? "is" : "are", in->noperands);
    return PARSED_ERROR;
}

#define TRY(call)                                                                                  \
    do {                                                                                           \
        enum parsed result_ = (call);                                                              \
        if (result_ != PARSED_OK)                                                                  \
            return result_;                                                                        \
    } while (0)

#define DEMAND(condition, text)                                                                    \
    do {                                                                                           \
        if (!(condition))                                                                          \
            return fail(p, p->opcode, text);                                                       \
    } while (0)

/* Result d of type `d`, then constants or registers of the types given; 0 ends the list. What asks of an address in a cluster
 * takes a variable's name instead of a constant. */
static enum parsed plain(struct parser *p, struct ptx_inst *in, int d, int a, int b, int c, int e)
{
    const int type[] = {a, b, c, e};
    int n = 0;
    while (n < 4 && type[n])
        n++;
    TRY(count(p, in, n + 1, n + 1));
    TRY(operand(p, in, 0, d, DST));
    for (int i = 0; i < n; i++)
        TRY(operand(p, in, i + 1, type[i], i == 0 && ptx_op_info[in->op].mods & MOD_CLUSTER ? ADDR : IMM));
    return PARSED_OK;
}

static int twice(int type)
{
    return type == PTX_U16 ? PTX_U32 : type == PTX_S16 ? PTX_S32 : type == PTX_U32 ? PTX_U64 : PTX_S64;
}

/* --- modifiers --- */

static bool rounds_to_integer(int round)
{
    return round >= PTX_RNI && round <= PTX_RPI;
}

/* div, rcp, sqrt: exactly one of a rounding, .approx and .full; rsqrt, sin ...: .approx. */
static enum parsed check_precision(struct parser *p, const struct ptx_inst *in)
{
    const struct ptx_mods *m = &in->mods;
    int ways = (m->round != 0) + m->approx + m->full;
    bool f64 = m->type[0] == PTX_F64;
    switch (in->op) {
    case PTX_OP_FMA:
    case PTX_OP_FMAD:
        DEMAND(m->round, "a rounding (.rn .rz .rm .rp) is missing in");
        break;
    case PTX_OP_FDIV:
    case PTX_OP_RCP:
    case PTX_OP_SQRT:
        DEMAND(ways == 1, "exactly one of .approx, .full and a rounding (.rn .rz .rm .rp) must stand in");
        DEMAND(!f64 || m->round || (in->op == PTX_OP_RCP && m->ftz), "not available for .f64:");
        break;
    case PTX_OP_RSQRT:
    case PTX_OP_SIN:
    case PTX_OP_COS:
    case PTX_OP_LG2:
    case PTX_OP_EX2:
    case PTX_OP_TANH:
        DEMAND(m->approx, "'.approx' is missing in");
        break;
    }
    return PARSED_OK;
}

static enum parsed check_modifiers(struct parser *p, const struct ptx_inst *in)
{
    const struct ptx_mods *m = &in->mods;
    int t = m->type[0], last = m->ntypes ? m->type[m->ntypes - 1] : 0;
    bool two = in->op == PTX_OP_SET || in->op == PTX_OP_CVT || in->op == PTX_OP_SLCT || in->op == PTX_OP_TEX || in->op == PTX_OP_TLD4 ||
               in->op == PTX_OP_DP4A || in->op == PTX_OP_DP2A;
    if (ptx_video_parts(in->op) || in->op == PTX_OP_CVT_PACK || in->op == PTX_OP_MMA || in->op == PTX_OP_WMMA)
        return PARSED_OK; /* check_video, opcodes.c, check_product */
    if (m->ntypes > 1 + two)
        return ptx_problem(p, "type '.%s' of '%s'", spelling(last), ptx_op_info[in->op].word);
    DEMAND(!two || m->ntypes == 2, "a second type is missing in");
    if (in->op == PTX_OP_CVT)
        return PARSED_OK;
    DEMAND(m->round <= PTX_RP, "this rounding is for cvt only, not for");
    bool f16 = t == PTX_F16 || t == PTX_F16X2, halves = TYPES_HALVES >> t & 1;
    DEMAND(!m->sat || t == PTX_F32 || t == PTX_S32 || f16, "'.sat' goes with .s32, .f32 and .f16 only, not with");
    DEMAND(!halves || m->round <= PTX_RN, "halves are rounded with .rn only:");
    bool minmax = in->op == PTX_OP_MIN || in->op == PTX_OP_MAX;
    DEMAND(!m->relu || (halves && !m->sat) || (minmax && (t == PTX_S32 || t == PTX_S16X2)),
           "'.relu' goes with halves and without .sat, and with min and max of .s32 and .s16x2 only, not with");
    DEMAND(!m->mmio || ((in->op == PTX_OP_LD || in->op == PTX_OP_ST) && m->order == PTX_RELAXED && m->scope == PTX_SCOPE_SYS),
           "'.mmio' goes with ld and st of .relaxed.sys only, not with");
    DEMAND(!m->satfinite, "'.satfinite' is for cvt only, not for");
    DEMAND(!m->ftz || last == PTX_F32 || last == PTX_F16 || last == PTX_F16X2 || (in->op == PTX_OP_EX2 && halves) || ((in->op == PTX_OP_RCP || in->op == PTX_OP_RSQRT) && m->approx),
           "'.ftz' goes with .f32 and .f16 only, not with");
    DEMAND(!m->cc || ptx_type_info[t].bits >= 32, "'.cc' goes with 32 and 64 bits only, not with");
    DEMAND(in->op != PTX_OP_REDUX || !(m->xorsign_abs || m->noftz || m->cache_hint), "this modifier does not go with");
    DEMAND(!(m->nan || m->xorsign_abs || m->abs) || t == PTX_F32 || halves, "'.NaN' and '.xorsign.abs' go with .f32 and halves only, not with");
    return check_precision(p, in);
}

/* --- comparison, conversion, moves --- */

/* How a conversion has to round (9.7.9.21): to the nearest whole number, to fewer bits, or not at all. */
static enum parsed check_cvt_rounding(struct parser *p, const struct ptx_mods *m)
{
    const struct ptx_type_info *d = &ptx_type_info[m->type[0]], *s = &ptx_type_info[m->type[1]];
    bool df = d->kind == 'F' || d->kind == 'H', sf = s->kind == 'F' || s->kind == 'H';
    bool same = m->type[0] == m->type[1], pair = TYPES_HALF2 >> m->type[0] & 1;
    if (m->type[0] == PTX_TF32) {
        DEMAND(m->round == PTX_RN || m->round == PTX_RZ || m->round == PTX_RNA, "a rounding (.rn .rz .rna) is missing in");
        return PARSED_OK;
    }
    if (m->round == PTX_RNA)
        return ptx_problem(p, "modifier '.rna' of 'cvt'");
    if (sf && !df)
        DEMAND(rounds_to_integer(m->round), "a rounding (.rni .rzi .rmi .rpi) is missing in");
    else if (df && (!sf || pair || (!same && d->bits <= s->bits)))
        DEMAND(m->round >= PTX_RN && m->round <= PTX_RP, "a rounding (.rn .rz .rm .rp) is missing in");
    else
        DEMAND(!m->round || (same && df && rounds_to_integer(m->round)), "this rounding does not go with");
    return PARSED_OK;
}

static enum parsed check_cvt(struct parser *p, struct ptx_inst *in)
{
    const struct ptx_mods *m = &in->mods;
    int d = m->type[0], s = m->type[1];
    bool half2 = TYPES_HALF2 >> d & 1, fp8 = TYPES_FP8X2 >> d & 1, pair = s == PTX_F32 && (half2 || fp8);
    bool from_fp8 = TYPES_FP8X2 >> s & 1;
    if (s == PTX_TF32 || (d == PTX_TF32 && s != PTX_F32) || (fp8 && s != PTX_F32 && s != PTX_F16X2) ||
        (from_fp8 && d != PTX_F16X2) || (half2 && s != PTX_F32 && !from_fp8) || (TYPES_HALF2 >> s & 1 && !fp8) ||
        !(TYPES_CVT >> s & 1))
        return ptx_problem(p, "type '.%s' of 'cvt'", spelling(s));
    TRY(check_cvt_rounding(p, m));
    DEMAND(!(fp8 || from_fp8) || m->round == PTX_RN, "'.rn' is missing in");
    DEMAND(m->satfinite || !fp8, "'.satfinite' is missing in");
    DEMAND(!m->ftz || d == PTX_F32 || s == PTX_F32, "'.ftz' goes with .f32 only, not with");
    DEMAND(!(m->relu || m->satfinite) || (ptx_type_info[d].kind == 'H' && s == PTX_F32) || fp8 || (from_fp8 && !m->satfinite),
           "'.relu' and '.satfinite' are for .f32 to halves only, not for");
    DEMAND(d != PTX_TF32 || !(m->sat || m->ftz || (m->relu && m->round == PTX_RNA) || (m->satfinite && m->round != PTX_RNA)),
           "this modifier does not go with");
    TRY(count(p, in, 2 + pair, 2 + pair));
    TRY(operand(p, in, 0, d, DST | WIDER));
    TRY(operand(p, in, 1, s, IMM | SREG | WIDER));
    return pair ? operand(p, in, 2, s, IMM) : PARSED_OK;
}

static enum parsed check_comparison(struct parser *p, struct ptx_inst *in)
{
    const struct ptx_mods *m = &in->mods;
    int t = m->type[m->ntypes - 1];
    char kind = ptx_type_info[t].kind;
    bool pair = t == PTX_F16X2 || t == PTX_BF16X2;
    if (!(TYPES_VALUEH >> t & 1))
        return ptx_problem(p, "type '.%s' of '%s'", spelling(t), ptx_op_info[in->op].word);
    DEMAND(m->cmp, "a comparison (.eq .ne .lt ...) is missing in");
    DEMAND(kind != 'B' || m->cmp <= PTX_NE, "only .eq and .ne compare bits:");
    if (in->op == PTX_OP_SET) { /* the result is as wide as the operands, or a word; pairs go with pairs or a word */
        int d = m->type[0];
        bool half = TYPES_HALVES >> t & 1;
        DEMAND(half || TYPES_HALVES >> d & 1 ? half && (d == t || (TYPES_INT32 >> d & 1) || (!pair && (d == PTX_U16 || d == PTX_S16)))
                                             : d != PTX_U16 && d != PTX_S16,
               "the result's type does not go with the operands of");
    } else {
        DEMAND(!pair || (in->noperands && in->operand[0].kind == PTX_OPERAND_PAIR), "a pair of halves has two results, p|q:");
    }
    DEMAND(kind == 'F' || kind == 'H' || m->cmp <= PTX_GE, "this comparison is for floating types only:");
    TRY(count(p, in, m->boolop ? 4 : 3, m->boolop ? 4 : 3));
    struct ptx_operand *d = &in->operand[0];
    if (in->op == PTX_OP_SETP && d->kind == PTX_OPERAND_PAIR) {
        TRY(check_value(p, &d->elem[0], p->operand_at[0], PTX_PRED, DST | SINK));
        TRY(check_value(p, &d->elem[1], p->operand_at[0], PTX_PRED, DST | SINK));
    } else {
        TRY(operand(p, in, 0, in->op == PTX_OP_SETP ? PTX_PRED : m->type[0], DST));
    }
    TRY(operand(p, in, 1, t, IMM));
    TRY(operand(p, in, 2, t, IMM));
    return m->boolop ? operand(p, in, 3, PTX_PRED, IMM | NEG) : PARSED_OK;
}

static enum parsed check_selection(struct parser *p, struct ptx_inst *in)
{
    const struct ptx_mods *m = &in->mods;
    int t = m->type[0], by = in->op == PTX_OP_SELP ? PTX_PRED : m->type[1];
    if (in->op == PTX_OP_SLCT)
        DEMAND(by == PTX_S32 || by == PTX_F32, "the second type must be .s32 or .f32 in");
    TRY(count(p, in, 4, 4));
    TRY(operand(p, in, 0, t, DST));
    TRY(operand(p, in, 1, t, IMM));
    TRY(operand(p, in, 2, t, IMM));
    return operand(p, in, 3, by, IMM);
}

/* mov.b64 {%r1, %r2}, %rd1 and back: each element has an equal part of the bits. */
static enum parsed check_parts(struct parser *p, struct ptx_inst *in, int i, int allowed)
{
    struct ptx_operand *v = &in->operand[i];
    int t = in->mods.type[0], bits = ptx_type_info[t].bits;
    int part = v->n ? bits / v->n : 0;
    int want = part * v->n != bits ? 0 : part == 8 ? PTX_B8 : part == 16 ? PTX_B16 : part == 32 ? PTX_B32 : 0;
    if (ptx_type_info[t].kind != 'B' || !want || v->n < 2) {
        ptx_error(p, p->operand_at[i], "%d elements do not make up a value of type .%s", v->n, spelling(t));
        return PARSED_ERROR;
    }
    for (int k = 0; k < v->n; k++)
        TRY(check_value(p, &v->elem[k], p->operand_at[i], want, allowed));
    return PARSED_OK;
}

static enum parsed check_mov(struct parser *p, struct ptx_inst *in)
{
    int t = in->mods.type[0];
    TRY(count(p, in, 2, 2));
    if (in->operand[0].kind == PTX_OPERAND_VECTOR) {
        TRY(check_parts(p, in, 0, DST | SINK));
        return operand(p, in, 1, t, 0);
    }
    TRY(operand(p, in, 0, t, DST));
    if (in->operand[1].kind == PTX_OPERAND_VECTOR)
        return check_parts(p, in, 1, IMM);
    return operand(p, in, 1, t, IMM | SREG | ADDR);
}

static enum parsed check_cvta(struct parser *p, struct ptx_inst *in)
{
    int t = in->mods.type[0];
    DEMAND(in->mods.space != PTX_GENERIC, "the space (.global .shared ...) is missing in");
    TRY(count(p, in, 2, 2));
    TRY(operand(p, in, 0, t, DST));
    TRY(operand(p, in, 1, t, in->mods.to ? 0 : ADDR));
    const struct ptx_operand *a = &in->operand[1];
    if (a->kind == PTX_OPERAND_FUNC || (a->kind == PTX_OPERAND_VAR && a->var->space != in->mods.space))
        return fail(p, p->operand_at[1], "this address is not of the space in");
    return PARSED_OK;
}

/* --- memory --- */

static enum parsed check_address_register(struct parser *p, const struct ptx_operand *a,
                                          const struct token *at)
{
    const struct ptx_reg *r = &p->body.regs[a->reg];
    const struct ptx_type_info *t = &ptx_type_info[r->type];
    if (strchr("USB", t->kind) && (t->bits == 32 || t->bits == 64))
        return PARSED_OK;
    ptx_error(p, at, "'%s' is .%s: an address is an integer of 32 or 64 bits", r->name, t->spelling);
    return PARSED_ERROR;
}

/* [a+4]; a named variable lies in the instruction's space, or gives it when there is none. */
static enum parsed check_memory(struct parser *p, struct ptx_inst *in, int i)
{
    struct ptx_operand *o = &in->operand[i];
    if (o->kind != PTX_OPERAND_MEM)
        return fail(p, p->operand_at[i], "an address in [ ] is wanted here in");
    const struct ptx_operand *a = o->elem;
    if (a->kind == PTX_OPERAND_REG)
        return check_address_register(p, a, p->operand_at[i]);
    if (a->kind == PTX_OPERAND_VAR) {
        if (in->mods.space == PTX_GENERIC)
            in->mods.space = a->var->space;
        if (in->mods.space != a->var->space)
            return fail(p, p->operand_at[i], "the variable is not in the space of");
    }
    return PARSED_OK;
}

static enum parsed check_order(struct parser *p, const struct ptx_inst *in, enum ptx_order strongest)
{
    const struct ptx_mods *m = &in->mods;
    bool ordered = m->order >= PTX_RELAXED;
    DEMAND(m->order <= PTX_RELAXED || m->order == strongest, "this memory order does not go with");
    DEMAND(!ordered || m->scope, "the scope (.cta .gpu .sys) is missing in");
    DEMAND(ordered || !m->scope, "a scope needs a memory order (.relaxed ...) in");
    DEMAND(m->order == PTX_WEAK || !(m->cache || m->nc), "a cache operator does not go with a memory order:");
    return PARSED_OK;
}

static enum parsed check_data(struct parser *p, struct ptx_inst *in, int i, int allowed)
{
    int t = in->mods.type[0], vec = in->mods.vec;
    struct ptx_operand *o = &in->operand[i];
    if (vec == 1)
        return operand(p, in, i, t, allowed & ~SINK);
    if (vec * ptx_type_info[t].bits > 128)
        return ptx_problem(p, "a vector of %d bits of '%s'", vec * ptx_type_info[t].bits,
                           ptx_op_info[in->op].word);
    if (o->kind != PTX_OPERAND_VECTOR || o->n != vec) {
        ptx_error(p, p->operand_at[i], "'%s' wants a vector { } of %d elements", ptx_opcode_text(p), vec);
        return PARSED_ERROR;
    }
    for (int k = 0; k < vec; k++)
        TRY(check_value(p, &o->elem[k], p->operand_at[i], t, allowed));
    return PARSED_OK;
}

/* The policy of .L2::cache_hint is the last operand; ir/build.c leaves it out. */
static enum parsed check_hint(struct parser *p, struct ptx_inst *in)
{
    return in->mods.cache_hint ? operand(p, in, in->noperands - 1, PTX_B64, IMM) : PARSED_OK;
}

static enum parsed check_load(struct parser *p, struct ptx_inst *in)
{
    const struct ptx_mods *m = &in->mods;
    TRY(count(p, in, 2 + m->cache_hint, 2 + m->cache_hint));
    TRY(check_hint(p, in));
    TRY(check_order(p, in, PTX_ACQUIRE));
    DEMAND(m->cache <= PTX_CACHE_CV, "this cache operator is for stores, not for");
    TRY(check_data(p, in, 0, DST | SINK | WIDER));
    TRY(check_memory(p, in, 1));
    DEMAND(!m->nc || m->space == PTX_GLOBAL, "'.nc' goes with .global only, not with");
    DEMAND(in->op == PTX_OP_LD || m->space == PTX_GLOBAL || m->space == PTX_GENERIC,
           "this space does not go with");
    return PARSED_OK;
}

static enum parsed check_store(struct parser *p, struct ptx_inst *in)
{
    const struct ptx_mods *m = &in->mods;
    TRY(count(p, in, 2 + m->cache_hint, 2 + m->cache_hint));
    TRY(check_hint(p, in));
    TRY(check_order(p, in, PTX_RELEASE));
    DEMAND(!m->nc && !m->l2_fetch, "'.nc' and '.L2::' are for loads, not for");
    DEMAND(m->cache == PTX_CACHE_DEFAULT || m->cache == PTX_CACHE_CG || m->cache == PTX_CACHE_CS ||
               m->cache >= PTX_CACHE_WB,
           "this cache operator is for loads, not for");
    TRY(check_memory(p, in, 0));
    DEMAND(m->space != PTX_CONST, "constant memory cannot be written:");
    const struct ptx_operand *a = in->operand[0].elem;
    for (int i = 0; a->kind == PTX_OPERAND_VAR && i < p->body.func->nparams; i++)
        if (p->body.func->params[i] == a->var)
            return fail(p, p->operand_at[0], "a parameter of the function cannot be written:");
    return check_data(p, in, 1, IMM | WIDER);
}

/* Which types an atomic operation has (9.7.13.4): a set, as in ptx_ops.def. */
static uint32_t atomic_types(int operation)
{
    switch (operation) {
    case PTX_ATOMIC_ADD:
        return PTX_BIT(U32) | PTX_BIT(S32) | PTX_BIT(U64) | TYPES_FLTH;
    case PTX_ATOMIC_MIN:
    case PTX_ATOMIC_MAX:
        return TYPES_INT32_64;
    case PTX_ATOMIC_INC:
    case PTX_ATOMIC_DEC:
        return TYPES_U32;
    case PTX_ATOMIC_CAS:
        return TYPES_BITS;
    default:
        return TYPES_BITS32_64;
    }
}

static enum parsed check_atomic(struct parser *p, struct ptx_inst *in)
{
    const struct ptx_mods *m = &in->mods;
    bool red = in->op == PTX_OP_RED, cas = m->atomic == PTX_ATOMIC_CAS;
    int t = m->type[0], mem = red ? 0 : 1;
    DEMAND(m->atomic, "the operation (.add .cas ...) is missing in");
    DEMAND(!red || (!cas && m->atomic != PTX_ATOMIC_EXCH), "this operation is for atom only, not for");
    DEMAND(atomic_types(m->atomic) >> t & 1, "the type does not go with the operation of");
    DEMAND(m->noftz == (TYPES_HALVES >> t & 1), m->noftz ? "'.noftz' goes with halves only, not with" : "'.noftz' is missing in");
    DEMAND(m->order != PTX_VOLATILE && m->order != PTX_SC, "this memory order does not go with");
    DEMAND(!red || m->order <= PTX_RELAXED || m->order == PTX_RELEASE, "this memory order does not go with");
    TRY(count(p, in, mem + 2 + cas + m->cache_hint, mem + 2 + cas + m->cache_hint));
    TRY(check_hint(p, in));
    if (!red)
        TRY(operand(p, in, 0, t, DST | SINK));
    TRY(check_memory(p, in, mem));
    DEMAND(m->space == PTX_GENERIC || m->space == PTX_GLOBAL || m->space == PTX_SHARED,
           "this space does not go with");
    TRY(operand(p, in, mem + 1, t, IMM));
    return cas ? operand(p, in, mem + 2, t, IMM) : PARSED_OK;
}

static enum parsed check_prefetch(struct parser *p, struct ptx_inst *in)
{
    const struct ptx_mods *m = &in->mods;
    bool priority = in->op == PTX_OP_APPLYPRIORITY;
    DEMAND(m->variant && !m->scope, "the level (.L1 .L2) is missing in");
    DEMAND(in->op != PTX_OP_PREFETCHU || m->variant == PTX_PREFETCH_L1, "only .L1 goes with");
    DEMAND(!priority || m->variant == PTX_PREFETCH_L2_NORMAL, "only .L2::evict_normal goes with");
    TRY(count(p, in, 1 + priority, 1 + priority));
    TRY(check_memory(p, in, 0));
    if (priority && (in->operand[1].kind != PTX_OPERAND_IMM || in->operand[1].imm != 128))
        return fail(p, p->operand_at[1], "the size is 128 in");
    DEMAND(m->variant < PTX_PREFETCH_L2_LAST || m->space != PTX_LOCAL, "this space does not go with");
    DEMAND(m->space == PTX_GENERIC || m->space == PTX_GLOBAL || m->space == PTX_LOCAL,
           "this space does not go with");
    return PARSED_OK;
}

/* An address of the space that the opcode names, which is not in mods.space. */
static enum parsed check_address(struct parser *p, struct ptx_inst *in, int i, enum ptx_space space)
{
    in->mods.space = (uint8_t)space;
    enum parsed r = check_memory(p, in, i);
    in->mods.space = PTX_GENERIC;
    return r;
}

/* cp.async [shared], [global], size {, bytes to read or predicate} (9.7.9.25.3.1) */
static enum parsed check_async_copy(struct parser *p, struct ptx_inst *in)
{
    int hint = in->mods.cache_hint;
    TRY(count(p, in, 3 + hint, 4 + hint));
    TRY(check_hint(p, in));
    TRY(check_address(p, in, 0, PTX_SHARED));
    TRY(check_address(p, in, 1, PTX_GLOBAL));
    const struct ptx_operand *size = &in->operand[2];
    uint64_t n = size->imm;
    if (size->kind != PTX_OPERAND_IMM || !(n == 16 || (in->mods.cache == PTX_CACHE_CA && (n == 4 || n == 8))))
        return fail(p, p->operand_at[2], in->mods.cache == PTX_CACHE_CA ? "the size is 4, 8 or 16 in" : "the size is 16 in");
    if (in->noperands == 3 + hint)
        return PARSED_OK;
    const struct ptx_operand *last = &in->operand[3];
    bool pred = last->kind == PTX_OPERAND_REG && p->body.regs[last->reg].type == PTX_PRED;
    if (last->kind == PTX_OPERAND_IMM && last->imm > n)
        return fail(p, p->operand_at[3], "more bytes to read than to write in");
    return operand(p, in, 3, pred ? PTX_PRED : PTX_U32, pred ? NEG : IMM);
}

/* commit_group, wait_group N, wait_all */
static enum parsed check_async_group(struct parser *p, struct ptx_inst *in)
{
    bool counts = in->mods.variant == PTX_CP_WAIT_GROUP;
    TRY(count(p, in, counts, counts));
    if (counts && in->operand[0].kind != PTX_OPERAND_IMM)
        return fail(p, p->operand_at[0], "a constant is wanted in");
    return counts ? operand(p, in, 0, PTX_U32, IMM) : PARSED_OK;
}

/* [object, {x, y}], with a layer in front in the arrays' forms; of three coordinates a fourth may follow that is not read */
static enum parsed check_coordinates(struct parser *p, struct ptx_inst *in, int at, int type)
{
    const struct ptx_mods *m = &in->mods;
    int want = ptx_coordinates(m->variant);
    struct ptx_operand *t = &in->operand[at];
    if (t->kind != PTX_OPERAND_MEM || t->n < 2)
        return fail(p, p->operand_at[at], "[object, {coordinates}] is wanted here in");
    if (t->elem->kind != PTX_OPERAND_REG && t->elem->kind != PTX_OPERAND_VAR)
        return ptx_problem(p, "a texture or surface reference of '%s'", ptx_op_info[in->op].word);
    if (t->elem->kind == PTX_OPERAND_REG)
        TRY(check_value(p, &t->elem[0], p->operand_at[at], PTX_B64, 0));
    DEMAND(t->n - 1 == want || (want == 3 && t->n - 1 == 4), "the number of coordinates does not go with");
    for (int i = 1; i < t->n; i++)
        TRY(check_value(p, &t->elem[i], p->operand_at[at], i == 1 && ptx_is_layered(m->variant) ? PTX_B32 : type, IMM));
    return PARSED_OK;
}

/* The braces of a surface's single value. */
static void strip(struct ptx_operand *o, int vec)
{
    if (vec == 1 && o->kind == PTX_OPERAND_VECTOR && o->n == 1)
        *o = o->elem[0];
}

/* suld.b.2d.v2.b32.trap {r, g}, [surface, {x, y}]; sust: the other way round */
static enum parsed check_surface(struct parser *p, struct ptx_inst *in)
{
    bool store = in->op == PTX_OP_SUST;
    TRY(count(p, in, 2, 2));
    strip(&in->operand[store], in->mods.vec);
    TRY(check_data(p, in, store, store ? IMM | WIDER : DST | SINK | WIDER));
    return check_coordinates(p, in, !store, PTX_S32);
}

/* tex.2d.v4.f32.f32 {r, g, b, a}, [texture, {x, y}] {, level} */
static enum parsed check_texture(struct parser *p, struct ptx_inst *in)
{
    const struct ptx_mods *m = &in->mods;
    int c = m->type[1];
    if (c != PTX_F32 && c != PTX_S32)
        return ptx_problem(p, "type '.%s' of 'tex'", spelling(c));
    DEMAND(c == PTX_F32 || !m->lod, "a level needs coordinates of type .f32 in");
    TRY(count(p, in, 2 + m->lod, 2 + m->lod));
    TRY(check_data(p, in, 0, DST | SINK));
    DEMAND(c == PTX_F32 || (in->op == PTX_OP_TEX && m->variant < PTX_TEX_CUBE), "coordinates of type .f32 are wanted in");
    TRY(check_coordinates(p, in, 1, c));
    return m->lod ? operand(p, in, 2, PTX_F32, IMM) : PARSED_OK;
}

/* --- lanes and barriers --- */

/* Without .sync: gone since sm_70 with PTX 6.4 (9.7.9.6). */
static enum parsed check_sync(struct parser *p, const struct ptx_inst *in)
{
    DEMAND(in->mods.sync || p->m->arch < 70 || p->m->version < 64, "'.sync' is missing in");
    return PARSED_OK;
}

static enum parsed check_result_pair(struct parser *p, struct ptx_inst *in, int type, bool pair)
{
    struct ptx_operand *d = &in->operand[0];
    if (d->kind != PTX_OPERAND_PAIR)
        return operand(p, in, 0, type, DST);
    if (!pair)
        return fail(p, p->operand_at[0], "a second result is not allowed in");
    TRY(check_value(p, &d->elem[0], p->operand_at[0], type, DST | SINK));
    return check_value(p, &d->elem[1], p->operand_at[0], PTX_PRED, DST | SINK);
}

static enum parsed check_shfl(struct parser *p, struct ptx_inst *in)
{
    TRY(check_sync(p, in));
    DEMAND(in->mods.variant, "the mode (.up .down .bfly .idx) is missing in");
    TRY(count(p, in, 4 + in->mods.sync, 4 + in->mods.sync));
    TRY(check_result_pair(p, in, PTX_B32, true));
    for (int i = 1; i < in->noperands; i++)
        TRY(operand(p, in, i, PTX_B32, IMM));
    return PARSED_OK;
}

static enum parsed check_vote(struct parser *p, struct ptx_inst *in)
{
    int t = in->mods.type[0];
    TRY(check_sync(p, in));
    DEMAND(in->mods.variant, "the mode (.all .any .uni .ballot) is missing in");
    DEMAND((in->mods.variant == PTX_VOTE_BALLOT) == (t == PTX_B32), "the type does not go with the mode of");
    TRY(count(p, in, 2 + in->mods.sync, 2 + in->mods.sync));
    TRY(operand(p, in, 0, t, DST));
    TRY(operand(p, in, 1, PTX_PRED, IMM | NEG));
    return in->mods.sync ? operand(p, in, 2, PTX_B32, IMM) : PARSED_OK;
}

static enum parsed check_match(struct parser *p, struct ptx_inst *in)
{
    DEMAND(in->mods.sync && in->mods.variant, "'.any.sync' or '.all.sync' is wanted in");
    TRY(count(p, in, 3, 3));
    TRY(check_result_pair(p, in, PTX_B32, in->mods.variant == PTX_MATCH_ALL));
    TRY(operand(p, in, 1, in->mods.type[0], IMM));
    return operand(p, in, 2, PTX_B32, IMM);
}

static enum parsed check_redux(struct parser *p, struct ptx_inst *in)
{
    int o = in->mods.atomic;
    bool logic = o == PTX_ATOMIC_AND || o == PTX_ATOMIC_OR || o == PTX_ATOMIC_XOR;
    DEMAND(in->mods.sync, "'.sync' is missing in");
    bool f32 = in->mods.type[0] == PTX_F32;
    DEMAND(!f32 || o == PTX_ATOMIC_MIN || o == PTX_ATOMIC_MAX, ".f32 goes with .min and .max only in");
    DEMAND(logic || o == PTX_ATOMIC_ADD || o == PTX_ATOMIC_MIN || o == PTX_ATOMIC_MAX,
           "one of .add .min .max .and .or .xor is wanted in");
    DEMAND(logic == (in->mods.type[0] == PTX_B32), "the type does not go with the operation of");
    return plain(p, in, in->mods.type[0], in->mods.type[0], PTX_B32, 0, 0);
}

static enum parsed check_bar(struct parser *p, struct ptx_inst *in)
{
    int v = in->mods.variant, t = in->mods.type[0];
    bool red = v == PTX_BAR_RED_POPC || v == PTX_BAR_RED_AND || v == PTX_BAR_RED_OR;
    int want = v == PTX_BAR_RED_POPC ? PTX_U32 : red ? PTX_PRED : PTX_NOTYPE;
    DEMAND(t == want, red ? "'.popc' has type .u32, '.and' and '.or' have .pred:" : "no type goes with");
    if (v == PTX_BAR_WARP) {
        TRY(count(p, in, 1, 1));
        return operand(p, in, 0, PTX_B32, IMM);
    }
    int first = red;
    TRY(count(p, in, v == PTX_BAR_ARRIVE ? 2 : 1 + 2 * first, 2 + 2 * first));
    if (red) {
        TRY(operand(p, in, 0, t, DST));
        TRY(operand(p, in, in->noperands - 1, PTX_PRED, IMM | NEG));
    }
    for (int i = first; i < in->noperands - red; i++)
        TRY(operand(p, in, i, PTX_U32, IMM));
    return PARSED_OK;
}

/* Registers of a fragment: { } of n of them, or a single one without. */
static enum parsed check_fragment(struct parser *p, struct ptx_inst *in, int i, int n, int type, int allowed)
{
    struct ptx_operand *o = &in->operand[i];
    if (n == 1 && o->kind != PTX_OPERAND_VECTOR)
        return operand(p, in, i, type, allowed);
    if (o->kind != PTX_OPERAND_VECTOR || o->n != n) {
        ptx_error(p, p->operand_at[i], "'%s' wants a vector { } of %d elements", ptx_opcode_text(p), n);
        return PARSED_ERROR;
    }
    for (int k = 0; k < n; k++)
        TRY(check_value(p, &o->elem[k], p->operand_at[i], type, allowed));
    return PARSED_OK;
}

/* ldmatrix {r, ...}, [row]; stmatrix [row], {r, ...}; movmatrix d, a (9.7.13.4.15 to 9.7.13.4.17) */
static enum parsed check_matrix(struct parser *p, struct ptx_inst *in)
{
    struct ptx_mods *m = &in->mods;
    bool move = in->op == PTX_OP_MOVMATRIX, store = in->op == PTX_OP_STMATRIX;
    DEMAND(m->sync && m->aligned, "'.sync.aligned' is missing in");
    DEMAND(m->shape, "the shape (.m8n8) is missing in");
    TRY(count(p, in, 2, 2));
    if (move) {
        DEMAND(m->trans && !m->matrices, m->trans ? "this modifier does not go with" : "'.trans' is missing in");
        return plain(p, in, PTX_B32, PTX_B32, 0, 0, 0);
    }
    DEMAND(m->matrices, "how many matrices (.x1 .x2 .x4) is missing in");
    DEMAND(m->space == PTX_GENERIC || m->space == PTX_SHARED, "this space does not go with");
    m->vec = m->matrices;
    TRY(check_fragment(p, in, store, m->matrices, PTX_B32, store ? 0 : DST));
    return check_memory(p, in, !store);
}

/* mma d, a, b, c (9.7.13.4): what the table of matrices does not have may be PTX all the same */
static enum parsed check_product(struct parser *p, struct ptx_inst *in)
{
    const struct ptx_mods *m = &in->mods;
    bool integer = m->type[0] == PTX_S32, bits = m->element[0] == PTX_ELEMENT_B1;
    if (!ptx_product_exists(in) || m->layout[0] != PTX_LAYOUT_ROW || m->layout[1] != PTX_LAYOUT_COL)
        return ptx_problem(p, "'%s'", ptx_opcode_text(p));
    DEMAND(!m->round || m->type[0] == PTX_F64, "'.rn' goes with .f64 only, not with");
    DEMAND(!m->satfinite || (integer && !bits), "'.satfinite' goes with integers only, not with");
    DEMAND(bits == (m->boolop != 0), "'.xor.popc' or '.and.popc' goes with .b1 and nothing else:");
    TRY(count(p, in, 4, 4));
    for (int i = 0; i < 4; i++) {
        struct ptx_fragment f = ptx_fragment(m, "DABC"[i]);
        TRY(check_fragment(p, in, i, f.n, f.type, i ? 0 : DST));
    }
    return PARSED_OK;
}

/* wmma.mma d, a, b, c; wmma.load r, [p] {, stride}; wmma.store [p], r {, stride} (9.7.13.3) */
static enum parsed check_wmma(struct parser *p, struct ptx_inst *in)
{
    const struct ptx_mods *m = &in->mods;
    bool mma = m->variant == PTX_WMMA_MMA, small = mma || m->variant <= PTX_WMMA_LOAD_B;
    int bits = small ? ptx_element_info[m->element[0]].bits : 32, store = m->variant == PTX_WMMA_STORE_D;
    bool crossed = bits < 8 && (m->variant == PTX_WMMA_LOAD_B ? m->layout[0] != PTX_LAYOUT_COL
                                                              : m->layout[0] != PTX_LAYOUT_ROW || (mma && m->layout[1] != PTX_LAYOUT_COL));
    bool sums = !mma || m->type[0] == m->type[1] || m->element[0] == PTX_ELEMENT_F16;
    if (!ptx_product_exists(in) || crossed || !sums || (m->satfinite && m->type[0] != PTX_S32))
        return ptx_problem(p, "'%s'", ptx_opcode_text(p));
    DEMAND(!m->round || (mma && m->type[0] == PTX_F64), "'.rn' goes with .f64 only, not with");
    DEMAND(mma || !(m->satfinite || m->boolop), "this modifier is for products, not for");
    DEMAND(!mma || (bits == 1) == (m->boolop != 0), "'.xor.popc' or '.and.popc' goes with .b1 and nothing else:");
    TRY(count(p, in, mma ? 4 : 2, mma ? 4 : 3));
    for (int i = 0; i < (mma ? 4 : 1); i++) {
        struct ptx_fragment f = ptx_fragment(m, mma ? "DABC"[i] : "ABDD"[m->variant - PTX_WMMA_LOAD_A]);
        TRY(check_fragment(p, in, i + store, f.n, f.type, i || store ? 0 : DST));
    }
    if (mma)
        return PARSED_OK;
    TRY(check_memory(p, in, !store));
    DEMAND(m->space == PTX_GENERIC || m->space == PTX_GLOBAL || m->space == PTX_SHARED, "this space does not go with");
    return in->noperands == 3 ? operand(p, in, 2, PTX_B32, IMM) : PARSED_OK;
}

/* mbarrier.arrive state, [addr] {, count} and the others (9.7.13.15) */
static enum parsed check_mbarrier(struct parser *p, struct ptx_inst *in)
{
    const struct ptx_mods *m = &in->mods;
    bool arrive = m->variant == PTX_MBAR_ARRIVE || m->variant == PTX_MBAR_ARRIVE_DROP;
    bool wait = m->variant == PTX_MBAR_TEST_WAIT || m->variant == PTX_MBAR_TRY_WAIT;
    DEMAND(m->variant, "the operation (.init .arrive .test_wait ...) is missing in");
    DEMAND(!m->no_complete || arrive, "'.noComplete' goes with .arrive and .arrive_drop only, not with");
    DEMAND(!m->parity || wait, "'.parity' goes with .test_wait and .try_wait only, not with");
    DEMAND(m->space == PTX_GENERIC || m->space == PTX_SHARED, "this space does not go with");
    DEMAND(!m->order || (arrive && m->order == PTX_RELEASE) || (wait && m->order == PTX_ACQUIRE) || m->order == PTX_RELAXED,
           "this memory order does not go with");
    switch (m->variant) {
    case PTX_MBAR_INIT:
        TRY(count(p, in, 2, 2));
        TRY(check_memory(p, in, 0));
        return operand(p, in, 1, PTX_U32, IMM);
    case PTX_MBAR_INVAL:
        TRY(count(p, in, 1, 1));
        return check_memory(p, in, 0);
    case PTX_MBAR_PENDING_COUNT:
        TRY(count(p, in, 2, 2));
        TRY(operand(p, in, 0, PTX_U32, DST));
        return operand(p, in, 1, PTX_B64, IMM);
    case PTX_MBAR_ARRIVE:
    case PTX_MBAR_ARRIVE_DROP:
        TRY(count(p, in, 2 + m->no_complete, 3));
        TRY(operand(p, in, 0, PTX_B64, DST | SINK));
        TRY(check_memory(p, in, 1));
        return in->noperands == 3 ? operand(p, in, 2, PTX_U32, IMM) : PARSED_OK;
    default:
        TRY(count(p, in, 3, 3 + (m->variant == PTX_MBAR_TRY_WAIT)));
        TRY(operand(p, in, 0, PTX_PRED, DST));
        TRY(check_memory(p, in, 1));
        TRY(operand(p, in, 2, m->parity ? PTX_U32 : PTX_B64, IMM));
        return in->noperands == 4 ? operand(p, in, 3, PTX_U32, IMM) : PARSED_OK;
    }
}

static enum parsed check_fence(struct parser *p, struct ptx_inst *in)
{
    const struct ptx_mods *m = &in->mods;
    DEMAND(m->scope && !m->variant, "the scope is missing in");
    if (in->op == PTX_OP_FENCE && m->order != PTX_SC && m->order != PTX_ACQ_REL)
        return ptx_problem(p, "instruction '%s'", ptx_opcode_text(p));
    return count(p, in, 0, 0);
}

/* --- control flow --- */

static enum parsed check_argument(struct parser *p, struct ptx_operand *a, const struct ptx_var *formal,
                                  const struct token *at, bool result)
{
    uint64_t bytes;
    if (a->negated)
        return fail(p, at, "'!' is not allowed in");
    switch ((enum ptx_operand_kind)a->kind) {
    case PTX_OPERAND_VAR:
        if (a->var->space != PTX_PARAM || a->offset)
            return fail(p, at, "arguments are .param variables, registers or constants in");
        bytes = a->var->size;
        break;
    case PTX_OPERAND_REG:
        bytes = (uint64_t)ptx_type_info[p->body.regs[a->reg].type].bits / 8;
        break;
    case PTX_OPERAND_IMM:
        if (!result)
            return formal->unsized || ptx_type_info[formal->type].kind != 'F'
                       ? PARSED_OK
                       : check_constant(p, a, at, formal->type);
        /* fall through */
    default:
        return fail(p, at, "arguments are .param variables, registers or constants in");
    }
    if (bytes == formal->size || formal->unsized)
        return PARSED_OK;
    ptx_error(p, at, "an argument of %llu bytes where '%s' has %llu", (unsigned long long)bytes,
              formal->name, (unsigned long long)formal->size);
    return PARSED_ERROR;
}

static enum parsed check_call_list(struct parser *p, struct ptx_operand *list, const struct token *at,
                                   const struct ptx_var *const *formal, int n, bool result)
{
    if (list->n != n) {
        ptx_error(p, at, "%d %s%s in the call, %d in the declaration", list->n, result ? "result" : "argument",
                  list->n == 1 ? "" : "s", n);
        return PARSED_ERROR;
    }
    for (int i = 0; i < n; i++)
        TRY(check_argument(p, &list->elem[i], formal[i], at, result));
    return PARSED_OK;
}

static enum parsed check_call_shape(struct parser *p, struct ptx_inst *in, const struct ptx_var *ret,
                                    const struct ptx_var *const *params, int nparams)
{
    TRY(check_call_list(p, &in->operand[0], p->operand_at[0], &ret, ret != NULL, true));
    return check_call_list(p, &in->operand[2], p->operand_at[2], params, nparams, false);
}

static enum parsed check_call(struct parser *p, struct ptx_inst *in)
{
    const struct ptx_operand *callee = &in->operand[1];
    if (callee->kind == PTX_OPERAND_FUNC) {
        const struct ptx_function *f = callee->func;
        DEMAND(!f->entry, "a kernel cannot be the target of");
        return check_call_shape(p, in, f->ret, (const struct ptx_var *const *)f->params, f->nparams);
    }
    TRY(operand(p, in, 1, PTX_U64, 0));
    DEMAND(in->noperands == 4, "an indirect call needs a .callprototype:");
    const struct ptx_proto *proto = in->operand[3].proto;
    DEMAND(!proto->labels, "a list of labels is no prototype:");
    if (proto->ntargets) {
        const struct ptx_function *f = proto->funcs[0];
        return check_call_shape(p, in, f->ret, (const struct ptx_var *const *)f->params, f->nparams);
    }
    const struct ptx_var *params[MAX_ARGUMENTS];
    if (proto->nparams > MAX_ARGUMENTS)
        return ptx_problem(p, "a call with more than %d arguments", MAX_ARGUMENTS);
    for (int i = 0; i < proto->nparams; i++)
        params[i] = &proto->params[i];
    return check_call_shape(p, in, proto->ret, params, proto->nparams);
}

static enum parsed check_brx(struct parser *p, struct ptx_inst *in)
{
    DEMAND(in->mods.idx, "'.idx' is missing in");
    TRY(count(p, in, 2, 2));
    TRY(operand(p, in, 0, PTX_U32, 0));
    const struct ptx_operand *t = &in->operand[1];
    if (t->kind != PTX_OPERAND_PROTO || !t->proto->labels)
        return fail(p, p->operand_at[1], "a list of .branchtargets is wanted in");
    return PARSED_OK;
}

/* --- all of them --- */

static enum parsed check_lop3(struct parser *p, struct ptx_inst *in)
{
    const struct ptx_operand *d = &in->operand[0];
    if (in->mods.boolop) { /* d|p, a, b, c, table, q */
        DEMAND(in->mods.boolop != PTX_BOOL_XOR, "only .or and .and go with");
        TRY(count(p, in, 6, 6));
        if (d->kind != PTX_OPERAND_PAIR)
            return fail(p, p->operand_at[0], "two results, d|p, are wanted in");
        TRY(check_value(p, &d->elem[0], p->operand_at[0], PTX_B32, DST | SINK));
        TRY(check_value(p, &d->elem[1], p->operand_at[0], PTX_PRED, DST));
        for (int i = 1; i < 5; i++)
            TRY(operand(p, in, i, PTX_B32, IMM));
        TRY(operand(p, in, 5, PTX_PRED, IMM | NEG));
    } else {
        TRY(plain(p, in, PTX_B32, PTX_B32, PTX_B32, PTX_B32, PTX_B32));
    }
    if (in->operand[4].kind != PTX_OPERAND_IMM || in->operand[4].imm > 255)
        return fail(p, p->operand_at[4], "the function is a constant from 0 to 255 in");
    return PARSED_OK;
}

static enum parsed check_bfi(struct parser *p, struct ptx_inst *in)
{
    int t = in->mods.type[0];
    return plain(p, in, t, t, t, PTX_U32, PTX_U32);
}

static enum parsed check_dp(struct parser *p, struct ptx_inst *in)
{
    const uint8_t *t = in->mods.type;
    if (!(TYPES_INT32 >> t[1] & 1))
        return fail(p, p->opcode, "the second type must be .u32 or .s32 in");
    if (in->op == PTX_OP_DP2A)
        DEMAND(in->mods.sel == PTX_SEL_LO || in->mods.sel == PTX_SEL_HI, "'.lo' or '.hi' is missing in");
    return plain(p, in, PTX_B32, t[0], t[1], PTX_B32, 0);
}

/* createpolicy: a fraction, a range of addresses, or the bits of an access property (9.7.9.18) */
static enum parsed check_policy(struct parser *p, struct ptx_inst *in)
{
    const struct ptx_mods *m = &in->mods;
    DEMAND(m->l2_evict[0] != PTX_EVICT_NORMAL || m->variant == PTX_POLICY_FRACTIONAL || m->variant == PTX_POLICY_RANGE,
           "this priority does not go with");
    DEMAND(!m->l2_evict[1] || m->l2_evict[1] == PTX_EVICT_FIRST || m->l2_evict[1] == PTX_EVICT_UNCHANGED,
           "the second priority is .L2::evict_first or .L2::evict_unchanged in");
    bool range = m->variant == PTX_POLICY_RANGE;
    TRY(count(p, in, range ? 4 : m->variant == PTX_POLICY_CVT ? 2 : 1, range ? 4 : 2));
    TRY(operand(p, in, 0, PTX_B64, DST));
    if (range) {
        TRY(check_memory(p, in, 1));
        TRY(operand(p, in, 2, PTX_U32, IMM));
        return operand(p, in, 3, PTX_U32, IMM);
    }
    return in->noperands == 1 ? PARSED_OK : operand(p, in, 1, m->variant == PTX_POLICY_CVT ? PTX_B64 : PTX_F32, IMM);
}

/* Video instructions (9.7.16): of one word d, a, b {, c}, of pairs and quadruples always with c. */
static enum parsed check_video(struct parser *p, struct ptx_inst *in)
{
    const struct ptx_mods *m = &in->mods;
    int parts = ptx_video_parts(in->op), types = m->cmp ? 2 : 3;
    bool set = in->op == PTX_OP_VSET || in->op == PTX_OP_VSET2 || in->op == PTX_OP_VSET4, vmad = in->op == PTX_OP_VMAD;
    DEMAND(!set || m->cmp, "a comparison (.eq .ne .lt ...) is missing in");
    DEMAND(m->cmp <= PTX_GE, "this comparison is for floating types only:");
    DEMAND(m->ntypes == types, types == 2 ? "two types are wanted in" : "three types are wanted in");
    for (int i = 0; i < types; i++)
        DEMAND(TYPES_INT32 >> m->type[i] & 1, "only .u32 and .s32 go with");
    DEMAND(in->op != PTX_OP_VSHL && in->op != PTX_OP_VSHR ? !m->variant : m->variant && m->type[2] == PTX_U32,
           m->variant ? "the count's type is .u32 in" : "'.clamp' or '.wrap' is missing in");
    DEMAND(!(m->plus_one || m->scale) || vmad, "this modifier is for vmad only, not for");
    DEMAND(!vmad || (!m->atomic && !m->part[0]), "no second operation and no part of the result go with");
    DEMAND(!m->plus_one || !m->minus, "'.po' and '-' exclude each other in");
    DEMAND(parts == 1 || !m->atomic || (m->atomic == PTX_ATOMIC_ADD && !m->sat), "this second operation does not go with");
    DEMAND(parts > 1 || !m->atomic || !m->part[0], "a second operation and a part of the result exclude each other in");
    bool third = parts > 1 || vmad || m->atomic || m->part[0];
    TRY(count(p, in, 3 + third, 3 + third));
    TRY(operand(p, in, 0, PTX_B32, DST));
    for (int i = 1; i < in->noperands; i++)
        TRY(operand(p, in, i, PTX_B32, IMM));
    return PARSED_OK;
}

static enum parsed check_special(struct parser *p, struct ptx_inst *in)
{
    int t = in->mods.type[0];
    if (ptx_video_parts(in->op))
        return check_video(p, in);
    switch ((enum ptx_op)in->op) {
    case PTX_OP_CREATEPOLICY:
        return check_policy(p, in);
    case PTX_OP_CVT_PACK:
        return plain(p, in, PTX_B32, PTX_S32, PTX_S32, in->mods.pack_bits == 16 ? 0 : PTX_B32, 0);
    case PTX_OP_BFE:
        return plain(p, in, t, t, PTX_U32, PTX_U32, 0);
    case PTX_OP_BFI:
        return check_bfi(p, in);
    case PTX_OP_DP4A:
    case PTX_OP_DP2A:
        return check_dp(p, in);
    case PTX_OP_ADDC:
    case PTX_OP_SUBC:
        return plain(p, in, t, t, t, 0, 0);
    case PTX_OP_MADC_LO:
    case PTX_OP_MADC_HI:
        return plain(p, in, t, t, t, t, 0);
    case PTX_OP_TESTP:
        DEMAND(in->mods.variant, "the class (.finite .number ...) is missing in");
        return plain(p, in, PTX_PRED, t, 0, 0, 0);
    case PTX_OP_SET:
    case PTX_OP_SETP:
        return check_comparison(p, in);
    case PTX_OP_SELP:
    case PTX_OP_SLCT:
        return check_selection(p, in);
    case PTX_OP_LOP3:
        return check_lop3(p, in);
    case PTX_OP_SHF_L:
    case PTX_OP_SHF_R:
        DEMAND(in->mods.variant, "'.clamp' or '.wrap' is missing in");
        return plain(p, in, PTX_B32, PTX_B32, PTX_B32, PTX_U32, 0);
    case PTX_OP_PRMT:
        return plain(p, in, PTX_B32, PTX_B32, PTX_B32, PTX_B32, 0);
    case PTX_OP_MOV:
        return check_mov(p, in);
    case PTX_OP_CVT:
        return check_cvt(p, in);
    case PTX_OP_CVTA:
        return check_cvta(p, in);
    case PTX_OP_ISSPACEP:
        DEMAND(in->mods.space != PTX_GENERIC, "the space (.global .shared ...) is missing in");
        TRY(count(p, in, 2, 2));
        TRY(operand(p, in, 0, PTX_PRED, DST));
        if (in->operand[1].kind != PTX_OPERAND_REG)
            return fail(p, p->operand_at[1], "a register is wanted in");
        return check_address_register(p, &in->operand[1], p->operand_at[1]);
    case PTX_OP_LD:
    case PTX_OP_LDU:
        return check_load(p, in);
    case PTX_OP_ST:
        return check_store(p, in);
    case PTX_OP_PREFETCH:
    case PTX_OP_PREFETCHU:
    case PTX_OP_APPLYPRIORITY:
        return check_prefetch(p, in);
    case PTX_OP_TEX:
    case PTX_OP_TLD4:
        return check_texture(p, in);
    case PTX_OP_SULD:
    case PTX_OP_SUST:
        return check_surface(p, in);
    case PTX_OP_CP_ASYNC:
        return check_async_copy(p, in);
    case PTX_OP_CP_COMMIT:
    case PTX_OP_CP_WAIT:
        return check_async_group(p, in);
    case PTX_OP_SHFL:
        return check_shfl(p, in);
    case PTX_OP_LDMATRIX:
    case PTX_OP_STMATRIX:
    case PTX_OP_MOVMATRIX:
        return check_matrix(p, in);
    case PTX_OP_MMA:
        return check_product(p, in);
    case PTX_OP_WMMA:
        return check_wmma(p, in);
    case PTX_OP_BRX:
        return check_brx(p, in);
    case PTX_OP_CALL:
        return check_call(p, in);
    case PTX_OP_BAR:
    case PTX_OP_BARRIER:
        return check_bar(p, in);
    case PTX_OP_MBARRIER:
        return check_mbarrier(p, in);
    case PTX_OP_CP_MBARRIER:
        TRY(count(p, in, 1, 1));
        return check_memory(p, in, 0);
    case PTX_OP_MEMBAR:
    case PTX_OP_FENCE:
        return check_fence(p, in);
    case PTX_OP_ATOM:
    case PTX_OP_RED:
        return check_atomic(p, in);
    case PTX_OP_VOTE:
        return check_vote(p, in);
    case PTX_OP_MATCH:
        return check_match(p, in);
    case PTX_OP_SZEXT:
    case PTX_OP_BMSK:
        DEMAND(in->mods.variant, "'.clamp' or '.wrap' is missing in");
        return plain(p, in, t, t, PTX_U32, 0, 0);
    case PTX_OP_FNS:
        return plain(p, in, PTX_B32, PTX_B32, PTX_B32, PTX_S32, 0);
    case PTX_OP_DISCARD:
        DEMAND(in->mods.variant == PTX_PREFETCH_L2 && !in->mods.scope, "the level (.L2) is missing in");
        DEMAND(in->mods.space == PTX_GENERIC || in->mods.space == PTX_GLOBAL, "this space does not go with");
        TRY(count(p, in, 2, 2));
        TRY(check_memory(p, in, 0));
        if (in->operand[1].kind != PTX_OPERAND_IMM || in->operand[1].imm != 128)
            return fail(p, p->operand_at[1], "the size is 128 in");
        return PARSED_OK;
    case PTX_OP_GRIDDEPCONTROL:
        DEMAND(in->mods.variant, "'.launch_dependents' or '.wait' is missing in");
        return count(p, in, 0, 0);
    case PTX_OP_ELECT:
        DEMAND(in->mods.sync, "'.sync' is missing in");
        TRY(count(p, in, 2, 2));
        TRY(check_result_pair(p, in, PTX_B32, true));
        return operand(p, in, 1, PTX_B32, IMM);
    case PTX_OP_ACTIVEMASK:
        TRY(count(p, in, 1, 1));
        return operand(p, in, 0, PTX_B32, DST);
    case PTX_OP_REDUX:
        return check_redux(p, in);
    case PTX_OP_NANOSLEEP:
        TRY(count(p, in, 1, 1));
        return operand(p, in, 0, PTX_U32, IMM);
    case PTX_OP_PMEVENT:
        TRY(count(p, in, 1, 1));
        if (in->operand[0].kind != PTX_OPERAND_IMM)
            return fail(p, p->operand_at[0], "a constant is wanted in");
        return operand(p, in, 0, PTX_U32, IMM);
    case PTX_OP_BRA:
        return PARSED_OK;
    default: /* ret exit trap brkpt */
        return count(p, in, 0, 0);
    }
}

/* mad.f32 of .target sm_1x names no rounding; devices from sm_20 on run it as mad.rn.ftz, which is fma.rn.ftz (PTX ISA, "mad", target notes). */
static void set_first_rounding(const struct parser *p, struct ptx_inst *in)
{
    if (in->op == PTX_OP_FMAD && in->mods.type[0] == PTX_F32 && !in->mods.round && p->m->arch < 20) {
        in->mods.round = PTX_RN;
        in->mods.ftz = true;
    }
}

enum parsed ptx_check(struct parser *p, struct ptx_inst *in)
{
    int t = in->mods.type[0];
    set_first_rounding(p, in);
    TRY(check_modifiers(p, in));
    switch (ptx_op_info[in->op].form) {
    case PTX_FORM_UN:
        return plain(p, in, t, t, 0, 0, 0);
    case PTX_FORM_BIN:
        return plain(p, in, t, t, t, 0, 0);
    case PTX_FORM_TRI:
        return plain(p, in, t, t, t, t, 0);
    case PTX_FORM_SHIFT:
        return plain(p, in, t, t, PTX_U32, 0, 0);
    case PTX_FORM_CNT:
        return plain(p, in, PTX_U32, t, 0, 0, 0);
    case PTX_FORM_WIDE2:
        return plain(p, in, twice(t), t, t, 0, 0);
    case PTX_FORM_WIDE3:
        return plain(p, in, twice(t), t, t, twice(t), 0);
    case PTX_FORM_SPECIAL:
        break;
    }
    return check_special(p, in);
}
