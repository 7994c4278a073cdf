/* See pace.h. */
#include "target/pace.h"

#include "base/alloc.h"
#include "device/mechanisms.h"
#include "ir/facts.h"
#include "target/flow.h"
#include "target/spacing.h"
#include "target/waits.h"

#include <string.h>

enum { TURNS = 3 /* of a block that follows itself, until it goes on as it will */, LINE_BYTES = 128, WORDS = 2 /* of a value */ };

/* Of a word of a value, in the cycles of the walk: when it is there, and the access of this turn of the block that brings it: 1 + its number; 0: none. */
struct value {
    int32_t made, cycles; /* when its instruction was issued, and how long it takes */
    int32_t brings;
    uint16_t op;          /* of that instruction */
    bool late; /* by the scoreboard */
};

struct walk {
    const struct ir_kernel *k;
    const struct code *c;
    const struct flow *f;
    const struct device *d;
    struct target_pace *p;
    struct value *value;  /* [WORDS * values] of each word */
    int32_t *known;       /* words that have an entry */
    int32_t nknown;
    int32_t cycle;        /* of the instruction that was issued last */
    int32_t begin;        /* of the block's first one */
    struct spacing spacing;
    uint32_t wait, scoreboard, branch; /* cycles of this turn */
    bool main;            /* the block's accesses are those that pace.h tells of, not the few turns that an unrolled loop leaves */
    int32_t *nth;         /* [ninsts of the IR] accesses of the site in this turn so far */
};

static void forget(struct walk *w)
{
    for (int32_t i = 0; i < w->nknown; i++)
        w->value[w->known[i]] = (struct value){0};
    w->nknown = 0;
}

/* The touch is of this word of its value. */
static bool has_word(const struct touch *t, int word)
{
    return t->words >> word & 1;
}

static void set_word(struct walk *w, int32_t at, struct value to)
{
    if (!w->value[at].made)
        w->known[w->nknown++] = at;
    w->value[at] = to;
}

static void set(struct walk *w, const struct touch *t, struct value to)
{
    for (int word = 0; word < WORDS; word++)
        if (has_word(t, word))
            set_word(w, WORDS * t->value + word, to);
}

/* When the instruction can read the words. *late: what it waits for longest has a scoreboard. */
static int32_t there(const struct walk *w, const struct machine_inst *in, const struct touch *t, bool *late)
{
    int32_t most = 0;
    for (int word = 0; word < WORDS && !(w->d && !mechanisms_has(w->d, MECHANISM_results)); word++) {
        const struct value *v = &w->value[WORDS * t->value + word];
        if (!has_word(t, word) || !v->made)
            continue;
        const int32_t at = v->made + spacing_result(w->c->arch, (enum machine_op)v->op, v->cycles, (enum machine_op)in->op, spacing_guards(w->f, in, t->value));
        if (at > most)
            most = at, *late = v->late;
    }
    return most;
}

/* Somebody needs what the access brings: from here on it is there. */
static void use(struct walk *w, int32_t brings)
{
    const int32_t at = w->cycle - w->begin;
    const uint16_t cycles = at < PACE_NEVER ? (uint16_t)at : PACE_NEVER - 1;
    uint16_t *of = &w->p->access[brings - 1].used;
    if (cycles < *of)
        *of = cycles;
    for (int32_t i = 0; i < w->nknown; i++)
        if (w->value[w->known[i]].brings == brings)
            w->value[w->known[i]].brings = 0;
}

/* How many cycles more a load of shared memory takes than one of a word a lane: of two or four, or of several matrices, one after the other. */
static int32_t wide(const struct walk *w, const struct machine_inst *in)
{
    const struct ir_inst *site = in->site >= 0 ? &w->k->insts[in->site] : NULL;
    if (!site || (in->op != OP_LDS && in->op != OP_LDSM))
        return 0;
    if (in->op == OP_LDSM)
        return (site->ndst - 1) * (int32_t)DEVICE_TAKEN(w->d, latency_wavefront);
    const int bits = ptx_type_info[site->type].bits * (site->vec ? site->vec : 1);
    return bits > 64 ? (int32_t)DEVICE_TAKEN(w->d, latency_wide4) : bits > 32 ? (int32_t)DEVICE_TAKEN(w->d, latency_wide2) : 0;
}

