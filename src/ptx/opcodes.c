/* The words of an opcode: mul.wide.s32, ld.volatile.shared.v4.f32 (PTX ISA 8.4, section 9).
 *
 * The word, the selector (.lo .hi .wide .l .r) and the first type pick the row of ptx_ops.def; the row says which
 * modifiers may stand there. They are accepted in any order, as compilers differ. A word, type or modifier that is
 * not in the table is a problem of this instruction, not an error of the module. */
#include "ptx/opcode.h"
#include "base/alloc.h"
#include "ptx/parser.h"

#include <string.h>

enum { MAX_WORDS = 24 };

void ptx_names_init(struct parser *p)
{
    for (int op = PTX_OP_COUNT - 1; op > 0; op--) {
        struct ptx_name *n = ptx_name(&p->lx, ptx_op_info[op].word, strlen(ptx_op_info[op].word));
        p->next_row[op] = n->row;
        n->row = (int16_t)op;
    }
    for (int i = ptx_modifier_count - 1; i >= 0; i--)
        ptx_name(&p->lx, ptx_modifier[i].spelling, strlen(ptx_modifier[i].spelling))->mod = (int16_t)i;
    for (int i = 1; i < PTX_TYPE_COUNT; i++)
        ptx_name(&p->lx, ptx_type_info[i].spelling, strlen(ptx_type_info[i].spelling))->type = (int16_t)i;
    for (int i = 0; i < PTX_SREG_COUNT; i++)
        ptx_name(&p->lx, ptx_sreg_info[i].spelling, strlen(ptx_sreg_info[i].spelling))->sreg = (int16_t)i;
}

struct words {
    const char *word;
    const struct ptx_name *name;
    const struct token *dot[MAX_WORDS]; /* modifiers that are neither type nor selector */
    int ndots;
    enum ptx_sel sel;
    const struct token *sel_at;
};

static enum ptx_sel selector(const struct ptx_name *n)
{
    static const char *const spelling[] = {"", "lo", "hi", "wide", "l", "r"};
    for (int i = PTX_SEL_LO; i <= PTX_SEL_R; i++)
        if (ptx_same_text(n, spelling[i]))
            return (enum ptx_sel)i;
    return PTX_SEL_NONE;
}

/* Does a row of this word have selectors? */
static bool has_selectors(const struct parser *p, const struct ptx_name *word)
{
    for (int r = word->row; r; r = p->next_row[r])
        if (ptx_op_info[r].sel != PTX_SEL_NONE)
            return true;
    return false;
}

static enum parsed split_words(struct parser *p, struct ptx_inst *in, struct words *w)
{
    bool selectors = has_selectors(p, w->name);
    for (; p->tok->kind == TOK_DOT; p->tok++) {
        const struct ptx_name *n = p->tok->name;
        enum ptx_sel sel = selectors ? selector(n) : PTX_SEL_NONE;
        if (n->type) {
            if (in->mods.ntypes == sizeof in->mods.type)
                return ptx_problem(p, "type '.%s' of '%s'", n->s, w->word);
            in->mods.type[in->mods.ntypes++] = (uint8_t)n->type;
        } else if (sel && !w->sel) {
            w->sel = sel;
            w->sel_at = p->tok;
        } else {
            if (w->ndots == MAX_WORDS)
                return ptx_problem(p, "modifier '.%s' of '%s'", n->s, w->word);
            w->dot[w->ndots++] = p->tok;
        }
    }
    return PARSED_OK;
}

static bool type_fits(const struct ptx_op_info *row, const struct ptx_inst *in)
{
    return row->types >> (in->mods.ntypes ? in->mods.type[0] : PTX_NOTYPE) & 1;
}

static bool sel_fits(const struct ptx_op_info *row, enum ptx_sel sel)
{
    return row->sel == sel || (row->sel == PTX_SEL_ANY && sel);
}

