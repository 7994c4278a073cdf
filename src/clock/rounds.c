/* Multiprocessors in pseudo-time (see rounds.h). */
#include "clock/rounds.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/team.h"
#include "clock/copies.h"
#include "clock/first.h"
#include "clock/order.h"
#include "clock/pace.h"
#include "clock/sm.h"
#include "clock/spills.h"
#include "clock/turn.h"
#include "clock/unit.h"
#include "interp/claim_check.h"
#include "ir/cfg.h"
#include "memory/caches.h"
#include "memory/lanes.h"
#include "memory/memory.h"
#include "simt/tally.h"
#include "target/pace.h"

#include "heddle.h"

enum {
    YIELD_CYCLES = 64,      /* a waiting loop looks again */
    GRID_CYCLES = 1024,     /* a block at the grid's barrier looks again */
    LEAST_THREADS = 4,      /* that are worth it where nobody asked for some: two are 1.1 times as fast, some launches slower */
    LEAST_SMS = 4, LEAST_WARPS = 64, /* for each of the host's threads: fewer are not worth another one */
    MOST_THREADS = 64,
    STUCK_CYCLES = 16384,   /* in which no warp ran but in a loop that waits: more than memory ever keeps all of them */
    PLACE_WORD = 64,
    WARPS_OF_BLOCK = 64,    /* at most */
    TICKS = PACE_TICKS      /* of a cycle */
};
#define FETCHES inline __attribute__((always_inline)) /* gcc takes a call of what only fetches for one without effect */
#define NEVER SM_NEVER
#define AT_L2 (SM_NEVER - 1)

/* A CTA slot that is free, and since when. */
struct request {
    uint64_t at;            /* ticks */
    uint32_t sm, cta_slot;
};

/* A launch, as one of the host's threads has it that run its SMs: parts of it are what all have in common, copied, and what is its own. The
 * first one is what blocks are handed out from, between slices. */
struct rounds {
    struct clock_run *c;    /* its own sites, counts and time */
    struct launch *l;
    struct l2 *l2;
    struct sms sms_of;
    struct sm *sm;          /* [sms], its, */
    struct l2_queue *queue; /* [sms], */
    struct turn_pool *turns; /* and memory of their turns */
    struct rounds *part;    /* [nparts] of all threads */
    uint32_t nparts, number; /* number: of this one */
    uint32_t *mine, nmine;  /* [sms] SMs that it has to run in this slice */
    struct copies *copies;  /* [sms * places] of warps, or NULL: nobody waits for groups of asynchronous copies */
    struct clock_run run;   /* `c`, but for the first one */
    struct exec_counts counts;
    struct team *team;      /* for L2, too: it may be more than run SMs */
    struct memory memory;
    struct record access;   /* that is looked at, */
    struct lines lines;     /* and its lines */
    struct record *ring;
    struct spill_records spilled; /* of the warp whose turn it is, with its spills */
    struct request *request; /* [sms * cta_slots] */
    uint32_t nrequests;
    uint64_t next;          /* block */
    uint64_t ended;         /* when the last block has, in ticks */
    uint64_t dispatched;    /* when the last one was, in cycles */
    uint32_t *turn, *in_turn; /* [sms]: an SM's number in the order in which they get blocks; the SM of that number */
    uint32_t last;          /* number of the SM that got a block last */
    uint32_t *first_free, *next_free; /* [sms], [sms * cta_slots]: 1 + the SM's first free CTA slot, 1 + the one after it;
                                           0: none */
    uint64_t *has_free;     /* bits of numbers: SMs with a free CTA slot */
    uint64_t block_start;   /* cycles from a block's end to the start of the one in its place: no less than a slice */
    uint64_t slice;         /* cycles that an SM runs on its own, before L2 serves what all asked for: no answer is earlier */
    uint64_t *busy;         /* bits of SMs that have a block, or have left something for L2 to do */
    uint64_t now;           /* of those that do not, in ticks: where the last slice ended */
    uint32_t sms, cta_slots, warps; /* warps: a block */
    uint32_t places, words; /* of an SM: cta_slots * warps */
    uint32_t slots;         /* subpartitions: a warp's is its place modulo these */
    uint64_t own;           /* bits of `runnable` that are the first one's */
    uint32_t queue_room;    /* accesses that can wait in a subpartition */
    uint64_t pass_ticks;    /* of a pass through the banks */
    bool *shares;           /* [nblocks]: the block of code accesses shared memory */
    uint64_t local_bytes;   /* of a warp, in the address of its local memory */
    void *state;            /* of the resident blocks: so many bytes each, and behind these what few blocks need */
    size_t state_bytes, block_bytes, aside;
    uint32_t places_of_state; /* of blocks, that are taken */
    bool moved;             /* something, since all SMs were looked at last */
    bool spins, gets_on;    /* since it was asked last: a warp ran in a loop that waits; one ran elsewhere */
} __attribute__((aligned(128))); /* what the host's caches move together */

/* The first busy SM from `sm` on, or r->sms. */
static uint32_t busy_from(const struct rounds *r, uint32_t sm)
{
    for (; sm < r->sms; sm = (sm / 64 + 1) * 64) {
        const uint64_t bits = r->busy[sm / 64] >> sm % 64;
        if (bits)
            return sm + (uint32_t)__builtin_ctzll(bits);
    }
    return r->sms;
}

/* The part that runs an SM: neighbours that share a texture cache are in one. */
static inline struct rounds *part_of(const struct rounds *r, uint32_t sm)
{
    const uint32_t together = r->c->caches->texture_bytes ? r->c->caches->texture_sms : 1;
    return &r->part[sm / together % r->nparts];
}

#define EACH_BUSY(i, r) for (uint32_t i = busy_from(r, 0); i < (r)->sms; i = busy_from(r, i + 1))

/* --- who can run --- */

/* The host fetches what a warp goes on with. */
static FETCHES void fetch_warp(const struct rounds *r, const struct sm *s, uint32_t place)
{
    const struct warp *w = &s->cta_slot[place / r->warps].warps[place % r->warps];
    __builtin_prefetch(w);
    __builtin_prefetch(&w->joins);
    __builtin_prefetch(w->split);
}

static void set_ready(const struct rounds *r, struct sm *s, uint32_t place, uint64_t at)
{
    s->ready[place] = at;
    heap_push(s, at << PLACE_BITS | place);
    fetch_warp(r, s, place);
}

/* Those whose time has come become runnable, or their accesses go on. */
static void look_at_wakes(const struct rounds *r, struct sm *s)
{
    while (s->nwakes && wake_time(s->wakes[0]) <= s->now) {
        wake_t w = heap_pop(s);
        uint32_t place = wake_place(w);
        if (place >= r->places) {
            const struct turn *a = &s->turn[place - r->places];
            if (a->in_pipe && a->since == wake_time(w))
                issue_add(&s->before_pipe[(place - r->places) % r->slots], place - r->places);
        } else if (s->ready[place] == wake_time(w)) {
            s->runnable[place / PLACE_WORD] |= UINT64_C(1) << place % PLACE_WORD;
        }
    }
}

static void no_longer(struct sm *s, uint32_t place)
{
    s->runnable[place / PLACE_WORD] &= ~(UINT64_C(1) << place % PLACE_WORD);
    s->ready[place] = NEVER;
}

static bool is_runnable(const struct sm *s, uint32_t place)
{
    return s->runnable[place / PLACE_WORD] >> place % PLACE_WORD & 1;
}

/* Can one of the subpartition's warps run? */
static bool can_run(const struct rounds *r, const struct sm *s, uint32_t subpartition)
{
    uint64_t bits = 0;
    for (uint32_t w = 0; w < r->words; w++)
        bits |= s->runnable[w];
    return bits & r->own << subpartition;
}

static bool is_shared(const struct ir_inst *in)
{
    return ir_is_memory(in) && in->space == PTX_SHARED;
}

/* Is the block of code at which the warp stands one with accesses to shared memory? */
static bool shares(const struct rounds *r, const struct sm *s, uint32_t place)
{
    const struct warp *w = &s->cta_slot[place / r->warps].warps[place % r->warps];
    return w->nsplits && r->shares[r->l->kernel->insts[w->split[w->current].pc].block];
}

