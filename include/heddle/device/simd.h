/* SIMD in a word (CUDA Math API, "SIMD Intrinsics"): two 16-bit or four 8-bit numbers in an unsigned int.
 *
 * Plain integer arithmetic of the parts, as on every GPU since Maxwell, where the video instructions are gone. In the
 * names s and u after the verb: parts are signed, unsigned; ss, us: the result is clamped to the signed, unsigned
 * range instead of wrapping; cmp gives a part of ones or zeros, set 1 or 0. The rounded average of signed parts rounds
 * halves away from zero downwards: (a + b) >> 1 for a negative sum, else (a + b + 1) >> 1. */
#ifndef HEDDLE_DEVICE_SIMD_H
#define HEDDLE_DEVICE_SIMD_H

#pragma push_macro("FN")
#define FN static __device__ __inline__ __attribute__((always_inline, const, unused))

/* Every part of a function of two words: x, y are the parts, in type T; `value` is the part of the result. */
#define PARTS(name, W, T, value)                                                                   \
    FN unsigned int name(unsigned int a, unsigned int b)                                           \
    {                                                                                              \
        unsigned int r = 0;                                                                        \
        _Pragma("unroll") for (int at = 0; at < 32; at += W)                                       \
        {                                                                                          \
            int x = (T)(a >> at), y = (T)(b >> at);                                                \
            (void)y;                                                                               \
            r |= ((unsigned int)(value) & ((1u << W) - 1)) << at;                                  \
        }                                                                                          \
        return r;                                                                                  \
    }
#define ONE(name, W, T, value)                                                                     \
    PARTS(__heddle_one##name, W, T, value)                                                         \
    FN unsigned int name(unsigned int a) { return __heddle_one##name(a, 0); }
/* The sum of all parts of a word. */
#define SUM(name, W, of)                                                                           \
    FN unsigned int name(unsigned int a, unsigned int b)                                           \
    {                                                                                              \
        unsigned int d = of(a, b), r = 0;                                                          \
        _Pragma("unroll") for (int at = 0; at < 32; at += W) r += d >> at & ((1u << W) - 1);       \
        return r;                                                                                  \
    }
#define CLAMP(v, low, high) ((v) < (low) ? (low) : (v) > (high) ? (high) : (v))
#define COMPARE(n, W, s, T, word, op)                                                              \
    PARTS(__vcmp##word##s##n, W, T, x op y ? -1 : 0)                                               \
    PARTS(__vset##word##s##n, W, T, x op y ? 1 : 0)
#define WIDTH(n, W, S, U)                                                                          \
    ONE(__vabs##n, W, S, x < 0 ? -x : x)                                                           \
    ONE(__vabsss##n, W, S, CLAMP(x < 0 ? -x : x, 0, (1 << (W - 1)) - 1))                           \
    ONE(__vneg##n, W, S, -x)                                                                       \
    ONE(__vnegss##n, W, S, CLAMP(-x, 0 - (1 << (W - 1)), (1 << (W - 1)) - 1))                      \
    PARTS(__vabsdiffs##n, W, S, x > y ? x - y : y - x)                                             \
    PARTS(__vabsdiffu##n, W, U, x > y ? x - y : y - x)                                             \
    PARTS(__vadd##n, W, U, x + y)                                                                  \
    PARTS(__vaddss##n, W, S, CLAMP(x + y, 0 - (1 << (W - 1)), (1 << (W - 1)) - 1))                 \
    PARTS(__vaddus##n, W, U, CLAMP(x + y, 0, (1 << W) - 1))                                        \
    PARTS(__vsub##n, W, U, x - y)                                                                  \
    PARTS(__vsubss##n, W, S, CLAMP(x - y, 0 - (1 << (W - 1)), (1 << (W - 1)) - 1))                 \
    PARTS(__vsubus##n, W, U, CLAMP(x - y, 0, (1 << W) - 1))                                        \
    PARTS(__vavgs##n, W, S, x + y < 0 ? (x + y) >> 1 : (x + y + 1) >> 1)                           \
    PARTS(__vavgu##n, W, U, (x + y + 1) >> 1)                                                      \
    PARTS(__vhaddu##n, W, U, (x + y) >> 1)                                                         \
    PARTS(__vmaxs##n, W, S, x > y ? x : y)                                                         \
    PARTS(__vmaxu##n, W, U, x > y ? x : y)                                                         \
    PARTS(__vmins##n, W, S, x < y ? x : y)                                                         \
    PARTS(__vminu##n, W, U, x < y ? x : y)                                                         \
    SUM(__vsads##n, W, __vabsdiffs##n)                                                             \
    SUM(__vsadu##n, W, __vabsdiffu##n)                                                             \
    COMPARE(n, W, , U, eq, ==) COMPARE(n, W, , U, ne, !=)                                          \
    COMPARE(n, W, s, S, ge, >=) COMPARE(n, W, u, U, ge, >=)                                        \
    COMPARE(n, W, s, S, gt, >) COMPARE(n, W, u, U, gt, >)                                          \
    COMPARE(n, W, s, S, le, <=) COMPARE(n, W, u, U, le, <=)                                        \
    COMPARE(n, W, s, S, lt, <) COMPARE(n, W, u, U, lt, <)
WIDTH(2, 16, short, unsigned short)
WIDTH(4, 8, signed char, unsigned char)
#undef WIDTH
#undef COMPARE
#undef CLAMP
#undef SUM
#undef ONE
#undef PARTS

#pragma pop_macro("FN")

#endif
