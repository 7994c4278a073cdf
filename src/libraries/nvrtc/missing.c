/* The functions of NVRTC that are not there, made from include/heddle/nvrtc_functions.def: each says its name once on stderr and
 * answers NVRTC_ERROR_INTERNAL_ERROR, since NVRTC has no status of its own for it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nvrtc.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"

static nvrtcResult missing(const char *name, int *said)
{
    const char *quiet = getenv("HEDDLE_QUIET");
    if (!__atomic_exchange_n(said, 1, __ATOMIC_RELAXED) && !(quiet && !strcmp(quiet, "1")))
        fprintf(stderr, "heddle: %s is not there yet\n", name);
    return NVRTC_ERROR_INTERNAL_ERROR;
}

#define NVRTC_NOT_THERE(name, params)                                                                                  \
    nvrtcResult name params                                                                                            \
    {                                                                                                                  \
        static int said;                                                                                               \
        return missing(#name, &said);                                                                                  \
    }
#include "heddle/nvrtc_functions.def"
