/* What a function that the driver provides executes: device printf. It is no part of a kernel's machine code, and a profiler's source page
 * does not show it, but a GPU's counters count it. */
#ifndef TARGET_DRIVER_H
#define TARGET_DRIVER_H

#include <stdint.h>

#include "target/arch.h"

/* What decides how much printf executes: launches that count add it up by site (launch.printed). All lanes of a warp that come together are
 * one call; of those whose formats or strings differ the first one speaks for all. */
enum printed_number {
    PRINTED_CALLS,
    PRINTED_LANES,
    PRINTED_CHARACTERS,        /* of formats */
    PRINTED_SOME,              /* calls with an argument */
    PRINTED_WORDS,             /* arguments of 4 bytes, */
    PRINTED_LONGS,             /* of 8, */
    PRINTED_STRINGS,           /* of these, strings, */
    PRINTED_STRING_CHARACTERS, /* and how long these are */
    PRINTED_NUMBERS
};

/* Warp instructions by unit, of each: the rows of driver.def. An argument has some less, since what it fills of printf's buffer need not be
 * filled with zeros. */
extern const int16_t driver_printf[PRINTED_NUMBERS][PIPES];

#endif
