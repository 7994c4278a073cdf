/* PTX as data: what the parser makes of a module's text, and what ir/ builds kernels from.
 *
 * In: PTX text as clang-19 and nvcc 13 print it (PTX ISA up to 8.8). Out: a module of variables and functions, each
 * function a flat list of instructions with resolved registers, symbols and labels. Everything lives in the
 * module's arena. A module that parsed has no dangling name; an instruction or modifier that the table does not have
 * is kept with op = PTX_OP_UNKNOWN and the reason in `problem`, so that only launching its kernel fails. A directive of a
 * function that cannot be honoured (.reqnctapercluster) becomes such an instruction at the function's start.
 * References: PTX ISA 8.4 (sections named at the tables). */
#ifndef PTX_PTX_H
#define PTX_PTX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/across.h"
#include "base/arena.h"
#include "base/table.h"

struct diag_list;

typedef struct ptx_b128 {
    uint64_t lo, hi;
} ptx_b128;

enum ptx_type {
    PTX_NOTYPE, /* the instruction has none */
#define TYPE(id, spelling, bits, kind, ctype) PTX_##id,
#include "ptx/ptx_types.def"
#undef TYPE
    PTX_TYPE_COUNT
};

/* Sets of types, as bit masks over enum ptx_type: the `types` column of ptx_ops.def. */
#define PTX_BIT(t)       (1u << PTX_##t)
#define TYPES_NOTYPE     PTX_BIT(NOTYPE)
#define TYPES_INT        (PTX_BIT(U16) | PTX_BIT(S16) | PTX_BIT(U32) | PTX_BIT(S32) | PTX_BIT(U64) | PTX_BIT(S64))
#define TYPES_PAIRS      (PTX_BIT(U16X2) | PTX_BIT(S16X2))               /* two integers in a word */
#define TYPES_INTP       (TYPES_INT | TYPES_PAIRS)
#define TYPES_SINT       (PTX_BIT(S16) | PTX_BIT(S32) | PTX_BIT(S64))
#define TYPES_INT16_32   (PTX_BIT(U16) | PTX_BIT(S16) | PTX_BIT(U32) | PTX_BIT(S32))
#define TYPES_INT32      (PTX_BIT(U32) | PTX_BIT(S32))
#define TYPES_INT32_64   (PTX_BIT(U32) | PTX_BIT(S32) | PTX_BIT(U64) | PTX_BIT(S64))
#define TYPES_REDUX      (TYPES_INT32B | PTX_BIT(F32))
#define TYPES_INT32B     (PTX_BIT(U32) | PTX_BIT(S32) | PTX_BIT(B32))
#define TYPES_U32        PTX_BIT(U32)
#define TYPES_U32_64     (PTX_BIT(U32) | PTX_BIT(U64))
#define TYPES_BITS       (PTX_BIT(B16) | PTX_BIT(B32) | PTX_BIT(B64))
#define TYPES_SUMS       (PTX_BIT(F16) | PTX_BIT(F32) | PTX_BIT(F64) | PTX_BIT(S32)) /* mma: D */
#define TYPES_WMMA       (TYPES_SUMS | PTX_BIT(NOTYPE) | PTX_BIT(BF16) | PTX_BIT(TF32) | PTX_BIT(U8) | PTX_BIT(S8)) /* s4, u4, b1: none */
#define TYPES_BITS16     PTX_BIT(B16)
#define TYPES_BITS32     PTX_BIT(B32)
#define TYPES_BITS32_64  (PTX_BIT(B32) | PTX_BIT(B64))
#define TYPES_SHIFTABLE  (TYPES_BITS | TYPES_INT)
#define TYPES_BITS64     PTX_BIT(B64)
#define TYPES_LOGIC      (TYPES_BITS | PTX_BIT(PRED))
#define TYPES_FLT        (PTX_BIT(F32) | PTX_BIT(F64))
#define TYPES_FLT32      PTX_BIT(F32)
#define TYPES_HALVES     (PTX_BIT(F16) | PTX_BIT(F16X2) | PTX_BIT(BF16) | PTX_BIT(BF16X2))
#define TYPES_FLTH       (TYPES_FLT | TYPES_HALVES)
#define TYPES_FLT32H     (TYPES_FLT32 | TYPES_HALVES)
#define TYPES_VALUEH     (TYPES_VALUE | TYPES_HALVES)                    /* setp */
#define TYPES_SURFACE    (PTX_BIT(B8) | PTX_BIT(B16) | PTX_BIT(B32) | PTX_BIT(B64)) /* suld, sust */
#define TYPES_TEX        (PTX_BIT(U32) | PTX_BIT(S32) | PTX_BIT(F32))    /* tex: its result */
#define TYPES_VOTE       (PTX_BIT(PRED) | PTX_BIT(B32))
#define TYPES_BARRIER    (PTX_BIT(NOTYPE) | PTX_BIT(PRED) | PTX_BIT(U32))
#define TYPES_INT8       (PTX_BIT(U8) | PTX_BIT(S8))
#define TYPES_VALUE      (TYPES_INT | TYPES_BITS | TYPES_FLT)            /* setp, selp, slct */
#define TYPES_SET        (PTX_BIT(U16) | PTX_BIT(S16) | PTX_BIT(U32) | PTX_BIT(S32) | PTX_BIT(F32) | TYPES_HALVES) /* set: its result */
#define TYPES_MOV        (TYPES_VALUE | PTX_BIT(PRED))
#define TYPES_HALF       (PTX_BIT(F16) | PTX_BIT(BF16))
#define TYPES_HALF2      (PTX_BIT(F16X2) | PTX_BIT(BF16X2))              /* cvt: two f32 to a pair */
#define TYPES_FP8X2      (PTX_BIT(E4M3X2) | PTX_BIT(E5M2X2))
#define TYPES_CVT        (TYPES_INT8 | TYPES_INT | TYPES_FLT | TYPES_HALF | TYPES_HALF2 | PTX_BIT(TF32) | TYPES_FP8X2)
#define TYPES_PACK       (TYPES_INT8 | PTX_BIT(U16) | PTX_BIT(S16) | PTX_BIT(S32)) /* cvt.pack: .s4 and the like are read as .s32 */
#define TYPES_MEM        (TYPES_INT8 | PTX_BIT(B8) | TYPES_VALUE)
#define TYPES_ATOM       (TYPES_INT32_64 | TYPES_BITS | TYPES_FLTH)

