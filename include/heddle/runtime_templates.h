/* The C++ face of the runtime interface: typed overloads of the C functions, as cuda_runtime.h of CUDA has them. */
#ifndef HEDDLE_RUNTIME_TEMPLATES_H
#define HEDDLE_RUNTIME_TEMPLATES_H

#define HEDDLE_INLINE static inline __attribute__((unused))

/* ---- memory ---- */
template <class T> HEDDLE_INLINE cudaError_t cudaMalloc(T **p, size_t size)
{
    return ::cudaMalloc((void **)(void *)p, size);
}
template <class T> HEDDLE_INLINE cudaError_t cudaMallocHost(T **p, size_t size, unsigned int flags = 0)
{
    return ::cudaHostAlloc((void **)(void *)p, size, flags);
}
HEDDLE_INLINE cudaError_t cudaMallocHost(void **p, size_t size, unsigned int flags)
{
    return ::cudaHostAlloc(p, size, flags);
}
template <class T> HEDDLE_INLINE cudaError_t cudaHostAlloc(T **p, size_t size, unsigned int flags)
{
    return ::cudaHostAlloc((void **)(void *)p, size, flags);
}
template <class T>
HEDDLE_INLINE cudaError_t cudaHostGetDevicePointer(T **p, void *host, unsigned int flags)
{
    return ::cudaHostGetDevicePointer((void **)(void *)p, host, flags);
}
template <class T>
HEDDLE_INLINE cudaError_t cudaMallocManaged(T **p, size_t size,
                                            unsigned int flags = cudaMemAttachGlobal)
{
    return ::cudaMallocManaged((void **)(void *)p, size, flags);
}
template <class T>
HEDDLE_INLINE cudaError_t cudaMallocPitch(T **p, size_t *pitch, size_t width, size_t height)
{
    return ::cudaMallocPitch((void **)(void *)p, pitch, width, height);
}
template <class T>
HEDDLE_INLINE cudaError_t cudaMallocAsync(T **p, size_t size, cudaStream_t stream)
{
    return ::cudaMallocAsync((void **)(void *)p, size, stream);
}
HEDDLE_INLINE cudaError_t cudaMallocAsync(void **p, size_t size, cudaMemPool_t pool, cudaStream_t stream)
{
    return ::cudaMallocFromPoolAsync(p, size, pool, stream);
}
template <class T>
HEDDLE_INLINE cudaError_t cudaMallocAsync(T **p, size_t size, cudaMemPool_t pool, cudaStream_t stream)
{
    return ::cudaMallocFromPoolAsync((void **)(void *)p, size, pool, stream);
}
template <class T>
HEDDLE_INLINE cudaError_t cudaMallocFromPoolAsync(T **p, size_t size, cudaMemPool_t pool, cudaStream_t stream)
{
    return ::cudaMallocFromPoolAsync((void **)(void *)p, size, pool, stream);
}
template <class T>
HEDDLE_INLINE cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, T *p, size_t length = 0,
                                                   unsigned int flags = cudaMemAttachSingle)
{
    return ::cudaStreamAttachMemAsync(stream, (void *)p, length, flags);
}

