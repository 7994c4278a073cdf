/* What other rooms ask of copies and fills. */
#ifndef RUNTIME_COPY_H
#define RUNTIME_COPY_H

#include "runtime/runtime.h"

/* Fills `height` rows, `pitch` bytes apart, of `width` values of `unit` bytes (1, 2, 4; rows are aligned to them). */
cudaError_t copy_fill(void *ptr, size_t pitch, uint32_t value, unsigned unit, size_t width, size_t height,
                      cudaStream_t stream);

#endif
