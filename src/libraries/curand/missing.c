/* The functions of cuRAND that are not there, made from include/heddle/curand_functions.def: each says its name once. */
#include "curand.h"
#include "runtime/library.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"

#define CURAND_NOT_THERE(name, params)       \
    curandStatus_t name params               \
    {                                        \
        library_refuse(#name);               \
        return CURAND_STATUS_INTERNAL_ERROR; \
    }
#include "heddle/curand_functions.def"
