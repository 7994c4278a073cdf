/* Questions to claims (see claim_check.h). */
#include "interp/claim_check.h"

#include "base/alloc.h"
#include "interp/code.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "heddle.h"

enum {
    MEETINGS = 1 << 14, /* places that warps of a group come to: remembered at a time */
    STORES = 32         /* of a basic block, for the loads behind them */
};

/* What a warp had in a register at a place. */
struct meeting {
    uint64_t key; /* of block, group, claim and way; 0: nothing */
    uint16_t warp;
    uint64_t lane[CLAIM_LANES];
};

struct stored {
    uint32_t mask;
    unsigned bytes;
    uint64_t at[CLAIM_LANES];
};

struct claim_check {
    const struct ir_kernel *k;
    const struct interp_code *c;
    struct ir_claims *own;       /* of the launch */
    const struct ir_claim **all; /* the kernel's and the launch's, when the first step is done */
    int32_t nall;
    int32_t *first_of_reg, *first_of_site; /* [nregs], [ninsts]: index of a link + 1 */
    struct link { int32_t claim, next; } *links;
    int32_t nlinks, cap;
    struct meeting *meetings;
    const struct warp *storing; /* whose stores these are, in the block that it is in */
    uint64_t storing_block;
    struct stored stores[STORES];
    int nstores;
    bool quiet; /* a claim that is not so is no fault: machine code looks, too */
    uint64_t claims[CLAIM_KINDS], checks[CLAIM_KINDS];
};

bool claim_check_wanted(void)
{
    const char *s = getenv("HEDDLE_VERIFY");
    return s && !strcmp(s, "1");
}

bool claim_check_known(void)
{
    const char *s = getenv("HEDDLE_VERIFY");
    return !s || !*s || !strcmp(s, "0") || !strcmp(s, "1");
}

struct claim_check *claim_check_new(const struct ir_kernel *k, const struct interp_code *c)
{
    struct claim_check *v = alloc_zeroed(sizeof *v);
    v->k = k;
    v->c = c;
    v->own = claims_new();
    return v;
}

struct ir_claims *claim_check_claims(struct claim_check *v)
{
    return v->own;
}

static void write_log(const struct claim_check *v)
{
    const char *path = getenv("HEDDLE_VERIFY_LOG");
    FILE *f = path && *path ? fopen(path, "a") : NULL;
    if (!f)
        return;
    fputs(v->k->name, f);
    for (int kind = 0; kind < CLAIM_KINDS; kind++)
        fprintf(f, "\t%s %llu %llu", claim_words[kind], (unsigned long long)v->claims[kind], (unsigned long long)v->checks[kind]);
    fputc('\n', f);
    fclose(f);
}

void claim_check_free(struct claim_check *v)
{
    if (!v)
        return;
    write_log(v);
    claims_free(v->own);
    alloc_release(v->all);
    alloc_release(v->first_of_reg);
    alloc_release(v->first_of_site);
    alloc_release(v->links);
    alloc_release(v->meetings);
    alloc_release(v);
}

/* --- finding claims --- */

static void chain(struct claim_check *v, int32_t *head, int32_t claim)
{
    ALLOC_GROW(v->links, v->nlinks, v->cap);
    v->links[v->nlinks] = (struct link){claim, *head};
    *head = ++v->nlinks;
}

