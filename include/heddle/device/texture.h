/* Texture fetches: tex1Dfetch, tex1D, tex2D, tex3D and their ...Lod forms, on texture objects.
 *
 * CUDA C++ Programming Guide, "Texture Functions". One PTX instruction each; T is char to int (signed or not), float, or
 * a vector of 1, 2 or 4 of them. With read mode "normalized float" T is float or a vector of floats. Layered, cube map and gather
 * fetches are not there, nor are the texture references that CUDA 12 removed. */
#ifndef HEDDLE_DEVICE_TEXTURE_H
#define HEDDLE_DEVICE_TEXTURE_H

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
#undef AND
#undef INTO

#endif
