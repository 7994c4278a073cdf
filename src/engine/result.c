/* Results for callers of the engine: their source lines, and their form as a line of JSON. */
#include "engine/private.h"

#include <stdio.h>
#include <stdlib.h>

#include "report/lines.h"
#include "report/result.h"

/* --- lines --- */

static const struct line *line_at(heddle_result *r, int i)
{
    if (!r->lines)
        r->nlines = lines_collect(r->r, &r->r->arena, &r->lines);
    return i >= 0 && i < r->nlines ? &r->lines[i] : NULL;
}

static heddle_status no_line(const heddle_result *r)
{
    return engine_fail(HEDDLE_NOT_FOUND, "the result of kernel '%s' has %d lines", r->r->kernel_name, r->nlines);
}

heddle_status heddle_result_line(heddle_result *r, int i, heddle_line *out)
{
    const struct line *l = r && out ? line_at(r, i) : NULL;
    if (!r || !out)
        return engine_fail(HEDDLE_INVALID_VALUE, "no result, or no place for the line");
    if (!l)
        return no_line(r);
    *out = (heddle_line){.file = l->file, .line = l->line, .ptx_line = l->ptx_line, .ptx_text = l->ptx_text};
    return HEDDLE_OK;
}

heddle_status heddle_result_line_metric(heddle_result *r, int i, const char *name, double *value)
{
    const struct line *l = r ? line_at(r, i) : NULL;
    const struct metric *m = name ? metric_find(name) : NULL;
    if (!r || !value)
        return engine_fail(HEDDLE_INVALID_VALUE, "no result, or no place for the value");
    if (!l)
        return no_line(r);
    if (!m || !m->compute)
        return engine_metric_told(m ? METRIC_NOT_COMPUTED : METRIC_UNKNOWN, name);
    if (!metric_of_lines(m))
        return engine_fail(HEDDLE_INVALID_VALUE, "metric '%s' is of the launch as a whole, not of a source line", name);
    return engine_metric_told(metric_value(name, &(struct metric_input){&l->counters, &r->r->launch, 0, &r->r->rates}, value), name);
}

/* --- JSON --- */

heddle_status heddle_result_json(heddle_result *r, const char **text, size_t *bytes)
{
    if (!r || !text || !bytes)
        return engine_fail(HEDDLE_INVALID_VALUE, "no result, or no place for its text");
    if (!r->json) {
        FILE *f = open_memstream(&r->json, &r->json_bytes);
        bool ok = f && result_write(r->r, f);
        if (f && fclose(f))
            ok = false;
        if (!ok) {
            free(r->json);
            r->json = NULL;
            return engine_fail(HEDDLE_OUT_OF_MEMORY, "no memory for the text of a result");
        }
    }
    *text = r->json;
    *bytes = r->json_bytes;
    return HEDDLE_OK;
}

heddle_status heddle_result_read(const char *text, size_t bytes, heddle_result **out)
{
    if (!text || !out)
        return engine_fail(HEDDLE_INVALID_VALUE, "no text, or no place for the result");
    struct arena scratch;
    const char *why = NULL;
    arena_init(&scratch);
    struct result *r = result_read(text, bytes, &scratch, &why);
    heddle_status s = r ? HEDDLE_OK : engine_fail(HEDDLE_INVALID_VALUE, "%s", why);
    arena_release(&scratch);
    if (r)
        *out = engine_wrap(r, r->id);
    return s;
}
