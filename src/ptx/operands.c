/* Operands (PTX ISA 8.4, section 6): registers, constants, addresses, vectors, pairs, calls. */
#include "ptx/parser.h"

#include <string.h>

/* Special registers that the language has and ptx_sregs.def does not (chapter 10). */
static bool known_sreg(const char *s)
{
    static const char *const stem[] = {"%clusterid", "%nclusterid", "%cluster_", "%is_explicit_cluster", "%pm",
                                       "%envreg", "%aggr_smem_size", "%reserved_smem", "%current_graph_exec"};
    for (size_t i = 0; i < sizeof stem / sizeof *stem; i++)
        if (strncmp(s, stem[i], strlen(stem[i])) == 0)
            return true;
    return false;
}

/* %laneid, or %tid and .x */
static enum parsed parse_sreg(struct parser *p, struct ptx_operand *o)
{
    const struct token *t = p->tok, *dot = t[1].kind == TOK_DOT ? &t[1] : NULL;
    const struct ptx_name *n = t->name;
    if (dot) {
        const char *s = arena_printf(&p->scratch, "%s.%s", n->s, dot->name->s);
        n = table_get(&p->lx.names, s);
    }
    if (n && n->sreg >= 0) {
        *o = (struct ptx_operand){.kind = PTX_OPERAND_SREG, .sreg = (uint32_t)n->sreg};
        p->tok += dot ? 2 : 1;
        return PARSED_OK;
    }
    const char *x = arena_printf(&p->scratch, "%s.x", t->name->s);
    const struct ptx_name *first = table_get(&p->lx.names, x);
    if (!dot && first && first->sreg >= 0)
        return ptx_problem(p, "special register '%s' as a vector", t->name->s);
    if (known_sreg(t->name->s))
        return ptx_problem(p, "special register '%s%s'", t->name->s,
                           dot ? arena_printf(&p->scratch, ".%s", dot->name->s) : "");
    ptx_error(p, t, t->name->s[0] == '%' ? "the register '%s' is not declared" : "'%s' is not declared",
              t->name->s);
    return PARSED_ERROR;
}

/* A register declared .v2 or .v4: v.x is a register, v a vector operand. */
static enum parsed parse_vector_register(struct parser *p, const struct symbol *s, struct ptx_operand *o)
{
    const struct token *dot = &p->tok[1];
    if (dot->kind == TOK_DOT && dot->name->len == 1) {
        static const char letters[] = "xyzwrgba";
        const char *at = strchr(letters, dot->name->s[0]);
        uint32_t i = at ? (uint32_t)(at - letters) % 4 : 4;
        if (i >= s->n) {
            ptx_error(p, dot, "'%s' has no element '.%s'", s->name->s, dot->name->s);
            return PARSED_ERROR;
        }
        *o = (struct ptx_operand){.kind = PTX_OPERAND_REG, .reg = s->index + i};
        p->tok += 2;
        return PARSED_OK;
    }
    *o = (struct ptx_operand){.kind = PTX_OPERAND_VECTOR, .n = (uint8_t)s->n,
                              .elem = ARENA_ARRAY(p->arena, struct ptx_operand, s->n)};
    for (uint32_t i = 0; i < s->n; i++)
        o->elem[i] = (struct ptx_operand){.kind = PTX_OPERAND_REG, .reg = s->index + i};
    p->tok++;
    return PARSED_OK;
}

/* Behind a base: +4 or -4, or nothing. */
static enum parsed parse_offset(struct parser *p, int64_t *offset)
{
    const struct token *at = p->tok;
    struct constant c = {0};
    if (at->kind != '+' && at->kind != '-')
        return PARSED_OK;
    p->tok += at->kind == '+';
    if (!ptx_constant(p, false, &c))
        return PARSED_ERROR;
    if (c.is_float) {
        ptx_error(p, at, "a floating constant cannot be an offset");
        return PARSED_ERROR;
    }
    *offset = (int64_t)c.bits;
    return PARSED_OK;
}

