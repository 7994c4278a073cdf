/* The functions of cuBLAS that are not there, made from include/heddle/cublas_functions.def: each says its name once. */
#include "cublas_api.h"
#include "runtime/library.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"

#define CUBLAS_NOT_THERE(name, params)      \
    cublasStatus_t name params              \
    {                                       \
        library_refuse(#name);              \
        return CUBLAS_STATUS_NOT_SUPPORTED; \
    }
#include "heddle/cublas_functions.def"
