/* Copies and fills (CUDA Driver API reference, "Memory Management"): each says where its sides are, and becomes one of the
 * runtime's. */
#include "driver/copy.h"

#include <string.h>

#include "runtime/array.h"
#include "runtime/copy.h"
#include "runtime/pointer.h"

static const void *from(CUdeviceptr p)
{
    return driver_pointer(p);
}

/* --- runs of bytes --- */

CUresult cuMemcpy(CUdeviceptr dst, CUdeviceptr src, size_t ByteCount)
{
    CONTEXT(c, d);
    return driver_return(cudaMemcpy(driver_pointer(dst), from(src), ByteCount, cudaMemcpyDefault));
}

CUresult cuMemcpyAsync(CUdeviceptr dst, CUdeviceptr src, size_t ByteCount, CUstream hStream)
{
    CONTEXT(c, d);
    return driver_return(cudaMemcpyAsync(driver_pointer(dst), from(src), ByteCount, cudaMemcpyDefault, hStream));
}

CUresult cuMemcpyHtoD_v2(CUdeviceptr dstDevice, const void *srcHost, size_t ByteCount)
{
    CONTEXT(c, d);
    return driver_return(cudaMemcpy(driver_pointer(dstDevice), srcHost, ByteCount, cudaMemcpyHostToDevice));
}

CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr dstDevice, const void *srcHost, size_t ByteCount, CUstream hStream)
{
    CONTEXT(c, d);
    return driver_return(cudaMemcpyAsync(driver_pointer(dstDevice), srcHost, ByteCount, cudaMemcpyHostToDevice, hStream));
}

CUresult cuMemcpyDtoH_v2(void *dstHost, CUdeviceptr srcDevice, size_t ByteCount)
{
    CONTEXT(c, d);
    return driver_return(cudaMemcpy(dstHost, from(srcDevice), ByteCount, cudaMemcpyDeviceToHost));
}

CUresult cuMemcpyDtoHAsync_v2(void *dstHost, CUdeviceptr srcDevice, size_t ByteCount, CUstream hStream)
{
    CONTEXT(c, d);
    return driver_return(cudaMemcpyAsync(dstHost, from(srcDevice), ByteCount, cudaMemcpyDeviceToHost, hStream));
}

CUresult cuMemcpyDtoD_v2(CUdeviceptr dstDevice, CUdeviceptr srcDevice, size_t ByteCount)
{
    CONTEXT(c, d);
    return driver_return(cudaMemcpy(driver_pointer(dstDevice), from(srcDevice), ByteCount, cudaMemcpyDeviceToDevice));
}

CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr dstDevice, CUdeviceptr srcDevice, size_t ByteCount, CUstream hStream)
{
    CONTEXT(c, d);
    return driver_return(cudaMemcpyAsync(driver_pointer(dstDevice), from(srcDevice), ByteCount, cudaMemcpyDeviceToDevice, hStream));
}

/* --- between contexts --- */

/* The device of a context that a call names; -1: no context. */
static int device_of(CUcontext ctx)
{
    return context_live((struct context *)ctx) ? ((struct context *)ctx)->device : -1;
}

CUresult cuMemcpyPeer(CUdeviceptr dstDevice, CUcontext dstContext, CUdeviceptr srcDevice, CUcontext srcContext,
                      size_t ByteCount)
{
    CONTEXT(c, d);
    int to = device_of(dstContext), of = device_of(srcContext);
    if (to < 0 || of < 0)
        return driver_leave(CUDA_ERROR_INVALID_CONTEXT);
    return driver_return(cudaMemcpyPeer(driver_pointer(dstDevice), to, from(srcDevice), of, ByteCount));
}

CUresult cuMemcpyPeerAsync(CUdeviceptr dstDevice, CUcontext dstContext, CUdeviceptr srcDevice, CUcontext srcContext,
                           size_t ByteCount, CUstream hStream)
{
    CONTEXT(c, d);
    int to = device_of(dstContext), of = device_of(srcContext);
    if (to < 0 || of < 0)
        return driver_leave(CUDA_ERROR_INVALID_CONTEXT);
    return driver_return(cudaMemcpyPeerAsync(driver_pointer(dstDevice), to, from(srcDevice), of, ByteCount, hStream));
}

