/* clang's and the linker's text as diagnostics (see messages.h).
 *
 * In: lines like "foo.cu:3:5: error: ...", each followed by notes, source lines and carets, preceded by "In file
 * included from" lines. Out: one diag per error, warning and note; a warning or error that the list already has is
 * dropped together with its notes. */
#include "compile/messages.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/diag.h"
#include "base/strbuf.h"
#include "compile/libraries.h"

struct reader {
    struct diag_list *diags;
    const char *source, *hidden, *system;
    struct diag *last; /* the message that following source lines belong to, or NULL */
    bool dropped;      /* the last error or warning was dropped: so are its notes */
    struct strbuf stack; /* "In file included from" lines before the next message */
};

static bool starts(const char *s, const char *beginning)
{
    return strncmp(s, beginning, strlen(beginning)) == 0;
}

/* Is `file`, a path in clang's output, one of the compiler's or the C++ library's own? */
static bool is_system(const struct reader *r, const char *file)
{
    return starts(file, "/usr/") || starts(file, "<built-in>") ||
           (r->system && starts(file, r->system));
}

static bool is_there(const struct diag_list *l, enum diag_severity severity, const char *file,
                     int line, int column, const char *text)
{
    for (const struct diag *d = l->first; d; d = d->next)
        if (d->severity == severity && d->line == line && d->column == column &&
            strcmp(d->text, text) == 0 && (d->file ? file && !strcmp(d->file, file) : !file))
            return true;
    return false;
}

/* Splits "file:line:column: severity: text"; line and column may be missing. */
static bool split(const char *line, char **file, int *number, int *column,
                  enum diag_severity *severity, const char **text)
{
    static const struct {
        const char *word;
        enum diag_severity severity;
    } words[] = {{": fatal error: ", DIAG_ERROR}, {": error: ", DIAG_ERROR},
                 {": warning: ", DIAG_WARNING},   {": note: ", DIAG_NOTE},
                 {": remark: ", DIAG_NOTE}};
    const char *at = NULL;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const char *found = strstr(line, words[i].word);
        if (found && (!at || found < at)) {
            at = found;
            *severity = words[i].severity;
            *text = found + strlen(words[i].word);
        }
    }
    if (!at || line[0] == ' ')
        return false;
    if (starts(line, "./"))
        line += 2;
    *file = alloc_strndup(line, (size_t)(at - line));
    int n[2] = {0, 0}, have = 0;
    for (char *colon; have < 2 && (colon = strrchr(*file, ':')) && isdigit(colon[1]);) {
        char *end;
        long v = strtol(colon + 1, &end, 10);
        if (*end)
            break;
        n[have++] = (int)v;
        *colon = '\0';
    }
    *number = have == 2 ? n[1] : n[0];
    *column = have == 2 ? n[0] : 0;
    return true;
}

/* "In file included from a.h:3:" before a message becomes a note after it. */
static void add_stack(struct reader *r)
{
    for (char *s = r->stack.s; s && *s;) {
        size_t n = strcspn(s, "\n");
        char *file = alloc_strndup(s, n), *colon = strrchr(file, ':');
        if (colon && !is_system(r, file)) {
            *colon = '\0';
            diag_add(r->diags, DIAG_NOTE, file, atoi(colon + 1), "included from here");
        }
        alloc_release(file);
        s += n + (s[n] == '\n');
    }
}

/* What to do about messages that mean a missing package, or a library that nobody has here. */
static const char *remedy(struct arena *a, const char *text)
{
    static const char openmp[] = ": OpenMP needs Debian's package libomp-19-dev";
    bool is_openmp = strstr(text, "'omp.h' file not found") || strstr(text, "cannot find -lomp:");
    if (strstr(text, "reference to __global__ function '"))
        return ": a kernel that launches kernels needs -rdc=true";
    const char *library = is_openmp ? openmp : libraries_remedy(a, text);
    return library ? library : "";
}

static void add_message(struct reader *r, char *file, int line, int column,
                        enum diag_severity severity, const char *text)
{
    bool tool = !line && (strstr(file, "clang") || !*file);
    const char *name = tool ? NULL : r->hidden && starts(file, r->hidden) ? r->source : file;
    r->last = NULL;
    if (severity == DIAG_ERROR && *remedy(&r->diags->arena, text))
        text = arena_printf(&r->diags->arena, "%s%s", text, remedy(&r->diags->arena, text));
    if (severity == DIAG_NOTE ? r->dropped
                              : (severity == DIAG_WARNING && name && is_system(r, name)) ||
                                    is_there(r->diags, severity, name, line, column, text)) {
        r->dropped = true;
        return;
    }
    r->dropped = false;
    if (tool && starts(text, "linker command failed"))
        return;
    r->last = diag_add(r->diags, severity, name, line, "%s", text);
    r->last->column = column;
    add_stack(r);
}

/* "   14 |   int x = y;" gives the message its source line. */
static void add_source(struct reader *r, const char *line)
{
    char *bar;
    long number = strtol(line, &bar, 10);
    if (!r->last || r->last->source || bar == line || strncmp(bar, " | ", 3) != 0 ||
        number != r->last->line)
        return;
    r->last->source = arena_strdup(&r->diags->arena, bar + 3);
}

static bool is_summary(const char *line)
{
    return isdigit(*line) && strstr(line, " generated");
}

