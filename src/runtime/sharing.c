/* Kernels that share a device (see sharing.h). */
#include "runtime/sharing.h"

#include <stdbool.h>
#include <string.h>

#include "base/alloc.h"

enum {
    WHOLE = SHARING_WHOLE,
    COHORTS = 32, /* of one group; with more, none begins until one of them has ended */
    FEW = 8,      /* groups, with which all ends are exact; with more, */
    EARLY = 64    /* blocks that others follow end so much of their time early, with others */
};
/* A unit bounds a kernel that uses so much of it, as reports have it; a scheduler is never idle,
 * but for a launch's begin and end. */
#define BOUND  0.6
#define ALWAYS 0.8
#define NEVER  INT64_MAX

enum scope { SM, DEVICE };
static const enum scope scope_of[] = {
#define UNIT(id, of, metric, purpose) of,
#include "runtime/sharing_units.def"
#undef UNIT
};

struct sharing_kernel {
    uint64_t number;
    int priority;
    bool begun;
    uint64_t age;     /* those that came before have a lower one */
    uint64_t pending; /* blocks that nobody has begun */
    uint64_t places;  /* that its blocks have */
    int64_t block;    /* ps that one takes */
    int64_t first;    /* that the first one of each place takes more, as `block` is rounded down */
    int most;         /* blocks of it on a multiprocessor at once */
    int64_t room[SHARING_ROOMS];
    double
        use[SHARING_UNITS]; /* of its multiprocessor's or the device's unit, by a block that runs */
    bool issues;            /* issue slots bound it */
    double latency;         /* as in sharing_need */
    double waits[SHARING_UNITS];  /* part of its time, for L2 and for DRAM */
    double queued[SHARING_UNITS]; /* of the latency, in the queue of L2 or DRAM that bounds it */
};

/* Blocks of one kernel on each multiprocessor of a group, as far as each other. */
struct cohort {
    int kernel;   /* its rank */
    int n;        /* on each */
    int64_t left; /* ps that they take alone, with blocks that follow in their places */
    int64_t rate; /* parts of WHOLE */
    double cap;   /* the rate that their multiprocessor leaves them */
    bool fresh;
};

struct sharing_group {
    int sms, n;
    int64_t used[SHARING_ROOMS];
    struct cohort cohort[COHORTS];
};

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

void sharing_init(struct sharing *s, int sms, int grids)
{
    *s = (struct sharing){.sms = sms > 0 ? sms : 1, .grids = grids};
}

void sharing_release(struct sharing *s)
{
    alloc_release(s->group);
    alloc_release(s->kernel);
}

static void *copy_of(const void *p, size_t bytes)
{
    return memcpy(alloc_zeroed(bytes), p, bytes);
}

/* Where no kernel is, nothing is to be known of multiprocessors. */
void sharing_copy(struct sharing *to, const struct sharing *from)
{
    sharing_init(to, from->sms, from->grids);
    if (!from->nkernels)
        return;
    to->came = from->came;
    to->group = copy_of(from->group, (size_t)from->ngroups * sizeof *from->group);
    to->ngroups = to->group_cap = from->ngroups;
    to->kernel = copy_of(from->kernel, (size_t)from->nkernels * sizeof *from->kernel);
    to->nkernels = to->kernel_cap = from->nkernels;
}

/* --- kernels come --- */

/* What it does to others, and they to it. `here`: its blocks on a multiprocessor. */
static void waits_of(struct sharing_kernel *k, const struct sharing_need *need, double here)
{
    /* While they are busy, so is the scheduler. */
    static const enum sharing_unit keeps[] = {SHARING_ALU, SHARING_FMA, SHARING_FP16, SHARING_FP64};
    double part[SHARING_UNITS],
        keeping = 0; /* of a multiprocessor with its blocks; of the device */
    int bounds = 0;
    for (int u = 0; u < SHARING_UNITS; u++) {
        part[u] = scope_of[u] == SM ? k->use[u] * here : (double)need->use[u] / WHOLE;
        bounds = part[u] > part[bounds] ? u : bounds;
    }
    for (size_t i = 0; i < sizeof keeps / sizeof *keeps; i++)
        keeping = part[keeps[i]] > keeping ? part[keeps[i]] : keeping;
    keeping = part[SHARING_ISSUE] > keeping ? part[SHARING_ISSUE] : keeping;
    k->issues = bounds == SHARING_ISSUE && part[bounds] >= ALWAYS;
    k->use[SHARING_ISSUE] = (keeping >= ALWAYS ? 1 : keeping) / here;
    /* As far as it uses L2 and DRAM, it waits for them. */
    for (int u = SHARING_L2; u <= SHARING_DRAM; u++) {
        const double far = u == SHARING_DRAM ? (double)need->far / WHOLE : 1;
        const double waits = far * need->waits / WHOLE, uses = (double)need->use[u] / WHOLE;
        k->waits[u] = waits > uses ? waits : uses;
    }
    k->latency = (double)need->latency;
    if (scope_of[bounds] == DEVICE && part[bounds] >= BOUND)
        k->queued[bounds] = (double)need->queue;
}

