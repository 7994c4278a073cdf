/* What the chapters of the driver interface share: how an entry point begins and ends, and its handles.
 *
 * The driver interface is the runtime's machine under other names (src/runtime): a CUdeviceptr is the same address, a
 * CUstream, CUevent, CUarray, CUmemoryPool the same handle as a cudaStream_t and so on, a CUfunction is accepted where the
 * runtime takes a host stub. So an entry checks that the driver is initialised and which context is current, calls the
 * runtime's entry in silence (runtime_silence: it leaves the last error alone), and answers the CUresult for it. Traces and
 * checked runs see the driver's call alone. CUDA Driver API reference 12; "Interactions with the CUDA Driver API" in the
 * runtime's reference. */
#ifndef DRIVER_DRIVER_H
#define DRIVER_DRIVER_H

#include <stdbool.h>

#define __CUDA_API_VERSION_INTERNAL /* cuda.h: names are symbols here */
#include "cuda.h"
#include "runtime/context.h"
#include "runtime/runtime.h"
#include "runtime/trace.h"

struct strbuf;

/* The CUresult for what a call of the runtime's answered. */
CUresult driver_result(cudaError_t e);

/* The end of every entry: tells traces and checkers. */
CUresult driver_leave(CUresult r);
CUresult driver_return(cudaError_t e); /* driver_leave(driver_result(e)) */

/* CUDA_ERROR_NOT_INITIALIZED before cuInit; the device's sticky error. */
CUresult driver_initialised(void);

/* The calling thread's current context and its open device: CUDA_ERROR_INVALID_CONTEXT when there is none. */
CUresult driver_enter(struct context **c, struct runtime_device **d);

/* The open device of a number. */
CUresult driver_device(CUdevice dev, struct runtime_device **d);

/* Says once that something is not there; CUDA_ERROR_NOT_SUPPORTED, which the caller returns by driver_leave. */
CUresult driver_not_supported(const char *what);

struct driver_silence {
    char on;
};
struct driver_silence driver_silence_begin(void);
void driver_silence_end(struct driver_silence *s);

/* The beginning of entries that need nothing; that need cuInit; a device besides, by its number; a current context. */
#define CALL                                                                                                           \
    TRACED;                                                                                                            \
    struct driver_silence silence __attribute__((cleanup(driver_silence_end), unused)) = driver_silence_begin()
#define INITIALISED                                                                                                    \
    CALL;                                                                                                              \
    do {                                                                                                               \
        CUresult initialised = driver_initialised();                                                                   \
        if (initialised)                                                                                               \
            return driver_leave(initialised);                                                                          \
    } while (0)
#define DEVICE(d, dev)                                                                                                 \
    INITIALISED;                                                                                                       \
    struct runtime_device *d;                                                                                          \
    do {                                                                                                               \
        CUresult found = driver_device(dev, &d);                                                                       \
        if (found)                                                                                                     \
            return driver_leave(found);                                                                                \
    } while (0)
#define CONTEXT(c, d)                                                                                                  \
    CALL;                                                                                                              \
    struct context *c;                                                                                                 \
    struct runtime_device *d;                                                                                          \
    do {                                                                                                               \
        CUresult entered = driver_enter(&c, &d);                                                                       \
        if (entered)                                                                                                   \
            return driver_leave(entered);                                                                              \
    } while (0)
#define REQUIRE(condition)                                                                                             \
    do {                                                                                                               \
        if (!(condition))                                                                                              \
            return driver_leave(CUDA_ERROR_INVALID_VALUE);                                                             \
    } while (0)

/* A context goes: what was loaded and made in it goes with it. */
void driver_modules_end(const struct context *c);

static inline void *driver_pointer(CUdeviceptr p)
{
    return (void *)(uintptr_t)p;
}

#endif
