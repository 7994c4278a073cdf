/* libheddle-mpi: MPI with buffers in device memory. Preloaded (LD_PRELOAD) into programs that an MPI launcher starts.
 *
 * Each of MPI's functions with buffers is there under its name, finds the device addresses among its arguments and calls MPI's own
 * (PMPI_...) with the engine's address of the same memory, which is ordinary memory of the process. So nothing is copied, and
 * derived types, requests, windows and files need no care.
 * It is built without mpi.h and serves every MPI of this machine: all arguments are integers and pointers, which x86-64's calling
 * convention passes in words of their own; a handle is handed on unseen, be it an int (MPICH) or a pointer (Open MPI).
 * A process without CUDA is not touched: the runtime is looked for, not loaded. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef uintptr_t word;

#define P1 word a1
#define P2 P1, word a2
#define P3 P2, word a3
#define P4 P3, word a4
#define P5 P4, word a5
#define P6 P5, word a6
#define P7 P6, word a7
#define P8 P7, word a8
#define P9 P8, word a9
#define P10 P9, word a10
#define P11 P10, word a11
#define P12 P11, word a12
#define P13 P12, word a13
#define A1 a1
#define A2 A1, a2
#define A3 A2, a3
#define A4 A3, a4
#define A5 A4, a5
#define A6 A5, a6
#define A7 A6, a7
#define A8 A7, a8
#define A9 A8, a9
#define A10 A9, a10
#define A11 A10, a11
#define A12 A11, a12
#define A13 A12, a13
#define V2 v[0], v[1]
#define V3 V2, v[2]
#define V4 V3, v[3]
#define V5 V4, v[4]
#define V6 V5, v[5]
#define V7 V6, v[6]
#define V8 V7, v[7]
#define V9 V8, v[8]
#define V10 V9, v[9]
#define V11 V10, v[10]
#define V12 V11, v[11]
#define V13 V12, v[12]

/* --- what the process has of CUDA: runtime/library.h --- */

static bool (*on_device)(const void *p);
static void *(*host)(const void *p);
static void (*written)(const void *p, size_t bytes);

static bool have_runtime(void)
{
    void *runtime = host ? NULL : dlopen(CUDART, RTLD_LAZY | RTLD_NOLOAD);
    if (runtime) {
        on_device = (bool (*)(const void *))dlsym(runtime, "heddle_private_library_on_device");
        written = (void (*)(const void *, size_t))dlsym(runtime, "heddle_private_library_written");
        host = (void *(*)(const void *))dlsym(runtime, "heddle_private_library_host");
    }
    return host;
}

/* MPI's own function. */
static void *find(const char *name)
{
    void *f = dlsym(RTLD_NEXT, name);
    f = f ? f : dlsym(RTLD_DEFAULT, name);
    if (!f) {
        fprintf(stderr, "heddle: the program calls MPI, but no loaded library has %s\n", name);
        exit(EXIT_FAILURE);
    }
    return f;
}

/* Bytes that `count` elements of a type reach over; SIZE_MAX: not known. */
static size_t reach(word count, word type)
{
    static int (*extent)(word type, ptrdiff_t *low, ptrdiff_t *bytes);
    ptrdiff_t low, bytes;
    extent = extent ? extent : (int (*)(word, ptrdiff_t *, ptrdiff_t *))find("PMPI_Type_get_extent");
    if ((int)count < 0 || extent(type, &low, &bytes) || low < 0 || bytes < 0)
        return SIZE_MAX;
    return (size_t)(int)count * (size_t)(low + bytes);
}

/* MPI may not be told of device addresses; the numbers of arguments count from 1. */
static void translate(word *v, int n, unsigned inputs, int output, int count, int type)
{
    if (!have_runtime())
        return;
    for (int i = 0; i < n; i++) {
        const void *p = (const void *)v[i]; /* NOLINT: a word that is a pointer */
        if (!(inputs >> (i + 1) & 1) || !on_device(p))
            continue;
        if (i + 1 == output)
            written(p, count ? reach(v[count - 1], v[type - 1]) : SIZE_MAX);
        v[i] = (word)host(p);
    }
}

#define B(i) (1u << (i))
#define MPI(name, n, inputs, output, count, type)                        \
    __attribute__((visibility("default"))) int MPI_##name(P##n);         \
    int MPI_##name(P##n)                                                 \
    {                                                                    \
        static int (*real)(P##n);                                        \
        word v[] = {A##n};                                               \
        real = real ? real : (int (*)(P##n))find("PMPI_" #name);         \
        translate(v, n, inputs, output, count, type);                    \
        return real(V##n);                                               \
    }
#include "libraries/mpi/calls.def"
#undef MPI

/* Open MPI's question whether buffers may lie in device memory (mpi-ext.h). */
__attribute__((visibility("default"))) int MPIX_Query_cuda_support(void);
int MPIX_Query_cuda_support(void)
{
    return 1;
}
