/* The loop that runs a warp: picks a split, goes on from its instruction, stops when the clock should decide.
 *
 * Control flow lives here (splits and joins: simt/warp.c); lane values in lanes.c, access.c, exchange.c, special.c.
 * A split leaves the loop when it waits (barrier, join, rendezvous), when all its lanes exited, at the end of the warp's first
 * turn (turn.h), when the ring of records is full, or at a back-edge: at once when the launch is stopped, after WAIT_TURNS
 * turns of waiting loops (WARP_WAIT_TURNS of all splits together), and after LONG_TURNS of any loops, so that nothing that another lane, warp or block must do can be
 * kept from happening. */
#include "interp/interp.h"
#include "interp/code.h"
#include "interp/step.h"
#include "interp/claim_check.h"
#include "simt/tally.h"

#include <limits.h>

#include "heddle.h"

enum {
    WAIT_TURNS = 32,       /* turns of a waiting loop before others run */
    SPIN_TURNS = 2,        /* the same for a warp that has already waited once in vain */
    WARP_WAIT_TURNS = 256, /* the same of all splits of a warp together: lanes that part and meet at each turn begin anew */
    IN_VAIN = 256,         /* times that a warp lets others run for these before lanes at joins go on */
    RECORDS_PER_STEP = 3,  /* a generic access makes up to three; at the head of a block whose entries are told one more */
    WATCHED_PER_STEP = ASYNC_COPIES + BLOCK_BARRIERS + 5 /* the copies waited for; the barriers that an exit completes */
};

/* What the loop keeps at hand of the current split. */
struct run {
    const struct interp_code *c;
    struct launch *l;
    struct warp *w;
    struct exec_counts *counts;
    int32_t pc, join_pc;
    uint32_t mask;
    int turn; /* records: at the head of the next block that accesses memory it is another warp's turn */
    int room; /* records: an instruction may add its share up to here */
    bool again; /* the instruction at pc was counted when the split met it first */
    const int32_t *together, *apart; /* interp_run_until: where to stop, or NULL */
    bool single; /* interp_step: anywhere */
    bool met;    /* the last of its block at a barrier, in a launch with turn_records */
    bool moved;
};

static void take_split(struct run *r)
{
    struct split *s = &r->w->split[r->w->current];
    r->pc = s->pc;
    r->mask = s->mask;
    r->again = s->again;
    s->again = false;
    r->join_pc = warp_join_pc(r->w);
}

static struct split *put_split(struct run *r)
{
    struct split *s = &r->w->split[r->w->current];
    s->pc = r->pc;
    return s;
}

/* --- rendezvous of lanes --- */

/* The split waits for the rendezvous `mask` at an instruction like `st`. */
static bool waits_there(const struct run *r, const struct split *s, uint32_t mask, const struct step *st)
{
    return s->state == SPLIT_SYNC && s->sync_mask == mask && exchange_is_same(&r->c->step[s->pc], st);
}

static uint32_t waiting_lanes(const struct run *r, uint32_t mask, const struct step *st)
{
    uint32_t lanes = 0;
    for (int i = 0; i < r->w->nsplits; i++)
        if (waits_there(r, &r->w->split[i], mask, st))
            lanes |= r->w->split[i].mask;
    return lanes;
}

/* Every lane named by `mask` is here: carries the instruction out and lets the lanes go on. A fault stops the launch. */
static void meet(struct run *r, const struct step *st, uint32_t mask)
{
    struct warp *w = r->w;
    const struct step *at[WARP_LANES];
    uint32_t lanes = waiting_lanes(r, mask, st);
    bool apart = false;
    for (int i = 0; i < w->nsplits; i++) {
        struct split *s = &w->split[i];
        if (!waits_there(r, s, mask, st))
            continue;
        apart |= &r->c->step[s->pc] != st;
        for (uint32_t left = s->mask; left; left &= left - 1)
            at[__builtin_ctz(left)] = &r->c->step[s->pc];
        s->state = SPLIT_READY;
        s->pc++;
    }
    warp_event(w, (int32_t)(st - r->c->step), RECORD_MEET, lanes, mask);
    if (apart && st->kind != STEP_SYNCWARP)
        exchange_apart(r->c, w, at, lanes);
    else
        step_exchange(r->c, w, st, lanes);
    warp_merge(w);
}

