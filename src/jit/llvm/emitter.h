/* From a form of a kernel, in IR (form.h), to LLVM's instructions. Private to jit/llvm.
 *
 * A varying register is `parts` vectors of `width` lanes; a register of affine shape (jit/lane_shape.h) is its base, a scalar,
 * or one for each of its groups; a predicate is i1 or vectors of i1. `now` has a register's value from its definition on. */
#ifndef JIT_LLVM_EMITTER_H
#define JIT_LLVM_EMITTER_H

#include "interp/lanes.h"
#include "ir/ssa.h"
#include "jit/abi.h"
#include "jit/chain.h"
#include "jit/unroll_jam.h"
#include "jit/lane_shape.h"

#include <llvm-c/Core.h>

enum { MAX_PARTS = 8 };

/* A register's value: scalars (the groups' bases), or parts. A varying predicate has its lanes as bits of an i32, or parts
 * fresh from a comparison; between blocks and in places it is bits. */
struct value {
    bool scalar;
    LLVMValueRef bits;
    LLVMValueRef v[MAX_PARTS];
};

/* A range of addresses above a base that has been checked in this block: accesses inside need no bounds check of their own. */
struct checked {
    LLVMValueRef base;
    int space;
    int64_t from, to; /* bytes above the base */
    unsigned unit;    /* base + rest is a multiple of it */
    int64_t rest;
    LLVMValueRef host; /* of `from` */
};

enum { MAX_CHECKED = 64 };

/* A predicated region: the blocks between a branch whose lanes part and its join, in the order in which they are done under masks
 * (region_blocks.c). */
struct region {
    int32_t join;
    int n;
    int32_t *block;   /* [n] */
    int32_t *at;      /* [blocks of the kernel]: place in the row, n for the join, or -1 */
    int32_t *end;     /* [n]: place of the last block with a way back to this one, or -1 */
    uint64_t *needed; /* [n][words]: registers alive where lanes may wait while this block is done */
    struct region *next;
};

/* An access of lanes whose addresses differ in any way. */
struct many {
    LLVMValueRef lanes;         /* that do it: i32; NULL: all */
    LLVMValueRef on[MAX_PARTS]; /* the same as i1, if there are any */
    LLVMValueRef base;          /* pointer, and bytes above it of each lane: i32 if narrow, else i64 */
    LLVMValueRef at[MAX_PARTS]; /* lanes that are off: 0 */
    unsigned scale;             /* of what `at` has, but for `one` */
    LLVMValueRef one;           /* all lanes' address is this, above base; NULL: not known to be */
    LLVMValueRef stride;        /* local memory: i32, bytes from one lane's to the next one's */
    unsigned bytes, unit;       /* of an element, of all elements of a lane */
    bool narrow;
    bool kept;                  /* lanes that are off keep what the destination holds: the instruction has a guard */
    int64_t from;               /* what was checked: the address register's value + from on, a multiple of `multiple`, */
    unsigned span, multiple;    /* so many bytes */
    LLVMValueRef again;         /* i1: it is checked the second time */
    bool quad;                  /* four loads of words next to each other are done at once: */
    int own;                    /* this one is that number, */
    int32_t sites[4];           /* and these are the others */
};

/* A bounds check that others share in this block. */
struct shared_check {
    struct value address; /* the address register's */
    LLVMValueRef ok;
    int space;
    struct many g;
};

/* A load that was done before its turn. */
struct ahead {
    int32_t site;
    LLVMValueRef v[MAX_PARTS]; /* words, i32 */
};

enum { MAX_SHARED_CHECKS = 8, MAX_AHEAD = 12 };

/* Several warps at once: what struct emit has of one warp while another one's instruction is made. */
struct warp_values {
    LLVMValueRef regs;
    struct value *now;
    uint8_t *have;
};

/* What is computed at a time, a piece: part p of a vector, or, p < 0, the value of the first lane of a group. -1: of the one
 * group of all lanes; -2 and -3: of the second and the first half, turned round; -4 to -7: of quarters. */
static inline int piece_of_group(int group, int halved)
{
    return -((1 << halved) + group);
}

static inline int halved_of_piece(int p)
{
    return 31 - __builtin_clz((unsigned)-p);
}

static inline int index_of_piece(int p) /* in struct value */
{
    return p < 0 ? -p - (1 << halved_of_piece(p)) : p;
}

