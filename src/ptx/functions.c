/* Kernels and functions: their heads and bodies (PTX ISA 8.4, sections 5.4, 7 and 11.2 to 11.4).
 *
 * A body is flat: blocks { } only nest names. What a head asks for and the engine does not have becomes an
 * instruction PTX_OP_UNKNOWN at the start of the body, so that only launching this function fails. */
#include "ptx/parser.h"

#include <string.h>

#include "base/alloc.h"

/* --- heads --- */

struct parameters {
    struct ptx_var **v;
    const struct token **name;
    size_t n, cap, names, names_cap;
    const char *problem;
};

/* ( .param ..., .param ... ) */
static bool parse_parameters(struct parser *p, struct parameters *out)
{
    if (!ptx_expect(p, '('))
        return false;
    if (ptx_accept(p, ')'))
        return true;
    do {
        struct ptx_var *v = ARENA_NEW(p->arena, struct ptx_var);
        const struct token *name;
        if (!ptx_parse_param(p, v, &name, &out->problem))
            return false;
        ALLOC_GROW(out->v, out->n, out->cap);
        ALLOC_GROW(out->name, out->names, out->names_cap);
        out->v[out->n++] = v;
        out->name[out->names++] = name;
    } while (ptx_accept(p, ','));
    return ptx_expect(p, ')');
}

static void parameters_release(struct parameters *l)
{
    alloc_release(l->v);
    alloc_release(l->name);
}

/* Makes the parameters' names known in the body. */
static bool declare_parameters(struct parser *p, struct parameters *l)
{
    for (size_t i = 0; i < l->n; i++) {
        if (ptx_same_text(l->name[i]->name, "_"))
            continue;
        struct symbol *s = ptx_declare(p, l->name[i], SYM_VAR);
        if (!s)
            return false;
        l->v[i]->name = ptx_unique_name(p, l->name[i]->name);
        l->v[i]->owner = p->body.func;
        s->var = l->v[i];
        s->problem = l->problem;
    }
    return true;
}

/* 256 or 16, 16 or 8, 8, 4: missing ones are 1. */
static bool parse_triple(struct parser *p, uint32_t out[3])
{
    int i = 0;
    out[0] = out[1] = out[2] = 1;
    do {
        const struct token *at = p->tok;
        uint64_t n;
        if (i == 3)
            return ptx_error(p, at, "more than three numbers");
        if (!ptx_integer(p, &n))
            return false;
        if (n == 0 || n > UINT32_MAX)
            return ptx_error(p, at, "'%s' is out of range", ptx_token_text(p, at));
        out[i++] = (uint32_t)n;
    } while (ptx_accept(p, ','));
    return true;
}

static bool parse_number(struct parser *p, uint32_t *out)
{
    const struct token *at = p->tok;
    uint64_t n;
    if (!ptx_integer(p, &n))
        return false;
    if (n > UINT32_MAX)
        return ptx_error(p, at, "'%s' is out of range", ptx_token_text(p, at));
    *out = (uint32_t)n;
    return true;
}

/* .pragma "nounroll", whose line is kept; hints that change no value */
bool ptx_parse_pragma(struct parser *p)
{
    static const char nounroll[] = "\"nounroll\"";
    do {
        const struct token *t = p->tok;
        if (t->kind != TOK_STRING)
            return ptx_unexpected(p, "a string");
        if (t->len == sizeof nounroll - 1 && memcmp(p->lx.text + t->at, nounroll, t->len) == 0) {
            ALLOC_GROW(p->rolled, p->nrolled, p->rolled_cap);
            p->rolled[p->nrolled++] = (int)t->line;
        }
        p->tok++;
    } while (ptx_accept(p, ','));
    return ptx_expect(p, ';');
}

