/* Per-kernel IR: PTX with everything resolved, calls inlined, and the control flow known.
 *
 * In: a kernel of a parsed module and the addresses of the module's variables. Out: a flat array of instructions in
 * basic blocks, with registers numbered through, memory operands as base + offset, post-dominators, loops and
 * liveness. Operations are the rows of ptx_ops.def; nothing is invented beyond the few in enum ir_op. Registers are
 * PTX's own virtual registers; between ir_into_ssa and ir_out_of_ssa (ssa.h) each has one definition. The index of an
 * instruction is its *site*: counters, faults and source
 * lines are keyed by it, so a kernel is not changed any more once ir_analyse has run.
 *
 * Addresses: .global and .const are device addresses; .shared, .local, .param are byte offsets in the block's shared
 * memory, the thread's local memory, the kernel's parameter block. Call parameters of inlined functions live in
 * IR_SCRATCH, a private per-thread area that is not memory traffic. */
#ifndef IR_IR_H
#define IR_IR_H

#include "base/arena.h"
#include "ptx/ptx.h"

/* Operations that PTX does not have, behind those that it has. */
enum ir_op {
    IR_OP_BEFORE = PTX_OP_COUNT - 1,
#define IR_OP(id, word, results, sources, number, facts) IR_OP_##id,
#include "ir/ir_ops.def"
#undef IR_OP
    IR_OP_END
};

/* How the assembler does an atomic (target/atomics.c): by each lane, by one lane for all lanes of the warp, or so that
 * lanes on one word are counted first (ATOMS.POPC.INC). What it does to memory is the same. */
enum ir_atomic_form { IR_ATOMIC_LANES, IR_ATOMIC_ONCE, IR_ATOMIC_COUNTED };

/* Spaces beyond enum ptx_space. */
enum { IR_SCRATCH = PTX_PARAM + 1, IR_HOST /* forms of machine code: an address of the host's that may be accessed */ };

enum ir_src_kind { IR_SRC_REG, IR_SRC_IMM, IR_SRC_SREG };

struct ir_src {
    uint8_t kind;
    bool negated;   /* predicate: !p */
    union {
        int32_t reg;   /* IR_SRC_REG */
        uint32_t sreg; /* IR_SRC_SREG: enum ptx_sreg */
    };
    uint64_t imm;   /* IR_SRC_IMM: the value's bits, in the type the instruction reads */
};

enum { IR_NOREG = -1,
       IR_VECTOR = 4,     /* elements a lane that an access to memory has at most */
       IR_OPERANDS = 512  /* results or sources that an instruction has at most, but a phi: wgmma of 64 x 256 has 128 and 256 */,
       IR_STATE = 2400    /* registers that a `state` names at most */ };

/* A reconvergence point before the post-dominator: a block where lanes that part at a branch meet though some ways go past it
 * (reconvergence.c). Lanes that come to a block that is not in `inside` have left: they are not waited for there. */
struct ir_reconvergence {
    int32_t block;
    uint64_t *inside; /* bit set over blocks: those from which a way leads to it without the branch's `join` */
};

/* Where an instruction is from: what messages, a profile's lines and a debugger name. Instructions that are made of each other
 * share it, and it is not changed. */
struct ir_origin {
    const struct ptx_loc *loc; /* the user's source; NULL when unknown */
    int ptx_line;
    const char *text; /* the PTX statement, and its length */
    int text_len;
    int32_t of_frame;  /* ir_kernel.frames: in which call it is */
    int32_t statement; /* which of the function's instructions it is, or -1: none */
};

