/* Diagnostics: what went wrong, where, and the source line with a caret.
 *
 * A list of messages that a library function fills and its caller prints; nothing below cli/ and runtime/ prints.
 * Text: lower case, what went wrong first, the subject in quotes, what to do about it. */
#ifndef BASE_DIAG_H
#define BASE_DIAG_H

#include "base/across.h"
#include "base/arena.h"

struct strbuf;

enum diag_severity { DIAG_NOTE, DIAG_WARNING, DIAG_ERROR };

struct diag {
    enum diag_severity severity;
    const char *file; /* the user's file, or NULL */
    int line, column; /* from 1; 0: not known. column counts bytes, of `source` */
    int ptx_line;     /* line of the PTX text, 0: none */
    const char *text; /* the message */
    const char *source; /* the source line that the caret points into, or NULL */
    struct diag *next;
};

struct diag_list {
    struct arena arena;
    struct diag *first, **last;
    int errors; /* how many of severity DIAG_ERROR */
    int limit;  /* further messages are counted, not kept; 0: 100 */
    const char *program; /* diag_format_all puts it before errors and warnings that belong to no file; NULL: nothing */
    int count;
};

void diag_init(struct diag_list *l) ACROSS(diag_init);
void diag_release(struct diag_list *l) ACROSS(diag_release);

/* Adds a message and returns it, so that the caller can fill in further fields (never NULL). */
struct diag *diag_add(struct diag_list *l, enum diag_severity severity, const char *file, int line,
                      const char *fmt, ...) __attribute__((format(printf, 5, 6)));

/* file.cu:14:3 (PTX line 52): error: text, then the source line with a caret. */
void diag_format(const struct diag *d, struct strbuf *out);
void diag_format_all(const struct diag_list *l, struct strbuf *out) ACROSS(diag_format_all);

/* A file as messages show it: relative when it lies below the working directory. Points into `file`. */
const char *diag_file(const char *file);

#endif
