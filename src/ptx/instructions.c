/* One instruction statement: guard, opcode, operands, semicolon.
 *
 * What is not supported is skipped up to its semicolon and kept as PTX_OP_UNKNOWN; the skipping still looks for broken
 * text: brackets that do not match, a missing semicolon, the text's end. */
#include "ptx/parser.h"

#include <stdarg.h>
#include <string.h>

#include "base/alloc.h"
#include "base/strbuf.h"

enum parsed ptx_problem(struct parser *p, const char *fmt, ...)
{
    struct strbuf b;
    va_list ap;
    strbuf_init(&b);
    va_start(ap, fmt);
    strbuf_addv(&b, fmt, ap);
    va_end(ap);
    p->problem = arena_strdup(p->arena, b.s);
    strbuf_release(&b);
    return PARSED_PROBLEM;
}

const char *ptx_opcode_text(struct parser *p)
{
    struct strbuf b;
    strbuf_init(&b);
    for (const struct token *t = p->opcode; t < p->opcode_end && b.len < 100; t++)
        strbuf_adds(&b, ptx_token_text(p, t));
    const char *s = arena_strdup(&p->scratch, b.s);
    strbuf_release(&b);
    return s;
}

/* @p or @!p */
static bool parse_guard(struct parser *p, struct ptx_inst *in)
{
    uint32_t reg;
    if (!ptx_accept(p, '@'))
        return true;
    in->guard_negated = ptx_accept(p, '!');
    const struct token *t = p->tok;
    if (t->kind != TOK_WORD)
        return ptx_unexpected(p, "a predicate register");
    if (!ptx_find_reg(p, t->name, &reg))
        return ptx_error(p, t, "the register '%s' is not declared", t->name->s);
    if (p->body.regs[reg].type != PTX_PRED)
        return ptx_error(p, t, "the guard '%s' is .%s, not .pred", t->name->s,
                         ptx_type_info[p->body.regs[reg].type].spelling);
    in->guard = (int32_t)reg;
    p->tok++;
    if (p->tok->kind != TOK_WORD)
        return ptx_unexpected(p, "an instruction");
    return true;
}

static bool ends_operand(const struct token *t)
{
    return t->kind == TOK_WORD || t->kind == TOK_INT || t->kind == TOK_FLOAT || t->kind == ']' ||
           t->kind == '}' || t->kind == ')' || t->kind == TOK_DOT;
}

/* Over operands that nobody understands, up to the semicolon. */
static bool skip_operands(struct parser *p)
{
    enum { MAX_BRACKETS = 32 };
    char open[MAX_BRACKETS];
    int depth = 0;
    for (const struct token *start = p->tok;; p->tok++) {
        const struct token *t = p->tok;
        bool value = t->kind == TOK_WORD || t->kind == TOK_INT || t->kind == TOK_FLOAT;
        if (t->kind == ';' && depth == 0)
            return true;
        if (value && t > start && ends_operand(&t[-1]))
            return ptx_unexpected(p, "',' or ';'");
        if (t->kind == '(' || t->kind == '[' || t->kind == '{') {
            if (depth == MAX_BRACKETS)
                return ptx_error(p, t, "brackets are nested more than %d deep", MAX_BRACKETS);
            open[depth++] = t->kind == '(' ? ')' : t->kind == '[' ? ']' : '}';
        } else if (t->kind == ')' || t->kind == ']' || t->kind == '}') {
            if (depth == 0 || open[--depth] != t->kind)
                return ptx_unexpected(p, "';'");
        } else if (!value && t->kind != TOK_DOT && (t->kind >= 128 || !t->kind || !strchr(",|!+-*/<>&^~%", t->kind))) {
            char wanted[] = {'\'', depth ? open[depth - 1] : ';', '\'', 0};
            return ptx_unexpected(p, wanted);
        }
    }
}

static void append(struct parser *p, struct ptx_inst *in)
{
    struct body *b = &p->body;
    in->text_len = (int)(p->lx.text + p->tok->at - in->text);
    ALLOC_GROW(b->insts, b->ninsts, b->insts_cap);
    b->insts[b->ninsts++] = *in;
}

/* A `;` must follow; else the module is broken, whatever the operands meant. */
static enum parsed parse_supported(struct parser *p, struct ptx_inst *in)
{
    enum parsed r = ptx_parse_operands(p, in);
    if (r != PARSED_OK)
        return r;
    if (p->tok->kind != ';') {
        ptx_unexpected(p, "',' or ';'");
        return PARSED_ERROR;
    }
    in->operand = ARENA_ARRAY(p->arena, struct ptx_operand, p->noperands);
    in->noperands = (uint8_t)p->noperands;
    memcpy(in->operand, p->operand, (size_t)p->noperands * sizeof *p->operand);
    if (in->op == PTX_OP_BRA)
        ptx_use_label(p, p->operand_at[0], &in->operand[0].label);
    return ptx_check(p, in);
}

bool ptx_parse_instruction(struct parser *p)
{
    struct ptx_inst in = {.guard = -1, .loc = p->loc};
    in.text = p->lx.text + p->tok->at;
    in.line = (int)p->tok->line;
    in.column = ptx_column(&p->lx, p->tok);
    if (!parse_guard(p, &in))
        return false;
    p->problem = NULL;
    p->noperands = 0;
    enum parsed r = ptx_parse_opcode(p, &in);
    const struct token *operands = p->tok;
    if (r == PARSED_OK)
        r = parse_supported(p, &in);
    if (r == PARSED_PROBLEM) {
        p->tok = operands;
        if (!skip_operands(p))
            return false;
        in.op = PTX_OP_UNKNOWN;
        in.mods = (struct ptx_mods){.vec = 1};
        in.noperands = 0;
        in.operand = NULL;
        in.problem = p->problem;
    } else if (r == PARSED_ERROR) {
        return false;
    }
    append(p, &in);
    return ptx_expect(p, ';');
}
