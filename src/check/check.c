/* A checked launch: its blocks, its findings, and which tool gets which record. */
#include "check/private.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "base/strbuf.h"
#include "heddle.h"
#include "space/registered.h"

static const struct {
    enum check_tool tool;
    enum check_severity severity;
    const char *name;
} kinds[CHECK_KINDS] = {
#define KIND(id, tool, severity, name) {CHECK_##tool, CHECK_##severity, name},
#include "check/kinds.def"
#undef KIND
};

enum check_tool check_kind_tool(enum check_kind k)
{
    return kinds[k].tool;
}

enum check_severity check_kind_severity(enum check_kind k)
{
    return kinds[k].severity;
}

const char *check_kind_name(enum check_kind k)
{
    return kinds[k].name;
}

struct check *check_open(unsigned tools, const struct space *space, const struct heap *heap)
{
    struct check *c = alloc_zeroed(sizeof *c);

    c->tools = tools;
    c->space = space;
    c->heap = heap;
    if (tools & CHECK_INITCHECK)
        written_open(c);
    return c;
}

void check_close(struct check *c)
{
    if (!c)
        return;
    written_close(c);
    order_free(c->spare);
    alloc_release(c);
}

void check_follow(struct check *c, void (*tell)(const struct check_group *g, int index, void *user), void *user)
{
    c->tell = tell;
    c->tell_user = user;
}

/* --- findings --- */

void check_thread(const struct check_launch *cl, unsigned warp, unsigned lane, uint32_t thread[3])
{
    for (int i = 0; i < 3; i++)
        thread[i] = cl->launch->tid[warp][i][lane];
}

struct check_finding check_at(const struct check_launch *cl, enum check_kind kind, const struct block *b, unsigned warp,
                              unsigned lane, int32_t site)
{
    struct check_finding f = {.kind = kind, .site = site, .by_site = -1, .part = -1};

    memcpy(f.block, b->id, sizeof f.block);
    check_thread(cl, warp, lane, f.thread);
    return f;
}

/* Which group a finding belongs to: an access of another space or size is another mistake. */
struct key {
    int32_t kind, site, by_site;
    uint8_t space, op, bytes, place;
};

struct keyed_group {
    struct check_group group;
    struct key key;
    int index;
    uint64_t told; /* its count when it was told last */
};

static struct keyed_group *new_group(struct check_launch *cl, const struct key *key)
{
    struct keyed_group *g = alloc_zeroed(sizeof *g);

    g->key = *key;
    g->index = cl->ngroups;
    g->group.kept = alloc_zeroed(CHECK_KEPT * sizeof *g->group.kept);
    cl->groups = alloc_resize(cl->groups, (size_t)(cl->ngroups + 1) * sizeof *cl->groups);
    cl->groups[cl->ngroups++] = &g->group;
    table_setn(&cl->by_key, (const char *)&g->key, sizeof g->key, g);
    return g;
}

static int32_t place_of(const struct check_launch *cl, int32_t site, int part)
{
    return cl->place[site * PLACES + 1 + part];
}

void check_add(struct check_launch *cl, const struct check_finding *f)
{
    enum { GROWN = 8 }; /* times the count it was told with: a few dozen lines for any count */
    struct key key = {(int32_t)f->kind,
                      place_of(cl, f->site, f->part),
                      f->by_site < 0 ? -1 : place_of(cl, f->by_site, -1),
                      f->space,
                      f->op,
                      f->bytes,
                      (uint8_t)f->place};
    struct keyed_group *k = table_getn(&cl->by_key, (const char *)&key, sizeof key);
    struct check_group *g;

    k = k ? k : new_group(cl, &key);
    g = &k->group;
    if (g->nkept < CHECK_KEPT)
        g->kept[g->nkept++] = *f;
    g->count++;
    if (cl->check->tell && g->count >= GROWN * k->told) {
        k->told = g->count;
        cl->check->tell(g, k->index, cl->check->tell_user);
    }
}

int check_groups(struct check_launch *cl, const struct check_group **groups)
{
    alloc_release(cl->shown);
    cl->shown = alloc_zeroed((size_t)(cl->ngroups + 1) * sizeof *cl->shown);
    for (int i = 0; i < cl->ngroups; i++)
        cl->shown[i] = *cl->groups[i];
    *groups = cl->shown;
    return cl->ngroups;
}

/* --- allocations --- */

static void add_allocation(const struct space_allocation *a, void *user)
{
    struct check_launch *cl = user;

    if (!(cl->nallocations & (cl->nallocations - 1))) /* a power of two: full */
        cl->allocations = alloc_resize(cl->allocations,
                                       sizeof *a * (cl->nallocations ? 2 * (size_t)cl->nallocations : 1));
    cl->allocations[cl->nallocations++] = *a;
}

