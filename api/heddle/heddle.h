/* Heddle's engine as a C library (libheddle): open a device, load PTX, launch kernels, read counters, observe memory accesses.
 *
 *     heddle_device *dev;
 *     heddle_device_open("h200", &dev);
 *     heddle_module *mod;
 *     heddle_module_load(dev, "saxpy.ptx", text, length, &mod);
 *     heddle_kernel *k;
 *     heddle_kernel_find(mod, "saxpy", &k);
 *     heddle_launch_config cfg = {.grid = {16, 1, 1}, .block = {256, 1, 1}};
 *     void *args[] = {&n, &a, &x, &y};
 *     heddle_result *r;
 *     heddle_launch(k, &cfg, args, &r);
 *     double sectors;
 *     heddle_result_metric(r, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", &sectors);
 *
 * Conventions: every call answers a heddle_status; out-parameters are set only with HEDDLE_OK unless said otherwise.
 * heddle_error_text says more about the calling thread's last failure. The library never prints and never ends the
 * process. A device, its modules and kernels may be used from several threads; a launch returns when it has finished.
 * Device addresses (heddle_ptr) are not valid pointers for the host: use the copy functions. */
#ifndef HEDDLE_H
#define HEDDLE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HEDDLE_API __attribute__((visibility("default")))

/* Of this header. Without a change of the first number (of the second, while the first is 0) what was compiled goes on
 * to run with later libraries. */
#define HEDDLE_VERSION_MAJOR 0
#define HEDDLE_VERSION_MINOR 1
#define HEDDLE_VERSION_PATCH 0
#define HEDDLE_VERSION "0.1.0"

/* Of the library: "0.1.0". */
HEDDLE_API const char *heddle_version(void);

typedef enum heddle_status {
#define HEDDLE_STATUS(id, number, cuda, text) HEDDLE_##id = number,
#include "heddle_status.def"
#undef HEDDLE_STATUS
} heddle_status;

typedef struct heddle_device heddle_device;
typedef struct heddle_module heddle_module;
typedef struct heddle_kernel heddle_kernel;
typedef struct heddle_result heddle_result;
typedef uint64_t heddle_ptr; /* an address in device memory */

/* --- errors --- */
HEDDLE_API const char *heddle_status_text(heddle_status s);

/* The calling thread's last failure in words, perhaps several lines; "" when there was none. Valid until its next
 * heddle call. */
HEDDLE_API const char *heddle_error_text(void);

/* --- devices --- */

/* Opens a device by the name of its description ("h200"; NULL: HEDDLE_DEVICE of the environment, else h200).
 * HEDDLE_NO_DEVICE: no such description, or it does not read; heddle_error_text names near matches. */
HEDDLE_API heddle_status heddle_device_open(const char *name, heddle_device **out);
HEDDLE_API void heddle_device_close(heddle_device *dev);

/* What a device is. Texts are valid until it is closed. */
typedef struct heddle_device_info {
    const char *id, *name;   /* "h200", "NVIDIA H200" */
    int cc_major, cc_minor;  /* compute capability */
    int arch;                /* compute capability times 10 that device code is to be made for: the newest that runs there
                                and that clang makes */
    int multiprocessors;
    uint64_t memory_bytes;   /* less than the GPU's where the process may not have so much */
} heddle_device_info;
HEDDLE_API heddle_status heddle_device_describe(heddle_device *dev, heddle_device_info *info);

/* How many host threads launches may use (default: HEDDLE_THREADS of the environment, else all). Results do not
 * depend on it, except where CUDA leaves an order open (atomics on floating-point values, races). */
HEDDLE_API heddle_status heddle_device_threads(heddle_device *dev, int threads);

/* Ends running launches with HEDDLE_INTERRUPTED. May be called from a signal handler. */
HEDDLE_API void heddle_device_interrupt(heddle_device *dev);

/* Calls `write` with what kernels print (stream 1) and with failed assertions (stream 2), when a launch has finished,
 * on the thread that launched, blocks in ascending order. NULL, as at first: the text is dropped. */
HEDDLE_API heddle_status heddle_output(heddle_device *dev,
                                       void (*write)(int stream, const char *text, size_t n, void *user), void *user);

/* Size in bytes of the heap that malloc and new in kernels take from: 8 MiB at first. HEDDLE_INVALID_VALUE once a kernel
 * that uses it was launched. */
HEDDLE_API heddle_status heddle_heap_size(heddle_device *dev, size_t bytes);

/* Size in bytes of the stack that each thread of a kernel with recursive calls has: 1024 at first. HEDDLE_INVALID_VALUE
 * for more than the device's local memory a thread. */
HEDDLE_API heddle_status heddle_stack_size(heddle_device *dev, size_t bytes);

