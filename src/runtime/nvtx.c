/* libnvToolsExt: the functions of nvToolsExt.h for callers that do not have them from our header. */
#define HEDDLE_NVTX __attribute__((visibility("default")))
#include "nvToolsExt.h"
