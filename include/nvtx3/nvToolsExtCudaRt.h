/* NVTX 3, where it is looked for. */
#include "../nvToolsExtCudaRt.h"
