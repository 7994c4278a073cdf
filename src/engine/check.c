/* A checked launch: what the checkers found becomes findings for the report. */
#define _GNU_SOURCE /* program_invocation_short_name */
#include "engine/private.h"
#include "engine.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/strbuf.h"
#include "check/check.h"
#include "report/findings.h"
#include "report/result.h"

static void tell_early(const struct check_group *g, int index, void *user);

heddle_status engine_check(heddle_device *d, unsigned tools, void (*found)(struct finding *f, void *user), void *user)
{
    check_close(d->check);
    d->check = tools ? check_open(tools, &d->space, &d->heap) : NULL;
    d->found = found;
    d->found_user = user;
    if (d->check)
        check_follow(d->check, tell_early, d);
    return HEDDLE_OK;
}

/* --- the public interface: findings as JSON --- */

static void tell_in_words(struct finding *f, void *user)
{
    heddle_device *d = user;
    struct sources sources;
    const struct finding_form form = {.prefix = "", .most = 1, .inlined = true, .counted = true, .sources = &sources};
    struct strbuf text;
    char *json = NULL;
    size_t bytes = 0;
    FILE *file = open_memstream(&json, &bytes);
    f->pid = getpid();
    f->process = program_invocation_short_name;
    bool ok = file && finding_write(f, file);
    if (file)
        fclose(file);
    sources_init(&sources);
    strbuf_init(&text);
    finding_text(f, &form, &text);
    if (ok)
        d->told(json, text.s ? text.s : "", d->told_user);
    strbuf_release(&text);
    sources_release(&sources);
    free(json);
    finding_free(f);
}

/* The tools of a list as bits; 0 with what is none of them in *unknown. */
static unsigned tools_named(const char *list, const char **unknown)
{
    unsigned bits = 0;
    for (const char *at = list;; at++) {
        unsigned tool = check_tool_named(at, strcspn(at, ","));
        if (!tool) {
            *unknown = at;
            return 0;
        }
        bits |= tool;
        at += strcspn(at, ",");
        if (!*at)
            return bits;
    }
}

heddle_status heddle_check(heddle_device *d, const char *tools, void (*found)(const char *json, const char *text, void *user), void *user)
{
    enum { PADDING = 4096 }; /* docs/check.md */
    const char *unknown = NULL;
    if (!d || (tools && !found))
        return engine_fail(HEDDLE_INVALID_VALUE, "no device, or nobody to tell findings to");
    unsigned bits = tools ? tools_named(tools, &unknown) : 0;
    if (unknown)
        return engine_fail(HEDDLE_INVALID_VALUE, "'%.*s' is no tool; there are memcheck, initcheck, synccheck, racecheck and all",
                           (int)strcspn(unknown, ","), unknown);
    d->told = found;
    d->told_user = user;
    d->newest = UINT64_MAX;
    engine_pad(d, bits ? PADDING : 0);
    return engine_check(d, bits, tell_in_words, d);
}

void engine_check_next(heddle_kernel *k, bool told, bool fails, uint64_t newest)
{
    k->module->device->untold = !told;
    k->module->device->forgiving = !fails;
    k->module->device->newest = newest;
}

uint64_t engine_unwritten(heddle_device *d, uint64_t address, uint64_t bytes, uint64_t *first)
{
    return d->check ? check_unwritten(d->check, address, bytes, first) : 0;
}

void engine_written(heddle_device *d, uint64_t address, uint64_t bytes)
{
    if (d->check)
        check_written(d->check, address, bytes);
}

void engine_pad(heddle_device *d, uint64_t bytes)
{
    space_pad(&d->space, bytes);
    d->heap.padding = bytes < HEAP_UNIT ? bytes : HEAP_UNIT;
}

void engine_each_of_heap(heddle_device *d, void (*visit)(uint64_t address, uint64_t bytes, void *user), void *user)
{
    heap_each(&d->heap, visit, user);
}

static const char *access_name(const heddle_kernel *k, int32_t site)
{
    if (site < 0)
        return NULL;
    switch (ir_kind(&k->ir->insts[site])) {
    case PTX_KIND_LOAD: case PTX_KIND_LOADU: case PTX_KIND_MATRIX_LOAD: case PTX_KIND_TEXTURE: return "read";
    case PTX_KIND_STORE: case PTX_KIND_MATRIX_STORE: return "write";
    case PTX_KIND_ATOMIC: case PTX_KIND_REDUCE: return "atomic";
    case PTX_KIND_ASYNC: return "copy";
    default: return NULL;
    }
}

/* part: an element of an access that was made of several, or -1. */
static struct finding_place place_of(struct arena *a, const heddle_kernel *k, int32_t site, int part)
{
    struct finding_place p = {0};
    if (site < 0)
        return p;
    const struct ir_inst *in = &k->ir->insts[site];
    const struct ir_origin *from = part >= 0 ? in->parts[part] : in->from;
    const struct ptx_loc *loc = from->loc && from->loc->line ? from->loc : NULL;
    p.file = loc ? arena_strdup(a, loc->file) : NULL;
    p.line = loc ? loc->line : 0;
    p.ptx_line = from->ptx_line;
    p.function = result_demangle(a, loc && loc->function ? loc->function : k->ir->name);
    p.inlined_at = engine_inlining_chain(a, loc);
    return p;
}

