/* What the runtime library needs of the engine beyond heddle/heddle.h: for our own code only (base/across.h).
 *
 * Implemented beside the public interface in engine.c. Pointers stay valid until the device is closed (result: until
 * heddle_result_free).
 * What the runtime relies on besides: heddle_kernel_describe answers HEDDLE_NOT_IMPLEMENTED for a kernel that cannot run,
 * so that cudaLaunchKernel says so at once (a launch that finds it out later shows at the next call that waits);
 * heddle_launch sets the result also of a launch that faulted or was interrupted; heddle_device_interrupt ends only a
 * launch that runs, not the next one; copies work on every kind of memory in the device's range. */
#ifndef ENGINE_H
#define ENGINE_H

#include <stdbool.h>

#include "base/across.h"
#include "heddle.h"
#include "counters/counters.h"

struct device;
struct result;
struct space;
struct strbuf;

/* The description the device was opened with. */
const struct device *engine_device_spec(const heddle_device *dev) ACROSS(engine_device_spec);

/* Bytes of memory that the description has: more than the device, where a limit of the process leaves less. */
int64_t engine_described_memory(const heddle_device *dev) ACROSS(engine_described_memory);

/* The device's memory: for kinds of memory that heddle.h does not have (managed, pinned), for cudaMemGetInfo and for
 * saying what an address belongs to. */
struct space *engine_space(heddle_device *dev) ACROSS(engine_space);

/* heddle_module_load for a program whose host code has managed variables too: `place` answers where one lies in the
 * process (and is registered: space/registered.h), and already has its first value there; 0: the host has none of this
 * name. */
heddle_status engine_module_load(heddle_device *dev, const char *name, const char *ptx, size_t bytes,
                                 uint64_t (*place)(const char *variable, void *user), void *user, heddle_module **out)
    ACROSS(engine_module_load);

/* The launch of this process that has run longest. False: none runs. */
struct engine_progress {
    char kernel[128];     /* its function's name */
    uint64_t number;      /* among all launches of the process, from 1 */
    uint64_t past, blocks; /* about how many of its blocks are past */
    double seconds;       /* since it began */
    const char *how;      /* "profiling", "checking", or "" */
    char at[256];         /* "f.cu:12": where a warp stopped lately, or "" */
};
bool engine_progress(struct engine_progress *p) ACROSS(engine_progress);

/* The module's text was joined from n files' (ptx/link.h): the ids of their blobs and the lengths of their texts, in order. For
 * stepping through its kernels (step/step.h); once, before the first launch. */
void engine_module_units(heddle_module *m, const uint64_t *ids, const size_t *bytes, int n) ACROSS(engine_module_units);

/* Host threads that a launch may use. */
int engine_threads(const heddle_device *dev) ACROSS(engine_threads);

/* Which times the kernel's code reads, as bits. */
enum engine_time { ENGINE_CLOCK = 1 /* %clock, %clock64: of the warp */, ENGINE_GLOBALTIMER = 2 };
unsigned engine_times(const heddle_kernel *k) ACROSS(engine_times);

/* What %globaltimer is when the next launch begins, where time is modelled, in ns; 0: the host's clock, as at first. */
void engine_begins(heddle_device *dev, uint64_t ns) ACROSS(engine_begins);

/* True when the kernel calls malloc or free: its launches share the device's heap. */
bool engine_uses_heap(const heddle_kernel *k) ACROSS(engine_uses_heap);

/* Later launches with a result count no more than these groups (counters/groups.def) and what comes with them; at first, all.
 * Without modelled caches if HEDDLE_CACHES is 0. */
void engine_collect(heddle_device *dev, counter_groups groups) ACROSS(engine_collect);

/* Later results hold the machine code, with how often each instruction was executed, where instructions are counted. At first, none. */
void engine_collect_code(heddle_device *dev, bool code) ACROSS(engine_collect_code);

/* Later results hold when each block began and ended, and where, of launches of at most so many blocks, where caches are modelled. At first 0: none. */
void engine_collect_blocks(heddle_device *dev, uint64_t most) ACROSS(engine_collect_blocks);

/* Later launches that model caches find L2 as launches, copies and fills before have left it, as with ncu's `--cache-control none`;
 * at first, empty. */
void engine_cache_control(heddle_device *dev, bool keeps) ACROSS(engine_cache_control);

/* What persists in L2 is as any other line from now on (cudaCtxResetPersistingL2Cache). */
void engine_reset_persisting(heddle_device *dev) ACROSS(engine_reset_persisting);

