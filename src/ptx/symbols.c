/* Scopes and the names declared in them (PTX ISA 8.4, section 4.3 and 7).
 *
 * Every name carries a stack of its declarations, innermost first, so that looking up is following a pointer and
 * closing a scope is popping what was declared in it. A range of registers (%r<47>) is one declaration; its registers
 * come into being when they are used. Labels may be used before they stand: a use waits in its scope and moves
 * outwards as long as a closing scope does not have the label. */
#include "ptx/parser.h"

#include <string.h>

#include "base/alloc.h"

void ptx_scope_open(struct parser *p)
{
    p->scopes[++p->depth] = (struct scope){.open = p->tok};
}

/* Labels that no scope of the function has, in the order of their uses. */
static void report_labels(struct parser *p, struct label_use *list)
{
    const struct ptx_loc *here = p->loc;
    const struct token *last = NULL;
    for (int n = 0; n < MAX_ERRORS; n++) {
        struct label_use *first = NULL;
        for (struct label_use *u = list; u; u = u->next)
            if ((!last || u->tok > last) && (!first || u->tok < first->tok))
                first = u;
        if (!first)
            break;
        p->loc = first->loc;
        ptx_error(p, first->tok, "the label '%s' does not exist in this function", first->name->s);
        last = first->tok;
    }
    p->loc = here;
}

static void resolve_labels(struct parser *p)
{
    struct label_use *left = NULL;
    for (struct label_use *u = p->scopes[p->depth].uses, *next; u; u = next) {
        next = u->next;
        struct symbol *sym = u->name->symbol;
        if (sym && sym->kind == SYM_LABEL && sym->depth == p->depth) {
            *u->where = (int32_t)sym->index;
        } else if (p->depth > 1) {
            u->next = p->scopes[p->depth - 1].uses;
            p->scopes[p->depth - 1].uses = u;
        } else {
            u->next = left;
            left = u;
        }
    }
    report_labels(p, left);
}

void ptx_scope_close(struct parser *p)
{
    resolve_labels(p);
    for (struct symbol *s = p->scopes[p->depth].symbols; s; s = s->next) {
        if (s->kind == SYM_RANGE)
            s->name->range = s->outer;
        else
            s->name->symbol = s->outer;
    }
    p->depth--;
}

static struct symbol *push(struct parser *p, struct ptx_name *n, enum symbol_kind kind)
{
    struct symbol *s = ARENA_NEW(&p->scratch, struct symbol);
    struct symbol **stack = kind == SYM_RANGE ? &n->range : &n->symbol;
    s->kind = (uint8_t)kind;
    s->depth = (uint16_t)p->depth;
    s->name = n;
    s->outer = *stack;
    *stack = s;
    s->next = p->scopes[p->depth].symbols;
    p->scopes[p->depth].symbols = s;
    return s;
}

/* %r12 -> %r and 12; no leading zeros, at most 7 digits. */
static struct ptx_name *stem_of(struct parser *p, struct ptx_name *n)
{
    if (n->split)
        return n->stem;
    n->split = true;
    uint32_t i = n->len, number = 0;
    while (i > 0 && n->s[i - 1] >= '0' && n->s[i - 1] <= '9')
        i--;
    if (i == 0 || i == n->len || n->len - i > 7 || (n->s[i] == '0' && n->len - i > 1))
        return NULL;
    for (uint32_t k = i; k < n->len; k++)
        number = number * 10 + (uint32_t)(n->s[k] - '0');
    n->number = number;
    n->stem = ptx_name(&p->lx, n->s, i);
    return n->stem;
}

/* The range that holds the register `n`, or NULL. */
static struct symbol *range_of(struct parser *p, struct ptx_name *n)
{
    struct ptx_name *stem = stem_of(p, n);
    struct symbol *r = stem ? stem->range : NULL;
    while (r && r->n <= n->number)
        r = r->outer;
    return r;
}

struct symbol *ptx_declare(struct parser *p, const struct token *t, enum symbol_kind kind)
{
    struct ptx_name *n = t->name;
    struct symbol *old = kind == SYM_RANGE ? n->range : n->symbol;
    struct symbol *range = kind == SYM_RANGE ? NULL : range_of(p, n);
    if ((old && old->depth == p->depth) || (range && range->depth == p->depth)) {
        ptx_error(p, t, "'%s' is declared twice", n->s);
        return NULL;
    }
    return push(p, n, kind);
}