/* Cycles until its result can be read. */
static int32_t latency(const struct walk *w, const struct machine_inst *in)
{
    const int32_t usual = arch_op_cycles(w->c->arch, (enum machine_op)in->op);
    int64_t known = DEVICE_UNKNOWN;
    if (!w->d || !usual)
        return usual;
    const int64_t address = w->d->latency_address == DEVICE_UNKNOWN ? 0 : w->d->latency_address;
    if (!mechanisms_has(w->d, MECHANISM_results))
        return 1;
    switch ((enum machine_op)in->op) {
#define LATENCY(op, figure, more) case OP_##op: known = w->d->figure == DEVICE_UNKNOWN ? DEVICE_UNKNOWN : w->d->figure + (more); break;
#include "target/latencies.def"
#undef LATENCY
    default:
        break;
    }
    return known == DEVICE_UNKNOWN ? usual : (int32_t)known + wide(w, in);
}

/* The site whose access, barrier of the block, fence of the device, group of copies, or read of a clock the instruction is, or NULL. */
static const struct ir_inst *placed(const struct ir_kernel *k, int arch, const struct machine_inst *in)
{
    const struct ir_inst *site = in->site >= 0 && !in->early ? &k->insts[in->site] : NULL;
    const bool groups = site && ((site->op == PTX_OP_CP_COMMIT && in->op == OP_LDGDEPBAR) || (site->op == PTX_OP_CP_WAIT && in->op == OP_DEPBAR));
    if (groups || (site && (in->op == OP_BAR || in->op == OP_CS2R || (in->op == OP_MEMBAR && facts_fences_device(site)))))
        return site;
    return waits_access(k, arch, in);
}

/* The access that the instruction is, among those that pace.h knows, or -1. */
static int32_t access_at(struct walk *w, const struct machine_inst *in)
{
    const struct ir_inst *site = placed(w->k, w->c->arch, in);
    if (!site || !w->main || w->p->first[in->site] < 0)
        return -1;
    const int32_t nth = w->nth[in->site]++, first = w->p->first[in->site];
    return nth < w->p->block[site->block].rounds ? first + nth : -1;
}

/* Cycles from a branch, or from where lanes meet, to the next instruction, beyond those that any instruction stands behind it. Branches upwards and those
 * without a condition are taken; of others nobody knows, and they pass. */
static int32_t turns_aside(const struct walk *w, const struct machine_block *bl, const struct machine_inst *in)
{
    if (!w->d || (in->op != OP_BRA && in->op != OP_BSYNC && in->op != OP_CALL && in->op != OP_RET))
        return 0;
    bool passes = in->op == OP_BRA && in->guard.file != FILE_NONE;
    for (int s = 0; s < in->nsources; s++)
        passes &= in->source[s].file != FILE_BLOCK || in->source[s].number > bl->ir;
    const int64_t known = passes ? w->d->branch_pass_cycles : w->d->branch_jump_cycles;
    return known > 1 ? (int32_t)known - 1 : 0;
}

/* The one that is there later, or brought by an access. */
static struct value later_of(struct value a, struct value b)
{
    if (!a.made || !b.made)
        return a.made ? a : b;
    if (!a.brings != !b.brings)
        return a.brings ? a : b;
    return a.made + a.cycles >= b.made + b.cycles ? a : b;
}

/* Cycles of an instruction of a function in which each needs the one before it. */
static int32_t chained(const struct walk *w)
{
    return latency(w, &(struct machine_inst){.op = OP_IMAD});
}

/* A copy that is no instruction: its words are there when the other's are. */
static void pass_on(struct walk *w, int32_t i)
{
    struct value from = {.made = w->cycle};
    for (int32_t t = w->f->first[i]; t < w->f->first[i + 1]; t++)
        for (int word = 0; word < WORDS && !w->f->touches[t].writes; word++)
            if (has_word(&w->f->touches[t], word))
                from = later_of(w->value[WORDS * w->f->touches[t].value + word], from);
    for (int32_t t = w->f->first[i]; t < w->f->first[i + 1]; t++)
        if (w->f->touches[t].writes)
            set(w, &w->f->touches[t], from);
}

