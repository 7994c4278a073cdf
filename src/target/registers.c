/* See registers.h. Unit of scheduling: the region (shape.h); an unrolled loop's region is scheduled with its rounds side by
 * side. A value is named by its register of PTX plus, in rounds before the last, a multiple of their number. */
#include "target/registers.h"

#include "base/alloc.h"
#include "ir/cfg.h"
#include "ir/facts.h"

#include <string.h>

/* LEAST: what ptxas reports at least for a kernel that does something. RESERVED: the stack pointer R1, and two that the
 * report is always above the highest register used (sm_90). ROUNDS: rounds that are looked at. */
/* EARLY: how many cycles before it must an instruction begins that nothing waits for yet. HOLD: instructions behind an access for
 * which its operands' registers are not used again. WINDOW: instructions from the first that has not been placed on, among which
 * the next one is looked for, so that time grows with a region's size. Kernels of `tests/truth` need the same registers with it. */
enum { EARLY = 40, HOLD = 10, WINDOW = 256 };
enum order { LATENCY, PTX_ORDER, FRUGAL };
enum { LEAST = 8, RESERVED = 3, ROUNDS = 4, NO_LIMIT = 1 << 20, LONGEST = 40, CALLING = 24 };

/* Cycles until a result can be read, as the order of the assembler's code shows them. */
enum { WAIT_GLOBAL = 40, WAIT_SHARED = 24, WAIT_SPECIAL = 20, WAIT_BANK = 10, WAIT_FUNCTION = 18, WAIT_DOUBLE = 8, WAIT_ARITHMETIC = 4 };

/* Registers a thread at which an SM of 65536 registers loses warps (2048 threads down to 256, in eights). */
static const int steps[] = {32, 40, 48, 56, 64, 72, 80, 96, 128, 168, 255};

struct item {
    int32_t site;     /* or -1: a load from the constant bank */
    int32_t round;
    int32_t reads[LOWERED_READS], writes[LOWERED_WRITES];
    int nreads, nwrites;
    int wait, cycles, extra;
    int32_t order;    /* cycles from its start to the end of the region */
    int32_t before;   /* items that must come before and have not been placed */
    int32_t earliest; /* cycle */
    int32_t *after, *delay; /* items that must come behind, and how many cycles */
    int32_t nafter, cap;
    bool placed;
};

/* Registers of the functions behind a kernel; of the products that a quotient or root of doubles is made of. */
enum { EXTRA_CALL = 14, EXTRA_PAIRS = 10 };

struct pressure {
    const struct code *selected;
    const struct lowered *l;
    const struct shape *s;
    const struct ir_kernel *k;
    size_t words;        /* of a set of registers */
    uint64_t *in, *out;  /* [nblocks] sets: alive at the block's start and end */
    uint64_t *banked;    /* [nblocks] sets: constant bank values loaded in the block */
    struct item *items;
    int32_t n, cap;
    int32_t *uses;       /* [values] readers that have not been placed */
    uint8_t *slot;       /* [nregs] words that a value takes */
    uint8_t *apart;      /* [nregs] the same, with loaded words in pairs of their own */
    int32_t *writer;     /* [values] last item that writes it, + 1 */
    uint64_t *live;      /* set of values */
    const uint64_t *end; /* the region's live-out */
    int late[HOLD];        /* words of values read for the last time, by item since */
};

static uint64_t *set_of(const struct pressure *p, uint64_t *sets, int32_t b)
{
    return sets + (size_t)b * p->words;
}

static void clear(uint64_t *set, int32_t i)
{
    set[i >> 6] &= ~(UINT64_C(1) << (i & 63));
}

static bool takes_register(const struct lowered *l, int32_t reg)
{
    return l->place[reg] == PLACE_REGISTER || (l->place[reg] == PLACE_BANK && l->held[reg]);
}

static bool is_load(const struct ir_inst *in)
{
    return facts_result(in) & FACT_MEMORY && !facts_writes(in);
}

/* A call stands for arithmetic of the math library here. */
static bool is_store(const struct ir_inst *in)
{
    return in->op != IR_OP_EXTERN && (facts_writes(in) || (is_load(in) && facts_result(in) & FACT_STATE));
}

static bool is_wall(const struct ir_inst *in)
{
    return ir_class(in) == PTX_CLASS_BARRIER || ir_class(in) == PTX_CLASS_FENCE;
}

