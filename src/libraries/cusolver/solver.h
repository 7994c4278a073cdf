/* What the files of cuSOLVER share: handles, and calls of routines. */
#ifndef CUSOLVER_SOLVER_H
#define CUSOLVER_SOLVER_H

#include "cusolverDn.h"
#include "libraries/linear/call.h"

/* What every part's handle begins with. The mark tells the part. */
struct solver_handle {
    uint32_t mark;
    cudaStream_t stream;
};

/* A handle of `bytes` bytes, zero behind its beginning; opens the device and the host's LAPACK. */
cusolverStatus_t solver_open(uint32_t mark, size_t bytes, void **handle);
bool solver_is(const struct solver_handle *h, uint32_t mark);

/* Of a handle that is one. */
void solver_close(struct solver_handle *h);

/* A routine of heddle/cusolver_routines.def; one named "room" answers how much memory its call needs. */
cusolverStatus_t solver_call(cusolverDnHandle_t h, const struct linear_routine *r, const struct linear_argument *a, int n);

#endif
