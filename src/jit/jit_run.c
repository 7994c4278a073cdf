/* Runs warps in machine code and, where that ends, in the interpreter (see jit.h). */
#include "jit/jit.h"

#include "base/alloc.h"
#include "interp/interp.h"
#include "interp/step.h"
#include "jit/jit_code.h"
#include "jit/signal_stack.h"
#include "jit/log.h"
#include "jit/turns.h"
#include "simt/long_way.h"
#include "simt/trips.h"

#include <pthread.h>
#include <string.h>

enum { TURNS = 1 << 12 /* back-edges between looks at whether the launch is to stop */ };

uint32_t jit_long_turns = LONG_TURNS;
uint64_t jit_blocks_left;

/* --- blocks that are not begun --- */

enum { MOST_WARPS = 1024 / WARP_LANES };

/* A block that leaves the block form costs so much of what a thread has for each launch; one that does not earns 1. */
enum { BLOCK_CREDIT = 256, BLOCK_LEFT = 16 };

/* Where the warps of a block are: ended, or waiting at the barrier at wait[i], or (-1) to go on whole at next[i]. */
struct fleet {
    struct block *b;
    const struct plan *plan;
    int n;
    uint32_t ended; /* bits */
    int32_t wait[MOST_WARPS], next[MOST_WARPS];
    int32_t resume[MOST_WARPS + 1]; /* the resume point of next[i]; -1: it is not to go on, or there is none; the last: -1 */
    uint32_t stopped[MOST_WARPS];   /* JIT_STOPPED of those that machine code has gone on from */
    int from;                       /* the first of these since it was called */
    uint32_t more;                  /* blocks behind this one that machine code has been told of */
};

/* All 32 lanes have exited. */
static void end_warp(struct warp *w)
{
    w->alive = 0;
    w->nsplits = 0;
    w->block->threads_alive -= WARP_LANES;
}

/* Warp i stopped in machine code before anything else needed its state. */
static void note(struct fleet *fl, int i, enum jit_stop why, int32_t site)
{
    fl->resume[i] = -1;
    if (why == JIT_EXIT)
        fl->ended |= 1u << i;
    else if (why == JIT_BARRIER)
        fl->wait[i] = site;
    else
        fl->resume[i] = fl->plan->resume[fl->next[i] = site];
}

/* The frame's fields for a warp of the block. */
static void point_at(struct jit_frame *f, const struct block *b, int index)
{
    f->warp = &b->warps[index];
    f->regs = block_regs(b, index);
    f->turned = 0;
    f->local = block_local(b, index);
    f->tid = b->launch->first_tid[index];
    f->sreg[PTX_SREG_WARPID] = (uint32_t)index;
}

/* Machine code has gone on with blocks behind the one that it was called for: this is the one that it runs, or ran last. */
static void catch_up(struct jit_frame *f, struct fleet *fl)
{
    uint32_t done = fl->more - f->blocks_left;
    fl->b->index += done;
    fl->b->id[0] += done;
    fl->b->sm = (uint16_t)((fl->b->sm + done) % fl->b->launch->sms);
    f->sreg[PTX_SREG_SMID] = fl->b->sm;
    fl->more = f->blocks_left = 0;
}

/* The number of the warp that machine code runs, or ran last; those before it have stopped. */
static int settle(struct jit_frame *f, struct fleet *fl)
{
    int at = (int)(f->stopped - fl->stopped);
    if (f->fleet)
        point_at(f, fl->b, at);
    for (int i = fl->from; i < at; i++)
        note(fl, i, fl->stopped[i] & ((1u << JIT_WHY_BITS) - 1), (int32_t)(fl->stopped[i] >> JIT_WHY_BITS));
    fl->from = at;
    return at;
}

/* From here on the block's warps and barriers are in use. */
static void begin(struct jit_frame *f)
{
    struct fleet *fl = f->fleet;
    struct block *b = fl->b;
    catch_up(f, fl);
    if (f->in_block) {
        f->fleet = NULL;
        block_begin(b);
        return;
    }
    settle(f, fl);
    f->fleet = NULL;
    f->left = 0;
    block_begin(b);
    for (int i = 0; i < b->nwarps; i++) {
        b->warps[i].kept = true;
        if (fl->ended >> i & 1)
            end_warp(&b->warps[i]);
    }
}

/* --- functions that generated code calls --- */

/* What the interpreter left in the ring is counted at once, if nobody wants to see it: machine code counts its accesses
 * itself, and does not stop for the ring's sake. */
static void fetch(struct warp *w, struct exec_counts *c)
{
    if (c && c->keep)
        return;
    for (int i = 0; c && c->take && i < w->nrecords; i++)
        c->take(c->taker, &w->ring[i], 1);
    if (c && c->take)
        w->nrecords = 0;
}

/* What machine code has counted of the warp's time goes to the warp. */
static void take_time(struct jit_frame *f)
{
    f->warp->clock += f->executed;
    f->executed = 0;
    f->warp->busy += f->pace.busy;
    f->warp->span += f->pace.span;
    f->warp->units += f->pace.units;
    f->warp->passes += f->pace.passes;
    f->pace = (struct tally_pace){0};
}

/* The nth of the blocks that the block form runs together; from here on its warps are in use. */
static struct block *in_flight(struct jit_frame *f, int nth)
{
    struct block *first = f->block, *b;
    struct launch *l = first->launch;
    if (f->fleet)
        begin(f);
    if (!nth)
        return first;
    b = f->flight->memory[nth - 1];
    if (!(f->block_begun >> nth & 1)) {
        b = block_start(l, b, first->index + (uint64_t)nth, (uint16_t)((first->sm + (uint32_t)nth) % l->sms), first->ring, first->values);
        block_begin(b);
        f->block_begun |= 1u << nth;
    }
    return b;
}

/* The block's state is in use, and the warp that runs is the frame's. */
static void begin_here(struct jit_frame *f)
{
    if (f->fleet)
        begin(f);
    if (f->in_block)
        point_at(f, in_flight(f, (int)f->block_warp / f->block->nwarps), (int)f->block_warp % f->block->nwarps);
}

