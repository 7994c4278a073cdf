/* Tracing: what a program did and when, by the host's clock or with device time (device_time.h). Every call that uses a device, every launch, copy and fill and
 * every NVTX range leaves a line in the file that HEDDLE_TRACE names (report/trace.h reads it; docs/trace.md).
 *
 * Times are those of this machine, CLOCK_MONOTONIC in ns: not what a GPU would take. With device time they are modelled, ns since the
 * process began, and a command's line is written when its time is settled. A command's line has the number of the
 * call that asked for it. What range.h leaves out leaves no line. */
#ifndef RUNTIME_TRACE_H
#define RUNTIME_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "cuda_runtime_api.h"
#include "report/trace.h"

struct command;

/* HEDDLE_TRACE is set and not empty. */
bool trace_on(void);

/* A call: from where TRACED stands to the end of its function. Calls inside others, and functions of ours that are no
 * calls of CUDA's, leave no line. */
struct trace_call {
    const char *name; /* NULL: not to be told of */
    int64_t begin;
    uint64_t number;
};
struct trace_call trace_call_begin(const char *function);
void trace_call_end(struct trace_call *c);
#define TRACED                                                                                     \
    struct trace_call traced __attribute__((cleanup(trace_call_end), unused)) = trace_call_begin(__func__)

/* What the thread's call answers. */
void trace_answer(int error);

/* The number of the calling thread's call, 0: none. */
uint64_t trace_call_number(void);

/* A launch, copy or fill that has run. */
void trace_command(const struct command *c, int64_t begin, int64_t end);

/* The calling thread's time, ns. */
int64_t trace_time(void);

/* Writes a line. */
struct trace_event;
void trace_add(struct trace_event *e);

/* What kind of memory one side of a copy is. Not under runtime_lock. */
struct place;
enum trace_memory trace_memory_of(const struct place *p);

/* An NVTX range that has ended. */
void trace_range(const char *name, bool pushed, int64_t begin, int64_t end);

#endif