static void walk_inst(struct walk *w, const struct machine_block *bl, int32_t i)
{
    const struct machine_inst *in = &w->c->insts[i];
    int32_t at = w->cycle + 1;
    bool late_value = false;
    if (in->taken == TAKEN_NEVER || in->way == WAY_LONG)
        return;
    if (in->op == OP_NONE) {
        pass_on(w, i);
        return;
    }
    if (!w->d || mechanisms_has(w->d, MECHANISM_spacing))
        at = spacing_begin(&w->spacing, w->c->arch, in, at);
    for (int32_t t = w->f->first[i]; t < w->f->first[i + 1]; t++) {
        bool late = false;
        const int32_t ready = w->f->touches[t].writes ? 0 : there(w, in, &w->f->touches[t], &late);
        if (ready > at) {
            at = ready;
            late_value = late;
        }
    }
    *(late_value ? &w->scoreboard : &w->wait) += (uint32_t)(at - w->cycle - 1);
    w->cycle = at;
    spacing_issue(&w->spacing, w->c->arch, in, at);
    for (int32_t t = w->f->first[i]; t < w->f->first[i + 1]; t++)
        for (int word = 0; word < WORDS && !w->f->touches[t].writes; word++) {
            const int32_t brings = w->value[WORDS * w->f->touches[t].value + word].brings;
            if (brings && has_word(&w->f->touches[t], word))
                use(w, brings);
        }
    const int32_t access = access_at(w, in);
    const bool brings = access >= 0 && in->op != OP_BAR && in->op != OP_CS2R && in->op != OP_MEMBAR && in->op != OP_LDGDEPBAR && in->op != OP_DEPBAR, late = brings && waits_brings(&w->k->insts[in->site]); /* shared memory: as long as it takes alone */
    if (access >= 0) {
        const int32_t cycles = at - w->begin;
        w->p->access[access] = (struct pace_access){cycles < PACE_NEVER ? (uint16_t)cycles : PACE_NEVER - 1, PACE_NEVER};
    }
    const struct machine_op_info *info = arch_op(w->c->arch, (enum machine_op)in->op);
    for (int32_t t = w->f->first[i]; t < w->f->first[i + 1]; t++)
        if (w->f->touches[t].writes)
            set(w, &w->f->touches[t], (struct value){at, late ? 0 : latency(w, in), brings ? access + 1 : 0, in->op, info && info->wait == WAIT_SCOREBOARD});
    const int32_t aside = turns_aside(w, bl, in), said = w->spacing.next - at - 1; /* the code's own count: the profiler's "wait" */
    w->cycle += aside;
    w->wait += (uint32_t)(aside < said ? aside : said);
    w->branch += (uint32_t)(aside < said ? 0 : aside - said);
    if (in->op == OP_CALL && in->source[0].file == FILE_FUNCTION)
        for (int32_t b = 0; b < w->c->nblocks; b++)
            if (w->c->blocks[b].times == TIMES_CALLED && w->c->blocks[b].of == in->source[0].number)
                w->cycle += w->c->blocks[b].count * chained(w);
}

/* The function of a long way: each instruction needs the one before it. Calling it, with what is moved there and back, is of its first part. */
static void walk_long(struct walk *w, int way, const struct machine_block *bl)
{
    enum { MOVES = 2 };
    struct pace_block *part = w->p->part[way];
    const int32_t each = chained(w), jump = turns_aside(w, bl, &(struct machine_inst){.op = OP_CALL});
    for (int32_t i = bl->first; i < bl->first + bl->count; i++) {
        const struct machine_inst *in = &w->c->insts[i];
        const struct machine_op_info *info = arch_op(w->c->arch, (enum machine_op)in->op);
        const bool late = info && info->wait == WAIT_SCOREBOARD;
        const int32_t cycles = late ? latency(w, in) : each, aside = in->op == OP_BRA ? 0 : turns_aside(w, bl, in); /* most pass */
        struct pace_block *of = &part[in->part];
        *(late ? &of->scoreboard : &of->wait) += (uint32_t)(cycles > 1 ? cycles - 1 : 0) * PACE_TICKS;
        of->branch += (uint32_t)aside * PACE_TICKS;
        of->span += (uint32_t)(cycles + aside) * PACE_TICKS;
    }
    part->wait += (uint32_t)(MOVES * (each - 1)) * PACE_TICKS;
    part->branch += (uint32_t)jump * PACE_TICKS;
    part->span += (uint32_t)(MOVES * each + jump) * PACE_TICKS;
}

/* Of the ways that the kernel has. */
static void walk_long_ways(struct walk *w)
{
    for (int32_t b = 0; b < w->c->nblocks; b++) {
        const struct machine_block *bl = &w->c->blocks[b];
        const int way = bl->times == TIMES_CALLED ? long_way_of(bl->of) : -1;
        if (way < 0)
            continue;
        if (!w->p->part)
            w->p->part = alloc_zeroed(LONG_WAYS * sizeof *w->p->part);
        walk_long(w, way, bl);
    }
}

static bool follows(const struct flow *f, int32_t b, int32_t of)
{
    for (int32_t s = of < 0 ? 0 : f->succ_first[of]; of >= 0 && s < f->succ_first[of + 1]; s++)
        if (f->succ[s] == b)
            return true;
    return false;
}

