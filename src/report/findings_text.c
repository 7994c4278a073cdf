/* Findings as text, in the form that users of compute-sanitizer know. */
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "base/diag.h"
#include "base/strbuf.h"
#include "report/findings.h"

struct text {
    const struct finding *f;
    const struct finding_form *form;
    struct strbuf *out;
};

#define LINE(t, indent, ...)                                                      \
    (strbuf_addf((t)->out, "%s %*s", (t)->form->prefix, indent, ""), strbuf_addf((t)->out, __VA_ARGS__), \
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
        if (i > (n < 0) && (len - i) % 3 == 0)
            buffer[to++] = ',';
        buffer[to++] = plain[i];
    }
    buffer[to] = 0;
    return buffer;
}

static void headline(const struct finding *f, const struct finding_case *c, struct strbuf *out)
{
    char number[32];
    bool warning = !strcmp(f->severity, "warning");

    if (f->message)
        strbuf_adds(out, f->message);
    else if (is(f, "leak"))
        strbuf_addf(out, "Leaked %s bytes at 0x%" PRIx64 "%s%s", grouped(f->bytes, number), c ? c->address : 0,
                    f->near_label ? " of " : "", f->near_label ? f->near_label : "");
    else if (is(f, "out-of-bounds") || is(f, "misaligned"))
        strbuf_addf(out, "Invalid __%s__ %s of size %" PRId64 " bytes", f->space, f->access, f->bytes);
    else if (is(f, "device-free"))
        strbuf_addf(out, "Malloc/Free error encountered : %s",
                    f->place && !strcmp(f->place, "freed") ? "Double free"
                                                           : "Invalid pointer to free");
    else if (is(f, "uninitialised"))
        strbuf_addf(out, "Uninitialized __%s__ memory %s of size %" PRId64 " bytes", f->space, f->access, f->bytes);
    else if (is(f, "barrier-divergent-warp"))
        strbuf_adds(out, "Barrier error detected. Divergent thread(s) in warp.");
    else if (is(f, "stack-overflow"))
        strbuf_adds(out, "Stack overflow: recursive calls need more than the stack's limit (cudaLimitStackSize).");
    else if (is(f, "deadlock"))
        strbuf_adds(out, "Barrier error detected. Divergent thread(s) in block: nobody can go on.");
    else if (is(f, "mask-without-caller"))
        strbuf_adds(out, "Barrier error detected. Invalid arguments: the mask does not name the calling thread.");
    else if (is(f, "mask-of-exited"))
        strbuf_adds(out, "Warning: the mask names threads that have exited.");
    else
        strbuf_addf(out, "%s: Potential %s hazard detected at __%s__ 0x%" PRIx64 " in block (%u,%u,%u) :%s",
                    warning ? "Warning" : "Error",
                    is(f, "read-after-write") ? "RAW" : is(f, "write-after-read") ? "WAR" : "WAW", f->space,
                    c ? c->address : 0, c ? c->block[0] : 0, c ? c->block[1] : 0, c ? c->block[2] : 0,
                    warning ? " both write the same value" : "");
}

void finding_headline(const struct finding *f, struct strbuf *out)
{
    headline(f, f->ncases ? &f->cases[0] : NULL, out);
}

