/* Sites summed by source line, and the text of lines. */
#define _GNU_SOURCE /* getline */
#include "report/lines.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/table.h"

static double cost_of(const struct counters *c)
{
    static const enum counter passes[] = {
        COUNTER_INST,               COUNTER_GLOBAL_LD_SECTORS,    COUNTER_GLOBAL_ST_SECTORS,
        COUNTER_GLOBAL_ATOM_SECTORS, COUNTER_GLOBAL_RED_SECTORS,  COUNTER_LOCAL_LD_SECTORS,
        COUNTER_LOCAL_ST_SECTORS,   COUNTER_SHARED_LD_WAVEFRONTS, COUNTER_SHARED_ST_WAVEFRONTS,
        COUNTER_SHARED_ATOM_WAVEFRONTS, COUNTER_CONST_ADDRESSES};
    double sum = 0;

    for (size_t i = 0; i < sizeof passes / sizeof passes[0]; i++)
        sum += (double)c->v[passes[i]];
    return sum;
}

static int hotter(const void *a, const void *b)
{
    const struct line *x = a, *y = b;
    int by_file;

    if (x->cost != y->cost)
        return x->cost < y->cost ? 1 : -1;
    by_file = strcmp(x->file ? x->file : "", y->file ? y->file : "");
    if (by_file)
        return by_file;
    return x->line != y->line ? x->line - y->line : x->ptx_line - y->ptx_line;
}

/* Built-in variables and small functions of the compiler's own headers (threadIdx.x, __shfl_sync) are part of the line
 * that uses them, but its code does not always say which that is. */
bool lines_is_compilers(const char *file)
{
    return file && (strstr(file, "/lib/clang/") || strstr(file, "/__clang_"));
}

const struct result_site *lines_speaks_for(const struct result *r, uint32_t i)
{
    if (!lines_is_compilers(r->sites[i].file))
        return &r->sites[i];
    for (uint32_t k = i; k-- > 0;)
        if (!lines_is_compilers(r->sites[k].file))
            return &r->sites[k];
    for (uint32_t k = i + 1; k < r->nsites; k++)
        if (!lines_is_compilers(r->sites[k].file))
            return &r->sites[k];
    return &r->sites[i];
}

static void add_passes(struct line *l, const struct result_site *s)
{
    uint64_t passes = s->counters.v[COUNTER_PTX_INST], lanes = s->counters.v[COUNTER_PTX_THREAD_INST];

    if (passes > l->passes || (passes == l->passes && lanes > l->lanes)) {
        l->passes = passes;
        l->lanes = lanes;
    }
    if (!s->counters.v[COUNTER_BRANCH] && s->counters.v[COUNTER_THREAD_INST_ON] < s->counters.v[COUNTER_THREAD_INST]) {
        l->guarded += s->counters.v[COUNTER_INST];
        l->guarded_lanes += s->counters.v[COUNTER_THREAD_INST];
        l->guarded_on += s->counters.v[COUNTER_THREAD_INST_ON];
    }
    if (s->unrolled > l->unrolled)
        l->unrolled = s->unrolled;
}

int lines_collect(const struct result *r, struct arena *a, struct line **lines)
{
    struct line *all = ARENA_ARRAY(a, struct line, r->nsites ? r->nsites : 1);
    struct table by_key;
    int n = 0;

    table_init(&by_key);
    for (uint32_t i = 0; i < r->nsites; i++) {
        const struct result_site *s = lines_speaks_for(r, i);
        bool has_source = s->file && s->line > 0;
        const char *key = has_source ? arena_printf(a, "%d %s", s->line, s->file) : arena_printf(a, "p%d", s->ptx_line);
        struct line *l = table_get(&by_key, key);

        if (!l) {
            l = &all[n++];
            l->file = has_source ? s->file : NULL;
            l->line = has_source ? s->line : 0;
            l->ptx_line = s->ptx_line;
            l->ptx_text = s->text;
            table_set(&by_key, key, l);
        }
        counters_add(&l->counters, &r->sites[i].counters, 1);
        add_passes(l, &r->sites[i]);
    }
    table_release(&by_key);
    for (int i = 0; i < n; i++)
        all[i].cost = cost_of(&all[i].counters);
    if (n)
        qsort(all, (size_t)n, sizeof *all, hotter);
    *lines = all;
    return n;
}

const char *lines_text(const struct line *l, struct arena *a)
{
    FILE *f = l->file ? fopen(l->file, "re") : NULL;
    char *line = NULL, *text;
    const char *found = l->ptx_text ? l->ptx_text : "";
    size_t size = 0;
    ssize_t len = 0;

    for (int at = 0; f && at < l->line; at++)
        len = getline(&line, &size, f);
    if (f && len > 0) {
        text = line;
        while (isspace((unsigned char)*text))
            text++;
        while (len > 0 && isspace((unsigned char)line[len - 1]))
            line[--len] = 0;
        found = arena_strdup(a, text);
    }
    free(line);
    if (f)
        fclose(f);
    return found;
}
