/* Loads and stores whose lanes' addresses differ in any way, or that some lanes leave out (see memory.c for addresses of
 * affine shape without a guard).
 *
 * One look serves all lanes. Each kind of memory is a range of addresses: shared and local memory by its size, and of
 * global memory the granules that were granted together with the one where the first lane's address lies (space.h). If
 * every lane that is on is inside, and aligned, the access is done here, through the host's gather and scatter or lane by
 * lane, in ascending order: of lanes that write to one place the last one wins. If not, the interpreter's step is called
 * in place: it knows what fault it is, or that it is none. Lanes that are off read where the first one that is on reads,
 * and what they got is thrown away. */
#include "jit/llvm/emit.h"

#include "ir/operands.h"

#include <stddef.h>
#include <string.h>

enum { SCRATCH_LANES = 8 * SHAPE_LANES }; /* bytes for 32 values; one array for addresses, four for elements */

static LLVMTypeRef lanes_of_bits(struct emit *e, int bits)
{
    return vector_of(e, type_of_bits(e, bits));
}

static LLVMValueRef at_byte(struct emit *e, LLVMValueRef base, LLVMValueRef offset)
{
    return LLVMBuildGEP2(e->b, e->i8, base, &offset, 1, "");
}

LLVMValueRef scratch(struct emit *e, int array)
{
    if (!e->scratch) {
        LLVMBasicBlockRef here = LLVMGetInsertBlock(e->b), entry = LLVMGetEntryBasicBlock(e->fn);
        LLVMMetadataRef line = LLVMGetCurrentDebugLocation2(e->b);
        LLVMPositionBuilderBefore(e->b, LLVMGetFirstInstruction(entry));
        e->scratch = LLVMBuildAlloca(e->b, LLVMArrayType2(e->i8, 5 * SCRATCH_LANES), "");
        LLVMSetAlignment(e->scratch, 64);
        LLVMPositionBuilderAtEnd(e->b, here);
        LLVMSetCurrentDebugLocation2(e->b, line);
    }
    return at_byte(e, e->scratch, number(e, 64, (uint64_t)(array * SCRATCH_LANES)));
}

void scratch_store(struct emit *e, int array, const LLVMValueRef *parts, unsigned bytes)
{
    LLVMValueRef to = scratch(e, array);
    for (int p = 0; p < e->parts; p++) {
        LLVMValueRef s = LLVMBuildStore(e->b, parts[p], at_byte(e, to, number(e, 64, (uint64_t)p * (uint64_t)e->width * bytes)));
        LLVMSetAlignment(s, (unsigned)e->width * bytes < 64 ? (unsigned)e->width * bytes : 64);
    }
}

/* Lane `lane` (i32) of an array of scratch. */
LLVMValueRef scratch_load(struct emit *e, int array, LLVMValueRef lane, LLVMTypeRef t)
{
    LLVMValueRef i = LLVMBuildZExt(e->b, lane, e->i64, "");
    return LLVMBuildLoad2(e->b, t, LLVMBuildGEP2(e->b, t, scratch(e, array), &i, 1, ""), "");
}

LLVMValueRef scratch_part(struct emit *e, int array, int p, LLVMTypeRef t)
{
    unsigned bytes = LLVMGetIntTypeWidth(t) / 8 * (unsigned)e->width;
    LLVMValueRef v = LLVMBuildLoad2(e->b, vector_of(e, t), at_byte(e, scratch(e, array), number(e, 64, (uint64_t)p * bytes)), "");
    LLVMSetAlignment(v, bytes < 64 ? bytes : 64);
    return v;
}

/* --- where the lanes go --- */

static bool of_32_bits(const struct ir_inst *in)
{
    return in->space == PTX_SHARED || in->space == PTX_LOCAL || in->space == IR_SCRATCH;
}

