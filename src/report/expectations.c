/* Expectations: reading and judging (see expectations.h). */
#include "report/expectations.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/diag.h"
#include "base/file.h"
#include "base/strbuf.h"
#include "report/blame.h"
#include "report/report.h"
#include "report/verdicts.h"

#define LESS BETTER_LESS
#define MORE BETTER_MORE
#define NEAR BETTER_NEAR
static const struct {
    const char *sign;
    enum better better;
} operators[] = {
#define OPERATOR(name, sign, holds, better) {sign, better},
#include "report/expectation_operators.def"
#undef OPERATOR
};
#undef LESS
#undef MORE
#undef NEAR

static bool holds(enum expectation_operator o, double v, double b)
{
    switch (o) {
#define OPERATOR(name, sign, holds, better) \
    case EXPECT_##name:                     \
        return holds;
#include "report/expectation_operators.def"
#undef OPERATOR
    default:
        return false;
    }
}

void expectations_init(struct expectations *e)
{
    memset(e, 0, sizeof *e);
    arena_init(&e->arena);
}

void expectations_release(struct expectations *e)
{
    for (int i = 0; i < e->n; i++)
        name_rules_release(&e->each[i].kernels);
    alloc_release(e->each);
    arena_release(&e->arena);
}

/* --- reading --- */

/* Where a text stands that is being read, and in which section. */
struct source {
    const char *file; /* NULL: a flag */
    int line;
    const char *section;
};

static char *trimmed(struct arena *a, const char *s, size_t n)
{
    while (n && isspace((unsigned char)*s)) {
        s++;
        n--;
    }
    while (n && isspace((unsigned char)s[n - 1]))
        n--;
    return arena_strndup(a, s, n);
}

static void wrong(struct diag_list *diags, const struct source *at, const char *text, const char *why)
{
    diag_add(diags, DIAG_ERROR, at->file, at->line, "expectation '%s': %s", text, why);
}

/* The first sign in the text; NULL: there is none. */
static const char *find_sign(const char *text, enum expectation_operator *which)
{
    const char *at = text + strcspn(text, "<>=!");

    for (int i = 0; *at && i < EXPECTATION_OPERATORS; i++)
        if (!strncmp(at, operators[i].sign, strlen(operators[i].sign))) {
            *which = (enum expectation_operator)i;
            return at;
        }
    return NULL;
}

/* A metric that is computed at all. */
static bool check_metric(const char *name, const char *text, const struct source *at, struct diag_list *diags)
{
    const struct metric *m = metric_find(name);
    const char *near = m ? NULL : metric_near(name);
    struct strbuf why;

    if (m && m->compute)
        return true;
    strbuf_init(&why);
    if (m)
        strbuf_addf(&why, "the metric '%s' is known, but not computed", name);
    else if (near)
        strbuf_addf(&why, "unknown metric '%s'; did you mean '%s'?", name, near);
    else
        strbuf_addf(&why, "unknown metric '%s'; docs/reference/metrics.md lists all", name);
    wrong(diags, at, text, why.s);
    strbuf_release(&why);
    return false;
}

/* A number, and behind it the metric's unit or nothing. */
static bool read_bound(const char *word, const char *metric, double *bound, const char **why, struct arena *a)
{
    const char *unit = metric_find(metric)->unit;
    char *end;

    *bound = strtod(word, &end);
    while (isspace((unsigned char)*end))
        end++;
    if (end == word || !isfinite(*bound))
        *why = arena_printf(a, "'%s' is not a number", word);
    else if (*end && strcmp(end, unit))
        *why = *unit ? arena_printf(a, "'%s' is not a number, alone or in '%s'", word, unit) : arena_printf(a, "'%s' is not a number", word);
    else
        return true;
    return false;
}

static bool add(struct expectations *e, const char *text, const struct source *at, struct diag_list *diags)
{
    struct expectation one = {.text = text, .section = at->section, .file = at->file, .line = at->line};
    const char *sign = find_sign(text, &one.operator), *why;

    if (!sign || sign == text) {
        wrong(diags, at, text, "write METRIC >= NUMBER, with one of >= <= > < == !=");
        return false;
    }
    one.metric = trimmed(&e->arena, text, (size_t)(sign - text));
    if (!check_metric(one.metric, text, at, diags))
        return false;
    sign += strlen(operators[one.operator].sign);
    if (!read_bound(trimmed(&e->arena, sign, strlen(sign)), one.metric, &one.bound, &why, &e->arena)) {
        wrong(diags, at, text, why);
        return false;
    }
    if (at->section && strcmp(at->section, "*") && !name_rules_add(&one.kernels, at->section, false, at->file, diags))
        return false;
    ALLOC_GROW(e->each, e->n, e->cap);
    e->each[e->n++] = one;
    return true;
}