/* The oldest of the subpartition's warps that can run. One that comes to shared memory cannot as long as the queue has no room; *next: lowered to when it has. */
static bool choose(const struct rounds *r, const struct sm *s, uint32_t subpartition, uint32_t *place, uint64_t *next)
{
    const uint64_t own = r->own << subpartition, room = issue_room(&s->before_pipe[subpartition], r->queue_room);
    uint32_t oldest = UINT32_MAX;
    for (uint32_t w = 0; w < r->words; w++)
        for (uint64_t bits = s->runnable[w] & own; bits; bits &= bits - 1) {
            const uint32_t i = w * PLACE_WORD + (uint32_t)__builtin_ctzll(bits);
            if (s->age[i] >= oldest)
                continue;
            if (room > s->now && shares(r, s, i)) {
                *next = room < *next ? room : *next;
                continue;
            }
            oldest = s->age[i];
            *place = i;
        }
    return oldest != UINT32_MAX;
}

/* A warp waits at a site for some ticks. */
static void stall(const struct rounds *r, uint32_t site, enum counter why, uint64_t ticks)
{
    r->c->sites[site].v[why] += ticks;
}

/* A load from constant memory that is an instruction, no operand. */
static bool loads_constant(const struct rounds *r, uint32_t site)
{
    return r->l->kernel->insts[site].space == PTX_CONST && r->c->pace->first[site] >= 0;
}

/* What the turn stood still for since it was asked last. */
static void stall_for_data(const struct rounds *r, struct turn *a)
{
    const struct ir_inst *in = &r->l->kernel->insts[a->site_late];
    const bool soon = in->space == PTX_SHARED || loads_constant(r, a->site_late);
    if (a->fenced)
        stall(r, a->site_fence, COUNTER_STALL_MEMBAR, a->fenced);
    if (a->stood)
        stall(r, a->site_late, soon ? COUNTER_STALL_SHORT_SCOREBOARD : in->space == PTX_CONST ? COUNTER_STALL_IMC_MISS : COUNTER_STALL_LONG_SCOREBOARD, a->stood);
    a->stood = a->fenced = 0;
}

/* L2 tells the place in its turn of each access, and the warp: places are r->places apart, so that those that are in use are neighbours. */
static void make_waiters(const struct rounds *r, uint32_t sm, const struct turn *a)
{
    struct sm *s = &r->sm[sm];
    struct l2_queue *q = &r->queue[sm];
    const uint32_t all = (r->copies ? COPY_PLACES : a->n < TURN_WAITED ? a->n : TURN_WAITED) * r->places;
    if (all <= s->waiters_room)
        return;
    q->waiter = alloc_resize(q->waiter, all * sizeof *q->waiter);
    memset(q->waiter + s->waiters_room, 0, (all - s->waiters_room) * sizeof *q->waiter);
    s->waiters_room = all;
}

/* The warp's accesses have gone and what they bring has come. *until: raised to when its turn ends. */
static bool is_through(const struct rounds *r, uint32_t sm, uint32_t place, uint64_t *until)
{
    struct turn *a = &r->sm[sm].turn[place];
    const bool through = !a->in_pipe && turn_wait_all(a);
    *until = later(*until, turn_end(a));
    return through;
}

/* Does a warp of the CTA slot wait for L2, or for the pipe? *until: raised to when the turns of those that do not have ended. */
static bool asks(const struct rounds *r, uint32_t sm, uint32_t cta_slot, uint64_t *until)
{
    bool pending = false;
    for (uint32_t i = 0; i < r->warps; i++)
        pending |= !is_through(r, sm, cta_slot * r->warps + i, until);
    return pending;
}

static void wait_for_l2(struct sm *s, uint32_t place, uint64_t least)
{
    s->ready[place] = AT_L2;
    s->least[place] = least;
}

/* The warp, which waits for its own data, may have them now. */
static void look_at_warp(struct rounds *r, uint32_t sm, uint32_t place)
{
    struct sm *s = &r->sm[sm];
    uint64_t at = s->least[place];
    if (s->ready[place] != AT_L2 || !is_through(r, sm, place, &at))
        return;
    set_ready(r, s, place, at);
    r->moved = true;
}

/* The CTA slot's warps, which have met and wait for each other's data, may have them now. */
static void look_at_warps(struct rounds *r, uint32_t sm, uint32_t cta_slot)
{
    struct sm *s = &r->sm[sm];
    uint64_t until = 0;
    for (uint32_t i = 0; i < r->warps; i++)
        if (!is_through(r, sm, cta_slot * r->warps + i, &until))
            return;
    for (uint32_t place = cta_slot * r->warps; place < (cta_slot + 1) * r->warps; place++)
        if (s->ready[place] == AT_L2) {
            set_ready(r, s, place, later(s->least[place], until));
            r->moved = true;
        }
}

/* The warp's next access goes to the pipe when its time comes. */
static void go_on(const struct rounds *r, uint32_t sm, uint32_t place)
{
    struct sm *s = &r->sm[sm];
    struct turn *a = &s->turn[place];
    a->since = later(turn_issue(a), a->since);
    heap_push(s, a->since << PLACE_BITS | (place + r->places));
}

/* The host fetches what look_at_answers will need of an SM, in steps. */
static FETCHES void fetch_told(const struct rounds *r, uint32_t i, uint32_t ahead)
{
    if (i + ahead >= r->nmine)
        return;
    const uint32_t sm = r->mine[i + ahead];
    const struct l2_queue *q = &r->queue[sm];
    for (uint32_t n = 0; n < q->ntold; n++) {
        const struct turn *a = &r->sm[sm].turn[q->told[n] % r->places];
        __builtin_prefetch(ahead > 1 ? (const void *)a : &a->waited[q->told[n] / r->places]);
    }
}

/* All that a place of a turn waited for is there, or known to come: its warp goes on, or will. */
static void told(struct rounds *r, uint32_t sm, uint32_t waiter)
{
    struct sm *s = &r->sm[sm];
    const uint32_t place = waiter % r->places;
    struct turn *a = &s->turn[place];
    struct cta_slot *t = &s->cta_slot[place / r->warps];
    uint32_t of_turn;
    if (waiter / r->places >= TURN_WAITED) {
        if (copies_told(&r->copies[(size_t)sm * r->places + place], &r->queue[sm].waiter[place], r->places, &of_turn))
            told(r, sm, of_turn * r->places + place);
        return;
    }
    turn_told(a, waiter / r->places, &r->queue[sm].waiter[waiter]);
    if (a->held && turn_wait_next(a)) {
        a->held = false;
        go_on(r, sm, place);
    } else if (t->together) {
        t->told = true;
    } else {
        look_at_warp(r, sm, place);
    }
}

/* Warps that L2 has answered have a time now, and so have accesses that need what it said. */
static void look_at_answers(struct rounds *r, uint32_t sm)
{
    struct sm *s = &r->sm[sm];
    struct l2_queue *q = &r->queue[sm];
    for (uint32_t i = 0; i < q->ntold; i++)
        told(r, sm, q->told[i]);
    q->ntold = 0;
    for (uint32_t waiter; s->fences.n && fences_end(&s->fences, q, r->c->caches, s->now / TICKS, &waiter);)
        told(r, sm, waiter);
    for (uint32_t i = 0; s->taken && i < r->cta_slots; i++) {
        if (!s->cta_slot[i].told)
            continue;
        s->cta_slot[i].told = false;
        if (s->cta_slot[i].together)
            look_at_warps(r, sm, i);
        else
            for (uint32_t k = 0; k < r->warps; k++)
                look_at_warp(r, sm, i * r->warps + k);
    }
}

/* --- one turn --- */

static uint64_t cycles(uint64_t ticks)
{
    return ticks / TICKS;
}

/* Constants have caches of their own. Returns the cycle in which the warp has its data. */
static uint64_t load_constants(struct rounds *r, uint32_t sm, const struct record *rec, uint64_t at)
{
    struct sm *s = &r->sm[sm];
    unsigned busy;
    uint64_t start = later(at, s->constant_port), ready = constants_access(s->constants, rec, start, r->c->sites, &r->queue[sm], &busy);
    s->constant_port = start + busy;
    return ready;
}

static bool is_texture(const struct rounds *r, const struct sm *s, const struct record *rec)
{
    return s->textures && (rec->op == RECORD_TEXTURE || (rec->nc && rec->op == RECORD_LOAD && r->c->caches->texture_readonly));
}

