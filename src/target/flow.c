/* See flow.h. */
#include "target/flow.h"

#include "base/alloc.h"
#include "ir/cfg.h"

#include <string.h>

struct finding {
    const struct lowered *l;
    const struct ir_kernel *k;
    const struct code *c;
    struct flow *f;
    int32_t n, cap;      /* of touches */
    int32_t *written;    /* [nvalues] the run of a site's instructions that writes it, + 1 */
    int32_t run;
};

static int32_t value_of(const struct finding *g, const struct operand *o)
{
    switch ((enum file)o->file) {
    case FILE_REGISTER:
    case FILE_PREDICATE:
    case FILE_UNIFORM:
    case FILE_UNIFORM_PREDICATE:
    case FILE_CONDITION:
    case FILE_ADDRESS:
        return o->number < g->c->nregs ? o->number : -1;
    case FILE_CARRY:
        return g->c->nregs;
    default:
        return -1;
    }
}

static void add(struct finding *g, int32_t value, uint8_t words, bool writes, bool begins)
{
    ALLOC_GROW(g->f->touches, g->n, g->cap);
    g->f->touches[g->n++] = (struct touch){.value = value, .words = words, .writes = writes, .begins = begins};
}

static void name(struct finding *g, int32_t value, int file, int words)
{
    struct flow *f = g->f;
    f->file[value] = (uint8_t)file;
    words = words > 2 ? 2 : words < 1 ? 1 : words;
    if (value < g->k->nregs && g->l->words[value] && file == FILE_REGISTER)
        words = g->l->words[value];
    f->words[value] = f->words[value] > words ? f->words[value] : (uint8_t)words;
}

static void read(struct finding *g, const struct operand *o)
{
    int32_t value = value_of(g, o);
    if (value < 0)
        return;
    name(g, value, o->file, o->words > o->word + 1 ? o->words : o->word + 1);
    add(g, value, flow_words(o), false, false);
}

/* A write under a guard leaves what was there before where the lane is off; a value with one definition had nothing. */
static void write(struct finding *g, int32_t value, uint8_t words, bool guarded)
{
    bool keeps = guarded && value < g->k->nregs && g->l->only[value] < 0;
    bool begins = !keeps && g->written[value] != g->run + 1;
    g->written[value] = g->run + 1;
    if (keeps)
        add(g, value, words, false, false);
    add(g, value, words, true, begins);
}

static bool is_touched(const struct finding *g, int32_t first, int32_t value, bool writes)
{
    for (int32_t t = g->f->first[first]; t < g->n; t++)
        if (g->f->touches[t].value == value && g->f->touches[t].writes == writes)
            return true;
    return false;
}

/* What the site touches beside the operands of its instructions, which begin at `first`; behind the last of them. */
static void add_rest(struct finding *g, int32_t first, const struct machine_inst *last, bool reads)
{
    const struct ir_inst *in = &g->k->insts[last->site];
    int32_t regs[LOWERED_READS];
    if (reads) {
        int n = lowered_reads(g->l, last->site, regs);
        for (int i = 0; i < n; i++) {
            bool bank = g->l->place[regs[i]] == PLACE_BANK;
            if (bank && (arch_has_bank_operands(g->c->arch) || !g->l->held[regs[i]]))
                continue;
            if (is_touched(g, first, regs[i], false))
                continue;
            name(g, regs[i], FILE_REGISTER, g->l->words[regs[i]]);
            add(g, regs[i], 3, false, false);
        }
        return;
    }
    for (int d = 0; d < in->ndst; d++) {
        int32_t reg = in->dst[d];
        if (reg == IR_NOREG || g->l->place[reg] != PLACE_REGISTER || is_touched(g, first, reg, true))
            continue;
        name(g, reg, FILE_REGISTER, g->l->words[reg]);
        write(g, reg, 3, last->guard.file != FILE_NONE);
    }
}

/* Memory accesses and products of matrices have more registers than operands. */
static bool has_more(const struct ir_inst *in)
{
    return ir_is_memory(in) || in->ndst > 1 || in->nsrc > 3;
}

