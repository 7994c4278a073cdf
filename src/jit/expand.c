/* Between machine code's form of a warp's registers and the interpreter's (see jit_code.h). */
#include "jit/jit_code.h"

#include "base/alloc.h"
#include "ir/cfg.h"

#include <string.h>

/* Registers alive before an instruction. */
static uint64_t *live_before(const struct ir_kernel *k, int32_t site)
{
    uint64_t *live = alloc_zeroed(((size_t)k->nregs / 64 + 1) * 8);
    liveness_before(k, site, live);
    return live;
}

static bool wanted(const struct jit_code *c, int32_t r)
{
    return c->interp->kernel->reg_type[r] != PTX_PRED && (c->shapes->reg[r].kind == SHAPE_AFFINE || c->shapes->lazy[r]);
}

static struct jit_expand *make(const struct jit_code *c, int32_t site)
{
    const struct ir_kernel *k = c->interp->kernel;
    uint64_t *live = live_before(k, site);
    struct jit_expand *s = alloc_zeroed(sizeof *s + sizeof *s->reg * (size_t)k->nregs);
    for (int32_t r = 0; r < k->nregs; r++)
        if (ir_bit(live, r) && wanted(c, r))
            s->reg[s->n++] = r;
    alloc_release(live);
    return s;
}

static struct jit_expand *expanded_at(const struct jit_code *c, int32_t site)
{
    struct jit_expand *s = __atomic_load_n(&c->expanded[site], __ATOMIC_ACQUIRE);
    if (s)
        return s;
    struct jit_expand *mine = make(c, site); /* two threads may both make one: the first stays */
    if (__atomic_compare_exchange_n(&c->expanded[site], &s, mine, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return mine;
    alloc_release(mine);
    return s;
}

/* `from`: the groups' bases, `step` of them apart; `at`: the register's lanes. */
#define EXPAND(T)                                              \
    do {                                                       \
        const T *base = (const T *)from;                       \
        T *lane = (T *)at, v[WARP_LANES];                      \
        for (int i = 0; i < WARP_LANES; i += run) {            \
            T first = base[i / run * step];                    \
            for (int j = i; j < i + run; j++)                  \
                v[j] = (T)(first + (T)shape->offset[j]);       \
        }                                                      \
        memcpy(lane, v, sizeof v);                             \
    } while (0)

static void expand(const struct jit_code *c, const struct warp *w, int32_t reg, bool spilled)
{
    const struct shape *shape = &c->shapes->reg[reg];
    char *at = w->regs + c->interp->of_reg[reg];
    const char *from = spilled && c->spill_slot[reg] >= 0 ? w->regs + c->spill_slot[reg] : at;
    int run = WARP_LANES / shape_groups(shape), step = from == at ? run : 1;
    if (shape->kind == SHAPE_AFFINE) {
        switch (ptx_type_info[c->interp->kernel->reg_type[reg]].bits) {
        case 8: EXPAND(uint8_t); break;
        case 16: EXPAND(uint16_t); break;
        case 32: EXPAND(uint32_t); break;
        default: EXPAND(uint64_t); break;
        }
    }
    float *f = (float *)at;
    uint32_t *bits = (uint32_t *)at;
    for (int i = 0; i < WARP_LANES && c->shapes->lazy[reg]; i++)
        bits[i] = f[i] != f[i] ? 0x7fffffffu : bits[i];
}

void jit_expand_register(const struct jit_code *c, const struct warp *w, int32_t reg)
{
    expand(c, w, reg, false);
}

void jit_expand(const struct jit_code *c, struct warp *w, int32_t site)
{
    const struct jit_expand *s = expanded_at(c, site);
    for (int i = 0; i < s->n; i++)
        expand(c, w, s->reg[i], true);
    w->kept = false;
}

void jit_collect(const struct jit_code *c, struct warp *w, int32_t site)
{
    const struct jit_expand *s = expanded_at(c, site);
    for (int i = 0; i < s->n; i++) {
        int32_t reg = s->reg[i];
        size_t bytes = ptx_type_info[c->interp->kernel->reg_type[reg]].bits / 8;
        int groups = shape_groups(&c->shapes->reg[reg]);
        for (int g = 0; g < groups && c->spill_slot[reg] >= 0; g++)
            memcpy(w->regs + c->spill_slot[reg] + (size_t)g * bytes,
                   w->regs + c->interp->of_reg[reg] + (size_t)g * (WARP_LANES / (size_t)groups) * bytes, bytes);
    }
    w->kept = true;
}

#define STEP(T)                                             \
    do {                                                    \
        for (size_t i = 0; i < bytes / sizeof(T); i++)      \
            ((T *)to)[i] = (T)(((const T *)from)[i] + (T)by); \
    } while (0)

#undef STEP

void jit_expand_release(struct jit_code *c)
{
    for (int32_t i = 0; c->expanded && i < c->interp->kernel->ninsts; i++)
        alloc_release(c->expanded[i]);
    alloc_release(c->expanded);
}
