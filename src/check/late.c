/* Loads that the compiler moved ahead of where their value is wanted.
 *
 * A sum that a loop keeps in memory is kept in a register, and its first value is loaded before the loop; a thread whose
 * first round stores to it before it adds never looks at that value. So a value that not every way from its load comes
 * to use counts as read when a thread uses it. Copies from register to register are no use. */
#include "check/private.h"

#include "base/alloc.h"
#include "ir/facts.h"

#include <string.h>

enum { LATE_LOAD = 1, LATE_STEP = 2 };

/* What a lane loaded unwritten and has not used yet. */
struct late_value {
    uint16_t warp;
    uint8_t space, bytes;
    int32_t reg;
    int32_t site; /* of the load */
    int part;     /* as in a finding */
    uint32_t lanes;
    uint64_t addr[32];
};

static bool is_copy(const struct ir_inst *in)
{
    return ir_is_copy(in) && in->src[0].kind == IR_SRC_REG;
}

static bool writes(const struct ir_inst *in, const uint64_t *regs)
{
    for (int d = 0; d < in->ndst; d++)
        if (in->dst[d] != IR_NOREG && ir_bit(regs, in->dst[d]))
            return true;
    return false;
}

static bool any(const uint64_t *set, int words)
{
    for (int i = 0; i < words; i++)
        if (set[i])
            return true;
    return false;
}

/* Is some way from the load's end one that does not use its value, that of part `part` or (-1) of all? `regs`: room for a set of registers. */
static bool value_is_late(const struct ir_kernel *k, int32_t site, int part, uint64_t *regs)
{
    const struct ir_inst *load = &k->insts[site];
    int words = (k->nregs + 63) / 64;

    if (!ir_is(load, PTX_KIND_LOAD) || load->frame || facts_result(load) & FACT_STATE)
        return false;
    memset(regs, 0, (size_t)words * sizeof *regs);
    for (int d = 0; d < load->ndst; d++)
        if (load->dst[d] != IR_NOREG && (part < 0 || d == part))
            ir_bit_set(regs, load->dst[d]);
    const struct ir_block *b = &k->blocks[load->block];
    for (int32_t i = site + 1, steps = 0;; steps++) {
        for (; i < b->first + b->count; i++) {
            const struct ir_inst *in = &k->insts[i];
            if (is_copy(in) && in->guard == IR_NOREG) {
                if (ir_reads(in, regs))
                    ir_bit_set(regs, in->dst[0]);
                else
                    regs[in->dst[0] >> 6] &= ~(UINT64_C(1) << (in->dst[0] & 63));
                continue;
            }
            if (ir_reads(in, regs))
                return false;
            for (int d = 0; d < in->ndst && in->guard == IR_NOREG; d++)
                if (in->dst[d] != IR_NOREG)
                    regs[in->dst[d] >> 6] &= ~(UINT64_C(1) << (in->dst[d] & 63));
        }
        for (int w = 0; w < words; w++)
            regs[w] &= b->live_out[w];
        if (!any(regs, words))
            return false; /* used nowhere: counts as read */
        if (b->nsucc != 1 || b->succ[0] < 0 || steps == k->nblocks)
            return true;
        b = &k->blocks[b->succ[0]];
        i = b->first;
    }
}

static bool is_late(const struct ir_kernel *k, int32_t site, uint64_t *regs)
{
    const struct ir_inst *load = &k->insts[site];

    if (!load->parts)
        return value_is_late(k, site, -1, regs);
    for (int part = 0; part < load->ndst; part++)
        if (load->dst[part] != IR_NOREG && value_is_late(k, site, part, regs))
            return true;
    return false;
}

uint8_t *late_find(const struct ir_kernel *k)
{
    int words = (k->nregs + 63) / 64;
    uint8_t *late = alloc_zeroed((size_t)k->ninsts + 1);
    uint64_t *regs = alloc_zeroed((size_t)(words + 1) * sizeof *regs);
    uint64_t *held = alloc_zeroed((size_t)(words + 1) * sizeof *held); /* may hold such a value */
    bool more = false;

    for (int32_t i = 0; i < k->ninsts; i++) {
        if (!is_late(k, i, regs))
            continue;
        late[i] = LATE_LOAD;
        more = true;
        for (int d = 0; d < k->insts[i].ndst; d++)
            if (k->insts[i].dst[d] != IR_NOREG)
                ir_bit_set(held, k->insts[i].dst[d]);
    }
    if (!more) {
        alloc_release(late);
        late = NULL;
    }
    while (more) {
        more = false;
        for (int32_t i = 0; i < k->ninsts; i++)
            if (is_copy(&k->insts[i]) && ir_reads(&k->insts[i], held) && !ir_bit(held, k->insts[i].dst[0])) {
                ir_bit_set(held, k->insts[i].dst[0]);
                more = true;
            }
    }
    for (int32_t i = 0; late && i < k->ninsts; i++)
        if (ir_reads(&k->insts[i], held) || writes(&k->insts[i], held))
            late[i] |= LATE_STEP;
    alloc_release(regs);
    alloc_release(held);
    return late;
}

