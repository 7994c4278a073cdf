/* Kernel names: in the three forms that ncu's --kernel-name-base chooses from, and filters over them. */
#ifndef REPORT_NAMES_H
#define REPORT_NAMES_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

struct diag_list;

enum name_base {
    NAME_FUNCTION,  /* f: without return type, template arguments and parameters */
    NAME_DEMANGLED, /* void f<16>(const float *) */
    NAME_MANGLED    /* _Z1fILi16EEvPKf */
};

/* One of the forms, from the name as C++ writes it and as the PTX has it; in the arena. */
const char *name_form(enum name_base base, const char *demangled, const char *mangled, struct arena *a);

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

#endif
