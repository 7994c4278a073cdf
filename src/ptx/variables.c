/* Variables, parameters and registers (PTX ISA 8.4, sections 5.1 to 5.4).
 *
 *   .visible .global .align 4 .b8 table[16] = {1, 2, 3};
 *   .param .u64 .ptr .global .align 4 name
 *   .reg .b32 %r<47>, x; */
#include "ptx/parser.h"

#include <string.h>

#include "base/alloc.h"

enum { MAX_ALIGN = 1 << 16 };
static const uint64_t MAX_SIZE = UINT64_C(1) << 40; /* bytes of a variable */

enum ptx_space ptx_space_of(const struct token *t)
{
    static const struct {
        const char *word;
        enum ptx_space space;
    } list[] = {{"global", PTX_GLOBAL}, {"shared", PTX_SHARED}, {"shared::cta", PTX_SHARED},
                {"local", PTX_LOCAL},   {"const", PTX_CONST},   {"param", PTX_PARAM}};
    for (size_t i = 0; t->kind == TOK_DOT && i < sizeof list / sizeof *list; i++)
        if (ptx_same_text(t->name, list[i].word))
            return list[i].space;
    return PTX_GENERIC;
}

bool ptx_parse_type(struct parser *p, enum ptx_type *type)
{
    if (p->tok->kind != TOK_DOT || !p->tok->name->type)
        return ptx_unexpected(p, "a type");
    *type = (enum ptx_type)p->tok->name->type;
    p->tok++;
    return true;
}

static bool parse_align(struct parser *p, uint32_t *align)
{
    const struct token *at = p->tok;
    uint64_t n;
    if (!ptx_integer(p, &n))
        return false;
    if (n == 0 || n > MAX_ALIGN || (n & (n - 1)))
        return ptx_error(p, at, "the alignment %llu is not a power of two up to %d",
                         (unsigned long long)n, MAX_ALIGN);
    *align = (uint32_t)n;
    return true;
}

/* .attribute(.managed) */
static bool parse_attribute(struct parser *p, struct ptx_var *v)
{
    if (!ptx_expect(p, '('))
        return false;
    if (!ptx_accept_dot(p, "managed"))
        return ptx_unexpected(p, "'.managed', the only attribute that is supported,");
    v->managed = true;
    return ptx_expect(p, ')');
}

static bool opaque_type(const struct parser *p)
{
    return ptx_at_dot(p, "texref") || ptx_at_dot(p, "samplerref") || ptx_at_dot(p, "surfref");
}

/* What stands between the space and the name: .align 8, .v2, the type, .ptr .global .align 4. */
static bool parse_type_words(struct parser *p, struct ptx_var *v, const char **problem)
{
    v->vec = 1;
    for (;;) {
        if (ptx_accept_dot(p, "align")) {
            if (!parse_align(p, &v->align))
                return false;
        } else if (ptx_accept_dot(p, "attribute")) {
            if (!parse_attribute(p, v))
                return false;
        } else if (ptx_at_dot(p, "v2") || ptx_at_dot(p, "v4")) {
            v->vec = (uint8_t)(p->tok->name->s[1] - '0');
            p->tok++;
        } else if (ptx_accept_dot(p, "ptr")) {
            uint32_t pointee;
            if (ptx_space_of(p->tok))
                p->tok++;
            if (ptx_accept_dot(p, "align") && !parse_align(p, &pointee))
                return false;
        } else if ((ptx_at_dot(p, "texref") || ptx_at_dot(p, "surfref")) && v->space == PTX_GLOBAL) {
            /* the handle of what it is bound to */
            v->type = PTX_B64;
            p->tok++;
        } else if (opaque_type(p)) {
            *problem = arena_printf(p->arena, "type '.%s'", p->tok->name->s);
            v->type = PTX_B64;
            p->tok++;
        } else if (p->tok->kind == TOK_DOT && p->tok->name->type && !v->type) {
            v->type = (uint8_t)p->tok->name->type;
            p->tok++;
        } else {
            break;
        }
    }
    if (!v->type)
        return ptx_unexpected(p, "a type");
    if (v->type == PTX_PRED)
        return ptx_error(p, p->tok, "a variable cannot have the type .pred");
    return true;
}

