/* The CUDA driver interface: for now only its version.
 *
 * cuInit, cuModuleLoad, cuLaunchKernel and the rest of the driver interface are not there yet: a program that calls
 * them gets "use of undeclared identifier" from the compiler, with file and line. */
#ifndef __cuda_cuda_h__
#define __cuda_cuda_h__

#include <stdint.h>
#include <stdlib.h>

#define CUDA_VERSION 12040

typedef unsigned int cuuint32_t;
typedef unsigned long long cuuint64_t;

#endif
