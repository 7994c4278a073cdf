/* From PTX to IR: resolves variables to addresses, inlines calls, numbers registers through.
 *
 * Every call of a defined function is inlined, so a kernel is one control-flow graph (the vendor's assembler inlines
 * too; tests/truth names the launches). The .param variables of a call become registers when all accesses to them
 * are direct and agree in offset and size, else bytes of the scratch area. Calls of functions that nobody defines go
 * to the executor (IR_OP_EXTERN). A call through a pointer becomes a chain of comparisons with the functions that it may
 * mean: those of its prototype whose address is taken somewhere. Functions that may call themselves are put into the
 * kernel once for each call from outside, and called (recursion.h).
 * Invariant: every branch target is a valid instruction number when cfg_make_blocks runs; the list ends in an exit. */
#include "ir/ir.h"
#include "ir/callgraph.h"
#include "ir/claims.h"
#include "ir/facts.h"
#include "ir/cfg.h"
#include "ir/effects.h"
#include "ir/emit.h"
#include "ir/operands.h"
#include "ir/recursion.h"
#include "ir/verify.h"
#include "ir/wmma.h"
#include "base/alloc.h"
#include "base/table.h"
#include "ir/edit.h"

#include <string.h>

enum { MAX_INSTS = 4 * 1000 * 1000, MAX_PROBLEMS = 8, MAX_DEPTH = 64 };
enum { EXECUTED_RESULTS = 4 }; /* no executor writes more */

/* One function being emitted: the kernel, a callee at one call site, or a body. */
struct frame {
    const struct ptx_function *f;
    const struct frame *caller; /* of a callee */
    int32_t body;               /* the body that it is or is part of, -1: none */
    int32_t reg_base;
    int32_t *label_at; /* label -> instruction number */
    int depth;
    int32_t number;    /* of k->frames */
    uint32_t local_end; /* where the .local variables of what it calls begin: of two calls they lie in one place */
};

struct patch {
    int32_t inst, index; /* targets[index], or -1: target */
    int32_t label;       /* of the frame; -1: the frame's end */
};

struct variable {
    const struct ptx_var *var;
    const struct frame *frame; /* of .param and .local variables */
    uint64_t at;
    bool in_frame; /* .local variable of a body: `at` counts from the stack register */
};

/* What is to be emitted behind the kernel: a body, in the order of recursion.body. */
struct pending {
    struct frame frame;
    int cycle; /* callgraph_cycle of its function */
};

struct param_reg {
    uint64_t at;
    int bits;
    int32_t reg;
};

struct build {
    struct ir_kernel *k;
    ir_address_fn address;
    void *user;
    int32_t cap;      /* of k->insts */
    int32_t reg_cap, frames_cap;
    const struct frame *at; /* the function being emitted */
    struct variable *vars;
    int nvars, vars_cap;
    struct param_reg *param_regs;
    int nparam_regs, param_regs_cap;
    bool params_in_memory; /* second try: call parameters in scratch */
    bool mixed_params;     /* first try failed */
    int nproblems;
    struct callgraph *graph;
    struct recursion recursion;
    struct pending **pending; /* [recursion.nbodies] */
    int32_t npending, pending_cap, ngroups;
    uint32_t scratch_most;    /* of k->scratch_bytes since the body began: calls that have ended give theirs back */
    uint64_t result_at;       /* scratch memory for the results of bodies, and its bytes */
    uint32_t result_bytes;
    const struct ptx_operand *local_of[8]; /* operands of the instruction at hand that are .local variables of a body, and */
    int32_t local_reg[8];                  /* registers with their addresses */
    int nlocals;
};

static void problem(struct build *b, const struct ptx_inst *in, const char *text)
{
    if (b->nproblems++ >= MAX_PROBLEMS)
        return;
    struct ir_problem *p = ARENA_NEW(&b->k->arena, struct ir_problem), **last = &b->k->problems;
    *p = (struct ir_problem){.text = text, .loc = in ? in->loc : NULL, .ptx_line = in ? in->line : 0, .column = in ? in->column : 0};
    while (*last)
        last = &(*last)->next;
    *last = p;
}

uint64_t ir_function_address(const struct ptx_module *m, const struct ptx_function *f)
{
    uint64_t of_module = hash_bytes(HASH_START, m->text, m->text_len) & 0xffff;
    for (int i = 0; i < m->nfuncs; i++)
        if (m->funcs[i] == f)
            return of_module << 32 | (uint64_t)(i + 1) * 16;
    return 0;
}

/* In the kernel's own code `ret` ends the thread and .param is the kernel's. */
static bool is_callee(const struct frame *fr)
{
    return fr->caller || fr->body >= 0;
}

/* --- storage of variables --- */

static uint64_t take(uint32_t *total, const struct ptx_var *v)
{
    uint32_t align = v->align ? v->align : 1;
    *total = (*total + align - 1) / align * align;
    uint64_t at = *total;
    *total += (uint32_t)v->size;
    return at;
}

static uint64_t remember(struct build *b, const struct ptx_var *v, const struct frame *f, uint64_t at)
{
    ALLOC_GROW(b->vars, b->nvars, b->vars_cap);
    b->vars[b->nvars++] = (struct variable){v, f, at, false};
    return at;
}

static const struct variable *lookup(const struct build *b, const struct ptx_var *v, const struct frame *f)
{
    for (int i = b->nvars - 1; i >= 0; i--)
        if (b->vars[i].var == v && (b->vars[i].frame == f || !b->vars[i].frame))
            return &b->vars[i];
    return NULL;
}

/* Shared variables that the kernel or anything it calls mentions, in the order of their declaration. */
static void mark_shared(const struct ptx_function *f, struct table *used, int depth);

/* A variable that holds addresses of functions: a table of virtual functions, an array of function pointers. */
static void mark_table(const struct ptx_var *v, struct table *used, int depth)
{
    if (!v->nrelocs || table_get(used, v->name))
        return;
    table_set(used, v->name, (void *)v);
    for (int i = 0; i < v->nrelocs; i++) {
        if (v->reloc[i].func)
            mark_shared(v->reloc[i].func, used, depth + 1);
        if (v->reloc[i].var)
            mark_table(v->reloc[i].var, used, depth);
    }
}

static void mark_operand(const struct ptx_operand *o, struct table *used, int depth)
{
    if (o->kind == PTX_OPERAND_VAR && o->var->space == PTX_SHARED)
        table_set(used, o->var->name, (void *)o->var);
    if (o->kind == PTX_OPERAND_FUNC && o->func)
        mark_shared(o->func, used, depth + 1);
    if (o->kind == PTX_OPERAND_VAR)
        mark_table(o->var, used, depth);
    for (int i = 0; i < o->n; i++)
        mark_operand(&o->elem[i], used, depth);
}