static void index_claims(struct claim_check *v)
{
    const struct ir_claims *lists[2] = {v->k->claims, v->own};
    for (int i = 0; i < 2; i++)
        v->nall += lists[i]->n;
    v->all = alloc_zeroed(((size_t)v->nall + 1) * sizeof *v->all);
    v->first_of_reg = alloc_zeroed(((size_t)v->k->nregs + 1) * sizeof *v->first_of_reg);
    v->first_of_site = alloc_zeroed(((size_t)v->k->ninsts + 1) * sizeof *v->first_of_site);
    v->meetings = alloc_zeroed(MEETINGS * sizeof *v->meetings);
    int32_t n = 0;
    for (int i = 0; i < 2; i++)
        for (int32_t j = 0; j < lists[i]->n; j++) {
            const struct ir_claim *claim = v->all[n++] = &lists[i]->list[j];
            v->claims[claim->kind]++;
            v->checks[CLAIM_UNREAD] += claim->kind == CLAIM_UNREAD; /* from now on each read of it is looked at */
            if (claim->reg >= 0 && claim->reg < v->k->nregs)
                chain(v, &v->first_of_reg[claim->reg], n - 1);
            for (int32_t s = 0; claim->reg == IR_NOREG && s < v->k->ninsts; s++)
                if (claim->id < 0 ? -1 - claim->id == s : v->k->insts[s].id == claim->id)
                    chain(v, &v->first_of_site[s], n - 1);
        }
}

/* --- values --- */

static int bits_of(const struct claim_check *v, int32_t reg)
{
    return v->k->reg_type[reg] == PTX_PRED ? 1 : ptx_type_info[v->k->reg_type[reg]].bits;
}

static uint64_t value_of(const struct claim_check *v, const struct warp *w, int32_t reg, int lane)
{
    const void *p = place_at(v->c, w, v->c->of_reg[reg]);
    switch (slots_width(v->k, reg)) {
    case 0: return *(const uint32_t *)p >> lane & 1;
    case 1: return ((const uint8_t *)p)[lane];
    case 2: return ((const uint16_t *)p)[lane];
    case 4: return ((const uint32_t *)p)[lane];
    default: return ((const uint64_t *)p)[lane];
    }
}

static void set_value(const struct claim_check *v, const struct warp *w, int32_t reg, int lane, uint64_t x)
{
    void *p = place_at(v->c, w, v->c->of_reg[reg]);
    switch (slots_width(v->k, reg)) {
    case 0: *(uint32_t *)p = (*(uint32_t *)p & ~(UINT32_C(1) << lane)) | (uint32_t)(x & 1) << lane; break;
    case 1: ((uint8_t *)p)[lane] = (uint8_t)x; break;
    case 2: ((uint16_t *)p)[lane] = (uint16_t)x; break;
    case 4: ((uint32_t *)p)[lane] = (uint32_t)x; break;
    default: ((uint64_t *)p)[lane] = x; break;
    }
}

/* --- when a claim is not so --- */

static bool broken(const struct claim_check *v, struct warp *w, int32_t site, int lane, const struct ir_claim *claim,
                   const char *what)
{
    struct launch *l = w->block->launch;
    if (v->quiet)
        return false;
    const char *of = claim->reg == IR_NOREG ? "the access" : arena_printf(&l->arena, "register r%d", claim->reg);
    launch_fault(l, w, HEDDLE_BROKEN_CLAIM, site, lane, 0, 0,
                 arena_printf(&l->arena, "%s claims that %s is %s (%s): %s", claim->who, of, claim_words[claim->kind],
                              claim_meanings[claim->kind], what));
    return false;
}

static const char *two_lanes(struct warp *w, int a, uint64_t x, int b, uint64_t y)
{
    return arena_printf(&w->block->launch->arena, "lanes %d and %d have 0x%llx and 0x%llx", a, b, (unsigned long long)x, (unsigned long long)y);
}

/* --- registers --- */

static bool check_uniform(struct claim_check *v, struct warp *w, int32_t site, uint32_t m, const struct ir_claim *claim)
{
    int first = __builtin_ctz(m);
    uint64_t x = value_of(v, w, claim->reg, first);
    for (uint32_t left = m & (m - 1); left; left &= left - 1) {
        int lane = __builtin_ctz(left);
        uint64_t y = value_of(v, w, claim->reg, lane);
        if (x != y)
            return broken(v, w, site, lane, claim, two_lanes(w, first, x, lane, y));
    }
    return true;
}