/* Looks for a rendezvous that is complete because lanes arrived or exited. True when one was. */
static bool meet_any(struct run *r)
{
    struct warp *w = r->w;
    for (int i = 0; i < w->nsplits; i++) {
        const struct split *s = &w->split[i];
        if (s->state != SPLIT_SYNC)
            continue;
        const struct step *st = &r->c->step[s->pc];
        uint32_t need = s->sync_mask & w->alive;
        if ((waiting_lanes(r, s->sync_mask, st) & need) == need) {
            meet(r, st, s->sync_mask);
            return true;
        }
    }
    return false;
}

/* A guard that holds for some lanes only, at an instruction where lanes wait: the others pass it by. */
static void part_from_others(struct run *r, uint32_t m)
{
    put_split(r);
    warp_diverge(r->w, r->mask & ~m, r->pc + 1, r->pc, r->pc + 1, NULL);
    r->w->split[r->w->current].again = true;
    take_split(r);
}

/* True when the split goes on at once; false: it waits, or a fault was recorded. Lanes with another member mask (neighbouring
 * tiles) are a split of their own. */
static bool rendezvous(struct run *r, const struct step *st)
{
    uint32_t same, mask = exchange_members(r->c, r->w, st, r->mask, &same), need = mask & r->w->alive;
    if (same != r->mask) {
        put_split(r);
        warp_diverge(r->w, r->mask & ~same, r->pc, r->pc, r->pc + 1, NULL);
        r->w->split[r->w->nsplits - 1].again = true;
        take_split(r);
    }
    uint32_t strangers = exchange_strangers(r->w, st, r->mask, mask);
    if (strangers) {
        put_split(r);
        warp_event(r->w, r->pc, RECORD_MEET, r->mask, mask);
        launch_fault(r->l, r->w, HEDDLE_ILLEGAL_INSTRUCTION, r->pc, __builtin_ctz(strangers), mask, 0, "the thread's lane is not in its member mask");
        return false;
    }
    if ((need & ~r->mask) == 0) {
        warp_event(r->w, r->pc, RECORD_MEET, r->mask, mask);
        if (!step_exchange(r->c, r->w, st, r->mask))
            return false;
        r->pc++;
        return true;
    }
    struct split *s = put_split(r);
    s->state = SPLIT_SYNC;
    s->sync_mask = mask;
    if ((waiting_lanes(r, mask, st) & need) == need)
        meet(r, st, mask);
    return false;
}

/* --- block barriers --- */

static void write_reduction(struct run *r, const struct step *st, unsigned id)
{
    const struct barrier *bar = &r->w->block->barrier[id];
    int kind = st->in->mods->variant;
    if (kind < PTX_BAR_RED_POPC || kind > PTX_BAR_RED_OR)
        return;
    if (kind == PTX_BAR_RED_POPC) {
        for (int i = 0; i < WARP_LANES; i++)
            if (r->mask >> i & 1)
                step_write(r->c, r->w, st, 0, i, bar->result_popc);
        return;
    }
    uint32_t *p = place_at(r->c, r->w, st->d[0]);
    bool truth = kind == PTX_BAR_RED_AND ? bar->result_and : bar->result_or;
    *p = (*p & ~r->mask) | (truth ? r->mask : 0);
}

static uint32_t barrier_truth(const struct run *r, const struct step *st)
{
    int kind = st->in->mods->variant;
    if (kind < PTX_BAR_RED_POPC || kind > PTX_BAR_RED_OR)
        return 0;
    uint32_t p = 0;
    for (int i = 0; i < WARP_LANES; i++)
        p |= (uint32_t)(step_value(r->c, r->w, st, 2, i) & 1) << i;
    return st->in->src[2].negated ? ~p : p;
}

