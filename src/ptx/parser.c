/* The parser's frame: modules, messages, tokens (PTX ISA 8.4, sections 4 and 5; grammar in chapter 11).
 *
 * In: text. Out: a module, or NULL and at least one message. The text is lexed as a whole first. */
#include "ptx/parser.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/strbuf.h"

/* --- messages --- */

const char *ptx_line_text(const struct ptx_module *m, int line, struct arena *a)
{
    const char *s = m->text, *end = m->text + m->text_len;
    for (int i = 1; i < line && s < end; i++) {
        const char *newline = memchr(s, '\n', (size_t)(end - s));
        s = newline ? newline + 1 : end;
    }
    const char *newline = s < end ? memchr(s, '\n', (size_t)(end - s)) : NULL;
    const char *stop = newline ? newline : end;
    if (stop > s && stop[-1] == '\r')
        stop--;
    return arena_strndup(a, s, (size_t)(stop - s));
}

/* The line for a diagnostic; of a very long one only the start, and none when the caret is behind that. */
static const char *source_line(struct parser *p, int line, int column)
{
    enum { LONGEST = 400 };
    char *s = (char *)ptx_line_text(p->m, line, &p->scratch);
    if (strlen(s) > LONGEST) {
        if (column > LONGEST)
            return NULL;
        memcpy(s + LONGEST - 3, "...", 4);
    }
    return arena_strdup(&p->diags->arena, s);
}

bool ptx_error(struct parser *p, const struct token *at, const char *fmt, ...)
{
    struct strbuf b;
    if (p->stop)
        return false;
    strbuf_init(&b);
    if (at->kind == TOK_BAD) {
        strbuf_addf(&b, "'%s': %s", ptx_token_text(p, at), ptx_bad_token(at));
    } else {
        va_list ap;
        va_start(ap, fmt);
        strbuf_addv(&b, fmt, ap);
        va_end(ap);
    }
    const struct ptx_loc *loc = p->loc && p->loc->line ? p->loc : NULL;
    struct diag *d = diag_add(p->diags, DIAG_ERROR, loc ? loc->file : p->m->name,
                              loc ? loc->line : (int)at->line, "%s", b.s);
    d->column = ptx_column(&p->lx, at);
    if (loc)
        d->ptx_line = (int)at->line;
    d->source = source_line(p, (int)at->line, d->column);
    strbuf_release(&b);
    if (++p->errors == MAX_ERRORS) {
        diag_add(p->diags, DIAG_NOTE, p->m->name, 0, "%d errors: the rest is not read", MAX_ERRORS);
        p->stop = true;
    }
    return false;
}

/* For messages: the token as written, shortened, without characters that upset a terminal. */
const char *ptx_token_text(struct parser *p, const struct token *t)
{
    uint32_t n = t->len < 80 ? t->len : 80;
    char *s = arena_strndup(&p->scratch, p->lx.text + t->at, n);
    for (uint32_t i = 0; i < n; i++)
        if ((unsigned char)s[i] < ' ' || (unsigned char)s[i] > '~')
            s[i] = '?';
    return s;
}

bool ptx_unexpected(struct parser *p, const char *wanted)
{
    if (p->tok->kind == TOK_END)
        return ptx_error(p, p->tok, "expected %s, but the text ends here", wanted);
    return ptx_error(p, p->tok, "expected %s before '%s'", wanted, ptx_token_text(p, p->tok));
}

/* --- tokens --- */

bool ptx_same_text(const struct ptx_name *n, const char *s)
{
    return strcmp(n->s, s) == 0;
}

bool ptx_accept(struct parser *p, int kind)
{
    if (p->tok->kind != kind)
        return false;
    p->tok++;
    return true;
}

bool ptx_expect(struct parser *p, int kind)
{
    char wanted[] = {'\'', (char)kind, '\'', 0};
    return ptx_accept(p, kind) || ptx_unexpected(p, wanted);
}

bool ptx_at_dot(const struct parser *p, const char *word)
{
    return p->tok->kind == TOK_DOT && ptx_same_text(p->tok->name, word);
}

bool ptx_accept_dot(struct parser *p, const char *word)
{
    if (!ptx_at_dot(p, word))
        return false;
    p->tok++;
    return true;
}

bool ptx_skip_braces(struct parser *p)
{
    const struct token *open = p->tok;
    int depth = 0;
    for (; p->tok->kind != TOK_END; p->tok++) {
        if (p->tok->kind == TOK_BAD)
            return ptx_unexpected(p, "'}'");
        depth += (p->tok->kind == '{') - (p->tok->kind == '}');
        if (depth == 0) {
            p->tok++;
            return true;
        }
    }
    return ptx_error(p, open, "this '{' is not closed");
}

