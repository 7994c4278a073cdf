/* Number formats of cuSPARSE, and the few that it computes with here.
 *
 * Sums are computed in one of five formats (enum compute); arrays in another one are widened before and rounded once behind. */
#ifndef CUSPARSE_TYPES_H
#define CUSPARSE_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cusparse.h"
#include "runtime/library.h"

enum compute { COMPUTE_F32, COMPUTE_F64, COMPUTE_C32, COMPUTE_C64, COMPUTE_I32, COMPUTES };

/* Bytes of an element; 0: cuSPARSE has no such format. */
int type_bytes(cudaDataType type);

bool type_is_complex(cudaDataType type);

/* The format that computes for a compute type of the interface; COMPUTES: there is none. */
enum compute type_compute(cudaDataType type);
int compute_bytes(enum compute c);
enum library_peak compute_peak(enum compute c, cudaDataType stored);

/* May arrays of that format be widened to `c`? */
bool type_widens(cudaDataType type, enum compute c);

/* Is an array of that format one of `c` already? */
bool type_is(cudaDataType type, enum compute c);

/* n elements to the format that computes, and back. `from` and `to` do not overlap. */
void type_widen(cudaDataType type, enum compute c, const void *from, void *to, int64_t n);
void type_narrow(cudaDataType type, enum compute c, const void *from, void *to, int64_t n);

/* Is a number 0? By its bits: of floating-point numbers without the sign. */
bool type_is_zero(cudaDataType type, const void *value);

#endif