/* A fence that holds for the device. Returns for how many cycles it keeps the pipe. */
static uint64_t fence(struct rounds *r, uint32_t sm, uint32_t place, uint64_t at)
{
    struct sm *s = &r->sm[sm];
    struct turn *a = &s->turn[place];
    struct l2_queue *q = &r->queue[sm];
    const uint32_t waiter = turn_place(a) * r->places + place;
    l1_drain(s->l1, UINT64_MAX, q);
    fences_add(&s->fences, q, r->c->caches, at, waiter);
    issue_gone(&s->before_pipe[place % r->slots], at * TICKS, true);
    turn_went(a, 0, &q->waiter[waiter]);
    return 1;
}

/* A group of asynchronous copies is closed, or some are waited for. */
static uint64_t group(struct rounds *r, uint32_t sm, uint32_t place, uint64_t at)
{
    struct sm *s = &r->sm[sm];
    struct turn *a = &s->turn[place];
    struct copies *c = &r->copies[(size_t)sm * r->places + place];
    struct l2_waiter *own = &r->queue[sm].waiter[place];
    uint64_t there = 0;
    turn_record(a, r->turns, &r->access);
    if (r->access.op == RECORD_COMMIT)
        copies_commit(c, own, r->places);
    else
        copies_wait(c, (uint32_t)r->access.addr[0], r->access.elem, turn_place(a), own, r->places, &there);
    issue_gone(&s->before_pipe[place % r->slots], at * TICKS, true);
    turn_went(a, there, &own[turn_place(a) * r->places]);
    return 0;
}

/* The warp's next access goes to the counters and, from cycle `at` on, through the SM's L1. Returns for how many cycles it keeps the pipe. */
static uint64_t next_access(struct rounds *r, uint32_t sm, uint32_t place, uint64_t at)
{
    struct sm *s = &r->sm[sm];
    struct turn *a = &s->turn[place];
    const struct record *rec = &r->access;
    struct l2_queue *q = &r->queue[sm];
    if (turn_next(a)->op == RECORD_FENCE)
        return fence(r, sm, place, at);
    if (turn_next(a)->op >= RECORD_COMMIT)
        return group(r, sm, place, at);
    if (s->fences.nended && fences_forget(&s->fences, at))
        l1_invalidate(s->l1);
    turn_record(a, r->turns, &r->access);
    struct copies *copies = r->copies && rec->op == RECORD_LDGSTS ? &r->copies[(size_t)sm * r->places + place] : NULL;
    const uint32_t own = (copies ? copies_place(copies) : turn_place(a)) * r->places + place, waiter = rec->op == RECORD_STORE || rec->op == RECORD_RED ? L2_NOBODY : own;
    const uint64_t data = s->data, port = s->constant_port, unit = s->texture_port;
    uint64_t local = CACHES_LOCAL + ((uint64_t)sm * r->places + place) * r->local_bytes, until = 0, busy = 1, there = 0 /* in ticks */;
    bool cached = (rec->space == PTX_GLOBAL || rec->space == PTX_LOCAL) && rec->op != RECORD_SULD && rec->op != RECORD_SUST, texture = cached && is_texture(r, s, rec);
    unsigned lines;
    if (!cached || texture) {
        memory_access(&r->memory, rec);
    } else {
        l1_lines(s->l1, rec, local, &r->lines);
        memory_access_of(&r->memory, rec, r->lines.touched);
    }
    if (rec->space == PTX_CONST)
        until = load_constants(r, sm, rec, at);
    if (rec->space == PTX_SHARED) {
        there = unit_keep_data(s, at * TICKS, unit_passes(rec), r->pass_ticks) + (uint64_t)(r->c->caches->shared_latency - 1) * TICKS;
        busy = 0;
    }
    if (cached) {
        unsigned missed = texture ? textures_access(s->textures, rec, at, waiter, r->c->sites, q, &lines)
                                  : l1_access(s->l1, rec, &r->lines, local, at, waiter, r->c->sites, q, &lines, &until);
        if (rec->op == RECORD_STORE)
            busy = unit_store_cycles(r->c->caches, rec, lines);
        else if (rec->op == RECORD_RED || rec->op == RECORD_ATOM)
            busy = (uint64_t)lines * r->c->caches->red_line_cycles;
        else if (rec->op == RECORD_TEXTURE)
            busy = unit_fetch_cycles(r->c->caches, s, rec, lines, missed > 0, at, &there);
        else
            busy = unit_load_cycles(r->c->caches, s, rec, lines, missed > 0, at, r->pass_ticks, &there);
    }
    issue_gone(&s->before_pipe[place % r->slots], later(at * TICKS, s->data != data ? data : later(s->constant_port != port ? port : 0, s->texture_port != unit ? unit : 0) * TICKS),
               rec->space != PTX_SHARED && rec->space != PTX_CONST);
    there = later(there, later(until, at + busy) * TICKS);
    if (copies)
        copies_add(copies, there);
    turn_went(a, there, &q->waiter[own]);
    return busy;
}

/* The warp's accesses of this turn wait for the pipe. */
static void enter_pipe(struct rounds *r, uint32_t sm, uint32_t place)
{
    struct sm *s = &r->sm[sm];
    struct turn *a = &s->turn[place];
    if (a->next == a->n)
        return;
    a->in_pipe = true;
    a->stores = (int16_t)r->c->caches->stores_at_once;
    a->since = later(s->now, turn_issue(a));
    if (a->since > s->now)
        heap_push(s, a->since << PLACE_BITS | (place + r->places));
    else
        issue_add(&s->before_pipe[place % r->slots], place);
}

/* When the pipe can take an access; NEVER: none waits. *which: of which subpartition. */
static uint64_t pipe_next(const struct rounds *r, struct sm *s, uint32_t *which)
{
    uint64_t first = NEVER;
    for (uint32_t i = 0, k = s->next_queue; i < r->slots; i++, k = k + 1 == r->slots ? 0 : k + 1) {
        struct issue_queue *q = &s->before_pipe[k];
        const uint64_t at = q->n ? later(issue_first(q, s->turn, r->queue_room), s->pipe) : NEVER;
        if (at < first) {
            first = at;
            *which = k;
        }
    }
    return first;
}

static void look_again(struct rounds *r, struct sm *s, uint32_t cta_slot);
static bool all_wait(const struct rounds *r, const struct sm *s, uint32_t cta_slot);

/* The warp's last access has gone. */
static void leave_pipe(struct rounds *r, uint32_t sm, uint32_t place)
{
    struct sm *s = &r->sm[sm];
    uint32_t cta_slot = place / r->warps;
    struct turn *a = &s->turn[place];
    const uint64_t ends = turn_end(a);
    a->in_pipe = false;
    if (s->now > ends && !a->open) { /* its last access had to wait for the pipe, and nothing that it waits for anyway */
        const bool done = s->cta_slot[cta_slot].b && !s->cta_slot[cta_slot].b->warps[place % r->warps].alive;
        stall(r, (uint32_t)a->last_site, done ? COUNTER_STALL_DRAIN : !a->n ? COUNTER_STALL_LG_THROTTLE : unit_full(&a->access[a->n - 1], a->access[a->n - 1].space != PTX_SHARED), s->now - ends);
    }
    a->least = later(a->least, s->now);
    if (s->cta_slot[cta_slot].together)
        look_at_warps(r, sm, cta_slot);
    else
        look_at_warp(r, sm, place);
    if (s->cta_slot[cta_slot].b && all_wait(r, s, cta_slot))
        look_again(r, s, cta_slot);
}

/* An access waits here as long as too many of the SM's stores are on their way: but for a store that L1 can keep, and for a load as long as L1
 * keeps none; a reduction, as long as too many reductions are. `at`: now; the turn's `since` is raised. */
static bool may_go(struct rounds *r, uint32_t sm, struct turn *a, uint64_t at)
{
    const struct turn_access *next = turn_next(a);
    const struct caches_config *c = r->c->caches;
    if (next->space != PTX_GLOBAL)
        return true;
    const bool reduces = next->op == RECORD_RED;
    const uint64_t room = l2_room(reduces ? &r->queue[sm].reductions : &r->queue[sm].stores, reduces ? c->reductions_waiting : c->stores_waiting, cycles(at));
    if (room <= cycles(at))
        return true;
    bool waits = true;
    if (next->op == RECORD_STORE) {
        if (!a->lines) {
            turn_record(a, r->turns, &r->access);
            l1_lines(r->sm[sm].l1, &r->access, 0, &r->lines);
            a->lines = (uint16_t)(1 + l1_lines_held(&r->lines));
        }
        waits = !l1_holds(r->sm[sm].l1, a->lines - 1u);
    } else if (next->op == RECORD_LOAD) {
        waits = !l1_has_drained(r->sm[sm].l1);
    }
    a->since = waits ? room * TICKS : a->since;
    return !waits;
}