/* Groups of modifiers that a row allows: the `mods` column. */
enum {
    MOD_RND = 1 << 0,       /* .rn .rz .rm .rp and, for cvt, .rni .rzi .rmi .rpi .rna */
    MOD_FTZ = 1 << 1,       /* .ftz: subnormal inputs and results become zero of the same sign */
    MOD_SAT = 1 << 2,       /* .sat: clamp to [0, 1] (floating) or the type's range (integer) */
    MOD_APPROX = 1 << 3,    /* .approx */
    MOD_FULL = 1 << 4,      /* .full (div) */
    MOD_CC = 1 << 5,        /* .cc: writes the carry flag */
    MOD_SHIFTAMT = 1 << 6,  /* .shiftamt (bfind) */
    MOD_NAN = 1 << 7,       /* .NaN .xorsign.abs (min, max) */
    MOD_CMP = 1 << 8,       /* .eq .ne .lt ... */
    MOD_BOOL = 1 << 9,      /* .and .or .xor (set, setp) */
    MOD_SHF = 1 << 10,      /* .clamp .wrap */
    MOD_PRMT = 1 << 11,     /* .f4e .b4e .rc8 .ecl .ecr .rc16 */
    MOD_RELU = 1 << 12,     /* .relu .satfinite */
    MOD_SPACE = 1 << 13,    /* .global .shared(::cta) .local .const .param */
    MOD_TO = 1 << 14,       /* .to (cvta) */
    MOD_VEC = 1 << 15,      /* .v2 .v4 .v8 */
    MOD_MEM = 1 << 16,      /* .weak .volatile .relaxed .acquire .release .acq_rel .sc, and the scope */
    MOD_LEVEL = 1 << 17,    /* .L1 .L2, and membar's .cta .gl .sys */
    MOD_SYNC = 1 << 18,     /* .sync, and bar's .arrive .red */
    MOD_SHFL = 1 << 19,     /* .up .down .bfly .idx */
    MOD_UNI = 1 << 20,      /* .uni: a hint that compilers print everywhere; never relied on */
    MOD_IDX = 1 << 21,      /* .idx (brx) */
    MOD_BAR = 1 << 22,      /* .cta .warp .sync .arrive .red .popc .and .or */
    MOD_ALIGNED = 1 << 23,  /* .aligned */
    MOD_ATOMIC = 1 << 24,   /* .add .min .max .inc .dec .cas .exch .and .or .xor, .noftz, .L2::cache_hint */
    MOD_VOTE = 1 << 25,     /* .all .any .uni .ballot */
    MOD_MATCH = 1 << 26,    /* .any .all */
    MOD_TESTP = 1 << 27,    /* .finite .infinite .number .notanumber .normal .subnormal */
    MOD_CACHE = 1 << 28,    /* .ca .cg .cs .lu .cv .wb .wt .nc .L1::evict_last ... .L2::128B */
    MOD_MASK = 1 << 29,     /* .mask (pmevent) */
    MOD_MBAR = 1 << 30      /* .init .inval .arrive ... (mbarrier) */
};
#define MOD_GRID   (UINT64_C(1) << 31) /* .launch_dependents .wait (griddepcontrol) */
#define MOD_ABS    (UINT64_C(1) << 32) /* .abs (redux) */
#define MOD_VIDEO  (UINT64_C(1) << 33) /* .add .min .max behind the types, .po .shr7 .shr15 (video instructions) */
#define MOD_MATRIX (UINT64_C(1) << 35) /* .m8n8, .x1 .x2 .x4, .trans (ldmatrix, stmatrix, movmatrix) */
#define MOD_POLICY (UINT64_C(1) << 34) /* .fractional .range .cvt and the priorities (createpolicy) */
#define MOD_CLUSTER (UINT64_C(1) << 36) /* .shared::cluster (mapa, getctarank) */

