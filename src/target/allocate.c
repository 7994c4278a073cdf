/* See allocate.h. A place in the code is twice the number of an instruction, plus one for what it writes: a result may be where an operand
 * was that is read for the last time. Each physical register has the set of places at which it is taken. */
#include "target/allocate.h"

#include "base/alloc.h"
#include "ir/facts.h"
#include "target/banks.h"

#include <stdlib.h>
#include <string.h>

/* ABOVE: what ptxas reports above the number of registers used (sm_90). */
enum { ABOVE = 2 };

/* Which values come first: vectors, then pairs, then words; or who begins first. */
enum order { WIDE_FIRST, FIRST_FIRST, ORDERS };

/* --- when values are alive --- */

static void add_segment(struct places *a, int32_t value, int32_t from, int32_t to)
{
    ALLOC_GROW(a->segments, a->n, a->cap);
    a->segments[a->n] = (struct segment){.from = from, .to = to, .next = a->first[value]};
    a->first[value] = a->n++;
}

static void find_segments(struct places *a)
{
    const struct code *c = a->c;
    const struct flow *f = a->f;
    int32_t *end = alloc_zeroed((size_t)f->nvalues * sizeof *end); /* where the open segment ends */
    memset(a->first, -1, (size_t)f->nvalues * sizeof *a->first);
    for (int32_t b = c->nblocks - 1; b >= 0; b--) {
        const struct machine_block *bl = &c->blocks[b];
        if (!flow_is_of_kernel(bl))
            continue;
        const uint64_t *out = flow_out(f, b), *in = flow_in(f, b);
        for (size_t w = 0; w < f->set; w++)
            for (uint64_t bits = out[w]; bits; bits &= bits - 1)
                end[64 * w + (size_t)__builtin_ctzll(bits)] = 2 * (bl->first + bl->count);
        for (int32_t i = bl->first + bl->count - 1; i >= bl->first; i--)
            for (int32_t t = f->first[i + 1] - 1; t >= f->first[i]; t--) {
                int32_t v = f->touches[t].value;
                if (!f->touches[t].writes) {
                    end[v] = end[v] ? end[v] : 2 * i + 1;
                } else if (f->touches[t].begins) {
                    add_segment(a, v, 2 * i + 1, end[v] ? end[v] : 2 * i + 2);
                    end[v] = 0;
                } else if (!end[v]) {
                    end[v] = 2 * i + 2;
                }
            }
        for (int32_t t = f->first[bl->first]; t < f->first[bl->first + bl->count]; t++) {
            int32_t v = f->touches[t].value;
            if (end[v])
                add_segment(a, v, 2 * bl->first, end[v]);
            end[v] = 0;
        }
        for (size_t w = 0; w < f->set; w++)
            for (uint64_t bits = in[w] | out[w]; bits; bits &= bits - 1) {
                size_t v = 64 * w + (size_t)__builtin_ctzll(bits);
                if (end[v])
                    add_segment(a, (int32_t)v, 2 * bl->first, end[v]);
                end[v] = 0;
            }
    }
    alloc_release(end);
}

/* Values that one place of the program makes: an instruction, or for each of its words one of a site. */
static void find_once(struct places *a)
{
    const struct flow *f = a->f;
    const struct machine_inst **maker = alloc_zeroed(((size_t)f->nvalues + 1) * sizeof *maker);
    memset(a->once, true, (size_t)f->nvalues * sizeof *a->once);
    for (int32_t i = 0; i < a->c->ninsts; i++)
        for (int32_t t = f->first[i]; t < f->first[i + 1]; t++) {
            const int32_t v = f->touches[t].value;
            if (!f->touches[t].writes)
                continue;
            if (maker[v])
                a->once[v] &= !f->touches[t].begins && flow_is_of_site(maker[v], &a->c->insts[i]);
            maker[v] = &a->c->insts[i];
        }
    alloc_release(maker);
}

/* A copy wants to be where the other one is. */
static void hint(struct places *a, int32_t value, int32_t other, int word)
{
    if (value >= a->f->nvalues || other >= a->f->nvalues || a->hint[value] >= 0)
        return;
    a->hint[value] = other;
    a->hint_word[value] = (int8_t)word;
}

