/* When and how kernels become machine code (see jit.h): the list of a kernel's codes, and the compiler's module. */
#define _GNU_SOURCE
#include "jit/jit.h"

#include "base/alloc.h"
#include "interp/lanes.h"
#include "jit/code.h"
#include "jit/jam.h"
#include "jit/keep.h"
#include "jit/log.h"
#include "jit_build.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Compiling takes some 0.2 ms an instruction on AVX2, in which the interpreter does 6,000 (docs/jit.md). */
enum { WORK_ENOUGH = 2000000, WORK_PER_INSTRUCTION = 6000 };

struct jit {
    const struct ir_kernel *kernel;
    const struct interp_code *interp;
    pthread_mutex_t lock;
    const char *refused; /* why it is not compiled at all, or NULL */
    uint32_t block_records;
    struct jit_code *codes;
};

/* --- the compiler's module --- */

static struct {
    pthread_once_t once;
    pthread_mutex_t busy; /* one kernel at a time */
    bool stopped;         /* the process ends */
    jit_emit_fn *emit;
    char problem[256];
} compiler = {.once = PTHREAD_ONCE_INIT, .busy = PTHREAD_MUTEX_INITIALIZER};

/* A program may end while a worker compiles: LLVM's own end has to wait for that, and nobody begins anew. */
static void stop_compiling(void)
{
    pthread_mutex_lock(&compiler.busy);
    compiler.stopped = true;
    pthread_mutex_unlock(&compiler.busy);
}

