/* One instruction as text, in normal form: modifiers in the order of the ISA, one space, 0f and 0d constants.
 *
 * What the checker filled in is printed too (the space of a named address), so that parsing the text again gives the
 * same instruction. PTX_OP_UNKNOWN is printed as it was written, without comments and line breaks. */
#include "base/strbuf.h"
#include "ptx/opcode.h"
#include "ptx/parser.h"

#include <string.h>

static const char *spelling_of(uint64_t group, size_t field, int value)
{
    for (int i = 0; i < ptx_modifier_count; i++)
        if ((ptx_modifier[i].group & group) && ptx_modifier[i].field == field &&
            ptx_modifier[i].value == value)
            return ptx_modifier[i].spelling;
    return "?";
}

static void word(struct strbuf *out, const char *s)
{
    strbuf_add(out, ".", 1);
    strbuf_adds(out, s);
}

static void flag(struct strbuf *out, bool set, const char *s)
{
    if (set)
        word(out, s);
}

/* The modifier of `group` that is kept in `field`, when it is set. */
#define FIELD(group, field)                                                                        \
    do {                                                                                           \
        if ((row->mods & (group)) && m->field)                                                     \
            word(out, spelling_of(row->mods & (group), offsetof(struct ptx_mods, field), m->field)); \
    } while (0)

static void print_bar(enum ptx_op op, const struct ptx_mods *m, struct strbuf *out)
{
    switch (m->variant) {
    case PTX_BAR_WARP:
        word(out, "warp.sync");
        break;
    case PTX_BAR_ARRIVE:
        word(out, "arrive");
        break;
    case PTX_BAR_RED_POPC:
        word(out, "red.popc");
        break;
    case PTX_BAR_RED_AND:
        word(out, "red.and");
        break;
    case PTX_BAR_RED_OR:
        word(out, "red.or");
        break;
    default:
        word(out, "sync");
    }
    flag(out, m->aligned && op != PTX_OP_BAR, "aligned");
}

/* opcodes.c reads them without the table of modifiers */
static void print_cp(const struct ptx_mods *m, struct strbuf *out)
{
    static const char *const what[] = {"", ".commit_group", ".wait_group", ".wait_all"};
    strbuf_addf(out, ".async%s", what[m->variant - PTX_CP_COPY]);
    if (m->variant != PTX_CP_COPY)
        return;
    strbuf_addf(out, ".%s.shared.global", m->cache == PTX_CACHE_CA ? "ca" : "cg");
    flag(out, m->cache_hint, "L2::cache_hint");
    if (m->l2_fetch)
        strbuf_addf(out, ".L2::%dB", 32 * m->l2_fetch);
}

static void print_mbarrier(const struct ptx_mods *m, struct strbuf *out)
{
    word(out, spelling_of(MOD_MBAR, offsetof(struct ptx_mods, variant), m->variant));
    flag(out, m->no_complete, "noComplete");
    flag(out, m->parity, "parity");
}

static void print_policy(const struct ptx_mods *m, struct strbuf *out)
{
    static const char *const kinds[] = {".fractional", ".range", ".cvt.L2"};
    static const char *const priority[] = {"normal", "unchanged", "first", "last"};
    strbuf_adds(out, kinds[m->variant - PTX_POLICY_FRACTIONAL]);
    flag(out, m->space == PTX_GLOBAL, "global");
    for (int i = 0; i < 2; i++)
        if (m->l2_evict[i])
            strbuf_addf(out, ".L2::evict_%s", priority[m->l2_evict[i] - PTX_EVICT_NORMAL]);
}

static void print_matrix(const struct ptx_mods *m, struct strbuf *out)
{
    flag(out, m->sync, "sync");
    flag(out, m->aligned, "aligned");
    word(out, ptx_shape_info[m->shape].spelling);
    if (m->matrices)
        strbuf_addf(out, ".x%d", m->matrices);
    flag(out, m->trans, "trans");
}

