/* The host's clock, for what tells how long something took. Never a part of a result. Safe in signal handlers. */
#ifndef BASE_HOST_TIME_H
#define BASE_HOST_TIME_H

#include <stdint.h>
#include <time.h>

/* Nanoseconds of CLOCK_MONOTONIC. */
static inline int64_t host_time(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

#endif
