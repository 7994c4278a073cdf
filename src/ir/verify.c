/* See verify.h. One function a question, in the order in which later ones rely on earlier ones: what an instruction names is
 * there, blocks, rows, operands, edges, definitions. The first fault found ends it. */
#include "ir/verify.h"
#include "base/alloc.h"
#include "base/strbuf.h"
#include "ir/cfg.h"
#include "ir/effects.h"
#include "ir/operands.h"
#include "ir/ssa.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct verifier {
    struct ir_kernel *k;
    const char *after;
    const struct ir_inst *in; /* what is looked at, or NULL */
    bool named;               /* what it names is there: it can be printed */
    bool bad;
};

__attribute__((format(printf, 2, 3))) static bool complain(struct verifier *v, const char *fmt, ...)
{
    struct strbuf text;
    va_list ap;
    strbuf_init(&text);
    strbuf_addf(&text, "internal error: kernel '%s' after '%s': ", v->k->name, v->after);
    va_start(ap, fmt);
    strbuf_addv(&text, fmt, ap);
    va_end(ap);
    if (v->in && v->named) {
        strbuf_adds(&text, " in '");
        ir_print_inst(v->k, v->in, &text);
        strbuf_adds(&text, "'");
    }
    const struct ir_origin *from = v->in ? v->in->from : NULL;
    if (from && from->text)
        strbuf_addf(&text, ", made of '%.*s'", from->text_len, from->text);
    strbuf_adds(&text, "; please report it");
    struct ir_problem *p = ARENA_NEW(&v->k->arena, struct ir_problem), **last = &v->k->problems;
    *p = (struct ir_problem){.text = arena_strdup(&v->k->arena, text.s), .loc = from ? from->loc : NULL,
                             .ptx_line = from ? from->ptx_line : 0, .internal = true};
    while (*last)
        last = &(*last)->next;
    *last = p;
    strbuf_release(&text);
    v->bad = true;
    return false;
}

/* --- what an instruction names is there --- */

static bool is_register(const struct verifier *v, int32_t reg)
{
    return reg >= 0 && reg < v->k->nregs;
}

static bool is_block(const struct verifier *v, int32_t block)
{
    return block >= 0 && block < v->k->nblocks;
}

static int most_sources(const struct ir_inst *in)
{
    bool ways = in->op == IR_OP_PHI || in->op == IR_OP_ENTER;
    return ways ? UINT16_MAX : in->op == IR_OP_STATE ? IR_STATE : IR_OPERANDS;
}

/* Things of a form that an instruction names by number. */
static bool check_form_names(struct verifier *v, const struct ir_inst *in)
{
    const struct ir_form *f = v->k->form;
    enum ir_number number = ir_is_own(in) ? ir_own_op(in)->number : IR_NOTHING;
    const int32_t most[] = {[IR_PART] = f->parts, [IR_ROW] = f->rows, [IR_ARRAY] = 2 * f->regs, [IR_STOP] = INT32_MAX, [IR_TRIPS] = INT32_MAX, [IR_LONG_WAY] = INT32_MAX};
    if (in->site < -1 || in->site > f->insts)
        return complain(v, "it does instruction %d of %d", in->site, f->insts);
    if (number && (in->target >= most[number] || in->target < (number == IR_ROW ? -1 : 0)))
        return complain(v, "%s %d of %d", ir_number_words[number], in->target, most[number]);
    if (in->op == IR_OP_STATE && (in->ntargets < 0 || in->ntargets > in->targets[0] || in->targets[0] > in->nsrc))
        return complain(v, "a state of %d registers, %d before and behind, %d of the warp", in->nsrc, in->targets[0], in->ntargets);
    if (in->op == IR_OP_ENTER && in->ntargets != in->nsrc && in->ntargets != in->nsrc + 1)
        return complain(v, "%d numbers and %d ways in", in->nsrc, in->ntargets);
    return true;
}

