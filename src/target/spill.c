/* See spill.h. */
#include "target/spill.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

/* One word or pair from the constant bank, or an immediate. */
static bool is_free(const struct machine_inst *in)
{
    bool moves = in->op == OP_LDC ? !in->is_value : in->op == OP_MOV || in->op == OP_HFMA2 || in->op == OP_IMAD || in->op == OP_CS2R;
    if (!moves || in->nresults != 1 || in->result[0].file != FILE_REGISTER || in->guard.file || in->taken != TAKEN_ALL)
        return false;
    for (int s = 0; s < in->nsources; s++)
        if (in->source[s].file != FILE_BANK && in->source[s].file != FILE_IMMEDIATE && in->source[s].file != FILE_ZERO)
            return false;
    return in->nsources > 0;
}

/* The instruction that makes a value, if it is the only one and a free one, + 1. */
static void find_makers(const struct code *c, const struct flow *f, int32_t *maker)
{
    int32_t *writes = alloc_zeroed(((size_t)f->nvalues + 1) * sizeof *writes);
    for (int32_t i = 0; i < c->ninsts; i++)
        for (int32_t t = f->first[i]; t < f->first[i + 1]; t++)
            if (f->touches[t].writes) {
                writes[f->touches[t].value]++;
                maker[f->touches[t].value] = i + 1;
            }
    for (int32_t v = 0; v < f->nvalues; v++)
        if (writes[v] != 1 || v == c->stack || !is_free(&c->insts[maker[v] - 1]))
            maker[v] = 0;
    alloc_release(writes);
}

static int32_t block_of(const struct code *c, int32_t inst)
{
    int32_t b = 0;
    while (inst >= c->blocks[b].first + c->blocks[b].count)
        b++;
    return b;
}

static bool reads(const struct code *c, const struct flow *f, int32_t b, int32_t value)
{
    const struct machine_block *bl = &c->blocks[b];
    for (int32_t t = f->first[bl->first]; t < f->first[bl->first + bl->count]; t++)
        if (f->touches[t].value == value && !f->touches[t].writes)
            return true;
    return false;
}

int spill_free(struct code *c, const struct flow *f)
{
    int32_t *maker = alloc_zeroed(((size_t)f->nvalues + 1) * sizeof *maker);
    bool *gone = alloc_zeroed((size_t)c->ninsts + 1);
    struct code to = *c;
    int n = 0;
    find_makers(c, f, maker);
    for (int32_t v = 0; v < f->nvalues; v++) {
        if (!maker[v])
            continue;
        int32_t b = block_of(c, maker[v] - 1);
        if (!ir_bit(flow_out(f, b), v)) {
            maker[v] = 0;
            continue;
        }
        gone[maker[v] - 1] = !reads(c, f, b, v);
        n++;
    }
    to.insts = NULL;
    to.blocks = NULL;
    to.ninsts = to.capacity = to.nblocks = to.block_capacity = 0;
    for (int32_t b = 0; b < c->nblocks; b++) {
        const struct machine_block *bl = &c->blocks[b];
        code_begin_like(&to, bl);
        for (int32_t v = 0; n && v < f->nvalues; v++) {
            if (!maker[v] || !ir_bit(flow_in(f, b), v) || !reads(c, f, b, v))
                continue;
            struct machine_inst *in = code_add(&to, &c->insts[maker[v] - 1]);
            in->site = c->insts[bl->first].site;
            in->early = true;
        }
        for (int32_t i = bl->first; i < bl->first + bl->count; i++)
            if (!gone[i])
                code_add(&to, &c->insts[i]);
    }
    alloc_release(c->insts);
    alloc_release(c->blocks);
    *c = to;
    alloc_release(maker);
    alloc_release(gone);
    return n;
}

/* --- local memory --- */

/* FAR: a place behind all of a block. SCALE: of what accesses cost. EXTRA_CALL: registers of a function behind the kernel (schedule.c). */
enum { NEVER = INT32_MAX, FAR = 1 << 24, SCALE = 1 << 20, EXTRA_CALL = 14 };

struct reload {
    int32_t inst;  /* in front of which it stands */
    int32_t value;
    int32_t name;  /* of the register that it is loaded into */
    int32_t next;  /* the reload before of the same instruction, or -1 */
};