static void shape(struct sharing_kernel *k, int sms, int64_t work, const struct sharing_need *need)
{
    const uint64_t all = (uint64_t)sms, fit = need->fit > all ? need->fit : all;
    const uint64_t waves = (need->blocks + fit - 1) / fit;
    const uint64_t together = need->blocks < fit ? need->blocks : fit; /* when it is alone */
    const uint64_t here = (together + all - 1) / all; /* of these on one multiprocessor, at most */
    bool known = false;
    k->pending = need->blocks;
    k->block = most(1, (int64_t)((uint64_t)work / waves));
    k->first = most(0, work - k->block * (int64_t)waves);
    k->most = (int)(fit / all);
    for (int r = 0; r < SHARING_ROOMS; r++) {
        k->room[r] = need->room[r];
        known |= need->room[r] > 0;
    }
    if (!known)
        k->room[SHARING_THREADS] = WHOLE / k->most;
    for (int u = 0; u < SHARING_UNITS; u++) {
        const double block = (double)need->use[u] / WHOLE * (double)waves / (double)need->blocks;
        const double limit = 1 / (double)(scope_of[u] == SM ? here : together);
        k->use[u] = scope_of[u] == SM ? block * sms : block; /* while it runs */
        k->use[u] = k->use[u] < limit ? k->use[u] : limit;   /* alone they slow nobody */
    }
    waits_of(k, need, (double)here);
}

void sharing_come(struct sharing *s, uint64_t number, int priority, int64_t work,
                  const struct sharing_need *need)
{
    int at = s->nkernels;
    if (!s->ngroups) {
        ALLOC_GROW(s->group, s->ngroups, s->group_cap);
        s->group[s->ngroups++] = (struct sharing_group){.sms = s->sms};
    }
    ALLOC_GROW(s->kernel, s->nkernels, s->kernel_cap);
    for (; at > 0 && s->kernel[at - 1].priority > priority; at--)
        s->kernel[at] = s->kernel[at - 1];
    s->nkernels++;
    s->kernel[at] =
        (struct sharing_kernel){.number = number, .priority = priority, .age = s->came++};
    shape(&s->kernel[at], s->sms, work, need);
    for (int g = 0; g < s->ngroups; g++)
        for (int c = 0; c < s->group[g].n; c++)
            s->group[g].cohort[c].kernel += s->group[g].cohort[c].kernel >= at;
}

/* --- blocks begin --- */

/* How many more blocks of the kernel have room on a multiprocessor of the group. */
static int64_t fits(const struct sharing_kernel *k, int rank, const struct sharing_group *g)
{
    int64_t n = g->n < COHORTS ? k->most : 0;
    for (int c = 0; c < g->n; c++)
        n -= g->cohort[c].kernel == rank ? g->cohort[c].n : 0;
    for (int r = 0; r < SHARING_ROOMS; r++)
        n = k->room[r] ? least(n, (WHOLE - g->used[r]) / k->room[r]) : n;
    return most(n, 0);
}

/* The first `sms` multiprocessors of a group stay in it, the others are a group of their own. */
static void split(struct sharing *s, int group, int sms)
{
    ALLOC_GROW(s->group, s->ngroups, s->group_cap);
    s->group[s->ngroups] = s->group[group];
    s->group[s->ngroups++].sms -= sms;
    s->group[group].sms = sms;
}

static void put(struct sharing_kernel *k, int rank, struct sharing_group *g, int n)
{
    const uint64_t blocks = (uint64_t)n * (uint64_t)g->sms;
    struct cohort *last = g->n ? &g->cohort[g->n - 1] : NULL;
    if (last && last->kernel == rank && last->fresh) {
        last->n += n;
    } else {
        const int64_t first = k->begun ? 0 : k->first;
        g->cohort[g->n++] =
            (struct cohort){.kernel = rank, .n = n, .left = k->block + first, .fresh = true};
    }
    for (int r = 0; r < SHARING_ROOMS; r++)
        g->used[r] += n * k->room[r];
    k->pending -= blocks;
    k->places += blocks;
}