/* ---- symbols: the variable itself is given ---- */
template <class T>
HEDDLE_INLINE cudaError_t cudaMemcpyToSymbol(const T &symbol, const void *src, size_t count,
                                             size_t offset = 0,
                                             enum cudaMemcpyKind kind = cudaMemcpyHostToDevice)
{
    return ::cudaMemcpyToSymbol((const void *)&symbol, src, count, offset, kind);
}
template <class T>
HEDDLE_INLINE cudaError_t cudaMemcpyFromSymbol(void *dst, const T &symbol, size_t count,
                                               size_t offset = 0,
                                               enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost)
{
    return ::cudaMemcpyFromSymbol(dst, (const void *)&symbol, count, offset, kind);
}
template <class T>
HEDDLE_INLINE cudaError_t cudaMemcpyToSymbolAsync(const T &symbol, const void *src, size_t count,
                                                  size_t offset = 0,
                                                  enum cudaMemcpyKind kind = cudaMemcpyHostToDevice,
                                                  cudaStream_t stream = HEDDLE_DEFAULT_STREAM)
{
    return ::cudaMemcpyToSymbolAsync((const void *)&symbol, src, count, offset, kind, stream);
}
template <class T>
HEDDLE_INLINE cudaError_t
cudaMemcpyFromSymbolAsync(void *dst, const T &symbol, size_t count, size_t offset = 0,
                          enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost,
                          cudaStream_t stream = HEDDLE_DEFAULT_STREAM)
{
    return ::cudaMemcpyFromSymbolAsync(dst, (const void *)&symbol, count, offset, kind, stream);
}
template <class T> HEDDLE_INLINE cudaError_t cudaGetSymbolAddress(void **p, const T &symbol)
{
    return ::cudaGetSymbolAddress(p, (const void *)&symbol);
}
template <class T> HEDDLE_INLINE cudaError_t cudaGetSymbolSize(size_t *size, const T &symbol)
{
    return ::cudaGetSymbolSize(size, (const void *)&symbol);
}

/* ---- graphs: the forms of CUDA 13, which has what is called ..._v2 here under the plain names ---- */
HEDDLE_INLINE cudaError_t cudaGraphAddNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies,
                                           const cudaGraphEdgeData *edges, size_t n, struct cudaGraphNodeParams *params)
{
    return ::cudaGraphAddNode_v2(node, graph, dependencies, edges, n, params);
}
HEDDLE_INLINE cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                                   const cudaGraphEdgeData *edges, size_t n)
{
    return ::cudaGraphAddDependencies_v2(graph, from, to, edges, n);
}
HEDDLE_INLINE cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                                      const cudaGraphEdgeData *edges, size_t n)
{
    return ::cudaGraphRemoveDependencies_v2(graph, from, to, edges, n);
}
HEDDLE_INLINE cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to, cudaGraphEdgeData *edges,
                                            size_t *n)
{
    return ::cudaGraphGetEdges_v2(graph, from, to, edges, n);
}
HEDDLE_INLINE cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *dependencies, cudaGraphEdgeData *edges,
                                                       size_t *n)
{
    return ::cudaGraphNodeGetDependencies_v2(node, dependencies, edges, n);
}
HEDDLE_INLINE cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t *dependents, cudaGraphEdgeData *edges,
                                                         size_t *n)
{
    return ::cudaGraphNodeGetDependentNodes_v2(node, dependents, edges, n);
}
HEDDLE_INLINE cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, enum cudaStreamCaptureStatus *status, unsigned long long *id,
                                                   cudaGraph_t *graph, const cudaGraphNode_t **dependencies,
                                                   const cudaGraphEdgeData **edges, size_t *n)
{
    return ::cudaStreamGetCaptureInfo_v3(stream, status, id, graph, dependencies, edges, n);
}
HEDDLE_INLINE cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t *dependencies,
                                                              const cudaGraphEdgeData *edges, size_t n, unsigned int flags)
{
    return ::cudaStreamUpdateCaptureDependencies_v2(stream, dependencies, edges, n, flags);
}