static void print_product(enum ptx_op op, const struct ptx_mods *m, struct strbuf *out)
{
    static const char *const what[] = {".load.a", ".load.b", ".load.c", ".store.d", ".mma"};
    bool wmma = op == PTX_OP_WMMA, one = wmma && m->variant != PTX_WMMA_MMA;
    strbuf_adds(out, wmma ? what[m->variant - PTX_WMMA_LOAD_A] : "");
    if (wmma && m->boolop)
        strbuf_addf(out, ".%s.popc", m->boolop == PTX_BOOL_XOR ? "xor" : "and");
    strbuf_addf(out, ".sync.aligned.%s", ptx_shape_info[m->shape].spelling);
    for (int i = 0; i < 2 - one; i++)
        word(out, m->layout[i] == PTX_LAYOUT_ROW ? "row" : "col");
    flag(out, m->space == PTX_GLOBAL, "global");
    flag(out, m->space == PTX_SHARED, "shared");
    flag(out, m->satfinite, "satfinite");
    if (one || (wmma && m->element[0] == PTX_ELEMENT_F16))
        for (int i = 0; i < (one ? 1 : 2); i++)
            word(out, one && m->element[0] ? ptx_element_info[m->element[0]].spelling : ptx_type_info[m->type[i]].spelling);
    else
        strbuf_addf(out, ".%s.%s.%s.%s", ptx_type_info[m->type[0]].spelling, ptx_element_info[m->element[0]].spelling,
                    ptx_element_info[m->element[1]].spelling, ptx_type_info[m->type[1]].spelling);
    flag(out, m->round, "rn");
    if (!wmma && m->boolop)
        strbuf_addf(out, ".%s.popc", m->boolop == PTX_BOOL_XOR ? "xor" : "and");
}

void ptx_print_opcode(enum ptx_op op, const struct ptx_mods *m, struct strbuf *out)
{
    static const char *const sel[] = {"", "lo", "hi", "wide", "l", "r", ""};
    static const char *const geometry[] = {"1d", "2d", "3d", "a1d", "a2d", "cube", "acube"};
    const struct ptx_op_info *row = &ptx_op_info[op];
    bool bar = row->mods & MOD_BAR, prefetch = row->mods & MOD_LEVEL;
    strbuf_adds(out, row->word);
    if (op == PTX_OP_MMA || op == PTX_OP_WMMA) {
        print_product(op, m, out);
        return;
    }
    if (bar)
        print_bar(op, m, out);
    flag(out, m->lod, "level");
    if (op == PTX_OP_TLD4)
        strbuf_addf(out, ".%c", "rgba"[m->component]);
    flag(out, op == PTX_OP_SULD || op == PTX_OP_SUST, "b");
    if (m->variant >= PTX_TEX_1D && m->variant <= PTX_TEX_ACUBE)
        strbuf_addf(out, ".%s", geometry[m->variant - PTX_TEX_1D]);
    if (m->variant >= PTX_CP_COPY && m->variant <= PTX_CP_WAIT_ALL)
        print_cp(m, out);
    if (op == PTX_OP_MBARRIER)
        print_mbarrier(m, out);
    if (op == PTX_OP_CP_MBARRIER) {
        strbuf_adds(out, m->noinc ? ".async.mbarrier.arrive.noinc" : ".async.mbarrier.arrive");
        flag(out, m->space == PTX_SHARED, "shared");
    }
    if (op == PTX_OP_CREATEPOLICY)
        print_policy(m, out);
    flag(out, op == PTX_OP_CVT_PACK, "pack");
    flag(out, m->to, "to");
    flag(out, m->mmio, "mmio");
    FIELD(MOD_MEM, order);
    FIELD(MOD_MEM | MOD_LEVEL, scope);
    flag(out, m->approx, "approx");
    flag(out, m->full, "full");
    FIELD(MOD_RND, round);
    flag(out, m->sel != PTX_SEL_NONE, sel[m->sel]);
    FIELD(MOD_CMP, cmp);
    FIELD(MOD_BOOL, boolop);
    if (row->mods & MOD_MATRIX)
        print_matrix(m, out);
    FIELD(MOD_SPACE | MOD_CLUSTER, space);
    FIELD(MOD_CACHE, cache);
    flag(out, m->nc, "nc");
    FIELD(MOD_CACHE, evict);
    flag(out, m->cache_hint && row->mods & MOD_CACHE, "L2::cache_hint");
    FIELD(MOD_CACHE, l2_fetch);
    if (row->mods & MOD_MATCH)
        FIELD(MOD_MATCH, variant);
    flag(out, m->sync && !bar && !m->shape, "sync");
    FIELD(MOD_ATOMIC, atomic);
    flag(out, m->noftz, "noftz");
    flag(out, m->cache_hint && row->mods & MOD_ATOMIC, "L2::cache_hint");
    flag(out, m->abs, "abs");
    FIELD(MOD_SHFL | MOD_VOTE | MOD_SHF | MOD_TESTP | MOD_GRID, variant);
    if (prefetch)
        FIELD(MOD_LEVEL, variant);
    flag(out, m->relu, "relu");
    flag(out, m->satfinite, "satfinite");
    flag(out, m->ftz, "ftz");
    flag(out, m->nan, "NaN");
    flag(out, m->xorsign_abs, "xorsign.abs");
    flag(out, m->sat, "sat");
    flag(out, m->cc, "cc");
    flag(out, m->shiftamt, "shiftamt");
    flag(out, m->idx, "idx");
    flag(out, m->uni, "uni");
    flag(out, m->mask, "mask");
    if (m->vec > 1 && !m->shape)
        strbuf_addf(out, ".v%d", m->vec);
    if (m->pack_bits && m->pack_bits < 8)
        strbuf_addf(out, ".%c%d", m->pack_signed ? 's' : 'u', m->pack_bits);
    for (int i = 0; i < m->ntypes; i++)
        word(out, ptx_type_info[m->type[i]].spelling);
    if (op == PTX_OP_SULD || op == PTX_OP_SUST)
        word(out, m->bounds == PTX_BOUNDS_TRAP ? "trap" : m->bounds == PTX_BOUNDS_CLAMP ? "clamp" : "zero");
    FIELD(MOD_PRMT, variant);
    FIELD(MOD_VIDEO, atomic);
    flag(out, m->plus_one, "po");
    if (m->scale)
        strbuf_addf(out, ".shr%d", m->scale);
}
#undef FIELD