static bool check_names(struct verifier *v, const struct ir_inst *in)
{
    bool form = v->k->form != NULL;
    if (in->op == PTX_OP_UNKNOWN || in->op == PTX_OP_CALL || in->op == PTX_OP_WMMA || in->op >= (form ? IR_OP_END : IR_OP_DELETED + 1))
        return complain(v, "operation %d is none of the IR", in->op);
    if (in->type >= PTX_TYPE_COUNT || in->type2 >= PTX_TYPE_COUNT)
        return complain(v, "there is no type %d or %d", in->type, in->type2);
    if (in->space > (form ? IR_HOST : IR_SCRATCH))
        return complain(v, "there is no state space %d", in->space);
    if (in->ndst > IR_OPERANDS || in->nsrc > most_sources(in))
        return complain(v, "%d results and %d sources", in->ndst, in->nsrc);
    if (!in->mods)
        return complain(v, "no modifiers");
    for (int d = 0; d < in->ndst; d++)
        if (in->dst[d] != IR_NOREG && !is_register(v, in->dst[d]))
            return complain(v, "result %d is register %d of %d", d, in->dst[d], v->k->nregs);
    for (int s = 0; s < in->nsrc; s++) {
        if (in->src[s].kind > IR_SRC_SREG)
            return complain(v, "source %d is of kind %d", s, in->src[s].kind);
        if (in->src[s].kind == IR_SRC_REG && !is_register(v, in->src[s].reg))
            return complain(v, "source %d is register %d of %d", s, in->src[s].reg, v->k->nregs);
        if (in->src[s].kind == IR_SRC_SREG && in->src[s].sreg >= PTX_SREG_COUNT)
            return complain(v, "source %d is special register %u", s, in->src[s].sreg);
    }
    for (int s = 0; in->op == IR_OP_PHI && s < in->ntargets; s++)
        if (in->targets[s] != -1 && !is_block(v, in->targets[s]))
            return complain(v, "source %d comes from block %d of %d", s, in->targets[s], v->k->nblocks);
    for (int d = 0; in->old && d < in->ndst; d++)
        if (in->old[d] != IR_NOREG && !is_register(v, in->old[d]))
            return complain(v, "result %d is else register %d of %d", d, in->old[d], v->k->nregs);
    if (in->guard != IR_NOREG && !is_register(v, in->guard))
        return complain(v, "the guard is register %d of %d", in->guard, v->k->nregs);
    if (in->op == IR_OP_EXTERN && !in->callee)
        return complain(v, "a call of no function");
    const int32_t *to;
    for (int32_t t = ir_targets(in, &to) - 1; t >= 0; t--)
        if (!is_block(v, to[t]))
            return complain(v, "a branch to block %d of %d", to[t], v->k->nblocks);
    if (form && !check_form_names(v, in))
        return false;
    if (in->after_call && !is_block(v, in->after_call - 1))
        return complain(v, "a call that comes back to block %d of %d", in->after_call - 1, v->k->nblocks);
    return true;
}

/* --- blocks --- */

static bool check_blocks(struct verifier *v)
{
    const struct ir_kernel *k = v->k;
    int32_t next = 0;
    v->in = NULL;
    for (int32_t b = 0; b < k->nblocks; b++) {
        const struct ir_block *block = &k->blocks[b];
        if (block->first != next || block->count < 1 || block->count > k->ninsts - next)
            return complain(v, "block %d has instructions %d to %d of %d, behind %d", b, block->first, block->first + block->count - 1,
                            k->ninsts, next - 1);
        next += block->count;
        for (int32_t i = block->first; i < next; i++) {
            v->in = &k->insts[i];
            if (v->in->block != b)
                return complain(v, "an instruction of block %d is said to be of block %d", b, v->in->block);
            if (cfg_ends_block(v->in) && i + 1 < next)
                return complain(v, "a branch in the middle of block %d", b);
        }
    }
    if (next != k->ninsts)
        return complain(v, "%d instructions in blocks, %d in all", next, k->ninsts);
    if (cfg_falls_through(v->in))
        return complain(v, "threads run past the last instruction");
    return true;
}

/* --- rows --- */

