/* See code.h. */
#include "target/code.h"

#include "base/alloc.h"
#include "base/strbuf.h"

#include <string.h>

void code_free(struct code *c)
{
    if (!c)
        return;
    alloc_release(c->insts);
    alloc_release(c->first);
    alloc_release(c->blocks);
    alloc_release(c);
}

struct code *code_copy(const struct code *c)
{
    struct code *to = alloc_zeroed(sizeof *to);
    *to = *c;
    to->first = NULL;
    to->insts = alloc_zeroed(((size_t)c->ninsts + 1) * sizeof *to->insts);
    to->blocks = alloc_zeroed(((size_t)c->nblocks + 1) * sizeof *to->blocks);
    memcpy(to->insts, c->insts, (size_t)c->ninsts * sizeof *to->insts);
    memcpy(to->blocks, c->blocks, (size_t)c->nblocks * sizeof *to->blocks);
    to->capacity = c->ninsts + 1;
    to->block_capacity = c->nblocks + 1;
    return to;
}

void code_take(struct code *c, struct code *from)
{
    alloc_release(c->first);
    alloc_release(c->insts);
    alloc_release(c->blocks);
    *c = *from;
    *from = (struct code){.arch = from->arch};
}

struct machine_inst *code_add(struct code *c, const struct machine_inst *in)
{
    if (c->ninsts == c->capacity) {
        c->capacity = c->capacity ? 2 * c->capacity : 256;
        c->insts = alloc_resize(c->insts, (size_t)c->capacity * sizeof *c->insts);
    }
    c->insts[c->ninsts] = *in;
    if (c->nblocks)
        c->blocks[c->nblocks - 1].count++;
    return &c->insts[c->ninsts++];
}

void code_begin_block(struct code *c, enum times times, int32_t of, int rounds, int32_t ir)
{
    if (c->nblocks == c->block_capacity) {
        c->block_capacity = c->block_capacity ? 2 * c->block_capacity : 64;
        c->blocks = alloc_resize(c->blocks, (size_t)c->block_capacity * sizeof *c->blocks);
    }
    c->blocks[c->nblocks++] = (struct machine_block){.first = c->ninsts, .times = times, .of = of, .rounds = rounds, .ir = ir};
}

void code_begin_like(struct code *c, const struct machine_block *other)
{
    code_begin_block(c, other->times, other->of, other->rounds, other->ir);
    c->blocks[c->nblocks - 1].predicated = other->predicated;
    c->blocks[c->nblocks - 1].skips = other->skips;
}

void code_sort(struct code *c, int32_t sites)
{
    struct machine_inst *sorted = alloc_zeroed(((size_t)c->ninsts + 1) * sizeof *sorted);
    int32_t *next = alloc_zeroed(((size_t)sites * 2 + 3) * sizeof *next);
    for (int32_t i = 0; i < c->ninsts; i++)
        next[2 * c->insts[i].site + !c->insts[i].early + 1]++;
    for (int32_t n = 0; n < 2 * sites + 1; n++)
        next[n + 1] += next[n];
    for (int32_t i = 0; i <= sites; i++)
        c->first[i] = next[2 * i];
    for (int32_t i = 0; i < c->ninsts; i++)
        sorted[next[2 * c->insts[i].site + !c->insts[i].early]++] = c->insts[i];
    memcpy(c->insts, sorted, (size_t)c->ninsts * sizeof *sorted);
    alloc_release(sorted);
    alloc_release(next);
}

int code_executed(const struct code *c, int32_t site)
{
    int n = 0;
    for (int32_t i = c->first[site]; i < c->first[site + 1]; i++)
        n += c->insts[i].taken != TAKEN_NEVER && c->insts[i].op != OP_NONE;
    return n;
}

int code_weight(const struct code *c, int32_t site)
{
    int n = 0;
    for (int32_t i = c->first[site]; i < c->first[site + 1]; i++)
        n += c->insts[i].guard.file != FILE_NONE || c->insts[i].taken == TAKEN_OFF;
    return n + code_executed(c, site);
}

