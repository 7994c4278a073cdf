/* Commands in streams' queues, and who runs them.
 *
 * Every launch, copy, fill, event record, host function and call of a library (library.h) is a command at the end of one stream's queue. A command may
 * run when it is the first of its queue and every ticket it waits for is done. Order between streams (CUDA C++
 * programming guide 12, 3.2.8.5 "Implicit Synchronization" and API reference, "Stream synchronization behavior"): a
 * command of the legacy default stream waits for what blocking streams had before it, and a command of a blocking
 * stream waits for what the legacy stream had before it; non-blocking streams know neither.
 * Calls of libraries may wait for calls in other streams besides, of whatever order (library.h: ready); they take no thread meanwhile.
 * Commands with no order between them run at the same time, on worker threads:
 * - Among commands that may begin the one queued first begins first.
 * - As many run at once as a launch may use host threads (HEDDLE_THREADS). When commands are kept waiting by that and
 *   none has finished for PATIENCE_MS, one more may run, up to WORKERS: a kernel may wait for another stream's.
 * - While launches are profiled, timed or checked one command runs at a time, all of them in the order of queueing, so that reports are
 *   the same in every run. That order is always a possible one: a command waits only for what was queued before it. A profiled
 *   launch all of whose warps wait in loops stands aside until a later command is done, then the first of those that stand aside
 *   looks again: by numbers of turns, not by time, so reports stay the same. A checked one cannot (queue_stuck).
 * - Launches that use the device heap keep the order of queueing among themselves, so that addresses are the same.
 * - One host function runs at a time, on a worker.
 * A thread that waits lends a hand instead of sleeping, with what its own stream has to do. */
#ifndef RUNTIME_QUEUE_H
#define RUNTIME_QUEUE_H

#include <stdint.h>

#include "runtime/runtime.h"

/* "This command is done": held by its command, its stream (the last one), events and waiters. */
struct ticket {
    struct stream *stream; /* of its command; valid until done */
    int refs;
    bool done;
    int64_t time_ns; /* when it was done, CLOCK_MONOTONIC */
    uint64_t number; /* with device time: in the timeline, once it is done; else 0 */
    int device;
};

struct command;
struct frames;
struct library_work;

struct stream {
    bool alive; /* first: pool.h */
    bool doomed; /* cudaStreamDestroy was called: it goes when its queue is empty */
    struct runtime_device *device;
    unsigned flags; /* cudaStreamNonBlocking */
    int priority, number; /* number: 0 for the legacy default stream, then in order of creation */
    bool legacy;
    struct command *first, *last; /* queued */
    bool running;                 /* first runs now */
    struct ticket *latest;        /* of the newest command, or NULL */
    uint64_t before;              /* with device time: number of the command that was done last; 0: none */
    cudaStreamAttrValue window, policy; /* cudaStreamSetAttribute */
    struct capture_part *capture; /* capture.c; NULL: it does not take part in one */
};

enum command_kind {
    COMMAND_LAUNCH, COMMAND_COPY, COMMAND_FILL, COMMAND_FREE,
    COMMAND_LIBRARY, /* a call of a library (library_work.h) */
    COMMAND_RECORD, /* does nothing */
    COMMAND_HOST,   /* a function of the program */
    COMMAND_CALL    /* a function of ours, which may run other commands */
};

/* Rows of bytes: height rows of width bytes in each of depth slices. On the host: a pointer, on the device: an
 * address. */
struct place {
    bool on_device;
    uint64_t at;
    size_t pitch, slice; /* bytes from row to row, from slice to slice */
    struct runtime_device *device; /* when on_device */
};