/* Blocks that have just begun are followed by others in their places, as long as these are less
 * than half of those that have not begun. */
static void follow(struct sharing *s, int rank)
{
    struct sharing_kernel *k = &s->kernel[rank];
    const uint64_t more = k->places ? k->pending / (2 * k->places) : 0;
    for (int g = 0; g < s->ngroups; g++)
        for (int c = 0; c < s->group[g].n; c++) {
            struct cohort *o = &s->group[g].cohort[c];
            if (o->kernel != rank || !o->fresh)
                continue;
            o->fresh = false;
            o->left += (int64_t)more * k->block;
            k->pending -= more * (uint64_t)o->n * (uint64_t)s->group[g].sms;
        }
}

/* Gives a kernel places. True: all of its blocks have one. */
static bool place(struct sharing *s, int rank)
{
    struct sharing_kernel *k = &s->kernel[rank];
    while (k->pending) {
        int64_t room = 0, second = 0;
        int best = -1;
        for (int g = 0; g < s->ngroups; g++) {
            const int64_t n = fits(k, rank, &s->group[g]);
            if (n > room) {
                second = room;
                room = n;
                best = g;
            } else if (n > second) {
                second = n;
            }
        }
        if (best < 0)
            break;
        int64_t each =
            room > second ? room - second : 1; /* then it has no more room than another */
        const uint64_t sms = (uint64_t)s->group[best].sms;
        if (k->pending < sms)
            split(s, best, (int)k->pending);
        else
            each = least(each, (int64_t)(k->pending / sms));
        put(k, rank, &s->group[best], k->pending < sms ? 1 : (int)each);
    }
    follow(s, rank);
    return !k->pending;
}

/* Kernels of a lower rank have no more blocks follow in their places: somebody waits. */
static void cut(struct sharing *s, int rank)
{
    for (int g = 0; g < s->ngroups; g++)
        for (int c = 0; c < s->group[g].n; c++) {
            struct cohort *o = &s->group[g].cohort[c];
            struct sharing_kernel *k = &s->kernel[o->kernel];
            const int64_t blocks = o->kernel > rank ? (o->left - k->first - 1) / k->block
                                                    : 0; /* behind the one that runs */
            if (blocks <= 0)
                continue;
            o->left -= blocks * k->block;
            k->pending += (uint64_t)blocks * (uint64_t)o->n * (uint64_t)s->group[g].sms;
        }
}

uint64_t sharing_begin(struct sharing *s)
{
    int begun = 0;
    for (int rank = 0; rank < s->nkernels; rank++)
        begun += s->kernel[rank].begun;
    for (int rank = 0; rank < s->nkernels; rank++) {
        struct sharing_kernel *k = &s->kernel[rank];
        const bool all = (k->begun || begun < s->grids) && place(s, rank);
        if (!k->begun && k->places) {
            k->begun = true;
            return k->number;
        }
        if (!all) {
            cut(s, rank);
            break;
        }
    }
    return 0;
}

/* --- how fast they go --- */

enum { ALL_ISSUING = -1 };
#define NOTHING 1e-9 /* of a unit */

/* What blocks of some kernels want of a multiprocessor's unit, for a rate of 1 / length of their
 * blocks; and what others have of it. */
struct load {
    double want, has;
};

static bool is_asked(const struct sharing *s, const struct cohort *o, int who)
{
    return o->cap < 0 && (who == ALL_ISSUING ? s->kernel[o->kernel].issues : o->kernel == who);
}

/* Blocks of a kernel, or of all that issue slots bound, get of units what the others leave: rates
 * as the lengths of the blocks are, until a unit is full. Those that use it stay at that; true:
 * some of the others can have more. */