static int wait_of(const struct ir_inst *in)
{
    if (is_load(in) || ir_is(in, PTX_KIND_ATOMIC))
        return in->space == PTX_SHARED                             ? WAIT_SHARED
               : in->space == PTX_CONST || in->space == PTX_PARAM ? WAIT_BANK
               : in->space == IR_SCRATCH                           ? 0
                                                                   : WAIT_GLOBAL;
    if (ir_is(in, PTX_KIND_COPY))
        return in->src[0].kind == IR_SRC_SREG ? WAIT_SPECIAL : WAIT_ARITHMETIC;
    switch (ir_class(in)) {
    case PTX_CLASS_SHUFFLE:
        return WAIT_SHARED;
    case PTX_CLASS_FDIV:
    case PTX_CLASS_FSQRT:
    case PTX_CLASS_MUFU:
    case PTX_CLASS_COUNT: /* a call */
        return WAIT_FUNCTION;
    default:
        return facts_reads(in) & FACT_SHARED ? WAIT_SHARED : in->type == PTX_F64 ? WAIT_DOUBLE : WAIT_ARITHMETIC;
    }
}

/* An instruction of the GPU of its own, not part of its readers. */
static bool is_made(const struct pressure *p, int32_t site)
{
    const struct ir_inst *in = &p->k->insts[site];
    for (int d = 0; d < in->ndst; d++)
        if (in->dst[d] != IR_NOREG && p->l->place[in->dst[d]] != PLACE_READER && p->l->place[in->dst[d]] != PLACE_BANK &&
            p->l->place[in->dst[d]] != PLACE_NOWHERE)
            return true;
    return code_executed(p->selected, site) > 0;
}

/* Registers that the instructions of a site use between them, beside its operands and results. */
static int extra_registers(const struct pressure *p, int32_t site)
{
    int n = code_executed(p->selected, site);
    bool pairs = p->k->insts[site].type == PTX_F64;
    for (int32_t i = p->selected->first[site]; i < p->selected->first[site + 1]; i++)
        if (p->selected->insts[i].op == OP_CALL && p->selected->insts[i].taken == TAKEN_ALL)
            return EXTRA_CALL;
    return n < 4 ? 0 : n < 8 ? 2 : pairs ? EXTRA_PAIRS : 3;
}

/* --- what is alive between blocks --- */

static void step_back(const struct pressure *p, int32_t site, uint64_t *live)
{
    const struct ir_inst *in = &p->k->insts[site];
    int32_t regs[LOWERED_READS];
    for (int d = 0; d < in->ndst && in->guard == IR_NOREG; d++)
        if (in->dst[d] != IR_NOREG && p->l->place[in->dst[d]] != PLACE_BANK)
            clear(live, in->dst[d]);
    if (!is_made(p, site))
        return;
    int n = lowered_reads(p->l, site, regs);
    for (int i = 0; i < n; i++)
        if (takes_register(p->l, regs[i]))
            ir_bit_set(live, regs[i]);
}

static void find_live(struct pressure *p)
{
    const struct ir_kernel *k = p->k;
    uint64_t *live = alloc_zeroed(p->words * 8);
    for (int32_t i = 0; i < k->ninsts; i++) {
        int32_t regs[LOWERED_READS];
        int n = is_made(p, i) ? lowered_reads(p->l, i, regs) : 0;
        for (int r = 0; r < n; r++)
            if (p->l->place[regs[r]] == PLACE_BANK && takes_register(p->l, regs[r]))
                ir_bit_set(set_of(p, p->banked, lowered_outside_loops(k, k->insts[i].block)), regs[r]);
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (int32_t b = k->nblocks - 1; b >= 0; b--) {
            const struct ir_block *bl = &k->blocks[b];
            uint64_t *out = set_of(p, p->out, b), *in = set_of(p, p->in, b);
            for (int32_t s = 0; s < bl->nsucc; s++)
                for (size_t w = 0; bl->succ[s] >= 0 && w < p->words; w++)
                    out[w] |= set_of(p, p->in, bl->succ[s])[w];
            memcpy(live, out, p->words * 8);
            for (int32_t i = bl->first + bl->count - 1; i >= bl->first; i--)
                step_back(p, i, live);
            for (size_t w = 0; w < p->words; w++)
                live[w] &= ~set_of(p, p->banked, b)[w];
            if (memcmp(live, in, p->words * 8)) {
                memcpy(in, live, p->words * 8);
                changed = true;
            }
        }
    }
    alloc_release(live);
}

