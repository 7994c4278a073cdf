/* See machine_code.h. */
#include "cli/machine_code.h"

#include <string.h>

#include "base/strbuf.h"
#include "target/code.h"
#include "target/target.h"

bool machine_code_known(const struct device *d)
{
    return arch_is_known(device_arch(d));
}

/* "an estimate", of an architecture that was never compared "modelled, not verified". */
static const char *how_sure(const struct device *devices, int n)
{
    for (int i = 0; i < n; i++)
        if (!arch_is_verified(device_arch(&devices[i])))
            return "modelled, not verified";
    return "an estimate";
}

/* What the architecture does not have: "# sm_20 has no SHFL, MATCH: this device cannot run the kernel" */
static void print_missing(const struct code *c, const char *begin, struct strbuf *out)
{
    enum machine_op missing[OPS];
    int n = code_missing(c, missing);
    if (!n)
        return;
    strbuf_addf(out, "%ssm_%d has no", begin, c->arch);
    for (int i = 0; i < n; i++)
        strbuf_addf(out, "%s %s", i ? "," : "", arch_op_name(missing[i]));
    strbuf_adds(out, ": such a device cannot run the kernel\n");
}

/* "fma", of devices that differ "core/fma" */
static void print_units(enum machine_op op, const struct device *devices, int n, struct strbuf *out)
{
    uint32_t seen = 0;
    for (int i = 0; i < n; i++) {
        int arch = device_arch(&devices[i]);
        uint32_t unit = UINT32_C(1) << arch_op_pipe(arch, op);
        if (!arch_op(arch, op) || seen & unit)
            continue;
        strbuf_addf(out, "%s%s", seen ? "/" : "", pipe_words[arch_op_pipe(arch, op)]);
        seen |= unit;
    }
}

/* Units have two names where one of the devices has cores. */
static int unit_width(const struct device *devices, int n)
{
    bool cores = false, others = false;
    for (int i = 0; i < n; i++) {
        cores |= device_arch(&devices[i]) < 70;
        others |= device_arch(&devices[i]) >= 70;
    }
    return cores && others ? 14 : 9;
}

enum { CONTROL = 44 }; /* the column of what is said of waiting */

struct listing {
    const struct ir_kernel *k;
    const struct ir_notes *notes;
    const struct ptx_loc *shown;
    struct strbuf *out;
    unsigned at; /* instructions so far */
};

static void list_inst(struct listing *l, const struct code *c, int32_t i)
{
    const struct machine_inst *in = &c->insts[i];
    const struct ptx_loc *loc = in->site >= 0 ? l->k->insts[in->site].from->loc : NULL;
    if (in->op == OP_NONE)
        return;
    if (loc && loc->line && (!l->shown || loc->line != l->shown->line || strcmp(loc->file, l->shown->file))) {
        strbuf_addf(l->out, "    # %s:%d", loc->file, loc->line);
        if (l->notes->source)
            l->notes->source(loc, l->notes->user, l->out);
        strbuf_adds(l->out, "\n");
        l->shown = loc;
    }
    strbuf_addf(l->out, "  %5x0  ", l->at++);
    size_t begin = l->out->len;
    code_print(in, l->out);
    if (in->control.stall) {
        int room = CONTROL - (int)(l->out->len - begin);
        strbuf_addf(l->out, "%*s", room > 0 ? room : 1, "");
        code_print_control(in, l->out);
    }
    strbuf_addf(l->out, "%s\n", in->taken == TAKEN_NEVER ? "  # the long way" : "");
}

static void list_one(const struct ir_kernel *k, const struct device *d, int after, const struct ir_notes *notes, struct strbuf *out)
{
    struct code *c = target_code(k, device_arch(d), (enum target_step)after);
    struct listing l = {.k = k, .notes = notes, .out = out};
    strbuf_addf(out, "# %s for sm_%d (%s): %d instructions, ", k->name, c->arch, d->name, (int)code_size(c));
    if (c->registers)
        strbuf_addf(out, "%d registers, ", c->registers);
    strbuf_addf(out, "%s\n", how_sure(d, 1));
    print_missing(c, "# ", out);
    for (int32_t i = 0; !c->nblocks && i < c->ninsts; i++)
        list_inst(&l, c, i);
    for (int32_t b = 0; b < c->nblocks; b++) {
        const struct machine_block *bl = &c->blocks[b];
        if (bl->count) {
            code_print_head(k, bl, out);
            strbuf_adds(out, "\n");
        }
        for (int32_t i = bl->first; i < bl->first + bl->count; i++)
            list_inst(&l, c, i);
    }
    code_free(c);
}

void machine_code_list(struct ir_kernel *const *kernels, const struct device *devices, int n, int after, const struct ir_notes *notes, struct strbuf *out)
{
    for (int i = 0; i < n; i++)
        list_one(kernels[i], &devices[i], after, notes, out);
}

/* A number for each device; nothing when all are 0. */
static void print_counts(const char *name, const char *unit, int width, const int32_t *counts, int n, struct strbuf *out)
{
    int32_t any = 0;
    for (int i = 0; i < n; i++)
        any |= counts[i];
    if (!any)
        return;
    strbuf_addf(out, "%-14s %-*s", name, width, unit);
    for (int i = 0; i < n; i++)
        strbuf_addf(out, " %10d", (int)counts[i]);
    strbuf_adds(out, "\n");
}

void machine_code_count(struct ir_kernel *const *kernels, const struct device *devices, int n, struct strbuf *out)
{
    int32_t ops[OPS][MACHINE_DEVICES] = {0}, units[PIPES][MACHINE_DEVICES] = {0}, all[MACHINE_DEVICES] = {0};
    const int width = unit_width(devices, n);
    struct strbuf missing, unit;
    strbuf_init(&missing);
    strbuf_init(&unit);
    strbuf_addf(out, "%s: instructions of the machine code, %s\n%-14s %-*s", kernels[0]->name, how_sure(devices, n), "operation", width, "pipe");
    for (int i = 0; i < n; i++) {
        struct code *c = target_code(kernels[i], device_arch(&devices[i]), TARGET_ALLOCATED);
        int32_t of_op[OPS], of_pipe[PIPES];
        code_count(c, of_op, of_pipe);
        for (int op = OP_NONE + 1; op < OPS; op++) {
            ops[op][i] = of_op[op];
            all[i] += of_op[op];
        }
        for (int p = 0; p < PIPES; p++)
            units[p][i] = of_pipe[p];
        print_missing(c, "", &missing);
        code_free(c);
        strbuf_addf(out, " %10s", devices[i].id);
    }
    strbuf_adds(out, "\n");
    for (int op = OP_NONE + 1; op < OPS; op++) {
        strbuf_clear(&unit);
        print_units((enum machine_op)op, devices, n, &unit);
        print_counts(arch_op_name((enum machine_op)op), unit.len ? unit.s : "", width, ops[op], n, out);
    }
    for (int p = 0; p < PIPES; p++)
        print_counts("all", pipe_words[p], width, units[p], n, out);
    print_counts("all", "", width, all, n, out);
    strbuf_adds(out, missing.len ? missing.s : "");
    strbuf_release(&missing);
    strbuf_release(&unit);
}
