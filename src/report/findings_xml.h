/* Findings as XML in compute-sanitizer's form (`--save FILE --xml`), and suppressions, which are records of that form.
 *
 * A record of a suppressions file names what it has: <kind>, <level>, <what> with <text> and <size>, <where> with <func>,
 * <path> and <line>, <hostStack> with <frame>s of <func> and <module>, the innermost first. A finding is suppressed when
 * everything that the record has fits: to the letter, or as an extended regular expression over the whole text. What the
 * record leaves out fits always, further frames too. */
#ifndef REPORT_FINDINGS_XML_H
#define REPORT_FINDINGS_XML_H

#include <stdbool.h>
#include <stdio.h>

struct diag_list;
struct finding;
struct findings;
struct suppressions;

/* False: errno says why it was not written. */
bool findings_write_xml(const struct findings *fs, FILE *file);

/* NULL, with an error that names file and line, when it is no such file. */
struct suppressions *suppressions_read(const char *path, struct diag_list *diags);
void suppressions_free(struct suppressions *s); /* NULL is fine */
bool suppressions_match(const struct suppressions *s, const struct finding *f);

#endif
