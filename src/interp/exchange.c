/* Instructions in which lanes look at each other: shuffle, vote, match, redux (PTX ISA 8.4, 9.7.9.6 and 9.7.13).
 *
 * `m` are the lanes that execute together; the rendezvous on the member mask has happened in run.c. */
#include "interp/code.h"
#include "interp/lanes_meaning.h"
#include "interp/step.h"

/* The lane that each lane reads, and those whose lane is one that they may read. */
static uint32_t shuffle_sources(int kind, const uint32_t *b, const uint32_t *c, int32_t *from)
{
    int32_t valid[WARP_LANES];
    uint32_t truth = 0;
    for (int i = 0; i < WARP_LANES; i++)
        from[i] = shuffle_source(kind, i, b[i], c[i], &valid[i]);
    for (int i = 0; i < WARP_LANES; i++)
        truth |= (uint32_t)valid[i] << i;
    return truth;
}

const struct ir_src *exchange_mask(const struct step *st)
{
    switch (st->kind) {
    case STEP_SYNCWARP:
        return st->in->nsrc ? &st->in->src[0] : NULL;
    case STEP_SHUFFLE: case STEP_VOTE: case STEP_MATCH: case STEP_REDUX: case STEP_ELECT:
        return st->in->mods->sync && st->in->nsrc ? &st->in->src[st->in->nsrc - 1] : NULL;
    default:
        return NULL;
    }
}

uint32_t exchange_members(const struct interp_code *c, const struct warp *w, const struct step *st, uint32_t m, uint32_t *same)
{
    int last = st->kind == STEP_SYNCWARP ? 0 : st->in->nsrc - 1;
    *same = m;
    if (st->in->mods->shape)
        return ~0u;
    if (st->kind != STEP_SYNCWARP && !st->in->mods->sync)
        return m;
    uint32_t members = (uint32_t)step_value(c, w, st, last, __builtin_ctz(m));
    if (st->s[last] & PLACE_POOL)
        return members;
    for (uint32_t left = m; left; left &= left - 1) {
        int lane = __builtin_ctz(left);
        if ((uint32_t)step_value(c, w, st, last, lane) != members)
            *same &= ~(1u << lane);
    }
    return members;
}

uint32_t exchange_strangers(const struct warp *w, const struct step *st, uint32_t m, uint32_t members)
{
    bool waits = (members & w->alive & ~m) != 0;
    return waits || st->own_masks ? m & ~members : 0;
}

bool exchange_is_same(const struct step *a, const struct step *b)
{
    const struct ptx_mods *x = a->in->mods, *y = b->in->mods;
    return a == b || (a->kind == b->kind && exchange_mask(a) && exchange_mask(b) && x->variant == y->variant && x->atomic == y->atomic &&
                      x->nan == y->nan && x->abs == y->abs && a->in->type == b->in->type) ||
           (a->kind == STEP_SYNCWARP && b->kind == STEP_SYNCWARP);
}

enum { MOST_OPERANDS = 4, CELL = WARP_LANES * 8 }; /* shuffles have four; bytes of one in all lanes */

/* The operands of a meeting of lanes at several places of the program, and `code`, in which `step` finds them. */
struct gathered {
    struct interp_code code;
    struct step step;
    _Alignas(8) char cell[(MOST_OPERANDS + STEP_DST) * CELL];
};

static uint32_t *gather_cell(struct gathered *g, place p) { return (uint32_t *)(void *)(g->cell + (p & ~(uint32_t)PLACE_POOL)); }

static void put_predicate(uint32_t *word, int lane, bool truth) { *word = (*word & ~(1u << lane)) | (uint32_t)truth << lane; }

static void gather(struct gathered *g, const struct interp_code *c, const struct warp *w, const struct step *st, int lane)
{
    struct step *home = &g->step;
    for (int i = 0; i < home->in->nsrc; i++) {
        uint64_t v = step_value(c, w, st, i, lane);
        uint32_t *cell = gather_cell(g, home->s[i]);
        if (home->width[i])
            memcpy((char *)cell + lane * home->width[i], &v, home->width[i]);
        else
            put_predicate(cell, lane, v ^ (st->in->src[i].negated != home->in->src[i].negated));
    }
}

