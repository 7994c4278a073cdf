/* Flags of a command, from a table: FLAG rows of a .def file (profile_flags.def), told to a function one by one.
 *
 * "--name value", "--name=value", and the short spelling; a long name may be shortened as long as it stays clear and is
 * no flag of the compiler. "--" ends them. Flags that are not in the table are offered to compile_options_take. */
#ifndef CLI_FLAGS_H
#define CLI_FLAGS_H

#include <stdbool.h>

struct compile_options;
struct diag_list;
struct strbuf;

struct flag {
    const char *name, *brief; /* long and short spelling; brief may be NULL */
    const char *value, *help; /* what follows, or NULL ("[yes|no]": may be left out); one line */
    const char *without;      /* not NULL: it is taken without effect, for this reason, which a note tells */
};

struct flag_set {
    const struct flag *rows;
    int n;
    const char *command; /* "heddle profile", for messages */
    const char *hint;    /* of an unknown flag: what else the user may have meant, or NULL */
    void (*set)(void *to, int which, const char *value); /* value is NULL for a flag without one */
    void *to;
    struct diag_list *diags;
};

/* Takes words as long as they are flags, the compiler's among them unless `compile` is NULL. Returns the index of the first
 * that is none; messages go to set->diags. */
int flags_take(const struct flag_set *set, struct compile_options *compile, int argc, char **argv);

/* A line for each flag that has an effect. */
void flags_help(const struct flag *rows, int n, struct strbuf *out);

/* "flag 'F': 'V' is not WANTED" */
void flags_wrong(struct diag_list *diags, const char *flag, const char *value, const char *wanted);

/* A number from 0; 0 with an error when it is none. */
long flags_count(struct diag_list *diags, const char *flag, const char *value);

/* Which of the words the value is; 0 with an error that shows row->value when it is none. */
int flags_choice(struct diag_list *diags, const struct flag *row, const char *value, const char *const *words, int n);

/* "a,b,c": the words between the commas, in the diagnostics' arena; returns how many, 0 with an error when one is empty. */
int flags_list(struct diag_list *diags, const struct flag *row, const char *value, const char ***words);

#define FLAGS_CHOICE(diags, row, value, ...)                           \
    flags_choice(diags, row, value, (const char *const[]){__VA_ARGS__}, \
                 sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

#endif
