/* The list of claims (see claims.h). */
#include "ir/claims.h"

#include "base/alloc.h"

#include <string.h>

const char *const claim_words[CLAIM_KINDS] = {
#define CLAIM(id, word, meaning) word,
#include "ir/claims.def"
#undef CLAIM
};

const char *const claim_meanings[CLAIM_KINDS] = {
#define CLAIM(id, word, meaning) meaning,
#include "ir/claims.def"
#undef CLAIM
};

struct ir_claims *claims_new(void)
{
    struct ir_claims *c = alloc_zeroed(sizeof *c);
    arena_init(&c->arena);
    return c;
}

void claims_free(struct ir_claims *c)
{
    if (!c)
        return;
    arena_release(&c->arena);
    alloc_release(c->list);
    alloc_release(c);
}

static bool same(const struct ir_claim *a, const struct ir_claim *b)
{
    if (a->kind != b->kind || a->reg != b->reg || a->id != b->id || strcmp(a->who, b->who))
        return false;
    switch (a->kind) {
    case CLAIM_SHAPE:
        return !memcmp(a->shape, b->shape, sizeof *a->shape);
    case CLAIM_CONGRUENT:
        return a->congruent.known == b->congruent.known && a->congruent.low == b->congruent.low;
    case CLAIM_STEP:
        return a->step.by == b->step.by && a->step.warps == b->step.warps;
    default:
        return true;
    }
}

void claims_add(struct ir_claims *c, const struct ir_claim *claim)
{
    if (!c)
        return;
    for (int32_t i = 0; i < c->n; i++)
        if (same(&c->list[i], claim))
            return;
    ALLOC_GROW(c->list, c->n, c->cap);
    c->list[c->n] = *claim;
    if (claim->kind == CLAIM_SHAPE) {
        struct claim_shape *s = ARENA_NEW(&c->arena, struct claim_shape);
        memcpy(s, claim->shape, sizeof *s);
        c->list[c->n].shape = s;
    }
    c->n++;
}