/* ---- graphs: the forms of CUDA 11, and symbols ---- */
HEDDLE_INLINE cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, cudaGraphNode_t *bad, char *log, size_t bytes)
{
    cudaGraphInstantiateParams params = {};
    cudaError_t e = ::cudaGraphInstantiateWithParams(exec, graph, &params);
    if (bad)
        *bad = params.errNode_out;
    if (log && bytes)
        log[0] = 0;
    return e;
}
HEDDLE_INLINE cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphNode_t *bad,
                                              enum cudaGraphExecUpdateResult *result)
{
    cudaGraphExecUpdateResultInfo info = {};
    cudaError_t e = ::cudaGraphExecUpdate(exec, graph, &info);
    if (bad)
        *bad = info.errorNode;
    if (result)
        *result = info.result;
    return e;
}
template <class T>
HEDDLE_INLINE cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies,
                                                         size_t n, const T &symbol, const void *src, size_t count, size_t offset,
                                                         enum cudaMemcpyKind kind)
{
    return ::cudaGraphAddMemcpyNodeToSymbol(node, graph, dependencies, n, (const void *)&symbol, src, count, offset, kind);
}
template <class T>
HEDDLE_INLINE cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *node, cudaGraph_t graph,
                                                           const cudaGraphNode_t *dependencies, size_t n, void *dst, const T &symbol,
                                                           size_t count, size_t offset, enum cudaMemcpyKind kind)
{
    return ::cudaGraphAddMemcpyNodeFromSymbol(node, graph, dependencies, n, dst, (const void *)&symbol, count, offset, kind);
}
template <class T>
HEDDLE_INLINE cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node, const T &symbol, const void *src, size_t count,
                                                               size_t offset, enum cudaMemcpyKind kind)
{
    return ::cudaGraphMemcpyNodeSetParamsToSymbol(node, (const void *)&symbol, src, count, offset, kind);
}
template <class T>
HEDDLE_INLINE cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node, void *dst, const T &symbol, size_t count,
                                                                 size_t offset, enum cudaMemcpyKind kind)
{
    return ::cudaGraphMemcpyNodeSetParamsFromSymbol(node, dst, (const void *)&symbol, count, offset, kind);
}
template <class T>
HEDDLE_INLINE cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t exec, cudaGraphNode_t node, const T &symbol,
                                                                   const void *src, size_t count, size_t offset,
                                                                   enum cudaMemcpyKind kind)
{
    return ::cudaGraphExecMemcpyNodeSetParamsToSymbol(exec, node, (const void *)&symbol, src, count, offset, kind);
}
template <class T>
HEDDLE_INLINE cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t exec, cudaGraphNode_t node, void *dst,
                                                                     const T &symbol, size_t count, size_t offset,
                                                                     enum cudaMemcpyKind kind)
{
    return ::cudaGraphExecMemcpyNodeSetParamsFromSymbol(exec, node, dst, (const void *)&symbol, count, offset, kind);
}
/* The object is deleted when nobody refers to it any more. */
template <class T>
HEDDLE_INLINE cudaError_t cudaUserObjectCreate(cudaUserObject_t *object, T *what, unsigned int count, unsigned int flags)
{
    return ::cudaUserObjectCreate(object, what, [](void *p) { delete (T *)p; }, count, flags);
}

/* ---- kernels: the function itself is given ---- */
/* The kernel's arguments are what its parameters need: conversions happen here, as in a call. */
template <class... P, class... A>
HEDDLE_INLINE cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config, void (*kernel)(P...), A &&...args)
{
    return [&](P... values) {
        void *pointers[] = {(void *)&values..., nullptr};
        return ::cudaLaunchKernelExC(config, (const void *)kernel, pointers);
    }(static_cast<A &&>(args)...);
}
template <class T> HEDDLE_INLINE cudaError_t cudaFuncGetName(const char **name, T *func)
{
    return ::cudaFuncGetName(name, (const void *)func);
}
template <class T>
HEDDLE_INLINE cudaError_t cudaLaunchKernel(T *func, dim3 gridDim, dim3 blockDim, void **args,
                                           size_t sharedMem = 0,
                                           cudaStream_t stream = HEDDLE_DEFAULT_STREAM)
{
    return ::cudaLaunchKernel((const void *)func, gridDim, blockDim, args, sharedMem, stream);
}
template <class T>
HEDDLE_INLINE cudaError_t cudaLaunchCooperativeKernel(T *func, dim3 gridDim, dim3 blockDim,
                                                      void **args, size_t sharedMem = 0,
                                                      cudaStream_t stream = HEDDLE_DEFAULT_STREAM)
{
    return ::cudaLaunchCooperativeKernel((const void *)func, gridDim, blockDim, args, sharedMem,
                                         stream);
}
template <class T>
HEDDLE_INLINE cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attr, T *func)
{
    return ::cudaFuncGetAttributes(attr, (const void *)func);
}
template <class T>
HEDDLE_INLINE cudaError_t cudaFuncSetAttribute(T *func, enum cudaFuncAttribute attr, int value)
{
    return ::cudaFuncSetAttribute((const void *)func, attr, value);
}
template <class T>
HEDDLE_INLINE cudaError_t cudaFuncSetCacheConfig(T *func, enum cudaFuncCache config)
{
    return ::cudaFuncSetCacheConfig((const void *)func, config);
}
template <class T>
HEDDLE_INLINE cudaError_t cudaFuncSetSharedMemConfig(T *func, enum cudaSharedMemConfig config)
{
    return ::cudaFuncSetSharedMemConfig((const void *)func, config);
}
template <class T>
HEDDLE_INLINE cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *numBlocks, T func,
                                                                        int blockSize,
                                                                        size_t dynamicSMemSize)
{
    return ::cudaOccupancyMaxActiveBlocksPerMultiprocessor(numBlocks, (const void *)func, blockSize,
                                                           dynamicSMemSize);
}
template <class T>
HEDDLE_INLINE cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *numBlocks, T func, int blockSize, size_t dynamicSMemSize, unsigned int flags)
{
    return ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        numBlocks, (const void *)func, blockSize, dynamicSMemSize, flags);
}
template <class T>
HEDDLE_INLINE cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *size, T *func,
                                                                    int numBlocks, int blockSize)
{
    return ::cudaOccupancyAvailableDynamicSMemPerBlock(size, (const void *)func, numBlocks,
                                                       blockSize);
}

