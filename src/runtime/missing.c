/* The functions of the runtime interface that are not there, made from include/heddle/runtime_functions.def: each says
 * its name once on stderr and answers cudaErrorNotSupported. */
#include "runtime/runtime.h"

#define __dv(v)
#pragma GCC diagnostic ignored "-Wunused-parameter"

#define CUDA_NOT_THERE(name, params)                                                                    \
    cudaError_t name params                                                                        \
    {                                                                                              \
        return runtime_leave(runtime_not_supported(#name));                                        \
    }
#define CUDA_REFUSED(name, params)                                                                       \
    cudaError_t name params                                                                        \
    {                                                                                              \
        return runtime_leave(runtime_refused(#name, "no GPU draws here (docs/guide/limits.md)"));  \
    }
#include "heddle/runtime_functions.def"