/* Stores that fill what lies between each other's lanes (memory.c): what the earlier ones will have stored is stored with the last. */
enum { MOST_APART = 4, MOST_WARPS = 8 };
struct beside {
    int n;                      /* so many; 0: none */
    int32_t site[MOST_APART];   /* in the order of addresses */
    int32_t begin, last;        /* the first and the last of them */
    bool of_warp[MOST_WARPS];   /* all of them may be done once the first may */
    LLVMValueRef v[MOST_WARPS][MOST_APART][MAX_PARTS];
};

struct emit {
    const struct jit_job *job;
    const struct ir_kernel *k;
    struct shapes *s;
    int width, parts;
    LLVMContextRef cx;
    LLVMModuleRef module;
    LLVMBuilderRef b;
    LLVMValueRef fn, frame;
    LLVMValueRef regs, shared, params, shared_bytes; /* of the frame, read at entry */
    LLVMTypeRef i1, i8, i16, i32, i64, f32, f64, ptr;
    struct value *now;              /* [nregs] */
    uint8_t *have;                  /* [nregs]: `now` holds it */
    LLVMBasicBlockRef *head;        /* [nblocks] */
    LLVMValueRef resume_var;        /* the number of the one to begin at, a variable */
    LLVMBasicBlockRef begin;        /* it begins there */
    LLVMBasicBlockRef ended;        /* a warp of a fleet exits, waits or has had its turn; i32: why */
    LLVMValueRef ended_as;
    struct checked checked[MAX_CHECKED];
    int nchecked;
    struct shared_check shared_checks[MAX_SHARED_CHECKS];
    int nshared_checks;
    struct ahead ahead[MAX_AHEAD];
    int nahead;
    struct beside beside;
    uint32_t check_slots;           /* slots of frame.seen in use */
    size_t words;
    int32_t site;
    const struct ir_inst *in;
    struct warp_values *of_warp;    /* [job->unrolled], or NULL: one goes at a time */
    int warp;                       /* the one whose registers are above */
    LLVMValueRef scratch; /* memory for lanes that are gone through one by one (gather.c), or NULL */
    bool gathers, scatters; /* the host's own are better than lane by lane */
    struct {
        bool local, tid, warpid, budget;
    } reads;            /* of the frame's fields that differ from warp to warp, so far */
    LLVMValueRef *adds; /* count.c: stores of numbers that have been added to */
    int nadds, adds_cap;
    bool tells_time; /* it reads %clock: instructions are counted */
    LLVMValueRef mask;  /* i32, the lanes that are on; NULL: all 32 */
    LLVMValueRef wide_mask[MAX_PARTS]; /* the same, i32 for each lane, -1 or 0; or NULL */
    LLVMValueRef lanes; /* i32: registers are those of these lanes, and other lanes' places are left alone; NULL: of all 32 */
    LLVMValueRef first; /* the number of the first of these */
    struct region *regions; /* made so far */
    int32_t *rank;      /* [nblocks]: see region_blocks.c, or NULL */
    struct serial_region *serial_regions; /* see serial_regions.c, or NULL; so many */
    int nserials;
    const struct form *form; /* form.h, or NULL: it is being written. Else k is its kernel, and the one that it is of: */
    const struct ir_kernel *form_of;
    bool of_block;           /* it is the block form */
    const bool *in_place;    /* of the form: [nregs] the register has what its spill slot has, or its place */
    int part;                /* of the form, or -1: between its parts */
    LLVMValueRef index;      /* number of the warp in the block, i32 */
    LLVMValueRef block_regs, block_stride; /* the first warp's places, and bytes from one to the next */
    const struct ir_inst *state; /* what is handed over if the warp cannot go on here, or NULL */
    const struct ir_inst *fault_state; /* where one was recorded, the other warps are told here: */
    LLVMBasicBlockRef fault;
    LLVMMetadataRef scope; /* of locations, when a text is wanted */
    struct strbuf *text; /* JIT_WRITTEN: the form's IR goes there, or NULL */
    char problem[200];
    bool internal; /* a form is not what it has to be */
};

