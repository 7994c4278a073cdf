/* Numbers and constant expressions (PTX ISA 8.4, section 4.5).
 *
 * Integers are 64 bits wide, signed unless one operand is unsigned; they wrap. Floating constants stand alone,
 * with a sign at most. */
#define _GNU_SOURCE /* strtod_l */
#include <errno.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "ptx/parser.h"

enum { MAX_NESTING = 64 };

bool ptx_starts_constant(const struct token *t)
{
    return t->kind == TOK_INT || t->kind == TOK_FLOAT || t->kind == '-' || t->kind == '+' ||
           t->kind == '(' || t->kind == '~' ||
           (t->kind == TOK_WORD && ptx_same_text(t->name, "WARP_SZ"));
}

bool ptx_integer(struct parser *p, uint64_t *out)
{
    const struct token *t = p->tok;
    if (t->kind != TOK_INT)
        return ptx_unexpected(p, "an integer");
    const char *s = p->lx.text + t->at, *end = s + t->len;
    uint64_t base = 10, value = 0;
    if (s[0] == '0' && t->len > 1 && s[1] != 'U') {
        base = s[1] == 'x' || s[1] == 'X' ? 16 : s[1] == 'b' || s[1] == 'B' ? 2 : 8;
        s += base == 8 ? 1 : 2;
    }
    for (; s < end && *s != 'U'; s++) {
        uint64_t digit = (uint64_t)(*s <= '9' ? *s - '0' : (*s | 32) - 'a' + 10);
        if (digit >= base)
            return ptx_error(p, t, "'%s' is not an octal number", ptx_token_text(p, t));
        if (value > (UINT64_MAX - digit) / base)
            return ptx_error(p, t, "the number '%s' does not fit into 64 bits", ptx_token_text(p, t));
        value = value * base + digit;
    }
    p->tok++;
    *out = value;
    return true;
}

static uint64_t hex_digits(const char *s, int n)
{
    uint64_t v = 0;
    for (int i = 0; i < n; i++)
        v = v << 4 | (uint64_t)(s[i] <= '9' ? s[i] - '0' : (s[i] | 32) - 'a' + 10);
    return v;
}

/* In the C locale, whatever the host program has chosen. */
static double decimal(const char *s)
{
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    double d = c ? strtod_l(s, NULL, c) : strtod(s, NULL);
    if (c)
        freelocale(c);
    return d;
}

static void float_token(struct parser *p, struct constant *out)
{
    const char *s = p->lx.text + p->tok->at;
    char prefix = s[0] == '0' ? (char)(s[1] | 32) : 0;
    out->is_float = true;
    out->type = PTX_F64;
    if (prefix == 'f') {
        out->type = PTX_F32;
        out->bits = hex_digits(s + 2, 8);
    } else if (prefix == 'd') {
        out->bits = hex_digits(s + 2, 16);
    } else {
        double d = decimal(ptx_token_text(p, p->tok));
        memcpy(&out->bits, &d, sizeof d);
    }
    p->tok++;
}

bool ptx_convert_float(const struct constant *c, enum ptx_type to, uint64_t *bits)
{
    float f;
    double d;
    uint32_t low = (uint32_t)c->bits;
    if (!c->is_float)
        return false;
    if (c->type == to) {
        *bits = c->bits;
    } else if (to == PTX_F64) {
        memcpy(&f, &low, sizeof f);
        d = f;
        memcpy(bits, &d, sizeof d);
    } else {
        memcpy(&d, &c->bits, sizeof d);
        f = (float)d;
        memcpy(&low, &f, sizeof f);
        *bits = low;
    }
    return true;
}

static bool binary(struct parser *p, int least, bool with_or, int nesting, struct constant *out);

