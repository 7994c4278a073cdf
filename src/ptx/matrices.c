/* Products of matrices: the words of mma, and what of a matrix a lane holds (PTX ISA 8.4, section 9.7.13.4).
 *
 *   mma.sync.aligned.SHAPE.row.col{.satfinite}.D.A.B.C, and of single bits .D.b1.b1.C.xor.popc
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

/* One modifier. 0: there is none of this name; -1: it contradicts another one. */
static int read_word(struct ptx_mods *m, const struct ptx_name *n, bool *popc)
{
    static const char *const spelling[] = {"sync", "aligned", "satfinite", "popc"};
    bool *const flag[] = {&m->sync, &m->aligned, &m->satfinite, popc};
    int shape = shape_of(n), element = element_of(n->s);
    bool row = ptx_same_text(n, "row"), xor = ptx_same_text(n, "xor");
    for (int i = 0; i < 4; i++)
        if (ptx_same_text(n, spelling[i])) {
            bool again = *flag[i];
            *flag[i] = true;
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

/* From the types as they are written, D A B C or D C, to those of D and C and elements. */
static bool sort_types(struct ptx_mods *m)
{
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
    m->vec = 1;
    for (int i = 0; i < n; i++) {
        int known = read_word(m, dot[i]->name, &popc);
        if (!known) /* .sp, .e4m3 ... */
            return ptx_problem(p, "modifier '.%s' of '%s'", dot[i]->name->s, ptx_op_info[in->op].word);
        if (known < 0) {
            ptx_error(p, dot[i], "modifier '.%s' contradicts another one of '%s'", dot[i]->name->s, ptx_opcode_text(p));
            return PARSED_ERROR;
        }
    }
    if (!sort_types(m) || !m->sync || !m->aligned || !m->shape || !m->layout[1] || popc != (m->boolop != 0)) {
        ptx_error(p, p->opcode, "'%s' needs .sync.aligned, a shape (.m16n8k16 ...), two layouts and the types of D, A, B and C",
                  ptx_opcode_text(p));
        return PARSED_ERROR;
    }
    return PARSED_OK;
}

static int signed_element(int e)
{
    return e == PTX_ELEMENT_U8 ? PTX_ELEMENT_S8 : e == PTX_ELEMENT_U4 ? PTX_ELEMENT_S4 : e;
}

bool ptx_product_exists(const struct ptx_mods *m)
{
    static const struct {
        uint8_t shape, element;
        uint32_t sums;
    } rows[] = {
#define MMA(shape, element, sums) {PTX_SHAPE_##shape, PTX_ELEMENT_##element, sums},
#include "ptx/ptx_matrices.def"
#undef MMA
    };
    int a = signed_element(m->element[0]), b = signed_element(m->element[1]);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].shape == m->shape && rows[i].element == a && a == b && rows[i].sums >> m->type[0] & 1 && m->type[0] == m->type[1])
            return true;
    return false;
}