/* --- register_values.c --- */
LLVMTypeRef type_of_bits(const struct emit *e, int bits);
LLVMTypeRef type_of(const struct emit *e, enum ptx_type t); /* as registers of this type are kept */
int bits_of_type(enum ptx_type t);
LLVMTypeRef vector_of(const struct emit *e, LLVMTypeRef t);
LLVMValueRef number(const struct emit *e, int bits, uint64_t v);
LLVMValueRef splat(struct emit *e, LLVMValueRef scalar);
/* A constant of f64 as a value that LLVM does not know: it would make a NaN without a sign (7ff8...) of what the host, the
 * interpreter and the GPU (tests/data/nan_h200.tsv) give one (fff8...). Anything else as it is. */
LLVMValueRef unfolded(struct emit *e, LLVMValueRef v);
LLVMValueRef call_intrinsic(struct emit *e, const char *name, LLVMTypeRef overload, LLVMValueRef *args, unsigned n);
LLVMValueRef frame_field(struct emit *e, size_t offset, LLVMTypeRef t);
void frame_set(struct emit *e, size_t offset, LLVMValueRef v);
LLVMBasicBlockRef new_block(struct emit *e, const char *name);
void likely(struct emit *e, LLVMValueRef branch, bool taken);

LLVMValueRef lanes_any(struct emit *e, LLVMValueRef lanes); /* i1: an integer is not 0 */

bool reg_scalar(const struct emit *e, int32_t reg); /* kept as bases */
int first_piece(const struct emit *e, int32_t reg); /* a register's pieces: first_piece, first_piece + 1 .. last_piece */
int last_piece(const struct emit *e, int32_t reg);
int var_parts(const struct emit *e, int32_t reg);         /* variables of a register, and their type */
LLVMTypeRef var_type(const struct emit *e, int32_t reg);
struct value reg_get(struct emit *e, int32_t reg);
void reg_set(struct emit *e, int32_t reg, struct value v);
LLVMValueRef reg_part(struct emit *e, int32_t reg, int p);    /* piece p, whatever the shape; NaN as it is */
struct value uniform_value(struct emit *e, int32_t reg, LLVMValueRef scalar); /* as `reg`, which is scalar, keeps it */
LLVMValueRef reg_bits(struct emit *e, int32_t reg);           /* a predicate: i32, bit i for lane i */
bool reg_packed(const struct emit *e, int32_t reg);           /* a varying predicate */
LLVMValueRef packed(struct emit *e, const LLVMValueRef *parts);
/* Sets e->mask, and where masks of the host are vectors makes one of it that LLVM takes for any number: from block to block
 * it would keep bits of lanes in a form that has to be widened at each use. */
void set_mask(struct emit *e, LLVMValueRef mask);
LLVMValueRef only_lanes(struct emit *e, LLVMValueRef v, LLVMValueRef lanes, int part); /* v, integers; 0 in other lanes */
LLVMValueRef unpacked(struct emit *e, LLVMValueRef bits, int part); /* bits of lanes, i32, as a part of i1 */
void regs_open(struct emit *e);    /* room for the registers and blocks of e->k */
void regs_release(struct emit *e);

/* Piece p of source i of the instruction in type t. Floats in float types, else integers. */
LLVMValueRef source(struct emit *e, int i, enum ptx_type t, int p);
LLVMValueRef source_exact(struct emit *e, int i, enum ptx_type t, int p); /* with the GPU's NaN */
bool source_scalar(struct emit *e, int i);
struct shape source_shape(struct emit *e, int i);
LLVMValueRef exact_nan(struct emit *e, LLVMValueRef v); /* f32: the GPU's NaN */

/* Places of the interpreter. */
void place_store(struct emit *e, int32_t reg);
void place_store_bits(struct emit *e, int32_t reg, LLVMValueRef bits); /* a predicate */
void place_keep(struct emit *e, int32_t reg); /* in machine code's own form (jit/jit_code.h) */
struct value place_load(struct emit *e, int32_t reg);
bool places_overlap(const struct emit *e, int32_t a, int32_t b);
void spill_store(struct emit *e, int32_t reg);
LLVMValueRef spill_load(struct emit *e, int32_t reg, int group);

