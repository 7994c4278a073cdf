/* The functions of NCCL that are not there, made from include/heddle/nccl_functions.def: each says its name once. */
#include "nccl.h"
#include "runtime/library.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"

#define NCCL_NOT_THERE(name, params)  \
    ncclResult_t name params          \
    {                                 \
        library_refuse(#name);        \
        return ncclInvalidUsage;      \
    }
#include "heddle/nccl_functions.def"
