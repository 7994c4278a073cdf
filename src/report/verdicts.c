/* Verdicts as messages, JUnit's XML and annotations (see verdicts.h). */
#include "report/verdicts.h"

#include <string.h>

#include "base/alloc.h"
#include "base/diag.h"
#include "base/strbuf.h"
#include "report/svg.h"

static const char *const level[] = {"", "warning", "error"}; /* enum verdict_outcome */

void verdicts_init(struct verdicts *v)
{
    memset(v, 0, sizeof *v);
    arena_init(&v->arena);
}

void verdicts_release(struct verdicts *v)
{
    alloc_release(v->list);
    arena_release(&v->arena);
}

static const char *copy(struct verdicts *v, const char *s)
{
    return s ? arena_strdup(&v->arena, s) : NULL;
}

void verdicts_add(struct verdicts *v, const struct verdict *one)
{
    ALLOC_GROW(v->list, v->n, v->cap);
    v->list[v->n++] = (struct verdict){one->outcome,         copy(v, one->group), copy(v, one->name),   copy(v, one->file),
                                       one->line,            copy(v, one->message), copy(v, one->details)};
}

int verdicts_count(const struct verdicts *v, enum verdict_outcome outcome)
{
    int n = 0;

    for (int i = 0; i < v->n; i++)
        n += v->list[i].outcome == outcome;
    return n;
}

void verdicts_text(const struct verdicts *v, struct strbuf *out)
{
    for (const struct verdict *one = v->list; one < v->list + v->n; one++) {
        if (one->outcome == VERDICT_PASSED)
            continue;
        if (one->file && one->line)
            strbuf_addf(out, "%s:%d: ", diag_file(one->file), one->line);
        else
            strbuf_adds(out, "heddle: ");
        strbuf_addf(out, "%s: %s\n", level[one->outcome], one->message);
    }
}

/* --- JUnit --- */

static void attribute(struct strbuf *out, const char *name, const char *value)
{
    strbuf_addf(out, " %s=\"", name);
    svg_text(out, value);
    strbuf_adds(out, "\"");
}

/* <failure> for what failed; JUnit has no place for a warning but what a test printed. */
static void add_message(struct strbuf *out, const struct verdict *one)
{
    const char *tag = one->outcome == VERDICT_FAILED ? "failure" : "system-out";

    strbuf_addf(out, "      <%s", tag);
    if (one->outcome == VERDICT_FAILED) {
        attribute(out, "message", one->message);
        attribute(out, "type", one->name);
    }
    strbuf_adds(out, ">");
    if (one->file && one->line) {
        svg_text(out, diag_file(one->file));
        strbuf_addf(out, ":%d: ", one->line);
    }
    svg_text(out, one->message);
    if (one->details) {
        strbuf_adds(out, "\n");
        svg_text(out, one->details);
    }
    strbuf_addf(out, "</%s>\n", tag);
}

static void add_case(struct strbuf *out, const struct verdict *one)
{
    strbuf_adds(out, "    <testcase");
    attribute(out, "classname", one->group);
    attribute(out, "name", one->name);
    if (one->file && one->line) {
        attribute(out, "file", diag_file(one->file));
        strbuf_addf(out, " line=\"%d\"", one->line);
    }
    if (one->outcome == VERDICT_PASSED) {
        strbuf_adds(out, "/>\n");
        return;
    }
    strbuf_adds(out, ">\n");
    add_message(out, one);
    strbuf_adds(out, "    </testcase>\n");
}

void verdicts_junit(const struct verdicts *v, const char *suite, struct strbuf *out)
{
    int failed = verdicts_count(v, VERDICT_FAILED);

    strbuf_adds(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite");
    attribute(out, "name", suite);
    strbuf_addf(out, " tests=\"%d\" failures=\"%d\" errors=\"0\" skipped=\"0\">\n", v->n, failed);
    for (int i = 0; i < v->n; i++)
        add_case(out, &v->list[i]);
    strbuf_adds(out, "  </testsuite>\n</testsuites>\n");
}

/* --- annotations --- */

/* GitHub Actions, "Workflow commands": a message has % and ends of lines as %25, %0D, %0A, a property also : and ,. */
static void github_text(struct strbuf *out, const char *s, const char *special)
{
    for (; *s; s++)
        if (strchr(special, *s))
            strbuf_addf(out, "%%%02X", (unsigned char)*s);
        else
            strbuf_add(out, s, 1);
}

static void github(const struct verdict *one, struct strbuf *out)
{
    strbuf_addf(out, "::%s ", level[one->outcome]);
    if (one->file && one->line) {
        strbuf_adds(out, "file=");
        github_text(out, diag_file(one->file), "%\r\n:,");
        strbuf_addf(out, ",line=%d,", one->line);
    }
    strbuf_adds(out, "title=");
    github_text(out, one->name, "%\r\n:,");
    strbuf_adds(out, "::");
    github_text(out, one->message, "%\r\n");
    if (one->details) {
        strbuf_adds(out, "%0A");
        github_text(out, one->details, "%\r\n");
    }
    strbuf_adds(out, "\n");
}

static const struct {
    const char *word;
    void (*write)(const struct verdict *one, struct strbuf *out);
} hosts[] = {
#define ANNOTATION_HOST(name, word, form) {word, form},
#include "report/annotation_hosts.def"
#undef ANNOTATION_HOST
};

const char *annotation_host_word(int i)
{
    return i < ANNOTATION_HOSTS ? hosts[i].word : NULL;
}

void verdicts_annotations(const struct verdicts *v, enum annotation_host host, struct strbuf *out)
{
    for (int i = 0; i < v->n; i++)
        if (v->list[i].outcome != VERDICT_PASSED)
            hosts[host].write(&v->list[i], out);
}