/* After an error: to behind the next ';', or to a '}' or '{' on the way. */
void ptx_skip_statement(struct parser *p)
{
    int depth = 0;
    for (; p->tok->kind != TOK_END; p->tok++) {
        if (p->tok->kind == ';') {
            p->tok++;
            return;
        }
        depth += p->tok->kind == '{';
        if (p->tok->kind == '}' && depth-- == 0)
            return;
    }
}

/* --- the module --- */

/* .version 8.4 */
static bool parse_version(struct parser *p)
{
    int major, minor, n = 0;
    const char *s = ptx_token_text(p, p->tok);
    if (p->tok->kind != TOK_FLOAT || sscanf(s, "%2d.%1d%n", &major, &minor, &n) != 2 || s[n])
        return ptx_unexpected(p, "a version like 8.4");
    p->m->version = major * 10 + minor;
    p->tok++;
    return true;
}

/* .target sm_90a, texmode_independent, debug */
static bool parse_target(struct parser *p)
{
    do {
        if (p->tok->kind != TOK_WORD)
            return ptx_unexpected(p, "a target like sm_90");
        const char *s = p->tok->name->s;
        int n = 0;
        char suffix = 0;
        if (sscanf(s, "sm_%4d%n%c%n", &p->m->arch, &n, &suffix, &n) >= 1) {
            if (s[n] || (suffix && suffix != 'a' && suffix != 'f'))
                return ptx_error(p, p->tok, "'%s' is not a target", s);
            p->m->arch_suffix = suffix;
        }
        p->m->debug |= strcmp(s, "debug") == 0;
        p->tok++;
    } while (ptx_accept(p, ','));
    return p->m->arch || ptx_error(p, p->tok - 1, "'.target' names no sm_NN");
}

static bool parse_address_size(struct parser *p)
{
    const struct token *at = p->tok;
    uint64_t bits;
    if (!ptx_integer(p, &bits))
        return false;
    if (bits != 64)
        return ptx_error(p, at, "addresses of %llu bits are not supported: compile for 64 bits",
                         (unsigned long long)bits);
    p->sized = true;
    return true;
}

