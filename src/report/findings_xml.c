/* Findings as XML, and suppressions (see findings_xml.h). A record is a flat list of paths and texts, such as "where/func"
 * and "scale"; writing, reading and matching share it. */
#include "report/findings_xml.h"

#include <errno.h>
#include <inttypes.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "base/diag.h"
#include "base/strbuf.h"
#include "report/findings.h"

struct field {
    const char *path, *text;
};

struct record {
    struct field *field;
    size_t n, cap;
};

static void add(struct record *r, const char *path, const char *text)
{
    if (!text)
        return;
    ALLOC_GROW(r->field, r->n, r->cap);
    r->field[r->n++] = (struct field){path, text};
}

/* --- a finding as a record --- */

static const char *kind_of(const struct finding *f)
{
    static const struct {
        const char *ours, *theirs;
    } kinds[] = {{"api-error", "Api"},       {"leak", "Leak"},        {"device-free", "DeviceHeap"},
                 {"out-of-bounds", "Precise"}, {"misaligned", "Precise"}, {"unwritten-copy", "Initcheck"},
                 {"uninitialised", "Initcheck"}, {"unused-memory", "UnusedMemory"}};

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(f->kind, kinds[i].ours))
            return kinds[i].theirs;
    return !strcmp(f->tool, "racecheck") ? "Racecheck" : "Synccheck";
}

/* Frames are "main in f.cu:13 [0x8d19] in program". */
static void add_frames(struct record *r, struct arena *a, const char *frames)
{
    for (const char *at = frames; at && *at;) {
        size_t n = strcspn(at, "\n");
        char *line = arena_strndup(a, at, n), *open = strstr(line, "["), *module = open ? strstr(open, "] in ") : NULL;
        char *in = strstr(line, " in ");

        add(r, "hostStack/frame", "");
        if (open > line) {
            char *end = in && in < open ? in : open - 1;

            add(r, "hostStack/frame/func", arena_strndup(a, line, (size_t)(end - line)));
        }
        add(r, "hostStack/frame/module", module ? module + 5 : NULL);
        at += at[n] ? n + 1 : n;
    }
}

static void add_three(struct record *r, struct arena *a, const char *x, const char *y, const char *z, const uint32_t v[3])
{
    add(r, x, arena_printf(a, "%u", v[0]));
    add(r, y, arena_printf(a, "%u", v[1]));
    add(r, z, arena_printf(a, "%u", v[2]));
}

static struct record record_of(const struct finding *f, struct arena *a)
{
    struct record r = {0};
    struct strbuf text;

    strbuf_init(&text);
    finding_headline(f, &text);
    add(&r, "kind", kind_of(f));
    add(&r, "level", !strcmp(f->severity, "error") ? "Error" : "Warning");
    if (f->kernel && f->ncases) {
        add_three(&r, a, "who/threadIdx/x", "who/threadIdx/y", "who/threadIdx/z", f->cases[0].thread);
        add_three(&r, a, "who/blockIdx/x", "who/blockIdx/y", "who/blockIdx/z", f->cases[0].block);
    }
    add(&r, "what/text", arena_strdup(a, text.s));
    strbuf_release(&text);
    if (f->bytes)
        add(&r, "what/size", arena_printf(a, "%" PRId64, f->bytes));
    if (f->ncases && f->space)
        add(&r, "what/accessAddress", arena_printf(a, "0x%" PRIx64, f->cases[0].address));
    add(&r, "where/func", f->kernel);
    add(&r, "where/path", f->at.file ? diag_file(f->at.file) : NULL);
    if (f->at.line)
        add(&r, "where/line", arena_printf(a, "%d", f->at.line));
    if (f->backtrace || f->made_backtrace)
        add(&r, "hostStack/saveLocation",
            !f->backtrace    ? "allocation time"
            : f->launch >= 0 ? "kernel launch time"
                             : "error");
    add_frames(&r, a, f->backtrace ? f->backtrace : f->made_backtrace);
    return r;
}

/* --- writing --- */

static void put_text(FILE *file, const char *s)
{
    for (; *s; s++)
        switch (*s) {
        case '<':
            fputs("&lt;", file);
            break;
        case '>':
            fputs("&gt;", file);
            break;
        case '&':
            fputs("&amp;", file);
            break;
        default:
            fputc(*s, file);
        }
}

static size_t parts(const char *path)
{
    size_t n = 1;

    for (; *path; path++)
        n += *path == '/';
    return n;
}

/* Bytes of the path's first n parts. */
static size_t prefix(const char *path, size_t n)
{
    size_t at = 0;

    for (; path[at] && (path[at] != '/' || --n); at++)
        ;
    return at;
}

static void open_or_close(FILE *file, const char *path, size_t level, const char *slash)
{
    size_t to = prefix(path, level), from = level > 1 ? prefix(path, level - 1) + 1 : 0;

    fprintf(file, "%*s<%s%.*s>\n", (int)(4 + 2 * level), "", slash, (int)(to - from), path + from);
}

/* Elements of two fields that follow each other are shared as far as their paths agree; a field that ends in an empty
 * text begins an element of its own. */
