/* One of CUDA's older header names: everything is in cuda_runtime.h. */
#ifndef __SM_61_INTRINSICS_H__
#define __SM_61_INTRINSICS_H__

#include "cuda_runtime.h"

#endif
