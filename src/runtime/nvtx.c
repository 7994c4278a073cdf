/* libnvToolsExt: the functions of NVTX's headers for callers that do not have them from our header. */
#define HEDDLE_NVTX __attribute__((visibility("default")))
#include "nvToolsExt.h"
#include "nvToolsExtCuda.h"
#include "nvToolsExtCudaRt.h"