enum ptx_op {
    PTX_OP_UNKNOWN, /* not in the table: see ptx_inst.problem */
#define OP(id, ...) PTX_OP_##id,
#include "ptx/ptx_ops.def"
#undef OP
    PTX_OP_COUNT
};

enum ptx_class {
#define CLASS(id, help) PTX_CLASS_##id,
#include "ptx/ptx_classes.def"
#undef CLASS
    PTX_CLASS_COUNT
};

/* What an operation does, whatever its type: the `kind` column. */
enum ptx_kind {
    PTX_KIND_OTHER,
    PTX_KIND_COPY,    /* the source as it is; of several sources or results: words put together or parted */
    PTX_KIND_ADDRESS, /* the source in other address spaces */
    PTX_KIND_CONVERT, /* the source as another type */
    PTX_KIND_ADD, PTX_KIND_SUB, PTX_KIND_NEG, PTX_KIND_ABS, PTX_KIND_MUL, PTX_KIND_MAD /* a * b + c */, PTX_KIND_DIV, PTX_KIND_REM,
    PTX_KIND_RCP, PTX_KIND_SQRT, PTX_KIND_MIN, PTX_KIND_MAX,
    PTX_KIND_AND, PTX_KIND_OR, PTX_KIND_XOR, PTX_KIND_NOT, PTX_KIND_SHL, PTX_KIND_SHR,
    PTX_KIND_COMPARE, /* to a predicate */
    PTX_KIND_SELECT,  /* one of two sources, as a predicate says */
    PTX_KIND_LOAD, PTX_KIND_LOADU /* of one address in all lanes */, PTX_KIND_STORE, PTX_KIND_ATOMIC,
    PTX_KIND_REDUCE,  /* an atomic without result */
    PTX_KIND_ASYNC,   /* a copy that finishes later */
    PTX_KIND_MATRIX_LOAD, PTX_KIND_MATRIX_STORE, PTX_KIND_TEXTURE, PTX_KIND_SURFACE_LOAD, PTX_KIND_SURFACE_STORE,
    PTX_KIND_BARRIER, /* of a block's warps or a warp's lanes */
    PTX_KIND_BRANCH, PTX_KIND_SWITCH /* a branch by an index */, PTX_KIND_CALL, PTX_KIND_RETURN, PTX_KIND_EXIT, PTX_KIND_TRAP,
    /* floating-point arithmetic; and products of integers in twice their width, whose c has that width, too */
    PTX_KIND_FLOAT = 1 << 6,
    PTX_KIND_WIDE = 1 << 7,
#define FLOAT(kind) PTX_KIND_F##kind = PTX_KIND_FLOAT | PTX_KIND_##kind
    FLOAT(ADD), FLOAT(SUB), FLOAT(MUL), FLOAT(MAD), FLOAT(DIV), FLOAT(RCP), FLOAT(SQRT), FLOAT(ABS), FLOAT(NEG), FLOAT(MIN), FLOAT(MAX),
#undef FLOAT
    PTX_KIND_MUL_WIDE = PTX_KIND_WIDE | PTX_KIND_MUL,
    PTX_KIND_MAD_WIDE = PTX_KIND_WIDE | PTX_KIND_MAD
};

