/* The host's floating-point environment. Device code and libraries compute in the default one (no traps, rounding to nearest,
 * subnormals kept), whatever the program has set for its own arithmetic: a thread inherits that from the one that starts it, and
 * -ffast-math sets it at the program's start. */
#ifndef BASE_HOST_FLOATS_H
#define BASE_HOST_FLOATS_H

#include <fenv.h>

/* From here on the calling thread, and those that it starts, have the default one. */
static inline void host_floats_begin(fenv_t *before)
{
    fegetenv(before);
    fesetenv(FE_DFL_ENV);
}

/* The thread has its own again. */
static inline void host_floats_end(const fenv_t *before)
{
    fesetenv(before);
}

#endif
