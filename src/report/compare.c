/* Which launches belong together, and the figures of a row (see compare.h). */
#include "report/compare.h"

#include <string.h>

#include "base/diag.h"
#include "report/names.h"

static const char *function_of(const struct result *r, struct arena *a)
{
    return name_form(NAME_FUNCTION, r->kernel_name, r->kernel, a);
}

/* --- in order --- */

static bool pair_in_order(struct compare *c, struct arena *a, struct diag_list *diags)
{
    int least = c->column[0].n;
    bool equal = true;

    for (int i = 0; i < c->columns; i++) {
        equal &= c->column[i].n == c->column[0].n;
        least = c->column[i].n < least ? c->column[i].n : least;
    }
    for (int i = 0; !equal && i < c->columns; i++)
        diag_add(diags, DIAG_WARNING, NULL, 0, "'%s' of %s: %d %s, of which the first %d are compared", c->column[i].kernel,
                 c->column[i].program, c->column[i].n, c->column[i].n == 1 ? "launch" : "launches", least);
    c->page = ARENA_ARRAY(a, struct compare_page, least ? least : 1);
    for (c->pages = 0; c->pages < least; c->pages++)
        for (int i = 0; i < c->columns; i++)
            c->page[c->pages].launch[i] = c->column[i].launch[c->pages];
    return true;
}

/* --- by name --- */

/* The n-th launch of the name in a column, n from 0; NULL: there are not so many. */
static const struct result *find(const struct compare_column *c, const char *name, int n, struct arena *a)
{
    for (int i = 0; i < c->n; i++)
        if (!strcmp(function_of(c->launch[i], a), name) && n-- == 0)
            return c->launch[i];
    return NULL;
}

static int count(const struct compare_column *c, const char *name, int before, struct arena *a)
{
    int n = 0;

    for (int i = 0; i < before; i++)
        n += !strcmp(function_of(c->launch[i], a), name);
    return n;
}

/* Launches of a name that only some columns have, or have more of: told once a name. */
static void tell_lonely(const struct compare *c, int column, struct arena *a, struct diag_list *diags)
{
    const struct compare_column *own = &c->column[column];

    for (int i = 0; i < own->n; i++) {
        const char *name = function_of(own->launch[i], a);
        int here = count(own, name, own->n, a), least = here;

        if (count(own, name, i, a))
            continue;
        for (int k = 0; k < c->columns; k++) {
            int there = count(&c->column[k], name, c->column[k].n, a);
            least = there < least ? there : least;
        }
        if (least < here)
            diag_add(diags, DIAG_WARNING, NULL, 0, "%s on %s: %d of %d launches of '%s' have nothing beside them", own->program,
                     own->launch[i]->device_id, here - least, here, name);
    }
}

/* "one, two" */
static const char *names_of(const struct compare_column *c, struct arena *a)
{
    const char *all = "";

    for (int i = 0; i < c->n; i++) {
        const char *name = function_of(c->launch[i], a);

        if (!count(c, name, i, a))
            all = arena_printf(a, "%s%s%s", all, *all ? ", " : "", name);
    }
    return *all ? all : "none";
}

static bool pair_by_name(struct compare *c, struct arena *a, struct diag_list *diags)
{
    const struct compare_column *first = &c->column[0];
    bool single = true;

    for (int i = 0; i < c->columns; i++)
        single &= c->column[i].n == 1;
    if (single)
        return pair_in_order(c, a, diags);
    c->page = ARENA_ARRAY(a, struct compare_page, first->n ? first->n : 1);
    c->pages = 0;
    for (int i = 0; i < first->n; i++) {
        const char *name = function_of(first->launch[i], a);
        struct compare_page p = {{first->launch[i]}};
        bool whole = true;

        for (int k = 1; k < c->columns; k++) {
            p.launch[k] = find(&c->column[k], name, count(first, name, i, a), a);
            whole &= p.launch[k] != NULL;
        }
        if (whole)
            c->page[c->pages++] = p;
    }
    if (c->pages)
        for (int i = 0; i < c->columns; i++)
            tell_lonely(c, i, a, diags);
    return true;
}

bool compare_init(struct compare *c, const struct compare_column *column, int columns, bool in_order, struct arena *a,
                  struct diag_list *diags)
{
    *c = (struct compare){.column = column, .columns = columns};
    for (int i = 0; i < columns; i++)
        if (!column[i].n) {
            diag_add(diags, DIAG_ERROR, NULL, 0, column[i].kernel ? "%s launched no kernel that '%s' chooses" : "%s launched no kernel",
                     column[i].program, column[i].kernel);
            return false;
        }
    if (in_order)
        pair_in_order(c, a, diags);
    else
        pair_by_name(c, a, diags);
    if (!c->pages)
        diag_add(diags, DIAG_ERROR, NULL, 0,
                 "no kernel of %s is launched in all others, too: it has %s, %s has %s; choose one of each with -k NAME -k NAME",
                 column[0].program, names_of(&column[0], a), column[1].program, names_of(&column[1], a));
    return c->pages > 0;
}
