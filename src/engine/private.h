/* What the files of the engine share: the objects behind heddle.h's opaque pointers. */
#ifndef ENGINE_PRIVATE_H
#define ENGINE_PRIVATE_H

#include <pthread.h>
#include <stdbool.h>

#include "heddle.h"
#include "engine.h"
#include "base/strbuf.h"
#include "base/table.h"
#include "counters/counters.h"
#include "counters/metrics.h"
#include "device/occupancy.h"
#include "interp/interp.h"
#include "ir/ir.h"
#include "memory/l2_kept.h"
#include "ptx/ptx.h"
#include "simt/warp.h"
#include "space/heap.h"
#include "space/space.h"
#include "target/target.h"

struct caches_config;
struct clock_run;
struct check;
struct check_launch;
struct children;
struct finding;
struct jit;
struct result;
struct rules;
struct spill_list;
struct step_code;
struct steps;

struct heddle_device {
    struct device spec, model; /* model: as caches and time are modelled, without the mechanisms that are off */
    struct space space;
    int index, threads;
    bool threads_asked;        /* somebody said how many, else they are the host's processors */
    int64_t described;         /* bytes of memory in the description; spec has less where a limit leaves less */
    counter_groups collected;  /* of launches with a result */
    bool collects_code;        /* and the machine code */
    uint64_t collects_blocks;  /* times of blocks, of launches of at most so many */
    uint64_t begins;           /* %globaltimer when the next launch begins, ns; 0: the host's clock */
    int interrupt; /* atomic: set by a signal handler or another thread */
    uint64_t launches;
    void (*see)(const heddle_access *a, void *user);
    void *see_user;
    void (*output)(int stream, const char *text, size_t n, void *user);
    void *output_user;
    char *guesses;             /* struct result.guesses, once a launch has been collected; under heap_lock */
    pthread_mutex_t heap_lock; /* around opening the heap */
    struct heap heap;
    uint64_t heap_bytes;       /* size of the heap when it is opened */
    pthread_mutex_t kept_lock; /* around the next three */
    struct l2_kept *kept;      /* NULL: no launch and no copy has asked for it yet */
    bool kept_taken, kept_failed;
    bool keeps_l2;             /* engine_cache_control */
    uint64_t stack_bytes;      /* a thread's, in kernels with recursive calls */
    struct check *check;       /* NULL: nobody checks */
    heddle_kernel *checked;    /* the one that is checked now: one at a time */
    bool untold, forgiving;    /* engine_check_next */
    uint64_t newest;           /* the same */
    struct engine_asked asked; /* engine_asked, engine_pending */
    uint64_t most_pending;
    bool (*stuck)(void *user); /* engine_stuck */
    void *stuck_user;
    void (*found)(struct finding *f, void *user);
    void *found_user;
    void (*told)(const char *json, const char *text, void *user); /* heddle_check */
    void *told_user;
};

struct heddle_kernel {
    heddle_module *module;
    const struct ptx_function *function;
    pthread_mutex_t lock;  /* around compile */
    bool compiled;
    struct ir_kernel *ir;
    struct interp_code *code;
    struct jit *jit;
    heddle_kernel *stepped; /* as its PTX says, to be stepped; NULL: not asked for yet */
    struct step_code *step; /* of that one */
    bool plain;             /* it is that one: nothing is rewritten, there is no machine code */
    struct target_tables *tables;
    struct spill_list *spills; /* of these tables; NULL: there are none */
    bool idle;             /* its threads do nothing that anybody can see: a launch that is not looked at needs not run them */
    char *signature;       /* its name demangled, or NULL: not asked for yet */
    char *problem;         /* why it cannot be launched, or NULL */
    bool internal;         /* that is a fault of Heddle's own */
};

struct heddle_module {
    heddle_device *device;
    struct ptx_module *ptx;
    struct table address;  /* name of a variable -> device address */
    heddle_kernel *kernels;
    int nkernels;
    uint64_t constant_bytes;
    uint64_t code;         /* atomic: address of the first function, 16 bytes before the next (ir/ir.h); 0: not asked for yet */
    pthread_mutex_t units_lock;
    const struct steps **units; /* for stepping: the tables of the files that the text is joined from; NULL: not asked for yet */
    int nunits;
};

struct heddle_result {
    struct result *r;
    struct line *lines; /* in the result's arena; NULL: not asked for yet */
    int nlines;
    char *json;         /* the same; from malloc */
    size_t json_bytes;
};

