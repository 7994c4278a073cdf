/* Where instructions come from: .file, .loc and what stands behind them (PTX ISA 8.4, section 11.5).
 *
 * nvcc:   .loc 2 69 9, function_name $L__info_string0, inlined_at 1 71 3
 *         The call at 1:71:3 is described by the last .loc of that position; names stand in .section .debug_str.
 * clang:  .loc 1 3 11   // f.cu:3:11 @[ f.cu:8:18 @[ f.cu:13:10 ] ]
 *         The chain of calls stands in the comment only. A comment of another form is a comment.
 * heddle: .file 2 "f.cu @[ f.cu:8:18 @[ f.cu:13:10 ] ]": the file's name says the chain (compile/plugin.cpp).
 * Both print .file behind the functions, so files and strings are collected before parsing. Equal locations share
 * one struct ptx_loc within a function. */
#define _GNU_SOURCE /* memmem */
#include "ptx/parser.h"

#include <string.h>

#include "base/alloc.h"

static const char *file_of(struct parser *p, uint64_t number)
{
    const struct file_name *f = table_getn(&p->file_by_number, (const char *)&number, sizeof number);
    return f ? f->name : NULL;
}

/* What stands behind the last '/'. */
static const char *base_of(const char *name, size_t len, size_t *base_len)
{
    size_t i = len;
    while (i > 0 && name[i - 1] != '/')
        i--;
    *base_len = len - i;
    return name + i;
}

/* The .file whose name ends with `name` (clang's comments leave the folder out), or a copy of `name`. */
static const char *file_called(struct parser *p, const char *name, size_t len)
{
    size_t base_len;
    const char *base = base_of(name, len, &base_len);
    for (const struct file_name *f = table_getn(&p->file_by_base, base, base_len); f; f = f->next) {
        size_t n = strlen(f->name);
        const char *tail = f->name + n - len;
        if (n >= len && memcmp(tail, name, len) == 0 && (n == len || tail[-1] == '/'))
            return f->name;
    }
    return ptx_name(&p->lx, name, len)->s;
}

static bool number_token(const struct token *t)
{
    return t->kind == TOK_INT;
}

static uint64_t value_of(struct parser *p, const struct token *t)
{
    uint64_t v = 0;
    for (uint32_t i = 0; i < t->len && v < UINT32_MAX; i++)
        v = v * 10 + (uint64_t)(p->lx.text[t->at + i] - '0');
    return v;
}

static void scan_file(struct parser *p, const struct token *t)
{
    if (!number_token(&t[1]) || t[2].kind != TOK_STRING)
        return;
    uint64_t number = value_of(p, &t[1]);
    if (number > UINT32_MAX || file_of(p, number))
        return;
    struct file_name *f = ARENA_NEW(&p->scratch, struct file_name);
    f->number = number;
    f->name = arena_strndup(p->arena, p->lx.text + t[2].at + 1, t[2].len - 2);
    char *calls = strstr(f->name, " @[ ");
    if (calls) {
        f->calls = arena_strdup(&p->scratch, calls);
        *calls = '\0';
    }
    table_setn(&p->file_by_number, (const char *)&f->number, sizeof f->number, f);
    size_t base_len;
    const char *base = base_of(f->name, strlen(f->name), &base_len);
    f->next = table_getn(&p->file_by_base, base, base_len);
    table_setn(&p->file_by_base, base, base_len, f);
}

static void add_debug_byte(struct parser *p, char c)
{
    ALLOC_GROW(p->debug_str, p->debug_len, p->debug_cap);
    p->debug_str[p->debug_len++] = c;
}

/* { label: .b8 95,90,0 .b8 ... label: ... } */
static void scan_debug_str(struct parser *p, const struct token *t)
{
    for (; t->kind != TOK_END && t->kind != '}'; t++) {
        if (t->kind == TOK_WORD && t[1].kind == ':')
            table_set(&p->strings, t->name->s, (void *)(uintptr_t)(p->debug_len + 1));
        else if (number_token(t))
            add_debug_byte(p, (char)value_of(p, t));
    }
    add_debug_byte(p, 0);
}

