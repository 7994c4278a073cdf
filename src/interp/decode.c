/* From IR to steps: places for registers and constants, functions for operations (see code.h). */
#include "interp/interp.h"
#include "interp/code.h"
#include "interp/step.h"
#include "interp/service.h"
#include "ir/facts.h"
#include "ir/operands.h"
#include "base/alloc.h"
#include "target/uniform.h"

#include <stdio.h>
#include <string.h>

struct decode {
    struct ir_kernel *k;
    struct interp_code *c;
    place *of_reg;
    size_t pool_cap;
    uint32_t carry; /* place of the carry flag */
    const char *problem;
};

/* A constant, 32 times, in lanes of `width` bytes (0: a predicate word). Each (value, width) is there once. */
static place constant(struct decode *d, uint64_t bits, unsigned width)
{
    struct interp_code *c = d->c;
    unsigned step = width ? width : 4;
    uint64_t lane = width ? bits : bits ? UINT32_MAX : 0;
    for (size_t at = 0; at < c->pool_bytes; at += 64 * 8)
        if (!memcmp(c->pool + at, &lane, step > 8 ? 8 : step) && c->pool[at + 64 * 8 - 1] == (char)width)
            return (place)(at | PLACE_POOL);
    /* fixed cells of 512 bytes: 32 lanes of up to 8 bytes, the width as the last byte; a predicate (width 0) is one
     * word for all lanes, so its cell is nobody else's */
    if (c->pool_bytes == d->pool_cap) {
        d->pool_cap = d->pool_cap ? d->pool_cap * 2 : 64 * 512;
        c->pool = alloc_resize(c->pool, d->pool_cap);
    }
    char *cell = c->pool + c->pool_bytes;
    memset(cell, 0, 512);
    for (int i = 0; i < (width ? WARP_LANES : 1); i++)
        memcpy(cell + (size_t)i * step, &lane, step > 8 ? 8 : step);
    cell[511] = (char)width;
    c->pool_bytes += 512;
    return (place)((c->pool_bytes - 512) | PLACE_POOL);
}

static unsigned type_width(enum ptx_type t)
{
    int bits = ptx_type_info[t].bits;
    return t == PTX_PRED ? 0 : bits < 8 ? 1 : (unsigned)bits / 8;
}

static place new_predicate(struct decode *d)
{
    place p = d->c->reg_bytes;
    d->c->reg_bytes += 64;
    return p;
}

static place new_word(struct decode *d)
{
    place p = d->c->reg_bytes;
    d->c->reg_bytes += WARP_LANES * 4;
    return p;
}

static void read_operands(struct decode *d, const struct ir_inst *in, struct step *st)
{
    for (int i = 0; i < STEP_SRC; i++)
        st->s[i] = PLACE_POOL;
    for (int i = 0; i < in->nsrc && st->kind != STEP_MATRIX_PRODUCT; i++) {
        const struct ir_src *s = &in->src[i];
        if (s->kind == IR_SRC_REG) {
            st->s[i] = d->of_reg[s->reg];
            st->width[i] = (uint8_t)slots_width(d->k, s->reg);
        } else if (s->kind == IR_SRC_IMM) {
            st->width[i] = (uint8_t)type_width(ir_src_type(in, i));
            st->s[i] = constant(d, s->imm, st->width[i]);
        }
    }
    for (int i = 0; i < in->ndst; i++) {
        st->d[i] = in->dst[i] == IR_NOREG ? PLACE_NONE : d->of_reg[in->dst[i]];
        st->dst_width[i] = in->dst[i] == IR_NOREG ? 0 : (uint8_t)slots_width(d->k, in->dst[i]);
    }
    if (in->guard != IR_NOREG) {
        st->guarded = in->guard_negated ? 2 : 1;
        st->guard = d->of_reg[in->guard];
    }
}

