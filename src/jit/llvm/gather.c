/* Loads and stores whose lanes' addresses differ in any way, or that some lanes leave out (see memory.c for addresses of
 * affine shape without a guard).
 *
 * Where the lanes go is checked in bounds_check.c. If every lane that is on may access its memory, the access is done here,
 * through the host's gather and scatter or lane by lane, stores in the order of store_group (simt/warp.h). If not, the range
 * of the first lane that is on is looked for, and all is checked once more; then the interpreter's step is called in
 * place: it knows what fault it is, or that it is none. Lanes that are off read at the range's begin, and what they got is
 * thrown away.
 * Four loads of neighbouring words through one address register are one load of 16 bytes for each lane, as is a vector of
 * four. */
#include "jit/llvm/form.h"

#include "base/alloc.h"

#include <stddef.h>
#include <string.h>

enum { SCRATCH_LANES = 8 * SHAPE_LANES }; /* bytes for 32 values; one array for addresses, four for elements */

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

/* --- lanes' memory --- */

LLVMValueRef gather_pointer(struct emit *e, const struct many *g, int lane, unsigned element)
{
    LLVMValueRef i = g->one;
    if (g->one && g->stride)
        i = LLVMBuildAdd(e->b, i, LLVMBuildMul(e->b, g->stride, number(e, 32, (uint64_t)lane), ""), "");
    if (!g->one)
        i = LLVMBuildExtractElement(e->b, g->at[lane / e->width], number(e, 32, (uint64_t)(lane % e->width)), "");
    if (g->narrow)
        i = LLVMBuildZExt(e->b, i, e->i64, "");
    if (g->scale > 1)
        i = LLVMBuildMul(e->b, i, number(e, 64, g->scale), "");
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
    LLVMTypeRef step = g->scale > 1 ? type_of_bits(e, (int)g->scale * 8) : e->i8;
    LLVMValueRef all = LLVMConstAllOnes(vector_of(e, e->i1)), from = LLVMBuildGEP2(e->b, step, base, &index, 1, "");
    if (g->lanes)
        all = g->on[p];
    LLVMValueRef args[4] = {from, number(e, 32, g->bytes), all, g->lanes ? LLVMConstNull(vector) : LLVMGetPoison(vector)};
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
        LLVMValueRef x = LLVMBuildLoad2(e->b, t, gather_pointer(e, g, p * e->width + i, element), "");
        finish_access(e, x, g);
        v = LLVMBuildInsertElement(e->b, v, x, number(e, 32, (uint64_t)i), "");
    }
    return v;
}

/* Element `of` of four in memory that each lane has loaded: a part's lanes in a row. Rows hold the lanes k, k + 4, ... */
static LLVMValueRef mixed(struct emit *e, LLVMValueRef a, LLVMValueRef b, const int *of)
{
    LLVMValueRef index[64];
    for (int i = 0; i < e->width; i++)
        index[i] = number(e, 32, (uint64_t)(i / 4 * 4 + of[i % 4] % 4 + (of[i % 4] < 4 ? 0 : e->width)));
    return LLVMBuildShuffleVector(e->b, a, b, LLVMConstVector(index, (unsigned)e->width), "");
}

/* A part's lanes of four words in memory, from that `before` bytes in front of the access's on. */
static void load_quads(struct emit *e, const struct many *g, int64_t before, int p, LLVMValueRef out[4])
{
    static const int low[4] = {0, 4, 1, 5}, high[4] = {2, 6, 3, 7}, first[4] = {0, 1, 4, 5}, second[4] = {2, 3, 6, 7};
    LLVMTypeRef four = LLVMVectorType(e->i32, 4);
    LLVMValueRef row[4];
    for (int k = 0; k < 4; k++) {
        LLVMValueRef lane[16];
        int n = 0;
        for (int i = k; i < e->width; i += 4) {
            LLVMValueRef from = at_byte(e, gather_pointer(e, g, p * e->width + i, 0), number(e, 64, (uint64_t)-before));
            lane[n] = LLVMBuildLoad2(e->b, four, from, "");
            LLVMSetAlignment(lane[n++], 4);
        }
        for (int size = 4; n > 1; n /= 2, size *= 2)
            for (int i = 0; i < n / 2; i++)
                lane[i] = memory_joined(e, lane[2 * i], lane[2 * i + 1], size);
        row[k] = lane[0];
    }
    LLVMValueRef a = mixed(e, row[0], row[1], low), b = mixed(e, row[2], row[3], low);
    out[0] = mixed(e, a, b, first);
    out[1] = mixed(e, a, b, second);
    a = mixed(e, row[0], row[1], high);
    b = mixed(e, row[2], row[3], high);
    out[2] = mixed(e, a, b, first);
    out[3] = mixed(e, a, b, second);
}

