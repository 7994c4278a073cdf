/* Devices and their attributes, primary contexts (CUDA Driver API reference, "Device Management", "Primary Context
 * Management"). Attributes that the runtime has too bear the same numbers there. */
#include <stdio.h>
#include <string.h>

#include "driver/driver.h"
#include "driver/array.h"

CUresult cuDeviceGetCount(int *count)
{
    INITIALISED;
    return driver_return(cudaGetDeviceCount(count));
}

CUresult cuDeviceGet(CUdevice *device, int ordinal)
{
    DEVICE(d, ordinal);
    REQUIRE(device);
    *device = ordinal;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetName(char *name, int len, CUdevice dev)
{
    DEVICE(d, dev);
    struct cudaDeviceProp p;
    REQUIRE(name && len > 0);
    cudaError_t e = cudaGetDeviceProperties(&p, dev);
    if (!e)
        snprintf(name, (size_t)len, "%s", p.name);
    return driver_return(e);
}

CUresult cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice dev)
{
    DEVICE(d, dev);
    struct cudaDeviceProp p;
    REQUIRE(uuid);
    cudaError_t e = cudaGetDeviceProperties(&p, dev);
    if (!e)
        memcpy(uuid->bytes, p.uuid.bytes, sizeof uuid->bytes);
    return driver_return(e);
}

CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice dev)
{
    DEVICE(d, dev);
    struct cudaDeviceProp p;
    REQUIRE(bytes);
    cudaError_t e = cudaGetDeviceProperties(&p, dev);
    if (!e)
        *bytes = p.totalGlobalMem;
    return driver_return(e);
}

CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice dev)
{
    DEVICE(d, dev);
    struct cudaDeviceProp p;
    REQUIRE(major && minor);
    cudaError_t e = cudaGetDeviceProperties(&p, dev);
    if (!e) {
        *major = p.major;
        *minor = p.minor;
    }
    return driver_return(e);
}

CUresult cuDeviceGetProperties(CUdevprop *prop, CUdevice dev)
{
    DEVICE(d, dev);
    struct cudaDeviceProp p;
    REQUIRE(prop);
    cudaError_t e = cudaGetDeviceProperties(&p, dev);
    if (e)
        return driver_return(e);
    prop->maxThreadsPerBlock = p.maxThreadsPerBlock;
    memcpy(prop->maxThreadsDim, p.maxThreadsDim, sizeof prop->maxThreadsDim);
    memcpy(prop->maxGridSize, p.maxGridSize, sizeof prop->maxGridSize);
    prop->sharedMemPerBlock = (int)p.sharedMemPerBlock;
    prop->totalConstantMemory = (int)p.totalConstMem;
    prop->SIMDWidth = p.warpSize;
    prop->memPitch = (int)p.memPitch;
    prop->regsPerBlock = p.regsPerBlock;
    prop->clockRate = p.clockRate;
    prop->textureAlign = (int)p.textureAlignment;
    return CUDA_SUCCESS;
}

/* Those that the runtime does not have. What they ask for is not there, but for a few. */
static bool own_attribute(CUdevice_attribute a, const struct cudaDeviceProp *p, int *value)
{
    switch (a) {
    case CU_DEVICE_ATTRIBUTE_CAN_TEX2D_GATHER:
        *value = p->major >= 2;
        return true;
    case CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED:
        *value = p->major >= 6;
        return true;
    case CU_DEVICE_ATTRIBUTE_GENERIC_COMPRESSION_SUPPORTED: /* accepted; the memory is as large as without */
        *value = p->major >= 8;
        return true;
    case CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_MEM_OPS_V1:
    case CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS_V1:
    case CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_WAIT_VALUE_NOR_V1:
    case CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_WIN32_HANDLE_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_WIN32_KMT_HANDLE_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_FLUSH_WRITES_OPTIONS:
    case CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WRITES_ORDERING:
    case CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS:
    case CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_WAIT_VALUE_NOR:
    case CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_TENSOR_MAP_ACCESS_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_FABRIC_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_UNIFIED_FUNCTION_POINTERS:
    case CU_DEVICE_ATTRIBUTE_NUMA_CONFIG:
    case CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_MEM_DECOMPRESS_ALGORITHM_MASK:
    case CU_DEVICE_ATTRIBUTE_MEM_DECOMPRESS_MAXIMUM_LENGTH:
    case CU_DEVICE_ATTRIBUTE_D3D12_CIG_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_VULKAN_CIG_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_GPU_PCI_DEVICE_ID:
    case CU_DEVICE_ATTRIBUTE_GPU_PCI_SUBSYSTEM_ID:
    case CU_DEVICE_ATTRIBUTE_HOST_NUMA_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_HOST_NUMA_MEMORY_POOLS_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_HOST_NUMA_MULTINODE_IPC_SUPPORTED:
        *value = 0;
        return true;
    case CU_DEVICE_ATTRIBUTE_MEM_SYNC_DOMAIN_COUNT:
        *value = 1;
        return true;
    case CU_DEVICE_ATTRIBUTE_NUMA_ID:
    case CU_DEVICE_ATTRIBUTE_HOST_NUMA_ID:
        *value = -1;
        return true;
    default:
        return false;
    }
}