static void scatter(struct gathered *g, const struct interp_code *c, const struct warp *w, const struct step *st, int lane)
{
    const struct step *home = &g->step;
    for (int i = 0; i < st->in->ndst; i++) {
        const uint32_t *cell = gather_cell(g, home->d[i]);
        if (st->dst_width[i])
            step_write(c, w, st, i, lane, cell[lane]);
        else
            put_predicate(place_at(c, w, st->d[i]), lane, *cell >> lane & 1);
    }
}

void exchange_apart(const struct interp_code *c, struct warp *w, const struct step *const at[], uint32_t m)
{
    struct gathered g = {.code = *c, .step = *at[__builtin_ctz(m)]};
    for (uint32_t left = m; left; left &= left - 1) /* one that has all results that any of them wants */
        if (at[__builtin_ctz(left)]->in->ndst > g.step.in->ndst)
            g.step = *at[__builtin_ctz(left)];
    g.code.pool = g.cell;
    for (int i = 0; i < g.step.in->nsrc; i++)
        g.step.s[i] = (place)(i * CELL) | PLACE_POOL;
    for (int i = 0; i < g.step.in->ndst; i++)
        g.step.d[i] = (place)((MOST_OPERANDS + i) * CELL) | PLACE_POOL;
    for (uint32_t left = m; left; left &= left - 1)
        gather(&g, c, w, at[__builtin_ctz(left)], __builtin_ctz(left));
    step_exchange(&g.code, w, &g.step, m);
    for (uint32_t left = m; left; left &= left - 1)
        scatter(&g, c, w, at[__builtin_ctz(left)], __builtin_ctz(left));
}

void exchange_shuffle(const struct interp_code *c, struct warp *w, const struct step *st, uint32_t m)
{
    const uint32_t *a = place_at(c, w, st->s[0]);
    uint32_t out[WARP_LANES];
    int32_t from[WARP_LANES];
    uint32_t truth = shuffle_sources(st->in->mods->variant, place_at(c, w, st->s[1]), place_at(c, w, st->s[2]), from);
    for (int i = 0; i < WARP_LANES; i++)
        out[i] = a[from[i]];
    uint32_t *d = place_at(c, w, st->d[0]);
    for (int i = 0; i < WARP_LANES; i++)
        d[i] = m >> i & 1 ? out[i] : d[i];
    if (st->in->ndst > 1) {
        uint32_t *p = place_at(c, w, st->d[1]);
        *p = (*p & ~m) | (truth & m);
    }
}

void exchange_vote(const struct interp_code *c, struct warp *w, const struct step *st, uint32_t m)
{
    uint32_t truth = *(const uint32_t *)place_at(c, w, st->s[0]);
    truth = (st->in->src[0].negated ? ~truth : truth) & m;
    uint32_t *d = place_at(c, w, st->d[0]);
    if (st->in->mods->variant == PTX_VOTE_BALLOT) {
        for (int i = 0; i < WARP_LANES; i++)
            d[i] = m >> i & 1 ? truth : d[i];
        return;
    }
    bool all = truth == m, any = truth != 0;
    bool r = st->in->mods->variant == PTX_VOTE_ALL ? all : st->in->mods->variant == PTX_VOTE_ANY ? any : all || !any;
    *d = (*d & ~m) | (r ? m : 0);
}

void exchange_match(const struct interp_code *c, struct warp *w, const struct step *st, uint32_t m)
{
    uint64_t value[WARP_LANES];
    uint32_t same[WARP_LANES] = {0};
    for (int i = 0; i < WARP_LANES; i++)
        value[i] = step_value(c, w, st, 0, i);
    for (uint32_t left = m, alike; left; left &= ~alike) { /* all lanes with the lowest one's value */
        uint64_t v = value[__builtin_ctz(left)];
        alike = 0;
        for (int i = 0; i < WARP_LANES; i++)
            alike |= (uint32_t)(value[i] == v) << i;
        alike &= m;
        for (int i = 0; i < WARP_LANES; i++)
            same[i] |= alike >> i & 1 ? alike : 0;
    }
    bool all = same[__builtin_ctz(m)] == m;
    bool any_form = st->in->mods->variant == PTX_MATCH_ANY;
    for (int i = 0; i < WARP_LANES; i++)
        if (m >> i & 1)
            step_write(c, w, st, 0, i, any_form ? same[i] : all ? m : 0);
    if (st->in->ndst > 1) {
        uint32_t *p = place_at(c, w, st->d[1]);
        *p = (*p & ~m) | (all ? m : 0);
    }
}

