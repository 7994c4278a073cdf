/* LLVM's text with the kernel's instructions between, instead of LLVM's own locations (see show.h).
 *
 * The text comes with locations whose line is a site + 1 (llvm/lines.c): in a module as "!dbg !7" at the end of a line and
 * "!7 = !DILocation(line: 3, ..." behind all functions, in assembly as ".loc 1 3 0" on a line of its own. */
#include "jit/show.h"

#include "base/alloc.h"
#include "base/strbuf.h"
#include "ir/verify.h"
#include "jit/form_look.h"
#include "jit/jit_code.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct text {
    const struct jit_view *view;
    const char *at, *end;
    struct strbuf *out;
    int32_t shown;      /* the site that was noted last, or -1 */
    int32_t *site;      /* of LLVM's metadata, by its number; -1: no location */
    size_t nsites;
};

/* The next line, without its end; false at the text's end. */
static bool next_line(struct text *t, const char **line, size_t *n)
{
    if (t->at >= t->end)
        return false;
    const char *stop = memchr(t->at, '\n', (size_t)(t->end - t->at));
    *line = t->at;
    *n = (size_t)((stop ? stop : t->end) - t->at);
    t->at = stop ? stop + 1 : t->end;
    return true;
}

static bool begins(const char *line, size_t n, const char *with)
{
    return n >= strlen(with) && !memcmp(line, with, strlen(with));
}

static void note(struct text *t, int32_t site, const char *comment)
{
    if (site >= 0 && site != t->shown && t->view->note)
        t->view->note(site, comment, t->view->user, t->out);
    t->shown = site < 0 ? t->shown : site;
}

static void add_line(struct text *t, const char *line, size_t n)
{
    strbuf_add(t->out, line, n);
    strbuf_adds(t->out, "\n");
}

/* --- a module --- */

/* "!7 = !DILocation(line: 3, ..." */
static void read_location(struct text *t, const char *line)
{
    char *rest;
    unsigned long number = strtoul(line + 1, &rest, 10);
    static const char is[] = " = !DILocation(line: ";
    if (strncmp(rest, is, sizeof is - 1) || number > 10000000)
        return;
    if (number >= t->nsites) {
        size_t n = number * 2 + 64;
        t->site = alloc_resize(t->site, n * sizeof *t->site);
        while (t->nsites < n)
            t->site[t->nsites++] = -1;
    }
    t->site[number] = (int32_t)strtol(rest + sizeof is - 1, NULL, 10) - 1;
}

static bool has(const char *line, size_t n, const char *word)
{
    size_t length = strlen(word);
    for (size_t i = 0; i + length <= n; i++)
        if (!memcmp(line + i, word, length))
            return true;
    return false;
}

/* "!12 = !{!"branch_weights", ...": not of the locations, and referred to. `empty`: so is "!5 = !{}". */
static bool is_other_metadata(const char *line, size_t n, bool empty)
{
    return n > 1 && line[1] >= '0' && line[1] <= '9' && has(line, n, " !{") && (empty || !has(line, n, "!{}")) &&
           !has(line, n, "Debug Info Version") && !has(line, n, "!DI");
}

static void show_module(struct text *t)
{
    const char *line, *begin = t->at;
    bool empty = false;
    size_t n;
    while (next_line(t, &line, &n)) {
        empty = empty || has(line, n, "!invariant.load ");
        if (n && *line == '!')
            read_location(t, line);
    }
    t->at = begin;
    while (next_line(t, &line, &n)) {
        const char *mark = NULL;
        if (n && *line == '!' && !is_other_metadata(line, n, empty))
            continue;
        for (const char *p = line; p + 7 < line + n; p++)
            if (!memcmp(p, " !dbg !", 7))
                mark = p;
        if (mark) {
            char *rest; /* a function's brace, or other metadata */
            unsigned long number = strtoul(mark + 7, &rest, 10);
            note(t, number < t->nsites ? t->site[number] : -1, "  ; ");
            strbuf_add(t->out, line, (size_t)(mark - line) - (mark > line && mark[-1] == ','));
            add_line(t, rest, (size_t)(line + n - rest));
        } else {
            add_line(t, line, n);
        }
    }
}

/* --- assembly --- */

static void show_assembly(struct text *t)
{
    const char *line;
    size_t n;
    bool debug = false; /* in a section of LLVM's locations */
    while (next_line(t, &line, &n)) {
        if (begins(line, n, "\t.section") || begins(line, n, "\t.text"))
            debug = begins(line, n, "\t.section\t.debug");
        if (begins(line, n, "\t.loc\t"))
            note(t, (int32_t)strtol(strchr(line + 6, ' '), NULL, 10) - 1, "\t# ");
        else if (!debug && !begins(line, n, "\t.file\t") && !begins(line, n, ".Ltmp") && !begins(line, n, ".Lfunc_begin") &&
                 !begins(line, n, "\t.cfi_"))
            add_line(t, line, n);
    }
}

bool jit_show(const struct ir_kernel *k, const struct interp_code *c, const struct jit_view *view, struct strbuf *out,
              char *problem, size_t room)
{
    struct jit_object o = {0};
    const char *refused = plan_refuses(k);
    if (refused) {
        snprintf(problem, room, "%s", refused);
        return false;
    }
    struct shapes *shapes = shapes_find(k, view->block);
    struct plan plan = plan_make(k, c, shapes, view->block, false, ACCESS_ALL);
    int32_t *spill_slot = plan_spill_slots(k, c, shapes);
    struct jit_job job = {.kernel = k, .code = c, .shapes = shapes, .level = view->level, .counting = view->counting, .tallies = view->counting,
                          .runs = view->counting, .accesses = view->counting ? ACCESS_ALL : 0,
                          .row = plan.row, .access = plan.access, .naccesses = plan.naccesses,
                          .turns = view->whole_block ? 0 : plan.turns, .split = view->split, .resume = view->split ? plan.apart : plan.resume,
                          .nresume = view->split ? plan.napart : plan.nresume, .together = plan.resume,
                          .spill_slot = spill_slot, .unrolled = 1, .block = view->whole_block,
                          .tier = view->first ? JIT_FIRST : JIT_FULL, .form = view->form,
                          .look = ir_verify_wanted() ? form_look : NULL};
    memcpy(job.dim, view->block, sizeof job.dim);
    bool made = jit_emit(&job, &o);
    if (made) {
        struct text t = {.view = view, .at = o.bytes, .end = o.bytes + o.size, .out = out, .shown = -1};
        if (view->form == JIT_WRITTEN)
            strbuf_add(out, o.bytes, o.size);
        else
            (view->form == JIT_ASSEMBLY ? show_assembly : show_module)(&t);
        alloc_release(t.site);
        o.release(&o);
    } else {
        snprintf(problem, room, "%s", o.problem);
    }
    shapes_release(shapes);
    plan_release(&plan);
    alloc_release(spill_slot);
    return made;
}