/* --- boxes: x and width in bytes --- */

struct side {
    CUmemorytype type;
    const void *host;
    CUdeviceptr device;
    CUarray array;
    size_t pitch, height, x, y, z;
};

static bool inside(size_t at, size_t n, size_t size)
{
    size = size ? size : 1;
    return at <= size && n <= size - at;
}

/* An array's rows of bytes: a copy may begin and end within a texel. */
static CUresult take_array(const struct side *s, const size_t *box, struct cudaPitchedPtr *pitched)
{
    struct cudaChannelFormatDesc desc;
    struct cudaExtent e;
    unsigned flags;
    size_t texel;
    if (!s->array || cudaArrayGetInfo(&desc, &e, &flags, (cudaArray_t)s->array) ||
        !array_rows((cudaArray_t)s->array, pitched, &texel) || !inside(s->x, box[0], e.width * texel) ||
        !inside(s->y, box[1], e.height) || !inside(s->z, box[2], e.depth))
        return CUDA_ERROR_INVALID_VALUE;
    return CUDA_SUCCESS;
}

/* One side of a copy for the runtime, in bytes. */
static CUresult take_side(const struct side *s, const size_t *box, struct cudaPitchedPtr *pitched, struct cudaPos *at)
{
    const void *p = s->type == CU_MEMORYTYPE_HOST ? s->host : driver_pointer(s->device);
    size_t width = box[0], height = box[1];
    *at = (struct cudaPos){s->x, s->y, s->z};
    if (s->type == CU_MEMORYTYPE_ARRAY)
        return take_array(s, box, pitched);
    if (s->type != CU_MEMORYTYPE_HOST && s->type != CU_MEMORYTYPE_DEVICE && s->type != CU_MEMORYTYPE_UNIFIED)
        return CUDA_ERROR_INVALID_VALUE;
    size_t pitch = s->pitch ? s->pitch : s->x + width;
    if (pitch < s->x + width || !p)
        return CUDA_ERROR_INVALID_VALUE;
    *pitched = (struct cudaPitchedPtr){(void *)(uintptr_t)p, pitch, pitch, s->height ? s->height : s->y + height};
    return CUDA_SUCCESS;
}

/* A side that says that it is on the device must be. */
static enum cudaMemcpyKind kind_of(const struct side *to, const struct side *of)
{
    bool to_host = to->type == CU_MEMORYTYPE_HOST, of_host = of->type == CU_MEMORYTYPE_HOST;
    if (to->type == CU_MEMORYTYPE_UNIFIED || of->type == CU_MEMORYTYPE_UNIFIED)
        return cudaMemcpyDefault;
    return to_host ? of_host ? cudaMemcpyHostToHost : cudaMemcpyDeviceToHost
                   : of_host ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToDevice;
}

/* Bytes of an array's texel; 1 for other sides. */
static size_t texel_of(CUarray a)
{
    struct cudaPitchedPtr rows;
    size_t texel = 1;
    if (a)
        array_rows((cudaArray_t)a, &rows, &texel);
    return texel;
}

static void name_array(CUarray a, size_t texel, cudaArray_t *array, struct cudaPitchedPtr *rows, struct cudaPos *at)
{
    *array = (cudaArray_t)a;
    *rows = (struct cudaPitchedPtr){0};
    at->x /= texel;
}

/* A copy of whole texels names its arrays, which nodes of graphs show; one that begins or ends within a texel is of their
 * rows. */
static void name_arrays(const struct side *to, const struct side *of, struct cudaMemcpy3DParms *p)
{
    bool to_array = to->type == CU_MEMORYTYPE_ARRAY, of_array = of->type == CU_MEMORYTYPE_ARRAY;
    size_t to_texel = texel_of(to_array ? to->array : NULL), of_texel = texel_of(of_array ? of->array : NULL);
    size_t texel = to_array ? to_texel : of_texel;
    if ((to_array && of_array && to_texel != of_texel) || p->extent.width % texel || (to_array && to->x % texel) ||
        (of_array && of->x % texel))
        return;
    p->extent.width /= texel;
    if (to_array)
        name_array(to->array, texel, &p->dstArray, &p->dstPtr, &p->dstPos);
    if (of_array)
        name_array(of->array, texel, &p->srcArray, &p->srcPtr, &p->srcPos);
}