static void print_imm(const struct ptx_operand *o, struct strbuf *out)
{
    if (o->imm_type == PTX_F32)
        strbuf_addf(out, "0f%08X", (unsigned)o->imm);
    else if (o->imm_type == PTX_F64)
        strbuf_addf(out, "0d%016llX", (unsigned long long)o->imm);
    else if (o->imm_type == PTX_U64)
        strbuf_addf(out, "%lluU", (unsigned long long)o->imm);
    else
        strbuf_addf(out, "%lld", (long long)o->imm);
}

static void print_operand(const struct ptx_function *f, const struct ptx_operand *o, struct strbuf *out);

static void print_elements(const struct ptx_function *f, const struct ptx_operand *o, const char *open,
                           const char *between, const char *close, struct strbuf *out)
{
    strbuf_adds(out, open);
    for (int i = 0; i < o->n; i++) {
        if (i)
            strbuf_adds(out, between);
        print_operand(f, &o->elem[i], out);
    }
    strbuf_adds(out, close);
}

static void print_offset(const struct ptx_operand *o, struct strbuf *out)
{
    if (o->offset)
        strbuf_addf(out, "+%lld", (long long)o->offset);
}

static void print_operand(const struct ptx_function *f, const struct ptx_operand *o, struct strbuf *out)
{
    if (o->negated)
        strbuf_add(out, "!", 1);
    switch ((enum ptx_operand_kind)o->kind) {
    case PTX_OPERAND_REG:
        strbuf_adds(out, f->regs[o->reg].name);
        break;
    case PTX_OPERAND_IMM:
        print_imm(o, out);
        break;
    case PTX_OPERAND_SREG:
        strbuf_adds(out, ptx_sreg_info[o->sreg].spelling);
        break;
    case PTX_OPERAND_VAR:
        strbuf_adds(out, o->var->name);
        print_offset(o, out);
        break;
    case PTX_OPERAND_FUNC:
        strbuf_adds(out, o->func->name);
        break;
    case PTX_OPERAND_LABEL:
        strbuf_adds(out, f->labels[o->label].name);
        break;
    case PTX_OPERAND_MEM:
        strbuf_add(out, "[", 1);
        print_operand(f, o->elem, out);
        print_offset(o, out);
        if (o->n > 1) { /* tex */
            struct ptx_operand at = {.n = (uint8_t)(o->n - 1), .elem = o->elem + 1};
            print_elements(f, &at, ", {", ", ", "}", out);
        }
        strbuf_add(out, "]", 1);
        break;
    case PTX_OPERAND_VECTOR:
        print_elements(f, o, "{", ", ", "}", out);
        break;
    case PTX_OPERAND_PAIR:
        print_elements(f, o, "", "|", "", out);
        break;
    case PTX_OPERAND_LIST:
        print_elements(f, o, "(", ", ", ")", out);
        break;
    case PTX_OPERAND_PROTO:
        strbuf_adds(out, o->proto->name);
        break;
    case PTX_OPERAND_SINK:
        strbuf_add(out, "_", 1);
        break;
    }
}