int32_t code_size(const struct code *c)
{
    int32_t n = 0;
    for (int32_t i = 0; i < c->ninsts; i++)
        n += c->insts[i].op != OP_NONE;
    return n;
}

void code_count(const struct code *c, int32_t counts[OPS], int32_t pipes[PIPES])
{
    memset(counts, 0, OPS * sizeof *counts);
    memset(pipes, 0, PIPES * sizeof *pipes);
    for (int32_t i = 0; i < c->ninsts; i++) {
        if (c->insts[i].op == OP_NONE)
            continue;
        counts[c->insts[i].op]++;
        pipes[code_pipe(c->arch, &c->insts[i])]++;
    }
}

int code_missing(const struct code *c, enum machine_op missing[OPS])
{
    int n = 0;
    for (int32_t i = 0; i < c->ninsts; i++) {
        enum machine_op op = (enum machine_op)c->insts[i].op;
        bool known = op == OP_NONE || arch_op(c->arch, op) != NULL;
        for (int m = 0; m < n && !known; m++)
            known = missing[m] == op;
        if (!known)
            missing[n++] = op;
    }
    return n;
}

enum pipe code_pipe(int arch, const struct machine_inst *in)
{
    enum pipe pipe = arch_op_pipe(arch, (enum machine_op)in->op);
    int sreg = in->nsources && in->source[0].file == FILE_SPECIAL ? (int)in->source[0].number : -1;
    if (arch < 70)
        return pipe;
    if (in->op == OP_S2R && sreg >= PTX_SREG_TID_X && sreg <= PTX_SREG_TID_Z)
        return PIPE_LSU;
    if (in->op == OP_HFMA2 && strcmp(in->form, "MMA") == 0)
        return PIPE_TENSOR;
    return pipe;
}

const char *const code_function_names[FUNCTIONS] = {
#define FUNCTION(name, symbol, text) #name,
#include "target/functions.def"
#undef FUNCTION
};

const char *const code_function_texts[FUNCTIONS] = {
#define FUNCTION(name, symbol, text) text,
#include "target/functions.def"
#undef FUNCTION
};

static void print_operand(const struct operand *o, struct strbuf *out)
{
    if (o->negated)
        strbuf_adds(out, o->file == FILE_PREDICATE || o->file == FILE_UNIFORM_PREDICATE || o->file == FILE_TRUE || o->file == FILE_CONDITION ? "!" : "-");
    if (o->absolute)
        strbuf_adds(out, "|");
    switch ((enum file)o->file) {
    case FILE_NONE:
        break;
    case FILE_REGISTER:
    case FILE_UNIFORM:
        strbuf_addf(out, "%s%d%s", o->file == FILE_UNIFORM ? "UR" : "R", (int)o->number, o->words > 1 ? ".64" : o->word ? ".hi" : "");
        strbuf_adds(out, o->halfword == HALFWORD_LOW ? "L" : o->halfword == HALFWORD_HIGH ? "H" : o->halfword ? ".H1" : "");
        break;
    case FILE_PREDICATE:
    case FILE_UNIFORM_PREDICATE:
        strbuf_addf(out, "%s%d", o->file == FILE_PREDICATE ? "P" : "UP", (int)o->number);
        break;
    case FILE_ZERO:
        strbuf_adds(out, "RZ");
        break;
    case FILE_TRUE:
        strbuf_adds(out, "PT");
        break;
    case FILE_IMMEDIATE:
        strbuf_addf(out, "0x%llx", (unsigned long long)o->bits);
        break;
    case FILE_BANK:
        strbuf_addf(out, "c[0x%x][0x%llx]", (unsigned)o->number, (unsigned long long)o->bits);
        strbuf_adds(out, o->halfword == HALFWORD_H1 ? ".H1" : "");
        break;
    case FILE_WINDOW:
        strbuf_addf(out, o->halfword ? "g[0x%llx].U16" : "g[0x%llx]", (unsigned long long)o->bits / (o->halfword ? 2 : 4));
        break;
    case FILE_CONDITION:
        strbuf_addf(out, "C%d", (int)o->number);
        break;
    case FILE_ADDRESS:
        strbuf_addf(out, "A%d", (int)o->number);
        break;
    case FILE_CARRY:
        strbuf_adds(out, "CC");
        break;
    case FILE_SPECIAL:
        strbuf_addf(out, "SR_%s", ptx_sreg_info[o->number].spelling + 1);
        break;
    case FILE_FUNCTION:
        strbuf_adds(out, code_function_names[o->number]);
        break;
    case FILE_BLOCK:
        strbuf_addf(out, "b%d", (int)o->number);
        break;
    }
    if (o->absolute)
        strbuf_adds(out, "|");
}

