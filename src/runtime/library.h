/* Calls of libraries: what cuBLAS, cuFFT and their like (src/libraries) put into streams.
 *
 *     struct library_operand a[] = {{"x", x, n * 4, .access = LIBRARY_READ}, {"y", y, n * 4, .access = LIBRARY_READ | LIBRARY_WRITE}};
 *     struct library_call c = {.library = "cuBLAS", .function = "cublasSaxpy_v2", .flops = 2.0 * n, .peak = LIBRARY_SINGLE,
 *                              .operand = a, .operands = 2, .run = run_saxpy, .data = &saxpy, .data_bytes = sizeof saxpy};
 *     cudaError_t e = library_call(stream, &c, false);
 *
 * A call is a command of its stream (runtime/queue.h), with the order, the events and the faults of a launch. When its turn
 * comes its operands are looked at, then run() computes them on the host, in one thread, so that results repeat.
 * - An operand that a kernel could not reach is the device's fault, as with a kernel: one message that names the library, the
 *   function, the operand and the bytes; cudaErrorIllegalAddress at the next call that waits. Bytes that a GPU has mapped but
 *   that are in no allocation do no harm there; they are told of once, as with a kernel.
 * - Under `heddle check` bytes outside of allocations and bytes that are read though nobody has written them are findings, and what
 *   is written counts as written.
 * - Under `heddle profile` the call is one entry: FLOP, bytes of its operands, the bound that follows; it has no counters.
 * - In traces it stands where a kernel stands.
 *
 * The functions are libheddle-cudart's, for our own libraries (base/across.h). They may be called by several threads. */
#ifndef RUNTIME_LIBRARY_H
#define RUNTIME_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/across.h"
#include "cuda_runtime_api.h"

/* What the call computes with: which of the device's rates bounds it. */
enum library_peak {
#define PEAK(id, text, rate) LIBRARY_##id,
#include "report/library_peaks.def"
#undef PEAK
    LIBRARY_PEAKS
};

enum library_access { LIBRARY_READ = 1, LIBRARY_WRITE = 2 };

/* Memory that a call reads or writes: rows of bytes (BLAS: the columns of a matrix), in batches. `at` is the lowest address, whatever the
 * sign of an increment. Of row i (in each batch anew) only the bytes from max(0, skip + i * skip_step) up to width -
 * max(0, leave + i * leave_step) take part: triangles and bands. What lies between is neither looked at nor counted. */
struct library_operand {
    const char *name;        /* as the library's manual has it: "A" */
    const void *at;
    size_t width;            /* bytes of a row; 0: there is nothing */
    size_t height, pitch;    /* rows (0: one), and bytes from row to row */
    size_t depth, slice;     /* batches (0: one), and bytes from batch to batch; 0: all are the same one */
    unsigned access;         /* bits of enum library_access */
    ptrdiff_t skip, skip_step, leave, leave_step; /* bytes */
};

/* Operands that are known only at the call's turn: what arrays of pointers in device memory lead to, or what depends on a factor
 * there. */
struct library_more;
void library_more(struct library_more *m, const struct library_operand *o) ACROSS(library_more);

struct library_call {
    const char *library, *function; /* "cuBLAS", "cublasSgemm_v2": static texts */
    double flops;                   /* floating-point operations by the call's mathematical definition; a multiply-add is two; NAN: not counted */
    enum library_peak peak;
    const struct library_operand *operand; /* copied */
    int operands;
    const void *data; /* copied, data_bytes of it: what the functions below get */
    size_t data_bytes;
    /* Each runs at the call's turn, perhaps on another thread; all but run may be NULL.
     * ready: may its turn come? Asked when all that it waits for in CUDA's order is done, and again whenever a command was queued or
     *   is done, under the runtime's lock: it must neither call CUDA nor wait. Once true it stays true. For calls that compute
     *   together with others' (collectives): one that waited inside of run would keep a host thread from the others.
     * more: adds operands, once those above have been found good, so that it may read them.
     * run: computes. Device pointers go through library_host. cudaSuccess, or what library_fault answers.
     * release: the copy of data goes: also when the call was dropped because the device had a fault.
     * shape: sizes for reports, "m 64, n 64, k 8", into `size` bytes. */
    bool (*ready)(void *data);
    void (*more)(void *data, struct library_more *m);
    cudaError_t (*run)(void *data);
    void (*release)(void *data);
    void (*shape)(const void *data, char *text, size_t size);
};

/* Puts the call at the end of the stream's queue. wait: until it has run (a result in host memory). Errors:
 * cudaErrorInvalidResourceHandle for no stream; the device's sticky error; cudaErrorNotPermitted inside of a host function; with
 * wait, what a call that waits answers. After an error nothing is kept; release is called all the same. */
cudaError_t library_call(cudaStream_t stream, const struct library_call *c, bool wait) ACROSS(library_call);

/* Where the host finds what a pointer leads to: device memory of any kind at its engine's address, other pointers unchanged. */
void *library_host(const void *p) ACROSS(library_host);

/* May kernels use the pointer (cudaMalloc, managed, pinned and registered memory)? */
bool library_on_device(const void *p) ACROSS(library_on_device);

/* Something other than CUDA writes these bytes from `p` on, as far as they are of its allocation: for `heddle check`. */
void library_written(const void *p, size_t bytes) ACROSS(library_written);

/* For run(): the call cannot go on because of what it found in device memory (an index that leads out of an operand). Says why as
 * other faults do, and answers cudaErrorIllegalAddress. */
cudaError_t library_fault(const char *fmt, ...) ACROSS(library_fault) __attribute__((format(printf, 1, 2)));

/* Opens the first of these shared libraries (sonames, NULL behind the last) that is there. NULL: there is none; the first such call for
 * `what` says so on stderr, with the Debian packages that have one. */
void *library_open(const char *what, const char *const *sonames, const char *packages) ACROSS(library_open);

/* "heddle: WHAT is not there yet", once for each `what` (a static text): for functions that are refused by name. */
void library_refuse(const char *what) ACROSS(library_refuse);

#endif