struct symbol *ptx_find(struct parser *p, struct ptx_name *n)
{
    struct symbol *range = range_of(p, n);
    if (range && (!n->symbol || range->depth > n->symbol->depth))
        return range;
    return n->symbol;
}

const char *ptx_unique_name(struct parser *p, struct ptx_name *n)
{
    if (n->used_in != p->body.serial) {
        n->used_in = p->body.serial;
        n->copies = 0;
        return n->s;
    }
    return arena_printf(p->arena, "%s$%u", n->s, ++n->copies);
}

static uint32_t new_reg(struct parser *p, const char *name, uint8_t type)
{
    struct body *b = &p->body;
    ALLOC_GROW(b->regs, b->nregs, b->regs_cap);
    b->regs[b->nregs] = (struct ptx_reg){.name = name, .type = type};
    return (uint32_t)b->nregs++;
}

/* .reg TYPE name; name<n>; .v2 .v4: registers name.x to name.w. n = 0: no range. */
bool ptx_declare_regs(struct parser *p, const struct token *t, enum ptx_type type, int vec,
                      uint64_t n)
{
    uint64_t more = n ? n : (uint64_t)vec;
    if (more > MAX_REGS - p->body.declared)
        return ptx_error(p, t, "more than %d registers in one function", MAX_REGS);
    p->body.declared += (uint32_t)more;
    struct symbol *s = ptx_declare(p, t, n ? SYM_RANGE : vec > 1 ? SYM_VECTOR : SYM_REG);
    if (!s)
        return false;
    s->type = (uint8_t)type;
    s->n = n ? (uint32_t)n : (uint32_t)vec;
    if (n)
        return true;
    const char *name = ptx_unique_name(p, t->name);
    s->index = (uint32_t)p->body.nregs;
    for (int i = 0; i < vec; i++)
        new_reg(p, vec > 1 ? arena_printf(p->arena, "%s$%c", name, "xyzw"[i]) : name, s->type);
    return true;
}

static uint32_t *range_slot(struct parser *p, struct symbol *s, uint32_t number)
{
    enum { PAGE = 1024 };
    if (!s->regs)
        s->regs = ARENA_ARRAY(&p->scratch, uint32_t *, s->n / PAGE + 1);
    if (!s->regs[number / PAGE])
        s->regs[number / PAGE] = ARENA_ARRAY(&p->scratch, uint32_t, s->n < PAGE ? s->n : PAGE);
    return &s->regs[number / PAGE][number % PAGE];
}

bool ptx_find_reg(struct parser *p, struct ptx_name *n, uint32_t *reg)
{
    struct symbol *s = ptx_find(p, n);
    if (!s || (s->kind != SYM_REG && s->kind != SYM_RANGE))
        return false;
    if (s->kind == SYM_REG) {
        *reg = s->index;
        return true;
    }
    uint32_t *slot = range_slot(p, s, n->number);
    if (!*slot)
        *slot = new_reg(p, ptx_unique_name(p, n), s->type) + 1;
    *reg = *slot - 1;
    return true;
}

bool ptx_declare_label(struct parser *p, const struct token *t)
{
    struct body *b = &p->body;
    struct symbol *s = ptx_declare(p, t, SYM_LABEL);
    if (!s)
        return false;
    s->index = (uint32_t)b->nlabels;
    ALLOC_GROW(b->labels, b->nlabels, b->labels_cap);
    b->labels[b->nlabels++] =
        (struct ptx_label){.name = ptx_unique_name(p, t->name), .inst = (int32_t)b->ninsts};
    return true;
}

void ptx_use_label(struct parser *p, const struct token *t, int32_t *where)
{
    struct label_use *u = ARENA_NEW(&p->scratch, struct label_use);
    *u = (struct label_use){.name = t->name, .where = where, .tok = t, .loc = p->loc,
                            .next = p->scopes[p->depth].uses};
    p->scopes[p->depth].uses = u;
}