enum ptx_form { PTX_FORM_UN, PTX_FORM_BIN, PTX_FORM_TRI, PTX_FORM_SHIFT, PTX_FORM_CNT, PTX_FORM_WIDE2,
                PTX_FORM_WIDE3, PTX_FORM_SPECIAL };

enum ptx_sel { PTX_SEL_NONE, PTX_SEL_LO, PTX_SEL_HI, PTX_SEL_WIDE, PTX_SEL_L, PTX_SEL_R, PTX_SEL_ANY };

/* One row of ptx_ops.def, for code that reads the table at run time. */
struct ptx_op_info {
    const char *id, *word;
    enum ptx_sel sel;
    uint32_t types;
    enum ptx_form form;
    uint64_t mods;
    enum ptx_class class;
    enum ptx_kind kind;
};
extern const struct ptx_op_info ptx_op_info[PTX_OP_COUNT];
extern const char *const ptx_class_help[PTX_CLASS_COUNT];

struct ptx_type_info {
    const char *spelling; /* "u32" */
    int bits;             /* pred: 1 */
    char kind;            /* 'U' 'S' 'B' 'F' 'H' 'P' */
};
extern const struct ptx_type_info ptx_type_info[PTX_TYPE_COUNT];

/* Of whole numbers, one to a register. */
static inline bool ptx_is_integer(int type)
{
    char kind = ptx_type_info[type].kind;
    return kind == 'U' || kind == 'S' || kind == 'B';
}

/* Does a register of type `have` go where an instruction says `want` (PTX ISA 8.4, section 9.4)? Half types count as bits: they
 * are held so. */
bool ptx_type_fits(int want, int have, bool wider);

enum ptx_sreg {
#define SREG(id, spelling, type, least, scope) PTX_SREG_##id,
#include "ptx/ptx_sregs.def"
#undef SREG
    PTX_SREG_COUNT
};

struct ptx_sreg_info {
    const char *spelling; /* "%tid.x" */
    uint8_t type;         /* enum ptx_type */
    uint8_t least;        /* bits of the narrowest mov that reads it */
};
extern const struct ptx_sreg_info ptx_sreg_info[PTX_SREG_COUNT];

enum ptx_space { PTX_GENERIC, PTX_GLOBAL, PTX_SHARED, PTX_LOCAL, PTX_CONST, PTX_PARAM };

enum ptx_round { PTX_RND_NONE, PTX_RN, PTX_RZ, PTX_RM, PTX_RP, PTX_RNA, PTX_RNI, PTX_RZI, PTX_RMI, PTX_RPI };

/* Comparisons; the second half are the unordered forms (true when an operand is NaN) and the NaN tests.
 * lo ls hi hs are read as the unsigned lt le gt ge. */
enum ptx_cmp { PTX_CMP_NONE, PTX_EQ, PTX_NE, PTX_LT, PTX_LE, PTX_GT, PTX_GE,
               PTX_EQU, PTX_NEU, PTX_LTU, PTX_LEU, PTX_GTU, PTX_GEU, PTX_NUM, PTX_NAN };

enum ptx_bool { PTX_BOOL_NONE, PTX_BOOL_AND, PTX_BOOL_OR, PTX_BOOL_XOR };

enum ptx_atomic { PTX_ATOMIC_NONE, PTX_ATOMIC_ADD, PTX_ATOMIC_MIN, PTX_ATOMIC_MAX, PTX_ATOMIC_INC, PTX_ATOMIC_DEC,
                  PTX_ATOMIC_CAS, PTX_ATOMIC_EXCH, PTX_ATOMIC_AND, PTX_ATOMIC_OR, PTX_ATOMIC_XOR };

