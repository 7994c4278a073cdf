/* Products of matrices: the words of mma and wmma (PTX ISA 8.4, sections 9.7.13.3 and 9.7.13.4).
 *
 *   mma.sync.aligned.SHAPE.row.col{.satfinite}.D.A.B.C, and of single bits .D.b1.b1.C.xor.popc, of f64 perhaps .rn
 *   wmma.mma.sync.aligned.LAYOUT.LAYOUT.SHAPE{.satfinite}.D.A.B.C, of f16 .D.C, and of single bits .mma.xor.popc
 *   wmma.load.MATRIX.sync.aligned.LAYOUT.SHAPE{.SPACE}.TYPE, wmma.store.d likewise
 *
 * Types of elements are types of PTX or words that PTX has for matrices only (s4, u4, b1). Out: mods.type D's and C's, mods.element
 * A's and B's. */
#include "ptx/parser.h"

#include <string.h>

static int shape_of(const struct ptx_name *n)
{
    for (int s = 1; s < PTX_SHAPE_COUNT; s++)
        if (ptx_shape_info[s].k && ptx_same_text(n, ptx_shape_info[s].spelling))
            return s;
    return 0;
}

static int element_of(const char *spelling)
{
    for (int e = 1; e < PTX_ELEMENT_COUNT; e++)
        if (!strcmp(ptx_element_info[e].spelling, spelling))
            return e;
    return 0;
}

/* What may be said twice, of A and of B. False: it was said before. */
static bool note(uint8_t *of, int value)
{
    if (of[1])
        return false;
    of[of[0] ? 1 : 0] = (uint8_t)value;
    return true;
}

static enum ptx_space space_of(const struct ptx_name *n)
{
    return ptx_same_text(n, "global") ? PTX_GLOBAL : ptx_same_text(n, "shared") || ptx_same_text(n, "shared::cta") ? PTX_SHARED : PTX_GENERIC;
}

/* One modifier. 0: there is none of this name; -1: it contradicts another one. */
static int read_word(struct ptx_mods *m, const struct ptx_name *n, bool *popc)
{
    static const char *const spelling[] = {"sync", "aligned", "satfinite", "popc"};
    bool *const flag[] = {&m->sync, &m->aligned, &m->satfinite, popc};
    int shape = shape_of(n), element = element_of(n->s);
    enum ptx_space space = m->variant && m->variant != PTX_WMMA_MMA ? space_of(n) : PTX_GENERIC;
    if (space) {
        bool again = m->space;
        m->space = (uint8_t)space;
        return again ? -1 : 1;
    }
    bool row = ptx_same_text(n, "row"), xor = ptx_same_text(n, "xor");
    for (int i = 0; i < 4; i++)
        if (ptx_same_text(n, spelling[i])) {
            bool again = *flag[i];
            *flag[i] = true;
            return again ? -1 : 1;
        }
    if (ptx_same_text(n, "rn")) { /* products are rounded so */
        bool again = m->round;
        m->round = PTX_RN;
        return again ? -1 : 1;
    }
    if (row || ptx_same_text(n, "col"))
        return note(m->layout, row ? PTX_LAYOUT_ROW : PTX_LAYOUT_COL) ? 1 : -1;
    if (element)
        return note(m->element, element) ? 1 : -1;
    if (xor || ptx_same_text(n, "and")) {
        bool again = m->boolop;
        m->boolop = xor ? PTX_BOOL_XOR : PTX_BOOL_AND;
        return again ? -1 : 1;
    }
    if (!shape)
        return 0;
    bool again = m->shape;
    m->shape = (uint8_t)shape;
    return again ? -1 : 1;
}

/* wmma.load.a: its first words, two or, of wmma.mma, one; 0: they are none of wmma's. */
static int read_wmma(struct ptx_mods *m, const struct token *const *dot, int n)
{
    static const struct {
        const char *first, *second;
    } words[] = {{"load", "a"}, {"load", "b"}, {"load", "c"}, {"store", "d"}, {"mma", NULL}};
    for (int i = 0; i < 5; i++)
        if (n > 1 && ptx_same_text(dot[0]->name, words[i].first) && (!words[i].second || ptx_same_text(dot[1]->name, words[i].second))) {
            m->variant = (uint8_t)(PTX_WMMA_LOAD_A + i);
            return words[i].second ? 2 : 1;
        }
    return 0;
}