static void mark_shared(const struct ptx_function *f, struct table *used, int depth)
{
    if (depth > MAX_DEPTH || table_get(used, f->name))
        return;
    table_set(used, f->name, (void *)f);
    for (int i = 0; i < f->ninsts; i++)
        for (int o = 0; o < f->insts[i].noperands; o++)
            mark_operand(&f->insts[i].operand[o], used, depth);
    for (int i = 0; i < f->nvars; i++)
        if (f->vars[i]->space == PTX_SHARED)
            table_set(used, f->vars[i]->name, f->vars[i]);
}

static void lay_out_shared(struct build *b, const struct ptx_var *v, const struct table *used)
{
    if (v->space == PTX_SHARED && !v->unsized && table_get(used, v->name) == (const void *)v)
        remember(b, v, NULL, take(&b->k->shared_static, v));
}

static void lay_out(struct build *b, const struct ptx_function *entry)
{
    const struct ptx_module *m = b->k->module;
    struct table used;
    table_init(&used);
    mark_shared(entry, &used, 0);
    for (int i = 0; i < m->nvars; i++)
        lay_out_shared(b, m->vars[i], &used);
    for (int f = 0; f < m->nfuncs; f++)
        for (int i = 0; table_get(&used, m->funcs[f]->name) && i < m->funcs[f]->nvars; i++)
            lay_out_shared(b, m->funcs[f]->vars[i], &used);
    b->k->shared_dynamic = (b->k->shared_static + 15) / 16 * 16;
    for (int i = 0; i < m->nvars; i++)
        if (m->vars[i]->space == PTX_SHARED && m->vars[i]->unsized)
            remember(b, m->vars[i], NULL, b->k->shared_dynamic);
    table_release(&used);
    b->k->shared = ARENA_ARRAY(&b->k->arena, struct ir_shared, b->nvars + 1);
    for (int i = 0; i < b->nvars; i++) /* nothing else has been laid out yet */
        b->k->shared[b->k->nshared++] = (struct ir_shared){b->vars[i].var, (uint32_t)b->vars[i].at};
}

static void lay_out_params(struct build *b, const struct ptx_function *f)
{
    struct ir_kernel *k = b->k;
    k->params = ARENA_ARRAY(&k->arena, struct ir_param, f->nparams);
    k->nparams = f->nparams;
    for (int i = 0; i < f->nparams; i++) {
        const struct ptx_var *v = f->params[i];
        uint32_t at = (uint32_t)remember(b, v, NULL, take(&k->param_bytes, v));
        k->params[i] = (struct ir_param){at, (uint32_t)v->size, v->align};
    }
}

static void declare_locals(struct build *b, struct frame *fr)
{
    uint32_t *most = fr->body >= 0 ? &b->recursion.body[fr->body].local_bytes : &b->k->local_bytes;
    fr->local_end = fr->caller ? fr->caller->local_end : 0;
    for (int i = 0; i < fr->f->nvars; i++) {
        const struct ptx_var *v = fr->f->vars[i];
        if (v->space == PTX_LOCAL) {
            remember(b, v, fr, take(&fr->local_end, v));
            b->vars[b->nvars - 1].in_frame = fr->body >= 0;
        } else if (v->space == PTX_PARAM)
            remember(b, v, fr, take(&b->k->scratch_bytes, v));
    }
    if (fr->local_end > *most)
        *most = fr->local_end;
}

/* The frame's place in k->frames; `call`: the instruction of its caller that it stands for, or NULL. */
static void number_frame(struct build *b, struct frame *fr, const struct ptx_inst *call)
{
    struct ir_kernel *k = b->k;
    ALLOC_GROW(k->frames, k->nframes, b->frames_cap);
    fr->number = k->nframes++;
    k->frames[fr->number] = (struct ir_frame){.function = fr->f, .caller = -1};
    if (fr->caller) {
        k->frames[fr->number].caller = fr->caller->number;
        k->frames[fr->number].statement = (int32_t)(call - fr->caller->f->insts);
    }
}

/* --- instructions --- */

struct ir_inst *emit_new(struct build *b, const struct ptx_inst *from, uint16_t op)
{
    struct ir_kernel *k = b->k;
    if (k->ninsts == b->cap) {
        b->cap = b->cap ? b->cap * 2 : 256;
        k->insts = alloc_resize(k->insts, (size_t)b->cap * sizeof *k->insts);
    }
    static const struct ptx_mods none;
    struct ir_inst *in = &k->insts[k->ninsts++];
    *in = (struct ir_inst){.op = op, .guard = IR_NOREG, .mods = &none, .vec = 1, .target = -1, .join = -1};
    in->from = ir_origin_of(k, b->at->number, from ? (int32_t)(from - b->at->f->insts) : -1);
    if (from) {
        in->mods = &from->mods;
        in->type = from->mods.type[0];
        in->type2 = from->mods.type[1];
        in->space = from->mods.space;
        in->vec = from->mods.vec ? from->mods.vec : 1;
    }
    return in;
}

int32_t emit_reg(struct build *b, uint8_t type)
{
    struct ir_kernel *k = b->k;
    ALLOC_GROW(k->reg_type, k->nregs, b->reg_cap);
    k->reg_type[k->nregs] = type;
    return k->nregs++;
}

static uint64_t variable_address(struct build *b, const struct frame *fr, const struct ptx_inst *in,
                                 const struct ptx_var *v)
{
    if (v->space == PTX_GLOBAL || v->space == PTX_CONST) {
        uint64_t a = b->address(v, b->user);
        if (!a)
            problem(b, in, arena_printf(&b->k->arena, "variable '%s' is declared but defined nowhere", v->name));
        return a;
    }
    const struct variable *known = lookup(b, v, fr);
    if (!known) {
        problem(b, in, arena_printf(&b->k->arena, "variable '%s' of this state space is not supported", v->name));
        return 0;
    }
    return known->at;
}

/* An immediate's bits as the instruction reads them: floating literals in the instruction's own precision. */
static uint64_t immediate(const struct ptx_operand *o, enum ptx_type want)
{
    uint64_t bits = o->imm;
    double d;
    float f;
    if (o->imm_type == PTX_F32) {
        uint32_t low = (uint32_t)bits;
        memcpy(&f, &low, 4);
        d = f;
    } else if (o->imm_type == PTX_F64) {
        memcpy(&d, &bits, 8);
        f = (float)d;
    } else {
        return bits;
    }
    if (want == PTX_F64 || want == PTX_B64) {
        memcpy(&bits, &d, 8);
        return bits;
    }
    uint32_t low;
    memcpy(&low, &f, 4);
    return low;
}

