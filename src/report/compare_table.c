/* The rows of compare.def for the launches of a page (see compare_table.h). */
#include "report/compare_table.h"

#include <math.h>
#include <string.h>

#include "device/occupancy.h"
#include "report/roofline.h"
#include "report/time_text.h"

enum when { ALWAYS, BY_SIZE };

struct launch {
    const struct result *r;
    struct roofline f;
};

/* One row's figure of one launch: a number, or a word. */
struct figure {
    double value;
    const char *word;
};

#define L(id)      (in->r->launch.id)
#define PCT(a, b)  (100 * (a) / (b))
#define EXACT      TRUST_EXACT
#define CODE       TRUST_CODE
#define MODELLED   TRUST_MODELLED

enum row_number {
#define METRIC_ROW(label, worse, metric, when)           ROW_NUMBER(__LINE__),
#define FACT_ROW(label, worse, unit, trust, value, when) ROW_NUMBER(__LINE__),
#define ROOF_ROW(label, worse, unit, trust, value)       ROW_NUMBER(__LINE__),
#define WORD_ROW(label, trust, text)                     ROW_NUMBER(__LINE__),
#define ROW_NUMBER(line)                                 ROW_NUMBER_(line)
#define ROW_NUMBER_(line)                                row_##line
#include "report/compare.def"
    ROWS
};

static struct figure metric(const struct launch *in, const char *name)
{
    double v;

    return (struct figure){result_metric(in->r, name, &v) == METRIC_OK ? v : NAN, NULL};
}

static struct figure figure_of(const struct launch *in, enum row_number row)
{
    const struct roofline *f = &in->f;

    switch (row) {
#define ROW_CASE(line)                                   ROW_CASE_(line)
#define ROW_CASE_(line)                                  case row_##line
#define METRIC_ROW(label, worse, name, when)             ROW_CASE(__LINE__): return metric(in, name);
#define FACT_ROW(label, worse, unit, trust, amount, when) ROW_CASE(__LINE__): return (struct figure){(double)(amount), NULL};
#define ROOF_ROW(label, worse, unit, trust, amount)      ROW_CASE(__LINE__): return (struct figure){(amount), NULL};
#define WORD_ROW(label, trust, text)                     ROW_CASE(__LINE__): return (struct figure){NAN, (text)};
#include "report/compare.def"
    default:
        return (struct figure){NAN, NULL};
    }
}

#define WORSE(worse)     WORSE_##worse
#define WORSE_NOTHING    COMPARE_WORSE_NOTHING, false
#define WORSE_MORE       COMPARE_WORSE_MORE, false
#define WORSE_LESS       COMPARE_WORSE_LESS, false
#define WORSE_MORE_IF_ASKED COMPARE_WORSE_MORE, true
#define WORSE_LESS_IF_ASKED COMPARE_WORSE_LESS, true

static const struct kind {
    enum row_number row;
    const char *group, *label, *unit, *metric; /* a group has only its title */
    enum trust trust;
    enum when when;
    enum compare_worse worse;
    bool if_asked;
} kinds[] = {
#define GROUP(title)                                     {ROWS, title, NULL, NULL, NULL, EXACT, ALWAYS, WORSE(NOTHING)},
#define METRIC_ROW(label, worse, name, when)             {ROW_NUMBER(__LINE__), NULL, label, NULL, name, EXACT, when, WORSE(worse)},
#define FACT_ROW(label, worse, unit, trust, value, when) {ROW_NUMBER(__LINE__), NULL, label, unit, NULL, trust, when, WORSE(worse)},
#define ROOF_ROW(label, worse, unit, trust, value)       {ROW_NUMBER(__LINE__), NULL, label, unit, NULL, trust, ALWAYS, WORSE(worse)},
#define WORD_ROW(label, trust, text)                     {ROW_NUMBER(__LINE__), NULL, label, "", NULL, trust, ALWAYS, WORSE(NOTHING)},
#include "report/compare.def"
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static void set(struct compare_row *row, int i, struct figure v)
{
    double first;

    row->word[i] = v.word;
    row->value[i] = isinf(v.value) ? NAN : v.value;
    first = row->value[0];
    row->ratio[i] = isnan(first) || isnan(row->value[i]) || first == 0 ? NAN : row->value[i] / first;
}

/* Does anything differ, or is there at all something to be seen? */
static bool differs(const struct compare_row *row, int n)
{
    for (int i = 1; i < n; i++)
        if (row->word[0] ? strcmp(row->word[0], row->word[i])
                         : row->value[i] != row->value[0] && !(isnan(row->value[i]) && isnan(row->value[0])))
            return true;
    return false;
}

static bool is_empty(const struct compare_row *row, int n)
{
    for (int i = 0; i < n; i++)
        if (row->word[i] || (!isnan(row->value[i]) && row->value[i] != 0))
            return false;
    return true;
}

static void name_metric(struct compare_row *row, const char *name)
{
    const struct metric *m = metric_find(name);

    row->metric = name;
    row->unit = m->unit;
    row->trust = m->trust;
}

/* Of a metric by any of its names, the row that has it. */
static enum compare_worse worse_of(const char *name)
{
    for (const struct kind *k = kinds; k < kinds + KINDS; k++)
        if (k->metric && metric_find(k->metric) == metric_find(name))
            return k->worse;
    return COMPARE_WORSE_ANY;
}

/* Rows that were asked for by name are all shown. */
static int chosen_rows(const struct launch *in, int n, const struct report_metrics *m, struct arena *a, struct compare_row **rows)
{
    *rows = ARENA_ARRAY(a, struct compare_row, m->n);
    for (int k = 0; k < m->n; k++) {
        struct compare_row *row = &(*rows)[k];

        *row = (struct compare_row){.group = "Metrics", .label = m->name[k], .worse = worse_of(m->name[k])};
        name_metric(row, m->name[k]);
        for (int i = 0; i < n; i++)
            set(row, i, metric(&in[i], m->name[k]));
    }
    return m->n;
}

int compare_rows(const struct compare *c, const struct compare_page *p, const struct compare_options *o, struct arena *a,
                 struct compare_row **rows)
{
    struct launch in[COMPARE_MOST];
    const char *group = "";
    bool by_size = false;
    int n = 0;

    for (int i = 0; i < c->columns; i++) {
        in[i].r = p->launch[i];
        result_roofline(in[i].r, &in[i].f);
        by_size |= in[i].r->launch.by_size != 0;
    }
    if (o->metrics && o->metrics->n)
        return chosen_rows(in, c->columns, o->metrics, a, rows);
    *rows = ARENA_ARRAY(a, struct compare_row, KINDS);
    for (const struct kind *k = kinds; k < kinds + KINDS; k++) {
        struct compare_row row = {.group = group, .label = k->label, .unit = k->unit, .trust = k->trust, .worse = k->if_asked ? COMPARE_WORSE_NOTHING : k->worse};

        if (k->group)
            group = k->group;
        if (k->group || (k->when == BY_SIZE && !by_size))
            continue;
        if (k->metric)
            name_metric(&row, k->metric);
        for (int i = 0; i < c->columns; i++)
            set(&row, i, figure_of(&in[i], k->row));
        if (!is_empty(&row, c->columns) && (o->all || differs(&row, c->columns)))
            (*rows)[n++] = row;
    }
    return n;
}
