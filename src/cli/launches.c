/* Which launches a command is about: the flag that names one. */
#include "cli/launches.h"

#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "cli/flags.h"

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