static void unknown(struct decode *d, const struct ir_inst *in)
{
    if (!d->problem)
        d->problem = arena_printf(&d->k->arena, "'%.*s': this combination of types and modifiers is not implemented",
                                  in->from->text_len, in->from->text ? in->from->text : "");
}

/* mov with a vector on one side: element by element. */
static void decode_vector_move(struct decode *d, const struct ir_inst *in, struct step *st)
{
    bool pack = in->nsrc > 1;
    int count = pack ? in->nsrc : in->ndst, bits = ptx_type_info[in->type].bits / count, n = 0;
    struct step_sub *sub = ARENA_ARRAY(&d->k->arena, struct step_sub, count);
    for (int i = 0; i < count; i++) {
        lanes_fn *fn = pack ? lanes_insert(bits, count, i) : lanes_extract(bits, count, i);
        place to = pack ? st->d[0] : st->d[i], from = pack ? st->s[i] : st->s[0];
        if (!fn || (pack && to == PLACE_NONE))
            unknown(d, in);
        else if (to != PLACE_NONE)
            sub[n++] = (struct step_sub){fn, to, from, PLACE_POOL, PLACE_POOL};
    }
    if (!n) {
        st->kind = STEP_NOP;
        return;
    }
    st->fn = sub[0].fn;
    st->d[0] = sub[0].d;
    st->s[0] = sub[0].a;
    st->sub = sub + 1;
    st->nsub = (uint8_t)(n - 1);
}

/* One of the math library's functions does it, if there is one for it. */
static bool take_math(struct step *st, const char *name, uint8_t width)
{
    int row = lanes_math_row(name);
    if (row < 0)
        return false;
    st->math = (uint8_t)(row + 1);
    st->arguments = (uint8_t)lanes_math()[row].arguments;
    st->form = (uint8_t)lanes_math()[row].form;
    st->elem = width;
    st->fn = lanes_math()[row].fn;
    return true;
}

static void decode_approximation(const struct ir_inst *in, struct step *st)
{
    char name[40];
    snprintf(name, sizeof name, "%s.approx", ptx_op_info[in->op].word);
    take_math(st, name, 4);
}

static void decode_lanes(struct decode *d, const struct ir_inst *in, struct step *st)
{
    st->kind = STEP_LANES;
    if (ir_is(in, PTX_KIND_COPY) && (in->nsrc > 1 || in->ndst > 1)) {
        decode_vector_move(d, in, st);
        return;
    }
    bool lop3 = in->op == PTX_OP_LOP3, pair = (ir_is(in, PTX_KIND_COMPARE) || lop3) && in->ndst > 1 && st->d[1] != PLACE_NONE;
    place q = pair ? st->d[1] : PLACE_NONE;
    if (st->d[0] == PLACE_NONE && !pair) {
        st->kind = STEP_NOP;
        return;
    }
    if (st->d[0] == PLACE_NONE)
        st->d[0] = lop3 ? new_word(d) : new_predicate(d);
    st->fn = lanes_find(d->k, in);
    if (!st->fn)
        unknown(d, in);
    if (in->type == PTX_F32 && in->mods->approx)
        decode_approximation(in, st);
    if (facts_carry(in))
        st->s[3] = d->carry;
    if (!pair)
        return;
    st->sub = ARENA_NEW(&d->k->arena, struct step_sub);
    st->nsub = 1;
    if (lop3)
        *st->sub = (struct step_sub){lanes_find_lop3_second(in), q, st->d[0], st->s[4], PLACE_POOL};
    else
        *st->sub = (struct step_sub){lanes_find_setp_second(d->k, in), q, st->s[0], st->s[1], st->s[2]};
    if (!lop3 && st->d[0] == st->s[2]) { /* both read the predicate that the first one writes: q before p */
        struct step_sub first = *st->sub;
        *st->sub = (struct step_sub){st->fn, st->d[0], st->s[0], st->s[1], st->s[2]};
        st->fn = first.fn;
        st->d[0] = q;
    }
    if (!st->sub->fn)
        unknown(d, in);
}

