/* One step that neither branches nor waits, for lanes that execute together: what both executors do alike.
 *
 * The interpreter does every step so; machine code (jit/) calls it for instructions that it has no code of its own
 * for. Operands lie in their places (code.h). */
#ifndef INTERP_STEP_H
#define INTERP_STEP_H

#include "interp/code.h"
#include "ir/facts.h"
#include "simt/long_way.h"
#include "simt/trips.h"

/* Is it such a step? Others branch, wait, or end the warp's turn: run.c. */
static inline bool step_is_plain(const struct step *st)
{
    switch (st->kind) {
    case STEP_BRANCH:
    case STEP_SWITCH:
    case STEP_EXIT:
    case STEP_BARRIER:
    case STEP_EXCHANGES:
    case STEP_NANOSLEEP:
    case STEP_TRAP:
    case STEP_GRID_SYNC:
        return false;
    default:
        return true;
    }
}

/* Do lanes meet at it and look at each other (step_exchange)? */
static inline bool step_is_exchange(const struct step *st)
{
    switch (st->kind) {
    case STEP_EXCHANGES:
        return true;
    default:
        return false;
    }
}

static inline bool step_touches_memory(const struct step *st)
{
    return st->kind == STEP_LOAD || st->kind == STEP_STORE || st->kind == STEP_ATOM || st->kind == STEP_ASYNC ||
           st->kind == STEP_TEXTURE || st->kind == STEP_SURFACE || st->kind == STEP_MATRIX_LOAD || st->kind == STEP_MATRIX_STORE;
}

/* It may leave records: a fence does in watched launches and where caches are modelled, a group of copies in the latter. */
static inline bool step_leaves_records(const struct step *st)
{
    return step_touches_memory(st) || st->kind == STEP_FENCE || st->kind == STEP_ASYNC_COMMIT || st->kind == STEP_ASYNC_WAIT;
}

/* It reads the time: where that is modelled, the accesses before it are waited for first. */
static inline bool step_reads_time(const struct step *st)
{
    return st->kind == STEP_SREG && st->sreg >= PTX_SREG_CLOCK && st->sreg <= PTX_SREG_GLOBALTIMER_HI;
}

/* The clock wants to know which groups of copies the lanes wait for. */
static inline void step_event_await(const struct interp_code *c, struct warp *w, const struct step *st, uint32_t m)
{
    struct record *r = warp_event(w, (int32_t)(st - c->step), RECORD_AWAIT, m, st->in->nsrc ? (uint64_t)st->in->src[0].imm : 0);
    if (r)
        r->elem = !st->in->nsrc;
}

/* Does a plain step for the lanes in m (never 0). False: a fault was recorded. */
static inline bool step_plain(const struct interp_code *c, struct warp *w, const struct step *st, uint32_t m)
{
    uint32_t all = m == w->alive ? ~0u : m; /* dead lanes may be written */
    switch (st->kind) {
    case STEP_LANES:
        st->fn(place_at(c, w, st->d[0]), place_at(c, w, st->s[0]), place_at(c, w, st->s[1]), place_at(c, w, st->s[2]),
               place_at(c, w, st->s[3]), all, st->in);
        for (int i = 0; i < st->nsub; i++) {
            const struct step_sub *sub = &st->sub[i];
            sub->fn(place_at(c, w, sub->d), place_at(c, w, sub->a), place_at(c, w, sub->b), place_at(c, w, sub->c), NULL,
                    all, st->in);
        }
        return true;
    case STEP_LOAD:
    case STEP_STORE:
    case STEP_ATOM:
    case STEP_ASYNC:
        return st->access(c, w, st, m);
    case STEP_ACTIVEMASK:
        for (int i = 0; i < WARP_LANES; i++)
            if (m >> i & 1)
                step_write(c, w, st, 0, i, m);
        return true;
    case STEP_SREG:
        special_read(c, w, st, all);
        return true;
    case STEP_CVTA:
        special_cvta(c, w, st, all);
        return true;
    case STEP_ISSPACEP:
        special_isspacep(c, w, st, m);
        return true;
    case STEP_FENCE:
        __atomic_thread_fence(__ATOMIC_SEQ_CST);
        if (w->block->launch->watch || facts_fences_device(st->in))
            warp_event(w, (int32_t)(st - c->step), RECORD_FENCE, m, 0);
        return true;
    case STEP_TEXTURE:
        return texture_step(c, w, st, m);
    case STEP_SURFACE:
        return texture_surface(c, w, st, m);
    case STEP_MBARRIER:
        return mbarrier_step(c, w, st, m);
    case STEP_ASYNC_COMMIT:
        async_commit(w, m);
        warp_event(w, (int32_t)(st - c->step), RECORD_COMMIT, m, 0);
        return true;
    case STEP_ASYNC_WAIT:
        async_wait(w, m, st->in->nsrc ? (uint32_t)st->in->src[0].imm : 0, !st->in->nsrc);
        step_event_await(c, w, st, m);
        return true;
    case STEP_SERVICE:
        return st->service(c, w, st, m);
    default: /* STEP_COUNTED, STEP_NOP */
        return true;
    }
}

