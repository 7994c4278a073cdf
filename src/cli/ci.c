/* Files and lines for continuous integration (see ci.h). */
#include "cli/ci.h"

#include <stdio.h>
#include <string.h>

#include "base/diag.h"
#include "base/strbuf.h"
#include "cli/flags.h"
#include "cli/program.h"

void ci_flag(struct ci *ci, const struct flag *row, const char *value, struct diag_list *diags)
{
    const char *words[ANNOTATION_HOSTS];

    if (!strcmp(row->name, "--junit")) {
        ci->junit = value;
        return;
    }
    for (int i = 0; i < ANNOTATION_HOSTS; i++)
        words[i] = annotation_host_word(i);
    ci->host = (enum annotation_host)flags_choice(diags, row, value, words, ANNOTATION_HOSTS);
    ci->annotate = true;
}

void ci_write(const struct ci *ci, const struct verdicts *v, const char *suite, struct diag_list *diags)
{
    struct strbuf text;

    strbuf_init(&text);
    if (ci->junit) {
        verdicts_junit(v, suite, &text);
        program_write_report(&text, ci->junit, NULL, diags);
        strbuf_clear(&text);
    }
    if (ci->annotate)
        verdicts_annotations(v, ci->host, &text);
    if (text.len)
        fputs(text.s, stderr);
    strbuf_release(&text);
}

void ci_tell(const struct ci *ci, const struct verdicts *v, const char *what)
{
    struct strbuf text;

    strbuf_init(&text);
    if (!ci->annotate)
        verdicts_text(v, &text);
    strbuf_addf(&text, "heddle: %d of %d %s\n", v->n - verdicts_count(v, VERDICT_FAILED), v->n, what);
    fputs(text.s, stderr);
    strbuf_release(&text);
}
