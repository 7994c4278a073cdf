/* Findings as SARIF (Static Analysis Results Interchange Format, version 2.1.0, OASIS Standard 2020), which code hosts
 * and editors show beside the source. */
#ifndef REPORT_SARIF_H
#define REPORT_SARIF_H

#include <stdbool.h>
#include <stdio.h>

struct findings;

/* One run with a result for each finding. `version`: ours. False: errno says why it was not written. */
bool sarif_write(const struct findings *fs, const char *version, FILE *file);

#endif