struct ir_src emit_source(struct build *b, const struct frame *fr, const struct ptx_inst *in,
                            const struct ptx_operand *o, enum ptx_type want)
{
    struct ir_src s = {.kind = IR_SRC_IMM, .negated = o->negated};
    for (int i = 0; i < b->nlocals; i++)
        if (b->local_of[i] == o)
            return (struct ir_src){.kind = IR_SRC_REG, .reg = b->local_reg[i]};
    switch (o->kind) {
    case PTX_OPERAND_REG:
        s.kind = IR_SRC_REG;
        s.reg = fr->reg_base + (int32_t)o->reg;
        break;
    case PTX_OPERAND_IMM:
        s.imm = immediate(o, want);
        break;
    case PTX_OPERAND_SREG:
        s.kind = IR_SRC_SREG;
        s.sreg = o->sreg;
        break;
    case PTX_OPERAND_VAR:
        s.imm = variable_address(b, fr, in, o->var) + (uint64_t)o->offset;
        break;
    case PTX_OPERAND_FUNC:
        s.imm = ir_function_address(b->k->module, o->func);
        break;
    default:
        problem(b, in, "an operand of this kind is not implemented here");
    }
    return s;
}

int32_t emit_dest(const struct frame *fr, const struct ptx_operand *o)
{
    return o->kind == PTX_OPERAND_REG ? fr->reg_base + (int32_t)o->reg : IR_NOREG;
}

static void set_results(struct build *b, struct ir_inst *out, const struct frame *fr, const struct ptx_operand *o)
{
    bool parts = o->kind == PTX_OPERAND_PAIR || o->kind == PTX_OPERAND_VECTOR;
    int n = parts ? o->n : 1;
    int32_t *reg = ARENA_ARRAY(&b->k->arena, int32_t, n);
    for (int i = 0; i < n; i++)
        reg[i] = emit_dest(fr, parts ? &o->elem[i] : o);
    out->dst = reg;
    out->ndst = (uint16_t)n;
}

/* An operand with parts is as many sources. */
static bool has_parts(const struct ptx_operand *o)
{
    return o->kind == PTX_OPERAND_VECTOR || o->kind == PTX_OPERAND_MEM;
}

static int parts_of(const struct ptx_inst *in, const struct ptx_operand *o)
{
    if (o->kind == PTX_OPERAND_MEM && o->n > 1) /* without the fourth coordinate that is not read */
        return 1 + ptx_coordinates(in->mods.variant);
    return has_parts(o) ? o->n : 1;
}

/* Sources need the instruction's final shape for the type of immediates, so they are counted first. */
static void set_sources(struct build *b, const struct frame *fr, const struct ptx_inst *in, int first)
{
    struct ir_inst *out = &b->k->insts[b->k->ninsts - 1];
    int end = in->noperands - in->mods.cache_hint, n = 0; /* a policy of the cache is no value */
    for (int o = first; o < end; o++) {
        n += parts_of(in, &in->operand[o]);
        if (in->operand[o].kind == PTX_OPERAND_MEM)
            *(o > first ? &out->offset2 : &out->offset) = in->operand[o].offset;
    }
    struct ir_src *src = ARENA_ARRAY(&b->k->arena, struct ir_src, n);
    out->src = src;
    out->nsrc = (uint16_t)n;
    for (int o = first, s = 0; o < end; o++)
        for (int i = 0; i < parts_of(in, &in->operand[o]); i++, s++) {
            const struct ptx_operand *part = has_parts(&in->operand[o]) ? &in->operand[o].elem[i] : &in->operand[o];
            src[s] = emit_source(b, fr, in, part, ir_src_type(out, s));
        }
}

void emit_guard(struct ir_inst *out, const struct frame *fr, const struct ptx_inst *in)
{
    out->guard = in->guard < 0 ? IR_NOREG : fr->reg_base + in->guard;
    out->guard_negated = in->guard_negated;
}

struct ir_inst *emit_last(struct build *b)
{
    return &b->k->insts[b->k->ninsts - 1];
}

const struct ptx_function *emit_function_of(const struct frame *fr)
{
    return fr->f;
}

struct ir_kernel *emit_kernel(struct build *b)
{
    return b->k;
}

enum ptx_type emit_reg_type(const struct build *b, int32_t reg)
{
    return (enum ptx_type)b->k->reg_type[reg];
}

/* --- parameters of calls --- */

static int32_t param_reg(struct build *b, uint64_t at, int bits)
{
    for (int i = 0; i < b->nparam_regs; i++) {
        struct param_reg *p = &b->param_regs[i];
        if (p->at == at && p->bits == bits)
            return p->reg;
        if (p->at < at + (uint64_t)bits / 8 && at < p->at + (uint64_t)p->bits / 8)
            b->mixed_params = true;
    }
    ALLOC_GROW(b->param_regs, b->nparam_regs, b->param_regs_cap);
    b->param_regs[b->nparam_regs] = (struct param_reg){at, bits, emit_reg(b, (uint8_t)ir_bits_type(bits))};
    return b->param_regs[b->nparam_regs++].reg;
}

static const struct ptx_operand *memory_operand(const struct ptx_inst *in)
{
    return &in->operand[in->op == PTX_OP_ST ? 0 : 1];
}

/* True when the access is to a call's parameter; then *at is its scratch address. */
static bool call_param(const struct build *b, const struct frame *fr, const struct ptx_inst *in, uint64_t *at)
{
    const struct ptx_operand *m = memory_operand(in);
    if (in->mods.space != PTX_PARAM || m->kind != PTX_OPERAND_MEM || m->elem[0].kind != PTX_OPERAND_VAR)
        return false;
    const struct variable *v = lookup(b, m->elem[0].var, fr);
    if (!v || !v->frame)
        return false;
    *at = v->at + (uint64_t)m->elem[0].offset + (uint64_t)m->offset;
    return true;
}

/* True for ld.param [reg] inside a function: the register holds the address of one of its own parameters (mov.b64 reg,
 * param), which lives in scratch memory. In a kernel's own body it is the address of a kernel parameter. */
static bool param_through_register(const struct frame *fr, const struct ptx_inst *in)
{
    const struct ptx_operand *m = memory_operand(in);
    return is_callee(fr) && m->kind == PTX_OPERAND_MEM && m->elem[0].kind == PTX_OPERAND_REG;
}

