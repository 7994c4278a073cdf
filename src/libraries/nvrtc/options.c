/* The options of one compilation (see options.h). Messages are in NVRTC's words, which programs look for. */
#include "options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const int options_archs[] = {50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 89, 90, 0};

enum argument { NONE, VALUE, JOINED, BOOL };
enum action { HAND, OWN, IGNORE, REFUSE };

static const struct row {
    const char *name, *brief;
    enum argument argument;
    enum action action;
    const char *text;
} rows[] = {
#define OPTION(name, brief, argument, action, text) {name, brief, argument, action, text},
#include "options.def"
#undef OPTION
};

/* Does the word begin with one of the option's names? *value: behind '=', or behind the name (JOINED), or NULL. */
static bool is_option(const struct row *r, const char *word, const char **value)
{
    const char *const names[] = {r->name, r->brief};
    for (int i = 0; i < 2; i++) {
        size_t n = strlen(names[i]);
        if (strncmp(word, names[i], n))
            continue;
        bool joined = r->argument == JOINED && i == 1;
        if (!word[n] || (word[n] == '=' && r->argument != NONE) || joined) {
            *value = word[n] == '=' ? word + n + 1 : word[n] ? word + n : NULL;
            return true;
        }
    }
    return false;
}

static bool read_arch(struct options *o, const char *value)
{
    int number = 0, used = 0;
    o->real = !strncmp(value, "sm_", 3);
    if ((!o->real && strncmp(value, "compute_", 8)) || sscanf(strchr(value, '_') + 1, "%d%n", &number, &used) != 1)
        return false;
    const char *rest = strchr(value, '_') + 1 + used;
    bool known = false;
    for (const int *a = options_archs; *a; a++)
        known = known || *a == number;
    if (!known || (*rest && strcmp(rest, "a")))
        return false;
    snprintf(o->arch, sizeof o->arch, "sm_%d%s", number, rest);
    return true;
}

static bool read_standard(struct options *o, const char *value)
{
    static const char *const known[] = {"c++03", "c++11", "c++14", "c++17", "c++20", "c++23"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(value, known[i])) {
            snprintf(o->standard, sizeof o->standard, "%s", value);
            return true;
        }
    return false;
}

/* Any number is taken; one that no thread can have says nothing. */
static bool read_limit(struct options *o, const char *value)
{
    char *end;
    const long n = strtol(value, &end, 10);
    o->max_registers = n > 0 && n < 256 ? (int)n : 0;
    return *value && !*end;
}

static bool own(struct options *o, const struct row *r, const char *value, struct text *log)
{
    bool ok = true;
    if (!strcmp(r->brief, "-maxrregcount")) {
        ok = read_limit(o, value);
        if (!ok)
            text_addf(log, "nvrtc: error: %s (%s) expects an integer value\n", r->name, r->brief);
        return ok;
    }
    if (!strcmp(r->brief, "-arch"))
        ok = read_arch(o, value);
    else if (!strcmp(r->brief, "-std"))
        ok = read_standard(o, value);
    else if (!strcmp(r->brief, "-default-device"))
        o->default_device = true;
    else if (!strcmp(r->brief, "-no-source-include"))
        o->no_source_folder = true;
    else
        o->syntax_only = true;
    if (!ok)
        text_addf(log, "nvrtc: error: invalid value for %s (%s)\n", r->name, r->brief);
    return ok;
}

/* What `heddle build` gets: "-ftz=true", "-DX=1", "-include" "file". */
static void hand(struct options *o, const struct row *r, const char *value)
{
    struct text t = {0};
    if (!value || r->argument == NONE)
        text_addf(&t, "%s", r->text);
    else if (r->argument == JOINED)
        text_addf(&t, "%s%s", r->text, value + strspn(value, " "));
    else
        text_addf(&t, "%s=%s", r->text, value);
    o->hand.failed = o->hand.failed || t.failed;
    if (!t.failed)
        list_add(&o->hand, t.s);
    text_release(&t);
}

static bool take(struct options *o, const struct row *r, const char *value, struct text *log)
{
    if (r->argument == BOOL && (!value || (strcmp(value, "true") && strcmp(value, "false")))) {
        text_addf(log, "nvrtc: error: %s (%s) expects true or false\n", r->name, r->brief);
        return false;
    }
    if ((r->argument == VALUE || r->argument == JOINED) && !value && r->action != IGNORE) {
        text_addf(log, "nvrtc: error: %s (%s) expects a value\n", r->name, r->brief);
        return false;
    }
    if (r->action == OWN)
        return own(o, r, value, log);
    if (r->action == REFUSE)
        text_addf(log, "nvrtc: error: option %s (%s) is not there: %s\n", r->name, r->brief, r->text);
    if (r->action == HAND)
        hand(o, r, value);
    return r->action != REFUSE;
}

bool options_read(struct options *o, int n, const char *const *words, struct text *log)
{
    *o = (struct options){.arch = "sm_52", .standard = "c++17"}; /* what NVRTC 12 takes by itself */
    for (int i = 0; i < n; i++) {
        const struct row *found = NULL;
        const char *value = NULL;
        for (size_t k = 0; words[i] && k < sizeof rows / sizeof *rows && !found; k++)
            if (is_option(&rows[k], words[i], &value))
                found = &rows[k];
        if (!found) {
            text_addf(log, "nvrtc: error: unrecognized option %s found\n", words[i] ? words[i] : "(null)");
            return false;
        }
        if (!value && found->argument != NONE && i + 1 < n)
            value = words[++i];
        if (!take(o, found, value, log))
            return false;
    }
    return true;
}

void options_release(struct options *o)
{
    list_release(&o->hand);
}