/* --- arith.c --- */
void arith_guard_widening(struct emit *e); /* where a narrow value may wrap in a lane the warp is given up */
/* False: no code of its own for this instruction. */
bool emit_arith(struct emit *e);
/* For the files below. p: a part of the lanes, or below 0: a scalar. Each gives a part's result, or NULL: no code of its own. */
bool type_is_float(enum ptx_type t); /* f32, f64 */
bool type_is_integer(enum ptx_type t);
bool type_is_signed(enum ptx_type t);
LLVMTypeRef arith_lanes_of(struct emit *e, LLVMTypeRef t, int p);
LLVMValueRef arith_in_lanes(struct emit *e, LLVMValueRef scalar, int p);
LLVMValueRef arith_whole(struct emit *e, int bits, uint64_t v, int p); /* an integer constant */
LLVMValueRef arith_bits_as(struct emit *e, LLVMValueRef v, LLVMTypeRef t, int p); /* the same bits in lanes of t */
LLVMValueRef arith_twice_as_wide(struct emit *e, LLVMValueRef v, int bits, bool sign, int p);

/* --- float.c --- */
LLVMValueRef float_op(struct emit *e, int p);
LLVMValueRef float_constant(struct emit *e, enum ptx_type t, double x, int p); /* a constant */
LLVMValueRef float_intrinsic(struct emit *e, const char *name, LLVMValueRef a); /* an intrinsic function of one operand */
LLVMValueRef float_flushed(struct emit *e, LLVMValueRef v); /* f32: subnormals are zeros of their sign */
LLVMValueRef float_clamped_to_one(struct emit *e, LLVMValueRef v, enum ptx_type t, int p); /* .sat */
LLVMValueRef float_quieted(struct emit *e, LLVMValueRef v, LLVMValueRef else_, int p); /* f64: v if it is NaN, quiet */

LLVMValueRef float_least(struct emit *e, LLVMValueRef x, LLVMValueRef y, enum ptx_type t, bool max, int p);

/* --- math_forms.c: vectors of floats. NULL: the host has not what it takes --- */
LLVMValueRef math_form(struct emit *e, enum math_form form, LLVMValueRef x);
LLVMValueRef math_least(struct emit *e, LLVMValueRef a, LLVMValueRef b, bool max); /* of two f32 that are no signalling NaN; NULL: not on this host */
LLVMValueRef math_rsqrt(struct emit *e, LLVMValueRef a); /* of 1 / sqrt(a) in double, rounded, the bits; NaN as it is */

/* --- convert.c, half.c, bits.c, divide.c, math.c --- */
LLVMValueRef convert_op(struct emit *e, int p);
LLVMValueRef convert_to_half(struct emit *e, LLVMValueRef x, bool brain, int p); /* f32 to f16 or bf16, in lanes of 16 bits */
LLVMValueRef half_op(struct emit *e, int p);
LLVMValueRef bits_op(struct emit *e, int p);
LLVMValueRef math_function(struct emit *e, LLVMValueRef *args, int p); /* the instruction's, of its step's row */
LLVMValueRef math_call(struct emit *e, int p);
bool math_no_way(struct emit *e); /* a call that tells the way of another, where nobody counts; false: it is none */
LLVMValueRef divide_op(struct emit *e, int p);
/* Instructions that read or write the carry flag. False: no code of its own. */
bool emit_carry(struct emit *e);

/* --- memory.c --- */
/* The first slot of frame.seen of an access at affine addresses, in the form for a warp or that of the block. */
static inline uint32_t memory_first_slot(const struct jit_job *job, bool of_block)
{
    return of_block ? (2 * JIT_CHECKS_EACH + 1) * (uint32_t)job->naccesses : 0;
}
/* False: no code of its own for this access. */
bool emit_memory(struct emit *e);
void memory_check_ahead(struct emit *e); /* before it, if that is a thing of its own: whether it may be done */
/* An element in memory as the register that it is loaded to keeps it, and the other way round. */
LLVMValueRef memory_widened(struct emit *e, LLVMValueRef v, int32_t reg, bool scalar);
LLVMValueRef memory_stored_part(struct emit *e, int element, int p);
/* A part's lanes that follow each other in memory, of so many bytes each; `on`: i1 for each, NULL: all. Lanes that are off load 0. */
LLVMValueRef memory_load_lanes(struct emit *e, LLVMTypeRef t, LLVMValueRef from, unsigned bytes, LLVMValueRef on);
void memory_store_lanes(struct emit *e, LLVMValueRef v, LLVMValueRef to, unsigned bytes, LLVMValueRef on);
LLVMValueRef memory_joined(struct emit *e, LLVMValueRef a, LLVMValueRef b, int n); /* vectors of n lanes as one */
/* One of two values, by where it comes from. */
struct value memory_either(struct emit *e, const struct value *a, LLVMBasicBlockRef from_a, const struct value *b,
                           LLVMBasicBlockRef from_b);

