/* Tokens of PTX text (PTX ISA 8.4, section 4).
 *
 * In: the module's text. Out: one array of tokens, ended by TOK_END, and a table of the distinct words in it. Each
 * word is one struct ptx_name, which carries what the language says it is (instruction, modifier, type, special
 * register: filled by ptx_names_init) and what the program declares it to be (symbols.c), so that the parser
 * compares no strings. A character sequence that is no token becomes TOK_BAD; the parser reports it where it stands. */
#ifndef PTX_LEXER_H
#define PTX_LEXER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/table.h"

struct symbol;

/* Single characters ({ } ( ) , ; ...) stand for themselves. */
enum token_kind { TOK_END = 0, TOK_WORD = 256, TOK_DOT, TOK_INT, TOK_FLOAT, TOK_STRING, TOK_BAD };

struct ptx_name {
    const char *s; /* NUL-terminated copy; of a TOK_DOT without its dot */
    uint32_t len;
    int16_t row;  /* first row of ptx_ops.def with this word, or 0 */
    int16_t mod;  /* first entry of the modifier table, or -1 */
    int16_t type; /* enum ptx_type, or PTX_NOTYPE */
    int16_t sreg; /* special register, or -1 */
    bool split;   /* `stem` and `number` are computed */
    struct ptx_name *stem; /* %r of %r12; NULL: no trailing number */
    uint32_t number;       /* 12 of %r12 */
    struct symbol *symbol; /* innermost declaration of this name now, or NULL */
    struct symbol *range;  /* innermost declaration .reg .b32 NAME<n> */
    uint32_t used_in, copies; /* for unique names within a function (symbols.c) */
};

struct token {
    uint32_t at, len; /* bytes of the text; TOK_DOT with its dot, TOK_STRING with its quotes */
    uint32_t line;    /* from 1 */
    uint16_t kind;
    uint16_t bad;          /* TOK_BAD: index into the lexer's complaints */
    struct ptx_name *name; /* TOK_WORD, TOK_DOT */
};

struct lexer {
    const char *text;
    size_t len;
    struct arena *arena; /* for names: they outlive the lexer */
    struct token *tok;
    size_t ntok, cap;
    uint32_t *line_at; /* where each line starts: byte of the text */
    size_t nlines, lines_cap;
    struct table names;
};

void ptx_lex(struct lexer *lx, const char *text, size_t len, struct arena *arena);
/* Another text with the same names; the tokens of the one before are gone. */
void ptx_lex_another(struct lexer *lx, const char *text, size_t len);
void ptx_lex_release(struct lexer *lx);

/* The name spelled so; made when it is not there yet. */
struct ptx_name *ptx_name(struct lexer *lx, const char *s, size_t len);

/* The token's column, from 1. */
int ptx_column(const struct lexer *lx, const struct token *t);

/* What is wrong with a TOK_BAD. */
const char *ptx_bad_token(const struct token *t);

#endif