struct dimensions {
    uint64_t n[MAX_DIMENSIONS + 1]; /* elements; the last one: of the vector type */
    int count;
    bool open; /* the first is [] */
};

static bool parse_dimensions(struct parser *p, struct dimensions *d)
{
    while (p->tok->kind == '[') {
        const struct token *at = p->tok++;
        uint64_t n = 0;
        if (d->count == MAX_DIMENSIONS)
            return ptx_error(p, at, "more than %d dimensions", MAX_DIMENSIONS);
        if (p->tok->kind == ']' && d->count == 0) {
            d->open = true;
        } else {
            struct constant c;
            if (!ptx_constant(p, true, &c))
                return false;
            if (c.is_float || c.bits == 0 || c.bits > MAX_SIZE)
                return ptx_error(p, at + 1, "the size of an array must be at least 1 and at most 2^40");
            n = c.bits;
        }
        if (!ptx_expect(p, ']'))
            return false;
        d->n[d->count++] = n;
    }
    return true;
}

static bool set_size(struct parser *p, const struct token *at, struct ptx_var *v,
                     const struct dimensions *d)
{
    uint64_t bytes = (uint64_t)ptx_type_info[v->type].bits / 8 * v->vec;
    if (!v->align)
        v->align = (uint32_t)bytes;
    for (int i = 0; i < d->count; i++) {
        if (d->n[i] && bytes > MAX_SIZE / d->n[i])
            return ptx_error(p, at, "'%s' is larger than 2^40 bytes", at->name->s);
        bytes *= d->n[i];
    }
    v->size = bytes;
    return true;
}

/* --- initialisers --- */

struct init {
    struct ptx_var *var;
    const struct dimensions *d;
    uint8_t *bytes;
    struct ptx_reloc *relocs;
    size_t nrelocs, cap;
};

static void store(struct init *in, uint64_t at, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        in->bytes[at + i] = (uint8_t)(value >> 8 * i);
}

/* sym, sym+4, generic(sym)+4: fills the target and the addend. */
static bool parse_address(struct parser *p, struct ptx_reloc *r)
{
    bool generic = p->tok->kind == TOK_WORD && ptx_same_text(p->tok->name, "generic") &&
                   p->tok[1].kind == '(';
    struct constant c = {0};
    if (generic)
        p->tok += 2;
    const struct token *at = p->tok;
    if (at->kind != TOK_WORD)
        return ptx_unexpected(p, "a constant or a name");
    const struct symbol *s = ptx_find(p, at->name);
    if (!s || (s->kind != SYM_VAR && s->kind != SYM_FUNC))
        return ptx_error(p, at, "'%s' is not declared", at->name->s);
    p->tok++;
    if (generic && !ptx_expect(p, ')'))
        return false;
    if ((p->tok->kind == '+' || p->tok->kind == '-') && !ptx_constant(p, true, &c))
        return false;
    if (c.is_float)
        return ptx_error(p, at, "a floating constant cannot be added to an address");
    r->generic = generic;
    r->var = s->kind == SYM_VAR ? s->var : NULL;
    r->func = s->kind == SYM_FUNC ? s->func : NULL;
    r->addend = (int64_t)c.bits;
    return true;
}

static struct ptx_reloc *add_reloc(struct init *in, const struct ptx_reloc *r)
{
    ALLOC_GROW(in->relocs, in->nrelocs, in->cap);
    in->relocs[in->nrelocs] = *r;
    return &in->relocs[in->nrelocs++];
}

