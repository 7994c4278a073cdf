/* Multiprocessors in pseudo-time (see rounds.h). */
#include "clock/rounds.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "memory/caches.h"
#include "memory/memory.h"
#include "simt/tally.h"

#include "heddle.h"

enum {
    SLICE = 4096,           /* cycles that an SM runs on its own, before L2 serves what all asked for */
    MAX_STATE_BYTES = 400 << 20, /* host memory for the state of all resident blocks */
    SM_STARTS = 16, SM_START_CYCLES = 12, /* SMs of a cluster get their first blocks one after the other */
    YIELD_CYCLES = 64,      /* a waiting loop looks again */
    GRID_CYCLES = 1024,     /* a block at the grid's barrier looks again */
    ORDER_CYCLES = 256,     /* for so long the warps have one order */
    START_CYCLES = 4,       /* from a block's warp to the next one */
    ASKS_A_CYCLE = 2        /* sectors from an SM to L2: 64 bytes */
};
#define NEVER UINT64_MAX
#define LOCAL_BASE (UINT64_C(1) << 56) /* of local memory: no device address is there */

/* A place for a resident block. */
struct seat {
    struct block *b;        /* NULL: free */
    void *memory;
    uint64_t generations;   /* of its barriers, when its warps were looked at last */
    uint32_t begun;         /* warps that have had a turn: they begin in their order */
    int passes;             /* since nothing moved */
    bool moved, spins;      /* since all of its warps waited */
};

struct sm {
    struct l1 *l1;
    struct constants *constants;
    struct readonly *textures; /* that of the first SM of those that share it; NULL: they go through L1 */
    uint64_t now;           /* issue slots: cycles times subpartitions */
    uint64_t next;          /* block */
    struct seat *seat;      /* [seats] */
    uint64_t *ready;        /* [seats * warps]: when the warp can run, in issue slots; NEVER: it waits, or there is none */
    int taken;              /* seats */
};

struct rounds {
    struct clock_run *c;
    struct launch *l;
    struct l2 *l2;
    struct sm *sm;
    struct l2_queue *queue; /* [sms] */
    struct memory memory;
    struct record *ring;
    uint32_t sms, seats, warps; /* warps: a block */
    uint32_t slots;         /* issue slots a cycle */
    uint64_t local_bytes;   /* of a warp, in the address of its local memory */
    bool moved;             /* something, since all SMs were looked at last */
};

/* --- one turn --- */

static uint64_t cycles(const struct rounds *r, uint64_t slots)
{
    return slots / r->slots;
}

/* Cycles to L2 and back: some less, some more, as slices of L2 are near and far and others are before it. Without that all
 * SMs would stay in step for ever. */
static uint64_t latency(const struct rounds *r, uint32_t sm, const struct record *rec)
{
    uint32_t way = (uint32_t)(rec->addr[0] >> LINE_SHIFT) * 2654435761u + sm * 40503u + (uint32_t)r->sm[sm].now * 69069u;
    return (uint64_t)r->c->caches->l2_latency * (80 + (way >> 16) % 128) / 128;
}

/* Constants have caches of their own. Returns the cycle in which the warp has its data. */
static uint64_t load_constants(struct rounds *r, uint32_t sm, const struct record *rec, uint64_t at)
{
    struct sm *s = &r->sm[sm];
    unsigned busy;
    uint64_t ready = constants_access(s->constants, rec, at, r->c->sites, &r->queue[sm], &busy);
    s->now += r->slots * (busy - 1); /* the instruction has a cycle of its own */
    return ready;
}

static bool is_texture(const struct rounds *r, const struct sm *s, const struct record *rec)
{
    return s->textures && (rec->op == RECORD_TEXTURE || (rec->nc && rec->op == RECORD_LOAD && r->c->caches->texture_readonly));
}

