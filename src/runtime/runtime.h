/* The state that the chapters of the runtime library share, and how an entry point begins and ends.
 *
 * An entry validates, calls the engine or queues a command, sets the last error, returns. Rules of errors (CUDA Runtime
 * API reference, "Error Handling"; docs/runtime.md): the last error belongs to the thread; a kernel's fault belongs to
 * the device, shows at the next call that waits for the device, and is answered by every call from then on. */
#ifndef RUNTIME_RUNTIME_H
#define RUNTIME_RUNTIME_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cuda_runtime_api.h"
#include "heddle.h"
#include "runtime/trace.h"

struct device;
struct space;

#define RUNTIME_DEVICES 8 /* as many address ranges as space/ has */

/* One device of this process. Fields below `fault` are guarded by runtime_lock. */
struct runtime_device {
    int index;
    heddle_device *engine;
    const struct device *spec;
    struct space *space;
    cudaError_t fault;   /* what a kernel did; later commands of the device are dropped */
    cudaError_t sticky;  /* the same once a call has waited for it: now every call answers it */
    cudaError_t pending; /* an error of a command that leaves the device usable: shown once */
    unsigned flags;      /* cudaSetDeviceFlags */
    size_t limit[8];     /* cudaDeviceSetLimit, by enum cudaLimit */
    enum cudaFuncCache cache_config;
    bool eight_byte_banks; /* cudaDeviceSetSharedMemConfig */
};

/* Guards devices, streams, events and modules' tables. Held for short times only, never while the engine works. */
extern pthread_mutex_t runtime_lock;

/* How many devices HEDDLE_DEVICE names (separated by commas; default one, h200). */
int runtime_device_count(void);

/* Opens device `index` at its first use; NULL: *error says why (and once, stderr). */
struct runtime_device *runtime_device(int index, cudaError_t *error);

/* The device that is open already, or NULL. For signal handlers too. */
struct runtime_device *runtime_device_if_open(int index);

/* device.c: kernels may ask the device for its attributes and limits. Called when it is opened. */
void device_answers_kernels(heddle_device *engine);

/* The calling thread's device: its current context's (context.h), else the one set. Setting it makes the primary context
 * current. */
int runtime_current(void);
void runtime_set_current(int index);

/* Opens the current device and looks at its state: the beginning of nearly every entry. Answers the sticky error. */
cudaError_t runtime_enter(struct runtime_device **d);

/* Sets the calling thread's last error when `e` is one; returns e: the end of nearly every entry. */
cudaError_t runtime_leave(cudaError_t e);

/* The same for cudaLaunchKernel: <<<>>> drops its answer, so what was short shows at the next call. */
cudaError_t runtime_leave_launch(cudaError_t e);

/* Calls of the driver interface go through those of the runtime's, but leave the last error alone, and answer for
 * themselves: from a change of 1 to one of -1, which nest, runtime_leave only hands its error on. Answers how deep. */
int runtime_silence(int change);

/* Was memory of the host short since the last call (base/alloc.h)? Says so; the CUDA call that asks answers
 * cudaErrorMemoryAllocation, although what it did stays done. */
bool runtime_was_short(void);

#define ENTER(d)                                                                                   \
    TRACED;                                                                                        \
    struct runtime_device *d;                                                                      \
    do {                                                                                           \
        cudaError_t enter_error = runtime_enter(&d);                                               \
        if (enter_error)                                                                           \
            return runtime_leave(enter_error);                                                     \
    } while (0)

/* The CUDA error for an engine's status. */
cudaError_t runtime_error(heddle_status s);

/* True for errors after which a device answers nothing else. */
bool runtime_is_sticky(cudaError_t e);

/* "heddle: ..." on stderr, unless HEDDLE_QUIET=1. Ends with a newline of its own. */
void runtime_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* What this process was to do or to leave behind is not all there: it does not end with status 0. */
void runtime_failed(void);

/* The same for something that is not there yet: once for each `what`. Answers cudaErrorNotSupported. */
cudaError_t runtime_not_supported(const char *what);

/* "WHAT is not there: WHY", for what will not come; the same otherwise. */
cudaError_t runtime_refused(const char *what, const char *why);

/* True in a child process that fork made after the runtime was in use: it has no devices. */
bool runtime_forked(void);

#endif
