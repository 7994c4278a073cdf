/* The executor's form of a kernel: one struct step per IR instruction, operands resolved to places.
 *
 * A place is a byte offset into the warp's registers or, with PLACE_POOL set, into the kernel's pool of constants
 * (each constant is there 32 times, so it reads like a register). */
#ifndef INTERP_CODE_H
#define INTERP_CODE_H

#include "interp/lanes.h"
#include "interp/turn.h"
#include "simt/warp.h"

enum { PLACE_POOL = 1u << 31, PLACE_NONE = ~0u };
enum { STEP_SRC = 8, STEP_DST = 4 }; /* sources and results that a step has room for */
typedef uint32_t place;

enum step_kind {
    STEP_LANES, /* fn, then sub[] */
    STEP_SREG,
    STEP_LOAD,
    STEP_STORE,
    STEP_ATOM,
    STEP_ASYNC, /* cp.async: into the warp's queue */
    STEP_ASYNC_COMMIT,
    STEP_ASYNC_WAIT,
    STEP_TEXTURE,
    STEP_SURFACE,
    STEP_MBARRIER, /* mbarrier, and cp.async.mbarrier.arrive */
    STEP_BRANCH,
    STEP_SWITCH,
    STEP_EXIT,
    STEP_BARRIER,
    STEP_SYNCWARP,
    STEP_SHUFFLE,
    STEP_VOTE,
    STEP_MATCH,
    STEP_REDUX,
    STEP_ELECT,
    STEP_MATRIX_LOAD, /* ldmatrix */
    STEP_MATRIX_STORE,
    STEP_MATRIX_MOVE,
    STEP_MATRIX_PRODUCT,
    STEP_ACTIVEMASK,
    STEP_FENCE,
    STEP_CVTA,
    STEP_ISSPACEP,
    STEP_NANOSLEEP,
    STEP_TRAP,
    STEP_GRID_SYNC, /* the one service that waits */
    STEP_SERVICE, /* a function of services.def */
    STEP_COUNTED, /* launches that count do something there */
    STEP_NOP
};

/* The kinds at which lanes meet and look at each other, as labels of a switch: `case STEP_EXCHANGES:`. */
#define STEP_EXCHANGES                                                                             \
    STEP_SYNCWARP : case STEP_SHUFFLE : case STEP_VOTE : case STEP_MATCH : case STEP_REDUX : case STEP_ELECT : case STEP_MATRIX_LOAD : \
    case STEP_MATRIX_STORE : case STEP_MATRIX_MOVE : case STEP_MATRIX_PRODUCT

struct interp_code;
struct step;

/* A memory instruction, for the lanes in `m` (never 0). False: a fault was recorded. */
typedef bool access_fn(const struct interp_code *c, struct warp *w, const struct step *st, uint32_t m);

/* A call of a service, for the lanes in `m` (never 0). False: a fault was recorded. */
typedef bool service_fn(const struct interp_code *c, struct warp *w, const struct step *st, uint32_t m);

/* A second lane function of the same instruction: setp's q, the elements of a vector move. */
struct step_sub {
    lanes_fn *fn;
    place d, a, b, c;
};