static enum ptx_linkage parse_linkage(struct parser *p)
{
    static const struct {
        const char *word;
        enum ptx_linkage linkage;
    } list[] = {{"visible", PTX_LINK_VISIBLE}, {"extern", PTX_LINK_EXTERN}, {"weak", PTX_LINK_WEAK}, {"common", PTX_LINK_COMMON}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (ptx_accept_dot(p, list[i].word))
            return list[i].linkage;
    return PTX_LINK_STATIC;
}

static bool parse_declaration(struct parser *p)
{
    enum ptx_linkage linkage = parse_linkage(p);
    enum ptx_space space = ptx_space_of(p->tok);
    if (ptx_accept_dot(p, "entry"))
        return ptx_parse_function(p, true, linkage);
    if (ptx_accept_dot(p, "func"))
        return ptx_parse_function(p, false, linkage);
    if (space == PTX_GENERIC || space == PTX_PARAM)
        return ptx_unexpected(p, "'.entry', '.func' or a variable");
    p->tok++;
    return ptx_parse_var(p, space, linkage);
}

static bool parse_module_statement(struct parser *p)
{
    if (ptx_accept(p, ';'))
        return true;
    if (p->tok->kind != TOK_DOT)
        return ptx_unexpected(p, "a directive");
    if (ptx_accept_dot(p, "target"))
        return parse_target(p);
    if (ptx_accept_dot(p, "address_size"))
        return parse_address_size(p);
    if (ptx_accept_dot(p, "file"))
        return ptx_parse_file(p);
    if (ptx_accept_dot(p, "section"))
        return ptx_parse_section(p);
    if (ptx_accept_dot(p, "pragma"))
        return ptx_parse_pragma(p);
    if (ptx_accept_dot(p, "alias"))
        return ptx_parse_alias(p);
    return parse_declaration(p);
}

/* After an error outside of functions: to the next line that starts with a directive that can stand there. */
static void skip_declaration(struct parser *p)
{
    for (; p->tok->kind != TOK_END; p->tok++) {
        if (p->tok->kind == '{') {
            int depth = 0;
            for (; p->tok->kind != TOK_END; p->tok++) {
                depth += (p->tok->kind == '{') - (p->tok->kind == '}');
                if (depth == 0)
                    break;
            }
            if (p->tok->kind == TOK_END)
                return;
        }
        if (p->tok->kind == '}' || p->tok->kind == ';') {
            p->tok++;
            return;
        }
    }
}

static void parse_module(struct parser *p)
{
    if (!ptx_accept_dot(p, "version")) {
        ptx_unexpected(p, "'.version' at the start of PTX text");
        return;
    }
    bool ok = parse_version(p);
    if (ok && !ptx_at_dot(p, "target"))
        ok = ptx_unexpected(p, "'.target'");
    while (p->tok->kind != TOK_END && !p->stop && (ok || p->m->arch)) {
        p->loc = NULL;
        if (!parse_module_statement(p))
            skip_declaration(p);
    }
}

/* Without .address_size the ISA's default is 32 bits, but what omits it today is written by hand, for 64. */
static void warn_about_addresses(struct parser *p)
{
    if (!p->sized)
        diag_add(p->diags, DIAG_WARNING, p->m->name, 0, "no '.address_size': 64 bits are assumed");
}

static void copy_lists(struct parser *p)
{
    struct ptx_module *m = p->m;
    m->nvars = (int)p->nvars;
    m->nrolled = (int)p->nrolled;
    m->rolled = ARENA_ARRAY(&m->arena, int, p->nrolled);
    if (p->nrolled)
        memcpy(m->rolled, p->rolled, p->nrolled * sizeof *p->rolled);
    m->nfuncs = (int)p->nfuncs;
    m->vars = ARENA_ARRAY(&m->arena, struct ptx_var *, p->nvars);
    m->funcs = ARENA_ARRAY(&m->arena, struct ptx_function *, p->nfuncs);
    if (p->nvars)
        memcpy(m->vars, p->vars, p->nvars * sizeof *p->vars);
    if (p->nfuncs)
        memcpy(m->funcs, p->funcs, p->nfuncs * sizeof *p->funcs);
    for (int i = 0; i < m->nvars; i++)
        table_set(&m->var_by_name, m->vars[i]->name, m->vars[i]);
    for (int i = 0; i < m->nfuncs; i++)
        table_set(&m->func_by_name, m->funcs[i]->name, m->funcs[i]);
}

static void parser_release(struct parser *p)
{
    ptx_lex_release(&p->lx);
    table_release(&p->strings);
    table_release(&p->file_by_number);
    table_release(&p->file_by_base);
    alloc_release(p->debug_str);
    alloc_release(p->vars);
    alloc_release(p->funcs);
    alloc_release(p->rolled);
    arena_release(&p->scratch);
    alloc_release(p);
}

/* The comments before .version, as clang and nvcc write them. */
static const char *compiler_of(struct arena *a, const char *text)
{
    static const char clang[] = "// Generated by LLVM NVPTX", nvcc[] = "// Cuda compilation tools, release ";

    for (; !strncmp(text, "//", 2); text += strcspn(text, "\n"), text += *text == '\n') {
        if (!strncmp(text, clang, sizeof clang - 1))
            return "clang";
        if (!strncmp(text, nvcc, sizeof nvcc - 1))
            return arena_printf(a, "nvcc %.*s", (int)strcspn(text + sizeof nvcc - 1, ", \n"), text + sizeof nvcc - 1);
    }
    return NULL;
}

struct ptx_module *ptx_parse(const char *name, const char *text, size_t len, struct diag_list *diags)
{
    if (len > MAX_TEXT) {
        diag_add(diags, DIAG_ERROR, name, 0, "PTX text of %zu bytes is too large (at most %d)", len,
                 MAX_TEXT);
        return NULL;
    }
    struct ptx_module *m = alloc_zeroed(sizeof *m);
    arena_init(&m->arena);
    table_init(&m->var_by_name);
    table_init(&m->func_by_name);
    m->name = arena_strdup(&m->arena, name ? name : "PTX");
    m->text = arena_strndup(&m->arena, text, len);
    m->text_len = len;
    m->compiler = compiler_of(&m->arena, m->text);

    struct parser *p = alloc_zeroed(sizeof *p);
    p->m = m;
    p->diags = diags;
    p->arena = &m->arena;
    arena_init(&p->scratch);
    ptx_lex(&p->lx, m->text, len, &m->arena);
    p->tok = p->lx.tok;
    ptx_names_init(p);
    ptx_scan_files(p);
    parse_module(p);
    bool ok = p->errors == 0;
    if (ok) {
        copy_lists(p);
        warn_about_addresses(p);
    }
    parser_release(p);
    if (ok)
        return m;
    ptx_free(m);
    return NULL;
}

void ptx_free(struct ptx_module *m)
{
    if (!m)
        return;
    table_release(&m->var_by_name);
    table_release(&m->func_by_name);
    arena_release(&m->arena);
    alloc_release(m);
}
