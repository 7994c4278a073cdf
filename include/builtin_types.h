/* One of CUDA's older header names: everything is in cuda_runtime.h. */
#ifndef __BUILTIN_TYPES_H__
#define __BUILTIN_TYPES_H__

#include "cuda_runtime.h"

#endif