/* --- calls of functions that the module leaves open --- */

static unsigned letter_width(char c)
{
    return c == 'd' || c == 'l' ? 8 : 4;
}

/* The call passes what the signature says: the handlers read their operands by it. */
static bool call_fits(const struct ir_inst *in, const struct step *st, const char *signature)
{
    int n = (int)strcspn(signature, ":");
    char result = signature[n + 1];
    for (int i = 0; i < n && i < in->nsrc; i++)
        if (st->width[i] != letter_width(signature[i]))
            return false;
    bool has_result = in->ndst && in->dst[0] != IR_NOREG;
    return in->nsrc == n && (!has_result || (result != 'v' && st->dst_width[0] == letter_width(result)));
}

static void decode_extern(struct decode *d, const struct ir_inst *in, struct step *st)
{
    const struct service *s = service_find(in->callee);
    const char *signature = s ? s->signature : lanes_extern_signature(in->callee);
    if (!signature || !call_fits(in, st, signature)) {
        d->problem = arena_printf(&d->k->arena, signature ? "function '%s' is called with other arguments than it takes"
                                                          : "function '%s' is declared but defined nowhere", in->callee);
        return;
    }
    if (s) {
        st->kind = s->fn == service_grid_sync ? STEP_GRID_SYNC : STEP_SERVICE;
        st->service = s->fn;
        d->c->needs |= s->needs;
        return;
    }
    st->kind = in->ndst && st->d[0] != PLACE_NONE ? STEP_LANES : STEP_NOP;
    if (!take_math(st, in->callee, (uint8_t)letter_width(signature[strlen(signature) - 1])))
        st->fn = lanes_find_extern(in->callee);
}

static const struct access_ops *access_level(void)
{
    const char *level = lanes_level();
    return !strcmp(level, "x86-64-v4") ? &access_ops_v4 : !strcmp(level, "x86-64-v3") ? &access_ops_v3 : &access_ops_v2;
}

static void decode_memory(struct decode *d, const struct ir_inst *in, struct step *st)
{
    st->space = in->space;
    st->vec = in->vec;
    st->elem = (uint8_t)type_width(in->type);
    st->offset = in->offset;
    st->ordered = in->mods->order != PTX_WEAK;
    st->sign = ptx_type_info[in->type].kind == 'S';
    st->address_width = st->width[0];
    bool bad_atomic = st->kind == STEP_ATOM && (st->elem < 2 || in->vec > 1);
    const struct access_ops *ops = access_level();
    st->access = st->kind == STEP_LOAD ? ops->load : st->kind == STEP_STORE ? ops->store : ops->atom;
    if (st->elem > 8 || in->vec > 4 || (st->address_width != 4 && st->address_width != 8) || bad_atomic)
        unknown(d, in);
}

/* cp.async: `elem` bytes a lane; the addresses are sources 0 (shared) and 1 (global). */
static void decode_async(struct decode *d, const struct ir_inst *in, struct step *st)
{
    st->vec = 1;
    st->elem = (uint8_t)in->src[2].imm;
    st->offset = in->offset;
    st->access = access_level()->async;
    for (int i = 0; i < 2; i++)
        if (st->width[i] != 4 && st->width[i] != 8)
            unknown(d, in);
    if (in->nsrc > 3 && st->width[3] > 4)
        unknown(d, in);
}

/* ldmatrix, stmatrix: a row of 16 bytes a lane. */
static void decode_matrix(struct decode *d, const struct ir_inst *in, struct step *st)
{
    bool load = st->kind == STEP_MATRIX_LOAD;
    st->space = in->space;
    st->vec = 1;
    st->elem = 16;
    st->offset = in->offset;
    st->access = load ? access_level()->load_matrix : access_level()->store_matrix;
    if (st->width[0] != 4 && st->width[0] != 8)
        unknown(d, in);
}