/* --- a region's items --- */

static void link(struct pressure *p, int32_t from, int32_t to, int delay)
{
    struct item *it = &p->items[from];
    if (from == to)
        return;
    if (it->nafter == it->cap) {
        it->cap = it->cap ? it->cap * 2 : 4;
        it->after = alloc_resize(it->after, (size_t)it->cap * sizeof *it->after);
        it->delay = alloc_resize(it->delay, (size_t)it->cap * sizeof *it->delay);
    }
    it->after[it->nafter] = to;
    it->delay[it->nafter++] = delay;
}

static struct item *add_item(struct pressure *p, int32_t site)
{
    ALLOC_GROW(p->items, p->n, p->cap);
    struct item *it = &p->items[p->n++];
    memset(it, 0, sizeof *it);
    it->site = site;
    it->cycles = 1;
    return it;
}

static void add_bank_load(struct pressure *p, int32_t reg)
{
    struct item *it = add_item(p, -1);
    it->writes[it->nwrites++] = reg;
    it->wait = WAIT_BANK;
}

/* Values of a round that the next one does not need get names of their own in all rounds but the last. */
static int32_t name(const struct pressure *p, const struct ir_loop *loop, int32_t reg, int32_t round, int32_t rounds)
{
    if (!loop || round == rounds - 1 || p->l->only[reg] < 0 || !ir_bit(loop->blocks, p->k->insts[p->l->only[reg]].block) ||
        ir_bit(set_of(p, p->in, loop->header), reg))
        return reg;
    return reg + (rounds - 1 - round) * p->k->nregs;
}

static void add_site(struct pressure *p, int32_t site, const struct ir_loop *loop, int32_t round, int32_t rounds)
{
    const struct ir_inst *in = &p->k->insts[site];
    int32_t regs[LOWERED_READS];
    if (!is_made(p, site) || (ir_is(in, PTX_KIND_BRANCH) && p->s->converted[in->block] && in->guard != IR_NOREG))
        return;
    if (p->s->control[site] && round < rounds - 1)
        return;
    int n = lowered_reads(p->l, site, regs);
    struct item *it = add_item(p, site);
    it->round = round;
    for (int i = 0; i < n; i++)
        if (takes_register(p->l, regs[i]))
            it->reads[it->nreads++] = name(p, loop, regs[i], round, rounds);
    for (int d = 0; d < in->ndst && it->nwrites < LOWERED_WRITES; d++)
        if (in->dst[d] != IR_NOREG && p->l->place[in->dst[d]] == PLACE_REGISTER)
            it->writes[it->nwrites++] = name(p, loop, in->dst[d], round, rounds);
    if (in->guard != IR_NOREG || p->s->guard[in->block] != IR_NOREG) /* what was there before stays where the lane is off */
        for (int d = 0; d < it->nwrites && it->nreads < LOWERED_READS; d++)
            if (p->l->only[it->writes[d] % p->k->nregs] < 0)
                it->reads[it->nreads++] = it->writes[d];
    it->wait = wait_of(in);
    it->extra = extra_registers(p, site);
    it->cycles = code_executed(p->selected, site) < LONGEST ? code_executed(p->selected, site) : LONGEST;
}

static bool reads_predicate(const struct pressure *p, const struct ir_inst *in, int32_t reg)
{
    if (in->guard == reg || p->s->guard[in->block] == reg)
        return true;
    for (int s = 0; s < in->nsrc; s++)
        if (in->src[s].kind == IR_SRC_REG && in->src[s].reg == reg)
            return true;
    return false;
}

static bool may_touch(const struct ir_inst *load, const struct ir_inst *store)
{
    if (ir_is(load, PTX_KIND_LOAD) && load->mods->nc)
        return false;
    return load->space == store->space || load->space == PTX_GENERIC || store->space == PTX_GENERIC;
}

static bool must_follow(const struct pressure *p, const struct item *first, const struct item *second)
{
    const struct ir_inst *a = first->site >= 0 ? &p->k->insts[first->site] : NULL, *b = &p->k->insts[second->site];
    if (!a)
        return false;
    if (is_wall(a) || is_wall(b))
        return is_wall(a) ? is_load(b) || is_store(b) || is_wall(b) : is_load(a) || is_store(a);
    if (is_store(b) && (is_load(a) || is_store(a)) && may_touch(a, b))
        return true;
    if (is_store(a) && is_load(b) && may_touch(b, a))
        return true;
    return a->ndst && a->dst[0] != IR_NOREG && p->l->place[a->dst[0]] == PLACE_PREDICATE && first->round == second->round &&
           reads_predicate(p, b, a->dst[0]);
}

