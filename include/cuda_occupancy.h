/* CUDA's occupancy calculator as a header: how many blocks of a kernel a multiprocessor holds, from figures alone.
 *
 * In: what a device has (cudaDeviceProp converts), what a kernel takes (cudaFuncAttributes converts). Out: blocks by each
 * resource and the least of them. For compute capabilities 3.0 to 12.x; the rules are those of docs/occupancy.md.
 * What differs from CUDA's: preferences between shared memory and L1, and partitioned global caching of 5.2, are taken as
 * the hints that they are; all of a multiprocessor's shared memory is at hand. */
#ifndef __cuda_occupancy_h__
#define __cuda_occupancy_h__

#include <limits.h>
#include <stddef.h>

#define __CUDA_OCC_MAJOR__ 12
#define __CUDA_OCC_MINOR__ 1

#if defined(__CUDACC__)
#define __HEDDLE_OCC static inline __host__ __device__ __attribute__((unused))
#define __HEDDLE_OCC_MEMBER inline __host__ __device__
#else
#define __HEDDLE_OCC static inline __attribute__((unused))
#define __HEDDLE_OCC_MEMBER inline
#endif

typedef enum cudaOccError_enum {
    CUDA_OCC_SUCCESS = 0,
    CUDA_OCC_ERROR_INVALID_INPUT = 1,
    CUDA_OCC_ERROR_UNKNOWN_DEVICE = 2
} cudaOccError;

typedef enum cudaOccPartitionedGCConfig_enum {
    PARTITIONED_GC_OFF,
    PARTITIONED_GC_ON,
    PARTITIONED_GC_ON_STRICT
} cudaOccPartitionedGCConfig;

typedef enum cudaOccPartitionedGCSupport_enum {
    PARTITIONED_GC_NOT_SUPPORTED,
    PARTITIONED_GC_SUPPORTED
} cudaOccPartitionedGCSupport;

typedef enum cudaOccFuncShmemConfig_enum {
    FUNC_SHMEM_LIMIT_DEFAULT, /* a block has at most sharedMemPerBlock */
    FUNC_SHMEM_LIMIT_OPTIN    /* at most sharedMemPerBlockOptin */
} cudaOccFuncShmemConfig;

typedef enum cudaOccCacheConfig_enum {
    CACHE_PREFER_NONE = 0,
    CACHE_PREFER_SHARED = 1,
    CACHE_PREFER_L1 = 2,
    CACHE_PREFER_EQUAL = 3
} cudaOccCacheConfig;

typedef enum cudaOccCarveoutConfig_enum {
    SHAREDMEM_CARVEOUT_DEFAULT = -1,
    SHAREDMEM_CARVEOUT_MAX_L1 = 0,
    SHAREDMEM_CARVEOUT_HALF = 50,
    SHAREDMEM_CARVEOUT_MAX_SHARED = 100
} cudaOccCarveoutConfig;

typedef enum cudaOccLimitingFactor_enum {
    OCC_LIMIT_WARPS = 0x01,
    OCC_LIMIT_REGISTERS = 0x02,
    OCC_LIMIT_SHARED_MEMORY = 0x04,
    OCC_LIMIT_BLOCKS = 0x08,
    OCC_LIMIT_BARRIERS = 0x10,
    OCC_LIMIT_VIRTUAL_RESOURCES = 0x20
} cudaOccLimitingFactor;

typedef struct cudaOccDeviceProp {
    int computeMajor, computeMinor;
    int maxThreadsPerBlock, maxThreadsPerMultiprocessor;
    int regsPerBlock, regsPerMultiprocessor;
    int warpSize;
    size_t sharedMemPerBlock, sharedMemPerMultiprocessor; /* bytes */
    int numSms;
    size_t sharedMemPerBlockOptin, reservedSharedMemPerBlock;
#if defined(__cplusplus)
    __HEDDLE_OCC_MEMBER cudaOccDeviceProp()
        : computeMajor(0), computeMinor(0), maxThreadsPerBlock(0), maxThreadsPerMultiprocessor(0), regsPerBlock(0),
          regsPerMultiprocessor(0), warpSize(0), sharedMemPerBlock(0), sharedMemPerMultiprocessor(0), numSms(0),
          sharedMemPerBlockOptin(0), reservedSharedMemPerBlock(0) {}
    template <class Properties>
    __HEDDLE_OCC_MEMBER cudaOccDeviceProp(const Properties &p)
        : computeMajor(p.major), computeMinor(p.minor), maxThreadsPerBlock(p.maxThreadsPerBlock),
          maxThreadsPerMultiprocessor(p.maxThreadsPerMultiProcessor), regsPerBlock(p.regsPerBlock),
          regsPerMultiprocessor(p.regsPerMultiprocessor), warpSize(p.warpSize), sharedMemPerBlock(p.sharedMemPerBlock),
          sharedMemPerMultiprocessor(p.sharedMemPerMultiprocessor), numSms(p.multiProcessorCount),
          sharedMemPerBlockOptin(p.sharedMemPerBlockOptin), reservedSharedMemPerBlock(p.reservedSharedMemPerBlock) {}
#endif
} cudaOccDeviceProp;

