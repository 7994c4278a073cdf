/* Kernel names: in the three forms that ncu's --kernel-name-base chooses from, and filters over them. */
#ifndef REPORT_NAMES_H
#define REPORT_NAMES_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/across.h"
#include "base/arena.h"

struct diag_list;

enum name_base {
    NAME_FUNCTION,  /* f: without return type, template arguments and parameters */
    NAME_DEMANGLED, /* void f<16>(const float *) */
    NAME_MANGLED    /* _Z1fILi16EEvPKf */
};

/* One of the forms, from the name as C++ writes it and as the PTX has it; in the arena. */
const char *name_form(enum name_base base, const char *demangled, const char *mangled, struct arena *a);

/* f<16>: the function with its template arguments, without return type and parameters; in the arena. */
const char *name_instance(const char *demangled, const char *mangled, struct arena *a);

/* A name to be found exactly, or after "regex:" an extended regular expression that matches anywhere in it. */
struct name_filter {
    const char *wanted; /* NULL: every name */
    bool is_pattern;
    regex_t pattern;
};

/* False, with an error that names the flag, when the expression is none. `wanted` must live as long as the filter. */
bool name_filter_init(struct name_filter *f, const char *wanted, const char *flag, struct diag_list *diags);
void name_filter_release(struct name_filter *f);
bool name_filter_matches(const struct name_filter *f, const char *name);

/* Rules of compute-sanitizer: a kernel is meant when one of the rules names it, or there are none, and no excluding rule
 * does. Exactly: NAME, kne=NAME or kernel_name=NAME; a part: kns=, kernel_substring=; an extended regular expression
 * that matches anywhere: regex=, regex:, kre=. Each is tried on the name in all three forms. */
struct name_rules {
    struct name_rule *rule;
    int n;
};

/* False, with an error that names the flag. `text` must live as long as the rules. */
bool name_rules_add(struct name_rules *r, const char *text, bool exclude, const char *flag, struct diag_list *diags) ACROSS(name_rules_add);
void name_rules_release(struct name_rules *r);
bool name_rules_match(const struct name_rules *r, const char *demangled, const char *mangled) ACROSS(name_rules_match);

#endif
