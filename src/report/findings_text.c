/* Findings as text, in the form that users of compute-sanitizer know. */
#include <inttypes.h>
#include <string.h>

#include "base/diag.h"
#include "base/strbuf.h"
#include "report/findings.h"

struct text {
    const struct finding *f;
    const char *prefix;
    struct sources *sources;
    struct strbuf *out;
};

#define LINE(t, indent, ...)                                                      \
    (strbuf_addf((t)->out, "%s %*s", (t)->prefix, indent, ""), strbuf_addf((t)->out, __VA_ARGS__), \
     strbuf_adds((t)->out, "\n"))

static bool is(const struct finding *f, const char *kind)
{
    return !strcmp(f->kind, kind);
}

/* 4096 as 4,096 */
static const char *grouped(int64_t n, char buffer[32])
{
    char plain[32];
    int len = snprintf(plain, sizeof plain, "%" PRId64, n), to = 0;

    for (int i = 0; i < len; i++) {
        if (i && (len - i) % 3 == 0)
            buffer[to++] = ',';
        buffer[to++] = plain[i];
    }
    buffer[to] = 0;
    return buffer;
}

static void headline(const struct text *t)
{
    const struct finding *f = t->f;
    bool warning = !strcmp(f->severity, "warning");

    if (is(f, "out-of-bounds") || is(f, "misaligned"))
        LINE(t, 0, "Invalid __%s__ %s of size %" PRId64 " bytes", f->space, f->access, f->bytes);
    else if (is(f, "uninitialised"))
        LINE(t, 0, "Uninitialized __%s__ memory %s of size %" PRId64 " bytes", f->space, f->access, f->bytes);
    else if (is(f, "barrier-divergent-warp"))
        LINE(t, 0, "Barrier error detected. Divergent thread(s) in warp.");
    else if (is(f, "deadlock"))
        LINE(t, 0, "Barrier error detected. Divergent thread(s) in block: nobody can go on.");
    else if (is(f, "mask-without-caller"))
        LINE(t, 0, "Barrier error detected. Invalid arguments: the mask does not name the calling thread.");
    else if (is(f, "mask-of-exited"))
        LINE(t, 0, "Warning: the mask names threads that have exited.");
    else
        LINE(t, 0, "%s: Potential %s hazard detected at __%s__ 0x%" PRIx64 "%s", warning ? "Warning" : "Error",
             is(f, "read-after-write") ? "RAW" : is(f, "write-after-read") ? "WAR" : "WAW", f->space,
             f->ncases ? f->cases[0].address : 0, warning ? ": both write the same value" : "");
}

static void source_line(const struct text *t, const struct finding_place *p, int indent)
{
    const char *line = p->file ? sources_text(t->sources, p->file, p->line) : "";

    for (const char *at = p->inlined_at; at && *at;) {
        size_t n = strcspn(at, "<");

        LINE(t, indent, "inlined at %.*s", (int)(at[n] ? n - 1 : n), at);
        at += at[n] ? n + 2 : n;
    }
    if (*line)
        LINE(t, indent, "%5d | %s", p->line, line);
}

static void add_place(const struct text *t, const struct finding_place *p, const char *what, int indent)
{
    if (p->file)
        LINE(t, indent, "%sat %s in %s:%d", what, p->function ? p->function : t->f->kernel, diag_file(p->file), p->line);
    else
        LINE(t, indent, "%sat %s, PTX line %d", what, p->function ? p->function : t->f->kernel, p->ptx_line);
    source_line(t, p, indent + 4);
}

