/* Contexts: what the driver interface calls a process's part of a device, and which one each thread uses.
 *
 * A device has one primary context, which the runtime interface uses, and those that cuCtxCreate makes. All contexts of a
 * device share its engine, its address range, its default stream, its limits and its errors; what belongs to one alone is
 * its modules and its memory, which go with it. Each thread has a stack of contexts, whose top is current; the device of
 * the current context is the thread's device. CUDA C++ programming guide 12, 19.1 "Context"; CUDA Driver API reference,
 * "Context Management", "Primary Context Management". */
#ifndef RUNTIME_CONTEXT_H
#define RUNTIME_CONTEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/runtime.h"

struct context {
    bool alive;  /* first: pool.h */
    int device;  /* index */
    bool primary;
    bool active; /* a primary one: in use, by the runtime or because it was retained */
    bool runtime; /* by the runtime */
    int uses;    /* cuDevicePrimaryCtxRetain less Release; cuCtxAttach less Detach of another */
    unsigned flags;
    uint64_t id; /* unique in the process */
};

/* The device's primary context: always the same one. */
struct context *context_primary(int device);

/* A new context of an open device; NULL: none is left. Gone: its modules and memory go first (module.h, context_owned). */
struct context *context_new(int device, unsigned flags);
void context_free(struct context *c);

/* Is this a context, and not destroyed? */
bool context_live(const struct context *c);

/* Was it a context, and is destroyed by now? */
bool context_destroyed(const struct context *c);

/* The calling thread's current context, or NULL. *gone: it was destroyed since it was made current. */
struct context *context_current(bool *gone);

/* Makes c (NULL: none) the top of the calling thread's stack, in place of what was there. */
void context_set(struct context *c);

/* False: no room is left on the stack. */
bool context_push(struct context *c);

/* False: the stack is empty. */
bool context_pop(struct context **c);

/* The runtime needs a device: a thread without a context gets the primary one of `device`. Answers
 * cudaErrorContextIsDestroyed when the current one is gone. */
cudaError_t context_bind(int device);

/* Memory at this address belongs to the current context, or no longer to any. */
void context_owns(uint64_t address);
void context_disowns(uint64_t address);

/* The addresses that belong to c, n of them, to be released by the caller (alloc_release). */
uint64_t *context_owned(const struct context *c, size_t *n);

#endif
