/* One text from several (see link.h).
 *
 * Works on tokens: what is not renamed or left out is copied as it stands. Statements of the module's level begin
 * outside of all braces; their heads say name and linkage. */
#include "ptx/link.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/strbuf.h"
#include "base/table.h"
#include "ptx/lexer.h"

enum linkage { LOCAL, VISIBLE, WEAK, EXTERN };

struct joining {
    struct arena arena;
    struct table own;  /* name that a file keeps to itself -> how many files have it */
    struct table weak; /* .weak names that are defined already */
    struct strbuf *out;
    int unit;
    uint64_t files;  /* added to the numbers of .file and .loc */
    uint64_t highest; /* of these numbers so far */
};

/* A statement of the module's level. */
struct statement {
    const struct token *first, *end; /* end: behind the last token */
    const struct token *name;        /* NULL: declares nothing */
    enum linkage linkage;
    bool defines; /* has a body or is a variable that is not .extern */
};

static bool is_dot(const struct token *t, const char *word)
{
    return t->kind == TOK_DOT && strcmp(t->name->s, word) == 0;
}

/* static and unnamed namespaces in C++'s names (Itanium C++ ABI, 5.1.1 and 5.1.2: L before a part of the name). */
static bool is_internal(const char *name)
{
    if (strncmp(name, "_Z", 2) != 0)
        return false;
    if (strstr(name, "_GLOBAL__N_"))
        return true;
    const char *s = name + 2, *end = name + strlen(name);
    s += strspn(s, "Z");
    bool nested = *s == 'N';
    s += nested ? 1 + strspn(s + 1, "rVK") : 0;
    while (*s >= '0' && *s <= '9' && nested) {
        char *after;
        unsigned long n = strtoul(s, &after, 10);
        if (n > (size_t)(end - after))
            return false;
        s = after + n;
    }
    return s[0] == 'L' && s[1] >= '0' && s[1] <= '9';
}

static const struct token *over_group(const struct token *t, int open, int close)
{
    int depth = 0;
    for (; t->kind != TOK_END; t++) {
        depth += (t->kind == open) - (t->kind == close);
        if (depth == 0)
            return t + 1;
    }
    return t;
}

/* .version 8.4, .target sm_90, ... : directives that end with their operands, by the line. */
static const struct token *line_end(const struct token *t)
{
    uint32_t line = t->line;
    while (t->kind != TOK_END && t->line == line)
        t++;
    return t;
}

/* .visible .func (.param .b32 r) name (...) { }, .global .align 4 .u32 name[4] = {...}; */
static struct statement declaration(const struct token *t)
{
    struct statement s = {.first = t, .linkage = LOCAL};
    bool function = false;
    for (; t->kind != TOK_END && t->kind != ';' && t->kind != '{' && t->kind != '='; t++) {
        if (is_dot(t, "visible") || is_dot(t, "weak") || is_dot(t, "extern") || is_dot(t, "common"))
            s.linkage = is_dot(t, "visible") ? VISIBLE : is_dot(t, "extern") ? EXTERN : WEAK;
        function = function || is_dot(t, "func") || is_dot(t, "entry");
        if (t->kind == TOK_WORD && !s.name)
            s.name = t;
        if (t->kind == '(') { /* the value that comes back, or the parameters */
            t = over_group(t, '(', ')') - 1;
            if (t->kind == TOK_END)
                break;
        }
    }
    s.defines = s.linkage != EXTERN && (!function || t->kind == '{');
    while (t->kind != TOK_END && t->kind != ';') {
        bool body = function && t->kind == '{';
        t = t->kind == '{' ? over_group(t, '{', '}') : t + 1;
        if (body)
            break;
    }
    s.end = t->kind == ';' ? t + 1 : t;
    return s;
}

static struct statement statement_at(const struct token *t)
{
    if (is_dot(t, "version") || is_dot(t, "target") || is_dot(t, "address_size") || is_dot(t, "file") || is_dot(t, "alias") ||
        t->kind == ';')
        return (struct statement){.first = t, .end = t->kind == ';' ? t + 1 : line_end(t)};
    if (is_dot(t, "section")) {
        const struct token *e = t;
        while (e->kind != TOK_END && e->kind != '{')
            e++;
        return (struct statement){.first = t, .end = over_group(e, '{', '}')};
    }
    return declaration(t);
}