static void *open_beside(const char *folder, size_t length, const char *file)
{
    char path[4096];
    if (snprintf(path, sizeof path, "%.*s%s", (int)length, folder, file) >= (int)sizeof path)
        return NULL;
    return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

/* The module lies beside the library that this code is in (not beside a link to it, as `heddle env` has one), or in lib/
 * beside the folder of the program. */
static void load_compiler(void)
{
    Dl_info here;
    void *module = NULL;
    if (dladdr((void *)&compiler, &here) && here.dli_fname) {
        char *file = realpath(here.dli_fname, NULL);
        const char *path = file ? file : here.dli_fname, *slash = strrchr(path, '/');
        size_t length = slash ? (size_t)(slash - path) : 1;
        const char *folder = slash ? path : ".";
        module = open_beside(folder, length, "/libheddle-jit.so");
        if (!module)
            module = open_beside(folder, length, "/../lib/libheddle-jit.so");
        free(file);
    }
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
    atexit(stop_compiling); /* after LLVM's own, so before them */
}

/* --- codes --- */

enum jit_mode jit_mode(void)
{
    const char *s = getenv("HEDDLE_EXEC");
    return s && !strcmp(s, "jit") ? JIT_ALWAYS : s && !strcmp(s, "interp") ? JIT_NEVER : JIT_AUTO;
}

bool jit_mode_known(void)
{
    const char *s = getenv("HEDDLE_EXEC");
    return !s || !*s || !strcmp(s, "jit") || !strcmp(s, "interp") || !strcmp(s, "auto");
}

struct jit *jit_open(const struct ir_kernel *k, const struct interp_code *c)
{
    struct jit *j = alloc_zeroed(sizeof *j);
    j->kernel = k;
    j->interp = c;
    j->refused = plan_refuses(k);
    j->block_records = plan_block_records(k, c);
    pthread_mutex_init(&j->lock, NULL);
    return j;
}

static void release_code(struct jit_code *c)
{
    shapes_release(c->shapes);
    plan_release(&c->plan);
    alloc_release(c->home);
    alloc_release(c->barrier);
    jit_spread_release(c);
    link_release(&c->linked);
    link_release(&c->split_linked);
    link_release(&c->jam_linked);
    jam_steps_release(c->steps);
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

bool jit_emit(const struct jit_job *job, struct jit_object *o)
{
    pthread_once(&compiler.once, load_compiler);
    pthread_mutex_lock(&compiler.busy);
    bool made = compiler.emit && !compiler.stopped && compiler.emit(job, o);
    if (!compiler.emit || compiler.stopped)
        snprintf(o->problem, sizeof o->problem, "%s", compiler.stopped ? "the process ends" : compiler.problem);
    pthread_mutex_unlock(&compiler.busy);
    return made;
}

enum form { TOGETHER, SPLIT, JAM };

/* The job of each form. */
static struct jit_job job_of(const struct jit_code *c, enum form form)
{
    bool split = form == SPLIT;
    struct jit_job job = {.kernel = c->owner->kernel, .code = c->interp, .shapes = c->shapes, .level = lanes_level(),
                          .counting = c->counting, .tallies = c->tallies, .cached = c->cached, .row = c->plan.row, .access = c->plan.access, .naccesses = c->plan.naccesses,
                          .split = split, .resume = split ? c->plan.apart : c->plan.resume,
                          .nresume = split ? c->plan.napart : c->plan.nresume, .together = c->plan.resume,
                          .home = c->home, .jam = form == JAM ? c->jam_warps : 1, .steps = c->steps};
    memcpy(job.dim, c->dim, sizeof job.dim);
    return job;
}

/* Is code there from an earlier run? */
static bool is_kept(const struct jit_code *c, enum form form)
{
    struct keep_key key;
    struct jit_job job = job_of(c, form);
    return keep_key(&job, &key) && keep_has(&key);
}

/* From an earlier run, or made now. */
static void make(struct jit_code *c, enum form form, double start, struct link_code *linked, jit_function **function)
{
    struct jit_object o = {0};
    struct jit_job job = job_of(c, form);
    char problem[sizeof c->problem] = "";
    struct keep_key key;
    bool keeps = keep_key(&job, &key), kept = keeps && keep_find(&key, &o);
    bool made = kept || jit_emit(&job, &o);
    if (made && !kept && keeps)
        keep_add(&key, &o);
    if (!made)
        snprintf(problem, sizeof problem, "%s", o.problem);
    bool ready = made && link_object(o.bytes, o.size, "jit_code", linked, problem, sizeof problem);
    log_made(&job, start, &o, kept, problem);
    if (form != JAM) /* the others can do without */
        memcpy(c->problem, problem, sizeof problem);
    if (made)
        o.release(&o);
    if (ready)
        __atomic_store_n(function, (jit_function *)(uintptr_t)linked->entry, __ATOMIC_RELEASE);
}

void jit_make(struct jit_code *c)
{
    struct jit *j = c->owner;
    const struct ir_kernel *k = j->kernel;
    if (!is_kept(c, TOGETHER)) /* before the clock starts */
        pthread_once(&compiler.once, load_compiler);
    double start = log_now();
    c->shapes = shapes_find(k, c->dim);
    c->plan = plan_make(k, j->interp, c->shapes, c->counting && (!c->tallies || c->cached));
    c->home = plan_homes(k, j->interp, c->shapes);
    find_barriers(c, k);
    c->spread = alloc_zeroed(sizeof *c->spread * ((size_t)k->ninsts + 1));
    if (!c->counting)
        c->steps = jam_plan(k, c->shapes, c->dim, lanes_level(), &c->jam_warps);
    make(c, TOGETHER, start, &c->linked, &c->function);
    __atomic_store_n(&c->jam_wanted, c->function && c->steps, __ATOMIC_RELEASE);
}

void jit_make_split(struct jit_code *c)
{
    make(c, SPLIT, log_now(), &c->split_linked, &c->split);
}

void jit_make_jam(struct jit_code *c)
{
    if (__atomic_exchange_n(&c->jam_wanted, false, __ATOMIC_ACQ_REL))
        make(c, JAM, log_now(), &c->jam_linked, &c->jam);
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

static struct jit_code *code_for(struct jit *j, const struct launch *l, bool counting, bool tallies, bool cached)
{
    struct jit_code *c = j->codes;
    while (c && (c->counting != counting || c->tallies != tallies || c->cached != cached || memcmp(c->dim, l->block_dim, sizeof c->dim)))
        c = c->next;
    if (c)
        return c;
    c = alloc_zeroed(sizeof *c);
    c->owner = j;
    c->interp = j->interp;
    c->counting = counting;
    c->tallies = tallies;
    c->cached = cached;
    c->enough = WORK_ENOUGH + WORK_PER_INSTRUCTION * (uint64_t)j->kernel->ninsts;
    memcpy(c->dim, l->block_dim, sizeof c->dim);
    c->next = j->codes;
    j->codes = c;
    return c;
}

const char *jit_prepare(struct jit *j, struct launch *l, bool counting, enum jit_records records)
{
    enum jit_mode mode = jit_mode();
    if (l->watch || mode == JIT_NEVER || j->refused)
        return NULL;
    pthread_mutex_lock(&j->lock);
    struct jit_code *c = code_for(j, l, counting, counting && records != JIT_ALL_RECORDS, counting && records == JIT_CACHED);
    bool fresh = !c->looked;
    c->looked = true;
    bool at_once = mode == JIT_ALWAYS || c->cached; /* modelled caches see the order of turns, which is not to change from run to run */
    if (fresh && (at_once || is_kept(c, TOGETHER))) { /* other launches of the kernel wait for it */
        c->claimed = true;
        c->split_claimed = at_once || is_kept(c, SPLIT);
        jit_make(c);
        if (c->function && (at_once ? needs_split(c) : c->split_claimed))
            jit_make_split(c);
        if (mode == JIT_ALWAYS || is_kept(c, JAM))
            jit_make_jam(c);
    }
    pthread_mutex_unlock(&j->lock);
    l->jit = c;
    l->reg_bytes = plan_home_begin(j->interp) + JIT_HOME_BYTES;
    if (counting) /* a block of code leaves all its records before it looks whether the ring is full */
        l->ring_records = RING_RECORDS + j->block_records;
    bool made = (__atomic_load_n(&c->function, __ATOMIC_ACQUIRE) && !c->problem[0]) || compiler.stopped;
    return mode == JIT_ALWAYS && !made ? c->problem : NULL;
}
