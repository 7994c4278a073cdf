/* The page of machine code: each instruction with how often it was executed, the source lines that it is made for between. */
#ifndef REPORT_MACHINE_PAGE_H
#define REPORT_MACHINE_PAGE_H

#include "report/result.h"

struct strbuf;

/* Executed by warps, by threads, and by threads with a true predicate; address, instruction. The launch must have code (result.h). */
void report_machine(const struct result *r, struct strbuf *out);

/* The same as CSV: the kernel's name, a header, and a line for each instruction. An empty line behind. */
void report_machine_csv(const struct result *r, struct strbuf *out);

#endif
