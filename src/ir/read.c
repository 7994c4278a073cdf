/* Text to IR: what ir_print wrote (the form is in the head of print.c).
 *
 * In: the text of one kernel, and the module that it was built from, for its variables, functions and source lines. Out: the kernel,
 * analysed. The text is read line by line; what stands behind `#`, and what ir_analyse finds anew, is passed over. The first
 * line that is not of this form ends it: one message with the line. */
#include "ir/read.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/diag.h"
#include "base/strbuf.h"
#include "ir/edit.h"
#include "ir/operands.h"
#include "ptx/opcode.h"

struct reader {
    const struct ptx_module *m;
    struct ir_kernel *k;
    struct ptx_opcodes *opcodes;
    struct diag_list *diags;
    const char *text, *at; /* of the text; where the reader is */
    int32_t insts_cap, regs_cap, frames_cap, blocks_cap, shared_cap;
    bool failed;
};

/* --- messages and words --- */

/* Always false; only the first one counts. */
static bool fail(struct reader *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static bool fail(struct reader *r, const char *fmt, ...)
{
    if (r->failed)
        return false;
    r->failed = true;
    int line = 1;
    const char *start = r->text;
    for (const char *s = r->text; s < r->at; s++)
        if (*s == '\n') {
            line++;
            start = s + 1;
        }
    struct strbuf b;
    strbuf_init(&b);
    va_list ap;
    va_start(ap, fmt);
    strbuf_addv(&b, fmt, ap);
    va_end(ap);
    struct diag *d = diag_add(r->diags, DIAG_ERROR, "IR", line, "%s", b.s);
    d->column = (int)(r->at - start) + 1;
    d->source = arena_strndup(&r->diags->arena, start, strcspn(start, "\n"));
    strbuf_release(&b);
    return false;
}

static void skip_blanks(struct reader *r)
{
    r->at += strspn(r->at, " \t");
}

/* Over `word`, if it stands here and ends here, or ends in a sign. */
static bool accept(struct reader *r, const char *word)
{
    size_t n = strlen(word);
    skip_blanks(r);
    if (strncmp(r->at, word, n))
        return false;
    char behind = r->at[n], last = word[n - 1];
    bool letter = (last >= 'a' && last <= 'z') || (last >= 'A' && last <= 'Z');
    if (letter && (behind == '_' || (behind >= 'a' && behind <= 'z') || (behind >= 'A' && behind <= 'Z')))
        return false;
    r->at += n;
    return true;
}

static bool expect(struct reader *r, const char *word)
{
    return accept(r, word) || fail(r, "expected '%s'", word);
}

static bool number(struct reader *r, int64_t least, int64_t most, int64_t *n)
{
    char *end;
    skip_blanks(r);
    *n = strtoll(r->at, &end, 10);
    if (end == r->at || *n < least || *n > most)
        return fail(r, "expected a number of %lld to %lld", (long long)least, (long long)most);
    r->at = end;
    return true;
}

/* A whole number that fits `field`'s type; `field` is unsigned or signed with 32 bits. */
#define NUMBER(r, field)                                    \
    ({                                                      \
        int64_t n_ = 0;                                     \
        bool ok_ = number((r), 0, INT32_MAX, &n_);          \
        (field) = (__typeof__(field))n_;                    \
        ok_;                                                \
    })

static bool hexadecimal(struct reader *r, uint64_t *n)
{
    char *end;
    skip_blanks(r);
    *n = strtoull(r->at, &end, 16);
    if (end == r->at)
        return fail(r, "expected a number");
    r->at = end;
    return true;
}

/* Up to the next blank or line's end. */
static const char *word(struct reader *r)
{
    skip_blanks(r);
    size_t n = strcspn(r->at, " \t\n");
    const char *s = arena_strndup(&r->k->arena, r->at, n);
    r->at += n;
    return s;
}

static void next_line(struct reader *r)
{
    r->at += strcspn(r->at, "\n");
    r->at += *r->at == '\n';
}

/* Nothing else but a remark. */
static bool end_line(struct reader *r)
{
    skip_blanks(r);
    if (*r->at != '\n' && *r->at != '#' && *r->at)
        return fail(r, "not expected here");
    next_line(r);
    return true;
}

static int spelled_type(const char *s, size_t n)
{
    for (int t = 1; t < PTX_TYPE_COUNT; t++)
        if (strlen(ptx_type_info[t].spelling) == n && !strncmp(ptx_type_info[t].spelling, s, n))
            return t;
    return PTX_NOTYPE;
}

/* --- the head --- */

static bool read_parameters(struct reader *r)
{
    struct ir_kernel *k = r->k;
    k->params = ARENA_ARRAY(&k->arena, struct ir_param, k->function->nparams + 1);
    for (skip_blanks(r); *r->at >= '0' && *r->at <= '9'; skip_blanks(r)) {
        if (k->nparams >= k->function->nparams)
            return fail(r, "'%s' has %d parameters", k->name, k->function->nparams);
        struct ir_param *p = &k->params[k->nparams++];
        if (!NUMBER(r, p->offset) || !expect(r, "+") || !NUMBER(r, p->bytes) || !expect(r, "/") || !NUMBER(r, p->align))
            return false;
    }
    return end_line(r);
}

static bool read_memory(struct reader *r)
{
    struct ir_kernel *k = r->k;
    k->stack_reg = IR_NOREG;
    if (!expect(r, "dynamic") || !NUMBER(r, k->shared_dynamic) || !expect(r, "scratch") || !NUMBER(r, k->scratch_bytes))
        return false;
    k->recursive = accept(r, "stack");
    if (k->recursive && (!expect(r, "r") || !NUMBER(r, k->stack_reg)))
        return false;
    return end_line(r);
}

static bool read_form(struct reader *r)
{
    struct ir_form *f = ARENA_NEW(&r->k->arena, struct ir_form);
    r->k->form = f;
    return NUMBER(r, f->insts) && expect(r, "instructions") && NUMBER(r, f->regs) && expect(r, "registers") && NUMBER(r, f->parts) &&
           expect(r, "parts") && NUMBER(r, f->rows) && expect(r, "rows") && end_line(r);
}

static bool read_registers(struct reader *r)
{
    enum { MOST = 1 << 22 };
    struct ir_kernel *k = r->k;
    for (skip_blanks(r); *r->at && *r->at != '\n'; skip_blanks(r)) {
        size_t n = strcspn(r->at, "* \n");
        int type = spelled_type(r->at, n);
        int64_t count = 1;
        if (!type)
            return fail(r, "expected a type");
        r->at += n;
        if (*r->at == '*') {
            r->at++;
            if (!number(r, 1, MOST, &count))
                return false;
        }
        if (k->nregs + count > MOST)
            return fail(r, "more than %d registers", MOST);
        for (; count > 0; count--) {
            ALLOC_GROW(k->reg_type, k->nregs, r->regs_cap);
            k->reg_type[k->nregs++] = (uint8_t)type;
        }
    }
    return end_line(r);
}

static bool read_unwritten(struct reader *r)
{
    struct ir_kernel *k = r->k;
    uint64_t *set = ARENA_ARRAY(&k->arena, uint64_t, k->nregs / 64 + 1);
    while (accept(r, "r")) {
        int32_t reg = 0;
        if (!NUMBER(r, reg))
            return false;
        if (reg >= k->nregs)
            return fail(r, "there are %d registers", k->nregs);
        ir_bit_set(set, reg);
    }
    k->unwritten = set;
    if (!expect(r, "of") || !NUMBER(r, k->built_regs))
        return false;
    return k->built_regs <= k->nregs ? end_line(r) : fail(r, "there are %d registers", k->nregs);
}

/* `of` the number of registers before; then of which each later one is a version. */
static bool read_versions(struct reader *r)
{
    struct ir_kernel *k = r->k;
    int32_t before = 0;
    if (!expect(r, "of") || !NUMBER(r, before))
        return false;
    if (before > k->nregs)
        return fail(r, "there are %d registers", k->nregs);
    k->ssa = true;
    alloc_release(k->variable);
    k->variable = alloc_zeroed(((size_t)k->nregs + 1) * sizeof *k->variable);
    for (k->nvariable = 0; k->nvariable < before; k->nvariable++)
        k->variable[k->nvariable] = k->nvariable;
    for (skip_blanks(r); *r->at >= '0' && *r->at <= '9'; skip_blanks(r)) {
        int64_t of;
        if (k->nvariable == k->nregs)
            return fail(r, "there are %d registers", k->nregs);
        if (!number(r, 0, before - 1, &of))
            return false;
        k->variable[k->nvariable++] = (int32_t)of;
    }
    return end_line(r);
}

static const struct ptx_function *function_named(const struct reader *r, const char *name)
{
    for (int i = 0; i < r->m->nfuncs; i++)
        if (!strcmp(r->m->funcs[i]->name, name))
            return r->m->funcs[i];
    return NULL;
}

static const struct ptx_var *variable_named(struct ptx_var **vars, int n, const char *name)
{
    for (int i = 0; i < n; i++)
        if (!strcmp(vars[i]->name, name))
            return vars[i];
    return NULL;
}

static bool read_variable(struct reader *r)
{
    struct ir_kernel *k = r->k;
    struct ir_shared s = {0};
    const char *name = word(r);
    if (!expect(r, "at") || !NUMBER(r, s.at))
        return false;
    if (accept(r, "of")) {
        const struct ptx_function *f = function_named(r, word(r));
        s.var = f ? variable_named(f->vars, f->nvars, name) : NULL;
    } else {
        s.var = variable_named(r->m->vars, r->m->nvars, name);
    }
    if (!s.var)
        return fail(r, "the module has no variable '%s'", name);
    if (k->nshared == r->shared_cap) {
        struct ir_shared *more = ARENA_ARRAY(&k->arena, struct ir_shared, r->shared_cap = 2 * r->shared_cap + 8);
        if (k->nshared)
            memcpy(more, k->shared, (size_t)k->nshared * sizeof *more);
        k->shared = more;
    }
    k->shared[k->nshared++] = s;
    return end_line(r);
}

static bool read_frame(struct reader *r)
{
    struct ir_kernel *k = r->k;
    struct ir_frame f = {.caller = -1};
    const char *name = word(r);
    f.function = function_named(r, name);
    if (!f.function)
        return fail(r, "the module has no function '%s'", name);
    skip_blanks(r);
    if (*r->at >= '0' && *r->at <= '9' && (!NUMBER(r, f.caller) || !expect(r, ".") || !NUMBER(r, f.statement)))
        return false;
    if (f.caller >= k->nframes)
        return fail(r, "frame %d is not there", f.caller);
    if (!expect(r, "local") || !NUMBER(r, f.local_at))
        return false;
    f.on_stack = accept(r, "stack");
    ALLOC_GROW(k->frames, k->nframes, r->frames_cap);
    k->frames[k->nframes++] = f;
    return end_line(r);
}

static bool read_head(struct reader *r)
{
    struct ir_kernel *k = r->k;
    if (!expect(r, "kernel"))
        return false;
    skip_blanks(r);
    size_t n = strcspn(r->at, ":\n");
    const char *name = arena_strndup(&k->arena, r->at, n);
    k->function = function_named(r, name);
    if (!k->function)
        return fail(r, "the module has no kernel '%s'", name);
    k->name = k->function->name;
    r->at += n;
    if (!expect(r, ":") || !NUMBER(r, k->param_bytes) || !expect(r, "parameter bytes,") || !NUMBER(r, k->shared_static) ||
        !expect(r, "shared,") || !NUMBER(r, k->local_bytes) || !expect(r, "local") || !end_line(r))
        return false;
    ALLOC_GROW(k->frames, k->nframes, r->frames_cap);
    k->frames[k->nframes++] = (struct ir_frame){.function = k->function, .caller = -1};
    static const struct {
        const char *word;
        bool (*read)(struct reader *r);
    } lines[] = {{"parameters", read_parameters}, {"memory", read_memory}, {"form", read_form},         {"registers", read_registers},
                 {"unwritten", read_unwritten},   {"ssa", read_versions},  {"variable", read_variable}, {"frame", read_frame}};
    for (size_t i = 0; i < sizeof lines / sizeof *lines && !r->failed; i++)
        while (!r->failed && accept(r, lines[i].word))
            lines[i].read(r);
    return !r->failed;
}

/* --- instructions --- */

static bool read_register(struct reader *r, int32_t *reg)
{
    if (accept(r, "_")) {
        *reg = IR_NOREG;
        return true;
    }
    skip_blanks(r);
    if (*r->at != 'r' && *r->at != 'p')
        return fail(r, "expected a register");
    r->at++;
    if (!NUMBER(r, *reg))
        return false;
    return *reg < r->k->nregs || fail(r, "there are %d registers", r->k->nregs);
}

/* r4, !p3, 0x10, %tid.x */
static bool read_source(struct reader *r, struct ir_src *s)
{
    skip_blanks(r);
    s->negated = accept(r, "!");
    if (*r->at == '%') {
        size_t n = strcspn(r->at, ", ]\n");
        s->kind = IR_SRC_SREG;
        for (s->sreg = 0; s->sreg < PTX_SREG_COUNT; s->sreg++)
            if (strlen(ptx_sreg_info[s->sreg].spelling) == n && !strncmp(ptx_sreg_info[s->sreg].spelling, r->at, n)) {
                r->at += n;
                return true;
            }
        return fail(r, "no special register");
    }
    if (*r->at == '0') {
        s->kind = IR_SRC_IMM;
        return hexadecimal(r, &s->imm);
    }
    s->kind = IR_SRC_REG;
    return read_register(r, &s->reg);
}

static bool read_address(struct reader *r, struct ir_src *s, int64_t *offset)
{
    return read_source(r, s) && number(r, INT64_MIN, INT64_MAX, offset) && expect(r, "]");
}

/* The registers in front of ` = `, if there is one on this line. */
static bool read_results(struct reader *r, struct ir_inst *in)
{
    const char *equals = strstr(r->at, " = "), *end = r->at + strcspn(r->at, "\n");
    if (!equals || equals > end)
        return true;
    int32_t reg[IR_OPERANDS];
    int n = 0;
    do {
        if (n == IR_OPERANDS)
            return fail(r, "more than %d results", IR_OPERANDS);
        if (!read_register(r, &reg[n++]))
            return false;
    } while (accept(r, ","));
    ir_set_results(r->k, in, n, reg);
    return expect(r, "=");
}

/* An operation that PTX does not have, of a form or of any kernel. False: it is none, and nothing was read. */
static bool read_own_opcode(struct reader *r, struct ir_inst *in)
{
    size_t n = strcspn(r->at, ". \n");
    for (in->op = PTX_OP_COUNT; in->op < (r->k->form ? IR_OP_END : IR_OP_DELETED); in->op++) {
        const struct ir_own_op *row = ir_own_op(in);
        if (in->op == IR_OP_DELETED || strlen(row->word) != n || strncmp(r->at, row->word, n) || (r->at[n] == '.') != ir_own_typed(row))
            continue;
        size_t type = ir_own_typed(row) ? strcspn(r->at + n + 1, " \n") : 0;
        in->type = (uint8_t)(type ? spelled_type(r->at + n + 1, type) : PTX_NOTYPE);
        r->at += type ? n + 1 + type : n;
        if (in->op == IR_OP_EXTERN)
            in->callee = word(r);
        return true;
    }
    return false;
}

static bool read_opcode(struct reader *r, struct ir_inst *in)
{
    struct ptx_mods *m = ARENA_NEW(&r->k->arena, struct ptx_mods);
    in->mods = m;
    skip_blanks(r);
    if (read_own_opcode(r, in))
        return true;
    enum ptx_op op = PTX_OP_UNKNOWN;
    size_t n = ptx_opcodes_read(r->opcodes, r->at, strcspn(r->at, "\n"), &op, m);
    if (!n)
        return fail(r, "no instruction");
    r->at += n;
    in->op = (uint16_t)op;
    in->type = m->type[0];
    in->type2 = m->type[1];
    in->space = m->space;
    in->vec = m->matrices ? m->matrices : m->vec ? m->vec : 1;
    return true;
}

static bool read_block_name(struct reader *r, int32_t *b)
{
    return expect(r, "b") && NUMBER(r, *b);
}

/* Behind a phi's source: where lanes come from with it. */
static bool read_from(struct reader *r, int32_t *from)
{
    *from = -1;
    return accept(r, "entry") || read_block_name(r, from);
}

static bool at_source(struct reader *r)
{
    skip_blanks(r);
    const char *s = r->at;
    bool reg = (*s == 'r' || *s == 'p') && s[1] >= '0' && s[1] <= '9';
    return reg || *s == '[' || *s == '!' || *s == '%' || *s == '0' || *s == '_';
}

struct list {
    struct ir_src *src;
    int32_t *from, n, cap, from_cap;
};

/* A list of sources, behind those that are there already, and of a phi where they come from. */
static bool read_list(struct reader *r, struct ir_inst *in, struct list *l)
{
    int64_t *offsets[] = {&in->offset, &in->offset2};
    if (!at_source(r))
        return true;
    do {
        if (l->n == UINT16_MAX)
            return fail(r, "more than %d sources", UINT16_MAX);
        ALLOC_GROW(l->from, l->n, l->from_cap);
        ALLOC_GROW(l->src, l->n, l->cap);
        struct ir_src *s = &l->src[l->n];
        *s = (struct ir_src){0};
        bool ok = l->n < 2 && accept(r, "[") ? read_address(r, s, offsets[l->n]) : read_source(r, s);
        if (!ok || (in->op == IR_OP_PHI && !read_from(r, &l->from[l->n])))
            return false;
        l->n++;
    } while (accept(r, ","));
    return true;
}

static void set_targets(struct reader *r, struct ir_inst *in, int n, const int32_t *to)
{
    in->targets = ARENA_ARRAY(&r->k->arena, int32_t, n + 1);
    if (n)
        memcpy(in->targets, to, (size_t)n * sizeof *to);
}

static bool read_sources(struct reader *r, struct ir_inst *in)
{
    struct list l = {0};
    bool ok = read_list(r, in, &l);
    if (ok && in->op == IR_OP_STATE) {
        in->ntargets = l.n;
        ok = !accept(r, "before") || read_list(r, in, &l);
        set_targets(r, in, 1, &l.n);
        ok = ok && (!accept(r, "behind") || read_list(r, in, &l));
    }
    if (ok)
        ir_set_sources(r->k, in, l.n, l.src);
    if (ok && in->op == IR_OP_PHI) {
        in->ntargets = l.n;
        set_targets(r, in, l.n, l.from);
    }
    alloc_release(l.src);
    alloc_release(l.from);
    return ok;
}

static bool read_old(struct reader *r, struct ir_inst *in)
{
    if (!accept(r, "old"))
        return true;
    int32_t *old = ARENA_ARRAY(&r->k->arena, int32_t, in->ndst + 1);
    for (int d = 0; d < in->ndst; d++)
        if ((d && !expect(r, ",")) || !read_register(r, &old[d]))
            return false;
    in->old = old;
    return true;
}

/* b5 back waiting join b7 reconvergence b6: of bra all but the first is found anew. */
static bool read_targets(struct reader *r, struct ir_inst *in)
{
    if (ir_is(in, PTX_KIND_BRANCH) && !read_block_name(r, &in->target))
        return false;
    for (skip_blanks(r); ir_has_targets(in) && *r->at == 'b'; skip_blanks(r)) {
        int32_t *more = ARENA_ARRAY(&r->k->arena, int32_t, in->ntargets + 1);
        if (in->ntargets)
            memcpy(more, in->targets, (size_t)in->ntargets * sizeof *more);
        in->targets = more;
        if (!read_block_name(r, &in->targets[in->ntargets++]))
            return false;
    }
    if (ir_is(in, PTX_KIND_BRANCH))
        r->at += strcspn(r->at, ";{\n");
    return true;
}

static bool read_parts(struct reader *r, struct ptx_mods *m)
{
    uint64_t part = 0;
    for (int i = 0; i < 3; i++) {
        if (!hexadecimal(r, &part))
            return false;
        m->part[i] = (uint32_t)part;
    }
    return expect(r, "minus") && NUMBER(r, m->minus);
}

/* What its number is, if it is one of those that have one. */
static bool read_named_number(struct reader *r, struct ir_inst *in)
{
    return ir_is_own(in) && ir_own_op(in)->number && accept(r, ir_number_words[ir_own_op(in)->number]);
}

static bool read_attribute(struct reader *r, struct ir_inst *in)
{
    if (accept(r, "scratch"))
        in->space = IR_SCRATCH;
    else if (accept(r, "host"))
        in->space = IR_HOST;
    else if (accept(r, "rare"))
        in->rare = true;
    else if (accept(r, "free"))
        in->old_free = true;
    else if (accept(r, "at"))
        return number(r, INT64_MIN, INT64_MAX, &in->offset);
    else if (read_named_number(r, in))
        return NUMBER(r, in->target);
    else if (accept(r, "once"))
        in->atomic_form = IR_ATOMIC_ONCE;
    else if (accept(r, "counted"))
        in->atomic_form = IR_ATOMIC_COUNTED;
    else if (accept(r, "way"))
        return NUMBER(r, in->way);
    else if (accept(r, "fused"))
        in->product_fused = true;
    else if (accept(r, "frame"))
        in->frame = true;
    else if (accept(r, "stays"))
        in->stays = true;
    else if (accept(r, "return"))
        in->is_return = true;
    else if (accept(r, "types"))
        return NUMBER(r, in->type) && NUMBER(r, in->type2);
    else if (accept(r, "parts"))
        return read_parts(r, (struct ptx_mods *)in->mods);
    else if (accept(r, "call") && read_block_name(r, &in->after_call))
        in->after_call++;
    else
        return fail(r, "no attribute");
    return true;
}

/* The statement `frame.statement`; NULL and -1 where there is only a frame. */
static bool read_statement(struct reader *r, int32_t *frame, int32_t *statement, const struct ptx_inst **from)
{
    *statement = -1;
    *from = NULL;
    if (!NUMBER(r, *frame))
        return false;
    if (*frame >= r->k->nframes)
        return fail(r, "frame %d is not there", *frame);
    if (*r->at != '.')
        return true;
    r->at++;
    if (!NUMBER(r, *statement))
        return false;
    const struct ptx_function *f = r->k->frames[*frame].function;
    if (*statement >= f->ninsts)
        return fail(r, "'%s' has %d statements", f->name, f->ninsts);
    *from = &f->insts[*statement];
    return true;
}

/* `0.7`, or `0.7 loc 0.5` with another statement's source line. */
static bool read_origin(struct reader *r, const struct ir_origin **out)
{
    const struct ptx_inst *from, *line;
    int32_t frame, statement;
    if (!read_statement(r, &frame, &statement, &from))
        return false;
    *out = ir_origin_of(r->k, frame, statement);
    if (!accept(r, "loc"))
        return true;
    if (accept(r, "none")) {
        *out = ir_origin_at(r->k, *out, NULL);
        return true;
    }
    if (!read_statement(r, &frame, &statement, &line))
        return false;
    *out = ir_origin_at(r->k, *out, line ? line->loc : r->k->frames[frame].function->loc);
    return true;
}

static bool read_part_origins(struct reader *r, struct ir_inst *in)
{
    const struct ir_origin **parts = ARENA_ARRAY(&r->k->arena, const struct ir_origin *, in->vec ? in->vec : 1);
    for (int p = 0; p < in->vec; p++)
        if ((p && !expect(r, ",")) || (!accept(r, "_") && !read_origin(r, &parts[p])))
            return false;
    in->parts = parts;
    return true;
}

static bool read_origins(struct reader *r, struct ir_inst *in)
{
    if (!accept(r, ";")) {
        in->from = ir_origin_of(r->k, 0, -1);
        return true;
    }
    if (!NUMBER(r, in->id) || !read_origin(r, &in->from))
        return false;
    if (accept(r, "parts") && !read_part_origins(r, in))
        return false;
    return !accept(r, "site") || NUMBER(r, in->site);
}

static bool read_instruction(struct reader *r)
{
    struct ir_inst in = {.guard = IR_NOREG, .target = -1, .join = -1, .vec = 1, .block = r->k->nblocks - 1, .site = r->k->form ? -1 : 0};
    int64_t site;
    if (!number(r, 0, INT32_MAX, &site))
        return false;
    if (accept(r, "@")) {
        in.guard_negated = accept(r, "!");
        if (!read_register(r, &in.guard))
            return false;
    }
    if (!read_results(r, &in) || !read_opcode(r, &in) || !read_sources(r, &in) || !read_old(r, &in) || !read_targets(r, &in))
        return false;
    if (accept(r, "{"))
        while (!accept(r, "}"))
            if (!read_attribute(r, &in))
                return false;
    if (!read_origins(r, &in) || !end_line(r))
        return false;
    if (!r->k->nblocks)
        return fail(r, "an instruction before the first block");
    ALLOC_GROW(r->k->insts, r->k->ninsts, r->insts_cap);
    r->k->insts[r->k->ninsts++] = in;
    r->k->blocks[r->k->nblocks - 1].count++;
    return true;
}

static bool read_block(struct reader *r)
{
    struct ir_kernel *k = r->k;
    int32_t b = -1;
    if (!read_block_name(r, &b) || !expect(r, ":"))
        return false;
    if (b != k->nblocks)
        return fail(r, "expected b%d", k->nblocks);
    if (k->nblocks == r->blocks_cap) {
        struct ir_block *more = ARENA_ARRAY(&k->arena, struct ir_block, r->blocks_cap = 2 * r->blocks_cap + 64);
        if (k->nblocks)
            memcpy(more, k->blocks, (size_t)k->nblocks * sizeof *more);
        k->blocks = more;
    }
    k->blocks[k->nblocks++] = (struct ir_block){.first = k->ninsts};
    next_line(r);
    return true;
}

/* --- the whole --- */

static bool check_blocks(struct reader *r)
{
    const struct ir_kernel *k = r->k;
    for (int32_t b = 0; b < k->nblocks; b++)
        if (!k->blocks[b].count)
            return fail(r, "block b%d is empty", b);
    for (int32_t i = 0; i < k->ninsts; i++) {
        const struct ir_inst *in = &k->insts[i];
        const int32_t *to;
        bool ok = in->after_call <= k->nblocks;
        for (int32_t t = ir_targets(in, &to) - 1; t >= 0; t--)
            ok &= to[t] < k->nblocks;
        if (!ok)
            return fail(r, "instruction %d goes to a block that is not there", i);
    }
    return k->nblocks || fail(r, "the kernel has no block");
}

static bool read_kernel(struct reader *r)
{
    if (!read_head(r))
        return false;
    while (*r->at) {
        skip_blanks(r);
        if (*r->at == '#' || *r->at == '\n')
            next_line(r);
        else if (!(*r->at == 'b' ? read_block(r) : read_instruction(r)))
            return false;
    }
    return check_blocks(r);
}

struct ir_kernel *ir_read(const struct ptx_module *m, const char *text, struct diag_list *diags)
{
    struct ir_kernel *k = alloc_zeroed(sizeof *k);
    arena_init(&k->arena);
    k->module = m;
    struct reader r = {.m = m, .k = k, .opcodes = ptx_opcodes_new(&k->arena), .diags = diags, .text = text, .at = text};
    bool ok = read_kernel(&r);
    ptx_opcodes_free(r.opcodes);
    if (ok) {
        ir_analyse(k);
        return k;
    }
    ir_free(k);
    return NULL;
}