bool late_load(const struct check_launch *cl, const struct record *r)
{
    return r->op == RECORD_LOAD && cl->late && cl->late[r->site] & LATE_LOAD;
}

static struct late_value *value_of(struct check_block *b, unsigned warp, int32_t reg, int32_t site, int part)
{
    for (int i = 0; i < b->nlate; i++)
        if (b->late[i].warp == warp && b->late[i].reg == reg && b->late[i].site == site && b->late[i].part == part)
            return &b->late[i];
    if (b->nlate == b->late_room) {
        b->late_room = b->late_room ? 2 * b->late_room : 8;
        b->late = alloc_resize(b->late, (size_t)b->late_room * sizeof *b->late);
    }
    b->late[b->nlate] = (struct late_value){.warp = (uint16_t)warp, .reg = reg, .site = site, .part = part};
    return &b->late[b->nlate++];
}

void late_unwritten(struct check_launch *cl, struct check_block *b, const struct record *r, unsigned lane, int part)
{
    const struct ir_inst *in = &cl->launch->kernel->insts[r->site];

    for (int d = 0; d < in->ndst; d++) {
        struct late_value *v;

        if (in->dst[d] == IR_NOREG || (part >= 0 && d != part))
            continue;
        v = value_of(b, r->warp, in->dst[d], (int32_t)r->site, part);
        v->space = r->space;
        v->bytes = part < 0 ? r->bytes : r->bytes / in->vec;
        v->lanes |= 1u << lane;
        v->addr[lane] = r->addr[lane] + (part < 0 ? 0 : (unsigned)part * v->bytes);
    }
}

static void used(struct check_launch *cl, struct check_block *b, const struct late_value *value, uint32_t lanes)
{
    struct late_value v = *value;

    for (int i = 0; i < b->nlate; i++) /* once, however many registers hold it */
        if (b->late[i].warp == v.warp && b->late[i].site == v.site && b->late[i].part == v.part)
            b->late[i].lanes &= ~lanes;
    for (uint32_t left = lanes; left; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctz(left);
        struct check_finding f = check_at(cl, CHECK_UNINITIALISED, b->block, v.warp, i, v.site);

        f.part = v.part;
        f.space = v.space;
        f.op = RECORD_LOAD;
        f.bytes = v.bytes;
        f.address = v.addr[i];
        check_add(cl, &f);
    }
}

static bool has_register(const int32_t *regs, int n, int32_t reg)
{
    for (int i = 0; i < n; i++)
        if (regs[i] == reg)
            return true;
    return false;
}

static bool reads_register(const struct ir_inst *in, int32_t reg)
{
    for (int i = 0; i < in->nsrc; i++)
        if (in->src[i].kind == IR_SRC_REG && in->src[i].reg == reg)
            return true;
    return in->guard == reg;
}

void late_step(struct check_launch *cl, struct check_block *b, const struct record *r)
{
    const struct ir_inst *in = &cl->launch->kernel->insts[r->site];
    bool copy = is_copy(in) && in->src[0].reg != in->dst[0];
    int n = b->nlate, kept = 0;

    for (int i = 0; i < n && !copy; i++) {
        uint32_t lanes = b->late[i].warp == r->warp ? b->late[i].lanes & r->mask : 0;
        if (lanes && reads_register(in, b->late[i].reg) && !is_copy(in))
            used(cl, b, &b->late[i], lanes);
    }
    for (int i = 0; i < n; i++)
        if (b->late[i].warp == r->warp && has_register(in->dst, in->ndst, b->late[i].reg) && (copy || !is_copy(in)))
            b->late[i].lanes &= ~r->mask;
    for (int i = 0; i < n && copy; i++) {
        struct late_value from = b->late[i], *to;
        if (from.warp != r->warp || from.reg != in->src[0].reg || !(from.lanes & r->mask))
            continue;
        to = value_of(b, from.warp, in->dst[0], from.site, from.part);
        to->space = from.space;
        to->bytes = from.bytes;
        to->lanes |= from.lanes & r->mask;
        for (int lane = 0; lane < 32; lane++)
            if (from.lanes & r->mask & 1u << lane)
                to->addr[lane] = from.addr[lane];
    }
    for (int i = 0; i < b->nlate; i++)
        if (b->late[i].lanes)
            b->late[kept++] = b->late[i];
    b->nlate = kept;
}