/* The first item that may be open while item i can be placed: those before it come before i anyway. */
static int32_t window_before(int32_t i)
{
    return i < WINDOW ? 0 : i - WINDOW + 1;
}

static void link_items(struct pressure *p)
{
    for (int32_t i = 0; i < p->n; i++) {
        struct item *it = &p->items[i];
        for (int r = 0; r < it->nreads; r++) {
            int32_t w = p->writer[it->reads[r]] - 1;
            if (w >= 0)
                link(p, w, i, p->items[w].wait + p->items[w].cycles - 1);
        }
        for (int w = 0; w < it->nwrites; w++) {
            if (p->l->only[it->writes[w] % p->k->nregs] < 0) /* readers and writers of the value before */
                for (int32_t j = window_before(i); j < i; j++) {
                    for (int r = 0; r < p->items[j].nreads; r++)
                        if (p->items[j].reads[r] == it->writes[w])
                            link(p, j, i, 0);
                    for (int r = 0; r < p->items[j].nwrites; r++)
                        if (p->items[j].writes[r] == it->writes[w])
                            link(p, j, i, 1);
                }
            p->writer[it->writes[w]] = i + 1;
        }
        if (it->site < 0)
            continue;
        bool last = cfg_ends_block(&p->k->insts[it->site]);
        for (int32_t j = window_before(i); j < i; j++)
            if (last || must_follow(p, &p->items[j], it))
                link(p, j, i, 1);
    }
    for (int32_t i = 0; i < p->n; i++)
        for (int w = 0; w < p->items[i].nwrites; w++)
            p->writer[p->items[i].writes[w]] = 0;
}

static void find_order(struct pressure *p)
{
    for (int32_t i = p->n - 1; i >= 0; i--) {
        struct item *it = &p->items[i];
        it->order = it->wait;
        for (int32_t a = 0; a < it->nafter; a++) {
            int32_t o = p->items[it->after[a]].order + it->delay[a];
            it->order = o > it->order ? o : it->order;
        }
    }
}

/* The loop of which the region is the whole body, with its rounds side by side; NULL: none. */
static const struct ir_loop *unrolled_loop(const struct pressure *p, int32_t head, int32_t *rounds)
{
    int32_t loop = p->k->blocks[head].loop;
    *rounds = 1;
    if (loop < 0 || p->s->rounds[loop] < 2 || p->k->loops[loop].header != head)
        return NULL;
    for (int32_t b = 0; b < p->k->nblocks; b++)
        if (ir_bit(p->k->loops[loop].blocks, b) && p->s->head[b] != head)
            return NULL;
    *rounds = p->s->rounds[loop] < ROUNDS ? p->s->rounds[loop] : ROUNDS;
    return &p->k->loops[loop];
}

static void build_items(struct pressure *p, int32_t head)
{
    int32_t rounds;
    const struct ir_loop *loop = unrolled_loop(p, head, &rounds);
    for (int32_t b = head; b >= 0; b = p->s->next[b])
        for (int32_t r = 0; r < p->k->nregs; r++)
            if (ir_bit(set_of(p, p->banked, b), r) && !p->writer[r]) {
                p->writer[r] = 1;
                add_bank_load(p, r);
            }
    for (int32_t i = 0; i < p->n; i++)
        p->writer[p->items[i].writes[0]] = 0;
    for (int32_t round = 0; round < rounds; round++)
        for (int32_t b = head; b >= 0; b = p->s->next[b])
            for (int32_t i = p->k->blocks[b].first; i < p->k->blocks[b].first + p->k->blocks[b].count; i++)
                add_site(p, i, loop, round, rounds);
    link_items(p);
    find_order(p);
}

static void drop_items(struct pressure *p)
{
    for (int32_t i = 0; i < p->n; i++) {
        alloc_release(p->items[i].after);
        alloc_release(p->items[i].delay);
    }
    p->n = 0;
}

/* --- the schedule --- */

static int slot_of(const struct pressure *p, int32_t value)
{
    return p->slot[value % p->k->nregs];
}

static bool stays(const struct pressure *p, int32_t value)
{
    return value < p->k->nregs && ir_bit(p->end, value);
}