void ptx_scan_files(struct parser *p)
{
    table_init(&p->strings);
    table_init(&p->file_by_number);
    table_init(&p->file_by_base);
    const struct ptx_name *file = ptx_name(&p->lx, "file", 4);
    const struct ptx_name *section = ptx_name(&p->lx, "section", 7);
    for (const struct token *t = p->lx.tok; t->kind != TOK_END; t++) {
        if (t->kind != TOK_DOT)
            continue;
        if (t->name == file)
            scan_file(p, t);
        else if (t->name == section && t[1].kind == TOK_DOT &&
                 ptx_same_text(t[1].name, "debug_str") && t[2].kind == '{')
            scan_debug_str(p, t + 3);
    }
}

/* .file 1 "name" [, timestamp, size] */
bool ptx_parse_file(struct parser *p)
{
    uint64_t n;
    if (!ptx_integer(p, &n))
        return false;
    if (p->tok->kind != TOK_STRING)
        return ptx_unexpected(p, "the file's name in quotes");
    p->tok++;
    for (int i = 0; i < 2 && ptx_accept(p, ','); i++)
        if (!ptx_integer(p, &n))
            return false;
    return true;
}

/* .section .debug_loc { ... }: read in ptx_scan_files as far as it is of use. */
bool ptx_parse_section(struct parser *p)
{
    if (p->tok->kind != TOK_DOT && p->tok->kind != TOK_WORD && p->tok->kind != TOK_STRING)
        return ptx_unexpected(p, "the section's name");
    p->tok++;
    if (p->tok->kind != '{')
        return ptx_unexpected(p, "'{'");
    return ptx_skip_braces(p);
}

static const struct ptx_loc *intern(struct parser *p, struct table *t, const struct ptx_loc *like)
{
    const struct ptx_loc *old = table_getn(t, (const char *)like, sizeof *like);
    if (old)
        return old;
    struct ptx_loc *loc = ARENA_NEW(p->arena, struct ptx_loc);
    *loc = *like;
    table_setn(t, (const char *)loc, sizeof *loc, loc);
    return loc;
}

/* The last location at this position, for inlined_at. Its key is the position: file, line and column. */
struct position {
    const char *file;
    int line, column;
};

static const struct ptx_loc *last_at(struct parser *p, const struct position *at)
{
    const struct ptx_loc *loc = table_getn(&p->body.last, (const char *)at, sizeof *at);
    return loc ? loc
               : intern(p, &p->body.locs,
                        &(struct ptx_loc){.file = at->file, .line = at->line, .column = at->column});
}

static void set_last(struct parser *p, const struct ptx_loc *loc)
{
    struct position key = {loc->file, loc->line, loc->column};
    if (table_getn(&p->body.last, (const char *)&key, sizeof key) == loc)
        return;
    struct position *copy = ARENA_NEW(&p->scratch, struct position);
    *copy = key;
    table_setn(&p->body.last, (const char *)copy, sizeof *copy, (void *)loc);
}

static int depth_of(const struct ptx_loc *loc)
{
    int n = 0;
    for (; loc; loc = loc->inlined_at)
        n++;
    return n;
}

/* One "name:line:column" of clang's comment between s and end. */
static bool comment_position(struct parser *p, const char *s, const char *end, struct ptx_loc *out)
{
    int value[2] = {0, 0}, found = 0;
    while (found < 2) {
        const char *digits = end;
        while (digits > s && digits[-1] >= '0' && digits[-1] <= '9' && end - digits < 9)
            digits--;
        if (digits == end || digits == s || digits[-1] != ':')
            break;
        for (const char *c = digits; c < end; c++)
            value[found] = value[found] * 10 + (*c - '0');
        found++;
        end = digits - 1;
    }
    if (!found || end == s)
        return false;
    out->file = file_called(p, s, (size_t)(end - s));
    out->line = value[found - 1];
    out->column = found == 2 ? value[0] : 0;
    return true;
}

/* The calls in "... @[ f.cu:8:18 @[ f.cu:13:10 ] ]", innermost first; NULL: none. */
static const struct ptx_loc *call_chain(struct parser *p, const char *s, const char *end)
{
    struct ptx_loc call[MAX_INLINED];
    int n = 0;
    while (n < MAX_INLINED && (s = memmem(s, (size_t)(end - s), " @[ ", 4))) {
        const char *start = s += 4, *stop = memmem(s, (size_t)(end - s), " @[ ", 4);
        if (!stop)
            stop = memmem(s, (size_t)(end - s), " ]", 2);
        call[n] = (struct ptx_loc){0};
        if (!stop || !comment_position(p, start, stop, &call[n]))
            return NULL;
        n++;
    }
    const struct ptx_loc *outer = NULL;
    while (n-- > 0) {
        call[n].inlined_at = outer;
        outer = intern(p, &p->body.locs, &call[n]);
    }
    return outer;
}

