/* See front.h. */
#include "target/front.h"

#include "base/alloc.h"
#include "target/forms.h"

#include <string.h>

int32_t front_last_site(const struct ir_kernel *k, int32_t b)
{
    return k->blocks[b].first + (k->blocks[b].count ? k->blocks[b].count - 1 : 0);
}

void front_bank_loads(const struct lowered *l, int32_t *first_of, int32_t *next_of, int32_t *reg_of, int32_t *n)
{
    const struct ir_kernel *k = l->k;
    int32_t *last = alloc_zeroed(((size_t)k->nregs + 1) * sizeof *last);
    for (int32_t i = 0; i < k->ninsts; i++) {
        int32_t regs[LOWERED_READS];
        int count = lowered_reads(l, i, regs);
        for (int r = 0; r < count; r++) {
            int32_t b = lowered_outside_loops(k, k->insts[i].block);
            int32_t before = last[regs[r]] - 1;
            if (l->place[regs[r]] != PLACE_BANK || before == b || (before >= 0 && l->held[regs[r]] && ir_dominates(k, before, b)))
                continue;
            last[regs[r]] = b + 1;
            int32_t at = b == k->insts[i].block ? i : k->blocks[b].first;
            reg_of[*n] = regs[r];
            next_of[*n] = first_of[at];
            first_of[at] = (*n)++;
        }
    }
    alloc_release(last);
}

static bool is_quotient(const struct lowered *l, const struct ir_inst *in)
{
    return (ir_is(in, PTX_KIND_DIV) || ir_is(in, PTX_KIND_REM)) && ptx_type_info[in->type].bits == 32 && in->src[1].kind == IR_SRC_REG &&
           l->only[in->src[1].reg] >= 0;
}

void front_parted(const struct lowered *l, bool *parted, int32_t *first_of, int32_t *next_of)
{
    const struct ir_kernel *k = l->k;
    for (int32_t i = 0; i < k->ninsts; i++) {
        const struct ir_inst *in = &k->insts[i];
        if (!is_quotient(l, in))
            continue;
        for (int32_t j = k->blocks[in->block].first; j < i && !parted[i]; j++)
            parted[i] = is_quotient(l, &k->insts[j]) && k->insts[j].type == in->type && form_same_register(&k->insts[j].src[1], &in->src[1]);
        int32_t b = in->block, made = k->insts[l->only[in->src[1].reg]].block;
        for (int32_t loop = k->blocks[b].loop; loop >= 0 && !ir_bit(k->loops[loop].blocks, made); loop = k->loops[loop].parent)
            if (k->blocks[k->loops[loop].header].idom >= 0)
                b = k->blocks[k->loops[loop].header].idom;
        if (parted[i] || b == in->block)
            continue;
        int32_t at = front_last_site(k, b);
        parted[i] = true;
        next_of[i] = first_of[at];
        first_of[at] = i + 1;
    }
}

int32_t front_access(const struct ir_kernel *k, int space, int32_t *access)
{
    for (int32_t i = 0; i < k->ninsts; i++) {
        const struct ir_inst *in = &k->insts[i];
        if (!ir_is_memory(in) || (in->space != space && !(space == PTX_GLOBAL && in->space == PTX_GENERIC)))
            continue;
        int32_t b = lowered_outside_loops(k, in->block);
        *access = i;
        return b == in->block ? i : k->blocks[b].first;
    }
    return -1;
}

void front_sort(struct code *c, int32_t sites)
{
    struct machine_inst *sorted = alloc_zeroed(((size_t)c->ninsts + 1) * sizeof *sorted);
    int32_t *next = alloc_zeroed(((size_t)sites * 2 + 3) * sizeof *next);
    for (int32_t i = 0; i < c->ninsts; i++)
        next[2 * c->insts[i].site + !c->insts[i].early + 1]++;
    for (int32_t n = 0; n < 2 * sites + 1; n++)
        next[n + 1] += next[n];
    for (int32_t i = 0; i <= sites; i++)
        c->first[i] = next[2 * i];
    for (int32_t i = 0; i < c->ninsts; i++)
        sorted[next[2 * c->insts[i].site + !c->insts[i].early]++] = c->insts[i];
    memcpy(c->insts, sorted, (size_t)c->ninsts * sizeof *sorted);
    alloc_release(sorted);
    alloc_release(next);
}
