/* CUDA arrays as copies see them: rows of texels in device memory. */
#ifndef RUNTIME_ARRAY_H
#define RUNTIME_ARRAY_H

#include "runtime/runtime.h"

/* The array's memory as a pitched pointer (ysize: rows from slice to slice), and the bytes of a texel; false: no array. */
bool array_rows(cudaArray_const_t a, struct cudaPitchedPtr *rows, size_t *texel);

/* True when the box at `at`, all in texels, lies within the array. */
bool array_holds(cudaArray_const_t a, struct cudaPos at, struct cudaExtent box);

#endif