/* Addresses in their space: i32 for those of 32 bits, else i64. */
static void find_addresses(struct emit *e, struct many *g)
{
    const struct ir_inst *in = e->in;
    enum ptx_type t = g->narrow ? PTX_U32 : PTX_U64;
    LLVMValueRef offset = number(e, g->narrow ? 32 : 64, (uint64_t)in->offset);
    struct shape s = source_shape(e, 0);
    if (shape_uniform(&s))
        g->one = LLVMBuildAdd(e->b, source(e, 0, t, -1), offset, "");
    for (int p = 0; p < e->parts; p++)
        g->at[p] = g->one ? splat(e, g->one) : LLVMBuildAdd(e->b, source(e, 0, t, p), splat(e, offset), "");
}

LLVMValueRef first_lane(struct emit *e, LLVMValueRef lanes)
{
    LLVMValueRef args[2] = {lanes, number(e, 1, 1)};
    return call_intrinsic(e, "llvm.cttz", e->i32, args, 2);
}

/* The range of global memory that the address is in: its first address, and its bytes; none: 0. */
static LLVMValueRef find_run(struct emit *e, LLVMValueRef address, LLVMValueRef *bytes)
{
    LLVMBuilderRef B = e->b;
    LLVMValueRef at = LLVMBuildSub(B, address, e->space_base, ""), zero = number(e, 64, 0);
    LLVMValueRef inside = LLVMBuildICmp(B, LLVMIntULT, at, e->space_bytes, "");
    LLVMValueRef run = LLVMBuildLShr(B, at, number(e, 64, (uint64_t)__builtin_ctzll(SPACE_GRANULE)), "");
    run = LLVMBuildMul(B, LLVMBuildSelect(B, inside, run, zero, ""), number(e, 64, sizeof(struct space_run)), "");
    run = at_byte(e, frame_field(e, offsetof(struct jit_frame, runs), e->ptr), run);
    LLVMValueRef n = LLVMBuildLoad2(B, e->i64, at_byte(e, run, number(e, 64, offsetof(struct space_run, bytes))), "");
    *bytes = LLVMBuildSelect(B, inside, n, zero, "");
    return LLVMBuildLoad2(B, e->i64, at_byte(e, run, number(e, 64, offsetof(struct space_run, first))), "");
}

/* The bytes of a space of 32-bit addresses, i32, and where it is. */
static LLVMValueRef find_small(struct emit *e, struct many *g)
{
    if (e->in->space == PTX_SHARED) {
        g->base = e->shared;
        return LLVMBuildTrunc(e->b, e->shared_bytes, e->i32, "");
    }
    LLVMValueRef size = frame_field(e, offsetof(struct jit_frame, local_size), e->i32);
    g->base = frame_field(e, offsetof(struct jit_frame, local), e->ptr);
    g->stride = frame_field(e, offsetof(struct jit_frame, local_bytes), e->i32);
    if (e->in->space == PTX_LOCAL)
        return size;
    LLVMValueRef behind = LLVMBuildAnd(e->b, LLVMBuildAdd(e->b, size, number(e, 32, 15), ""), number(e, 32, ~UINT64_C(15)), "");
    g->base = at_byte(e, g->base, LLVMBuildZExt(e->b, behind, e->i64, ""));
    return number(e, 32, e->k->scratch_bytes);
}

/* Local memory lies thread behind thread. */
static void add_threads(struct emit *e, struct many *g)
{
    LLVMValueRef index[64];
    for (int p = 0; p < e->parts; p++) {
        for (int i = 0; i < e->width; i++)
            index[i] = number(e, 32, (uint64_t)(p * e->width + i));
        LLVMValueRef threads = LLVMBuildMul(e->b, splat(e, g->stride), LLVMConstVector(index, (unsigned)e->width), "");
        g->at[p] = LLVMBuildAdd(e->b, g->at[p], threads, "");
    }
}

/* i1: no sign in `a`, the offsets of all lanes or-ed together, nor in `left`, what is left behind them; and no low bit in
 * a, which would be a misaligned lane. */