struct spilling {
    const struct ir_kernel *k;
    struct code *c;
    struct flow *f;
    int room;
    int32_t *maker;   /* [values] of a free value: its instruction + 1 */
    double *cost;     /* [values] of keeping it in memory: accesses, those in loops many times */
    bool *kept;       /* [values] in memory: each instruction that makes it stores it */
    bool *outside;    /* [values] never in a register between blocks */
    int32_t *first;   /* [values] of the block at hand: the first instruction that reads it */
    int32_t *following; /* [touches] the next instruction that reads the value, or FAR and more: behind the block, or NEVER */
    int32_t *at;      /* [values] in a register: when it is read next */
    bool *here;       /* [values] it is in a register */
    int32_t *held;    /* values that are */
    int32_t nheld, words;
    int32_t *opened;  /* [values] the reload that it is from, + 1 */
    struct reload *reloads;
    int32_t nreloads, cap;
    int32_t *last_reload; /* [instructions] + 1 */
    int32_t names;    /* values with those that reloads made */
    bool changed;     /* a value has gone outside: the walk begins again */
};

static int words_of(const struct spilling *s, int32_t value)
{
    return s->f->file[value] == FILE_REGISTER && value != s->c->stack ? s->f->words[value] : 0;
}

static double weight(const struct spilling *s, const struct machine_block *bl)
{
    double w = 1;
    for (int32_t loop = bl->ir < 0 ? -1 : s->k->blocks[bl->ir].loop; loop >= 0; loop = s->k->loops[loop].parent)
        w *= 8;
    return w;
}

static void find_costs(struct spilling *s)
{
    for (int32_t b = 0; b < s->c->nblocks; b++) {
        const struct machine_block *bl = &s->c->blocks[b];
        double w = weight(s, bl);
        for (int32_t t = s->f->first[bl->first]; t < s->f->first[bl->first + bl->count]; t++)
            s->cost[s->f->touches[t].value] += w;
    }
}

/* When a value that is alive behind the block is read: the less it costs in memory, the later. */
static int32_t behind(const struct spilling *s, int32_t value)
{
    double far = SCALE / (1 + s->cost[value]);
    return FAR + (int32_t)far;
}

static void find_following(struct spilling *s, int32_t b)
{
    const struct flow *f = s->f;
    const struct machine_block *bl = &s->c->blocks[b];
    const int32_t begin = f->first[bl->first], end = f->first[bl->first + bl->count];
    const uint64_t *out = flow_out(f, b), *in = flow_in(f, b);
    for (int32_t t = begin; t < end; t++)
        s->first[f->touches[t].value] = NEVER;
    for (size_t w = 0; w < f->set; w++)
        for (uint64_t bits = in[w] | out[w]; bits; bits &= bits - 1) {
            int32_t v = (int32_t)(64 * w) + __builtin_ctzll(bits);
            s->first[v] = ir_bit(out, v) && !s->outside[v] ? behind(s, v) : NEVER;
        }
    for (int32_t i = bl->first + bl->count - 1; i >= bl->first; i--)
        for (int32_t t = f->first[i + 1] - 1; t >= f->first[i]; t--) {
            int32_t v = f->touches[t].value;
            s->following[t] = s->first[v];
            s->first[v] = f->touches[t].writes && f->touches[t].begins ? NEVER : i;
        }
}

static void let_go(struct spilling *s, int32_t value)
{
    for (int32_t i = 0; i < s->nheld; i++)
        if (s->held[i] == value) {
            s->held[i] = s->held[--s->nheld];
            s->words -= words_of(s, value);
            s->here[value] = false;
            s->opened[value] = 0;
            return;
        }
}

static void hold(struct spilling *s, int32_t value, int32_t next)
{
    if (!s->here[value]) {
        s->here[value] = true;
        s->held[s->nheld++] = value;
        s->words += words_of(s, value);
    }
    s->at[value] = next;
}

static bool touches(const struct flow *f, int32_t inst, int32_t value)
{
    for (int32_t t = f->first[inst]; t < f->first[inst + 1]; t++)
        if (f->touches[t].value == value)
            return true;
    return false;
}

/* Until `words` more have room, what is read last leaves; not what the instruction needs. */
static void make_room(struct spilling *s, int32_t inst, int words)
{
    while (s->words + words > s->room) {
        int32_t far = -1;
        double farthest = -1;
        for (int32_t i = 0; i < s->nheld; i++) {
            int32_t v = s->held[i];
            if (!words_of(s, v) || (inst >= 0 && touches(s->f, inst, v)))
                continue;
            double distance = (double)(s->at[v] - (inst >= 0 ? inst : 0)) * (s->maker[v] ? 2 : 1);
            if (distance > farthest)
                far = v, farthest = distance;
        }
        if (far < 0)
            return; /* the instruction alone needs more */
        s->kept[far] |= !s->maker[far];
        if (s->at[far] >= FAR && s->at[far] != NEVER && !s->outside[far])
            s->outside[far] = s->changed = true;
        let_go(s, far);
    }
}

