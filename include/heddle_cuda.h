/* From CUDA's devices to the engine's (heddle/heddle.h), for programs that use both: libheddle-cudart and libheddle. */
#ifndef HEDDLE_CUDA_H
#define HEDDLE_CUDA_H

#include <heddle/heddle.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The device that CUDA calls of this process have as number `index`, opened if it was not yet: to observe the launches of
 * a CUDA program. It stays CUDA's own: not to be closed. HEDDLE_NO_DEVICE: CUDA has no such device. */
HEDDLE_API heddle_status heddle_cuda_device(int index, heddle_device **out);

#ifdef __cplusplus
}
#endif

#endif