/* No row fits: is it the selector, the type, or that there is no type? */
static enum parsed no_row(struct parser *p, const struct ptx_inst *in, const struct words *w)
{
    for (int i = 0; i < w->ndots; i++)
        if (w->dot[i]->name->mod < 0 && w->name->row != PTX_OP_CP_ASYNC) /* cp's are not in the table */
            return ptx_problem(p, "modifier '.%s' of '%s'", w->dot[i]->name->s, w->word);
    if (!in->mods.ntypes) {
        ptx_error(p, p->opcode, "'%s' needs a type", ptx_opcode_text(p));
        return PARSED_ERROR;
    }
    for (int r = w->name->row; r; r = p->next_row[r])
        if (type_fits(&ptx_op_info[r], in)) {
            if (w->sel)
                return ptx_problem(p, "modifier '.%s' of '%s'", w->sel_at->name->s, w->word);
            ptx_error(p, p->opcode, "'%s' needs %s", ptx_opcode_text(p),
                      strcmp(w->word, "shf") == 0 ? ".l or .r" : ".lo, .hi or .wide");
            return PARSED_ERROR;
        }
    return ptx_problem(p, "type '.%s' of '%s'", ptx_type_info[in->mods.type[0]].spelling, w->word);
}

static enum parsed contradiction(struct parser *p, const struct token *t)
{
    ptx_error(p, t, "modifier '.%s' contradicts another one of '%s'", t->name->s, ptx_opcode_text(p));
    return PARSED_ERROR;
}

/* The entry of the modifier table for this word in this row, or NULL. */
static const struct ptx_modifier *modifier(const struct ptx_name *n, uint64_t groups)
{
    for (int i = n->mod; i >= 0 && i < ptx_modifier_count; i++) {
        if (strcmp(ptx_modifier[i].spelling, n->s) != 0)
            break;
        if (ptx_modifier[i].group & groups)
            return &ptx_modifier[i];
    }
    return NULL;
}

static enum parsed set_modifiers(struct parser *p, struct ptx_inst *in, const struct words *w)
{
    const struct ptx_op_info *row = &ptx_op_info[in->op];
    for (int i = 0; i < w->ndots; i++) {
        const struct ptx_modifier *m = modifier(w->dot[i]->name, row->mods);
        if (!m)
            return ptx_problem(p, "modifier '.%s' of '%s'", w->dot[i]->name->s, w->word);
        uint8_t *field = (uint8_t *)&in->mods + m->field;
        if (*field)
            return contradiction(p, w->dot[i]);
        *field = m->value;
        if (m->group == MOD_CMP && (m->spelling[0] == 'h' || (m->spelling[0] == 'l' && strchr("os", m->spelling[1]))) &&
            ptx_type_info[in->mods.type[in->mods.ntypes - 1]].kind != 'U') {
            ptx_error(p, w->dot[i], "'.%s' compares unsigned types only", m->spelling);
            return PARSED_ERROR;
        }
        if (m->group == MOD_NAN && m->field == offsetof(struct ptx_mods, xorsign_abs)) {
            if (i + 1 == w->ndots || !ptx_same_text(w->dot[i + 1]->name, "abs"))
                return ptx_problem(p, "modifier '.xorsign' without '.abs' of '%s'", w->word);
            i++;
        }
    }
    if (!in->mods.vec)
        in->mods.vec = 1;
    return PARSED_OK;
}