static int by_address(const void *a, const void *b)
{
    const struct space_allocation *x = a, *y = b;

    return x->address < y->address ? -1 : x->address > y->address;
}

static bool holds(const struct space_allocation *a, uint64_t address)
{
    return address - a->address < a->bytes;
}

/* Index of the first live allocation behind the address. */
static int behind(const struct check_launch *cl, uint64_t address)
{
    int from = 0, to = cl->nallocations;

    while (from < to) {
        int middle = from + (to - from) / 2;

        if (cl->allocations[middle].address <= address)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

const struct space_allocation *check_allocation(struct check_launch *cl, uint64_t address)
{
    int next;

    if (cl->last < cl->nallocations && holds(&cl->allocations[cl->last], address))
        return &cl->allocations[cl->last];
    next = behind(cl, address);
    if (!next || !holds(&cl->allocations[next - 1], address))
        return NULL;
    cl->last = next - 1;
    return &cl->allocations[next - 1];
}

/* The allocation, if it was there when the launch was asked for. */
static const struct space_allocation *known(const struct check_launch *cl, const struct space_allocation *a)
{
    return a->serial <= cl->newest ? a : NULL;
}

void check_neighbours(const struct check_launch *cl, uint64_t address, const struct space_allocation **below,
                      const struct space_allocation **above)
{
    int next = behind(cl, address);

    *below = *above = NULL;
    for (int i = next - 1; i >= 0 && !*below; i--)
        *below = known(cl, &cl->allocations[i]);
    for (int i = next; i < cl->nallocations && !*above; i++)
        *above = known(cl, &cl->allocations[i]);
}

/* --- blocks --- */

static void race_found(void *user, const struct race_found *r);

/* The race's user: both are needed to say where. */
struct racing {
    struct check_launch *cl;
    struct check_block *b;
};

static struct check_block *new_block(struct check_launch *cl)
{
    struct check_block *b = alloc_zeroed(sizeof *b);
    struct racing *user = alloc_zeroed(sizeof *user);

    *user = (struct racing){cl, b};
    b->order = cl->check->spare ? cl->check->spare : order_new();
    cl->check->spare = NULL;
    b->racing = user;
    b->race = race_new(cl->launch->shared_bytes, cl->launch->threads, b->order, race_found, user);
    b->next = cl->blocks;
    cl->blocks = b;
    return b;
}

static struct check_block *begin_block(struct check_launch *cl, const struct block *block)
{
    struct check_block *b = cl->blocks;

    while (b && b->block)
        b = b->next;
    if (!b)
        b = new_block(cl);
    b->block = block;
    b->index = block->index;
    b->left = cl->launch->threads;
    b->narrivals = 0;
    b->nlate = 0;
    b->broken = 0;
    memset(b->gone, 0, sizeof b->gone);
    for (int w = 0; w < block->nwarps; w++) {
        uint32_t lanes = cl->launch->threads - 32 * (uint32_t)w;

        b->exist[w] = lanes >= 32 ? ~0u : (1u << lanes) - 1;
    }
    order_block(b->order, cl->launch->threads);
    if (check_uses(cl, CHECK_INITCHECK))
        written_block(cl, b);
    return b;
}

static struct check_block *find_block(const struct check_launch *cl, const struct block *block)
{
    for (struct check_block *b = cl->blocks; b; b = b->next)
        if (b->block == block && b->index == block->index)
            return b;
    return NULL;
}

static void free_block(struct check *c, struct check_block *b)
{
    order_free(c->spare);
    c->spare = b->order;
    race_free(b->race);
    alloc_release(b->racing);
    alloc_release(b->arrivals);
    alloc_release(b->late);
    alloc_release(b->shared);
    alloc_release(b->local);
    alloc_release(b);
}

/* --- races --- */

static void race_found(void *user, const struct race_found *r)
{
    static const enum check_kind kind[] = {[RACE_READ_AFTER_WRITE] = CHECK_READ_AFTER_WRITE,
                                           [RACE_WRITE_AFTER_READ] = CHECK_WRITE_AFTER_READ,
                                           [RACE_WRITE_AFTER_WRITE] = CHECK_WRITE_AFTER_WRITE};
    const struct racing *at = user;
    const struct record *now = at->b->now;
    struct check_finding f = check_at(at->cl, r->same_value ? CHECK_SAME_VALUE : kind[r->kind], at->b->block,
                                      r->thread / 32, r->thread % 32, (int32_t)r->site);

    f.by_site = (int32_t)r->by_site;
    f.space = now->space;
    f.op = now->op;
    f.bytes = now->bytes;
    f.address = r->address;
    f.has_values = r->has_values;
    f.now = r->now;
    f.then = r->then;
    f.async = r->by_async;
    check_thread(at->cl, r->by / 32, r->by % 32, f.by_thread);
    check_add(at->cl, &f);
}

/* --- the launch --- */

/* Unrolled and merged instructions of one source line, reached by the same calls, are one place, named by the first of them. */
static int32_t first_place(struct table *first, struct arena *names, struct strbuf *name, const struct ir_origin *from, int32_t here)
{
    strbuf_clear(name);
    for (const struct ptx_loc *l = from->loc; l && l->line; l = l->inlined_at)
        strbuf_addf(name, "%s:%d\n", l->file ? l->file : "", l->line);
    if (!name->len)
        return here;
    intptr_t known = (intptr_t)table_getn(first, name->s, name->len);
    if (known)
        return (int32_t)known - 1;
    table_setn(first, arena_strndup(names, name->s, name->len), name->len, (void *)(intptr_t)(here + 1));
    return here;
}

static int32_t *find_places(const struct ir_kernel *k)
{
    int32_t *place = alloc_zeroed(((size_t)k->ninsts + 1) * PLACES * sizeof *place);
    struct table first;
    struct arena names;
    struct strbuf name;

    table_init(&first);
    arena_init(&names);
    strbuf_init(&name);
    for (int32_t i = 0; i < k->ninsts; i++) {
        const struct ir_inst *in = &k->insts[i];

        place[i * PLACES] = first_place(&first, &names, &name, in->from, i * PLACES);
        for (int p = 0; in->parts && p < in->vec; p++)
            if (in->parts[p])
                place[i * PLACES + 1 + p] = first_place(&first, &names, &name, in->parts[p], i * PLACES + 1 + p);
    }
    arena_release(&names);
    strbuf_release(&name);
    table_release(&first);
    return place;
}

void check_observe(const struct record *r, const struct record_values *values, const struct block *block, void *user)
{
    struct check_launch *cl = user;
    struct check_block *b = find_block(cl, block);

    if (!b && r->op == RECORD_COMPLETE)
        return; /* all its threads have exited */
    if (!b)
        b = begin_block(cl, block);
    if (r->op == RECORD_STEP) {
        late_step(cl, b, r);
        return;
    }
    if (check_uses(cl, CHECK_INITCHECK))
        written_record(cl, b, r);
    if (cl->tools & (CHECK_RACECHECK | CHECK_SYNCCHECK))
        sync_record(cl, b, r, values);
    if (r->op != RECORD_EXIT)
        return;
    b->left -= (uint32_t)__builtin_popcount(r->mask);
    if (!b->left)
        b->block = NULL; /* its state serves another block */
}

struct check_launch *check_begin(struct check *c, struct launch *l, unsigned tools, uint64_t newest)
{
    struct check_launch *cl;

    tools &= c->tools;
    if (!tools)
        return NULL;
    cl = alloc_zeroed(sizeof *cl);
    cl->check = c;
    cl->tools = tools;
    cl->newest = newest;
    cl->launch = l;
    cl->late = tools & CHECK_INITCHECK ? late_find(l->kernel) : NULL;
    cl->watch = (struct watch){tools & CHECK_MEMCHECK ? bounds_refuse : NULL,
                               tools & CHECK_MEMCHECK ? bounds_bad_free : NULL, cl, cl->late};
    table_init(&cl->by_key);
    cl->place = find_places(l->kernel);
    registered_each(add_allocation, cl);
    space_each(c->space, add_allocation, cl);
    space_each_beyond(c->space, add_allocation, cl);
    if (cl->nallocations)
        qsort(cl->allocations, (size_t)cl->nallocations, sizeof *cl->allocations, by_address);
    l->watch = &cl->watch;
    l->ring_records = WATCHED_RECORDS;
    return cl;
}

void check_end(struct check_launch *cl)
{
    for (struct check_block *b = cl->blocks, *next; b; b = next) {
        next = b->next;
        free_block(cl->check, b);
    }
    for (int i = 0; i < cl->ngroups; i++) {
        alloc_release(cl->groups[i]->kept);
        alloc_release(cl->groups[i]);
    }
    alloc_release(cl->groups);
    alloc_release(cl->shown);
    alloc_release(cl->allocations);
    alloc_release(cl->late);
    alloc_release(cl->place);
    table_release(&cl->by_key);
    alloc_release(cl);
}
