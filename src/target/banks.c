/* See banks.h. Values that are copies of each other in one register move together: they are a class, named after one of them. */
#include "target/banks.h"

#include "base/alloc.h"

#include <string.h>

/* PASSES: over the instructions that wait. CHAIN: classes that are exchanged at most. LOOKS: at values of a register, over all; longer code is left
 * as it is then. */
enum { PASSES = 4, CHAIN = 64, LOOKS = 40 * 1000 * 1000 };

/* Words that an instruction reads at once: of which values, and which of theirs. */
struct together {
    int32_t value[CODE_SOURCES];
    uint8_t word[CODE_SOURCES];
    int n;
};

struct node {
    int32_t value, next; /* of the same register, or -1 */
};

struct banks {
    struct places *a;
    int banks, ports;
    struct together *all;
    int32_t n, cap;
    int32_t *reader_first, *reader; /* of value v from [v] to [v + 1]: in `all` */
    int32_t *class_of;  /* [values] the least of those that move together */
    int32_t *next_member; /* [values] of the same class, or -1 */
    bool *fixed;        /* [values] of a class: it stays */
    struct node *nodes; /* words of values, by register */
    int32_t head[PLACES_MOST + 1]; /* in `nodes`, or -1 */
    int32_t *from, *to; /* [values] alive between these places at most */
    int32_t *met;       /* [n] the count that looked at it */
    int32_t *reached;   /* [values] of a class: the chain that it is in */
    int32_t turn, count; /* chains, counts */
    int32_t chain[CHAIN];
    int nchain;
    int64_t looks;
};

/* --- who meets --- */

/* The words that an instruction reads, if they can be too many for a bank: each register once. */
static void find_together(struct banks *b, const struct machine_inst *in)
{
    struct together t = {.n = 0};
    for (int s = 0; s < in->nsources && in->op != OP_NONE; s++) {
        const struct operand *o = &in->source[s];
        bool again = o->file != FILE_REGISTER;
        if (!again && (o->words != 1 || o->number >= b->a->f->nvalues || b->a->place[o->number] < 0))
            return;
        for (int i = 0; i < t.n; i++)
            again |= t.value[i] == o->number && t.word[i] == o->word;
        if (again)
            continue;
        t.value[t.n] = o->number;
        t.word[t.n++] = o->word;
    }
    if (t.n <= b->ports)
        return;
    ALLOC_GROW(b->all, b->n, b->cap);
    b->all[b->n++] = t;
}

static void find_readers(struct banks *b)
{
    const int32_t values = b->a->f->nvalues;
    b->reader_first = alloc_zeroed(((size_t)values + 2) * sizeof *b->reader_first);
    for (int32_t t = 0; t < b->n; t++)
        for (int i = 0; i < b->all[t].n; i++)
            b->reader_first[b->all[t].value[i]]++;
    for (int32_t v = 0; v < values; v++)
        b->reader_first[v + 1] += b->reader_first[v];
    b->reader = alloc_zeroed(((size_t)b->reader_first[values] + 1) * sizeof *b->reader);
    for (int32_t t = b->n - 1; t >= 0; t--)
        for (int i = 0; i < b->all[t].n; i++)
            b->reader[--b->reader_first[b->all[t].value[i]]] = t;
}

/* The instruction reads more words of a bank than it has ports. Values in one register are one word. */
static bool waits(const struct banks *b, int32_t inst)
{
    const struct together *t = &b->all[inst];
    int32_t at[CODE_SOURCES];
    int n = 0, of_bank[ARCH_BANKS] = {0};
    for (int i = 0; i < t->n; i++) {
        const int32_t reg = b->a->place[t->value[i]] + t->word[i];
        bool again = false;
        for (int j = 0; j < n; j++)
            again |= at[j] == reg;
        if (!again && ++of_bank[reg % b->banks] > b->ports)
            return true;
        at[n++] = reg;
    }
    return false;
}

/* --- who moves --- */

static int32_t class_of(const struct banks *b, int32_t value)
{
    while (b->class_of[value] != value)
        value = b->class_of[value];
    return value;
}

