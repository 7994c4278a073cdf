/* Look-up of lane functions and choice of the host level.
 *
 * In: an instruction with its types and modifiers. Out: the function from the table of the level in use, or NULL when
 * the table has no such place; modifiers that a function would ignore are refused here, so that nothing is computed
 * silently without them. The level is the host's, lowered by HEDDLE_ISA=x86-64-v2|v3|v4, and chosen at first use.
 * What an H200 returns where the PTX ISA leaves it open: tests/truth/lanes_h200.tsv. */
#include "interp/lanes_table.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    uint8_t bits;
    char kind;
} type_info[PTX_TYPE_COUNT] = {
#define TYPE(id, spelling, bits_, kind_, ctype) [PTX_##id] = {bits_, #kind_[0]},
#include "ptx/ptx_types.def"
#undef TYPE
};

int lanes_type_bits(int type)
{
    return type_info[type].bits;
}

char lanes_type_kind(int type)
{
    return type_info[type].kind;
}

/* ---- level ---- */
static const char *const level_names[] = {"x86-64-v2", "x86-64-v3", "x86-64-v4"};
static const struct lanes_table *const level_tables[] = {&lanes_table_v2, &lanes_table_v3, &lanes_table_v4};

static int host_level(void)
{
    if (__builtin_cpu_supports("x86-64-v4"))
        return 2;
    return __builtin_cpu_supports("x86-64-v3") ? 1 : 0;
}

/* The choice depends on the machine and the environment only, so threads that race make the same one. */
static int level(void)
{
    static int chosen = -1;
    int l = __atomic_load_n(&chosen, __ATOMIC_RELAXED);
    if (l >= 0)
        return l;
    l = host_level();
    const char *wanted = getenv("HEDDLE_ISA");
    for (int i = 0; wanted && i < l; i++)
        if (strcmp(wanted, level_names[i]) == 0)
            l = i;
    __atomic_store_n(&chosen, l, __ATOMIC_RELAXED);
    return l;
}

const char *lanes_level(void)
{
    return level_names[level()];
}

const struct lanes_table *lanes_table_now(void)
{
    return level_tables[level()];
}

const struct lanes_table *lanes_table_of(int l)
{
    return l >= 0 && l <= host_level() ? level_tables[l] : NULL;
}

/* ---- look-up ---- */
static int width_index(int bits)
{
    return bits == 8 ? 0 : bits == 16 ? 1 : bits == 32 ? 2 : bits == 64 ? 3 : bits == 128 ? 4 : -1;
}

static bool is_float(int type)
{
    return type == PTX_F32 || type == PTX_F64;
}

static bool is_int(int type)
{
    return lanes_type_kind(type) == 'U' || lanes_type_kind(type) == 'S';
}

int lanes_cvt_variant(const struct ir_inst *in)
{
    const struct ptx_mods *m = in->mods;
    if (is_int(in->type) && is_int(in->type2))
        return m->sat ? LANES_CVT_DYN : LANES_CVT_NEAREST;
    if (is_int(in->type)) { /* the range clamps by itself: .sat adds nothing */
        if (m->round == PTX_RZI)
            return LANES_CVT_TOZERO;
        return m->round == PTX_RNI ? LANES_CVT_NEAREST : LANES_CVT_DYN;
    }
    bool nearest = m->round == PTX_RN || m->round == PTX_RND_NONE;
    return nearest && !m->ftz && !m->sat && !m->relu && !m->satfinite ? LANES_CVT_NEAREST : LANES_CVT_DYN;
}

/* The width of the register an operand lies in; what is no register lies in its type's own width. */
static int source_bits(const struct ir_kernel *k, const struct ir_src *s, int type)
{
    return s->kind == IR_SRC_REG && k ? lanes_type_bits(k->reg_type[s->reg]) : lanes_type_bits(type);
}

static int dest_bits(const struct ir_kernel *k, const struct ir_inst *in, int type)
{
    return in->dst[0] != IR_NOREG && k ? lanes_type_bits(k->reg_type[in->dst[0]]) : lanes_type_bits(type);
}

static lanes_fn *find_cvt(const struct lanes_table *t, const struct ir_kernel *k, const struct ir_inst *in)
{
    if (!t->cvt[in->type][in->type2][lanes_cvt_variant(in)])
        return NULL;
    int d = dest_bits(k, in, in->type), a = source_bits(k, &in->src[0], in->type2);
    if (d == lanes_type_bits(in->type) && a == lanes_type_bits(in->type2))
        return t->cvt[in->type][in->type2][lanes_cvt_variant(in)];
    int wd = width_index(d), wa = width_index(a);
    if (wd < 0 || wd > 3 || wa < 0 || wa > 3 || d < lanes_type_bits(in->type) || a < lanes_type_bits(in->type2))
        return NULL;
    return t->cvt_wide[wd][wa];
}

