/* Arithmetic of NCCL's reductions: the types, the operations, on memory of the host. */
#ifndef NCCL_REDUCE_H
#define NCCL_REDUCE_H

#include <stdbool.h>
#include <stddef.h>

#include "nccl.h"

/* Bytes of an element; 0: no such type. */
size_t reduce_size(ncclDataType_t type);

/* What is done with each rank's elements before they are summed, and with the sum. */
struct reduction {
    ncclRedOp_t op; /* ncclSum, ncclProd, ncclMax, ncclMin */
    bool scaled;    /* elements are multiplied by `scale`, a value of the type, rounded to it */
    char scale[8];
    int divide;     /* integers: the sum is divided by this number, towards zero; 0: it is not */
};

/* ncclAvg over n ranks: the sum of elements times 1/n, of integers the sum over n (NCCL user guide, ncclRedOp_t; its order of the two
 * is not documented, this one is the one of its sources). */
struct reduction reduce_average(ncclDataType_t type, int n);

/* v[i] = scale * v[i] */
void reduce_scale(ncclDataType_t type, void *v, size_t n, const char scale[8]);

/* to[i] = to[i] OP from[i], each result rounded to the type. Integers wrap; of a number and a NaN the largest and the smallest is
 * the number. */
void reduce_add(ncclDataType_t type, ncclRedOp_t op, void *to, const void *from, size_t n);

/* v[i] = v[i] / by */
void reduce_divide(ncclDataType_t type, void *v, size_t n, int by);

#endif
