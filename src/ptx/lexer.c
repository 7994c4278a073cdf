/* From text to tokens (see lexer.h). */
#include "ptx/lexer.h"

#include <string.h>

#include "base/alloc.h"

enum bad { BAD_CHARACTER, BAD_NUMBER, BAD_STRING, BAD_COMMENT, BAD_DOT };

const char *ptx_bad_token(const struct token *t)
{
    static const char *const text[] = {"this character does not belong into PTX",
                                       "this is not a number",
                                       "the string is not closed on its line",
                                       "the comment is not closed",
                                       "a '.' with nothing behind it"};
    return text[t->bad];
}

/* Character classes, by table: this loop sees every byte of the module. */
enum { SPACE = 1, DIGIT = 2, HEX = 4, WORD = 8, START = 16, PUNCT = 32 };
static const uint8_t class_of[256] = {
    [' '] = SPACE, ['\t'] = SPACE, ['\r'] = SPACE, ['\n'] = SPACE, ['\f'] = SPACE, ['\v'] = SPACE,
    ['0' ... '9'] = DIGIT | HEX | WORD,
    ['a' ... 'f'] = HEX | WORD | START, ['A' ... 'F'] = HEX | WORD | START,
    ['g' ... 'z'] = WORD | START, ['G' ... 'Z'] = WORD | START,
    ['_'] = WORD | START, ['$'] = WORD | START,
    ['{'] = PUNCT, ['}'] = PUNCT, ['('] = PUNCT, [')'] = PUNCT, ['['] = PUNCT, [']'] = PUNCT,
    ['<'] = PUNCT, ['>'] = PUNCT, [','] = PUNCT, [';'] = PUNCT, [':'] = PUNCT, ['|'] = PUNCT,
    ['!'] = PUNCT, ['@'] = PUNCT, ['+'] = PUNCT, ['-'] = PUNCT, ['*'] = PUNCT, ['/'] = PUNCT,
    ['='] = PUNCT, ['&'] = PUNCT, ['^'] = PUNCT, ['~'] = PUNCT, ['%'] = PUNCT, ['?'] = PUNCT,
};

static bool is(char c, int class)
{
    return class_of[(unsigned char)c] & class;
}

struct ptx_name *ptx_name(struct lexer *lx, const char *s, size_t len)
{
    struct ptx_name *n = table_getn(&lx->names, s, len);
    if (n)
        return n;
    n = ARENA_NEW(lx->arena, struct ptx_name);
    n->s = arena_strndup(lx->arena, s, len);
    n->len = (uint32_t)len;
    n->mod = n->sreg = -1;
    table_setn(&lx->names, n->s, len, n);
    return n;
}

static struct token *add(struct lexer *lx, int kind, size_t at, size_t end, uint32_t line)
{
    ALLOC_GROW(lx->tok, lx->ntok, lx->cap);
    struct token *t = &lx->tok[lx->ntok++];
    *t = (struct token){.at = (uint32_t)at, .len = (uint32_t)(end - at), .line = line,
                        .kind = (uint16_t)kind};
    return t;
}

static void add_bad(struct lexer *lx, enum bad why, size_t at, size_t end, uint32_t line)
{
    add(lx, TOK_BAD, at, end, line)->bad = (uint16_t)why;
}

/* The text is NUL-terminated behind its last byte, so looking one byte ahead is always allowed. */
static size_t word_end(const char *s, size_t i)
{
    while (is(s[i], WORD))
        i++;
    return i;
}

/* 12 0x1F 017 0b101, each with U; 0f3F800000 0d...; 1.5 1e5 1.5e-3 (section 4.5). */
static size_t lex_number(struct lexer *lx, size_t i, uint32_t line)
{
    const char *s = lx->text;
    size_t start = i, end = word_end(s, i);
    int kind = TOK_INT;
    if (s[i] == '0' && strchr("fFdD", s[i + 1]) && s[i + 1]) {
        size_t digits = 0;
        while (is(s[i + 2 + digits], HEX))
            digits++;
        kind = digits == (strchr("fF", s[i + 1]) ? 8u : 16u) && i + 2 + digits == end ? TOK_FLOAT
                                                                                      : TOK_BAD;
    } else if (s[i] == '0' && s[i + 1] && strchr("xXbB", s[i + 1])) {
        int digit = strchr("xX", s[i + 1]) ? HEX : DIGIT;
        for (i += 2; is(s[i], digit) && (digit == HEX || s[i] <= '1'); i++)
            ;
        bool suffix = s[i] == 'U';
        kind = i > start + 2 && i + suffix == end ? TOK_INT : TOK_BAD;
    } else {
        while (is(s[i], DIGIT))
            i++;
        if (s[i] == '.') {
            kind = TOK_FLOAT;
            for (i++; is(s[i], DIGIT); i++)
                ;
        }
        if (s[i] == 'e' || s[i] == 'E') {
            size_t j = i + 1 + (s[i + 1] == '+' || s[i + 1] == '-');
            if (is(s[j], DIGIT)) {
                kind = TOK_FLOAT;
                for (i = j; is(s[i], DIGIT); i++)
                    ;
            }
        }
        if (kind == TOK_INT && s[i] == 'U')
            i++;
        if (is(s[i], WORD))
            kind = TOK_BAD;
        end = word_end(s, i);
    }
    if (kind == TOK_BAD)
        add_bad(lx, BAD_NUMBER, start, end, line);
    else
        add(lx, kind, start, end, line);
    return end;
}