static void add_touches(struct finding *g, int32_t i, int32_t first, bool last)
{
    const struct machine_inst *in = &g->c->insts[i];
    bool more = last && in->site >= 0 && !in->early && has_more(&g->k->insts[in->site]);
    for (int s = 0; s < in->nsources; s++)
        read(g, &in->source[s]);
    read(g, &in->guard);
    if (more)
        add_rest(g, first, in, true);
    for (int r = 0; r < in->nresults; r++) {
        int32_t value = value_of(g, &in->result[r]);
        if (value < 0)
            continue;
        const int words = in->result[r].words, word = in->result[r].word;
        name(g, value, in->result[r].file, words > 2 ? 1 : words > word + 1 ? words : word + 1);
        write(g, value, flow_words(&in->result[r]), in->guard.file != FILE_NONE);
    }
    if (more)
        add_rest(g, first, in, false);
}

static void find_touches(struct finding *g)
{
    const struct code *c = g->c;
    int32_t i = 0;
    for (int32_t b = 0; b < c->nblocks; b++) {
        const struct machine_block *bl = &c->blocks[b];
        for (int32_t run = bl->first; i < bl->first + bl->count; i++) {
            bool begins = i == bl->first || !flow_is_of_site(&c->insts[i], &c->insts[i - 1]);
            bool ends = i + 1 == bl->first + bl->count || !flow_is_of_site(&c->insts[i], &c->insts[i + 1]);
            run = begins ? i : run;
            g->run = run;
            g->f->first[i] = g->n;
            if (flow_is_of_kernel(bl))
                add_touches(g, i, run, ends);
        }
    }
    g->f->first[i] = g->n;
}

/* --- which blocks follow --- */

static bool is_jump(const struct ir_kernel *k, int32_t b)
{
    const struct ir_block *bl = &k->blocks[b];
    return bl->count == 1 && ir_is(&k->insts[bl->first], PTX_KIND_BRANCH) && k->insts[bl->first].guard == IR_NOREG;
}

/* The machine block that lanes come to that go to block b of the IR, or -1: they end. */
static int32_t block_at(const struct ir_kernel *k, const int32_t *at, int32_t b)
{
    for (int turns = 0; b >= 0 && turns < k->nblocks; turns++) {
        if (at[b] >= 0)
            return at[b];
        b = is_jump(k, b) || !k->blocks[b].count ? k->blocks[b].succ[0] : -1;
    }
    return -1;
}

static int32_t loop_of(const struct machine_block *b)
{
    return b->times == TIMES_ROUNDS || b->times == TIMES_REST ? b->of : -1;
}

static void add_succ(struct flow *f, int32_t *n, int32_t *cap, int32_t begin, int32_t to)
{
    for (int32_t i = begin; i < *n; i++)
        if (f->succ[i] == to)
            return;
    if (to < 0)
        return;
    ALLOC_GROW(f->succ, *n, *cap);
    f->succ[(*n)++] = to;
}

/* Blocks of an unrolled loop follow each other, and each may be the last one. */
static void find_succ(const struct ir_kernel *k, const struct shape *s, const struct code *c, struct flow *f)
{
    int32_t *at = alloc_zeroed(((size_t)k->nblocks + 1) * sizeof *at), n = 0, cap = 0;
    memset(at, -1, ((size_t)k->nblocks + 1) * sizeof *at);
    for (int32_t b = c->nblocks - 1; b >= 0; b--)
        if (flow_is_of_kernel(&c->blocks[b]))
            at[c->blocks[b].ir] = b;
    for (int32_t b = 0; b < c->nblocks; b++) {
        const struct machine_block *bl = &c->blocks[b];
        int32_t loop = loop_of(bl), begin = n;
        f->succ_first[b] = n;
        if (!flow_is_of_kernel(bl))
            continue;
        if (loop >= 0 && b + 1 < c->nblocks && flow_is_of_kernel(&c->blocks[b + 1]) && loop_of(&c->blocks[b + 1]) == loop)
            add_succ(f, &n, &cap, begin, b + 1);
        if (bl->times == TIMES_ROUNDS)
            add_succ(f, &n, &cap, begin, b);
        for (int32_t i = bl->ir; i >= 0; i = s->next[i]) {
            const struct ir_block *from = &k->blocks[i];
            for (int32_t t = 0; t < from->nsucc; t++) {
                int32_t to = from->succ[t];
                bool inside = to >= 0 && s->head[to] == s->head[bl->ir] && to != s->head[bl->ir];
                if (!inside && !(loop >= 0 && to >= 0 && ir_bit(k->loops[loop].blocks, to)))
                    add_succ(f, &n, &cap, begin, block_at(k, at, to));
            }
        }
    }
    f->succ_first[c->nblocks] = n;
    alloc_release(at);
}