static CUresult box_params(const struct side *to, const struct side *of, const size_t *box, struct cudaMemcpy3DParms *p)
{
    memset(p, 0, sizeof *p);
    CUresult r = take_side(to, box, &p->dstPtr, &p->dstPos);
    r = r ? r : take_side(of, box, &p->srcPtr, &p->srcPos);
    if (r)
        return r;
    p->extent = (struct cudaExtent){box[0], box[1], box[2]};
    p->kind = kind_of(to, of);
    name_arrays(to, of, p);
    return CUDA_SUCCESS;
}

static CUresult copy_box(const struct side *to, const struct side *of, size_t width, size_t height, size_t depth,
                         CUstream stream, bool async)
{
    struct cudaMemcpy3DParms p;
    if (!width || !height || !depth)
        return CUDA_SUCCESS;
    CUresult r = box_params(to, of, (const size_t[]){width, height, depth}, &p);
    return r ? r : driver_result(async ? cudaMemcpy3DAsync(&p, stream) : cudaMemcpy3D(&p));
}

static CUresult copy_2d(const CUDA_MEMCPY2D *p, CUstream stream, bool async)
{
    if (!p)
        return CUDA_ERROR_INVALID_VALUE;
    const struct side to = {p->dstMemoryType, p->dstHost, p->dstDevice, p->dstArray, p->dstPitch, 0, p->dstXInBytes, p->dstY, 0};
    const struct side of = {p->srcMemoryType, p->srcHost, p->srcDevice, p->srcArray, p->srcPitch, 0, p->srcXInBytes, p->srcY, 0};
    return copy_box(&to, &of, p->WidthInBytes, p->Height, 1, stream, async);
}

CUresult cuMemcpy2D_v2(const CUDA_MEMCPY2D *pCopy)
{
    CONTEXT(c, d);
    return driver_leave(copy_2d(pCopy, NULL, false));
}

CUresult cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D *pCopy)
{
    CONTEXT(c, d);
    return driver_leave(copy_2d(pCopy, NULL, false));
}

CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D *pCopy, CUstream hStream)
{
    CONTEXT(c, d);
    return driver_leave(copy_2d(pCopy, hStream, true));
}

/* One end, src or dst, of what describes a copy in three dimensions. */
#define END(p, end)                                                                                                    \
    {                                                                                                                  \
        (p)->end##MemoryType, (p)->end##Host, (p)->end##Device, (p)->end##Array, (p)->end##Pitch, (p)->end##Height,    \
            (p)->end##XInBytes, (p)->end##Y, (p)->end##Z                                                               \
    }

static bool is_fine(const CUDA_MEMCPY3D *p)
{
    return p && !p->srcLOD && !p->dstLOD && !p->reserved0 && !p->reserved1;
}

static CUresult copy_3d(const CUDA_MEMCPY3D *p, CUstream stream, bool async)
{
    if (!is_fine(p))
        return CUDA_ERROR_INVALID_VALUE;
    const struct side to = END(p, dst), of = END(p, src);
    return copy_box(&to, &of, p->WidthInBytes, p->Height, p->Depth, stream, async);
}

CUresult copy_params(const CUDA_MEMCPY3D *p, struct cudaMemcpy3DParms *out)
{
    if (!is_fine(p))
        return CUDA_ERROR_INVALID_VALUE;
    const struct side to = END(p, dst), of = END(p, src);
    return box_params(&to, &of, (const size_t[]){p->WidthInBytes, p->Height, p->Depth}, out);
}

