/* Texture fetches and surface accesses, on texture and surface objects.
 *
 * CUDA C++ Programming Guide, "Texture Functions", "Surface Functions". One PTX instruction each; T is char to int (signed
 * or not), float, or a vector of 1, 2 or 4 of them (surfaces: long and long long too). With read mode "normalized float" T
 * is float or a vector of floats. No texture has smaller levels, so the gradients of the ...Grad forms choose nothing.
 * Texture and surface references: heddle/texture_reference.h. */
#ifndef HEDDLE_DEVICE_TEXTURE_H
#define HEDDLE_DEVICE_TEXTURE_H

/* Counts for the line of the program that calls it, as in device.h. */
#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))

#define FN template <class T> static __device__ __inline__ __attribute__((always_inline)) typename __heddle_texel<T>::checked

/* From the four values of an instruction to T. U: type of the values; the letter is the asm constraint. */
template <class T> struct __heddle_texel;
#define TEXEL(T, kind_, value_)                                                                    \
    template <> struct __heddle_texel<T> {                                                         \
        typedef T checked;                                                                         \
        enum { kind = kind_ };                                                                     \
        template <class U> static __device__ __inline__ T make(U x, U y, U z, U w)                 \
        {                                                                                          \
            (void)y, (void)z, (void)w;                                                             \
            return value_;                                                                         \
        }                                                                                          \
    };
