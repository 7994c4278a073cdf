/* Occupancy as text: a table of the devices, a sentence for each, and how it changes with each need. See occupancy.h. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/strbuf.h"
#include "cli/occupancy.h"

const struct occupancy_axis occupancy_axes[DEVICE_AXES] = {
    {"threads", "threads per block", ""},
    {"registers", "registers per thread", ""},
    {"shared", "bytes of shared memory per block", " bytes"},
};

double occupancy_percent(const struct occupancy_case *c, const struct device_occupancy *o)
{
    return 100.0 * o->warps / (double)c->device->max_warps_per_sm;
}

void occupancy_count(struct strbuf *out, int64_t n)
{
    char digits[24];
    int len = snprintf(digits, sizeof digits, "%" PRId64, n);

    for (int i = 0; i < len; i++)
        strbuf_addf(out, "%s%c", i && (len - i) % 3 == 0 && digits[i - 1] != '-' ? "," : "", digits[i]);
}

/* Barriers come in sets, one a block slot: where both limit, it is the slots. */
static unsigned told_limits(const struct device_occupancy *o)
{
    unsigned both = 1u << DEVICE_LIMIT_BLOCKS | 1u << DEVICE_LIMIT_BARRIERS;

    return (o->limits & both) == both ? o->limits & ~(1u << DEVICE_LIMIT_BARRIERS) : o->limits;
}

void occupancy_limits(const struct device_occupancy *o, struct strbuf *out)
{
    const char *before = "";
    unsigned limits = o->refusal ? 1u << o->limit : told_limits(o), rest;

    for (int l = DEVICE_LIMIT_NONE + 1; l < DEVICE_LIMITS; l++) {
        if (!(limits >> l & 1))
            continue;
        strbuf_addf(out, "%s%s", before, device_limit_text((enum device_limit)l));
        rest = limits >> (l + 1);
        before = rest & (rest - 1) ? ", " : " and ";
    }
}

/* --- the sentence --- */

/* "{}" in the text stands for one number after the other. */
static void add_sentence(struct strbuf *out, const char *text, const int64_t *number)
{
    for (const char *at; (at = strstr(text, "{}")); text = at + 2) {
        strbuf_add(out, text, (size_t)(at - text));
        occupancy_count(out, *number++);
    }
    strbuf_adds(out, text);
}

#define SAY(out, text, ...) add_sentence(out, text, (const int64_t[]){__VA_ARGS__})

static void say_refusal(const struct occupancy_case *c, struct strbuf *out)
{
    const struct device *d = c->device;
    const struct device_need *need = &c->need;
    const struct device_occupancy *o = &c->at;

    strbuf_adds(out, "No block fits: ");
    switch (o->refusal) {
    case DEVICE_THREADS_A_BLOCK:
        SAY(out, "it has {} threads, and {} are the most.", need->threads, d->max_threads_per_block);
        break;
    case DEVICE_REGISTERS_A_THREAD:
        SAY(out, "a thread has {} registers, and {} are the most.", need->registers, d->max_registers_per_thread);
        break;
    case DEVICE_REGISTERS_A_BLOCK:
        SAY(out, "with {} registers per thread it counts as {} registers, and {} are the most.", need->registers,
            o->registers_checked, d->max_registers_per_block);
        break;
    case DEVICE_SHARED_A_BLOCK:
        SAY(out, "it has {} bytes of shared memory, and {} are the most.",
            need->shared_static + need->shared_dynamic + need->shared_hidden, d->max_shared_per_block_optin);
        break;
    default:
        SAY(out, "it uses {} barriers, and {} are the most.", need->barriers, d->barriers_per_block);
    }
}

static void say_why(const struct occupancy_case *c, enum device_limit l, struct strbuf *out)
{
    const struct device *d = c->device;
    const struct device_need *need = &c->need;
    const struct device_occupancy *o = &c->at;

    switch (l) {
    case DEVICE_LIMIT_WARPS:
        SAY(out, "a multiprocessor holds {} warps, of which {} blocks of {} leave {} empty", d->max_warps_per_sm, o->blocks,
            o->warps_per_block, d->max_warps_per_sm - o->warps);
        if (o->warps_per_block % d->warp_unit)
            SAY(out, " (a block's warps count as a multiple of {})", d->warp_unit);
        break;
    case DEVICE_LIMIT_BLOCKS:
        SAY(out, "a multiprocessor takes {} blocks, however small they are", d->max_blocks_per_sm);
        break;
    case DEVICE_LIMIT_REGISTERS:
        if (d->register_grant == DEVICE_GRANT_BLOCK)
            SAY(out, "{} per thread are granted as {} per block, and a multiprocessor has {}", need->registers,
                o->registers_per_block, d->registers_per_sm);
        else
            SAY(out, "{} per thread are granted as {} per warp, {} per block, and a multiprocessor has {}", need->registers,
                o->registers_per_warp, o->registers_per_block, d->registers_per_sm);
        break;
    case DEVICE_LIMIT_SHARED:
        SAY(out, "{} bytes per block", need->shared_static + need->shared_dynamic);
        if (o->shared_driver)
            SAY(out, need->shared_hidden ? " and {} for parameters and built-in variables" : " and {} that the driver keeps",
                o->shared_driver);
        SAY(out, " are granted as {}, and a multiprocessor has {}", o->shared_per_block, d->shared_per_sm);
        break;
    default:
        SAY(out, "a multiprocessor has {} barriers", d->barriers_per_sm);
    }
}