static void walk_block(struct walk *w, int32_t b, int32_t before)
{
    const struct machine_block *bl = &w->c->blocks[b];
    const bool again = follows(w->f, b, b), main = bl->times == TIMES_BLOCK || bl->times == TIMES_ROUNDS;
    const int32_t ir = main ? bl->ir : -1;
    w->main = main;
    if (!follows(w->f, b, before))
        forget(w);
    int32_t from = w->cycle;
    for (int turn = 0; turn < (again ? TURNS : 1); turn++) {
        for (int32_t i = 0; i < w->nknown; i++)
            w->value[w->known[i]].brings = 0;
        from = w->cycle;
        w->begin = from + 1;
        w->wait = w->scoreboard = w->branch = 0;
        for (int32_t i = bl->first; i < bl->first + bl->count; i++)
            if (w->c->insts[i].site >= 0)
                w->nth[w->c->insts[i].site] = 0;
        for (int32_t i = bl->first; i < bl->first + bl->count; i++)
            walk_inst(w, bl, i);
    }
    const uint32_t cycles = (uint32_t)(w->cycle - from), rounds = bl->times == TIMES_ROUNDS && bl->rounds > 1 ? (uint32_t)bl->rounds : 1;
    if (ir < 0)
        return;
    const struct generation *g = arch_generation(w->c->arch);
    const uint32_t line_insts = (uint32_t)(LINE_BYTES / g->code_bytes * g->code_insts);
    w->p->block[ir].lines += ((uint32_t)bl->count + line_insts - 1) / line_insts;
    w->p->block[ir].span += cycles * PACE_TICKS / rounds;
    w->p->block[ir].wait += w->wait * PACE_TICKS / rounds;
    w->p->block[ir].scoreboard += w->scoreboard * PACE_TICKS / rounds;
    w->p->block[ir].branch += w->branch * PACE_TICKS / rounds;
}

/* Rounds of unrolled loops, and how many accesses each site has. */
static void count(const struct ir_kernel *k, const struct code *c, struct target_pace *p)
{
    for (int32_t b = 0; b < c->nblocks; b++) {
        const struct machine_block *bl = &c->blocks[b];
        for (int32_t i = bl->first; bl->times == TIMES_ROUNDS && flow_is_of_kernel(bl) && i < bl->first + bl->count; i++)
            if (c->insts[i].site >= 0)
                p->block[k->insts[c->insts[i].site].block].rounds = (uint16_t)bl->rounds;
        for (int32_t i = bl->first; bl->times != TIMES_REST && flow_is_of_kernel(bl) && bl->ir >= 0 && i < bl->first + bl->count; i++)
            if (c->insts[i].site >= 0)
                p->block[k->insts[c->insts[i].site].block].owner = bl->ir;
    }
    for (int32_t b = 0; b < c->nblocks; b++) {
        const struct machine_block *bl = &c->blocks[b];
        const bool main = bl->times == TIMES_BLOCK || bl->times == TIMES_ROUNDS;
        for (int32_t i = bl->first; main && flow_is_of_kernel(bl) && i < bl->first + bl->count; i++) {
            const struct ir_inst *site = placed(k, c->arch, &c->insts[i]);
            if (!site || p->first[c->insts[i].site] >= 0)
                continue;
            p->first[c->insts[i].site] = p->naccesses;
            p->naccesses += p->block[site->block].rounds;
        }
    }
}

void pace_find(const struct ir_kernel *k, const struct code *c, const struct flow *f, const struct device *d, struct target_pace *p)
{
    *p = (struct target_pace){.block = alloc_zeroed(((size_t)k->nblocks + 1) * sizeof *p->block), .first = alloc_zeroed(((size_t)k->ninsts + 1) * sizeof *p->first)};
    for (int32_t b = 0; b < k->nblocks; b++)
        p->block[b] = (struct pace_block){.owner = b, .rounds = 1};
    for (int32_t i = 0; i < k->ninsts; i++)
        p->first[i] = -1;
    count(k, c, p);
    p->access = alloc_zeroed(((size_t)p->naccesses + 1) * sizeof *p->access);
    for (int32_t i = 0; i < p->naccesses; i++)
        p->access[i] = (struct pace_access){0, PACE_NEVER};
    struct walk w = {.k = k, .c = c, .f = f, .d = d, .p = p, .value = alloc_zeroed(((size_t)f->nvalues + 1) * WORDS * sizeof *w.value),
                     .known = alloc_zeroed(((size_t)f->nvalues + 1) * WORDS * sizeof *w.known), .nth = alloc_zeroed(((size_t)k->ninsts + 1) * sizeof *w.nth)};
    for (int32_t b = 0, before = -1; b < c->nblocks; b++)
        if (flow_is_of_kernel(&c->blocks[b])) {
            walk_block(&w, b, before);
            before = b;
        }
    walk_long_ways(&w);
    alloc_release(w.value);
    alloc_release(w.known);
    alloc_release(w.nth);
}

void pace_release(struct target_pace *p)
{
    alloc_release(p->block);
    alloc_release(p->first);
    alloc_release(p->access);
    alloc_release(p->part);
    *p = (struct target_pace){0};
}
