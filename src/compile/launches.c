/* See launches.h. */
#include "compile/launches.h"

#include <ctype.h>
#include <string.h>

#include "compile/source_text.h"

static void join(char *from, const char *end, char sign)
{
    memset(from, sign, 3);
    memset(from + 3, ' ', (size_t)(end - from - 3));
}

static char *over_word(const struct source_text *t, char *p, const char *word)
{
    size_t n = strlen(word);
    return (size_t)(t->end - p) > n && memcmp(p, word, n) == 0 && strchr(" \t\r\n", p[n]) ? p + n : NULL;
}

/* Takes `__device__` out of `__device__ __shared__` and `__shared__ __device__` at p; false: neither stands there. */
static bool mend_qualifiers(const struct source_text *t, char *p)
{
    static const char device[] = "__device__", shared[] = "__shared__";
    for (int order = 0; order < 2; order++) {
        char *second = over_word(t, p, order ? shared : device);
        while (second && second < t->end && strchr(" \t\r\n", *second))
            second++;
        if (second && second < t->end && over_word(t, second, order ? device : shared)) {
            memset(order ? second : p, ' ', sizeof device - 1);
            return true;
        }
    }
    return false;
}

static bool is_letter(const struct source_text *t, const char *p)
{
    return p < t->end && (isalpha((unsigned char)*p) || *p == '_'); /* begins a name */
}

/* Registers in the string that begins at p. */
static bool mend_registers(const struct source_text *t, char *p)
{
    const char *end = source_over_opaque(t, p);
    bool changed = false;
    for (p++; p < end; p++) {
        if ((*p == '\\' || *p == '%') && p + 1 < end && (*p == '\\' || p[1] == '%'))
            p++;
        else if (*p == '%' && p[-1] == ' ' && is_letter(t, p + 1) && is_letter(t, p + 2)) {
            p[-1] = '%';
            changed = true;
        }
    }
    return changed;
}

static char *over_blanks(const struct source_text *t, char *p)
{
    while (p < t->end && isspace((unsigned char)*p))
        p++;
    return p;
}

static bool in_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static char *over_name(const struct source_text *t, char *p)
{
    while (p < t->end && in_name(*p))
        p++;
    return p;
}

/* The word, or with two underscores before it, behind it or both? */
static bool is_name(const char *p, const char *end, const char *plain)
{
    size_t n = strlen(plain), under = end - p > 2 && p[0] == '_' && p[1] == '_' ? 2 : 0;
    const char *behind = p + under + n;
    return behind <= end && memcmp(p + under, plain, n) == 0 && (behind == end || (end - behind == 2 && behind[0] == '_' && behind[1] == '_'));
}

/* Behind the string that begins at p. */
static char *behind(const struct source_text *t, char *p)
{
    return p + (source_over_opaque(t, p) - p);
}

/* "r"(a) "l"(b): commas between the operands that begin at p, in the place of a blank. */
static bool mend_operands(const struct source_text *t, char *p)
{
    bool changed = false;
    for (int depth = 0; p < t->end && *p != ';';) {
        char *over = behind(t, p);
        if (over > p) {
            p = over;
            continue;
        }
        depth += (*p == '(') - (*p == ')');
        if (depth < 0)
            break;
        char *next = *p == ')' && depth == 0 ? over_blanks(t, p + 1) : p;
        if (next > p + 1 && next < t->end && (*next == '"' || *next == '[') && p[1] == ' ') {
            p[1] = ',';
            changed = true;
        }
        p++;
    }
    return changed;
}

/* The strings and operands of the assembly statement whose first word ends at p. */
static bool mend_assembly(const struct source_text *t, char *p)
{
    char *word = over_blanks(t, p), *end = over_name(t, word);
    bool changed = false;
    p = is_name(word, end, "volatile") ? over_blanks(t, end) : word;
    if (p >= t->end || *p != '(')
        return false;
    for (p = over_blanks(t, p + 1); p < t->end && *p == '"'; p = over_blanks(t, behind(t, p)))
        changed = mend_registers(t, p) || changed;
    return mend_operands(t, p) || changed;
}

bool launches_mend(char *text, size_t len)
{
    struct source_text t = {text, text + len};
    bool changed = false;
    for (char *p = text; p < t.end;) {
        const char *over = source_over_opaque(&t, p), *open_end, *close, *close_end;
        bool open_apart, close_apart;
        if (over > p) {
            p = text + (over - text);
            continue;
        }
        changed = mend_qualifiers(&t, p) || changed;
        if (is_letter(&t, p) && (p == text || !in_name(p[-1])) && is_name(p, over_name(&t, p), "asm"))
            changed = mend_assembly(&t, over_name(&t, p)) || changed;
        open_end = source_three(&t, p, '<', &open_apart);
        close = open_end ? source_closing(&t, open_end, &close_end, &close_apart) : NULL;
        if (!close) {
            p++;
            continue;
        }
        if (open_apart)
            join(p, open_end, '<');
        if (close_apart)
            join(text + (close - text), close_end, '>');
        changed = changed || open_apart || close_apart;
        p = text + (close_end - text);
    }
    return changed;
}