/* The block size with the most resident threads on an SM, largest first; minGridSize fills the device with it.
 * `smemOf(blockSize)` is the dynamic shared memory of a block of that size. */
template <class F, class T>
HEDDLE_INLINE cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(
    int *minGridSize, int *blockSize, T func, F smemOf, int blockSizeLimit = 0,
    unsigned int flags = 0)
{
    if (!minGridSize || !blockSize || !(const void *)func)
        return cudaErrorInvalidValue;
    int device, sms, warp, limit;
    struct cudaFuncAttributes attr;
    cudaError_t e = ::cudaGetDevice(&device);
    if (e == cudaSuccess)
        e = ::cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
    if (e == cudaSuccess)
        e = ::cudaDeviceGetAttribute(&warp, cudaDevAttrWarpSize, device);
    if (e == cudaSuccess)
        e = ::cudaDeviceGetAttribute(&limit, cudaDevAttrMaxThreadsPerBlock, device);
    if (e == cudaSuccess)
        e = ::cudaFuncGetAttributes(&attr, (const void *)func);
    if (e != cudaSuccess)
        return e;
    if (attr.maxThreadsPerBlock < limit)
        limit = attr.maxThreadsPerBlock;
    if (blockSizeLimit && blockSizeLimit < limit)
        limit = blockSizeLimit;
    int best = 0, bestBlocks = 0, bestThreads = 0;
    for (int size = (limit + warp - 1) / warp * warp; size > 0; size -= warp) {
        int n = size < limit ? size : limit, blocks;
        e = ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, (const void *)func, n,
                                                                     smemOf(n), flags);
        if (e != cudaSuccess)
            return e;
        if (blocks * n > bestThreads) {
            best = n;
            bestBlocks = blocks;
            bestThreads = blocks * n;
        }
    }
    *blockSize = best;
    *minGridSize = bestBlocks * sms;
    return cudaSuccess;
}
template <class F, class T>
HEDDLE_INLINE cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int *minGridSize,
                                                                         int *blockSize, T func,
                                                                         F smemOf,
                                                                         int blockSizeLimit = 0)
{
    return cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(minGridSize, blockSize, func,
                                                                   smemOf, blockSizeLimit, 0);
}
struct heddle_same_smem {
    size_t bytes;
    size_t operator()(int) const { return bytes; }
};
template <class T>
HEDDLE_INLINE cudaError_t cudaOccupancyMaxPotentialBlockSizeWithFlags(int *minGridSize,
                                                                      int *blockSize, T func,
                                                                      size_t dynamicSMemSize = 0,
                                                                      int blockSizeLimit = 0,
                                                                      unsigned int flags = 0)
{
    heddle_same_smem smem = {dynamicSMemSize};
    return cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(minGridSize, blockSize, func,
                                                                   smem, blockSizeLimit, flags);
}
template <class T>
HEDDLE_INLINE cudaError_t cudaOccupancyMaxPotentialBlockSize(int *minGridSize, int *blockSize,
                                                             T func, size_t dynamicSMemSize = 0,
                                                             int blockSizeLimit = 0)
{
    return cudaOccupancyMaxPotentialBlockSizeWithFlags(minGridSize, blockSize, func,
                                                       dynamicSMemSize, blockSizeLimit, 0);
}

