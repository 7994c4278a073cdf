/* Declarations of the functions of cuSOLVER that are not there (cusolver_functions.def), for the headers of all its parts. */
#ifndef HEDDLE_CUSOLVER_MISSING_H
#define HEDDLE_CUSOLVER_MISSING_H

#include "cusolver_common.h"

#pragma GCC visibility push(default)
#if defined(__cplusplus)
extern "C" {
#define CUSOLVER_NOT_THERE(name) cusolverStatus_t name(...);
#else
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wstrict-prototypes"
#define CUSOLVER_NOT_THERE(name) cusolverStatus_t name();
#endif
#include "heddle/cusolver_functions.def"
#if defined(__cplusplus)
}
#else
#pragma GCC diagnostic pop
#endif
#pragma GCC visibility pop

#endif
