/* Kernel names as the profiler prints them: `void f<16>(const float *, int)`.
 *
 * In: an Itanium-ABI mangled name. The C++ runtime's demangler writes `float const*`; here const moves to the front of
 * its type and pointers are set apart. A name that is not mangled stays as it is. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "report/result.h"

/* The C++ runtime's (Itanium C++ ABI, section 3.4). */
extern char *__cxa_demangle(const char *mangled, char *buffer, size_t *length, int *status);

/* Start of the type that ends before `end`: behind the last '(', ',' or '<' that is not inside <...> or (...). */
static size_t type_start(const char *s, size_t end)
{
    int depth = 0;
    size_t i = end;

    while (i > 0) {
        char c = s[i - 1];

        if (c == '>' || c == ')')
            depth++;
        else if ((c == '<' || c == '(' || c == ',') && depth == 0)
            break;
        else if (c == '<' || c == '(')
            depth--;
        i--;
    }
    while (i < end && s[i] == ' ')
        i++;
    return i;
}

static bool word_ends(char c)
{
    return !isalnum((unsigned char)c) && c != '_';
}

/* "float const*" to "const float*", in place: " const" and "const " are equally long. */
static void const_first(char *s)
{
    static const char word[] = " const";
    const size_t n = sizeof word - 1;
    char *at = s;

    while ((at = strstr(at, word))) {
        size_t end = (size_t)(at - s), start;

        at += n;
        if (!word_ends(*at) || end == 0 || s[end - 1] == '*' || s[end - 1] == '&' || s[end - 1] == ')')
            continue;
        start = type_start(s, end);
        memmove(s + start + n, s + start, end - start);
        memcpy(s + start, "const ", n);
    }
}

/* The name without the number that tells it from another file's of the same name (ptx/link.h). */
static const char *without_number(struct arena *a, const char *mangled)
{
    const char *mark = strrchr(mangled, '$');
    bool number = mark && mark[1] && strspn(mark + 1, "0123456789") == strlen(mark + 1);
    return number ? arena_strndup(a, mangled, (size_t)(mark - mangled)) : mangled;
}

const char *result_demangle(struct arena *a, const char *mangled)
{
    int status = -1;
    char *plain = strncmp(mangled, "_Z", 2) ? NULL : __cxa_demangle(without_number(a, mangled), NULL, NULL, &status);
    struct strbuf b;
    const char *name;

    if (!plain || status != 0) {
        free(plain);
        return arena_strdup(a, mangled);
    }
    const_first(plain);
    strbuf_init(&b);
    for (const char *c = plain; *c; c++) {
        if ((*c == '*' || *c == '&') && c > plain && !strchr(" *&(", c[-1]))
            strbuf_add(&b, " ", 1);
        strbuf_add(&b, c, 1);
    }
    name = arena_strdup(a, b.s ? b.s : "");
    strbuf_release(&b);
    free(plain);
    return name;
}
