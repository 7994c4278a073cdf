/* Where the warps of a block end their first turn.
 *
 * On a GPU the warps of a block begin within some cycles of each other, and a load from global memory takes hundreds: what all of
 * them load before their first loop they have before one of them has stored anything. Executors run a warp for long before the
 * next one has its turn. So in a block of several warps each goes up to here, then each goes on from here: kernels whose races
 * a GPU hides so (tests/programs/first_loads.cu) print the same in all executors. Launches whose caches are modelled have an
 * order of their own (clock/rounds.h). */
#ifndef INTERP_TURN_H
#define INTERP_TURN_H

#include <stdbool.h>
#include <stdint.h>

struct interp_code;
struct space;

/* Where an address may come from: a parameter's 8 bytes at this offset, or a constant. */
struct turn_root {
    bool param;
    uint64_t at;
};

enum { TURN_ROOTS = 63, TURN_ANYWHERE = TURN_ROOTS /* the bit of an address that comes from elsewhere: one that was loaded */ };

struct turn {
    int32_t site;           /* the instruction behind which it ends, if all 32 lanes do it; -1: there is none */
    uint64_t reads, writes; /* bits: roots of the addresses read before and written behind it */
    struct turn_root root[TURN_ROOTS];
};

/* The last instruction before the first loop that whole warps come to once, of a kernel that may read global memory before it
 * and write behind it with no barrier between. c: its steps are decoded. */
struct turn turn_find(const struct interp_code *c);

/* Do the kernel's warps end their first turn there, with these parameters? Not if nothing of what is read before lies in an
 * allocation that is written behind. */
bool turn_matters(const struct turn *t, const struct space *s, const char *params);

#endif
