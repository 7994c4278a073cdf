/* Which launches a command is about: ncu's filters. */
#include "cli/launches.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "cli/flags.h"
#include "report/report.h"

/* The whole number between two points of a kernel id; -1 when there is nothing. */
static long id_part(struct diag_list *diags, const char *from, size_t n, const char *whole)
{
    const char *text = arena_strndup(&diags->arena, from, n);
    char *end;
    long v = strtol(text, &end, 10);

    if (!n)
        return -1;
    if (*end || v < 0)
        flags_wrong(diags, "--kernel-id", whole, "context:stream:name:invocation with numbers, or nothing, outside the name");
    return v;
}

void launch_filter_id(struct launch_filter *f, const char *value, struct diag_list *diags)
{
    const char *first = strchr(value, ':'), *second = first ? strchr(first + 1, ':') : NULL;
    const char *last = second ? strrchr(second + 1, ':') : NULL;

    if (!last) {
        flags_wrong(diags, "--kernel-id", value, "context:stream:name:invocation");
        return;
    }
    f->id = (struct kernel_id){true, id_part(diags, value, (size_t)(first - value), value),
                               id_part(diags, first + 1, (size_t)(second - first - 1), value),
                               id_part(diags, last + 1, strlen(last + 1), value), NULL};
    if (last > second + 1)
        f->id.name = arena_strndup(&diags->arena, second + 1, (size_t)(last - second - 1));
}

bool launch_choice_init(struct launch_choice *c, const struct launch_filter *f, struct diag_list *diags)
{
    memset(c, 0, sizeof *c);
    c->filter = f;
    c->arena = &diags->arena;
    table_init(&c->invocations);
    return name_filter_init(&c->kernel, f->kernel, "--kernel-name", diags) &&
           name_filter_init(&c->id, f->id.name, "--kernel-id", diags);
}

void launch_choice_release(struct launch_choice *c)
{
    name_filter_release(&c->kernel);
    name_filter_release(&c->id);
    table_release(&c->invocations);
}

static bool matches_id(struct launch_choice *c, const struct result *r, const char *name)
{
    const struct kernel_id *id = &c->filter->id;
    int stream = report_stream(r->stream);
    const char *key;
    long n;

    if (!id->given)
        return true;
    if ((id->context >= 0 && id->context != r->context) || (id->stream >= 0 && id->stream != stream) ||
        !name_filter_matches(&c->id, name))
        return false;
    key = arena_printf(c->arena, "%d %d %s", r->context, stream, name);
    n = (long)(intptr_t)table_get(&c->invocations, key) + 1;
    table_set(&c->invocations, key, (void *)(intptr_t)n);
    return id->invocation < 0 || id->invocation == n;
}

bool launch_choice_takes(struct launch_choice *c, const struct result *r)
{
    const struct launch_filter *f = c->filter;
    const char *name = name_form(f->base, r->kernel_name, r->kernel, c->arena);

    if (c->seen++ < f->skip_all || !name_filter_matches(&c->kernel, name) || !matches_id(c, r, name))
        return false;
    if (c->matched++ < f->skip || (f->count >= 0 && c->shown >= f->count))
        return false;
    c->shown++;
    return true;
}