/* 0xFF00(generic(sym)): byte 1 of the address; a pointer in a .b8 array is eight of these in a row. */
static bool parse_masked_address(struct parser *p, struct init *in, uint64_t at)
{
    const struct token *start = p->tok;
    struct ptx_reloc r = {.at = at, .bytes = 1};
    uint64_t mask;
    int byte = 0;
    if (!ptx_integer(p, &mask) || !ptx_expect(p, '(') || !parse_address(p, &r) ||
        !ptx_expect(p, ')'))
        return false;
    while (byte < 8 && mask != UINT64_C(0xff) << 8 * byte)
        byte++;
    if (byte == 8 || ptx_type_info[in->var->type].bits != 8)
        return ptx_error(p, start, "'%s' picks no single byte for an element of one byte",
                         ptx_token_text(p, start));
    if (byte == 0)
        return add_reloc(in, &r);
    struct ptx_reloc *last = in->nrelocs ? &in->relocs[in->nrelocs - 1] : NULL;
    if (!last || last->bytes != byte || last->at + (unsigned)byte != at || last->var != r.var ||
        last->func != r.func || last->addend != r.addend)
        return ptx_error(p, start, "byte %d of an address without the one before it", byte);
    last->bytes++;
    return true;
}

static bool parse_number(struct parser *p, struct init *in, uint64_t at)
{
    const struct token *start = p->tok;
    unsigned bits = (unsigned)ptx_type_info[in->var->type].bits;
    struct constant c;
    uint64_t value;
    if (!ptx_constant(p, true, &c))
        return false;
    value = c.bits;
    if (ptx_type_info[in->var->type].kind == 'F') {
        struct constant f = c;
        if (!c.is_float) {
            double d = c.type == PTX_S64 ? (double)(int64_t)c.bits : (double)c.bits;
            f = (struct constant){.is_float = true, .type = PTX_F64};
            memcpy(&f.bits, &d, sizeof d);
        }
        ptx_convert_float(&f, in->var->type, &value);
    } else if (c.is_float && ptx_type_info[c.type].bits != (int)bits) {
        return ptx_error(p, start, "'%s' does not fit into an element of type .%s",
                         ptx_token_text(p, start), ptx_type_info[in->var->type].spelling);
    } else if (bits < 64 && value >> bits && (c.type != PTX_S64 || (int64_t)value >> (bits - 1) != -1)) {
        return ptx_error(p, start, "the value does not fit into an element of type .%s",
                         ptx_type_info[in->var->type].spelling);
    }
    store(in, at, value, bits < 64 ? bits / 8 : 8);
    return true;
}

static bool parse_element(struct parser *p, struct init *in, uint64_t at)
{
    unsigned bits = (unsigned)ptx_type_info[in->var->type].bits;
    if (p->tok->kind == TOK_INT && p->tok[1].kind == '(')
        return parse_masked_address(p, in, at);
    if (ptx_starts_constant(p->tok))
        return parse_number(p, in, at);
    const struct token *start = p->tok;
    struct ptx_reloc r = {.at = at, .bytes = (uint8_t)(bits / 8)};
    if (!parse_address(p, &r))
        return false;
    if (bits != 32 && bits != 64)
        return ptx_error(p, start, "an address does not fit into an element of type .%s",
                         ptx_type_info[in->var->type].spelling);
    add_reloc(in, &r);
    return true;
}

/* The elements of dimension `level`, from byte `at` on; `bytes` is the size of this part. */
static bool parse_elements(struct parser *p, struct init *in, int level, uint64_t at, uint64_t bytes)
{
    if (level == in->d->count) {
        if (p->tok->kind == '{')
            return ptx_unexpected(p, "a single value");
        return parse_element(p, in, at);
    }
    if (!ptx_expect(p, '{'))
        return false;
    if (ptx_accept(p, '}'))
        return true;
    uint64_t step = bytes / in->d->n[level], i = 0;
    do {
        if (i == in->d->n[level])
            return ptx_error(p, p->tok, "more than %llu values for '%s'",
                             (unsigned long long)in->d->n[level], in->var->name);
        if (!parse_elements(p, in, level + 1, at + i++ * step, step))
            return false;
    } while (ptx_accept(p, ','));
    return ptx_expect(p, '}');
}