/* The step before the present one, towards less, that has more warps; NULL: there is none. */
static const struct device_step *better_step(const struct occupancy_case *c, enum device_axis axis)
{
    const struct device_curve *curve = &c->curve[axis];
    int64_t now = device_axis_value(&c->need, axis);
    const struct device_step *better = NULL;

    for (int i = 0; i < curve->n && curve->steps[i].last < now; i++)
        if (curve->steps[i].at.warps > c->at.warps)
            better = &curve->steps[i];
    return better;
}

static void say_what_helps(const struct occupancy_case *c, struct strbuf *out)
{
    static const char *const less[DEVICE_AXES] = {NULL, "at most {} registers per thread", "at most {} bytes of shared memory per block"};
    const char *before = " More fit with ";

    for (int axis = DEVICE_AXIS_REGISTERS; axis < DEVICE_AXES; axis++) {
        const struct device_step *s = better_step(c, (enum device_axis)axis);
        if (!s)
            continue;
        strbuf_adds(out, before);
        SAY(out, less[axis], s->last);
        strbuf_addf(out, " (%.1f%%)", occupancy_percent(c, &s->at));
        before = ", or ";
    }
    if (c->best_block) {
        const struct device_step *s = device_curve_at(&c->curve[DEVICE_AXIS_THREADS], c->best_block);
        if (s && s->at.warps > c->at.warps) {
            strbuf_adds(out, before);
            SAY(out, "blocks of {} threads", c->best_block);
            strbuf_addf(out, " (%.1f%%)", occupancy_percent(c, &s->at));
            before = ", or ";
        }
    }
    if (!strcmp(before, ", or "))
        strbuf_adds(out, ".");
}

void occupancy_sentence(const struct occupancy_case *c, struct strbuf *out)
{
    const struct device_occupancy *o = &c->at;
    const char *before = "";
    unsigned limits = told_limits(o);

    if (o->refusal) {
        say_refusal(c, out);
    } else if (o->warps == c->device->max_warps_per_sm) {
        SAY(out, o->blocks == 1 ? "{} block of {} warps fills all {} warps of a multiprocessor."
                                : "{} blocks of {} warps fill all {} warps of a multiprocessor.",
            o->blocks, o->warps_per_block, o->warps);
        return;
    } else {
        strbuf_addf(out, "The limit is ");
        occupancy_limits(o, out);
        strbuf_adds(out, ": ");
        for (int l = DEVICE_LIMIT_NONE + 1; l < DEVICE_LIMITS; l++)
            if (limits >> l & 1) {
                strbuf_adds(out, before);
                say_why(c, (enum device_limit)l, out);
                before = "; ";
            }
        strbuf_adds(out, ".");
    }
    say_what_helps(c, out);
}

/* --- the table --- */

static void add_head(const struct occupancy_page *p, struct strbuf *out)
{
    const struct occupancy_case *c = &p->cases[0];
    bool same = true;

    for (int i = 1; i < p->n; i++)
        same &= p->cases[i].need.registers == c->need.registers;
    if (p->kernel)
        strbuf_addf(out, "%s\n", p->kernel);
    strbuf_addf(out, "blocks of %u", p->block[0]);
    for (int i = 1; i < 3 && (p->block[i] > 1 || p->block[2] > 1); i++)
        strbuf_addf(out, " x %u", p->block[i]);
    if (p->block[1] > 1 || p->block[2] > 1)
        SAY(out, " = {}", c->need.threads);
    strbuf_adds(out, " threads; ");
    if (same)
        strbuf_addf(out, "%d registers per thread%s; ", c->need.registers, c->estimated ? " (Heddle's estimate)" : "");
    SAY(out, "{} bytes of shared memory per block", c->need.shared_static + c->need.shared_dynamic);
    if (p->kernel && c->need.shared_dynamic)
        SAY(out, ", {} of them dynamic", c->need.shared_dynamic);
    strbuf_adds(out, "\n\n");
}

