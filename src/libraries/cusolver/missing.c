/* The functions of cuSOLVER that are not there, made from include/heddle/cusolver_functions.def: each says its name once. Programs call
 * them with parameters of any kind, which are not looked at. */
#include "heddle/cusolver_missing.h"
#include "runtime/library.h"

#pragma GCC diagnostic ignored "-Wmissing-prototypes" /* declared without parameters */

#undef CUSOLVER_NOT_THERE
#define CUSOLVER_NOT_THERE(name)                  \
    cusolverStatus_t name(void)                   \
    {                                             \
        library_refuse(#name);                    \
        return CUSOLVER_STATUS_NOT_SUPPORTED;     \
    }
#include "heddle/cusolver_functions.def"
