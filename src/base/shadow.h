/* What the memory sanitizer is told of values that it cannot follow. In every other build nothing happens.
 *
 * Models take numbers of all 32 lanes and use those of lanes that are on, by shifts and vector compares: 0 << x is 0 whatever
 * x is, but to the sanitizer it is as unwritten as x. So what lanes have that are off counts as written from here on, and
 * what lanes have that are on is still looked at. */
#ifndef BASE_SHADOW_H
#define BASE_SHADOW_H

#include <stdint.h>

#ifndef __has_feature
#define __has_feature(feature) 0
#endif
#if __has_feature(memory_sanitizer)
#include <sanitizer/msan_interface.h>
#else
#define __msan_unpoison(address, bytes) ((void)(address), (void)(bytes))
#endif

static inline void shadow_lanes_off(uint64_t *lane, uint32_t on)
{
    for (unsigned i = 0; i < 32; i++)
        if (!(on >> i & 1))
            __msan_unpoison(&lane[i], sizeof lane[i]);
}

#endif