/* The elements of a vector, if the access has them all: a load writes them, a store reads them behind its address. */
static void find_vector(struct places *a, int32_t inst, const struct ir_inst *in)
{
    const struct flow *f = a->f;
    int32_t values[PLACES_VECTOR] = {-1, -1, -1, -1}, n = 0;
    const bool load = ir_is(in, PTX_KIND_LOAD);
    for (int32_t t = f->first[inst]; t < f->first[inst + 1] && n < in->vec; t++)
        if (f->touches[t].writes == load && f->file[f->touches[t].value] == FILE_REGISTER && (load || t > f->first[inst]))
            values[n++] = f->touches[t].value;
    for (int32_t e = 0; n == in->vec && e < n; e++)
        if (a->group[values[e]][0] < 0)
            memcpy(a->group[values[e]], values, sizeof values);
}

static void find_wishes(struct places *a, int32_t i)
{
    const struct machine_inst *in = &a->c->insts[i];
    const struct operand *to = &in->result[0], *from = &in->source[0];
    if (in->op == OP_NONE && in->nsources == 1 && to->file == from->file && (to->file == FILE_REGISTER || to->file == FILE_PREDICATE)) {
        hint(a, to->number, from->number, from->word - to->word);
        hint(a, from->number, to->number, to->word - from->word);
    }
    const struct ir_inst *site = in->site >= 0 && !in->early && in->op != OP_NONE ? &a->k->insts[in->site] : NULL;
    if (site && ir_is_memory(site) && site->vec >= 2 && site->vec <= PLACES_VECTOR)
        find_vector(a, i, site);
}

/* --- registers --- */

static bool is_free(const struct places *a, int32_t reg, int32_t from, int32_t to)
{
    const uint64_t *set = a->taken[reg];
    for (int32_t at = from; at < to;) {
        int32_t bit = at & 63, n = to - at < 64 - bit ? to - at : 64 - bit;
        uint64_t mask = (n == 64 ? ~UINT64_C(0) : (UINT64_C(1) << n) - 1) << bit;
        if (set[at >> 6] & mask)
            return false;
        at += n;
    }
    return true;
}

static void take(struct places *a, int32_t reg, int32_t from, int32_t to)
{
    for (int32_t at = from; at < to;) {
        int32_t bit = at & 63, n = to - at < 64 - bit ? to - at : 64 - bit;
        uint64_t mask = (n == 64 ? ~UINT64_C(0) : (UINT64_C(1) << n) - 1) << bit;
        a->taken[reg][at >> 6] |= mask;
        at += n;
    }
}

static bool is_register(const struct places *a, int32_t value)
{
    return a->f->file[value] == FILE_REGISTER;
}

static bool fits(const struct places *a, int32_t value, int32_t reg)
{
    if (value == a->c->stack)
        return reg == PLACES_STACK;
    if (is_register(a, value) && (reg == PLACES_STACK || (reg < PLACES_STACK && reg + a->f->words[value] > PLACES_STACK)))
        return false;
    if (reg < 0 || reg + a->f->words[value] > PLACES_MOST)
        return false;
    for (int32_t s = a->first[value]; s >= 0; s = a->segments[s].next)
        for (int32_t w = 0; w < a->f->words[value]; w++)
            if (!is_free(a, reg + w, a->segments[s].from, a->segments[s].to))
                return false;
    return true;
}

/* The two are alive beside each other in the value's segment `s` only where both are the same. */
static bool is_free_beside(const struct places *a, int32_t reg, const struct segment *s, int32_t other)
{
    int32_t at = s->from;
    while (at < s->to) {
        int32_t next = s->to, skip = -1;
        for (int32_t o = a->first[other]; o >= 0; o = a->segments[o].next) {
            const struct segment *there = &a->segments[o];
            if (there->from <= at && at < there->to)
                skip = there->to > skip ? there->to : skip;
            else if (there->from > at && there->from < next)
                next = there->from;
        }
        if (skip >= 0) {
            at = skip;
            continue;
        }
        if (!is_free(a, reg, at, next))
            return false;
        at = next;
    }
    return true;
}