/* --- what is alive --- */

void flow_step_back(const struct flow *f, int32_t inst, uint64_t *live)
{
    for (int32_t t = f->first[inst + 1] - 1; t >= f->first[inst]; t--) {
        const struct touch *o = &f->touches[t];
        if (o->writes && o->begins)
            live[o->value >> 6] &= ~(UINT64_C(1) << (o->value & 63));
        else if (!o->writes)
            ir_bit_set(live, o->value);
    }
}

static void find_live(const struct code *c, struct flow *f)
{
    uint64_t *live = alloc_zeroed(f->set * 8);
    for (bool changed = true; changed;) {
        changed = false;
        for (int32_t b = c->nblocks - 1; b >= 0; b--) {
            const struct machine_block *bl = &c->blocks[b];
            uint64_t *out = flow_out(f, b), *in = flow_in(f, b);
            if (!flow_is_of_kernel(bl))
                continue;
            for (int32_t s = f->succ_first[b]; s < f->succ_first[b + 1]; s++)
                for (size_t w = 0; w < f->set; w++)
                    out[w] |= flow_in(f, f->succ[s])[w];
            memcpy(live, out, f->set * 8);
            for (int32_t i = bl->first + bl->count - 1; i >= bl->first; i--)
                flow_step_back(f, i, live);
            if (memcmp(live, in, f->set * 8)) {
                memcpy(in, live, f->set * 8);
                changed = true;
            }
        }
    }
    alloc_release(live);
}

/* `made`: the values of which something that defines them may have been executed when block b ends, given `come`, those
 * of which it may have been when a block begins. */
static void defined_behind(const struct code *c, const struct flow *f, int32_t b, const uint64_t *come, uint64_t *made)
{
    const struct machine_block *bl = &c->blocks[b];
    memcpy(made, come + (size_t)b * f->set, f->set * 8);
    for (int32_t t = f->first[bl->first]; t < f->first[bl->first + bl->count]; t++)
        if (f->touches[t].writes)
            ir_bit_set(made, f->touches[t].value);
}

/* A value is alive only where something that defines it may have been executed. */
static void drop_undefined(const struct code *c, struct flow *f)
{
    uint64_t *come = alloc_zeroed(((size_t)c->nblocks + 1) * f->set * 8), *made = alloc_zeroed(f->set * 8);
    for (bool changed = true; changed;) {
        changed = false;
        for (int32_t b = 0; b < c->nblocks; b++) {
            defined_behind(c, f, b, come, made);
            for (int32_t s = f->succ_first[b]; s < f->succ_first[b + 1]; s++)
                for (size_t w = 0; w < f->set; w++) {
                    uint64_t *to = &come[(size_t)f->succ[s] * f->set + w];
                    changed |= (made[w] & ~*to) != 0;
                    *to |= made[w];
                }
        }
    }
    for (int32_t b = 0; b < c->nblocks; b++) {
        defined_behind(c, f, b, come, made);
        for (size_t w = 0; w < f->set; w++) {
            flow_in(f, b)[w] &= come[(size_t)b * f->set + w];
            flow_out(f, b)[w] &= made[w];
        }
    }
    alloc_release(come);
    alloc_release(made);
}

/* --- names --- */

