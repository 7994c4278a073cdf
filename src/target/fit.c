/* See fit.h. */
#include "target/fit.h"

#include "base/alloc.h"
#include "target/allocate.h"
#include "target/flow.h"
#include "target/schedule.h"
#include "target/scoreboard.h"
#include "target/spill.h"
#include "target/pace.h"
#include "target/waits.h"

#include <string.h>

/* LEAST: what ptxas reports at least for a kernel that does something. CALLING: of a
 * kernel that calls. TURNS: how often the order is made for fewer registers. FITS: how often fewer values
 * are kept in registers. GAIN: per cent of a warp's cycles that an order saves which takes the registers up to the step; GAIN_STEP: to
 * the next one, up to HURRY_MOST registers. HURRIES: how often a faster order is tried. RESERVED: R1, and two that the report is above the registers
 * used. FEWEST: words that an instruction may need. CONTROLLED: architectures from Maxwell on. */
enum { GAIN = 20, GAIN_STEP = 45, HURRY_MOST = 64, LEAST = 8, CALLING = 24, TURNS = 3, FITS = 8, HURRIES = 3, RESERVED = 3, FEWEST = 8, CONTROLLED = 50 };

/* Given out in eights; .minnctapersm without .maxntid says nothing, nor if a multiprocessor has no room for so many threads (regs64_spill of
 * tests/truth/occupancy.cu: 32 on sm_80 and sm_90, 75 on sm_86; ptxas 13.0 (V13.0.88)). */
int fit_most(const struct ptx_function *f, int arch)
{
    const uint32_t *n = f->reqntid[0] ? f->reqntid : f->maxntid;
    uint64_t threads = (uint64_t)n[0] * (n[1] ? n[1] : 1) * (n[2] ? n[2] : 1), least = arch_registers(arch);
    uint64_t blocks = f->minnctapersm && threads * f->minnctapersm <= 32 * (uint64_t)arch_warps(arch) ? f->minnctapersm : 1;
    uint64_t most = threads ? (uint64_t)arch_register_file(arch) / (threads * blocks) / 8 * 8 : least;
    const uint32_t limit = f->maxnreg && f->maxnreg < arch_registers_limit(arch) ? arch_registers_limit(arch) : f->maxnreg;
    if (limit && limit < most)
        most = limit;
    return most < least ? (int)most : (int)least;
}

/* A way of putting the code into registers. */
struct way {
    struct code *c;
    struct flow *f;
    struct places *p;
    int wanted, used; /* registers: the order is made for so many, and takes so many */
};

static void drop(struct way *w)
{
    places_free(w->p);
    flow_free(w->f);
    code_free(w->c);
}

static struct way try_order(const struct lowered *l, const struct shape *s, const struct code *laid, int most, int fewer)
{
    struct way w = {.c = code_copy(laid)};
    w.f = flow_new(l, s, w.c);
    w.wanted = schedule(l, w.c, w.f, most, fewer);
    w.p = places_new(l, w.c, w.f);
    w.used = places_used(w.p);
    return w;
}

/* The order that takes least of those for this many registers and for some fewer. */
static struct way try_orders(const struct lowered *l, const struct shape *s, const struct code *laid, int most)
{
    const int plenty = arch_registers_for(l->arch, arch_warps(l->arch));
    struct way best = try_order(l, s, laid, most, 0);
    for (int turn = 1, fewer = 0; turn <= TURNS && best.used > best.wanted && (best.wanted >= plenty || best.used > plenty); turn++) {
        fewer += best.used - best.wanted;
        struct way w = try_order(l, s, laid, most, fewer);
        bool better = w.used < best.used;
        drop(better ? &best : &w);
        best = better ? w : best;
    }
    return best;
}

static bool calls(const struct ir_kernel *k)
{
    for (int32_t i = 0; i < k->ninsts; i++)
        if (k->insts[i].op == IR_OP_EXTERN && strncmp(k->insts[i].callee, "__nv_", 5))
            return true;
    return false;
}

/* With so few values in registers that they fit: where the file is fragmented, with some fewer. */
static void keep_in_memory(const struct lowered *l, struct way *w, int most, struct spills *spills)
{
    const struct way whole = *w;
    int room = most - RESERVED > FEWEST ? most - RESERVED : FEWEST;
    for (int turn = 0; turn < FITS; turn++) {
        struct way next = {.c = code_copy(whole.c), .f = flow_copy(whole.f, whole.c), .wanted = most};
        spills->n = spills->bytes = spills->stored = spills->loaded = 0;
        spill_store(l, next.c, next.f, room, spills);
        next.p = places_new(l, next.c, next.f);
        next.used = places_used(next.p);
        if (turn)
            drop(w);
        *w = next;
        if (w->used <= most || room == FEWEST)
            break;
        room = room - (w->used - most) > FEWEST ? room - (w->used - most) : FEWEST;
    }
    struct way old = whole;
    drop(&old);
}

