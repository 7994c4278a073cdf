/* Whether launches have become worse: `heddle compare --fail-above` (see compare.h). */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/strbuf.h"
#include "report/blame.h"
#include "report/compare_table.h"
#include "report/names.h"
#include "report/numbers.h"
#include "report/verdicts.h"

/* By how many percent of `first` is `now` worse? INFINITY: from nothing to something; below 0: better. */
static double worse_by(enum compare_worse worse, double first, double now)
{
    double change = now - first;

    if (worse == COMPARE_WORSE_LESS)
        change = -change;
    else if (worse == COMPARE_WORSE_ANY)
        change = fabs(change);
    if (change == 0)
        return 0;
    return first == 0 ? copysign(INFINITY, change) : 100 * change / fabs(first);
}

static void add_value(struct strbuf *out, double v, const char *unit)
{
    char digits[64];

    if (isnan(v)) {
        strbuf_adds(out, "n/a");
        return;
    }
    if (v == floor(v))
        number_readable(v, digits, sizeof digits);
    else
        number_short(v, digits, sizeof digits);
    strbuf_addf(out, "%s%s%s", digits, *unit ? " " : "", unit);
}

static void add_message(const struct compare *c, const struct compare_page *p, const struct compare_row *row, int k, double by,
                        double percent, const char *label, const char *kernel, struct strbuf *out)
{
    strbuf_addf(out, "'%s' of kernel '%s', launch %" PRId64 ", is ", label, kernel, p->launch[k]->id);
    add_value(out, row->value[k], row->unit);
    strbuf_addf(out, " in %s, and was ", c->column[k].program);
    add_value(out, row->value[0], row->unit);
    strbuf_addf(out, " in %s: ", c->column[0].program);
    if (isnan(by))
        strbuf_adds(out, "it is not there any more");
    else if (isinf(by))
        strbuf_adds(out, "there was none");
    else
        strbuf_addf(out, "%.1f%% %s, %g%% is allowed", by, row->worse == COMPARE_WORSE_ANY ? "changed" : "worse", percent);
}

/* The line that the figure of this launch is owed to, or NULL. */
static const struct line *blame(const struct result *r, const struct compare_row *row, struct arena *a)
{
    enum better better = row->worse == COMPARE_WORSE_LESS ? BETTER_MORE : row->worse == COMPARE_WORSE_ANY ? BETTER_NEAR : BETTER_LESS;

    return row->metric ? blame_line(r, row->metric, better, row->value[0], a) : NULL;
}

/* A label that is set in belongs to the one before: "Global load sectors, a request". */
static const char *full_label(const struct compare_row *rows, const struct compare_row *row, struct arena *a)
{
    const struct compare_row *of = row;

    while (of > rows && *of->label == ' ')
        of--;
    return of == row ? row->label : arena_printf(a, "%s, %s", of->label, row->label + strspn(row->label, " "));
}

static void judge(const struct compare *c, const struct compare_page *p, const struct compare_row *row, int k, double percent,
                  const char *label, struct arena *a, struct verdicts *out)
{
    double by = isnan(row->value[k]) ? NAN : worse_by(row->worse, row->value[0], row->value[k]);
    const char *kernel = name_instance(p->launch[k]->kernel_name, p->launch[k]->kernel, a);
    struct verdict v = {.outcome = by <= percent ? VERDICT_PASSED : VERDICT_FAILED, .group = kernel,
                        .name = arena_printf(a, "%s, %s, launch %" PRId64, label, c->column[k].program, p->launch[k]->id)};
    struct strbuf message;

    strbuf_init(&message);
    if (v.outcome == VERDICT_FAILED) {
        const struct line *blamed = blame(p->launch[k], row, a), *l = blamed ? blamed : blame_first(p->launch[k], a);

        add_message(c, p, row, k, by, percent, label, kernel, &message);
        v.message = message.s;
        v.file = l ? l->file : NULL;
        v.line = l ? l->line : 0;
        v.details = blamed ? lines_text(blamed, a) : NULL;
    }
    verdicts_add(out, &v);
    strbuf_release(&message);
}

void compare_judge(const struct compare *c, const struct compare_options *o, double percent, struct verdicts *out)
{
    const struct compare_options all = {o->metrics, true};

    for (int i = 0; i < c->pages; i++) {
        struct compare_row *rows;
        struct arena a;
        int n;

        arena_init(&a);
        n = compare_rows(c, &c->page[i], &all, &a, &rows);
        for (const struct compare_row *row = rows; row < rows + n; row++)
            for (int k = 1; k < c->columns && row->worse != COMPARE_WORSE_NOTHING && !isnan(row->value[0]); k++)
                judge(c, &c->page[i], row, k, percent, full_label(rows, row, &a), &a, out);
        arena_release(&a);
    }
}
