/* Filters over launches (see filter.h). */
#include "report/filter.h"

#include <string.h>

#include "report/result.h"

int report_stream(int stream)
{
    return stream == 0 ? 7 : 12 + stream;
}

bool launch_filter_takes_all(const struct launch_filter *f)
{
    return !f->kernel && !f->id.given && !f->skip && !f->skip_all && f->count < 0;
}

bool launch_choice_init(struct launch_choice *c, const struct launch_filter *f, struct diag_list *diags)
{
    memset(c, 0, sizeof *c);
    c->filter = f;
    arena_init(&c->arena);
    table_init(&c->invocations);
    return name_filter_init(&c->kernel, f->kernel, "--kernel-name", diags) &&
           name_filter_init(&c->id, f->id.name, "--kernel-id", diags);
}

void launch_choice_release(struct launch_choice *c)
{
    name_filter_release(&c->kernel);
    name_filter_release(&c->id);
    table_release(&c->invocations);
    arena_release(&c->arena);
}

/* The n-th launch of its name in its context and stream. */
static long invocation(struct launch_choice *c, const struct launch_id *l, int stream, const char *name, struct arena *scratch)
{
    const char *key = arena_printf(scratch, "%d %d %s", l->context, stream, name);
    long *n = table_get(&c->invocations, key);

    if (!n) {
        n = ARENA_ARRAY(&c->arena, long, 1);
        *n = 0;
        table_set(&c->invocations, arena_strdup(&c->arena, key), n);
    }
    return ++*n;
}

static bool matches_id(struct launch_choice *c, const struct launch_id *l, const char *name, struct arena *scratch)
{
    const struct kernel_id *id = &c->filter->id;
    int stream = report_stream(l->stream);

    if (!id->given)
        return true;
    if ((id->context >= 0 && id->context != l->context) || (id->stream >= 0 && id->stream != stream) || !name_filter_matches(&c->id, name))
        return false;
    long n = invocation(c, l, stream, name, scratch);
    return id->invocation < 0 || id->invocation == n;
}

bool launch_choice_takes(struct launch_choice *c, const struct launch_id *l)
{
    const struct launch_filter *f = c->filter;
    struct arena scratch;
    bool match;

    if (c->seen++ < f->skip_all)
        return false;
    arena_init(&scratch);
    const char *name = name_form(f->base, l->kernel_name, l->kernel, &scratch);
    match = name_filter_matches(&c->kernel, name) && matches_id(c, l, name, &scratch);
    arena_release(&scratch);
    if (!match || c->matched++ < f->skip || (f->count >= 0 && c->shown >= f->count))
        return false;
    c->shown++;
    return true;
}

struct launch_id launch_id_of(const struct result *r)
{
    return (struct launch_id){r->kernel_name, r->kernel, r->context, r->stream};
}
