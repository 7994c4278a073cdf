/* Elements of arrays by their cudaDataType: sizes, and conversions from one to another. */
#ifndef LINEAR_ELEMENTS_H
#define LINEAR_ELEMENTS_H

#include <stdbool.h>
#include <stddef.h>

#include "library_types.h"

/* Bytes of one; 0: no type that is known here. */
size_t element_bytes(cudaDataType t);
bool element_is_complex(cudaDataType t);
bool element_is_integer(cudaDataType t);

/* n elements, the i-th at from + i * from_step bytes. To nearest even; what is too large for integers and 8-bit floats is the largest there is. The
 * imaginary part goes where `to` has none. */
void elements_convert(cudaDataType to_type, void *to, ptrdiff_t to_step, cudaDataType from_type, const void *from, ptrdiff_t from_step, size_t n);

/* n floats to the nearest numbers with the 10 bits of TF32, halfway cases away from zero, in place (PTX ISA, cvt.rna.tf32.f32). */
void elements_round_tf32(float *x, size_t n);

/* One number, of any type, as its real and imaginary part. */
void element_load(cudaDataType t, const void *from, double part[2]);
void element_store(cudaDataType t, void *to, const double part[2]);

#endif