/* The next access of the turn goes to the queue when that has room, and all behind it that much later. Where only global accesses are in it, it is
 * their queue that is full. */
static void issue(const struct rounds *r, const struct issue_queue *q, struct turn *a)
{
    const uint64_t room = issue_room(q, r->queue_room), at = turn_issue(a);
    if (room <= at)
        return;
    stall(r, turn_next(a)->site, unit_full(turn_next(a), issue_all_global(q, r->queue_room)), room - at);
    turn_delay(a, room - at);
}

/* Accesses go through the pipe, up to now. Subpartitions have their turns. In one the oldest warp does its loads and some stores, then it gives way. One that
 * needs data has its turn when they are there. */
static void run_pipe(struct rounds *r, uint32_t sm)
{
    struct sm *s = &r->sm[sm];
    uint32_t k = 0;
    for (uint64_t at; (at = pipe_next(r, s, &k)) <= s->now;) {
        struct issue_queue *q = &s->before_pipe[k];
        if (!q->chosen)
            issue_choose(q, s->turn, s->age, r->queue_room, s->now);
        const uint32_t which = q->chosen - 1, place = q->place[which];
        struct turn *a = &s->turn[place];
        const bool known = turn_wait_next(a), free = may_go(r, sm, a, at);
        const bool goes = known && free && turn_issue(a) <= at;
        s->next_queue = k + 1 == r->slots ? 0 : k + 1;
        if (known && !free) {
            issue_later(q);
            continue; /* so do those behind it */
        }
        if (goes) {
            const bool store = turn_next(a)->op == RECORD_STORE;
            issue(r, q, a);
            s->pipe = at + next_access(r, sm, place, cycles(at)) * TICKS;
            a->stores = (int16_t)(a->stores - store);
        }
        const bool more = a->next < a->n, soon = goes && more && turn_issue(a) <= later(s->now, s->pipe);
        if (soon && (a->stores > 0 || turn_next(a)->op != RECORD_STORE))
            continue;
        issue_drop(q, which);
        if (!known) {
            a->stores = (int16_t)r->c->caches->stores_at_once;
            a->held = true;
        } else if (soon) {
            q->last = place + 1;
            a->since = s->now;
            issue_add(q, place);
        } else if (more) {
            go_on(r, sm, place);
        } else {
            leave_pipe(r, sm, place);
        }
    }
}

/* Warps of the CTA slot that wait look again, each `apart` ticks after the one before; where they have met, not before
 * each of them had its data. */
static void wake(struct rounds *r, struct sm *s, uint32_t cta_slot, uint64_t at, uint64_t apart, bool met)
{
    struct cta_slot *t = &s->cta_slot[cta_slot];
    if (met)
        at += ((uint64_t)r->c->caches->barrier + (uint64_t)t->b->nwarps * r->c->caches->barrier_warp) * TICKS;
    t->together = met && asks(r, (uint32_t)(s - r->sm), cta_slot, &at); /* which raises `at` */
    for (int i = 0; i < t->b->nwarps; i++) {
        uint32_t place = cta_slot * r->warps + (uint32_t)i;
        if (s->ready[place] != NEVER || t->over >> i & 1)
            continue;
        if (t->together || s->turn[place].in_pipe)
            wait_for_l2(s, place, at);
        else
            set_ready(r, s, place, at + apart * (uint64_t)i);
    }
}

static bool all_wait(const struct rounds *r, const struct sm *s, uint32_t cta_slot)
{
    for (uint32_t i = 0; i < r->warps; i++)
        if (s->ready[cta_slot * r->warps + i] != NEVER || s->turn[cta_slot * r->warps + i].in_pipe)
            return false;
    return true;
}

/* Accesses that a warp has left undone are not done. */
static void forget(struct rounds *r, struct sm *s, uint32_t place)
{
    struct issue_queue *q = &s->before_pipe[place % r->slots];
    struct turn *a = &s->turn[place];
    if (!a->in_pipe)
        return;
    a->in_pipe = a->held = false;
    for (uint32_t i = 0; i < q->n; i++)
        if (q->place[i] == place) {
            issue_drop(q, i);
            break;
        }
}

static void retire(struct rounds *r, struct sm *s, uint32_t cta_slot)
{
    uint64_t end = s->now;
    for (int i = 0; i < s->cta_slot[cta_slot].b->nwarps; i++) {
        uint64_t of_warp = s->cta_slot[cta_slot].since;
        is_through(r, (uint32_t)(s - r->sm), cta_slot * r->warps + (uint32_t)i, &of_warp);
        stall_for_data(r, &s->turn[cta_slot * r->warps + (uint32_t)i]);
        r->c->time.warps += cycles(of_warp - s->cta_slot[cta_slot].since);
        end = later(end, of_warp);
    }
    for (uint32_t i = 0; i < r->warps; i++) {
        if (r->c->spills)
            s->in[cta_slot * r->warps + i].lanes = 0;
        no_longer(s, cta_slot * r->warps + i);
        forget(r, s, cta_slot * r->warps + i);
    }
    s->unbegun -= (uint32_t)s->cta_slot[cta_slot].b->nwarps - s->cta_slot[cta_slot].begun;
    if (r->c->blocks)
        r->c->blocks[s->cta_slot[cta_slot].b->index] = (struct clock_block){cycles(s->cta_slot[cta_slot].since), cycles(end), (uint32_t)(s - r->sm)};
    s->cta_slot[cta_slot].b = NULL;
    if (!--s->taken)
        r->c->time.active += cycles(end - s->since);
    r->ended = later(r->ended, end);
    __atomic_add_fetch(&r->l->past, 1, __ATOMIC_RELAXED);
    r->request[r->nrequests++] = (struct request){end + r->block_start * TICKS, (uint32_t)(s - r->sm), cta_slot};
    r->moved = true;
    if (r->l->cooperative)
        __atomic_add_fetch(&r->l->blocks_done, 1, __ATOMIC_SEQ_CST);
}

/* All warps of the block wait, or have ended. */
static void look_again(struct rounds *r, struct sm *s, uint32_t cta_slot)
{
    struct cta_slot *t = &s->cta_slot[cta_slot];
    struct block *b = t->b;
    const bool nobody = (int)t->failed + b->warps_done == b->nwarps; /* is left to look again */
    if (t->failed && (!t->moved || nobody || ++t->passes == CLOCK_LAST_PASSES)) {
        launch_stop(r->l, b->index);
        retire(r, s, cta_slot);
        return;
    }
    if (b->warps_done == b->nwarps) {
        retire(r, s, cta_slot);
        return;
    }
    uint64_t at = s->now;
    if (!t->moved && block_waits_for_grid(b)) {
        at += (uint64_t)GRID_CYCLES * TICKS;
    } else if (!t->moved && !t->spins && !clock_release_all(b)) {
        clock_deadlock(b);
        retire(r, s, cta_slot);
        return;
    }
    r->moved |= t->moved;
    t->moved = t->spins = false;
    wake(r, s, cta_slot, at, 0, false);
}

/* Does the warp stand in a loop whose end depends on what another thread writes? */
static bool in_waiting_loop(const struct ir_kernel *k, const struct warp *w)
{
    if (!w->alive || !k->has_waiting_loop)
        return false;
    for (int32_t l = k->blocks[k->insts[w->split[w->current].pc].block].loop; l >= 0; l = k->loops[l].parent)
        if (k->loops[l].waiting)
            return true;
    return false;
}

/* The warp stands at the head of a block that is part of the same block of the machine code as the accesses of its turn: a way whose instructions
 * are under a predicate there, or the next of the turns of an unrolled loop that stand side by side. */
static bool goes_on(const struct rounds *r, const struct warp *w, const struct turn *a, int *turn)
{
    const struct ir_inst *insts = r->l->kernel->insts;
    const struct pace_block *blocks = r->c->pace->block;
    if (!a->n || !w->nsplits || a->local || r->c->caches->no_rounds)
        return false;
    const int32_t pc = w->split[w->current].pc, block = insts[pc].block, owner = blocks[block].owner;
    if (owner != blocks[a->block].owner || cfg_reads_time(&insts[pc]))
        return false;
    *turn += block == owner;
    return *turn < blocks[block].rounds;
}

