/* A fault of machine code is told, not silent (jit_running): who tells it has a stack of its own, since a function's frame may
 * be what is too large. */
#ifndef JIT_SIGNAL_STACK_H
#define JIT_SIGNAL_STACK_H

/* The calling thread is about to run machine code: it gets an alternate stack for signals unless it has one. */
void signal_stack_ensure(void);

#endif