static uint32_t op_step(struct jit_frame *f, uint32_t site, uint32_t mask)
{
    const struct interp_code *c = f->code->interp;
    const struct step *st = &c->step[site];
    begin_here(f);
    take_time(f);
    if (!(step_is_plain(st) ? step_plain(c, f->warp, st, mask) : step_exchange(c, f->warp, st, mask)))
        return 1;
    fetch(f->warp, f->counts);
    return 0;
}

static uint32_t op_affine(struct jit_frame *f, uint32_t site, uint32_t reg)
{
    begin_here(f);
    jit_expand_register(f->code, f->warp, (int32_t)reg);
    return op_step(f, site, f->mask);
}

static uint32_t op_count_waiting(struct jit_frame *f, uint32_t site, uint32_t zero)
{
    (void)site;
    (void)zero;
    tally_take_waiting(f->counts);
    return 0;
}

static uint32_t op_record_lanes(struct jit_frame *f, uint32_t site, uint32_t lanes)
{
    tally_record_any(f->counts, f->code->plan.row[site], lanes, f->warp);
    return 0;
}

static uint32_t op_count_shape(struct jit_frame *f, uint32_t site, uint32_t lanes)
{
    tally_shape(f->counts, f->code->plan.row[site], lanes, f->lowest, f->times);
    return 0;
}

static uint32_t op_count_trips(struct jit_frame *f, uint32_t site, uint32_t lanes)
{
    int32_t number = f->code->interp->kernel->insts[site].target;
    trips_count(&f->counts->trips[number * TRIPS_NUMBERS], &f->code->interp->kernel->trips[number], f->turns_of, lanes);
    return 0;
}

static uint32_t op_count_long_way(struct jit_frame *f, uint32_t site, uint32_t lanes)
{
    const struct ir_kernel *k = f->code->interp->kernel;
    const int32_t number = k->insts[site].target;
    const enum long_way way = k->long_ways[number];
    const uint64_t *b = k->insts[site].nsrc > 1 ? f->operands[1] : NULL;
    long_way_take(f->warp, f->counts, way, long_way_count(&f->counts->long_ways[number * LONG_NUMBERS], way, f->operands[0], b, lanes));
    return 0;
}

/* Before the block is begun a warp does not know of it. */
static const struct block *block_of(const struct jit_frame *f)
{
    return f->fleet ? f->fleet->b : f->warp->block;
}

static bool stopping(const struct jit_frame *f)
{
    return launch_stopping(block_of(f)->launch, block_of(f)->index);
}

static uint32_t op_count_turns(struct jit_frame *f, uint32_t site, uint32_t lanes)
{
    const struct ir_kernel *k = f->code->interp->kernel;
    for (int32_t i = 0; i < k->nloops; i++)
        if (k->loops[i].header == k->insts[site].block)
            turns_count(k, f->code->plan.row, &f->code->chains[i], lanes, f->counts);
    return stopping(f);
}

static uint32_t op_record_shape(struct jit_frame *f, uint32_t site, uint32_t lanes)
{
    tally_record_shape(f->counts, f->code->plan.row[site], lanes, f->lowest, f->warp);
    return 0;
}

static uint32_t op_enter(struct jit_frame *f, uint32_t site, uint32_t lanes)
{
    tally_enter(f->counts, f->warp, f->code->interp->step[site].block, (int32_t)site, lanes, f->times);
    return 0;
}

/* A bounds check is for all lanes of a warp, also those that are off, and for accesses around the one that asks: so it may
 * fail at an allocation's end though nothing goes wrong. The first time the interpreter looks more closely, and tells of what
 * does; from then on the place in the code has whole granules. */
static uint32_t op_check(struct jit_frame *f, uint32_t slot, uint64_t host, uint32_t bytes, uint32_t unit)
{
    uint64_t low = host - SPACE_DELTA;
    bool missed = slot < f->checks && f->missed[slot];
    const struct space *s = space_reach(f->space, low);
    struct space_run run = missed ? space_granules_at(s, low) : space_run_at(s, low);
    if (run.bytes < bytes || low - run.first > run.bytes - bytes) {
        if (slot < f->checks)
            f->missed[slot] = true;
        return 0;
    }
    if (low & (unit - 1))
        return 0;
    if (slot < f->checks)
        f->seen[slot] = (struct jit_seen){run.first, (run.bytes - bytes) / unit + 1};
    return 1;
}

/* The same for lanes that go anywhere: first their first lane's allocation, when that is asked for again its granules. */
static uint32_t op_find_run(struct jit_frame *f, uint32_t site, uint32_t slot)
{
    const struct interp_code *c = f->code->interp;
    const struct ir_inst *in = &c->kernel->insts[site];
    uint64_t address = in->src[0].imm;
    const char *regs = f->in_block ? f->warp_regs[f->block_warp] : f->regs;
    if (in->src[0].kind == IR_SRC_REG)
        address = ((const uint64_t *)(const void *)(regs + c->of_reg[in->src[0].reg]))[__builtin_ctz(f->mask)];
    address += (uint64_t)in->offset;
    const struct space *s = space_reach(f->space, address);
    struct space_run run = f->missed[slot] ? space_granules_at(s, address) : space_run_at(s, address);
    f->missed[slot] |= f->seen[slot].room != 0;
    if (run.bytes)
        f->seen[slot] = (struct jit_seen){run.first, run.bytes};
    return run.bytes != 0;
}

static uint32_t op_long_turns(struct jit_frame *f, uint32_t site, uint32_t only_stop)
{
    if ((int32_t)site >= 0)
        launch_seen(block_of(f)->launch, (int32_t)site);
    if (only_stop)
        return stopping(f);
    if (f->fleet)
        begin(f);
    f->turned += TURNS;
    f->patience = TURNS;
    return f->turned >= jit_long_turns || launch_stopping(f->warp->block->launch, f->warp->block->index);
}

static const struct jit_ops ops = {op_step, op_affine, op_check, op_find_run, op_long_turns, op_count_waiting, op_count_shape, op_count_trips, op_count_long_way, op_count_turns, op_record_lanes, op_record_shape, op_enter,
                                   jit_split_branch, jit_split_arrive, jit_split_exit, jit_split_barrier, jit_split_exchange};