/* Copies that take no instruction, as long as both are in one register. */
static void join(struct banks *b, const struct machine_inst *in)
{
    const struct operand *to = &in->result[0], *from = &in->source[0];
    const struct places *a = b->a;
    if (in->op != OP_NONE || in->nsources != 1 || to->file != FILE_REGISTER || from->file != FILE_REGISTER || to->number >= a->f->nvalues ||
        from->number >= a->f->nvalues || a->place[to->number] < 0 || a->place[to->number] + to->word != a->place[from->number] + from->word)
        return;
    const int32_t x = class_of(b, to->number), y = class_of(b, from->number);
    b->class_of[x < y ? y : x] = x < y ? x : y;
}

static void find_nodes(struct banks *b)
{
    const struct places *a = b->a;
    int32_t n = 0;
    for (int32_t v = 0; v < a->f->nvalues; v++)
        n += a->f->words[v];
    b->nodes = alloc_zeroed(((size_t)n + 1) * sizeof *b->nodes);
    memset(b->head, -1, sizeof b->head);
    n = 0;
    for (int32_t v = 0; v < a->f->nvalues; v++)
        for (int32_t w = 0; w < a->f->words[v] && a->f->file[v] == FILE_REGISTER && a->place[v] >= 0; w++) {
            b->nodes[n] = (struct node){v, b->head[a->place[v] + w]};
            b->head[a->place[v] + w] = n++;
        }
}

static void find_classes(struct banks *b)
{
    const struct places *a = b->a;
    const size_t values = (size_t)a->f->nvalues;
    b->class_of = alloc_zeroed(values * sizeof *b->class_of);
    b->next_member = alloc_zeroed(values * sizeof *b->next_member);
    b->fixed = alloc_zeroed(values);
    b->from = alloc_zeroed(values * sizeof *b->from);
    b->to = alloc_zeroed(values * sizeof *b->to);
    for (int32_t v = 0; v < a->f->nvalues; v++)
        b->class_of[v] = v;
    for (int32_t i = 0; i < a->c->ninsts; i++)
        join(b, &a->c->insts[i]);
    memset(b->next_member, -1, values * sizeof *b->next_member);
    for (int32_t v = a->f->nvalues - 1; v >= 0; v--) {
        const int32_t c = class_of(b, v);
        b->fixed[c] |= a->f->file[v] != FILE_REGISTER || a->f->words[v] != 1 || a->group[v][0] >= 0 || v == a->c->stack;
        if (c != v) {
            b->next_member[v] = b->next_member[c];
            b->next_member[c] = v;
        }
        b->from[v] = INT32_MAX;
        for (int32_t s = a->first[v]; s >= 0; s = a->segments[s].next) {
            b->from[v] = a->segments[s].from < b->from[v] ? a->segments[s].from : b->from[v];
            b->to[v] = a->segments[s].to > b->to[v] ? a->segments[s].to : b->to[v];
        }
    }
    for (int32_t v = 0; v < a->f->nvalues; v++)
        b->class_of[v] = class_of(b, v);
}

static bool overlap(struct banks *b, int32_t x, int32_t y)
{
    const struct places *a = b->a;
    b->looks++;
    if (b->from[x] >= b->to[y] || b->from[y] >= b->to[x])
        return false;
    for (int32_t s = a->first[x]; s >= 0; s = a->segments[s].next)
        for (int32_t t = a->first[y]; t >= 0; t = a->segments[t].next, b->looks++)
            if (a->segments[s].from < a->segments[t].to && a->segments[t].from < a->segments[s].to)
                return true;
    return false;
}

/* The class and all that has to move with it when registers x and y exchange values; false: something of that stays. */
static bool find_chain(struct banks *b, int32_t class, int32_t x, int32_t y)
{
    const struct places *a = b->a;
    b->turn++;
    b->nchain = 0;
    b->chain[b->nchain++] = class;
    b->reached[class] = b->turn;
    for (int i = 0; i < b->nchain; i++) {
        const int32_t other = a->place[b->chain[i]] == x ? y : x;
        for (int32_t n = b->head[other]; n >= 0; n = b->nodes[n].next) {
            const int32_t c = b->class_of[b->nodes[n].value];
            bool meets = false;
            for (int32_t v = b->chain[i]; v >= 0 && !meets && b->reached[c] != b->turn; v = b->next_member[v])
                meets = overlap(b, v, b->nodes[n].value);
            if (!meets)
                continue;
            if (b->fixed[c] || b->nchain == CHAIN)
                return false;
            b->reached[c] = b->turn;
            b->chain[b->nchain++] = c;
        }
    }
    return true;
}