/* Addresses of affine shape: the lowest of each group; 2 to what is answered is the number of groups. -1: they are not. */
int memory_lowest_addresses(struct emit *e, LLVMValueRef *lowest);

/* Lanes that store, n of them in pieces of `piece` neighbours, do it in the order of store_group: piece k is the k-th one's
 * number exclusive-or this. */
int memory_store_turn(const struct ir_inst *in, int n, int piece);

/* Asks jit_ops.check (slot, span and unit: i32): i1, they may be accessed. */
LLVMValueRef memory_ask_check(struct emit *e, LLVMValueRef slot, LLVMValueRef host, LLVMValueRef span, LLVMValueRef unit);
LLVMValueRef memory_seen_field(struct emit *e, uint32_t slot, int which); /* of a struct jit_seen: 0 first, 1 room */
LLVMValueRef memory_rotated(struct emit *e, LLVMValueRef v, unsigned unit); /* multiples of `unit` become the lowest numbers */

/* --- bounds_check.c --- */
LLVMValueRef at_byte(struct emit *e, LLVMValueRef base, LLVMValueRef offset);
LLVMTypeRef lanes_of_bits(struct emit *e, int bits);
/* An address that is a scalar of 64 bits and a small multiple of a number of 32 bits that differs from lane to lane. */
struct indexed {
    int32_t base, index; /* registers */
    bool sign;           /* of the index */
    unsigned scale;      /* power of two */
};
bool bounds_check_find_index(const struct emit *e, struct indexed *x); /* of this access. False: it is not of that kind */
/* i1: all lanes that are on may access their memory. Fills in g, of which `lanes` is known. */
LLVMValueRef bounds_check_lanes(struct emit *e, struct many *g);
LLVMValueRef bounds_check_shared(struct emit *e, struct many *g); /* the same, of an access before; NULL: there is none */
bool bounds_check_has_range(const struct emit *e); /* one that is found by the first lane's address, and its slot in frame.seen */
uint32_t bounds_check_slot(const struct emit *e);

/* --- gather.c --- */
/* False: no code of its own. */
bool emit_gather(struct emit *e);
/* `fast` makes the code for an access that may be done here; where it may not the interpreter's step is called. False: no
 * code of its own for such an address or destination. */
bool emit_lanes(struct emit *e, void (*fast)(struct emit *e, const struct many *g, struct value *results));
LLVMValueRef gather_pointer(struct emit *e, const struct many *g, int lane, unsigned element);
LLVMValueRef first_lane(struct emit *e, LLVMValueRef lanes); /* i32; lanes is not 0 */
/* Arrays of 32 values of up to 8 bytes in memory, 0 to 4, for lanes by number (i32). */
LLVMValueRef scratch(struct emit *e, int array);
void scratch_store(struct emit *e, int array, const LLVMValueRef *parts, unsigned bytes);
LLVMValueRef scratch_part(struct emit *e, int array, int p, LLVMTypeRef t);
LLVMValueRef scratch_load(struct emit *e, int array, LLVMValueRef lane, LLVMTypeRef t);
/* A loop over the bits of `lanes`, ascending, at least one: the number of the bit. */
struct lane_loop {
    LLVMBasicBlockRef body;
    LLVMValueRef left;
};
LLVMValueRef lane_loop(struct emit *e, LLVMValueRef lanes, struct lane_loop *l);
void lane_loop_end(struct emit *e, struct lane_loop *l);

/* --- count.c: launches that count; nothing in others --- */
/* Accesses leave records in the warp's ring, which has room for a block's: before the next one it may have to be fetched. */
static inline bool leaves_records(const struct emit *e)
{
    return e->job->counting && (!e->job->tallies || e->job->cached);
}
void count_block(struct emit *e, int32_t block, LLVMValueRef warps); /* the lanes that are on enter it, in so many warps; below 0: have not */
/* The function is whole: additions go to the ends of LLVM's blocks, behind loads that could not pass them. Nothing reads a number. */
void count_settle(struct emit *e);
void count_branch(struct emit *e, LLVMValueRef lanes, LLVMValueRef mask); /* of the lanes of mask these take it */
void count_executed(struct emit *e, LLVMValueRef instructions);
void count_guard(struct emit *e, LLVMValueRef bits); /* of a guarded instruction */
void count_trips(struct emit *e);                    /* lanes come to an unrolled loop: IR_OP_TRIPS */
void count_long_way(struct emit *e);                 /* lanes come to a quotient or root: IR_OP_LONG_WAY */
void count_guards(struct emit *e, LLVMValueRef bits, LLVMValueRef warps); /* the same in so many warps */
/* An access by `lanes` (NULL: all 32): the lowest addresses of 2^halved groups. */
void count_shape(struct emit *e, const LLVMValueRef *lowest, int halved, LLVMValueRef lanes);
/* One of a whole warp of which the same is counted wherever it lies; in code for several warps for all of them. False: it is not
 * counted that way. */
