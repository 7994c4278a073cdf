/* The warp form (form.h): the ways in, then the code of a warp. */
#include "jit/llvm/form_writer.h"

#include "base/alloc.h"
#include "ir/edit.h"

/* The function's caller says by a number where it begins: `enter` has the numbers as sources. */
static int32_t *write_enter(struct form_writer *m, int *n)
{
    const struct jit_job *job = m->e->job;
    size_t most = (size_t)job->nresume + 1;
    struct ir_src *src = alloc_zeroed(most * sizeof *src);
    int32_t *site = alloc_zeroed(most * sizeof *site), *label = ARENA_ARRAY(&m->f->arena, int32_t, job->nresume + 1);
    *n = 0;
    for (int32_t i = 0; i < m->k->ninsts; i++) {
        if (job->resume[i] < 0 || !emit_entered_before(m->e, i))
            continue;
        src[*n] = ir_of_value((uint64_t)job->resume[i]);
        site[*n] = i;
        label[(*n)++] = form_label(m);
    }
    struct ir_inst *enter = form_put(m, IR_OP_ENTER);
    ir_set_sources(m->f, enter, *n, src);
    enter->targets = label;
    enter->ntargets = *n;
    alloc_release(src);
    return site;
}

/* What the warp has alive there is in its places. */
static void write_way_in(struct form_writer *m, int32_t label, int32_t site, uint64_t *live)
{
    m->from = m->k->insts[site].from;
    form_set_label(m, label);
    form_alive_before(m, site, live);
    for (int32_t r = 0; r < m->k->nregs && site; r++)
        if (ir_bit(live, r)) {
            struct ir_inst *in = form_put(m, IR_OP_KEPT);
            IR_SET_RESULTS(m->f, in, r);
        }
    form_jump(m, form_code_at(m, site));
}

struct form *warp_form_make(struct emit *e)
{
    struct form_writer m;
    form_begin(&m, e, true);
    uint64_t *live = alloc_zeroed(m.words * 8 + 8);
    int n;
    m.from = e->k->insts[0].from;
    int32_t *site = write_enter(&m, &n);
    for (int i = 0; i < n; i++)
        write_way_in(&m, m.f->insts[0].targets[i], site[i], live);
    form_write_code(&m, live);
    form_release_rows(&m);
    alloc_release(site);
    alloc_release(live);
    return form_finish(&m);
}