/* True when the split goes on at once; false: it waits, or a fault was recorded. */
static bool barrier(struct run *r, const struct step *st)
{
    struct split *s = put_split(r);
    int lane = __builtin_ctz(r->mask);
    uint64_t id = step_value(r->c, r->w, st, 0, lane);
    uint32_t expected = (uint32_t)step_value(r->c, r->w, st, 1, lane);
    if (id >= BLOCK_BARRIERS) {
        launch_fault(r->l, r->w, HEDDLE_ILLEGAL_INSTRUCTION, r->pc, lane, id, 0, "a block has barriers 0 to 15");
        return false;
    }
    s->again = true; /* when it comes back, it has been counted */
    const uint64_t phases = r->w->block->phases;
    if (!s->passed && !block_barrier(r->w, (unsigned)id, expected, st->in->mods->variant, barrier_truth(r, st)))
        return false;
    if (r->l->turn_records && phases != r->w->block->phases && st->in->mods->variant != PTX_BAR_ARRIVE) { /* all go on from here at one time */
        r->w->split[r->w->current].passed = r->met = true;
        return false;
    }
    s = &r->w->split[r->w->current];
    s->passed = s->again = false;
    write_reduction(r, st, (unsigned)id);
    r->pc++;
    return true;
}

/* One thread of the block waits for those of the other blocks. True when it goes on at once. */
static bool grid_sync(struct run *r)
{
    struct split *s = put_split(r);
    s->again = true;
    if (!s->passed && !block_grid_sync(r->w))
        return false;
    s->passed = s->again = false;
    r->pc++;
    return true;
}

/* --- branches --- */

static bool stopped(const struct run *r)
{
    return launch_stopping(r->l, r->w->block->index);
}

/* The warp has recorded a fault; those of higher ones do not run any more. */
static bool faulted(const struct run *r)
{
    return r->w->block->faulted == r->w->index;
}

/* After a back-edge was taken. False: the warp is to stop with *why. */
static bool turn(struct run *r, const struct step *st, enum warp_stop *why)
{
    if (stopped(r)) {
        put_split(r);
        *why = WARP_STOPPED;
        return false;
    }
    struct split *s = &r->w->split[r->w->current];
    struct warp *w = r->w;
    s->waits += st->waiting;
    w->waits += st->waiting;
    bool patient = ++s->turns < LONG_TURNS && s->waits < (w->spinning ? SPIN_TURNS : WAIT_TURNS);
    if (patient && w->waits < WARP_WAIT_TURNS)
        return true;
    w->waits = 0;
    put_split(r);
    if (!patient || ++w->in_vain == IN_VAIN) {
        s->turns = s->waits = w->in_vain = 0;
        w->spinning = true;
        warp_release_joins(w, false);
    }
    meet_any(r);
    *why = WARP_YIELD;
    return false;
}

/* A call, or the return from one. */
static void change_level(struct run *r, const struct step *st)
{
    warp_change_level(r->w, st->level);
    r->join_pc = warp_join_pc(r->w);
}

/* The whole split went a way that leaves a meet. */
static void leave(struct run *r)
{
    put_split(r);
    warp_leave(r->w);
    take_split(r);
}

static bool branch(struct run *r, const struct step *st, uint32_t m, enum warp_stop *why)
{
    if (m == r->mask || !m) {
        if (!m && st->waiting) { /* this loop has ended */
            r->w->spinning = false;
            r->w->in_vain = 0;
        }
        if (st->leaves || (m && st->level)) {
            step_follow(st, r->w, r->pc, m);
            take_split(r);
        } else {
            r->pc = m ? st->target : r->pc + 1;
        }
        if (!m)
            return true;
    } else {
        step_part(st, r->w, r->pc, m, r->counts);
        take_split(r);
    }
    return !st->back_edge || turn(r, st, why);
}

