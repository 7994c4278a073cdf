/* Arrays, texture and surface objects (CUDA Driver API reference, "Memory Management", "Texture Object Management", "Surface
 * Object Management") in the runtime's descriptions. */
#include "driver/array.h"

#include <string.h>

#include "runtime/array.h"

bool array_channels(int format, unsigned channels, struct cudaChannelFormatDesc *out)
{
    static const struct {
        CUarray_format format;
        enum cudaChannelFormatKind kind;
        int bits;
    } known[] = {{CU_AD_FORMAT_UNSIGNED_INT8, cudaChannelFormatKindUnsigned, 8}, {CU_AD_FORMAT_UNSIGNED_INT16, cudaChannelFormatKindUnsigned, 16},
                 {CU_AD_FORMAT_UNSIGNED_INT32, cudaChannelFormatKindUnsigned, 32}, {CU_AD_FORMAT_SIGNED_INT8, cudaChannelFormatKindSigned, 8},
                 {CU_AD_FORMAT_SIGNED_INT16, cudaChannelFormatKindSigned, 16}, {CU_AD_FORMAT_SIGNED_INT32, cudaChannelFormatKindSigned, 32},
                 {CU_AD_FORMAT_HALF, cudaChannelFormatKindFloat, 16}, {CU_AD_FORMAT_FLOAT, cudaChannelFormatKindFloat, 32}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if ((int)known[i].format != format || (channels != 1 && channels != 2 && channels != 4))
            continue;
        int b = known[i].bits;
        *out = (struct cudaChannelFormatDesc){b, channels > 1 ? b : 0, channels > 2 ? b : 0, channels > 2 ? b : 0, known[i].kind};
        return true;
    }
    return false;
}

bool array_format(const struct cudaChannelFormatDesc *desc, CUarray_format *format, unsigned *channels)
{
    *channels = desc->w ? 4 : desc->y ? 2 : 1;
    int step = desc->x == 8 ? 0 : desc->x == 16 ? 1 : 2;
    switch (desc->f) {
    case cudaChannelFormatKindUnsigned:
        *format = (CUarray_format)(CU_AD_FORMAT_UNSIGNED_INT8 + step);
        return true;
    case cudaChannelFormatKindSigned:
        *format = (CUarray_format)(CU_AD_FORMAT_SIGNED_INT8 + step);
        return true;
    case cudaChannelFormatKindFloat:
        *format = desc->x == 16 ? CU_AD_FORMAT_HALF : CU_AD_FORMAT_FLOAT;
        return true;
    default:
        return false;
    }
}

/* --- arrays --- */

/* Flags of arrays have the same values in both interfaces. */
static CUresult create(CUarray *out, const CUDA_ARRAY3D_DESCRIPTOR *a)
{
    struct cudaChannelFormatDesc desc;
    if (!out || !a || !array_channels((int)a->Format, a->NumChannels, &desc))
        return CUDA_ERROR_INVALID_VALUE;
    struct cudaExtent e = {a->Width, a->Height, a->Depth};
    return driver_result(cudaMalloc3DArray((cudaArray_t *)out, &desc, e, a->Flags));
}

CUresult cuArray3DCreate_v2(CUarray *pHandle, const CUDA_ARRAY3D_DESCRIPTOR *pAllocateArray)
{
    CONTEXT(c, d);
    return driver_leave(create(pHandle, pAllocateArray));
}

CUresult cuArrayCreate_v2(CUarray *pHandle, const CUDA_ARRAY_DESCRIPTOR *pAllocateArray)
{
    CONTEXT(c, d);
    REQUIRE(pAllocateArray);
    const CUDA_ARRAY3D_DESCRIPTOR a = {.Width = pAllocateArray->Width, .Height = pAllocateArray->Height,
                                       .Format = pAllocateArray->Format, .NumChannels = pAllocateArray->NumChannels};
    return driver_leave(create(pHandle, &a));
}

CUresult cuArray3DGetDescriptor_v2(CUDA_ARRAY3D_DESCRIPTOR *pArrayDescriptor, CUarray hArray)
{
    CONTEXT(c, d);
    struct cudaChannelFormatDesc desc;
    struct cudaExtent e;
    unsigned flags;
    REQUIRE(pArrayDescriptor);
    cudaError_t error = cudaArrayGetInfo(&desc, &e, &flags, (cudaArray_t)hArray);
    if (error)
        return driver_return(error);
    *pArrayDescriptor = (CUDA_ARRAY3D_DESCRIPTOR){.Width = e.width, .Height = e.height, .Depth = e.depth, .Flags = flags};
    array_format(&desc, &pArrayDescriptor->Format, &pArrayDescriptor->NumChannels);
    return CUDA_SUCCESS;
}