static void reload(struct spilling *s, int32_t inst, int32_t value, int32_t next)
{
    ALLOC_GROW(s->reloads, s->nreloads, s->cap);
    s->reloads[s->nreloads++] = (struct reload){.inst = inst, .value = value, .name = s->names++, .next = s->last_reload[inst] - 1};
    s->last_reload[inst] = s->nreloads;
    hold(s, value, next);
    s->opened[value] = s->nreloads;
}

static void walk_inst(struct spilling *s, int32_t i)
{
    const struct flow *f = s->f;
    const struct machine_inst *in = &s->c->insts[i];
    int words = 0;
    bool call = in->op == OP_CALL && in->taken == TAKEN_ALL;
    for (int32_t t = f->first[i]; t < f->first[i + 1]; t++)
        words += !f->touches[t].writes && !s->here[f->touches[t].value] ? words_of(s, f->touches[t].value) : 0;
    make_room(s, i, words + (call ? EXTRA_CALL : 0));
    for (int32_t t = f->first[i]; t < f->first[i + 1]; t++) {
        int32_t v = f->touches[t].value;
        if (f->touches[t].writes || !words_of(s, v))
            continue;
        if (!s->here[v])
            reload(s, i, v, s->following[t]);
        s->at[v] = s->following[t];
    }
    for (int32_t t = f->first[i]; t < f->first[i + 1]; t++)
        if (s->here[f->touches[t].value] && s->at[f->touches[t].value] == NEVER)
            let_go(s, f->touches[t].value);
    words = 0;
    for (int32_t t = f->first[i]; t < f->first[i + 1]; t++)
        words += f->touches[t].writes && !s->here[f->touches[t].value] ? words_of(s, f->touches[t].value) : 0;
    make_room(s, i, words);
    for (int32_t t = f->first[i]; t < f->first[i + 1]; t++) {
        int32_t v = f->touches[t].value;
        if (!f->touches[t].writes || !words_of(s, v))
            continue;
        if (f->touches[t].begins)
            s->opened[v] = 0;
        hold(s, v, s->following[t]);
    }
    for (int32_t t = f->first[i]; t < f->first[i + 1]; t++)
        if (s->here[f->touches[t].value] && s->at[f->touches[t].value] == NEVER)
            let_go(s, f->touches[t].value);
}

static void walk_block(struct spilling *s, int32_t b)
{
    const struct machine_block *bl = &s->c->blocks[b];
    const uint64_t *in = flow_in(s->f, b), *out = flow_out(s->f, b);
    find_following(s, b);
    while (s->nheld)
        let_go(s, s->held[0]);
    for (size_t w = 0; w < s->f->set; w++)
        for (uint64_t bits = in[w]; bits; bits &= bits - 1) {
            int32_t v = (int32_t)(64 * w) + __builtin_ctzll(bits);
            if (words_of(s, v) && !s->outside[v])
                hold(s, v, s->first[v]);
        }
    make_room(s, -1, 0);
    for (int32_t i = bl->first; i < bl->first + bl->count; i++)
        walk_inst(s, i);
    for (int32_t i = 0; i < s->nheld; i++) { /* alive behind the block: in the register that others know */
        int32_t v = s->held[i];
        if (s->opened[v] && ir_bit(out, v))
            s->reloads[s->opened[v] - 1].name = v;
    }
    for (size_t w = 0; w < s->f->set; w++) /* what has left and is alive behind the block comes back */
        for (uint64_t bits = out[w]; bits; bits &= bits - 1) {
            int32_t v = (int32_t)(64 * w) + __builtin_ctzll(bits);
            if (words_of(s, v) && !s->here[v] && !s->outside[v])
                s->outside[v] = s->changed = true;
        }
}

/* Until no value goes outside any more. */
static void walk(struct spilling *s)
{
    do {
        s->changed = false;
        s->nreloads = 0;
        s->names = s->f->nvalues;
        memset(s->last_reload, 0, ((size_t)s->c->ninsts + 1) * sizeof *s->last_reload);
        memset(s->kept, 0, (size_t)s->f->nvalues);
        for (int32_t v = 0; v < s->f->nvalues; v++)
            s->kept[v] = s->outside[v] && !s->maker[v];
        for (int32_t b = 0; b < s->c->nblocks; b++)
            if (flow_is_of_kernel(&s->c->blocks[b]) && s->c->blocks[b].count)
                walk_block(s, b);
    } while (s->changed);
}

