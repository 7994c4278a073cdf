/* See launches.h. */
#include "compile/launches.h"

#include <ctype.h>
#include <string.h>

struct text {
    char *s, *end;
};

/* Behind a comment, string or character constant that begins at p; p if there is none. */
static char *over_opaque(const struct text *t, char *p)
{
    char *end;
    if (p + 1 < t->end && p[0] == '/' && p[1] == '/') {
        end = memchr(p, '\n', (size_t)(t->end - p));
        return end ? end : t->end;
    }
    if (p + 1 < t->end && p[0] == '/' && p[1] == '*') {
        for (p += 2; p + 1 < t->end && !(p[0] == '*' && p[1] == '/'); p++)
            ;
        return p + 1 < t->end ? p + 2 : t->end;
    }
    if (*p != '"' && *p != '\'')
        return p;
    for (end = p + 1; end < t->end && *end != *p && *end != '\n'; end++)
        if (*end == '\\' && end + 1 < t->end)
            end++;
    return end < t->end ? end + 1 : t->end;
}

/* The end of three `sign`s at p, with blanks between them or not; NULL: they are not there. A fourth, or an '=', makes
 * something else of them. */
static char *three(const struct text *t, char *p, char sign, bool *apart)
{
    *apart = false;
    for (int n = 0; n < 3; n++, p++) {
        char *q = p;
        while (n && q < t->end && (*q == ' ' || *q == '\t'))
            q++;
        if (q >= t->end || *q != sign)
            return NULL;
        *apart = *apart || q > p;
        p = q;
    }
    return p < t->end && (*p == sign || *p == '=') ? NULL : p;
}

static void join(char *from, char *end, char sign)
{
    memset(from, sign, 3);
    memset(from + 3, ' ', (size_t)(end - from - 3));
}

/* The `>>>` of the launch whose configuration begins at p, outside of all brackets; NULL: none in this statement. */
static char *closing(const struct text *t, char *p, char **end, bool *apart)
{
    int depth = 0;
    while (p < t->end && *p != ';') {
        char *over = over_opaque(t, p);
        if (over > p) {
            p = over;
            continue;
        }
        if (strchr("([{", *p) && *p)
            depth++;
        else if (strchr(")]}", *p) && *p && --depth < 0)
            return NULL;
        else if (depth == 0 && (*end = three(t, p, '>', apart)))
            return p;
        p++;
    }
    return NULL;
}

static char *over_word(const struct text *t, char *p, const char *word)
{
    size_t n = strlen(word);
    return (size_t)(t->end - p) > n && memcmp(p, word, n) == 0 && strchr(" \t\r\n", p[n]) ? p + n : NULL;
}

/* Takes `__device__` out of `__device__ __shared__` and `__shared__ __device__` at p; false: neither stands there. */
static bool mend_qualifiers(const struct text *t, char *p)
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

static bool is_letter(const struct text *t, const char *p)
{
    return p < t->end && (isalpha((unsigned char)*p) || *p == '_'); /* begins a name */
}

/* Registers in the string that begins at p. */
static bool mend_registers(const struct text *t, char *p)
{
    char *end = over_opaque(t, p);
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

static char *over_blanks(const struct text *t, char *p)
{
    while (p < t->end && isspace((unsigned char)*p))
        p++;
    return p;
}

static bool in_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static char *over_name(const struct text *t, char *p)
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

/* The strings of the assembly statement whose first word ends at p. */
static bool mend_assembly(const struct text *t, char *p)
{
    char *word = over_blanks(t, p), *end = over_name(t, word);
    bool changed = false;
    p = is_name(word, end, "volatile") ? over_blanks(t, end) : word;
    if (p >= t->end || *p != '(')
        return false;
    for (p = over_blanks(t, p + 1); p < t->end && *p == '"'; p = over_blanks(t, over_opaque(t, p)))
        changed = mend_registers(t, p) || changed;
    return changed;
}

bool launches_mend(char *text, size_t len)
{
    struct text t = {text, text + len};
    bool changed = false;
    for (char *p = text; p < t.end;) {
        char *over = over_opaque(&t, p), *open_end, *close, *close_end;
        bool open_apart, close_apart;
        if (over > p) {
            p = over;
            continue;
        }
        changed = mend_qualifiers(&t, p) || changed;
        if (is_letter(&t, p) && (p == text || !in_name(p[-1])) && is_name(p, over_name(&t, p), "asm"))
            changed = mend_assembly(&t, over_name(&t, p)) || changed;
        open_end = three(&t, p, '<', &open_apart);
        close = open_end ? closing(&t, open_end, &close_end, &close_apart) : NULL;
        if (!close) {
            p++;
            continue;
        }
        if (open_apart)
            join(p, open_end, '<');
        if (close_apart)
            join(close, close_end, '>');
        changed = changed || open_apart || close_apart;
        p = close_end;
    }
    return changed;
}