/* How many values stand in the braces at the current token. */
static uint64_t count_values(const struct parser *p)
{
    const struct token *t = p->tok;
    uint64_t n = 1;
    int depth = 0;
    if (t->kind != '{' || t[1].kind == '}')
        return 0;
    for (; t->kind != TOK_END; t++) {
        depth += (t->kind == '{' || t->kind == '(') - (t->kind == '}' || t->kind == ')');
        if (depth == 0)
            break;
        n += t->kind == ',' && depth == 1;
    }
    return n;
}

static bool check_relocs(struct parser *p, const struct token *at, const struct init *in)
{
    for (size_t i = 0; i < in->nrelocs; i++)
        if (in->relocs[i].bytes != 4 && in->relocs[i].bytes != 8)
            return ptx_error(p, at, "only %d of 8 bytes of an address are in this initialiser",
                             in->relocs[i].bytes);
    return true;
}

static bool parse_init(struct parser *p, const struct token *name, struct ptx_var *v,
                       struct dimensions *d)
{
    const struct token *at = p->tok;
    struct init in = {.var = v, .d = d};
    if (v->space != PTX_GLOBAL && v->space != PTX_CONST)
        return ptx_error(p, at, "only .global and .const variables have initial values");
    if (v->linkage == PTX_LINK_EXTERN)
        return ptx_error(p, at, "'%s' is .extern and cannot have a value here", v->name);
    if (d->open)
        d->n[0] = count_values(p);
    if (d->open && !d->n[0])
        return ptx_error(p, name, "the size of '%s' is not given", v->name);
    if (!set_size(p, name, v, d))
        return false;
    if (v->size > MAX_INIT - p->init_bytes)
        return ptx_error(p, at, "initial values of more than %d bytes", MAX_INIT);
    p->init_bytes += v->size;
    in.bytes = arena_alloc(p->arena, v->size);
    if (v->vec > 1)
        d->n[d->count++] = v->vec;
    bool ok = parse_elements(p, &in, 0, 0, v->size) && check_relocs(p, at, &in);
    if (ok) {
        v->init = in.bytes;
        v->nrelocs = (int)in.nrelocs;
        v->reloc = ARENA_ARRAY(p->arena, struct ptx_reloc, in.nrelocs);
        if (in.nrelocs)
            memcpy(v->reloc, in.relocs, in.nrelocs * sizeof *in.relocs);
    }
    alloc_release(in.relocs);
    return ok;
}

/* --- declarations --- */

/* Enters the variable, or fills the one that an .extern declaration made. */
static struct ptx_var *enter(struct parser *p, const struct token *name, const struct ptx_var *like)
{
    struct symbol *old = ptx_find(p, name->name);
    if (p->depth == 0 && old && old->kind == SYM_VAR && old->var && !old->problem &&
        (old->var->linkage == PTX_LINK_EXTERN || like->linkage == PTX_LINK_EXTERN)) {
        if (old->var->space != like->space || old->var->type != like->type) {
            ptx_error(p, name, "'%s' was declared in another way in line %d", name->name->s,
                      old->var->line);
            return NULL;
        }
        if (old->var->linkage == PTX_LINK_EXTERN) {
            const char *kept = old->var->name;
            *old->var = *like;
            old->var->name = kept;
        }
        return old->var;
    }
    struct symbol *s = ptx_declare(p, name, SYM_VAR);
    if (!s)
        return NULL;
    struct ptx_var *v = ARENA_NEW(p->arena, struct ptx_var);
    *v = *like;
    v->owner = p->body.func;
    v->name = p->depth ? ptx_unique_name(p, name->name) : name->name->s;
    s->var = v;
    if (p->depth) {
        ALLOC_GROW(p->body.vars, p->body.nvars, p->body.vars_cap);
        p->body.vars[p->body.nvars++] = v;
    } else {
        ALLOC_GROW(p->vars, p->nvars, p->vars_cap);
        p->vars[p->nvars++] = v;
    }
    return v;
}