/* --- the instructions --- */

/* An access, and how many turns of its loop stand side by side. */
struct access {
    struct target_spill s;
    int rounds;
};

struct writing {
    const struct machine_block *block; /* at hand */
    struct access *accesses;
    int32_t naccesses, access_cap;
    struct spilling *s;
    struct code to;
    struct flow *f; /* its flow */
    int32_t ntouches, cap;
    int32_t *slot;  /* [values] + 1 */
    struct flow_names names; /* of the registers that values are in here */
    struct spills *spills;
    int32_t frame;  /* the instruction that makes room on the stack, or -1 */
};

static void add_touch(struct writing *w, int32_t value, uint8_t words, bool writes, bool begins)
{
    ALLOC_GROW(w->f->touches, w->ntouches, w->cap);
    w->f->touches[w->ntouches++] = (struct touch){.value = value, .words = words, .writes = writes, .begins = begins};
}

static int32_t slot_of(struct writing *w, int32_t value)
{
    int bytes = 4 * words_of(w->s, value);
    if (!w->slot[value]) {
        w->spills->bytes = (w->spills->bytes + bytes - 1) / bytes * bytes;
        w->slot[value] = w->spills->bytes + 1;
        w->spills->bytes += bytes;
    }
    return w->slot[value] - 1;
}

static void add_access(struct writing *w, int32_t value, int32_t reg, const struct machine_inst *by, bool store)
{
    const bool tesla = w->to.arch < 20;
    const int words = words_of(w->s, value);
    struct operand stack = {.file = w->to.stack >= 0 ? FILE_REGISTER : FILE_ZERO, .number = w->to.stack, .words = 1};
    struct operand data = {.file = FILE_REGISTER, .number = reg, .words = (uint8_t)words};
    struct machine_inst *in = code_add(&w->to, &(struct machine_inst){.op = (uint16_t)(store ? tesla ? OP_LST : OP_STL : tesla ? OP_LLD : OP_LDL), .site = by->site,
        .early = true, .form = words > 1 ? "64" : "", .offset = slot_of(w, value), .nsources = store ? 2 : 1, .nresults = store ? 0 : 1, .taken = by->taken});
    in->source[0] = stack;
    if (store) {
        in->source[1] = data;
        in->guard = by->guard;
    } else {
        in->result[0] = data;
    }
    add_touch(w, reg, 3, !store, !store);
    *(store ? &w->spills->stored : &w->spills->loaded) += 4 * words;
    if (by->taken == TAKEN_NEVER || by->site < 0 || w->block->times == TIMES_REST)
        return; /* turns left over are like those side by side */
    ALLOC_GROW(w->accesses, w->naccesses, w->access_cap);
    w->accesses[w->naccesses++] = (struct access){{.site = by->site, .slot = slot_of(w, value), .words = (uint8_t)words, .store = store},
                                                  w->block->times == TIMES_ROUNDS ? w->block->rounds : 1};
}

static void begin_inst(struct writing *w)
{
    w->f->first[w->to.ninsts] = w->ntouches;
}

static void add_reload(struct writing *w, const struct reload *r)
{
    const struct spilling *s = w->s;
    const struct machine_inst *by = &s->c->insts[r->inst];
    begin_inst(w);
    w->names.now[r->value] = r->name;
    w->names.since[r->value] = 0;
    if (!s->maker[r->value]) {
        add_access(w, r->value, r->name, by, false);
        return;
    }
    struct machine_inst *in = code_add(&w->to, &s->c->insts[s->maker[r->value] - 1]);
    in->site = by->site;
    in->early = true;
    in->result[0].number = r->name;
    add_touch(w, r->name, 3, true, true);
}

static void rename_operand(const struct writing *w, struct operand *o)
{
    if (o->file == FILE_REGISTER && o->number < w->s->f->nvalues)
        o->number = flow_name(&w->names, o->number, flow_words(o));
}

static bool writes_again(const struct spilling *s, int32_t i, int32_t end, int32_t value)
{
    for (int32_t j = i + 1; j < end && s->c->insts[j].site == s->c->insts[i].site; j++)
        for (int32_t t = s->f->first[j]; t < s->f->first[j + 1]; t++)
            if (s->f->touches[t].value == value && s->f->touches[t].writes)
                return true;
    return false;
}

