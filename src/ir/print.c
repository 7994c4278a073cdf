/* The text form of the IR: what the kernel needs, blocks with their edges, one instruction a line, source lines between.
 *
 * It is complete: ir_read (read.c) makes the same kernel of it, with the module that the kernel was built from beside it. What
 * ir_analyse finds anew (edges, dominators, loops, where lanes meet) is shown and not read.
 *
 *   kernel NAME: 12 parameter bytes, 256 shared, 0 local
 *     parameters 0+8/8 8+4/4              of each its offset, bytes and alignment
 *     memory dynamic 256 scratch 0        where dynamic shared memory begins; bytes of scratch; ` stack r9`
 *     form 72 instructions 31 registers 2 parts 1 rows    a form of machine code, of a kernel with so many
 *     registers u32*5 pred u64*3          the type of r0 ..., and so on
 *     unwritten r3 r5 of 34               may be read before they are written; how many there were when it was built
 *     variable s at 0 of NAME             a shared variable, and the function that declares it (nothing: the module)
 *     ssa of 34 3 3 7                     in SSA: registers of before, and of which of these each later one is a version
 *     frame FUNCTION 0.7 local 16 stack   a call in place: by which frame and statement; where its local variables begin
 *   b0: ->b2 ->b1  ipdom b2
 *       # saxpy.cu:14
 *       6 r5 = phi r4 b1, r9 b7              what lanes bring from which block; `entry`: they begin here
 *       7 @!p5 r6, r7 = ld.global.nc.v2.f32 [r4+16] {once} ;8 0.3
 *
 * A result under a guard has, in SSA, what it is else: `@p5 r6 = ... old r2`. The opcode is PTX's (ptx/opcode.h), with the types, space and width that the instruction has now. Behind `;` is its number when the
 * kernel was built, and the statement of the PTX that it is from (frame.statement); then, if its source line is not that statement's,
 * `loc` and the statement whose line it is; of a form `site` and the instruction of the kernel that it does. The sources of a `state`
 * are the warp's own, behind `before` what all warps had before the part, and behind `behind` what they have behind it. */
#include "ir/ssa.h"
#include "base/strbuf.h"
#include "ir/operands.h"
#include "ptx/opcode.h"

#include <string.h>

static void print_reg(const struct ir_kernel *k, int32_t reg, struct strbuf *out)
{
    if (reg == IR_NOREG)
        strbuf_adds(out, "_");
    else
        strbuf_addf(out, "%s%d", k->reg_type[reg] == PTX_PRED ? "p" : "r", reg);
}

static void print_src(const struct ir_kernel *k, const struct ir_src *s, struct strbuf *out)
{
    if (s->negated)
        strbuf_adds(out, "!");
    if (s->kind == IR_SRC_REG)
        print_reg(k, s->reg, out);
    else if (s->kind == IR_SRC_SREG)
        strbuf_adds(out, ptx_sreg_info[s->sreg].spelling);
    else
        strbuf_addf(out, "0x%llx", (unsigned long long)s->imm);
}

/* What the opcode says of the instruction as it is now: passes change types, space and width and leave the modifiers. */
static void print_opcode(const struct ir_inst *in, struct strbuf *out)
{
    struct ptx_mods m = *in->mods;
    if (ir_is_own(in)) {
        strbuf_adds(out, ir_own_op(in)->word);
        if (ir_own_typed(ir_own_op(in)))
            strbuf_addf(out, ".%s", ptx_type_info[in->type].spelling);
        return;
    }
    if (in->type != m.type[0] || in->type2 != m.type[1])
        m.ntypes = in->type2 ? 2 : in->type != 0;
    m.type[0] = in->type;
    m.type[1] = in->type2;
    if (ptx_op_info[in->op].mods & MOD_SPACE)
        m.space = in->space <= PTX_PARAM ? in->space : PTX_GENERIC;
    m.vec = in->vec;
    if (ptx_op_info[in->op].sel != PTX_SEL_ANY)
        m.sel = ptx_op_info[in->op].sel;
    ptx_print_opcode((enum ptx_op)in->op, &m, out);
}

