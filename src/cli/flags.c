/* Flags of a command, from a table. */
#include "cli/flags.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/near.h"
#include "base/strbuf.h"
#include "compile/compile.h"

void flags_help(const struct flag *rows, int n, struct strbuf *out)
{
    for (int i = 0; i < n; i++) {
        const struct flag *f = &rows[i];
        char spelling[64];

        if (f->without)
            continue;
        snprintf(spelling, sizeof spelling, "%s%s%s %s", f->brief ? f->brief : "", f->brief ? ", " : "", f->name,
                 f->value ? f->value : "");
        strbuf_addf(out, "  %-28s %s\n", spelling, f->help);
    }
}

void flags_wrong(struct diag_list *diags, const char *flag, const char *value, const char *wanted)
{
    diag_add(diags, DIAG_ERROR, NULL, 0, "flag '%s': '%s' is not %s", flag, value, wanted);
}

long flags_count(struct diag_list *diags, const char *flag, const char *value)
{
    char *end;
    long n = strtol(value, &end, 10);

    if (!*end && end != value && n >= 0)
        return n;
    flags_wrong(diags, flag, value, "a number from 0");
    return 0;
}

int flags_choice(struct diag_list *diags, const struct flag *row, const char *value, const char *const *words, int n)
{
    for (int i = 0; i < n; i++)
        if (!strcmp(value, words[i]))
            return i;
    flags_wrong(diags, row->name, value, row->value);
    return 0;
}

int flags_list(struct diag_list *diags, const struct flag *row, const char *value, const char ***words)
{
    int n = 0, most = 1;

    for (const char *at = value; *at; at++)
        most += *at == ',';
    *words = ARENA_ARRAY(&diags->arena, const char *, most);
    for (const char *at = value; at;) {
        size_t len = strcspn(at, ",");

        if (!len) {
            flags_wrong(diags, row->name, value, "a name, or several with commas between them");
            return 0;
        }
        (*words)[n++] = arena_strndup(&diags->arena, at, len);
        at = at[len] ? at + len + 1 : NULL;
    }
    return n;
}

/* The flag that the word's name (up to '=') is, or the only one that begins so; -1: none, -2: several, with an error. */
static int find(const struct flag_set *set, const char *word, bool prefixes)
{
    size_t n = strcspn(word, "=");
    int found = -1;

    for (int i = 0; i < set->n; i++) {
        const struct flag *f = &set->rows[i];

        if ((strlen(f->name) == n && !strncmp(word, f->name, n)) || (f->brief && !strcmp(word, f->brief)))
            return i;
        if (!prefixes || n < 4 || strncmp(word, f->name, n))
            continue;
        if (found >= 0 && f->without)
            continue; /* one with an effect was meant, or nobody minds which */
        if (found >= 0 && !set->rows[found].without) {
            diag_add(set->diags, DIAG_ERROR, NULL, 0, "flag '%s' could be '%s' or '%s'", word, set->rows[found].name,
                     f->name);
            return -2;
        }
        found = i;
    }
    return found;
}

/* Does the flag take this next word as its value? One that may do without takes "yes" and "no" only. */
static bool takes(const struct flag *f, const char *next)
{
    if (!f->value || f->value[0] != '[')
        return f->value != NULL;
    return next && (!strcmp(next, "yes") || !strcmp(next, "no"));
}

/* Takes one flag of the table; returns the words taken, 0: not in it. */
static int take_own(const struct flag_set *set, int argc, char **argv, bool prefixes)
{
    int i = find(set, argv[0], prefixes);
    const char *joined = strncmp(argv[0], "--", 2) ? NULL : strchr(argv[0], '=');
    const struct flag *f;

    if (i < 0)
        return i == -2;
    f = &set->rows[i];
    if (f->without)
        diag_add(set->diags, DIAG_NOTE, NULL, 0, "'%s' has no effect here: %s", f->name, f->without);
    else if (!f->value && joined)
        diag_add(set->diags, DIAG_ERROR, NULL, 0, "flag '%s' takes no value", f->name);
    else if (joined || !takes(f, argc > 1 ? argv[1] : NULL))
        set->set(set->to, i, joined ? joined + 1 : NULL);
    else if (argc < 2)
        diag_add(set->diags, DIAG_ERROR, NULL, 0, "flag '%s' needs a value: %s", argv[0], f->value);
    else
        set->set(set->to, i, argv[1]);
    return !joined && argc > 1 && takes(f, argv[1]) ? 2 : 1;
}

static void unknown(const struct flag_set *set, const char *word)
{
    const char *best = NULL;
    unsigned nearest = near_limit(word);

    for (int i = 0; i < set->n; i++) {
        unsigned far = near_distance(word, set->rows[i].name, nearest);

        if (far < nearest) {
            nearest = far;
            best = set->rows[i].name;
        }
    }
    if (best)
        diag_add(set->diags, DIAG_ERROR, NULL, 0, "unknown flag '%s'; did you mean '%s'?", word, best);
    else
        diag_add(set->diags, DIAG_ERROR, NULL, 0,
                 "unknown flag '%s'; `%s --help` lists them%s%s", word, set->command, set->hint ? ", " : "",
                 set->hint ? set->hint : "");
}

int flags_take(const struct flag_set *set, struct compile_options *compile, int argc, char **argv)
{
    int i = 0;

    for (int n; i < argc && argv[i][0] == '-'; i += n) {
        if (!strcmp(argv[i], "--"))
            return i + 1;
        n = take_own(set, argc - i, argv + i, false);
        if (!n)
            n = compile ? compile_options_take(compile, argc - i, argv + i, set->diags) : 0;
        if (!n)
            n = take_own(set, argc - i, argv + i, true);
        if (!n) {
            unknown(set, argv[i]);
            n = 1;
        }
    }
    return i;
}
