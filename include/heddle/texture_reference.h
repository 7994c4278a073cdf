/* Texture and surface references: texture<float, 2> t; cudaBindTextureToArray(t, array); tex2D(t, x, y), and
 * surface<void, 2> s; cudaBindSurfaceToArray(s, array); surf2Dwrite(value, s, 4 * x, y).
 *
 * CUDA 12 removed them. A file that does not compile without this header, because it names a template, is compiled with
 * it (src/compile/compile.c): in newer programs `texture` may be a name of their own.
 * On the device a reference is a variable of 8 bytes (.texref, .surfref), which clang knows by the attribute; its address takes
 * the place of a texture object's handle, and the bound object's handle is what it holds (src/runtime/reference.c). */
#ifndef HEDDLE_TEXTURE_REFERENCE_H
#define HEDDLE_TEXTURE_REFERENCE_H

#define cudaTextureType1D              0x01
#define cudaTextureType2D              0x02
#define cudaTextureType3D              0x03
#define cudaTextureTypeCubemap         0x0C
#define cudaTextureType1DLayered       0xF1
#define cudaTextureType2DLayered       0xF2
#define cudaTextureTypeCubemapLayered  0xFC

template <class T, int type = cudaTextureType1D, cudaTextureReadMode mode = cudaReadModeElementType>
struct __attribute__((device_builtin_texture_type)) texture : public textureReference {
    texture(int norm = 0, cudaTextureFilterMode filter = cudaFilterModePoint,
            cudaTextureAddressMode address = cudaAddressModeClamp)
        : texture(norm, filter, address, cudaCreateChannelDesc<T>())
    {
    }
    texture(int norm, cudaTextureFilterMode filter, cudaTextureAddressMode address, cudaChannelFormatDesc desc)
        : textureReference()
    {
        normalized = norm;
        filterMode = filter;
        addressMode[0] = addressMode[1] = addressMode[2] = address;
        channelDesc = desc;
    }
};

#define cudaSurfaceType1D              0x01
#define cudaSurfaceType2D              0x02
#define cudaSurfaceType3D              0x03
#define cudaSurfaceTypeCubemap         0x0C
#define cudaSurfaceType1DLayered       0xF1
#define cudaSurfaceType2DLayered       0xF2
#define cudaSurfaceTypeCubemapLayered  0xFC

template <class T, int type = cudaSurfaceType1D>
struct __attribute__((device_builtin_surface_type)) surface : public surfaceReference {
    surface() : surfaceReference() {}
};

/* ---- device: the forms on objects, with what the mode makes of T ---- */

template <class T, cudaTextureReadMode mode> struct __heddle_reference { typedef T type; };
#define NORMALIZED(S, V)                                                                           \
    template <> struct __heddle_reference<S, cudaReadModeNormalizedFloat> { typedef float type; }; \
    template <> struct __heddle_reference<V##1, cudaReadModeNormalizedFloat> { typedef float1 type; }; \
    template <> struct __heddle_reference<V##2, cudaReadModeNormalizedFloat> { typedef float2 type; }; \
    template <> struct __heddle_reference<V##4, cudaReadModeNormalizedFloat> { typedef float4 type; };
template <> struct __heddle_reference<char, cudaReadModeNormalizedFloat> { typedef float type; };
NORMALIZED(signed char, char)
NORMALIZED(unsigned char, uchar)
NORMALIZED(short, short)
NORMALIZED(unsigned short, ushort)
#undef NORMALIZED

#ifdef __CUDA_ARCH__
#define FETCH(name, ...)                                                                           \
    cudaTextureObject_t object;                                                                    \
    __asm__("mov.b64 %0, %1;" : "=l"(object) : "l"(t));                                            \
    return name<typename __heddle_reference<T, mode>::type>(object, __VA_ARGS__);
#else
#define FETCH(name, ...) return typename __heddle_reference<T, mode>::type();
#endif
#define AND ,
#define FORM(name, dims, parameters, ...)                                                          \
    template <class T, cudaTextureReadMode mode>                                                   \
    static __device__ __inline__ __attribute__((always_inline)) typename __heddle_reference<T, mode>::type \
    name(texture<T, dims, mode> t, parameters)                                                     \
    {                                                                                              \
        FETCH(name, __VA_ARGS__)                                                                   \
    }
#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))
FORM(tex1Dfetch, cudaTextureType1D, int x, x)
FORM(tex1D, cudaTextureType1D, float x, x)
FORM(tex2D, cudaTextureType2D, float x AND float y, x, y)
FORM(tex3D, cudaTextureType3D, float x AND float y AND float z, x, y, z)
FORM(tex1DLod, cudaTextureType1D, float x AND float level, x, level)
FORM(tex2DLod, cudaTextureType2D, float x AND float y AND float level, x, y, level)
FORM(tex3DLod, cudaTextureType3D, float x AND float y AND float z AND float level, x, y, z, level)
FORM(tex1DLayered, cudaTextureType1DLayered, float x AND int layer, x, layer)
FORM(tex2DLayered, cudaTextureType2DLayered, float x AND float y AND int layer, x, y, layer)
FORM(texCubemap, cudaTextureTypeCubemap, float x AND float y AND float z, x, y, z)
FORM(texCubemapLayered, cudaTextureTypeCubemapLayered, float x AND float y AND float z AND int layer, x, y, z, layer)
#undef FORM
#undef FETCH