static bool ends_here(const struct pressure *p, int32_t value)
{
    return p->uses[value] == 1 && !stays(p, value) && ir_bit(p->live, value);
}

/* Words more (or less) alive behind the item. */
static int growth(const struct pressure *p, const struct item *it)
{
    int words = 0;
    for (int r = 0; r < it->nreads; r++)
        words -= ends_here(p, it->reads[r]) ? slot_of(p, it->reads[r]) : 0;
    for (int w = 0; w < it->nwrites; w++)
        words += ir_bit(p->live, it->writes[w]) ? 0 : slot_of(p, it->writes[w]);
    return words;
}

/* Which of two items comes next. Within the limit: what can start now before what cannot, then what the most waits for.
 * Beyond it: what needs fewer registers, then the order of the PTX. */
static bool is_better(const struct item *a, int grow_a, const struct item *b, int grow_b, int room, int32_t cycle, int32_t length)
{
    if (grow_a > room || grow_b > room) {
        if ((grow_a > 0) != (grow_b > 0))
            return grow_a <= 0;
        return false; /* items are in the order of the PTX */
    }
    bool ready_a = a->earliest <= cycle && (grow_a <= 0 || length - a->order - cycle <= EARLY);
    bool ready_b = b->earliest <= cycle && (grow_b <= 0 || length - b->order - cycle <= EARLY);
    if (ready_a != ready_b)
        return ready_a;
    int32_t start_a = length - a->order - EARLY, start_b = length - b->order - EARLY;
    start_a = start_a < a->earliest || grow_a <= 0 ? a->earliest : start_a;
    start_b = start_b < b->earliest || grow_b <= 0 ? b->earliest : start_b;
    if (!ready_a && start_a != start_b)
        return start_a < start_b;
    return a->order > b->order;
}

static void start(struct pressure *p, int *now)
{
    for (int32_t i = 0; i < p->n; i++) {
        struct item *it = &p->items[i];
        it->placed = false;
        it->earliest = it->before = 0;
        for (int r = 0; r < it->nreads; r++)
            p->uses[it->reads[r]] = 0;
        for (int w = 0; w < it->nwrites; w++)
            p->uses[it->writes[w]] = 0;
    }
    for (int32_t i = 0; i < p->n; i++) {
        for (int32_t a = 0; a < p->items[i].nafter; a++)
            p->items[p->items[i].after[a]].before++;
        for (int r = 0; r < p->items[i].nreads; r++)
            p->uses[p->items[i].reads[r]]++;
    }
    *now = 0;
    for (int32_t r = 0; r < p->k->nregs; r++)
        *now += ir_bit(p->live, r) && takes_register(p->l, r) ? p->slot[r] : 0;
}

/* The words that are free again. */
static int drop(struct pressure *p, int32_t value)
{
    if (!ir_bit(p->live, value))
        return 0;
    clear(p->live, value);
    return slot_of(p, value);
}

/* Memory accesses and shuffles read their operands some time after they began: the assembler does not give those registers
 * away at once, as long as it has others. */
static bool reads_late(const struct pressure *p, const struct item *it)
{
    const struct ir_inst *in = it->site >= 0 ? &p->k->insts[it->site] : NULL;
    return in && (is_load(in) || is_store(in) || in->op == PTX_OP_SHFL);
}