/* Words in braces: what PTX's opcode cannot say. */
static void print_attributes(const struct ir_inst *in, struct strbuf *out)
{
    static const char *const forms[] = {"", " once", " counted"};
    const struct ptx_mods *m = in->mods;
    size_t before = out->len;
    strbuf_adds(out, " {");
    size_t empty = out->len;
    if (in->space == IR_SCRATCH)
        strbuf_adds(out, " scratch");
    if (in->space == IR_HOST)
        strbuf_adds(out, " host");
    if (ir_is_own(in) && ir_own_op(in)->number && in->target >= 0)
        strbuf_addf(out, " %s %d", ir_number_words[ir_own_op(in)->number], in->target);
    if (ir_is_own(in) && in->offset)
        strbuf_addf(out, " at %lld", (long long)in->offset);
    if (in->rare)
        strbuf_adds(out, " rare");
    if (in->old_free)
        strbuf_adds(out, " free");
    strbuf_adds(out, forms[in->atomic_form]);
    if (in->way)
        strbuf_addf(out, " way %d", in->way);
    if (in->product_fused)
        strbuf_adds(out, " fused");
    if (in->frame)
        strbuf_adds(out, " frame");
    if (in->stays)
        strbuf_adds(out, " stays");
    if (in->is_return)
        strbuf_adds(out, " return");
    if (in->after_call)
        strbuf_addf(out, " call b%d", in->after_call - 1);
    if (in->op == IR_OP_EXTERN && (in->type || in->type2))
        strbuf_addf(out, " types %d %d", in->type, in->type2);
    if (m->part[0] || m->part[1] || m->part[2] || m->minus)
        strbuf_addf(out, " parts 0x%x 0x%x 0x%x minus %d", m->part[0], m->part[1], m->part[2], m->minus);
    if (out->len == empty)
        out->len = before;
    else
        strbuf_adds(out, " }");
    out->s[out->len] = '\0';
}

/* What is in front of a source: of a `state` those that all warps had before the part, or have behind it, are told apart. */
static const char *separator(const struct ir_inst *in, int i)
{
    if (in->op == IR_OP_STATE && i >= in->ntargets)
        return i == in->targets[0] ? " behind " : i == in->ntargets ? " before " : ", ";
    return i ? ", " : " ";
}

static void print_sources(const struct ir_kernel *k, const struct ir_inst *in, struct strbuf *out)
{
    const int64_t offset[] = {in->offset, in->offset2};
    for (int i = 0; i < in->nsrc; i++) {
        bool address = i == 0 ? ir_is_memory(in) || (in->offset && !ir_is_own(in)) : i == 1 && in->offset2;
        strbuf_adds(out, separator(in, i));
        if (address)
            strbuf_adds(out, "[");
        print_src(k, &in->src[i], out);
        if (address)
            strbuf_addf(out, "%+lld]", (long long)offset[i]);
        if (in->op == IR_OP_PHI)
            strbuf_addf(out, in->targets[i] < 0 ? " entry" : " b%d", in->targets[i]);
    }
}

static void print_targets(const struct ir_inst *in, struct strbuf *out)
{
    const int32_t *to;
    int32_t n = ir_targets(in, &to);
    for (int32_t i = 0; i < n; i++)
        strbuf_addf(out, " b%d", to[i]);
    if (ir_is(in, PTX_KIND_BRANCH))
        strbuf_addf(out, "%s%s", in->back_edge ? " back" : "", in->waiting ? " waiting" : "");
    if (ir_is_conditional(in) && in->joined)
        strbuf_addf(out, " join b%d", in->join);
    if (ir_is_conditional(in) && in->reconvergence)
        strbuf_addf(out, " reconvergence b%d", in->reconvergence->block);
}