/* --- in and out --- */

static pthread_key_t seen_key;

static void make_seen_key(void)
{
    pthread_key_create(&seen_key, alloc_release);
}

/* Room for what a thread's frame has seen and (a byte each, behind it) missed, with nothing seen or missed. */
static struct jit_seen *seen_room(uint32_t n)
{
    const size_t each = sizeof(struct jit_seen) + 1;
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    static _Thread_local struct jit_seen *seen;
    static _Thread_local uint32_t room;
    if (n > room) {
        pthread_once(&once, make_seen_key);
        alloc_release(seen);
        seen = alloc_zeroed(n * each);
        room = n;
        pthread_setspecific(seen_key, seen);
    } else if (n) {
        memset(seen, 0, n * each);
    }
    return seen;
}

static int32_t stride_of(const struct tally_site *s)
{
    int64_t step = (int64_t)(s->above[1] - s->above[0]);
    bool one = !s->halved && step > TALLY_NO_STRIDE && step <= INT32_MAX;
    for (int lane = 1; lane < WARP_LANES; lane++)
        one &= s->above[lane] - s->above[lane - 1] == (uint64_t)step;
    return one ? (int32_t)step : TALLY_NO_STRIDE;
}

/* Passes of all lanes' access to shared memory, where it leaves no record (jit_job.cached). */
static unsigned passes_of(const struct jit_code *code, int32_t i, const struct exec_counts *counts)
{
    const struct ir_inst *in = &code->interp->kernel->insts[i];
    struct shape_reach reach;
    struct record r;
    if (in->space != PTX_SHARED || !(ir_is(in, PTX_KIND_LOAD) || ir_is(in, PTX_KIND_STORE)) || in->guard != IR_NOREG || code->plan.row[i] < 0)
        return 0;
    step_record(code->interp, &code->interp->step[i], PTX_SHARED, &r);
    r.mask = UINT32_MAX;
    r.shape = RECORD_EXPLICIT;
    if (!shape_reach(code->interp->kernel, code->shapes, code->dim, in, &reach) || reach.halved)
        return 0;
    for (int lane = 0; lane < WARP_LANES; lane++)
        r.addr[lane] = (uint64_t)reach.above[lane];
    return counts->passes(&r);
}

/* What a run of each block takes. */
static struct tally_pace *new_pace(const struct jit_code *code, const struct exec_counts *counts)
{
    const struct ir_kernel *k = code->interp->kernel;
    struct tally_pace *pace = alloc_zeroed(((size_t)k->nblocks + 1) * sizeof *pace);
    for (int32_t b = 0; b < k->nblocks; b++) {
        pace[b].busy = counts->pace[b].busy;
        pace[b].span = counts->pace[b].span;
        pace[b].units = counts->pace[b].units;
        for (int32_t i = k->blocks[b].first; i < k->blocks[b].first + k->blocks[b].count; i++)
            pace[b].passes += passes_of(code, i, counts);
    }
    return pace;
}

/* A tally for the code's memory instructions: what their accesses have in common. */
static struct tally *new_tally(const struct jit_code *code)
{
    const struct ir_kernel *k = code->interp->kernel;
    bool turns = false;
    for (int32_t i = 0; i < k->nloops; i++)
        turns |= code->chains[i].n > 0;
    struct tally *t = tally_new(code->plan.nrow, turns);
    for (int32_t i = 0; i < k->ninsts; i++) {
        const struct step *st = &code->interp->step[i];
        struct shape_reach reach;
        if (code->plan.row[i] < 0)
            continue;
        struct tally_site *s = &t->site[code->plan.row[i]];
        step_record(code->interp, st, st->space == PTX_GENERIC ? PTX_GLOBAL : st->space, &s->record);
        if (!shape_reach(k, code->shapes, code->dim, &k->insts[i], &reach))
            continue;
        s->halved = reach.halved;
        for (int lane = 0; lane < WARP_LANES; lane++)
            s->above[lane] = (uint64_t)reach.above[lane];
        s->stride = stride_of(s);
    }
    return t;
}

/* What the thread counts for it. */
static void fill_counts(struct jit_frame *f, const struct jit_code *code, struct exec_counts *counts)
{
    f->counts = counts;
    if (!counts)
        return;
    f->numbers = counts->whole;
    if (code->tallies && !counts->tally)
        counts->tally = new_tally(code);
    if (code->cached && !counts->tally->pace)
        counts->tally->pace = new_pace(code, counts);
    f->block_pace = counts->tally ? counts->tally->pace : NULL;
    f->tally = counts->tally;
    f->tally_site = counts->tally ? counts->tally->site : NULL;
    f->tally_turns = counts->tally ? counts->tally->turns : NULL;
    f->tally_slots = counts->tally ? counts->tally->slots : NULL;
    f->tally_pattern = counts->tally ? counts->tally->pattern : NULL;
}

static void fill_launch(struct jit_frame *f, const struct launch *l, const struct jit_code *code, struct exec_counts *counts)
{
    signal_stack_ensure();
    f->params = l->params;
    f->space = l->space;
    f->ops = &ops;
    f->math = lanes_math();
    f->checks = JIT_CHECKS * (uint32_t)code->plan.naccesses;
    f->seen = seen_room(f->checks);
    f->missed = (uint8_t *)(f->seen + f->checks);
    f->code = code;
    f->shared_bytes = l->shared_bytes;
    f->local_size = l->local_size;
    f->local_bytes = l->local_bytes;
    f->turns = l->turns;
    f->room = l->turn_records ? l->turn_records : RING_RECORDS / 2;
    f->block_credit = BLOCK_CREDIT;
    f->executed = 0;
    f->pace = (struct tally_pace){0};
    f->gridid = l->grid_serial;
    for (int i = 0; i < 3; i++) {
        f->sreg[PTX_SREG_NTID_X + i] = l->block_dim[i];
        f->sreg[PTX_SREG_NCTAID_X + i] = l->grid[i];
    }
    f->sreg[PTX_SREG_NSMID] = l->sms;
    f->sreg[PTX_SREG_TOTAL_SMEM_SIZE] = l->shared_bytes;
    f->sreg[PTX_SREG_DYNAMIC_SMEM_SIZE] = l->shared_asked - l->kernel->shared_dynamic;
    fill_counts(f, code, counts);
}