static bool check_congruent(struct claim_check *v, struct warp *w, int32_t site, uint32_t m, const struct ir_claim *claim)
{
    for (uint32_t left = m; left; left &= left - 1) {
        int lane = __builtin_ctz(left);
        uint64_t x = value_of(v, w, claim->reg, lane);
        int known = claim->congruent.known < bits_of(v, claim->reg) ? claim->congruent.known : bits_of(v, claim->reg);
        if (ir_unsigned(x, known) != ir_unsigned(claim->congruent.low, known))
            return broken(v, w, site, lane, claim,
                          arena_printf(&w->block->launch->arena, "lane %d has 0x%llx, its %d low bits are not 0x%llx", lane,
                                       (unsigned long long)x, known, (unsigned long long)claim->congruent.low));
    }
    return true;
}

static bool check_shape(struct claim_check *v, struct warp *w, int32_t site, const struct ir_claim *claim)
{
    const struct claim_shape *s = claim->shape;
    int bits = bits_of(v, claim->reg);
    for (int lane = 0; lane < CLAIM_LANES; lane++) {
        int group = lane << s->halved >> 5, first = group << 5 >> s->halved;
        uint64_t x = value_of(v, w, claim->reg, lane);
        uint64_t base = ir_unsigned(value_of(v, w, claim->reg, first) - (uint64_t)s->offset[first], bits);
        struct arena *a = &w->block->launch->arena;
        if (ir_unsigned(base + (uint64_t)s->offset[lane], bits) != x)
            return broken(v, w, site, lane, claim,
                          arena_printf(a, "lane %d has 0x%llx, %lld above the base 0x%llx is claimed", lane, (unsigned long long)x,
                                       (long long)s->offset[lane], (unsigned long long)base));
        if (s->known && base != ir_unsigned(s->base, bits))
            return broken(v, w, site, lane, claim,
                          arena_printf(a, "the base is 0x%llx, not 0x%llx", (unsigned long long)base, (unsigned long long)s->base));
        if (s->zeros && ir_unsigned(base, s->zeros < bits ? s->zeros : bits))
            return broken(v, w, site, lane, claim,
                          arena_printf(a, "the base is 0x%llx, its %d low bits are not 0", (unsigned long long)base, s->zeros));
        int64_t b = ir_signed(base, bits);
        if (s->bounded && (b < s->low || b > s->high))
            return broken(v, w, site, lane, claim,
                          arena_printf(a, "the base is %lld, outside of %lld to %lld", (long long)b, (long long)s->low, (long long)s->high));
    }
    return true;
}

static uint64_t mix(uint64_t h, uint64_t x)
{
    h = (h ^ x) * UINT64_C(0x9e3779b97f4a7c15);
    return h ^ h >> 29;
}

/* The first warp of a group that comes to a place leaves what it has; the others are compared with it. */
static bool check_step(struct claim_check *v, struct warp *w, int32_t site, const struct ir_claim *claim)
{
    int bits = bits_of(v, claim->reg);
    uint64_t group = w->index / (unsigned)claim->step.warps;
    uint64_t key = mix(mix(mix(mix(mix(0, w->block->index), group), w->path), (uint64_t)site), (uint64_t)claim->reg) | 1;
    struct meeting *at = &v->meetings[key >> 20 & (MEETINGS - 1)];
    if (at->key != key) {
        at->key = key;
        at->warp = w->index;
        for (int lane = 0; lane < CLAIM_LANES; lane++)
            at->lane[lane] = value_of(v, w, claim->reg, lane);
        return true;
    }
    v->checks[CLAIM_STEP] += at->warp != w->index;
    for (int lane = 0; lane < CLAIM_LANES; lane++) {
        uint64_t x = value_of(v, w, claim->reg, lane);
        uint64_t want = ir_unsigned(at->lane[lane] + (uint64_t)claim->step.by * (uint64_t)(int64_t)(w->index - at->warp), bits);
        if (x != want && at->warp != w->index)
            return broken(v, w, site, lane, claim,
                          arena_printf(&w->block->launch->arena, "warp %u has 0x%llx in lane %d, where warp %u has 0x%llx and each has %lld more",
                                       w->index, (unsigned long long)x, lane, at->warp, (unsigned long long)at->lane[lane], (long long)claim->step.by));
    }
    return true;
}