/* Bytes are moved by moves that PTX does not have: an argument of a call. */
static bool takes_type(const struct ir_inst *in)
{
    uint32_t types = ptx_op_info[in->op].types;
    return types >> in->type & 1 || (ir_is(in, PTX_KIND_COPY) && in->type == PTX_B8);
}

static bool check_row(struct verifier *v)
{
    const struct ir_inst *in = v->in;
    const struct ptx_op_info *row = &ptx_op_info[in->op];
    const struct ptx_mods *m = in->mods;
    const struct {
        bool is;
        uint64_t group;
        const char *word;
    } modifiers[] = {{m->sat, MOD_SAT, "sat"}, {m->ftz, MOD_FTZ, "ftz"}, {m->cc, MOD_CC, "cc"}, {m->approx, MOD_APPROX, "approx"},
                     {m->full, MOD_FULL, "full"}, {m->relu, MOD_RELU, "relu"}, {m->round, MOD_RND, "r"}, {m->nan, MOD_NAN, "NaN"},
                     {m->cmp, MOD_CMP, "cmp"}};
    if (!takes_type(in))
        return complain(v, "'%s' does not go with type .%s", row->id, ptx_type_info[in->type].spelling);
    if (row->form != PTX_FORM_SPECIAL) /* of some others opcodes.c reads more than the column says */
        for (size_t i = 0; i < sizeof modifiers / sizeof *modifiers; i++)
            if (modifiers[i].is && !(row->mods & modifiers[i].group))
                return complain(v, "'%s' does not go with .%s", row->id, modifiers[i].word);
    if (ir_is_memory(in) && in->vec != 1 && in->vec != 2 && in->vec != 4)
        return complain(v, "a vector of %d", in->vec);
    if (ir_is_memory(in) && ptx_type_info[in->type].bits * in->vec > 128)
        return complain(v, "a vector of %d bits", ptx_type_info[in->type].bits * in->vec);
    return true;
}

/* --- operands --- */

static bool fits(const struct verifier *v, const struct ir_operand *want, int32_t reg)
{
    enum ptx_type have = v->k->reg_type[reg];
    int bits = ptx_type_info[have].bits;
    if (want->any)
        return true;
    if (want->address)
        return bits == 64 || bits == 32;
    return (want->predicate_too && have == PTX_PRED) || ptx_type_fits(want->type, have, want->wider);
}

static bool check_number(struct verifier *v, const struct ir_operands *o, int n, const char *what)
{
    if (n >= o->least && (n <= o->most || o->on))
        return true;
    if (o->least == o->most)
        return complain(v, "%d %s where %d belong", n, what, o->most);
    return complain(v, "%d %s where %d to %d belong", n, what, o->least, o->most);
}

static bool check_operand(struct verifier *v, const struct ir_operand *want, int32_t reg)
{
    if (fits(v, want, reg))
        return true;
    enum ptx_type have = v->k->reg_type[reg];
    return complain(v, "%c%d is .%s where .%s%s is wanted", have == PTX_PRED ? 'p' : 'r', reg, ptx_type_info[have].spelling,
                    ptx_type_info[want->type].spelling, want->wider ? " or wider" : "");
}

static bool check_operands(struct verifier *v)
{
    const struct ir_inst *in = v->in;
    struct ir_operands results, sources;
    if (!ir_operands(in, true, &results) || !ir_operands(in, false, &sources))
        return complain(v, "'%s' has no row in operands.def", ptx_op_info[in->op].id);
    if (!check_number(v, &results, in->ndst, "results") || !check_number(v, &sources, in->nsrc, "sources"))
        return false;
    for (int d = 0; d < in->ndst; d++)
        if (in->dst[d] != IR_NOREG && !check_operand(v, ir_operand(&results, d), in->dst[d]))
            return false;
    for (int s = 0; s < in->nsrc; s++) {
        const struct ir_src *src = &in->src[s];
        if (src->kind == IR_SRC_REG && !check_operand(v, ir_operand(&sources, s), src->reg))
            return false;
        if (src->kind == IR_SRC_SREG && !ir_is(in, PTX_KIND_COPY))
            return complain(v, "source %d is a special register", s);
        bool predicate = src->kind == IR_SRC_REG ? v->k->reg_type[src->reg] == PTX_PRED : ir_operand(&sources, s)->type == PTX_PRED;
        if (src->negated && !predicate)
            return complain(v, "'!' before source %d, which is no predicate", s);
    }
    return true;
}

