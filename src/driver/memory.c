/* Memory: allocation, pinned and managed memory, pools, what a pointer is (CUDA Driver API reference, "Memory Management",
 * "Stream Ordered Memory Allocator", "Unified Addressing"). Copies and fills: copy.c. */
#include <string.h>

#include "driver/driver.h"
#include "driver/virtual.h"
#include "runtime/pointer.h"

static void **out(CUdeviceptr *p)
{
    return (void **)(uintptr_t)p;
}

/* --- device memory --- */

CUresult cuMemAlloc_v2(CUdeviceptr *dptr, size_t bytesize)
{
    CONTEXT(c, d);
    REQUIRE(dptr && bytesize);
    return driver_return(cudaMalloc(out(dptr), bytesize));
}

CUresult cuMemAllocPitch_v2(CUdeviceptr *dptr, size_t *pPitch, size_t WidthInBytes, size_t Height,
                            unsigned int ElementSizeBytes)
{
    CONTEXT(c, d);
    REQUIRE(dptr && pPitch && WidthInBytes && Height);
    REQUIRE(ElementSizeBytes == 4 || ElementSizeBytes == 8 || ElementSizeBytes == 16);
    return driver_return(cudaMallocPitch(out(dptr), pPitch, WidthInBytes, Height));
}

CUresult cuMemFree_v2(CUdeviceptr dptr)
{
    INITIALISED;
    bool gone;
    struct context *c;
    struct runtime_device *d;
    CUresult r = !dptr && !context_current(&gone) ? CUDA_SUCCESS : driver_enter(&c, &d); /* to free nothing needs none */
    if (r || !dptr)
        return driver_leave(r);
    return driver_return(cudaFree(driver_pointer(dptr)));
}

CUresult cuMemGetInfo_v2(size_t *free, size_t *total)
{
    CONTEXT(c, d);
    return driver_return(cudaMemGetInfo(free, total));
}

CUresult cuMemGetAddressRange_v2(CUdeviceptr *pbase, size_t *psize, CUdeviceptr dptr)
{
    CONTEXT(c, d);
    struct pointer p = pointer_look(driver_pointer(dptr));
    if (!pointer_for_device(&p))
        return driver_leave(CUDA_ERROR_NOT_FOUND);
    virtual_mapping(dptr, &p.base, &p.bytes);
    if (pbase)
        *pbase = p.base;
    if (psize)
        *psize = p.bytes;
    return CUDA_SUCCESS;
}

/* --- memory that the host may touch --- */

CUresult cuMemAllocManaged(CUdeviceptr *dptr, size_t bytesize, unsigned int flags)
{
    CONTEXT(c, d);
    return driver_return(cudaMallocManaged(out(dptr), bytesize, flags));
}

CUresult cuMemAllocHost_v2(void **pp, size_t bytesize)
{
    CONTEXT(c, d);
    REQUIRE(pp);
    return driver_return(cudaMallocHost(pp, bytesize));
}

CUresult cuMemHostAlloc(void **pp, size_t bytesize, unsigned int Flags)
{
    CONTEXT(c, d);
    REQUIRE(pp);
    return driver_return(cudaHostAlloc(pp, bytesize, Flags));
}

CUresult cuMemFreeHost(void *p)
{
    CONTEXT(c, d);
    return driver_return(cudaFreeHost(p));
}

CUresult cuMemHostRegister_v2(void *p, size_t bytesize, unsigned int Flags)
{
    CONTEXT(c, d);
    return driver_return(cudaHostRegister(p, bytesize, Flags));
}

CUresult cuMemHostUnregister(void *p)
{
    CONTEXT(c, d);
    struct pointer at = pointer_look(p);
    REQUIRE(at.kind != POINTER_REGISTERED || at.base == at.address);
    return driver_return(cudaHostUnregister(p));
}

CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr *pdptr, void *p, unsigned int Flags)
{
    CONTEXT(c, d);
    REQUIRE(pdptr);
    return driver_return(cudaHostGetDevicePointer(out(pdptr), p, Flags));
}

CUresult cuMemHostGetFlags(unsigned int *pFlags, void *p)
{
    CONTEXT(c, d);
    return driver_return(cudaHostGetFlags(pFlags, p));
}

/* --- in the order of a stream --- */

CUresult cuMemAllocAsync(CUdeviceptr *dptr, size_t bytesize, CUstream hStream)
{
    CONTEXT(c, d);
    REQUIRE(dptr);
    return driver_return(cudaMallocAsync(out(dptr), bytesize, hStream));
}

CUresult cuMemAllocFromPoolAsync(CUdeviceptr *dptr, size_t bytesize, CUmemoryPool pool, CUstream hStream)
{
    CONTEXT(c, d);
    REQUIRE(dptr && bytesize);
    return driver_return(cudaMallocFromPoolAsync(out(dptr), bytesize, pool, hStream));
}

CUresult cuMemFreeAsync(CUdeviceptr dptr, CUstream hStream)
{
    CONTEXT(c, d);
    return driver_return(cudaFreeAsync(driver_pointer(dptr), hStream));
}