static void add_case(struct finding_case *c, const struct check_finding *f)
{
    memcpy(c->block, f->block, sizeof c->block);
    memcpy(c->thread, f->thread, sizeof c->thread);
    memcpy(c->by_thread, f->by_thread, sizeof c->by_thread);
    c->address = f->address;
    c->now = f->mask ? f->mask : f->now;
    c->then = f->then;
}

static void tell(const heddle_kernel *k, const struct check_group *g, int index)
{
    static const char *const spaces[] = {[PTX_GLOBAL] = "global", [PTX_SHARED] = "shared", [PTX_LOCAL] = "local",
                                         [PTX_CONST] = "constant"};
    static const char *const places[] = {"nowhere", "inside", "before", "after", "freed"};
    const struct check_finding *first = &g->kept[0];
    struct finding *f = finding_new();
    struct arena *a = &f->arena;
    heddle_device *d = k->module->device;
    f->id = index;
    f->launch = (int64_t)d->launches - 1;
    f->tool = check_tool_name(check_kind_tool(first->kind));
    f->kind = check_kind_name(first->kind);
    f->severity = check_kind_severity(first->kind) == CHECK_ERROR ? "error" : "warning";
    f->kernel = result_demangle(a, k->ir->name);
    f->at = place_of(a, k, first->site, first->part);
    f->by = place_of(a, k, first->by_site, -1);
    f->access = access_name(k, first->site);
    f->by_access = access_name(k, first->by_site);
    f->space = first->space ? spaces[first->space] : NULL;
    f->bytes = first->bytes;
    f->count = (int64_t)g->count;
    f->ncases = g->nkept;
    f->cases = ARENA_ARRAY(a, struct finding_case, g->nkept);
    for (int i = 0; i < g->nkept; i++)
        add_case(&f->cases[i], &g->kept[i]);
    if (check_kind_tool(first->kind) == CHECK_MEMCHECK) {
        f->place = places[first->place];
        f->distance = (int64_t)first->distance;
        f->near_address = (int64_t)first->near.address;
        f->near_bytes = (int64_t)first->near.bytes;
        f->near_serial = (int64_t)first->near.serial;
        f->near_label = first->near.label ? arena_strdup(a, first->near.label) : NULL;
        f->limit = first->limit;
    }
    f->async = first->async;
    if (d->untold)
        finding_free(f);
    else
        d->found(f, d->found_user);
}

/* Faults that are the checkers' to tell as well: nobody can go on, or a call finds no stack. */
static void tell_fault(const heddle_kernel *k, const struct launch *l, enum check_kind kind, int index)
{
    struct finding *f = finding_new();
    heddle_device *d = k->module->device;
    f->id = index;
    f->launch = (int64_t)d->launches - 1;
    f->tool = check_tool_name(check_kind_tool(kind));
    f->kind = check_kind_name(kind);
    f->severity = "error";
    f->kernel = result_demangle(&f->arena, k->ir->name);
    f->at = place_of(&f->arena, k, l->fault.site, -1);
    f->count = f->ncases = 1;
    f->cases = ARENA_ARRAY(&f->arena, struct finding_case, 1);
    memcpy(f->cases[0].block, l->fault.block_id, sizeof l->fault.block_id);
    memcpy(f->cases[0].thread, l->fault.thread_id, sizeof l->fault.thread_id);
    f->text = l->fault.text ? arena_strdup(&f->arena, l->fault.text) : NULL;
    if (d->untold)
        finding_free(f);
    else
        d->found(f, d->found_user);
}

static void tell_early(const struct check_group *g, int index, void *user)
{
    const heddle_device *d = user;
    tell(d->checked, g, index);
}

struct check_launch *check_launch_begin(heddle_kernel *k, struct launch *l)
{
    heddle_device *d = k->module->device;
    if (!d->check)
        return NULL;
    d->checked = k;
    return check_begin(d->check, l, d->untold ? CHECK_INITCHECK : CHECK_ALL, d->newest);
}

void check_launch_end(struct check_launch *cl, heddle_kernel *k, struct launch *l)
{
    const struct check_group *groups;
    int n = check_groups(cl, &groups);
    bool bad = false;
    for (int i = 0; i < n; i++) {
        bad |= check_kind_tool(groups[i].kept[0].kind) == CHECK_MEMCHECK || groups[i].kept[0].kind == CHECK_BARRIER_IN_WARP;
        tell(k, &groups[i], i);
    }
    if (l->fault_set && l->fault.status == HEDDLE_DEADLOCK)
        tell_fault(k, l, CHECK_DEADLOCK, n);
    if (l->fault_set && l->fault.status == HEDDLE_STACK_OVERFLOW)
        tell_fault(k, l, CHECK_STACK_OVERFLOW, n);
    if (bad && !l->fault_set && !k->module->device->forgiving) { /* as on a GPU under a checker */
        l->fault = (struct fault){.status = HEDDLE_CHECK_FAILED, .lane = -1, .element = -1};
        l->fault_set = true;
    }
    check_end(cl);
}