static LLVMTypeRef element_type(const struct emit *e, int element)
{
    enum ptx_type rt = e->k->reg_type[e->in->dst[element]];
    return bits_of_type(rt) == bits_of_type(e->in->type) ? type_of(e, rt) : type_of_bits(e, bits_of_type(e->in->type));
}

/* What was loaded as the register keeps it. */
static LLVMValueRef result_part(struct emit *e, const struct many *g, int element, int p, LLVMValueRef v)
{
    int32_t reg = e->in->dst[element];
    v = memory_widened(e, v, reg, false);
    return g->kept ? LLVMBuildSelect(e->b, g->on[p], v, reg_part(e, reg, p), "") : v;
}

/* --- lanes that turn out to be neighbours --- */

/* What lanes loaded, each for itself, is in it. */
static bool from_data(const struct emit *e, int32_t reg, uint64_t *seen)
{
    const struct ir_inst *in = e->form->maker[reg] < 0 ? NULL : &e->k->insts[e->form->maker[reg]];
    if (ir_bit(seen, reg) || !in || reg_scalar(e, reg))
        return false;
    ir_bit_set(seen, reg);
    bool found = ir_is_memory(in);
    for (int i = 0; i < in->nsrc && !found; i++)
        found = in->src[i].kind == IR_SRC_REG && from_data(e, in->src[i].reg, seen);
    return found;
}

/* Lanes that left a loop at different turns have addresses without a shape, and so have those at an edge that is clamped. Those that are
 * still in the loop, and all others, are neighbours all the same. Addresses that were loaded are not asked. */
static bool may_be_neighbours(const struct emit *e, const struct many *g)
{
    bool masked = g->bytes >= 4 || e->width == 16 || !g->lanes; /* AVX2 has masks for elements of 4 bytes and more */
    if (e->in->vec != 1 || g->one || !e->gathers || !masked || g->bytes % g->scale || e->in->mods->order != PTX_WEAK ||
        e->in->src[0].kind != IR_SRC_REG)
        return false;
    uint64_t *seen = alloc_zeroed(((size_t)e->k->nregs / 64 + 1) * 8);
    bool data = from_data(e, e->in->src[0].reg, seen);
    alloc_release(seen);
    return !data;
}

/* i1: the lanes of each part that are on follow its first in memory. `first`: these one's numbers. */
static LLVMValueRef are_neighbours(struct emit *e, const struct many *g, LLVMValueRef first[MAX_PARTS])
{
    LLVMBuilderRef B = e->b;
    LLVMTypeRef t = LLVMGetElementType(LLVMTypeOf(g->at[0])), bits = LLVMIntTypeInContext(e->cx, (unsigned)e->width);
    LLVMValueRef apart = NULL, index[64];
    for (int i = 0; i < e->width; i++)
        index[i] = LLVMConstInt(t, (uint64_t)i * g->bytes / g->scale, false);
    for (int p = 0; p < e->parts; p++) {
        first[p] = LLVMBuildExtractElement(B, g->at[p], number(e, 32, 0), "");
        LLVMValueRef follows = LLVMBuildAdd(B, splat(e, first[p]), LLVMConstVector(index, (unsigned)e->width), "");
        LLVMValueRef other = LLVMBuildICmp(B, LLVMIntNE, g->at[p], follows, "");
        other = g->lanes ? LLVMBuildAnd(B, other, g->on[p], "") : other;
        apart = apart ? LLVMBuildOr(B, apart, other, "") : other;
    }
    return LLVMBuildICmp(B, LLVMIntEQ, LLVMBuildBitCast(B, apart, bits, ""), LLVMConstNull(bits), "");
}

static LLVMValueRef part_from(struct emit *e, const struct many *g, LLVMValueRef first)
{
    LLVMValueRef i = g->narrow ? LLVMBuildZExt(e->b, first, e->i64, "") : first;
    i = g->scale > 1 ? LLVMBuildMul(e->b, i, number(e, 64, g->scale), "") : i;
    return at_byte(e, g->base, i);
}

