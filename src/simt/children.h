/* What the kernels of a launch ask of the device's runtime: launches, copies and fills (CUDA C++ programming guide 12, chapter 9
 * "CUDA Dynamic Parallelism"), and what it keeps for them.
 *
 * A grid's children begin when its own blocks have ended: a parent may not count on more (9.2.1.2 "Parent and Child Grids" of the
 * form without cudaDeviceSynchronize). They run one after the other, in the order of the blocks that asked and, of a block, of
 * asking, each with its own children before the next. So streams and events of the device ask for no order that is not there.
 * Work for the tail stream (9.3.1.2.2) comes behind all others. Where a parent may wait (9.6.1.2.1, "Synchronization", of the form
 * that CUDA 12 calls CDP1), what its block has asked for runs at that call, and the call returns behind it. Thread safe. */
#ifndef SIMT_CHILDREN_H
#define SIMT_CHILDREN_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum child_kind { CHILD_LAUNCH, CHILD_COPY, CHILD_FILL };

struct child {
    enum child_kind kind;
    bool tail;              /* cudaStreamTailLaunch */
    uint64_t block, serial; /* of the parent: its block's linear index; the order of asking */
    union {
        struct {
            uint64_t function; /* its address (ir/ir.h) */
            uint32_t grid[3], block[3];
            uint64_t shared;   /* bytes, dynamic */
            char *parameters;  /* the parameter block; the child's to release */
            uint32_t bytes;
        } launch;
        struct {
            uint64_t to, from, to_pitch, from_pitch, width, height; /* addresses, bytes, rows */
        } copy;
        struct {
            uint64_t to, pitch, width, height;
            uint8_t value;
        } fill;
    };
};

/* A thread's last error, where there is one. */
struct child_error {
    uint64_t block;
    uint32_t thread;
    int error; /* cudaError_t */
};

/* The head of struct cudaFuncAttributes; what follows is zero. */
struct child_function {
    uint64_t shared, constant, local; /* bytes */
    int32_t max_threads, registers, ptx_version, binary_version, cache_mode, max_dynamic_shared, carveout;
    int32_t unused[7];
};

/* Figures that kernels ask for. Each answers a cudaError_t. */
struct child_questions {
    int (*launch)(void *user, const struct child *c);                     /* may it be launched? */
    int (*parameters)(void *user, uint64_t function, uint32_t *bytes);    /* how many bytes of parameters it has */
    int (*attribute)(void *user, int attribute, int device, int *value);  /* cudaDeviceGetAttribute */
    int (*limit)(void *user, int limit, uint64_t *value);                 /* cudaDeviceGetLimit */
    int (*function)(void *user, uint64_t function, struct child_function *out); /* cudaFuncGetAttributes */
    int (*occupancy)(void *user, uint64_t function, int threads, uint64_t shared, int *blocks);
    int (*may_wait)(void *user);                                          /* for its children: 0, or the error; below 0: no kernel of the device may */
};

/* Does the work of a parent that waits, in this order and with all that comes of it, and releases it. A heddle_status; adds what went
 * wrong in words. */
struct strbuf;
typedef int children_wait_fn(void *user, struct child *work, int n, struct strbuf *why);

struct children {
    pthread_mutex_t lock;
    struct child *work;
    int n, cap;
    int tails, most_tails; /* work for the tail stream, and how much of it there may be */
    uint64_t serial;
    struct child_error *errors;
    int nerrors, errors_cap;
    uint64_t handles; /* the newest stream or event */
    const struct child_questions *questions;
    children_wait_fn *wait;
    void *user; /* of the questions and of `wait` */
    int device; /* its number */
};

void children_init(struct children *c, const struct child_questions *questions, children_wait_fn *wait, void *user, int device, int most_tails);
void children_release(struct children *c);

/* Takes `what` over. Answers 0 or cudaErrorLaunchPendingCountExceeded. */
int children_add(struct children *c, const struct child *what);

/* Takes out what a block has asked for so far, but for the tail stream: n pieces, in the order of asking. */
struct child *children_take(struct children *c, uint64_t block, int *n);

/* Puts the work into the order in which it is to be done. */
void children_sort(struct children *c);

/* Sets a thread's last error (0 leaves it alone) and answers it; answers the last one and forgets it, if so. */
int children_fail(struct children *c, uint64_t block, uint32_t thread, int error);
int children_last_error(struct children *c, uint64_t block, uint32_t thread, bool forget);

/* A new stream or event. */
uint64_t children_handle(struct children *c);

#endif