struct ir_inst {
    uint16_t op;   /* enum ptx_op or enum ir_op */
    uint8_t type;  /* enum ptx_type: the instruction's first type; memory: of one element */
    uint8_t type2; /* second type: source of cvt, set, slct */
    uint8_t space; /* memory: enum ptx_space or IR_SCRATCH */
    uint8_t vec;   /* memory: elements a lane, 1 2 4; dst[] or src[1..] hold them */
    uint16_t ndst, nsrc;
    uint8_t atomic_form; /* atom, red: enum ir_atomic_form */
    uint8_t way;     /* IR_OP_EXTERN: which way of the function its lanes' arguments take (target/ways.h) */
    bool guard_negated;
    bool product_fused; /* IR_OP_EXTERN, div, rcp: the product at its end is part of the sums that read it (target/contract.h) */
    bool back_edge;  /* branch: target is a header of a loop that holds the branch */
    bool waiting;    /* branch: that loop is a waiting loop */
    bool joined;     /* branch: lanes that take different ways meet again at `join` */
    bool frame;      /* ld, st: of a register that a call saves (ir/recursion.h) */
    bool is_return;  /* brx: the end of a function that may call itself (ir/recursion.h) */
    int32_t after_call; /* bra: a call of such a function, and the block that it comes back to, + 1; 0: no call */
    int32_t guard;   /* predicate register, or IR_NOREG */
    const int32_t *dst; /* [ndst] registers; IR_NOREG for `_` and for elements nobody reads; edit.h changes both lists */
    const int32_t *old; /* in SSA, under a guard: [ndst] what the results are in lanes that the guard leaves out */
    const struct ir_src *src; /* [nsrc]; memory: src[0] is the base address; store: then the values */
    int64_t offset;  /* memory: bytes added to the base */
    int64_t offset2; /* cp.async: bytes added to src[1], the global address; src[0] + offset is the shared one */
    int32_t target;  /* branch: block; brx: ntargets of them in `targets`; operations of forms: enum ir_number */
    int32_t *targets; /* phi: [nsrc] the block from which a lane comes with src[i]; -1: it begins here; state: form.h */
    int32_t ntargets;
    int32_t join;    /* branch: block of the immediate post-dominator, or -1 */
    const struct ir_reconvergence *reconvergence; /* branch: where lanes reconverge before that, or NULL */
    bool loads_behind; /* branch: among the first instructions where its ways meet was a load (target/advance.h) */
    bool leaves;     /* branch: one of its ways leaves the inside of a reconvergence point */
    const char *callee; /* IR_OP_EXTERN: name of the function */
    const struct ptx_mods *mods;
    const struct ir_origin *from;          /* never NULL */
    const struct ir_origin *const *parts;  /* memory: where its elements are from, [vec], if it was made of several accesses, or NULL;
                                            * a hole, an element that nobody asked for, has none; what was asked for and is not read has no register */
    int32_t id; /* its number when the kernel was built, from 1, which its copies and parts keep; 0: made later */
    int block; /* the basic block it is in */
    int32_t site;  /* form: the instruction of the kernel that it does, or -1 */
    bool rare;     /* branch of a form: hardly ever taken */
    bool stays;    /* a move that is not taken away although its ends could be one register (target/leaving.h) */
    bool old_free; /* under a guard: what its results are in other lanes is nobody's concern */
};

/* A function in the kernel: the kernel itself, a callee in place of one call, or one that may call itself (recursion.h). What
 * a debugger needs to show calls as calls (step/step.h). */
struct ir_frame {
    const struct ptx_function *function;
    int32_t caller;    /* frame that the call is in; -1: the kernel, or a function that may call itself */
    int32_t statement; /* of the caller: the call */
    uint32_t local_at; /* its first .local variable: an offset in the thread's local memory, */
    bool on_stack;     /* behind what the stack register has */
};

struct ir_block {
    int32_t first, count; /* instructions */
    int32_t *succ;        /* blocks; -1 is the kernel's exit */
    int32_t nsucc;
    int32_t *pred;
    int32_t npred;
    int32_t idom;  /* immediate dominator, -1: none (entry, unreachable) */
    int32_t ipdom; /* immediate post-dominator, -1: the kernel's exit, or none */
    int32_t loop;  /* innermost loop, or -1 */
    uint64_t *live_in, *live_out; /* bit sets over registers */
};

struct ir_loop {
    int32_t header;
    int32_t parent; /* enclosing loop, or -1 */
    int32_t depth;  /* 1: outermost */
    bool waiting;   /* an exit depends on what another thread may write: see ir_analyse */
    uint64_t *blocks; /* bit set */
};

/* An unrolled loop: how often its turns are gone through side by side, and how many are left over, follows from the turns that each
 * lane of a warp does. A lane comes with a counter. Each turn, 1 at least, ends with the counter going up by `step`; the lane goes on if it
 * is `goes_on` the bound then. */
struct ir_trips {
    int64_t step;    /* not 0 */
    uint8_t goes_on; /* enum ptx_cmp: LT or LE with a step above 0, GT or GE with one below, NE */
    int rounds;      /* turns side by side: 4, and of those left over first 2, then 1 */
};

/* A shared variable of the kernel or of what it calls. */
struct ir_shared {
    const struct ptx_var *var;
    uint32_t at; /* offset in the block's shared memory */
};

struct ir_param {
    uint32_t offset, bytes, align;
};

/* Why a kernel cannot be launched: the first few reasons, with where. */
struct ir_problem {
    const char *text; /* "instruction 'wgmma.mma_async' is not implemented" */
    bool internal;    /* a fault of Heddle's own (verify.h) */
    const struct ptx_loc *loc;
    int ptx_line, column;
    struct ir_problem *next;
};