/* The calls in the comment behind a .loc, "// f.cu:3:11 @[ f.cu:8:18 ]"; NULL: none. */
static const struct ptx_loc *comment_chain(struct parser *p, const struct token *last)
{
    const char *s = p->lx.text + last->at + last->len;
    const char *end = memchr(s, '\n', p->lx.len - (size_t)(s - p->lx.text));
    while (*s == ' ' || *s == '\t')
        s++;
    return s[0] == '/' && s[1] == '/' ? call_chain(p, s, end ? end : p->lx.text + p->lx.len) : NULL;
}

/* The calls that the file's name says; NULL: none. */
static const struct ptx_loc *file_chain(struct parser *p, uint64_t number)
{
    const struct file_name *f = table_getn(&p->file_by_number, (const char *)&number, sizeof number);
    return f && f->calls ? call_chain(p, f->calls, f->calls + strlen(f->calls)) : NULL;
}

static bool position(struct parser *p, struct ptx_loc *out)
{
    const struct token *at = p->tok;
    uint64_t file, line, column;
    if (!ptx_integer(p, &file) || !ptx_integer(p, &line) || !ptx_integer(p, &column))
        return false;
    if (line > INT32_MAX || column > INT32_MAX)
        return ptx_error(p, at, "the line or column of '.loc' is too large");
    out->file = file_of(p, file);
    out->inlined_at = file_chain(p, file);
    out->line = (int)line;
    out->column = (int)column;
    if (!out->file)
        return ptx_error(p, at, "there is no '.file %llu'", (unsigned long long)file);
    return true;
}

/* function_name label [+ offset], inlined_at file line column */
static bool inlining(struct parser *p, struct ptx_loc *loc)
{
    struct ptx_loc call = {0};
    uint64_t offset = 0;
    if (p->tok->kind != TOK_WORD || !ptx_same_text(p->tok->name, "function_name"))
        return ptx_unexpected(p, "'function_name'");
    p->tok++;
    const struct token *label = p->tok;
    if (label->kind != TOK_WORD && label->kind != TOK_DOT)
        return ptx_unexpected(p, "a label of '.section .debug_str'");
    p->tok++;
    if (ptx_accept(p, '+') && !ptx_integer(p, &offset))
        return false;
    uintptr_t at = (uintptr_t)table_get(&p->strings, label->name->s);
    if (label->kind == TOK_DOT && ptx_same_text(label->name, "debug_str"))
        at = 1;
    if (!at || at - 1 >= p->debug_len || offset >= p->debug_len - (at - 1))
        return ptx_error(p, label, "'%s' is not in '.section .debug_str'", label->name->s);
    const char *name = p->debug_str + at - 1 + offset;
    loc->function = ptx_name(&p->lx, name, strlen(name))->s;
    if (!ptx_expect(p, ','))
        return false;
    if (p->tok->kind != TOK_WORD || !ptx_same_text(p->tok->name, "inlined_at"))
        return ptx_unexpected(p, "'inlined_at'");
    p->tok++;
    if (!position(p, &call))
        return false;
    const struct ptx_loc *outer =
        last_at(p, &(struct position){call.file, call.line, call.column});
    if (depth_of(outer) < MAX_INLINED)
        loc->inlined_at = outer;
    return true;
}

/* .loc file line column [, function_name ...] */
bool ptx_parse_loc(struct parser *p)
{
    struct ptx_loc loc = {0};
    if (!position(p, &loc))
        return false;
    if (p->tok->kind == ',') {
        p->tok++;
        if (!inlining(p, &loc))
            return false;
    } else if (!loc.inlined_at) {
        loc.inlined_at = comment_chain(p, p->tok - 1);
    }
    p->loc = intern(p, &p->body.locs, &loc);
    set_last(p, p->loc);
    if (!p->body.func->loc)
        p->body.func->loc = p->loc;
    return true;
}
