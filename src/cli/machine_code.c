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

/* "b3", "b5 and what it guards", "4 turns of the loop at b5" */
static void print_head(const struct ir_kernel *k, const struct machine_block *b, struct strbuf *out)
{
    static const char *const functions[FUNCTIONS] = {
#define FUNCTION(name, symbol, text) #name,
#include "target/functions.def"
#undef FUNCTION
    };
    switch (b->times) {
    case TIMES_BLOCK:
        strbuf_addf(out, ".b%d:\n", (int)b->of);
        break;
    case TIMES_ROUNDS:
        strbuf_addf(out, ".b%d: # %d turns of the loop\n", (int)k->loops[b->of].header, b->rounds);
        break;
    case TIMES_REST:
        strbuf_addf(out, b->rounds ? ".b%d: # %d more turns\n" : ".b%d: # around the loop\n", (int)k->loops[b->of].header, b->rounds);
        break;
    case TIMES_CALLED:
        strbuf_addf(out, ".%s: # a function; the order of its instructions is left open\n", functions[b->of]);
        break;
    }
}

static void list_one(const struct ir_kernel *k, const struct device *d, const struct ir_notes *notes, struct strbuf *out)
{
    struct code *c = target_code(k, device_arch(d));
    const struct ptx_loc *shown = NULL;
    strbuf_addf(out, "# %s for sm_%d (%s): %d instructions, an estimate\n", k->name, c->arch, d->name, (int)c->ninsts);
    for (int32_t b = 0; b < c->nblocks; b++) {
        const struct machine_block *bl = &c->blocks[b];
        if (bl->count)
            print_head(k, bl, out);
        for (int32_t i = bl->first; i < bl->first + bl->count; i++) {
            const struct machine_inst *in = &c->insts[i];
            const struct ptx_loc *loc = in->site >= 0 ? k->insts[in->site].from->loc : NULL;
            if (loc && loc->line && (!shown || loc->line != shown->line || strcmp(loc->file, shown->file))) {
                strbuf_addf(out, "    # %s:%d", loc->file, loc->line);
                if (notes->source)
                    notes->source(loc, notes->user, out);
                strbuf_adds(out, "\n");
                shown = loc;
            }
            strbuf_addf(out, "  %5x0  ", (unsigned)i);
            code_print(in, out);
            strbuf_addf(out, "%s\n", in->taken == TAKEN_NEVER ? "  # the long way" : "");
        }
    }
    code_free(c);
}

void machine_code_list(const struct ir_kernel *k, const struct device *devices, int n, const struct ir_notes *notes, struct strbuf *out)
{
    for (int i = 0; i < n; i++)
        list_one(k, &devices[i], notes, out);
}

void machine_code_count(const struct ir_kernel *k, const struct device *devices, int n, struct strbuf *out)
{
    int32_t counts[MACHINE_DEVICES][OPS], pipes[MACHINE_DEVICES][PIPES], all[MACHINE_DEVICES] = {0};
    strbuf_addf(out, "%s: instructions of the machine code, an estimate\n%-14s %-9s", k->name, "operation", "pipe");
    for (int i = 0; i < n; i++) {
        struct code *c = target_code(k, device_arch(&devices[i]));
        code_count(c, counts[i], pipes[i]);
        code_free(c);
        strbuf_addf(out, " %10s", devices[i].id);
    }
    strbuf_adds(out, "\n");
    for (int op = OP_NONE + 1; op < OPS; op++) {
        const struct machine_op_info *info = NULL;
        bool any = false;
        for (int i = 0; i < n; i++) {
            const struct machine_op_info *here = arch_op(device_arch(&devices[i]), (enum machine_op)op);
            info = info ? info : here;
            any |= counts[i][op] != 0;
            all[i] += counts[i][op];
        }
        if (!any)
            continue;
        strbuf_addf(out, "%-14s %-9s", arch_op_name((enum machine_op)op), info ? pipe_words[info->pipe] : "");
        for (int i = 0; i < n; i++)
            strbuf_addf(out, " %10d", (int)counts[i][op]);
        strbuf_adds(out, "\n");
    }
    for (int p = 0; p < PIPES; p++) {
        bool any = false;
        for (int i = 0; i < n; i++)
            any |= pipes[i][p] != 0;
        if (!any)
            continue;
        strbuf_addf(out, "%-14s %-9s", "all", pipe_words[p]);
        for (int i = 0; i < n; i++)
            strbuf_addf(out, " %10d", (int)pipes[i][p]);
        strbuf_adds(out, "\n");
    }
    strbuf_addf(out, "%-14s %-9s", "all", "");
    for (int i = 0; i < n; i++)
        strbuf_addf(out, " %10d", (int)all[i]);
    strbuf_adds(out, "\n");
}