static int bits_of(const struct verifier *v, int32_t reg)
{
    return ptx_type_info[v->k->reg_type[reg]].bits;
}

static bool comes_from(const struct ir_block *b, int32_t from)
{
    for (int32_t i = 0; i < b->npred; i++)
        if (b->pred[i] == from)
            return true;
    return false;
}

/* One source for each way into the block. */
static bool check_phi(struct verifier *v)
{
    const struct ir_inst *in = v->in;
    const struct ir_block *b = &v->k->blocks[in->block];
    if (!v->k->ssa)
        return complain(v, "a phi out of SSA");
    if (in != &v->k->insts[b->first] && !ir_at_head(in - 1))
        return complain(v, "a phi behind other instructions");
    if (in->guard != IR_NOREG || in->ndst != 1 || in->dst[0] == IR_NOREG)
        return complain(v, "a phi has a guard, or not one result");
    if (in->nsrc != in->ntargets || in->nsrc != b->npred + (in->block == 0))
        return complain(v, "a phi with %d sources and %d blocks, where %d lead here", in->nsrc, in->ntargets, b->npred);
    for (int s = 0; s < in->nsrc; s++) {
        if (in->targets[s] < 0 ? in->block != 0 : !comes_from(b, in->targets[s]))
            return complain(v, "no way leads here from block %d", in->targets[s]);
        for (int t = 0; t < s; t++)
            if (in->targets[t] == in->targets[s])
                return complain(v, "two sources from block %d", in->targets[s]);
        if (in->src[s].kind == IR_SRC_SREG || in->src[s].negated)
            return complain(v, "source %d of a phi", s);
        if (in->src[s].kind == IR_SRC_REG && bits_of(v, in->src[s].reg) != bits_of(v, in->dst[0]))
            return complain(v, "source %d of a phi is not as wide as its result", s);
    }
    return true;
}

/* In SSA a result under a guard is something else where the guard is not. */
static bool check_old(struct verifier *v)
{
    const struct ir_inst *in = v->in;
    if ((in->old != NULL) != (v->k->ssa && in->guard != IR_NOREG && in->ndst > 0))
        return complain(v, in->old ? "a value beside a result that is always written" : "no value for lanes without the guard");
    for (int d = 0; d < in->ndst && in->old; d++)
        if (in->old[d] != IR_NOREG && (in->dst[d] == IR_NOREG || bits_of(v, in->old[d]) != bits_of(v, in->dst[d])))
            return complain(v, "result %d and what it is else are not alike", d);
    return true;
}

static bool check_inst(struct verifier *v)
{
    const struct ir_inst *in = v->in;
    if (in->op == IR_OP_DELETED)
        return in->ndst || in->nsrc ? complain(v, "a deleted instruction with operands") : true;
    if (in->guard != IR_NOREG && v->k->reg_type[in->guard] != PTX_PRED)
        return complain(v, "the guard r%d is no predicate", in->guard);
    if (in->op == IR_OP_PHI)
        return check_phi(v);
    if (ir_is_own(in) && ir_own_typed(ir_own_op(in)) && !in->type)
        return complain(v, "'%s' has no type", ir_own_op(in)->word);
    return check_old(v) && (ir_is_own(in) || check_row(v)) && check_operands(v);
}

/* --- edges --- */

static bool has_edge(const struct ir_block *b, int32_t to)
{
    for (int32_t i = 0; i < b->nsucc; i++)
        if (b->succ[i] == to)
            return true;
    return false;
}

