/* What `heddle build -G` puts beside the device code so that a debugger can stop in it, and what it shares with the runtime.
 *
 * Every PTX function has a twin of x86-64 code (compile/stepping.c writes it, docs/stepping.md tells the whole): one stub an
 * instruction. A stub computes nothing; it asks the runtime to carry out the instruction for the thread that runs (step/step.h)
 * and jumps where the thread is then. So a line of CUDA source has an address, and a call a frame. A stub, by its bytes:
 *
 *       0  call step                carry out the instruction; rax: where to go on
 *       5  jmp *%rax
 *       7  int3                     STUB_TRAP: the instruction went wrong, and a debugger is there
 *       8  futex(go, WAIT, 0)       STUB_PARK: the thread waits for others
 *      29  call where
 *      34  jmp *%rax
 *      36  call *target             STUB_CALL: calls only: the thread is in another function
 *      39  call where
 *      44  jmp *%rax
 *
 * A twin begins with push %rbp; mov %rsp, %rbp; sub $16, %rsp; call where; mov %rdx, -8(%rbp); mov 24(%rbx), %rcx;
 * mov %rcx, -16(%rbp); jmp *%rax. So at -8 from the frame's base is the host address of the function's local variables, at -16
 * that of the table of its file's shared variables: debug information names both. rbx holds the thread's
 * struct step_context in all twins. At its end, where `epilogue` points, the function's result goes to the registers in which
 * the System V ABI returns it (a debugger looks there), then `leave` and `ret`. */
#ifndef BASE_STEPS_H
#define BASE_STEPS_H

#include <stddef.h>
#include <stdint.h>

enum { STUB_TRAP = 7, STUB_PARK = 8, STUB_CALL = 36 }; /* offsets in a stub */

/* What the runtime answers: rax and rdx. */
struct step_to {
    const void *code;
    const void *local; /* the host's address of the local variables of the function that is entered */
};

/* A CUDA thread as generated code and debug information see it. Offsets are named in compile/stepping.c
 * and step/gdb/heddle.py. */
struct step_context {
    struct step_to (*step)(struct step_context *c);
    struct step_to (*where)(struct step_context *c);
    const void *target;
    uint64_t *shared; /* host addresses in the thread's block of steps.shared of the file of the function that is entered */
    uint32_t go;      /* the futex */
    uint32_t thread_index[3], block_index[3], block_dim[3], grid_dim[3];
    uint32_t warp_size;
    void *base;        /* stack pointer to leave with */
    const char *fault; /* what went wrong, or NULL */
    uint64_t result[2];        /* of a function that ends: rax, rdx, */
    uint64_t vector_result[2]; /* xmm0, xmm1 */
    uint64_t grid;     /* %gridid */
    uint32_t sm, device;
};

_Static_assert(offsetof(struct step_context, target) == 16 && offsetof(struct step_context, shared) == 24 &&
                   offsetof(struct step_context, go) == 32 && offsetof(struct step_context, thread_index) == 36 &&
                   offsetof(struct step_context, warp_size) == 84 && offsetof(struct step_context, base) == 88 &&
                   offsetof(struct step_context, fault) == 96 && offsetof(struct step_context, result) == 104 && offsetof(struct step_context, grid) == 136,
               "generated code and debug information know these");

struct steps_function {
    const char *name;       /* as in the PTX */
    const char *entry, *epilogue;
    const uint32_t *stub;   /* offset from entry of each instruction's */
    uint64_t ninsts;
};

/* One file's device code. */
struct steps {
    uint64_t id, ptx_bytes; /* blob_header's of the same text */
    const struct steps_function *functions;
    const char *const *shared; /* names of shared variables */
    const char *const *globals;
    uint64_t *global_at;       /* the runtime fills in where the global and constant variables are */
    uint32_t nfunctions, nshared, nglobals, zero;
};

#endif
