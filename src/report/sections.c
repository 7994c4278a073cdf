/* Names of sections and sets (see sections.h). */
#include "report/sections.h"

#include <regex.h>
#include <string.h>

#include "base/diag.h"
#include "base/near.h"
#include "base/strbuf.h"

static const struct {
    const char *name, *sets;
    bool there;
    counter_groups needs;
    const char *help;
} sections[] = {
#define SECTION(id, name, sets, there, needs, help) {name, sets, there, needs, help},
#include "report/sections.def"
#undef SECTION
};

static const struct {
    const char *name;
    char letter;
} sets[] = {{"basic", 'B'}, {"detailed", 'D'}, {"full", 'F'}, {"roofline", 'R'}};
enum { SETS = sizeof sets / sizeof *sets };

static bool add_pattern(section_set *s, const char *pattern, struct diag_list *diags)
{
    regex_t re;
    section_set found = 0;

    if (regcomp(&re, pattern, REG_EXTENDED | REG_NOSUB)) {
        diag_add(diags, DIAG_ERROR, NULL, 0, "flag '--section': '%s' is not a regular expression", pattern);
        return false;
    }
    for (int i = 0; i < SECTION_COUNT; i++)
        if (regexec(&re, sections[i].name, 0, NULL, 0) == 0)
            found |= (section_set)1 << i;
    regfree(&re);
    if (!found)
        diag_add(diags, DIAG_ERROR, NULL, 0, "no section matches '%s'; --list-sections shows all", pattern);
    *s |= found;
    return found != 0;
}

bool sections_add(section_set *s, const char *name, struct diag_list *diags)
{
    const char *near = NULL;
    unsigned nearest = near_limit(name);

    if (!strncmp(name, "regex:", 6))
        return add_pattern(s, name + 6, diags);
    for (int i = 0; i < SECTION_COUNT; i++) {
        unsigned far = near_distance(name, sections[i].name, nearest);
        if (!strcmp(name, sections[i].name)) {
            *s |= (section_set)1 << i;
            if (!sections[i].there)
                diag_add(diags, DIAG_WARNING, NULL, 0, "section '%s' (%s) is not there yet", name, sections[i].help);
            return true;
        }
        if (far < nearest) {
            nearest = far;
            near = sections[i].name;
        }
    }
    if (near)
        diag_add(diags, DIAG_ERROR, NULL, 0, "unknown section '%s'; did you mean '%s'?", name, near);
    else
        diag_add(diags, DIAG_ERROR, NULL, 0, "unknown section '%s'; --list-sections shows all", name);
    return false;
}

bool sections_add_set(section_set *s, const char *name, struct diag_list *diags)
{
    for (int k = 0; k < SETS; k++) {
        if (strcmp(name, sets[k].name))
            continue;
        for (int i = 0; i < SECTION_COUNT; i++)
            if (strchr(sections[i].sets, sets[k].letter))
                *s |= (section_set)1 << i;
        return true;
    }
    diag_add(diags, DIAG_ERROR, NULL, 0, "unknown set '%s': there are basic, detailed, full and roofline", name);
    return false;
}

counter_groups sections_groups(section_set s)
{
    counter_groups g = COUNTERS_OF(LAUNCH);

    for (int i = 0; i < SECTION_COUNT; i++)
        g |= s >> i & 1 ? sections[i].needs : 0;
    return g;
}

section_set sections_missing(section_set s, counter_groups collected)
{
    section_set missing = 0;

    for (int i = 0; i < SECTION_COUNT; i++) {
        counter_groups lacks = sections[i].needs & ~collected;

        if (lacks & COUNTERS_EXACT || (sections[i].needs & COUNTERS_EXACT && lacks & COUNTERS_OF(TIME)))
            missing |= s & (section_set)1 << i;
    }
    return missing;
}

void sections_add_names(section_set s, struct strbuf *out)
{
    const char *before = "";

    for (int i = 0; i < SECTION_COUNT; i++)
        if (s >> i & 1) {
            strbuf_addf(out, "%s%s", before, sections[i].name);
            before = ", ";
        }
}

void sections_list(struct strbuf *out)
{
    for (int i = 0; i < SECTION_COUNT; i++)
        strbuf_addf(out, "%-46s %s%s\n", sections[i].name, sections[i].help, sections[i].there ? "" : " (not there yet)");
}

void sections_list_sets(struct strbuf *out)
{
    for (int k = 0; k < SETS; k++) {
        const char *before = "";
        strbuf_addf(out, "%-10s ", sets[k].name);
        for (int i = 0; i < SECTION_COUNT; i++)
            if (strchr(sections[i].sets, sets[k].letter)) {
                strbuf_addf(out, "%s%s%s", before, sections[i].name, sections[i].there ? "" : "*");
                before = ", ";
            }
        strbuf_adds(out, "\n");
    }
    strbuf_adds(out, "* not there yet\n");
}