struct command {
    enum command_kind kind;
    uint64_t serial; /* order of queueing in the process */
    uint64_t call;   /* number of the call that asked for it, in traced runs */
    bool unseen;     /* outside of what profilers look at (range.h) */
    struct stream *stream;
    struct ticket *ticket, **after;
    int nafter;
    bool only_waits; /* a COMMAND_RECORD that records nothing */
    int64_t queued; /* with device time: the host's clock (device_time.h) */
    bool in_order; /* after every earlier such command of the device */
    int shown;     /* number of the stream in reports; -1 until it is queued: that of its stream */
    const struct frames *frames; /* where the program asked for it, in checked runs */
    struct command *next;
    union {
        struct {
            heddle_kernel *kernel;
            heddle_launch_config config;
            void **args; /* copied: pointers, then the values */
            uint64_t newest; /* serial of the last allocation when it was queued, in checked runs */
        } launch;
        struct {
            struct place to, from;
            size_t width, height, depth; /* bytes, rows, slices */
        } copy;
        struct {
            struct place to;
            size_t width, height, depth; /* elements, rows, slices */
            unsigned element;            /* 1, 2 or 4 bytes */
            uint32_t value;              /* its low bytes */
        } fill;
        uint64_t free; /* device address */
        struct library_work *library; /* a call of a library (library_work.h) */
        struct {
            cudaHostFn_t function;
            cudaStreamCallback_t callback; /* or this one, with the stream and its status */
            cudaStream_t handle;
            void *user;
        } host;
        struct {
            cudaError_t (*function)(struct command *c, cudaError_t status); /* called with an error, too: to tidy up */
            void *user;
        } call_back;
    };
};

struct command *command_new(enum command_kind kind);

/* Before it is put into a queue: it waits for this ticket, too. Takes runtime_lock; NULL is fine. */
void command_wait(struct command *c, struct ticket *t);

/* The stream of a handle for the calling thread's device: NULL and cudaStreamLegacy: the legacy default stream;
 * cudaStreamPerThread: the thread's own. NULL: the handle is not a stream. Takes runtime_lock. */
struct stream *stream_of(cudaStream_t handle);
/* The legacy default stream of a device. Takes runtime_lock. */
struct stream *stream_legacy(struct runtime_device *d);


/* What NULL means on this thread from now on: the thread's own stream, or the legacy one. Answers what it meant before. */
bool stream_default(bool thread);

struct stream *stream_new(struct runtime_device *d, unsigned flags, int priority);
void stream_destroy(struct stream *s);

/* Every following command of the stream waits for the ticket. Takes runtime_lock. */
void stream_wait(struct stream *s, struct ticket *t);

/* The ticket of the stream's newest command, with a reference for the caller, or NULL. Takes runtime_lock. */
struct ticket *stream_latest(struct stream *s);

/* Puts a command at the end of a stream's queue (which owns it then). Returns its ticket, with a reference for the
 * caller. */
struct ticket *queue_put(struct stream *s, struct command *c);

/* The same, without wanting to know. */
void queue_put_async(struct stream *s, struct command *c);

struct ticket *ticket_share(struct ticket *t);
void ticket_release(struct ticket *t); /* takes runtime_lock; NULL is fine */
bool ticket_done(struct ticket *t);

/* Waits until the ticket is done (NULL: at once) and releases it. */
void queue_wait(struct ticket *t);

/* The same for a copy from pageable memory, whose bytes the program may change then: with device time the host's clock goes on as
 * device_time_staged says. */
void queue_wait_staged(struct ticket *t, uint64_t bytes);

/* Waits for everything a device, a stream has. */
void queue_wait_device(struct runtime_device *d);
void queue_wait_stream(struct stream *s);

/* What a call that has waited answers: the device's fault, which becomes sticky now, or an error of a command that is
 * shown once, or cudaSuccess. */
cudaError_t queue_verdict(struct runtime_device *d);

/* True when the stream has nothing left to do. */
bool queue_idle(struct stream *s);

/* Waits for everything, unless the calling thread is the one that runs commands. */
void queue_drain(void);

/* Number of the command that the calling thread runs, in the order of queueing; 0: none. */
uint64_t queue_serial(void);

/* The calling thread is running a command: it is inside a host function, where no CUDA call is allowed. */
bool queue_inside(void);

/* For engine_stuck: the launch that the calling thread runs waits in loops. */
bool queue_stuck(void *unused);

/* A launch is running now. For signal handlers. */
bool queue_launch_runs(void);

#endif