static void move_param(struct build *b, const struct frame *fr, const struct ptx_inst *in, uint64_t at)
{
    int bits = ptx_type_info[in->mods.type[0]].bits, vec = in->mods.vec ? in->mods.vec : 1;
    bool store = in->op == PTX_OP_ST;
    const struct ptx_operand *value = &in->operand[store ? 1 : 0];
    for (int i = 0; i < vec; i++) {
        const struct ptx_operand *e = value->kind == PTX_OPERAND_VECTOR ? &value->elem[i] : value;
        int32_t reg = param_reg(b, at + (uint64_t)(i * bits / 8), bits);
        if (!store && e->kind != PTX_OPERAND_REG)
            continue;
        /* cvt, because a load may widen into its register, and a store narrow (PTX ISA 9.7.9.8) */
        uint8_t type = in->mods.type[0];
        struct ir_inst *out = emit_new(b, in, PTX_OP_CVT);
        out->space = PTX_GENERIC;
        out->vec = 1;
        emit_guard(out, fr, in);
        int32_t far = store ? IR_NOREG : emit_dest(fr, e);
        struct ir_src near = {.kind = IR_SRC_REG, .reg = reg};
        IR_SET_RESULTS(b->k, out, store ? reg : far);
        IR_SET_SOURCES(b->k, out, store ? emit_source(b, fr, in, e, type) : near);
        out = &b->k->insts[b->k->ninsts - 1];
        uint8_t wide = store ? type : b->k->reg_type[far];
        bool plain = ptx_type_info[wide].bits == bits;
        out->op = plain && (out->src[0].kind != IR_SRC_REG ||
                            ptx_type_info[b->k->reg_type[out->src[0].reg]].bits == bits) ? PTX_OP_MOV : PTX_OP_CVT;
        static const struct ptx_mods none;
        out->mods = &none;
        out->type = plain ? (uint8_t)ir_bits_type(bits) : wide;
        out->type2 = plain ? out->type : type;
        if (out->op == PTX_OP_CVT && ptx_type_info[type].kind != 'S')
            out->type2 = bits == 8 ? PTX_U8 : bits == 16 ? PTX_U16 : bits == 32 ? PTX_U32 : PTX_U64;
        if (out->op == PTX_OP_CVT && ptx_type_info[out->type].kind != 'S')
            out->type = ptx_type_info[out->type].bits == 16 ? PTX_U16 : ptx_type_info[out->type].bits == 32 ? PTX_U32
                      : ptx_type_info[out->type].bits == 8 ? PTX_U8 : PTX_U64;
    }
}

/* True when a call parameter of this function is used other than as [var + constant]. */
static bool takes_param_address(const struct ptx_function *f)
{
    for (int i = 0; i < f->ninsts; i++)
        for (int o = 0; o < f->insts[i].noperands; o++) {
            const struct ptx_operand *op = &f->insts[i].operand[o];
            if (op->kind == PTX_OPERAND_VAR && op->var->space == PTX_PARAM && f->insts[i].op != PTX_OP_CALL)
                return true;
        }
    return false;
}

/* --- calls --- */

static void emit_function(struct build *b, struct frame *fr);

static void bind(struct build *b, const struct frame *caller, const struct frame *callee, const struct ptx_var *formal,
                 const struct ptx_operand *actual, const struct ptx_inst *in)
{
    if (!formal || !actual)
        return;
    const struct variable *v = actual->kind == PTX_OPERAND_VAR ? lookup(b, actual->var, caller) : NULL;
    if (!v)
        problem(b, in, "a call with this kind of argument is not implemented");
    else
        remember(b, formal, callee, v->at);
}

/* A load or store of scratch memory at a constant address, between it and the register `reg`. */
static struct ir_inst *emit_scratch(struct build *b, const struct ptx_inst *in, uint16_t op, uint64_t at, int bits, int32_t reg)
{
    static const struct ptx_mods none;
    struct ir_inst *out = emit_new(b, in, op);
    out->mods = &none;
    out->type = (uint8_t)ir_bits_type(bits);
    out->space = IR_SCRATCH;
    out->vec = 1;
    IR_SET_SOURCES(b->k, out, ir_of_value(at));
    if (op == PTX_OP_ST)
        ir_add_source(b->k, out, ir_of_reg(reg));
    else
        IR_SET_RESULTS(b->k, out, reg);
    return out;
}

/* The register that holds a call's argument. */
static int32_t extern_argument(struct build *b, const struct ptx_inst *in, const struct variable *v)
{
    int bits = (int)v->var->size * 8;
    if (!b->params_in_memory)
        return param_reg(b, v->at, bits);
    int32_t reg = emit_reg(b, (uint8_t)ir_bits_type(bits));
    emit_scratch(b, in, PTX_OP_LD, v->at, bits, reg);
    return reg;
}

static const struct variable *call_variable(struct build *b, const struct frame *fr, const struct ptx_operand *o)
{
    const struct variable *v = o->kind == PTX_OPERAND_VAR ? lookup(b, o->var, fr) : NULL;
    return v && v->var->size <= 8 && (v->var->size & (v->var->size - 1)) == 0 ? v : NULL;
}

static void call_extern(struct build *b, const struct frame *fr, const struct ptx_inst *in,
                        const struct ptx_function *f, const struct ptx_operand *ret, const struct ptx_operand *args)
{
    int n = args ? args->n : 0;
    struct ir_src *src = ARENA_ARRAY(&b->k->arena, struct ir_src, n);
    int32_t result = IR_NOREG;
    const struct variable *v = NULL;
    bool ok = !ret || ret->n <= 1;
    for (int i = 0; i < n && ok; i++) {
        v = call_variable(b, fr, &args->elem[i]);
        ok = v != NULL;
        if (ok)
            src[i] = ir_of_reg(extern_argument(b, in, v));
    }
    if (ok && ret && ret->n == 1) {
        v = call_variable(b, fr, &ret->elem[0]);
        ok = v != NULL;
        if (ok)
            result = b->params_in_memory ? emit_reg(b, (uint8_t)ir_bits_type((int)v->var->size * 8))
                                         : param_reg(b, v->at, (int)v->var->size * 8);
    }
    if (!ok) {
        problem(b, in, arena_printf(&b->k->arena, "the call of '%s' with these arguments is not implemented", f->name));
        return;
    }
    struct ir_inst *out = emit_new(b, in, IR_OP_EXTERN);
    out->callee = f->name;
    emit_guard(out, fr, in);
    ir_set_sources(b->k, out, n, src);
    if (result == IR_NOREG)
        return;
    IR_SET_RESULTS(b->k, out, result);
    out->type = v->var->type;
    if (!b->params_in_memory)
        return;
    emit_guard(emit_scratch(b, in, PTX_OP_ST, v->at, (int)v->var->size * 8, result), fr, in);
}

/* The body of `f` in place of a call. */
static void inline_call(struct build *b, const struct frame *fr, const struct ptx_inst *in, const struct ptx_function *f,
                        const struct ptx_operand *ret, const struct ptx_operand *args)
{
    struct frame inner = {.f = f, .caller = fr, .body = fr->body, .depth = fr->depth + 1};
    if (inner.depth > MAX_DEPTH) {
        problem(b, in, arena_printf(&b->k->arena, "calls of '%s' nest too deeply", f->name));
        return;
    }
    for (int i = 0; i < f->nparams; i++)
        bind(b, fr, &inner, f->params[i], args && i < args->n ? &args->elem[i] : NULL, in);
    bind(b, fr, &inner, f->ret, ret && ret->n ? &ret->elem[0] : NULL, in);
    number_frame(b, &inner, in);
    uint32_t scratch = b->k->scratch_bytes;
    int32_t bodies = b->npending; /* the parameters of new ones stay */
    emit_function(b, &inner);
    if (b->params_in_memory && b->npending == bodies) {
        if (b->k->scratch_bytes > b->scratch_most)
            b->scratch_most = b->k->scratch_bytes;
        b->k->scratch_bytes = scratch;
    }
}