CUresult cuArrayGetDescriptor_v2(CUDA_ARRAY_DESCRIPTOR *pArrayDescriptor, CUarray hArray)
{
    CONTEXT(c, d);
    CUDA_ARRAY3D_DESCRIPTOR a;
    REQUIRE(pArrayDescriptor);
    CUresult r = cuArray3DGetDescriptor_v2(&a, hArray);
    if (!r)
        *pArrayDescriptor = (CUDA_ARRAY_DESCRIPTOR){a.Width, a.Height, a.Format, a.NumChannels};
    return driver_leave(r);
}

CUresult cuArrayDestroy(CUarray hArray)
{
    CONTEXT(c, d);
    if (!hArray)
        return driver_leave(CUDA_ERROR_INVALID_HANDLE);
    return driver_return(cudaFreeArray((cudaArray_t)hArray));
}

/* --- texture and surface objects --- */

static CUresult resource_of(const CUDA_RESOURCE_DESC *from, struct cudaResourceDesc *to)
{
    memset(to, 0, sizeof *to);
    if (!from)
        return CUDA_ERROR_INVALID_VALUE;
    switch (from->resType) {
    case CU_RESOURCE_TYPE_ARRAY:
        to->resType = cudaResourceTypeArray;
        to->res.array.array = (cudaArray_t)from->res.array.hArray;
        return from->res.array.hArray ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    case CU_RESOURCE_TYPE_LINEAR:
        to->resType = cudaResourceTypeLinear;
        to->res.linear.devPtr = driver_pointer(from->res.linear.devPtr);
        to->res.linear.sizeInBytes = from->res.linear.sizeInBytes;
        return array_channels((int)from->res.linear.format, from->res.linear.numChannels, &to->res.linear.desc)
                   ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    case CU_RESOURCE_TYPE_PITCH2D:
        to->resType = cudaResourceTypePitch2D;
        to->res.pitch2D.devPtr = driver_pointer(from->res.pitch2D.devPtr);
        to->res.pitch2D.width = from->res.pitch2D.width;
        to->res.pitch2D.height = from->res.pitch2D.height;
        to->res.pitch2D.pitchInBytes = from->res.pitch2D.pitchInBytes;
        return array_channels((int)from->res.pitch2D.format, from->res.pitch2D.numChannels, &to->res.pitch2D.desc)
                   ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
        return driver_not_supported("cuTexObjectCreate of a mipmapped array");
    }
    return CUDA_ERROR_INVALID_VALUE;
}

static void resource_back(const struct cudaResourceDesc *from, CUDA_RESOURCE_DESC *to)
{
    memset(to, 0, sizeof *to);
    switch (from->resType) {
    case cudaResourceTypeLinear:
        to->resType = CU_RESOURCE_TYPE_LINEAR;
        to->res.linear.devPtr = (CUdeviceptr)(uintptr_t)from->res.linear.devPtr;
        to->res.linear.sizeInBytes = from->res.linear.sizeInBytes;
        array_format(&from->res.linear.desc, &to->res.linear.format, &to->res.linear.numChannels);
        break;
    case cudaResourceTypePitch2D:
        to->resType = CU_RESOURCE_TYPE_PITCH2D;
        to->res.pitch2D.devPtr = (CUdeviceptr)(uintptr_t)from->res.pitch2D.devPtr;
        to->res.pitch2D.width = from->res.pitch2D.width;
        to->res.pitch2D.height = from->res.pitch2D.height;
        to->res.pitch2D.pitchInBytes = from->res.pitch2D.pitchInBytes;
        array_format(&from->res.pitch2D.desc, &to->res.pitch2D.format, &to->res.pitch2D.numChannels);
        break;
    default:
        to->resType = CU_RESOURCE_TYPE_ARRAY;
        to->res.array.hArray = (CUarray)from->res.array.array;
    }
}

/* Does the runtime's element type hold integers, so that reading gives fractions unless CU_TRSF_READ_AS_INTEGER says no? */
static bool holds_integers(const struct cudaResourceDesc *r)
{
    struct cudaChannelFormatDesc desc = {0};
    if (r->resType == cudaResourceTypeArray)
        cudaGetChannelDesc(&desc, r->res.array.array);
    else
        desc = r->resType == cudaResourceTypeLinear ? r->res.linear.desc : r->res.pitch2D.desc;
    return desc.f != cudaChannelFormatKindFloat && desc.x < 32;
}

