/* DPX functions (CUDA Math API, "Integer Intrinsics" and "SIMD"; CUDA C++ Programming Guide, "Dynamic Programming
 * eXtension"): additions with minimum or maximum, of three, clamped at zero (relu), and with the winner told. On every
 * architecture they are plain integer arithmetic here; the 16x2 forms work on the two halves of a word. Sums wrap. */
#ifndef HEDDLE_DEVICE_DPX_H
#define HEDDLE_DEVICE_DPX_H

#pragma push_macro("FN")
#define FN static __device__ __inline__ __attribute__((always_inline, unused))

/* A 32-bit form: ADD wraps because it is done unsigned. */
#define WORD(T, suffix, which, op)                                                                 \
    FN T __viadd##which##_##suffix(T a, T b, T c)                                                  \
    {                                                                                              \
        T s = (T)((unsigned int)a + (unsigned int)b);                                              \
        return s op c ? s : c;                                                                     \
    }                                                                                              \
    FN T __vi##which##3_##suffix(T a, T b, T c)                                                    \
    {                                                                                              \
        T d = a op b ? a : b;                                                                      \
        return d op c ? d : c;                                                                     \
    }                                                                                              \
    FN T __vib##which##_##suffix(T a, T b, bool *const first)                                      \
    {                                                                                              \
        *first = a op b || a == b;                                                                 \
        return *first ? a : b;                                                                     \
    }
WORD(int, s32, max, >)
WORD(int, s32, min, <)
WORD(unsigned int, u32, max, >)
WORD(unsigned int, u32, min, <)
#undef WORD
#define RELU(which)                                                                                \
    FN int __viadd##which##_s32_relu(int a, int b, int c)                                          \
    {                                                                                              \
        int d = __viadd##which##_s32(a, b, c);                                                     \
        return d > 0 ? d : 0;                                                                      \
    }                                                                                              \
    FN int __vi##which##3_s32_relu(int a, int b, int c)                                            \
    {                                                                                              \
        int d = __vi##which##3_s32(a, b, c);                                                       \
        return d > 0 ? d : 0;                                                                      \
    }
RELU(max)
RELU(min)
#undef RELU
FN int __vimax_s32_relu(int a, int b) { return __vimax3_s32(a, b, 0); }
FN int __vimin_s32_relu(int a, int b) { return __vimin3_s32_relu(a, b, b); }

/* Halves: each function of three words is applied to both; HALVES names the function that works on one half. */
#define HALF(T, w, hi) ((T)((hi) ? (w) >> 16 : (w) & 0xffffu))
#define PAIR(lo, hi) ((unsigned int)(unsigned short)(lo) | (unsigned int)(unsigned short)(hi) << 16)
#define HALVES(T, name, one)                                                                       \
    FN unsigned int name(unsigned int a, unsigned int b, unsigned int c)                           \
    {                                                                                              \
        return PAIR(one(HALF(T, a, 0), HALF(T, b, 0), HALF(T, c, 0)),                              \
                    one(HALF(T, a, 1), HALF(T, b, 1), HALF(T, c, 1)));                             \
    }
#define SUM(T, a, b) (T)(unsigned short)((unsigned int)(a) + (unsigned int)(b))
#define ADDED(T, which, suffix)                                                                    \
    FN int __heddle_add##which##_##suffix(T a, T b, T c)                                           \
    {                                                                                              \
        return __vi##which##3_s32(SUM(T, a, b), c, c);                                             \
    }                                                                                              \
    HALVES(T, __viadd##which##_##suffix##x2, __heddle_add##which##_##suffix)                       \
    HALVES(T, __vi##which##3_##suffix##x2, __vi##which##3_s32)
ADDED(short, max, s16)
ADDED(short, min, s16)
ADDED(unsigned short, max, u16)
ADDED(unsigned short, min, u16)
#undef ADDED
#define ADDED(which)                                                                               \
    FN int __heddle_add##which##_relu(short a, short b, short c)                                   \
    {                                                                                              \
        return __vi##which##3_s32_relu(SUM(short, a, b), c, c);                                    \
    }                                                                                              \
    HALVES(short, __viadd##which##_s16x2_relu, __heddle_add##which##_relu)                         \
    HALVES(short, __vi##which##3_s16x2_relu, __vi##which##3_s32_relu)                              \
    FN unsigned int __vi##which##_s16x2_relu(unsigned int a, unsigned int b)                       \
    {                                                                                              \
        return __vi##which##3_s16x2_relu(a, b, b);                                                 \
    }
ADDED(max)
ADDED(min)
#undef ADDED
#define TOLD(T, which, suffix)                                                                     \
    FN unsigned int __vib##which##_##suffix##x2(unsigned int a, unsigned int b, bool *const hi,    \
                                                bool *const lo)                                    \
    {                                                                                              \
        int low = __vib##which##_s32(HALF(T, a, 0), HALF(T, b, 0), lo);                            \
        int high = __vib##which##_s32(HALF(T, a, 1), HALF(T, b, 1), hi);                           \
        return PAIR(low, high);                                                                    \
    }
TOLD(short, max, s16)
TOLD(short, min, s16)
TOLD(unsigned short, max, u16)
TOLD(unsigned short, min, u16)
#undef TOLD
#undef SUM
#undef HALVES
#undef PAIR
#undef HALF

#pragma pop_macro("FN")

#endif