/* The stack pointer goes down by the area's bytes, which are known in the end; in a kernel with local variables it does so anyway. */
static int32_t add_frame(struct writing *w, const struct machine_inst *by)
{
    if (w->s->k->local_bytes)
        return -1;
    begin_inst(w);
    struct operand stack = by->result[0];
    struct machine_inst *in = code_add(&w->to, &(struct machine_inst){.op = w->to.arch >= 70 ? OP_IADD3 : OP_IADD, .form = "", .site = by->site, .early = true,
        .nresults = 1, .nsources = w->to.arch >= 70 ? 3 : 2});
    in->result[0] = in->source[0] = stack;
    in->source[1] = (struct operand){.file = FILE_IMMEDIATE};
    in->source[2] = (struct operand){.file = FILE_ZERO};
    add_touch(w, stack.number, 1, false, false);
    add_touch(w, stack.number, 1, true, false);
    return w->to.ninsts - 1;
}

static void add_inst(struct writing *w, int32_t i, int32_t end)
{
    const struct spilling *s = w->s;
    const struct flow *f = s->f;
    for (int32_t r = s->last_reload[i] - 1; r >= 0; r = s->reloads[r].next)
        add_reload(w, &s->reloads[r]);
    begin_inst(w);
    w->names.run += !i || !flow_is_of_site(&s->c->insts[i], &s->c->insts[i - 1]);
    struct machine_inst *in = code_add(&w->to, &s->c->insts[i]);
    for (int n = 0; n < in->nsources; n++)
        rename_operand(w, &in->source[n]);
    for (int32_t t = f->first[i]; t < f->first[i + 1]; t++) {
        const struct touch *o = &f->touches[t];
        if (o->writes && o->begins)
            flow_begin(&w->names, o->value, o->value);
        if (o->writes)
            w->names.made[o->value] |= o->words;
        add_touch(w, o->writes ? w->names.now[o->value] : flow_name(&w->names, o->value, o->words), o->words, o->writes, o->begins);
    }
    for (int n = 0; n < in->nresults; n++)
        rename_operand(w, &in->result[n]);
    const struct machine_inst *by = &s->c->insts[i];
    if (by->nresults && by->result[0].file == FILE_REGISTER && by->result[0].number == w->to.stack)
        w->frame = add_frame(w, by);
    for (int32_t t = f->first[i]; t < f->first[i + 1]; t++) {
        int32_t v = f->touches[t].value;
        if (!f->touches[t].writes || !s->kept[v] || writes_again(s, i, end, v))
            continue;
        begin_inst(w);
        add_access(w, v, w->names.now[v], by, true);
    }
}

/* A free value whose own register nobody reads is not made. */
static bool is_unread(const struct spilling *s, int32_t i)
{
    const struct flow *f = s->f;
    for (int32_t t = f->first[i]; t < f->first[i + 1]; t++) {
        int32_t v = f->touches[t].value;
        if (f->touches[t].writes && s->maker[v] == i + 1 && s->outside[v] && s->following[t] == NEVER)
            return true;
    }
    return false;
}

static int by_site(const void *a, const void *b)
{
    const struct target_spill *x = &((const struct access *)a)->s, *y = &((const struct access *)b)->s;
    if (x->site != y->site)
        return x->site < y->site ? -1 : 1;
    if (x->store != y->store || x->words != y->words)
        return x->store != y->store ? x->store - y->store : x->words - y->words;
    return x->slot < y->slot ? -1 : x->slot > y->slot;
}

/* In the order of the sites. A site of an unrolled loop is executed once for each of the turns that stand side by side: of the accesses of all of
 * them it has its share. */
static void share(struct access *all, int32_t n, struct spills *to)
{
    if (n)
        qsort(all, (size_t)n, sizeof *all, by_site);
    for (int32_t i = 0, like; i < n; i += like) {
        for (like = 1; i + like < n && all[i + like].s.site == all[i].s.site && all[i + like].s.store == all[i].s.store && all[i + like].s.words == all[i].s.words;)
            like++;
        const int32_t kept = (like + all[i].rounds / 2) / all[i].rounds;
        for (int32_t one = 0; one < kept; one++) {
            ALLOC_GROW(to->spill, to->n, to->cap);
            to->spill[to->n++] = all[i + (int64_t)one * like / kept].s;
        }
    }
}