/* The value fits into the place of the other one, of which it is a copy or which is one of it: made once each, they are the same as long as both
 * are alive. */
static bool fits_beside(const struct places *a, int32_t value, int32_t reg, int32_t other)
{
    if (!a->once[value] || !a->once[other] || !is_register(a, value) || !is_register(a, other) || value == a->c->stack || other == a->c->stack || reg < 0 ||
        reg + a->f->words[value] > PLACES_MOST || (reg <= PLACES_STACK && reg + a->f->words[value] > PLACES_STACK))
        return false;
    for (int32_t s = a->first[value]; s >= 0; s = a->segments[s].next)
        for (int32_t w = 0; w < a->f->words[value]; w++) {
            const bool shared = reg + w >= a->place[other] && reg + w < a->place[other] + a->f->words[other];
            if (shared ? !is_free_beside(a, reg + w, &a->segments[s], other) : !is_free(a, reg + w, a->segments[s].from, a->segments[s].to))
                return false;
        }
    return true;
}

static void put(struct places *a, int32_t value, int32_t reg)
{
    a->place[value] = reg;
    for (int32_t s = a->first[value]; s >= 0; s = a->segments[s].next)
        for (int32_t w = 0; w < a->f->words[value]; w++)
            take(a, reg + w, a->segments[s].from, a->segments[s].to);
    if (is_register(a, value) && reg + a->f->words[value] > a->used)
        a->used = reg + a->f->words[value];
}

/* The whole vector, if none of it has a place yet. */
static bool put_vector(struct places *a, int32_t value)
{
    const int32_t *group = a->group[value];
    int32_t words = 0, n = 0;
    for (; n < PLACES_VECTOR && group[n] >= 0; n++) {
        if (a->place[group[n]] >= 0 || !is_register(a, group[n]))
            return false;
        words += a->f->words[group[n]];
    }
    int32_t align = words > 2 ? 4 : words;
    if (n < 2)
        return false;
    for (int32_t reg = 0; reg + words <= PLACES_MOST; reg += align) {
        int32_t at = reg, e = 0;
        for (; e < n && fits(a, group[e], at); e++)
            at += a->f->words[group[e]];
        if (e < n)
            continue;
        for (e = 0, at = reg; e < n; e++) {
            put(a, group[e], at);
            at += a->f->words[group[e]];
        }
        return true;
    }
    return false;
}

static bool put_value(struct places *a, int32_t value)
{
    int32_t words = a->f->words[value], hint = a->hint[value];
    if (a->group[value][0] >= 0 && put_vector(a, value))
        return true;
    if (hint >= 0 && a->place[hint] >= 0) {
        int32_t reg = a->place[hint] + a->hint_word[value];
        if (reg % words == 0 && (fits(a, value, reg) || fits_beside(a, value, reg, hint))) {
            put(a, value, reg);
            return true;
        }
    }
    for (int32_t reg = 0; reg + words <= PLACES_MOST; reg += words)
        if (fits(a, value, reg)) {
            put(a, value, reg);
            return true;
        }
    return false;
}

struct begin {
    int32_t value, from, words;
};

static int by_begin(const void *a, const void *b)
{
    const struct begin *x = a, *y = b;
    if (x->words != y->words)
        return x->words > y->words ? -1 : 1;
    return x->from != y->from ? x->from < y->from ? -1 : 1 : x->value < y->value ? -1 : x->value > y->value;
}

/* Values that are alive somewhere, in the order in which they get their places. */
static struct begin *new_order(const struct places *a, enum order by, int32_t *n)
{
    struct begin *order = alloc_zeroed(((size_t)a->f->nvalues + 1) * sizeof *order);
    *n = 0;
    for (int32_t v = 0; v < a->f->nvalues; v++) {
        if (a->first[v] < 0)
            continue;
        struct begin *o = &order[(*n)++];
        *o = (struct begin){.value = v, .from = INT32_MAX, .words = by == WIDE_FIRST ? a->f->words[v] : 0};
        for (int e = 0; by == WIDE_FIRST && e < PLACES_VECTOR && a->group[v][e] >= 0; e++)
            o->words = (e + 1) * a->f->words[v];
        for (int32_t s = a->first[v]; s >= 0; s = a->segments[s].next)
            o->from = a->segments[s].from < o->from ? a->segments[s].from : o->from;
    }
    qsort(order, (size_t)*n, sizeof *order, by_begin);
    return order;
}