/* .maxntid and the like, up to the body or the semicolon. */
static bool parse_directives(struct parser *p, struct ptx_function *f, const char **problem)
{
    uint32_t ignored[3];
    while (p->tok->kind == TOK_DOT) {
        const char *word = p->tok++->name->s;
        bool ok = true;
        if (strcmp(word, "maxntid") == 0)
            ok = parse_triple(p, f->maxntid);
        else if (strcmp(word, "reqntid") == 0)
            ok = parse_triple(p, f->reqntid);
        else if (strcmp(word, "minnctapersm") == 0)
            ok = parse_number(p, &f->minnctapersm);
        else if (strcmp(word, "maxnctapersm") == 0)
            ok = parse_number(p, &f->maxnctapersm);
        else if (strcmp(word, "maxnreg") == 0)
            ok = parse_number(p, &f->maxnreg);
        else if (strcmp(word, "pragma") == 0)
            ok = ptx_parse_pragma(p);
        else if (strcmp(word, "maxclusterrank") == 0 || strcmp(word, "abi_preserve") == 0 ||
                 strcmp(word, "abi_preserve_control") == 0)
            ok = parse_number(p, ignored);
        else if (strcmp(word, "reqnctapercluster") == 0)
            ok = parse_triple(p, ignored), *problem = "directive '.reqnctapercluster'";
        else if (strcmp(word, "explicitcluster") == 0)
            *problem = "directive '.explicitcluster'";
        else if (strcmp(word, "blocksareclusters") == 0)
            *problem = "directive '.blocksareclusters'";
        else if (strcmp(word, "noreturn") != 0)
            return ptx_error(p, p->tok - 1, "unknown directive '.%s'", word);
        if (!ok)
            return false;
    }
    return true;
}

static bool same_parameters(const struct ptx_function *f, const struct parameters *ret,
                            const struct parameters *params)
{
    if ((size_t)f->nparams != params->n || (f->ret != NULL) != (ret->n != 0) ||
        (f->ret && f->ret->size != ret->v[0]->size))
        return false;
    for (size_t i = 0; i < params->n; i++)
        if (f->params[i]->size != params->v[i]->size)
            return false;
    return true;
}

/* The function called `name`, new or declared before. */
static struct symbol *enter(struct parser *p, const struct token *name, bool entry)
{
    struct symbol *s = ptx_find(p, name->name);
    if (s && s->kind == SYM_FUNC) {
        if (s->func->entry == entry)
            return s;
        ptx_error(p, name, "'%s' is declared as .entry and as .func", name->name->s);
        return NULL;
    }
    s = ptx_declare(p, name, SYM_FUNC);
    if (!s)
        return NULL;
    s->func = ARENA_NEW(p->arena, struct ptx_function);
    s->func->name = name->name->s;
    s->func->entry = entry;
    s->func->line = (int)name->line;
    ALLOC_GROW(p->funcs, p->nfuncs, p->funcs_cap);
    p->funcs[p->nfuncs++] = s->func;
    return s;
}

static void set_parameters(struct parser *p, struct ptx_function *f, const struct parameters *ret,
                           const struct parameters *params)
{
    f->ret = ret->n ? ret->v[0] : NULL;
    f->nparams = (int)params->n;
    f->params = ARENA_ARRAY(p->arena, struct ptx_var *, params->n);
    if (params->n)
        memcpy(f->params, params->v, params->n * sizeof *params->v);
}

/* --- bodies --- */

/* NAME: .branchtargets L1, L2; */
static bool parse_branchtargets(struct parser *p, struct ptx_proto *proto)
{
    const struct token *first = p->tok;
    int n = 0;
    do {
        if (p->tok->kind != TOK_WORD)
            return ptx_unexpected(p, "a label");
        p->tok++;
        n++;
    } while (ptx_accept(p, ','));
    proto->labels = ARENA_ARRAY(p->arena, int32_t, n);
    proto->ntargets = n;
    for (int i = 0; i < n; i++)
        ptx_use_label(p, &first[2 * i], &proto->labels[i]);
    return ptx_expect(p, ';');
}

/* NAME: .calltargets f, g; */
static bool parse_calltargets(struct parser *p, struct ptx_proto *proto)
{
    const struct token *first = p->tok;
    int n = 0;
    do {
        if (p->tok->kind != TOK_WORD)
            return ptx_unexpected(p, "a function's name");
        const struct symbol *s = ptx_find(p, p->tok->name);
        if (!s || s->kind != SYM_FUNC)
            return ptx_error(p, p->tok, "the function '%s' is not declared", p->tok->name->s);
        p->tok++;
        n++;
    } while (ptx_accept(p, ','));
    proto->funcs = ARENA_ARRAY(p->arena, const struct ptx_function *, n);
    proto->ntargets = n;
    for (int i = 0; i < n; i++)
        proto->funcs[i] = ptx_find(p, first[2 * i].name)->func;
    return ptx_expect(p, ';');
}