/* brx.idx: lanes part by index. The lanes of the first lane's index go on; the rest comes back here. */
static void branch_table(struct run *r, const struct step *st, uint32_t m)
{
    uint32_t lanes = 0;
    uint64_t index = step_value(r->c, r->w, st, 0, __builtin_ctz(m));
    if (index >= (uint64_t)st->in->ntargets) {
        launch_fault(r->l, r->w, HEDDLE_ILLEGAL_INSTRUCTION, r->pc, __builtin_ctz(m), index, 0,
                     "the index of 'brx.idx' is past its list of targets");
        return;
    }
    for (int i = 0; i < WARP_LANES; i++)
        if ((m >> i & 1) && step_value(r->c, r->w, st, 0, i) == index)
            lanes |= 1u << i;
    if (lanes == r->mask) {
        r->pc = st->targets[index];
        if (st->level)
            change_level(r, st);
        if (st->leaves)
            leave(r);
        return;
    }
    if (r->counts)
        r->counts->divergent[r->pc]++;
    put_split(r);
    warp_diverge(r->w, r->mask & ~lanes, r->pc, st->targets[index], st->join, st->in->reconvergence);
    r->w->split[r->w->nsplits - 1].again = true;
    warp_change_level(r->w, st->level);
    if (st->leaves)
        warp_leave(r->w);
    take_split(r);
}

/* --- one split --- */

static bool others_go_on(const struct run *r)
{
    return r->single || (r->together && r->together[r->pc] >= 0 && r->mask == UINT32_MAX) ||
           (r->apart && r->apart[r->pc] >= 0);
}

/* Runs the current split until it cannot go on. True: *why says why the warp stops; false: another split may run. */
static bool run_split(struct run *r, enum warp_stop *why)
{
    const struct interp_code *c = r->c;
    struct warp *w = r->w;
    bool watched = r->l->watch;
    const uint8_t *traced = watched ? r->l->watch->traced : NULL;
    struct claim_check *verify = r->l->verify;
    for (;;) {
        if (r->pc == r->join_pc) {
            put_split(r);
            if (!warp_arrive(w))
                return false;
            take_split(r);
            continue;
        }
        if (r->moved && !r->again && others_go_on(r)) {
            put_split(r);
            *why = WARP_RESUME;
            return true;
        }
        r->moved = true;
        const struct step *st = &c->step[r->pc];
        uint32_t m = r->mask;
        if ((w->nrecords > r->room && (watched || st->entered || step_leaves_records(st))) ||
            (w->nrecords >= r->turn && st->block_head == 2 && !r->again)) {
            put_split(r);
            w->hold = true;
            *why = WARP_RING;
            return true;
        }
        if (r->counts && st->block_head && !r->again) {
            r->counts->block_runs[st->block]++;
            r->counts->block_lanes[st->block] += (uint64_t)__builtin_popcount(m);
            if (r->counts->pace) {
                w->busy += r->counts->pace[st->block].busy;
                w->span += r->counts->pace[st->block].span;
                w->units += r->counts->pace[st->block].units;
            }
            if (st->entered)
                tally_enter(r->counts, w, st->block, r->pc, m, 1);
        }
        w->clock++;
        if (st->guarded) {
            m &= step_guard(c, w, st);
            if (r->counts && !r->again)
                step_count_guard(r->counts, r->pc, m);
            if (!m && st->kind != STEP_BRANCH) {
                if (verify && !r->again && !claim_check_before(verify, w, r->pc, r->mask, 0)) {
                    *why = WARP_FAULT;
                    return true;
                }
                r->again = false;
                r->pc++;
                continue;
            }
        }
        if (verify && !r->again && !claim_check_before(verify, w, r->pc, r->mask, st->kind == STEP_BRANCH ? r->mask : m)) {
            *why = WARP_FAULT;
            return true;
        }
        r->again = false;
        if (traced && traced[r->pc])
            warp_event(w, r->pc, RECORD_STEP, m, 0);
        switch (st->kind) {
        case STEP_BRANCH:
            if (!branch(r, st, m, why))
                return true;
            break;
        case STEP_SWITCH:
            branch_table(r, st, m);
            if (faulted(r) || stopped(r)) {
                *why = faulted(r) ? WARP_FAULT : WARP_STOPPED;
                return true;
            }
            break;
        case STEP_EXIT:
            put_split(r);
            if (!warp_exit(w, m))
                return false;
            take_split(r);
            r->pc++;
            break;
        case STEP_BARRIER:
            if (m != r->mask) {
                part_from_others(r, m);
                break;
            }
            if (!barrier(r, st)) {
                *why = WARP_FAULT;
                return faulted(r) || stopped(r);
            }
            break;
        case STEP_GRID_SYNC:
            if (!st->service(c, w, st, m)) {
                *why = WARP_FAULT;
                return true;
            }
            if (!grid_sync(r))
                return false;
            break;
        case STEP_EXCHANGES:
            if (m != r->mask) {
                part_from_others(r, m);
            } else if (!rendezvous(r, st)) {
                *why = WARP_FAULT;
                return faulted(r);
            }
            break;
        case STEP_NANOSLEEP:
            r->pc++;
            put_split(r);
            *why = WARP_YIELD;
            return true;
        case STEP_TRAP:
            launch_fault(r->l, w, HEDDLE_TRAP, r->pc, __builtin_ctz(m), 0, 0, NULL);
            *why = WARP_FAULT;
            return true;
        case STEP_COUNTED:
            if (r->counts)
                step_count(c, w, st, m, r->counts);
            r->pc++;
            break;
        default:
            if (!step_plain(c, w, st, m) || (verify && !claim_check_after(verify, w, r->pc, r->mask, m))) {
                *why = WARP_FAULT;
                return true;
            }
            r->pc++;
            if (step_ends_turn(r->l, st) && r->mask == UINT32_MAX) {
                put_split(r);
                *why = WARP_TURN;
                return true;
            }
        }
    }
}