/* Memory order of ld, st, atom, red, fence (PTX ISA 8.4, chapter 8). */
enum ptx_order { PTX_WEAK, PTX_VOLATILE, PTX_RELAXED, PTX_ACQUIRE, PTX_RELEASE, PTX_ACQ_REL, PTX_SC };
enum ptx_scope { PTX_SCOPE_NONE, PTX_SCOPE_CTA, PTX_SCOPE_CLUSTER, PTX_SCOPE_GPU, PTX_SCOPE_SYS };

/* Cache operators (9.7.9.1), for the cache model. */
enum ptx_cache { PTX_CACHE_DEFAULT, PTX_CACHE_CA, PTX_CACHE_CG, PTX_CACHE_CS, PTX_CACHE_LU, PTX_CACHE_CV,
                 PTX_CACHE_WB, PTX_CACHE_WT };

/* .L1::evict_*: how long a line should stay (9.7.9.2). */
enum ptx_evict { PTX_EVICT_DEFAULT, PTX_EVICT_NORMAL, PTX_EVICT_UNCHANGED, PTX_EVICT_FIRST, PTX_EVICT_LAST,
                 PTX_EVICT_NO_ALLOCATE };

/* What one-of-a-kind instructions do: shfl, vote, match, bar, shf, prmt, testp, prefetch, cp.async, mbarrier. */
enum ptx_variant { PTX_VARIANT_NONE,
                   PTX_SHFL_UP, PTX_SHFL_DOWN, PTX_SHFL_BFLY, PTX_SHFL_IDX,
                   PTX_VOTE_ALL, PTX_VOTE_ANY, PTX_VOTE_UNI, PTX_VOTE_BALLOT,
                   PTX_MATCH_ANY, PTX_MATCH_ALL,
                   PTX_BAR_SYNC, PTX_BAR_ARRIVE, PTX_BAR_RED_POPC, PTX_BAR_RED_AND, PTX_BAR_RED_OR, PTX_BAR_WARP,
                   PTX_SHF_CLAMP, PTX_SHF_WRAP,
                   PTX_PRMT_F4E, PTX_PRMT_B4E, PTX_PRMT_RC8, PTX_PRMT_ECL, PTX_PRMT_ECR, PTX_PRMT_RC16,
                   PTX_TESTP_FINITE, PTX_TESTP_INFINITE, PTX_TESTP_NUMBER, PTX_TESTP_NOTANUMBER,
                   PTX_TESTP_NORMAL, PTX_TESTP_SUBNORMAL, PTX_PREFETCH_L1, PTX_PREFETCH_L2,
                   PTX_PREFETCH_L2_LAST, PTX_PREFETCH_L2_NORMAL,
                   PTX_POLICY_FRACTIONAL, PTX_POLICY_RANGE, PTX_POLICY_CVT,
                   PTX_CP_COPY, PTX_CP_COMMIT, PTX_CP_WAIT_GROUP, PTX_CP_WAIT_ALL,
                   PTX_TEX_1D, PTX_TEX_2D, PTX_TEX_3D, PTX_TEX_A1D, PTX_TEX_A2D, PTX_TEX_CUBE, PTX_TEX_ACUBE,
                   PTX_MBAR_INIT, PTX_MBAR_INVAL, PTX_MBAR_ARRIVE, PTX_MBAR_ARRIVE_DROP, PTX_MBAR_TEST_WAIT,
                   PTX_MBAR_TRY_WAIT, PTX_MBAR_PENDING_COUNT, PTX_GRID_LAUNCH, PTX_GRID_WAIT,
                   PTX_WMMA_LOAD_A, PTX_WMMA_LOAD_B, PTX_WMMA_LOAD_C, PTX_WMMA_STORE_D, PTX_WMMA_MMA };

/* suld, sust: what happens outside the surface. */
enum ptx_bounds { PTX_BOUNDS_TRAP, PTX_BOUNDS_CLAMP, PTX_BOUNDS_ZERO };