static struct value neighbours_or_gather(struct emit *e, const struct many *g)
{
    LLVMBasicBlockRef near = new_block(e, "near"), far = new_block(e, "far"), next = new_block(e, "loaded");
    struct value a = {.scalar = false}, b = {.scalar = false};
    LLVMTypeRef t = element_type(e, 0);
    LLVMValueRef first[MAX_PARTS];
    LLVMBuildCondBr(e->b, are_neighbours(e, g, first), near, far);
    LLVMPositionBuilderAtEnd(e->b, near);
    for (int p = 0; p < e->parts; p++)
        a.v[p] = memory_load_lanes(e, t, part_from(e, g, first[p]), g->bytes, g->lanes ? g->on[p] : NULL);
    LLVMBuildBr(e->b, next);
    LLVMPositionBuilderAtEnd(e->b, far);
    for (int p = 0; p < e->parts; p++)
        b.v[p] = gather_part(e, g, t, 0, p);
    LLVMBuildBr(e->b, next);
    LLVMPositionBuilderAtEnd(e->b, next);
    a = memory_either(e, &a, near, &b, far);
    for (int p = 0; p < e->parts; p++)
        a.v[p] = result_part(e, g, 0, p, a.v[p]);
    return a;
}

static struct value gather_element(struct emit *e, const struct many *g, int element)
{
    struct value v = {.scalar = false};
    for (int p = 0; p < e->parts; p++)
        v.v[p] = result_part(e, g, element, p, gather_part(e, g, element_type(e, element), (unsigned)element, p));
    return v;
}

/* Loads of neighbours, and those that are done with this one. */
static void load_together(struct emit *e, const struct many *g, struct value *results)
{
    const struct ir_inst *in = e->in;
    for (int p = 0; p < e->parts; p++) {
        LLVMValueRef quad[4];
        load_quads(e, g, in->vec == 4 ? 0 : 4 * g->own, p, quad);
        for (int d = 0; d < in->ndst && in->vec == 4; d++)
            if (in->dst[d] != IR_NOREG)
                results[d].v[p] = result_part(e, g, d, p, quad[d]);
        if (in->vec == 4)
            continue;
        results[0].v[p] = result_part(e, g, 0, p, quad[g->own]);
        for (int i = 0; i < 4; i++)
            if (i != g->own)
                e->ahead[e->nahead + i - (i > g->own)].v[p] = quad[i];
    }
}

/* --- stores --- */

/* A part's lanes in the order of their stores. */
static LLVMValueRef in_store_order(struct emit *e, LLVMValueRef v)
{
    LLVMValueRef index[64];
    for (int i = 0; i < e->width; i++)
        index[i] = number(e, 32, (uint64_t)(i ^ memory_store_turn(e->in, e->width, 1)));
    return LLVMBuildShuffleVector(e->b, v, LLVMGetPoison(LLVMTypeOf(v)), LLVMConstVector(index, (unsigned)e->width), "");
}

