/* Resume points: the start, behind barriers and where turns end, heads of loops, where parted lanes meet, and behind what the interpreter
 * does (see plan.h). */
#include "jit/plan.h"

#include "base/alloc.h"
#include "interp/interp.h"
#include "interp/step.h"

#include <string.h>

/* What kernels that are always interpreted have more of. ALIVE: 256 KiB of a stack frame for vectors of 4 bytes a lane. STORES:
 * they take LLVM some 15 s of processor time in the first tier (3.7 us each on AVX-512, on a loaded EPYC). */
enum { MOST_ALIVE = 2048, MOST_STORES = 4000000 };

static bool leaves(const struct step *st)
{
    return !step_is_plain(st) && st->kind != STEP_BRANCH && st->kind != STEP_EXIT;
}

/* The most records that an instruction leaves: a generic access one for each space, an asynchronous copy its two sides. */
static uint32_t records_left(const struct step *st)
{
    bool several = st->in->space == PTX_GENERIC || st->kind == STEP_ASYNC;
    return !step_leaves_records(st) ? 0 : several ? 3 : 1;
}

/* An atomic of 16 bits may be a loop that loads; what generic ones of half precision do beside is counted as shared atomics
 * (memory/memory.c). */
static unsigned atomic_kinds(const struct step *st)
{
    enum ptx_type t = (enum ptx_type)st->in->mods->type[0];
    bool halves = st->elem == 2 || t == PTX_F16X2 || t == PTX_BF16X2;
    bool loops = halves || (st->space == PTX_SHARED && (st->elem > 4 || t == PTX_F32));
    return (st->space == PTX_SHARED ? ACCESS_SHARED_ATOM : ACCESS_GLOBAL_ATOM) | (halves ? ACCESS_GLOBAL_LD | ACCESS_SHARED_ATOM : 0) | (loops ? ACCESS_ATOM_LOOP : 0);
}

/* What its accesses may be counted as. */
static unsigned access_kinds(const struct step *st)
{
    switch (st->space) {
    case PTX_GLOBAL:
        return st->kind == STEP_LOAD ? ACCESS_GLOBAL_LD : st->kind == STEP_STORE ? ACCESS_GLOBAL_ST : atomic_kinds(st);
    case PTX_SHARED:
        return st->kind == STEP_ATOM ? atomic_kinds(st) : ACCESS_SHARED;
    case PTX_LOCAL:
        return ACCESS_LOCAL;
    case PTX_CONST:
        return ACCESS_CONST;
    default:
        return ACCESS_ALL; /* generic */
    }
}

/* Accesses of it are among those that machine code has a form of its own for, and of a kind that is counted. */
static bool is_counted(const struct step *st, unsigned accesses)
{
    return (st->kind == STEP_LOAD || st->kind == STEP_STORE || st->kind == STEP_ATOM) && st->space < PTX_PARAM && access_kinds(st) & accesses;
}

static uint32_t records_of(const struct ir_kernel *k, const struct interp_code *c, int32_t block)
{
    const struct ir_block *b = &k->blocks[block];
    uint32_t n = 0;
    for (int32_t i = b->first; i < b->first + b->count; i++)
        n += records_left(&c->step[i]) + c->step[i].entered;
    return n;
}

static bool reads_time(const struct ir_kernel *k, const struct interp_code *c, int32_t block)
{
    const struct ir_block *b = &k->blocks[block];
    for (int32_t i = b->first; i < b->first + b->count; i++)
        if (step_reads_time(&c->step[i]))
            return true;
    return false;
}

uint32_t plan_block_records(const struct ir_kernel *k, const struct interp_code *c)
{
    uint32_t most = 0;
    for (int32_t b = 0; b < k->nblocks; b++)
        most = records_of(k, c, b) > most ? records_of(k, c, b) : most;
    return most;
}


struct plan_size plan_size(const struct ir_kernel *k)
{
    struct plan_size size = {0, 0};
    size_t words = ((size_t)k->nregs + 63) / 64 + 1;
    uint64_t *live = alloc_zeroed(words * 8);
    for (int32_t b = 0; b < k->nblocks; b++) {
        const struct ir_block *bl = &k->blocks[b];
        int32_t alive = 0;
        memcpy(live, bl->live_out, words * 8);
        for (size_t w = 0; w < words; w++)
            alive += __builtin_popcountll(live[w]);
        for (int32_t i = bl->first + bl->count - 1; i >= bl->first; i--) {
            const struct ir_inst *in = &k->insts[i];
            alive += ir_live_before(in, live);
            size.stores += ir_is_memory(in) ? (uint64_t)alive : 0;
            size.alive = alive > size.alive ? alive : size.alive;
        }
    }
    alloc_release(live);
    return size;
}