/* One name of a declaration, with its dimensions and value. */
static bool parse_declarator(struct parser *p, const struct ptx_var *like, const char *problem)
{
    const struct token *name = p->tok;
    struct dimensions d = {.count = 0};
    struct ptx_var v = *like;
    if (name->kind != TOK_WORD)
        return ptx_unexpected(p, "a name");
    p->tok++;
    v.line = (int)name->line;
    v.name = name->name->s;
    if (!parse_dimensions(p, &d) || !set_size(p, name, &v, &d))
        return false;
    bool init = p->tok->kind == '=';
    if (d.open && !init && v.linkage != PTX_LINK_EXTERN)
        return ptx_error(p, name, "the size of '%s' is not given: only an .extern array may have []",
                         v.name);
    v.unsized = d.open && !init;
    if (v.unsized)
        v.size = 0;
    if (problem) {
        struct symbol *s = ptx_declare(p, name, SYM_VAR);
        if (s)
            s->problem = problem;
        return s && (!init || ptx_error(p, p->tok, "this initialiser is not supported"));
    }
    struct ptx_var *entered = enter(p, name, &v);
    if (!entered || !init)
        return entered;
    p->tok++;
    return parse_init(p, name, entered, &d);
}

/* Behind .global, .shared ...: up to the semicolon. */
bool ptx_parse_var(struct parser *p, enum ptx_space space, enum ptx_linkage linkage)
{
    struct ptx_var v = {.space = (uint8_t)space, .linkage = (uint8_t)linkage};
    const char *problem = NULL;
    if (!parse_type_words(p, &v, &problem))
        return false;
    do {
        if (!parse_declarator(p, &v, problem))
            return false;
    } while (ptx_accept(p, ','));
    return ptx_expect(p, ';');
}

/* One formal parameter, from .param on. *name is its token, which may be `_`. */
bool ptx_parse_param(struct parser *p, struct ptx_var *v, const struct token **name,
                     const char **problem)
{
    struct dimensions d = {.count = 0};
    *v = (struct ptx_var){.space = PTX_PARAM};
    if (ptx_accept_dot(p, "reg"))
        *problem = "parameters in registers (.reg)";
    else if (!ptx_accept_dot(p, "param"))
        return ptx_unexpected(p, "'.param'");
    if (!parse_type_words(p, v, problem))
        return false;
    if (p->tok->kind != TOK_WORD)
        return ptx_unexpected(p, "a name");
    *name = p->tok++;
    v->name = (*name)->name->s;
    v->line = (int)(*name)->line;
    if (!parse_dimensions(p, &d) || !set_size(p, *name, v, &d))
        return false;
    v->unsized = d.open;
    if (d.open)
        v->size = 0;
    return true;
}

/* Behind .reg: .b32 %r<47>, x; */
bool ptx_parse_regs(struct parser *p)
{
    enum ptx_type type = PTX_NOTYPE;
    int vec = 1;
    if (ptx_at_dot(p, "v2") || ptx_at_dot(p, "v4")) {
        vec = p->tok->name->s[1] - '0';
        p->tok++;
    }
    if (!ptx_parse_type(p, &type))
        return false;
    do {
        const struct token *name = p->tok;
        uint64_t n = 0;
        if (name->kind != TOK_WORD)
            return ptx_unexpected(p, "a register's name");
        p->tok++;
        if (ptx_accept(p, '<')) {
            const struct token *at = p->tok;
            if (!ptx_integer(p, &n) || !ptx_expect(p, '>'))
                return false;
            if (n == 0 || vec > 1)
                return ptx_error(p, at, vec > 1 ? "ranges of vector registers are not supported"
                                                : "a range of 0 registers");
        }
        if (!ptx_declare_regs(p, name, type, vec, n))
            return false;
    } while (ptx_accept(p, ','));
    return ptx_expect(p, ';');
}
