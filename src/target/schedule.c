/* See schedule.h. Unit of scheduling: what a site becomes, in its order; what the assembler adds for others (constants, loads of
 * parameters) by itself. */
#include "target/schedule.h"

#include "base/alloc.h"
#include "ir/cfg.h"
#include "ir/facts.h"
#include "target/spacing.h"
#include "target/waits.h"

#include <string.h>

/* EARLY: how many cycles before it must an instruction begins that nothing waits for yet. HOLD: instructions behind an access for
 * which its operands' registers are not used again. WINDOW: instructions from the first that has not been placed on, among which
 * the next one is looked for, so that time grows with a block's size. Kernels of `tests/truth` need the same registers with it.
 * WORTH: where values go through local memory anyway, the order for latency is taken if it needs at most so many registers, per cent of the
 * tightest (lulesh of tests/truth/public with 24 to 64 registers, ptxas 13.0, 2026-11-29).
 * LESS: registers that an order may be made for less than the limit, as it may take some more than it is made for. FAR: cycles that what comes from memory takes,
 * where the order is for time. NARROW: the least window there.
 * PREDICATES: that there are; an instruction that makes one more waits for others.
 * RESERVED: the stack pointer R1, and two that the report is always above the highest register used (sm_90). */
enum { EARLY = 40, HOLD = 10, WINDOW = 256, RESERVED = 3, NO_LIMIT = 1 << 20, LONGEST = 40, WORTH = 120, PREDICATES = 7, LESS = 6, FAR = 300, NARROW = 8 };
enum order { LATENCY, PTX_ORDER, FRUGAL };

/* Registers of the functions behind a kernel; of the products that a quotient or root of doubles is made of. */
enum { EXTRA_CALL = 14, EXTRA_PAIRS = 10 };

struct item {
    int32_t inst, count;   /* instructions */
    const struct ir_inst *in; /* what they are made of; NULL: the assembler adds them */
    bool wall;             /* nothing goes past it */
    bool loads, stores, orders; /* `in` does: is_load, is_store, is_wall */
    bool copies;           /* it begins, closes or awaits asynchronous copies */
    bool last;             /* nothing comes behind it */
    int32_t read, nreads, write, nwrites; /* in `values` */
    int wait, cycles, extra;
    int32_t order;         /* cycles from its start to the end of the block */
    int32_t before;        /* items that must come before and have not been placed */
    int32_t earliest;      /* cycle */
    int32_t *after, *delay; /* items that must come behind, and how many cycles */
    int32_t nafter, cap;
    bool placed;
    bool known;            /* `grow` and `more` are: none of its values has changed since */
    int grow, more;        /* words and predicates more (or less) alive behind it */
};

enum { STEPS = 16 };

struct scheduling {
    int steps[STEPS], nsteps; /* registers a thread at which an SM loses warps: of Hopper 32, 40, 48, 56, 64, 72, 80, 96, 128, 168, 255 */
    const struct lowered *l;
    const struct ir_kernel *k;
    struct code *c;
    struct flow *f;
    struct item *items;
    int32_t n, cap;
    int32_t *values, nvalues, value_cap; /* what items read and write */
    int32_t *touched; /* [values] touches in the block */
    int32_t *uses;    /* [values] readers that have not been placed of what is in it now */
    int32_t *left;    /* [values] how often it is made anew by items that have not been placed */
    int32_t *first;   /* [values] readers of what is in it at the block's begin */
    int32_t *behind;  /* of a write: readers of what it makes; -1: it leaves what was there before, too */
    int32_t *made;    /* [values] the write that made it last, + 1 */
    int32_t *writer;  /* [values] last item that writes it, + 1 */
    int32_t *reader;  /* [values] last item that reads it since, + 1 */
    int32_t *reader_before; /* of a read: the one before of the same value, + 1 */
    int32_t *entry;   /* [values] its last place in `values`, + 1; 0: none */
    int32_t *same;    /* of a place in `values`: the one before of the same value, + 1 */
    int32_t *owner;   /* the same: the item that it belongs to */
    uint8_t *apart;   /* [values] words, with words loaded from elsewhere than shared memory in pairs of their own */
    const uint8_t *slot; /* [values] words that a value takes: `apart` or f->words */
    int npredicates;  /* alive */
    uint64_t *live;
    uint64_t *ready;  /* [items] to be placed, and wait for none */
    const uint64_t *end; /* alive at the block's end */
    int32_t window;   /* WINDOW, or fewer */
    bool far;         /* what comes from memory takes FAR */
    int late[HOLD];   /* words of values read for the last time, by item since */
    int32_t *order, *best; /* items, as they are placed */
};

