// What a program of this folder asks of itself: it says each line that does not hold, and how many there were.
#ifndef LIBRARIES_CHECK_H
#define LIBRARIES_CHECK_H

#include <cstdio>

static int failures;
#define CHECK(what) \
    do { \
        if (!(what)) { \
            printf("FAILED line %d: %s\n", __LINE__, #what); \
            failures++; \
        } \
    } while (0)

#endif