/* What a profiled launch left behind, for report/result.h's writer. The runtime sets id, context, stream, device, pid
 * and process; the rest is the engine's. */
struct result *engine_result(heddle_result *r) ACROSS(engine_result);

/* A call of a library that takes the place of a launch (runtime/library.h): its result, to be freed. Texts are copied. */
struct result_library;
heddle_result *engine_library_result(heddle_device *dev, const char *function, const struct result_library *l) ACROSS(engine_library_result);

struct finding;

/* Later launches of the device are checked: tools are bits of enum check_tool (check/check.h), 0 ends it. `found` is
 * called for each finding, on the thread that launched, and takes it over (finding_free): when there is one, and again
 * with the same id when there are many more of it and when the launch has ended. */
heddle_status engine_check(heddle_device *dev, unsigned tools, void (*found)(struct finding *f, void *user), void *user)
    ACROSS(engine_check);

/* The next launch, of kernel k: is anything told of it, and does it fail when it has bad accesses? A launch that nothing
 * is told of is not checked, but initcheck sees what it writes. Findings name no allocation as near that has a later
 * serial than `newest` (space/space.h): the host may have made it before the launch began, or after. Until the next call. */
void engine_check_next(heddle_kernel *k, bool told, bool fails, uint64_t newest) ACROSS(engine_check_next);

/* Bytes of device memory that a checked device's initcheck has never seen written, and the first of them. */
uint64_t engine_unwritten(heddle_device *dev, uint64_t address, uint64_t bytes, uint64_t *first) ACROSS(engine_unwritten);

/* Called by a launch all of whose warps have waited in loops for long (simt/warp.h). */
void engine_stuck(heddle_device *dev, bool (*stuck)(void *user), void *user) ACROSS(engine_stuck);

/* --- launches of kernels by kernels --- */

/* What kernels ask the host's runtime, as cudaError_t; NULL: cudaErrorInvalidValue. Pending: how much a grid may have for the tail
 * stream, as cudaLimitDevRuntimePendingLaunchCount. */
struct engine_asked {
    int (*attribute)(int attribute, int device, int *value); /* cudaDeviceGetAttribute */
    int (*limit)(int device, int limit, uint64_t *value);    /* cudaDeviceGetLimit */
};
void engine_asked(heddle_device *dev, const struct engine_asked *a) ACROSS(engine_asked);
void engine_pending(heddle_device *dev, uint64_t most) ACROSS(engine_pending);

/* One that is to be launched, as engine_launch does it, and who launched it. */
struct children;
struct engine_child {
    heddle_kernel *kernel;
    const heddle_launch_config *config;
    void *const *args;
    heddle_kernel *parent; /* NULL: the host launches it */
    int64_t tag;           /* of the parent's family */
    int depth;             /* 0: the host launches it; a kernel's children are one deeper */
};
typedef heddle_status engine_child_fn(const struct engine_child *c, struct children **children, void *user);

/* How the children of a launch are run. A parent that waits has them run while it runs itself, in a thread of their own. */
struct engine_family {
    engine_child_fn *run;
    void *user;
    int64_t tag; /* what the parent is called */
    int depth;   /* the parent's */
};

/* heddle_launch without the children that the grid has launched and not waited for: they are in *children, to be run by
 * engine_run_children. */
heddle_status engine_launch(heddle_kernel *k, const heddle_launch_config *cfg, void *const *args, heddle_result **result,
                            const struct engine_family *family, struct children **children) ACROSS(engine_launch);

/* Runs them, with theirs, in order, and releases them. The first status that is no success is answered, and what comes behind it
 * is dropped. */
heddle_status engine_run_children(heddle_device *dev, struct children *children) ACROSS(engine_run_children);

/* Something other than a copy or a launch has written device memory, for initcheck. */
void engine_written(heddle_device *dev, uint64_t address, uint64_t bytes) ACROSS(engine_written);

/* Adds "  address 0x... is 16 bytes after ...": what lies where `who` ("the kernel") touched what it may not, as messages of faults say
 * it; with the end of the line. */
void engine_tell_address(const heddle_device *dev, uint64_t address, const char *who, struct strbuf *out) ACROSS(engine_tell_address);

/* Behind every later allocation, and every piece that kernels take from the heap, so many bytes belong to nobody. */
void engine_pad(heddle_device *dev, uint64_t bytes) ACROSS(engine_pad);

/* What kernels have taken from the device's heap and not given back. */
void engine_each_of_heap(heddle_device *dev, void (*visit)(uint64_t address, uint64_t bytes, void *user), void *user)
    ACROSS(engine_each_of_heap);

#endif