struct flow_names flow_names_new(int32_t values)
{
    struct flow_names n = {.run = 0};
    size_t all = (size_t)values + 1;
    n.now = alloc_zeroed(all * sizeof *n.now);
    n.before = alloc_zeroed(all * sizeof *n.before);
    n.since = alloc_zeroed(all * sizeof *n.since);
    n.made = alloc_zeroed(all);
    for (int32_t v = 0; v < values; v++)
        n.now[v] = n.before[v] = v;
    return n;
}

void flow_names_release(struct flow_names *n)
{
    alloc_release(n->now);
    alloc_release(n->before);
    alloc_release(n->since);
    alloc_release(n->made);
}

struct renaming {
    struct code *c;
    struct flow *f;
    int32_t *left;   /* [nvalues] writes that begin it, in the block */
    int32_t *begins; /* [nvalues] the same in the kernel */
    struct flow_names names;
    int32_t n, cap;  /* new names */
    int32_t *old;    /* what each of them was */
};

static int32_t new_name(struct renaming *r, int32_t value)
{
    ALLOC_GROW(r->old, r->n, r->cap);
    r->old[r->n] = value;
    return r->f->nvalues + r->n++;
}

static void rename_operand(const struct renaming *r, struct operand *o)
{
    bool value = o->file == FILE_REGISTER || o->file == FILE_PREDICATE || o->file == FILE_UNIFORM || o->file == FILE_UNIFORM_PREDICATE;
    if (value && o->number < r->f->nvalues)
        o->number = flow_name(&r->names, o->number, flow_words(o));
}

static void rename_block(struct renaming *r, int32_t b)
{
    const struct machine_block *bl = &r->c->blocks[b];
    struct flow *f = r->f;
    const int32_t begin = f->first[bl->first], end = f->first[bl->first + bl->count];
    for (int32_t t = begin; t < end; t++) {
        r->names.now[f->touches[t].value] = f->touches[t].value;
        r->left[f->touches[t].value] = 0;
    }
    for (int32_t t = begin; t < end; t++)
        r->left[f->touches[t].value] += f->touches[t].begins;
    for (int32_t i = bl->first; i < bl->first + bl->count; i++) {
        struct machine_inst *in = &r->c->insts[i];
        r->names.run += i == bl->first || !flow_is_of_site(in, in - 1);
        for (int s = 0; s < in->nsources; s++)
            rename_operand(r, &in->source[s]);
        rename_operand(r, &in->guard);
        for (int32_t t = f->first[i]; t < f->first[i + 1]; t++) {
            struct touch *o = &f->touches[t];
            int32_t v = o->value;
            if (o->begins)
                r->left[v]--;
            if (o->begins && f->file[v] != FILE_CARRY && r->begins[v] > 1 && (r->left[v] || !ir_bit(flow_out(f, b), v)))
                flow_begin(&r->names, v, new_name(r, v));
            else if (o->begins)
                flow_begin(&r->names, v, v);
            if (o->writes)
                r->names.made[v] |= o->words;
            o->value = o->writes ? r->names.now[v] : flow_name(&r->names, v, o->words);
        }
        for (int d = 0; d < in->nresults; d++)
            rename_operand(r, &in->result[d]);
    }
    for (int32_t t = begin; t < end; t++) { /* of the block only */
        int32_t v = f->touches[t].value < f->nvalues ? f->touches[t].value : r->old[f->touches[t].value - f->nvalues];
        r->names.now[v] = v;
        r->names.since[v] = 0;
    }
}

static uint64_t *wider(uint64_t *sets, size_t n, size_t from, size_t to)
{
    uint64_t *made = alloc_zeroed(n * to * 8);
    for (size_t i = 0; i < n; i++)
        memcpy(made + i * to, sets + i * from, from * 8);
    alloc_release(sets);
    return made;
}

void flow_add_values(struct flow *f, struct code *c, int32_t n)
{
    const int32_t all = f->nvalues + n;
    const size_t set = (size_t)all / 64 + 1;
    f->file = alloc_resize(f->file, (size_t)all);
    f->words = alloc_resize(f->words, (size_t)all);
    memset(f->file + f->nvalues, 0, (size_t)n);
    memset(f->words + f->nvalues, 0, (size_t)n);
    f->in = wider(f->in, (size_t)c->nblocks + 1, f->set, set);
    f->out = wider(f->out, (size_t)c->nblocks + 1, f->set, set);
    f->nvalues = c->nregs = all;
    f->set = set;
}