/* The statement as written: white space and comments become one space. */
static void print_source(const struct ptx_inst *in, struct strbuf *out)
{
    const char *s = in->text, *end = in->text + in->text_len;
    bool space = false;
    for (; s < end; s++) {
        if (s[0] == '/' && s + 1 < end && (s[1] == '/' || s[1] == '*')) {
            bool line = s[1] == '/';
            for (s += 2; s < end && !(line ? *s == '\n' : s[-1] == '*' && s[0] == '/'); s++)
                ;
            space = true;
        } else if (strchr(" \t\r\n\f\v", *s)) {
            space = true;
        } else {
            if (space)
                strbuf_add(out, " ", 1);
            space = false;
            strbuf_add(out, s, 1);
        }
    }
}

/* -%r1.b0, %r2.h10, %r3.b7654 */
static void print_video_operand(const struct ptx_function *f, const struct ptx_inst *in, int i, struct strbuf *out)
{
    static const char *const names[] = {"", ".b0", ".b1", ".b2", ".b3", ".h0", ".h1"};
    int parts = ptx_video_parts(in->op), wide = parts == 2 ? 2 : 4;
    uint32_t part = i < 3 ? in->mods.part[i] : 0;
    if (i && in->mods.minus >> (i - 1) & 1)
        strbuf_add(out, "-", 1);
    print_operand(f, &in->operand[i], out);
    if (parts == 1) {
        strbuf_adds(out, names[part]);
        return;
    }
    if (i > 2 || in->operand[i].kind != PTX_OPERAND_REG || (!i && part == (1u << wide) - 1))
        return;
    strbuf_adds(out, parts == 2 ? ".h" : ".b");
    for (int k = wide - 1; k >= 0; k--)
        if (i || part >> k & 1)
            strbuf_addf(out, "%d", i ? (int)(part >> 4 * k & 15) : k);
}

void ptx_print_inst(const struct ptx_function *f, const struct ptx_inst *in, struct strbuf *out)
{
    if (in->op == PTX_OP_UNKNOWN) {
        print_source(in, out);
        strbuf_add(out, ";", 1);
        return;
    }
    if (in->guard >= 0)
        strbuf_addf(out, "@%s%s ", in->guard_negated ? "!" : "", f->regs[in->guard].name);
    ptx_print_opcode((enum ptx_op)in->op, &in->mods, out);
    bool first = true;
    for (int i = 0; i < in->noperands; i++) {
        const struct ptx_operand *o = &in->operand[i];
        if (o->kind == PTX_OPERAND_LIST && o->n == 0)
            continue;
        strbuf_adds(out, first ? " " : ", ");
        first = false;
        if (ptx_video_parts(in->op))
            print_video_operand(f, in, i, out);
        else
            print_operand(f, o, out);
    }
    strbuf_add(out, ";", 1);
}
