/* The tables of ptx_ops.def, ptx_types.def and ptx_sregs.def as data, and the modifiers' spellings. */
#include "ptx/ptx.h"

#include "ptx/parser.h"

const struct ptx_op_info ptx_op_info[PTX_OP_COUNT] = {
    [PTX_OP_UNKNOWN] = {"UNKNOWN", "", PTX_SEL_NONE, 0, PTX_FORM_SPECIAL, 0, PTX_CLASS_NOP, PTX_KIND_OTHER},
#define OP(id, word, sel, types, form, mods, class, kind, ...)                                      \
    [PTX_OP_##id] = {#id, word, PTX_SEL_##sel, TYPES_##types, PTX_FORM_##form, mods,               \
                     PTX_CLASS_##class, PTX_KIND_##kind},
#include "ptx/ptx_ops.def"
#undef OP
};

const struct ptx_type_info ptx_type_info[PTX_TYPE_COUNT] = {
    [PTX_NOTYPE] = {"", 0, 0},
#define TYPE(id, spelling, bits, kind, ctype) [PTX_##id] = {spelling, bits, #kind[0]},
#include "ptx/ptx_types.def"
#undef TYPE
};

const struct ptx_sreg_info ptx_sreg_info[PTX_SREG_COUNT] = {
#define SREG(id, spelling, type, least, scope) [PTX_SREG_##id] = {spelling, PTX_##type, least},
#include "ptx/ptx_sregs.def"
#undef SREG
};

const struct ptx_shape_info ptx_shape_info[PTX_SHAPE_COUNT] = {
#define SHAPE(id, spelling, m, n, k) [PTX_SHAPE_##id] = {spelling, m, n, k},
#include "ptx/ptx_matrices.def"
#undef SHAPE
};

const struct ptx_element_info ptx_element_info[PTX_ELEMENT_COUNT] = {
#define ELEMENT(id, spelling, bits) [PTX_ELEMENT_##id] = {spelling, bits},
#include "ptx/ptx_matrices.def"
#undef ELEMENT
};

const char *const ptx_class_help[PTX_CLASS_COUNT] = {
#define CLASS(id, help) [PTX_CLASS_##id] = help,
#include "ptx/ptx_classes.def"
#undef CLASS
};

struct ptx_fragment ptx_fragment(const struct ptx_mods *m, char matrix)
{
    const struct ptx_shape_info *s = &ptx_shape_info[m->shape];
    bool sum = matrix == 'C' || matrix == 'D';
    enum ptx_type t = (enum ptx_type)m->type[matrix == 'C' && m->ntypes > 1];
    int bits = sum ? ptx_type_info[t].bits : ptx_element_info[m->element[matrix == 'B']].bits;
    struct ptx_fragment f = {0, sum && t != PTX_F16 ? t : bits == 64 ? PTX_F64 : PTX_B32};
    int elements = sum ? s->m * s->n : matrix == 'A' ? s->m * s->k : s->n * s->k;
    f.n = elements * bits / 32 / (bits == 64 ? 64 : 32);
    if (m->variant && !sum && m->element[0] == PTX_ELEMENT_F16) /* wmma: elements may be there several times */
        f.n = 8;
    return f;
}

int ptx_video_parts(int op)
{
    return op >= PTX_OP_VADD4 && op <= PTX_OP_VSET4 ? 4 : op >= PTX_OP_VADD2 && op <= PTX_OP_VSET2 ? 2
         : op >= PTX_OP_VADD && op <= PTX_OP_VSET ? 1 : 0;
}

/* A spelling may stand in several groups: the groups that the instruction's row allows decide. Entries of one
 * spelling stand together. bar's own modifiers (MOD_BAR) are read by code of their own in opcodes.c. */
#define M(spelling, group, field, value) {spelling, (uint64_t)MOD_##group, offsetof(struct ptx_mods, field), value}
const struct ptx_modifier ptx_modifier[] = {
    M("rn", RND, round, PTX_RN),
    M("rz", RND, round, PTX_RZ),
    M("rm", RND, round, PTX_RM),
    M("rp", RND, round, PTX_RP),
    M("rna", RND, round, PTX_RNA),
    M("rni", RND, round, PTX_RNI),
    M("rzi", RND, round, PTX_RZI),
    M("rmi", RND, round, PTX_RMI),
    M("rpi", RND, round, PTX_RPI),
    M("ftz", FTZ, ftz, 1),
    M("sat", SAT, sat, 1),
    M("approx", APPROX, approx, 1),
    M("full", FULL, full, 1),
    M("cc", CC, cc, 1),
    M("shiftamt", SHIFTAMT, shiftamt, 1),
    M("NaN", NAN, nan, 1),
    M("xorsign", NAN, xorsign_abs, 1), /* the .abs behind it is taken along */
    M("abs", ABS, abs, 1),
    M("eq", CMP, cmp, PTX_EQ),
    M("ne", CMP, cmp, PTX_NE),
    M("lt", CMP, cmp, PTX_LT),
    M("le", CMP, cmp, PTX_LE),
    M("gt", CMP, cmp, PTX_GT),
    M("ge", CMP, cmp, PTX_GE),
    M("lo", CMP, cmp, PTX_LT),
    M("ls", CMP, cmp, PTX_LE),
    M("hi", CMP, cmp, PTX_GT),
    M("hs", CMP, cmp, PTX_GE),
    M("equ", CMP, cmp, PTX_EQU),
    M("neu", CMP, cmp, PTX_NEU),
    M("ltu", CMP, cmp, PTX_LTU),
    M("leu", CMP, cmp, PTX_LEU),
    M("gtu", CMP, cmp, PTX_GTU),
    M("geu", CMP, cmp, PTX_GEU),
    M("num", CMP, cmp, PTX_NUM),
    M("nan", CMP, cmp, PTX_NAN),
    M("and", BOOL, boolop, PTX_BOOL_AND),
    M("and", ATOMIC, atomic, PTX_ATOMIC_AND),
    M("or", BOOL, boolop, PTX_BOOL_OR),
    M("or", ATOMIC, atomic, PTX_ATOMIC_OR),
    M("xor", BOOL, boolop, PTX_BOOL_XOR),
    M("xor", ATOMIC, atomic, PTX_ATOMIC_XOR),
    M("add", ATOMIC, atomic, PTX_ATOMIC_ADD),
    M("add", VIDEO, atomic, PTX_ATOMIC_ADD),
    M("min", ATOMIC, atomic, PTX_ATOMIC_MIN),
    M("min", VIDEO, atomic, PTX_ATOMIC_MIN),
    M("max", ATOMIC, atomic, PTX_ATOMIC_MAX),
    M("max", VIDEO, atomic, PTX_ATOMIC_MAX),
    M("po", VIDEO, plus_one, 1),
    M("shr7", VIDEO, scale, 7),
    M("shr15", VIDEO, scale, 15),
    M("noftz", ATOMIC, noftz, 1),
    M("inc", ATOMIC, atomic, PTX_ATOMIC_INC),
    M("dec", ATOMIC, atomic, PTX_ATOMIC_DEC),
    M("cas", ATOMIC, atomic, PTX_ATOMIC_CAS),
    M("exch", ATOMIC, atomic, PTX_ATOMIC_EXCH),
    M("clamp", SHF, variant, PTX_SHF_CLAMP),
    M("wrap", SHF, variant, PTX_SHF_WRAP),
    M("f4e", PRMT, variant, PTX_PRMT_F4E),
    M("b4e", PRMT, variant, PTX_PRMT_B4E),
    M("rc8", PRMT, variant, PTX_PRMT_RC8),
    M("ecl", PRMT, variant, PTX_PRMT_ECL),
    M("ecr", PRMT, variant, PTX_PRMT_ECR),
    M("rc16", PRMT, variant, PTX_PRMT_RC16),
    M("relu", RELU, relu, 1),
    M("satfinite", RELU, satfinite, 1),
    M("global", SPACE, space, PTX_GLOBAL),
    M("shared", SPACE, space, PTX_SHARED),
    M("shared::cta", SPACE, space, PTX_SHARED),
    M("shared::cluster", CLUSTER, space, PTX_SHARED),
    M("local", SPACE, space, PTX_LOCAL),
    M("const", SPACE, space, PTX_CONST),
    M("param", SPACE, space, PTX_PARAM),
    M("param::entry", SPACE, space, PTX_PARAM),
    M("param::func", SPACE, space, PTX_PARAM),
    M("to", TO, to, 1),
    M("v2", VEC, vec, 2),
    M("v4", VEC, vec, 4),
    M("v8", VEC, vec, 8),
    M("mmio", MEM, mmio, 1),
    M("weak", MEM, order, PTX_WEAK),
    M("volatile", MEM, order, PTX_VOLATILE),
    M("relaxed", MEM, order, PTX_RELAXED),
    M("acquire", MEM, order, PTX_ACQUIRE),
    M("release", MEM, order, PTX_RELEASE),
    M("acq_rel", MEM, order, PTX_ACQ_REL),
    M("sc", MEM, order, PTX_SC),
    M("cta", MEM, scope, PTX_SCOPE_CTA),
    M("cta", LEVEL, scope, PTX_SCOPE_CTA),
    M("cluster", MEM, scope, PTX_SCOPE_CLUSTER),
    M("gpu", MEM, scope, PTX_SCOPE_GPU),
    M("sys", MEM, scope, PTX_SCOPE_SYS),
    M("sys", LEVEL, scope, PTX_SCOPE_SYS),
    M("gl", LEVEL, scope, PTX_SCOPE_GPU),
    M("L1", LEVEL, variant, PTX_PREFETCH_L1),
    M("L2", LEVEL, variant, PTX_PREFETCH_L2),
    M("L2::evict_last", LEVEL, variant, PTX_PREFETCH_L2_LAST),
    M("L2::evict_normal", LEVEL, variant, PTX_PREFETCH_L2_NORMAL),
    M("ca", CACHE, cache, PTX_CACHE_CA),
    M("cg", CACHE, cache, PTX_CACHE_CG),
    M("cs", CACHE, cache, PTX_CACHE_CS),
    M("lu", CACHE, cache, PTX_CACHE_LU),
    M("cv", CACHE, cache, PTX_CACHE_CV),
    M("wb", CACHE, cache, PTX_CACHE_WB),
    M("wt", CACHE, cache, PTX_CACHE_WT),
    M("nc", CACHE, nc, 1),
    M("L1::evict_normal", CACHE, evict, PTX_EVICT_NORMAL),
    M("L1::evict_unchanged", CACHE, evict, PTX_EVICT_UNCHANGED),
    M("L1::evict_first", CACHE, evict, PTX_EVICT_FIRST),
    M("L1::evict_last", CACHE, evict, PTX_EVICT_LAST),
    M("L1::no_allocate", CACHE, evict, PTX_EVICT_NO_ALLOCATE),
    M("L2::cache_hint", CACHE, cache_hint, 1),
    M("L2::cache_hint", ATOMIC, cache_hint, 1),
    M("L2::64B", CACHE, l2_fetch, 2),
    M("L2::128B", CACHE, l2_fetch, 4),
    M("L2::256B", CACHE, l2_fetch, 8),
    M("sync", SYNC, sync, 1),
    M("aligned", ALIGNED, aligned, 1),
    M("up", SHFL, variant, PTX_SHFL_UP),
    M("down", SHFL, variant, PTX_SHFL_DOWN),
    M("bfly", SHFL, variant, PTX_SHFL_BFLY),
    M("idx", SHFL, variant, PTX_SHFL_IDX),
    M("idx", IDX, idx, 1),
    M("uni", UNI, uni, 1),
    M("uni", VOTE, variant, PTX_VOTE_UNI),
    M("all", VOTE, variant, PTX_VOTE_ALL),
    M("all", MATCH, variant, PTX_MATCH_ALL),
    M("any", VOTE, variant, PTX_VOTE_ANY),
    M("any", MATCH, variant, PTX_MATCH_ANY),
    M("ballot", VOTE, variant, PTX_VOTE_BALLOT),
    M("finite", TESTP, variant, PTX_TESTP_FINITE),
    M("infinite", TESTP, variant, PTX_TESTP_INFINITE),
    M("number", TESTP, variant, PTX_TESTP_NUMBER),
    M("notanumber", TESTP, variant, PTX_TESTP_NOTANUMBER),
    M("normal", TESTP, variant, PTX_TESTP_NORMAL),
    M("subnormal", TESTP, variant, PTX_TESTP_SUBNORMAL),
    M("mask", MASK, mask, 1),
    M("init", MBAR, variant, PTX_MBAR_INIT),
    M("inval", MBAR, variant, PTX_MBAR_INVAL),
    M("arrive", MBAR, variant, PTX_MBAR_ARRIVE),
    M("arrive_drop", MBAR, variant, PTX_MBAR_ARRIVE_DROP),
    M("noComplete", MBAR, no_complete, 1),
    M("test_wait", MBAR, variant, PTX_MBAR_TEST_WAIT),
    M("try_wait", MBAR, variant, PTX_MBAR_TRY_WAIT),
    M("parity", MBAR, parity, 1),
    M("launch_dependents", GRID, variant, PTX_GRID_LAUNCH),
    M("wait", GRID, variant, PTX_GRID_WAIT),
    M("m8n8", MATRIX, shape, PTX_SHAPE_M8N8),
    M("x1", MATRIX, matrices, 1),
    M("x2", MATRIX, matrices, 2),
    M("x4", MATRIX, matrices, 4),
    M("trans", MATRIX, trans, 1),
    M("pending_count", MBAR, variant, PTX_MBAR_PENDING_COUNT),
};
#undef M
const int ptx_modifier_count = (int)(sizeof ptx_modifier / sizeof *ptx_modifier);
