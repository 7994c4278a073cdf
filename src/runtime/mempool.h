/* Memory pools of the stream-ordered allocator: what belongs to which pool, limits and figures.
 *
 * A pool here is a count: memory comes from the device at once and goes back at once, so nothing is cached, the release
 * threshold and the reuse flags change nothing, and what is reserved is what is used, in granules of the device. */
#ifndef RUNTIME_MEMPOOL_H
#define RUNTIME_MEMPOOL_H

#include "runtime/runtime.h"

struct mempool;

/* The pool of a handle, or NULL: none, or destroyed. */
struct mempool *mempool_of(cudaMemPool_t handle);

/* The pool that cudaMallocAsync takes from on this device. */
struct mempool *mempool_current(struct runtime_device *d);
struct runtime_device *mempool_device(const struct mempool *p);

/* Takes `bytes` out of the pool's limit before the allocation, and says afterwards where it is (0: it failed). */
cudaError_t mempool_take(struct mempool *p, size_t bytes);
void mempool_taken(struct mempool *p, uint64_t address, size_t bytes);

/* The allocation at this address goes back; nothing happens when it is not of a pool. */
void mempool_give(uint64_t address);

/* Is it an allocation of another process, which cudaMemPoolImportPointer has opened? */
bool mempool_imported(uint64_t address);

/* cudaDeviceReset: the default pool is current again, and nothing is used. */
void mempool_reset(struct runtime_device *d);

#endif