static LLVMValueRef no_sign(struct emit *e, LLVMValueRef a, LLVMValueRef left, unsigned unit)
{
    LLVMTypeRef t = LLVMTypeOf(a);
    bool vector = LLVMGetTypeKind(t) == LLVMVectorTypeKind;
    int bits = (int)LLVMGetIntTypeWidth(vector ? LLVMGetElementType(t) : t);
    LLVMValueRef sign = number(e, bits, UINT64_C(1) << (bits - 1)), both = number(e, bits, UINT64_C(1) << (bits - 1) | (unit - 1));
    a = LLVMBuildAnd(e->b, a, vector ? splat(e, both) : both, "");
    a = LLVMBuildOr(e->b, a, LLVMBuildAnd(e->b, left, vector ? splat(e, sign) : sign, ""), "");
    if (vector)
        a = call_intrinsic(e, "llvm.vector.reduce.or", t, &a, 1);
    return LLVMBuildICmp(e->b, LLVMIntEQ, a, number(e, bits, 0), "");
}

/* i1: no lane begins before 0 or behind `most`, which is below 2^63, or 2^31, or negative. */
static LLVMValueRef all_inside(struct emit *e, const struct many *g, LLVMValueRef most)
{
    LLVMValueRef a = NULL, b = NULL;
    if (g->one)
        return no_sign(e, g->one, LLVMBuildSub(e->b, most, g->one, ""), g->unit);
    most = splat(e, most);
    for (int p = 0; p < e->parts; p++) {
        LLVMValueRef left = LLVMBuildSub(e->b, most, g->at[p], "");
        a = a ? LLVMBuildOr(e->b, a, g->at[p], "") : g->at[p];
        b = b ? LLVMBuildOr(e->b, b, left, "") : left;
    }
    return no_sign(e, a, b, g->unit);
}

/* The address that the first lane that is on has; lanes that are off get it, too. */
static LLVMValueRef find_first(struct emit *e, struct many *g)
{
    if (!g->lanes)
        return LLVMBuildExtractElement(e->b, g->at[0], number(e, 32, 0), "");
    scratch_store(e, 0, g->at, g->narrow ? 4 : 8);
    LLVMValueRef first = scratch_load(e, 0, first_lane(e, g->lanes), g->narrow ? e->i32 : e->i64);
    for (int p = 0; p < e->parts; p++)
        g->at[p] = LLVMBuildSelect(e->b, g->on[p], g->at[p], splat(e, first), "");
    return first;
}

/* i1: all lanes that are on may access their memory. Fills in g, of which `lanes` is known. */
static LLVMValueRef look(struct emit *e, struct many *g)
{
    const struct ir_inst *in = e->in;
    g->bytes = (unsigned)bits_of_type(in->type) / 8;
    g->unit = g->bytes * in->vec;
    g->narrow = of_32_bits(in);
    for (int p = 0; p < e->parts && g->lanes; p++)
        g->on[p] = unpacked(e, g->lanes, p);
    find_addresses(e, g);
    LLVMValueRef first = g->one ? g->one : find_first(e, g);
    if (g->narrow) {
        LLVMValueRef most = LLVMBuildSub(e->b, find_small(e, g), number(e, 32, g->unit), "");
        LLVMValueRef ok = all_inside(e, g, most);
        if (in->space != PTX_SHARED)
            add_threads(e, g);
        return ok;
    }
    LLVMValueRef bytes, from = find_run(e, first, &bytes);
    g->base = LLVMBuildIntToPtr(e->b, LLVMBuildAdd(e->b, from, number(e, 64, SPACE_DELTA), ""), e->ptr, "");
    for (int p = 0; p < e->parts; p++)
        g->at[p] = LLVMBuildSub(e->b, g->at[p], splat(e, from), "");
    if (g->one)
        g->one = LLVMBuildSub(e->b, g->one, from, "");
    return all_inside(e, g, LLVMBuildSub(e->b, bytes, number(e, 64, g->unit), ""));
}