static void texture_of(const CUDA_TEXTURE_DESC *from, const struct cudaResourceDesc *r, struct cudaTextureDesc *to)
{
    memset(to, 0, sizeof *to);
    for (int i = 0; i < 3; i++)
        to->addressMode[i] = (enum cudaTextureAddressMode)from->addressMode[i];
    to->filterMode = (enum cudaTextureFilterMode)from->filterMode;
    to->readMode = holds_integers(r) && !(from->flags & CU_TRSF_READ_AS_INTEGER)
                       ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
    to->sRGB = (from->flags & CU_TRSF_SRGB) != 0;
    to->normalizedCoords = (from->flags & CU_TRSF_NORMALIZED_COORDINATES) != 0;
    to->seamlessCubemap = (from->flags & CU_TRSF_SEAMLESS_CUBEMAP) != 0;
    to->maxAnisotropy = from->maxAnisotropy;
    to->mipmapFilterMode = (enum cudaTextureFilterMode)from->mipmapFilterMode;
    to->mipmapLevelBias = from->mipmapLevelBias;
    to->minMipmapLevelClamp = from->minMipmapLevelClamp;
    to->maxMipmapLevelClamp = from->maxMipmapLevelClamp;
    memcpy(to->borderColor, from->borderColor, sizeof to->borderColor);
}

CUresult cuTexObjectCreate(CUtexObject *pTexObject, const CUDA_RESOURCE_DESC *pResDesc, const CUDA_TEXTURE_DESC *pTexDesc,
                           const CUDA_RESOURCE_VIEW_DESC *pResViewDesc)
{
    CONTEXT(c, d);
    struct cudaResourceDesc resource;
    struct cudaTextureDesc texture;
    REQUIRE(pTexObject && pTexDesc);
    if (pResViewDesc)
        return driver_leave(driver_not_supported("cuTexObjectCreate with a resource view"));
    CUresult r = resource_of(pResDesc, &resource);
    if (r)
        return driver_leave(r);
    texture_of(pTexDesc, &resource, &texture);
    return driver_return(cudaCreateTextureObject((cudaTextureObject_t *)pTexObject, &resource, &texture, NULL));
}

CUresult cuTexObjectDestroy(CUtexObject texObject)
{
    CONTEXT(c, d);
    return driver_return(cudaDestroyTextureObject(texObject));
}

CUresult cuTexObjectGetResourceDesc(CUDA_RESOURCE_DESC *pResDesc, CUtexObject texObject)
{
    CONTEXT(c, d);
    struct cudaResourceDesc resource;
    REQUIRE(pResDesc);
    cudaError_t e = cudaGetTextureObjectResourceDesc(&resource, texObject);
    if (!e)
        resource_back(&resource, pResDesc);
    return driver_return(e);
}

CUresult cuTexObjectGetTextureDesc(CUDA_TEXTURE_DESC *pTexDesc, CUtexObject texObject)
{
    CONTEXT(c, d);
    struct cudaTextureDesc t;
    REQUIRE(pTexDesc);
    cudaError_t e = cudaGetTextureObjectTextureDesc(&t, texObject);
    if (e)
        return driver_return(e);
    memset(pTexDesc, 0, sizeof *pTexDesc);
    for (int i = 0; i < 3; i++)
        pTexDesc->addressMode[i] = (CUaddress_mode)t.addressMode[i];
    pTexDesc->filterMode = (CUfilter_mode)t.filterMode;
    pTexDesc->flags = (t.readMode == cudaReadModeElementType ? CU_TRSF_READ_AS_INTEGER : 0u) | (t.sRGB ? CU_TRSF_SRGB : 0u) |
                      (t.normalizedCoords ? CU_TRSF_NORMALIZED_COORDINATES : 0u);
    pTexDesc->maxAnisotropy = t.maxAnisotropy;
    memcpy(pTexDesc->borderColor, t.borderColor, sizeof t.borderColor);
    return CUDA_SUCCESS;
}

CUresult cuSurfObjectCreate(CUsurfObject *pSurfObject, const CUDA_RESOURCE_DESC *pResDesc)
{
    CONTEXT(c, d);
    struct cudaResourceDesc resource;
    REQUIRE(pSurfObject);
    CUresult r = resource_of(pResDesc, &resource);
    return r ? driver_leave(r) : driver_return(cudaCreateSurfaceObject((cudaSurfaceObject_t *)pSurfObject, &resource));
}

CUresult cuSurfObjectDestroy(CUsurfObject surfObject)
{
    CONTEXT(c, d);
    return driver_return(cudaDestroySurfaceObject(surfObject));
}

CUresult cuSurfObjectGetResourceDesc(CUDA_RESOURCE_DESC *pResDesc, CUsurfObject surfObject)
{
    CONTEXT(c, d);
    struct cudaResourceDesc resource;
    REQUIRE(pResDesc);
    cudaError_t e = cudaGetSurfaceObjectResourceDesc(&resource, surfObject);
    if (!e)
        resource_back(&resource, pResDesc);
    return driver_return(e);
}
