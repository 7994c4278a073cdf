/* Forms of kernel names and filters over them (see names.h). */
#include "report/names.h"

#include <string.h>

#include "base/diag.h"

/* "void a::f<16>(const float *)" is f: what stands before the first '<' or '(' and behind the last blank or colon. */
static const char *function_of(const char *s, struct arena *a)
{
    const char *end = s + strcspn(s, "<("), *start = end;

    while (start > s && start[-1] != ' ' && start[-1] != ':')
        start--;
    return arena_strndup(a, start, (size_t)(end - start));
}

const char *name_form(enum name_base base, const char *demangled, const char *mangled, struct arena *a)
{
    if (base == NAME_MANGLED || !demangled)
        return mangled;
    return base == NAME_DEMANGLED ? demangled : function_of(demangled, a);
}

bool name_filter_init(struct name_filter *f, const char *wanted, const char *flag, struct diag_list *diags)
{
    memset(f, 0, sizeof *f);
    f->wanted = wanted;
    if (!wanted || strncmp(wanted, "regex:", 6))
        return true;
    f->is_pattern = regcomp(&f->pattern, wanted + 6, REG_EXTENDED | REG_NOSUB) == 0;
    if (!f->is_pattern)
        diag_add(diags, DIAG_ERROR, NULL, 0, "flag '%s': '%s' is not a regular expression", flag, wanted + 6);
    return f->is_pattern;
}

void name_filter_release(struct name_filter *f)
{
    if (f->is_pattern)
        regfree(&f->pattern);
    f->is_pattern = false;
}

bool name_filter_matches(const struct name_filter *f, const char *name)
{
    if (!f->wanted)
        return true;
    return f->is_pattern ? regexec(&f->pattern, name, 0, NULL, 0) == 0 : !strcmp(name, f->wanted);
}
