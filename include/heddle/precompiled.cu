/* What Heddle precompiles once and loads instead of -include cuda_runtime.h. */
#include "cuda_runtime.h"