enum warp_stop interp_run(struct warp *w, struct exec_counts *counts)
{
    return interp_run_until(w, counts, NULL, NULL);
}

enum warp_stop interp_run_until(struct warp *w, struct exec_counts *counts, const int32_t *together, const int32_t *apart)
{
    struct run r = {.c = w->block->launch->code, .l = w->block->launch, .w = w, .counts = counts, .together = together, .apart = apart};
    r.room = r.l->watch ? WATCHED_RECORDS - WATCHED_PER_STEP : (int)r.l->ring_records - RECORDS_PER_STEP - (r.l->kernel->entered != NULL);
    r.turn = r.l->turn_records ? (int)r.l->turn_records : INT_MAX;
    enum warp_stop why;
    bool go_on = w->hold;
    w->hold = false;
    block_wake(w);
    if (!go_on)
        warp_merge(w);
    for (;;) {
        if (!go_on && !warp_pick(w)) {
            if (!w->nsplits && !w->alive)
                return WARP_DONE;
            if (w->nrecords > r.room) /* the instruction that lanes wait for may access memory */
                return WARP_RING;
            if (!meet_any(&r))
                return WARP_BLOCKED;
            if (faulted(&r))
                return WARP_FAULT;
            continue;
        }
        go_on = false;
        take_split(&r);
        if (run_split(&r, &why))
            return why;
        if (stopped(&r))
            return WARP_STOPPED;
        if (r.met)
            return WARP_BLOCKED;
    }
}

enum warp_stop interp_step(struct warp *w, struct exec_counts *counts)
{
    struct run r = {.c = w->block->launch->code, .l = w->block->launch, .w = w, .counts = counts, .room = INT_MAX, .turn = INT_MAX, .single = true};
    enum warp_stop why;
    take_split(&r);
    if (run_split(&r, &why))
        return why;
    return stopped(&r) ? WARP_STOPPED : WARP_BLOCKED;
}

bool interp_meet(struct warp *w)
{
    struct run r = {.c = w->block->launch->code, .l = w->block->launch, .w = w};
    return meet_any(&r);
}