/* How many coordinates tex, tld4, suld and sust take, the layer of an array's forms included. */
static inline int ptx_coordinates(int variant)
{
    static const uint8_t n[] = {1, 2, 3, 2, 3, 3, 4};
    return n[variant - PTX_TEX_1D];
}

static inline bool ptx_is_layered(int variant)
{
    return variant == PTX_TEX_A1D || variant == PTX_TEX_A2D || variant == PTX_TEX_ACUBE;
}

/* Shapes of matrices (ptx_matrices.def). */
enum ptx_shape { PTX_SHAPE_NONE,
#define SHAPE(id, spelling, m, n, k) PTX_SHAPE_##id,
#include "ptx/ptx_matrices.def"
#undef SHAPE
                 PTX_SHAPE_COUNT };

struct ptx_shape_info {
    const char *spelling; /* "m8n8" */
    int m, n, k;          /* D of m rows and n columns is A of k columns times B; k 0: one matrix of m rows and n columns */
};
extern const struct ptx_shape_info ptx_shape_info[PTX_SHAPE_COUNT];

/* Elements of A and B in a product of matrices. */
enum ptx_element { PTX_ELEMENT_NONE,
#define ELEMENT(id, spelling, bits) PTX_ELEMENT_##id,
#include "ptx/ptx_matrices.def"
#undef ELEMENT
                   PTX_ELEMENT_COUNT };

struct ptx_element_info {
    const char *spelling; /* "bf16" */
    int bits;
};
extern const struct ptx_element_info ptx_element_info[PTX_ELEMENT_COUNT];

enum ptx_layout { PTX_LAYOUT_NONE, PTX_LAYOUT_ROW, PTX_LAYOUT_COL };

/* A lane's share of a matrix: so many registers of this type. */
struct ptx_fragment {
    int n;
    enum ptx_type type;
};
struct ptx_mods;
/* Of the product's matrix 'A', 'B', 'C' or 'D'. */
struct ptx_fragment ptx_fragment(const struct ptx_mods *m, char matrix);

/* .b0 .h1: the part of a word that a video instruction reads or writes (9.7.16). */
enum ptx_part { PTX_PART_ALL, PTX_PART_B0, PTX_PART_B1, PTX_PART_B2, PTX_PART_B3, PTX_PART_H0, PTX_PART_H1 };

/* Everything behind the opcode's first word. */
struct ptx_mods {
    uint8_t type[4];  /* enum ptx_type, in the order written: cvt.f32.s32 has F32, S32; mma: of D and of C */
    uint8_t ntypes;
    uint8_t space;    /* enum ptx_space */
    uint8_t vec;      /* 1, 2, 4, 8 */
    uint8_t round;    /* enum ptx_round */
    uint8_t cmp;      /* enum ptx_cmp */
    uint8_t boolop;   /* enum ptx_bool */
    uint8_t atomic;   /* enum ptx_atomic; also redux's operation */
    uint8_t order;    /* enum ptx_order */
    uint8_t scope;    /* enum ptx_scope; membar: .cta CTA, .gl GPU, .sys SYS */
    uint8_t cache;    /* enum ptx_cache */
    uint8_t evict;    /* enum ptx_evict */
    uint8_t l2_fetch; /* .L2::64B 128B 256B: sectors of 32 bytes, 0: not given */
    uint8_t variant;  /* enum ptx_variant */
    uint8_t sel;      /* enum ptx_sel: dp2a's .lo .hi too */
    uint8_t l2_evict[2]; /* enum ptx_evict: createpolicy's first and second priority */
    uint8_t pack_bits;   /* cvt.pack: bits of a packed value, 2 4 8 16; its sign is in pack_signed */
    uint8_t component;   /* tld4: of the texels, 0 to 3 */
    uint8_t bounds;      /* suld, sust: enum ptx_bounds */
    uint8_t scale;       /* vmad: 7 or 15 bits to the right */
    uint8_t minus;       /* vmad: bit 0 -a, bit 1 -b, bit 2 -c */
    uint8_t shape;       /* matrices: enum ptx_shape */
    uint8_t element[2];  /* mma: enum ptx_element of A and of B; wmma.load, wmma.store: of the matrix, or none: it has type[0] */
    uint8_t layout[2];   /* the same: enum ptx_layout */
    uint8_t matrices;    /* ldmatrix, stmatrix: 1, 2, 4; also in vec */
    uint32_t part[3];    /* video instructions, for d a b. Of one word: enum ptx_part. Of pairs and quadruples: for d the
                            elements written, bit 0 for the first; for a and b which element of the two words b:a each
                            result takes, 4 bits each, the first lowest */
    bool ftz, sat, approx, full, cc, uni, sync, aligned, nc, to, shiftamt, nan, xorsign_abs, relu, satfinite, idx, mask, lod, trans, no_complete, parity, noinc,
         noftz, cache_hint, mmio, abs, pack_signed, plus_one; /* lod: tex.level; plus_one: vmad.po */
};