/* Of a form of machine code (jit/llvm/form.h), which is written as a kernel: how many things it has that its instructions name by
 * number. */
struct ir_form {
    int32_t insts, regs; /* of the kernel that it is of: sites, and registers, of which each has two arrays of lanes */
    int32_t parts, rows;
};

struct ir_kernel;

/* What one instruction computes in 32 lanes (interp/lanes.h), and who has the function of each or NULL. For rooms before the
 * interpreter, which are given it.
 *
 * d: destination; a b c e: sources in the order of the instruction. A predicate is passed as pointer to its uint32_t.
 * Instructions that read or write the carry flag (add.cc, addc, subc, madc ...) get it as the LAST source argument `e`
 * (uint32_t, bit i for lane i), which they may write. `in` gives the modifiers. A negated predicate source (in->src[i].negated:
 * selp, setp, set) is passed as it is: the function negates. Operands that are no registers lie in arrays as wide as the
 * type that the instruction reads. lop3 takes its table from in->src[3].imm. bfi's fourth source is `e`. */
typedef void lanes_fn(void *d, const void *a, const void *b, const void *c, void *e, uint32_t mask,
                      const struct ir_inst *in);
typedef lanes_fn *lanes_find_fn(const struct ir_kernel *k, const struct ir_inst *in);

struct ir_kernel {
    struct arena arena;
    const struct ptx_module *module;
    const struct ptx_function *function;
    const char *name;
    struct ir_inst *insts;
    int32_t ninsts;
    struct ir_block *blocks; /* blocks[0] is the entry; in the order of the PTX */
    int32_t nblocks;
    struct ir_loop *loops;
    int32_t nloops;
    struct ir_trips *trips; /* by number: ir_inst.target of IR_OP_TRIPS */
    int32_t ntrips;
    uint8_t *long_ways; /* enum long_way by number: ir_inst.target of IR_OP_LONG_WAY */
    int32_t nlong_ways;
    uint8_t *reg_type; /* enum ptx_type of each register */
    int32_t nregs;
    bool ssa;          /* ssa.h */
    int32_t *variable; /* in SSA: [nvariable] the register of before that a register is a version of; later ones are new */
    int32_t nvariable;
    struct ir_param *params;
    int32_t nparams;
    uint32_t param_bytes;
    uint32_t shared_static; /* bytes of static shared memory a block; dynamic shared memory begins at shared_dynamic */
    uint32_t shared_dynamic; /* offset */
    uint32_t local_bytes;   /* a thread */
    uint32_t scratch_bytes; /* a thread; parameters of calls have room here, though most are in registers: */
    bool uses_scratch;      /* an instruction accesses it */
    bool has_barrier;       /* bar.sync and the like */
    bool has_async;         /* cp.async */
    bool recursive;         /* has functions that may call themselves: threads have a stack behind local_bytes */
    bool has_waiting_loop;
    bool order_matters;     /* control flow or values may depend on the order of global operations: atomics whose
                               result is used, ordered loads */
    int arch;                   /* of the GPU that it is rewritten for (target/arch.h); 0: not rewritten */
    lanes_find_fn *lanes;       /* for passes that compute what is constant (target/fold.h) */
    const struct ir_form *form; /* it is a form of machine code; NULL: it is a kernel */
    struct ir_problem *problems;
    struct ir_claims *claims; /* what analyses claim (claims.h), or NULL: nobody asks */
    struct ir_shared *shared;
    int32_t nshared;
    struct ir_frame *frames;  /* [0]: the kernel */
    int32_t nframes;
    int32_t stack_reg;        /* recursive: the register with the address of the frame that runs */
    const uint64_t *unwritten; /* registers that may be read before they are written in the kernel as it was built, */
    int32_t built_regs;        /* and how many it had then: verify.h */
    const uint8_t *entered;    /* [nblocks], or NULL: none. Not 0: where a launch counts local memory, lanes that enter the block are told
                                  (simt/tally.h) */
    const struct ir_effects *effects; /* what passes must leave (effects.h), or NULL: nobody asks */
};

struct diag_list;

/* Where a module-scope variable of space .global or .const lives. 0: not known (an extern nobody defines). */
typedef uint64_t (*ir_address_fn)(const struct ptx_var *var, void *user);

/* Builds the IR of one kernel and analyses it. Never NULL; what cannot be launched is in `problems`. */
struct ir_kernel *ir_build(const struct ptx_module *m, const struct ptx_function *entry, ir_address_fn address,
                           void *user);