/* --- device memory: sizes in bytes --- */
HEDDLE_API heddle_status heddle_alloc(heddle_device *dev, size_t bytes, heddle_ptr *out);
HEDDLE_API heddle_status heddle_free(heddle_device *dev, heddle_ptr p);
HEDDLE_API heddle_status heddle_copy_in(heddle_device *dev, heddle_ptr to, const void *from, size_t bytes);
HEDDLE_API heddle_status heddle_copy_out(heddle_device *dev, void *to, heddle_ptr from, size_t bytes);
HEDDLE_API heddle_status heddle_copy(heddle_device *dev, heddle_ptr to, heddle_ptr from, size_t bytes);
/* Fills `count` elements of `width` (1, 2, 4) bytes with the low bytes of `value`. */
HEDDLE_API heddle_status heddle_fill(heddle_device *dev, heddle_ptr to, uint32_t value, unsigned width, size_t count);

/* --- modules and kernels --- */

/* Loads PTX text. `name` stands in messages. HEDDLE_INVALID_PTX: heddle_error_text has the diagnostics. */
HEDDLE_API heddle_status heddle_module_load(heddle_device *dev, const char *name, const char *ptx, size_t bytes,
                                            heddle_module **out);
HEDDLE_API void heddle_module_unload(heddle_module *mod);

/* Address and size of a module-scope __device__ or __constant__ variable. */
HEDDLE_API heddle_status heddle_module_variable(heddle_module *mod, const char *name, heddle_ptr *address,
                                                size_t *bytes);

/* A kernel by its name in the PTX (mangled for C++). Valid until the module is unloaded. */
HEDDLE_API heddle_status heddle_kernel_find(heddle_module *mod, const char *name, heddle_kernel **out);

/* The i-th kernel of a module, in the order of the PTX. HEDDLE_NOT_FOUND past the last. */
HEDDLE_API heddle_status heddle_module_kernel(heddle_module *mod, int i, heddle_kernel **out);

/* A kernel as C++ writes it: "void f<16>(const float *, int)"; its name alone where that is not mangled (extern "C").
 * Valid until the module is unloaded. */
HEDDLE_API const char *heddle_kernel_signature(heddle_kernel *k);

/* What a kernel needs. `registers` is an estimate. */
typedef struct heddle_kernel_info {
    const char *name;
    int parameters;          /* how many */
    size_t parameter_bytes;  /* in all, with padding */
    size_t static_shared;    /* bytes a block */
    size_t local;            /* bytes a thread */
    size_t constant;         /* bytes of the module's __constant__ variables */
    int registers;           /* a thread, estimated */
    int max_threads;         /* a block: __launch_bounds__, or the device's limit */
    int min_blocks;          /* a multiprocessor: __launch_bounds__, or 0 */
    int arch;                /* compute capability times 10 that the PTX was made for */
    int has_effect;          /* 0: its code has no store, atomic, trap or call, so nothing that it computes reaches memory */
} heddle_kernel_info;
HEDDLE_API heddle_status heddle_kernel_describe(heddle_kernel *k, heddle_kernel_info *info);
/* Offset and size in bytes of parameter i in the parameter block. HEDDLE_INVALID_VALUE past the last. */
HEDDLE_API heddle_status heddle_kernel_parameter(heddle_kernel *k, int i, size_t *offset, size_t *bytes);
/* Its type in the PTX: "f32"; "u64", of pointers too; "b8" of structs. NULL past the last. */
HEDDLE_API const char *heddle_kernel_parameter_type(heddle_kernel *k, int i);

/* --- launches --- */
/* Accesses to [base, base + bytes) that the modelled L2 keeps longer than others: a part of them (ratio, 0 to 1), in the bytes
 * of L2 that are set aside. bytes 0: none. */
typedef struct heddle_window {
    uint64_t base, bytes, set_aside;
    float ratio;
} heddle_window;

typedef struct heddle_launch_config {
    uint32_t grid[3];    /* blocks in x, y, z */
    uint32_t block[3];   /* threads in x, y, z */
    size_t shared_bytes; /* dynamic shared memory a block */
    int cooperative;     /* 1: all blocks are resident at the same time, so that they may wait for each other */
    heddle_window persisting;
    int eight_byte_banks;/* 1: words of 8 bytes in successive banks of shared memory, on devices that can (3.x); counts only */
} heddle_launch_config;

/* What went wrong inside a kernel, and where. */
typedef struct heddle_fault {
    heddle_status status;
    const char *text;  /* several lines, ready to print: kernel, source line, block, thread, address, what is there */
    const char *kernel;
    const char *file;  /* the user's source, or NULL */
    int line, ptx_line;
    uint32_t block[3], thread[3];
    heddle_ptr address;
} heddle_fault;

/* Runs a kernel to its end. args[i] points to the value of parameter i. result NULL: plain, at full speed; else
 * counters are collected and *result is set (also when the kernel faulted: what was counted until then).
 * A fault is described by heddle_last_fault. */