/* --- calls of functions that may call themselves (recursion.h) --- */

static uint32_t align_scratch(struct build *b)
{
    return b->k->scratch_bytes = (b->k->scratch_bytes + 15) / 16 * 16;
}

static int32_t new_body(struct build *b, const struct ptx_function *f, int cycle, int32_t group)
{
    struct recursion *r = &b->recursion;
    struct pending *p = ARENA_NEW(&b->k->arena, struct pending);
    *p = (struct pending){.frame = {.f = f, .body = r->nbodies}, .cycle = cycle};
    ALLOC_GROW(b->pending, b->npending, b->pending_cap);
    b->pending[b->npending++] = p;
    number_frame(b, &p->frame, NULL);
    int32_t ra = IR_NOREG;
    for (int32_t i = 0; i < r->nbodies; i++)
        ra = r->body[i].group == group ? r->body[i].ra : ra;
    if (ra == IR_NOREG)
        ra = emit_reg(b, PTX_U32);
    ALLOC_GROW(r->body, r->nbodies, r->bodies_cap);
    struct ir_body *body = &r->body[r->nbodies++];
    *body = (struct ir_body){.group = group, .ra = ra};
    body->scratch[0].from = align_scratch(b);
    for (int i = 0; i < f->nparams; i++)
        remember(b, f->params[i], &p->frame, take(&b->k->scratch_bytes, f->params[i]));
    if (f->ret)
        remember(b, f->ret, &p->frame, b->result_at);
    body->scratch[0].to = b->params_in_memory ? align_scratch(b) : body->scratch[0].from;
    return r->nbodies - 1;
}

/* The body to call from this frame: of the same group if the function may call its caller, else the first of a new one. */
static int32_t body_for(struct build *b, const struct frame *fr, const struct ptx_function *f)
{
    int cycle = callgraph_cycle(b->graph, f);
    if (fr->body < 0 || b->pending[fr->body]->cycle != cycle)
        return new_body(b, f, cycle, b->ngroups++);
    int32_t group = b->recursion.body[fr->body].group;
    for (int32_t i = 0; i < b->npending; i++)
        if (b->recursion.body[i].group == group && b->pending[i]->frame.f == f)
            return i;
    return new_body(b, f, cycle, group);
}

/* All bodies leave their results in one place, where no other call can overwrite it before it is fetched: the call's
 * result variable is that place. */
static void fetch_result(struct build *b, const struct frame *fr, const struct ptx_operand *ret)
{
    if (ret && ret->n && ret->elem[0].kind == PTX_OPERAND_VAR)
        remember(b, ret->elem[0].var, fr, b->result_at);
}

/* In the largest pieces that fit and are aligned in both places: a struct of floats begins at any multiple of 4. */
static void copy_scratch(struct build *b, const struct ptx_inst *in, uint64_t to, uint64_t from, uint64_t bytes)
{
    for (uint64_t done = 0, n; done < bytes; done += n) {
        n = 8;
        while (n > bytes - done || (to + done) % n || (from + done) % n)
            n /= 2;
        int32_t reg = emit_reg(b, (uint8_t)ir_bits_type((int)n * 8));
        emit_scratch(b, in, PTX_OP_LD, from + done, (int)n * 8, reg);
        emit_scratch(b, in, PTX_OP_ST, to + done, (int)n * 8, reg);
    }
}

static struct ir_inst *emit_move(struct build *b, const struct ptx_inst *in, uint8_t type, int32_t to, struct ir_src from)
{
    static const struct ptx_mods none;
    struct ir_inst *out = emit_new(b, in, PTX_OP_MOV);
    out->mods = &none;
    out->type = out->type2 = type;
    out->space = PTX_GENERIC;
    out->vec = 1;
    IR_SET_RESULTS(b->k, out, to);
    IR_SET_SOURCES(b->k, out, from);
    return out;
}

static void pass_argument(struct build *b, const struct frame *fr, const struct ptx_inst *in,
                          const struct ptx_operand *actual, const struct ptx_var *formal, const struct frame *callee)
{
    const struct variable *from = actual->kind == PTX_OPERAND_VAR ? lookup(b, actual->var, fr) : NULL;
    uint64_t to = lookup(b, formal, callee)->at;
    if (!from) {
        problem(b, in, "a call with this kind of argument is not implemented");
        return;
    }
    uint64_t at = from->at;
    if (b->params_in_memory) {
        copy_scratch(b, in, to, at, formal->size);
        return;
    }
    for (int i = 0, n = b->nparam_regs; i < n; i++) { /* what the caller has stored */
        struct param_reg p = b->param_regs[i];
        if (p.at - at < formal->size)
            emit_move(b, in, (uint8_t)ir_bits_type(p.bits), param_reg(b, to + (p.at - at), p.bits),
                      (struct ir_src){.kind = IR_SRC_REG, .reg = p.reg});
    }
}

/* to = the stack register + at */
static int32_t emit_stack_add(struct build *b, const struct ptx_inst *in, int32_t to, uint64_t at)
{
    static const struct ptx_mods none;
    struct ir_inst *out = emit_new(b, in, PTX_OP_ADD);
    out->mods = &none;
    out->type = PTX_U64;
    out->type2 = 0;
    out->space = PTX_GENERIC;
    out->vec = 1;
    IR_SET_RESULTS(b->k, out, to);
    IR_SET_SOURCES(b->k, out, ir_of_reg(b->recursion.sp), ir_of_value(at));
    return b->k->ninsts - 1;
}

static void call_body(struct build *b, const struct frame *fr, const struct ptx_inst *in, const struct ptx_function *f,
                      const struct ptx_operand *ret, const struct ptx_operand *args)
{
    static const struct ptx_mods none;
    struct ir_kernel *k = b->k;
    struct recursion *r = &b->recursion;
    if (!k->recursive)
        r->sp = emit_reg(b, PTX_U64);
    k->recursive = true;
    struct ir_call_site s = {.caller = fr->body, .callee = body_for(b, fr, f)};
    fetch_result(b, fr, ret);
    emit_new(b, in, IR_OP_DELETED);
    s.save = k->ninsts - 1;
    for (int i = 0; i < f->nparams && args && i < args->n; i++)
        pass_argument(b, fr, in, &args->elem[i], f->params[i], &b->pending[s.callee]->frame);
    if (fr->body >= 0) {
        s.push = emit_stack_add(b, in, r->sp, 0);
    } else {
        emit_move(b, in, PTX_U64, r->sp, (struct ir_src){.kind = IR_SRC_IMM});
        s.push = k->ninsts - 1;
    }
    int32_t top = emit_reg(b, PTX_U64);
    s.top = emit_stack_add(b, in, top, 0);
    struct ir_inst *check = emit_new(b, in, IR_OP_EXTERN);
    check->callee = "__heddle_stack";
    IR_SET_SOURCES(k, check, ir_of_reg(top));
    emit_move(b, in, PTX_U32, r->body[s.callee].ra, (struct ir_src){.kind = IR_SRC_IMM});
    s.number = k->ninsts - 1;
    struct ir_inst *jump = emit_new(b, in, PTX_OP_BRA);
    jump->mods = &none;
    s.jump = k->ninsts - 1;
    jump->target = s.jump; /* the body's place is not known yet */
    jump->after_call = k->ninsts + 1;
    emit_new(b, in, IR_OP_DELETED);
    s.restore = k->ninsts - 1;
    ALLOC_GROW(r->site, r->nsites, r->sites_cap);
    r->site[r->nsites++] = s;
}