static const struct matrix_ops *matrix_level(void)
{
    const char *level = lanes_level();
    return !strcmp(level, "x86-64-v4") ? &matrix_ops_v4 : !strcmp(level, "x86-64-v3") ? &matrix_ops_v3 : &matrix_ops_v2;
}

/* mma has more sources than a step has room for. */
static void decode_product(struct decode *d, const struct ir_inst *in, struct step *st)
{
    st->access = in->type == PTX_F16 ? matrix_level()->halves : matrix_level()->product[in->mods->element[0]];
    st->places = ARENA_ARRAY(&d->k->arena, place, in->nsrc);
    for (int i = 0; i < in->nsrc; i++)
        st->places[i] = in->src[i].kind == IR_SRC_REG ? d->of_reg[in->src[i].reg]
                                                      : constant(d, in->src[i].imm, type_width(ir_src_type(in, i)));
}

static void decode_branch(const struct ir_kernel *k, const struct ir_inst *in, struct step *st, struct arena *a)
{
    st->back_edge = in->back_edge;
    st->waiting = in->waiting;
    st->level = (int8_t)((in->after_call != 0) - in->is_return);
    st->leaves = in->leaves;
    st->join = in->joined ? k->blocks[in->join].first : -1;
    if (st->kind == STEP_BRANCH) {
        st->target = k->blocks[in->target].first;
        return;
    }
    st->targets = ARENA_ARRAY(a, int32_t, in->ntargets);
    for (int i = 0; i < in->ntargets; i++)
        st->targets[i] = k->blocks[in->targets[i]].first;
}

/* By operation: what it becomes; STEP_LANES is the kind of what is not named. */
static const uint8_t step_of[IR_OP_END] = {
#define STEP(op, kind) [PTX_OP_##op] = STEP_##kind,
#include "interp/steps.def"
#undef STEP
    [IR_OP_TRIPS] = STEP_COUNTED,
    [IR_OP_LONG_WAY] = STEP_COUNTED,
};

/* An exchange whose result nobody reads is a meeting all the same: what it drops has a place, too. */
static void place_dropped(struct decode *d, const struct ir_inst *in, struct step *st)
{
    for (int i = 0; i < in->ndst; i++) {
        bool predicate = i || (st->kind == STEP_VOTE && in->mods->variant != PTX_VOTE_BALLOT);
        if (st->d[i] == PLACE_NONE) {
            st->d[i] = predicate ? new_predicate(d) : new_word(d);
            st->dst_width[i] = predicate ? 0 : 4;
        }
    }
}

static void decode_inst(struct decode *d, const struct ir_inst *in, struct step *st)
{
    st->in = in;
    st->block = in->block;
    st->kind = step_of[in->op];
    read_operands(d, in, st);
    switch (st->kind) {
    case STEP_LOAD:
    case STEP_STORE:
    case STEP_ATOM:
        decode_memory(d, in, st);
        return;
    case STEP_ASYNC:
        decode_async(d, in, st);
        return;
    case STEP_MATRIX_LOAD:
    case STEP_MATRIX_STORE:
        decode_matrix(d, in, st);
        return;
    case STEP_MATRIX_PRODUCT:
        decode_product(d, in, st);
        return;
    case STEP_BRANCH:
    case STEP_SWITCH:
        decode_branch(d->k, in, st, &d->k->arena);
        return;
    case STEP_BARRIER:
        st->kind = in->mods->variant == PTX_BAR_WARP ? STEP_SYNCWARP : STEP_BARRIER;
        break;
    default:
        break;
    }
    if (ir_is(in, PTX_KIND_COPY) && in->nsrc == 1 && in->src[0].kind == IR_SRC_SREG) {
        st->kind = st->d[0] == PLACE_NONE ? STEP_NOP : STEP_SREG;
        st->sreg = (uint8_t)in->src[0].sreg;
        return;
    }
    for (int i = 0; i < in->nsrc; i++)
        if (in->src[i].kind == IR_SRC_SREG)
            unknown(d, in);
    if (in->op == IR_OP_EXTERN) {
        decode_extern(d, in, st);
        return;
    }
    if (st->kind == STEP_SURFACE) {
        st->elem = (uint8_t)type_width(in->type);
        st->vec = in->vec;
    }
    if (st->kind == STEP_LANES)
        decode_lanes(d, in, st);
    if (st->kind == STEP_CVTA)
        st->offset = (int64_t)special_window(in);
    if (exchange_mask(st))
        place_dropped(d, in, st);
    bool needs_dst = st->kind == STEP_VOTE || st->kind == STEP_ACTIVEMASK || st->kind == STEP_CVTA || st->kind == STEP_ISSPACEP;
    if (needs_dst && st->d[0] == PLACE_NONE)
        st->kind = STEP_NOP;
}

