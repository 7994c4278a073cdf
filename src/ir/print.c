/* The text form of the IR: blocks with their edges, one instruction a line, source lines between. */
#include "ir/ir.h"
#include "base/strbuf.h"

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
    static const char *const sregs[] = {
#define SREG(id, spelling, type, least, scope) spelling,
#include "ptx/ptx_sregs.def"
#undef SREG
    };
    if (s->negated)
        strbuf_adds(out, "!");
    if (s->kind == IR_SRC_REG)
        print_reg(k, s->reg, out);
    else if (s->kind == IR_SRC_SREG)
        strbuf_adds(out, sregs[s->sreg]);
    else
        strbuf_addf(out, "0x%llx", (unsigned long long)s->imm);
}

void ir_print_inst(const struct ir_kernel *k, const struct ir_inst *in, struct strbuf *out)
{
    static const char *const spaces[] = {"", ".global", ".shared", ".local", ".const", ".param", ".scratch"};
    static const char *const cmps[] = {"", ".eq", ".ne", ".lt", ".le", ".gt", ".ge", ".equ", ".neu", ".ltu", ".leu",
                                       ".gtu", ".geu", ".num", ".nan"}; /* enum ptx_cmp */
    static const char *const atomics[] = {"", ".add", ".min", ".max", ".inc", ".dec", ".cas", ".exch", ".and", ".or",
                                          ".xor"}; /* enum ptx_atomic */
    bool memory = ir_is_memory(in);
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
    strbuf_adds(out, in->op < PTX_OP_COUNT ? ptx_op_info[in->op].id : in->op == IR_OP_EXTERN ? "EXTERN" : "DELETED");
    if (memory)
        strbuf_adds(out, spaces[in->space]);
    if (in->mods) {
        strbuf_adds(out, cmps[in->mods->cmp]);
        strbuf_adds(out, atomics[in->mods->atomic]);
    }
    if (in->vec > 1)
        strbuf_addf(out, ".v%d", in->vec);
    if (in->type)
        strbuf_addf(out, ".%s", ptx_type_info[in->type].spelling);
    if (in->type2)
        strbuf_addf(out, ".%s", ptx_type_info[in->type2].spelling);
    if (in->callee)
        strbuf_addf(out, " %s", in->callee);
    for (int i = 0; i < in->nsrc; i++) {
        strbuf_adds(out, i ? ", " : " ");
        if (memory && i == 0)
            strbuf_adds(out, "[");
        print_src(k, &in->src[i], out);
        if (memory && i == 0)
            strbuf_addf(out, "%+lld]", (long long)in->offset);
    }
    if (in->op == PTX_OP_BRA)
        strbuf_addf(out, " b%d%s%s", in->target, in->back_edge ? " back" : "", in->waiting ? " waiting" : "");
    if (in->op == PTX_OP_BRA && in->guard != IR_NOREG && in->joined)
        strbuf_addf(out, " join b%d", in->join);
    if (in->op == PTX_OP_BRA && in->guard != IR_NOREG && in->meet)
        strbuf_addf(out, " meet b%d", in->meet->block);
}

void ir_print(const struct ir_kernel *k, struct strbuf *out)
{
    ir_print_notes(k, NULL, out);
}

static void print_source(const struct ptx_loc *loc, const struct ir_notes *notes, struct strbuf *out)
{
    strbuf_addf(out, "    # %s:%d", loc->file, loc->line);
    if (notes && notes->source)
        notes->source(loc, notes->user, out);
    strbuf_adds(out, "\n");
}

void ir_print_notes(const struct ir_kernel *k, const struct ir_notes *notes, struct strbuf *out)
{
    const struct ptx_loc *shown = NULL;
    strbuf_addf(out, "kernel %s: %d parameter bytes, %u shared, %u local\n", k->name, (int)k->param_bytes,
                k->shared_static, k->local_bytes);
    for (int32_t b = 0; b < k->nblocks; b++) {
        const struct ir_block *bl = &k->blocks[b];
        strbuf_addf(out, "b%d:", b);
        for (int32_t i = 0; i < bl->nsucc; i++)
            strbuf_addf(out, bl->succ[i] < 0 ? " ->exit" : " ->b%d", bl->succ[i]);
        if (bl->ipdom >= 0)
            strbuf_addf(out, "  ipdom b%d", bl->ipdom);
        if (bl->loop >= 0)
            strbuf_addf(out, "  loop b%d depth %d%s", k->loops[bl->loop].header, k->loops[bl->loop].depth,
                        k->loops[bl->loop].waiting ? " waiting" : "");
        if (notes && notes->block)
            notes->block(b, notes->user, out);
        strbuf_adds(out, "\n");
        for (int32_t i = bl->first; i < bl->first + bl->count; i++) {
            const struct ptx_loc *loc = k->insts[i].loc;
            if (loc && (!shown || shown->line != loc->line || strcmp(shown->file, loc->file)))
                print_source(loc, notes, out);
            shown = loc ? loc : shown;
            strbuf_addf(out, "%5d ", i);
            ir_print_inst(k, &k->insts[i], out);
            if (notes && notes->inst)
                notes->inst(i, notes->user, out);
            strbuf_adds(out, "\n");
        }
    }
}