/* Where an instruction came from in the user's source: from .loc, with the chain of inlined calls. */
struct ptx_loc {
    const char *file; /* as the compiler wrote it */
    int line, column; /* from 1; column 0 when unknown; line 0: compiler-made */
    const char *function;             /* name of the inlined function, or NULL */
    const struct ptx_loc *inlined_at; /* the call, or NULL */
};

struct ptx_var;
struct ptx_function;

enum ptx_operand_kind {
    PTX_OPERAND_REG,    /* reg */
    PTX_OPERAND_IMM,    /* imm: integer bits, or the bits of a float/double as imm_type says */
    PTX_OPERAND_SREG,   /* sreg */
    PTX_OPERAND_VAR,    /* address of var + offset */
    PTX_OPERAND_FUNC,   /* address of func, or the callee */
    PTX_OPERAND_LABEL,  /* label */
    PTX_OPERAND_MEM,    /* [elem[0] + offset]; elem[0] is a REG, VAR or IMM. tex, suld: [elem[0], {elem[1], ...}] */
    PTX_OPERAND_VECTOR, /* {elem[0], ...}: n elements, each REG, IMM or SINK */
    PTX_OPERAND_PAIR,   /* p|q: elem[0], elem[1] */
    PTX_OPERAND_LIST,   /* (a, b, ...) of a call */
    PTX_OPERAND_PROTO,  /* proto: .callprototype or .calltargets or .branchtargets label */
    PTX_OPERAND_SINK    /* _ */
};

struct ptx_operand {
    uint8_t kind;
    uint8_t imm_type; /* IMM: PTX_S64 or PTX_U64 for integers; PTX_F32 or PTX_F64 for floating ones, which are
                         converted to the type of the operand they are used as */
    bool negated;     /* !p, and -r in the few places where PTX allows it */
    uint8_t n;        /* number of elem */
    uint32_t reg;     /* index into function->regs */
    int32_t label;    /* index into function->labels */
    uint32_t sreg;    /* enum ptx_sreg */
    uint64_t imm;
    int64_t offset;
    const struct ptx_var *var;
    const struct ptx_function *func;
    const struct ptx_proto *proto;
    struct ptx_operand *elem;
};

struct ptx_inst {
    uint16_t op; /* enum ptx_op */
    struct ptx_mods mods;
    int32_t guard;      /* register of the guard predicate, or -1 */
    bool guard_negated; /* @!p */
    uint8_t noperands;
    struct ptx_operand *operand; /* in the order written; destination first. A call always has LIST of results
                                    (n may be 0), callee (FUNC or REG), LIST of arguments, and for an indirect
                                    call the PROTO */
    int line, column;            /* in the PTX text, from 1 */
    const struct ptx_loc *loc;   /* in the user's source, or NULL */
    const char *text;            /* the statement's first character in the module's text */
    int text_len;                /* up to the semicolon */
    const char *problem;         /* PTX_OP_UNKNOWN: what is not there, e.g. "instruction 'wgmma.mma_async'" */
};

/* Of .reg .b32 %r<47> only the registers that are used become entries, in the order of their first use. Names are
 * unique within the function: a second %p of an inner scope is called %p$1; the same holds for labels and variables. */
struct ptx_reg {
    const char *name; /* "%r12" */
    uint8_t type;     /* enum ptx_type */
};

struct ptx_label {
    const char *name;
    int32_t inst; /* index of the instruction it stands before; == ninsts at the end */
};

/* A hole in an initialiser: the low `bytes` bytes of the address of var or func + addend go to byte `at`. */
struct ptx_reloc {
    size_t at;      /* byte offset in the variable */
    uint8_t bytes;  /* 8 or 4 */
    bool generic;   /* generic(x) */
    int64_t addend;
    const struct ptx_var *var;
    const struct ptx_function *func;
};