LLVMValueRef many_pointer(struct emit *e, const struct many *g, int lane, unsigned element)
{
    LLVMValueRef i = g->one;
    if (g->one && g->stride)
        i = LLVMBuildAdd(e->b, i, LLVMBuildMul(e->b, g->stride, number(e, 32, (uint64_t)lane), ""), "");
    if (!g->one)
        i = LLVMBuildExtractElement(e->b, g->at[lane / e->width], number(e, 32, (uint64_t)(lane % e->width)), "");
    if (g->narrow)
        i = LLVMBuildZExt(e->b, i, e->i64, "");
    LLVMValueRef p = at_byte(e, g->base, i);
    return element ? at_byte(e, p, number(e, 64, (uint64_t)element * g->bytes)) : p;
}

static void finish_access(const struct emit *e, LLVMValueRef access, const struct many *g)
{
    LLVMSetAlignment(access, g->bytes);
    LLVMSetVolatile(access, e->in->mods->order != PTX_WEAK);
}

/* --- loads --- */

/* Gathers of x86 take 32 or 64 bits from each lane. */
static LLVMValueRef host_gather(struct emit *e, const struct many *g, LLVMTypeRef t, unsigned element, int p)
{
    LLVMTypeRef vector = vector_of(e, t), types[2] = {vector, vector_of(e, e->ptr)};
    LLVMValueRef index = g->at[p]; /* of 32 bits: below 2^31, so that its sign is 0 */
    if (g->narrow)
        index = LLVMBuildSExt(e->b, index, lanes_of_bits(e, 64), "");
    LLVMValueRef base = element ? at_byte(e, g->base, number(e, 64, (uint64_t)element * g->bytes)) : g->base;
    LLVMValueRef args[4] = {at_byte(e, base, index), number(e, 32, g->bytes), LLVMConstAllOnes(vector_of(e, e->i1)), LLVMGetPoison(vector)};
    unsigned id = LLVMLookupIntrinsicID("llvm.masked.gather", 18);
    LLVMValueRef f = LLVMGetIntrinsicDeclaration(e->module, id, types, 2);
    return LLVMBuildCall2(e->b, LLVMIntrinsicGetType(e->cx, id, types, 2), f, args, 4, "");
}

static LLVMValueRef gather_part(struct emit *e, const struct many *g, LLVMTypeRef t, unsigned element, int p)
{
    if (e->gathers && g->bytes >= 4 && e->in->mods->order == PTX_WEAK)
        return host_gather(e, g, t, element, p);
    LLVMValueRef v = LLVMGetPoison(vector_of(e, t));
    for (int i = 0; i < e->width; i++) {
        LLVMValueRef x = LLVMBuildLoad2(e->b, t, many_pointer(e, g, p * e->width + i, element), "");
        finish_access(e, x, g);
        v = LLVMBuildInsertElement(e->b, v, x, number(e, 32, (uint64_t)i), "");
    }
    return v;
}

static struct value gather_element(struct emit *e, const struct many *g, int element)
{
    const struct ir_inst *in = e->in;
    int32_t reg = in->dst[element];
    enum ptx_type rt = e->k->reg_type[reg];
    LLVMTypeRef t = bits_of_type(rt) == bits_of_type(in->type) ? type_of(e, rt) : type_of_bits(e, bits_of_type(in->type));
    struct value v = {.scalar = false};
    for (int p = 0; p < e->parts; p++) {
        v.v[p] = widened(e, gather_part(e, g, t, (unsigned)element, p), reg, false);
        if (g->kept)
            v.v[p] = LLVMBuildSelect(e->b, g->on[p], v.v[p], reg_part(e, reg, p), "");
    }
    return v;
}

/* --- stores --- */

static void host_scatter(struct emit *e, const struct many *g, int element, int p)
{
    LLVMValueRef v = stored_part(e, element, p), index = g->at[p];
    if (g->narrow)
        index = LLVMBuildSExt(e->b, index, lanes_of_bits(e, 64), "");
    LLVMValueRef base = element ? at_byte(e, g->base, number(e, 64, (uint64_t)element * g->bytes)) : g->base;
    LLVMTypeRef types[2] = {LLVMTypeOf(v), vector_of(e, e->ptr)};
    LLVMValueRef on = g->lanes ? g->on[p] : LLVMConstAllOnes(vector_of(e, e->i1));
    LLVMValueRef args[4] = {v, at_byte(e, base, index), number(e, 32, g->bytes), on};
    unsigned id = LLVMLookupIntrinsicID("llvm.masked.scatter", 19);
    LLVMValueRef f = LLVMGetIntrinsicDeclaration(e->module, id, types, 2);
    LLVMBuildCall2(e->b, LLVMIntrinsicGetType(e->cx, id, types, 2), f, args, 4, "");
}

