/* When and how kernels become machine code (see jit.h): the list of a kernel's codes, and the compiler's module. */
#define _GNU_SOURCE
#include "jit/jit.h"

#include "base/alloc.h"
#include "base/file.h"
#include "interp/lanes.h"
#include "ir/verify.h"
#include "jit/form_look.h"
#include "jit/jit_code.h"
#include "jit/unroll_jam.h"
#include "jit/code_cache.h"
#include "jit/log.h"
#include "space/machine.h"
#include "jit_build.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* When machine code pays, and when better code does: about when what ran so far took as long as making it (docs/performance.md). */
enum {
    WORK_LOADING = 600000,       /* instructions that the interpreter does while LLVM is loaded, */
    WORK_ENOUGH = 150000,        /* while it makes the first tier's code of a small kernel, */
    WORK_PER_INSTRUCTION = 2500, /* and for each of its instructions, */
    WORK_PER_STORE = 110,        /* or for each store of a register where it may stop (plan_size), if these are many */
    FULL_NS_PER_BYTE = 4000,     /* twice what the full tier takes, by the size of the first one's object: it halves the time */
    FULL_NS_PER_STORE = 14000,   /* the same by these stores */
};

bool jit_hasty;

struct jit {
    const struct ir_kernel *kernel;
    const struct interp_code *interp;
    pthread_mutex_t lock;
    const char *refused; /* why it is not compiled at all, or NULL */
    uint64_t stores;     /* plan_size */
    uint32_t block_records;
    struct jit_code *codes;
};

/* --- the compiler's module --- */

static struct {
    pthread_once_t once;
    pthread_mutex_t busy; /* one kernel at a time. A process may end meanwhile: llvm/lasting.c */
    bool loaded;          /* atomic */
    jit_emit_fn *emit;
    char problem[256];
} compiler = {.once = PTHREAD_ONCE_INIT, .busy = PTHREAD_MUTEX_INITIALIZER};

/* In a build and in an installation, seen from the library that this code is in, or from the program. */
static const char *const beside[] = {"libheddle-jit.so", "heddle/lib/libheddle-jit.so", "../lib/libheddle-jit.so"};

static void *open_module(void)
{
    char *folder = file_folder_of(&compiler), path[4096];
    void *module = NULL;
    for (size_t i = 0; folder && !module && i < sizeof beside / sizeof *beside; i++)
        if (snprintf(path, sizeof path, "%s/%s", folder, beside[i]) < (int)sizeof path)
            module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    alloc_release(folder);
    return module;
}

static void load_compiler(void)
{
    void *module = open_module();
    const char *build = module ? dlsym(module, "heddle_jit_build") : NULL;
    if (module && (!build || strcmp(build, JIT_BUILD))) {
        snprintf(compiler.problem, sizeof compiler.problem, "libheddle-jit.so is of another build");
        return;
    }
    if (module)
        compiler.emit = (jit_emit_fn *)(uintptr_t)dlsym(module, "heddle_jit_emit");
    if (!compiler.emit) {
        const char *why = dlerror();
        snprintf(compiler.problem, sizeof compiler.problem, "libheddle-jit.so cannot be loaded: %s", why ? why : "not found");
        return;
    }
    __atomic_store_n(&compiler.loaded, true, __ATOMIC_RELAXED);
}

/* --- codes --- */

/* The mode's place in enum jit_mode, or -1. */
static int find_mode(void)
{
    static const char *const names[] = {[JIT_NEVER] = "interp", [JIT_AUTO] = "auto", [JIT_ALWAYS_FIRST] = "jit-first", [JIT_ALWAYS] = "jit"};
    const char *s = getenv("HEDDLE_EXEC");
    int mode = s && *s ? JIT_ALWAYS : JIT_AUTO;
    while (s && *s && mode >= 0 && strcmp(s, names[mode]))
        mode--;
    return mode;
}

enum jit_mode jit_mode(void)
{
    int mode = find_mode();
    return mode < 0 ? JIT_AUTO : (enum jit_mode)mode;
}

bool jit_mode_known(void)
{
    return find_mode() >= 0;
}

struct jit *jit_open(const struct ir_kernel *k, const struct interp_code *c)
{
    struct jit *j = alloc_zeroed(sizeof *j);
    j->kernel = k;
    j->interp = c;
    j->refused = plan_refuses(k);
    j->stores = plan_size(k).stores;
    j->block_records = plan_block_records(k, c);
    pthread_mutex_init(&j->lock, NULL);
    return j;
}