HEDDLE_API heddle_status heddle_launch(heddle_kernel *k, const heddle_launch_config *cfg, void *const *args,
                                       heddle_result **result);
/* The calling thread's last failed launch; NULL when there was none. Valid until its next launch. */
HEDDLE_API const heddle_fault *heddle_last_fault(void);

/* Did the calling thread's last launch touch memory outside of every allocation where a GPU has some mapped, so that it went
 * on? About the first such access, in several lines as a fault is, or NULL. Valid until its next launch. */
HEDDLE_API const char *heddle_last_stray(void);

/* Resident blocks a multiprocessor for this kernel, block size and dynamic shared memory: 0 if it does not fit. */
HEDDLE_API heddle_status heddle_occupancy(heddle_kernel *k, int block_threads, size_t dynamic_shared, int *blocks);

/* --- checkers --- */

/* Later launches of the device are checked by these tools: "memcheck", "initcheck", "synccheck", "racecheck", several with
 * commas, or "all"; NULL ends it. `found` gets each finding as an object of JSON (docs/check.md) and as the lines that
 * `heddle check` prints of it, on the thread that launches: when there is one, and again with the same `launch` and `id`
 * when there is more of it; the last one counts.
 * A bad access is not carried out. The launch fails with HEDDLE_CHECK_FAILED when it had one, and goes on to its end
 * before. Behind allocations that are made from now on lie 4,096 bytes that belong to nobody. HEDDLE_INVALID_VALUE: no
 * such tool. */
HEDDLE_API heddle_status heddle_check(heddle_device *dev, const char *tools,
                                      void (*found)(const char *json, const char *text, void *user), void *user);

/* --- counters --- */
HEDDLE_API void heddle_result_free(heddle_result *r);

/* A metric by any of its names (docs/reference/metrics.md). HEDDLE_NOT_FOUND: no such metric. */
HEDDLE_API heddle_status heddle_result_metric(const heddle_result *r, const char *name, double *value);

/* Later launches with a result count only what these metrics need (names with commas between); NULL, as at first: all.
 * Metrics that need more answer HEDDLE_NOT_IMPLEMENTED then. HEDDLE_NOT_FOUND: no such metric. */
HEDDLE_API heddle_status heddle_collect(heddle_device *dev, const char *metrics);

/* The i-th metric's name, unit, trust ("exact", "exact for this code", "modelled") and what it is, for listings; NULL past
 * the last. */
HEDDLE_API const char *heddle_metric_name(int i);
HEDDLE_API const char *heddle_metric_unit(const char *name);
HEDDLE_API const char *heddle_metric_trust(const char *name);
HEDDLE_API const char *heddle_metric_help(const char *name);

/* A source line of a kernel that was executed. */
typedef struct heddle_line {
    const char *file;     /* as the compiler wrote it; NULL: no source known, ptx_line counts */
    int line, ptx_line;
    const char *ptx_text; /* the PTX instruction, where there is no source, or NULL */
} heddle_line;
/* The i-th line, hottest first; valid until the result is freed. HEDDLE_NOT_FOUND past the last. A result may be asked by
 * one thread at a time. */
HEDDLE_API heddle_status heddle_result_line(heddle_result *r, int i, heddle_line *out);
/* A metric of that line alone. HEDDLE_INVALID_VALUE: it is one of the launch as a whole (its shape, its warps). */
HEDDLE_API heddle_status heddle_result_line_metric(heddle_result *r, int i, const char *name, double *value);

/* A result as a line of JSON, with the newline: what `heddle profile -i` and heddle_result_read read (docs/results.md).
 * Valid until the result is freed. */
HEDDLE_API heddle_status heddle_result_json(heddle_result *r, const char **text, size_t *bytes);
/* A result from its line. HEDDLE_INVALID_VALUE: it is none, or of another version. */
HEDDLE_API heddle_status heddle_result_read(const char *text, size_t bytes, heddle_result **out);

/* --- observation --- */

/* One warp-level memory access, as the memory model gets it. */
typedef struct heddle_access {
    const char *kernel, *file;
    int line, ptx_line;
    uint32_t block[3], warp;
    uint32_t mask;  /* lanes that take part */
    char op;        /* 'l' load, 's' store, 'a' atomic with result, 'r' without. An asynchronous copy
                       is a global load and a shared store, a texture fetch a global load */
    char space;     /* 'g' global, 's' shared, 'l' local, 'c' constant */
    unsigned bytes; /* a lane */
    const uint64_t *address; /* of 32 lanes; only those in mask are meaningful. Shared, local: offsets */
} heddle_access;

/* Calls `see` for every access of later launches of the device, on one thread, in a fixed order; NULL ends it. */
HEDDLE_API heddle_status heddle_observe(heddle_device *dev, void (*see)(const heddle_access *a, void *user),
                                        void *user);

#ifdef __cplusplus
}
#endif

#endif