/* Of its lanes at one address the host's scatter keeps the last one's. */
static void host_scatter(struct emit *e, const struct many *g, int element, int p)
{
    LLVMValueRef v = in_store_order(e, memory_stored_part(e, element, p)), index = in_store_order(e, g->at[p]);
    if (g->narrow)
        index = LLVMBuildSExt(e->b, index, lanes_of_bits(e, 64), "");
    LLVMValueRef base = element ? at_byte(e, g->base, number(e, 64, (uint64_t)element * g->bytes)) : g->base;
    LLVMTypeRef types[2] = {LLVMTypeOf(v), vector_of(e, e->ptr)};
    LLVMValueRef on = g->lanes ? in_store_order(e, g->on[p]) : LLVMConstAllOnes(vector_of(e, e->i1));
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

/* Lanes that are on in the order of their stores: bit i is lane i ^ (group - 1). */
static LLVMValueRef lanes_to_store(struct emit *e, LLVMValueRef lanes, unsigned group)
{
    LLVMValueRef order = call_intrinsic(e, "llvm.bitreverse", e->i32, &lanes, 1);
    if (group == 8)
        return call_intrinsic(e, "llvm.bswap", e->i32, &order, 1);
    LLVMValueRef half = number(e, 32, 16), args[3] = {order, order, half};
    return group == 16 ? call_intrinsic(e, "llvm.fshl", e->i32, args, 3) : order;
}

/* Some lanes: one after the other, from memory; at one address only the last one of their order counts. */
static void scatter_some(struct emit *e, const struct many *g)
{
    const struct ir_inst *in = e->in;
    LLVMValueRef parts[MAX_PARTS];
    LLVMTypeRef raw = type_of_bits(e, (int)g->bytes * 8);
    for (int d = 0; d < in->vec; d++) {
        for (int p = 0; p < e->parts; p++)
            parts[p] = memory_stored_part(e, d, p);
        scratch_store(e, 1 + d, parts, g->bytes);
    }
    bool last = g->one && !g->stride;
    unsigned group = store_group(g->bytes * in->vec);
    struct lane_loop l;
    LLVMValueRef lane, at = g->one, order = lanes_to_store(e, g->lanes, group), turn = number(e, 32, group - 1);
    if (last) {
        LLVMValueRef args[2] = {order, number(e, 1, 1)};
        lane = LLVMBuildXor(e->b, call_intrinsic(e, "llvm.ctlz", e->i32, args, 2), number(e, 32, 31), "");
        lane = LLVMBuildXor(e->b, lane, turn, "");
    } else {
        scratch_store(e, 0, g->at, g->narrow ? 4 : 8);
        lane = LLVMBuildXor(e->b, lane_loop(e, order, &l), turn, "");
        at = scratch_load(e, 0, lane, g->narrow ? e->i32 : e->i64);
    }
    LLVMValueRef to = at_byte(e, g->base, g->narrow ? LLVMBuildZExt(e->b, at, e->i64, "") : at);
    for (int d = 0; d < in->vec; d++) {
        LLVMValueRef v = scratch_load(e, 1 + d, lane, raw);
        finish_access(e, LLVMBuildStore(e->b, v, d ? at_byte(e, to, number(e, 64, (uint64_t)d * g->bytes)) : to), g);
    }
    if (!last)
        lane_loop_end(e, &l);
}

static void scatter_all(struct emit *e, const struct many *g)
{
    const struct ir_inst *in = e->in;
    bool last = g->lanes && g->one && !g->stride; /* only one lane counts */
    if (e->scatters && g->bytes >= 4 && in->mods->order == PTX_WEAK && !last) {
        for (int p = 0; p < e->parts; p++)
            for (int d = 0; d < in->vec; d++)
                host_scatter(e, g, d, p ^ memory_store_turn(in, SHAPE_LANES, e->width));
        return;
    }
    if (g->lanes) {
        scatter_some(e, g);
        return;
    }
    for (int k = 0; k < e->parts; k++) {
        int p = k ^ memory_store_turn(in, SHAPE_LANES, e->width);
        LLVMValueRef v[4];
        for (int d = 0; d < in->vec; d++)
            v[d] = memory_stored_part(e, d, p);
        for (int j = 0; j < e->width; j++)
            for (int d = 0; d < in->vec; d++) {
                int i = j ^ memory_store_turn(in, e->width, 1);
                LLVMValueRef x = LLVMBuildExtractElement(e->b, v[d], number(e, 32, (uint64_t)i), "");
                LLVMValueRef to = gather_pointer(e, g, p * e->width + i, (unsigned)d);
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
    w->into[d] = memory_either(e, &w->into[d], w->from, &w->other[d], w->from_other);
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

/* Loads that were done with this one are known behind it only if it was done here, in `quick`. */
static void keep_ahead(struct emit *e, const struct many *g, LLVMBasicBlockRef quick, LLVMBasicBlockRef slow)
{
    for (int i = 0; i < 4 && g->quad; i++) {
        if (i == g->own)
            continue;
        struct ahead *a = &e->ahead[e->nahead++];
        a->site = g->sites[i];
        for (int p = 0; p < e->parts; p++) {
            LLVMValueRef values[2] = {a->v[p], LLVMGetPoison(LLVMTypeOf(a->v[p]))};
            LLVMBasicBlockRef from[2] = {quick, slow};
            a->v[p] = LLVMBuildPhi(e->b, LLVMTypeOf(values[0]), "");
            LLVMAddIncoming(a->v[p], values, from, 2);
        }
    }
}

/* Where the bounds check failed: once more with the range that the first lane is in, then through the step. */
static void check_again(struct emit *e, const struct many *g, LLVMBasicBlockRef check, LLVMBasicBlockRef slow)
{
    LLVMBasicBlockRef miss = new_block(e, "miss");
    LLVMBuildCondBr(e->b, g->again, slow, miss);
    LLVMPositionBuilderAtEnd(e->b, miss);
    flow_source_to_place(e, 0);
    frame_set(e, offsetof(struct jit_frame, mask), g->lanes ? g->lanes : number(e, 32, UINT32_MAX));
    LLVMValueRef run = op_ask(e, offsetof(struct jit_ops, find_run), number(e, 32, bounds_check_slot(e)));
    LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntNE, run, number(e, 32, 0), ""), check, slow);
    LLVMValueRef yes = number(e, 1, 1);
    LLVMBasicBlockRef here = LLVMGetInsertBlock(e->b);
    LLVMAddIncoming(g->again, &yes, &here, 1);
}

static void emit_many(struct emit *e, void (*fast)(struct emit *e, const struct many *g, struct value *results))
{
    struct value done[IR_VECTOR] = {0}, stepped[IR_VECTOR] = {0}, old[IR_VECTOR] = {0};
    struct many g = {.lanes = flow_lanes_on(e), .kept = e->in->guard != IR_NOREG};
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
    LLVMValueRef ok = bounds_check_shared(e, &g);
    if (ok) {
        likely(e, LLVMBuildCondBr(e->b, ok, quick, slow), true);
    } else {
        LLVMBasicBlockRef here = LLVMGetInsertBlock(e->b), first = new_block(e, "check"), off = new_block(e, "off");
        LLVMBuildBr(e->b, first);
        LLVMPositionBuilderAtEnd(e->b, first);
        LLVMValueRef no = number(e, 1, 0);
        g.again = LLVMBuildPhi(e->b, e->i1, "");
        LLVMAddIncoming(g.again, &no, &here, 1);
        ok = bounds_check_lanes(e, &g);
        likely(e, LLVMBuildCondBr(e->b, ok, quick, off), true);
        LLVMPositionBuilderAtEnd(e->b, off);
        if (bounds_check_has_range(e))
            check_again(e, &g, first, slow);
        else
            LLVMBuildBr(e->b, slow);
    }
    LLVMPositionBuilderAtEnd(e->b, quick);
    fast(e, &g, done);
    count_lanes(e, &g);
    LLVMBuildBr(e->b, next);
    quick = LLVMGetInsertBlock(e->b);
    LLVMPositionBuilderAtEnd(e->b, slow);
    step_into(e, g.lanes, stepped);
    LLVMBuildBr(e->b, next);
    slow = LLVMGetInsertBlock(e->b);
    LLVMPositionBuilderAtEnd(e->b, next);
    each_result(e, join, &(struct two_ways){done, stepped, quick, slow});
    keep_ahead(e, &g, quick, slow);
    if (none) { /* with no lane on it was not come by */
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
    if (in->src[0].kind == IR_SRC_SREG || (!wide && bounds_check_has_range(e)))
        return false;
    for (int d = 0; d < in->ndst; d++)
        if (in->dst[d] != IR_NOREG && reg_scalar(e, in->dst[d]))
            return false;
    emit_many(e, fast);
    return true;
}

static void quick_load(struct emit *e, const struct many *g, struct value *results)
{
    if (g->quad || (e->in->vec == 4 && g->bytes == 4 && e->in->mods->order == PTX_WEAK)) {
        load_together(e, g, results);
        return;
    }
    for (int i = 0; i < e->nahead; i++)
        if (e->ahead[i].site == e->site) {
            for (int p = 0; p < e->parts; p++)
                results[0].v[p] = result_part(e, g, 0, p, e->ahead[i].v[p]);
            return;
        }
    for (int d = 0; d < e->in->ndst; d++)
        if (e->in->dst[d] != IR_NOREG)
            results[d] = may_be_neighbours(e, g) ? neighbours_or_gather(e, g) : gather_element(e, g, d);
}

/* Parts overlap nowhere but where lanes of two of them store to one place: in the order of stores, as in a scatter. */
static void neighbours_or_scatter(struct emit *e, const struct many *g)
{
    LLVMBasicBlockRef near = new_block(e, "near"), far = new_block(e, "far"), next = new_block(e, "stored");
    LLVMValueRef first[MAX_PARTS];
    LLVMBuildCondBr(e->b, are_neighbours(e, g, first), near, far);
    LLVMPositionBuilderAtEnd(e->b, near);
    for (int k = 0; k < e->parts; k++) {
        int p = k ^ memory_store_turn(e->in, SHAPE_LANES, e->width);
        memory_store_lanes(e, memory_stored_part(e, 0, p), part_from(e, g, first[p]), g->bytes, g->lanes ? g->on[p] : NULL);
    }
    LLVMBuildBr(e->b, next);
    LLVMPositionBuilderAtEnd(e->b, far);
    scatter_all(e, g);
    LLVMBuildBr(e->b, next);
    LLVMPositionBuilderAtEnd(e->b, next);
}

static void quick_store(struct emit *e, const struct many *g, struct value *results)
{
    (void)results;
    may_be_neighbours(e, g) ? neighbours_or_scatter(e, g) : scatter_all(e, g);
}

bool emit_gather(struct emit *e)
{
    bool load = e->in->op != PTX_OP_ST;
    if (e->in->space == PTX_PARAM || (e->in->space == PTX_CONST && !load))
        return false;
    return emit_lanes(e, load ? quick_load : quick_store);
}
