/* `nsys export --type sqlite`: a trace as a database of SQLite in nsys's tables (nsys_sqlite.def).
 *
 * SQLite's library (Debian: libsqlite3-0) is loaded when it is asked for; nothing else needs it. */
#ifndef CLI_NSYS_SQLITE_H
#define CLI_NSYS_SQLITE_H

#include "report/trace.h"

struct strbuf;

/* Writes the file anew; one that is there is an error unless `force`. False: said why (no library; it cannot be written). */
bool nsys_sqlite_write(const struct trace *t, const char *path, bool force, struct diag_list *diags);

/* "report.sqlite" for "report.nsys-rep". */
const char *nsys_sqlite_name(const char *report, struct arena *a);

/* `nsys export`: its arguments behind that word. Answers an exit status; nsys_export_help lists its flags. */
int nsys_export(int argc, char **argv, struct diag_list *diags);
void nsys_export_help(struct strbuf *out);

#endif