void ir_print_inst(const struct ir_kernel *k, const struct ir_inst *in, struct strbuf *out)
{
    if (in->guard != IR_NOREG) {
        strbuf_adds(out, in->guard_negated ? "@!" : "@");
        print_reg(k, in->guard, out);
        strbuf_adds(out, " ");
    }
    for (int i = 0; i < in->ndst; i++) {
        if (i)
            strbuf_adds(out, ", ");
        print_reg(k, in->dst[i], out);
    }
    if (in->ndst)
        strbuf_adds(out, " = ");
    print_opcode(in, out);
    if (in->callee)
        strbuf_addf(out, " %s", in->callee);
    print_sources(k, in, out);
    for (int d = 0; d < in->ndst && in->old; d++) {
        strbuf_adds(out, d ? ", " : " old ");
        print_reg(k, in->old[d], out);
    }
    print_targets(in, out);
    print_attributes(in, out);
}

/* --- where instructions are from --- */

/* The statement whose source line it is, written `loc 0.7`, or `loc 0` for the head of the frame's function. */
static void print_loc(const struct ir_kernel *k, const struct ptx_loc *loc, struct strbuf *out)
{
    if (!loc)
        strbuf_adds(out, " loc none");
    for (int32_t f = 0; loc && f < k->nframes; f++) {
        const struct ptx_function *of = k->frames[f].function;
        if (of->loc == loc) {
            strbuf_addf(out, " loc %d", f);
            return;
        }
        for (int32_t s = 0; s < of->ninsts; s++)
            if (of->insts[s].loc == loc) {
                strbuf_addf(out, " loc %d.%d", f, s);
                return;
            }
    }
}

static void print_origin(const struct ir_kernel *k, const struct ir_origin *o, struct strbuf *out)
{
    const struct ptx_inst *from = o->statement >= 0 ? &k->frames[o->of_frame].function->insts[o->statement] : NULL;
    strbuf_addf(out, " %d", o->of_frame);
    if (from)
        strbuf_addf(out, ".%d", o->statement);
    if (o->loc != (from ? from->loc : NULL))
        print_loc(k, o->loc, out);
}

static void print_origins(const struct ir_kernel *k, const struct ir_inst *in, struct strbuf *out)
{
    strbuf_addf(out, " ;%d", in->id);
    print_origin(k, in->from, out);
    for (int p = 0; in->parts && p < in->vec; p++) {
        strbuf_adds(out, p ? "," : " parts");
        if (in->parts[p])
            print_origin(k, in->parts[p], out);
        else
            strbuf_adds(out, " _");
    }
    if (k->form && in->site >= 0)
        strbuf_addf(out, " site %d", in->site);
}

/* --- the kernel --- */

static void print_registers(const struct ir_kernel *k, struct strbuf *out)
{
    strbuf_adds(out, "  registers");
    for (int32_t i = 0, n; i < k->nregs; i += n) {
        for (n = 1; i + n < k->nregs && k->reg_type[i + n] == k->reg_type[i]; n++)
            ;
        strbuf_addf(out, n > 1 ? " %s*%d" : " %s", ptx_type_info[k->reg_type[i]].spelling, n);
    }
    strbuf_adds(out, "\n");
    if (!k->unwritten)
        return;
    strbuf_adds(out, "  unwritten");
    for (int32_t i = 0; i < k->built_regs; i++)
        if (ir_bit(k->unwritten, i))
            strbuf_addf(out, " r%d", i);
    strbuf_addf(out, " of %d\n", k->built_regs);
}

static void print_versions(const struct ir_kernel *k, struct strbuf *out)
{
    int32_t before = ir_before_ssa(k);
    if (!k->ssa)
        return;
    strbuf_addf(out, "  ssa of %d", before);
    for (int32_t r = before; r < k->nvariable; r++)
        strbuf_addf(out, " %d", k->variable[r]);
    strbuf_adds(out, "\n");
}

/* The function that declares a variable inside; NULL: the module does. */
static const struct ptx_function *declares(const struct ir_kernel *k, const struct ptx_var *v)
{
    for (int i = 0; i < k->module->nfuncs; i++)
        for (int j = 0; j < k->module->funcs[i]->nvars; j++)
            if (k->module->funcs[i]->vars[j] == v)
                return k->module->funcs[i];
    return NULL;
}