static struct side side_of(cudaArray_t array, const struct cudaPitchedPtr *rows, const struct cudaPos *at, enum cudaMemcpyKind kind,
                           bool to)
{
    bool host = kind == cudaMemcpyHostToHost || kind == (to ? cudaMemcpyDeviceToHost : cudaMemcpyHostToDevice);
    CUmemorytype type = kind == cudaMemcpyDefault ? CU_MEMORYTYPE_UNIFIED : host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
    if (array)
        return (struct side){.type = CU_MEMORYTYPE_ARRAY, .array = (CUarray)array, .x = at->x * texel_of((CUarray)array),
                             .y = at->y, .z = at->z};
    return (struct side){type, host ? rows->ptr : NULL, host ? 0 : (CUdeviceptr)(uintptr_t)rows->ptr, NULL, rows->pitch,
                         rows->ysize, at->x, at->y, at->z};
}

#define SET_END(p, end, s)                                                                                             \
    do {                                                                                                               \
        (p)->end##MemoryType = (s)->type;                                                                              \
        (p)->end##Host = (void *)(uintptr_t)(s)->host;                                                                 \
        (p)->end##Device = (s)->device;                                                                                \
        (p)->end##Array = (s)->array;                                                                                  \
        (p)->end##Pitch = (s)->pitch;                                                                                  \
        (p)->end##Height = (s)->height;                                                                                \
        (p)->end##XInBytes = (s)->x;                                                                                   \
        (p)->end##Y = (s)->y;                                                                                          \
        (p)->end##Z = (s)->z;                                                                                          \
    } while (0)

void copy_description(const struct cudaMemcpy3DParms *p, CUDA_MEMCPY3D *out)
{
    const struct side to = side_of(p->dstArray, &p->dstPtr, &p->dstPos, p->kind, true);
    const struct side of = side_of(p->srcArray, &p->srcPtr, &p->srcPos, p->kind, false);
    memset(out, 0, sizeof *out);
    SET_END(out, dst, &to);
    SET_END(out, src, &of);
    out->WidthInBytes = p->extent.width * texel_of((CUarray)(p->dstArray ? p->dstArray : p->srcArray));
    out->Height = p->extent.height;
    out->Depth = p->extent.depth;
}

CUresult cuMemcpy3D_v2(const CUDA_MEMCPY3D *pCopy)
{
    CONTEXT(c, d);
    return driver_leave(copy_3d(pCopy, NULL, false));
}

CUresult cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D *pCopy, CUstream hStream)
{
    CONTEXT(c, d);
    return driver_leave(copy_3d(pCopy, hStream, true));
}

static CUresult copy_3d_peer(const CUDA_MEMCPY3D_PEER *p, CUstream stream, bool async)
{
    if (!p || p->srcLOD || p->dstLOD)
        return CUDA_ERROR_INVALID_VALUE;
    if (device_of(p->srcContext) < 0 || device_of(p->dstContext) < 0)
        return CUDA_ERROR_INVALID_CONTEXT;
    const struct side to = END(p, dst), of = END(p, src);
    return copy_box(&to, &of, p->WidthInBytes, p->Height, p->Depth, stream, async);
}

CUresult cuMemcpy3DPeer(const CUDA_MEMCPY3D_PEER *pCopy)
{
    CONTEXT(c, d);
    return driver_leave(copy_3d_peer(pCopy, NULL, false));
}

CUresult cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D_PEER *pCopy, CUstream hStream)
{
    CONTEXT(c, d);
    return driver_leave(copy_3d_peer(pCopy, hStream, true));
}

/* --- a run of bytes in one row of an array --- */

static struct side in_array(CUarray a, size_t offset)
{
    return (struct side){.type = CU_MEMORYTYPE_ARRAY, .array = a, .x = offset};
}

static struct side in_memory(const void *p, bool host)
{
    return (struct side){.type = host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE, .host = p, .device = (CUdeviceptr)(uintptr_t)p};
}

static CUresult copy_run(struct side to, struct side of, size_t bytes, CUstream stream, bool async)
{
    if ((to.type == CU_MEMORYTYPE_ARRAY && !to.array) || (of.type == CU_MEMORYTYPE_ARRAY && !of.array))
        return driver_leave(CUDA_ERROR_INVALID_HANDLE);
    return driver_leave(copy_box(&to, &of, bytes, 1, 1, stream, async));
}