/* Records go to the counters and through the SM's L1. Returns the cycle in which the warp has all its data. */
static uint64_t drain(struct rounds *r, uint32_t sm, struct warp *w, uint32_t place)
{
    struct sm *s = &r->sm[sm];
    uint64_t until = 0, at = cycles(r, s->now);
    for (int i = 0; i < w->nrecords; i++) {
        const struct record *rec = &w->ring[i];
        unsigned lines;
        if (rec->op >= RECORD_ARRIVE)
            continue;
        memory_access(&r->memory, rec);
        if (rec->space == PTX_CONST) {
            uint64_t ready = load_constants(r, sm, rec, at);
            until = ready > until ? ready : until;
            continue;
        }
        if ((rec->space != PTX_GLOBAL && rec->space != PTX_LOCAL) || rec->op == RECORD_SULD || rec->op == RECORD_SUST)
            continue;
        uint64_t local = LOCAL_BASE + ((uint64_t)sm * r->seats * r->warps + place) * r->local_bytes;
        unsigned missed = is_texture(r, s, rec) ? textures_access(s->textures, rec, at, r->c->sites, &r->queue[sm], &lines)
                                                : l1_access(s->l1, rec, local, at, r->c->sites, &r->queue[sm], &lines);
        uint64_t busy = missed / ASKS_A_CYCLE > lines ? missed / ASKS_A_CYCLE : lines;
        uint64_t ready = at + (missed ? latency(r, sm, rec) : r->c->caches->l1_latency);
        s->now += r->slots * busy;
        at++;
        if (rec->op != RECORD_STORE && rec->op != RECORD_RED)
            until = ready > until ? ready : until;
    }
    w->nrecords = 0;
    return until;
}

static uint64_t generations(const struct block *b)
{
    uint64_t n = 0;
    for (int i = 0; i < BLOCK_BARRIERS; i++)
        n += b->barrier[i].generation;
    return n;
}

/* Warps of the seat that wait look again. */
static void wake(const struct rounds *r, struct sm *s, uint32_t seat, uint64_t at)
{
    const struct block *b = s->seat[seat].b;
    for (int i = 0; i < b->nwarps; i++) {
        uint64_t *ready = &s->ready[seat * r->warps + (uint32_t)i];
        if (*ready == NEVER && b->warps[i].alive && !b->warps[i].failed)
            *ready = at;
    }
}

static bool all_wait(const struct rounds *r, const struct sm *s, uint32_t seat)
{
    for (uint32_t i = 0; i < r->warps; i++)
        if (s->ready[seat * r->warps + i] != NEVER)
            return false;
    return true;
}

static void retire(struct rounds *r, struct sm *s, uint32_t seat)
{
    for (uint32_t i = 0; i < r->warps; i++)
        s->ready[seat * r->warps + i] = NEVER;
    s->seat[seat].b = NULL;
    s->taken--;
    r->moved = true;
    if (r->l->cooperative)
        __atomic_add_fetch(&r->l->blocks_done, 1, __ATOMIC_SEQ_CST);
}

/* All warps of the block wait, or have ended. */
static void look_again(struct rounds *r, struct sm *s, uint32_t seat)
{
    struct seat *t = &s->seat[seat];
    struct block *b = t->b;
    bool failed = false;
    for (int i = 0; i < b->nwarps; i++)
        failed |= b->warps[i].failed;
    if (failed && (!t->moved || ++t->passes == CLOCK_LAST_PASSES)) {
        launch_stop(r->l, b->index);
        retire(r, s, seat);
        return;
    }
    if (b->warps_done == b->nwarps) {
        retire(r, s, seat);
        return;
    }
    uint64_t at = s->now;
    if (!t->moved && block_waits_for_grid(b)) {
        at += (uint64_t)GRID_CYCLES * r->slots;
    } else if (!t->moved && !t->spins && !clock_release_all(b)) {
        clock_deadlock(b);
        retire(r, s, seat);
        return;
    }
    r->moved |= t->moved;
    t->moved = t->spins = false;
    wake(r, s, seat, at);
}

static void turn(struct rounds *r, uint32_t sm, uint32_t place)
{
    struct sm *s = &r->sm[sm];
    uint32_t seat = place / r->warps;
    struct seat *t = &s->seat[seat];
    struct warp *w = &t->b->warps[place % r->warps];
    uint64_t before = w->clock;
    enum warp_stop stop = r->c->run(w, r->c->counts);
    uint64_t until = drain(r, sm, w, place) * r->slots, *ready = &s->ready[place];
    s->now += w->clock > before ? w->clock - before : 1;
    t->moved |= stop != WARP_YIELD && w->clock != before;
    t->spins |= stop == WARP_YIELD;
    *ready = NEVER;
    if (stop != WARP_FAULT && launch_stopping(r->l, t->b->index)) /* its turns may be too short for the executor to see that */
        stop = WARP_STOPPED;
    switch (stop) {
    case WARP_RING:
        *ready = until > s->now ? until : s->now;
        break;
    case WARP_YIELD:
        *ready = s->now + (uint64_t)YIELD_CYCLES * r->slots;
        wake(r, s, seat, *ready);
        break;
    case WARP_DONE:
        t->b->warps_done++;
        break;
    case WARP_FAULT:
        if (!launch_stopping(r->l, t->b->index)) { /* a failed assertion: the block's other warps may have one, too */
            w->failed = true;
            break;
        }
        retire(r, s, seat);
        return;
    case WARP_STOPPED:
        retire(r, s, seat);
        return;
    default:
        break;
    }
    uint64_t now = generations(t->b);
    if (now != t->generations) {
        t->generations = now;
        wake(r, s, seat, s->now);
    }
    if (all_wait(r, s, seat))
        look_again(r, s, seat);
}