/* ---- managed memory: the forms that CUDA 13 has under these names, and CUDA 12 under _v2 ---- */
HEDDLE_INLINE cudaError_t cudaMemPrefetchAsync(const void *devPtr, size_t count, cudaMemLocation location, unsigned int flags,
                                               cudaStream_t stream = 0)
{
    return ::cudaMemPrefetchAsync_v2(devPtr, count, location, flags, stream);
}

HEDDLE_INLINE cudaError_t cudaMemAdvise(const void *devPtr, size_t count, cudaMemoryAdvise advice, cudaMemLocation location)
{
    return ::cudaMemAdvise_v2(devPtr, count, advice, location);
}

/* ---- events ---- */
HEDDLE_INLINE cudaError_t cudaEventCreate(cudaEvent_t *event, unsigned int flags)
{
    return ::cudaEventCreateWithFlags(event, flags);
}

/* ---- channel formats: of a scalar type, and of vectors of it ---- */
template <class T> cudaChannelFormatDesc cudaCreateChannelDesc(void);
#define HEDDLE_CHANNEL(T, n, bits, kind)                                                           \
    template <> inline cudaChannelFormatDesc cudaCreateChannelDesc<T>(void)                        \
    {                                                                                              \
        return ::cudaCreateChannelDesc(bits, n > 1 ? bits : 0, n > 2 ? bits : 0, n > 3 ? bits : 0, kind); \
    }
#define HEDDLE_CHANNELS(S, V, bits, kind)                                                          \
    HEDDLE_CHANNEL(S, 1, bits, kind)                                                               \
    HEDDLE_CHANNEL(V##1, 1, bits, kind)                                                            \
    HEDDLE_CHANNEL(V##2, 2, bits, kind)                                                            \
    HEDDLE_CHANNEL(V##4, 4, bits, kind)
HEDDLE_CHANNEL(char, 1, 8, cudaChannelFormatKindSigned)
HEDDLE_CHANNELS(signed char, char, 8, cudaChannelFormatKindSigned)
HEDDLE_CHANNELS(unsigned char, uchar, 8, cudaChannelFormatKindUnsigned)
HEDDLE_CHANNELS(short, short, 16, cudaChannelFormatKindSigned)
HEDDLE_CHANNELS(unsigned short, ushort, 16, cudaChannelFormatKindUnsigned)
HEDDLE_CHANNELS(int, int, 32, cudaChannelFormatKindSigned)
HEDDLE_CHANNELS(unsigned int, uint, 32, cudaChannelFormatKindUnsigned)
HEDDLE_CHANNELS(float, float, 32, cudaChannelFormatKindFloat)
/* of 16-bit floating-point components, whose type is not a builtin one */
HEDDLE_INLINE cudaChannelFormatDesc cudaCreateChannelDescHalf(void)
{
    return ::cudaCreateChannelDesc(16, 0, 0, 0, cudaChannelFormatKindFloat);
}
HEDDLE_INLINE cudaChannelFormatDesc cudaCreateChannelDescHalf1(void) { return cudaCreateChannelDescHalf(); }
HEDDLE_INLINE cudaChannelFormatDesc cudaCreateChannelDescHalf2(void)
{
    return ::cudaCreateChannelDesc(16, 16, 0, 0, cudaChannelFormatKindFloat);
}
HEDDLE_INLINE cudaChannelFormatDesc cudaCreateChannelDescHalf4(void)
{
    return ::cudaCreateChannelDesc(16, 16, 16, 16, cudaChannelFormatKindFloat);
}
#undef HEDDLE_CHANNELS
#undef HEDDLE_CHANNEL

#undef HEDDLE_INLINE

#endif