static void release_code(struct jit_code *c)
{
    shapes_release(c->shapes);
    plan_release(&c->plan);
    alloc_release(c->spill_slot);
    alloc_release(c->barrier);
    alloc_release(c->chains);
    jit_expand_release(c);
    for (int form = 0; form < FORMS; form++)
        for (int tier = 0; tier < JIT_TIERS; tier++)
            link_release(&c->linked[form][tier]);
    alloc_release(c);
}

void jit_close(struct jit *j)
{
    if (!j)
        return;
    while (j->codes) {
        struct jit_code *c = j->codes;
        j->codes = c->next;
        release_code(c);
    }
    pthread_mutex_destroy(&j->lock);
    alloc_release(j);
}

static void find_barriers(struct jit_code *c, const struct ir_kernel *k)
{
    c->barrier = alloc_zeroed((size_t)k->ninsts + 1);
    for (int32_t i = 0; i < k->ninsts; i++)
        c->barrier[i] = jit_waits(&k->insts[i]);
}

static void find_chains(struct jit_code *c, const struct ir_kernel *k)
{
    c->chains = alloc_zeroed(((size_t)k->nloops + 1) * sizeof *c->chains);
    for (int32_t i = 0; i < k->nloops; i++)
        if (!chain_at(k, c->plan.row, k->loops[i].header, &c->chains[i]))
            c->chains[i].n = 0;
}

/* LLVM ends the process where it gets no memory. Its module takes 110 MiB of addresses, a kernel some more. */
static bool memory_suffices(struct jit_object *o)
{
    const uint64_t least = UINT64_C(192) << 20;
    if (machine_addresses_left() >= least)
        return true;
    snprintf(o->problem, sizeof o->problem, "the limit on this process's memory (ulimit -v) leaves less than the %d MiB that LLVM needs",
             (int)(least >> 20));
    return false;
}

bool jit_emit(const struct jit_job *job, struct jit_object *o)
{
    if (!memory_suffices(o))
        return false;
    pthread_once(&compiler.once, load_compiler);
    pthread_mutex_lock(&compiler.busy);
    bool made = compiler.emit && compiler.emit(job, alloc_state(), o);
    if (!compiler.emit)
        snprintf(o->problem, sizeof o->problem, "%s", compiler.problem);
    pthread_mutex_unlock(&compiler.busy);
    return made;
}

/* Blocks of which the launch wants to know who enters them. */
static const uint8_t *told_of(const struct jit_code *c)
{
    return c->counting && c->accesses & ACCESS_LOCAL ? c->owner->kernel->entered : NULL;
}

/* The job of each form. */
static struct jit_job job_of(const struct jit_code *c, enum form form, enum jit_tier tier)
{
    bool split = form == SPLIT;
    struct jit_job job = {.kernel = c->owner->kernel, .code = c->interp, .shapes = c->shapes, .level = lanes_level(),
                          .counting = c->counting, .tallies = c->tallies, .cached = c->cached, .runs = c->runs, .accesses = c->accesses, .entered = told_of(c), .row = c->plan.row, .access = c->plan.access, .naccesses = c->plan.naccesses,
                          .turns = form == BLOCK ? 0 : c->plan.turns, .split = split, .resume = split ? c->plan.apart : c->plan.resume,
                          .nresume = split ? c->plan.napart : c->plan.nresume, .together = c->plan.resume,
                          .spill_slot = c->spill_slot, .unrolled = 1, .tier = tier, .block = form == BLOCK,
                          .look = ir_verify_wanted() ? form_look : NULL};
    memcpy(job.dim, c->dim, sizeof job.dim);
    return job;
}

/* Is code there from an earlier run? */
static bool is_kept(const struct jit_code *c, enum form form, enum jit_tier tier)
{
    struct hash128 key;
    struct jit_job job = job_of(c, form, tier);
    return code_cache_key(&job, &key) && code_cache_has(&key);
}

/* In either tier. */
static bool has_kept(const struct jit_code *c, enum form form)
{
    return is_kept(c, form, JIT_FULL) || is_kept(c, form, JIT_FIRST);
}

/* Which tier a form's first code is of. */
static enum jit_tier begins_in(const struct jit_code *c, enum form form)
{
    bool full = c->mode == JIT_ALWAYS || (c->mode == JIT_AUTO && is_kept(c, form, JIT_FULL));
    return full ? JIT_FULL : JIT_FIRST;
}