static enum parsed parse_name(struct parser *p, struct ptx_operand *o)
{
    const struct token *t = p->tok;
    if (ptx_same_text(t->name, "_")) {
        *o = (struct ptx_operand){.kind = PTX_OPERAND_SINK};
        p->tok++;
        return PARSED_OK;
    }
    const struct symbol *s = ptx_find(p, t->name);
    if (!s)
        return parse_sreg(p, o);
    if (s->problem)
        return ptx_problem(p, "%s", s->problem);
    *o = (struct ptx_operand){.kind = PTX_OPERAND_REG};
    switch ((enum symbol_kind)s->kind) {
    case SYM_REG:
    case SYM_RANGE:
        ptx_find_reg(p, t->name, &o->reg);
        p->tok++;
        return PARSED_OK;
    case SYM_VECTOR:
        return parse_vector_register(p, s, o);
    case SYM_VAR:
        *o = (struct ptx_operand){.kind = PTX_OPERAND_VAR, .var = s->var};
        p->tok++;
        if (p->tok->kind == '[')
            return ptx_problem(p, "the address form '%s[...]'", t->name->s);
        return PARSED_OK;
    case SYM_FUNC:
        *o = (struct ptx_operand){.kind = PTX_OPERAND_FUNC, .func = s->func};
        p->tok++;
        return PARSED_OK;
    case SYM_PROTO:
        *o = (struct ptx_operand){.kind = PTX_OPERAND_PROTO, .proto = s->proto};
        p->tok++;
        return PARSED_OK;
    case SYM_LABEL:
        break;
    }
    ptx_error(p, t, "the label '%s' cannot be an operand here", t->name->s);
    return PARSED_ERROR;
}

static enum parsed parse_constant(struct parser *p, struct ptx_operand *o)
{
    struct constant c;
    if (!ptx_constant(p, false, &c))
        return PARSED_ERROR;
    *o = (struct ptx_operand){.kind = PTX_OPERAND_IMM, .imm = c.bits, .imm_type = c.type};
    return PARSED_OK;
}

static enum parsed parse_vector(struct parser *p, struct ptx_operand *o);

/* The rest of [%rd1, {%f1, %f2}] or [%rd1, %f1]: coordinates behind the texture */
static enum parsed parse_coordinates(struct parser *p, struct ptx_operand *o)
{
    struct ptx_operand at, *elem;
    enum parsed r;
    p->tok++;
    if (p->tok->kind == '{')
        r = parse_vector(p, &at);
    else if (p->tok->kind == TOK_WORD)
        r = parse_name(p, &at);
    else
        return ptx_unexpected(p, "'{'"), PARSED_ERROR;
    if (r != PARSED_OK)
        return r;
    if (p->tok->kind == ',') /* a sampler of its own */
        return ptx_problem(p, "an address of several parts of '%s'", ptx_opcode_text(p));
    int n = at.kind == PTX_OPERAND_VECTOR ? at.n : 1;
    elem = ARENA_ARRAY(p->arena, struct ptx_operand, n + 1);
    elem[0] = *o->elem;
    memcpy(elem + 1, at.kind == PTX_OPERAND_VECTOR ? at.elem : &at, (size_t)n * sizeof *elem);
    o->elem = elem;
    o->n = (uint8_t)(n + 1);
    return ptx_expect(p, ']') ? PARSED_OK : PARSED_ERROR;
}

static bool takes_coordinates(const struct ptx_name *word)
{
    return ptx_same_text(word, "tex") || ptx_same_text(word, "tld4") || ptx_same_text(word, "suld") ||
           ptx_same_text(word, "sust");
}

/* [%rd1+4], [name], [16] */
static enum parsed parse_memory(struct parser *p, struct ptx_operand *o)
{
    const struct token *at = ++p->tok;
    struct ptx_operand base;
    enum parsed r;
    if (ptx_starts_constant(at))
        r = parse_constant(p, &base);
    else if (at->kind == TOK_WORD)
        r = parse_name(p, &base);
    else
        return ptx_unexpected(p, "an address"), PARSED_ERROR;
    if (r != PARSED_OK)
        return r;
    *o = (struct ptx_operand){.kind = PTX_OPERAND_MEM, .n = 1,
                              .elem = ARENA_NEW(p->arena, struct ptx_operand)};
    if (base.kind == PTX_OPERAND_IMM) {
        o->offset = 0;
    } else if ((r = parse_offset(p, &o->offset)) != PARSED_OK) {
        return r;
    }
    *o->elem = base;
    if (p->tok->kind == ',' && takes_coordinates(p->opcode->name) && !o->offset)
        return parse_coordinates(p, o);
    if (p->tok->kind == ',')
        return ptx_problem(p, "an address of several parts of '%s'", ptx_opcode_text(p));
    if (!ptx_expect(p, ']'))
        return PARSED_ERROR;
    if (base.kind == PTX_OPERAND_REG || base.kind == PTX_OPERAND_VAR ||
        (base.kind == PTX_OPERAND_IMM && base.imm_type != PTX_F32 && base.imm_type != PTX_F64))
        return PARSED_OK;
    ptx_error(p, at, "'%s' cannot be an address", ptx_token_text(p, at));
    return PARSED_ERROR;
}