static bool is_memory(enum machine_op op)
{
    switch (op) {
    case OP_LD:
    case OP_LDC:
    case OP_LDG:
    case OP_LDL:
    case OP_LDS:
    case OP_LDSM:
    case OP_ST:
    case OP_STG:
    case OP_STL:
    case OP_STS:
    case OP_ATOM:
    case OP_ATOMG:
    case OP_ATOMS:
    case OP_RED:
    case OP_LDSLK:
    case OP_STSUL:
    case OP_G2R:
    case OP_R2G:
    case OP_GLD:
    case OP_GST:
    case OP_LLD:
    case OP_LST:
    case OP_GATOM:
    case OP_GRED:
        return true;
    default:
        return false;
    }
}

void code_print(const struct machine_inst *in, struct strbuf *out)
{
    const char *before = " ";
    if (in->guard.file) {
        strbuf_adds(out, "@");
        print_operand(&in->guard, out);
        strbuf_adds(out, " ");
    }
    strbuf_addf(out, "%s%s%s", arch_op_name(in->op), in->form[0] ? "." : "", in->form);
    for (int i = 0; i < in->nresults; i++, before = ", ") {
        strbuf_adds(out, in->result[i].file == FILE_CARRY ? "." : before);
        print_operand(&in->result[i], out);
    }
    for (int i = 0; i < in->nsources; i++, before = ", ") {
        bool address = i == 0 && is_memory(in->op) && in->source[0].file != FILE_BANK && in->source[0].file != FILE_WINDOW;
        strbuf_adds(out, before);
        if (address)
            strbuf_adds(out, "[");
        print_operand(&in->source[i], out);
        if (address && in->offset)
            strbuf_addf(out, "%s0x%x", in->offset < 0 ? "-" : "+", in->offset < 0 ? 0u - (unsigned)in->offset : (unsigned)in->offset);
        if (address)
            strbuf_adds(out, "]");
    }
}

void code_print_head(const struct ir_kernel *k, const struct machine_block *b, struct strbuf *out)
{
    switch (b->times) {
    case TIMES_BLOCK:
        strbuf_addf(out, ".b%d:", (int)b->of);
        break;
    case TIMES_ROUNDS:
        strbuf_addf(out, ".b%d: # %d turns of the loop", (int)k->loops[b->of].header, b->rounds);
        break;
    case TIMES_REST:
        strbuf_addf(out, b->rounds ? ".b%d: # %d more turns" : ".b%d: # around the loop", (int)k->loops[b->of].header, b->rounds);
        break;
    case TIMES_CALLED:
        strbuf_addf(out, ".%s: # a function; the order of its instructions is left open", code_function_names[b->of]);
        break;
    }
}

void code_print_control(const struct machine_inst *in, struct strbuf *out)
{
    const struct control *o = &in->control;
    if (!o->stall)
        return;
    strbuf_adds(out, "[B");
    for (int b = 0; b < 6; b++)
        strbuf_addf(out, "%c", o->wait >> b & 1 ? '0' + b : '-');
    strbuf_addf(out, ":R%c:W%c:S%02d]", o->read < 0 ? '-' : '0' + o->read, o->write < 0 ? '-' : '0' + o->write, o->stall);
}