/* From when on the form is made in the full tier; UINT64_MAX: it is not. The old number. */
static uint64_t set_long_ran(struct jit_code *c, enum form form, uint64_t ns)
{
    uint64_t old = __atomic_exchange_n(&c->long_ran[form], ns, __ATOMIC_ACQ_REL);
    bool may_change = false;
    for (int i = 0; i < FORMS; i++)
        may_change |= __atomic_load_n(&c->long_ran[i], __ATOMIC_ACQUIRE) != UINT64_MAX;
    __atomic_store_n(&c->may_change, may_change, __ATOMIC_RELEASE);
    return old;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* For how many ns has the first tier's object of so many bytes to run? */
static uint64_t full_pays(const struct jit_code *c, uint64_t bytes)
{
    return larger(FULL_NS_PER_BYTE * bytes, FULL_NS_PER_STORE * c->owner->stores);
}

/* From an earlier run, or made now. */
static void make(struct jit_code *c, enum form form, enum jit_tier tier, double start)
{
    jit_function **const functions[FORMS] = {&c->function, &c->split, &c->in_blocks}, **function = functions[form];
    struct link_code *linked = &c->linked[form][tier];
    struct jit_object o = {0};
    struct jit_job job = job_of(c, form, tier);
    char problem[sizeof c->problem] = "";
    struct hash128 key;
    bool keeps = code_cache_key(&job, &key), kept = keeps && code_cache_find(&key, &o);
    bool made = kept || jit_emit(&job, &o);
    if (made && !kept && keeps)
        code_cache_add(&key, &o);
    if (!made)
        snprintf(problem, sizeof problem, "%s", o.problem);
    bool ready = made && link_object(o.bytes, o.size, "jit_code", linked, problem, sizeof problem);
    log_made(&job, start, &o, kept, problem);
    bool first = !*function; /* else there is code that will do */
    if ((form != BLOCK && first) || o.internal)
        memcpy(c->problem, problem, sizeof problem);
    if (made)
        o.release(&o);
    if (ready)
        __atomic_store_n(function, (jit_function *)(uintptr_t)linked->entry, __ATOMIC_RELEASE);
    if (ready && tier == JIT_FIRST && c->mode == JIT_AUTO)
        set_long_ran(c, form, jit_hasty ? 1 : full_pays(c, o.size));
}

/* The block form is of the full tier alone. */
static bool wants_block(const struct jit_code *c)
{
    uint64_t threads = (uint64_t)c->dim[0] * c->dim[1] * c->dim[2];
    return (!c->counting || (c->tallies && !c->cached)) && threads % WARP_LANES == 0 && c->mode != JIT_ALWAYS_FIRST;
}

/* The block form, once, if it may be made. True: it is there now. */
static bool make_block(struct jit_code *c)
{
    if (!wants_block(c) || __atomic_exchange_n(&c->block_claimed, true, __ATOMIC_ACQ_REL))
        return false;
    make(c, BLOCK, JIT_FULL, log_now());
    return __atomic_load_n(&c->in_blocks, __ATOMIC_ACQUIRE);
}

void jit_make(struct jit_code *c)
{
    struct jit *j = c->owner;
    const struct ir_kernel *k = j->kernel;
    enum jit_tier tier = begins_in(c, TOGETHER);
    if (!is_kept(c, TOGETHER, tier)) /* before the clock starts */
        pthread_once(&compiler.once, load_compiler);
    double start = log_now();
    c->shapes = shapes_find(k, c->dim);
    c->plan = plan_make(k, j->interp, c->shapes, c->dim, c->counting && (!c->tallies || c->cached), c->accesses);
    c->spill_slot = plan_spill_slots(k, j->interp, c->shapes);
    find_barriers(c, k);
    find_chains(c, k);
    c->expanded = alloc_zeroed(sizeof *c->expanded * ((size_t)k->ninsts + 1));
    make(c, TOGETHER, tier, start);
    if (c->function && (c->mode == JIT_ALWAYS || is_kept(c, BLOCK, JIT_FULL)))
        make_block(c);
}

void jit_make_split(struct jit_code *c)
{
    make(c, SPLIT, begins_in(c, SPLIT), log_now());
}

/* Once, if it is to be. What runs whole blocks comes before what runs their warps, which may not be needed any more: that is made
 * when it has run as long again. */
static void make_full(struct jit_code *c, enum form form)
{
    uint64_t ns = set_long_ran(c, form, UINT64_MAX);
    if (ns == UINT64_MAX)
        return;
    if (form == TOGETHER && make_block(c))
        set_long_ran(c, form, 2 * ns);
    else
        make(c, form, JIT_FULL, log_now());
}

bool jit_is_worth_it(const struct jit_code *c, uint64_t work)
{
    bool loaded = jit_hasty || __atomic_load_n(&compiler.loaded, __ATOMIC_RELAXED);
    return work >= c->enough + (loaded ? 0 : WORK_LOADING);
}

void jit_has_run(struct jit_code *c, enum form form, uint64_t ns)
{
    uint64_t ran = __atomic_add_fetch(&c->ran[form], ns, __ATOMIC_RELAXED);
    if (ran >= __atomic_load_n(&c->long_ran[form], __ATOMIC_ACQUIRE))
        make_full(c, form);
}

/* Can lanes part, or is a warp not whole? */
static bool needs_split(const struct jit_code *c)
{
    uint64_t threads = (uint64_t)c->dim[0] * c->dim[1] * c->dim[2];
    const struct ir_kernel *k = c->owner->kernel;
    for (int32_t i = 0; i < k->ninsts; i++)
        if (k->insts[i].guard != IR_NOREG && c->shapes->reg[k->insts[i].guard].kind == SHAPE_VARYING &&
            (k->insts[i].op == PTX_OP_BRA || k->insts[i].op == PTX_OP_RET || k->insts[i].op == PTX_OP_EXIT))
            return true;
    return threads % WARP_LANES;
}

static bool is_for(const struct jit_code *c, const struct jit_code *wanted)
{
    return c->mode == wanted->mode && c->counting == wanted->counting && c->tallies == wanted->tallies && c->cached == wanted->cached &&
           c->runs == wanted->runs && c->accesses == wanted->accesses && !memcmp(c->dim, wanted->dim, sizeof c->dim);
}

static struct jit_code *code_for(struct jit *j, const struct launch *l, enum jit_mode mode, const struct jit_counts *counts)
{
    struct jit_code *c = j->codes, wanted = {.owner = j, .interp = j->interp, .mode = mode};
    memcpy(wanted.dim, l->block_dim, sizeof wanted.dim);
    if (counts) {
        wanted.counting = true;
        wanted.tallies = counts->records != JIT_ALL_RECORDS;
        wanted.cached = counts->records == JIT_CACHED;
        wanted.accesses = counts->records == JIT_NO_RECORDS ? counts->accesses : ACCESS_ALL;
        wanted.runs = counts->runs || counts->records != JIT_NO_RECORDS || told_of(&wanted);
    }
    while (c && !is_for(c, &wanted))
        c = c->next;
    if (c)
        return c;
    c = alloc_zeroed(sizeof *c);
    *c = wanted;
    c->enough = jit_hasty ? 1 : WORK_ENOUGH + larger(WORK_PER_INSTRUCTION * (uint64_t)j->kernel->ninsts, WORK_PER_STORE * j->stores);
    for (int form = 0; form < FORMS; form++)
        c->long_ran[form] = UINT64_MAX;
    c->next = j->codes;
    j->codes = c;
    return c;
}

const char *jit_prepare(struct jit *j, struct launch *l, const struct jit_counts *counts)
{
    enum jit_mode mode = jit_mode();
    if (l->watch)
        return NULL;
    if (counts) /* a block leaves all its records before it is looked whether the ring is full, so that both executors stop at the same places */
        l->ring_records = RING_RECORDS + j->block_records;
    if (mode == JIT_NEVER || j->refused)
        return NULL;
    pthread_mutex_lock(&j->lock);
    struct jit_code *c = code_for(j, l, mode, counts);
    bool fresh = !c->looked;
    c->looked = true;
    bool at_once = mode != JIT_AUTO || c->cached; /* modelled caches see the order of turns, which is not to change from run to run */
    if (fresh && (at_once || has_kept(c, TOGETHER))) { /* other launches of the kernel wait for it */
        c->claimed = true;
        c->split_claimed = at_once || has_kept(c, SPLIT);
        jit_make(c);
        if (c->function && (at_once ? needs_split(c) : c->split_claimed))
            jit_make_split(c);
    }
    pthread_mutex_unlock(&j->lock);
    l->jit = c;
    l->reg_bytes = plan_spill_begin(j->interp) + JIT_SPILL_BYTES;
    bool made = __atomic_load_n(&c->function, __ATOMIC_ACQUIRE) && !c->problem[0];
    return mode != JIT_AUTO && !made ? c->problem : NULL;
}