/* Sets the calling thread's error text and answers `s`. */
heddle_status engine_fail(heddle_status s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The same with the diagnostics of a list, which is released. */
struct diag_list;
heddle_status engine_fail_diags(heddle_status s, struct diag_list *diags);

/* --- kernel.c --- */

/* Makes the kernel ready to run, once; HEDDLE_NOT_IMPLEMENTED names what is not there. */
heddle_status kernel_compile(heddle_kernel *k);
/* The kernel that a launch of k runs: k itself or, where launches are to be stepped, its twin for that. `counts`: somebody
 * wants the launch's result. HEDDLE_NOT_IMPLEMENTED: HEDDLE_EXEC demands it, and it cannot be stepped. */
heddle_status kernel_to_step(heddle_kernel *k, bool counts, heddle_kernel **out);
int kernel_max_threads(const heddle_kernel *k);
/* What a block of a compiled kernel needs of a multiprocessor. */
struct device_need kernel_need(const heddle_kernel *k, int block_threads, size_t dynamic_shared);
/* Local memory of its thread, with what registers are spilled to, without a stack. */
int64_t kernel_local_bytes(const heddle_kernel *k);

/* --- launch.c --- */

/* The launch does not fit the device or the kernel: HEDDLE_INVALID_CONFIGURATION, and which limit. */
heddle_status launch_check(const heddle_kernel *k, const heddle_launch_config *c);
/* OUT_OF_MEMORY: the device heap, which the kernel uses, does not fit the device's memory. */
heddle_status launch_heap(heddle_kernel *k);
/* The device's caches as the launch finds them, its shared memory taken from the L1. */
void launch_caches(heddle_kernel *k, const heddle_launch_config *c, const struct rules *rules, struct caches_config *out);
void launch_prepare(struct launch *l, heddle_kernel *k, const heddle_launch_config *c, void *const *args);

/* --- kept.c --- */

/* The device's L2 as launches before have left it, for one that begins; NULL: that one has an L2 of its own. To be given back. */
struct l2_kept *kept_take(heddle_device *d);
void kept_give(heddle_device *d, const struct l2_kept *k);
/* Something other than a launch has touched memory of the device. */
void kept_touch(heddle_device *d, enum l2_touch how, uint64_t address, uint64_t bytes);

/* --- children.c --- */

/* Of a launch of k that begins; NULL: it asks nothing of the device's runtime. The other sets it to NULL. */
struct children *launch_children(heddle_kernel *k, const struct engine_family *family);
void launch_children_drop(struct children **c);

/* --- fault.c --- */

/* Status of a finished launch; a fault becomes the calling thread's last one, in words. */
heddle_status fault_finish(heddle_device *d, struct launch *l);

/* --- collect.c --- */

/* Counts of blocks and sites become a result, of which the groups are there; sites is NULL where nothing was counted. `fault`:
 * what ended the launch, or NULL. */
struct result *collect(heddle_kernel *k, const heddle_launch_config *cfg, const struct rules *rules, counter_groups groups,
                       const struct counters *sites, const struct exec_counts *e, const struct clock_run *run, const char *fault);
/* The times of a launch's blocks, in their order, become the result's. */
struct clock_block;
void collect_blocks(struct result *r, const struct clock_block *b, uint64_t n);
/* How often the site's instructions of the machine code are executed, by enum target_turn: warps, and lanes in them. `c`: what the site's
 * accesses were counted for, of which the rounds of an atomic follow; NULL: none. */
struct ran {
    double warps[TARGET_TURNS], lanes[TARGET_TURNS];
    int32_t long_way; /* the row of kernel.tables.long_ways that is of the site, or -1 */
};
void collect_ran(const heddle_kernel *k, const struct counters *c, const struct exec_counts *e, int32_t site, struct ran *r);
/* --- machine.c --- */

/* Puts the kernel's machine code into the result, with how often each instruction was executed. */
void collect_code(struct result *r, const heddle_kernel *k, const struct counters *sites, const struct exec_counts *e);
/* id: number of the launch on its device, from 0. */
heddle_result *engine_wrap(struct result *r, int64_t id);
/* What a metric's value, or its absence, is for callers. */
heddle_status engine_metric_told(enum metric_status s, const char *name);
/* "f.cu:20 < f.cu:31": the calls that a place was inlined by, innermost first, or NULL. */
const char *engine_inlining_chain(struct arena *a, const struct ptx_loc *loc);

/* --- check.c --- */

/* Makes the launch a watched one if the device's launches are checked; else NULL. */
struct check_launch *check_launch_begin(heddle_kernel *k, struct launch *l);
/* Tells what was found; a launch with bad accesses becomes a failed one. */
void check_launch_end(struct check_launch *cl, heddle_kernel *k, struct launch *l);

#endif