static bool check_register(struct claim_check *v, struct warp *w, int32_t site, int32_t reg, uint32_t together, uint32_t m,
                           bool defined)
{
    for (int32_t i = v->first_of_reg[reg]; i; i = v->links[i - 1].next) {
        const struct ir_claim *claim = v->all[v->links[i - 1].claim];
        bool ok = true;
        switch (claim->kind) {
        case CLAIM_UNIFORM:
            v->checks[CLAIM_UNIFORM]++;
            ok = check_uniform(v, w, site, m, claim);
            break;
        case CLAIM_CONGRUENT:
            v->checks[CLAIM_CONGRUENT]++;
            ok = check_congruent(v, w, site, m, claim);
            break;
        case CLAIM_SHAPE:
            if (together != UINT32_MAX || (defined && m != UINT32_MAX) || w->left)
                break;
            v->checks[CLAIM_SHAPE]++;
            ok = check_shape(v, w, site, claim);
            break;
        case CLAIM_STEP:
            if (defined && m == UINT32_MAX && !w->apart && !w->left)
                ok = check_step(v, w, site, claim);
            break;
        case CLAIM_UNREAD:
            if (!defined)
                ok = broken(v, w, site, __builtin_ctz(m), claim, "it is read here");
            break;
        default:
            break;
        }
        if (!ok)
            return false;
    }
    return true;
}

/* --- accesses --- */

static bool check_address(struct claim_check *v, struct warp *w, int32_t site, uint32_t m, const struct ir_claim *claim)
{
    const struct step *st = &v->c->step[site];
    int first = __builtin_ctz(m);
    uint64_t x = step_value(v->c, w, st, 0, first);
    for (uint32_t left = m & (m - 1); left; left &= left - 1) {
        int lane = __builtin_ctz(left);
        uint64_t y = step_value(v->c, w, st, 0, lane);
        if (x != y)
            return broken(v, w, site, lane, claim, two_lanes(w, first, x, lane, y));
    }
    return true;
}

static void keep_store(struct claim_check *v, const struct warp *w, const struct step *st, uint32_t m)
{
    if (v->nstores == STORES)
        return;
    struct stored *s = &v->stores[v->nstores++];
    s->mask = m;
    s->bytes = (unsigned)st->elem * st->vec;
    for (int lane = 0; lane < CLAIM_LANES; lane++)
        s->at[lane] = step_value(v->c, w, st, 0, lane) + (uint64_t)st->offset;
}

static bool check_early(struct claim_check *v, struct warp *w, int32_t site, uint32_t m, const struct ir_claim *claim)
{
    const struct step *st = &v->c->step[site];
    unsigned bytes = (unsigned)st->elem * st->vec;
    for (int i = 0; i < v->nstores; i++)
        for (uint32_t left = m & v->stores[i].mask; left; left &= left - 1) {
            int lane = __builtin_ctz(left);
            uint64_t at = step_value(v->c, w, st, 0, lane) + (uint64_t)st->offset, other = v->stores[i].at[lane];
            if (at < other + v->stores[i].bytes && other < at + bytes)
                return broken(v, w, site, lane, claim,
                              arena_printf(&w->block->launch->arena, "lane %d has stored to 0x%llx before it reads 0x%llx", lane,
                                           (unsigned long long)other, (unsigned long long)at));
        }
    return true;
}

static bool check_access(struct claim_check *v, struct warp *w, int32_t site, uint32_t m)
{
    for (int32_t i = v->first_of_site[site]; i; i = v->links[i - 1].next) {
        const struct ir_claim *claim = v->all[v->links[i - 1].claim];
        v->checks[claim->kind]++;
        if (claim->kind == CLAIM_ADDRESS && !check_address(v, w, site, m, claim))
            return false;
        if (claim->kind == CLAIM_EARLY && !check_early(v, w, site, m, claim))
            return false;
    }
    return true;
}