/* The most words alive at once in an order that tries to keep below `limit`. in_order: the order of the PTX. */
static int schedule(struct pressure *p, int32_t head, int limit, enum order by)
{
    int now, most;
    int32_t cycle = 0, length = 0;
    for (int32_t i = 0; i < p->n; i++)
        length = p->items[i].order > length ? p->items[i].order : length;
    memset(p->late, 0, sizeof p->late);
    memset(p->live, 0, p->words * ROUNDS * 8);
    memcpy(p->live, set_of(p, p->in, head), p->words * 8);
    start(p, &now);
    most = now;
    for (int32_t done = 0, first = 0; done < p->n; done++) {
        int32_t best = -1;
        int best_growth = 0;
        while (p->items[first].placed)
            first++;
        for (int32_t i = first; i < p->n && i - first < WINDOW; i++) {
            struct item *it = &p->items[i];
            if (it->placed || it->before)
                continue;
            int g = growth(p, it);
            if (best < 0 || (by == FRUGAL ? g < best_growth
                                          : is_better(it, g, &p->items[best], best_growth, limit - now, cycle, length)))
                best = i, best_growth = g;
            if (by == PTX_ORDER)
                break;
        }
        struct item *it = &p->items[best];
        it->placed = true;
        cycle = it->earliest > cycle ? it->earliest : cycle;
        most = now + it->extra > most ? now + it->extra : most;
        int freed = 0, taken = 0;
        bool late = p->slot == p->apart && reads_late(p, it);
        for (int r = 0; r < it->nreads; r++)
            if (--p->uses[it->reads[r]] == 0 && !stays(p, it->reads[r]))
                freed += drop(p, it->reads[r]);
        for (int w = 0; w < it->nwrites; w++)
            if (!ir_bit(p->live, it->writes[w])) {
                ir_bit_set(p->live, it->writes[w]);
                taken += slot_of(p, it->writes[w]);
            }
        now += taken - (late && taken < freed ? taken : freed);
        late = late && freed > taken;
        now -= p->late[done % HOLD];
        p->late[done % HOLD] = late ? freed - taken : 0;
        most = now > most ? now : most;
        for (int w = 0; w < it->nwrites; w++)
            if (p->uses[it->writes[w]] == 0 && !stays(p, it->writes[w]))
                now -= drop(p, it->writes[w]);
        for (int32_t a = 0; a < it->nafter; a++) {
            struct item *o = &p->items[it->after[a]];
            int32_t at = cycle + it->delay[a];
            o->before--;
            o->earliest = at > o->earliest ? at : o->earliest;
        }
        cycle += it->cycles;
    }
    return most;
}

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

static int region_registers(struct pressure *p, int32_t head, int most)
{
    int32_t last = head;
    while (p->s->next[last] >= 0)
        last = p->s->next[last];
    p->end = set_of(p, p->out, last);
    p->slot = p->apart;
    int n = schedule(p, head, NO_LIMIT, LATENCY) + RESERVED;
    if (n <= steps[0] && n <= most)
        return n;
    p->slot = p->l->words;
    n = schedule(p, head, NO_LIMIT, LATENCY) + RESERVED;
    int tight = smaller(schedule(p, head, NO_LIMIT, PTX_ORDER), schedule(p, head, NO_LIMIT, FRUGAL)) + RESERVED;
    for (size_t s = 0; s < sizeof steps / sizeof *steps; s++) {
        if (n <= steps[s])
            return n > steps[0] ? n : steps[0];
        if (tight <= steps[s] || schedule(p, head, steps[s] - RESERVED, LATENCY) + RESERVED <= steps[s])
            return steps[s];
    }
    return smaller(n, tight);
}

int registers_estimate(const struct lowered *l, const struct shape *s, const struct code *selected, int most)
{
    const struct ir_kernel *k = l->k;
    struct pressure p = {.selected = selected, .l = l, .s = s, .k = k, .words = (size_t)k->nregs / 64 + 1};
    size_t sets = p.words * 8 * ((size_t)k->nblocks + 1), values = (size_t)k->nregs * ROUNDS + 1;
    int n = 0;
    p.in = alloc_zeroed(sets);
    p.out = alloc_zeroed(sets);
    p.banked = alloc_zeroed(sets);
    p.live = alloc_zeroed(p.words * 8 * ROUNDS);
    p.uses = alloc_zeroed(values * 4);
    p.writer = alloc_zeroed(values * 4);
    p.apart = alloc_zeroed((size_t)k->nregs + 1);
    for (int32_t r = 0; r < k->nregs; r++) {
        p.apart[r] = l->words[r];
        if (l->only[r] >= 0 && l->words[r] == 1 && is_load(&k->insts[l->only[r]]) && k->insts[l->only[r]].vec <= 1)
            p.apart[r] = 2;
    }
    find_live(&p);
    for (int32_t b = 0; b < k->nblocks; b++) {
        if (s->head[b] != b)
            continue;
        build_items(&p, b);
        int here = region_registers(&p, b, most);
        n = here > n ? here : n;
        drop_items(&p);
    }
    alloc_release(p.items);
    alloc_release(p.in);
    alloc_release(p.out);
    alloc_release(p.banked);
    alloc_release(p.live);
    alloc_release(p.uses);
    alloc_release(p.writer);
    alloc_release(p.apart);
    for (int32_t i = 0; i < k->ninsts; i++)
        if (k->insts[i].op == IR_OP_EXTERN && strncmp(k->insts[i].callee, "__nv_", 5) && n < CALLING)
            n = CALLING;
    n = n < LEAST ? LEAST : n;
    return smaller(n, most);
}