/* So many registers do not let fewer warps on a multiprocessor than n do. */
static int step_above(int arch, int n, int most)
{
    int step = arch_registers_for(arch, arch_warps(arch));
    for (int warps = arch_warps(arch); warps > 4 && step < n; warps -= 4)
        step = arch_registers_for(arch, warps - 4);
    return step < n ? n : step < most ? step : most;
}

/* Registers that are reported, but for rounding: where an SM is full of warps anyway, those that the order is made for. */
static int registers_of(const struct way *w, int plenty)
{
    return w->wanted <= plenty && w->wanted > w->used ? w->wanted : w->used;
}

/* An order in which warps wait less, for at most so many registers; no code if there is none. *cycles: how long its blocks take, one after the other. */
static struct way faster(const struct lowered *l, const struct way *than, int registers, int64_t *cycles)
{
    for (int turn = 0, fewer = 0; turn < HURRIES; turn++) {
        struct way w = {.c = code_copy(than->c), .wanted = than->wanted};
        w.f = flow_copy(than->f, w.c);
        *cycles = schedule_for_time(l, w.c, w.f, registers - fewer);
        w.p = places_new(l, w.c, w.f);
        w.used = places_used(w.p);
        if (w.used <= registers)
            return w;
        fewer += w.used - registers;
        drop(&w);
    }
    return (struct way){0};
}

/* Keeps one of the two; either may be none. */
static struct way choose(struct way w, struct way other, bool better)
{
    struct way *worse = better ? &w : &other;
    if (worse->c)
        drop(worse);
    return better ? other : w;
}

static void hurry(const struct lowered *l, struct way *best, int registers, int most)
{
    const int plenty = arch_registers_for(l->arch, arch_warps(l->arch));
    int64_t cycles = 0;
    struct way w = faster(l, best, registers, &cycles);
    int step = registers;
    for (int up = 0; up < 2; up++) { /* to the end of the step, and to that of the next one */
        const int above = step_above(l->arch, step + (up > 0), most);
        int64_t other_cycles = 0;
        if (above <= step || (up && (step <= plenty || above > HURRY_MOST)))
            continue;
        struct way other = faster(l, best, above, &other_cycles);
        const bool better = other.c && (!w.c || 100 * other_cycles < (100 - (up ? GAIN_STEP : GAIN)) * cycles);
        cycles = better ? other_cycles : cycles;
        w = choose(w, other, better);
        step = above;
    }
    if (w.c) {
        drop(best);
        *best = w;
    }
}

/* The report is even for 201 of the 231 kernels of tests/truth and of the public programs (ptxas 13.0 (V13.0.88), sm_90). */
int fit(const struct lowered *l, const struct shape *s, struct code *c, int most, bool numbered, struct spills *spills, bool *early, struct target_pace *pace, const struct device *d)
{
    const int plenty = arch_registers_for(l->arch, arch_warps(l->arch)); /* that leave an SM full of warps */
    struct way best = try_orders(l, s, c, most);
    if (best.used > plenty || best.wanted > plenty) {
        struct code *scratch = code_copy(c);
        struct flow *f = flow_new(l, s, scratch);
        if (spill_free(c, f)) {
            struct way w = try_orders(l, s, c, most);
            bool better = w.used < best.used;
            drop(better ? &best : &w);
            best = better ? w : best;
        }
        flow_free(f);
        code_free(scratch);
    }
    int n = registers_of(&best, plenty);
    if (best.used > most)
        keep_in_memory(l, &best, most, spills);
    else
        hurry(l, &best, n, most);
    waits_find(l->k, best.c, early);
    if (pace)
        pace_find(l->k, best.c, best.f, d, pace);
    if (numbered) {
        places_part(best.p);
        places_give(best.p, best.c);
        if (l->arch >= CONTROLLED)
            scoreboard(best.c, best.f);
    }
    n = spills->n ? registers_of(&best, plenty) : best.used > n ? best.used : n; /* a faster order with fewer does not give away what is there */
    n += n & 1;
    n = spills->n && best.used <= most ? most : n; /* fewer than an instruction needs are not to be had */
    n = calls(l->k) && n < CALLING ? CALLING : n < LEAST ? LEAST : n;
    code_take(c, best.c);
    c->registers = n < most || best.used > most ? n : most;
    drop(&best);
    return c->registers;
}