/* NAME: .callprototype (.param .b32 _) _ (.param .b64 _, ...); */
static bool parse_callprototype(struct parser *p, struct ptx_proto *proto, const char **problem)
{
    struct parameters ret = {0}, params = {0};
    bool ok = p->tok->kind != '(' || parse_parameters(p, &ret);
    if (ok && ret.n > 1)
        ret.problem = "functions with several results";
    if (ok && (p->tok->kind != TOK_WORD || !ptx_same_text(p->tok->name, "_")))
        ok = ptx_unexpected(p, "'_'");
    if (ok) {
        p->tok++;
        ok = p->tok->kind != '(' || parse_parameters(p, &params);
    }
    if (ok) {
        struct ptx_var *list = ARENA_ARRAY(p->arena, struct ptx_var, params.n);
        for (size_t i = 0; i < params.n; i++)
            list[i] = *params.v[i];
        proto->ret = ret.n ? ret.v[0] : NULL;
        proto->params = list;
        proto->nparams = (int)params.n;
        *problem = ret.problem ? ret.problem : params.problem;
        while (ptx_accept_dot(p, "noreturn"))
            ;
        ok = ptx_expect(p, ';');
    }
    parameters_release(&ret);
    parameters_release(&params);
    return ok;
}

static bool parse_label(struct parser *p)
{
    const struct token *name = p->tok;
    p->tok += 2;
    bool branch = ptx_at_dot(p, "branchtargets"), call = ptx_at_dot(p, "calltargets");
    if (!branch && !call && !ptx_at_dot(p, "callprototype"))
        return ptx_declare_label(p, name);
    p->tok++;
    struct symbol *s = ptx_declare(p, name, SYM_PROTO);
    if (!s)
        return false;
    s->proto = ARENA_NEW(p->arena, struct ptx_proto);
    s->proto->name = ptx_unique_name(p, name->name);
    if (branch)
        return parse_branchtargets(p, s->proto);
    if (call)
        return parse_calltargets(p, s->proto);
    return parse_callprototype(p, s->proto, &s->problem);
}

static bool parse_body_directive(struct parser *p)
{
    const struct token *at = p->tok;
    enum ptx_space space = ptx_space_of(at);
    if (ptx_accept_dot(p, "loc"))
        return ptx_parse_loc(p);
    if (ptx_accept_dot(p, "reg"))
        return ptx_parse_regs(p);
    if (ptx_accept_dot(p, "pragma"))
        return ptx_parse_pragma(p);
    if (ptx_accept_dot(p, "file"))
        return ptx_parse_file(p);
    if (ptx_accept_dot(p, "section"))
        return ptx_parse_section(p);
    if (space) {
        p->tok++;
        return ptx_parse_var(p, space, PTX_LINK_STATIC);
    }
    return ptx_error(p, at, "unknown directive '.%s'", at->name->s);
}

static bool parse_statement(struct parser *p)
{
    switch (p->tok->kind) {
    case '{':
        if (p->depth == MAX_DEPTH) {
            ptx_error(p, p->tok, "blocks are nested more than %d deep", MAX_DEPTH);
            p->stop = true;
            return false;
        }
        ptx_scope_open(p);
        p->tok++;
        return true;
    case '}':
        p->tok++;
        ptx_scope_close(p);
        return true;
    case ';':
        p->tok++;
        return true;
    case TOK_DOT:
        return parse_body_directive(p);
    case TOK_WORD:
        if (p->tok[1].kind == ':')
            return parse_label(p);
        break;
    case '@':
        break;
    default:
        return ptx_unexpected(p, "an instruction");
    }
    return ptx_parse_instruction(p);
}

/* From behind the opening brace, which is scope 1, to behind the closing one. */
static void parse_body(struct parser *p)
{
    while (p->depth > 0 && !p->stop) {
        if (p->tok->kind == TOK_END) {
            ptx_error(p, p->tok, "the text ends inside '%s': a '}' is missing",
                      p->body.func->name);
            p->stop = true;
        } else if (!parse_statement(p)) {
            ptx_skip_statement(p);
        }
    }
}

static void body_start(struct parser *p, struct ptx_function *f)
{
    uint32_t serial = p->body.serial + 1;
    memset(&p->body, 0, sizeof p->body);
    p->body.func = f;
    p->body.serial = serial;
    table_init(&p->body.locs);
    table_init(&p->body.last);
}

/* An instruction that cannot be launched, for what the head asks. */
static void add_problem(struct parser *p, const struct token *name, const char *problem)
{
    struct body *b = &p->body;
    ALLOC_GROW(b->insts, b->ninsts, b->insts_cap);
    b->insts[b->ninsts++] = (struct ptx_inst){.op = PTX_OP_UNKNOWN, .guard = -1, .problem = problem,
                                              .line = (int)name->line, .column = 1,
                                              .text = p->lx.text + name->at,
                                              .text_len = (int)name->len};
}