static void source_line(const struct text *t, const struct finding_place *p, int indent)
{
    const char *line = p->file ? sources_text(t->form->sources, p->file, p->line) : "";

    for (const char *at = t->form->inlined ? p->inlined_at : NULL; at && *at;) {
        size_t n = strcspn(at, "<");

        LINE(t, indent, "inlined at %.*s", (int)(at[n] && n ? n - 1 : n), at);
        at += n + (at[n] == '<') + (at[n] == '<' && at[n + 1] == ' ');
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
    /* the distance of the first case; the others lie as far from it as their addresses do */
    uint64_t further = c->address - f->cases[0].address, distance = (uint64_t)f->distance;

    if (is(f, "misaligned"))
        LINE(t, 4, "Access to 0x%" PRIx64 " is misaligned", c->address);
    else
        LINE(t, 4, is(f, "device-free") ? "Address 0x%" PRIx64 : "Access to 0x%" PRIx64 " is out of bounds", c->address);
    if (f->limit)
        LINE(t, 4, "and is not in the %s's %s bytes of %s memory", strcmp(f->space, "shared") ? "thread" : "block",
             grouped(f->limit, bytes), f->space);
    if (!f->place || !strcmp(f->place, "nowhere") || is(f, "device-free"))
        return;
    if (!strcmp(f->place, "freed")) {
        LINE(t, 4, "and lies %s bytes into an allocation at 0x%" PRIx64 " of size %s bytes that was freed",
             grouped((int64_t)(distance + further), away), (uint64_t)f->near_address,
             grouped(f->near_bytes, bytes));
        return;
    }
    if (!strcmp(f->place, "inside")) {
        LINE(t, 4, "and is inside the nearest allocation at 0x%" PRIx64 " of size %s bytes", (uint64_t)f->near_address,
             grouped(f->near_bytes, bytes));
        return;
    }
    distance += strcmp(f->place, "before") ? further : -further;
    LINE(t, 4, "and is %s bytes %s the nearest allocation at 0x%" PRIx64 " of size %s bytes%s%s", grouped((int64_t)distance, away),
         f->place, (uint64_t)f->near_address, grouped(f->near_bytes, bytes), f->near_label ? ", variable " : "",
         f->near_label ? f->near_label : "");
}

static void thread_line(const struct text *t, const struct finding_case *c)
{
    LINE(t, 4, "by thread (%u,%u,%u) in block (%u,%u,%u)", c->thread[0], c->thread[1], c->thread[2], c->block[0],
         c->block[1], c->block[2]);
}

static const char *capital(const char *s, char word[32])
{
    snprintf(word, 32, "%s", s ? s : "access");
    word[0] = (char)toupper((unsigned char)word[0]);
    return word;
}

static void race_lines(const struct text *t, const struct finding_case *c)
{
    const struct finding *f = t->f;
    char what[128], word[32];

    snprintf(what, sizeof what, "%s Thread (%u,%u,%u) ", capital(f->by_access, word),
             c->by_thread[0], c->by_thread[1], c->by_thread[2]);
    add_place(t, &f->by, what, 4);
    snprintf(what, sizeof what, "%s Thread (%u,%u,%u) ", capital(f->access, word), c->thread[0], c->thread[1], c->thread[2]);
    add_place(t, &f->at, what, 4);
    if (f->async)
        LINE(t, 4, "The earlier access is an asynchronous copy that nobody has waited for.");
    if (is(f, "write-after-write"))
        LINE(t, 4, "Current Value : %" PRIu64 ", Incoming Value : %" PRIu64, c->then, c->now);
}

/* compute-sanitizer's "analysis" form. */
static void race_pair(const struct text *t)
{
    const struct finding *f = t->f;
    char what[128], word[32], number[32];

    snprintf(what, sizeof what, "%s: Race reported between %s access ",
             is(f, "write-after-write-same-value") ? "Warning" : "Error",
             capital(f->by_access, word));
    add_place(t, &f->by, what, 0);
    snprintf(what, sizeof what, "and %s access ", capital(f->access, word));
    add_place(t, &f->at, what, 4);
    LINE(t, 4, "[%s hazard%s]", grouped(f->count, number), f->count == 1 ? "" : "s");
}

static void one_case(const struct text *t, const struct finding_case *c)
{
    const struct finding *f = t->f;

    if (t->form->pairs && !strcmp(f->tool, "racecheck")) {
        race_pair(t);
        return;
    }
    strbuf_addf(t->out, "%s ", t->form->prefix);
    headline(f, c, t->out);
    strbuf_adds(t->out, "\n");
    if (f->message || is(f, "leak"))
        return;
    if (!strcmp(f->tool, "racecheck")) {
        race_lines(t, c);
        return;
    }
    add_place(t, &f->at, "", 4);
    if (is(f, "deadlock"))
        return;
    thread_line(t, c);
    if (is(f, "stack-overflow"))
        return;
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

static void add_backtrace(const struct text *t, const char *when, const char *frames)
{
    if (!frames)
        return;
    LINE(t, 4, "Saved host backtrace up to driver entry point at %s", when);
    for (const char *at = frames; *at;) {
        size_t n = strcspn(at, "\n");

        LINE(t, 8, "Host Frame: %.*s", (int)n, at);
        at += at[n] ? n + 1 : n;
    }
}

void finding_text(const struct finding *f, const struct finding_form *form, struct strbuf *out)
{
    struct text t = {f, form, out};
    int most = form->most;
    char number[32];

    for (int i = 0; i < f->ncases && i < most; i++) {
        one_case(&t, &f->cases[i]);
        add_lines(&t, 4, f->text);
        add_backtrace(&t, f->launch >= 0 ? "kernel launch time" : "error", f->backtrace);
        add_backtrace(&t, "allocation time", f->made_backtrace);
        add_backtrace(&t, "the time of the free", f->freed_backtrace);
        if (i + 1 == f->ncases || i + 1 == most)
            if (form->counted && !(form->pairs && !strcmp(f->tool, "racecheck")) && f->count > i + 1)
                LINE(&t, 4, "and %s more times at this place", grouped(f->count - i - 1, number));
        LINE(&t, 0, "%s", "");
    }
}