/* Descriptions of pools, of access and of places have the same layout in both interfaces. */
_Static_assert(sizeof(CUmemPoolProps) == sizeof(struct cudaMemPoolProps), "one layout");
_Static_assert(sizeof(CUmemAccessDesc) == sizeof(struct cudaMemAccessDesc), "one layout");
_Static_assert(sizeof(CUmemLocation) == sizeof(struct cudaMemLocation), "one layout");

CUresult cuMemPoolCreate(CUmemoryPool *pool, const CUmemPoolProps *poolProps)
{
    CONTEXT(c, d);
    return driver_return(cudaMemPoolCreate(pool, (const struct cudaMemPoolProps *)poolProps));
}

CUresult cuMemPoolDestroy(CUmemoryPool pool)
{
    CONTEXT(c, d);
    return driver_return(cudaMemPoolDestroy(pool));
}

CUresult cuMemPoolTrimTo(CUmemoryPool pool, size_t minBytesToKeep)
{
    CONTEXT(c, d);
    return driver_return(cudaMemPoolTrimTo(pool, minBytesToKeep));
}

CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attr, void *value)
{
    CONTEXT(c, d);
    return driver_return(cudaMemPoolSetAttribute(pool, (enum cudaMemPoolAttr)attr, value));
}

CUresult cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attr, void *value)
{
    CONTEXT(c, d);
    return driver_return(cudaMemPoolGetAttribute(pool, (enum cudaMemPoolAttr)attr, value));
}

CUresult cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc *map, size_t count)
{
    CONTEXT(c, d);
    return driver_return(cudaMemPoolSetAccess(pool, (const struct cudaMemAccessDesc *)map, count));
}

CUresult cuMemPoolGetAccess(CUmemAccess_flags *flags, CUmemoryPool memPool, CUmemLocation *location)
{
    CONTEXT(c, d);
    return driver_return(cudaMemPoolGetAccess((enum cudaMemAccessFlags *)flags, memPool, (struct cudaMemLocation *)location));
}

/* --- advice --- */

CUresult cuMemAdvise(CUdeviceptr devPtr, size_t count, CUmem_advise advice, CUdevice device)
{
    CONTEXT(c, d);
    return driver_return(cudaMemAdvise(driver_pointer(devPtr), count, (enum cudaMemoryAdvise)advice, device));
}

static struct cudaMemLocation place(CUmemLocation l)
{
    return (struct cudaMemLocation){(enum cudaMemLocationType)l.type, l.id};
}

CUresult cuMemAdvise_v2(CUdeviceptr devPtr, size_t count, CUmem_advise advice, CUmemLocation location)
{
    CONTEXT(c, d);
    return driver_return(cudaMemAdvise_v2(driver_pointer(devPtr), count, (enum cudaMemoryAdvise)advice, place(location)));
}

CUresult cuMemPrefetchAsync(CUdeviceptr devPtr, size_t count, CUdevice dstDevice, CUstream hStream)
{
    CONTEXT(c, d);
    return driver_return(cudaMemPrefetchAsync(driver_pointer(devPtr), count, dstDevice, hStream));
}

CUresult cuMemPrefetchAsync_v2(CUdeviceptr devPtr, size_t count, CUmemLocation location, unsigned int flags, CUstream hStream)
{
    CONTEXT(c, d);
    return driver_return(cudaMemPrefetchAsync_v2(driver_pointer(devPtr), count, place(location), flags, hStream));
}

CUresult cuMemRangeGetAttribute(void *data, size_t dataSize, CUmem_range_attribute attribute, CUdeviceptr devPtr,
                                size_t count)
{
    CONTEXT(c, d);
    return driver_return(cudaMemRangeGetAttribute(data, dataSize, (enum cudaMemRangeAttribute)attribute,
                                                  driver_pointer(devPtr), count));
}

CUresult cuMemRangeGetAttributes(void **data, size_t *dataSizes, CUmem_range_attribute *attributes, size_t numAttributes,
                                 CUdeviceptr devPtr, size_t count)
{
    CONTEXT(c, d);
    return driver_return(cudaMemRangeGetAttributes(data, dataSizes, (enum cudaMemRangeAttribute *)attributes, numAttributes,
                                                   driver_pointer(devPtr), count));
}

CUresult cuStreamAttachMemAsync(CUstream hStream, CUdeviceptr dptr, size_t length, unsigned int flags)
{
    CONTEXT(c, d);
    return driver_return(cudaStreamAttachMemAsync(hStream, driver_pointer(dptr), length, flags));
}

/* --- what a pointer is --- */

/* Bytes of an attribute's value; 0: none that is there. */
static size_t attribute_bytes(CUpointer_attribute a)
{
    switch (a) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
    case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
        return 8;
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
    case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
        return 4;
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
    case CU_POINTER_ATTRIBUTE_MAPPED:
    case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
        return 1;
    default:
        return 0;
    }
}