static void call_defined(struct build *b, const struct frame *fr, const struct ptx_inst *in, const struct ptx_function *f,
                         const struct ptx_operand *ret, const struct ptx_operand *args)
{
    (callgraph_cycle(b->graph, f) ? call_body : inline_call)(b, fr, in, f, ret, args);
}

/* Skips what follows for the lanes whose guard is off. The branch's instruction number, or -1: there is no guard. */
static int32_t skip_by_guard(struct build *b, const struct frame *fr, const struct ptx_inst *in)
{
    if (in->guard < 0)
        return -1;
    struct ir_inst *skip = emit_new(b, in, PTX_OP_BRA);
    emit_guard(skip, fr, in);
    skip->guard_negated = !skip->guard_negated;
    return b->k->ninsts - 1;
}

static void land_here(struct build *b, int32_t branch)
{
    if (branch >= 0)
        b->k->insts[branch].target = b->k->ninsts;
}

/* --- calls through pointers --- */

/* Lanes whose pointer is not f's address go past what follows. The branch's instruction number. */
static int32_t skip_unless(struct build *b, const struct ptx_inst *in, const struct ir_src *pointer,
                           const struct ptx_function *f)
{
    static const struct ptx_mods not_equal = {.type = {PTX_U64}, .ntypes = 1, .cmp = PTX_NE}, none;
    int32_t other = emit_reg(b, PTX_PRED);
    struct ir_inst *test = emit_new(b, in, PTX_OP_SETP);
    test->mods = &not_equal;
    test->type = PTX_U64;
    IR_SET_RESULTS(b->k, test, other);
    IR_SET_SOURCES(b->k, test, *pointer, ir_of_value(ir_function_address(b->k->module, f)));
    struct ir_inst *skip = emit_new(b, in, PTX_OP_BRA);
    skip->mods = &none;
    skip->guard = other;
    return b->k->ninsts - 1;
}

/* A call through a pointer: one after the other the functions that it may mean, each in place, for the lanes that mean
 * it. Lanes that mean none of them fault. */
static void call_indirect(struct build *b, const struct frame *fr, const struct ptx_inst *in,
                          const struct ptx_operand *callee, const struct ptx_proto *proto, const struct ptx_operand *ret,
                          const struct ptx_operand *args)
{
    const struct ptx_module *m = b->k->module;
    struct ir_src pointer = emit_source(b, fr, in, callee, PTX_U64);
    int32_t *ends = NULL, nends = 0, cap = 0;
    for (int i = 0; i < m->nfuncs; i++) /* all leave their result in one place */
        if (callgraph_may_mean(b->graph, proto, m->funcs[i]) && callgraph_cycle(b->graph, m->funcs[i]))
            fetch_result(b, fr, ret);
    for (int i = 0; i < m->nfuncs && b->k->ninsts < MAX_INSTS; i++) {
        const struct ptx_function *f = m->funcs[i];
        if (!callgraph_may_mean(b->graph, proto, f))
            continue;
        int32_t skip = skip_unless(b, in, &pointer, f);
        call_defined(b, fr, in, f, ret, args);
        ALLOC_GROW(ends, nends, cap);
        emit_new(b, in, PTX_OP_BRA);
        ends[nends++] = b->k->ninsts - 1;
        land_here(b, skip);
    }
    struct ir_inst *bad = emit_new(b, in, IR_OP_EXTERN);
    bad->callee = "__heddle_bad_call";
    IR_SET_SOURCES(b->k, bad, pointer);
    for (int i = 0; i < nends; i++)
        land_here(b, ends[i]);
    alloc_release(ends);
}

static void emit_call(struct build *b, const struct frame *fr, const struct ptx_inst *in)
{
    struct ir_call c = ir_call_parts(in);
    if (!c.callee || (c.callee->kind == PTX_OPERAND_REG && !c.proto)) {
        problem(b, in, "a call of this form is not implemented");
        return;
    }
    const struct ptx_function *f = c.callee->kind == PTX_OPERAND_FUNC ? c.callee->func : NULL;
    if (f && !f->defined) {
        call_extern(b, fr, in, f, c.ret, c.args);
        return;
    }
    int32_t skip = skip_by_guard(b, fr, in);
    if (f)
        call_defined(b, fr, in, f, c.ret, c.args);
    else
        call_indirect(b, fr, in, c.callee, c.proto, c.ret, c.args);
    land_here(b, skip);
}

/* --- functions --- */

static void emit_branch(struct build *b, const struct frame *fr, const struct ptx_inst *in, struct patch **patches,
                        int *npatches, int *cap)
{
    struct ir_inst *out = emit_new(b, in, in->op);
    int at = b->k->ninsts - 1;
    emit_guard(out, fr, in);
    if (in->op == PTX_OP_BRA) {
        ALLOC_GROW(*patches, *npatches, *cap);
        (*patches)[(*npatches)++] = (struct patch){at, -1, in->operand[0].label};
        return;
    }
    const struct ptx_proto *p = in->noperands > 1 ? in->operand[1].proto : NULL;
    if (!p || in->operand[0].kind != PTX_OPERAND_REG) {
        problem(b, in, "this form of 'brx.idx' is not implemented");
        return;
    }
    IR_SET_SOURCES(b->k, out, emit_source(b, fr, in, &in->operand[0], PTX_U32));
    out->ntargets = p->ntargets;
    out->targets = ARENA_ARRAY(&b->k->arena, int32_t, p->ntargets);
    for (int i = 0; i < p->ntargets; i++) {
        ALLOC_GROW(*patches, *npatches, *cap);
        (*patches)[(*npatches)++] = (struct patch){at, i, p->labels[i]};
    }
}

static bool has_results(const struct ir_inst *out)
{
    struct ir_operands results;
    return ir_operands(out, true, &results) && results.most > 0;
}

/* bar: src[0] barrier or mask, src[1] count (0: all), src[2] predicate of .red. */
static void normalise_barrier(struct ir_kernel *k, struct ir_inst *out)
{
    bool red = out->mods->variant >= PTX_BAR_RED_POPC && out->mods->variant <= PTX_BAR_RED_OR;
    struct ir_src none = ir_of_value(0);
    int plain = out->nsrc - red;
    IR_SET_SOURCES(k, out, plain < 1 ? none : out->src[0], plain < 2 ? none : out->src[1], red ? out->src[plain] : none);
}