static bool unary(struct parser *p, bool with_or, int nesting, struct constant *out)
{
    const struct token *t = p->tok;
    if (nesting > MAX_NESTING)
        return ptx_error(p, t, "the constant expression is nested too deeply");
    *out = (struct constant){.type = PTX_S64};
    switch (t->kind) {
    case TOK_FLOAT:
        float_token(p, out);
        return true;
    case TOK_INT: {
        bool u = p->lx.text[t->at + t->len - 1] == 'U';
        if (!ptx_integer(p, &out->bits))
            return false;
        if (u || out->bits > INT64_MAX)
            out->type = PTX_U64;
        return true;
    }
    case '(':
        p->tok++;
        return binary(p, 0, true, nesting + 1, out) && ptx_expect(p, ')');
    case '+':
        p->tok++;
        return unary(p, with_or, nesting + 1, out);
    case '-':
        p->tok++;
        if (!unary(p, with_or, nesting + 1, out))
            return false;
        if (out->is_float)
            out->bits ^= out->type == PTX_F32 ? UINT64_C(1) << 31 : UINT64_C(1) << 63;
        else
            out->bits = 0 - out->bits;
        return true;
    case '~':
        p->tok++;
        if (!unary(p, with_or, nesting + 1, out))
            return false;
        if (out->is_float)
            return ptx_error(p, t, "'~' of a floating constant");
        out->bits = ~out->bits;
        return true;
    case TOK_WORD:
        if (ptx_same_text(t->name, "WARP_SZ")) {
            out->bits = 32;
            p->tok++;
            return true;
        }
        break;
    }
    return ptx_unexpected(p, "a constant");
}

/* The operator at the current token: its precedence (C's), or -1. Shifts are two tokens side by side. */
static int operator_at(const struct parser *p, bool with_or, int *op, int *tokens)
{
    const struct token *t = p->tok;
    *op = t->kind;
    *tokens = 1;
    switch (t->kind) {
    case '|':
        return with_or ? 1 : -1;
    case '^':
        return 2;
    case '&':
        return 3;
    case '<':
    case '>':
        *tokens = 2;
        return t[1].kind == t->kind && t[1].at == t->at + 1 ? 4 : -1;
    case '+':
    case '-':
        return 5;
    case '*':
    case '/':
    case '%':
        return 6;
    default:
        return -1;
    }
}

static uint64_t shift(uint64_t a, uint64_t n, bool left, bool is_signed)
{
    if (left)
        return n < 64 ? a << n : 0;
    if (is_signed)
        return (uint64_t)((int64_t)a >> (n < 64 ? n : 63));
    return n < 64 ? a >> n : 0;
}

static uint64_t divide(uint64_t a, uint64_t b, bool rest, bool is_signed)
{
    if (is_signed && b == UINT64_MAX)
        return rest ? 0 : 0 - a;
    if (is_signed)
        return rest ? (uint64_t)((int64_t)a % (int64_t)b) : (uint64_t)((int64_t)a / (int64_t)b);
    return rest ? a % b : a / b;
}

static bool combine(struct parser *p, const struct token *at, int op, const struct constant *b,
                    struct constant *a)
{
    if (a->is_float || b->is_float)
        return ptx_error(p, at, "arithmetic with floating constants is not supported: "
                                "write the result");
    bool s = a->type == PTX_S64 && b->type == PTX_S64;
    if ((op == '/' || op == '%') && b->bits == 0)
        return ptx_error(p, at, "division by zero in a constant expression");
    switch (op) {
    case '|':
        a->bits |= b->bits;
        break;
    case '^':
        a->bits ^= b->bits;
        break;
    case '&':
        a->bits &= b->bits;
        break;
    case '<':
    case '>':
        s = a->type == PTX_S64;
        a->bits = shift(a->bits, b->bits, op == '<', s);
        break;
    case '+':
        a->bits += b->bits;
        break;
    case '-':
        a->bits -= b->bits;
        break;
    case '*':
        a->bits *= b->bits;
        break;
    default:
        a->bits = divide(a->bits, b->bits, op == '%', s);
    }
    a->type = s ? PTX_S64 : PTX_U64;
    return true;
}

static bool binary(struct parser *p, int least, bool with_or, int nesting, struct constant *out)
{
    if (!unary(p, with_or, nesting, out))
        return false;
    for (;;) {
        int op, tokens, precedence = operator_at(p, with_or, &op, &tokens);
        if (precedence < 0 || precedence < least)
            return true;
        const struct token *at = p->tok;
        struct constant right;
        p->tok += tokens;
        if (!binary(p, precedence + 1, with_or, nesting + 1, &right) ||
            !combine(p, at, op, &right, out))
            return false;
    }
}

bool ptx_constant(struct parser *p, bool with_or, struct constant *out)
{
    return binary(p, 0, with_or, 0, out);
}