/* Every value's place; of each file by itself. */
static void put_all(struct places *a, enum order by)
{
    static const uint8_t files[] = {FILE_REGISTER, FILE_PREDICATE, FILE_UNIFORM, FILE_UNIFORM_PREDICATE};
    int32_t n;
    struct begin *order = new_order(a, by, &n);
    memset(a->place, -1, ((size_t)a->f->nvalues + 1) * sizeof *a->place);
    a->used = PLACES_STACK + 1;
    for (size_t file = 0; file < sizeof files; file++) {
        for (int r = 0; r <= PLACES_MOST; r++)
            memset(a->taken[r], 0, a->set * 8);
        for (int32_t i = 0; i < n; i++)
            if (a->f->file[order[i].value] == files[file] && a->place[order[i].value] < 0 && !put_value(a, order[i].value) && files[file] == FILE_REGISTER)
                a->used = PLACES_MOST + 1; /* there are not enough */
    }
    alloc_release(order);
}

struct places *places_new(const struct lowered *l, const struct code *c, const struct flow *f)
{
    struct places *a = alloc_zeroed(sizeof *a);
    size_t values = (size_t)f->nvalues + 1;
    *a = (struct places){.l = l, .k = l->k, .c = c, .f = f};
    a->first = alloc_zeroed(values * sizeof *a->first);
    a->place = alloc_zeroed(values * sizeof *a->place);
    a->hint = alloc_zeroed(values * sizeof *a->hint);
    a->hint_word = alloc_zeroed(values);
    a->group = alloc_zeroed(values * sizeof *a->group);
    a->once = alloc_zeroed(values * sizeof *a->once);
    memset(a->hint, -1, values * sizeof *a->hint);
    memset(a->group, -1, values * sizeof *a->group);
    a->set = (size_t)c->ninsts * 2 / 64 + 1;
    for (int r = 0; r <= PLACES_MOST; r++)
        a->taken[r] = alloc_zeroed(a->set * 8);
    find_segments(a);
    find_once(a);
    for (int32_t i = 0; i < c->ninsts; i++)
        find_wishes(a, i);
    put_all(a, WIDE_FIRST);
    int wide = a->used;
    put_all(a, FIRST_FIRST);
    if (wide <= a->used)
        put_all(a, WIDE_FIRST);
    return a;
}

void places_free(struct places *a)
{
    if (!a)
        return;
    for (int r = 0; r <= PLACES_MOST; r++)
        alloc_release(a->taken[r]);
    alloc_release(a->segments);
    alloc_release(a->first);
    alloc_release(a->place);
    alloc_release(a->hint);
    alloc_release(a->hint_word);
    alloc_release(a->group);
    alloc_release(a->once);
    alloc_release(a);
}

int places_used(const struct places *a)
{
    return a->used + ABOVE;
}

void places_part(struct places *a)
{
    if (a->used <= PLACES_MOST)
        banks_part(a);
}

static void give(const struct places *a, struct operand *o)
{
    bool value = o->file == FILE_REGISTER || o->file == FILE_PREDICATE || o->file == FILE_UNIFORM || o->file == FILE_UNIFORM_PREDICATE;
    if (value && o->number < a->f->nvalues && a->place[o->number] >= 0) {
        o->number = a->place[o->number] + o->word;
        o->word = 0;
    }
}

void places_give(const struct places *a, struct code *c)
{
    for (int32_t i = 0; i < c->ninsts; i++) {
        struct machine_inst *in = &c->insts[i];
        give(a, &in->guard);
        for (int s = 0; s < in->nsources; s++)
            give(a, &in->source[s]);
        for (int r = 0; r < in->nresults; r++)
            give(a, &in->result[r]);
    }
}