/* Exchanges whose member mask may differ from lane to lane. */
static void mark_own_masks(const struct interp_code *c)
{
    uint64_t *uniform = NULL;
    for (int32_t i = 0; i < c->kernel->ninsts; i++) {
        struct step *st = &c->step[i];
        const struct ir_src *mask = exchange_mask(st);
        if (!mask || mask->kind != IR_SRC_REG)
            continue;
        uniform = uniform ? uniform : uniform_registers(c->kernel);
        st->own_masks = !uniform_source(uniform, mask);
    }
    alloc_release(uniform);
}

static void mark_head(const struct interp_code *c, int32_t block)
{
    const struct ir_block *b = &c->kernel->blocks[block];
    struct step *head = &c->step[b->first];
    head->entered = c->kernel->entered && c->kernel->entered[block];
    head->block_head = head->entered ? 2 : 1;
    for (int32_t i = b->first; i < b->first + b->count; i++)
        if (step_leaves_records(&c->step[i]) || step_reads_time(&c->step[i]))
            head->block_head = 2;
}

struct interp_code *interp_compile(struct ir_kernel *k, const char **problem_text, int32_t *site)
{
    struct interp_code *c = alloc_zeroed(sizeof *c);
    struct decode d = {.k = k, .c = c, .of_reg = alloc_zeroed(sizeof(place) * (size_t)(k->nregs + 1))};
    c->kernel = k;
    c->of_reg = d.of_reg;
    c->reg_bytes = slots_assign(k, d.of_reg);
    d.carry = new_predicate(&d);
    c->step = alloc_zeroed(sizeof *c->step * (size_t)(k->ninsts + 1));
    constant(&d, 0, 8); /* what absent operands point to */
    for (int32_t i = 0; i < k->ninsts && !d.problem; i++) {
        decode_inst(&d, &k->insts[i], &c->step[i]);
        *site = i;
    }
    for (int32_t b = 0; b < k->nblocks; b++)
        mark_head(c, b);
    if (d.problem) {
        *problem_text = d.problem;
        interp_free(c);
        return NULL;
    }
    mark_own_masks(c);
    turns_find(c);
    return c;
}

void interp_free(struct interp_code *c)
{
    if (!c)
        return;
    alloc_release(c->step);
    alloc_release(c->of_reg);
    alloc_release(c->pool);
    turns_release(&c->turns);
    alloc_release(c);
}

uint32_t interp_turns(const struct interp_code *c, const struct launch *l)
{
    struct range_launch known = {.dim = l->block_dim, .grid = l->grid, .params = l->params, .shared_bytes = l->shared_bytes};
    return l->warps_per_block > 1 ? turns_wanted(c, &known, l->space) : 0;
}

bool interp_uses_heap(const struct interp_code *c)
{
    return c->needs & SERVICE_HEAP;
}

bool interp_asks_runtime(const struct interp_code *c)
{
    return c->needs & SERVICE_RUNTIME;
}

uint32_t interp_reg_bytes(const struct interp_code *c)
{
    return c->reg_bytes;
}
