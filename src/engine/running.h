/* Launches that run now, for those who want to tell how far they are. */
#ifndef ENGINE_RUNNING_H
#define ENGINE_RUNNING_H

#include <stdint.h>

struct heddle_kernel;
struct launch;

struct running {
    const struct heddle_kernel *kernel;
    const struct launch *launch;
    int64_t since; /* ns, of CLOCK_MONOTONIC */
    const char *how; /* "counting", or "" */
    struct running *next;
};

/* The launch runs from now on, until running_end; `r` is the caller's. */
void running_begin(struct running *r, const struct heddle_kernel *k, const struct launch *l, const char *how);
void running_end(struct running *r);

#endif