#define TEXELS(S, V, kind)                                                                         \
    TEXEL(S, kind, (S)x)                                                                           \
    TEXEL(V##1, kind, (V##1{(S)x}))                                                                \
    TEXEL(V##2, kind, (V##2{(S)x, (S)y}))                                                          \
    TEXEL(V##4, kind, (V##4{(S)x, (S)y, (S)z, (S)w}))
enum { __heddle_texel_signed, __heddle_texel_unsigned, __heddle_texel_float };
TEXEL(char, __heddle_texel_signed, (char)x)
TEXELS(signed char, char, __heddle_texel_signed)
TEXELS(short, short, __heddle_texel_signed)
TEXELS(int, int, __heddle_texel_signed)
TEXELS(unsigned char, uchar, __heddle_texel_unsigned)
TEXELS(unsigned short, ushort, __heddle_texel_unsigned)
TEXELS(unsigned int, uint, __heddle_texel_unsigned)
TEXELS(float, float, __heddle_texel_float)
#undef TEXELS
#undef TEXEL

#if defined(__CUDA_ARCH__)
/* op: "tex.2d.v4", coordinates: "f32", address: "{%5, %6}", then their operands */
#define FETCH(op, ctype, address, ...)                                                             \
    if (__heddle_texel<T>::kind == __heddle_texel_float) {                                         \
        float x_, y_, z_, w_;                                                                      \
        __asm__ __volatile__(op ".f32." ctype " {%0, %1, %2, %3}, [%4, " address ";"               \
                             : "=f"(x_), "=f"(y_), "=f"(z_), "=f"(w_) : "l"(t), __VA_ARGS__);      \
        return __heddle_texel<T>::make(x_, y_, z_, w_);                                            \
    } else if (__heddle_texel<T>::kind == __heddle_texel_signed) {                                 \
        int x_, y_, z_, w_;                                                                        \
        __asm__ __volatile__(op ".s32." ctype " {%0, %1, %2, %3}, [%4, " address ";"               \
                             : "=r"(x_), "=r"(y_), "=r"(z_), "=r"(w_) : "l"(t), __VA_ARGS__);      \
        return __heddle_texel<T>::make(x_, y_, z_, w_);                                            \
    } else {                                                                                       \
        unsigned int x_, y_, z_, w_;                                                               \
        __asm__ __volatile__(op ".u32." ctype " {%0, %1, %2, %3}, [%4, " address ";"               \
                             : "=r"(x_), "=r"(y_), "=r"(z_), "=r"(w_) : "l"(t), __VA_ARGS__);      \
        return __heddle_texel<T>::make(x_, y_, z_, w_);                                            \
    }
#else
#define FETCH(op, ctype, address, ...) return T();
#endif

FN tex1Dfetch(cudaTextureObject_t t, int x) { FETCH("tex.1d.v4", "s32", "{%5}]", "r"(x)) }
FN tex1D(cudaTextureObject_t t, float x) { FETCH("tex.1d.v4", "f32", "{%5}]", "f"(x)) }
FN tex2D(cudaTextureObject_t t, float x, float y) { FETCH("tex.2d.v4", "f32", "{%5, %6}]", "f"(x), "f"(y)) }
FN tex3D(cudaTextureObject_t t, float x, float y, float z)
{
    FETCH("tex.3d.v4", "f32", "{%5, %6, %7, %7}]", "f"(x), "f"(y), "f"(z))
}
FN tex1DLod(cudaTextureObject_t t, float x, float level) { FETCH("tex.level.1d.v4", "f32", "{%5}], %6", "f"(x), "f"(level)) }
FN tex2DLod(cudaTextureObject_t t, float x, float y, float level)
{
    FETCH("tex.level.2d.v4", "f32", "{%5, %6}], %7", "f"(x), "f"(y), "f"(level))
}
FN tex3DLod(cudaTextureObject_t t, float x, float y, float z, float level)
{
    FETCH("tex.level.3d.v4", "f32", "{%5, %6, %7, %7}], %8", "f"(x), "f"(y), "f"(z), "f"(level))
}
FN tex1DLayered(cudaTextureObject_t t, float x, int layer) { FETCH("tex.a1d.v4", "f32", "{%5, %6}]", "r"(layer), "f"(x)) }
FN tex2DLayered(cudaTextureObject_t t, float x, float y, int layer)
{
    FETCH("tex.a2d.v4", "f32", "{%5, %6, %7, %7}]", "r"(layer), "f"(x), "f"(y))
}
FN texCubemap(cudaTextureObject_t t, float x, float y, float z)
{
    FETCH("tex.cube.v4", "f32", "{%5, %6, %7, %7}]", "f"(x), "f"(y), "f"(z))
}
FN texCubemapLayered(cudaTextureObject_t t, float x, float y, float z, int layer)
{
    FETCH("tex.acube.v4", "f32", "{%5, %6, %7, %8}]", "r"(layer), "f"(x), "f"(y), "f"(z))
}
FN tex1DLayeredLod(cudaTextureObject_t t, float x, int layer, float level)
{
    FETCH("tex.level.a1d.v4", "f32", "{%5, %6}], %7", "r"(layer), "f"(x), "f"(level))
}
FN tex2DLayeredLod(cudaTextureObject_t t, float x, float y, int layer, float level)
{
    FETCH("tex.level.a2d.v4", "f32", "{%5, %6, %7, %7}], %8", "r"(layer), "f"(x), "f"(y), "f"(level))
}
FN texCubemapLod(cudaTextureObject_t t, float x, float y, float z, float level)
{
    FETCH("tex.level.cube.v4", "f32", "{%5, %6, %7, %7}], %8", "f"(x), "f"(y), "f"(z), "f"(level))
}
FN texCubemapLayeredLod(cudaTextureObject_t t, float x, float y, float z, int layer, float level)
{
    FETCH("tex.level.acube.v4", "f32", "{%5, %6, %7, %8}], %9", "r"(layer), "f"(x), "f"(y), "f"(z), "f"(level))
}
FN tex1DGrad(cudaTextureObject_t t, float x, float, float) { return tex1D<T>(t, x); }
FN tex2DGrad(cudaTextureObject_t t, float x, float y, float2, float2) { return tex2D<T>(t, x, y); }
FN tex3DGrad(cudaTextureObject_t t, float x, float y, float z, float4, float4) { return tex3D<T>(t, x, y, z); }
FN tex1DLayeredGrad(cudaTextureObject_t t, float x, int layer, float, float) { return tex1DLayered<T>(t, x, layer); }
FN tex2DLayeredGrad(cudaTextureObject_t t, float x, float y, int layer, float2, float2) { return tex2DLayered<T>(t, x, y, layer); }
FN texCubemapGrad(cudaTextureObject_t t, float x, float y, float z, float4, float4) { return texCubemap<T>(t, x, y, z); }
FN texCubemapLayeredGrad(cudaTextureObject_t t, float x, float y, float z, int layer, float4, float4)
{
    return texCubemapLayered<T>(t, x, y, z, layer);
}

#define GATHER(c) FETCH("tld4." c ".2d.v4", "f32", "{%5, %6}]", "f"(x), "f"(y))
FN __heddle_gather0(cudaTextureObject_t t, float x, float y) { GATHER("r") }
FN __heddle_gather1(cudaTextureObject_t t, float x, float y) { GATHER("g") }
FN __heddle_gather2(cudaTextureObject_t t, float x, float y) { GATHER("b") }
FN __heddle_gather3(cudaTextureObject_t t, float x, float y) { GATHER("a") }
#undef GATHER
FN tex2Dgather(cudaTextureObject_t t, float x, float y, int component = 0)
{
    return component == 1   ? __heddle_gather1<T>(t, x, y)
           : component == 2 ? __heddle_gather2<T>(t, x, y)
           : component == 3 ? __heddle_gather3<T>(t, x, y)
                            : __heddle_gather0<T>(t, x, y);
}
#undef FETCH
#undef FN

/* CUDA's second form: the result through a pointer. */
#define INTO(name, parameters, arguments)                                                          \
    template <class T> static __device__ __inline__ void name(T *p, cudaTextureObject_t t, parameters) { *p = name<T>(t, arguments); }
#define AND ,
INTO(tex1Dfetch, int x, x)
INTO(tex1D, float x, x)
INTO(tex2D, float x AND float y, x AND y)
INTO(tex3D, float x AND float y AND float z, x AND y AND z)
INTO(tex1DLod, float x AND float level, x AND level)
INTO(tex2DLod, float x AND float y AND float level, x AND y AND level)
INTO(tex3DLod, float x AND float y AND float z AND float level, x AND y AND z AND level)
INTO(tex1DLayered, float x AND int layer, x AND layer)
INTO(tex2DLayered, float x AND float y AND int layer, x AND y AND layer)
INTO(texCubemap, float x AND float y AND float z, x AND y AND z)
INTO(texCubemapLayered, float x AND float y AND float z AND int layer, x AND y AND z AND layer)
#undef INTO

/* --- surfaces: x in bytes --- */

/* An access moves n elements. */
template <class T> struct __heddle_surface_value { typedef T element; enum { n = 1 }; };
#define VALUE(S, V)                                                                                \
    template <> struct __heddle_surface_value<V##1> { typedef S element; enum { n = 1 }; };        \
    template <> struct __heddle_surface_value<V##2> { typedef S element; enum { n = 2 }; };        \
    template <> struct __heddle_surface_value<V##4> { typedef S element; enum { n = 4 }; };
VALUE(signed char, char)
VALUE(unsigned char, uchar)
VALUE(short, short)
VALUE(unsigned short, ushort)
VALUE(int, int)
VALUE(unsigned int, uint)
VALUE(float, float)
template <> struct __heddle_surface_value<longlong1> { typedef long long element; enum { n = 1 }; };
template <> struct __heddle_surface_value<longlong2> { typedef long long element; enum { n = 2 }; };
template <> struct __heddle_surface_value<ulonglong1> { typedef unsigned long long element; enum { n = 1 }; };
template <> struct __heddle_surface_value<ulonglong2> { typedef unsigned long long element; enum { n = 2 }; };
#undef VALUE

#if defined(__CUDA_ARCH__)
/* One statement for each number of elements; at: "{%[x], %[y]}", then its operands. v: the elements' words. */
#define READ(geometry, type, mode, letter, v, at, ...)                                             \
    if (n == 1)                                                                                    \
        __asm__ __volatile__("suld.b." geometry "." type "." mode " {%0}, [%[s], " at "];"         \
                             : "=" letter(v[0]) : [s] "l"(s), __VA_ARGS__ : "memory");             \
    else if (n == 2)                                                                               \
        __asm__ __volatile__("suld.b." geometry ".v2." type "." mode " {%0, %1}, [%[s], " at "];"  \
                             : "=" letter(v[0]), "=" letter(v[1]) : [s] "l"(s), __VA_ARGS__ : "memory"); \
    else                                                                                           \
        __asm__ __volatile__("suld.b." geometry ".v4." type "." mode " {%0, %1, %2, %3}, [%[s], " at "];" \
                             : "=" letter(v[0]), "=" letter(v[1]), "=" letter(v[2]), "=" letter(v[3]) \
                             : [s] "l"(s), __VA_ARGS__ : "memory");
#define WRITE(geometry, type, mode, letter, v, at, ...)                                            \
    if (n == 1)                                                                                    \
        __asm__ __volatile__("sust.b." geometry "." type "." mode " [%[s], " at "], {%0};"         \
                             : : letter(v[0]), [s] "l"(s), __VA_ARGS__ : "memory");                \
    else if (n == 2)                                                                               \
        __asm__ __volatile__("sust.b." geometry ".v2." type "." mode " [%[s], " at "], {%0, %1};"  \
                             : : letter(v[0]), letter(v[1]), [s] "l"(s), __VA_ARGS__ : "memory");  \
    else                                                                                           \
        __asm__ __volatile__("sust.b." geometry ".v4." type "." mode " [%[s], " at "], {%0, %1, %2, %3};" \
                             : : letter(v[0]), letter(v[1]), letter(v[2]), letter(v[3]), [s] "l"(s), __VA_ARGS__ : "memory");
#define WIDTHS(access, geometry, mode, ...)                                                        \
    if (bytes == 1) { access(geometry, "b8", mode, "h", h, __VA_ARGS__) }                          \
    else if (bytes == 2) { access(geometry, "b16", mode, "h", h, __VA_ARGS__) }                    \
    else if (bytes == 4) { access(geometry, "b32", mode, "r", r, __VA_ARGS__) }                    \
    else { access(geometry, "b64", mode, "l", l, __VA_ARGS__) }
#define ACCESS(access, geometry, ...)                                                              \
    if (mode == cudaBoundaryModeTrap) { WIDTHS(access, geometry, "trap", __VA_ARGS__) }            \
    else if (mode == cudaBoundaryModeClamp) { WIDTHS(access, geometry, "clamp", __VA_ARGS__) }     \
    else { WIDTHS(access, geometry, "zero", __VA_ARGS__) }
#else
#define ACCESS(access, geometry, ...) (void)s, (void)mode;
#endif

#define SURFACE(name, parameters, arguments, geometry, ...)                                        \
    template <class T> static __device__ __inline__ __attribute__((always_inline)) T                \
    name##read(cudaSurfaceObject_t s, parameters, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) \
    {                                                                                              \
        enum { n = __heddle_surface_value<T>::n, bytes = sizeof(typename __heddle_surface_value<T>::element) }; \
        unsigned short h[4] = {};                                                                  \
        unsigned int r[4] = {};                                                                    \
        unsigned long long l[4] = {};                                                              \
        T value;                                                                                   \
        ACCESS(READ, geometry, __VA_ARGS__)                                                        \
        for (int i = 0; i < n; i++)                                                                \
            __builtin_memcpy((char *)&value + i * bytes,                                           \
                             bytes <= 2 ? (void *)&h[i] : bytes == 4 ? (void *)&r[i] : (void *)&l[i], bytes); \
        return value;                                                                              \
    }                                                                                              \
    template <class T> static __device__ __inline__ void name##read(                               \
        T *p, cudaSurfaceObject_t s, parameters, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) \
    {                                                                                              \
        *p = name##read<T>(s, arguments, mode);                                                    \
    }                                                                                              \
    template <class T> static __device__ __inline__ __attribute__((always_inline)) void             \
    name##write(T value, cudaSurfaceObject_t s, parameters, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) \
    {                                                                                              \
        enum { n = __heddle_surface_value<T>::n, bytes = sizeof(typename __heddle_surface_value<T>::element) }; \
        unsigned short h[4] = {};                                                                  \
        unsigned int r[4] = {};                                                                    \
        unsigned long long l[4] = {};                                                              \
        for (int i = 0; i < n; i++)                                                                \
            __builtin_memcpy(bytes <= 2 ? (void *)&h[i] : bytes == 4 ? (void *)&r[i] : (void *)&l[i], \
                             (const char *)&value + i * bytes, bytes);                             \
        ACCESS(WRITE, geometry, __VA_ARGS__)                                                       \
    }
SURFACE(surf1D, int x, x, "1d", "{%[x]}", [x] "r"(x))
SURFACE(surf2D, int x AND int y, x AND y, "2d", "{%[x], %[y]}", [x] "r"(x), [y] "r"(y))
SURFACE(surf3D, int x AND int y AND int z, x AND y AND z, "3d", "{%[x], %[y], %[z], %[z]}", [x] "r"(x), [y] "r"(y), [z] "r"(z))
SURFACE(surf1DLayered, int x AND int layer, x AND layer, "a1d", "{%[i], %[x]}", [x] "r"(x), [i] "r"(layer))
SURFACE(surf2DLayered, int x AND int y AND int layer, x AND y AND layer, "a2d", "{%[i], %[x], %[y], %[y]}", [x] "r"(x),
        [y] "r"(y), [i] "r"(layer))
SURFACE(surfCubemap, int x AND int y AND int face, x AND y AND face, "a2d", "{%[i], %[x], %[y], %[y]}", [x] "r"(x), [y] "r"(y),
        [i] "r"(face))
SURFACE(surfCubemapLayered, int x AND int y AND int face, x AND y AND face, "a2d", "{%[i], %[x], %[y], %[y]}", [x] "r"(x),
        [y] "r"(y), [i] "r"(face)) /* face: 6 * layer + face */
#undef SURFACE
#undef ACCESS
#ifdef __CUDA_ARCH__
#undef WIDTHS
#undef READ
#undef WRITE
#endif
#undef AND

#pragma clang attribute pop

#endif
