/* What the files of cuBLAS share: the handle, and statuses. */
#ifndef CUBLAS_HANDLE_H
#define CUBLAS_HANDLE_H

#include <stdbool.h>
#include <stdint.h>

#include "cublas_api.h"
#include "libraries/linear/call.h"

struct cublasContext {
    uint32_t mark; /* HANDLE_MARK while it is one */
    cudaStream_t stream;
    cublasPointerMode_t pointers;
    cublasAtomicsMode_t atomics;
    cublasMath_t math;
    int sm_count;
    void *workspace;
    size_t workspace_bytes;
};

bool handle_is_one(cublasHandle_t h);

/* --- checks.c --- */

/* What cuBLAS refuses that is no bad size. */
cublasStatus_t check_call(const struct linear_routine *r, const struct linear_argument *a, int n);

/* May products of floats be of numbers that TF32 holds, by the handle's mode or the compute type? */
bool check_tf32(cublasMath_t math, const struct linear_argument *a, int n);

/* --- cublas.c --- */

/* The call of a routine by the handle's settings. */
cublasStatus_t handle_call(cublasHandle_t h, const struct linear_routine *r, const struct linear_argument *a, int n);

/* Tells the loggers of a call, if there are any. */
void handle_log(const char *function, cublasStatus_t s);

#endif