/* {%f1, %f2, _, 1.0} */
static enum parsed parse_vector(struct parser *p, struct ptx_operand *o)
{
    struct ptx_operand elem[MAX_VECTOR];
    uint8_t n = 0;
    p->tok++;
    do {
        const struct token *at = p->tok;
        enum parsed r;
        if (n == MAX_VECTOR)
            return ptx_problem(p, "a vector of more than %d elements of '%s'", MAX_VECTOR,
                               ptx_opcode_text(p));
        if (ptx_starts_constant(at))
            r = parse_constant(p, &elem[n]);
        else if (at->kind == TOK_WORD)
            r = parse_name(p, &elem[n]);
        else
            return ptx_unexpected(p, "a register"), PARSED_ERROR;
        if (r != PARSED_OK)
            return r;
        if (elem[n].kind != PTX_OPERAND_REG && elem[n].kind != PTX_OPERAND_IMM &&
            elem[n].kind != PTX_OPERAND_SINK) {
            ptx_error(p, at, "'%s' cannot be an element of a vector", ptx_token_text(p, at));
            return PARSED_ERROR;
        }
        n++;
    } while (ptx_accept(p, ','));
    if (!ptx_expect(p, '}'))
        return PARSED_ERROR;
    *o = (struct ptx_operand){.kind = PTX_OPERAND_VECTOR, .n = n,
                              .elem = ARENA_ARRAY(p->arena, struct ptx_operand, n)};
    memcpy(o->elem, elem, n * sizeof *elem);
    return PARSED_OK;
}

static enum parsed parse_simple(struct parser *p, struct ptx_operand *o)
{
    const struct token *at = p->tok;
    enum parsed r;
    if (ptx_starts_constant(at))
        return parse_constant(p, o);
    switch (at->kind) {
    case '[':
        return parse_memory(p, o);
    case '{':
        return parse_vector(p, o);
    case '!':
        p->tok++;
        if (p->tok->kind != TOK_WORD)
            return ptx_unexpected(p, "a predicate register"), PARSED_ERROR;
        r = parse_name(p, o);
        o->negated = true;
        return r;
    case TOK_WORD:
        r = parse_name(p, o);
        if (r == PARSED_OK && o->kind == PTX_OPERAND_VAR)
            r = parse_offset(p, &o->offset);
        return r;
    default:
        return ptx_unexpected(p, "an operand"), PARSED_ERROR;
    }
}

/* One operand, or a pair d|p. */
static enum parsed parse_operand(struct parser *p, struct ptx_operand *o)
{
    struct ptx_operand part[2];
    enum parsed r = parse_simple(p, o);
    if (r != PARSED_OK || p->tok->kind != '|')
        return r;
    part[0] = *o;
    p->tok++;
    r = parse_simple(p, &part[1]);
    *o = (struct ptx_operand){.kind = PTX_OPERAND_PAIR, .n = 2,
                              .elem = ARENA_ARRAY(p->arena, struct ptx_operand, 2)};
    memcpy(o->elem, part, sizeof part);
    return r;
}

static enum parsed parse_label(struct parser *p)
{
    if (p->tok->kind != TOK_WORD)
        return ptx_unexpected(p, "a label"), PARSED_ERROR;
    p->operand_at[0] = p->tok++; /* looked up when the scopes around it close */
    p->operand[0] = (struct ptx_operand){.kind = PTX_OPERAND_LABEL};
    p->noperands = 1;
    return PARSED_OK;
}

/* (a, b): a list, at most MAX_ARGUMENTS long */
static enum parsed parse_list(struct parser *p, struct ptx_operand *o)
{
    struct ptx_operand elem[MAX_ARGUMENTS];
    int n = 0;
    p->tok++;
    *o = (struct ptx_operand){.kind = PTX_OPERAND_LIST};
    if (ptx_accept(p, ')'))
        return PARSED_OK;
    do {
        if (n == MAX_ARGUMENTS)
            return ptx_problem(p, "a call with more than %d arguments", MAX_ARGUMENTS);
        enum parsed r = parse_simple(p, &elem[n++]);
        if (r != PARSED_OK)
            return r;
    } while (ptx_accept(p, ','));
    if (!ptx_expect(p, ')'))
        return PARSED_ERROR;
    o->n = (uint8_t)n;
    o->elem = ARENA_ARRAY(p->arena, struct ptx_operand, n);
    memcpy(o->elem, elem, (size_t)n * sizeof *elem);
    return PARSED_OK;
}