static _Thread_local struct of_thread {
    struct jit_frame frame;
    uint64_t launch; /* number of the one it is filled for */
} of_thread;

/* The frame of the calling thread for this block: blocks of one launch come one after the other, so most of it is there. */
static struct jit_frame *frame_of(const struct block *b, const struct jit_code *code, struct exec_counts *counts)
{
    struct of_thread *mine = &of_thread;
    struct jit_frame *f = &mine->frame;
    if (mine->launch != b->launch->number) {
        fill_launch(f, b->launch, code, counts);
        mine->launch = b->launch->number;
    } else if (f->counts != counts) { /* the thread runs blocks for another one */
        fill_counts(f, code, counts);
    }
    f->shared = b->shared;
    f->fleet = NULL;
    f->in_block = false;
    for (int i = 0; i < 3; i++)
        f->sreg[PTX_SREG_CTAID_X + i] = b->id[i];
    f->sreg[PTX_SREG_SMID] = b->sm;
    return f;
}

static void fill_warp(struct jit_frame *f, const struct block *b, int index)
{
    point_at(f, b, index);
    f->left = 0;
    f->others = 0;
    f->blocks_left = 0;
}

/* The number of the resume point where the warp can go on in machine code, or -1. */
static int32_t entry(const struct jit_code *code, struct warp *w)
{
    struct split *s = &w->split[0];
    if (w->interpreted || w->alive != UINT32_MAX || w->nsplits != 1 || s->mask != UINT32_MAX ||
        s->state != SPLIT_READY)
        return -1;
    bool behind = s->passed && code->barrier[s->pc];
    int32_t r = behind ? code->plan.resume[s->pc + 1] : s->again ? -1 : code->plan.resume[s->pc];
    if (r < 0)
        return -1;
    for (int16_t j = s->join; j >= 0; j = w->join[j].parent) /* joins of all lanes join nobody */
        warp_join_free(w, j);
    s->join = -1;
    s->turns = 0;
    s->again = s->passed = false;
    w->current = 0;
    w->hold = false;
    return r;
}

/* The interpreter, until it has done enough for machine code to pay: then this thread makes it. */
static enum warp_stop interpret(struct jit_code *code, struct warp *w, struct exec_counts *counts)
{
    uint64_t before = w->clock;
    enum warp_stop stop = interp_run(w, counts);
    uint64_t work = __atomic_add_fetch(&code->work, w->clock - before, __ATOMIC_RELAXED);
    if (jit_is_worth_it(code, work) && !__atomic_load_n(&code->claimed, __ATOMIC_RELAXED) &&
        !__atomic_exchange_n(&code->claimed, true, __ATOMIC_ACQ_REL))
        jit_make(code);
    return stop;
}

/* Where the warp goes on: at a resume point, at a position of the split form, or (both -1) in the interpreter. `running`:
 * with its current split, else with the next that is ready. */
struct start {
    int32_t resume, position;
};

static struct start start_at(struct jit_frame *f, bool running)
{
    struct warp *w = f->warp;
    struct start s = {entry(f->code, w), -1};
    if (s.resume < 0 && !w->interpreted && __atomic_load_n(&f->code->split, __ATOMIC_ACQUIRE))
        s.position = jit_position(f, running);
    return s;
}

/* Splits of its own for what the interpreter did for this kernel since it has code: when that is enough, code for it. */
static void count_split_work(struct jit_code *code, uint64_t work)
{
    if (code->split || code->split_claimed)
        return;
    if (jit_is_worth_it(code, __atomic_add_fetch(&code->split_work, work, __ATOMIC_RELAXED)) &&
        !__atomic_exchange_n(&code->split_claimed, true, __ATOMIC_ACQ_REL))
        jit_make_split(code);
}

/* Is the instruction a branch whose lanes part, or the end of some? *lanes: those that its guard holds for. */
static bool parts_here(const struct jit_frame *f, int32_t site, uint32_t *lanes)
{
    const struct interp_code *c = f->code->interp;
    const struct step *st = &c->step[site];
    if (st->kind != STEP_BRANCH && st->kind != STEP_EXIT)
        return false;
    *lanes = st->guarded ? step_guard(c, f->warp, st) : UINT32_MAX;
    return true;
}

/* Machine code ended before `site`, where the other form can go on or the interpreter has to. Code with all lanes together
 * has counted the guard already if it stands at the head of a block. */
static int32_t leave(struct jit_frame *f, int32_t site, bool together)
{
    struct warp *w = f->warp;
    const struct ir_kernel *k = f->code->interp->kernel;
    struct split *s = &w->split[w->current];
    bool head = site == k->blocks[k->insts[site].block].first;
    uint32_t lanes;
    if (together)
        jit_expand(f->code, w, site);
    if (together && f->code->split && !w->interpreted && parts_here(f, site, &lanes)) {
        if (f->counts && !head && k->insts[site].guard != IR_NOREG)
            step_count_guard(f->counts, site, lanes);
        f->mask = s->mask;
        return f->code->interp->step[site].kind == STEP_EXIT ? jit_split_exit(f, (uint32_t)site, lanes)
                                                             : jit_split_branch(f, (uint32_t)site, lanes);
    }
    s->pc = site;
    s->again = head;
    w->hold = true;
    f->why = JIT_INTERPRET;
    return -1;
}

/* The interpreter, until machine code can go on. False: the warp stopped. */
static bool interpret_some(struct jit_frame *f, struct exec_counts *counts, struct start *go, enum warp_stop *stop)
{
    struct warp *w = f->warp;
    struct jit_code *code = (struct jit_code *)f->code;
    uint64_t before = w->clock;
    bool apart = !w->interpreted && code->split;
    do {
        *stop = interp_run_until(w, counts, w->interpreted ? NULL : code->plan.resume, apart ? code->plan.apart : NULL);
        fetch(w, counts);
    } while (*stop == WARP_RING && !w->nrecords);
    count_split_work(code, w->clock - before);
    if (*stop != WARP_RESUME)
        return false;
    w->hold = true; /* in the middle of a split */
    *go = start_at(f, true);
    return true;
}