static bool fill_units(const struct sharing *s, struct sharing_group *g, int who)
{
    struct load load[SHARING_UNITS] = {{0}};
    double level = 1;
    bool found = false, more = false;
    for (int c = 0; c < g->n; c++) {
        const struct cohort *o = &g->cohort[c];
        const struct sharing_kernel *k = &s->kernel[o->kernel];
        const bool asked = is_asked(s, o, who);
        for (int u = 0; u < SHARING_UNITS; u++) {
            const double use = scope_of[u] == SM ? k->use[u] * o->n : 0;
            load[u].want += asked ? use * (double)k->block : 0;
            load[u].has += o->cap > 0 ? use * o->cap : 0;
        }
        level = asked && 1 / (double)k->block < level ? 1 / (double)k->block : level;
        found |= asked;
    }
    for (int u = 0; found && u < SHARING_UNITS; u++)
        if (load[u].want > 0 && load[u].want * level > 1 - load[u].has)
            level = load[u].has < 1 ? (1 - load[u].has) / load[u].want : 0;
    for (int c = 0; found && c < g->n; c++) {
        struct cohort *o = &g->cohort[c];
        const struct sharing_kernel *k = &s->kernel[o->kernel];
        const double rate = level * (double)k->block;
        bool full = rate >= 1 - NOTHING;
        for (int u = 0; u < SHARING_UNITS; u++)
            full |= scope_of[u] == SM && k->use[u] > 0 &&
                    load[u].has + load[u].want * level >= 1 - NOTHING;
        if (!is_asked(s, o, who))
            continue;
        if (full)
            o->cap = rate < 1 ? rate : 1;
        more |= !full;
    }
    return more;
}

/* What the units of a multiprocessor leave its blocks. */
static void share_units(const struct sharing *s, struct sharing_group *g)
{
    for (int c = 0; c < g->n; c++)
        g->cohort[c].cap = -1;
    while (fill_units(s, g, ALL_ISSUING))
        ;
    for (;;) {
        int oldest = -1;
        for (int c = 0; c < g->n; c++)
            if (g->cohort[c].cap < 0 &&
                (oldest < 0 || s->kernel[g->cohort[c].kernel].age < s->kernel[oldest].age))
                oldest = g->cohort[c].kernel;
        if (oldest < 0)
            return;
        while (fill_units(s, g, oldest))
            ;
    }
}

/* A cohort's rate where loads wait so long in the queues of L2 and DRAM. */
static double rate_of(const struct sharing_kernel *k, double cap, const double queue[SHARING_UNITS],
                      double longest)
{
    const double latency = k->latency > 0 ? k->latency : longest;
    double later = 0;
    for (int u = SHARING_L2; u <= SHARING_DRAM; u++)
        later += k->waits[u] * (queue[u] - k->queued[u]) / latency;
    return cap <= 0 || later <= 0 ? cap : 1 / (1 / cap + later);
}

/* What all use of L2 or DRAM then. */
static double used(const struct sharing *s, int unit, const double queue[SHARING_UNITS],
                   double longest)
{
    double use = 0;
    for (int g = 0; g < s->ngroups; g++)
        for (int c = 0; c < s->group[g].n; c++) {
            const struct cohort *o = &s->group[g].cohort[c];
            const struct sharing_kernel *k = &s->kernel[o->kernel];
            use += k->use[unit] * o->n * s->group[g].sms * rate_of(k, o->cap, queue, longest);
        }
    return use;
}

/* The queue of L2 or DRAM is as long as it must be for all to want no more than there is. */
static void lengthen(const struct sharing *s, int unit, double queue[SHARING_UNITS], double longest)
{
    enum { STEPS = 30 };
    const double least = queue[unit];
    double high = least > 1 ? least : 1;
    if (used(s, unit, queue, longest) <= 1 + NOTHING)
        return;
    for (int i = 0; i < STEPS; i++) {
        queue[unit] = high *= 2;
        if (used(s, unit, queue, longest) <= 1)
            break;
    }
    double low = least;
    for (int i = 0; i < STEPS; i++) {
        queue[unit] = (low + high) / 2;
        *(used(s, unit, queue, longest) > 1 ? &low : &high) = queue[unit];
    }
    queue[unit] = high;
}

static void set_rates(struct sharing *s)
{
    double queue[SHARING_UNITS] = {0}, longest = 0;
    for (int g = 0; g < s->ngroups; g++) {
        share_units(s, &s->group[g]);
        for (int c = 0; c < s->group[g].n; c++) {
            const struct cohort *o = &s->group[g].cohort[c];
            const struct sharing_kernel *k = &s->kernel[o->kernel];
            for (int u = SHARING_L2; u <= SHARING_DRAM; u++)
                queue[u] = k->queued[u] * o->cap > queue[u] ? k->queued[u] * o->cap : queue[u];
            for (int u = SHARING_L2; u <= SHARING_DRAM; u++)
                longest = k->queued[u] > longest ? k->queued[u] : longest;
            longest = k->latency > longest ? k->latency : longest;
        }
    }
    longest = longest > 0 ? longest : 1;
    for (int u = SHARING_L2; u <= SHARING_DRAM; u++)
        lengthen(s, u, queue, longest);
    for (int g = 0; g < s->ngroups; g++)
        for (int c = 0; c < s->group[g].n; c++) {
            struct cohort *o = &s->group[g].cohort[c];
            o->rate = most(
                1, (int64_t)(rate_of(&s->kernel[o->kernel], o->cap, queue, longest) * WHOLE + 0.5));
        }
}