static void read_line(struct reader *r, char *line)
{
    char *file = NULL;
    const char *text = NULL;
    int number = 0, column = 0;
    enum diag_severity severity = DIAG_NOTE;
    if (starts(line, "In file included from ")) {
        line[strlen(line) - 1] = '\0'; /* its last character is a colon or comma */
        strbuf_addf(&r->stack, "%s\n", line + strlen("In file included from "));
    } else if (split(line, &file, &number, &column, &severity, &text)) {
        add_message(r, file, number, column, severity, text);
        strbuf_clear(&r->stack);
        alloc_release(file);
    } else if (!is_summary(line)) {
        add_source(r, line);
    }
}

void messages_add_clang(struct diag_list *diags, const char *text, const char *source,
                        const char *hidden, const char *system)
{
    struct reader r = {.diags = diags, .source = source, .hidden = hidden, .system = system};
    strbuf_init(&r.stack);
    while (text && *text) {
        size_t n = strcspn(text, "\n");
        char *line = alloc_strndup(text, n);
        if (line && n)
            read_line(&r, line);
        alloc_release(line);
        text += n + (text[n] == '\n');
    }
    strbuf_release(&r.stack);
}

/* "foo.cu(3): error: x" as "foo.cu:3: error: x", "nvcc fatal   : x" as "nvcc: fatal error: x". */
static void add_as_clang(struct strbuf *out, const char *line, size_t n)
{
    static const char fatal[] = "nvcc fatal   : ";
    size_t open = strcspn(line, "(\n"), digits = open < n ? strspn(line + open + 1, "0123456789") : 0;

    if (digits && line[open + 1 + digits] == ')' && line[open + 2 + digits] == ':')
        strbuf_addf(out, "%.*s:%.*s%.*s\n", (int)open, line, (int)digits, line + open + 1, (int)(n - open - 2 - digits), line + open + 2 + digits);
    else if (n > sizeof fatal && starts(line, fatal))
        strbuf_addf(out, "nvcc: fatal error: %.*s\n", (int)(n - sizeof fatal + 1), line + sizeof fatal - 1);
    else
        strbuf_addf(out, "%.*s\n", (int)n, line);
}

void messages_add_nvcc(struct diag_list *diags, const char *text, const char *source)
{
    struct strbuf lines;

    strbuf_init(&lines);
    for (size_t n; text && *text; text += n + (text[n] == '\n')) {
        n = strcspn(text, "\n");
        add_as_clang(&lines, text, n);
    }
    messages_add_clang(diags, lines.s, source, NULL, NULL);
    strbuf_release(&lines);
}

/* "foo.cu:(.text+0x17): undefined reference to `bar'" */
static bool add_undefined(struct diag_list *diags, const char *line)
{
    static const char marker[] = "undefined reference to `";
    const char *at = strstr(line, marker);
    if (!at)
        return false;
    const char *name = at + sizeof marker - 1, *end = strrchr(name, '\'');
    int n = end ? (int)(end - name) : (int)strlen(name);
    size_t file_length = strcspn(line, ":");
    if (starts(line, "/usr/bin/ld: ")) {
        line += strlen("/usr/bin/ld: ");
        file_length = strcspn(line, ":");
    }
    char *file = alloc_strndup(line, file_length);
    const char *colon = line + file_length;
    int number = colon[0] == ':' && isdigit(colon[1]) ? atoi(colon + 1) : 0;
    bool cuda = starts(name, "cuda") || starts(name, "__cuda") ||
                (starts(name, "cu") && isupper((unsigned char)name[2]));
    struct strbuf text;
    strbuf_init(&text);
    strbuf_addf(&text, "'%.*s' is used but defined nowhere%s", n, name,
                cuda ? ": this call is not in Heddle's runtime yet" : "");
    if (!is_there(diags, DIAG_ERROR, file, number, 0, text.s))
        diag_add(diags, DIAG_ERROR, file, number, "%s", text.s);
    strbuf_release(&text);
    alloc_release(file);
    return true;
}

const char *messages_fatal(struct arena *a, const char *text)
{
    static const char io[] = "IO failure on output stream: ", report[] = "PLEASE submit a bug report", dump[] = "Stack dump:";
    const char *full = text ? strstr(text, io) : NULL, *end = text ? strstr(text, report) : NULL;
    if (full)
        return arena_printf(a, "it cannot write its output: %.*s", (int)strcspn(full + strlen(io), "\n"), full + strlen(io));
    if (text && !end)
        end = strstr(text, dump);
    size_t n = !text ? 0 : end ? (size_t)(end - text) : strlen(text);
    while (n && isspace((unsigned char)text[n - 1]))
        n--;
    return n ? arena_strndup(a, text, n) : end ? "it crashed" : "it said nothing";
}

void messages_add_linker(struct diag_list *diags, const char *text, const char *hidden)
{
    while (text && *text) {
        size_t n = strcspn(text, "\n");
        char *line = alloc_strndup(text, n);
        text += n + (text[n] == '\n');
        if (!line || !n || add_undefined(diags, line) || strstr(line, ": in function `") ||
            strstr(line, "linker command failed")) {
            alloc_release(line);
            continue;
        }
        bool warning = strstr(line, "warning: ") != NULL;
        const char *temp = hidden ? strstr(line, hidden) : NULL;
        const char *message = temp ? strstr(temp, ": ") : line;
        if (!message) /* the temporary file stands at the end */
            message = line;
        diag_add(diags, warning ? DIAG_WARNING : DIAG_ERROR, NULL, 0, "%s%s",
                 starts(message, ": ") ? message + 2 : message, remedy(&diags->arena, message));
        alloc_release(line);
    }
}