/* Does an instruction in which lanes look at each other; the lanes of m have met. False: a fault was recorded. */
static inline bool step_exchange(const struct interp_code *c, struct warp *w, const struct step *st, uint32_t m)
{
    switch (st->kind) {
    case STEP_SHUFFLE:
        exchange_shuffle(c, w, st, m);
        break;
    case STEP_VOTE:
        exchange_vote(c, w, st, m);
        break;
    case STEP_MATCH:
        exchange_match(c, w, st, m);
        break;
    case STEP_REDUX:
        exchange_redux(c, w, st, m);
        break;
    case STEP_ELECT:
        exchange_elect(c, w, st, m);
        break;
    case STEP_MATRIX_LOAD:
    case STEP_MATRIX_STORE:
    case STEP_MATRIX_PRODUCT:
        return st->access(c, w, st, m);
    case STEP_MATRIX_MOVE:
        exchange_movmatrix(c, w, st, m);
        break;
    default: /* STEP_SYNCWARP: meeting is all */
        break;
    }
    return true;
}

/* The lanes in which the guard of a guarded step holds. */
static inline uint32_t step_guard(const struct interp_code *c, const struct warp *w, const struct step *st)
{
    uint32_t p = *(const uint32_t *)place_at(c, w, st->guard);
    return st->guarded == 1 ? p : ~p;
}

/* A guarded instruction was done by the lanes of m, or by none. */
static inline void step_count_guard(struct exec_counts *counts, int32_t pc, uint32_t m)
{
    counts->site_runs[pc] += m != 0;
    counts->site_lanes[pc] += (uint64_t)__builtin_popcount(m);
}

/* The lanes of m come to an unrolled loop. */
static inline void step_count_trips(const struct interp_code *c, const struct warp *w, const struct step *st, uint32_t m, struct exec_counts *counts)
{
    const struct ir_trips *t = &c->kernel->trips[st->in->target];
    const struct ptx_type_info *type = &ptx_type_info[st->in->type];
    uint64_t turns[WARP_LANES];
    for (uint32_t left = m; left; left &= left - 1) {
        int lane = __builtin_ctz(left);
        turns[lane] = trips_of(t, type->bits, type->kind == 'S', step_value(c, w, st, 0, lane), step_value(c, w, st, 1, lane));
    }
    trips_count(&counts->trips[st->in->target * TRIPS_NUMBERS], t, turns, m);
}

/* The lanes of m come to a quotient or root. */
static inline void step_count_long_way(const struct interp_code *c, struct warp *w, const struct step *st, uint32_t m, struct exec_counts *counts)
{
    const bool two = st->in->nsrc > 1;
    uint64_t a[WARP_LANES], b[WARP_LANES];
    for (uint32_t left = m; left; left &= left - 1) {
        int lane = __builtin_ctz(left);
        a[lane] = step_value(c, w, st, 0, lane);
        if (two)
            b[lane] = step_value(c, w, st, 1, lane);
    }
    const enum long_way way = c->kernel->long_ways[st->in->target];
    long_way_take(w, counts, way, long_way_count(&counts->long_ways[st->in->target * LONG_NUMBERS], way, a, two ? b : NULL, m));
}

/* Where launches that count do something (ir_only_counts). */
static inline void step_count(const struct interp_code *c, struct warp *w, const struct step *st, uint32_t m, struct exec_counts *counts)
{
    if (st->in->op == IR_OP_TRIPS)
        step_count_trips(c, w, st, m, counts);
    else
        step_count_long_way(c, w, st, m, counts);
}

/* The current split is at the branch `pc`: the lanes of m, some of its lanes and not all, take it. */
static inline void step_part(const struct step *st, struct warp *w, int32_t pc, uint32_t m, struct exec_counts *counts)
{
    struct split *s = &w->split[w->current];
    if (counts)
        counts->divergent[pc]++;
    s->pc = pc;
    warp_diverge(w, s->mask & ~m, pc + 1, st->target, st->join, st->in->reconvergence);
    if (st->leaves)
        warp_leave(w);
}

/* The same, all of its lanes go one way. */
static inline void step_follow(const struct step *st, struct warp *w, int32_t pc, bool taken)
{
    w->split[w->current].pc = taken ? st->target : pc + 1;
    if (taken && st->level)
        warp_change_level(w, st->level);
    if (st->leaves)
        warp_leave(w);
}

#endif