static void add_table(const struct occupancy_page *p, struct strbuf *out)
{
    strbuf_adds(out, "                                               blocks that fit by\n"
                     "device      CC  registers  blocks     warps     warps   slots   registers  shared memory   occupancy  limit\n");
    for (int i = 0; i < p->n; i++) {
        const struct occupancy_case *c = &p->cases[i];
        const struct device_occupancy *o = &c->at;

        strbuf_addf(out, "%-10s %2d.%d %10d %7d %3d of %3d %9d %7d %11d %14d %10.1f%%  ", c->device->id,
                    (int)c->device->cc_major, (int)c->device->cc_minor, c->need.registers, o->blocks, o->warps,
                    (int)c->device->max_warps_per_sm, o->by_limit[DEVICE_LIMIT_WARPS], o->by_limit[DEVICE_LIMIT_BLOCKS],
                    o->by_limit[DEVICE_LIMIT_REGISTERS], o->by_limit[DEVICE_LIMIT_SHARED], occupancy_percent(c, o));
        occupancy_limits(o, out);
        strbuf_adds(out, "\n");
    }
    strbuf_adds(out, "\n");
    for (int i = 0; i < p->n; i++) {
        strbuf_addf(out, "%s: ", p->cases[i].device->id);
        occupancy_sentence(&p->cases[i], out);
        strbuf_adds(out, "\n");
    }
}

/* --- curves --- */

/* Columns are filled up with blanks; behind the last they are taken away. */
static void end_line(struct strbuf *out)
{
    while (out->len && out->s[out->len - 1] == ' ')
        out->s[--out->len] = 0;
    strbuf_adds(out, "\n");
}

/* Of one device all that limits is told, of several the first. */
static void add_cell(const struct occupancy_page *p, const struct occupancy_case *c, const struct device_step *s, int bar,
                     struct strbuf *out)
{
    int full = s ? (int)(occupancy_percent(c, &s->at) / 100 * bar + 0.5) : 0;

    strbuf_adds(out, "  ");
    for (int i = 0; i < bar; i++)
        strbuf_adds(out, i < full ? "#" : ".");
    if (!s)
        strbuf_addf(out, "      -  %-13s", "");
    else
        strbuf_addf(out, " %5.1f%%  ", occupancy_percent(c, &s->at));
    if (s && p->n == 1)
        occupancy_limits(&s->at, out);
    else if (s)
        strbuf_addf(out, "%-13s", device_limit_text(s->at.limit));
}

/* Do a device's cells say the same? */
static bool cells_same(const struct device_step *a, const struct device_step *b)
{
    return a == b || (a && b && a->at.warps == b->at.warps && a->at.limit == b->at.limit);
}

/* The last value of a row: up to where a cell of another text begins. INT64_MAX: no device allows `first`. */
static int64_t row_end(const struct occupancy_page *p, enum device_axis axis, int64_t first)
{
    for (int64_t end = first;;) {
        int64_t step = INT64_MAX;
        bool same = p->n > 1;

        for (int i = 0; i < p->n; i++) {
            const struct device_step *s = device_curve_at(&p->cases[i].curve[axis], end);
            if (s && s->last < step)
                step = s->last;
        }
        for (int i = 0; i < p->n && step != INT64_MAX; i++)
            same &= cells_same(device_curve_at(&p->cases[i].curve[axis], first), device_curve_at(&p->cases[i].curve[axis], step + 1));
        if (step == INT64_MAX)
            return end > first ? end - 1 : INT64_MAX;
        if (!same)
            return step;
        end = step + 1;
    }
}

static void add_range(struct strbuf *out, int64_t first, int64_t last, bool here)
{
    struct strbuf range;

    strbuf_init(&range);
    occupancy_count(&range, first);
    if (last > first) {
        strbuf_adds(&range, " - ");
        occupancy_count(&range, last);
    }
    strbuf_addf(out, "%s%20s", here ? "> " : "  ", range.s);
    strbuf_release(&range);
}

static void add_curve(const struct occupancy_page *p, enum device_axis axis, struct strbuf *out)
{
    int bar = p->n == 1 ? 32 : p->n <= 3 ? 12 : 4;
    int64_t now = device_axis_value(&p->cases[0].need, axis), first = p->cases[0].curve[axis].steps[0].first;
    bool same = true;

    for (int i = 1; i < p->n; i++)
        same &= device_axis_value(&p->cases[i].need, axis) == now;
    strbuf_addf(out, "\nby %s%s\n", occupancy_axes[axis].text, same ? " (>: here)" : "");
    if (p->n > 1) {
        strbuf_addf(out, "%22s", "");
        for (int i = 0; i < p->n; i++)
            strbuf_addf(out, "  %-*s", bar + 22, p->cases[i].device->id);
        end_line(out);
    }
    for (int64_t last; (last = row_end(p, axis, first)) != INT64_MAX; first = last + 1) {
        add_range(out, first, last, same && now >= first && now <= last);
        for (int i = 0; i < p->n; i++)
            add_cell(p, &p->cases[i], device_curve_at(&p->cases[i].curve[axis], first), bar, out);
        end_line(out);
    }
}

void occupancy_text(const struct occupancy_page *p, bool brief, struct strbuf *out)
{
    add_head(p, out);
    add_table(p, out);
    for (int axis = 0; axis < DEVICE_AXES && !brief; axis++)
        add_curve(p, (enum device_axis)axis, out);
}
