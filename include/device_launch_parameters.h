/* threadIdx, blockIdx, blockDim, gridDim, warpSize: clang's built-in variables (see heddle/device/device.h). In a file
 * that is not compiled as CUDA there are none. */
#ifndef __DEVICE_LAUNCH_PARAMETERS_H__
#define __DEVICE_LAUNCH_PARAMETERS_H__

#include "vector_types.h"

#endif