LLVMValueRef lane_loop(struct emit *e, LLVMValueRef lanes, struct lane_loop *l)
{
    LLVMBasicBlockRef before = LLVMGetInsertBlock(e->b);
    l->body = new_block(e, "lane");
    LLVMBuildBr(e->b, l->body);
    LLVMPositionBuilderAtEnd(e->b, l->body);
    l->left = LLVMBuildPhi(e->b, e->i32, "");
    LLVMAddIncoming(l->left, &lanes, &before, 1);
    return first_lane(e, l->left);
}

void lane_loop_end(struct emit *e, struct lane_loop *l)
{
    LLVMValueRef rest = LLVMBuildAnd(e->b, l->left, LLVMBuildSub(e->b, l->left, number(e, 32, 1), ""), "");
    LLVMBasicBlockRef here = LLVMGetInsertBlock(e->b), out = new_block(e, "lanes");
    LLVMAddIncoming(l->left, &rest, &here, 1);
    LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntNE, rest, number(e, 32, 0), ""), l->body, out);
    LLVMPositionBuilderAtEnd(e->b, out);
}

/* Some lanes: one after the other, from memory. */
static void scatter_some(struct emit *e, const struct many *g)
{
    const struct ir_inst *in = e->in;
    LLVMValueRef parts[MAX_PARTS];
    LLVMTypeRef raw = type_of_bits(e, (int)g->bytes * 8);
    for (int d = 0; d < in->vec; d++) {
        for (int p = 0; p < e->parts; p++)
            parts[p] = stored_part(e, d, p);
        scratch_store(e, 1 + d, parts, g->bytes);
    }
    scratch_store(e, 0, g->at, g->narrow ? 4 : 8);
    struct lane_loop l;
    LLVMValueRef lane = lane_loop(e, g->lanes, &l), at = scratch_load(e, 0, lane, g->narrow ? e->i32 : e->i64);
    LLVMValueRef to = at_byte(e, g->base, g->narrow ? LLVMBuildZExt(e->b, at, e->i64, "") : at);
    for (int d = 0; d < in->vec; d++) {
        LLVMValueRef v = scratch_load(e, 1 + d, lane, raw);
        finish_access(e, LLVMBuildStore(e->b, v, d ? at_byte(e, to, number(e, 64, (uint64_t)d * g->bytes)) : to), g);
    }
    lane_loop_end(e, &l);
}

static void scatter_all(struct emit *e, const struct many *g)
{
    const struct ir_inst *in = e->in;
    if (e->scatters && g->bytes >= 4 && in->mods->order == PTX_WEAK) {
        for (int p = 0; p < e->parts; p++)
            for (int d = 0; d < in->vec; d++)
                host_scatter(e, g, d, p);
        return;
    }
    if (g->lanes) {
        scatter_some(e, g);
        return;
    }
    for (int p = 0; p < e->parts; p++) {
        LLVMValueRef v[4];
        for (int d = 0; d < in->vec; d++)
            v[d] = stored_part(e, d, p);
        for (int i = 0; i < e->width; i++)
            for (int d = 0; d < in->vec; d++) {
                LLVMValueRef x = LLVMBuildExtractElement(e->b, v[d], number(e, 32, (uint64_t)i), "");
                LLVMValueRef to = many_pointer(e, g, p * e->width + i, (unsigned)d);
                finish_access(e, LLVMBuildStore(e->b, x, to), g);
            }
    }
}

/* --- both --- */