#ifdef __CUDA_ARCH__
#define OBJECT(s)                                                                                  \
    cudaSurfaceObject_t object;                                                                    \
    __asm__("mov.b64 %0, %1;" : "=l"(object) : "l"(s));
#else
#define OBJECT(s) cudaSurfaceObject_t object = 0;
#endif
#define FORMS(name, dims, parameters, ...)                                                         \
    template <class T> static __device__ __inline__ __attribute__((always_inline)) T                \
    name##read(surface<void, dims> s, parameters, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) \
    {                                                                                              \
        OBJECT(s)                                                                                  \
        return name##read<T>(object, __VA_ARGS__, mode);                                           \
    }                                                                                              \
    template <class T> static __device__ __inline__ __attribute__((always_inline)) void             \
    name##read(T *p, surface<void, dims> s, parameters, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) \
    {                                                                                              \
        OBJECT(s)                                                                                  \
        *p = name##read<T>(object, __VA_ARGS__, mode);                                             \
    }                                                                                              \
    template <class T> static __device__ __inline__ __attribute__((always_inline)) void             \
    name##write(T value, surface<void, dims> s, parameters, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) \
    {                                                                                              \
        OBJECT(s)                                                                                  \
        name##write(value, object, __VA_ARGS__, mode);                                             \
    }
FORMS(surf1D, cudaSurfaceType1D, int x, x)
FORMS(surf2D, cudaSurfaceType2D, int x AND int y, x, y)
FORMS(surf3D, cudaSurfaceType3D, int x AND int y AND int z, x, y, z)
FORMS(surf1DLayered, cudaSurfaceType1DLayered, int x AND int layer, x, layer)
FORMS(surf2DLayered, cudaSurfaceType2DLayered, int x AND int y AND int layer, x, y, layer)
FORMS(surfCubemap, cudaSurfaceTypeCubemap, int x AND int y AND int face, x, y, face)
FORMS(surfCubemapLayered, cudaSurfaceTypeCubemapLayered, int x AND int y AND int face, x, y, face)
#pragma clang attribute pop
#undef FORMS
#undef OBJECT
#undef AND

/* ---- host: the calls with the template instead of its base ---- */

#define BIND template <class T, int type, cudaTextureReadMode mode> static inline cudaError_t
typedef __SIZE_TYPE__ __heddle_size;
BIND cudaBindTexture(__heddle_size *offset, const texture<T, type, mode> &t, const void *p, const cudaChannelFormatDesc &desc,
                     __heddle_size bytes = UINT_MAX)
{
    return ::cudaBindTexture(offset, static_cast<const textureReference *>(&t), p, &desc, bytes);
}
BIND cudaBindTexture(__heddle_size *offset, const texture<T, type, mode> &t, const void *p, __heddle_size bytes = UINT_MAX)
{
    return cudaBindTexture(offset, t, p, t.channelDesc, bytes);
}
BIND cudaBindTexture2D(__heddle_size *offset, const texture<T, type, mode> &t, const void *p, const cudaChannelFormatDesc &desc,
                       __heddle_size width, __heddle_size height, __heddle_size pitch)
{
    return ::cudaBindTexture2D(offset, static_cast<const textureReference *>(&t), p, &desc, width, height, pitch);
}
BIND cudaBindTexture2D(__heddle_size *offset, const texture<T, type, mode> &t, const void *p, __heddle_size width,
                       __heddle_size height, __heddle_size pitch)
{
    return cudaBindTexture2D(offset, t, p, t.channelDesc, width, height, pitch);
}
BIND cudaBindTextureToArray(const texture<T, type, mode> &t, cudaArray_const_t array, const cudaChannelFormatDesc &desc)
{
    return ::cudaBindTextureToArray(static_cast<const textureReference *>(&t), array, &desc);
}
BIND cudaBindTextureToArray(const texture<T, type, mode> &t, cudaArray_const_t array)
{
    cudaChannelFormatDesc desc;
    cudaError_t e = cudaGetChannelDesc(&desc, array);
    return e ? e : cudaBindTextureToArray(t, array, desc);
}
BIND cudaUnbindTexture(const texture<T, type, mode> &t)
{
    return ::cudaUnbindTexture(static_cast<const textureReference *>(&t));
}
BIND cudaGetTextureAlignmentOffset(__heddle_size *offset, const texture<T, type, mode> &t)
{
    return ::cudaGetTextureAlignmentOffset(offset, static_cast<const textureReference *>(&t));
}
BIND cudaGetTextureReference(const textureReference **reference, const texture<T, type, mode> &t)
{
    return ::cudaGetTextureReference(reference, static_cast<const void *>(&t));
}
#undef BIND

template <class T, int type>
static inline cudaError_t cudaBindSurfaceToArray(const surface<T, type> &s, cudaArray_const_t array, const cudaChannelFormatDesc &desc)
{
    return ::cudaBindSurfaceToArray(static_cast<const surfaceReference *>(&s), array, &desc);
}
template <class T, int type>
static inline cudaError_t cudaBindSurfaceToArray(const surface<T, type> &s, cudaArray_const_t array)
{
    cudaChannelFormatDesc desc;
    cudaError_t e = cudaGetChannelDesc(&desc, array);
    return e ? e : cudaBindSurfaceToArray(s, array, desc);
}
template <class T, int type>
static inline cudaError_t cudaGetSurfaceReference(const surfaceReference **reference, const surface<T, type> &s)
{
    return ::cudaGetSurfaceReference(reference, static_cast<const void *>(&s));
}

#endif