static void where_it_lies(const struct text *t, const struct finding_case *c)
{
    const struct finding *f = t->f;
    char bytes[32], away[32];
    int64_t distance = f->distance;

    if (is(f, "misaligned")) {
        LINE(t, 4, "Access to 0x%" PRIx64 " is misaligned: not a multiple of %" PRId64, c->address, f->bytes);
        return;
    }
    LINE(t, 4, "Access to 0x%" PRIx64 " is out of bounds", c->address);
    if (f->limit)
        LINE(t, 4, "which has %s bytes of %s memory", grouped(f->limit, bytes), f->space);
    if (!f->place || !strcmp(f->place, "nowhere"))
        return;
    /* the distance of the first case; the others lie as far from it as their addresses do */
    if (!strcmp(f->place, "freed")) {
        LINE(t, 4, "and lies %s bytes into an allocation at 0x%" PRIx64 " of size %s bytes that was freed",
             grouped(distance + (int64_t)(c->address - f->cases[0].address), away), (uint64_t)f->near_address,
             grouped(f->near_bytes, bytes));
        return;
    }
    distance += (int64_t)(c->address - f->cases[0].address) * (!strcmp(f->place, "before") ? -1 : 1);
    LINE(t, 4, "and is %s bytes %s the nearest allocation at 0x%" PRIx64 " of size %s bytes%s%s", grouped(distance, away),
         f->place, (uint64_t)f->near_address, grouped(f->near_bytes, bytes), f->near_label ? ", variable " : "",
         f->near_label ? f->near_label : "");
}

static void thread_line(const struct text *t, const struct finding_case *c)
{
    LINE(t, 4, "by thread (%u,%u,%u) in block (%u,%u,%u)", c->thread[0], c->thread[1], c->thread[2], c->block[0],
         c->block[1], c->block[2]);
}

static void race_lines(const struct text *t, const struct finding_case *c)
{
    const struct finding *f = t->f;
    char what[128];

    snprintf(what, sizeof what, "%s Thread (%u,%u,%u) ", f->by_access, c->by_thread[0], c->by_thread[1], c->by_thread[2]);
    add_place(t, &f->by, what, 4);
    snprintf(what, sizeof what, "%s Thread (%u,%u,%u) ", f->access, c->thread[0], c->thread[1], c->thread[2]);
    add_place(t, &f->at, what, 4);
    LINE(t, 4, "in block (%u,%u,%u)", c->block[0], c->block[1], c->block[2]);
    if (f->async)
        LINE(t, 4, "The earlier access is an asynchronous copy that nobody has waited for.");
    if (is(f, "write-after-write"))
        LINE(t, 4, "Current Value : %" PRIu64 ", Incoming Value : %" PRIu64, c->then, c->now);
}

static void one_case(const struct text *t, const struct finding_case *c)
{
    const struct finding *f = t->f;

    headline(t);
    if (!strcmp(f->tool, "racecheck")) {
        race_lines(t, c);
        return;
    }
    add_place(t, &f->at, "", 4);
    if (is(f, "deadlock"))
        return;
    thread_line(t, c);
    if (!strcmp(f->tool, "memcheck"))
        where_it_lies(t, c);
    else if (is(f, "uninitialised"))
        LINE(t, 4, "Address 0x%" PRIx64, c->address);
    else if (strstr(f->kind, "mask"))
        LINE(t, 4, "Mask 0x%08" PRIx64, c->now);
}

static void add_lines(const struct text *t, int indent, const char *text)
{
    for (const char *at = text; at && *at;) {
        size_t n = strcspn(at, "\n");

        LINE(t, indent, "%.*s", (int)n, at);
        at += at[n] ? n + 1 : n;
    }
}

void finding_text(const struct finding *f, const char *prefix, int most, struct sources *sources, struct strbuf *out)
{
    struct text t = {f, prefix, sources, out};
    char number[32];

    for (int i = 0; i < f->ncases && i < most; i++) {
        one_case(&t, &f->cases[i]);
        add_lines(&t, 4, f->text);
        if (f->backtrace) {
            LINE(&t, 4, "Saved host backtrace up to driver entry point at kernel launch time");
            add_lines(&t, 8, f->backtrace);
        }
        if (i + 1 == f->ncases || i + 1 == most)
            if (f->count > i + 1)
                LINE(&t, 4, "and %s more times at this place", grouped(f->count - i - 1, number));
        LINE(&t, 0, "%s", "");
    }
}