/* --- exchanges --- */

/* Instructions that wait, of those that read something of the chain. */
static int count_waits(struct banks *b)
{
    int n = 0;
    b->count++;
    for (int i = 0; i < b->nchain; i++)
        for (int32_t v = b->chain[i]; v >= 0; v = b->next_member[v])
            for (int32_t r = b->reader_first[v]; r < b->reader_first[v + 1]; r++) {
                n += b->met[b->reader[r]] != b->count && waits(b, b->reader[r]);
                b->met[b->reader[r]] = b->count;
            }
    return n;
}

static void exchange(struct banks *b, int32_t x, int32_t y)
{
    for (int i = 0; i < b->nchain; i++)
        for (int32_t v = b->chain[i]; v >= 0; v = b->next_member[v])
            b->a->place[v] = b->a->place[v] == x ? y : x;
}

/* Lists of the two registers anew, after an exchange. */
static void list_again(struct banks *b, int32_t x, int32_t y)
{
    const int32_t old[] = {b->head[x], b->head[y]}, reg[] = {x, y};
    b->head[x] = b->head[y] = -1;
    for (int i = 0; i < 2; i++)
        for (int32_t n = old[i], next; n >= 0; n = next) {
            const int32_t to = reg[b->reached[b->class_of[b->nodes[n].value]] == b->turn ? 1 - i : i];
            next = b->nodes[n].next;
            b->nodes[n].next = b->head[to];
            b->head[to] = n;
        }
}

/* The first exchange of the class with which fewer wait. */
static bool move(struct banks *b, int32_t class)
{
    const int32_t x = b->a->place[class];
    if (b->fixed[class])
        return false;
    for (int32_t y = 0; y < b->a->used && b->looks < LOOKS; y++) {
        if (y % b->banks == x % b->banks || y == PLACES_STACK || !find_chain(b, class, x, y))
            continue;
        const int before = count_waits(b);
        exchange(b, x, y);
        if (count_waits(b) < before) {
            list_again(b, x, y);
            return true;
        }
        exchange(b, x, y);
    }
    return false;
}

static struct banks *new_banks(struct places *a)
{
    struct banks *b = alloc_zeroed(sizeof *b);
    *b = (struct banks){.a = a, .banks = arch_banks(a->c->arch), .ports = arch_bank_ports(a->c->arch)};
    for (int32_t i = 0; i < a->c->ninsts && b->banks; i++)
        find_together(b, &a->c->insts[i]);
    return b;
}

static void free_banks(struct banks *b)
{
    alloc_release(b->all);
    alloc_release(b->reader_first);
    alloc_release(b->reader);
    alloc_release(b->class_of);
    alloc_release(b->next_member);
    alloc_release(b->fixed);
    alloc_release(b->nodes);
    alloc_release(b->from);
    alloc_release(b->to);
    alloc_release(b->met);
    alloc_release(b->reached);
    alloc_release(b);
}

int banks_meet(const struct places *a)
{
    struct banks *b = new_banks((struct places *)a);
    int n = 0;
    for (int32_t t = 0; t < b->n; t++)
        n += waits(b, t);
    free_banks(b);
    return n;
}

void banks_part(struct places *a)
{
    struct banks *b = new_banks(a);
    if (b->n) {
        find_readers(b);
        find_nodes(b);
        find_classes(b);
        b->met = alloc_zeroed((size_t)b->n * sizeof *b->met);
        b->reached = alloc_zeroed((size_t)a->f->nvalues * sizeof *b->reached);
    }
    bool moved = b->n;
    for (int pass = 0; pass < PASSES && moved; pass++) {
        moved = false;
        for (int32_t t = 0; t < b->n; t++)
            for (int i = 0; i < b->all[t].n && waits(b, t); i++)
                moved |= move(b, b->class_of[b->all[t].value[i]]);
    }
    free_banks(b);
}
