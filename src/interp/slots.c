/* Places for registers: linear scan over live intervals in the order of the code.
 *
 * A warp's registers should fit the host's first caches: PTX has a fresh register per value, so unshared places would
 * take tens of kilobytes a warp. An interval spans every position where the register is live in any path, so lanes
 * that diverge and come back find their values. Instructions that read other lanes or several operands in steps keep
 * their sources apart from their destinations. */
#include "interp/code.h"
#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

struct interval {
    int32_t reg;
    int64_t from, to; /* two positions an instruction: reads, then writes */
};

unsigned slots_width(const struct ir_kernel *k, int32_t reg)
{
    int bits = ptx_type_info[k->reg_type[reg]].bits;
    return k->reg_type[reg] == PTX_PRED ? 0 : bits <= 8 ? 1 : (unsigned)bits / 8;
}

static void extend(struct interval *v, int64_t at)
{
    if (at < v->from)
        v->from = at;
    if (at > v->to)
        v->to = at;
}

/* The registers of a set. */
static void extend_all(const struct ir_kernel *k, struct interval *v, const uint64_t *set, int64_t at)
{
    for (int32_t word = 0; word * 64 < k->nregs; word++)
        for (uint64_t left = set[word]; left; left &= left - 1) {
            int32_t r = word * 64 + __builtin_ctzll(left);
            if (r < k->nregs)
                extend(&v[r], at);
        }
}

static bool lane_by_lane(const struct ir_inst *in)
{
    return !ir_is_own(in) && in->ndst == 1 && ptx_op_info[in->op].form != PTX_FORM_SPECIAL;
}

static void find_intervals(const struct ir_kernel *k, struct interval *v)
{
    for (int32_t r = 0; r < k->nregs; r++)
        v[r] = (struct interval){r, INT64_MAX, -1};
    for (int32_t i = 0; i < k->ninsts; i++) {
        const struct ir_inst *in = &k->insts[i];
        int64_t read = 2 * (int64_t)i, write = read + 1;
        for (int s = 0; s < in->nsrc; s++)
            if (in->src[s].kind == IR_SRC_REG)
                extend(&v[in->src[s].reg], lane_by_lane(in) ? read : write);
        for (int d = 0; d < in->ndst; d++)
            if (in->dst[d] != IR_NOREG)
                extend(&v[in->dst[d]], write);
    }
    for (int32_t b = 0; b < k->nblocks; b++) {
        const struct ir_block *bl = &k->blocks[b];
        extend_all(k, v, bl->live_in, 2 * (int64_t)bl->first);
        extend_all(k, v, bl->live_out, 2 * (int64_t)(bl->first + bl->count) - 1);
    }
}

static int by_start(const void *a, const void *b)
{
    const struct interval *x = a, *y = b;
    return x->from != y->from ? (x->from < y->from ? -1 : 1) : x->reg - y->reg;
}

/* Free places by width: 1, 2, 4, 8, 16 bytes a lane. */
struct pool {
    place *free;
    int n, cap;
};

static int class_of(unsigned width)
{
    return __builtin_ctz(width);
}

/* Gives back the places of intervals that end before `at`. How many are left, and when the first of them ends. */
static int retire(const struct ir_kernel *k, int64_t at, struct interval **active, int n, struct pool *pools, const place *of_reg,
                  int64_t *first_end)
{
    *first_end = INT64_MAX;
    for (int a = 0; a < n; a++)
        if (active[a]->to < at) {
            struct pool *p = &pools[class_of(slots_width(k, active[a]->reg))];
            ALLOC_GROW(p->free, p->n, p->cap);
            p->free[p->n++] = of_reg[active[a]->reg];
            active[a--] = active[--n];
        } else if (active[a]->to < *first_end) {
            *first_end = active[a]->to;
        }
    return n;
}

uint32_t slots_assign(const struct ir_kernel *k, place *of_reg)
{
    struct interval *v = alloc_zeroed(sizeof *v * (size_t)(k->nregs + 1));
    struct interval **active = alloc_zeroed(sizeof *active * (size_t)(k->nregs + 1));
    struct pool pools[5] = {0};
    int nactive = 0;
    int64_t first_end = INT64_MAX; /* of the active ones: before it none ends */
    uint32_t bytes = 0;

    find_intervals(k, v);
    qsort(v, (size_t)k->nregs, sizeof *v, by_start);
    for (int32_t i = 0; i < k->nregs; i++) {
        int32_t reg = v[i].reg;
        unsigned width = slots_width(k, reg);
        of_reg[reg] = 0;
        if (v[i].to < 0 || width == 0)
            continue;
        if (first_end < v[i].from)
            nactive = retire(k, v[i].from, active, nactive, pools, of_reg, &first_end);
        struct pool *p = &pools[class_of(width)];
        if (p->n) {
            of_reg[reg] = p->free[--p->n];
        } else {
            of_reg[reg] = bytes;
            bytes += (width * WARP_LANES + 63) / 64 * 64;
        }
        active[nactive++] = &v[i];
        first_end = v[i].to < first_end ? v[i].to : first_end;
    }
    for (int32_t r = 0; r < k->nregs; r++) /* predicates: a word each */
        if (slots_width(k, r) == 0) {
            of_reg[r] = bytes;
            bytes += 4;
        }
    for (int i = 0; i < 5; i++)
        alloc_release(pools[i].free);
    alloc_release(active);
    alloc_release(v);
    return (bytes + 63) / 64 * 64;
}