enum course {
    GOES_ON, /* as *go says */
    WAITS,   /* all its lanes are at the barrier at *site, and nobody has been told yet */
    STOPS    /* *stop says why */
};

/* What follows when machine code has ended. */
static enum course after(struct jit_frame *f, enum jit_stop why, bool together, struct start *go, int32_t *site,
                         enum warp_stop *stop)
{
    struct warp *w = f->warp;
    struct split *s = &w->split[w->current];
    take_time(f);
    w->clock++;
    *go = (struct start){-1, -1};
    if (why == JIT_GIVE_UP)
        w->interpreted = true;
    if (why == JIT_LEAVE || why == JIT_GIVE_UP) {
        go->position = leave(f, f->site, together);
        if (go->position >= 0)
            return GOES_ON;
        why = f->why;
        s = &w->split[w->current];
    }
    w->kept |= together && (why == JIT_BARRIER || why == JIT_TURN || why == JIT_RING);
    switch (why) {
    case JIT_BARRIER:
        *site = f->site;
        return WAITS;
    case JIT_EXIT:
        end_warp(w);
        *stop = WARP_DONE;
        return STOPS;
    case JIT_ENDED:
        *stop = WARP_DONE;
        return STOPS;
    case JIT_TOGETHER:
        go->resume = entry(f->code, w);
        return GOES_ON;
    case JIT_TURN:
        s->pc = f->site;
        f->turned += TURNS;
        if (launch_stopping(w->block->launch, w->block->index)) {
            *stop = WARP_STOPPED;
            return STOPS;
        }
        if (f->turned >= jit_long_turns) {
            warp_release_joins(w, false);
            *stop = WARP_YIELD;
            return STOPS;
        }
        if (f->site && step_ends_turn(w->block->launch, &f->code->interp->step[f->site - 1])) {
            *stop = WARP_TURN;
            return STOPS;
        }
        *go = start_at(f, true);
        return GOES_ON;
    case JIT_APART:
        w->kept = false;
        jit_apart(f);
        if (f->why == JIT_GIVE_UP) {
            w->interpreted = true;
            w->hold = true;
            return GOES_ON;
        }
        warp_release_joins(w, false);
        *stop = launch_stopping(w->block->launch, w->block->index) ? WARP_STOPPED : WARP_YIELD;
        return STOPS;
    case JIT_RING:
        s->pc = f->site;
        w->hold = true;
        *stop = WARP_RING;
        return STOPS;
    case JIT_FAULT:
        s->pc = f->site;
        *stop = WARP_FAULT;
        return STOPS;
    default: /* JIT_INTERPRET */
        return GOES_ON;
    }
}

static enum jit_stop run_guarded(struct jit_frame *f, jit_function *run, uint32_t at)
{
    f->running = f->code->interp->kernel;
    enum jit_stop why = run(f, at);
    f->running = NULL;
    return why;
}

const char *jit_running(void)
{
    const struct ir_kernel *k = of_thread.frame.running;
    return k ? k->name : NULL;
}

/* Machine code. As long as it may become better it is looked now and then how long it takes. */
static enum jit_stop enter(struct jit_frame *f, enum form form, jit_function *const *function, uint32_t at, uint32_t turns)
{
    struct jit_code *code = (struct jit_code *)f->code;
    uint32_t timed = code->cached ? 509 : 31; /* one call of so many, a prime: a block may take the same even number each time */
    jit_function *run = __atomic_load_n(function, __ATOMIC_ACQUIRE);
    f->budget = turns;
    f->patience = jit_long_turns < TURNS ? jit_long_turns : TURNS;
    if (!__atomic_load_n(&code->may_change, __ATOMIC_RELAXED) || (++f->calls % timed && !jit_hasty))
        return run_guarded(f, run, at);
    double start = log_now();
    enum jit_stop why = run_guarded(f, run, at);
    jit_has_run(code, form, (uint64_t)((log_now() - start) * 1e9 * timed) + 1);
    return why;
}

/* Machine code for all lanes together, from the resume point `at`. */
static enum jit_stop call(struct jit_frame *f, int32_t at, uint32_t turns)
{
    if (!f->fleet && !f->warp->kept)
        jit_collect(f->code, f->warp, f->code->plan.site[at]);
    return enter(f, TOGETHER, &f->code->function, (uint32_t)at, turns);
}

static enum jit_stop call_split(struct jit_frame *f, int32_t position)
{
    return enter(f, SPLIT, &f->code->split, (uint32_t)position, TURNS);
}

/* Runs the warp on until it waits (true) or stops. */
static bool advance(struct jit_frame *f, struct exec_counts *counts, struct start go, int32_t *site, enum warp_stop *stop)
{
    for (;;) {
        bool together = go.resume >= 0;
        if (!together && go.position < 0) {
            if (!interpret_some(f, counts, &go, stop))
                return false;
            continue;
        }
        enum jit_stop why = together ? call(f, go.resume, TURNS) : call_split(f, go.position);
        enum course c = after(f, why, together, &go, site, stop);
        if (c != GOES_ON)
            return c == WAITS;
    }
}

/* The warp waits at the barrier at `site`. False: it was the last, and goes on. */
static bool arrive(const struct jit_code *code, struct warp *w, int32_t site)
{
    struct split *s = &w->split[0];
    const struct ir_inst *in = &code->interp->kernel->insts[site];
    w->current = 0;
    s->pc = site;
    s->again = true;
    return !block_barrier(w, (unsigned)in->src[0].imm, 0, PTX_BAR_SYNC, 0);
}

