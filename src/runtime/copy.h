/* Copies and fills for other rooms, and as commands for what puts them into a queue later (graph_nodes.c). */
#ifndef RUNTIME_COPY_H
#define RUNTIME_COPY_H

#include "runtime/queue.h"

/* Fills `height` rows, `pitch` bytes apart, of `width` values of `unit` bytes (1, 2, 4; rows are aligned to them). */
cudaError_t copy_fill(void *ptr, size_t pitch, uint32_t value, unsigned unit, size_t width, size_t height,
                      cudaStream_t stream);

/* What a copy of boxes does, after the checks of cudaMemcpy3DAsync; a fill of rows, after those of cudaMemset2DAsync. *out:
 * NULL when there is nothing to do, or with an error. */
cudaError_t copy_command(const struct cudaMemcpy3DParms *p, struct command **out);
cudaError_t fill_command(const struct cudaMemsetParams *p, struct command **out);

/* cudaMemcpyAsync as a copy of boxes. */
struct cudaMemcpy3DParms copy_of_bytes(void *dst, const void *src, size_t count, enum cudaMemcpyKind kind);

/* The part [offset, offset + count) of a variable of the program. */
cudaError_t copy_symbol_part(struct runtime_device *d, const void *symbol, size_t count, size_t offset, void **at);

#endif