static void put_record(FILE *file, const struct record *r)
{
    const char *now = ""; /* the path of the open elements */
    size_t depth = 0;

    fputs("    <record>\n", file);
    for (size_t i = 0; i < r->n; i++) {
        const char *path = r->field[i].path;
        bool begins = !*r->field[i].text;
        size_t inner = parts(path) - 1, shared = 0;

        while (shared < depth && shared < inner && prefix(now, shared + 1) == prefix(path, shared + 1) &&
               !strncmp(now, path, prefix(path, shared + 1)))
            shared++;
        for (; depth > shared; depth--)
            open_or_close(file, now, depth, "/");
        while (depth < inner + begins)
            open_or_close(file, path, ++depth, "");
        now = path;
        if (begins)
            continue;
        fprintf(file, "%*s<%s>", (int)(6 + 2 * depth), "", path + (inner ? prefix(path, inner) + 1 : 0));
        put_text(file, r->field[i].text);
        fprintf(file, "</%s>\n", path + (inner ? prefix(path, inner) + 1 : 0));
    }
    for (; depth; depth--)
        open_or_close(file, now, depth, "/");
    fputs("    </record>\n", file);
}

bool findings_write_xml(const struct findings *fs, FILE *file)
{
    struct arena a;

    arena_init(&a);
    fputs("<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<ComputeSanitizerOutput>\n", file);
    for (int i = 0; i < fs->n; i++) {
        struct record r = record_of(fs->finding[i], &a);

        put_record(file, &r);
        alloc_release(r.field);
    }
    fputs("</ComputeSanitizerOutput>\n", file);
    arena_release(&a);
    return !ferror(file);
}

/* --- reading --- */

struct suppressions {
    struct arena arena;
    struct record *record;
    size_t n, cap;
};

struct reader {
    struct suppressions *s;
    const char *path, *at;
    int line;
    struct strbuf now, text; /* path of the open elements; text of the innermost */
    struct diag_list *diags;
    bool bad;
};

static void wrong(struct reader *in, const char *what)
{
    if (!in->bad)
        diag_add(in->diags, DIAG_ERROR, in->path, in->line, "%s", what);
    in->bad = true;
}

static void skip_to(struct reader *in, const char *end)
{
    const char *to = strstr(in->at, end);

    if (!to)
        wrong(in, "an XML element that does not end");
    for (to = to ? to + strlen(end) : in->at + strlen(in->at); in->at < to; in->at++)
        in->line += *in->at == '\n';
}

/* Leading and trailing blanks do not count. */
static const char *trimmed(struct arena *a, const struct strbuf *text)
{
    const char *s = text->s ? text->s : "", *end = s + strlen(s);

    s += strspn(s, " \t\r\n");
    while (end > s && strchr(" \t\r\n", end[-1]))
        end--;
    return arena_strndup(a, s, (size_t)(end - s));
}

#define RECORD_PATH "ComputeSanitizerOutput/record"
static const char record_path[] = RECORD_PATH, frame_path[] = RECORD_PATH "/hostStack/frame";
#undef RECORD_PATH

static void open_element(struct reader *in, const char *name, size_t n)
{
    strbuf_addf(&in->now, "%s%.*s", in->now.len ? "/" : "", (int)n, name);
    strbuf_clear(&in->text);
    if (!strcmp(in->now.s, record_path)) {
        ALLOC_GROW(in->s->record, in->s->n, in->s->cap);
        in->s->record[in->s->n++] = (struct record){0};
    } else if (in->s->n && !strcmp(in->now.s, frame_path)) {
        add(&in->s->record[in->s->n - 1], "hostStack/frame", "");
    }
}

static void close_element(struct reader *in, const char *name, size_t n)
{
    char *last = in->now.len ? strrchr(in->now.s, '/') : NULL;
    const char *text = trimmed(&in->s->arena, &in->text), *open = last ? last + 1 : in->now.s;

    if (!in->now.len || strlen(open) != n || strncmp(open, name, n)) {
        wrong(in, "an XML element is closed that is not open");
        return;
    }
    if (in->s->n && *text && !strncmp(in->now.s, record_path, strlen(record_path)) && in->now.s[strlen(record_path)] == '/')
        add(&in->s->record[in->s->n - 1], arena_strdup(&in->s->arena, in->now.s + strlen(record_path) + 1), text);
    in->now.len = last ? (size_t)(last - in->now.s) : 0;
    in->now.s[in->now.len] = 0;
    strbuf_clear(&in->text);
}

static void element(struct reader *in)
{
    bool closes = in->at[1] == '/';
    const char *name = in->at + 1 + closes;
    size_t n = strcspn(name, " \t\r\n/>");
    const char *end = strchr(name, '>');

    if (!strncmp(in->at, "<?", 2))
        skip_to(in, "?>");
    else if (!strncmp(in->at, "<!--", 4))
        skip_to(in, "-->");
    else if (!n || !end)
        wrong(in, "not XML");
    else {
        if (closes)
            close_element(in, name, n);
        else
            open_element(in, name, n);
        if (!closes && end[-1] == '/')
            close_element(in, name, n);
        skip_to(in, ">");
    }
}