enum warp_stop jit_run(struct warp *w, struct exec_counts *counts)
{
    struct launch *l = w->block->launch;
    struct jit_code *code = l->jit;
    if (!__atomic_load_n(&code->function, __ATOMIC_ACQUIRE))
        return interpret(code, w, counts);
    block_wake(w);
    if (w->nsplits == 1 && w->split[0].state == SPLIT_BARRIER)
        return WARP_BLOCKED;
    struct jit_frame *f = frame_of(w->block, code, counts);
    fill_warp(f, w->block, w->index);
    bool running = w->hold;
    if (!running)
        warp_merge(w);
    struct start go = start_at(f, running);
    int32_t site;
    enum warp_stop stop;
    while (advance(f, counts, go, &site, &stop)) {
        bool waits = arrive(code, w, site);
        if (launch_stopping(l, w->block->index))
            return WARP_STOPPED;
        if (waits)
            return WARP_BLOCKED;
        w->split[0].passed = true;
        if (l->turn_records) /* all warps of the block go on from here at one time */
            return WARP_BLOCKED;
        go = start_at(f, true);
    }
    if (stop == WARP_DONE)
        block_check_barriers(w);
    return stop;
}

/* --- a whole block --- */

/* A warp that goes on whole at an instruction. */
static struct start start_whole(struct jit_frame *f, int32_t pc)
{
    struct split *s = &f->warp->split[0];
    struct start go = {f->code->plan.resume[pc], -1};
    s->pc = pc;
    s->again = s->passed = false;
    return go.resume >= 0 && f->warp->alive == UINT32_MAX && !f->warp->interpreted ? go : start_at(f, true);
}

/* Is it the turn of some? If not, all wait: do they wait at one barrier? Then they may go on. */
static bool go_on(const struct jit_code *code, struct fleet *fl)
{
    const struct ir_inst *insts = code->interp->kernel->insts;
    int first = __builtin_ctz(~fl->ended);
    for (int i = first; i < fl->n; i++)
        if (!(fl->ended >> i & 1) && fl->wait[i] < 0)
            return true;
    for (int i = first; i < fl->n; i++)
        if (fl->wait[i] != fl->wait[first] && !(fl->ended >> i & 1) &&
            insts[fl->wait[i]].src[0].imm != insts[fl->wait[first]].src[0].imm)
            return false;
    for (int i = first; i < fl->n; i++)
        if (!(fl->ended >> i & 1)) {
            note(fl, i, JIT_TURN, fl->wait[i] + 1);
            fl->wait[i] = -1;
        }
    return true;
}

/* The block's state in its warps, where the clock and the interpreter look for it. */
static void region_hand_over(struct jit_frame *f, struct fleet *fl, int except)
{
    struct block *b = fl->b;
    if (f->fleet)
        begin(f);
    b->warps_done = __builtin_popcount(fl->ended);
    for (int i = 0; i < b->nwarps; i++) {
        struct warp *w = &b->warps[i];
        if (!w->alive || i == except)
            continue;
        if (fl->wait[i] >= 0)
            w->split[0].passed = !arrive(f->code, w, fl->wait[i]);
        else
            w->split[0].pc = fl->next[i];
    }
}

/* All warps of the block have come to the same barrier, or have had their turn at the same place, in one go: they go on there. */
static bool goes_on_in_step(const struct jit_frame *f, struct fleet *fl, enum jit_stop why)
{
    int n = fl->n;
    uint32_t differ = 0, stopped = JIT_STOPPED(why, f->site);
    int32_t site = f->site + (why == JIT_BARRIER), next = fl->plan->resume[site];
    if (!f->fleet || f->stopped != &fl->stopped[n - 1] || next < 0 || launch_stopping(fl->b->launch, fl->b->index))
        return false;
    for (int i = 0; i < n - 1; i++)
        differ |= fl->stopped[i] ^ stopped;
    for (int i = 0; i < n && !differ; i++) {
        fl->resume[i] = next;
        fl->next[i] = site;
    }
    return !differ;
}

static uint32_t turns_of(const struct fleet *fl)
{
    return fl->n == 1 ? TURNS : SHARED_TURNS;
}

/* Machine code, for warp i and those behind it that are where machine code can go on: *at is the last of them. The others
 * have been noted. */
static enum jit_stop call_fleet(struct jit_frame *f, struct fleet *fl, int i, int *at)
{
    enum jit_stop why;
    int last = i, turns = LONG_TURNS / SHARED_TURNS;
    while (fl->resume[last + 1] >= 0)
        last++;
    do {
        fill_warp(f, fl->b, i);
        f->left = (uint32_t)(last - i);
        f->next = &fl->resume[i + 1];
        f->stopped = &fl->stopped[i];
        fl->from = i;
        f->blocks_left = fl->more;
        f->first = (struct jit_first){f->regs, f->local, f->tid, f->next, f->stopped, f->left, turns_of(fl)};
        why = call(f, fl->resume[i], turns_of(fl));
        if (f->fleet)
            catch_up(f, fl);
        if (why == JIT_TURN)
            launch_seen(fl->b->launch, f->site);
    } while ((why == JIT_BARRIER || why == JIT_TURN) && last - i == fl->n - 1 && turns-- && goes_on_in_step(f, fl, why));
    *at = settle(f, fl);
    return why;
}

/* Runs warp *at on until it waits or it is another's turn (true), has ended (true) or stops; then as many behind it as
 * machine code takes along: *at is the last. Before the block is begun machine code needs nothing of it but the registers. */
