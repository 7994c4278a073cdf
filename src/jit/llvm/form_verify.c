/* A form's text, and what a form is asked with HEDDLE_VERIFY=1 (jit/form_look.h): then it is what was read back of its text. */
#include "jit/llvm/form.h"

#include "base/alloc.h"
#include "base/strbuf.h"
#include "ir/edit.h"
#include "jit/form_look.h"

/* Behind the instructions, as remarks, what their numbers of parts and rows mean. Blocks of rows are the kernel's. */
void form_print(const struct form *f, struct strbuf *out)
{
    static const char *const ends[] = {[JIT_EXIT] = "exit", [JIT_BARRIER] = "wait", [JIT_TURN] = "go on elsewhere"};
    ir_print(f->k, out);
    for (int i = 0; i < f->nparts; i++) {
        const struct block_part *p = &f->part[i];
        strbuf_addf(out, "# part %d in b%d: from instruction %d of the kernel; warps %s at %d, %d at once\n", i, p->first, p->start,
                    ends[p->why], p->end, p->jam);
    }
    for (int i = 0; i < f->nrows; i++) {
        strbuf_addf(out, "# row %d of the kernel's blocks", i);
        for (int b = 0; b < f->row[i].n; b++)
            strbuf_addf(out, " b%d", f->row[i].block[b]);
        strbuf_addf(out, ", join b%d\n", f->row[i].join);
    }
}

static void note_ends(const struct form *f, uint8_t *ends)
{
    for (int p = 0; p < f->nparts; p++)
        ends[f->part[p].end] |= f->part[p].why == JIT_BARRIER;
}

bool form_verify(struct emit *e, struct form *f)
{
    const struct ir_kernel *k = f->k;
    size_t insts = (size_t)e->k->ninsts + 1, regs = (size_t)k->nregs + 1;
    if (!e->job->look)
        return true;
    int32_t *places = alloc_zeroed(regs * sizeof *places), *masks = alloc_zeroed(((size_t)f->nrows + 1) * sizeof *masks);
    bool *uniform = alloc_zeroed(regs);
    uint8_t *begins = alloc_zeroed(insts), *ends = alloc_zeroed(insts);
    for (int32_t r = 0; r < k->nregs; r++) {
        places[r] = form_place(f, e->k, r);
        uniform[r] = shape_uniform(&f->shapes.reg[r]);
    }
    for (int32_t i = 0; i < e->k->ninsts; i++)
        begins[i] = f->warp && e->job->resume[i] >= 0 && (f->split || emit_entered_before(e, i));
    for (int r = 0; r < f->nrows; r++)
        masks[r] = f->row[r].n;
    note_ends(f, ends);
    struct form_facts facts = {.name = f->split ? "split form" : f->warp ? "warp form" : "block form", .form = f->k, .of = e->k,
                               .code = e->job->code, .place = places, .uniform = uniform, .begins = begins, .ends = ends,
                               .split = f->split, .row_masks = masks};
    struct ir_kernel *read = e->job->look(&facts, e->problem, sizeof e->problem);
    if (read) {
        f->k = read;
        alloc_release(f->maker);
        f->maker = ir_makers(read);
    }
    alloc_release(places);
    alloc_release(masks);
    alloc_release(uniform);
    alloc_release(begins);
    alloc_release(ends);
    return read;
}
