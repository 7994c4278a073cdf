/* A word about times (see times.h). */
#include "runtime/times.h"

#include <stdatomic.h>

#include "runtime/runtime.h"

void times_tell(enum time_of_host t)
{
    static const char *const text[TIME_COUNT] = {
#define TIME(id, text) text,
#include "runtime/times.def"
#undef TIME
    };
    static _Atomic unsigned told;

    if (!(atomic_fetch_or(&told, 1u << t) >> t & 1))
        runtime_say("%s", text[t]);
}