/* --- one SM --- */

static void admit(struct rounds *r, uint32_t sm)
{
    struct sm *s = &r->sm[sm];
    struct launch *l = r->l;
    for (uint32_t i = 0; i < r->seats && s->taken < (int)r->seats; i++) {
        struct seat *t = &s->seat[i];
        if (t->b)
            continue;
        if (s->next >= l->nblocks || launch_stopping(l, s->next))
            return;
        if (!t->memory && posix_memalign(&t->memory, 64, block_bytes(l))) {
            t->memory = NULL;
            launch_fault(l, NULL, HEDDLE_OUT_OF_MEMORY, 0, -1, 0, 0, "no host memory for the state of a block");
            return;
        }
        t->b = block_start(l, t->memory, s->next, (uint16_t)sm, r->ring, NULL);
        block_begin(t->b);
        t->generations = 0;
        t->begun = 0;
        t->passes = 0;
        t->moved = t->spins = false;
        s->next += r->sms;
        s->taken++;
        wake(r, s, i, s->now);
        for (int w = 0; w < t->b->nwarps; w++) /* one warp is started after the other */
            s->ready[i * r->warps + (uint32_t)w] += (uint64_t)w * START_CYCLES * r->slots;
    }
}

/* A warp that is ready and has had no turn yet, the first of its block. */
static bool begins(const struct rounds *r, const struct sm *s, uint32_t *place)
{
    for (uint32_t i = 0; i < r->seats; i++) {
        const struct seat *t = &s->seat[i];
        *place = i * r->warps + t->begun;
        if (t->b && t->begun < r->warps && s->ready[*place] <= s->now)
            return true;
    }
    return false;
}

/* Of the warps that are ready any, by a hash that changes now and then; if none is, the one that will be first. Returns when it is ready:
 * NEVER, if all wait. */
static uint64_t choose(const struct rounds *r, const struct sm *s, uint32_t *place)
{
    uint64_t first = NEVER;
    uint32_t best = UINT32_MAX, seed = (uint32_t)(s->now / ((uint64_t)ORDER_CYCLES * r->slots)) * 2654435761u;
    for (uint32_t i = 0; i < r->seats * r->warps; i++) {
        if (s->ready[i] <= s->now) {
            uint32_t lot = (seed ^ i * 40503u) * 2246822519u;
            if (first > s->now || lot < best) {
                first = s->ready[i];
                best = lot;
                *place = i;
            }
        } else if (s->ready[i] < first) {
            first = s->ready[i];
            *place = i;
        }
    }
    return first;
}

/* Runs the SM up to a time in issue slots. */
static void run_sm(struct rounds *r, uint32_t sm, uint64_t until)
{
    struct sm *s = &r->sm[sm];
    uint32_t place = 0;
    for (;;) {
        if (s->taken < (int)r->seats)
            admit(r, sm);
        bool first = begins(r, s, &place);
        uint64_t ready = first ? s->now : choose(r, s, &place);
        if (ready >= until || s->now >= until)
            break;
        s->seat[place / r->warps].begun += s->seat[place / r->warps].begun == place % r->warps;
        s->now = ready > s->now ? ready : s->now;
        turn(r, sm, place);
    }
    s->now = s->now < until ? until : s->now;
}

/* --- the launch --- */

/* How many SMs get their first block before this one. */
static uint64_t turn_of(const struct caches_config *c, uint32_t sm)
{
    uint32_t gpc = caches_gpc(c, sm), n = 0;
    for (uint32_t i = 0; i < c->sms; i++) {
        uint32_t other = caches_gpc(c, i);
        n += other < gpc || (other == gpc && i < sm);
    }
    return n;
}