/* bar and barrier: [.cta] (.sync | .arrive | .red.(popc|and|or)) [.aligned], or .warp.sync */
static enum parsed set_bar_modifiers(struct parser *p, struct ptx_inst *in, const struct words *w)
{
    static const char *const spelling[] = {"sync", "arrive", "red", "warp", "popc", "and", "or", "cta", "aligned"};
    enum { SYNC = 1, ARRIVE = 2, RED = 4, WARP = 8, POPC = 16, AND = 32, OR = 64, CTA = 128, ALIGNED = 256 };
    unsigned set = 0;
    for (int i = 0; i < w->ndots; i++) {
        unsigned bit = 0;
        for (unsigned k = 0; k < sizeof spelling / sizeof *spelling; k++)
            if (ptx_same_text(w->dot[i]->name, spelling[k]))
                bit = 1u << k;
        if (!bit || (bit == ALIGNED && !(ptx_op_info[in->op].mods & MOD_ALIGNED)))
            return ptx_problem(p, "modifier '.%s' of '%s'", w->dot[i]->name->s, w->word);
        if (set & bit)
            return contradiction(p, w->dot[i]);
        set |= bit;
    }
    in->mods.vec = 1;
    in->mods.aligned = set & ALIGNED || in->op == PTX_OP_BAR; /* bar is barrier.aligned */
    in->mods.sync = set & SYNC;
    static const struct {
        unsigned set;
        enum ptx_variant variant;
    } kinds[] = {{SYNC, PTX_BAR_SYNC},          {ARRIVE, PTX_BAR_ARRIVE},     {RED | POPC, PTX_BAR_RED_POPC},
                 {RED | AND, PTX_BAR_RED_AND},  {RED | OR, PTX_BAR_RED_OR}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if ((set & ~(unsigned)(CTA | ALIGNED)) == kinds[i].set)
            in->mods.variant = (uint8_t)kinds[i].variant;
    if (set == (WARP | SYNC) && in->op == PTX_OP_BAR)
        in->mods.variant = PTX_BAR_WARP;
    if (!in->mods.variant) {
        ptx_error(p, p->opcode, "'%s' is none of .sync, .arrive, .red.popc, .red.and, .red.or",
                  ptx_opcode_text(p));
        return PARSED_ERROR;
    }
    return PARSED_OK;
}

/* cp.async.(ca|cg).shared.global[.L2::cache_hint][.L2::128B], .commit_group, .wait_group, .wait_all (9.7.9.25): picks the row too. */
static enum parsed set_cp_modifiers(struct parser *p, struct ptx_inst *in, const struct words *w)
{
    static const char *const spelling[] = {"async", "ca", "cg", "shared", "shared::cta", "global", "commit_group",
                                           "wait_group", "wait_all", "L2::64B", "L2::128B", "L2::256B",
                                           "L2::cache_hint"};
    enum { ASYNC = 1, CA = 2, CG = 4, SHARED = 8, SHARED_CTA = 16, GLOBAL = 32, COMMIT = 64, WAIT_GROUP = 128,
           WAIT_ALL = 256, L2_64 = 512, L2_128 = 1024, L2_256 = 2048, HINT = 4096 };
    unsigned set = 0;
    for (int i = 0; i < w->ndots; i++) {
        unsigned bit = 0;
        for (unsigned k = 0; k < sizeof spelling / sizeof *spelling; k++)
            if (ptx_same_text(w->dot[i]->name, spelling[k]))
                bit = 1u << k;
        if (!bit) /* .bulk, .mbarrier, .reduce */
            return ptx_problem(p, "modifier '.%s' of '%s.%s'", w->dot[i]->name->s, w->word, w->dot[0]->name->s);
        if (set & bit)
            return contradiction(p, w->dot[i]);
        set |= bit;
    }
    unsigned l2 = set & (L2_64 | L2_128 | L2_256), what = set & ~(l2 | HINT);
    in->mods.vec = 1;
    if (what == (ASYNC | COMMIT) && what == set) {
        in->op = PTX_OP_CP_COMMIT;
        in->mods.variant = PTX_CP_COMMIT;
    } else if ((what == (ASYNC | WAIT_GROUP) || what == (ASYNC | WAIT_ALL)) && what == set) {
        in->op = PTX_OP_CP_WAIT;
        in->mods.variant = what & WAIT_ALL ? PTX_CP_WAIT_ALL : PTX_CP_WAIT_GROUP;
    } else if ((what & ~(unsigned)(CA | CG | SHARED | SHARED_CTA)) == (ASYNC | GLOBAL) &&
               __builtin_popcount(what & (CA | CG)) == 1 && __builtin_popcount(what & (SHARED | SHARED_CTA)) == 1 &&
               __builtin_popcount(l2) <= 1) {
        in->mods.variant = PTX_CP_COPY;
        in->mods.cache = what & CA ? PTX_CACHE_CA : PTX_CACHE_CG;
        in->mods.cache_hint = set & HINT;
        in->mods.l2_fetch = l2 == L2_64 ? 2 : l2 == L2_128 ? 4 : l2 == L2_256 ? 8 : 0;
    } else {
        ptx_error(p, p->opcode, "'%s' is none of cp.async.ca.shared.global, .cg.shared.global, .commit_group, .wait_group, "
                  ".wait_all", ptx_opcode_text(p));
        return PARSED_ERROR;
    }
    return PARSED_OK;
}

/* cp.async.mbarrier.arrive[.noinc][.shared[::cta]].b64 (9.7.13.15.16); cp.async.bulk is not there */
static enum parsed set_cp_mbarrier_modifiers(struct parser *p, struct ptx_inst *in, const struct words *w)
{
    static const char *const wanted[] = {"async", "mbarrier", "arrive"};
    in->mods.vec = 1;
    for (int i = 0; i < w->ndots; i++) {
        const struct ptx_name *n = w->dot[i]->name;
        bool noinc = ptx_same_text(n, "noinc"), shared = ptx_same_text(n, "shared") || ptx_same_text(n, "shared::cta");
        if (i < 3 ? !ptx_same_text(n, wanted[i]) : !noinc && !shared)
            return ptx_problem(p, "modifier '.%s' of '%s.%s'", n->s, w->word, w->dot[0]->name->s);
        if ((noinc && in->mods.noinc) || (shared && in->mods.space))
            return contradiction(p, w->dot[i]);
        in->mods.noinc |= noinc;
        if (shared)
            in->mods.space = PTX_SHARED;
    }
    if (w->ndots >= 3)
        return PARSED_OK;
    ptx_error(p, p->opcode, "'%s' is not cp.async.mbarrier.arrive", ptx_opcode_text(p));
    return PARSED_ERROR;
}

static int geometry(const struct ptx_name *n)
{
    static const char *const spelling[] = {"1d", "2d", "3d", "a1d", "a2d", "cube", "acube"};
    for (int g = 0; g < 7; g++)
        if (ptx_same_text(n, spelling[g]))
            return PTX_TEX_1D + g;
    return 0;
}

/* tex[.level].GEOMETRY.v4.dtype.ctype, tld4.(r|g|b|a).2d.v4.dtype.f32 (9.7.9.26) */
static enum parsed set_tex_modifiers(struct parser *p, struct ptx_inst *in, const struct words *w)
{
    bool gather = in->op == PTX_OP_TLD4, component = false;
    for (int i = 0; i < w->ndots; i++) {
        const struct ptx_name *n = w->dot[i]->name;
        int g = geometry(n);
        const char *c = gather && n->s[0] && !n->s[1] ? strchr("rgba", n->s[0]) : NULL;
        bool level = !gather && ptx_same_text(n, "level"), v4 = ptx_same_text(n, "v4");
        if ((!g && !level && !v4 && !c) || (gather && g && g != PTX_TEX_2D)) /* .grad .v2 ... */
            return ptx_problem(p, "modifier '.%s' of '%s'", n->s, w->word);
        if ((g && in->mods.variant) || (level && in->mods.lod) || (v4 && in->mods.vec) || (c && component))
            return contradiction(p, w->dot[i]);
        if (g)
            in->mods.variant = (uint8_t)g;
        if (c)
            in->mods.component = (uint8_t)(c - "rgba");
        component |= c != NULL;
        in->mods.lod |= level;
        in->mods.vec = v4 ? 4 : in->mods.vec;
    }
    if (in->mods.variant && in->mods.vec && component == gather)
        return PARSED_OK;
    ptx_error(p, p->opcode,
              gather ? "'%s' needs .r, .g, .b or .a, .2d and .v4"
                     : "'%s' needs .1d, .2d, .3d, .a1d, .a2d, .cube or .acube, and .v4",
              ptx_opcode_text(p));
    return PARSED_ERROR;
}

/* suld.b.GEOMETRY[.v2|.v4].type.(trap|clamp|zero), sust.b the same (9.7.10.1, 9.7.10.2) */
static enum parsed set_surface_modifiers(struct parser *p, struct ptx_inst *in, const struct words *w)
{
    static const char *const bounds[] = {"trap", "clamp", "zero"};
    bool raw = false, bounded = false;
    for (int i = 0; i < w->ndots; i++) {
        const struct ptx_name *n = w->dot[i]->name;
        int g = geometry(n), k = 0, vec = ptx_same_text(n, "v2") ? 2 : ptx_same_text(n, "v4") ? 4 : 0;
        while (k < 3 && !ptx_same_text(n, bounds[k]))
            k++;
        bool b = ptx_same_text(n, "b");
        if ((!g && !vec && k == 3 && !b) || g >= PTX_TEX_CUBE) /* .p .ca ... */
            return ptx_problem(p, "modifier '.%s' of '%s'", n->s, w->word);
        if ((g && in->mods.variant) || (vec && in->mods.vec) || (k < 3 && bounded) || (b && raw))
            return contradiction(p, w->dot[i]);
        if (g)
            in->mods.variant = (uint8_t)g;
        if (k < 3)
            in->mods.bounds = (uint8_t)k;
        in->mods.vec = vec ? (uint8_t)vec : in->mods.vec;
        raw |= b;
        bounded |= k < 3;
    }
    in->mods.vec = in->mods.vec ? in->mods.vec : 1;
    if (in->mods.variant && raw && bounded)
        return PARSED_OK;
    ptx_error(p, p->opcode, "'%s' needs .b, .1d, .2d, .3d, .a1d or .a2d, and .trap, .clamp or .zero", ptx_opcode_text(p));
    return PARSED_ERROR;
}

/* createpolicy.fractional.L2::first[.L2::second], .range[.global].L2::first[.L2::second], .cvt.L2 (9.7.9.18) */
static enum parsed set_policy_modifiers(struct parser *p, struct ptx_inst *in, const struct words *w)
{
    static const char *const kinds[] = {"fractional", "range", "cvt"};
    static const char *const priority[] = {"L2::evict_normal", "L2::evict_unchanged", "L2::evict_first", "L2::evict_last"};
    int given = 0;
    bool level = false;
    in->mods.vec = 1;
    for (int i = 0; i < w->ndots; i++) {
        const struct ptx_name *n = w->dot[i]->name;
        int kind = 0, evict = 0;
        while (i == 0 && kind < 3 && !ptx_same_text(n, kinds[kind]))
            kind++;
        while (evict < 4 && !ptx_same_text(n, priority[evict]))
            evict++;
        if (i == 0 && kind < 3)
            in->mods.variant = (uint8_t)(PTX_POLICY_FRACTIONAL + kind);
        else if (in->mods.variant == PTX_POLICY_RANGE && i == 1 && ptx_same_text(n, "global"))
            in->mods.space = PTX_GLOBAL;
        else if (in->mods.variant == PTX_POLICY_CVT && i == 1 && ptx_same_text(n, "L2"))
            level = true;
        else if (i && in->mods.variant != PTX_POLICY_CVT && evict < 4 && given < 2)
            in->mods.l2_evict[given++] = (uint8_t)(PTX_EVICT_NORMAL + evict);
        else
            return ptx_problem(p, "modifier '.%s' of '%s'", n->s, w->word);
    }
    if (in->mods.variant && (given || level))
        return PARSED_OK;
    ptx_error(p, p->opcode, "'%s' needs .fractional or .range and a priority (.L2::evict_last ...), or .cvt.L2",
              ptx_opcode_text(p));
    return PARSED_ERROR;
}

/* cvt.pack.sat.(u16|s16).s32, cvt.pack.sat.(u8|s8|u4|s4|u2|s2).s32.b32 (9.7.9.22) */
static enum parsed set_pack_modifiers(struct parser *p, struct ptx_inst *in, const struct words *w)
{
    static const char *const small[] = {"u4", "s4", "u2", "s2"};
    struct ptx_mods *m = &in->mods;
    m->vec = 1;
    for (int i = 1; i < w->ndots; i++) {
        const struct ptx_name *n = w->dot[i]->name;
        int k = 0;
        while (k < 4 && !ptx_same_text(n, small[k]))
            k++;
        if (k < 4 && !m->pack_bits) {
            m->pack_bits = k < 2 ? 4 : 2;
            m->pack_signed = k & 1;
        } else if (ptx_same_text(n, "sat") && !m->sat) {
            m->sat = true;
        } else {
            return ptx_problem(p, "modifier '.%s' of 'cvt.pack'", n->s);
        }
    }
    int first = 0;
    if (!m->pack_bits) {
        const struct ptx_type_info *t = &ptx_type_info[m->type[first++]];
        m->pack_bits = (uint8_t)t->bits;
        m->pack_signed = t->kind == 'S';
    }
    if (m->sat && m->pack_bits <= 16 && m->type[first] == PTX_S32 &&
        (m->pack_bits == 16 ? m->ntypes == first + 1 : m->ntypes == first + 2 && m->type[first + 1] == PTX_B32))
        return PARSED_OK;
    ptx_error(p, p->opcode, "'%s' is none of cvt.pack.sat.u16.s32, .s16.s32, and .u8.s32.b32 with .s8 .u4 .s4 .u2 .s2",
              ptx_opcode_text(p));
    return PARSED_ERROR;
}

/* "wgmma.mma_async": the word and the first modifier that is no type, as the ISA's chapters are called. */
static enum parsed unknown_word(struct parser *p)
{
    const struct token *word = p->tok++;
    const struct token *dot = p->tok;
    while (p->tok->kind == TOK_DOT)
        p->tok++;
    if (dot->kind == TOK_DOT && !dot->name->type)
        return ptx_problem(p, "instruction '%s.%s'", word->name->s, dot->name->s);
    return ptx_problem(p, "instruction '%s'", word->name->s);
}

/* From the word to the last modifier; fills op and mods. The opcode's tokens are consumed in any case. */
enum parsed ptx_parse_opcode(struct parser *p, struct ptx_inst *in)
{
    struct words w = {.name = p->tok->name, .word = p->tok->name->s};
    p->opcode = p->tok;
    p->opcode_end = p->tok + 1;
    while (p->opcode_end->kind == TOK_DOT)
        p->opcode_end++;
    if (!w.name->row)
        return unknown_word(p);
    p->tok++;
    enum parsed r = split_words(p, in, &w);
    p->tok = p->opcode_end;
    if (r != PARSED_OK)
        return r;
    for (int op = w.name->row; op && !in->op; op = p->next_row[op])
        if (type_fits(&ptx_op_info[op], in) && sel_fits(&ptx_op_info[op], w.sel))
            in->op = (uint16_t)op;
    if (!in->op)
        return no_row(p, in, &w);
    in->mods.sel = (uint8_t)w.sel;
    int parts = ptx_video_parts(in->op); /* of pairs and quadruples all are written, from those of a and of b */
    if (parts > 1)
        memcpy(in->mods.part, parts == 2 ? (uint32_t[]){3, 0x10, 0x32} : (uint32_t[]){15, 0x3210, 0x7654},
               sizeof in->mods.part);
    if (in->op == PTX_OP_SULD || in->op == PTX_OP_SUST)
        return set_surface_modifiers(p, in, &w);
    if (in->op == PTX_OP_TEX || in->op == PTX_OP_TLD4)
        return set_tex_modifiers(p, in, &w);
    if (in->op == PTX_OP_CVT && w.ndots && ptx_same_text(w.dot[0]->name, "pack"))
        in->op = PTX_OP_CVT_PACK;
    if (in->op == PTX_OP_CVT_PACK)
        return set_pack_modifiers(p, in, &w);
    if (in->op == PTX_OP_CREATEPOLICY)
        return set_policy_modifiers(p, in, &w);
    if (in->op == PTX_OP_CP_ASYNC)
        return set_cp_modifiers(p, in, &w);
    if (in->op == PTX_OP_CP_MBARRIER)
        return set_cp_mbarrier_modifiers(p, in, &w);
    if (in->op == PTX_OP_MMA || in->op == PTX_OP_WMMA)
        return ptx_parse_product(p, in, w.dot, w.ndots);
    if (ptx_op_info[in->op].mods & MOD_BAR)
        return set_bar_modifiers(p, in, &w);
    return set_modifiers(p, in, &w);
}

/* --- opcodes without a module --- */

struct ptx_opcodes {
    struct parser p;
    struct ptx_module none;
    struct diag_list diags;
};

struct ptx_opcodes *ptx_opcodes_new(struct arena *arena)
{
    struct ptx_opcodes *o = alloc_zeroed(sizeof *o);
    diag_init(&o->diags);
    arena_init(&o->p.scratch);
    o->none.name = "opcode";
    o->none.text = "";
    o->p.m = &o->none;
    o->p.diags = &o->diags;
    o->p.arena = arena;
    ptx_lex(&o->p.lx, "", 0, arena);
    ptx_names_init(&o->p);
    return o;
}

void ptx_opcodes_free(struct ptx_opcodes *o)
{
    ptx_lex_release(&o->p.lx);
    arena_release(&o->p.scratch);
    diag_release(&o->diags);
    alloc_release(o);
}

size_t ptx_opcodes_read(struct ptx_opcodes *o, const char *text, size_t len, enum ptx_op *op, struct ptx_mods *mods)
{
    struct parser *p = &o->p;
    struct ptx_inst in = {.guard = -1};
    size_t n = 0;
    while (n < len && !strchr(" \t\n", text[n]))
        n++;
    ptx_lex_another(&p->lx, arena_strndup(p->arena, text, n), n);
    p->tok = p->lx.tok;
    if (p->tok->kind != TOK_WORD || ptx_parse_opcode(p, &in) != PARSED_OK || p->tok->kind != TOK_END)
        return 0;
    *op = (enum ptx_op)in.op;
    *mods = in.mods;
    return n;
}