static bool run_some(struct jit_frame *f, struct exec_counts *counts, struct fleet *fl, int *at, enum warp_stop *stop)
{
    int i = *at;
    const struct warp *w = &fl->b->warps[i];
    bool waits;
    if (!f->fleet)
        fill_warp(f, fl->b, i);
    if (f->fleet || (fl->resume[i] >= 0 && w->alive == UINT32_MAX && !w->interpreted)) {
        enum jit_stop why;
        if (f->fleet) {
            why = call_fleet(f, fl, i, &i);
            *at = i;
        } else {
            why = call(f, fl->resume[i], SHARED_TURNS);
        }
        if (why == JIT_BARRIER || why == JIT_TURN || (why == JIT_EXIT && f->fleet)) {
            if (!f->fleet)
                f->warp->kept = true;
            note(fl, i, why, f->site);
            return true;
        }
        fl->resume[i] = -1;
        if (f->fleet)
            begin(f);
        struct start go;
        enum course c = after(f, why, true, &go, &fl->wait[i], stop);
        waits = c == WAITS || (c == GOES_ON && advance(f, counts, go, &fl->wait[i], stop));
    } else {
        fl->resume[i] = -1;
        waits = advance(f, counts, start_whole(f, fl->next[i]), &fl->wait[i], stop);
    }
    if (!waits && *stop == WARP_DONE)
        fl->ended |= 1u << i;
    if (!waits && *stop == WARP_TURN) {
        note(fl, i, JIT_TURN, fl->b->warps[i].split[0].pc);
        return true;
    }
    return waits || *stop == WARP_DONE;
}

/* Where a warp of the block form is that does not run: before this instruction, or waiting at the barrier before it. */
static void place_warp(struct jit_frame *f, struct fleet *fl, int i, enum jit_stop why, int32_t site)
{
    struct warp *w = &fl->b->warps[i];
    int32_t next = site + (why == JIT_BARRIER);
    note(fl, i, why, site);
    if (why == JIT_EXIT) {
        end_warp(w);
        return;
    }
    w->kept = fl->plan->resume[next] >= 0;
    if (!w->kept)
        jit_expand(f->code, w, next);
}

/* The block form left one of its warps before an instruction: all go on singly, this one first. False: it stops. */
static bool leave_block_form(struct jit_frame *f, struct exec_counts *counts, struct fleet *fl, enum jit_stop why, enum warp_stop *stop)
{
    int at = (int)f->block_warp;
    if (f->fleet)
        begin(f);
    f->in_block = false;
    fill_warp(f, fl->b, at);
    for (int i = at + 1; i < at + (int)f->block_jam; i++) {
        place_warp(f, fl, i, JIT_TURN, f->site);
        fl->b->warps[i].interpreted |= why == JIT_GIVE_UP;
    }
    for (int i = 0; i < fl->n; i++)
        if (f->block_gone >> i & 1)
            place_warp(f, fl, i, JIT_EXIT, 0);
        else if (i < at)
            place_warp(f, fl, i, f->block_end & ((1u << JIT_WHY_BITS) - 1), (int32_t)(f->block_end >> JIT_WHY_BITS));
        else if (i >= at + (int)f->block_jam)
            place_warp(f, fl, i, JIT_TURN, (int32_t)f->block_start);
    fl->resume[at] = -1;
    struct start go;
    enum course c = after(f, why, true, &go, &fl->wait[at], stop);
    bool waits = c == WAITS || (c == GOES_ON && advance(f, counts, go, &fl->wait[at], stop));
    if (!waits && *stop == WARP_DONE)
        fl->ended |= 1u << at;
    if (!waits && *stop == WARP_TURN)
        note(fl, at, JIT_TURN, fl->b->warps[at].split[0].pc);
    return waits || *stop == WARP_DONE || *stop == WARP_TURN;
}

/* --- several blocks at a time --- */

/* A warp of the block form, the nth of those that are there, goes on singly before `site`; `counted`: as part of its block, if it is the first of one. */
static void set_down(struct jit_frame *f, struct warp *w, int n, int32_t site, bool counted)
{
    const struct ir_kernel *k = f->code->interp->kernel;
    struct split *s = &w->split[0];
    uint32_t lanes = f->warp_lanes[n];
    w->kept = f->code->plan.resume[site] >= 0 && !counted && lanes == UINT32_MAX;
    if (!w->kept)
        jit_expand(f->code, w, site);
    w->block->threads_alive -= (uint32_t)__builtin_popcount(~lanes);
    w->alive = s->mask = lanes;
    s->pc = site;
    s->again = counted && site == k->blocks[k->insts[site].block].first;
}

/* The warp that the block form was in when it ended. */
static void set_down_last(struct jit_frame *f, struct warp *w, int n, enum jit_stop why)
{
    f->warp = w;
    take_time(f);
    if (why == JIT_APART) {
        w->kept = false;
        jit_apart(f);
        w->interpreted |= f->why == JIT_GIVE_UP;
    } else if (why == JIT_FAULT) {
        w->split[0].pc = f->site;
        w->failed = true;
    } else {
        set_down(f, w, n, f->site, true);
        w->interpreted |= why == JIT_GIVE_UP;
    }
}

/* The block form ended before all warps of its blocks: they are left to go on singly. Answers whether all of the first one have ended. */
static bool set_down_blocks(struct jit_frame *f, enum jit_stop why)
{
    struct block_flight *flight = f->flight;
    int each = f->block->nwarps, at = why == JIT_ASIDE ? INT32_MAX : (int)f->block_warp;
    bool first_ended = false;
    for (int nth = 0; nth < (int)f->block_count; nth++) {
        struct block *b = in_flight(f, nth);
        f->in_block = false;
        for (int i = 0; i < each; i++) {
            struct warp *w = &b->warps[i];
            int n = nth * each + i;
            bool aside = f->block_aside >> n & 1, before = n < at;
            bool ended = f->block_gone >> n & 1 || (before && (f->block_end & ((1u << JIT_WHY_BITS) - 1)) == JIT_EXIT);
            if (n > at && !f->block_start) /* it has not begun: what is noted is of a block before */
                f->warp_lanes[n] = UINT32_MAX;
            if (aside)
                set_down(f, w, n, f->aside_site[n], true);
            else if (why == JIT_ASIDE || ended)
                end_warp(w);
            else if (n == at)
                set_down_last(f, w, n, why);
            else
                set_down(f, w, n, before ? (int32_t)(f->block_end >> JIT_WHY_BITS) : (int32_t)f->block_start, false);
            b->warps_done += !w->alive;
        }
        bool done = b->warps_done == each;
        first_ended |= !nth && done;
        if (!nth || done)
            continue;
        void *memory = flight->memory[flight->left];
        flight->memory[flight->left++] = b;
        flight->memory[nth - 1] = memory;
    }
    flight->behind = f->block_count - 1;
    return first_ended;
}