static int running(const struct sharing *s)
{
    int n = 0;
    for (int rank = 0; rank < s->nkernels; rank++)
        n += s->kernel[rank].places > 0;
    return n;
}

/* How long a cohort takes for what it has left. */
static int64_t takes(const struct cohort *o)
{
    return o->rate == WHOLE
               ? o->left
               : (int64_t)(((unsigned __int128)(uint64_t)o->left * WHOLE + (uint64_t)o->rate - 1) /
                           (uint64_t)o->rate);
}

int64_t sharing_next(struct sharing *s)
{
    int64_t next = NEVER;
    const bool alone = running(s) < 2; /* it has all that it wants */
    for (int g = 0; g < s->ngroups; g++)
        for (int c = 0; c < s->group[g].n; c++)
            s->group[g].cohort[c].rate = WHOLE;
    if (!alone)
        set_rates(s);
    for (int g = 0; g < s->ngroups; g++)
        for (int c = 0; c < s->group[g].n; c++)
            next = least(next, takes(&s->group[g].cohort[c]));
    return next;
}

/* --- time goes on --- */

static bool same(const struct sharing_group *a, const struct sharing_group *b)
{
    for (int c = 0; c < a->n && a->n == b->n; c++)
        if (a->cohort[c].kernel != b->cohort[c].kernel || a->cohort[c].n != b->cohort[c].n ||
            a->cohort[c].left != b->cohort[c].left)
            return false;
    return a->n == b->n;
}

/* Groups whose multiprocessors are alike become one. */
static void merge(struct sharing *s)
{
    for (int a = 0; a < s->ngroups; a++)
        for (int b = a + 1; b < s->ngroups;)
            if (same(&s->group[a], &s->group[b])) {
                s->group[a].sms += s->group[b].sms;
                s->group[b] = s->group[--s->ngroups];
            } else {
                b++;
            }
}

/* Cohorts of a group that are over leave; those of one kernel that are as far as each other become
 * one. */
static void settle(struct sharing *s, struct sharing_group *g)
{
    int n = 0;
    for (int c = 0; c < g->n; c++) {
        const struct cohort o = g->cohort[c];
        struct sharing_kernel *k = &s->kernel[o.kernel];
        int with = 0;
        while (with < n && (g->cohort[with].kernel != o.kernel || g->cohort[with].left != o.left))
            with++;
        if (!o.left) {
            k->places -= (uint64_t)o.n * (uint64_t)g->sms;
            for (int r = 0; r < SHARING_ROOMS; r++)
                g->used[r] -= o.n * k->room[r];
        } else if (with < n) {
            g->cohort[with].n += o.n;
        } else {
            g->cohort[n++] = o;
        }
    }
    g->n = n;
}

void sharing_pass(struct sharing *s, int64_t ps)
{
    const bool many = s->ngroups > FEW;
    for (int g = 0; g < s->ngroups; g++) {
        for (int c = 0; c < s->group[g].n; c++) {
            struct cohort *o = &s->group[g].cohort[c];
            const struct sharing_kernel *k = &s->kernel[o->kernel];
            const int64_t early = many && k->pending ? k->block / EARLY : 0;
            const int64_t done =
                (int64_t)((unsigned __int128)(uint64_t)ps * (uint64_t)o->rate / WHOLE);
            o->left -= takes(o) <= ps + early ? o->left : least(o->left - 1, done);
        }
        settle(s, &s->group[g]);
    }
    merge(s);
}

uint64_t sharing_end(struct sharing *s)
{
    for (int rank = 0; rank < s->nkernels; rank++) {
        const uint64_t number = s->kernel[rank].number;
        if (s->kernel[rank].pending || s->kernel[rank].places)
            continue;
        s->nkernels--;
        memmove(&s->kernel[rank], &s->kernel[rank + 1],
                (size_t)(s->nkernels - rank) * sizeof *s->kernel);
        for (int g = 0; g < s->ngroups; g++)
            for (int c = 0; c < s->group[g].n; c++)
                s->group[g].cohort[c].kernel -= s->group[g].cohort[c].kernel > rank;
        return number;
    }
    return 0;
}
