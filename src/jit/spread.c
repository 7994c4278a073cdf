/* From machine code's form of a warp's registers to the interpreter's (see code.h). */
#include "jit/code.h"

#include "base/alloc.h"

#include <string.h>

/* Registers alive before an instruction. */
static uint64_t *live_before(const struct ir_kernel *k, int32_t site)
{
    const struct ir_block *b = &k->blocks[k->insts[site].block];
    size_t words = (size_t)k->nregs / 64 + 1;
    uint64_t *live = alloc_zeroed(words * 8);
    memcpy(live, b->live_out, ((size_t)k->nregs + 63) / 64 * 8);
    for (int32_t i = b->first + b->count - 1; i >= site; i--)
        ir_live_before(&k->insts[i], live);
    return live;
}

static bool wanted(const struct jit_code *c, int32_t r)
{
    return c->interp->kernel->reg_type[r] != PTX_PRED && (c->shapes->reg[r].kind == SHAPE_AFFINE || c->shapes->lazy[r]);
}

static struct jit_spread *make(const struct jit_code *c, int32_t site)
{
    const struct ir_kernel *k = c->interp->kernel;
    uint64_t *live = live_before(k, site);
    struct jit_spread *s = alloc_zeroed(sizeof *s + sizeof *s->reg * (size_t)k->nregs);
    for (int32_t r = 0; r < k->nregs; r++)
        if (ir_bit(live, r) && wanted(c, r))
            s->reg[s->n++] = r;
    alloc_release(live);
    return s;
}

/* `at`: the register's lanes. */
#define SPREAD(T)                                              \
    do {                                                       \
        T *restrict lane = (T *)at, v[WARP_LANES];             \
        for (int i = 0; i < WARP_LANES; i += run) {            \
            T first = lane[i];                                 \
            for (int j = i; j < i + run; j++)                  \
                v[j] = (T)(first + (T)shape->offset[j]);       \
        }                                                      \
        memcpy(lane, v, sizeof v);                             \
    } while (0)

void jit_spread_register(const struct jit_code *c, const struct warp *w, int32_t reg)
{
    const struct shape *shape = &c->shapes->reg[reg];
    char *at = w->regs + c->interp->of_reg[reg];
    int run = WARP_LANES / shape_groups(shape);
    if (shape->kind == SHAPE_AFFINE) {
        switch (ptx_type_info[c->interp->kernel->reg_type[reg]].bits) {
        case 8: SPREAD(uint8_t); break;
        case 16: SPREAD(uint16_t); break;
        case 32: SPREAD(uint32_t); break;
        default: SPREAD(uint64_t); break;
        }
    }
    float *f = (float *)at;
    uint32_t *bits = (uint32_t *)at;
    for (int i = 0; i < WARP_LANES && c->shapes->lazy[reg]; i++)
        bits[i] = f[i] != f[i] ? 0x7fffffffu : bits[i];
}

void jit_spread(const struct jit_code *c, const struct warp *w, int32_t site)
{
    struct jit_spread *s = __atomic_load_n(&c->spread[site], __ATOMIC_ACQUIRE);
    if (!s) { /* two threads may both make one: the first stays */
        struct jit_spread *mine = make(c, site);
        if (__atomic_compare_exchange_n(&c->spread[site], &s, mine, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
            s = mine;
        else
            alloc_release(mine);
    }
    for (int i = 0; i < s->n; i++)
        jit_spread_register(c, w, s->reg[i]);
}

void jit_spread_release(struct jit_code *c)
{
    for (int32_t i = 0; c->spread && i < c->interp->kernel->ninsts; i++)
        alloc_release(c->spread[i]);
    alloc_release(c->spread);
}
