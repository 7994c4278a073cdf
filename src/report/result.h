/* Results: what one profiled launch left behind, and its form in a file.
 *
 * The profiled process (runtime/) writes one line of JSON per launch to the file named by HEDDLE_RESULTS; the command
 * line tool reads it and makes reports. A result is complete: reports need neither the device description nor the
 * program, only (if they are there) the source files for the text of lines. Format, with its version: docs/results.md.
 * Everything a result points to lives in its arena. */
#ifndef REPORT_RESULT_H
#define REPORT_RESULT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/across.h"
#include "base/arena.h"
#include "counters/counters.h"
#include "counters/launch.h"
#include "counters/metrics.h"
#include "device/device.h"

struct diag_list;

#define RESULT_VERSION 2

/* One instruction of the kernel that was executed at least once. */
struct result_site {
    uint32_t site;          /* index of the IR instruction */
    const char *file;       /* the user's source as the compiler wrote it, or NULL */
    int line, column;       /* from 1; 0: not known */
    const char *function;   /* name of the inlined function that holds the line, or NULL */
    const char *inlined_at; /* "f.cu:20 < f.cu:31": the calls, innermost first, or NULL */
    int ptx_line;           /* line in the PTX text */
    const char *text;       /* the PTX instruction, or NULL */
    int unrolled;           /* so many turns of its loop stand side by side in the machine code; 0: it is in no such loop */
    struct counters counters;
};

/* An instruction of the machine code. Counts are modelled. */
struct result_inst {
    int64_t site;     /* of the IR: what it is made for; -1: a function behind the kernel */
    const char *head; /* the first of a block: what stands before it, ".b3: # 4 turns of the loop", or NULL */
    const char *text; /* "@P0 LDG R4, [R2.64]" */
    uint64_t inst, thread_inst, thread_inst_on; /* executed by warps, by lanes, by lanes with a true predicate */
};

/* A block, in cycles since the launch began, and the multiprocessor that it was on. Modelled. All 0: it has not ended. */
struct result_block {
    uint64_t begin, end;
    uint32_t sm;
};

struct result_library; /* library.h */

struct result {
    struct arena arena;
    int64_t id;              /* number of the launch in its process, from 0 */
    int64_t pid;
    const char *process;     /* name of the program */
    const char *kernel;      /* as in the PTX: mangled */
    const char *kernel_name; /* demangled, as the profiler prints it: "void f<16>(const float *, int)" */
    int context, stream, device;
    const char *device_id;   /* "h200" */
    const char *device_name; /* "NVIDIA H200" */
    int cc_major, cc_minor;
    int arch;                /* compute capability times 10 that the PTX was made for */
    const char *compiler;    /* of the PTX: "clang", "nvcc 13.0", or NULL: not known */
    const char *cache_control; /* "none": L2 had what launches and copies before had left there; "all": it was empty; NULL: no caches were modelled */
    int timed;               /* figures of the device that the launch's time rests on; 0: not known */
    const char *guesses;     /* "latency_l2 barrier_cycles": those of them that nobody measured on it (device/guesses.h), or NULL: not known */
    const char *without;     /* "queue,tags": mechanisms of the model that were off (device/mechanisms.def), or NULL: none */
    const struct result_library *library; /* the launch is a call of a library, without counters; NULL: it is not */
    const char *parent;      /* the kernel that launched it: "parent(int *) (ID 3)", or NULL: the host did */
    const char *fault;       /* what ended the launch early (counts are those until then), or NULL */
    struct launch_facts launch;
    double access_cycles;    /* that an access of L2 takes, on average; 0: none was modelled. Not in files */
    struct device_rates rates; /* of the device: peaks that the roofline needs */
    uint64_t *channel_bytes; /* [launch.dram_channels]: what each channel of DRAM moved */
    struct counters total;   /* over all sites, and what belongs to no site (BLOCKS, WARPS) */
    struct result_site *sites;
    uint32_t nsites;
    struct result_inst *insts; /* the machine code, where it was asked for; else NULL */
    uint32_t ninsts;
    struct result_block *blocks; /* all blocks in their order, where they were asked for; else NULL */
    uint32_t nblocks;
};

/* A zeroed result with room for nsites sites; strings are to be put into its arena. */
struct result *result_new(uint32_t nsites);
void result_free(struct result *r);

/* Makes `total` from the sites, and its BLOCKS and WARPS from the launch facts. */
void result_sum(struct result *r);

/* A metric by any of its names. */
enum metric_status result_metric(const struct result *r, const char *name, double *value) ACROSS(result_metric);

/* Writes one line and flushes. Sites without counts are left out. False: errno says why. */
bool result_write(const struct result *r, FILE *f) ACROSS(result_write);

/* One line to one result; NULL with *why in words (in `scratch`). */
struct result *result_read(const char *line, size_t len, struct arena *scratch, const char **why);

/* All results of a file, in order. A last line that was cut off (the program was killed while writing) is left out
 * with a warning; anything else wrong is an error naming file and line. */
struct results {
    struct result **result;
    int n;
};
bool results_read(struct results *rs, const char *path, struct diag_list *diags);
void results_release(struct results *rs);

/* `_Z1fILi16EEvPKf` to `void f<16>(const float *)`; names that are not mangled stay. In the arena. */
const char *result_demangle(struct arena *a, const char *mangled) ACROSS(result_demangle);

#endif