/* .global .f32 .shared::cta .L2::128B: the words of an opcode or directive. */
static size_t lex_dot(struct lexer *lx, size_t i, uint32_t line)
{
    const char *s = lx->text;
    size_t end = word_end(s, i + 1);
    while (end > i + 1 && s[end] == ':' && s[end + 1] == ':' && is(s[end + 2], WORD))
        end = word_end(s, end + 2);
    if (end == i + 1)
        add_bad(lx, BAD_DOT, i, end, line);
    else
        add(lx, TOK_DOT, i, end, line)->name = ptx_name(lx, s + i + 1, end - i - 1);
    return end;
}

static size_t lex_string(struct lexer *lx, size_t i, uint32_t line)
{
    const char *s = lx->text;
    size_t start = i;
    for (i++; i < lx->len && s[i] != '"' && s[i] != '\n'; i++)
        if (s[i] == '\\' && i + 1 < lx->len && s[i + 1] != '\n')
            i++;
    if (i >= lx->len || s[i] != '"') {
        add_bad(lx, BAD_STRING, start, i, line);
        return i;
    }
    add(lx, TOK_STRING, start, i + 1, line);
    return i + 1;
}

static void new_line(struct lexer *lx, size_t at)
{
    ALLOC_GROW(lx->line_at, lx->nlines, lx->lines_cap);
    lx->line_at[lx->nlines++] = (uint32_t)at;
}

int ptx_column(const struct lexer *lx, const struct token *t)
{
    return (int)(t->at - lx->line_at[t->line - 1]) + 1;
}

/* Skips a comment that starts at i; returns i when there is none. */
static size_t skip_comment(struct lexer *lx, size_t i)
{
    const char *s = lx->text;
    if (s[i + 1] == '/') {
        const char *end = memchr(s + i, '\n', lx->len - i);
        return end ? (size_t)(end - s) : lx->len;
    }
    if (s[i + 1] != '*')
        return i;
    uint32_t first = (uint32_t)lx->nlines;
    for (size_t j = i + 2; j < lx->len; j++) {
        if (s[j] == '*' && s[j + 1] == '/')
            return j + 2;
        if (s[j] == '\n')
            new_line(lx, j + 1);
    }
    add_bad(lx, BAD_COMMENT, i, i + 2, first);
    return lx->len;
}

void ptx_lex(struct lexer *lx, const char *text, size_t len, struct arena *arena)
{
    memset(lx, 0, sizeof *lx);
    lx->arena = arena;
    table_init(&lx->names);
    ptx_lex_another(lx, text, len);
}

void ptx_lex_another(struct lexer *lx, const char *text, size_t len)
{
    lx->text = text;
    lx->len = len;
    lx->ntok = lx->nlines = 0;
    size_t i = 0;
    new_line(lx, 0);
    while (i < len) {
        char c = text[i];
        uint32_t line = (uint32_t)lx->nlines;
        if (is(c, SPACE)) {
            i++;
            if (c == '\n')
                new_line(lx, i);
        } else if (is(c, START) || (c == '%' && is(text[i + 1], WORD))) {
            size_t end = word_end(text, i + 1);
            add(lx, TOK_WORD, i, end, line)->name = ptx_name(lx, text + i, end - i);
            i = end;
        } else if (is(c, DIGIT)) {
            i = lex_number(lx, i, line);
        } else if (c == '.') {
            i = lex_dot(lx, i, line);
        } else if (c == '"') {
            i = lex_string(lx, i, line);
        } else {
            size_t end = c == '/' ? skip_comment(lx, i) : i;
            if (end == i && is(c, PUNCT))
                add(lx, c, i, ++end, line);
            else if (end == i)
                add_bad(lx, BAD_CHARACTER, i, ++end, line);
            i = end;
        }
    }
    add(lx, TOK_END, len, len, (uint32_t)lx->nlines);
}

void ptx_lex_release(struct lexer *lx)
{
    alloc_release(lx->tok);
    alloc_release(lx->line_at);
    table_release(&lx->names);
    lx->tok = NULL;
}
