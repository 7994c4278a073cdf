/* Launches, attributes of functions, occupancy (CUDA Driver API reference, "Execution Control", "Occupancy"). */
#include "base/alloc.h"
#include "device/device.h"
#include "driver/driver.h"
#include "driver/module.h"
#include "runtime/execution.h"

/* A handle of a kernel that can be used here: CUDA_ERROR_INVALID_HANDLE for anything else. */
static CUresult kernel_of(struct runtime_device *d, const void *f, struct runtime_kernel **k)
{
    cudaError_t e = f ? module_kernel(d, f, k) : cudaErrorInvalidDeviceFunction;
    return driver_result(e);
}

/* --- launches --- */

static CUresult launch(struct runtime_device *d, CUfunction f, const cudaLaunchConfig_t *config, void **params, void **extra)
{
    struct runtime_kernel *k;
    void **own = NULL;
    size_t bytes;
    CUresult r = kernel_of(d, f, &k);
    if (!r && params && extra)
        r = CUDA_ERROR_INVALID_VALUE;
    if (!r && extra)
        r = driver_result(launch_unpack(k, extra, &own, &bytes));
    if (!r) {
        r = driver_result(cudaLaunchKernelExC(config, f, own ? own : params));
        if (r == CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES) /* a shape that does not fit: the driver's word for it */
            r = CUDA_ERROR_INVALID_VALUE;
    }
    alloc_release(own);
    return r;
}

CUresult cuLaunchKernel(CUfunction f, unsigned int gridDimX, unsigned int gridDimY, unsigned int gridDimZ,
                        unsigned int blockDimX, unsigned int blockDimY, unsigned int blockDimZ,
                        unsigned int sharedMemBytes, CUstream hStream, void **kernelParams, void **extra)
{
    CONTEXT(c, d);
    const cudaLaunchConfig_t config = {{gridDimX, gridDimY, gridDimZ}, {blockDimX, blockDimY, blockDimZ}, sharedMemBytes,
                                       hStream, NULL, 0};
    return driver_leave(launch(d, f, &config, kernelParams, extra));
}

_Static_assert(sizeof(CUlaunchAttribute) == sizeof(cudaLaunchAttribute), "one layout");

/* Launch attributes have the same numbers and layout in both interfaces. */
CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction f, void **kernelParams, void **extra)
{
    CONTEXT(c, d);
    REQUIRE(config);
    const cudaLaunchConfig_t same = {{config->gridDimX, config->gridDimY, config->gridDimZ},
                                     {config->blockDimX, config->blockDimY, config->blockDimZ}, config->sharedMemBytes,
                                     config->hStream, (cudaLaunchAttribute *)config->attrs, config->numAttrs};
    return driver_leave(launch(d, f, &same, kernelParams, extra));
}

CUresult cuLaunchCooperativeKernel(CUfunction f, unsigned int gridDimX, unsigned int gridDimY, unsigned int gridDimZ,
                                   unsigned int blockDimX, unsigned int blockDimY, unsigned int blockDimZ,
                                   unsigned int sharedMemBytes, CUstream hStream, void **kernelParams)
{
    CONTEXT(c, d);
    cudaLaunchAttribute cooperative = {.id = cudaLaunchAttributeCooperative, .val.cooperative = 1};
    const cudaLaunchConfig_t config = {{gridDimX, gridDimY, gridDimZ}, {blockDimX, blockDimY, blockDimZ}, sharedMemBytes,
                                       hStream, &cooperative, 1};
    return driver_leave(launch(d, f, &config, kernelParams, NULL));
}

/* --- attributes --- */

static bool read_attribute(CUfunction_attribute which, const struct cudaFuncAttributes *a, int *value)
{
    switch (which) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
        *value = a->maxThreadsPerBlock;
        return true;
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
        *value = (int)a->sharedSizeBytes;
        return true;
    case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
        *value = (int)a->constSizeBytes;
        return true;
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
        *value = (int)a->localSizeBytes;
        return true;
    case CU_FUNC_ATTRIBUTE_NUM_REGS:
        *value = a->numRegs;
        return true;
    case CU_FUNC_ATTRIBUTE_PTX_VERSION:
        *value = a->ptxVersion;
        return true;
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
        *value = a->binaryVersion;
        return true;
    case CU_FUNC_ATTRIBUTE_CACHE_MODE_CA:
        *value = a->cacheModeCA;
        return true;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
        *value = a->maxDynamicSharedSizeBytes;
        return true;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
        *value = a->preferredShmemCarveout;
        return true;
    case CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET: /* there are no clusters */
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH:
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT:
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH:
    case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
    case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
        *value = 0;
        return true;
    default:
        return false;
    }
}

CUresult cuFuncGetAttribute(int *pi, CUfunction_attribute attrib, CUfunction hfunc)
{
    CONTEXT(c, d);
    struct runtime_kernel *k;
    struct cudaFuncAttributes a;
    REQUIRE(pi && (unsigned)attrib < CU_FUNC_ATTRIBUTE_MAX);
    CUresult r = kernel_of(d, hfunc, &k);
    r = r ? r : driver_result(cudaFuncGetAttributes(&a, hfunc));
    if (!r && !read_attribute(attrib, &a, pi))
        r = CUDA_ERROR_INVALID_VALUE;
    return driver_leave(r);
}