/* The warp waits at a barrier: what is behind that of its block. passes: of all of it; those behind are taken to be as many as accesses. */
static struct turn_rest rest_of(const struct rounds *r, const struct warp *w, uint64_t passes)
{
    struct turn_rest rest = {.block = -1};
    if (w->nsplits != 1)
        return rest;
    const struct target_pace *pace = r->c->pace;
    const int32_t pc = w->split[0].pc, at = pc > 0 && !ir_is(&r->l->kernel->insts[pc], PTX_KIND_BARRIER) ? pc - 1 : pc;
    if (!ir_is(&r->l->kernel->insts[at], PTX_KIND_BARRIER) || pace->first[at] < 0)
        return rest;
    const int32_t block = r->l->kernel->insts[at].block;
    const struct exec_pace *whole = &r->c->block_pace[pace->block[block].owner];
    const uint64_t passed = (uint64_t)pace->access[pace->first[at]].at * TICKS;
    rest = (struct turn_rest){.block = block, .passed = pace->access[pace->first[at]].at};
    rest.span = whole->span > passed ? whole->span - passed : 0;
    rest.busy = whole->span ? rest.span * whole->busy / whole->span : 0;
    const struct ir_block *b = &r->l->kernel->blocks[block];
    uint64_t all = 0, behind = 0;
    for (int32_t i = b->first; i < b->first + b->count; i++) {
        const bool shared = is_shared(&r->l->kernel->insts[i]);
        all += shared;
        behind += shared && i > at;
    }
    rest.passes = all ? passes * behind / all : 0;
    return rest;
}

/* What a warp reads as %clock: when the machine code issues that, if the warp had been alone since its turn began. Accesses before it are of an
 * earlier turn (ir/cfg.h). */
static uint64_t cycles_now(const struct launch *l, const struct warp *w, int32_t site)
{
    const struct rounds *r = l->now_of;
    const struct sm *s = &r->sm[w->block->sm];
    const struct turn_rest *rest = &s->of_warp->rest;
    const int32_t block = l->kernel->insts[site].block, first = r->c->pace->first[site];
    const uint64_t end = s->warp_begin + w->span; /* of the block, */
    const bool midst = rest->block == block && end == s->now; /* or, where the turn began in the midst of it, at a barrier, of that */
    const uint64_t begin = midst ? end : end - r->c->block_pace[block].span, from = midst ? rest->passed : pace_begin(r->c->pace, l->kernel, block);
    const uint64_t at = first < 0 ? 0 : r->c->pace->access[first].at;
    return cycles(begin + (at > from ? at - from : 0) * TICKS);
}

/* For how long the warp waits for the instructions of a block of its code, in ticks: the first one on an SM has them fetched, line by line. */
static uint64_t fetch(const struct rounds *r, struct sm *s, int32_t of)
{
    const int32_t block = r->c->pace->block[of].owner;
    if (!s->code[block])
        s->code[block] = s->now + (uint64_t)r->c->pace->block[block].lines * r->c->caches->code_miss * TICKS;
    return s->code[block] > s->now ? s->code[block] - s->now : 0;
}

/* The first access to shared memory of a block of code, from a site on. */
static uint32_t first_shared(const struct rounds *r, int32_t from)
{
    const struct ir_inst *in = r->l->kernel->insts;
    for (int32_t i = from; i < r->l->kernel->ninsts && in[i].block == in[from].block; i++)
        if (is_shared(&in[i]))
            return (uint32_t)i;
    return (uint32_t)from;
}

/* The warp's turn has accesses to shared memory that left no record: passes through the banks from now on. Returns when the last one is over. */
static uint64_t pass_banks(const struct rounds *r, struct sm *s, uint32_t place, uint64_t passes)
{
    const uint64_t from = later(s->data, s->now);
    for (uint64_t i = passes > ISSUE_GONE ? passes - ISSUE_GONE : 0; i < passes; i++)
        issue_gone(&s->before_pipe[place % r->slots], from + i * r->pass_ticks, false);
    return unit_keep_data(s, s->now, passes, r->pass_ticks);
}

/* The warp goes on with its code, and its accesses go to the pipe. */
static enum warp_stop advance(struct rounds *r, uint32_t sm, uint32_t place, uint64_t ready)
{
    struct sm *s = &r->sm[sm];
    struct turn *a = &s->turn[place];
    struct cta_slot *t = &s->cta_slot[place / r->warps];
    struct warp *w = &t->warps[place % r->warps];
    uint64_t before = w->clock, busy = w->busy, span = w->span, units = w->units, had = w->passes;
    const bool first = !w->clock;
    enum warp_stop stop;
    int turn = 0;
    bool waits;
    s->warp_begin = s->now - w->span;
    s->of_warp = a;
    const uint64_t ended = turn_end(a);
    stall_for_data(r, a);
    if (!first && a->passed > a->end)
        stall(r, first_shared(r, a->last_site), COUNTER_STALL_SHORT_SCOREBOARD, a->passed - a->end);
    if (!first && a->met && ready > ended)
        stall(r, (uint32_t)a->last_site, COUNTER_STALL_BARRIER, ready - ended);
    a->last_site = w->split[w->current].pc;
    if (s->now > ready) {
        uint64_t room = shares(r, s, place) ? issue_room(&s->before_pipe[place % r->slots], r->queue_room) : ready;
        room = room > s->now ? s->now : later(room, ready);
        if (room > ready)
            stall(r, first_shared(r, a->last_site), COUNTER_STALL_MIO_THROTTLE, room - ready);
        const uint64_t unit = (s->now - room) * s->unit[place % r->slots].own / UINT8_MAX, queue = (s->now - room) * s->unit[place % r->slots].queued / UINT8_MAX;
        stall(r, (uint32_t)a->last_site, COUNTER_STALL_MATH_PIPE_THROTTLE, unit);
        stall(r, (uint32_t)a->last_site, COUNTER_STALL_MIO_THROTTLE, queue);
        stall(r, (uint32_t)a->last_site, COUNTER_STALL_NOT_SELECTED, s->now - room - unit - queue);
    }
    if (a->open)
        turn_leave(a, &r->queue[sm].waiter[place], r->places);
    turn_begin(a, s->now);
    do {
        const int copy = turn;
        const struct record *records = w->ring;
        stop = r->c->run(w, r->c->counts);
        int n = w->nrecords;
        if (stop != WARP_DONE && !r->number) /* one of them is enough to tell where they are */
            launch_seen(r->l, w->split[w->current].pc);
        if (r->c->spills) {
            spills_merge(r->c->spills, &s->in[place], w, &r->spilled);
            records = r->spilled.v;
            n = r->spilled.n;
        }
        w->nrecords = 0;
        turn_add(a, r->turns, r->l->kernel, r->c->pace, records, n, copy);
        waits = in_waiting_loop(r->l->kernel, w);
    } while (stop == WARP_RING && !waits && goes_on(r, w, a, &turn));
    t->moved |= stop != WARP_YIELD && w->clock != before;
    r->moved |= t->moved;
    r->spins |= waits;
    r->gets_on |= !waits && w->clock != before;
    s->unit[place % r->slots] = units_of(w->units - units, w->busy - busy);
    busy = later(w->busy - busy + a->rest.busy, TICKS);
    span = later(w->span - span + a->rest.span, busy);
    if (!r->c->caches->no_issue_share && can_run(r, s, place % r->slots)) /* two of them issue in turn: NVIDIA H200, 2026-11-30, two warps of a subpartition end together (grid_shape, compute 1x256) */
        span = later(span, 2 * busy);
    struct turn_rest rest = stop == WARP_BLOCKED ? rest_of(r, w, w->passes - had) : (struct turn_rest){.block = -1};
    span -= rest.span < span ? rest.span : span;
    busy -= rest.busy < busy ? rest.busy : busy;
    const struct pace_block *blocks = r->c->pace->block;
    const uint64_t own = a->n ? (uint64_t)blocks[blocks[a->block].owner].span * (uint64_t)(turn + 1) : 0;
    uint64_t fetched = fetch(r, s, r->l->kernel->insts[a->last_site].block);
    if (a->n) {
        const uint64_t other = fetch(r, s, a->block);
        fetched = other > fetched ? other : fetched;
    }
    stall(r, (uint32_t)a->last_site, COUNTER_STALL_NO_INSTRUCTION, fetched);
    a->begin += fetched;
    turn_order(a, r->c->pace, first && own < span ? span - own : 0, span);
    const uint64_t banks = w->passes - had + a->rest.passes - rest.passes;
    a->rest = rest;
    a->met = stop == WARP_BLOCKED;
    a->passed = banks ? pass_banks(r, s, place, banks) : 0;
    make_waiters(r, sm, a);
    enter_pipe(r, sm, place);
    s->free[place % r->slots] = s->now + busy;
    return stop;
}