static void emit_plain(struct build *b, const struct frame *fr, const struct ptx_inst *in)
{
    struct ir_inst *out = emit_new(b, in, in->op);
    bool results = has_results(out);
    int at = b->k->ninsts - 1;
    emit_guard(out, fr, in);
    if (results && in->noperands)
        set_results(b, out, fr, &in->operand[0]);
    if (out->ndst > EXECUTED_RESULTS)
        problem(b, in, "an instruction with this many results is not implemented");
    set_sources(b, fr, in, results);
    out = &b->k->insts[at];
    if (ir_is(out, PTX_KIND_BARRIER))
        normalise_barrier(b->k, out);
    if ((in->op == PTX_OP_LD || in->op == PTX_OP_ST) && in->mods.space == PTX_PARAM) {
        uint64_t ignored;
        if (call_param(b, fr, in, &ignored) || param_through_register(fr, in))
            out->space = IR_SCRATCH;
    }
}

/* Addresses of a body's .local variables, for the operands of the instruction that follows. */
static void find_locals(struct build *b, const struct frame *fr, const struct ptx_inst *in, const struct ptx_operand *o)
{
    for (int i = 0; i < o->n; i++)
        find_locals(b, fr, in, &o->elem[i]);
    const struct variable *v = o->kind == PTX_OPERAND_VAR && o->var->space == PTX_LOCAL ? lookup(b, o->var, fr) : NULL;
    if (!v || !v->in_frame || b->nlocals == (int)(sizeof b->local_of / sizeof *b->local_of))
        return;
    int32_t reg = emit_reg(b, PTX_U64);
    emit_stack_add(b, in, reg, v->at + (uint64_t)o->offset);
    b->local_of[b->nlocals] = o;
    b->local_reg[b->nlocals++] = reg;
}

/* cvt, and a mov of fewer bits than it has, take a special register from a register. True: the mov becomes a cvt. */
static bool find_special(struct build *b, const struct ptx_inst *in)
{
    const struct ptx_operand *o = &in->operand[1];
    if ((in->op != PTX_OP_CVT && in->op != PTX_OP_MOV) || in->noperands < 2 || o->kind != PTX_OPERAND_SREG)
        return false;
    uint8_t type = ptx_sreg_info[o->sreg].type;
    if (in->op == PTX_OP_MOV && ptx_type_info[in->mods.type[0]].bits == ptx_type_info[type].bits)
        return false;
    int32_t reg = emit_reg(b, type);
    emit_move(b, in, type, reg, (struct ir_src){.kind = IR_SRC_SREG, .sreg = o->sreg});
    b->local_of[b->nlocals] = o;
    b->local_reg[b->nlocals++] = reg;
    return in->op == PTX_OP_MOV;
}

static void emit_inst(struct build *b, const struct frame *fr, const struct ptx_inst *in, struct patch **patches,
                      int *npatches, int *cap)
{
    uint64_t at;
    b->nlocals = 0;
    bool part = find_special(b, in);
    for (int o = 0; fr->body >= 0 && in->op != PTX_OP_CALL && o < in->noperands; o++)
        find_locals(b, fr, in, &in->operand[o]);
    switch (in->op) {
    case PTX_OP_UNKNOWN:
        problem(b, in, arena_printf(&b->k->arena, "%s is not implemented", in->problem));
        break;
    case PTX_OP_BRA:
    case PTX_OP_BRX:
        emit_branch(b, fr, in, patches, npatches, cap);
        break;
    case PTX_OP_CALL:
        emit_call(b, fr, in);
        break;
    case PTX_OP_WMMA:
        wmma_expand(b, fr, in);
        break;
    case PTX_OP_RET:
        if (is_callee(fr)) {
            emit_guard(emit_new(b, in, PTX_OP_BRA), fr, in);
            ALLOC_GROW(*patches, *npatches, *cap);
            (*patches)[(*npatches)++] = (struct patch){b->k->ninsts - 1, -1, -1};
            break;
        }
        emit_plain(b, fr, in);
        break;
    default:
        if ((in->op == PTX_OP_LD || in->op == PTX_OP_ST) && !b->params_in_memory && call_param(b, fr, in, &at))
            move_param(b, fr, in, at);
        else
            emit_plain(b, fr, in);
        if (part) {
            struct ir_inst *out = &b->k->insts[b->k->ninsts - 1];
            out->op = PTX_OP_CVT;
            out->type = out->type2 = ptx_type_info[in->mods.type[0]].bits == 16 ? PTX_U16 : PTX_U32;
        }
    }
}

/* Where the frame's .local variables begin, for k->frames. */
static void note_locals(struct build *b, const struct frame *fr)
{
    for (int i = 0; i < fr->f->nvars; i++)
        if (fr->f->vars[i]->space == PTX_LOCAL) {
            const struct variable *v = lookup(b, fr->f->vars[i], fr);
            b->k->frames[fr->number].local_at = (uint32_t)v->at;
            b->k->frames[fr->number].on_stack = v->in_frame;
            return;
        }
}

static void emit_function(struct build *b, struct frame *fr)
{
    struct ir_kernel *k = b->k;
    const struct ptx_function *f = fr->f;
    struct patch *patches = NULL;
    int npatches = 0, cap = 0, label = 0;
    const struct frame *outer = b->at;

    b->at = fr;

    if (takes_param_address(f) && is_callee(fr))
        b->mixed_params = true;
    fr->reg_base = k->nregs;
    for (int i = 0; i < f->nregs; i++)
        emit_reg(b, f->regs[i].type);
    declare_locals(b, fr);
    note_locals(b, fr);
    fr->label_at = alloc_zeroed(sizeof *fr->label_at * (size_t)(f->nlabels + 1));
    for (int i = 0; i <= f->ninsts && k->ninsts < MAX_INSTS; i++) {
        for (label = 0; label < f->nlabels; label++)
            if (f->labels[label].inst == i)
                fr->label_at[label] = k->ninsts;
        if (i < f->ninsts)
            emit_inst(b, fr, &f->insts[i], &patches, &npatches, &cap);
    }
    if (k->ninsts >= MAX_INSTS)
        problem(b, NULL, "the kernel has too many instructions after inlining its calls");
    for (int i = 0; i < npatches; i++) {
        int32_t to = patches[i].label < 0 ? k->ninsts : fr->label_at[patches[i].label];
        struct ir_inst *in = &k->insts[patches[i].inst];
        *(patches[i].index < 0 ? &in->target : &in->targets[patches[i].index]) = to;
    }
    alloc_release(fr->label_at);
    alloc_release(patches);
    b->at = outer;
}