enum in_block { BLOCK_ENDED, BLOCK_GOES_ON /* warp by warp */, BLOCK_STOPS, BLOCK_IS_SET_DOWN };

/* Where the registers of all warps lie that may run together. */
static void find_regs(struct jit_frame *f, const struct block *b)
{
    for (uint32_t nth = 0; nth < f->block_room; nth++) {
        char *regs = nth ? block_first_regs(b->launch, f->flight->memory[nth - 1]) : b->of_warps;
        for (int i = 0; i < b->nwarps; i++) {
            f->warp_regs[(int)nth * b->nwarps + i] = regs + (size_t)i * b->warp_bytes;
            f->warp_lanes[(int)nth * b->nwarps + i] = UINT32_MAX;
        }
    }
}

/* The block form, from the start on; *at: the warp that stops. */
static enum in_block run_in_block(struct jit_frame *f, struct exec_counts *counts, struct fleet *fl, int *at, enum warp_stop *stop)
{
    fill_warp(f, fl->b, 0);
    f->in_block = true;
    f->block = fl->b;
    f->block_warp = 0;
    f->block_gone = f->block_aside = f->block_begun = 0;
    f->block_count = 1;
    f->block_most = 0;
    f->blocks_left = fl->more;
    uint32_t room = (uint32_t)(JIT_MOST_TOGETHER / fl->n);
    f->block_room = fl->b->launch->shared_bytes || !f->flight->n ? 1 : (uint32_t)f->flight->n + 1 < room ? (uint32_t)f->flight->n + 1 : room;
    find_regs(f, fl->b);
    enum jit_stop why = enter(f, BLOCK, &f->code->in_blocks, 0, TURNS);
    if (f->block_most)
        __atomic_store_n(&((struct jit_code *)f->code)->blocks_together, f->block_most, __ATOMIC_RELAXED);
    if (why != JIT_EXIT && why != JIT_TURN && f->block_most) {
        bool ended = set_down_blocks(f, why);
        f->in_block = false;
        return ended ? BLOCK_ENDED : BLOCK_IS_SET_DOWN;
    }
    if (f->fleet)
        catch_up(f, fl);
    else if (why == JIT_EXIT)
        f->flight->behind = f->block_count - 1;
    if (why == JIT_EXIT) {
        f->in_block = false;
        f->block_credit += f->block_credit < BLOCK_CREDIT;
        return BLOCK_ENDED;
    }
    if (why == JIT_TURN) {
        if (f->fleet)
            begin(f);
        f->in_block = false;
        *at = 0;
        *stop = WARP_STOPPED;
        return BLOCK_STOPS;
    }
    *at = (int)f->block_warp;
    __atomic_fetch_add(&jit_blocks_left, 1, __ATOMIC_RELAXED);
    f->block_credit -= BLOCK_LEFT;
    return leave_block_form(f, counts, fl, why, stop) ? BLOCK_GOES_ON : BLOCK_STOPS;
}

int jit_flight_wanted(const struct launch *l)
{
    const struct jit_code *code = l->jit;
    uint32_t together = __atomic_load_n(&code->blocks_together, __ATOMIC_RELAXED);
    return together && !l->shared_bytes ? (int)together - 1 : 0;
}

bool jit_run_block(struct block *b, struct exec_counts *counts, uint64_t more, struct block_flight *flight, int *at, enum warp_stop *stop)
{
    struct jit_code *code = b->launch->jit;
    struct fleet fl; /* what is not set here is written before it is read */
    if (!__atomic_load_n(&code->function, __ATOMIC_ACQUIRE) || b->nwarps > MOST_WARPS)
        return false;
    struct jit_frame *f = frame_of(b, code, counts);
    fl.b = b;
    fl.plan = &code->plan;
    bool in_blocks = __atomic_load_n(&code->in_blocks, __ATOMIC_ACQUIRE) != NULL && f->block_credit > 0 && !b->launch->turns;
    fl.n = b->nwarps;
    fl.ended = 0;
    fl.from = 0;
    uint64_t row = b->launch->grid[0] - 1 - b->id[0]; /* blocks left in it */
    const struct launch *l = b->launch;
    bool clear = (l->shared_bytes && !in_blocks) || l->local_bytes || l->early_reads; /* block_start makes zeros for each */
    fl.more = f->blocks_left = (uint32_t)(clear ? 0 : more < row ? more : row);
    f->stride = b->warp_bytes;
    for (int i = 0; i < fl.n; i++) {
        fl.wait[i] = -1;
        fl.next[i] = 0;
        fl.resume[i] = 0;
    }
    fl.resume[fl.n] = -1;
    f->stopped = fl.stopped;
    f->fleet = &fl;
    f->flight = flight;
    if (b->launch->threads % WARP_LANES)
        begin(f);
    *at = -1;
    if (in_blocks) {
        enum in_block how = run_in_block(f, counts, &fl, at, stop);
        if (how == BLOCK_IS_SET_DOWN)
            return false;
        if (how == BLOCK_STOPS && *stop != WARP_STOPPED)
            region_hand_over(f, &fl, *at);
        if (how != BLOCK_GOES_ON)
            return true;
        *at = -1;
    }
    for (int passes = 0;; passes++) {
        for (int i = 0; i < fl.n; i++) {
            if (fl.ended >> i & 1 || fl.wait[i] >= 0 || run_some(f, counts, &fl, &i, stop))
                continue;
            region_hand_over(f, &fl, i);
            *at = i;
            return true;
        }
        if (fl.ended == (uint32_t)((1ull << fl.n) - 1)) {
            f->block_credit += f->block_credit < BLOCK_CREDIT;
            return true;
        }
        if (launch_stopping(b->launch, b->index))
            *stop = WARP_STOPPED;
        else if (passes == LONG_TURNS / SHARED_TURNS)
            *stop = WARP_YIELD;
        else if (go_on(code, &fl))
            continue;
        else
            *stop = WARP_BLOCKED;
        region_hand_over(f, &fl, -1);
        *at = b->nwarps - 1;
        return true;
    }
}