void ir_free(struct ir_kernel *k);

/* The value of a pointer to a function: never 0, the same in every run, different in other modules (but for one case in
 * 65536), so that a pointer from elsewhere is not taken for one of this module. */
uint64_t ir_function_address(const struct ptx_module *m, const struct ptx_function *f);

/* Drops deleted instructions and computes control flow, post-dominators, loops, waiting loops and liveness anew.
 * A waiting loop is one whose exit depends on a volatile, relaxed or acquire load, on an atomic's result, or on a
 * weak load when the loop holds a fence or barrier, or calls what the host does (libdevice's arithmetic left out): lanes, warps or
 * blocks may have to take turns for it to end. */
void ir_analyse(struct ir_kernel *k);

/* Text form, for `heddle ir` and for tests. */
struct strbuf;
void ir_print(const struct ir_kernel *k, struct strbuf *out);
/* One instruction, without its number or a line's end. */
void ir_print_inst(const struct ir_kernel *k, const struct ir_inst *in, struct strbuf *out);

/* The same with remarks at the ends of its lines: behind a source line (# file:line), a block's head, an instruction.
 * Each function may be NULL and adds text without a line's end. */
struct ir_notes {
    void (*source)(const struct ptx_loc *loc, void *user, struct strbuf *out);
    void (*block)(int32_t block, void *user, struct strbuf *out);
    void (*inst)(int32_t site, void *user, struct strbuf *out);
    void *user;
};
void ir_print_notes(const struct ir_kernel *k, const struct ir_notes *notes, struct strbuf *out);

static inline bool ir_bit(const uint64_t *set, int i)
{
    return set[i >> 6] >> (i & 63) & 1;
}

static inline void ir_bit_set(uint64_t *set, int i)
{
    set[i >> 6] |= UINT64_C(1) << (i & 63);
}

static inline int ir_bit_add(uint64_t *set, int i)
{
    bool is_new = !ir_bit(set, i);
    ir_bit_set(set, i);
    return is_new;
}

/* Registers alive before an instruction, from those alive behind it. A definition under a guard may leave the old value
 * standing, so it does not end the live range, but in SSA, where that is another register. What a phi reads is alive where the
 * blocks before it end, and not here. By how many registers the set grows. */
static inline int ir_live_before(const struct ir_inst *in, uint64_t *live)
{
    int grown = 0;
    for (int d = 0; d < in->ndst && (in->guard == IR_NOREG || in->old || in->old_free); d++)
        if (in->dst[d] != IR_NOREG && ir_bit(live, in->dst[d])) {
            live[in->dst[d] >> 6] &= ~(UINT64_C(1) << (in->dst[d] & 63));
            grown--;
        }
    if (in->op == IR_OP_PHI)
        return grown;
    if (in->guard != IR_NOREG)
        grown += ir_bit_add(live, in->guard);
    for (int d = 0; d < in->ndst && in->old; d++)
        if (in->old[d] != IR_NOREG)
            grown += ir_bit_add(live, in->old[d]);
    for (int i = 0; i < in->nsrc; i++)
        if (in->src[i].kind == IR_SRC_REG)
            grown += ir_bit_add(live, in->src[i].reg);
    return grown;
}

/* Some register may be read before anything was written to it. */
static inline bool ir_reads_early(const struct ir_kernel *k)
{
    bool any = false;
    for (int32_t w = 0; k->nblocks && w < (k->nregs + 63) / 64; w++)
        any |= k->blocks[0].live_in[w] != 0;
    return any;
}

/* Every way to block b leads through block a. */
static inline bool ir_dominates(const struct ir_kernel *k, int32_t a, int32_t b)
{
    while (b >= 0 && b != a)
        b = k->blocks[b].idom;
    return a == b;
}

/* Every way to instruction b leads through instruction a. */
static inline bool ir_stands_before(const struct ir_kernel *k, int32_t a, int32_t b)
{
    int32_t of_a = k->insts[a].block, of_b = k->insts[b].block;
    return of_a == of_b ? a < b : ir_dominates(k, of_a, of_b);
}

/* False: a hole, an element that is accessed only because those beside it are. */
static inline bool ir_asks_for(const struct ir_inst *in, int element)
{
    return !in->parts || in->parts[element];
}

static inline bool ir_has_hole(const struct ir_inst *in)
{
    bool all = true;
    for (int e = 0; in->parts && e < in->vec; e++)
        all &= in->parts[e] != NULL;
    return !all;
}