CUresult cuMemcpyDtoA_v2(CUarray dstArray, size_t dstOffset, CUdeviceptr srcDevice, size_t ByteCount)
{
    CONTEXT(c, d);
    return copy_run(in_array(dstArray, dstOffset), in_memory(from(srcDevice), false), ByteCount, NULL, false);
}

CUresult cuMemcpyHtoA_v2(CUarray dstArray, size_t dstOffset, const void *srcHost, size_t ByteCount)
{
    CONTEXT(c, d);
    return copy_run(in_array(dstArray, dstOffset), in_memory(srcHost, true), ByteCount, NULL, false);
}

CUresult cuMemcpyHtoAAsync_v2(CUarray dstArray, size_t dstOffset, const void *srcHost, size_t ByteCount, CUstream hStream)
{
    CONTEXT(c, d);
    return copy_run(in_array(dstArray, dstOffset), in_memory(srcHost, true), ByteCount, hStream, true);
}

CUresult cuMemcpyAtoD_v2(CUdeviceptr dstDevice, CUarray srcArray, size_t srcOffset, size_t ByteCount)
{
    CONTEXT(c, d);
    return copy_run(in_memory(from(dstDevice), false), in_array(srcArray, srcOffset), ByteCount, NULL, false);
}

CUresult cuMemcpyAtoH_v2(void *dstHost, CUarray srcArray, size_t srcOffset, size_t ByteCount)
{
    CONTEXT(c, d);
    return copy_run(in_memory(dstHost, true), in_array(srcArray, srcOffset), ByteCount, NULL, false);
}

CUresult cuMemcpyAtoHAsync_v2(void *dstHost, CUarray srcArray, size_t srcOffset, size_t ByteCount, CUstream hStream)
{
    CONTEXT(c, d);
    return copy_run(in_memory(dstHost, true), in_array(srcArray, srcOffset), ByteCount, hStream, true);
}

CUresult cuMemcpyAtoA_v2(CUarray dstArray, size_t dstOffset, CUarray srcArray, size_t srcOffset, size_t ByteCount)
{
    CONTEXT(c, d);
    return copy_run(in_array(dstArray, dstOffset), in_array(srcArray, srcOffset), ByteCount, NULL, false);
}

/* --- fills: of 1, 2 or 4 bytes, in rows --- */

#define FILL(name, type, bytes)                                                                                        \
    CUresult cuMemset##name##_v2(CUdeviceptr dstDevice, type value, size_t N)                                          \
    {                                                                                                                  \
        CONTEXT(c, d);                                                                                                 \
        return driver_return(copy_fill(driver_pointer(dstDevice), N * bytes, value, bytes, N, 1, NULL));               \
    }                                                                                                                  \
    CUresult cuMemset##name##Async(CUdeviceptr dstDevice, type value, size_t N, CUstream hStream)                      \
    {                                                                                                                  \
        CONTEXT(c, d);                                                                                                 \
        return driver_return(copy_fill(driver_pointer(dstDevice), N * bytes, value, bytes, N, 1, hStream));            \
    }
FILL(D8, unsigned char, 1)
FILL(D16, unsigned short, 2)
FILL(D32, unsigned int, 4)
#undef FILL

#define FILL(name, type, bytes)                                                                                        \
    CUresult cuMemset##name##_v2(CUdeviceptr dstDevice, size_t dstPitch, type value, size_t Width, size_t Height)      \
    {                                                                                                                  \
        CONTEXT(c, d);                                                                                                 \
        return driver_return(copy_fill(driver_pointer(dstDevice), dstPitch, value, bytes, Width, Height, NULL));       \
    }                                                                                                                  \
    CUresult cuMemset##name##Async(CUdeviceptr dstDevice, size_t dstPitch, type value, size_t Width, size_t Height,    \
                                   CUstream hStream)                                                                   \
    {                                                                                                                  \
        CONTEXT(c, d);                                                                                                 \
        return driver_return(copy_fill(driver_pointer(dstDevice), dstPitch, value, bytes, Width, Height, hStream));    \
    }
FILL(D2D8, unsigned char, 1)
FILL(D2D16, unsigned short, 2)
FILL(D2D32, unsigned int, 4)
#undef FILL