typedef struct cudaOccFuncAttributes {
    int maxThreadsPerBlock; /* INT_MAX: as many as the device has */
    int numRegs;            /* a thread */
    size_t sharedSizeBytes; /* static */
    cudaOccPartitionedGCConfig partitionedGCConfig;
    cudaOccFuncShmemConfig shmemLimitConfig;
    size_t maxDynamicSharedSizeBytes;
    int numBlockBarriers;
    int virtualResourceCount;
#if defined(__cplusplus)
    __HEDDLE_OCC_MEMBER cudaOccFuncAttributes()
        : maxThreadsPerBlock(0), numRegs(0), sharedSizeBytes(0), partitionedGCConfig(PARTITIONED_GC_OFF),
          shmemLimitConfig(FUNC_SHMEM_LIMIT_DEFAULT), maxDynamicSharedSizeBytes(0), numBlockBarriers(0), virtualResourceCount(0) {}
    template <class Attributes>
    __HEDDLE_OCC_MEMBER cudaOccFuncAttributes(const Attributes &a)
        : maxThreadsPerBlock(a.maxThreadsPerBlock), numRegs(a.numRegs), sharedSizeBytes(a.sharedSizeBytes),
          partitionedGCConfig(PARTITIONED_GC_OFF), shmemLimitConfig(FUNC_SHMEM_LIMIT_OPTIN),
          maxDynamicSharedSizeBytes((size_t)a.maxDynamicSharedSizeBytes), numBlockBarriers(1), virtualResourceCount(0) {}
#endif
} cudaOccFuncAttributes;

typedef struct cudaOccDeviceState {
    cudaOccCacheConfig cacheConfig;
    int carveoutConfig;
#if defined(__cplusplus)
    __HEDDLE_OCC_MEMBER cudaOccDeviceState() : cacheConfig(CACHE_PREFER_NONE), carveoutConfig(SHAREDMEM_CARVEOUT_DEFAULT) {}
#endif
} cudaOccDeviceState;

typedef struct cudaOccResult {
    int activeBlocksPerMultiprocessor;
    unsigned int limitingFactors; /* bits of cudaOccLimitingFactor: all that give the least */
    int blockLimitRegs, blockLimitSharedMem, blockLimitWarps, blockLimitBlocks, blockLimitBarriers, blockLimitVirtual;
    int allocatedRegistersPerBlock;
    size_t allocatedSharedMemPerBlock;
    cudaOccPartitionedGCConfig partitionedGCConfig;
} cudaOccResult;

/* ---- what a compute capability has beyond its properties (CUDA C++ Programming Guide, "Technical Specifications per
 * Compute Capability") ---- */

__HEDDLE_OCC int __heddle_occ_blocks(const cudaOccDeviceProp *p)
{
    switch (p->computeMajor * 10 + p->computeMinor) {
    case 75: case 86: case 87: return 16;
    case 89: case 101: case 110: return 24;
    default: return p->computeMajor == 3 ? 16 : p->computeMajor == 12 ? 24 : 32;
    }
}

/* Before 9.0 barriers limit nothing: each block has all it can name. */
__HEDDLE_OCC int __heddle_occ_barriers(const cudaOccDeviceProp *p, const cudaOccFuncAttributes *a)
{
    const int blocks = __heddle_occ_blocks(p);
    return p->computeMajor < 9 || !a->numBlockBarriers ? INT_MAX : (blocks == 24 ? blocks : 2 * blocks) / a->numBlockBarriers;
}

/* parts of a multiprocessor, each with its warps and registers */
__HEDDLE_OCC int __heddle_occ_parts(const cudaOccDeviceProp *p)
{
    return p->computeMajor == 6 && p->computeMinor == 0 ? 2 : 4;
}

/* ---- blocks that fit ---- */