bool count_anywhere(struct emit *e);
void count_lanes(struct emit *e, const struct many *g);                  /* an access */
LLVMValueRef tally_field(struct emit *e, size_t offset); /* of this instruction's struct tally_site: its place */

/* --- atomic.c --- */
/* False: no code of its own. */
bool emit_atomic(struct emit *e);
bool atomic_counts_changes(const struct emit *e);
void emit_fence(struct emit *e);
/* All lanes' integers in one, by the instruction's operation (mods->atomic) and type. */
LLVMValueRef atomic_reduced(struct emit *e, const LLVMValueRef *parts);

/* --- shuffles.c: all 32 lanes are here. False: no code of its own --- */
bool shuffles_any(struct emit *e);
bool shuffles_reduce(struct emit *e);

/* --- flow.c --- */
void emit_step(struct emit *e, LLVMValueRef mask);  /* through the interpreter's step; mask NULL: all lanes */
LLVMValueRef flow_guard_bits(struct emit *e);            /* lanes in which the guard holds */
LLVMValueRef flow_lanes_on(struct emit *e);              /* lanes that do this instruction, i32; NULL: all 32 */
void flow_source_to_place(struct emit *e, int i);        /* for functions of the frame */
void step_into(struct emit *e, LLVMValueRef lanes, struct value *results); /* the same without a look for no lanes */
void step_call(struct emit *e, LLVMValueRef mask);  /* the call alone: operands are in their places */
LLVMValueRef op_function(struct emit *e, size_t op); /* of jit_ops */
LLVMValueRef op_ask(struct emit *e, size_t op, LLVMValueRef arg); /* calls a function of jit_ops; arg: i32, so the answer */
void op_call(struct emit *e, size_t op, LLVMValueRef arg);        /* the same; if it is not 0, a fault, machine code stops */
/* op_ask of a function that knows of no warp: in the unroll-and-jam form, too. */
LLVMValueRef op_tell(struct emit *e, size_t op, LLVMValueRef arg);
LLVMValueRef op_tell_of(struct emit *e, size_t op, int32_t site, LLVMValueRef arg); /* of another site of the kernel */
/* Goes on if `ok`; else everything alive is saved and the interpreter goes on at this instruction. */
void flow_leave_unless(struct emit *e, LLVMValueRef ok, enum jit_stop why);
/* Goes on if `ok`, else at `no`. */
void flow_go_on_if(struct emit *e, LLVMValueRef ok, LLVMBasicBlockRef no);
/* Branches, exits, barriers, exchanges and whatever else is no plain step; false: none of these. */
bool emit_flow(struct emit *e);

/* --- unroll_jam_code.c: several warps at once --- */
/* A loop over the warps of the code, in which the struct has each one's registers. Only one in other forms. */
#define EACH_WARP(e, w) for (int w = unroll_jam_first(e); w < (e)->job->unrolled; w = unroll_jam_next((e), w))
int unroll_jam_first(struct emit *e);
int unroll_jam_next(struct emit *e, int w);
void unroll_jam_open(struct emit *e); /* where variables are made */
void unroll_jam_release(struct emit *e);
bool unroll_jam_shared(const struct emit *e, int32_t reg); /* it follows from the first warp's, and this is another */
/* Of the first warp's value this one's, if unroll_jam_shared. */
struct value unroll_jam_stepped(struct emit *e, int32_t reg, struct value v);
int64_t unroll_jam_step(const struct emit *e, int32_t reg); /* from warp to warp, or 0 */
LLVMValueRef unroll_jam_first_source(struct emit *e, int i, enum ptx_type t, int p); /* source() of the first warp */
/* The code stops behind this instruction: the block's other warps are to come to it before this one goes on (interp/turn.h). */
bool emit_ends_turn(const struct emit *e, int32_t site);