static void write_code(struct spilling *s, struct spills *to)
{
    struct writing w = {.s = s, .to = *s->c, .spills = to, .frame = -1};
    struct flow made = *s->f;
    int32_t all = s->names;
    int64_t most = (int64_t)s->c->ninsts + s->nreloads + 1;
    for (int32_t t = 0; t < s->f->first[s->c->ninsts]; t++)
        most += s->f->touches[t].writes;
    w.f = &made;
    w.slot = alloc_zeroed((size_t)all * sizeof *w.slot);
    w.names = flow_names_new(all);
    made.touches = NULL;
    made.first = alloc_zeroed(((size_t)most + 2) * sizeof *made.first);
    w.to.insts = NULL;
    w.to.blocks = NULL;
    w.to.ninsts = w.to.capacity = w.to.nblocks = w.to.block_capacity = 0;
    for (int32_t b = 0; b < s->c->nblocks; b++) {
        const struct machine_block *bl = &s->c->blocks[b];
        code_begin_like(&w.to, bl);
        w.block = bl;
        for (int32_t v = 0; v < s->f->nvalues; v++)
            w.names.now[v] = v, w.names.since[v] = 0;
        if (flow_is_of_kernel(bl) && bl->count)
            find_following(s, b);
        for (int32_t i = bl->first; i < bl->first + bl->count; i++)
            if (!flow_is_of_kernel(bl) || !is_unread(s, i))
                add_inst(&w, i, bl->first + bl->count);
    }
    made.first[w.to.ninsts] = w.ntouches;
    if (w.frame >= 0)
        w.to.insts[w.frame].source[1].bits = (uint32_t)-(to->bytes + 7) / 8 * 8;
    alloc_release(s->c->insts);
    alloc_release(s->c->blocks);
    *s->c = w.to;
    alloc_release(s->f->touches);
    alloc_release(s->f->first);
    s->f->touches = made.touches;
    s->f->first = made.first;
    alloc_release(w.slot);
    flow_names_release(&w.names);
    share(w.accesses, w.naccesses, to);
    alloc_release(w.accesses);
}

/* Values of reloads are known to the flow, and what is outside is not alive between blocks. */
static void mend_flow(struct spilling *s)
{
    struct flow *f = s->f;
    const int32_t old = f->nvalues;
    flow_add_values(f, s->c, s->names - old);
    for (int32_t r = 0; r < s->nreloads; r++)
        if (s->reloads[r].name >= old) {
            f->file[s->reloads[r].name] = FILE_REGISTER;
            f->words[s->reloads[r].name] = f->words[s->reloads[r].value];
        }
    for (int32_t v = 0; v < old; v++)
        for (int32_t b = 0; s->outside[v] && b < s->c->nblocks; b++) {
            flow_in(f, b)[v >> 6] &= ~(UINT64_C(1) << (v & 63));
            flow_out(f, b)[v >> 6] &= ~(UINT64_C(1) << (v & 63));
        }
}

void spill_store(const struct lowered *l, struct code *c, struct flow *f, int room, struct spills *to)
{
    struct spilling s = {.k = l->k, .c = c, .f = f, .room = room};
    size_t values = (size_t)f->nvalues + 1;
    s.maker = alloc_zeroed(values * sizeof *s.maker);
    s.cost = alloc_zeroed(values * sizeof *s.cost);
    s.kept = alloc_zeroed(values);
    s.outside = alloc_zeroed(values);
    s.first = alloc_zeroed(values * sizeof *s.first);
    s.following = alloc_zeroed(((size_t)f->first[c->ninsts] + 1) * sizeof *s.following);
    s.at = alloc_zeroed(values * sizeof *s.at);
    s.here = alloc_zeroed(values);
    s.held = alloc_zeroed(values * sizeof *s.held);
    s.opened = alloc_zeroed(values * sizeof *s.opened);
    s.last_reload = alloc_zeroed(((size_t)c->ninsts + 1) * sizeof *s.last_reload);
    find_makers(c, f, s.maker);
    find_costs(&s);
    walk(&s);
    write_code(&s, to);
    mend_flow(&s);
    alloc_release(s.maker);
    alloc_release(s.cost);
    alloc_release(s.kept);
    alloc_release(s.outside);
    alloc_release(s.first);
    alloc_release(s.following);
    alloc_release(s.at);
    alloc_release(s.here);
    alloc_release(s.held);
    alloc_release(s.opened);
    alloc_release(s.reloads);
    alloc_release(s.last_reload);
}