static void wait_for_data(struct rounds *r, uint32_t sm, uint32_t place)
{
    struct sm *s = &r->sm[sm];
    uint64_t at = s->now;
    if (is_through(r, sm, place, &at))
        set_ready(r, s, place, at);
    else
        wait_for_l2(s, place, s->now);
}

static void turn(struct rounds *r, uint32_t sm, uint32_t place)
{
    struct sm *s = &r->sm[sm];
    uint32_t cta_slot = place / r->warps;
    struct cta_slot *t = &s->cta_slot[cta_slot];
    struct warp *w = &t->warps[place % r->warps];
    const uint64_t ready = s->ready[place];
    no_longer(s, place);
    t->told |= t->together; /* one of them did not have to wait */
    t->together = false;
    if (r->c->caches->no_oldest_first)
        s->age[place] = s->blocks++ * WARPS_OF_BLOCK; /* the youngest from now on */
    enum warp_stop stop = advance(r, sm, place, ready);
    t->spins |= stop == WARP_YIELD;
    if (stop != WARP_FAULT && launch_stopping(r->l, t->b->index)) /* its turns may be too short for the executor to see that */
        stop = WARP_STOPPED;
    switch (stop) {
    case WARP_RING:
        wait_for_data(r, sm, place);
        break;
    case WARP_YIELD:
        wake(r, s, cta_slot, s->now + (uint64_t)YIELD_CYCLES * TICKS, 0, false);
        break;
    case WARP_DONE:
        t->b->warps_done++;
        t->over |= UINT64_C(1) << place % r->warps;
        break;
    case WARP_FAULT:
        if (!launch_stopping(r->l, t->b->index)) { /* the block's other warps may have one, too */
            w->failed = true;
            t->failed++;
            t->over |= UINT64_C(1) << place % r->warps;
            break;
        }
        retire(r, s, cta_slot);
        return;
    case WARP_STOPPED:
        retire(r, s, cta_slot);
        return;
    default:
        break;
    }
    if (t->b->phases != t->phases) {
        t->phases = t->b->phases;
        wake(r, s, cta_slot, s->now, 0, true);
    }
    if (all_wait(r, s, cta_slot))
        look_again(r, s, cta_slot);
}

/* --- blocks --- */

static void cta_slot_fill(struct rounds *r, const struct request *q, uint64_t at)
{
    struct sm *s = &r->sm[q->sm];
    struct cta_slot *t = &s->cta_slot[q->cta_slot];
    if (!t->memory) {
        const uint32_t place = r->places_of_state++;
        t->memory = (char *)r->state + place * r->block_bytes;
        block_open_apart(r->l, t->memory, (char *)r->state + r->aside + place * block_aside_bytes(r->l));
    }
    t->b = block_start(r->l, t->memory, r->next++, (uint16_t)q->sm, part_of(r, q->sm)->ring, NULL);
    block_begin(t->b);
    t->warps = t->b->warps;
    t->phases = 0;
    t->over = 0;
    t->begun = t->failed = 0;
    t->passes = 0;
    t->moved = t->spins = false;
    t->since = at;
    if (!(r->busy[q->sm / 64] >> q->sm % 64 & 1)) {
        r->busy[q->sm / 64] |= UINT64_C(1) << q->sm % 64;
        s->now = r->now;
    }
    if (!s->taken++)
        s->since = at;
    s->unbegun += (uint32_t)t->b->nwarps;
    for (uint32_t i = 0; r->copies && i < r->warps; i++)
        copies_begin(&r->copies[(size_t)q->sm * r->places + q->cta_slot * r->warps + i]);
    for (uint32_t i = 0; i < r->warps; i++)
        s->age[q->cta_slot * r->warps + i] = s->blocks * WARPS_OF_BLOCK + i;
    s->blocks++;
    wake(r, s, q->cta_slot, at, (uint64_t)r->c->caches->warp_start * TICKS, false); /* one warp is started after the other */
}

static int earlier(const void *a, const void *b)
{
    const struct request *x = a, *y = b;
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    return x->sm != y->sm ? (x->sm < y->sm ? -1 : 1) : (int)x->cta_slot - (int)y->cta_slot;
}

/* The CTA slot is free now. */
static void add_free(struct rounds *r, const struct request *q)
{
    uint32_t turn = r->turn[q->sm], *first = &r->first_free[q->sm];
    r->next_free[q->sm * r->cta_slots + q->cta_slot] = *first;
    *first = q->cta_slot + 1;
    r->has_free[turn / 64] |= UINT64_C(1) << turn % 64;
}

/* A free CTA slot of the SM that comes next after the last one that got a block, in the order of groups. False: there is none. */
static bool take_free(struct rounds *r, struct request *q)
{
    uint32_t words = (r->sms + 63) / 64, from = (r->last + 1) % r->sms, w = from / 64;
    uint64_t bits = r->has_free[w] & ~UINT64_C(0) << from % 64;
    for (uint32_t i = 0; !bits && i < words; i++) {
        w = w + 1 == words ? 0 : w + 1;
        bits = r->has_free[w];
    }
    if (!bits)
        return false;
    r->last = w * 64 + (uint32_t)__builtin_ctzll(bits);
    q->sm = r->in_turn[r->last];
    q->cta_slot = r->first_free[q->sm] - 1;
    r->first_free[q->sm] = r->next_free[q->sm * r->cta_slots + q->cta_slot];
    if (!r->first_free[q->sm])
        r->has_free[w] &= ~(UINT64_C(1) << r->last % 64);
    return true;
}

/* The next blocks go to the CTA slots that became free, as long as no other CTA slot can become free before: those up to cycle
 * `until`. If several are free, SMs have their turns as at first, one block each. */
static void dispatch(struct rounds *r, uint64_t until)
{
    struct launch *l = r->l;
    struct request q;
    uint32_t i = 0;
    if (r->next >= l->nblocks)
        return;
    if (r->nrequests > 1)
        qsort(r->request, r->nrequests, sizeof *r->request, earlier);
    while (r->next < l->nblocks && !launch_stopping(l, r->next)) {
        uint64_t at = r->dispatched + r->c->caches->block_dispatch;
        for (; i < r->nrequests && cycles(r->request[i].at) <= at; i++)
            add_free(r, &r->request[i]);
        if (at >= until)
            break;
        if (take_free(r, &q)) {
            r->dispatched = at;
            cta_slot_fill(r, &q, at * TICKS);
        } else if (i < r->nrequests && cycles(r->request[i].at) < until) {
            r->dispatched = cycles(r->request[i].at) - r->c->caches->block_dispatch;
        } else {
            break;
        }
    }
    r->nrequests -= i;
    memmove(r->request, r->request + i, r->nrequests * sizeof *r->request);
}

/* --- one SM --- */

/* A warp that can run and has had no turn yet, the first of its block. */
static bool begins(const struct rounds *r, const struct sm *s, uint32_t *place)
{
    for (uint32_t i = 0; i < r->cta_slots; i++) {
        const struct cta_slot *t = &s->cta_slot[i];
        *place = i * r->warps + t->begun;
        if (t->b && t->begun < r->warps && is_runnable(s, *place))
            return true;
    }
    return false;
}

/* More is resident on a device than the host's caches hold: it fetches what an SM's warps and accesses that will go before `until` begin with,
 * in steps, since each says where the next is. */
enum { FAR_AHEAD = 3, AHEAD = 2 };

static FETCHES void fetch_access(const struct sm *s, uint32_t place, uint32_t ahead)
{
    const struct turn *a = &s->turn[place];
    if (ahead == FAR_AHEAD)
        __builtin_prefetch(a);
    else if (a->in_pipe && ahead == AHEAD)
        __builtin_prefetch(turn_next(a));
    else if (a->in_pipe)
        turn_fetch(a);
}

static FETCHES void look_ahead(const struct rounds *r, uint32_t i, uint32_t ahead, uint64_t until)
{
    if (i + ahead >= r->nmine)
        return;
    const struct sm *s = &r->sm[r->mine[i + ahead]];
    for (uint32_t n = 0; n < s->nwakes; n++) {
        const uint32_t place = wake_place(s->wakes[n]);
        if (wake_time(s->wakes[n]) >= until)
            continue;
        if (place >= r->places) {
            fetch_access(s, place - r->places, ahead);
        } else if (ahead == AHEAD) {
            __builtin_prefetch(&s->turn[place]);
            __builtin_prefetch(&s->turn[place].rest);
            __builtin_prefetch(s->cta_slot[place / r->warps].b);
            fetch_warp(r, s, place);
        }
    }
    for (uint32_t k = 0; k < r->slots; k++) {
        const struct issue_queue *q = &s->before_pipe[k];
        for (uint32_t n = 0; n < q->n; n++)
            fetch_access(s, q->place[n], ahead);
    }
}