static void start(struct rounds *r, struct clock_run *c)
{
    struct launch *l = c->launch;
    uint64_t seats = l->resident / (l->sms ? l->sms : 1), most = MAX_STATE_BYTES / (block_bytes(l) * l->sms);
    *r = (struct rounds){.c = c, .l = l, .sms = l->sms, .warps = (uint32_t)l->warps_per_block, .slots = c->slots ? c->slots : 1};
    seats = seats > most ? most : seats;
    if (l->cooperative) /* all of them have to be resident */
        seats = (l->nblocks + l->sms - 1) / l->sms;
    r->seats = seats < 1 ? 1 : (uint32_t)seats;
    r->local_bytes = ((uint64_t)l->local_size + 3) / 4 << LINE_SHIFT;
    r->l2 = l2_new(c->caches);
    r->sm = alloc_zeroed(r->sms * sizeof *r->sm);
    r->queue = alloc_zeroed(r->sms * sizeof *r->queue);
    r->ring = alloc_zeroed(sizeof *r->ring * l->ring_records);
    memory_init(&r->memory, c->sites, (uint32_t)l->kernel->ninsts);
    memory_set_rules(&r->memory, c->rules);
    for (uint32_t i = 0; i < r->sms; i++) {
        struct sm *s = &r->sm[i];
        s->next = turn_of(c->caches, i);
        s->now = s->next % SM_STARTS * SM_START_CYCLES * r->slots;
        s->l1 = l1_new(c->caches);
        s->constants = constants_new(c->caches);
        uint32_t shares = c->caches->texture_bytes ? i % c->caches->texture_sms : 0;
        s->textures = shares ? s[-(int)shares].textures : textures_new(c->caches);
        s->seat = alloc_zeroed(r->seats * sizeof *s->seat);
        s->ready = alloc_zeroed((size_t)r->seats * r->warps * sizeof *s->ready);
        for (uint32_t p = 0; p < r->seats * r->warps; p++)
            s->ready[p] = NEVER;
    }
}

static void finish(struct rounds *r)
{
    for (uint32_t i = 0; i < r->sms; i++) {
        struct sm *s = &r->sm[i];
        l1_drain(s->l1, NEVER, &r->queue[i]);
        for (uint32_t t = 0; t < r->seats; t++)
            free(s->seat[t].memory);
    }
    l2_serve(r->l2, r->queue, r->sms, NEVER, r->c->sites);
    l2_finish(r->l2, r->c->sites, &r->c->dram);
    for (uint32_t i = 0; i < r->sms; i++) {
        l1_free(r->sm[i].l1);
        constants_free(r->sm[i].constants);
        if (!r->c->caches->texture_bytes || i % r->c->caches->texture_sms == 0)
            readonly_free(r->sm[i].textures);
        l2_queue_release(&r->queue[i]);
        alloc_release(r->sm[i].seat);
        alloc_release(r->sm[i].ready);
    }
    tally_end(r->c->counts);
    l2_free(r->l2);
    alloc_release(r->sm);
    alloc_release(r->queue);
    alloc_release(r->ring);
}

static void take(void *rounds, const struct record *rec, uint64_t times)
{
    struct rounds *r = rounds;
    memory_accesses(&r->memory, rec, times);
}

void rounds_run(struct clock_run *c)
{
    struct rounds r;
    start(&r, c);
    c->counts->take = take;
    c->counts->taker = &r;
    c->counts->keep = true;
    for (uint64_t end = SLICE;; end += SLICE) {
        bool some = false;
        r.moved = false;
        for (uint32_t i = 0; i < r.sms; i++) {
            struct sm *s = &r.sm[i];
            if (!s->taken && s->next >= c->launch->nblocks)
                continue;
            run_sm(&r, i, end * r.slots);
            some |= s->taken || (s->next < c->launch->nblocks && !launch_stopping(c->launch, s->next));
        }
        l2_serve(r.l2, r.queue, r.sms, end, c->sites);
        if (!some)
            break;
        if (!r.moved && c->launch->cooperative && clock_grid_deadlock(c->launch)) {
            uint32_t i = 0;
            while (!r.sm[i].taken)
                i++;
            for (uint32_t t = 0; t < r.seats; t++)
                if (r.sm[i].seat[t].b) {
                    clock_deadlock(r.sm[i].seat[t].b);
                    break;
                }
            break;
        }
    }
    finish(&r);
}