/* Every way out of the block is an edge, and every edge goes where there may be a way. */
static bool check_edges(struct verifier *v, int32_t b)
{
    const struct ir_kernel *k = v->k;
    const struct ir_block *block = &k->blocks[b];
    const struct ir_inst *last = &k->insts[block->first + block->count - 1];
    const int32_t *way;
    int32_t ways = ir_targets(last, &way), behind = b + 1 < k->nblocks ? b + 1 : -1;
    bool falls = cfg_falls_through(last), exits = cfg_ends_block(last) && !ways;
    v->in = last;
    bool all = (!falls || has_edge(block, behind)) && (!exits || has_edge(block, -1));
    for (int32_t t = 0; t < ways; t++)
        all = all && has_edge(block, way[t]);
    if (!all)
        return complain(v, "block %d lacks an edge", b);
    for (int32_t i = 0; i < block->nsucc; i++) {
        int32_t to = block->succ[i];
        bool meant = (falls && to == behind) || (exits && to == -1);
        for (int32_t t = 0; t < ways; t++)
            meant = meant || to == way[t];
        if (!meant)
            return complain(v, "block %d has an edge to block %d that nothing takes", b, to);
    }
    if (ir_is(last, PTX_KIND_BRANCH) && last->joined && !is_block(v, last->join))
        return complain(v, "lanes meet at block %d of %d", last->join, k->nblocks);
    return true;
}

/* --- definitions --- */

/* The next instruction does for the other lanes what this one does for some: both together write the register. */
static bool is_half(const struct ir_kernel *k, int32_t i, int32_t reg)
{
    const struct ir_inst *in = &k->insts[i], *next = in + 1;
    return i + 1 < k->ninsts && next->block == in->block && in->guard != IR_NOREG && next->guard == in->guard &&
           next->guard_negated != in->guard_negated && ir_defines(next, reg) && !ir_defines(in, in->guard);
}

/* Can lanes come from the block's beginning to a read of the register that nothing has written? 1: here; 0: no; -1: not here,
 * but they may go on. */
static int reads_first(const struct ir_kernel *k, int32_t b, int32_t reg, const struct ir_inst **reader)
{
    const struct ir_block *block = &k->blocks[b];
    for (int32_t i = block->first; i < block->first + block->count; i++) {
        const struct ir_inst *in = &k->insts[i];
        *reader = in;
        if (ir_reads_register(in, reg))
            return 1;
        if (ir_defines(in, reg) && (in->guard == IR_NOREG || is_half(k, i, reg)))
            return 0;
    }
    return -1;
}

static const struct ir_inst *find_unwritten(const struct ir_kernel *k, int32_t reg)
{
    uint8_t *seen = alloc_zeroed((size_t)k->nblocks);
    int32_t *stack = alloc_zeroed((size_t)k->nblocks * sizeof *stack), n = 0;
    const struct ir_inst *found = NULL, *reader;
    stack[n++] = 0;
    seen[0] = 1;
    while (n && !found) {
        int32_t b = stack[--n];
        int reads = reads_first(k, b, reg, &reader);
        if (reads > 0)
            found = reader;
        for (int32_t s = 0; reads < 0 && s < k->blocks[b].nsucc; s++) {
            int32_t to = k->blocks[b].succ[s];
            if (to >= 0 && !seen[to]) {
                seen[to] = 1;
                stack[n++] = to;
            }
        }
    }
    alloc_release(seen);
    alloc_release(stack);
    return found;
}

/* `live`: registers alive where the kernel begins. What was so when it was built the PTX says, and may be. */
static bool check_definitions(struct verifier *v, const uint64_t *live)
{
    const struct ir_kernel *k = v->k;
    for (int32_t reg = 0; reg < k->nregs; reg++) {
        if (live[reg >> 6] == 0) {
            reg |= 63;
            continue;
        }
        if (!ir_bit(live, reg) || (reg < k->built_regs && ir_bit(k->unwritten, reg)))
            continue;
        v->in = find_unwritten(k, reg);
        if (v->in)
            return complain(v, "r%d is read before it is written", reg);
    }
    return true;
}

/* In SSA: the definition stands on every way to the place, the end of block `b` or instruction `i` of it. What has none is alive
 * where the kernel begins. */