/* The value for memory that CUDA knows. */
static CUresult attribute(CUpointer_attribute a, const struct pointer *p, const struct context *c, uint64_t *value)
{
    int device = p->device ? p->device->index : c->device;
    *value = 0;
    switch (a) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
        *value = (uint64_t)(uintptr_t)(c->device == device ? c : context_primary(device));
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
        *value = p->kind == POINTER_PINNED || p->kind == POINTER_REGISTERED ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
        *value = p->address;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
        *value = p->address;
        return pointer_for_host(p) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
        *value = p->base; /* one allocation has an address at a time */
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
        *value = p->base;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
        *value = p->bytes;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
        *value = (uint64_t)device;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
        *value = CU_POINTER_ATTRIBUTE_ACCESS_FLAG_READWRITE;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
        *value = p->kind == POINTER_MANAGED;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_MAPPED:
        *value = 1;
        return CUDA_SUCCESS;
    default: /* no handles to give away, no pool behind it, nothing synchronised */
        return CUDA_SUCCESS;
    }
}

static CUresult get_attribute(void *data, CUpointer_attribute a, CUdeviceptr ptr, const struct context *c)
{
    struct pointer p = pointer_look(driver_pointer(ptr));
    size_t bytes = attribute_bytes(a);
    uint64_t value;
    if (!data || (unsigned)a > CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE || !a)
        return CUDA_ERROR_INVALID_VALUE;
    if (!bytes)
        return driver_not_supported("cuPointerGetAttribute for tokens of other drivers");
    if (!pointer_for_device(&p))
        return CUDA_ERROR_INVALID_VALUE;
    CUresult r = attribute(a, &p, c, &value);
    if (!r)
        memcpy(data, &value, bytes);
    return r;
}

CUresult cuPointerGetAttribute(void *data, CUpointer_attribute attribute, CUdeviceptr ptr)
{
    INITIALISED;
    bool gone;
    const struct context *c = context_current(&gone);
    return driver_leave(get_attribute(data, attribute, ptr, c ? c : context_primary(0)));
}

/* What does not apply is 0 (of a device ordinal, -2), and no error. */
CUresult cuPointerGetAttributes(unsigned int numAttributes, CUpointer_attribute *attributes, void **data, CUdeviceptr ptr)
{
    CONTEXT(c, d);
    REQUIRE(attributes && data && numAttributes);
    for (unsigned i = 0; i < numAttributes; i++) {
        const int none = CU_DEVICE_INVALID;
        REQUIRE(data[i]);
        CUresult r = get_attribute(data[i], attributes[i], ptr, c);
        if (r && r != CUDA_ERROR_INVALID_VALUE)
            return driver_leave(r);
        if (r)
            memset(data[i], 0, attribute_bytes(attributes[i]));
        if (r && attributes[i] == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL)
            memcpy(data[i], &none, sizeof none);
    }
    return CUDA_SUCCESS;
}

/* Copies of such memory wait for their end already. */
CUresult cuPointerSetAttribute(const void *value, CUpointer_attribute attribute, CUdeviceptr ptr)
{
    CONTEXT(c, d);
    struct pointer p = pointer_look(driver_pointer(ptr));
    REQUIRE(value && attribute == CU_POINTER_ATTRIBUTE_SYNC_MEMOPS && p.kind == POINTER_DEVICE);
    return CUDA_SUCCESS;
}

/* --- pools of other processes --- */

static enum cudaMemAllocationHandleType handle_type(CUmemAllocationHandleType type)
{
    return (enum cudaMemAllocationHandleType)type; /* the same values */
}

CUresult cuMemPoolExportToShareableHandle(void *handle_out, CUmemoryPool pool, CUmemAllocationHandleType handleType, unsigned long long flags)
{
    CONTEXT(c, d);
    REQUIRE(flags == 0);
    return driver_return(cudaMemPoolExportToShareableHandle(handle_out, (cudaMemPool_t)pool, handle_type(handleType), 0));
}

CUresult cuMemPoolImportFromShareableHandle(CUmemoryPool *pool_out, void *handle, CUmemAllocationHandleType handleType, unsigned long long flags)
{
    CONTEXT(c, d);
    REQUIRE(flags == 0);
    return driver_return(cudaMemPoolImportFromShareableHandle((cudaMemPool_t *)pool_out, handle, handle_type(handleType), 0));
}

CUresult cuMemPoolExportPointer(CUmemPoolPtrExportData *shareData_out, CUdeviceptr ptr)
{
    CONTEXT(c, d);
    return driver_return(cudaMemPoolExportPointer((struct cudaMemPoolPtrExportData *)shareData_out, driver_pointer(ptr)));
}

CUresult cuMemPoolImportPointer(CUdeviceptr *ptr_out, CUmemoryPool pool, CUmemPoolPtrExportData *shareData)
{
    CONTEXT(c, d);
    return driver_return(cudaMemPoolImportPointer(out(ptr_out), (cudaMemPool_t)pool, (struct cudaMemPoolPtrExportData *)shareData));
}