struct step {
    uint8_t kind;          /* enum step_kind */
    uint8_t guarded;       /* 0, 1: @p, 2: @!p */
    uint8_t block_head;    /* first instruction of a basic block: 1; of one that may leave records, or reads the time: 2 */
    uint8_t back_edge, waiting, leaves;
    int8_t level;          /* branch: 1: a call, -1: a return */
    uint8_t space, elem, vec; /* memory: enum ptx_space, bytes of an element, elements */
    uint8_t address_width; /* memory: bytes of the address register: 4 or 8 */
    uint8_t sign : 1;      /* loads: sign-extend into a wider register */
    uint8_t ordered : 1;   /* memory: not weak: lane by lane */
    uint8_t entered : 1;   /* first instruction of a block of ir_kernel.entered */
    uint8_t own_masks : 1; /* exchanges: lanes may have member masks of their own (target/uniform.h) */
    uint8_t width[STEP_SRC]; /* bytes of a lane of each source register */
    uint8_t dst_width[STEP_DST]; /* bytes of a lane of each destination register: a vector's may differ */
    uint8_t sreg;          /* STEP_SREG: enum ptx_sreg */
    uint8_t nsub;
    uint8_t turn;          /* behind it a turn may end: number of the place in turns.at, + 1; 0: none does */
    uint8_t math;          /* STEP_LANES: row of the function in lanes_math(), + 1; 0: it has none */
    uint8_t arguments;     /* and how many vectors it takes, of doubles if `elem` is 8 */
    uint8_t form;          /* and its enum math_form */
    place guard;
    place d[STEP_DST];   /* PLACE_NONE: dropped */
    place s[STEP_SRC];     /* PLACE_NONE: absent; of a product of matrices all are in `places` */
    union {
        lanes_fn *fn;      /* STEP_LANES */
        access_fn *access; /* memory, and STEP_MATRIX_PRODUCT */
        service_fn *service; /* STEP_SERVICE */
    };
    struct step_sub *sub;
    int64_t offset;        /* added to the address; STEP_CVTA: to the value */
    int32_t target;        /* branch: site */
    int32_t join;          /* branch: site where lanes meet again, or -1 */
    union {
        int32_t *targets; /* STEP_SWITCH */
        place *places;    /* STEP_MATRIX_PRODUCT: of its sources, in their order */
    };
    int32_t block;
    const struct ir_inst *in;
};

struct interp_code {
    const struct ir_kernel *kernel;
    struct step *step; /* [ninsts] */
    place *of_reg;     /* [nregs] */
    char *pool;
    size_t pool_bytes;
    uint32_t reg_bytes;
    struct turn_places turns;
    unsigned needs; /* of the services that it calls: enum service_needs */
};

/* Whole warps of the launch end a turn behind the step. */
static inline bool step_ends_turn(const struct launch *l, const struct step *st)
{
    return st->turn && l->turns >> (st->turn - 1) & 1;
}

static inline void *place_at(const struct interp_code *c, const struct warp *w, place p)
{
    return p & PLACE_POOL ? c->pool + (p & ~(uint32_t)PLACE_POOL) : w->regs + p;
}

/* --- what both executors know of instructions that look at the lane's number --- */

enum { WARPS_OF_SM = 64 /* %nwarpid: at most, compute capability 7.0 to 9.0 but 7.5 and 8.6 */ };

/* %laneid and the lane masks. */
static inline uint32_t sreg_of_lane(uint32_t sreg, int lane)
{
    uint32_t bit = 1u << lane;
    switch (sreg) {
    case PTX_SREG_LANEID:
        return (uint32_t)lane;
    case PTX_SREG_LANEMASK_EQ:
        return bit;
    case PTX_SREG_LANEMASK_LE:
        return bit | (bit - 1);
    case PTX_SREG_LANEMASK_LT:
        return bit - 1;
    case PTX_SREG_LANEMASK_GE:
        return ~(bit - 1);
    default: /* PTX_SREG_LANEMASK_GT */
        return ~(bit | (bit - 1));
    }
}

/* Where a space lies among the generic addresses; 0: they are its own. */
static inline uint64_t generic_window(int space)
{
    return space == PTX_SHARED ? SPACE_SHARED_WINDOW : space == PTX_LOCAL ? SPACE_LOCAL_WINDOW : 0;
}

/* The lane that a lane of a shuffle reads, and whether it is one that it may read (PTX ISA 9.7.9.6: the example's code). */
static inline int32_t shuffle_source(int kind, int32_t lane, uint32_t b, uint32_t c, int32_t *valid)
{
    int32_t at = b & 31, clamp = c & 31, segment = c >> 8 & 31;
    int32_t min = lane & segment, max = min | (clamp & ~segment);
    int32_t j = kind == PTX_SHFL_UP ? lane - at : kind == PTX_SHFL_DOWN ? lane + at : kind == PTX_SHFL_BFLY ? lane ^ at
              : min | (at & ~segment);
    *valid = kind == PTX_SHFL_UP ? j >= max : j <= max;
    return *valid ? j : lane;
}

