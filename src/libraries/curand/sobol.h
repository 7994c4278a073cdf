/* Direction vectors of Sobol's sequences, for generators and for programs that ask. */
#ifndef LIBRARIES_CURAND_SOBOL_H
#define LIBRARIES_CURAND_SOBOL_H

#include "libraries/curand/generator.h"

/* The vectors of the first dimensions, 32 (wide: 64) words each: uint32_t or uint64_t. NULL: no memory. The caller frees. */
void *sobol_vectors(unsigned dimensions, bool wide);

#endif