enum ptx_linkage { PTX_LINK_STATIC, PTX_LINK_VISIBLE, PTX_LINK_EXTERN, PTX_LINK_WEAK, PTX_LINK_COMMON };

struct ptx_var {
    const char *name;
    uint8_t space;   /* enum ptx_space */
    uint8_t type;    /* element type */
    uint8_t vec;     /* .v2 .v4: elements of the vector, else 1 */
    uint8_t linkage; /* enum ptx_linkage */
    bool unsized;    /* extern __shared__ T x[] */
    bool managed;    /* .attribute(.managed) */
    uint64_t size;   /* bytes */
    uint32_t align;  /* bytes, a power of two */
    const uint8_t *init; /* size bytes, or NULL: zero */
    struct ptx_reloc *reloc;
    int nrelocs;
    int line;
    const struct ptx_function *owner; /* declared inside this function, or NULL */
};

/* .callprototype: what an indirect call looks like; .branchtargets and .calltargets: its targets. */
struct ptx_proto {
    const char *name;
    const struct ptx_var *ret;
    const struct ptx_var *params;
    int nparams;
    int32_t *labels; /* .branchtargets: label indices */
    const struct ptx_function **funcs; /* .calltargets */
    int ntargets;
};

struct ptx_function {
    const char *name; /* as in the PTX: mangled */
    bool entry;
    bool defined; /* has a body */
    uint8_t linkage;
    struct ptx_var **params; /* space PTX_PARAM, in order; size and align filled */
    int nparams;
    struct ptx_var *ret; /* return value, or NULL */
    struct ptx_reg *regs;
    int nregs;
    struct ptx_var **vars; /* declared inside: .local depots, .shared, .param temporaries of calls */
    int nvars;
    struct ptx_inst *insts;
    int ninsts;
    struct ptx_label *labels;
    int nlabels;
    uint32_t maxntid[3], reqntid[3]; /* x 0: not given; else y and z are at least 1 */
    uint32_t minnctapersm, maxnctapersm, maxnreg;
    int line;                 /* of the PTX */
    const struct ptx_loc *loc; /* the first .loc of the body, or NULL */
};

struct ptx_module {
    struct arena arena;
    const char *name;    /* for messages: file name or "PTX" */
    const char *text;    /* the module's own copy */
    size_t text_len;
    int version;         /* .version 8.4: 84 */
    int arch;            /* .target sm_90: 90 */
    char arch_suffix;    /* 'a' for sm_90a, else 0 */
    bool debug;          /* .target sm_90, debug: made for a debugger, the assembler fuses nothing (nvcc -G) */
    const char *compiler; /* who wrote the text, as its first comments say: "clang", "nvcc 13.0", or NULL */
    struct ptx_var **vars; /* module scope: .global .const .shared .texref ... */
    int nvars;
    struct ptx_function **funcs; /* declared and defined, each name once */
    int nfuncs;
    int *rolled; /* lines of .pragma "nounroll", in order: the loop that begins behind one is not unrolled */
    int nrolled;
    struct table var_by_name, func_by_name;
};

/* Parses and checks a module. Returns NULL, with at least one error in `diags`, when the text is not PTX that can be
 * trusted: syntax, unknown names, operand types that do not fit, text that ends too early. `name` and `text` are
 * copied. Never crashes on any input; nesting and sizes are bounded. */
struct ptx_module *ptx_parse(const char *name, const char *text, size_t len, struct diag_list *diags) ACROSS(ptx_parse);
void ptx_free(struct ptx_module *m) ACROSS(ptx_free);

/* The source line of the PTX text that holds byte position `at`, copied into the arena (for carets). */
const char *ptx_line_text(const struct ptx_module *m, int line, struct arena *a);

/* Video instructions: how many parts a word has (1, 2, 4), or 0 for all other instructions. */
int ptx_video_parts(int op);

/* Prints one instruction in normal form (for dumps and tests): modifiers in the order of the ISA, one space. */
struct strbuf;
void ptx_print_inst(const struct ptx_function *f, const struct ptx_inst *in, struct strbuf *out);

#endif