/* --- slots.c --- */

/* Gives every register a place: registers that are never live together share one. Returns the bytes a warp needs. */
uint32_t slots_assign(const struct ir_kernel *k, place *of_reg);

/* Bytes of one lane of a register. Predicates are one 32-bit word for all lanes: 0. */
unsigned slots_width(const struct ir_kernel *k, int32_t reg);

/* --- records --- */

static inline uint8_t step_record_op(const struct step *st)
{
    return st->kind == STEP_LOAD || st->kind == STEP_MATRIX_LOAD ? RECORD_LOAD
         : st->kind == STEP_STORE || st->kind == STEP_MATRIX_STORE ? RECORD_STORE
         : st->kind == STEP_ASYNC ? RECORD_LDGSTS : ir_is(st->in, PTX_KIND_REDUCE) ? RECORD_RED : RECORD_ATOM;
}

/* Lanes that the record of an access by the lanes of m names. */
static inline uint32_t step_record_mask(const struct step *st, uint32_t m)
{
    return st->in->atomic_form == IR_ATOMIC_ONCE ? m & -m : m;
}

/* What all records of a step for one space have in common. */
static inline void step_record(const struct interp_code *c, const struct step *st, int space, struct record *r)
{
    const struct ptx_mods *mods = st->in->mods;
    r->site = (uint32_t)(st - c->step);
    r->generic = st->space == PTX_GENERIC;
    r->matrix = st->kind == STEP_MATRIX_LOAD || st->kind == STEP_MATRIX_STORE;
    r->counted = st->in->atomic_form == IR_ATOMIC_COUNTED;
    r->op = step_record_op(st);
    r->space = (uint8_t)space;
    r->shape = RECORD_EXPLICIT;
    r->bytes = (uint8_t)(st->elem * st->vec);
    r->elem = st->elem;
    r->cache = mods->cache;
    r->order = mods->order;
    r->atomic = mods->atomic;
    r->type = st->in->type;
    r->nc = mods->nc;
    r->stride = 0;
}

/* --- access.h, built for three levels of the host --- */
struct access_ops {
    access_fn *load, *store, *atom, *async, *load_matrix, *store_matrix;
};
extern const struct access_ops access_ops_v2, access_ops_v3, access_ops_v4;

/* --- matrix.h, likewise --- */
struct matrix_ops {
    access_fn *product[PTX_ELEMENT_COUNT]; /* by the elements of A */
    access_fn *halves;                     /* of f16, with C and D of f16 */
};
extern const struct matrix_ops matrix_ops_v2, matrix_ops_v3, matrix_ops_v4;

/* --- exchange.c: lanes look at each other --- */

/* The member mask of a .sync instruction, as the first lane of m says it: in the last source (PTX ISA 9.7.13), of an instruction
 * on matrices all lanes; without .sync the lanes of m. *same: the lanes that say the same. */
uint32_t exchange_members(const struct interp_code *c, const struct warp *w, const struct step *st, uint32_t m, uint32_t *same);
/* The operand that it is in; NULL: the step has none. */
const struct ir_src *exchange_mask(const struct step *st);
/* Lanes of m, all of `members`' callers that are here, that are not in it and may not be: an H200 says illegal instruction where the
 * mask is the lane's own or where lanes are parted (WARPSYNC). Where one mask is for all and all are together ptxas 13.0 leaves
 * that out, and they do the exchange with the others (tests/programs/member_masks.cu). */
uint32_t exchange_strangers(const struct warp *w, const struct step *st, uint32_t m, uint32_t members);
/* Lanes at these two places can meet: both are the same .sync instruction with the same qualifiers. PTX ISA 9.7.9.6 and 9.7.13 ask
 * for no more, nvcc unrolls loops that lanes leave at different turns with votes in them, and an H200 lets lanes in the arms of a
 * branch vote, shuffle, match and reduce together (tests/device/meetings.cu, 2026-11-23). Products of matrices are .aligned. */