static bool check_read(struct verifier *v, const int32_t *site, int32_t reg, int32_t b, int32_t i)
{
    const struct ir_kernel *k = v->k;
    int32_t def = site[reg] - 1;
    if (def < 0 || (k->insts[def].block == b ? i < 0 || def < i : ir_dominates(k, k->insts[def].block, b)))
        return true;
    return complain(v, "r%d is read where its definition does not lead", reg);
}

static bool check_reads(struct verifier *v, const int32_t *site, int32_t i)
{
    const struct ir_inst *in = &v->k->insts[i];
    bool phi = in->op == IR_OP_PHI, ok = in->guard == IR_NOREG || check_read(v, site, in->guard, in->block, i);
    for (int s = 0; s < in->nsrc && ok; s++) {
        int32_t from = phi ? in->targets[s] : in->block;
        if (in->src[s].kind == IR_SRC_REG && from >= 0 && (from == 0 || v->k->blocks[from].idom >= 0))
            ok = check_read(v, site, in->src[s].reg, from, phi ? -1 : i);
    }
    for (int d = 0; d < in->ndst && ok && in->old; d++)
        ok = in->old[d] == IR_NOREG || check_read(v, site, in->old[d], in->block, i);
    return ok;
}

static void check_ssa(struct verifier *v)
{
    const struct ir_kernel *k = v->k;
    int32_t *site = alloc_zeroed(((size_t)k->nregs + 1) * sizeof *site);
    for (int32_t i = 0; i < k->ninsts && !v->bad; i++)
        for (int d = 0; d < k->insts[i].ndst && !v->bad; d++) {
            int32_t reg = k->insts[i].dst[d];
            v->in = &k->insts[i];
            if (reg != IR_NOREG && site[reg])
                complain(v, "r%d is defined twice", reg);
            else if (reg != IR_NOREG)
                site[reg] = i + 1;
        }
    for (int32_t i = 0; i < k->ninsts && !v->bad; i++) {
        v->in = &k->insts[i];
        if (v->in->block == 0 || k->blocks[v->in->block].idom >= 0)
            check_reads(v, site, i);
    }
    alloc_release(site);
}

static void check_effects(struct verifier *v)
{
    const struct ir_origin *where;
    const char *wrong = effects_wrong(v->k, &where);
    v->in = NULL;
    if (wrong && where->text)
        complain(v, "%s, of '%.*s'", wrong, where->text_len, where->text);
    else if (wrong)
        complain(v, "%s", wrong);
}

/* The same where liveness is out of date: it is found for a copy of the blocks. */
static void check_definitions_now(struct verifier *v)
{
    struct ir_kernel copy = *v->k;
    arena_init(&copy.arena);
    copy.blocks = ARENA_ARRAY(&copy.arena, struct ir_block, copy.nblocks);
    memcpy(copy.blocks, v->k->blocks, (size_t)copy.nblocks * sizeof *copy.blocks);
    liveness_analyse(&copy);
    check_definitions(v, copy.blocks[0].live_in);
    arena_release(&copy.arena);
}

/* --- */

bool ir_verify_wanted(void)
{
    const char *s = getenv("HEDDLE_VERIFY");
    return s && *s && strcmp(s, "0") != 0;
}

bool ir_verify(struct ir_kernel *k, const char *after, bool analysed)
{
    struct verifier v = {.k = k, .after = after};
    if (k->problems)
        return false;
    for (int32_t i = 0; i < k->ninsts && !v.bad; i++)
        check_names(&v, v.in = &k->insts[i]);
    v.named = true;
    if (v.bad || !check_blocks(&v))
        return false;
    for (int32_t i = 0; i < k->ninsts && !v.bad; i++) {
        v.in = &k->insts[i];
        check_inst(&v);
    }
    for (int32_t b = 0; b < k->nblocks && !v.bad; b++)
        check_edges(&v, b);
    if (!v.bad && k->ssa)
        check_ssa(&v);
    if (!v.bad)
        check_effects(&v);
    if (v.bad || !k->unwritten)
        return !v.bad;
    if (analysed)
        check_definitions(&v, k->blocks[0].live_in);
    else
        check_definitions_now(&v);
    return !v.bad;
}