/* A warp whose turn it is now: in a subpartition that is free. *next: lowered to when another one becomes free that has one. */
static bool find_turn(const struct rounds *r, const struct sm *s, uint32_t *place, uint64_t *next)
{
    if (s->unbegun && begins(r, s, place) && s->free[*place % r->slots] <= s->now)
        return true;
    for (uint32_t k = 0; k < r->slots; k++) {
        if (s->free[k] <= s->now && choose(r, s, k, place, next))
            return true;
        if (s->free[k] > s->now && s->free[k] < *next && can_run(r, s, k))
            *next = s->free[k];
    }
    return false;
}

/* Runs the SM up to a time in ticks. */
static void run_sm(struct rounds *r, uint32_t sm, uint64_t until)
{
    struct sm *s = &r->sm[sm];
    uint32_t place = 0, queue;
    while (s->now < until) {
        uint64_t next = NEVER;
        look_at_wakes(r, s);
        run_pipe(r, sm);
        look_at_wakes(r, s);
        if (find_turn(r, s, &place, &next)) {
            struct cta_slot *t = &s->cta_slot[place / r->warps];
            if (t->begun == place % r->warps) {
                t->begun++;
                s->unbegun--;
            }
            turn(r, sm, place);
            continue;
        }
        uint64_t pipe = pipe_next(r, s, &queue), wakes = s->nwakes ? wake_time(s->wakes[0]) : NEVER;
        next = pipe < next ? pipe : next;
        next = wakes < next ? wakes : next;
        if (next >= until)
            break;
        s->now = later(s->now, next);
    }
    s->now = s->now < until ? until : s->now;
}

/* --- the launch --- */

/* The grid's next block goes to the SM. False: there is none. */
static bool give_first(void *rounds, uint32_t sm, uint64_t at)
{
    struct rounds *r = rounds;
    if (r->next >= r->l->nblocks || launch_stopping(r->l, r->next))
        return false;
    r->dispatched = at > r->dispatched ? at : r->dispatched;
    at += sm % r->c->caches->sms_per_tpc * r->c->caches->tpc_start;
    cta_slot_fill(r, &(struct request){0, sm, (uint32_t)r->sm[sm].taken}, at * TICKS);
    return true;
}

static void give_first_blocks(struct rounds *r)
{
    r->in_turn = alloc_zeroed(r->sms * sizeof *r->in_turn);
    first_blocks(r->c->caches, r->sms, r->cta_slots, r->l->nblocks, give_first, r, r->in_turn);
    for (uint32_t i = 0; i < r->sms; i++)
        r->turn[r->in_turn[i]] = i;
}

/* --- its threads --- */

static void take(void *rounds, const struct record *rec, uint64_t times)
{
    struct rounds *r = rounds;
    memory_accesses(&r->memory, rec, times);
}

/* What a part has of its own. */
static void part_begin(struct rounds *r, struct turn_pool *turns)
{
    const size_t nsites = (size_t)r->l->kernel->ninsts;
    r->turns = turns;
    turn_pool_begin(turns, (uint32_t)nsites);
    turns->groups = r->copies != NULL;
    r->ring = alloc_zeroed(sizeof *r->ring * r->l->ring_records);
    r->mine = alloc_zeroed(r->sms * sizeof *r->mine);
    memory_init(&r->memory, r->c->sites, (uint32_t)nsites);
    memory_set_rules(&r->memory, r->c->rules);
    r->c->counts->take = take;
    r->c->counts->taker = r;
    r->c->counts->keep = true;
    r->c->counts->pace = r->c->block_pace;
    r->c->counts->long_part = r->c->long_pace;
    r->c->counts->passes = unit_passes;
}

/* How many threads the launch has use for. */
static uint32_t threads_of(const struct clock_run *c)
{
    const struct launch *l = c->launch;
    const uint64_t sms = l->nblocks < l->sms ? l->nblocks : l->sms, warps = l->nblocks * (unsigned)l->warps_per_block;
    if (!c->threads_asked && c->threads < LEAST_THREADS)
        return 1;
    uint64_t n = c->threads < 1 ? 1 : c->threads > MOST_THREADS ? MOST_THREADS : (unsigned)c->threads;
    n = n > sms / LEAST_SMS ? sms / LEAST_SMS : n;
    n = n > warps / LEAST_WARPS ? warps / LEAST_WARPS : n;
    return n < 1 ? 1 : (uint32_t)n;
}

/* All but the first part are made from that. */
static void parts_begin(struct rounds *r)
{
    const struct ir_kernel *k = r->l->kernel;
    sms_pools(&r->sms_of, r->nparts);
    for (uint32_t i = 1; i < r->nparts; i++) {
        struct rounds *p = &r->part[i];
        *p = *r;
        p->number = i;
        p->run = *r->c;
        p->c = &p->run;
        p->run.sites = alloc_zeroed((size_t)k->ninsts * sizeof *p->run.sites);
        exec_counts_init(&p->counts, k);
        p->counts.printed = r->c->counts->printed;
        p->run.counts = &p->counts;
        p->request = alloc_zeroed((size_t)r->sms * r->cta_slots * sizeof *p->request);
        part_begin(p, &r->sms_of.turns[i]);
    }
    part_begin(r, &r->sms_of.turns[0]);
}

/* What a part has counted goes to the first one. */
static void part_end(struct rounds *r, struct rounds *first)
{
    tally_end(r->c->counts);
    alloc_release(r->ring);
    alloc_release(r->mine);
    alloc_release(r->request);
    alloc_release(r->spilled.v);
    if (r == first)
        return;
    counters_add(first->c->sites, r->c->sites, (size_t)r->l->kernel->ninsts);
    exec_counts_add(first->c->counts, &r->counts, r->l->kernel);
    exec_counts_release(&r->counts);
    alloc_release(r->c->sites);
    first->c->time.active += r->c->time.active;
    first->c->time.warps += r->c->time.warps;
    first->ended = later(first->ended, r->ended);
}

/* What a part's SMs did in a slice, or were told, that all have to know. */
static void part_tells(struct rounds *r, struct rounds *first)
{
    if (r == first)
        return;
    first->moved |= r->moved;
    first->spins |= r->spins;
    first->gets_on |= r->gets_on;
    r->moved = r->spins = r->gets_on = false;
    memcpy(first->request + first->nrequests, r->request, r->nrequests * sizeof *r->request);
    first->nrequests += r->nrequests;
    r->nrequests = 0;
}