static void find_facts(struct ir_kernel *k)
{
    k->has_barrier = k->order_matters = k->has_async = k->uses_scratch = false;
    for (int32_t i = 0; i < k->ninsts; i++) {
        const struct ir_inst *in = &k->insts[i];
        bool kept = in->ndst && in->dst[0] != IR_NOREG;
        k->has_barrier |= ir_is(in, PTX_KIND_BARRIER);
        k->has_async |= ir_is(in, PTX_KIND_ASYNC);
        k->uses_scratch |= ((facts_reads(in) | facts_writes(in)) & FACT_SCRATCH) != 0;
        k->order_matters |= !ir_is_own(in) && kept && facts_result(in) & FACT_STATE && facts_reads(in) & (FACT_GLOBAL | FACT_LOCAL);
    }
}

/* Behind what calls used that have ended: `scratch_bytes` of the kernel or body are all it needs. */
static void close_scratch(struct build *b)
{
    if (b->scratch_most > b->k->scratch_bytes)
        b->k->scratch_bytes = b->scratch_most;
}

/* The bodies of functions that were called, and of those that they call. */
static void emit_bodies(struct build *b)
{
    static const struct ptx_mods none;
    for (int32_t i = 0; i < b->npending && b->k->ninsts < MAX_INSTS; i++) {
        struct pending *p = b->pending[i];
        uint32_t scratch = align_scratch(b);
        b->recursion.body[i].first = b->k->ninsts;
        emit_function(b, &p->frame);
        close_scratch(b);
        struct ir_body *body = &b->recursion.body[i]; /* there may be more of them now */
        body->scratch[1].from = scratch;
        body->scratch[1].to = b->params_in_memory ? align_scratch(b) : scratch;
        b->at = &p->frame;
        struct ir_inst *ret = emit_new(b, NULL, PTX_OP_BRX);
        ret->mods = &none;
        ret->is_return = true;
        IR_SET_SOURCES(b->k, ret, ir_of_reg(body->ra));
        body->end = b->k->ninsts;
    }
}

static void finish_calls(struct build *b)
{
    struct recursion *r = &b->recursion;
    b->k->stack_reg = b->k->recursive ? r->sp : IR_NOREG;
    if (b->k->recursive && !b->k->problems) {
        r->results = alloc_zeroed(((size_t)b->k->nregs / 64 + 1) * 8);
        for (int i = 0; i < b->nparam_regs; i++)
            if (b->param_regs[i].at - b->result_at < b->result_bytes)
                ir_bit_set(r->results, b->param_regs[i].reg);
        const char *why = recursion_lower(b->k, r);
        if (why)
            problem(b, NULL, why);
        alloc_release(r->results);
    }
    alloc_release(r->body);
    alloc_release(r->site);
    alloc_release(b->pending);
}

/* Where bodies leave their results: as large as any. */
static void lay_out_result(struct build *b)
{
    const struct ptx_module *m = b->k->module;
    for (int i = 0; i < m->nfuncs; i++) {
        const struct ptx_var *v = m->funcs[i]->ret;
        bool body = m->funcs[i]->defined && callgraph_cycle(b->graph, m->funcs[i]);
        if (body && v && v->size > b->result_bytes)
            b->result_bytes = (uint32_t)v->size;
    }
    b->result_at = align_scratch(b);
    b->k->scratch_bytes += b->result_bytes;
}

static struct ir_kernel *build_once(const struct ptx_module *m, const struct ptx_function *entry,
                                    ir_address_fn address, void *user, bool params_in_memory, bool *mixed)
{
    struct ir_kernel *k = alloc_zeroed(sizeof *k);
    arena_init(&k->arena);
    k->module = m;
    k->function = entry;
    k->name = entry->name;
    struct build b = {.k = k, .address = address, .user = user, .params_in_memory = params_in_memory};
    struct frame fr = {.f = entry, .body = -1};
    b.graph = callgraph_new(m, entry);
    lay_out(&b, entry);
    lay_out_params(&b, entry);
    lay_out_result(&b);
    number_frame(&b, &fr, NULL);
    b.at = &fr;
    emit_function(&b, &fr);
    close_scratch(&b);
    emit_new(&b, NULL, PTX_OP_EXIT);
    emit_bodies(&b);
    finish_calls(&b);
    if (k->shared_static > UINT32_MAX / 2 || k->local_bytes > UINT32_MAX / 64)
        problem(&b, NULL, "the kernel declares more memory than any device has");
    *mixed = b.mixed_params && !params_in_memory;
    callgraph_free(b.graph);
    alloc_release(b.vars);
    alloc_release(b.param_regs);
    return k;
}

/* Lines that the compiler made (line 0) count for the line before them. */
static void settle_locations(struct ir_kernel *k)
{
    const struct ptx_loc *last = k->function->loc;
    for (int32_t i = 0; i < k->ninsts; i++) {
        const struct ir_origin *from = k->insts[i].from;
        if (!from->loc || from->loc->line == 0)
            k->insts[i].from = ir_origin_at(k, from, last);
        last = k->insts[i].from->loc;
    }
}

struct ir_kernel *ir_build(const struct ptx_module *m, const struct ptx_function *entry, ir_address_fn address,
                           void *user)
{
    bool mixed;
    struct ir_kernel *k = build_once(m, entry, address, user, false, &mixed);
    if (mixed) {
        ir_free(k);
        k = build_once(m, entry, address, user, true, &mixed);
    }
    settle_locations(k);
    for (int32_t i = 0; i < k->ninsts; i++)
        k->insts[i].id = i + 1;
    cfg_make_blocks(k);
    ir_analyse(k);
    ir_verify(k, "build", true);
    k->unwritten = k->blocks[0].live_in;
    k->built_regs = k->nregs;
    if (ir_verify_wanted() && !k->problems)
        effects_note(k);
    return k;
}

void ir_free(struct ir_kernel *k)
{
    if (!k)
        return;
    alloc_release(k->insts);
    alloc_release(k->reg_type);
    alloc_release(k->variable);
    alloc_release(k->frames);
    claims_free(k->claims);
    arena_release(&k->arena);
    alloc_release(k);
}

/* Takes deleted instructions out; branches to them go to what follows. */
static void compact(struct ir_kernel *k)
{
    int32_t *now = alloc_zeroed(sizeof *now * (size_t)(k->nblocks + 1)), n = 0; /* where a block begins */
    for (int32_t b = 0; b < k->nblocks; b++) {
        now[b] = n;
        for (int32_t i = k->blocks[b].first; i < k->blocks[b].first + k->blocks[b].count; i++)
            n += k->insts[i].op != IR_OP_DELETED;
    }
    if (n < k->ninsts) {
        n = 0;
        for (int32_t i = 0; i < k->ninsts; i++) {
            cfg_rename_targets(&k->insts[i], now);
            if (k->insts[i].op != IR_OP_DELETED)
                k->insts[n++] = k->insts[i];
        }
        k->ninsts = n;
        cfg_make_blocks(k);
    }
    alloc_release(now);
}

void ir_analyse(struct ir_kernel *k)
{
    compact(k);
    find_facts(k);
    cfg_analyse(k);
    liveness_analyse(k);
}
