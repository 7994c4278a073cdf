/* Device time: when commands of streams begin and end on modelled devices. Data in, data out; nothing here knows of threads, of queues
 * or of the host's clock.
 *
 * In: commands, each with the moment at which the host asked for it, what it waits for, and what it takes when it is alone. Out: when
 * each begins and ends. All times are picoseconds from the beginning of the process. Times of commands depend on no command that was
 * asked for later than they ended, so they can be asked for while the program goes on.
 *
 * Rules (CUDA C++ programming guide 12, 3.2.8 "Asynchronous concurrent execution"; figures: device_figures.def, "for device time"):
 * - A command may begin command_begin after the host asked for it, command_next after the command before it in its stream has ended and
 *   command_wait after what it waits for in other streams has. A mark (an event, a wait, a host function) follows without delay, but
 *   command_next after a kernel of its stream (NVIDIA H200, 2026-11-30, tests/truth/time/host.tsv: between two events, one empty kernel).
 * - Copies take a copy engine: the first one if they go to the device, the second one if they come from it, the third one between
 *   devices, modulo the number of engines. An engine does one copy at a time; of those that may begin it takes first that of the stream
 *   with the highest priority, then the one that could begin first. Without engines a copy is a kernel that needs the whole device. So is
 *   a copy within the device, and a fill (NVIDIA H200, tests/truth/time/share.tsv: d2d, fill, each beside a kernel: what comes second begins when the
 *   first one has ended, or nearly).
 * - Kernels share the multiprocessors, and what these compete for, as sharing.h has it. At most max_resident_grids run at once; where concurrent_kernels
 *   is 0, one.
 * Limits: copies slow nobody down. */
#ifndef RUNTIME_TIMELINE_H
#define RUNTIME_TIMELINE_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/sharing.h"

struct device;

enum { TIMELINE_DEVICES = 8, TIMELINE_ENGINES = 3 };

/* What a device takes, from its description or as device_taken.def has it. Times in ps, rates in bytes a microsecond. */
struct timeline_costs {
    int64_t begin, next, wait, event, host_function;
    int64_t profiled; /* that a kernel takes longer where a profiler measures it */
    int64_t call_launch, call_copy, call_event, call_other, call_return; /* of the host */
    int64_t in_least, out_least, pageable_in_least, pageable_out_least, device_least, fill_least, row; /* of copies and fills */
    int64_t pinned_in, pinned_out, pageable_in, pageable_far, pageable_out, device_copy, peer, fill; /* rates */
    int64_t near_bytes;   /* of pageable memory, at the rate pageable_in, more at pageable_far */
    int64_t staged_bytes; /* copies from pageable memory up to this the host does not wait for */
    int engines; /* copy engines that differ: at most TIMELINE_ENGINES */
    int grids;   /* kernels at once */
    int sms;     /* multiprocessors */
};
void timeline_costs_of(struct timeline_costs *c, const struct device *d);

enum timeline_memory { TIMELINE_PAGEABLE, TIMELINE_PINNED, TIMELINE_DEVICE };

/* What the host takes to hand over a copy that it does not wait for. */
int64_t timeline_staged_ps(const struct timeline_costs *c, uint64_t bytes);

/* What a copy takes when it is alone: `rows` rows of `width` bytes; one row where there are no gaps. */
int64_t timeline_copy_ps(const struct timeline_costs *c, enum timeline_memory to, enum timeline_memory from, uint64_t width, uint64_t rows);
int64_t timeline_peer_ps(const struct timeline_costs *c, uint64_t width, uint64_t rows); /* from device to device */
int64_t timeline_fill_ps(const struct timeline_costs *c, enum timeline_memory to, uint64_t width, uint64_t rows);

enum timeline_kind {
    TIMELINE_MARK,  /* takes nothing but its time */
    TIMELINE_COPY,  /* between memories: takes an engine */
    TIMELINE_MOVE,  /* within the device, a fill too: takes all multiprocessors */
    TIMELINE_KERNEL /* takes multiprocessors */
};

struct timeline_command {
    enum timeline_kind kind;
    int device;
    int priority;       /* lower numbers first, as cudaStreamCreateWithPriority has it */
    int64_t queued;     /* when the host asked for it */
    int64_t work;       /* ps that it takes when it is alone */
    int engine;         /* of a copy: 0 to the device, 1 from it, 2 to another one */
    struct sharing_need need; /* of a kernel */
    uint64_t previous;  /* number of the command before it in its stream; 0: none */
    const uint64_t *after; /* numbers of commands of other streams that end before it begins */
    int nafter;
};

struct timeline;
struct timeline *timeline_new(void);
void timeline_free(struct timeline *t);
void timeline_device(struct timeline *t, int device, const struct timeline_costs *c);

/* Adds a command and answers its number: 1, 2 ... What it names by number has been added before. */
uint64_t timeline_add(struct timeline *t, const struct timeline_command *c);

/* Nobody will ask for a command before this moment: what has ended by then is settled. One that comes with an earlier moment all the
 * same counts as asked for then. */
void timeline_settle(struct timeline *t, int64_t until);
int64_t timeline_settled(const struct timeline *t); /* that moment */

/* When a command begins and ends, if no other is added. */
void timeline_when(struct timeline *t, uint64_t number, int64_t *begin, int64_t *end);

/* The same for a command that is not added. */
void timeline_would(struct timeline *t, const struct timeline_command *c, int64_t *begin, int64_t *end);

/* When the last command of a device ends (-1: of any), if no other is added; 0: there was none. */
int64_t timeline_last(struct timeline *t, int device);

/* False: it is not settled yet, and commands that are added may change when it begins or ends. */
bool timeline_is_settled(const struct timeline *t, uint64_t number);

/* How many commands are not settled. */
int timeline_open(const struct timeline *t);

#endif
