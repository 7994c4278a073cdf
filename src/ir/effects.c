/* See effects.h. */
#include "ir/effects.h"
#include "base/alloc.h"
#include "ir/facts.h"

#include <stdlib.h>
#include <string.h>

/* A place with an effect, in the order of the kernel, and what it is there. */
struct effect {
    const struct ir_origin *from;
    bool waits; /* lanes or warps wait for each other */
    bool call;
};

struct ir_effects {
    struct effect *list; /* in the kernel's order */
    int32_t n;
};

static bool has_effect(const struct ir_inst *in)
{
    return in->op != IR_OP_DELETED && in->op != IR_OP_PHI && !(facts_may(in) & FACT_LEAVE_OUT);
}

static void add(struct effect *list, int32_t *n, const struct ir_inst *in, const struct ir_origin *from)
{
    if (list)
        list[*n] = (struct effect){from, facts_syncs(in) & (FACT_LANES_SYNC | FACT_BLOCK), in->op == IR_OP_EXTERN};
    ++*n;
}

/* `list` NULL: counts them. */
static int32_t gather(const struct ir_kernel *k, struct effect *list)
{
    int32_t n = 0;
    for (int32_t i = 0; i < k->ninsts; i++) {
        const struct ir_inst *in = &k->insts[i];
        if (!has_effect(in))
            continue;
        if (!in->parts)
            add(list, &n, in, in->from);
        for (int p = 0; in->parts && p < in->vec; p++)
            if (in->parts[p] && (p == 0 || in->parts[p] != in->parts[p - 1]))
                add(list, &n, in, in->parts[p]);
    }
    return n;
}

void effects_note(struct ir_kernel *k)
{
    struct ir_effects *e = ARENA_NEW(&k->arena, struct ir_effects);
    e->n = gather(k, NULL);
    e->list = ARENA_ARRAY(&k->arena, struct effect, e->n + 1);
    gather(k, e->list);
    k->effects = e;
}

static int by_place(const void *a, const void *b)
{
    const struct effect *x = a, *y = b;
    return x->from < y->from ? -1 : x->from > y->from;
}

/* Both lists are in the order of places. */
static const char *compare(const struct effect *was, int32_t nwas, const struct effect *is, int32_t nis, const struct ir_origin **where)
{
    int32_t i = 0, j = 0;
    while (i < nwas || j < nis) {
        *where = j == nis || (i < nwas && was[i].from <= is[j].from) ? was[i].from : is[j].from;
        int32_t before = 0, now = 0;
        bool call = false;
        for (; i < nwas && was[i].from == *where; i++)
            before++;
        for (; j < nis && is[j].from == *where; j++) {
            now++;
            call |= is[j].call;
        }
        if (before && !now)
            return "an effect is missing";
        if (now > before && !(before && call))
            return before ? "an effect is there more often than before" : "an effect that was not there before";
    }
    return NULL;
}

static const char *compare_order(const struct effect *was, int32_t nwas, const struct effect *is, int32_t nis, const struct ir_origin **where)
{
    int32_t i = 0, j = 0;
    while (i < nwas || j < nis) {
        while (i < nwas && !(was[i].waits && !was[i].call))
            i++;
        while (j < nis && !(is[j].waits && !is[j].call))
            j++;
        if (i == nwas && j == nis)
            return NULL;
        *where = i < nwas ? was[i].from : is[j].from;
        if (i == nwas || j == nis || was[i++].from != is[j++].from)
            return "lanes or warps wait for each other in another order than before";
    }
    return NULL;
}

const char *effects_wrong(const struct ir_kernel *k, const struct ir_origin **where)
{
    if (!k->effects)
        return NULL;
    int32_t nwas = k->effects->n, n = gather(k, NULL);
    struct effect *is = alloc_zeroed(((size_t)n + (size_t)nwas + 1) * sizeof *is), *was = is + n;
    gather(k, is);
    memcpy(was, k->effects->list, (size_t)nwas * sizeof *was);
    const char *wrong = compare_order(was, nwas, is, n, where);
    if (!wrong) {
        qsort(is, (size_t)n, sizeof *is, by_place);
        qsort(was, (size_t)nwas, sizeof *was, by_place);
        wrong = compare(was, nwas, is, n, where);
    }
    alloc_release(is);
    return wrong;
}
