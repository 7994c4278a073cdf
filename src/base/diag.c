/* Lists of diagnostics and their printed form (see diag.h). */
#include "base/diag.h"
#include "base/strbuf.h"

#include <limits.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

void diag_init(struct diag_list *l)
{
    memset(l, 0, sizeof *l);
    arena_init(&l->arena);
    l->last = &l->first;
}

void diag_release(struct diag_list *l)
{
    arena_release(&l->arena);
    diag_init(l);
}

struct diag *diag_add(struct diag_list *l, enum diag_severity severity, const char *file, int line,
                      const char *fmt, ...)
{
    static _Thread_local struct diag dropped;
    l->errors += severity == DIAG_ERROR;
    if (++l->count > (l->limit ? l->limit : 100))
        return &dropped;

    struct strbuf b;
    va_list ap;
    strbuf_init(&b);
    va_start(ap, fmt);
    strbuf_addv(&b, fmt, ap);
    va_end(ap);

    struct diag *d = ARENA_NEW(&l->arena, struct diag);
    d->severity = severity;
    d->file = file ? arena_strdup(&l->arena, file) : NULL;
    d->line = line;
    d->text = arena_strdup(&l->arena, b.s ? b.s : "");
    strbuf_release(&b);
    *l->last = d;
    l->last = &d->next;
    return d;
}

const char *diag_file(const char *file)
{
    char here[PATH_MAX];
    if (file[0] != '/' || !getcwd(here, sizeof here))
        return file;
    size_t n = strlen(here);
    return n > 1 && !strncmp(file, here, n) && file[n] == '/' && file[n + 1] ? file + n + 1 : file;
}

void diag_format(const struct diag *d, struct strbuf *out)
{
    static const char *const word[] = {"note", "warning", "error"};
    if (d->file) {
        strbuf_adds(out, diag_file(d->file));
        if (d->line)
            strbuf_addf(out, ":%d", d->line);
        if (d->line && d->column && !d->ptx_line) /* else it belongs to the PTX line */
            strbuf_addf(out, ":%d", d->column);
    }
    if (d->ptx_line)
        strbuf_addf(out, d->file ? " (PTX line %d)" : "PTX line %d", d->ptx_line);
    if (d->file || d->ptx_line)
        strbuf_adds(out, ": ");
    strbuf_addf(out, "%s: %s\n", word[d->severity], d->text);
    if (!d->source)
        return;

    int number = d->ptx_line ? d->ptx_line : d->line;
    strbuf_addf(out, "%6d | %s\n", number, d->source);
    if (d->column) {
        strbuf_adds(out, "       | ");
        for (int i = 1; i < d->column && d->source[i - 1]; i++)
            strbuf_add(out, d->source[i - 1] == '\t' ? "\t" : " ", 1);
        strbuf_adds(out, "^\n");
    }
}

void diag_format_all(const struct diag_list *l, struct strbuf *out)
{
    for (const struct diag *d = l->first; d; d = d->next) {
        if (l->program && !d->file && !d->ptx_line && d->severity != DIAG_NOTE)
            strbuf_addf(out, "%s: ", l->program);
        diag_format(d, out);
    }
    int limit = l->limit ? l->limit : 100;
    if (l->count > limit)
        strbuf_addf(out, "and %d more messages\n", l->count - limit);
}