static bool start(struct rounds *r, uint32_t nparts, struct clock_run *c)
{
    struct launch *l = c->launch;
    const struct caches_config *f = c->caches;
    uint64_t cta_slots = l->resident / (l->sms ? l->sms : 1), most = SMS_STATE_BYTES / (block_bytes(l) * l->sms);
    uint64_t all = (l->nblocks + l->sms - 1) / l->sms;
    l->stop_next = l->stop_at;
    l->stops_later = true;
    l->fences = f->fence_latency > 0;
    l->now = cycles_now;
    l->now_of = r;
    *r = (struct rounds){.c = c, .l = l, .part = r, .nparts = nparts, .sms = l->sms, .warps = (uint32_t)l->warps_per_block, .slots = c->slots ? c->slots : 1};
    cta_slots = cta_slots > most ? most : cta_slots;
    if (l->cooperative || cta_slots > all) /* of a cooperative launch all have to be resident */
        cta_slots = all;
    r->cta_slots = cta_slots < 1 ? 1 : (uint32_t)cta_slots;
    r->places = r->cta_slots * r->warps;
    for (uint32_t bit = 0; bit < PLACE_WORD; bit += r->slots)
        r->own |= UINT64_C(1) << bit;
    r->words = (r->places + PLACE_WORD - 1) / PLACE_WORD;
    r->queue_room = f->lsu_waiting_subpartition + f->lsu_waiting / r->slots;
    r->queue_room = r->queue_room < ISSUE_MOST ? r->queue_room : ISSUE_MOST;
    r->pass_ticks = f->no_banks ? 0 : TICKS;
    r->shares = alloc_zeroed((size_t)l->kernel->nblocks * sizeof *r->shares);
    for (int32_t i = 0; i < l->kernel->ninsts; i++) {
        r->shares[l->kernel->insts[i].block] |= is_shared(&l->kernel->insts[i]);
        l->copies |= l->kernel->insts[i].op == PTX_OP_CP_WAIT;
    }
    r->slice = (uint64_t)f->l2_latency * (CACHES_WAY - f->way_apart) / CACHES_WAY; /* the shortest way (l2.c) */
    r->slice = r->slice > f->block_start ? f->block_start : r->slice;
    r->slice = r->slice < L2_STEP ? L2_STEP : r->slice;
    r->block_start = f->block_start > r->slice ? f->block_start : r->slice;
    r->local_bytes = ((c->spills ? (uint64_t)c->spills->base + c->spills->bytes : l->local_size) + 3) / 4 << LINE_SHIFT;
    uint64_t blocks = (uint64_t)r->cta_slots * r->sms < l->nblocks ? (uint64_t)r->cta_slots * r->sms : l->nblocks;
    r->block_bytes = (block_bytes(l) - block_aside_bytes(l) + 63) / 64 * 64;
    r->aside = r->block_bytes * blocks;
    r->state_bytes = r->aside + block_aside_bytes(l) * blocks;
    r->state = sms_state_take(&r->state_bytes);
    r->l2 = r->state ? l2_new(f) : NULL;
    if (!r->l2) {
        launch_fault(l, NULL, HEDDLE_OUT_OF_MEMORY, 0, -1, 0, 0,
                     r->state ? "no host memory for the tables of L2" : "no host memory for the state of the blocks");
        if (r->state)
            sms_state_give(r->state, r->state_bytes);
        return false;
    }
    sms_take(&r->sms_of, r->sms, r->slots, f);
    r->sm = r->sms_of.sm;
    r->queue = r->sms_of.queue;
    r->request = alloc_zeroed((size_t)r->sms * r->cta_slots * sizeof *r->request);
    r->turn = alloc_zeroed(r->sms * sizeof *r->turn);
    r->first_free = alloc_zeroed(r->sms * sizeof *r->first_free);
    r->next_free = alloc_zeroed((size_t)r->sms * r->cta_slots * sizeof *r->next_free);
    r->has_free = alloc_zeroed((r->sms + 63) / 64 * sizeof *r->has_free);
    r->busy = alloc_zeroed((r->sms + 63) / 64 * sizeof *r->busy);
    for (int32_t i = 0; l->verify && i < l->kernel->ninsts; i++)
        if (c->early[i])
            claims_add(claim_check_claims(l->verify), &(struct ir_claim){.kind = CLAIM_EARLY, .who = "clock/rounds", .reg = IR_NOREG, .id = -1 - i});
    for (uint32_t i = 0; i < r->sms; i++)
        sm_begin(&r->sms_of, i, r->places, (uint32_t)l->kernel->nblocks + 1);
    r->copies = l->copies ? alloc_zeroed((size_t)r->sms * r->places * sizeof *r->copies) : NULL;
    parts_begin(r);
    give_first_blocks(r);
    return true;
}

/* Stalls were added up in ticks. */
static void settle_stalls(const struct rounds *r)
{
    for (int32_t i = 0; i < r->l->kernel->ninsts; i++)
        for (int why = COUNTER_STALL_BARRIER; why <= COUNTER_STALL_WAIT; why++)
            r->c->sites[i].v[why] /= TICKS;
}

static void finish(struct rounds *r)
{
    for (uint32_t i = 0; i < r->sms; i++)
        l1_drain(r->sm[i].l1, NEVER, &r->queue[i]);
    l2_serve(r->l2, r->queue, r->sms, NULL, NEVER, r->c->sites);
    l2_finish(r->l2, r->c->sites, &r->c->dram);
    const uint64_t done = l2_done(r->l2);
    for (uint32_t i = r->nparts; i--;)
        part_end(&r->part[i], r);
    r->c->time.cycles = later(cycles(r->ended), done && !r->c->caches->no_drain ? done + r->c->caches->l2_latency : 0) + r->c->caches->launch;
    for (uint32_t i = 0; i < r->sms; i++) {
        r->c->time.accesses += r->queue[i].accesses;
        r->c->time.waited += r->queue[i].waited;
    }
    sms_give(&r->sms_of);
    settle_stalls(r);
    l2_free(r->l2);
    sms_state_give(r->state, r->state_bytes);
    alloc_release(r->turn);
    alloc_release(r->in_turn);
    alloc_release(r->first_free);
    alloc_release(r->next_free);
    alloc_release(r->has_free);
    alloc_release(r->busy);
    alloc_release(r->copies);
    if (r->team)
        team_free(r->team);
    alloc_release(r->shares);
}

static bool over(const struct rounds *r)
{
    EACH_BUSY(i, r)
        if (r->sm[i].taken)
            return false;
    return r->next >= r->l->nblocks || launch_stopping(r->l, r->next);
}

/* Nothing has moved for long: do all wait for a barrier of the grid that somebody will never reach? */
static bool is_stuck(struct rounds *r)
{
    uint32_t i = 0;
    if (!r->l->cooperative || !clock_grid_deadlock(r->l))
        return false;
    while (!r->sm[i].taken)
        i++;
    for (uint32_t t = 0; t < r->cta_slots; t++)
        if (r->sm[i].cta_slot[t].b) {
            clock_deadlock(r->sm[i].cta_slot[t].b);
            break;
        }
    return true;
}

/* A part's SMs up to the end of the slice. */
static void run_part(void *rounds, int number)
{
    struct rounds *r = &((struct rounds *)rounds)->part[number];
    const uint64_t now = r->part->now, end = cycles(now);
    r->nmine = 0;
    EACH_BUSY(i, r)
        if (part_of(r, i) == r)
            r->mine[r->nmine++] = i;
    for (uint32_t k = 0; k < r->nmine; k++) {
        const uint32_t i = r->mine[k];
        for (uint32_t ahead = FAR_AHEAD; ahead; ahead--)
            look_ahead(r, k, ahead, now);
        if (r->sm[i].taken)
            run_sm(r, i, now);
        else
            r->sm[i].now = now;
        l1_drain(r->sm[i].l1, end, &r->queue[i]);
    }
}

/* They hear what L2 has said. */
static void answer_part(void *rounds, int number)
{
    struct rounds *r = &((struct rounds *)rounds)->part[number];
    for (uint32_t k = 0; k < r->nmine; k++) {
        fetch_told(r, k, 2);
        fetch_told(r, k, 1);
        look_at_answers(r, r->mine[k]);
    }
}

static void each_part(struct rounds *r, void (*part)(void *rounds, int number))
{
    if (r->nparts == 1)
        part(r, 0);
    else
        team_step(r->team, part, r);
}

void rounds_run(struct clock_run *c)
{
    const uint32_t threads = threads_of(c), nparts = order_shows(c->launch) ? 1 : threads;
    struct rounds *r = alloc_aligned(128, nparts * sizeof *r);
    if (!start(r, nparts, c)) {
        alloc_release(r);
        return;
    }
    if (threads > 1) {
        r->team = team_new((int)threads);
        l2_share(r->l2, r->team, threads, (uint32_t)c->launch->kernel->ninsts);
    }
    uint64_t moved = 0, got_on = 0;
    for (uint64_t end = r->slice; !over(r); end += r->slice) {
        r->moved = false;
        r->now = end * TICKS;
        each_part(r, run_part);
        l2_serve(r->l2, r->queue, r->sms, r->busy, end, c->sites);
        each_part(r, answer_part);
        launch_stop_now(r->l);
        for (uint32_t i = 0; i < r->nparts; i++)
            part_tells(&r->part[i], r);
        EACH_BUSY(i, r)
            if (!r->sm[i].taken && !r->queue[i].n && l1_has_drained(r->sm[i].l1))
                r->busy[i / 64] &= ~(UINT64_C(1) << i % 64);
        dispatch(r, end + r->block_start);
        moved = r->moved ? end : moved;
        if (end - moved > 4 * GRID_CYCLES && is_stuck(r))
            break;
        got_on = r->gets_on ? end : got_on;
        r->gets_on = false;
        if (end - got_on > STUCK_CYCLES && r->spins && r->l->stuck) {
            r->l->stuck(r->l->stuck_user);
            got_on = end;
            r->spins = false;
        }
    }
    finish(r);
    alloc_release(r);
}