static void character(struct reader *in)
{
    static const struct {
        const char *entity, *text;
    } entities[] = {{"&lt;", "<"}, {"&gt;", ">"}, {"&amp;", "&"}, {"&quot;", "\""}, {"&apos;", "'"}};

    for (size_t i = 0; i < sizeof entities / sizeof *entities; i++)
        if (!strncmp(in->at, entities[i].entity, strlen(entities[i].entity))) {
            strbuf_adds(&in->text, entities[i].text);
            in->at += strlen(entities[i].entity);
            return;
        }
    in->line += *in->at == '\n';
    strbuf_add(&in->text, in->at++, 1);
}

static char *whole_file(const char *path, struct diag_list *diags)
{
    FILE *f = fopen(path, "re");
    struct strbuf text;
    char part[4096];

    if (!f) {
        diag_add(diags, DIAG_ERROR, path, 0, "cannot read: %s", strerror(errno));
        return NULL;
    }
    strbuf_init(&text);
    strbuf_adds(&text, "");
    for (size_t n; (n = fread(part, 1, sizeof part, f)) > 0;)
        strbuf_add(&text, part, n);
    fclose(f);
    if (strlen(text.s) == text.len)
        return text.s;
    diag_add(diags, DIAG_ERROR, path, 0, "not XML: it has a zero byte");
    strbuf_release(&text);
    return NULL;
}

struct suppressions *suppressions_read(const char *path, struct diag_list *diags)
{
    char *text = whole_file(path, diags);
    struct reader in = {.path = path, .at = text, .line = 1, .diags = diags};

    if (!text)
        return NULL;
    in.s = alloc_zeroed(sizeof *in.s);
    arena_init(&in.s->arena);
    strbuf_init(&in.now);
    strbuf_init(&in.text);
    while (*in.at && !in.bad)
        if (*in.at == '<')
            element(&in);
        else
            character(&in);
    if (in.now.len)
        wrong(&in, "an XML element that does not end");
    if (!in.s->n)
        wrong(&in, "no <record> in <ComputeSanitizerOutput>: --save writes one");
    strbuf_release(&in.now);
    strbuf_release(&in.text);
    alloc_release(text);
    if (!in.bad)
        return in.s;
    suppressions_free(in.s);
    return NULL;
}

void suppressions_free(struct suppressions *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->n; i++)
        alloc_release(s->record[i].field);
    alloc_release(s->record);
    arena_release(&s->arena);
    alloc_release(s);
}

/* --- matching --- */

static bool fits(const char *wanted, const char *text)
{
    regex_t pattern;
    regmatch_t m;
    bool matches;

    if (!strcmp(wanted, text))
        return true;
    if (regcomp(&pattern, wanted, REG_EXTENDED))
        return false;
    matches = regexec(&pattern, text, 1, &m, 0) == 0 && m.rm_so == 0 && !text[m.rm_eo];
    regfree(&pattern);
    return matches;
}

/* What tells one time from another is no matter: who did it, and at which address. */
static bool counts(const char *path)
{
    return strncmp(path, "who/", 4) && strcmp(path, "what/accessAddress") && strcmp(path, "hostStack/saveLocation") &&
           strncmp(path, "hostStack/frame", 15);
}

static bool has(const struct record *r, const struct field *wanted)
{
    for (size_t i = 0; i < r->n; i++)
        if (!strcmp(r->field[i].path, wanted->path) && fits(wanted->text, r->field[i].text))
            return true;
    return false;
}

/* The next frame of a record from field `from` on: its fields are [*first, the answer). */
static size_t frame(const struct record *r, size_t from, size_t *first)
{
    while (from < r->n && strcmp(r->field[from].path, "hostStack/frame"))
        from++;
    *first = from + (from < r->n);
    for (from = *first; from < r->n && !strncmp(r->field[from].path, "hostStack/frame/", 16); from++)
        ;
    return from;
}

static bool stacks_fit(const struct record *wanted, const struct record *r)
{
    size_t w = 0, t = 0, w_first, t_first;

    for (;;) {
        w = frame(wanted, w, &w_first);
        t = frame(r, t, &t_first);
        if (w_first >= wanted->n)
            return true;
        for (size_t i = w_first; i < w; i++) {
            struct record one = {r->field + t_first, t - t_first, 0};

            if (!strcmp(wanted->field[i].path, "hostStack/frame/func") ||
                !strcmp(wanted->field[i].path, "hostStack/frame/module"))
                if (!has(&one, &wanted->field[i]))
                    return false;
        }
    }
}

static bool suppresses(const struct record *wanted, const struct record *r)
{
    for (size_t i = 0; i < wanted->n; i++)
        if (counts(wanted->field[i].path) && !has(r, &wanted->field[i]))
            return false;
    return stacks_fit(wanted, r);
}

bool suppressions_match(const struct suppressions *s, const struct finding *f)
{
    struct arena a;
    struct record r;
    bool match = false;

    arena_init(&a);
    r = record_of(f, &a);
    for (size_t i = 0; i < s->n && !match; i++)
        match = suppresses(&s->record[i], &r);
    alloc_release(r.field);
    arena_release(&a);
    return match;
}
