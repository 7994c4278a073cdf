/* Device time in the program: commands of the queues go through the model of timeline.h, and what programs read as time is the model's.
 *
 * On when HEDDLE_TIMED is 1, which `heddle run --timed` and `heddle profile` set. Launches are counted then as in a profile, for the
 * group "time" at least, and commands run one at a time, in the order of queueing (queue.h).
 * Each thread of the host has a clock of its own. A call of CUDA's takes it forward by what call_costs.def and the device's description say;
 * a call that waits, to the end of what it waits for and call_return more. What the program does between calls takes no time. A thread's
 * clock begins with that of the first thread when it makes its first call.
 * Nothing here depends on the host's clock. What threads of the host do at the same time is modelled in the order in which they did it. */
#ifndef RUNTIME_DEVICE_TIME_H
#define RUNTIME_DEVICE_TIME_H

#include <stdbool.h>
#include <stdint.h>

struct command;
struct result;
struct runtime_device;
struct ticket;
struct trace_event;

bool device_time_on(void);

/* A device is being opened. Takes runtime_lock. */
void device_time_device(const struct runtime_device *d);

/* The calling thread's clock, ps since the beginning of the process. */
int64_t device_time_now(void);

/* A call of this name begins. */
void device_time_call(const char *function);

/* --- the thread that runs a command, without runtime_lock --- */

/* It begins; it has had this launch, or a call of a library that takes so many ps; it has run. */
void device_time_begins(void);
void device_time_launch(int device, const struct result *r);
void device_time_library(int device, double ps);
void device_time_ran(const struct command *c);

/* When a launch would begin that is not in yet: it waits for what its command waits for. ns. Takes runtime_lock. */
int64_t device_time_of_launch(const struct command *c);

/* A line of the trace for the command, to be written once its time is settled. Texts are copied. */
void device_time_trace(const struct trace_event *e);

/* The host does not wait for the device in a copy of so many bytes from pageable memory. */
bool device_time_stages(int device, uint64_t bytes);

/* --- under runtime_lock --- */

/* The same thread: the command gets its place. Sets the ticket's and the stream's number. */
void device_time_add(struct command *c);

/* The calling thread has waited for the ticket's command; for all commands of a device (NULL: of all). */
void device_time_waited(const struct ticket *t);
/* The same for a copy from pageable memory that was staged: the host has gone on before its end. */
void device_time_staged(const struct ticket *t, uint64_t bytes);
void device_time_waited_all(const struct runtime_device *d);

/* `unfinished`: when the first command was asked for that has not run, or INT64_MAX. What has ended by then, and by all threads' clocks, is
 * settled, and its lines of the trace are written. */
void device_time_settle(int64_t unfinished);

/* Has the ticket's command, which has run, ended by the calling thread's clock? And when has it ended, in ps? */
bool device_time_past(const struct ticket *t);
int64_t device_time_end(const struct ticket *t);

/* All commands have run: what is left of the trace is written. */
void device_time_finish(void);

#endif
