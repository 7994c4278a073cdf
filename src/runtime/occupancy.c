/* Occupancy (CUDA Runtime API reference, chapter "Occupancy"). The rule itself: device/occupancy.h, through the engine. */
#include "device/occupancy.h"
#include "runtime/module.h"
#include "runtime/runtime.h"

static cudaError_t blocks_of(struct runtime_device *d, const void *func, int threads, size_t shared, int *blocks)
{
    struct runtime_kernel *k;
    if (threads <= 0)
        return cudaErrorInvalidValue;
    cudaError_t e = module_kernel(d, func, &k);
    if (!e && shared > k->max_dynamic_shared) { /* such a launch is refused: the program has to ask for more first */
        *blocks = 0;
        return cudaSuccess;
    }
    return e ? e : runtime_error(heddle_occupancy(k->kernel, threads, shared, blocks));
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *numBlocks, const void *func, int blockSize,
                                                                   size_t dynamicSMemSize, unsigned int flags)
{
    ENTER(d);
    if (!numBlocks || flags & ~(unsigned)cudaOccupancyDisableCachingOverride)
        return runtime_leave(cudaErrorInvalidValue);
    return runtime_leave(blocks_of(d, func, blockSize, dynamicSMemSize, numBlocks));
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *numBlocks, const void *func, int blockSize,
                                                          size_t dynamicSMemSize)
{
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(numBlocks, func, blockSize, dynamicSMemSize,
                                                                  cudaOccupancyDefault);
}

/* The most dynamic shared memory with which numBlocks still fit; resident blocks only fall as memory grows. */
cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *dynamicSmemSize, const void *func, int numBlocks,
                                                      int blockSize)
{
    ENTER(d);
    int blocks = 0;
    if (!dynamicSmemSize || numBlocks <= 0)
        return runtime_leave(cudaErrorInvalidValue);
    cudaError_t e = blocks_of(d, func, blockSize, 0, &blocks);
    if (e || blocks < numBlocks)
        return runtime_leave(e ? e : cudaErrorInvalidValue);
    size_t fits = 0, too_much = (size_t)d->spec->max_shared_per_block_optin + 1;
    while (too_much - fits > 1) {
        size_t mid = fits + (too_much - fits) / 2;
        e = blocks_of(d, func, blockSize, mid, &blocks);
        if (e)
            return runtime_leave(e);
        if (blocks >= numBlocks)
            fits = mid;
        else
            too_much = mid;
    }
    *dynamicSmemSize = fits;
    return cudaSuccess;
}
