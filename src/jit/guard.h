/* A fault of machine code is told, not silent: which kernel's code a thread is in, and a stack of its own for who tells it, since
 * a function's frame may be what is too large. */
#ifndef JIT_GUARD_H
#define JIT_GUARD_H

#include "ir/ir.h"

/* The calling thread is about to run machine code: it gets an alternate stack for signals unless it has one. */
void guard_thread(void);

/* The kernel whose code the calling thread runs; NULL: none. */
extern _Thread_local const struct ir_kernel *volatile guard_kernel __attribute__((tls_model("initial-exec")));

#endif