/* --- form_code.c: forms --- */
void form_code_empty(LLVMValueRef fn);               /* takes all code out of it */
bool form_code_emit(struct emit *e);                 /* instead of emit_kernel. False: e->problem */
void form_code_leave(struct emit *e, enum jit_stop why);
void form_code_stop(struct emit *e, enum jit_stop why, int32_t site); /* of the kernel */
/* The instruction of the kernel that this one is. */
static inline int32_t kernel_site(const struct emit *e, int32_t site)
{
    return e->k->insts[site].site;
}

/* And the register. */
static inline int32_t kernel_register(const struct emit *e, int32_t reg)
{
    return ir_variable(e->k, reg);
}

/* --- split_code.c: registers of some lanes, and instructions of the split form --- */
struct value split_load(struct emit *e, int32_t reg);         /* from its place, where only the lanes of `mask` count */
LLVMValueRef split_group_on(struct emit *e, int group, int halved); /* of `mask`, the lanes of a group */
void split_store(struct emit *e, int32_t reg, LLVMValueRef lanes); /* its newest value to its place, for these lanes */
bool split_code_inst(struct emit *e);                         /* false: it is another instruction */

/* --- lines.c --- */
void lines_open(struct emit *e);              /* when the function is there */
void lines_at(struct emit *e, int32_t site);  /* what follows is of this instruction */

/* --- region_blocks.c: predicated regions, the blocks between a branch whose lanes part and its join --- */
/* Where a block goes to: behind it, and where its branch leads; -1: not there. */
struct ends {
    int32_t next, target;
    bool parts; /* lanes may */
};
struct ends region_ends_of(const struct emit *e, int32_t block);
struct region *region_row(struct emit *e, const struct ir_inst *branch); /* the blocks in their order alone; or NULL */
bool region_loops(const struct region *r, int nth); /* the block is in a loop of the region */
struct region *region_find(struct emit *e, const struct ir_inst *branch); /* or NULL */
/* One made before in which the lanes can go on from the branch: until its own join, or on the rest of a way that is not gone
 * again, rather than making code for less. */
struct region *region_with(const struct emit *e, const struct ir_inst *branch);
void region_release(struct region *all);
int32_t region_block_behind(const struct emit *e, int32_t block); /* in the text, or -1 */
static inline const uint64_t *region_needed(const struct emit *e, const struct region *r, int nth)
{
    return r->needed + (size_t)nth * e->words;
}

/* --- serial_regions.c: lane-serial loops, regions that one lane goes through after the other --- */
enum { SERIAL_FROM_OUTSIDE = 1, SERIAL_FROM_RESUME = 2 };

struct serial_region {
    struct region *r;
    uint8_t *entry;       /* [n]: SERIAL_FROM_..: lanes may come in here, from blocks around it, or at a resume point */
    struct shapes shapes; /* of registers, in one lane */
    uint64_t *defined;    /* registers that it writes */
    uint64_t *brought, *taken; /* that each lane has its own of where it comes in, and at the join */
    struct chain chain;   /* launches that count */
    struct serial_region *next;
};

void serial_regions_find(struct emit *e); /* sets e->serial_regions and e->nserials */
void serial_regions_release(struct serial_region *all);
struct serial_region *serial_region_with(const struct emit *e, int32_t block); /* that has this block, or NULL */
/* A region of which one is a part: where its place in the row begins, and the code for the lanes that wait there. */
struct serial_region *serial_region_in(const struct emit *e, const struct region *r, int nth);
bool serial_region_waits(const struct serial_region *s, int32_t block); /* lanes may, of such a region */
bool serial_region_begins(const struct serial_region *s, const struct region *r, int nth);
bool serial_region_loads(const struct ir_inst *in); /* from memory */
/* The register has one value for all lanes as long as they go through. */
bool serial_region_keeps(const struct emit *e, const struct serial_region *s, int32_t reg);
static inline const struct ir_block *serial_region_block(const struct emit *e, const struct region *r, int nth)
{
    return &e->k->blocks[r->block[nth]];
}

/* --- emitter.c --- */
bool emit_entered_before(const struct emit *e, int32_t site); /* machine code can be, if it is a resume point */
void emit_inst(struct emit *e);
void emit_next_warp(struct emit *e); /* what follows where a warp of a fleet stops */
bool emit_kernel(struct emit *e);

#endif
