/* Forms of kernel names and filters over them (see names.h). */
#include "report/names.h"

#include <string.h>

#include "base/alloc.h"
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

const char *name_instance(const char *demangled, const char *mangled, struct arena *a)
{
    const char *function = name_form(NAME_FUNCTION, demangled, mangled, a), *s, *end;
    int depth = 0;

    s = demangled && *function ? strstr(demangled, function) : NULL;
    if (!s)
        return demangled ? demangled : mangled;
    end = s + strlen(function);
    for (; *end == '<' || (*end && depth > 0); end++)
        depth += *end == '<' ? 1 : *end == '>' && end[-1] != '-' ? -1 : 0;
    return arena_strndup(a, s, (size_t)(end - s));
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

/* --- rules --- */

enum rule_form { RULE_EXACT, RULE_PART, RULE_PATTERN };

struct name_rule {
    enum rule_form form;
    bool exclude;
    const char *text; /* behind the prefix */
    regex_t pattern;
};

static const struct {
    const char *prefix;
    enum rule_form form;
} forms[] = {{"kne=", RULE_EXACT},   {"kernel_name=", RULE_EXACT}, {"kns=", RULE_PART}, {"kernel_substring=", RULE_PART},
             {"regex=", RULE_PATTERN}, {"regex:", RULE_PATTERN},     {"kre=", RULE_PATTERN}};

bool name_rules_add(struct name_rules *r, const char *text, bool exclude, const char *flag, struct diag_list *diags)
{
    struct name_rule rule = {.exclude = exclude, .text = text};

    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (!strncmp(text, forms[i].prefix, strlen(forms[i].prefix))) {
            rule.form = forms[i].form;
            rule.text = text + strlen(forms[i].prefix);
            break;
        }
    if (rule.form == RULE_PATTERN && regcomp(&rule.pattern, rule.text, REG_EXTENDED | REG_NOSUB)) {
        diag_add(diags, DIAG_ERROR, NULL, 0, "flag '%s': '%s' is not a regular expression", flag, rule.text);
        return false;
    }
    r->rule = alloc_resize(r->rule, (size_t)(r->n + 1) * sizeof *r->rule);
    r->rule[r->n++] = rule;
    return true;
}

void name_rules_release(struct name_rules *r)
{
    for (int i = 0; i < r->n; i++)
        if (r->rule[i].form == RULE_PATTERN)
            regfree(&r->rule[i].pattern);
    alloc_release(r->rule);
    *r = (struct name_rules){0};
}

static bool rule_names(const struct name_rule *r, const char *name)
{
    if (r->form == RULE_PATTERN)
        return regexec(&r->pattern, name, 0, NULL, 0) == 0;
    return r->form == RULE_PART ? strstr(name, r->text) != NULL : !strcmp(name, r->text);
}

bool name_rules_match(const struct name_rules *r, const char *demangled, const char *mangled)
{
    bool named = false, including = false;
    struct arena a;
    const char *function;

    arena_init(&a);
    function = name_form(NAME_FUNCTION, demangled, mangled, &a);
    for (int i = 0; i < r->n; i++) {
        bool matches = rule_names(&r->rule[i], function) || rule_names(&r->rule[i], demangled) ||
                       rule_names(&r->rule[i], mangled);

        including |= !r->rule[i].exclude;
        named |= matches && !r->rule[i].exclude;
        if (matches && r->rule[i].exclude) {
            arena_release(&a);
            return false;
        }
    }
    arena_release(&a);
    return named || !including;
}