bool exchange_is_same(const struct step *a, const struct step *b);
/* The lanes of m have met, lane i at at[i], not all at one place. */
void exchange_apart(const struct interp_code *c, struct warp *w, const struct step *const at[], uint32_t m);
void exchange_shuffle(const struct interp_code *c, struct warp *w, const struct step *st, uint32_t m);
void exchange_elect(const struct interp_code *c, struct warp *w, const struct step *st, uint32_t m);
void exchange_vote(const struct interp_code *c, struct warp *w, const struct step *st, uint32_t m);
void exchange_match(const struct interp_code *c, struct warp *w, const struct step *st, uint32_t m);
void exchange_movmatrix(const struct interp_code *c, struct warp *w, const struct step *st, uint32_t m);
void exchange_redux(const struct interp_code *c, struct warp *w, const struct step *st, uint32_t m);

/* --- async.c: the queue of asynchronous copies --- */

/* A place in the queue for one more copy; its mask is 0. */
struct async_copy *async_push(struct warp *w);
void async_commit(struct warp *w, uint32_t m);
/* Carries out what the lanes of `m` wait for: all groups but the newest `keep`; with `all`, the open group too. */
void async_wait(struct warp *w, uint32_t m, uint32_t keep, bool all);

/* --- texture.c --- */

/* False: a fault was recorded. */
bool texture_step(const struct interp_code *c, struct warp *w, const struct step *st, uint32_t m);
bool texture_surface(const struct interp_code *c, struct warp *w, const struct step *st, uint32_t m);

/* --- mbarrier.c --- */

/* False: a fault was recorded. */
bool mbarrier_step(const struct interp_code *c, struct warp *w, const struct step *st, uint32_t m);

/* --- special.c: special registers and address conversions --- */

/* What a cvta adds. */
uint64_t special_window(const struct ir_inst *in);
void special_read(const struct interp_code *c, struct warp *w, const struct step *st, uint32_t m);
void special_cvta(const struct interp_code *c, struct warp *w, const struct step *st, uint32_t m);
void special_isspacep(const struct interp_code *c, struct warp *w, const struct step *st, uint32_t m);

/* Value of source i in one lane, zero-extended from its width; of 16 bytes the lower 8. */
static inline uint64_t step_value(const struct interp_code *c, const struct warp *w, const struct step *st, int i,
                                  int lane)
{
    const void *p = place_at(c, w, st->s[i]);
    switch (st->width[i]) {
    case 0:
        return *(const uint32_t *)p >> lane & 1;
    case 1:
        return ((const uint8_t *)p)[lane];
    case 2:
        return ((const uint16_t *)p)[lane];
    case 4:
        return ((const uint32_t *)p)[lane];
    case 8:
        return ((const uint64_t *)p)[lane];
    default:
        return ((const uint64_t *)p)[2 * lane];
    }
}

/* Writes the low bytes of `v` to destination d in one lane; the upper 8 of 16 become 0. Predicates are not written here. */
static inline void step_write(const struct interp_code *c, const struct warp *w, const struct step *st, int d,
                              int lane, uint64_t v)
{
    void *p = place_at(c, w, st->d[d]);
    switch (st->dst_width[d]) {
    case 1:
        ((uint8_t *)p)[lane] = (uint8_t)v;
        break;
    case 2:
        ((uint16_t *)p)[lane] = (uint16_t)v;
        break;
    case 4:
        ((uint32_t *)p)[lane] = (uint32_t)v;
        break;
    case 8:
        ((uint64_t *)p)[lane] = v;
        break;
    case 16:
        ((uint64_t *)p)[2 * lane] = v;
        ((uint64_t *)p)[2 * lane + 1] = 0;
        break;
    default: /* a predicate */
        break;
    }
}

#endif