const char *plan_refuses(const struct ir_kernel *k)
{
    struct plan_size size = plan_size(k);
    if (size.alive > MOST_ALIVE)
        return "it has too many registers alive at once";
    if (size.stores > MOST_STORES)
        return "its code would be too large: too many registers alive at too many accesses to memory";
    if (k->has_waiting_loop)
        return "it has a loop that waits for other threads";
    if (k->recursive)
        return "it has functions that may call themselves";
    for (int32_t i = 0; i < k->ninsts; i++) {
        if (k->insts[i].op == PTX_OP_NANOSLEEP)
            return "it sleeps";
        for (int d = 0; d < k->insts[i].ndst; d++)
            if (k->insts[i].dst[d] != IR_NOREG && k->reg_type[k->insts[i].dst[d]] == PTX_B128)
                return "it has registers of 128 bits";
    }
    return NULL;
}

struct plan plan_make(const struct ir_kernel *k, const struct interp_code *c, const struct shapes *s, const uint32_t dim[3], bool records,
                      unsigned accesses)
{
    struct plan p = {.turns = turns_wanted(c, &(struct range_launch){.dim = dim}, NULL), .resume = alloc_zeroed(sizeof *p.resume * ((size_t)k->ninsts + 2))};
    bool *at = alloc_zeroed((size_t)k->ninsts + 2);
    at[0] = true;
    for (int32_t i = 0; i < k->ninsts; i++) {
        const struct ir_inst *in = &k->insts[i];
        if (leaves(&c->step[i]) || (c->step[i].turn && p.turns >> (c->step[i].turn - 1) & 1))
            at[i + 1] = true;
        if (in->back_edge && in->op == PTX_OP_BRA)
            at[k->blocks[in->target].first] = true;
        if (in->joined && ir_bit(s->parting, i))
            at[k->blocks[in->join].first] = true;
        if (in->reconvergence && ir_bit(s->parting, i))
            at[k->blocks[in->reconvergence->block].first] = true;
    }
    for (int32_t b = 0; b < k->nblocks && records; b++)
        at[k->blocks[b].first] |= records_of(k, c, b) != 0 || reads_time(k, c, b);
    for (int32_t i = 0; i <= k->ninsts; i++)
        p.resume[i] = at[i] && i < k->ninsts ? p.nresume++ : -1;
    p.site = alloc_zeroed(sizeof *p.site * ((size_t)p.nresume + 1));
    for (int32_t i = 0; i < k->ninsts; i++)
        if (p.resume[i] >= 0)
            p.site[p.resume[i]] = i;
    alloc_release(at);
    p.apart = alloc_zeroed(sizeof *p.apart * ((size_t)k->ninsts + 2));
    for (int32_t i = 0; i <= k->ninsts; i++) {
        bool head = i < k->ninsts && i == k->blocks[k->insts[i].block].first;
        p.apart[i] = i < k->ninsts && (head || leaves(&c->step[i - 1])) ? p.napart++ : -1;
    }
    p.row = alloc_zeroed(sizeof *p.row * ((size_t)k->ninsts + 2));
    p.access = alloc_zeroed(sizeof *p.access * ((size_t)k->ninsts + 2));
    for (int32_t i = 0; i <= k->ninsts; i++) {
        p.row[i] = i < k->ninsts && is_counted(&c->step[i], accesses) ? p.nrow++ : -1;
        p.access[i] = i < k->ninsts && ir_is_memory(&k->insts[i]) ? p.naccesses++ : -1;
    }
    return p;
}

void plan_release(struct plan *p)
{
    alloc_release(p->resume);
    alloc_release(p->site);
    alloc_release(p->apart);
    alloc_release(p->row);
    alloc_release(p->access);
}

uint32_t plan_spill_begin(const struct interp_code *c)
{
    return (interp_reg_bytes(c) + 63) / 64 * 64;
}

int32_t *plan_spill_slots(const struct ir_kernel *k, const struct interp_code *c, const struct shapes *s)
{
    int32_t *spill_slot = alloc_zeroed(sizeof *spill_slot * ((size_t)k->nregs + 1));
    uint32_t used = 0;
    for (int32_t r = 0; r < k->nregs; r++) {
        uint32_t bytes = ptx_type_info[k->reg_type[r]].bits / 8, all = bytes * (uint32_t)shape_groups(&s->reg[r]);
        spill_slot[r] = -1;
        if (k->reg_type[r] == PTX_PRED || s->reg[r].kind != SHAPE_AFFINE)
            continue;
        uint32_t at = (used + bytes - 1) / bytes * bytes;
        if (at + all > JIT_SPILL_BYTES)
            continue;
        spill_slot[r] = (int32_t)(plan_spill_begin(c) + at);
        used = at + all;
    }
    return spill_slot;
}