static void print_head(const struct ir_kernel *k, struct strbuf *out)
{
    strbuf_addf(out, "kernel %s: %d parameter bytes, %u shared, %u local\n", k->name, (int)k->param_bytes,
                k->shared_static, k->local_bytes);
    if (k->nparams)
        strbuf_adds(out, "  parameters");
    for (int i = 0; i < k->nparams; i++)
        strbuf_addf(out, " %u+%u/%u", k->params[i].offset, k->params[i].bytes, k->params[i].align);
    strbuf_addf(out, "%s  memory dynamic %u scratch %u", k->nparams ? "\n" : "", k->shared_dynamic, k->scratch_bytes);
    if (k->recursive)
        strbuf_addf(out, " stack r%d", k->stack_reg);
    strbuf_adds(out, "\n");
    if (k->form)
        strbuf_addf(out, "  form %d instructions %d registers %d parts %d rows\n", k->form->insts, k->form->regs, k->form->parts, k->form->rows);
    print_registers(k, out);
    print_versions(k, out);
    for (int32_t i = 0; i < k->nshared; i++) {
        const struct ptx_function *f = declares(k, k->shared[i].var);
        strbuf_addf(out, "  variable %s at %u", k->shared[i].var->name, k->shared[i].at);
        strbuf_addf(out, f ? " of %s\n" : "\n", f ? f->name : "");
    }
    for (int32_t i = 1; i < k->nframes; i++) {
        const struct ir_frame *f = &k->frames[i];
        strbuf_addf(out, "  frame %s", f->function->name);
        if (f->caller >= 0)
            strbuf_addf(out, " %d.%d", f->caller, f->statement);
        strbuf_addf(out, " local %u%s\n", f->local_at, f->on_stack ? " stack" : "");
    }
}

static void print_source(const struct ptx_loc *loc, const struct ir_notes *notes, struct strbuf *out)
{
    strbuf_addf(out, "    # %s:%d", loc->file, loc->line);
    if (notes && notes->source)
        notes->source(loc, notes->user, out);
    strbuf_adds(out, "\n");
}

static void print_block(const struct ir_kernel *k, int32_t b, struct strbuf *out)
{
    const struct ir_block *bl = &k->blocks[b];
    strbuf_addf(out, "b%d:", b);
    for (int32_t i = 0; i < bl->nsucc; i++)
        strbuf_addf(out, bl->succ[i] < 0 ? " ->exit" : " ->b%d", bl->succ[i]);
    if (bl->ipdom >= 0)
        strbuf_addf(out, "  ipdom b%d", bl->ipdom);
    if (bl->loop >= 0)
        strbuf_addf(out, "  loop b%d depth %d%s", k->loops[bl->loop].header, k->loops[bl->loop].depth,
                    k->loops[bl->loop].waiting ? " waiting" : "");
}

void ir_print_notes(const struct ir_kernel *k, const struct ir_notes *notes, struct strbuf *out)
{
    const struct ptx_loc *shown = NULL;
    print_head(k, out);
    for (int32_t b = 0; b < k->nblocks; b++) {
        const struct ir_block *bl = &k->blocks[b];
        print_block(k, b, out);
        if (notes && notes->block)
            notes->block(b, notes->user, out);
        strbuf_adds(out, "\n");
        for (int32_t i = bl->first; i < bl->first + bl->count; i++) {
            const struct ptx_loc *loc = k->insts[i].from->loc;
            if (loc && (!shown || shown->line != loc->line || strcmp(shown->file, loc->file)))
                print_source(loc, notes, out);
            shown = loc ? loc : shown;
            strbuf_addf(out, "%5d ", i);
            ir_print_inst(k, &k->insts[i], out);
            print_origins(k, &k->insts[i], out);
            if (notes && notes->inst)
                notes->inst(i, notes->user, out);
            strbuf_adds(out, "\n");
        }
    }
}

void ir_print(const struct ir_kernel *k, struct strbuf *out)
{
    ir_print_notes(k, NULL, out);
}
