/* What the files of cuSOLVER share: the handle, and calls of routines. */
#ifndef CUSOLVER_SOLVER_H
#define CUSOLVER_SOLVER_H

#include "cusolverDn.h"
#include "libraries/linear/call.h"

/* A routine of heddle/cusolver_routines.def; one named "room" answers how much memory its call needs. */
cusolverStatus_t solver_call(cusolverDnHandle_t h, const struct linear_routine *r, const struct linear_argument *a, int n);

#endif