/* Attributes that can be set have the same numbers in both interfaces. */
CUresult cuFuncSetAttribute(CUfunction hfunc, CUfunction_attribute attrib, int value)
{
    CONTEXT(c, d);
    struct runtime_kernel *k;
    CUresult r = kernel_of(d, hfunc, &k);
    return r ? driver_leave(r) : driver_return(cudaFuncSetAttribute(hfunc, (enum cudaFuncAttribute)attrib, value));
}

CUresult cuFuncSetCacheConfig(CUfunction hfunc, CUfunc_cache config)
{
    CONTEXT(c, d);
    return driver_return(cudaFuncSetCacheConfig(hfunc, (enum cudaFuncCache)config));
}

CUresult cuFuncSetSharedMemConfig(CUfunction hfunc, CUsharedconfig config)
{
    CONTEXT(c, d);
    return driver_return(cudaFuncSetSharedMemConfig(hfunc, (enum cudaSharedMemConfig)config));
}

CUresult cuFuncGetName(const char **name, CUfunction hfunc)
{
    CONTEXT(c, d);
    return driver_return(cudaFuncGetName(name, hfunc));
}

CUresult cuFuncGetParamInfo(CUfunction func, size_t paramIndex, size_t *paramOffset, size_t *paramSize)
{
    CONTEXT(c, d);
    return driver_return(cudaFuncGetParamInfo(func, paramIndex, paramOffset, paramSize));
}

CUresult cuFuncGetModule(CUmodule *hmod, CUfunction hfunc)
{
    CONTEXT(c, d);
    REQUIRE(hmod);
    struct binary *code = module_of(hfunc);
    if (!code)
        return driver_leave(CUDA_ERROR_INVALID_HANDLE);
    *hmod = module_for(code, c);
    return CUDA_SUCCESS;
}

/* A function is loaded with its module. */
CUresult cuFuncIsLoaded(CUfunctionLoadingState *state, CUfunction function)
{
    CONTEXT(c, d);
    struct runtime_kernel *k;
    REQUIRE(state);
    CUresult r = kernel_of(d, function, &k);
    if (!r)
        *state = CU_FUNCTION_LOADING_STATE_LOADED;
    return driver_leave(r);
}

CUresult cuFuncLoad(CUfunction function)
{
    CONTEXT(c, d);
    struct runtime_kernel *k;
    return driver_leave(kernel_of(d, function, &k));
}

/* --- occupancy --- */

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *numBlocks, CUfunction func, int blockSize,
                                                              size_t dynamicSMemSize, unsigned int flags)
{
    CONTEXT(c, d);
    return driver_return(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(numBlocks, func, blockSize, dynamicSMemSize, flags));
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *numBlocks, CUfunction func, int blockSize, size_t dynamicSMemSize)
{
    CONTEXT(c, d);
    return driver_return(cudaOccupancyMaxActiveBlocksPerMultiprocessor(numBlocks, func, blockSize, dynamicSMemSize));
}

CUresult cuOccupancyAvailableDynamicSMemPerBlock(size_t *dynamicSmemSize, CUfunction func, int numBlocks, int blockSize)
{
    CONTEXT(c, d);
    return driver_return(cudaOccupancyAvailableDynamicSMemPerBlock(dynamicSmemSize, func, numBlocks, blockSize));
}

/* The block of the most resident threads, the largest of several, as the runtime's template finds it
 * (heddle/runtime_templates.h). */
static CUresult best_block(struct runtime_device *d, int *grid, int *block, CUfunction f, CUoccupancyB2DSize shared_of,
                           size_t shared, int limit, unsigned flags)
{
    struct runtime_kernel *k;
    CUresult r = kernel_of(d, f, &k);
    if (r || !grid || !block || limit < 0)
        return r ? r : CUDA_ERROR_INVALID_VALUE;
    int warp = (int)d->spec->warp_size, most = k->info.max_threads, best = -1;
    most = limit && limit < most ? limit : most;
    for (int size = (most + warp - 1) / warp * warp; size > 0; size -= warp) {
        int threads = size < most ? size : most, blocks;
        size_t bytes = shared_of ? shared_of(threads) : shared;
        cudaError_t e = cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, f, threads, bytes, flags);
        if (e)
            return driver_result(e);
        if (threads * blocks > best) {
            best = threads * blocks;
            *block = threads;
            *grid = blocks * (int)d->spec->multiprocessors;
        }
    }
    return CUDA_SUCCESS;
}

CUresult cuOccupancyMaxPotentialBlockSize(int *minGridSize, int *blockSize, CUfunction func,
                                          CUoccupancyB2DSize blockSizeToDynamicSMemSize, size_t dynamicSMemSize,
                                          int blockSizeLimit)
{
    CONTEXT(c, d);
    return driver_leave(best_block(d, minGridSize, blockSize, func, blockSizeToDynamicSMemSize, dynamicSMemSize, blockSizeLimit, 0));
}

CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int *minGridSize, int *blockSize, CUfunction func,
                                                   CUoccupancyB2DSize blockSizeToDynamicSMemSize, size_t dynamicSMemSize,
                                                   int blockSizeLimit, unsigned int flags)
{
    CONTEXT(c, d);
    return driver_leave(best_block(d, minGridSize, blockSize, func, blockSizeToDynamicSMemSize, dynamicSMemSize, blockSizeLimit, flags));
}