CUresult cuDeviceGetAttribute(int *pi, CUdevice_attribute attrib, CUdevice dev)
{
    DEVICE(d, dev);
    struct cudaDeviceProp p;
    REQUIRE(pi);
    cudaError_t e = cudaGetDeviceProperties(&p, dev);
    if (!e && own_attribute(attrib, &p, pi))
        return CUDA_SUCCESS;
    return driver_return(e ? e : cudaDeviceGetAttribute(pi, (enum cudaDeviceAttr)attrib, dev));
}

CUresult cuDeviceGetPCIBusId(char *pciBusId, int len, CUdevice dev)
{
    DEVICE(d, dev);
    return driver_return(cudaDeviceGetPCIBusId(pciBusId, len, dev));
}

CUresult cuDeviceGetByPCIBusId(CUdevice *dev, const char *pciBusId)
{
    INITIALISED;
    unsigned part;
    REQUIRE(pciBusId && sscanf(pciBusId, "%x:%x", &part, &part) == 2);
    return driver_return(cudaDeviceGetByPCIBusId(dev, pciBusId));
}

CUresult cuDeviceGetTexture1DLinearMaxWidth(size_t *maxWidthInElements, CUarray_format format, unsigned numChannels,
                                            CUdevice dev)
{
    DEVICE(d, dev);
    struct cudaChannelFormatDesc desc;
    REQUIRE(maxWidthInElements && array_channels((int)format, numChannels, &desc));
    return driver_return(cudaDeviceGetTexture1DLinearMaxWidth(maxWidthInElements, &desc, dev));
}

/* No affinity to a number of multiprocessors can be asked for. */
CUresult cuDeviceGetExecAffinitySupport(int *pi, CUexecAffinityType type, CUdevice dev)
{
    DEVICE(d, dev);
    REQUIRE(pi && type == CU_EXEC_AFFINITY_TYPE_SM_COUNT);
    *pi = 0;
    return CUDA_SUCCESS;
}

/* --- memory pools of a device --- */

CUresult cuDeviceGetDefaultMemPool(CUmemoryPool *pool_out, CUdevice dev)
{
    DEVICE(d, dev);
    return driver_return(cudaDeviceGetDefaultMemPool(pool_out, dev));
}

CUresult cuDeviceGetMemPool(CUmemoryPool *pool, CUdevice dev)
{
    DEVICE(d, dev);
    return driver_return(cudaDeviceGetMemPool(pool, dev));
}

CUresult cuDeviceSetMemPool(CUdevice dev, CUmemoryPool pool)
{
    DEVICE(d, dev);
    return driver_return(cudaDeviceSetMemPool(dev, pool));
}

/* --- other devices --- */

CUresult cuDeviceCanAccessPeer(int *canAccessPeer, CUdevice dev, CUdevice peerDev)
{
    INITIALISED;
    return driver_return(cudaDeviceCanAccessPeer(canAccessPeer, dev, peerDev));
}

CUresult cuDeviceGetP2PAttribute(int *value, CUdevice_P2PAttribute attrib, CUdevice srcDevice, CUdevice dstDevice)
{
    INITIALISED;
    return driver_return(cudaDeviceGetP2PAttribute(value, (enum cudaDeviceP2PAttr)attrib, srcDevice, dstDevice));
}

/* The device of a context that is to be a peer; `own`: what a context of the same device answers. */
static CUresult other_device(CUcontext peer, const struct context *c, CUresult own, int *device)
{
    if (!context_live((struct context *)peer))
        return CUDA_ERROR_INVALID_CONTEXT;
    *device = ((struct context *)peer)->device;
    return *device == c->device ? own : CUDA_SUCCESS;
}

CUresult cuCtxEnablePeerAccess(CUcontext peerContext, unsigned int Flags)
{
    CONTEXT(c, d);
    int device;
    CUresult r = other_device(peerContext, c, CUDA_ERROR_PEER_ACCESS_UNSUPPORTED, &device);
    return r ? driver_leave(r) : driver_return(cudaDeviceEnablePeerAccess(device, Flags));
}

CUresult cuCtxDisablePeerAccess(CUcontext peerContext)
{
    CONTEXT(c, d);
    int device;
    CUresult r = other_device(peerContext, c, CUDA_ERROR_PEER_ACCESS_NOT_ENABLED, &device);
    return r ? driver_leave(r) : driver_return(cudaDeviceDisablePeerAccess(device));
}
