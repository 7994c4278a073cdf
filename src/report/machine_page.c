/* The page of machine code (see machine_page.h). */
#include "report/machine_page.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "report/lines.h"
#include "report/numbers.h"
#include "report/report.h"
#include "report/sources.h"

enum { ADDRESS = 16 }; /* bytes of an instruction since Volta; before it the addresses mean nothing but the order */

/* The source line that the instruction is of, or NULL. Sites that counted nothing are in no result. */
static const struct result_site *place_of(const struct result *r, const struct result_inst *in)
{
    uint32_t from = 0, to = r->nsites;

    while (from < to) { /* sites are in ascending order */
        uint32_t middle = (from + to) / 2;
        if (r->sites[middle].site < in->site)
            from = middle + 1;
        else
            to = middle;
    }
    if (in->site < 0 || from == r->nsites || r->sites[from].site != in->site)
        return NULL;
    const struct result_site *s = lines_speaks_for(r, from);
    return s->file && s->line > 0 ? s : NULL;
}

void report_machine(const struct result *r, struct strbuf *out)
{
    const struct result_site *shown = NULL;
    struct sources sources;

    sources_init(&sources);
    strbuf_adds(out, "  ");
    report_launch_line(r, out);
    strbuf_addf(out, "\n%14s %14s %14s  %8s  %s\n", "Executed", "Threads", "Predicated On", "Address", "Instruction");
    for (uint32_t i = 0; i < r->ninsts; i++) {
        const struct result_inst *in = &r->insts[i];
        const struct result_site *at = place_of(r, in);
        char n[3][64];

        if (in->head)
            strbuf_addf(out, "%54s  %s\n", "", in->head);
        if (at && (!shown || at->line != shown->line || strcmp(at->file, shown->file))) {
            const char *base = strrchr(at->file, '/');
            strbuf_addf(out, "%54s  # %s:%d  %s\n", "", base ? base + 1 : at->file, at->line, sources_text(&sources, at->file, at->line));
            shown = at;
        }
        number_readable((double)in->inst, n[0], sizeof n[0]);
        number_readable((double)in->thread_inst, n[1], sizeof n[1]);
        number_readable((double)in->thread_inst_on, n[2], sizeof n[2]);
        strbuf_addf(out, "%14s %14s %14s  %8x    %s\n", n[0], n[1], n[2], ADDRESS * (unsigned)i, in->text);
    }
    strbuf_adds(out, "    Machine code as Heddle takes the GPU to have it, and how often warps and threads executed it: modelled\n\n");
    sources_release(&sources);
}

static void quoted(struct strbuf *out, const char *s)
{
    strbuf_adds(out, "\"");
    for (; *s; s++)
        strbuf_add(out, *s == '"' ? "\"\"" : s, *s == '"' ? 2 : 1);
    strbuf_adds(out, "\"");
}

void report_machine_csv(const struct result *r, struct strbuf *out)
{
    strbuf_adds(out, "\"Kernel Name\",");
    quoted(out, r->kernel_name ? r->kernel_name : r->kernel);
    strbuf_adds(out, "\n\"#\",\"Address\",\"Source\",\"# Instructions Executed\",\"# Thread Instructions Executed\","
                     "\"# Predicated-On Thread Instructions Executed\",\"File\",\"Line\"\n");
    for (uint32_t i = 0; i < r->ninsts; i++) {
        const struct result_inst *in = &r->insts[i];
        const struct result_site *at = place_of(r, in);

        strbuf_addf(out, "\"%u\",\"0x%x\",", i, ADDRESS * (unsigned)i);
        quoted(out, in->text);
        strbuf_addf(out, ",\"%" PRIu64 "\",\"%" PRIu64 "\",\"%" PRIu64 "\",", in->inst, in->thread_inst, in->thread_inst_on);
        quoted(out, at ? at->file : "");
        strbuf_addf(out, ",\"%d\"\n", at ? at->line : 0);
    }
    strbuf_adds(out, "\n");
}
