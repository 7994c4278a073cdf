/* The places where turns end, of both kinds, and which of them a launch has (see turn.h). */
#include "interp/turn.h"

#include "base/alloc.h"
#include "interp/step.h"
#include "ir/facts.h"

int32_t turns_last_plain(const struct interp_code *c, int32_t from, int32_t to)
{
    for (int32_t i = to - 1; i >= from; i--)
        if (step_is_plain(&c->step[i]) && c->step[i].kind != STEP_COUNTED && c->kernel->insts[i].guard == IR_NOREG) /* what only counts does not always run */
            return i;
    return -1;
}

bool turns_waits(const struct ir_inst *in)
{
    return (facts_syncs(in) & FACT_BLOCK) != 0;
}

void turns_find(struct interp_code *c)
{
    turns_add_begin(c);
    turns_add_barriers(c);
    for (int i = 0; i < c->turns.n; i++)
        c->step[c->turns.at[i].site].turn = (uint8_t)(i + 1);
}

void turns_release(struct turn_places *t)
{
    alloc_release(t->pair);
}

/* Without parameters each may. */
static uint32_t wanted_at_begin(const struct turn_places *t, const struct range_launch *launch, const struct space *s)
{
    uint32_t wanted = 0;
    for (int i = 0; i < t->n; i++)
        if (t->at[i].reads && (!launch->params || turn_begin_matters(t, &t->at[i], s, launch->params)))
            wanted |= UINT32_C(1) << i;
    return wanted;
}

static uint32_t wanted_behind_barriers(const struct turn_places *t, const struct ir_kernel *k, const struct range_launch *launch)
{
    uint32_t wanted = 0;
    struct ranges *r = ranges_new(k, launch);
    for (int32_t i = 0; i < t->npairs; i++)
        if (ranges_meet(ranges_touched(r, &k->insts[t->pair[i].read]), ranges_touched(r, &k->insts[t->pair[i].write])))
            wanted |= UINT32_C(1) << t->pair[i].turn;
    ranges_free(r);
    return wanted;
}

uint32_t turns_wanted(const struct interp_code *c, const struct range_launch *launch, const struct space *s)
{
    const struct turn_places *t = &c->turns;
    return !t->n ? 0 : wanted_at_begin(t, launch, s) | (t->npairs ? wanted_behind_barriers(t, c->kernel, launch) : 0);
}