/* The registers that the instruction writes, as they are or from the lanes `results`. */
static void each_result(struct emit *e, void (*act)(struct emit *, int, void *), void *user)
{
    for (int d = 0; d < e->in->ndst; d++)
        if (e->in->dst[d] != IR_NOREG)
            act(e, d, user);
}

struct two_ways {
    struct value *into, *other;
    LLVMBasicBlockRef from, from_other;
};

static void join(struct emit *e, int d, void *user)
{
    struct two_ways *w = user;
    w->into[d] = either(e, &w->into[d], w->from, &w->other[d], w->from_other);
}

static void take_old(struct emit *e, int d, void *user)
{
    struct value *old = user;
    for (int p = 0; p < e->parts; p++)
        old[d].v[p] = reg_part(e, e->in->dst[d], p);
}

static void set_new(struct emit *e, int d, void *user)
{
    reg_set(e, e->in->dst[d], ((struct value *)user)[d]);
}

static void emit_many(struct emit *e, void (*fast)(struct emit *e, const struct many *g, struct value *results))
{
    struct value done[IR_MAX_DST] = {0}, stepped[IR_MAX_DST] = {0}, old[IR_MAX_DST] = {0};
    struct many g = {.lanes = lanes_on(e), .kept = e->in->guard != IR_NOREG};
    LLVMBasicBlockRef before = NULL, next = new_block(e, "met"), quick = new_block(e, "quick"), slow = new_block(e, "slow");
    LLVMBasicBlockRef none = NULL;
    if (g.kept) {
        each_result(e, take_old, old);
        LLVMBasicBlockRef some = new_block(e, "some");
        none = new_block(e, "past");
        LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntNE, g.lanes, number(e, 32, 0), ""), some, none);
        before = LLVMGetInsertBlock(e->b);
        LLVMPositionBuilderAtEnd(e->b, some);
    }
    int m = mark(e);
    likely(e, LLVMBuildCondBr(e->b, look(e, &g), quick, slow), true);
    LLVMPositionBuilderAtEnd(e->b, quick);
    fast(e, &g, done);
    LLVMBuildBr(e->b, next);
    quick = LLVMGetInsertBlock(e->b);
    unmark(e, m);
    LLVMPositionBuilderAtEnd(e->b, slow);
    step_into(e, g.lanes, stepped);
    LLVMBuildBr(e->b, next);
    slow = LLVMGetInsertBlock(e->b);
    unmark(e, m);
    LLVMPositionBuilderAtEnd(e->b, next);
    each_result(e, join, &(struct two_ways){done, stepped, quick, slow});
    if (none) {
        LLVMBuildBr(e->b, none);
        LLVMPositionBuilderAtEnd(e->b, none);
        each_result(e, join, &(struct two_ways){done, old, next, before});
    }
    each_result(e, set_new, done);
}

bool emit_lanes(struct emit *e, void (*fast)(struct emit *e, const struct many *g, struct value *results))
{
    const struct ir_inst *in = e->in;
    bool wide = in->src[0].kind != IR_SRC_REG || bits_of_type(e->k->reg_type[in->src[0].reg]) == 64;
    if (in->src[0].kind == IR_SRC_SREG || (!wide && !of_32_bits(in)))
        return false;
    for (int d = 0; d < in->ndst; d++)
        if (in->dst[d] != IR_NOREG && reg_scalar(e, in->dst[d]))
            return false;
    emit_many(e, fast);
    return true;
}

static void quick_load(struct emit *e, const struct many *g, struct value *results)
{
    for (int d = 0; d < e->in->ndst; d++)
        if (e->in->dst[d] != IR_NOREG)
            results[d] = gather_element(e, g, d);
}

static void quick_store(struct emit *e, const struct many *g, struct value *results)
{
    (void)results;
    scatter_all(e, g);
}

bool emit_gather(struct emit *e)
{
    bool load = e->in->op != PTX_OP_ST;
    if (e->in->space == PTX_PARAM || (e->in->space == PTX_CONST && !load))
        return false;
    return emit_lanes(e, load ? quick_load : quick_store);
}