#define COPY(to, count, from, n, type)                                                             \
    do {                                                                                           \
        (to) = ARENA_ARRAY(p->arena, type, (n));                                                   \
        (count) = (int)(n);                                                                        \
        if (n)                                                                                     \
            memcpy((to), (from), (n) * sizeof *(from));                                            \
    } while (0)

/* Moves the body into the arena, and drops the growing arrays. */
static void body_finish(struct parser *p)
{
    struct body *b = &p->body;
    struct ptx_function *f = b->func;
    while (p->depth > 0)
        ptx_scope_close(p); /* after an error */
    if (b->present) {
        COPY(f->insts, f->ninsts, b->insts, b->ninsts, struct ptx_inst);
        COPY(f->regs, f->nregs, b->regs, b->nregs, struct ptx_reg);
        COPY(f->labels, f->nlabels, b->labels, b->nlabels, struct ptx_label);
        COPY(f->vars, f->nvars, b->vars, b->nvars, struct ptx_var *);
    }
    alloc_release(b->insts);
    alloc_release(b->regs);
    alloc_release(b->labels);
    alloc_release(b->vars);
    table_release(&b->locs);
    table_release(&b->last);
    b->func = NULL;
}
#undef COPY

/* The head behind its name, and the body. The scope 1 is open. */
static bool parse_rest(struct parser *p, struct symbol *sym, const struct token *name,
                       struct parameters *ret, struct parameters *params)
{
    struct ptx_function *f = sym->func;
    const char *problem = NULL;
    if (p->tok->kind == '(' && !parse_parameters(p, params))
        return false;
    if (ret->n > 1)
        ret->problem = "functions with several results";
    problem = ret->problem ? ret->problem : params->problem;
    sym->problem = problem;
    bool known = f->params != NULL;
    if (known && !problem && !same_parameters(f, ret, params))
        return ptx_error(p, name, "'%s' was declared with other parameters in line %d", f->name,
                         f->line);
    if (!parse_directives(p, f, &problem))
        return false;
    bool body = p->tok->kind == '{';
    if (!body && !ptx_accept(p, ';'))
        return ptx_unexpected(p, "'{' or ';'");
    if (body && f->defined)
        return ptx_error(p, name, "'%s' is defined twice", f->name);
    if (f->defined)
        return true;
    set_parameters(p, f, ret, params);
    if (!body)
        return true;
    f->defined = true;
    f->line = (int)name->line;
    p->body.present = true;
    const struct token *open = p->tok++;
    if (problem)
        add_problem(p, name, problem);
    if (!declare_parameters(p, ret) || !declare_parameters(p, params)) {
        p->tok = open; /* the module goes on behind the body */
        return false;
    }
    parse_body(p);
    return true;
}

bool ptx_parse_function(struct parser *p, bool entry, enum ptx_linkage linkage)
{
    struct parameters ret = {0}, params = {0};
    bool ok = true;
    if (!entry && p->tok->kind == '(')
        ok = parse_parameters(p, &ret);
    const struct token *name = p->tok;
    if (ok && name->kind != TOK_WORD)
        ok = ptx_unexpected(p, "the function's name");
    struct symbol *s = ok ? enter(p, name, entry) : NULL;
    if (s) {
        p->tok++;
        body_start(p, s->func);
        ptx_scope_open(p);
        if (linkage != PTX_LINK_EXTERN || !s->func->defined)
            s->func->linkage = (uint8_t)linkage;
        ok = parse_rest(p, s, name, &ret, &params);
        body_finish(p);
    }
    parameters_release(&ret);
    parameters_release(&params);
    return ok && s;
}

/* .alias f, g; : the declared function f is g (PTX ISA 8.4, 11.6). */
bool ptx_parse_alias(struct parser *p)
{
    struct symbol *s[2];
    for (int i = 0; i < 2; i++) {
        const struct token *t = p->tok;
        if (t->kind != TOK_WORD)
            return ptx_unexpected(p, "a function's name");
        s[i] = ptx_find(p, t->name);
        if (!s[i] || s[i]->kind != SYM_FUNC || s[i]->func->entry || s[i]->func->defined != (i == 1))
            return ptx_error(p, t, "'%s' must be a %s .func here", t->name->s,
                             i ? "defined" : "declared, not defined");
        p->tok++;
        if (i == 0 && !ptx_expect(p, ','))
            return false;
    }
    const char *name = s[0]->func->name;
    uint8_t linkage = s[0]->func->linkage;
    *s[0]->func = *s[1]->func;
    s[0]->func->name = name;
    s[0]->func->linkage = linkage;
    s[0]->problem = s[1]->problem;
    return ptx_expect(p, ';');
}