bool expectations_add(struct expectations *e, const char *text, struct diag_list *diags)
{
    return add(e, trimmed(&e->arena, text, strlen(text)), &(struct source){0}, diags);
}

/* "[kernel]", a comment behind it or nothing. */
static bool read_section(struct expectations *e, const char *text, struct source *at, struct diag_list *diags)
{
    const char *end = strrchr(text, ']');
    struct name_rules rules = {0};
    struct diag_list unsaid; /* it would name a flag */
    bool ok;

    if (end && end[1 + strspn(end + 1, " \t")] && end[1 + strspn(end + 1, " \t")] != '#')
        end = NULL;
    at->section = end ? trimmed(&e->arena, text + 1, (size_t)(end - text - 1)) : NULL;
    if (!end || !*at->section) {
        diag_add(diags, DIAG_ERROR, at->file, at->line, "'%s' names no kernel: write [NAME], [regex:PATTERN], or [*] for all", text);
        return false;
    }
    diag_init(&unsaid);
    ok = name_rules_add(&rules, at->section, false, at->file, &unsaid);
    diag_release(&unsaid);
    name_rules_release(&rules);
    if (!ok) {
        diag_add(diags, DIAG_ERROR, at->file, at->line, "'%s' holds no regular expression", text);
        at->section = NULL;
    }
    return ok;
}

static void read_line(struct expectations *e, const char *line, size_t n, struct source *at, struct diag_list *diags)
{
    char *text = trimmed(&e->arena, line, n);

    at->line++;
    if (*text == '[') {
        read_section(e, text, at, diags);
        return;
    }
    text = trimmed(&e->arena, text, strcspn(text, "#"));
    if (*text)
        add(e, text, at, diags);
}

bool expectations_parse(struct expectations *e, const char *file, const char *text, size_t len, struct diag_list *diags)
{
    struct source at = {.file = arena_strdup(&e->arena, file)};
    int before = e->n, errors = diags->errors;

    if (memchr(text, 0, len)) {
        diag_add(diags, DIAG_ERROR, file, 0, "it is no text: there is a byte of 0 in it");
        return false;
    }
    for (const char *s = text, *end = text + len; s < end;) {
        const char *eol = memchr(s, '\n', (size_t)(end - s));
        size_t n = (size_t)((eol ? eol : end) - s);

        read_line(e, s, n, &at, diags);
        s += n + (eol != NULL);
    }
    if (e->n == before && diags->errors == errors)
        diag_add(diags, DIAG_ERROR, file, 0, "there is no expectation in it");
    return diags->errors == errors;
}

bool expectations_read(struct expectations *e, const char *path, struct diag_list *diags)
{
    struct strbuf all;
    bool ok;

    strbuf_init(&all);
    if (!file_read(path, &all)) {
        diag_add(diags, DIAG_ERROR, NULL, 0, "cannot read the expectations '%s': %s", path, strerror(errno));
        strbuf_release(&all);
        return false;
    }
    ok = expectations_parse(e, path, all.s ? all.s : "", all.len, diags);
    strbuf_release(&all);
    return ok;
}

counter_groups expectations_groups(const struct expectations *e)
{
    counter_groups g = 0;

    for (int i = 0; i < e->n; i++)
        g |= metric_groups(metric_find(e->each[i].metric));
    return g;
}

/* --- judging --- */

/* The launches of one kernel under one expectation. */
struct judged {
    const struct expectation *e;
    const struct result *worst; /* of those that do not meet it */
    double value;               /* there; NAN: n/a */
    int launches, failed;       /* of those in which there is something to be measured */
};

/* False: the launch has nothing of what the metric measures, like the efficiency of loads where there are none. */
static bool value_of(const struct expectation *e, const struct result *r, double *v)
{
    const struct metric_input in = {&r->total, &r->launch, NAN, &r->rates};

    if (metric_value(e->metric, &in, v) == METRIC_OK)
        return !isnan(*v);
    *v = NAN;
    return true;
}

/* Is a further from the bound than b? What is n/a is furthest. */
static bool further(const struct expectation *e, double a, double b)
{
    if (isnan(a) || isnan(b))
        return isnan(a) && !isnan(b);
    switch (operators[e->operator].better) {
    case BETTER_LESS:
        return a > b;
    case BETTER_MORE:
        return a < b;
    default:
        return fabs(a - e->bound) > fabs(b - e->bound);
    }
}