__HEDDLE_OCC cudaOccError __heddle_occ_valid(const cudaOccDeviceProp *p, const cudaOccFuncAttributes *a, const cudaOccDeviceState *s)
{
    if (!p || !a || !s || p->maxThreadsPerBlock <= 0 || p->maxThreadsPerMultiprocessor <= 0 || p->regsPerBlock <= 0 ||
        p->regsPerMultiprocessor <= 0 || p->warpSize <= 0 || p->numSms <= 0 || a->maxThreadsPerBlock <= 0 || a->numRegs < 0 ||
        a->numBlockBarriers < 0)
        return CUDA_OCC_ERROR_INVALID_INPUT;
    if (p->computeMajor < 3 || p->computeMajor == 4 || p->computeMajor > 12)
        return CUDA_OCC_ERROR_UNKNOWN_DEVICE;
    return CUDA_OCC_SUCCESS;
}

__HEDDLE_OCC void __heddle_occ_registers(cudaOccResult *r, const cudaOccDeviceProp *p, int registers, int warps)
{
    const int a_warp = (registers * p->warpSize + 255) / 256 * 256, parts = __heddle_occ_parts(p);
    const int warps_of_a_part = a_warp ? p->regsPerMultiprocessor / parts / a_warp : 0;

    r->allocatedRegistersPerBlock = a_warp * warps;
    if (!registers)
        r->blockLimitRegs = INT_MAX;
    else if (registers > (p->computeMajor < 7 ? 255 : 256) || a_warp * ((warps + parts - 1) / parts * parts) > p->regsPerBlock)
        r->blockLimitRegs = 0;
    else
        r->blockLimitRegs = warps_of_a_part * parts / warps;
}

__HEDDLE_OCC void __heddle_occ_shared(cudaOccResult *r, const cudaOccDeviceProp *p, const cudaOccFuncAttributes *a, size_t dynamic)
{
    const size_t unit = p->computeMajor >= 8 ? 128 : 256, of_kernel = a->sharedSizeBytes + dynamic;
    const size_t most = a->shmemLimitConfig == FUNC_SHMEM_LIMIT_OPTIN && p->computeMajor >= 7 ? p->sharedMemPerBlockOptin : p->sharedMemPerBlock;
    const size_t granted = (of_kernel + p->reservedSharedMemPerBlock + unit - 1) / unit * unit;

    r->allocatedSharedMemPerBlock = granted;
    r->blockLimitSharedMem = of_kernel > most ? 0 : granted ? (int)(p->sharedMemPerMultiprocessor / granted) : INT_MAX;
}

__HEDDLE_OCC cudaOccError cudaOccMaxActiveBlocksPerMultiprocessor(cudaOccResult *r, const cudaOccDeviceProp *p, const cudaOccFuncAttributes *a,
                                                                  const cudaOccDeviceState *s, int blockSize, size_t dynamicSmemSize)
{
    const cudaOccError e = __heddle_occ_valid(p, a, s);
    if (e || !r || blockSize <= 0)
        return e ? e : CUDA_OCC_ERROR_INVALID_INPUT;

    const int warps = (blockSize + p->warpSize - 1) / p->warpSize;
    const int most = a->maxThreadsPerBlock < p->maxThreadsPerBlock ? a->maxThreadsPerBlock : p->maxThreadsPerBlock;
    r->blockLimitWarps = blockSize > most ? 0 : p->maxThreadsPerMultiprocessor / p->warpSize / warps;
    r->blockLimitBlocks = __heddle_occ_blocks(p);
    r->blockLimitBarriers = __heddle_occ_barriers(p, a);
    r->blockLimitVirtual = INT_MAX;
    r->partitionedGCConfig = PARTITIONED_GC_OFF;
    __heddle_occ_registers(r, p, a->numRegs, warps);
    __heddle_occ_shared(r, p, a, dynamicSmemSize);

    int least = r->blockLimitWarps;
    r->limitingFactors = 0;
#define LIMIT(field) least = r->field < least ? r->field : least;
    LIMIT(blockLimitRegs) LIMIT(blockLimitSharedMem) LIMIT(blockLimitBlocks) LIMIT(blockLimitBarriers)
#undef LIMIT
#define LIMIT(field, bit) r->limitingFactors |= r->field == least ? (unsigned int)bit : 0;
    LIMIT(blockLimitWarps, OCC_LIMIT_WARPS) LIMIT(blockLimitRegs, OCC_LIMIT_REGISTERS) LIMIT(blockLimitSharedMem, OCC_LIMIT_SHARED_MEMORY)
    LIMIT(blockLimitBlocks, OCC_LIMIT_BLOCKS) LIMIT(blockLimitBarriers, OCC_LIMIT_BARRIERS)
#undef LIMIT
    r->activeBlocksPerMultiprocessor = least;
    return CUDA_OCC_SUCCESS;
}

/* ---- the other way round ---- */