static bool keeps_to_itself(const struct statement *s)
{
    return s->name && (s->linkage == LOCAL || is_internal(s->name->name->s));
}

static void count_names(struct joining *j, const struct lexer *lx)
{
    struct table seen;
    table_init(&seen);
    for (const struct token *t = lx->tok; t->kind != TOK_END;) {
        struct statement s = statement_at(t);
        if (keeps_to_itself(&s) && !table_get(&seen, s.name->name->s)) {
            const char *name = arena_strdup(&j->arena, s.name->name->s);
            table_set(&seen, name, j);
            table_set(&j->own, name, (void *)((uintptr_t)table_get(&j->own, name) + 1));
        }
        t = s.end;
    }
    table_release(&seen);
}

bool ptx_link_name(const char *name, int unit, struct strbuf *out)
{
    if (!is_internal(name))
        return false;
    strbuf_addf(out, "%s$%d", name, unit);
    return true;
}

static bool shared_name(const struct joining *j, const char *name)
{
    return (uintptr_t)table_get(&j->own, name) > 1;
}

/* Copies the tokens from `t` to `end` and what stands between them. `mine`: this file's names of its own. */
static void copy(struct joining *j, const struct lexer *lx, const struct token *t, const struct token *end,
                 const struct table *mine)
{
    size_t at = t->at;
    for (; t < end; t++) {
        if (t->kind == TOK_WORD && table_get(mine, t->name->s) && shared_name(j, t->name->s)) {
            strbuf_add(j->out, lx->text + at, t->at + t->len - at);
            strbuf_addf(j->out, "$%d", j->unit);
            at = t->at + t->len;
        } else if (t->kind == TOK_INT && t > lx->tok && (is_dot(t - 1, "file") || is_dot(t - 1, "loc"))) {
            uint64_t number = strtoull(lx->text + t->at, NULL, 0) + j->files;
            j->highest = number > j->highest ? number : j->highest;
            strbuf_add(j->out, lx->text + at, t->at - at);
            strbuf_addf(j->out, "%llu", (unsigned long long)number);
            at = t->at + t->len;
        }
    }
    if (end->kind == TOK_END)
        strbuf_add(j->out, lx->text + at, lx->len - at);
    else
        strbuf_add(j->out, lx->text + at, end->at - at);
}

/* The second definition of a .weak name, and the module's head of every file but the first. */
static bool left_out(struct joining *j, const struct statement *s)
{
    const struct token *t = s->first;
    if (is_dot(t, "version") || is_dot(t, "target") || is_dot(t, "address_size"))
        return j->unit > 0;
    if (!s->name || s->linkage != WEAK || !s->defines)
        return false;
    if (table_get(&j->weak, s->name->name->s))
        return true;
    table_set(&j->weak, arena_strdup(&j->arena, s->name->name->s), j);
    return false;
}

static void join(struct joining *j, const struct lexer *lx)
{
    struct table mine;
    table_init(&mine);
    for (const struct token *t = lx->tok; t->kind != TOK_END;) {
        struct statement s = statement_at(t);
        if (keeps_to_itself(&s))
            table_set(&mine, s.name->name->s, j);
        t = s.end;
    }
    j->files = j->highest;
    for (const struct token *t = lx->tok; t->kind != TOK_END;) {
        struct statement s = statement_at(t);
        if (!left_out(j, &s))
            copy(j, lx, s.first, s.end, &mine);
        t = s.end;
    }
    strbuf_adds(j->out, "\n");
    table_release(&mine);
}

void ptx_link(const struct ptx_unit *units, int n, struct strbuf *out)
{
    struct joining j = {.out = out};
    struct arena words;
    arena_init(&j.arena);
    arena_init(&words);
    table_init(&j.own);
    table_init(&j.weak);
    for (int pass = 0; pass < 2; pass++)
        for (j.unit = 0; j.unit < n; j.unit++) {
            struct lexer lx;
            memset(&lx, 0, sizeof lx);
            ptx_lex(&lx, units[j.unit].text, units[j.unit].len, &words);
            if (pass == 0)
                count_names(&j, &lx);
            else
                join(&j, &lx);
            ptx_lex_release(&lx);
        }
    table_release(&j.weak);
    table_release(&j.own);
    arena_release(&words);
    arena_release(&j.arena);
}
