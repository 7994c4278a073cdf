/* Findings as SARIF (see sarif.h). Section numbers are those of the standard. */
#include "report/sarif.h"

#include <inttypes.h>
#include <jansson.h>

#include "base/diag.h"
#include "base/strbuf.h"
#include "check/check.h"
#include "report/findings.h"

/* 3.28 location: relative to where the command ran. Without a line there is none. */
static json_t *location(const struct finding_place *p, const char *message)
{
    json_t *o = json_pack("{s:{s:{s:s},s:{s:i}}}", "physicalLocation", "artifactLocation", "uri", diag_file(p->file),
                          "region", "startLine", p->line);

    if (message)
        json_object_set_new(o, "message", json_pack("{s:s}", "text", message));
    if (p->function)
        json_object_set_new(
            o, "logicalLocations",
            json_pack("[{s:s,s:s}]", "fullyQualifiedName", p->function, "kind", "function"));
    return o;
}

static void add_location(json_t *list, const struct finding_place *p, const char *message)
{
    if (p->file && p->line)
        json_array_append_new(list, location(p, message));
}

static json_t *result(const struct finding *f, struct arena *a)
{
    struct strbuf text;
    json_t *places = json_array(), *related = json_array(), *o;
    struct finding_place host;

    strbuf_init(&text);
    finding_headline(f, &text);
    if (f->text)
        strbuf_addf(&text, "\n%s", f->text);
    if (f->kernel)
        strbuf_addf(&text, "\nin kernel %s", f->kernel);
    if (f->ncases && f->kernel)
        strbuf_addf(&text, ", first by thread (%u,%u,%u) in block (%u,%u,%u), %" PRId64 " times", f->cases[0].thread[0],
                    f->cases[0].thread[1], f->cases[0].thread[2], f->cases[0].block[0], f->cases[0].block[1],
                    f->cases[0].block[2], f->count);
    add_location(places, &f->at, NULL);
    if (finding_host_place(f->backtrace ? f->backtrace : f->made_backtrace, a, &host))
        add_location(f->at.file ? related : places, &host, f->at.file ? "the launch" : NULL);
    add_location(related, &f->by, "the earlier access");
    if (f->backtrace && finding_host_place(f->made_backtrace, a, &host))
        add_location(related, &host, "the allocation");
    o = json_pack("{s:s,s:s,s:{s:s},s:o,s:I}", "ruleId", f->kind, "level", f->severity, "message", "text", text.s,
                  "locations", places, "occurrenceCount", (json_int_t)(f->count > 0 ? f->count : 1));
    if (json_array_size(related))
        json_object_set(o, "relatedLocations", related);
    json_decref(related);
    strbuf_release(&text);
    return o;
}

/* 3.49 reportingDescriptor: one for each kind of finding. */
static json_t *rules(void)
{
    json_t *list = json_array();

    for (int k = 0; k < CHECK_KINDS; k++)
        json_array_append_new(list,
                              json_pack("{s:s,s:{s:s}}", "id", check_kind_name((enum check_kind)k),
                                        "properties", "tool",
                                        check_tool_name(check_kind_tool((enum check_kind)k))));
    return list;
}

bool sarif_write(const struct findings *fs, const char *version, FILE *file)
{
    json_t *results = json_array(), *log;
    struct arena a;
    bool ok;

    arena_init(&a);
    for (int i = 0; i < fs->n; i++)
        json_array_append_new(results, result(fs->finding[i], &a));
    log = json_pack("{s:s,s:s,s:[{s:{s:{s:s,s:s,s:o}},s:o,s:s}]}", "$schema",
                    "https://json.schemastore.org/sarif-2.1.0.json", "version", "2.1.0", "runs",
                    "tool", "driver", "name", "heddle check", "version", version, "rules", rules(),
                    "results", results, "columnKind", "utf16CodeUnits");
    ok = json_dumpf(log, file, JSON_INDENT(2)) == 0 && fputc('\n', file) != EOF;
    json_decref(log);
    arena_release(&a);
    return ok;
}