/* The most dynamic shared memory a block may have so that `numBlocks` of them fit. */
__HEDDLE_OCC cudaOccError cudaOccAvailableDynamicSMemPerBlock(size_t *dynamicSmemSize, const cudaOccDeviceProp *p, const cudaOccFuncAttributes *a,
                                                              const cudaOccDeviceState *s, int numBlocks, int blockSize)
{
    cudaOccResult r;
    const cudaOccError e = cudaOccMaxActiveBlocksPerMultiprocessor(&r, p, a, s, blockSize, 0);
    if (e || !dynamicSmemSize || numBlocks <= 0)
        return e ? e : CUDA_OCC_ERROR_INVALID_INPUT;
    const size_t unit = p->computeMajor >= 8 ? 128 : 256, share = p->sharedMemPerMultiprocessor / (size_t)numBlocks / unit * unit;
    const size_t block = (a->shmemLimitConfig == FUNC_SHMEM_LIMIT_OPTIN && p->computeMajor >= 7 ? p->sharedMemPerBlockOptin : p->sharedMemPerBlock);
    const size_t most = block + p->reservedSharedMemPerBlock, least = share < most ? share : most;
    if (numBlocks > r.blockLimitWarps || numBlocks > r.blockLimitRegs || numBlocks > r.blockLimitBlocks || numBlocks > r.blockLimitBarriers)
        return CUDA_OCC_ERROR_INVALID_INPUT;
    *dynamicSmemSize = least > a->sharedSizeBytes ? least - a->sharedSizeBytes : 0;
    return CUDA_OCC_SUCCESS;
}

/* The block size, in whole warps, with the most resident threads, the largest of several, and the blocks that fill the device. */
#define __HEDDLE_OCC_BEST(shared_of)                                                               \
    const cudaOccError valid = __heddle_occ_valid(p, a, s);                                        \
    if (valid || !minGridSize || !blockSize)                                                       \
        return valid ? valid : CUDA_OCC_ERROR_INVALID_INPUT;                                       \
    const int most = a->maxThreadsPerBlock < p->maxThreadsPerBlock ? a->maxThreadsPerBlock : p->maxThreadsPerBlock; \
    int threads = 0;                                                                               \
    for (int size = (most + p->warpSize - 1) / p->warpSize * p->warpSize; size > 0; size -= p->warpSize) { \
        const int n = size < most ? size : most;                                                   \
        cudaOccResult r;                                                                           \
        const cudaOccError e = cudaOccMaxActiveBlocksPerMultiprocessor(&r, p, a, s, n, shared_of); \
        if (e)                                                                                     \
            return e;                                                                              \
        if (r.activeBlocksPerMultiprocessor * n > threads) {                                       \
            threads = r.activeBlocksPerMultiprocessor * n;                                         \
            *blockSize = n;                                                                        \
            *minGridSize = r.activeBlocksPerMultiprocessor * p->numSms;                            \
        }                                                                                          \
        if (threads == p->maxThreadsPerMultiprocessor)                                             \
            break;                                                                                 \
    }                                                                                              \
    return CUDA_OCC_SUCCESS;

__HEDDLE_OCC cudaOccError cudaOccMaxPotentialOccupancyBlockSize(int *minGridSize, int *blockSize, const cudaOccDeviceProp *p, const cudaOccFuncAttributes *a,
                                                                const cudaOccDeviceState *s, size_t (*blockSizeToDynamicSMemSize)(int), size_t dynamicSMemSize)
{
    __HEDDLE_OCC_BEST(blockSizeToDynamicSMemSize ? blockSizeToDynamicSMemSize(n) : dynamicSMemSize)
}

#if defined(__cplusplus)
__HEDDLE_OCC cudaOccError cudaOccMaxPotentialOccupancyBlockSize(int *minGridSize, int *blockSize, const cudaOccDeviceProp *p, const cudaOccFuncAttributes *a,
                                                                const cudaOccDeviceState *s, size_t dynamicSMemSize = 0)
{
    __HEDDLE_OCC_BEST(dynamicSMemSize)
}

template <class Function>
__HEDDLE_OCC cudaOccError cudaOccMaxPotentialOccupancyBlockSizeVariableSMem(int *minGridSize, int *blockSize, const cudaOccDeviceProp *p, const cudaOccFuncAttributes *a,
                                                                            const cudaOccDeviceState *s, Function blockSizeToDynamicSMemSize)
{
    __HEDDLE_OCC_BEST(blockSizeToDynamicSMemSize(n))
}
#endif

#undef __HEDDLE_OCC_BEST
#undef __HEDDLE_OCC
#undef __HEDDLE_OCC_MEMBER

#endif