/* call (r), f, (a, b), prototype; every part but the callee may be missing. */
static enum parsed parse_call(struct parser *p)
{
    struct ptx_operand *o = p->operand;
    enum parsed r = PARSED_OK;
    o[0] = o[2] = (struct ptx_operand){.kind = PTX_OPERAND_LIST};
    p->operand_at[0] = p->operand_at[1] = p->operand_at[2] = p->operand_at[3] = p->opcode;
    p->noperands = 3;
    if (p->tok->kind == '(') {
        r = parse_list(p, &o[0]);
        if (r == PARSED_OK && !ptx_expect(p, ','))
            r = PARSED_ERROR;
    }
    if (r != PARSED_OK)
        return r;
    const struct token *callee = p->operand_at[1] = p->tok;
    if (callee->kind != TOK_WORD)
        return ptx_unexpected(p, "a function"), PARSED_ERROR;
    if ((r = parse_name(p, &o[1])) != PARSED_OK)
        return r;
    if (o[1].kind != PTX_OPERAND_FUNC && o[1].kind != PTX_OPERAND_REG) {
        ptx_error(p, callee, "'%s' is not a function", ptx_token_text(p, callee));
        return PARSED_ERROR;
    }
    if (p->tok->kind == ',' && p->tok[1].kind == '(') {
        p->operand_at[2] = ++p->tok;
        if ((r = parse_list(p, &o[2])) != PARSED_OK)
            return r;
    }
    if (!ptx_accept(p, ','))
        return PARSED_OK;
    p->noperands = 4;
    const struct token *proto = p->operand_at[3] = p->tok;
    if (proto->kind != TOK_WORD)
        return ptx_unexpected(p, "a prototype"), PARSED_ERROR;
    r = parse_name(p, &o[3]);
    if (r == PARSED_OK && o[3].kind != PTX_OPERAND_PROTO) {
        ptx_error(p, proto, "'%s' is not a prototype", ptx_token_text(p, proto));
        return PARSED_ERROR;
    }
    return r;
}

static enum parsed fail_part(struct parser *p, const struct token *dot)
{
    ptx_error(p, dot, "'.%s' is no part of a word in '%s'", dot->name->s, ptx_opcode_text(p));
    return PARSED_ERROR;
}

/* Behind a register of a video instruction: .b0 .h1, or for pairs and quadruples .h10 .b7654 (9.7.16) */
static enum parsed parse_part(struct parser *p, struct ptx_inst *in, int i)
{
    int parts = ptx_video_parts(in->op), wide = parts == 2 ? 2 : 4;
    const struct token *dot = p->tok;
    const char *s = dot->name->s, letter = parts == 2 ? 'h' : 'b';
    uint32_t *part = &in->mods.part[i], used = 0;
    int digits = (int)strlen(s) - 1;
    for (int k = 1; k <= digits; k++)
        if (s[k] < '0' || s[k] > '7')
            digits = 0;
    *part = 0;
    if (parts == 1 && digits == 1 && ((s[0] == 'b' && s[1] < '4') || (s[0] == 'h' && s[1] < '2'))) {
        *part = (uint32_t)((s[0] == 'b' ? PTX_PART_B0 : PTX_PART_H0) + s[1] - '0');
    } else if (parts > 1 && s[0] == letter && (i ? digits == wide : digits > 0 && digits <= wide)) {
        for (int k = 0, n; k < digits; k++) { /* written from the highest to the lowest */
            n = s[digits - k] - '0';
            if (n >= (i ? 2 * wide : wide) || (!i && n < (int)used))
                return fail_part(p, dot);
            *part |= i ? (uint32_t)n << 4 * k : 1u << n;
            used = (uint32_t)n + 1;
        }
    } else {
        return fail_part(p, dot);
    }
    p->tok++;
    return PARSED_OK;
}

/* One operand of a video instruction: [-]r[.part] */
static enum parsed parse_video_operand(struct parser *p, struct ptx_inst *in, int i, struct ptx_operand *o)
{
    if (in->op == PTX_OP_VMAD && i && i < 4 && p->tok->kind == '-' && p->tok[1].kind == TOK_WORD) {
        in->mods.minus |= (uint8_t)(1u << (i - 1));
        p->tok++;
    }
    enum parsed r = parse_simple(p, o);
    if (r != PARSED_OK || p->tok->kind != TOK_DOT || i > 2)
        return r;
    return parse_part(p, in, i);
}

/* Everything between the opcode and the semicolon, into p->operand. */
enum parsed ptx_parse_operands(struct parser *p, struct ptx_inst *in)
{
    if (in->op == PTX_OP_BRA)
        return parse_label(p);
    if (in->op == PTX_OP_CALL)
        return parse_call(p);
    if (p->tok->kind == ';')
        return PARSED_OK;
    do {
        if (p->noperands == MAX_VECTOR)
            return ptx_unexpected(p, "';'"), PARSED_ERROR;
        p->operand_at[p->noperands] = p->tok;
        int i = p->noperands++;
        enum parsed r = ptx_video_parts(in->op) ? parse_video_operand(p, in, i, &p->operand[i])
                                                : parse_operand(p, &p->operand[i]);
        if (r != PARSED_OK)
            return r;
    } while (ptx_accept(p, ','));
    return PARSED_OK;
}
