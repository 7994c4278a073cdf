/* Copies of boxes in the runtime's words, for nodes of graphs. */
#ifndef DRIVER_COPY_H
#define DRIVER_COPY_H

#include "driver/driver.h"

/* What cuMemcpy3D takes as what cudaMemcpy3D takes; CUDA_ERROR_INVALID_VALUE: a side does not hold the box. Arrays are named
 * where the copy is of whole texels, and are their rows of bytes otherwise. */
CUresult copy_params(const CUDA_MEMCPY3D *p, struct cudaMemcpy3DParms *out);

/* And the way back. */
void copy_description(const struct cudaMemcpy3DParms *p, CUDA_MEMCPY3D *out);

#endif
