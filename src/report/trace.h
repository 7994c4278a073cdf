/* Traces: what a program did and when, a line of JSON an event.
 *
 * The runtime writes them (runtime/trace.h) to the file named by HEDDLE_TRACE; the tools that stand for nvprof and nsys read
 * them and print summaries and lists. Times are the host's, ns of its monotonic clock, or modelled, ns since the process began. docs/trace.md describes the format. */
#ifndef REPORT_TRACE_H
#define REPORT_TRACE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/across.h"
#include "base/arena.h"

struct diag_list;

#define TRACE_VERSION 1

enum trace_kind { TRACE_CALL, TRACE_KERNEL, TRACE_COPY, TRACE_FILL, TRACE_RANGE };
enum trace_memory { TRACE_PAGEABLE, TRACE_PINNED, TRACE_MANAGED, TRACE_DEVICE };

struct trace_event {
    enum trace_kind kind;
    const char *process;          /* the program, as it was started */
    const char *name;             /* of a call, a kernel (mangled), an NVTX range; NULL otherwise */
    const char *device_name;      /* of a command: "NVIDIA H200" */
    int64_t pid, thread;          /* thread: of calls and ranges */
    int64_t begin, end;           /* ns */
    uint64_t call;                /* number of a call, or of the call that asked for a command; 0: none */
    int answer;                   /* cudaError_t of a call */
    int stream, device;           /* of a command; stream 0 is the default stream */
    uint32_t grid[3], block[3];   /* of a kernel, as the rest of the line */
    const char *library;          /* a kernel that is a call of this library, or NULL */
    int64_t registers;            /* a thread, estimated */
    int64_t shared_static, shared_dynamic; /* bytes a block */
    enum trace_memory from, to;   /* of a copy; of a fill both are where it fills */
    int64_t bytes;                /* of a copy or fill */
    bool modelled;                /* begin and end are the model's (runtime/device_time.h) */
    bool pushed;                  /* a range that was pushed, not started */
};

/* Writes one line and flushes. False: errno says why. */
bool trace_write(const struct trace_event *e, FILE *f) ACROSS(trace_write);

/* All events of a file, by their begin. */
struct trace {
    struct arena arena;
    struct trace_event *event;
    int n;
    bool modelled;  /* all times are */
    int64_t origin; /* the first begin: times are shown from there */
};
bool trace_read(struct trace *t, const char *path, struct diag_list *diags);
void trace_release(struct trace *t);

/* "[CUDA memcpy HtoD]", "[CUDA memset]", a kernel's name without parameters or demangled in full, a call's, ":range". */
enum trace_names { TRACE_NAMES_NVPROF, TRACE_NAMES_NSYS, TRACE_NAMES_BASE, TRACE_NAMES_MANGLED };
const char *trace_name(const struct trace_event *e, enum trace_names how, struct arena *a);

/* "Pageable", "Device" ... */
const char *trace_memory_name(enum trace_memory m);

/* Sums over events of one name. */
struct trace_sum {
    const char *name;
    enum trace_kind kind; /* of its events: the first's */
    bool pushed;
    int n;
    double total, least, most, median, deviation; /* of what was summed: ns, or bytes */
};

/* What `of` says of an event: its name (NULL: not this one) and its value. Largest sum first; returns how many, in the arena. */
int trace_sums(const struct trace *t, const char *(*of)(const struct trace_event *e, void *user, double *value), void *user,
               struct arena *a, struct trace_sum **sums);

#endif
