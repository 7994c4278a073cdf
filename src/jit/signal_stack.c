/* See signal_stack.h. */
#define _GNU_SOURCE
#include "jit/signal_stack.h"

#include "base/alloc.h"

#include <pthread.h>
#include <signal.h>

enum { STACK = 65536 /* a signal's frame with AVX-512 registers has 3 KiB, a handler prints two lines */ };

static pthread_key_t stack_key;

/* The thread ends. */
static void release_stack(void *stack)
{
    stack_t now, none = {.ss_flags = SS_DISABLE};
    if (!sigaltstack(NULL, &now) && now.ss_sp == stack)
        sigaltstack(&none, NULL);
    alloc_release(stack);
}

static void make_stack_key(void)
{
    pthread_key_create(&stack_key, release_stack);
}

void signal_stack_ensure(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    static _Thread_local bool looked;
    stack_t now;
    if (looked)
        return;
    looked = true;
    pthread_once(&once, make_stack_key);
    if (sigaltstack(NULL, &now) || !(now.ss_flags & SS_DISABLE))
        return;
    stack_t mine = {.ss_sp = alloc_zeroed(STACK), .ss_size = STACK};
    pthread_setspecific(stack_key, mine.ss_sp);
    sigaltstack(&mine, NULL);
}
