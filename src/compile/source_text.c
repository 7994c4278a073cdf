/* See source_text.h. */
#include "compile/source_text.h"

#include <string.h>

const char *source_over_opaque(const struct source_text *t, const char *p)
{
    const char *end;
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

const char *source_three(const struct source_text *t, const char *p, char sign, bool *apart)
{
    *apart = false;
    for (int n = 0; n < 3; n++, p++) {
        const char *q = p;
        while (n && q < t->end && (*q == ' ' || *q == '\t'))
            q++;
        if (q >= t->end || *q != sign)
            return NULL;
        *apart = *apart || q > p;
        p = q;
    }
    return p < t->end && (*p == sign || *p == '=') ? NULL : p;
}

const char *source_closing(const struct source_text *t, const char *p, const char **end, bool *apart)
{
    int depth = 0;
    while (p < t->end && *p != ';') {
        const char *over = source_over_opaque(t, p);
        if (over > p) {
            p = over;
            continue;
        }
        if (strchr("([{", *p) && *p)
            depth++;
        else if (strchr(")]}", *p) && *p && --depth < 0)
            return NULL;
        else if (depth == 0 && (*end = source_three(t, p, '>', apart)))
            return p;
        p++;
    }
    return NULL;
}
