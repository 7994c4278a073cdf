/* Sections and sets of the details page, under ncu's names (sections.def). */
#ifndef REPORT_SECTIONS_H
#define REPORT_SECTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "counters/counters.h"

struct diag_list;
struct strbuf;

enum section {
#define SECTION(id, name, sets, there, needs, help) SECTION_##id,
#include "report/sections.def"
#undef SECTION
    SECTION_COUNT
};

/* A set of sections, as bits. */
typedef uint32_t section_set;
#define SECTIONS_ALL ((section_set)((1u << SECTION_COUNT) - 1))

static inline bool section_in(section_set s, enum section i)
{
    return s >> i & 1;
}

/* Adds the sections of a name, or of "regex:EXPRESSION". A name that ncu does not have is an error with a near match;
 * one that nothing computes yet a warning. */
bool sections_add(section_set *s, const char *name, struct diag_list *diags);

/* Adds those of a set: basic, detailed, full, roofline. `default`, which ncu once had, is an error like any other. */
bool sections_add_set(section_set *s, const char *name, struct diag_list *diags);

/* What launches have to collect for these sections. */
counter_groups sections_groups(section_set s);

/* Those of the sections for which something exact was not collected, or that are about time and it was not. (Without modelled caches their
 * rows are n/a; so are those of Occupancy that are achieved.) */
section_set sections_missing(section_set s, counter_groups collected);
void sections_add_names(section_set s, struct strbuf *out); /* "A, B" */

/* --list-sections, --list-sets */
void sections_list(struct strbuf *out);
void sections_list_sets(struct strbuf *out);

#endif