static void look_at(struct judged *j, const struct result *r)
{
    double v;

    if (!value_of(j->e, r, &v) && !r->fault)
        return;
    j->launches++;
    if (!r->fault && !isnan(v) && holds(j->e->operator, v, j->e->bound))
        return;
    if (!j->failed++ || further(j->e, v, j->value)) {
        j->worst = r;
        j->value = v;
    }
}

static void add_message(const struct judged *j, struct strbuf *out)
{
    const struct expectation *e = j->e;
    char value[64];

    strbuf_addf(out, "expectation '%s'", e->text);
    if (e->file)
        strbuf_addf(out, " (%s:%d)", diag_file(e->file), e->line);
    report_value(j->worst, e->metric, value, sizeof value);
    strbuf_addf(out, " is not met: %s", value);
    if (*metric_find(e->metric)->unit && !isnan(j->value))
        strbuf_addf(out, " %s", metric_find(e->metric)->unit);
    strbuf_addf(out, " in kernel '%s', launch %" PRId64, j->worst->kernel_name ? j->worst->kernel_name : j->worst->kernel, j->worst->id);
    if (j->launches > 1)
        strbuf_addf(out, "; not in %d of its %d launches", j->failed, j->launches);
    if (j->worst->fault)
        strbuf_addf(out, "; the launch ended early: %s", j->worst->fault);
}

static void conclude(const struct judged *j, const char *kernel, struct verdicts *out)
{
    struct verdict v = {.outcome = j->failed ? VERDICT_FAILED : VERDICT_PASSED, .group = kernel, .name = j->e->text};
    struct strbuf message;
    struct arena a;

    arena_init(&a);
    strbuf_init(&message);
    if (j->failed) {
        const struct line *blamed = blame_line(j->worst, j->e->metric, operators[j->e->operator].better, j->e->bound, &a);
        const struct line *l = blamed ? blamed : blame_first(j->worst, &a);

        add_message(j, &message);
        v.message = message.s;
        v.file = l ? l->file : NULL;
        v.line = l ? l->line : 0;
        v.details = blamed ? lines_text(blamed, &a) : NULL;
    }
    verdicts_add(out, &v);
    strbuf_release(&message);
    arena_release(&a);
}

static const char *kernel_of(const struct result *r)
{
    return r->kernel_name ? r->kernel_name : r->kernel;
}

static bool is_about(const struct expectation *e, const struct result *r)
{
    return name_rules_match(&e->kernels, kernel_of(r), r->kernel);
}

/* All launches of the kernel of launch i, which is the first of them. False: there is nothing to be measured in them. */
static bool judge_kernel(const struct expectation *e, struct result *const *launch, int i, int n, struct verdicts *out)
{
    struct judged j = {.e = e};

    for (int k = i; k < n; k++)
        if (!strcmp(launch[k]->kernel, launch[i]->kernel))
            look_at(&j, launch[k]);
    if (j.launches)
        conclude(&j, kernel_of(launch[i]), out);
    return j.launches > 0;
}

static void judge_none(const struct expectation *e, bool launched, struct verdicts *out)
{
    struct strbuf message;

    strbuf_init(&message);
    strbuf_addf(&message, "expectation '%s'", e->text);
    if (e->file)
        strbuf_addf(&message, " (%s:%d)", diag_file(e->file), e->line);
    strbuf_adds(&message, " is not met: ");
    if (launched)
        strbuf_addf(&message, "no launch%s%s%s has anything that it measures", e->section ? " of '" : "", e->section ? e->section : "",
                    e->section ? "'" : "");
    else if (e->section)
        strbuf_addf(&message, "no kernel '%s' was launched", e->section);
    else
        strbuf_adds(&message, "no kernel was launched");
    verdicts_add(out, &(struct verdict){.outcome = VERDICT_FAILED, .group = e->section ? e->section : "no kernel", .name = e->text,
                                        .file = e->file, .line = e->line, .message = message.s});
    strbuf_release(&message);
}

void expectations_judge(const struct expectations *e, struct result *const *launch, int n, struct verdicts *out)
{
    for (const struct expectation *one = e->each; one < e->each + e->n; one++) {
        bool launched = false, judged = false;

        for (int i = 0; i < n; i++) {
            bool first = is_about(one, launch[i]);

            for (int k = 0; k < i && first; k++)
                first = strcmp(launch[k]->kernel, launch[i]->kernel) != 0;
            if (first && judge_kernel(one, launch, i, n, out))
                judged = true;
            launched |= first;
        }
        if (!judged)
            judge_none(one, launched, out);
    }
}
