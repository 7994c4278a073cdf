/* Findings as verdicts, and where on the host a finding lies (see findings.h). */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "report/findings.h"
#include "report/verdicts.h"

bool finding_host_place(const char *frames, struct arena *a, struct finding_place *p)
{
    for (const char *at = frames; at && *at;) {
        size_t n = strcspn(at, "\n");
        char *line = arena_strndup(a, at, n), *in = strstr(line, " in "), *end = strstr(line, " ["), *colon;

        if (in && end && in < end) {
            *end = 0;
            *in = 0;
            colon = strrchr(in + 4, ':');
            if (colon) {
                *colon = 0;
                *p = (struct finding_place){.file = in + 4, .line = atoi(colon + 1), .function = line};
                return true;
            }
        }
        at += at[n] ? n + 1 : n;
    }
    return false;
}

/* The kernel's line, or the host's that launched, called or allocated. */
static struct finding_place place_of(const struct finding *f, struct arena *a)
{
    struct finding_place p = f->at;

    if (!p.file || !p.line)
        finding_host_place(f->backtrace ? f->backtrace : f->made_backtrace, a, &p);
    return p;
}

static void add_details(const struct finding *f, struct strbuf *out)
{
    if (f->text)
        strbuf_adds(out, f->text);
    if (f->kernel)
        strbuf_addf(out, "%sin kernel %s", f->text ? "\n" : "", f->kernel);
    if (f->kernel && f->ncases)
        strbuf_addf(out, ", first by thread (%u,%u,%u) in block (%u,%u,%u), %" PRId64 " times", f->cases[0].thread[0],
                    f->cases[0].thread[1], f->cases[0].thread[2], f->cases[0].block[0], f->cases[0].block[1], f->cases[0].block[2],
                    f->count);
}

void findings_judge(const struct findings *fs, struct verdicts *out)
{
    for (int i = 0; i < fs->n; i++) {
        const struct finding *f = fs->finding[i];
        struct strbuf headline, details;
        struct finding_place p;
        struct arena a;

        arena_init(&a);
        strbuf_init(&headline);
        strbuf_init(&details);
        p = place_of(f, &a);
        finding_headline(f, &headline);
        add_details(f, &details);
        verdicts_add(out, &(struct verdict){.outcome = strcmp(f->severity, "error") ? VERDICT_WARNED : VERDICT_FAILED,
                                            .group = f->kernel ? f->kernel : "host",
                                            .name = arena_printf(&a, "%s: %s", f->tool, f->kind),
                                            .file = p.file,
                                            .line = p.line,
                                            .message = headline.s,
                                            .details = details.len ? details.s : NULL});
        strbuf_release(&details);
        strbuf_release(&headline);
        arena_release(&a);
    }
}