/* A value that a block begins anew, and that nobody behind the block reads, has a name of its own there. */
static void find_names(struct code *c, struct flow *f)
{
    struct renaming r = {.c = c, .f = f};
    r.left = alloc_zeroed((size_t)f->nvalues * sizeof *r.left);
    r.begins = alloc_zeroed((size_t)f->nvalues * sizeof *r.begins);
    r.names = flow_names_new(f->nvalues);
    for (int32_t t = 0; t < f->first[c->ninsts]; t++)
        r.begins[f->touches[t].value] += f->touches[t].begins;
    for (int32_t b = 0; b < c->nblocks; b++)
        if (flow_is_of_kernel(&c->blocks[b]))
            rename_block(&r, b);
    const int32_t before = f->nvalues;
    flow_add_values(f, c, r.n);
    for (int32_t i = 0; i < r.n; i++) {
        f->file[before + i] = f->file[r.old[i]];
        f->words[before + i] = f->words[r.old[i]];
    }
    alloc_release(r.left);
    alloc_release(r.begins);
    flow_names_release(&r.names);
    alloc_release(r.old);
}

struct flow *flow_new(const struct lowered *l, const struct shape *s, struct code *c)
{
    struct flow *f = alloc_zeroed(sizeof *f);
    struct finding g = {.l = l, .k = l->k, .c = c, .f = f};
    f->nvalues = c->nregs + 1;
    f->file = alloc_zeroed((size_t)f->nvalues);
    f->words = alloc_zeroed((size_t)f->nvalues);
    f->first = alloc_zeroed(((size_t)c->ninsts + 1) * sizeof *f->first);
    f->succ_first = alloc_zeroed(((size_t)c->nblocks + 1) * sizeof *f->succ_first);
    f->set = (size_t)f->nvalues / 64 + 1;
    f->in = alloc_zeroed(((size_t)c->nblocks + 1) * f->set * 8);
    f->out = alloc_zeroed(((size_t)c->nblocks + 1) * f->set * 8);
    g.written = alloc_zeroed((size_t)f->nvalues * sizeof *g.written);
    find_touches(&g);
    find_succ(l->k, s, c, f);
    find_live(c, f);
    drop_undefined(c, f);
    find_names(c, f);
    alloc_release(g.written);
    return f;
}

static void *copy(const void *from, size_t bytes)
{
    void *to = alloc_zeroed(bytes + 1);
    if (bytes)
        memcpy(to, from, bytes);
    return to;
}

struct flow *flow_copy(const struct flow *f, const struct code *c)
{
    struct flow *to = alloc_zeroed(sizeof *to);
    const size_t sets = ((size_t)c->nblocks + 1) * f->set * 8;
    *to = *f;
    to->file = copy(f->file, (size_t)f->nvalues);
    to->words = copy(f->words, (size_t)f->nvalues);
    to->first = copy(f->first, ((size_t)c->ninsts + 1) * sizeof *f->first);
    to->touches = copy(f->touches, (size_t)f->first[c->ninsts] * sizeof *f->touches);
    to->succ_first = copy(f->succ_first, ((size_t)c->nblocks + 1) * sizeof *f->succ_first);
    to->succ = copy(f->succ, (size_t)f->succ_first[c->nblocks] * sizeof *f->succ);
    to->in = copy(f->in, sets);
    to->out = copy(f->out, sets);
    return to;
}

void flow_free(struct flow *f)
{
    if (!f)
        return;
    alloc_release(f->file);
    alloc_release(f->words);
    alloc_release(f->first);
    alloc_release(f->touches);
    alloc_release(f->succ_first);
    alloc_release(f->succ);
    alloc_release(f->in);
    alloc_release(f->out);
    alloc_release(f);
}
