/* How a conversion rounds, where a function takes that as an argument (CUDA's device_types.h). */
#ifndef __DEVICE_TYPES_H__
#define __DEVICE_TYPES_H__

#include "host_defines.h"

enum cudaRoundMode {
    cudaRoundNearest = 0,
    cudaRoundZero = 1,
    cudaRoundPosInf = 2,
    cudaRoundMinInf = 3
};

#endif