/* A row with a form: by type, and for floating types by modifiers. */
static lanes_fn *find_row(const struct lanes_table *t, const struct ir_inst *in)
{
    const struct ptx_mods *m = in->mods;
    if (m->cc)
        return t->carry[in->op][in->type];
    if (m->shiftamt)
        return in->op == PTX_OP_BFIND ? t->bfind_shiftamt[in->type] : NULL;
    if (lanes_type_kind(in->type) == 'H') {
        bool plain = !(m->ftz || m->sat || m->relu || m->nan || m->xorsign_abs);
        return t->row[in->op][in->type][plain ? LANES_PLAIN : LANES_DYN];
    }
    if (!is_float(in->type)) {
        if (m->relu)
            return in->type == PTX_S32 ? t->relu[in->op] : NULL;
        if (m->sat)
            return in->type == PTX_S32 ? t->sat[in->op] : NULL;
        return t->row[in->op][in->type][LANES_PLAIN];
    }
    if (m->nan || m->xorsign_abs)
        return t->minmax_mods[in->op][in->type];
    if (m->approx && m->ftz && in->type == PTX_F64)
        return t->upper[in->op];
    if ((m->approx || m->full) && in->op == PTX_OP_FDIV)
        return in->type == PTX_F32 ? t->div_quick : NULL;
    bool directed = m->round == PTX_RZ || m->round == PTX_RM || m->round == PTX_RP;
    return t->row[in->op][in->type][directed || m->sat ? LANES_DYN : m->ftz ? LANES_FTZ : LANES_PLAIN];
}

lanes_fn *lanes_find_in(const struct lanes_table *t, const struct ir_kernel *k, const struct ir_inst *in)
{
    const struct ptx_mods *m = in->mods;
    if (in->op >= PTX_OP_COUNT || in->type >= PTX_TYPE_COUNT || in->type2 >= PTX_TYPE_COUNT)
        return NULL;
    int width = in->type == PTX_PRED ? -1 : width_index(lanes_type_bits(in->type));
    switch (in->op) {
    case PTX_OP_MOV:
        return in->type == PTX_PRED ? t->mov_pred : width >= 0 ? t->mov[width] : NULL;
    case PTX_OP_SELP:
        return in->type == PTX_PRED ? t->selp_pred : width >= 0 ? t->selp[width] : NULL;
    case PTX_OP_SLCT:
        return width >= 0 ? t->slct[width][in->type2 == PTX_F32] : NULL;
    case PTX_OP_SETP:
        return m->cmp < LANES_NCMP ? t->setp[0][m->cmp][in->type][m->ftz] : NULL;
    case PTX_OP_SET:
        if (m->cmp >= LANES_NCMP || !t->setp[0][m->cmp][in->type2][m->ftz])
            return NULL;
        return in->type2 == PTX_F16X2 || in->type2 == PTX_BF16X2 ? t->set_pair : t->set[in->type];
    case PTX_OP_CVT:
        return find_cvt(t, k, in);
    case PTX_OP_ADDC:
    case PTX_OP_SUBC:
    case PTX_OP_MADC_LO:
    case PTX_OP_MADC_HI:
        return t->carry[in->op][in->type];
    default:
        return t->special[in->op][in->type] ? t->special[in->op][in->type] : find_row(t, in);
    }
}

lanes_fn *lanes_find(const struct ir_kernel *k, const struct ir_inst *in)
{
    return lanes_find_in(lanes_table_now(), k, in);
}

lanes_fn *lanes_find_setp_second(const struct ir_kernel *k, const struct ir_inst *in)
{
    (void)k;
    if (in->op != PTX_OP_SETP || in->mods->cmp >= LANES_NCMP)
        return NULL;
    return lanes_table_now()->setp[1][in->mods->cmp][in->type][in->mods->ftz];
}

lanes_fn *lanes_find_lop3_second(const struct ir_inst *in)
{
    return in->op == PTX_OP_LOP3 ? lanes_table_now()->lop3_second : NULL;
}

static int log2_of(int count)
{
    return count == 2 ? 1 : count == 4 ? 2 : count == 8 ? 3 : -1;
}

lanes_fn *lanes_extract(int bits, int count, int index)
{
    int w = width_index(bits), n = log2_of(count);
    return w < 0 || w > 3 || n < 0 || index < 0 || index >= count ? NULL : lanes_table_now()->extract[w][n][index];
}

lanes_fn *lanes_insert(int bits, int count, int index)
{
    int w = width_index(bits), n = log2_of(count);
    return w < 0 || w > 3 || n < 0 || index < 0 || index >= count ? NULL : lanes_table_now()->insert[w][n][index];
}
