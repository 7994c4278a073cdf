/* Times that programs ask for (times.def): a word about whose each is, once in a process. */
#ifndef RUNTIME_TIMES_H
#define RUNTIME_TIMES_H

enum time_of_host {
#define TIME(id, text) TIME_##id,
#include "runtime/times.def"
#undef TIME
    TIME_COUNT
};

/* Says on stderr what it is, the first time in this process (not with HEDDLE_QUIET=1: runtime_say). */
void times_tell(enum time_of_host t);

#endif