/* The lowest lane is the leader (PTX ISA 9.7.13.14 leaves open which, but the same each time). */
void exchange_elect(const struct interp_code *c, struct warp *w, const struct step *st, uint32_t m)
{
    uint32_t leader = (uint32_t)__builtin_ctz(m);
    for (int i = 0; i < WARP_LANES; i++)
        if (m >> i & 1)
            step_write(c, w, st, 0, i, leader);
    if (st->in->ndst > 1) {
        uint32_t *p = place_at(c, w, st->d[1]);
        *p = (*p & ~m) | UINT32_C(1) << leader;
    }
}

/* Word i of a register of a matrix of 8 by 8 halves is row i / 4, columns 2 (i % 4) and the next: the register as it lies here is
 * the matrix, row by row (PTX ISA 9.7.13.4.17). */
void exchange_movmatrix(const struct interp_code *c, struct warp *w, const struct step *st, uint32_t m)
{
    const uint16_t *a = place_at(c, w, st->s[0]);
    uint16_t out[2 * WARP_LANES];
    uint16_t *d = st->d[0] == PLACE_NONE ? out : place_at(c, w, st->d[0]);
    for (int i = 0; i < 2 * WARP_LANES; i++)
        out[i] = a[i % 8 * 8 + i / 8];
    for (int i = 0; i < 2 * WARP_LANES; i++)
        d[i] = m >> i / 2 & 1 ? out[i] : d[i];
}

/* min and max of f32: a number wins over NaN, or with .NaN the other way round; -0 is less than 0 */
static float redux_f32(const struct ptx_mods *m, float r, float v)
{
    if (m->nan && (r != r || v != v))
        return f32_bits(F32_NAN);
    return canon_f32(m->atomic == PTX_ATOMIC_MIN ? min_f32(r, v) : max_f32(r, v));
}

static void exchange_redux_f32(const struct interp_code *c, struct warp *w, const struct step *st, uint32_t m)
{
    const float *a = place_at(c, w, st->s[0]);
    const struct ptx_mods *mods = st->in->mods;
    float r = 0;
    for (int i = __builtin_ctz(m), first = i; i < WARP_LANES; i++) {
        if (!(m >> i & 1))
            continue;
        float v = mods->abs ? __builtin_fabsf(a[i]) : a[i];
        r = i == first ? canon_f32(v) : redux_f32(mods, r, v);
    }
    for (int i = 0; i < WARP_LANES; i++)
        if (m >> i & 1)
            step_write(c, w, st, 0, i, bits_f32(r));
}

void exchange_redux(const struct interp_code *c, struct warp *w, const struct step *st, uint32_t m)
{
    if (st->in->type == PTX_F32) {
        exchange_redux_f32(c, w, st, m);
        return;
    }
    const uint32_t *a = place_at(c, w, st->s[0]);
    bool is_signed = st->in->type == PTX_S32;
    uint32_t r = a[__builtin_ctz(m)];
    for (int i = __builtin_ctz(m) + 1; i < WARP_LANES; i++) {
        uint32_t v = a[i];
        if (!(m >> i & 1))
            continue;
        bool less = is_signed ? (int32_t)v < (int32_t)r : v < r;
        switch (st->in->mods->atomic) {
        case PTX_ATOMIC_ADD: r += v; break;
        case PTX_ATOMIC_MIN: r = less ? v : r; break;
        case PTX_ATOMIC_MAX: r = less ? r : v; break;
        case PTX_ATOMIC_AND: r &= v; break;
        case PTX_ATOMIC_OR: r |= v; break;
        default: r ^= v;
        }
    }
    for (int i = 0; i < WARP_LANES; i++)
        if (m >> i & 1)
            step_write(c, w, st, 0, i, r);
}