/* A load or store has one type: of A and B an element, of C and D a type of sums. */
static bool sort_type(struct ptx_mods *m)
{
    bool sum = m->variant == PTX_WMMA_LOAD_C || m->variant == PTX_WMMA_STORE_D;
    if (m->ntypes + (m->element[0] != 0) != 1 || m->element[1])
        return false;
    if (sum)
        return m->ntypes;
    if (m->ntypes)
        m->element[0] = (uint8_t)element_of(ptx_type_info[m->type[0]].spelling);
    m->element[1] = m->element[0];
    return m->element[0];
}

/* From the types as they are written, D A B C or D C, to those of D and C and elements. */
static bool sort_types(struct ptx_mods *m)
{
    if (m->variant && m->variant != PTX_WMMA_MMA)
        return sort_type(m);
    if (m->variant && m->ntypes == 2 && !m->element[0])
        m->element[0] = m->element[1] = PTX_ELEMENT_F16;
    if (m->ntypes == 4) {
        if (m->element[0])
            return false;
        for (int i = 0; i < 2; i++)
            m->element[i] = (uint8_t)element_of(ptx_type_info[m->type[1 + i]].spelling);
        m->type[1] = m->type[3];
        m->type[2] = m->type[3] = 0;
        m->ntypes = 2;
    }
    return m->ntypes == 2 && m->element[0] && m->element[1];
}

enum parsed ptx_parse_product(struct parser *p, struct ptx_inst *in, const struct token *const *dot, int n)
{
    struct ptx_mods *m = &in->mods;
    bool popc = false;
    bool wmma = in->op == PTX_OP_WMMA;
    int first = wmma ? read_wmma(m, dot, n) : 0;
    m->vec = 1;
    for (int i = first; i < n; i++) {
        int known = read_word(m, dot[i]->name, &popc);
        if (!known) /* .sp ... */
            return ptx_problem(p, "modifier '.%s' of '%s'", dot[i]->name->s, ptx_op_info[in->op].word);
        if (known < 0) {
            ptx_error(p, dot[i], "modifier '.%s' contradicts another one of '%s'", dot[i]->name->s, ptx_opcode_text(p));
            return PARSED_ERROR;
        }
    }
    bool one = wmma && m->variant != PTX_WMMA_MMA; /* matrix */
    if (wmma && !first)
        return ptx_problem(p, "'%s'", ptx_opcode_text(p));
    if (sort_types(m) && m->sync && m->aligned && m->shape && m->layout[0] && one != (m->layout[1] != 0) && popc == (m->boolop != 0))
        return PARSED_OK;
    ptx_error(p, p->opcode, one ? "'%s' needs .sync.aligned, a layout, a shape (.m16n16k16 ...) and a type"
                                : "'%s' needs .sync.aligned, a shape (.m16n8k16 ...), two layouts and the types of D, A, B and C",
              ptx_opcode_text(p));
    return PARSED_ERROR;
}

/* The one of two that go together that rows name. */
static int element_of_rows(int e)
{
    return e == PTX_ELEMENT_U8 ? PTX_ELEMENT_S8 : e == PTX_ELEMENT_U4 ? PTX_ELEMENT_S4 : e == PTX_ELEMENT_E5M2 ? PTX_ELEMENT_E4M3 : e;
}

struct row {
    uint8_t shape, element;
    uint32_t sums;
};

static bool in_row(const struct row *r, const struct ptx_mods *m)
{
    int a = element_of_rows(m->element[0]), b = element_of_rows(m->element[1]);
    bool sums = m->variant == PTX_WMMA_LOAD_C || m->variant == PTX_WMMA_STORE_D, factor = m->variant && !sums && m->variant != PTX_WMMA_MMA;
    return r->shape == m->shape && (sums || (r->element == a && a == b)) && (factor || r->sums >> m->type[0] & 1);
}

bool ptx_product_exists(const struct ptx_inst *in)
{
#define MMA(shape, element, sums)  {PTX_SHAPE_##shape, PTX_ELEMENT_##element, sums},
    static const struct row mma[] = {
#include "ptx/ptx_matrices.def"
    };
#undef MMA
#define WMMA(shape, element, sums) {PTX_SHAPE_##shape, PTX_ELEMENT_##element, sums},
    static const struct row wmma[] = {
#include "ptx/ptx_matrices.def"
    };
#undef WMMA
    const struct ptx_mods *m = &in->mods;
    bool whole = in->op == PTX_OP_MMA;
    size_t n = whole ? sizeof mma / sizeof *mma : sizeof wmma / sizeof *wmma;
    if (whole && m->type[0] != m->type[1])
        return false;
    for (size_t i = 0; i < n; i++)
        if (in_row(whole ? &mma[i] : &wmma[i], m))
            return true;
    return false;
}