static void clear(uint64_t *set, int32_t i)
{
    set[i >> 6] &= ~(UINT64_C(1) << (i & 63));
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

/* Cycles until the result of the instructions can be read: of the one that takes longest. */
static int wait_of(const struct code *c, int32_t inst, int32_t count)
{
    int most = 0;
    for (int32_t i = inst; i < inst + count; i++) {
        const struct machine_inst *in = &c->insts[i];
        const int cycles = in->taken != TAKEN_NEVER && in->op != OP_NONE && in->nresults ? arch_op_cycles(c->arch, (enum machine_op)in->op) : 0;
        most = cycles > most ? cycles : most;
    }
    return most;
}

/* Words that a value takes of the thread's registers. */
static int words_of(const struct flow *f, int32_t value)
{
    return f->file[value] == FILE_REGISTER ? f->words[value] : 0;
}

/* --- steps of occupancy --- */

/* Warps are given away in fours. */
static void find_steps(struct scheduling *p, int arch)
{
    for (int warps = arch_warps(arch); warps >= 4 && p->nsteps < STEPS; warps -= 4) {
        const int step = arch_registers_for(arch, warps);
        if (!p->nsteps || step > p->steps[p->nsteps - 1])
            p->steps[p->nsteps++] = step;
    }
}

static int step_of(const struct scheduling *p, int registers)
{
    int s = 0;
    while (s + 1 < p->nsteps && p->steps[s] < registers)
        s++;
    return p->steps[s];
}

/* --- a block's items --- */

/* It is not part of what its site becomes: a constant from the bank, what is the same for the warp, where lanes meet. */
static bool is_added(const struct machine_inst *in)
{
    bool bank = (in->op == OP_LDC || in->op == OP_ULDC) && !in->is_value;
    bool uniform = in->nresults && (in->result[0].file == FILE_UNIFORM || in->result[0].file == FILE_UNIFORM_PREDICATE);
    return in->site < 0 || in->early || bank || uniform || in->op == OP_BSYNC;
}

static void add_value(struct scheduling *p, int32_t value)
{
    ALLOC_GROW(p->values, p->nvalues, p->value_cap);
    p->values[p->nvalues++] = value;
}

static bool is_among(const struct scheduling *p, int32_t first, int32_t n, int32_t value)
{
    for (int32_t i = first; i < first + n; i++)
        if (p->values[i] == value)
            return true;
    return false;
}

/* The instructions make and read it between them, and nobody else. */
static bool is_inside(const struct scheduling *p, const struct item *it, int32_t value)
{
    int32_t n = 0;
    if (ir_bit(p->end, value))
        return false;
    for (int32_t t = p->f->first[it->inst]; t < p->f->first[it->inst + it->count]; t++)
        n += p->f->touches[t].value == value;
    return n == p->touched[value] && p->f->touches[p->f->first[it->inst]].value != value;
}

static void add_touches(struct scheduling *p, struct item *it)
{
    const struct flow *f = p->f;
    const int32_t begin = f->first[it->inst], end = f->first[it->inst + it->count];
    it->read = p->nvalues;
    for (int32_t t = begin; t < end; t++) {
        int32_t v = f->touches[t].value;
        bool made = false;
        for (int32_t before = begin; before < t && it->count > 1; before++)
            made |= f->touches[before].value == v && f->touches[before].writes;
        if (!f->touches[t].writes && !made && !is_among(p, it->read, it->nreads, v)) {
            add_value(p, v);
            it->nreads++;
        }
    }
    it->write = p->nvalues;
    for (int32_t t = begin; t < end; t++) {
        int32_t v = f->touches[t].value;
        if (f->touches[t].writes && !is_among(p, it->write, it->nwrites, v) && !(it->count > 1 && is_inside(p, it, v))) {
            add_value(p, v);
            it->nwrites++;
        }
    }
}

/* Registers that the instructions of a site use between them, beside its operands and results. */
static int extra_registers(const struct scheduling *p, const struct item *it)
{
    bool pairs = it->in && it->in->type == PTX_F64;
    for (int32_t i = it->inst; i < it->inst + it->count; i++)
        if (p->c->insts[i].op == OP_CALL && p->c->insts[i].taken == TAKEN_ALL)
            return EXTRA_CALL;
    return it->cycles < 4 ? 0 : it->cycles < 8 ? 2 : pairs ? EXTRA_PAIRS : 3;
}

/* The instructions of a site may stand apart, with others between them: nobody goes another way between them, and at most one accesses memory. */
static bool comes_apart(const struct scheduling *p, int32_t inst, int32_t count)
{
    const struct ir_inst *in = &p->k->insts[p->c->insts[inst].site];
    int accesses = 0;
    if (count == 1 || is_wall(in) || cfg_ends_block(in) || cfg_reads_time(in) || in->op == IR_OP_EXTERN)
        return false;
    for (int32_t i = inst; i < inst + count; i++) {
        const struct machine_inst *part = &p->c->insts[i];
        if (part->taken != TAKEN_ALL || part->way != WAY_ALL || part->op == OP_CALL)
            return false;
        accesses += waits_access(p->k, p->c->arch, part) != NULL;
    }
    return accesses <= 1;
}

/* apart: it is one of several instructions of its site, the others are other items. */
static void add_item(struct scheduling *p, int32_t inst, int32_t count, bool apart)
{
    ALLOC_GROW(p->items, p->n, p->cap);
    struct item *it = &p->items[p->n++];
    const struct machine_inst *first = &p->c->insts[inst];
    memset(it, 0, sizeof *it);
    it->inst = inst;
    it->count = count;
    it->in = is_added(first) || (apart && !waits_access(p->k, p->c->arch, first)) ? NULL : &p->k->insts[first->site];
    it->wall = first->op == OP_BSYNC || (it->in && cfg_reads_time(it->in)); /* NVIDIA H200, 2026-11-30: FFMA stay between two reads of the clock (tests/truth/caches/warm.cu) */
    it->loads = it->in && is_load(it->in);
    it->stores = it->in && is_store(it->in);
    it->orders = it->in && is_wall(it->in);
    it->copies = it->in && facts_syncs(it->in) & FACT_COPIES;
    it->last = it->in ? cfg_ends_block(it->in) : first->op == OP_BRA || first->op == OP_EXIT;
    it->wait = wait_of(p->c, inst, count);
    for (int32_t i = inst; i < inst + count; i++)
        it->cycles += p->c->insts[i].taken != TAKEN_NEVER && p->c->insts[i].op != OP_NONE;
    it->cycles = it->cycles < LONGEST ? it->cycles : LONGEST;
    add_touches(p, it);
    it->extra = it->in ? extra_registers(p, it) : 0;
    if (p->far && it->in && it->nwrites && (facts_result(it->in) & FACT_MEMORY) && it->in->space != PTX_SHARED && it->in->space != PTX_PARAM)
        it->wait = FAR;
    if (it->loads && it->in->space != PTX_SHARED && it->in->vec <= 1 && it->in->ndst && it->in->dst[0] != IR_NOREG &&
        p->l->only[it->in->dst[0]] >= 0)
        for (int32_t w = it->write; w < it->write + it->nwrites; w++)
            p->apart[p->values[w]] = words_of(p->f, p->values[w]) == 1 ? 2 : p->apart[p->values[w]];
}

static void link(struct scheduling *p, int32_t from, int32_t to, int delay)
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

static bool may_touch(const struct ir_inst *load, const struct ir_inst *store)
{
    if (ir_is(load, PTX_KIND_LOAD) && load->mods->nc)
        return false;
    return load->space == store->space || load->space == PTX_GENERIC || store->space == PTX_GENERIC;
}

/* The same base, and other bytes. */
static bool are_apart(const struct scheduling *p, const struct item *a, const struct item *b)
{
    const struct machine_inst *x = &p->c->insts[a->inst], *y = &p->c->insts[b->inst];
    if (a->count != 1 || b->count != 1 || !x->nsources || !y->nsources || a->in->space != b->in->space)
        return false;
    if (ir_is(a->in, PTX_KIND_ATOMIC) || ir_is(b->in, PTX_KIND_ATOMIC) || ir_is(a->in, PTX_KIND_REDUCE) || ir_is(b->in, PTX_KIND_REDUCE))
        return false;
    const struct operand *base = &x->source[0], *other = &y->source[0];
    if (base->file != FILE_REGISTER || other->file != FILE_REGISTER || base->number != other->number)
        return false;
    const int32_t bytes = ptx_type_info[a->in->type].bits / 8 * (a->in->vec ? a->in->vec : 1);
    const int32_t others = ptx_type_info[b->in->type].bits / 8 * (b->in->vec ? b->in->vec : 1);
    return x->offset + bytes <= y->offset || y->offset + others <= x->offset;
}

static bool must_follow(const struct scheduling *p, const struct item *a, const struct item *b)
{
    if (a->wall || b->wall || b->last || a->last)
        return true;
    if (!a->in || !b->in)
        return false;
    if (a->copies && b->copies)
        return true;
    if (a->orders || b->orders)
        return a->orders ? b->loads || b->stores || b->orders : a->loads || a->stores;
    if (b->stores && (a->loads || a->stores) && may_touch(a->in, b->in))
        return true;
    return a->stores && b->loads && may_touch(b->in, a->in) && !are_apart(p, a, b);
}

/* The first item that may be open while item i can be placed: those before it come before i anyway. */
static int32_t window_before(int32_t i)
{
    return i < WINDOW ? 0 : i - WINDOW + 1;
}

/* A value is made anew in a block, as a loop does with its own: nobody needs what was there between its last reader and that. */
static bool makes_anew(const struct scheduling *p, const struct item *it, int32_t value)
{
    for (int32_t t = p->f->first[it->inst]; t < p->f->first[it->inst + it->count]; t++)
        if (p->f->touches[t].value == value && p->f->touches[t].begins)
            return true;
    return false;
}

static void count_readers(struct scheduling *p)
{
    for (int32_t i = 0; i < p->nvalues; i++)
        p->first[p->values[i]] = p->made[p->values[i]] = 0;
    for (int32_t i = 0; i < p->n; i++) {
        const struct item *it = &p->items[i];
        for (int32_t r = it->read; r < it->read + it->nreads; r++) {
            const int32_t v = p->values[r];
            ++*(p->made[v] ? &p->behind[p->made[v] - 1] : &p->first[v]);
        }
        for (int32_t w = it->write; w < it->write + it->nwrites; w++) {
            p->behind[w] = makes_anew(p, it, p->values[w]) ? 0 : -1;
            p->made[p->values[w]] = p->behind[w] ? p->made[p->values[w]] : w + 1;
        }
    }
}

/* Cycles from the begin of an item to one that reads its value. How many registers an order needs, the assembler seems to look at without what guards
 * wait for: with it 158 kernels of sm_90 are 1.88 registers off instead of 1.84. */
static int delay_of(const struct scheduling *p, const struct item *from, const struct item *to, int32_t value)
{
    const struct machine_inst *makes = &p->c->insts[from->inst + from->count - 1], *reads = &p->c->insts[to->inst];
    const bool guards = p->far && from->count == 1 && spacing_guards(p->f, reads, value);
    return (guards ? spacing_result(p->c->arch, (enum machine_op)makes->op, from->wait, (enum machine_op)reads->op, true) : from->wait) + from->cycles - 1;
}

static void link_items(struct scheduling *p)
{
    for (int32_t i = 0; i < p->n; i++) {
        struct item *it = &p->items[i];
        for (int32_t r = it->read; r < it->read + it->nreads; r++) {
            int32_t v = p->values[r], w = p->writer[v] - 1;
            if (w >= 0)
                link(p, w, i, delay_of(p, &p->items[w], it, v));
            p->reader_before[r] = p->reader[v];
            p->reader[v] = r + 1;
        }
        for (int32_t w = it->write; w < it->write + it->nwrites; w++) {
            int32_t v = p->values[w];
            for (int32_t r = p->reader[v] - 1, at = i; r >= 0; r = p->reader_before[r] - 1) {
                while (p->items[at].read > r)
                    at--;
                link(p, at, i, 0);
            }
            if (p->writer[v])
                link(p, p->writer[v] - 1, i, 1);
            p->writer[v] = i + 1;
            p->reader[v] = 0;
        }
        for (int32_t j = window_before(i); j < i; j++)
            if (must_follow(p, &p->items[j], it))
                link(p, j, i, 1);
    }
    for (int32_t i = 0; i < p->nvalues; i++)
        p->writer[p->values[i]] = p->reader[p->values[i]] = 0;
}

/* Which items have a value. */
static void link_values(struct scheduling *p)
{
    for (int32_t i = 0; i < p->nvalues; i++)
        p->entry[p->values[i]] = 0;
    for (int32_t i = 0; i < p->n; i++)
        for (int32_t e = p->items[i].read; e < p->items[i].write + p->items[i].nwrites; e++) { /* what it writes is behind what it reads */
            p->owner[e] = i;
            p->same[e] = p->entry[p->values[e]];
            p->entry[p->values[e]] = e + 1;
        }
}

static bool is_stack(const struct scheduling *p, const struct item *it)
{
    const struct machine_inst *in = &p->c->insts[it->inst];
    return p->c->stack >= 0 && in->nresults && in->result[0].file == FILE_REGISTER && in->result[0].number == p->c->stack;
}

static void find_order(struct scheduling *p)
{
    for (int32_t i = p->n - 1; i >= 0; i--) {
        struct item *it = &p->items[i];
        it->order = is_stack(p, it) ? NO_LIMIT : it->wait; /* the stack pointer comes first */
        for (int32_t a = 0; a < it->nafter; a++) {
            int32_t o = p->items[it->after[a]].order + it->delay[a];
            it->order = o > it->order ? o : it->order;
        }
    }
}

static void build_items(struct scheduling *p, const struct machine_block *bl)
{
    const struct flow *f = p->f;
    p->n = p->nvalues = 0;
    for (int32_t t = f->first[bl->first]; t < f->first[bl->first + bl->count]; t++) {
        int32_t v = f->touches[t].value;
        p->touched[v] = 0;
        p->apart[v] = f->words[v];
    }
    for (int32_t t = f->first[bl->first]; t < f->first[bl->first + bl->count]; t++)
        p->touched[f->touches[t].value]++;
    for (int32_t i = bl->first, n; i < bl->first + bl->count; i += n) {
        const struct machine_inst *in = &p->c->insts[i];
        for (n = 1; !is_added(in) && i + n < bl->first + bl->count && in[n].site == in->site && !is_added(&in[n]);)
            n++;
        const bool apart = p->far && !is_added(in) && comes_apart(p, i, n);
        for (int32_t part = 0; part < (apart ? n : 1); part++)
            add_item(p, i + part, apart ? 1 : n, apart);
    }
    p->reader_before = alloc_resize(p->reader_before, ((size_t)p->nvalues + 1) * sizeof *p->reader_before);
    p->behind = alloc_resize(p->behind, ((size_t)p->nvalues + 1) * sizeof *p->behind);
    p->same = alloc_resize(p->same, ((size_t)p->nvalues + 1) * sizeof *p->same);
    p->owner = alloc_resize(p->owner, ((size_t)p->nvalues + 1) * sizeof *p->owner);
    link_values(p);
    link_items(p);
    count_readers(p);
    find_order(p);
}

static void drop_items(struct scheduling *p)
{
    for (int32_t i = 0; i < p->n; i++) {
        alloc_release(p->items[i].after);
        alloc_release(p->items[i].delay);
    }
    p->n = 0;
}

/* --- the schedule --- */

static int slot_of(const struct scheduling *p, int32_t value)
{
    return p->f->file[value] == FILE_REGISTER ? p->slot[value] : 0;
}

static bool stays(const struct scheduling *p, int32_t value)
{
    return ir_bit(p->end, value) && !p->left[value];
}

static bool ends_here(const struct scheduling *p, int32_t value)
{
    return p->uses[value] == 1 && !stays(p, value) && ir_bit(p->live, value);
}

/* The item makes a value that is not there before it, or what it reads is there for the last time. */
static bool begins_here(const struct scheduling *p, const struct item *it, int32_t value)
{
    return !ir_bit(p->live, value) || (ends_here(p, value) && is_among(p, it->read, it->nreads, value));
}

/* Words more (or less) alive behind the item. */
static int growth(const struct scheduling *p, const struct item *it)
{
    int words = 0;
    for (int32_t r = it->read; r < it->read + it->nreads; r++)
        words -= ends_here(p, p->values[r]) ? slot_of(p, p->values[r]) : 0;
    for (int32_t w = it->write; w < it->write + it->nwrites; w++)
        words += begins_here(p, it, p->values[w]) ? slot_of(p, p->values[w]) : 0;
    return words;
}

/* Predicates more (or less) alive behind the item. */
static int predicates(const struct scheduling *p, const struct item *it)
{
    int n = 0;
    for (int32_t r = it->read; r < it->read + it->nreads; r++)
        n -= p->f->file[p->values[r]] == FILE_PREDICATE && ends_here(p, p->values[r]);
    for (int32_t w = it->write; w < it->write + it->nwrites; w++)
        n += p->f->file[p->values[w]] == FILE_PREDICATE && begins_here(p, it, p->values[w]);
    return n;
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
    if (a->order >= NO_LIMIT || b->order >= NO_LIMIT)
        return a->order > b->order;
    if (ready_a != ready_b)
        return ready_a;
    int32_t start_a = length - a->order - EARLY, start_b = length - b->order - EARLY;
    start_a = start_a < a->earliest || grow_a <= 0 ? a->earliest : start_a;
    start_b = start_b < b->earliest || grow_b <= 0 ? b->earliest : start_b;
    if (!ready_a && start_a != start_b)
        return start_a < start_b;
    return a->order > b->order;
}

static void start(struct scheduling *p, int32_t block, int *now)
{
    memset(p->late, 0, sizeof p->late);
    memcpy(p->live, flow_in(p->f, block), p->f->set * 8);
    for (int32_t i = 0; i < p->nvalues; i++)
        p->uses[p->values[i]] = p->first[p->values[i]], p->left[p->values[i]] = 0;
    for (int32_t i = 0; i < p->n; i++) {
        struct item *it = &p->items[i];
        it->placed = it->known = false;
        it->earliest = it->before = 0;
    }
    for (int32_t i = 0; i < p->n; i++) {
        const struct item *it = &p->items[i];
        for (int32_t a = 0; a < it->nafter; a++)
            p->items[it->after[a]].before++;
        for (int32_t w = it->write; w < it->write + it->nwrites; w++)
            p->left[p->values[w]] += p->behind[w] >= 0;
    }
    memset(p->ready, 0, ((size_t)p->n / 64 + 1) * sizeof *p->ready);
    for (int32_t i = 0; i < p->n; i++)
        if (!p->items[i].before)
            ir_bit_set(p->ready, i);
    *now = p->npredicates = 0;
    for (size_t w = 0; w < p->f->set; w++)
        for (uint64_t bits = p->live[w]; bits; bits &= bits - 1) {
            int32_t v = (int32_t)(64 * w) + __builtin_ctzll(bits);
            *now += words_of(p->f, v);
            p->npredicates += p->f->file[v] == FILE_PREDICATE;
        }
}

/* The words that are free again. */
static int drop(struct scheduling *p, int32_t value)
{
    if (!ir_bit(p->live, value))
        return 0;
    clear(p->live, value);
    return slot_of(p, value);
}

/* Memory accesses and shuffles read their operands some time after they began: the assembler does not give those registers
 * away at once, as long as it has others. */
static bool reads_late(const struct item *it)
{
    return it->loads || it->stores || (it->in && it->in->op == PTX_OP_SHFL);
}

static void weigh(const struct scheduling *p, struct item *it)
{
    if (it->known)
        return;
    it->grow = growth(p, it);
    it->more = predicates(p, it);
    it->known = true;
}

/* The value is alive now or no more, or has one reader left: its items add something else. */
static void has_changed(struct scheduling *p, int32_t value)
{
    for (int32_t e = p->entry[value] - 1; e >= 0; e = p->same[e] - 1)
        p->items[p->owner[e]].known = false;
}

/* The first item from `i` on that is to be placed and waits for none; `end` if there is none before that. */
static int32_t next_ready(const struct scheduling *p, int32_t i, int32_t end)
{
    for (; i < end; i = (i | 63) + 1) {
        const uint64_t bits = p->ready[i / 64] >> (i % 64);
        if (bits) {
            i += __builtin_ctzll(bits);
            return i < end ? i : end;
        }
    }
    return end;
}

static int32_t next_item(const struct scheduling *p, int32_t first, int room, int32_t cycle, int32_t length, enum order by)
{
    int32_t best = -1;
    int best_growth = 0;
    bool best_full = false;
    const int32_t end = p->n - first < p->window ? p->n : first + p->window;
    for (int32_t i = next_ready(p, first, end); i < end; i = next_ready(p, i + 1, end)) {
        struct item *it = &p->items[i];
        weigh(p, it);
        const int g = it->grow;
        const bool full = it->more > 0 && p->npredicates + it->more > PREDICATES;
        bool better = best < 0 || (by == FRUGAL ? g < best_growth : is_better(it, g, &p->items[best], best_growth, room, cycle, length));
        if (best >= 0 && full != best_full)
            better = best_full;
        if (better)
            best = i, best_growth = g, best_full = full;
        if (by == PTX_ORDER)
            break;
    }
    return best;
}

/* The most words alive at once in an order that tries to keep below `limit`; the order is in p->order. */
static int place(struct scheduling *p, int32_t block, int limit, enum order by)
{
    int now, most;
    int32_t cycle = 0, length = 0;
    for (int32_t i = 0; i < p->n; i++)
        length = p->items[i].order > length && p->items[i].order < NO_LIMIT ? p->items[i].order : length;
    start(p, block, &now);
    most = now;
    for (int32_t done = 0, first = 0; done < p->n; done++) {
        while (p->items[first].placed)
            first++;
        const int32_t best = next_item(p, first, limit - now, cycle, length, by);
        struct item *it = &p->items[best];
        p->order[done] = best;
        p->npredicates += it->more;
        it->placed = true;
        clear(p->ready, best);
        cycle = it->earliest > cycle ? it->earliest : cycle;
        most = now + it->extra > most ? now + it->extra : most;
        int freed = 0, taken = 0;
        bool late = p->slot == p->apart && reads_late(it);
        for (int32_t r = it->read; r < it->read + it->nreads; r++) {
            if (--p->uses[p->values[r]] == 0 && !stays(p, p->values[r]))
                freed += drop(p, p->values[r]);
            if (p->uses[p->values[r]] <= 1)
                has_changed(p, p->values[r]);
        }
        for (int32_t w = it->write; w < it->write + it->nwrites; w++) {
            if (p->behind[w] >= 0) {
                p->uses[p->values[w]] = p->behind[w];
                p->left[p->values[w]]--;
            }
            if (!ir_bit(p->live, p->values[w])) {
                ir_bit_set(p->live, p->values[w]);
                taken += slot_of(p, p->values[w]);
            }
        }
        now += taken - (late && taken < freed ? taken : freed);
        late = late && freed > taken;
        now -= p->late[done % HOLD];
        p->late[done % HOLD] = late ? freed - taken : 0;
        most = now > most ? now : most;
        for (int32_t w = it->write; w < it->write + it->nwrites; w++) {
            if (p->uses[p->values[w]] == 0 && !stays(p, p->values[w])) {
                p->npredicates -= p->f->file[p->values[w]] == FILE_PREDICATE && ir_bit(p->live, p->values[w]);
                now -= drop(p, p->values[w]);
            }
            has_changed(p, p->values[w]);
        }
        for (int32_t a = 0; a < it->nafter; a++) {
            struct item *o = &p->items[it->after[a]];
            int32_t at = cycle + it->delay[a];
            if (!--o->before)
                ir_bit_set(p->ready, it->after[a]);
            o->earliest = at > o->earliest ? at : o->earliest;
        }
        cycle += it->cycles;
    }
    return most + RESERVED;
}

static void keep(struct scheduling *p)
{
    int32_t *other = p->best;
    p->best = p->order;
    p->order = other;
}

/* The best order of the block's items is in p->best; how many registers it is made for. As long as an SM is full of warps, what waits long
 * begins early; then as far as the next step allows that; else the order takes as few registers as it can, unless that wins no step, or even those are too many. */
static int find_best(struct scheduling *p, int32_t block, int most, int fewer)
{
    const int plenty = (p->steps[0] < most ? p->steps[0] : most) - fewer;
    p->slot = p->apart;
    int n = place(p, block, NO_LIMIT, LATENCY);
    keep(p);
    if (n <= plenty)
        return n;
    p->slot = p->f->words;
    n = place(p, block, NO_LIMIT, LATENCY);
    keep(p);
    if (n <= plenty)
        return n;
    const int ptx = place(p, block, NO_LIMIT, PTX_ORDER), frugal = place(p, block, NO_LIMIT, FRUGAL), tight = ptx <= frugal ? ptx : frugal;
    for (int s = 0; s < p->nsteps && p->steps[s] < n && (!s || p->steps[s - 1] < tight); s++) {
        const int step = p->steps[s] < most ? p->steps[s] : most;
        for (int less = 0; less <= LESS; less += 2)
            if (place(p, block, step - fewer - RESERVED - less, LATENCY) <= step - fewer) {
                keep(p);
                return step;
            }
    }
    if (tight > most && 100 * n <= WORTH * tight)
        return n;
    if (n <= tight || step_of(p, n + fewer) == step_of(p, tight + fewer))
        return n;
    place(p, block, NO_LIMIT, ptx <= frugal ? PTX_ORDER : FRUGAL);
    keep(p);
    return tight > plenty ? tight : plenty + fewer;
}

/* Cycles from the block's begin to the issue of its last instruction, in the order of p->order: each waits for its operands. */
static int32_t cycles_of(struct scheduling *p)
{
    int32_t cycle = 0;
    for (int32_t i = 0; i < p->n; i++)
        p->items[i].earliest = 0;
    for (int32_t o = 0; o < p->n; o++) {
        const struct item *it = &p->items[p->order[o]];
        cycle = it->earliest > cycle ? it->earliest : cycle;
        for (int32_t a = 0; a < it->nafter; a++) {
            struct item *other = &p->items[it->after[a]];
            other->earliest = cycle + it->delay[a] > other->earliest ? cycle + it->delay[a] : other->earliest;
        }
        cycle += it->cycles;
    }
    return cycle;
}

/* Of orders for so many registers the one in which a warp waits least is in p->best. Where the registers are few, what is looked at
 * together must be little, or they are full of what the first of many chains bring. */
static int32_t find_fastest(struct scheduling *p, int32_t block, int registers)
{
    int32_t least;
    p->slot = p->f->words;
    place(p, block, NO_LIMIT, PTX_ORDER); /* as it is */
    least = cycles_of(p);
    keep(p);
    for (p->window = WINDOW; p->window >= NARROW; p->window /= 2)
        for (int less = 0; less <= LESS; less += 2) {
            if (place(p, block, registers - RESERVED - less, LATENCY) > registers)
                continue;
            const int32_t cycles = cycles_of(p);
            if (cycles < least)
                keep(p), least = cycles;
        }
    return least;
}

/* Instructions and their touches in the order of the items. */
static void reorder(struct scheduling *p, const struct machine_block *bl)
{
    struct flow *f = p->f;
    const int32_t begin = f->first[bl->first], n = f->first[bl->first + bl->count] - begin;
    struct machine_inst *insts = alloc_zeroed(((size_t)bl->count + 1) * sizeof *insts);
    struct touch *touches = alloc_zeroed(((size_t)n + 1) * sizeof *touches);
    int32_t *first = alloc_zeroed(((size_t)bl->count + 1) * sizeof *first), done = 0, at = 0;
    for (int32_t o = 0; o < p->n; o++) {
        const struct item *it = &p->items[p->best[o]];
        for (int32_t i = it->inst; i < it->inst + it->count; i++) {
            insts[done] = p->c->insts[i];
            first[done++] = begin + at;
            for (int32_t t = f->first[i]; t < f->first[i + 1]; t++)
                touches[at++] = f->touches[t];
        }
    }
    memcpy(&p->c->insts[bl->first], insts, (size_t)bl->count * sizeof *insts);
    memcpy(&f->touches[begin], touches, (size_t)n * sizeof *touches);
    memcpy(&f->first[bl->first], first, (size_t)bl->count * sizeof *first);
    alloc_release(insts);
    alloc_release(touches);
    alloc_release(first);
}

/* Arrays for the longest block. */
static struct scheduling begin(const struct lowered *l, struct code *c, struct flow *f)
{
    struct scheduling p = {.l = l, .k = l->k, .c = c, .f = f, .window = WINDOW};
    const size_t values = (size_t)f->nvalues + 1;
    int32_t longest = 0;
    for (int32_t b = 0; b < c->nblocks; b++)
        longest = c->blocks[b].count > longest ? c->blocks[b].count : longest;
    find_steps(&p, c->arch);
    p.touched = alloc_zeroed(values * sizeof *p.touched);
    p.uses = alloc_zeroed(values * sizeof *p.uses);
    p.left = alloc_zeroed(values * sizeof *p.left);
    p.first = alloc_zeroed(values * sizeof *p.first);
    p.made = alloc_zeroed(values * sizeof *p.made);
    p.writer = alloc_zeroed(values * sizeof *p.writer);
    p.reader = alloc_zeroed(values * sizeof *p.reader);
    p.entry = alloc_zeroed(values * sizeof *p.entry);
    p.apart = alloc_zeroed(values);
    p.live = alloc_zeroed(f->set * 8);
    p.ready = alloc_zeroed(((size_t)longest / 64 + 1) * sizeof *p.ready);
    p.order = alloc_zeroed(((size_t)longest + 1) * sizeof *p.order);
    p.best = alloc_zeroed(((size_t)longest + 1) * sizeof *p.best);
    return p;
}

static void end(struct scheduling *p)
{
    alloc_release(p->items);
    alloc_release(p->values);
    alloc_release(p->touched);
    alloc_release(p->uses);
    alloc_release(p->left);
    alloc_release(p->first);
    alloc_release(p->behind);
    alloc_release(p->made);
    alloc_release(p->writer);
    alloc_release(p->reader);
    alloc_release(p->reader_before);
    alloc_release(p->entry);
    alloc_release(p->same);
    alloc_release(p->owner);
    alloc_release(p->apart);
    alloc_release(p->live);
    alloc_release(p->ready);
    alloc_release(p->order);
    alloc_release(p->best);
}

/* The block's items are to be ordered; false: it has none. */
static bool take_block(struct scheduling *p, int32_t block)
{
    if (!flow_is_of_kernel(&p->c->blocks[block]) || !p->c->blocks[block].count)
        return false;
    p->end = flow_out(p->f, block);
    build_items(p, &p->c->blocks[block]);
    return true;
}

static void end_block(struct scheduling *p, int32_t block)
{
    reorder(p, &p->c->blocks[block]);
    drop_items(p);
}

int schedule(const struct lowered *l, struct code *c, struct flow *f, int most, int fewer)
{
    struct scheduling p = begin(l, c, f);
    int n = 0;
    for (int32_t b = 0; b < c->nblocks; b++) {
        if (!take_block(&p, b))
            continue;
        const int here = find_best(&p, b, most, fewer);
        n = here > n ? here : n;
        end_block(&p, b);
    }
    end(&p);
    return n;
}

int64_t schedule_for_time(const struct lowered *l, struct code *c, struct flow *f, int registers)
{
    struct scheduling p = begin(l, c, f);
    int64_t cycles = 0;
    p.far = true;
    for (int32_t b = 0; b < c->nblocks; b++) {
        if (!take_block(&p, b))
            continue;
        cycles += find_fastest(&p, b, registers);
        end_block(&p, b);
    }
    end(&p);
    return cycles;
}