/* The instruction writes the register, in some lanes at least. */
static inline bool ir_defines(const struct ir_inst *in, int32_t reg)
{
    for (int d = 0; d < in->ndst; d++)
        if (in->dst[d] == reg)
            return true;
    return false;
}

/* Does the instruction read the register, as its guard, too, or as what a result is else? */
static inline bool ir_reads_register(const struct ir_inst *in, int32_t reg)
{
    if (in->guard == reg)
        return true;
    for (int d = 0; d < in->ndst && in->old; d++)
        if (in->old[d] == reg)
            return true;
    for (int i = 0; i < in->nsrc; i++)
        if (in->src[i].kind == IR_SRC_REG && in->src[i].reg == reg)
            return true;
    return false;
}

/* Does the instruction read one of these registers, its guard with them? */
static inline bool ir_reads(const struct ir_inst *in, const uint64_t *regs)
{
    if (in->guard != IR_NOREG && ir_bit(regs, in->guard))
        return true;
    for (int d = 0; d < in->ndst && in->old; d++)
        if (in->old[d] != IR_NOREG && ir_bit(regs, in->old[d]))
            return true;
    for (int i = 0; i < in->nsrc; i++)
        if (in->src[i].kind == IR_SRC_REG && ir_bit(regs, in->src[i].reg))
            return true;
    return false;
}

/* The loop whose header this block is, or NULL. */
static inline const struct ir_loop *ir_loop_at(const struct ir_kernel *k, int32_t block)
{
    for (int32_t i = 0; i < k->nloops; i++)
        if (k->loops[i].header == block)
            return &k->loops[i];
    return NULL;
}

/* The low bits of a number, read with a sign or without. */
static inline int64_t ir_signed(uint64_t v, int bits)
{
    return bits >= 64 ? (int64_t)v : (int64_t)(v << (64 - bits)) >> (64 - bits);
}

static inline uint64_t ir_unsigned(uint64_t v, int bits)
{
    return bits >= 64 ? v : v & ((UINT64_C(1) << bits) - 1);
}

/* The row's columns; an operation that PTX does not have is of no kind (PTX_KIND_OTHER) and no class (PTX_CLASS_COUNT). */
static inline enum ptx_kind ir_kind(const struct ir_inst *in)
{
    return in->op < PTX_OP_COUNT ? ptx_op_info[in->op].kind : PTX_KIND_OTHER;
}

static inline enum ptx_class ir_class(const struct ir_inst *in)
{
    return in->op < PTX_OP_COUNT ? ptx_op_info[in->op].class : PTX_CLASS_COUNT;
}

static inline bool ir_is(const struct ir_inst *in, enum ptx_kind kind)
{
    return ir_kind(in) == kind;
}

/* An operation that PTX does not have (ir_ops.def). */
static inline bool ir_is_own(const struct ir_inst *in)
{
    return in->op >= PTX_OP_COUNT;
}

static inline bool ir_is_memory(const struct ir_inst *in)
{
    return ir_kind(in) >= PTX_KIND_LOAD && ir_kind(in) <= PTX_KIND_REDUCE;
}

/* One source into one result. */
static inline bool ir_is_copy(const struct ir_inst *in)
{
    return ir_is(in, PTX_KIND_COPY) && in->nsrc == 1 && in->ndst == 1;
}

/* A branch that some lanes may take and others not. */
static inline bool ir_is_conditional(const struct ir_inst *in)
{
    return ir_is(in, PTX_KIND_BRANCH) && in->guard != IR_NOREG;
}

/* It computes nothing: launches that count do something there, others pass it by. */
static inline bool ir_only_counts(const struct ir_inst *in)
{
    return in->op == IR_OP_TRIPS || in->op == IR_OP_LONG_WAY;
}

/* Lanes of it, those that its guard lets through, end there. */
static inline bool ir_is_end(const struct ir_inst *in)
{
    return ir_is(in, PTX_KIND_RETURN) || ir_is(in, PTX_KIND_EXIT);
}

/* It goes to one of its `targets`. */
static inline bool ir_has_targets(const struct ir_inst *in)
{
    return ir_is(in, PTX_KIND_SWITCH) || in->op == IR_OP_ENTER || in->op == IR_OP_EVENT;
}

/* The blocks that a branch may go to: *to. How many they are. */
static inline int32_t ir_targets(const struct ir_inst *in, const int32_t **to)
{
    *to = ir_is(in, PTX_KIND_BRANCH) ? &in->target : in->targets;
    return ir_is(in, PTX_KIND_BRANCH) ? 1 : ir_has_targets(in) ? in->ntargets : 0;
}

#endif