/* --- steps --- */

/* A register that the warp has not set may hold anything: here, what is claimed of it, so that what is made of it is as claimed. */
static void make_true(const struct claim_check *v, const struct warp *w, int32_t reg)
{
    const struct claim_shape *s = NULL;
    uint64_t base = 0, rise = 0;
    for (int32_t i = v->first_of_reg[reg]; i; i = v->links[i - 1].next) {
        const struct ir_claim *claim = v->all[v->links[i - 1].claim];
        if (claim->kind == CLAIM_SHAPE)
            s = claim->shape;
        if (claim->kind == CLAIM_CONGRUENT)
            base = claim->congruent.low;
        if (claim->kind == CLAIM_STEP)
            rise = (uint64_t)claim->step.by * (uint64_t)(w->index % claim->step.warps);
    }
    if (s && (s->known || s->bounded))
        base = s->known ? s->base : (uint64_t)s->low;
    for (int lane = 0; lane < CLAIM_LANES && slots_width(v->k, reg) <= 8; lane++)
        set_value(v, w, reg, lane, base + rise + (s ? (uint64_t)s->offset[lane] : 0));
}

/* Registers that may be read before they are set, when a warp begins. */
static void begin(const struct claim_check *v, const struct warp *w)
{
    for (int32_t r = 0; r < v->k->nregs; r++)
        if (ir_bit(v->k->blocks[0].live_in, r))
            make_true(v, w, r);
}

/* Where the warp is: stores are kept of one basic block of one warp, and its way is known by the blocks it went through. */
static void follow(struct claim_check *v, struct warp *w, int32_t site, uint32_t together)
{
    const struct step *st = &v->c->step[site];
    if (st->block_head || v->storing != w || v->storing_block != w->block->index)
        v->nstores = 0;
    v->storing = w;
    v->storing_block = w->block->index;
    if (!w->path)
        begin(v, w);
    if (st->block_head)
        w->path = mix(w->path, (uint64_t)st->block + 1);
    w->apart |= together != UINT32_MAX;
}

bool claim_check_before(struct claim_check *v, struct warp *w, int32_t site, uint32_t together, uint32_t m)
{
    const struct step *st = &v->c->step[site];
    const struct ir_inst *in = st->in;
    if (!v->all)
        index_claims(v);
    follow(v, w, site, together);
    if (in->guard != IR_NOREG && !check_register(v, w, site, in->guard, together, together, false))
        return false;
    if (!m)
        return true;
    for (int i = 0; i < in->nsrc; i++)
        if (in->src[i].kind == IR_SRC_REG && !check_register(v, w, site, in->src[i].reg, together, m, false))
            return false;
    if (!check_access(v, w, site, m))
        return false;
    if (st->kind == STEP_STORE && (st->space == PTX_GLOBAL || st->space == PTX_GENERIC))
        keep_store(v, w, st, m);
    return true;
}

/* Machine code looks at the results of some instructions itself: if they are not as claimed, it leaves the warp. */
static void look(struct claim_check *v, struct warp *w, int32_t site, uint32_t together, uint32_t m)
{
    const struct ir_inst *in = v->c->step[site].in;
    v->quiet = true;
    for (int d = 0; d < in->ndst && !w->left; d++)
        w->left = in->dst[d] != IR_NOREG && !check_register(v, w, site, in->dst[d], together, m, true);
    v->quiet = false;
}

bool claim_check_after(struct claim_check *v, struct warp *w, int32_t site, uint32_t together, uint32_t m)
{
    const struct ir_inst *in = v->c->step[site].in;
    if (v->own->asked && ir_bit(v->own->asked, site))
        look(v, w, site, together, m);
    for (int d = 0; d < in->ndst; d++)
        if (in->dst[d] != IR_NOREG && !check_register(v, w, site, in->dst[d], together, m, true))
            return false;
    return true;
}
